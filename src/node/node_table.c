/*-------------------------------------------------------------------------
 *
 * node/node_table.c
 *		The table of leases of node numbers, on their authority.
 *
 * gid.node_leases has a row for each number that was ever leased: its last
 * lease.  gid.node_writer has one row, which the extension's script and
 * this file write.  It says which server wrote the leases, on which timeline
 * and in which table, and before which moment no lease begins.
 *
 * State: these two tables of the extension; in shared memory the latest end of
 * a lease that this server has given, and when this life of it began.
 *
 * Invariants:
 * 1. Two leases of one number do not overlap.  A lease is extended only for
 *	  its own holder, who names the number and the end of the lease.  Anybody
 *	  else gets a number whose last lease ends before the new lease begins.
 * 2. A lease ends at most gid.node_lease_max after the authority's time.
 * 3. Leases that the tables do not know have ended.  The tables may have lost
 *	  leases when the row of gid.node_writer names another server, timeline,
 *	  database or table of leases: after a promotion or a restore.  Then no
 *	  lease begins for twice the greatest gid.node_lease_max of the leases that
 *	  may still run.
 * 4. The row is believed only if it is alone.  The database's owner may insert
 *	  rows, because loading a dump inserts the dump's row.  Such a row shows
 *	  that leases may be missing, whatever it says, so it can only make a pause
 *	  longer.  The first lease after that leaves one row.  Only a superuser can
 *	  change or delete a row.
 * 5. A row that CREATE EXTENSION has written, before the first lease, names no
 *	  database.  On its own timeline no lease of this extension was lost, but
 *	  an extension that was dropped before may have given leases.  Of those of
 *	  this life of the server the latest end is known.  An earlier life gave
 *	  none if there was no gid.clock when this life began.
 * 6. Leases are whole seconds, so that they agree with the seconds of ids.
 *
 * Callers lock gid.node_leases against each other, until their transactions
 * end.  Rows are read and written directly, without SQL, and only in tables
 * that have the form of the script (node/node_form.c), so that nothing of a
 * user runs here.
 *
 * Crash, restart: the tables are written to WAL as any table.  A server does
 * not use a lease before gid.authority_confirm().  Clock step: invariant 1
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
#include "clock/durable.h"
#include "clock/shared.h"
#include "node/node_form.h"
#include "node/node_table.h"
#include "layout/trace_id.h"
#include "sequence/timeline.h"

/*
 * A lease begins at most this long ago, half of the time after which the
 * seconds of TraceIds repeat.
 */
#define GID_NODE_LEASE_AGE_S	(GID_TRACE_PERIOD_S / 2)

/* What this server knows of the leases that it has given. */
typedef struct GidNodeGiven
{
	pg_atomic_uint64 until;		/* TimestampTz: latest end of a lease that any
								 * database here has given in this life, also
								 * if its transaction was rolled back; CAS,
								 * only up; 0: none */
	TimestampTz began;			/* wall clock when this life began; constant */
} GidNodeGiven;

static GidNodeGiven *gid_node_given = NULL;

static void
gid_node_table_init(void *part, int tranche)
{
	GidNodeGiven *given = part;

	pg_atomic_init_u64(&given->until, 0);
	given->began = GetCurrentTimestamp();
}

const GidPart gid_node_table_part = {
	.size = sizeof(GidNodeGiven),
	.init = gid_node_table_init,
	.where = (void **) &gid_node_given,
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
	bool		exists;			/* it was read from the table, at "tid" */
	ItemPointerData tid;
} GidNodeRow;

/* ---- the tables ---- */

/* Open the two tables. */
static void
gid_node_table_open(GidNodeTables *tables)
{
	/* conflicts with itself and with writers, and not with readers */
	tables->leases = gid_node_form_open(&gid_node_form_leases, ShareRowExclusiveLock);
	tables->writer = gid_node_form_open(&gid_node_form_writer, RowExclusiveLock);
	/* after the lock, so that it shows what the last holder has committed */
	tables->snapshot = RegisterSnapshot(GetLatestSnapshot());
}

/* Close the tables; the locks stay until the transaction ends. */
static void
gid_node_table_close(GidNodeTables *tables)
{
	UnregisterSnapshot(tables->snapshot);
	table_close(tables->writer, NoLock);
	table_close(tables->leases, NoLock);
}

/* The authority's time, in whole seconds. */
static TimestampTz
gid_node_table_now(void)
{
	return gid_timestamptz(gid_floor_div(gid_time_look().us, GID_US_PER_S) * GID_US_PER_S);
}

/* Insert a row, or replace the row that it was read from. */
static void
gid_node_table_write(Relation rel, GidNodeRow *row)
{
	bool		nulls[GID_NODE_MAX_COLUMNS] = {false};
	HeapTuple	tuple = heap_form_tuple(RelationGetDescr(rel), row->values, nulls);

	if (row->exists)
		CatalogTupleUpdate(rel, &row->tid, tuple);
	else
		CatalogTupleInsert(rel, tuple);
	heap_freetuple(tuple);
	/* a statement may call more than once */
	CommandCounterIncrement();
}

/* ---- the writer of the leases ---- */

/* What the rows of gid.node_writer say. */
typedef struct GidWriter
{
	int64		nrows;
	bool		names_server;	/* the last row names this system and timeline */
	bool		is_here;		/* and this database and table of leases */
	bool		is_first;		/* and no database */
	int32		lease_max_s;	/* greatest in the rows, within its range */
	TimestampTz begins;			/* of the last row */
} GidWriter;

/* What gid makes of it. */
typedef struct GidWriterState
{
	TimestampTz begins;			/* no lease begins before */
	int32		lease_max_s;	/* greatest under which a lease was given that
								 * may still run */
	bool		is_changed;		/* gid.node_writer is to be written */
} GidWriterState;

/* Read gid.node_writer. */
static void
gid_node_table_read_writer(const GidNodeTables *tables, GidWriter *writer)
{
	SysScanDesc scan = systable_beginscan(tables->writer, InvalidOid, false,
										  tables->snapshot, 0, NULL);
	HeapTuple	tuple;

	memset(writer, 0, sizeof(*writer));
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		values[GID_NODE_MAX_COLUMNS];
		int32		lease_max_s;

		gid_node_form_read(tables->writer, tuple, values);
		lease_max_s = DatumGetInt32(values[GID_NODE_WRITER_LEASE_MAX]);
		writer->nrows++;
		writer->names_server =
			DatumGetInt64(values[GID_NODE_WRITER_SYSTEM]) == (int64) GetSystemIdentifier() &&
			DatumGetInt64(values[GID_NODE_WRITER_TIMELINE]) == (int64) gid_timeline_current().id;
		writer->is_here = writer->names_server &&
			DatumGetObjectId(values[GID_NODE_WRITER_DATABASE]) == MyDatabaseId &&
			DatumGetObjectId(values[GID_NODE_WRITER_LEASES]) == RelationGetRelid(tables->leases);
		writer->is_first = writer->names_server &&
			!OidIsValid(DatumGetObjectId(values[GID_NODE_WRITER_DATABASE]));
		writer->lease_max_s = Max(writer->lease_max_s,
								  Min(lease_max_s, GID_MAX_NODE_LEASE_MAX_S));
		writer->begins = DatumGetTimestampTz(values[GID_NODE_WRITER_BEGINS]);
	}
	systable_endscan(scan);
}

/* Leave one row in gid.node_writer, for this server and database. */
static void
gid_node_table_write_writer(const GidNodeTables *tables, const GidWriterState *state)
{
	SysScanDesc scan = systable_beginscan(tables->writer, InvalidOid, false,
										  tables->snapshot, 0, NULL);
	GidNodeRow	row = {.exists = false};
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		CatalogTupleDelete(tables->writer, &tuple->t_self);
	systable_endscan(scan);

	row.values[GID_NODE_WRITER_SYSTEM] = Int64GetDatum((int64) GetSystemIdentifier());
	row.values[GID_NODE_WRITER_TIMELINE] = Int64GetDatum((int64) gid_timeline_current().id);
	row.values[GID_NODE_WRITER_DATABASE] = ObjectIdGetDatum(MyDatabaseId);
	row.values[GID_NODE_WRITER_LEASES] = ObjectIdGetDatum(RelationGetRelid(tables->leases));
	row.values[GID_NODE_WRITER_LEASE_MAX] = Int32GetDatum(state->lease_max_s);
	row.values[GID_NODE_WRITER_BEGINS] = TimestampTzGetDatum(state->begins);
	gid_node_table_write(tables->writer, &row);
}

/* Does a lease in the table end after a moment? */
static bool
gid_node_table_ends_after(const GidNodeTables *tables, TimestampTz moment)
{
	SysScanDesc scan = systable_beginscan(tables->leases, InvalidOid, false,
										  tables->snapshot, 0, NULL);
	bool		ends_after = false;
	HeapTuple	tuple;

	while (!ends_after && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		values[GID_NODE_MAX_COLUMNS];

		gid_node_form_read(tables->leases, tuple, values);
		ends_after = DatumGetTimestampTz(values[GID_NODE_LEASE_UNTIL]) > moment;
	}
	systable_endscan(scan);
	return ends_after;
}

/* How long a pause is, if the leases that may run were given under this. */
static int64
gid_node_table_pause_us(int32 lease_max_s)
{
	return 2 * (int64) Max(lease_max_s, gid_node_lease_max_s) * USECS_PER_SEC;
}

/*
 * When do the leases end that an extension may have given here that was
 * dropped since?
 */
static TimestampTz
gid_node_table_dropped_end(int32 lease_max_s)
{
	uint64		until = pg_atomic_read_u64(&gid_node_given->until);
	TimestampTz end = until == 0 ? DT_NOBEGIN : (TimestampTz) until;

	return Max(end, gid_node_given->began + gid_node_table_pause_us(lease_max_s));
}

/*
 * Judge what gid.node_writer says.  "now" is the authority's time.  Only
 * one row that names this server, its timeline, this database and table is as
 * this file has written it.  A row that CREATE EXTENSION has written names
 * server and timeline; so has a copy of the database.  A superuser
 * may have deleted the row, and on the first timeline nothing was lost.
 */
static void
gid_node_table_judge(const GidNodeTables *tables, TimestampTz now, GidWriterState *state)
{
	GidWriter	writer;

	gid_setting_need(gid_node_lease_max_s, "gid.node_lease_max");
	gid_node_table_read_writer(tables, &writer);
	state->lease_max_s = Max(writer.lease_max_s, gid_node_lease_max_s);
	state->is_changed = true;
	if (writer.nrows == 1 && writer.is_here)
	{
		state->begins = writer.begins;
		/* leases under a greater setting may have ended since */
		if (writer.lease_max_s > gid_node_lease_max_s && now >= writer.begins &&
			!gid_node_table_ends_after(tables, now + gid_node_lease_max_s * USECS_PER_SEC))
			state->lease_max_s = gid_node_lease_max_s;
		state->is_changed = state->lease_max_s != writer.lease_max_s;
	}
	else if (writer.nrows == 1 && writer.is_first)
		state->begins = gid_node_table_dropped_end(writer.lease_max_s);
	else if (writer.nrows == 0 && gid_timeline_current().id == 1)
		state->begins = DT_NOBEGIN;
	else
		state->begins = now + gid_node_table_pause_us(writer.lease_max_s);
}

/* Return the moment before which no lease begins. */
static TimestampTz
gid_node_table_begins(const GidNodeTables *tables, TimestampTz now)
{
	GidWriterState state;

	gid_node_table_judge(tables, now, &state);
	if (state.is_changed)
	{
		gid_node_table_write_writer(tables, &state);
		if (state.begins > now)
			ereport(LOG,
					(errmsg("gid: no node number is leased before %s", timestamptz_to_str(state.begins)),
					 errdetail("Leases that database \"%s\" does not know may still run, after a failover, a restore or a new CREATE EXTENSION.",
							   get_database_name(MyDatabaseId)),
					 errhint("If there are no such leases, a superuser may call gid.authority_resume().")));
	}
	return state.begins;
}

/* ---- leasing ---- */

/* Is a row the lease that a holder names? */
static bool
gid_node_table_is_held(const Datum *values, const GidNodeAsked *asked)
{
	return asked->has_held &&
		DatumGetInt32(values[GID_NODE_LEASE_NODE]) == asked->held_node &&
		DatumGetTimestampTz(values[GID_NODE_LEASE_UNTIL]) == asked->held_until &&
		memcmp(DatumGetUUIDP(values[GID_NODE_LEASE_HOLDER]), &asked->holder, UUID_LEN) == 0 &&
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
gid_node_table_find(const GidNodeTables *tables, const GidNodeAsked *asked,
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
		int32		node;
		TimestampTz until;

		gid_node_form_read(tables->leases, tuple, values);
		node = DatumGetInt32(values[GID_NODE_LEASE_NODE]);
		until = DatumGetTimestampTz(values[GID_NODE_LEASE_UNTIL]);
		found->is_held = gid_node_table_is_held(values, asked);
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
			if (found->row.exists && node > DatumGetInt32(found->row.values[GID_NODE_LEASE_NODE]))
				continue;
		}
		/* the values point into the tuple */
		gid_node_form_read(tables->leases, heap_copytuple(tuple), found->row.values);
		found->row.exists = true;
		found->row.tid = tuple->t_self;
	}
	systable_endscan(scan);
}

/*
 * The number to lease to somebody new: the lowest that has no row, or whose
 * lease has ended.  Raises 2200H when there is none.
 */
static int32
gid_node_table_choose(const GidNodeAsked *asked, GidNodeFound *found)
{
	int32		ended = found->row.exists ?
	DatumGetInt32(found->row.values[GID_NODE_LEASE_NODE]) : asked->max_node + 1;

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
gid_node_table_name_client(GidNodeRow *row)
{
	const char *name = application_name != NULL ? application_name : "";
	char		address[NI_MAXHOST] = "";

	if (MyBEEntry != NULL)
		(void) pg_getnameinfo_all(&MyBEEntry->st_clientaddr.addr,
								  MyBEEntry->st_clientaddr.salen,
								  address, sizeof(address), NULL, 0, NI_NUMERICHOST);
	row->values[GID_NODE_LEASE_CLIENT_NAME] = CStringGetTextDatum(name);
	row->values[GID_NODE_LEASE_CLIENT_ADDRESS] = CStringGetTextDatum(address);
}

/*
 * Raise 22023 when a lease cannot be given because of the clock of the server
 * that asks.  The message goes to that server, so it shows the clock here.
 */
static void
gid_node_table_check_clocks(TimestampTz since, TimestampTz until, TimestampTz now)
{
	char		since_text[MAXDATELEN + 1];

	/* "since" may be a later moment than "until", by more than an int64 has */
	if (since <= until - GID_MIN_NODE_LEASE_S * USECS_PER_SEC &&
		now - since <= GID_NODE_LEASE_AGE_S * USECS_PER_SEC)
		return;
	strlcpy(since_text, timestamptz_to_str(since), sizeof(since_text));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("a lease from %s on is out of range, it is %s here",
					since_text, timestamptz_to_str(now)),
			 errdetail("A lease ends at most gid.node_lease_max (%d s) after the time here, has at least %d s, and begins at most %d days ago.",
					   gid_node_lease_max_s, GID_MIN_NODE_LEASE_S,
					   (int) (GID_NODE_LEASE_AGE_S / SECS_PER_DAY)),
			 errhint("Set the clocks of both servers right.")));
}

/* Note the end of a lease, in case that the extension is dropped later. */
static void
gid_node_table_note_end(TimestampTz until)
{
	uint64		latest = pg_atomic_read_u64(&gid_node_given->until);

	while (until > (TimestampTz) latest &&
		   !pg_atomic_compare_exchange_u64(&gid_node_given->until, &latest, (uint64) until))
		;
}

/*
 * Lease a node number to another server, or extend its lease.  Both ends are
 * whole seconds.
 *
 * Raises 22023 when the clock of the other server is too far from this
 * server's, 2200H when all numbers are leased, 55000 when a table was changed
 * or a setting was refused, and what gid_durable_start() raises.
 * Waits for callers in other sessions.  The lease may be used when the
 * transaction has ended, and gid.authority_confirm() was called after that.
 */
void
gid_node_table_lease(const GidNodeAsked *asked,
					 GidNodeGranted *granted)
{
	GidNodeTables tables;
	GidNodeFound found;
	TimestampTz now;
	TimestampTz begins;

	memset(granted, 0, sizeof(*granted));
	gid_setting_need(gid_node_first, "gid.node_first");
	(void) gid_slot_mine();
	/* a later life of this server finds gid.clock: invariant 5 */
	gid_durable_start();
	gid_node_table_open(&tables);
	now = gid_node_table_now();
	begins = gid_node_table_begins(&tables, now);

	/* not an error, which would undo what gid_node_table_begins() has written */
	if (asked->since < begins)
	{
		granted->since = begins;
		gid_node_table_close(&tables);
		return;
	}
	granted->since = asked->since;
	granted->until = Min(asked->until, now + gid_node_lease_max_s * USECS_PER_SEC);
	gid_node_table_check_clocks(granted->since, granted->until, now);

	gid_node_table_find(&tables, asked, &found);
	if (found.is_held)
	{
		granted->node = asked->held_node;
		granted->since = Max(granted->since, DatumGetTimestampTz(found.row.values[GID_NODE_LEASE_SINCE]));
		granted->until = Max(granted->until, asked->held_until);
	}
	else
	{
		granted->node = gid_node_table_choose(asked, &found);
		found.row.values[GID_NODE_LEASE_NODE] = Int32GetDatum(granted->node);
		found.row.values[GID_NODE_LEASE_HOLDER] = UUIDPGetDatum(&asked->holder);
		found.row.values[GID_NODE_LEASE_SINCE] = TimestampTzGetDatum(granted->since);
	}
	found.row.values[GID_NODE_LEASE_UNTIL] = TimestampTzGetDatum(granted->until);
	gid_node_table_name_client(&found.row);
	gid_node_table_note_end(granted->until);
	gid_node_table_write(tables.leases, &found.row);
	gid_node_table_close(&tables);
	granted->is_granted = true;
}

/*
 * End the pause after a failover or a restore: the leases in the tables are
 * all that were given.  A pause that has ended by the clock here may go on for
 * servers whose clocks are behind.  Returns false when there was no pause.
 * Raises 55000 when a table was changed.
 */
bool
gid_node_table_resume(void)
{
	GidNodeTables tables;
	GidWriterState state;
	bool		paused;

	(void) gid_slot_mine();
	gid_durable_start();
	gid_node_table_open(&tables);
	gid_node_table_judge(&tables, gid_node_table_now(), &state);
	paused = state.begins > DT_NOBEGIN;
	state.begins = DT_NOBEGIN;
	if (paused || state.is_changed)
		gid_node_table_write_writer(&tables, &state);
	gid_node_table_close(&tables);
	return paused;
}

/*
 * Put the leases into a tuple store, as the calling statement sees them: the
 * columns of gid.node_leases.  Raises 55000 when the table was changed.
 */
void
gid_node_table_show(Tuplestorestate *store, TupleDesc desc)
{
	Relation	leases = gid_node_form_open(&gid_node_form_leases, AccessShareLock);
	SysScanDesc scan = systable_beginscan(leases, InvalidOid, false,
										  GetActiveSnapshot(), 0, NULL);
	bool		nulls[GID_NODE_MAX_COLUMNS] = {false};
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Datum		values[GID_NODE_MAX_COLUMNS];

		gid_node_form_read(leases, tuple, values);
		tuplestore_putvalues(store, desc, values, nulls);
	}
	systable_endscan(scan);
	table_close(leases, AccessShareLock);
}

/*
 * Write the first row of gid.node_writer, for the extension's script: no lease
 * was given yet, by this server and on this timeline.  Needs no shared memory
 * of gid, which a library of another version may have made.
 */
void
gid_node_table_begin(void)
{
	Relation	writer = gid_node_form_open(&gid_node_form_writer, RowExclusiveLock);
	GidNodeRow	row = {.exists = false};

	gid_setting_need(gid_node_lease_max_s, "gid.node_lease_max");
	row.values[GID_NODE_WRITER_SYSTEM] = Int64GetDatum((int64) GetSystemIdentifier());
	row.values[GID_NODE_WRITER_TIMELINE] = Int64GetDatum((int64) GetWALInsertionTimeLine());
	row.values[GID_NODE_WRITER_DATABASE] = ObjectIdGetDatum(InvalidOid);
	row.values[GID_NODE_WRITER_LEASES] = ObjectIdGetDatum(InvalidOid);
	row.values[GID_NODE_WRITER_LEASE_MAX] = Int32GetDatum(gid_node_lease_max_s);
	row.values[GID_NODE_WRITER_BEGINS] = TimestampTzGetDatum(DT_NOBEGIN);
	gid_node_table_write(writer, &row);
	table_close(writer, NoLock);
}
