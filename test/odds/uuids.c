/*-------------------------------------------------------------------------
 *
 * uuids.c
 *		Counts equal UUIDs and TraceIds of simulated servers, against the
 *		formulas of model.h.
 *
 * The ids are put together by the pure files of src: the layouts and the step of
 * a growing word.  That the server's functions use these files in the same way,
 * and that a word never repeats a value after a crash or a clock step, is tested
 * through SQL and in test/t.
 *
 * The true odds are too small to be seen.  So most of the bits that should be
 * random are fixed, and the formula is multiplied by the number of values that
 * are missing.  A formula with a bit too many or too few is then wrong by a
 * factor of two.
 *
 * State: the servers of the world in hand, and the bits that vary.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/time_word.h"

#include "estimate.h"
#include "model.h"
#include "pairs.h"

#define MAX_SERVERS		12
#define NS_PER_S		INT64CONST(1000000000)

/* 2026-01-01 00:00:00 UTC */
#define BEGAN_NS		(INT64CONST(1767225600) * NS_PER_S)

#define BIT(n)			(UINT64CONST(1) << (n))

/* What a server has from its start on. */
typedef struct Server
{
	uint64		last[GID_NWORDS];
	uint8		process[GID_PROCESS_BYTES];
	uint8		generator[GID_GENERATOR_BYTES];
} Server;

static Server servers[MAX_SERVERS];
static uint64 random_bits;		/* those of a random number that vary */

/* ---- servers ---- */

/* Random bytes of which only the bits of random_bits vary. */
static uint64
some_bits(void)
{
	return tap_random() & random_bits;
}

/* What a start of a server draws. */
static void
start(Server *s)
{
	uint64		bits[2] = {some_bits(), some_bits()};

	memset(s->last, 0, sizeof(s->last));
	s->last[GID_WORD_SHARD] = tap_random() & GID_MASK(GID_SHARD_COUNTER_BITS);
	memcpy(s->process, &bits[0], GID_PROCESS_BYTES);
	memcpy(s->generator, &bits[1], GID_GENERATOR_BYTES);
	s->process[GID_PROCESS_VARIANT_BYTE] = gid_byte8_from_random((uint16) tap_random());
	s->generator[GID_GENERATOR_VARIANT_BYTE] = gid_byte8_from_random((uint16) tap_random());
}

static uint64
take(Server *s, GidWordId word, int64 ns)
{
	s->last[word] = gid_word_step(word, s->last[word],
								  gid_word_at(word, ns / NS_PER_S, ns % NS_PER_S));
	return s->last[word];
}

static void
add_v7(Server *s, int64 ns)
{
	uint8		uuid[16];

	gid_v7_pack(uuid, take(s, GID_WORD_V7, ns), some_bits());
	add_id(uuid, sizeof(uuid));
}

static void
add_sequential(Server *s, int64 ns)
{
	uint8		uuid[16];

	gid_sequential_pack(uuid, take(s, GID_WORD_TICKS, ns), s->process);
	add_id(uuid, sizeof(uuid));
}

static void
add_trace(Server *s, int64 ns, uint32 node)
{
	uint64		word = take(s, GID_WORD_TRACE, ns);

	add_number(gid_trace_pack(word >> GID_TRACE_LOW_BITS, node,
							  (uint32) (word & GID_MASK(GID_TRACE_LOW_BITS))));
}

/* Where a world begins, so that not all begin at one place of the clock. */
static int64
some_moment(void)
{
	return BEGAN_NS + (int64) (tap_random() % (100 * (uint64) NS_PER_S));
}

/* Ids at random moments, "rate" a second, of a clock with such steps. */
static void
run_server(Server *s, int64 begin, double seconds, double rate, int64 step_ns,
		   void (*add) (Server *, int64))
{
	for (double at = random_pause(rate); at < seconds; at += random_pause(rate))
	{
		int64		ns = begin + (int64) (at * NS_PER_S);

		add(s, ns - ns % step_ns);
	}
}

/* ---- version 7 ---- */

/* 4 of the 58 bits vary, and two of those that no id has. */
#define V7_FREE		(BIT(0) | BIT(13) | BIT(40) | BIT(57) | BIT(58) | BIT(63))

/* How many bits of a random number change an id, less those that vary. */
static int
v7_missing(void)
{
	uint8		plain[16];
	int			n = 0;

	gid_v7_pack(plain, 0, 0);
	for (int bit = 0; bit < 64; bit++)
	{
		uint8		uuid[16];

		gid_v7_pack(uuid, 0, BIT(bit));
		n += memcmp(uuid, plain, sizeof(uuid)) != 0;
	}
	return n - 4;
}

static void
check_v7(const char *name, int n, double rate, double seconds, int64 step_ns)
{
	Estimate	e = {0};

	random_bits = V7_FREE;
	for (int world = 0; world < 3000; world++)
	{
		int64		begin = some_moment() / step_ns * step_ns;

		for (int i = 0; i < n; i++)
		{
			start(&servers[i]);
			run_server(&servers[i], begin, seconds, rate, step_ns, add_v7);
		}
		estimate_add(&e, equal_pairs());
	}
	estimate_check(name, &e, TWO_TO(v7_missing()) *
				   (step_ns == 1 ? v7_equal(n, rate, seconds) :
					v7_steps(n, rate, seconds, step_ns / (double) NS_PER_S)));
}

/* All servers make their ids at the very same moments. */
static void
check_v7_lock_step(void)
{
	const int	n = 5;
	const int	count = 80;
	Estimate	e = {0};

	random_bits = V7_FREE;
	for (int world = 0; world < 1000; world++)
	{
		int64		begin = some_moment();

		for (int i = 0; i < n; i++)
		{
			start(&servers[i]);
			for (int k = 0; k < count; k++)
				add_v7(&servers[i], begin + 100 * k);
		}
		estimate_add(&e, equal_pairs());
	}
	estimate_check("v7_at_most: version 7, servers in lock-step", &e,
				   v7_at_most(n, count, 1) * TWO_TO(v7_missing()));
}

/* As gid_uuid_v7_at(): the fraction of the millisecond is random, too. */
static void
check_v7_backfill(void)
{
	const uint64 fraction_free = BIT(0) | BIT(15);
	const int	n = 60;
	Estimate	e = {0};

	random_bits = V7_FREE;
	for (int world = 0; world < 1000; world++)
	{
		for (int i = 0; i < n; i++)
		{
			uint64		word = gid_word_at(GID_WORD_V7, BEGAN_NS / NS_PER_S, 0);
			uint8		uuid[16];

			gid_v7_pack(uuid, word | (tap_random() & fraction_free), some_bits());
			add_id(uuid, sizeof(uuid));
		}
		estimate_add(&e, equal_pairs());
	}
	estimate_check("v7_backfill: ids of one millisecond", &e,
				   v7_backfill(n) * TWO_TO(v7_missing() + GID_V7_FRACTION_BITS - 2));
}

/* ---- sequential and shard-key UUIDs ---- */

/*
 * Starts of servers: pairs of lives that overlap and have equal process ids,
 * and those of equal generators.  Three bits vary beside those of byte 8.
 */
static void
check_lives(void)
{
	const int	n = MAX_SERVERS;
	const int	restarts = 30;
	const int	free = 3;
	Estimate	processes = {0};
	Estimate	generators = {0};

	random_bits = BIT(1) | BIT(17) | BIT(31);
	for (int world = 0; world < 60000; world++)
	{
		int			equal[2] = {0};

		for (int life = 0; life < n + restarts; life++)
		{
			int			which = life < n ? life : (int) (tap_random() % n);
			Server	   *mine = &servers[which];

			start(mine);
			for (int i = 0; i < Min(life, n); i++)
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
	estimate_check("equal_processes: pairs of lives with one process id", &processes,
				   equal_processes(n, restarts) * TWO_TO(BYTE * (GID_PROCESS_BYTES - 1) - free));
	estimate_check("equal_generators: pairs of lives with one generator", &generators,
				   equal_generators(n, restarts) * TWO_TO(BYTE * (GID_GENERATOR_BYTES - 1) - free));
}

/* Two servers of one process id, and two whose process ids differ in one bit. */
static void
check_ticks(void)
{
	const double rate = 3e6;
	const double seconds = 5e-5;
	Estimate	e = {0};
	double		others = 0;

	random_bits = PG_UINT64_MAX;
	for (int world = 0; world < 1000; world++)
	{
		int64		begin = some_moment();

		for (int bit = 0; bit <= 1; bit++)
		{
			start(&servers[0]);
			servers[1] = servers[0];
			servers[1].process[world % GID_PROCESS_BYTES] ^= bit << world / GID_PROCESS_BYTES % BYTE;
			for (int i = 0; i < 2; i++)
				run_server(&servers[i], begin, seconds, rate, 1, add_sequential);
			if (bit == 0)
				estimate_add(&e, equal_pairs());
			else
				others += equal_pairs();
		}
	}
	estimate_check("equal_ticks: sequential UUIDs of one process id", &e,
				   equal_ticks(rate, seconds));
	tap_begin("sequential UUIDs of two process ids are never equal");
	tap_check(others == 0, "%g equal pairs", others);
	tap_end();
}

#define SHARD_SECONDS	4

/* Consecutive words. */
typedef struct Arc
{
	uint64		first;
	uint64		end;			/* behind the last one */
} Arc;

/*
 * The words of a server with "rate" ids in each second, as far as they fall
 * into SHARD_SECONDS seconds.  The second before may reach into them.
 */
static void
make_arcs(Server *s, uint64 rate, Arc arcs[SHARD_SECONDS + 1])
{
	int64		begin_s = BEGAN_NS / NS_PER_S;
	uint64		begin = gid_word_at(GID_WORD_SHARD, begin_s, 0);
	uint64		end = begin + SHARD_SECONDS * GID_SHARD_RATE;

	start(s);
	for (int i = 0; i <= SHARD_SECONDS; i++)
	{
		uint64		word = take(s, GID_WORD_SHARD, (begin_s + i - 1) * NS_PER_S);

		s->last[GID_WORD_SHARD] += rate - 1;
		arcs[i].first = Max(word, begin);
		arcs[i].end = Min(word + rate, end);
	}
}

/* Two servers of one generator that make ids of one shard key. */
static void
check_counters(void)
{
	const int64 rate = 4000000;
	Estimate	pairs = {0};
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
		estimate_add(&pairs, common);
		estimate_add(&any, common > 0);
	}
	estimate_check("equal_counters: shard-key UUIDs of one generator and key", &pairs,
				   equal_counters(rate, SHARD_SECONDS));
	estimate_check("counters_meet: two servers of one generator and steady, equal rates", &any,
				   counters_meet(rate));
}

/* ---- TraceIds ---- */

#define TRACE_SECONDS	20

/* TraceIds of a server, "mean" a second on average. */
static void
add_trace_seconds(Server *s, uint32 node, int64 begin, double mean)
{
	for (int i = 0; i < TRACE_SECONDS; i++)
	{
		for (int n = random_count(mean); n > 0; n--)
			add_trace(s, begin + i * NS_PER_S, node);
	}
}

/*
 * Two servers of one node number, and two of different ones; and a server
 * after the seconds have come round.
 */
static void
check_trace(const char *same_name, const char *round_name, double mean)
{
	Estimate	same = {0};
	Estimate	round = {0};
	double		others = 0;

	for (int world = 0; world < 5000; world++)
	{
		for (int i = 0; i < 3; i++)
			start(&servers[i]);
		add_trace_seconds(&servers[0], 7, BEGAN_NS, mean);
		add_trace_seconds(&servers[1], 7, BEGAN_NS, mean);
		estimate_add(&same, equal_pairs());
		add_trace_seconds(&servers[2], 8, BEGAN_NS, mean);
		add_trace_seconds(&servers[2], 8, BEGAN_NS + GID_TRACE_PERIOD_S * NS_PER_S, mean);
		estimate_add(&round, equal_pairs());
		start(&servers[0]);
		start(&servers[1]);
		add_trace_seconds(&servers[0], 7, BEGAN_NS, mean);
		add_trace_seconds(&servers[1], 8, BEGAN_NS, mean);
		others += equal_pairs();
	}
	estimate_check(same_name, &same, trace_equal(mean, TRACE_SECONDS));
	estimate_check(round_name, &round, trace_equal(mean, TRACE_SECONDS));
	tap_begin("TraceIds of two node numbers are never equal");
	tap_check(others == 0, "%g equal pairs", others);
	tap_end();
}

int
main(void)
{
	tap_start();
	check_v7("v7_equal: version 7, servers apart", 4, 13e6, 2.5e-5, 1);
	check_v7("v7_steps: version 7, clocks that go on by a microsecond", 4, 7e5, 2e-4, 1000);
	check_v7_lock_step();
	check_v7_backfill();
	check_lives();
	check_ticks();
	check_counters();
	check_trace("trace_equal: two servers of one node number, a TraceId now and then",
				"trace_equal: one server after TRACE_PERIOD, a TraceId now and then", 0.4);
	check_trace("trace_equal: two servers of one node number, several TraceIds a second",
				"trace_equal: one server after TRACE_PERIOD, several TraceIds a second", 3);
	return tap_done();
}
