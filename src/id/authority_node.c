/*-------------------------------------------------------------------------
 *
 * id/authority_node.c
 *		Leases of node numbers for other servers: what SQL cannot do.
 *
 * gid.node_leases has a row for each number that was ever leased: its last
 * lease.  gid.node_writer has one row that says which server has written the
 * leases, and before which moment no lease begins.  SQL functions of the
 * script read and write the two tables: their bodies are parsed when the
 * extension is created, and name every object by its OID.  The functions here
 * check, lock, wait and raise.
 *
 * Two leases of one number do not overlap: a lease is extended only for its
 * own holder, who names the number and the end of the lease, and anybody else
 * gets a number whose last lease ends before the new lease begins.  Callers
 * lock gid.node_leases against each other until their transactions end.
 *
 * State: the two tables, which WAL protects.
 *
 * Crash, restart: nothing is lost.  A server uses a lease only after
 * gid.authority_confirm().  Clock step: leases are in the time of the ids.
 * Promotion, restore: the row of gid.node_writer then names another server or
 * timeline, and no lease begins before all lost leases have ended.  Standby:
 * it leases no numbers.
 *
 * References: test/model/node_lease.pml.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/pg_class.h"
#include "catalog/pg_control.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/settings.h"
#include "clock/clock.h"
#include "layout/trace_id.h"
#include "sequence/page.h"

/*
 * A lease begins at most this long ago, half of the time after which the
 * seconds of TraceIds repeat.
 */
#define GID_NODE_LEASE_AGE_S	(GID_TRACE_PERIOD_S / 2)

static const GidRange gid_node_max_range = {
	"max_node", 0, GID_TRACE_MAX_NODE,
	"Give the gid.node_max of the server that asks."
};

/* The moments of a lease. */
static const GidTimeRange gid_node_time_range = {
	"a lease of a node number", GID_UNIX_EPOCH, GID_LAST_TIMESTAMP,
	"1970-01-01 00:00:00 UTC on"
};

/* ---- the tables ---- */

/*
 * Wait until all WAL that was written before has passed the gate: it is on
 * disk here and on the synchronous standbys.  Only the end of a record can be
 * flushed, so this writes a record.  The server's assertions want it to have
 * data.
 */
static void
gid_lease_wait(void)
{
	char		data = 0;

	XLogBeginInsert();
	XLogRegisterData(&data, sizeof(data));
	(void) gid_gate(XLogInsert(RM_XLOG_ID, XLOG_NOOP));
}

/*
 * Lock a table, and raise 55000 unless nobody but the superuser who owns the
 * calling function can have put code on it.  An owner can: a rule, an index
 * expression, a policy.  So can a role with the privilege TRIGGER.  The code
 * would run as that superuser.
 */
static void
gid_lease_lock(Oid relid, LOCKMODE mode)
{
	Relation	rel = relation_open(relid, mode);

	if (rel->rd_rel->relkind != RELKIND_RELATION ||
		rel->rd_rel->relowner != GetUserId() || !superuser() ||
		rel->trigdesc != NULL || rel->rd_rules != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"gid.%s\" was changed", RelationGetRelationName(rel)),
				 errdetail("It must be a table without triggers and rules, and belong to the superuser who owns the extension's functions."),
				 errhint("Undo the change.")));
	relation_close(rel, NoLock);
}

/*
 * Lock the tables of leases, to write or to read, and return what this server
 * is: its time in whole seconds, system identifier, timeline, database, and
 * the settings gid.node_lease_max and gid.node_first.
 *
 * To wait: for the standbys first, so that an outage of theirs costs one
 * lease, and not one a try.  Raises 25006 in a read-only transaction and
 * in recovery, 25001 in an isolation level whose snapshot would not show the
 * leases of the last caller, and what gid_durable_start() raises.
 */
PG_FUNCTION_INFO_V1(gid_lease_tables);
Datum
gid_lease_tables(PG_FUNCTION_ARGS)
{
	Oid			leases = PG_GETARG_OID(0);
	Oid			writer = PG_GETARG_OID(1);
	Datum		values[6];
	bool		nulls[lengthof(values)] = {false};

	if (!PG_GETARG_BOOL(2))
	{
		gid_lease_lock(leases, AccessShareLock);
		memset(nulls, true, sizeof(nulls));
		memset(values, 0, sizeof(values));
		return gid_row(fcinfo, values, nulls);
	}

	gid_page_prevent(PG_GETARG_BOOL(3) ? "gid.authority_node()" : "gid.authority_resume()");
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("cannot lease node numbers in this isolation level"),
				 errdetail("The snapshot of the transaction would not show the leases that others have got since."),
				 errhint("Use READ COMMITTED, and ALTER DATABASE ... RESET default_transaction_isolation.")));
	gid_setting_need("gid.node_first");
	(void) gid_slot_mine();
	gid_durable_start();
	if (PG_GETARG_BOOL(3))
		gid_lease_wait();

	/* conflicts with itself and with writers, and not with readers */
	gid_lease_lock(leases, ShareRowExclusiveLock);
	gid_lease_lock(writer, RowExclusiveLock);

	values[0] = TimestampTzGetDatum(gid_timestamptz(gid_floor_div(gid_time_read().us, GID_US_PER_S) * GID_US_PER_S));
	values[1] = Int64GetDatum((int64) GetSystemIdentifier());
	values[2] = Int64GetDatum((int64) GetWALInsertionTimeLine());
	values[3] = ObjectIdGetDatum(MyDatabaseId);
	values[4] = Int32GetDatum(gid_node_lease_max_s);
	values[5] = Int32GetDatum(gid_node_first);
	return gid_row(fcinfo, values, nulls);
}

/* ---- the arguments ---- */

/* An end of a lease.  22008 outside the range, 22023 between seconds. */
static TimestampTz
gid_lease_arg_time(FunctionCallInfo fcinfo, int arg)
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

/*
 * Check the arguments of gid.authority_node(), and return the end of the
 * lease: at most gid.node_lease_max after the time here, the first argument.
 * Raises 22004, 22003, 22008, and 22023 also when the clock of the server that
 * asks is wrong.
 */
PG_FUNCTION_INFO_V1(gid_lease_arguments);
Datum
gid_lease_arguments(PG_FUNCTION_ARGS)
{
	TimestampTz moment = PG_GETARG_TIMESTAMPTZ(0);
	TimestampTz since;
	TimestampTz until;
	char		since_text[MAXDATELEN + 1];

	for (int i = 1; i < PG_NARGS(); i++)
	{
		/* a server without a lease knows no held_node and held_until */
		if (PG_ARGISNULL(i) && i != 2 && i != 3)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %d of gid.authority_node() is null", i),
					 errdetail("Only held_node and held_until may be null, for a server that has no lease."),
					 errhint("gid calls this function itself, on the server of gid.node_authority.")));
	}
	if (!PG_ARGISNULL(3))
		(void) gid_lease_arg_time(fcinfo, 3);
	since = gid_lease_arg_time(fcinfo, 4);
	until = Min(gid_lease_arg_time(fcinfo, 5),
				moment + gid_node_lease_max_s * USECS_PER_SEC);
	gid_check_range(&gid_node_max_range, PG_GETARG_INT32(6));

	/* "since" may be a later moment than "until", by more than an int64 has */
	if (since <= until - GID_MIN_NODE_LEASE_S * USECS_PER_SEC &&
		moment - since <= GID_NODE_LEASE_AGE_S * USECS_PER_SEC)
		PG_RETURN_TIMESTAMPTZ(until);
	strlcpy(since_text, timestamptz_to_str(since), sizeof(since_text));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a lease from %s on is out of range, it is %s here",
					since_text, timestamptz_to_str(moment)),
			 errdetail("A lease ends at most gid.node_lease_max (%d s) after the time here, has at least %d s, and begins at most %d days ago.",
					   gid_node_lease_max_s, GID_MIN_NODE_LEASE_S,
					   (int) (GID_NODE_LEASE_AGE_S / SECS_PER_DAY)),
			 errhint("Set the clocks of both servers right.")));
}

/* ---- what SQL cannot say ---- */

/* Log that no lease begins before a moment, which is returned. */
PG_FUNCTION_INFO_V1(gid_lease_pause);
Datum
gid_lease_pause(PG_FUNCTION_ARGS)
{
	TimestampTz begins = PG_GETARG_TIMESTAMPTZ(0);

	ereport(LOG,
			(errmsg("gid: no node number is leased before %s", timestamptz_to_str(begins)),
			 errdetail("Leases that database \"%s\" does not know may still run, after a failover or a restore.",
					   get_database_name(MyDatabaseId)),
			 errhint("If there are no such leases, a superuser may call gid.authority_resume().")));
	PG_RETURN_TIMESTAMPTZ(begins);
}

/*
 * Raise 2200H: all numbers from the first to the second argument are leased,
 * until the moment of the third, or none of them exists (null).
 */
PG_FUNCTION_INFO_V1(gid_lease_used_up);
Datum
gid_lease_used_up(PG_FUNCTION_ARGS)
{
	int			first = PG_GETARG_INT32(0);
	int			last = PG_GETARG_INT32(1);

	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 PG_ARGISNULL(2) ?
			 errmsg("no node number from %d to %d can be leased", first, last) :
			 errmsg("all node numbers from %d to %d are leased, the first until %s",
					first, last, timestamptz_to_str(PG_GETARG_TIMESTAMPTZ(2))),
			 errdetail("The setting gid.node_first of this server is %d. The asking server takes numbers up to %d.",
					   first, last),
			 errhint("Wait until a lease has ended, lower gid.node_first here, or raise gid.node_max on the other servers. Snowflake ids need numbers up to 1023.")));
}

PG_FUNCTION_INFO_V1(gid_authority_confirm);
Datum
gid_authority_confirm(PG_FUNCTION_ARGS)
{
	gid_page_prevent("gid.authority_confirm()");
	(void) gid_slot_mine();
	gid_lease_wait();
	PG_RETURN_VOID();
}
