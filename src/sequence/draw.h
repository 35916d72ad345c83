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

#include "access/xlog.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/page.h"
#include "sequence/statement.h"

/* How an entry gets its blocks, if not from the sequence's page. */
typedef struct GidSupply
{
	/*
	 * A statement begins: end the blocks that it must not use, or see to the
	 * next one.  NULL: do nothing.
	 */
	void		(*revalidate) (GidOpenSequence *open);

	/*
	 * Reserve the next block, if no other backend has.  "needed": a caller
	 * waits for a value.  Returns whether it had to wait.
	 */
	bool		(*reserve) (GidOpenSequence *open, bool needed);
} GidSupply;

/*
 * A sequence that this backend draws from, and the transaction, role and
 * statement that its checks were made for.
 */
typedef struct GidDraw
{
	GidBlockKey key;			/* its sequence is that of the hash table */
	LocalTransactionId lxid;	/* transaction that has it locked and has
								 * checked the role; invalid: none */
	Oid			role;			/* that may draw; invalid: no privilege is
								 * asked for */
	GidStatement statement;		/* that has read the page */
	GidEntry   *entry;			/* of its blocks; NULL: not known yet */
	uint64		tenancy;		/* the key's, in the entry */
	const GidSupply *supply;	/* NULL: the page */
	uint64		changes;		/* gid_draw_changes before the checks */
} GidDraw;

/* The sequence of the last call. */
extern GidDraw *gid_draw_last;

/* Consecutive values: first, first + increment, ... */
typedef struct GidBatch
{
	GidReserved values;
	int64		increment;
	uint32		issuer;			/* as in GidValue */
} GidBatch;

extern GidValue gid_draw_slow(Oid sequence, GidSource source, const GidSupply *supply,
							  GidSite site, Oid role, bool is_served);
extern void gid_draw_ahead(const GidDraw *draw);
extern void gid_draw_open(Oid sequence, Oid role, AclMode mode, GidOpenSequence *open);
extern void gid_draw_was_set(Oid sequence, int64 value, bool is_called);
extern void gid_draw_forget(Oid sequence);
extern void gid_draw_batch(Oid sequence, int64 count, GidBatch *batch);
extern void gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved);

/*
 * Take a value of the block in use, if the last call was for the same
 * sequence, source, role and statement.  Reserves the next block ahead if it
 * is due.
 */
static inline GidValue
gid_draw_again(Oid sequence, GidSource source, GidSite site, Oid role)
{
	GidDraw    *draw = gid_draw_last;
	GidValue	value = {0, 0, GID_BLOCK_NONE};

	if (unlikely(draw->key.sequence != sequence || draw->key.source != source ||
				 draw->lxid != gid_my_lxid() || draw->role != role ||
				 !gid_statement_goes_on(&draw->statement, site)))
		return value;
	value = gid_block_take(draw->entry, draw->tenancy);
	if (unlikely(value.take == GID_BLOCK_TAKEN_LOW))
		gid_draw_ahead(draw);
	return value;
}

/*
 * Draw the next value of a sequence, durably reserved.  "function" is the name
 * in messages.  Without CYCLE, setval() and the like the value is greater
 * (smaller where INCREMENT is negative) than every value that this function
 * has given to any backend, and from the next statement on greater than what
 * nextval() has given.
 *
 * A statement's first call, and the call at a block's end, may wait and look
 * up the catalog: see gid_draw_slow(), also for the errors.  So may the call
 * at the low-water mark, which reserves the next block: gid_draw_ahead().
 * Every other call is lock-free.  Raises 25006 in a read-only transaction and
 * in recovery, 25000 in a parallel operation.
 */
static inline GidValue
gid_draw(Oid sequence, GidSource source, const GidSupply *supply, GidSite site,
		 const char *function, GidFamily family)
{
	GidValue	value;

	gid_page_prevent(function);
	value = gid_draw_again(sequence, source, site, GetUserId());
	if (unlikely(value.take == GID_BLOCK_NONE))
		value = gid_draw_slow(sequence, source, supply, site, GetUserId(), false);
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
gid_draw_served(Oid sequence, bool checked, GidSite site, int64 *result)
{
	Oid			role = checked ? GetUserId() : InvalidOid;
	GidValue	value;

	if (unlikely(XactReadOnly) || unlikely(IsInParallelMode()))
		return false;
	value = gid_draw_again(sequence, GID_SOURCE_PAGE, site, role);
	if (unlikely(value.take == GID_BLOCK_NONE))
		value = gid_draw_slow(sequence, GID_SOURCE_PAGE, NULL, site, role, true);
	if (unlikely(value.take == GID_BLOCK_NONE))
		return false;
	gid_slot_count(gid_slot, GID_FAMILY_NEXT, (uint64) value.value);
	*result = value.value;
	return true;
}

#endif							/* GID_SEQUENCE_DRAW_H */
