/*-------------------------------------------------------------------------
 *
 * gid_reserve.h
 *		Which values a reservation takes from a sequence.
 *
 * State: none; pure arithmetic over a sequence's parameters and the state on
 * its page, as nextval() does it for one value after the other.  test/unit
 * compares it with just that.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_RESERVE_H
#define GID_RESERVE_H

/* A sequence: its row of pg_sequence, and what stands on its page. */
typedef struct GidSequence
{
	int64		increment;		/* not 0 */
	int64		min_value;
	int64		max_value;
	bool		cycle;
	int64		last_value;
	bool		is_called;		/* false: last_value is the next value */
} GidSequence;

/* count values: first, first + increment, ... last. */
typedef struct GidReserved
{
	int64		first;
	int64		last;
	int64		count;			/* 1 or more */
} GidReserved;

/* How many steps of "increment" fit between two values, from <= to in its sense */
static inline uint64
gid_reserve_room(int64 from, int64 to, int64 increment)
{
	/* differences and steps of 64 bits need all 64 of an unsigned word */
	if (increment > 0)
		return from > to ? 0 : ((uint64) to - (uint64) from) / (uint64) increment + 1;
	return from < to ? 0 : ((uint64) from - (uint64) to) / (0 - (uint64) increment) + 1;
}

/*
 * Take up to "count" (1 or more) consecutive values, from "floor" on and not
 * beyond "ceiling", in the sequence's own direction.  They never span a cycle:
 * fewer are given where the end of the range or the ceiling comes first.
 * False, and nothing taken, when there is none.
 */
static inline bool
gid_reserve_values(const GidSequence *seq, int64 count,
				   int64 floor, int64 ceiling, GidReserved *reserved)
{
	bool		up = seq->increment > 0;
	int64		end = up ? seq->max_value : seq->min_value;
	int64		start = up ? seq->min_value : seq->max_value;
	int64		first = seq->last_value;
	uint64		room;

	if (seq->is_called)
	{
		/* room counts last_value itself, which is gone */
		if (gid_reserve_room(first, end, seq->increment) > 1)
			first += seq->increment;
		else if (seq->cycle)
			first = start;
		else
			return false;
	}
	if (up ? first < floor : first > floor)
		first = floor;
	if (up ? end > ceiling : end < ceiling)
		end = ceiling;

	room = gid_reserve_room(first, end, seq->increment);
	if (room == 0)
		return false;
	if ((uint64) count > room)
		count = (int64) room;
	reserved->first = first;
	reserved->count = count;
	reserved->last = (int64) ((uint64) first +
							  (uint64) (count - 1) * (uint64) seq->increment);
	return true;
}

#endif							/* GID_RESERVE_H */
