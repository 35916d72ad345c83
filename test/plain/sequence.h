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
 * The size of the next block, as the manual says it: what was drawn in the last
 * half second (or in eight seconds, up to 7), at least 2, at most twice the
 * block before and two more, at most max.  "drawn" values were drawn in the "elapsed" seconds since the last
 * reservation, *recent in the half second before that.
 */
static inline int64
plain_block_size(double *recent, double drawn, double elapsed, int64 before, int64 max)
{
	if (elapsed >= 0.5)
		*recent = drawn * 0.5 / elapsed;
	else
		*recent = *recent * (0.5 - elapsed) / 0.5 + drawn;
	return (int64) Min(Min(Max(Max(*recent, Min(*recent * 16, 7)), 2), 2 * (double) before + 2), (double) max);
}

#endif							/* PLAIN_SEQUENCE_H */
