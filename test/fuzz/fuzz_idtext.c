/*-------------------------------------------------------------------------
 *
 * fuzz_idtext.c
 *		The ids of texts, and TypeIDs, against a plain second implementation.
 *
 * The second one has numbers as rows of bits and of digits
 * (test/plain/gdid.h), and finds the form of a text by the sets that its
 * characters are in.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/gdid_text.h"
#include "text/id_text.h"
#include "fuzz.h"
#include "../plain/gdid.h"

#define HEX			"0123456789abcdefABCDEF"
#define DECIMAL		"0123456789"
#define CROCKFORD	"0123456789ABCDEFGHJKMNPQRSTVWXYZ"
#define TYPED		CROCKFORD "abcdefghjkmnpqrstvwxyzIiLlOo"
#define LOWER		"0123456789abcdefghjkmnpqrstvwxyz"
#define BASE32HEX	"0123456789ABCDEFGHIJKLMNOPQRSTUV"
#define PREFIX		"abcdefghijklmnopqrstuvwxyz_"

#define MAX_LENGTH	200

enum Outcome
{
	EMPTY = GID_NFORMS,
	UNKNOWN,
	NO_PREFIX,
	TOO_LARGE,
	PREFIXED,
	AMBIGUOUS,
	TYPEID						/* and the faults of gid_typeid_parse() */
};

const char *const fuzz_outcomes[] = {
	[GID_FORM_UUID] = "uuid",
	[GID_FORM_ULID] = "ulid",
	[GID_FORM_BASE32HEX] = "base32hex",
	[GID_FORM_TYPEID] = "typeid",
	[GID_FORM_UUID_CROCKFORD] = "uuid crockford",
	[GID_FORM_GDID] = "gdid",
	[GID_FORM_GDID_HEX] = "gdid hex",
	[GID_FORM_GDID_CROCKFORD] = "gdid crockford",
	[GID_FORM_BIGINT] = "bigint",
	[GID_FORM_BIGINT_CROCKFORD] = "bigint crockford",
	[EMPTY] = "empty",
	[UNKNOWN] = "unknown",
	[NO_PREFIX] = "no prefix",
	[TOO_LARGE] = "too large",
	[PREFIXED] = "gdid behind a prefix",
	[AMBIGUOUS] = "ulid and base32hex",
	[TYPEID + GID_TYPEID_SOUND] = "TypeID",
	[TYPEID + GID_TYPEID_LENGTH] = "TypeID's length",
	[TYPEID + GID_TYPEID_SEPARATOR] = "separator",
	[TYPEID + GID_TYPEID_PREFIX] = "prefix",
	[TYPEID + GID_TYPEID_FOREIGN] = "foreign",
	[TYPEID + GID_TYPEID_TOO_LARGE] = "TypeID too large",
	NULL
};

/* ---- the second implementation ---- */

/* What a text is, the bits of an id or its decimal digits. */
typedef struct Plain
{
	GidIdFault	fault;
	GidIdForm	form;
	Ruler		r;
	bool		is_ambiguous;
	Ruler		base32hex;
	char		canonical[MAX_LENGTH + 64]; /* of a GDID with colons, a bigint */
	int			prefix_length;
} Plain;

/* Put five bits a character, the last one at the end of "nbits". */
static bool
plain_crockford(const char *chars, int length, int nbits, Ruler *r)
{
	char		bits[5 * MAX_LENGTH];
	int			n = 5 * length;

	for (int i = 0; i < length; i++)
	{
		char		c = (char) toupper((unsigned char) chars[i]);
		int			place;

		c = c == 'O' ? '0' : c == 'I' || c == 'L' ? '1' : c;
		place = (int) (strchr(CROCKFORD, c) - CROCKFORD);
		for (int j = 0; j < 5; j++)
			bits[5 * i + j] = (place / (16 >> j)) % 2 == 1 ? '1' : '0';
	}
	for (int i = 0; i < nbits; i++)
		r->bits[i] = n - nbits + i >= 0 ? bits[n - nbits + i] : '0';
	for (int i = 0; i < n - nbits; i++)
	{
		if (bits[i] == '1')
			return false;
	}
	return true;
}

/* Put five bits a character, the first one at the beginning; two are left. */
static bool
plain_base32hex(const char *chars, int length, Ruler *r)
{
	if (length == 32 && strncmp(chars + 26, "======", 6) == 0)
		length = 26;
	if (length != 26 || !plain_all_of(chars, 26, BASE32HEX "abcdefghijklmnopqrstuv"))
		return false;
	for (int i = 0; i < 26; i++)
	{
		uint64		place = strchr(BASE32HEX, toupper((unsigned char) chars[i])) - BASE32HEX;

		if (i == 25 && place % 4 != 0)
			return false;
		ruler_put(r, 5 * i, i == 25 ? 128 : 5 * i + 5, i == 25 ? place / 4 : place);
	}
	return true;
}

/* 32 digits, and hyphens between groups of four? */
static bool
plain_uuid(const char *chars, int length, Ruler *r)
{
	int			digits = 0;
	bool		hyphen = true;	/* none may stand here */

	if (length >= 2 && chars[0] == '{' && chars[length - 1] == '}')
	{
		chars++;
		length -= 2;
	}
	for (int i = 0; i < length; i++)
	{
		if (chars[i] == '-')
		{
			if (hyphen || digits % 4 != 0)
				return false;
			hyphen = true;
			continue;
		}
		if (!plain_all_of(chars + i, 1, HEX) || digits == 32)
			return false;
		ruler_put(r, 4 * digits, 4 * digits + 4,
				  strchr("0123456789abcdef", tolower((unsigned char) chars[i])) -
				  "0123456789abcdef" + UINT64CONST(0));
		digits++;
		hyphen = false;
	}
	return digits == 32 && !hyphen;
}

static GidIdFault
plain_number(const char *chars, int length, char *canonical)
{
	bool		negative = length > 0 && chars[0] == '-';
	const char *max = negative ? "9223372036854775808" : "9223372036854775807";

	if (negative)
	{
		chars++;
		length--;
	}
	if (length == 0 || !plain_all_of(chars, length, DECIMAL))
		return GID_IDTEXT_UNKNOWN;
	for (; length > 1 && *chars == '0'; length--)
		chars++;
	if (length > 19 || (length == 19 && memcmp(chars, max, 19) > 0))
		return GID_IDTEXT_TOO_LARGE;
	sprintf(canonical, "%s%.*s", negative && *chars != '0' ? "-" : "", length, chars);
	return GID_IDTEXT_SOUND;
}

static void
plain_read(const char *chars, int length, Plain *p)
{
	int			underscore = -1;
	int			n;
	const char *suffix;
	bool		urn = length >= 9;
	bool		colon = false;

	memset(p, 0, sizeof(Plain));
	p->fault = GID_IDTEXT_UNKNOWN;
	plain_trim(&chars, &length);
	urn = length >= 9;
	for (int i = 0; i < length; i++)
	{
		urn = urn && (i >= 9 || tolower((unsigned char) chars[i]) == "urn:uuid:"[i]);
		colon = colon || chars[i] == ':';
		if (chars[i] == '_')
			underscore = i;
	}
	if (length == 0)
		p->fault = GID_IDTEXT_EMPTY;
	else if (urn)
	{
		p->form = GID_FORM_UUID;
		if (plain_uuid(chars + 9, length - 9, &p->r))
			p->fault = GID_IDTEXT_SOUND;
	}
	else if (colon)
	{
		GidGdidError error = plain_parse(chars, length, p->canonical);

		p->form = GID_FORM_GDID;
		if (error.fault == GID_GDID_SOUND)
			p->fault = GID_IDTEXT_SOUND;
		else if (error.fault == GID_GDID_RANGE)
			p->fault = GID_IDTEXT_TOO_LARGE;
	}
	else if (underscore >= 0)
	{
		suffix = chars + underscore + 1;
		n = length - underscore - 1;
		if (!(n == 26 || n == 20 || (n >= 1 && n <= 13)) || !plain_all_of(suffix, n, TYPED))
			return;
		p->fault = GID_IDTEXT_PREFIX;
		if (underscore == 0 || underscore > 63 || chars[0] == '_' ||
			chars[underscore - 1] == '_' || !plain_all_of(chars, underscore, PREFIX))
			return;
		p->prefix_length = underscore;
		p->form = n == 26 && plain_all_of(suffix, n, LOWER) ? GID_FORM_TYPEID :
			n == 26 ? GID_FORM_UUID_CROCKFORD : n == 20 ? GID_FORM_GDID_CROCKFORD :
			GID_FORM_BIGINT_CROCKFORD;
		p->fault = plain_crockford(suffix, n, n == 26 ? 128 : n == 20 ? 96 : 63, &p->r) ?
			GID_IDTEXT_SOUND : GID_IDTEXT_TOO_LARGE;
		plain_decimal(&p->r, 0, n <= 13 ? 63 : 0, p->canonical);
	}
	else if (plain_uuid(chars, length, &p->r))
	{
		p->form = GID_FORM_UUID;
		p->fault = GID_IDTEXT_SOUND;
	}
	else if ((length == 24 && plain_all_of(chars, 24, HEX)) ||
			 (length == 26 && chars[0] == '0' && plain_all_of(chars + 1, 1, "xX") &&
			  plain_all_of(chars + 2, 24, HEX)))
	{
		p->form = GID_FORM_GDID_HEX;
		p->fault = GID_IDTEXT_SOUND;
		plain_parse(chars, length, p->canonical);
	}
	else if (plain_base32hex(chars, length, &p->base32hex) &&
			 !(length == 26 && plain_all_of(chars, 26, TYPED) &&
			   plain_crockford(chars, 26, 128, &p->r)))
	{
		p->form = GID_FORM_BASE32HEX;
		p->fault = GID_IDTEXT_SOUND;
		p->r = p->base32hex;
	}
	else if ((length == 26 || length == 20) && plain_all_of(chars, length, TYPED))
	{
		uint64		version;

		p->form = length == 26 ? GID_FORM_ULID : GID_FORM_GDID_CROCKFORD;
		p->fault = plain_crockford(chars, length, length == 26 ? 128 : 96, &p->r) ?
			GID_IDTEXT_SOUND : GID_IDTEXT_TOO_LARGE;
		if (plain_base32hex(chars, length, &p->base32hex))
		{
			version = ruler_get(&p->base32hex, 48, 52);
			p->is_ambiguous = ruler_get(&p->base32hex, 64, 66) == 2 &&
				(version == 4 || version == 7);
		}
	}
	else
	{
		p->form = GID_FORM_BIGINT;
		p->fault = plain_number(chars, length, p->canonical);
	}
}

/* ---- the first, and how the two compare ---- */

/* A TypeID has no blanks around it and no other spelling; a bare one is 26 digits. */
static void
fuzz_typeid(const char *chars, int length, const Plain *p)
{
	static GidAlphabet alphabet;
	static GidRadix radix;
	char	   *copy = fuzz_exactly(chars, length);
	char		written[GID_TYPEID_MAX_LENGTH];
	bool		bare = length == 26 && plain_all_of(chars, 26, LOWER) && chars[0] <= '7';
	bool		typed = p->fault == GID_IDTEXT_SOUND && p->form == GID_FORM_TYPEID &&
	!plain_all_of(chars, 1, PLAIN_BLANKS) && !plain_all_of(chars + length - 1, 1, PLAIN_BLANKS);
	int			prefix = typed ? p->prefix_length : 0;
	int			at = 0;
	Ruler		r = p->r;
	GidTypeid	id;
	GidTypeidFault fault;

	if (radix.base == 0)
	{
		gid_alphabet_open(&alphabet, GID_ALPHABET_PREFIX GID_TYPEID_CHARS,
						  (int) strlen(GID_ALPHABET_PREFIX GID_TYPEID_CHARS), &at);
		gid_radix_open(&radix, alphabet.size);
	}
	fault = gid_typeid_parse(&alphabet, &radix, copy, length, &id);
	fuzz_note(TYPEID + fault);
	fuzz_check((fault == GID_TYPEID_SOUND) == (bare || typed), "\"%.*s\": fault %d of a TypeID",
			   length, chars, fault);
	if (fault == GID_TYPEID_FOREIGN)
		fuzz_check(id.at >= 0 && id.at < length && !plain_all_of(chars + id.at, 1, LOWER),
				   "\"%.*s\": at %d", length, chars, id.at);
	if (fault == GID_TYPEID_SOUND)
	{
		if (bare)
			plain_crockford(chars, 26, 128, &r);
		fuzz_check(id.prefix_length == prefix && ruler_is(&r, id.uuid, 16),
				   "\"%.*s\": another UUID or prefix", length, chars);
		fuzz_check(gid_typeid_print(&alphabet, &radix, copy, prefix, id.uuid, written) == length &&
				   memcmp(written, chars, length) == 0, "\"%.*s\": not written so", length, chars);
	}
	free(copy);
}

static void
fuzz_read(const char *chars, int length)
{
	char	   *copy = fuzz_exactly(chars, length);
	char		shown[64] = "";
	GidGdid		gdid;
	GidIdText	id;
	Plain		p;
	GidIdFault	fault = gid_idtext_parse(copy, length, &id);

	plain_read(chars, length, &p);
	fuzz_typeid(chars, length, &p);
	fuzz_check(fault == p.fault, "\"%.*s\": fault %d instead of %d", length, chars,
			   fault, p.fault);
	fuzz_note(fault == GID_IDTEXT_SOUND ? (int) id.form :
			  fault == GID_IDTEXT_EMPTY ? EMPTY :
			  fault == GID_IDTEXT_UNKNOWN ? UNKNOWN :
			  fault == GID_IDTEXT_PREFIX ? NO_PREFIX : TOO_LARGE);
	if (fault == GID_IDTEXT_SOUND || fault == GID_IDTEXT_TOO_LARGE)
		fuzz_check(id.form == p.form, "\"%.*s\": form %d instead of %d", length, chars,
				   id.form, p.form);
	if (fault == GID_IDTEXT_SOUND)
	{
		fuzz_check(id.prefix_length == p.prefix_length && id.prefix >= 0 &&
				   id.prefix + id.prefix_length <= length &&
				   (id.prefix_length == 0 || copy[id.prefix + id.prefix_length] == '_'),
				   "\"%.*s\": prefix at %d of %d", length, chars, id.prefix, id.prefix_length);
		fuzz_check(id.is_ambiguous == p.is_ambiguous, "\"%.*s\": %d readings", length, chars,
				   1 + id.is_ambiguous);
		if (id.is_ambiguous)
		{
			fuzz_note(AMBIGUOUS);
			fuzz_check(ruler_is(&p.base32hex, id.base32hex, 16),
					   "\"%.*s\": another UUID in base32hex", length, chars);
		}
		switch (id.form)
		{
			case GID_FORM_UUID:
			case GID_FORM_ULID:
			case GID_FORM_BASE32HEX:
			case GID_FORM_TYPEID:
			case GID_FORM_UUID_CROCKFORD:
				fuzz_check(ruler_is(&p.r, id.bytes, 16), "\"%.*s\": another UUID", length, chars);
				break;
			case GID_FORM_GDID_CROCKFORD:
				if (id.prefix_length > 0)
					fuzz_note(PREFIXED);
				fuzz_check(ruler_is(&p.r, id.bytes, 12), "\"%.*s\": another GDID", length, chars);
				break;
			case GID_FORM_GDID:
			case GID_FORM_GDID_HEX:
				memcpy(gdid.bytes, id.bytes, GID_GDID_BYTES);
				gid_gdid_print(shown, &gdid);
				fuzz_check(strcmp(shown, p.canonical) == 0, "\"%.*s\": %s", length, chars, shown);
				break;
			case GID_FORM_BIGINT:
			case GID_FORM_BIGINT_CROCKFORD:
				sprintf(shown, "%lld", (long long) id.number);
				fuzz_check(strcmp(shown, p.canonical) == 0, "\"%.*s\": %s", length, chars, shown);
				break;
		}
	}
	free(copy);
}

/* Some characters of a set, "n" of them, or as many as fit. */
static int
put_some(FuzzInput *in, char *to, int room, int n, const char *set)
{
	n = Min(n, room);
	for (int i = 0; i < n; i++)
		to[i] = set[fuzz_byte(in) % strlen(set)];
	return n;
}

/*
 * An input: a byte of the kind, one of the length, the characters of the
 * kind's sets, and at last where another byte stands instead, if any does.
 */
int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};
	uint8		kind = fuzz_byte(&in);
	int			lengths[] = {26, 20, 13, 24, 32, 19, 12, fuzz_byte(&in) % 70};
	int			n = lengths[kind / 16 % lengthof(lengths)];
	char		chars[MAX_LENGTH];
	int			length = 0;

	switch (kind % 9)
	{
		case 0:
			length = (int) Min(in.left, (size_t) MAX_LENGTH);
			if (length > 0)
				memcpy(chars, in.at, length);
			in.left = 0;
			break;
		case 1:
			/* half of them begin low, so that the number fits */
			if (kind & 8)
				length = put_some(&in, chars, 1, 1, "01");
			length += put_some(&in, chars + length, MAX_LENGTH, n - length, TYPED);
			break;
		case 2:
			length = put_some(&in, chars, MAX_LENGTH, fuzz_byte(&in) % 66, PREFIX);
			chars[length++] = '_';
			if (kind & 8)
			{
				length += put_some(&in, chars + length, 1, 1, "01");
				n--;
			}
			length += put_some(&in, chars + length, MAX_LENGTH - length, n,
							   kind & 64 ? LOWER : TYPED);
			break;
		case 3:
			if (kind & 8)
			{
				memcpy(chars, "uRn:UuId:", 9);
				length = 9;
			}
			length += put_some(&in, chars + length, MAX_LENGTH - length, 32, HEX);
			break;
		case 4:
			for (int i = 0; i < 32; i++)
			{
				if (i > 0 && i % 4 == 0 && fuzz_byte(&in) % 2 == 0)
					chars[length++] = '-';
				length += put_some(&in, chars + length, 1, 1, HEX);
			}
			if (kind & 8)
			{
				memmove(chars + 1, chars, length);
				chars[0] = '{';
				chars[length + 1] = '}';
				length += 2;
			}
			break;
		case 5:
			if (kind & 8)
				chars[length++] = '-';
			length += put_some(&in, chars + length, MAX_LENGTH - length, n, DECIMAL);
			break;
		case 6:
			if (kind & 8)
			{
				chars[length++] = '0';
				chars[length++] = 'x';
			}
			length += put_some(&in, chars + length, MAX_LENGTH - length, n, HEX);
			break;
		case 7:
			for (int i = 0; i < 3; i++)
			{
				uint64		number = fuzz_number(&in);

				number = i == 0 ? number % 5000000000 : i == 1 ? number % 17 : number;
				length += sprintf(chars + length, "%s%llu", i > 0 ? ":" : "",
								  (unsigned long long) (kind & 8 ? number >> 5 : number));
			}
			break;
		case 8:
			/* half of them have version 4 or 7, and few letters U */
			if (kind & 16)
			{
				length = put_some(&in, chars, MAX_LENGTH, 9, BASE32HEX "0");
				length += put_some(&in, chars + length, 1, 1, "159DHLPT");
				length += put_some(&in, chars + length, 1, 1, "01234567OPQRSTV");
				length += put_some(&in, chars + length, 1, 1, CROCKFORD);
				length += put_some(&in, chars + length, 1, 1, "13579BDFHJLNPRTV");
				length += put_some(&in, chars + length, 1, 1, "0123456789ABCDEF");
				length += put_some(&in, chars + length, 11, 11, "0123456789ABCDEGHJKMNPQRSTV");
			}
			else
				length = put_some(&in, chars, MAX_LENGTH, 25, BASE32HEX "lou");
			length += put_some(&in, chars + length, 1, 1, "048CGKOSgs");
			if (kind & 64)
				length += put_some(&in, chars + length, 6, 6, "=");
			break;
	}
	if (in.left > 1 && length > 0)
	{
		int			at = fuzz_byte(&in) % length;

		chars[at] = (char) fuzz_byte(&in);
	}
	fuzz_read(chars, length);
	return 0;
}
