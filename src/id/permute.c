/*-------------------------------------------------------------------------
 *
 * id/permute.c
 *		gid_permute() and gid_unpermute(): ids that do not show their order.
 *
 * The permutation and its design are layout/permutation.h's; here are its SQL
 * side and its errors.
 *
 * State: none but the subkeys of the last key, which each call site (FmgrInfo)
 * keeps in its own memory.  They go with it, not wiped: the key itself stands
 * in the query's plan or in a table.
 *
 * Invariants:
 * 1. Subkeys are used for the key and the bits that they were made of, and for
 *	  no other: all bytes of the key are compared at each call.
 * 2. A call with the key and bits of the call before allocates nothing, unless
 *	  the key is toasted; that copy is freed.
 * 3. No message contains the key or a part of it.
 *
 * Crash, restart, clock step, standby: nothing depends on them.
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

/* Subkeys, and what they were made of. */
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

/* Raise 22023 unless a key has a length that a key can have. */
static void
gid_permute_check_key(int length)
{
	if (length >= GID_PERMUTE_MIN_KEY && length <= GID_PERMUTE_MAX_KEY)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid length of a permutation key: %d bytes", length),
			 errdetail("A key has %d to %d bytes.",
					   GID_PERMUTE_MIN_KEY, GID_PERMUTE_MAX_KEY),
			 errhint("SELECT uuid_send(gen_random_uuid()) makes one of 16 bytes, 122 bits of which are random; keep it.")));
}

/* Raise 22003: an id outside 1..max. */
static void
gid_permute_bad_id(int64 id, uint64 max)
{
	GidRange	range = {
		"id", 1, (int64) max,
		"Bits, the third argument, say how large an id can be.",
	};

	gid_check_range(&range, id);
}

/*
 * The subkeys for the arguments of a call, from the call before if it had the
 * same; else they are made, in "own" when there is no call site to keep them.
 * 22003 for bits out of range, 22023 for a key of a wrong length.
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

	if (unlikely(cache == NULL || cache->bits != bits || cache->key_length != length ||
				 memcmp(cache->key, bytes, length) != 0))
	{
		gid_check_range(&gid_permute_bits, bits);
		gid_permute_check_key(length);
		if (cache == NULL)
		{
			cache = (GidPermuteCache *) MemoryContextAlloc(fcinfo->flinfo->fn_mcxt,
														   sizeof(GidPermuteCache));
			fcinfo->flinfo->fn_extra = cache;
		}
		/* none of what follows can fail, so the members always agree */
		cache->bits = bits;
		cache->key_length = length;
		memcpy(cache->key, bytes, length);
		gid_permute_setup(&cache->permutation, bytes, length, bits);
	}
	PG_FREE_IF_COPY(key, 1);
	return &cache->permutation;
}

/* The first argument.  22003 when it is none of the permutation's ids. */
static inline uint64
gid_permute_arg_id(FunctionCallInfo fcinfo, const GidPermutation *p)
{
	int64		id = PG_GETARG_INT64(0);

	if (unlikely((uint64) id - 1 >= p->max))
		gid_permute_bad_id(id, p->max);
	return (uint64) id;
}

/*
 * gid_permute(id bigint, key bytea, bits int) -> bigint
 *
 * The id of 1..2^bits-1 that the key puts in the place of the given one.
 * Errors: those of gid_permute_open(), 22003 for the id.  Waits for nothing.
 */
PG_FUNCTION_INFO_V1(gid_permute);
Datum
gid_permute(PG_FUNCTION_ARGS)
{
	GidPermuteCache own;
	const GidPermutation *p = gid_permute_open(fcinfo, &own);

	PG_RETURN_INT64((int64) gid_permute_forward(p, gid_permute_arg_id(fcinfo, p)));
}

/*
 * gid_unpermute(id bigint, key bytea, bits int) -> bigint
 *
 * The id in whose place the key has put the given one; otherwise as
 * gid_permute().
 */
PG_FUNCTION_INFO_V1(gid_unpermute);
Datum
gid_unpermute(PG_FUNCTION_ARGS)
{
	GidPermuteCache own;
	const GidPermutation *p = gid_permute_open(fcinfo, &own);

	PG_RETURN_INT64((int64) gid_permute_backward(p, gid_permute_arg_id(fcinfo, p)));
}
