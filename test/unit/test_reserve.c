/*-------------------------------------------------------------------------
 *
 * test_reserve.c
 *		What a reservation takes from a sequence, against nextval().
 *
 * The second implementation is nextval() as PostgreSQL documents it, called
 * once for every value, in numbers that cannot overflow; and for the size of a
 * block the rule in words, over all reservations.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "sequence/arithmetic.h"
#include "sequence/block_size.h"
#include "tap.h"

/* Ask for values. */
static bool
take(const GidSequence *seq, GidRequestKind kind, int64 count, int64 floor,
	 int64 ceiling, GidReserved *got)
{
	GidRequest	request = {.kind = kind,.count = count,.floor = floor,.ceiling = ceiling};

	return gid_reserve(seq, &request, got);
}

/* So many values of a reservation are compared one by one. */
#define MAX_CALLS		300

/* Is a value behind another in the sequence's sense? */
static bool
is_behind(const GidSequence *seq, __int128 a, __int128 b)
{
	return seq->increment > 0 ? a < b : a > b;
}

/*
 * nextval(): false when the sequence has reached its end.  "wrapped" says
 * whether it began again.
 */
static bool
plain_nextval(GidSequence *seq, int64 *value, bool *wrapped)
{
	__int128	next = seq->last_value;
	int64		start = seq->increment > 0 ? seq->min_value : seq->max_value;

	*wrapped = false;
	if (seq->is_called)
	{
		next += seq->increment;
		if (next > seq->max_value || next < seq->min_value)
		{
			if (!seq->cycle)
				return false;
			*wrapped = true;
			next = start;
		}
	}
	seq->last_value = (int64) next;
	seq->is_called = true;
	*value = (int64) next;
	return true;
}

/* nextval(), but that it goes to the floor first and not over the ceiling. */
static bool
plain_first(GidSequence *seq, int64 floor, int64 ceiling, int64 *value)
{
	bool		wrapped;

	if (!plain_nextval(seq, value, &wrapped))
		return false;
	if (is_behind(seq, *value, floor))
		*value = seq->last_value = floor;
	return *value >= seq->min_value && *value <= seq->max_value &&
		!is_behind(seq, ceiling, *value);
}

/* The next value of the same reservation. */
static bool
plain_another(GidSequence *seq, int64 ceiling, int64 *value)
{
	bool		wrapped;

	return plain_nextval(seq, value, &wrapped) && !wrapped &&
		!is_behind(seq, ceiling, *value);
}

static const char *
describe(const GidSequence *seq, int64 count, int64 floor, int64 ceiling)
{
	static char text[512];

	snprintf(text, sizeof(text),
			 INT64_FORMAT " values of " INT64_FORMAT ".." INT64_FORMAT
			 " by " INT64_FORMAT "%s, last " INT64_FORMAT "%s, from " INT64_FORMAT
			 " to " INT64_FORMAT, count, seq->min_value, seq->max_value,
			 seq->increment,
			 seq->cycle ? " cycle" : "", seq->last_value,
			 seq->is_called ? "" : " not called", floor, ceiling);
	return text;
}

/* Compare one reservation, and let the sequence go on behind it. */
static bool
check_reservation(GidSequence *seq, int64 count, int64 floor, int64 ceiling)
{
	const GidSequence before = *seq;
	GidSequence plain = *seq;
	GidReserved got = {-1, -2, -3};
	int64		value;
	bool		any = take(seq, GID_REQUEST_WITHIN, count, floor, ceiling, &got);
	__int128	expected;

#define WHAT	describe(&before, count, floor, ceiling)

	tap_check(memcmp(&before, seq, sizeof(before)) == 0,
			  "%s: parameters changed", WHAT);
	tap_check(any == plain_first(&plain, floor, ceiling, &value), "%s: %s",
			  WHAT,
			  any ? "some" : "none");
	if (!any)
	{
		tap_check(got.first == -1 && got.last == -2 && got.count == -3,
				  "%s: result changed", WHAT);
		return false;
	}

	tap_check(got.count >= 1 && got.count <= count, "%s: count " INT64_FORMAT,
			  WHAT, got.count);
	tap_check(got.first == value, "%s: first " INT64_FORMAT, WHAT, got.first);
	expected = got.first;
	for (int i = 1; i < got.count && i < MAX_CALLS; i++)
	{
		expected += seq->increment;
		if (!plain_another(&plain, ceiling, &value) || value != expected)
		{
			tap_check(false, "%s: no value %d of " INT64_FORMAT, WHAT, i + 1,
					  got.count);
			return false;
		}
	}

	/* the rest of a large one */
	expected = got.first + (__int128) (got.count - 1) * seq->increment;
	tap_check(got.last == expected, "%s: last " INT64_FORMAT, WHAT, got.last);
	tap_check(got.last >= seq->min_value && got.last <= seq->max_value &&
			  !is_behind(seq, ceiling, got.last), "%s: last " INT64_FORMAT,
			  WHAT, got.last);

	/* fewer only where there are no more */
	seq->last_value = got.last;
	seq->is_called = true;
	plain = *seq;
	if (got.count < count)
		tap_check(!plain_another(&plain, ceiling, &value), "%s: " INT64_FORMAT
				  " are too few", WHAT, got.count);
	return true;
#undef WHAT
}

/* All sequences within "span" values from "base" on, with all floors etc. */
static void
check_window(int64 base, int span)
{
	static const int64 increments[] = {
		1, -1, 2, -2, 3, -3, 5, -5, PG_INT64_MAX, -PG_INT64_MAX, PG_INT64_MIN,
	};
	GidSequence seq = {0};

	for (int min = 0; min < span; min++)
	{
		for (int max = min; max < span; max++)
		{
			/* i: increment, last value, is_called and cycle */
			for (int i = 0; i < (int) lengthof(increments) * span * 4; i++)
			{
				int			last = i / 4 % span;
				bool		up = increments[i / 4 / span] > 0;

				/* one beyond the end would be of an altered sequence */
				if (up ? last < min : last > max)
					continue;
				if ((last < min || last > max) && i % 2 == 0)
					continue;
				/* j: count, floor and ceiling */
				for (int j = 0; j < (span + 1) * span * span; j++)
				{
					seq.increment = increments[i / 4 / span];
					seq.min_value = base + min;
					seq.max_value = base + max;
					seq.last_value = base + last;
					seq.is_called = i % 2 == 1;
					seq.cycle = i / 2 % 2 == 1;
					(void) check_reservation(&seq, 1 + j / span / span,
											 base + j % span,
											 base + j / span % span);
				}
			}
		}
	}
}

static void
test_small(void)
{
	tap_begin("every sequence of few values, every floor and ceiling");
	check_window(-3, 7);
	tap_end();

	tap_begin("the same at the upper end of the numbers");
	check_window(PG_INT64_MAX - 5, 6);
	tap_end();

	tap_begin("the same at the lower end of the numbers");
	check_window(PG_INT64_MIN, 6);
	tap_end();
}

static void
test_whole_range(void)
{
	static const int64 increments[] = {
		1, -1, 2, -2, 7, -7, INT64CONST(1) << 32, INT64CONST(1) << 62,
		PG_INT64_MAX - 1, PG_INT64_MAX, -PG_INT64_MAX, PG_INT64_MIN,
	};
	static const int64 values[] = {
		PG_INT64_MIN, PG_INT64_MIN + 1, PG_INT64_MIN + 7, -8, -7, -1, 0, 1, 7,
		8, PG_INT64_MAX - 7, PG_INT64_MAX - 1, PG_INT64_MAX,
	};
	static const int64 counts[] = {
		1, 2, 3, 65536, INT64CONST(1) << 40, PG_INT64_MAX,
	};
	const int	nvalues = lengthof(values);

	tap_begin("sequences over all numbers, large counts");
	/* i: increment, last value, is_called and cycle */
	for (int i = 0; i < (int) lengthof(increments) * nvalues * 4; i++)
	{
		/* j: count, floor and ceiling */
		for (int j = 0; j < (int) lengthof(counts) * nvalues * nvalues; j++)
		{
			GidSequence seq = {0};

			seq.increment = increments[i / 4 / nvalues];
			seq.min_value = PG_INT64_MIN;
			seq.max_value = PG_INT64_MAX;
			seq.last_value = values[i / 4 % nvalues];
			seq.is_called = i % 2 == 1;
			seq.cycle = i / 2 % 2 == 1;
			(void) check_reservation(&seq, counts[j / nvalues / nvalues],
									 values[j % nvalues],
									 values[j / nvalues % nvalues]);
		}
	}
	tap_end();
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

static void
test_random(void)
{
	long		given = 0;
	long		refused = 0;

	tap_begin("random sequences, drawn from again and again");
	for (int i = 0; i < 100000; i++)
	{
		GidSequence seq = {0};
		int64		a = any_number();
		int64		b = tap_random() % 2 == 0 ? any_number() : a;
		uint64		span;

		/* often a range of few values, so that it ends */
		if (b == a && a <= PG_INT64_MAX - 100)
			b = a + (int64) (tap_random() % 100);
		seq.increment = any_increment();
		seq.min_value = Min(a, b);
		seq.max_value = Max(a, b);
		seq.cycle = tap_random() % 2 == 0;
		seq.is_called = tap_random() % 2 == 0;
		span = (uint64) seq.max_value - (uint64) seq.min_value;
		seq.last_value = (int64) ((uint64) seq.min_value + tap_random_to(span));

		for (int j = 0; j < 10; j++)
		{
			bool		up = seq.increment > 0;
			int64		floor = up ? PG_INT64_MIN : PG_INT64_MAX;
			int64		ceiling = up ? PG_INT64_MAX : PG_INT64_MIN;
			int64		count = any_count();

			if (tap_random() % 4 == 0)
				floor = any_number();
			if (tap_random() % 4 == 0)
				ceiling = any_number();
			if (check_reservation(&seq, count, floor, ceiling))
				given++;
			else
				refused++;
		}
	}
	tap_check(given > 50000 && refused > 50000, "%ld given, %ld refused",
			  given, refused);
	tap_end();
}

/* What id/decimal_id.c relies on: value = launch * 10^5 + generator */
static void
test_launches(void)
{
	GidSequence seq = {.increment = 1};
	GidReserved got;

	seq.max_value = INT64CONST(9999999999);

	tap_begin("a launch's numbers: from 0 on, none of a launch behind");
	tap_check(take(&seq, GID_REQUEST_WITHIN, 1, 6500000, 6599999, &got) &&
			  got.first == 6500000 && got.last == 6500000 && got.count == 1,
			  "launch 65 begins with " INT64_FORMAT, got.first);
	seq.last_value = got.last;
	seq.is_called = true;
	tap_check(take(&seq, GID_REQUEST_WITHIN, 1, 6500000, 6599999, &got) &&
			  got.first == 6500001,
			  "launch 65 goes on with " INT64_FORMAT, got.first);
	tap_check(!take(&seq, GID_REQUEST_WITHIN, 1, 6400000, 6499999, &got),
			  "launch 64 is behind");
	tap_check(take(&seq, GID_REQUEST_WITHIN, 1, 6600000, 6699999, &got) &&
			  got.first == 6600000,
			  "launch 66 begins with " INT64_FORMAT, got.first);
	seq.last_value = 6599998;
	tap_check(take(&seq, GID_REQUEST_WITHIN, 3, 6500000, 6599999, &got) &&
			  got.first == 6599999 &&
			  got.count == 1, "the last number of launch 65");
	seq.last_value = 6599999;
	tap_check(!take(&seq, GID_REQUEST_WITHIN, 1, 6500000, 6599999, &got),
			  "launch 65 is used up");
	tap_end();

	tap_begin("all numbers of a launch, or none");
	for (int64 last_value = 6399999; last_value <= 6700000; last_value++)
	{
		bool		before = last_value < 6500000;

		seq.last_value = last_value;
		got.first = -1;
		if (take(&seq, GID_REQUEST_WHOLE, 1, 6500000, 6599999, &got) != before ||
			got.first != (before ? 6500000 : -1) ||
			(before && (got.last != 6599999 || got.count != 100000)))
			tap_check(false, "from " INT64_FORMAT ": " INT64_FORMAT, last_value, got.first);
	}
	seq.last_value = 6500000;
	seq.is_called = false;
	tap_check(take(&seq, GID_REQUEST_WHOLE, 1, 6500000, 6599999, &got),
			  "from the first number, not given yet");
	tap_end();
}

/* Floor of a value by 2^60 */
static __int128
era_of(__int128 value)
{
	const		__int128 size = (__int128) 1 << 60;
	__int128	era = value / size;

	return value % size < 0 ? era - 1 : era;
}

/*
 * A batch value for value: from where the sequence is on, past an era's end
 * and past a cycle's end at most once, the first place where "count" fit.
 */
static bool
plain_batch(const GidSequence *seq, int count, GidReserved *batch)
{
	GidSequence at = *seq;
	int64		value;
	bool		wrapped;
	int			wraps = 0;
	int			eras = 0;

	batch->count = 0;
	for (;;)
	{
		if (!plain_nextval(&at, &value, &wrapped))
			return false;
		if (wrapped)
		{
			wraps++;
			batch->count = 0;
		}
		if (batch->count > 0 && era_of(value) != era_of(batch->last))
		{
			batch->count = 0;
			eras++;
		}
		if (wraps > 2 || eras > 40)
			return false;
		if (batch->count == 0)
			batch->first = value;
		batch->last = value;
		if (++batch->count == count)
			return true;
	}
}

static void
check_batch(GidSequence *seq, int count)
{
	const GidSequence before = *seq;
	GidReserved got = {-1, -2, -3};
	GidReserved plain;
	bool		any = take(seq, GID_REQUEST_BATCH, count, 0, 0, &got);
	bool		plainly = plain_batch(seq, count, &plain);

	tap_check(any == plainly, "%s: %s", describe(&before, count, 0, 0),
			  any ? "a batch" : "no batch");
	if (!any || !plainly)
		return;
	tap_check(got.first == plain.first && got.last == plain.last &&
			  got.count == count,
			  "%s: batch from " INT64_FORMAT " to " INT64_FORMAT " instead of "
			  INT64_FORMAT " to " INT64_FORMAT, describe(&before, count, 0, 0),
			  got.first, got.last, plain.first, plain.last);
}

static void
test_batches(void)
{
	static const int64 increments[] = {1, -1, 2, -3, 7, -7, INT64CONST(1) << 59};
	const int64 era = INT64CONST(1) << 60;

	tap_begin("batches: consecutive, of one cycle, all or none");
	/* i: a sequence of 1 to 7 values; j: where it is, cycle, count */
	for (int i = 0; i < 7 * 6; i++)
	{
		for (int j = 0; j < 7 * 2 * 2 * 9; j++)
		{
			GidSequence seq = {.min_value = -3,.max_value = -3 + i / 6};

			seq.increment = increments[i % 6];
			seq.last_value = Min(seq.min_value + j % 7, seq.max_value);
			seq.cycle = j / 7 % 2 == 1;
			seq.is_called = j / 14 % 2 == 1;
			check_batch(&seq, 1 + j / 28);
		}
	}
	tap_end();

	tap_begin("batches: of one era, near every border of one");
	for (int e = -7; e <= 7; e++)
	{
		for (int i = 0; i < (int) lengthof(increments) * 2 * 41; i++)
		{
			for (int count = 1; count < 12; count++)
			{
				GidSequence seq = {.min_value = PG_INT64_MIN,.max_value = PG_INT64_MAX};

				seq.increment = increments[i % lengthof(increments)];
				seq.is_called = i / lengthof(increments) % 2 == 1;
				seq.last_value = e * era + i / (int) lengthof(increments) / 2 - 20;
				check_batch(&seq, count);
			}
		}
	}
	tap_end();

	tap_begin("batches: of an era with room, which few have, with long steps");
	for (int i = 0; i < 2 * 2 * 16 * 40; i++)
	{
		bool		up = i % 2 == 0;
		int64		increment = era - i / 64 * (era / 40);

		for (int count = 2; count < 5; count++)
		{
			GidSequence seq = {.min_value = PG_INT64_MIN,.max_value = PG_INT64_MAX};

			seq.increment = up ? increment : -increment;
			seq.cycle = i / 2 % 2 == 1;
			seq.is_called = true;
			seq.last_value = (i / 4 % 16 - 8) * era + i % 7;
			check_batch(&seq, count);
		}
	}
	tap_end();

	tap_begin("batches: of a cycle that begins and ends near a border");
	for (int i = 0; i < 2 * 20 * 20; i++)
	{
		for (int count = 1; count < 9; count++)
		{
			GidSequence seq = {.cycle = true,.is_called = true};
			bool		up = i % 2 == 0;

			seq.increment = up ? 1 : -1;
			seq.min_value = era - i / 2 % 20;
			seq.max_value = 2 * era + i / 40;
			seq.last_value = up ? 2 * era - 3 : era + 3;
			check_batch(&seq, count);
		}
	}
	tap_end();

	tap_begin("batches: as long as a statement can ask for, at the ends of the numbers");
	for (int i = 0; i < 4; i++)
	{
		bool		up = i % 2 == 0;
		GidSequence seq = {.min_value = PG_INT64_MIN,.max_value = PG_INT64_MAX};
		GidReserved got;

		seq.increment = up ? 1 : -1;
		seq.is_called = true;
		seq.last_value = up ? PG_INT64_MAX - PG_INT32_MAX : PG_INT64_MIN + PG_INT32_MAX;
		if (i >= 2)
			seq.last_value += seq.increment;
		tap_check(take(&seq, GID_REQUEST_BATCH, PG_INT32_MAX, 0, 0, &got) == (i < 2),
				  "%s", describe(&seq, PG_INT32_MAX, 0, 0));
		if (i < 2)
			tap_check(got.last == (up ? PG_INT64_MAX : PG_INT64_MIN), "last "
					  INT64_FORMAT, got.last);
	}
	tap_end();
}

/*
 * A block of an era value for value, and the sequence behind it: nextval()
 * until there are "count", or the next one is of another era or cycle.  Of a
 * large one the first MAX_CALLS.
 */
static bool
plain_of_era(GidSequence *seq, int64 count, GidReserved *block)
{
	GidSequence next = *seq;
	int64		value;
	bool		wrapped;

	block->count = 0;
	while (block->count < Min(count, MAX_CALLS) &&
		   plain_nextval(&next, &value, &wrapped))
	{
		if (block->count == 0)
			block->first = value;
		else if (wrapped || era_of(value) != era_of(block->first))
			break;
		block->last = value;
		block->count++;
		*seq = next;
	}
	return block->count > 0;
}

/* What came of many blocks. */
static long era_given;
static long era_cut;			/* by the end of an era */
static long era_refused;

/* Compare one block, and let the sequence go on behind it. */
static void
check_of_era(GidSequence *seq, int64 count)
{
	const GidSequence before = *seq;
	const GidRequest request = {.kind = GID_REQUEST_OF_ERA,.count = count};
	GidSequence at = *seq;
	GidReserved got = {-1, -2, -3};
	GidReserved same = {-1, -2, -3};
	GidReserved plain;
	bool		any = take(seq, GID_REQUEST_OF_ERA, count, 0, 0, &got);
	bool		wrapped;
	int64		value;

#define WHAT	describe(&before, count, 0, 0)

	tap_check(memcmp(&before, seq, sizeof(before)) == 0,
			  "%s: parameters changed", WHAT);
	tap_check(gid_reserve(seq, &request, &same) == any &&
			  memcmp(&got, &same, sizeof(got)) == 0,
			  "%s: by request another block", WHAT);
	tap_check(any == plain_of_era(&at, count, &plain), "%s: %s", WHAT,
			  any ? "a block" : "no block");
	if (!any)
	{
		tap_check(got.first == -1 && got.last == -2 && got.count == -3,
				  "%s: result changed", WHAT);
		era_refused++;
		return;
	}
	era_given++;
	tap_check(got.first == plain.first, "%s: first " INT64_FORMAT, WHAT, got.first);
	if (got.count <= MAX_CALLS && plain.count < MAX_CALLS)
		tap_check(got.count == plain.count && got.last == plain.last,
				  "%s: " INT64_FORMAT " to " INT64_FORMAT " instead of " INT64_FORMAT,
				  WHAT, got.first, got.last, plain.last);

	/* the rest of a large one */
	tap_check(got.count >= Min(count, plain.count) && got.count <= count,
			  "%s: count " INT64_FORMAT, WHAT, got.count);
	tap_check(got.last == got.first + (__int128) (got.count - 1) * seq->increment,
			  "%s: last " INT64_FORMAT, WHAT, got.last);
	tap_check(got.last >= seq->min_value && got.last <= seq->max_value &&
			  era_of(got.first) == era_of(got.last), "%s: last " INT64_FORMAT,
			  WHAT, got.last);

	/* fewer only where there are no more in the era and the cycle */
	seq->last_value = got.last;
	seq->is_called = true;
	at = *seq;
	if (got.count < count && plain_nextval(&at, &value, &wrapped) && !wrapped)
	{
		tap_check(era_of(value) != era_of(got.first), "%s: " INT64_FORMAT
				  " are too few", WHAT, got.count);
		era_cut++;
	}
#undef WHAT
}

/* All sequences within "span" values from "base" on. */
static void
check_era_window(int64 base, int span)
{
	static const int64 increments[] = {
		1, -1, 2, -2, 3, -3, INT64CONST(1) << 60, PG_INT64_MAX, PG_INT64_MIN,
	};

	for (int i = 0; i < (int) lengthof(increments) * span * span * span; i++)
	{
		int64		min = base + i % span;
		int64		max = base + i / span % span;
		int64		last = base + i / span / span % span;

		if (last < min || last > max)
			continue;
		for (int j = 0; j < 4 * (span + 1); j++)
		{
			GidSequence seq = {.min_value = min,.max_value = max,.last_value = last};

			seq.increment = increments[i / span / span / span];
			seq.is_called = j % 2 == 1;
			seq.cycle = j / 2 % 2 == 1;
			check_of_era(&seq, 1 + j / 4);
		}
	}
}

/* One block, and what it has to be. */
static void
check_one_of_era(int64 increment, int64 next, int64 count,
				 int64 last, int64 got_count)
{
	GidSequence seq = {.min_value = PG_INT64_MIN,.max_value = PG_INT64_MAX};
	GidReserved got = {0};

	seq.increment = increment;
	seq.last_value = next;
	tap_check(take(&seq, GID_REQUEST_OF_ERA, count, 0, 0, &got) && got.first == next &&
			  got.last == last && got.count == got_count,
			  "%s: " INT64_FORMAT " to " INT64_FORMAT ", " INT64_FORMAT " values",
			  describe(&seq, count, 0, 0), got.first, got.last, got.count);
}

static void
test_of_era(void)
{
	static const int64 increments[] = {
		1, -1, 2, -3, 7, -7, 65537, INT64CONST(1) << 59, INT64CONST(1) << 60,
		PG_INT64_MAX, PG_INT64_MIN,
	};
	static const int64 counts[] = {
		1, 2, 7, 65536, INT64CONST(1) << 59, INT64CONST(1) << 60, PG_INT64_MAX,
	};
	const int64 era = INT64CONST(1) << 60;

	tap_begin("blocks of an era: the last one, the first one, all of one");
	check_one_of_era(1, era - 3, 65536, era - 1, 3);
	check_one_of_era(1, era - 3, 3, era - 1, 3);
	check_one_of_era(1, era - 3, 2, era - 2, 2);
	check_one_of_era(1, era - 1, 65536, era - 1, 1);
	check_one_of_era(1, era, 65536, era + 65535, 65536);
	check_one_of_era(1, era, PG_INT64_MAX, 2 * era - 1, era);
	check_one_of_era(1, 1, PG_INT64_MAX, era - 1, era - 1);
	check_one_of_era(7, era - 15, 65536, era - 1, 3);
	check_one_of_era(7, era - 14, 65536, era - 7, 2);
	check_one_of_era(era, 5, 65536, 5, 1);
	check_one_of_era(-1, era + 2, 65536, era, 3);
	check_one_of_era(-1, era - 1, PG_INT64_MAX, 0, era);
	tap_end();

	tap_begin("blocks of an era: below 1, where -1 is the end of one");
	check_one_of_era(1, -3, 65536, -1, 3);
	check_one_of_era(1, -1, 2, -1, 1);
	check_one_of_era(1, 0, 65536, 65535, 65536);
	check_one_of_era(2, -4, 65536, -2, 2);
	check_one_of_era(-1, 1, 65536, 0, 2);
	check_one_of_era(1, -era - 1, 65536, -era - 1, 1);
	check_one_of_era(1, PG_INT64_MIN, PG_INT64_MAX, PG_INT64_MIN + era - 1, era);
	tap_end();

	tap_begin("blocks of an era: at the largest and the smallest number");
	check_one_of_era(1, PG_INT64_MAX - 2, 65536, PG_INT64_MAX, 3);
	check_one_of_era(1, PG_INT64_MAX, PG_INT64_MAX, PG_INT64_MAX, 1);
	check_one_of_era(7, PG_INT64_MAX - 7, 65536, PG_INT64_MAX, 2);
	check_one_of_era(PG_INT64_MAX, PG_INT64_MAX - 1, 2, PG_INT64_MAX - 1, 1);
	check_one_of_era(-1, PG_INT64_MIN + 2, 65536, PG_INT64_MIN, 3);
	check_one_of_era(PG_INT64_MIN, PG_INT64_MIN, PG_INT64_MAX, PG_INT64_MIN, 1);
	tap_end();

	tap_begin("blocks of an era: every sequence of few values near a border");
	era_given = era_cut = era_refused = 0;
	for (int e = -7; e <= 7; e++)
		check_era_window(e * era - 3, 6);
	check_era_window(PG_INT64_MAX - 5, 6);
	check_era_window(PG_INT64_MIN, 6);
	tap_check(era_given > 10000 && era_cut > 10000 && era_refused > 10000,
			  "%ld given, %ld of these cut, %ld refused", era_given, era_cut,
			  era_refused);
	tap_end();

	tap_begin("blocks of an era: near every border, small and large");
	for (int e = -8; e <= 7; e++)
	{
		/* i: increment, is_called, how far from the border; j: count */
		for (int i = 0; i < (int) lengthof(increments) * 2 * 41; i++)
		{
			for (int j = 0; j < (int) lengthof(counts); j++)
			{
				GidSequence seq = {.min_value = PG_INT64_MIN,.max_value = PG_INT64_MAX};
				int64		off = i / (int) lengthof(increments) / 2 - 20;

				if (e == -8 && off < 0)
					continue;
				seq.increment = increments[i % lengthof(increments)];
				seq.is_called = i / lengthof(increments) % 2 == 1;
				seq.last_value = e * era + off;
				check_of_era(&seq, counts[j]);
			}
		}
	}
	tap_end();

	tap_begin("blocks of an era: random sequences, drawn from again and again");
	era_given = era_cut = era_refused = 0;
	for (int i = 0; i < 40000; i++)
	{
		GidSequence seq = {0};
		int64		border = (int64) (tap_random() % 15) * era - 7 * era;
		int64		a = tap_random() % 2 == 0 ? any_number() : border - (int64) (tap_random() % 500);
		int64		b = tap_random() % 2 == 0 ? any_number() : border + (int64) (tap_random() % 500);

		seq.increment = any_increment();
		seq.min_value = Min(a, b);
		seq.max_value = Max(a, b);
		seq.cycle = tap_random() % 2 == 0;
		seq.is_called = tap_random() % 2 == 0;
		seq.last_value = (int64) ((uint64) seq.min_value +
								  tap_random_to((uint64) seq.max_value - (uint64) seq.min_value));
		for (int j = 0; j < 10; j++)
			check_of_era(&seq, any_count());
	}
	tap_check(era_given > 50000 && era_cut > 10000 && era_refused > 50000,
			  "%ld given, %ld of these cut, %ld refused", era_given, era_cut,
			  era_refused);
	tap_end();
}

/* The size of the next block, from all the reservations there were. */
static int64
plain_size(const int64 *at_us, const int64 *count, int n, int64 now_us,
		   int64 left, int64 max)
{
	double		drawn = 0;
	double		size = 0;
	int64		before = n == 0 ? 0 : count[n - 1];

	for (int i = Max(n - 3, 0); i < n; i++)
		drawn += count[i];
	if (n > 0)
		size = (drawn - left) * 5000000.0 / Max(now_us - at_us[Max(n - 3, 0)], 1);
	size = Min(size, 4.0 * before + 4);
	size = Max(size, 2);
	return (int64) Min(size, (double) max);
}

static void
test_sizes(void)
{
	enum
	{
		STEPS = 60
	};
	int64		at_us[STEPS];
	int64		count[STEPS];
	static const int64 expected[] = {2, 12, 52, 212, 852, 3412, 13652, 54612, 65536, 65536};
	GidHistory	history = {0};
	int64		now_us = INT64CONST(123456789);

	tap_begin("blocks of a busy sequence grow fast");
	for (int i = 0; i < (int) lengthof(expected); i++)
	{
		int64		size = gid_history_size(&history, now_us, 0, 65536);

		tap_check(size == expected[i], "block %d has " INT64_FORMAT " values", i, size);
		gid_history_note(&history, now_us, size);
		now_us += 1000;
	}
	tap_end();

	tap_begin("blocks of a sequence that falls quiet have two values");
	now_us += INT64CONST(365) * 86400 * 1000000;
	tap_check(gid_history_size(&history, now_us, 0, 65536) == 2, "after a year");
	tap_end();

	tap_begin("blocks as the rule says, of any history");
	for (int i = 0; i < 20000; i++)
	{
		int64		max = INT64CONST(1) << tap_random_to(16);

		memset(&history, 0, sizeof(history));
		now_us = (int64) tap_random_to(1000000000);
		for (int n = 0; n < STEPS; n++)
		{
			int64		left = n == 0 ? 0 : (int64) tap_random_to(count[n - 1] / 4);
			int64		size = gid_history_size(&history, now_us, left, max);
			int64		plain = plain_size(at_us, count, n, now_us, left, max);

			tap_check(size == plain, "block %d has " INT64_FORMAT " values, not "
					  INT64_FORMAT, n, size, plain);
			/* the end of a sequence may give fewer */
			if (tap_random() % 8 == 0)
				size = 1 + (int64) tap_random_to(size - 1);
			gid_history_note(&history, now_us, size);
			at_us[n] = now_us;
			count[n] = size;
			now_us += (int64) (tap_random() >> (34 + tap_random() % 29));
		}
	}
	tap_end();

	tap_begin("the pace is what was drawn, by a second at least");
	memset(&history, 0, sizeof(history));
	tap_check(gid_history_pace(&history, 5000000, 0) == 0, "nothing is known");
	gid_history_note(&history, 5000000, 100);
	tap_check(gid_history_pace(&history, 5000000, 100) == 0, "nothing is drawn");
	tap_check(gid_history_pace(&history, 5000000, 40) == 60, "in no time");
	tap_check(gid_history_pace(&history, 5999999, 40) == 60, "in less than a second");
	tap_check(gid_history_pace(&history, 7000000, 40) == 30, "in two seconds");
	gid_history_note(&history, 7000000, 200);
	gid_history_note(&history, 8000000, 300);
	tap_check(gid_history_pace(&history, 9000000, 400) == 50, "of three blocks");
	gid_history_note(&history, 9000000, 400);
	tap_check(gid_history_pace(&history, 10000000, 600) == 100, "of the last three");
	tap_check(gid_history_pace(&history, 10000000, 901) == 0, "never below 0");
	tap_end();

	tap_begin("what was lost of a reservation does not count");
	memset(&history, 0, sizeof(history));
	gid_history_note(&history, 0, 1000);
	gid_history_note(&history, 1000, 4000);
	gid_history_lose(&history, 0, 4000);
	gid_history_lose(&history, 1, 967);
	tap_check(gid_history_pace(&history, 1000000, 0) == 33, "of two");
	tap_check(gid_history_size(&history, 1000, 0, 65536) == 4, "nothing was drawn of the last one");
	gid_history_note(&history, 2000, 4);
	tap_check(gid_history_size(&history, 2000, 0, 65536) == 20, "four times the last one, and 4");
	gid_history_lose(&history, 2, 34);
	gid_history_lose(&history, 0, 1);
	tap_check(gid_history_pace(&history, 1000000, 0) == 3, "never below 0");
	tap_end();

	tap_begin("the largest blocks do not overflow");
	memset(&history, 0, sizeof(history));
	for (int i = 0; i < 4; i++)
		gid_history_note(&history, PG_INT64_MAX / 2, 0xffffff);
	tap_check(gid_history_size(&history, PG_INT64_MAX / 2, 0, 65536) == 65536,
			  "many values in no time");
	tap_end();
}

/* How far a record is ahead, from a loop that steps on. */
static int64
plain_ahead(const GidSequence *seq, int64 last, int64 *value)
{
	int64		n = 0;

	*value = last;
	while (n < 32)
	{
		int64		next;

		if (__builtin_add_overflow(*value, seq->increment, &next) ||
			next > seq->max_value || next < seq->min_value)
			break;
		*value = next;
		n++;
	}
	return n;
}

static void
test_ahead(void)
{
	static const int64 increments[] = {1, -1, 7, -7, PG_INT64_MAX / 3, PG_INT64_MIN / 3,
	PG_INT64_MAX, PG_INT64_MIN};
	static const int64 ranges[][2] = {{1, 100}, {-100, -1}, {0, 31}, {0, 32}, {0, 33},
	{PG_INT64_MIN, PG_INT64_MAX}, {PG_INT64_MAX - 40, PG_INT64_MAX}};

	tap_begin("a record is as far ahead as there are values, 32 at most");
	for (int i = 0; i < (int) lengthof(increments); i++)
		for (int r = 0; r < (int) lengthof(ranges); r++)
			for (int n = 0; n < 200; n++)
			{
				GidSequence seq = {
					.increment = increments[i],
					.min_value = ranges[r][0],
					.max_value = ranges[r][1],
				};
				uint64		span = (uint64) seq.max_value - (uint64) seq.min_value;
				int64		last = (int64) ((uint64) seq.min_value +
											(n == 0 ? 0 : n == 1 ? span : tap_random_to(span)));
				int64		value;
				int64		plain_value;
				int64		ahead = gid_reserve_ahead(&seq, last, &value);
				int64		plain = plain_ahead(&seq, last, &plain_value);

				tap_check(ahead == plain && value == plain_value,
						  INT64_FORMAT " + " INT64_FORMAT ": " INT64_FORMAT ", not "
						  INT64_FORMAT, last, seq.increment, ahead, plain);
			}
	tap_end();
}

int
main(void)
{
	tap_start();
	test_small();
	test_whole_range();
	test_random();
	test_launches();
	test_batches();
	test_of_era();
	test_ahead();
	test_sizes();
	return tap_done();
}
