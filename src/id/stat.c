/*-------------------------------------------------------------------------
 *
 * id/stat.c
 *		The views.
 *
 * State: none.  The files that own what a view shows say what holds at a
 * crash, a restart, a clock step and on a standby.  Slots and words are read
 * without a lock, and the backends pay nothing for that.  Blocks are read
 * while others draw from them, and leases are copied: under GidBlock and
 * GidLease, shared, for a moment, in which only a backend that needs a new
 * entry or a lease waits.
 *
 * Invariants:
 * 1. All columns of a row of gid.stat_backends belong to the backend whose pid
 *	  the row shows, because the pid is read before and after them.  The
 *	  columns of a row may be of slightly different moments.
 * 2. A caller who may not see another user's session in pg_stat_activity sees
 *	  only its pid and slot there.
 * 3. In gid.stat_sequences a caller sees the sequences that pg_sequences would
 *	  show with a value, and only those of this database.
 * 4. From gid.stat_launches a caller without SELECT or USAGE on the sequence,
 *	  and without the privileges of pg_read_all_stats, learns nothing of the
 *	  sequence's value.
 *
 * The rates are estimates: the history of a sequence may be written while it
 * is read, and the leases of launches are those since the server's start.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/pg_lsn.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/extension.h"
#include "base/settings.h"
#include "clock/server_time.h"
#include "clock/word.h"
#include "decimal/generator.h"
#include "decimal/lease.h"
#include "horizon/drawn.h"
#include "layout/decimal_id.h"
#include "node/node.h"
#include "peer/libpq.h"
#include "sequence/entry.h"
#include "sequence/page.h"
#include "sequence/standbys.h"
#include "sequence/timeline.h"

/* The names in the column "family". */
static const char *const gid_family_names[GID_NFAMILIES] = {
#define GID_WORD_FAMILY(id, family, ...) family,
#define GID_FAMILY_NAME(id, name) name,
	GID_WORDS(GID_WORD_FAMILY)
	GID_FAMILIES(GID_FAMILY_NAME)
};

/*
 * Return the moment when "count" more values will be used up, at a rate above
 * 0 in values a second.  Infinity when the calendar ends before.
 */
static TimestampTz
gid_stat_moment(double count, double rate)
{
	TimestampTz now = GetCurrentTimestamp();
	double		us = count / rate * USECS_PER_SEC;

	if (us >= (double) (END_TIMESTAMP - now))
		return DT_NOEND;
	return now + (TimestampTz) us;
}

/* ---- gid.stat_backends: the ids that each backend has made ---- */

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
	Datum		values[6] = {0};

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
		bool		nulls[lengthof(values)] = {false, false, true, true, true, true};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		return;
	}
	for (int family = 0; family < GID_NFAMILIES; family++)
	{
		bool		nulls[lengthof(values)] = {false};

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
 * gid.stat_get_backends() -> setof (pid int, slot int, family text,
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
	for (int i = 0; i < MaxBackends; i++)
		gid_stat_put_slot((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}

/* ---- gid.stat_clock: families that follow the clock, node number ---- */

/*
 * gid.stat_get_clock() -> setof (family text, durable_bound timestamptz,
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
		Datum		values[8];
		bool		nulls[lengthof(values)] = {false};
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
 * gid.stat_get_node() -> (node int, node_until timestamptz, node_source text)
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
	Datum		values[3];
	bool		nulls[lengthof(values)] = {false};
	const char *source;

	gid_node_stat(&stat);
	source = stat.authority != NULL ? psprintf("authority %s", stat.authority) :
		stat.is_leased ? "authority" : "gid.node_no";

	nulls[0] = stat.node < 0;
	values[0] = Int32GetDatum(stat.node);
	nulls[1] = stat.until_s == 0;
	values[1] = TimestampTzGetDatum(gid_timestamptz(stat.until_s * GID_US_PER_S));
	nulls[2] = !stat.is_leased && stat.node < 0;
	values[2] = CStringGetTextDatum(source);
	return gid_row(fcinfo, values, nulls);
}

/* ---- gid.stat_failover ---- */

/*
 * gid.stat_get_failover() -> (timeline bigint, timeline_begins_at pg_lsn,
 *		sequences_skipped bigint, values_skipped bigint, standbys_wanted int,
 *		standbys_connected int, sessions_waiting int,
 *		reservations_lost bigint, waiting_since timestamptz,
 *		without_standbys_since timestamptz)
 *
 * One row.  Everybody may see it: it names no sequence and no standby.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_failover);
Datum
gid_stat_get_failover(PG_FUNCTION_ARGS)
{
	Datum		values[10];
	bool		nulls[lengthof(values)] = {false};
	int64		sequences;
	int64		skipped;
	GidStandbyStat standbys;

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
	return gid_row(fcinfo, values, nulls);
}

/* ---- gid.stat_horizon: the rows that are about growing words ---- */

/* Put a row for each word that a transaction holds back. */
static void
gid_stat_put_holder(ReturnSetInfo *rsinfo, const GidDrawnHolder *holder)
{
	for (GidWordId id = 0; id < GID_NWORDS; id++)
	{
		int			word = gid_drawn_word(id);
		Datum		values[4];
		bool		nulls[lengthof(values)] = {false};

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
 * gid.stat_get_horizon() -> setof (kind text, pid int, transaction xid,
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

/* ---- gid.stat_sequences: the blocks of sequences ---- */

/* Where the values of a sequence end. */
typedef struct GidStatEnd
{
	bool		known;			/* not known of an authority's sequence */
	bool		cycle;
	int64		increment;
	int64		value;
} GidStatEnd;

/* Look up where the sequence of a block ends; false if it was dropped. */
static bool
gid_stat_get_end(const GidEntryStat *stat, GidStatEnd *end)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(stat->key.sequence.sequence));
	Form_pg_sequence form;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_sequence) GETSTRUCT(tuple);
	end->known = stat->key.source == GID_SOURCE_PAGE;
	end->cycle = end->known && form->seqcycle;
	end->increment = end->known ? form->seqincrement : 1;
	if (!end->known)
		end->value = PG_INT64_MAX;
	else
		end->value = end->increment > 0 ? form->seqmax : form->seqmin;
	ReleaseSysCache(tuple);
	return true;
}

/*
 * Set exhausted_at and era_ends_at, if they are known, for a rate of values a
 * second.  Neither is known when the block was ended.  exhausted_at is not
 * known of an authority's sequence.
 */
static void
gid_stat_ends(const GidEntryStat *stat, double rate, Datum *values, bool *nulls)
{
	double		undrawn = (double) stat->left + (double) stat->ahead;
	int64		from = stat->reserved_to;
	GidStatEnd	end;
	int64		era_end;

	if (!gid_stat_get_end(stat, &end))
		return;
	/* ALTER SEQUENCE may have moved the end to before the block */
	if (end.increment > 0 ? from > end.value : from < end.value)
		return;

	nulls[0] = !end.known;
	values[0] = TimestampTzGetDatum(end.cycle ? DT_NOEND :
									gid_stat_moment(undrawn + gid_reserve_steps(from, end.value, end.increment), rate));
	era_end = gid_reserve_era_end(from, end.increment);
	nulls[1] = from < 1 ||
		(end.increment > 0 ? era_end > end.value : era_end < end.value);
	values[1] = TimestampTzGetDatum(gid_stat_moment(undrawn + gid_reserve_steps(from, era_end, end.increment), rate));
}

/* Put the row of an entry. */
static void
gid_stat_put_sequence(ReturnSetInfo *rsinfo, const GidEntryStat *stat)
{
	Datum		values[14];
	bool		nulls[lengthof(values)] = {false};
	double		rate = gid_reserve_rate(&stat->history, gid_time_monotonic_us(),
										stat->left + stat->ahead);

	values[0] = ObjectIdGetDatum(stat->key.sequence.sequence);
	values[1] = ObjectIdGetDatum(stat->key.sequence.relfilenumber);
	values[2] = CStringGetTextDatum(stat->key.source == GID_SOURCE_PAGE ? "local" :
									stat->issuer == 0 ? "authorities" :
									psprintf("authority %u", stat->issuer - 1));
	nulls[3] = nulls[4] = stat->left <= 0;
	values[3] = Int64GetDatum(stat->next);
	values[4] = Int64GetDatum(stat->last);
	values[5] = Int64GetDatum(stat->size);
	values[6] = Int64GetDatum(stat->reservations);
	values[7] = Int64GetDatum(stat->prefetched);
	values[8] = Int64GetDatum(stat->waits);
	values[9] = Int64GetDatum(stat->left);
	values[10] = Int64GetDatum(stat->ahead);
	values[11] = Float8GetDatum(rate);
	nulls[12] = nulls[13] = true;
	if (rate > 0 && stat->size > 0)
		gid_stat_ends(stat, rate, &values[12], &nulls[12]);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * gid.stat_get_sequences() -> setof (sequence oid, relfilenode oid,
 *		source text, next bigint, last bigint, block_size bigint, reservations
 *		bigint, prefetched bigint, waits bigint, values_left bigint,
 *		values_ahead bigint, pace double precision, exhausted_at timestamptz,
 *		era_ends_at timestamptz)
 *
 * A row for each entry of this database whose sequence the caller may read or
 * use.  The view leaves out entries of files that the sequences had before.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_sequences);
Datum
gid_stat_get_sequences(PG_FUNCTION_ARGS)
{
	GidEntryStat stat;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < GID_ENTRIES && gid_entry_stat(i, &stat); i++)
	{
		bool		missing = false;

		if (stat.key.sequence.database == MyDatabaseId &&
			pg_class_aclcheck_ext(stat.key.sequence.sequence, GetUserId(),
								  ACL_SELECT | ACL_USAGE, &missing) == ACLCHECK_OK && !missing)
			gid_stat_put_sequence((ReturnSetInfo *) fcinfo->resultinfo, &stat);
	}
	return (Datum) 0;
}

/* ---- gid.stat_launches: the generator numbers of DecimalIds ---- */

/* A launch, and who reserves its generator numbers. */
typedef struct GidLaunchStat
{
	int32		launch;
	uint32		authority;		/* as in GidLeaseKey */
	int64		used;			/* generator numbers taken; -1 if not known */
	int			held;			/* leases that backends hold */
	int			idle;			/* leases that wait for a backend */
	int64		oldest_us;		/* monotonic time of the oldest lease */
} GidLaunchStat;

/* Find a launch and an authority in the list, or add them. */
static GidLaunchStat *
gid_stat_launch(List **launches, int32 launch, uint32 authority)
{
	ListCell   *cell;
	GidLaunchStat *stat;

	foreach(cell, *launches)
	{
		stat = lfirst(cell);
		if (stat->launch == launch && stat->authority == authority)
			return stat;
	}
	stat = palloc0(sizeof(GidLaunchStat));
	stat->launch = launch;
	stat->authority = authority;
	stat->used = -1;
	stat->oldest_us = PG_INT64_MAX;
	*launches = lappend(*launches, stat);
	return stat;
}

/*
 * List the launch of the sequence's last value and the launches of leases.
 * *evicting says whether the table is full, so that a new lease takes the
 * place of an idle one.
 */
static List *
gid_stat_launches(Relation sequence, bool *evicting)
{
	List	   *launches = NIL;
	bool		is_called;
	XLogRecPtr	lsn;
	int64		last_value = gid_page_last_value(sequence, &is_called, &lsn);
	GidOpenSequence open;
	int			size;
	GidLease   *leases = gid_lease_copy(&size);

	/*
	 * the sequence may have been replaced by one whose values mean no launch
	 */
	if ((is_called || last_value > 0) && last_value >= 0 &&
		last_value / GID_DECIMAL_LAUNCH_STEP <= GID_DECIMAL_MAX_LAUNCH)
		gid_stat_launch(&launches, (int32) (last_value / GID_DECIMAL_LAUNCH_STEP),
						0)->used = last_value % GID_DECIMAL_LAUNCH_STEP + is_called;
	gid_open_read(sequence, &open);
	*evicting = true;
	for (int i = 0; i < size; i++)
	{
		GidLease   *lease = &leases[i];
		GidLaunchStat *stat;

		if (lease->state == GID_LEASE_FREE)
			*evicting = false;
		if (lease->state == GID_LEASE_FREE ||
			memcmp(&open.key, &lease->key.sequence, sizeof(open.key)) != 0)
			continue;
		stat = gid_stat_launch(&launches, lease->key.launch, lease->key.authority);
		if (lease->state == GID_LEASE_HELD)
			stat->held++;
		else
			stat->idle++;
		stat->oldest_us = Min(stat->oldest_us, lease->entered_us);
	}
	return launches;
}

/* The text of the column "source". */
static char *
gid_stat_launch_source(uint32 authority)
{
	if (authority == 0)
		return "local";
	/* the setting may name another authority by now */
	if (gid_decimal_authority[0] == '\0' || authority != gid_generator_authority())
		return "authority";
	return psprintf("authority %s", gid_uri_name(gid_decimal_authority));
}

/* Put the row of a launch; "hidden" leaves out the value of the sequence. */
static void
gid_stat_put_launch(ReturnSetInfo *rsinfo, const GidLaunchStat *stat,
					bool evicting, bool hidden)
{
	Datum		values[8];
	bool		nulls[lengthof(values)] = {false};
	int64		left = GID_DECIMAL_MAX_GENERATOR + 1 - stat->used;
	int			leases = stat->held + stat->idle;
	double		days = 0;

	if (leases > 0)
		days = (double) (gid_time_monotonic_us() - stat->oldest_us) / USECS_PER_DAY;

	/*
	 * Many numbers are taken soon after a start of the server.  So the rate
	 * is an average over at least a day.  But when idle leases are evicted,
	 * the table may hold only the leases of the last seconds.
	 */
	days = Max(days, evicting ? 1.0 / SECS_PER_DAY : 1);

	values[0] = Int32GetDatum(stat->launch);
	values[1] = CStringGetTextDatum(gid_stat_launch_source(stat->authority));
	nulls[2] = nulls[3] = hidden || stat->used < 0;
	values[2] = Int64GetDatum(stat->used);
	values[3] = Int64GetDatum(left);
	values[4] = Int32GetDatum(stat->held);
	values[5] = Int32GetDatum(stat->idle);
	values[6] = Float8GetDatum(leases / days);
	nulls[7] = nulls[3] || leases == 0;
	if (!nulls[7])
		values[7] = TimestampTzGetDatum(gid_stat_moment(left, leases / days / SECS_PER_DAY));
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/*
 * gid.stat_get_launches() -> setof (launch int, source text,
 *		generators_used bigint, generators_left bigint, leases_held int,
 *		leases_idle int, generators_a_day double precision,
 *		exhausted_at timestamptz)
 *
 * A row for each launch of this database's DecimalIds that has leases, and one
 * for the launch of the sequence's last value.  Only callers with SELECT or
 * USAGE on the sequence or the privileges of pg_read_all_stats see the numbers
 * that come from this value.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_launches);
Datum
gid_stat_get_launches(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			sequence = gid_extension_relation(GID_GENERATOR_SEQUENCE);
	Relation	rel = NULL;

	InitMaterializedSRF(fcinfo, 0);
	if (OidIsValid(sequence))
		rel = try_relation_open(sequence, AccessShareLock);
	if (rel == NULL)
		return (Datum) 0;
	if (rel->rd_rel->relkind == RELKIND_SEQUENCE &&
		rel->rd_rel->relpersistence == RELPERSISTENCE_PERMANENT)
	{
		bool		hidden = !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) &&
		pg_class_aclcheck(sequence, GetUserId(), ACL_SELECT | ACL_USAGE) != ACLCHECK_OK;
		bool		evicting;
		List	   *launches = gid_stat_launches(rel, &evicting);
		ListCell   *cell;

		foreach(cell, launches)
			gid_stat_put_launch(rsinfo, lfirst(cell), evicting, hidden);
	}
	relation_close(rel, AccessShareLock);
	return (Datum) 0;
}
