/*-------------------------------------------------------------------------
 *
 * clock/leave.c
 *		The last process out writes the words to gid.clock.
 *
 * While ids are made, gid.clock holds a moment up to five seconds ahead
 * (clock/bound.c), and a server that starts from it leads the wall clock.  So
 * the last process out replaces the moment by the words themselves, and after
 * the next start the ids continue where they were.
 *
 * Under shared_preload_libraries the last process out is the postmaster, and
 * in a stand-alone backend that backend.  A session writes nothing at its end.
 *
 * Without preload the postmaster does not know gid, so it is the last attached
 * backend that exits.  It does not know whether the server stops.  If the
 * server goes on, the next backend finds the words at the durable bound, and
 * its first id moves the bound ahead.  The last backend writes at once: one
 * that waited would count against the limits of connections, and a write that
 * is left out leaves a lead if the server stops then.  So where connections
 * follow each other one by one, each costs two writes: one for its first id,
 * and one at its end, for which the client does not wait.
 *
 * State: gid.clock; in shared memory GidClock's attached, leaver and
 * next_leave_log_us, and as the mover the limits and gates of the words and
 * bound_us.  All of this lies in the server's main shared memory, since the
 * callbacks run after the segments have been detached.
 *
 * Invariants:
 * 1. Without preload a backend is counted in "attached" before its first id
 *	  and until its exit callback.  After the callback it makes no id.  Both
 *	  changes of the count are full barriers.
 * 2. One process at a time is the leaver, and one the mover.  The leaver does
 *	  not wait for the mover.
 * 3. No limit is above what is on disk, and gid.clock is never below a value
 *	  that was issued.
 * 4. After the postmaster has exited with code 0, gid.clock holds the words,
 *	  unless a write has failed.  Without preload it does so whenever no
 *	  backend is attached and no leaver is at work.
 *
 * Why 3 holds under preload.  The postmaster writes in an on_shmem_exit
 * callback when it exits with code 0, and only if the words have started.  It
 * takes no claim and looks at no count:
 *
 * - It exits with code 0 only after it has reaped all its children but the
 *	 logger, which has no shared memory; also after an immediate stop.  So no
 *	 process issues a value after the postmaster has read the words, or works
 *	 on the file.  A word moves before its value is issued, so it is not less
 *	 than any issued value, wherever a child was killed.
 * - A child that was killed may hold a claim, or have written a bound that is
 *	 in no limit yet.  No value has reached that bound.  If it was starting the
 *	 words, no value was issued, and the postmaster leaves the file alone.
 * - After a crash of a child, which may have damaged the shared memory, the
 *	 code is not 0, and the bound stays.  Only during an immediate stop does
 *	 the postmaster not look at how its children end.
 * - A postmaster that is killed itself writes nothing.  The next server does
 *	 not start before its children are gone.
 *
 * Why 3 holds without preload.  The leaver is the mover, so no other process
 * moves a limit or writes the file.  The leaver works in these steps:
 *
 *	a. lower each limit to its word
 *	b. full barrier; look at the count; continue if it is 0
 *	c. lower each gate
 *	d. full barrier; look at the count; continue if it is 0
 *	e. read the words again, and write them, and the server's time
 *
 * A backend issues values below a gate, and sets a gate to no more than the
 * limit that it has read.
 *
 * - A backend that attached before b may have read the high limit.  It has
 *	 left by b.  Its exit is a barrier, so the leaver has seen its store to a
 *	 gate.
 * - A backend that attaches after b reads the low limit, because attaching is
 *	 a barrier.  It finds its word at the limit and waits for the mover, which
 *	 keeps the limit until the file is written.  So after c no gate goes up.
 * - A backend that attaches between b and d may find the high gate and issue
 *	 values.  They are below the bound that is still on disk.  It has left by
 *	 d, and e reads its values.
 * - A backend that attaches after d reads the low gate and waits as well.
 *
 * With one look only, a backend that read the high limit could set a gate
 * after c and leave, and the next would issue values above what e has written.
 *
 * When a look finds an attached backend, the leaver restores the former limits
 * and bound_us, which are still on disk.  So no backend has to write, or sees
 * an error of a full disk early.  The gates stay low; the next id of each word
 * sets its gate.
 *
 * Why 4 holds.  A backend that takes the count to 0 and finds another leaver
 * exits.  The leaver gives up its place, which is a full barrier, and looks at
 * the count once more.  Either it sees the 0, or the other backend has seen
 * the free place.  It looks again also when it found another mover, which may
 * have exited since.  A mover that is still attached is in the count, so the
 * leaver never loops for long.
 *
 * Crash: killed processes run no callback.  Shared memory is made again, with
 * a count of 0, and the words start at the bound of gid.clock.  Restart: the
 * words continue.  Clock step: the file also gets the server's time, so a step
 * back is not forgotten.  Standby: as any server.
 *
 * References: test/model/clock.pml has these steps, and shows what happens
 * without each of them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "storage/ipc.h"

#include "attach/attach.h"
#include "clock/bound.h"
#include "clock/shared.h"

/* Failed writes are logged no more often than this. */
#define GID_LEAVE_LOG_EVERY_US	(60 * GID_US_PER_S)

/* Is this backend counted in "attached"? */
static bool gid_leave_counted = false;

static bool
gid_leave_nobody_attached(void)
{
	return pg_atomic_read_u32(&gid_clock->clock.attached) == 0;
}

/*
 * Return the first value of a word that may not have been issued.  If no
 * shard-key UUID was made, that is the beginning of the word's second.
 * Otherwise the next start would pass over to another second, and many short
 * lives of the server would add up to a lead.
 */
static uint64
gid_leave_word(GidWordId id)
{
	uint64		last = pg_atomic_read_u64(&gid_clock->words[id].word.last);

	if (id == GID_WORD_SHARD && last == gid_clock->clock.shard_start)
		return last & ~(GID_SHARD_RATE - 1);
	return last + 1;
}

/* What the leaver lowers. */
typedef struct GidLeaveBound
{
	uint64		limits[GID_NWORDS];
	uint64		bound_us;
} GidLeaveBound;

/*
 * Steps a and b of the file header.  "bound" gets the former values.  Returns
 * whether no backend is attached.
 */
static bool
gid_leave_lower_limits(GidLeaveBound *bound)
{
	GidClockPart *h = gid_clock;

	bound->bound_us = pg_atomic_read_u64(&h->clock.bound_us);
	pg_atomic_write_u64(&h->clock.bound_us, 0);
	for (int id = 0; id < GID_NWORDS; id++)
	{
		GidWord    *word = &h->words[id].word;

		bound->limits[id] = pg_atomic_read_u64(&word->limit);
		pg_atomic_write_u64(&word->limit, gid_leave_word(id));
	}
	pg_memory_barrier();
	return gid_leave_nobody_attached();
}

/* Undo step a, while the bound on disk is still the former one. */
static void
gid_leave_restore_limits(const GidLeaveBound *bound)
{
	GidClockPart *h = gid_clock;

	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&h->words[id].word.limit, bound->limits[id]);
	pg_atomic_write_u64(&h->clock.bound_us, bound->bound_us);
}

/* Steps c and d.  Returns whether no backend is attached. */
static bool
gid_leave_lower_gates(void)
{
	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&gid_clock->words[id].word.gate, 0);
	pg_memory_barrier();
	return gid_leave_nobody_attached();
}

/*
 * Step e.  The v7 word carries the server's time, even if no version 7 UUID
 * was made.
 */
static bool
gid_leave_write(GidClockFileError *error)
{
	GidClockPart *h = gid_clock;
	GidNow		now = gid_time_observe();
	uint64		words[GID_NWORDS];

	pg_read_barrier();
	for (int id = 0; id < GID_NWORDS; id++)
	{
		words[id] = gid_leave_word(id);
		if (id == GID_WORD_V7 && gid_time_in_calendar(now.us))
			words[id] = Max(words[id], gid_word_at_us(id, now.us));
	}
	if (!gid_clock_file_write(h->clock.system_identifier, words, error))
		return false;
	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&h->words[id].word.limit, words[id]);
	return true;
}

/*
 * Replace the bound in gid.clock by the words, if no backend is attached.
 * Returns false, with the reason in "error", when the write has failed.  The
 * caller is the leaver and the mover.
 */
static bool
gid_leave_replace_bound(GidClockFileError *error)
{
	GidLeaveBound bound;
	bool		ok = true;

	if (!gid_leave_lower_limits(&bound) || !gid_leave_lower_gates())
		gid_leave_restore_limits(&bound);
	else
	{
		ok = gid_leave_write(error);
		/* if the file may be the new one, the limits stay low */
		if (!ok && !error->replaced)
			gid_leave_restore_limits(&bound);
	}
	return ok;
}

/* Log a write that has failed, once a minute over all backends. */
static void
gid_leave_log(const GidClockFileError *error)
{
	pg_atomic_uint64 *next_log = &gid_clock->clock.next_leave_log_us;
	int64		now_us = gid_time_monotonic_us();
	uint64		next = pg_atomic_read_u64(next_log);

	if ((uint64) now_us < next ||
		!pg_atomic_compare_exchange_u64(next_log, &next,
										(uint64) (now_us + GID_LEAVE_LOG_EVERY_US)))
		return;
	gid_clock_file_report(LOG, error,
						  "The time of the last ids could not be written. After a restart ids lead the wall clock by up to five seconds.",
						  NULL);
}

/*
 * The postmaster, or a stand-alone backend, exits with code 0: write the words
 * to gid.clock, if they have started.  Waits only for the disk.  Raises
 * nothing: a failed write is a LOG line.
 */
void
gid_leave_server_exit(void)
{
	GidClockFileError error;

	if (pg_atomic_read_u32(&gid_clock->clock.ready) != 0 && !gid_leave_write(&error))
		gid_leave_log(&error);
}

/*
 * on_shmem_exit callback of each attached backend.  The last one to leave
 * writes the words to gid.clock.  Waits only for the disk.  Raises nothing: a
 * failed write is a LOG line, and the former bound stays, which is not less.
 */
static void
gid_leave(int code, Datum arg)
{
	GidClock   *clock = &gid_clock->clock;
	GidClockFileError error;
	sigset_t	old_mask;
	bool		ok = true;
	uint32		nobody = 0;

	if (!gid_leave_counted)
		return;
	gid_leave_counted = false;

	/* some background workers exit in the handler of a signal; not now */
	sigprocmask(SIG_SETMASK, &BlockSig, &old_mask);
	(void) pg_atomic_fetch_sub_u32(&clock->attached, 1);

	/* does gid.clock hold a bound that no backend needs any more? */
	while (ok && gid_leave_nobody_attached() &&
		   pg_atomic_read_u32(&clock->ready) != 0 &&
		   pg_atomic_read_u64(&clock->bound_us) != 0 &&
		   pg_atomic_compare_exchange_u32(&clock->leaver, &nobody, 1))
	{
		/* another mover is attached, or has found this leaver and gone */
		if (gid_bound_try_mover())
		{
			ok = gid_leave_replace_bound(&error);
			gid_bound_release_mover();
		}
		(void) pg_atomic_exchange_u32(&clock->leaver, 0);
	}
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	if (!ok)
		gid_leave_log(&error);
}

/*
 * Count this backend among the attached, until its exit, unless the server
 * writes when it exits.  Further calls do nothing.  Raises the errors of
 * on_shmem_exit().  Does not wait.
 */
void
gid_leave_register(void)
{
	if (gid_leave_counted || gid_attach_has_server_exit())
		return;
	on_shmem_exit(gid_leave, (Datum) 0);
	(void) pg_atomic_fetch_add_u32(&gid_clock->clock.attached, 1);
	gid_leave_counted = true;
}
