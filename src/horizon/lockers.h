/*-------------------------------------------------------------------------
 *
 * horizon/lockers.h
 *		The transactions that may have drawn from a sequence.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_LOCKERS_H
#define GID_HORIZON_LOCKERS_H

#include "storage/lock.h"

#include "horizon/ended.h"

/*
 * How many settled positions are kept.  A call may settle two for snapshots
 * that are later than its own, and then needs an older one.
 */
#define GID_SETTLED_KEPT		3

/* A transaction that holds the lock on a sequence. */
typedef struct GidLocker
{
	VirtualTransactionId vxid;
	uint64		xid;			/* 0: it had none, or is prepared */
} GidLocker;

/* A position, and which transactions may have drawn before it. */
typedef struct GidSample
{
	int64		position;		/* the next value that may be drawn */
	int			nlockers;
	GidLocker  *lockers;
	GidEnded	ended;			/* what had ended after they were read */
} GidSample;

/* A position whose transactions have ended. */
typedef struct GidSettled
{
	int64		position;
	GidEnded	ended;			/* in each snapshot that covers this */
} GidSettled;

/* What a session knows of the positions of a sequence. */
typedef struct GidSamples
{
	bool		has_last;
	uint32		file;			/* number of the sequence's file */
	int64		last;			/* position of the last sample */
	bool		has_open;
	GidSample	open;			/* not settled */
	int			nsettled;
	GidSettled	settled[GID_SETTLED_KEPT];	/* the last one first */
} GidSamples;

extern void gid_samples_clear(GidSamples *samples);
extern bool gid_samples_fit(const GidSamples *samples, uint32 file, bool ascending, int64 position);
extern void gid_sample_read(const LOCKTAG *tag, int64 position, GidSample *sample);
extern void gid_samples_advance(GidSamples *samples, uint32 file, GidSample *sample,
								const GidEnded *ended);
extern bool gid_samples_choose(const GidSamples *samples, bool ascending,
							   const GidEnded *ended, int64 *position);
extern void gid_sample_wait(const GidSample *sample, int timeout_ms);
extern void gid_samples_settle(GidSamples *samples, uint32 file, const GidSample *sample);

#endif							/* GID_HORIZON_LOCKERS_H */
