/*-------------------------------------------------------------------------
 *
 * sequence/draw.c
 *		Drawing values from a sequence.
 *
 * gid_draw_again() takes a value of the block that all backends share.  Where
 * it cannot, gid_draw_slow() reads the page, because a statement begins, and
 * then goes on with the block in use, with the next one, or with a new
 * one: reserve, wait at the gate, publish (sequence/block.c).  The backend
 * that takes the value at the low-water mark reserves the next block ahead.
 *
 * gid_next_many() and its siblings take a batch, and gid.authority_block() a
 * block for another server.  Both are reserved beside the blocks.
 *
 * State: a GidDraw for each sequence that this backend draws from, in its own
 * memory; gid_draw_last points to that of the last call.
 *
 * A crash or a restart loses what is left of the blocks.  On a standby, in a
 * read-only transaction and in a parallel operation nothing is drawn, as by
 * nextval().
 *
 * References: azist's GDID generator reserves blocks from an authority in the
 * same way, and prefetches below a low-water mark.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "nodes/parsenodes.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "sequence/block_table.h"
#include "sequence/draw.h"
#include "sequence/gate.h"

/* Good for no call: no transaction has the invalid number. */
static GidDraw gid_draw_none = {.lxid = InvalidLocalTransactionId};

GidDraw    *gid_draw_last = &gid_draw_none;

/* A session knows at most so many sequences, some megabyte of memory. */
#define GID_DRAWS_MAX			10000

/* The GidDraw of each sequence; NULL: none. */
static HTAB *gid_draws = NULL;

/*
 * Counts the changes of relations, roles and grants that this backend has
 * noticed.
 */
static uint64 gid_draw_changes = 0;

/* ---- what this backend knows of sequences ---- */

static void
gid_draw_reset(void)
{
	gid_draw_last = &gid_draw_none;
	if (gid_draws != NULL)
		hash_destroy(gid_draws);
	gid_draws = NULL;
}

/*
 * A relation has changed; InvalidOid: any relation may have.  What the
 * transaction itself does to a sequence (DROP, ALTER, TRUNCATE ... RESTART
 * IDENTITY, REVOKE, and the rollback of these to a savepoint) comes here
 * before its next command.  Another session cannot alter or drop the sequence
 * while it is locked; a REVOKE there takes effect when its message arrives, as
 * for nextval().
 */
static void
gid_draw_invalidate(Datum arg, Oid relation)
{
	gid_draw_changes++;
	if (!OidIsValid(relation))
		gid_draw_reset();
	else if (gid_draws != NULL)
	{
		if (gid_draw_last->key.sequence == relation)
			gid_draw_last = &gid_draw_none;
		(void) hash_search(gid_draws, &relation, HASH_REMOVE, NULL);
	}
}

/*
 * A role, the members of a role, or a database has changed.  These are the
 * caches that initialize_acl() of the server's acl.c watches, so the role is
 * checked again as soon as nextval() would find another answer.
 */
static void
gid_draw_invalidate_role(Datum arg, int cache, uint32 hash)
{
	gid_draw_invalidate(arg, InvalidOid);
}

/*
 * Point gid_draw_last to what this backend knows of a sequence.  Each draw
 * begins here, except on the fast path, so this backend notices changes from
 * its first draw on.
 */
static void
gid_draw_recall(Oid sequence)
{
	static bool registered = false;
	GidDraw    *known = NULL;

	if (!registered)
	{
		CacheRegisterRelcacheCallback(gid_draw_invalidate, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, gid_draw_invalidate_role, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHOID, gid_draw_invalidate_role, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, gid_draw_invalidate_role, (Datum) 0);
		registered = true;
	}
	if (gid_draws != NULL)
		known = hash_search(gid_draws, &sequence, HASH_FIND, NULL);
	gid_draw_last = known != NULL ? known : &gid_draw_none;
}

/*
 * Keep a copy of what was found out of a sequence.  It is good for the running
 * transaction if nothing has changed since before the checks.
 */
static void
gid_draw_remember(const GidDraw *draw)
{
	if (gid_draws != NULL && hash_get_num_entries(gid_draws) >= GID_DRAWS_MAX)
		gid_draw_reset();
	if (gid_draws == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(Oid),.entrysize = sizeof(GidDraw)};

		gid_draws = hash_create("gid sequences", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	gid_draw_last = hash_search(gid_draws, &draw->key.sequence, HASH_ENTER, NULL);
	*gid_draw_last = *draw;
	if (draw->changes != gid_draw_changes)
		gid_draw_last->lxid = InvalidLocalTransactionId;
}

/* ---- opening ---- */

/*
 * Open a sequence for a role that needs one of the rights in "mode" on it, and
 * lock it as gid_page_lock() says.  An invalid role needs none.  Attaches to
 * the shared memory.  Raises the errors of gid_page_check(), and 0A000 if the
 * sequence does not survive a crash.
 */
void
gid_draw_open(Oid sequence, Oid role, AclMode mode, GidOpenSequence *open)
{
	Relation	rel;

	(void) gid_slot_mine();
	rel = gid_page_lock(sequence);
	gid_page_check(rel, sequence, role, mode, "Durable ids are drawn from a sequence.");
	if (rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot draw ids from sequence \"%s\"", RelationGetRelationName(rel)),
				 errdetail("A temporary or unlogged sequence does not survive a crash, so its values would come twice."),
				 errhint("Use ALTER SEQUENCE ... SET LOGGED, or a permanent sequence.")));
	gid_page_open(rel, open);
}

/*
 * The same in the place of nextval() or setval().  Returns false, with the
 * sequence locked, where gid_draw_open() would raise an error.
 */
static bool
gid_draw_open_served(Oid sequence, Oid role, GidOpenSequence *open)
{
	Relation	rel;

	(void) gid_slot_mine();
	rel = gid_page_lock(sequence);
	if (rel == NULL)
		return false;
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE ||
		rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT ||
		(OidIsValid(role) &&
		 pg_class_aclcheck(sequence, role, ACL_USAGE | ACL_UPDATE) != ACLCHECK_OK))
	{
		relation_close(rel, NoLock);
		return false;
	}
	gid_page_open(rel, open);
	open->is_served = true;
	return true;
}

/* ---- one value ---- */

/*
 * Find the entry of an open sequence, and read the page, because a
 * statement begins to draw.  The page is read before the block in use, so
 * what is taken then was reserved after each setval() and nextval() of
 * statements before, and so is each later block.
 */
static void
gid_draw_revalidate(GidOpenSequence *open, GidDraw *draw)
{
	if (memcmp(&draw->key, &open->key, sizeof(draw->key)) != 0)
		draw->entry = NULL;
	draw->key = open->key;
	draw->entry = gid_block_table_entry(draw->entry, &draw->key, &draw->tenancy);
	open->entry = draw->entry;
	open->tenancy = draw->tenancy;
	draw->statement = gid_statement_now();
	if (draw->supply == NULL)
		(void) gid_page_revalidate(open);
	else if (draw->supply->revalidate != NULL)
		draw->supply->revalidate(open);
	gid_draw_remember(draw);
}

/*
 * Raise 2200H, as nextval() does.  "count" values were asked for, and
 * open->sequence has the state that the page was found in.
 */
static void
gid_draw_raise_limit(const GidOpenSequence *open, int64 count)
{
	const GidSequence *seq = &open->sequence;
	bool		up = seq->increment > 0;

	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg(up ? "nextval: reached maximum value of sequence \"%s\" (%lld)" :
					"nextval: reached minimum value of sequence \"%s\" (%lld)",
					RelationGetRelationName(open->rel),
					(long long) (up ? seq->max_value : seq->min_value)),
			 open->is_served ? 0 :
			 errdetail("The sequence stands at %lld. Values asked for: %lld.",
					   (long long) seq->last_value, (long long) count),
			 open->is_served ? 0 :
			 errhint("Give the sequence a wider range with ALTER SEQUENCE, or CYCLE.")));
}

/*
 * Reserve the next block of an open sequence, unless another backend has done
 * so.  "needed" is false for a block ahead; then nothing happens where there
 * are no values, and the WAL writer flushes the record.  Returns whether it
 * had to wait.
 */
static bool
gid_draw_reserve(GidOpenSequence *open, const GidSupply *supply, bool needed)
{
	GidRequest	request = {.kind = GID_REQUEST_SOME};
	GidBlockSize size;
	GidReserved reserved;
	GidPageOutcome outcome;
	XLogRecPtr	lsn;

	gid_page_describe(open);
	if (supply != NULL)
		return supply->reserve(open, needed);

	/* while a standby is away a setval() between must not cost values */
	if (needed)
		(void) gid_gate(gid_page_revalidate(open));
	size = gid_page_block_size(open, GID_RESERVE_LASTS_US, needed);
	outcome = gid_page_reserve(open, &request, &size, &reserved, &lsn);
	if (outcome == GID_PAGE_EXHAUSTED && needed)
		gid_draw_raise_limit(open, 1);
	if (outcome == GID_PAGE_RESERVED && !needed && !XLogRecPtrIsInvalid(lsn))
		XLogSetAsyncXactLSN(lsn);
	return false;
}

/*
 * Reserve the next block ahead, if no other backend has.  The sequence is
 * locked.  Errors are those of gid_page_reserve(), or of the supply.
 */
void
gid_draw_ahead(const GidDraw *current)
{
	GidDraw		draw = *current;	/* an invalidation may remove *current */
	GidOpenSequence open;

	gid_page_open(relation_open(draw.key.sequence, NoLock), &open);
	open.key = draw.key;
	open.entry = draw.entry;
	open.tenancy = draw.tenancy;
	(void) gid_draw_reserve(&open, draw.supply, false);
	relation_close(open.rel, NoLock);
}

/*
 * Draw the next value of a sequence, where gid_draw_again() cannot: for the
 * first draw of a statement, at the end of a block, and when the last call
 * drew from another sequence.  "supply" is that of a source other than the
 * page.  "role" is invalid where no privilege is asked for.  With "is_served"
 * the draw is in the place of nextval(), and there is no value where gid does
 * not draw.
 *
 * The value is one of the block in use, else the first one of the next block,
 * which comes into use, else a block is reserved.  No value is taken before
 * its block's record has passed the gate; a statement asks the gate for the
 * block in use, too, because that may have come into use before any standby
 * was named.  An error in the gate leaves the block for the next caller.
 *
 * May wait for the lock on the sequence, for a WAL flush, for a standby or for
 * another server.  All waits but the flush are interruptible.  Raises the
 * errors of gid_draw_open(); 2200H at the sequence's end; and those of the
 * supply.
 */
GidValue
gid_draw_slow(Oid sequence, GidSource source, const GidSupply *supply, GidSite site,
			  Oid role, bool is_served)
{
	GidValue	value;
	GidOpenSequence open;
	GidDraw		draw;
	bool		waited = false;

	gid_draw_recall(sequence);
	value = gid_draw_again(sequence, source, site, role);
	if (value.take != GID_BLOCK_NONE)
		return value;
	draw = *gid_draw_last;
	draw.changes = gid_draw_changes;
	if (draw.key.sequence == sequence && draw.key.source == source &&
		draw.lxid == gid_my_lxid() && draw.role == role)
	{
		gid_page_open(relation_open(sequence, NoLock), &open);
		open.is_served = is_served;
	}
	else if (!is_served)
		gid_draw_open(sequence, role, ACL_USAGE | ACL_UPDATE, &open);
	else if (!gid_draw_open_served(sequence, role, &open))
		return value;
	open.key.source = source;
	draw.lxid = gid_my_lxid();
	draw.role = role;
	draw.supply = source == GID_SOURCE_PAGE ? NULL : supply;

	gid_draw_revalidate(&open, &draw);
	while (value.take == GID_BLOCK_NONE)
	{
		GidBlockView view;

		CHECK_FOR_INTERRUPTS();
		if (!gid_block_view(draw.entry, draw.tenancy, &view))
			gid_draw_revalidate(&open, &draw);
		else if (view.left > 0)
		{
			waited |= gid_gate(view.lsn);
			value = gid_block_take(draw.entry, draw.tenancy);
		}
		else if (view.has_next)
		{
			waited |= gid_gate(view.next_lsn);
			value = gid_block_publish(draw.entry, draw.tenancy, &view);
		}
		else
			waited |= gid_draw_reserve(&open, draw.supply, true);
	}
	if (waited)
		gid_block_waited(draw.entry, draw.tenancy);
	if (value.take == GID_BLOCK_TAKEN_LOW)
		(void) gid_draw_reserve(&open, draw.supply, false);
	relation_close(open.rel, NoLock);
	return value;
}

/* ---- ending blocks ---- */

/*
 * End the blocks of a sequence's file, whatever their source, so that the next
 * value comes from a new reservation.  The role needs UPDATE.  Waits and
 * errors are those of gid_draw_open().
 */
void
gid_draw_forget(Oid sequence)
{
	GidOpenSequence open;

	gid_draw_open(sequence, GetUserId(), ACL_UPDATE, &open);
	gid_block_table_end_blocks(&open.key);
	relation_close(open.rel, NoLock);
}

/*
 * A setval() has set a sequence to "value": it has locked the sequence, asked
 * for the privilege and moved the page.  End the blocks of the page, and what
 * is known of its horizon if it was set back.  Does nothing where gid does not
 * draw from the sequence.
 */
void
gid_draw_was_set(Oid sequence, int64 value, bool is_called)
{
	GidOpenSequence open;
	GidFollowedKey followed;
	GidEntry   *entry;
	uint64		tenancy;

	if (!gid_draw_open_served(sequence, InvalidOid, &open))
		return;
	entry = gid_block_table_find(&open.key, &tenancy);
	if (entry != NULL)
		gid_block_end(entry, tenancy);
	gid_page_describe(&open);
	followed = gid_page_followed(&open);
	gid_followed_table_was_set(&followed, value, is_called);
	relation_close(open.rel, NoLock);
}

/* ---- many values at once ---- */

/*
 * Reserve values on the page of an open sequence.  The page's last record
 * passes the gate first, so that callers who give up and try again while a
 * standby is away use up no values.  2200H when the sequence does not have
 * them.
 */
static void
gid_draw_many(GidOpenSequence *open, GidRequestKind kind, int64 count,
			  GidReserved *reserved)
{
	GidRequest	request = {.kind = kind,.count = count};
	XLogRecPtr	lsn;

	open->entry = gid_block_table_find(&open->key, &open->tenancy);
	(void) gid_gate(gid_page_revalidate(open));
	if (gid_page_reserve(open, &request, NULL, reserved, &lsn) != GID_PAGE_RESERVED)
		gid_draw_raise_limit(open, count);
	(void) gid_gate(lsn);
}

/*
 * Reserve "count" (1 or more) consecutive values of a sequence, of one era
 * and cycle.  Waits and errors are those of gid_draw_slow().  An error before
 * the record leaves the sequence as it was; a later error or cancel loses the
 * values.
 */
void
gid_draw_batch(Oid sequence, int64 count, GidBatch *batch)
{
	GidOpenSequence open;

	gid_draw_open(sequence, GetUserId(), ACL_USAGE | ACL_UPDATE, &open);
	gid_page_describe(&open);
	gid_draw_many(&open, GID_REQUEST_BATCH, count, &batch->values);
	batch->increment = open.sequence.increment;
	relation_close(open.rel, NoLock);
}

/*
 * Reserve up to "count" (1 or more) consecutive values of a sequence, of one
 * era, for another server, which counts them upwards by ones.  Raises 55000
 * when the sequence descends; waits and other errors are those of
 * gid_draw_slow().
 */
void
gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved)
{
	GidOpenSequence open;

	gid_draw_open(sequence, GetUserId(), ACL_USAGE | ACL_UPDATE, &open);
	gid_page_describe(&open);
	if (open.sequence.increment < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" descends", RelationGetRelationName(open.rel)),
				 errdetail("Another server counts the values of a block upwards."),
				 errhint("Give the sequence a positive INCREMENT.")));
	gid_draw_many(&open, GID_REQUEST_OF_ERA, count, reserved);
	relation_close(open.rel, NoLock);
}
