/*-------------------------------------------------------------------------
 *
 * base/bits.h
 *		Units of time, bit masks, big-endian numbers, the variant of a UUID.
 *
 * References: RFC 9562, sections 4.1 and 4.2.
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

/*
 * Byte 6 and byte 8 of a UUID, which is 16 bytes in network order
 *
 *	bit 7        4 3            0     bit 7 6 5                   0
 *	   | version    |            |       |1 0|                     |
 *	   byte 6                            byte 8, with the RFC variant
 */
static inline bool
gid_uuid_has_rfc_variant(const uint8 *uuid)
{
	return (uuid[8] & 0xc0) == 0x80;
}

static inline int
gid_uuid_version(const uint8 *uuid)
{
	return uuid[6] >> 4;
}

/*
 * Make a byte 8 that is not the RFC variant: its top bits are 00, 01 or 11.
 * Each of the 192 values is as likely as the others, to 1 in 341.
 */
static inline uint8
gid_byte8_from_random(uint16 random)
{
	uint8		b = (uint8) (random % 192);

	return b < 128 ? b : b + 64;
}

#endif							/* GID_BASE_BITS_H */
