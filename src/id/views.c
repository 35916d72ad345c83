/*-------------------------------------------------------------------------
 *
 * id/views.c
 *		Views of what the generators are doing.
 *
 * State: none.  The backend slots, the clock's words and the blocks are read
 * as they are; the generators take no notice and pay nothing.  The locks of
 * the tables of blocks and leases are shared for a moment, which who needs a
 * new entry or lease may have to wait for.
 *
 * Invariants:
 * 1. A row of a backend was true of it at one moment for each column, and
 *	  belongs to the process whose pid it shows: the pid is read before and
 *	  after.
 * 2. Who may not see another user's session in pg_stat_activity sees of it
 *	  here just its pid and slot.
 * 3. Of a sequence it shows what pg_sequences would show to the caller, and
 *	  only of this database.
 *
 * A pace is an estimate: what it is made of may be written while it is read.
 * It starts anew with the server.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "base/args.h"
#include "clock/server_time.h"
#include "clock/word.h"
#include "decimal/generator.h"
#include "decimal/lease.h"
#include "fleet/authority.h"
#include "layout/decimal_id.h"
#include "sequence/entry.h"
#include "sequence/page_form.h"
#include "sequence/supplier.h"

#define GID_STAT_BACKEND_COLUMNS	6
#define GID_STAT_CLOCK_COLUMNS		8
#define GID_STAT_SEQUENCE_COLUMNS	14
#define GID_STAT_LAUNCH_COLUMNS		8

static const char *const gid_family_names[GID_NFAMILIES] = {
	[GID_FAMILY_V7] = "uuid_v7",
	[GID_FAMILY_SEQUENTIAL] = "uuid_sequential",
	[GID_FAMILY_SHARD] = "uuid_shard",
	[GID_FAMILY_TRACE] = "trace_id",
	[GID_FAMILY_DECIMAL] = "decimal_id",
	[GID_FAMILY_NEXT] = "next",
	[GID_FAMILY_GDID] = "gdid",
	[GID_FAMILY_CODE] = "code",
};

static const GidFamily gid_word_families[GID_NWORDS] = {
	[GID_WORD_V7] = GID_FAMILY_V7,
	[GID_WORD_TICKS] = GID_FAMILY_SEQUENTIAL,
	[GID_WORD_TRACE] = GID_FAMILY_TRACE,
	[GID_WORD_SHARD] = GID_FAMILY_SHARD,
};

/* Fill the columns of a family that a backend has used; the rest is set. */
static void
gid_stat_family(GidSlot *slot, GidFamily family,
				Datum *values, bool *nulls)
{
	uint32		generator = pg_atomic_read_u32(&slot->generator);
	uint64		last = pg_atomic_read_u64(&slot->last[family]);

	values[2] = CStringGetTextDatum(gid_family_names[family]);
	nulls[3] = family != GID_FAMILY_DECIMAL || generator == 0;
	if (!nulls[3])
		values[3] = Int32GetDatum((int32) generator - 1);
	nulls[4] = true;
	for (int id = 0; id < GID_NWORDS; id++)
	{
		if (gid_word_families[id] == family)
		{
			nulls[4] = false;
			values[4] = TimestampTzGetDatum(gid_timestamptz(gid_word_us(id, last)));
		}
	}
	values[5] = Int64GetDatum((int64) pg_atomic_read_u64(&slot->issued[family]));
}

/* Put the rows of one slot. */
static void
gid_stat_slot(ReturnSetInfo *rsinfo, int number)
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
		gid_stat_family(slot, family, values, nulls);
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
 * A row for each backend and family that it has made ids of.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_backends);
Datum
gid_stat_get_backends(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < gid_slot_number(); i++)
		gid_stat_slot((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}

/*
 * gid_stat_get_clock() -> setof (family text, durable_bound timestamptz,
 *		last_time timestamptz, lead interval, steps_back bigint, waits bigint,
 *		wraps_at timestamptz, repeats_at timestamptz)
 *
 * A row for each family that follows the clock; no rows before the first such
 * id since the server started.
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
		values[0] = CStringGetTextDatum(gid_family_names[gid_word_families[id]]);
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
 * When "count" more are used up at a pace, more than 0, in so many a second;
 * infinity when that is beyond the calendar.
 */
static TimestampTz
gid_stat_moment(double count, double pace)
{
	TimestampTz now = GetCurrentTimestamp();
	double		us = count / pace * USECS_PER_SEC;

	if (us >= (double) (END_TIMESTAMP - now))
		return DT_NOEND;
	return now + (TimestampTz) us;
}

/*
 * Set when a sequence and the era of its values end at a pace.  Neither is
 * known of a block that was ended, nor the end of an authority's sequence.
 */
static void
gid_stat_ends(const GidEntryStat *stat, double pace, Datum *values, bool *nulls)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(stat->key.sequence));
	bool		own = stat->key.source == GID_SOURCE_PAGE;
	double		unread = (double) stat->left + (double) stat->ahead;
	int64		increment = 1;
	int64		end = PG_INT64_MAX;
	int64		era_end;
	bool		cycle = false;

	if (!HeapTupleIsValid(tuple))
		return;
	if (own)
	{
		Form_pg_sequence form = (Form_pg_sequence) GETSTRUCT(tuple);

		increment = form->seqincrement;
		end = increment > 0 ? form->seqmax : form->seqmin;
		cycle = form->seqcycle;
	}
	ReleaseSysCache(tuple);

	/* of a file that the sequence no longer has, perhaps */
	if (increment > 0 ? stat->reserved_to > end : stat->reserved_to < end)
		return;
	nulls[0] = !own;
	values[0] = TimestampTzGetDatum(cycle ? DT_NOEND :
									gid_stat_moment(unread + gid_reserve_steps(stat->reserved_to, end, increment), pace));
	era_end = gid_reserve_era_end(stat->reserved_to, increment);
	nulls[1] = stat->reserved_to < 1 ||
		(increment > 0 ? era_end > end : era_end < end);
	values[1] = TimestampTzGetDatum(gid_stat_moment(unread + gid_reserve_steps(stat->reserved_to, era_end, increment), pace));
}

/*
 * gid_stat_get_sequences() -> setof (sequence oid, relfilenode oid,
 *		source text, next bigint, last bigint, block_size bigint, reservations
 *		bigint, prefetched bigint, waits bigint, values_left bigint,
 *		values_ahead bigint, pace double precision, exhausted_at timestamptz,
 *		era_ends_at timestamptz)
 *
 * A row for each entry of this database whose sequence the caller may read or
 * use; the view leaves out those of files that the sequences no longer have.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_sequences);
Datum
gid_stat_get_sequences(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GidEntryStat stat;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < GID_ENTRIES && gid_entry_stat(i, &stat); i++)
	{
		Datum		values[GID_STAT_SEQUENCE_COLUMNS];
		bool		nulls[GID_STAT_SEQUENCE_COLUMNS] = {false};
		bool		missing = false;
		double		pace;

		if (stat.key.database != MyDatabaseId ||
			pg_class_aclcheck_ext(stat.key.sequence, GetUserId(),
								  ACL_SELECT | ACL_USAGE, &missing) != ACLCHECK_OK ||
			missing)
			continue;
		values[0] = ObjectIdGetDatum(stat.key.sequence);
		values[1] = ObjectIdGetDatum(stat.key.relfilenumber);
		values[2] = CStringGetTextDatum(stat.key.source == GID_SOURCE_PAGE ? "local" :
										stat.issuer == 0 ? "authorities" :
										psprintf("authority %u", stat.issuer - 1));
		nulls[3] = nulls[4] = stat.left <= 0;
		values[3] = Int64GetDatum(stat.next);
		values[4] = Int64GetDatum(stat.last);
		values[5] = Int64GetDatum(stat.size);
		values[6] = Int64GetDatum(stat.reservations);
		values[7] = Int64GetDatum(stat.prefetched);
		values[8] = Int64GetDatum(stat.waits);
		values[9] = Int64GetDatum(stat.left);
		values[10] = Int64GetDatum(stat.ahead);
		pace = gid_history_pace(&stat.history, gid_time_monotonic_us(),
								stat.left + stat.ahead);
		values[11] = Float8GetDatum(pace);
		nulls[12] = nulls[13] = true;
		if (pace > 0 && stat.size > 0)
			gid_stat_ends(&stat, pace, &values[12], &nulls[12]);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* What there is to say of a launch and a source of its generator numbers. */
typedef struct GidLaunchStat
{
	int32		launch;
	uint32		source;			/* 0: this server, else an authority */
	int64		used;			/* generator numbers taken; -1: not known */
	int			held;			/* leases */
	int			idle;
	int64		oldest_us;		/* monotonic time of the first of them */
} GidLaunchStat;

/* The one of a launch and a source in a list, added if it is not there. */
static GidLaunchStat *
gid_stat_launch(List **launches, int32 launch, uint32 source)
{
	ListCell   *cell;
	GidLaunchStat *stat;

	foreach(cell, *launches)
	{
		stat = lfirst(cell);
		if (stat->launch == launch && stat->source == source)
			return stat;
	}
	stat = palloc0(sizeof(GidLaunchStat));
	stat->launch = launch;
	stat->source = source;
	stat->used = -1;
	stat->oldest_us = PG_INT64_MAX;
	*launches = lappend(*launches, stat);
	return stat;
}

/*
 * Gather the launches of an open sequence: the one that it stands at, and
 * those that leases are of.  *evicting says whether idle leases give way to
 * new ones.
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

	/* a value of another sequence, put in the place of ours, is no launch */
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
		open.key.source = lease->key.sequence.source;
		if (lease->state == GID_LEASE_FREE ||
			memcmp(&open.key, &lease->key.sequence, sizeof(open.key)) != 0)
			continue;
		stat = gid_stat_launch(&launches, lease->key.launch, open.key.source);
		if (lease->state == GID_LEASE_HELD)
			stat->held++;
		else
			stat->idle++;
		stat->oldest_us = Min(stat->oldest_us, lease->entered_us);
	}
	return launches;
}

/* Put the row of a launch; "hidden" is what the sequence's value tells. */
static void
gid_stat_put_launch(ReturnSetInfo *rsinfo, const GidLaunchStat *stat,
					bool evicting, bool hidden)
{
	Datum		values[GID_STAT_LAUNCH_COLUMNS];
	bool		nulls[GID_STAT_LAUNCH_COLUMNS] = {false};
	int64		left = GID_DECIMAL_MAX_GENERATOR + 1 - stat->used;
	int			leases = stat->held + stat->idle;
	double		days = 0;

	if (leases > 0)
		days = (double) (gid_time_monotonic_us() - stat->oldest_us) / USECS_PER_DAY;

	/*
	 * Numbers are taken many at a time when the server has started, so their
	 * pace is that of a day at least, unless some are forgotten sooner.
	 */
	days = Max(days, evicting ? 1.0 / SECS_PER_DAY : 1);

	values[0] = Int32GetDatum(stat->launch);
	values[1] = CStringGetTextDatum("local");
	if (stat->source != 0)
	{
		char	   *name = gid_authority_decimal_name(stat->source);

		values[1] = CStringGetTextDatum(name == NULL ? "authority" :
										psprintf("authority %s", name));
	}
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
 * gid_stat_get_launches() -> setof (launch int, source text,
 *		generators_used bigint, generators_left bigint, leases_held int,
 *		leases_idle int, generators_a_day double precision,
 *		exhausted_at timestamptz)
 *
 * A row for each launch of DecimalIds of this database that has leases, or
 * that the sequence has come to.  What the sequence says is for those who may
 * read or use it and for pg_read_all_stats.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_launches);
Datum
gid_stat_get_launches(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			sequence = gid_generator_find_sequence(fcinfo->flinfo->fn_oid);
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
