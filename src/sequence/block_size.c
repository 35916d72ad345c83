/*-------------------------------------------------------------------------
 *
 * sequence/block_size.c
 *		How many values the next block has.
 *
 * State: none.  The functions are pure.  They compile with and without a
 * server.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifdef FRONTEND
#include "postgres_fe.h"
#else
#include "postgres.h"
#endif

#include "sequence/block_size.h"

/* Note a reservation of "count" values at the monotonic time "now_us". */
void
gid_history_note(GidHistory *history, int64 now_us, int64 count)
{
	int			i = (history->last + 1) % GID_RESERVE_HISTORY;

	history->at_us[i] = now_us;
	history->count[i] = count;
	history->last = i;
	history->n = Min(history->n + 1, GID_RESERVE_HISTORY);
}

/*
 * Note that "lost" values of a reservation will not be drawn.  "back" is 0 for
 * the last reservation, 1 for the one before it.
 */
void
gid_history_lose(GidHistory *history, int back, int64 lost)
{
	int			at = (history->last + GID_RESERVE_HISTORY - back) % GID_RESERVE_HISTORY;

	history->count[at] = Max(history->count[at] - lost, 0);
}

/*
 * How many values were drawn since the first of the noted reservations?
 * "left" of their values are not drawn yet.  *elapsed_us is the time since
 * then, at least 1.
 */
static int64
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
 * How fast values are drawn, in values a second, by the noted reservations.  A
 * time of less than a second counts as one second.
 */
double
gid_history_rate(const GidHistory *history, int64 now_us, int64 left)
{
	int64		elapsed_us;
	int64		drawn = gid_history_drawn(history, now_us, left, &elapsed_us);

	return Max(drawn, 0) * 1e6 / Max(elapsed_us, 1000000);
}

/*
 * How long "left" values last at the rate of the noted reservations, in
 * microseconds.  "left" values of those are not drawn yet.
 */
double
gid_history_lasts_us(const GidHistory *history, int64 now_us, int64 left)
{
	int64		elapsed_us;
	int64		drawn = gid_history_drawn(history, now_us, left, &elapsed_us);

	return (double) left * elapsed_us / Max(drawn, 1);
}

/*
 * The number of values of the next reservation: as many as are drawn in
 * GID_RESERVE_LASTS_US at the present rate.  It is at least 2, at most four
 * times the last reservation's, or four at first, and at most "max" (1 or
 * more).  "left" values of the noted reservations are not drawn yet.
 */
int64
gid_history_size(const GidHistory *history, int64 now_us, int64 left, int64 max)
{
	int64		elapsed_us;
	int64		drawn = gid_history_drawn(history, now_us, left, &elapsed_us);
	int64		size;
	int64		limit;

	limit = GID_RESERVE_GROWTH * Max(history->count[history->last], 1);
	limit = Min(limit, max);
	/* floating point does not overflow here */
	size = (int64) Min((double) drawn * GID_RESERVE_LASTS_US / elapsed_us,
					   (double) limit);
	return Min(Max(size, GID_RESERVE_MIN), limit);
}
