/*-------------------------------------------------------------------------
 *
 * test_ended.c
 *		Which transactions have ended in a snapshot.
 *
 * The second implementation has a bit for each transaction.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "horizon/ended.h"
#include "tap.h"

/* Transactions of a test, bit by bit; those before the first have ended, too. */
#define TRANSACTIONS	24
#define ALL_ENDED		((1U << TRANSACTIONS) - 1)

/* The snapshot in which these have ended, as a server takes it. */
static GidEnded
snapshot_of(uint32 plain, uint64 first, uint64 *running)
{
	GidEnded	ended = {.running = running};
	int			xmin = 0;
	int			xmax = TRANSACTIONS;

	while (xmin < TRANSACTIONS && plain >> xmin & 1)
		xmin++;
	while (xmax > xmin && !(plain >> (xmax - 1) & 1))
		xmax--;
	ended.xmin = first + xmin;
	ended.taken.xmax = first + xmax;
	for (int i = xmin; i < xmax; i++)
	{
		if (!(plain >> i & 1))
			running[ended.taken.nrunning++] = first + i;
	}
	return ended;
}

/* Each with the same odds, which differ from call to call. */
static uint32
random_plain(void)
{
	uint32		plain = (uint32) tap_random();

	for (uint64 i = tap_random_to(2); i > 0; i--)
		plain |= (uint32) tap_random();
	return plain & ALL_ENDED;
}

/* Where transaction ids of 32 bits begin again is among these. */
static uint64
random_first(void)
{
	return (tap_random_to(5) << 32) + 3 + (tap_random() % 2 == 0 ? tap_random_to(PG_UINT32_MAX)
										   : PG_UINT32_MAX - tap_random_to(TRANSACTIONS));
}

static void
test_widen(void)
{
	tap_begin("an id of 32 bits gets its other bits");
	for (int i = 0; i < 20000; i++)
	{
		uint64		next = i % 4 == 0 ? (uint64) (1 + i / 4) << 31 : random_first();
		uint64		before = i % 2 == 0 ? (uint64) i / 8 % 4 : UINT64CONST(0x80000000) - i / 8 % 2;
		uint64		xid = next - (i % 3 == 0 ? tap_random_to(0x80000000) : before) % (next + 1);

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
		uint64		running[TRANSACTIONS];
		uint32		plain = random_plain();
		GidEnded	ended = snapshot_of(plain, first, running);

		for (int j = 0; j < TRANSACTIONS; j++)
			tap_check(gid_ended_has(&ended, first + j) == (plain >> j & 1),
					  "transaction %d of " UINT64_FORMAT, j, first);
		tap_check(gid_ended_has(&ended, first - 1) && !gid_ended_has(&ended, ended.taken.xmax) &&
				  !gid_ended_has(&ended, first + TRANSACTIONS), "those around " UINT64_FORMAT, first);
	}
	tap_end();
}

int
main(void)
{
	test_widen();
	test_has();
	return tap_done();
}
