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

#include "access/xlog.h"
#include "fmgr.h"
#include "tcop/pquery.h"
#include "utils/portal.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/page.h"

/*
 * A sequence that this backend draws from, and the transaction, role and
 * statement that its checks were made for.
 */
typedef struct GidDraw
{
	Oid			sequence;		/* of the hash table */
	GidSource	source;
	LocalTransactionId lxid;	/* transaction that has it locked and has
								 * checked the role; invalid: none */
	Oid			role;			/* that may draw; invalid: no privilege is
								 * asked for */
	TimestampTz statement;		/* gid_draw_statement() when the page was
								 * looked at */
	XLogRecPtr	wrote;			/* XactLastRecEnd then */
	Oid			relfilenumber;	/* of its file */
	GidEntry   *entry;			/* of its blocks */
	uint64		owner;			/* its owner's number in the entry */
} GidDraw;

/* The sequence of the last call. */
extern GidDraw *gid_draw_last;

/* What a call site is, as far as statements go: see gid_draw_site(). */
typedef enum GidSite
{
	GID_SITE_BEGINS,			/* first call in an execution of a plan */
	GID_SITE_PLAN,				/* a later call */
	GID_SITE_EXPRESSION			/* an expression that outlives statements */
} GidSite;

/* Consecutive values: first, first + increment, ... */
typedef struct GidBatch
{
	GidReserved values;
	int64		increment;
	uint32		issuer;			/* as in GidValue */
} GidBatch;

extern const char gid_draw_plan_site;

extern GidSite gid_draw_classify(void);
extern GidSite gid_draw_other_site(FmgrInfo *flinfo);
extern bool gid_draw_slow(Oid sequence, GidSource source, GidSite site, Oid role,
						  bool is_served, GidValue *value);
extern void gid_draw_ahead(const GidDraw *draw);
extern void gid_draw_end_served(Oid sequence);
extern void gid_draw_forget(Oid sequence);
extern void gid_draw_batch(Oid sequence, GidSource source, int64 count, GidBatch *batch);
extern void gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved);

/*
 * What is the call site of a function that keeps nothing else in fn_extra?  A
 * setval() counts from the next statement on that draws, and a statement is
 * one execution of a plan.  An execution has FmgrInfos of its own, so its
 * first call finds fn_extra empty.
 */
static inline GidSite
gid_draw_site(FunctionCallInfo fcinfo)
{
	if (likely(fcinfo->flinfo->fn_extra == (void *) &gid_draw_plan_site))
		return GID_SITE_PLAN;
	return gid_draw_other_site(fcinfo->flinfo);
}

/* When the statement of the client began that runs now; 0 outside a portal. */
static inline TimestampTz
gid_draw_statement(void)
{
	return likely(ActivePortal != NULL) ? ActivePortal->creation_time : 0;
}

/* Is a call that is not a later one of a plan to look at the page? */
static inline bool
gid_draw_must_look(const GidDraw *draw, GidSite site)
{
	return site == GID_SITE_BEGINS || draw->wrote != XactLastRecEnd;
}

/*
 * Take a value of the block in use, if the last call was for the same
 * sequence, source, role and statement.  Reserves the next block ahead if it
 * is due.  Returns false otherwise, and when the block has no value left.
 */
static inline bool
gid_draw_again(Oid sequence, GidSource source, GidSite site, Oid role, GidValue *value)
{
	GidDraw    *draw = gid_draw_last;
	GidBlockTake take;

	if (unlikely(draw->sequence != sequence || draw->source != source ||
				 draw->lxid != gid_my_lxid() || draw->role != role ||
				 draw->statement != gid_draw_statement() ||
				 (site != GID_SITE_PLAN && gid_draw_must_look(draw, site))))
		return false;
	take = gid_block_take(draw->entry, draw->owner, value);
	if (unlikely(take == GID_BLOCK_TAKEN_LOW))
		gid_draw_ahead(draw);
	return likely(take != GID_BLOCK_NONE);
}

/*
 * Draw the next value of a sequence, durably reserved.  "function" is the name
 * in messages.  Without CYCLE, setval() and the like the value is greater
 * (smaller where INCREMENT is negative) than every value that this function
 * has given to any backend, and from the next statement on greater than what
 * nextval() has given.
 *
 * A statement's first call, and the call at a block's end, may wait and look
 * up the catalog: see gid_draw_slow(), also for the errors.  Every other call
 * is lock-free.  Raises 25006 in a read-only transaction and in recovery,
 * 25000 in a parallel operation.
 */
static inline GidValue
gid_draw(Oid sequence, GidSource source, GidSite site, const char *function,
		 GidFamily family)
{
	GidValue	value;

	gid_page_prevent(function);
	if (!gid_draw_again(sequence, source, site, GetUserId(), &value))
		(void) gid_draw_slow(sequence, source, site, GetUserId(), false, &value);
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

	if (XactReadOnly || IsInParallelMode() ||
		(!gid_draw_again(sequence, GID_SOURCE_PAGE, site, role, &value) &&
		 !gid_draw_slow(sequence, GID_SOURCE_PAGE, site, role, true, &value)))
		return false;
	gid_slot_count(gid_slot, GID_FAMILY_NEXT, (uint64) value.value);
	*result = value.value;
	return true;
}

#endif							/* GID_SEQUENCE_DRAW_H */
