/*-------------------------------------------------------------------------
 *
 * id/charset.h
 *		The charset argument of a function, and errors about codes.
 *
 * See id/charset.c.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_CHARSET_H
#define GID_ID_CHARSET_H

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "base/compat.h"
#include "text/lexical.h"
#include "text/radix.h"

/* The longest code that can grow, by any count or a check character. */
#define GID_CODE_MAX_BYTES \
	((int) (MaxAllocSize - VARHDRSZ - GID_LEXICAL_MAX_GROWTH))

/* How much of an argument a message shows. */
#define GID_SHOWN_BYTES		100

/* The text of an argument, as "%.*s" takes it: cut short, but at a character. */
#define GID_SHOWN(bytes, length) \
	gid_charset_clip((bytes), (length)), (bytes)

/* A character as a message shows it. */
#define GID_SHOWN_CHARACTER_SIZE	(MAX_MULTIBYTE_CHAR_LEN + 1)

/* How a function reads what is written in an alphabet. */
typedef enum GidReading
{
	GID_READ_EXACT,
	GID_READ_IGNORE_CASE,		/* gid_alphabet_ignore_case() */
	GID_READ_TYPED				/* gid_alphabet_read_typed() */
} GidReading;

/* An opened charset. */
typedef struct GidCharset
{
	GidAlphabet alphabet;
	GidRadix	radix;			/* of its size; with GID_READ_TYPED */
	GidReading	reading;
	int			length;			/* of what it was made from */
	char		given[GID_ALPHABET_MAX];	/* what it was made from */
} GidCharset;

extern const GidCharset *gid_charset_keep(FmgrInfo *flinfo, const char *given,
										  int length, GidReading reading);
extern void gid_charset_too_long(int length);
extern int	gid_charset_clip(const char *bytes, int length);
extern int	gid_charset_show(const char *bytes, int at,
							 char shown[GID_SHOWN_CHARACTER_SIZE]);

/*
 * The charset that an argument names, opened.  22023 when it is none.  It is
 * valid until the next call with the same fcinfo.
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

/* Raise 54000 when a code has so many bytes that it cannot grow. */
static inline void
gid_charset_check_length(int length)
{
	if (length > GID_CODE_MAX_BYTES)
		gid_charset_too_long(length);
}

#endif							/* GID_ID_CHARSET_H */
