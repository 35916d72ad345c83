/*-------------------------------------------------------------------------
 *
 * sequence.h
 *		A second implementation of sequences: nextval() as PostgreSQL documents
 *		it, and eras, in numbers that cannot overflow.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLAIN_SEQUENCE_H
#define PLAIN_SEQUENCE_H

#include "wide.h"

static const Wide plain_era_size = (Wide) 1 << 60;

/* The number of a value's era: the value / 2^60, rounded down. */
static inline Wide
plain_era(Wide value)
{
	Wide		era = value / plain_era_size;

	return era * plain_era_size > value ? era - 1 : era;
}

/* Does the sequence give a after b? */
static inline bool
plain_is_after(const GidSequence *seq, Wide a, Wide b)
{
	return seq->increment > 0 ? a > b : a < b;
}

/*
 * nextval(): false when the sequence has reached its end.  "wrapped" says
 * whether the sequence began again.
 */
static inline bool
plain_nextval(GidSequence *seq, int64 *value, bool *wrapped)
{
	Wide		next = seq->last_value;

	*wrapped = false;
	if (seq->is_called)
	{
		next += seq->increment;
		if (next > seq->max_value || next < seq->min_value)
		{
			if (!seq->cycle)
				return false;
			*wrapped = true;
			next = seq->increment > 0 ? seq->min_value : seq->max_value;
		}
	}
	seq->last_value = (int64) next;
	seq->is_called = true;
	*value = (int64) next;
	return true;
}

/*
 * The size of the next block, from all n reservations so far: as many values
 * as were drawn in five seconds at the pace of the last three reservations, at
 * least 2, at most four times the last one (or four, at first), at most max.
 */
static inline int64
plain_block_size(const int64 *at_us, const int64 *count, int n, int64 now_us,
				 int64 left, int64 max)
{
	Wide		drawn = -left;
	Wide		size = 2;
	Wide		limit = n == 0 ? 4 : 4 * (Wide) count[n - 1];

	for (int i = Max(n - 3, 0); i < n; i++)
		drawn += count[i];
	if (n > 0)
		size = drawn * 5000000 / Max(now_us - at_us[Max(n - 3, 0)], 1);
	return (int64) Min(Min(Max(size, 2), limit), max);
}

#endif							/* PLAIN_SEQUENCE_H */
