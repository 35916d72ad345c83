/*-------------------------------------------------------------------------
 *
 * id/batch.c
 *		Consecutive values of a sequence, as the rows of a function.
 *
 * State: the batch of each running call, in its multi-call memory.
 * sequence/draw.c says what holds at a crash, on a standby and under
 * concurrency.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/settings.h"
#include "id/families.h"
#include "sequence/fetch.h"

/*
 * The first call for a set of rows: reserve all values in one step.  The
 * arguments are a sequence and a count.  "issuer" is who issues the values of
 * the page.  The reservation is on disk before the first row, and values that
 * the caller does not fetch are lost.
 *
 * 22023 unless the count is 1 to GID_MAX_BLOCK_SIZE, 25006 in a read-only
 * transaction and in recovery, 25000 in a parallel operation.  Other errors
 * and waits are those of gid_draw_batch().
 */
void
gid_batch_begin(FunctionCallInfo fcinfo, const char *function, GidSource source,
				uint32 issuer)
{
	FuncCallContext *call = SRF_FIRSTCALL_INIT();
	int32		count = PG_GETARG_INT32(1);
	GidBatch   *batch = MemoryContextAlloc(call->multi_call_memory_ctx, sizeof(GidBatch));

	/* a user who may draw must not use up a sequence in one call */
	if (count < 1 || count > GID_MAX_BLOCK_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("count must be from 1 to %d, not %d", GID_MAX_BLOCK_SIZE, count),
				 errdetail("%s reserves all its values in one step.", function),
				 count < 1 ? errhint("For no values, do not call the function.") :
				 errhint("For more, call the function several times.")));
	gid_page_prevent(function);
	if (source == GID_SOURCE_AUTHORITIES)
		gid_fetch_batch(PG_GETARG_OID(0), count, batch);
	else
	{
		gid_draw_batch(PG_GETARG_OID(0), count, batch);
		batch->issuer = issuer;
	}
	call->user_fctx = batch;
}

/* Give *value the value of the next row; returns NULL after the last one. */
GidBatch *
gid_batch_next(FuncCallContext *call, GidFamily family, int64 *value)
{
	GidBatch   *batch = call->user_fctx;

	if (call->call_cntr >= (uint64) batch->values.count)
		return NULL;
	*value = (int64) ((uint64) batch->values.first +
					  call->call_cntr * (uint64) batch->increment);
	gid_slot_count(gid_slot, family, (uint64) *value);
	return batch;
}
