/*-------------------------------------------------------------------------
 *
 * clock/word.c
 *		The slow path of the growing words.
 *
 * Each family that follows the clock draws from one 64-bit word of the server,
 * next = max(last + 1, now).  Only this floor reads the clock.
 *
 * The fast path (clock/word.h) reads the wall clock alone and adds the lead
 * that the last reading has found.  A backend takes the slow path when the
 * word crosses its limit, or when the clock is behind the word.  The slow path
 * reads both clocks, and moves the limit and the durable bound.  It waits
 * where the word would be ahead of the server's time by more than a second, or
 * beyond the next second if it is a word of whole seconds.
 *
 * State: in shared memory the words' last values, limits, leads and waits.  A
 * last value only grows, by compare-and-swap, and a value belongs to the
 * backend whose compare-and-swap made it.
 *
 * Crash, restart: all of this is lost, and the words start at max(now,
 * gid.clock) (clock/durable.c).  Clock step: after a step back the words
 * follow the server's time, not the wall clock.  Standby: it has words of its
 * own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "storage/latch.h"

#include "base/compat.h"
#include "base/random.h"
#include "clock/clock.h"
#include "clock/durable.h"
#include "clock/word.h"

GidClockPart *gid_clock = NULL;

/*
 * The slow path reads both clocks at least this often while ids are made,
 * without and with a lead.  Only for a word that a tight loop has taken ahead
 * they are read later, by as much as it is ahead.
 *
 * Between two readings the fast path runs at full speed and, with a lead, the
 * server's time at half speed.  A word that is d ahead of the server's time at
 * a reading, with a limit g after the word, reaches the limit after d + g, and
 * is then ahead by half of that.  So from reading to reading d tends to g.
 * That has to be less than gid_word_slack(), or every id would take the slow
 * path.  The second value is less than the smallest slack, the 10 ms of the v7
 * word; with it the readings are 16 ms apart.
 */
#define GID_OBSERVE_US			(250 * GID_US_PER_MS)
#define GID_OBSERVE_LEAD_US		(8 * GID_US_PER_MS)

/*
 * Sleep until the server's time comes within reach of a word; interruptible.
 */
static void
gid_word_wait(GidWordId id, uint64 next, const GidNow *now)
{
	static uint32 wait_events[GID_NWORDS];
	int64		ms = (gid_word_us(id, next) - GID_US_PER_S - now->us) / GID_US_PER_MS + 1;

	if (now->lead_us > 0)
		ms *= 2;				/* the server's time runs at half speed */
	pg_atomic_fetch_add_u64(&gid_clock->words[id].word.waits, 1);
	CHECK_FOR_INTERRUPTS();
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
					 Min(Max(ms, 1), 1000), gid_wait_event(&wait_events[id],
														   gid_word_kinds[id].wait_event));
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/*
 * Set a word's limit to where the next reading is due after the value "next".
 *
 * A word of whole seconds has its limit at the next second, another word
 * GID_OBSERVE_US after this reading or, with a lead, GID_OBSERVE_LEAD_US.  If
 * a tight loop has taken the word ahead of the server's time, the limit is
 * that long after the word instead.  Otherwise every id of the loop would take
 * the slow path.  The limit is never beyond the word's bound, so every issued
 * value is below what a restart reads.
 *
 * Also write the lead to all words.  Otherwise a word that was idle during a
 * step back would follow the wall clock.
 */
static void
gid_word_set_limit(GidWordId id, const GidNow *now, uint64 next)
{
	GidClockPart *h = gid_clock;
	GidWord    *word = &h->words[id].word;
	uint64		lead_us = (uint64) now->lead_us;
	uint64		limit;

	for (int i = 0; i < GID_NWORDS; i++)
	{
		if (pg_atomic_read_u64(&h->words[i].word.lead_us) != lead_us)
			pg_atomic_write_u64(&h->words[i].word.lead_us, lead_us);
	}

	if (gid_word_has_whole_seconds(id))
		limit = gid_word_at(id, now->us / GID_US_PER_S + 1, 0);
	else
		limit = Min(gid_word_at_us(id, Max(now->us, gid_word_us(id, next)) +
								   (lead_us > 0 ? GID_OBSERVE_LEAD_US : GID_OBSERVE_US)),
					gid_word_lead_limit(id, now->us));
	pg_atomic_write_u64(&word->limit,
						Min(limit, pg_atomic_read_u64(&word->bound)));
}

/* Start the words, unless they have been.  Errors: see gid_durable_start(). */
static void
gid_word_start(void)
{
	if (pg_atomic_read_u32(&gid_clock->clock.ready) == 0)
		gid_durable_start();
	pg_read_barrier();
}

/*
 * Take the next value of a word on the slow path.
 *
 * May wait, interruptibly, for the clock or until gid.clock is written.
 * Raises XX001, 58030 or 53100 when gid.clock cannot be read or written, and
 * 22008 when the clock is beyond the year 9999.  No value is lost by an error.
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

		gid_word_start();
		now = gid_time_observe();
		gid_time_log_lead(&now);

		last = pg_atomic_read_u64(&word->last);
		next = gid_word_step(id, last, gid_word_at_us(id, now.us));
		if (next >= gid_word_lead_limit(id, now.us))
		{
			gid_word_wait(id, next, &now);
			continue;
		}
		if (next >= pg_atomic_read_u64(&word->bound))
		{
			gid_durable_move(&now, id, next, true);
			continue;
		}
		if (gid_durable_is_near(&now))
			gid_durable_move(&now, id, next, false);

		gid_word_set_limit(id, &now, next);
		if (pg_atomic_compare_exchange_u64(&word->last, &last, next))
			return next;
	}
}

/*
 * Show that the running transaction is about to draw from a word: see
 * gid_word_xact_show().  Raises 25000 in a parallel worker, which comes here
 * through a function that is wrongly labelled PARALLEL SAFE.  Other waits and
 * errors are those of gid_durable_start(), at the first draw of the server.
 */
void
gid_word_show(GidWordId id)
{
	if (IsParallelWorker())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("an id with a horizon cannot be made in a parallel worker"),
				 errdetail("The rows of a worker are its leader's, and only the leader's draws hold the horizon back."),
				 errhint("Label the function that makes the id PARALLEL RESTRICTED.")));
	gid_word_start();
	gid_word_xact_show(gid_word_xact_index(id), pg_atomic_read_u64(&gid_clock->words[id].word.last) + 1);
}

/*
 * Find the horizon of a word in the active snapshot: every row whose id has a
 * smaller value, which the transaction that inserts the row has drawn itself
 * on this server, is visible in the snapshot or never will be.  The word is
 * one of GidWordXactWord.
 *
 * If a step of the word has a counter, the value is the first of a step: the
 * word does not order the ids within a step.  If the clock is past the last
 * step, a value is taken from the word, so that the horizon is beyond all ids.
 *
 * Waits and errors are those of gid_word_take_slow() and
 * gid_session_horizon_begin().  The first call attaches.
 */
void
gid_word_horizon(GidWordId id, GidHorizon *horizon)
{
	GidHorizonKey key = {.word = id};
	pg_atomic_uint64 *word;
	uint64		step = gid_word_clock_step(id);
	uint64		value;
	GidEnded	ended;
	GidSessionHorizons *given;

	Assert(gid_word_xact_index(id) >= 0);
	(void) gid_slot_mine();
	given = gid_session_horizon_begin(key, &ended, horizon);
	if (given == NULL)
		return;
	gid_word_start();
	word = &gid_clock->words[id].word.last;
	if (step > 1 && pg_atomic_read_u64(word) / step <
		gid_word_wall(id, &gid_clock->words[id].word, CLOCK_REALTIME) / step)
		(void) gid_word_take_slow(id);
	value = pg_atomic_read_u64(word) + 1;
	pg_memory_barrier();		/* the word first, then the rings */
	horizon->is_known = gid_word_xact_lower(&ended, gid_word_xact_index(id), &value);
	horizon->value = (int64) (value - value % step);
	gid_session_horizon_finish(given, &ended, 0, horizon);
}

/*
 * Fill in what a view shows of a word.  Returns false while the words have not
 * started: a view does not start them.  Attaches this backend: see
 * gid_attach() for the errors.  Does not wait.
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
	now = gid_time_read();
	stat->bound_us = gid_word_us(id, pg_atomic_read_u64(&word->bound));
	stat->last_us = gid_word_us(id, pg_atomic_read_u64(&word->last));
	stat->lead_us = Max(stat->last_us, now.us) - (now.us - now.lead_us);
	stat->steps_back = (int64) pg_atomic_read_u64(&clock->steps_back);
	stat->waits = (int64) pg_atomic_read_u64(&word->waits);
	return true;
}

/*
 * Tell the log of a kernel whose ticks are longer than
 * GID_COARSE_TICKS_A_SECOND says.  The caller has a lock, so no client is
 * told.
 */
static void
gid_clock_check_ticks(void)
{
	struct timespec tick;

	if (clock_getres(GID_CLOCK_COARSE, &tick) == 0 &&
		(tick.tv_sec > 0 || tick.tv_nsec > GID_NS_PER_S / GID_COARSE_TICKS_A_SECOND))
		ereport(LOG_SERVER_ONLY,
				(errmsg("gid: the coarse clock of this system has a tick of %lld ns",
						(long long) (tick.tv_sec * GID_NS_PER_S + tick.tv_nsec)),
				 errdetail("The time in a Snowflake id may be late by as much.")));
}

/*
 * Set up the words, which have not started yet, and choose what is random in
 * this life of the server.  Raises XX000 when the source of random bytes
 * fails.
 */
static void
gid_clock_init(void *part, int tranche)
{
	GidClockPart *p = part;
	GidClock   *clock = &p->clock;
	uint16		variants[2];

	gid_clock_check_ticks();
	gid_random_fill(&clock->shard_counter, sizeof(clock->shard_counter));
	clock->shard_counter &= GID_MASK(GID_SHARD_COUNTER_BITS);

	/* never the RFC variant, so that no id looks like an RFC UUID */
	gid_random_fill(variants, sizeof(variants));
	gid_random_fill(clock->process, GID_PROCESS_BYTES);
	clock->process[GID_PROCESS_VARIANT_BYTE] = gid_byte8_from_random(variants[0]);
	gid_random_fill(clock->generator, GID_GENERATOR_BYTES);
	clock->generator[GID_GENERATOR_VARIANT_BYTE] = gid_byte8_from_random(variants[1]);

	for (int id = 0; id < GID_NWORDS; id++)
	{
		GidWord    *word = &p->words[id].word;

		pg_atomic_init_u64(&word->last, 0);
		pg_atomic_init_u64(&word->limit, 0);
		pg_atomic_init_u64(&word->bound, 0);
		pg_atomic_init_u64(&word->lead_us, 0);
		pg_atomic_init_u64(&word->waits, 0);
	}
	pg_atomic_init_u32(&clock->ready, 0);
	LWLockInitialize(&clock->lock, tranche);
	/* before any time, and far enough from the ends for sums */
	pg_atomic_init_u64(&clock->offset_us, (uint64) (PG_INT64_MIN / 2));
	pg_atomic_init_u64(&clock->bound_us, 0);
	pg_atomic_init_u64(&clock->wall_offset_us, (uint64) (PG_INT64_MIN / 2));
	pg_atomic_init_u64(&clock->wall_offset_max_us, (uint64) (PG_INT64_MIN / 2));
	pg_atomic_init_u64(&clock->steps_back, 0);
	pg_atomic_init_u64(&clock->next_log_us, 0);
	pg_atomic_init_u64(&clock->next_try_us, 0);
}

const GidPart gid_clock_part = {
	.lock_name = "GidClock",
	.size = sizeof(GidClockPart),
	.init = gid_clock_init,
	.where = (void **) &gid_clock,
	.server_exit = gid_durable_server_exit,
};
