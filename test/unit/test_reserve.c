/*-------------------------------------------------------------------------
 *
 * test_reserve.c
 *		What a reservation takes from a sequence, and what the sequence passes over
 *		on a new timeline, against nextval().
 *
 * The second implementation looks at runs: the values that a sequence gives one
 * after the other within a cycle, or within a cycle and an era.
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

#define ERA			(INT64CONST(1) << 60)
#define KINDS		(GID_REQUEST_UP_TO + 1)

static const char *
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
static int64
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

static int64
any_increment(void)
{
	static const int64 usual[] = {1, -1, 7, -7, PG_INT64_MIN, PG_INT64_MAX};
	int64		increment = any_number();

	if (increment == 0 || tap_random() % 2 == 0)
		increment = usual[tap_random() % lengthof(usual)];
	return increment;
}

/* 1 or more, as often of few digits as of many */
static int64
any_count(void)
{
	return (int64) (tap_random() >> (1 + tap_random() % 62)) | 1;
}

/* ---- reservations ---- */

/* What became of the requests of each kind. */
static struct
{
	long		given;
	long		fewer;			/* than requested */
	long		refused;
}			seen[KINDS];

/* How often can the increment be added without going behind "end"? */
static Wide
steps_to(const GidSequence *seq, Wide from, Wide end)
{
	return (end - from) / seq->increment;
}

/*
 * How many values come from "first" on, in its cycle, up to a ceiling, and in
 * its era if that matters.
 */
static Wide
plain_run(const GidSequence *seq, Wide first, Wide ceiling, bool of_era)
{
	Wide		end = seq->increment > 0 ? seq->max_value : seq->min_value;
	Wide		era_end = plain_era(first) * plain_era_size;

	if (seq->increment > 0)
		era_end += plain_era_size - 1;
	if (plain_is_after(seq, end, ceiling))
		end = ceiling;
	if (of_era && plain_is_after(seq, end, era_end))
		end = era_end;
	return plain_is_after(seq, first, end) ? 0 : 1 + steps_to(seq, first, end);
}

/* The result of a request, but for its count where fewer will do. */
static bool
plain_reserve(const GidSequence *seq, const GidRequest *request, Wide *first,
			  Wide *count)
{
	GidSequence at = *seq;
	bool		up = seq->increment > 0;
	Wide		run;
	int64		value;
	bool		wrapped;

	if (!plain_nextval(&at, &value, &wrapped))
		return false;
	*first = value;
	switch (request->kind)
	{
		case GID_REQUEST_WITHIN:
			if (plain_is_after(seq, request->floor, *first))
				*first = request->floor;
			*count = plain_run(seq, *first, request->ceiling, false);
			break;
		case GID_REQUEST_UP_TO:
			*count = plain_run(seq, *first, request->ceiling, false);
			break;
		case GID_REQUEST_WHOLE:
			*count = *first > request->floor ? 0 : (Wide) request->ceiling - request->floor + 1;
			*first = request->floor;
			return *count > 0;
		case GID_REQUEST_BATCH:
			*count = request->count;
			/* at most each era of two cycles begins a run */
			for (int i = 0; i < 80; i++)
			{
				run = plain_run(seq, *first, up ? PG_INT64_MAX : PG_INT64_MIN, true);
				if (run >= request->count)
					return true;
				at.last_value = (int64) (*first + (run - 1) * seq->increment);
				if (!plain_nextval(&at, &value, &wrapped))
					return false;
				*first = value;
			}
			return false;
		default:
			*count = plain_run(seq, *first, up ? PG_INT64_MAX : PG_INT64_MIN,
							   request->kind == GID_REQUEST_OF_ERA);
	}
	if (*count > request->count)
		*count = request->count;
	return *count > 0;
}

/* Compare one reservation, and let the sequence go on behind it. */
static void
check(GidSequence *seq, GidRequestKind kind, int64 count, int64 floor, int64 ceiling)
{
	const GidSequence before = *seq;
	const GidRequest request = {.kind = kind,.count = count,.floor = floor,.ceiling = ceiling};
	GidReserved got = {-1, -2, -3};
	Wide		first = 0;
	Wide		wanted = 0;
	bool		any = gid_reserve(seq, &request, &got);

	tap_check(memcmp(&before, seq, sizeof(before)) == 0 &&
			  any == plain_reserve(seq, &request, &first, &wanted) &&
			  (any ? got.first == first && got.count == wanted &&
			   got.last == first + (wanted - 1) * seq->increment :
			   got.first == -1 && got.last == -2 && got.count == -3),
			  "kind %d, %s: %d, " INT64_FORMAT " to " INT64_FORMAT ", " INT64_FORMAT
			  " instead of " INT64_FORMAT " from " INT64_FORMAT, kind,
			  describe(&before, count, floor, ceiling), any, got.first, got.last,
			  got.count, (int64) wanted, (int64) first);
	if (!any)
	{
		seen[kind].refused++;
		return;
	}
	seen[kind].given++;
	seen[kind].fewer += got.count < count;
	seq->last_value = got.last;
	seq->is_called = true;
}

/* The same of a copy, for each kind that has no floor. */
static void
check_kinds(const GidSequence *seq, int64 count)
{
	static const GidRequestKind kinds[] = {GID_REQUEST_SOME, GID_REQUEST_OF_ERA, GID_REQUEST_BATCH};

	for (int i = 0; i < (int) lengthof(kinds); i++)
	{
		GidSequence copy = *seq;

		check(&copy, kinds[i], count, 0, 0);
	}
}

/* All sequences within "span" values from "base" on, all counts, floors, ceilings. */
static void
check_window(int64 base, int span, bool within)
{
	static const int64 increments[] = {
		1, -1, 2, -2, 3, -3, 5, -5, ERA, PG_INT64_MAX, -PG_INT64_MAX, PG_INT64_MIN,
	};

	/* i: min, max, increment, last value, is_called and cycle */
	for (int i = 0; i < span * span * (int) lengthof(increments) * span * 4; i++)
	{
		GidSequence seq = {
			.min_value = base + i / 4 % span,
			.max_value = base + i / 4 / span % span,
			.last_value = base + i / 4 / span / span % span,
			.increment = increments[i / 4 / span / span / span],
			.is_called = i % 2 == 1,
			.cycle = i / 2 % 2 == 1,
		};
		bool		up = seq.increment > 0;
		bool		inside = seq.last_value >= seq.min_value && seq.last_value <= seq.max_value;

		/* one that was altered may stand behind its end, not before its start */
		if (seq.min_value > seq.max_value ||
			(!inside && (!seq.is_called || (up ? seq.last_value < seq.min_value :
											seq.last_value > seq.max_value))))
			continue;
		for (int count = 1; count <= span + 1; count++)
			check_kinds(&seq, count);
		/* j: count, floor and ceiling */
		for (int j = 0; within && j < (span + 1) * span * span; j++)
		{
			GidSequence copy = seq;
			int64		floor = base + j % span;
			int64		ceiling = base + j / span % span;

			check(&copy, GID_REQUEST_WITHIN, 1 + j / span / span, floor, ceiling);
			copy = seq;
			if (floor == base)
				check(&copy, GID_REQUEST_UP_TO, 1 + j / span / span, 0, ceiling);
			copy = seq;
			if (seq.increment == 1 && !seq.cycle && j / span / span == 0 &&
				floor >= seq.min_value && ceiling <= seq.max_value && floor <= ceiling)
				check(&copy, GID_REQUEST_WHOLE, 1, floor, ceiling);
		}
	}
}

static void
test_windows(void)
{
	tap_begin("every sequence of few values, every floor and ceiling");
	check_window(-3, 7, true);
	tap_end();

	tap_begin("the same at both ends of the numbers");
	check_window(PG_INT64_MAX - 5, 6, true);
	check_window(PG_INT64_MIN, 6, true);
	tap_end();

	tap_begin("the same near each border of an era");
	for (int e = -7; e <= 7; e++)
		check_window(e * ERA - 3, 6, false);
	tap_end();
}

/* A sequence from a to b or from b to a, whose last value is left open. */
static GidSequence
any_sequence(int64 a, int64 b)
{
	GidSequence seq = {0};

	seq.increment = any_increment();
	seq.min_value = Min(a, b);
	seq.max_value = Max(a, b);
	seq.cycle = tap_random() % 2 == 0;
	seq.cache = 1;
	seq.is_called = tap_random() % 2 == 0;
	return seq;
}

static void
test_reserve(void)
{
	tap_begin("random sequences, drawn from again and again");
	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < 180000; i++)
	{
		GidSequence seq;
		int64		border = (int64) (tap_random() % 15) * ERA - 7 * ERA;
		int64		a = tap_random() % 2 == 0 ? any_number() : border - (int64) (tap_random() % 500);
		int64		b = tap_random() % 2 == 0 ? any_number() : border + (int64) (tap_random() % 500);
		uint64		span;
		uint64		from;

		/* often a range of few values, so that it ends */
		if (tap_random() % 4 == 0 && a <= PG_INT64_MAX - 100)
			b = a + (int64) (tap_random() % 100);
		seq = any_sequence(a, b);
		span = (uint64) seq.max_value - (uint64) seq.min_value;
		from = tap_random_to(tap_random() % 2 == 0 ? Min(span, 20) : span);
		seq.last_value = (int64) (tap_random() % 2 == 0 ? (uint64) seq.min_value + from :
								  (uint64) seq.max_value - from);

		for (int j = 0; j < 10; j++)
		{
			bool		up = seq.increment > 0;
			GidRequestKind kind = (GidRequestKind) (tap_random() % KINDS);
			int64		floor = up ? PG_INT64_MIN : PG_INT64_MAX;
			int64		ceiling = up ? PG_INT64_MAX : PG_INT64_MIN;

			if (tap_random() % 4 == 0)
				floor = any_number();
			if (tap_random() % 4 == 0)
				ceiling = any_number();
			if (kind == GID_REQUEST_WHOLE)
			{
				/* only of a sequence that has all of them and does not cycle */
				seq.cycle = false;
				seq.increment = 1;
				floor = seq.min_value;
				from = tap_random_to(PG_INT64_MAX - 1);
				ceiling = floor + (int64) Min(span, from);
				seq.last_value = tap_random() % 2 == 0 ? floor : seq.last_value;
			}
			check(&seq, kind, kind == GID_REQUEST_WHOLE ? 1 : any_count(), floor, ceiling);
		}
	}
	for (int kind = 0; kind < KINDS; kind++)
		tap_check(seen[kind].given > 10000 && seen[kind].refused > 10000 &&
				  (seen[kind].fewer > 10000) == (kind != GID_REQUEST_WHOLE && kind != GID_REQUEST_BATCH),
				  "kind %d: %ld given, %ld of these fewer, %ld refused", kind,
				  seen[kind].given, seen[kind].fewer, seen[kind].refused);
	tap_end();
}

/* ---- what a new timeline passes over ---- */

static const GidRequest some = {.kind = GID_REQUEST_SOME,.count = 1};

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

/* Compare one skip, and the sequence behind it. */
static void
check_skip(const GidSequence *before, uint32 passes, int64 setting)
{
	GidSequence seq = *before;
	uint64		count = gid_reserve_skip(&seq, &some, passes, setting);
	Wide		wanted = plain_skip_count(before, passes, setting);
	Wide		steps = count == 0 || before->is_called ? count : count - 1;

	tap_check((Wide) count == wanted && seq.is_called == (before->is_called || count > 0) &&
			  seq.last_value == before->last_value + steps * before->increment,
			  "%s: " UINT64_FORMAT ", not " UINT64_FORMAT ", to " INT64_FORMAT,
			  describe(before, passes, setting, 0), count, (uint64) wanted, seq.last_value);
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
test_skip(void)
{
	tap_begin("what random sequences pass over");
	for (int i = 0; i < 30000; i++)
	{
		GidSequence seq;
		int64		a = any_number();
		int64		b = any_number();
		uint64		span;

		if (tap_random() % 2 == 0 && a <= PG_INT64_MAX - 5000)
			b = a + (int64) (tap_random() % 5000);
		seq = any_sequence(a, b);
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
	test_windows();
	test_reserve();
	test_named();
	test_skip();
	test_numbers();
	return tap_done();
}
