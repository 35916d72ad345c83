/*-------------------------------------------------------------------------
 *
 * sequence/statement.h
 *		What a statement is to a draw.
 *
 * The first draw of a statement reads the sequence's page, so that it follows
 * every setval() of the statements before.  The server does not tell a
 * function which statement has called it.  Four facts of the server's stand
 * for that:
 *
 * - fn_extra is empty in the first call of an execution of a plan, because the
 *   executor makes an FmgrInfo for each execution.
 * - regd_count is 0 in the snapshot of a simple expression of PL/pgSQL, whose
 *   FmgrInfo lives as long as the transaction.  The executor registers the
 *   snapshot of a plan; COPY runs under the snapshot of its portal.
 * - creation_time of the active portal is that of the client's statement.
 * - XactLastRecEnd moves when this session writes WAL, as setval() does.
 *
 * sql/sequence_setval.sql and the isolation test sequence_statement have a
 * case for each kind of call, at READ COMMITTED and at REPEATABLE READ.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_STATEMENT_H
#define GID_SEQUENCE_STATEMENT_H

#include "access/xlog.h"
#include "fmgr.h"
#include "tcop/pquery.h"
#include "utils/portal.h"

/* What a call site is, as far as statements go. */
typedef enum GidSite
{
	GID_SITE_BEGINS,			/* first call in an execution of a plan */
	GID_SITE_PLAN,				/* a later call */
	GID_SITE_EXPRESSION			/* an expression that outlives statements */
} GidSite;

/* The moment at which a statement has read a page. */
typedef struct GidStatement
{
	TimestampTz began;			/* gid_statement_began() */
	XLogRecPtr	wrote;			/* XactLastRecEnd */
} GidStatement;

extern const GidSite *gid_statement_classify(void);

/*
 * What is the call site of a function that keeps nothing else in fn_extra?  A
 * direct call from C has no call site.
 */
static inline GidSite
gid_statement_site(FunctionCallInfo fcinfo)
{
	const GidSite *site;

	if (unlikely(fcinfo->flinfo == NULL))
		return GID_SITE_BEGINS;
	site = fcinfo->flinfo->fn_extra;
	if (likely(site != NULL))
		return *site;
	fcinfo->flinfo->fn_extra = (void *) gid_statement_classify();
	return GID_SITE_BEGINS;
}

/*
 * The same for a function that keeps the site in a struct of its own, where it
 * is GID_SITE_BEGINS at first.
 */
static inline GidSite
gid_statement_site_in(GidSite *kept)
{
	GidSite		site = *kept;

	if (unlikely(site == GID_SITE_BEGINS))
		*kept = *gid_statement_classify();
	return site;
}

/* When the statement of the client began that runs now; 0 outside a portal. */
static inline TimestampTz
gid_statement_began(void)
{
	return likely(ActivePortal != NULL) ? ActivePortal->creation_time : 0;
}

/* The moment that is now. */
static inline GidStatement
gid_statement_now(void)
{
	GidStatement now = {gid_statement_began(), XactLastRecEnd};

	return now;
}

/* Does the statement that has read the page still run, at a call site? */
static inline bool
gid_statement_goes_on(const GidStatement *read, GidSite site)
{
	if (unlikely(read->began != gid_statement_began()))
		return false;
	if (likely(site == GID_SITE_PLAN))
		return true;
	return site == GID_SITE_EXPRESSION && read->wrote == XactLastRecEnd;
}

#endif							/* GID_SEQUENCE_STATEMENT_H */
