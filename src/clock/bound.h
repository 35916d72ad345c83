/*-------------------------------------------------------------------------
 *
 * clock/bound.h
 *		The durable bound: a moment on disk that no word reaches.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_BOUND_H
#define GID_CLOCK_BOUND_H

#include "clock/server_time.h"
#include "layout/time_word.h"

extern void gid_bound_start(void);
extern bool gid_bound_is_near(const GidNow *now);
extern void gid_bound_move(const GidNow *now, GidWordId id, uint64 next, bool needed);
extern bool gid_bound_try_mover(void);
extern void gid_bound_release_mover(void);
extern void gid_bound_check_calendar(const GidNow *now);

#endif							/* GID_CLOCK_BOUND_H */
