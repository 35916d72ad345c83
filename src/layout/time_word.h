/*-------------------------------------------------------------------------
 *
 * layout/time_word.h
 *		The growing words: their arithmetic.
 *
 * State: none.  The functions are pure.  They compile with and without a
 * server (FRONTEND).
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_TIME_WORD_H
#define GID_LAYOUT_TIME_WORD_H

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
 * + units within the second.  In a word of whole seconds the units are a
 * counter. In the other words they are the fraction of the second.
 *
 * This list says all of a word but for the exceptions in gid_word_step() and
 * the random start of the shard word (clock/start.c, clock/leave.c).  Its
 * order is that of gid.clock, so a new word comes last.  The columns after the
 * identifier are the members of GidWordKind.
 */
#define GID_WORDS(WORD) \
	WORD(V7, "uuid_v7", "GidV7Lead", \
		 GID_V7_RATE, 0, GID_V7_RATE / 100, 0) \
	WORD(TICKS, "uuid_sequential", "GidTicksLead", \
		 GID_TICKS_RATE, GID_TICKS_EPOCH, GID_TICKS_RATE / 10, 0) \
	WORD(TRACE, "trace_id", "GidTraceLead", \
		 GID_TRACE_RATE, 0, GID_TRACE_RATE - 1, GID_TRACE_SECOND_BITS) \
	WORD(SHARD, "uuid_shard", "GidShardLead", \
		 GID_SHARD_RATE, 0, GID_SHARD_RATE - 1, GID_SHARD_SECOND_BITS)

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
	uint64		slack;			/* see gid_word_slack() */
	int			second_bits;	/* of a word of whole seconds: the bits that
								 * an id has for them; 0 for other words */
} GidWordKind;

/* With a constant index, compilers replace a member by its value. */
static const GidWordKind gid_word_kinds[GID_NWORDS] = {
#define GID_WORD_KIND(id, family, wait_event, rate, epoch, slack, second_bits) \
	{family, wait_event, rate, epoch, slack, second_bits},
	GID_WORDS(GID_WORD_KIND)
};

static inline uint64
gid_word_rate(GidWordId id)
{
	return gid_word_kinds[id].rate;
}

static inline uint64
gid_word_epoch(GidWordId id)
{
	return gid_word_kinds[id].epoch;
}

static inline bool
gid_word_has_whole_seconds(GidWordId id)
{
	return gid_word_kinds[id].second_bits > 0;
}

/* The first value of a word at a moment; seconds must not be negative. */
static inline uint64
gid_word_at(GidWordId id, int64 seconds, int64 ns)
{
	uint64		word = gid_word_epoch(id) + (uint64) seconds * gid_word_rate(id);

	if (!gid_word_has_whole_seconds(id))
		word += (uint64) ns * gid_word_rate(id) / GID_NS_PER_S;
	return word;
}

/* The same for a moment in microseconds since the Unix epoch. */
static inline uint64
gid_word_at_us(GidWordId id, int64 us)
{
	return gid_word_at(id, us / GID_US_PER_S, us % GID_US_PER_S * GID_NS_PER_US);
}

/* The moment of a word in microseconds since the Unix epoch, rounded down. */
static inline int64
gid_word_us(GidWordId id, uint64 word)
{
	uint64		rate = gid_word_rate(id);
	uint64		units = word > gid_word_epoch(id) ? word - gid_word_epoch(id) : 0;
	int64		us = (int64) (units / rate) * GID_US_PER_S;

	if (!gid_word_has_whole_seconds(id))
		us += (int64) ((units % rate) * GID_US_PER_S / rate);
	return us;
}

/*
 * By how many units a word may be ahead of a reading of the wall clock before
 * the slow path looks for a step of the clock.  Another backend may have read
 * the clock later and taken its value earlier, and a word of whole seconds
 * counts within the second.  A tight loop can also draw more values than there
 * are ticks, for a while.
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
