/*-------------------------------------------------------------------------
 *
 * test_gdid.c
 *		The layout, the text and the packed form of GDIDs, against
 *		test/plain/gdid.h.
 *
 * Every input stands in memory of just its length, so that the sanitizer sees
 * a read beyond it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/gdid_text.h"
#include "tap.h"
#include "../plain/gdid.h"

#define MAX_ERA		UINT64CONST(4294967295)
#define MAX_COUNTER UINT64CONST(1152921504606846975)

static const uint64 eras[] = {0, 1, 127, 128, 0x7fffffff, 0x80000000, MAX_ERA};
static const uint64 counters[] = {
	0, 1, 127, 128, 16383, 16384, MAX_COUNTER / 2, MAX_COUNTER - 1, MAX_COUNTER,
};

static bool
parse(const char *string, int length, GidGdid *gdid, GidFault *error)
{
	char	   *copy = malloc(length);
	bool		ok;

	memcpy(copy, string, length);
	ok = gid_gdid_parse(copy, length, gdid, error);
	free(copy);
	return ok;
}

static bool
unpack(const uint8 *bytes, int length, GidGdid *gdid, GidFault *error)
{
	uint8	   *copy = malloc(length);
	bool		ok;

	memcpy(copy, bytes, length);
	ok = gid_gdid_get_packed(copy, length, gdid, error);
	free(copy);
	return ok;
}

/* ---- one value ---- */

static void
check_value(uint64 era, uint32 authority, uint64 counter)
{
	Ruler		r = {0};
	GidGdid		gdid;
	GidGdid		back;
	GidFault	error = {.kind = GID_FAULT_NONE};
	char		string[GID_GDID_TEXT_SIZE];
	char		hex[GID_GDID_HEX_SIZE];
	char		wanted[100];
	uint8		packed[GID_GDID_PACKED_SIZE];
	uint8		plain[32];
	int			length;

	ruler_put(&r, 0, 32, era);
	ruler_put(&r, 32, 36, authority);
	ruler_put(&r, 36, 96, counter);
	gid_gdid_put(&gdid, (uint32) era, gid_gdid_make_id(authority, counter));
	tap_check(ruler_is(&r, gdid.bytes, GID_GDID_BYTES), "not %s", ruler_text(&r));
	tap_check(gid_gdid_era(&gdid) == era && gid_gdid_authority(&gdid) == authority &&
			  gid_gdid_counter(&gdid) == counter &&
			  gid_gdid_id(&gdid) == ruler_get(&r, 32, 96), "parts of %s", ruler_text(&r));

	length = gid_gdid_print(string, &gdid);
	plain_text(&r, wanted);
	tap_check(strcmp(string, wanted) == 0 && length == (int) strlen(wanted),
			  "text %s is not %s", string, wanted);
	tap_check(parse(string, length, &back, &error) &&
			  gid_gdid_compare(&back, &gdid) == 0, "back from %s", string);

	memset(hex, 'x', sizeof(hex));
	gid_gdid_print_hex(hex, &gdid);
	sprintf(wanted, "%08x%x%015llx", (unsigned) era, authority,
			(unsigned long long) counter);
	tap_check(strcmp(hex, wanted) == 0, "hex %s is not %s", hex, wanted);
	tap_check(parse(hex, GID_GDID_HEX_DIGITS, &back, &error) &&
			  gid_gdid_compare(&back, &gdid) == 0, "back from %s", hex);

	length = gid_gdid_put_packed(packed, &gdid);
	tap_check(length == plain_pack(&r, plain) && memcmp(packed, plain, length) == 0,
			  "packed %s", string);
	tap_check(unpack(packed, length, &back, &error) &&
			  gid_gdid_compare(&back, &gdid) == 0, "unpacked %s", string);
	for (int n = 0; n < length; n++)
		tap_check(!unpack(packed, n, &back, &error) &&
				  error.kind == GID_FAULT_TRUNCATED, "%d bytes of %s", n, string);
}

static void
test_layout(void)
{
	tap_begin("layout, text, hex and packed form, at both ends of each part");
	for (int i = 0; i < (int) lengthof(eras); i++)
	{
		for (uint32 authority = 0; authority < 16; authority++)
		{
			for (int j = 0; j < (int) lengthof(counters); j++)
				check_value(eras[i], authority, counters[j]);
		}
	}
	tap_end();

	tap_begin("and in between");
	for (int i = 0; i < 10000; i++)
		check_value(tap_random_part(MAX_ERA) >> tap_random() % 32,
					(uint32) tap_random_to(15),
					tap_random_part(MAX_COUNTER) >> tap_random() % 60);
	tap_end();
}

/* ---- text ---- */

static void
check_text(const char *string)
{
	GidGdid		gdid;
	GidFault	error = {.kind = GID_FAULT_NONE};
	char		canonical[512];
	char		printed[GID_GDID_TEXT_SIZE];
	int			length = (int) strlen(string);
	GidFault	wanted = plain_parse(string, length, canonical);
	bool		right = wanted.kind == GID_FAULT_NONE;

	tap_check(parse(string, length, &gdid, &error) == right, "\"%s\" is %s", string,
			  right ? "right" : "wrong");
	tap_check(error.kind == wanted.kind, "fault of \"%s\"", string);
	if (error.kind == GID_FAULT_MISSING || error.kind == GID_FAULT_DIGIT ||
		error.kind == GID_FAULT_TOO_LARGE)
		tap_check(error.part == wanted.part, "part %d of \"%s\"", error.part, string);
	if (error.kind == GID_FAULT_COLONS || error.kind == GID_FAULT_LENGTH)
		tap_check(error.found == wanted.found && error.expected == wanted.expected, "count %d of \"%s\"", error.found, string);
	if (error.kind == GID_FAULT_NONE && right)
	{
		gid_gdid_print(printed, &gdid);
		tap_check(strcmp(printed, canonical) == 0, "value of \"%s\"", string);
	}
}

static void
test_text(void)
{
	static const char few[] = "07:x \tf-";
	static const char *const numbers[] = {
		"0", "9", "15", "16", "20", "4294967295", "4294967296", "4294967300", "42949672950",
		"1152921504606846975", "1152921504606846976", "1152921504606846980",
		"11529215046068469750", "18446744073709551616", "36893488147419103232",
	};
	static const char *const others[] = {
		" 00012 : 03 : 00000000000000000000000000000000000004 ", "\v\f 0:1:2\r\n", "0:1:2\b",
		"0x00000000100000000000004B", "aAbBcCdDeEfF012345678901", "0XAABBCCDDEEFF012345678901 ",
		"0x", "aabbccddeeff01234567890", "aabbccddeeff0123456789012", "aabbccddeeff01234567890g",
		"aabbccddeeff01234567890\x80", "0x0xaabbccddeeff0123456789", "aabbccddeeff 012345678901",
	};
	char		string[256];

	tap_begin("every text of at most five of a few characters");
	for (int length = 0; length <= 5; length++)
	{
		long		texts = 1;

		for (int i = 0; i < length; i++)
			texts *= sizeof(few) - 1;
		for (long n = 0; n < texts; n++)
		{
			long		rest = n;

			for (int i = 0; i < length; i++)
			{
				string[i] = few[rest % (sizeof(few) - 1)];
				rest /= sizeof(few) - 1;
			}
			string[length] = '\0';
			check_text(string);
		}
	}
	tap_end();

	tap_begin("numbers about the end of each part, blanks, hexadecimal digits");
	for (int i = 0; i < 3 * (int) lengthof(numbers); i++)
	{
		const char *number = numbers[i / 3];

		sprintf(string, "%s:%s:%s", i % 3 == 0 ? number : "1", i % 3 == 1 ? number : "1",
				i % 3 == 2 ? number : "1");
		check_text(string);
	}
	for (int i = 0; i < (int) lengthof(others); i++)
		check_text(others[i]);
	tap_end();
}

/* ---- packed ---- */

static void
check_packed(const uint8 *bytes, int length)
{
	Ruler		r = {0};
	GidGdid		gdid;
	GidFault	error = {.kind = GID_FAULT_NONE};
	GidFault	wanted = plain_unpack(bytes, length, &r);
	bool		right = wanted.kind == GID_FAULT_NONE;

	tap_check(unpack(bytes, length, &gdid, &error) == right,
			  "%d bytes beginning with %02x are %s", length,
			  length > 0 ? bytes[0] : 0, right ? "right" : "wrong");
	tap_check(error.kind == wanted.kind && error.part == wanted.part,
			  "fault %d of part %d, %d bytes", error.kind, error.part, length);
	if (error.kind == GID_FAULT_TRAILING)
		tap_check(error.found == wanted.found, "%d bytes behind", error.found);
	if (error.kind == GID_FAULT_NONE && right)
		tap_check(ruler_is(&r, gdid.bytes, GID_GDID_BYTES), "value of %d bytes", length);
}

static void
test_packed(void)
{
	static const uint8 few[] = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
	static const uint8 lasts[] = {0x00, 0x01, 0x02, 0x0f, 0x10, 0x1f, 0x7f};
	uint8		bytes[40];

	tap_begin("all packed forms of at most five of a few bytes");
	for (int length = 0; length <= 5; length++)
	{
		long		forms = 1;

		for (int i = 0; i < length; i++)
			forms *= lengthof(few);
		for (long n = 0; n < forms; n++)
		{
			long		rest = n;

			for (int i = 0; i < length; i++)
			{
				bytes[i] = few[rest % lengthof(few)];
				rest /= lengthof(few);
			}
			check_packed(bytes, length);
		}
	}
	tap_end();

	tap_begin("parts of every length with every kind of end, bytes behind them");
	for (int n = 1; n <= 12; n++)
	{
		for (int m = 1; m <= 12; m++)
		{
			for (int i = 0; i < 64; i++)
			{
				int			trailing = i % 4 == 3;

				for (int j = 0; j < n + m; j++)
					bytes[j] = i % 3 == 0 ? 0x80 : i % 3 == 1 ? 0xff :
						(uint8) (0x80 | tap_random());
				bytes[n - 1] = lasts[tap_random() % lengthof(lasts)];
				bytes[n + m - 1] = lasts[tap_random() % lengthof(lasts)];
				bytes[n + m] = 0;
				check_packed(bytes, n + m + trailing);
			}
		}
	}
	tap_end();
}

int
main(void)
{
	test_layout();
	test_text();
	test_packed();
	return tap_done();
}
