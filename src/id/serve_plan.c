/*-------------------------------------------------------------------------
 *
 * id/serve_plan.c
 *		Plans that draw through gid: an application keeps its own words, its
 *		serial and its identity columns.
 *
 * Where gid.serve_nextval is on, a planner hook replaces nextval(), currval(),
 * lastval(), setval() and the draw of an identity column by the functions of
 * id/serve_nextval.c.  Only the plan names them.  Defaults, views, rules,
 * functions and dumps keep the names of PostgreSQL.
 *
 * State: the OIDs of the functions in this database.
 *
 * Invariants:
 * 1. A function is taken for gid's own if it is a member of the extension, is
 *	  written in C, and belongs to a superuser.  Its name alone says nothing.
 *	  Where PUBLIC may not call one of them, PostgreSQL's serve all.
 * 2. A Query is copied before it is changed, and only if it calls a function
 *	  to replace, or one that may bring such a call: a function in SQL, or one
 *	  with defaults of its arguments.
 * 3. A utility statement is not looked at after it has run: a ROLLBACK frees
 *	  what it was made of.
 *
 * What is not planned keeps PostgreSQL's functions: the defaults of COPY FROM,
 * ALTER TABLE ... ADD COLUMN and logical replication, the arguments of
 * EXECUTE, CHECK constraints and conditions of triggers.  The arguments of
 * CALL are not planned either, so the utility hook replaces them.  Where a
 * function in SQL calls itself, the planner may put a second body into the
 * first one, which keeps PostgreSQL's functions, too.  nextval() beside gid's
 * blocks is safe: see sequence/draw.c.
 *
 * Crash, restart, clock step: nothing to keep.  On a standby plans name the
 * same functions, which raise PostgreSQL's errors.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/catcache.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

#include "base/compat.h"
#include "base/settings.h"
#include "id/serve.h"

/*
 * The functions of id/serve_nextval.c, and those of PostgreSQL that they stand
 * for.
 */
typedef enum GidServed
{
	GID_SERVE_NEXTVAL,
	GID_SERVE_CURRVAL,
	GID_SERVE_LASTVAL,
	GID_SERVE_SETVAL,
	GID_SERVE_SETVAL_CALLED,
	GID_SERVE_IDENTITY,
	GID_NSERVED
} GidServed;

static const struct
{
	Oid			replaces;		/* invalid: a NextValueExpr */
	int			nargs;
	const char *name;			/* in SQL */
}			gid_served[GID_NSERVED] = {
	[GID_SERVE_NEXTVAL] = {F_NEXTVAL, 1, "gid_serve_nextval"},
	[GID_SERVE_CURRVAL] = {F_CURRVAL, 1, "gid_serve_currval"},
	[GID_SERVE_LASTVAL] = {F_LASTVAL, 0, "gid_serve_lastval"},
	[GID_SERVE_SETVAL] = {F_SETVAL_REGCLASS_INT8, 2, "gid_serve_setval"},
	[GID_SERVE_SETVAL_CALLED] = {F_SETVAL_REGCLASS_INT8_BOOL, 3, "gid_serve_setval"},
	[GID_SERVE_IDENTITY] = {InvalidOid, 1, "gid_serve_identity"},
};

/* The functions' OIDs in this database; all invalid without the extension. */
static Oid	gid_serve_oids[GID_NSERVED];
static bool gid_serve_oids_are_known = false;

static planner_hook_type gid_serve_planner_next = NULL;
static ProcessUtility_hook_type gid_serve_utility_next = NULL;

/* A row of pg_proc has changed. */
static void
gid_serve_invalidate(Datum arg, int cache, uint32 hash)
{
	gid_serve_oids_are_known = false;
}

/*
 * Look up one of the functions; invalid: there is none that everybody may
 * call.  The executor asks for EXECUTE, and nobody needs that to call
 * nextval().
 */
static Oid
gid_serve_look_up(Oid extension, const char *name, int nargs)
{
	CatCList   *list = SearchSysCacheList1(PROCNAMEARGSNSP, CStringGetDatum(name));
	Oid			found = InvalidOid;

	for (int i = 0; i < list->n_members && !OidIsValid(found); i++)
	{
		Form_pg_proc proc = (Form_pg_proc) GETSTRUCT(&list->members[i]->tuple);

		if (proc->prolang == ClanguageId && proc->pronargs == nargs &&
			superuser_arg(proc->proowner) && gid_proc_is_allowed(proc->oid, ACL_ID_PUBLIC) &&
			getExtensionOfObject(ProcedureRelationId, proc->oid) == extension)
			found = proc->oid;
	}
	ReleaseCatCacheList(list);
	return found;
}

/*
 * Are gid's functions in this database, for everybody to call?  Looks them up
 * if need be.
 */
static bool
gid_serve_has_functions(void)
{
	static bool registered = false;
	bool		had = OidIsValid(gid_serve_oids[0]) || !registered;
	Oid			extension;

	if (gid_serve_oids_are_known)
		return OidIsValid(gid_serve_oids[0]);
	if (!registered)
		CacheRegisterSyscacheCallback(PROCOID, gid_serve_invalidate, (Datum) 0);
	registered = true;

	/* an invalidation during the look-up makes the next call look again */
	gid_serve_oids_are_known = true;
	memset(gid_serve_oids, 0, sizeof(gid_serve_oids));
	extension = get_extension_oid("gid", true);
	for (int i = 0; OidIsValid(extension) && i < GID_NSERVED; i++)
	{
		gid_serve_oids[i] = gid_serve_look_up(extension, gid_served[i].name,
											  gid_served[i].nargs);
		/* an older version of the extension, or a REVOKE */
		if (!OidIsValid(gid_serve_oids[i]))
			gid_serve_oids[0] = extension = InvalidOid;
	}
	/* since CREATE EXTENSION: plans from before it draw by PostgreSQL */
	if (!had && OidIsValid(gid_serve_oids[0]))
		ResetPlanCache();
	return OidIsValid(gid_serve_oids[0]);
}

/* The function that stands for one of PostgreSQL's; GID_NSERVED: none. */
static GidServed
gid_serve_replacement(Oid function)
{
	if (function < FirstUnpinnedObjectId)
		for (GidServed i = 0; i < GID_SERVE_IDENTITY; i++)
			if (gid_served[i].replaces == function)
				return i;
	return GID_NSERVED;
}

/*
 * May the planner put something else in the place of a call: the body of a
 * function in SQL, or more arguments, by default?
 */
static bool
gid_serve_is_expanded(Oid function)
{
	HeapTuple	tuple;
	Form_pg_proc proc;
	bool		is_expanded;

	if (function < FirstNormalObjectId)
		return false;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	if (!HeapTupleIsValid(tuple))
		return false;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	is_expanded = proc->prolang == SQLlanguageId || proc->pronargdefaults > 0;
	ReleaseSysCache(tuple);
	return is_expanded;
}

/* Where gid_serve_finds() looks, and what for. */
typedef struct GidServeSearch
{
	bool		in_queries;		/* in the queries of a tree, too */
	bool		expanded;		/* calls that may be expanded, too */
} GidServeSearch;

static bool
gid_serve_is_wanted(Oid function, void *context)
{
	return gid_serve_replacement(function) != GID_NSERVED ||
		(((GidServeSearch *) context)->expanded && gid_serve_is_expanded(function));
}

/* Does a tree call a function to replace? */
static bool
gid_serve_finds(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, NextValueExpr) ||
		check_functions_in_node(node, gid_serve_is_wanted, context))
		return true;
	if (IsA(node, Query))
		return ((GidServeSearch *) context)->in_queries &&
			query_tree_walker((Query *) node, gid_serve_finds, context, 0);
	return expression_tree_walker(node, gid_serve_finds, context);
}

/* What gid_serve_mutate() needs to expand calls as the planner would. */
typedef struct GidServeContext
{
	PlannerInfo *root;			/* of no plan; notes dependencies */
	bool		is_expanded;	/* the calls here are expanded */
} GidServeContext;

static Node *gid_serve_mutate(Node *node, void *context);

static void
gid_serve_begin(GidServeContext *serve, Query *query)
{
	serve->root = makeNode(PlannerInfo);
	serve->root->glob = makeNode(PlannerGlobal);
	serve->root->parse = query;
	serve->is_expanded = false;
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

/*
 * Put the query of a set-returning function in its place in FROM, as the
 * planner would do later, if that may bring a function to replace.
 */
static void
gid_serve_from(RangeTblEntry *entry, GidServeContext *serve)
{
	GidServeSearch search = {.in_queries = true,.expanded = true};
	Node	   *call = ((RangeTblFunction *) linitial(entry->functions))->funcexpr;
	Query	   *query;

	if (!IsA(call, FuncExpr) || !gid_serve_is_expanded(((FuncExpr *) call)->funcid))
		return;
	query = gid_inline_function_in_from(serve->root, entry);
	if (query == NULL || !gid_serve_finds((Node *) query, &search))
		return;
	/* what the planner does; it needs the functions for a whole row */
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = (Query *) gid_serve_mutate((Node *) query, serve);
	entry->security_barrier = false;
	entry->funcordinality = false;
}

/* gid_serve_mutate() for a query at any level. */
static Query *
gid_serve_query(Query *query, GidServeContext *serve)
{
	Query	   *outer = serve->root->parse;
	bool		outer_is_expanded = serve->is_expanded;
	ListCell   *cell;

	serve->root->parse = query;
	serve->is_expanded = false;
	query = query_tree_mutator(query, gid_serve_mutate, serve, 0);
	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);

		if (entry->rtekind == RTE_FUNCTION)
			gid_serve_from(entry, serve);
	}
	serve->root->parse = outer;
	serve->is_expanded = outer_is_expanded;
	return query;
}

/*
 * Expand the calls of a clause if that brings a function to replace.
 *
 * The clause is expanded as a whole, by the function that the planner will
 * call for it.  So a call in a branch that is never taken does what it would
 * do without gid.  Any other clause stays as it is, because the planner looks
 * for sub-selects to pull up before it expands calls.
 */
static Node *
gid_serve_expand(Node *clause, GidServeContext *serve)
{
	GidServeSearch calls = {.expanded = true};
	GidServeSearch brought = {.expanded = false};
	int			noted = list_length(serve->root->glob->invalItems);
	Node	   *expanded;

	if (!gid_serve_finds(clause, &calls))
		return clause;
	expanded = eval_const_expressions(serve->root, copyObject(clause));
	if (gid_serve_finds(expanded, &brought))
		return expanded;
	/* the planner expands them, and notes the dependencies */
	serve->root->glob->invalItems = list_truncate(serve->root->glob->invalItems, noted);
	return clause;
}

/* Copy a tree, with gid's functions in the place of PostgreSQL's. */
static Node *
gid_serve_mutate(Node *node, void *context)
{
	GidServeContext *serve = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
		return (Node *) gid_serve_query((Query *) node, serve);
	if (!serve->is_expanded && !IsA(node, List) && !IsA(node, TargetEntry))
	{
		serve->is_expanded = true;
		node = gid_serve_mutate(gid_serve_expand(node, serve), context);
		serve->is_expanded = false;
		return node;
	}
	if (IsA(node, NextValueExpr))
		return gid_serve_column((NextValueExpr *) node);
	node = expression_tree_mutator(node, gid_serve_mutate, context);
	if (IsA(node, FuncExpr))
	{
		GidServed	served = gid_serve_replacement(((FuncExpr *) node)->funcid);

		if (served != GID_NSERVED)
			((FuncExpr *) node)->funcid = gid_serve_oids[served];
	}
	return node;
}

/* Is a tree to be changed? */
static bool
gid_serve_is_for(Node *node)
{
	GidServeSearch search = {.in_queries = true,.expanded = true};

	return gid_serve_nextval_is_on && gid_serve_finds(node, &search) &&
		gid_serve_has_functions();
}

/* The planner hook. */
static PlannedStmt *
gid_serve_planner(GID_PLANNER_PARAMETERS)
{
	GidServeContext serve = {NULL};
	PlannedStmt *plan;

	if (gid_serve_is_for((Node *) parse))
	{
		gid_serve_begin(&serve, parse);
		parse = gid_serve_query(parse, &serve);
	}
	plan = gid_serve_planner_next != NULL ?
		gid_serve_planner_next(GID_PLANNER_ARGUMENTS) :
		standard_planner(GID_PLANNER_ARGUMENTS);
	if (serve.root != NULL)
	{
		plan->invalItems = list_concat(plan->invalItems, serve.root->glob->invalItems);
		plan->dependsOnRole |= serve.root->glob->dependsOnRole;
	}
	return plan;
}

/* A copy of CALL, whose arguments no planner sees, with gid's functions. */
static PlannedStmt *
gid_serve_call(const PlannedStmt *statement)
{
	PlannedStmt *copy = makeNode(PlannedStmt);
	CallStmt   *call = makeNode(CallStmt);
	FuncExpr   *procedure = makeNode(FuncExpr);
	GidServeContext serve;

	*copy = *statement;
	*call = *(CallStmt *) statement->utilityStmt;
	*procedure = *call->funcexpr;
	gid_serve_begin(&serve, NULL);
	procedure->args = (List *) gid_serve_mutate((Node *) procedure->args, &serve);
	call->funcexpr = procedure;
	copy->utilityStmt = (Node *) call;
	return copy;
}

/* The utility hook: CALL, DISCARD SEQUENCES and DISCARD ALL. */
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
	if (IsA(pstmt->utilityStmt, CallStmt) &&
		gid_serve_is_for((Node *) ((CallStmt *) pstmt->utilityStmt)->funcexpr->args))
		pstmt = gid_serve_call(pstmt);
	next(pstmt, queryString, readOnlyTree, context, params, queryEnv, dest, qc);
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
 * gid.serve_reason(seq regclass) -> text
 *
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
	else if (!gid_serve_has_functions())
		reason = "PUBLIC may not execute one of gid's functions";
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
