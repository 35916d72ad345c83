/*-------------------------------------------------------------------------
 *
 * clock/durable.h
 *		The durable bound, and the start of the words.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_DURABLE_H
#define GID_CLOCK_DURABLE_H

#include "clock/server_time.h"
#include "layout/time_word.h"

extern void gid_durable_start(void);
extern bool gid_durable_is_near(const GidNow *now);
extern void gid_durable_move(const GidNow *now, GidWordId id, uint64 next, bool needed);
extern void gid_durable_server_exit(void);

#endif							/* GID_CLOCK_DURABLE_H */
