/*-------------------------------------------------------------------------
 *
 * test_trace.c
 *		The layout of TraceIds, against its ruler.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/time_word.h"
#include "layout/trace_id.h"
#include "tap.h"
#include "../plain/ruler.h"

#define PERIOD		(UINT64CONST(1) << 25)
#define MAX_NODE	0xffff
#define MAX_LOW		0x3fffff

/*
 * From the left, that is with bit 63 first:
 *
 *	0  1                     26                42           54            64
 *	| 0 | unix seconds mod 2^25 | node_no (16)  | thread 12  | counter 10   |
 */
static void
check_parts(uint64 seconds, uint32 node, uint32 low)
{
	Ruler		r = {0};
	int64		id = gid_trace_pack(seconds, node, low);

	ruler_put(&r, 0, 1, 0);
	ruler_put(&r, 1, 26, seconds % PERIOD);
	ruler_put(&r, 26, 42, node);
	ruler_put(&r, 42, 54, low / 1024);
	ruler_put(&r, 54, 64, low % 1024);
	tap_check((uint64) id == ruler_get(&r, 0, 64), INT64_FORMAT " is not %s",
			  id, ruler_text(&r));
	tap_check(id >= 0, INT64_FORMAT " is negative", id);

	tap_check(gid_trace_seconds(id) == (int64) (seconds % PERIOD),
			  "seconds of " INT64_FORMAT, id);
	tap_check(gid_trace_node(id) == node, "node of " INT64_FORMAT, id);
	tap_check(gid_trace_low(id) == low, "low bits of " INT64_FORMAT, id);
	tap_check(gid_is_trace(id) == (low != 0),
			  INT64_FORMAT " is one or is none", id);
}

static void
test_layout(void)
{
	static const uint64 seconds[] = {
		0, 1, PERIOD - 1, PERIOD, PERIOD + 1, 100 * PERIOD - 1,
		GID_LAST_SECOND,
	};
	static const uint32 nodes[] = {0, 1, 0x7fff, 0x8000, MAX_NODE};
	static const uint32 lows[] = {
		0, 1, 1023, 1024, 1025, MAX_LOW - 1, MAX_LOW,
	};

	tap_begin("every part stands where the ruler says, at both ends");
	for (int i = 0; i < (int) lengthof(seconds); i++)
	{
		for (int j = 0; j < (int) lengthof(nodes); j++)
		{
			for (int k = 0; k < (int) lengthof(lows); k++)
				check_parts(seconds[i], nodes[j], lows[k]);
		}
	}
	tap_end();

	tap_begin("and in between");
	for (int i = 0; i < 200000; i++)
		check_parts(tap_random_to(GID_LAST_SECOND),
					(uint32) tap_random_to(MAX_NODE),
					(uint32) tap_random_to(MAX_LOW));
	tap_end();

	tap_begin("each single bit stands where the ruler says");
	for (int i = 0; i < 64; i++)
		check_parts(UINT64CONST(1) << i, 0, 0);
	for (int i = 0; i < 16; i++)
		check_parts(0, 1 << i, 0);
	for (int i = 0; i < 22; i++)
		check_parts(0, 0, 1 << i);
	tap_end();
}

static void
test_family(void)
{
	tap_begin("a number below 1, or with the low 22 bits 0, is no TraceId");
	tap_check(!gid_is_trace(0), "0");
	tap_check(!gid_is_trace(-1), "-1");
	tap_check(!gid_is_trace(PG_INT64_MIN), "the smallest number");
	tap_check(!gid_is_trace(PG_INT64_MIN + 1), "the smallest but one");
	tap_check(!gid_is_trace(MAX_LOW + 1), "2^22");
	tap_check(gid_is_trace(1), "1");
	tap_check(gid_is_trace(PG_INT64_MAX), "the largest number");
	for (int i = 0; i < 100000; i++)
	{
		int64		id = (int64) tap_random();

		if (i % 4 == 0)
			id -= id % (MAX_LOW + 1);
		tap_check(gid_is_trace(id) == (id >= 1 && id % (MAX_LOW + 1) != 0),
				  INT64_FORMAT, id);
	}
	tap_end();
}

int
main(void)
{
	tap_start();
	test_layout();
	test_family();
	return tap_done();
}
