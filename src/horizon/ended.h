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
 * The contents of a snapshot, with transaction ids of 64 bits.  Unlike the
 * snapshot, its contents can be kept and compared later.
 */
typedef struct GidEnded
{
	uint64		xmin;			/* all before it have ended */
	uint64		xmax;			/* none from here on has ended */
	int			nrunning;		/* transactions between the two that have not
								 * ended ... */
	uint64	   *running;		/* ... in ascending order */
} GidEnded;

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
extern GidEnded gid_ended_copy(const GidEnded *ended);
extern void gid_ended_free(GidEnded *ended);
#endif

extern bool gid_ended_has(const GidEnded *ended, uint64 xid);
extern bool gid_ended_covers(const GidEnded *later, const GidEnded *earlier);
extern bool gid_ended_equals(const GidEnded *a, const GidEnded *b);

#endif							/* GID_HORIZON_ENDED_H */
