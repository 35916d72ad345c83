/*-------------------------------------------------------------------------
 *
 * gid_clock.c
 *		The clock and the growing words.
 *
 * Each clock-driven family draws from one 64-bit word of the server,
 * next = max(last + 1, now).  This file is the only one that reads the clock.
 *
 * The server's time is max(CLOCK_REALTIME, slow time + greatest offset seen),
 * where slow time is CLOCK_MONOTONIC at half its pace and the offset is that of
 * the wall clock against it.  While the wall clock is ahead, the server's time
 * is the wall clock.  A step forward raises the offset.  After a step back, or
 * a start from a bound that is ahead, the server's time leads the wall clock.
 * It goes on at half a clock's pace until the wall clock has caught up.  So a
 * lead is gone in twice its length: the five seconds that a crash may leave in
 * ten, an hour in two.  A step back while no ids are made is a lead only as far
 * as the wall clock then lies behind the latest time seen plus half of the time
 * since.
 *
 * The ordinary path reads the wall clock alone and adds the lead that was last
 * seen.  Both clocks are read when the word crosses its gate, and when the clock
 * lies behind the word.  The gate is GID_OBSERVE_US after the last such look or,
 * for words of whole seconds, at the next second.  With a lead it is
 * GID_OBSERVE_LEAD_US after the look: between two looks the ordinary path goes
 * on at a clock's full pace, so at a look the server's time lies behind the word
 * by half of what has passed.  That half has to be less than gid_word_slack(),
 * or every id would take the slow path.  A word of whole seconds has a slack of
 * a second; it comes to the next one in ever shorter looks.
 *
 * State: in shared memory the words' last values, gates and leads, and of
 * GidClock what is known of the clock.
 *
 * Invariants:
 * 1. last only grows, by CAS; every value is given to the one whose CAS made
 *	  it.
 * 2. gate <= limit, the durable bound (gid_bound.c).  So every value given
 *	  lies below what a restart reads.
 * 3. A word leads the server's time by at most one second (the whole of the
 *	  next second for words of whole seconds); then the caller waits.
 * 4. The offset only grows, so the server's time does not go back.
 *
 * A crash or a restart wipes all of this, and the words begin at max(now,
 * gid.clock).  A standby has its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/latch.h"

#include "gid_bound.h"
#include "gid_clock.h"
#include "gid_clock_file.h"
#include "gid_compat.h"

/*
 * Both clocks are read at least this often while ids are made, and with a lead:
 * half of it is less than the 10 ms of the v7 word's slack.
 */
#define GID_OBSERVE_US			(250 * GID_US_PER_MS)
#define GID_OBSERVE_LEAD_US		(16 * GID_US_PER_MS)

/*
 * A wall clock less than this behind is not behind: the two clocks are not
 * read at the same instant.
 */
#define GID_BEHIND_US			GID_US_PER_MS

/*
 * A wall clock that falls by more than this against the monotonic clock has been
 * set back.
 */
#define GID_STEP_US				(10 * GID_US_PER_MS)

/* A lead over the wall clock that is worth a line in the log, and how often. */
#define GID_LEAD_LOG_US			(10 * GID_US_PER_S)
#define GID_LEAD_LOG_EVERY_US	(60 * GID_US_PER_S)

static int64
gid_clock_read_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64) ts.tv_sec * GID_US_PER_S + ts.tv_nsec / GID_NS_PER_US;
}

/* A clock that does not go back, in microseconds since some moment. */
int64
gid_clock_monotonic_us(void)
{
	return gid_clock_read_us(CLOCK_MONOTONIC);
}

/* Slow time.  Its pace lets a lead drain. */
static int64
gid_clock_slow_us(const GidNow *now)
{
	return now->monotonic_us / 2;
}

/* Raise a shared int64 to a value, unless it is there or beyond. */
static void
gid_clock_raise(pg_atomic_uint64 *shared, int64 value)
{
	uint64		seen = pg_atomic_read_u64(shared);

	while ((int64) seen < value &&
		   !pg_atomic_compare_exchange_u64(shared, &seen, (uint64) value))
		;
}

/* Have the server's time be at least "us" at the moment of "now". */
void
gid_clock_raise_to(const GidNow *now, int64 us)
{
	gid_clock_raise(&gid_header->clock.offset_us, us - gid_clock_slow_us(now));
}

/*
 * Read both clocks, the wall clock between two readings of the other, and again
 * if there was a pause in between that would look like a step.
 */
static GidNow
gid_clock_look(void)
{
	int64		wall;
	int64		before;
	int64		offset;
	GidNow		now;

	for (int i = 0; i < 3; i++)
	{
		before = gid_clock_read_us(CLOCK_MONOTONIC);
		wall = gid_clock_read_us(CLOCK_REALTIME);
		now.monotonic_us = gid_clock_read_us(CLOCK_MONOTONIC);
		if (now.monotonic_us - before < GID_BEHIND_US)
			break;
	}
	offset = (int64) pg_atomic_read_u64(&gid_header->clock.offset_us);
	now.us = gid_clock_slow_us(&now) + offset;
	if (now.us - wall < GID_BEHIND_US)
		now.us = wall;
	now.lead_us = now.us - wall;
	return now;
}

/* How far the wall clock lies before the monotonic clock. */
static int64
gid_clock_wall_offset(const GidNow *now)
{
	return now->us - now->lead_us - now->monotonic_us;
}

/*
 * Read both clocks and note the time seen; but not one that no id can carry:
 * the caller refuses it (gid_bound_check_calendar()), and when the clock is set
 * right it shall be forgotten.
 */
GidNow
gid_clock_observe(void)
{
	GidClock   *clock = &gid_header->clock;
	GidNow		now = gid_clock_look();
	int64		wall_offset = gid_clock_wall_offset(&now);
	int64		before;

	if (!gid_bound_in_calendar(now.us))
		return now;
	if (now.lead_us == 0)
		gid_clock_raise_to(&now, now.us);

	/* the monotonic clock has no steps, so this is one of the wall clock */
	if ((int64) pg_atomic_read_u64(&clock->wall_offset_us) != wall_offset)
	{
		before = (int64) pg_atomic_exchange_u64(&clock->wall_offset_us,
												(uint64) wall_offset);
		if (wall_offset < before - GID_STEP_US)
			pg_atomic_fetch_add_u64(&clock->steps_back, 1);
		gid_clock_raise(&clock->wall_offset_max_us, wall_offset);
	}
	return now;
}

/*
 * Say where a lead comes from: the greater part of it is from steps back of the
 * wall clock that were seen, or all of it was there at the start.
 */
static int
gid_clock_explain_lead(const GidNow *now)
{
	GidClock   *clock = &gid_header->clock;
	int64		greatest = (int64) pg_atomic_read_u64(&clock->wall_offset_max_us);
	int64		back_us = greatest - gid_clock_wall_offset(now);

	if (back_us > now->lead_us / 2)
	{
		errdetail("The wall clock was set back by %lld s while the server ran. Ids go on from the latest time, so that none is made twice.",
				  (long long) (back_us / GID_US_PER_S));
		return errhint("If the wall clock is right now, the lead is gone in twice its length. If it had been set too far ahead by mistake, see the operations section of gid's README.");
	}
	if (clock->killed)
	{
		errdetail("File \"%s\" was %lld s ahead of the wall clock at the start, because the server was killed or stopped at once before, several times in a row or after the wall clock was set back, or restarted with gid 1.0.",
				  GID_CLOCK_FILE, (long long) (clock->start_lead_us / GID_US_PER_S));
		return errhint("Nothing needs to be done: the lead is gone in twice its length. A fast or smart shutdown leaves no lead.");
	}
	errdetail("File \"%s\" was %lld s ahead of the wall clock at the start, because the wall clock was set back before. Ids go on from the latest time, so that none is made twice.",
			  GID_CLOCK_FILE, (long long) (clock->start_lead_us / GID_US_PER_S));
	return errhint("If the wall clock is right now, the lead is gone in twice its length. If it had been set too far ahead by mistake, see the operations section of gid's README.");
}

/* Log a lead of more than ten seconds, once a minute over all backends. */
static void
gid_clock_log_lead(const GidNow *now)
{
	GidClock   *clock = &gid_header->clock;
	uint64		next;

	if (now->lead_us <= GID_LEAD_LOG_US)
		return;
	next = pg_atomic_read_u64(&clock->next_log_us);
	if ((uint64) now->monotonic_us < next ||
		!pg_atomic_compare_exchange_u64(&clock->next_log_us, &next,
										(uint64) (now->monotonic_us + GID_LEAD_LOG_EVERY_US)))
		return;
	ereport(LOG,
			(errmsg("gid: the server's time for ids leads the wall clock by %lld s",
					(long long) (now->lead_us / GID_US_PER_S)),
			 gid_clock_explain_lead(now)));
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
	int64		ms = (gid_word_us(id, next) - GID_US_PER_S - now->us) / GID_US_PER_MS + 1;

	if (now->lead_us > 0)
		ms *= 2;				/* at half a clock's pace */
	(void) names;				/* without wait event names, before 17 */
	pg_atomic_fetch_add_u64(&gid_header->words[id].word.waits, 1);
	CHECK_FOR_INTERRUPTS();
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 Min(Max(ms, 1), 1000), gid_wait_event(&wait_events[id], names[id]));
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * The first value that a word may not take at a moment: it may lead by one
 * second, a word of whole seconds by the whole of the next one.
 */
static uint64
gid_clock_lead_limit(GidWordId id, int64 now_us)
{
	if (gid_word_has_whole_seconds(id))
		return gid_word_at(id, now_us / GID_US_PER_S + 2, 0);
	return gid_word_at_us(id, now_us + GID_US_PER_S) + 1;
}

/*
 * Set a word's gate to where both clocks are to be read again, and not beyond
 * its limit; and have all words know the lead, so that one that was idle during
 * a step back does not believe the wall clock.
 */
static void
gid_clock_set_gate(GidWordId id, const GidNow *now)
{
	GidHeader  *h = gid_header;
	GidWord    *word = &h->words[id].word;
	uint64		lead_us = (uint64) now->lead_us;
	uint64		gate;

	for (int i = 0; i < GID_NWORDS; i++)
	{
		if (pg_atomic_read_u64(&h->words[i].word.lead_us) != lead_us)
			pg_atomic_write_u64(&h->words[i].word.lead_us, lead_us);
	}

	if (gid_word_has_whole_seconds(id))
		gate = gid_word_at(id, now->us / GID_US_PER_S + 1, 0);
	else
		gate = gid_word_at_us(id, now->us + (lead_us > 0 ? GID_OBSERVE_LEAD_US :
											 GID_OBSERVE_US));
	pg_atomic_write_u64(&word->gate,
						GID_FAULT_NO_LIMIT ? gate :
						Min(gate, pg_atomic_read_u64(&word->limit)));
}

/*
 * gid_clock_take() where more is needed than the wall clock and the word: the
 * words are to be started, both clocks to be read, the bound to be moved, or
 * the word leads by more than it may.
 *
 * May wait, interruptibly, for the clock or for gid.clock to be written.
 * Raises XX001, 58030 or 53100 when gid.clock cannot be read or written, 22008
 * when the clock is beyond the year 9999.
 */
uint64
gid_clock_take_slow(GidWordId id)
{
	GidWord    *word = &gid_header->words[id].word;

	for (;;)
	{
		GidNow		now;
		uint64		last;
		uint64		next;

		if (pg_atomic_read_u32(&gid_header->clock.ready) == 0)
			gid_bound_start();
		pg_read_barrier();

		now = gid_clock_observe();
		gid_bound_check_calendar(&now);
		gid_clock_log_lead(&now);

		last = pg_atomic_read_u64(&word->last);
		next = gid_word_step(id, last, gid_word_at_us(id, now.us));
		if (next >= gid_clock_lead_limit(id, now.us))
		{
			gid_clock_wait(id, next, &now);
			continue;
		}
		if (!GID_FAULT_NO_LIMIT && next >= pg_atomic_read_u64(&word->limit))
		{
			gid_bound_move(&now, id, next, true);
			continue;
		}
		if (gid_bound_is_near(&now))
			gid_bound_move(&now, id, next, false);

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
gid_clock_stat(GidWordId id, GidClockStat *stat)
{
	GidClock   *clock = &gid_header->clock;
	GidWord    *word = &gid_header->words[id].word;
	GidNow		now;

	if (pg_atomic_read_u32(&clock->ready) == 0)
		return false;
	pg_read_barrier();
	now = gid_clock_look();
	stat->bound_us = gid_word_us(id, pg_atomic_read_u64(&word->limit));
	stat->last_us = gid_word_us(id, pg_atomic_read_u64(&word->last));
	stat->lead_us = Max(stat->last_us, now.us) - (now.us - now.lead_us);
	stat->wraps_us = (GID_LAST_SECOND + 1) * GID_US_PER_S;
	stat->repeats_us = 0;
	if (gid_word_has_whole_seconds(id))
	{
		int64		cycle_s = INT64CONST(1) << (id == GID_WORD_TRACE ?
												GID_TRACE_SECOND_BITS :
												GID_SHARD_SECOND_BITS);
		int64		last_s = stat->last_us / GID_US_PER_S;

		stat->wraps_us = (last_s / cycle_s + 1) * cycle_s * GID_US_PER_S;
		stat->repeats_us = (last_s + cycle_s) * GID_US_PER_S;
	}
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
		pg_atomic_init_u64(&word->lead_us, 0);
		pg_atomic_init_u64(&word->waits, 0);
	}
	pg_atomic_init_u32(&clock->ready, 0);
	gid_claim_init(&clock->mover);
	/* before any time, and far enough from the ends for sums */
	pg_atomic_init_u64(&clock->offset_us, (uint64) (PG_INT64_MIN / 2));
	pg_atomic_init_u32(&clock->attached, 0);
	pg_atomic_init_u32(&clock->leaver, 0);
	pg_atomic_init_u64(&clock->bound_us, 0);
	pg_atomic_init_u64(&clock->wall_offset_us, (uint64) (PG_INT64_MIN / 2));
	pg_atomic_init_u64(&clock->wall_offset_max_us, (uint64) (PG_INT64_MIN / 2));
	pg_atomic_init_u64(&clock->steps_back, 0);
	pg_atomic_init_u64(&clock->next_log_us, 0);
	pg_atomic_init_u64(&clock->next_try_us, 0);
	pg_atomic_init_u64(&clock->next_leave_log_us, 0);
}
