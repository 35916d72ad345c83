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

#include "clock/clock_file.h"
#include "clock/server_time.h"

extern bool gid_bound_try_mover(void);
extern void gid_bound_release_mover(void);
extern void gid_bound_wait_for_mover(void);
extern int64 gid_bound_for(const GidNow *now);
extern bool gid_bound_set(int64 bound_us, const uint64 next[GID_NWORDS],
						  GidClockFileError *error);
extern bool gid_bound_is_near(const GidNow *now);
extern void gid_bound_move(const GidNow *now, GidWordId id, uint64 next, bool needed);
extern void gid_bound_raise_write_error(const GidClockFileError *error);

#endif							/* GID_CLOCK_BOUND_H */
