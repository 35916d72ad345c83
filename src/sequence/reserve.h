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
} GidRequest;

/* The reserved values: first, first + increment, ... last. */
typedef struct GidReserved
{
	int64		first;
	int64		last;
	int64		count;			/* 1 or more */
} GidReserved;

/*
 * A block holds what is drawn in this time: half a second of the sequence's
 * own values, ten seconds of values from an authority, so that they last while
 * the authority is away for a moment.
 */
#define GID_RESERVE_LASTS_US	INT64CONST(500000)
#define GID_RESERVE_LASTS_FETCHED_US	INT64CONST(10000000)

/* A block has at most this part of the values of its sequence's range. */
#define GID_BLOCK_RANGE_SHARE	64

/* The least number of values of a block, unless gid.max_block_size is 1. */
#define GID_RESERVE_MIN			INT64CONST(2)

/*
 * A small block lasts longer, by this factor, so that a sequence from which
 * values are drawn once a second does not write a record for each second one.
 * A crash loses few values of it all the same.  A block of up to this size
 * has its mark at the last value, or none.
 */
#define GID_RESERVE_SMALL		INT64CONST(7)
#define GID_RESERVE_SMALL_LASTS	16

/* How fast values of a sequence are drawn; all members are 0 at first. */
typedef struct GidRate
{
	int64		at_us;			/* monotonic time of the last estimate */
	int64		drawn;			/* values drawn until then */
	double		recent;			/* values drawn in a block's time before then */
} GidRate;

/* A pass takes at most this part of the values that are left. */
#define GID_SKIP_SHARE			16

/* A pass takes at most so many generator numbers of a launch. */
#define GID_SKIP_NUMBERS		16

extern bool gid_reserve_is_after(const GidSequence *seq, int64 a, int64 b);
extern uint64 gid_reserve_steps(int64 from, int64 to, int64 increment);
extern bool gid_reserve(const GidSequence *seq, const GidRequest *request,
						GidReserved *reserved);
extern int64 gid_reserve_size(GidRate *rate, int64 now_us, int64 drawn,
							  int64 lasts_us, int64 growth_base, int64 max);
extern uint64 gid_reserve_skip(GidSequence *seq, const GidRequest *request,
							   uint32 passes, int64 setting);

#endif							/* GID_SEQUENCE_RESERVE_H */
