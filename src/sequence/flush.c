/*-------------------------------------------------------------------------
 *
 * sequence/flush.c
 *		Flushing a reservation to disk, here and on the synchronous standbys.
 *
 * State: none.  The server's walsenders note in shared memory how far the
 * synchronous standbys have flushed.
 *
 * Invariants:
 * 1. A wait for the standbys ends in one of three ways.  They have flushed the
 *	  record.  Or nobody asks for standbys any more, because
 *	  synchronous_standby_names was emptied.  Or an error ends the wait, a
 *	  cancel for example.  The caller may use what it has reserved only in the
 *	  first case.
 * 2. A session asks for standbys if its synchronous_commit and the
 *	  synchronous_standby_names that the server's processes see say so.  This
 *	  process's copy of the names does not count, because a reload changes it
 *	  only between two statements.
 * 3. No backend waits here with a claim or a lock of gid.
 *
 * The commit's own wait (SyncRepWaitForLSN()) cannot be used.  It comes when a
 * transaction is done, so a cancel ends it with a warning instead of an error.
 * Where a record was written before standbys were named, and none since, the
 * wait lasts until the standby's next message (wal_receiver_status_interval).
 *
 * remote_write and remote_apply wait for the flush, as "on" does, because the
 * promoted standby must have the record on disk.
 *
 * After a crash recovery replays the record.  A standby reserves nothing.
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

/* The first and the longest pause between two looks at the standbys. */
#define GID_FLUSH_POLL_MS		1
#define GID_FLUSH_POLL_MAX_MS	16

/*
 * Flush the record that ends at "lsn" to this server's disk.  There is no
 * record where wal_level is minimal and the transaction made the sequence; the
 * commit then writes the sequence's file to disk.
 */
void
gid_flush_disk(XLogRecPtr lsn)
{
	if (!XLogRecPtrIsInvalid(lsn))
		XLogFlush(lsn);
}

/* Have the synchronous standbys flushed the record that ends at "lsn"? */
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
 * Does synchronous_standby_names name standbys, for any session?  The flag is
 * read without a lock, as the server's own fast exit reads it.
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
 * Returns false when nobody asks for standbys any more; then the caller must
 * not use what it has reserved.
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
 * gid_flush_wait() for a reservation that other sessions may use, too.  Where
 * the wait ends without the standbys, also by an error or the end of the
 * session, lose(0, arg) is called, and must keep all sessions from using the
 * reservation.
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
 * Flush a record to disk here and, where this session asks for it, wait for
 * the synchronous standbys.  Waits and result are those of gid_flush_wait().
 */
bool
gid_flush(XLogRecPtr lsn)
{
	gid_flush_disk(lsn);
	return XLogRecPtrIsInvalid(lsn) || !gid_flush_is_asked() || gid_flush_wait(lsn);
}
