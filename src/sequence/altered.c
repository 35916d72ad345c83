/*-------------------------------------------------------------------------
 *
 * sequence/altered.c
 *		What the running transaction itself has changed of a sequence.
 *
 * ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY give a sequence a new file.
 * A rollback of the transaction, or of a subtransaction, brings the earlier
 * file back.  Values that were reserved on the new file must not come again
 * from the earlier one.
 *
 * State: none of its own.  The pages of the earlier files are protected by
 * their buffers' exclusive locks.
 *
 * Invariants:
 * 1. After a reservation on the new file, every earlier file of the
 *	  transaction stands at the last reserved value, or beyond it.
 * 2. Where an earlier file cannot stand there (another direction, a smaller
 *	  range) the reservation raises 55000.
 * 3. An earlier file that was last changed on an earlier timeline passes over
 *	  values first (sequence/timeline.c), because its new LSN would hide that.
 *	  Its parameters say how many.
 * 4. Two pages are never locked at a time.
 *
 * The caller has RowExclusiveLock on the sequence, and has changed it in this
 * transaction.  So no other session draws from it meanwhile.
 *
 * A crash replays the records of the earlier files like any other record.
 * Nothing of this happens on a standby.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "access/xloginsert.h"
#include "catalog/pg_class.h"
#include "catalog/pg_sequence.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/rel.h"

#include "base/compat.h"
#include "sequence/altered.h"
#include "sequence/page_form.h"
#include "sequence/timeline.h"

/* Has the running transaction made or replaced a row? */
static bool
gid_altered_is_our_row(HeapTupleHeader row)
{
	if (TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(row)))
		return true;
	if (row->t_infomask & HEAP_XMAX_INVALID ||
		HEAP_XMAX_IS_LOCKED_ONLY(row->t_infomask))
		return false;
	return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetUpdateXid(row));
}

/*
 * Copies of the rows that a catalog has of a sequence, and of those that it
 * had before the running transaction or its subtransactions changed them.
 */
static List *
gid_altered_rows(Relation sequence, Oid catalog, Oid index, AttrNumber column)
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
		if (gid_altered_is_our_row(tuple->t_data))
			rows = lappend(rows, heap_copytuple(tuple));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return rows;
}

/*
 * The rows of pg_class of the files that a sequence had earlier in the running
 * transaction.  Reads the catalog only when the transaction has given the
 * sequence a new file.
 */
static List *
gid_altered_earlier_rows(Relation sequence)
{
	List	   *rows = NIL;
	ListCell   *cell;

	if (!gid_relation_was_rewritten(sequence))
		return NIL;
	foreach(cell, gid_altered_rows(sequence, RelationRelationId, ClassOidIndexId,
								   Anum_pg_class_oid))
	{
		Form_pg_class form = (Form_pg_class) GETSTRUCT((HeapTuple) lfirst(cell));

		if (form->relfilenode != gid_relfilenumber(sequence))
			rows = lappend(rows, form);
	}
	return rows;
}

/*
 * The numbers of the files that a rollback of the transaction, or of a part of
 * it, would bring back: a list of Oid.
 */
List *
gid_altered_files(Relation sequence)
{
	List	   *files = NIL;
	ListCell   *cell;

	foreach(cell, gid_altered_earlier_rows(sequence))
		files = lappend_oid(files, ((Form_pg_class) lfirst(cell))->relfilenode);
	return files;
}

/*
 * Raise 55000 if the sequence had another direction earlier in the
 * transaction, or a range that "last" is not in.
 */
static void
gid_altered_check(const GidOpenSequence *open, int64 last)
{
	ListCell   *cell;

	foreach(cell, gid_altered_rows(open->rel, SequenceRelationId,
								   SequenceRelidIndexId, Anum_pg_sequence_seqrelid))
	{
		Form_pg_sequence form = (Form_pg_sequence) GETSTRUCT((HeapTuple) lfirst(cell));

		if ((form->seqincrement > 0) != (open->sequence.increment > 0) ||
			last < form->seqmin || last > form->seqmax)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("sequence \"%s\" was altered in this transaction",
							RelationGetRelationName(open->rel)),
					 errdetail("After a rollback value %lld would be drawn again, because the sequence as it was before cannot be advanced to it.",
							   (long long) last),
					 errhint("Commit the ALTER SEQUENCE first.")));
	}
}

/*
 * Get the parameters that the sequence had before the running transaction
 * altered it.  They are those of the only earlier file that an earlier
 * timeline can have changed last.
 */
static void
gid_altered_original(const GidOpenSequence *open, GidSequence *seq)
{
	ListCell   *cell;

	*seq = open->sequence;
	foreach(cell, gid_altered_rows(open->rel, SequenceRelationId,
								   SequenceRelidIndexId, Anum_pg_sequence_seqrelid))
	{
		HeapTuple	tuple = lfirst(cell);

		if (!TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)))
			gid_open_parameters((Form_pg_sequence) GETSTRUCT(tuple), seq);
	}
}

/*
 * Where does an earlier file have to stand after a reservation whose last
 * value is "last"?  *seq is its state, from its page with this LSN, and is
 * moved on.  "original" has the parameters of the sequence before the
 * transaction.  Returns false when it stands there already.
 */
static bool
gid_altered_advance(const GidSequence *original, XLogRecPtr page_lsn, int64 last,
					GidSequence *seq)
{
	static const GidRequest request = {.kind = GID_REQUEST_SOME,.count = 1};
	GidSequence earlier = *original;
	GidPassedOver passed;
	bool		up = original->increment > 0;

	if (up ? last < seq->last_value : last > seq->last_value)
		return false;
	if (last == seq->last_value && seq->is_called)
		return false;
	earlier.last_value = seq->last_value;
	earlier.is_called = seq->is_called;
	earlier.block = seq->block;
	gid_timeline_skip(page_lsn, &earlier, &request, &passed);
	seq->last_value = earlier.last_value;
	if (up ? last > seq->last_value : last < seq->last_value)
		seq->last_value = last;
	seq->is_called = true;
	return true;
}

/* Bring an earlier file to a reservation's last value, if it is behind. */
static void
gid_altered_follow_file(const GidOpenSequence *open, const GidSequence *original,
						Form_pg_class form, int64 last, XLogRecPtr *lsn)
{
	bool		needs_wal;
	Buffer		buffer = gid_read_file(open->rel, form->relfilenode, 0,
									   form->relpersistence == RELPERSISTENCE_PERMANENT,
									   &needs_wal);
	Form_pg_sequence_data data;
	GidSequence state;

	LockBuffer(buffer, BUFFER_LOCK_EXCLUSIVE);
	gid_page_check(open->rel, BufferGetPage(buffer));
	data = gid_page_data(BufferGetPage(buffer));
	state.last_value = data->last_value;
	state.is_called = data->is_called;
	state.block = gid_page_block(BufferGetPage(buffer));
	if (gid_altered_advance(original, needs_wal ?
							PageGetLSN(BufferGetPage(buffer)) : GID_TIMELINE_NO_LSN,
							last, &state))
	{
		START_CRIT_SECTION();
		data->last_value = state.last_value;
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
 * locks alone.  Raises 55000 where an earlier file cannot follow.
 */
void
gid_altered_follow(const GidOpenSequence *open, const GidReserved *reserved,
				   XLogRecPtr *lsn)
{
	ListCell   *cell;
	GidSequence original;

	if (!gid_relation_was_rewritten(open->rel))
		return;
	gid_altered_check(open, reserved->last);
	gid_altered_original(open, &original);
	foreach(cell, gid_altered_earlier_rows(open->rel))
		gid_altered_follow_file(open, &original, lfirst(cell), reserved->last, lsn);
}
