/*-------------------------------------------------------------------------
 *
 * gid_lexical.c
 *		Arithmetic on codes: strings over an alphabet that count.
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
 * References: bijective numeration (Knuth, TAOCP 2, 4.1, exercise 24);
 * LexicalAdd of Candor, whose results these are where it adds right.
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

#include "gid_lexical.h"

#define DIGITS	"0123456789"
#define LOWER	"abcdefghijklmnopqrstuvwxyz"
#define UPPER	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define BOTH	"AaBbCcDdEeFfGgHhIiJjKkLlMmNnOoPpQqRrSsTtUuVvWwXxYyZz"

/* The charsets that have a name.  Both variants are there or none is. */
typedef struct GidCharset
{
	const char *name;
	const char *chars;
	const char *upper;			/* the same ignoring case, in upper case */
	const char *lower;			/* and in lower case */
} GidCharset;

static const GidCharset gid_lexical_charsets[] = {
	{"numeric", DIGITS, NULL, NULL},
	{"alpha_lower", LOWER, NULL, NULL},
	{"alpha_upper", UPPER, NULL, NULL},
	{"alpha", BOTH, UPPER, LOWER},
	{"alphanumeric_lower", DIGITS LOWER, NULL, NULL},
	{"alphanumeric_upper", DIGITS UPPER, NULL, NULL},
	{"alphanumeric", DIGITS BOTH, DIGITS UPPER, DIGITS LOWER},
	{"crockford", DIGITS "ABCDEFGHJKMNPQRSTVWXYZ", NULL, NULL},
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

/* Whether all the characters can be an alphabet; if not, where not. */
static GidLexicalError
gid_lexical_check(const char *charset, int length, int *at)
{
	bool		seen[128] = {false};

	/* longer than GID_ALPHABET_MAX, it has something twice or unprintable */
	for (int i = 0; i < length; i++)
	{
		unsigned char c = (unsigned char) charset[i];

		*at = i;
		if (c <= ' ' || c > '~')
			return GID_LEXICAL_UNPRINTABLE;
		if (seen[c])
			return GID_LEXICAL_REPEATED;
		seen[c] = true;
	}
	return length < GID_ALPHABET_MIN ? GID_LEXICAL_TOO_FEW : GID_LEXICAL_OK;
}

/*
 * The alphabet of a charset of "length" bytes, which is the exact name of one
 * or else the characters themselves.  It differs between cases; see
 * gid_lexical_ignore_case().
 *
 * Returns GID_LEXICAL_OK; GID_LEXICAL_TOO_FEW; or, with the byte in *at,
 * GID_LEXICAL_UNPRINTABLE or GID_LEXICAL_REPEATED.
 */
GidLexicalError
gid_lexical_open(GidAlphabet *alphabet, const char *charset, int length,
				 int *at)
{
	alphabet->upper = NULL;
	alphabet->lower = NULL;
	alphabet->ignore_case = false;
	for (int i = 0; i < (int) lengthof(gid_lexical_charsets); i++)
	{
		const GidCharset *named = &gid_lexical_charsets[i];

		if (strlen(named->name) == (size_t) length &&
			memcmp(named->name, charset, length) == 0)
		{
			alphabet->chars = named->chars;
			alphabet->size = (int) strlen(named->chars);
			alphabet->upper = named->upper;
			alphabet->lower = named->lower;
			return GID_LEXICAL_OK;
		}
	}
	alphabet->chars = charset;
	alphabet->size = length;
	return gid_lexical_check(charset, length, at);
}

/* Whether more letters are lower than upper. */
static bool
gid_lexical_mostly_lower(const char *value, int length)
{
	int			balance = 0;

	for (int i = 0; i < length; i++)
		balance += gid_lexical_is_lower(value[i]) - gid_lexical_is_upper(value[i]);
	return balance > 0;
}

/* Where the alphabet has a character, from 0; -1 if it has not. */
static inline int
gid_lexical_find(const GidAlphabet *alphabet, char c)
{
	const char *found = memchr(alphabet->chars, c, alphabet->size);

	return found == NULL ? -1 : (int) (found - alphabet->chars);
}

/*
 * Let an opened alphabet take either case of its letters, and write those that
 * it has in both in the case that most letters of the value have.
 *
 * Returns GID_LEXICAL_OK, or GID_LEXICAL_ONE_LETTER if the alphabet was one
 * letter in both cases.
 */
GidLexicalError
gid_lexical_ignore_case(GidAlphabet *alphabet, const char *value, int length)
{
	bool		both = false;
	bool		lower;
	int			size = 0;

	alphabet->ignore_case = true;
	if (alphabet->upper != NULL)
	{
		alphabet->chars = gid_lexical_mostly_lower(value, length) ?
			alphabet->lower : alphabet->upper;
		alphabet->size = (int) strlen(alphabet->chars);
		return GID_LEXICAL_OK;
	}
	for (int i = 0; i < alphabet->size && !both; i++)
		both = gid_lexical_is_lower(alphabet->chars[i]) &&
			gid_lexical_find(alphabet, gid_lexical_upper(alphabet->chars[i])) >= 0;
	if (!both)
		return GID_LEXICAL_OK;

	lower = gid_lexical_mostly_lower(value, length);
	for (int i = 0; i < alphabet->size; i++)
	{
		char		c = alphabet->chars[i];
		int			other = gid_lexical_find(alphabet, gid_lexical_swap(c));

		if (other >= 0 && other < i)
			continue;
		if (other > i)
			c = lower ? gid_lexical_lower(c) : gid_lexical_upper(c);
		alphabet->folded[size++] = c;
	}
	alphabet->chars = alphabet->folded;
	alphabet->size = size;
	return size < GID_ALPHABET_MIN ? GID_LEXICAL_ONE_LETTER : GID_LEXICAL_OK;
}

/* The rank of a character, 0 for a blank, -1 for one of no alphabet. */
static int
gid_lexical_rank(const GidAlphabet *alphabet, char c)
{
	int			place;

	if (c == ' ')
		return 0;
	place = gid_lexical_find(alphabet, c);
	if (place < 0 && alphabet->ignore_case)
		place = gid_lexical_find(alphabet, gid_lexical_swap(c));
	return place < 0 ? -1 : place + 1;
}

/*
 * The place in the alphabet, from 0, of what a carry makes of a rank; the
 * carry becomes that into the next position.
 */
static int
gid_lexical_carry(int size, int rank, int64 *carry)
{
	int64		next = *carry / size;
	int			place = rank - 1 + (int) (*carry % size);

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
gid_lexical_grow(const GidAlphabet *alphabet, char *code, int *length,
				 int room, int64 carry)
{
	char		head[GID_LEXICAL_MAX_GROWTH];
	int			start = GID_LEXICAL_MAX_GROWTH;
	int			n;

	while (carry > 0)
	{
		head[--start] = alphabet->chars[(carry - 1) % alphabet->size];
		carry = (carry - 1) / alphabet->size;
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
gid_lexical_shrink(const GidAlphabet *alphabet, char *code, int *length,
				   int64 carry)
{
	char		last = alphabet->chars[alphabet->size - 1];
	char		last_but_one = alphabet->chars[alphabet->size - 2];
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
	int64		carry = count;

	for (int i = *length - 1; i >= 0 && carry != 0; i--)
	{
		int			rank = gid_lexical_rank(alphabet, code[i]);

		if (rank < 0)
		{
			*at = i;
			return GID_LEXICAL_FOREIGN;
		}
		code[i] = alphabet->chars[gid_lexical_carry(alphabet->size, rank, &carry)];
	}
	if (carry > 0)
		return gid_lexical_grow(alphabet, code, length, room, carry);
	if (carry < 0)
		return gid_lexical_shrink(alphabet, code, length, carry);
	return GID_LEXICAL_OK;
}
