/*-------------------------------------------------------------------------
 *
 * text/luhn.c
 *		Check characters by Luhn's algorithm, modulo the size of an alphabet.
 *
 * State: none.  The functions are pure and return an error code instead of
 * raising an error.  With a server a loop over a long text can be canceled
 * (base/interrupts.h).
 *
 * From the right, every second place is doubled, beginning with the last one,
 * and the two digits of the double in base N are added.  The check character
 * makes the sum of all places a multiple of N.
 *
 * Invariants (doubled(p) is what a doubled place p counts):
 * 1. For an even N, doubled(p) is a permutation of the places.  So the check
 *	  finds every wrong character.
 * 2. For an odd N, doubled(p) is the same for p and p + (N - 1) / 2, with p
 *	  from 1 on.  So the check takes each character but the first for one other
 *	  character where the place is doubled, and finds every other mistake.
 * 3. doubled(p) - p mod N is different for all places but the first and the
 *	  last.  So the check finds two neighbours that changed places, unless they
 *	  are the first and the last character of the alphabet.
 *
 * References: ISO/IEC 7812-1, annex B, which is the algorithm for N = 10.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "base/interrupts.h"
#include "text/luhn.h"

/* Double a place and add the two digits of the result in base "size". */
static inline int
gid_luhn_doubled(int size, int place)
{
	return 2 * place < size ? 2 * place : 2 * place - size + 1;
}

/*
 * Calculate the check character of a code of "length" bytes.  The check
 * character of the empty code is the first one of the alphabet.
 *
 * Returns GID_LEXICAL_OK; or GID_LEXICAL_FOREIGN, with the offset of the byte
 * in *at, when a character is not in the alphabet.
 */
GidLexicalError
gid_luhn_character(const GidAlphabet *alphabet, const char *code, int length,
				   char *check, int *at)
{
	int			size = alphabet->size;
	uint64		sum = 0;

	for (int i = 0; i < length; i++)
	{
		int			place = gid_alphabet_place(alphabet, code[i]);

		gid_check_interrupts_at(i);
		if (place < 0)
		{
			*at = i;
			return GID_LEXICAL_FOREIGN;
		}
		sum += (length - i) % 2 != 0 ? gid_luhn_doubled(size, place) : place;
	}
	*check = alphabet->chars[(size - sum % size) % size];
	return GID_LEXICAL_OK;
}

/* Are these bytes a code of at least one character and its check character? */
bool
gid_luhn_is_valid(const GidAlphabet *alphabet, const char *code, int length)
{
	char		check;
	int			at;

	return length >= 2 &&
		gid_luhn_character(alphabet, code, length - 1, &check, &at) == GID_LEXICAL_OK &&
		gid_alphabet_place(alphabet, code[length - 1]) == gid_alphabet_place(alphabet, check);
}
