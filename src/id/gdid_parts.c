/*-------------------------------------------------------------------------
 *
 * id/gdid_parts.c
 *		The parts of a GDID: era, authority and counter.
 *
 * State: none.  The functions are pure.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"

#include "base/args.h"
#include "id/gdid_type.h"

static const GidRange gid_gdid_era_range = {
	.name = "era",
	.min = 0,
	.max = (int64) GID_GDID_MAX_ERA,
	.hint = "The era has 32 bits, and most ids are of era 0.",
};

static const GidRange gid_gdid_authority_range = {
	.name = "authority",
	.min = 0,
	.max = (int64) GID_GDID_MAX_AUTHORITY,
	.hint = "The authority has 4 bits: there are 16 authorities.",
};

static const GidRange gid_gdid_counter_range = {
	.name = "counter",
	.min = 0,
	.max = (int64) GID_GDID_MAX_COUNTER,
	.hint = "The counter has 60 bits; past its end the next era begins.",
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
