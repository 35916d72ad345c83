/*-------------------------------------------------------------------------
 *
 * id/between.h
 *		The two ends of a range of time, as ids.
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
	GidTimeRange range;			/* of whole units */
	int64		unit_us;		/* the time in an id has this resolution */

	/*
	 * Return the smallest id of a moment's unit or, with "last", the largest.
	 * 22008 when the moment is out of range.
	 */
	Datum		(*id_of) (const GidIdTimes *times, TimestampTz at, bool last);
};

extern Datum gid_between_min(FunctionCallInfo fcinfo, const GidIdTimes *times);
extern Datum gid_between_max(FunctionCallInfo fcinfo, const GidIdTimes *times);
extern Datum gid_between_low(FunctionCallInfo fcinfo, const GidIdTimes *times);
extern Datum gid_between_below(FunctionCallInfo fcinfo, const GidIdTimes *times);

#endif							/* GID_ID_BETWEEN_H */
