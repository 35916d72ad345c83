/*-------------------------------------------------------------------------
 *
 * text/lexical.h
 *		Codes: texts that count, and their check characters.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_LEXICAL_H
#define GID_TEXT_LEXICAL_H

#include "text/alphabet.h"

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
