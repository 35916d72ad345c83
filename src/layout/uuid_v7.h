/*-------------------------------------------------------------------------
 *
 * layout/uuid_v7.h
 *		The bits of a UUID version 7, and of one whose time is masked.
 *
 * References: RFC 9562, section 5.7 and 6.2 (method 3); uuidv47
 * (stateless-me/uuidv47), whose format a masked UUID has.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_UUID_V7_H
#define GID_LAYOUT_UUID_V7_H

#include "base/bits.h"
#include "layout/siphash.h"

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

/*
 * A version 7 UUID, and the masked one
 *
 *	0                           48  52        64 66                     128
 *	| unix ms (48)              | 7 | rest 12 |10| rest 62              |
 *	| unix ms xor hash (48)     | 4 | rest 12 |10| rest 62              |
 *
 * The hash is the lower 48 bits of SipHash-2-4 of the rest, as a message:
 *
 *	0    4         16  18              80
 *	| 0  | rest 12 | 0 | rest 62       |
 *
 * The rest does not change, so the same hash masks and unmasks.
 */
#define GID_UUID_MASK_MESSAGE	10	/* bytes */

/*
 * Mask or unmask a UUID: exclusive-or its first 48 bits with the hash, and set
 * its version.  The UUID has the RFC variant; "turned" is another buffer.
 */
static inline void
gid_uuid_mask_turn(uint8 *turned, const uint8 *uuid, int version,
				   const uint8 key[GID_SIPHASH_KEY_BYTES])
{
	uint8		message[GID_UUID_MASK_MESSAGE];
	uint64		hash;

	memcpy(message, uuid + 6, GID_UUID_MASK_MESSAGE);
	message[0] &= 0x0f;
	message[2] &= 0x3f;
	hash = gid_siphash(key, message, GID_UUID_MASK_MESSAGE);
	gid_put_be64(turned, gid_get_be64(uuid) ^ hash << 16);
	turned[6] = (uint8) (version << 4 | message[0]);
	memcpy(turned + 8, uuid + 8, 8);
}

#endif							/* GID_LAYOUT_UUID_V7_H */
