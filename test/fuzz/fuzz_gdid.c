/*-------------------------------------------------------------------------
 *
 * fuzz_gdid.c
 *		A GDID's text, hexadecimal, packed and binary form, and its order.
 *
 * The first byte of an input says what the others are: a text, a packed form,
 * or the 12 bytes of one GDID or two.  Of whatever is read or given, all forms
 * are compared with those of test/plain/gdid.h, and read back.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "layout/gdid_packed.h"
#include "text/gdid_text.h"
#include "fuzz.h"
#include "../plain/gdid.h"

/* By GidGdidFault, as in the text and in the packed form. */
const char *const fuzz_outcomes[] = {
	[GID_GDID_SOUND] = "sound",
	[GID_GDID_EMPTY] = "empty",
	[GID_GDID_COLONS] = "colons",
	[GID_GDID_HEX_LENGTH] = "hex length",
	[GID_GDID_HEX_CHARACTER] = "hex character",
	[GID_GDID_MISSING] = "missing",
	[GID_GDID_CHARACTER] = "character",
	[GID_GDID_RANGE] = "range",
	[GID_GDID_TRUNCATED] = "truncated",
	[GID_GDID_TOO_LONG] = "too long",
	[GID_GDID_NOT_SHORTEST] = "not shortest",
	[GID_GDID_TRAILING] = "trailing",
	"binary",
	"pair",
	"unpacked",
	NULL
};

#define BINARY		(GID_GDID_TRAILING + 1)
#define PAIR		(GID_GDID_TRAILING + 2)
#define UNPACKED	(GID_GDID_TRAILING + 3)

/* Both read functions, of memory of their input's length. */
static bool
parse(const void *string, int length, GidGdid *gdid, GidGdidError *error)
{
	void	   *copy = fuzz_exactly(string, length);
	bool		ok = gid_gdid_parse(copy, length, gdid, error);

	free(copy);
	return ok;
}

static bool
unpack(const void *bytes, int length, GidGdid *gdid, GidGdidError *error)
{
	void	   *copy = fuzz_exactly(bytes, length);
	bool		ok = gid_gdid_get_packed(copy, length, gdid, error);

	free(copy);
	return ok;
}

static bool
same(const GidGdid *a, const GidGdid *b)
{
	return memcmp(a->bytes, b->bytes, 12) == 0;
}

/* Every form of a GDID, and the ways back. */
static void
check_forms(const GidGdid *gdid)
{
	Ruler		r = {0};
	GidGdid		back;
	GidGdidError error;
	char	   *string = malloc(GID_GDID_TEXT_SIZE);
	char	   *hex = malloc(GID_GDID_HEX_SIZE);
	uint8	   *packed = malloc(GID_GDID_PACKED_SIZE);
	char		wanted[100];
	uint8		plain[32];
	int			length;

	plain_bits(&r, gdid->bytes);
	fuzz_check(gid_gdid_era(gdid) == ruler_get(&r, 0, 32) &&
			   gid_gdid_authority(gdid) == ruler_get(&r, 32, 36) &&
			   gid_gdid_counter(gdid) == ruler_get(&r, 36, 96) &&
			   gid_gdid_id(gdid) == ruler_get(&r, 32, 96), "parts of %s", r.bits);
	gid_gdid_put(&back, gid_gdid_era(gdid),
				 gid_gdid_make_id(gid_gdid_authority(gdid), gid_gdid_counter(gdid)));
	fuzz_check(same(&back, gdid), "parts of %s put together", r.bits);

	length = gid_gdid_print(string, gdid);
	plain_text(&r, wanted);
	fuzz_check(strcmp(string, wanted) == 0 && length == (int) strlen(wanted),
			   "text \"%s\" instead of \"%s\"", string, wanted);
	fuzz_check(parse(string, length, &back, &error) && same(&back, gdid),
			   "back from \"%s\"", string);

	gid_gdid_print_hex(hex, gdid);
	for (int i = 0; i < 12; i++)
		sprintf(wanted + 2 * i, "%02x", gdid->bytes[i]);
	fuzz_check(strcmp(hex, wanted) == 0, "hex \"%s\" of %s", hex, string);
	fuzz_check(parse(hex, 24, &back, &error) && same(&back, gdid),
			   "back from \"%s\"", hex);

	length = gid_gdid_put_packed(packed, gdid);
	fuzz_check(length == plain_pack(&r, plain) && memcmp(packed, plain, length) == 0,
			   "packed form of %s", string);
	fuzz_check(unpack(packed, length, &back, &error) && same(&back, gdid),
			   "unpacked form of %s", string);
	free(string);
	free(hex);
	free(packed);
}

static void
check_text(const char *string, int length)
{
	char	   *canonical = malloc(length + 100);
	char		printed[GID_GDID_TEXT_SIZE];
	GidGdid		gdid;
	GidGdidError error;
	bool		ok = parse(string, length, &gdid, &error);
	GidGdidError plain = plain_parse(string, length, canonical);

	fuzz_note(plain.fault);
	fuzz_check(ok == (plain.fault == GID_GDID_SOUND) && error.fault == plain.fault,
			   "fault %d instead of %d of \"%.*s\"", error.fault, plain.fault,
			   length, string);
	if (error.fault == GID_GDID_MISSING || error.fault == GID_GDID_CHARACTER ||
		error.fault == GID_GDID_RANGE)
		fuzz_check(error.part == plain.part, "part %d instead of %d of \"%.*s\"",
				   error.part, plain.part, length, string);
	if (error.fault == GID_GDID_COLONS || error.fault == GID_GDID_HEX_LENGTH)
		fuzz_check(error.count == plain.count, "count %d instead of %d of \"%.*s\"",
				   error.count, plain.count, length, string);
	if (ok)
	{
		gid_gdid_print(printed, &gdid);
		fuzz_check(strcmp(printed, canonical) == 0, "\"%s\" instead of \"%s\"",
				   printed, canonical);
		check_forms(&gdid);
	}
	free(canonical);
}

static void
check_packed(const uint8 *bytes, int length)
{
	GidGdid		gdid;
	GidGdidError error;
	Ruler		r = {0};
	bool		ok = unpack(bytes, length, &gdid, &error);
	GidGdidError plain = plain_unpack(bytes, length, &r);
	uint8		again[GID_GDID_PACKED_SIZE];

	fuzz_note(plain.fault == GID_GDID_SOUND ? UNPACKED : (int) plain.fault);
	fuzz_check(ok == (plain.fault == GID_GDID_SOUND) && error.fault == plain.fault &&
			   error.part == plain.part, "fault %d of part %d instead of %d of %d",
			   error.fault, error.part, plain.fault, plain.part);
	if (error.fault == GID_GDID_TRAILING)
		fuzz_check(error.count == plain.count, "%d bytes instead of %d",
				   error.count, plain.count);
	if (ok)
	{
		fuzz_check(ruler_is(&r, gdid.bytes, 12), "not %s", r.bits);
		fuzz_check(gid_gdid_put_packed(again, &gdid) == length &&
				   memcmp(again, bytes, length) == 0,
				   "a packed form that is not given");
		check_forms(&gdid);
	}
}

/* The order of bytes, of parts and of abbreviations. */
static void
check_pair(const uint8 *bytes)
{
	GidGdid		gdid[2];
	Ruler		r[2] = {{{0}}, {{0}}};
	int			wanted;
	int			got;
	uint64		a;
	uint64		b;

	for (int i = 0; i < 2; i++)
	{
		memcpy(gdid[i].bytes, bytes + 12 * i, 12);
		plain_bits(&r[i], gdid[i].bytes);
	}
	/* as text of equal length, the order of the bits is that of the parts */
	wanted = strcmp(r[0].bits, r[1].bits);
	for (int i = 0; i < 3; i++)
	{
		uint64		x = ruler_get(&r[0], plain_border[i], plain_border[i + 1]);
		uint64		y = ruler_get(&r[1], plain_border[i], plain_border[i + 1]);

		if (x == y)
			continue;
		fuzz_check((x < y) == (wanted < 0), "part %d of %s", i, r[0].bits);
		break;
	}
	got = gid_gdid_compare(&gdid[0], &gdid[1]);
	fuzz_check((got > 0) - (got < 0) == (wanted > 0) - (wanted < 0),
			   "order %d of %s and %s", got, r[0].bits, r[1].bits);
	a = gid_gdid_abbreviate(&gdid[0]);
	b = gid_gdid_abbreviate(&gdid[1]);
	fuzz_check(wanted < 0 ? a <= b : wanted > 0 ? a >= b : a == b,
			   "abbreviations of %s and %s", r[0].bits, r[1].bits);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	GidGdid		gdid = {{0}};

	if (size == 0)
		return 0;
	switch (data[0] % 4)
	{
		case 0:
			check_text((const char *) data + 1, (int) size - 1);
			break;
		case 1:
			check_packed(data + 1, (int) size - 1);
			break;
		case 2:
			/* any 12 bytes are a GDID */
			fuzz_note(BINARY);
			memcpy(gdid.bytes, data + 1, Min(size - 1, 12));
			check_forms(&gdid);
			break;
		default:
			if (size < 25)
				break;
			fuzz_note(PAIR);
			check_pair(data + 1);
	}
	return 0;
}
