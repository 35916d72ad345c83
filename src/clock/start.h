/*-------------------------------------------------------------------------
 *
 * clock/start.h
 *		Starts the growing words from gid.clock.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_START_H
#define GID_CLOCK_START_H

extern void gid_start_clock(void);
extern bool gid_start_found_file(void);

#endif							/* GID_CLOCK_START_H */
