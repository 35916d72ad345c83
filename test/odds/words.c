/*-------------------------------------------------------------------------
 *
 * words.c
 *		TraceIds of one node number, against the formula of model.h; and one
 *		server's words, through crashes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "server.h"

#include "estimate.h"
#include "model.h"

static Server servers[3];

/* ---- TraceIds ---- */

#define TRACE_SECONDS	20

/* What a server makes in one second. */
typedef struct TraceSecond
{
	int			n;
	int64		ids[60];
} TraceSecond;

/*
 * TraceIds of a server in these seconds, so many a second on average, at
 * random.
 */
static void
make_trace_ids(Server *s, int node, int64 begin_s, double mean,
			   TraceSecond seconds[TRACE_SECONDS])
{
	server_use(s);
	gid_node_no = node;
	for (int i = 0; i < TRACE_SECONDS; i++)
	{
		server_at((begin_s + i) * NS_PER_S);
		seconds[i].n = random_count(mean);
		if (seconds[i].n > (int) lengthof(seconds[i].ids))
			abort();
		for (int k = 0; k < seconds[i].n; k++)
			seconds[i].ids[k] = server_trace();
	}
}

static int
equal_trace_ids(const TraceSecond a[TRACE_SECONDS], const TraceSecond b[TRACE_SECONDS])
{
	int			equal = 0;

	for (int s = 0; s < TRACE_SECONDS; s++)
	{
		for (int i = 0; i < a[s].n; i++)
		{
			for (int j = 0; j < b[s].n; j++)
				equal += a[s].ids[i] == b[s].ids[j];
		}
	}
	return equal;
}

/*
 * Two servers of one node number, and one of another; and a server after the
 * seconds have come round.
 */
static void
check_trace(const char *same_name, const char *round_name, double mean)
{
	static const int nodes[] = {7, 7, 8};
	int64		begin_s = SERVER_BEGAN_NS / NS_PER_S;
	Estimate	same = {0};
	Estimate	round = {0};
	int			others = 0;

	for (int world = 0; world < 5000; world++)
	{
		TraceSecond made[3][TRACE_SECONDS];
		TraceSecond later[TRACE_SECONDS];

		monotonic_ns = 0;
		for (int i = 0; i < 3; i++)
		{
			server_at(SERVER_BEGAN_NS);
			server_make(&servers[i]);
			make_trace_ids(&servers[i], nodes[i], begin_s, mean, made[i]);
		}
		make_trace_ids(&servers[2], nodes[2], begin_s + GID_TRACE_PERIOD_S, mean, later);
		estimate_add(&same, equal_trace_ids(made[0], made[1]));
		estimate_add(&round, equal_trace_ids(made[2], later));
		others += equal_trace_ids(made[0], made[2]);
	}
	estimate_check(same_name, &same, trace_equal(mean, TRACE_SECONDS));
	estimate_check(round_name, &round, trace_equal(mean, TRACE_SECONDS));
	tap_begin("TraceIds of two node numbers are never equal");
	tap_check(others == 0, "%d equal pairs", others);
	tap_end();
}

/* ---- one server ---- */

/*
 * One server through crashes, restarts and steps of its clock: its words only
 * grow, so that no id comes twice.  (The seconds of TraceIds come round; they
 * are not let go on so far.)
 */
static void
check_one_server(void)
{
	uint64		last[GID_NWORDS] = {0};

	tap_begin("one server, through crashes, restarts and clock steps: every word is given once");
	server_at(SERVER_BEGAN_NS);
	server_make(&servers[0]);
	for (int i = 0; i < 400000; i++)
	{
		uint64		random = tap_random();
		uint64		words[GID_NWORDS];
		pg_uuid_t	id;
		int64		trace;

		/* a pause of up to 67 ms, or of a second; a step of up to 9 s */
		server_at(wall_ns + (int64) (random >> (random % 16 == 0 ? 34 : 38)));
		if (random % 1000 < 2)
			wall_ns += (int64) (tap_random() >> 30) - (INT64CONST(1) << 33);
		if (random % 1000 == 2 || random % 1000 == 3)
		{
			/* stopped, or crashed; the machine, too, perhaps */
			if (random % 1000 == 3)
				server_stop();
			if (random % 3000 < 1000)
				monotonic_ns = NS_PER_S;
			server_start(&servers[0]);
		}

		id = server_v7();
		words[GID_WORD_V7] = (uint64) gid_v7_ms(id.data) << GID_V7_FRACTION_BITS |
			(gid_get_be64(id.data) & GID_MASK(12)) << 4 |
			(gid_get_be64(id.data + 8) >> GID_V7_RANDOM_BITS & GID_MASK(4));
		id = server_sequential();
		words[GID_WORD_TICKS] = gid_sequential_ticks(id.data);
		words[GID_WORD_SHARD] = server_shard_word(server_shard(7));
		trace = server_trace();
		words[GID_WORD_TRACE] = (uint64) gid_trace_seconds(trace) << GID_TRACE_LOW_BITS |
			gid_trace_low(trace);
		for (int w = 0; w < GID_NWORDS; w++)
		{
			tap_check(words[w] > last[w], "word %d: %llu after %llu", w,
					  (unsigned long long) words[w], (unsigned long long) last[w]);
			last[w] = words[w];
		}
	}
	tap_end();
}

/*
 * A server after a crash, in twelve seconds with an id of each family every
 * 50 us.  Its lead falls by half of what passes, and the ids do not leave the
 * ordinary path, which does not read the monotonic clock, but some hundred
 * times a second.
 */
static void
check_lead(void)
{
	int64		lead_ms;
	int64		wrong_ms = 0;
	int			most = 0;

	monotonic_ns = 0;
	server_at(SERVER_BEGAN_NS);
	server_make(&servers[0]);
	(void) server_v7();
	server_start(&servers[0]);
	lead_ms = gid_v7_ms(server_v7().data) - wall_ns / 1000000;
	for (int s = 0; s < 12; s++)
	{
		monotonic_looks = 0;
		for (int i = 0; i < 20000; i++)
		{
			int64		passed_ms;
			int64		expected_ms;
			int64		ms;

			server_at(wall_ns + 50000);
			passed_ms = (wall_ns - SERVER_BEGAN_NS) / 1000000;
			expected_ms = Max(lead_ms - passed_ms / 2, 0);
			ms = gid_v7_ms(server_v7().data) - wall_ns / 1000000;
			wrong_ms = Max(wrong_ms, Abs(ms - expected_ms));
			(void) server_sequential();
			(void) server_shard(7);
			(void) server_trace();
		}
		most = Max(most, monotonic_looks);
	}
	tap_begin("after a crash the lead falls by half of what passes");
	tap_check(lead_ms >= 4000 && lead_ms <= 5000, INT64_FORMAT " ms", lead_ms);
	tap_check(wrong_ms <= 20, INT64_FORMAT " ms off", wrong_ms);
	tap_end();
	tap_begin("meanwhile of 80000 ids a second a few leave the ordinary path");
	tap_check(most < 2000, "the monotonic clock was read %d times in a second", most);
	tap_end();
}

int
main(void)
{
	tap_start();
	check_one_server();
	check_lead();
	check_trace("trace_equal: two servers of one node number, a TraceId now and then",
				"trace_equal: one server after TRACE_PERIOD, a TraceId now and then", 0.4);
	check_trace("trace_equal: two servers of one node number, several TraceIds a second",
				"trace_equal: one server after TRACE_PERIOD, several TraceIds a second", 3);
	return tap_done();
}
