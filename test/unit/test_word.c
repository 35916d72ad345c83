/*-------------------------------------------------------------------------
 *
 * test_word.c
 *		The growing words: moments, and the step from one value to the next.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "tap.h"
#include "../plain/wide.h"
#include "../plain/word.h"

/* The first value of a word at a moment. */
static uint64
plain_at(GidWordId id, uint64 s, uint64 ns)
{
	const PlainWord *word = &plain_words[id];
	uint64		tick_ns = 1000000000 / word->ticks;
	uint64		at = ((s + word->epoch_s) * word->ticks + ns / tick_ns) * word->parts;

	return word->counts ? at : at + ns % tick_ns * word->parts / tick_ns;
}

/* max(last + 1, now), and what the manual says beyond that */
static uint64
plain_step(GidWordId id, uint64 last, uint64 now)
{
	uint64		next = last + 1;

	if (id == GID_WORD_SHARD && now + next % SHARD_COUNTERS > next)
		return now + next % SHARD_COUNTERS;
	if (id != GID_WORD_SHARD && now > next)
		next = now;
	while (id == GID_WORD_TRACE && next % (COUNTERS + 1) == 0)
		next++;
	return next;
}

static void
check_moment(GidWordId id, int64 s, int64 ns)
{
	uint64		word = gid_word_at(id, s, ns);

	tap_check(word == plain_at(id, (uint64) s, (uint64) ns),
			  "%s at " INT64_FORMAT " s " INT64_FORMAT " ns is " UINT64_FORMAT,
			  plain_words[id].name, s, ns, word);
}

/* The moment of a word is its first, rounded down to a microsecond. */
static void
check_moment_back(GidWordId id, int64 s, int64 us)
{
	uint64		word = plain_at(id, (uint64) s, (uint64) us * 1000);
	int64		at = s * 1000000 + us;
	int64		back = gid_word_us(id, word);
	const PlainWord *plain = &plain_words[id];

	tap_check(gid_word_at_us(id, at) == word, "%s at " INT64_FORMAT " us",
			  plain_words[id].name, at);
	if (plain->counts)
	{
		/* the counter does not count */
		int64		tick_us = 1000000 / plain->ticks;
		int64		tick = s * 1000000 + us / tick_us * tick_us;

		word += tap_random_to(plain->parts - 1);
		tap_check(gid_word_us(id, word) == tick && back == tick,
				  "%s at " INT64_FORMAT " us comes back as " INT64_FORMAT " us",
				  plain->name, at, gid_word_us(id, word));
	}
	else if (id == GID_WORD_TICKS)
	{
		word += tap_random_to(9);
		tap_check(gid_word_us(id, word) == at && back == at,
				  INT64_FORMAT " us comes back as " INT64_FORMAT, at,
				  gid_word_us(id, word));
	}
	else
	{
		/* a part of a tick begins before the moment, unless just at it */
		int64		tick_us = 1000000 / plain->ticks;
		int64		exact = (int64) (word / plain->parts) * tick_us +
		(int64) (word % plain->parts * tick_us / plain->parts);

		tap_check(back == exact && back <= at && back >= at - 1,
				  INT64_FORMAT " us comes back as " INT64_FORMAT, at, back);
		tap_check(gid_word_us(id, word + 1) >= at,
				  "the unit after " INT64_FORMAT " us", at);
	}
}

static void
test_moments(void)
{
	static const int64 edges_ns[] = {
		0, 1, 15, 16, 99, 100, 999999, 1000000, 499999999, 999999900,
		999999999,
	};
	int64		edges_s[] = {
		0, 1, 951782400, PG_INT32_MAX, INT64CONST(4294967295),
		INT64CONST(4294967296),
		GID_LAST_SECOND - 1, GID_LAST_SECOND,
	};

	tap_begin("a word's first value at a moment, and its moment, at both ends and in between");
	for (int id = 0; id < GID_NWORDS; id++)
	{
		for (int i = 0; i < (int) (lengthof(edges_s) * lengthof(edges_ns)); i++)
		{
			int64		s = edges_s[i / lengthof(edges_ns)];
			int64		ns = edges_ns[i % lengthof(edges_ns)];

			check_moment(id, s, ns);
			check_moment_back(id, s, ns / 1000);
		}
		for (int i = 0; i < 10000; i++)
		{
			int64		s = (int64) tap_random_to(GID_LAST_SECOND);
			int64		ns = (int64) tap_random_to(999999999);

			check_moment(id, s, ns);
			check_moment_back(id, s, ns / 1000);
		}
		tap_check(gid_word_us(id, 0) == 0, "%s 0", plain_words[id].name);
	}
	tap_check(gid_word_us(GID_WORD_TICKS,
						  plain_at(GID_WORD_TICKS, 0, 0) - 1) == 0,
			  "ticks before 1970");
	tap_check(PLAIN_EPOCH_S == tap_calendar_seconds(1970, 1, 1), "epoch of the ticks");
	tap_end();
}

/*
 * A word that counts within its unit must not look like a clock set back; one
 * that leads by a second must.
 */
static void
test_slack(void)
{
	tap_begin("the slack is the rest of a second, or a millisecond to a second");
	for (int id = 0; id < GID_NWORDS; id++)
	{
		const PlainWord *plain = &plain_words[id];
		uint64		second = plain_at(id, 1, 0) - plain_at(id, 0, 0);
		uint64		slack = gid_word_slack(id);

		tap_check(gid_word_clock_step(id) == (uint64) (plain->counts ? plain->parts : 1) &&
				  gid_word_has_whole_seconds(id) == (plain->counts && plain->ticks == 1) &&
				  gid_word_has_short_steps(id) == (plain->counts && plain->ticks > 1),
				  "%s", plain->name);
		tap_check(plain->counts ? slack == second - 1 :
				  slack >= second / 1000 && slack < second,
				  "%s has " UINT64_FORMAT, plain_words[id].name, slack);
	}
	tap_end();
}

/* A word may lead by a second, and by the whole step that begins then. */
static void
test_lead_limit(void)
{
	tap_begin("no value of a step that begins more than a second ahead");
	for (int id = 0; id < GID_NWORDS; id++)
	{
		const PlainWord *plain = &plain_words[id];

		for (int i = 0; i < 10000; i++)
		{
			int64		now_us = (int64) tap_random_to(GID_LAST_SECOND * 1000000);
			uint64		limit = gid_word_lead_limit(id, now_us);
			uint64		at = plain_at(id, now_us / 1000000 + 1, now_us % 1000000 * 1000);

			tap_check(limit == at + (uint64) (plain->counts ? plain->parts : 1) &&
					  gid_word_us(id, limit - 1) <= now_us + 1000000,
					  "%s at " INT64_FORMAT " us has " UINT64_FORMAT, plain->name,
					  now_us, limit);
		}
	}
	tap_end();
}

static void
check_step(GidWordId id, uint64 last, uint64 now)
{
	uint64		next = gid_word_step(id, last, now);

	tap_check(next == plain_step(id, last, now),
			  "%s " UINT64_FORMAT " at " UINT64_FORMAT " goes to " UINT64_FORMAT,
			  plain_words[id].name, last, now, next);
	tap_check(next > last && next >= now,
			  "%s " UINT64_FORMAT " at " UINT64_FORMAT
			  " goes to " UINT64_FORMAT, plain_words[id].name, last, now, next);
}

static void
test_steps(void)
{
	tap_begin("the next value is max(last + 1, now), with each word's own rule");
	for (int id = 0; id < GID_NWORDS; id++)
	{
		for (int i = 0; i < 10000; i++)
		{
			uint64		s = tap_random_to(GID_LAST_SECOND);
			uint64		now = plain_at(id, s, tap_random_to(999999999));
			uint64		near = tap_random_to(5000);
			uint64		apart = tap_random_to(5) * gid_word_rate(id);

			/* close to now, some seconds on either side, anywhere */
			check_step(id, now + near, now);
			check_step(id, now >= near ? now - near : 0, now);
			check_step(id, now + apart + near, now);
			check_step(id, now >= apart + near ? now - apart - near : 0, now);
			check_step(id,
					   plain_at(id, tap_random_to(GID_LAST_SECOND), 0) + near,
					   now);
		}
	}
	tap_end();
}

/* The greatest q with q * b <= a, found by steps from the rounded one. */
static void
test_floor_div(void)
{
	static const int64 ends[] = {PG_INT64_MIN, -10, -9, -1, 0, 1, 9, 10, PG_INT64_MAX};

	tap_begin("division rounds towards minus infinity");
	for (int i = 0; i < 20000; i++)
	{
		int64		a = i % 2 == 0 ? ends[i / 2 % lengthof(ends)] : (int64) tap_random();
		int64		b = (int64) (tap_random() >> (1 + tap_random() % 62)) + 1;
		Wide		q = (Wide) a / b + 2;

		while (q * b > a)
			q--;
		tap_check(gid_floor_div(a, b) == (int64) q, INT64_FORMAT " / " INT64_FORMAT, a, b);
	}
	tap_end();
}

int
main(void)
{
	test_moments();
	test_slack();
	test_lead_limit();
	test_steps();
	test_floor_div();
	return tap_done();
}
