/*-------------------------------------------------------------------------
 *
 * sequence/reserve.h
 *		The arithmetic of reservations: which values one takes, how many the
 *		next one takes, and how many a new timeline passes over.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_RESERVE_H
#define GID_SEQUENCE_RESERVE_H

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
	GID_REQUEST_BATCH,			/* exactly count in one era, or none */
	GID_REQUEST_UP_TO			/* up to count, not beyond ceiling */
} GidRequestKind;

/* A request for values of a sequence. */
typedef struct GidRequest
{
	GidRequestKind kind;
	int64		count;			/* 1 or more */
	int64		floor;			/* WITHIN, WHOLE */
	int64		ceiling;		/* WITHIN, WHOLE, UP_TO */
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

/* How long a block is to last, and the least number of its values. */
#define GID_RESERVE_LASTS_US	INT64CONST(5000000)
#define GID_RESERVE_MIN			INT64CONST(2)

/* By what factor a block may be larger than the block before. */
#define GID_RESERVE_GROWTH		4

/* The last reservations of a sequence; all members are 0 at first. */
#define GID_RESERVE_HISTORY		3

typedef struct GidHistory
{
	int64		at_us[GID_RESERVE_HISTORY]; /* monotonic time */
	int64		count[GID_RESERVE_HISTORY]; /* values */
	int32		n;				/* reservations noted, up to HISTORY */
	int32		last;			/* index of the last one */
} GidHistory;

/* gid.timeline_skip: the number is computed from the sequence. */
#define GID_SKIP_DEFAULT		(-1)

/* How many times its values the two blocks after a block can have. */
#define GID_SKIP_TWO_BLOCKS		(GID_RESERVE_GROWTH + GID_RESERVE_GROWTH * GID_RESERVE_GROWTH)

/* The least number of values of a default pass, if as many are left. */
#define GID_SKIP_LEAST			1000

/* A pass takes at most this part of the values that are left. */
#define GID_SKIP_SHARE			16

/* All passes take at most this part of the generator numbers of a launch. */
#define GID_SKIP_SHARE_OF_NUMBERS	4

extern uint64 gid_reserve_steps(int64 from, int64 to, int64 increment);
extern int64 gid_reserve_era_end(int64 value, int64 increment);
extern int64 gid_reserve_ahead(const GidSequence *seq, int64 last, int64 *value);
extern bool gid_reserve(const GidSequence *seq, const GidRequest *request,
						GidReserved *reserved);
extern void gid_reserve_note(GidHistory *history, int64 now_us, int64 count);
extern void gid_reserve_lose(GidHistory *history, int back, int64 lost);
extern double gid_reserve_lasts_us(const GidHistory *history, int64 now_us, int64 left);
extern double gid_reserve_rate(const GidHistory *history, int64 now_us,
							   int64 left);
extern int64 gid_reserve_size(const GidHistory *history, int64 now_us,
							  int64 left, int64 max);
extern uint64 gid_reserve_skip_count(const GidSequence *seq, uint32 passes, int64 setting,
									 int64 largest_block);
extern uint64 gid_reserve_skip_numbers(const GidSequence *seq, uint32 passes, int64 floor,
									   int64 ceiling, int64 leases);
extern void gid_reserve_skip(GidSequence *seq, uint64 count);

#endif							/* GID_SEQUENCE_RESERVE_H */
