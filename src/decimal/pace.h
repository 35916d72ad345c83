/*-------------------------------------------------------------------------
 *
 * decimal/pace.h
 *		How the counters of DecimalIds keep together.
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
 * A counter looks at the front when it comes to a multiple of this, and once
 * in each transaction.
 */
#define GID_PACE_STEP		32

/*
 * So far behind the front is level with it.  With that and the step above,
 * eight writers that are level have some 200 ids to come below the greatest,
 * half a page of an index.
 */
#define GID_PACE_SLACK		24

/*
 * A generator passes over so many counters, and two more for each that it has
 * used; so the ids that it makes are GID_PACE_LEAST at least.  A new one can
 * follow a connection that has loaded a quarter of a billion rows.
 */
#define GID_PACE_CREDIT		(1 << 28)
#define GID_PACE_LEAST		((GID_DECIMAL_MAX_COUNTER - GID_PACE_CREDIT) / 3)

/* The keys of all leases share so many fronts. */
#define GID_PACE_FRONTS		64

/*
 * A front, one word; 0 at first:
 *
 *	63                       32 31                       0
 *	| tag, a hash of the key   | counter of the foremost  |
 */
#define GID_PACE_COUNTER_BITS	32

/* What a backend knows of the generator that it holds. */
typedef struct GidPace
{
	int			front;			/* number of the front */
	uint32		tag;
	int32		skipped;		/* counters that it has passed over so far */
} GidPace;

extern const GidPart gid_pace_part;

extern void gid_pace_begin(GidPace *pace, const void *key, int size,
						   int32 skipped);
extern int32 gid_pace_keep(GidPace *pace, int32 counter);

/*
 * How many counters a generator is to pass over, which stands at "counter",
 * has passed over "skipped" of these, and sees the front at "front": 0 when it
 * is level, or when it cannot afford to be.
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
