/*-------------------------------------------------------------------------
 *
 * sequence/skip.c
 *		How many values a sequence passes over on a new timeline.
 *
 * A promoted standby may not have received the last reservations of the
 * primary, and a server that was restored to an earlier moment lacks later
 * ones.  Their values were perhaps handed out.  So the first reservation on a
 * new timeline passes over some values (sequence/timeline.c says when).  It
 * does so in passes, one for each timeline since the sequence was last changed:
 * a server of such a timeline may have passed over values itself, and handed
 * out the values behind them, before it was lost.
 *
 * The first pass covers two blocks, because a primary has at most one block in
 * use and one ahead.  The page tells the size of the block before these two.
 * A server that was lost later may have had both blocks.  Its own skip was
 * computed from the second one, so each further pass is computed from the
 * greatest size that the second one can have.  A quiet sequence has small
 * blocks, and passes over 1,000 values at a time.  Each pass leaves fifteen
 * sixteenths of the values that are left.
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

#include "sequence/block_size.h"
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
 * Take up to "passes" passes of up to "most" (1 or more) values each, from
 * *left values.  Each pass takes at most a sixteenth of what is left.  Returns
 * the number of values taken.
 */
static uint64
gid_skip_take(uint64 *left, uint32 passes, uint64 most)
{
	uint64		before = *left;
	uint64		whole;

	/* those of "most" values at once; what is left allows so many of them */
	whole = before / most;
	whole = whole < GID_SKIP_SHARE ? 0 : whole - (GID_SKIP_SHARE - 1);
	whole = Min(whole, passes);
	*left -= whole * most;
	/* each takes a sixteenth, so there are some hundred of them */
	for (passes -= (uint32) whole; passes > 0 && *left >= GID_SKIP_SHARE; passes--)
		*left -= *left / GID_SKIP_SHARE;
	return before - *left;
}

/* The values of two more blocks, after one of "block" values. */
static uint64
gid_skip_two_blocks(uint64 block)
{
	return block * (GID_RESERVE_GROWTH + GID_RESERVE_GROWTH * GID_RESERVE_GROWTH);
}

/*
 * The number of values that a sequence passes over on a new timeline, in
 * "passes" passes (1 or more).  "setting" is gid.timeline_skip: the number of a
 * pass, of which as many are passed over as the sequence has left, or
 * GID_SKIP_DEFAULT.  "largest_block" (1 or more) is the size of the largest
 * block that the sequence could have had.
 */
uint64
gid_skip_count(const GidSequence *seq, uint32 passes, int64 setting, int64 largest_block)
{
	uint64		left = gid_skip_left(seq);
	uint64		most = 2 * (uint64) largest_block;
	uint64		block = (uint64) seq->block;	/* 32 bits at most */
	uint64		first;
	uint64		further;

	if (setting >= 0)			/* 31 bits */
		return Min((uint64) setting * passes, left);
	first = Max(gid_skip_two_blocks(block), GID_SKIP_LEAST);
	block *= GID_RESERVE_GROWTH * GID_RESERVE_GROWTH;
	further = Max(gid_skip_two_blocks(block), GID_SKIP_LEAST);
	first = gid_skip_take(&left, 1, Min(first, most));
	return first + gid_skip_take(&left, passes - 1, Min(further, most));
}

/*
 * The number of generator numbers that are passed over on a new timeline, in
 * "passes" passes (1 or more), of those from "floor" to "ceiling" of an
 * ascending sequence.  "leases" is the number of leases that a server can
 * hold.  A sequence that stands before "floor" passes over the numbers from
 * there on.
 */
uint64
gid_skip_numbers(const GidSequence *seq, uint32 passes, int64 floor, int64 ceiling,
				 int64 leases)
{
	GidSequence at = *seq;
	uint64		left;
	uint64		most;
	uint64		taken;

	if (at.last_value < floor)
	{
		at.last_value = floor;
		at.is_called = false;
	}
	at.max_value = ceiling;
	left = gid_skip_left(&at);
	most = left / GID_SKIP_SHARE_OF_NUMBERS;
	taken = gid_skip_take(&left, passes, (uint64) leases);
	return Min(taken, most);
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
