/*-------------------------------------------------------------------------
 *
 * clock/word.c
 *		The growing words, where more is needed than the wall clock.
 *
 * Each clock-driven family draws from one 64-bit word of the server,
 * next = max(last + 1, now).  Only this floor reads the clock.
 *
 * The ordinary path reads the wall clock alone and adds the lead that was last
 * seen (clock/word.h).  Both clocks are read when the word crosses its gate,
 * and when the clock lies behind the word.  The gate is GID_OBSERVE_US after
 * the last such look or, for words of whole seconds, at the next second.  With
 * a lead it is GID_OBSERVE_LEAD_US after the look: between two looks the
 * ordinary path goes on at a clock's full pace, so at a look the server's time
 * lies behind the word by half of what has passed.  That half has to be less
 * than gid_word_slack(), or every id would take the slow path.  A word of
 * whole seconds has a slack of a second; it comes to the next one in ever
 * shorter looks.
 *
 * State: in shared memory the words' last values, gates and leads.
 *
 * Invariants:
 * 1. last only grows, by CAS; every value is given to the one whose CAS made
 *	  it.
 * 2. gate <= limit, the durable bound (clock/bound.c).  So every value given
 *	  lies below what a restart reads.
 * 3. A word leads the server's time by at most one second (the whole of the
 *	  next second for words of whole seconds); then the caller waits.
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

#include "base/compat.h"
#include "base/random.h"
#include "clock/bound.h"
#include "clock/leave.h"
#include "clock/server_time.h"
#include "clock/word.h"

GidClockPart *gid_clock = NULL;

/*
 * Both clocks are read at least this often while ids are made, and with a
 * lead: half of it is less than the 10 ms of the v7 word's slack.
 */
#define GID_OBSERVE_US			(250 * GID_US_PER_MS)
#define GID_OBSERVE_LEAD_US		(16 * GID_US_PER_MS)

/*
 * Sleep until the server's time comes within reach of a word; interruptible.
 */
static void
gid_word_wait(GidWordId id, uint64 next, const GidNow *now)
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
	pg_atomic_fetch_add_u64(&gid_clock->words[id].word.waits, 1);
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
gid_word_lead_limit(GidWordId id, int64 now_us)
{
	if (gid_word_has_whole_seconds(id))
		return gid_word_at(id, now_us / GID_US_PER_S + 2, 0);
	return gid_word_at_us(id, now_us + GID_US_PER_S) + 1;
}

/*
 * Set a word's gate to where both clocks are to be read again, and not beyond
 * its limit; and have all words know the lead, so that one that was idle
 * during a step back does not believe the wall clock.
 */
static void
gid_word_set_gate(GidWordId id, const GidNow *now)
{
	GidClockPart *h = gid_clock;
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
						Min(gate, pg_atomic_read_u64(&word->limit)));
}

/*
 * gid_word_take() where more is needed than the wall clock and the word: the
 * words are to be started, both clocks to be read, the bound to be moved, or
 * the word leads by more than it may.
 *
 * May wait, interruptibly, for the clock or for gid.clock to be written.
 * Raises XX001, 58030 or 53100 when gid.clock cannot be read or written, 22008
 * when the clock is beyond the year 9999.
 */
uint64
gid_word_take_slow(GidWordId id)
{
	GidWord    *word = &gid_clock->words[id].word;

	for (;;)
	{
		GidNow		now;
		uint64		last;
		uint64		next;

		if (pg_atomic_read_u32(&gid_clock->clock.ready) == 0)
			gid_bound_start();
		pg_read_barrier();

		now = gid_time_observe();
		gid_bound_check_calendar(&now);
		gid_time_log_lead(&now);

		last = pg_atomic_read_u64(&word->last);
		next = gid_word_step(id, last, gid_word_at_us(id, now.us));
		if (next >= gid_word_lead_limit(id, now.us))
		{
			gid_word_wait(id, next, &now);
			continue;
		}
		if (next >= pg_atomic_read_u64(&word->limit))
		{
			gid_bound_move(&now, id, next, true);
			continue;
		}
		if (gid_bound_is_near(&now))
			gid_bound_move(&now, id, next, false);

		gid_word_set_gate(id, &now);
		if (pg_atomic_compare_exchange_u64(&word->last, &last, next))
			return next;
	}
}

/*
 * What a view shows of a word; the first call attaches.  False while the words
 * have not started: it is not for a view to start them.
 */
bool
gid_word_stat(GidWordId id, GidWordStat *stat)
{
	GidClock   *clock;
	GidWord    *word;
	GidNow		now;

	(void) gid_slot_mine();
	clock = &gid_clock->clock;
	word = &gid_clock->words[id].word;
	if (pg_atomic_read_u32(&clock->ready) == 0)
		return false;
	pg_read_barrier();
	now = gid_time_look();
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

static Size
gid_clock_size(void)
{
	return sizeof(GidClockPart);
}

/*
 * Set up the words: nothing is known yet.  Raises XX000 when the source of
 * random bytes fails.
 */
static void
gid_clock_init(void *part, int tranche)
{
	GidClockPart *p = part;
	GidClock   *clock = &p->clock;

	memset(p, 0, sizeof(*p));
	gid_random_fill(&clock->shard_counter, sizeof(clock->shard_counter));
	clock->shard_counter &= GID_MASK(GID_SHARD_COUNTER_BITS);

	for (int id = 0; id < GID_NWORDS; id++)
	{
		GidWord    *word = &p->words[id].word;

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

const GidPart gid_clock_part = {
	.in_main = true,
	.size = gid_clock_size,
	.init = gid_clock_init,
	.where = (void **) &gid_clock,
	.attach = gid_leave_register,
};
