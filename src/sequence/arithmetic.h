/*-------------------------------------------------------------------------
 *
 * sequence/arithmetic.h
 *		Which values a reservation takes from a sequence.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_ARITHMETIC_H
#define GID_SEQUENCE_ARITHMETIC_H

/* Bits of a GDID's counter; the bits above them are the era. */
#define GID_RESERVE_ERA_BITS	60

/* How many eras all int64 have, the negative values included. */
#define GID_RESERVE_ERAS		(1 << (64 - GID_RESERVE_ERA_BITS))

/* A sequence: its row of pg_sequence, and the state on its page. */
typedef struct GidSequence
{
	int64		increment;		/* not 0 */
	int64		min_value;
	int64		max_value;
	bool		cycle;
	int64		cache;			/* 1 or more */
	int64		last_value;
	bool		is_called;		/* false: last_value is the next value */
	int64		block;			/* the size that the page tells: the next
								 * block is at most four times as large; 0:
								 * nothing was reserved */
} GidSequence;

/* Which of the requested values a reservation must take. */
typedef enum GidRequestKind
{
	GID_REQUEST_SOME,			/* up to count */
	GID_REQUEST_WITHIN,			/* up to count, from floor to ceiling */
	GID_REQUEST_WHOLE,			/* all from floor to ceiling, or none */
	GID_REQUEST_OF_ERA,			/* up to count, all in one era */
	GID_REQUEST_BATCH			/* exactly count in one era, or none */
} GidRequestKind;

/* A request for values of a sequence. */
typedef struct GidRequest
{
	GidRequestKind kind;
	int64		count;			/* 1 or more */
	int64		floor;			/* WITHIN, WHOLE */
	int64		ceiling;		/* WITHIN, WHOLE */
	int64		most_skipped;	/* WITHIN: values to pass over on a new
								 * timeline, at most */
} GidRequest;

/* The reserved values: first, first + increment, ... last. */
typedef struct GidReserved
{
	int64		first;
	int64		last;
	int64		count;			/* 1 or more */
} GidReserved;

/*
 * By how many values a record is ahead of the page, so that as many calls of
 * nextval() need no record of their own: SEQ_LOG_VALS of the server's
 * commands/sequence.c.
 */
#define GID_RESERVE_AHEAD		32

extern uint64 gid_reserve_steps(int64 from, int64 to, int64 increment);
extern int64 gid_reserve_era_end(int64 value, int64 increment);
extern int64 gid_reserve_ahead(const GidSequence *seq, int64 last, int64 *value);
extern bool gid_reserve(const GidSequence *seq, const GidRequest *request,
						GidReserved *reserved);

#endif							/* GID_SEQUENCE_ARITHMETIC_H */
