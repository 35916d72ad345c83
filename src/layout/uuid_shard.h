/*-------------------------------------------------------------------------
 *
 * layout/uuid_shard.h
 *		The bits of a shard-key UUID.
 *
 * References: HotGuid.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_UUID_SHARD_H
#define GID_LAYOUT_UUID_SHARD_H

#include "base/bits.h"

/*
 * Shard-key UUID, PostgreSQL's byte order
 *
 *	0              32          72                96                      128
 *	| seconds (32) | m1 m0 m3 m2 m4 | counter (24) | shard, little-endian  |
 *
 * The word is seconds << 24 | counter; its seconds are not reduced.  m0..m4
 * are the generator bytes in the order of the .NET array.  m4 is byte 8.
 */
#define GID_SHARD_COUNTER_BITS	24
#define GID_SHARD_SECOND_BITS	32
#define GID_SHARD_RATE			(UINT64CONST(1) << GID_SHARD_COUNTER_BITS)	/* a second */
#define GID_GENERATOR_BYTES		5
#define GID_GENERATOR_VARIANT_BYTE	4
#define GID_MAX_SHARD			INT64CONST(4294967295)
#define GID_REGION_BITS			10
#define GID_REGION_SHARD_BITS	22

static inline void
gid_shard_pack(uint8 *uuid, uint64 word, const uint8 *generator, uint32 shard)
{
	gid_put_be32(uuid, (uint32) (word >> GID_SHARD_COUNTER_BITS));
	uuid[4] = generator[1];
	uuid[5] = generator[0];
	uuid[6] = generator[3];
	uuid[7] = generator[2];
	gid_put_be32(uuid + 8, (uint32) generator[4] << GID_SHARD_COUNTER_BITS |
				 (uint32) (word & GID_MASK(GID_SHARD_COUNTER_BITS)));
	/* the shard key is little-endian */
	gid_put_be32(uuid + 12, pg_bswap32(shard));
}

static inline uint32
gid_shard_seconds(const uint8 *uuid)
{
	return gid_get_be32(uuid);
}

static inline void
gid_shard_generator(const uint8 *uuid, uint8 *generator)
{
	generator[0] = uuid[5];
	generator[1] = uuid[4];
	generator[2] = uuid[7];
	generator[3] = uuid[6];
	generator[4] = uuid[8];
}

static inline uint32
gid_shard_counter(const uint8 *uuid)
{
	return gid_get_be32(uuid + 8) & GID_MASK(GID_SHARD_COUNTER_BITS);
}

static inline uint32
gid_shard_key_of(const uint8 *uuid)
{
	return pg_bswap32(gid_get_be32(uuid + 12));
}

#endif							/* GID_LAYOUT_UUID_SHARD_H */
