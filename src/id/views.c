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
#define GID_WORD_FAMILY(id, family, ...) family,
#define GID_FAMILY_NAME(id, name) name,
	GID_WORDS(GID_WORD_FAMILY)
	GID_FAMILIES(GID_FAMILY_NAME)
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
