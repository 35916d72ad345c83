/*-------------------------------------------------------------------------
 *
 * id/stat_clock.c
 *		The view gid_stat_clock: times of the families that follow the clock,
 *		and the node number.
 *
 * State: none.  gid_word_stat() of clock/word.c reads the growing words
 * without a lock, and gid_node_stat() of node/node_lease.c the node number.
 * These files say what holds at a crash, a restart, a clock step and on a
 * standby.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "base/args.h"
#include "clock/word.h"
#include "node/node_lease.h"
#include "id/views.h"

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
