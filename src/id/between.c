/*-------------------------------------------------------------------------
 *
 * id/between.c
 *		The two ends of a range of time, as ids of a family of UUIDs.
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
 * 1. An end within the family's range selects the same values of type uuid as
 *	  "id >= min(since)" and "id < min(until)" do.  min() is the smallest id of
 *	  the moment's millisecond, tick or second.  Both ends are rounded down.
 * 2. An end is open if it is NULL, since = -infinity or until = infinity.  An
 *	  open end gives the smallest or the largest value of type uuid.
 * 3. A finite end outside the family's range counts as the end of that range.
 * 4. The result is NULL for an end that no id can satisfy: since = infinity,
 *	  until = -infinity, and an end beyond which type uuid has no value.  No id
 *	  compares with NULL.
 * 5. No function here raises an error, so the SQL functions are LEAKPROOF.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "id/between.h"

/* Replace a uuid by the next value; false if it was the last one. */
static bool
gid_between_increment(pg_uuid_t *uuid)
{
	for (int i = UUID_LEN - 1; i >= 0; i--)
	{
		if (++uuid->data[i] != 0)
			return true;
	}
	return false;
}

/* Replace a uuid by the value before; false if it was the first one. */
static bool
gid_between_decrement(pg_uuid_t *uuid)
{
	for (int i = UUID_LEN - 1; i >= 0; i--)
	{
		if (uuid->data[i]-- != 0)
			return true;
	}
	return false;
}

/*
 * gid_<family>_low(since timestamptz) -> uuid
 *
 * Return the smallest value that an id of "since" or later has, or NULL if
 * there is none.  See the invariants above.
 */
Datum
gid_between_low(FunctionCallInfo fcinfo, const GidUuidTimes *times)
{
	TimestampTz since = PG_ARGISNULL(0) ? DT_NOBEGIN : PG_GETARG_TIMESTAMPTZ(0);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	if (TIMESTAMP_IS_NOEND(since))
		PG_RETURN_NULL();
	if (TIMESTAMP_IS_NOBEGIN(since))
		memset(uuid->data, 0, UUID_LEN);
	else if (since <= times->max)
		times->id_of(uuid->data, Max(since, times->min), false);
	else
	{
		times->id_of(uuid->data, times->max, true);
		if (!gid_between_increment(uuid))
			PG_RETURN_NULL();
	}
	PG_RETURN_UUID_P(uuid);
}

/*
 * gid_<family>_below(until timestamptz) -> uuid
 *
 * Return the largest value that is smaller than every id of "until" or later,
 * or NULL if there is none.  See the invariants above.
 */
Datum
gid_between_below(FunctionCallInfo fcinfo, const GidUuidTimes *times)
{
	TimestampTz until = PG_ARGISNULL(0) ? DT_NOEND : PG_GETARG_TIMESTAMPTZ(0);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	if (TIMESTAMP_IS_NOBEGIN(until))
		PG_RETURN_NULL();
	if (TIMESTAMP_IS_NOEND(until))
		memset(uuid->data, 0xff, UUID_LEN);
	else if (until > times->max)
		times->id_of(uuid->data, times->max, true);
	else
	{
		times->id_of(uuid->data, Max(until, times->min), false);
		if (!gid_between_decrement(uuid))
			PG_RETURN_NULL();
	}
	PG_RETURN_UUID_P(uuid);
}
