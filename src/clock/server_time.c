/*-------------------------------------------------------------------------
 *
 * clock/server_time.c
 *		The server's time: it does not go back by a millisecond or more.
 *
 * The server's time is max(CLOCK_REALTIME, slow time + greatest offset seen).
 * Slow time is the monotonic clock at half speed.  The offset is that of the
 * wall clock against slow time.
 *
 * While the wall clock is ahead, the server's time is the wall clock.  A step
 * forward raises the offset.  After a step back, or a start from a bound that
 * is ahead, the server's time leads the wall clock.  It then runs at half
 * speed until the wall clock has caught up, so a lead is gone in twice its
 * length.  A step back while no ids are made may leave no lead: the next
 * reading compares the wall clock with the latest time seen plus half of the
 * time since.
 *
 * State: in shared memory GidClock's offset_us, wall_offset_us,
 * wall_offset_max_us, steps_back and next_log_us.  offset_us only grows, by
 * compare-and-swap, so the server's time follows only steps back of less than
 * a millisecond (GID_BEHIND_US).  The words take none of them.
 *
 * Crash, restart: all of this is lost, and the bound raises the server's time
 * to where it was (clock/durable.c).  Standby: it has its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <time.h>

#include "base/bits.h"
#include "base/compat.h"
#include "clock/clock.h"
#include "clock/server_time.h"

/*
 * A wall clock that is behind by less than this counts as not behind, because
 * the two clocks are not read at the same instant.
 */
#define GID_BEHIND_US			GID_US_PER_MS

/*
 * A wall clock that falls by more than this against the monotonic clock has
 * been set back.
 */
#define GID_STEP_US				(10 * GID_US_PER_MS)

/* Slow time.  Its half speed lets a lead drain. */
#define GID_SLOW_US(now)		((now)->monotonic_us / 2)

/* A lead of more than this is logged, and no more often than this. */
#define GID_LEAD_LOG_US			(10 * GID_US_PER_S)
#define GID_LEAD_LOG_EVERY_US	(60 * GID_US_PER_S)

static int64
gid_time_read_us(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64) ts.tv_sec * GID_US_PER_S + ts.tv_nsec / GID_NS_PER_US;
}

/* Read the monotonic clock: microseconds since some moment. */
int64
gid_time_monotonic_us(void)
{
	return gid_time_read_us(GID_CLOCK_MONOTONIC);
}

/* Raise a shared int64 to a value, unless it is already as great. */
static void
gid_time_raise(pg_atomic_uint64 *shared, int64 value)
{
	uint64		seen = pg_atomic_read_u64(shared);

	while ((int64) seen < value &&
		   !pg_atomic_compare_exchange_u64(shared, &seen, (uint64) value))
		;
}

/*
 * Raise the server's time so that at the moment of "now" it is at least "us"
 * (microseconds since the Unix epoch).  Does not wait.
 */
void
gid_time_raise_to(const GidNow *now, int64 us)
{
	gid_time_raise(&gid_clock->clock.offset_us, us - GID_SLOW_US(now));
}

/*
 * Read both clocks, and return the server's time.  The wall clock is read
 * between two readings of the monotonic clock.  A pause between these would
 * look like a step, so then both are read again.  Changes nothing in shared
 * memory.
 */
GidNow
gid_time_read(void)
{
	int64		wall;
	int64		before;
	int64		offset;
	GidNow		now;

	for (int i = 0; i < 3; i++)
	{
		before = gid_time_read_us(GID_CLOCK_MONOTONIC);
		wall = gid_time_read_us(CLOCK_REALTIME);
		now.monotonic_us = gid_time_read_us(GID_CLOCK_MONOTONIC);
		if (now.monotonic_us - before < GID_BEHIND_US)
			break;
	}
	offset = (int64) pg_atomic_read_u64(&gid_clock->clock.offset_us);
	now.us = GID_SLOW_US(&now) + offset;
	if (now.us - wall < GID_BEHIND_US)
		now.us = wall;
	now.lead_us = now.us - wall;
	return now;
}

/*
 * Can every family hold a moment (microseconds since the Unix epoch), and the
 * bound for it?  A moment before 1970 counts as 1970, where a missing bound
 * begins.
 */
bool
gid_time_in_calendar(int64 us)
{
	return us / GID_US_PER_S + GID_BOUND_AHEAD_S <= GID_LAST_SECOND;
}

/* Return by how much the wall clock is ahead of the monotonic clock. */
static int64
gid_time_wall_offset(const GidNow *now)
{
	return now->us - now->lead_us - now->monotonic_us;
}

/*
 * Read both clocks, return the server's time, and note it in shared memory.
 * Raises 22008 for a time that no id can carry, which is not noted.  So ids
 * continue when the clock has been set right.  Does not wait.
 */
GidNow
gid_time_observe(void)
{
	GidClock   *clock = &gid_clock->clock;
	GidNow		now = gid_time_read();
	int64		wall_offset = gid_time_wall_offset(&now);
	int64		before;

	if (!gid_time_in_calendar(now.us))
		ereport(ERROR,
				(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				 errmsg("the server's clock is beyond the year 9999"),
				 errdetail("No id can carry the server's time."),
				 errhint("Set the clock right.")));
	if (now.lead_us == 0)
		gid_time_raise_to(&now, now.us);

	/* the monotonic clock has no steps, so the wall clock had this one */
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
 * Add the detail and the hint to the log line about a lead.  Either steps back
 * that were seen account for the greater part of the lead, or the lead was
 * there at the start.
 */
static int
gid_time_explain_lead(const GidNow *now)
{
	GidClock   *clock = &gid_clock->clock;
	int64		greatest = (int64) pg_atomic_read_u64(&clock->wall_offset_max_us);
	int64		back_us = greatest - gid_time_wall_offset(now);

	if (back_us > now->lead_us / 2)
		errdetail("The wall clock was set back by %lld s while the server ran. Ids go on from the latest time, so that none is made twice.",
				  (long long) (back_us / GID_US_PER_S));
	else
		errdetail("File \"%s\" was %lld s ahead of the wall clock at the start, because the wall clock was set back before. Ids go on from the latest time, so that none is made twice.",
				  GID_CLOCK_FILE, (long long) (clock->start_lead_us / GID_US_PER_S));
	return errhint("If the wall clock is right now, the lead is gone in twice its length. If it had been set too far ahead by mistake, see doc/operations.md of gid's manual.");
}

/*
 * Log a lead of more than GID_LEAD_LOG_US, once a minute over all backends.
 * Raises nothing.
 */
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
