/*-------------------------------------------------------------------------
 *
 * clock/word.h
 *		The growing words, and taking a value from one.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_WORD_H
#define GID_CLOCK_WORD_H

#include <time.h>

#include "attach/backend_slot.h"
#include "base/bits.h"
#include "clock/clock.h"
#include "horizon/session_horizon.h"
#include "horizon/word_xact.h"
#include "layout/time_word.h"

/*
 * The coarse clock, if the system has one, costs less.  It is behind the fine
 * clock by a tick of the kernel at most: 10 milliseconds with the longest
 * tick.
 */
#ifdef CLOCK_REALTIME_COARSE
#define GID_CLOCK_COARSE	CLOCK_REALTIME_COARSE
#else
#define GID_CLOCK_COARSE	CLOCK_REALTIME
#endif
#define GID_COARSE_TICKS_A_SECOND	100

/* What a view shows of a word.  Moments are since the Unix epoch. */
typedef struct GidWordStat
{
	int64		bound_us;		/* the durable bound */
	int64		last_us;		/* moment of the last value */
	int64		lead_us;		/* of the next id's time over the wall clock */
	int64		steps_back;		/* of the wall clock, seen by any word */
	int64		waits;			/* times that a caller slept for the clock */
} GidWordStat;

extern const GidPart gid_clock_part;

extern uint64 gid_word_take_slow(GidWordId id);
extern void gid_word_show(GidWordId id);
extern void gid_word_horizon(GidWordId id, GidHorizon *horizon);
extern bool gid_word_stat(GidWordId id, GidWordStat *stat);

/* Start to fetch a cache line for writing.  Does not wait for the line. */
#ifdef __GNUC__
#define gid_prefetch_for_write(address) __builtin_prefetch((address), 1)
#else
#define gid_prefetch_for_write(address) ((void) 0)
#endif

/*
 * Return the wall clock plus the lead, in a word's unit.  A moment before 1970
 * counts as 1970.
 */
static inline uint64
gid_word_wall(GidWordId id, GidWord *word, clockid_t clock)
{
	struct timespec ts;
	int64		us;
	uint64		lead_us;

	clock_gettime(clock, &ts);
	/* a lead written after the clock was read moves no id beyond the limit */
	lead_us = pg_atomic_read_u64(&word->lead_us);
	if (likely(lead_us == 0))
		return gid_word_at(id, Max(ts.tv_sec, 0), ts.tv_nsec);
	us = ts.tv_sec * GID_US_PER_S + ts.tv_nsec / GID_NS_PER_US + (int64) lead_us;
	return gid_word_at_us(id, Max(us, 0));
}

/*
 * Must the fine clock be read as well, for the value after "last" of a word
 * with short steps?  Not in a tight loop that has taken the word ahead of the
 * coarse clock by a tick or more.  The next value is then last + 1, whatever
 * the fine clock says.  If a tick comes late, because a hypervisor holds up
 * the processor, the time of such an id is late by as much.
 */
static inline bool
gid_word_needs_fine_clock(GidWordId id, uint64 last, uint64 coarse)
{
	return GID_CLOCK_COARSE != CLOCK_REALTIME && gid_word_has_short_steps(id) &&
		last < coarse + gid_word_rate(id) / GID_COARSE_TICKS_A_SECOND;
}

/*
 * Read the clock for the next value of a growing word.  The result is for
 * gid_word_take().  This backend must be attached.  Does not wait and raises
 * nothing.
 *
 * Callers obtain the memory and the random bits of an id between the two
 * calls.  The processor can then do that while it computes the time, and an
 * error costs no value.
 */
static inline uint64
gid_word_read_clock(GidWordId id)
{
	GidWord    *word = &gid_clock->words[id].word;

	/*
	 * Another processor may have the cache line.  The line takes about as
	 * long to come as the clock takes to be read.  A plain read of the line
	 * would make the clock wait for it.
	 */
	gid_prefetch_for_write(&word->last);
	return gid_word_wall(id, word, gid_word_clock_step(id) > 1 ? GID_CLOCK_COARSE :
						 CLOCK_REALTIME);
}

/*
 * Take the next value of a growing word.  "now" is the result of
 * gid_word_read_clock().  The value is greater than every value that this
 * server has ever issued for the word.  It is not before the server's time, if
 * the last step back of the wall clock has been seen.
 *
 * Lock-free, and without a system call, unless the word crosses its limit or
 * the clock is behind the word.  The waits and errors are then those of
 * gid_word_take_slow().  A transaction's first call also has those of
 * gid_word_show().
 */
static inline uint64
gid_word_take(GidWordId id, uint64 now)
{
	GidWord    *word = &gid_clock->words[id].word;
	uint64		last;

	if (unlikely(gid_word_xact_is_due(id)))
		gid_word_show(id);
	last = pg_atomic_read_u64(&word->last);
	if (gid_word_needs_fine_clock(id, last, now))
		now = gid_word_wall(id, word, CLOCK_REALTIME);
	for (;;)
	{
		uint64		next = gid_word_step(id, last, now);

		if (unlikely(next >= pg_atomic_read_u64(&word->limit) ||
					 last > now + gid_word_slack(id)))
			return gid_word_take_slow(id);
		if (likely(pg_atomic_compare_exchange_u64(&word->last, &last, next)))
			return next;
	}
}

#endif							/* GID_CLOCK_WORD_H */
