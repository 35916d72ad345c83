/*-------------------------------------------------------------------------
 *
 * id/gdid_type.c
 *		The type gdid: text, binary, hexadecimal and packed form of a GDID, its
 *		parts, its operators, and its support for btree and hash.
 *
 * A value is 12 bytes, passed by reference and aligned to 1.  So all code
 * reads single bytes, and a gdid takes 12 bytes of a row without padding.  The
 * order is that of memcmp(), and equal values have the same bytes: the hash
 * functions and the deduplication of btree rely on that.
 *
 * State: none.  text/gdid_text.c reads and writes the forms, each of which
 * gives the GDID back.
 *
 * References: azist's GDID.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/sortsupport.h"

#include "base/args.h"
#include "base/compat.h"
#include "id/families.h"
#include "text/gdid_text.h"

#define PG_GETARG_GDID(n)	((GidGdid *) PG_GETARG_POINTER(n))

StaticAssertDecl(sizeof(GidGdid) == GID_GDID_BYTES, "a gdid has 12 bytes");

/* The names of the parts, in details. */
static const char *const gid_gdid_parts[] = {
	[GID_GDID_ERA] = "era",
	[GID_GDID_AUTHORITY] = "authority",
	[GID_GDID_COUNTER] = "counter",
	[GID_GDID_ID] = "number of authority and counter",
};

/*
 * Say what is wrong, as the detail of an error: a fault of gid_gdid_parse() or
 * gid_gdid_get_packed().
 */
const char *
gid_gdid_detail(const GidFault *fault)
{
	const char *part = gid_gdid_parts[fault->part];

	switch (fault->kind)
	{
		case GID_FAULT_EMPTY:
			return "The text is empty.";
		case GID_FAULT_COLONS:
			return psprintf("Two colons are expected, not %d.", fault->found);
		case GID_FAULT_LENGTH:
			return psprintf("Without a colon, %d hexadecimal digits are expected, not %d.",
							fault->expected, fault->found);
		case GID_FAULT_FOREIGN:
			return psprintf("Without a colon, %d hexadecimal digits are expected, and no other character.",
							GID_GDID_HEX_DIGITS);
		case GID_FAULT_MISSING:
			return psprintf("The %s is missing.", part);
		case GID_FAULT_DIGIT:
			return psprintf("The %s has a character that is no decimal digit.", part);
		case GID_FAULT_TOO_LARGE:
			return psprintf("The range of the %s is 0 to %llu.", part,
							(unsigned long long) gid_gdid_max[fault->part]);
		case GID_FAULT_TRUNCATED:
			return psprintf("The bytes end within the %s.", part);
		case GID_FAULT_TOO_LONG:
			return psprintf("The %s has more than %d bits.", part,
							fault->part == GID_GDID_ERA ? GID_GDID_ERA_BITS : GID_GDID_ID_BITS);
		case GID_FAULT_NOT_SHORTEST:
			return psprintf("The encoding of the %s is not the shortest.", part);
		case GID_FAULT_TRAILING:
			return psprintf("The number of bytes after the packed form is %d.",
							fault->found);
		default:
			break;
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
			 errhint("A gdid has 12 bytes: the era in 4, authority and counter in 8, the highest byte first.")));
}

static Datum
gid_gdid_bytea(const uint8 *bytes, int length)
{
	/* a text and a bytea are made alike */
	return PointerGetDatum(cstring_to_text_with_len((const char *) bytes, length));
}

/* The error is soft where the server has soft errors. */
PG_FUNCTION_INFO_V1(gid_gdid_in);
Datum
gid_gdid_in(PG_FUNCTION_ARGS)
{
	char	   *value = PG_GETARG_CSTRING(0);
	int			length = (int) strlen(value);
	GidGdid    *gdid = palloc(sizeof(GidGdid));
	GidFault	fault = {0};

	if (!gid_gdid_parse(value, length, gdid, &fault))
		gid_ereturn(fcinfo->context, (Datum) 0,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("invalid input syntax for type %s: \"%.*s\"", "gdid",
							GID_SHOWN(value, length)),
					 errdetail("%s", gid_gdid_detail(&fault)),
					 errhint("Write era:authority:counter in decimal, for example 0:1:75, or 24 hexadecimal digits.")));
	PG_RETURN_POINTER(gdid);
}

PG_FUNCTION_INFO_V1(gid_gdid_out);
Datum
gid_gdid_out(PG_FUNCTION_ARGS)
{
	char	   *printed = palloc(GID_GDID_TEXT_SIZE);

	gid_gdid_print(printed, PG_GETARG_GDID(0));
	PG_RETURN_CSTRING(printed);
}

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

GID_FUNCTION(gid_gdid_send,
			 gid_gdid_bytea(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES))
GID_FUNCTION(gid_gdid_to_bytea,
			 gid_gdid_bytea(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES))

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

PG_FUNCTION_INFO_V1(gid_gdid_hex);
Datum
gid_gdid_hex(PG_FUNCTION_ARGS)
{
	char		digits[GID_GDID_HEX_SIZE];

	gid_gdid_print_hex(digits, PG_GETARG_GDID(0));
	PG_RETURN_TEXT_P(cstring_to_text_with_len(digits, GID_GDID_HEX_DIGITS));
}

PG_FUNCTION_INFO_V1(gid_gdid_pack);
Datum
gid_gdid_pack(PG_FUNCTION_ARGS)
{
	uint8		bytes[GID_GDID_PACKED_SIZE];
	int			length = gid_gdid_put_packed(bytes, PG_GETARG_GDID(0));

	return gid_gdid_bytea(bytes, length);
}

PG_FUNCTION_INFO_V1(gid_gdid_unpack);
Datum
gid_gdid_unpack(PG_FUNCTION_ARGS)
{
	bytea	   *packed = PG_GETARG_BYTEA_PP(0);
	GidGdid    *gdid = palloc(sizeof(GidGdid));
	GidFault	fault = {0};

	if (!gid_gdid_get_packed((const uint8 *) VARDATA_ANY(packed),
							 (int) VARSIZE_ANY_EXHDR(packed), gdid, &fault))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("invalid packed gdid"),
				 errdetail("%s", gid_gdid_detail(&fault)),
				 errhint("Give bytes of gid_gdid_pack(): ULEB128 of the era, then of authority << 60 | counter, each as short as possible.")));
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

GID_FUNCTION(gid_extract_gdid_era, Int64GetDatum((int64) gid_gdid_era(PG_GETARG_GDID(0))))
GID_FUNCTION(gid_extract_gdid_authority,
			 Int32GetDatum((int32) gid_gdid_authority(PG_GETARG_GDID(0))))
GID_FUNCTION(gid_extract_gdid_counter, Int64GetDatum((int64) gid_gdid_counter(PG_GETARG_GDID(0))))

/* ---- operators, btree and hash ---- */

/* Compare the two arguments: below 0, 0 or above 0. */
static inline int
gid_gdid_compare_args(FunctionCallInfo fcinfo)
{
	return gid_gdid_compare(PG_GETARG_GDID(0), PG_GETARG_GDID(1));
}

GID_FUNCTION(gid_gdid_lt, BoolGetDatum(gid_gdid_compare_args(fcinfo) < 0))
GID_FUNCTION(gid_gdid_le, BoolGetDatum(gid_gdid_compare_args(fcinfo) <= 0))
GID_FUNCTION(gid_gdid_eq, BoolGetDatum(gid_gdid_compare_args(fcinfo) == 0))
GID_FUNCTION(gid_gdid_ne, BoolGetDatum(gid_gdid_compare_args(fcinfo) != 0))
GID_FUNCTION(gid_gdid_ge, BoolGetDatum(gid_gdid_compare_args(fcinfo) >= 0))
GID_FUNCTION(gid_gdid_gt, BoolGetDatum(gid_gdid_compare_args(fcinfo) > 0))

PG_FUNCTION_INFO_V1(gid_gdid_cmp);
Datum
gid_gdid_cmp(PG_FUNCTION_ARGS)
{
	int			order = gid_gdid_compare_args(fcinfo);

	PG_RETURN_INT32((order > 0) - (order < 0));
}

/* The transition functions of min() and max(). */
GID_FUNCTION(gid_gdid_smaller, PG_GETARG_DATUM(gid_gdid_compare_args(fcinfo) <= 0 ? 0 : 1))
GID_FUNCTION(gid_gdid_larger, PG_GETARG_DATUM(gid_gdid_compare_args(fcinfo) >= 0 ? 0 : 1))

static int
gid_gdid_sort_compare(Datum a, Datum b, SortSupport ssup)
{
	return gid_gdid_compare((GidGdid *) DatumGetPointer(a), (GidGdid *) DatumGetPointer(b));
}

PG_FUNCTION_INFO_V1(gid_gdid_sortsupport);
Datum
gid_gdid_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = gid_gdid_sort_compare;
	PG_RETURN_VOID();
}

GID_FUNCTION(gid_gdid_hash, hash_any(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES))
GID_FUNCTION(gid_gdid_hash_extended, hash_any_extended(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES,
													   (uint64) PG_GETARG_INT64(1)))
