/*-------------------------------------------------------------------------
 *
 * id/uuid_shard.c
 *		UUIDs that carry a 32-bit shard key.
 *
 * Seconds and counter of all shards come from one word of the server.  So no
 * two ids of the server have the same seconds and counter, and the ids of one
 * shard increase.  The generator bytes are random and new at every start, so
 * that the ids of two servers differ, a standby's included.
 *
 * The seconds in an id have 32 bits.  From 2106-02-07 06:28:16 UTC on they
 * begin at 0 again, and so does the order of the ids.
 *
 * State: none.  clock/word.c has the generator bytes and the shard word, and
 * says what holds at a crash, a restart, a clock step and
 * on a standby.
 *
 * References: HotGuid (layout, the extraction of the shard key).
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
#include "base/compat.h"
#include "base/settings.h"
#include "clock/word.h"
#include "id/families.h"

static const GidRange gid_shard_range = {
	"shard key", 0, GID_MAX_SHARD,
	"A shard key is an unsigned number of 32 bits; gid_region_shard() makes one of a region and a shard."
};

static const GidRange gid_shard_counter_range = {
	"counter", 0, (int64) GID_MASK(GID_SHARD_COUNTER_BITS),
	"The counter of a shard-key UUID has 24 bits."
};

static const GidRange gid_region_range = {
	"region", 0, (int64) GID_MASK(GID_REGION_BITS),
	"A region has 10 bits, enough for the numeric country and area codes of UN M.49."
};

static const GidRange gid_region_shard_range = {
	"shard", 0, (int64) GID_MASK(GID_REGION_SHARD_BITS),
	"Within a region a shard has 22 bits."
};

static const GidTimeRange gid_shard_time_range = {
	"a shard-key UUID", GID_UNIX_EPOCH, GID_LAST_TIMESTAMP,
	"1970-01-01 00:00:00 UTC on; the seconds in an id begin at 0 again every 2^32 seconds"
};

/* ---- making ids ---- */

/* Make the next id of this server for a shard. */
static pg_uuid_t *
gid_shard_next(uint32 shard)
{
	GidSlot    *slot = gid_slot_mine();
	uint64		now = gid_word_read_clock(GID_WORD_SHARD);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	uint64		word = gid_word_take(GID_WORD_SHARD, now);

	gid_slot_count(slot, GID_WORD_SHARD, word);
	gid_shard_pack(uuid->data, word, gid_clock->clock.generator, shard);
	return uuid;
}

PG_FUNCTION_INFO_V1(gid_uuid_shard);
Datum
gid_uuid_shard(PG_FUNCTION_ARGS)
{
	int64		shard = PG_GETARG_INT64(0);

	gid_check_range(&gid_shard_range, shard);
	PG_RETURN_UUID_P(gid_shard_next((uint32) shard));
}

PG_FUNCTION_INFO_V1(gid_uuid_shard_default);
Datum
gid_uuid_shard_default(PG_FUNCTION_ARGS)
{
	if (gid_shard_key < 0)
		gid_setting_raise("gid.shard_key");
	PG_RETURN_UUID_P(gid_shard_next((uint32) gid_shard_key));
}

/* The first word of a moment.  22008 when it is infinite or before 1970. */
static uint64
gid_shard_word_of(TimestampTz at)
{
	gid_check_time(&gid_shard_time_range, at);
	return gid_word_at(GID_WORD_SHARD, gid_unix_seconds(at), 0);
}

PG_FUNCTION_INFO_V1(gid_make_uuid_shard);
Datum
gid_make_uuid_shard(PG_FUNCTION_ARGS)
{
	uint64		word = gid_shard_word_of(PG_GETARG_TIMESTAMPTZ(0));
	bytea	   *generator = PG_GETARG_BYTEA_PP(1);
	int32		counter = PG_GETARG_INT32(2);
	int64		shard = PG_GETARG_INT64(3);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_check_length("generator", VARSIZE_ANY_EXHDR(generator), GID_GENERATOR_BYTES);
	gid_check_range(&gid_shard_counter_range, counter);
	gid_check_range(&gid_shard_range, shard);
	gid_shard_pack(uuid->data, word | (uint64) counter,
				   (uint8 *) VARDATA_ANY(generator), (uint32) shard);
	PG_RETURN_UUID_P(uuid);
}

/* ---- ranges of time ---- */

static Datum
gid_shard_of_time(const GidIdTimes *times, TimestampTz at, bool last)
{
	uint64		word = gid_shard_word_of(at);
	uint8		generator[GID_GENERATOR_BYTES];
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	memset(generator, last ? 0xff : 0, sizeof(generator));
	if (last)
		word |= GID_MASK(GID_SHARD_COUNTER_BITS);
	gid_shard_pack(uuid->data, word, generator, last ? PG_UINT32_MAX : 0);
	return UUIDPGetDatum(uuid);
}

/*
 * A range of time ends in 2106, like the results of gid_extract_shard_time().
 * If later seconds were reduced mod 2^32, a range up to 2150 would end in
 * 2013.
 */
static const GidIdTimes gid_shard_times = {
	.range.min = GID_UNIX_EPOCH,
	.range.max = ((int64) 1 << GID_SHARD_SECOND_BITS) * GID_US_PER_S - 1 - GID_PG_EPOCH_US,
	.unit_us = GID_US_PER_S,
	.id_of = gid_shard_of_time,
};

GID_FUNCTION(gid_uuid_shard_min, gid_between_min(fcinfo, &gid_shard_times))
GID_FUNCTION(gid_uuid_shard_max, gid_between_max(fcinfo, &gid_shard_times))
GID_FUNCTION(gid_uuid_shard_low, gid_between_low(fcinfo, &gid_shard_times))
GID_FUNCTION(gid_uuid_shard_below, gid_between_below(fcinfo, &gid_shard_times))

/* ---- the parts of an id, never NULL: any UUID can be one ---- */

GID_FUNCTION(gid_extract_shard, Int64GetDatum(gid_shard_key_of(PG_GETARG_UUID_P(0)->data)))

PG_FUNCTION_INFO_V1(gid_extract_shard_time);
Datum
gid_extract_shard_time(PG_FUNCTION_ARGS)
{
	int64		seconds = gid_shard_seconds(PG_GETARG_UUID_P(0)->data);

	PG_RETURN_TIMESTAMPTZ(gid_timestamptz(seconds * GID_US_PER_S));
}

PG_FUNCTION_INFO_V1(gid_extract_shard_generator);
Datum
gid_extract_shard_generator(PG_FUNCTION_ARGS)
{
	bytea	   *generator = palloc(VARHDRSZ + GID_GENERATOR_BYTES);

	SET_VARSIZE(generator, VARHDRSZ + GID_GENERATOR_BYTES);
	gid_shard_generator(PG_GETARG_UUID_P(0)->data, (uint8 *) VARDATA(generator));
	PG_RETURN_BYTEA_P(generator);
}

GID_FUNCTION(gid_extract_shard_counter,
			 Int32GetDatum((int32) gid_shard_counter(PG_GETARG_UUID_P(0)->data)))

/* ---- shard keys of a region and a shard ---- */

PG_FUNCTION_INFO_V1(gid_region_shard);
Datum
gid_region_shard(PG_FUNCTION_ARGS)
{
	int32		region = PG_GETARG_INT32(0);
	int32		shard = PG_GETARG_INT32(1);

	gid_check_range(&gid_region_range, region);
	gid_check_range(&gid_region_shard_range, shard);
	PG_RETURN_INT64((int64) region << GID_REGION_SHARD_BITS | shard);
}

GID_FUNCTION(gid_extract_region,
			 Int32GetDatum((int32) (gid_shard_key_of(PG_GETARG_UUID_P(0)->data) >> GID_REGION_SHARD_BITS)))
GID_FUNCTION(gid_extract_region_shard,
			 Int32GetDatum((int32) (gid_shard_key_of(PG_GETARG_UUID_P(0)->data) & GID_MASK(GID_REGION_SHARD_BITS))))
