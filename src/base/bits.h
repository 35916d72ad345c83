/*-------------------------------------------------------------------------
 *
 * base/bits.h
 *		Units of time, bit masks, big-endian numbers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_BITS_H
#define GID_BASE_BITS_H

#include "port/pg_bswap.h"

#define GID_NS_PER_S			INT64CONST(1000000000)
#define GID_NS_PER_US			INT64CONST(1000)
#define GID_US_PER_S			INT64CONST(1000000)
#define GID_US_PER_MS			INT64CONST(1000)

#define GID_MASK(bits)			((UINT64CONST(1) << (bits)) - 1)

/* Big-endian stores and loads. */
static inline void
gid_put_be64(uint8 *p, uint64 v)
{
	v = pg_hton64(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
gid_put_be32(uint8 *p, uint32 v)
{
	v = pg_hton32(v);
	memcpy(p, &v, sizeof(v));
}

static inline uint64
gid_get_be64(const uint8 *p)
{
	uint64		v;

	memcpy(&v, p, sizeof(v));
	return pg_ntoh64(v);
}

static inline uint32
gid_get_be32(const uint8 *p)
{
	uint32		v;

	memcpy(&v, p, sizeof(v));
	return pg_ntoh32(v);
}

/* Return a / b, rounded towards minus infinity; b > 0. */
static inline int64
gid_floor_div(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

#endif							/* GID_BASE_BITS_H */
