/*-------------------------------------------------------------------------
 *
 * base/settings.c
 *		The variables behind the settings, and the error for a setting that is
 *		needed and cannot be used.
 *
 * State: the variables of this process.  The GUC machinery writes them through
 * the hooks of define_settings.c.
 *
 * Invariants:
 * 1. A setting that is unset or refused has a variable below 0.  The three URI
 *	  settings have a variable of their own for that, with the suffix _set.
 *	  gid.reservation_wait and gid.timeline_skip have a value below 0, too; they
 *	  are refused where the variable is GID_SETTING_REFUSED.
 *
 * A crash or a restart has nothing to keep here: each process reads the
 * settings again.  A standby has settings of its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/guc.h"

#include "base/settings.h"

int			gid_node_no = GID_SETTING_UNSET;
int			gid_launch_id = GID_SETTING_UNSET;
int64		gid_shard_key = GID_SETTING_UNSET;
int			gid_authority = GID_SETTING_UNSET;
char	   *gid_authorities = "";
int			gid_authorities_set = GID_SETTING_UNSET;
char	   *gid_decimal_authority = "";
int			gid_decimal_authority_set = GID_SETTING_UNSET;
char	   *gid_node_authority = "";
int			gid_node_authority_set = GID_SETTING_UNSET;
int			gid_node_lease_s = 60;
int			gid_node_max = 1023;
int			gid_node_first = 256;
int			gid_node_lease_max_s = 300;
bool		gid_serve_nextval_is_on = false;
int			gid_max_block_size = GID_MAX_BLOCK_SIZE;
int			gid_reservation_standbys = 0;
int			gid_reservation_wait_ms = -1;
int			gid_timeline_skip_setting = -1;

/*
 * Did the server drop a value that was set before the library was loaded?
 * Written when the library is loaded; see gid_settings_note_lost().
 */
bool		gid_setting_is_lost[GID_NSETTINGS];

/* A setting, and the texts of the error that it is not set. */
typedef struct GidSettingTexts
{
	const char *name;
	const char *use;			/* a sentence: what needs the setting; numbers
								 * only */
	const char *hint;			/* a sentence: how it is set */
} GidSettingTexts;

static const GidSettingTexts gid_setting_texts[GID_NSETTINGS] = {
	[GID_SETTING_NODE_NO] = {
		.name = "gid.node_no",
		.use = "TraceIds and Snowflake ids carry the number of the server that makes them.",
		.hint = "Set gid.node_no to a number from 0 to 65535 that no other server has, standbys included, in its postgresql.conf, and call pg_reload_conf(). Or set gid.node_authority to the server that leases numbers.",
	},
	[GID_SETTING_LAUNCH_ID] = {
		.name = "gid.launch_id",
		.use = "A DecimalId carries the launch that makes it.",
		.hint = "Set gid.launch_id to a number from 1 to 99999 (0 for tests) with ALTER DATABASE ... SET, and connect again. For all databases, use postgresql.conf or ALTER SYSTEM, and call pg_reload_conf().",
	},
	[GID_SETTING_SHARD_KEY] = {
		.name = "gid.shard_key",
		.use = "gid_uuid_shard() without an argument takes the shard key from this setting.",
		.hint = "Set gid.shard_key, for example with ALTER DATABASE ... SET gid.shard_key = 7, or call gid_uuid_shard(shard).",
	},
	[GID_SETTING_AUTHORITY] = {
		.name = "gid.authority",
		.use = "A GDID carries the number of the server that reserves it.",
		.hint = "Set gid.authority to a number from 0 to 15 that no other server has, in the server's postgresql.conf, and call pg_reload_conf(). Or draw from other servers, with gid.authorities.",
	},
	[GID_SETTING_AUTHORITIES] = {
		.name = "gid.authorities",
		.hint = "Set gid.authorities to libpq connection URIs, postgresql://user@host:port/database, or to an empty string.",
	},
	[GID_SETTING_DECIMAL_AUTHORITY] = {
		.name = "gid.decimal_authority",
		.hint = "Set gid.decimal_authority to a libpq connection URI, postgresql://user@host:port/database, or to an empty string.",
	},
	[GID_SETTING_NODE_AUTHORITY] = {
		.name = "gid.node_authority",
		.hint = "Set gid.node_authority to a libpq connection URI, postgresql://user@host:port/database, or to an empty string.",
	},
	[GID_SETTING_NODE_FIRST] = {
		.name = "gid.node_first",
		.hint = "Set gid.node_first to a number from 0 to 65535. Use postgresql.conf or ALTER SYSTEM, and call pg_reload_conf().",
	},
	[GID_SETTING_RESERVATION_STANDBYS] = {
		.name = "gid.reservation_standbys",
		.hint = "Set gid.reservation_standbys to a number from 0 to 100. Use postgresql.conf or ALTER SYSTEM, and call pg_reload_conf().",
	},
	[GID_SETTING_RESERVATION_WAIT] = {
		.name = "gid.reservation_wait",
		.hint = "Set gid.reservation_wait to -1 or to a time from 0 to 1h. Use postgresql.conf or ALTER SYSTEM, and call pg_reload_conf().",
	},
	[GID_SETTING_TIMELINE_SKIP] = {
		.name = "gid.timeline_skip",
		.hint = "Set gid.timeline_skip to a number from -1 to 2147483647. Use postgresql.conf, ALTER SYSTEM or ALTER DATABASE, and connect again.",
	},
};

/* The name of a setting, as SET and SHOW take it. */
const char *
gid_setting_name(GidSettingName name)
{
	return gid_setting_texts[name].name;
}

/*
 * Raise 55000: a setting that is needed is unset, or its value was refused.
 * Does not return.  Takes no lock, and does not wait.
 */
void
gid_setting_raise(GidSettingName name)
{
	const GidSettingTexts *texts = &gid_setting_texts[name];
	const char *value = GetConfigOption(texts->name, false, false);

	if (strcmp(value, GID_SETTING_REFUSED_TEXT) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the value of \"%s\" was refused", texts->name),
				 gid_setting_is_lost[name] ?
				 errdetail("The value was set before the library was loaded, and the server did not take it over. A WARNING in the server's log says why.") :
				 errdetail("The value was not valid when it was read. A WARNING in the server's log says why."),
				 gid_setting_is_lost[name] ?
				 errhint("Connect again, without the setting if the role may not set it, and call a function of gid before a parallel query. Or add gid to shared_preload_libraries.") :
				 errhint("%s", texts->hint)));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("%s is not set", texts->name),
			 errdetail("%s", texts->use),
			 errhint("%s", texts->hint)));
}
