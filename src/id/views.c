/*-------------------------------------------------------------------------
 *
 * id/views.c
 *		The views of the server's state: backends, clock, failover, horizons
 *		and node leases; and what they share with those of sequences and
 *		launches.
 *
 * State: none.  The files that own what a view shows say what holds at a
 * crash, a restart, a clock step and on a standby.  Slots and words are read
 * without a lock, and the backends pay nothing for that.
 *
 * Invariants:
 * 1. All columns of a row of gid_stat_backends belong to the backend whose pid
 *	  the row shows, because the pid is read before and after them.  The
 *	  columns of a row may be of slightly different moments.
 * 2. A caller who may not see another user's session in pg_stat_activity sees
 *	  only its pid and slot there.
 * 3. gid_stat_node_leases calls a function and does not name the table.  So
 *	  the planner does not open the table before its form is checked
 *	  (node/node_form.c).
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/pg_lsn.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "attach/backend_slot.h"
#include "attach/drawn.h"
#include "base/args.h"
#include "base/compat.h"
#include "clock/word.h"
#include "id/views.h"
#include "node/node.h"
#include "node/node_table.h"
#include "sequence/standbys.h"
#include "sequence/timeline.h"

/* The names in the column "family". */
const char *const gid_family_names[GID_NFAMILIES] = {
#define GID_WORD_FAMILY(id, family, ...) family,
#define GID_FAMILY_NAME(id, name) name,
	GID_WORDS(GID_WORD_FAMILY)
	GID_FAMILIES(GID_FAMILY_NAME)
};

/*
 * Return the moment when "count" more values will be used up, at a rate above
 * 0 in values a second.  Infinity when the calendar ends before.
 */
TimestampTz
gid_stat_moment(double count, double rate)
{
	TimestampTz now = GetCurrentTimestamp();
	double		us = count / rate * USECS_PER_SEC;

	if (us >= (double) (END_TIMESTAMP - now))
		return DT_NOEND;
	return now + (TimestampTz) us;
}

/* ---- gid_stat_backends: the ids that each backend has made ---- */

#define GID_STAT_BACKEND_COLUMNS	6

/* Fill the columns that differ between the families of a backend. */
static void
gid_stat_put_family(GidSlot *slot, int family, Datum *values, bool *nulls)
{
	uint32		generator = pg_atomic_read_u32(&slot->generator);
	uint64		last = pg_atomic_read_u64(&slot->last[family]);

	values[2] = CStringGetTextDatum(gid_family_names[family]);
	nulls[3] = family != GID_FAMILY_DECIMAL || generator == 0;
	if (!nulls[3])
		values[3] = Int32GetDatum((int32) generator - 1);
	nulls[4] = family >= GID_NWORDS;
	if (!nulls[4])
		values[4] = TimestampTzGetDatum(gid_timestamptz(gid_word_us(family, last)));
	values[5] = Int64GetDatum((int64) pg_atomic_read_u64(&slot->issued[family]));
}

/* Put the rows of a slot: one for each family, or one without a family. */
static void
gid_stat_put_slot(ReturnSetInfo *rsinfo, int number)
{
	GidSlot    *slot = gid_slot_of(number);
	uint32		pid = pg_atomic_read_u32(&slot->pid);
	Oid			role;
	bool		hidden;
	Datum		values[GID_STAT_BACKEND_COLUMNS] = {0};

	if (pid == 0)
		return;
	pg_read_barrier();
	role = pg_atomic_read_u32(&slot->role);
	hidden = !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) &&
		!has_privs_of_role(GetUserId(), role);
	values[0] = Int32GetDatum((int32) pid);
	values[1] = Int32GetDatum(number);
	if (hidden)
	{
		bool		nulls[GID_STAT_BACKEND_COLUMNS] = {false, false, true, true, true, true};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		return;
	}
	for (int family = 0; family < GID_NFAMILIES; family++)
	{
		bool		nulls[GID_STAT_BACKEND_COLUMNS] = {false};

		if (pg_atomic_read_u64(&slot->issued[family]) == 0)
			continue;
		pg_read_barrier();
		gid_stat_put_family(slot, family, values, nulls);
		pg_read_barrier();
		if (pg_atomic_read_u32(&slot->pid) != pid)
			return;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/*
 * gid_stat_get_backends() -> setof (pid int, slot int, family text,
 *		generator int, last_time timestamptz, issued bigint)
 *
 * A row for each backend and each family of which the backend made ids.  A
 * backend of another user has one row without the family, unless the caller
 * has the privileges of that user or of pg_read_all_stats.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_backends);
Datum
gid_stat_get_backends(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < gid_slot_number(); i++)
		gid_stat_put_slot((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}

/* ---- gid_stat_clock: the families that follow the clock, and the node number ---- */

#define GID_STAT_CLOCK_COLUMNS		8
#define GID_STAT_NODE_COLUMNS		3

/*
 * gid_stat_get_clock() -> setof (family text, durable_bound timestamptz,
 *		last_time timestamptz, lead interval, steps_back bigint, waits bigint,
 *		wraps_at timestamptz, repeats_at timestamptz)
 *
 * A row for each family that follows the clock.  There is no row before the
 * server has made its first such id since it started.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_clock);
Datum
gid_stat_get_clock(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int id = 0; id < GID_NWORDS; id++)
	{
		Datum		values[GID_STAT_CLOCK_COLUMNS];
		bool		nulls[GID_STAT_CLOCK_COLUMNS] = {false};
		GidWordStat stat;
		Interval	lead = {0};

		if (!gid_word_stat(id, &stat))
			break;
		lead.time = stat.lead_us;
		values[0] = CStringGetTextDatum(gid_family_names[id]);
		values[1] = TimestampTzGetDatum(gid_timestamptz(stat.bound_us));
		values[2] = TimestampTzGetDatum(gid_timestamptz(stat.last_us));
		values[3] = IntervalPGetDatum(&lead);
		values[4] = Int64GetDatum(stat.steps_back);
		values[5] = Int64GetDatum(stat.waits);
		values[6] = TimestampTzGetDatum(gid_timestamptz(stat.wraps_us));
		nulls[7] = stat.repeats_us == 0;
		values[7] = TimestampTzGetDatum(gid_timestamptz(stat.repeats_us));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * gid_stat_get_node() -> (node int, node_until timestamptz, node_source text)
 *
 * The number of the next id, null if there is none; the end of its lease, null
 * if the number is not leased; and where it comes from, null if neither
 * setting is set.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_node);
Datum
gid_stat_get_node(PG_FUNCTION_ARGS)
{
	GidNodeStat stat;
	TupleDesc	desc;
	Datum		values[GID_STAT_NODE_COLUMNS];
	bool		nulls[GID_STAT_NODE_COLUMNS] = {false};
	const char *source;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	gid_node_stat(&stat);
	source = stat.authority != NULL ? psprintf("authority %s", stat.authority) :
		stat.is_leased ? "authority" : "gid.node_no";

	nulls[0] = stat.node < 0;
	values[0] = Int32GetDatum(stat.node);
	nulls[1] = stat.until_s == 0;
	values[1] = TimestampTzGetDatum(gid_timestamptz(stat.until_s * GID_US_PER_S));
	nulls[2] = !stat.is_leased && stat.node < 0;
	values[2] = CStringGetTextDatum(source);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* ---- gid_stat_failover ---- */

#define GID_STAT_FAILOVER_COLUMNS	10

/*
 * gid_stat_get_failover() -> (timeline bigint, timeline_begins_at pg_lsn,
 *		sequences_skipped bigint, values_skipped bigint, standbys_wanted int,
 *		standbys_connected int, sessions_waiting int,
 *		reservations_lost bigint, waiting_since timestamptz,
 *		without_standbys_since timestamptz)
 *
 * One row.  Everybody may see it: it names no sequence and no standby.  The
 * function of version 1.1 does not have the last two columns.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_failover);
Datum
gid_stat_get_failover(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Datum		values[GID_STAT_FAILOVER_COLUMNS];
	bool		nulls[GID_STAT_FAILOVER_COLUMNS] = {false};
	int64		sequences;
	int64		skipped;
	GidStandbyStat standbys;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "gid_stat_get_failover() does not return a row");

	/* these attach, too */
	gid_timeline_stat(&sequences, &skipped);
	gid_standbys_stat(&standbys);

	nulls[0] = nulls[1] = RecoveryInProgress();
	if (!nulls[0])
	{
		GidTimeline timeline = gid_timeline_current();

		values[0] = Int64GetDatum(timeline.id);
		nulls[1] = XLogRecPtrIsInvalid(timeline.begin);
		values[1] = LSNGetDatum(timeline.begin);
	}
	values[2] = Int64GetDatum(sequences);
	values[3] = Int64GetDatum(skipped);
	nulls[4] = standbys.wanted < 0;
	values[4] = Int32GetDatum(standbys.wanted);
	values[5] = Int32GetDatum(standbys.connected);
	values[6] = Int32GetDatum(standbys.waiting);
	values[7] = Int64GetDatum(standbys.lost);
	nulls[8] = standbys.waiting_since == 0;
	values[8] = TimestampTzGetDatum(standbys.waiting_since);
	nulls[9] = standbys.without_since == 0;
	values[9] = TimestampTzGetDatum(standbys.without_since);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* ---- gid_stat_horizon: the rows that are about growing words ---- */

#define GID_STAT_HORIZON_COLUMNS	4

/* Put a row for each word that a transaction holds back. */
static void
gid_stat_put_holder(ReturnSetInfo *rsinfo, const GidDrawnHolder *holder)
{
	for (GidWordId id = 0; id < GID_NWORDS; id++)
	{
		int			word = gid_drawn_word(id);
		Datum		values[GID_STAT_HORIZON_COLUMNS];
		bool		nulls[GID_STAT_HORIZON_COLUMNS] = {false};

		if (word < 0 || holder->bounds[word] == GID_DRAWN_NOTHING)
			continue;
		values[0] = CStringGetTextDatum(gid_family_names[id]);
		values[1] = Int32GetDatum(holder->pid);
		nulls[1] = holder->pid == 0;
		values[2] = TransactionIdGetDatum(holder->xid);
		nulls[2] = holder->pid != 0;
		values[3] = TimestampTzGetDatum(gid_timestamptz(gid_word_us(id, holder->bounds[word])));
		nulls[3] = holder->bounds[word] == 0;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/*
 * gid_stat_get_horizon() -> setof (kind text, pid int, transaction xid,
 *		bound timestamptz)
 *
 * A row for each open or prepared transaction of this database, and each
 * family with a word that has a horizon, of which the transaction has drawn.
 * The bound is NULL for a prepared transaction whose draws are not known,
 * because the server has started since.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_horizon);
Datum
gid_stat_get_horizon(PG_FUNCTION_ARGS)
{
	GidDrawnHolder holder;

	InitMaterializedSRF(fcinfo, 0);
	(void) gid_slot_mine();
	for (int i = 0; i < gid_drawn_number(); i++)
	{
		if (gid_drawn_holder(i, &holder))
			gid_stat_put_holder((ReturnSetInfo *) fcinfo->resultinfo, &holder);
	}
	return (Datum) 0;
}

/* ---- gid_stat_node_leases: what an authority has leased ---- */

/*
 * gid_stat_get_node_leases() -> setof (node int, holder uuid,
 *		since timestamptz, until timestamptz, client_name text,
 *		client_address text)
 *
 * The rows of gid_node_leases, in any order.  The extension's script lets only
 * pg_monitor call this function.  55000 when the table was changed.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_node_leases);
Datum
gid_stat_get_node_leases(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	gid_node_table_show(fcinfo->flinfo->fn_oid, rsinfo->setResult, rsinfo->setDesc);
	return (Datum) 0;
}
