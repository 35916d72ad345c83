/*-------------------------------------------------------------------------
 *
 * test_uuid.c
 *		The layouts of UUIDs: version 7, process id and ticks, shard
 *		keys.
 *
 * The second implementations are rulers of bits (test/plain/ruler.h) and, where a
 * layout was published so, .NET's byte array.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "base/bits.h"
#include "layout/time_word.h"
#include "layout/uuid_sequential.h"
#include "layout/uuid_shard.h"
#include "layout/uuid_v7.h"
#include "tap.h"
#include "../plain/ruler.h"

#define ROUNDS			30000
#define MAX_MS			((UINT64CONST(1) << 48) - 1)
#define MAX_COUNTER		0xffffff
#define TICKS_A_SECOND	10000000
#define TICKS_MAX		UINT64CONST(3155378975999999999)

/* ---- version 7 ---- */

/*
 *	0                   48   52           64 66   70                     128
 *	| unix ms (48)       | 7 | sub-ms hi 12 |10| lo 4 | random 58          |
 */
static void
test_v7(void)
{
	uint8		uuid[16];

	tap_begin("version 7: every part stands where the ruler says");
	for (int i = 0; i < ROUNDS; i++)
	{
		uint64		ms = tap_random_part(MAX_MS);
		uint64		fraction = tap_random_part(0xffff);
		uint64		random = tap_random_part(PG_UINT64_MAX);
		Ruler		r = {0};

		ruler_put(&r, 0, 48, ms);
		ruler_put(&r, 48, 52, 7);
		ruler_put(&r, 52, 64, fraction / 16);
		ruler_put(&r, 64, 66, 2);
		ruler_put(&r, 66, 70, fraction % 16);
		ruler_put(&r, 70, 128, random);
		memset(uuid, 0x5a, sizeof(uuid));
		gid_v7_pack(uuid, ms * 65536 + fraction, random);
		tap_check(ruler_is(&r, uuid, 16) && gid_v7_ms(uuid) == (int64) ms,
				  "%s is not %s", ruler_uuid_text(uuid), ruler_text(&r));
	}
	tap_end();

	tap_begin("a UUID is of version 7 by its variant and its version alone");
	for (int i = 0; i < 16 * 4 * 50; i++)
	{
		int			version = i % 16;
		int			top = i / 16 % 4;

		tap_random_bytes(uuid, 16);
		uuid[6] = (uint8) (version * 16 + uuid[6] % 16);
		uuid[8] = (uint8) (top * 64 + uuid[8] % 64);
		tap_check(gid_is_v7(uuid) == (top == 2 && version == 7) &&
				  gid_uuid_has_rfc_variant(uuid) == (top == 2) &&
				  gid_uuid_version(uuid) == version, "%s", ruler_uuid_text(uuid));
	}
	tap_end();
}

/* ---- process id and ticks ---- */

/*
 * The original layout as a .NET array: the process id, the low 16 bits of the
 * ticks, then the high 48.  "s" is what PostgreSQL would store of that Guid.
 */
static void
plain_mssql(uint64 ticks, const uint8 *process, uint8 *s)
{
	uint8		array[16];
	uint64		high = ticks / 65536;

	memcpy(array, process, 8);
	array[8] = (uint8) (ticks / 256 % 256);
	array[9] = (uint8) (ticks % 256);
	for (int i = 15; i >= 10; i--, high /= 256)
		array[i] = (uint8) (high % 256);
	ruler_from_dotnet(array, s);
}

static void
test_sequential(void)
{
	/* which bytes of the process id follow the ticks in PostgreSQL's form */
	static const int order[] = {6, 7, 4, 5, 0, 1, 2, 3};

	tap_begin("ticks: every part stands where the ruler and the .NET layout say");
	for (int i = 0; i < ROUNDS; i++)
	{
		uint64		ticks = tap_random_part(i % 4 == 0 ? PG_UINT64_MAX : TICKS_MAX);
		Ruler		r = {0};
		uint8		process[8];
		uint8		back[8];
		uint8		n[16];
		uint8		s[16];
		uint8		plain_s[16];
		uint8		plain_n[16];

		tap_random_bytes(process, 8);
		ruler_put(&r, 0, 64, ticks);
		for (int j = 0; j < 8; j++)
			ruler_put(&r, 64 + 8 * j, 72 + 8 * j, process[order[j]]);
		gid_sequential_pack(n, ticks, process);
		tap_check(ruler_is(&r, n, 16), "%s is not %s", ruler_uuid_text(n), ruler_text(&r));
		plain_mssql(ticks, process, plain_s);
		gid_to_mssql(n, s);
		gid_from_mssql(plain_s, plain_n);
		tap_check(memcmp(s, plain_s, 16) == 0 && memcmp(n, plain_n, 16) == 0,
				  "SQL Server form %s of ticks " UINT64_FORMAT, ruler_uuid_text(s), ticks);
		gid_sequential_process(n, back);
		tap_check(gid_sequential_ticks(n) == ticks && memcmp(back, process, 8) == 0 &&
				  n[8] == process[GID_PROCESS_VARIANT_BYTE], "parts of %s", ruler_uuid_text(n));
	}
	tap_end();

	tap_begin("PostgreSQL's order of N is SQL Server's order of S");
	for (int i = 0; i < 2 * ROUNDS; i++)
	{
		uint8		a[16];
		uint8		b[16];
		uint8		s[16];
		uint8		t[16];
		int			compared;

		/* neighbours: all but some bytes equal */
		tap_random_bytes(a, 16);
		memcpy(b, a, 16);
		for (int j = (int) (tap_random() % 3); j > 0; j--)
			b[tap_random() % 16] = (uint8) tap_random();
		gid_to_mssql(a, s);
		gid_to_mssql(b, t);
		compared = memcmp(a, b, 16);
		tap_check((compared > 0) - (compared < 0) == ruler_mssql_order(s, t),
				  "%s among others", ruler_uuid_text(a));
	}
	tap_end();
}

/* The first tick of a year, by the calendar. */
static uint64
first_tick(int year)
{
	return (uint64) tap_calendar_seconds(year, 1, 1) * TICKS_A_SECOND;
}

static void
test_plausible(void)
{
	uint64		first = first_tick(1970);
	uint64		last = first_tick(2200);
	uint64		end = first_tick(10000);
	uint64		edges[] = {0, first, last, end};

	tap_begin("ticks of an unlikely time are told from an RFC UUID's bytes");
	for (int i = 0; i < 8 * ROUNDS; i++)
	{
		uint64		ticks = i % 8 == 0 ? tap_random() :
		edges[i % lengthof(edges)] + tap_random() % 131072 - 65536;
		int			top = (int) (tap_random() % 4);
		int			version;
		bool		rfc;
		uint8		process[8];
		uint8		n[16];

		if (i < 2 * (int) lengthof(edges))
			ticks = edges[i / 2] - i % 2;
		version = (int) (ticks / 4096 % 16);
		rfc = top == 2 && version >= 1 && version <= 8;
		tap_random_bytes(process, 8);
		process[6] = (uint8) (top * 64 + process[6] % 64);
		gid_sequential_pack(n, ticks, process);
		tap_check(gid_sequential_is_plausible(n) ==
				  (ticks >= (rfc ? first : 0) && ticks < (rfc ? last : end)),
				  "%s", ruler_uuid_text(n));
	}
	tap_end();

	tap_begin("the constants are the calendar's");
	tap_check(GID_TICKS_EPOCH == first && GID_TICKS_MAX == end - 1 && GID_TICKS_2200 == last, "ticks");
	tap_check(GID_LAST_SECOND == tap_calendar_seconds(10000, 1, 1) - tap_calendar_seconds(1970, 1, 1) - 1, "the last second");
	tap_end();
}

static void
test_byte8(void)
{
	int			seen[256] = {0};

	tap_begin("a random byte 8 never has the RFC variant; its other values are equally likely");
	for (int random = 0; random <= 0xffff; random++)
		seen[gid_byte8_from_random((uint16) random)]++;
	for (int b = 0; b < 256; b++)
		tap_check(b / 64 == 2 ? seen[b] == 0 :
				  seen[b] == 65536 / 192 || seen[b] == 65536 / 192 + 1,
				  "%02x comes %d times", b, seen[b]);
	tap_end();
}

/* ---- shard keys ---- */

/*
 * .NET array: 0..3 seconds, little-endian; 4..8 the generator; 9..11 counter,
 * big-endian; 12..15 shard key, little-endian.
 */
static void
plain_shard(uint8 *uuid, uint64 seconds, const uint8 *generator, uint32 counter, uint64 shard)
{
	uint8		array[16];

	for (int i = 0; i < 4; i++, seconds /= 256, shard /= 256)
	{
		array[i] = (uint8) (seconds % 256);
		array[12 + i] = (uint8) (shard % 256);
	}
	memcpy(array + 4, generator, 5);
	for (int i = 11; i >= 9; i--, counter /= 256)
		array[i] = (uint8) (counter % 256);
	ruler_from_dotnet(array, uuid);
}

static void
test_shard(void)
{
	tap_begin("shard keys: every part stands where the .NET layout says");
	for (int i = 0; i < ROUNDS; i++)
	{
		/* the whole seconds, of which the id has the low 32 bits */
		uint64		seconds = tap_random_part(i % 2 == 0 ? GID_LAST_SECOND : PG_UINT32_MAX);
		uint32		counter = (uint32) tap_random_part(MAX_COUNTER);
		uint32		shard = (uint32) tap_random_part(PG_UINT32_MAX);
		uint8		generator[5];
		uint8		back[5];
		uint8		uuid[16];
		uint8		plain[16];

		tap_random_bytes(generator, 5);
		gid_shard_pack(uuid, seconds * (MAX_COUNTER + 1) + counter, generator, shard);
		plain_shard(plain, seconds, generator, counter, shard);
		tap_check(memcmp(uuid, plain, 16) == 0, "%s of shard %u", ruler_uuid_text(uuid), shard);
		gid_shard_generator(uuid, back);
		tap_check(gid_shard_seconds(uuid) == (uint32) seconds && gid_shard_counter(uuid) == counter &&
				  gid_shard_key_of(uuid) == shard && memcmp(back, generator, 5) == 0 &&
				  uuid[8] == generator[GID_GENERATOR_VARIANT_BYTE],
				  "parts of %s", ruler_uuid_text(uuid));
	}
	tap_end();
}

int
main(void)
{
	test_v7();
	test_sequential();
	test_plausible();
	test_byte8();
	test_shard();
	return tap_done();
}
