/*-------------------------------------------------------------------------
 *
 * test_pace.c
 *		When the counter of a DecimalId follows the others, and what that
 *		costs.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "decimal/pace.h"
#include "tap.h"

#define MAX_COUNTER		922337202
#define CREDIT			268435456
#define SLACK			24

/* How many counters a generator that stands at "counter" passes over. */
static void
expect(int32 counter, int32 skipped, int32 front, int32 skip)
{
	int32		got = gid_pace_skip(counter, skipped, front);

	tap_check(got == skip, "at %d, skipped %d, front %d: %d, not %d",
			  counter, skipped, front, got, skip);
}

static void
check_ends(void)
{
	tap_begin("level with the front: nothing is skipped");
	expect(0, 0, 0, 0);
	expect(100, 0, 1, 0);
	expect(100, 0, 100, 0);
	expect(100, 0, 100 + SLACK, 0);
	expect(MAX_COUNTER, 0, 0, 0);
	expect(MAX_COUNTER - 1, 0, MAX_COUNTER, 0);
	tap_end();

	tap_begin("behind it: to where one is level");
	expect(0, 0, SLACK + 1, 1);
	expect(100, 0, 101 + SLACK, 1);
	expect(100, 0, 1000, 1000 - SLACK - 100);
	expect(MAX_COUNTER - 100, 0, MAX_COUNTER, 100 - SLACK);
	tap_end();

	tap_begin("as far as the credit goes, and then not at all");
	expect(0, 0, CREDIT + SLACK, CREDIT);
	expect(0, 0, CREDIT + SLACK + 1, 0);
	/* two for each that was used */
	expect(10, 0, 10 + CREDIT + 20 + SLACK, CREDIT + 20);
	expect(10, 0, 10 + CREDIT + 20 + SLACK + 1, 0);
	/* less what was skipped */
	expect(1010, 1000, 1010 + CREDIT + 20 - 1000 + SLACK, CREDIT + 20 - 1000);
	expect(1010, 1000, 1010 + CREDIT + 20 - 1000 + SLACK + 1, 0);
	expect(CREDIT, CREDIT, CREDIT + SLACK + 1, 0);
	expect(CREDIT + 1, CREDIT, CREDIT + 1 + SLACK + 1, 1);
	expect(0, 0, MAX_COUNTER, 0);
	tap_end();
}

/*
 * A generator to its last counter, while the front is where it costs most, or
 * anywhere.  Gives the ids that it has made.
 */
static int64
wear_out(bool worst)
{
	int32		counter = 0;
	int32		skipped = 0;
	int64		made = 0;

	while (counter < MAX_COUNTER)
	{
		int64		credit = CREDIT + 2 * made - skipped;
		int64		front = (int64) counter + SLACK +
		(worst ? credit : (int64) tap_random_to((uint64) credit + 100));
		int32		before = counter;
		int32		skip = gid_pace_skip(counter, skipped,
										 (int32) Min(front, MAX_COUNTER));

		counter += skip;
		skipped += skip;
		tap_check(skip >= 0 && (skip == 0 || counter + SLACK <= front),
				  "from %d by %d, front " INT64_FORMAT, before, skip, front);
		for (int i = 0; i < GID_PACE_STEP && counter < MAX_COUNTER; i++)
		{
			counter++;
			made++;
		}
	}
	return made;
}

static void
check_wear(void)
{
	tap_begin("a generator makes GID_PACE_LEAST ids at least");
	tap_check(GID_PACE_LEAST == 217967248, "which are %d", GID_PACE_LEAST);
	for (int worst = 0; worst <= 1; worst++)
	{
		int64		made = wear_out(worst == 1);

		tap_check(made >= GID_PACE_LEAST, "only " INT64_FORMAT, made);
		/* no more is kept back than the rounding of the last step */
		tap_check(worst == 0 || made < GID_PACE_LEAST + 100, INT64_FORMAT, made);
	}
	tap_end();
}

int
main(void)
{
	tap_start();
	check_ends();
	check_wear();
	return tap_done();
}
