/*-------------------------------------------------------------------------
 *
 * tap.h
 *		What the test programs of this directory share: TAP, random numbers,
 *		an independent calendar.
 *
 * A program includes postgres_fe.h, the header under test and this file, and
 * needs no server.  One line of TAP stands for a group of checks:
 *
 *		tap_begin("a moment comes back");
 *		for (...)
 *			tap_check(got == want, "ms %lld gives %lld", ms, got);
 *		tap_end();
 *
 * Of a group's failed checks the first few are shown.  A group in which
 * nothing was checked has failed.
 *
 * State: the counters of the running group and of the program, the random
 * generator.  The random numbers are the same in every run.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef TAP_H
#define TAP_H

#define TAP_SHOWN_FAILURES	5

static const char *tap_name;
static long tap_group_checks;
static long tap_group_failures;
static int	tap_groups;
static int	tap_failed_groups;
static uint64 tap_seed = 1970;

static void
tap_begin(const char *name)
{
	tap_name = name;
	tap_group_checks = 0;
	tap_group_failures = 0;
}

/* Declared first, because a definition takes no attribute. */
static void tap_fail(int line, const char *format,...)
			pg_attribute_printf(2, 3);

static void
tap_fail(int line, const char *format,...)
{
	va_list		args;

	tap_group_checks++;
	if (tap_group_failures++ >= TAP_SHOWN_FAILURES)
		return;
	printf("# line %d: ", line);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* What follows the condition is what printf takes; shown when it is false. */
#define tap_check(condition, ...) \
	((condition) ? (void) tap_group_checks++ : tap_fail(__LINE__, __VA_ARGS__))

static void
tap_end(void)
{
	bool		ok = tap_group_failures == 0 && tap_group_checks > 0;

	tap_groups++;
	if (!ok)
		tap_failed_groups++;
	printf("%s %d - %s\n", ok ? "ok" : "not ok", tap_groups, tap_name);
	if (!ok)
		printf("# %ld of %ld checks failed\n", tap_group_failures,
			   tap_group_checks);
	fflush(stdout);
}

/* The end of a program: its status. */
static int
tap_done(void)
{
	printf("1..%d\n", tap_groups);
	return tap_failed_groups == 0 && tap_groups > 0 ? 0 : 1;
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static inline uint64
tap_random(void)
{
	uint64		z = (tap_seed += UINT64CONST(0x9e3779b97f4a7c15));

	z = (z ^ z >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64CONST(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* From 0 to max, each end in one of eight. */
static inline uint64
tap_random_to(uint64 max)
{
	uint64		r = tap_random();

	if (r % 8 == 0)
		return 0;
	if (r % 8 == 1)
		return max;
	return max == PG_UINT64_MAX ? tap_random() : tap_random() % (max + 1);
}

/* Any number up to "max", often an end, or a single bit. */
static inline uint64
tap_random_part(uint64 max)
{
	uint64		bit = UINT64CONST(1) << tap_random() % 64;

	return tap_random() % 4 == 0 && bit <= max ? bit : tap_random_to(max);
}

static inline void
tap_random_bytes(uint8 *bytes, int n)
{
	for (int i = 0; i < n; i++)
		bytes[i] = (uint8) tap_random_to(0xff);
}

/*
 * Seconds from 0001-01-01 to a day of the Gregorian calendar, counted year by
 * year and month by month.
 */
static inline int64
tap_calendar_seconds(int year, int month, int day)
{
	static const int lengths[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31,
	};
	int64		days = day - 1;

	for (int y = 1; y <= year; y++)
	{
		bool		leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
		int			months = y < year ? 12 : month - 1;

		for (int m = 0; m < months; m++)
			days += lengths[m] + (m == 1 && leap);
	}
	return days * 86400;
}

#endif							/* TAP_H */
