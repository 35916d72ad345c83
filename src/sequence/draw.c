/*-------------------------------------------------------------------------
 *
 * sequence/draw.c
 *		Drawing values from a sequence: the slow path, and batches.
 *
 * All backends take values from one block (sequence/block.c).  The block is
 * reserved on the sequence's page (sequence/page.c), or by an authority
 * (sequence/authority.c), before its first value is handed out.  A backend
 * that finds the block used up reserves the next one, while the other backends
 * that need a value wait.  The backend that takes the value at the low-water
 * mark, three quarters of the block, reserves the next block ahead, so that no
 * backend waits.  Where standbys must have the record, the low-water mark is
 * at one quarter.  A quiet sequence has blocks of two values, and the
 * low-water mark at the second.  If the transaction that draws the second
 * value writes a row, its commit flushes the record of the next block, too,
 * unless synchronous_commit is off.  So a quiet sequence costs no flush of its
 * own.
 *
 * gid_next_many() and its siblings take a batch, and gid.authority_block() a
 * block for another server: consecutive values that are reserved beside the
 * blocks.
 *
 * State: none of its own.
 *
 * Invariants:
 * 1. A block is opened only when its record is on disk, here and on as many
 *	  standbys as gid.reservation_standbys says, unless these have been missing
 *	  for gid.reservation_wait.  The WAL writer flushes the record of a block
 *	  that was reserved ahead; where that would be too late for the standbys,
 *	  the backend that reserved the block does.  The backend that opens the
 *	  block flushes the record if nobody has.  It waits for the standbys with
 *	  the claim, because every session has to wait for them.  If the wait ends
 *	  without them, the block is lost for all sessions.
 * 2. The holder of the entry's claim reserves and opens blocks.  It releases
 *	  the claim also when it fails or is cancelled; then at most the block is
 *	  lost.  No session waits for synchronous standbys with the claim, so a
 *	  session that asks for none goes on meanwhile.
 * 3. The sequence is locked, and the role checked, for the running transaction
 *	  (sequence/open.c, sequence/known.c).  No other session drops or alters
 *	  the sequence until the transaction ends.
 * 4. A session that asks for synchronous standbys takes values only of a block
 *	  whose record they have; bit U in the state of an entry says that they do
 *	  not (sequence/block.h).  Such a session waits without a claim or a
 *	  lock of gid.  If its wait ends without the standbys, the block is lost
 *	  for all sessions.  Standbys that are named in the middle of a transaction
 *	  count from the next block or transaction on.
 * 5. A statement that draws for the first time after a setval(), or after a
 *	  nextval() that wrote a WAL record, draws no value that was reserved
 *	  before it.  It takes values only of blocks whose records are later than
 *	  what it found on the page.  A relation that writes no WAL shows no trace
 *	  of a setval().  Its blocks end with the transaction that made the file.
 * 6. The values of a sequence increase over all backends (decrease, where
 *	  INCREMENT is negative) while gid_draw() alone draws from it, and nobody
 *	  winds it back.  A batch or a nextval() takes the values after all blocks,
 *	  and the blocks go on.  So gid_draw() may give 282 after nextval() has
 *	  given 284.  Most calls of nextval() write no record and leave nothing
 *	  that invariant 5 could find, because the record before theirs, of gid or
 *	  of nextval(), is ahead of the page (sequence/page.c, invariant 3).
 * 7. A nextval() gives no value that gid_draw() has given, but for CYCLE and a
 *	  sequence that was wound back.  It gives later values only, unless the
 *	  sequence has a CACHE: the calling session may then have kept earlier
 *	  ones.
 * 8. No value of a batch is returned before its record is on disk, here and on
 *	  the standbys that invariants 1 and 4 name.  A reservation's values are of
 *	  one era, one cycle and one issuer.
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
#include "access/xact.h"
#include "access/xlog.h"
#include "postmaster/walwriter.h"
#include "storage/ipc.h"
#include "utils/rel.h"

#include "base/settings.h"
#include "clock/server_time.h"
#include "sequence/authority.h"
#include "sequence/draw.h"
#include "sequence/flush.h"
#include "sequence/standbys.h"

/*
 * The WAL writer flushes a record within three times wal_writer_delay, as the
 * server's documentation of synchronous_commit promises.
 */
#define GID_DRAW_WAL_WRITER_DELAYS	3

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
 * Blocks whose records end before this LSN were overtaken by a setval() or
 * nextval().  An authority's blocks never are: they are not on the page.
 */
static XLogRecPtr
gid_draw_valid_from(const GidDraw *draw)
{
	if (draw->key.source != GID_SOURCE_PAGE)
		return InvalidXLogRecPtr;
	return pg_atomic_read_u64(&draw->entry->mark.valid_from);
}

/* Must standbys have the record of the next block of a sequence? */
static bool
gid_draw_needs_standbys(const GidDraw *draw)
{
	return draw->key.source == GID_SOURCE_PAGE && gid_standbys_wanted() > 0;
}

/*
 * Reserve the next block of a sequence and fill the entry with it; "left"
 * values of the open block are not drawn yet.  "needed" is false for a block
 * ahead.  Returns false when the sequence has come to its end.  Returns false,
 * too, where a block ahead is not worth it: the authorities give no values, or
 * no value is left and the block would be larger than a quiet sequence's.  The
 * caller has the claim, and flushes the record.
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
		request.count = gid_reserve_size(&entry->history, now_us, left, gid_max_block_size);
	if (left == 0 && !needed && request.count > GID_RESERVE_MIN)
		return false;

	if (draw->key.source == GID_SOURCE_AUTHORITIES)
	{
		if (!gid_authority_fetch(open->rel, request.count, needed, &reserved, &issuer))
			return false;
		increment = 1;
	}
	else if (!gid_page_reserve(open, &request, &entry->mark, &reserved, &lsn))
		return false;
	gid_entry_end_earlier(open, draw->key.source);
	gid_block_fill(entry, &reserved, increment, issuer, lsn, gid_draw_needs_standbys(draw));
	gid_reserve_note(&entry->history, now_us, reserved.count);
	pg_atomic_write_u64(&entry->reservations,
						pg_atomic_read_u64(&entry->reservations) + 1);
	return true;
}

/* Release the claim of an entry; also a cleanup callback. */
static void
gid_draw_release(int code, Datum entry)
{
	GidBlockEntry *e = (GidBlockEntry *) DatumGetPointer(entry);

	pg_atomic_write_u32(&e->stalled, 0);
	gid_page_clear_pending(&e->mark);
	gid_claim_release(&e->claim);
}

/*
 * Reserve the next block of a claimed entry ahead, if it is due.  Where the
 * sequence or the authorities have no values nothing happens: the backend that
 * needs a value raises the error.
 *
 * Returns the end of the record if the caller is to flush it, after it has
 * released the claim.  Else the WAL writer flushes the record.  Where standbys
 * must have the record, and the values that are left will be drawn before the
 * WAL writer has flushed it, every session would wait for the standbys.
 */
static XLogRecPtr
gid_draw_reserve_ahead(GidOpenSequence *open, const GidDraw *draw)
{
	GidBlockEntry *entry = draw->entry;
	bool		is_low;
	int64		left = gid_block_left(entry, &is_low);
	bool		flush;
	XLogRecPtr	lsn;

	if (pg_atomic_read_u64(&entry->owner) != draw->owner || entry->ahead || !is_low)
		return InvalidXLogRecPtr;
	flush = gid_draw_needs_standbys(draw) &&
		gid_reserve_lasts_us(&entry->history, gid_time_monotonic_us(), Max(left, 1)) <
		GID_DRAW_WAL_WRITER_DELAYS * 1000.0 * WalWriterDelay;
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
 * The sequence is locked.  Errors are those of gid_page_reserve().
 *
 * The catalog is read before the claim is taken, because the reader may wait
 * for a lock on the catalog.
 */
void
gid_draw_ahead(const GidDraw *current)
{
	GidDraw		draw = *current;	/* an invalidation may remove *current */
	volatile XLogRecPtr lsn = InvalidXLogRecPtr;
	GidOpenSequence open;

	gid_open_read(relation_open(draw.key.sequence, NoLock), &open);
	if (gid_claim_try(&draw.entry->claim))
	{
		PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(draw.entry));
		{
			lsn = gid_draw_reserve_ahead(&open, &draw);
		}
		PG_END_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(draw.entry));
		gid_draw_release(0, PointerGetDatum(draw.entry));
	}
	gid_flush_disk(lsn);
	relation_close(open.rel, NoLock);
}

/* A block, as a session has found it in use or opened it. */
typedef struct GidSeenBlock
{
	GidBlockEntry *entry;
	uint64		state;			/* of the entry */
	XLogRecPtr	lsn;			/* end of the block's record */
} GidSeenBlock;

/* The wait for standbys has ended without them: lose the next block. */
static void
gid_draw_lose_next(int code, Datum entry)
{
	gid_block_drop_next((GidBlockEntry *) DatumGetPointer(entry));
}

/* The same, for a block in use. */
static void
gid_draw_lose(int code, Datum block)
{
	GidSeenBlock *seen = (GidSeenBlock *) DatumGetPointer(block);

	(void) gid_block_lose(seen->entry, seen->state);
}

/*
 * Wait until the standbys that this session depends on have flushed the record
 * of a block in use.  Interruptible.  Returns false when the settings were
 * changed meanwhile; then, and after an error, the block is lost.  The caller
 * has no claim.
 */
static bool
gid_draw_confirm(GidSeenBlock *seen)
{
	bool		asked = gid_flush_is_asked();

	if (!gid_flush_wait_or_lose(seen->lsn, asked, gid_draw_lose, PointerGetDatum(seen)))
		return false;
	if (asked)
		gid_block_confirm(seen->entry, seen->state);
	return true;
}

/*
 * Take a value of the block in use, if there is one for this session, and
 * reserve the next block ahead if it is due.  The session waits,
 * interruptibly, until the standbys that it depends on have flushed the
 * block's record, also if the settings were changed after the block was
 * opened.
 */
static bool
gid_draw_take(const GidDraw *draw, GidValue *value)
{
	GidSeenBlock seen = {.entry = draw->entry};
	GidBlockTake take;

	seen.state = gid_block_state(draw->entry, draw->owner, &seen.lsn);
	if (seen.state == 0 || seen.lsn < gid_draw_valid_from(draw))
		return false;
	if (!gid_flush_is_enough(seen.lsn) && !gid_draw_confirm(&seen))
		return false;
	if ((seen.state & GID_BLOCK_UNCONFIRMED) && !gid_flush_is_confirmed(seen.lsn))
		take = gid_block_take_unconfirmed(draw->entry, draw->owner, value);
	else
	{
		if (seen.state & GID_BLOCK_UNCONFIRMED)
			gid_block_confirm(draw->entry, seen.state);
		take = gid_block_take(draw->entry, draw->owner, value);
	}
	if (take == GID_BLOCK_TAKEN_LOW)
		gid_draw_ahead(draw);
	return take != GID_BLOCK_NONE;
}

/*
 * Open the next block of a claimed entry, and take its first value.  Reserves
 * the block unless that was done ahead.  Returns false when the block was
 * lost, because gid.reservation_standbys was changed during the wait for
 * standbys.  2200H when the sequence has come to its end.
 */
static bool
gid_draw_open_block(GidOpenSequence *open, const GidDraw *draw, GidSeenBlock *opened,
					GidValue *value)
{
	GidBlockEntry *entry = draw->entry;
	bool		confirmed;

	if (!entry->ahead && !gid_draw_reserve(open, draw, 0, true))
		gid_draw_raise_limit(open, 1);
	opened->entry = entry;
	opened->lsn = gid_block_next_lsn(entry);
	gid_flush_disk(opened->lsn);
	confirmed = XLogRecPtrIsInvalid(opened->lsn);
	if (!confirmed)
	{
		if (!gid_standbys_allow(opened->lsn, gid_standbys_wanted()))
		{
			pg_atomic_write_u32(&entry->stalled, 1);
			if (!gid_flush_wait_or_lose(opened->lsn, false, gid_draw_lose_next,
										PointerGetDatum(entry)))
				return false;
		}
		confirmed = !gid_sync_standbys_named() || gid_flush_is_confirmed(opened->lsn);
	}
	*value = gid_block_open(entry, confirmed, &opened->state);
	return true;
}

/*
 * Open the next block of an entry, if the block in use has no value left or
 * was overtaken, and take its first value.  Returns false when another backend
 * has the claim, after a wait for it, or has opened a block already, or the
 * block was lost.  Then the caller tries again.
 */
static bool
gid_draw_next_block(GidOpenSequence *open, const GidDraw *draw, GidValue *value)
{
	GidBlockEntry *entry = draw->entry;
	GidSeenBlock opened;
	volatile bool done = false;

	if (!gid_claim_try(&entry->claim))
	{
		gid_block_wait(entry);
		return false;
	}
	PG_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	{
		bool		is_low;

		gid_block_drop_before(entry, gid_draw_valid_from(draw));
		if (pg_atomic_read_u64(&entry->owner) == draw->owner &&
			gid_block_left(entry, &is_low) == 0)
			done = gid_draw_open_block(open, draw, &opened, value);
	}
	PG_END_ENSURE_ERROR_CLEANUP(gid_draw_release, PointerGetDatum(entry));
	gid_draw_release(0, PointerGetDatum(entry));
	if (done && (opened.state & GID_BLOCK_UNCONFIRMED) != 0 && gid_flush_is_asked())
		return gid_draw_confirm(&opened);
	return done;
}

/* Open a sequence to draw from it.  Errors and waits: see gid_draw_slow(). */
static void
gid_draw_open(Oid sequence, GidOpenSequence *open)
{
	gid_open_for(sequence, ACL_USAGE | ACL_UPDATE,
				 "Grant USAGE on the sequence to the role.", open);
}

/*
 * Take a value of a sequence that the running transaction and role have drawn
 * from before.  Returns false where the sequence is to be opened.
 */
static bool
gid_draw_known(Oid sequence, GidSource source, bool begins, Oid role, GidValue *value)
{
	GidDraw    *known = gid_known_again(sequence, source, role);

	if (known != NULL && source == GID_SOURCE_PAGE &&
		(begins || known->statement != gid_known_statement()))
		known = gid_known_look(known);
	return known != NULL && gid_draw_take(known, value);
}

/*
 * Take a value of an open sequence, from a new block if need be.  Returns
 * false when the caller is to try again.
 */
static bool
gid_draw_from(GidOpenSequence *open, GidSource source, Oid role, GidValue *value)
{
	GidDraw		draw;

	gid_known_find(open, source, role, &draw);
	return gid_draw_take(&draw, value) || gid_draw_next_block(open, &draw, value);
}

/*
 * Draw the next value of a sequence, where gid_draw() cannot: for the first
 * draw of a statement, at the end of a block, and when the last call drew
 * from another sequence.
 *
 * May wait for the lock on the sequence, for another backend that reserves a
 * block, for a WAL flush, a standby or an authority.  All waits but the flush
 * are interruptible.
 * Raises 42P01 when the sequence does not exist, 42809 when it is none, 0A000
 * when it does not survive a crash, 42501 when the role may not draw from it;
 * 2200H at its end; 08001 when no other server answers; 55000 for a refused
 * setting, and otherwise the errors of gid_page_reserve().
 */
GidValue
gid_draw_slow(Oid sequence, GidSource source, bool begins)
{
	GidValue	value = {0};
	bool		done = gid_draw_known(sequence, source, begins, GetUserId(), &value);

	while (!done)
	{
		GidOpenSequence open;

		gid_draw_open(sequence, &open);
		done = gid_draw_from(&open, source, GetUserId(), &value);
		relation_close(open.rel, NoLock);
	}
	return value;
}

/*
 * gid_draw_slow() in the place of nextval(): see gid_draw_served().  2200H is
 * raised here, with the words of nextval().
 */
bool
gid_draw_served_slow(Oid sequence, bool checked, bool begins, GidValue *value)
{
	Oid			role = checked ? GetUserId() : InvalidOid;
	bool		done;

	if (XactReadOnly || IsInParallelMode())
		return false;
	done = gid_draw_known(sequence, GID_SOURCE_PAGE, begins, role, value);
	while (!done)
	{
		GidOpenSequence open;

		if (!gid_open_served(sequence, checked, &open))
			return false;
		done = gid_draw_from(&open, GID_SOURCE_PAGE, role, value);
		relation_close(open.rel, NoLock);
	}
	return true;
}

/* End the blocks of an open sequence and a source. */
static void
gid_draw_end(const GidOpenSequence *open, GidSource source)
{
	uint64		owner;
	GidBlockEntry *entry = gid_entry_find(open, source, false, &owner);

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
	for (GidSource source = 0; source < GID_NSOURCES; source++)
		gid_draw_end(&open, source);
	relation_close(open.rel, NoLock);
}

/*
 * End the blocks of a sequence's own page after a setval(), which has locked
 * the sequence and asked for the privilege.  Does nothing where gid does not
 * draw from the sequence.  May wait for a claim, interruptibly.
 */
void
gid_draw_end_served(Oid sequence)
{
	GidOpenSequence open;

	if (!gid_open_served(sequence, false, &open))
		return;
	gid_draw_end(&open, GID_SOURCE_PAGE);
	relation_close(open.rel, NoLock);
}

/* ---- many values at once ---- */

/*
 * Reserve values on the page of an open sequence, and flush the record.  2200H
 * when the sequence does not have them.
 */
static void
gid_draw_many(GidOpenSequence *open, GidRequestKind kind, int64 count,
			  GidReserved *reserved)
{
	GidRequest	request = {.kind = kind,.count = count};
	uint64		owner;
	GidBlockEntry *entry = gid_entry_find(open, GID_SOURCE_PAGE, false, &owner);
	XLogRecPtr	lsn;

	do
	{
		if (!gid_page_reserve(open, &request, entry == NULL ? NULL : &entry->mark,
							  reserved, &lsn))
			gid_draw_raise_limit(open, count);
		gid_entry_end_earlier(open, GID_SOURCE_PAGE);
	} while (!gid_flush(lsn));
}

/*
 * Reserve "count" (1 or more) consecutive values of a sequence, of one era,
 * cycle and issuer.  Waits and errors are those of gid_draw_slow().  An error
 * before the record, or before an authority's answer, leaves the sequence as
 * it was; a later error or cancel loses the values.
 */
void
gid_draw_batch(Oid sequence, GidSource source, int64 count, GidBatch *batch)
{
	GidOpenSequence open;

	gid_draw_open(sequence, &open);
	if (source == GID_SOURCE_AUTHORITIES)
	{
		gid_authority_fetch_all(open.rel, count, &batch->values, &batch->issuer);
		batch->increment = 1;
	}
	else
	{
		gid_draw_many(&open, GID_REQUEST_BATCH, count, &batch->values);
		batch->increment = open.sequence.increment;
		batch->issuer = 0;
	}
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

	gid_draw_open(sequence, &open);
	if (open.sequence.increment < 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("sequence \"%s\" descends", RelationGetRelationName(open.rel)),
				 errdetail("Another server counts the values of a block upwards."),
				 errhint("Give the sequence a positive INCREMENT.")));
	gid_draw_many(&open, GID_REQUEST_OF_ERA, count, reserved);
	relation_close(open.rel, NoLock);
}
