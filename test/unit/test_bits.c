/*-------------------------------------------------------------------------
 *
 * test_bits.c
 *		What the layouts are made of: byte order, masks, byte 8, division.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "layout/variant.h"
#include "tap.h"
#include "../plain/ruler.h"
#include "../plain/wide.h"

static void
test_byte_order(void)
{
	tap_begin("big-endian stores and loads, at any address");
	for (int i = 0; i < 100000; i++)
	{
		uint64		v = i < 64 ? UINT64CONST(1) << i : tap_random();
		Ruler		r = {0};
		uint8		bytes[16];
		uint8	   *p = bytes + i % 8;

		ruler_put(&r, 0, 64, v);
		gid_put_be64(p, v);
		tap_check(ruler_is(&r, p, 8), "64 bits of " UINT64_FORMAT, v);
		tap_check(gid_get_be64(p) == v, "64 bits back of " UINT64_FORMAT, v);

		ruler_put(&r, 0, 32, v);
		gid_put_be32(p, (uint32) v);
		tap_check(ruler_is(&r, p, 4), "32 bits of " UINT64_FORMAT, v);
		tap_check(gid_get_be32(p) == (uint32) v,
				  "32 bits back of " UINT64_FORMAT, v);
	}
	tap_end();

	tap_begin("a mask has that many ones, all at the right");
	for (int bits = 0; bits < 64; bits++)
	{
		Ruler		r = {0};

		ruler_put(&r, 0, 64 - bits, 0);
		ruler_put(&r, 64 - bits, 64, PG_UINT64_MAX);
		tap_check(ruler_get(&r, 0, 64) == GID_MASK(bits), "%d bits", bits);
	}
	tap_end();
}

static void
test_byte8(void)
{
	int			seen[256] = {0};
	int			values = 0;

	for (int random = 0; random <= 0xffff; random++)
		seen[gid_byte8_from_random((uint16) random)]++;

	tap_begin("a random byte 8 never has the RFC variant");
	for (int b = 0; b < 256; b++)
		tap_check(b / 64 != 2 || seen[b] == 0, "%02x comes %d times", b,
				  seen[b]);
	tap_end();

	tap_begin("it has 192 values, as likely as 65536 numbers can make them");
	for (int b = 0; b < 256; b++)
	{
		if (b / 64 == 2)
			continue;
		values++;
		tap_check(seen[b] == 65536 / 192 || seen[b] == 65536 / 192 + 1,
				  "%02x comes %d times", b, seen[b]);
	}
	tap_check(values == 192, "%d values", values);
	tap_end();
}

/* The greatest q with q * b <= a, found by steps from the rounded one. */
static int64
plain_floor_div(int64 a, int64 b)
{
	Wide		q = (Wide) a / b + 2;

	while (q * b > a)
		q--;
	return (int64) q;
}

static void
test_floor_div(void)
{
	static const int64 edges[] = {
		PG_INT64_MIN, PG_INT64_MIN + 1, -10, -9, -1, 0, 1, 9, 10,
		PG_INT64_MAX - 1, PG_INT64_MAX,
	};
	static const int64 divisors[] = {
		1, 2, 3, 7, 10, 1000, 1000000, PG_INT64_MAX,
	};

	tap_begin("division rounds towards minus infinity");
	for (int64 a = -300; a <= 300; a++)
	{
		for (int64 b = 1; b <= 40; b++)
			tap_check(gid_floor_div(a, b) == plain_floor_div(a, b),
					  INT64_FORMAT " / " INT64_FORMAT, a, b);
	}
	for (int i = 0; i < (int) lengthof(edges); i++)
	{
		for (int j = 0; j < (int) lengthof(divisors); j++)
			tap_check(gid_floor_div(edges[i], divisors[j]) ==
					  plain_floor_div(edges[i], divisors[j]),
					  INT64_FORMAT " / " INT64_FORMAT, edges[i], divisors[j]);
	}
	for (int i = 0; i < 100000; i++)
	{
		int64		a = (int64) tap_random();
		int64		b = (int64) (tap_random() >> (1 + tap_random() % 62)) + 1;

		tap_check(gid_floor_div(a, b) == plain_floor_div(a, b),
				  INT64_FORMAT " / " INT64_FORMAT, a, b);
	}
	tap_end();
}

int
main(void)
{
	tap_start();
	test_byte_order();
	test_byte8();
	test_floor_div();
	return tap_done();
}
