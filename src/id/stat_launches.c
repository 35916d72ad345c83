/*-------------------------------------------------------------------------
 *
 * id/stat_launches.c
 *		The view gid_stat_launches: the generator numbers of DecimalIds.
 *
 * State: none.  The leases are copied.  Copying takes GidLease shared for a
 * moment; only a backend that needs a lease waits for that.
 *
 * Invariants:
 * 1. A caller without SELECT or USAGE on the sequence, and without the
 *	  privileges of pg_read_all_stats, learns nothing of its value.
 *
 * The rate is an estimate that begins with the server's start.  Crash,
 * restart: there are no leases.  Clock step and standby do not matter.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "base/settings.h"
#include "clock/server_time.h"
#include "decimal/generator.h"
#include "decimal/lease.h"
#include "id/views.h"
#include "layout/decimal_id.h"
#include "peer/uri.h"
#include "sequence/page.h"

#define GID_STAT_LAUNCH_COLUMNS		8

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
	if (gid_decimal_authority_set < 0 || authority != gid_generator_authority())
		return "authority";
	return psprintf("authority %s", gid_uri_name(gid_decimal_authority));
}

/* Put the row of a launch; "hidden" leaves out the value of the sequence. */
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
 * gid_stat_get_launches() -> setof (launch int, source text,
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
