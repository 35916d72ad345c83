/*-------------------------------------------------------------------------
 *
 * test_followed.c
 *		What is known of a sequence that readers follow: edges.
 *
 * Interleavings, and little room, are for test/simulator.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "horizon/followed.h"
#include "tap.h"

#define LOCKERS			300
#define FIRST_XID		1000

/* A sequence with room for this many lockers. */
static union
{
	GidFollowed followed;
	char		room[sizeof(GidFollowed) + LOCKERS * sizeof(GidLocker)];
}			table;
static GidFollowed *followed = &table.followed;

static uint64 version;
static int64 now_us;
static GidLocker lockers[LOCKERS];
static GidSample sample;

/* The snapshot in which all before an id have ended. */
static GidEnded
all_before(uint64 xid)
{
	static uint64 nobody[1];
	GidEnded	ended = {.xmin = FIRST_XID + xid,.taken.xmax = FIRST_XID + xid,.running = nobody};

	return ended;
}

static void
begin(const char *name)
{
	tap_begin(name);
	memset(&table, 0, sizeof(table));
	now_us = 0;
	gid_followed_clear(followed, ++version);
}

/* The next sample: where the sequence stands, and what has ended. */
static void
sample_at(int64 position, GidEnded ended)
{
	memset(&sample, 0, sizeof(sample));
	sample.position = position;
	sample.lockers = lockers;
	sample.taken = ended.taken;
}

/* Lockers come by their virtual ids. */
static void
add(uint64 vxid, uint64 xid)
{
	GidLocker  *locker = &lockers[sample.nlockers++];

	locker->vxid = vxid;
	locker->xid = xid != 0 ? FIRST_XID + xid : 0;
	locker->bound = 0;
}

static void
merge(void)
{
	now_us += 1000;
	gid_followed_merge(followed, &sample, ++version, now_us);
}

/* A sample without lockers. */
static void
merge_at(int64 position, GidEnded ended)
{
	sample_at(position, ended);
	merge();
}

/* The horizon, or GID_FOLLOWED_UNKNOWN. */
static int64
find(GidEnded ended)
{
	int64		horizon = 0;

	return gid_followed_find(followed, &ended, &horizon) ? horizon : GID_FOLLOWED_UNKNOWN;
}

#define check_find(ended, want) \
	tap_check(find(ended) == (want), "horizon " INT64_FORMAT ", wanted " INT64_FORMAT, \
			  find(ended), (int64) (want))

static void
test_rank(void)
{
	tap_begin("ranks grow in the direction of the sequence");
	for (int i = 0; i < 20000; i++)
	{
		int64		a = (int64) tap_random_part(PG_UINT64_MAX);
		int64		b = (int64) tap_random_part(PG_UINT64_MAX);

		tap_check(gid_followed_rank(true, gid_followed_rank(true, a)) == a &&
				  gid_followed_rank(false, gid_followed_rank(false, a)) == a,
				  INT64_FORMAT " comes back", a);
		tap_check((gid_followed_rank(true, a) < gid_followed_rank(true, b)) == (a < b) &&
				  (gid_followed_rank(false, a) < gid_followed_rank(false, b)) == (a > b),
				  INT64_FORMAT " and " INT64_FORMAT, a, b);
	}
	tap_end();
}

static void
test_running(void)
{
	uint64		running[LOCKERS];
	GidEnded	many = {.xmin = FIRST_XID,.taken = {FIRST_XID + LOCKERS, LOCKERS - 1},.running = running};

	for (int i = 0; i < LOCKERS; i++)
		running[i] = FIRST_XID + i;
	begin("any number of transactions may be running, but no more than at the sample");
	merge_at(100, many);
	check_find(many, 100);
	many.taken.nrunning++;
	check_find(many, GID_FOLLOWED_UNKNOWN);
	tap_end();
}

static void
test_thinning(void)
{
	begin("samples are kept at growing distances");
	for (int i = 1; i <= 10000; i++)
		merge_at(i, all_before(i));
	tap_check(followed->nsamples == GID_FOLLOWED_SAMPLES && followed->samples[0].position == 10000,
			  "%d samples", followed->nsamples);
	tap_check(followed->samples[1].position == 9999, "the one before is kept");
	/* now_us is 10 s: the oldest is older than a second */
	tap_check(now_us - followed->samples[GID_FOLLOWED_SAMPLES - 1].time_us > 1000000,
			  "the oldest one is kept for " INT64_FORMAT " us",
			  now_us - followed->samples[GID_FOLLOWED_SAMPLES - 1].time_us);
	for (int i = 1; i < GID_FOLLOWED_SAMPLES; i++)
		tap_check(followed->samples[i - 1].version > followed->samples[i].version, "order of %d", i);
	tap_end();

	begin("of the samples that are older than the age one is kept");
	for (int i = 1; i <= 20; i++)
	{
		now_us += GID_FOLLOWED_AGE_US + 1;
		merge_at(i, all_before(i));
	}
	for (int i = 21; i <= 40; i++)
		merge_at(i, all_before(i));
	for (int i = 0; i < GID_FOLLOWED_SAMPLES; i++)
		tap_check((now_us - followed->samples[i].time_us > GID_FOLLOWED_AGE_US) ==
				  (i == GID_FOLLOWED_SAMPLES - 1), "sample %d", i);
	check_find(all_before(20), 20);
	tap_end();
}

static void
test_set(void)
{
	uint64		life;

	begin("a position before the last one clears, and begins another life");
	life = followed->life;
	merge_at(100, all_before(1));
	tap_check(followed->life == life && followed->version == version, "a merge keeps the life");
	gid_followed_move(followed, 100, ++version);
	tap_check(followed->life == life && followed->version == version, "a move to where it stands does, too");
	check_find(all_before(1), 100);
	gid_followed_move(followed, 99, ++version);
	tap_check(followed->life == version && followed->version == version, "a move back does not");
	check_find(all_before(9), GID_FOLLOWED_UNKNOWN);
	merge_at(50, all_before(2));
	life = followed->life;
	sample_at(49, all_before(3));
	add(7, 0);
	merge();
	tap_check(followed->life == version && life < version && followed->nsamples == 1, "nor does a sample");
	check_find(all_before(9), GID_FOLLOWED_UNKNOWN);
	tap_end();

	begin("the ends of the ranks");
	merge_at(GID_FOLLOWED_NONE, all_before(1));
	check_find(all_before(1), GID_FOLLOWED_NONE);
	gid_followed_clear(followed, ++version);
	merge_at(GID_FOLLOWED_UNKNOWN, all_before(1));
	check_find(all_before(1), GID_FOLLOWED_UNKNOWN);
	tap_end();
}

int
main(void)
{
	test_rank();
	test_running();
	test_thinning();
	test_set();
	return tap_done();
}
