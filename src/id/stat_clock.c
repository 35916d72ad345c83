/*-------------------------------------------------------------------------
 *
 * id/stat_clock.c
 *		The view gid_stat_clock: times of the families that follow the clock.
 *
 * State: none.  gid_word_stat() of clock/word.c reads the growing words
 * without a lock.  It says what holds at a crash, a restart, a clock step and
 * on a standby.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "base/args.h"
#include "clock/word.h"
#include "id/views.h"

#define GID_STAT_CLOCK_COLUMNS		8

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
