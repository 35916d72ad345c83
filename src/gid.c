/*-------------------------------------------------------------------------
 *
 * gid.c
 *		The settings, and what happens when the library is loaded.
 *
 * State: the values of the settings, owned by PostgreSQL's GUC machinery.
 *
 * Invariants:
 * 1. A number that tells ids apart has no default.  Until it is set, whoever
 *	  needs it gets 55000.
 * 2. A value that was refused never leaves another one in force: neither a
 *	  default nor the value of an outer level, such as postgresql.conf under
 *	  ALTER DATABASE.  Whoever needs the setting gets 55000.  There is one
 *	  exception: a reload of postgresql.conf keeps the value before it, as
 *	  PostgreSQL does for all settings.
 *
 * For invariant 2 a value that is checked when nobody can correct it is not
 * rejected, since the server would go on with another one.  It is replaced by
 * GID_REFUSED.  So are the values that the server does not take over when the
 * library is loaded (gid_note_lost()).
 *
 * The library may be loaded by a session (the first call of a gid function,
 * LOAD, session_preload_libraries) or by the postmaster
 * (shared_preload_libraries).  Only the latter can ask for shared memory in
 * advance and save the clock's words at a clean shutdown; everything else is
 * the same.
 *
 * Crash, restart: the settings are read again.  A standby has settings of its
 * own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "utils/guc.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "base/settings.h"
#include "clock/word.h"
#include "decimal/lease.h"
#include "decimal/pace.h"
#include "fleet/ask.h"
#include "fleet/uri.h"
#include "id/parts.h"
#include "layout/decimal_id.h"
#include "layout/gdid.h"
#include "layout/trace_id.h"
#include "layout/uuid_shard.h"
#include "sequence/entry.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

int			gid_node_no = GID_SETTING_UNSET;
int			gid_launch_id = GID_SETTING_UNSET;
int64		gid_shard_key = GID_SETTING_UNSET;
int			gid_authority = GID_SETTING_UNSET;
char	   *gid_authorities = "";
int			gid_authorities_set = GID_SETTING_UNSET;
char	   *gid_decimal_authority = "";
int			gid_decimal_authority_set = GID_SETTING_UNSET;
int			gid_max_block_size = GID_MAX_BLOCK_SIZE;

/* What SHOW shows of the numbers. */
static char *gid_node_no_string = "";
static char *gid_launch_id_string = "";
static char *gid_shard_key_string = "";
static char *gid_authority_string = "";

/* What stands for a value that was refused; no valid value looks like this. */
#define GID_REFUSED		"(refused)"

/* A setting whose value may be refused. */
typedef struct GidSetting
{
	const char *name;
	bool		is_uris;		/* a list of connection URIs, else a number */
	int64		max;			/* of the number, or of the list's length */
	const char *use;			/* a sentence: what needs it; numbers only */
	const char *hint;			/* a sentence: how it is set */
} GidSetting;

static const GidSetting gid_settings[] = {
	[GID_SETTING_NODE_NO] = {
		.name = "gid.node_no",
		.max = GID_TRACE_MAX_NODE,
		.use = "A TraceId carries the number of the server that makes it.",
		.hint = "Set gid.node_no to a number that no other server has, standbys included, from 0 to 65535, in postgresql.conf or with ALTER SYSTEM, and call pg_reload_conf().",
	},
	[GID_SETTING_LAUNCH_ID] = {
		.name = "gid.launch_id",
		.max = GID_DECIMAL_MAX_LAUNCH,
		.use = "A DecimalId carries the launch that makes it.",
		.hint = "Set gid.launch_id, from 1 to 99999 (0 for tests), with ALTER DATABASE ... SET and connect again; or for all databases in postgresql.conf or with ALTER SYSTEM, and call pg_reload_conf().",
	},
	[GID_SETTING_SHARD_KEY] = {
		.name = "gid.shard_key",
		.max = GID_MAX_SHARD,
		.use = "gid_uuid_shard() without argument takes the shard key from this setting.",
		.hint = "Set it, for example with ALTER DATABASE ... SET gid.shard_key = 7, or call gid_uuid_shard(shard).",
	},
	[GID_SETTING_AUTHORITY] = {
		.name = "gid.authority",
		.max = GID_GDID_MAX_AUTHORITY,
		.use = "A GDID carries the number of the server that reserves it.",
		.hint = "Set gid.authority to a number that no other server has, from 0 to 15, in postgresql.conf or with ALTER SYSTEM, and call pg_reload_conf(); or draw from other servers, with gid.authorities.",
	},
	[GID_SETTING_AUTHORITIES] = {
		.name = "gid.authorities",
		.is_uris = true,
		.max = GID_URI_MAX,
		.hint = "Set gid.authorities to libpq connection URIs, postgresql://user@host:port/database, or to an empty string.",
	},
	[GID_SETTING_DECIMAL_AUTHORITY] = {
		.name = "gid.decimal_authority",
		.is_uris = true,
		.max = 1,
		.hint = "Set gid.decimal_authority to a libpq connection URI, postgresql://user@host:port/database, or to an empty string.",
	},
};

/* The settings are being defined: values that were set before are checked now. */
static bool gid_defining = false;

/* The server has dropped the value of the setting: see gid_note_lost(). */
static bool gid_setting_is_lost[lengthof(gid_settings)];

/*
 * Raise 55000: a setting that is needed is unset, or its value was refused.
 * Does not return.
 */
void
gid_setting_raise(GidSettingName name)
{
	const GidSetting *setting = &gid_settings[name];
	const char *value = GetConfigOption(setting->name, false, false);

	if (strcmp(value, GID_REFUSED) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the value of \"%s\" was refused", setting->name),
				 gid_setting_is_lost[name] ?
				 errdetail("It was set before the library was loaded, and not taken over; a WARNING in the server's log says why.") :
				 errdetail("It was not valid when it was read; a WARNING in the server's log says why."),
				 gid_setting_is_lost[name] ?
				 errhint("Connect again, without it if the role may not set it, and call a function of gid before a parallel query; or have gid in shared_preload_libraries.") :
				 errhint("%s", setting->hint)));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s is not set", setting->name),
			 errdetail("%s", setting->use),
			 errhint("%s", setting->hint)));
}

/*
 * Read a number: decimal digits with blanks around them, or nothing but
 * blanks, which is GID_SETTING_UNSET.  False when it is none, or above "max".
 */
static bool
gid_setting_read_number(const char *p, int64 max, int64 *number)
{
	bool		digits;

	*number = GID_SETTING_UNSET;
	while (scanner_isspace(*p))
		p++;
	if (*p == '\0')
		return true;
	digits = *p >= '0' && *p <= '9';
	for (*number = 0; *p >= '0' && *p <= '9' && *number <= max; p++)
		*number = *number * 10 + (*p - '0');
	while (scanner_isspace(*p))
		p++;
	return digits && *p == '\0' && *number <= max;
}

/* Check a number, and say in the GUC machinery's messages what is wrong. */
static bool
gid_setting_check_number(const GidSetting *setting, const char *value, int64 *parsed)
{
	if (gid_setting_read_number(value, setting->max, parsed))
		return true;
	GUC_check_errmsg("invalid value for parameter \"%s\": \"%s\"", setting->name, value);
	GUC_check_errdetail("%s is a whole number from 0 to %lld.", setting->name,
						(long long) setting->max);
	GUC_check_errhint("An empty string leaves it unset.");
	return false;
}

/*
 * Check connection URIs.  Messages do not show the value: it may hold a
 * password, which is why it is refused.
 */
static bool
gid_setting_check_uris(const GidSetting *setting, const char *value, int64 *parsed)
{
	const char *problem = gid_uri_check_list(value, (int) setting->max);

	if (problem == NULL)
	{
		*parsed = value[0] != '\0' ? 1 : GID_SETTING_UNSET;
		return true;
	}
	GUC_check_errmsg("invalid value for parameter \"%s\"", setting->name);
	GUC_check_errdetail("%s", problem);
	if (gid_uri_hint(problem) != NULL)
		GUC_check_errhint("%s", gid_uri_hint(problem));
	return false;
}

/*
 * Have the message of a check that has failed as a WARNING, not as an error.
 * A parallel worker says nothing: its leader has said it.
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
 * Is a value checked when nobody can correct it?  That is what was set before
 * the library was loaded, and what a database or a role has.  A parallel
 * worker only takes what its leader has.
 */
static bool
gid_setting_is_late(GucSource source)
{
	return gid_defining || InitializingParallelWorker ||
		(source >= PGC_S_GLOBAL && source <= PGC_S_DATABASE_USER);
}

/*
 * The check hook of all these settings.  *extra is the number, or 1 for URIs,
 * or GID_SETTING_UNSET or GID_SETTING_REFUSED, as an int64.  A number is
 * stored without blanks and leading zeros, so that it reads the same
 * everywhere.  A parallel worker is handed the values of its leader, refused
 * ones too.
 */
static bool
gid_setting_check(GidSettingName name, char **newval, void **extra, GucSource source)
{
	const GidSetting *setting = &gid_settings[name];
	int64	   *parsed = gid_guc_malloc(sizeof(int64));
	char		number[32] = "";
	const char *stored = number;
	char	   *copy;

	/* the server frees it with free() (15) or guc_free() (16 on) */
	if (parsed == NULL)
		return false;
	if (gid_defining && source > PGC_S_DEFAULT && source < PGC_S_INTERACTIVE)
		gid_setting_is_lost[name] = false;
	if (setting->is_uris ? !gid_setting_check_uris(setting, *newval, parsed) :
		!gid_setting_check_number(setting, *newval, parsed))
	{
		if (!gid_setting_is_late(source))
		{
			gid_guc_free(parsed);
			return false;
		}
		gid_setting_warn();
		*parsed = GID_SETTING_REFUSED;
		stored = GID_REFUSED;
	}
	else if (gid_setting_is_lost[name] && source < PGC_S_INTERACTIVE)
	{
		*parsed = GID_SETTING_REFUSED;
		stored = GID_REFUSED;
	}
	else if (setting->is_uris)
		stored = *newval;
	else if (*parsed >= 0)
		snprintf(number, sizeof(number), "%lld", (long long) *parsed);

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

/* What a check hook has made of a value. */
static int64
gid_setting_parsed(const void *extra)
{
	return *(const int64 *) extra;
}

static bool
gid_check_node_no(char **newval, void **extra, GucSource source)
{
	return gid_setting_check(GID_SETTING_NODE_NO, newval, extra, source);
}

static void
gid_assign_node_no(const char *newval, void *extra)
{
	gid_node_no = (int) gid_setting_parsed(extra);
}

static bool
gid_check_launch_id(char **newval, void **extra, GucSource source)
{
	return gid_setting_check(GID_SETTING_LAUNCH_ID, newval, extra, source);
}

static void
gid_assign_launch_id(const char *newval, void *extra)
{
	gid_launch_id = (int) gid_setting_parsed(extra);
}

static bool
gid_check_shard_key(char **newval, void **extra, GucSource source)
{
	return gid_setting_check(GID_SETTING_SHARD_KEY, newval, extra, source);
}

static void
gid_assign_shard_key(const char *newval, void *extra)
{
	gid_shard_key = gid_setting_parsed(extra);
}

static bool
gid_check_authority(char **newval, void **extra, GucSource source)
{
	return gid_setting_check(GID_SETTING_AUTHORITY, newval, extra, source);
}

static void
gid_assign_authority(const char *newval, void *extra)
{
	gid_authority = (int) gid_setting_parsed(extra);
}

static bool
gid_check_authorities(char **newval, void **extra, GucSource source)
{
	return gid_setting_check(GID_SETTING_AUTHORITIES, newval, extra, source);
}

static void
gid_assign_authorities(const char *newval, void *extra)
{
	gid_authorities_set = (int) gid_setting_parsed(extra);
}

static bool
gid_check_decimal_authority(char **newval, void **extra, GucSource source)
{
	return gid_setting_check(GID_SETTING_DECIMAL_AUTHORITY, newval, extra, source);
}

static void
gid_assign_decimal_authority(const char *newval, void *extra)
{
	gid_decimal_authority_set = (int) gid_setting_parsed(extra);
}

static void
gid_define_settings(void)
{
	/*
	 * The numbers are strings to the server: an int has no value that means
	 * "unset" and can still be shown as an empty string, and a shard key has
	 * 32 bits without a sign.
	 */

	/*
	 * TraceIds of two servers are told apart by nothing else; so it is the
	 * server's, not a session's, and a reload changes it without a restart.
	 */
	DefineCustomStringVariable("gid.node_no",
							   "Number of this server in its TraceIds (0..65535).",
							   "Every server that makes TraceIds, standbys included, needs its own.",
							   &gid_node_no_string, "",
							   PGC_SIGHUP, 0,
							   gid_check_node_no, gid_assign_node_no, NULL);

	/*
	 * Two databases with the same launch make equal DecimalIds, so somebody
	 * has to say which launch a database is.  No user may, who could put an
	 * end to a launch.
	 */
	DefineCustomStringVariable("gid.launch_id",
							   "Launch number in DecimalIds (0..99999, 0 for tests).",
							   "Must not go down in a database that has made DecimalIds.",
							   &gid_launch_id_string, "",
							   PGC_SUSET, 0,
							   gid_check_launch_id, gid_assign_launch_id, NULL);

	/*
	 * Any user may set it: it says where a row belongs, and nothing rests on
	 * it.
	 */
	DefineCustomStringVariable("gid.shard_key",
							   "Shard key of gid_uuid_shard() without argument (0..4294967295).",
							   "Usually set with ALTER DATABASE or ALTER ROLE.",
							   &gid_shard_key_string, "",
							   PGC_USERSET, 0,
							   gid_check_shard_key, gid_assign_shard_key, NULL);

	/* GDIDs of two servers are told apart by nothing else; as gid.node_no. */
	DefineCustomStringVariable("gid.authority",
							   "Number of this server in its GDIDs (0..15).",
							   "Every server that makes GDIDs of the same scope and sequence needs its own.",
							   &gid_authority_string, "",
							   PGC_SIGHUP, 0,
							   gid_check_authority, gid_assign_authority, NULL);

	/*
	 * Not for every user: blocks are shared, so whoever sets it decides where
	 * everybody's ids come from.  Not shown to every user either, as
	 * primary_conninfo.
	 */
	DefineCustomStringVariable("gid.authorities",
							   "Connection URIs of the servers that GDIDs are drawn from, the nearest first.",
							   "Separated by blanks. Empty: this server makes them. Usually set with ALTER DATABASE.",
							   &gid_authorities, "",
							   PGC_SUSET, GUC_SUPERUSER_ONLY,
							   gid_check_authorities, gid_assign_authorities, NULL);

	/* As gid.authorities. */
	DefineCustomStringVariable("gid.decimal_authority",
							   "Connection URI of the server that generator numbers of DecimalIds come from.",
							   "Empty: this server reserves them. Usually set with ALTER DATABASE.",
							   &gid_decimal_authority, "",
							   PGC_SUSET, GUC_SUPERUSER_ONLY,
							   gid_check_decimal_authority, gid_assign_decimal_authority, NULL);

	/*
	 * For who would rather lose fewer values in a crash, or none, than save
	 * the reservations.  Not for every user, because the blocks are shared.
	 */
	DefineCustomIntVariable("gid.max_block_size",
							"Largest number of a sequence's values reserved at a time (1..65536).",
							"1: each value is reserved for itself. A sequence's CACHE above 1 goes before this.",
							&gid_max_block_size, GID_MAX_BLOCK_SIZE, 1, GID_MAX_BLOCK_SIZE,
							PGC_SUSET, 0, NULL, NULL, NULL);

	/*
	 * The leader has told what is wrong with a name, and a worker sets
	 * nothing.
	 */
	if (!InitializingParallelWorker)
		MarkGUCPrefixReserved("gid");
}

/*
 * The parts of the shared memory, in the order in which a backend attaches.
 * The clock comes before the slot: a backend that has a slot is counted.
 */
static const GidPart *const gid_parts[] = {
	&gid_clock_part,
	&gid_sequential_part,
	&gid_shard_part,
	&gid_lease_part,
	&gid_pace_part,
	&gid_entry_part,
	&gid_ask_part,
	&gid_slot_part,
};

/*
 * The server may not take over what was set before the library was loaded: in
 * the middle of a parallel operation nothing at all, and else not what the
 * user may not set, given by the client when it connected, which hides what
 * the database has.  It says so in a WARNING.  Such a value counts as refused,
 * else the default would be in force, and after a reload the value of
 * postgresql.conf.  SET in the session helps, or a new connection.
 *
 * So the default is refused where there is a value to be taken over, and the
 * check of that value takes this back.
 */
static void
gid_note_lost(void)
{
	bool		drops = IsInParallelMode() && !InitializingParallelWorker;

	for (int i = 0; i < (int) lengthof(gid_settings); i++)
	{
		const char *name = gid_settings[i].name;
		const char *value = GetConfigOption(name, true, false);

		/* what a session has set lies above what there was before */
		if (value != NULL && !drops)
			value = GetConfigOptionResetString(name);
		gid_setting_is_lost[i] = value != NULL && value[0] != '\0';
	}
}

void
_PG_init(void)
{
	gid_note_lost();
	gid_defining = true;
	gid_define_settings();
	gid_defining = false;
	gid_attach_set_parts(gid_parts, lengthof(gid_parts));
	if (process_shared_preload_libraries_in_progress)
		gid_attach_preload();
}
