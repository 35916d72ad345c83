/*-------------------------------------------------------------------------
 *
 * clock/server_time.c
 *		The server's time: it does not go back.
 *
 * The server's time is max(CLOCK_REALTIME, slow time + greatest offset seen),
 * where slow time is CLOCK_MONOTONIC at half its pace and the offset is that
 * of the wall clock against it.  While the wall clock is ahead, the server's
 * time is the wall clock.  A step forward raises the offset.  After a step
 * back, or a start from a bound that is ahead, the server's time leads the
 * wall clock.  It goes on at half a clock's pace until the wall clock has
 * caught up.  So a lead is gone in twice its length: the five seconds that a
 * crash may leave in ten, an hour in two.  A step back while no ids are made
 * is a lead only as far as the wall clock then lies behind the latest time
 * seen plus half of the time since.
 *
 * State: in shared memory, of GidClock, what is known of the clock.
 *
 * Invariants:
 * 1. The offset only grows, so the server's time does not go back.
 * 2. A time that no id can carry is not noted.
 *
 * A crash or a restart wipes all of this; the bound (clock/bound.c) raises the
 * server's time to where it was.  A standby has its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "clock/clock_file.h"
#include "clock/server_time.h"
#include "clock/shared.h"

/*
 * A wall clock less than this behind is not behind: the two clocks are not
 * read at the same instant.
 */
#define GID_BEHIND_US			GID_US_PER_MS

/*
 * A wall clock that falls by more than this against the monotonic clock has
 * been set back.
 */
#define GID_STEP_US				(10 * GID_US_PER_MS)

/* A lead over the wall clock that is worth a line in the log, and how often. */
#define GID_LEAD_LOG_US			(10 * GID_US_PER_S)
#define GID_LEAD_LOG_EVERY_US	(60 * GID_US_PER_S)

static int64
gid_time_read_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64) ts.tv_sec * GID_US_PER_S + ts.tv_nsec / GID_NS_PER_US;
}

/* A clock that does not go back, in microseconds since some moment. */
int64
gid_time_monotonic_us(void)
{
	return gid_time_read_us(CLOCK_MONOTONIC);
}

/* Slow time.  Its pace lets a lead drain. */
static int64
gid_time_slow_us(const GidNow *now)
{
	return now->monotonic_us / 2;
}

/* Raise a shared int64 to a value, unless it is there or beyond. */
static void
gid_time_raise(pg_atomic_uint64 *shared, int64 value)
{
	uint64		seen = pg_atomic_read_u64(shared);

	while ((int64) seen < value &&
		   !pg_atomic_compare_exchange_u64(shared, &seen, (uint64) value))
		;
}

/* Have the server's time be at least "us" at the moment of "now". */
void
gid_time_raise_to(const GidNow *now, int64 us)
{
	gid_time_raise(&gid_clock->clock.offset_us, us - gid_time_slow_us(now));
}

/*
 * Read both clocks, the wall clock between two readings of the other, and
 * again if there was a pause in between that would look like a step.
 */
GidNow
gid_time_look(void)
{
	int64		wall;
	int64		before;
	int64		offset;
	GidNow		now;

	for (int i = 0; i < 3; i++)
	{
		before = gid_time_read_us(CLOCK_MONOTONIC);
		wall = gid_time_read_us(CLOCK_REALTIME);
		now.monotonic_us = gid_time_read_us(CLOCK_MONOTONIC);
		if (now.monotonic_us - before < GID_BEHIND_US)
			break;
	}
	offset = (int64) pg_atomic_read_u64(&gid_clock->clock.offset_us);
	now.us = gid_time_slow_us(&now) + offset;
	if (now.us - wall < GID_BEHIND_US)
		now.us = wall;
	now.lead_us = now.us - wall;
	return now;
}

/*
 * Can every family hold a moment, and the bound for it?  One before 1970
 * counts as 1970, where the missing bound begins.
 */
bool
gid_time_in_calendar(int64 us)
{
	return us / GID_US_PER_S + GID_BOUND_AHEAD_S <= GID_LAST_SECOND;
}

/* How far the wall clock lies before the monotonic clock. */
static int64
gid_time_wall_offset(const GidNow *now)
{
	return now->us - now->lead_us - now->monotonic_us;
}

/*
 * Read both clocks and note the time seen; but not one that no id can carry:
 * the caller refuses it (gid_bound_check_calendar()), and when the clock is
 * set right it shall be forgotten.
 */
GidNow
gid_time_observe(void)
{
	GidClock   *clock = &gid_clock->clock;
	GidNow		now = gid_time_look();
	int64		wall_offset = gid_time_wall_offset(&now);
	int64		before;

	if (!gid_time_in_calendar(now.us))
		return now;
	if (now.lead_us == 0)
		gid_time_raise_to(&now, now.us);

	/* the monotonic clock has no steps, so this is one of the wall clock */
	if ((int64) pg_atomic_read_u64(&clock->wall_offset_us) != wall_offset)
	{
		before = (int64) pg_atomic_exchange_u64(&clock->wall_offset_us,
												(uint64) wall_offset);
		if (wall_offset < before - GID_STEP_US)
			pg_atomic_fetch_add_u64(&clock->steps_back, 1);
		gid_time_raise(&clock->wall_offset_max_us, wall_offset);
	}
	return now;
}

/*
 * Say where a lead comes from: the greater part of it is from steps back of
 * the wall clock that were seen, or all of it was there at the start.
 */
static int
gid_time_explain_lead(const GidNow *now)
{
	GidClock   *clock = &gid_clock->clock;
	int64		greatest = (int64) pg_atomic_read_u64(&clock->wall_offset_max_us);
	int64		back_us = greatest - gid_time_wall_offset(now);

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
void
gid_time_log_lead(const GidNow *now)
{
	GidClock   *clock = &gid_clock->clock;
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
			 gid_time_explain_lead(now)));
}
