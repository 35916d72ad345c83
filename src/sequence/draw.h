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

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/known.h"

extern GidValue gid_draw_slow(Oid sequence, const GidSupplier *supplier, bool begins);
extern bool gid_draw_served_slow(Oid sequence, bool checked, bool begins, GidValue *value);
extern void gid_draw_end_served(Oid sequence);
extern void gid_draw_ahead(const GidDraw *draw);
extern void gid_draw_forget(Oid sequence);
extern void gid_draw_raise_limit(const GidOpenSequence *open, int64 count);

/*
 * Is this the first call of a function in an execution of a plan?  For
 * functions that keep nothing else in fn_extra.
 */
static inline bool
gid_draw_begins(FunctionCallInfo fcinfo)
{
	static char called;

	if (likely(fcinfo->flinfo->fn_extra != NULL))
		return false;
	fcinfo->flinfo->fn_extra = &called;
	return true;
}

/*
 * Has a GidDraw all that a call for a role needs, so that it may take a value
 * of the block?
 */
static inline bool
gid_draw_is_for(const GidDraw *draw, Oid sequence, const GidSupplier *supplier,
				bool begins, Oid role)
{
	return draw->key.sequence == sequence && draw->supplier == supplier &&
		draw->lxid == gid_my_lxid() && draw->role == role &&
		!begins && draw->statement == gid_known_statement();
}

/*
 * Draw the next value of a sequence, durably reserved.  "supplier" is NULL for
 * the sequence's own page, "begins" that a plan begins to draw, "function" is
 * the name in messages.  The value is
 * greater (smaller where INCREMENT is negative) than every value that this
 * function has given to any backend, but for CYCLE, setval() and the like.  It
 * may be less than a value of a batch or of nextval(): see sequence/draw.c.
 *
 * A statement's first call, and the call at a block's end, may wait and look
 * up the catalog: see gid_draw_slow(), also for the errors.  Every other call
 * is lock-free.  Raises 25006 in a read-only transaction and in recovery,
 * 25000 in a parallel operation.
 */
static inline GidValue
gid_draw(Oid sequence, const GidSupplier *supplier, bool begins,
		 const char *function, GidFamily family)
{
	GidDraw    *draw = gid_known_last;
	GidBlockTake take = GID_BLOCK_NONE;
	GidValue	value;

	gid_page_prevent(function);

	if (likely(gid_draw_is_for(draw, sequence, supplier, begins, GetUserId())))
		take = gid_block_take(draw->entry, draw->owner, &value);
	if (unlikely(take != GID_BLOCK_TAKEN))
	{
		if (take == GID_BLOCK_NONE)
			value = gid_draw_slow(sequence, supplier, begins);
		else
			gid_draw_ahead(draw);
	}
	gid_slot_count(gid_slot, family, (uint64) value.value);
	return value;
}

/*
 * Draw the next value of a sequence in the place of nextval(), or of an
 * identity column, which asks for no privilege ("checked" false).  Returns
 * false where nextval() is to do it: gid does not draw from the sequence, or
 * the call is an error.  Waits are those of gid_draw().
 */
static inline bool
gid_draw_served(Oid sequence, bool checked, bool begins, int64 *result)
{
	GidDraw    *draw = gid_known_last;
	GidBlockTake take = GID_BLOCK_NONE;
	GidValue	value;

	if (likely(gid_draw_is_for(draw, sequence, NULL, begins,
							   checked ? GetUserId() : InvalidOid) &&
			   !XactReadOnly && !IsInParallelMode()))
		take = gid_block_take(draw->entry, draw->owner, &value);
	if (unlikely(take != GID_BLOCK_TAKEN))
	{
		if (take != GID_BLOCK_NONE)
			gid_draw_ahead(draw);
		else if (!gid_draw_served_slow(sequence, checked, begins, &value))
			return false;
	}
	gid_slot_count(gid_slot, GID_FAMILY_NEXT, (uint64) value.value);
	*result = value.value;
	return true;
}

#endif							/* GID_SEQUENCE_DRAW_H */
