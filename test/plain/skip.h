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

static inline Wide
plain_least(Wide a, Wide b)
{
	return a < b ? a : b;
}

/*
 * The number of values that are passed over, one pass after the other: as many
 * as the setting says, a sixteenth of what is left at most.
 */
static inline Wide
plain_skip_count(const GidSequence *seq, uint32 passes, int64 setting)
{
	Wide		left = plain_left(seq);
	Wide		all = 0;

	for (uint32 pass = 0; pass < passes; pass++)
	{
		Wide		count = plain_least(setting, left / 16);

		left -= count;
		all += count;
	}
	return all;
}

#endif							/* PLAIN_SKIP_H */
