/*-------------------------------------------------------------------------
 *
 * test_uuid_sequential.c
 *		The layout of process id and ticks, its SQL Server form and order.
 *
 * The second implementation starts where the published one does, from .NET's
 * byte array, and compares as SQL Server does.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/uuid_sequential.h"
#include "tap.h"
#include "../plain/ruler.h"

#define TICKS_A_SECOND	10000000
#define TICKS_MAX		UINT64CONST(3155378975999999999)

/*
 * The original layout as a .NET array: the process id, the low 16 bits of the
 * ticks, then the high 48.  "s" is what PostgreSQL would store of that Guid.
 */
static void
plain_mssql(uint64 ticks, const uint8 *process, uint8 *s)
{
	uint8		array[16];
	uint64		high = ticks / 65536;

	for (int i = 0; i < 8; i++)
		array[i] = process[i];
	array[8] = (uint8) (ticks / 256 % 256);
	array[9] = (uint8) (ticks % 256);
	for (int i = 15; i >= 10; i--)
	{
		array[i] = (uint8) (high % 256);
		high /= 256;
	}
	ruler_from_dotnet(array, s);
}

static int
sign(int n)
{
	return (n > 0) - (n < 0);
}

static void
check_parts(uint64 ticks, const uint8 *process)
{
	/* which bytes of the process id follow the ticks in PostgreSQL's form */
	static const int order[] = {6, 7, 4, 5, 0, 1, 2, 3};
	Ruler		r = {0};
	uint8		n[16];
	uint8		s[16];
	uint8		plain_s[16];
	uint8		back[8];

	ruler_put(&r, 0, 64, ticks);
	for (int i = 0; i < 8; i++)
		ruler_put(&r, 64 + 8 * i, 72 + 8 * i, process[order[i]]);

	memset(n, 0x5a, sizeof(n));
	gid_sequential_pack(n, ticks, process);
	tap_check(ruler_is(&r, n, 16), "%s is not %s", ruler_uuid_text(n),
			  ruler_text(&r));

	memset(s, 0x5a, sizeof(s));
	gid_to_mssql(n, s);
	plain_mssql(ticks, process, plain_s);
	tap_check(memcmp(s, plain_s, 16) == 0,
			  "SQL Server form %s of ticks " UINT64_FORMAT,
			  ruler_uuid_text(s), ticks);

	tap_check(gid_sequential_ticks(n) == ticks, "ticks " UINT64_FORMAT, ticks);
	gid_sequential_process(n, back);
	tap_check(memcmp(back, process, 8) == 0, "process id of %s",
			  ruler_uuid_text(n));
	tap_check(n[8] == process[GID_PROCESS_VARIANT_BYTE], "byte 8 of %s",
			  ruler_uuid_text(n));
}

static void
test_layout(void)
{
	uint8		process[8] = {0};

	tap_begin("every part stands where the ruler and the .NET layout say");
	check_parts(0, process);
	check_parts(TICKS_MAX, process);
	check_parts(PG_UINT64_MAX, process);
	memset(process, 0xff, 8);
	check_parts(0, process);
	check_parts(TICKS_MAX, process);
	for (int i = 0; i < 200000; i++)
	{
		tap_random_bytes(process, 8);
		check_parts(i % 4 == 0 ? tap_random() : tap_random_to(TICKS_MAX),
					process);
	}
	tap_end();

	tap_begin("each single bit stands where they say");
	memset(process, 0, 8);
	for (int i = 0; i < 64; i++)
	{
		check_parts(UINT64CONST(1) << i, process);
		process[i / 8] = 1 << i % 8;
		check_parts(0, process);
		process[i / 8] = 0;
	}
	tap_end();
}

static void
test_mssql(void)
{
	uint8		a[16];
	uint8		b[16];
	uint8		s[16];
	uint8		t[16];

	tap_begin("S = reverse(N[8..15]) || N[6..7] || N[0..5]");
	for (int i = 0; i < 16; i++)
		a[i] = (uint8) (i + 1);
	gid_to_mssql(a, s);
	tap_check(memcmp(s, "\20\17\16\15\14\13\12\11\7\10\1\2\3\4\5\6", 16) == 0,
			  "%s", ruler_uuid_text(s));
	tap_end();

	tap_begin("the two mappings are each other's inverse");
	for (int i = 0; i < 100000; i++)
	{
		tap_random_bytes(a, 16);
		gid_to_mssql(a, s);
		gid_from_mssql(s, b);
		tap_check(memcmp(a, b, 16) == 0, "%s to and from", ruler_uuid_text(a));
		gid_from_mssql(a, s);
		gid_to_mssql(s, b);
		tap_check(memcmp(a, b, 16) == 0, "%s from and to", ruler_uuid_text(a));
	}
	tap_end();

	tap_begin("PostgreSQL's order of N is SQL Server's order of S");
	for (int i = 0; i < 300000; i++)
	{
		tap_random_bytes(a, 16);
		memcpy(b, a, 16);
		/* mostly neighbours: all but one or two bytes equal */
		for (int j = (int) (tap_random() % 3); j > 0; j--)
			b[tap_random() % 16] = (uint8) tap_random();
		if (i % 8 == 0)
			tap_random_bytes(b, 16);
		gid_to_mssql(a, s);
		gid_to_mssql(b, t);
		tap_check(sign(memcmp(a, b, 16)) == ruler_mssql_order(s, t),
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

/* What the manual says about ids of other makers. */
static bool
plain_plausible(uint64 ticks, int version, bool rfc_variant)
{
	static uint64 from;
	static uint64 until;
	static uint64 end;

	if (end == 0)
	{
		from = first_tick(1970);
		until = first_tick(2200);
		end = first_tick(10000);
	}
	if (rfc_variant && version >= 1 && version <= 8 &&
		(ticks < from || ticks >= until))
		return false;
	return ticks < end;
}

static void
check_plausible(uint64 ticks)
{
	uint8		process[8];
	uint8		n[16];
	int			version = (int) (ticks / 4096 % 16);

	tap_random_bytes(process, 8);
	for (int top = 0; top < 4; top++)
	{
		process[6] = (uint8) (top * 64 + process[6] % 64);
		gid_sequential_pack(n, ticks, process);
		tap_check(gid_sequential_is_plausible(n) ==
				  plain_plausible(ticks, version, top == 2),
				  "%s", ruler_uuid_text(n));
	}
}

static void
test_plausible(void)
{
	uint64		edges[] = {
		0, TICKS_MAX, PG_UINT64_MAX,
		first_tick(1970),
		first_tick(2200),
	};

	tap_begin("ticks of an unlikely time are told from an RFC UUID's bytes");
	/* 65536 ticks on each side of an edge have every version */
	for (int i = 0; i < (int) lengthof(edges); i++)
	{
		for (uint64 near = 0; near < 65536; near++)
		{
			check_plausible(edges[i] + near);
			check_plausible(edges[i] - near);
		}
	}
	for (int i = 0; i < 100000; i++)
		check_plausible(tap_random());
	tap_end();

	tap_begin("the constants are the calendar's");
	tap_check(GID_TICKS_EPOCH == first_tick(1970),
			  "1970 is tick " UINT64_FORMAT, (uint64) GID_TICKS_EPOCH);
	tap_check(GID_TICKS_MAX == first_tick(10000) - 1,
			  "9999 ends at tick " UINT64_FORMAT, (uint64) GID_TICKS_MAX);
	tap_check(GID_TICKS_2200 == first_tick(2200),
			  "2200 is tick " UINT64_FORMAT, (uint64) GID_TICKS_2200);
	tap_end();
}

int
main(void)
{
	tap_start();
	test_layout();
	test_mssql();
	test_plausible();
	return tap_done();
}
