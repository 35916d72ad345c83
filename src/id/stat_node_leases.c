/*-------------------------------------------------------------------------
 *
 * id/stat_node_leases.c
 *		The view gid_stat_node_leases: what an authority has leased.
 *
 * The view calls this function and does not name the table.  So the planner
 * does not open the table before its form is checked (node/node_form.c).
 *
 * State: none.
 *
 * Crash, restart, clock step: the rows are those of the table.  Standby: it
 * shows the rows of its primary.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/tuplestore.h"

#include "base/compat.h"
#include "node/node_table.h"

/*
 * gid_stat_get_node_leases() -> setof (node int, holder uuid,
 *		since timestamptz, until timestamptz, client_name text,
 *		client_address text)
 *
 * The rows of gid_node_leases, in any order.  The extension's script lets only
 * pg_monitor call this function.  55000 when the table was changed.
 */
PG_FUNCTION_INFO_V1(gid_stat_get_node_leases);
Datum
gid_stat_get_node_leases(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	gid_node_table_show(fcinfo->flinfo->fn_oid, rsinfo->setResult, rsinfo->setDesc);
	return (Datum) 0;
}
