/*-------------------------------------------------------------------------
 *
 * sequence/standbys.c
 *		Which standbys have a reservation on disk.
 *
 * gid.reservation_standbys = n: a reservation is used only when n standbys
 * have flushed its record.  Commits need not wait for these standbys.  So a
 * standby that is promoted knows every value that was handed out, if it is one
 * of those n.
 *
 * A standby counts if it streams, is physical, and has reported how far it has
 * applied.  pg_receivewal and pg_basebackup report no such position, and a
 * logical subscriber is connected to a database.  The server's walsenders keep
 * the positions in shared memory.
 *
 * State: in shared memory the number of standbys that is in force, and what
 * the view shows; in this process the last position that it has seen
 * confirmed.
 *
 * Invariants:
 * 1. A standby counts once.  While a broken connection is not noticed yet, a
 *	  standby may have two walsenders.  Two walsenders count as one standby if
 *	  they have the same application_name and address, unless each has a
 *	  permanent replication slot.  Each connection of a standby has a temporary
 *	  slot of its own (wal_receiver_create_temp_slot).
 * 2. All sessions use the same number of standbys.  A session that waits does
 *	  not read the configuration, so the processes that do so publish the
 *	  number: each process at a reload, and each backend when it attaches.  A
 *	  backend that attaches does not replace a number that a later reload has
 *	  published.
 * 3. What n standbys have on disk they keep, so a position once seen confirmed
 *	  is not looked up again while n is not raised.
 * 4. A process whose value was refused publishes nothing, and its session
 *	  reserves nothing.  So no role turns the setting off with a value that it
 *	  gives when it connects.
 *
 * Crash, restart: the number is published again.  A standby reserves nothing.
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
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/spin.h"
#include "utils/backend_status.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "base/settings.h"
#include "clock/server_time.h"
#include "sequence/standbys.h"

/* A wait of this length is logged, and then once in this time. */
#define GID_STANDBY_LOG_AFTER_US	INT64CONST(1000000)
#define GID_STANDBY_LOG_EVERY_US	INT64CONST(60000000)

/* The state that all processes share. */
typedef struct GidStandbyState
{
	slock_t		mutex;			/* protects what is published */
	TimestampTz published_at;	/* time of the reload; mutex */
	pg_atomic_uint32 wanted;	/* standbys in force; written under mutex */
	pg_atomic_uint32 waiting;	/* sessions that wait; fetch_add */
	pg_atomic_uint64 lost;		/* reservations lost; fetch_add */
	pg_atomic_uint64 logged_us; /* monotonic time of the last line; CAS */
} GidStandbyState;

static GidStandbyState *gid_standby_state = NULL;

/* A standby that is connected. */
typedef struct GidStandby
{
	pid_t		pid;			/* of its walsender */
	XLogRecPtr	flush;			/* it has flushed the WAL up to here */
	NameData	slot;			/* its permanent replication slot; "": none */
	char		name[NAMEDATALEN];	/* application_name */
	char		address[NI_MAXHOST];
} GidStandby;

static Size
gid_standby_size(void)
{
	return sizeof(GidStandbyState);
}

static void
gid_standby_init(void *part, int tranche)
{
	GidStandbyState *state = part;

	SpinLockInit(&state->mutex);
	state->published_at = DT_NOBEGIN;
	pg_atomic_init_u32(&state->wanted, (uint32) Max(gid_reservation_standbys, 0));
	pg_atomic_init_u32(&state->waiting, 0);
	pg_atomic_init_u64(&state->lost, 0);
	pg_atomic_init_u64(&state->logged_us, 0);
}

/*
 * Does this process know the number from the configuration?  A parallel worker
 * gets the values of its leader, and the postmaster takes no locks.
 */
static bool
gid_standby_publishes(void)
{
	return IsUnderPostmaster && !InitializingParallelWorker && !IsParallelWorker() &&
		gid_reservation_standbys >= 0;
}

/* Publish the number of this process, unless a later reload has done so. */
static void
gid_standby_attach(void)
{
	if (!gid_standby_publishes())
		return;
	SpinLockAcquire(&gid_standby_state->mutex);
	if (PgReloadTime > gid_standby_state->published_at)
	{
		gid_standby_state->published_at = PgReloadTime;
		pg_atomic_write_u32(&gid_standby_state->wanted, (uint32) gid_reservation_standbys);
	}
	SpinLockRelease(&gid_standby_state->mutex);
}

const GidPart gid_standby_part = {
	.size = gid_standby_size,
	.init = gid_standby_init,
	.where = (void **) &gid_standby_state,
	.attach = gid_standby_attach,
};

/*
 * A reload has set gid.reservation_standbys in this process.  Publish the
 * number, if the process has the shared memory.
 */
void
gid_standbys_publish(void)
{
	TimestampTz now;

	if (gid_standby_state == NULL || !gid_standby_publishes())
		return;
	now = GetCurrentTimestamp();
	SpinLockAcquire(&gid_standby_state->mutex);
	gid_standby_state->published_at = now;
	pg_atomic_write_u32(&gid_standby_state->wanted, (uint32) gid_reservation_standbys);
	SpinLockRelease(&gid_standby_state->mutex);
}

/* Raise 55000 if the value of gid.reservation_standbys was refused. */
void
gid_standbys_check(void)
{
	if (unlikely(gid_reservation_standbys < 0))
		gid_setting_raise(GID_SETTING_RESERVATION_STANDBYS);
}

/*
 * How many standbys must have a reservation?  Raises 55000 if the value of the
 * setting was refused.  The backend has attached.
 */
int
gid_standbys_wanted(void)
{
	gid_standbys_check();
	return (int) pg_atomic_read_u32(&gid_standby_state->wanted);
}

/* Is a process a walsender of a database, which no standby's walsender is? */
static bool
gid_standby_is_logical(pid_t pid)
{
	PGPROC	   *proc = BackendPidGetProc(pid);

	return proc == NULL || OidIsValid(proc->databaseId);
}

/*
 * Fill in the standbys that count and have flushed the WAL up to "lsn", or
 * all that count if it is invalid.  "standbys" has room for max_wal_senders.
 * Returns their number.  A standby may be there twice.
 */
static int
gid_standby_list(XLogRecPtr lsn, GidStandby *standbys)
{
	int			n = 0;

	for (int i = 0; i < max_wal_senders; i++)
	{
		WalSnd	   *walsender = &WalSndCtl->walsnds[i];
		GidStandby *standby = &standbys[n];
		bool		counts;

		SpinLockAcquire(&walsender->mutex);
		standby->pid = walsender->pid;
		standby->flush = walsender->flush;
		counts = walsender->pid != 0 && walsender->state == WALSNDSTATE_STREAMING &&
			!XLogRecPtrIsInvalid(walsender->apply) && !XLogRecPtrIsInvalid(walsender->flush);
		SpinLockRelease(&walsender->mutex);
		if (counts && standby->flush >= lsn && !gid_standby_is_logical(standby->pid))
			n++;
	}
	return n;
}

/* Find out the permanent replication slots of standbys. */
static void
gid_standby_find_slots(GidStandby *standbys, int n)
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
gid_standby_find_names(GidStandby *standbys, int n)
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

/* May two walsenders serve the same standby? */
static bool
gid_standby_is_same(const GidStandby *a, const GidStandby *b)
{
	if (NameStr(a->slot)[0] != '\0' && NameStr(b->slot)[0] != '\0')
		return false;
	return strcmp(a->name, b->name) == 0 && strcmp(a->address, b->address) == 0;
}

/* Leave each standby in a list once.  Returns the number that is left. */
static int
gid_standby_unite(GidStandby *standbys, int n)
{
	int			left = 0;

	gid_standby_find_slots(standbys, n);
	gid_standby_find_names(standbys, n);
	for (int i = 0; i < n; i++)
	{
		int			j = 0;

		while (j < left && !gid_standby_is_same(&standbys[i], &standbys[j]))
			j++;
		if (j == left)
			standbys[left++] = standbys[i];
	}
	return left;
}

/* An array with room for all walsenders, of zeros. */
static GidStandby *
gid_standby_array(void)
{
	return palloc0(Max(max_wal_senders, 1) * sizeof(GidStandby));
}

/* Have "wanted" (1 or more) standbys flushed the WAL up to "lsn"? */
static bool
gid_standby_count(XLogRecPtr lsn, int wanted)
{
	GidStandby *standbys = gid_standby_array();
	int			n = gid_standby_list(lsn, standbys);

	/* the names cost more, and one standby is one whatever its name */
	if (n >= wanted && wanted > 1)
		n = gid_standby_unite(standbys, n);
	pfree(standbys);
	return n >= wanted;
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

	if (likely(wanted == 0) || (wanted <= seen_wanted && lsn <= seen_lsn))
		return true;
	if (!gid_standby_count(lsn, wanted))
		return false;
	seen_lsn = lsn;
	seen_wanted = wanted;
	return true;
}

/* This session begins to wait for standbys. */
void
gid_standbys_begin_wait(void)
{
	pg_atomic_fetch_add_u32(&gid_standby_state->waiting, 1);
}

/* This session waits no more; "lost": the wait has lost a reservation. */
void
gid_standbys_end_wait(bool lost)
{
	pg_atomic_fetch_sub_u32(&gid_standby_state->waiting, 1);
	if (lost)
		pg_atomic_fetch_add_u64(&gid_standby_state->lost, 1);
}

/* Write the line of gid_standbys_log_wait(). */
static void
gid_standby_write_log(XLogRecPtr lsn, int wanted)
{
	GidStandby *standbys = gid_standby_array();
	int			n = gid_standby_unite(standbys, gid_standby_list(InvalidXLogRecPtr, standbys));
	int			have = 0;
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < n; i++)
	{
		if (standbys[i].flush < lsn)
			continue;
		have++;
		appendStringInfo(&names, "%s\"%s\"", have > 1 ? ", " : "", standbys[i].name);
	}
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
	pfree(standbys);
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
	int64		now_us = gid_time_monotonic_us();
	uint64		logged_us = pg_atomic_read_u64(&gid_standby_state->logged_us);

	if (now_us - since_us < GID_STANDBY_LOG_AFTER_US ||
		(logged_us != 0 && now_us - (int64) logged_us < GID_STANDBY_LOG_EVERY_US))
		return;
	if (pg_atomic_compare_exchange_u64(&gid_standby_state->logged_us, &logged_us,
									   (uint64) now_us))
		gid_standby_write_log(lsn, gid_standbys_wanted());
}

/* Fill in what the view shows.  The first call attaches. */
void
gid_standbys_stat(GidStandbyStat *stat)
{
	GidStandby *standbys = gid_standby_array();

	(void) gid_slot_mine();
	stat->wanted = gid_reservation_standbys < 0 ? -1 :
		(int) pg_atomic_read_u32(&gid_standby_state->wanted);
	stat->connected = gid_standby_unite(standbys, gid_standby_list(InvalidXLogRecPtr, standbys));
	stat->waiting = (int) pg_atomic_read_u32(&gid_standby_state->waiting);
	stat->lost = (int64) pg_atomic_read_u64(&gid_standby_state->lost);
	pfree(standbys);
}
