/*-------------------------------------------------------------------------
 *
 * horizon/ended.h
 *		Which transactions have ended in a snapshot.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_ENDED_H
#define GID_HORIZON_ENDED_H

/*
 * When a snapshot was taken, in the order of all snapshots of a server.  Its
 * xmax never goes back.  Of two with the same xmax the later one has fewer
 * running transactions, or the same: a new transaction gets a later id.
 */
typedef struct GidMoment
{
	uint64		xmax;			/* none from here on has ended */
	int			nrunning;		/* transactions before it that have not ended */
} GidMoment;

/* The contents of a snapshot, with transaction ids of 64 bits. */
typedef struct GidEnded
{
	uint64		xmin;			/* all before it have ended */
	GidMoment	taken;
	uint64	   *running;		/* those of taken.nrunning, in ascending order */
} GidEnded;

/* Has every transaction that has ended in "earlier" ended in "later"? */
static inline bool
gid_moment_covers(GidMoment later, GidMoment earlier)
{
	return later.xmax > earlier.xmax ||
		(later.xmax == earlier.xmax && later.nrunning <= earlier.nrunning);
}

/*
 * Return the 64 bits of a transaction id that was assigned, or will be next,
 * at most 2^31 ids before "next".
 */
static inline uint64
gid_ended_widen(uint32 xid, uint64 next)
{
	return next - (uint32) ((uint32) next - xid);
}

#ifndef FRONTEND
#include "utils/snapshot.h"

extern void gid_ended_read(Snapshot snapshot, GidEnded *ended);
#endif

extern bool gid_ended_has(const GidEnded *ended, uint64 xid);

#endif							/* GID_HORIZON_ENDED_H */
