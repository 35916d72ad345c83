/*-------------------------------------------------------------------------
 *
 * clock/server_time.h
 *		The server's time: the wall clock, or a later time after a step back.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_SERVER_TIME_H
#define GID_CLOCK_SERVER_TIME_H

/* Both clocks, read at one moment. */
typedef struct GidNow
{
	int64		us;				/* server's time since the Unix epoch */
	int64		lead_us;		/* server's time minus wall clock, >= 0 */
	int64		monotonic_us;	/* monotonic clock */
} GidNow;

extern int64 gid_time_monotonic_us(void);
extern GidNow gid_time_read(void);
extern GidNow gid_time_observe(void);
extern bool gid_time_in_calendar(int64 us);
extern void gid_time_raise_to(const GidNow *now, int64 us);
extern void gid_time_log_lead(const GidNow *now);

#endif							/* GID_CLOCK_SERVER_TIME_H */
