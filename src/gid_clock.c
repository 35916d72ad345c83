/*-------------------------------------------------------------------------
 *
 * gid_clock.c
 *		The clock, the growing words, the durable bound.
 *
 * Each clock-driven family draws from one 64-bit word of the server,
 * next = max(last + 1, now).  This file is the only one that reads the clock.
 *
 * The server's time is max(CLOCK_REALTIME, greatest offset seen + monotonic
 * time), where the offset is that of the wall clock against CLOCK_MONOTONIC.
 * A step forward raises the offset; after a step back the server's time goes
 * on at the pace of the monotonic clock, until the wall clock has caught up.
 * The ordinary path compares a reading of the wall clock with the word alone;
 * both clocks are read, and the offset is noted, when the word crosses its
 * gate, which is GID_OBSERVE_NS after the last such look or, for words of whole
 * seconds, at the next second.
 *
 * The durable bound is a moment in the file gid.clock; no word reaches it.  It
 * is moved to some seconds ahead of the server's time before the words come
 * to it, by whichever backend first sees that it is near, while the others go
 * on; a word that does come to it (after a pause, or a step forward) waits.
 *
 * State: GidClock and the GidWords in shared memory, and gid.clock.
 *
 * Invariants:
 * 1. last only grows, by CAS; every value is given to the one whose CAS made
 *	  it.
 * 2. gate <= limit, and limit is raised only after gid.clock with the new
 *	  bound is on disk.  So every value given lies below what a restart reads.
 * 3. A word leads the server's time by at most one second (the whole of the
 *	  next second for words of whole seconds); then the caller waits.
 * 4. The offset only grows.
 * 5. mover is 1 while one process works on the file.  Nothing between taking
 *	  and releasing it raises an error or looks at interrupts, so it is
 *	  always released; no other lock is held meanwhile.
 *
 * Crash: the words start at max(now, bound) in a new shared memory.  Clean
 * shutdown under preload: the postmaster writes the words themselves, so that
 * nothing is skipped.  Standby: it has its own file and its own words.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/latch.h"

#include "gid_clock.h"
#include "gid_clock_file.h"
#include "gid_compat.h"

#define GID_NS_PER_MS			INT64CONST(1000000)

/* How far ahead of the server's time the bound is set, in whole seconds. */
#define GID_BOUND_AHEAD_S		5

/* Closer than this the bound is moved ahead. */
#define GID_BOUND_NEAR_NS		(2 * GID_NS_PER_S)

/* After a failed move ahead the next one is tried so much later. */
#define GID_BOUND_RETRY_NS		GID_NS_PER_S

/* Both clocks are read at least this often while ids are made. */
#define GID_OBSERVE_NS			(250 * GID_NS_PER_MS)

/*
 * A wall clock less than this behind is not behind: the two clocks are not
 * read at the same instant.
 */
#define GID_BEHIND_NS			GID_NS_PER_MS

/* A lead over the wall clock that is worth a line in the log, and how often. */
#define GID_LEAD_LOG_NS			(10 * GID_NS_PER_S)
#define GID_LEAD_LOG_EVERY_NS	(60 * GID_NS_PER_S)

/* The server's time, and how far the wall clock lies behind it. */
typedef struct GidNow
{
	int64		ns;				/* server's time since the Unix epoch */
	int64		lead_ns;		/* of it over the wall clock, >= 0 */
	int64		monotonic_ns;
} GidNow;

static int64
gid_clock_read_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64) ts.tv_sec * GID_NS_PER_S + ts.tv_nsec;
}

/*
 * Read both clocks and note the offset.  The wall clock is read first, so that
 * a pause between the two makes the offset smaller, never greater: the
 * server's time cannot creep ahead by pauses.  One that makes the wall clock
 * look behind is told apart by reading again.
 */
static GidNow
gid_clock_observe(void)
{
	GidClock   *clock = &gid_header->clock;
	GidNow		now;

	for (int i = 0; i < 3; i++)
	{
		int64		wall = gid_clock_read_ns(CLOCK_REALTIME);
		int64		offset;
		uint64		seen;

		wall = Max(wall, 0);
		now.monotonic_ns = gid_clock_read_ns(CLOCK_MONOTONIC);
		offset = wall - now.monotonic_ns;
		seen = pg_atomic_read_u64(&clock->offset_ns);
		while ((int64) seen < offset)
		{
			if (pg_atomic_compare_exchange_u64(&clock->offset_ns, &seen,
											   (uint64) offset))
				seen = (uint64) offset;
		}
		now.ns = now.monotonic_ns + (int64) seen;
		now.lead_ns = now.ns - wall;
		if (now.lead_ns < GID_BEHIND_NS)
			break;
	}
	return now;
}

/* Log a lead of more than ten seconds, once a minute over all backends. */
static void
gid_clock_log_lead(const GidNow *now)
{
	GidClock   *clock = &gid_header->clock;
	uint64		next;

	if (now->lead_ns <= GID_LEAD_LOG_NS)
		return;
	next = pg_atomic_read_u64(&clock->next_log_ns);
	if ((uint64) now->monotonic_ns < next ||
		!pg_atomic_compare_exchange_u64(&clock->next_log_ns, &next,
										(uint64) (now->monotonic_ns + GID_LEAD_LOG_EVERY_NS)))
		return;
	ereport(LOG,
			(errmsg("gid: the server's time for ids leads the wall clock by %lld s",
					(long long) (now->lead_ns / GID_NS_PER_S)),
			 errdetail("The wall clock was set back. Ids go on from the latest time seen, so that none is made twice."),
			 errhint("If the clock had been set too far ahead by mistake, see the operations section of gid's README.")));
}

/*
 * Take or give up the right to work on gid.clock.  Interrupts are held off in
 * between, so that nothing can leave it taken.
 */
static bool
gid_clock_try_mover(void)
{
	uint32		expected = 0;

	HOLD_INTERRUPTS();
	if (pg_atomic_compare_exchange_u32(&gid_header->clock.mover, &expected, 1))
		return true;
	RESUME_INTERRUPTS();
	return false;
}

static void
gid_clock_release_mover(void)
{
	(void) pg_atomic_exchange_u32(&gid_header->clock.mover, 0);
	ConditionVariableBroadcast(&gid_header->clock.moved);
	RESUME_INTERRUPTS();
}

/* Wait until nobody works on gid.clock; interruptible. */
static void
gid_clock_wait_for_mover(void)
{
	static uint32 wait_event = 0;

	ConditionVariablePrepareToSleep(&gid_header->clock.moved);
	while (pg_atomic_read_u32(&gid_header->clock.mover) != 0)
		ConditionVariableSleep(&gid_header->clock.moved,
							   gid_wait_event(&wait_event, "GidClockBound"));
	ConditionVariableCancelSleep();
}

/* Raise what kept the bound from being moved. */
static void
gid_clock_raise_write_error(const GidClockFileError *error)
{
	errno = error->os_error;
	ereport(ERROR,
			(errcode(gid_clock_file_errcode(error)),
			 errmsg("could not %s file \"%s\": %m", error->action, error->name),
			 errdetail("Ids that follow the clock are issued only below a bound that is on disk, and the bound is reached."),
			 errhint("Make the data directory writable and see that its disk has space; ids go on without a restart.")));
}

/*
 * The bound for a moment: whole seconds, so that it is the same moment for
 * every word.  A clock beyond the last second of the calendar is an error.
 */
static int64
gid_clock_bound_for(int64 now_ns)
{
	return now_ns / GID_NS_PER_S + GID_BOUND_AHEAD_S;
}

/*
 * Move the bound to a moment, Unix seconds: the file first, then the limits.
 * The caller is the mover.
 */
static bool
gid_clock_set_bound(int64 bound_s, GidClockFileError *error)
{
	GidHeader  *h = gid_header;
	uint64		words[GID_NWORDS];

	for (int id = 0; id < GID_NWORDS; id++)
		words[id] = gid_word_at(id, bound_s, 0);
	if (!gid_clock_file_write(h->clock.system_identifier, words, error))
		return false;

	for (int id = 0; id < GID_NWORDS; id++)
	{
		if (words[id] > pg_atomic_read_u64(&h->words[id].word.limit))
			pg_atomic_write_u64(&h->words[id].word.limit, words[id]);
	}
	pg_atomic_write_u64(&h->clock.bound_s, (uint64) bound_s);
	return true;
}

/*
 * Move the bound ahead of the server's time.  "needed": the caller cannot go
 * on without; it waits for another mover, and an error of the operating system
 * is raised.  Otherwise it is left to the other mover, and an error is a LOG
 * line.
 */
static void
gid_clock_move_bound(const GidNow *now, bool needed)
{
	GidClock   *clock = &gid_header->clock;
	GidClockFileError error;
	int64		bound_s = gid_clock_bound_for(now->ns);
	bool		ok = true;

	if (!needed &&
		(uint64) now->monotonic_ns < pg_atomic_read_u64(&clock->next_try_ns))
		return;
	if (!gid_clock_try_mover())
	{
		if (needed)
			gid_clock_wait_for_mover();
		return;
	}
	if (bound_s > (int64) pg_atomic_read_u64(&clock->bound_s))
		ok = gid_clock_set_bound(bound_s, &error);
	pg_atomic_write_u64(&clock->next_try_ns,
						ok ? 0 : (uint64) (now->monotonic_ns + GID_BOUND_RETRY_NS));
	gid_clock_release_mover();

	if (ok)
		return;
	if (needed)
		gid_clock_raise_write_error(&error);
	errno = error.os_error;
	ereport(LOG,
			(errcode(gid_clock_file_errcode(&error)),
			 errmsg("gid: could not %s file \"%s\": %m", error.action, error.name),
			 errdetail("Ids that follow the clock stop in a few seconds if this lasts.")));
}

/*
 * Start one word: it has issued nothing yet in this life of the server, and
 * its first value is not below "first".  The shard word's counter starts at
 * its random place.
 */
static void
gid_clock_start_word(GidWordId id, uint64 first, uint64 now)
{
	uint64		last;

	if (id == GID_WORD_SHARD)
		now |= gid_header->shard_counter;
	last = Max(first, now);
	pg_atomic_write_u64(&gid_header->words[id].word.last, last);
}

/*
 * Start the words at max(now, bound), with what was read from the file, and
 * put a new bound on disk.  The caller is the mover.
 */
static bool
gid_clock_start_words(const uint64 bound[GID_NWORDS], GidClockFileError *error)
{
	GidHeader  *h = gid_header;
	GidNow		now;
	int64		floor_ns = 0;
	int64		offset;

	/* the server's time is no less than the bound */
	for (int id = 0; id < GID_NWORDS; id++)
		floor_ns = Max(floor_ns, gid_word_ns(id, bound[id]));
	now = gid_clock_observe();
	offset = floor_ns - now.monotonic_ns;
	if (offset > (int64) pg_atomic_read_u64(&h->clock.offset_ns))
		pg_atomic_write_u64(&h->clock.offset_ns, (uint64) offset);
	now = gid_clock_observe();

	if (!gid_clock_set_bound(gid_clock_bound_for(now.ns), error))
		return false;
	for (int id = 0; id < GID_NWORDS; id++)
		gid_clock_start_word(id, bound[id],
							 gid_word_at(id, now.ns / GID_NS_PER_S, now.ns % GID_NS_PER_S));
	pg_write_barrier();
	pg_atomic_write_u32(&h->clock.ready, 1);
	return true;
}

/*
 * Read gid.clock and start the words, if nobody has since the server started.
 * Raises XX001 when the file is damaged, 58030 when it cannot be read, 53100 or
 * 58030 when the new bound cannot be written; the next call tries again.
 */
static void
gid_clock_start(void)
{
	GidClock   *clock = &gid_header->clock;
	GidClockFileState state;
	GidClockFileError error;
	uint64		bound[GID_NWORDS] = {0};
	uint64		mine = GetSystemIdentifier();
	uint64		theirs = mine;
	bool		ok = true;

	while (pg_atomic_read_u32(&clock->ready) == 0)
	{
		if (!gid_clock_try_mover())
		{
			gid_clock_wait_for_mover();
			continue;
		}
		if (pg_atomic_read_u32(&clock->ready) != 0)
		{
			gid_clock_release_mover();
			return;
		}
		clock->system_identifier = mine;
		state = gid_clock_file_read(&theirs, bound, &error);
		if (state == GID_CLOCK_FILE_READ && theirs != mine)
			memset(bound, 0, sizeof(bound));
		if (state == GID_CLOCK_FILE_READ || state == GID_CLOCK_FILE_MISSING)
			ok = gid_clock_start_words(bound, &error);
		gid_clock_release_mover();

		if (state == GID_CLOCK_FILE_TORN)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("file \"%s\" in the data directory is damaged", GID_CLOCK_FILE),
					 errdetail("It holds the time up to which ids may have been issued; its length or checksum is wrong."),
					 errhint("If the clock is right and was not set back, remove the file; ids then start from the clock, without a restart.")));
		if (state == GID_CLOCK_FILE_FAILED)
		{
			errno = error.os_error;
			ereport(ERROR,
					(errcode(gid_clock_file_errcode(&error)),
					 errmsg("could not %s file \"%s\": %m", error.action, error.name),
					 errdetail("It holds the time up to which ids may have been issued."),
					 errhint("Make the file readable; or, if the clock is right and was not set back, remove it.")));
		}
		if (!ok)
			gid_clock_raise_write_error(&error);
		if (theirs != mine)
			ereport(WARNING,
					(errmsg("file \"%s\" was of another database system and has been replaced", GID_CLOCK_FILE),
					 errdetail("Its system identifier is %llu, this system's is %llu.",
							   (unsigned long long) theirs, (unsigned long long) mine)));
	}
}

/*
 * Sleep until the server's time comes within reach of a word; interruptible.
 */
static void
gid_clock_wait(GidWordId id, uint64 next, const GidNow *now)
{
	static uint32 wait_events[GID_NWORDS];
	static const char *const names[GID_NWORDS] = {
		[GID_WORD_V7] = "GidV7Lead",
		[GID_WORD_TICKS] = "GidTicksLead",
		[GID_WORD_TRACE] = "GidTraceLead",
		[GID_WORD_SHARD] = "GidShardLead",
	};
	int64		ms = (gid_word_ns(id, next) - GID_NS_PER_S - now->ns) / GID_NS_PER_MS + 1;

	(void) names;				/* without wait event names, before 17 */
	pg_atomic_fetch_add_u64(&gid_header->words[id].word.waits, 1);
	CHECK_FOR_INTERRUPTS();
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 Max(ms, 1), gid_wait_event(&wait_events[id], names[id]));
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * The first value that a word may not take at a moment: it may lead by one
 * second, a word of whole seconds by the whole of the next one.
 */
static uint64
gid_clock_lead_limit(GidWordId id, int64 now_ns)
{
	int64		s = now_ns / GID_NS_PER_S;

	if (gid_word_has_whole_seconds(id))
		return gid_word_at(id, s + 2, 0);
	return gid_word_at(id, s + 1, now_ns % GID_NS_PER_S) + 1;
}

/*
 * Set a word's gate to where both clocks are to be read again, and not beyond
 * its limit.  While the wall clock lies behind, every word's gate is shut, so
 * that one that was idle during the step does not believe the wall clock.
 */
static void
gid_clock_set_gate(GidWordId id, const GidNow *now)
{
	GidHeader  *h = gid_header;
	GidWord    *word = &h->words[id].word;
	int64		s = now->ns / GID_NS_PER_S;
	int64		ns = now->ns % GID_NS_PER_S;
	uint64		gate;

	if (now->lead_ns >= GID_BEHIND_NS)
	{
		for (int i = 0; i < GID_NWORDS; i++)
			pg_atomic_write_u64(&h->words[i].word.gate, 0);
		if (pg_atomic_read_u32(&h->clock.behind) == 0 &&
			pg_atomic_exchange_u32(&h->clock.behind, 1) == 0)
			pg_atomic_fetch_add_u64(&h->clock.steps_back, 1);
		return;
	}
	if (pg_atomic_read_u32(&h->clock.behind) != 0)
		pg_atomic_write_u32(&h->clock.behind, 0);

	if (gid_word_has_whole_seconds(id))
		gate = gid_word_at(id, s + 1, 0);
	else
		gate = gid_word_at(id, s, ns + GID_OBSERVE_NS);
	pg_atomic_write_u64(&word->gate,
						Min(gate, pg_atomic_read_u64(&word->limit)));
}

/*
 * gid_clock_next() where more is needed than the wall clock and the word: the
 * words are to be started, both clocks to be read, the bound to be moved, or
 * the word leads by more than it may.
 *
 * May wait, interruptibly, for the clock or for gid.clock to be written.
 * Raises XX001, 58030 or 53100 when gid.clock cannot be read or written, 22008
 * when the clock is beyond the year 9999.
 */
uint64
gid_clock_next_slow(GidWordId id)
{
	GidWord    *word = &gid_header->words[id].word;

	for (;;)
	{
		GidNow		now;
		uint64		last;
		uint64		next;

		if (pg_atomic_read_u32(&gid_header->clock.ready) == 0)
			gid_clock_start();
		pg_read_barrier();

		now = gid_clock_observe();
		if (now.ns / GID_NS_PER_S + GID_BOUND_AHEAD_S > GID_LAST_SECOND)
			ereport(ERROR,
					(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
					 errmsg("the server's clock is beyond the year 9999"),
					 errhint("Set the clock right; see the operations section of gid's README for ids that were made meanwhile.")));
		gid_clock_log_lead(&now);

		last = pg_atomic_read_u64(&word->last);
		next = gid_word_step(id, last,
							 gid_word_at(id, now.ns / GID_NS_PER_S, now.ns % GID_NS_PER_S));
		if (next >= gid_clock_lead_limit(id, now.ns))
		{
			gid_clock_wait(id, next, &now);
			continue;
		}
		if (next >= pg_atomic_read_u64(&word->limit))
		{
			gid_clock_move_bound(&now, true);
			continue;
		}
		if ((int64) pg_atomic_read_u64(&gid_header->clock.bound_s) * GID_NS_PER_S -
			now.ns < GID_BOUND_NEAR_NS)
			gid_clock_move_bound(&now, false);

		gid_clock_set_gate(id, &now);
		if (pg_atomic_compare_exchange_u64(&word->last, &last, next))
			return next;
	}
}

/*
 * What a view shows of a word.  False while the words have not started: it is
 * not for a view to start them.
 */
bool
gid_clock_stat(GidWordId id, GidClockStat * stat)
{
	GidClock   *clock = &gid_header->clock;
	GidWord    *word = &gid_header->words[id].word;
	GidNow		now;

	if (pg_atomic_read_u32(&clock->ready) == 0)
		return false;
	pg_read_barrier();
	now = gid_clock_observe();
	stat->bound_ns = gid_word_ns(id, pg_atomic_read_u64(&word->limit));
	stat->last_ns = gid_word_ns(id, pg_atomic_read_u64(&word->last));
	stat->lead_ns = Max(stat->last_ns, now.ns) - (now.ns - now.lead_ns);
	stat->steps_back = (int64) pg_atomic_read_u64(&clock->steps_back);
	stat->waits = (int64) pg_atomic_read_u64(&word->waits);
	return true;
}

/* Set up the clock's part of a zeroed header: nothing is known yet. */
void
gid_clock_init(GidHeader *header)
{
	GidClock   *clock = &header->clock;

	for (int id = 0; id < GID_NWORDS; id++)
	{
		GidWord    *word = &header->words[id].word;

		pg_atomic_init_u64(&word->last, 0);
		pg_atomic_init_u64(&word->gate, 0);
		pg_atomic_init_u64(&word->limit, 0);
		pg_atomic_init_u64(&word->waits, 0);
	}
	pg_atomic_init_u32(&clock->ready, 0);
	pg_atomic_init_u32(&clock->mover, 0);
	ConditionVariableInit(&clock->moved);
	pg_atomic_init_u64(&clock->offset_ns, (uint64) PG_INT64_MIN);
	pg_atomic_init_u64(&clock->bound_s, 0);
	pg_atomic_init_u32(&clock->behind, 0);
	pg_atomic_init_u64(&clock->steps_back, 0);
	pg_atomic_init_u64(&clock->next_log_ns, 0);
	pg_atomic_init_u64(&clock->next_try_ns, 0);
}

/*
 * on_shmem_exit callback of the postmaster under preload: when it stops in
 * order, no backend is left, and the words themselves go to the file.  If that
 * fails the old bound stays, which is no less.
 */
void
gid_clock_shutdown(int code, Datum arg)
{
	GidHeader  *h = gid_header;
	GidClockFileError error;
	uint64		words[GID_NWORDS];

	if (code != 0 || h == NULL || pg_atomic_read_u32(&h->clock.ready) == 0)
		return;
	for (int id = 0; id < GID_NWORDS; id++)
		words[id] = pg_atomic_read_u64(&h->words[id].word.last) + 1;
	if (!gid_clock_file_write(h->clock.system_identifier, words, &error))
	{
		errno = error.os_error;
		ereport(LOG,
				(errcode(gid_clock_file_errcode(&error)),
				 errmsg("gid: could not %s file \"%s\": %m", error.action, error.name)));
	}
}
