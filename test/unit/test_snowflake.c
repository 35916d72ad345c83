/*-------------------------------------------------------------------------
 *
 * test_snowflake.c
 *		The layout of Snowflake ids, against its ruler.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/snowflake_id.h"
#include "tap.h"
#include "../plain/ruler.h"

#define PERIOD_MS	(INT64CONST(1) << 41)
#define MAX_NODE	1023
#define MAX_SEQUENCE	4095

/*
 * From the left, that is with bit 63 first:
 *
 *	0  1                                    42         52            64
 *	| 0 | milliseconds since the epoch (41) | node (10) | sequence (12) |
 */
static void
check_parts(int64 ms, uint32 node, uint32 sequence)
{
	Ruler		r = {0};
	int64		id = gid_snowflake_pack(ms, node, sequence);

	ruler_put(&r, 0, 1, 0);
	ruler_put(&r, 1, 42, (uint64) ms);
	ruler_put(&r, 42, 52, node);
	ruler_put(&r, 52, 64, sequence);
	tap_check((uint64) id == ruler_get(&r, 0, 64), INT64_FORMAT " is not %s",
			  id, ruler_text(&r));
	tap_check(id >= 0, INT64_FORMAT " is negative", id);

	tap_check(gid_snowflake_ms(id) == ms, "milliseconds of " INT64_FORMAT, id);
	tap_check(gid_snowflake_node(id) == node, "node of " INT64_FORMAT, id);
	tap_check(gid_snowflake_sequence(id) == sequence, "sequence of " INT64_FORMAT, id);
	tap_check(gid_is_snowflake(id) == (id > 0), INT64_FORMAT " is one or is none", id);
}

static void
test_layout(void)
{
	static const int64 mss[] = {0, 1, PERIOD_MS / 2 - 1, PERIOD_MS / 2, PERIOD_MS - 1};
	static const uint32 nodes[] = {0, 1, 511, 512, MAX_NODE};
	static const uint32 sequences[] = {0, 1, 2047, 2048, MAX_SEQUENCE};

	tap_begin("every part stands where the ruler says, at both ends");
	for (int i = 0; i < (int) lengthof(mss); i++)
	{
		for (int j = 0; j < (int) lengthof(nodes); j++)
		{
			for (int k = 0; k < (int) lengthof(sequences); k++)
				check_parts(mss[i], nodes[j], sequences[k]);
		}
	}
	tap_end();

	tap_begin("and in between");
	for (int i = 0; i < 200000; i++)
		check_parts((int64) tap_random_to(PERIOD_MS - 1),
					(uint32) tap_random_to(MAX_NODE),
					(uint32) tap_random_to(MAX_SEQUENCE));
	tap_end();

	tap_begin("each single bit stands where the ruler says");
	for (int i = 0; i < 41; i++)
		check_parts(INT64CONST(1) << i, 0, 0);
	for (int i = 0; i < 10; i++)
		check_parts(0, 1 << i, 0);
	for (int i = 0; i < 12; i++)
		check_parts(0, 0, 1 << i);
	tap_end();
}

static void
test_range(void)
{
	tap_begin("41 bits hold 2^41 milliseconds from the epoch on, and none before it");
	tap_check(gid_snowflake_holds(0), "0");
	tap_check(gid_snowflake_holds(PERIOD_MS - 1), "the last");
	tap_check(!gid_snowflake_holds(PERIOD_MS), "one more");
	tap_check(!gid_snowflake_holds(-1), "-1");
	tap_check(!gid_snowflake_holds(PG_INT64_MIN), "the smallest number");
	tap_check(!gid_snowflake_holds(PG_INT64_MAX), "the largest number");
	tap_end();

	tap_begin("Twitter's epoch is 2010-11-04 01:42:54.657");
	tap_check(GID_SNOWFLAKE_EPOCH_MS ==
			  (tap_unix_seconds(2010, 11, 4) + 3600 + 42 * 60 + 54) * 1000 + 657,
			  INT64_FORMAT, GID_SNOWFLAKE_EPOCH_MS);
	tap_end();

	tap_begin("a number below 1 is no Snowflake id");
	tap_check(!gid_is_snowflake(0), "0");
	tap_check(!gid_is_snowflake(-1), "-1");
	tap_check(!gid_is_snowflake(PG_INT64_MIN), "the smallest number");
	tap_check(gid_is_snowflake(1), "1");
	tap_check(gid_is_snowflake(PG_INT64_MAX), "the largest number");
	tap_end();
}

int
main(void)
{
	tap_start();
	test_layout();
	test_range();
	return tap_done();
}
