/*-------------------------------------------------------------------------
 *
 * test_decimal.c
 *		The layout of DecimalIds, against decimal text.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/decimal_id.h"
#include "tap.h"
#include "../plain/ruler.h"

#define MAX_COUNTER		922337202
#define MAX_PART		99999

/* | counter, 1 to 9 digits | generator, 5 digits | launch, 5 digits | */
static void
check_parts(int counter, int generator, int launch)
{
	char		digits[32];
	char	   *end;
	int64		id = gid_decimal_pack(counter, generator, launch);

	snprintf(digits, sizeof(digits), "%d%05d%05d", counter, generator, launch);
	tap_check(id == strtoll(digits, &end, 10) && *end == '\0',
			  INT64_FORMAT " is not %s",
			  id, digits);
	tap_check(gid_is_decimal(id), INT64_FORMAT " is none", id);
	tap_check(gid_decimal_counter(id) == counter, "counter of " INT64_FORMAT,
			  id);
	tap_check(gid_decimal_generator(id) == generator,
			  "generator of " INT64_FORMAT, id);
	tap_check(gid_decimal_launch(id) == launch, "launch of " INT64_FORMAT, id);
}

/* The parts by the text's digits, of any number that may be one. */
static void
check_number(int64 id)
{
	char		digits[32];
	int			length = snprintf(digits, sizeof(digits), INT64_FORMAT, id);

	tap_check(gid_decimal_launch(id) == atoi(digits + length - 5),
			  "launch of %s", digits);
	digits[length - 5] = '\0';
	tap_check(gid_decimal_generator(id) == atoi(digits + length - 10),
			  "generator of %s", digits);
	digits[length - 10] = '\0';
	tap_check(gid_decimal_counter(id) == atoi(digits), "counter of %s",
			  digits);
}

static void
test_layout(void)
{
	static const int counters[] = {
		1, 2, 9, 10, 499999999, MAX_COUNTER - 1, MAX_COUNTER,
	};
	static const int parts[] = {
		0, 1, 9, 10, 9999, 10000, MAX_PART - 1, MAX_PART,
	};

	tap_begin("an id is its parts' digits, at both ends");
	for (int i = 0; i < (int) lengthof(counters); i++)
	{
		for (int j = 0; j < (int) lengthof(parts); j++)
		{
			for (int k = 0; k < (int) lengthof(parts); k++)
				check_parts(counters[i], parts[j], parts[k]);
		}
	}
	tap_end();

	tap_begin("and for every generator and every launch");
	for (int part = 0; part <= MAX_PART; part++)
	{
		check_parts(1 + (int) tap_random_to(MAX_COUNTER - 1), part,
					(int) tap_random_to(MAX_PART));
		check_parts(1 + (int) tap_random_to(MAX_COUNTER - 1),
					(int) tap_random_to(MAX_PART), part);
	}
	tap_end();

	tap_begin("any number of the range comes apart as its digits do");
	for (int i = 0; i < 200000; i++)
		check_number(INT64CONST(10000000000) +
					 (int64) tap_random_to(UINT64CONST(9223372019999999999)));
	tap_end();
}

static void
test_family(void)
{
	tap_begin("a number below 10^10 or above the largest is no DecimalId");
	tap_check(gid_is_decimal(INT64CONST(10000000000)), "10^10");
	tap_check(!gid_is_decimal(INT64CONST(9999999999)), "10^10 - 1");
	tap_check(gid_is_decimal(INT64CONST(9223372029999999999)), "the largest");
	tap_check(!gid_is_decimal(INT64CONST(9223372030000000000)),
			  "one above the largest");
	tap_check(!gid_is_decimal(0) && !gid_is_decimal(-1), "0 and -1");
	tap_check(!gid_is_decimal(PG_INT64_MAX) && !gid_is_decimal(PG_INT64_MIN),
			  "the ends of the type");
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
