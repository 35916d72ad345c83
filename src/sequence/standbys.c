/*-------------------------------------------------------------------------
 *
 * sequence/standbys.c
 *		Which standbys have a reservation on disk.
 *
 * If gid.reservation_standbys is n, a reservation is used only when n standbys
 * have flushed its record.  So a promoted standby knows every value that was
 * handed out, if it is one of those n; commits need not wait for them.
 * gid.reservation_wait bounds the wait.  Once the standbys have been missing
 * for that time, reservations are used without them, until n are back.
 *
 * A standby counts if it streams, is physical, and has reported how far it has
 * applied.  pg_receivewal and pg_basebackup report no such position, and a
 * logical subscriber is connected to a database.  The server's walsenders keep
 * the positions in shared memory.
 *
 * State: in shared memory the settings that are in force, since when standbys
 * are missing, and what the view shows; in this process the last position that
 * it has seen confirmed.
 *
 * Invariants:
 * 1. A standby counts once, although it has two walsenders while a broken
 *	  connection is not noticed yet.  Two walsenders count as one standby if
 *	  they have the same application_name and address, unless each has a
 *	  permanent replication slot.  Temporary slots say nothing: each connection
 *	  may have one of its own (wal_receiver_create_temp_slot).
 * 2. All sessions use the same two settings.  A session that waits does not
 *	  read the configuration, so others publish the settings: each process that
 *	  has a PGPROC at a reload, and each backend when it attaches, unless a
 *	  later reload was published before.  With preload the checkpointer, the
 *	  background writer and the WAL writer do so at once, so a reload reaches
 *	  sessions that wait although all others are idle.  Without preload the
 *	  next session that reads the configuration does.
 * 3. What n standbys have on disk they keep, so a position once seen confirmed
 *	  is not looked up again while n is not raised.
 * 4. A process whose value was refused publishes nothing, and its session
 *	  reserves nothing.  So no role turns the settings off with a value that it
 *	  gives when it connects.
 * 5. Standbys are missing from the moment when a session began to wait for a
 *	  record, until n standbys have that record on disk.  All sessions share
 *	  that moment, so the wait of a session that gives up and tries again
 *	  counts.  After GID_STANDBYS_GAP_US without a wait the time begins again.
 * 6. Standbys are back when n have the record of invariant 5.  They lacked it
 *	  when they were missing, so a standby that hangs is not back.
 *
 * Crash, restart: the settings are published again, and sessions wait for
 * standbys again.  A standby reserves nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "common/ip.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "replication/slot.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/spin.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "base/settings.h"
#include "clock/server_time.h"
#include "sequence/standbys.h"

/*
 * Has the client not closed the connection?  The server's header for its side
 * of libpq declares this function.  That header includes headers of GSSAPI and
 * OpenSSL, which the server's development package does not bring.
 */
extern bool pq_check_connection(void);

/* A wait of this length is logged, and then once in this time. */
#define GID_STANDBYS_LOG_AFTER_US	INT64CONST(1000000)
#define GID_STANDBYS_LOG_EVERY_US	INT64CONST(60000000)

/* Waits with no longer pause between them are one, for gid.reservation_wait. */
#define GID_STANDBYS_GAP_US			INT64CONST(10000000)

/* The state that all processes share. */
typedef struct GidStandbyState
{
	slock_t		mutex;			/* protects what says "mutex" */
	TimestampTz published_at;	/* time of the reload; mutex */
	int64		published_us;	/* its monotonic time; mutex */
	pg_atomic_uint32 wanted;	/* standbys in force; written under mutex */
	pg_atomic_uint32 wait_ms;	/* int32: gid.reservation_wait in force;
								 * written under mutex */
	XLogRecPtr	missing_lsn;	/* end of a record that standbys lack;
								 * invalid: none is missing; mutex */
	int64		missing_since_us;	/* monotonic time since when; mutex */
	int64		missing_seen_us;	/* monotonic time of the last session that
									 * waited; mutex */
	bool		without_is_logged;	/* the log says that reservations are used
									 * without standbys; mutex */
	pg_atomic_uint64 without_since; /* TimestampTz: since when they are, 0:
									 * they are not; written under mutex */
	pg_atomic_uint64 lost;		/* reservations lost; fetch_add */
	pg_atomic_uint64 wait_logged_us;	/* monotonic time of the last line
										 * about a wait; CAS */
	pg_atomic_uint64 without_logged_us; /* the same, about reservations
										 * without standbys; CAS */
} GidStandbyState;

static GidStandbyState *gid_standbys_state = NULL;

/* A standby that is connected. */
typedef struct GidStandby
{
	pid_t		pid;			/* of its walsender */
	XLogRecPtr	flush;			/* it has flushed the WAL up to here */
	NameData	slot;			/* its permanent replication slot; "": none */
	char		name[NAMEDATALEN];	/* application_name */
	char		address[NI_MAXHOST];
} GidStandby;

static void
gid_standbys_init(void *part, int tranche)
{
	GidStandbyState *state = part;

	SpinLockInit(&state->mutex);
	state->published_at = DT_NOBEGIN;
	state->published_us = PG_INT64_MIN;
	pg_atomic_init_u32(&state->wanted, (uint32) Max(gid_reservation_standbys, 0));
	pg_atomic_init_u32(&state->wait_ms, (uint32) Max(gid_reservation_wait_ms, -1));
	state->missing_lsn = InvalidXLogRecPtr;
	state->missing_since_us = state->missing_seen_us = 0;
	state->without_is_logged = false;
	pg_atomic_init_u64(&state->without_since, 0);
	pg_atomic_init_u64(&state->lost, 0);
	pg_atomic_init_u64(&state->wait_logged_us, 0);
	pg_atomic_init_u64(&state->without_logged_us, 0);
}

/*
 * Does this process publish the settings?  A parallel worker does not: it gets
 * the values of its leader.  A process without a PGPROC does not: it has no
 * business in shared memory.  These are the postmaster and the logging
 * collector, which has left the shared memory and still has the pointer.
 */
static bool
gid_standbys_publishes(void)
{
	return MyProc != NULL && !InitializingParallelWorker && !IsParallelWorker();
}

/*
 * Publish the settings of this process, of a reload at the time "at" and the
 * monotonic time "at_us".  The caller has the mutex.
 */
static void
gid_standbys_set(TimestampTz at, int64 at_us)
{
	gid_standbys_state->published_at = at;
	gid_standbys_state->published_us = at_us;
	pg_atomic_write_u32(&gid_standbys_state->wanted, (uint32) gid_reservation_standbys);
	pg_atomic_write_u32(&gid_standbys_state->wait_ms, (uint32) gid_reservation_wait_ms);
}

/*
 * Publish the settings of this process, unless a later reload has done so.
 *
 * The server notes the time of a reload by the wall clock alone.  A wall clock
 * that was set back makes a later reload look earlier.  So the monotonic time
 * is computed from how long ago the reload was.  A step since the reload makes
 * that wrong; then the two times by the wall clock tell which one was later.
 */
static void
gid_standbys_attach(void)
{
	int64		reload_us;

	if (!gid_standbys_publishes())
		return;
	reload_us = gid_time_monotonic_us() - Max(GetCurrentTimestamp() - PgReloadTime, 0);
	SpinLockAcquire(&gid_standbys_state->mutex);
	if (PgReloadTime > gid_standbys_state->published_at ||
		reload_us > gid_standbys_state->published_us)
		gid_standbys_set(PgReloadTime, reload_us);
	SpinLockRelease(&gid_standbys_state->mutex);
}

const GidPart gid_standbys_part = {
	.size = sizeof(GidStandbyState),
	.init = gid_standbys_init,
	.where = (void **) &gid_standbys_state,
	.attach = gid_standbys_attach,
};

/*
 * A reload has set gid.reservation_standbys or gid.reservation_wait in this
 * process.  Publish both, if the process has the shared memory.
 */
void
gid_standbys_publish(void)
{
	TimestampTz now;
	int64		now_us;

	if (gid_standbys_state == NULL || !gid_standbys_publishes())
		return;
	now = GetCurrentTimestamp();
	now_us = gid_time_monotonic_us();
	SpinLockAcquire(&gid_standbys_state->mutex);
	gid_standbys_set(now, now_us);
	SpinLockRelease(&gid_standbys_state->mutex);
}

/*
 * How many standbys must have a reservation?  Raises 55000 if the value of one
 * of the settings was refused.  The backend has attached.
 */
int
gid_standbys_wanted(void)
{
	return (int) pg_atomic_read_u32(&gid_standbys_state->wanted);
}

/*
 * The standbys that count and have flushed the WAL up to "lsn", or all that
 * count if it is invalid, in the caller's memory, and their number.  A standby
 * may be there twice.
 */
static GidStandby *
gid_standbys_list(XLogRecPtr lsn, int *number)
{
	GidStandby *standbys = palloc0(Max(max_wal_senders, 1) * sizeof(GidStandby));
	int			n = 0;

	for (int i = 0; i < max_wal_senders; i++)
	{
		WalSnd	   *walsender = &WalSndCtl->walsnds[i];
		GidStandby *standby = &standbys[n];
		PGPROC	   *proc;
		bool		counts;

		SpinLockAcquire(&walsender->mutex);
		standby->pid = walsender->pid;
		standby->flush = walsender->flush;
		counts = walsender->pid != 0 && walsender->state == WALSNDSTATE_STREAMING &&
			!XLogRecPtrIsInvalid(walsender->apply) && !XLogRecPtrIsInvalid(walsender->flush);
		SpinLockRelease(&walsender->mutex);
		if (!counts || standby->flush < lsn)
			continue;
		/* a walsender of a database serves no standby */
		proc = BackendPidGetProc(standby->pid);
		if (proc != NULL && !OidIsValid(proc->databaseId))
			n++;
	}
	*number = n;
	return standbys;
}

/* Find out the permanent replication slots of standbys. */
static void
gid_standbys_find_slots(GidStandby *standbys, int n)
{
	LWLockAcquire(ReplicationSlotControlLock, LW_SHARED);
	for (int i = 0; i < max_replication_slots; i++)
	{
		ReplicationSlot *slot = &ReplicationSlotCtl->replication_slots[i];
		pid_t		pid;

		if (!slot->in_use || slot->data.persistency == RS_TEMPORARY)
			continue;
		SpinLockAcquire(&slot->mutex);
		pid = gid_replication_slot_pid(slot);
		SpinLockRelease(&slot->mutex);
		for (int j = 0; j < n; j++)
		{
			if (pid != 0 && standbys[j].pid == pid)
				standbys[j].slot = slot->data.name;
		}
	}
	LWLockRelease(ReplicationSlotControlLock);
}

/* Find out the names and addresses of standbys. */
static void
gid_standbys_find_names(GidStandby *standbys, int n)
{
	/* what this transaction has seen of pg_stat_activity may be old */
	pgstat_clear_backend_activity_snapshot();
	for (int i = 1; i <= pgstat_fetch_stat_numbackends(); i++)
	{
		PgBackendStatus *backend = gid_backend_status(i);

		for (int j = 0; j < n; j++)
		{
			if (backend->st_procpid != standbys[j].pid)
				continue;
			strlcpy(standbys[j].name, backend->st_appname, sizeof(standbys[j].name));
			(void) pg_getnameinfo_all(&backend->st_clientaddr.addr,
									  backend->st_clientaddr.salen,
									  standbys[j].address, sizeof(standbys[j].address),
									  NULL, 0, NI_NUMERICHOST);
		}
	}
	pgstat_clear_backend_activity_snapshot();
}

/*
 * Leave each standby in a list once (invariant 1).  Returns the number that is
 * left.
 */
static int
gid_standbys_unite(GidStandby *standbys, int n)
{
	int			left = 0;

	gid_standbys_find_slots(standbys, n);
	gid_standbys_find_names(standbys, n);
	for (int i = 0; i < n; i++)
	{
		GidStandby *a = &standbys[i];
		bool		is_there = false;

		for (int j = 0; j < left && !is_there; j++)
		{
			GidStandby *b = &standbys[j];

			is_there = (NameStr(a->slot)[0] == '\0' || NameStr(b->slot)[0] == '\0') &&
				strcmp(a->name, b->name) == 0 && strcmp(a->address, b->address) == 0;
		}
		if (!is_there)
			standbys[left++] = *a;
	}
	return left;
}

/*
 * Have "wanted" standbys flushed the WAL up to "lsn"?  Does not wait.  The
 * backend has attached.
 */
bool
gid_standbys_have(XLogRecPtr lsn, int wanted)
{
	static XLogRecPtr seen_lsn = InvalidXLogRecPtr;
	static int	seen_wanted = 0;
	GidStandby *standbys;
	int			n;

	if (likely(wanted == 0) || (wanted <= seen_wanted && lsn <= seen_lsn))
		return true;
	standbys = gid_standbys_list(lsn, &n);
	/* the names cost more, and one standby is one whatever its name */
	if (n >= wanted && wanted > 1)
		n = gid_standbys_unite(standbys, n);
	pfree(standbys);
	if (n < wanted)
		return false;
	seen_lsn = lsn;
	seen_wanted = wanted;
	return true;
}

/*
 * Count the standbys that are connected, and, in *have, those that have the
 * record that ends at "lsn".  "names" gets the names of the latter.
 */
static int
gid_standbys_survey(XLogRecPtr lsn, int *have, StringInfo names)
{
	int			n;
	GidStandby *standbys = gid_standbys_list(InvalidXLogRecPtr, &n);

	n = gid_standbys_unite(standbys, n);
	*have = 0;
	initStringInfo(names);
	for (int i = 0; i < n; i++)
	{
		if (standbys[i].flush < lsn)
			continue;
		appendStringInfo(names, "%s\"%s\"", *have > 0 ? ", " : "", standbys[i].name);
		(*have)++;
	}
	pfree(standbys);
	return n;
}

/*
 * May this session write a line now?  Returns true once in
 * GID_STANDBYS_LOG_EVERY_US, to one session.
 */
static bool
gid_standbys_may_log(pg_atomic_uint64 *logged_us)
{
	int64		now_us = gid_time_monotonic_us();
	uint64		last_us = pg_atomic_read_u64(logged_us);

	return (last_us == 0 || now_us - (int64) last_us >= GID_STANDBYS_LOG_EVERY_US) &&
		pg_atomic_compare_exchange_u64(logged_us, &last_us, (uint64) now_us);
}

/*
 * Log once a minute that reservations are used without standbys.  "missing" is
 * the record that standbys lack.  No client gets the line, as in
 * gid_standbys_log_wait().
 */
static void
gid_standbys_log_without(XLogRecPtr missing, int wanted)
{
	StringInfoData names;
	int			have;
	int			n;

	if (likely(!gid_standbys_may_log(&gid_standbys_state->without_logged_us)))
		return;
	n = gid_standbys_survey(missing, &have, &names);
	SpinLockAcquire(&gid_standbys_state->mutex);
	gid_standbys_state->without_is_logged = gid_standbys_state->missing_lsn == missing;
	SpinLockRelease(&gid_standbys_state->mutex);
	ereport(LOG_SERVER_ONLY,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("gid: reservations are used without standbys: %d of %d are there", have, wanted),
			 errdetail("Connected standbys: %d. They have been missing for longer than gid.reservation_wait. Values that are used now may come again after a failover.", n),
			 errhint("Start the standbys that are missing. Reservations wait for them again when they are back.")));
	pfree(names.data);
}

/*
 * The record that standbys lack, or the invalid LSN.  *without: reservations
 * are used without standbys.  Then there is such a record.
 */
static XLogRecPtr
gid_standbys_missing(bool *without)
{
	XLogRecPtr	lsn;

	SpinLockAcquire(&gid_standbys_state->mutex);
	lsn = gid_standbys_state->missing_lsn;
	*without = pg_atomic_read_u64(&gid_standbys_state->without_since) != 0;
	SpinLockRelease(&gid_standbys_state->mutex);
	return lsn;
}

/*
 * "wanted" standbys have a record that they lacked, or nobody bounds the wait
 * for them any more.  "lsn" is the record's end.  Log that sessions wait for
 * standbys again, if the log says that they do not.
 */
static void
gid_standbys_end_missing(XLogRecPtr lsn, int wanted)
{
	TimestampTz since = 0;
	bool		is_logged = false;

	SpinLockAcquire(&gid_standbys_state->mutex);
	if (gid_standbys_state->missing_lsn == lsn)
	{
		since = (TimestampTz) pg_atomic_read_u64(&gid_standbys_state->without_since);
		is_logged = gid_standbys_state->without_is_logged;
		gid_standbys_state->missing_lsn = InvalidXLogRecPtr;
		gid_standbys_state->without_is_logged = false;
		pg_atomic_write_u64(&gid_standbys_state->without_since, 0);
	}
	SpinLockRelease(&gid_standbys_state->mutex);
	if (is_logged)
		ereport(LOG_SERVER_ONLY,
				(errmsg("gid: reservations wait for standbys again"),
				 errdetail("Reservations have been used without %d standbys since %s.",
						   wanted, timestamptz_to_str(since))));
}

/*
 * May a session use the reservation whose record ends at "lsn"?  Either
 * "wanted" standbys have it, or reservations are used without standbys.  If
 * the standbys are back, or the wait has no bound any more, reservations are
 * not used without them from now on.  Does not wait.  The backend has
 * attached.
 */
bool
gid_standbys_allow(XLogRecPtr lsn, int wanted)
{
	bool		without = pg_atomic_read_u64(&gid_standbys_state->without_since) != 0;

	if (unlikely(without))
	{
		XLogRecPtr	missing = gid_standbys_missing(&without);

		if (without && (int32) pg_atomic_read_u32(&gid_standbys_state->wait_ms) >= 0 &&
			!gid_standbys_have(missing, wanted))
		{
			gid_standbys_log_without(missing, wanted);
			return true;
		}
		if (without)
			gid_standbys_end_missing(missing, wanted);
	}
	return gid_standbys_have(lsn, wanted);
}

/*
 * A session waits for standbys to have the record that ends at "lsn", since
 * the monotonic time "since_us".  If they have been missing for
 * gid.reservation_wait, reservations are used without them from now on.
 */
static void
gid_standbys_note_missing(XLogRecPtr lsn, int64 since_us)
{
	GidStandbyState *state = gid_standbys_state;
	int64		now_us = gid_time_monotonic_us();
	TimestampTz now = GetCurrentTimestamp();
	int			wait_ms = (int32) pg_atomic_read_u32(&state->wait_ms);

	SpinLockAcquire(&state->mutex);
	if (pg_atomic_read_u64(&state->without_since) == 0)
	{
		if (XLogRecPtrIsInvalid(state->missing_lsn) ||
			now_us - state->missing_seen_us > GID_STANDBYS_GAP_US)
		{
			state->missing_lsn = lsn;
			state->missing_since_us = since_us;
		}
		state->missing_seen_us = now_us;
		if (wait_ms >= 0 && now_us - state->missing_since_us >= wait_ms * INT64CONST(1000))
			pg_atomic_write_u64(&state->without_since, (uint64) now);
	}
	SpinLockRelease(&state->mutex);
}

/*
 * gid_standbys_allow() for a session that has waited for the record since the
 * monotonic time "since_us".
 */
bool
gid_standbys_allow_waiting(XLogRecPtr lsn, int wanted, int64 since_us)
{
	bool		without;
	XLogRecPtr	missing;

	if (gid_standbys_allow(lsn, wanted))
		return true;
	/* standbys that have what they lacked are back, although they lack this */
	missing = gid_standbys_missing(&without);
	if (!XLogRecPtrIsInvalid(missing) && !without && gid_standbys_have(missing, wanted))
		gid_standbys_end_missing(missing, wanted);
	gid_standbys_note_missing(lsn, since_us);
	return gid_standbys_allow(lsn, wanted);
}

/*
 * This session waits for standbys since a time, which is not 0.  The backend
 * has attached.
 */
void
gid_standbys_begin_wait(TimestampTz since)
{
	pg_atomic_write_u64(&gid_slot_mine()->waits_since, (uint64) since);
}

/*
 * This session waits for standbys no more.  "lost": the wait has lost a
 * reservation.
 */
void
gid_standbys_end_wait(bool lost)
{
	if (gid_slot != NULL)
		pg_atomic_write_u64(&gid_slot->waits_since, 0);
	if (lost)
		pg_atomic_fetch_add_u64(&gid_standbys_state->lost, 1);
}

/*
 * End the session (08006) if its client has closed the connection.  A backend
 * that waits does not read from its client, and the server looks for the
 * client only if client_connection_check_interval is set; a wait for standbys
 * may be long.  Does nothing in a process without a client, and where the
 * system cannot tell.  May reset the process's latch, so the caller looks at
 * its condition again before it sleeps.
 */
void
gid_standbys_check_client(void)
{
	if (MyProcPort == NULL || whereToSendOutput != DestRemote ||
		!WaitEventSetCanReportClosed() || pq_check_connection())
		return;
	ClientConnectionLost = true;
	InterruptPending = true;
	CHECK_FOR_INTERRUPTS();
}

/*
 * Write a line to the log if this session has waited for more than a second,
 * and no session has written such a line for a minute.  "since_us" is the
 * monotonic time when the wait began.  No client gets the line, because only
 * some roles may see the names of standbys.
 */
void
gid_standbys_log_wait(XLogRecPtr lsn, int64 since_us)
{
	int			wanted = gid_standbys_wanted();
	StringInfoData names;
	int			have;
	int			n;

	if (gid_time_monotonic_us() - since_us < GID_STANDBYS_LOG_AFTER_US ||
		!gid_standbys_may_log(&gid_standbys_state->wait_logged_us))
		return;
	n = gid_standbys_survey(lsn, &have, &names);
	ereport(LOG_SERVER_ONLY,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("gid: a reservation waits for standbys: %d of %d have it", have, wanted),
			 have > 0 ?
			 errdetail("Connected standbys: %d. The reservation, WAL up to " GID_LSN_FORMAT ", is on disk at %s.",
					   n, LSN_FORMAT_ARGS(lsn), names.data) :
			 errdetail("Connected standbys: %d. The reservation is WAL up to " GID_LSN_FORMAT ".",
					   n, LSN_FORMAT_ARGS(lsn)),
			 errhint("Start the standbys that are missing, or lower gid.reservation_standbys. Standbys with the same application_name and address count as one, unless each has a permanent replication slot.")));
	pfree(names.data);
}

/* Fill in what the view shows.  The first call attaches. */
void
gid_standbys_stat(GidStandbyStat *stat)
{
	int			n;
	GidStandby *standbys = gid_standbys_list(InvalidXLogRecPtr, &n);

	(void) gid_slot_mine();
	stat->wanted = (int) pg_atomic_read_u32(&gid_standbys_state->wanted);
	stat->connected = gid_standbys_unite(standbys, n);
	stat->waiting = 0;
	stat->waiting_since = 0;
	/* others may begin or end a wait meanwhile */
	for (int i = 0; i < MaxBackends; i++)
	{
		GidSlot    *slot = gid_slot_of(i);
		TimestampTz since = (TimestampTz) pg_atomic_read_u64(&slot->waits_since);

		if (pg_atomic_read_u32(&slot->pid) == 0 || since == 0)
			continue;
		stat->waiting++;
		if (stat->waiting_since == 0 || since < stat->waiting_since)
			stat->waiting_since = since;
	}
	stat->lost = (int64) pg_atomic_read_u64(&gid_standbys_state->lost);
	stat->without_since = stat->wanted == 0 ? 0 :
		(TimestampTz) pg_atomic_read_u64(&gid_standbys_state->without_since);
	pfree(standbys);
}
