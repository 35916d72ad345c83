/*-------------------------------------------------------------------------
 *
 * define_settings.c
 *		Defines the settings and checks their values.
 *
 * State: gid_setting_is_lost, and what SHOW shows of the numbers.  The GUC
 * machinery owns the values themselves; the variables that the families read
 * are in base/settings.c.
 *
 * Invariants:
 * 1. A number that tells ids apart has no default.  Until it is set, whoever
 *	  needs it gets 55000.  The three settings of failover have defaults.
 * 2. A refused value never leaves another value in force: neither a default
 *	  nor the value of an outer level, such as postgresql.conf under ALTER
 *	  DATABASE.  Whoever needs the setting gets 55000.  There is one exception:
 *	  a reload of postgresql.conf keeps the value before it, as PostgreSQL does
 *	  for all settings.
 * 3. A hook touches shared memory only in a process that has a PGPROC.
 *
 * Invariant 2 has two consequences.  A value that is checked when nobody can
 * correct it is not rejected, because the server would then continue with
 * another value.  The check replaces it by GID_SETTING_REFUSED_TEXT.  The same
 * happens to values that the server does not take over when the library is
 * loaded; see gid_settings_note_lost().
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
 * memory that the GUC machinery frees.
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
#include "parser/scansup.h"
#include "utils/guc.h"
#include "utils/plancache.h"

#include "auto_conf.h"
#include "base/args.h"
#include "base/compat.h"
#include "base/settings.h"
#include "define_settings.h"
#include "id/serve_nextval.h"
#include "node/node.h"
#include "peer/uri.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"
#include "layout/trace_id.h"
#include "layout/uuid_shard.h"
#include "sequence/reserve.h"
#include "sequence/standbys.h"

/* A setting whose value may be refused, as the server gets it. */
typedef struct GidSetting
{
	bool		is_uris;		/* a list of connection URIs, else a number */
	bool		is_time;		/* the number is in ms, and written as a time;
								 * -1 stands for itself */
	int64		min;			/* of the number */
	int64		max;			/* of the number, or of the list's length */
	const char *initial;		/* the default, and what an empty string
								 * stands for; NULL: unset */
	const char *short_text;
	const char *long_text;
	char	  **string;			/* what SHOW shows */
	GucContext	context;
	int			flags;
	GucStringCheckHook check;
	GucStringAssignHook assign;
} GidSetting;

/* What SHOW shows of the numbers. */
static char *gid_node_no_string = "";
static char *gid_launch_id_string = "";
static char *gid_shard_key_string = "";
static char *gid_authority_string = "";
static char *gid_node_first_string = "";
static char *gid_reservation_standbys_string = "0";
static char *gid_reservation_wait_string = "-1";
static char *gid_timeline_skip_string = "-1";

/* Are the settings being defined?  The server then checks earlier values. */
static bool gid_settings_are_defined_now = false;

static bool gid_setting_check(GidSettingName name, char **newval, void **extra,
							  GucSource source);

/*
 * Define the hooks of a setting: the server calls them without saying which
 * setting it is.  "variable" gets a new value, and then "also" is done.
 */
#define GID_SETTING_HOOKS(name, id, variable, also) \
	static bool \
	gid_check_##name(char **newval, void **extra, GucSource source) \
	{ \
		return gid_setting_check(GID_SETTING_##id, newval, extra, source); \
	} \
	static void \
	gid_assign_##name(const char *newval, void *extra) \
	{ \
		variable = *(const int64 *) extra; \
		also; \
	}

GID_SETTING_HOOKS(node_no, NODE_NO, gid_node_no, (gid_node_forget(), gid_auto_conf_look_again()))
GID_SETTING_HOOKS(launch_id, LAUNCH_ID, gid_launch_id, (void) 0)
GID_SETTING_HOOKS(shard_key, SHARD_KEY, gid_shard_key, (void) 0)
GID_SETTING_HOOKS(authority, AUTHORITY, gid_authority, gid_auto_conf_look_again())
GID_SETTING_HOOKS(authorities, AUTHORITIES, gid_authorities_set, (void) 0)
GID_SETTING_HOOKS(decimal_authority, DECIMAL_AUTHORITY, gid_decimal_authority_set, (void) 0)
GID_SETTING_HOOKS(node_authority, NODE_AUTHORITY, gid_node_authority_set, gid_node_forget())
GID_SETTING_HOOKS(node_first, NODE_FIRST, gid_node_first, (void) 0)
/* these two publish the new value to the sessions that wait for standbys */
GID_SETTING_HOOKS(reservation_standbys, RESERVATION_STANDBYS, gid_reservation_standbys, gid_standbys_publish())
GID_SETTING_HOOKS(reservation_wait, RESERVATION_WAIT, gid_reservation_wait_ms, gid_standbys_publish())
GID_SETTING_HOOKS(timeline_skip, TIMELINE_SKIP, gid_timeline_skip_setting, (void) 0)

/*
 * The numbers are strings to the server, because an int has no value that SHOW
 * shows as an empty string.  Also, a shard key has 32 bits without a sign.
 */
static const GidSetting gid_settings[GID_NSETTINGS] = {

	/*
	 * Nothing else tells the TraceIds and Snowflake ids of two servers apart.
	 * So the setting belongs to the server, not to a session, and a reload
	 * changes it without a restart.
	 */
	[GID_SETTING_NODE_NO] = {
		.max = GID_TRACE_MAX_NODE,
		.short_text = "Sets the number of this server in its TraceIds (0..65535) and Snowflake ids (0..1023).",
		.long_text = "Every server that makes TraceIds or Snowflake ids needs a number of its own, standbys included. If gid.node_authority is set, the number is leased instead.",
		.string = &gid_node_no_string,
		.context = PGC_SIGHUP,
		.check = gid_check_node_no,
		.assign = gid_assign_node_no,
	},

	/*
	 * Two databases with the same launch make equal DecimalIds, so an
	 * administrator has to choose the launch of each database.  An ordinary
	 * user may not, because a greater launch ends the present one.
	 */
	[GID_SETTING_LAUNCH_ID] = {
		.max = GID_DECIMAL_MAX_LAUNCH,
		.short_text = "Sets the launch number in DecimalIds (0..99999, 0 for tests).",
		.long_text = "The number must not go down in a database that has made DecimalIds.",
		.string = &gid_launch_id_string,
		.context = PGC_SUSET,
		.check = gid_check_launch_id,
		.assign = gid_assign_launch_id,
	},

	/*
	 * Any user may set the shard key.  It says where a row belongs, and no id
	 * becomes equal to another by it.
	 */
	[GID_SETTING_SHARD_KEY] = {
		.max = GID_MAX_SHARD,
		.short_text = "Sets the shard key that gid_uuid_shard() uses without an argument (0..4294967295).",
		.long_text = "It is usually set with ALTER DATABASE or ALTER ROLE.",
		.string = &gid_shard_key_string,
		.context = PGC_USERSET,
		.check = gid_check_shard_key,
		.assign = gid_assign_shard_key,
	},

	/* Nothing else tells the GDIDs of two servers apart; as gid.node_no. */
	[GID_SETTING_AUTHORITY] = {
		.max = GID_GDID_MAX_AUTHORITY,
		.short_text = "Sets the number of this server in its GDIDs (0..15).",
		.long_text = "Every server that makes GDIDs of the same scope and sequence needs a number of its own.",
		.string = &gid_authority_string,
		.context = PGC_SIGHUP,
		.check = gid_check_authority,
		.assign = gid_assign_authority,
	},

	/*
	 * Blocks are shared, so whoever sets this decides where the ids of all
	 * users come from.  Only superusers see it, as primary_conninfo.
	 */
	[GID_SETTING_AUTHORITIES] = {
		.is_uris = true,
		.max = GID_URI_MAX,
		.short_text = "Sets the connection URIs of the servers that reserve blocks of GDIDs for this server.",
		.long_text = "Blanks separate the URIs; the nearest server comes first. If the list is empty, this server reserves the blocks. It is usually set with ALTER DATABASE.",
		.string = &gid_authorities,
		.context = PGC_SUSET,
		.flags = GUC_SUPERUSER_ONLY,
		.check = gid_check_authorities,
		.assign = gid_assign_authorities,
	},

	/* As gid.authorities. */
	[GID_SETTING_DECIMAL_AUTHORITY] = {
		.is_uris = true,
		.max = 1,
		.short_text = "Sets the connection URI of the server that reserves generator numbers of DecimalIds for this server.",
		.long_text = "If it is empty, this server reserves the numbers. It is usually set with ALTER DATABASE.",
		.string = &gid_decimal_authority,
		.context = PGC_SUSET,
		.flags = GUC_SUPERUSER_ONLY,
		.check = gid_check_decimal_authority,
		.assign = gid_assign_decimal_authority,
	},

	/*
	 * A lease is the server's, as gid.node_no is.  The same value may stand
	 * in the configuration of all servers.
	 */
	[GID_SETTING_NODE_AUTHORITY] = {
		.is_uris = true,
		.max = 1,
		.short_text = "Sets the connection URI of the server that leases node numbers to this server.",
		.long_text = "If it is empty, the node number is gid.node_no.",
		.string = &gid_node_authority,
		.context = PGC_SIGHUP,
		.flags = GUC_SUPERUSER_ONLY,
		.check = gid_check_node_authority,
		.assign = gid_assign_node_authority,
	},

	/*
	 * Numbers below it may be in use as gid.node_no of other servers, so a
	 * wrong value must not leave a lower one in force.
	 */
	[GID_SETTING_NODE_FIRST] = {
		.max = GID_TRACE_MAX_NODE,
		.initial = "256",
		.short_text = "Sets the lowest node number that this server leases to others (0..65535).",
		.long_text = "Numbers below it are for servers that have gid.node_no.",
		.string = &gid_node_first_string,
		.context = PGC_SIGHUP,
		.check = gid_check_node_first,
		.assign = gid_assign_node_first,
	},

	/*
	 * Every session must wait for the same standbys, or else one session uses
	 * a block that another one would not.  So the setting belongs to the
	 * server.
	 */
	[GID_SETTING_RESERVATION_STANDBYS] = {
		.max = GID_MAX_STANDBYS,
		.initial = "0",
		.short_text = "Sets how many standbys must have a reservation on disk before its values are used (0..100).",
		.long_text = "Streaming physical standbys count, synchronous or not. With fewer such standbys, sessions that need a reservation wait.",
		.string = &gid_reservation_standbys_string,
		.context = PGC_SIGHUP,
		.check = gid_check_reservation_standbys,
		.assign = gid_assign_reservation_standbys,
	},

	/*
	 * A bound weakens gid.reservation_standbys for all sessions.  So the
	 * default is no bound, and a refused value stops reservations.  A number
	 * without a unit is in seconds: who takes it for milliseconds gets an
	 * error, and not a shorter wait.
	 */
	[GID_SETTING_RESERVATION_WAIT] = {
		.is_time = true,
		.min = 0,
		.max = GID_MAX_RESERVATION_WAIT_S * INT64CONST(1000),
		.initial = "-1",
		.short_text = "Sets how long a reservation waits for the standbys of gid.reservation_standbys (0..1h, -1 for ever).",
		.long_text = "Once a reservation has waited so long, it and later ones are used without waiting, until the standbys are back. After a failover their values may come again.",
		.string = &gid_reservation_wait_string,
		.context = PGC_SIGHUP,
		.check = gid_check_reservation_wait,
		.assign = gid_assign_reservation_wait,
	},

	/* A skip uses up values of other users' sequences, and 0 is a risk. */
	[GID_SETTING_TIMELINE_SKIP] = {
		.min = GID_SKIP_DEFAULT,
		.max = PG_INT32_MAX,
		.initial = "-1",
		.short_text = "Sets how many values a sequence passes over when it is first drawn from on a new timeline, for each timeline since it was last changed (-1..2147483647).",
		.long_text = "A promotion or the end of a restore begins a new timeline. With -1 the number is computed from the sequence, with 0 no value is passed over.",
		.string = &gid_timeline_skip_string,
		.context = PGC_SUSET,
		.check = gid_check_timeline_skip,
		.assign = gid_assign_timeline_skip,
	},
};

/* Is a text empty, or does it have only blanks? */
static bool
gid_setting_is_blank(const char *p)
{
	while (scanner_isspace(*p))
		p++;
	return *p == '\0';
}

/*
 * Read a number: decimal digits with blanks around them, with a minus sign
 * where "min" is below 0.  Returns false when the text is no number or the
 * number is not in the range.
 */
static bool
gid_setting_read_number(const char *p, int64 min, int64 max, int64 *number)
{
	bool		digits;
	bool		negative;

	while (scanner_isspace(*p))
		p++;
	negative = *p == '-' && min < 0;
	if (negative)
		p++;
	digits = *p >= '0' && *p <= '9';
	for (*number = 0; *p >= '0' && *p <= '9' && *number <= max; p++)
		*number = *number * 10 + (*p - '0');
	if (negative)
		*number = -*number;
	return digits && gid_setting_is_blank(p) && *number >= min && *number <= max;
}

/*
 * Read a time, in seconds unless it has a unit, as milliseconds.  -1 is read
 * as -1.  Returns false when the text is no time or the time is not in the
 * range.
 */
static bool
gid_setting_read_time(const char *p, int64 min, int64 max, int64 *ms)
{
	double		seconds;

	if (!parse_real(p, &seconds, GUC_UNIT_S, NULL))
		return false;
	if (seconds == -1)
	{
		*ms = -1;
		return true;
	}
	/* this way round, for the infinities */
	if (!(seconds >= min / 1000.0 && seconds <= max / 1000.0))
		return false;
	*ms = (int64) rint(seconds * 1000);
	return true;
}

/* Leave the range of a number to the GUC machinery, as a detail. */
static void
gid_setting_describe_range(GidSettingName name)
{
	const GidSetting *setting = &gid_settings[name];

	if (setting->is_time)
		GUC_check_errdetail("%s is -1, or a time from %lld to %lld seconds.", gid_setting_name(name),
							(long long) setting->min / 1000, (long long) setting->max / 1000);
	else
		GUC_check_errdetail("%s is a whole number from %lld to %lld.", gid_setting_name(name),
							(long long) setting->min, (long long) setting->max);
}

/* Check a number.  If it is wrong, leave the reason to the GUC machinery. */
static bool
gid_setting_check_number(GidSettingName name, const char *value, int64 *parsed)
{
	const GidSetting *setting = &gid_settings[name];

	if (gid_setting_is_blank(value))
	{
		*parsed = GID_SETTING_UNSET;
		if (setting->initial == NULL)
			return true;
		value = setting->initial;
	}
	if (setting->is_time ? gid_setting_read_time(value, setting->min, setting->max, parsed) :
		gid_setting_read_number(value, setting->min, setting->max, parsed))
		return true;
	GUC_check_errmsg("invalid value for parameter \"%s\": \"%.*s\"", gid_setting_name(name),
					 GID_SHOWN(value, (int) strlen(value)));
	gid_setting_describe_range(name);
	if (setting->initial == NULL)
		GUC_check_errhint("An empty string leaves the setting unset.");
	else
		GUC_check_errhint("An empty string stands for %s.", setting->initial);
	return false;
}

/*
 * Check connection URIs.  The messages do not show the value, because a value
 * that is refused may hold a password.
 */
static bool
gid_setting_check_uris(GidSettingName name, const char *value, int64 *parsed)
{
	GidUriProblem problem;

	if (gid_uri_check_list(value, (int) gid_settings[name].max, &problem))
	{
		*parsed = value[0] != '\0' ? 1 : GID_SETTING_UNSET;
		return true;
	}
	GUC_check_errmsg("invalid value for parameter \"%s\"", gid_setting_name(name));
	GUC_check_errdetail("%s", problem.detail);
	if (problem.hint != NULL)
		GUC_check_errhint("%s", problem.hint);
	return false;
}

/*
 * Report the message of a failed check as a WARNING instead of an error.  A
 * parallel worker reports nothing, because its leader has done so.
 */
static void
gid_setting_warn(void)
{
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
}

/*
 * Is a value checked when nobody can correct it?  This holds for values that
 * were set before the library was loaded, and for values that a database or a
 * role has.  A parallel worker only takes the values of its leader.
 */
static bool
gid_setting_is_late(GucSource source)
{
	return gid_settings_are_defined_now || InitializingParallelWorker ||
		(source >= PGC_S_GLOBAL && source <= PGC_S_DATABASE_USER);
}

/*
 * Parse a value into *parsed, and make the text that the server stores for it.
 * "number" has room for that text.  A number is stored without blanks and
 * leading zeros, so that it reads the same everywhere.  Returns NULL when the
 * value is to be rejected.
 */
static const char *
gid_setting_parse(GidSettingName name, const char *value, GucSource source,
				  int64 *parsed, char number[32])
{
	bool		is_uris = gid_settings[name].is_uris;

	if (!(is_uris ? gid_setting_check_uris(name, value, parsed) :
		  gid_setting_check_number(name, value, parsed)))
	{
		if (!gid_setting_is_late(source))
			return NULL;
		gid_setting_warn();
		*parsed = GID_SETTING_REFUSED;
	}
	else if (gid_setting_is_lost[name] && source < PGC_S_INTERACTIVE)
		*parsed = GID_SETTING_REFUSED;

	if (*parsed == GID_SETTING_REFUSED)
		return GID_SETTING_REFUSED_TEXT;
	if (is_uris)
		return value;
	if (*parsed == GID_SETTING_UNSET && gid_settings[name].initial == NULL)
		return "";
	if (!gid_settings[name].is_time || *parsed <= 0)
		snprintf(number, 32, "%lld", (long long) *parsed);
	else if (*parsed % 1000 != 0)
		snprintf(number, 32, "%lldms", (long long) *parsed);
	else
		snprintf(number, 32, "%llds", (long long) *parsed / 1000);
	return number;
}

/*
 * The check hook of all these settings.  *extra is an int64: the number, or 1
 * for URIs, or GID_SETTING_UNSET or GID_SETTING_REFUSED.  A parallel worker
 * gets the values of its leader, refused values included.
 */
static bool
gid_setting_check(GidSettingName name, char **newval, void **extra, GucSource source)
{
	int64	   *parsed = gid_guc_malloc(sizeof(int64));
	char		number[32];
	const char *stored;
	char	   *copy;

	/* the server frees *extra with free() (15) or guc_free() (16 on) */
	if (parsed == NULL)
		return false;
	if (gid_settings_are_defined_now && source > PGC_S_DEFAULT && source < PGC_S_INTERACTIVE)
		gid_setting_is_lost[name] = false;
	stored = gid_setting_parse(name, *newval, source, parsed, number);
	if (stored == NULL)
	{
		gid_guc_free(parsed);
		return false;
	}
	*extra = parsed;
	if (strcmp(stored, *newval) == 0)
		return true;
	copy = gid_guc_strdup(stored);
	if (copy == NULL)
		return false;
	gid_guc_free(*newval);
	*newval = copy;
	return true;
}

/*
 * Note which values, set before the library was loaded, the server may not
 * take over.  In the middle of a parallel operation it takes over no value.
 * Otherwise it drops a value that the client gave when it connected and that
 * its role may not set.  That value hides the value of the database.  The
 * server reports the drop in a WARNING.
 *
 * A dropped value counts as refused.  Otherwise the default would be in force
 * and, after a reload, the value of postgresql.conf.  SET in the session or a
 * new connection helps.
 *
 * So this function notes each setting that has a value to take over, and the
 * check of the setting's default refuses it.  If the server then takes the
 * value over, the check of that value removes the note.
 */
static void
gid_settings_note_lost(void)
{
	bool		drops = IsInParallelMode() && !InitializingParallelWorker;

	for (int i = 0; i < GID_NSETTINGS; i++)
	{
		const char *name = gid_setting_name(i);
		const char *value = GetConfigOption(name, true, false);

		/* what a session has set lies above the value of before */
		if (value != NULL && !drops)
			value = GetConfigOptionResetString(name);
		gid_setting_is_lost[i] = value != NULL && value[0] != '\0';
	}
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
 * Define all settings.  Called once in each process that loads the library.
 * The GUC machinery reports values that are not valid as WARNINGs.
 */
void
gid_define_settings(void)
{
	gid_settings_note_lost();
	gid_settings_are_defined_now = true;
	for (int i = 0; i < GID_NSETTINGS; i++)
	{
		const GidSetting *setting = &gid_settings[i];

		DefineCustomStringVariable(gid_setting_name(i), setting->short_text,
								   setting->long_text, setting->string,
								   setting->initial != NULL ? setting->initial : "",
								   setting->context, setting->flags,
								   setting->check, setting->assign, NULL);
	}

	/*
	 * A small block loses fewer values in a crash, and costs more
	 * reservations.  Blocks are shared, so an ordinary user may not set this.
	 */
	DefineCustomIntVariable("gid.max_block_size",
							"Sets the largest number of a sequence's values that are reserved at a time (1..65536).",
							"With 1, each value is reserved by itself. If a sequence has a CACHE above 1, that CACHE is used instead.",
							&gid_max_block_size, GID_MAX_BLOCK_SIZE, 1, GID_MAX_BLOCK_SIZE,
							PGC_SUSET, 0, NULL, NULL, NULL);

	/*
	 * Values come from blocks in the place of nextval()'s, for everybody who
	 * uses the database, so its owner alone does not decide.
	 */
	DefineCustomBoolVariable("gid.serve_nextval",
							 "Draws through gid where statements call nextval(), and for serial and identity columns.",
							 "currval(), lastval() and setval() go along. Definitions keep their names, and off leads back.",
							 &gid_serve_nextval_is_on, false,
							 PGC_SUSET, 0, NULL, gid_assign_serve_nextval, NULL);

	/* A lease belongs to the server, not to a session. */
	DefineCustomIntVariable("gid.node_lease",
							"Sets the length of a lease of a node number (10s..1h).",
							"A server that cannot reach its authority makes TraceIds until its lease ends.",
							&gid_node_lease_s, 60, GID_MIN_NODE_LEASE_S, GID_MAX_NODE_LEASE_S,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);
	DefineCustomIntVariable("gid.node_max",
							"Sets the greatest node number that this server leases (0..65535).",
							"Snowflake ids have room for numbers up to 1023, TraceIds for all.",
							&gid_node_max, 1023, 0, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, NULL, NULL, NULL);

	/* It belongs to the authority, whoever asks. */
	DefineCustomIntVariable("gid.node_lease_max",
							"Sets how far ahead of this server's time a lease of a node number may end (10s..1d).",
							"After a failover or a restore no lease begins for twice this time.",
							&gid_node_lease_max_s, 300, GID_MIN_NODE_LEASE_S, GID_MAX_NODE_LEASE_MAX_S,
							PGC_SIGHUP, GUC_UNIT_S, NULL, NULL, NULL);

	/*
	 * This reports wrong names.  The leader of a parallel worker has done so,
	 * and a worker sets no name.
	 */
	if (!InitializingParallelWorker)
		MarkGUCPrefixReserved("gid");
	gid_settings_are_defined_now = false;
}
