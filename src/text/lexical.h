/*-------------------------------------------------------------------------
 *
 * text/lexical.h
 *		Codes: their alphabets, how they count, and their check characters.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_LEXICAL_H
#define GID_TEXT_LEXICAL_H

#include "text/fault.h"

/* The printable characters of ASCII but the blank are 94. */
#define GID_ALPHABET_MIN		2
#define GID_ALPHABET_MAX		94

/* What begins a charset that lists its characters. */
#define GID_ALPHABET_PREFIX			"chars:"
#define GID_ALPHABET_PREFIX_LENGTH	((int) strlen(GID_ALPHABET_PREFIX))

/* The places of a blank and of a character that is not in the alphabet. */
#define GID_PLACE_BLANK			(-1)
#define GID_PLACE_NONE			(-2)

/*
 * An opened charset.  The struct refers to nothing outside, so it can be
 * copied and can outlive the charset's text.
 */
typedef struct GidAlphabet
{
	int			size;
	bool		ignore_case;
	bool		crockford;		/* it is the charset of that name */
	bool		both_cases;		/* ignoring case, one letter in both cases */
	char		chars[GID_ALPHABET_MAX];	/* in their order, as written */
	char		lower[GID_ALPHABET_MAX];	/* with both_cases, in lower case */
	int8		place[256];		/* of a byte, from 0; or GID_PLACE_... */
} GidAlphabet;

extern bool gid_alphabet_open(GidAlphabet *alphabet, const char *charset,
							  int length, GidFault *fault);
extern bool gid_alphabet_ignore_case(GidAlphabet *alphabet, GidFault *fault);
extern void gid_alphabet_read_typed(GidAlphabet *alphabet);
extern void gid_alphabet_read_either_case(GidAlphabet *alphabet);
extern const char *gid_alphabet_chars(const GidAlphabet *alphabet,
									  const char *value, int length);

/* The place of a byte in the alphabet, from 0, or GID_PLACE_.... */
static inline int
gid_alphabet_place(const GidAlphabet *alphabet, char c)
{
	return alphabet->place[(unsigned char) c];
}

/* Is it white space of ASCII?  Unlike isspace(), the same in every locale. */
static inline bool
gid_is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The most characters by which a count of 64 bits makes a code longer. */
#define GID_LEXICAL_MAX_GROWTH	64

extern bool gid_lexical_advance(const GidAlphabet *alphabet, char *code,
								int *length, int64 count, GidFault *fault);
extern int	gid_code_print_typed(const GidAlphabet *alphabet, const char *typed,
								 int length, char *code);
extern bool gid_luhn_character(const GidAlphabet *alphabet, const char *code,
							   int length, char *check, GidFault *fault);
extern bool gid_luhn_is_valid(const GidAlphabet *alphabet, const char *code,
							  int length);

#endif							/* GID_TEXT_LEXICAL_H */
