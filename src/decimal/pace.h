/*-------------------------------------------------------------------------
 *
 * decimal/pace.h
 *		Keeps the counters of DecimalIds together.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_DECIMAL_PACE_H
#define GID_DECIMAL_PACE_H

#include "attach/attach.h"
#include "layout/decimal_id.h"

/*
 * A backend looks at the front when its counter is a multiple of this, and
 * once in each transaction.
 */
#define GID_PACE_STEP		32

/*
 * A backend that is behind the front by no more than this is level.  With this
 * and the step above, eight level writers have some 200 ids to come below the
 * greatest id.  These fill half a page of an index.
 */
#define GID_PACE_SLACK		24

/*
 * A generator passes over at most GID_PACE_CREDIT counters, and two more for
 * each counter that it has used.  So it makes at least GID_PACE_LEAST ids.  A
 * new generator can become level with a connection that has loaded a quarter
 * of a billion rows.
 */
#define GID_PACE_CREDIT		(1 << 28)
#define GID_PACE_LEAST		((GID_DECIMAL_MAX_COUNTER - GID_PACE_CREDIT) / 3)

/* The number of fronts, which the keys of all leases share. */
#define GID_PACE_FRONTS		64

/*
 * A front, 64 bits; 0 at first:
 *
 *	63                       32 31                       0
 *	| tag, a hash of the key   | counter of the foremost  |
 */
#define GID_PACE_COUNTER_BITS	32

/* What a backend knows of the front of the generator that it holds. */
typedef struct GidPace
{
	int			front;			/* number of the front */
	uint32		tag;			/* of the key, in the front */
	int32		skipped;		/* number of counters passed over so far */
} GidPace;

extern const GidPart gid_pace_part;

extern void gid_pace_begin(GidPace *pace, const void *key, int size,
						   int32 skipped);
extern int32 gid_pace_keep(GidPace *pace, int32 counter);

/*
 * Return how many counters a generator is to pass over.  Its last counter is
 * "counter"; it has passed over "skipped" counters; the front is at "front".
 * The result is 0 when the generator is level, or has no credit to become so.
 */
static inline int32
gid_pace_skip(int32 counter, int32 skipped, int32 front)
{
	int64		used = (int64) counter - skipped;
	int64		credit = GID_PACE_CREDIT + 2 * used - skipped;
	int64		skip = (int64) front - GID_PACE_SLACK - counter;

	return skip <= 0 || skip > credit ? 0 : (int32) skip;
}

#endif							/* GID_DECIMAL_PACE_H */
