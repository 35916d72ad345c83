/*-------------------------------------------------------------------------
 *
 * test_bigint.c
 *		The layouts of 63-bit ids: TraceIds and Snowflake ids against their rulers,
 *		DecimalIds against decimal text.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/decimal_id.h"
#include "layout/snowflake_id.h"
#include "layout/time_word.h"
#include "layout/trace_id.h"
#include "tap.h"
#include "../plain/ruler.h"

#define ROUNDS		30000
#define PERIOD		(UINT64CONST(1) << 25)
#define PERIOD_MS	(INT64CONST(1) << 41)
#define MAX_LOW		0x3fffff
#define MAX_COUNTER	922337202
#define MAX_PART	99999

/*
 * From the left, that is with bit 63 first:
 *
 *	0  1                     26                42           54            64
 *	| 0 | unix seconds mod 2^25 | node_no (16)  | thread 12  | counter 10   |
 */
static void
test_trace(void)
{
	tap_begin("TraceIds: every part stands where the ruler says");
	for (int i = 0; i < ROUNDS; i++)
	{
		uint64		seconds = tap_random_part(i % 2 == 0 ? GID_LAST_SECOND : PERIOD - 1);
		uint32		node = (uint32) tap_random_part(0xffff);
		uint32		low = (uint32) tap_random_part(MAX_LOW);
		int64		id = gid_trace_pack(seconds, node, low);
		Ruler		r = {0};

		ruler_put(&r, 0, 1, 0);
		ruler_put(&r, 1, 26, seconds);
		ruler_put(&r, 26, 42, node);
		ruler_put(&r, 42, 54, low / 1024);
		ruler_put(&r, 54, 64, low % 1024);
		tap_check((uint64) id == ruler_get(&r, 0, 64), INT64_FORMAT " is not %s", id, ruler_text(&r));
		tap_check(gid_trace_seconds(id) == (int64) (seconds % PERIOD) &&
				  gid_trace_node(id) == node && gid_trace_low(id) == low &&
				  gid_is_trace(id) == (low != 0), "parts of " INT64_FORMAT, id);
	}
	tap_check(!gid_is_trace(0) && !gid_is_trace(-1) && !gid_is_trace(PG_INT64_MIN + 1) &&
			  gid_is_trace(1) && gid_is_trace(PG_INT64_MAX), "the ends");
	tap_end();
}

/*
 *	0  1                                    42         52            64
 *	| 0 | milliseconds since the epoch (41) | node (10) | sequence (12) |
 */
static void
test_snowflake(void)
{
	tap_begin("Snowflake ids: every part stands where the ruler says");
	for (int i = 0; i < ROUNDS; i++)
	{
		int64		ms = (int64) tap_random_part(PERIOD_MS - 1);
		uint32		node = (uint32) tap_random_part(1023);
		uint32		sequence = (uint32) tap_random_part(4095);
		int64		id = gid_snowflake_pack(ms, node, sequence);
		Ruler		r = {0};

		ruler_put(&r, 0, 1, 0);
		ruler_put(&r, 1, 42, (uint64) ms);
		ruler_put(&r, 42, 52, node);
		ruler_put(&r, 52, 64, sequence);
		tap_check((uint64) id == ruler_get(&r, 0, 64), INT64_FORMAT " is not %s", id, ruler_text(&r));
		tap_check(gid_snowflake_ms(id) == ms && gid_snowflake_node(id) == node &&
				  gid_snowflake_sequence(id) == sequence &&
				  gid_is_snowflake(id) == (id > 0), "parts of " INT64_FORMAT, id);
	}
	tap_check(!gid_is_snowflake(0) && !gid_is_snowflake(-1) && gid_is_snowflake(1), "the ends");
	tap_check(gid_snowflake_holds(0) && gid_snowflake_holds(PERIOD_MS - 1) &&
			  !gid_snowflake_holds(PERIOD_MS) && !gid_snowflake_holds(-1) &&
			  !gid_snowflake_holds(PG_INT64_MIN) && !gid_snowflake_holds(PG_INT64_MAX),
			  "41 bits of milliseconds");
	tap_end();
}

/* | counter, 1 to 9 digits | generator, 5 digits | launch, 5 digits | */
static void
test_decimal(void)
{
	tap_begin("DecimalIds: an id is its parts' digits");
	for (int i = 0; i < ROUNDS; i++)
	{
		int			counter = 1 + (int) tap_random_to(MAX_COUNTER - 1);
		int			generator = (int) tap_random_to(MAX_PART);
		int			launch = (int) tap_random_to(MAX_PART);
		int64		id = gid_decimal_pack(counter, generator, launch);
		char		digits[40];

		snprintf(digits, sizeof(digits), "%d%05d%05d", counter, generator, launch);
		tap_check(id == strtoll(digits, NULL, 10), INT64_FORMAT " is not %s", id, digits);
		tap_check(gid_is_decimal(id) && gid_decimal_counter(id) == counter &&
				  gid_decimal_generator(id) == generator && gid_decimal_launch(id) == launch,
				  "parts of %s", digits);
	}
	tap_check(gid_is_decimal(INT64CONST(10000000000)) && !gid_is_decimal(INT64CONST(9999999999)) &&
			  gid_is_decimal(INT64CONST(9223372029999999999)) &&
			  !gid_is_decimal(INT64CONST(9223372030000000000)) &&
			  !gid_is_decimal(PG_INT64_MAX) && !gid_is_decimal(PG_INT64_MIN), "the ends");
	tap_end();
}

int
main(void)
{
	test_trace();
	test_snowflake();
	test_decimal();
	return tap_done();
}
