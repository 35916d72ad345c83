/*-------------------------------------------------------------------------
 *
 * decimal/pace.c
 *		Keeps the counters of DecimalIds together.
 *
 * Each backend counts under a generator of its own, and the counter comes
 * first in an id.  If the counters of two backends were far apart, they would
 * insert at different places of an index.  PostgreSQL would then split pages
 * in the middle of the index into halves.  So the backends of a database and
 * launch share a front: the counter of the foremost backend.  A backend that
 * has fallen behind the front passes over counters until it is level.
 *
 * State: the fronts in shared memory, and for each lease the number of
 * counters that were passed over.
 *
 * Invariants:
 * 1. A counter only grows, whatever a front says.
 * 2. Of a generator's counters no more are passed over than gid_pace_skip()
 *	  allows.  So a generator that is seldom used does not use up its counters
 *	  as fast as the others.
 * 3. The foremost backend passes over no counter.  A backend alone is the
 *	  foremost, except that at its first look it may still catch up with
 *	  backends that have left.
 *
 * A front is a hint, read and written without a lock.  Two writers may put the
 * front back for a moment.  Two keys may share a front; the tag tells whose
 * counter it is, and they overwrite each other.  A front too far ahead to
 * follow is put back as well: it may be of a generator whose counter is almost
 * used up, and the other backends need a front among themselves.
 *
 * Crash, restart: the fronts are lost with the leases.  A clock step has no
 * effect.
 * Standby: its fronts stay 0.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "port/atomics.h"

#include "decimal/pace.h"

/* A front, alone on its cache line. */
typedef union GidFront
{
	pg_atomic_uint64 front;		/* plain loads and stores */
	char		pad[PG_CACHE_LINE_SIZE];
} GidFront;

/* The fronts, GID_PACE_FRONTS of them. */
static GidFront *gid_pace_fronts = NULL;

static void
gid_pace_init(void *part, int tranche)
{
	GidFront   *fronts = part;

	for (int i = 0; i < GID_PACE_FRONTS; i++)
		pg_atomic_init_u64(&fronts[i].front, 0);
}

const GidPart gid_pace_part = {
	.size = GID_PACE_FRONTS * sizeof(GidFront),
	.init = gid_pace_init,
	.where = (void **) &gid_pace_fronts,
};

/*
 * Prepare a backend's pace for a generator: find the front of the lease's key
 * ("size" bytes, without gaps).  "skipped" is the number of counters that the
 * generator has passed over so far.
 */
void
gid_pace_begin(GidPace *pace, const void *key, int size, int32 skipped)
{
	uint64		hash = hash_bytes_extended(key, size, 0);

	pace->front = (int) (hash % GID_PACE_FRONTS);
	pace->tag = (uint32) (hash >> GID_PACE_COUNTER_BITS);
	pace->skipped = skipped;
}

/*
 * Return the counter to continue from: "counter", or a later one if the front
 * is ahead.  Moves the front if this backend is the foremost.  The backend is
 * attached.  Takes no lock and does not wait.
 */
int32
gid_pace_keep(GidPace *pace, int32 counter)
{
	pg_atomic_uint64 *front = &gid_pace_fronts[pace->front].front;
	uint64		seen = pg_atomic_read_u64(front);
	bool		ours = seen >> GID_PACE_COUNTER_BITS == pace->tag;
	int64		lag = 0;

	if (ours)
	{
		int32		skip = gid_pace_skip(counter, pace->skipped, (int32) seen);

		pace->skipped += skip;
		counter += skip;
		lag = (int64) (int32) seen - counter;
	}
	if (!ours || lag < 0 || lag > GID_PACE_SLACK)
		pg_atomic_write_u64(front, (uint64) pace->tag << GID_PACE_COUNTER_BITS |
							(uint32) counter);
	return counter;
}
