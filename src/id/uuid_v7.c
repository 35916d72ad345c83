/*-------------------------------------------------------------------------
 *
 * id/uuid_v7.c
 *		UUID version 7, RFC 9562.
 *
 * State: none of its own; the server's v7 word (clock/word.c) and this
 * backend's random buffer (base/random.c).
 *
 * Invariants:
 * 1. The 64 bits of milliseconds and fraction come from one word of the
 *	  server, so they differ for any two ids that it makes and increase in the
 *	  order of the calls.  RFC 9562 section 6.2, method 3, over all backends.
 * 2. The 58 other bits are random, so that ids of two servers differ.
 *
 * Crash, restart, clock step, standby: as for the word.
 *
 * References: RFC 9562 sections 5.7 and 6.2.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

#include "base/args.h"
#include "base/random.h"
#include "clock/word.h"
#include "id/between.h"

/* The last microsecond of the last of 48 bits of milliseconds. */
#define GID_V7_LAST_TIMESTAMP \
	(GID_V7_MAX_MS * GID_US_PER_MS + GID_US_PER_MS - 1 - GID_PG_EPOCH_US)

static const GidTimeRange gid_v7_range = {
	.kind = "a version 7 UUID",
	.min = GID_UNIX_EPOCH,
	.max = GID_V7_LAST_TIMESTAMP,
	.range = "1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC",
};

/* A moment's word with all bits below the millisecond 0. */
static uint64
gid_v7_word_of(TimestampTz at)
{
	gid_check_time(&gid_v7_range, at);
	return (uint64) ((at + GID_PG_EPOCH_US) / GID_US_PER_MS) << GID_V7_FRACTION_BITS;
}

/*
 * The smallest id of a moment, or the largest.  22008 when the moment is out
 * of range.
 */
static void
gid_v7_of_time(uint8 *uuid, TimestampTz at, bool last)
{
	uint64		word = gid_v7_word_of(at);

	if (last)
		gid_v7_pack(uuid, word | GID_MASK(GID_V7_FRACTION_BITS), PG_UINT64_MAX);
	else
		gid_v7_pack(uuid, word, 0);
}

static const GidUuidTimes gid_v7_times = {
	.min = GID_UNIX_EPOCH,
	.max = GID_V7_LAST_TIMESTAMP,
	.id_of = gid_v7_of_time,
};

/*
 * gid_uuid_v7() -> uuid
 *
 * A new id, greater than every one that this server made before.  Errors and
 * waits: those of gid_word_take() and gid_random_u64().
 */
PG_FUNCTION_INFO_V1(gid_uuid_v7);
Datum
gid_uuid_v7(PG_FUNCTION_ARGS)
{
	GidSlot    *slot = gid_slot_mine();
	uint64		now = gid_word_read_clock(GID_WORD_V7);
	uint64		random = gid_random_u64();
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	uint64		word = gid_word_take(GID_WORD_V7, now);

	gid_slot_count(slot, GID_FAMILY_V7, word);
	gid_v7_pack(uuid->data, word, random);
	PG_RETURN_UUID_P(uuid);
}

/*
 * gid_uuid_v7_at(at timestamptz) -> uuid
 *
 * An id for a given moment, for backfill: the millisecond of "at", everything
 * below it random.  22008 when the moment is out of range.  The server's word
 * is neither read nor moved.
 */
PG_FUNCTION_INFO_V1(gid_uuid_v7_at);
Datum
gid_uuid_v7_at(PG_FUNCTION_ARGS)
{
	uint64		word = gid_v7_word_of(PG_GETARG_TIMESTAMPTZ(0));
	uint64		fraction = gid_random_u64() & GID_MASK(GID_V7_FRACTION_BITS);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_v7_pack(uuid->data, word | fraction, gid_random_u64());
	PG_RETURN_UUID_P(uuid);
}

/*
 * gid_uuid_v7_min(at timestamptz) -> uuid
 *
 * The smallest version 7 UUID of the millisecond of "at".  22008 when the
 * moment is out of range.
 */
PG_FUNCTION_INFO_V1(gid_uuid_v7_min);
Datum
gid_uuid_v7_min(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_v7_of_time(uuid->data, PG_GETARG_TIMESTAMPTZ(0), false);
	PG_RETURN_UUID_P(uuid);
}

/*
 * gid_uuid_v7_max(at timestamptz) -> uuid
 *
 * The largest version 7 UUID of the millisecond of "at".  22008 when the
 * moment is out of range.
 */
PG_FUNCTION_INFO_V1(gid_uuid_v7_max);
Datum
gid_uuid_v7_max(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_v7_of_time(uuid->data, PG_GETARG_TIMESTAMPTZ(0), true);
	PG_RETURN_UUID_P(uuid);
}

/*
 * gid_uuid_v7_low(since timestamptz) -> uuid
 * gid_uuid_v7_below(until timestamptz) -> uuid
 *
 * The ends of gid_uuid_v7_between(): see id/between.c.
 */
PG_FUNCTION_INFO_V1(gid_uuid_v7_low);
Datum
gid_uuid_v7_low(PG_FUNCTION_ARGS)
{
	return gid_between_low(fcinfo, &gid_v7_times);
}

PG_FUNCTION_INFO_V1(gid_uuid_v7_below);
Datum
gid_uuid_v7_below(PG_FUNCTION_ARGS)
{
	return gid_between_below(fcinfo, &gid_v7_times);
}

/*
 * gid_extract_v7_time(id uuid) -> timestamptz
 *
 * The time in a version 7 UUID, to the millisecond; NULL for a UUID of another
 * version or variant.
 */
PG_FUNCTION_INFO_V1(gid_extract_v7_time);
Datum
gid_extract_v7_time(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);

	if (!gid_is_v7(uuid->data))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(gid_timestamptz(gid_v7_ms(uuid->data) * GID_US_PER_MS));
}
