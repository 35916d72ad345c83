/*-------------------------------------------------------------------------
 *
 * id/uuid_sequential.c
 *		Sequential UUIDs of a process id and ticks, as SQL Server users know.
 *
 * The ticks of both byte orders come from one word of the server, so no two
 * ids of the server have the same ticks.  The process id is random and new at
 * every start, so that the ids of two servers differ, a standby's included.
 *
 * State: none.  clock/word.c has the process id and the ticks word, and says
 * what holds at a crash, a restart, a clock step and on a standby.
 *
 * References: the sequential GUIDs of .NET programs for SQL Server;
 * System.Guid(byte[16]); the sort order of SQL Server's uniqueidentifier.
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
#include "clock/word.h"
#include "id/families.h"

static const GidRange gid_ticks_range = {
	"ticks", 0, (int64) GID_TICKS_MAX,
	"A tick is 100 ns since 0001-01-01 00:00:00 UTC."
};

/* The microseconds of the first and of the last tick. */
#define GID_TICKS_FIRST_TIMESTAMP \
	(-(int64) (GID_TICKS_EPOCH / GID_TICKS_PER_US) - GID_PG_EPOCH_US)
#define GID_TICKS_LAST_TIMESTAMP \
	((int64) ((GID_TICKS_MAX - GID_TICKS_EPOCH) / GID_TICKS_PER_US) - GID_PG_EPOCH_US)

/* ---- making ids ---- */

/* Make the next id of this server, in PostgreSQL's byte order. */
static pg_uuid_t *
gid_sequential_next(void)
{
	GidSlot    *slot = gid_slot_mine();
	uint64		now = gid_word_read_clock(GID_WORD_TICKS);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	uint64		ticks = gid_word_take(GID_WORD_TICKS, now);

	gid_slot_count(slot, GID_WORD_TICKS, ticks);
	gid_sequential_pack(uuid->data, ticks, gid_clock->clock.process);
	return uuid;
}

/* Make a copy in SQL Server's byte order. */
static pg_uuid_t *
gid_sequential_to_mssql(const pg_uuid_t *n)
{
	pg_uuid_t  *s = palloc(sizeof(pg_uuid_t));

	gid_to_mssql(n->data, s->data);
	return s;
}

GID_FUNCTION(gid_uuid_sequential, UUIDPGetDatum(gid_sequential_next()))
GID_FUNCTION(gid_uuid_sequential_mssql,
			 UUIDPGetDatum(gid_sequential_to_mssql(gid_sequential_next())))
GID_FUNCTION(gid_uuid_to_mssql, UUIDPGetDatum(gid_sequential_to_mssql(PG_GETARG_UUID_P(0))))

PG_FUNCTION_INFO_V1(gid_uuid_from_mssql);
Datum
gid_uuid_from_mssql(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *s = PG_GETARG_UUID_P(0);
	pg_uuid_t  *n = palloc(sizeof(pg_uuid_t));

	gid_from_mssql(s->data, n->data);
	PG_RETURN_UUID_P(n);
}

PG_FUNCTION_INFO_V1(gid_uuid_sequential_horizon);
Datum
gid_uuid_sequential_horizon(PG_FUNCTION_ARGS)
{
	static const uint8 process[GID_PROCESS_BYTES] = {0};
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));
	GidHorizon	horizon;

	gid_word_horizon(GID_WORD_TICKS, &horizon);
	if (!horizon.is_known)
		PG_RETURN_NULL();
	gid_sequential_pack(uuid->data, (uint64) horizon.value, process);
	PG_RETURN_UUID_P(uuid);
}

PG_FUNCTION_INFO_V1(gid_make_uuid_sequential);
Datum
gid_make_uuid_sequential(PG_FUNCTION_ARGS)
{
	int64		ticks = PG_GETARG_INT64(0);
	bytea	   *process = PG_GETARG_BYTEA_PP(1);
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_check_range(&gid_ticks_range, ticks);
	gid_check_length("process id", VARSIZE_ANY_EXHDR(process), GID_PROCESS_BYTES);
	gid_sequential_pack(uuid->data, (uint64) ticks, (uint8 *) VARDATA_ANY(process));
	PG_RETURN_UUID_P(uuid);
}

/* ---- ranges of time ---- */

/* The largest id of a moment has the last of the microsecond's ticks. */
static Datum
gid_sequential_of_time(const GidIdTimes *times, TimestampTz at, bool last)
{
	uint64		ticks;
	uint8		process[GID_PROCESS_BYTES];
	pg_uuid_t  *uuid = palloc(sizeof(pg_uuid_t));

	gid_check_time(&times->range, at);
	ticks = (uint64) (at + GID_PG_EPOCH_US) * GID_TICKS_PER_US + GID_TICKS_EPOCH;
	memset(process, last ? 0xff : 0, sizeof(process));
	gid_sequential_pack(uuid->data, last ? ticks + GID_TICKS_PER_US - 1 : ticks, process);
	return UUIDPGetDatum(uuid);
}

static const GidIdTimes gid_sequential_times = {
	.range = {"a sequential UUID", GID_TICKS_FIRST_TIMESTAMP, GID_TICKS_LAST_TIMESTAMP,
	"0001-01-01 00:00:00 to 9999-12-31 23:59:59.999999 UTC"},
	.unit_us = 1,
	.id_of = gid_sequential_of_time,
};

GID_FUNCTION(gid_uuid_sequential_min, gid_between_min(fcinfo, &gid_sequential_times))
GID_FUNCTION(gid_uuid_sequential_max, gid_between_max(fcinfo, &gid_sequential_times))
GID_FUNCTION(gid_uuid_sequential_low, gid_between_low(fcinfo, &gid_sequential_times))
GID_FUNCTION(gid_uuid_sequential_below, gid_between_below(fcinfo, &gid_sequential_times))

/* ---- the parts of an id ---- */

/* Whether the first 8 bytes are ticks or not. */
GID_FUNCTION(gid_extract_sequential_ticks,
			 Int64GetDatum((int64) gid_sequential_ticks(PG_GETARG_UUID_P(0)->data)))

PG_FUNCTION_INFO_V1(gid_extract_sequential_time);
Datum
gid_extract_sequential_time(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);
	int64		ticks;

	if (!gid_sequential_is_plausible(uuid->data))
		PG_RETURN_NULL();
	ticks = (int64) (gid_sequential_ticks(uuid->data) - GID_TICKS_EPOCH);
	PG_RETURN_TIMESTAMPTZ(gid_timestamptz(gid_floor_div(ticks, GID_TICKS_PER_US)));
}

PG_FUNCTION_INFO_V1(gid_extract_sequential_process);
Datum
gid_extract_sequential_process(PG_FUNCTION_ARGS)
{
	pg_uuid_t  *uuid = PG_GETARG_UUID_P(0);
	bytea	   *process;

	if (!gid_sequential_is_plausible(uuid->data))
		PG_RETURN_NULL();
	process = palloc(VARHDRSZ + GID_PROCESS_BYTES);
	SET_VARSIZE(process, VARHDRSZ + GID_PROCESS_BYTES);
	gid_sequential_process(uuid->data, (uint8 *) VARDATA(process));
	PG_RETURN_BYTEA_P(process);
}
