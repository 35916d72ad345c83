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
 * How many: a block holds what was drawn in the last half second, so that a
 * crash or a restart loses about a second's values.  A small one holds what
 * was drawn in some seconds, because each costs a record.  Only drawn values
 * count: those that were reserved and lost, by a setval() or a cancelled wait,
 * never make a later block larger.  A block has at most twice as many values
 * as the block before, and two more.
 *
 * How many to pass over: a promoted standby may lack the last reservations of
 * the primary, and a server that was restored to an earlier moment lacks later
 * ones.  Their values may have been handed out.  So the first reservation on a
 * new timeline passes over some values (sequence/gate.c says when).  It makes
 * one pass for each timeline since the sequence was last changed: a server of
 * such a timeline may itself have passed over values, and handed out the
 * values behind them, before it was lost.
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

/* Does "a" come after "b" in the direction of a sequence? */
bool
gid_reserve_is_after(const GidSequence *seq, int64 a, int64 b)
{
	return seq->increment > 0 ? a > b : a < b;
}

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
	int64		first = seq->last_value;
	uint64		steps;

	if (seq->is_called)
	{
		if (gid_reserve_is_after(seq, end, first) &&
			gid_reserve_steps(first, end, seq->increment) > 0)
			first += seq->increment;
		else if (seq->cycle)
			first = up ? seq->min_value : seq->max_value;
		else
			return false;
	}
	if (gid_reserve_is_after(seq, floor, first))
		first = floor;
	if (gid_reserve_is_after(seq, end, ceiling))
		end = ceiling;
	if (gid_reserve_is_after(seq, first, end))
		return false;

	steps = Min(gid_reserve_steps(first, end, seq->increment), (uint64) (count - 1));
	reserved->first = first;
	reserved->count = (int64) steps + 1;
	reserved->last = (int64) ((uint64) first + steps * (uint64) seq->increment);
	return true;
}

/* The last value, in the increment's direction, of a value's era. */
static int64
gid_reserve_era_end(int64 value, int64 increment)
{
	uint64		low = (uint64) value & ~GID_MASK(GID_RESERVE_ERA_BITS);

	return (int64) (increment > 0 ? low | GID_MASK(GID_RESERVE_ERA_BITS) : low);
}

/*
 * Take exactly "count" (1 or more) consecutive values of one era, with floor
 * and ceiling at the ends of all int64.  Where the era or the cycle has fewer
 * values left, the batch begins with the next era or cycle, and the values
 * that were left are passed over.  Returns false when the batch fits nowhere.
 */
static bool
gid_reserve_batch(const GidSequence *seq, int64 count,
				  int64 floor, int64 ceiling, GidReserved *reserved)
{
	GidSequence at = *seq;
	GidReserved batch;

	/*
	 * Try the era where the sequence stands and each later era, then those of
	 * the next cycle.
	 */
	for (int eras = 0; eras <= 2 * GID_RESERVE_ERAS; eras++)
	{
		int64		era_end;

		if (!gid_reserve_values(&at, count, floor, ceiling, &batch))
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
		else if (gid_reserve_is_after(seq, batch.last, era_end))
			at.last_value = (int64) ((uint64) batch.first +
									 gid_reserve_steps(batch.first, era_end, seq->increment) *
									 (uint64) seq->increment);
		else
		{
			*reserved = batch;
			return true;
		}
	}
	return false;
}

/*
 * Take the requested values.  Returns false, and takes nothing, when the
 * sequence does not have them.
 */
bool
gid_reserve(const GidSequence *seq, const GidRequest *request,
			GidReserved *reserved)
{
	bool		up = seq->increment > 0;
	int64		floor = up ? PG_INT64_MIN : PG_INT64_MAX;
	int64		ceiling = up ? PG_INT64_MAX : PG_INT64_MIN;
	GidReserved one;

	switch (request->kind)
	{
		case GID_REQUEST_SOME:
			break;
		case GID_REQUEST_WITHIN:
			floor = request->floor;
			ceiling = request->ceiling;
			break;
		case GID_REQUEST_UP_TO:
			ceiling = request->ceiling;
			break;
		case GID_REQUEST_OF_ERA:
			if (!gid_reserve_values(seq, 1, floor, ceiling, &one))
				return false;
			ceiling = gid_reserve_era_end(one.first, seq->increment);
			break;
		case GID_REQUEST_BATCH:
			return gid_reserve_batch(seq, request->count, floor, ceiling, reserved);
		case GID_REQUEST_WHOLE:
			/* an ascending sequence that has not come to the floor */
			if (seq->is_called ? seq->last_value >= request->floor :
				seq->last_value > request->floor)
				return false;
			reserved->first = request->floor;
			reserved->last = request->ceiling;
			reserved->count = request->ceiling - request->floor + 1;
			return true;
	}
	return gid_reserve_values(seq, request->count, floor, ceiling, reserved);
}

/* ---- how many values the next block has ---- */

/*
 * The number of values of the next block.  "drawn" is the number of values
 * drawn so far, "lasts_us" the time that the block is to last, above 0.
 * "growth_base" is the size of the last block, or how many of its values were
 * drawn if it was ended.  The result is at least GID_RESERVE_MIN, but never
 * above "max" (1 or more).  Updates the estimate in *rate.
 */
int64
gid_reserve_size(GidRate *rate, int64 now_us, int64 drawn, int64 lasts_us,
				 int64 growth_base, int64 max)
{
	double		recent = (double) (drawn - rate->drawn);
	double		elapsed = (double) (now_us - rate->at_us) / (double) lasts_us;
	int64		limit = Min(2 * growth_base + GID_RESERVE_MIN, max);

	/*
	 * A short interval is not extrapolated: a burst of 60 values would
	 * reserve hundreds.  The values of the time before count as far as they
	 * lie within the time of a block.
	 */
	if (elapsed >= 1)
		recent /= elapsed;
	else
		recent += rate->recent * (1 - elapsed);
	rate->at_us = now_us;
	rate->drawn = drawn;
	rate->recent = recent;
	if (recent < (double) GID_RESERVE_SMALL)
		recent = Min(recent * GID_RESERVE_SMALL_LASTS, (double) GID_RESERVE_SMALL);
	return recent < (double) limit ? Min(Max((int64) recent, GID_RESERVE_MIN), limit) : limit;
}

/* ---- how many values a new timeline passes over ---- */

/*
 * How many of "left" values do "passes" passes of up to "most" (1 or more)
 * values take?  Each takes at most a sixteenth of what is left.
 */
static uint64
gid_reserve_passes(uint64 left, uint32 passes, uint64 most)
{
	uint64		before = left;
	uint64		whole = left / most;

	/* first the passes for which a sixteenth is "most" values or more */
	whole = whole < GID_SKIP_SHARE ? 0 : whole - (GID_SKIP_SHARE - 1);
	whole = Min(whole, passes);
	left -= whole * most;
	/* then each takes a sixteenth, so there are a few hundred at most */
	for (passes -= (uint32) whole; passes > 0 && left >= GID_SKIP_SHARE; passes--)
		left -= left / GID_SKIP_SHARE;
	return before - left;
}

/*
 * Move a sequence beyond the values that it passes over in "passes" passes (1
 * or more) of "setting" (1 or more) values each.  A request for a generator
 * number passes over numbers of its launch alone, at most GID_SKIP_NUMBERS a
 * pass.  Returns how many values are passed over.
 */
uint64
gid_reserve_skip(GidSequence *seq, const GidRequest *request, uint32 passes,
				 int64 setting)
{
	GidSequence at = *seq;
	int64		end;
	uint64		left = 0;
	uint64		count;

	if (request->kind == GID_REQUEST_WHOLE)
		return 0;
	if (request->kind == GID_REQUEST_WITHIN)
	{
		setting = Min(setting, GID_SKIP_NUMBERS);
		at.max_value = request->ceiling;
		if (at.last_value < request->floor)
		{
			/* the launch begins here, with the numbers passed over */
			at.last_value = request->floor;
			at.is_called = false;
		}
	}
	end = at.increment > 0 ? at.max_value : at.min_value;
	if (!gid_reserve_is_after(&at, at.last_value, end))
	{
		left = gid_reserve_steps(at.last_value, end, at.increment);
		if (!at.is_called && left < PG_UINT64_MAX)
			left++;
	}
	count = gid_reserve_passes(left, passes, (uint64) setting);
	if (count == 0)
		return 0;
	seq->last_value = (int64) ((uint64) at.last_value + (count - (at.is_called ? 0 : 1)) *
							   (uint64) at.increment);
	seq->is_called = true;
	return count;
}
