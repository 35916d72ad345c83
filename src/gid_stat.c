/*-------------------------------------------------------------------------
 *
 * gid_stat.c
 *		Views of what the generators are doing.
 *
 * State: none.  The backend slots and the clock's words are read as they are;
 * the generators take no notice and pay nothing.
 *
 * Invariants:
 * 1. A row of a backend was true of it at one moment for each column, and
 *	  belongs to the process whose pid it shows: the pid is read before and
 *	  after.
 * 2. Who may not see another user's session in pg_stat_activity sees of it
 *	  here just its pid and slot.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "gid_args.h"
#include "gid_clock.h"
#include "gid_draw.h"

#define GID_STAT_BACKEND_COLUMNS	6
#define GID_STAT_CLOCK_COLUMNS		6
#define GID_STAT_SEQUENCE_COLUMNS	9

static const char *const gid_family_names[GID_NFAMILIES] = {
	[GID_FAMILY_V7] = "uuid_v7",
	[GID_FAMILY_SEQUENTIAL] = "uuid_sequential",
	[GID_FAMILY_SHARD] = "uuid_shard",
	[GID_FAMILY_TRACE] = "trace_id",
	[GID_FAMILY_DECIMAL] = "decimal_id",
	[GID_FAMILY_NEXT] = "next",
	[GID_FAMILY_GDID] = "gdid",
	[GID_FAMILY_CODE] = "code",
};

static const GidFamily gid_word_families[GID_NWORDS] = {
	[GID_WORD_V7] = GID_FAMILY_V7,
	[GID_WORD_TICKS] = GID_FAMILY_SEQUENTIAL,
	[GID_WORD_TRACE] = GID_FAMILY_TRACE,
	[GID_WORD_SHARD] = GID_FAMILY_SHARD,
};

/* Fill the columns of a family that a backend has used; the rest is set. */
static void
gid_stat_family(GidSlot *slot, GidFamily family,
				Datum *values, bool *nulls)
{
	uint32		generator = pg_atomic_read_u32(&slot->generator);
	uint64		last = pg_atomic_read_u64(&slot->last[family]);

	values[2] = CStringGetTextDatum(gid_family_names[family]);
	nulls[3] = family != GID_FAMILY_DECIMAL || generator == 0;
	if (!nulls[3])
		values[3] = Int32GetDatum((int32) generator - 1);
	nulls[4] = true;
	for (int id = 0; id < GID_NWORDS; id++)
	{
		if (gid_word_families[id] == family)
		{
			nulls[4] = false;
			values[4] = TimestampTzGetDatum(gid_timestamptz(gid_word_us(id, last)));
		}
	}
	values[5] = Int64GetDatum((int64) pg_atomic_read_u64(&slot->issued[family]));
}

/* Put the rows of one slot. */
static void
gid_stat_slot(ReturnSetInfo *rsinfo, int number)
{
	GidSlot    *slot = gid_shmem_slot(number);
	uint32		pid = pg_atomic_read_u32(&slot->pid);
	Oid			role;
	bool		hidden;
	Datum		values[GID_STAT_BACKEND_COLUMNS] = {0};

	if (pid == 0)
		return;
	pg_read_barrier();
	role = pg_atomic_read_u32(&slot->role);
	hidden = !has_privs_of_role(GetUserId(), ROLE_PG_READ_ALL_STATS) &&
		!has_privs_of_role(GetUserId(), role);
	values[0] = Int32GetDatum((int32) pid);
	values[1] = Int32GetDatum(number);
	if (hidden)
	{
		bool		nulls[GID_STAT_BACKEND_COLUMNS] = {false, false, true, true, true, true};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		return;
	}
	for (int family = 0; family < GID_NFAMILIES; family++)
	{
		bool		nulls[GID_STAT_BACKEND_COLUMNS] = {false};

		if (pg_atomic_read_u64(&slot->issued[family]) == 0)
			continue;
		gid_stat_family(slot, family, values, nulls);
		pg_read_barrier();
		if (pg_atomic_read_u32(&slot->pid) != pid)
			return;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/*
 * gid_stat_get_backends() -> setof (pid int, slot int, family text,
 *		generator int, last_time timestamptz, issued bigint)
 *
 * A row for each backend and family that it has made ids of.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_backends);
Datum
gid_stat_get_backends(PG_FUNCTION_ARGS)
{
	(void) gid_shmem_my_slot();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < gid_header->nslots; i++)
		gid_stat_slot((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}

/*
 * gid_stat_get_clock() -> setof (family text, durable_bound timestamptz,
 *		last_time timestamptz, lead interval, steps_back bigint, waits bigint)
 *
 * A row for each family that follows the clock; no rows before the first such
 * id since the server started.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_clock);
Datum
gid_stat_get_clock(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	(void) gid_shmem_my_slot();
	InitMaterializedSRF(fcinfo, 0);
	for (int id = 0; id < GID_NWORDS; id++)
	{
		Datum		values[GID_STAT_CLOCK_COLUMNS];
		bool		nulls[GID_STAT_CLOCK_COLUMNS] = {false};
		GidClockStat stat;
		Interval	lead = {0};

		if (!gid_clock_stat(id, &stat))
			break;
		lead.time = stat.lead_us;
		values[0] = CStringGetTextDatum(gid_family_names[gid_word_families[id]]);
		values[1] = TimestampTzGetDatum(gid_timestamptz(stat.bound_us));
		values[2] = TimestampTzGetDatum(gid_timestamptz(stat.last_us));
		values[3] = IntervalPGetDatum(&lead);
		values[4] = Int64GetDatum(stat.steps_back);
		values[5] = Int64GetDatum(stat.waits);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * gid_stat_get_sequences() -> setof (sequence oid, relfilenode oid,
 *		source text, next bigint, last bigint, block_size bigint, reservations bigint,
 *		prefetched bigint, waits bigint)
 *
 * A row for each entry of this database whose sequence the caller may read; the
 * view leaves out those of files that the sequences no longer have.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_sequences);
Datum
gid_stat_get_sequences(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GidBlockStat stat;

	(void) gid_shmem_my_slot();
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < GID_BLOCK_ENTRIES && gid_block_stat(i, &stat); i++)
	{
		Datum		values[GID_STAT_SEQUENCE_COLUMNS];
		bool		nulls[GID_STAT_SEQUENCE_COLUMNS] = {false};
		bool		missing = false;

		if (stat.key.database != MyDatabaseId ||
			pg_class_aclcheck_ext(stat.key.sequence, GetUserId(), ACL_SELECT,
								  &missing) != ACLCHECK_OK || missing)
			continue;
		values[0] = ObjectIdGetDatum(stat.key.sequence);
		values[1] = ObjectIdGetDatum(stat.key.relfilenumber);
		values[2] = CStringGetTextDatum(stat.key.source == GID_SOURCE_PAGE ? "local" :
										stat.issuer == 0 ? "authorities" :
										psprintf("authority %u", stat.issuer - 1));
		nulls[3] = nulls[4] = !stat.open;
		values[3] = Int64GetDatum(stat.next);
		values[4] = Int64GetDatum(stat.last);
		values[5] = Int64GetDatum(stat.size);
		values[6] = Int64GetDatum(stat.reservations);
		values[7] = Int64GetDatum(stat.prefetched);
		values[8] = Int64GetDatum(stat.waits);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
