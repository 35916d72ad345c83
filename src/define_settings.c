/*-------------------------------------------------------------------------
 *
 * define_settings.c
 *		Defines the settings and checks their values.
 *
 * State: whether the settings are being defined.  The GUC machinery owns the
 * values; the variables that the families read are in base/settings.c.
 *
 * Invariants:
 * 1. A number that tells ids apart has no default.  Until it is set, a
 *	  function that needs it raises 55000.
 * 2. A refused value never leaves another value in force: neither a default
 *	  nor the value of an outer level, such as postgresql.conf under ALTER
 *	  DATABASE.  A function that needs the setting raises 55000.  There are two
 *	  exceptions, as for all settings of PostgreSQL: a reload of
 *	  postgresql.conf and a SET keep the value before.  gid.serve_nextval is no
 *	  number, and falls back as PostgreSQL's settings do.
 * 3. A hook touches shared memory only in a process that has a PGPROC.
 *
 * Invariant 2 needs two means.
 * - Before the library is loaded, the server keeps any value as a placeholder.
 *	  It drops the placeholder's value when the value is not valid, when its
 *	  source may not set it (the options of a connection, for a number of the
 *	  server), and in the middle of a parallel operation.  Then the default
 *	  stays in force.  So the check of a default refuses the default of a
 *	  setting that had a value before.  A value that the server takes over
 *	  replaces the refused default.
 * - A setting that a database or a role may have is a string to the server.
 *	  With preload the server checks their values when nobody can correct them,
 *	  and drops those that are not valid; the value of postgresql.conf would
 *	  stay in force.  So the check accepts such a value, and replaces it by
 *	  GID_SETTING_REFUSED_TEXT.  An int or a real cannot do this, because the
 *	  server parses them before the check.
 *
 * Which processes run the hooks, and what holds there:
 * - The postmaster, when it preloads the library and at each reload.  It has
 *	  no PGPROC, and so only sets its variables, which its children inherit.
 * - "postgres -C" with preload, before there is shared memory.
 *	  "postgres --describe-config" loads no library.
 * - The logging collector, at each reload.  It has no PGPROC either.  The
 *	  pointers to shared memory that it inherits lead nowhere, since it has
 *	  left the shared memory.
 * - The startup process, the checkpointer, the background writer, the WAL
 *	  writer, the archiver, WAL receivers and senders, the autovacuum
 *	  processes and background workers, at each reload if the library is
 *	  preloaded.  They have a PGPROC.
 * - Sessions, when they load the library and at each reload; between two
 *	  statements, so never while one waits.
 * - A parallel worker, with the values of its leader, which may be older than
 *	  those of a reload.  It neither reports nor publishes them.
 * - A server for a single user has a PGPROC and no other process.
 * - Where children are started by exec, they load the library and read the
 *	  settings before they have a PGPROC.
 * All other hooks touch only memory of the process: check hooks parse, with
 * memory that the GUC machinery frees.  The first check of a URI loads libpq,
 * which raises an error where PostgreSQL's own module is missing.
 *
 * Crash, restart: each process reads the settings again.  A standby has
 * settings of its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "auto_conf.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/settings.h"
#include "decimal/generator.h"
#include "define_settings.h"
#include "id/serve.h"
#include "node/node.h"
#include "peer/libpq.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"
#include "layout/trace_id.h"
#include "layout/uuid_shard.h"
#include "sequence/reserve.h"
#include "sequence/standbys.h"

/* Are the settings being defined?  The server then checks earlier values. */
static bool gid_settings_are_defined_now = false;

/*
 * Is the default of a setting to be refused?  It is when the setting has a
 * value that the server is about to take over.  A value that the session has
 * set itself does not count: if the server drops it, the value before stays.
 * But in a parallel operation the server drops all values.
 *
 * A parallel worker begins with the values of the server, the database and the
 * role.  The server then sets those to the default that the leader does not
 * send; a refused default is not sent.  So such a default is refused, although
 * a leader that has not read the newest values has a valid one.
 */
static bool
gid_setting_default_is_refused(const char *name, GucSource source)
{
	const struct config_generic *before;

	if (source != PGC_S_DEFAULT)
		return false;
	if (!gid_settings_are_defined_now)
		return InitializingParallelWorker;
	before = gid_setting_record(name);
	if (before == NULL)
		return false;
	return (IsInParallelMode() && !InitializingParallelWorker ?
			before->source : before->reset_source) > PGC_S_DEFAULT;
}

/* The hooks of a number of the server.  "variable" is what the server sets. */
#define GID_SERVER_CHECK(setting) \
	static bool \
	gid_check_##setting(int *newval, void **extra, GucSource source) \
	{ \
		if (gid_setting_default_is_refused("gid." #setting, source)) \
			*newval = GID_SETTING_REFUSED; \
		return true; \
	}
#define GID_SERVER_HOOKS(setting, variable) \
	GID_SERVER_CHECK(setting) \
	static const char * \
	gid_show_##setting(void) \
	{ \
		return gid_setting_show(variable); \
	}

/* What SHOW shows of a number.  A show hook for a time would hide its unit. */
static const char *
gid_setting_show(int number)
{
	static char shown[16];

	if (number == GID_SETTING_UNSET)
		return "";
	if (number == GID_SETTING_REFUSED)
		return GID_SETTING_REFUSED_TEXT;
	snprintf(shown, sizeof(shown), "%d", number);
	return shown;
}

GID_SERVER_HOOKS(node_no, gid_node_no)
GID_SERVER_HOOKS(authority, gid_authority)
GID_SERVER_HOOKS(node_first, gid_node_first)
GID_SERVER_HOOKS(node_max, gid_node_max)
GID_SERVER_CHECK(node_lease)
GID_SERVER_CHECK(node_lease_max)
GID_SERVER_HOOKS(reservation_standbys, gid_reservation_standbys)

static void
gid_assign_node_no(int newval, void *extra)
{
	gid_node_forget();
	gid_auto_conf_look_again();
}

static void
gid_assign_authority(int newval, void *extra)
{
	gid_auto_conf_look_again();
}

/* The server sets its variable after the hook, which publishes the value. */
static void
gid_assign_reservation_standbys(int newval, void *extra)
{
	gid_reservation_standbys = newval;
	gid_standbys_publish();
}

static double gid_reservation_wait_s = -1;

static bool
gid_check_reservation_wait(double *newval, void **extra, GucSource source)
{
	if (gid_setting_default_is_refused("gid.reservation_wait", source))
		*newval = GID_SETTING_REFUSED;
	else if (*newval < 0 && *newval != -1)
	{
		GUC_check_errdetail("%s is -1, or a time from 0 to %d seconds.",
							"gid.reservation_wait", GID_MAX_RESERVATION_WAIT_S);
		return false;
	}
	return true;
}

static void
gid_assign_reservation_wait(double newval, void *extra)
{
	gid_reservation_wait_ms = newval < 0 ? (int) newval : (int) rint(newval * 1000);
	gid_standbys_publish();
}

/*
 * Must a string stay refused, with which this session began?  A reload would
 * bring the value of postgresql.conf, which that of the session had hidden.
 */
static bool
gid_setting_stays_refused(const char *name, GucSource source)
{
	const struct config_generic *setting;

	if (source != PGC_S_FILE || gid_settings_are_defined_now || InitializingParallelWorker)
		return false;
	setting = gid_setting_record(name);
	return setting->reset_source == PGC_S_DEFAULT &&
		strcmp(gid_setting_reset_string(setting), GID_SETTING_REFUSED_TEXT) == 0;
}

/* Replace a string that the server checks.  Returns false out of memory. */
static bool
gid_setting_replace(char **newval, const char *by)
{
	char	   *copy;

	if (strcmp(*newval, by) == 0)
		return true;
	copy = gid_guc_strdup(by);
	if (copy == NULL)
		return false;
	gid_guc_free(*newval);
	*newval = copy;
	return true;
}

/*
 * A string is not valid, for the reason that the GUC machinery was given.
 * Returns false where the server can reject it.  A value that nobody can
 * correct now is replaced: one that was set before the library was loaded, and
 * that of a database or a role.  The reason is then a WARNING.  A parallel
 * worker reports nothing, because its leader has done so.
 */
static bool
gid_setting_refuse(char **newval, GucSource source)
{
	if (!gid_settings_are_defined_now && !InitializingParallelWorker &&
		(source < PGC_S_GLOBAL || source > PGC_S_DATABASE_USER))
		return false;
	if (!InitializingParallelWorker)
		ereport(WARNING,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_internal("%s", GUC_check_errmsg_string),
				 errdetail_internal("%s", GUC_check_errdetail_string),
				 GUC_check_errhint_string != NULL ? errhint("%s", GUC_check_errhint_string) : 0));
	GUC_check_errmsg_string = NULL;
	GUC_check_errdetail_string = NULL;
	GUC_check_errhint_string = NULL;
	/* as the server does after such a message */
	FlushErrorState();
	return gid_setting_replace(newval, GID_SETTING_REFUSED_TEXT);
}

/*
 * Check a number that is a string.  *extra gets the number, or
 * GID_SETTING_UNSET or GID_SETTING_REFUSED.  The number is stored without
 * blanks and leading zeros, so that it reads the same everywhere.
 */
static bool
gid_setting_check_number(const char *name, int64 min, int64 max, bool may_be_unset,
						 char **newval, void **extra, GucSource source)
{
	int64		number = GID_SETTING_REFUSED;
	double		real;
	char		stored[24] = GID_SETTING_REFUSED_TEXT;

	if (gid_setting_stays_refused(name, source))
		return false;
	if (gid_setting_default_is_refused(name, source))
		;
	else if (may_be_unset && (*newval)[strspn(*newval, " \t\n\r\f\v")] == '\0')
	{
		number = GID_SETTING_UNSET;
		stored[0] = '\0';
	}
	else if (parse_real(*newval, &real, 0, NULL) && real >= min && real <= max &&
			 real == rint(real))
	{
		number = (int64) real;
		snprintf(stored, sizeof(stored), "%lld", (long long) number);
	}
	else
	{
		GUC_check_errmsg("invalid value for parameter \"%s\": \"%.*s\"", name,
						 GID_SHOWN(*newval, (int) strlen(*newval)));
		GUC_check_errdetail("%s is a whole number from %lld to %lld.", name,
							(long long) min, (long long) max);
		if (may_be_unset)
			GUC_check_errhint("An empty string leaves the setting unset.");
		if (!gid_setting_refuse(newval, source))
			return false;
	}
	/* the server frees *extra with free() (15) or guc_free() (16 on) */
	*extra = gid_guc_malloc(sizeof(int64));
	if (*extra == NULL)
		return false;
	*(int64 *) *extra = number;
	return gid_setting_replace(newval, stored);
}

/* What SHOW shows, and the hooks, of a number that is a string. */
#define GID_NUMBER(setting, initial, variable, min, max, may_be_unset) \
	static char *gid_##setting##_string = initial; \
	static bool \
	gid_check_##setting(char **newval, void **extra, GucSource source) \
	{ \
		return gid_setting_check_number("gid." #setting, min, max, may_be_unset, \
										newval, extra, source); \
	} \
	static void \
	gid_assign_##setting(const char *newval, void *extra) \
	{ \
		variable = *(const int64 *) extra; \
	}

GID_NUMBER(launch_id, "", gid_launch_id, 0, GID_DECIMAL_MAX_LAUNCH, true)
GID_NUMBER(shard_key, "", gid_shard_key, 0, GID_MAX_SHARD, true)
GID_NUMBER(max_block_size, "65536", gid_max_block_size, 1, GID_MAX_BLOCK_SIZE, false)
GID_NUMBER(timeline_skip, "-1", gid_timeline_skip_setting, GID_SKIP_DEFAULT, PG_INT32_MAX, false)

/*
 * Check connection URIs, whose number is limited.  The messages do not show
 * the value, because a value that is refused may hold a password.
 */
static bool
gid_setting_check_uris(const char *name, int most, char **newval, GucSource source)
{
	const char *problem;

	if (gid_setting_stays_refused(name, source))
		return false;
	if (gid_setting_default_is_refused(name, source))
		return gid_setting_replace(newval, GID_SETTING_REFUSED_TEXT);
	problem = gid_uri_check_list(*newval, most);
	if (problem == NULL)
		return true;
	GUC_check_errmsg("invalid value for parameter \"%s\"", name);
	GUC_check_errdetail("%s", problem);
	return gid_setting_refuse(newval, source);
}

#define GID_URIS(setting, most) \
	static bool \
	gid_check_##setting(char **newval, void **extra, GucSource source) \
	{ \
		return gid_setting_check_uris("gid." #setting, most, newval, source); \
	}

GID_URIS(authorities, GID_URI_MAX)
GID_URIS(decimal_authority, 1)
GID_URIS(node_authority, 1)

static void
gid_assign_decimal_authority(const char *newval, void *extra)
{
	gid_generator_forget_authority();
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

/*
 * Define the numbers that count for the whole server.  A reload changes them
 * without a restart.
 */
static void
gid_define_server_settings(void)
{
	/* Nothing else tells the TraceIds and Snowflake ids of servers apart. */
	DefineCustomIntVariable("gid.node_no",
							"Sets the number of this server in its TraceIds (0..65535) and Snowflake ids (0..1023).",
							"Every server that makes TraceIds or Snowflake ids needs a number of its own, standbys included. With -1 it has none. If gid.node_authority is set, the number is leased instead.",
							&gid_node_no, GID_SETTING_UNSET, GID_SETTING_UNSET, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, gid_check_node_no, gid_assign_node_no, gid_show_node_no);

	/* Nothing else tells the GDIDs of two servers apart. */
	DefineCustomIntVariable("gid.authority",
							"Sets the number of this server in its GDIDs (0..15).",
							"Every server that makes GDIDs of the same scope and sequence needs a number of its own. With -1 it has none.",
							&gid_authority, GID_SETTING_UNSET, GID_SETTING_UNSET, GID_GDID_MAX_AUTHORITY,
							PGC_SIGHUP, 0, gid_check_authority, gid_assign_authority, gid_show_authority);

	/*
	 * A lease belongs to the server, as gid.node_no does.  The same URI may
	 * stand in the configuration of all servers.
	 */
	DefineCustomStringVariable("gid.node_authority",
							   "Sets the connection URI of the server that leases node numbers to this server.",
							   "If it is empty, the node number is gid.node_no.",
							   &gid_node_authority, "", PGC_SIGHUP, GUC_SUPERUSER_ONLY,
							   gid_check_node_authority, gid_assign_node_authority, NULL);
	DefineCustomIntVariable("gid.node_lease",
							"Sets the length of a lease of a node number (10s..1h).",
							"A server that cannot reach its authority makes TraceIds and Snowflake ids until its lease ends.",
							&gid_node_lease_s, 60, GID_MIN_NODE_LEASE_S, GID_MAX_NODE_LEASE_S,
							PGC_SIGHUP, GUC_UNIT_S, gid_check_node_lease, NULL, NULL);
	DefineCustomIntVariable("gid.node_max",
							"Sets the greatest node number that this server asks its authority for (0..65535).",
							"Snowflake ids have room for numbers up to 1023, TraceIds for all.",
							&gid_node_max, 1023, 0, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, gid_check_node_max, NULL, gid_show_node_max);

	/* The authority's own settings count, not those of the server that asks. */
	DefineCustomIntVariable("gid.node_first",
							"Sets the lowest node number that this server leases to others (0..65535).",
							"Numbers below it are for servers that have gid.node_no.",
							&gid_node_first, 256, 0, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, gid_check_node_first, NULL, gid_show_node_first);
	DefineCustomIntVariable("gid.node_lease_max",
							"Sets how far ahead of this server's time a lease of a node number may end (10s..1d).",
							"After a failover or a restore no lease begins for twice this time.",
							&gid_node_lease_max_s, 300, GID_MIN_NODE_LEASE_S, GID_MAX_NODE_LEASE_MAX_S,
							PGC_SIGHUP, GUC_UNIT_S, gid_check_node_lease_max, NULL, NULL);

	/*
	 * Every session must wait for the same standbys, or else one session uses
	 * a block that another one would not.
	 */
	DefineCustomIntVariable("gid.reservation_standbys",
							"Sets how many standbys must have a reservation on disk before its values are used (0..100).",
							"Streaming physical standbys count, synchronous or not. With fewer such standbys, sessions that need a reservation wait.",
							&gid_reservation_standbys, 0, 0, GID_MAX_STANDBYS,
							PGC_SIGHUP, 0, gid_check_reservation_standbys,
							gid_assign_reservation_standbys, gid_show_reservation_standbys);

	/*
	 * A bound weakens gid.reservation_standbys for all sessions.  So the
	 * default is no bound.  A number without a unit is in seconds.  A number
	 * meant as milliseconds is too large, and so an error, not a shorter
	 * wait.
	 */
	DefineCustomRealVariable("gid.reservation_wait",
							 "Sets how long a reservation waits for the standbys of gid.reservation_standbys (0..1h, -1 for ever).",
							 "Once a reservation has waited so long, it and later ones are used without waiting, until the standbys are back. After a failover their values may come again.",
							 &gid_reservation_wait_s, -1, -1, GID_MAX_RESERVATION_WAIT_S,
							 PGC_SIGHUP, GUC_UNIT_S, gid_check_reservation_wait,
							 gid_assign_reservation_wait, NULL);
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
							   "The number must not go down in a database that has made DecimalIds.",
							   &gid_launch_id_string, "", PGC_SUSET, 0,
							   gid_check_launch_id, gid_assign_launch_id, NULL);

	/*
	 * Any user may set the shard key.  It says where a row belongs, and no id
	 * becomes equal to another by it.
	 */
	DefineCustomStringVariable("gid.shard_key",
							   "Sets the shard key that gid_uuid_shard() uses without an argument (0..4294967295).",
							   "It is usually set with ALTER DATABASE or ALTER ROLE.",
							   &gid_shard_key_string, "", PGC_USERSET, 0,
							   gid_check_shard_key, gid_assign_shard_key, NULL);

	/*
	 * A small block loses fewer values in a crash, and costs more
	 * reservations.  Blocks are shared, so an ordinary user may not set this.
	 */
	DefineCustomStringVariable("gid.max_block_size",
							   "Sets the largest number of a sequence's values that are reserved at a time (1..65536).",
							   "With 1, each value is reserved by itself. If a sequence has a CACHE above 1, that CACHE is used instead.",
							   &gid_max_block_size_string, "65536", PGC_SUSET, 0,
							   gid_check_max_block_size, gid_assign_max_block_size, NULL);

	/*
	 * Values come from blocks in the place of nextval()'s, for everybody who
	 * uses the database, so its owner alone does not decide.
	 */
	DefineCustomBoolVariable("gid.serve_nextval",
							 "Draws through gid where statements call nextval(), and for serial and identity columns.",
							 "Sessions that have not loaded the library draw from PostgreSQL. currval(), lastval() and setval() are served, too. Defaults, views and dumps keep the names of PostgreSQL's functions. When this is off, PostgreSQL draws again.",
							 &gid_serve_nextval_is_on, false,
							 PGC_SUSET, 0, NULL, gid_assign_serve_nextval, NULL);

	/* A skip uses up values of other users' sequences, and 0 is a risk. */
	DefineCustomStringVariable("gid.timeline_skip",
							   "Sets how many values a sequence passes over when it is first drawn from on a new timeline, for each timeline since it was last changed (-1..2147483647).",
							   "A promotion or the end of a restore begins a new timeline. With -1 the number is computed from the sequence, with 0 no value is passed over.",
							   &gid_timeline_skip_string, "-1", PGC_SUSET, 0,
							   gid_check_timeline_skip, gid_assign_timeline_skip, NULL);

	/*
	 * Blocks and generator numbers are shared, so a role that may set these
	 * two decides where the ids of all users come from.  Only superusers see
	 * them, as primary_conninfo.
	 */
	DefineCustomStringVariable("gid.authorities",
							   "Sets the connection URIs of the servers that reserve blocks of GDIDs for this server.",
							   "Blanks separate the URIs; the nearest server comes first. If the list is empty, this server reserves the blocks. It is usually set with ALTER DATABASE.",
							   &gid_authorities, "", PGC_SUSET, GUC_SUPERUSER_ONLY,
							   gid_check_authorities, NULL, NULL);
	DefineCustomStringVariable("gid.decimal_authority",
							   "Sets the connection URI of the server that reserves generator numbers of DecimalIds for this server.",
							   "If it is empty, this server reserves the numbers. It is usually set with ALTER DATABASE.",
							   &gid_decimal_authority, "", PGC_SUSET, GUC_SUPERUSER_ONLY,
							   gid_check_decimal_authority, gid_assign_decimal_authority, NULL);
}

/*
 * Define all settings.  Called once in each process that loads the library.
 * The GUC machinery reports values that are not valid as WARNINGs.
 */
void
gid_define_settings(void)
{
	gid_settings_are_defined_now = true;
	gid_define_server_settings();
	gid_define_own_settings();

	/*
	 * This reports wrong names.  The leader of a parallel worker has done so,
	 * and a worker sets no name.
	 */
	if (!InitializingParallelWorker)
		MarkGUCPrefixReserved("gid");
	gid_settings_are_defined_now = false;
}
