/*-------------------------------------------------------------------------
 *
 * horizon/followed.h
 *		What is known of a sequence that readers follow.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_FOLLOWED_H
#define GID_HORIZON_FOLLOWED_H

#include "horizon/ended.h"

/* How much is kept of a sequence.  The simulator compiles it with less room. */
#ifndef GID_FOLLOWED_SAMPLES
#define GID_FOLLOWED_SAMPLES	8
#define GID_FOLLOWED_GONE		128
#endif

StaticAssertDecl(GID_FOLLOWED_SAMPLES >= 2, "a sample stays beside the new one");

/*
 * Of the samples that are older than this one is kept: it serves a reader that
 * asks every few minutes.
 */
#define GID_FOLLOWED_AGE_US		INT64CONST(60000000)

/*
 * Positions and bounds are ranks: values that grow in the direction of the
 * sequence.  gid_followed_rank() makes a value a rank, and a rank a value.
 */
#define GID_FOLLOWED_UNKNOWN	PG_INT64_MIN	/* before every value */
#define GID_FOLLOWED_NONE		PG_INT64_MAX	/* bound of nobody */

static inline int64
gid_followed_rank(bool ascending, int64 value)
{
	return ascending ? value : ~value;
}

/* A transaction that holds the lock which every draw takes. */
typedef struct GidLocker
{
	uint64		vxid;			/* its virtual transaction id */
	uint64		xid;			/* 0: none was seen */
	int64		bound;			/* it draws nothing before this */
} GidLocker;

/* A locker that a later sample has missed. */
typedef struct GidGoneLocker
{
	uint64		xid;			/* 0: none was seen */
	int64		bound;
	uint64		version;		/* of the first sample without it */
} GidGoneLocker;

/* A position, and which transactions may have drawn before it. */
typedef struct GidSample
{
	int64		position;		/* no value from here on was drawn */
	int			nlockers;
	GidLocker  *lockers;		/* by vxid, each once; their bounds are set
								 * when the sample is merged */
	GidMoment	taken;			/* when a snapshot was taken, after they were
								 * read */
} GidSample;

/* What is kept of a sample beside its lockers. */
typedef struct GidFollowedSample
{
	uint64		version;		/* of the merge that made it */
	int64		position;
	int64		lost;			/* least bound of the gone lockers that found
								 * no room; GID_FOLLOWED_NONE: all did */
	int64		time_us;		/* monotonic */
	GidMoment	taken;			/* after its lockers were read */
} GidFollowedSample;

/* A followed sequence.  "live" has room for all transactions of a server. */
typedef struct GidFollowed
{
	uint64		version;		/* number of its last change; one counter
								 * numbers the changes of all sequences */
	uint64		life;			/* version that began without samples */
	int			nsamples;
	int			ngone;
	int			first_gone;		/* the oldest one's place */
	int			nlive;
	GidFollowedSample samples[GID_FOLLOWED_SAMPLES];	/* the last one first */
	GidGoneLocker gone[GID_FOLLOWED_GONE];	/* a ring, the oldest ones first */
	GidLocker	live[FLEXIBLE_ARRAY_MEMBER];	/* of the last sample, by vxid */
} GidFollowed;

extern void gid_followed_clear(GidFollowed *followed, uint64 version);
extern void gid_followed_move(GidFollowed *followed, int64 position, uint64 version);
extern void gid_followed_merge(GidFollowed *followed, GidSample *sample, uint64 version,
							   int64 now_us);
extern bool gid_followed_find(const GidFollowed *followed, const GidEnded *ended,
							  int64 *horizon);

#endif							/* GID_HORIZON_FOLLOWED_H */
