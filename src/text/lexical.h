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

/* The printable characters of ASCII but the blank are 94. */
#define GID_ALPHABET_MIN		2
#define GID_ALPHABET_MAX		94

/* What begins a charset that lists its characters. */
#define GID_ALPHABET_PREFIX			"chars:"
#define GID_ALPHABET_PREFIX_LENGTH	((int) strlen(GID_ALPHABET_PREFIX))

/*
 * What is wrong with a charset or with a code.  "(at)" marks errors of a
 * single byte; functions return the offset of the byte, from 0, in *at.
 */
typedef enum GidLexicalError
{
	GID_LEXICAL_OK,
	GID_LEXICAL_UNKNOWN,		/* no charset has this name */
	GID_LEXICAL_TOO_FEW,		/* the charset has fewer than two characters */
	GID_LEXICAL_UNPRINTABLE,	/* a blank, or no printable ASCII (at) */
	GID_LEXICAL_REPEATED,		/* the charset has a character twice (at) */
	GID_LEXICAL_ONE_LETTER,		/* ignoring case, it is a single letter */
	GID_LEXICAL_FOREIGN,		/* a character is not in the alphabet (at) */
	GID_LEXICAL_BELOW_FIRST		/* the result would have no character */
} GidLexicalError;

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

extern GidLexicalError gid_alphabet_open(GidAlphabet *alphabet,
										 const char *charset, int length,
										 int *at);
extern GidLexicalError gid_alphabet_ignore_case(GidAlphabet *alphabet);
extern void gid_alphabet_read_typed(GidAlphabet *alphabet);
extern const char *gid_alphabet_chars(const GidAlphabet *alphabet,
									  const char *value, int length);

/* The place of a byte in the alphabet, from 0, or GID_PLACE_.... */
static inline int
gid_alphabet_place(const GidAlphabet *alphabet, char c)
{
	return alphabet->place[(unsigned char) c];
}

/* The most characters by which a count of 64 bits makes a code longer. */
#define GID_LEXICAL_MAX_GROWTH	64

extern GidLexicalError gid_lexical_advance(const GidAlphabet *alphabet,
										   char *code, int *length,
										   int64 count, int *at);
extern GidLexicalError gid_luhn_character(const GidAlphabet *alphabet,
										  const char *code, int length,
										  char *check, int *at);
extern bool gid_luhn_is_valid(const GidAlphabet *alphabet, const char *code,
							  int length);

#endif							/* GID_TEXT_LEXICAL_H */
