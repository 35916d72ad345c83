/*-------------------------------------------------------------------------
 *
 * sequence/page.c
 *		Opening a sequence, its page, and reservations on the page.
 *
 * A reservation writes the sequence's page as nextval() does.  After a crash
 * recovery restores the page from the reservation's WAL record, and a value is
 * handed out only when that record has passed the gate (sequence/gate.c).
 * nextval() logs values ahead and does not flush, so a value that it gave in
 * an open transaction may come again after a crash.
 *
 * State: the page of the sequence, protected by its buffer's lock.  That lock,
 * which nextval() and setval() take, too, is all that orders reservations.
 * The record is made under it, and it is released before the flush.  The page
 * stands beyond every block of gid, so nextval() never gives one of its
 * values.  The page's LSN shows gid that others have written
 * (gid_page_revalidate()).
 *
 * An error or cancel before the record leaves the sequence as it was; after
 * it the values stay reserved.  No transaction id is needed, and a rollback
 * gives nothing back.  ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY give a
 * sequence a new file with blocks of its own; their rollback brings back the
 * old file as it was.  On a standby the record replays as any other; the
 * callers make sure that nothing is reserved there.
 *
 * References: the server's commands/sequence.c, which makes the page, draws
 * from it in nextval_internal(), and replays it in seq_redo().
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/generic_xlog.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "base/settings.h"
#include "clock/server_time.h"
#include "sequence/block_table.h"
#include "sequence/gate.h"
#include "sequence/page.h"

/* SEQ_MAGIC of commands/sequence.c, at the end of a sequence's page. */
#define GID_PAGE_MAGIC			0x1717

/* ---- opening ---- */

/*
 * Lock a relation as nextval() does, and open it.  NULL when there is no such
 * relation any more.  May wait for the lock, interruptibly.
 *
 * The lock belongs to the top transaction.  The rollback of a subtransaction
 * does not release it, because the values that were drawn stay drawn.  While
 * it is held no other session drops the sequence or alters its values.
 */
Relation
gid_page_lock(Oid sequence)
{
	ResourceOwner owner = CurrentResourceOwner;

	CurrentResourceOwner = TopTransactionResourceOwner;
	LockRelationOid(sequence, RowExclusiveLock);
	CurrentResourceOwner = owner;

	/* a lock that this transaction already had accepts no invalidations */
	AcceptInvalidationMessages();
	return try_relation_open(sequence, NoLock);
}

/*
 * Check a relation that the caller has opened; NULL: there is none.  Raises
 * 42P01 where there is none, 42809 where it is no sequence, with "use" as the
 * detail, and 42501 where "role" has none of the rights in "mode".  An invalid
 * role asks for no privilege.
 */
void
gid_page_check(Relation rel, Oid sequence, Oid role, AclMode mode, const char *use)
{
	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("sequence with OID %u does not exist", sequence),
				 errdetail("It was dropped, or there never was one."),
				 errhint("Name a sequence that exists.")));
	if (rel->rd_rel->relkind != RELKIND_SEQUENCE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a sequence", RelationGetRelationName(rel)),
				 errdetail("%s", use),
				 errhint("Name a sequence: for a column, the one that pg_get_serial_sequence() gives.")));
	if (OidIsValid(role) && pg_class_aclcheck(sequence, role, mode) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s", RelationGetRelationName(rel)),
				 errdetail("The current role is \"%s\".", GetUserNameFromId(role, false)),
				 errhint("Grant %s on the sequence to the role.",
						 mode == ACL_UPDATE ? "UPDATE" :
						 mode & ACL_SELECT ? "SELECT or USAGE" : "USAGE")));
}

/* Describe a sequence, but for its parameters and its page's state. */
void
gid_page_open(Relation rel, GidOpenSequence *open)
{
	memset(open, 0, sizeof(*open));
	open->rel = rel;
	open->key.database = MyDatabaseId;
	open->key.sequence = RelationGetRelid(rel);
	open->key.relfilenumber = gid_relfilenumber(rel);
	open->key.source = GID_SOURCE_PAGE;
}

/* Fill in the parameters of an open sequence. */
void
gid_page_describe(GidOpenSequence *open)
{
	HeapTuple	tuple = SearchSysCache1(SEQRELID, ObjectIdGetDatum(open->key.sequence));
	Form_pg_sequence form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for sequence %u", open->key.sequence);
	form = (Form_pg_sequence) GETSTRUCT(tuple);
	open->sequence.increment = form->seqincrement;
	open->sequence.min_value = form->seqmin;
	open->sequence.max_value = form->seqmax;
	open->sequence.cycle = form->seqcycle;
	open->sequence.cache = form->seqcache;
	ReleaseSysCache(tuple);
}

/* Which sequence readers follow, of one that is open and described. */
GidFollowedKey
gid_page_followed(const GidOpenSequence *open)
{
	GidFollowedKey key = {
		.database = open->key.database,
		.sequence = open->key.sequence,
		.file = open->key.relfilenumber,
		.owner = open->rel->rd_rel->relowner,
		.ascending = open->sequence.increment > 0,
	};

	return key;
}

/*
 * What decides the size of a block that is to last for "lasts_us".  A CACHE
 * above 1 is the size, whatever is drawn.  The sequence is described.
 */
GidBlockSize
gid_page_block_size(const GidOpenSequence *open, int64 lasts_us, bool is_needed)
{
	GidBlockSize size = {
		.now_us = gid_time_monotonic_us(),
		.is_needed = is_needed,
	};

	/*
	 * A page that writes no WAL shows no trace of a setval().  So it never
	 * stands beyond the value that was drawn last.
	 */
	if (!RelationNeedsWAL(open->rel))
		size.max = 1;
	else if (open->sequence.cache > 1)
		size.max = Min(open->sequence.cache, GID_BLOCK_MAX_SIZE);
	else
	{
		const GidSequence *seq = &open->sequence;
		bool		up = seq->increment > 0;
		uint64		steps = gid_reserve_steps(up ? seq->min_value : seq->max_value,
											  up ? seq->max_value : seq->min_value,
											  seq->increment);

		/* a few restarts after bursts must not use up a smallint */
		size.max = Min((uint64) gid_max_block_size,
					   Max(steps / GID_BLOCK_RANGE_SHARE, GID_RESERVE_MIN));
		size.lasts_us = lasts_us;
	}
	return size;
}

/* ---- the page ---- */

/*
 * Check that a page is a sequence's, and return its row's data.  The caller
 * has the page locked.  Raises XX001 when the page is damaged.
 */
static Form_pg_sequence_data
gid_page_read(Relation sequence, Page page)
{
	Size		size = offsetof(FormData_pg_sequence_data, is_called) + sizeof(bool);
	bool		is_sound = PageGetSpecialSize(page) == MAXALIGN(sizeof(uint32)) &&
	*(uint32 *) PageGetSpecialPointer(page) == GID_PAGE_MAGIC &&
	PageGetMaxOffsetNumber(page) >= FirstOffsetNumber;
	Form_pg_sequence_data data = NULL;

	if (is_sound)
	{
		ItemId		item = PageGetItemId(page, FirstOffsetNumber);

		is_sound = ItemIdIsNormal(item) && ItemIdGetOffset(item) >= SizeOfPageHeaderData &&
			ItemIdGetOffset(item) + ItemIdGetLength(item) <= ((PageHeader) page)->pd_special &&
			ItemIdGetLength(item) >= SizeofHeapTupleHeader;
		if (is_sound)
		{
			HeapTupleHeader row = (HeapTupleHeader) PageGetItem(page, item);

			is_sound = row->t_hoff + size <= ItemIdGetLength(item);
			data = (Form_pg_sequence_data) ((char *) row + row->t_hoff);
		}
	}
	if (!is_sound)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("page of sequence \"%s\" is damaged",
						RelationGetRelationName(sequence)),
				 errdetail("It does not hold what a sequence's page holds."),
				 errhint("Restore the sequence from a backup, or create it again beyond the values that were used.")));
	return data;
}

/*
 * The LSN of a locked page, by which gid sees the records of others.  Every
 * setval() writes a record; a nextval() does where log_cnt is 0, so the first
 * one after a reservation, and the first one after a checkpoint.  The page of
 * a relation that writes no WAL has no LSN of its own, and counts as invalid.
 * Its first LSN afterwards counts as that of the first byte of WAL, until
 * there is a record.
 */
static XLogRecPtr
gid_page_lsn(Relation rel, Buffer buffer)
{
	if (!RelationNeedsWAL(rel))
		return InvalidXLogRecPtr;
	return Max(BufferGetLSNAtomic(buffer), InvalidXLogRecPtr + 1);
}

/*
 * Lock the page of an open sequence, read the state of the sequence, and end
 * the blocks of its entry that a record of others has overtaken.  Returns the
 * page's LSN.
 */
static XLogRecPtr
gid_page_begin(GidOpenSequence *open, Buffer buffer, int mode)
{
	Form_pg_sequence_data data;
	XLogRecPtr	lsn;

	LockBuffer(buffer, mode);
	data = gid_page_read(open->rel, BufferGetPage(buffer));
	open->sequence.last_value = data->last_value;
	open->sequence.is_called = data->is_called;
	lsn = gid_page_lsn(open->rel, buffer);
	if (open->entry != NULL)
		gid_block_see_page(open->entry, open->tenancy, lsn);
	return lsn;
}

/*
 * Revalidate the blocks of an open sequence by its page.  open->sequence gets
 * the page's state, and the result is its LSN, or invalid if the relation
 * writes no WAL.  Where a setval() or nextval() has written a record, the
 * blocks of open->entry end.  Waits for the buffer's lock alone.  Raises XX001
 * when the page is damaged.
 */
XLogRecPtr
gid_page_revalidate(GidOpenSequence *open)
{
	Buffer		buffer = ReadBuffer(open->rel, 0);
	XLogRecPtr	lsn = gid_page_begin(open, buffer, BUFFER_LOCK_SHARE);

	UnlockReleaseBuffer(buffer);
	return lsn;
}

/*
 * Choose which values are reserved, on the page as it was "before".  The
 * caller has the page locked.
 */
static GidPageOutcome
gid_page_choose(GidOpenSequence *open, GidRequest *request, const GidBlockSize *size,
				XLogRecPtr before, GidReserved *reserved, GidPassedOver *passed)
{
	reserved->count = 0;
	if (size != NULL)
		request->count = gid_block_due(open->entry, open->tenancy, size);
	if (request->count == 0)
		return GID_PAGE_NOT_DUE;
	gid_gate_pass_over(before, &open->sequence, request, passed);
	if (gid_reserve(&open->sequence, request, reserved))
		return GID_PAGE_RESERVED;
	if (request->kind != GID_REQUEST_UP_TO || passed->count == 0)
		return GID_PAGE_EXHAUSTED;
	/* the values that are passed over go beyond the ceiling */
	reserved->last = open->sequence.last_value;
	return GID_PAGE_RESERVED;
}

/*
 * Write the last value that is reserved onto the locked page.  Returns the end
 * of the record.
 *
 * The record carries a full image of the page.  A delta would not do, because
 * nextval() leaves a page that is behind what it logged.  log_cnt is 0, so
 * that the next nextval() writes a record, which gid sees.
 */
static XLogRecPtr
gid_page_write(Relation rel, Buffer buffer, GenericXLogState *xlog, int64 last)
{
	Form_pg_sequence_data data =
	gid_page_read(rel, GenericXLogRegisterBuffer(xlog, buffer, GENERIC_XLOG_FULL_IMAGE));

	data->last_value = last;
	data->log_cnt = 0;
	data->is_called = true;
	return GenericXLogFinish(xlog);
}

/*
 * Note gid's own record on the locked page, in the entries that have seen the
 * page as it was "before".  Otherwise their blocks would end, as by a record
 * of others.
 */
static void
gid_page_note(const GidOpenSequence *open, XLogRecPtr before, Buffer buffer)
{
	XLogRecPtr	after = gid_page_lsn(open->rel, buffer);

	if (gid_source_is_launch(open->key.source))
		gid_block_table_wrote_page_of_launches(&open->key, before, after);
	else if (open->entry != NULL)
		gid_block_wrote_page(open->entry, open->tenancy, after);
}

/*
 * Reserve values of an open sequence.
 *
 * With "size" the reservation is the next block of open->entry.  Then
 * gid_block_due() finds request->count, and the block is written into the
 * entry.
 *
 * open->sequence gets the state of the page, moved beyond the values that a
 * new timeline passes over.  *lsn is the argument for the gate.  Where a new
 * timeline passes over all values up to a ceiling, these are what is reserved,
 * and reserved->count is 0.
 *
 * Waits for the buffer's lock alone.  Raises XX001 when the page is damaged.
 */
GidPageOutcome
gid_page_reserve(GidOpenSequence *open, GidRequest *request, const GidBlockSize *size,
				 GidReserved *reserved, XLogRecPtr *lsn)
{
	GidPassedOver passed = {0};
	GidPageOutcome outcome;
	GenericXLogState *xlog;
	Buffer		buffer;
	XLogRecPtr	before;

	Assert(CheckRelationLockedByMe(open->rel, RowExclusiveLock, true));

	gid_gate_prepare();
	if (gid_source_is_launch(open->key.source))
		gid_block_table_map_launches(&open->key);
	buffer = ReadBuffer(open->rel, 0);
	xlog = GenericXLogStart(open->rel);
	/* the LSN of gid's own record would hide that of a setval() */
	before = gid_page_begin(open, buffer, BUFFER_LOCK_EXCLUSIVE);
	outcome = gid_page_choose(open, request, size, before, reserved, &passed);
	if (outcome != GID_PAGE_RESERVED)
	{
		UnlockReleaseBuffer(buffer);
		GenericXLogAbort(xlog);
		return outcome;
	}
	*lsn = gid_page_write(open->rel, buffer, xlog, reserved->last);
	if (size != NULL)
	{
		GidNewBlock block = {
			.first = reserved->first,
			.increment = open->sequence.increment,
			.count = reserved->count,
			.lsn = *lsn,
			.is_ahead = !size->is_needed,
		};

		gid_block_set_next(open->entry, open->tenancy, &block);
	}
	gid_page_note(open, before, buffer);
	UnlockReleaseBuffer(buffer);
	gid_gate_log(RelationGetRelationName(open->rel), &passed);
	return outcome;
}
