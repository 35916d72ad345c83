/*-------------------------------------------------------------------------
 *
 * sequence/skip.c
 *		How many values a sequence passes over on a new timeline.
 *
 * A promoted standby may not have received the last reservations of the
 * primary, and a server that was restored to an earlier moment lacks later
 * ones.  Their values were perhaps handed out.  So the first reservation on a
 * new timeline passes over some values (sequence/timeline.c says when).
 *
 * The default number covers two blocks, because a primary has at most one
 * block in use and one ahead.  A quiet sequence has small blocks, so it
 * passes over as many values as it has given so far, or 1,000.  A sequence
 * near its end keeps fifteen sixteenths of the values that are left.
 *
 * State: none.  The functions are pure.  They compile with and without a
 * server.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifdef FRONTEND
#include "postgres_fe.h"
#else
#include "postgres.h"
#endif

#include "sequence/skip.h"

/* How many values does a sequence have left before its end or its cycle? */
static uint64
gid_skip_left(const GidSequence *seq)
{
	bool		up = seq->increment > 0;
	int64		end = up ? seq->max_value : seq->min_value;
	uint64		steps;

	if (up ? seq->last_value > end : seq->last_value < end)
		return 0;
	steps = gid_reserve_steps(seq->last_value, end, seq->increment);
	if (seq->is_called)
		return steps;
	return Min(steps, PG_UINT64_MAX - 1) + 1;
}

/*
 * How many values has a sequence given?  It counts from START; a sequence that
 * stands before its START counts from the beginning of its range.
 */
static uint64
gid_skip_given(const GidSequence *seq)
{
	bool		up = seq->increment > 0;
	int64		start = seq->start;
	uint64		steps;

	if (up ? seq->last_value < start : seq->last_value > start)
		start = up ? seq->min_value : seq->max_value;
	if (up ? seq->last_value < start : seq->last_value > start)
		return 0;
	steps = gid_reserve_steps(start, seq->last_value, seq->increment);
	return seq->is_called ? Min(steps, PG_UINT64_MAX - 1) + 1 : steps;
}

/*
 * The number of values that a sequence passes over on a new timeline.
 * "setting" is gid.timeline_skip: a number, of which as many are passed over
 * as the sequence has left, or GID_SKIP_DEFAULT.  "largest_block" (1 or more)
 * is the size of the largest block that the sequence could have had.
 */
uint64
gid_skip_count(const GidSequence *seq, int64 setting, int64 largest_block)
{
	uint64		left = gid_skip_left(seq);
	uint64		count;

	if (setting >= 0)
		return Min((uint64) setting, left);
	count = Max(gid_skip_given(seq), GID_SKIP_LEAST);
	count = Min(count, 2 * (uint64) largest_block);
	return Min(count, left / GID_SKIP_SHARE);
}

/*
 * The number of generator numbers that are passed over on a new timeline, of
 * those from "floor" to "ceiling" of an ascending sequence.  "leases" is the
 * number of leases that a server can hold.  A sequence that stands before
 * "floor" passes over the numbers from there on.
 */
uint64
gid_skip_numbers(const GidSequence *seq, int64 floor, int64 ceiling, int64 leases)
{
	GidSequence at = *seq;

	if (at.last_value < floor)
	{
		at.last_value = floor;
		at.is_called = false;
	}
	at.max_value = ceiling;
	return Min((uint64) leases, gid_skip_left(&at) / GID_SKIP_SHARE);
}

/* Pass over "count" values, of which the sequence has as many left. */
void
gid_skip(GidSequence *seq, uint64 count)
{
	if (count == 0)
		return;
	if (!seq->is_called)
		count--;
	seq->last_value = (int64) ((uint64) seq->last_value + count * (uint64) seq->increment);
	seq->is_called = true;
}
