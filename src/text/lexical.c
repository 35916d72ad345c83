/*-------------------------------------------------------------------------
 *
 * text/lexical.c
 *		Alphabets, arithmetic on codes, check characters.
 *
 * State: none.  The functions are pure, work in buffers of the caller and
 * return what is wrong instead of raising it; the file compiles with and
 * without a server (FRONTEND), and test/unit runs it without one.
 *
 * Codes are counted bijectively.  A character of an alphabet of N has a rank
 * from 1 to N, a blank has rank 0, and a code c[k-1] ... c[1] c[0] has the
 * number
 *
 *		rank(c[k-1]) * N^(k-1) + ... + rank(c[1]) * N + rank(c[0])
 *
 * No rank that is written is 0, so each number from 1 on has exactly one code
 * without a blank: N codes of one character, then N^2 of two, and so on
 * (0 .. 9, 00 .. 99, 000 ..).  Number 0 is the empty string.
 *
 * Invariants:
 * 1. The number of the result is that of the value plus the count.  Hence
 *	  adding n is adding 1 n times, and adding -n takes adding n back.
 * 2. Only the positions that a carry reaches are read and written, from the
 *	  right.  What is to the left of them may be anything and stays as it is.
 *	  Of those that are read each is in the alphabet or a blank; each is
 *	  written as a character of the alphabet, so a carry uses up a blank, and
 *	  leading blanks go when a subtraction reaches the left end.
 * 3. Carries are at most the count: divided before a rank is added to them,
 *	  they cannot overflow, however long the code is.
 * 4. Bytes above 127 are in no alphabet.  In PostgreSQL's server encodings a
 *	  byte below 128 is a character by itself, so no longer character is split
 *	  or taken for another.
 *
 * Upper and lower case, ASCII's alone:
 * - Unless case is ignored a letter of one case is another character than
 *	 that of the other.  A value's letter must be in the alphabet as it is.
 * - When it is ignored, a letter is read in either case, if the alphabet has
 *	 it at all.
 * - A letter that the alphabet has in one case is written as it is there,
 *	 whatever case the value has.  So with "alpha_lower" AAZ + 1 is Aba, and
 *	 an alphabet without letters, or with each letter once (aBc), is the same
 *	 as before.
 * - A letter that it has in both is one character, at the place of the first,
 *	 written in the case of most letters in all of the value, and in upper
 *	 case on a tie or when it has none.  So "alpha" is then of 26 characters,
 *	 and the order does not depend on the case.  An alphabet of which one
 *	 character is left (aA) is none.
 * - Positions that no carry reaches keep their case.
 *
 * A check character is that of Luhn's algorithm mod N: from the right, every
 * second character from the last one on counts twice, the digits of that added
 * in base N, and the check character makes the sum a multiple of N.  What it
 * tells apart depends on doubled(p), below:
 * - It is a permutation of the places for an even N.  For an odd N places p
 *	 and p + (N - 1) / 2, p from 1 on, become the same, and 0 alone stays
 *	 apart.  So every other character at a place is noticed where N is even or
 *	 the place is not doubled; where it is doubled and N is odd, each but the
 *	 first is taken for one other.
 * - doubled(p) - p mod N differs for all places but the first and the last.
 *	 So two neighbours that changed places are noticed unless they are these
 *	 two.
 *
 * References: bijective numeration (Knuth, TAOCP 2, 4.1, exercise 24);
 * LexicalAdd of Candor, whose results these are where it adds right; ISO/IEC
 * 7812-1, annex B, for Luhn's algorithm with N = 10; Crockford, Base 32.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifdef FRONTEND
#include "postgres_fe.h"
#else
#include "postgres.h"
#endif

#include "text/lexical.h"

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

static const GidNamedCharset gid_lexical_charsets[] = {
	{"numeric", DIGITS},
	{"alpha_lower", LOWER},
	{"alpha_upper", UPPER},
	{"alpha", BOTH},
	{"alphanumeric_lower", DIGITS LOWER},
	{"alphanumeric_upper", DIGITS UPPER},
	{"alphanumeric", DIGITS BOTH},
	{"crockford", DIGITS "ABCDEFGHJKMNPQRSTVWXYZ"},
};

static inline bool
gid_lexical_is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static inline bool
gid_lexical_is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static inline char
gid_lexical_upper(char c)
{
	return gid_lexical_is_lower(c) ? c - 'a' + 'A' : c;
}

static inline char
gid_lexical_lower(char c)
{
	return gid_lexical_is_upper(c) ? c - 'A' + 'a' : c;
}

/* A letter in the other case, anything else as it is. */
static inline char
gid_lexical_swap(char c)
{
	return gid_lexical_is_lower(c) ? gid_lexical_upper(c) : gid_lexical_lower(c);
}

/*
 * Take the characters as an alphabet, each at its place; if they cannot be
 * one, where not.
 */
static GidLexicalError
gid_lexical_take(GidAlphabet *alphabet, const char *chars, int length, int *at)
{
	/* longer than GID_ALPHABET_MAX, it has something twice or unprintable */
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
 * The alphabet of a charset of "length" bytes, which is the exact name of one
 * or else the characters themselves.  It differs between cases; see
 * gid_lexical_ignore_case() and gid_lexical_read_typed().
 *
 * Returns GID_LEXICAL_OK; GID_LEXICAL_TOO_FEW; or, with the byte in *at,
 * GID_LEXICAL_UNPRINTABLE or GID_LEXICAL_REPEATED.  After an error the
 * alphabet is not to be used.
 */
GidLexicalError
gid_lexical_open(GidAlphabet *alphabet, const char *charset, int length,
				 int *at)
{
	alphabet->ignore_case = false;
	alphabet->crockford = false;
	alphabet->both_cases = false;
	memset(alphabet->place, GID_PLACE_NONE, sizeof(alphabet->place));
	alphabet->place[' '] = GID_PLACE_BLANK;
	for (int i = 0; i < (int) lengthof(gid_lexical_charsets); i++)
	{
		const GidNamedCharset *named = &gid_lexical_charsets[i];

		if (strlen(named->name) == (size_t) length &&
			memcmp(named->name, charset, length) == 0)
		{
			alphabet->crockford = strcmp(named->name, "crockford") == 0;
			return gid_lexical_take(alphabet, named->chars,
									(int) strlen(named->chars), at);
		}
	}
	return gid_lexical_take(alphabet, charset, length, at);
}

/* Where the alphabet has a byte, from 0, or GID_PLACE_.... */
static inline int
gid_lexical_place(const GidAlphabet *alphabet, char c)
{
	return alphabet->place[(unsigned char) c];
}

/*
 * Let an opened alphabet take either case of its letters, and write those that
 * it has in both in the case that most letters of the value have.
 *
 * Returns GID_LEXICAL_OK, or GID_LEXICAL_ONE_LETTER if the alphabet was one
 * letter in both cases.
 */
GidLexicalError
gid_lexical_ignore_case(GidAlphabet *alphabet)
{
	GidAlphabet old = *alphabet;
	int			size = 0;

	alphabet->ignore_case = true;
	for (int i = 0; i < old.size; i++)
	{
		char		c = old.chars[i];
		char		other = gid_lexical_swap(c);
		int			twin = gid_lexical_place(&old, other);

		/* what is no letter is its own twin */
		if (twin >= 0 && twin < i)
			continue;
		alphabet->chars[size] = twin > i ? gid_lexical_upper(c) : c;
		alphabet->lower[size] = twin > i ? gid_lexical_lower(c) : c;
		alphabet->place[(unsigned char) c] = (int8) size;
		alphabet->place[(unsigned char) other] = (int8) size;
		alphabet->both_cases |= twin > i;
		size++;
	}
	alphabet->size = size;
	return size < GID_ALPHABET_MIN ? GID_LEXICAL_ONE_LETTER : GID_LEXICAL_OK;
}

/*
 * Let an opened alphabet read what people type: that of the name "crockford"
 * takes lower case, I and L as 1, and O as 0.  Any other is left as it is.
 */
void
gid_lexical_read_typed(GidAlphabet *alphabet)
{
	if (!alphabet->crockford)
		return;
	alphabet->place['I'] = alphabet->place['L'] = alphabet->place['1'];
	alphabet->place['O'] = alphabet->place['0'];
	for (int c = 'A'; c <= 'Z'; c++)
		alphabet->place[c - 'A' + 'a'] = alphabet->place[c];
}

/*
 * The characters of an alphabet, without a '\0' at their end, as they are
 * written in what is made of a value: lower case only if more of the value's
 * letters are lower than upper.
 */
const char *
gid_lexical_chars(const GidAlphabet *alphabet, const char *value, int length)
{
	int			balance = 0;

	if (!alphabet->both_cases)
		return alphabet->chars;
	for (int i = 0; i < length; i++)
	{
		/* a letter of ASCII and its lower case differ in this bit alone */
		char		lower = value[i] | 0x20;

		if (gid_lexical_is_lower(lower))
			balance += value[i] == lower ? 1 : -1;
	}
	return balance > 0 ? alphabet->lower : alphabet->chars;
}

/*
 * The place in the alphabet, from 0, of what a carry makes of a place; the
 * carry becomes that into the next position.
 */
static inline int
gid_lexical_carry(int size, int place, int64 *carry)
{
	int64		next;

	/* most carries are short, and a short division takes half the time */
	if ((uint64) *carry <= PG_UINT32_MAX)
	{
		next = (uint32) *carry / (uint32) size;
		place += (int) ((uint32) *carry % (uint32) size);
	}
	else
	{
		next = *carry / size;
		place += (int) (*carry % size);
	}

	/* from -size to 2 * size - 2 */
	if (place < 0)
	{
		place += size;
		next--;
	}
	else if (place >= size)
	{
		place -= size;
		next++;
	}
	*carry = next;
	return place;
}

/* Put what a carry out of the left end stands for before the code. */
static GidLexicalError
gid_lexical_grow(int size, const char *chars, char *code, int *length,
				 int room, int64 carry)
{
	char		head[GID_LEXICAL_MAX_GROWTH];
	int			start = GID_LEXICAL_MAX_GROWTH;
	int			n;

	while (carry > 0)
	{
		head[--start] = chars[(carry - 1) % size];
		carry = (carry - 1) / size;
	}
	n = GID_LEXICAL_MAX_GROWTH - start;
	if (n > room - *length)
		return GID_LEXICAL_TOO_LONG;
	memmove(code + n, code, *length);
	memcpy(code, head + start, n);
	*length += n;
	return GID_LEXICAL_OK;
}

/*
 * Take a negative carry out of the left end off the code, all of which has
 * been written.  Multiplied by N and added to the next rank, -1 becomes 0 at
 * rank N, where the result is what follows; it stays -1 at rank N - 1; and it
 * never comes back from what is below.
 */
static GidLexicalError
gid_lexical_shrink(int size, const char *chars, char *code, int *length,
				   int64 carry)
{
	char		last = chars[size - 1];
	char		last_but_one = chars[size - 2];
	int			n = 0;

	if (carry < -1)
		return GID_LEXICAL_BELOW_FIRST;
	while (n < *length && code[n] == last_but_one)
		n++;
	if (n == *length || code[n++] != last || n == *length)
		return GID_LEXICAL_BELOW_FIRST;
	*length -= n;
	memmove(code, code + n, *length);
	return GID_LEXICAL_OK;
}

/*
 * Add a count of any size and sign to the code of *length bytes in a buffer of
 * "room" bytes, in place.  A count of 0 leaves anything as it is, the empty
 * string too.  With GID_LEXICAL_MAX_GROWTH bytes to spare there is always
 * room.
 *
 * Returns GID_LEXICAL_OK; GID_LEXICAL_FOREIGN, with the byte in *at, when the
 * addition reaches a character that is not in the alphabet;
 * GID_LEXICAL_BELOW_FIRST; GID_LEXICAL_TOO_LONG.  After an error the buffer
 * holds part of the work.
 */
GidLexicalError
gid_lexical_advance(const GidAlphabet *alphabet, char *code, int *length,
					int room, int64 count, int *at)
{
	const char *chars = gid_lexical_chars(alphabet, code, *length);
	int			size = alphabet->size;
	int64		carry = count;

	for (int i = *length - 1; i >= 0 && carry != 0; i--)
	{
		int			place = gid_lexical_place(alphabet, code[i]);

		if (place == GID_PLACE_NONE)
		{
			*at = i;
			return GID_LEXICAL_FOREIGN;
		}
		code[i] = chars[gid_lexical_carry(size, place, &carry)];
	}
	if (carry > 0)
		return gid_lexical_grow(size, chars, code, length, room, carry);
	if (carry < 0)
		return gid_lexical_shrink(size, chars, code, length, carry);
	return GID_LEXICAL_OK;
}

/* Twice a place, its two digits in base "size" added. */
static inline int
gid_lexical_doubled(int size, int place)
{
	return 2 * place < size ? 2 * place : 2 * place - size + 1;
}

/*
 * The check character of a code of "length" bytes.  The empty code has the
 * first character.
 *
 * Returns GID_LEXICAL_OK, or GID_LEXICAL_FOREIGN, with the byte in *at, when a
 * character is not in the alphabet.
 */
GidLexicalError
gid_lexical_check(const GidAlphabet *alphabet, const char *code, int length,
				  char *check, int *at)
{
	int			size = alphabet->size;
	uint64		sum = 0;

	for (int i = 0; i < length; i++)
	{
		int			place = gid_lexical_place(alphabet, code[i]);

		if (place < 0)
		{
			*at = i;
			return GID_LEXICAL_FOREIGN;
		}
		sum += (length - i) % 2 != 0 ? gid_lexical_doubled(size, place) : place;
	}
	*check = alphabet->chars[(size - sum % size) % size];
	return GID_LEXICAL_OK;
}

/* Is it a code of at least one character and its check character? */
bool
gid_lexical_is_valid(const GidAlphabet *alphabet, const char *code, int length)
{
	char		check;
	int			at;

	return length >= 2 &&
		gid_lexical_check(alphabet, code, length - 1, &check, &at) == GID_LEXICAL_OK &&
		gid_lexical_place(alphabet, code[length - 1]) == gid_lexical_place(alphabet, check);
}
