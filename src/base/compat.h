/*-------------------------------------------------------------------------
 *
 * base/compat.h
 *		What differs between PostgreSQL 15, 16, 17, 18 and 19.
 *
 * No other file uses PG_VERSION_NUM.  An entry names the upstream commit that
 * made the difference, or the minor releases that have it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_COMPAT_H
#define GID_BASE_COMPAT_H

#include "catalog/storage.h"
#include "portability/instr_time.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "replication/walsender_private.h"
#include "storage/bufmgr.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "storage/sinvaladt.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"
#include "utils/rel.h"
#include "utils/wait_event.h"

#if PG_VERSION_NUM < 150000
#error "gid needs PostgreSQL 15 or later"
#endif

/*
 * gid leans on internals of the server (src/README.md, "Borrowed facts"),
 * which a new major version may change without an error of the compiler's.
 */
#if PG_VERSION_NUM >= 200000 && !defined(GID_UNTESTED_SERVER)
#error "gid was not tested with this major version of PostgreSQL; make COPT=-DGID_UNTESTED_SERVER builds it all the same"
#endif
#if defined(EXEC_BACKEND) && !defined(GID_UNTESTED_SERVER)
#error "gid was not tested with a server whose children do not inherit the postmaster's memory; make COPT=-DGID_UNTESTED_SERVER builds it all the same"
#endif

/*
 * The server's monotonic clock.  Apple's CLOCK_MONOTONIC can step back.
 */
#ifdef PG_INSTR_CLOCK
#define GID_CLOCK_MONOTONIC		PG_INSTR_CLOCK
#else
#define GID_CLOCK_MONOTONIC		CLOCK_MONOTONIC
#endif

/*
 * The macros for varlena datums.  16 took them out of postgres.h: d952373a987b
 * ("New header varatt.h split off from postgres.h").
 */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * This process's index among the server's regular backends, 0-based and below
 * MaxBackends.  17 made it a global variable: 28f3915b73f7 ("Remove
 * superfluous 'pgprocno' field from PGPROC").
 */
#if PG_VERSION_NUM >= 170000
#define gid_my_proc_number()	(MyProcNumber)
#else
#define gid_my_proc_number()	(MyProc->pgprocno)
#endif

/*
 * Virtual transaction ids: the local id of the running transaction, of a
 * process and of this one; the number and the process (or NULL) of an id.  17
 * moved them: ab355e3a88de ("Redefine backend ID to be an index into the proc
 * array").  A transaction that was prepared before the server started has no
 * backend: then gid_proc_is_recovered() is true of its dummy process.
 */
#if PG_VERSION_NUM >= 170000
#define gid_proc_lxid(proc)		((proc)->vxid.lxid)
#define gid_proc_is_recovered(proc)	((proc)->vxid.procNumber == INVALID_PROC_NUMBER)
#define gid_vxid_number(vxid)	((vxid).procNumber)
#define gid_vxid_proc(vxid)		ProcNumberGetProc((vxid).procNumber)
#else
#define gid_proc_lxid(proc)		((proc)->lxid)
#define gid_proc_is_recovered(proc)	((proc)->backendId == InvalidBackendId)
#define gid_vxid_number(vxid)	((vxid).backendId)
#define gid_vxid_proc(vxid) \
	((vxid).backendId == InvalidBackendId ? NULL : BackendIdGetProc((vxid).backendId))
#endif
#define gid_my_lxid()			gid_proc_lxid(MyProc)

/*
 * The dummy process of a transaction that is being prepared.  19 takes all 64
 * bits of its id: 62a17a92833d.
 */
#if PG_VERSION_NUM >= 190000
#define gid_prepared_proc(xid)	TwoPhaseGetDummyProc(xid, false)
#else
#define gid_prepared_proc(xid)	TwoPhaseGetDummyProc(XidFromFullTransactionId(xid), false)
#endif

/*
 * Has the running transaction a lock?  17 brought an argument: 9f9f6a2c9a2a
 * ("Add orstronger argument to LockHeldByMe()").
 */
#if PG_VERSION_NUM >= 170000
#define gid_lock_is_mine(tag, mode)	LockHeldByMe(tag, mode, false)
#else
#define gid_lock_is_mine(tag, mode)	LockHeldByMe(tag, mode)
#endif

/*
 * The number of a relation's file, and: has the running transaction given the
 * relation a new file?  16 renamed the members: b0a55e43299c ("Change internal
 * RelFileNode references to RelFileNumber or RelFileLocator").
 */
#if PG_VERSION_NUM >= 160000
#define gid_relfilenumber(rel)	((rel)->rd_locator.relNumber)
#define gid_relation_was_rewritten(rel) \
	((rel)->rd_firstRelfilelocatorSubid != InvalidSubTransactionId)
#else
#define gid_relfilenumber(rel)	((rel)->rd_node.relNode)
#define gid_relation_was_rewritten(rel) \
	((rel)->rd_firstRelfilenodeSubid != InvalidSubTransactionId)
#endif

/*
 * Does synchronous_standby_names name standbys?  The minor releases of May
 * 2025 (15.13, 16.9, 17.5) replaced the flag by a status of the same size.
 * The status also says whether the checkpointer has read the setting yet.
 * The library may run with another minor release than it was built for, so
 * this function asks the server for its version.  The flag is read without a
 * lock, as the server's own fast exit reads it.
 */
#ifdef SYNC_STANDBY_INIT
StaticAssertDecl(SYNC_STANDBY_INIT == 1 && SYNC_STANDBY_DEFINED == 2 &&
				 sizeof(((WalSndCtlData *) NULL)->sync_standbys_status) == sizeof(uint8),
				 "gid_sync_standbys_named() reads these bits of one byte");
#endif
static inline bool
gid_sync_standbys_named(void)
{
	static int	version = 0;
	int			flag;

	if (max_wal_senders == 0)
		return false;
	if (version == 0)
		version = atoi(GetConfigOption("server_version_num", false, false));
#ifdef SYNC_STANDBY_INIT
	flag = ((volatile WalSndCtlData *) WalSndCtl)->sync_standbys_status;
#else
	flag = *(volatile uint8 *) &WalSndCtl->sync_standbys_defined;
#endif
	if (version < 150013 || (version >= 160000 && version < 160009) ||
		(version >= 170000 && version < 170005))
		return flag != 0;
	/* 1: the checkpointer has read it; 2: standbys are named */
	if (!(flag & 1))
		return SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0';
	return (flag & 2) != 0;
}

/*
 * The parameters of a planner hook.  19 brought the last one: c83ac02ec730
 * ("Add ExplainState argument to pg_plan_query() and planner()").
 */
#if PG_VERSION_NUM >= 190000
#define GID_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int cursorOptions, \
	ParamListInfo boundParams, ExplainState *es
#define GID_PLANNER_ARGUMENTS	parse, query_string, cursorOptions, boundParams, es
#else
#define GID_PLANNER_PARAMETERS \
	Query *parse, const char *query_string, int cursorOptions, \
	ParamListInfo boundParams
#define GID_PLANNER_ARGUMENTS	parse, query_string, cursorOptions, boundParams
#endif

/*
 * ModifyTable has the join conditions of MERGE.  17 brought them: 0294df2f1f84
 * ("Add support for MERGE ... WHEN NOT MATCHED BY SOURCE").
 */
#if PG_VERSION_NUM >= 170000
#define GID_HAS_MERGE_JOIN_CONDITIONS
#endif

/*
 * May a role call a function?  16 made one function for all kinds of objects:
 * c727f511bd7b ("Refactor aclcheck functions").
 */
#if PG_VERSION_NUM >= 160000
#define gid_proc_aclcheck(function, role) \
	object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE)
#else
#define gid_proc_aclcheck(function, role)	pg_proc_aclcheck(function, role, ACL_EXECUTE)
#endif

/*
 * A wait event of our own, by name.  17 brought the names: c9af054653077
 * ("Support custom wait events for wait event type "Extension"").  Before it
 * pg_stat_activity shows just "Extension".
 */
#if PG_VERSION_NUM >= 170000
#define gid_wait_event(cache, name) \
	(*(cache) != 0 ? *(cache) : (*(cache) = WaitEventExtensionNew(name)))
#else
#define gid_wait_event(cache, name) \
	((void) (cache), (uint32) PG_WAIT_EXTENSION)
#endif

/*
 * Return a new id for LWLocks.  "name" is the wait event of these locks in
 * pg_stat_activity.  19 keeps the name in shared memory, with the id: 38b602b
 * ("Move dynamically-allocated LWLock tranche names to shared memory").
 * Before it, each process that uses such a lock has to name the id for itself,
 * by gid_lwlock_name_tranche().  "name" is constant memory.
 */
#if PG_VERSION_NUM >= 190000
#define gid_lwlock_new_tranche(name)	LWLockNewTrancheId(name)
#define gid_lwlock_name_tranche(id, name) \
	((void) (id), (void) (name))
#else
#define gid_lwlock_new_tranche(name) \
	((void) (name), LWLockNewTrancheId())
#define gid_lwlock_name_tranche(id, name)	LWLockRegisterTranche(id, name)
#endif

/*
 * How a hash table of PostgreSQL in shared memory copies its keys: by memcpy()
 * before 17, which asks for a function ("Add helper functions for dshash
 * tables with string keys").
 */
#if PG_VERSION_NUM >= 170000
#define GID_DSHASH_COPY			.copy_function = dshash_memcpy,
#else
#define GID_DSHASH_COPY
#endif

/*
 * Begin the scan of an index.  18 brought an argument for what EXPLAIN counts:
 * 0fbceae841cb ("Show index search count in EXPLAIN ANALYZE"); 19 brought
 * flags for the access to the table: dcd8cc1c852c ("Thread flags through
 * begin-scan APIs").
 */
#if PG_VERSION_NUM >= 190000
#define gid_index_beginscan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, NULL, nkeys, 0, 0)
#elif PG_VERSION_NUM >= 180000
#define gid_index_beginscan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, NULL, nkeys, 0)
#else
#define gid_index_beginscan(table, index, snapshot, nkeys) \
	index_beginscan(table, index, snapshot, nkeys, 0)
#endif

/*
 * The server's record of a setting, or of its placeholder; NULL if there is
 * none.  16 exports the search: 0a20ff54f5e6 ("Split up guc.c for better build
 * speed and ease of maintenance").
 */
static inline const struct config_generic *
gid_setting_record(const char *name)
{
#if PG_VERSION_NUM >= 160000
	return find_option(name, false, true, 0);
#else
	struct config_generic **settings = get_guc_variables();

	for (int i = 0; i < GetNumConfigOptions(); i++)
	{
		if (pg_strcasecmp(settings[i]->name, name) == 0)
			return settings[i];
	}
	return NULL;
#endif
}

/*
 * Memory that a GUC check hook returns as "extra".  16 keeps
 * that memory in a memory context: 407b50f2d421 ("Store GUC data in a memory
 * context, instead of using malloc()").
 */
#if PG_VERSION_NUM >= 160000
#define gid_guc_malloc(size)	guc_malloc(LOG, size)
#else
#define gid_guc_malloc(size)	malloc(size)
#endif

/*
 * A function that does not return.  18 put the mark before the declaration, by
 * another name: 3691edfab971 ("pg_noreturn to replace
 * pg_attribute_noreturn()").
 */
#if PG_VERSION_NUM >= 180000
#define gid_noreturn	pg_noreturn
#else
#define gid_noreturn	pg_attribute_noreturn()
#endif

/*
 * Report an error of an input function and return "value".  The error does not
 * end the transaction if pg_input_is_valid() or a similar function has made
 * the call.  "context" is that of the call.  16 brought it: d9f7f5d32f20
 * ("Create infrastructure for "soft" error reporting").
 */
#if PG_VERSION_NUM >= 160000
#define gid_ereturn(context, value, rest)	ereturn(context, value, rest)
#else
#define gid_ereturn(context, value, rest)	ereport(ERROR, rest)
#endif

#endif							/* GID_BASE_COMPAT_H */
