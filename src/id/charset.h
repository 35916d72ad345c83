/*-------------------------------------------------------------------------
 *
 * id/charset.h
 *		The charset argument of a function, and errors about codes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_CHARSET_H
#define GID_ID_CHARSET_H

#include "fmgr.h"
#include "mb/pg_wchar.h"

#include "base/args.h"
#include "base/compat.h"
#include "sequence/statement.h"
#include "text/lexical.h"
#include "text/radix.h"

/* The bytes of a character as a message shows it, with the '\0'. */
#define GID_SHOWN_CHARACTER_SIZE	(MAX_MULTIBYTE_CHAR_LEN + 1)

/* The longest charset: a list of all characters. */
#define GID_CHARSET_MAX	(sizeof(GID_ALPHABET_PREFIX) - 1 + GID_ALPHABET_MAX)

/* How a function reads a text. */
typedef enum GidReading
{
	GID_READ_EXACT,				/* each character as it is */
	GID_READ_IGNORE_CASE,		/* gid_alphabet_ignore_case() */
	GID_READ_TYPED,				/* gid_alphabet_read_typed() */
	GID_READ_EITHER_CASE		/* that and gid_alphabet_read_either_case() */
} GidReading;

/* An opened charset. */
typedef struct GidCharset
{
	GidAlphabet alphabet;
	GidRadix	radix;			/* only with GID_READ_TYPED */
	GidReading	reading;
	GidSite		site;			/* for id/code.c */
	int			length;			/* of the argument */
	char		given[GID_CHARSET_MAX]; /* the argument */
} GidCharset;

extern const GidCharset *gid_charset_keep(FmgrInfo *flinfo, const char *given,
										  int length, GidReading reading);
extern int	gid_charset_show(const char *bytes, int length, int at,
							 char shown[GID_SHOWN_CHARACTER_SIZE]);

/*
 * Return the opened charset of an argument.  The result is valid until the
 * next call of the same call site.  22023 when the charset is invalid.
 */
static inline const GidCharset *
gid_charset_get(FunctionCallInfo fcinfo, int arg, GidReading reading)
{
	text	   *given = PG_GETARG_TEXT_PP(arg);
	const char *bytes = VARDATA_ANY(given);
	int			length = VARSIZE_ANY_EXHDR(given);
	const GidCharset *kept = fcinfo->flinfo == NULL ? NULL : fcinfo->flinfo->fn_extra;

	if (kept != NULL && kept->length == length && kept->reading == reading &&
		memcmp(kept->given, bytes, length) == 0)
		return kept;
	return gid_charset_keep(fcinfo->flinfo, bytes, length, reading);
}

#endif							/* GID_ID_CHARSET_H */
