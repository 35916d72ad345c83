/*-------------------------------------------------------------------------
 *
 * id/authority_node.c
 *		Leases of node numbers for other servers.
 *
 * State: none.  node/node_table.c has the tables of leases, and says what
 * holds at a crash, a restart, a clock step and on a standby.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/pg_control.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/settings.h"
#include "node/node_table.h"
#include "layout/trace_id.h"
#include "sequence/gate.h"
#include "sequence/page.h"

static const GidRange gid_node_max_range = {
	"max_node", 0, GID_TRACE_MAX_NODE,
	"Give the gid.node_max of the server that asks."
};

/* The moments of a lease. */
static const GidTimeRange gid_node_time_range = {
	"a lease of a node number", GID_UNIX_EPOCH, GID_LAST_TIMESTAMP,
	"1970-01-01 00:00:00 UTC on"
};

/* Read an end of a lease.  22008 outside the range, 22023 between seconds. */
static TimestampTz
gid_node_arg_time(FunctionCallInfo fcinfo, int arg)
{
	TimestampTz at = PG_GETARG_TIMESTAMPTZ(arg);

	gid_check_time(&gid_node_time_range, at);
	if (at % USECS_PER_SEC != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is not a whole second", timestamptz_to_str(at)),
				 errdetail("Leases of node numbers begin and end with a second."),
				 errhint("Use date_trunc('second', ...).")));
	return at;
}

/* Read the arguments of gid.authority_node(). */
static void
gid_node_read_args(FunctionCallInfo fcinfo, GidNodeAsked *asked)
{
	for (int i = 0; i < PG_NARGS(); i++)
	{
		/* a server without a lease knows no held_node and held_until */
		if (PG_ARGISNULL(i) && i != 1 && i != 2)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %d of gid.authority_node() is null", i + 1),
					 errdetail("Only held_node and held_until may be null, for a server that has no lease."),
					 errhint("gid calls this function itself, on the server of gid.node_authority.")));
	}
	asked->holder = *PG_GETARG_UUID_P(0);
	asked->has_held = !PG_ARGISNULL(1) && !PG_ARGISNULL(2);
	if (asked->has_held)
	{
		asked->held_node = PG_GETARG_INT32(1);
		asked->held_until = gid_node_arg_time(fcinfo, 2);
	}
	asked->since = gid_node_arg_time(fcinfo, 3);
	asked->until = gid_node_arg_time(fcinfo, 4);
	asked->max_node = PG_GETARG_INT32(5);
	gid_check_range(&gid_node_max_range, asked->max_node);
}

/*
 * gid.authority_node(holder uuid, held_node int, held_until timestamptz,
 *					  since timestamptz, until timestamptz, max_node int)
 *		-> (node int, since timestamptz, until timestamptz)
 *
 * Lease a node number to another server for [since, until), or extend the
 * lease that the holder names.  The node is null when no lease begins before
 * the moment in "since", because leases may run that the tables have lost.
 * 22004 when an
 * argument is null that may not be, 22008 and 22023 when a time is out of
 * range, 22003 when max_node is, 25006 in a read-only transaction and in
 * recovery.  Other errors and waits are those of gid_node_table_lease().
 */
PG_FUNCTION_INFO_V1(gid_authority_node);
Datum
gid_authority_node(PG_FUNCTION_ARGS)
{
	GidNodeAsked asked = {0};
	GidNodeGranted granted;
	Datum		values[3];
	bool		nulls[lengthof(values)] = {false};

	gid_node_read_args(fcinfo, &asked);
	gid_page_prevent("gid.authority_node()");
	gid_node_table_lease(&asked, &granted);
	values[0] = Int32GetDatum(granted.node);
	values[1] = TimestampTzGetDatum(granted.since);
	values[2] = TimestampTzGetDatum(granted.until);
	nulls[0] = nulls[2] = !granted.is_granted;
	return gid_row(fcinfo, values, nulls);
}

/*
 * gid.authority_confirm() -> void
 *
 * Wait until all WAL that was written before this call has passed the gate: it
 * is on disk here and on the synchronous standbys, whatever synchronous_commit
 * is.  Interruptible.  25006 in a read-only transaction and in recovery.
 */
PG_FUNCTION_INFO_V1(gid_authority_confirm);
Datum
gid_authority_confirm(PG_FUNCTION_ARGS)
{
	char		data = 0;

	gid_page_prevent("gid.authority_confirm()");
	(void) gid_slot_mine();

	/*
	 * A record of its own, because only the end of a record can be flushed.
	 * The server's assertions want a record to have data.
	 */
	XLogBeginInsert();
	XLogRegisterData(&data, sizeof(data));
	(void) gid_gate(XLogInsert(RM_XLOG_ID, XLOG_NOOP));
	PG_RETURN_VOID();
}

/*
 * gid.authority_resume() -> boolean
 *
 * Lease node numbers again after a failover or a restore.  Returns whether
 * there was a pause.  42501 unless the caller is a superuser, 25006 in a
 * read-only transaction and in recovery.  Other errors are those of
 * gid_node_table_resume().
 */
PG_FUNCTION_INFO_V1(gid_authority_resume);
Datum
gid_authority_resume(PG_FUNCTION_ARGS)
{
	if (!superuser())
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for function authority_resume"),
				 errdetail("If a lease is missing here, two servers make equal ids. So only a superuser may end the pause."),
				 errhint("Ask a superuser, or wait until the pause has ended.")));
	gid_page_prevent("gid.authority_resume()");
	PG_RETURN_BOOL(gid_node_table_resume());
}

/*
 * gid.authority_begin() -> void
 *
 * Write the first row of gid.node_writer.  The extension's script calls this
 * function and drops it.
 */
PG_FUNCTION_INFO_V1(gid_authority_begin);
Datum
gid_authority_begin(PG_FUNCTION_ARGS)
{
	gid_node_table_begin();
	PG_RETURN_VOID();
}
