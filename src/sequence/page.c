/*-------------------------------------------------------------------------
 *
 * sequence/page.c
 *		Durable reservation on a sequence's page.
 *
 * A reservation writes the sequence's page as nextval() does.  The page gets
 * exactly the state that is to be found after a crash, and the caller hands
 * out the values only when the WAL record is on disk.  nextval() logs values
 * ahead and does not flush, so a value that it gave in an open transaction
 * comes again after a crash.
 *
 * State: the page of the sequence, protected by its buffer's exclusive lock;
 * the sequence's GidPageMark in shared memory, written under the same lock.
 *
 * Invariants:
 * 1. Reading the page, choosing the values and writing the page are one step
 *	  under the exclusive lock.  nextval() and setval() take that lock, too, so
 *	  no two calls of any of them take the same value.
 * 2. The record carries a full image of the page.  A delta would not do,
 *	  because nextval() leaves a page that is behind what it logged.
 * 3. log_cnt is 0 afterwards, so that the next nextval() logs again.  On a
 *	  sequence that nextval() is called on, too, the record is some values
 *	  ahead of the page, and log_cnt says how many, as nextval() itself leaves
 *	  the page.  Else each nextval() would write a record and end the blocks.
 *	  So order beside nextval() is given up: sequence/draw.c, invariant 6.
 * 4. No caller hands out a value before gid_flush() of its record.  For the
 *	  values of a block see sequence/draw.c.
 * 5. The caller holds RowExclusiveLock on the sequence until the end of the
 *	  transaction.  DROP and ALTER SEQUENCE wait for that lock.
 * 6. A transaction that has itself altered the sequence writes a new file.
 *	  The earlier files follow (sequence/altered.c).
 * 7. The first reservation on a new timeline passes over values, in the same
 *	  record (sequence/timeline.c).  For that the page tells a size: no block
 *	  after the last reservation has more than GID_RESERVE_GROWTH times as many
 *	  values.
 * 8. Every record of a sequence's values moves the LSN of its page.  So an LSN
 *	  other than the one that gid noted shows that setval() or nextval() was
 *	  called.  The LSN shows every setval(), but a nextval() only if it wrote a
 *	  record.  Each transaction that draws from the sequence's blocks compares
 *	  the two under the page's lock.  gid compares them also before it writes
 *	  the page, because the LSN of its own record would hide the other one.
 * 9. A page that is beyond the values of a block shows so: the mark says that
 *	  the block is pending, until the holder of the entry's claim has put the
 *	  block where sequence/entry.c finds it, or has lost it.
 *
 * The buffer lock is held while the WAL record is made, as everywhere in
 * PostgreSQL, and is released before the flush.  An error or cancel before the
 * record leaves the sequence as it was.  After the record the values are lost;
 * none is given twice.  No transaction id is needed, and a rollback gives
 * nothing back.  On a standby the record replays as any other; the callers
 * make sure that nothing is reserved there.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/xlog.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "sequence/altered.h"
#include "sequence/block_size.h"
#include "sequence/page.h"
#include "sequence/page_form.h"
#include "sequence/standbys.h"
#include "sequence/timeline.h"

/* Set up the mark of a page that gid has not seen yet. */
void
gid_page_init_mark(GidPageMark *mark)
{
	pg_atomic_init_u64(&mark->lsn, GID_PAGE_UNSEEN);
	pg_atomic_init_u64(&mark->valid_from, 0);
	pg_atomic_init_u32(&mark->nextval, 0);
	pg_atomic_init_u32(&mark->pending, 0);
	pg_atomic_init_u64(&mark->pending_first, 0);
}

/*
 * Compare the LSN of a page with the noted one.  Where they differ, note the
 * new LSN, and note that the values of gid's earlier records are overtaken.  A
 * log_cnt above 0 shows that nextval() is called on the sequence, unless gid
 * sees the page for the first time: then the log_cnt may be years old.
 *
 * The caller has the page's lock.  A share lock is enough, because backends
 * that share it note the same.  The entry of the mark may have been given to
 * another sequence in the meantime; then the backend changes a mark that is
 * not its own.  That costs the other sequence a block, and hides nothing.
 *
 * Where the relation writes no WAL the page has no LSN of its own, and nothing
 * is noted.  The transaction that made the file goes on with its blocks.  The
 * next transaction finds a page that gid has not seen, and no block of such a
 * page is valid.  A block's LSN may be later than that of the page: it is that
 * of the record of an earlier file (gid_altered_follow()).
 */
static void
gid_page_compare(Relation sequence, Buffer buffer, GidPageMark *mark)
{
	XLogRecPtr	lsn = BufferGetLSNAtomic(buffer);
	XLogRecPtr	overtaken = lsn;
	uint64		noted = pg_atomic_read_u64(&mark->lsn);
	uint64		valid_from = pg_atomic_read_u64(&mark->valid_from);

	if (likely(noted == lsn) || !RelationNeedsWAL(sequence))
		return;
	if (noted == GID_PAGE_UNSEEN)
		overtaken = GetXLogInsertRecPtr();
	while (valid_from <= overtaken &&
		   !pg_atomic_compare_exchange_u64(&mark->valid_from, &valid_from, overtaken + 1))
		;
	if (noted != GID_PAGE_UNSEEN && gid_page_data(BufferGetPage(buffer))->log_cnt > 0)
		pg_atomic_write_u32(&mark->nextval, 1);
	pg_write_barrier();
	pg_atomic_write_u64(&mark->lsn, lsn);
}

/*
 * Look for the record of a setval() or nextval() on an open sequence, and note
 * it in the mark.  Waits for the buffer's lock alone.  Raises XX001 when the
 * page is damaged.
 */
void
gid_page_look(Relation sequence, GidPageMark *mark)
{
	Buffer		buffer = ReadBuffer(sequence, 0);

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	gid_page_check(sequence, BufferGetPage(buffer));
	gid_page_compare(sequence, buffer, mark);
	UnlockReleaseBuffer(buffer);
}

/*
 * The size that a page tells after a reservation, where it told "block" before.
 * Blocks grow by a factor at a time, and the size falls by the same factor: a
 * server that has started anew begins with small blocks, although values may be
 * drawn as fast as before.  A batch says nothing about the next block, so the
 * size does not fall.
 */
static int64
gid_page_next_block(int64 block, const GidRequest *request, const GidReserved *reserved)
{
	if (request->kind == GID_REQUEST_SOME)
		block /= GID_RESERVE_GROWTH;
	return Max(block, reserved->count);
}

/*
 * Write a reservation to the page, which is locked and registered with a
 * generic WAL record.  Returns the end of the record.
 */
static XLogRecPtr
gid_page_write(const GidSequence *seq, Buffer buffer, GenericXLogState *xlog,
			   const GidReserved *reserved, bool nextval)
{
	Page		page;
	Form_pg_sequence_data data;
	int64		ahead = 0;
	XLogRecPtr	lsn;

	page = GenericXLogRegisterBuffer(xlog, buffer, GENERIC_XLOG_FULL_IMAGE);
	gid_page_set_block(page, seq->block);
	data = gid_page_data(page);
	data->last_value = reserved->last;
	if (nextval)
		ahead = gid_reserve_ahead(seq, reserved->last, &data->last_value);
	data->is_called = true;
	data->log_cnt = 0;
	lsn = GenericXLogFinish(xlog);
	if (ahead > 0)
	{
		/* as nextval() does: the record is ahead of the page */
		data = gid_page_data(BufferGetPage(buffer));
		data->last_value = reserved->last;
		data->log_cnt = ahead;
	}
	return lsn;
}

/*
 * Reserve values of an open sequence, in its direction, as gid_reserve() says.
 *
 * "mark" is that of the sequence, or NULL where no block of it is kept.  A
 * caller that asks for some values, with a mark, has the claim of the mark's
 * entry and calls gid_page_end_block() before it releases the claim.
 * open->sequence gets the state that was found on the page, after the values
 * that a new timeline passes over, and the size that the page tells now.  *lsn
 * is for gid_flush().  Returns false, and reserves nothing, when the sequence
 * has no values for the request.
 * Waits for the buffers' locks alone.  Raises XX001 when the page is damaged,
 * 55000 when a setting that is needed was refused, and the error of
 * gid_altered_follow().
 */
bool
gid_page_reserve(GidOpenSequence *open, const GidRequest *request,
				 GidPageMark *mark, GidReserved *reserved, XLogRecPtr *lsn)
{
	GidSequence *seq = &open->sequence;
	Buffer		buffer;
	GenericXLogState *xlog;
	Form_pg_sequence_data data;
	GidPassedOver passed;

	Assert(request->count >= 1);
	Assert(CheckRelationLockedByMe(open->rel, RowExclusiveLock, true));

	gid_standbys_check();
	gid_timeline_prepare();
	buffer = ReadBuffer(open->rel, 0);
	xlog = GenericXLogStart(open->rel);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	gid_page_check(open->rel, BufferGetPage(buffer));
	if (mark != NULL)
		gid_page_compare(open->rel, buffer, mark);

	data = gid_page_data(BufferGetPage(buffer));
	seq->last_value = data->last_value;
	seq->is_called = data->is_called;
	seq->block = gid_page_block(BufferGetPage(buffer));
	gid_timeline_skip(RelationNeedsWAL(open->rel) ?
					  PageGetLSN(BufferGetPage(buffer)) : GID_TIMELINE_NO_LSN,
					  seq, request, &passed);
	if (!gid_reserve(seq, request, reserved))
	{
		UnlockReleaseBuffer(buffer);
		GenericXLogAbort(xlog);
		return false;
	}
	seq->block = gid_page_next_block(seq->block, request, reserved);

	/*
	 * some values are a block, which others draw from; it shows before the
	 * page
	 */
	if (mark != NULL && request->kind == GID_REQUEST_SOME)
		gid_page_begin_block(mark, reserved->first);
	*lsn = gid_page_write(seq, buffer, xlog, reserved,
						  mark != NULL && pg_atomic_read_u32(&mark->nextval) != 0);
	if (mark != NULL && RelationNeedsWAL(open->rel))
		pg_atomic_write_u64(&mark->lsn, BufferGetLSNAtomic(buffer));
	UnlockReleaseBuffer(buffer);
	gid_timeline_log(open, &passed);
	gid_altered_follow(open, reserved, lsn);
	return true;
}
