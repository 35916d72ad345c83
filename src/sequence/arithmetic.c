/*-------------------------------------------------------------------------
 *
 * sequence/arithmetic.c
 *		Which values a reservation takes from a sequence.
 *
 * The functions compute from a sequence's parameters and the state on its page
 * what nextval() would compute one value after the other.  test/unit compares
 * the two.
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

#include "base/bits.h"
#include "sequence/arithmetic.h"

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
 * Take all values from "floor" to "ceiling" of an ascending sequence.  Returns
 * false when the sequence has come to "floor", or beyond it.
 */
static bool
gid_reserve_whole(const GidSequence *seq, int64 floor, int64 ceiling,
				  GidReserved *reserved)
{
	if (seq->is_called ? seq->last_value >= floor : seq->last_value > floor)
		return false;
	reserved->first = floor;
	reserved->last = ceiling;
	reserved->count = ceiling - floor + 1;
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
			return gid_reserve_whole(seq, request->floor, request->ceiling,
									 reserved);
		case GID_REQUEST_OF_ERA:
			return gid_reserve_of_era(seq, request->count, reserved);
		case GID_REQUEST_BATCH:
			return gid_reserve_batch(seq, request->count, reserved);
	}
	return gid_reserve_values(seq, request->count, request->floor,
							  request->ceiling, reserved);
}
