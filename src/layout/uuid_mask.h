/*-------------------------------------------------------------------------
 *
 * layout/uuid_mask.h
 *		The bits of a masked UUID: version 7 whose time does not show.
 *
 * References: uuidv47 (stateless-me/uuidv47), whose format this is.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_UUID_MASK_H
#define GID_LAYOUT_UUID_MASK_H

#include "base/bits.h"
#include "layout/siphash.h"

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

#endif							/* GID_LAYOUT_UUID_MASK_H */
