/*-------------------------------------------------------------------------
 *
 * test_code.c
 *		Codes: their arithmetic, their charsets and their check characters, against
 *		test/plain/code.h.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/lexical.h"
#include "tap.h"
#include "../plain/code.h"

#define ALL	"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

#define MAX_CODE	400
#define ROOM		(MAX_CODE + GID_LEXICAL_MAX_GROWTH)
#define MAX_STEPS	5000
#define MAX_CHECKED	24

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
		"", "01", "hexadecimal", "Hex", "base32", "chars", "Chars:01", " chars:01",
	};
	char		got[ROOM];
	char		two[] = "chars:00";
	int			at;

	tap_begin("what is no charset");
	for (int i = 0; i < (int) lengthof(unknown); i++)
		tap_check(code_add(unknown[i], false, "", 0, got, &at) == GID_LEXICAL_UNKNOWN,
				  "\"%s\"", unknown[i]);
	tap_check(code_add("chars:", false, "", 0, got, &at) == GID_LEXICAL_TOO_FEW, "empty");
	tap_check(code_add("chars:x", false, "", 0, got, &at) == GID_LEXICAL_TOO_FEW, "x");
	tap_check(code_add("chars:abca", false, "", 0, got, &at) ==
			  GID_LEXICAL_REPEATED && at == 3, "abca");
	tap_check(code_add("chars:" ALL "!", false, "", 0, got, &at) == GID_LEXICAL_REPEATED &&
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

/* ---- check characters ---- */

/* A charset by its name, or a list of characters. */
static void
open_charset(GidAlphabet *alphabet, const char *charset, int length)
{
	char		list[GID_ALPHABET_MAX + 10];
	int			at;

	snprintf(list, sizeof(list), GID_ALPHABET_PREFIX "%.*s", length, charset);
	if (gid_alphabet_open(alphabet, charset, length, &at) != GID_LEXICAL_OK &&
		gid_alphabet_open(alphabet, list, (int) strlen(list), &at) != GID_LEXICAL_OK)
		tap_fail(__LINE__, "\"%.*s\" cannot be opened", length, charset);
}

static void
test_published(void)
{
	/* Luhn's, a card for tests, an IMEI, and the shortest */
	static const char *const numbers[] = {
		"79927398713", "378282246310005", "490154203237518", "00", "18",
	};
	GidAlphabet alphabet;
	char		check;
	int			at;

	tap_begin("published numbers");
	open_charset(&alphabet, "numeric", 7);
	for (int i = 0; i < (int) lengthof(numbers); i++)
	{
		int			length = (int) strlen(numbers[i]);

		tap_check(gid_luhn_character(&alphabet, numbers[i], length - 1, &check, &at) ==
				  GID_LEXICAL_OK && check == numbers[i][length - 1],
				  "%s: %c", numbers[i], check);
		for (char c = '0'; c <= '9'; c++)
		{
			char		number[MAX_CHECKED];

			strcpy(number, numbers[i]);
			number[length - 1] = c;
			tap_check(gid_luhn_is_valid(&alphabet, number, length) ==
					  (c == numbers[i][length - 1]), "%s", number);
		}
	}
	open_charset(&alphabet, "abcdef", 6);
	tap_check(gid_luhn_character(&alphabet, "abcdef", 6, &check, &at) ==
			  GID_LEXICAL_OK && check == 'e', "abcdef: %c", check);
	tap_end();
}

static void
test_check(void)
{
	tap_begin("every alphabet agrees with a second implementation");
	for (int i = 0; i < 20000; i++)
	{
		int			size = 2 + i % 93;
		int			first = (int) (tap_random() % (94 - size + 1));
		int			length = (int) tap_random_to(MAX_CHECKED - 1);
		int			places[MAX_CHECKED];
		char	   *code = malloc(length + 1);
		char		check = '\0';
		int			at = -1;
		int			want;
		GidAlphabet alphabet;

		open_charset(&alphabet, &ALL[first], size);
		for (int j = 0; j < length; j++)
		{
			places[j] = (int) tap_random_to(size - 1);
			code[j] = ALL[first + places[j]];
		}
		want = plain_check(size, places, length);
		tap_check(gid_luhn_character(&alphabet, code, length, &check, &at) ==
				  GID_LEXICAL_OK && check == ALL[first + want], "%.*s in %.*s: %c",
				  length, code, size, &ALL[first], check);
		code[length] = check;
		tap_check(gid_luhn_is_valid(&alphabet, code, length + 1) == (length > 0),
				  "%.*s in %.*s", length + 1, code, size, &ALL[first]);
		/* the first that is foreign is told */
		if (length > 0)
		{
			int			where = (int) (tap_random() % length);

			code[where] = tap_random() % 2 ? ' ' : (char) (0x80 | tap_random());
			code[length - 1] = ' ';
			tap_check(gid_luhn_character(&alphabet, code, length, &check, &at) ==
					  GID_LEXICAL_FOREIGN && at == where, "at %d, not %d", at, where);
			tap_check(!gid_luhn_is_valid(&alphabet, code, length + 1), "foreign");
		}
		free(code);
	}
	tap_end();
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

		open_charset(&alphabet, ALL, size);
		for (int i = 0; i < size * size; i++)
		{
			int			a = i / size;
			int			b = i % size;
			char		code[4] = {ALL[0], ALL[a], ALL[b]};
			bool		half = size % 2 == 1 && Min(a, b) >= 1 && abs(a - b) == (size - 1) / 2;
			int			at;

			gid_luhn_character(&alphabet, code, 3, &code[3], &at);
			tap_check(still_valid(&alphabet, code, 1, ALL[b], false) == (a == b),
					  "%d for %d where it counts once, of %d", b, a, size);
			tap_check(still_valid(&alphabet, code, 2, ALL[a], false) == (a == b || half),
					  "%d for %d where it is doubled, of %d", a, b, size);
			for (at = 1; at < 4; at++)
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

	tap_begin("any other charset is read as it is");
	open_charset(&alphabet, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 32);
	gid_alphabet_read_typed(&alphabet);
	tap_check(alphabet.place['a'] == GID_PLACE_NONE && alphabet.place['O'] == GID_PLACE_NONE,
			  "read");
	tap_end();
}

int
main(void)
{
	tap_start();
	test_add();
	test_length();
	test_charsets();
	test_published();
	test_check();
	test_mistakes();
	test_typed();
	return tap_done();
}
