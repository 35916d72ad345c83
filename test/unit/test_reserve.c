/*-------------------------------------------------------------------------
 *
 * test_reserve.c
 *		What a reservation takes from a sequence, against nextval().
 *
 * The second implementation looks at runs: the values that a sequence gives one
 * after the other within a cycle, or within a cycle and an era.  Up to MAX_CALLS
 * values nextval() of test/plain/sequence.h is called, too, once for each.
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

#define ERA			(INT64CONST(1) << 60)
#define KINDS		(GID_REQUEST_UP_TO + 1)

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

/* The values of a reservation one by one, up to MAX_CALLS. */
static bool
calls_agree(const GidSequence *seq, const GidRequest *request, const GidReserved *got)
{
	GidSequence at = *seq;
	int64		value;
	bool		wrapped;

	if ((request->kind == GID_REQUEST_SOME || request->kind == GID_REQUEST_OF_ERA) &&
		!(plain_nextval(&at, &value, &wrapped) && value == got->first))
		return false;
	at.last_value = value = got->first;
	at.is_called = true;
	for (int i = 1; i < got->count && i < MAX_CALLS; i++)
	{
		if (!plain_nextval(&at, &value, &wrapped) || wrapped)
			return false;
	}
	return got->count > MAX_CALLS || value == got->last;
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
			   got.last == first + (wanted - 1) * seq->increment &&
			   calls_agree(seq, &request, &got) :
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

static void
test_random(void)
{
	tap_begin("random sequences, drawn from again and again");
	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < 180000; i++)
	{
		GidSequence seq = {0};
		int64		border = (int64) (tap_random() % 15) * ERA - 7 * ERA;
		int64		a = tap_random() % 2 == 0 ? any_number() : border - (int64) (tap_random() % 500);
		int64		b = tap_random() % 2 == 0 ? any_number() : border + (int64) (tap_random() % 500);
		uint64		span;
		uint64		from;

		/* often a range of few values, so that it ends */
		if (tap_random() % 4 == 0 && a <= PG_INT64_MAX - 100)
			b = a + (int64) (tap_random() % 100);
		seq.increment = any_increment();
		seq.min_value = Min(a, b);
		seq.max_value = Max(a, b);
		seq.cycle = tap_random() % 2 == 0;
		seq.is_called = tap_random() % 2 == 0;
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

int
main(void)
{
	tap_start();
	test_windows();
	test_random();
	return tap_done();
}
