/*-------------------------------------------------------------------------
 *
 * sequence/page_form.c
 *		What a sequence's page holds.
 *
 * A page has one row: last_value, log_cnt and is_called, as nextval() keeps
 * them.  gid keeps one number more, the size of a block, for the skip on a new
 * timeline.  The number stands in the row's header, as the command id.
 * The server writes 0 there when it makes the file, and never reads it, because
 * the row is frozen.  The records of nextval() and setval() carry the whole
 * row, so the number stays on the page, here and on standbys.  A new file of
 * the sequence begins with 0.
 *
 * State: the page of the sequence, protected by its buffer's lock.
 *
 * Invariants:
 * 1. The data of a page is used only after gid_page_check() has passed, under
 *	  the same hold of the buffer's lock.
 *
 * Crash, standby: see sequence/page.c.
 *
 * References: the server's commands/sequence.c, which makes the page, draws
 * from it in nextval_internal(), and replays it in seq_redo().
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "storage/bufmgr.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "sequence/page_form.h"

/* SEQ_MAGIC of commands/sequence.c, at the end of a sequence's page. */
#define GID_PAGE_MAGIC			0x1717

/* Does a page have the tuple that a sequence's page has, within its bounds? */
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

/* Raise XX001 unless a page is a sequence's.  The caller has it locked. */
void
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
			 errhint("Restore the sequence from a backup, or create it again beyond the values that were used.")));
}

/* The row of a page that gid_page_check() has passed. */
static HeapTupleHeader
gid_page_row(Page page)
{
	return (HeapTupleHeader) PageGetItem(page, PageGetItemId(page, FirstOffsetNumber));
}

/* The data on a page that gid_page_check() has passed. */
Form_pg_sequence_data
gid_page_data(Page page)
{
	HeapTupleHeader row = gid_page_row(page);

	return (Form_pg_sequence_data) ((char *) row + row->t_hoff);
}

/*
 * The size of a block that a page tells, which gid_page_check() has passed.
 * 0: gid has reserved nothing in this file.
 */
int64
gid_page_block(Page page)
{
	return (int64) HeapTupleHeaderGetRawCommandId(gid_page_row(page));
}

/*
 * Write the size (1 or more).  A greater size than an int32 says no more than
 * the greatest int32: no block is as large.
 */
void
gid_page_set_block(Page page, int64 size)
{
	HeapTupleHeaderSetCmin(gid_page_row(page), (CommandId) Min(size, PG_INT32_MAX));
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
	Page		page = BufferGetPage(buffer);
	int64		last_value;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	gid_page_check(sequence, page);
	last_value = gid_page_data(page)->last_value;
	*is_called = gid_page_data(page)->is_called;
	*lsn = PageGetLSN(page);
	UnlockReleaseBuffer(buffer);
	return last_value;
}
