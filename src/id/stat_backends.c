/*-------------------------------------------------------------------------
 *
 * id/stat_backends.c
 *		The view gid_stat_backends: the ids that each backend has made.
 *
 * State: none.  The slots of the backends are read without a lock, and the
 * backends pay nothing for that.
 *
 * Invariants:
 * 1. All columns of a row belong to the backend whose pid the row shows,
 *	  because the pid is read before and after them.  The columns of a row may
 *	  be of slightly different moments.
 * 2. A caller who may not see another user's session in pg_stat_activity sees
 *	  only its pid and slot here.
 *
 * Crash, restart: the slots are empty.  Clock step and standby do not matter.
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
#include "utils/tuplestore.h"

#include "base/args.h"
#include "id/views.h"

#define GID_STAT_BACKEND_COLUMNS	6

/* Fill the columns that differ between the families of a backend. */
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

/* Put the rows of a slot: one for each family, or one without a family. */
static void
gid_stat_slot(ReturnSetInfo *rsinfo, int number)
{
	GidSlot    *slot = gid_slot_of(number);
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
		pg_read_barrier();
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
 * A row for each backend and each family of which the backend made ids.  A
 * backend of another user has one row without the family, unless the caller
 * has the privileges of that user or of pg_read_all_stats.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_backends);
Datum
gid_stat_get_backends(PG_FUNCTION_ARGS)
{
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < gid_slot_number(); i++)
		gid_stat_slot((ReturnSetInfo *) fcinfo->resultinfo, i);
	return (Datum) 0;
}
