/*-------------------------------------------------------------------------
 *
 * id/stat_failover.c
 *		The view of what gid does about failover and restore.
 *
 * State: none of its own.
 *
 * Crash, restart: the counters begin again at 0.  Standby: the columns of the
 * timeline are NULL, because a standby reserves nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xlog.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/pg_lsn.h"
#include "utils/timestamp.h"

#include "base/args.h"
#include "sequence/standbys.h"
#include "sequence/timeline.h"

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
	GidTimelineStat timelines;
	GidStandbyStat standbys;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "gid_stat_get_failover() does not return a row");

	/* these attach, too */
	gid_timeline_stat(&timelines);
	gid_standbys_stat(&standbys);

	nulls[0] = nulls[1] = RecoveryInProgress();
	if (!nulls[0])
	{
		GidTimeline timeline = gid_timeline_current();

		values[0] = Int64GetDatum(timeline.id);
		nulls[1] = XLogRecPtrIsInvalid(timeline.begin);
		values[1] = LSNGetDatum(timeline.begin);
	}
	values[2] = Int64GetDatum(timelines.sequences);
	values[3] = Int64GetDatum(timelines.values);
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
