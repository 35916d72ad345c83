/*-------------------------------------------------------------------------
 *
 * clock/server_time.h
 *		The server's time: it does not go back.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_SERVER_TIME_H
#define GID_CLOCK_SERVER_TIME_H

/* The bound is this far ahead of the wall clock, in whole seconds. */
#define GID_BOUND_AHEAD_S		5

/* What a look at both clocks has found. */
typedef struct GidNow
{
	int64		us;				/* server's time since the Unix epoch */
	int64		lead_us;		/* server's time minus wall clock, >= 0 */
	int64		monotonic_us;	/* monotonic clock */
} GidNow;

extern int64 gid_time_monotonic_us(void);
extern GidNow gid_time_look(void);
extern GidNow gid_time_observe(void);
extern bool gid_time_in_calendar(int64 us);
extern void gid_time_check_calendar(const GidNow *now);
extern void gid_time_raise_to(const GidNow *now, int64 us);
extern void gid_time_log_lead(const GidNow *now);

#endif							/* GID_CLOCK_SERVER_TIME_H */
