/*-------------------------------------------------------------------------
 *
 * id/gdid_type.c
 *		The type gdid: text, binary, hexadecimal and packed form of a GDID, and
 *		its parts.
 *
 * State: none.  The functions are pure.
 *
 * Invariants:
 * 1. A value is 12 bytes, passed by reference and aligned to 1.  So all code
 *	  reads single bytes, and a gdid takes 12 bytes of a row without padding.
 * 2. Each form of a GDID gives that GDID back.
 *
 * text/gdid_text.c and layout/gdid_packed.c read and write the forms.
 *
 * References: azist's GDID.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"

#include "base/args.h"
#include "base/compat.h"
#include "id/gdid_type.h"
#include "layout/gdid_packed.h"
#include "text/gdid_text.h"

StaticAssertDecl(sizeof(GidGdid) == GID_GDID_BYTES, "a gdid has 12 bytes");

static const char gid_gdid_text_hint[] =
"Write era:authority:counter in decimal, for example 0:1:75, or 24 hexadecimal digits.";

static const char gid_gdid_binary_hint[] =
"A gdid has 12 bytes: the era in 4, authority and counter in 8, the highest byte first.";

static const char gid_gdid_packed_hint[] =
"Give bytes of gid_gdid_pack(): ULEB128 of the era, then of authority << 60 | counter, each as short as possible.";

/* The details of faults in a part, each a whole sentence. */
static const char *const gid_gdid_missing[] = {
	[GID_GDID_ERA] = "The era is missing.",
	[GID_GDID_AUTHORITY] = "The authority is missing.",
	[GID_GDID_COUNTER] = "The counter is missing.",
};

static const char *const gid_gdid_character[] = {
	[GID_GDID_ERA] = "The era has a character that is no decimal digit.",
	[GID_GDID_AUTHORITY] = "The authority has a character that is no decimal digit.",
	[GID_GDID_COUNTER] = "The counter has a character that is no decimal digit.",
};

static const char *const gid_gdid_range[] = {
	[GID_GDID_ERA] = "The range of the era is 0 to 4294967295.",
	[GID_GDID_AUTHORITY] = "The range of the authority is 0 to 15.",
	[GID_GDID_COUNTER] = "The range of the counter is 0 to 1152921504606846975.",
};

static const char *const gid_gdid_truncated[] = {
	[GID_GDID_ERA] = "The bytes end within the era.",
	[GID_GDID_ID] = "The bytes end within the number of authority and counter.",
};

static const char *const gid_gdid_too_long[] = {
	[GID_GDID_ERA] = "The era has more than 32 bits.",
	[GID_GDID_ID] = "The number of authority and counter has more than 64 bits.",
};

static const char *const gid_gdid_not_shortest[] = {
	[GID_GDID_ERA] = "The encoding of the era is not the shortest.",
	[GID_GDID_ID] = "The encoding of the number of authority and counter is not the shortest.",
};

/* Say what is wrong, as the detail of an error. */
static const char *
gid_gdid_detail(const GidGdidError *error)
{
	switch (error->fault)
	{
		case GID_GDID_SOUND:
			break;
		case GID_GDID_EMPTY:
			return "The text is empty.";
		case GID_GDID_COLONS:
			return psprintf("Two colons are expected, not %d.", error->count);
		case GID_GDID_HEX_LENGTH:
			return psprintf("Without a colon, 24 hexadecimal digits are expected, not %d.",
							error->count);
		case GID_GDID_HEX_CHARACTER:
			return "Without a colon, 24 hexadecimal digits are expected, and no other character.";
		case GID_GDID_MISSING:
			return gid_gdid_missing[error->part];
		case GID_GDID_CHARACTER:
			return gid_gdid_character[error->part];
		case GID_GDID_RANGE:
			return gid_gdid_range[error->part];
		case GID_GDID_TRUNCATED:
			return gid_gdid_truncated[error->part];
		case GID_GDID_TOO_LONG:
			return gid_gdid_too_long[error->part];
		case GID_GDID_NOT_SHORTEST:
			return gid_gdid_not_shortest[error->part];
		case GID_GDID_TRAILING:
			return psprintf("The number of bytes after the packed form is %d.",
							error->count);
	}
	return "";
}

/* Raise 22P03 unless a binary gdid has 12 bytes. */
static void
gid_gdid_check_length(int length)
{
	if (length == GID_GDID_BYTES)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid length of a binary gdid"),
			 errdetail("%d bytes are expected, not %d.", GID_GDID_BYTES, length),
			 errhint("%s", gid_gdid_binary_hint)));
}

/* Make a bytea of some bytes. */
static bytea *
gid_gdid_bytea(const uint8 *bytes, int length)
{
	bytea	   *result = palloc(VARHDRSZ + length);

	SET_VARSIZE(result, VARHDRSZ + length);
	memcpy(VARDATA(result), bytes, length);
	return result;
}

/*
 * gdid_in(value cstring) -> gdid
 *
 * Read era:authority:counter or 24 hexadecimal digits; see gid_gdid_parse().
 * 22P02 for any other text.  The error is soft where the server has soft
 * errors.
 */
PG_FUNCTION_INFO_V1(gid_gdid_in);
Datum
gid_gdid_in(PG_FUNCTION_ARGS)
{
	char	   *value = PG_GETARG_CSTRING(0);
	int			length = (int) strlen(value);
	GidGdid    *gdid = palloc(sizeof(GidGdid));
	GidGdidError error;

	if (!gid_gdid_parse(value, length, gdid, &error))
		gid_ereturn(fcinfo->context, (Datum) 0,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("invalid input syntax for type %s: \"%.*s\"", "gdid",
							GID_SHOWN(value, length)),
					 errdetail("%s", gid_gdid_detail(&error)),
					 errhint("%s", gid_gdid_text_hint)));
	PG_RETURN_POINTER(gdid);
}

/*
 * gdid_out(id gdid) -> cstring
 *
 * Write era:authority:counter in decimal.
 */
PG_FUNCTION_INFO_V1(gid_gdid_out);
Datum
gid_gdid_out(PG_FUNCTION_ARGS)
{
	char	   *printed = palloc(GID_GDID_TEXT_SIZE);

	gid_gdid_print(printed, PG_GETARG_GDID(0));
	PG_RETURN_CSTRING(printed);
}

/*
 * gdid_recv(message internal) -> gdid
 *
 * Read the 12 bytes.  22P03 when the message is longer or shorter.
 */
PG_FUNCTION_INFO_V1(gid_gdid_recv);
Datum
gid_gdid_recv(PG_FUNCTION_ARGS)
{
	StringInfo	message = (StringInfo) PG_GETARG_POINTER(0);
	GidGdid    *gdid = palloc(sizeof(GidGdid));

	gid_gdid_check_length(message->len - message->cursor);
	pq_copymsgbytes(message, (char *) gdid->bytes, GID_GDID_BYTES);
	PG_RETURN_POINTER(gdid);
}

/*
 * gdid_send(id gdid) -> bytea
 *
 * Return the 12 bytes.
 */
PG_FUNCTION_INFO_V1(gid_gdid_send);
Datum
gid_gdid_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(gid_gdid_bytea(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES));
}

/*
 * gdid_to_bytea(id gdid) -> bytea
 *
 * The cast to bytea: return the 12 bytes.
 */
PG_FUNCTION_INFO_V1(gid_gdid_to_bytea);
Datum
gid_gdid_to_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(gid_gdid_bytea(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES));
}

/*
 * gdid_from_bytea(value bytea) -> gdid
 *
 * The cast from bytea.  22P03 unless there are 12 bytes.
 */
PG_FUNCTION_INFO_V1(gid_gdid_from_bytea);
Datum
gid_gdid_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *value = PG_GETARG_BYTEA_PP(0);
	GidGdid    *gdid = palloc(sizeof(GidGdid));

	gid_gdid_check_length((int) VARSIZE_ANY_EXHDR(value));
	memcpy(gdid->bytes, VARDATA_ANY(value), GID_GDID_BYTES);
	PG_RETURN_POINTER(gdid);
}

/*
 * gid_gdid_hex(id gdid) -> text
 *
 * Return 24 hexadecimal digits in lower case.
 */
PG_FUNCTION_INFO_V1(gid_gdid_hex);
Datum
gid_gdid_hex(PG_FUNCTION_ARGS)
{
	char		digits[GID_GDID_HEX_SIZE];

	gid_gdid_print_hex(digits, PG_GETARG_GDID(0));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(digits, GID_GDID_HEX_DIGITS));
}

/*
 * gid_gdid_pack(id gdid) -> bytea
 *
 * Return the packed form, 2 to 15 bytes: see layout/gdid_packed.c.
 */
PG_FUNCTION_INFO_V1(gid_gdid_pack);
Datum
gid_gdid_pack(PG_FUNCTION_ARGS)
{
	uint8		bytes[GID_GDID_PACKED_SIZE];
	int			length = gid_gdid_put_packed(bytes, PG_GETARG_GDID(0));

	PG_RETURN_BYTEA_P(gid_gdid_bytea(bytes, length));
}

/*
 * gid_gdid_unpack(packed bytea) -> gdid
 *
 * Return the GDID of a packed form.  22P03 when gid_gdid_pack() gives these
 * bytes for no GDID.
 */
PG_FUNCTION_INFO_V1(gid_gdid_unpack);
Datum
gid_gdid_unpack(PG_FUNCTION_ARGS)
{
	bytea	   *packed = PG_GETARG_BYTEA_PP(0);
	GidGdid    *gdid = palloc(sizeof(GidGdid));
	GidGdidError error;

	if (!gid_gdid_get_packed((const uint8 *) VARDATA_ANY(packed),
							 (int) VARSIZE_ANY_EXHDR(packed), gdid, &error))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid packed gdid"),
				 errdetail("%s", gid_gdid_detail(&error)),
				 errhint("%s", gid_gdid_packed_hint)));
	PG_RETURN_POINTER(gdid);
}

/* ---- parts ---- */

static const GidRange gid_gdid_era_range = {
	"era", 0, (int64) GID_GDID_MAX_ERA,
	"The era has 32 bits, and most ids are of era 0."
};

static const GidRange gid_gdid_authority_range = {
	"authority", 0, (int64) GID_GDID_MAX_AUTHORITY,
	"The authority has 4 bits: there are 16 authorities."
};

static const GidRange gid_gdid_counter_range = {
	"counter", 0, (int64) GID_GDID_MAX_COUNTER,
	"The counter has 60 bits; past its end the next era begins."
};

/*
 * gid_make_gdid(era bigint, authority int, counter bigint) -> gdid
 *
 * Make a GDID of its parts: era from 0 to 4294967295, authority from 0 to 15,
 * counter from 0 to 2^60 - 1.  22003 when a part is out of range.
 */
PG_FUNCTION_INFO_V1(gid_make_gdid);
Datum
gid_make_gdid(PG_FUNCTION_ARGS)
{
	int64		era = PG_GETARG_INT64(0);
	int32		authority = PG_GETARG_INT32(1);
	int64		counter = PG_GETARG_INT64(2);
	GidGdid    *gdid;

	gid_check_range(&gid_gdid_era_range, era);
	gid_check_range(&gid_gdid_authority_range, authority);
	gid_check_range(&gid_gdid_counter_range, counter);
	gdid = palloc(sizeof(GidGdid));
	gid_gdid_put(gdid, (uint32) era,
				 gid_gdid_make_id((uint32) authority, (uint64) counter));
	PG_RETURN_POINTER(gdid);
}

/*
 * gid_extract_gdid_era(id gdid) -> bigint
 *
 * Return the era, 0 to 4294967295.
 */
PG_FUNCTION_INFO_V1(gid_extract_gdid_era);
Datum
gid_extract_gdid_era(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) gid_gdid_era(PG_GETARG_GDID(0)));
}

/*
 * gid_extract_gdid_authority(id gdid) -> int
 *
 * Return the authority, 0 to 15.
 */
PG_FUNCTION_INFO_V1(gid_extract_gdid_authority);
Datum
gid_extract_gdid_authority(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) gid_gdid_authority(PG_GETARG_GDID(0)));
}

/*
 * gid_extract_gdid_counter(id gdid) -> bigint
 *
 * Return the counter, 0 to 2^60 - 1.
 */
PG_FUNCTION_INFO_V1(gid_extract_gdid_counter);
Datum
gid_extract_gdid_counter(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) gid_gdid_counter(PG_GETARG_GDID(0)));
}
