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

/* The server's time, and how far the wall clock lies behind it. */
typedef struct GidNow
{
	int64		us;				/* server's time since the Unix epoch */
	int64		lead_us;		/* of it over the wall clock, >= 0 */
	int64		monotonic_us;
} GidNow;

extern int64 gid_time_monotonic_us(void);
extern GidNow gid_time_look(void);
extern GidNow gid_time_observe(void);
extern void gid_time_raise_to(const GidNow *now, int64 us);
extern void gid_time_log_lead(const GidNow *now);

#endif							/* GID_CLOCK_SERVER_TIME_H */
