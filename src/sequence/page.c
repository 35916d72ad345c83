/*-------------------------------------------------------------------------
 *
 * sequence/page.c
 *		Durable reservation on a sequence's page.
 *
 * Values are reserved by writing the sequence's page as nextval() does, but
 * with exactly the state that is to be found after a crash; and they are
 * handed out when the WAL record is on disk.  nextval() logs values ahead and
 * does not flush; so a value that it gave in an open transaction comes again
 * after a crash.
 *
 * State: the page of the sequence, protected by its buffer's exclusive lock.
 *
 * Invariants:
 * 1. Reading the page, choosing the values and writing the page are one step
 *	  under the exclusive lock, which nextval() and setval() take too: so no
 *	  two calls of any of them take the same value.
 * 2. The record carries a full image of the page.  A delta would not do:
 *	  nextval() leaves a page that is behind what it logged.
 * 3. log_cnt is 0 afterwards, so that the next nextval() logs again.  On a
 *	  sequence that nextval() is called on, too, the record is some values
 *	  ahead and log_cnt says how many, as nextval() itself leaves the page.
 * 4. No caller hands out a value before gid_flush() of its record; for the
 *	  values of a block see sequence/draw.c.
 * 5. The caller holds RowExclusiveLock on the sequence until the end of the
 *	  transaction; DROP and ALTER SEQUENCE wait for it.
 * 6. A transaction that has itself altered a sequence writes its new file,
 *	  which is gone if it, or a subtransaction, is rolled back.  So the files
 *	  before that follow: none of them stays behind what was reserved on the
 *	  new one, and their blocks are ended (sequence/draw.c), since values of
 *	  these would come after greater ones.
 * 7. Every record of a sequence's values moves the LSN of its page.  So an LSN
 *	  that is not the one which gid noted (GidPageMark) tells of a setval() or
 *	  nextval().  It is looked for under the page's lock: by each transaction
 *	  that draws from the blocks of the sequence, and before gid writes the
 *	  page, because the LSN of gid's own record would hide it.
 *
 * The buffer lock is held across the making of the WAL record, as everywhere
 * in PostgreSQL, and not across the flush; two pages are never locked at a
 * time.  An error or cancel before the record leaves the sequence as it was;
 * after it, the values are lost, none is given twice.  No transaction id is
 * needed, and a rollback gives nothing back.  On a standby the record replays
 * as any other; the callers see to it that nothing is reserved there.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/genam.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "access/xloginsert.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "sequence/page.h"

/* The row of pg_sequence; to be released. */
static HeapTuple
gid_page_sequence_row(Relation sequence)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID,
										ObjectIdGetDatum(RelationGetRelid(sequence)));

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u",
			 RelationGetRelid(sequence));
	return tuple;
}

/* What tells an open sequence from every other one, past ones included. */
void
gid_page_read_key(Relation sequence, uint32 source, GidSequenceKey *key)
{
	HeapTuple	tuple;

	memset(key, 0, sizeof(*key));
	key->database = MyDatabaseId;
	key->sequence = RelationGetRelid(sequence);
	key->relfilenumber = gid_relfilenumber(sequence);
	key->source = source;

	tuple = gid_page_sequence_row(sequence);
	key->sequence_xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	ReleaseSysCache(tuple);

	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	key->database_xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	ReleaseSysCache(tuple);
}

/* Fill the parameters of a sequence from the catalog; the state is left. */
void
gid_page_read_parameters(Relation sequence, GidSequence *seq)
{
	HeapTuple	tuple = gid_page_sequence_row(sequence);
	Form_pg_sequence form;

	form = (Form_pg_sequence) GETSTRUCT(tuple);
	seq->increment = form->seqincrement;
	seq->min_value = form->seqmin;
	seq->max_value = form->seqmax;
	seq->cycle = form->seqcycle;
	seq->cache = form->seqcache;
	ReleaseSysCache(tuple);
}

/*
 * What stands at the end of a sequence's page, with sequence.c's value.
 */
#define GID_PAGE_MAGIC			0x1717

/* Does a page have the tuple that a sequence's page has, where it can be? */
static bool
gid_page_has_tuple(Page page)
{
	ItemId		item = PageGetItemId(page, FirstOffsetNumber);
	Size		end = (Size) ItemIdGetOffset(item) + ItemIdGetLength(item);
	Size		size = offsetof(FormData_pg_sequence_data, is_called) + sizeof(bool);

	if (!ItemIdIsNormal(item) || ItemIdGetOffset(item) < SizeOfPageHeaderData ||
		end > ((PageHeader) page)->pd_special ||
		ItemIdGetLength(item) < SizeofHeapTupleHeader)
		return false;
	return ((HeapTupleHeader) PageGetItem(page, item))->t_hoff + size <= ItemIdGetLength(item);
}

/* Raise XX001 unless a page is that of a sequence. */
static void
gid_page_check(Relation sequence, Page page)
{
	if (PageGetSpecialSize(page) == MAXALIGN(sizeof(uint32)) &&
		*(uint32 *) PageGetSpecialPointer(page) == GID_PAGE_MAGIC &&
		PageGetMaxOffsetNumber(page) >= FirstOffsetNumber &&
		gid_page_has_tuple(page))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("page of sequence \"%s\" is damaged",
					RelationGetRelationName(sequence)),
			 errdetail("It does not hold what a sequence's page holds."),
			 errhint("Restore the sequence from a backup, or create it anew beyond the values that were used.")));
}

/* The sequence's data on its page, which was checked. */
static Form_pg_sequence_data
gid_page_data(Page page)
{
	ItemId		item = PageGetItemId(page, FirstOffsetNumber);
	HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, item);

	return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
}

/*
 * last_value of an open sequence, whether it has been given, and the end of
 * the record that says so.  Waits for nothing but the buffer.
 */
int64
gid_page_last_value(Relation sequence, bool *is_called, XLogRecPtr *lsn)
{
	Buffer		buffer = ReadBuffer(sequence, 0);
	int64		last_value;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	gid_page_check(sequence, BufferGetPage(buffer));
	last_value = gid_page_data(BufferGetPage(buffer))->last_value;
	*is_called = gid_page_data(BufferGetPage(buffer))->is_called;
	*lsn = PageGetLSN(BufferGetPage(buffer));
	UnlockReleaseBuffer(buffer);
	return last_value;
}

/* ---- what others do to the sequence ---- */

/* Set up what is known of a page: nothing. */
void
gid_page_init_mark(GidPageMark *mark)
{
	pg_atomic_init_u64(&mark->lsn, GID_PAGE_UNSEEN);
	pg_atomic_init_u64(&mark->valid_from, 0);
	pg_atomic_init_u32(&mark->nextval, 0);
}

/*
 * Compare the LSN of a page with the one that was noted.  Where they differ
 * note the new one, and that the values of gid's earlier records are
 * overtaken.  A log_cnt above 0 is nextval()'s doing; that of a page which gid
 * has not seen before may be years old.
 *
 * The caller has the page's lock, which need not be exclusive: backends that
 * share it note the same.  A backend whose entry of the mark was given to
 * another sequence in the meantime spoils a mark that is not its own.  That
 * costs the other sequence a block, and hides nothing.
 *
 * Where the relation writes no WAL the page has no LSN of its own, and nothing
 * is noted.  The transaction that made the file goes on with its blocks.  The
 * next one finds a page that gid has not seen, and no block of such a page is
 * valid.  The LSN of one may be later than that of the page: it is that of the
 * record of an earlier file (gid_page_follow()).
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
 * Look for a setval() or nextval() on an open sequence, and note it.  Waits
 * for nothing but the buffer.
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

/* ---- what a rollback brings back ---- */

/* Is a row one that the running transaction has made or replaced? */
static bool
gid_page_is_our_row(HeapTupleHeader row)
{
	if (TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(row)))
		return true;
	if (row->t_infomask & HEAP_XMAX_INVALID ||
		HEAP_XMAX_IS_LOCKED_ONLY(row->t_infomask))
		return false;
	return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(row));
}

/*
 * The rows that a sequence has, and had before the running transaction or one
 * of its subtransactions changed them: copies.
 */
static List *
gid_page_our_rows(Relation sequence, Oid catalog, Oid index, AttrNumber column)
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
		if (gid_page_is_our_row(tuple->t_data))
			rows = lappend(rows, heap_copytuple(tuple));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return rows;
}

/*
 * Raise 55000 if the sequence had another direction, or a range that does not
 * reach to "last".
 */
static void
gid_page_check_follow(Relation sequence, const GidSequence *seq, int64 last)
{
	ListCell   *cell;

	foreach(cell, gid_page_our_rows(sequence, SequenceRelationId,
									SequenceRelidIndexId, Anum_pg_sequence_seqrelid))
	{
		Form_pg_sequence form = (Form_pg_sequence) GETSTRUCT((HeapTuple) lfirst(cell));

		if ((form->seqincrement > 0) != (seq->increment > 0) ||
			last < form->seqmin || last > form->seqmax)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("sequence \"%s\" was altered in this transaction",
							RelationGetRelationName(sequence)),
					 errdetail("After a rollback value %lld would be drawn once more, since the sequence as it was cannot be brought to it.",
							   (long long) last),
					 errhint("Commit the ALTER SEQUENCE first.")));
	}
}

/* Bring one of its files as far as a reservation, if it is behind. */
static void
gid_page_follow_file(Relation sequence, Form_pg_class form, bool up,
					 const GidReserved *reserved, XLogRecPtr *lsn)
{
	int64		last = reserved->last;
	bool		needs_wal;
	Buffer		buffer = gid_read_file(sequence, form->relfilenode, 0,
									   form->relpersistence == RELPERSISTENCE_PERMANENT,
									   &needs_wal);
	Form_pg_sequence_data data;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	gid_page_check(sequence, BufferGetPage(buffer));
	data = gid_page_data(BufferGetPage(buffer));
	if ((up ? last > data->last_value : last < data->last_value) ||
		(last == data->last_value && !data->is_called))
	{
		START_CRIT_SECTION();
		data->last_value = last;
		data->is_called = true;
		data->log_cnt = 0;
		MarkBufferDirty(buffer);
		/* whatever wal_level makes of the new file */
		if (needs_wal)
			*lsn = log_newpage_buffer(buffer, true);
		END_CRIT_SECTION();
	}
	UnlockReleaseBuffer(buffer);
}

/*
 * The files that a sequence had before in the running transaction, which a
 * rollback of the transaction or of a part of it brings back: rows of
 * pg_class. Reads the catalog only when the transaction has given the sequence
 * a new file.
 */
static List *
gid_page_earlier_rows(Relation sequence)
{
	List	   *rows = NIL;
	ListCell   *cell;

	if (!gid_relation_was_rewritten(sequence))
		return NIL;
	foreach(cell, gid_page_our_rows(sequence, RelationRelationId, ClassOidIndexId,
									Anum_pg_class_oid))
	{
		Form_pg_class form = (Form_pg_class) GETSTRUCT((HeapTuple) lfirst(cell));

		if (form->relfilenode != gid_relfilenumber(sequence))
			rows = lappend(rows, form);
	}
	return rows;
}

/* The numbers of these files. */
List *
gid_page_earlier_files(Relation sequence)
{
	List	   *files = NIL;
	ListCell   *cell;

	foreach(cell, gid_page_earlier_rows(sequence))
		files = lappend_oid(files, ((Form_pg_class) lfirst(cell))->relfilenode);
	return files;
}

/*
 * Bring these files as far as a reservation on the present one.  *lsn is moved
 * on.  Raises 55000 where that is not possible.  Waits for nothing but the
 * buffers.
 */
static void
gid_page_follow(Relation sequence, const GidSequence *seq,
				const GidReserved *reserved, XLogRecPtr *lsn)
{
	ListCell   *cell;

	gid_page_check_follow(sequence, seq, reserved->last);
	foreach(cell, gid_page_earlier_rows(sequence))
		gid_page_follow_file(sequence, lfirst(cell), seq->increment > 0, reserved, lsn);
}

/* ---- reserving ---- */

/*
 * Reserve values of an open sequence, in its direction, as gid_reserve() says.
 *
 * "seq" holds the parameters; its state is set to what was found on the page.
 * "mark" is that of the sequence, or NULL where no block of it is kept.
 * Returns false, having taken nothing, when there was nothing to take.  *lsn
 * is for gid_flush().  Waits for nothing but the buffer.  55000 when the
 * running transaction has altered the sequence such that the state before
 * cannot follow.
 */
bool
gid_page_reserve(Relation sequence, GidSequence *seq, const GidRequest *request,
				 GidPageMark *mark, GidReserved *reserved, XLogRecPtr *lsn)
{
	Buffer		buffer;
	GenericXLogState *xlog;
	Form_pg_sequence_data data;
	int64		ahead = 0;

	Assert(request->count >= 1);
	Assert(CheckRelationLockedByMe(sequence, RowExclusiveLock, true));

	buffer = ReadBuffer(sequence, 0);
	xlog = GenericXLogStart(sequence);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	gid_page_check(sequence, BufferGetPage(buffer));
	if (mark != NULL)
		gid_page_compare(sequence, buffer, mark);

	data = gid_page_data(BufferGetPage(buffer));
	seq->last_value = data->last_value;
	seq->is_called = data->is_called;

	if (!gid_reserve(seq, request, reserved))
	{
		UnlockReleaseBuffer(buffer);
		GenericXLogAbort(xlog);
		return false;
	}

	data = gid_page_data(GenericXLogRegisterBuffer(xlog, buffer,
												   GENERIC_XLOG_FULL_IMAGE));
	if (mark != NULL && pg_atomic_read_u32(&mark->nextval) != 0)
		ahead = gid_reserve_ahead(seq, reserved->last, &data->last_value);
	else
		data->last_value = reserved->last;
	data->is_called = true;
	data->log_cnt = 0;
	*lsn = GenericXLogFinish(xlog);
	if (ahead > 0)
	{
		/* as nextval() does: the record is ahead of the page */
		data = gid_page_data(BufferGetPage(buffer));
		data->last_value = reserved->last;
		data->log_cnt = ahead;
	}
	if (mark != NULL && RelationNeedsWAL(sequence))
		pg_atomic_write_u64(&mark->lsn, BufferGetLSNAtomic(buffer));
	UnlockReleaseBuffer(buffer);
	if (gid_relation_was_rewritten(sequence))
		gid_page_follow(sequence, seq, reserved, lsn);
	return true;
}
