/*-------------------------------------------------------------------------
 *
 * horizon/lockers.c
 *		The transactions that may have drawn from a sequence.
 *
 * A transaction that draws from a sequence, by gid_next(), by nextval(), or
 * through a serial or identity column, holds RowExclusiveLock on it until its
 * end, also while it is prepared.  So a draw has nothing to note here, and the
 * lock manager knows who may have drawn.
 *
 * State: none.  Prepared transactions keep their locks over a crash, a restart
 * and a promotion.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/twophase.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "horizon/lockers.h"

/* The most lockers that a sample can have: GetLockConflicts() and this one. */
int
gid_lockers_max(void)
{
	return MaxBackends + max_prepared_xacts + 1;
}

static uint64
gid_locker_pack(VirtualTransactionId vxid)
{
	return (uint64) (uint32) gid_vxid_number(vxid) << 32 | vxid.localTransactionId;
}

static VirtualTransactionId
gid_locker_vxid(const GidLocker *locker)
{
	VirtualTransactionId vxid;

	gid_vxid_number(vxid) = (int) (locker->vxid >> 32);
	vxid.localTransactionId = (LocalTransactionId) locker->vxid;
	return vxid;
}

/* qsort() with a comparison that is inlined */
#define ST_SORT gid_locker_sort
#define ST_ELEMENT_TYPE GidLocker
#define ST_COMPARE(a, b) ((a)->vxid < (b)->vxid ? -1 : (a)->vxid > (b)->vxid)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Read the transactions that hold the lock, this one included. */
static void
gid_lockers_read_vxids(const LOCKTAG *tag, GidSample *sample)
{
	int			n;

	/* ShareLock conflicts with RowExclusiveLock */
	VirtualTransactionId *vxids = GetLockConflicts(tag, ShareLock, &n);
	VirtualTransactionId mine;

	sample->lockers = palloc0((n + 1) * sizeof(GidLocker));
	sample->nlockers = 0;
	for (int i = 0; i < n; i++)
		sample->lockers[sample->nlockers++].vxid = gid_locker_pack(vxids[i]);
	/* the macro evaluates its first argument twice */
	GET_VXID_FROM_PGPROC(mine, *MyProc);
	if (gid_lock_is_mine(tag, RowExclusiveLock))
		sample->lockers[sample->nlockers++].vxid = gid_locker_pack(mine);
	Assert(sample->nlockers <= gid_lockers_max());
	gid_locker_sort(sample->lockers, sample->nlockers);
}

/*
 * The transaction id that a locker has by now, or 0.  A prepared transaction
 * keeps the virtual id that it had.  One that the server has recovered has its
 * transaction id in the place of the local id.
 */
static TransactionId
gid_locker_xid(const GidLocker *locker)
{
	VirtualTransactionId vxid = gid_locker_vxid(locker);
	volatile PGPROC *proc = gid_vxid_proc(vxid);
	TransactionId xid;
	bool		have_more = false;

	if (VirtualTransactionIdIsRecoveredPreparedXact(vxid))
		return vxid.localTransactionId;
	if (proc != NULL)
	{
		xid = proc->xid;
		pg_read_barrier();
		if (gid_proc_lxid(proc) == vxid.localTransactionId)
			return xid;
	}
	xid = TwoPhaseGetXidByVirtualXID(vxid, &have_more);
	return have_more ? InvalidTransactionId : xid;
}

static void
gid_lockers_read_xids(GidSample *sample)
{
	uint64		next;

	for (int i = 0; i < sample->nlockers; i++)
		sample->lockers[i].xid = gid_locker_xid(&sample->lockers[i]);
	/* after the ids, none of which is later */
	next = U64FromFullTransactionId(ReadNextFullTransactionId());
	for (int i = 0; i < sample->nlockers; i++)
	{
		if (sample->lockers[i].xid != 0)
			sample->lockers[i].xid = gid_ended_widen((uint32) sample->lockers[i].xid, next);
	}
}

/*
 * Complete a sample in the caller's memory: its position was read before,
 * "tag" is the lock on the sequence.  A snapshot comes last: a locker that is
 * not read any more has ended in it, because a transaction leaves the process
 * array before it releases its locks.
 */
void
gid_lockers_read(const LOCKTAG *tag, GidSample *sample)
{
	static SnapshotData now =
	{
		SNAPSHOT_MVCC
	};
	GidEnded	ended;

	gid_lockers_read_vxids(tag, sample);
	gid_lockers_read_xids(sample);
	gid_ended_read(GetSnapshotData(&now), &ended);
	sample->taken = ended.taken;
}

/*
 * Wait in the lock manager, interruptibly, for the lockers of a sample, but
 * not for this transaction.  The caller has no snapshot.
 */
void
gid_lockers_wait(const GidSample *sample)
{
	VirtualTransactionId mine;

	GET_VXID_FROM_PGPROC(mine, *MyProc);
	for (int i = 0; i < sample->nlockers; i++)
	{
		VirtualTransactionId vxid = gid_locker_vxid(&sample->lockers[i]);

		if (!VirtualTransactionIdEquals(vxid, mine))
			(void) VirtualXactLock(vxid, true);
	}
}
