/*-------------------------------------------------------------------------
 *
 * id/code.c
 *		Codes: text that counts, and check characters.
 *
 * text/lexical.c has the arithmetic, and the check characters with the
 * mistakes that they find.
 *
 * State: none but opened charsets, which id/charset.c keeps.  sequence/draw.c
 * draws the values of gid_next_code(), and says what holds at a crash and on a
 * standby.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/memutils.h"

#include "id/charset.h"
#include "sequence/draw.h"
#include "text/lexical.h"

/* The longest code to which a count or a check character can be added. */
#define GID_CODE_MAX_BYTES \
	((int) (MaxAllocSize - VARHDRSZ - GID_LEXICAL_MAX_GROWTH))

/* Raise 54000 when a code of "length" bytes is too long to grow. */
static inline void
gid_code_check_length(int length)
{
	if (unlikely(length > GID_CODE_MAX_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("code of %d bytes is too long", length),
				 errdetail("A code that is to grow has at most %d bytes.",
						   GID_CODE_MAX_BYTES)));
}

/* ---- codes that count ---- */

/* Raise 22023: the addition reaches a character outside the alphabet. */
static void
gid_code_foreign(const GidAlphabet *alphabet, const char *value, int length,
				 int at)
{
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number = gid_charset_show(value, length, at, shown);

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

/* The alphabet of the arguments 2 and 3.  22023 when it is invalid. */
static inline const GidAlphabet *
gid_code_alphabet(FunctionCallInfo fcinfo)
{
	return &gid_charset_get(fcinfo, 2, PG_GETARG_BOOL(3) ?
							GID_READ_IGNORE_CASE : GID_READ_EXACT)->alphabet;
}

/* Add a count to a code, as a new text.  One palloc(). */
static inline text *
gid_code_add(const GidAlphabet *alphabet, const char *bytes, int length,
			 int64 count)
{
	int			new_length = length;
	GidFault	fault;
	text	   *result;

	result = (text *) palloc(VARHDRSZ + length + GID_LEXICAL_MAX_GROWTH);
	memcpy(VARDATA(result), bytes, length);
	if (!gid_lexical_advance(alphabet, VARDATA(result), &new_length, count, &fault))
	{
		if (fault.kind == GID_FAULT_FOREIGN)
			gid_code_foreign(alphabet, bytes, length, fault.at);
		gid_code_below_first(alphabet, bytes, length, count);
	}
	SET_VARSIZE(result, VARHDRSZ + new_length);
	return result;
}

PG_FUNCTION_INFO_V1(gid_lexical_add);
Datum
gid_lexical_add(PG_FUNCTION_ARGS)
{
	text	   *value = PG_GETARG_TEXT_PP(0);
	int			length = VARSIZE_ANY_EXHDR(value);
	const GidAlphabet *alphabet = gid_code_alphabet(fcinfo);

	gid_code_check_length(length);
	PG_RETURN_TEXT_P(gid_code_add(alphabet, VARDATA_ANY(value), length,
								  PG_GETARG_INT64(1)));
}

/* An invalid charset raises its error before a value is drawn. */
PG_FUNCTION_INFO_V1(gid_next_code);
Datum
gid_next_code(PG_FUNCTION_ARGS)
{
	text	   *seed = PG_GETARG_TEXT_PP(1);
	int			length = VARSIZE_ANY_EXHDR(seed);
	const GidAlphabet *alphabet = gid_code_alphabet(fcinfo);
	GidSite		site = GID_SITE_BEGINS;
	int64		count;

	gid_code_check_length(length);
	/* fn_extra has the charset, so the kind of the site stands there, too */
	if (likely(fcinfo->flinfo != NULL))
		site = gid_statement_site_in(&((GidCharset *) fcinfo->flinfo->fn_extra)->site);
	count = gid_draw(PG_GETARG_OID(0), GID_SOURCE_PAGE, NULL, site, "gid_next_code()",
					 GID_FAMILY_CODE).value;
	PG_RETURN_TEXT_P(gid_code_add(alphabet, VARDATA_ANY(seed), length, count));
}

/* ---- codes that people type ---- */

/*
 * A text that is no code of the charset gives NULL, and no error: a person may
 * have mistyped it.
 */
PG_FUNCTION_INFO_V1(gid_code_normalize);
Datum
gid_code_normalize(PG_FUNCTION_ARGS)
{
	text	   *typed = PG_GETARG_TEXT_PP(0);
	int			length = VARSIZE_ANY_EXHDR(typed);
	const GidAlphabet *alphabet = &gid_charset_get(fcinfo, 1, GID_READ_EITHER_CASE)->alphabet;
	text	   *code = palloc(VARHDRSZ + length);

	length = gid_code_print_typed(alphabet, VARDATA_ANY(typed), length, VARDATA(code));
	if (length <= 0)
		PG_RETURN_NULL();
	SET_VARSIZE(code, VARHDRSZ + length);
	PG_RETURN_TEXT_P(code);
}

/* ---- check characters ---- */

gid_noreturn static void gid_check_raise(const GidAlphabet *alphabet, const char *code,
										 int length, const GidFault *fault);

/* Raise 22023: the code is empty, or a character is not in the charset. */
static void
gid_check_raise(const GidAlphabet *alphabet, const char *code, int length,
				const GidFault *fault)
{
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number;

	if (fault->kind == GID_FAULT_EMPTY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("code is empty"),
				 errdetail("A code with a check character has at least one other character.")));
	number = gid_charset_show(code, length, fault->at, shown);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("character \"%s\" at position %d of the code is not in the charset",
					shown, number),
			 errdetail("The charset is \"%.*s\".", alphabet->size, alphabet->chars),
			 errhint("Use a charset that has all characters of the code, or give only the part of the code that is to be checked.")));
}

PG_FUNCTION_INFO_V1(gid_check_append);
Datum
gid_check_append(PG_FUNCTION_ARGS)
{
	text	   *code = PG_GETARG_TEXT_PP(0);
	const char *bytes = VARDATA_ANY(code);
	int			length = VARSIZE_ANY_EXHDR(code);
	const GidAlphabet *alphabet = &gid_charset_get(fcinfo, 1, GID_READ_TYPED)->alphabet;
	char		check;
	GidFault	fault = {.kind = GID_FAULT_EMPTY};
	text	   *result;

	gid_code_check_length(length);
	if (length == 0 || !gid_luhn_character(alphabet, bytes, length, &check, &fault))
		gid_check_raise(alphabet, bytes, length, &fault);
	result = palloc(VARHDRSZ + length + 1);
	SET_VARSIZE(result, VARHDRSZ + length + 1);
	memcpy(VARDATA(result), bytes, length);
	VARDATA(result)[length] = check;
	PG_RETURN_TEXT_P(result);
}

/*
 * A code with a character that is not in the charset is not valid, and no
 * error: a person may have mistyped it.
 */
PG_FUNCTION_INFO_V1(gid_check_valid);
Datum
gid_check_valid(PG_FUNCTION_ARGS)
{
	text	   *code = PG_GETARG_TEXT_PP(0);
	const GidAlphabet *alphabet = &gid_charset_get(fcinfo, 1, GID_READ_TYPED)->alphabet;

	PG_RETURN_BOOL(gid_luhn_is_valid(alphabet, VARDATA_ANY(code),
									 VARSIZE_ANY_EXHDR(code)));
}
