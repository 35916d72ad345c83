/*-------------------------------------------------------------------------
 *
 * layout/time_word.h
 *		The growing words: their arithmetic.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_TIME_WORD_H
#define GID_LAYOUT_TIME_WORD_H

#include "layout/snowflake_id.h"
#include "layout/trace_id.h"
#include "layout/uuid_sequential.h"
#include "layout/uuid_shard.h"
#include "layout/uuid_v7.h"

/*
 * 9999-12-31 23:59:59 UTC, the last second of the calendar that the families
 * share.  A server whose clock is past it makes no ids.
 */
#define GID_LAST_SECOND			INT64CONST(253402300799)

/*
 * The growing words.  A word is linear in time: word = epoch + seconds * rate
 * + units within the second.  A word moves with the clock in steps of one or
 * more units.  The units within a step are a counter, and the steps within a
 * second are the fraction of the second.  In a word of whole seconds the step
 * is the second.
 *
 * This list says all of a word but for the exceptions in gid_word_step() and
 * the random start of the shard word (clock/durable.c).  Its
 * order is that of gid.clock, so a new word comes last.  The columns after the
 * identifier are the members of GidWordKind.
 */
#define GID_WORDS(WORD) \
	WORD(V7, "uuid_v7", "GidV7Lead", \
		 GID_V7_RATE, 0, 1, GID_V7_RATE / 100) \
	WORD(TICKS, "uuid_sequential", "GidTicksLead", \
		 GID_TICKS_RATE, GID_TICKS_EPOCH, 1, GID_TICKS_RATE / 10) \
	WORD(TRACE, "trace_id", "GidTraceLead", \
		 GID_TRACE_RATE, 0, GID_TRACE_RATE, GID_TRACE_RATE - 1) \
	WORD(SHARD, "uuid_shard", "GidShardLead", \
		 GID_SHARD_RATE, 0, GID_SHARD_RATE, GID_SHARD_RATE - 1) \
	WORD(SNOWFLAKE, "snowflake_id", "GidSnowflakeLead", \
		 GID_SNOWFLAKE_RATE, 0, GID_SNOWFLAKE_STEP, GID_SNOWFLAKE_RATE - 1)

typedef enum GidWordId
{
#define GID_WORD_ENUM(id, ...) GID_WORD_##id,
	GID_WORDS(GID_WORD_ENUM)
	GID_NWORDS
} GidWordId;

/* What distinguishes a word from the others. */
typedef struct GidWordKind
{
	const char *family;			/* the family's name in the views */
	const char *wait_event;		/* of a caller that waits for the clock */
	uint64		rate;			/* units a second */
	uint64		epoch;			/* the word's value at the Unix epoch */
	uint64		step;			/* units that the word moves with the clock;
								 * rate is a multiple of it */
	uint64		slack;			/* see gid_word_slack() */
} GidWordKind;

/* With a constant index, compilers replace a member by its value. */
static const GidWordKind gid_word_kinds[GID_NWORDS] = {
#define GID_WORD_KIND(id, ...) {__VA_ARGS__},
	GID_WORDS(GID_WORD_KIND)
};

static inline uint64
gid_word_rate(GidWordId id)
{
	return gid_word_kinds[id].rate;
}

static inline uint64
gid_word_clock_step(GidWordId id)
{
	return gid_word_kinds[id].step;
}

static inline bool
gid_word_has_whole_seconds(GidWordId id)
{
	return gid_word_clock_step(id) == gid_word_rate(id);
}

/* Does the word count within a step of less than a second? */
static inline bool
gid_word_has_short_steps(GidWordId id)
{
	return gid_word_clock_step(id) > 1 && !gid_word_has_whole_seconds(id);
}

/* The first value of a word at a moment; seconds must not be negative. */
static inline uint64
gid_word_at(GidWordId id, int64 seconds, int64 ns)
{
	uint64		word = gid_word_kinds[id].epoch + (uint64) seconds * gid_word_rate(id);
	uint64		steps_a_second = gid_word_rate(id) / gid_word_clock_step(id);

	if (!gid_word_has_whole_seconds(id))
		word += (uint64) ns * steps_a_second / GID_NS_PER_S * gid_word_clock_step(id);
	return word;
}

/* The same for a moment in microseconds since the Unix epoch. */
static inline uint64
gid_word_at_us(GidWordId id, int64 us)
{
	return gid_word_at(id, us / GID_US_PER_S, us % GID_US_PER_S * GID_NS_PER_US);
}

/*
 * The moment of a word's step in microseconds since the Unix epoch, rounded
 * down.
 */
static inline int64
gid_word_us(GidWordId id, uint64 word)
{
	uint64		steps_a_second = gid_word_rate(id) / gid_word_clock_step(id);
	uint64		units = word > gid_word_kinds[id].epoch ? word - gid_word_kinds[id].epoch : 0;
	uint64		steps = units / gid_word_clock_step(id);

	return (int64) (steps / steps_a_second * GID_US_PER_S +
					steps % steps_a_second * GID_US_PER_S / steps_a_second);
}

/*
 * Return the first value that a word may not take at a moment of the server's
 * time.  A word may lead by one second, and a word of whole seconds by the
 * whole next second.  All values of a step have one moment.
 */
static inline uint64
gid_word_lead_limit(GidWordId id, int64 now_us)
{
	return gid_word_at_us(id, now_us + GID_US_PER_S) + gid_word_clock_step(id);
}

/*
 * By how many units a word may be ahead of a reading of the wall clock before
 * the slow path searches for a step of the clock.  Another backend may have
 * read the clock later and taken its value earlier, and a word of whole
 * seconds counts within the second.  A tight loop can also draw more values
 * than the word has, for a while: the slack of a word with short steps is the
 * second by which a word may lead.
 */
static inline uint64
gid_word_slack(GidWordId id)
{
	return gid_word_kinds[id].slack;
}

/*
 * Return the value after "last" at the moment whose first value is "now". That
 * is max(last + 1, now), with two exceptions.  A trace word leaves counter 0
 * out, because an id must not be 0.  The counter of a shard word goes on in
 * the next second instead of beginning at 0.
 */
static inline uint64
gid_word_step(GidWordId id, uint64 last, uint64 now)
{
	uint64		next = last + 1;

	if (id == GID_WORD_SHARD)
		now |= next & GID_MASK(GID_SHARD_COUNTER_BITS);
	if (next < now)
		next = now;
	if (id == GID_WORD_TRACE && (next & GID_MASK(GID_TRACE_COUNTER_BITS)) == 0)
		next++;
	return next;
}

#endif							/* GID_LAYOUT_TIME_WORD_H */
