/*-------------------------------------------------------------------------
 *
 * fuzz_lexical.c
 *		Arithmetic on codes, against whole numbers of 384 bits.
 *
 * The second implementation knows no carry.  It takes the number of the last k
 * characters of a value, adds the count, writes the sum as a code, digit by
 * digit from the right, and looks for the smallest k for which that code has k
 * characters; what is before them stays.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/lexical.h"
#include "fuzz.h"

/* 94^48 has less than 320 bits, and a count 64. */
#define MAX_VALUE	48
#define LIMBS		12

const char *const fuzz_outcomes[] = {
	[GID_LEXICAL_OK] = "ok",
	[GID_LEXICAL_TOO_FEW] = "too few",
	[GID_LEXICAL_UNPRINTABLE] = "unprintable",
	[GID_LEXICAL_REPEATED] = "repeated",
	[GID_LEXICAL_ONE_LETTER] = "one letter",
	[GID_LEXICAL_FOREIGN] = "foreign",
	[GID_LEXICAL_BELOW_FIRST] = "below first",
	[GID_LEXICAL_TOO_LONG] = "too long",
	"longer",
	"shorter",
	NULL
};

#define LONGER	(GID_LEXICAL_TOO_LONG + 1)
#define SHORTER	(GID_LEXICAL_TOO_LONG + 2)

static const struct
{
	const char *name;
	const char *chars;
}			plain_names[] = {
	{"numeric", "0123456789"},
	{"alpha_lower", "abcdefghijklmnopqrstuvwxyz"},
	{"alpha_upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
	{"alpha", "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"},
	{"alphanumeric_lower", "0123456789abcdefghijklmnopqrstuvwxyz"},
	{"alphanumeric_upper", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
	{"alphanumeric",
	"0123456789AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"},
	{"crockford", "0123456789ABCDEFGHJKMNPQRSTVWXYZ"},
};

/* ---- whole numbers ---- */

/* 384 bits, the lowest limb first; negative as two's complement. */
typedef struct Big
{
	uint32		limb[LIMBS];
} Big;

static void
big_set(Big *a, int64 value)
{
	for (int i = 0; i < LIMBS; i++)
		a->limb[i] = i == 0 ? (uint32) value :
			i == 1 ? (uint32) ((uint64) value >> 32) : value < 0 ? PG_UINT32_MAX : 0;
}

/* a += b * n */
static void
big_add(Big *a, const Big *b, uint32 n)
{
	uint64		carry = 0;

	for (int i = 0; i < LIMBS; i++)
	{
		carry += a->limb[i] + (uint64) b->limb[i] * n;
		a->limb[i] = (uint32) carry;
		carry >>= 32;
	}
}

/* a /= n, for a from 0 on; the remainder */
static uint32
big_divide(Big *a, uint32 n)
{
	uint64		rest = 0;

	for (int i = LIMBS - 1; i >= 0; i--)
	{
		rest = rest << 32 | a->limb[i];
		a->limb[i] = (uint32) (rest / n);
		rest %= n;
	}
	return (uint32) rest;
}

static bool
big_is_negative(const Big *a)
{
	return a->limb[LIMBS - 1] > PG_INT32_MAX;
}

static bool
big_is_zero(const Big *a)
{
	for (int i = 0; i < LIMBS; i++)
	{
		if (a->limb[i] != 0)
			return false;
	}
	return true;
}

/* ---- codes ---- */

static bool
plain_is_upper(char c)
{
	return strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", c) != NULL && c != '\0';
}

static bool
plain_is_lower(char c)
{
	return strchr("abcdefghijklmnopqrstuvwxyz", c) != NULL && c != '\0';
}

/* The letter of the other case, '\0' of what is no letter. */
static char
plain_other(char c)
{
	return plain_is_upper(c) || plain_is_lower(c) ? c ^ 0x20 : '\0';
}

/* Do they differ in the case alone, if that? */
static bool
plain_same_letter(char a, char b)
{
	return a == b || (plain_other(a) == b && b != '\0');
}

/* The characters of an alphabet as they are written, or what is wrong. */
static GidLexicalError
plain_alphabet(char *out, const char *charset, int length, bool ignore_case,
			   const char *value, int value_length, int *at)
{
	int			upper = 0;
	int			lower = 0;
	int			n = 0;
	bool		named = false;

	for (int i = 0; i < (int) lengthof(plain_names); i++)
	{
		if (length == (int) strlen(plain_names[i].name) &&
			strncmp(charset, plain_names[i].name, length) == 0)
		{
			charset = plain_names[i].chars;
			length = (int) strlen(charset);
			named = true;
			break;
		}
	}
	for (*at = 0; *at < length && !named; ++*at)
	{
		char		c = charset[*at];

		if (c < '!' || c > '~')
			return GID_LEXICAL_UNPRINTABLE;
		for (int i = 0; i < *at; i++)
		{
			if (charset[i] == c)
				return GID_LEXICAL_REPEATED;
		}
	}
	if (length < 2)
		return GID_LEXICAL_TOO_FEW;

	for (int i = 0; i < value_length; i++)
	{
		upper += plain_is_upper(value[i]);
		lower += plain_is_lower(value[i]);
	}
	for (int i = 0; i < length; i++)
	{
		int			twin = i;

		for (int j = 0; j < length; j++)
		{
			if (j != i && plain_same_letter(charset[i], charset[j]))
				twin = j;
		}
		if (!ignore_case || twin == i)
			out[n++] = charset[i];
		else if (twin > i)
			out[n++] = plain_is_lower(charset[i]) == (lower > upper) ?
				charset[i] : charset[twin];
	}
	out[n] = '\0';
	return n < 2 ? GID_LEXICAL_ONE_LETTER : GID_LEXICAL_OK;
}

/*
 * The code of a number from 0 on, at the end of a buffer; its length, or -1 if
 * that is beyond "longest".
 */
static int
plain_write(const char *alphabet, Big number, char *end, int longest)
{
	uint32		size = (uint32) strlen(alphabet);
	Big			one;
	int			length = 0;

	big_set(&one, -1);
	while (!big_is_zero(&number))
	{
		if (length == longest)
			return -1;
		/* number - 1 = quotient * N + place of the last character */
		big_add(&number, &one, 1);
		*--end = alphabet[big_divide(&number, size)];
		length++;
	}
	return length;
}

static GidLexicalError
plain_add(const char *alphabet, bool ignore_case, const char *value,
		  int length, int64 count, int room, char *out, int *out_length, int *at)
{
	char		code[MAX_VALUE + 100];
	char	   *end = code + sizeof(code);
	Big			sum;
	Big			power;
	int			k = 0;
	int			width;

	big_set(&sum, count);
	big_set(&power, 1);
	for (;;)
	{
		const char *found = NULL;
		Big			times;

		width = big_is_negative(&sum) ? -1 :
			plain_write(alphabet, sum, end, k < length ? k : MAX_VALUE + 64);
		if (width == k || k == length)
			break;
		*at = length - ++k;
		for (const char *c = alphabet; *c != '\0' && found == NULL; c++)
		{
			if (*c == value[*at] ||
				(ignore_case && plain_same_letter(*c, value[*at])))
				found = c;
		}
		if (found != NULL)
			big_add(&sum, &power, (uint32) (found - alphabet) + 1);
		else if (value[*at] != ' ')
			return GID_LEXICAL_FOREIGN;
		big_set(&times, 0);
		big_add(&times, &power, (uint32) strlen(alphabet));
		power = times;
	}
	/* no code, or the empty one of what is not empty */
	if (width < 0 || (width == 0 && k > 0))
		return GID_LEXICAL_BELOW_FIRST;
	*out_length = length - k + width;
	if (*out_length > room)
		return GID_LEXICAL_TOO_LONG;
	memcpy(out, value, length - k);
	memcpy(out + length - k, end - width, width);
	return GID_LEXICAL_OK;
}

/* ---- the first ---- */

static GidLexicalError
code_add(const char *charset, int charset_length, bool ignore_case,
		 const char *value, int length, int64 count, int room, char *out,
		 int *out_length, int *at)
{
	char	   *copy = fuzz_exactly(charset, charset_length);
	char	   *code = malloc(room);
	GidAlphabet alphabet;
	GidLexicalError error;

	memcpy(code, value, length);
	*out_length = length;
	error = gid_alphabet_open(&alphabet, copy, charset_length, at);
	if (error == GID_LEXICAL_OK && ignore_case)
		error = gid_alphabet_ignore_case(&alphabet);
	if (error == GID_LEXICAL_OK)
		error = gid_lexical_advance(&alphabet, code, out_length, room, count, at);
	if (error == GID_LEXICAL_OK)
		memcpy(out, code, *out_length);
	free(copy);
	free(code);
	return error;
}

/* Adding a count and taking it away gives the value, but for the case. */
static void
check_back(const char *charset, int charset_length, bool ignore_case,
		   const char *value, int length, int64 count,
		   const char *sum, int sum_length)
{
	char		back[MAX_VALUE + 2 * GID_LEXICAL_MAX_GROWTH];
	int			back_length;
	int			at;
	GidLexicalError error;

	if (count == PG_INT64_MIN || memchr(value, ' ', length) != NULL)
		return;
	error = code_add(charset, charset_length, ignore_case, sum, sum_length, -count,
					 sum_length + GID_LEXICAL_MAX_GROWTH, back, &back_length, &at);
	if (length == 0 && count != 0)
	{
		fuzz_check(error == GID_LEXICAL_BELOW_FIRST, "back to the empty code: %d",
				   error);
		return;
	}
	fuzz_check(error == GID_LEXICAL_OK && back_length == length,
			   "\"%.*s\" + " INT64_FORMAT " and back: %d", length, value, count, error);
	for (int i = 0; i < length; i++)
		fuzz_check(ignore_case ? plain_same_letter(back[i], value[i]) :
				   back[i] == value[i], "\"%.*s\" + " INT64_FORMAT
				   " and back is \"%.*s\"", length, value, count, length, back);
}

/*
 * An input: a byte of ignore_case and of how the charset is given, the room,
 * the count, the charset with its length before it, the value.
 */
int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};
	uint8		flags = fuzz_byte(&in);
	int			spare = fuzz_byte(&in) % (GID_LEXICAL_MAX_GROWTH + 1);
	int64		count = (int64) fuzz_number(&in);
	bool		ignore_case = flags % 2 == 1;
	const char *charset;
	const char *value;
	char		alphabet[GID_ALPHABET_MAX + 1];
	char		got[MAX_VALUE + GID_LEXICAL_MAX_GROWTH];
	char		wanted[MAX_VALUE + GID_LEXICAL_MAX_GROWTH];
	int			charset_length = fuzz_byte(&in);
	int			length;
	int			got_length;
	int			wanted_length;
	int			got_at = -1;
	int			wanted_at = -1;
	GidLexicalError error;
	GidLexicalError wanted_error;

	if (flags / 2 % 2 == 0)
	{
		charset = plain_names[charset_length % lengthof(plain_names)].name;
		charset_length = (int) strlen(charset);
	}
	else
		charset = fuzz_take(&in, &charset_length);
	value = (const char *) in.at;
	length = (int) Min(in.left, MAX_VALUE);
	/* mostly as much as the caller gives */
	if (flags / 4 % 4 != 0)
		spare = GID_LEXICAL_MAX_GROWTH;

	error = code_add(charset, charset_length, ignore_case, value, length, count,
					 length + spare, got, &got_length, &got_at);
	wanted_error = plain_alphabet(alphabet, charset, charset_length, ignore_case,
								  value, length, &wanted_at);
	if (wanted_error == GID_LEXICAL_OK)
		wanted_error = plain_add(alphabet, ignore_case, value, length, count,
								 length + spare, wanted, &wanted_length, &wanted_at);
	fuzz_note(wanted_error);
	fuzz_check(error == wanted_error, "\"%.*s\"%s: \"%.*s\" + " INT64_FORMAT
			   ": error %d instead of %d", charset_length, charset,
			   ignore_case ? ", ignoring case" : "", length, value, count, error,
			   wanted_error);
	if (error == GID_LEXICAL_FOREIGN || error == GID_LEXICAL_REPEATED ||
		error == GID_LEXICAL_UNPRINTABLE)
		fuzz_check(got_at == wanted_at, "\"%.*s\"%s: \"%.*s\" + " INT64_FORMAT
				   ": at %d instead of %d", charset_length, charset,
				   ignore_case ? ", ignoring case" : "", length, value, count, got_at,
				   wanted_at);
	if (error != GID_LEXICAL_OK)
		return 0;
	fuzz_check(got_length == wanted_length && memcmp(got, wanted, got_length) == 0,
			   "\"%.*s\"%s: \"%.*s\" + " INT64_FORMAT ": \"%.*s\" instead of \"%.*s\"",
			   charset_length, charset, ignore_case ? ", ignoring case" : "",
			   length, value, count, got_length, got, wanted_length, wanted);
	if (got_length > length)
		fuzz_note(LONGER);
	if (got_length < length)
		fuzz_note(SHORTER);
	check_back(charset, charset_length, ignore_case, value, length, count, got,
			   got_length);
	return 0;
}
