/*-------------------------------------------------------------------------
 *
 * text/alphabet.c
 *		Alphabets: which characters a text has, and how their case is treated.
 *
 * State: none.  The functions are pure and return an error code instead of
 * raising an error.
 *
 * A charset is what a user gives: the name of a list of characters, or
 * "chars:" and the list itself.  An alphabet is an opened charset.
 *
 * An alphabet has 2 to 94 different characters, each of them printable ASCII
 * and no blank.  In each of PostgreSQL's server encodings a byte below 128 is
 * a whole character.  So no function here splits a longer character or takes a
 * part of it for another character.
 *
 * References: Crockford, Base 32; base58 is Bitcoin's.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "text/alphabet.h"

#define DIGITS	"0123456789"
#define LOWER	"abcdefghijklmnopqrstuvwxyz"
#define UPPER	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define BOTH	"AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"

/* The charsets that have a name. */
typedef struct GidNamedCharset
{
	const char *name;
	const char *chars;
} GidNamedCharset;

static const GidNamedCharset gid_alphabet_named[] = {
	{"numeric", DIGITS},
	{"alpha_lower", LOWER},
	{"alpha_upper", UPPER},
	{"alpha", BOTH},
	{"alphanumeric_lower", DIGITS LOWER},
	{"alphanumeric_upper", DIGITS UPPER},
	{"alphanumeric", DIGITS BOTH},
	{"crockford", DIGITS "ABCDEFGHJKMNPQRSTVWXYZ"},
	{"hex", DIGITS "abcdef"},
	{"base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"},
	{"base62", DIGITS UPPER LOWER},
};

/*
 * Make an alphabet of a list of characters.  After an error, which is that of
 * gid_alphabet_open(), the alphabet must not be used.
 */
static GidLexicalError
gid_alphabet_list(GidAlphabet *alphabet, const char *chars, int length, int *at)
{
	alphabet->ignore_case = false;
	alphabet->crockford = false;
	alphabet->both_cases = false;
	memset(alphabet->place, GID_PLACE_NONE, sizeof(alphabet->place));
	alphabet->place[' '] = GID_PLACE_BLANK;

	/*
	 * More than GID_ALPHABET_MAX characters cannot all be printable and
	 * different, so the loop ends before the arrays do.
	 */
	for (int i = 0; i < length; i++)
	{
		unsigned char c = (unsigned char) chars[i];

		*at = i;
		if (c <= ' ' || c > '~')
			return GID_LEXICAL_UNPRINTABLE;
		if (alphabet->place[c] >= 0)
			return GID_LEXICAL_REPEATED;
		alphabet->place[c] = (int8) i;
		alphabet->chars[i] = chars[i];
	}
	alphabet->size = length;
	return length < GID_ALPHABET_MIN ? GID_LEXICAL_TOO_FEW : GID_LEXICAL_OK;
}

/*
 * Open a charset of "length" bytes: the exact name of a list of characters, or
 * "chars:" and a list.  The alphabet tells upper from lower case, until
 * gid_alphabet_ignore_case() or gid_alphabet_read_typed() is called.
 *
 * Returns GID_LEXICAL_OK, GID_LEXICAL_UNKNOWN, GID_LEXICAL_TOO_FEW, or
 * GID_LEXICAL_UNPRINTABLE or GID_LEXICAL_REPEATED with the offset of the byte
 * in the list in *at.
 */
GidLexicalError
gid_alphabet_open(GidAlphabet *alphabet, const char *charset, int length,
				  int *at)
{
	if (length >= GID_ALPHABET_PREFIX_LENGTH &&
		memcmp(charset, GID_ALPHABET_PREFIX, GID_ALPHABET_PREFIX_LENGTH) == 0)
		return gid_alphabet_list(alphabet, charset + GID_ALPHABET_PREFIX_LENGTH,
								 length - GID_ALPHABET_PREFIX_LENGTH, at);
	for (int i = 0; i < (int) lengthof(gid_alphabet_named); i++)
	{
		const GidNamedCharset *named = &gid_alphabet_named[i];

		if (strlen(named->name) == (size_t) length &&
			memcmp(named->name, charset, length) == 0)
		{
			GidLexicalError error = gid_alphabet_list(alphabet, named->chars,
													  (int) strlen(named->chars), at);

			alphabet->crockford = strcmp(named->name, "crockford") == 0;
			return error;
		}
	}
	return GID_LEXICAL_UNKNOWN;
}

/*
 * Make an opened alphabet ignore case, of the letters of ASCII:
 *
 * - A letter is read in either case.
 * - A letter that the alphabet has in one case is written in that case,
 *	 whatever case the value has.  With "alpha_lower", AAZ + 1 is Aba.
 * - A letter that the alphabet has in both cases becomes one character, at the
 *	 place of the first of the two.  So "alpha" has 26 characters then.
 * - Such a letter is written in the case that most letters of the value have,
 *	 and in upper case if there are as many of both.
 *
 * Returns GID_LEXICAL_OK, or GID_LEXICAL_ONE_LETTER if the alphabet was one
 * letter in both cases.
 */
GidLexicalError
gid_alphabet_ignore_case(GidAlphabet *alphabet)
{
	GidAlphabet old = *alphabet;
	int			size = 0;

	alphabet->ignore_case = true;
	for (int i = 0; i < old.size; i++)
	{
		char		c = old.chars[i];
		unsigned char lower = pg_ascii_tolower(c);
		unsigned char upper = pg_ascii_toupper(c);
		int			twin = gid_alphabet_place(&old, c == (char) lower ? upper : lower);

		/* a character that is no letter is its own twin */
		if (twin >= 0 && twin < i)
			continue;
		alphabet->chars[size] = twin > i ? (char) upper : c;
		alphabet->lower[size] = twin > i ? (char) lower : c;
		alphabet->place[lower] = (int8) size;
		alphabet->place[upper] = (int8) size;
		alphabet->both_cases |= twin > i;
		size++;
	}
	alphabet->size = size;
	return size < GID_ALPHABET_MIN ? GID_LEXICAL_ONE_LETTER : GID_LEXICAL_OK;
}

/*
 * Make an opened alphabet read what people type.  The charset "crockford" then
 * takes lower case, I and L as 1, and O as 0.  Other alphabets do not change.
 */
void
gid_alphabet_read_typed(GidAlphabet *alphabet)
{
	if (!alphabet->crockford)
		return;
	alphabet->place['I'] = alphabet->place['L'] = alphabet->place['1'];
	alphabet->place['O'] = alphabet->place['0'];
	for (int c = 'A'; c <= 'Z'; c++)
		alphabet->place[pg_ascii_tolower(c)] = alphabet->place[c];
}

/*
 * Return the characters to write in a result that is made of a value.  An
 * alphabet that ignores case gives lower case if more of the value's letters
 * are lower than upper.  The result has no '\0' at its end.
 */
const char *
gid_alphabet_chars(const GidAlphabet *alphabet, const char *value, int length)
{
	int			balance = 0;

	if (!alphabet->both_cases)
		return alphabet->chars;
	for (int i = 0; i < length; i++)
	{
		if (value[i] >= 'a' && value[i] <= 'z')
			balance++;
		else if (value[i] >= 'A' && value[i] <= 'Z')
			balance--;
	}
	return balance > 0 ? alphabet->lower : alphabet->chars;
}
