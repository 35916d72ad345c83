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
 * an id for an open end, too: the smallest or the largest of the family.
 *
 * Every result is an id of the family, or NULL where no id can match.
 * TimescaleDB, for example, raises an error when a table is partitioned by a
 * version 7 UUID and a query compares that column with any other UUID.  Within
 * the range low() and below() select the ids that "id >= min(since)" and "id <
 * min(until)" do, and a finite end outside the range counts as its end.  They
 * raise no error, so they are LEAKPROOF, but for a family with an argument
 * that may be out of range.
 *
 * Other values of the type are compared like ids: the nil UUID is below every
 * version 7 UUID, most random UUIDs are between two of them.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "id/families.h"

/* Return the smallest id of a moment.  Raises 22008 outside the range. */
Datum
gid_between_min(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	return times->id_of(times, PG_GETARG_TIMESTAMPTZ(0), false);
}

/* Return the largest id of a moment.  Raises 22008 outside the range. */
Datum
gid_between_max(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	return times->id_of(times, PG_GETARG_TIMESTAMPTZ(0), true);
}

/* Return the smallest id of "since" or later. */
Datum
gid_between_low(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	TimestampTz since = PG_ARGISNULL(0) ? DT_NOBEGIN : PG_GETARG_TIMESTAMPTZ(0);

	/* -infinity is before every range, and infinity after it */
	if (since > times->range.max)
		PG_RETURN_NULL();
	return times->id_of(times, Max(since, times->range.min), false);
}

/* Return the largest id of the unit before "until". */
Datum
gid_between_below(FunctionCallInfo fcinfo, const GidIdTimes *times)
{
	TimestampTz until = PG_ARGISNULL(0) ? DT_NOEND : PG_GETARG_TIMESTAMPTZ(0);

	if (until < times->range.min + times->unit_us)
		PG_RETURN_NULL();
	return times->id_of(times, Min(until - times->unit_us, times->range.max), true);
}
