/*-------------------------------------------------------------------------
 *
 * test_uuid_mask.c
 *		Masked UUIDs: the bits that change and those that stay, both ways.
 *
 * test_permute.c compares SipHash with a second implementation; sql/vectors.sql
 * has the published values of uuidv47.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/uuid_mask.h"
#include "tap.h"
#include "../plain/ruler.h"

static void
test_turn(void)
{
	uint8		key[GID_SIPHASH_KEY_BYTES];
	uint8		uuid[16];
	uint8		masked[16];
	uint8		back[16];
	uint8		message[10];

	tap_begin("the layout, and back");
	for (int i = 0; i < 20000; i++)
	{
		Ruler		plain = {0};
		Ruler		turned = {0};
		Ruler		hashed = {0};
		uint64		ms = i % 4 == 0 ? 0 : tap_random_to(UINT64CONST(0xffffffffffff));
		uint64		high = i % 4 == 1 ? 0xfff : tap_random_to(0xfff);
		uint64		low = tap_random() >> 2;
		uint64		hash;

		tap_random_bytes(key, sizeof(key));
		ruler_put(&plain, 0, 48, ms);
		ruler_put(&plain, 48, 52, 7);
		ruler_put(&plain, 52, 64, high);
		ruler_put(&plain, 64, 66, 2);
		ruler_put(&plain, 66, 128, low);
		for (int j = 0; j < 16; j++)
			uuid[j] = (uint8) ruler_get(&plain, 8 * j, 8 * j + 8);

		ruler_put(&hashed, 0, 4, 0);
		ruler_put(&hashed, 4, 16, high);
		ruler_put(&hashed, 16, 18, 0);
		ruler_put(&hashed, 18, 80, low);
		for (int j = 0; j < 10; j++)
			message[j] = (uint8) ruler_get(&hashed, 8 * j, 8 * j + 8);
		hash = gid_siphash(key, message, 10) % (UINT64CONST(1) << 48);

		turned = plain;
		ruler_put(&turned, 0, 48, ms ^ hash);
		ruler_put(&turned, 48, 52, 4);

		gid_uuid_mask_turn(masked, uuid, 4, key);
		tap_check(ruler_is(&turned, masked, 16), "%s", ruler_uuid_text(masked));
		gid_uuid_mask_turn(back, masked, 7, key);
		tap_check(memcmp(back, uuid, 16) == 0, "%s", ruler_uuid_text(uuid));
	}
	tap_end();
}

static void
test_spread(void)
{
	uint8		key[GID_SIPHASH_KEY_BYTES];
	uint8		uuid[16];
	uint8		first[16];
	uint8		other[16];
	long		changed = 0;
	int			tries = 0;

	tap_begin("each bit of the rest, and each bit of the key, changes half of the time");
	for (int i = 0; i < 200; i++)
	{
		tap_random_bytes(key, sizeof(key));
		tap_random_bytes(uuid, 16);
		uuid[6] = 0x70 | (uuid[6] & 0x0f);
		uuid[8] = 0x80 | (uuid[8] & 0x3f);
		gid_uuid_mask_turn(first, uuid, 4, key);
		for (int bit = 0; bit < 128 + 74; bit++)
		{
			/* 128 bits of the key, 12 of the rest and the other 62 */
			int			at = bit < 140 ? bit - 128 + 52 : bit - 140 + 66;
			uint8	   *byte = bit < 128 ? &key[bit / 8] : &uuid[at / 8];
			uint8		mask = (uint8) (128 >> (bit < 128 ? bit : at) % 8);
			uint64		difference;

			*byte ^= mask;
			gid_uuid_mask_turn(other, uuid, 4, key);
			*byte ^= mask;
			difference = (gid_get_be64(first) ^ gid_get_be64(other)) >> 16;
			tap_check(difference != 0, "bit %d", bit);
			for (; difference != 0; difference &= difference - 1)
				changed++;
			tries++;
		}
	}
	tap_check(changed > 23.9 * tries && changed < 24.1 * tries, "%ld bits of %d",
			  changed, tries);
	tap_end();
}

int
main(void)
{
	tap_start();
	test_turn();
	test_spread();
	return tap_done();
}
