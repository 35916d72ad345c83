/*-------------------------------------------------------------------------
 *
 * id/between.c
 *		The two ends of a range of time, as ids of a family of UUIDs.
 *
 * A function gid_<family>_between(id, since, until) has the body
 *
 *		id >= gid_<family>_low(since) AND id <= gid_<family>_below(until)
 *
 * which the planner inlines, so that an index on id and partition pruning
 * serve it.  Each parameter stands in it once: the planner does not inline a
 * costly argument of a parameter that stands in the body twice.  CASE and OR
 * would lose the index.  So the two functions here say by their results alone
 * whether an end is open.
 *
 * State: none.
 *
 * Invariants:
 * 1. An end within the family's range gives what "id >= min(since)" and
 *	  "id < min(until)" would give for every value of type uuid, where min() is
 *	  the smallest id of the moment's millisecond, tick or second.  Both ends
 *	  are rounded down alike.
 * 2. An open end is the smallest or the largest value of type uuid.  NULL is
 *	  open, and so are since = -infinity and until = infinity.
 * 3. A finite end outside the family's range counts as the end of that range:
 *	  all ids of the family lie on one side of it.
 * 4. NULL, which no id compares with, stands for an end that no id satisfies:
 *	  since = infinity, until = -infinity, and an end with no value of type
 *	  uuid beyond it.
 * 5. No function here raises an error, so that they may be LEAKPROOF.
 *
 * Crash, restart, clock step and standby do not matter.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "id/between.h"

/* The next value of type uuid; false when there is none. */
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

/* The value of type uuid before; false when there is none. */
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
 * The smallest value that an id of "since" or later has; NULL when there is
 * none.  See the invariants above.
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
 * The largest value that is smaller than every id of "until" or later; NULL
 * when there is none.  See the invariants above.
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
