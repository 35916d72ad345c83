/*-------------------------------------------------------------------------
 *
 * text/lexical.h
 *		Arithmetic on codes: texts that count.
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
										   char *code, int *length, int room,
										   int64 count, int *at);

#endif							/* GID_TEXT_LEXICAL_H */
