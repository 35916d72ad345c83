/*-------------------------------------------------------------------------
 *
 * gid_draw.h
 *		Drawing values from a sequence.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_DRAW_H
#define GID_DRAW_H

#include "miscadmin.h"

#include "gid_block.h"
#include "gid_compat.h"
#include "gid_shmem.h"

/* A sequence that this backend has drawn from, and for which calls it may. */
typedef struct GidDraw
{
	Oid			sequence;		/* key of the hash table */
	LocalTransactionId lxid;	/* transaction that has it locked; invalid: it
								 * is to be looked at anew */
	Oid			role;			/* that may draw */
	Oid			relfilenumber;	/* of its file */
	GidBlockEntry *entry;		/* NULL: there is none */
	uint64		owner;			/* its owner number in the entry */
} GidDraw;

extern GidDraw *gid_draw_current;

extern int64 gid_draw_slow(Oid sequence);
extern void gid_draw_ahead(Oid sequence, GidBlockEntry *entry, uint64 owner);
extern void gid_draw_many(Oid sequence, int64 count, GidReserved *reserved,
						  int64 *increment);
extern void gid_draw_forget(Oid sequence);

/*
 * The next value of a sequence, durably reserved; "function" is the name in
 * messages.  The value is greater (smaller where INCREMENT is negative) than
 * every one that any backend has drawn, but for CYCLE, setval() and the like.
 *
 * Lock-free and without a look-up but for a transaction's first call and at a
 * block's end: see gid_draw_slow() for what may wait or raise an error then.
 * 25006 in a read-only transaction and in recovery, 25000 in a parallel
 * operation.
 */
static inline int64
gid_draw(Oid sequence, const char *function, GidFamily family)
{
	GidDraw    *draw = gid_draw_current;
	GidBlockTake take = GID_BLOCK_NONE;
	int64		value;

	PreventCommandIfReadOnly(function);
	PreventCommandIfParallelMode(function);

	if (likely(draw->sequence == sequence && draw->lxid == gid_my_lxid() &&
			   draw->role == GetUserId() && draw->entry != NULL))
		take = gid_block_take(draw->entry, draw->owner, &value);
	if (unlikely(take != GID_BLOCK_TAKEN))
	{
		if (take == GID_BLOCK_NONE)
			value = gid_draw_slow(sequence);
		else
			gid_draw_ahead(sequence, draw->entry, draw->owner);
	}
	gid_slot_count(gid_slot, family, (uint64) value);
	return value;
}

#endif							/* GID_DRAW_H */
