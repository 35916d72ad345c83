/*-------------------------------------------------------------------------
 *
 * gid_page.c
 *		Durable reservation on a sequence's page.
 *
 * Values are reserved by writing the sequence's page as nextval() does, but
 * with exactly the state that is to be found after a crash; and they are handed
 * out when the WAL record is on disk.  nextval() logs values ahead and does not
 * flush; so a value that it gave in an open transaction comes again after a
 * crash.
 *
 * State: the page of the sequence, protected by its buffer's exclusive lock.
 *
 * Invariants:
 * 1. Reading the page, choosing the values and writing the page are one step
 *	  under the exclusive lock, which nextval() and setval() take too: so no
 *	  two calls of any of them take the same value.
 * 2. The record carries a full image of the page.  A delta would not do:
 *	  nextval() leaves a page that is behind what it logged.
 * 3. log_cnt is 0 afterwards, so that the next nextval() logs again.
 * 4. No caller hands out a value before gid_page_flush() of its record.
 * 5. The caller holds RowExclusiveLock on the sequence until the end of the
 *	  transaction; DROP and ALTER SEQUENCE wait for it.
 *
 * The buffer lock is held across the making of the WAL record, as everywhere
 * in PostgreSQL, and not across the flush.  An error or cancel before the
 * record leaves the sequence as it was; after it, the values are lost, none
 * is given twice.  No transaction id is needed, and a rollback gives nothing
 * back.  On a standby the record replays as any other; the callers see to it
 * that nothing is reserved there.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "gid_compat.h"
#include "gid_page.h"

/*
 * Open a sequence, with the lock that nextval() takes, held until the end of
 * the top transaction even if a subtransaction in between is rolled back: no
 * other session changes the sequence's parameters or file that long.  May wait
 * for the lock.
 * NULL if there is no such relation any more.  Raises 42809 when it is not a
 * sequence, 0A000 when it is temporary or unlogged.
 */
Relation
gid_page_open_sequence(Oid sequence)
{
	ResourceOwner owner = CurrentResourceOwner;
	Relation	rel;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(sequence, RowExclusiveLock);
	CurrentResourceOwner = owner;

	rel = try_relation_open(sequence, NoLock);
	if (rel == NULL)
		return NULL;
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence",
						RelationGetRelationName(rel)),
				 errdetail("Durable ids are drawn from a sequence."),
				 errhint("Name a sequence, or create one with CREATE SEQUENCE.")));
	if (rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot draw ids from sequence \"%s\"",
						RelationGetRelationName(rel)),
				 errdetail("A temporary or unlogged sequence does not survive a crash, so its values would come twice."),
				 errhint("Use ALTER SEQUENCE ... SET LOGGED, or a permanent sequence.")));
	return rel;
}

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

/* Raise XX001 unless a page is that of a sequence. */
static void
gid_page_check(Relation sequence, Page page)
{
	if (PageGetSpecialSize(page) == MAXALIGN(sizeof(uint32)) &&
		*(uint32 *) PageGetSpecialPointer(page) == GID_PAGE_MAGIC &&
		PageGetMaxOffsetNumber(page) >= FirstOffsetNumber &&
		ItemIdIsNormal(PageGetItemId(page, FirstOffsetNumber)))
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

/* last_value of an open sequence.  Waits for nothing but the buffer. */
int64
gid_page_last_value(Relation sequence)
{
	Buffer		buffer = ReadBuffer(sequence, 0);
	int64		last_value;

	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	gid_page_check(sequence, BufferGetPage(buffer));
	last_value = gid_page_data(BufferGetPage(buffer))->last_value;
	UnlockReleaseBuffer(buffer);
	return last_value;
}

/*
 * Reserve values of an open sequence, in its direction, as gid_reserve() says.
 *
 * "seq" holds the parameters; its state is set to what was found on the page.
 * Returns false, having taken nothing, when there was nothing to take.  *lsn is
 * for gid_page_flush().  Waits for nothing but the buffer.
 */
bool
gid_page_reserve(Relation sequence, GidSequence *seq, const GidRequest *request,
				 GidReserved *reserved, XLogRecPtr *lsn)
{
	Buffer		buffer;
	GenericXLogState *xlog;
	Form_pg_sequence_data data;

	Assert(request->count >= 1);
	Assert(CheckRelationLockedByMe(sequence, RowExclusiveLock, true));

	buffer = ReadBuffer(sequence, 0);
	xlog = GenericXLogStart(sequence);
	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	gid_page_check(sequence, BufferGetPage(buffer));

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
	data->last_value = reserved->last;
	data->is_called = true;
	data->log_cnt = 0;
	*lsn = GenericXLogFinish(xlog);
	UnlockReleaseBuffer(buffer);
	return true;
}

/*
 * Have a reservation on disk.  There is no record where wal_level is minimal
 * and the transaction made the sequence: its commit is what puts it there.
 */
void
gid_page_flush(XLogRecPtr lsn)
{
	if (!XLogRecPtrIsInvalid(lsn))
		XLogFlush(lsn);
}
