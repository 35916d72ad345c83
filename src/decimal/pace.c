/*-------------------------------------------------------------------------
 *
 * decimal/pace.c
 *		How the counters of DecimalIds keep together.
 *
 * Each backend counts under a generator of its own, and the counter comes
 * first in an id.  If one backend's counter were far behind another's, each
 * would insert at a place of its own into an index, and the pages that fill in
 * the middle are split in halves.  So there is a front, the counter of the
 * foremost backend of a database and launch; one that has fallen behind it
 * passes over counters until it is level.
 *
 * State: the fronts in the header, and of each lease how many counters it has
 * passed over.
 *
 * Invariants:
 * 1. A counter only goes up, whatever a front says.
 * 2. Of a generator's counters no more are passed over than gid_pace_skip()
 *	  allows, so one that is seldom used does not wear out at the pace of
 *	  others.
 * 3. A backend that is the foremost passes over none.  One alone is, after its
 *	  first look, where it may still catch up with those that have left.
 *
 * A front is a hint, read and written without a lock: two writers may put it
 * back for a moment, and two keys with one front take it from each other, told
 * by the tag.  One too far ahead to be followed is put back, too: it may be of
 * a generator whose counter is almost used up, and the others are to have a
 * front among themselves.
 *
 * A crash forgets the fronts with the leases.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "port/atomics.h"

#include "decimal/pace.h"

static pg_atomic_uint64 *gid_pace_fronts = NULL;

static Size
gid_pace_size(void)
{
	return GID_PACE_FRONTS * sizeof(pg_atomic_uint64);
}

static void
gid_pace_init(void *part, int tranche)
{
	pg_atomic_uint64 *fronts = part;

	for (int i = 0; i < GID_PACE_FRONTS; i++)
		pg_atomic_init_u64(&fronts[i], 0);
}

const GidPart gid_pace_part = {
	.size = gid_pace_size,
	.init = gid_pace_init,
	.where = (void **) &gid_pace_fronts,
};

/*
 * Go on with a generator of a lease's key (of that many bytes, without gaps)
 * which has passed over so many counters.
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
 * From where a generator goes on that has come to "counter": there, or further
 * on to be level with the front.
 */
int32
gid_pace_keep(GidPace *pace, int32 counter)
{
	pg_atomic_uint64 *front = &gid_pace_fronts[pace->front];
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
