/*-------------------------------------------------------------------------
 *
 * id/charset.c
 *		The charset argument of a function, and errors about codes.
 *
 * State: one opened charset for each call site of a query, in fn_extra of the
 * site's FmgrInfo.  Opening a charset takes longer than most calls.  The
 * arguments of a call site may change from row to row, so each call compares
 * them with what was opened.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "id/charset.h"

/* Raise 22023: the charset is invalid. */
static void
gid_charset_raise(const GidFault *fault, const char *charset, int length)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid charset \"%.*s\"", GID_SHOWN(charset, length)),

	/*
	 * all bytes of a list before fault->at are printable ASCII, one a
	 * character
	 */
			 fault->kind == GID_FAULT_UNPRINTABLE ?
			 errdetail("Character %d of the list is a blank or not printable ASCII.", fault->at + 1) :
			 fault->kind == GID_FAULT_REPEATED ?
			 errdetail("The list has \"%c\" twice.", charset[GID_ALPHABET_PREFIX_LENGTH + fault->at]) :
			 fault->kind == GID_FAULT_UNKNOWN ?
			 errdetail("No charset has this name.") :
			 fault->kind == GID_FAULT_ONE_LETTER ?
			 errdetail("Ignoring case, it has only one character.") :
			 errdetail("The list has fewer than two characters."),
			 errhint("Use numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, hex, base58, base62, or chars: and 2 to 94 distinct printable ASCII characters without blank.")));
}

/* Open a charset.  22023 when it is invalid. */
static void
gid_charset_open(GidCharset *charset, const char *given, int length,
				 GidReading reading)
{
	GidAlphabet *alphabet = &charset->alphabet;
	GidFault	fault;

	if (!gid_alphabet_open(alphabet, given, length, &fault) ||
		(reading == GID_READ_IGNORE_CASE && !gid_alphabet_ignore_case(alphabet, &fault)))
		gid_charset_raise(&fault, given, length);
	if (reading == GID_READ_TYPED || reading == GID_READ_EITHER_CASE)
		gid_alphabet_read_typed(alphabet);
	if (reading == GID_READ_EITHER_CASE)
		gid_alphabet_read_either_case(alphabet);
	if (reading == GID_READ_TYPED)
		gid_radix_open(&charset->radix, alphabet->size);

	/* a list has at most GID_ALPHABET_MAX characters, and names are short */
	Assert(length <= (int) GID_CHARSET_MAX);
	memcpy(charset->given, given, length);
	charset->reading = reading;
	charset->length = length;
}

/*
 * Open a charset and keep it for the next call of the call site.  22023 when
 * it is invalid.
 */
const GidCharset *
gid_charset_keep(FmgrInfo *flinfo, const char *given, int length,
				 GidReading reading)
{
	GidCharset	opened;
	GidCharset *charset = flinfo == NULL ? NULL : flinfo->fn_extra;

	/* this may raise an error, and a kept charset is always complete */
	gid_charset_open(&opened, given, length, reading);
	opened.site = charset == NULL ? GID_SITE_BEGINS : charset->site;
	if (charset == NULL)
		charset = MemoryContextAlloc(flinfo == NULL ? CurrentMemoryContext : flinfo->fn_mcxt,
									 sizeof(GidCharset));
	*charset = opened;
	/* a direct call from C has no call site that could keep the charset */
	if (flinfo != NULL)
		flinfo->fn_extra = charset;
	return charset;
}

/*
 * Write the character of a text of "length" bytes that has the byte at offset
 * "at", as a message shows it.  Returns its position in the text, from 1.
 */
int
gid_charset_show(const char *bytes, int length, int at,
				 char shown[GID_SHOWN_CHARACTER_SIZE])
{
	int			start = pg_mbcliplen(bytes, length, at);
	int			size = pg_mbcharcliplen(bytes + start, length - start, 1);

	/*
	 * in SQL_ASCII the byte may be a part of a character, so show its number
	 */
	if (GetDatabaseEncoding() == PG_SQL_ASCII && IS_HIGHBIT_SET(bytes[at]))
		snprintf(shown, GID_SHOWN_CHARACTER_SIZE, "\\x%02x", (unsigned char) bytes[at]);
	else
		snprintf(shown, GID_SHOWN_CHARACTER_SIZE, "%.*s", size, bytes + start);
	return pg_mbstrlen_with_len(bytes, start) + 1;
}
