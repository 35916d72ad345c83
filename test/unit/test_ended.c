/*-------------------------------------------------------------------------
 *
 * test_ended.c
 *		Which transactions have ended in a snapshot.
 *
 * The second implementation has a flag for each transaction.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "horizon/ended.h"
#include "tap.h"

/* Transactions of a test; those before the first have ended, too. */
#define PLAIN_MAX	24

typedef struct PlainEnded
{
	bool		has_ended[PLAIN_MAX];
} PlainEnded;

/* The snapshot in which these have ended, as a server takes it. */
static GidEnded
snapshot_of(const PlainEnded *plain, uint64 first, uint64 *running)
{
	GidEnded	ended = {.running = running};
	int			xmin = 0;
	int			xmax = PLAIN_MAX;

	while (xmin < PLAIN_MAX && plain->has_ended[xmin])
		xmin++;
	while (xmax > xmin && !plain->has_ended[xmax - 1])
		xmax--;
	ended.xmin = first + xmin;
	ended.xmax = first + xmax;
	for (int i = xmin; i < xmax; i++)
	{
		if (!plain->has_ended[i])
			running[ended.nrunning++] = first + i;
	}
	return ended;
}

static PlainEnded
random_plain(void)
{
	PlainEnded	plain;
	uint64		odds = 1 + tap_random_to(7);

	for (int i = 0; i < PLAIN_MAX; i++)
		plain.has_ended[i] = tap_random() % 8 < odds;
	return plain;
}

/* Some more have ended, or by chance none. */
static PlainEnded
later_than(const PlainEnded *plain)
{
	PlainEnded	later = *plain;

	for (uint64 i = tap_random_to(3); i > 0; i--)
		later.has_ended[tap_random_to(PLAIN_MAX - 1)] = true;
	return later;
}

static bool
plain_covers(const PlainEnded *later, const PlainEnded *earlier)
{
	for (int i = 0; i < PLAIN_MAX; i++)
	{
		if (earlier->has_ended[i] && !later->has_ended[i])
			return false;
	}
	return true;
}

/* Where transaction ids of 32 bits begin again is among these. */
static uint64
random_first(void)
{
	return (tap_random_to(5) << 32) + 3 + (tap_random() % 2 == 0 ? tap_random_to(PG_UINT32_MAX)
										   : PG_UINT32_MAX - tap_random_to(PLAIN_MAX));
}

static void
test_widen(void)
{
	static const uint64 nexts[] = {
		3, 4, UINT64CONST(0x7fffffff), UINT64CONST(0x80000000), UINT64CONST(0xffffffff),
		UINT64CONST(0x100000000), UINT64CONST(0x100000001), UINT64CONST(0x100000003),
		UINT64CONST(0x180000000), UINT64CONST(0x7fffffff00000000),
	};
	static const uint64 distances[] = {0, 1, 2, 3, 0x7fffffff, UINT64CONST(0x80000000)};

	tap_begin("an id of 32 bits gets its other bits");
	for (int i = 0; i < (int) lengthof(nexts); i++)
	{
		for (int j = 0; j < (int) lengthof(distances); j++)
		{
			uint64		xid = nexts[i] - distances[j];

			if (distances[j] <= nexts[i])
				tap_check(gid_ended_widen((uint32) xid, nexts[i]) == xid,
						  UINT64_FORMAT " before " UINT64_FORMAT, distances[j], nexts[i]);
		}
	}
	for (int i = 0; i < 20000; i++)
	{
		uint64		next = random_first();
		uint64		xid = next - tap_random_to(Min(next, UINT64CONST(0x80000000)));

		tap_check(gid_ended_widen((uint32) xid, next) == xid,
				  UINT64_FORMAT " for " UINT64_FORMAT, xid, next);
	}
	tap_end();
}

static void
test_has(void)
{
	tap_begin("a transaction has ended, or runs, or comes later");
	for (int i = 0; i < 20000; i++)
	{
		uint64		first = random_first();
		uint64		running[PLAIN_MAX];
		PlainEnded	plain = random_plain();
		GidEnded	ended = snapshot_of(&plain, first, running);

		for (int j = 0; j < PLAIN_MAX; j++)
			tap_check(gid_ended_has(&ended, first + j) == plain.has_ended[j],
					  "transaction %d of " UINT64_FORMAT, j, first);
		tap_check(gid_ended_has(&ended, first - 1), "the one before " UINT64_FORMAT, first);
		tap_check(!gid_ended_has(&ended, first + PLAIN_MAX), "the one after");
		tap_check(!gid_ended_has(&ended, ended.xmax), "the next one");
	}
	tap_end();
}

static void
test_two(void)
{
	long		covered = 0;
	long		equal = 0;

	tap_begin("one snapshot covers another, or equals it");
	for (int i = 0; i < 20000; i++)
	{
		uint64		first = random_first();
		uint64		running[2][PLAIN_MAX];
		PlainEnded	a = random_plain();
		PlainEnded	b = i % 2 == 0 ? later_than(&a) : random_plain();
		GidEnded	x = snapshot_of(&a, first, running[0]);
		GidEnded	y = snapshot_of(&b, first, running[1]);
		bool		is_equal = memcmp(&a, &b, sizeof(a)) == 0;

		tap_check(gid_ended_covers(&y, &x) == plain_covers(&b, &a), "the later, round %d", i);
		tap_check(gid_ended_covers(&x, &y) == plain_covers(&a, &b), "the earlier, round %d", i);
		tap_check(gid_ended_covers(&x, &x), "itself, round %d", i);
		tap_check(gid_ended_equals(&x, &y) == is_equal, "equal, round %d", i);
		tap_check(gid_ended_equals(&y, &x) == is_equal, "equal the other way, round %d", i);
		covered += plain_covers(&b, &a);
		equal += is_equal;
	}
	tap_check(covered > 1000 && covered < 19000, "%ld cover", covered);
	tap_check(equal > 1000, "%ld are equal", equal);
	tap_end();
}

int
main(void)
{
	tap_start();
	test_widen();
	test_has();
	test_two();
	return tap_done();
}
