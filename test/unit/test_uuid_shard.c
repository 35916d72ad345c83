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
#include "vectors.h"

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

/*
 *	0              32          72                96                      128
 *	| seconds (32) | m1 m0 m3 m2 m4 | counter (24) | shard, little-endian  |
 */
static void
check_ruler(uint32 seconds, const uint8 *m, uint32 counter, uint32 shard)
{
	Ruler		r = {0};
	uint8		uuid[16];

	ruler_put(&r, 0, 32, seconds);
	ruler_put(&r, 32, 40, m[1]);
	ruler_put(&r, 40, 48, m[0]);
	ruler_put(&r, 48, 56, m[3]);
	ruler_put(&r, 56, 64, m[2]);
	ruler_put(&r, 64, 72, m[4]);
	ruler_put(&r, 72, 96, counter);
	for (int i = 0; i < 4; i++)
		ruler_put(&r, 96 + 8 * i, 104 + 8 * i, shard >> 8 * i);
	gid_shard_pack(uuid, (uint64) seconds << 24 | counter, m, shard);
	tap_check(ruler_is(&r, uuid, 16), "%s is not %s", ruler_uuid_text(uuid),
			  ruler_text(&r));
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

	tap_begin("each single bit stands where the ruler says");
	memset(generator, 0, 5);
	for (int i = 0; i < 32; i++)
	{
		check_ruler(1U << i, generator, 0, 0);
		check_ruler(0, generator, 0, 1U << i);
	}
	for (int i = 0; i < 24; i++)
		check_ruler(0, generator, 1U << i, 0);
	for (int i = 0; i < 40; i++)
	{
		generator[i / 8] = 1 << i % 8;
		check_ruler(0, generator, 0, 0);
		generator[i / 8] = 0;
	}
	tap_end();
}

static void
test_order(void)
{
	uint8		generator[5];

	tap_begin("ids of one generator and shard are in the order of their words");
	for (int i = 0; i < 100000; i++)
	{
		/* within one period of the seconds */
		uint64		word = tap_random() >> 8;
		uint64		other = i % 2 == 0 ? tap_random() >> 8 : word + 1;
		uint32		shard = (uint32) tap_random();
		uint8		a[16];
		uint8		b[16];

		if (word == other || other >> 56 != 0)
			continue;
		tap_random_bytes(generator, 5);
		gid_shard_pack(a, word, generator, shard);
		gid_shard_pack(b, other, generator, shard);
		tap_check((memcmp(a, b, 16) < 0) == (word < other),
				  "words " UINT64_FORMAT " and " UINT64_FORMAT, word, other);
	}
	tap_end();
}

static void
test_vectors(void)
{
	FILE	   *file = vectors_open("hotguid.json");
	char		line[VECTOR_LINE];
	uint8		generator[5];
	uint8		uuid[16];
	uint8		s[16];
	uint8		want[16];
	int64		seconds = 0;
	int64		counter = 0;
	int64		shard = 0;

	tap_begin("the vectors of the published layout");
	while (file != NULL && vectors_next(file, "layout", line))
	{
		tap_check(vector_number(line, "unix_ts", &seconds) &&
				  vector_bytes(line, "machine_pid_hex", generator, 5) &&
				  vector_number(line, "counter", &counter) &&
				  vector_number(line, "shard", &shard), "%s", line);
		gid_shard_pack(uuid, (uint64) seconds << 24 | (uint64) counter,
					   generator,
					   (uint32) shard);
		tap_check(vector_bytes(line, "uuid_text", want, 16) &&
				  memcmp(uuid, want, 16) == 0, "%s", line);
		gid_to_mssql(uuid, s);
		tap_check(vector_bytes(line, "to_sql_guid", want, 16) &&
				  memcmp(s, want, 16) == 0, "%s", line);
		tap_check(vector_number(line, "extract_shard", &shard) &&
				  gid_shard_key_of(uuid) == shard, "%s", line);
		tap_check(vector_number(line, "extract_ts", &seconds) &&
				  gid_shard_seconds(uuid) == seconds, "%s", line);
	}
	tap_end();
	if (file != NULL)
		fclose(file);

	tap_begin("shard 208 prints ...d0000000");
	memset(generator, 0, 5);
	gid_shard_pack(uuid, 0, generator, 208);
	tap_check(strcmp(ruler_uuid_text(uuid),
					 "00000000-0000-0000-0000-0000d0000000") == 0,
			  "%s", ruler_uuid_text(uuid));
	tap_end();
}

int
main(void)
{
	tap_start();
	test_layout();
	test_order();
	test_vectors();
	return tap_done();
}
