/*-------------------------------------------------------------------------
 *
 * test_era.c
 *		Batches and blocks within an era of GDIDs, against nextval().
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
		if (batch->count > 0 && plain_era(value) != plain_era(batch->last))
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
	GidReserved plain = {0};
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
		else if (wrapped || plain_era(value) != plain_era(block->first))
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
	GidReserved plain = {0};
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
	tap_check(got.last == got.first + (Wide) (got.count - 1) * seq->increment,
			  "%s: last " INT64_FORMAT, WHAT, got.last);
	tap_check(got.last >= seq->min_value && got.last <= seq->max_value &&
			  plain_era(got.first) == plain_era(got.last), "%s: last " INT64_FORMAT,
			  WHAT, got.last);

	/* fewer only where there are no more in the era and the cycle */
	seq->last_value = got.last;
	seq->is_called = true;
	at = *seq;
	if (got.count < count && plain_nextval(&at, &value, &wrapped) && !wrapped)
	{
		tap_check(plain_era(value) != plain_era(got.first), "%s: " INT64_FORMAT
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

int
main(void)
{
	tap_start();
	test_batches();
	test_of_era();
	return tap_done();
}
