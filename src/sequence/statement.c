/*-------------------------------------------------------------------------
 *
 * sequence/statement.c
 *		What a statement is to a draw: the kinds of call sites.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/snapmgr.h"

#include "sequence/statement.h"

/*
 * Find the kind of a call site.  A plan lives for one statement, so its first
 * call reads the page.  PL/pgSQL keeps a simple expression, such as
 * "x := gid_next(s)", for the whole transaction, with its FmgrInfos.  Such an
 * expression reads the page again only after this session has written
 * something, a setval() for example.
 *
 * An expression taken for a plan costs a reading of the page for each call.  A
 * plan taken for an expression sees another session's setval() later.
 */
const GidSite *
gid_statement_classify(void)
{
	static const GidSite plan = GID_SITE_PLAN;
	static const GidSite expression = GID_SITE_EXPRESSION;
	Snapshot	snapshot = ActiveSnapshotSet() ? GetActiveSnapshot() : NULL;

	if (snapshot != NULL && snapshot->regd_count == 0 &&
		(ActivePortal == NULL || ActivePortal->portalSnapshot != snapshot))
		return &expression;
	return &plan;
}
