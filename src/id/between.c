/*-------------------------------------------------------------------------
 *
 * id/between.c
 *		The two ends of a range of time, as ids.
 *
 * A function gid_<family>_between(id, since, until) has the body
 *
 *		id >= gid_<family>_low(since) AND id <= gid_<family>_below(until)
 *
 * The planner inlines this body, so that the query can use an index on id and
 * partition pruning.  Each parameter occurs once in the body, because the
 * planner does not inline a costly argument of a parameter that occurs twice.
 * CASE and OR would prevent the use of the index.  So the two functions return
 * a value for an open end, too.
 *
 * State: none.
 *
 * Invariants:
 * 1. An end within the family's range selects the same values of the type as
 *	  "id >= min(since)" and "id < min(until)" do.  min() is the smallest id of
 *	  the moment's millisecond, tick or second.  Both ends are rounded down.
 * 2. An end is open if it is NULL, since = -infinity or until = infinity.  An
 *	  open end gives the smallest or the largest value of the type.
 * 3. A finite end outside the family's range counts as the end of that range.
 * 4. The result is NULL for an end that no id can satisfy: since = infinity,
 *	  until = -infinity, and an end beyond which the type has no value.  No id
 *	  compares with NULL.
 * 5. No function here raises an error.  So the SQL functions are LEAKPROOF,
 *	  but for a family with an argument that may be out of range.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "id/between.h"

static Datum
gid_between_uuid_end(bool last)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	memset(uuid->data, last ? 0xff : 0, UUID_LEN);
	return UUIDPGetDatum(uuid);
}

static bool
gid_between_uuid_step(Datum *id, bool up)
{
	pg_uuid_t  *uuid = DatumGetUUIDP(*id);

	for (int i = UUID_LEN - 1; i >= 0; i--)
	{
		/* without a carry, the bytes before stay */
		if (up ? ++uuid->data[i] != 0 : uuid->data[i]-- != 0)
			return true;
	}
	return false;
}

const GidIdType gid_uuid_ids = {
	.end = gid_between_uuid_end,
	.step = gid_between_uuid_step,
};

static Datum
gid_between_bigint_end(bool last)
{
	return Int64GetDatum(last ? PG_INT64_MAX : PG_INT64_MIN);
}

static bool
gid_between_bigint_step(Datum *id, bool up)
{
	int64		value = DatumGetInt64(*id);

	if (value == (up ? PG_INT64_MAX : PG_INT64_MIN))
		return false;
	*id = Int64GetDatum(up ? value + 1 : value - 1);
	return true;
}

const GidIdType gid_bigint_ids = {
	.end = gid_between_bigint_end,
	.step = gid_between_bigint_step,
};

/*
 * gid_<family>_low(since timestamptz) -> id
 *
 * Return the smallest value that an id of "since" or later has, or NULL if
 * there is none.  See the invariants above.
 */
Datum
gid_between_low(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	TimestampTz since = PG_ARGISNULL(0) ? DT_NOBEGIN : PG_GETARG_TIMESTAMPTZ(0);
	Datum		id;

	if (TIMESTAMP_IS_NOEND(since))
		PG_RETURN_NULL();
	if (TIMESTAMP_IS_NOBEGIN(since))
		return times->type->end(false);
	if (since <= times->range->max)
		return times->id_of(times, Max(since, times->range->min), false);
	id = times->id_of(times, times->range->max, true);
	if (!times->type->step(&id, true))
		PG_RETURN_NULL();
	return id;
}

/*
 * gid_<family>_below(until timestamptz) -> id
 *
 * Return the largest value that is smaller than every id of "until" or later,
 * or NULL if there is none.  See the invariants above.
 */
Datum
gid_between_below(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	TimestampTz until = PG_ARGISNULL(0) ? DT_NOEND : PG_GETARG_TIMESTAMPTZ(0);
	Datum		id;

	if (TIMESTAMP_IS_NOBEGIN(until))
		PG_RETURN_NULL();
	if (TIMESTAMP_IS_NOEND(until))
		return times->type->end(true);
	if (until > times->range->max)
		return times->id_of(times, times->range->max, true);
	id = times->id_of(times, Max(until, times->range->min), false);
	if (!times->type->step(&id, false))
		PG_RETURN_NULL();
	return id;
}
