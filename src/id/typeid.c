/*-------------------------------------------------------------------------
 *
 * id/typeid.c
 *		TypeIDs: gid_typeid() and gid_typeid_uuid().
 *
 * A table keeps the UUID; its TypeID is made where the id is shown.
 * gid_typeid_uuid(gid_typeid(prefix, id), prefix) is id, and every other text
 * and every other prefix is an error.  text/typeid_text.c has the rules.
 *
 * State: none but the opened alphabet, which id/charset.c keeps for each call
 * site.
 *
 * References: the TypeID specification 0.3.0.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/uuid.h"

#include "base/args.h"
#include "id/charset.h"
#include "text/typeid_text.h"

/* Return the alphabet of suffixes, opened once for a call site. */
static const GidCharset *
gid_typeid_digits(FunctionCallInfo fcinfo)
{
	if (likely(fcinfo->flinfo != NULL && fcinfo->flinfo->fn_extra != NULL))
		return fcinfo->flinfo->fn_extra;
	return gid_charset_keep(fcinfo->flinfo, GID_ALPHABET_PREFIX GID_TYPEID_CHARS,
							(int) strlen(GID_ALPHABET_PREFIX GID_TYPEID_CHARS), GID_READ_TYPED);
}

/* Raise 22023 unless a text can be a prefix. */
static void
gid_typeid_check_prefix(text *prefix)
{
	const char *chars = VARDATA_ANY(prefix);
	int			length = VARSIZE_ANY_EXHDR(prefix);

	if (gid_typeid_is_prefix(chars, length))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid prefix of a TypeID: \"%.*s\"", GID_SHOWN(chars, length)),
			 errdetail("A prefix has at most %d lower-case letters and underscores, and a letter at both ends.",
					   GID_TYPEID_MAX_PREFIX),
			 errhint("Name the kind of the row, for example user or line_item, or give '' for no prefix.")));
}

/* Say in a sentence what is wrong with a text, for a message. */
static const char *
gid_typeid_detail(GidTypeidFault fault, const char *chars, int length,
				  const GidTypeid *id)
{
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number;

	switch (fault)
	{
		case GID_TYPEID_SOUND:
			if (id->prefix_length == 0)
				return "The text has no prefix.";
			return psprintf("The prefix of the text is \"%.*s\".", id->prefix_length, chars);
		case GID_TYPEID_LENGTH:
			return psprintf("A TypeID has %d to %d characters, but the text has %d bytes.",
							GID_TYPEID_SUFFIX, GID_TYPEID_MAX_LENGTH, length);
		case GID_TYPEID_SEPARATOR:
			return psprintf("No underscore stands before the last %d characters of the text.",
							GID_TYPEID_SUFFIX);
		case GID_TYPEID_PREFIX:
			return psprintf("The text before the last underscore is not a prefix. A prefix has 1 to %d lower-case letters and underscores, and a letter at both ends.",
							GID_TYPEID_MAX_PREFIX);
		case GID_TYPEID_FOREIGN:
			number = gid_charset_show(chars, id->at, shown);
			return psprintf("Character \"%s\" at position %d is not in the alphabet \"%s\".",
							shown, number, GID_TYPEID_CHARS);
		case GID_TYPEID_TOO_LARGE:
			break;
	}
	return psprintf("The last %d characters are a number of more than 128 bits.",
					GID_TYPEID_SUFFIX);
}

PG_FUNCTION_INFO_V1(gid_typeid);
Datum
gid_typeid(PG_FUNCTION_ARGS)
{
	const GidCharset *digits = gid_typeid_digits(fcinfo);
	text	   *prefix = PG_GETARG_TEXT_PP(0);
	char		shown[GID_TYPEID_MAX_LENGTH];
	int			length;

	gid_typeid_check_prefix(prefix);
	length = gid_typeid_print(&digits->alphabet, &digits->radix,
							  VARDATA_ANY(prefix), VARSIZE_ANY_EXHDR(prefix),
							  PG_GETARG_UUID_P(1)->data, shown);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(shown, length));
}

PG_FUNCTION_INFO_V1(gid_typeid_uuid);
Datum
gid_typeid_uuid(PG_FUNCTION_ARGS)
{
	const GidCharset *digits = gid_typeid_digits(fcinfo);
	text	   *code = PG_GETARG_TEXT_PP(0);
	text	   *prefix = PG_GETARG_TEXT_PP(1);
	const char *chars = VARDATA_ANY(code);
	int			length = VARSIZE_ANY_EXHDR(code);
	int			wanted = VARSIZE_ANY_EXHDR(prefix);
	GidTypeid	id;
	GidTypeidFault fault;
	pg_uuid_t  *uuid;

	gid_typeid_check_prefix(prefix);
	fault = gid_typeid_parse(&digits->alphabet, &digits->radix, chars, length, &id);
	if (fault != GID_TYPEID_SOUND || id.prefix_length != wanted ||
		memcmp(chars, VARDATA_ANY(prefix), wanted) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("cannot read \"%.*s\" as a TypeID with the prefix \"%.*s\"",
						GID_SHOWN(chars, length), wanted, VARDATA_ANY(prefix)),
				 errdetail("%s", gid_typeid_detail(fault, chars, length, &id)),
				 errhint("Give a text of gid_typeid() with this prefix. gid_inspect() shows what another text is.")));
	uuid = palloc(sizeof(pg_uuid_t));
	memcpy(uuid->data, id.uuid, UUID_LEN);
	PG_RETURN_UUID_P(uuid);
}
