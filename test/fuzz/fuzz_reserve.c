/*-------------------------------------------------------------------------
 *
 * fuzz_reserve.c
 *		Reservations of every kind, the size of a block, and what a new
 *		timeline passes over.
 *
 * The second implementation, beside test/plain/sequence.h, looks at
 * runs: the values that a sequence gives one after the other within a cycle,
 * or within a cycle and an era.  Up to a few hundred values it also calls
 * nextval(), as PostgreSQL documents it, for each.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "sequence/reserve.h"
#include "fuzz.h"
#include "../plain/sequence.h"
#include "../plain/skip.h"

/* So many values of a reservation are compared one by one. */
#define MAX_CALLS	64

enum
{
	REFUSED = GID_REQUEST_BATCH + 1, FEWER, WRAPPED, SIZE, LONG, SKIP, NO_SKIP
};

/* What was given, by the kind of the request; and what else happened. */
const char *const fuzz_outcomes[] = {
	[GID_REQUEST_SOME] = "some",
	[GID_REQUEST_WITHIN] = "within",
	[GID_REQUEST_WHOLE] = "whole",
	[GID_REQUEST_OF_ERA] = "of era",
	[GID_REQUEST_BATCH] = "batch",
	[REFUSED] = "refused",
	[FEWER] = "fewer",
	[WRAPPED] = "wrapped",
	[SIZE] = "size",
	[LONG] = "about an era",
	[SKIP] = "skip",
	[NO_SKIP] = "no skip",
	NULL
};

static bool
is_in_range(const GidSequence *seq, Wide value)
{
	return value >= seq->min_value && value <= seq->max_value;
}

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
	if (wrapped)
		fuzz_note(WRAPPED);
	switch (request->kind)
	{
		case GID_REQUEST_WITHIN:
			if (plain_is_after(seq, request->floor, *first))
				*first = request->floor;
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

/* The values of a short reservation, one by one. */
static void
check_calls(const GidSequence *seq, const GidRequest *request,
			const GidReserved *got)
{
	GidSequence at = *seq;
	int64		value;
	bool		wrapped;

	/* up to the first: none of them may be passed over but for the reason */
	if (request->kind == GID_REQUEST_SOME || request->kind == GID_REQUEST_OF_ERA)
	{
		fuzz_check(plain_nextval(&at, &value, &wrapped) && value == got->first,
				   "first " INT64_FORMAT, got->first);
	}
	at.last_value = got->first;
	at.is_called = true;
	value = got->first;
	for (int i = 1; i < got->count && i < MAX_CALLS; i++)
		fuzz_check(plain_nextval(&at, &value, &wrapped) && !wrapped,
				   "value %d of " INT64_FORMAT, i + 1, got->first);
	if (got->count > MAX_CALLS)
		return;
	fuzz_check(value == got->last, "last " INT64_FORMAT, got->last);
	if (got->count < request->count && request->kind != GID_REQUEST_WHOLE)
		fuzz_check(!plain_nextval(&at, &value, &wrapped) || wrapped ||
				   (request->kind == GID_REQUEST_WITHIN &&
					plain_is_after(seq, value, request->ceiling)) ||
				   (request->kind == GID_REQUEST_OF_ERA &&
					plain_era(value) != plain_era(got->first)),
				   "one more after " INT64_FORMAT, got->last);
}

static void
check_reserve(FuzzInput *in)
{
	GidSequence seq = {0};
	GidSequence before;
	GidRequest	request = {0};
	GidReserved got = {-1, -2, -3};
	uint8		flags = fuzz_byte(in);
	uint64		a = fuzz_number(in);
	uint64		b = fuzz_number(in);
	Wide		first = 0;
	Wide		count = 0;
	bool		any;
	bool		wanted;

	request.kind = (GidRequestKind) (flags / 16 % 5);
	seq.cycle = flags % 2 == 1;
	seq.is_called = flags / 2 % 2 == 1;
	seq.cache = 1;
	/* the range: two numbers, or a number and how many follow */
	if (flags / 4 % 2 == 1)
		b = a + (b % 300 < PG_INT64_MAX - a ? b % 300 : 0);
	seq.min_value = Min((int64) a, (int64) b);
	seq.max_value = Max((int64) a, (int64) b);
	seq.increment = (int64) fuzz_number(in);
	if (seq.increment == 0)
		seq.increment = 1;
	seq.last_value = (int64) (seq.min_value +
							  fuzz_number_to(in, (uint64) seq.max_value - seq.min_value));
	request.count = 1 + (int64) fuzz_number_to(in, PG_INT64_MAX - 1);
	request.floor = (int64) fuzz_number(in);
	request.ceiling = (int64) fuzz_number(in);
	if (request.kind == GID_REQUEST_WHOLE)
	{
		/* of a sequence that has all of them and does not cycle */
		seq.cycle = false;
		seq.increment = 1;
		request.count = 1;
		if (!is_in_range(&seq, request.floor) || !is_in_range(&seq, request.ceiling))
			request.floor = request.ceiling = seq.min_value;
		if (request.ceiling < request.floor ||
			(Wide) request.ceiling - request.floor >= PG_INT64_MAX)
			request.ceiling = request.floor;
	}
	else if (request.kind == GID_REQUEST_WITHIN && flags / 8 % 2 == 1)
	{
		request.floor = seq.increment > 0 ? seq.min_value : seq.max_value;
		request.ceiling = seq.last_value;
	}

	before = seq;
	any = gid_reserve(&seq, &request, &got);
	fuzz_check(memcmp(&before, &seq, sizeof(seq)) == 0, "the sequence has changed");
	wanted = plain_reserve(&seq, &request, &first, &count);

#define WHAT	"kind %d: " INT64_FORMAT " of " INT64_FORMAT ".." INT64_FORMAT " by " \
	INT64_FORMAT "%s, last " INT64_FORMAT "%s, from " INT64_FORMAT " to " \
	INT64_FORMAT ": %d " INT64_FORMAT " to " INT64_FORMAT ", " INT64_FORMAT \
	" values instead of %d " INT64_FORMAT ", " INT64_FORMAT
#define VALUES	request.kind, request.count, seq.min_value, seq.max_value, \
	seq.increment, seq.cycle ? " cycle" : "", seq.last_value, \
	seq.is_called ? "" : " not called", request.floor, request.ceiling, any, \
	got.first, got.last, got.count, wanted, (int64) first, (int64) count

	if (request.kind == GID_REQUEST_BATCH &&
		plain_era_size / (seq.increment > 0 ? (Wide) seq.increment :
						  -(Wide) seq.increment) < request.count)
		fuzz_note(LONG);
	fuzz_check(any == wanted, WHAT, VALUES);
	if (!any)
	{
		fuzz_note(REFUSED);
		fuzz_check(got.first == -1 && got.last == -2 && got.count == -3, WHAT, VALUES);
		return;
	}
	fuzz_note(request.kind);
	if (got.count < request.count)
		fuzz_note(FEWER);
	fuzz_check(got.first == first && got.count == count &&
			   got.last == first + (count - 1) * seq.increment, WHAT, VALUES);
	fuzz_check((is_in_range(&seq, got.first) || !seq.is_called) &&
			   is_in_range(&seq, got.last), WHAT, VALUES);
	if (request.kind == GID_REQUEST_BATCH || request.kind == GID_REQUEST_OF_ERA)
		fuzz_check(plain_era(got.first) == plain_era(got.last), WHAT, VALUES);
	check_calls(&seq, &request, &got);
}

/* The sizes of the blocks of a sequence, one after the other. */
static void
check_size(FuzzInput *in)
{
	GidHistory	history;
	int64		at_us[16];
	int64		count[16];
	int64		now_us = (int64) fuzz_number_to(in, INT64CONST(1) << 50);
	int64		max = 1 + (int64) fuzz_number_to(in, 65535);
	int			n = fuzz_byte(in) % 16;

	fuzz_note(SIZE);
	memset(&history, 0, sizeof(history));
	for (int i = 0; i <= n; i++)
	{
		int64		left = i == 0 ? 0 : (int64) fuzz_number_to(in, count[i - 1]);
		int64		size = plain_block_size(at_us, count, i, now_us, left, max);
		int64		got = gid_reserve_size(&history, now_us, left, max);

		fuzz_check(got == size, "block %d has " INT64_FORMAT " values instead of "
				   INT64_FORMAT, i, got, size);
		if (i == 15)
			break;
		/* the end of a sequence may give fewer */
		count[i] = 1 + (int64) fuzz_number_to(in, got - 1);
		at_us[i] = now_us;
		gid_reserve_note(&history, now_us, count[i]);
		now_us += (int64) fuzz_number_to(in, INT64CONST(1) << 45);
	}
}

/* The values that are passed over on a new timeline. */
static void
check_skip(FuzzInput *in)
{
	GidSequence seq = {.cache = 1};
	uint8		flags = fuzz_byte(in);
	int64		a = (int64) fuzz_number(in);
	int64		b = (int64) fuzz_number(in);
	uint64		span;
	uint32		passes;
	int64		setting = flags % 2 == 0 ? GID_SKIP_DEFAULT : (int64) fuzz_number_to(in, PG_INT32_MAX);
	int64		largest_block = 1 + (int64) fuzz_number_to(in, 65535);
	uint64		count;
	Wide		wanted;
	Wide		end;

	seq.is_called = flags / 2 % 2 == 1;
	seq.cycle = flags / 4 % 2 == 1;
	seq.min_value = Min(a, b);
	seq.max_value = Max(a, b);
	span = (uint64) seq.max_value - (uint64) seq.min_value;
	seq.increment = (int64) fuzz_number(in);
	if (seq.increment == 0)
		seq.increment = 1;
	seq.last_value = (int64) ((uint64) seq.min_value + fuzz_number_to(in, span));
	seq.block = (int64) fuzz_number_to(in, PG_INT32_MAX);
	passes = 1 + (uint32) fuzz_number_to(in, 5000);

	count = gid_reserve_skip_count(&seq, passes, setting, largest_block);
	wanted = plain_skip_count(&seq, passes, setting, largest_block);
	fuzz_check((Wide) count == wanted, "from " INT64_FORMAT " by " INT64_FORMAT ": "
			   UINT64_FORMAT " instead of " UINT64_FORMAT, seq.last_value, seq.increment,
			   count, (uint64) wanted);
	fuzz_note(count > 0 ? SKIP : NO_SKIP);
	end = seq.last_value + ((Wide) count - (seq.is_called || count == 0 ? 0 : 1)) * seq.increment;
	gid_reserve_skip(&seq, count);
	fuzz_check(seq.last_value == end && is_in_range(&seq, end), "at " INT64_FORMAT,
			   seq.last_value);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};

	switch (fuzz_byte(&in) % 8)
	{
		case 7:
			check_size(&in);
			break;
		case 6:
			check_skip(&in);
			break;
		default:
			check_reserve(&in);
	}
	return 0;
}
