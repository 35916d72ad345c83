/*-------------------------------------------------------------------------
 *
 * sequence/draw.c
 *		Drawing a value from a sequence: the slow path.
 *
 * All backends take values from one block (sequence/block.c).  The block is
 * reserved on the sequence's page (sequence/page.c), or by a supplier, before
 * its first value is handed out.  A backend that finds the block used up
 * reserves the next one, while the other backends that need a value wait.  The
 * backend whose value leaves less than a quarter of the block reserves the
 * next one ahead, and nobody waits.  Where standbys must have the record, it
 * is the backend whose value leaves less than three quarters.
 *
 * State: none of its own.
 *
 * Invariants:
 * 1. A block is opened only when its record is on disk, here and on as many
 *	  standbys as gid.reservation_standbys says, unless these have been missing
 *	  for gid.reservation_wait.  The WAL writer flushes the
 *	  record of a block that was reserved ahead; where that would be too late
 *	  for the standbys, the backend that reserved the block does.  The backend
 *	  that opens the block makes sure, and waits for the standbys with the
 *	  claim, because every session has to wait for them.  Where the wait ends
 *	  without them, the block is lost for all sessions.
 * 2. The holder of the entry's claim reserves and opens blocks.  It releases
 *	  the claim also when it fails or is cancelled; then at most the block is
 *	  lost.  No session waits for synchronous standbys with the claim, so a
 *	  session that asks for none goes on meanwhile.
 * 3. The sequence is locked, and the role checked, for the running transaction
 *	  (sequence/open.c, sequence/known.c).  No other session drops or alters
 *	  the sequence until the transaction ends.
 * 4. A session that asks for synchronous standbys takes values only of a block
 *	  whose record they have.  Where its wait ends without that, the block is
 *	  lost for all sessions.  Standbys that are named in the middle of a
 *	  transaction count from the next block or transaction on.
 * 5. A transaction that draws for the first time after a setval(), or after a
 *	  nextval() that wrote a WAL record, draws no value that was reserved
 *	  before it.  It takes values only of blocks whose records are later than
 *	  what it found on the page.  Where the relation writes no WAL a setval()
 *	  leaves no trace.  Then the blocks end with the transaction that made the
 *	  file.
 * 6. The values of a sequence increase over all backends (decrease, where
 *	  INCREMENT is negative) while gid_draw() alone draws from it, and nobody
 *	  winds it back.  A batch or a nextval() takes the values after all blocks,
 *	  and the blocks go on.  So gid_draw() may give 282 after nextval() has
 *	  given 284: most calls of nextval() write no record, and leave no trace
 *	  that invariant 5 could find.  gid's own record lets them, because it is
 *	  ahead of the page (sequence/page.c, invariant 3).  A nextval() never
 *	  gives less than gid_draw() has given before, unless the sequence has a
 *	  CACHE.  Then the calling session may have kept earlier values.
 *
 * A crash or a restart loses what is left of the blocks.  On a standby, in a
 * read-only transaction and in a parallel operation nothing is drawn, as by
 * nextval().  After a promotion the pages stand where the received WAL has put
 * them.  A clock set back changes nothing: only the monotonic clock decides
 * how large a block is.
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
#include "access/xlog.h"
#include "postmaster/walwriter.h"
#include "storage/ipc.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "clock/server_time.h"
#include "sequence/confirm.h"
#include "sequence/draw.h"
#include "sequence/entry.h"
#include "sequence/flush.h"
#include "sequence/standbys.h"

/*
 * Raise 2200H, as nextval() does.  "count" values were asked for, and
 * open->sequence has the state that the page was found in.
 */
void
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
			 errdetail("The sequence stands at %lld. Values asked for: %lld.",
					   (long long) seq->last_value, (long long) count),
			 errhint("Give the sequence a wider range with ALTER SEQUENCE, or CYCLE.")));
}

/*
 * Blocks whose records end before this LSN were overtaken by a setval() or
 * nextval().  A supplier's blocks never are: they are not on the page.
 */
static XLogRecPtr
gid_draw_valid_from(const GidDraw *draw)
{
	if (draw->supplier != NULL)
		return InvalidXLogRecPtr;
	return pg_atomic_read_u64(&draw->entry->mark.valid_from);
}

/*
 * Reserve the next block of a sequence and fill the entry with it; "left"
 * values of the open block are not drawn yet.  Returns false when the sequence
 * has come to its end, or the supplier has no values and they are not
 * "needed".  The caller has the claim, and flushes the record.
 */
static bool
gid_draw_reserve(GidOpenSequence *open, const GidDraw *draw, int64 left, bool needed)
{
	GidBlockEntry *entry = draw->entry;
	int64		now_us = gid_time_monotonic_us();
	GidRequest	request = {.kind = GID_REQUEST_SOME};
	GidReserved reserved;
	uint32		issuer = 0;
	int64		increment = open->sequence.increment;
	XLogRecPtr	lsn = InvalidXLogRecPtr;

	if (open->sequence.cache > 1)
		request.count = Min(open->sequence.cache, GID_BLOCK_MAX_SIZE);
	else
	{
		gid_setting_need(gid_max_block_size, "gid.max_block_size");
		request.count = gid_history_size(&entry->history, now_us, left, gid_max_block_size);
	}

	if (draw->supplier != NULL)
	{
		if (!draw->supplier->reserve(open->rel, request.count, needed, &reserved, &issuer))
			return false;
		increment = 1;
	}
	else if (!gid_page_reserve(open, &request, &entry->mark, &reserved, &lsn))
		return false;
	gid_entry_end_earlier(open, draw->key.source);
	gid_block_fill(entry, &reserved, increment, issuer, lsn,
				   draw->supplier == NULL && gid_standbys_wanted() > 0);
	gid_history_note(&entry->history, now_us, reserved.count);
	pg_atomic_write_u64(&entry->reservations,
						pg_atomic_read_u64(&entry->reservations) + 1);
	return true;
}

/* Release the claim of an entry; a cleanup callback, too. */
static void
gid_draw_release(int code, Datum entry)
{
	GidBlockEntry *e = (GidBlockEntry *) DatumGetPointer(entry);

	pg_atomic_write_u32(&e->stalled, 0);
	gid_claim_release(&e->claim);
}

/*
 * Will the values that are left in the block in use be drawn before the WAL
 * writer has flushed a record that is written now?  The server promises three
 * times wal_writer_delay.  The caller has the claim.
 */
static bool
gid_draw_is_fast(const GidDraw *draw, int64 left)
{
	return gid_history_lasts_us(&draw->entry->history, gid_time_monotonic_us(), left) <
		3 * 1000.0 * WalWriterDelay;
}

/*
 * Reserve the next block of a claimed entry ahead, if it is due.  Where the
 * sequence or the supplier has no values nothing happens: the backend that
 * needs a value raises the error.
 *
 * Returns the end of the record if the caller is to flush it, after it has
 * released the claim.  Else the WAL writer flushes the record.  Where standbys
 * must have the record, and values are drawn fast, the WAL writer would be
 * late, and every session would wait for the standbys.
 */
static XLogRecPtr
gid_draw_reserve_ahead(GidOpenSequence *open, const GidDraw *draw)
{
	GidBlockEntry *entry = draw->entry;
	int64		left;
	bool		flush;
	XLogRecPtr	lsn;

	if (pg_atomic_read_u64(&entry->owner) != draw->owner || entry->ahead ||
		!gid_block_is_low(entry, &left))
		return InvalidXLogRecPtr;
	flush = draw->supplier == NULL && gid_standbys_wanted() > 0 &&
		gid_draw_is_fast(draw, left);
	if (!gid_draw_reserve(open, draw, left, false))
		return InvalidXLogRecPtr;
	lsn = gid_block_next_lsn(entry);
	if (!flush && !XLogRecPtrIsInvalid(lsn))
		XLogSetAsyncXactLSN(lsn);
	pg_write_barrier();			/* for gid_entry_look() */
	entry->ahead = true;
	pg_atomic_write_u64(&entry->prefetched,
						pg_atomic_read_u64(&entry->prefetched) + 1);
	return flush ? lsn : InvalidXLogRecPtr;
}

/*
 * Reserve the next block ahead, if it is due and no other backend does it.
 * The sequence is locked.  The error of gid_altered_follow() is raised here,
 * too.
 *
 * The catalog is read before the claim is taken, because the reader may wait
 * for a lock on the catalog.
 */
void
gid_draw_ahead(const GidDraw *current)
{
	GidDraw		draw = *current;	/* an invalidation may remove *current */
	GidClaim   *claim = &draw.entry->claim;
	volatile XLogRecPtr lsn = InvalidXLogRecPtr;
	GidOpenSequence open;

	gid_open_read(relation_open(draw.key.sequence, NoLock), &open);
	if (gid_claim_try(claim))
	{
		PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(draw.entry));
		{
			lsn = gid_draw_reserve_ahead(&open, &draw);
		}
		PG_END_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(draw.entry));
		gid_claim_release(claim);
	}
	gid_flush_disk(lsn);
	relation_close(open.rel, NoLock);
}

/* A block that was opened, and its first value. */
typedef struct GidOpenedBlock
{
	GidValue	value;
	uint64		state;			/* of the entry, for gid_confirm_wait() */
	XLogRecPtr	lsn;			/* end of the block's record */
} GidOpenedBlock;

/* The wait for standbys has ended without them: lose the next block. */
static void
gid_draw_lose(int code, Datum entry)
{
	gid_block_drop_next((GidBlockEntry *) DatumGetPointer(entry));
}

/*
 * Open the next block of a claimed entry, and take its first value.  Reserves
 * the block unless that was done ahead.  Returns false when the block was
 * lost, because gid.reservation_standbys was changed during the wait for
 * standbys.  2200H when the sequence has come to its end.
 */
static bool
gid_draw_open_block(GidOpenSequence *open, const GidDraw *draw, GidOpenedBlock *opened)
{
	bool		confirmed;

	if (!draw->entry->ahead && !gid_draw_reserve(open, draw, 0, true))
		gid_draw_raise_limit(open, 1);
	opened->lsn = gid_block_next_lsn(draw->entry);
	gid_flush_disk(opened->lsn);
	confirmed = XLogRecPtrIsInvalid(opened->lsn);
	if (!confirmed)
	{
		if (!gid_standbys_allow(opened->lsn, gid_standbys_wanted()))
		{
			pg_atomic_write_u32(&draw->entry->stalled, 1);
			if (!gid_flush_wait_or_lose(opened->lsn, false, gid_draw_lose,
										PointerGetDatum(draw->entry)))
				return false;
		}
		confirmed = !gid_flush_are_standbys_named() || gid_flush_is_confirmed(opened->lsn);
	}
	opened->value = gid_block_open(draw->entry, confirmed, &opened->state);
	return true;
}

/*
 * Open the next block of an entry, if the block in use has no value left or
 * was overtaken.  Returns false when another backend has the claim, after a
 * wait for it, or has opened a block already, or the block was lost.  Then the
 * caller tries again.
 */
static bool
gid_draw_next_block(GidOpenSequence *open, const GidDraw *draw, GidOpenedBlock *opened)
{
	GidBlockEntry *entry = draw->entry;
	volatile bool done = false;

	if (!gid_claim_try(&entry->claim))
	{
		gid_block_wait(entry);
		return false;
	}
	PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	{
		int64		left;

		gid_block_drop_before(entry, gid_draw_valid_from(draw));
		(void) gid_block_is_low(entry, &left);
		if (pg_atomic_read_u64(&entry->owner) == draw->owner && left == 0)
			done = gid_draw_open_block(open, draw, opened);
	}
	PG_END_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	gid_draw_release(0, PointerGetDatum(entry));
	return done;
}

/*
 * Take a value of the block in use, and reserve the next block ahead if it is
 * due.  Returns false when there is no value for this session.
 */
static bool
gid_draw_take(const GidDraw *draw, GidValue *value)
{
	GidBlockTake take = gid_confirm_take(draw->entry, draw->owner,
										 gid_draw_valid_from(draw), value);

	if (take == GID_BLOCK_TAKEN_LOW)
		gid_draw_ahead(draw);
	return take != GID_BLOCK_NONE;
}

/*
 * Take a value of an open sequence, from a new block if need be.  Returns
 * false when the caller is to try again.
 */
static bool
gid_draw_from_open(GidOpenSequence *open, const GidSupplier *supplier, GidValue *value)
{
	GidDraw		draw;
	GidOpenedBlock opened;

	gid_known_find(open, supplier, &draw);
	if (gid_draw_take(&draw, value))
		return true;
	if (!gid_draw_next_block(open, &draw, &opened))
		return false;
	*value = opened.value;
	if ((opened.state & GID_BLOCK_UNCONFIRMED) != 0 && gid_flush_is_asked())
		return gid_confirm_wait(draw.entry, opened.state, opened.lsn);
	return true;
}

/*
 * Draw the next value of a sequence: the first of a transaction or of a block,
 * or that of another sequence than the last call's.
 *
 * May wait for the lock on the sequence, for another backend that reserves a
 * block, for a WAL flush, a standby or a supplier.  All waits but the flush
 * are interruptible.
 * Raises 42P01 when the sequence does not exist, 42809 when it is none, 0A000
 * when it does not survive a crash, 42501 when the role may not draw from it;
 * 2200H at its end; 08001 when no other server answers.
 */
GidValue
gid_draw_slow(Oid sequence, const GidSupplier *supplier)
{
	GidDraw    *known = gid_known_again(sequence, supplier);
	GidValue	value = {0};
	bool		done = known != NULL && gid_draw_take(known, &value);

	while (!done)
	{
		GidOpenSequence open;

		gid_open_for(sequence, ACL_USAGE | ACL_UPDATE,
					 "Grant USAGE on the sequence to the role.", &open);
		done = gid_draw_from_open(&open, supplier, &value);
		relation_close(open.rel, NoLock);
	}
	return value;
}

/* End the blocks of an open sequence and a source. */
static void
gid_draw_forget_source(const GidOpenSequence *open, uint32 source)
{
	GidSequenceKey key = gid_open_key(open, source);
	uint64		owner;
	GidBlockEntry *entry = gid_entry_find(&key, false, &owner);

	if (entry == NULL)
		return;
	while (!gid_claim_try(&entry->claim))
		gid_block_wait(entry);
	if (pg_atomic_read_u64(&entry->owner) == owner)
		gid_block_end(entry);
	gid_claim_release(&entry->claim);
}

/*
 * End the blocks of a sequence, so that the next value comes from a new
 * reservation.  The role needs UPDATE.  Waits and errors as for
 * gid_draw_slow().
 */
void
gid_draw_forget(Oid sequence)
{
	GidOpenSequence open;

	gid_open_for(sequence, ACL_UPDATE, "Grant UPDATE on the sequence to the role.",
				 &open);
	for (uint32 source = 0; source < GID_NSOURCES; source++)
		gid_draw_forget_source(&open, source);
	relation_close(open.rel, NoLock);
}
