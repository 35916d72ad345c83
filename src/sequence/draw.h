/*-------------------------------------------------------------------------
 *
 * sequence/draw.h
 *		Drawing a value from a sequence.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_DRAW_H
#define GID_SEQUENCE_DRAW_H

#include "miscadmin.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/known.h"

/* Consecutive values: first, first + increment, ... */
typedef struct GidBatch
{
	GidReserved values;
	int64		increment;
	uint32		issuer;			/* as in GidValue */
} GidBatch;

extern GidValue gid_draw_slow(Oid sequence, GidSource source);
extern void gid_draw_ahead(const GidDraw *draw);
extern void gid_draw_forget(Oid sequence);
extern void gid_draw_batch(Oid sequence, GidSource source, int64 count, GidBatch *batch);
extern void gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved);

/*
 * Draw the next value of a sequence, durably reserved.  "function" is the name
 * in messages.  Without CYCLE, setval() and the like the value is greater
 * (smaller where INCREMENT is negative) than every value that this function has
 * given to any backend.  It may be less than a value of a batch or of
 * nextval(): see sequence/draw.c.
 *
 * A transaction's first call, and the call at a block's end, may wait and look
 * up the catalog: see gid_draw_slow(), also for the errors.  Every other call
 * is lock-free.  Raises 25006 in a read-only transaction and in recovery,
 * 25000 in a parallel operation.
 */
static inline GidValue
gid_draw(Oid sequence, GidSource source, const char *function, GidFamily family)
{
	GidDraw    *draw = gid_known_last;
	GidBlockTake take = GID_BLOCK_NONE;
	GidValue	value;

	gid_page_prevent(function);

	if (likely(draw->key.sequence == sequence && draw->key.source == source &&
			   draw->lxid == gid_my_lxid() && draw->role == GetUserId()))
		take = gid_block_take(draw->entry, draw->owner, &value);
	if (unlikely(take != GID_BLOCK_TAKEN))
	{
		if (take == GID_BLOCK_NONE)
			value = gid_draw_slow(sequence, source);
		else
			gid_draw_ahead(draw);
	}
	gid_slot_count(gid_slot, family, (uint64) value.value);
	return value;
}

#endif							/* GID_SEQUENCE_DRAW_H */
