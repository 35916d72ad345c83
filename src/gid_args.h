/*-------------------------------------------------------------------------
 *
 * gid_args.h
 *		Checks of SQL arguments that several families share.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ARGS_H
#define GID_ARGS_H

#include "datatype/timestamp.h"

/* What a number may be, and what to say when it is not. */
typedef struct GidRange
{
	const char *name;			/* of the part, in messages */
	int64		min;
	int64		max;
	const char *hint;			/* a sentence */
} GidRange;

/* The moments that a family of ids can hold. */
typedef struct GidTimeRange
{
	const char *kind;			/* of id, with its article, in messages */
	int64		min_us;			/* since the Unix epoch */
	int64		max_us;
	const char *range;			/* the same in words */
} GidTimeRange;

/* Microseconds from the Unix epoch to PostgreSQL's. */
#define GID_PG_EPOCH_US \
	((POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

extern void gid_check_range(const GidRange *range, int64 value);
extern void gid_check_length(const char *name, int length, int wanted);
extern int64 gid_check_time(const GidTimeRange *range, TimestampTz at);

/* A moment in microseconds since the Unix epoch as PostgreSQL's. */
static inline TimestampTz
gid_timestamptz(int64 unix_us)
{
	return unix_us - GID_PG_EPOCH_US;
}

#endif							/* GID_ARGS_H */
