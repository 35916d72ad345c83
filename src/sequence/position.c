/*-------------------------------------------------------------------------
 *
 * sequence/position.c
 *		Where a sequence stands, for its horizon.
 *
 * State: none; what a session remembers is in horizon/answer.c.
 *
 * A transaction that alters the sequence waits for the transactions that have
 * drawn, and its file has another number.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/gate.h"
#include "sequence/page.h"
#include "sequence/position.h"

/* Is the sequence an ascending one? */
static bool
gid_position_ascends(const GidOpenSequence *open)
{
	return open->sequence.increment > 0;
}

/* The value after another, or the same at the end of the 64 bits. */
static int64
gid_position_after(const GidOpenSequence *open, int64 value)
{
	if (gid_position_ascends(open))
		return value == PG_INT64_MAX ? value : value + 1;
	return value == PG_INT64_MIN ? value : value - 1;
}

/*
 * Read the position of an open sequence: no value from there on was drawn, but
 * by nextval() beside a block of gid.
 *
 * The page is read before the block in use, and both before the lockers.  So
 * no value before the position is drawn by a transaction that takes the lock
 * later.  Values in a block that nobody has drawn hold the position back:
 * transactions without a lock may draw them later.  A block is written into
 * the entry under the lock of the page (sequence/page.c), so that whoever
 * finds the page beyond a block finds the block, too.
 *
 * *lsn is the end of the page's record.
 */
static int64
gid_position_read(GidOpenSequence *open, XLogRecPtr *lsn)
{
	uint64		owner;
	GidEntry   *entry = gid_block_entry(&open->key, false, &owner);
	int64		position;
	GidBlockView view;

	*lsn = gid_page_look(open, entry, owner);
	position = open->sequence.last_value;
	if (open->sequence.is_called)
		position = gid_position_after(open, position);

	/* again: a block may have been reserved in a new entry before the look */
	entry = gid_block_entry(&open->key, false, &owner);
	if (entry != NULL && gid_block_view(entry, owner, &view) && (view.left > 0 || view.has_next))
	{
		int64		next = view.left > 0 ? view.next : view.next_first;

		if (gid_position_ascends(open) ? next < position : next > position)
			position = next;
	}
	return position;
}

/* Raise 0A000 for a sequence that has no horizon. */
static void
gid_position_check(const GidOpenSequence *open)
{
	const char *why = NULL;

	if (open->rel->rd_rel->relpersistence != RELPERSISTENCE_PERMANENT)
		why = "A temporary or unlogged sequence does not survive a crash, so its values come again.";
	else if (open->sequence.cache > 1)
		why = "With a CACHE above 1 a session draws values in one transaction and uses them in another.";
	else if (open->sequence.cycle)
		why = "With CYCLE the values begin again.";
	if (why != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("sequence \"%s\" has no horizon", RelationGetRelationName(open->rel)),
				 errdetail("%s", why),
				 errhint("Use a permanent sequence with CACHE 1 and NO CYCLE.")));
}

/*
 * Open a sequence to look at it.  The lock is that of nextval(): nobody gives
 * the sequence another file while its page is read.  A weaker lock first would
 * mean a deadlock with a transaction that alters the sequence and then drops
 * it.  The errors are in gid_position_horizon().
 */
static void
gid_position_open(Oid sequence, GidOpenSequence *open)
{
	Relation	rel = try_relation_open(sequence, RowExclusiveLock);

	(void) gid_slot_mine();
	gid_page_check_named(rel, sequence, "A horizon is that of a sequence.",
						 ACL_SELECT | ACL_USAGE,
						 "Grant SELECT or USAGE on the sequence to the role.");
	gid_page_open(rel, open);
	gid_page_describe(open);
	gid_position_check(open);
}

/*
 * Take a sample of an open sequence, in the caller's memory.  Closes the
 * sequence: the lock would make this transaction one of the lockers.
 */
static void
gid_position_sample(GidOpenSequence *open, GidSample *sample)
{
	int64		position;
	XLogRecPtr	lsn;
	LOCKTAG		tag;

	position = gid_position_read(open, &lsn);
	relation_close(open->rel, RowExclusiveLock);

	/*
	 * Otherwise a crash or a failover would set the page back, and values
	 * before the position would be drawn again.
	 */
	(void) gid_gate(lsn);
	SET_LOCKTAG_RELATION(tag, MyDatabaseId, open->key.sequence);
	gid_sample_read(&tag, position, sample);
}

/* Begin again, if a sample does not follow what the session knows. */
static void
gid_position_check_sample(GidAnswers *answers, const GidOpenSequence *open, const GidSample *sample)
{
	if (!gid_samples_fit(&answers->samples, open->key.relfilenumber,
						 gid_position_ascends(open), sample->position))
		gid_answer_forget(answers);
}

/*
 * Find the horizon of a sequence in the active snapshot: every row whose value
 * is before it, which the transaction that inserts the row has drawn itself,
 * is visible in the snapshot or never will be.  "Before" is less, or greater
 * where INCREMENT is negative.
 *
 * Raises 42P01 when there is no such sequence, 42809 when the relation is
 * none, 42501 without SELECT or USAGE, 0A000 for a sequence with CACHE or
 * CYCLE and for one that does not survive a crash, and 55000 during recovery.
 * May wait for a lock on the sequence, and at the gate.
 */
void
gid_position_horizon(Oid sequence, GidHorizon *horizon)
{
	GidAnswerKey key = {.sequence = sequence};
	GidOpenSequence open;
	GidEnded	ended;
	GidAnswers *answers;

	gid_position_open(sequence, &open);
	answers = gid_answer_begin(key, &ended, horizon);
	if (answers != NULL)
	{
		GidSample	sample;

		gid_position_sample(&open, &sample);
		gid_position_check_sample(answers, &open, &sample);
		gid_samples_advance(&answers->samples, open.key.relfilenumber, &sample, &ended);
		horizon->is_known = gid_samples_choose(&answers->samples, gid_position_ascends(&open),
											   &ended, &horizon->value);
		gid_answer_finish(answers, &ended, horizon);
	}
	else
		relation_close(open.rel, RowExclusiveLock);
}

/*
 * Wait until every transaction has ended that may have drawn from a sequence
 * so far, this one left out.  The next statement's horizon is then where the
 * sequence stands now, or further.  The wait takes at most "timeout_ms", 1 or
 * more.  The caller has no snapshot, and the wait keeps no lock.
 *
 * Errors are those of gid_sample_wait() and gid_position_horizon().
 */
void
gid_position_wait(Oid sequence, int timeout_ms)
{
	GidAnswerKey key = {.sequence = sequence};
	GidOpenSequence open;
	GidSample	sample;
	GidAnswers *answers;
	LOCKTAG		tag;

	gid_answer_prevent(NULL);
	SET_LOCKTAG_RELATION(tag, MyDatabaseId, sequence);
	if (gid_lock_is_mine(&tag, RowExclusiveLock))
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("gid_horizon_wait() must be a statement of its own"),
				 errdetail("The running transaction has drawn from the sequence, and holds its horizon back."),
				 errhint("Commit first, and then call gid_horizon_wait().")));
	gid_position_open(sequence, &open);

	/* the sample's snapshot would keep an xmin; with this one it goes */
	PushActiveSnapshot(GetTransactionSnapshot());
	gid_position_sample(&open, &sample);
	PopActiveSnapshot();
	InvalidateCatalogSnapshot();

	gid_sample_wait(&sample, timeout_ms);
	answers = gid_answer_lookup(key);
	if (answers == NULL)
		return;
	gid_position_check_sample(answers, &open, &sample);
	gid_samples_settle(&answers->samples, open.key.relfilenumber, &sample);
}
