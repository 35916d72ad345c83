/*-------------------------------------------------------------------------
 *
 * gid.c
 *		Loads the library: defines the settings, installs the hooks and names
 *		the parts of the shared memory.
 *
 * A session may load the library (the first call of a gid function, LOAD,
 * session_preload_libraries), or the postmaster may do so
 * (shared_preload_libraries).  Only the postmaster can request shared memory
 * in advance, and it loads libpq (peer/libpq.c).  Everything else is the same.
 *
 * The settings are plain ones of PostgreSQL, with its rules for values that it
 * refuses.  base/settings.c has the variables that the families read.  A
 * number that tells ids apart has no default: until it is set, a function that
 * needs it raises 55000.  So does a function that needs a setting whose value
 * PostgreSQL dropped where another value, then in force, could make equal ids.
 *
 * Hooks of settings run in all processes that read the configuration.  Some of
 * them, such as the logging collector, have left the shared memory.  So these
 * hooks touch only memory of the process.
 *
 * State: in shared memory whether the log was warned of the numbers in
 * postgresql.auto.conf.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "access/parallel.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "attach/backend_slot.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/settings.h"
#include "clock/word.h"
#include "horizon/word_xact.h"
#include "id/families.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"
#include "layout/trace_id.h"
#include "layout/uuid_shard.h"
#include "node/node.h"
#include "peer/ask.h"
#include "peer/libpq.h"
#include "sequence/block_table.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

/* ---- texts that are checked ---- */

/*
 * Check a number that is a text: PostgreSQL parses an int before the check, so
 * that nothing could note a wrong one.  *extra gets the number, or
 * GID_SETTING_UNSET.
 *
 * The text has decimal digits alone.  A zero in front is refused: PostgreSQL
 * reads 010 as 8 where a setting is an int, and a cast of the text, such as in
 * a policy, reads it as 10.
 */
static bool
gid_setting_check_number(const char *name, int64 max, char **newval, void **extra,
						 GucSource source)
{
	static const char blanks[] = " \t\n\r\f\v";
	int64		number = GID_SETTING_UNSET;
	const char *first = *newval + strspn(*newval, blanks);
	int			digits = strspn(first, "0123456789");
	bool		has_zero = first[0] == '0' && isalnum((unsigned char) first[1]);

	if (first[0] != '\0')
	{
		/* "max" has at most ten digits */
		number = digits > 10 ? PG_INT64_MAX : strtoi64(first, NULL, 10);
		if (digits == 0 || has_zero || number > max ||
			first[digits + strspn(first + digits, blanks)] != '\0')
		{
			GUC_check_errmsg("invalid value for parameter \"%s\": \"%.*s\"", name,
							 GID_SHOWN(*newval, (int) strlen(*newval)));
			GUC_check_errdetail("%s is a whole number from 0 to %lld.", name, (long long) max);
			GUC_check_errhint(has_zero ? "Write the number in decimal, without a zero in front." :
							  "An empty string leaves the setting unset.");
			gid_setting_note_dropped(name, source);
			return false;
		}
	}
	/* a weaker source does not take the place of a value that was dropped */
	if (gid_setting_is_dropped(name, source))
		number = GID_SETTING_UNSET;
	/* the server frees *extra */
	*extra = gid_guc_malloc(sizeof(int64));
	if (*extra == NULL)
		return false;
	*(int64 *) *extra = number;
	return true;
}

static char *gid_launch_id_text = "";
static char *gid_shard_key_text = "";

static bool
gid_check_launch_id(char **newval, void **extra, GucSource source)
{
	return gid_setting_check_number("gid.launch_id", GID_DECIMAL_MAX_LAUNCH, newval, extra, source);
}

static void
gid_assign_launch_id(const char *newval, void *extra)
{
	gid_launch_id = *(const int64 *) extra;
}

static bool
gid_check_shard_key(char **newval, void **extra, GucSource source)
{
	return gid_setting_check_number("gid.shard_key", GID_MAX_SHARD, newval, extra, source);
}

static void
gid_assign_shard_key(const char *newval, void *extra)
{
	gid_shard_key = *(const int64 *) extra;
}

/*
 * Check connection URIs, whose number is limited.  The messages do not show
 * the value, because a value that is refused may hold a password.  The first
 * check loads libpq, which raises an error where PostgreSQL's own module is
 * missing.
 */
static bool
gid_setting_check_uris(const char *name, int most, const char *value, GucSource source)
{
	const char *problem = gid_uri_check_list(value, most);

	if (problem == NULL)
		return true;
	GUC_check_errmsg("invalid value for parameter \"%s\"", name);
	GUC_check_errdetail("%s", problem);
	gid_setting_note_dropped(name, source);
	return false;
}

static bool
gid_check_authorities(char **newval, void **extra, GucSource source)
{
	return gid_setting_check_uris("gid.authorities", GID_URI_MAX, *newval, source);
}

static bool
gid_check_decimal_authority(char **newval, void **extra, GucSource source)
{
	return gid_setting_check_uris("gid.decimal_authority", 1, *newval, source);
}

static bool
gid_check_node_authority(char **newval, void **extra, GucSource source)
{
	return gid_setting_check_uris("gid.node_authority", 1, *newval, source);
}

/* ---- what follows a change ---- */

static void
gid_assign_node_no(int newval, void *extra)
{
	gid_node_forget();
}

static void
gid_assign_node_authority(const char *newval, void *extra)
{
	gid_node_forget();
}

/* Plans name the functions that the setting chooses. */
static void
gid_assign_serve_nextval(bool newval, void *extra)
{
	if (newval == gid_serve_nextval_is_on)
		return;
	ResetPlanCache();
	if (!newval)
		gid_serve_forget();
}

/* ---- the definitions ---- */

/*
 * Define the numbers that count for the whole server.  A reload changes them
 * without a restart.
 */
static void
gid_define_server_settings(void)
{
	/* Nothing else tells the TraceIds and Snowflake ids of servers apart. */
	DefineCustomIntVariable("gid.node_no",
							"Sets this server's number in TraceIds (0..65535) and Snowflake ids (0..1023).",
							"Each server that generates such ids, including standbys, needs a different number. -1 means none.",
							&gid_node_no, GID_SETTING_UNSET, GID_SETTING_UNSET, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, NULL, gid_assign_node_no, NULL);

	/* Nothing else tells the GDIDs of two servers apart. */
	DefineCustomIntVariable("gid.authority",
							"Sets this server's number in its GDIDs (0..15).",
							"Each server that generates GDIDs of the same scope and sequence needs a different number. -1 means none.",
							&gid_authority, GID_SETTING_UNSET, GID_SETTING_UNSET, GID_GDID_MAX_AUTHORITY,
							PGC_SIGHUP, 0, NULL, NULL, NULL);

	/*
	 * A lease belongs to the server, as gid.node_no does.  The same URI may
	 * stand in the configuration of all servers.
	 */
	DefineCustomStringVariable("gid.node_authority",
							   "Sets the connection URI of the server that leases node numbers.",
							   "By default, the node number is gid.node_no.",
							   &gid_node_authority, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   gid_check_node_authority, gid_assign_node_authority, NULL);
	DefineCustomIntVariable("gid.node_lease",
							"Sets the length of a node number's lease (10s..1h).",
							"A server that cannot reach its authority generates TraceIds and Snowflake ids until its lease ends.",
							&gid_node_lease_s, 60, GID_MIN_NODE_LEASE_S, GID_MAX_NODE_LEASE_S,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("gid.node_max",
							"Sets the greatest node number to request from the authority (0..65535).",
							"Snowflake ids can contain numbers up to 1023, and TraceIds can contain any number.",
							&gid_node_max, 1023, 0, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, NULL, NULL, NULL);

	/* The authority's own settings count, not those of a server that asks. */
	DefineCustomIntVariable("gid.node_first",
							"Sets the lowest node number that this server leases (0..65535).",
							"Lower numbers are for servers that set gid.node_no.",
							&gid_node_first, 256, 0, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("gid.node_lease_max",
							"Sets how far ahead a node lease can end (10s..1d).",
							"After a failover or a restore, no lease begins for twice this time.",
							&gid_node_lease_max_s, 300, GID_MIN_NODE_LEASE_S, GID_MAX_NODE_LEASE_MAX_S,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);

	/* The memory of the entries is shared, and comes on demand. */
	DefineCustomIntVariable("gid.max_sequences",
							"Sets how many sequences can have blocks in memory at a time (10..10000000).",
							"Each takes about 300 bytes. Where more sequences are drawn from, those that were not used lately lose the rest of their blocks. The server keeps at least two for each connection that it allows.",
							&gid_max_sequences, GID_DEFAULT_SEQUENCES, GID_MIN_SEQUENCES, GID_MAX_SEQUENCES,
							PGC_SIGHUP, 0, NULL, NULL, NULL);

	/* Blocks are shared, so all sessions must wait for the same standbys. */
	DefineCustomBoolVariable("gid.wait_for_standbys",
							 "Makes reservations of numbers wait for the synchronous standbys.",
							 "A block, a batch or a generator number is used only after the standbys in synchronous_standby_names have flushed its record, regardless of synchronous_commit. If it is off, a flush on this server is enough, and values can repeat after a failover.",
							 &gid_wait_for_standbys, true,
							 PGC_SIGHUP, 0, NULL, NULL, NULL);
}

/* Define the settings that a database or a role may have. */
static void
gid_define_own_settings(void)
{
	/*
	 * Two databases with the same launch make equal DecimalIds, so an
	 * administrator has to choose the launch of each database.  An ordinary
	 * user may not, because a greater launch ends the present one.
	 */
	DefineCustomStringVariable("gid.launch_id",
							   "Sets the launch number in DecimalIds (0..99999, 0 for tests).",
							   "It must not decrease in a database that has generated DecimalIds.",
							   &gid_launch_id_text, "", PGC_SUSET, 0,
							   gid_check_launch_id, gid_assign_launch_id, NULL);

	/*
	 * Any user may set the shard key.  It says where a row belongs, and no id
	 * becomes equal to another by it.
	 */
	DefineCustomStringVariable("gid.shard_key",
							   "Sets the shard key (0..4294967295) for gid_uuid_shard() without an argument.",
							   "Usually set with ALTER DATABASE or ALTER ROLE.",
							   &gid_shard_key_text, "", PGC_USERSET, 0,
							   gid_check_shard_key, gid_assign_shard_key, NULL);

	/*
	 * A small block loses fewer values in a crash, and costs more
	 * reservations.  Blocks are shared, so an ordinary user may not set this.
	 */
	DefineCustomIntVariable("gid.max_block_size",
							"Sets the largest number of values to reserve at a time (1..65536).",
							"With 1, each value of a sequence is reserved separately. If a sequence has a CACHE above 1, that CACHE is used instead.",
							&gid_max_block_size, GID_DEFAULT_BLOCK_SIZE, 1, GID_MAX_BLOCK_SIZE,
							PGC_SUSET, 0, NULL, NULL, NULL);

	/*
	 * Values come from blocks in the place of nextval()'s, for everybody who
	 * uses the database, so its owner alone does not decide.
	 */
	DefineCustomBoolVariable("gid.serve_nextval",
							 "Draws values through gid when statements call nextval().",
							 "This covers serial and identity columns, currval(), lastval() and setval(). Sessions that have not loaded the library use PostgreSQL's nextval(). Defaults, views and dumps keep the names of PostgreSQL's functions.",
							 &gid_serve_nextval_is_on, false,
							 PGC_SUSET, 0, NULL, gid_assign_serve_nextval, NULL);

	/* A skip uses up values of other users' sequences, and 0 is a risk. */
	DefineCustomIntVariable("gid.timeline_skip",
							"Sets how many values a sequence skips on a new timeline (0..2147483647).",
							"A promotion or the end of a restore starts a new timeline. The first draw skips this many values for each timeline since the sequence was last changed. With 0, it skips none.",
							&gid_timeline_skip_setting, GID_DEFAULT_TIMELINE_SKIP, 0, PG_INT32_MAX,
							PGC_SUSET, 0, NULL, NULL, NULL);

	/*
	 * Blocks and generator numbers are shared, so a role that may set these
	 * two decides where the ids of all users come from.  Only superusers see
	 * them, as primary_conninfo.
	 */
	DefineCustomStringVariable("gid.authorities",
							   "Sets the connection URIs of the servers that reserve GDIDs.",
							   "Separate the URIs with spaces, and list the nearest server first. By default, this server reserves the GDIDs. Usually set with ALTER DATABASE.",
							   &gid_authorities, "", PGC_SUSET, GUC_SUPERUSER_ONLY,
							   gid_check_authorities, NULL, NULL);
	DefineCustomStringVariable("gid.decimal_authority",
							   "Sets the connection URI of the server that reserves generator numbers.",
							   "By default, this server reserves the generator numbers of its DecimalIds. Usually set with ALTER DATABASE.",
							   &gid_decimal_authority, "", PGC_SUSET, GUC_SUPERUSER_ONLY,
							   gid_check_decimal_authority, NULL, NULL);
}

/* ---- numbers of this server in a file that is copied ---- */

/* The settings that must differ between servers. */
static const struct
{
	const char *name;
	const int  *value;
}			gid_settings_of_server[] = {
	{"gid.node_no", &gid_node_no},
	{"gid.authority", &gid_authority},
};

typedef struct GidSettingsState
{
	/* 1: the log was warned; exchange */
	pg_atomic_uint32 warned[lengthof(gid_settings_of_server)];
} GidSettingsState;

static GidSettingsState *gid_settings_state = NULL;

static void
gid_settings_init(void *part, int tranche)
{
	GidSettingsState *state = part;

	for (int i = 0; i < (int) lengthof(gid_settings_of_server); i++)
		pg_atomic_init_u32(&state->warned[i], 0);
}

/*
 * A backend attaches.  Warn, in the server's log alone and once in a life of
 * the server, if a number of this server comes from postgresql.auto.conf.
 */
static void
gid_settings_attach(void)
{
	for (int i = 0; i < (int) lengthof(gid_settings_of_server); i++)
	{
		const char *name = gid_settings_of_server[i].name;
		const struct config_generic *setting;
		const char *file;

		if (*gid_settings_of_server[i].value == GID_SETTING_UNSET)
			continue;
		setting = gid_setting_record(name);
		file = setting->source == PGC_S_FILE ? setting->sourcefile : NULL;
		if (file == NULL || strlen(file) < strlen(PG_AUTOCONF_FILENAME) ||
			strcmp(file + strlen(file) - strlen(PG_AUTOCONF_FILENAME), PG_AUTOCONF_FILENAME) != 0 ||
			pg_atomic_exchange_u32(&gid_settings_state->warned[i], 1) != 0)
			continue;
		ereport(LOG_SERVER_ONLY,
				(errcode(ERRCODE_CONFIG_FILE_ERROR),
				 errmsg("%s is set in postgresql.auto.conf", name),
				 errdetail("pg_basebackup, pg_rewind and failover managers copy this file to other servers, which then make the same ids."),
				 errhint("Set %s in a file that is not copied, such as a postgresql.conf outside the data directory, and use ALTER SYSTEM RESET %s.",
						 name, name)));
	}
}

static const GidPart gid_settings_part = {
	.size = sizeof(GidSettingsState),
	.init = gid_settings_init,
	.where = (void **) &gid_settings_state,
	.attach = gid_settings_attach,
};

/* ---- loading ---- */

/* The parts of the shared memory, in the order in which a backend attaches. */
static const GidPart *const gid_parts[] = {
	&gid_clock_part,
	&gid_block_part,
	&gid_block_table_part,
	&gid_ask_part,
	&gid_node_part,
	&gid_word_xact_part,
	&gid_followed_table_part,
	&gid_settings_part,
	&gid_slot_part,
};

/* PostgreSQL calls this once in each process that loads the library. */
void
_PG_init(void)
{
	/* PostgreSQL reports values that are not valid as WARNINGs */
	gid_setting_begin_define();
	gid_define_server_settings();
	gid_define_own_settings();
	gid_setting_end_define();

	/*
	 * This reports wrong names.  The leader of a parallel worker has done so,
	 * and a worker sets no name.
	 */
	if (!InitializingParallelWorker)
		MarkGUCPrefixReserved("gid");

	gid_serve_install();
	gid_attach_set_parts(gid_parts, lengthof(gid_parts));
	if (process_shared_preload_libraries_in_progress)
	{
		gid_libpq_load();
		gid_attach_preload();
	}
}
