/*-------------------------------------------------------------------------
 *
 * id/gdid_type.c
 *		The type gdid: text, binary, hexadecimal and packed form of a GDID.
 *
 * State: none.  The functions are pure.  Crash, restart, clock step and
 * standby do not matter.
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
"The form is that of gid_gdid_pack(): ULEB128 of the era, then of authority << 60 | counter, each as short as can be.";

/* Say what is wrong, as the detail of an error. */
static char *
gid_gdid_detail(const GidGdidError *error)
{
	static const char *const names[] = {
		[GID_GDID_ERA] = "era",
		[GID_GDID_AUTHORITY] = "authority",
		[GID_GDID_COUNTER] = "counter",
		[GID_GDID_ID] = "number of authority and counter",
	};
	static const uint64 max[] = {
		[GID_GDID_ERA] = GID_GDID_MAX_ERA,
		[GID_GDID_AUTHORITY] = GID_GDID_MAX_AUTHORITY,
		[GID_GDID_COUNTER] = GID_GDID_MAX_COUNTER,
	};
	const char *name = names[error->part];

	switch (error->fault)
	{
		case GID_GDID_SOUND:
			break;
		case GID_GDID_EMPTY:
			return pstrdup("The text is empty.");
		case GID_GDID_COLONS:
			return psprintf("Two colons are expected, not %d.", error->count);
		case GID_GDID_HEX_LENGTH:
			return psprintf("Without a colon 24 hexadecimal digits are expected, not %d.",
							error->count);
		case GID_GDID_HEX_CHARACTER:
			return pstrdup("Without a colon 24 hexadecimal digits are expected, and nothing else.");
		case GID_GDID_MISSING:
			return psprintf("The %s is missing.", name);
		case GID_GDID_CHARACTER:
			return psprintf("The %s is not of decimal digits alone.", name);
		case GID_GDID_RANGE:
			return psprintf("The range of the %s is 0 to %llu.", name,
							(unsigned long long) max[error->part]);
		case GID_GDID_TRUNCATED:
			return psprintf("It ends within the %s.", name);
		case GID_GDID_TOO_LONG:
			return psprintf("The %s has more than %d bits.", name,
							error->part == GID_GDID_ERA ? GID_GDID_ERA_BITS : GID_GDID_ID_BITS);
		case GID_GDID_NOT_SHORTEST:
			return psprintf("The encoding of the %s is not the shortest one.", name);
		case GID_GDID_TRAILING:
			return psprintf("The number of bytes behind its end is %d.", error->count);
	}
	return pstrdup("");
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
	GidGdid    *gdid = palloc(sizeof(GidGdid));
	GidGdidError error;

	if (!gid_gdid_parse(value, (int) strlen(value), gdid, &error))
		gid_ereturn(fcinfo->context, (Datum) 0,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("invalid input syntax for type %s: \"%s\"", "gdid", value),
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
