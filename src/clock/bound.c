/*-------------------------------------------------------------------------
 *
 * clock/bound.c
 *		The durable bound: moves it ahead of the server's time.
 *
 * The durable bound is a moment in the file gid.clock.  No word reaches the
 * bound, and after a crash the words begin at the bound or later.  A backend
 * that sees the bound near moves it some seconds ahead, while the other
 * backends continue.  A word that reaches the bound, after a pause or a step
 * forward of the clock, waits until the bound has been moved.
 *
 * The bound is up to five seconds ahead of the wall clock.  If the server's
 * time leads by about as much or more, the bound is a sixteenth of the lead
 * ahead of it, at least a quarter of a second.  So a server that is killed
 * leaves a lead of five seconds at most, which hardly grows if it is killed
 * again and again.
 *
 * State: gid.clock; in shared memory GidClock's mover, bound_us and
 * next_try_us, and the limits of the words.
 *
 * Invariants:
 * 1. No limit is above gid.clock as it is on disk: a limit is raised after the
 *	  file has been written, and lowered before.
 * 2. One process at a time works on the file, the holder of the claim mover.
 *	  The mover raises no error, serves no interrupts and holds no other lock
 *	  before it has released the claim.
 * 3. What is written is never less than a limit.  So it is greater than every
 *	  issued value, whatever the clock says, and than every value of the file
 *	  that the server has started from.
 *
 * Crash: clock/start.c starts the words at max(now, bound) in a new shared
 * memory.  Restart: the last process out has written the words themselves, so
 * nothing is skipped (clock/leave.c); if the server runs on, bound_us is 0
 * until the next id moves the bound.  Clock step: a step back does not lower
 * the bound.  Standby: it has a file and words of its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>

#include "libpq/pqsignal.h"
#include "miscadmin.h"

#include "base/compat.h"
#include "clock/bound.h"
#include "clock/shared.h"

/*
 * The bound is ahead of the server's time by at least this share of the lead.
 * The share counts as no less than GID_BOUND_LEAST_US, and as no more than
 * GID_BOUND_AHEAD_S.
 */
#define GID_BOUND_LEAD_SHARE	16
#define GID_BOUND_LEAST_US		(GID_US_PER_S / 4)

/* After a failed move ahead, the next move is tried this much later. */
#define GID_BOUND_RETRY_US		GID_US_PER_S

/* The signals that were blocked before this backend became the mover. */
static sigset_t gid_bound_old_mask;

/*
 * Take the claim to work on gid.clock, if no other process has it.  Returns
 * false if one has.  Until gid_bound_release_mover() this process holds
 * interrupts off and blocks signals, since some background workers exit in the
 * handler of a signal.  So no process leaves the claim taken.  Does not wait.
 */
bool
gid_bound_try_mover(void)
{
	sigset_t	old_mask;

	HOLD_INTERRUPTS();
	sigprocmask(SIG_SETMASK, &BlockSig, &old_mask);
	if (gid_claim_try(&gid_clock->clock.mover))
	{
		gid_bound_old_mask = old_mask;
		return true;
	}
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	RESUME_INTERRUPTS();
	return false;
}

/* Release the claim, and wake the processes that wait for it. */
void
gid_bound_release_mover(void)
{
	gid_claim_release(&gid_clock->clock.mover);
	sigprocmask(SIG_SETMASK, &gid_bound_old_mask, NULL);
	RESUME_INTERRUPTS();
}

/* Wait until no process works on gid.clock.  Interruptible. */
void
gid_bound_wait_for_mover(void)
{
	static uint32 wait_event = 0;

	(void) gid_claim_wait_for(&gid_clock->clock.mover, -1,
							  gid_wait_event(&wait_event, "GidClockBound"));
}

/*
 * Raise 53100 or 58030: the bound could not be written, and the caller needs
 * it.  The caller is not the mover any more.
 */
void
gid_bound_raise_write_error(const GidClockFileError *error)
{
	gid_clock_file_report(ERROR, error,
						  "Ids that follow the clock are issued only below the durable bound, and the bound is reached.",
						  "Make the data directory writable, and make room on its disk. Ids then continue without a restart.");
}

/*
 * Return the bound that belongs to a moment, in microseconds since the Unix
 * epoch.
 */
int64
gid_bound_for(const GidNow *now)
{
	int64		wall_us = now->us - now->lead_us;
	int64		most_us = GID_BOUND_AHEAD_S * GID_US_PER_S;
	int64		ahead_us = Max(now->lead_us / GID_BOUND_LEAD_SHARE, GID_BOUND_LEAST_US);

	return Max((wall_us / GID_US_PER_S + GID_BOUND_AHEAD_S) * GID_US_PER_S,
			   now->us + Min(ahead_us, most_us));
}

/*
 * Return the bound as the first value that a word may not take.  In a word of
 * whole seconds the bound may lie within the counter of a second.  So a crash
 * does not lose the rest of the second.
 */
static uint64
gid_bound_word(GidWordId id, int64 bound_us)
{
	uint64		word = gid_word_at_us(id, bound_us);

	if (gid_word_has_whole_seconds(id))
		word += (uint64) (bound_us % GID_US_PER_S) * gid_word_rate(id) / GID_US_PER_S;
	return word;
}

/*
 * Return the same for a word that is ahead of the bound: a quarter of a second
 * beyond "next" and, in a word of whole seconds, not beyond that second.
 */
static uint64
gid_bound_beyond(GidWordId id, uint64 next)
{
	uint64		word = next + gid_word_rate(id) / 4;

	if (gid_word_has_whole_seconds(id))
		word = Min(word, gid_word_at_us(id, gid_word_us(id, next)) + gid_word_rate(id));
	return word;
}

/*
 * Move the bound to "bound_us" (microseconds since the Unix epoch), and beyond
 * the values of "next": first the file, then the limits.  Returns false, with
 * the reason in "error", when the file could not be written; the limits are
 * then unchanged.  The caller is the mover.  Waits only for the disk.
 */
bool
gid_bound_set(int64 bound_us, const uint64 next[GID_NWORDS], GidClockFileError *error)
{
	GidClockPart *h = gid_clock;
	uint64		words[GID_NWORDS];

	for (int id = 0; id < GID_NWORDS; id++)
	{
		words[id] = Max(gid_bound_word(id, bound_us),
						pg_atomic_read_u64(&h->words[id].word.limit));
		if (words[id] <= next[id])
			words[id] = gid_bound_beyond(id, next[id]);
	}
	if (!gid_clock_file_write(h->clock.system_identifier, words, error))
		return false;

	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&h->words[id].word.limit, words[id]);
	pg_atomic_write_u64(&h->clock.bound_us, (uint64) bound_us);
	return true;
}

/* Is less than half of the way to the bound left?  Then move the bound. */
bool
gid_bound_is_near(const GidNow *now)
{
	int64		bound_us = (int64) pg_atomic_read_u64(&gid_clock->clock.bound_us);

	return bound_us - now->us < (gid_bound_for(now) - now->us) / 2;
}

/*
 * Move the bound ahead of the server's time.
 *
 * "needed" says that the caller cannot continue before that, because word "id"
 * has reached its limit with the value "next".  The caller then waits for
 * another mover, interruptibly, and has to look again; a failure of the
 * operating system is raised as 53100 or 58030.  Otherwise another mover does
 * the work, and a failure is a LOG line.
 */
void
gid_bound_move(const GidNow *now, GidWordId id, uint64 next, bool needed)
{
	GidClock   *clock = &gid_clock->clock;
	GidClockFileError error;
	uint64		beyond[GID_NWORDS] = {0};
	int64		bound_us = gid_bound_for(now);
	int64		old_us;
	bool		ok = true;

	if (!needed &&
		(uint64) now->monotonic_us < pg_atomic_read_u64(&clock->next_try_us))
		return;
	if (!gid_bound_try_mover())
	{
		if (needed)
			gid_bound_wait_for_mover();
		return;
	}
	old_us = (int64) pg_atomic_read_u64(&clock->bound_us);
	if (needed && next >= pg_atomic_read_u64(&gid_clock->words[id].word.limit))
		beyond[id] = next;
	if (bound_us > old_us || beyond[id] != 0)
		ok = gid_bound_set(Max(bound_us, old_us), beyond, &error);
	pg_atomic_write_u64(&clock->next_try_us,
						ok ? 0 : (uint64) (now->monotonic_us + GID_BOUND_RETRY_US));
	gid_bound_release_mover();

	if (!ok && needed)
		gid_bound_raise_write_error(&error);
	if (!ok)
		gid_clock_file_report(LOG, &error,
							  "Ids that follow the clock stop in a few seconds if this lasts.",
							  NULL);
}
