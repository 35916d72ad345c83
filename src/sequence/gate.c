/*-------------------------------------------------------------------------
 *
 * sequence/gate.c
 *		The gate: a reservation is used when no failover can undo it.
 *
 * A number that was handed out must not come again when another server takes
 * over.  Two means keep it so, both off the path of an id.  A reservation is
 * used only when its record is on disk, here and on the synchronous standbys.
 * And the first reservation on a new timeline passes over values, for the
 * records that no standby had.
 *
 * State: in this process the end of the last record that it has seen confirmed
 * by the standbys, and the timelines of the server's history, which does not
 * change while a server runs.
 *
 * The gate takes no lock of gid, and no caller holds one: a session waits here
 * as long as a standby is away.  What is waited for stays reserved, whatever
 * becomes of the session.  Recovery replays the records like any other.  A
 * standby reserves nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/timeline.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/latch.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"

#include "base/bits.h"
#include "base/compat.h"
#include "base/settings.h"
#include "sequence/gate.h"

/* The first and the longest pause between two readings of what the standbys confirm. */
#define GID_GATE_POLL_MS		1
#define GID_GATE_POLL_MAX_MS	16

/* The server's history, the present timeline first; NULL: not read yet. */
static const TimeLineHistoryEntry *gid_gate_timelines = NULL;
static int	gid_gate_ntimelines = 0;

/* ---- disk and standbys ---- */

/* Have the synchronous standbys flushed the record that ends at "lsn"? */
static bool
gid_gate_is_confirmed(XLogRecPtr lsn)
{
	/*
	 * Never goes back, also when other standbys are named: what the earlier
	 * ones confirmed stays in use, as PostgreSQL's commits stay committed.
	 */
	static XLogRecPtr confirmed = InvalidXLogRecPtr;

	if (lsn > confirmed)
	{
		LWLockAcquire(SyncRepLock, LW_SHARED);
		confirmed = WalSndCtl->lsn[SYNC_REP_WAIT_FLUSH];
		LWLockRelease(SyncRepLock);
	}
	return lsn <= confirmed;
}

/*
 * Pass the gate: flush the record that ends at "lsn" to this server's disk,
 * and wait until the standbys of synchronous_standby_names have flushed it,
 * whatever synchronous_commit is.  An invalid "lsn" stands for no record: that
 * of an authority, or of a relation that writes no WAL, whose file the commit
 * flushes.  Returns whether it had to wait for standbys.
 *
 * The wait is interruptible, and ends when a reload empties the names.  The
 * commit's own wait (SyncRepWaitForLSN()) cannot be used: a cancel would end
 * it with a warning instead of an error.  It is shown as that wait, so that
 * what watches commits sees it.
 *
 * If no record was written since standbys were named, the wait lasts until the
 * standby's next message (wal_receiver_status_interval).
 */
bool
gid_gate(XLogRecPtr lsn)
{
	long		pause_ms = GID_GATE_POLL_MS;

	if (XLogRecPtrIsInvalid(lsn))
		return false;
	XLogFlush(lsn);
	/* a stand-alone backend has no standbys, whatever is named */
	if (!gid_wait_for_standbys || !IsUnderPostmaster || !gid_sync_standbys_named() || gid_gate_is_confirmed(lsn))
		return false;

	do
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 pause_ms, WAIT_EVENT_SYNC_REP);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		pause_ms = Min(2 * pause_ms, GID_GATE_POLL_MAX_MS);
	} while (gid_sync_standbys_named() && !gid_gate_is_confirmed(lsn));
	return true;
}

/* ---- new timelines ---- */

/*
 * Read the server's history, at the first call, because
 * gid_gate_pass_over() is called with a page locked.  Raises the server's
 * errors when its file cannot be read.  The server is not in recovery.
 */
void
gid_gate_prepare(void)
{
	List	   *history;
	TimeLineHistoryEntry *timelines;
	ListCell   *cell;
	int			n = 0;

	if (likely(gid_gate_timelines != NULL))
		return;
	history = readTimeLineHistory(GetWALInsertionTimeLine());
	timelines = MemoryContextAlloc(TopMemoryContext,
								   list_length(history) * sizeof(TimeLineHistoryEntry));
	foreach(cell, history)
		timelines[n++] = *(TimeLineHistoryEntry *) lfirst(cell);
	list_free_deep(history);

	/* without its file a timeline is alone in its history */
	if (n == 1 && timelines[0].tli > 1)
		ereport(LOG,
				(errcode(ERRCODE_UNDEFINED_FILE),
				 errmsg("gid: the history file of timeline %u is missing", timelines[0].tli),
				 errdetail("gid cannot tell where the timeline began, so no sequence passes over values."),
				 errhint("Restore file \"%08X.history\" in pg_wal.", timelines[0].tli)));
	gid_gate_ntimelines = n;
	gid_gate_timelines = timelines;
}

/*
 * Pass over values of a sequence, if "page_lsn", the LSN of its page, is not
 * beyond the point where the server's timeline began.  An invalid LSN stands
 * for a page that writes no WAL: the running transaction has made the file.
 * *seq has the state of the page, and is moved on.  *passed says which values
 * were passed over.
 *
 * The reservation itself moves the LSN, in the same record.  So a sequence
 * passes over values once on a timeline, also over crashes and restarts.
 *
 * The number of passes is the difference of two timelines' numbers.  Each
 * promoted server takes a number that it finds neither in pg_wal nor in the
 * archive.  So the difference counts the servers, too, that were promoted
 * elsewhere and lost, and whose WAL never came here.
 */
void
gid_gate_pass_over(XLogRecPtr page_lsn, GidSequence *seq, const GidRequest *request,
				   GidPassedOver *passed)
{
	int			i = 0;
	uint32		passes;

	/* a record that ends where a timeline begins is of an earlier timeline */
	while (i < gid_gate_ntimelines - 1 && page_lsn <= gid_gate_timelines[i].begin)
		i++;
	passed->count = 0;
	passed->since = gid_gate_timelines[i].tli;
	passes = gid_gate_timelines[0].tli - passed->since;
	if (likely(passes == 0) || gid_timeline_skip_setting == 0 || XLogRecPtrIsInvalid(page_lsn))
		return;
	passed->count = gid_reserve_skip(seq, request, passes, gid_timeline_skip_setting);
	passed->last = seq->last_value;
	passed->first = (int64) ((uint64) seq->last_value -
							 (passed->count - 1) * (uint64) seq->increment);
}

/* Log which values a sequence has passed over.  The caller holds no lock. */
void
gid_gate_log(const char *sequence, const GidPassedOver *passed)
{
	if (likely(passed->count == 0))
		return;
	ereport(LOG,
			(errmsg("gid: sequence \"%s\" passes over %llu values on timeline %u",
					sequence, (unsigned long long) passed->count,
					gid_gate_timelines[0].tli),
			 errdetail("The sequence was last changed on timeline %u. Values %lld to %lld may have been handed out since, by a server that was lost.",
					   passed->since, (long long) passed->first, (long long) passed->last)));
}
