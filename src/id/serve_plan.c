/*-------------------------------------------------------------------------
 *
 * id/serve_plan.c
 *		Plans that draw through gid: an application keeps its own words, its
 *		serial and its identity columns.
 *
 * Where gid.serve_nextval is on, a planner hook lets the next planner finish
 * its plan.  Then the hook replaces nextval(), currval(), lastval(), setval()
 * and the draw of an identity column in each expression of the plan, by the
 * functions of id/serve_nextval.c.  gid plans and expands nothing itself, so
 * a plan differs from PostgreSQL's in the names of these functions alone.
 * Defaults, views, rules, functions and dumps keep PostgreSQL's names.
 *
 * The arguments of CALL are not planned.  The utility hook replaces the
 * functions there.  What else is not planned keeps PostgreSQL's functions: the
 * defaults of COPY FROM, ALTER TABLE and logical replication, CHECK
 * constraints, conditions of triggers, and the arguments of EXECUTE, which
 * core transforms only while it runs the statement.  nextval() beside gid's
 * blocks is safe: see sequence/page.c.
 *
 * State: the OIDs of gid's functions in this database.
 *
 * Crash, restart, clock step: nothing to keep.  On a standby plans name the
 * same functions, which raise PostgreSQL's errors.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/planner.h"
#include "tcop/utility.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "base/compat.h"
#include "base/extension.h"
#include "base/settings.h"
#include "id/families.h"

/* The functions of id/serve_nextval.c, and what they stand for. */
static const struct
{
	Oid			replaces;
	const char *name;			/* in the schema "gid" */
	int			nargs;
	Oid			args[3];
}			gid_served[] = {
	{F_NEXTVAL, "serve_nextval", 1, {REGCLASSOID}},
	{F_CURRVAL, "serve_currval", 1, {REGCLASSOID}},
	{F_LASTVAL, "serve_lastval", 0, {InvalidOid}},
	{F_SETVAL_REGCLASS_INT8, "serve_setval", 2, {REGCLASSOID, INT8OID}},
	{F_SETVAL_REGCLASS_INT8_BOOL, "serve_setval", 3, {REGCLASSOID, INT8OID, BOOLOID}},
	{InvalidOid, "serve_identity", 1, {REGCLASSOID}},	/* for a NextValueExpr */
};

#define GID_NSERVED			((int) lengthof(gid_served))
#define GID_SERVE_IDENTITY	(GID_NSERVED - 1)

/* The functions' OIDs in this database, where gid_serve_refresh(). */
static Oid	gid_serve_oids[GID_NSERVED];

/* How often rows of pg_proc have changed, from 1 on. */
static uint64 gid_serve_changes = 1;

static planner_hook_type gid_serve_planner_next = NULL;
static ProcessUtility_hook_type gid_serve_utility_next = NULL;

/* ---- the functions ---- */

/* A row of pg_proc has changed. */
static void
gid_serve_invalidate(Datum arg, int cache, uint32 hash)
{
	gid_serve_changes++;
}

/* Look up the functions.  Returns whether all are there. */
static bool
gid_serve_look_up(Oid *oids)
{
	Oid			schema = gid_extension_schema();
	bool		all = OidIsValid(schema);

	for (int i = 0; all && i < GID_NSERVED; i++)
	{
		oids[i] = GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid,
								  CStringGetDatum(gid_served[i].name),
								  PointerGetDatum(buildoidvector(gid_served[i].args, gid_served[i].nargs)),
								  ObjectIdGetDatum(schema));
		/* the script that creates them is running */
		all = OidIsValid(oids[i]);
	}
	return all;
}

/* Are gid's functions in this database?  Looks them up if need be. */
static bool
gid_serve_refresh(void)
{
	static bool registered = false;
	static bool has = false;
	static uint64 looked_up = 0;	/* gid_serve_changes before the look-up */
	uint64		now = gid_serve_changes;
	Oid			oids[GID_NSERVED];
	bool		had = has || !registered;

	if (looked_up == now)
		return has;
	if (!registered)
		CacheRegisterSyscacheCallback(PROCOID, gid_serve_invalidate, (Datum) 0);
	registered = true;

	/*
	 * a cancel or an invalidation meanwhile makes the next call look them up
	 * again
	 */
	has = gid_serve_look_up(oids);
	looked_up = now;
	if (!has)
	{
		/* PostgreSQL draws from now on */
		gid_serve_forget();
		return false;
	}
	memcpy(gid_serve_oids, oids, sizeof(oids));
	/* since CREATE EXTENSION: plans from before it draw by PostgreSQL */
	if (!had)
		ResetPlanCache();
	return true;
}

/* The number of the function that stands for one of PostgreSQL's, or -1. */
static int
gid_serve_replacement(Oid function)
{
	if (function < FirstUnpinnedObjectId)
		for (int i = 0; i < GID_SERVE_IDENTITY; i++)
			if (gid_served[i].replaces == function)
				return i;
	return -1;
}

/* ---- expressions ---- */

/* Does an expression call a function to replace? */
static bool
gid_serve_finds(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, NextValueExpr) ||
		(IsA(node, FuncExpr) &&
		 gid_serve_replacement(((FuncExpr *) node)->funcid) >= 0))
		return true;
	return expression_tree_walker(node, gid_serve_finds, context);
}

/* The draw of an identity column, as a call of gid.serve_identity(). */
static Node *
gid_serve_column(const NextValueExpr *next)
{
	Const	   *sequence = makeConst(REGCLASSOID, -1, InvalidOid, sizeof(Oid),
									 ObjectIdGetDatum(next->seqid), false, true);
	FuncExpr   *draw = makeFuncExpr(gid_serve_oids[GID_SERVE_IDENTITY], INT8OID,
									list_make1(sequence), InvalidOid, InvalidOid,
									COERCE_SQL_SYNTAX);

	if (next->typeId == INT8OID)
		return (Node *) draw;
	return (Node *) makeFuncExpr(next->typeId == INT4OID ? F_INT4_INT8 : F_INT2_INT8,
								 next->typeId, list_make1(draw), InvalidOid,
								 InvalidOid, COERCE_IMPLICIT_CAST);
}

/* Copy an expression, with gid's functions in the place of PostgreSQL's. */
static Node *
gid_serve_mutate(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, NextValueExpr))
		return gid_serve_column((NextValueExpr *) node);
	node = expression_tree_mutator(node, gid_serve_mutate, context);
	if (IsA(node, FuncExpr))
	{
		int			served = gid_serve_replacement(((FuncExpr *) node)->funcid);

		if (served >= 0)
			((FuncExpr *) node)->funcid = gid_serve_oids[served];
	}
	return node;
}

/*
 * Replace the functions in an expression or a list of expressions.  Returns
 * whether there were any.
 */
static bool
gid_serve_replace(Node **expression)
{
	if (!gid_serve_finds(*expression, NULL) || !gid_serve_refresh())
		return false;
	*expression = gid_serve_mutate(*expression, NULL);
	return true;
}

/* ---- plans ---- */

static bool gid_serve_plan(Plan *plan);

static bool
gid_serve_plans(List *plans)
{
	bool		replaced = false;
	ListCell   *cell;

	foreach(cell, plans)
		replaced |= gid_serve_plan(lfirst(cell));
	return replaced;
}

/*
 * Replace the functions in a plan and in the plans below it.  Returns whether
 * there were any.
 *
 * All these functions are volatile.  The planner makes no index condition, no
 * merge or hash clause and no key of a cache or of partition pruning of a
 * volatile function.  Such expressions are therefore left out.
 */
static bool
gid_serve_plan(Plan *plan)
{
	bool		replaced = false;

#define REPLACE(field)	(replaced |= gid_serve_replace((Node **) &(field)))

	if (plan == NULL)
		return false;
	check_stack_depth();
	REPLACE(plan->targetlist);
	REPLACE(plan->qual);
	REPLACE(plan->initPlan);
	switch (nodeTag(plan))
	{
		case T_Result:
			REPLACE(((Result *) plan)->resconstantqual);
			break;
		case T_ModifyTable:
			REPLACE(((ModifyTable *) plan)->withCheckOptionLists);
			REPLACE(((ModifyTable *) plan)->returningLists);
			REPLACE(((ModifyTable *) plan)->onConflictSet);
			REPLACE(((ModifyTable *) plan)->onConflictWhere);
			REPLACE(((ModifyTable *) plan)->mergeActionLists);
#ifdef GID_HAS_MERGE_JOIN_CONDITIONS
			REPLACE(((ModifyTable *) plan)->mergeJoinConditions);
#endif
			break;
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			REPLACE(((Join *) plan)->joinqual);
			break;
		case T_SampleScan:
			REPLACE(((SampleScan *) plan)->tablesample);
			break;
		case T_FunctionScan:
			REPLACE(((FunctionScan *) plan)->functions);
			break;
		case T_ValuesScan:
			REPLACE(((ValuesScan *) plan)->values_lists);
			break;
		case T_TableFuncScan:
			REPLACE(((TableFuncScan *) plan)->tablefunc);
			break;
		case T_WindowAgg:
			REPLACE(((WindowAgg *) plan)->startOffset);
			REPLACE(((WindowAgg *) plan)->endOffset);
			break;
		case T_Limit:
			REPLACE(((Limit *) plan)->limitOffset);
			REPLACE(((Limit *) plan)->limitCount);
			break;
		case T_ForeignScan:
			REPLACE(((ForeignScan *) plan)->fdw_exprs);
			REPLACE(((ForeignScan *) plan)->fdw_scan_tlist);
			REPLACE(((ForeignScan *) plan)->fdw_recheck_quals);
			break;
		case T_CustomScan:
			REPLACE(((CustomScan *) plan)->custom_exprs);
			REPLACE(((CustomScan *) plan)->custom_scan_tlist);
			replaced |= gid_serve_plans(((CustomScan *) plan)->custom_plans);
			break;
		case T_Append:
			replaced |= gid_serve_plans(((Append *) plan)->appendplans);
			break;
		case T_MergeAppend:
			replaced |= gid_serve_plans(((MergeAppend *) plan)->mergeplans);
			break;
		case T_SubqueryScan:
			replaced |= gid_serve_plan(((SubqueryScan *) plan)->subplan);
			break;
		case T_Agg:
			replaced |= gid_serve_plans(((Agg *) plan)->chain);
			break;
		default:
			break;
	}
#undef REPLACE
	replaced |= gid_serve_plan(plan->lefttree);
	replaced |= gid_serve_plan(plan->righttree);
	return replaced;
}

#ifdef USE_ASSERT_CHECKING
/*
 * Is a function or a draw left in a plan?  Its text has every field that the
 * server knows, also one that a later version brings.
 */
static bool
gid_serve_is_left(const void *plan)
{
	char	   *text = nodeToString(plan);
	bool		is_left = strstr(text, "{NEXTVALUEEXPR ") != NULL;

	for (int i = 0; i < GID_SERVE_IDENTITY; i++)
	{
		char	   *call = psprintf(":funcid %u ", gid_served[i].replaces);

		is_left |= strstr(text, call) != NULL;
		pfree(call);
	}
	pfree(text);
	return is_left;
}
#endif

/* A plan is to be made anew when a function that it calls has changed. */
static void
gid_serve_depend(PlannedStmt *plan, Oid function)
{
	PlanInvalItem *item = makeNode(PlanInvalItem);

	item->cacheId = PROCOID;
	item->hashValue = GetSysCacheHashValue1(PROCOID, ObjectIdGetDatum(function));
	plan->invalItems = lappend(plan->invalItems, item);
}

/* The planner hook. */
static PlannedStmt *
gid_serve_planner(GID_PLANNER_PARAMETERS)
{
	PlannedStmt *plan = gid_serve_planner_next != NULL ?
	gid_serve_planner_next(GID_PLANNER_ARGUMENTS) :
	standard_planner(GID_PLANNER_ARGUMENTS);

	if (gid_serve_nextval_is_on)
	{
		bool		replaced = gid_serve_plan(plan->planTree);

		/* a sub-plan that is not used is NULL */
		replaced |= gid_serve_plans(plan->subplans);
		for (int i = 0; replaced && i < GID_NSERVED; i++)
			gid_serve_depend(plan, gid_serve_oids[i]);
		Assert(!gid_serve_refresh() ||
			   !(gid_serve_is_left(plan->planTree) || gid_serve_is_left(plan->subplans)));
	}
	return plan;
}

/* ---- utility statements ---- */

/*
 * The utility hook: CALL, DISCARD SEQUENCES and DISCARD ALL.
 *
 * The arguments of CALL are not planned, but they are analysed, so functions
 * are replaced in them as they stand.  Nothing is folded or evaluated here:
 * core does that after it has checked the privileges.
 */
static void
gid_serve_utility(PlannedStmt *pstmt, const char *queryString, bool readOnlyTree,
				  ProcessUtilityContext context, ParamListInfo params,
				  QueryEnvironment *queryEnv, DestReceiver *dest, QueryCompletion *qc)
{
	ProcessUtility_hook_type next = gid_serve_utility_next != NULL ?
	gid_serve_utility_next : standard_ProcessUtility;
	bool		forgets = false;

	if (IsA(pstmt->utilityStmt, DiscardStmt))
	{
		DiscardMode mode = ((DiscardStmt *) pstmt->utilityStmt)->target;

		forgets = mode == DISCARD_ALL || mode == DISCARD_SEQUENCES;
	}
	if (gid_serve_nextval_is_on && IsA(pstmt->utilityStmt, CallStmt) &&
		gid_serve_finds((Node *) ((CallStmt *) pstmt->utilityStmt)->funcexpr->args, NULL))
	{
		pstmt = copyObject(pstmt);
		(void) gid_serve_replace((Node **) &((CallStmt *) pstmt->utilityStmt)->funcexpr->args);
	}
	next(pstmt, queryString, readOnlyTree, context, params, queryEnv, dest, qc);

	/* the statement may be gone by now: a ROLLBACK frees it */
	if (forgets)
		gid_serve_forget();
}

/* Install the hooks.  Called once, when the library is loaded. */
void
gid_serve_install(void)
{
	gid_serve_planner_next = planner_hook;
	planner_hook = gid_serve_planner;
	gid_serve_utility_next = ProcessUtility_hook;
	ProcessUtility_hook = gid_serve_utility;
}

/* ---- why a sequence is not served, for the view gid.columns ---- */

/* Does a list of libraries name this one? */
static bool
gid_serve_is_listed(const char *libraries)
{
	char	   *copy = pstrdup(libraries != NULL ? libraries : "");
	List	   *paths;
	ListCell   *cell;
	bool		found = false;

	if (SplitDirectoriesString(copy, ',', &paths))
	{
		foreach(cell, paths)
		{
			const char *name = last_dir_separator(lfirst(cell));

			name = name == NULL ? lfirst(cell) : name + 1;
			found |= strcmp(name, "gid") == 0 || strcmp(name, "gid" DLSUFFIX) == 0;
		}
	}
	return found;
}

/*
 * Say why gid does not serve nextval() of a sequence in this session; NULL if
 * it does.  A session that has loaded the library late is served, but the next
 * one is not, so that is a reason.
 */
PG_FUNCTION_INFO_V1(gid_serve_reason);
Datum
gid_serve_reason(PG_FUNCTION_ARGS)
{
	char		persistence = get_rel_relkind(PG_GETARG_OID(0)) == RELKIND_SEQUENCE ?
	get_rel_persistence(PG_GETARG_OID(0)) : '\0';
	const char *reason = NULL;

	if (!gid_serve_is_listed(shared_preload_libraries_string) &&
		!gid_serve_is_listed(session_preload_libraries_string))
		reason = "neither shared_preload_libraries nor session_preload_libraries names gid";
	else if (!gid_serve_nextval_is_on)
		reason = "gid.serve_nextval is off";
	else if (persistence == '\0')
		reason = "it is not a sequence";
	else if (persistence == RELPERSISTENCE_TEMP)
		reason = "the sequence is temporary";
	else if (persistence == RELPERSISTENCE_UNLOGGED)
		reason = "the sequence is unlogged";
	else if (XactReadOnly)
		reason = "the transaction is read-only";
	if (reason == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(reason));
}
