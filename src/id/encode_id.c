/*-------------------------------------------------------------------------
 *
 * id/encode_id.c
 *		Short texts for ids: gid_encode() and gid_decode_...(), and TypeIDs:
 *		gid_typeid() and gid_typeid_uuid().
 *
 * Decoding with the charset of the encoding gives the id back.  A uuid and a
 * gdid have one text each.  A bigint has more texts, because leading zeros are
 * read.  All texts of a uuid have the same length, and so have all texts of a
 * gdid.  So with a charset in ASCII order, the order of the texts, byte by
 * byte, is the order of the ids.
 *
 * gid_typeid_uuid(gid_typeid(prefix, id), prefix) is id, and every other text
 * and every other prefix is an error.  text/id_text.c has the rules.
 *
 * State: none but opened charsets, which id/charset.c keeps.  text/radix.c has
 * the arithmetic.
 *
 * References: ULID, which is the text of a uuid in the charset "crockford";
 * the TypeID specification 0.3.0.
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
#include "layout/gdid.h"
#include "text/typeid.h"

static const GidRange gid_encode_range = {
	"id", 0, PG_INT64_MAX,
	"A text stands for an id that is not negative."
};

/* Encode 12 or 16 bytes with as many characters as the largest number has. */
static text *
gid_encode_bytes(const GidCharset *charset, const uint8 *bytes, int nbytes)
{
	int			length = gid_radix_width(&charset->radix, nbytes);
	text	   *result = palloc(VARHDRSZ + length);

	gid_radix_put(&charset->radix, charset->alphabet.chars, bytes, nbytes,
				  VARDATA(result));
	SET_VARSIZE(result, VARHDRSZ + length);
	return result;
}

/* Raise 22P02: gid_encode() does not make this text. */
static void
gid_decode_raise(text *encoded, const char *type, char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("cannot decode \"%.*s\" as %s",
					GID_SHOWN(VARDATA_ANY(encoded), VARSIZE_ANY_EXHDR(encoded)), type),
			 errdetail("%s", detail),
			 errhint("Give a text of gid_encode() and the charset that the text was made with.")));
}

/*
 * Decode a text into "nbytes" bytes.  The text must have "width" characters;
 * with width 0 it may have any number but none, and 63 bits.  22P02 when the
 * text is not of this kind.
 */
static void
gid_decode_text(const GidCharset *charset, text *encoded, const char *type,
				int width, uint8 *bytes, int nbytes)
{
	const GidAlphabet *alphabet = &charset->alphabet;
	const char *digits = VARDATA_ANY(encoded);
	int			length = VARSIZE_ANY_EXHDR(encoded);
	GidFault	fault;
	bool		is_read = gid_radix_get(&charset->radix, alphabet->place, digits, length,
										bytes, nbytes, &fault);

	if (!is_read && fault.kind == GID_FAULT_FOREIGN)
	{
		char		shown[GID_SHOWN_CHARACTER_SIZE];
		int			number = gid_charset_show(digits, length, fault.at, shown);

		gid_decode_raise(encoded, type,
						 psprintf("Character \"%s\" at position %d is not in the charset \"%.*s\".",
								  shown, number, alphabet->size, alphabet->chars));
	}
	if (width != 0 && length != width)
		gid_decode_raise(encoded, type,
						 psprintf("In this charset a %s has %d characters, not %d.",
								  type, width, length));
	if (length == 0)
		gid_decode_raise(encoded, type, "The text is empty.");
	if (!is_read || (width == 0 && bytes[0] > PG_INT8_MAX))
		gid_decode_raise(encoded, type,
						 psprintf("The number has more than %d bits.",
								  8 * nbytes - (width == 0)));
}

/* Decode the first argument, a text of gid_encode_bytes(). */
static void
gid_decode_bytes(FunctionCallInfo fcinfo, const char *type, uint8 *bytes,
				 int nbytes)
{
	const GidCharset *charset = gid_charset_get(fcinfo, 1, GID_READ_TYPED);

	gid_decode_text(charset, PG_GETARG_TEXT_PP(0), type,
					gid_radix_width(&charset->radix, nbytes), bytes, nbytes);
}

PG_FUNCTION_INFO_V1(gid_encode_bigint);
Datum
gid_encode_bigint(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	const GidCharset *charset = gid_charset_get(fcinfo, 1, GID_READ_TYPED);
	char		digits[GID_RADIX_MAX_DIGITS];
	char	   *end = digits + sizeof(digits);
	char	   *start;

	gid_check_range(&gid_encode_range, id);
	start = gid_radix_put_shortest(&charset->radix, charset->alphabet.chars,
								   (uint64) id, end);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(start, (int) (end - start)));
}

PG_FUNCTION_INFO_V1(gid_encode_uuid);
Datum
gid_encode_uuid(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(gid_encode_bytes(gid_charset_get(fcinfo, 1, GID_READ_TYPED),
									  PG_GETARG_UUID_P(0)->data, UUID_LEN));
}

PG_FUNCTION_INFO_V1(gid_encode_gdid);
Datum
gid_encode_gdid(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(gid_encode_bytes(gid_charset_get(fcinfo, 1, GID_READ_TYPED),
									  ((GidGdid *) PG_GETARG_POINTER(0))->bytes,
									  GID_GDID_BYTES));
}

PG_FUNCTION_INFO_V1(gid_decode_bigint);
Datum
gid_decode_bigint(PG_FUNCTION_ARGS)
{
	uint8		bytes[sizeof(int64)];

	gid_decode_text(gid_charset_get(fcinfo, 1, GID_READ_TYPED),
					PG_GETARG_TEXT_PP(0), "bigint", 0, bytes, sizeof(bytes));
	PG_RETURN_INT64((int64) gid_get_be64(bytes));
}

PG_FUNCTION_INFO_V1(gid_decode_uuid);
Datum
gid_decode_uuid(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_decode_bytes(fcinfo, "uuid", uuid->data, UUID_LEN);
	PG_RETURN_UUID_P(uuid);
}

PG_FUNCTION_INFO_V1(gid_decode_gdid);
Datum
gid_decode_gdid(PG_FUNCTION_ARGS)
{
	GidGdid    *gdid = palloc(sizeof(GidGdid));

	gid_decode_bytes(fcinfo, "gdid", gdid->bytes, GID_GDID_BYTES);
	PG_RETURN_POINTER(gdid);
}

/* ---- TypeIDs ---- */

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

/*
 * Say in a sentence what is wrong with a text, for a message: a fault of
 * gid_typeid_parse(), or none and another prefix than the one that is asked
 * for.
 */
static const char *
gid_typeid_detail(const GidFault *fault, const char *chars, int length,
				  const GidTypeid *id)
{
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number;

	switch (fault->kind)
	{
		case GID_FAULT_NONE:
			if (id->prefix_length == 0)
				return "The text has no prefix.";
			return psprintf("The prefix of the text is \"%.*s\".", id->prefix_length, chars);
		case GID_FAULT_LENGTH:
			return psprintf("A TypeID has %d to %d characters, but the text has %d bytes.",
							GID_TYPEID_SUFFIX, GID_TYPEID_MAX_LENGTH, length);
		case GID_FAULT_SEPARATOR:
			return psprintf("No underscore stands before the last %d characters of the text.",
							GID_TYPEID_SUFFIX);
		case GID_FAULT_PREFIX:
			return psprintf("The text before the last underscore is not a prefix. A prefix has 1 to %d lower-case letters and underscores, and a letter at both ends.",
							GID_TYPEID_MAX_PREFIX);
		case GID_FAULT_FOREIGN:
			number = gid_charset_show(chars, length, fault->at, shown);
			return psprintf("Character \"%s\" at position %d is not in the alphabet \"%s\".",
							shown, number, GID_TYPEID_CHARS);
		default:
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
	GidFault	fault = {.kind = GID_FAULT_NONE};
	pg_uuid_t  *uuid;

	gid_typeid_check_prefix(prefix);
	if (!gid_typeid_parse(&digits->alphabet, &digits->radix, chars, length, &id, &fault) ||
		id.prefix_length != wanted ||
		memcmp(chars, VARDATA_ANY(prefix), wanted) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("cannot read \"%.*s\" as a TypeID with the prefix \"%.*s\"",
						GID_SHOWN(chars, length), wanted, VARDATA_ANY(prefix)),
				 errdetail("%s", gid_typeid_detail(&fault, chars, length, &id)),
				 errhint("Give a text of gid_typeid() with this prefix. gid_inspect() shows what another text is.")));
	uuid = palloc(sizeof(pg_uuid_t));
	memcpy(uuid->data, id.uuid, UUID_LEN);
	PG_RETURN_UUID_P(uuid);
}
