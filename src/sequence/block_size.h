/*-------------------------------------------------------------------------
 *
 * sequence/block_size.h
 *		How many values the next block has.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_BLOCK_SIZE_H
#define GID_SEQUENCE_BLOCK_SIZE_H

/*
 * How many values to reserve at a time.  A block should last for some seconds,
 * so that reserving is cheap for each value.  It should not last longer,
 * because a crash loses the values that are left.  A block has at most GROWTH
 * times as many values as the block before, so that the size of one block tells
 * how many the next two can have (sequence/skip.c).
 */
#define GID_RESERVE_HISTORY		3
#define GID_RESERVE_LASTS_US	INT64CONST(5000000)
#define GID_RESERVE_MIN			INT64CONST(2)
#define GID_RESERVE_GROWTH		4

/* The last reservations of a sequence; all members are 0 at first. */
typedef struct GidHistory
{
	int64		at_us[GID_RESERVE_HISTORY]; /* monotonic time */
	int64		count[GID_RESERVE_HISTORY]; /* values */
	int32		n;				/* reservations noted, up to HISTORY */
	int32		last;			/* index of the last one */
} GidHistory;

extern void gid_history_note(GidHistory *history, int64 now_us, int64 count);
extern void gid_history_lose(GidHistory *history, int back, int64 lost);
extern double gid_history_lasts_us(const GidHistory *history, int64 now_us, int64 left);
extern double gid_history_rate(const GidHistory *history, int64 now_us,
							   int64 left);
extern int64 gid_history_size(const GidHistory *history, int64 now_us,
							  int64 left, int64 max);

#endif							/* GID_SEQUENCE_BLOCK_SIZE_H */
