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
#include "reserve.h"

static const GidRequest some = {.kind = GID_REQUEST_SOME,.count = 1};

/* ---- the second implementation ---- */

/* How many values come after the present one, up to the end of the range? */
static Wide
plain_left(const GidSequence *seq)
{
	Wide		end = seq->increment > 0 ? seq->max_value : seq->min_value;

	if (plain_is_after(seq, seq->last_value, end))
		return 0;
	return (end - seq->last_value) / seq->increment + (seq->is_called ? 0 : 1);
}

/* One pass after the other: the setting, a sixteenth of what is left at most. */
static Wide
plain_skip_count(const GidSequence *seq, uint32 passes, int64 setting)
{
	Wide		left = plain_left(seq);
	Wide		all = 0;

	for (uint32 pass = 0; pass < passes; pass++)
	{
		Wide		count = Min(setting, left / 16);

		left -= count;
		all += count;
	}
	return all;
}

/* ---- checks ---- */

/* Compare one skip, and the sequence behind it. */
static void
check_skip(const GidSequence *before, uint32 passes, int64 setting)
{
	GidSequence seq = *before;
	GidSequence plain = *before;
	uint64		count = gid_reserve_skip(&seq, &some, passes, setting);
	Wide		wanted = plain_skip_count(before, passes, setting);
	int64		value = before->last_value;
	bool		wrapped;

#define WHAT	describe(before, passes, setting, 0)

	tap_check((Wide) count == wanted, "%s: " UINT64_FORMAT ", not " UINT64_FORMAT, WHAT,
			  count, (uint64) wanted);
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
#define UP_TO(max, last) {1, 1, (max), false, 1, (last), true}
#define MANY	PG_INT64_MAX

	static const struct
	{
		GidSequence seq;
		uint32		passes;
		int64		setting;
		uint64		count;
	}			cases[] = {
		{{1, 1, MANY, false, 1, 1, false}, 1, 40000, 40000},
		{UP_TO(MANY, 1042), 33, 40000, 1320000},
		{UP_TO(MANY, 1042), PG_UINT32_MAX, 40000, UINT64CONST(171798691800000)},
		{UP_TO(MANY, 1), 1, PG_INT32_MAX, PG_INT32_MAX},
		/* a sixteenth of what is left at most, in each pass */
		{UP_TO(17032, 32), 2, 1000, 2000},
		{UP_TO(17031, 32), 2, 1000, 1999},
		{UP_TO(47, 32), 9, 1000, 0},
		{UP_TO(48, 32), 9, 1000, 1},
		{UP_TO(288, 32), PG_UINT32_MAX, 1000, 241},
		/* downwards, and over all values */
		{{-1, -48, -1, false, 1, -32, true}, 3, 1000, 1},
		{{1, PG_INT64_MIN, MANY, false, 1, PG_INT64_MIN, false}, PG_UINT32_MAX, 1000,
		UINT64CONST(4294967295000)},
	};

	tap_begin("the setting, and a sixteenth of what is left");
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		GidSequence seq = cases[i].seq;
		uint64		count = gid_reserve_skip(&seq, &some, cases[i].passes, cases[i].setting);

		tap_check(count == cases[i].count, "case %d: " UINT64_FORMAT ", not " UINT64_FORMAT,
				  i, count, cases[i].count);
		if (cases[i].passes < 10000)
			check_skip(&cases[i].seq, cases[i].passes, cases[i].setting);
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
		check_skip(&seq, 1 + (uint32) (tap_random() % (tap_random() % 100 == 0 ? 5000 : 8)),
				   1 + (int64) (tap_random() % (UINT64CONST(1) << (1 + tap_random() % 31))));
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
		int64		setting;
		uint64		count;
		int64		stands;
	}			cases[] = {
		{6500010, 1, 1, 40000, 16, 6500026},
		{6499999, 1, 1, 40000, 16, 6500015},	/* the launch begins */
		{6500010, 1, 3, 5, 15, 6500025},
		{6599743, 1, 1, 40000, 16, 6599759},	/* 256 are left */
		{6599744, 1, 1, 40000, 15, 6599759},
		{6599983, 1, 1, 40000, 1, 6599984},
		{6599984, 1, 1, 40000, 0, 6599984},
		{6600000, 1, 1, 40000, 0, 6600000},
		{6500010, 100, 1, 40000, 16, 6501610},
		{6500010, PG_INT64_MAX, 1, 40000, 0, 6500010},
	};
	static const GidRequest number = {
		.kind = GID_REQUEST_WITHIN,.count = 1,.floor = 6500000,.ceiling = 6599999,
	};
	static const GidRequest whole = {
		.kind = GID_REQUEST_WHOLE,.floor = 6500000,.ceiling = 6599999,
	};

	tap_begin("generator numbers: 16 a pass, a sixteenth of the launch at most");
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		GidSequence seq = {
			.increment = cases[i].increment,
			.max_value = PG_INT64_MAX,
			.last_value = cases[i].last_value,
			.is_called = true,
		};
		GidSequence same = seq;
		uint64		count = gid_reserve_skip(&seq, &number, cases[i].passes, cases[i].setting);

		tap_check(count == cases[i].count && seq.last_value == cases[i].stands,
				  "from " INT64_FORMAT ", %u passes: " UINT64_FORMAT ", to " INT64_FORMAT,
				  cases[i].last_value, cases[i].passes, count, seq.last_value);
		tap_check(gid_reserve_skip(&same, &whole, 1, 40000) == 0, "a whole launch passes over none");
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
