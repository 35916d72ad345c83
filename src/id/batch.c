/*-------------------------------------------------------------------------
 *
 * id/batch.c
 *		Consecutive values of a sequence, as a set of ids.
 *
 * State: the batch of each running call, in its multi-call memory.
 *
 * Invariants:
 * 1. All values are reserved in one step, and the reservation is on disk
 *	  before the first row.  Values that the caller does not fetch are lost.
 *
 * Crash, standby, concurrency: see sequence/draw.c.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "funcapi.h"

#include "base/settings.h"
#include "id/batch.h"

/* Reserve the values of a call; its arguments are a sequence and a count. */
static GidBatch *
gid_batch_begin(FunctionCallInfo fcinfo, const GidBatchKind *kind,
				MemoryContext context)
{
	int32		count = PG_GETARG_INT32(1);
	GidSource	source = GID_SOURCE_PAGE;
	uint32		issuer = 0;
	GidBatch   *batch;

	if (count < 1 || count > GID_MAX_BLOCK_SIZE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("count must be from 1 to %d, not %d", GID_MAX_BLOCK_SIZE, count),
				 errdetail("%s reserves all its values in one step.", kind->function),
				 errhint("For more, call the function several times.")));
	gid_page_prevent(kind->function);

	if (kind->source != NULL)
		source = kind->source(&issuer);
	batch = MemoryContextAlloc(context, sizeof(GidBatch));
	gid_draw_batch(PG_GETARG_OID(0), source, count, batch);
	if (source == GID_SOURCE_PAGE)
		batch->issuer = issuer;
	if (kind->check != NULL)
	{
		kind->check(batch->values.first);
		kind->check(batch->values.last);
	}
	return batch;
}

/*
 * Return the next row of a set-returning function (sequence regclass, count
 * int).  Who issues the values is decided once, for the first row: a reload
 * may come between two rows of a cursor.
 *
 * 22023 unless the count is 1 to GID_MAX_BLOCK_SIZE: a user who may draw must
 * not use up a sequence in one call.  25006 in a read-only transaction and in
 * recovery, 25000 in a parallel operation.  Other errors and waits are those
 * of the kind's functions and of gid_draw_batch().
 */
Datum
gid_batch_row(FunctionCallInfo fcinfo, const GidBatchKind *kind)
{
	FuncCallContext *call;
	GidBatch   *batch;
	int64		value;

	if (SRF_IS_FIRSTCALL())
	{
		call = SRF_FIRSTCALL_INIT();
		call->user_fctx = gid_batch_begin(fcinfo, kind, call->multi_call_memory_ctx);
	}
	call = SRF_PERCALL_SETUP();
	batch = call->user_fctx;
	if (call->call_cntr >= (uint64) batch->values.count)
		SRF_RETURN_DONE(call);

	value = (int64) ((uint64) batch->values.first +
					 call->call_cntr * (uint64) batch->increment);
	gid_slot_count(gid_slot, kind->family, (uint64) value);
	SRF_RETURN_NEXT(call, kind->id(value, batch->issuer));
}
