/*-------------------------------------------------------------------------
 *
 * text/lexical.h
 *		Alphabets, arithmetic on codes, check characters.
 *
 * See text/lexical.c for the rules.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_LEXICAL_H
#define GID_TEXT_LEXICAL_H

/* An alphabet has from 2 to all of the printable ASCII but the blank. */
#define GID_ALPHABET_MIN		2
#define GID_ALPHABET_MAX		94

/* By how many characters a count of 64 bits makes a code longer at most. */
#define GID_LEXICAL_MAX_GROWTH	64

/* What can be wrong; "at" is where, counted in bytes from 0. */
typedef enum GidLexicalError
{
	GID_LEXICAL_OK,
	GID_LEXICAL_TOO_FEW,		/* the charset has less than two characters */
	GID_LEXICAL_UNPRINTABLE,	/* it has a blank or no printable ASCII (at) */
	GID_LEXICAL_REPEATED,		/* it has a character twice (at) */
	GID_LEXICAL_ONE_LETTER,		/* ignoring case, it is a single letter */
	GID_LEXICAL_FOREIGN,		/* not in the alphabet: a character (at) */
	GID_LEXICAL_BELOW_FIRST,	/* the result would have no character */
	GID_LEXICAL_TOO_LONG		/* the result does not fit into the buffer */
} GidLexicalError;

/* Where a character stands in no alphabet. */
#define GID_PLACE_BLANK			(-1)
#define GID_PLACE_NONE			(-2)

/*
 * An alphabet, and how it is read and written.  It holds what it needs, so it
 * may be copied, and kept longer than its charset.
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

extern GidLexicalError gid_lexical_open(GidAlphabet *alphabet,
										const char *charset, int length,
										int *at);
extern GidLexicalError gid_lexical_ignore_case(GidAlphabet *alphabet);
extern void gid_lexical_read_typed(GidAlphabet *alphabet);
extern const char *gid_lexical_chars(const GidAlphabet *alphabet,
									 const char *value, int length);
extern GidLexicalError gid_lexical_advance(const GidAlphabet *alphabet,
										   char *code, int *length, int room,
										   int64 count, int *at);
extern GidLexicalError gid_lexical_check(const GidAlphabet *alphabet,
										 const char *code, int length,
										 char *check, int *at);
extern bool gid_lexical_is_valid(const GidAlphabet *alphabet,
								 const char *code, int length);

#endif							/* GID_TEXT_LEXICAL_H */
