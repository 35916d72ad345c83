/*-------------------------------------------------------------------------
 *
 * id/columns.c
 *		What SQL calls for columns and their sequences: gid.columns,
 *		gid_advance() and gid_catch_up().
 *
 * State: none.  id/column.c reads a column, and says why no code of its owner
 * runs.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#include "base/args.h"
#include "base/compat.h"
#include "id/column.h"
#include "sequence/page.h"

static const char *const gid_unknown_texts[] = {
	[GID_UNKNOWN_KIND] = "it is not a table",
	[GID_UNKNOWN_COLUMN] = "the column does not exist",
	[GID_UNKNOWN_TYPE] = "the column is not smallint, integer or bigint",
	[GID_UNKNOWN_DEFAULT] = "the default is not nextval() or gid_next() alone",
	[GID_UNKNOWN_INDEX] = "no index begins with the column",
	[GID_UNKNOWN_TABLE_LOCKED] = "the table is locked",
	[GID_UNKNOWN_INDEX_LOCKED] = "the index is locked",
	[GID_UNKNOWN_SEQUENCE_LOCKED] = "the sequence is locked",
	[GID_UNKNOWN_TEMPORARY] = "it is temporary in another session",
	[GID_UNKNOWN_UNLOGGED] = "it is unlogged, and has no rows on a standby",
	[GID_UNKNOWN_PRIVILEGE] = "the role may not read the column",
	[GID_UNKNOWN_SEQUENCE_PRIVILEGE] = "the role may not read the sequence",
	[GID_UNKNOWN_ROW_SECURITY] = "row security is in force",
};

/* Why not all values of a column are known, as a text; NULL: they are. */
static const char *
gid_column_unknown_text(const GidColumn *column, const GidColumnState *state)
{
	const GidUnread *unread;
	const char *text;

	if (state->unknown != GID_UNKNOWN_NOT)
		return gid_unknown_texts[state->unknown];
	if (state->unread == NIL)
		return NULL;
	unread = linitial(state->unread);
	text = gid_unknown_texts[unread->why];

	if (unread->table == column->relation)
		return text;

	return psprintf("%s: %s",
					DatumGetCString(DirectFunctionCall1(regclassout, ObjectIdGetDatum(unread->table))), text);
}

/* Could this session read all that the catalog lets gid see? */
static bool
gid_column_is_readable(const GidColumnState *state)
{
	ListCell   *cell;

	if (!state->has_stand || state->unknown >= GID_UNKNOWN_TABLE_LOCKED)
		return false;
	foreach(cell, state->unread)
	{
		if (((const GidUnread *) lfirst(cell))->why >= GID_UNKNOWN_TABLE_LOCKED)
			return false;
	}
	return true;
}

/*
 * Find the last value that both the type of the column and the sequence allow,
 * in the sequence's direction.
 */
static int64
gid_column_limit(const GidColumn *column, const GidSequence *seq)
{
	/* a column that was dropped or renamed meanwhile has none */
	Oid			type = gid_column_type(get_atttype(column->relation,
												   get_attnum(column->relation, column->attribute)));
	bool		up = seq->increment > 0;

	if (type == INT2OID)
		return up ? Min(seq->max_value, PG_INT16_MAX) : Max(seq->min_value, PG_INT16_MIN);
	if (type == INT4OID)
		return up ? Min(seq->max_value, PG_INT32_MAX) : Max(seq->min_value, PG_INT32_MIN);
	return up ? seq->max_value : seq->min_value;
}

/*
 * The share of the values up to the limit that is used, 0 to 1.  A sequence
 * that begins again before the type of the column ends uses up none.
 */
static double
gid_column_used(const GidColumn *column, const GidStand *stand)
{
	const GidSequence *seq = &stand->sequence;
	double		start = seq->increment > 0 ? seq->min_value : seq->max_value;
	int64		limit = gid_column_limit(column, seq);
	double		all = fabs((double) limit - start) + 1;

	if (!stand->has_last || (seq->cycle && (limit == seq->min_value || limit == seq->max_value)))
		return 0;
	return Min((fabs(stand->last - start) + 1) / all, 1);
}

/* ---- SQL ---- */

/* The column of a call's first four arguments. */
static GidColumn
gid_column_arg(FunctionCallInfo fcinfo, bool is_shown)
{
	GidColumn	column = {
		.relation = PG_GETARG_OID(0),
		.attribute = NameStr(*PG_GETARG_NAME(1)),
		.sequence = PG_GETARG_OID(2),
		.is_identity = PG_GETARG_BOOL(3),
		.is_shown = is_shown,
	};

	return column;
}

PG_FUNCTION_INFO_V1(gid_stat_get_column_state);
Datum
gid_stat_get_column_state(PG_FUNCTION_ARGS)
{
	GidColumn	column = gid_column_arg(fcinfo, true);
	GidColumnState state;
	const char *unknown;
	Datum		values[6] = {0};
	bool		nulls[lengthof(values)] = {false};

	gid_column_read(&column, &state);
	unknown = gid_column_unknown_text(&column, &state);
	nulls[0] = !state.stand.has_last;
	values[0] = Int64GetDatum(state.stand.last);
	nulls[1] = state.unread != NIL || !state.has_greatest || !state.may_show;
	values[1] = Int64GetDatum(state.greatest);
	/* what is not known could make a column behind, but none not behind */
	nulls[2] = unknown != NULL && !state.is_behind;
	values[2] = BoolGetDatum(state.is_behind);
	nulls[3] = !state.has_stand;
	if (state.has_stand)
		values[3] = Float8GetDatum(gid_column_used(&column, &state.stand));
	nulls[4] = unknown == NULL;
	if (unknown != NULL)
		values[4] = CStringGetTextDatum(unknown);
	values[5] = BoolGetDatum(gid_column_is_readable(&state));
	return gid_row(fcinfo, values, nulls);
}

PG_FUNCTION_INFO_V1(gid_advance);
Datum
gid_advance(PG_FUNCTION_ARGS)
{
	GidStand	stand;

	gid_page_prevent("gid_advance()");
	gid_position_advance(PG_GETARG_OID(0), PG_GETARG_INT64(1), &stand);
	if (!stand.has_last)
		PG_RETURN_NULL();
	PG_RETURN_INT64(stand.last);
}

/*
 * Why is a sequence that is behind not to be advanced, or NULL?  One row with
 * the greatest number of its type must not use up the sequence.
 */
static const char *
gid_column_refusal(const GidColumn *column, const GidColumnState *state)
{
	const GidSequence *seq = &state->stand.sequence;
	int64		limit = gid_column_limit(column, seq);
	uint64		left;

	/* a default may name any sequence, which its rows would move on */
	if (pg_class_aclcheck(column->sequence, state->owner, ACL_USAGE | ACL_UPDATE) != ACLCHECK_OK)
		return "the owner of the table may not draw from the sequence";
	if (seq->cycle)
		return "the sequence has CYCLE";
	if (!state->stand.has_next || gid_reserve_is_after(seq, state->greatest, limit) ||
		gid_reserve_is_after(seq, state->stand.next, limit))
		return "the value is beyond the range of the sequence";
	left = gid_reserve_steps(state->stand.next, limit, seq->increment);
	if (gid_reserve_steps(state->stand.next, state->greatest, seq->increment) > left / 2)
		return "it would take more than half of the values that are left";
	return NULL;
}

/*
 * Advance the sequence of a column as far as its known values demand.  Returns
 * whether there is something to tell of the column itself: it was behind, or
 * the caller has "named" the table.  Then *now is where the sequence stands,
 * and *reason says why the column is not done, or is NULL.
 */
static bool
gid_column_catch_up(const GidColumn *column, bool is_named, GidColumnState *state, GidStand *now,
					const char **reason)
{
	bool		is_missing = false;
	const GidUnread *unread;

	memset(state, 0, sizeof(*state));
	*reason = NULL;
	/* before the locks, so that a role waits for none that it may not move */
	if (pg_class_aclcheck_ext(column->sequence, GetUserId(), ACL_UPDATE, &is_missing) != ACLCHECK_OK || is_missing)
		*reason = "the role may not update the sequence";
	else
	{
		gid_column_read(column, state);
		if (state->unknown != GID_UNKNOWN_NOT)
			*reason = gid_unknown_texts[state->unknown];
	}
	*now = state->stand;
	if (state->is_behind)
	{
		*reason = gid_column_refusal(column, state);
		if (*reason == NULL)
			gid_position_advance(column->sequence, state->greatest, now);
	}
	/* its own table, unlike its children, has no row but this one */
	unread = state->unread != NIL ? linitial(state->unread) : NULL;
	if (*reason == NULL && unread != NULL && unread->table == column->relation)
		*reason = gid_unknown_texts[unread->why];
	return state->is_behind || is_named;
}

/* Fill in the columns was, now, done and reason. */
static void
gid_column_put(const GidStand *was, const GidStand *now, const char *reason, Datum *values, bool *nulls)
{
	nulls[0] = !was->has_last;
	values[0] = Int64GetDatum(was->last);
	nulls[1] = !now->has_last;
	values[1] = Int64GetDatum(now->last);
	nulls[2] = false;
	values[2] = BoolGetDatum(reason == NULL);
	nulls[3] = reason == NULL;
	if (reason != NULL)
		values[3] = CStringGetTextDatum(reason);
}

/*
 * Catch up a column: a row for its relation, if it was behind or the table is
 * named; and of a named one a row for each of its children that could not be
 * read.
 */
PG_FUNCTION_INFO_V1(gid_catch_up_members);
Datum
gid_catch_up_members(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	GidColumn	column = gid_column_arg(fcinfo, false);
	bool		is_named = PG_GETARG_BOOL(4);
	GidColumnState state;
	GidStand	now;
	const char *reason;
	Datum		values[5] = {0};
	bool		nulls[lengthof(values)] = {false};
	ListCell   *cell;

	gid_page_prevent("gid_catch_up()");
	InitMaterializedSRF(fcinfo, 0);
	if (gid_column_catch_up(&column, is_named, &state, &now, &reason))
	{
		values[0] = ObjectIdGetDatum(column.relation);
		gid_column_put(&state.stand, &now, reason, values + 1, nulls + 1);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	foreach(cell, state.unread)
	{
		const GidUnread *unread = lfirst(cell);

		if (!is_named || unread->table == column.relation)
			continue;
		values[0] = ObjectIdGetDatum(unread->table);
		gid_column_put(&now, &now, gid_unknown_texts[unread->why], values + 1, nulls + 1);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* ---- what the SQL functions of gid 2.0 call, until the extension is updated ---- */

/* The rows have the first four columns. */
PG_FUNCTION_INFO_V1(gid_stat_get_column);
Datum
gid_stat_get_column(PG_FUNCTION_ARGS)
{
	return gid_stat_get_column_state(fcinfo);
}

/* One row, with NULL as "done" if there is none. */
PG_FUNCTION_INFO_V1(gid_catch_up_column);
Datum
gid_catch_up_column(PG_FUNCTION_ARGS)
{
	GidColumn	column = gid_column_arg(fcinfo, false);
	GidColumnState state;
	GidStand	now;
	const char *reason;
	Datum		values[4] = {0};
	bool		nulls[lengthof(values)] = {true, true, true, true};

	gid_page_prevent("gid_catch_up()");
	if (gid_column_catch_up(&column, PG_GETARG_BOOL(4), &state, &now, &reason))
	{
		/* not done, as far as one row can tell */
		if (reason == NULL)
			reason = gid_column_unknown_text(&column, &state);
		gid_column_put(&state.stand, &now, reason, values, nulls);
	}
	return gid_row(fcinfo, values, nulls);
}
