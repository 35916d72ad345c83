/*-------------------------------------------------------------------------
 *
 * gid_bound.h
 *		The durable bound: how far ahead of it is on disk.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BOUND_H
#define GID_BOUND_H

#include "gid_clock.h"

extern void gid_bound_start(void);
extern bool gid_bound_is_near(const GidNow *now);
extern void gid_bound_move(const GidNow *now, bool needed);
extern bool gid_bound_in_calendar(int64 us);
extern void gid_bound_check_calendar(const GidNow *now);
extern void gid_bound_shutdown(int code, Datum arg);

#endif							/* GID_BOUND_H */
