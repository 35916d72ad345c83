/*-------------------------------------------------------------------------
 *
 * text/lexical.c
 *		Arithmetic on codes: texts that count.
 *
 * State: none.  The functions are pure, work in buffers of the caller and
 * return an error code instead of raising an error.  With a server a loop
 * over a long text can be canceled (base/interrupts.h).
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
 * Invariants:
 * 1. The number of the result is the number of the value plus the count.  So
 *	  adding n is adding 1 n times, and adding -n takes adding n back.
 * 2. Only the positions that a carry reaches are read and written, from the
 *	  right.  The characters to the left of them may be anything.  They do not
 *	  change, and neither does their case.
 * 3. Each character that is read is in the alphabet or a blank.  Each
 *	  character that is written is in the alphabet.  So a carry replaces a
 *	  blank, and a subtraction that reaches the left end removes leading
 *	  blanks.
 * 4. A carry is at most the count, because the carry is divided before a rank
 *	  is added.  So no carry overflows, however long the code is.
 *
 * References: bijective numeration (Knuth, TAOCP 2, 4.1, exercise 24);
 * LexicalAdd of Candor, which gives the same results except where it adds
 * wrong.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "base/interrupts.h"
#include "text/lexical.h"

/*
 * Add a carry to a place.  Returns the new place, from 0; *carry becomes the
 * carry into the next position to the left.
 */
static inline int
gid_lexical_carry(int size, int place, int64 *carry)
{
	int64		next;

	/*
	 * most carries fit 32 bits, and a division of 32 bits takes half the time
	 */
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
 * Subtract a negative carry out of the left end from the code, all of which
 * has been written.  The carry is multiplied by N and added to the next rank.
 * So a carry of -1 becomes 0 at rank N, where the rest is the result.  At rank
 * N - 1 the carry stays -1.  At a lower rank it becomes less than -1, and from
 * there it never comes back to 0.
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
	{
		gid_check_interrupts_at(n);
		n++;
	}
	if (n == *length || code[n++] != last || n == *length)
		return GID_LEXICAL_BELOW_FIRST;
	*length -= n;
	memmove(code, code + n, *length);
	return GID_LEXICAL_OK;
}

/*
 * Add a count to a code, in place.  The code has *length bytes in a buffer of
 * "room" bytes; *length becomes the length of the result.  The count may have
 * any sign and size.  A count of 0 changes nothing, not even the empty string.
 * A buffer with GID_LEXICAL_MAX_GROWTH bytes to spare is always large enough.
 *
 * Returns GID_LEXICAL_OK; GID_LEXICAL_FOREIGN, with the offset of the byte in
 * *at, when the addition reaches a character that is not in the alphabet;
 * GID_LEXICAL_BELOW_FIRST; or GID_LEXICAL_TOO_LONG.  After an error the buffer
 * holds a part of the result.
 */
GidLexicalError
gid_lexical_advance(const GidAlphabet *alphabet, char *code, int *length,
					int room, int64 count, int *at)
{
	const char *chars = gid_alphabet_chars(alphabet, code, *length);
	int			size = alphabet->size;
	int64		carry = count;

	for (int i = *length - 1; i >= 0 && carry != 0; i--)
	{
		int			place = gid_alphabet_place(alphabet, code[i]);

		gid_check_interrupts_at(i);
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
