/*-------------------------------------------------------------------------
 *
 * test_code.c
 *		Codes: their arithmetic against a second implementation in whole
 *		numbers of 128 bits, their charsets, and their check characters.
 *
 * The second implementation knows no carry.  It takes the number of the last k
 * characters of a value, adds the count, writes the sum as a code, digit by
 * digit from the right, and looks for the smallest k for which that code has k
 * characters.  The characters before them stay.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/lexical.h"
#include "tap.h"
#include "../plain/wide.h"

#define ALL	"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

#define MAX_CODE	400
#define ROOM		(MAX_CODE + GID_LEXICAL_MAX_GROWTH)
#define MAX_STEPS	5000

/* ---- the second implementation ---- */

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

/* The characters of an alphabet as they are written where the value is this. */
static GidFaultKind
plain_alphabet(char *out, const char *chars, bool ignore_case, const char *value)
{
	int			lower = 0;		/* more of them than upper-case letters */
	int			n = 0;

	for (; *value != '\0'; value++)
		lower += plain_is_lower(*value) - plain_is_upper(*value);
	for (const char *c = chars; *c != '\0'; c++)
	{
		const char *twin = ignore_case && plain_other(*c) != '\0' ? strchr(chars, plain_other(*c)) : NULL;

		if (twin == NULL)
			out[n++] = *c;
		else if (twin > c)
			out[n++] = plain_is_lower(*c) == (lower > 0) ? *c : *twin;
	}
	out[n] = '\0';
	return n < 2 ? GID_FAULT_ONE_LETTER : GID_FAULT_NONE;
}

/*
 * The code of a number from 0 on, at the end of a buffer; its length, or -1 if
 * that is beyond "longest".
 */
static int
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

static GidFaultKind
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
			return GID_FAULT_FOREIGN;
		power *= (Wide) strlen(alphabet);
	}
	/* no code, or the empty one of what is not empty */
	if (width < 0 || (width == 0 && k > 0))
		return GID_FAULT_BELOW_FIRST;
	*out_length = length - k + width;
	memcpy(out, value, length - k);
	memcpy(out + length - k, end - width, width);
	return GID_FAULT_NONE;
}

/* ---- codes ---- */

/* Alphabets that have no name, and one whose list is almost a name. */
static const PlainCharset unnamed[] = {
	{"chars:01", "01"},
	{"chars:ba", "ba"},
	{"chars:aBc", "aBc"},
	{"chars:AbBa-c", "AbBa-c"},
	{"chars:zZ~", "zZ~"},
	{"chars:Numeric", "Numeric"},
	{"chars:" ALL, ALL},
};

#define NCHARSETS	((int) (lengthof(plain_charsets) + lengthof(unnamed)))

static const PlainCharset *
charset_of(int i)
{
	return i < (int) lengthof(plain_charsets) ? &plain_charsets[i] :
		&unnamed[i - lengthof(plain_charsets)];
}

static GidFaultKind
code_add(const char *charset, bool ignore_case, const char *value,
		 int64 count, char *out, int *at)
{
	/* of its exact length, so that the sanitizer sees a step beyond it */
	int			charset_length = (int) strlen(charset);
	int			length = (int) strlen(value);
	char	   *copy = malloc(charset_length + 1);
	char	   *code = malloc(length + GID_LEXICAL_MAX_GROWTH);
	GidAlphabet alphabet;
	GidFault	fault;
	bool		done;

	memcpy(copy, charset, charset_length);
	memcpy(code, value, length);
	done = gid_alphabet_open(&alphabet, copy, charset_length, &fault) &&
		(!ignore_case || gid_alphabet_ignore_case(&alphabet, &fault)) &&
		gid_lexical_advance(&alphabet, code, &length, count, &fault);
	memcpy(out, code, length);
	out[done ? length : 0] = '\0';
	free(copy);
	free(code);
	*at = fault.at;
	return done ? GID_FAULT_NONE : fault.kind;
}

/* A code of 0 to 8 characters; with "foreign" also blanks and others. */
static void
random_code(char *code, const char *chars, bool ignore_case, bool foreign)
{
	int			length = (int) tap_random_to(8);

	for (int i = 0; i < length; i++)
	{
		code[i] = chars[tap_random_to(strlen(chars) - 1)];
		if (ignore_case && isalpha((unsigned char) code[i]) && tap_random() % 2)
			code[i] ^= 0x20;
		if (foreign && tap_random() % 4 == 0)
			code[i] = " \xc3 _Zx7"[tap_random() % 7];
	}
	code[length] = '\0';
}

static int64
random_count(void)
{
	switch (tap_random() % 4)
	{
		case 0:
			return (int64) tap_random_to(2 * MAX_STEPS) - MAX_STEPS;
		case 1:
			return (int64) tap_random() >> tap_random() % 64;
		case 2:
			return tap_random() % 2 ? PG_INT64_MIN : PG_INT64_MAX;
		default:
			return (int64) tap_random_to(4) - 2;
	}
}

static void
test_add(void)
{
	tap_begin("every charset and count agrees with a second implementation");
	for (int i = 0; i < 8000; i++)
	{
		const PlainCharset *charset = charset_of(i % NCHARSETS);
		bool		ignore_case = tap_random() % 2;
		int64		count = random_count();
		char		alphabet[GID_ALPHABET_MAX + 1];
		char		value[ROOM];
		char		got[ROOM];
		char		want[ROOM];
		int			length;
		int			want_length = 0;
		int			got_at = -1;
		int			want_at = -1;
		GidFaultKind error;

		random_code(value, charset->chars, ignore_case, i % 3 == 0);
		length = (int) strlen(value);
		error = plain_alphabet(alphabet, charset->chars, ignore_case, value);
		if (error == GID_FAULT_NONE)
			error = plain_add(alphabet, ignore_case, value, length, count,
							  want, &want_length, &want_at);
		want[error == GID_FAULT_NONE ? want_length : 0] = '\0';
		tap_check(code_add(charset->name, ignore_case, value, count, got,
						   &got_at) == error && strcmp(got, want) == 0 &&
				  (error != GID_FAULT_FOREIGN || got_at == want_at),
				  "%s%s: \"%s\" + " INT64_FORMAT " is \"%s\", not \"%s\" (%d)",
				  charset->name, ignore_case ? ", ignoring case" : "", value,
				  count, got, want, error);
	}
	tap_end();
}

static void
test_largest(void)
{
	char		want[ROOM];
	char		got[ROOM];
	int			at;

	tap_begin("the largest counts");
	tap_check(code_add("chars:01", false, "", PG_INT64_MAX, got, &at) ==
			  GID_FAULT_NONE && strlen(got) == 63 && strspn(got, "0") == 63,
			  "%s", got);
	tap_check(code_add("chars:01", false, got, -PG_INT64_MAX, want, &at) ==
			  GID_FAULT_BELOW_FIRST, "%s", want);
	tap_check(code_add("chars:01", false, got, PG_INT64_MIN, want, &at) ==
			  GID_FAULT_BELOW_FIRST, "%s", want);
	tap_check(code_add("chars:01", false, got, 1 - PG_INT64_MAX, want, &at) ==
			  GID_FAULT_NONE && strcmp(want, "0") == 0, "%s", want);
	tap_end();
}

static void
test_charsets(void)
{
	/* a charset without a name is never a list */
	static const char *const unknown[] = {
		"", "01", "hexadecimal", "Hex", "base32", "chars", "Chars:01", " chars:01",
	};
	char		got[ROOM];
	char		two[] = "chars:00";
	int			at;

	tap_begin("what is no charset");
	for (int i = 0; i < (int) lengthof(unknown); i++)
		tap_check(code_add(unknown[i], false, "", 0, got, &at) == GID_FAULT_UNKNOWN,
				  "\"%s\"", unknown[i]);
	tap_check(code_add("chars:", false, "", 0, got, &at) == GID_FAULT_TOO_FEW, "empty");
	tap_check(code_add("chars:x", false, "", 0, got, &at) == GID_FAULT_TOO_FEW, "x");
	tap_check(code_add("chars:abca", false, "", 0, got, &at) ==
			  GID_FAULT_REPEATED && at == 3, "abca");
	tap_check(code_add("chars:" ALL "!", false, "", 0, got, &at) == GID_FAULT_REPEATED &&
			  at == GID_ALPHABET_MAX, "all, and one again at %d", at);
	tap_check(code_add("chars:Xx", false, "", 0, got, &at) == GID_FAULT_NONE, "Xx");
	tap_check(code_add("chars:Xx", true, "", 0, got, &at) ==
			  GID_FAULT_ONE_LETTER, "Xx, ignoring case");
	for (int c = 1; c < 256; c++)
	{
		bool		good = c > ' ' && c < 127 && c != '0';

		two[7] = (char) c;
		tap_check(code_add(two, false, "", 1, got, &at) ==
				  (good ? GID_FAULT_NONE : c == '0' ? GID_FAULT_REPEATED :
				   GID_FAULT_UNPRINTABLE) && (good || at == 1), "%d", c);
	}
	tap_end();
}

/* ---- codes that people type ---- */

/* A typed code as gid writes it, character by character; its length, or -1. */
static int
plain_typed(const char *chars, bool crockford, const char *typed, int length, char *out)
{
	bool		both = strpbrk(chars, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL &&
	strpbrk(chars, "abcdefghijklmnopqrstuvwxyz") != NULL;
	int			n = 0;

	for (int i = 0; i < length; i++)
	{
		char		c = typed[i];
		char		other = plain_other(c);

		if (crockford && strchr("IiLlOo", c) != NULL && c != '\0')
			c = strchr("Oo", c) != NULL ? '0' : '1';
		if (c != '\0' && strchr(chars, c) == NULL && !both && other != '\0' &&
			strchr(chars, other) != NULL)
			c = other;
		if (c != '\0' && strchr(chars, c) != NULL)
			out[n++] = c;
		else if (c == '\0' || strchr(" \t\n\v\f\r-", c) == NULL)
			return -1;
	}
	return n;
}

static void
test_normalize(void)
{
	long		outcomes[3] = {0};	/* no code, nothing left, a code */

	tap_begin("what people type agrees with a second implementation, and stays as it is written");
	for (int i = 0; i < 20000; i++)
	{
		const PlainCharset *charset = charset_of(i % NCHARSETS);
		bool		crockford = strcmp(charset->name, "crockford") == 0;
		int			length = (int) tap_random_to(8);
		char		typed[8];
		char		want[8];
		char		again[8];
		char	   *got = malloc(length);
		GidAlphabet alphabet;
		GidFault	fault;
		int			n;

		for (int j = 0; j < length; j++)
		{
			typed[j] = charset->chars[tap_random_to(strlen(charset->chars) - 1)];
			if (tap_random() % 8 == 0)
				typed[j] = " -\tiLoO\0\xc3_"[tap_random() % 10];
			if (isalpha((unsigned char) typed[j]) && tap_random() % 4 == 0)
				typed[j] ^= 0x20;
		}
		gid_alphabet_open(&alphabet, charset->name, (int) strlen(charset->name), &fault);
		gid_alphabet_read_typed(&alphabet);
		gid_alphabet_read_either_case(&alphabet);
		n = gid_code_print_typed(&alphabet, typed, length, got);
		tap_check(n == plain_typed(charset->chars, crockford, typed, length, want) &&
				  (n < 0 || memcmp(got, want, n) == 0),
				  "%s: \"%.*s\" is \"%.*s\"", charset->name, length, typed, Max(n, 0), got);
		tap_check(n < 0 || (gid_code_print_typed(&alphabet, got, n, again) == n &&
							memcmp(again, got, n) == 0), "%s: \"%.*s\" again", charset->name, n, got);
		outcomes[n < 0 ? 0 : n == 0 ? 1 : 2]++;
		free(got);
	}
	tap_check(outcomes[0] > 1000 && outcomes[1] > 1000 && outcomes[2] > 1000,
			  "%ld, %ld, %ld", outcomes[0], outcomes[1], outcomes[2]);
	tap_end();
}

/* ---- check characters ---- */

static void
open_charset(GidAlphabet *alphabet, const char *charset, int length)
{
	GidFault	fault;

	if (!gid_alphabet_open(alphabet, charset, length, &fault))
		tap_fail(__LINE__, "\"%.*s\" cannot be opened", length, charset);
}

/* Is the code still valid with another character there, or two exchanged? */
static bool
still_valid(const GidAlphabet *alphabet, const char *code, int at, char other, bool exchanged)
{
	char		changed[4];

	memcpy(changed, code, sizeof(changed));
	if (exchanged)
		changed[at - 1] = code[at];
	changed[at] = exchanged ? code[at - 1] : other;
	return gid_luhn_is_valid(alphabet, changed, sizeof(changed));
}

/* What the manual says of mistakes, in codes of three and their check character. */
static void
test_mistakes(void)
{
	tap_begin("which mistakes are told, for every size of an alphabet");
	for (int size = 2; size <= GID_ALPHABET_MAX; size++)
	{
		GidAlphabet alphabet;

		open_charset(&alphabet, "chars:" ALL, 6 + size);
		for (int i = 0; i < size * size; i++)
		{
			int			a = i / size;
			int			b = i % size;
			char		code[4] = {ALL[0], ALL[a], ALL[b]};
			bool		half = size % 2 == 1 && Min(a, b) >= 1 && abs(a - b) == (size - 1) / 2;
			GidFault	fault;

			gid_luhn_character(&alphabet, code, 3, &code[3], &fault);
			tap_check(still_valid(&alphabet, code, 1, ALL[b], false) == (a == b),
					  "%d for %d where it counts once, of %d", b, a, size);
			tap_check(still_valid(&alphabet, code, 2, ALL[a], false) == (a == b || half),
					  "%d for %d where it is doubled, of %d", a, b, size);
			for (int at = 1; at < 4; at++)
			{
				int			distance = abs(code[at] - code[at - 1]);

				tap_check(still_valid(&alphabet, code, at, 0, true) ==
						  (distance == 0 || distance == size - 1),
						  "%.4s with %d and %d exchanged, of %d", code, at - 1, at, size);
			}
		}
	}
	tap_end();
}

static void
test_typed(void)
{
	static const char typed[] = "0123456789abcdefghjkmnpqrstvwxyzOoIiLl";
	static const char read[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ001111";
	GidAlphabet alphabet;

	tap_begin("what is typed for crockford");
	open_charset(&alphabet, "crockford", 9);
	gid_alphabet_read_typed(&alphabet);
	for (int c = 1; c < 256; c++)
	{
		const char *t = strchr(typed, c);
		const char *r = t != NULL ? &read[t - typed] : strchr(read, c);
		int			place = alphabet.place[c];

		tap_check(r == NULL ? place == (c == ' ' ? GID_PLACE_BLANK : GID_PLACE_NONE) :
				  place >= 0 && alphabet.chars[place] == *r, "%d", c);
	}
	tap_check(alphabet.place[0] == GID_PLACE_NONE, "0");
	tap_end();
}

int
main(void)
{
	test_add();
	test_largest();
	test_charsets();
	test_normalize();
	test_mistakes();
	test_typed();
	return tap_done();
}
