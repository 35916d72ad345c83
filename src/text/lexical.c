/*-------------------------------------------------------------------------
 *
 * text/lexical.c
 *		Codes: their alphabets, how they count, and their check characters.
 *
 * State: none.  The functions are pure, work in buffers of the caller and
 * return what is wrong instead of raising an error.
 *
 * A charset is what a user gives: the name of a list of characters, or
 * "chars:" and the list.  An alphabet is an opened charset: 2 to 94 different
 * characters of printable ASCII without the blank.  In each server encoding a
 * byte below 128 is a whole character, so no longer character is split here.
 *
 * Codes are counted bijectively.  In an alphabet of N characters a character
 * has a rank from 1 to N, and a blank has rank 0.  A code c[k-1] ... c[1] c[0]
 * has the number
 *
 *		rank(c[k-1]) * N^(k-1) + ... + rank(c[1]) * N + rank(c[0])
 *
 * A written character never has rank 0.  So each number from 1 on has exactly
 * one code without a blank: N codes of one character, then N^2 codes of two,
 * and so on (0 .. 9, 00 .. 99, 000 ..).  Number 0 is the empty string.
 *
 * References: bijective numeration (Knuth, TAOCP 2, 4.1, exercise 24);
 * LexicalAdd of Candor, which gives the same results except where it adds
 * wrong; ISO/IEC 7812-1, annex B, which is Luhn's algorithm for N = 10;
 * Crockford, Base 32; base58 is Bitcoin's.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "text/lexical.h"

/* ---- alphabets ---- */

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
 * Make an alphabet of a list of characters.  False as gid_alphabet_open();
 * then the alphabet must not be used.
 */
static bool
gid_alphabet_list(GidAlphabet *alphabet, const char *chars, int length,
				  GidFault *fault)
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

		if (c <= ' ' || c > '~')
			return gid_fault_at(fault, GID_FAULT_UNPRINTABLE, i);
		if (alphabet->place[c] >= 0)
			return gid_fault_at(fault, GID_FAULT_REPEATED, i);
		alphabet->place[c] = (int8) i;
		alphabet->chars[i] = chars[i];
	}
	alphabet->size = length;
	return length >= GID_ALPHABET_MIN || gid_fault(fault, GID_FAULT_TOO_FEW);
}

/*
 * Open a charset of "length" bytes: the exact name of a list of characters, or
 * "chars:" and a list.  The alphabet tells upper from lower case, until
 * gid_alphabet_ignore_case() or gid_alphabet_read_typed() is called.
 *
 * False with GID_FAULT_UNKNOWN, GID_FAULT_TOO_FEW, or GID_FAULT_UNPRINTABLE or
 * GID_FAULT_REPEATED and the offset of the byte in the list.
 */
bool
gid_alphabet_open(GidAlphabet *alphabet, const char *charset, int length,
				  GidFault *fault)
{
	if (length >= GID_ALPHABET_PREFIX_LENGTH &&
		memcmp(charset, GID_ALPHABET_PREFIX, GID_ALPHABET_PREFIX_LENGTH) == 0)
		return gid_alphabet_list(alphabet, charset + GID_ALPHABET_PREFIX_LENGTH,
								 length - GID_ALPHABET_PREFIX_LENGTH, fault);
	for (int i = 0; i < (int) lengthof(gid_alphabet_named); i++)
	{
		const GidNamedCharset *named = &gid_alphabet_named[i];

		if (strlen(named->name) == (size_t) length &&
			memcmp(named->name, charset, length) == 0)
		{
			bool		opened = gid_alphabet_list(alphabet, named->chars,
												   (int) strlen(named->chars), fault);

			alphabet->crockford = strcmp(named->name, "crockford") == 0;
			return opened;
		}
	}
	return gid_fault(fault, GID_FAULT_UNKNOWN);
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
 * False with GID_FAULT_ONE_LETTER if the alphabet was one letter in both
 * cases.
 */
bool
gid_alphabet_ignore_case(GidAlphabet *alphabet, GidFault *fault)
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
	return size >= GID_ALPHABET_MIN || gid_fault(fault, GID_FAULT_ONE_LETTER);
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
 * Make an opened alphabet read each letter in either case, if all its letters
 * have one case.  An alphabet with letters of both cases does not change: in
 * base58, which has L and no l, an l is a mistake and not an L.
 */
void
gid_alphabet_read_either_case(GidAlphabet *alphabet)
{
	bool		has_lower = false;
	bool		has_upper = false;

	for (int i = 0; i < alphabet->size; i++)
	{
		has_lower |= alphabet->chars[i] >= 'a' && alphabet->chars[i] <= 'z';
		has_upper |= alphabet->chars[i] >= 'A' && alphabet->chars[i] <= 'Z';
	}
	if (has_lower && has_upper)
		return;
	for (int i = 0; i < alphabet->size; i++)
	{
		alphabet->place[pg_ascii_tolower(alphabet->chars[i])] = (int8) i;
		alphabet->place[pg_ascii_toupper(alphabet->chars[i])] = (int8) i;
	}
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

/* ---- counting ---- */

/*
 * Add a carry to a place.  Returns the new place, from 0; *carry becomes the
 * carry into the next position to the left.  The carry is divided before the
 * place is added, so it never grows, however long the code is.
 */
static inline int
gid_lexical_carry(int size, int place, int64 *carry)
{
	int64		next;

	/* most carries fit 32 bits, whose division takes half the time */
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

	/* place is from -size to 2 * size - 2 */
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

/*
 * Write the characters that a positive carry out of the left end stands for.
 */
static void
gid_lexical_grow(int size, const char *chars, char *code, int *length,
				 int64 carry)
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
	memmove(code + n, code, *length);
	memcpy(code, head + start, n);
	*length += n;
}

/*
 * Subtract a negative carry out of the left end from the code, all of which
 * has been written.  The carry is multiplied by N and added to the next rank.
 * So a carry of -1 becomes 0 at rank N, where the rest is the result.  At rank
 * N - 1 the carry stays -1.  At a lower rank it becomes less than -1, and from
 * there it never comes back to 0.
 */
static bool
gid_lexical_shrink(int size, const char *chars, char *code, int *length,
				   int64 carry, GidFault *fault)
{
	char		last = chars[size - 1];
	char		last_but_one = chars[size - 2];
	int			n = 0;

	if (carry < -1)
		return gid_fault(fault, GID_FAULT_BELOW_FIRST);
	while (n < *length && code[n] == last_but_one)
		n++;
	if (n == *length || code[n++] != last || n == *length)
		return gid_fault(fault, GID_FAULT_BELOW_FIRST);
	*length -= n;
	memmove(code, code + n, *length);
	return true;
}

/*
 * Add a count to a code, in place.  The code has *length bytes, in a buffer
 * with GID_LEXICAL_MAX_GROWTH more; *length becomes the length of the result.
 * The count may have any sign and size.  A count of 0 changes nothing, not
 * even the empty string.
 *
 * The addition reads and writes only the positions that its carry reaches,
 * from the right.  The characters to the left of them may be anything, and do
 * not change.  A carry replaces a blank, and a subtraction that reaches the
 * left end removes leading blanks.
 *
 * False with GID_FAULT_FOREIGN when the addition reaches a character that is
 * neither in the alphabet nor a blank, or with GID_FAULT_BELOW_FIRST.  Then
 * the buffer holds a part of the result.
 */
bool
gid_lexical_advance(const GidAlphabet *alphabet, char *code, int *length,
					int64 count, GidFault *fault)
{
	const char *chars = gid_alphabet_chars(alphabet, code, *length);
	int			size = alphabet->size;
	int64		carry = count;

	for (int i = *length - 1; i >= 0 && carry != 0; i--)
	{
		/* a blank has place -1, one below the first character's */
		int			place = gid_alphabet_place(alphabet, code[i]);

		if (place == GID_PLACE_NONE)
			return gid_fault_at(fault, GID_FAULT_FOREIGN, i);
		code[i] = chars[gid_lexical_carry(size, place, &carry)];
	}
	if (carry > 0)
		gid_lexical_grow(size, chars, code, length, carry);
	if (carry < 0)
		return gid_lexical_shrink(size, chars, code, length, carry, fault);
	return true;
}

/* ---- codes that people type ---- */

/*
 * Write a typed code of "length" bytes to "code" as gid writes it.  Blanks are
 * left out, and hyphens if the alphabet has none.  The alphabet decides which
 * other characters are read.
 *
 * Returns the length of the code, which is at most "length"; 0 if no character
 * is left; or -1 if a character is not in the alphabet.
 */
int
gid_code_print_typed(const GidAlphabet *alphabet, const char *typed, int length,
					 char *code)
{
	int			n = 0;

	for (int i = 0; i < length; i++)
	{
		int			place = gid_alphabet_place(alphabet, typed[i]);

		if (place >= 0)
			code[n++] = alphabet->chars[place];
		else if (!gid_is_blank(typed[i]) && typed[i] != '-')
			return -1;
	}
	return n;
}

/* ---- check characters ---- */

/*
 * Double a place and add the two digits of the result in base "size".
 *
 * For an even size that is a permutation of the places, so the check finds
 * every wrong character.  For an odd size the result is the same for p and p +
 * (size - 1) / 2, with p from 1 on: where the place is doubled, the check
 * takes each character but the first for one other.
 *
 * The result minus the place differs for all places but the first and the
 * last.  So the check finds two neighbours that changed places, unless they
 * are the first and the last character of the alphabet.
 */
static inline int
gid_luhn_doubled(int size, int place)
{
	return 2 * place < size ? 2 * place : 2 * place - size + 1;
}

/*
 * Calculate the check character of a code of "length" bytes, by Luhn's
 * algorithm modulo the size of the alphabet.  From the right, every second
 * place is doubled, beginning with the last one.  The check character makes
 * the sum of all places a multiple of the size.  That of the empty code is the
 * first character of the alphabet.
 *
 * False with GID_FAULT_FOREIGN when a character is not in the alphabet.
 */
bool
gid_luhn_character(const GidAlphabet *alphabet, const char *code, int length,
				   char *check, GidFault *fault)
{
	int			size = alphabet->size;
	uint64		sum = 0;

	for (int i = 0; i < length; i++)
	{
		int			place = gid_alphabet_place(alphabet, code[i]);

		if (place < 0)
			return gid_fault_at(fault, GID_FAULT_FOREIGN, i);
		sum += (length - i) % 2 != 0 ? gid_luhn_doubled(size, place) : place;
	}
	*check = alphabet->chars[(size - sum % size) % size];
	return true;
}

/* Are these bytes a code of at least one character and its check character? */
bool
gid_luhn_is_valid(const GidAlphabet *alphabet, const char *code, int length)
{
	char		check;
	GidFault	fault;

	return length >= 2 &&
		gid_luhn_character(alphabet, code, length - 1, &check, &fault) &&
		gid_alphabet_place(alphabet, code[length - 1]) == gid_alphabet_place(alphabet, check);
}
