/*-------------------------------------------------------------------------
 *
 * sequence/position.h
 *		Where a sequence stands: moving it forward, and its horizon.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_POSITION_H
#define GID_SEQUENCE_POSITION_H

#include "utils/relcache.h"

#include "horizon/session_horizon.h"
#include "sequence/reserve.h"

/* Values of a block that nobody has drawn yet, in the sequence's direction. */
typedef struct GidRest
{
	bool		is_there;
	int64		first;
	int64		last;
} GidRest;

/* Where a sequence stands: its page, and the blocks that gid draws from. */
typedef struct GidStand
{
	GidSequence sequence;		/* the parameters, and the state on the page */
	bool		has_last;
	int64		last;			/* the last value that was given */
	bool		has_next;		/* false: no value is left */
	int64		next;			/* the value that is drawn next */
	bool		has_free;		/* false: no value is left on the page */
	int64		free;			/* the first value that nobody has reserved */
	GidRest		rests[2];		/* of the block in use, and of the next one */
} GidStand;

extern void gid_position_observe(Relation rel, GidStand *stand);
extern void gid_position_advance(Oid sequence, int64 value, GidStand *stand);
extern void gid_position_horizon(Oid sequence, GidHorizon *horizon);
extern void gid_position_wait(Oid sequence, int timeout_ms);

#endif							/* GID_SEQUENCE_POSITION_H */
