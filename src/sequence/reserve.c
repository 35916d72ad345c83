/*-------------------------------------------------------------------------
 *
 * sequence/reserve.c
 *		The arithmetic of reservations: which values one takes, how many the
 *		next one takes, and how many a new timeline passes over.
 *
 * Which values: the functions compute from a sequence's parameters and the
 * state on its page what nextval() would compute one value after the other.
 * test/unit compares the two.
 *
 * How many: a block should last for some seconds, so that reserving is cheap
 * for each value.  It should not last longer, because a crash loses the values
 * that are left.  A block has at most GID_RESERVE_GROWTH times as many values
 * as the block before.
 *
 * How many to pass over: a promoted standby may lack the last reservations of
 * the primary, and a server that was restored to an earlier moment lacks later
 * ones.  Their values may have been handed out.  So the first reservation on a
 * new timeline passes over some values (sequence/timeline.c says when).  It
 * makes one pass for each timeline since the sequence was last changed: a
 * server of such a timeline may itself have passed over values, and handed out
 * the values behind them, before it was lost.
 *
 * The first pass covers two blocks, because a primary has at most one block in
 * use and one ahead.  The page tells the size of the block before these two.
 * A server that was lost later may have had both blocks.  It computed its own
 * pass from the second block, so each further pass is computed from the
 * greatest size that the second block can have.  A quiet sequence has small
 * blocks, and passes over 1,000 values at a time.  Each pass leaves at least
 * fifteen sixteenths of the values.  With gid.timeline_skip the owner chooses
 * the size of a pass instead.
 *
 * State: none.  The functions are pure.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "base/bits.h"
#include "sequence/reserve.h"

/* ---- which values ---- */

/*
 * How many steps of "increment" fit between two values?  "to" must not lie
 * before "from" in the increment's direction.  The difference of the values
 * needs all 64 bits of an unsigned word.
 */
uint64
gid_reserve_steps(int64 from, int64 to, int64 increment)
{
	if (increment > 0)
		return ((uint64) to - (uint64) from) / (uint64) increment;
	return ((uint64) from - (uint64) to) / (0 - (uint64) increment);
}

/*
 * Take up to "count" (1 or more) consecutive values, from "floor" on and not
 * beyond "ceiling", in the sequence's own direction.  The values never span a
 * cycle: fewer are taken where the end of the range or the ceiling comes
 * first.  Returns false when there is no value.
 */
static bool
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

/* gid_reserve_values() without floor and ceiling. */
static bool
gid_reserve_some(const GidSequence *seq, int64 count, GidReserved *reserved)
{
	bool		up = seq->increment > 0;

	return gid_reserve_values(seq, count, up ? PG_INT64_MIN : PG_INT64_MAX,
							  up ? PG_INT64_MAX : PG_INT64_MIN, reserved);
}

/* The last value, in the increment's direction, of a value's era. */
int64
gid_reserve_era_end(int64 value, int64 increment)
{
	uint64		low = (uint64) value & ~GID_MASK(GID_RESERVE_ERA_BITS);

	return (int64) (increment > 0 ? low | GID_MASK(GID_RESERVE_ERA_BITS) : low);
}

/*
 * Take exactly "count" (1 or more) consecutive values of one era.  Where the
 * era or the cycle has fewer values left, the batch begins with the next era
 * or cycle, and the values that were left are passed over.  Returns false when
 * the batch fits nowhere.
 */
static bool
gid_reserve_batch(const GidSequence *seq, int64 count, GidReserved *reserved)
{
	GidSequence at = *seq;
	bool		up = seq->increment > 0;
	GidReserved batch;

	/*
	 * Try the era where the sequence stands and each later era, then those of
	 * the next cycle.
	 */
	for (int eras = 0; eras <= 2 * GID_RESERVE_ERAS; eras++)
	{
		int64		era_end;
		uint64		steps;

		if (!gid_reserve_some(&at, count, &batch))
			return false;
		at.is_called = true;
		era_end = gid_reserve_era_end(batch.first, seq->increment);
		if (batch.count < count)
		{
			/* the batch may fit into the next cycle */
			if (!seq->cycle)
				return false;
			at.last_value = batch.last;
		}
		else if (up ? batch.last > era_end : batch.last < era_end)
		{
			steps = gid_reserve_steps(batch.first, era_end, seq->increment);
			at.last_value = (int64) ((uint64) batch.first +
									 steps * (uint64) seq->increment);
		}
		else
		{
			*reserved = batch;
			return true;
		}
	}
	return false;
}

/* Take up to "count" (1 or more) consecutive values of the first one's era. */
static bool
gid_reserve_of_era(const GidSequence *seq, int64 count, GidReserved *reserved)
{
	int64		era_end;
	uint64		steps;

	if (!gid_reserve_some(seq, count, reserved))
		return false;
	era_end = gid_reserve_era_end(reserved->first, seq->increment);
	steps = gid_reserve_steps(reserved->first, era_end, seq->increment);
	if ((uint64) (reserved->count - 1) > steps)
	{
		reserved->count = (int64) steps + 1;
		reserved->last = (int64) ((uint64) reserved->first +
								  steps * (uint64) seq->increment);
	}
	return true;
}

/*
 * Set *value to the value that comes GID_RESERVE_AHEAD steps after "last", or
 * to the last one of the range if fewer are left.  Returns the number of
 * steps.
 */
int64
gid_reserve_ahead(const GidSequence *seq, int64 last, int64 *value)
{
	int64		end = seq->increment > 0 ? seq->max_value : seq->min_value;
	uint64		steps = gid_reserve_steps(last, end, seq->increment);
	int64		ahead = (int64) Min(steps, (uint64) GID_RESERVE_AHEAD);

	*value = (int64) ((uint64) last + (uint64) ahead * (uint64) seq->increment);
	return ahead;
}

/*
 * Take the requested values.  Returns false, and takes nothing, when the
 * sequence does not have them.
 */
bool
gid_reserve(const GidSequence *seq, const GidRequest *request,
			GidReserved *reserved)
{
	switch (request->kind)
	{
		case GID_REQUEST_SOME:
			return gid_reserve_some(seq, request->count, reserved);
		case GID_REQUEST_WITHIN:
			break;
		case GID_REQUEST_WHOLE:
			/* an ascending sequence that has not come to the floor */
			if (seq->is_called ? seq->last_value >= request->floor :
				seq->last_value > request->floor)
				return false;
			reserved->first = request->floor;
			reserved->last = request->ceiling;
			reserved->count = request->ceiling - request->floor + 1;
			return true;
		case GID_REQUEST_OF_ERA:
			return gid_reserve_of_era(seq, request->count, reserved);
		case GID_REQUEST_BATCH:
			return gid_reserve_batch(seq, request->count, reserved);
		case GID_REQUEST_UP_TO:
			return gid_reserve_values(seq, request->count,
									  seq->increment > 0 ? PG_INT64_MIN : PG_INT64_MAX,
									  request->ceiling, reserved);
	}
	return gid_reserve_values(seq, request->count, request->floor,
							  request->ceiling, reserved);
}

/* ---- how many values the next block has ---- */

/* Note a reservation of "count" values at the monotonic time "now_us". */
void
gid_reserve_note(GidHistory *history, int64 now_us, int64 count)
{
	int			i = (history->last + 1) % GID_RESERVE_HISTORY;

	history->at_us[i] = now_us;
	history->count[i] = count;
	history->last = i;
	history->n = Min(history->n + 1, GID_RESERVE_HISTORY);
}

/*
 * Note that "lost" values of a reservation will not be drawn.  "back" is 0 for
 * the last reservation, 1 for the one before it.
 */
void
gid_reserve_lose(GidHistory *history, int back, int64 lost)
{
	int			at = (history->last + GID_RESERVE_HISTORY - back) % GID_RESERVE_HISTORY;

	history->count[at] = Max(history->count[at] - lost, 0);
}

/*
 * How many values were drawn since the first of the noted reservations?
 * "left" of their values are not drawn yet.  *elapsed_us is the time since
 * then, at least 1.
 */
static int64
gid_reserve_drawn(const GidHistory *history, int64 now_us, int64 left,
				  int64 *elapsed_us)
{
	int64		drawn = -left;
	int64		since_us = now_us;

	for (int i = 0; i < GID_RESERVE_HISTORY; i++)
		drawn += history->count[i];
	for (int i = 0; i < history->n; i++)
	{
		int			at = (history->last + GID_RESERVE_HISTORY - i) % GID_RESERVE_HISTORY;

		since_us = Min(since_us, history->at_us[at]);
	}
	*elapsed_us = Max(now_us - since_us, 1);
	return drawn;
}

/*
 * How fast values are drawn, in values a second, by the noted reservations.  A
 * time of less than a second counts as one second.
 */
double
gid_reserve_rate(const GidHistory *history, int64 now_us, int64 left)
{
	int64		elapsed_us;
	int64		drawn = gid_reserve_drawn(history, now_us, left, &elapsed_us);

	return Max(drawn, 0) * 1e6 / Max(elapsed_us, 1000000);
}

/*
 * How long "left" values last at the rate of the noted reservations, in
 * microseconds.  "left" values of those are not drawn yet.
 */
double
gid_reserve_lasts_us(const GidHistory *history, int64 now_us, int64 left)
{
	int64		elapsed_us;
	int64		drawn = gid_reserve_drawn(history, now_us, left, &elapsed_us);

	return (double) left * elapsed_us / Max(drawn, 1);
}

/*
 * The number of values of the next reservation: as many as are drawn in
 * GID_RESERVE_LASTS_US at the present rate.  It is at least 2, at most four
 * times the last reservation's, or four at first, and at most "max" (1 or
 * more).  "left" values of the noted reservations are not drawn yet.
 */
int64
gid_reserve_size(const GidHistory *history, int64 now_us, int64 left, int64 max)
{
	int64		elapsed_us;
	int64		drawn = gid_reserve_drawn(history, now_us, left, &elapsed_us);
	int64		size;
	int64		limit;

	limit = GID_RESERVE_GROWTH * Max(history->count[history->last], 1);
	limit = Min(limit, max);
	/* floating point does not overflow here */
	size = (int64) Min((double) drawn * GID_RESERVE_LASTS_US / elapsed_us,
					   (double) limit);
	return Min(Max(size, GID_RESERVE_MIN), limit);
}

/* ---- how many values a new timeline passes over ---- */

/* How many values does a sequence have left before its end or its cycle? */
static uint64
gid_reserve_skip_left(const GidSequence *seq)
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
gid_reserve_skip_take(uint64 *left, uint32 passes, uint64 most)
{
	uint64		before = *left;
	uint64		whole;

	/* first the passes for which a sixteenth is "most" values or more */
	whole = before / most;
	whole = whole < GID_SKIP_SHARE ? 0 : whole - (GID_SKIP_SHARE - 1);
	whole = Min(whole, passes);
	*left -= whole * most;
	/* then each takes a sixteenth, so there are a few hundred at most */
	for (passes -= (uint32) whole; passes > 0 && *left >= GID_SKIP_SHARE; passes--)
		*left -= *left / GID_SKIP_SHARE;
	return before - *left;
}

/*
 * The number of values that a sequence passes over on a new timeline, in
 * "passes" passes (1 or more).  "setting" is gid.timeline_skip: the values of
 * a pass, or GID_SKIP_DEFAULT.  "largest_block" (1 or more) is the size of the
 * largest block that the sequence could have had.  Two of them are enough, but
 * small blocks are many, and several of them may have been lost.  The result
 * is at most what the sequence has left.
 */
uint64
gid_reserve_skip_count(const GidSequence *seq, uint32 passes, int64 setting, int64 largest_block)
{
	uint64		left = gid_reserve_skip_left(seq);
	uint64		most = Max(2 * (uint64) largest_block, GID_SKIP_LEAST);
	uint64		block = (uint64) seq->block;	/* 32 bits at most */
	uint64		first;
	uint64		further;

	if (setting >= 0)			/* 31 bits */
		return Min((uint64) setting * passes, left);
	first = Max(GID_SKIP_TWO_BLOCKS * block, GID_SKIP_LEAST);
	block *= GID_RESERVE_GROWTH * GID_RESERVE_GROWTH;
	further = Max(GID_SKIP_TWO_BLOCKS * block, GID_SKIP_LEAST);
	first = gid_reserve_skip_take(&left, 1, Min(first, most));
	return first + gid_reserve_skip_take(&left, passes - 1, Min(further, most));
}

/*
 * The number of generator numbers that are passed over on a new timeline, in
 * "passes" passes (1 or more), of those from "floor" to "ceiling" of an
 * ascending sequence.  "leases" is the number of leases that a server can
 * hold.  A sequence that stands before "floor" passes over the numbers from
 * there on.
 */
uint64
gid_reserve_skip_numbers(const GidSequence *seq, uint32 passes, int64 floor, int64 ceiling,
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
	left = gid_reserve_skip_left(&at);
	most = left / GID_SKIP_SHARE_OF_NUMBERS;
	taken = gid_reserve_skip_take(&left, passes, (uint64) leases);
	return Min(taken, most);
}

/* Pass over "count" values.  The sequence has that many left. */
void
gid_reserve_skip(GidSequence *seq, uint64 count)
{
	if (count == 0)
		return;
	if (!seq->is_called)
		count--;
	seq->last_value = (int64) ((uint64) seq->last_value + count * (uint64) seq->increment);
	seq->is_called = true;
}
