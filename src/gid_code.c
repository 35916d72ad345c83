/*-------------------------------------------------------------------------
 *
 * gid_code.c
 *		Codes: text that counts.
 *
 * State: none of its own; sequences are drawn from by gid_draw.c.  The arithmetic and its rules are gid_lexical.c's; here are its
 * SQL side and its errors.
 *
 * Invariants:
 * 1. The result is a copy; a code that fails leaves nothing behind.
 * 2. A code costs one palloc, its own; the alphabet is on the stack.
 *
 * Crash, restart, clock step, standby: see gid_draw.c; the arithmetic does not
 * depend on them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "gid_compat.h"
#include "gid_draw.h"
#include "gid_lexical.h"

/* How much of an argument a message shows. */
#define GID_CODE_SHOWN_BYTES	100

/* The longest value that can grow by any count. */
#define GID_CODE_MAX_BYTES \
	((int) (MaxAllocSize - VARHDRSZ - GID_LEXICAL_MAX_GROWTH))

/* The text of an argument, as "%.*s" takes it: cut short, but at a character. */
#define GID_CODE_SHOWN(bytes, length) \
	pg_mbcliplen((bytes), (length), GID_CODE_SHOWN_BYTES), (bytes)

static const char gid_code_charset_hint[] =
"Use numeric, alpha_lower, alpha_upper, alpha, alphanumeric_lower, alphanumeric_upper, alphanumeric, crockford, or 2 to 94 distinct printable ASCII characters without blank.";

/*
 * The character of a text that the byte "at" belongs to: its first byte, and
 * in *number how many there are up to it.
 */
static int
gid_code_character(const char *bytes, int at, int *number)
{
	int			start = 0;
	int			next = 0;

	*number = 0;
	while (next <= at)
	{
		start = next;
		next += pg_mblen(bytes + start);
		(*number)++;
	}
	return start;
}

/* Raise 22023: the charset is none. */
static void
gid_code_bad_charset(GidLexicalError error, const char *charset, int length,
					 int at)
{
	int			number = 0;

	/* what comes before "at" is printable ASCII */
	if (error == GID_LEXICAL_UNPRINTABLE || error == GID_LEXICAL_REPEATED)
		number = at + 1;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid charset \"%.*s\"", GID_CODE_SHOWN(charset, length)),
			 error == GID_LEXICAL_UNPRINTABLE ?
			 errdetail("Character %d is a blank or not printable ASCII.", number) :
			 error == GID_LEXICAL_REPEATED ?
			 errdetail("It is not the name of a charset, and as a list of characters it has \"%c\" twice.", charset[at]) :
			 error == GID_LEXICAL_ONE_LETTER ?
			 errdetail("Ignoring case, it has only one character.") :
			 errdetail("It has fewer than two characters."),
			 errhint("%s", gid_code_charset_hint)));
}

/* Raise 22023: a character that the addition reaches is not in the alphabet. */
static void
gid_code_foreign(const GidAlphabet *alphabet, const char *value, int at)
{
	int			number;
	int			start = gid_code_character(value, at, &number);
	char		shown[MAX_MULTIBYTE_CHAR_LEN + 1];

	/* a byte that may be a piece of a character cannot go to every client */
	if (GetDatabaseEncoding() == PG_SQL_ASCII && IS_HIGHBIT_SET(value[at]))
		snprintf(shown, sizeof(shown), "\\x%02x", (unsigned char) value[at]);
	else
		snprintf(shown, sizeof(shown), "%.*s", pg_mblen(value + start), value + start);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("character \"%s\" at position %d of the code is not in the charset",
					shown, number),
			 errdetail("The addition reaches this position; the charset is \"%.*s\"%s.",
					   alphabet->size, alphabet->chars,
					   alphabet->ignore_case ? ", ignoring case" : ""),
			 errhint("Use a charset that has the character. Only the positions that the addition reaches must be in it.")));
}

/* Raise 2200H: nothing is left of the code. */
static void
gid_code_below_first(const GidAlphabet *alphabet, const char *value,
					 int length, int64 count)
{
	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg("cannot subtract %llu from code \"%.*s\"",
					0ULL - (unsigned long long) count,
					GID_CODE_SHOWN(value, length)),
			 errdetail("The result would be shorter than one character."),
			 errhint("The first code is \"%c\".", alphabet->chars[0])));
}

/* Raise 54000 unless any count can be added to a value of so many bytes. */
static void
gid_code_check_length(int length)
{
	if (length <= GID_CODE_MAX_BYTES)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("code of %d bytes is too long", length),
			 errdetail("A code to add to has at most %d bytes.",
					   GID_CODE_MAX_BYTES),
			 errhint("Add to a shorter code.")));
}

/*
 * The alphabet for adding to a value.  22023 for a charset that is none, 54000
 * when the value is within 64 bytes of the longest text.
 */
static void
gid_code_open(GidAlphabet *alphabet, text *value, text *charset, bool ignore_case)
{
	const char *bytes = VARDATA_ANY(value);
	int			length = VARSIZE_ANY_EXHDR(value);
	const char *charset_bytes = VARDATA_ANY(charset);
	int			charset_length = VARSIZE_ANY_EXHDR(charset);
	int			at = 0;
	GidLexicalError error;

	error = gid_lexical_open(alphabet, charset_bytes, charset_length, &at);
	if (error == GID_LEXICAL_OK && ignore_case)
		error = gid_lexical_ignore_case(alphabet, bytes, length);
	if (error != GID_LEXICAL_OK)
		gid_code_bad_charset(error, charset_bytes, charset_length, at);
	gid_code_check_length(length);
}

/*
 * A value plus a count, a new text.  22023 for a character in the way, 2200H
 * when the result would be empty.  Waits for nothing.
 */
static text *
gid_code_add(const GidAlphabet *alphabet, text *value, int64 count)
{
	const char *bytes = VARDATA_ANY(value);
	int			length = VARSIZE_ANY_EXHDR(value);
	int			new_length = length;
	int			at = 0;
	GidLexicalError error;
	text	   *result;

	result = (text *) palloc(VARHDRSZ + length + GID_LEXICAL_MAX_GROWTH);
	memcpy(VARDATA(result), bytes, length);
	error = gid_lexical_advance(alphabet, VARDATA(result), &new_length,
								length + GID_LEXICAL_MAX_GROWTH, count, &at);
	if (error == GID_LEXICAL_FOREIGN)
		gid_code_foreign(alphabet, bytes, at);
	if (error == GID_LEXICAL_BELOW_FIRST)
		gid_code_below_first(alphabet, bytes, length, count);
	Assert(error == GID_LEXICAL_OK);
	SET_VARSIZE(result, VARHDRSZ + new_length);
	return result;
}

/*
 * gid_lexical_add(value text, count bigint, charset text,
 *				   ignore_case boolean) -> text
 *
 * The code that is "count" codes after the value, before it if negative.  Its
 * errors are those of gid_code_open() and gid_code_add().
 */
PG_FUNCTION_INFO_V1(gid_lexical_add);
Datum
gid_lexical_add(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	GidAlphabet alphabet;

	gid_code_open(&alphabet, value, PG_GETARG_TEXT_PP(2), PG_GETARG_BOOL(3));
	PG_RETURN_TEXT_P(gid_code_add(&alphabet, value, PG_GETARG_INT64(1)));
}

/*
 * gid_next_code(seq regclass, seed text, charset text, ignore_case boolean)
 *		-> text
 *
 * The code that is as many codes after the seed as the next value of a sequence
 * says.  Errors and waits: those of gid_code_open(), which take no value, of
 * gid_draw() and of gid_code_add().
 */
PG_FUNCTION_INFO_V1(gid_next_code);
Datum
gid_next_code(PG_FUNCTION_ARGS)
{
	text	   *seed = PG_GETARG_TEXT_PP(1);
	GidAlphabet alphabet;
	int64		count;

	gid_code_open(&alphabet, seed, PG_GETARG_TEXT_PP(2), PG_GETARG_BOOL(3));
	count = gid_draw(PG_GETARG_OID(0), GID_SOURCE_PAGE, "gid_next_code()",
					 GID_FAMILY_CODE).value;
	PG_RETURN_TEXT_P(gid_code_add(&alphabet, seed, count));
}
