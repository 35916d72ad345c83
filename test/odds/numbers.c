/*-------------------------------------------------------------------------
 *
 * numbers.c
 *		DecimalIds, GDIDs, values of sequences and codes, against model.h.
 *
 * They have no random part: what comes twice can be told exactly, and is here
 * counted.  Only where numbers of servers are drawn at random, or a crash
 * comes at some moment, the counts are estimates (estimate.h).
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "server.h"

#include "estimate.h"
#include "model.h"

#define MAX_IDS			200000
#define LEASES			1000
#define MAX_CODE		100
#define V4_VALUES		1024

static Server one;

/* ---- numbers that were drawn ---- */

static int
compare_numbers(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return (x > y) - (x < y);
}

/* How many pairs of equal numbers there are; sorts them. */
static int
equal_numbers(int64 *numbers, int n)
{
	int			pairs = 0;
	int			same = 0;

	qsort(numbers, n, sizeof(numbers[0]), compare_numbers);
	for (int i = 1; i < n; i++)
	{
		same = numbers[i] == numbers[i - 1] ? same + 1 : 0;
		pairs += same;
	}
	return pairs;
}

/* Does any of N draws among K come again? */
static bool
draw_any_equal(int n, int k)
{
	static uint8 seen[1 << GID_TRACE_NODE_BITS];
	bool		equal = false;

	memset(seen, 0, k);
	for (int i = 0; i < n && !equal; i++)
	{
		uint64		number = tap_random() % k;

		equal = seen[number];
		seen[number] = true;
	}
	return equal;
}

static void
check_any_equal(void)
{
	Estimate	nodes = {0};
	Estimate	authorities = {0};
	Estimate	pairs = {0};

	for (int world = 0; world < 20000; world++)
	{
		estimate_add(&nodes, draw_any_equal(302, GID_TRACE_MAX_NODE + 1));
		estimate_add(&authorities, draw_any_equal(5, GID_GDID_MAX_AUTHORITY + 1));
	}
	for (int world = 0; world < 8000; world++)
	{
		int64		uuids[60];

		for (int i = 0; i < (int) lengthof(uuids); i++)
			uuids[i] = tap_random() % V4_VALUES;
		estimate_add(&pairs, equal_numbers(uuids, (int) lengthof(uuids)));
	}
	estimate_check("v4_equal: ids of which every bit is drawn", &pairs,
				   v4_equal(4, 5, 3) * V4_RANDOM / V4_VALUES);
	estimate_check("any_equal: 302 node numbers at random", &nodes, any_equal(302, NODES));
	estimate_check("any_equal: 5 authorities at random", &authorities, any_equal(5, AUTHORITIES));
}

/* ---- DecimalIds ---- */

/* A lease table of so many entries, all free. */
static void
server_leases(int size)
{
	static union
	{
		GidLeaseTable table;
		char		bytes[sizeof(GidLeaseTable) + LEASES * sizeof(GidLease)];
	}			leases;

	memset(&leases, 0, sizeof(leases));
	leases.table.size = size;
	gid_leases = &leases.table;
}

/*
 * Connections come and go through the server's lease table.  Gives how many
 * generator numbers they needed; *peak: how many were open at a time at most.
 */
static int
numbers_of_one_life(int connections, int steps, int *next_number, int *peak)
{
	GidLeaseKey key;
	int			held[LEASES];
	int			open = 0;
	int			began_with = *next_number;

	memset(&key, 0, sizeof(key));
	server_start(&one);
	server_leases(LEASES);
	*peak = 0;
	for (int i = 0; i < steps; i++)
	{
		if (open < connections && (open == 0 || tap_random() % 2 == 0))
		{
			GidLease	lease;
			int			entry = gid_lease_take(&key, &lease);

			if (entry < 0)
				entry = gid_lease_add(&key, (*next_number)++, InvalidXLogRecPtr);
			held[open++] = entry;
			*peak = Max(*peak, open);
		}
		else
		{
			int			which = (int) (tap_random() % open);

			gid_lease_return(held[which], 1 + i, 0);
			held[which] = held[--open];
		}
	}
	return *next_number - began_with;
}

static void
check_leases(void)
{
	const int	connections = 40;
	const int	restarts = 30;
	int			next_number = 0;

	tap_begin("numbers_used: as many as connections were open at a time, once for each life of the server");
	for (int life = 0; life <= restarts; life++)
	{
		int			peak;
		int			used = numbers_of_one_life(connections, 20000, &next_number, &peak);

		tap_check(used == peak, "life %d: %d numbers for %d connections", life, used, peak);
		tap_check(peak == connections, "life %d: %d connections", life, peak);
	}
	tap_check(next_number == numbers_used(connections, restarts, 0, 0),
			  "%d numbers, not %g", next_number, numbers_used(connections, restarts, 0, 0));
	tap_end();
}

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

/* A lease that has given its last counter is not given again. */
static void
check_counter_used_up(void)
{
	GidLeaseKey key;
	GidLease	lease;

	tap_begin("numbers_used: a number is good for the counters as far as DECIMAL_COUNTERS");
	memset(&key, 0, sizeof(key));
	server_start(&one);
	server_leases(4);
	gid_lease_return(gid_lease_add(&key, 1, InvalidXLogRecPtr), (int32) DECIMAL_COUNTERS - 1, 0);
	tap_check(gid_lease_take(&key, &lease) >= 0, "one id before the last");
	gid_lease_return(0, (int32) DECIMAL_COUNTERS, 0);
	tap_check(gid_lease_take(&key, &lease) < 0, "after the last id");
	tap_check(gid_decimal_pack((int32) DECIMAL_COUNTERS, (int32) NUMBERS - 1, GID_DECIMAL_MAX_LAUNCH) == GID_DECIMAL_MAX,
			  "the largest id");
	/* one more counter does not fit with every generator number and launch */
	tap_check(GID_DECIMAL_MAX > PG_INT64_MAX - GID_DECIMAL_COUNTER_STEP, "room above");
	tap_end();
}

/*
 * Two databases of one launch: under each generator number that both have come
 * to, the smaller of the two counters.
 */
static void
check_two_databases(void)
{
	static int64 ids[MAX_IDS];

	tap_begin("two databases of one launch: the smaller counter of each generator number comes twice");
	for (int world = 0; world < 50; world++)
	{
		int			counters[2][30] = {{0}};
		int			n = 0;
		int			wanted = 0;

		for (int db = 0; db < 2; db++)
		{
			int			generators = 1 + (int) (tap_random() % 30);

			for (int g = 0; g < generators; g++)
			{
				counters[db][g] = 1 + (int) (tap_random() % 300);
				for (int c = 1; c <= counters[db][g]; c++)
					ids[n++] = gid_decimal_pack(c, g, 65);
			}
		}
		for (int g = 0; g < 30; g++)
			wanted += Min(counters[0][g], counters[1][g]);
		tap_check(equal_numbers(ids, n) == wanted && wanted > 0, "world %d: not %d", world, wanted);
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

static int
compare_gdids(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(GidGdid));
}

/* The GDIDs of what is reserved, appended; gives how many there are. */
static int
add_gdids(GidGdid *ids, int n, const GidReserved *reserved, uint32 authority)
{
	for (int64 v = reserved->first; v <= reserved->last; v++)
		gid_gdid_put(&ids[n++], (uint32) ((uint64) v >> GID_GDID_COUNTER_BITS),
					 gid_gdid_make_id(authority, (uint64) v & GID_GDID_MAX_COUNTER));
	return n;
}

/*
 * Servers draw blocks and batches of authorities, some of which may have one
 * number.  Gives how many pairs of equal GDIDs there are.  With "behind" the
 * last authority has been restored from a backup by that many values.
 */
static int
equal_gdids(const uint32 *authorities, int n_authorities, int64 from, int draws,
			int64 behind, int64 *drawn)
{
	static GidGdid ids[MAX_IDS];
	GidSequence sequences[4];
	int			n = 0;
	int			equal = 0;

	for (int i = 0; i < n_authorities; i++)
	{
		sequences[i] = new_sequence;
		sequences[i].last_value = from;
	}
	for (int i = 0; i < draws; i++)
	{
		static const GidRequestKind kinds[] = {GID_REQUEST_SOME, GID_REQUEST_OF_ERA, GID_REQUEST_BATCH};
		int			which = (int) (tap_random() % n_authorities);
		GidReserved reserved;

		if (behind > 0 && i == draws / 2)
			sequences[n_authorities - 1].last_value -= behind;
		if (!draw_values(&sequences[which], kinds[tap_random() % lengthof(kinds)],
						 1 + (int64) (tap_random() % 100), &reserved))
			abort();
		n = add_gdids(ids, n, &reserved, authorities[which]);
		if (drawn != NULL)
			drawn[which] += reserved.count;
	}
	qsort(ids, n, sizeof(ids[0]), compare_gdids);
	for (int i = 1; i < n; i++)
		equal += memcmp(&ids[i], &ids[i - 1], sizeof(ids[0])) == 0;
	return equal;
}

static void
check_gdids(void)
{
	static const uint32 distinct[] = {1, 2, 3};
	static const uint32 same[] = {1, 1};
	static const uint32 single[] = {1};
	int64		near_era = ((int64) 1 << GID_GDID_COUNTER_BITS) - 20000;
	int			equal;

	tap_begin("GDIDs of different authorities are never equal, over the end of an era, too");
	equal = equal_gdids(distinct, 3, 1, 2000, 0, NULL);
	tap_check(equal == 0, "%d equal pairs", equal);
	equal = equal_gdids(distinct, 3, near_era, 2000, 0, NULL);
	tap_check(equal == 0, "%d equal pairs", equal);
	tap_end();

	tap_begin("two servers of one authority: as many GDIDs come twice as the slower one has drawn");
	for (int world = 0; world < 20; world++)
	{
		int64		drawn[2] = {0};

		equal = equal_gdids(same, 2, 1, 500, 0, drawn);
		tap_check(equal == Min(drawn[0], drawn[1]) && equal > 0, "%d equal pairs of %lld and %lld",
				  equal, (long long) drawn[0], (long long) drawn[1]);
	}
	tap_end();

	tap_begin("an authority that was set back by so many values gives as many a second time");
	equal = equal_gdids(single, 1, 1, 2000, 12345, NULL);
	tap_check(equal == 12345, "%d equal pairs", equal);
	tap_end();

	tap_begin("a bigint sequence reaches GDID_ERAS eras");
	{
		GidSequence seq = new_sequence;
		GidReserved reserved;

		seq.last_value = PG_INT64_MAX - 1;
		seq.is_called = true;
		tap_check(draw_values(&seq, GID_REQUEST_SOME, 1, &reserved), "the last value");
		tap_check((reserved.last >> GID_GDID_COUNTER_BITS) == GDID_ERAS - 1, "its era");
		tap_check(!draw_values(&seq, GID_REQUEST_SOME, 1, &reserved), "after the last value");
	}
	tap_end();
}

/*
 * Values are drawn "rate" a second from blocks as sequence/draw.c does it;
 * gives what a crash at a random moment loses, once the blocks have found
 * their size: some time in the life of four of them.
 */
static double
lost_in_a_crash(double rate, int64 max_block, double *most)
{
	static GidBlockEntry entry;
	GidSequence seq = new_sequence;
	int64		left;
	int64		ahead = 0;
	double		lasts = block(rate, (double) max_block) / rate;
	int64		until_us = (int64) (lasts * (20 + 4 * random_fraction()) * GID_US_PER_S);
	int64		reserved_at_end;
	GidValue	value = {0};
	uint64		state;

	memset(&entry, 0, sizeof(entry));
	for (int64 n = 1;; n++)
	{
		int64		now_us = (int64) (n / rate * GID_US_PER_S);
		GidBlockTake take;
		GidReserved reserved;

		if (now_us >= until_us)
			break;
		take = gid_block_take(&entry, 0, &value);
		if (take == GID_BLOCK_TAKEN)
			continue;
		(void) gid_block_is_low(&entry, &left);
		if (!entry.ahead)
		{
			if (!draw_values(&seq, GID_REQUEST_SOME,
							 gid_history_size(&entry.history, now_us, left, max_block),
							 &reserved))
				abort();
			gid_block_fill(&entry, &reserved, 1, 0, InvalidXLogRecPtr);
			gid_history_note(&entry.history, now_us, reserved.count);
			entry.ahead = true;
			ahead = reserved.count;
		}
		if (take == GID_BLOCK_NONE)
			value = gid_block_open(&entry, true, &state);
	}
	reserved_at_end = seq.last_value - value.value;
	(void) gid_block_is_low(&entry, &left);
	if (reserved_at_end != left + (entry.ahead ? ahead : 0))
		abort();
	*most = Max(*most, (double) reserved_at_end);
	return (double) reserved_at_end;
}

static void
check_lost(const char *name, const char *most_name, double rate, int64 max_block)
{
	Estimate	e = {0};
	double		most = 0;

	for (int world = 0; world < 4000; world++)
		estimate_add(&e, lost_in_a_crash(rate, max_block, &most));
	estimate_check(name, &e, lost(rate, (double) max_block));
	tap_begin(most_name);
	tap_check(fabs(most / lost_at_most(rate, (double) max_block) - 1) < 0.03,
			  "%g, not %g", most, lost_at_most(rate, (double) max_block));
	tap_end();
}

/* ---- codes ---- */

/* The code so many after a seed, padded with 0 bytes. */
static void
make_code(const char *seed, const char *charset, int64 count, char *code)
{
	GidAlphabet alphabet;
	int			length = (int) strlen(seed);
	int			at = 0;

	memset(code, 0, MAX_CODE);
	memcpy(code, seed, length);
	if (gid_alphabet_open(&alphabet, charset, (int) strlen(charset), &at) != GID_LEXICAL_OK ||
		gid_lexical_advance(&alphabet, code, &length, MAX_CODE, count, &at) != GID_LEXICAL_OK)
		abort();
}

static int
compare_codes(const void *a, const void *b)
{
	return memcmp(a, b, MAX_CODE);
}

static int
equal_codes(char codes[][MAX_CODE], int n)
{
	int			equal = 0;

	qsort(codes, n, MAX_CODE, compare_codes);
	for (int i = 1; i < n; i++)
		equal += memcmp(codes[i], codes[i - 1], MAX_CODE) == 0;
	return equal;
}

static void
check_codes(void)
{
	static const char *const charsets[] = {"numeric", "alphanumeric", "crockford"};
	static char codes[20000][MAX_CODE];
	const double share = 0.3;
	const int	distance = 25;
	const int	values = 200;
	Estimate	e = {0};

	tap_begin("one seed: different values give different codes");
	for (size_t i = 0; i < lengthof(charsets); i++)
	{
		int			equal;

		for (int n = 0; n < (int) lengthof(codes); n++)
			make_code("08", charsets[i], n + 1, codes[n]);
		equal = equal_codes(codes, (int) lengthof(codes));
		tap_check(equal == 0, "%s: %d equal", charsets[i], equal);
	}
	tap_end();

	for (int world = 0; world < 1000; world++)
	{
		char		other[MAX_CODE];

		make_code("08", "alphanumeric", distance, other);
		for (int n = 0; n < values; n++)
			make_code(random_fraction() <= share ? "08" : other, "alphanumeric",
					  n + 1, codes[n]);
		estimate_add(&e, equal_codes(codes, values));
	}
	estimate_check("codes_equal: two seeds on one sequence", &e,
				   codes_equal(values, distance, share));
}

int
main(void)
{
	tap_start();
	check_any_equal();
	check_leases();
	check_launch_lasts();
	check_counter_used_up();
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
