/*-------------------------------------------------------------------------
 *
 * auto_conf.c
 *		Warns of numbers of this server in a file that is copied to others.
 *
 * gid.node_no and gid.authority tell the ids of servers apart.  ALTER SYSTEM
 * writes them into postgresql.auto.conf, in the data directory.
 * pg_basebackup, pg_rewind and failover managers copy that file to another
 * server, which then has the same number, whatever stands in its own
 * postgresql.conf.
 *
 * The file is read here, because the server cannot tell early enough: at a
 * reload it calls the hooks of a setting first, and notes the file in which
 * the setting stands afterwards.
 *
 * State: in shared memory which numbers were found in the file.
 *
 * Invariants:
 * 1. One process warns of a number, once, until the number has left the file,
 *	  or the shared memory is made again.
 * 2. If the library is preloaded, the postmaster looks when it makes the
 *	  shared memory, and the checkpointer at each reload.  Each session that
 *	  has attached looks at the reloads that it sees.  A session that attaches
 *	  looks if no process has looked since the last reload that it knows of, or
 *	  since the start.  So without preload the first session that uses gid
 *	  looks.
 * 3. No client gets the warning, because which session has to look depends on
 *	  chance.
 *
 * Crash, restart: the warning comes again.  A standby has a file of its own,
 * and is warned of what it has copied.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "attach/backend_slot.h"
#include "auto_conf.h"
#include "base/settings.h"

/* The settings that must differ between servers. */
static const char *const gid_auto_conf_settings[] = {
	"gid.node_no",
	"gid.authority",
};

typedef struct GidAutoConfState
{
	pg_atomic_uint64 looked_at; /* TimestampTz: when a process looked last */
	pg_atomic_uint32 found[lengthof(gid_auto_conf_settings)];	/* 1: the number is in
																 * the file; CAS, by the
																 * process that warns */
} GidAutoConfState;

static GidAutoConfState *gid_auto_conf_state = NULL;

/* Is a number among those of a file, and not the one that says "unset"? */
static bool
gid_auto_conf_has(const ConfigVariable * file, const char *name)
{
	bool		has = false;

	/* the last line of a name counts */
	for (const ConfigVariable * v = file; v != NULL; v = v->next)
	{
		if (v->errmsg == NULL && pg_strcasecmp(v->name, name) == 0)
			has = atoi(v->value) != GID_SETTING_UNSET;
	}
	return has;
}

/* Warn of a setting, in the server's log alone. */
static void
gid_auto_conf_warn(const char *name)
{
	int			for_client = client_min_messages;

	/* the caller may be a hook, which must not be left by an error */
	HOLD_INTERRUPTS();
	client_min_messages = ERROR;
	ereport(WARNING,
			(errcode(ERRCODE_CONFIG_FILE_ERROR),
			 errmsg("%s is set in postgresql.auto.conf", name),
			 errdetail("pg_basebackup, pg_rewind and failover managers copy this file to other servers, which then make the same ids."),
			 errhint("Set %s in a file that is not copied, such as a postgresql.conf outside the data directory, and use ALTER SYSTEM RESET %s.",
					 name, name)));
	client_min_messages = for_client;
	RESUME_INTERRUPTS();
}

/* Look at the file, and warn of what no process has found there before. */
static void
gid_auto_conf_look(void)
{
	ConfigVariable *file = NULL;
	ConfigVariable *last = NULL;

	pg_atomic_write_u64(&gid_auto_conf_state->looked_at, (uint64) GetCurrentTimestamp());
	/* the server itself logs what is wrong with the file */
	(void) ParseConfigFile(PG_AUTOCONF_FILENAME, false, NULL, 0, 0, DEBUG1, &file, &last);
	for (int i = 0; i < (int) lengthof(gid_auto_conf_settings); i++)
	{
		const char *name = gid_auto_conf_settings[i];
		uint32		has = gid_auto_conf_has(file, name);

		if (pg_atomic_exchange_u32(&gid_auto_conf_state->found[i], has) < has)
			gid_auto_conf_warn(name);
	}
	FreeConfigVariables(file);
}

/*
 * Set up the part.  The postmaster looks for the first time: it is alone, so
 * it does not matter that a lock is held here.
 */
static void
gid_auto_conf_init(void *part, int tranche)
{
	GidAutoConfState *state = part;

	pg_atomic_init_u64(&state->looked_at, 0);
	for (int i = 0; i < (int) lengthof(gid_auto_conf_settings); i++)
		pg_atomic_init_u32(&state->found[i], 0);
	if (!IsUnderPostmaster)
		gid_auto_conf_look();
}

/* Look, if no process has done so since this process's last reload. */
static void
gid_auto_conf_attach(void)
{
	if (PgReloadTime > (TimestampTz) pg_atomic_read_u64(&gid_auto_conf_state->looked_at))
		gid_auto_conf_look();
}

const GidPart gid_auto_conf_part = {
	.size = sizeof(GidAutoConfState),
	.init = gid_auto_conf_init,
	.where = (void **) &gid_auto_conf_state,
	.attach = gid_auto_conf_attach,
};

/*
 * A reload may have set one of the settings in this process.  Called by the
 * settings' hooks, in all processes that read the configuration.  Invariant 2
 * says which of them look; a parallel worker reads no configuration.
 */
void
gid_auto_conf_look_again(void)
{
	if (MyProc != NULL && gid_auto_conf_state != NULL && !InitializingParallelWorker &&
		(MyBackendType == B_CHECKPOINTER || gid_slot != NULL))
		gid_auto_conf_look();
}
