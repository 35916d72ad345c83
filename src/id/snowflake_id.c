/*-------------------------------------------------------------------------
 *
 * id/snowflake_id.c
 *		Snowflake ids: 63-bit integers of milliseconds, node and sequence.
 *
 * Millisecond and sequence come from one word of the server, counted from
 * 1970.  So no two ids of the server with the same epoch are equal, and ids of
 * one epoch increase.  Only the node distinguishes the ids of two servers.  So
 * it has no default, and without a node no id is made.
 *
 * The epoch is an argument, in Unix milliseconds, and not a setting.  So the
 * functions that take an id apart are immutable.  The milliseconds since the
 * epoch are never reduced: before the epoch and after the 41 bits there is an
 * error.
 *
 * State: none.  clock/word.c has the word, and says what holds at a crash, a
 * restart and a clock step; node/node.c has the node.  A standby needs a node
 * of its own, before its promotion and after.
 *
 * References: Twitter's Snowflake (2010); Discord's developer documentation,
 * section Snowflakes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/datetime.h"
#include "utils/timestamp.h"

#include "base/args.h"
#include "base/settings.h"
#include "clock/word.h"
#include "node/node.h"
#include "id/families.h"

static const GidRange gid_snowflake_epoch_range = {
	"epoch_ms", 0, (GID_LAST_SECOND + 1) * 1000 - 1,
	"Give the epoch in milliseconds since 1970-01-01 UTC: 1288834974657 is Twitter's, 1420070400000 Discord's."
};

static const GidRange gid_snowflake_node_range = {
	"node", 0, GID_SNOWFLAKE_MAX_NODE,
	"Give the number of the server that the id belongs to, as in its gid.node_no."
};

static const GidRange gid_snowflake_sequence_range = {
	"sequence", 0, GID_SNOWFLAKE_MAX_SEQUENCE,
	"The sequence numbers the ids of a node within a millisecond. An id must not be 0, so sequence 0 of node 0 is not used in the first millisecond of the epoch."
};

/* A moment as text, in UTC. */
static char *
gid_snowflake_moment(TimestampTz at)
{
	struct pg_tm tm;
	fsec_t		fsec;
	char		buffer[MAXDATELEN + 1];

	if (timestamp2tm(at, NULL, &tm, &fsec, NULL, NULL) != 0)
		elog(ERROR, "timestamp out of range");
	EncodeDateTime(&tm, fsec, false, 0, NULL, USE_ISO_DATES, buffer);
	return pstrdup(buffer);
}

/* Raise 22008: a moment is outside the 41 bits from the epoch on. */
static void
gid_snowflake_raise_time(const GidTimeRange *range)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("timestamp is out of range for %s", range->kind),
			 errdetail("The range of epoch_ms %lld is %s to %s UTC.",
					   (long long) ((range->min + GID_PG_EPOCH_US) / GID_US_PER_MS),
					   gid_snowflake_moment(range->min),
					   gid_snowflake_moment(range->max)),
			 errhint("Give a moment within the range, or the epoch_ms of the ids.")));
}

/* The milliseconds from the epoch to a moment.  22008 when out of range. */
static int64
gid_snowflake_ms_of(const GidTimeRange *range, TimestampTz at)
{
	if (unlikely(at < range->min || at > range->max))
		gid_snowflake_raise_time(range);
	return (at - range->min) / GID_US_PER_MS;
}

static Datum
gid_snowflake_of_time(const GidIdTimes *times, TimestampTz at, bool last)
{
	int64		ms = gid_snowflake_ms_of(&times->range, at);

	if (last)
		PG_RETURN_INT64(gid_snowflake_pack(ms, GID_SNOWFLAKE_MAX_NODE,
										   GID_SNOWFLAKE_MAX_SEQUENCE));
	PG_RETURN_INT64(gid_snowflake_pack(ms, 0, 0));
}

/*
 * The ids of an epoch in Unix milliseconds, with which their range begins.
 * 22003 unless it is in gid_snowflake_epoch_range.
 */
static GidIdTimes
gid_snowflake_times(int64 epoch_ms)
{
	/* gid_snowflake_raise_time() words the range */
	GidIdTimes	times = {
		.range.kind = "a Snowflake id",
		.unit_us = GID_US_PER_MS,
		.id_of = gid_snowflake_of_time,
	};

	gid_check_range(&gid_snowflake_epoch_range, epoch_ms);
	times.range.min = gid_timestamptz(epoch_ms * GID_US_PER_MS);
	times.range.max = times.range.min + GID_SNOWFLAKE_PERIOD_MS * GID_US_PER_MS - 1;
	return times;
}

/* Raise 22003: this server's number does not fit into ten bits. */
static void
gid_snowflake_raise_node(int node)
{
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("node number %d is too large for a Snowflake id", node),
			 errdetail("A Snowflake id has ten bits for the number of the server that makes it: 0 to %d.",
					   GID_SNOWFLAKE_MAX_NODE),
			 gid_node_authority[0] == '\0' ?
			 errhint("Give this server a number up to %d that no other server has, or make TraceIds, which have 16 bits for it.",
					 GID_SNOWFLAKE_MAX_NODE) :
			 errhint("Set gid.node_max to %d, so that the next lease has such a number, or make TraceIds, which have 16 bits for it.",
					 GID_SNOWFLAKE_MAX_NODE)));
}

PG_FUNCTION_INFO_V1(gid_snowflake_id);
Datum
gid_snowflake_id(PG_FUNCTION_ARGS)
{
	GidSlot    *slot = gid_slot_mine();
	int64		epoch_ms = PG_GETARG_INT64(0);
	uint64		word;
	int32		node;
	int64		ms;
	int64		id;

	gid_check_range(&gid_snowflake_epoch_range, epoch_ms);
	do
	{
		word = gid_word_take(GID_WORD_SNOWFLAKE, gid_word_read_clock(GID_WORD_SNOWFLAKE));
		node = gid_node_of((int64) (word / GID_SNOWFLAKE_RATE));
	} while (unlikely(node == GID_NODE_DRAW_AGAIN));
	if (unlikely(node > GID_SNOWFLAKE_MAX_NODE))
		gid_snowflake_raise_node(node);
	ms = (int64) (word >> GID_SNOWFLAKE_SEQUENCE_BITS) - epoch_ms;
	id = !gid_snowflake_holds(ms) ? 0 :
		gid_snowflake_pack(ms, (uint32) node,
						   (uint32) (word & GID_MASK(GID_SNOWFLAKE_SEQUENCE_BITS)));

	/* node 0 and sequence 0 at the epoch would be the id 0, too */
	if (unlikely(id == 0))
	{
		GidIdTimes	times = gid_snowflake_times(epoch_ms);

		gid_snowflake_raise_time(&times.range);
	}
	gid_slot_count(slot, GID_WORD_SNOWFLAKE, word);
	PG_RETURN_INT64(id);
}

PG_FUNCTION_INFO_V1(gid_snowflake_id_horizon);
Datum
gid_snowflake_id_horizon(PG_FUNCTION_ARGS)
{
	GidIdTimes	times = gid_snowflake_times(PG_GETARG_INT64(0));
	GidHorizon	horizon;

	gid_word_horizon(GID_WORD_SNOWFLAKE, &horizon);
	if (!horizon.is_known)
		PG_RETURN_NULL();
	/* the first id of a millisecond */
	return gid_snowflake_of_time(&times, gid_timestamptz(gid_word_us(GID_WORD_SNOWFLAKE, (uint64) horizon.value)), false);
}

PG_FUNCTION_INFO_V1(gid_make_snowflake_id);
Datum
gid_make_snowflake_id(PG_FUNCTION_ARGS)
{
	TimestampTz at = PG_GETARG_TIMESTAMPTZ(0);
	int32		node = PG_GETARG_INT32(1);
	int32		sequence = PG_GETARG_INT32(2);
	GidIdTimes	times = gid_snowflake_times(PG_GETARG_INT64(3));
	int64		ms = gid_snowflake_ms_of(&times.range, at);
	GidRange	sequence_range = gid_snowflake_sequence_range;

	gid_check_range(&gid_snowflake_node_range, node);
	/* an id must not be 0 */
	if (ms == 0 && node == 0)
		sequence_range.min = 1;
	gid_check_range(&sequence_range, sequence);
	PG_RETURN_INT64(gid_snowflake_pack(ms, (uint32) node, (uint32) sequence));
}

PG_FUNCTION_INFO_V1(gid_snowflake_id_min);
Datum
gid_snowflake_id_min(PG_FUNCTION_ARGS)
{
	GidIdTimes	times = gid_snowflake_times(PG_GETARG_INT64(1));

	return gid_between_min(fcinfo, &times);
}

PG_FUNCTION_INFO_V1(gid_snowflake_id_max);
Datum
gid_snowflake_id_max(PG_FUNCTION_ARGS)
{
	GidIdTimes	times = gid_snowflake_times(PG_GETARG_INT64(1));

	return gid_between_max(fcinfo, &times);
}

PG_FUNCTION_INFO_V1(gid_snowflake_id_low);
Datum
gid_snowflake_id_low(PG_FUNCTION_ARGS)
{
	GidIdTimes	times;
	Datum		low;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	times = gid_snowflake_times(PG_GETARG_INT64(1));
	low = gid_between_low(fcinfo, &times);
	/* at the epoch gid_snowflake_id_min() is 0, which is no id */
	return fcinfo->isnull ? low : Int64GetDatum(Max(DatumGetInt64(low), 1));
}

PG_FUNCTION_INFO_V1(gid_snowflake_id_below);
Datum
gid_snowflake_id_below(PG_FUNCTION_ARGS)
{
	GidIdTimes	times;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	times = gid_snowflake_times(PG_GETARG_INT64(1));
	return gid_between_below(fcinfo, &times);
}

PG_FUNCTION_INFO_V1(gid_extract_snowflake_time);
Datum
gid_extract_snowflake_time(PG_FUNCTION_ARGS)
{
	int64		id = PG_GETARG_INT64(0);
	int64		epoch_ms = PG_GETARG_INT64(1);

	gid_check_range(&gid_snowflake_epoch_range, epoch_ms);
	if (!gid_is_snowflake(id))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(gid_timestamptz((epoch_ms + gid_snowflake_ms(id)) * GID_US_PER_MS));
}

GID_EXTRACT_INT(gid_extract_snowflake_node, gid_is_snowflake, gid_snowflake_node)
GID_EXTRACT_INT(gid_extract_snowflake_sequence, gid_is_snowflake, gid_snowflake_sequence)
