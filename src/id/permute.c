/*-------------------------------------------------------------------------
 *
 * id/permute.c
 *		gid_permute() and gid_unpermute(): ids that do not show their order.
 *
 * layout/permutation.c has the permutation and its design.  No message
 * contains the key or a part of it.
 *
 * State: the subkeys of the last key, which each call site keeps in the memory
 * of its FmgrInfo.  They are not wiped when this memory is freed, because the
 * key itself is in the query's plan or in a table.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/args.h"
#include "base/compat.h"
#include "layout/permutation.h"

/* The subkeys of a call site, with the key and the bits of them. */
typedef struct GidPermuteCache
{
	int			bits;
	int			key_length;
	uint8		key[GID_PERMUTE_MAX_KEY];	/* the first key_length bytes */
	GidPermutation permutation;
} GidPermuteCache;

static const GidRange gid_permute_bits = {
	"bits", GID_PERMUTE_MIN_BITS, GID_PERMUTE_MAX_BITS,
	"Use 63 for every bigint from 1 on, 53 for ids that JavaScript reads as numbers.",
};

/*
 * Return the permutation of the arguments of a call.  "own" is used when there
 * is no call site that could keep it.  22003 when the bits are out of range,
 * 22023 when the length of the key is.
 */
static const GidPermutation *
gid_permute_open(FunctionCallInfo fcinfo, GidPermuteCache *own)
{
	bytea	   *key = PG_GETARG_BYTEA_PP(1);
	const uint8 *bytes = (const uint8 *) VARDATA_ANY(key);
	int			length = VARSIZE_ANY_EXHDR(key);
	int			bits = PG_GETARG_INT32(2);
	GidPermuteCache *cache = own;

	if (likely(fcinfo->flinfo != NULL))
		cache = (GidPermuteCache *) fcinfo->flinfo->fn_extra;
	else
		own->key_length = -1;

	/* the key may change from row to row, so all its bytes are compared */
	if (unlikely(cache == NULL || cache->bits != bits || cache->key_length != length ||
				 memcmp(cache->key, bytes, length) != 0))
	{
		gid_check_range(&gid_permute_bits, bits);
		if (length < GID_PERMUTE_MIN_KEY || length > GID_PERMUTE_MAX_KEY)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("invalid length of a permutation key: %d bytes", length),
					 errdetail("A key has %d to %d bytes.",
							   GID_PERMUTE_MIN_KEY, GID_PERMUTE_MAX_KEY),
					 errhint("Make a key once with SELECT uuid_send(gen_random_uuid()), which has 122 random bits, and keep it.")));
		if (cache == NULL)
		{
			cache = (GidPermuteCache *) MemoryContextAlloc(fcinfo->flinfo->fn_mcxt,
														   sizeof(GidPermuteCache));
			fcinfo->flinfo->fn_extra = cache;
		}
		/* nothing fails from here on, so the members always agree */
		cache->bits = bits;
		cache->key_length = length;
		memcpy(cache->key, bytes, length);
		gid_permute_setup(&cache->permutation, bytes, length, bits);
	}
	PG_FREE_IF_COPY(key, 1);
	return &cache->permutation;
}

/* The first argument.  22003 unless it is in 1..2^bits-1. */
static inline uint64
gid_permute_arg_id(FunctionCallInfo fcinfo, const GidPermutation *p)
{
	int64		id = PG_GETARG_INT64(0);

	if (unlikely((uint64) id - 1 >= p->max))
	{
		GidRange	range = {
			"id", 1, (int64) p->max,
			"Bits, the third argument, say how large an id can be.",
		};

		gid_raise_range(&range, id);
	}
	return (uint64) id;
}

PG_FUNCTION_INFO_V1(gid_permute);
Datum
gid_permute(PG_FUNCTION_ARGS)
{
	GidPermuteCache own;
	const GidPermutation *p = gid_permute_open(fcinfo, &own);

	PG_RETURN_INT64((int64) gid_permute_forward(p, gid_permute_arg_id(fcinfo, p)));
}

PG_FUNCTION_INFO_V1(gid_unpermute);
Datum
gid_unpermute(PG_FUNCTION_ARGS)
{
	GidPermuteCache own;
	const GidPermutation *p = gid_permute_open(fcinfo, &own);

	PG_RETURN_INT64((int64) gid_permute_backward(p, gid_permute_arg_id(fcinfo, p)));
}
