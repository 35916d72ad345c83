/*-------------------------------------------------------------------------
 *
 * base/horizon.h
 *		The horizons that this session has been given, by snapshot.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_HORIZON_H
#define GID_BASE_HORIZON_H

#include "base/ended.h"

/* What a horizon is of: a word or a sequence.  The members leave no gap. */
typedef struct GidHorizonKey
{
	Oid			sequence;		/* InvalidOid: a word */
	uint32		number;			/* of the word, or of the sequence's file */
} GidHorizonKey;

/* A horizon. */
typedef struct GidHorizon
{
	bool		is_known;		/* else: nothing can be said */
	int64		value;
} GidHorizon;

extern void gid_horizon_prevent(const SnapshotData *snapshot);
extern void gid_horizon_forget(GidHorizonKey key);
extern bool gid_horizon_begin(GidHorizonKey key, GidEnded *ended, GidHorizon *horizon);
extern void gid_horizon_finish(GidHorizonKey key, const GidEnded *ended, GidHorizon *horizon);

#endif							/* GID_BASE_HORIZON_H */
