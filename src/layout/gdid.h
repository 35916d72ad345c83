/*-------------------------------------------------------------------------
 *
 * layout/gdid.h
 *		The layout and the order of a GDID.
 *
 * Any 12 bytes are a GDID, and memcmp() of them is the order of GDIDs.
 *
 * References: azist's GDID.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_GDID_H
#define GID_LAYOUT_GDID_H

#include "base/bits.h"

/*
 * GDID
 *
 *	0          32              36                                          96
 *	| era (32) | authority (4) | counter (60)                               |
 *
 * Big-endian.  The 64 bits of authority and counter together are the "id".
 */
#define GID_GDID_ERA_BITS		32
#define GID_GDID_AUTHORITY_BITS 4
#define GID_GDID_COUNTER_BITS	60
#define GID_GDID_ID_BITS		(GID_GDID_AUTHORITY_BITS + GID_GDID_COUNTER_BITS)
#define GID_GDID_BYTES			((GID_GDID_ERA_BITS + GID_GDID_ID_BITS) / 8)
#define GID_GDID_MAX_ERA		GID_MASK(GID_GDID_ERA_BITS)
#define GID_GDID_MAX_AUTHORITY	GID_MASK(GID_GDID_AUTHORITY_BITS)
#define GID_GDID_MAX_COUNTER	GID_MASK(GID_GDID_COUNTER_BITS)

/* The value that the type gdid stores; alignment 1. */
typedef struct GidGdid
{
	uint8		bytes[GID_GDID_BYTES];
} GidGdid;

static inline void
gid_gdid_put(GidGdid *gdid, uint32 era, uint64 id)
{
	gid_put_be32(gdid->bytes, era);
	gid_put_be64(gdid->bytes + 4, id);
}

static inline uint32
gid_gdid_era(const GidGdid *gdid)
{
	return gid_get_be32(gdid->bytes);
}

static inline uint64
gid_gdid_id(const GidGdid *gdid)
{
	return gid_get_be64(gdid->bytes + 4);
}

/* Make an id of an authority and a counter, both in their ranges. */
static inline uint64
gid_gdid_make_id(uint32 authority, uint64 counter)
{
	return (uint64) authority << GID_GDID_COUNTER_BITS | counter;
}

static inline uint32
gid_gdid_authority(const GidGdid *gdid)
{
	return (uint32) (gid_gdid_id(gdid) >> GID_GDID_COUNTER_BITS);
}

static inline uint64
gid_gdid_counter(const GidGdid *gdid)
{
	return gid_gdid_id(gdid) & GID_GDID_MAX_COUNTER;
}

/* Compare two GDIDs: below 0, 0 or above 0. */
static inline int
gid_gdid_compare(const GidGdid *a, const GidGdid *b)
{
	return memcmp(a->bytes, b->bytes, GID_GDID_BYTES);
}

#endif							/* GID_LAYOUT_GDID_H */
