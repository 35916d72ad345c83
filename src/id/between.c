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
 * an id for an open end, too.
 *
 * State: none.
 *
 * Invariants:
 * 1. A result is an id of the family, or NULL.  TimescaleDB, for example,
 *	  raises an error when a table is partitioned by a version 7 UUID and a
 *	  query compares that column with any other UUID.
 * 2. An end within the family's range selects the same ids of the family as
 *	  "id >= min(since)" and "id < min(until)" do.  min() is the smallest id of
 *	  the moment's unit: a millisecond, a microsecond or a second.  Both ends
 *	  are rounded down to the unit.
 * 3. An end is open if it is NULL, since = -infinity or until = infinity.  An
 *	  open end gives the smallest or the largest id of the family.
 * 4. A finite end outside the family's range counts as the end of that range.
 * 5. The result is NULL for an end that no id can satisfy: until = -infinity
 *	  or up to the first unit of the range, since = infinity or after the
 *	  range.  No id compares with NULL.
 * 6. No function here raises an error.  So the SQL functions are LEAKPROOF,
 *	  but for a family with an argument that may be out of range.
 *
 * The ids of a family are not all values of the type.  A value that is no id
 * of the family is compared like any other: the nil UUID is below every
 * version 7 UUID, most random UUIDs are between two of them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "id/between.h"

/*
 * gid_<family>_low(since timestamptz) -> id
 *
 * Return the smallest id of "since" or later, or NULL if there is none.  See
 * the invariants above.  -infinity is before every range, infinity after it.
 */
Datum
gid_between_low(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	TimestampTz since = PG_ARGISNULL(0) ? DT_NOBEGIN : PG_GETARG_TIMESTAMPTZ(0);

	if (since > times->range->max)
		PG_RETURN_NULL();
	return times->id_of(times, Max(since, times->range->min), false);
}

/*
 * gid_<family>_below(until timestamptz) -> id
 *
 * Return the largest id of the unit before "until", or NULL if there is no
 * such unit.  See the invariants above.
 */
Datum
gid_between_below(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	TimestampTz until = PG_ARGISNULL(0) ? DT_NOEND : PG_GETARG_TIMESTAMPTZ(0);

	if (until < times->range->min + times->unit_us)
		PG_RETURN_NULL();
	return times->id_of(times, Min(until - times->unit_us, times->range->max), true);
}
