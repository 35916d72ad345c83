/*-------------------------------------------------------------------------
 *
 * sequence/arithmetic.h
 *		Which values a reservation takes from a sequence, and how many.
 *
 * State: none; pure arithmetic over a sequence's parameters and the state on
 * its page, as nextval() does it for one value after the other, and over the
 * history of its reservations.  test/unit compares it with just that.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_ARITHMETIC_H
#define GID_SEQUENCE_ARITHMETIC_H

#include "base/bits.h"

/* A GDID's counter has so many bits, and the era is what is above them. */
#define GID_RESERVE_ERA_BITS	60

/* The eras of all int64, those below 0 included. */
#define GID_RESERVE_ERAS		(1 << (64 - GID_RESERVE_ERA_BITS))

/* A sequence: its row of pg_sequence, and what stands on its page. */
typedef struct GidSequence
{
	int64		increment;		/* not 0 */
	int64		min_value;
	int64		max_value;
	bool		cycle;
	int64		cache;			/* 1 or more */
	int64		last_value;
	bool		is_called;		/* false: last_value is the next value */
} GidSequence;

/* How many of the values that are asked for have to come. */
typedef enum GidRequestKind
{
	GID_REQUEST_SOME,			/* as many as there are */
	GID_REQUEST_WITHIN,			/* as many as there are from floor to ceiling */
	GID_REQUEST_WHOLE,			/* all from floor to ceiling, or none */
	GID_REQUEST_OF_ERA,			/* as many as the era has left */
	GID_REQUEST_BATCH			/* all in one era, or none */
} GidRequestKind;

/* What is asked of a sequence. */
typedef struct GidRequest
{
	GidRequestKind kind;
	int64		count;			/* 1 or more */
	int64		floor;			/* WITHIN, WHOLE */
	int64		ceiling;		/* WITHIN, WHOLE */
} GidRequest;

/* count values: first, first + increment, ... last. */
typedef struct GidReserved
{
	int64		first;
	int64		last;
	int64		count;			/* 1 or more */
} GidReserved;

/*
 * How many steps of "increment" fit between two values; "to" must not lie
 * before "from" in the increment's direction.  Their difference needs all 64
 * bits of an unsigned word.
 */
static inline uint64
gid_reserve_steps(int64 from, int64 to, int64 increment)
{
	if (increment > 0)
		return ((uint64) to - (uint64) from) / (uint64) increment;
	return ((uint64) from - (uint64) to) / (0 - (uint64) increment);
}

/*
 * Take up to "count" (1 or more) consecutive values, from "floor" on and not
 * beyond "ceiling", in the sequence's own direction.  They never span a cycle:
 * fewer are given where the end of the range or the ceiling comes first.
 * False, and nothing taken, when there is none.
 */
static inline bool
gid_reserve_values(const GidSequence *seq, int64 count,
				   int64 floor, int64 ceiling, GidReserved *reserved)
{
	bool		up = seq->increment > 0;
	int64		end = up ? seq->max_value : seq->min_value;
	int64		start = up ? seq->min_value : seq->max_value;
	int64		first = seq->last_value;
	uint64		steps;

	if (seq->is_called)
	{
		if (up ? first < end : first > end)
			steps = gid_reserve_steps(first, end, seq->increment);
		else
			steps = 0;
		if (steps > 0)
			first += seq->increment;
		else if (seq->cycle)
			first = start;
		else
			return false;
	}
	if (up ? first < floor : first > floor)
		first = floor;
	if (up ? end > ceiling : end < ceiling)
		end = ceiling;
	if (up ? first > end : first < end)
		return false;

	steps = gid_reserve_steps(first, end, seq->increment);
	if ((uint64) (count - 1) > steps)
		count = (int64) steps + 1;
	reserved->first = first;
	reserved->count = count;
	reserved->last = (int64) ((uint64) first +
							  (uint64) (count - 1) * (uint64) seq->increment);
	return true;
}

/* The same without floor and ceiling. */
static inline bool
gid_reserve_some(const GidSequence *seq, int64 count, GidReserved *reserved)
{
	bool		up = seq->increment > 0;

	return gid_reserve_values(seq, count, up ? PG_INT64_MIN : PG_INT64_MAX,
							  up ? PG_INT64_MAX : PG_INT64_MIN, reserved);
}

/* The last value, in a step's direction, of the era that a value is in. */
static inline int64
gid_reserve_era_end(int64 value, int64 increment)
{
	uint64		low = (uint64) value & ~GID_MASK(GID_RESERVE_ERA_BITS);

	return (int64) (increment > 0 ? low | GID_MASK(GID_RESERVE_ERA_BITS) : low);
}

/*
 * Take exactly "count" (1 or more) consecutive values of one era.  Where the
 * era or the cycle has fewer left, the batch begins with the next one, and
 * what was left is passed over.  False, and nothing taken, when it fits
 * nowhere.
 */
static inline bool
gid_reserve_batch(const GidSequence *seq, int64 count, GidReserved *reserved)
{
	GidSequence at = *seq;
	bool		up = seq->increment > 0;
	GidReserved batch;

	/*
	 * In the era where the sequence is and in each one behind it, then in
	 * those of the next cycle.
	 */
	for (int eras = 0; eras <= 2 * GID_RESERVE_ERAS; eras++)
	{
		int64		era_end;
		uint64		steps;

		if (!gid_reserve_some(&at, count, &batch))
			return false;
		at.is_called = true;
		era_end = gid_reserve_era_end(batch.first, seq->increment);
		if (batch.count < count)
		{
			/* the next cycle, unless this was all of one */
			if (!seq->cycle)
				return false;
			at.last_value = batch.last;
		}
		else if (up ? batch.last > era_end : batch.last < era_end)
		{
			steps = gid_reserve_steps(batch.first, era_end, seq->increment);
			at.last_value = (int64) ((uint64) batch.first +
									 steps * (uint64) seq->increment);
		}
		else
		{
			*reserved = batch;
			return true;
		}
	}
	return false;
}

/* Take up to "count" (1 or more) consecutive values, of the first one's era. */
static inline bool
gid_reserve_of_era(const GidSequence *seq, int64 count, GidReserved *reserved)
{
	int64		era_end;
	uint64		steps;

	if (!gid_reserve_some(seq, count, reserved))
		return false;
	era_end = gid_reserve_era_end(reserved->first, seq->increment);
	steps = gid_reserve_steps(reserved->first, era_end, seq->increment);
	if ((uint64) (reserved->count - 1) > steps)
	{
		reserved->count = (int64) steps + 1;
		reserved->last = (int64) ((uint64) reserved->first +
								  steps * (uint64) seq->increment);
	}
	return true;
}

/*
 * Take all values from "floor" to "ceiling" of an ascending sequence.  False,
 * and nothing taken, when it has come to one of them, or beyond.
 */
static inline bool
gid_reserve_whole(const GidSequence *seq, int64 floor, int64 ceiling,
				  GidReserved *reserved)
{
	if (seq->is_called ? seq->last_value >= floor : seq->last_value > floor)
		return false;
	reserved->first = floor;
	reserved->last = ceiling;
	reserved->count = ceiling - floor + 1;
	return true;
}

/*
 * How many values a record is ahead of the page, as nextval() has it, so that
 * so many calls of nextval() need no record of their own.
 */
#define GID_RESERVE_AHEAD		32

/*
 * The value that stands GID_RESERVE_AHEAD steps behind "last", or at the end
 * of the range if fewer are left; the result says how many.
 */
static inline int64
gid_reserve_ahead(const GidSequence *seq, int64 last, int64 *value)
{
	int64		end = seq->increment > 0 ? seq->max_value : seq->min_value;
	uint64		steps = gid_reserve_steps(last, end, seq->increment);
	int64		ahead = (int64) Min(steps, (uint64) GID_RESERVE_AHEAD);

	*value = (int64) ((uint64) last + (uint64) ahead * (uint64) seq->increment);
	return ahead;
}

static inline bool
gid_reserve(const GidSequence *seq, const GidRequest *request,
			GidReserved *reserved)
{
	switch (request->kind)
	{
		case GID_REQUEST_SOME:
			return gid_reserve_some(seq, request->count, reserved);
		case GID_REQUEST_WITHIN:
			break;
		case GID_REQUEST_WHOLE:
			return gid_reserve_whole(seq, request->floor, request->ceiling,
									 reserved);
		case GID_REQUEST_OF_ERA:
			return gid_reserve_of_era(seq, request->count, reserved);
		case GID_REQUEST_BATCH:
			return gid_reserve_batch(seq, request->count, reserved);
	}
	return gid_reserve_values(seq, request->count, request->floor,
							  request->ceiling, reserved);
}

/*
 * How many to take at a time.  A reservation should last for some seconds, so
 * that its cost does not count; and not for more, because what is not drawn of
 * it is lost in a crash.
 */
#define GID_RESERVE_HISTORY		3
#define GID_RESERVE_LASTS_US	INT64CONST(5000000)
#define GID_RESERVE_MIN			INT64CONST(2)
#define GID_RESERVE_GROWTH		4

/* The last reservations; all 0 at first. */
typedef struct GidHistory
{
	int64		at_us[GID_RESERVE_HISTORY]; /* of a clock that does not go
											 * back */
	int64		count[GID_RESERVE_HISTORY];
	int32		n;				/* how many are known, up to HISTORY */
	int32		last;			/* where the last one is */
} GidHistory;

static inline void
gid_history_note(GidHistory *history, int64 now_us, int64 count)
{
	int			i = (history->last + 1) % GID_RESERVE_HISTORY;

	history->at_us[i] = now_us;
	history->count[i] = count;
	history->last = i;
	history->n = Min(history->n + 1, GID_RESERVE_HISTORY);
}

/*
 * Of a reservation, "back" before the last one, so many values will not be
 * drawn.
 */
static inline void
gid_history_lose(GidHistory *history, int back, int64 lost)
{
	int			at = (history->last + GID_RESERVE_HISTORY - back) % GID_RESERVE_HISTORY;

	history->count[at] = Max(history->count[at] - lost, 0);
}

/*
 * How many values were drawn since the first of the last reservations, of
 * which "left" have not been, and in what time, at least 1.
 */
static inline int64
gid_history_drawn(const GidHistory *history, int64 now_us, int64 left,
				  int64 *elapsed_us)
{
	int64		drawn = -left;
	int64		since_us = now_us;

	for (int i = 0; i < GID_RESERVE_HISTORY; i++)
		drawn += history->count[i];
	for (int i = 0; i < history->n; i++)
	{
		int			at = (history->last + GID_RESERVE_HISTORY - i) % GID_RESERVE_HISTORY;

		since_us = Min(since_us, history->at_us[at]);
	}
	*elapsed_us = Max(now_us - since_us, 1);
	return drawn;
}

/*
 * The pace of the last reservations, in values a second; what came in less
 * than a second counts as that of one.
 */
static inline double
gid_history_pace(const GidHistory *history, int64 now_us, int64 left)
{
	int64		elapsed_us;
	int64		drawn = gid_history_drawn(history, now_us, left, &elapsed_us);

	return Max(drawn, 0) * 1e6 / Max(elapsed_us, 1000000);
}

/*
 * The size of the next reservation: what is drawn in five seconds at the pace
 * of the last three, of which "left" values have not been drawn yet; at least
 * 2, at most four times the last one plus 4, at most "max" (1 or more).
 */
static inline int64
gid_history_size(const GidHistory *history, int64 now_us, int64 left, int64 max)
{
	int64		elapsed_us;
	int64		drawn = gid_history_drawn(history, now_us, left, &elapsed_us);
	int64		size;
	int64		limit;

	limit = GID_RESERVE_GROWTH * history->count[history->last] + GID_RESERVE_GROWTH;
	limit = Min(limit, max);
	/* in floating point, where nothing overflows */
	size = (int64) Min((double) drawn * GID_RESERVE_LASTS_US / elapsed_us,
					   (double) limit);
	return Min(Max(size, GID_RESERVE_MIN), limit);
}

#endif							/* GID_SEQUENCE_ARITHMETIC_H */
