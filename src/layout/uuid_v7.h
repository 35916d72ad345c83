/*-------------------------------------------------------------------------
 *
 * layout/uuid_v7.h
 *		The bits of a UUID version 7.
 *
 * References: RFC 9562, section 5.7 and 6.2 (method 3).
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_UUID_V7_H
#define GID_LAYOUT_UUID_V7_H

#include "base/bits.h"
#include "layout/variant.h"

/*
 * UUID version 7
 *
 *	0                   48   52           64 66   70                     128
 *	| unix ms (48)       | 7 | sub-ms hi 12 |10| lo 4 | random 58          |
 *
 * The word is unix ms << 16 | fraction of the millisecond in 1/65536.
 */
#define GID_V7_FRACTION_BITS	16
#define GID_V7_RATE				(UINT64CONST(1000) << GID_V7_FRACTION_BITS) /* a second */
#define GID_V7_MAX_MS			((int64) GID_MASK(48))
#define GID_V7_RANDOM_BITS		58

static inline void
gid_v7_pack(uint8 *uuid, uint64 word, uint64 random)
{
	gid_put_be64(uuid, (word & ~GID_MASK(GID_V7_FRACTION_BITS)) |
				 UINT64CONST(0x7000) | (word >> 4 & GID_MASK(12)));
	gid_put_be64(uuid + 8, UINT64CONST(2) << 62 |
				 (word & GID_MASK(4)) << GID_V7_RANDOM_BITS |
				 (random & GID_MASK(GID_V7_RANDOM_BITS)));
}

static inline bool
gid_is_v7(const uint8 *uuid)
{
	return gid_uuid_has_rfc_variant(uuid) && gid_uuid_version(uuid) == 7;
}

static inline int64
gid_v7_ms(const uint8 *uuid)
{
	return (int64) (gid_get_be64(uuid) >> GID_V7_FRACTION_BITS);
}

#endif							/* GID_LAYOUT_UUID_V7_H */
