/*-------------------------------------------------------------------------
 *
 * skip.h
 *		A second implementation of what a sequence passes over on a new
 *		timeline, as the manual says it, in numbers that cannot overflow.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLAIN_SKIP_H
#define PLAIN_SKIP_H

/* How many values come after the present one, up to the end of the range? */
static inline Wide
plain_left(const GidSequence *seq)
{
	Wide		end = seq->increment > 0 ? seq->max_value : seq->min_value;

	if (plain_is_after(seq, seq->last_value, end))
		return 0;
	return (end - seq->last_value) / seq->increment + (seq->is_called ? 0 : 1);
}

/* How many values came since START, or since the beginning of the range? */
static inline Wide
plain_given(const GidSequence *seq)
{
	Wide		start = seq->start;

	if (plain_is_after(seq, start, seq->last_value))
		start = seq->increment > 0 ? seq->min_value : seq->max_value;
	if (plain_is_after(seq, start, seq->last_value))
		return 0;
	return (seq->last_value - start) / seq->increment + (seq->is_called ? 1 : 0);
}

static inline Wide
plain_least(Wide a, Wide b)
{
	return a < b ? a : b;
}

/* The number of values that are passed over. */
static inline Wide
plain_skip_count(const GidSequence *seq, int64 setting, int64 largest_block)
{
	Wide		given = plain_given(seq);

	if (setting >= 0)
		return plain_least(setting, plain_left(seq));
	if (given < 1000)
		given = 1000;
	return plain_least(plain_least(given, 2 * (Wide) largest_block), plain_left(seq) / 16);
}

#endif							/* PLAIN_SKIP_H */
