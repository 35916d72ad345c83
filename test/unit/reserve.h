/*-------------------------------------------------------------------------
 *
 * reserve.h
 *		What the tests of reservations share: describing, random sequences.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef RESERVE_H
#define RESERVE_H

/* So many values of a reservation are compared one by one. */
#define MAX_CALLS		300

static inline const char *
describe(const GidSequence *seq, int64 count, int64 floor, int64 ceiling)
{
	static char string[512];

	snprintf(string, sizeof(string),
			 INT64_FORMAT " values of " INT64_FORMAT ".." INT64_FORMAT
			 " by " INT64_FORMAT "%s, last " INT64_FORMAT "%s, from " INT64_FORMAT
			 " to " INT64_FORMAT, count, seq->min_value, seq->max_value,
			 seq->increment,
			 seq->cycle ? " cycle" : "", seq->last_value,
			 seq->is_called ? "" : " not called", floor, ceiling);
	return string;
}

/* A number near an end, near 0 or anywhere */
static inline int64
any_number(void)
{
	uint64		near = tap_random() % 1000;

	switch (tap_random() % 4)
	{
		case 0:
			return (int64) (PG_INT64_MAX - near);
		case 1:
			return (int64) (PG_INT64_MIN + near);
		case 2:
			return (int64) near - 500;
		default:
			return (int64) tap_random();
	}
}

static inline int64
any_increment(void)
{
	static const int64 usual[] = {1, -1, 7, -7, PG_INT64_MIN, PG_INT64_MAX};
	int64		increment = any_number();

	if (increment == 0 || tap_random() % 2 == 0)
		increment = usual[tap_random() % lengthof(usual)];
	return increment;
}

/* 1 or more, as often of few digits as of many */
static inline int64
any_count(void)
{
	return (int64) (tap_random() >> (1 + tap_random() % 62)) | 1;
}

#endif							/* RESERVE_H */
