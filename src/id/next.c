/*-------------------------------------------------------------------------
 *
 * id/next.c
 *		Durable sequences: gid_next(), a nextval() that returns no value
 *		twice.
 *
 * State: none.  sequence/draw.c draws the values and says what holds at a
 * crash, on a standby and under concurrency.  sequence/position.c has the
 * horizons.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "common/int.h"
#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "tcop/pquery.h"
#include "utils/portal.h"
#include "utils/timestamp.h"

#include "id/families.h"
#include "sequence/draw.h"
#include "sequence/position.h"

PG_FUNCTION_INFO_V1(gid_next);
Datum
gid_next(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(gid_draw(PG_GETARG_OID(0), GID_SOURCE_PAGE, NULL,
							 gid_statement_site(fcinfo), "gid_next()", GID_FAMILY_NEXT).value);
}

PG_FUNCTION_INFO_V1(gid_next_many);
Datum
gid_next_many(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	int64		value;

	if (SRF_IS_FIRSTCALL())
		gid_batch_begin(fcinfo, "gid_next_many()", GID_SOURCE_PAGE, 0);
	call = SRF_PERCALL_SETUP();
	if (gid_batch_next(call, GID_FAMILY_NEXT, &value) == NULL)
		SRF_RETURN_DONE(call);
	SRF_RETURN_NEXT(call, Int64GetDatum(value));
}

PG_FUNCTION_INFO_V1(gid_forget);
Datum
gid_forget(PG_FUNCTION_ARGS)
{
	gid_page_prevent("gid_forget()");
	gid_draw_forget(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(gid_horizon);
Datum
gid_horizon(PG_FUNCTION_ARGS)
{
	GidHorizon	horizon;

	gid_position_horizon(PG_GETARG_OID(0), &horizon);
	if (!horizon.is_known)
		PG_RETURN_NULL();
	PG_RETURN_INT64(horizon.value);
}

/*
 * The time of an interval in milliseconds, 1 or more.  22023 out of range and
 * for NULL: a procedure cannot be STRICT.
 */
static int
gid_next_arg_timeout(const Interval *timeout)
{
	int64		us = 0;

	if (timeout == NULL ||
		pg_mul_s64_overflow((int64) timeout->month * DAYS_PER_MONTH + timeout->day,
							USECS_PER_DAY, &us) ||
		pg_add_s64_overflow(us, timeout->time, &us) ||
		us < USECS_PER_SEC / 1000 || us / (USECS_PER_SEC / 1000) > INT_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("timeout is out of range"),
				 errdetail("The range is 1 millisecond to 24 days."),
				 errhint("Give the longest time to wait, such as interval '10 s'.")));
	return (int) (us / (USECS_PER_SEC / 1000));
}

PG_FUNCTION_INFO_V1(gid_horizon_wait);
Datum
gid_horizon_wait(PG_FUNCTION_ARGS)
{
	Oid			sequence = PG_ARGISNULL(0) ? InvalidOid : PG_GETARG_OID(0);
	int			timeout_ms = gid_next_arg_timeout(PG_ARGISNULL(1) ? NULL : PG_GETARG_INTERVAL_P(1));

	if (fcinfo->context == NULL || !IsA(fcinfo->context, CallContext) ||
		castNode(CallContext, fcinfo->context)->atomic || IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("gid_horizon_wait() must be a statement of its own"),
				 errdetail("A snapshot of the transaction would be held during the wait, and the result would not be for it."),
				 errhint("Call it outside a transaction block, in READ COMMITTED.")));
	/* so that no snapshot is held during the wait */
	ForgetPortalSnapshots();
	gid_position_wait(sequence, timeout_ms);
	EnsurePortalSnapshotExists();
	PG_RETURN_VOID();
}
