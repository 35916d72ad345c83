/*-------------------------------------------------------------------------
 *
 * test_block_size.c
 *		How many values the next block of a sequence has, against the rule of
 *		test/plain/sequence.h.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "sequence/reserve.h"
#include "tap.h"
#include "../plain/sequence.h"

#define LASTS	GID_RESERVE_LASTS_US

/* A sequence that is drawn from: its estimate, and what it has given. */
typedef struct Drawn
{
	GidRate		rate;
	int64		now_us;
	int64		drawn;
	int64		size;			/* of the last block */
} Drawn;

/* Draw the rest of the block in some time, and reserve the next one. */
static int64
next_block(Drawn *seq, int64 took_us, int64 max)
{
	seq->drawn += seq->size;
	seq->now_us += took_us;
	seq->size = gid_reserve_size(&seq->rate, seq->now_us, seq->drawn, LASTS, seq->size, max);
	return seq->size;
}

static void
test_named(void)
{
	Drawn		steady = {0};
	Drawn		burst = {.now_us = 3000000};
	Drawn		ended = {.size = 2};
	int64		reserved = 0;

	tap_begin("a restart loses at most 100 values of a sequence with 60 values a second, or of a burst of 40");
	for (int i = 0; i < 100; i++)
	{
		int64		size = next_block(&steady, steady.size * 1000000 / 60, 16384);

		tap_check(2 * size <= 100, "the open block and the next one have " INT64_FORMAT " values each", size);
	}
	while (reserved < 40)
		reserved += next_block(&burst, 100, 16384);
	reserved += next_block(&burst, 100, 16384);
	tap_check(reserved - 40 <= 100, INT64_FORMAT " values are reserved", reserved);
	tap_end();

	tap_begin("values that are never drawn make no block larger");
	for (int i = 0; i < 1000; i++)
	{
		/* one value of each block is drawn; then a setval() ends it */
		ended.drawn++;
		ended.now_us += 100000;
		ended.size = gid_reserve_size(&ended.rate, ended.now_us, ended.drawn, LASTS, 1, 16384);
		tap_check(ended.size <= 4, "block %d has " INT64_FORMAT " values", i, ended.size);
	}
	tap_end();
}

static void
test_random(void)
{
	tap_begin("blocks as the rule says, of any history");
	for (int i = 0; i < 20000; i++)
	{
		int64		max = INT64CONST(1) << tap_random_to(16);
		int64		growth_base = 0;
		int64		drawn = 0;
		double		recent = 0;
		GidRate		rate = {.at_us = (int64) tap_random_to(1000000000)};
		int64		now_us = rate.at_us;

		for (int n = 0; n < 60; n++)
		{
			int64		took = (int64) tap_random_to(2 * growth_base);
			int64		pause_us = (int64) (tap_random() >> (34 + tap_random() % 29));
			int64		plain;
			int64		size;

			drawn += took;
			now_us += pause_us;
			plain = plain_block_size(&recent, (double) took, pause_us / 1e6, growth_base, max);
			size = gid_reserve_size(&rate, now_us, drawn, LASTS, growth_base, max);
			/* the two round in different ways */
			tap_check(size - plain >= -1 && size - plain <= 1,
					  "block %d has " INT64_FORMAT " values, not " INT64_FORMAT, n, size, plain);
			growth_base = tap_random() % 8 == 0 ? (int64) tap_random_to(size) : size;
		}
	}
	tap_end();

	tap_begin("the largest numbers do not overflow");
	{
		GidRate		rate = {0};

		tap_check(gid_reserve_size(&rate, PG_INT64_MAX / 2, PG_INT64_MAX, LASTS, 0x3fffffff, 65536) == 65536,
				  "many values");
		tap_check(gid_reserve_size(&rate, PG_INT64_MAX / 2, PG_INT64_MAX, LASTS, 0x3fffffff, 1) == 1,
				  "a block of one");
	}
	tap_end();
}

int
main(void)
{
	test_named();
	test_random();
	return tap_done();
}
