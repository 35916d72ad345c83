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

/*
 * How many steps of "increment" fit between two values; "to" must not lie
 * before "from" in the increment's direction.  Their difference needs all 64
 * bits of an unsigned word.
 */
static inline uint64
gid_reserve_steps(int64 from, int64 to, int64 increment)
{
	if (increment > 0)
		return ((uint64) to - (uint64) from) / (uint64) increment;
	return ((uint64) from - (uint64) to) / (0 - (uint64) increment);
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
	uint64		steps;

	if (seq->is_called)
	{
		if (up ? first < end : first > end)
			steps = gid_reserve_steps(first, end, seq->increment);
		else
			steps = 0;
		if (steps > 0)
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
	if (up ? first > end : first < end)
		return false;

	steps = gid_reserve_steps(first, end, seq->increment);
	if ((uint64) (count - 1) > steps)
		count = (int64) steps + 1;
	reserved->first = first;
	reserved->count = count;
	reserved->last = (int64) ((uint64) first +
							  (uint64) (count - 1) * (uint64) seq->increment);
	return true;
}

#endif							/* GID_RESERVE_H */
