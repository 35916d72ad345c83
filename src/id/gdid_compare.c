/*-------------------------------------------------------------------------
 *
 * id/gdid_compare.c
 *		The operators of the type gdid, and its support for btree and hash.
 *
 * State: none.  The functions are pure.
 *
 * Invariants:
 * 1. The order is that of memcmp(), and equal values have the same bytes.  The
 *	  hash functions and the deduplication of btree rely on that.
 * 2. Abbreviations never have another order than the values.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "utils/sortsupport.h"

#include "id/gdid_type.h"

/* The keys that a sort has abbreviated so far. */
typedef struct GidGdidSort
{
	int64		keys;
	int64		beyond;			/* those of them of another era than 0 */
} GidGdidSort;

/* Compare the two arguments: below 0, 0 or above 0. */
static inline int
gid_gdid_compare_args(FunctionCallInfo fcinfo)
{
	return gid_gdid_compare(PG_GETARG_GDID(0), PG_GETARG_GDID(1));
}

/*
 * gdid_lt, gdid_le, gdid_eq, gdid_ne, gdid_ge, gdid_gt (a gdid, b gdid)
 *		-> boolean
 *
 * The operators < <= = <> >= >.  The era counts first, then the authority,
 * then the counter.
 */
#define GID_GDID_OPERATOR(function, operator) \
PG_FUNCTION_INFO_V1(function); \
Datum \
function(PG_FUNCTION_ARGS) \
{ \
	PG_RETURN_BOOL(gid_gdid_compare_args(fcinfo) operator 0); \
} \
extern int	no_such_variable

GID_GDID_OPERATOR(gid_gdid_lt, <);
GID_GDID_OPERATOR(gid_gdid_le, <=);
GID_GDID_OPERATOR(gid_gdid_eq, ==);
GID_GDID_OPERATOR(gid_gdid_ne, !=);
GID_GDID_OPERATOR(gid_gdid_ge, >=);
GID_GDID_OPERATOR(gid_gdid_gt, >);

/*
 * gdid_cmp(a gdid, b gdid) -> int
 *
 * The comparison of the btree operator class: -1, 0 or 1.
 */
PG_FUNCTION_INFO_V1(gid_gdid_cmp);
Datum
gid_gdid_cmp(PG_FUNCTION_ARGS)
{
	int			order = gid_gdid_compare_args(fcinfo);

	PG_RETURN_INT32((order > 0) - (order < 0));
}

/*
 * gdid_smaller, gdid_larger (a gdid, b gdid) -> gdid
 *
 * The transition functions of min() and max().
 */
PG_FUNCTION_INFO_V1(gid_gdid_smaller);
Datum
gid_gdid_smaller(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(gid_gdid_compare_args(fcinfo) <= 0 ? 0 : 1));
}

PG_FUNCTION_INFO_V1(gid_gdid_larger);
Datum
gid_gdid_larger(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PG_GETARG_DATUM(gid_gdid_compare_args(fcinfo) >= 0 ? 0 : 1));
}

/* Compare whole values, also those whose abbreviations are equal. */
static int
gid_gdid_sort_compare(Datum a, Datum b, SortSupport ssup)
{
	return gid_gdid_compare(DatumGetGdid(a), DatumGetGdid(b));
}

#if SIZEOF_DATUM == 8
/* Abbreviate a value; ssup_datum_unsigned_cmp() compares abbreviations. */
static Datum
gid_gdid_sort_abbreviate(Datum original, SortSupport ssup)
{
	GidGdidSort *sort = ssup->ssup_extra;
	GidGdid    *gdid = DatumGetGdid(original);

	sort->keys++;
	sort->beyond += gid_gdid_era(gdid) != 0;
	return UInt64GetDatum(gid_gdid_abbreviate(gdid));
}

/*
 * Should the sort go on without abbreviations?  For eras other than 0 an
 * abbreviation has only the upper bits of the counter, so too many
 * abbreviations would be equal.
 */
static bool
gid_gdid_sort_abort(int memtupcount, SortSupport ssup)
{
	GidGdidSort *sort = ssup->ssup_extra;

	return memtupcount >= 100 && sort->beyond > sort->keys / 2;
}
#endif

/*
 * gdid_sortsupport(sort internal) -> void
 *
 * The sort support of the btree operator class: a comparison without fmgr, and
 * abbreviations where a Datum has 64 bits.
 */
PG_FUNCTION_INFO_V1(gid_gdid_sortsupport);
Datum
gid_gdid_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	ssup->comparator = gid_gdid_sort_compare;
#if SIZEOF_DATUM == 8
	if (ssup->abbreviate)
	{
		ssup->ssup_extra = MemoryContextAllocZero(ssup->ssup_cxt,
												  sizeof(GidGdidSort));
		ssup->comparator = ssup_datum_unsigned_cmp;
		ssup->abbrev_converter = gid_gdid_sort_abbreviate;
		ssup->abbrev_abort = gid_gdid_sort_abort;
		ssup->abbrev_full_comparator = gid_gdid_sort_compare;
	}
#endif
	PG_RETURN_VOID();
}

/*
 * gdid_hash(id gdid) -> int
 * gdid_hash_extended(id gdid, seed bigint) -> bigint
 *
 * The hash functions of the hash operator class.
 */
PG_FUNCTION_INFO_V1(gid_gdid_hash);
Datum
gid_gdid_hash(PG_FUNCTION_ARGS)
{
	return hash_any(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES);
}

PG_FUNCTION_INFO_V1(gid_gdid_hash_extended);
Datum
gid_gdid_hash_extended(PG_FUNCTION_ARGS)
{
	return hash_any_extended(PG_GETARG_GDID(0)->bytes, GID_GDID_BYTES,
							 (uint64) PG_GETARG_INT64(1));
}
