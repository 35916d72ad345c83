/*-------------------------------------------------------------------------
 *
 * id/views.c
 *		What the views share: the names of families, and a forecast.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "id/views.h"

/* The names in the column "family". */
const char *const gid_family_names[GID_NFAMILIES] = {
	[GID_FAMILY_V7] = "uuid_v7",
	[GID_FAMILY_SEQUENTIAL] = "uuid_sequential",
	[GID_FAMILY_SHARD] = "uuid_shard",
	[GID_FAMILY_TRACE] = "trace_id",
	[GID_FAMILY_DECIMAL] = "decimal_id",
	[GID_FAMILY_NEXT] = "next",
	[GID_FAMILY_GDID] = "gdid",
	[GID_FAMILY_CODE] = "code",
};

/* The family that each growing word belongs to. */
const GidFamily gid_word_families[GID_NWORDS] = {
	[GID_WORD_V7] = GID_FAMILY_V7,
	[GID_WORD_TICKS] = GID_FAMILY_SEQUENTIAL,
	[GID_WORD_TRACE] = GID_FAMILY_TRACE,
	[GID_WORD_SHARD] = GID_FAMILY_SHARD,
};

/*
 * Return the moment when "count" more values will be used up, at a rate above
 * 0 in values a second.  Infinity when the calendar ends before.
 */
TimestampTz
gid_stat_moment(double count, double rate)
{
	TimestampTz now = GetCurrentTimestamp();
	double		us = count / rate * USECS_PER_SEC;

	if (us >= (double) (END_TIMESTAMP - now))
		return DT_NOEND;
	return now + (TimestampTz) us;
}
