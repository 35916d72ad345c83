/*-------------------------------------------------------------------------
 *
 * sequence/draw.h
 *		Drawing values from a sequence.
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
#include "sequence/block.h"

/*
 * Who reserves values for a sequence in place of its own page.  Every function
 * that takes one takes NULL for the page.
 */
typedef struct GidSupplier
{
	/*
	 * Reserve up to "count" (1 or more) consecutive values for an open
	 * sequence, and say who issued them: 1 or more.  When there are none: an
	 * error if "needed", else false.
	 */
	bool		(*reserve) (Relation sequence, int64 count, bool needed,
							GidReserved *reserved, uint32 *issuer);

	/* Reserve exactly "count" values of one issuer, or raise an error. */
	void		(*reserve_all) (Relation sequence, int64 count,
								GidReserved *reserved, uint32 *issuer);
} GidSupplier;

/* GidSequenceKey.source */
#define GID_SOURCE_PAGE			0
#define GID_SOURCE_SUPPLIER		1
#define GID_NSOURCES			2

/* What GidDraw is of; its members leave no gap. */
typedef struct GidDrawKey
{
	Oid			sequence;
	uint32		source;			/* GID_SOURCE_PAGE or _SUPPLIER */
} GidDrawKey;

/* A sequence that this backend has drawn from, and for which calls it may. */
typedef struct GidDraw
{
	GidDrawKey	key;			/* of the hash table */
	const GidSupplier *supplier;	/* NULL: the page */
	LocalTransactionId lxid;	/* transaction that has it locked; invalid: it
								 * is to be looked at anew */
	Oid			role;			/* that may draw */
	Oid			relfilenumber;	/* of its file */
	GidBlockEntry *entry;		/* of its block */
	uint64		owner;			/* its owner number in the entry */
} GidDraw;

/* Consecutive values: first, first + increment, ... */
typedef struct GidBatch
{
	GidReserved values;
	int64		increment;
	uint32		issuer;			/* as in GidValue */
} GidBatch;

extern GidDraw *gid_draw_current;

extern GidValue gid_draw_slow(Oid sequence, const GidSupplier *supplier);
extern void gid_draw_ahead(const GidDraw *draw);
extern void gid_draw_many(Oid sequence, const GidSupplier *supplier, int64 count,
						  GidBatch *batch);
extern void gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved);
extern void gid_draw_forget(Oid sequence);

/*
 * The next value of a sequence, durably reserved; "function" is the name in
 * messages.  The value is greater (smaller where INCREMENT is negative) than
 * every one that any backend has drawn, but for CYCLE, setval() and the like.
 *
 * Lock-free and without a look-up in the catalog but for a transaction's first
 * call and at a block's end: see gid_draw_slow() for what may wait or raise an
 * error then.  25006 in a read-only transaction and in recovery, 25000 in a
 * parallel operation.
 */
static inline GidValue
gid_draw(Oid sequence, const GidSupplier *supplier, const char *function,
		 GidFamily family)
{
	GidDraw    *draw = gid_draw_current;
	GidBlockTake take = GID_BLOCK_NONE;
	GidValue	value;

	gid_page_prevent(function);

	if (likely(draw->key.sequence == sequence && draw->supplier == supplier &&
			   draw->lxid == gid_my_lxid() && draw->role == GetUserId()))
		take = gid_block_take(draw->entry, draw->owner, &value);
	if (unlikely(take != GID_BLOCK_TAKEN))
	{
		if (take == GID_BLOCK_NONE)
			value = gid_draw_slow(sequence, supplier);
		else
			gid_draw_ahead(draw);
	}
	gid_slot_count(gid_slot, family, (uint64) value.value);
	return value;
}

#endif							/* GID_SEQUENCE_DRAW_H */
