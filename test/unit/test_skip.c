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
#include "sequence/skip.h"
#include "tap.h"
#include "../plain/sequence.h"
#include "../plain/skip.h"
#include "reserve.h"

/* Compare one skip, and the sequence behind it. */
static void
check_skip(const GidSequence *before, int64 setting, int64 largest_block)
{
	GidSequence seq = *before;
	GidSequence plain = *before;
	uint64		count = gid_skip_count(&seq, setting, largest_block);
	Wide		wanted = plain_skip_count(before, setting, largest_block);
	int64		value = before->last_value;
	bool		wrapped;

#define WHAT	describe(before, 1, setting, largest_block)

	tap_check(memcmp(before, &seq, sizeof(seq)) == 0, "%s: parameters changed", WHAT);
	tap_check((Wide) count == wanted, "%s: " UINT64_FORMAT ", not " UINT64_FORMAT,
			  WHAT, count, (uint64) wanted);
	gid_skip(&seq, count);
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
	static const struct
	{
		GidSequence seq;
		int64		setting;
		int64		largest_block;
		uint64		count;
	}			cases[] = {
		/* as many as were given, 1,000 at least */
		{{1, 1, PG_INT64_MAX, false, 1, 1, 1042, true}, -1, 65536, 1042},
		{{1, 1, PG_INT64_MAX, false, 1, 1, 1, false}, -1, 65536, 1000},
		{{1, 1, PG_INT64_MAX, false, 1, 1, 999, true}, -1, 65536, 1000},
		{{1, 1, PG_INT64_MAX, false, 1, 1, 1001, true}, -1, 65536, 1001},
		{{1, 1, PG_INT64_MAX, false, 1, 5000, 5001, true}, -1, 65536, 1000},
		{{1, 1, PG_INT64_MAX, false, 1, 5000, 3000, true}, -1, 65536, 3000},
		/* two blocks at most */
		{{1, 1, PG_INT64_MAX, false, 1, 1, 1000000, true}, -1, 65536, 131072},
		{{1, 1, PG_INT64_MAX, false, 50, 1, 1000000, true}, -1, 50, 100},
		{{1, 1, PG_INT64_MAX, false, 1, 1, 1000000, true}, -1, 1, 2},
		/* a sixteenth of what is left at most */
		{{1, 1, 16031, false, 1, 1, 32, true}, -1, 65536, 999},
		{{1, 1, 16032, false, 1, 1, 32, true}, -1, 65536, 1000},
		{{1, 1, 47, false, 1, 1, 32, true}, -1, 65536, 0},
		{{1, 1, 48, false, 1, 1, 32, true}, -1, 65536, 1},
		{{1, 1, 16, false, 1, 1, 1, false}, -1, 65536, 1},
		{{1, 1, 15, false, 1, 1, 1, false}, -1, 65536, 0},
		{{1, 1, 10, true, 1, 1, 10, true}, -1, 65536, 0},
		/* downwards */
		{{-1, PG_INT64_MIN, -1, false, 1, -1, -1042, true}, -1, 65536, 1042},
		{{-1, -48, -1, false, 1, -1, -32, true}, -1, 65536, 1},
		/* as the setting says, and no more than there are */
		{{1, 1, 100, false, 1, 1, 90, true}, 0, 65536, 0},
		{{1, 1, 100, false, 1, 1, 90, true}, 10, 65536, 10},
		{{1, 1, 100, false, 1, 1, 90, true}, 11, 65536, 10},
		{{1, 1, 100, false, 1, 1, 1, false}, PG_INT32_MAX, 65536, 100},
	};

	tap_begin("the ends of each of the three numbers, and the setting");
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		uint64		count = gid_skip_count(&cases[i].seq, cases[i].setting,
										   cases[i].largest_block);

		tap_check(count == cases[i].count, "case %d: " UINT64_FORMAT ", not " UINT64_FORMAT,
				  i, count, cases[i].count);
		check_skip(&cases[i].seq, cases[i].setting, cases[i].largest_block);
	}
	tap_end();
}

static void
test_random(void)
{
	tap_begin("random sequences");
	for (int i = 0; i < 300000; i++)
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
		seq.start = (int64) ((uint64) seq.min_value + tap_random_to(span));
		if (tap_random() % 3 == 0)
			setting = (int64) (tap_random() % (UINT64CONST(1) << (1 + tap_random() % 31)));
		check_skip(&seq, setting, 1 + (int64) (tap_random() % 65536));
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
		uint64		count;
	}			cases[] = {
		{6500010, 1, 244},
		{6499999, 1, 244},
		{0, 1, 244},
		{6596079, 1, 244},		/* 16 * 245 are left */
		{6596095, 1, 244},
		{6596096, 1, 243},
		{6599983, 1, 1},
		{6599984, 1, 0},
		{6599999, 1, 0},
		{6600000, 1, 0},
		{PG_INT64_MAX, 1, 0},
		{6500010, 100, 62},
		{6500010, PG_INT64_MAX, 0},
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
		uint64		count = gid_skip_numbers(&seq, 6500000, 6599999, 244);

		tap_check(count == cases[i].count, "from " INT64_FORMAT ": " UINT64_FORMAT
				  ", not " UINT64_FORMAT, cases[i].last_value, count, cases[i].count);
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
	return tap_done();
}
