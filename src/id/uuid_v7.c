/*-------------------------------------------------------------------------
 *
 * id/uuid_v7.c
 *		UUID version 7, RFC 9562, and gid_uuid_mask() and gid_uuid_unmask().
 *
 * Milliseconds and fraction, 64 bits, come from one word of the server.  So
 * they differ for any two ids of the server, and they increase in the order of
 * the calls: method 3 of RFC 9562 section 6.2, over all backends.  The other
 * 58 bits are random, so that the ids of two servers differ.
 *
 * A masked UUID is one of version 7 that looks random: it is made where the id
 * is shown, and the table keeps the other.  No message contains the key or a
 * part of it.
 *
 * State: none.  clock/word.c has the word, and says what holds at a crash, a
 * restart, a clock step and on a standby.
 *
 * References: RFC 9562 sections 5.7 and 6.2; uuidv47 (stateless-me/uuidv47).
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
#include "base/random.h"
#include "clock/word.h"
#include "id/families.h"

/* The last microsecond of the last millisecond that 48 bits hold. */
#define GID_V7_LAST_TIMESTAMP \
	(GID_V7_MAX_MS * GID_US_PER_MS + GID_US_PER_MS - 1 - GID_PG_EPOCH_US)

/* The first word of a moment's millisecond.  22008 when out of range. */
static uint64
gid_v7_word_of(const GidTimeRange *range, TimestampTz at)
{
	gid_check_time(range, at);
	return (uint64) ((at + GID_PG_EPOCH_US) / GID_US_PER_MS) << GID_V7_FRACTION_BITS;
}

static Datum
gid_v7_of_time(const GidIdTimes *times, TimestampTz at, bool last)
{
	uint64		word = gid_v7_word_of(&times->range, at);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	if (last)
		gid_v7_pack(uuid->data, word | GID_MASK(GID_V7_FRACTION_BITS), PG_UINT64_MAX);
	else
		gid_v7_pack(uuid->data, word, 0);
	return UUIDPGetDatum(uuid);
}

static const GidIdTimes gid_v7_times = {
	.range = {"a version 7 UUID", GID_UNIX_EPOCH, GID_V7_LAST_TIMESTAMP,
	"1970-01-01 00:00:00 to 10889-08-02 05:31:50.655999 UTC"},
	.unit_us = GID_US_PER_MS,
	.id_of = gid_v7_of_time,
};

GID_FUNCTION(gid_uuid_v7_min, gid_between_min(fcinfo, &gid_v7_times))
GID_FUNCTION(gid_uuid_v7_max, gid_between_max(fcinfo, &gid_v7_times))
GID_FUNCTION(gid_uuid_v7_low, gid_between_low(fcinfo, &gid_v7_times))
GID_FUNCTION(gid_uuid_v7_below, gid_between_below(fcinfo, &gid_v7_times))

PG_FUNCTION_INFO_V1(gid_uuid_v7);
Datum
gid_uuid_v7(PG_FUNCTION_ARGS)
{
	GidSlot    *slot = gid_slot_mine();
	uint64		now = gid_word_read_clock(GID_WORD_V7);

	/*
	 * The random bits and the memory are obtained before the word is taken,
	 * so that an error costs no value of the word.
	 */
	uint64		random = gid_random_u64();
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	uint64		word = gid_word_take(GID_WORD_V7, now);

	gid_slot_count(slot, GID_WORD_V7, word);
	gid_v7_pack(uuid->data, word, random);
	PG_RETURN_UUID_P(uuid);
}

/* The server's word is neither read nor moved. */
PG_FUNCTION_INFO_V1(gid_uuid_v7_at);
Datum
gid_uuid_v7_at(PG_FUNCTION_ARGS)
{
	uint64		word = gid_v7_word_of(&gid_v7_times.range, PG_GETARG_TIMESTAMPTZ(0));
	uint64		fraction = gid_random_u64() & GID_MASK(GID_V7_FRACTION_BITS);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_v7_pack(uuid->data, word | fraction, gid_random_u64());
	PG_RETURN_UUID_P(uuid);
}

PG_FUNCTION_INFO_V1(gid_uuid_v7_horizon);
Datum
gid_uuid_v7_horizon(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	GidHorizon	horizon;

	gid_word_horizon(GID_WORD_V7, &horizon);
	if (!horizon.is_known)
		PG_RETURN_NULL();
	gid_v7_pack(uuid->data, (uint64) horizon.value, 0);
	PG_RETURN_UUID_P(uuid);
}

PG_FUNCTION_INFO_V1(gid_extract_v7_time);
Datum
gid_extract_v7_time(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);

	if (!gid_is_v7(uuid->data))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(gid_timestamptz(gid_v7_ms(uuid->data) * GID_US_PER_MS));
}

/* ---- masks ---- */

/*
 * Return the UUID of the call's arguments, masked or unmasked, if it has
 * version "from"; its version becomes "to".  NULL for another version or
 * variant.  22023 when the length of the key is wrong.
 */
static Datum
gid_uuid_mask_turn_args(FunctionCallInfo fcinfo, int from, int to)
{
	const uint8 *uuid = PG_GETARG_UUID_P(0)->data;
	bytea	   *key = PG_GETARG_BYTEA_PP(1);
	int			length = VARSIZE_ANY_EXHDR(key);
	pg_uuid_t  *turned;

	if (unlikely(length != GID_SIPHASH_KEY_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid length of a masking key: %d bytes", length),
				 errdetail("A key has %d bytes.", GID_SIPHASH_KEY_BYTES),
				 errhint("Make a key once with SELECT uuid_send(gen_random_uuid()), which has 122 random bits, and keep it.")));
	if (!gid_uuid_has_rfc_variant(uuid) || gid_uuid_version(uuid) != from)
		PG_RETURN_NULL();
	turned = palloc(sizeof(pg_uuid_t));
	gid_uuid_mask_turn(turned->data, uuid, to, (const uint8 *) VARDATA_ANY(key));
	PG_RETURN_UUID_P(turned);
}

GID_FUNCTION(gid_uuid_mask, gid_uuid_mask_turn_args(fcinfo, 7, 4))
GID_FUNCTION(gid_uuid_unmask, gid_uuid_mask_turn_args(fcinfo, 4, 7))
