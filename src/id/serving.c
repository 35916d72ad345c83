/*-------------------------------------------------------------------------
 *
 * id/serving.c
 *		Whether gid serves nextval() of a sequence here and now.
 *
 * State: none.
 *
 * Crash, restart, clock step: they do not matter.  On a standby nothing is
 * drawn.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#include "base/settings.h"
#include "id/serve_nextval.h"

/* Does a list of libraries name this one? */
static bool
gid_serving_is_listed(const char *libraries)
{
	char	   *copy = pstrdup(libraries != NULL ? libraries : "");
	List	   *paths;
	ListCell   *cell;
	bool		found = false;

	if (SplitDirectoriesString(copy, ',', &paths))
		foreach(cell, paths)
	{
		const char *name = last_dir_separator(lfirst(cell));

		name = name == NULL ? lfirst(cell) : name + 1;
		found |= strcmp(name, "gid") == 0 || strcmp(name, "gid" DLSUFFIX) == 0;
	}
	return found;
}

/*
 * gid_serve_reason(seq regclass) -> text
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

	if (!gid_serving_is_listed(shared_preload_libraries_string) &&
		!gid_serving_is_listed(session_preload_libraries_string))
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
