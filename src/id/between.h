/*-------------------------------------------------------------------------
 *
 * id/between.h
 *		The two ends of a range of time, as ids.
 *
 * See id/between.c for the rules.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_BETWEEN_H
#define GID_ID_BETWEEN_H

#include "fmgr.h"

#include "base/args.h"

typedef struct GidIdTimes GidIdTimes;

/* A family whose order is the order of its times. */
struct GidIdTimes
{
	const GidTimeRange *range;	/* the moments that an id can have */

	/*
	 * Ids have the time to this many microseconds.  range->min is the first
	 * microsecond of a unit, range->max the last.
	 */
	int64		unit_us;

	/*
	 * Return the smallest id of a moment's unit or, with "last", the largest.
	 * "times" is this struct, for a family whose ids depend on the range.
	 */
	Datum		(*id_of) (const GidIdTimes *times, TimestampTz at, bool last);
};

extern Datum gid_between_low(FunctionCallInfo fcinfo, const GidIdTimes *times);
extern Datum gid_between_below(FunctionCallInfo fcinfo,
							   const GidIdTimes *times);

/*
 * Define what SQL calls for a family: <name>_min(at), <name>_max(at),
 * <name>_low(since) and <name>_below(until).  _min and _max return the
 * smallest and the largest id of a moment, and raise 22008 outside the
 * family's range.
 */
#define GID_BETWEEN_SUPPORT(name, times) \
	GID_FUNCTION(name##_min, (times)->id_of((times), PG_GETARG_TIMESTAMPTZ(0), false)) \
	GID_FUNCTION(name##_max, (times)->id_of((times), PG_GETARG_TIMESTAMPTZ(0), true)) \
	GID_FUNCTION(name##_low, gid_between_low(fcinfo, (times))) \
	GID_FUNCTION(name##_below, gid_between_below(fcinfo, (times)))

#endif							/* GID_ID_BETWEEN_H */
