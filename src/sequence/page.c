/*-------------------------------------------------------------------------
 *
 * sequence/page.c
 *		Durable reservation on a sequence's page.
 *
 * A reservation writes the sequence's page as nextval() does.  After a crash
 * recovery restores the page from the reservation's WAL record, and the caller
 * hands out the values only when that record is on disk.  nextval() logs
 * values ahead and does not flush, so a value that it gave in an open
 * transaction may come again after a crash.
 *
 * A page has one row: last_value, log_cnt and is_called, as nextval() keeps
 * them.  gid keeps one number more, the size of a block, for a pass on a new
 * timeline.  The number stands in the row's header, as the command id.  The
 * server writes 0 there when it makes the file, and never reads it, because
 * the row is frozen.  The records of nextval() and setval() carry the whole
 * row, so the number stays on the page, here and on standbys.  A new file of
 * the sequence begins with 0.
 *
 * State: the page of the sequence, protected by its buffer's lock; the
 * sequence's GidPageMark in shared memory, written under the same lock.
 *
 * Invariants:
 * 1. Reading the page, choosing the values and writing the page are one step
 *	  under the exclusive lock.  nextval() and setval() take the same lock, so
 *	  no two calls of any of them take the same value.
 * 2. The record carries a full image of the page.  A delta would not do,
 *	  because nextval() leaves a page that is behind what it logged.
 * 3. log_cnt is 0 afterwards, so that the next nextval() logs again.  But once
 *	  nextval() is known to be called on the sequence as well, the record is up
 *	  to GID_RESERVE_AHEAD values ahead of the page, and log_cnt says how many,
 *	  as nextval() itself leaves the page.  The next nextval() calls then write
 *	  no record, so they end no block.  The price is order beside nextval():
 *	  sequence/draw.c, invariant 6.
 * 4. No caller hands out a value before its record is flushed: a batch by
 *	  gid_flush(), a block as invariant 1 of sequence/draw.c says.
 * 5. The caller holds RowExclusiveLock on the sequence until the end of the
 *	  transaction.  DROP and ALTER SEQUENCE wait for that lock.
 * 6. ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY give a sequence a new
 *	  file, and a rollback of the transaction, or of a subtransaction, brings
 *	  the earlier file back.  After a reservation on the new file every earlier
 *	  file of the transaction stands at the last reserved value, or beyond it.
 *	  Where an earlier file cannot stand there (another direction, a smaller
 *	  range) the reservation raises 55000.  An earlier file that was last
 *	  changed on an earlier timeline passes over values first, because its new
 *	  LSN would hide that.
 * 7. The first reservation on a new timeline passes over values, in the same
 *	  record (sequence/timeline.c).  For that the page tells a size: no block
 *	  after the last reservation has more than GID_RESERVE_GROWTH times as many
 *	  values.
 * 8. Every record of a sequence's values moves the LSN of its page.  So an LSN
 *	  other than the one that gid noted shows the record of a setval() or
 *	  nextval().  Every setval() writes one; a nextval() writes one only where
 *	  log_cnt is 0, or a checkpoint has come since the page's LSN.  Each
 *	  statement compares the two LSNs when it first draws from the sequence.
 *	  So does each reservation before it writes the page, because the LSN of
 *	  its own record would hide the other one.  Both hold the page's lock.
 * 9. Two pages are never locked at a time.
 * 10. The row of a page is used only after gid_page_read() has checked the
 *	   page, under the same hold of the buffer's lock.
 * 11. Before the page is advanced beyond a block, the page mark says that the
 *	   block is pending.  It says so until the holder of the entry's claim has
 *	   put the block where sequence/entry.c finds it, or has lost it.
 *
 * The buffer lock is held while the WAL record is made, as everywhere in
 * PostgreSQL, and is released before the flush.  An error or cancel before the
 * record leaves the sequence as it was.  After the record the values are lost;
 * none is given twice.  No transaction id is needed, and a rollback gives
 * nothing back.  On a standby the record replays as any other; the callers
 * make sure that nothing is reserved there.
 *
 * References: the server's commands/sequence.c, which makes the page, draws
 * from it in nextval_internal(), and replays it in seq_redo().
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "sequence/page.h"
#include "sequence/standbys.h"
#include "sequence/timeline.h"

/* SEQ_MAGIC of commands/sequence.c, at the end of a sequence's page. */
#define GID_PAGE_MAGIC			0x1717

/* The row of a page, or NULL if the page does not have one within its bounds. */
static HeapTupleHeader
gid_page_row(Page page)
{
	Size		size = offsetof(FormData_pg_sequence_data, is_called) + sizeof(bool);
	ItemId		item;
	HeapTupleHeader row;

	if (PageGetSpecialSize(page) != MAXALIGN(sizeof(uint32)) ||
		*(uint32 *) PageGetSpecialPointer(page) != GID_PAGE_MAGIC ||
		PageGetMaxOffsetNumber(page) < FirstOffsetNumber)
		return NULL;
	item = PageGetItemId(page, FirstOffsetNumber);
	if (!ItemIdIsNormal(item) || ItemIdGetOffset(item) < SizeOfPageHeaderData ||
		ItemIdGetOffset(item) + ItemIdGetLength(item) > ((PageHeader) page)->pd_special ||
		ItemIdGetLength(item) < SizeofHeapTupleHeader)
		return NULL;
	row = (HeapTupleHeader) PageGetItem(page, item);
	return row->t_hoff + size <= ItemIdGetLength(item) ? row : NULL;
}

/*
 * Check that a page is a sequence's, and return its data.  The state in "seq"
 * becomes that of the page, unless it is NULL.  The caller has the page
 * locked.  Raises XX001 when the page is damaged.
 */
Form_pg_sequence_data
gid_page_read(Relation sequence, Page page, GidSequence *seq)
{
	HeapTupleHeader row = gid_page_row(page);
	Form_pg_sequence_data data;

	if (row == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("page of sequence \"%s\" is damaged",
						RelationGetRelationName(sequence)),
				 errdetail("It does not hold what a sequence's page holds."),
				 errhint("Restore the sequence from a backup, or create it again beyond the values that were used.")));
	data = (Form_pg_sequence_data) ((char *) row + row->t_hoff);
	if (seq != NULL)
	{
		seq->last_value = data->last_value;
		seq->is_called = data->is_called;
		seq->block = (int64) HeapTupleHeaderGetRawCommandId(row);
	}
	return data;
}

/*
 * Return last_value of an open sequence.  *is_called says whether that value
 * has been given, *lsn is the end of the record that says so.  Waits for the
 * buffer's lock alone.  Raises XX001 when the page is damaged.
 */
int64
gid_page_last_value(Relation sequence, bool *is_called, XLogRecPtr *lsn)
{
	Buffer		buffer = ReadBuffer(sequence, 0);
	GidSequence seq;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	(void) gid_page_read(sequence, BufferGetPage(buffer), &seq);
	*lsn = PageGetLSN(BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	*is_called = seq.is_called;
	return seq.last_value;
}

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
 * page is valid.  The LSN of a block may be later than the page's, because the
 * last record was that of an earlier file (gid_page_follow()).
 */
static void
gid_page_compare(Relation sequence, Buffer buffer, Form_pg_sequence_data data,
				 GidPageMark *mark)
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
	if (noted != GID_PAGE_UNSEEN && data->log_cnt > 0)
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
	gid_page_compare(sequence, buffer,
					 gid_page_read(sequence, BufferGetPage(buffer), NULL), mark);
	UnlockReleaseBuffer(buffer);
}

/* ---- the earlier files of the running transaction ---- */

/*
 * Copies of the rows of a sequence in a catalog that the running transaction
 * or a subtransaction of it has made or replaced.
 */
static List *
gid_page_changed_rows(Relation sequence, Oid catalog, Oid index, AttrNumber column)
{
	Relation	rel = table_open(catalog, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	List	   *rows = NIL;

	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationGetRelid(sequence)));
	scan = systable_beginscan(rel, index, true, SnapshotAny, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		HeapTupleHeader row = tuple->t_data;
		bool		replaced = !(row->t_infomask & HEAP_XMAX_INVALID) &&
		!HEAP_XMAX_IS_LOCKED_ONLY(row->t_infomask);

		if (TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(row)) ||
			(replaced && TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(row))))
			rows = lappend(rows, heap_copytuple(tuple));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return rows;
}

/*
 * The rows (Form_pg_class) of the files that a rollback of the transaction, or
 * of a part of it, would bring back.  Reads the catalog only when the
 * transaction has given the sequence a new file.
 */
List *
gid_page_earlier_files(Relation sequence)
{
	List	   *files = NIL;
	ListCell   *cell;

	if (!gid_relation_was_rewritten(sequence))
		return NIL;
	foreach(cell, gid_page_changed_rows(sequence, RelationRelationId, ClassOidIndexId,
										Anum_pg_class_oid))
	{
		Form_pg_class form = (Form_pg_class) GETSTRUCT((HeapTuple) lfirst(cell));

		if (form->relfilenode != gid_relfilenumber(sequence))
			files = lappend(files, form);
	}
	return files;
}

/*
 * Advance an earlier file to a reservation's last value, if it is behind.
 * "original" has the parameters of the sequence before the transaction.
 */
static void
gid_page_follow_file(const GidOpenSequence *open, const GidSequence *original,
					 Form_pg_class form, int64 last, XLogRecPtr *lsn)
{
	static const GidRequest request = {.kind = GID_REQUEST_SOME,.count = 1};
	bool		up = original->increment > 0;
	bool		needs_wal;
	Buffer		buffer = gid_read_file(open->rel, form->relfilenode, 0,
									   form->relpersistence == RELPERSISTENCE_PERMANENT,
									   &needs_wal);
	Form_pg_sequence_data data;
	GidSequence earlier = *original;
	GidPassedOver passed;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	data = gid_page_read(open->rel, BufferGetPage(buffer), &earlier);
	if ((up ? earlier.last_value < last : earlier.last_value > last) ||
		(earlier.last_value == last && !earlier.is_called))
	{
		gid_timeline_skip(needs_wal ? PageGetLSN(BufferGetPage(buffer)) : GID_TIMELINE_NO_LSN,
						  &earlier, &request, &passed);
		START_CRIT_SECTION();
		data->last_value = up ? Max(earlier.last_value, last) : Min(earlier.last_value, last);
		data->is_called = true;
		data->log_cnt = 0;
		MarkBufferDirty(buffer);
		/* the earlier file may write WAL where the new one does not */
		if (needs_wal)
			*lsn = log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
	}
	UnlockReleaseBuffer(buffer);
}

/*
 * Advance the earlier files of the transaction to the last value of a
 * reservation on the present file.  *lsn is the end of that reservation's
 * record, and becomes the end of the last record.  Waits for the buffers'
 * locks alone.  Raises 55000 if the sequence had another direction earlier in
 * the transaction, or a range that the value is not in.
 *
 * The files follow with the parameters from before the transaction.  Only the
 * file that goes with these can have been changed last on an earlier timeline.
 */
static void
gid_page_follow(const GidOpenSequence *open, const GidReserved *reserved,
				XLogRecPtr *lsn)
{
	int64		last = reserved->last;
	GidSequence original = open->sequence;
	ListCell   *cell;

	if (!gid_relation_was_rewritten(open->rel))
		return;
	foreach(cell, gid_page_changed_rows(open->rel, SequenceRelationId,
										SequenceRelidIndexId, Anum_pg_sequence_seqrelid))
	{
		HeapTuple	tuple = lfirst(cell);
		Form_pg_sequence form = (Form_pg_sequence) GETSTRUCT(tuple);

		if ((form->seqincrement > 0) != (open->sequence.increment > 0) ||
			last < form->seqmin || last > form->seqmax)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("sequence \"%s\" was altered in this transaction",
							RelationGetRelationName(open->rel)),
					 errdetail("After a rollback value %lld would be drawn again, because the sequence as it was before cannot be advanced to it.",
							   (long long) last),
					 errhint("Commit the ALTER SEQUENCE first.")));
		if (!TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)))
			gid_open_parameters(form, &original);
	}
	foreach(cell, gid_page_earlier_files(open->rel))
		gid_page_follow_file(open, &original, lfirst(cell), last, lsn);
}

/* ---- reserving ---- */

/*
 * Write a reservation to the page, which is locked, with a generic WAL record.
 * If "nextval", the record is ahead of the page.  Returns its end.
 */
static XLogRecPtr
gid_page_write(Relation sequence, const GidSequence *seq, Buffer buffer,
			   GenericXLogState *xlog, const GidReserved *reserved, bool nextval)
{
	Page		page;
	Form_pg_sequence_data data;
	int64		ahead = 0;
	XLogRecPtr	lsn;

	page = GenericXLogRegisterBuffer(xlog, buffer, GENERIC_XLOG_FULL_IMAGE);
	/* a size beyond an int32 says no more than the greatest int32 */
	HeapTupleHeaderSetCmin(gid_page_row(page), (CommandId) Min(seq->block, PG_INT32_MAX));
	data = gid_page_read(sequence, page, NULL);
	data->last_value = reserved->last;
	if (nextval)
		ahead = gid_reserve_ahead(seq, reserved->last, &data->last_value);
	data->is_called = true;
	data->log_cnt = 0;
	lsn = GenericXLogFinish(xlog);
	if (ahead > 0)
	{
		data = gid_page_read(sequence, BufferGetPage(buffer), NULL);
		data->last_value = reserved->last;
		data->log_cnt = ahead;
	}
	return lsn;
}

/*
 * Reserve values of an open sequence, in its direction, as gid_reserve() says.
 *
 * "mark" is the page mark of the sequence, or NULL where no block of it is
 * kept.  A caller that asks for some values, with a mark, has the claim of the
 * mark's entry, and calls gid_page_clear_pending() before it releases the
 * claim.
 *
 * open->sequence gets the state of the page, moved beyond the values that a
 * new timeline passes over, and the size that the page tells now.  *lsn is for
 * gid_flush().  Returns false, and reserves nothing, when the sequence has no
 * values for the request.
 *
 * Waits for the buffers' locks alone.  Raises XX001 when the page is damaged,
 * and 55000 when a setting that is needed was refused.  Raises 55000, too,
 * when the transaction has altered the sequence and its earlier file cannot
 * follow (invariant 6); then the values are lost.
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

	(void) gid_standbys_wanted();	/* raises an error if it was refused */
	gid_timeline_prepare();
	buffer = ReadBuffer(open->rel, 0);
	xlog = GenericXLogStart(open->rel);

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	data = gid_page_read(open->rel, BufferGetPage(buffer), seq);
	if (mark != NULL)
		gid_page_compare(open->rel, buffer, data, mark);
	gid_timeline_skip(RelationNeedsWAL(open->rel) ?
					  PageGetLSN(BufferGetPage(buffer)) : GID_TIMELINE_NO_LSN,
					  seq, request, &passed);
	if (!gid_reserve(seq, request, reserved))
	{
		UnlockReleaseBuffer(buffer);
		GenericXLogAbort(xlog);
		return false;
	}

	/*
	 * The size that the page tells falls by the factor by which blocks grow:
	 * a server that has just started begins with small blocks, although
	 * values may be drawn as fast as before.  A batch says nothing about the
	 * next block, so the size does not fall.  Values that nobody draws say
	 * nothing at all.
	 */
	if (request->kind == GID_REQUEST_SOME)
		seq->block /= GID_RESERVE_GROWTH;
	if (request->kind != GID_REQUEST_UP_TO)
		seq->block = Max(seq->block, reserved->count);

	/* a request for some values is for a block (invariant 11) */
	if (mark != NULL && request->kind == GID_REQUEST_SOME)
		gid_page_set_pending(mark, reserved->first);
	*lsn = gid_page_write(open->rel, seq, buffer, xlog, reserved,
						  mark != NULL && pg_atomic_read_u32(&mark->nextval) != 0);
	if (mark != NULL && RelationNeedsWAL(open->rel))
		pg_atomic_write_u64(&mark->lsn, BufferGetLSNAtomic(buffer));
	UnlockReleaseBuffer(buffer);
	gid_timeline_log(open, &passed);
	gid_page_follow(open, reserved, lsn);
	return true;
}
