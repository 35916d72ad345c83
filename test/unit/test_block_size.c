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

static void
test_sizes(void)
{
	enum
	{
		STEPS = 60
	};
	int64		at_us[STEPS];
	int64		count[STEPS];
	static const int64 expected[] = {2, 8, 32, 128, 512, 2048, 8192, 32768, 65536, 65536};
	GidHistory	history = {0};
	int64		now_us = INT64CONST(123456789);

	tap_begin("blocks of a busy sequence grow fast");
	for (int i = 0; i < (int) lengthof(expected); i++)
	{
		int64		size = gid_reserve_size(&history, now_us, 0, 65536);

		tap_check(size == expected[i], "block %d has " INT64_FORMAT " values", i, size);
		gid_reserve_note(&history, now_us, size);
		now_us += 1000;
	}
	tap_end();

	tap_begin("blocks of a sequence that falls quiet have two values");
	now_us += INT64CONST(365) * 86400 * 1000000;
	tap_check(gid_reserve_size(&history, now_us, 0, 65536) == 2, "after a year");
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
			int64		size = gid_reserve_size(&history, now_us, left, max);
			int64		plain = plain_block_size(at_us, count, n, now_us, left, max);

			tap_check(size == plain, "block %d has " INT64_FORMAT " values, not "
					  INT64_FORMAT, n, size, plain);
			/* the end of a sequence may give fewer */
			if (tap_random() % 8 == 0)
				size = 1 + (int64) tap_random_to(size - 1);
			gid_reserve_note(&history, now_us, size);
			at_us[n] = now_us;
			count[n] = size;
			now_us += (int64) (tap_random() >> (34 + tap_random() % 29));
		}
	}
	tap_end();

	tap_begin("the pace is what was drawn, by a second at least");
	memset(&history, 0, sizeof(history));
	tap_check(gid_reserve_rate(&history, 5000000, 0) == 0, "nothing is known");
	gid_reserve_note(&history, 5000000, 100);
	tap_check(gid_reserve_rate(&history, 5000000, 100) == 0, "nothing is drawn");
	tap_check(gid_reserve_rate(&history, 5000000, 40) == 60, "in no time");
	tap_check(gid_reserve_rate(&history, 5999999, 40) == 60, "in less than a second");
	tap_check(gid_reserve_rate(&history, 7000000, 40) == 30, "in two seconds");
	gid_reserve_note(&history, 7000000, 200);
	gid_reserve_note(&history, 8000000, 300);
	tap_check(gid_reserve_rate(&history, 9000000, 400) == 50, "of three blocks");
	gid_reserve_note(&history, 9000000, 400);
	tap_check(gid_reserve_rate(&history, 10000000, 600) == 100, "of the last three");
	tap_check(gid_reserve_lasts_us(&history, 10000000, 600) == 6e6, "how long they last");
	tap_check(gid_reserve_lasts_us(&history, 10000000, 0) == 0, "none are left");
	tap_check(gid_reserve_lasts_us(&history, 10000000, 1200) > 1e9, "none are drawn");
	tap_check(gid_reserve_rate(&history, 10000000, 901) == 0, "never below 0");
	tap_end();

	tap_begin("what was lost of a reservation does not count");
	memset(&history, 0, sizeof(history));
	gid_reserve_note(&history, 0, 1000);
	gid_reserve_note(&history, 1000, 4000);
	gid_reserve_lose(&history, 0, 4000);
	gid_reserve_lose(&history, 1, 967);
	tap_check(gid_reserve_rate(&history, 1000000, 0) == 33, "of two");
	tap_check(gid_reserve_size(&history, 1000, 0, 65536) == 4, "nothing was drawn of the last one");
	gid_reserve_note(&history, 2000, 4);
	tap_check(gid_reserve_size(&history, 2000, 0, 65536) == 16, "four times the last one");
	gid_reserve_lose(&history, 2, 34);
	gid_reserve_lose(&history, 0, 1);
	tap_check(gid_reserve_rate(&history, 1000000, 0) == 3, "never below 0");
	tap_end();

	tap_begin("the largest blocks do not overflow");
	memset(&history, 0, sizeof(history));
	for (int i = 0; i < 4; i++)
		gid_reserve_note(&history, PG_INT64_MAX / 2, 0xffffff);
	tap_check(gid_reserve_size(&history, PG_INT64_MAX / 2, 0, 65536) == 65536,
			  "many values in no time");
	tap_end();
}

int
main(void)
{
	tap_start();
	test_sizes();
	return tap_done();
}
