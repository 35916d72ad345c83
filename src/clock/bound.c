/*-------------------------------------------------------------------------
 *
 * clock/bound.c
 *		The durable bound.
 *
 * The durable bound is a moment in the file gid.clock; no word reaches it, and
 * after a restart the words begin no earlier.  It is moved to some seconds
 * ahead of the server's time before the words come to it, by whichever backend
 * first sees that it is near, while the others go on; a word that does come to
 * it (after a pause, or a step forward) waits for that.
 *
 * How far ahead: up to five seconds of the wall clock.  While the server's
 * time leads the wall clock by about as much or more, a sixteenth of the lead,
 * and at least a quarter of a second.  So a server that is killed leaves a
 * lead of five seconds at most, and killed again and again it leaves hardly
 * more.
 *
 * State: gid.clock; in shared memory GidClock's ready, mover, bound_us,
 * next_try_us, killed and start_lead_us, and the limits of the words.
 *
 * Invariants:
 * 1. No limit is above gid.clock as it is on disk: a limit is raised after the
 *	  file has been written, and lowered before.
 * 2. One process at a time works on the file, the holder of the claim mover.
 *	  It raises no error and looks at no interrupts before it has released
 *	  it; no other lock is held meanwhile.
 * 3. The words start once in a life of the shared memory, when the first id
 *	  asks for it, after the file was read and a new bound is on disk.
 * 4. What is written is never less than a limit.  So it is greater than every
 *	  value issued, whatever the clock says, and than every value of the file
 *	  that the server has started from.
 *
 * Crash: the words start at max(now, bound) in a new shared memory.  Restart:
 * the last backend out has written the words themselves, so that nothing is
 * skipped (clock/leave.c); bound_us is then 0 until the next id moves the
 * bound.  Standby: it has its own file and its own words.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <signal.h>
#include <sys/stat.h>

#include "access/xlog.h"
#include "common/controldata_utils.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"

#include "base/compat.h"
#include "clock/bound.h"
#include "clock/clock_file.h"
#include "clock/server_time.h"
#include "clock/shared.h"

/*
 * How far ahead of the server's time at least: this part of the lead, between
 * this and GID_BOUND_AHEAD_S.
 */
#define GID_BOUND_LEAD_SHARE	16
#define GID_BOUND_LEAST_US		(GID_US_PER_S / 4)

/*
 * A lead at the start that stops that kill can account for, many in a row; or
 * restarts under gid 1.0, each of which left up to five seconds.
 */
#define GID_BOUND_KILLED_US		(60 * GID_US_PER_S)

/* After a failed move ahead the next one is tried so much later. */
#define GID_BOUND_RETRY_US		GID_US_PER_S

/* The signals that were blocked before this backend became the mover. */
static sigset_t gid_bound_old_mask;

/*
 * Take or give up the right to work on gid.clock.  Interrupts are held off in
 * between, and signals are blocked, since some background workers exit in the
 * handler of a signal.  So nothing can leave it taken.  Neither waits.
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

void
gid_bound_release_mover(void)
{
	gid_claim_release(&gid_clock->clock.mover);
	sigprocmask(SIG_SETMASK, &gid_bound_old_mask, NULL);
	RESUME_INTERRUPTS();
}

/* Wait until nobody works on gid.clock; interruptible. */
static void
gid_bound_wait_for_mover(void)
{
	static uint32 wait_event = 0;

	gid_claim_wait(&gid_clock->clock.mover,
				   gid_wait_event(&wait_event, "GidClockBound"));
}

/* Raise what kept the bound from being moved. */
static void
gid_bound_raise_write_error(const GidClockFileError *error)
{
	errno = error->os_error;
	ereport(ERROR,
			(errcode(gid_clock_file_errcode(error)),
			 errmsg("could not %s file \"%s\": %m", error->action, error->name),
			 errdetail("Ids that follow the clock are issued only below the durable bound, and the bound is reached."),
			 errhint("Make the data directory writable and see that its disk has space; ids go on without a restart.")));
}

/*
 * The bound for a moment, in microseconds since the Unix epoch.
 */
static int64
gid_bound_for(const GidNow *now)
{
	int64		wall_us = now->us - now->lead_us;
	int64		most_us = GID_BOUND_AHEAD_S * GID_US_PER_S;
	int64		ahead_us = Max(now->lead_us / GID_BOUND_LEAD_SHARE, GID_BOUND_LEAST_US);

	return Max((wall_us / GID_US_PER_S + GID_BOUND_AHEAD_S) * GID_US_PER_S,
			   now->us + Min(ahead_us, most_us));
}

/*
 * The bound as the first value that a word may not take.  In a word of whole
 * seconds it may stand within the counter of a second: so no second is lost by
 * a crash.
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
 * The same for a word that is ahead of the server's time, or in the second of
 * it: a quarter of a second beyond "next", within the second.
 */
static uint64
gid_bound_beyond(GidWordId id, uint64 next)
{
	uint64		word = next + gid_word_rate(id) / 4;

	if (gid_word_has_whole_seconds(id))
		word = Min(word, gid_word_at_us(id, gid_word_us(id, next)) + gid_word_rate(id));
	return word;
}

/* Raise 22008 when the server's time is beyond the calendar. */
void
gid_bound_check_calendar(const GidNow *now)
{
	if (gid_time_in_calendar(now->us))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("the server's clock is beyond the year 9999"),
			 errdetail("No id can carry its time."),
			 errhint("Set the clock right.")));
}

/*
 * Move the bound to a moment, and beyond the values of "next": the file first,
 * then the limits.  The caller is the mover.
 */
static bool
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

/* Is it time to move the bound ahead, since half of the way to it is gone? */
bool
gid_bound_is_near(const GidNow *now)
{
	int64		bound_us = (int64) pg_atomic_read_u64(&gid_clock->clock.bound_us);

	return bound_us - now->us < (gid_bound_for(now) - now->us) / 2;
}

/*
 * Move the bound ahead of the server's time.  "needed": the caller cannot go
 * on without, since its word has come to its limit with "next"; it waits for
 * another mover, and an error of the operating system is raised.  Otherwise it
 * is left to the other mover, and an error is a LOG line.
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

	if (ok)
		return;
	if (needed)
		gid_bound_raise_write_error(&error);
	errno = error.os_error;
	ereport(LOG,
			(errcode(gid_clock_file_errcode(&error)),
			 errmsg("gid: could not %s file \"%s\": %m", error.action, error.name),
			 errdetail("Ids that follow the clock stop in a few seconds if this lasts.")));
}

/*
 * Start one word: it has issued nothing yet in this life of the server, and
 * its first value is not below "first".  The shard word's counter starts at
 * its random place, and in a second of its own: what the server before issued
 * in this one has another generator, which stands before the counter.
 */
static void
gid_bound_start_word(GidWordId id, uint64 first, uint64 now)
{
	uint64		last;

	if (id == GID_WORD_SHARD)
		first = (first + GID_SHARD_RATE - 1) & ~(GID_SHARD_RATE - 1);
	last = Max(first, now);
	if (id == GID_WORD_SHARD)
	{
		last |= gid_clock->clock.shard_counter;
		gid_clock->clock.shard_start = last;
	}
	pg_atomic_write_u64(&gid_clock->words[id].word.last, last);
}

/*
 * May a stop that killed the server have left the words ahead of the wall
 * clock?  Then they are a bound, one moment, and not the words themselves; they
 * are not too far ahead; and the wall clock has not been set back since the
 * file was written.
 */
static bool
gid_bound_was_killed(const uint64 words[GID_NWORDS], const GidNow *now)
{
	int64		wall_us = now->us - now->lead_us;
	int64		v7_us = gid_word_us(GID_WORD_V7, words[GID_WORD_V7]);
	int64		ticks_us = gid_word_us(GID_WORD_TICKS, words[GID_WORD_TICKS]);
	struct stat st;

	/* rounded down twice, a moment may come out a microsecond earlier */
	if (Abs(v7_us - ticks_us) > 1 || v7_us - wall_us > GID_BOUND_KILLED_US)
		return false;
	return stat(GID_CLOCK_FILE, &st) != 0 ||
		st.st_mtime <= wall_us / GID_US_PER_S + 1;
}

/*
 * Have the words of gid.clock in file_words: all 0 when it is missing or
 * another system's.  They are read once in a life of the shared memory, since
 * a start that fails later has written a bound that nobody used.  The caller
 * is the mover.
 */
static GidClockFileState
gid_bound_read_file(const GidNow *now, uint64 *system_identifier,
					GidClockFileError *error)
{
	GidClock   *clock = &gid_clock->clock;
	uint64		words[GID_NWORDS] = {0};
	GidClockFileState state;

	clock->system_identifier = GetSystemIdentifier();
	*system_identifier = clock->system_identifier;
	if (clock->file_read)
		return GID_CLOCK_FILE_READ;

	state = gid_clock_file_read(system_identifier, words, error);
	if (state != GID_CLOCK_FILE_READ && state != GID_CLOCK_FILE_MISSING)
		return state;
	if (*system_identifier != clock->system_identifier)
		memset(words, 0, sizeof(words));
	for (int id = 0; id < GID_NWORDS; id++)
	{
		if (!gid_time_in_calendar(gid_word_us(id, words[id])))
			return GID_CLOCK_FILE_TORN;
	}
	memcpy(clock->file_words, words, sizeof(words));
	clock->killed = gid_bound_was_killed(words, now);
	clock->file_read = true;
	return state;
}

/*
 * Start the words at max(now, bound) and put a new bound on disk.  The caller
 * is the mover.  False when that failed; with a clock that is out of the
 * calendar nothing is done.
 */
static bool
gid_bound_start_words(GidClockFileError *error)
{
	GidClock   *clock = &gid_clock->clock;
	GidNow		now = gid_time_observe();
	uint64		none[GID_NWORDS] = {0};

	/*
	 * The server's time is no less than the bound.  A word of whole seconds
	 * may be in the second after the server's time, and a quarter of a second
	 * more; but it must not have to wait for long.
	 */
	for (int id = 0; id < GID_NWORDS; id++)
		gid_time_raise_to(&now, gid_word_us(id, clock->file_words[id]) -
						  (gid_word_has_whole_seconds(id) ? 2 * GID_US_PER_S : 0));
	now = gid_time_observe();
	if (!gid_time_in_calendar(now.us))
		return true;
	clock->start_lead_us = now.lead_us;

	/* these are on disk */
	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&gid_clock->words[id].word.limit, clock->file_words[id]);
	if (!gid_bound_set(gid_bound_for(&now), none, error))
		return false;
	for (int id = 0; id < GID_NWORDS; id++)
		gid_bound_start_word(id, clock->file_words[id], gid_word_at_us(id, now.us));
	pg_write_barrier();
	pg_atomic_write_u32(&clock->ready, 1);
	return true;
}

/* Raise what is wrong with gid.clock. */
static void
gid_bound_raise_read_error(GidClockFileState state, const GidClockFileError *error)
{
	if (state == GID_CLOCK_FILE_TORN)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("file \"%s\" in the data directory is damaged", GID_CLOCK_FILE),
				 errdetail("It holds the time up to which ids may have been issued; its length, checksum or content is wrong."),
				 errhint("If the clock is right and was not set back, remove the file; ids then start from the clock, without a restart.")));
	errno = error->os_error;
	ereport(ERROR,
			(errcode(gid_clock_file_errcode(error)),
			 errmsg("could not %s file \"%s\": %m", error->action, error->name),
			 errdetail("It holds the time up to which ids may have been issued."),
			 errhint("Make the file readable; or, if the clock is right and was not set back, remove it.")));
}

/*
 * gid.clock is missing: say so where a server before a promotion may have made
 * ids.  pg_rewind removes the file where its source has none, and so does a
 * restore that leaves it out.
 */
static void
gid_bound_log_missing(void)
{
	bool		crc_is_good;
	ControlFileData *control = get_controlfile(DataDir, &crc_is_good);
	TimeLineID	timeline = control->checkPointCopy.ThisTimeLineID;

	pfree(control);
	if (!crc_is_good || timeline <= 1)
		return;
	ereport(LOG,
			(errmsg("gid: file \"%s\" is missing on timeline %u", GID_CLOCK_FILE, timeline),
			 errdetail("pg_rewind replaces or removes it. This may also be the first id since the promotion."),
			 errhint("If this server's clock had been ahead, ids of a node number that stays the same can come again; keep the file over pg_rewind.")));
}

/*
 * Read gid.clock and start the words, if nobody has since the server started.
 * Raises XX001 when the file is damaged, 58030 when it cannot be read, 53100
 * or 58030 when the new bound cannot be written, 22008 when the clock is out
 * of the calendar; the next call tries again.
 */
void
gid_bound_start(void)
{
	GidClock   *clock = &gid_clock->clock;

	while (pg_atomic_read_u32(&clock->ready) == 0)
	{
		GidNow		now = gid_time_observe();
		GidClockFileState state = GID_CLOCK_FILE_READ;
		GidClockFileError error;
		uint64		theirs = 0;
		uint64		mine = 0;
		bool		ok = true;

		/* before such a time gets into the file */
		gid_bound_check_calendar(&now);
		if (!gid_bound_try_mover())
		{
			gid_bound_wait_for_mover();
			continue;
		}
		if (pg_atomic_read_u32(&clock->ready) == 0)
		{
			state = gid_bound_read_file(&now, &theirs, &error);
			mine = clock->system_identifier;
			if (clock->file_read)
				ok = gid_bound_start_words(&error);
		}
		gid_bound_release_mover();

		if (state == GID_CLOCK_FILE_TORN || state == GID_CLOCK_FILE_FAILED)
			gid_bound_raise_read_error(state, &error);
		if (theirs != mine)
			ereport(WARNING,
					(errmsg("file \"%s\" is of another database system and is replaced", GID_CLOCK_FILE),
					 errdetail("Its system identifier is %llu, this system's is %llu.",
							   (unsigned long long) theirs, (unsigned long long) mine)));
		if (!ok)
			gid_bound_raise_write_error(&error);
		if (state == GID_CLOCK_FILE_MISSING)
			gid_bound_log_missing();
	}
}
