/*-------------------------------------------------------------------------
 *
 * test_uuid_shard.c
 *		The layout of shard-key UUIDs, against the published .NET one.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/time_word.h"
#include "layout/uuid_sequential.h"
#include "layout/uuid_shard.h"
#include "tap.h"
#include "../plain/ruler.h"

#define MAX_COUNTER		0xffffff

/*
 * .NET array: 0..3 seconds, little-endian; 4..8 the generator; 9..11 counter,
 * big-endian; 12..15 shard key, little-endian.
 */
static void
plain_pack(uint8 *uuid, uint32 seconds, const uint8 *generator, uint32 counter,
		   uint32 shard)
{
	uint8		array[16];

	for (int i = 0; i < 4; i++)
	{
		array[i] = (uint8) (seconds % 256);
		seconds /= 256;
		array[12 + i] = (uint8) (shard % 256);
		shard /= 256;
	}
	for (int i = 0; i < 5; i++)
		array[4 + i] = generator[i];
	for (int i = 11; i >= 9; i--)
	{
		array[i] = (uint8) (counter % 256);
		counter /= 256;
	}
	ruler_from_dotnet(array, uuid);
}

/* What ExtractShardKey() reads: BitConverter.ToUInt32(array, 12) */
static uint32
plain_shard(const uint8 *uuid)
{
	uint32		shard = 0;

	for (int i = 15; i >= 12; i--)
		shard = shard * 256 + uuid[i];
	return shard;
}

/* "seconds" are the whole ones, of which the id has the low 32 bits. */
static void
check_parts(uint64 seconds, const uint8 *generator, uint32 counter,
			uint32 shard)
{
	uint8		uuid[16];
	uint8		plain[16];
	uint8		back[5];

	memset(uuid, 0x5a, sizeof(uuid));
	gid_shard_pack(uuid, seconds * (MAX_COUNTER + 1) + counter, generator,
				   shard);
	plain_pack(plain, (uint32) (seconds % (UINT64CONST(1) << 32)), generator,
			   counter, shard);
	tap_check(memcmp(uuid, plain, 16) == 0, "%s of shard %u",
			  ruler_uuid_text(uuid), shard);

	tap_check(gid_shard_seconds(uuid) ==
			  (uint32) (seconds % (UINT64CONST(1) << 32)),
			  "seconds of %s", ruler_uuid_text(uuid));
	gid_shard_generator(uuid, back);
	tap_check(memcmp(back, generator, 5) == 0, "generator of %s",
			  ruler_uuid_text(uuid));
	tap_check(gid_shard_counter(uuid) == counter, "counter of %s",
			  ruler_uuid_text(uuid));
	tap_check(gid_shard_key_of(uuid) == shard, "shard of %s",
			  ruler_uuid_text(uuid));
	tap_check(plain_shard(uuid) == shard, ".NET's shard of %s",
			  ruler_uuid_text(uuid));
	tap_check(uuid[8] == generator[GID_GENERATOR_VARIANT_BYTE], "byte 8 of %s",
			  ruler_uuid_text(uuid));
}

static void
test_layout(void)
{
	static const uint64 seconds[] = {
		0, 1, PG_INT32_MAX, UINT64CONST(0x80000000), UINT64CONST(0xffffffff),
		UINT64CONST(0x100000000), UINT64CONST(0x100000001), GID_LAST_SECOND,
	};
	static const uint32 shards[] = {
		0, 1, 208, 65535, 65536, 0x7fffffff, 0x80000000, 0xffffffff,
	};
	uint8		generator[5] = {0};

	tap_begin("every part stands where the .NET layout says, at both ends");
	for (int i = 0; i < (int) lengthof(seconds); i++)
	{
		for (int j = 0; j < (int) lengthof(shards); j++)
		{
			tap_random_bytes(generator, 5);
			check_parts(seconds[i], generator, 0, shards[j]);
			check_parts(seconds[i], generator, 1, shards[j]);
			check_parts(seconds[i], generator, MAX_COUNTER, shards[j]);
		}
	}
	tap_end();

	tap_begin("and in between");
	for (int i = 0; i < 200000; i++)
	{
		tap_random_bytes(generator, 5);
		check_parts(tap_random_to(GID_LAST_SECOND), generator,
					(uint32) tap_random_to(MAX_COUNTER),
					(uint32) tap_random_to(0xffffffff));
	}
	tap_end();

}

int
main(void)
{
	tap_start();
	test_layout();
	return tap_done();
}
