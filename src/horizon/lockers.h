/*-------------------------------------------------------------------------
 *
 * horizon/lockers.h
 *		The transactions that may have drawn from a sequence.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_LOCKERS_H
#define GID_HORIZON_LOCKERS_H

#include "storage/lock.h"

#include "horizon/followed.h"

extern int	gid_lockers_max(void);
extern void gid_lockers_read(const LOCKTAG *tag, GidSample *sample);
extern void gid_lockers_wait(const GidSample *sample);

#endif							/* GID_HORIZON_LOCKERS_H */
