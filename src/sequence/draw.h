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

/* Consecutive values: first, first + increment, ... */
typedef struct GidBatch
{
	GidReserved values;
	int64		increment;
	uint32		issuer;			/* as in GidValue */
} GidBatch;

extern GidValue gid_draw_slow(Oid sequence, GidSource source, bool begins);
extern bool gid_draw_served_slow(Oid sequence, bool checked, bool begins, GidValue *value);
extern void gid_draw_end_served(Oid sequence);
extern void gid_draw_ahead(const GidDraw *draw);
extern void gid_draw_forget(Oid sequence);
extern void gid_draw_batch(Oid sequence, GidSource source, int64 count, GidBatch *batch);
extern void gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved);

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
 * Take a value of the block in use, if the last call was for the same
 * sequence, source, role and statement.  Reserves the next block ahead if it
 * is due.  Returns false otherwise, and when the block has no value left.
 */
static inline bool
gid_draw_again(Oid sequence, GidSource source, bool begins, Oid role, GidValue *value)
{
	GidDraw    *draw = gid_known_last;
	GidBlockTake take;

	if (unlikely(draw->key.sequence != sequence || draw->key.source != source ||
				 draw->lxid != gid_my_lxid() || draw->role != role ||
				 begins || draw->statement != gid_known_statement()))
		return false;
	take = gid_block_take(draw->entry, draw->owner, value);
	if (unlikely(take == GID_BLOCK_TAKEN_LOW))
		gid_draw_ahead(draw);
	return likely(take != GID_BLOCK_NONE);
}

/*
 * Draw the next value of a sequence, durably reserved.  "begins" says that an
 * execution of a plan begins to draw, "function" is the name in messages.
 * Without CYCLE, setval() and the like the value is greater (smaller where
 * INCREMENT is negative) than every value that this function has given to any
 * backend.  It may be less than a value of a batch or of nextval(): see
 * sequence/draw.c.
 *
 * A statement's first call, and the call at a block's end, may wait and look
 * up the catalog: see gid_draw_slow(), also for the errors.  Every other call
 * is lock-free.  Raises 25006 in a read-only transaction and in recovery,
 * 25000 in a parallel operation.
 */
static inline GidValue
gid_draw(Oid sequence, GidSource source, bool begins, const char *function,
		 GidFamily family)
{
	GidValue	value;

	gid_page_prevent(function);
	if (!gid_draw_again(sequence, source, begins, GetUserId(), &value))
		value = gid_draw_slow(sequence, source, begins);
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
	GidValue	value;

	if ((XactReadOnly || IsInParallelMode() ||
		 !gid_draw_again(sequence, GID_SOURCE_PAGE, begins,
						 checked ? GetUserId() : InvalidOid, &value)) &&
		!gid_draw_served_slow(sequence, checked, begins, &value))
		return false;
	gid_slot_count(gid_slot, GID_FAMILY_NEXT, (uint64) value.value);
	*result = value.value;
	return true;
}

#endif							/* GID_SEQUENCE_DRAW_H */
