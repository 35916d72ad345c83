/*-------------------------------------------------------------------------
 *
 * id/between.h
 *		The two ends of a range of time, as ids of a family of UUIDs.
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

/*
 * Write the smallest id of a moment to 16 bytes, or with "last" the largest
 * id.  The moment must be in the family's range.
 */
typedef void (*GidUuidOfTime) (uint8 *uuid, TimestampTz at, bool last);

/* A family of UUIDs whose order is the order of their times. */
typedef struct GidUuidTimes
{
	TimestampTz min;			/* the first moment that an id can have */
	TimestampTz max;			/* the last one */
	GidUuidOfTime id_of;
} GidUuidTimes;

extern Datum gid_between_low(FunctionCallInfo fcinfo, const GidUuidTimes *times);
extern Datum gid_between_below(FunctionCallInfo fcinfo,
							   const GidUuidTimes *times);

#endif							/* GID_ID_BETWEEN_H */
