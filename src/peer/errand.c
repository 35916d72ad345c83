/*-------------------------------------------------------------------------
 *
 * peer/errand.c
 *		Errands: background workers that put one question to other servers.
 *
 * While values are left, no session waits for another server.  A session that
 * finds few values left starts an errand: a dynamic background worker that
 * asks for more, by the same code as a session with none left, and ends.
 *
 * The worker belongs to no database, so it holds up no DROP DATABASE.  It has
 * a question in a DSM segment, because a database may have its own URIs.  The
 * session that starts the errand pins the segment, and notes its handle where
 * the answer goes.  Whoever takes the handle from there, under the lock there,
 * unpins the segment: the errand, or a later session that forgets it.
 *
 * State: none but the workers.  sequence/block.c keeps a GidErrand
 * for each entry, and node/node.c times for the lease.
 *
 * An errand that is terminated, or that the postmaster could not start, is
 * forgotten after a while.  A crash ends errands, and the postmaster removes
 * their segments.  A standby has errands, too.  Where no worker or segment is
 * free, and in a stand-alone backend, there is no errand.
 *
 * References: the server's bgworker.c and dsm.c; launcher.c of its logical
 * replication, a worker without a database.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/resowner.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "peer/errand.h"

/*
 * Copy a question of "size" bytes into a new segment, and pin the segment.
 * Returns DSM_HANDLE_INVALID if the server can make no segment, which the log
 * says: the caller's session still has values, and must not fail.  Raises
 * 57014 after a cancel.
 */
dsm_handle
gid_errand_pack(const void *question, Size size)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;
	volatile dsm_handle handle = DSM_HANDLE_INVALID;

	BeginInternalSubTransaction(NULL);
	PG_TRY();
	{
		dsm_segment *segment = dsm_create(size, 0);

		memcpy(dsm_segment_address(segment), question, size);
		dsm_pin_segment(segment);
		handle = dsm_segment_handle(segment);
		dsm_detach(segment);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		if (geterrcode() == ERRCODE_QUERY_CANCELED)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (error != NULL)
	{
		/* a pending cancel makes a segment fail by EINTR, which is no outage */
		CHECK_FOR_INTERRUPTS();
		ereport(LOG,
				(errcode(error->sqlerrcode),
				 errmsg("gid: could not make a segment of shared memory for an errand"),
				 errdetail_log("%s", error->message)));
	}
	return handle;
}

/* Unpin a question, if there is one.  The caller alone has its handle. */
void
gid_errand_unpin(dsm_handle question)
{
	if (question != DSM_HANDLE_INVALID)
		dsm_unpin_segment(question);
}

/*
 * Start an errand: a worker that calls a function of the library.  The
 * question may be DSM_HANDLE_INVALID.  Returns false if no worker is free.
 */
bool
gid_errand_start(const char *function, dsm_handle question)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_ConsistentState,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_main_arg = UInt32GetDatum(question),
	};

	strlcpy(worker.bgw_name, "gid errand", sizeof(worker.bgw_name));
	strlcpy(worker.bgw_type, "gid errand", sizeof(worker.bgw_type));
	strlcpy(worker.bgw_library_name, "$libdir/gid", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, function, sizeof(worker.bgw_function_name));
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

/*
 * The worker begins: attach to the shared memory, and open a transaction,
 * which is to hold the right to ask.  The worker is connected to no database,
 * so that pg_stat_activity shows it and SQL can terminate it.
 */
void
gid_errand_begin(void)
{
	/* not at once, as the server's own handler would: libpq may be at work */
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	/* a question has time limits of its own */
	if (gid_setting_record("transaction_timeout") != NULL)
		SetConfigOption("transaction_timeout", "0", PGC_SUSET, PGC_S_OVERRIDE);
	StartTransactionCommand();
	(void) gid_slot_mine();
}

/* Return a copy of a question, or NULL if it was forgotten. */
void *
gid_errand_unpack(dsm_handle question)
{
	dsm_segment *segment = dsm_attach(question);
	void	   *copy;

	if (segment == NULL)
		return NULL;
	copy = palloc(dsm_segment_map_length(segment));
	memcpy(copy, dsm_segment_address(segment), dsm_segment_map_length(segment));
	dsm_detach(segment);
	return copy;
}

/* The worker ends: release the right to ask. */
void
gid_errand_end(void)
{
	CommitTransactionCommand();
}
