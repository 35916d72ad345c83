/*-------------------------------------------------------------------------
 *
 * fleet/node_table.c
 *		The table of leases of node numbers, on their authority.
 *
 * gid_node_leases has a row for each number that was ever leased: its last
 * lease.  gid_node_authority has one row.  It says which server wrote the
 * leases, on which timeline and in which table, and before which moment no
 * lease begins.
 *
 * State: these two tables of the extension.
 *
 * Invariants:
 * 1. Two leases of one number do not overlap.  A lease is extended only for
 *	  its own holder, who names the number and the end of the lease.  Anybody
 *	  else gets a number whose last lease ends before the new lease begins.
 * 2. A lease ends at most gid.node_lease_max after the authority's time.
 * 3. Leases that the tables do not know have ended.  The tables may have lost
 *	  leases when the server, its timeline, the database or the table of leases
 *	  is another one than the row of gid_node_authority names: after a
 *	  promotion, a restore or a dump.  Then no lease begins for twice the
 *	  greatest gid.node_lease_max that was ever in force.
 * 4. Leases are whole seconds, so that they agree with the seconds of ids.
 *
 * Callers lock gid_node_leases against each other, until their transactions
 * end.  Rows are read and written directly, without SQL, so that no trigger,
 * rule or function of a user runs here.  The owner may have changed the
 * tables, so their form is checked first.
 *
 * Crash, restart: the tables are written to WAL as any table.  A server does
 * not use a lease before gid_authority_confirm().  Clock step: invariant 1
 * does not depend on the clock.  Standby: it leases no numbers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "catalog/indexing.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "common/ip.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "storage/lmgr.h"
#include "utils/backend_status.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/settings.h"
#include "clock/server_time.h"
#include "fleet/node_table.h"
#include "layout/trace_id.h"
#include "sequence/timeline.h"

/* Columns of gid_node_leases, from 0. */
enum
{
	GID_LEASE_NODE,
	GID_LEASE_HOLDER,
	GID_LEASE_SINCE,
	GID_LEASE_UNTIL,
	GID_LEASE_CLIENT_NAME,
	GID_LEASE_CLIENT_ADDRESS,
	GID_LEASE_COLUMNS
};

/* Columns of gid_node_authority, from 0. */
enum
{
	GID_WRITER_ID,
	GID_WRITER_SYSTEM,
	GID_WRITER_TIMELINE,
	GID_WRITER_DATABASE,
	GID_WRITER_LEASES,
	GID_WRITER_LEASE_MAX,
	GID_WRITER_BEGINS,
	GID_WRITER_COLUMNS
};

#define GID_NODE_MAX_COLUMNS	7

/* A table of the extension. */
typedef struct GidNodeTable
{
	const char *name;
	int			ncolumns;
	Oid			types[GID_NODE_MAX_COLUMNS];
} GidNodeTable;

static const GidNodeTable gid_lease_table = {
	.name = "gid_node_leases",
	.ncolumns = GID_LEASE_COLUMNS,
	.types = {INT4OID, UUIDOID, TIMESTAMPTZOID, TIMESTAMPTZOID, TEXTOID, TEXTOID},
};

static const GidNodeTable gid_writer_table = {
	.name = "gid_node_authority",
	.ncolumns = GID_WRITER_COLUMNS,
	.types = {INT4OID, INT8OID, INT8OID, OIDOID, OIDOID, INT4OID, TIMESTAMPTZOID},
};

/* The two tables, open and locked. */
typedef struct GidNodeTables
{
	Relation	leases;
	Relation	writer;
	Snapshot	snapshot;
} GidNodeTables;

/* A row. */
typedef struct GidNodeRow
{
	Datum		values[GID_NODE_MAX_COLUMNS];
	bool		nulls[GID_NODE_MAX_COLUMNS];
	bool		exists;
	ItemPointerData tid;
} GidNodeRow;

/* ---- the tables ---- */

/*
 * Is each index of a table a plain unique index of its first column, which is
 * checked at once, and one of them valid?  While REINDEX CONCURRENTLY runs,
 * and after a cancel of it, there is a copy of the index that is not valid.
 */
static bool
gid_node_has_plain_key(Relation rel)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;
	bool		all_plain = true;
	bool		one_valid = false;

	foreach(cell, indexes)
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);
		Form_pg_index form = index->rd_index;

		if (!form->indisunique || !form->indimmediate ||
			form->indnatts != 1 || form->indkey.values[0] != 1 ||
			RelationGetIndexPredicate(index) != NIL)
			all_plain = false;
		if (form->indisvalid)
			one_valid = true;
		index_close(index, NoLock);
	}
	list_free(indexes);
	return all_plain && one_valid;
}

/*
 * Has a table the form that the extension's script has given it?  The owner
 * may change it.
 */
static bool
gid_node_has_form(Relation rel, const GidNodeTable *table)
{
	TupleDesc	desc = RelationGetDescr(rel);

	if (rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relam != HEAP_TABLE_AM_OID ||
		rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT ||
		desc->natts != table->ncolumns)
		return false;
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (attribute->attisdropped || attribute->atttypid != table->types[i] ||
			!attribute->attnotnull || attribute->attgenerated != '\0')
			return false;
	}
	return gid_node_has_plain_key(rel);
}

/* Open a table in a schema.  55000 when it is not there or was changed. */
static Relation
gid_node_open_table(Oid schema, const GidNodeTable *table, LOCKMODE lock)
{
	Oid			oid = get_relname_relid(table->name, schema);
	Relation	rel = OidIsValid(oid) ? try_table_open(oid, lock) : NULL;

	if (rel == NULL || !gid_node_has_form(rel, table))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" of extension \"gid\" is missing or was changed", table->name),
				 errdetail("The table keeps the leases of node numbers."),
				 errhint("Create the extension again in another database, set gid.node_first above all leased numbers, and let gid.node_authority name that database.")));
	return rel;
}

/* Open the tables in the schema of the function that SQL has called. */
static void
gid_node_open(Oid function, GidNodeTables *tables)
{
	Oid			schema = get_func_namespace(function);

	/* conflicts with itself and with writers, and not with readers */
	tables->leases = gid_node_open_table(schema, &gid_lease_table, ShareRowExclusiveLock);
	tables->writer = gid_node_open_table(schema, &gid_writer_table, RowExclusiveLock);
	/* after the lock, so that it shows what the one before has committed */
	tables->snapshot = RegisterSnapshot(GetLatestSnapshot());
}

/* Close the tables; the locks stay until the transaction ends. */
static void
gid_node_close(GidNodeTables *tables)
{
	UnregisterSnapshot(tables->snapshot);
	table_close(tables->writer, NoLock);
	table_close(tables->leases, NoLock);
}

/* Fill in a row from a tuple, in memory of its own. */
static void
gid_node_keep(Relation rel, HeapTuple tuple, GidNodeRow *row)
{
	heap_deform_tuple(heap_copytuple(tuple), RelationGetDescr(rel), row->values, row->nulls);
	row->exists = true;
	row->tid = tuple->t_self;
}

/* Insert a row, or replace the row that it was read from. */
static void
gid_node_write(Relation rel, GidNodeRow *row)
{
	HeapTuple	tuple = heap_form_tuple(RelationGetDescr(rel), row->values, row->nulls);

	if (row->exists)
		CatalogTupleUpdate(rel, &row->tid, tuple);
	else
		CatalogTupleInsert(rel, tuple);
	heap_freetuple(tuple);
	/* a statement may call more than once */
	CommandCounterIncrement();
}

/* ---- the writer of the leases ---- */

/* Does the row of gid_node_authority name this server, database and table? */
static bool
gid_writer_is_here(const GidNodeTables *tables, const GidNodeRow *row)
{
	return DatumGetInt64(row->values[GID_WRITER_SYSTEM]) == (int64) GetSystemIdentifier() &&
		DatumGetInt64(row->values[GID_WRITER_TIMELINE]) == (int64) gid_timeline_current().id &&
		DatumGetObjectId(row->values[GID_WRITER_DATABASE]) == MyDatabaseId &&
		DatumGetObjectId(row->values[GID_WRITER_LEASES]) == RelationGetRelid(tables->leases);
}

/* Read the row of gid_node_authority, if there is one. */
static void
gid_writer_read(const GidNodeTables *tables, GidNodeRow *row)
{
	SysScanDesc scan = systable_beginscan(tables->writer, InvalidOid, false,
										  tables->snapshot, 0, NULL);
	HeapTuple	tuple = systable_getnext(scan);

	memset(row, 0, sizeof(*row));
	if (HeapTupleIsValid(tuple))
		gid_node_keep(tables->writer, tuple, row);
	systable_endscan(scan);
}

/* Write this server and database, and from when on leases begin. */
static void
gid_writer_write(const GidNodeTables *tables, GidNodeRow *row, TimestampTz begins)
{
	int32		lease_max_s = row->exists ? DatumGetInt32(row->values[GID_WRITER_LEASE_MAX]) : 0;

	row->values[GID_WRITER_ID] = Int32GetDatum(1);
	row->values[GID_WRITER_SYSTEM] = Int64GetDatum((int64) GetSystemIdentifier());
	row->values[GID_WRITER_TIMELINE] = Int64GetDatum((int64) gid_timeline_current().id);
	row->values[GID_WRITER_DATABASE] = ObjectIdGetDatum(MyDatabaseId);
	row->values[GID_WRITER_LEASES] = ObjectIdGetDatum(RelationGetRelid(tables->leases));
	row->values[GID_WRITER_LEASE_MAX] = Int32GetDatum(Max(lease_max_s, gid_node_lease_max_s));
	row->values[GID_WRITER_BEGINS] = TimestampTzGetDatum(begins);
	gid_node_write(tables->writer, row);
}

/*
 * Return the moment before which no lease begins.  If another server, timeline
 * or database has written the leases, that is now plus twice the
 * greatest gid.node_lease_max.
 */
static TimestampTz
gid_writer_begins(const GidNodeTables *tables, TimestampTz now)
{
	GidNodeRow	row;
	TimestampTz begins = DT_NOBEGIN;
	bool		pauses;

	gid_writer_read(tables, &row);
	pauses = row.exists && !gid_writer_is_here(tables, &row);
	if (pauses)
	{
		int64		pause_s = 2 * (int64) Max(DatumGetInt32(row.values[GID_WRITER_LEASE_MAX]),
											  gid_node_lease_max_s);

		begins = now + pause_s * USECS_PER_SEC;
		ereport(LOG,
				(errmsg("gid: no node number is leased before %s", timestamptz_to_str(begins)),
				 errdetail("The leases in database \"%s\" were written by another server, on another timeline or in another database, so some may be missing.",
						   get_database_name(MyDatabaseId)),
				 errhint("If none is missing, a superuser may call gid_authority_resume().")));
	}
	else if (row.exists)
		begins = DatumGetTimestampTz(row.values[GID_WRITER_BEGINS]);
	if (pauses || !row.exists ||
		DatumGetInt32(row.values[GID_WRITER_LEASE_MAX]) < gid_node_lease_max_s)
		gid_writer_write(tables, &row, begins);
	return begins;
}

/* ---- leasing ---- */

/* Is a row the lease that a holder names? */
static bool
gid_lease_is_held(const Datum *values, const GidNodeAsked *asked)
{
	return asked->has_held &&
		DatumGetInt32(values[GID_LEASE_NODE]) == asked->held_node &&
		DatumGetTimestampTz(values[GID_LEASE_UNTIL]) == asked->held_until &&
		memcmp(DatumGetUUIDP(values[GID_LEASE_HOLDER]), &asked->holder, UUID_LEN) == 0 &&
		asked->held_node <= asked->max_node;
}

/* What a search of the leases finds. */
typedef struct GidNodeFound
{
	bool		is_held;		/* "row" is the asker's own lease */
	GidNodeRow	row;			/* else: of the lowest number whose lease has
								 * ended, if it exists */
	Bitmapset  *taken;			/* numbers that have a row */
	TimestampTz first_end;		/* of the leases that have not ended */
} GidNodeFound;

/* Search the leases for the asker's own, and for numbers that are free. */
static void
gid_lease_find(const GidNodeTables *tables, const GidNodeAsked *asked,
			   GidNodeFound *found)
{
	SysScanDesc scan = systable_beginscan(tables->leases, InvalidOid, false,
										  tables->snapshot, 0, NULL);
	HeapTuple	tuple;

	memset(found, 0, sizeof(*found));
	found->first_end = DT_NOEND;
	while (!found->is_held && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		values[GID_NODE_MAX_COLUMNS];
		bool		nulls[GID_NODE_MAX_COLUMNS];
		int32		node;
		TimestampTz until;

		heap_deform_tuple(tuple, RelationGetDescr(tables->leases), values, nulls);
		node = DatumGetInt32(values[GID_LEASE_NODE]);
		until = DatumGetTimestampTz(values[GID_LEASE_UNTIL]);
		found->is_held = gid_lease_is_held(values, asked);
		if (!found->is_held)
		{
			if (node < gid_node_first || node > asked->max_node)
				continue;
			found->taken = bms_add_member(found->taken, node);
			if (until > asked->since)
			{
				found->first_end = Min(found->first_end, until);
				continue;
			}
			if (found->row.exists && node > DatumGetInt32(found->row.values[GID_LEASE_NODE]))
				continue;
		}
		gid_node_keep(tables->leases, tuple, &found->row);
	}
	systable_endscan(scan);
}

/*
 * The number to lease to somebody new: the lowest that has no row, or whose
 * lease has ended.  Raises 2200H when there is none.
 */
static int32
gid_lease_choose(const GidNodeAsked *asked, GidNodeFound *found)
{
	int32		ended = found->row.exists ?
	DatumGetInt32(found->row.values[GID_LEASE_NODE]) : asked->max_node + 1;

	for (int32 node = gid_node_first; node <= Min(ended, asked->max_node); node++)
	{
		if (node == ended)
			return node;
		if (!bms_is_member(node, found->taken))
		{
			found->row.exists = false;
			return node;
		}
	}
	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 TIMESTAMP_IS_NOEND(found->first_end) ?
			 errmsg("no node number from %d to %d can be leased", gid_node_first, asked->max_node) :
			 errmsg("all node numbers from %d to %d are leased, the first until %s",
					gid_node_first, asked->max_node, timestamptz_to_str(found->first_end)),
			 errdetail("The setting gid.node_first of this server is %d. The asking server takes numbers up to %d.",
					   gid_node_first, asked->max_node),
			 errhint("Wait until a lease has ended, lower gid.node_first here, or raise gid.node_max on the other servers. Snowflake ids need numbers up to 1023.")));
	return 0;
}

/* The name and address of the server that asks, for people. */
static void
gid_lease_name_client(GidNodeRow *row)
{
	const char *name = application_name != NULL ? application_name : "";
	char		address[NI_MAXHOST] = "";

	if (MyBEEntry != NULL)
		(void) pg_getnameinfo_all(&MyBEEntry->st_clientaddr.addr,
								  MyBEEntry->st_clientaddr.salen,
								  address, sizeof(address), NULL, 0, NI_NUMERICHOST);
	row->values[GID_LEASE_CLIENT_NAME] = CStringGetTextDatum(name);
	row->values[GID_LEASE_CLIENT_ADDRESS] = CStringGetTextDatum(address);
}

/*
 * Raise 22023 when a lease cannot be given because of the clock of the server
 * that asks.  The message goes to that server, so it shows the clock here.
 */
static void
gid_lease_check_clocks(TimestampTz since, TimestampTz until, TimestampTz now)
{
	char		since_text[MAXDATELEN + 1];

	if (until - since >= GID_MIN_NODE_LEASE_S * USECS_PER_SEC &&
		now - since <= (GID_TRACE_PERIOD_S / 2) * USECS_PER_SEC)
		return;
	strlcpy(since_text, timestamptz_to_str(since), sizeof(since_text));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a lease from %s on is out of range, it is %s here",
					since_text, timestamptz_to_str(now)),
			 errdetail("A lease ends at most gid.node_lease_max (%d s) after the time here, has at least %d s, and begins at most 194 days ago.",
					   gid_node_lease_max_s, GID_MIN_NODE_LEASE_S),
			 errhint("Set the clocks of both servers right.")));
}

/*
 * Lease a node number to another server, or extend its lease.  "function" is
 * the function that SQL has called; the tables are in its schema.  Both ends
 * are whole seconds, and "since" is before "until".
 *
 * Raises 22023 when the clock of the other server is too far from this
 * server's, 2200H when all numbers are leased, 55000 when a table was changed
 * or gid.node_first was refused.
 * Waits for callers in other sessions.  The lease may be used when the
 * transaction has ended, and gid_authority_confirm() was called after that.
 */
void
gid_node_table_lease(Oid function, const GidNodeAsked *asked,
					 GidNodeGranted *granted)
{
	GidNodeTables tables;
	GidNodeFound found;
	TimestampTz now;
	TimestampTz begins;

	memset(granted, 0, sizeof(*granted));
	if (gid_node_first < 0)
		gid_setting_raise(GID_SETTING_NODE_FIRST);
	(void) gid_slot_mine();
	gid_node_open(function, &tables);
	now = gid_timestamptz(gid_floor_div(gid_time_look().us, GID_US_PER_S) * GID_US_PER_S);
	begins = gid_writer_begins(&tables, now);

	/* not an error, which would undo what gid_writer_begins() has written */
	if (asked->since < begins)
	{
		granted->since = begins;
		gid_node_close(&tables);
		return;
	}
	granted->since = asked->since;
	granted->until = Min(asked->until, now + gid_node_lease_max_s * USECS_PER_SEC);
	gid_lease_check_clocks(granted->since, granted->until, now);

	gid_lease_find(&tables, asked, &found);
	if (found.is_held)
	{
		granted->node = asked->held_node;
		granted->since = Max(granted->since, DatumGetTimestampTz(found.row.values[GID_LEASE_SINCE]));
		granted->until = Max(granted->until, asked->held_until);
	}
	else
	{
		granted->node = gid_lease_choose(asked, &found);
		found.row.values[GID_LEASE_NODE] = Int32GetDatum(granted->node);
		found.row.values[GID_LEASE_HOLDER] = UUIDPGetDatum(&asked->holder);
		found.row.values[GID_LEASE_SINCE] = TimestampTzGetDatum(granted->since);
	}
	found.row.values[GID_LEASE_UNTIL] = TimestampTzGetDatum(granted->until);
	gid_lease_name_client(&found.row);
	gid_node_write(tables.leases, &found.row);
	gid_node_close(&tables);
	granted->is_granted = true;
}

/*
 * End the pause after a failover or a restore: the leases in the tables are
 * all that were given.  A pause that has ended by the clock here may go on for
 * servers whose clocks are behind.  Returns false when there was no pause.
 * Raises 55000 when a table was changed.
 */
bool
gid_node_table_resume(Oid function)
{
	GidNodeTables tables;
	GidNodeRow	row;
	bool		paused;

	(void) gid_slot_mine();
	gid_node_open(function, &tables);
	gid_writer_read(&tables, &row);
	paused = row.exists && (!gid_writer_is_here(&tables, &row) ||
							DatumGetTimestampTz(row.values[GID_WRITER_BEGINS]) > DT_NOBEGIN);
	if (paused)
		gid_writer_write(&tables, &row, DT_NOBEGIN);
	gid_node_close(&tables);
	return paused;
}
