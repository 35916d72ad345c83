/*-------------------------------------------------------------------------
 *
 * uuids.c
 *		UUIDs: counts of equal ones, against the formulas of model.h.
 *
 * The true odds are too small to see.  So most of the bits that should be
 * random are fixed, and the formula is multiplied by how many values are
 * missing: a formula that counts a bit too many or too few is wrong by a
 * factor of two.  How many bits an id takes from the random source is found
 * out by changing them one at a time.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "server.h"

#include "estimate.h"
#include "model.h"

#define MAX_IDS		200000
#define MAX_SERVERS	12
#define NS			((double) NS_PER_S)

/* In a run of 8 random bytes, the first byte is the lowest of the word. */
#define BIT(n)		(UINT64CONST(1) << (n))

static Server servers[MAX_SERVERS];
static pg_uuid_t ids[MAX_IDS];
static int	nids;

static int
compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(pg_uuid_t));
}

static void
add_id(pg_uuid_t id)
{
	if (nids == MAX_IDS)
		abort();
	ids[nids++] = id;
}

/* How many pairs of the collected ids are equal; then none is collected. */
static double
equal_pairs(void)
{
	double		pairs = 0;
	int			same = 0;

	qsort(ids, nids, sizeof(ids[0]), compare_ids);
	for (int i = 1; i < nids; i++)
	{
		same = memcmp(&ids[i], &ids[i - 1], sizeof(ids[0])) == 0 ? same + 1 : 0;
		pairs += same;
	}
	nids = 0;
	return pairs;
}

/* Where a world begins, so that not all begin at one place of the clock. */
static int64
some_moment(void)
{
	return SERVER_BEGAN_NS + (int64) (tap_random() % (100 * (uint64) NS_PER_S));
}

/*
 * Ids of a new server at random moments, "rate" a second, from "begin" on; the
 * first one, before that, starts the words and is not collected.
 */
static void
run_server(Server *s, int64 begin, double seconds, double rate,
		   int64 step_ns, pg_uuid_t (*make) (void))
{
	double		at = random_pause(rate);

	server_at(begin - NS_PER_S / 1000);
	server_make(s);
	(void) make();
	for (; at < seconds; at += random_pause(rate))
	{
		int64		ns = begin + (int64) (at * NS);

		server_at(ns - ns % step_ns);
		add_id(make());
	}
}

/* ---- what is random in an id ---- */

/* An id of random bits that are all 0 but for one; -1: all of them. */
static pg_uuid_t
id_with_bit(int bit, pg_uuid_t (*make) (void))
{
	random_bits = 0;
	random_one = bit;
	gid_random_buffer.used = GID_RANDOM_BUFFER_BYTES;
	server_make(&servers[0]);
	server_at(SERVER_BEGAN_NS);
	return make();
}

/* How many of 128 random bits change an id. */
static int
random_bits_of(pg_uuid_t (*make) (void))
{
	pg_uuid_t	plain = id_with_bit(-1, make);
	int			n = 0;

	for (int bit = 0; bit < 128; bit++)
	{
		pg_uuid_t	other = id_with_bit(bit, make);

		n += memcmp(&plain, &other, sizeof(plain)) != 0;
	}
	random_bits = PG_UINT64_MAX;
	random_one = -1;
	return n;
}

static pg_uuid_t
backfill_id(void)
{
	LOCAL_FCINFO(fcinfo, 1);

	fcinfo->args[0].value = TimestampTzGetDatum(SERVER_BEGAN_NS / GID_NS_PER_US - GID_PG_EPOCH_US);
	return *DatumGetUUIDP(gid_uuid_v7_at(fcinfo));
}

/* Byte 8 takes each of its values by the same share of 16 random bits. */
static void
check_variants(void)
{
	int			count[256] = {0};
	int			values = 0;

	tap_begin("byte 8 has 192 values, none with the RFC variant, by equal shares");
	for (int random = 0; random <= 0xffff; random++)
	{
		uint8		uuid[UUID_LEN] = {0};

		uuid[8] = gid_byte8_from_random((uint16) random);
		count[uuid[8]]++;
		tap_check(!gid_uuid_has_rfc_variant(uuid), "byte 8 %02x", uuid[8]);
	}
	for (int i = 0; i < 256; i++)
	{
		values += count[i] > 0;
		tap_check(count[i] == 0 || abs(count[i] - 0x10000 / VARIANTS) <= 1,
				  "%02x comes %d times", i, count[i]);
	}
	tap_check(values == VARIANTS, "%d values", values);
	tap_end();
}

/*
 * Over many starts, the bits of the process id and of the generator that take
 * both values, but for byte 8, and the values of that byte.
 */
static void
check_start(void)
{
	uint8		ones[GID_PROCESS_BYTES + GID_GENERATOR_BYTES] = {0};
	uint8		zeros[sizeof(ones)] = {0};
	bool		variant[2][256] = {{0}};
	double		values[2] = {1, 1};

	tap_begin("a server start chooses a process id of PROCESSES and a generator of GENERATORS values");
	for (int i = 0; i < 20000; i++)
	{
		uint8		drawn[sizeof(ones)];

		server_make(&servers[0]);
		memcpy(drawn, server->process, GID_PROCESS_BYTES);
		memcpy(drawn + GID_PROCESS_BYTES, server->generator, GID_GENERATOR_BYTES);
		for (size_t j = 0; j < sizeof(ones); j++)
		{
			ones[j] |= drawn[j];
			zeros[j] |= ~drawn[j];
		}
		variant[0][drawn[GID_PROCESS_VARIANT_BYTE]] = true;
		variant[1][drawn[GID_PROCESS_BYTES + GID_GENERATOR_VARIANT_BYTE]] = true;
		tap_check(gid_clock->clock.shard_counter < COUNTERS, "counter %u",
				  gid_clock->clock.shard_counter);
	}
	for (size_t j = 0; j < sizeof(ones); j++)
	{
		if (j != GID_PROCESS_VARIANT_BYTE &&
			j != GID_PROCESS_BYTES + GID_GENERATOR_VARIANT_BYTE)
			values[j >= GID_PROCESS_BYTES] *= 1 << pg_popcount32(ones[j] & zeros[j]);
	}
	for (int which = 0; which < 2; which++)
	{
		int			n = 0;

		for (int i = 0; i < 256; i++)
			n += variant[which][i];
		values[which] *= n;
	}
	tap_check(values[0] == PROCESSES, "%g process ids, not %g", values[0], PROCESSES);
	tap_check(values[1] == GENERATORS, "%g generators, not %g", values[1], GENERATORS);
	tap_end();
}

/* ---- version 7 ---- */

/* 4 of the 58 bits, and two of those that no id has. */
#define V7_FREE		(BIT(0) | BIT(13) | BIT(40) | BIT(57))
#define V7_UNUSED	(BIT(58) | BIT(63))
#define V7_MISSING	(v7_bits - 4)

static int	v7_bits;			/* that an id takes from the random source */

static void
check_v7(void)
{
	const int	n = 4;
	const double rate = 13e6;
	const double seconds = 2.5e-5;
	Estimate	apart = {0};
	Estimate	back = {0};

	random_bits = V7_FREE | V7_UNUSED;
	for (int world = 0; world < 1000; world++)
	{
		int64		begin = some_moment();

		for (int i = 0; i < n; i++)
			run_server(&servers[i], begin, seconds, rate, 1, server_v7);
		estimate_add(&apart, equal_pairs());
	}
	/* a server without its gid.clock is a new one */
	for (int world = 0; world < 4000; world++)
	{
		int64		begin = some_moment();

		run_server(&servers[0], begin, seconds, rate, 1, server_v7);
		run_server(&servers[0], begin, seconds, rate, 1, server_v7);
		estimate_add(&back, equal_pairs());
	}
	random_bits = PG_UINT64_MAX;
	estimate_check("v7_equal: version 7, servers apart", &apart,
				   v7_equal(n, rate, seconds) * TWO_TO(V7_MISSING));
	estimate_check("v7_equal for N = 2: one server whose clock was set back and whose gid.clock was removed",
				   &back, v7_equal(2, rate, seconds) * TWO_TO(V7_MISSING));
}

/* All servers make their ids at the very same moments. */
static void
check_v7_lock_step(void)
{
	const int	n = 5;
	const int	count = 80;
	Estimate	e = {0};

	random_bits = V7_FREE | V7_UNUSED;
	for (int world = 0; world < 1000; world++)
	{
		int64		begin = some_moment();

		for (int i = 0; i < n; i++)
		{
			server_at(begin);
			server_make(&servers[i]);
			for (int k = 0; k < count; k++)
			{
				server_at(begin + 100 * k);
				add_id(server_v7());
			}
		}
		estimate_add(&e, equal_pairs());
	}
	random_bits = PG_UINT64_MAX;
	estimate_check("v7_at_most: version 7, servers in lock-step", &e,
				   v7_at_most(n, count, 1) * TWO_TO(V7_MISSING));
}

static void
check_v7_steps(void)
{
	const int	n = 4;
	const double rate = 7e5;
	const double seconds = 2e-4;
	const int64 step_ns = 1000;
	Estimate	e = {0};

	random_bits = V7_FREE | V7_UNUSED;
	for (int world = 0; world < 1000; world++)
	{
		int64		begin = some_moment();

		begin -= begin % step_ns;
		for (int i = 0; i < n; i++)
			run_server(&servers[i], begin, seconds, rate, step_ns, server_v7);
		estimate_add(&e, equal_pairs());
	}
	random_bits = PG_UINT64_MAX;
	estimate_check("v7_steps: version 7, clocks that go on by a microsecond", &e,
				   v7_steps(n, rate, seconds, step_ns / NS) * TWO_TO(V7_MISSING));
}

static void
check_v7_backfill(int bits)
{
	const int	n = 60;
	Estimate	e = {0};

	/* two bits of the fraction, and all four below it */
	random_bits = BIT(0) | BIT(15) | BIT(33) | BIT(57);
	server_make(&servers[0]);
	for (int world = 0; world < 1000; world++)
	{
		for (int i = 0; i < n; i++)
			add_id(backfill_id());
		estimate_add(&e, equal_pairs());
	}
	random_bits = PG_UINT64_MAX;
	estimate_check("v7_backfill: gid_uuid_v7_at()", &e,
				   v7_backfill(n) * TWO_TO(bits - 6));
}

/* ---- sequential and shard-key UUIDs ---- */

/*
 * Starts of servers: pairs of lives that overlap and have equal process ids,
 * and those of equal generators.  Three bits are random beside those of byte
 * 8.
 */
static void
check_lives(void)
{
	const int	n = MAX_SERVERS;
	const int	restarts = 30;
	const int	free = 3;
	Estimate	processes = {0};
	Estimate	generators = {0};

	random_start = BIT(1) | BIT(17) | BIT(31);
	for (int world = 0; world < 60000; world++)
	{
		int			equal[2] = {0};

		for (int start = 0; start < n + restarts; start++)
		{
			int			which = start < n ? start : (int) (tap_random() % n);
			Server	   *mine = &servers[which];

			server_draw(mine);
			for (int i = 0; i < Min(start, n); i++)
			{
				Server	   *other = &servers[i];

				if (i == which)
					continue;
				equal[0] += memcmp(mine->process, other->process, GID_PROCESS_BYTES) == 0;
				equal[1] += memcmp(mine->generator, other->generator, GID_GENERATOR_BYTES) == 0;
			}
		}
		estimate_add(&processes, equal[0]);
		estimate_add(&generators, equal[1]);
	}
	random_start = PG_UINT64_MAX;
	estimate_check("equal_processes: pairs of lives with one process id", &processes,
				   equal_processes(n, restarts) * TWO_TO(BYTE * (GID_PROCESS_BYTES - 1) - free));
	estimate_check("equal_generators: pairs of lives with one generator", &generators,
				   equal_generators(n, restarts) * TWO_TO(BYTE * (GID_GENERATOR_BYTES - 1) - free));
}

/* What the servers get instead of the process id that they drew. */
static uint8 process[GID_PROCESS_BYTES];

static pg_uuid_t
sequential_id(void)
{
	memcpy(server->process, process, GID_PROCESS_BYTES);
	return server_sequential();
}

/* Two servers of one process id, and two whose process ids differ in one bit. */
static void
check_ticks(void)
{
	const double rate = 3e6;
	const double seconds = 5e-5;
	Estimate	e = {0};
	double		others = 0;

	for (int world = 0; world < 1000; world++)
	{
		int64		begin = some_moment();

		run_server(&servers[0], begin, seconds, rate, 1, sequential_id);
		run_server(&servers[1], begin, seconds, rate, 1, sequential_id);
		estimate_add(&e, equal_pairs());

		run_server(&servers[0], begin, seconds, rate, 1, sequential_id);
		process[world % GID_PROCESS_BYTES] ^= 1 << world / GID_PROCESS_BYTES % BYTE;
		run_server(&servers[1], begin, seconds, rate, 1, sequential_id);
		others += equal_pairs();
	}
	estimate_check("equal_ticks: sequential UUIDs of one process id", &e,
				   equal_ticks(rate, seconds));
	tap_begin("sequential UUIDs of two process ids are never equal");
	tap_check(others == 0, "%g equal pairs", others);
	tap_end();
}

/* Within a second the words follow one upon the other, also beyond its end. */
static void
check_consecutive(void)
{
	tap_begin("a second's shard-key UUIDs have consecutive words, also where the counter wraps");
	for (int world = 0; world < 4; world++)
	{
		uint64		last;

		server_at(some_moment());
		server_make(&servers[0]);
		/* two of the four wrap */
		gid_clock->clock.shard_counter = world % 2 == 0 ? 1000 : COUNTERS - 1000;
		last = server_shard_word(server_shard(7));
		for (int i = 0; i < 5000; i++)
		{
			uint64		word = server_shard_word(server_shard(7));

			tap_check(word == last + 1, "%llu after %llu",
					  (unsigned long long) word, (unsigned long long) last);
			last = word;
		}
	}
	tap_end();
}

/*
 * Of a server's ids of some seconds, those that carry one of them.  The first
 * and the last id of a second are made, the ones between are as
 * check_consecutive() says.
 */
#define SHARD_SECONDS	4

typedef struct Arc
{
	uint64		first;			/* of the words */
	uint64		end;			/* behind the last one */
} Arc;

static void
make_arcs(Server *s, int64 rate, Arc *arcs)
{
	uint64		begin = gid_word_at(GID_WORD_SHARD, SERVER_BEGAN_NS / NS_PER_S + 3, 0);
	uint64		end = begin + SHARD_SECONDS * GID_SHARD_RATE;

	server_at(SERVER_BEGAN_NS);
	server_make(s);
	(void) server_shard(7);
	for (int i = -1; i < SHARD_SECONDS; i++)
	{
		pg_atomic_uint64 *last = &gid_clock->words[GID_WORD_SHARD].word.last;
		uint64		word;

		server_at(SERVER_BEGAN_NS + (i + 3) * NS_PER_S + NS_PER_S / 2);
		word = server_shard_word(server_shard(7));
		pg_atomic_write_u64(last, pg_atomic_read_u64(last) + rate - 2);
		if (server_shard_word(server_shard(7)) != word + rate - 1)
			abort();
		if (i >= 0)
			arcs[i].first = Max(word, begin);
		else
			arcs[SHARD_SECONDS].first = Max(word, begin);
		arcs[i >= 0 ? i : SHARD_SECONDS].end = Min(word + rate, end);
	}
}

/* Two servers of one generator that make ids of one shard key. */
static void
check_counters(void)
{
	const int64 rate = 4000000;
	Estimate	ids_of = {0};
	Estimate	any = {0};

	for (int world = 0; world < 30000; world++)
	{
		Arc			arcs[2][SHARD_SECONDS + 1];
		double		common = 0;

		for (int i = 0; i < 2; i++)
			make_arcs(&servers[i], rate, arcs[i]);
		for (int i = 0; i <= SHARD_SECONDS; i++)
		{
			for (int j = 0; j <= SHARD_SECONDS; j++)
			{
				uint64		first = Max(arcs[0][i].first, arcs[1][j].first);
				uint64		end = Min(arcs[0][i].end, arcs[1][j].end);

				common += first < end ? end - first : 0;
			}
		}
		estimate_add(&ids_of, common);
		estimate_add(&any, common > 0);
	}
	estimate_check("equal_counters: shard-key UUIDs of one generator and key", &ids_of,
				   equal_counters(rate, SHARD_SECONDS));
	estimate_check("counters_meet: two servers of one generator and steady, equal rates", &any,
				   counters_meet(rate));
}

int
main(void)
{
	int			backfill_bits;

	tap_start();
	v7_bits = random_bits_of(server_v7);
	backfill_bits = random_bits_of(backfill_id);

	tap_begin("a version 7 UUID has 58 random bits; one of gid_uuid_v7_at() the fraction's, too");
	tap_check(TWO_TO(v7_bits) == V7_RANDOM, "%d bits", v7_bits);
	tap_check(TWO_TO(backfill_bits) == V7_BELOW_MS, "%d bits", backfill_bits);
	tap_end();
	check_variants();
	check_start();

	check_v7();
	check_v7_lock_step();
	check_v7_steps();
	check_v7_backfill(backfill_bits);
	check_lives();
	check_ticks();
	check_consecutive();
	check_counters();
	return tap_done();
}
