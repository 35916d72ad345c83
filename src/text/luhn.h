/*-------------------------------------------------------------------------
 *
 * text/luhn.h
 *		Check characters by Luhn's algorithm, modulo the size of an alphabet.
 *
 * text/luhn.c says which mistakes the check finds.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_TEXT_LUHN_H
#define GID_TEXT_LUHN_H

#include "text/alphabet.h"

extern GidLexicalError gid_luhn_character(const GidAlphabet *alphabet,
										  const char *code, int length,
										  char *check, int *at);
extern bool gid_luhn_is_valid(const GidAlphabet *alphabet, const char *code,
							  int length);

#endif							/* GID_TEXT_LUHN_H */
