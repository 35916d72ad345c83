/*-------------------------------------------------------------------------
 *
 * test_uuid_v7.c
 *		The layout of UUID version 7, against its ruler.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/uuid_v7.h"
#include "layout/variant.h"
#include "tap.h"
#include "../plain/ruler.h"

#define MAX_MS	((UINT64CONST(1) << 48) - 1)

/*
 *	0                   48   52           64 66   70                     128
 *	| unix ms (48)       | 7 | sub-ms hi 12 |10| lo 4 | random 58          |
 */
static void
check_parts(uint64 ms, uint32 fraction, uint64 random)
{
	Ruler		r = {0};
	uint8		uuid[16];

	ruler_put(&r, 0, 48, ms);
	ruler_put(&r, 48, 52, 7);
	ruler_put(&r, 52, 64, fraction / 16);
	ruler_put(&r, 64, 66, 2);
	ruler_put(&r, 66, 70, fraction % 16);
	ruler_put(&r, 70, 128, random);

	memset(uuid, 0x5a, sizeof(uuid));
	gid_v7_pack(uuid, ms * 65536 + fraction, random);
	tap_check(ruler_is(&r, uuid, 16), "%s is not %s",
			  ruler_uuid_text(uuid), ruler_text(&r));
	tap_check(gid_is_v7(uuid), "%s is not version 7", ruler_uuid_text(uuid));
	tap_check(gid_v7_ms(uuid) == (int64) ms,
			  "ms " UINT64_FORMAT " comes back as " INT64_FORMAT,
			  ms, gid_v7_ms(uuid));
}

static void
test_layout(void)
{
	tap_begin("every part stands where the ruler says, at both ends and in between");
	check_parts(0, 0, 0);
	check_parts(MAX_MS, 0xffff, PG_UINT64_MAX);
	check_parts(MAX_MS, 0, 0);
	check_parts(0, 0xffff, 0);
	check_parts(0, 0, PG_UINT64_MAX);
	for (int i = 0; i < 200000; i++)
		check_parts(tap_random_to(MAX_MS), (uint32) tap_random_to(0xffff),
					tap_random());
	tap_end();

	tap_begin("each single bit stands where the ruler says");
	for (int i = 0; i < 48; i++)
		check_parts(UINT64CONST(1) << i, 0, 0);
	for (int i = 0; i < 16; i++)
		check_parts(0, 1 << i, 0);
	for (int i = 0; i < 64; i++)
		check_parts(0, 0, UINT64CONST(1) << i);
	tap_end();
}

static void
test_family(void)
{
	uint8		uuid[16];

	tap_begin("a UUID is of version 7 by its variant and its version alone");
	for (int version = 0; version < 16; version++)
	{
		for (int top = 0; top < 4; top++)
		{
			for (int i = 0; i < 1000; i++)
			{
				tap_random_bytes(uuid, 16);
				uuid[6] = (uint8) (version * 16 + uuid[6] % 16);
				uuid[8] = (uint8) (top * 64 + uuid[8] % 64);
				tap_check(gid_is_v7(uuid) == (top == 2 && version == 7),
						  "%s", ruler_uuid_text(uuid));
				tap_check(gid_uuid_has_rfc_variant(uuid) == (top == 2),
						  "%s", ruler_uuid_text(uuid));
				tap_check(gid_uuid_version(uuid) == version,
						  "%s", ruler_uuid_text(uuid));
			}
		}
	}
	tap_end();

	/* RFC 9562, appendix A.6 */
	tap_begin("the example of RFC 9562 is read as it says there");
	tap_check(ruler_from_hex("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", uuid,
							 16) &&
			  gid_is_v7(uuid) && gid_v7_ms(uuid) == INT64CONST(1645557742000),
			  "got " INT64_FORMAT, gid_v7_ms(uuid));
	tap_end();
}

int
main(void)
{
	tap_start();
	test_layout();
	test_family();
	return tap_done();
}
