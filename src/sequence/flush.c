/*-------------------------------------------------------------------------
 *
 * sequence/flush.c
 *		Having a reservation on disk, here and on the synchronous standbys.
 *
 * State: none.  The server's walsenders note in shared memory how far the
 * synchronous standbys have flushed.
 *
 * Invariants:
 * 1. A wait for the standbys ends in one of three ways: they have flushed the
 *	  record; nobody asks for it any more, because synchronous_standby_names
 *	  was emptied; or an error, a cancel for example.  Only in the first case
 *	  may the caller use what it has reserved.
 * 2. Whether a session asks is decided by its synchronous_commit and by the
 *	  synchronous_standby_names that the server's processes see, not by this
 *	  process's copy, which a reload changes only between two statements.
 * 3. Nobody waits here with a claim or a lock of gid.
 *
 * The commit's own wait (SyncRepWaitForLSN()) cannot be used: it comes when a
 * transaction is done, so a cancel ends it with a warning and not with an
 * error. Where a record was written before standbys were named, and nothing
 * since, the wait lasts until the standby's next message,
 * wal_receiver_status_interval.
 *
 * remote_write and remote_apply wait for the flush, like on: what counts is
 * that the promoted standby has the record.
 *
 * Crash and restart: the record is read by recovery.  A standby reserves
 * nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/latch.h"

#include "base/compat.h"
#include "sequence/flush.h"

/* Between two looks whether a standby has it, at first and at most. */
#define GID_FLUSH_POLL_MS		1
#define GID_FLUSH_POLL_MAX_MS	16

/*
 * Have a record on this server's disk.  There is none where wal_level is
 * minimal and the transaction made the sequence: its commit is what puts it
 * there.
 */
void
gid_flush_disk(XLogRecPtr lsn)
{
	if (!XLogRecPtrIsInvalid(lsn))
		XLogFlush(lsn);
}

/* Have the synchronous standbys flushed a record? */
bool
gid_flush_is_confirmed(XLogRecPtr lsn)
{
	bool		confirmed;

	LWLockAcquire(SyncRepLock, LW_SHARED);
	confirmed = WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH] >= lsn;
	LWLockRelease(SyncRepLock);
	return confirmed;
}

/*
 * Does synchronous_standby_names name standbys, for any session?  As in the
 * server's own fast exit the flag is read without a lock.
 */
bool
gid_flush_are_standbys_named(void)
{
	return max_wal_senders > 0 && gid_sync_standbys_named();
}

/* Is this session to wait for the synchronous standbys? */
bool
gid_flush_is_asked(void)
{
	return SyncRepRequested() && gid_flush_are_standbys_named();
}

/*
 * Wait until the synchronous standbys have flushed a record; interruptible.
 * False when nobody asks for that any more: what was reserved must not be
 * used.
 */
static bool
gid_flush_wait(XLogRecPtr lsn)
{
	for (long delay_ms = GID_FLUSH_POLL_MS; !gid_flush_is_confirmed(lsn);
		 delay_ms = Min(2 * delay_ms, GID_FLUSH_POLL_MAX_MS))
	{
		if (!gid_flush_is_asked())
			return false;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 delay_ms, WAIT_EVENT_SYNC_REP);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

/*
 * gid_flush_wait() for what other sessions may use, too.  Where it ends
 * without the standbys, by an error or the end of the session also, lose(0,
 * arg) sees to it that no session uses what was reserved.
 */
bool
gid_flush_wait_or_lose(XLogRecPtr lsn, pg_on_exit_callback lose, Datum arg)
{
	volatile bool confirmed = false;

	PG_ENSURE_ERROR_CLEANUP(lose, arg);
	{
		confirmed = gid_flush_wait(lsn);
	}
	PG_END_ENSURE_ERROR_CLEANUP(lose, arg);
	if (!confirmed)
		lose(0, arg);
	return confirmed;
}

/*
 * Have a record on disk, here and, where this session asks for it, on the
 * synchronous standbys.  Waits and result: those of gid_flush_wait().
 */
bool
gid_flush(XLogRecPtr lsn)
{
	gid_flush_disk(lsn);
	return XLogRecPtrIsInvalid(lsn) || !gid_flush_is_asked() || gid_flush_wait(lsn);
}
