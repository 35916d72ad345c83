/*
 * The names of LWLocks, for 001_preload.pl.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "storage/lwlock.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

PG_MODULE_MAGIC;

#define MAX_NAMES	256			/* of a server of version 19 */

extern PGDLLEXPORT Datum lock_names(PG_FUNCTION_ARGS);

PG_FUNCTION_INFO_V1(lock_names);

/* The names that extensions have given, as this process knows them. */
Datum
lock_names(PG_FUNCTION_ARGS)
{
	MemoryContext context = CurrentMemoryContext;
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < MAX_NAMES; i++)
	{
		const char *volatile name = NULL;

		PG_TRY();
		{
			name = GetLWLockIdentifier(PG_WAIT_LWLOCK, LWTRANCHE_FIRST_USER_DEFINED + i);
		}
		PG_CATCH();
		{
			/* 19 raises an error for an id without a name */
			MemoryContextSwitchTo(context);
			FlushErrorState();
		}
		PG_END_TRY();
		if (name != NULL && strcmp(name, "extension") != 0)
			appendStringInfo(&names, "%s ", name);
	}
	PG_RETURN_TEXT_P(cstring_to_text(names.data));
}
