/*-------------------------------------------------------------------------
 *
 * horizon/lockers.c
 *		The transactions that may have drawn from a sequence.
 *
 * A transaction that draws from a sequence, by gid_next(), by nextval(), or
 * through a serial or identity column, holds RowExclusiveLock on it until its
 * end, also while it is prepared.  So a draw has nothing to note here.  A
 * sample is the position of the sequence, which the caller has read, and then
 * the transactions that hold the lock: its lockers.  A value before the
 * position was drawn by a locker, or by a transaction that had ended when the
 * lockers were read.
 *
 * A sample is settled in a snapshot when all its lockers have ended in it.
 * Then its position is a horizon.  Under load other transactions commit
 * between a snapshot and the sample.  A sample is then settled one call later,
 * for the next snapshot.
 *
 * State: what the caller keeps of a sequence: one sample that is not settled,
 * and the last positions that are.
 *
 * Crash, restart, end of the session: samples are lost.  Prepared transactions
 * keep their locks over a restart and a promotion.  A clock step has no
 * effect.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"

#include "base/compat.h"
#include "horizon/lockers.h"

/* ---- samples ---- */

/* Read the transactions that hold the lock, this one included. */
static void
gid_sample_read_lockers(const LOCKTAG *tag, GidSample *sample)
{
	int			n;

	/* ShareLock conflicts with RowExclusiveLock */
	VirtualTransactionId *vxids = GetLockConflicts(tag, ShareLock, &n);

	sample->lockers = palloc((n + 1) * sizeof(GidLocker));
	sample->nlockers = 0;
	for (int i = 0; i < n; i++)
		sample->lockers[sample->nlockers++].vxid = vxids[i];
	if (gid_lock_is_mine(tag, RowExclusiveLock))
	{
		GidLocker  *mine = &sample->lockers[sample->nlockers++];

		/* the macro evaluates its first argument twice */
		GET_VXID_FROM_PGPROC(mine->vxid, *MyProc);
	}
	Assert(sample->nlockers <= n + 1);
}

/* Look up the transaction ids that the lockers have by now. */
static void
gid_sample_read_xids(GidSample *sample)
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

static void
gid_sample_read_ended(GidEnded *ended)
{
	static SnapshotData now =
	{
		SNAPSHOT_MVCC
	};

	gid_ended_read(GetSnapshotData(&now), ended);
}

/*
 * Complete a sample in the caller's memory: "position" was read before, "tag"
 * is the lock on the sequence.
 */
void
gid_sample_read(const LOCKTAG *tag, int64 position, GidSample *sample)
{
	sample->position = position;
	gid_sample_read_lockers(tag, sample);
	gid_sample_read_xids(sample);
	gid_sample_read_ended(&sample->ended);
}

/* Do two samples share a locker? */
static bool
gid_sample_overlaps(const GidSample *a, const GidSample *b)
{
	for (int i = 0; i < a->nlockers; i++)
	{
		for (int j = 0; j < b->nlockers; j++)
		{
			if (VirtualTransactionIdEquals(a->lockers[i].vxid, b->lockers[j].vxid))
				return true;
		}
	}
	return false;
}

/* Have all lockers of a sample ended in a snapshot, by their ids? */
static bool
gid_sample_has_ended(const GidSample *sample, const GidEnded *ended)
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

/* ---- what a session knows ---- */

/* Is "a" before "b" in the direction of a sequence? */
static bool
gid_samples_before(bool ascending, int64 a, int64 b)
{
	return ascending ? a < b : a > b;
}

/* Forget the sample that is not settled. */
static void
gid_samples_drop_open(GidSamples *samples)
{
	if (!samples->has_open)
		return;
	samples->has_open = false;
	pfree(samples->open.lockers);
	gid_ended_free(&samples->open.ended);
}

/* Keep a copy of a sample as the one that is not settled. */
static void
gid_samples_keep_open(GidSamples *samples, const GidSample *sample)
{
	Size		size = Max(sample->nlockers, 1) * sizeof(GidLocker);
	GidSample	copy = *sample;

	copy.lockers = MemoryContextAlloc(TopMemoryContext, size);
	memcpy(copy.lockers, sample->lockers, sample->nlockers * sizeof(GidLocker));
	copy.ended = gid_ended_copy(&sample->ended);
	gid_samples_drop_open(samples);
	samples->open = copy;
	samples->has_open = true;
}

/* Keep a position that is settled in each snapshot that covers "ended". */
static void
gid_samples_keep_settled(GidSamples *samples, int64 position, const GidEnded *ended)
{
	GidEnded	copy = gid_ended_copy(ended);

	if (samples->nsettled == GID_SETTLED_KEPT)
		gid_ended_free(&samples->settled[--samples->nsettled].ended);
	memmove(&samples->settled[1], &samples->settled[0], samples->nsettled * sizeof(GidSettled));
	samples->settled[0].position = position;
	samples->settled[0].ended = copy;
	samples->nsettled++;
}

/* Forget all samples of a sequence. */
void
gid_samples_clear(GidSamples *samples)
{
	gid_samples_drop_open(samples);
	while (samples->nsettled > 0)
		gid_ended_free(&samples->settled[--samples->nsettled].ended);
	samples->has_last = false;
}

/*
 * Does a position follow what is known of a sequence?  If a setval() has set
 * the sequence back, or it has a new file, what is known no longer holds.
 */
bool
gid_samples_fit(const GidSamples *samples, uint32 file, bool ascending, int64 position)
{
	return !samples->has_last ||
		(samples->file == file && !gid_samples_before(ascending, position, samples->last));
}

/* Note the position of a sample that fits. */
static void
gid_samples_note(GidSamples *samples, uint32 file, const GidSample *sample)
{
	samples->has_last = true;
	samples->file = file;
	samples->last = sample->position;
}

/*
 * Keep the positions that are settled by now, with a new sample.  The sample
 * fits: see gid_samples_fit().  "ended" is the snapshot for which the caller
 * wants a horizon; the sample was read after it.
 *
 * Of the samples that are not settled the oldest is kept, because a later one
 * has all of its lockers that are still there.
 */
void
gid_samples_advance(GidSamples *samples, uint32 file, GidSample *sample, const GidEnded *ended)
{
	gid_samples_note(samples, file, sample);

	/*
	 * A transaction leaves the process array before it releases its locks. So
	 * lockers that are missing by now have ended in every snapshot that
	 * covers the one of the new sample, which was taken after its lockers
	 * were read.
	 */
	if (samples->has_open && !gid_sample_overlaps(&samples->open, sample))
	{
		gid_samples_keep_settled(samples, samples->open.position, &sample->ended);
		gid_samples_drop_open(samples);
	}
	if (sample->nlockers == 0)
		gid_samples_keep_settled(samples, sample->position, &sample->ended);
	if (samples->has_open && gid_sample_has_ended(&samples->open, ended))
	{
		gid_samples_keep_settled(samples, samples->open.position, ended);
		gid_samples_drop_open(samples);
	}
	if (!samples->has_open)
		gid_samples_keep_open(samples, sample);
}

/* Find the furthest position that is settled in a snapshot, if any is. */
bool
gid_samples_choose(const GidSamples *samples, bool ascending, const GidEnded *ended,
				   int64 *position)
{
	bool		found = false;

	for (int i = 0; i < samples->nsettled; i++)
	{
		const GidSettled *settled = &samples->settled[i];

		if (!gid_ended_covers(ended, &settled->ended))
			continue;
		if (!found || gid_samples_before(ascending, *position, settled->position))
			*position = settled->position;
		found = true;
	}
	return found;
}

/* ---- waiting ---- */

/* The timeout of gid_sample_wait() has passed. */
static volatile sig_atomic_t gid_sample_is_late = false;

/* Timeout handler: end the wait as a cancel does. */
static void
gid_sample_at_timeout(void)
{
	gid_sample_is_late = true;
	QueryCancelPending = true;
	InterruptPending = true;
	SetLatch(MyLatch);
}

/*
 * Wait in the lock manager, interruptibly, for the lockers of a sample, but
 * not for this transaction.  Raises 57014 after "timeout_ms".  The caller
 * has no snapshot.
 */
void
gid_sample_wait(const GidSample *sample, int timeout_ms)
{
	static TimeoutId timeout = MAX_TIMEOUTS;
	VirtualTransactionId mine;

	GET_VXID_FROM_PGPROC(mine, *MyProc);
	if (timeout == MAX_TIMEOUTS)
		timeout = RegisterTimeout(USER_TIMEOUT, gid_sample_at_timeout);
	gid_sample_is_late = false;
	enable_timeout_after(timeout, timeout_ms);
	PG_TRY();
	{
		for (int i = 0; i < sample->nlockers; i++)
		{
			if (!VirtualTransactionIdEquals(sample->lockers[i].vxid, mine))
				(void) VirtualXactLock(sample->lockers[i].vxid, true);
		}
		disable_timeout(timeout, false);
	}
	PG_CATCH();
	{
		disable_timeout(timeout, false);
		if (!gid_sample_is_late || geterrcode() != ERRCODE_QUERY_CANCELED)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	if (!gid_sample_is_late)
		return;
	QueryCancelPending = false;
	ereport(ERROR,
			(errcode(ERRCODE_QUERY_CANCELED),
			 errmsg("timed out while waiting for transactions that may have drawn from the sequence"),
			 errdetail("Transactions that had the sequence locked when the wait began: %d.",
					   sample->nlockers),
			 errhint("See gid.stat_horizon for what holds the horizon back.")));
}

/* Note that the lockers of a sample have ended.  The sample fits. */
void
gid_samples_settle(GidSamples *samples, uint32 file, const GidSample *sample)
{
	GidEnded	ended;

	gid_sample_read_ended(&ended);
	gid_samples_note(samples, file, sample);
	gid_samples_keep_settled(samples, sample->position, &ended);
}
