/*-------------------------------------------------------------------------
 *
 * id/next_code.c
 *		Codes: text that counts.
 *
 * State: none but opened charsets, which id/charset.c keeps.  sequence/draw.c
 * draws the values.  text/lexical.c has the arithmetic and its rules.
 *
 * Invariants:
 * 1. The argument is not changed: the result is a copy.
 * 2. A code costs one palloc().
 *
 * Crash, restart, clock step, standby: see sequence/draw.c.  They do not
 * matter to the arithmetic.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "id/charset.h"
#include "sequence/draw.h"
#include "text/lexical.h"

/*
 * Raise 22023: the addition reaches a character that is not in the alphabet.
 */
static void
gid_code_foreign(const GidAlphabet *alphabet, const char *value, int length,
				 int at)
{
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number = gid_charset_show(value, at, shown);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("character \"%s\" at position %d of the code is not in the charset",
					shown, number),
			 alphabet->ignore_case ?
			 errdetail("The addition reaches this position. Ignoring case, the charset is \"%.*s\".",
					   alphabet->size, gid_alphabet_chars(alphabet, value, length)) :
			 errdetail("The addition reaches this position. The charset is \"%.*s\".",
					   alphabet->size, alphabet->chars),
			 errhint("Use a charset that has the character. Only the characters that the addition reaches must be in the charset.")));
}

/* Raise 2200H: the result would be the empty text. */
static void
gid_code_below_first(const GidAlphabet *alphabet, const char *value,
					 int length, int64 count)
{
	ereport(ERROR,
			(errcode(ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED),
			 errmsg("cannot subtract %llu from code \"%.*s\"",
					0ULL - (unsigned long long) count,
					GID_SHOWN(value, length)),
			 errdetail("The result would be shorter than one character."),
			 errhint("The first code is \"%c\".",
					 gid_alphabet_chars(alphabet, value, length)[0])));
}

/*
 * The alphabet of the arguments 2 and 3.  22023 when the charset is invalid.
 */
static inline const GidAlphabet *
gid_code_alphabet(FunctionCallInfo fcinfo)
{
	return &gid_charset_get(fcinfo, 2, PG_GETARG_BOOL(3) ?
							GID_READ_IGNORE_CASE : GID_READ_EXACT)->alphabet;
}

/*
 * Add a count to a code and return the result as a new text.  22023 when the
 * addition reaches a character that is not in the alphabet, 2200H when the
 * result would be empty.
 */
static inline text *
gid_code_add(const GidAlphabet *alphabet, const char *bytes, int length,
			 int64 count)
{
	int			new_length = length;
	int			at = 0;
	GidLexicalError error;
	text	   *result;

	result = (text *) palloc(VARHDRSZ + length + GID_LEXICAL_MAX_GROWTH);
	memcpy(VARDATA(result), bytes, length);
	error = gid_lexical_advance(alphabet, VARDATA(result), &new_length, count, &at);
	if (error == GID_LEXICAL_FOREIGN)
		gid_code_foreign(alphabet, bytes, length, at);
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
 * Return the code that is "count" codes after the value, or before it if the
 * count is negative.  54000 when the value is longer than GID_CODE_MAX_BYTES.
 * Other errors are those of gid_code_alphabet() and gid_code_add().
 */
PG_FUNCTION_INFO_V1(gid_lexical_add);
Datum
gid_lexical_add(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	int			length = VARSIZE_ANY_EXHDR(value);
	const GidAlphabet *alphabet = gid_code_alphabet(fcinfo);

	gid_charset_check_length(length);
	PG_RETURN_TEXT_P(gid_code_add(alphabet, VARDATA_ANY(value), length,
								  PG_GETARG_INT64(1)));
}

/*
 * gid_next_code(seq regclass, seed text, charset text, ignore_case boolean)
 *		-> text
 *
 * Draw the next value of a sequence, and return the code that is this number
 * of codes after the seed.  Errors and waits are those of gid_lexical_add()
 * and of gid_draw().  An invalid charset raises its error before a value is
 * drawn.
 */
PG_FUNCTION_INFO_V1(gid_next_code);
Datum
gid_next_code(PG_FUNCTION_ARGS)
{
	text	   *seed = PG_GETARG_TEXT_PP(1);
	int			length = VARSIZE_ANY_EXHDR(seed);
	bool		begins = fcinfo->flinfo->fn_extra == NULL;
	const GidAlphabet *alphabet = gid_code_alphabet(fcinfo);
	GidCharset *charset = fcinfo->flinfo->fn_extra;
	GidSite		site = begins ? GID_SITE_BEGINS : charset->site;
	int64		count;

	gid_charset_check_length(length);
	/* fn_extra has the charset, so the kind of the site stands there, too */
	if (begins)
		charset->site = gid_draw_classify();
	count = gid_draw(PG_GETARG_OID(0), GID_SOURCE_PAGE, site, "gid_next_code()",
					 GID_FAMILY_CODE).value;
	PG_RETURN_TEXT_P(gid_code_add(alphabet, VARDATA_ANY(seed), length, count));
}
