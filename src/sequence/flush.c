/*-------------------------------------------------------------------------
 *
 * sequence/flush.c
 *		Flushing a reservation to disk, here and on standbys.
 *
 * State: none.  The server's walsenders note in shared memory how far the
 * synchronous standbys have flushed.
 *
 * Invariants:
 * 1. The wait of a reservation for standbys ends in one of four ways: they
 *	  have flushed the record; they have been missing for gid.reservation_wait;
 *	  the settings were changed (synchronous_standby_names was emptied, or
 *	  gid.reservation_standbys has another value); or an error such as a cancel
 *	  or the loss of the client.  The caller may use what it has reserved only
 *	  in the first two cases.
 * 2. All sessions wait for the standbys of gid.reservation_standbys
 *	  (sequence/standbys.c).  A session also waits for the synchronous standbys
 *	  if its synchronous_commit asks for them, and the server's shared memory
 *	  says that synchronous_standby_names names some.  This process's copy of
 *	  the names does not count, because a reload changes it only between two
 *	  statements.
 * 3. No backend waits for the synchronous standbys with a claim or a lock of
 *	  gid, because a session that does not ask for them must not wait.  The
 *	  wait for gid.reservation_standbys concerns all sessions, so a backend may
 *	  hold the claim of a sequence's entry during it.
 *
 * The commit's own wait (SyncRepWaitForLSN()) cannot be used.  It comes when a
 * transaction is done, so a cancel ends it with a warning instead of an error.
 * If no record was written since standbys were named, the wait lasts until the
 * standby's next message (wal_receiver_status_interval).
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
#include "utils/timestamp.h"

#include "base/compat.h"
#include "clock/server_time.h"
#include "sequence/flush.h"
#include "sequence/standbys.h"

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

/* Is this session to wait for the synchronous standbys? */
bool
gid_flush_is_asked(void)
{
	return SyncRepRequested() && gid_sync_standbys_named();
}

/*
 * May this session use the reservation whose record ends at "lsn"?  The record
 * is on this server's disk.  The standbys of gid.reservation_standbys must
 * have it, or be missing for gid.reservation_wait, and the synchronous ones
 * must have it if this session asks for them.  An invalid "lsn" stands for no
 * record.
 */
bool
gid_flush_is_enough(XLogRecPtr lsn)
{
	return XLogRecPtrIsInvalid(lsn) ||
		(gid_standbys_allow(lsn, gid_standbys_wanted()) &&
		 (!gid_flush_is_asked() || gid_flush_is_confirmed(lsn)));
}

/* The pauses of a wait for standbys. */
typedef struct GidFlushPause
{
	int64		since_us;		/* monotonic time when the wait began */
	int64		checked_us;		/* when the client was last looked for */
	long		delay_ms;		/* the next pause */
} GidFlushPause;

/* A session begins to wait, which the view shows. */
static GidFlushPause
gid_flush_begin_pauses(void)
{
	int64		now_us = gid_time_monotonic_us();
	GidFlushPause pause = {now_us, now_us, GID_FLUSH_POLL_MS};

	gid_standbys_begin_wait(GetCurrentTimestamp());
	return pause;
}

/*
 * Sleep until it is time to look at the standbys again; interruptible.  Ends
 * the session (08006) if its client is gone.
 * "have": the standbys of gid.reservation_standbys have the record.
 */
static void
gid_flush_pause(GidFlushPause *pause, XLogRecPtr lsn, bool have)
{
	static uint32 wait_event = 0;

	if (!have)
		gid_standbys_log_wait(lsn, pause->since_us);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, pause->delay_ms,
					 have ? WAIT_EVENT_SYNC_REP : gid_wait_event(&wait_event, "GidReservation"));
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	if (gid_time_monotonic_us() - pause->checked_us >= GID_STANDBYS_CLIENT_MS * INT64CONST(1000))
	{
		gid_standbys_check_client();
		pause->checked_us = gid_time_monotonic_us();
	}
	pause->delay_ms = Min(2 * pause->delay_ms, GID_FLUSH_POLL_MAX_MS);
}

/* What gid_flush_lose() needs. */
typedef struct GidFlushWait
{
	pg_on_exit_callback lose;
	Datum		arg;
} GidFlushWait;

/* The wait has ended without the standbys. */
static void
gid_flush_lose(int code, Datum wait)
{
	GidFlushWait *w = (GidFlushWait *) DatumGetPointer(wait);

	gid_standbys_end_wait(true);
	if (w->lose != NULL)
		w->lose(code, w->arg);
}

/*
 * Wait until as many standbys have flushed a record as
 * gid.reservation_standbys says, for at most gid.reservation_wait, and, if
 * "sync", until the synchronous standbys have; interruptible.  Returns false
 * when the number of standbys was changed meanwhile, or nobody asks for
 * synchronous standbys any more.  Then the caller must not use what it has
 * reserved.
 *
 * If the wait ends without the standbys, also by an error or the end of the
 * session, lose(code, arg) is called, and must keep all sessions from using
 * the reservation.  "lose" is NULL if no other session may use it.
 */
bool
gid_flush_wait_or_lose(XLogRecPtr lsn, bool sync, pg_on_exit_callback lose, Datum arg)
{
	GidFlushWait wait = {lose, arg};
	volatile bool confirmed = false;

	PG_ENSURE_ERROR_CLEANUP(gid_flush_lose, PointerGetDatum(&wait));
	{
		int			wanted = gid_standbys_wanted();
		GidFlushPause pause = gid_flush_begin_pauses();

		for (;;)
		{
			bool		have = gid_standbys_allow_waiting(lsn, wanted, pause.since_us);

			if (gid_standbys_wanted() != wanted || (sync && !gid_flush_is_asked()))
				break;
			confirmed = have && (!sync || gid_flush_is_confirmed(lsn));
			if (confirmed)
				break;
			gid_flush_pause(&pause, lsn, have);
		}
	}
	PG_END_ENSURE_ERROR_CLEANUP(gid_flush_lose, PointerGetDatum(&wait));
	if (confirmed)
		gid_standbys_end_wait(false);
	else
		gid_flush_lose(0, PointerGetDatum(&wait));
	return confirmed;
}

/*
 * Flush a record to disk here, and wait until the standbys this session
 * depends on have flushed it.  Waits and result are those of
 * gid_flush_wait_or_lose().
 */
bool
gid_flush(XLogRecPtr lsn)
{
	gid_flush_disk(lsn);
	return gid_flush_is_enough(lsn) ||
		gid_flush_wait_or_lose(lsn, gid_flush_is_asked(), NULL, (Datum) 0);
}

/*
 * Flush a record to disk here, and wait until the standbys of
 * gid.reservation_standbys and synchronous_standby_names have flushed it,
 * whatever gid.reservation_wait and synchronous_commit are; interruptible.
 * The backend has attached.
 */
void
gid_flush_everywhere(XLogRecPtr lsn)
{
	gid_flush_disk(lsn);
	PG_TRY();
	{
		GidFlushPause pause = gid_flush_begin_pauses();

		for (;;)
		{
			bool		have = gid_standbys_have(lsn, gid_standbys_wanted());

			if (have && (!gid_sync_standbys_named() || gid_flush_is_confirmed(lsn)))
				break;
			gid_flush_pause(&pause, lsn, have);
		}
	}
	PG_FINALLY();
	{
		gid_standbys_end_wait(false);
	}
	PG_END_TRY();
}
