/*-------------------------------------------------------------------------
 *
 * horizon/session_horizon.h
 *		The horizons that this session has been given, by snapshot.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_SESSION_HORIZON_H
#define GID_HORIZON_SESSION_HORIZON_H

#include "horizon/ended.h"

/* A horizon. */
typedef struct GidHorizon
{
	bool		is_known;		/* else: nothing can be said */
	int64		value;
} GidHorizon;

/* What a horizon is of: a word or a sequence.  The members leave no gap. */
typedef struct GidHorizonKey
{
	Oid			sequence;		/* InvalidOid: a word */
	uint32		word;			/* its number */
} GidHorizonKey;

/* What a session has been given of a word or sequence. */
typedef struct GidSessionHorizons GidSessionHorizons;

extern void gid_session_horizon_check_recovery(const SnapshotData *snapshot);
extern GidSessionHorizons *gid_session_horizon_begin(GidHorizonKey key, GidEnded *ended,
													 GidHorizon *horizon);
extern void gid_session_horizon_finish(GidSessionHorizons *known, const GidEnded *ended,
									   uint64 life, GidHorizon *horizon);

#endif							/* GID_HORIZON_SESSION_HORIZON_H */
