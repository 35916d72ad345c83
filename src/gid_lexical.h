/*-------------------------------------------------------------------------
 *
 * gid_lexical.h
 *		Arithmetic on codes: strings over an alphabet that count.
 *
 * See gid_lexical.c for the rules.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LEXICAL_H
#define GID_LEXICAL_H

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

/*
 * An alphabet in its order.  "chars" points into the charset that it was made
 * from, to a constant, or to "folded"; so an alphabet is not copied, and not
 * used after its charset.
 */
typedef struct GidAlphabet
{
	const char *chars;
	const char *upper;			/* with ignore_case, of a name; else NULL */
	const char *lower;			/* with ignore_case, of a name; else NULL */
	int			size;
	bool		ignore_case;
	char		folded[GID_ALPHABET_MAX];
} GidAlphabet;

extern GidLexicalError gid_lexical_open(GidAlphabet *alphabet,
										const char *charset, int length,
										int *at);
extern GidLexicalError gid_lexical_ignore_case(GidAlphabet *alphabet,
											   const char *value, int length);
extern GidLexicalError gid_lexical_advance(const GidAlphabet *alphabet,
										   char *code, int *length, int room,
										   int64 count, int *at);

#endif							/* GID_LEXICAL_H */
