/*-------------------------------------------------------------------------
 *
 * sequence/advance.h
 *		Where a sequence stands, and moving it forward.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_ADVANCE_H
#define GID_SEQUENCE_ADVANCE_H

#include "utils/relcache.h"

#include "sequence/reserve.h"

/* Where a sequence stands: its page, and the block that gid draws from. */
typedef struct GidStand
{
	GidSequence sequence;		/* the parameters */
	bool		has_last;
	int64		last;			/* the last value that was given */
	bool		has_next;		/* false: no value is left */
	int64		next;			/* the value that is drawn next */
} GidStand;

extern void gid_advance_look(Relation rel, GidStand *stand);
extern void gid_advance_to(Oid sequence, int64 value, GidStand *stand);

/* Does "a" come after "b" in the direction of a sequence? */
static inline bool
gid_advance_is_after(const GidSequence *seq, int64 a, int64 b)
{
	return seq->increment > 0 ? a > b : a < b;
}

#endif							/* GID_SEQUENCE_ADVANCE_H */
