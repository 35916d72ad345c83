/*-------------------------------------------------------------------------
 *
 * fuzz_radix.c
 *		Numbers in any base and check characters, against plain second
 *		implementations.
 *
 * The second one of numbers has them as bytes, the lowest first, and divides
 * and multiplies byte by byte and digit by digit.  That of check characters is
 * in test/plain/code.h.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/luhn.h"
#include "text/radix.h"
#include "fuzz.h"
#include "../plain/code.h"

#define MAX_BYTES	(GID_RADIX_MAX_LIMBS * 4)

enum Outcome
{
	FIXED,
	SHORTEST,
	READ,
	FOREIGN,
	TOO_LARGE,
	TYPED,
	CHECKED,
	CHECK_FOREIGN,
	VALID,
	NOT_VALID,
	NO_CHARSET
};

const char *const fuzz_outcomes[] = {
	[FIXED] = "fixed",
	[SHORTEST] = "shortest",
	[READ] = "read",
	[FOREIGN] = "foreign",
	[TOO_LARGE] = "too large",
	[TYPED] = "typed",
	[CHECKED] = "checked",
	[CHECK_FOREIGN] = "foreign in a code",
	[VALID] = "valid",
	[NOT_VALID] = "not valid",
	[NO_CHARSET] = "no charset",
	NULL
};

/* ---- the second implementation ---- */

/* The place of a character, -1 if it has none; as typed for crockford. */
static int
plain_place(const GidAlphabet *alphabet, bool crockford, char c)
{
	for (int i = 0; i < alphabet->size; i++)
	{
		if (alphabet->chars[i] == c)
			return i;
	}
	if (crockford && (c == 'o' || c == 'O'))
		return 0;
	if (crockford && (c == 'i' || c == 'I' || c == 'l' || c == 'L'))
		return 1;
	for (int i = 0; i < alphabet->size; i++)
	{
		if (crockford && strchr("abcdefghjkmnpqrstvwxyz", c) != NULL &&
			c != '\0' && alphabet->chars[i] == c - 32)
			return i;
	}
	return -1;
}

/* The digits of a number before "end"; how many. */
static int
plain_put(const GidAlphabet *alphabet, const uint8 *number, int nbytes, char *end)
{
	uint8		left[MAX_BYTES];
	int			ndigits = 0;
	bool		zero;

	memcpy(left, number, nbytes);
	do
	{
		int			rest = 0;

		zero = true;
		for (int i = nbytes - 1; i >= 0; i--)
		{
			rest = rest * 256 + left[i];
			left[i] = (uint8) (rest / alphabet->size);
			rest %= alphabet->size;
			zero = zero && left[i] == 0;
		}
		*--end = alphabet->chars[rest];
		ndigits++;
	} while (!zero);
	return ndigits;
}

static GidRadixError
plain_get(const GidAlphabet *alphabet, bool crockford, const char *digits,
		  int length, uint8 *number, int nbytes, int *at)
{
	bool		too_large = false;

	memset(number, 0, nbytes);
	for (int i = 0; i < length; i++)
	{
		int			carry = plain_place(alphabet, crockford, digits[i]);

		*at = i;
		if (carry < 0)
			return GID_RADIX_FOREIGN;
		for (int j = 0; j < nbytes; j++)
		{
			carry += number[j] * alphabet->size;
			number[j] = (uint8) (carry % 256);
			carry /= 256;
		}
		too_large = too_large || carry != 0;
	}
	return too_large ? GID_RADIX_TOO_LARGE : GID_RADIX_OK;
}

/* ---- the first, and how the two compare ---- */

static void
limbs_of(const uint8 *number, uint32 *limbs, int nlimbs)
{
	for (int i = 0; i < nlimbs; i++)
	{
		const uint8 *low = number + 4 * (nlimbs - 1 - i);

		limbs[i] = low[0] + low[1] * 256u + low[2] * 65536u + low[3] * 16777216u;
	}
}

static void
fuzz_get(const GidAlphabet *alphabet, const GidRadix *radix, bool crockford,
		 const char *digits, int length, int nlimbs)
{
	uint8		number[MAX_BYTES];
	uint32		limbs[GID_RADIX_MAX_LIMBS];
	uint32		wanted[GID_RADIX_MAX_LIMBS];
	int			got_at = -1;
	int			wanted_at = -1;
	GidRadixError error;
	GidRadixError wanted_error;

	wanted_error = plain_get(alphabet, crockford, digits, length, number,
							 4 * nlimbs, &wanted_at);
	error = gid_radix_get(radix, alphabet->place, digits, length, limbs, nlimbs,
						  &got_at);
	fuzz_note(error == GID_RADIX_OK ? READ : error == GID_RADIX_FOREIGN ? FOREIGN : TOO_LARGE);
	fuzz_check(error == wanted_error, "\"%.*s\" in base %d, %d limbs: error %d instead of %d",
			   length, digits, alphabet->size, nlimbs, error, wanted_error);
	fuzz_check(error != GID_RADIX_FOREIGN || got_at == wanted_at,
			   "\"%.*s\": at %d instead of %d", length, digits, got_at, wanted_at);
	limbs_of(number, wanted, nlimbs);
	fuzz_check(error != GID_RADIX_OK || memcmp(limbs, wanted, 4 * nlimbs) == 0,
			   "\"%.*s\" in base %d, %d limbs: another number", length, digits,
			   alphabet->size, nlimbs);
	for (int i = 0; i < length && error == GID_RADIX_OK && crockford; i++)
	{
		if (memchr(alphabet->chars, digits[i], alphabet->size) == NULL)
			fuzz_note(TYPED);
	}
}

/* A number of so many limbs, and its text of fixed width. */
static void
fuzz_put(const GidAlphabet *alphabet, const GidRadix *radix, const uint8 *number,
		 int nlimbs)
{
	char		wanted[GID_RADIX_MAX_DIGITS];
	char	   *end = wanted + sizeof(wanted);
	int			width = radix->width[nlimbs];
	char	   *got = malloc(width);
	uint8		largest[MAX_BYTES];
	uint32		limbs[GID_RADIX_MAX_LIMBS];

	memset(largest, 0xff, sizeof(largest));
	fuzz_check(plain_put(alphabet, largest, 4 * nlimbs, end) == width,
			   "base %d, %d limbs: width %d", alphabet->size, nlimbs, width);
	memset(wanted, alphabet->chars[0], sizeof(wanted));
	plain_put(alphabet, number, 4 * nlimbs, end);
	limbs_of(number, limbs, nlimbs);
	gid_radix_put_width(radix, alphabet->chars, limbs, nlimbs, got);
	fuzz_check(memcmp(got, end - width, width) == 0,
			   "base %d, %d limbs: \"%.*s\" instead of \"%.*s\"", alphabet->size, nlimbs,
			   width, got, width, end - width);
	fuzz_note(FIXED);
	fuzz_get(alphabet, radix, false, got, width, nlimbs);
	free(got);
}

static void
fuzz_put_shortest(const GidAlphabet *alphabet, const GidRadix *radix,
				  const uint8 *number)
{
	char		wanted[GID_RADIX_MAX_DIGITS];
	char	   *end = wanted + sizeof(wanted);
	int			width = plain_put(alphabet, number, 8, end);
	char	   *got = malloc(width);
	uint32		limbs[2];

	limbs_of(number, limbs, 2);
	fuzz_check(gid_radix_put_shortest(radix, alphabet->chars,
									  (uint64) limbs[0] << 32 | limbs[1], got + width) == got,
			   "base %d, \"%.*s\": another length", alphabet->size, width, end - width);
	fuzz_check(memcmp(got, end - width, width) == 0,
			   "base %d: \"%.*s\" instead of \"%.*s\"", alphabet->size, width, got,
			   width, end - width);
	fuzz_note(SHORTEST);
	fuzz_get(alphabet, radix, false, got, width, 2);
	free(got);
}

static void
fuzz_check_character(const GidAlphabet *alphabet, bool crockford, const char *code,
					 int length)
{
	int			places[256];
	int			foreign = -1;
	int			at = -1;
	char		check = '\0';
	bool		valid;
	GidLexicalError error = gid_luhn_character(alphabet, code, length, &check, &at);

	for (int i = length - 1; i >= 0; i--)
	{
		places[i] = plain_place(alphabet, crockford, code[i]);
		if (places[i] < 0)
			foreign = i;
	}
	fuzz_note(foreign < 0 ? CHECKED : CHECK_FOREIGN);
	fuzz_check((error == GID_LEXICAL_OK) == (foreign < 0) && at == foreign,
			   "\"%.*s\" in base %d: error %d at %d instead of %d", length, code,
			   alphabet->size, error, at, foreign);
	valid = length >= 2 && foreign < 0 &&
		plain_check(alphabet->size, places, length - 1) == places[length - 1];
	fuzz_note(valid ? VALID : NOT_VALID);
	fuzz_check(gid_luhn_is_valid(alphabet, code, length) == valid,
			   "\"%.*s\" in base %d: not %d", length, code, alphabet->size, valid);
	if (foreign >= 0)
		return;
	fuzz_check(check == alphabet->chars[plain_check(alphabet->size, places, length)],
			   "\"%.*s\" in base %d: '%c'", length, code, alphabet->size, check);
}

/*
 * An input: a byte of what is to be done, one of how it is given, the charset
 * with its length before it, a number or a text.
 */
int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};
	uint8		what = fuzz_byte(&in);
	uint8		flags = fuzz_byte(&in);
	int			charset_length = fuzz_byte(&in);
	int			nlimbs = 1 + what / 4 % GID_RADIX_MAX_LIMBS;
	const char *charset = plain_charsets[charset_length % lengthof(plain_charsets)].name;
	bool		crockford;
	GidAlphabet alphabet;
	GidRadix	radix;
	uint8		number[MAX_BYTES] = {0};
	char	   *code;
	int			length;
	int			at;

	if (flags % 2 == 0)
		charset_length = (int) strlen(charset);
	else
		charset = fuzz_take(&in, &charset_length);
	crockford = charset_length == 9 && memcmp(charset, "crockford", 9) == 0;
	/* what is a charset, is fuzz_lexical's */
	if (gid_alphabet_open(&alphabet, charset, charset_length, &at) != GID_LEXICAL_OK)
	{
		fuzz_note(NO_CHARSET);
		return 0;
	}
	gid_alphabet_read_typed(&alphabet);
	gid_radix_open(&radix, alphabet.size);

	if (what % 4 < 2)
	{
		for (int i = 0; i < MAX_BYTES; i += 8)
		{
			uint64		part = fuzz_number(&in);

			for (int j = 0; j < 8; j++)
				number[i + j] = (uint8) (part >> 8 * j);
		}
		if (what % 4 == 0)
			fuzz_put(&alphabet, &radix, number, nlimbs);
		else
			fuzz_put_shortest(&alphabet, &radix, number);
		return 0;
	}

	/* mostly of characters of the alphabet */
	length = (int) in.left;
	code = fuzz_exactly(in.at, length);
	for (int i = 0; i < length && flags / 2 % 4 != 0; i++)
		code[i] = alphabet.chars[in.at[i] % alphabet.size];
	if (what % 4 == 2)
		fuzz_get(&alphabet, &radix, crockford, code, Min(length, 160), nlimbs);
	else
		fuzz_check_character(&alphabet, crockford, code, Min(length, 255));
	free(code);
	return 0;
}
