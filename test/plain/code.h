/*-------------------------------------------------------------------------
 *
 * code.h
 *		A second implementation of codes: their alphabets, their arithmetic, in
 *		whole numbers of 128 bits, and their check characters.
 *
 * The arithmetic knows no carry.  It takes the number of the last k characters
 * of a value, adds the count, writes the sum as a code, digit by digit from
 * the right, and looks for the smallest k for which that code has k
 * characters.  The characters before them stay.  The check character is the
 * algorithm as it is published, from the right, with a factor that alternates.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLAIN_CODE_H
#define PLAIN_CODE_H

#include "wide.h"

/* The longest value: 94^9 has less than 60 bits, and a count 64. */
#define PLAIN_MAX_VALUE	9

/* An alphabet that has a name. */
typedef struct PlainCharset
{
	const char *name;
	const char *chars;
} PlainCharset;

static const PlainCharset plain_charsets[] = {
	{"numeric", "0123456789"},
	{"alpha_lower", "abcdefghijklmnopqrstuvwxyz"},
	{"alpha_upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
	{"alpha", "AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"},
	{"alphanumeric_lower", "0123456789abcdefghijklmnopqrstuvwxyz"},
	{"alphanumeric_upper", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
	{"alphanumeric",
	"0123456789AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"},
	{"crockford", "0123456789ABCDEFGHJKMNPQRSTVWXYZ"},
	{"hex", "0123456789abcdef"},
	{"base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"},
	{"base62", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
};

/* ---- codes ---- */

static inline bool
plain_is_upper(char c)
{
	return strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ", c) != NULL && c != '\0';
}

static inline bool
plain_is_lower(char c)
{
	return strchr("abcdefghijklmnopqrstuvwxyz", c) != NULL && c != '\0';
}

/* The letter of the other case, '\0' of what is no letter. */
static inline char
plain_other(char c)
{
	return plain_is_upper(c) || plain_is_lower(c) ? c ^ 0x20 : '\0';
}

/* Do they differ in the case alone, if that? */
static inline bool
plain_same_letter(char a, char b)
{
	return a == b || (plain_other(a) == b && b != '\0');
}

/* The characters of an alphabet as they are written, or what is wrong. */
static inline GidLexicalError
plain_alphabet(char *out, const char *charset, int length, bool ignore_case,
			   const char *value, int value_length, int *at)
{
	int			upper = 0;
	int			lower = 0;
	int			n = 0;
	bool		named = false;

	for (int i = 0; i < (int) lengthof(plain_charsets); i++)
	{
		if (length == (int) strlen(plain_charsets[i].name) &&
			strncmp(charset, plain_charsets[i].name, length) == 0)
		{
			charset = plain_charsets[i].chars;
			length = (int) strlen(charset);
			named = true;
			break;
		}
	}
	if (!named)
	{
		if (length < 6 || strncmp(charset, "chars:", 6) != 0)
			return GID_LEXICAL_UNKNOWN;
		charset += 6;
		length -= 6;
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
static inline int
plain_write(const char *alphabet, Wide number, char *end, int longest)
{
	int			size = (int) strlen(alphabet);
	int			length = 0;

	while (number != 0)
	{
		if (length == longest)
			return -1;
		/* number - 1 = quotient * N + place of the last character */
		number--;
		*--end = alphabet[(int) (number % size)];
		number /= size;
		length++;
	}
	return length;
}

static inline GidLexicalError
plain_add(const char *alphabet, bool ignore_case, const char *value,
		  int length, int64 count, char *out, int *out_length, int *at)
{
	char		code[PLAIN_MAX_VALUE + 100];
	char	   *end = code + sizeof(code);
	Wide		sum = count;
	Wide		power = 1;
	int			k = 0;
	int			width;

	for (;;)
	{
		const char *found = NULL;

		width = sum < 0 ? -1 :
			plain_write(alphabet, sum, end, k < length ? k : PLAIN_MAX_VALUE + 64);
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
			sum += power * (found - alphabet + 1);
		else if (value[*at] != ' ')
			return GID_LEXICAL_FOREIGN;
		power *= (Wide) strlen(alphabet);
	}
	/* no code, or the empty one of what is not empty */
	if (width < 0 || (width == 0 && k > 0))
		return GID_LEXICAL_BELOW_FIRST;
	*out_length = length - k + width;
	memcpy(out, value, length - k);
	memcpy(out + length - k, end - width, width);
	return GID_LEXICAL_OK;
}

/* ---- check characters ---- */

/* The place of the check character of a code, given the places of its own. */
static inline int
plain_check(int size, const int *places, int length)
{
	int			factor = 2;
	int			sum = 0;

	for (int i = length - 1; i >= 0; i--)
	{
		int			addend = factor * places[i];

		factor = factor == 2 ? 1 : 2;
		sum += addend / size + addend % size;
	}
	return (size - sum % size) % size;
}

#endif							/* PLAIN_CODE_H */
