/*-------------------------------------------------------------------------
 *
 * test_check.c
 *		Check characters: published ones, those of test/plain/code.h, and all the
 *		mistakes that they must detect.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/lexical.h"
#include "tap.h"
#include "../plain/code.h"

#define MAX_CODE	24

static const char all[] =
"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

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
			char		number[MAX_CODE];

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
test_second(void)
{
	tap_begin("every alphabet agrees with a second implementation");
	for (int i = 0; i < 20000; i++)
	{
		int			size = 2 + i % 93;
		int			first = (int) (tap_random() % (94 - size + 1));
		int			length = (int) tap_random_to(MAX_CODE - 1);
		int			places[MAX_CODE];
		char	   *code = malloc(length + 1);
		char		check = '\0';
		int			at = -1;
		int			want;
		GidAlphabet alphabet;

		open_charset(&alphabet, all + first, size);
		for (int j = 0; j < length; j++)
		{
			places[j] = (int) tap_random_to(size - 1);
			code[j] = all[first + places[j]];
		}
		want = plain_check(size, places, length);
		tap_check(gid_luhn_character(&alphabet, code, length, &check, &at) ==
				  GID_LEXICAL_OK && check == all[first + want], "%.*s in %.*s: %c",
				  length, code, size, all + first, check);
		code[length] = check;
		tap_check(gid_luhn_is_valid(&alphabet, code, length + 1) == (length > 0),
				  "%.*s in %.*s", length + 1, code, size, all + first);
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

/* Is one place taken for another, where it is doubled or not? */
static bool
mistaken(int size, bool doubled, int a, int b)
{
	int			low = Min(a, b);
	int			high = Max(a, b);

	return a == b ||
		(size % 2 == 1 && doubled && low >= 1 && high - low == (size - 1) / 2);
}

/* All mistakes in codes of two to five characters and their check character. */
static void
test_mistakes(void)
{
	long		substitutions[2] = {0};
	long		transpositions[2] = {0};

	tap_begin("which mistakes are told, of every alphabet's size");
	for (int i = 0; i < 93 * 4; i++)
	{
		int			size = 2 + i / 4;
		int			length = 3 + i % 4;
		char		code[MAX_CODE];
		int			at;
		GidAlphabet alphabet;

		open_charset(&alphabet, all, size);
		for (int j = 0; j < length - 1; j++)
			code[j] = all[tap_random() % size];
		gid_luhn_character(&alphabet, code, length - 1, &code[length - 1], &at);

		for (int j = 0; j < length; j++)
		{
			char		was = code[j];
			bool		doubled = (length - j) % 2 == 0;

			for (int k = 0; k < size; k++)
			{
				bool		same = mistaken(size, doubled, was - all[0], k);

				code[j] = all[k];
				tap_check(gid_luhn_is_valid(&alphabet, code, length) == same,
						  "%.*s, %c for %c at %d, of %d", length, code, all[k], was, j, size);
				substitutions[same]++;
			}
			code[j] = was;
		}
	}
	tap_check(substitutions[true] > 0 && substitutions[false] > 0, "none");
	tap_end();

	tap_begin("which neighbours that changed places are told");
	for (int size = 2; size <= 94; size++)
	{
		GidAlphabet alphabet;

		open_charset(&alphabet, all, size);
		for (int a = 0; a < size; a++)
		{
			for (int b = 0; b < size; b++)
			{
				/* in both positions, and a last one that makes it good */
				for (int j = 0; j < 2; j++)
				{
					char		code[] = {all[0], all[0], all[0], all[0], all[0]};
					bool		same = a == b || abs(a - b) == size - 1;
					int			at;

					code[j] = all[a];
					code[j + 1] = all[b];
					gid_luhn_character(&alphabet, code, 4, &code[4], &at);
					code[j] = all[b];
					code[j + 1] = all[a];
					tap_check(gid_luhn_is_valid(&alphabet, code, 5) == same,
							  "places %d and %d of %d", a, b, size);
					transpositions[same]++;
				}
			}
			/* the last and the check character */
			for (int b = 0; b < size; b++)
			{
				char		code[] = {all[b], all[a], all[0]};
				bool		same;
				int			at;
				int			c;

				gid_luhn_character(&alphabet, code, 2, &code[2], &at);
				c = code[2] - all[0];
				same = a == c || abs(a - c) == size - 1;
				code[1] = all[c];
				code[2] = all[a];
				tap_check(gid_luhn_is_valid(&alphabet, code, 3) == same,
						  "places %d and %d of %d at the end", a, c, size);
			}
		}
	}
	tap_check(transpositions[true] > 0 && transpositions[false] > 0, "none");
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
	test_published();
	test_second();
	test_mistakes();
	test_typed();
	return tap_done();
}
