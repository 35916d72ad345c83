/*-------------------------------------------------------------------------
 *
 * sequence/page_form.c
 *		What a sequence's page holds.
 *
 * State: the page of the sequence, protected by its buffer's lock.
 *
 * Invariants:
 * 1. The data of a page is used only after gid_page_check() has passed, under
 *	  the same hold of the buffer's lock.
 *
 * Crash, standby: see sequence/page.c.
 *
 * References: sequence_magic and fill_seq_with_data() in the server's
 * commands/sequence.c.
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

/* The data on a page that gid_page_check() has passed. */
Form_pg_sequence_data
gid_page_data(Page page)
{
	ItemId		item = PageGetItemId(page, FirstOffsetNumber);
	HeapTupleHeader tuple = (HeapTupleHeader) PageGetItem(page, item);

	return (Form_pg_sequence_data) ((char *) tuple + tuple->t_hoff);
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
