/*-------------------------------------------------------------------------
 *
 * id/authority_node.c
 *		Leases of node numbers for other servers.
 *
 * gid.node_leases has a row for each number that was ever leased: its last
 * lease.  gid.node_writer has one row that says which server has written the
 * leases, and before which moment no lease begins.
 *
 * Two leases of one number do not overlap: a lease is extended only for its
 * own holder, who names the number and the end of the lease, and anybody else
 * gets a number whose last lease ends before the new lease begins.  Callers
 * lock both tables against each other until their transactions end.
 *
 * The functions run for roles that have no privilege on the tables.  So they
 * find the tables as members of the extension, never by a name that somebody
 * else could take, and read and write rows as PostgreSQL does in its own
 * catalogs: no trigger, rule, policy, default or expression runs.
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

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/indexing.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_control.h"
#include "catalog/pg_index.h"
#include "catalog/pg_opfamily.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/uuid.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/extension.h"
#include "base/settings.h"
#include "clock/durable.h"
#include "clock/server_time.h"
#include "layout/trace_id.h"
#include "sequence/gate.h"
#include "sequence/page.h"

/*
 * A lease begins at most this long ago, half of the time after which the
 * seconds of TraceIds repeat.
 */
#define GID_NODE_LEASE_AGE_S	(GID_TRACE_PERIOD_S / 2)

/* The columns of each table. */
#define GID_LEASE_COLUMNS		6

/* What a table must be. */
typedef struct GidLeaseTable
{
	const char *name;
	bool		has_key;		/* the first column, an int, is the key */
	Oid			types[GID_LEASE_COLUMNS];
} GidLeaseTable;

static const GidLeaseTable gid_leases_table = {
	"node_leases", true,
	{INT4OID, UUIDOID, TIMESTAMPTZOID, TIMESTAMPTZOID, TEXTOID, TEXTOID},
};

static const GidLeaseTable gid_writer_table = {
	"node_writer", false,
	{INT8OID, INT8OID, OIDOID, OIDOID, INT4OID, TIMESTAMPTZOID},
};

/* A row of gid.node_leases, up to its texts, as it stands on the page. */
typedef struct GidLease
{
	int32		node;
	pg_uuid_t	holder;
	TimestampTz since;
	TimestampTz until;
} GidLease;

/* A row of gid.node_writer, as it stands on the page. */
typedef struct GidLeaseWriter
{
	int64		system_identifier;
	int64		timeline;
	Oid			database;
	Oid			leases;
	int32		lease_max;
	TimestampTz begins;
} GidLeaseWriter;

/* The tables, locked and opened to write. */
typedef struct GidLeaseTables
{
	Relation	leases;
	Relation	writer;
	TimestampTz moment;			/* the time here, in whole seconds */
} GidLeaseTables;

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

static void
gid_lease_raise_changed(const GidLeaseTable *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"gid.%s\" was changed", table->name),
			 errdetail("It must be the table that CREATE EXTENSION made, with no other columns and indexes, without triggers and rules, and belong to a superuser."),
			 errhint("Undo the change.")));
}

/*
 * Is an index a unique one on the first column, an int, and on nothing else?
 * Only the catalog is read.  To read an expression would evaluate its constant
 * parts, which may call functions.
 */
static bool
gid_lease_is_key(Oid oid)
{
	Relation	index = index_open(oid, AccessShareLock);
	Form_pg_index form = index->rd_index;
	bool		is_key;

	is_key = form->indisunique && form->indimmediate && !form->indisexclusion &&
		form->indnatts == 1 && form->indkey.values[0] == 1 &&
		index->rd_opfamily[0] == INTEGER_BTREE_FAM_OID && index->rd_opcintype[0] == INT4OID &&
		heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);
	index_close(index, NoLock);
	return is_key;
}

/*
 * Is a relation the table that it must be?  An owner can put any rows into a
 * table, and code on it, so a superuser must own it.  The functions of gid 2.0
 * would run a trigger or a rule, and those here would silently not.
 */
static bool
gid_lease_is_table(Relation rel, const GidLeaseTable *table)
{
	TupleDesc	desc = RelationGetDescr(rel);
	List	   *indexes;
	ListCell   *cell;

	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relam != HEAP_TABLE_AM_OID ||
		rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT ||
		!superuser_arg(rel->rd_rel->relowner) ||
		rel->trigdesc != NULL || rel->rd_rules != NULL || desc->natts != GID_LEASE_COLUMNS)
		return false;
	for (int i = 0; i < GID_LEASE_COLUMNS; i++)
	{
		if (TupleDescAttr(desc, i)->atttypid != table->types[i])
			return false;
	}
	/* while REINDEX CONCURRENTLY runs, there are two keys */
	indexes = RelationGetIndexList(rel);
	foreach(cell, indexes)
	{
		if (!gid_lease_is_key(lfirst_oid(cell)))
			return false;
	}
	return (indexes != NIL) == table->has_key;
}

/*
 * Lock and open a table.  Raises 55000 unless the extension has the table, as
 * it must be.  The lock lasts until the end of the transaction.
 */
static Relation
gid_lease_lock(const GidLeaseTable *table, LOCKMODE mode)
{
	Oid			relid = gid_extension_member(table->name);
	Relation	rel = OidIsValid(relid) ? try_relation_open(relid, mode) : NULL;

	if (rel == NULL || !gid_lease_is_table(rel, table))
		gid_lease_raise_changed(table);
	return rel;
}

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
 * Lock and open the tables to write, for a function that SQL calls by that
 * name.  "to_wait": wait for the standbys first, so that an outage of theirs
 * costs one lease, and not one a try.
 *
 * Raises 25006 in a read-only transaction and in recovery, 25001 in an
 * isolation level in which the transaction does not see what others have
 * leased since, 55000 if a table was changed, and what gid_durable_start()
 * raises.
 */
static void
gid_lease_open(GidLeaseTables *tables, const char *function, bool to_wait)
{
	gid_page_prevent(function);
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("cannot lease node numbers in this isolation level"),
				 errdetail("The snapshot of the transaction would not show the leases that others have got since."),
				 errhint("Use READ COMMITTED, and ALTER DATABASE ... RESET default_transaction_isolation.")));
	gid_setting_need("gid.node_first");
	(void) gid_slot_mine();
	gid_durable_start();
	if (to_wait)
		gid_lease_wait();

	/* conflicts with itself and with writers, and not with readers */
	tables->leases = gid_lease_lock(&gid_leases_table, ShareRowExclusiveLock);
	tables->writer = gid_lease_lock(&gid_writer_table, ShareRowExclusiveLock);
	tables->moment = gid_timestamptz(gid_floor_div(gid_time_read().us, GID_US_PER_S) * GID_US_PER_S);
}

static void
gid_lease_close(const GidLeaseTables *tables)
{
	relation_close(tables->writer, NoLock);
	relation_close(tables->leases, NoLock);
}

/* Return the next row of a scan, valid until the next call, or NULL. */
static const void *
gid_lease_next(SysScanDesc scan, const GidLeaseTable *table)
{
	HeapTuple	tuple = systable_getnext(scan);

	/* a superuser may have taken NOT NULL away */
	if (HeapTupleIsValid(tuple) && HeapTupleHasNulls(tuple))
		gid_lease_raise_changed(table);
	return HeapTupleIsValid(tuple) ? GETSTRUCT(tuple) : NULL;
}

/* Put one row in the place of those that a scan finds, and end the scan. */
static void
gid_lease_write(Relation rel, SysScanDesc scan, Datum *values)
{
	bool		nulls[GID_LEASE_COLUMNS] = {false};
	HeapTuple	tuple = heap_form_tuple(RelationGetDescr(rel), values, nulls);
	HeapTuple	old = systable_getnext(scan);

	if (HeapTupleIsValid(old))
		CatalogTupleUpdate(rel, &old->t_self, tuple);
	else
		CatalogTupleInsert(rel, tuple);
	while (HeapTupleIsValid(old) && HeapTupleIsValid(old = systable_getnext(scan)))
		CatalogTupleDelete(rel, &old->t_self);
	systable_endscan(scan);
	/* the next call of the same statement must see the row */
	CommandCounterIncrement();
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
 * Check the arguments of gid.authority_node(), which begin with argument
 * "first", and return the end of the lease: at most gid.node_lease_max after
 * the time here.  Raises 22004, 22003, 22008, and 22023 also when the clock of
 * the server that asks is wrong.
 */
static TimestampTz
gid_lease_check_arguments(FunctionCallInfo fcinfo, int first, TimestampTz moment)
{
	TimestampTz since;
	TimestampTz until;
	char		since_text[MAXDATELEN + 1];

	for (int i = 0; i < 6; i++)
	{
		/* a server without a lease knows no held_node and held_until */
		if (PG_ARGISNULL(first + i) && i != 1 && i != 2)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("argument %d of gid.authority_node() is null", i + 1),
					 errdetail("Only held_node and held_until may be null, for a server that has no lease."),
					 errhint("gid calls this function itself, on the server of gid.node_authority.")));
	}
	if (!PG_ARGISNULL(first + 2))
		(void) gid_lease_arg_time(fcinfo, first + 2);
	since = gid_lease_arg_time(fcinfo, first + 3);
	until = Min(gid_lease_arg_time(fcinfo, first + 4),
				moment + gid_node_lease_max_s * USECS_PER_SEC);
	gid_check_range(&gid_node_max_range, PG_GETARG_INT32(first + 5));

	/* "since" may be a later moment than "until", by more than an int64 has */
	if (since <= until - GID_MIN_NODE_LEASE_S * USECS_PER_SEC &&
		moment - since <= GID_NODE_LEASE_AGE_S * USECS_PER_SEC)
		return until;
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

/* ---- the pause ---- */

/* Log that no lease begins before a moment. */
static void
gid_lease_log_pause(TimestampTz begins)
{
	ereport(LOG,
			(errmsg("gid: no node number is leased before %s", timestamptz_to_str(begins)),
			 errdetail("Leases that database \"%s\" does not know may still run, after a failover or a restore.",
					   get_database_name(MyDatabaseId)),
			 errhint("If there are no such leases, a superuser may call gid.authority_resume().")));
}

/*
 * Return the moment before which no lease begins.  The row of gid.node_writer
 * says so, if it is alone and names this server, its timeline, this database
 * and table.  No row on the first timeline: nothing was leased.  Otherwise the
 * table may have lost leases, and none begins for twice the greatest
 * gid.node_lease_max of leases that may still run.
 *
 * "last_end" is when the last lease of the table ends.  "resume": a pause ends
 * with this call, and the result says whether there was one.
 */
static TimestampTz
gid_lease_begins(const GidLeaseTables *tables, TimestampTz last_end, bool resume)
{
	SysScanDesc scan = systable_beginscan(tables->writer, InvalidOid, false, NULL, 0, NULL);
	int64		system = (int64) GetSystemIdentifier();
	int64		timeline = (int64) GetWALInsertionTimeLine();
	Oid			leases = RelationGetRelid(tables->leases);
	TimestampTz begins = DT_NOBEGIN;
	int32		old_max = 0;
	int32		new_max;
	int			count = 0;
	bool		is_here = false;
	const GidLeaseWriter *row;
	Datum		values[GID_LEASE_COLUMNS];

	while ((row = gid_lease_next(scan, &gid_writer_table)) != NULL)
	{
		is_here = ++count == 1 && row->system_identifier == system && row->timeline == timeline &&
			row->database == MyDatabaseId && row->leases == leases;
		/* a dump may bring any number */
		old_max = Max(old_max, Min(row->lease_max, GID_MAX_NODE_LEASE_MAX_S));
		begins = row->begins;
	}
	systable_endscan(scan);

	new_max = Max(old_max, gid_node_lease_max_s);
	if (!is_here)
		begins = count == 0 && timeline == 1 ? DT_NOBEGIN :
			tables->moment + 2 * new_max * USECS_PER_SEC;
	/* leases under a greater setting may have ended since */
	else if (tables->moment >= begins &&
			 last_end <= tables->moment + gid_node_lease_max_s * USECS_PER_SEC)
		new_max = gid_node_lease_max_s;
	if (is_here && new_max == old_max && !(resume && begins > DT_NOBEGIN))
		return begins;

	if (!is_here && !resume && begins > tables->moment)
		gid_lease_log_pause(begins);
	values[0] = Int64GetDatum(system);
	values[1] = Int64GetDatum(timeline);
	values[2] = ObjectIdGetDatum(MyDatabaseId);
	values[3] = ObjectIdGetDatum(leases);
	values[4] = Int32GetDatum(new_max);
	values[5] = TimestampTzGetDatum(resume ? DT_NOBEGIN : begins);
	gid_lease_write(tables->writer,
					systable_beginscan(tables->writer, InvalidOid, false, NULL, 0, NULL), values);
	return begins;
}

/* ---- the leases ---- */

/* Raise 2200H: all numbers are leased, or there is none (DT_NOEND). */
static void
gid_lease_raise_used_up(int first, int last, TimestampTz first_end)
{
	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 first_end == DT_NOEND ?
			 errmsg("no node number from %d to %d can be leased", first, last) :
			 errmsg("all node numbers from %d to %d are leased, the first until %s",
					first, last, timestamptz_to_str(first_end)),
			 errdetail("The setting gid.node_first of this server is %d. The asking server takes numbers up to %d.",
					   first, last),
			 errhint("Wait until a lease has ended, lower gid.node_first here, or raise gid.node_max on the other servers. Snowflake ids need numbers up to 1023.")));
}

/*
 * Find a lease for the arguments of gid.authority_node(): the one that the
 * holder names, with its new end, else the lowest number whose last lease
 * ended at or before the new one begins.  The number is greater than max_node
 * if all are leased; *first_end says until when the first of them is.  *lease
 * has holder, beginning and end at first.  Returns when the last lease of the
 * table ends.
 */
static TimestampTz
gid_lease_find(FunctionCallInfo fcinfo, const GidLeaseTables *tables, GidLease *lease,
			   TimestampTz *first_end)
{
	const GidLease asked = *lease;
	int32		max_node = PG_GETARG_INT32(5);
	SysScanDesc scan = systable_beginscan(tables->leases, InvalidOid, false, NULL, 0, NULL);
	TimestampTz last_end = DT_NOBEGIN;
	Bitmapset  *taken = NULL;
	bool		is_held = false;
	const GidLease *row;

	*first_end = DT_NOEND;
	while ((row = gid_lease_next(scan, &gid_leases_table)) != NULL)
	{
		last_end = Max(last_end, row->until);
		if (!PG_ARGISNULL(1) && row->node == PG_GETARG_INT32(1) && row->node <= max_node &&
			!PG_ARGISNULL(2) && row->until == PG_GETARG_TIMESTAMPTZ(2) &&
			memcmp(&row->holder, &asked.holder, sizeof(pg_uuid_t)) == 0)
		{
			*lease = *row;
			lease->until = Max(row->until, asked.until);
			is_held = true;
		}
		if (row->node < gid_node_first || row->node > max_node)
			continue;
		*first_end = Min(*first_end, row->until);
		if (row->until > asked.since)
			taken = bms_add_member(taken, row->node);
	}
	systable_endscan(scan);

	if (!is_held)
	{
		lease->node = gid_node_first;
		while (bms_is_member(lease->node, taken))
			lease->node++;
	}
	return last_end;
}

/* Write a lease, with the client that has asked for it. */
static void
gid_lease_grant(const GidLeaseTables *tables, const GidLease *lease)
{
	LOCAL_FCINFO(client, 0);
	Datum		values[GID_LEASE_COLUMNS];
	ScanKeyData key;

	values[0] = Int32GetDatum(lease->node);
	values[1] = UUIDPGetDatum(&lease->holder);
	values[2] = TimestampTzGetDatum(lease->since);
	values[3] = TimestampTzGetDatum(lease->until);
	values[4] = CStringGetTextDatum(application_name);
	InitFunctionCallInfoData(*client, NULL, 0, InvalidOid, NULL, NULL);
	values[5] = inet_client_addr(client);
	values[5] = client->isnull ? CStringGetTextDatum("[local]") :
		DirectFunctionCall1(network_host, values[5]);
	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_INT4EQ, values[0]);
	gid_lease_write(tables->leases,
					systable_beginscan(tables->leases, InvalidOid, false, NULL, 1, &key), values);
}

/* ---- what other servers and administrators call ---- */

PG_FUNCTION_INFO_V1(gid_authority_node);
Datum
gid_authority_node(PG_FUNCTION_ARGS)
{
	GidLeaseTables tables;
	GidLease	lease;
	TimestampTz since;
	TimestampTz begins;
	TimestampTz last_end;
	TimestampTz first_end;
	Datum		values[3] = {0};
	bool		nulls[lengthof(values)] = {true, false, true};

	gid_lease_open(&tables, "gid.authority_node()", true);
	lease.node = -1;			/* none yet */
	lease.until = gid_lease_check_arguments(fcinfo, 0, tables.moment);
	lease.since = since = PG_GETARG_TIMESTAMPTZ(3);
	lease.holder = *PG_GETARG_UUID_P(0);
	last_end = gid_lease_find(fcinfo, &tables, &lease, &first_end);
	begins = gid_lease_begins(&tables, last_end, false);
	values[1] = TimestampTzGetDatum(begins);
	if (since >= begins)
	{
		if (lease.node > PG_GETARG_INT32(5))
			gid_lease_raise_used_up(gid_node_first, PG_GETARG_INT32(5), first_end);
		gid_lease_grant(&tables, &lease);
		nulls[0] = nulls[2] = false;
		values[0] = Int32GetDatum(lease.node);
		values[1] = TimestampTzGetDatum(Max(lease.since, since));
		values[2] = TimestampTzGetDatum(lease.until);
	}
	gid_lease_close(&tables);
	return gid_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(gid_authority_resume);
Datum
gid_authority_resume(PG_FUNCTION_ARGS)
{
	GidLeaseTables tables;
	TimestampTz begins;

	gid_lease_open(&tables, "gid.authority_resume()", false);
	begins = gid_lease_begins(&tables, DT_NOEND, true);
	gid_lease_close(&tables);
	PG_RETURN_BOOL(begins > DT_NOBEGIN);
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

/* The rows of gid.node_leases, in the snapshot of the query. */
PG_FUNCTION_INFO_V1(gid_stat_get_node_leases);
Datum
gid_stat_get_node_leases(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	rel;
	SysScanDesc scan;
	HeapTuple	tuple;

	InitMaterializedSRF(fcinfo, 0);
	rel = gid_lease_lock(&gid_leases_table, AccessShareLock);
	scan = systable_beginscan(rel, InvalidOid, false, GetActiveSnapshot(), 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		tuplestore_puttuple(rsinfo->setResult, tuple);
	systable_endscan(scan);
	relation_close(rel, NoLock);
	return (Datum) 0;
}

/* ---- what the SQL functions of gid 2.0 call, until the extension is updated ---- */

/*
 * Lock the tables, and return what this server is: its time in whole seconds,
 * system identifier, timeline, database, and the settings gid.node_lease_max
 * and gid.node_first.  To read: nulls.
 */
PG_FUNCTION_INFO_V1(gid_lease_tables);
Datum
gid_lease_tables(PG_FUNCTION_ARGS)
{
	GidLeaseTables tables;
	bool		to_wait = PG_GETARG_BOOL(3);
	Datum		values[6] = {0};
	bool		nulls[lengthof(values)] = {false};

	if (!PG_GETARG_BOOL(2))
	{
		relation_close(gid_lease_lock(&gid_leases_table, AccessShareLock), NoLock);
		memset(nulls, true, sizeof(nulls));
		return gid_row(fcinfo, values, nulls);
	}
	gid_lease_open(&tables, to_wait ? "gid.authority_node()" : "gid.authority_resume()", to_wait);
	gid_lease_close(&tables);
	values[0] = TimestampTzGetDatum(tables.moment);
	values[1] = Int64GetDatum((int64) GetSystemIdentifier());
	values[2] = Int64GetDatum((int64) GetWALInsertionTimeLine());
	values[3] = ObjectIdGetDatum(MyDatabaseId);
	values[4] = Int32GetDatum(gid_node_lease_max_s);
	values[5] = Int32GetDatum(gid_node_first);
	return gid_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(gid_lease_arguments);
Datum
gid_lease_arguments(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMPTZ(gid_lease_check_arguments(fcinfo, 1, PG_GETARG_TIMESTAMPTZ(0)));
}

PG_FUNCTION_INFO_V1(gid_lease_pause);
Datum
gid_lease_pause(PG_FUNCTION_ARGS)
{
	gid_lease_log_pause(PG_GETARG_TIMESTAMPTZ(0));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

PG_FUNCTION_INFO_V1(gid_lease_used_up);
Datum
gid_lease_used_up(PG_FUNCTION_ARGS)
{
	gid_lease_raise_used_up(PG_GETARG_INT32(0), PG_GETARG_INT32(1),
							PG_ARGISNULL(2) ? DT_NOEND : PG_GETARG_TIMESTAMPTZ(2));
	PG_RETURN_NULL();
}
