/*-------------------------------------------------------------------------
 *
 * base/args.h
 *		Checks of SQL arguments that several families share.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_ARGS_H
#define GID_BASE_ARGS_H

#include "datatype/timestamp.h"

#include "base/bits.h"

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
	TimestampTz min;
	TimestampTz max;
	const char *range;			/* the same in words */
} GidTimeRange;

/* Seconds from the Unix epoch to PostgreSQL's. */
#define GID_PG_EPOCH_S \
	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)
#define GID_PG_EPOCH_US			(GID_PG_EPOCH_S * USECS_PER_SEC)

/* The Unix epoch, and the last moment, as PostgreSQL's. */
#define GID_UNIX_EPOCH			(-GID_PG_EPOCH_US)
#define GID_LAST_TIMESTAMP		(END_TIMESTAMP - 1)

extern void gid_raise_range(const GidRange *range, int64 value);
extern void gid_raise_time(const GidTimeRange *range);
extern void gid_check_length(const char *name, int length, int wanted);
extern Oid	gid_arg_sequence(text *scope, text *sequence);

/* Raise 22003 unless min <= value <= max. */
static inline void
gid_check_range(const GidRange *range, int64 value)
{
	if (unlikely(value < range->min || value > range->max))
		gid_raise_range(range, value);
}

/*
 * Raise 22008 when a moment is outside the range, as the infinities are
 * outside of every one.
 */
static inline void
gid_check_time(const GidTimeRange *range, TimestampTz at)
{
	if (unlikely(at < range->min || at > range->max))
		gid_raise_time(range);
}

/* A moment in microseconds since the Unix epoch as PostgreSQL's. */
static inline TimestampTz
gid_timestamptz(int64 unix_us)
{
	return unix_us - GID_PG_EPOCH_US;
}

/*
 * The other way round, in whole seconds: microseconds since the Unix epoch do
 * not hold the last thirty years of timestamptz.
 */
static inline int64
gid_unix_seconds(TimestampTz at)
{
	return gid_floor_div(at, USECS_PER_SEC) + GID_PG_EPOCH_S;
}

#endif							/* GID_BASE_ARGS_H */
