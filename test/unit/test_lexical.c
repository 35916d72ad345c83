/*-------------------------------------------------------------------------
 *
 * test_lexical.c
 *		Arithmetic on codes, against test/plain/code.h.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/lexical.h"
#include "tap.h"
#include "../plain/code.h"

#define MAX_CODE	400
#define ROOM		(MAX_CODE + GID_LEXICAL_MAX_GROWTH)
#define MAX_STEPS	5000

/* Alphabets that have no name, and one whose list is almost a name. */
static const PlainCharset unnamed[] = {
	{"chars:01", "01"},
	{"chars:ba", "ba"},
	{"chars:aBc", "aBc"},
	{"chars:AbBa-c", "AbBa-c"},
	{"chars:zZ~", "zZ~"},
	{"chars:Numeric", "Numeric"},
	{"chars:!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
	"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"},
};

#define NCHARSETS	((int) (lengthof(plain_charsets) + lengthof(unnamed)))

static const PlainCharset *
charset_of(int i)
{
	return i < (int) lengthof(plain_charsets) ? &plain_charsets[i] :
		&unnamed[i - lengthof(plain_charsets)];
}

static GidLexicalError
code_add(const char *charset, bool ignore_case, const char *value,
		 int64 count, char *out, int *at)
{
	/* of its exact length, so that the sanitizer sees a step beyond it */
	int			charset_length = (int) strlen(charset);
	int			length = (int) strlen(value);
	char	   *copy = malloc(charset_length + 1);
	char	   *code = malloc(length + GID_LEXICAL_MAX_GROWTH);
	GidAlphabet alphabet;
	GidLexicalError error;

	memcpy(copy, charset, charset_length);
	memcpy(code, value, length);
	error = gid_alphabet_open(&alphabet, copy, charset_length, at);
	if (error == GID_LEXICAL_OK && ignore_case)
		error = gid_alphabet_ignore_case(&alphabet);
	if (error == GID_LEXICAL_OK)
		error = gid_lexical_advance(&alphabet, code, &length, count, at);
	memcpy(out, code, length);
	out[error == GID_LEXICAL_OK ? length : 0] = '\0';
	free(copy);
	free(code);
	return error;
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
test_second(void)
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
		GidLexicalError error;

		random_code(value, charset->chars, ignore_case, i % 3 == 0);
		length = (int) strlen(value);
		error = plain_alphabet(alphabet, charset->name, (int) strlen(charset->name),
							   ignore_case, value, length, &want_at);
		if (error == GID_LEXICAL_OK)
			error = plain_add(alphabet, ignore_case, value, length, count,
							  want, &want_length, &want_at);
		want[error == GID_LEXICAL_OK ? want_length : 0] = '\0';
		tap_check(code_add(charset->name, ignore_case, value, count, got,
						   &got_at) == error && strcmp(got, want) == 0 &&
				  (error != GID_LEXICAL_FOREIGN || got_at == want_at),
				  "%s%s: \"%s\" + " INT64_FORMAT " is \"%s\", not \"%s\" (%d)",
				  charset->name, ignore_case ? ", ignoring case" : "", value,
				  count, got, want, error);
	}
	tap_end();
}

static void
test_length(void)
{
	char		value[ROOM];
	char		want[ROOM];
	char		got[ROOM];
	int			at;

	tap_begin("a carry goes through a code of any length, up and down");
	for (int length = 1; length < MAX_CODE; length += 7)
	{
		memset(value, '9', length);
		value[length] = '\0';
		memset(want, '0', length + 1);
		want[length + 1] = '\0';
		tap_check(code_add("numeric", false, value, 1, got, &at) ==
				  GID_LEXICAL_OK && strcmp(got, want) == 0, "%d", length);
		tap_check(code_add("numeric", false, want, -1, got, &at) ==
				  GID_LEXICAL_OK && strcmp(got, value) == 0, "%d", length);
	}
	tap_end();

	tap_begin("the largest counts");
	tap_check(code_add("chars:01", false, "", PG_INT64_MAX, got, &at) ==
			  GID_LEXICAL_OK && strlen(got) == 63 && strspn(got, "0") == 63,
			  "%s", got);
	tap_check(code_add("chars:01", false, got, -PG_INT64_MAX, want, &at) ==
			  GID_LEXICAL_BELOW_FIRST, "%s", want);
	tap_check(code_add("chars:01", false, got, PG_INT64_MIN, want, &at) ==
			  GID_LEXICAL_BELOW_FIRST, "%s", want);
	tap_check(code_add("chars:01", false, got, 1 - PG_INT64_MAX, want, &at) ==
			  GID_LEXICAL_OK && strcmp(want, "0") == 0, "%s", want);
	tap_end();
}

static void
test_charsets(void)
{
	/* a charset without a name is never a list */
	static const char *const unknown[] = {
		"", "x", "01", "hexadecimal", "Hex", "base64", "base32", "Numeric", "chars", "char:01", "Chars:01", " chars:01",
	};
	char		got[ROOM];
	char		two[] = "chars:00";
	char		many[GID_ALPHABET_MAX + 8];
	int			at;

	tap_begin("what is no charset");
	for (int i = 0; i < (int) lengthof(unknown); i++)
		tap_check(code_add(unknown[i], false, "", 0, got, &at) == GID_LEXICAL_UNKNOWN,
				  "\"%s\"", unknown[i]);
	tap_check(code_add("chars:", false, "", 0, got, &at) == GID_LEXICAL_TOO_FEW, "empty");
	tap_check(code_add("chars:x", false, "", 0, got, &at) == GID_LEXICAL_TOO_FEW, "x");
	tap_check(code_add("chars:abca", false, "", 0, got, &at) ==
			  GID_LEXICAL_REPEATED && at == 3, "abca");
	strcpy(many, unnamed[lengthof(unnamed) - 1].name);
	strcat(many, "!");
	tap_check(code_add(many, false, "", 0, got, &at) == GID_LEXICAL_REPEATED &&
			  at == GID_ALPHABET_MAX, "all, and one again at %d", at);
	tap_check(code_add("chars:Xx", false, "", 0, got, &at) == GID_LEXICAL_OK, "Xx");
	tap_check(code_add("chars:Xx", true, "", 0, got, &at) ==
			  GID_LEXICAL_ONE_LETTER, "Xx, ignoring case");
	for (int c = 1; c < 256; c++)
	{
		bool		good = c > ' ' && c < 127 && c != '0';

		two[7] = (char) c;
		tap_check(code_add(two, false, "", 1, got, &at) ==
				  (good ? GID_LEXICAL_OK : c == '0' ? GID_LEXICAL_REPEATED :
				   GID_LEXICAL_UNPRINTABLE) && (good || at == 1), "%d", c);
	}
	tap_end();
}

int
main(void)
{
	tap_start();
	test_second();
	test_length();
	test_charsets();
	return tap_done();
}
