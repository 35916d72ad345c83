/*-------------------------------------------------------------------------
 *
 * base/settings.c
 *		The variables behind the settings, and the error for a setting that is
 *		needed and cannot be used.
 *
 * State: the variables of this process.  The GUC machinery writes them through
 * the hooks of define_settings.c.
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
char	   *gid_decimal_authority = "";
char	   *gid_node_authority = "";
int			gid_node_lease_s = 60;
int			gid_node_max = 1023;
int			gid_node_first = 256;
int			gid_node_lease_max_s = 300;
bool		gid_serve_nextval_is_on = false;
int			gid_max_block_size = GID_DEFAULT_BLOCK_SIZE;
int			gid_timeline_skip_setting = GID_DEFAULT_TIMELINE_SKIP;
bool		gid_wait_for_standbys = true;

/* What is said of a setting without a default that is not set. */
typedef struct GidUnset
{
	const char *name;
	const char *detail;			/* what needs the setting */
	const char *hint;			/* how it is set */
} GidUnset;

static const GidUnset gid_unsets[] = {
	{"gid.node_no",
		"TraceIds and Snowflake ids carry the number of the server that makes them.",
	"Set gid.node_no to a number that no other server has, standbys included, in its postgresql.conf, and call pg_reload_conf(). It is 0 to 1023, or up to 65535 on a server that makes no Snowflake ids. Or set gid.node_authority to the server that leases numbers."},
	{"gid.launch_id",
		"A DecimalId carries the launch that makes it.",
	"Set gid.launch_id to a number from 1 to 99999 (0 for tests) with ALTER DATABASE ... SET, and connect again. For all databases, use postgresql.conf or ALTER SYSTEM, and call pg_reload_conf()."},
	{"gid.shard_key",
		"gid_uuid_shard() without an argument takes the shard key from this setting.",
	"Set gid.shard_key, for example with ALTER DATABASE ... SET gid.shard_key = 7, or call gid_uuid_shard(shard)."},
	{"gid.authority",
		"A GDID carries the number of the server that reserves it.",
	"Set gid.authority to a number from 0 to 15 that no other server has, in the server's postgresql.conf, and call pg_reload_conf(). Or draw from other servers, with gid.authorities."},
};

/*
 * Raise 55000: the setting of this name is needed and is unset, or its value
 * was refused.  Does not return.  Takes no lock, and does not wait.
 */
void
gid_setting_raise(const char *name)
{
	const char *value = GetConfigOption(name, false, false);

	for (int i = 0; i < (int) lengthof(gid_unsets); i++)
	{
		/* -1 of a number of the server, an empty string of the others */
		if (strcmp(gid_unsets[i].name, name) == 0 &&
			(value[0] == '\0' || atoi(value) == GID_SETTING_UNSET))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("%s is not set", name),
					 errdetail("%s", gid_unsets[i].detail),
					 errhint("%s", gid_unsets[i].hint)));
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the value of \"%s\" was refused", name),
			 errdetail("The value is not valid, or could not be set in this way. A WARNING in the server's log says why."),
			 errhint("Set a valid value in postgresql.conf and call pg_reload_conf(), or with ALTER DATABASE or ALTER ROLE and connect again. If the options of the connection or a parallel query gave the value, connect again and call a function of gid first.")));
}
