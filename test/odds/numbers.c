/*-------------------------------------------------------------------------
 *
 * numbers.c
 *		Counts equal DecimalIds, GDIDs, values of sequences and codes, against
 *		the formulas of model.h.
 *
 * These ids have no random part, so what comes twice is counted exactly.  Only
 * where a server's number is drawn at random, or a crash comes at some moment,
 * the counts are estimates (estimate.h).  The ids are put together by the pure
 * files of src: layouts, reservations, block sizes, codes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/lexical.h"

#include "estimate.h"
#include "model.h"
#include "pairs.h"

/* ---- numbers that were drawn ---- */

/* Estimate the probability that, of n draws among k, two are equal. */
static Estimate
draws(int n, int k)
{
	Estimate	e = {0};

	for (int world = 0; world < 20000; world++)
	{
		for (int i = 0; i < n; i++)
			add_number((int64) (tap_random() % k));
		estimate_add(&e, equal_pairs() > 0);
	}
	return e;
}

static void
check_any_equal(void)
{
	const int	v4_values = 1024;
	Estimate	nodes = draws(302, GID_TRACE_MAX_NODE + 1);
	Estimate	authorities = draws(5, GID_GDID_MAX_AUTHORITY + 1);
	Estimate	pairs = {0};

	for (int world = 0; world < 8000; world++)
	{
		for (int i = 0; i < 60; i++)
			add_number((int64) (tap_random() % v4_values));
		estimate_add(&pairs, equal_pairs());
	}
	estimate_check("v4_equal: ids of which every bit is drawn", &pairs,
				   v4_equal(4, 5, 3) * V4_RANDOM / v4_values);
	estimate_check("any_equal: 302 node numbers at random", &nodes, any_equal(302, NODES));
	estimate_check("any_equal: 5 authorities at random", &authorities, any_equal(5, AUTHORITIES));
}

/* ---- DecimalIds ---- */

/* How long a launch lasts is the time in which its numbers are used. */
static void
check_launch_lasts(void)
{
	tap_begin("launch_lasts: until numbers_used has come to NUMBERS");
	for (double C = 1; C <= 10000; C *= 10)
	{
		double		lasts = launch_lasts(C, 1e-5, 1e5);
		double		used = numbers_used(C, 1e-5 * lasts, 1e5, lasts);

		tap_check(fabs(used / NUMBERS - 1) < 1e-9, "%g numbers of %g connections", used, C);
	}
	tap_end();
}

/*
 * Two databases of one launch: under each generator number that both have come
 * to, the smaller of the two counters.
 */
static void
check_two_databases(void)
{
	tap_begin("two databases of one launch: the smaller counter of each generator number comes twice");
	for (int world = 0; world < 50; world++)
	{
		int			counters[2][30] = {{0}};
		int			wanted = 0;
		double		equal;

		for (int db = 0; db < 2; db++)
		{
			int			generators = 1 + (int) (tap_random() % 30);

			for (int g = 0; g < generators; g++)
			{
				counters[db][g] = 1 + (int) (tap_random() % 300);
				for (int c = 1; c <= counters[db][g]; c++)
					add_number(gid_decimal_pack(c, g, 65));
			}
		}
		for (int g = 0; g < 30; g++)
			wanted += Min(counters[0][g], counters[1][g]);
		equal = equal_pairs();
		tap_check(equal == wanted && wanted > 0, "world %d: %g, not %d", world, equal, wanted);
	}
	tap_end();
}

/* ---- sequences and GDIDs ---- */

/* The next value or values of a sequence, as sequence/page.c takes them. */
static bool
draw_values(GidSequence *seq, GidRequestKind kind, int64 count, GidReserved *reserved)
{
	GidRequest	request = {.kind = kind,.count = count};

	if (!gid_reserve(seq, &request, reserved))
		return false;
	seq->last_value = reserved->last;
	seq->is_called = true;
	return true;
}

static const GidSequence new_sequence = {
	.increment = 1,
	.min_value = 1,
	.max_value = PG_INT64_MAX,
	.cache = 1,
	.last_value = 1,
};

/*
 * Servers draw blocks and batches of authorities, some of which may have one
 * number.  Return how many pairs of equal GDIDs there are.  With "behind" the
 * last authority has been restored from a backup by that many values.
 */
static double
equal_gdids(const uint32 *authorities, int n, int64 from, int draws, int64 behind,
			int64 *drawn)
{
	static const GidRequestKind kinds[] = {GID_REQUEST_SOME, GID_REQUEST_OF_ERA, GID_REQUEST_BATCH};
	GidSequence sequences[4];

	for (int i = 0; i < n; i++)
	{
		sequences[i] = new_sequence;
		sequences[i].last_value = from;
	}
	for (int i = 0; i < draws; i++)
	{
		int			which = (int) (tap_random() % n);
		GidReserved reserved;

		if (behind > 0 && i == draws / 2)
			sequences[n - 1].last_value -= behind;
		if (!draw_values(&sequences[which], kinds[tap_random() % lengthof(kinds)],
						 1 + (int64) (tap_random() % 100), &reserved))
			abort();
		for (int64 v = reserved.first; v <= reserved.last; v++)
		{
			GidGdid		gdid;

			gid_gdid_put(&gdid, (uint32) ((uint64) v >> GID_GDID_COUNTER_BITS),
						 gid_gdid_make_id(authorities[which], (uint64) v & GID_GDID_MAX_COUNTER));
			add_id(gdid.bytes, GID_GDID_BYTES);
		}
		if (drawn != NULL)
			drawn[which] += reserved.count;
	}
	return equal_pairs();
}

static void
check_gdids(void)
{
	static const uint32 distinct[] = {1, 2, 3};
	static const uint32 same[] = {1, 1};
	int64		near_era = ((int64) 1 << GID_GDID_COUNTER_BITS) - 20000;
	double		equal;
	GidSequence seq = new_sequence;
	GidReserved reserved;

	tap_begin("GDIDs of different authorities are never equal, over the end of an era, too");
	equal = equal_gdids(distinct, 3, 1, 2000, 0, NULL);
	tap_check(equal == 0, "%g equal pairs", equal);
	equal = equal_gdids(distinct, 3, near_era, 2000, 0, NULL);
	tap_check(equal == 0, "%g equal pairs", equal);
	tap_end();

	tap_begin("two servers of one authority: as many GDIDs come twice as the slower one has drawn");
	for (int world = 0; world < 20; world++)
	{
		int64		drawn[2] = {0};

		equal = equal_gdids(same, 2, 1, 500, 0, drawn);
		tap_check(equal == Min(drawn[0], drawn[1]) && equal > 0, "%g equal pairs", equal);
	}
	tap_end();

	tap_begin("an authority that was set back by so many values gives as many a second time");
	equal = equal_gdids(same, 1, 1, 2000, 12345, NULL);
	tap_check(equal == 12345, "%g equal pairs", equal);
	tap_end();

	tap_begin("a bigint sequence reaches GDID_ERAS eras");
	seq.last_value = PG_INT64_MAX - 1;
	seq.is_called = true;
	tap_check(draw_values(&seq, GID_REQUEST_SOME, 1, &reserved), "the last value");
	tap_check((reserved.last >> GID_GDID_COUNTER_BITS) == GDID_ERAS - 1, "its era");
	tap_check(!draw_values(&seq, GID_REQUEST_SOME, 1, &reserved), "after the last value");
	tap_end();
}

/*
 * Values are drawn "rate" a second from blocks, as sequence/draw.c does it: the
 * value that leaves less than a quarter of the block reserves the next one.
 * Return what a crash at a random moment loses, once the blocks have found their
 * size: some time in the life of four of them.
 */
static double
lost_in_a_crash(double rate, int64 max_block)
{
	GidHistory	history;
	int64		block_size = 0; /* of the block in use */
	int64		left = 0;		/* of its values */
	int64		ahead = 0;		/* values of the next block; 0: not reserved */
	double		lasts = block(rate, (double) max_block) / rate;
	int64		until_us = (int64) (lasts * (20 + 4 * random_fraction()) * GID_US_PER_S);

	memset(&history, 0, sizeof(history));

	for (int64 n = 1;; n++)
	{
		int64		now_us = (int64) (n / rate * GID_US_PER_S);

		if (now_us >= until_us)
			break;
		if (left == 0 && ahead == 0)
		{
			ahead = gid_reserve_size(&history, now_us, 0, max_block);
			gid_reserve_note(&history, now_us, ahead);
		}
		if (left == 0)
		{
			left = block_size = ahead;
			ahead = 0;
		}
		left--;
		if (ahead == 0 && left < block_size / 4)
		{
			ahead = gid_reserve_size(&history, now_us, left, max_block);
			gid_reserve_note(&history, now_us, ahead);
		}
	}
	return (double) (left + ahead);
}

static void
check_lost(const char *name, const char *most_name, double rate, int64 max_block)
{
	Estimate	e = {0};
	double		most = 0;

	for (int world = 0; world < 4000; world++)
	{
		double		lost_now = lost_in_a_crash(rate, max_block);

		estimate_add(&e, lost_now);
		most = Max(most, lost_now);
	}
	estimate_check(name, &e, lost(rate, (double) max_block));
	tap_begin(most_name);
	tap_check(fabs(most / lost_at_most(rate, (double) max_block) - 1) < 0.03,
			  "%g, not %g", most, lost_at_most(rate, (double) max_block));
	tap_end();
}

/* ---- codes ---- */

/* Add the code that is "count" behind a seed. */
static void
add_code(const GidAlphabet *alphabet, const char *seed, int64 count)
{
	char		code[sizeof(Id)];
	int			length = (int) strlen(seed);
	int			at = 0;

	memcpy(code, seed, length);
	if (gid_lexical_advance(alphabet, code, &length, sizeof(code), count, &at) != GID_LEXICAL_OK)
		abort();
	add_id(code, length);
}

static void
check_codes(void)
{
	static const char *const charsets[] = {"numeric", "crockford", "alphanumeric"};
	const double share = 0.3;
	const int	distance = 25;
	const int	values = 200;
	GidAlphabet alphabet;
	int			at = 0;
	Estimate	e = {0};

	tap_begin("one seed: different values give different codes");
	for (size_t i = 0; i < lengthof(charsets); i++)
	{
		double		equal;

		if (gid_alphabet_open(&alphabet, charsets[i], (int) strlen(charsets[i]), &at) != GID_LEXICAL_OK)
			abort();
		for (int n = 1; n <= 20000; n++)
			add_code(&alphabet, "08", n);
		equal = equal_pairs();
		tap_check(equal == 0, "%s: %g equal", charsets[i], equal);
	}
	tap_end();

	/* the second seed is the code that far behind the first */
	for (int world = 0; world < 1000; world++)
	{
		for (int n = 1; n <= values; n++)
			add_code(&alphabet, "08", random_fraction() <= share ? n : n + distance);
		estimate_add(&e, equal_pairs());
	}
	estimate_check("codes_equal: two seeds on one sequence", &e,
				   codes_equal(values, distance, share));
}

int
main(void)
{
	tap_start();
	check_any_equal();
	check_launch_lasts();
	check_two_databases();
	check_gdids();
	check_lost("lost: values that a crash loses", "lost_at_most: the most that it lost",
			   50, GID_MAX_BLOCK_SIZE);
	check_lost("lost: values that a crash loses, blocks of the largest size",
			   "lost_at_most: the most that it lost, blocks of the largest size",
			   200, 400);
	check_codes();
	return tap_done();
}
