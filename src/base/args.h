/*-------------------------------------------------------------------------
 *
 * base/args.h
 *		Checks of SQL arguments, and results, that several families share.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_ARGS_H
#define GID_BASE_ARGS_H

#include "datatype/timestamp.h"
#include "fmgr.h"

#include "base/bits.h"

/* The range of a number, and the texts of the error outside it. */
typedef struct GidRange
{
	const char *name;			/* of the number, in messages */
	int64		min;
	int64		max;
	const char *hint;			/* a sentence */
} GidRange;

/* The moments that a family of ids can hold. */
typedef struct GidTimeRange
{
	const char *kind;			/* kind of id, with its article, in messages */
	TimestampTz min;
	TimestampTz max;
	const char *range;			/* the range in words */
} GidTimeRange;

/* Seconds from the Unix epoch to PostgreSQL's epoch. */
#define GID_PG_EPOCH_S \
	((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * SECS_PER_DAY)
#define GID_PG_EPOCH_US			(GID_PG_EPOCH_S * USECS_PER_SEC)

/* The Unix epoch and the last moment, as timestamptz. */
#define GID_UNIX_EPOCH			(-GID_PG_EPOCH_US)
#define GID_LAST_TIMESTAMP		(END_TIMESTAMP - 1)

/* The most bytes of an argument that a message shows. */
#define GID_SHOWN_BYTES			100

/*
 * The two arguments of "%.*s" for a text that may be cut after a character.
 * Every message that quotes what a user gave has them, because the server's
 * log gets the message, and a text has up to a gigabyte.
 */
#define GID_SHOWN(bytes, length) \
	gid_shown_length((bytes), (length)), (bytes)

extern int	gid_shown_length(const char *bytes, int length);
extern void gid_raise_range(const GidRange *range, int64 value);
extern void gid_raise_time(const GidTimeRange *range);
extern void gid_check_length(const char *name, int length, int wanted);
extern Datum gid_row(FunctionCallInfo fcinfo, Datum *values, bool *nulls);
extern Oid	gid_arg_sequence(text *scope, text *sequence);

/* Raise 22003 unless min <= value <= max. */
static inline void
gid_check_range(const GidRange *range, int64 value)
{
	if (unlikely(value < range->min || value > range->max))
		gid_raise_range(range, value);
}

/*
 * Raise 22008 unless min <= at <= max.  The infinities are outside every
 * range.
 */
static inline void
gid_check_time(const GidTimeRange *range, TimestampTz at)
{
	if (unlikely(at < range->min || at > range->max))
		gid_raise_time(range);
}

/* Return a moment as timestamptz, from microseconds since the Unix epoch. */
static inline TimestampTz
gid_timestamptz(int64 unix_us)
{
	return unix_us - GID_PG_EPOCH_US;
}

/*
 * Return the whole seconds from the Unix epoch to a moment.  Not microseconds,
 * because an int64 of these does not hold the last thirty years of
 * timestamptz.
 */
static inline int64
gid_unix_seconds(TimestampTz at)
{
	return gid_floor_div(at, USECS_PER_SEC) + GID_PG_EPOCH_S;
}

/* Define a SQL function that only returns the Datum of an expression. */
#define GID_FUNCTION(function, result) \
	PG_FUNCTION_INFO_V1(function); \
	Datum \
	function(PG_FUNCTION_ARGS) \
	{ \
		return result; \
	}

/*
 * Define the SQL function name(id bigint) -> int, which returns a part of an
 * id, or NULL when is(id) says that the id cannot be of this kind.
 */
#define GID_EXTRACT_INT(name, is, part) \
	PG_FUNCTION_INFO_V1(name); \
	Datum \
	name(PG_FUNCTION_ARGS) \
	{ \
		int64		id = PG_GETARG_INT64(0); \
		\
		if (!is(id)) \
			PG_RETURN_NULL(); \
		PG_RETURN_INT32((int32) part(id)); \
	}

#endif							/* GID_BASE_ARGS_H */
