/*-------------------------------------------------------------------------
 *
 * id/charset.c
 *		The charset argument of a function, and errors about codes.
 *
 * State: one opened charset for each place in a query where a function is
 * called, in fn_extra of its FmgrInfo.  To open one takes longer than most
 * calls.
 *
 * Invariants:
 * 1. An opened charset is used only for the bytes, and the way of reading,
 *	  that it was made from: a call compares them, because a place may be
 *	  called with another argument each time.
 * 2. What is kept is whole: it is opened elsewhere, which may raise, and then
 *	  copied.
 *
 * Crash, restart, clock step and standby do not matter.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "id/charset.h"

static const char gid_charset_hint[] =
"Use numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, or 2 to 94 distinct printable ASCII characters without blank.";

/* Raise 22023: the charset is none. */
static void
gid_charset_raise(GidLexicalError error, const char *charset, int length, int at)
{
	int			number = 0;

	/* what comes before "at" is printable ASCII */
	if (error == GID_LEXICAL_UNPRINTABLE || error == GID_LEXICAL_REPEATED)
		number = at + 1;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid charset \"%.*s\"", GID_SHOWN(charset, length)),
			 error == GID_LEXICAL_UNPRINTABLE ?
			 errdetail("Character %d is a blank or not printable ASCII.", number) :
			 error == GID_LEXICAL_REPEATED ?
			 errdetail("It is not the name of a charset, and as a list of characters it has \"%c\" twice.", charset[at]) :
			 error == GID_LEXICAL_ONE_LETTER ?
			 errdetail("Ignoring case, it has only one character.") :
			 errdetail("It has fewer than two characters."),
			 errhint("%s", gid_charset_hint)));
}

/* Open it anew; 22023 for what is no charset. */
static void
gid_charset_open(GidCharset *charset, const char *given, int length,
				 GidReading reading)
{
	int			at = 0;
	GidLexicalError error;

	error = gid_alphabet_open(&charset->alphabet, given, length, &at);
	if (error == GID_LEXICAL_OK && reading == GID_READ_IGNORE_CASE)
		error = gid_alphabet_ignore_case(&charset->alphabet);
	if (error != GID_LEXICAL_OK)
		gid_charset_raise(error, given, length, at);
	if (reading == GID_READ_TYPED)
	{
		gid_alphabet_read_typed(&charset->alphabet);
		gid_radix_open(&charset->radix, charset->alphabet.size);
	}

	/* the names are shorter than the longest alphabet */
	Assert(length <= GID_ALPHABET_MAX);
	memcpy(charset->given, given, length);
	charset->reading = reading;
	charset->length = length;
}

/*
 * Open a charset and keep it for the next call.  22023 when it is none.  For
 * gid_charset_get().
 */
const GidCharset *
gid_charset_keep(FmgrInfo *flinfo, const char *given, int length,
				 GidReading reading)
{
	GidCharset	opened;
	GidCharset *charset = flinfo == NULL ? NULL : flinfo->fn_extra;

	gid_charset_open(&opened, given, length, reading);
	if (charset == NULL)
		charset = MemoryContextAlloc(flinfo == NULL ? CurrentMemoryContext : flinfo->fn_mcxt,
									 sizeof(GidCharset));
	*charset = opened;
	/* there is no place to keep it when C calls directly */
	if (flinfo != NULL)
		flinfo->fn_extra = charset;
	return charset;
}

/* Raise 54000: a code has so many bytes that it cannot grow. */
void
gid_charset_too_long(int length)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("code of %d bytes is too long", length),
			 errdetail("A code to add to has at most %d bytes.",
					   GID_CODE_MAX_BYTES),
			 errhint("Add to a shorter code.")));
}

/*
 * How many bytes of a text a message shows.  In SQL_ASCII the server does not
 * know where a character ends; most clients take it for UTF-8, and one that is
 * cut in two would cost them the message.
 */
int
gid_charset_clip(const char *bytes, int length)
{
	int			end = pg_mbcliplen(bytes, length, GID_SHOWN_BYTES);

	if (GetDatabaseEncoding() == PG_SQL_ASCII && end < length)
	{
		while (end > 0 && ((unsigned char) bytes[end] & 0xc0) == 0x80)
			end--;
	}
	return end;
}

/*
 * The character of a text that the byte "at" belongs to, as a message shows
 * it, and which it is, counted from 1.
 */
int
gid_charset_show(const char *bytes, int at,
				 char shown[GID_SHOWN_CHARACTER_SIZE])
{
	int			start = 0;
	int			next = 0;
	int			number = 0;

	while (next <= at)
	{
		start = next;
		next += pg_mblen(bytes + start);
		number++;
	}
	/* a byte that may be a piece of a character cannot go to every client */
	if (GetDatabaseEncoding() == PG_SQL_ASCII && IS_HIGHBIT_SET(bytes[at]))
		snprintf(shown, GID_SHOWN_CHARACTER_SIZE, "\\x%02x", (unsigned char) bytes[at]);
	else
		snprintf(shown, GID_SHOWN_CHARACTER_SIZE, "%.*s", next - start, bytes + start);
	return number;
}
