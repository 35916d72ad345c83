/*-------------------------------------------------------------------------
 *
 * id/check_code.c
 *		Check characters of codes.
 *
 * State: none but opened charsets, which id/charset.c keeps.
 *
 * text/lexical.c has the algorithm, and says which mistakes the check finds.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "id/charset.h"
#include "text/lexical.h"

/* Raise 22023: the code is empty, or the byte "at" is not in the charset. */
static void
gid_check_raise(const GidAlphabet *alphabet, const char *code, int length,
				int at)
{
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number;

	if (length == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("code is empty"),
				 errdetail("A code with a check character has at least one other character.")));
	number = gid_charset_show(code, at, shown);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("character \"%s\" at position %d of the code is not in the charset",
					shown, number),
			 errdetail("The charset is \"%.*s\".", alphabet->size, alphabet->chars),
			 errhint("Use a charset that has all characters of the code, or give only the part of the code that is to be checked.")));
}

/*
 * gid_check_append(code text, charset text) -> text
 *
 * Append its check character to a code.  22023 for an empty code, for a code
 * with a character that is not in the charset, and for an invalid charset;
 * 54000 for a code longer than GID_CODE_MAX_BYTES.
 */
PG_FUNCTION_INFO_V1(gid_check_append);
Datum
gid_check_append(PG_FUNCTION_ARGS)
{
	text	   *code = PG_GETARG_TEXT_PP(0);
	const char *bytes = VARDATA_ANY(code);
	int			length = VARSIZE_ANY_EXHDR(code);
	const GidAlphabet *alphabet = &gid_charset_get(fcinfo, 1, GID_READ_TYPED)->alphabet;
	char		check;
	int			at = 0;
	text	   *result;

	gid_charset_check_length(length);
	if (length == 0 ||
		gid_luhn_character(alphabet, bytes, length, &check, &at) != GID_LEXICAL_OK)
		gid_check_raise(alphabet, bytes, length, at);
	result = palloc(VARHDRSZ + length + 1);
	SET_VARSIZE(result, VARHDRSZ + length + 1);
	memcpy(VARDATA(result), bytes, length);
	VARDATA(result)[length] = check;
	PG_RETURN_TEXT_P(result);
}

/*
 * gid_check_valid(code text, charset text) -> boolean
 *
 * Does the code end with its check character?  False for a code of fewer than
 * two characters or with a character that is not in the charset, because a
 * person may have mistyped it.  22023 for an invalid charset.
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
