/*-------------------------------------------------------------------------
 *
 * sequence/fetch.h
 *		Fetches what other servers reserve: blocks of GDIDs, generator numbers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_FETCH_H
#define GID_SEQUENCE_FETCH_H

#include "sequence/draw.h"

extern const GidSupply gid_fetch_supply;
extern void gid_fetch_batch(Oid sequence, int64 count, GidBatch *batch);
extern bool gid_fetch_lock(const GidBlockKey *key, bool wait);
extern void gid_fetch_unlock(const GidBlockKey *key);
extern int32 gid_fetch_generator(int32 launch);

#endif							/* GID_SEQUENCE_FETCH_H */
