/*-------------------------------------------------------------------------
 *
 * test_typeid.c
 *		TypeIDs as they are written, read back, and cut.
 *
 * The second implementation has the UUID as a row of bits.  test/fuzz reads
 * other texts.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/id_text.h"
#include "tap.h"
#include "../plain/ruler.h"

static GidAlphabet alphabet;
static GidRadix radix;

static void
open_digits(void)
{
	int			at = 0;

	gid_alphabet_open(&alphabet, GID_ALPHABET_PREFIX GID_TYPEID_CHARS,
					  (int) strlen(GID_ALPHABET_PREFIX GID_TYPEID_CHARS), &at);
	gid_radix_open(&radix, alphabet.size);
}

/* A random prefix of "length" characters. */
static void
make_prefix(char *prefix, int length)
{
	for (int i = 0; i < length; i++)
	{
		prefix[i] = (char) ('a' + tap_random_to(25));
		if (i > 0 && i < length - 1 && tap_random_to(4) == 0)
			prefix[i] = '_';
	}
}

/* Two bits of 0 and the 128 bits, five a character. */
static void
plain_suffix(const uint8 *uuid, char *suffix)
{
	for (int i = 0; i < 26; i++)
	{
		int			place = 0;

		for (int bit = 5 * i - 2; bit < 5 * i + 3; bit++)
			place = 2 * place + (bit < 0 ? 0 : uuid[bit / 8] >> (7 - bit % 8) & 1);
		suffix[i] = "0123456789abcdefghjkmnpqrstvwxyz"[place];
	}
}

static void
test_both_ways(void)
{
	tap_begin("every length of a prefix, written and read");
	for (int i = 0; i < 64 * 200; i++)
	{
		char		shown[GID_TYPEID_MAX_LENGTH + 1];
		char		want[26];
		char		prefix[GID_TYPEID_MAX_PREFIX];
		uint8		uuid[16];
		int			n = i % 64;
		int			length;
		GidTypeid	id;

		make_prefix(prefix, n);
		tap_random_bytes(uuid, 16);
		if (i % 5 == 0)
			memset(uuid, i % 2 == 0 ? 0 : 0xff, 16);
		shown[GID_TYPEID_MAX_LENGTH] = '!';
		length = gid_typeid_print(&alphabet, &radix, prefix, n, uuid, shown);
		plain_suffix(uuid, want);
		tap_check(length == n + (n > 0) + 26 && memcmp(shown, prefix, n) == 0 &&
				  (n == 0 || shown[n] == '_') && memcmp(shown + length - 26, want, 26) == 0,
				  "\"%.*s\" of %s", length, shown, ruler_uuid_text(uuid));
		tap_check(shown[GID_TYPEID_MAX_LENGTH] == '!', "more was written");
		tap_check(gid_typeid_parse(&alphabet, &radix, shown, length, &id) == GID_TYPEID_SOUND &&
				  id.prefix_length == n && memcmp(id.uuid, uuid, 16) == 0,
				  "\"%.*s\" is not read", length, shown);
	}
	tap_end();
}

static void
test_prefix(void)
{
	tap_begin("the characters and the ends of a prefix");
	for (int c = 0; c < 256; c++)
	{
		char		prefix[3] = {'a', (char) c, 'a'};
		bool		letter = c >= 'a' && c <= 'z';

		tap_check(gid_typeid_is_prefix(prefix, 3) == (letter || c == '_'), "%d within", c);
		tap_check(gid_typeid_is_prefix(prefix + 1, 2) == letter, "%d at first", c);
		tap_check(gid_typeid_is_prefix(prefix, 2) == letter, "%d at last", c);
		tap_check(gid_typeid_is_prefix(prefix + 1, 1) == letter, "%d alone", c);
	}
	for (int n = 0; n <= 70; n++)
	{
		char		prefix[70];

		memset(prefix, 'z', sizeof(prefix));
		tap_check(gid_typeid_is_prefix(prefix, n) == (n <= 63), "%d characters", n);
	}
	tap_end();
}

static void
test_cut(void)
{
	const char	whole[] = "a_b_7zzzzzzzzzzzzzzzzzzzzzzzzz";
	int			length = (int) strlen(whole);
	GidTypeid	id;

	tap_begin("a part of a TypeID is read only where it is one");
	for (int from = 0; from <= length; from++)
	{
		for (int to = from; to <= length; to++)
		{
			/*
			 * exactly as long, so that a sanitizer sees what is read behind
			 * it
			 */
			char	   *part = malloc(to - from);
			bool		good = to == length && (from == 0 || from == 2 || from == 4);

			memcpy(part, whole + from, to - from);
			tap_check((gid_typeid_parse(&alphabet, &radix, part, to - from, &id) ==
					   GID_TYPEID_SOUND) == good, "%d to %d", from, to);
			free(part);
		}
	}
	tap_end();
}

int
main(void)
{
	tap_start();
	open_digits();
	test_both_ways();
	test_prefix();
	test_cut();
	return tap_done();
}
