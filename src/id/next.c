/*-------------------------------------------------------------------------
 *
 * id/next.c
 *		Durable sequences: gid_next(), a nextval() that returns no value
 *		twice.
 *
 * State: none.  sequence/draw.c draws the values and says what holds at a
 * crash, on a standby and under concurrency.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "id/batch.h"
#include "sequence/draw.h"

/*
 * gid_next(seq regclass) -> bigint
 *
 * Return the next value of a sequence.  Errors and waits are those of
 * gid_draw().
 */
PG_FUNCTION_INFO_V1(gid_next);
Datum
gid_next(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(gid_draw(PG_GETARG_OID(0), NULL, "gid_next()",
							 GID_FAMILY_NEXT).value);
}

/* The id of a value is the value. */
static Datum
gid_next_datum(int64 value, uint32 issuer)
{
	return Int64GetDatum(value);
}

/*
 * gid_next_many(seq regclass, count int) -> setof bigint
 *
 * Return "count" consecutive values of a sequence, 1 to 65536.  Errors and
 * waits are those of gid_batch_row().
 */
PG_FUNCTION_INFO_V1(gid_next_many);
Datum
gid_next_many(PG_FUNCTION_ARGS)
{
	static const GidBatchKind kind = {
		.function = "gid_next_many()",
		.family = GID_FAMILY_NEXT,
		.id = gid_next_datum,
	};

	return gid_batch_row(fcinfo, &kind);
}

/*
 * gid_forget(seq regclass) -> void
 *
 * End the blocks of a sequence; the values that are left in them are lost.
 * 25006 in a read-only transaction and in recovery, 25000 in a parallel
 * operation.  Other errors are those of gid_draw_forget().
 */
PG_FUNCTION_INFO_V1(gid_forget);
Datum
gid_forget(PG_FUNCTION_ARGS)
{
	gid_page_prevent("gid_forget()");
	gid_draw_forget(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}
