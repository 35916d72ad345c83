/*-------------------------------------------------------------------------
 *
 * sequence/position.c
 *		The horizon of a sequence: its position, and the transactions that may
 *		have drawn before it.
 *
 * A transaction that draws from a sequence, by gid_next(), by nextval(), or
 * through a serial or identity column, holds RowExclusiveLock on it until its
 * end, also while it is prepared.  So nothing is added to the path of a draw.
 * A sample is the position of the sequence, and then the transactions that
 * have the lock.  A value before the position was drawn by one of them, or by
 * a transaction that had ended when they were read.
 *
 * A sample is settled in a snapshot when all these transactions have ended in
 * it.  Then its position is a horizon.  Between a snapshot and the sample
 * others commit, so under load a sample is settled one call later, for the
 * next snapshot.
 *
 * State: in this process, for each sequence, one sample that is not settled
 * and the last positions that are.
 *
 * Invariants:
 * 1. The page is read before the block in use, and both before the lockers.
 *	  So no value before the position is drawn by a transaction that takes the
 *	  lock later.
 * 2. A transaction leaves the process array before it releases its locks.  So
 *	  a locker that is missing has ended in every snapshot that is taken later.
 *	  "later" is judged by the contents of a snapshot that this file takes
 *	  after it has read the lockers.
 * 3. WAL is flushed up to the page's LSN before the position is used.
 *	  Otherwise a crash would set the page back, and values before the position
 *	  would be drawn again.
 * 4. Values in a block of gid that nobody has drawn hold the position back:
 *	  transactions without a lock may draw them later.  A block is written into
 *	  the entry under the lock of the page (sequence/page.c), so that whoever
 *	  finds the page beyond a block finds the block, too.
 * 5. A transaction that alters the sequence waits for the lockers, and its
 *	  file has another number.  Samples are of one file.
 *
 * Crash, restart, end of the session: samples are lost.  Prepared transactions
 * keep their locks over a restart and a promotion.  On a standby nothing can
 * be said.  A clock step has no effect.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/transam.h"
#include "access/xlog.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lock.h"
#include "storage/procarray.h"
#include "utils/acl.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/page.h"
#include "sequence/position.h"

/* How many settled positions are kept: each may be too late for a snapshot. */
#define GID_POSITIONS_KEPT		3

/* A transaction that holds the lock on a sequence. */
typedef struct GidLocker
{
	VirtualTransactionId vxid;
	uint64		xid;			/* 0: it had none, or is prepared */
} GidLocker;

/* A position, and which transactions may have drawn before it. */
typedef struct GidSample
{
	int64		position;		/* the next value that may be drawn */
	int			nlockers;
	GidLocker  *lockers;
	GidEnded	ended;			/* what had ended after they were read */
} GidSample;

/* A position whose transactions have ended. */
typedef struct GidSettled
{
	int64		position;
	GidEnded	ended;			/* in each snapshot that covers this */
} GidSettled;

/* What a session knows of the positions of a sequence. */
typedef struct GidPositions
{
	GidHorizonKey key;			/* of the hash table */
	GidSample	open;			/* not settled */
	bool		has_open;
	int64		last;			/* position of the last sample */
	int			nsettled;
	GidSettled	settled[GID_POSITIONS_KEPT];	/* the last one first */
} GidPositions;

static HTAB *gid_positions = NULL;

/* ---- samples ---- */

/* Is "a" before "b" in the direction of a sequence? */
static bool
gid_position_before(const GidSequence *seq, int64 a, int64 b)
{
	return seq->increment > 0 ? a < b : a > b;
}

/* The value after another, or the same at the end of the 64 bits. */
static int64
gid_position_after(const GidSequence *seq, int64 value)
{
	if (seq->increment > 0)
		return value == PG_INT64_MAX ? value : value + 1;
	return value == PG_INT64_MIN ? value : value - 1;
}

/*
 * Read the position of an open sequence: no value from there on was drawn, but
 * by nextval() beside a block of gid.  Flushes WAL.
 */
static int64
gid_position_read(GidOpenSequence *open)
{
	uint64		owner;
	GidEntry   *entry = gid_block_entry(&open->key, false, &owner);
	XLogRecPtr	lsn = gid_page_look(open, entry, owner);
	int64		position = open->sequence.last_value;
	GidBlockView view;

	if (open->sequence.is_called)
		position = gid_position_after(&open->sequence, position);
	if (entry != NULL && gid_block_view(entry, owner, &view) && (view.left > 0 || view.has_next))
	{
		int64		next = view.left > 0 ? view.next : view.next_first;

		if (gid_position_before(&open->sequence, next, position))
			position = next;
	}
	if (!XLogRecPtrIsInvalid(lsn))
		XLogFlush(lsn);
	return position;
}

/* Read the transactions that hold the lock, this one included. */
static void
gid_position_read_lockers(Oid sequence, GidSample *sample)
{
	LOCKTAG		tag;
	VirtualTransactionId *vxids;
	int			n;

	SET_LOCKTAG_RELATION(tag, MyDatabaseId, sequence);
	/* ShareLock conflicts with RowExclusiveLock */
	vxids = GetLockConflicts(&tag, ShareLock, &n);
	sample->lockers = palloc((n + 1) * sizeof(GidLocker));
	sample->nlockers = 0;
	for (int i = 0; i < n; i++)
		sample->lockers[sample->nlockers++].vxid = vxids[i];
	if (gid_lock_is_mine(&tag, RowExclusiveLock))
	{
		GidLocker  *mine = &sample->lockers[sample->nlockers++];

		GET_VXID_FROM_PGPROC(mine->vxid, *MyProc);	/* names it twice */
	}
	Assert(sample->nlockers <= n + 1);
}

/* Look up the transaction ids that the lockers have by now. */
static void
gid_position_read_xids(GidSample *sample)
{
	uint64		next;

	for (int i = 0; i < sample->nlockers; i++)
	{
		GidLocker  *locker = &sample->lockers[i];
		volatile PGPROC *proc = gid_vxid_proc(locker->vxid);

		locker->xid = proc == NULL ? 0 : proc->xid;
		pg_read_barrier();
		if (proc != NULL && gid_proc_lxid(proc) != locker->vxid.localTransactionId)
			locker->xid = 0;
	}
	/* after the ids, none of which is later */
	next = U64FromFullTransactionId(ReadNextFullTransactionId());
	for (int i = 0; i < sample->nlockers; i++)
	{
		if (sample->lockers[i].xid != 0)
			sample->lockers[i].xid = gid_ended_widen((uint32) sample->lockers[i].xid, next);
	}
}

/* Read which transactions have ended by now. */
static void
gid_position_read_ended(GidEnded *ended)
{
	static SnapshotData now =
	{
		SNAPSHOT_MVCC
	};

	gid_ended_read(GetSnapshotData(&now), ended);
}

/* Take a sample of an open sequence, but for "ended", in the caller's memory. */
static void
gid_position_sample(GidOpenSequence *open, GidSample *sample)
{
	sample->position = gid_position_read(open);
	gid_position_read_lockers(open->key.sequence, sample);
	gid_position_read_xids(sample);
}

/* Do two samples share a locker? */
static bool
gid_position_overlap(const GidSample *a, const GidSample *b)
{
	for (int i = 0; i < a->nlockers; i++)
	{
		for (int j = 0; j < b->nlockers; j++)
		{
			if (gid_vxid_equals(a->lockers[i].vxid, b->lockers[j].vxid))
				return true;
		}
	}
	return false;
}

/* Have all lockers of a sample ended in a snapshot, by their ids? */
static bool
gid_position_has_ended(const GidSample *sample, const GidEnded *ended)
{
	if (!gid_ended_covers(ended, &sample->ended))
		return false;
	for (int i = 0; i < sample->nlockers; i++)
	{
		if (sample->lockers[i].xid == 0 || !gid_ended_has(ended, sample->lockers[i].xid))
			return false;
	}
	return true;
}

/* ---- what this session knows ---- */

/* Forget the sample that is not settled. */
static void
gid_position_drop_open(GidPositions *known)
{
	if (!known->has_open)
		return;
	known->has_open = false;
	pfree(known->open.lockers);
	gid_ended_free(&known->open.ended);
}

/* Keep a copy of a sample as the one that is not settled. */
static void
gid_position_keep_open(GidPositions *known, const GidSample *sample)
{
	Size		size = Max(sample->nlockers, 1) * sizeof(GidLocker);
	GidSample	copy = *sample;

	copy.lockers = MemoryContextAlloc(TopMemoryContext, size);
	memcpy(copy.lockers, sample->lockers, sample->nlockers * sizeof(GidLocker));
	copy.ended = gid_ended_copy(&sample->ended);
	gid_position_drop_open(known);
	known->open = copy;
	known->has_open = true;
}

/* Keep a position that is settled in each snapshot that covers "ended". */
static void
gid_position_keep_settled(GidPositions *known, int64 position, const GidEnded *ended)
{
	GidEnded	copy = gid_ended_copy(ended);

	if (known->nsettled == GID_POSITIONS_KEPT)
		gid_ended_free(&known->settled[--known->nsettled].ended);
	memmove(&known->settled[1], &known->settled[0], known->nsettled * sizeof(GidSettled));
	known->settled[0].position = position;
	known->settled[0].ended = copy;
	known->nsettled++;
}

/* What this session knows of an open sequence. */
static GidPositions *
gid_position_known(const GidOpenSequence *open)
{
	GidHorizonKey key = {open->key.sequence, open->key.relfilenumber};
	GidPositions *known;
	bool		found;

	if (gid_positions == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(GidHorizonKey),.entrysize = sizeof(GidPositions)};

		gid_positions = hash_create("gid positions", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	known = hash_search(gid_positions, &key, HASH_ENTER, &found);
	if (!found)
		memset((char *) known + sizeof(key), 0, sizeof(*known) - sizeof(key));
	return known;
}

/*
 * Note the position of a new sample.  If a setval() has set the sequence back,
 * what the session knows is not true any more: begin again.
 */
static void
gid_position_note(const GidOpenSequence *open, GidPositions *known, int64 position)
{
	bool		set_back = (known->nsettled > 0 || known->has_open) &&
	gid_position_before(&open->sequence, position, known->last);

	known->last = position;
	if (!set_back)
		return;
	gid_position_drop_open(known);
	while (known->nsettled > 0)
		gid_ended_free(&known->settled[--known->nsettled].ended);
	gid_horizon_forget(known->key);
}

/*
 * Take a sample, and see which positions it settles.  The oldest sample that
 * is not settled is kept, because a later one has all of its lockers that are
 * still there.
 */
static void
gid_position_advance(GidOpenSequence *open, GidPositions *known, GidSample *sample)
{
	gid_position_sample(open, sample);
	gid_position_read_ended(&sample->ended);
	gid_position_note(open, known, sample->position);
	if (known->has_open && !gid_position_overlap(&known->open, sample))
	{
		gid_position_keep_settled(known, known->open.position, &sample->ended);
		gid_position_drop_open(known);
	}
	if (sample->nlockers == 0)
		gid_position_keep_settled(known, sample->position, &sample->ended);
}

/* ---- SQL's questions ---- */

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

/* Open a sequence to look at it.  The errors are in gid_position_horizon(). */
static void
gid_position_open(Oid sequence, GidOpenSequence *open)
{
	Relation	rel = try_relation_open(sequence, AccessShareLock);

	(void) gid_slot_mine();
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
				 errdetail("A horizon is that of a sequence."),
				 errhint("Name the sequence of the column, as pg_get_serial_sequence() gives it.")));
	if (pg_class_aclcheck(sequence, GetUserId(), ACL_SELECT | ACL_USAGE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s", RelationGetRelationName(rel)),
				 errdetail("The current role is \"%s\".", GetUserNameFromId(GetUserId(), false)),
				 errhint("Grant SELECT or USAGE on the sequence to the role.")));
	gid_page_open(rel, open);
	gid_page_describe(open);
	gid_position_check(open);
}

/* The settled position that is furthest in a snapshot, if there is one. */
static void
gid_position_choose(const GidOpenSequence *open, const GidPositions *known,
					const GidEnded *ended, GidHorizon *horizon)
{
	horizon->is_known = false;
	for (int i = 0; i < known->nsettled; i++)
	{
		const GidSettled *settled = &known->settled[i];

		if (!gid_ended_covers(ended, &settled->ended))
			continue;
		if (!horizon->is_known ||
			gid_position_before(&open->sequence, horizon->value, settled->position))
			horizon->value = settled->position;
		horizon->is_known = true;
	}
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
 * May wait for a lock on the sequence, and for the flush of WAL.
 */
void
gid_position_horizon(Oid sequence, GidHorizon *horizon)
{
	GidOpenSequence open;
	GidHorizonKey key;
	GidEnded	ended;

	gid_position_open(sequence, &open);
	key = (GidHorizonKey)
	{
		open.key.sequence, open.key.relfilenumber
	};
	if (!gid_horizon_begin(key, &ended, horizon))
	{
		GidPositions *known = gid_position_known(&open);
		GidSample	sample;

		gid_position_advance(&open, known, &sample);
		if (known->has_open && gid_position_has_ended(&known->open, &ended))
		{
			gid_position_keep_settled(known, known->open.position, &ended);
			gid_position_drop_open(known);
		}
		if (!known->has_open)
			gid_position_keep_open(known, &sample);
		gid_position_choose(&open, known, &ended, horizon);
		gid_horizon_finish(key, &ended, horizon);
	}
	relation_close(open.rel, AccessShareLock);
}

/* Has the time of gid_position_wait() passed? */
static volatile sig_atomic_t gid_position_is_late = false;

/* Handler of the timeout, in a signal handler: end the wait as a cancel does. */
static void
gid_position_at_timeout(void)
{
	gid_position_is_late = true;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

/*
 * Wait for the lockers of a sample, but not for this transaction.  57014 after
 * "timeout_ms".
 */
static void
gid_position_wait_for(const GidSample *sample, int timeout_ms)
{
	static TimeoutId timeout = MAX_TIMEOUTS;
	VirtualTransactionId mine;

	GET_VXID_FROM_PGPROC(mine, *MyProc);
	if (timeout == MAX_TIMEOUTS)
		timeout = RegisterTimeout(USER_TIMEOUT, gid_position_at_timeout);
	gid_position_is_late = false;
	enable_timeout_after(timeout, timeout_ms);
	PG_TRY();
	{
		for (int i = 0; i < sample->nlockers; i++)
		{
			if (!gid_vxid_equals(sample->lockers[i].vxid, mine))
				(void) VirtualXactLock(sample->lockers[i].vxid, true);
		}
		disable_timeout(timeout, false);
	}
	PG_CATCH();
	{
		disable_timeout(timeout, false);
		if (!gid_position_is_late || geterrcode() != ERRCODE_QUERY_CANCELED)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	if (!gid_position_is_late)
		return;
	QueryCancelPending = false;
	ereport(ERROR,
			(errcode(ERRCODE_QUERY_CANCELED),
			 errmsg("timed out while waiting for transactions that may have drawn from the sequence"),
			 errdetail("Transactions that had the sequence locked when the wait began: %d.",
					   sample->nlockers),
			 errhint("See gid.stat_horizon for what holds the horizon back.")));
}

/*
 * Wait until every transaction has ended that may have drawn from a sequence
 * so far, this one left out.  The next statement's horizon is then where the
 * sequence stands now, or further.  The wait takes at most "timeout_ms", 1 or
 * more.  The caller has no snapshot.
 *
 * Waits in the lock manager, interruptibly.  Raises 57014 when the time has
 * passed.  Other errors are those of gid_position_horizon().
 */
void
gid_position_wait(Oid sequence, int timeout_ms)
{
	GidOpenSequence open;
	GidPositions *known;
	GidSample	sample;

	gid_horizon_prevent(NULL);
	gid_position_open(sequence, &open);
	gid_position_sample(&open, &sample);
	relation_close(open.rel, AccessShareLock);
	InvalidateCatalogSnapshot();

	gid_position_wait_for(&sample, timeout_ms);
	gid_position_read_ended(&sample.ended);
	known = gid_position_known(&open);
	gid_position_note(&open, known, sample.position);
	gid_position_keep_settled(known, sample.position, &sample.ended);
}
