/*-------------------------------------------------------------------------
 *
 * sequence/position.c
 *		Where a sequence stands: moving it forward, and its horizon.
 *
 * To advance a sequence is to reserve all values up to the wanted one, and to
 * throw them away.  So it is one step under the lock of the page's buffer,
 * forward only, and a new timeline passes over values as in every reservation.
 * Temporary and unlogged sequences are advanced, too: nextval() draws from
 * them.
 *
 * State: none.  What is known of horizons is in horizon/followed_table.c, and
 * what a session was told in horizon/session_horizon.c.  A crash leaves an
 * advanced sequence where the record has put it, which has passed the gate
 * before the call returns.
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
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "clock/server_time.h"
#include "horizon/lockers.h"
#include "sequence/block_table.h"
#include "sequence/gate.h"
#include "sequence/page.h"
#include "sequence/position.h"

/* ---- where it stands ---- */

/*
 * Find the values that are left in the blocks of gid: in the block in use, and
 * in the next one.  The entry is looked up again after the page was read: a
 * block may have been reserved in a new entry before that.
 */
static void
gid_position_rests(GidOpenSequence *open, GidRest *rests)
{
	uint64		increment = (uint64) open->sequence.increment;
	GidBlockView view;

	rests[0].is_there = rests[1].is_there = false;
	open->entry = gid_block_table_find(&open->key, &open->tenancy);
	if (open->entry == NULL || !gid_block_view(open->entry, open->tenancy, &view))
		return;
	rests[0].is_there = view.left > 0;
	rests[0].first = view.first_left;
	rests[0].last = (int64) ((uint64) view.first_left + (uint64) (view.left - 1) * increment);
	rests[1].is_there = view.has_next;
	rests[1].first = view.next_first.value;
	rests[1].last = (int64) ((uint64) view.next_first.value + (uint64) (view.next_size - 1) * increment);
}

/*
 * Find the next value of the blocks of gid, and their last one.  Returns false
 * when nothing is left of them; then the page says what comes next, and *next
 * and *last say nothing.
 */
static bool
gid_position_block(GidOpenSequence *open, int64 *next, int64 *last)
{
	GidRest		rests[2];

	gid_position_rests(open, rests);
	*next = rests[0].is_there ? rests[0].first : rests[1].first;
	*last = rests[1].is_there ? rests[1].last : rests[0].last;
	return rests[0].is_there || rests[1].is_there;
}

/*
 * Observe where an open sequence stands.  The caller's lock keeps others from
 * giving it another file.  It is not another session's temporary sequence.
 * The first call attaches.  Waits for the buffer's lock of the page alone.
 * Raises XX001 when the page is damaged.
 */
void
gid_position_observe(Relation rel, GidStand *stand)
{
	static const GidRequest request = {.kind = GID_REQUEST_SOME,.count = 1};
	GidOpenSequence open;
	GidSequence *seq = &stand->sequence;
	GidReserved reserved = {0};
	const GidRest *rest;

	(void) gid_slot_mine();
	gid_page_open(rel, &open);
	gid_page_describe(&open);
	open.entry = gid_block_table_find(&open.key, &open.tenancy);
	(void) gid_page_revalidate(&open);
	*seq = open.sequence;
	stand->last = seq->last_value;
	stand->has_last = seq->is_called;
	stand->has_free = gid_reserve(seq, &request, &reserved);
	stand->free = reserved.first;
	stand->has_next = stand->has_free;
	stand->next = stand->free;
	gid_position_rests(&open, stand->rests);
	rest = stand->rests[0].is_there ? &stand->rests[0] : &stand->rests[1];
	if (rest->is_there)
	{
		stand->next = rest->first;
		stand->has_next = true;
		stand->last = (int64) ((uint64) stand->next - (uint64) seq->increment);
		stand->has_last = gid_reserve_steps(seq->increment > 0 ? seq->min_value : seq->max_value,
											stand->next, seq->increment) > 0;
	}
}

/* ---- moving it forward ---- */

/* Raise 22003 if a sequence cannot be advanced to a value. */
static void
gid_position_check_advance(const GidOpenSequence *open, int64 value)
{
	const GidSequence *seq = &open->sequence;
	int64		end = seq->increment > 0 ? seq->max_value : seq->min_value;

	if (seq->cycle)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("cannot advance sequence \"%s\"", RelationGetRelationName(open->rel)),
				 errdetail("With CYCLE the values begin again, so none is beyond all others."),
				 errhint("Use ALTER SEQUENCE ... NO CYCLE.")));
	if (gid_reserve_is_after(seq, value, end))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("value %lld is beyond the range of sequence \"%s\"",
						(long long) value, RelationGetRelationName(open->rel)),
				 errdetail("The range ends at %lld.", (long long) end),
				 errhint("Give the sequence a wider range with ALTER SEQUENCE.")));
}

/*
 * Advance a sequence, so that the next value is the first of its own
 * progression beyond "value", or a later one if the sequence has come further.
 * *stand is where it stands then.
 *
 * A block of gid ends unless all its values are beyond "value".  So the next
 * draw of every session is beyond, also within a running statement.  What
 * sessions keep by the sequence's own CACHE is out of reach.
 *
 * May wait for the lock on the sequence, and at the gate.  Raises what
 * gid_page_check() raises, 42501 without UPDATE, and 22003 with CYCLE and
 * beyond the range.  Other errors are those of gid_page_reserve(), and
 * PostgreSQL's 0A000 for another session's temporary sequence.  The caller has
 * seen to gid_page_prevent().
 */
void
gid_position_advance(Oid sequence, int64 value, GidStand *stand)
{
	GidRequest	request = {.kind = GID_REQUEST_UP_TO,.count = PG_INT64_MAX,.ceiling = value};
	GidReserved reserved = {0};
	Relation	rel = gid_page_lock(sequence);
	GidOpenSequence open;
	XLogRecPtr	lsn = InvalidXLogRecPtr;
	bool		moved = false;
	int64		next;
	int64		last;

	(void) gid_slot_mine();
	gid_page_check(rel, sequence, GetUserId(), ACL_UPDATE, "Only a sequence can be advanced.");
	gid_page_open(rel, &open);
	gid_page_describe(&open);
	gid_position_check_advance(&open, value);
	open.entry = gid_block_table_find(&open.key, &open.tenancy);

	/* more than 2^63 - 1 values are reserved in several steps */
	do
	{
		if (gid_page_reserve(&open, &request, NULL, &reserved, &lsn) != GID_PAGE_RESERVED)
			break;
		moved = true;
	} while (reserved.count == request.count);

	/* after the page: a block that is reserved from now on lies beyond */
	if (gid_position_block(&open, &next, &last) &&
		(moved || !gid_reserve_is_after(&open.sequence, next, value)))
		gid_block_end(open.entry, open.tenancy);
	/* the page's last record may be that of a call which was cancelled here */
	(void) gid_gate(gid_page_revalidate(&open));
	gid_position_observe(open.rel, stand);
	relation_close(open.rel, NoLock);
}

/* ---- its horizon ---- */

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
 * A block from which nobody draws would hold back for ever what a batch or
 * nextval() has drawn beyond it.  So it ends here.
 *
 * *lsn is the end of the page's record.
 */
static int64
gid_position_read(GidOpenSequence *open, XLogRecPtr *lsn)
{
	GidSequence *seq = &open->sequence;
	bool		up = seq->increment > 0;
	int64		position;
	int64		next;
	int64		last;

	for (;;)
	{
		open->entry = gid_block_table_find(&open->key, &open->tenancy);
		*lsn = gid_page_revalidate(open);
		position = seq->last_value;
		if (seq->is_called && position != (up ? PG_INT64_MAX : PG_INT64_MIN))
			position += up ? 1 : -1;
		if (!gid_position_block(open, &next, &last) || !gid_reserve_is_after(seq, position, next))
			return position;
		if (!gid_reserve_is_after(seq, seq->last_value, last) || !gid_block_is_idle(open->entry))
			return next;
		gid_block_end(open->entry, open->tenancy);
	}
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
 * Open a sequence to read its page.  The lock is that of nextval(): nobody
 * gives the sequence another file while its page is read.  A weaker lock first
 * would mean a deadlock with a transaction that alters the sequence and then
 * drops it.  The errors are in gid_position_horizon().
 */
static void
gid_position_open(Oid sequence, GidOpenSequence *open)
{
	Relation	rel = try_relation_open(sequence, RowExclusiveLock);

	(void) gid_slot_mine();
	gid_page_check(rel, sequence, GetUserId(), ACL_SELECT | ACL_USAGE,
				   "A horizon is that of a sequence.");
	gid_page_open(rel, open);
	gid_page_describe(open);
	gid_position_check(open);
}

/*
 * Take a sample of an open sequence, in the caller's memory, and return the
 * version at which it was begun.  Closes the sequence: the lock would make
 * this transaction one of the lockers.
 */
static uint64
gid_position_sample(GidOpenSequence *open, GidFollowedKey *key, GidSample *sample)
{
	uint64		version;
	XLogRecPtr	lsn;
	LOCKTAG		tag;

	*key = gid_page_followed(open);
	version = gid_followed_table_version(key);
	sample->position = gid_followed_rank(key->ascending, gid_position_read(open, &lsn));
	relation_close(open->rel, RowExclusiveLock);

	/*
	 * Otherwise a crash or a failover would set the page back, and values
	 * before the position would be drawn again.
	 */
	(void) gid_gate(lsn);
	SET_LOCKTAG_RELATION(tag, MyDatabaseId, key->sequence);
	gid_lockers_read(&tag, sample);
	return version;
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
	GidHorizonKey key = {.sequence = sequence};
	GidOpenSequence open;
	GidEnded	ended;
	GidSessionHorizons *given;

	gid_position_open(sequence, &open);
	given = gid_session_horizon_begin(key, &ended, horizon);
	if (given != NULL)
	{
		GidFollowedKey followed;
		GidSample	sample;
		GidFound	found;
		uint64		version = gid_position_sample(&open, &followed, &sample);

		gid_followed_table_merge(&followed, version, &sample, &ended, gid_time_monotonic_us(), &found);
		horizon->is_known = found.is_known;
		horizon->value = found.horizon;
		gid_session_horizon_finish(given, &ended, found.life, horizon);
	}
	else
		relation_close(open.rel, RowExclusiveLock);
}

/*
 * Merge a sample of a sequence, which is in the caller's memory.  The caller
 * has no snapshot, and the sample keeps none.
 */
static void
gid_position_merge(Oid sequence, GidSample *sample)
{
	GidOpenSequence open;
	GidFollowedKey followed;
	GidFound	found;
	uint64		version;

	do
	{
		CHECK_FOR_INTERRUPTS();
		gid_position_open(sequence, &open);
		/* the sample's snapshot would keep an xmin; with this one it goes */
		PushActiveSnapshot(GetTransactionSnapshot());
		version = gid_position_sample(&open, &followed, sample);
		PopActiveSnapshot();
		InvalidateCatalogSnapshot();
		gid_followed_table_merge(&followed, version, sample, NULL, gid_time_monotonic_us(), &found);
	} while (!found.is_merged);
}

/* The timeout of gid_position_wait() has passed. */
static volatile sig_atomic_t gid_position_is_late = false;

/* Timeout handler: end the wait as a cancel does. */
static void
gid_position_at_timeout(void)
{
	gid_position_is_late = true;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

/* The second sample says that the lockers of the first have ended. */
static void
gid_position_wait_for_lockers(Oid sequence)
{
	GidSample	sample;

	gid_position_merge(sequence, &sample);
	gid_lockers_wait(&sample);
	gid_position_merge(sequence, &sample);
}

/*
 * Wait until every transaction has ended that may have drawn from a sequence
 * so far, this one left out.  The horizon of the next statement of any session
 * is then where the sequence stands now, or further.  The caller has no
 * snapshot, and the wait for the transactions keeps no lock.
 *
 * Raises 57014 after "timeout_ms", 1 or more, also while it waits for a lock
 * on the sequence or at the gate.  Other errors are those of
 * gid_position_horizon().
 */
void
gid_position_wait(Oid sequence, int timeout_ms)
{
	static TimeoutId timeout = MAX_TIMEOUTS;
	LOCKTAG		tag;

	gid_session_horizon_check_recovery(NULL);
	SET_LOCKTAG_RELATION(tag, MyDatabaseId, sequence);
	if (gid_lock_is_mine(&tag, RowExclusiveLock))
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("gid_horizon_wait() must be a statement of its own"),
				 errdetail("The running transaction has drawn from the sequence, and holds its horizon back."),
				 errhint("Commit first, and then call gid_horizon_wait().")));

	if (timeout == MAX_TIMEOUTS)
		timeout = RegisterTimeout(USER_TIMEOUT, gid_position_at_timeout);
	gid_position_is_late = false;
	enable_timeout_after(timeout, timeout_ms);
	PG_TRY();
	{
		gid_position_wait_for_lockers(sequence);
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
			 errdetail("They had not ended after %d ms.", timeout_ms),
			 errhint("See gid.stat_horizon for what holds the horizon back, and pg_locks for who alters the sequence.")));
}
