/*-------------------------------------------------------------------------
 *
 * id/serve_nextval.c
 *		nextval(), currval(), lastval() and setval() that gid serves.
 *
 * Where gid.serve_nextval is on, plans call these functions in the place of
 * PostgreSQL's (id/serve_plan.c).  PostgreSQL's functions serve what gid does
 * not draw from (temporary and unlogged sequences), and every call that fails:
 * errors, read-only transactions and parallel operations are therefore those
 * of PostgreSQL.
 *
 * A value of this session stands either here or in PostgreSQL's own cache: a
 * draw through one of the two removes it from the other one's answer.
 * PostgreSQL's cache cannot be changed.  So what stands here counts, and a
 * draw by PostgreSQL that this file does not see (COPY FROM) is not noticed.
 *
 * nextval() beside gid's blocks is safe: see sequence/page.c.
 *
 * State: the values that this session has drawn through gid, and which
 * sequence was the last.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "commands/sequence.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "base/compat.h"
#include "id/families.h"
#include "sequence/draw.h"

/* What this session last drew of a sequence, or set it to, through gid. */
typedef struct GidServedValue
{
	Oid			sequence;		/* of the hash table */
	int64		value;
} GidServedValue;

/* The values, by sequence; NULL: none. */
static HTAB *gid_serve_values = NULL;

/*
 * The value of the last draw, whatever its sequence.  NULL: PostgreSQL made
 * the last draw, or there was none.
 */
static GidServedValue *gid_serve_last = NULL;

/*
 * Forget the values of this session: at DISCARD SEQUENCES, and when the
 * setting is switched off or the extension is gone, because PostgreSQL draws
 * from then on.
 */
void
gid_serve_forget(void)
{
	gid_serve_last = NULL;
	if (gid_serve_values != NULL)
		hash_destroy(gid_serve_values);
	gid_serve_values = NULL;
}

/* The value of a sequence, or NULL. */
static GidServedValue *
gid_serve_find(Oid sequence)
{
	if (gid_serve_values == NULL)
		return NULL;
	return hash_search(gid_serve_values, &sequence, HASH_FIND, NULL);
}

/* Note the value of a draw, which is the last of the session. */
static void
gid_serve_note(Oid sequence, int64 value)
{
	if (gid_serve_last == NULL || gid_serve_last->sequence != sequence)
	{
		if (gid_serve_values == NULL)
		{
			HASHCTL		control = {.keysize = sizeof(Oid),.entrysize = sizeof(GidServedValue)};

			gid_serve_values = hash_create("gid served values", 16, &control,
										   HASH_ELEM | HASH_BLOBS);
		}
		gid_serve_last = hash_search(gid_serve_values, &sequence, HASH_ENTER, NULL);
	}
	gid_serve_last->value = value;
}

/* PostgreSQL has made the last draw of the session. */
static void
gid_serve_note_core(Oid sequence)
{
	gid_serve_last = NULL;
	if (gid_serve_values != NULL)
		(void) hash_search(gid_serve_values, &sequence, HASH_REMOVE, NULL);
}

/*
 * What is the call site?  At the first call in an execution of a plan, check
 * that the role may call the function of PostgreSQL that this one stands for,
 * as the executor does when it begins.
 */
static inline GidSite
gid_serve_site(FunctionCallInfo fcinfo, Oid replaced)
{
	GidSite		site = gid_statement_site(fcinfo);
	AclResult	result;

	if (likely(site != GID_SITE_BEGINS))
		return site;
	result = gid_proc_aclcheck(replaced, GetUserId());
	if (result != ACLCHECK_OK)
	{
		if (fcinfo->flinfo != NULL)
			fcinfo->flinfo->fn_extra = NULL;
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(replaced));
	}
	InvokeFunctionExecuteHook(replaced);
	return site;
}

/* Draw for a call of nextval(), which checks the privilege, or for a column. */
static int64
gid_serve_draw(FunctionCallInfo fcinfo, bool checked, GidSite site)
{
	Oid			sequence = PG_GETARG_OID(0);
	int64		value;

	if (gid_draw_served(sequence, checked, site, &value))
		gid_serve_note(sequence, value);
	else
	{
		value = nextval_internal(sequence, checked);
		gid_serve_note_core(sequence);
	}
	return value;
}

PG_FUNCTION_INFO_V1(gid_serve_nextval);
Datum
gid_serve_nextval(PG_FUNCTION_ARGS)
{
	GidSite		site = gid_serve_site(fcinfo, F_NEXTVAL);

	PG_RETURN_INT64(gid_serve_draw(fcinfo, true, site));
}

/*
 * Stand for the draw of an identity column, which asks for no privilege on the
 * sequence.  The planner hook marks its calls as a special syntax of SQL,
 * which the parser does for functions of pg_catalog only.  42501 for any other
 * call.
 */
PG_FUNCTION_INFO_V1(gid_serve_identity);
Datum
gid_serve_identity(PG_FUNCTION_ARGS)
{
	const Node *call = fcinfo->flinfo == NULL ? NULL : fcinfo->flinfo->fn_expr;

	if (call == NULL || !IsA(call, FuncExpr) ||
		((const FuncExpr *) call)->funcformat != COERCE_SQL_SYNTAX)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("gid.serve_identity() cannot be called"),
				 errdetail("It stands in plans for the draw of an identity column."),
				 errhint("Call nextval() or gid_next().")));
	PG_RETURN_INT64(gid_serve_draw(fcinfo, false, gid_statement_site(fcinfo)));
}

/* Does a sequence exist, and may the role read it with currval()? */
static bool
gid_serve_may_read(Oid sequence)
{
	return SearchSysCacheExists1(RELOID, ObjectIdGetDatum(sequence)) &&
		pg_class_aclcheck(sequence, GetUserId(), ACL_SELECT | ACL_USAGE) == ACLCHECK_OK;
}

PG_FUNCTION_INFO_V1(gid_serve_currval);
Datum
gid_serve_currval(PG_FUNCTION_ARGS)
{
	Oid			sequence = PG_GETARG_OID(0);
	GidServedValue *served = gid_serve_find(sequence);

	(void) gid_serve_site(fcinfo, F_CURRVAL);
	if (served == NULL || !gid_serve_may_read(sequence))
		return DirectFunctionCall1(currval_oid, ObjectIdGetDatum(sequence));
	PG_RETURN_INT64(served->value);
}

PG_FUNCTION_INFO_V1(gid_serve_lastval);
Datum
gid_serve_lastval(PG_FUNCTION_ARGS)
{
	(void) gid_serve_site(fcinfo, F_LASTVAL);
	if (gid_serve_last == NULL)
		return DirectFunctionCall1(lastval, (Datum) 0);

	/*
	 * PostgreSQL's lastval() knows of another sequence, so the errors are
	 * here
	 */
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(gid_serve_last->sequence)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("lastval is not yet defined in this session")));
	if (!gid_serve_may_read(gid_serve_last->sequence))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for sequence %s",
						get_rel_name(gid_serve_last->sequence))));
	PG_RETURN_INT64(gid_serve_last->value);
}

/*
 * Stand for setval(), with two or three arguments, and end the blocks of the
 * sequence at once, also for the running transaction.  Waits are those of
 * gid_draw_was_set(), errors those of setval().
 */
PG_FUNCTION_INFO_V1(gid_serve_setval);
Datum
gid_serve_setval(PG_FUNCTION_ARGS)
{
	Oid			sequence = PG_GETARG_OID(0);
	int64		value = PG_GETARG_INT64(1);
	bool		is_called = PG_NARGS() < 3 || PG_GETARG_BOOL(2);
	GidServedValue *served;

	(void) gid_serve_site(fcinfo, PG_NARGS() < 3 ? F_SETVAL_REGCLASS_INT8 : F_SETVAL_REGCLASS_INT8_BOOL);
	(void) DirectFunctionCall3(setval3_oid, ObjectIdGetDatum(sequence),
							   Int64GetDatum(value), BoolGetDatum(is_called));
	gid_draw_was_set(sequence, value, is_called);
	served = gid_serve_find(sequence);
	if (served != NULL && is_called)
		served->value = value;
	PG_RETURN_INT64(value);
}
