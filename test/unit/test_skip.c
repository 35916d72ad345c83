/*-------------------------------------------------------------------------
 *
 * test_skip.c
 *		What a sequence passes over on a new timeline.
 *
 * nextval() of test/plain/sequence.h is called once for every value.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "sequence/reserve.h"
#include "tap.h"
#include "../plain/sequence.h"
#include "../plain/skip.h"
#include "reserve.h"

/* Compare one skip, and the sequence behind it. */
static void
check_skip(const GidSequence *before, uint32 passes, int64 setting, int64 largest_block)
{
	GidSequence seq = *before;
	GidSequence plain = *before;
	uint64		count = gid_reserve_skip_count(&seq, passes, setting, largest_block);
	Wide		wanted = plain_skip_count(before, passes, setting, largest_block);
	int64		value = before->last_value;
	bool		wrapped;

#define WHAT	describe(before, passes, setting, largest_block)

	tap_check(memcmp(before, &seq, sizeof(seq)) == 0, "%s: parameters changed", WHAT);
	tap_check((Wide) count == wanted, "%s, blocks of " INT64_FORMAT ": " UINT64_FORMAT
			  ", not " UINT64_FORMAT, WHAT, before->block, count, (uint64) wanted);
	gid_reserve_skip(&seq, count);
	if (count == 0)
	{
		tap_check(memcmp(before, &seq, sizeof(seq)) == 0, "%s: none, and it moved", WHAT);
		return;
	}
	tap_check(seq.is_called && seq.last_value >= seq.min_value &&
			  seq.last_value <= seq.max_value, "%s: stands at " INT64_FORMAT, WHAT,
			  seq.last_value);
	if (count > MAX_CALLS)
		return;
	for (uint64 i = 0; i < count; i++)
		tap_check(plain_nextval(&plain, &value, &wrapped) && !wrapped,
				  "%s: no value " UINT64_FORMAT, WHAT, i + 1);
	tap_check(seq.last_value == value, "%s: stands at " INT64_FORMAT ", not " INT64_FORMAT,
			  WHAT, seq.last_value, value);
#undef WHAT
}

/* The sequences that the manual names. */
static void
test_named(void)
{
#define UP_TO(max, cache, last, block) \
	{1, 1, (max), false, (cache), (last), true, (block)}
#define MANY	PG_INT64_MAX

	static const struct
	{
		GidSequence seq;
		uint32		passes;
		int64		setting;
		int64		largest_block;
		uint64		count;
	}			cases[] = {
		/* twenty times the last block, 1,000 at least */
		{UP_TO(MANY, 1, 1042, 0), 1, -1, 65536, 1000},
		{UP_TO(MANY, 1, 1000042, 2), 1, -1, 65536, 1000},
		{UP_TO(MANY, 1, 1042, 50), 1, -1, 65536, 1000},
		{UP_TO(MANY, 1, 1042, 51), 1, -1, 65536, 1020},
		{{1, 1, MANY, false, 1, 1, false, 0}, 1, -1, 65536, 1000},
		/* for each timeline; the further ones after blocks 16 times as large */
		{UP_TO(MANY, 1, 1042, 0), 2, -1, 65536, 2000},
		{UP_TO(MANY, 1, 1042, 3), 33, -1, 65536, 33000},
		{UP_TO(MANY, 1, 1042, 4), 2, -1, 65536, 2280},
		{UP_TO(MANY, 1, 1042, 100), 2, -1, 65536, 34000},
		{UP_TO(MANY, 1, 1042, 100), 3, -1, 65536, 66000},
		/* two blocks at most */
		{UP_TO(MANY, 1, 1042, 65536), 1, -1, 65536, 131072},
		{UP_TO(MANY, 1, 1042, 65536), 3, -1, 65536, 393216},
		{UP_TO(MANY, 1, 1042, PG_INT32_MAX), 2, -1, MANY, UINT64CONST(730144439980)},
		{UP_TO(MANY, 600, 1042, 600), 1, -1, 600, 1200},
		{UP_TO(MANY, 600, 1042, 600), 3, -1, 600, 3600},
		/* but 1,000 of small blocks */
		{UP_TO(MANY, 500, 1042, 500), 1, -1, 500, 1000},
		{UP_TO(MANY, 50, 1042, 50), 1, -1, 50, 1000},
		{UP_TO(MANY, 50, 1042, 50), 3, -1, 50, 3000},
		{UP_TO(MANY, 1, 1042, 1), 1, -1, 1, 1000},
		/* a sixteenth of what is left at most, in each pass */
		{UP_TO(16031, 1, 32, 0), 1, -1, 65536, 999},
		{UP_TO(16032, 1, 32, 0), 1, -1, 65536, 1000},
		{UP_TO(17032, 1, 32, 0), 2, -1, 65536, 2000},
		{UP_TO(17031, 1, 32, 0), 2, -1, 65536, 1999},
		{UP_TO(288, 1, 32, 0), 1, -1, 65536, 16},
		{UP_TO(288, 1, 32, 0), 2, -1, 65536, 31},
		{UP_TO(288, 1, 32, 0), 3, -1, 65536, 45},
		{UP_TO(47, 1, 32, 0), 9, -1, 65536, 0},
		{UP_TO(48, 1, 32, 0), 1, -1, 65536, 1},
		{UP_TO(48, 1, 32, 0), 9, -1, 65536, 1},
		{UP_TO(288, 1, 32, 0), PG_UINT32_MAX, -1, 65536, 241},
		{UP_TO(32767, 1, 7, 2), 1, -1, 65536, 1000},
		{UP_TO(32767, 1, 7, 2), 2, -1, 65536, 2000},
		{{1, 1, 16, false, 1, 1, false, 0}, 1, -1, 65536, 1},
		{{1, 1, 15, false, 1, 1, false, 0}, 1, -1, 65536, 0},
		{{1, 1, 10, true, 1, 10, true, 0}, 5, -1, 65536, 0},
		/* downwards */
		{{-1, PG_INT64_MIN, -1, false, 1, -1042, true, 2}, 1, -1, 65536, 1000},
		{{-1, PG_INT64_MIN, -1, false, 1, -1042, true, 2}, 4, -1, 65536, 4000},
		{{-1, -48, -1, false, 1, -32, true, 0}, 3, -1, 65536, 1},
		/* over all values, with any number of passes */
		{{1, PG_INT64_MIN, MANY, false, 1, PG_INT64_MIN, false, 0}, PG_UINT32_MAX, -1, 65536,
		UINT64CONST(4294967295000)},
		{{1, PG_INT64_MIN, MANY, false, MANY, PG_INT64_MIN, true, 0}, 1, -1, MANY, 1000},
		/* as the setting says, and no more than there are */
		{UP_TO(100, 1, 90, 0), 1, 0, 65536, 0},
		{UP_TO(100, 1, 90, 0), 9, 0, 65536, 0},
		{UP_TO(100, 1, 90, 0), 1, 10, 65536, 10},
		{UP_TO(100, 1, 90, 0), 2, 5, 65536, 10},
		{UP_TO(100, 1, 90, 0), 3, 3, 65536, 9},
		{UP_TO(100, 1, 90, 0), 1, 11, 65536, 10},
		{{1, 1, 100, false, 1, 1, false, 0}, 1, PG_INT32_MAX, 65536, 100},
		{UP_TO(MANY, 1, 1, 0), PG_UINT32_MAX, PG_INT32_MAX, 65536,
		UINT64CONST(9223372030412324865)},
	};

	tap_begin("the ends of each of the three numbers, and the setting");
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		uint64		count = gid_reserve_skip_count(&cases[i].seq, cases[i].passes, cases[i].setting,
												   cases[i].largest_block);

		tap_check(count == cases[i].count, "case %d: " UINT64_FORMAT ", not " UINT64_FORMAT,
				  i, count, cases[i].count);
		if (cases[i].passes < 10000)
			check_skip(&cases[i].seq, cases[i].passes, cases[i].setting,
					   cases[i].largest_block);
	}
	tap_end();
}

static void
test_random(void)
{
	tap_begin("random sequences");
	for (int i = 0; i < 30000; i++)
	{
		GidSequence seq = {0};
		int64		a = any_number();
		int64		b = any_number();
		uint64		span;
		int64		setting = -1;

		if (tap_random() % 2 == 0 && a <= PG_INT64_MAX - 5000)
			b = a + (int64) (tap_random() % 5000);
		seq.increment = any_increment();
		seq.min_value = Min(a, b);
		seq.max_value = Max(a, b);
		seq.cycle = tap_random() % 2 == 0;
		seq.cache = 1;
		seq.is_called = tap_random() % 2 == 0;
		span = (uint64) seq.max_value - (uint64) seq.min_value;
		seq.last_value = (int64) ((uint64) seq.min_value + tap_random_to(span));
		seq.block = (int64) (tap_random() >> (33 + tap_random() % 31));
		if (tap_random() % 3 == 0)
			setting = (int64) (tap_random() % (UINT64CONST(1) << (1 + tap_random() % 31)));
		check_skip(&seq, 1 + (uint32) (tap_random() % (tap_random() % 100 == 0 ? 5000 : 8)),
				   setting, 1 + (int64) (tap_random() % 65536));
	}
	tap_end();
}

/* Generator numbers: launch 65 has 6500000 to 6599999. */
static void
test_numbers(void)
{
	static const struct
	{
		int64		last_value;
		int64		increment;
		uint32		passes;
		uint64		count;
	}			cases[] = {
		{6500010, 1, 1, 244},
		{6499999, 1, 1, 244},
		{0, 1, 1, 244},
		{6596079, 1, 1, 244},	/* 16 * 245 are left */
		{6596095, 1, 1, 244},
		{6596096, 1, 1, 243},
		{6599983, 1, 1, 1},
		{6599984, 1, 1, 0},
		{6599999, 1, 1, 0},
		{6600000, 1, 1, 0},
		{PG_INT64_MAX, 1, 1, 0},
		{6500010, 100, 1, 62},
		{6500010, PG_INT64_MAX, 1, 0},
		/* for each timeline, a quarter of the launch at most */
		{6500010, 1, 2, 488},
		{6499999, 1, 102, 24888},
		{6499999, 1, 103, 25000},
		{6499999, 1, PG_UINT32_MAX, 25000},
		{6598399, 1, 2, 193},	/* 1,600 are left */
		{6598399, 1, 4, 362},
		{6598399, 1, 5, 400},
		{6599995, 1, 50, 0},
	};

	tap_begin("generator numbers: those of the leases, a sixteenth of the launch at most");
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		GidSequence seq = {
			.increment = cases[i].increment,
			.max_value = PG_INT64_MAX,
			.last_value = cases[i].last_value,
			.is_called = true,
		};
		uint64		count = gid_reserve_skip_numbers(&seq, cases[i].passes, 6500000, 6599999, 244);

		tap_check(count == cases[i].count, "from " INT64_FORMAT ", %u passes: " UINT64_FORMAT
				  ", not " UINT64_FORMAT, cases[i].last_value, cases[i].passes, count,
				  cases[i].count);
	}
	tap_end();
}

/* Two blocks after one, as sequence/reserve.c lets them grow. */
static void
test_growth(void)
{
	tap_begin("the first pass covers the next two blocks, each further pass those after them");
	for (int64 block = 1; block <= 65536; block++)
	{
		GidHistory	history = {0};
		GidSequence seq = {1, 1, PG_INT64_MAX, false, 1, 1, true, block};
		int64		next[4];
		int64		now_us = 1000000;

		gid_reserve_note(&history, now_us, block);
		for (int i = 0; i < (int) lengthof(next); i++)
		{
			next[i] = gid_reserve_size(&history, ++now_us, 0, 65536);
			gid_reserve_note(&history, now_us, next[i]);
		}
		tap_check(gid_reserve_skip_count(&seq, 1, -1, 65536) >= (uint64) (next[0] + next[1]),
				  "after a block of " INT64_FORMAT, block);
		tap_check(gid_reserve_skip_count(&seq, 2, -1, 65536) - gid_reserve_skip_count(&seq, 1, -1, 65536) >=
				  (uint64) (next[2] + next[3]),
				  "after a block of " INT64_FORMAT ", the second pass", block);
	}
	tap_end();
}

int
main(void)
{
	tap_start();
	test_named();
	test_random();
	test_numbers();
	test_growth();
	return tap_done();
}
