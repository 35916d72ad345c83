/*-------------------------------------------------------------------------
 *
 * fuzz_typeid.c
 *		TypeIDs, against a plain second implementation.
 *
 * The second one goes by the last underscore and by sets of characters, and
 * has the UUID as a row of bits.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/gdid_text.h"
#include "text/typeid_text.h"
#include "fuzz.h"
#include "../plain/gdid.h"

#define LETTERS		"abcdefghijklmnopqrstuvwxyz"
#define DIGITS		"0123456789abcdefghjkmnpqrstvwxyz"

#define MAX_LENGTH	120

enum Outcome
{
	WITH_PREFIX = GID_TYPEID_TOO_LARGE + 1
};

const char *const fuzz_outcomes[] = {
	[GID_TYPEID_SOUND] = "sound",
	[GID_TYPEID_LENGTH] = "length",
	[GID_TYPEID_SEPARATOR] = "separator",
	[GID_TYPEID_PREFIX] = "prefix",
	[GID_TYPEID_FOREIGN] = "foreign",
	[GID_TYPEID_TOO_LARGE] = "too large",
	[WITH_PREFIX] = "sound with a prefix",
	NULL
};

/* Is it a TypeID?  Its prefix's length and its UUID are returned. */
static bool
plain_read(const char *chars, int length, int *prefix, Ruler *r)
{
	const char *suffix = chars;

	*prefix = 0;
	for (int i = 0; i < length; i++)
	{
		if (chars[i] == '_')
		{
			*prefix = i;
			suffix = chars + i + 1;
		}
	}
	if (suffix != chars && (*prefix == 0 || *prefix > 63 || chars[0] == '_' ||
							chars[*prefix - 1] == '_' ||
							!plain_all_of(chars, *prefix, LETTERS "_")))
		return false;
	length -= (int) (suffix - chars);
	if (length != 26 || !plain_all_of(suffix, 26, DIGITS) || suffix[0] > '7')
		return false;
	ruler_put(r, 0, 3, strchr(DIGITS, suffix[0]) - DIGITS + UINT64CONST(0));
	for (int i = 1; i < 26; i++)
		ruler_put(r, 5 * i - 2, 5 * i + 3, strchr(DIGITS, suffix[i]) - DIGITS + UINT64CONST(0));
	return true;
}

static void
fuzz_read(const char *chars, int length)
{
	static GidAlphabet alphabet;
	static GidRadix radix;
	char	   *copy = fuzz_exactly(chars, length);
	char		written[GID_TYPEID_MAX_LENGTH];
	Ruler		r = {0};
	GidTypeid	id;
	GidTypeidFault fault;
	int			prefix;
	int			at = 0;
	bool		sound = plain_read(chars, length, &prefix, &r);

	if (radix.base == 0)
	{
		gid_alphabet_list(&alphabet, GID_TYPEID_CHARS, (int) strlen(GID_TYPEID_CHARS), &at);
		gid_radix_open(&radix, alphabet.size);
	}
	fault = gid_typeid_parse(&alphabet, &radix, copy, length, &id);
	fuzz_note(fault);
	fuzz_check((fault == GID_TYPEID_SOUND) == sound, "\"%.*s\": fault %d", length, chars, fault);
	if (fault == GID_TYPEID_FOREIGN)
		fuzz_check(id.at >= 0 && id.at < length && !plain_all_of(chars + id.at, 1, DIGITS),
				   "\"%.*s\": at %d", length, chars, id.at);
	if (sound)
	{
		if (prefix > 0)
			fuzz_note(WITH_PREFIX);
		fuzz_check(id.prefix_length == prefix, "\"%.*s\": a prefix of %d", length, chars,
				   id.prefix_length);
		fuzz_check(ruler_is(&r, id.uuid, 16), "\"%.*s\": another UUID", length, chars);
		fuzz_check(gid_typeid_print(&alphabet, &radix, copy, prefix, id.uuid, written) == length &&
				   memcmp(written, chars, length) == 0, "\"%.*s\": not written so", length, chars);
	}
	free(copy);
}

/*
 * An input: a byte of the kind, one of the prefix's length, the characters of
 * the kind's sets, and at last where another byte stands instead, if any does.
 * Kind 0 is a text as it is.
 */
int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};
	uint8		kind = fuzz_byte(&in);
	int			n = kind & 4 ? fuzz_byte(&in) % 4 : fuzz_byte(&in) % 67;
	int			length = 0;
	char		chars[MAX_LENGTH];

	if (kind % 16 == 0)
	{
		length = (int) Min(in.left, (size_t) MAX_LENGTH);
		if (length > 0)
			memcpy(chars, in.at, length);
		in.left = 0;
	}
	else
	{
		for (int i = 0; i < n; i++)
			chars[length++] = (LETTERS "_")[fuzz_byte(&in) % (kind & 8 ? 26 : 27)];
		if (kind & 1 && n > 0)
			chars[length++] = '_';
		for (int i = 0; i < (kind & 2 ? 26 : 24 + kind / 16 % 4); i++)
			chars[length++] = DIGITS[fuzz_byte(&in) % (i == 0 ? 9 : 32)];
	}
	if (in.left > 1 && length > 0)
	{
		int			at = fuzz_byte(&in) % length;

		chars[at] = (char) fuzz_byte(&in);
	}
	fuzz_read(chars, length);
	return 0;
}
