/*-------------------------------------------------------------------------
 *
 * test_reserve.c
 *		What a reservation takes from a sequence, against nextval().
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

/* nextval(), but that it goes to the floor first and not over the ceiling. */
static bool
plain_first(GidSequence *seq, int64 floor, int64 ceiling, int64 *value)
{
	bool		wrapped;

	if (!plain_nextval(seq, value, &wrapped))
		return false;
	if (plain_is_after(seq, floor, *value))
		*value = seq->last_value = floor;
	return *value >= seq->min_value && *value <= seq->max_value &&
		!plain_is_after(seq, *value, ceiling);
}

/* The next value of the same reservation. */
static bool
plain_another(GidSequence *seq, int64 ceiling, int64 *value)
{
	bool		wrapped;

	return plain_nextval(seq, value, &wrapped) && !wrapped &&
		!plain_is_after(seq, *value, ceiling);
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
	Wide		expected;

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
	expected = got.first + (Wide) (got.count - 1) * seq->increment;
	tap_check(got.last == expected, "%s: last " INT64_FORMAT, WHAT, got.last);
	tap_check(got.last >= seq->min_value && got.last <= seq->max_value &&
			  !plain_is_after(seq, got.last, ceiling), "%s: last " INT64_FORMAT,
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
	test_ahead();
	return tap_done();
}
