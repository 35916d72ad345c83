/*-------------------------------------------------------------------------
 *
 * id/decimal_notice.c
 *		A notice when the extension is created where DecimalIds were made.
 *
 * DROP EXTENSION drops the sequence of the generator numbers.  A new extension
 * begins at the first number of each launch.  So a launch that was used before
 * makes the same DecimalIds again.  PostgreSQL keeps nothing durable of a
 * dropped extension.  Two things are known:
 *
 * - The leases in shared memory name the launches that this database used
 *	 since the server started, with the sequence that was dropped.
 * - A launch that is set when the extension is created may have been used
 *	 before.  Only the administrator knows whether it was.
 *
 * The extension's script calls gid_decimal_check_created() once and drops it.
 * While a script runs, the server shows no NOTICE, and the transaction may
 * still be rolled back.  So the notice is sent at the commit.
 *
 * State: the notices of the running transaction.
 *
 * Invariants:
 * 1. CREATE EXTENSION does not fail because of the notice.  If the shared
 *	  memory cannot be attached, the notice does without the leases.
 * 2. An update of the extension says nothing: its sequence is older than the
 *	  transaction.
 *
 * Crash, restart, promotion: the leases are gone, so only the setting is
 * known.  A standby creates no extension.  A clock step does not matter.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/resowner.h"
#include "utils/syscache.h"

#include "base/settings.h"
#include "decimal/generator.h"
#include "decimal/lease.h"

/* A notice of this transaction. */
typedef struct GidCreatedNotice
{
	Oid			sequence;		/* the sequence that the extension has made */
	int32		launch;			/* the launch that may have been used,
								 * 1..99999 */
	bool		seen;			/* a lease shows that it was used */
} GidCreatedNotice;

/*
 * The notices of this transaction, the latest first, in TopTransactionContext.
 * There are several when a transaction drops the extension and creates it
 * again.  A rollback to a savepoint may bring an earlier sequence back.
 */
static List *gid_created_notices = NIL;

/*
 * Return the highest launch of the leases of other sequences of this database,
 * or 0 if there is none.  Leases of an authority's numbers count only if
 * gid.decimal_authority is unset, so that this server will reserve its own.
 */
static int32
gid_created_find_launch(Oid sequence)
{
	int			size;
	GidLease   *leases = gid_lease_copy(&size);
	int32		launch = 0;

	for (int i = 0; i < size; i++)
	{
		const GidLeaseKey *key = &leases[i].key;

		if (leases[i].state != GID_LEASE_FREE &&
			key->sequence.database == MyDatabaseId &&
			key->sequence.sequence != sequence &&
			(key->authority == 0 ||
			 gid_decimal_authority[0] == '\0'))
			launch = Max(launch, key->launch);
	}
	pfree(leases);
	return launch;
}

/* The same, but 0 when the shared memory cannot be attached. */
static int32
gid_created_try_launch(Oid sequence)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile int32 launch = 0;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		launch = gid_created_find_launch(sequence);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			ReThrowError(error);
		FreeErrorData(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return launch;
}

/* Called at the end of each transaction: send the notices at a commit. */
static void
gid_created_at_end(XactEvent event, void *arg)
{
	List	   *notices = gid_created_notices;
	ListCell   *cell;

	gid_created_notices = NIL;
	if (event != XACT_EVENT_PRE_COMMIT && event != XACT_EVENT_PRE_PREPARE)
		return;
	/* at most one of the sequences was neither dropped nor rolled back */
	foreach(cell, notices)
	{
		const GidCreatedNotice *notice = lfirst(cell);

		if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(notice->sequence)))
			continue;
		ereport(NOTICE,
				(errmsg("generator numbers of DecimalIds start over in this database"),
				 notice->seen ?
				 errdetail("DecimalIds of launch %d were made here before the extension was dropped.",
						   notice->launch) : 0,
				 notice->seen ?
				 errhint("Set gid.launch_id to a greater number before the next DecimalId.") :
				 errhint("If DecimalIds of launch %d were made here before, set gid.launch_id to a greater number.",
						 notice->launch)));
	}
}

/* Was the sequence created by this transaction?  It may be missing. */
static bool
gid_created_is_new(Oid sequence)
{
	Relation	rel = OidIsValid(sequence) ? try_relation_open(sequence, AccessShareLock) : NULL;
	bool		is_new = false;

	if (rel != NULL)
	{
		is_new = rel->rd_createSubid != InvalidSubTransactionId;
		relation_close(rel, NoLock);
	}
	return is_new;
}

/*
 * gid_decimal_check_created(generator regclass) -> void
 *
 * Send a NOTICE at the commit when DecimalIds of this database's launch were,
 * or may have been, made before.  The extension's script calls this function
 * once, after it has created "generator", the sequence of the numbers.
 * Errors: only a cancel.
 */
PG_FUNCTION_INFO_V1(gid_decimal_check_created);
Datum
gid_decimal_check_created(PG_FUNCTION_ARGS)
{
	static bool registered = false;
	Oid			sequence;
	int32		used;
	bool		seen;

	/* the script of version 1.1 has the function beside its sequence */
	sequence = PG_NARGS() > 0 ? PG_GETARG_OID(0) :
		gid_generator_find_sequence(fcinfo->flinfo->fn_oid);
	if (IsBinaryUpgrade || !gid_created_is_new(sequence))
		PG_RETURN_VOID();
	if (!registered)
	{
		RegisterXactCallback(gid_created_at_end, NULL);
		registered = true;
	}
	used = gid_created_try_launch(sequence);
	seen = used > 0 && used >= gid_launch_id;
	/* an authority does not begin again at its first number */
	if (seen || (gid_launch_id > 0 && gid_decimal_authority[0] == '\0'))
	{
		MemoryContext context = MemoryContextSwitchTo(TopTransactionContext);
		GidCreatedNotice *notice = palloc(sizeof(GidCreatedNotice));

		notice->sequence = sequence;
		notice->launch = seen ? used : gid_launch_id;
		notice->seen = seen;
		gid_created_notices = lcons(notice, gid_created_notices);
		MemoryContextSwitchTo(context);
	}
	PG_RETURN_VOID();
}
