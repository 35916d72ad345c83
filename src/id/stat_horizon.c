/*-------------------------------------------------------------------------
 *
 * id/stat_horizon.c
 *		The rows of the view gid_stat_horizon that are about growing words.
 *
 * State: none.  attach/drawn.c knows who has drawn.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "attach/backend_slot.h"
#include "attach/drawn.h"
#include "base/args.h"
#include "base/compat.h"
#include "id/views.h"

#define GID_STAT_HORIZON_COLUMNS	4

/* Put a row for each word that a transaction holds back. */
static void
gid_stat_put_holder(ReturnSetInfo *rsinfo, const GidDrawnHolder *holder)
{
	for (GidWordId id = 0; id < GID_NWORDS; id++)
	{
		int			word = gid_drawn_word(id);
		Datum		values[GID_STAT_HORIZON_COLUMNS];
		bool		nulls[GID_STAT_HORIZON_COLUMNS] = {false};

		if (word < 0 || holder->bounds[word] == GID_DRAWN_NOTHING)
			continue;
		values[0] = CStringGetTextDatum(gid_family_names[id]);
		values[1] = Int32GetDatum(holder->pid);
		nulls[1] = holder->pid == 0;
		values[2] = TransactionIdGetDatum(holder->xid);
		nulls[2] = holder->pid != 0;
		values[3] = TimestampTzGetDatum(gid_timestamptz(gid_word_us(id, holder->bounds[word])));
		nulls[3] = holder->bounds[word] == 0;
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
}

/*
 * gid_stat_get_horizon() -> setof (kind text, pid int, transaction xid,
 *		bound timestamptz)
 *
 * A row for each open or prepared transaction of this database, and each
 * family with a word that has a horizon, of which the transaction has drawn.
 * The bound is NULL for a prepared transaction whose draws are not known,
 * because the server has started since.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_horizon);
Datum
gid_stat_get_horizon(PG_FUNCTION_ARGS)
{
	GidDrawnHolder holder;

	InitMaterializedSRF(fcinfo, 0);
	(void) gid_slot_mine();
	for (int i = 0; i < gid_drawn_number(); i++)
	{
		if (gid_drawn_holder(i, &holder))
			gid_stat_put_holder((ReturnSetInfo *) fcinfo->resultinfo, &holder);
	}
	return (Datum) 0;
}
