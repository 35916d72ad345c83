/*-------------------------------------------------------------------------
 *
 * id/encode_id.c
 *		Short texts for ids, and check characters.
 *
 * State: none of its own; opened charsets are kept by id/charset.c.  The
 * arithmetic is text/radix.h's, check characters are text/lexical.c's; here
 * are the SQL side and the errors.
 *
 * Invariants:
 * 1. Decoding with the charset of the encoding gives the id back.  A uuid and
 *	  a gdid have one text each; a bigint has more, with first characters of
 *	  the charset before it.
 * 2. A uuid and a gdid have as many characters as the largest of them needs,
 *	  so that with a charset in ASCII order the texts' order, byte by byte, is
 *	  the ids' order.
 *
 * Crash, restart, clock step and standby do not matter.
 *
 * References: ULID, whose text is that of a uuid in "crockford".
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

#define GID_CODEC_BIGINT_LIMBS	2
#define GID_CODEC_UUID_LIMBS	(UUID_LEN / (int) sizeof(uint32))
#define GID_CODEC_GDID_LIMBS	(GID_GDID_BYTES / (int) sizeof(uint32))

static const GidRange gid_codec_bigint_range = {
	.name = "id",
	.min = 0,
	.max = PG_INT64_MAX,
	.hint = "A text stands for an id that is not negative.",
};

/* The text of 12 or 16 bytes, of fixed width. */
static text *
gid_codec_encode(const GidCharset *charset, const uint8 *bytes, int nlimbs)
{
	int			length = charset->radix.width[nlimbs];
	text	   *result = palloc(VARHDRSZ + length);
	uint32		limbs[GID_RADIX_MAX_LIMBS];

	for (int i = 0; i < nlimbs; i++)
		limbs[i] = gid_get_be32(bytes + i * sizeof(uint32));
	gid_radix_put_width(&charset->radix, charset->alphabet.chars, limbs, nlimbs,
						VARDATA(result));
	SET_VARSIZE(result, VARHDRSZ + length);
	return result;
}

/* Raise 22P02: the text is not one of gid_encode(). */
static void
gid_codec_raise(text *code, const char *type, char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("cannot decode \"%.*s\" as %s",
					GID_SHOWN(VARDATA_ANY(code), VARSIZE_ANY_EXHDR(code)), type),
			 errdetail("%s", detail),
			 errhint("Give a text of gid_encode(), and the charset that it was made with.")));
}

/*
 * The number that a text stands for; "width" is its length, 0 for any but
 * none.  22P02 for what is no such text.
 */
static void
gid_codec_decode(const GidCharset *charset, text *code, const char *type,
				 int width, uint32 *limbs, int nlimbs)
{
	const GidAlphabet *alphabet = &charset->alphabet;
	const char *bytes = VARDATA_ANY(code);
	int			length = VARSIZE_ANY_EXHDR(code);
	int			at = 0;
	GidRadixError error;

	error = gid_radix_get(&charset->radix, alphabet->place, bytes, length, limbs,
						  nlimbs, &at);
	if (error == GID_RADIX_FOREIGN)
	{
		char		shown[GID_SHOWN_CHARACTER_SIZE];
		int			number = gid_charset_show(bytes, at, shown);

		gid_codec_raise(code, type,
						psprintf("Character \"%s\" at position %d is not in the charset \"%.*s\".",
								 shown, number, alphabet->size, alphabet->chars));
	}
	if (width != 0 && length != width)
		gid_codec_raise(code, type,
						psprintf("In this charset a %s has %d characters, not %d.",
								 type, width, length));
	if (length == 0)
		gid_codec_raise(code, type, "The text is empty.");
	if (error == GID_RADIX_TOO_LARGE ||
		(width == 0 && limbs[0] > (uint32) PG_INT32_MAX))
		gid_codec_raise(code, type,
						psprintf("The number has more than %d bits.",
								 nlimbs * GID_RADIX_LIMB_BITS - (width == 0)));
}

/* The way back from gid_codec_encode(). */
static void
gid_codec_decode_bytes(FunctionCallInfo fcinfo, const char *type, int nlimbs,
					   uint8 *bytes)
{
	const GidCharset *charset = gid_charset_get(fcinfo, 1, GID_READ_TYPED);
	uint32		limbs[GID_RADIX_MAX_LIMBS];

	gid_codec_decode(charset, PG_GETARG_TEXT_PP(0), type,
					 charset->radix.width[nlimbs], limbs, nlimbs);
	for (int i = 0; i < nlimbs; i++)
		gid_put_be32(bytes + i * sizeof(uint32), limbs[i]);
}

/*
 * gid_encode(id bigint, charset text) -> text
 *
 * The number in the shortest form.  22003 when it is negative, 22023 for a
 * charset that is none.
 */
PG_FUNCTION_INFO_V1(gid_encode_bigint);
Datum
gid_encode_bigint(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	const GidCharset *charset = gid_charset_get(fcinfo, 1, GID_READ_TYPED);
	char		digits[GID_RADIX_MAX_DIGITS];
	char	   *end = digits + sizeof(digits);
	char	   *start;

	gid_check_range(&gid_codec_bigint_range, id);
	start = gid_radix_put_shortest(&charset->radix, charset->alphabet.chars,
								   (uint64) id, end);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(start, (int) (end - start)));
}

/*
 * gid_encode(id uuid, charset text) -> text
 *
 * The 128 bits as a number, of fixed width.  22023 for a charset that is none.
 */
PG_FUNCTION_INFO_V1(gid_encode_uuid);
Datum
gid_encode_uuid(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(gid_codec_encode(gid_charset_get(fcinfo, 1, GID_READ_TYPED),
									  PG_GETARG_UUID_P(0)->data,
									  GID_CODEC_UUID_LIMBS));
}

/*
 * gid_encode(id gdid, charset text) -> text
 *
 * The 96 bits as a number, of fixed width.  22023 for a charset that is none.
 */
PG_FUNCTION_INFO_V1(gid_encode_gdid);
Datum
gid_encode_gdid(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(gid_codec_encode(gid_charset_get(fcinfo, 1, GID_READ_TYPED),
									  ((GidGdid *) PG_GETARG_POINTER(0))->bytes,
									  GID_CODEC_GDID_LIMBS));
}

/*
 * gid_encode(id text, charset text) -> text
 *
 * Raises 42P18, whatever the arguments are.  Without this function the error
 * of an argument without a type, as drivers give them, would not say what is
 * missing.
 */
PG_FUNCTION_INFO_V1(gid_encode_text);
Datum
gid_encode_text(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_INDETERMINATE_DATATYPE),
			 errmsg("could not determine the type of the id to encode"),
			 errdetail("gid_encode() takes a bigint, a uuid or a gdid, and what it was given is text or has no type."),
			 errhint("Add a cast: gid_encode($1::uuid, ...), gid_encode($1::bigint, ...) or gid_encode($1::gdid, ...).")));
}

/*
 * gid_decode_bigint(code text, charset text) -> bigint
 *
 * The way back, and from longer forms.  22P02 for what is none, 22023 for a
 * charset that is none.
 */
PG_FUNCTION_INFO_V1(gid_decode_bigint);
Datum
gid_decode_bigint(PG_FUNCTION_ARGS)
{
	uint32		limbs[GID_CODEC_BIGINT_LIMBS];

	gid_codec_decode(gid_charset_get(fcinfo, 1, GID_READ_TYPED),
					 PG_GETARG_TEXT_PP(0), "bigint", 0, limbs,
					 GID_CODEC_BIGINT_LIMBS);
	PG_RETURN_INT64((int64) ((uint64) limbs[0] << GID_RADIX_LIMB_BITS | limbs[1]));
}

/*
 * gid_decode_uuid(code text, charset text) -> uuid
 *
 * The way back.  Errors as gid_decode_bigint().
 */
PG_FUNCTION_INFO_V1(gid_decode_uuid);
Datum
gid_decode_uuid(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_codec_decode_bytes(fcinfo, "uuid", GID_CODEC_UUID_LIMBS, uuid->data);
	PG_RETURN_UUID_P(uuid);
}

/*
 * gid_decode_gdid(code text, charset text) -> gdid
 *
 * The way back.  Errors as gid_decode_bigint().
 */
PG_FUNCTION_INFO_V1(gid_decode_gdid);
Datum
gid_decode_gdid(PG_FUNCTION_ARGS)
{
	GidGdid    *gdid = palloc(sizeof(GidGdid));

	gid_codec_decode_bytes(fcinfo, "gdid", GID_CODEC_GDID_LIMBS, gdid->bytes);
	PG_RETURN_POINTER(gdid);
}

/* Raise 22023: the code can have no check character. */
static void
gid_codec_no_check(const GidAlphabet *alphabet, const char *code, int length,
				   int at)
{
	char		shown[GID_SHOWN_CHARACTER_SIZE];
	int			number;

	if (length == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("code is empty"),
				 errdetail("A check character is that of one character or more."),
				 errhint("Give a code.")));
	number = gid_charset_show(code, at, shown);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("character \"%s\" at position %d of the code is not in the charset",
					shown, number),
			 errdetail("The charset is \"%.*s\".", alphabet->size, alphabet->chars),
			 errhint("Use a charset that has all characters of the code, or give the part of it that is to be checked.")));
}

/*
 * gid_check_append(code text, charset text) -> text
 *
 * The code as it is, and its check character.  22023 for the empty code, one
 * with a character that is not in the charset, and a charset that is none;
 * 54000 when it is within 64 bytes of the longest text.
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
		gid_lexical_check(alphabet, bytes, length, &check, &at) != GID_LEXICAL_OK)
		gid_codec_no_check(alphabet, bytes, length, at);
	result = palloc(VARHDRSZ + length + 1);
	SET_VARSIZE(result, VARHDRSZ + length + 1);
	memcpy(VARDATA(result), bytes, length);
	VARDATA(result)[length] = check;
	PG_RETURN_TEXT_P(result);
}

/*
 * gid_check_valid(code text, charset text) -> boolean
 *
 * Is it a code and its check character?  22023 for a charset that is none; what
 * may have been typed wrong is no error.
 */
PG_FUNCTION_INFO_V1(gid_check_valid);
Datum
gid_check_valid(PG_FUNCTION_ARGS)
{
	text	   *code = PG_GETARG_TEXT_PP(0);

	PG_RETURN_BOOL(gid_lexical_is_valid(&gid_charset_get(fcinfo, 1, GID_READ_TYPED)->alphabet,
										VARDATA_ANY(code), VARSIZE_ANY_EXHDR(code)));
}
