/*-------------------------------------------------------------------------
 *
 * base/settings.c
 *		The variables behind the settings, the settings whose value PostgreSQL
 *		has dropped (gid.c), and the errors of both.
 *
 * State: the variables and notes of this process.
 *
 * A crash or a restart has nothing to keep here: each process reads the
 * settings again.  A standby has settings of its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"

#include "base/compat.h"
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
int			gid_max_sequences = GID_DEFAULT_SEQUENCES;
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
 * The settings of which another value than the dropped one could make equal
 * ids.
 */
typedef struct GidDroppable
{
	const char *name;
	int			had;			/* source of its value before the definition */
	int			dropped;		/* source of a dropped value; PGC_S_DEFAULT:
								 * none was dropped */
} GidDroppable;

static GidDroppable gid_droppable[] = {
	{"gid.launch_id", PGC_S_DEFAULT, PGC_S_DEFAULT},
	{"gid.decimal_authority", PGC_S_DEFAULT, PGC_S_DEFAULT},
	{"gid.node_authority", PGC_S_DEFAULT, PGC_S_DEFAULT},
	{"gid.node_first", PGC_S_DEFAULT, PGC_S_DEFAULT},
};

/* Return the entry of a setting, or NULL. */
static GidDroppable *
gid_droppable_find(const char *name)
{
	for (int i = 0; i < (int) lengthof(gid_droppable); i++)
	{
		if (strcmp(gid_droppable[i].name, name) == 0)
			return &gid_droppable[i];
	}
	return NULL;
}

/* Return the source of a setting's or placeholder's value. */
static GucSource
gid_setting_source(const char *name)
{
	const struct config_generic *setting = gid_setting_record(name);

	if (setting == NULL)
		return PGC_S_DEFAULT;
	/* a SET that is dropped leaves the value before, but in parallel mode */
	return IsInParallelMode() && !InitializingParallelWorker ?
		setting->source : setting->reset_source;
}

/* The settings are about to be defined: note which have a value. */
void
gid_setting_begin_define(void)
{
	for (int i = 0; i < (int) lengthof(gid_droppable); i++)
		gid_droppable[i].had = gid_setting_source(gid_droppable[i].name);
}

/* The settings have been defined: note whose value PostgreSQL has dropped. */
void
gid_setting_end_define(void)
{
	for (int i = 0; i < (int) lengthof(gid_droppable); i++)
	{
		if (gid_setting_source(gid_droppable[i].name) == PGC_S_DEFAULT)
			gid_droppable[i].dropped = Max(gid_droppable[i].dropped, gid_droppable[i].had);
	}
}

/*
 * A check refuses a value.  That of a database or role is dropped; others
 * raise an error, or keep the value before.
 */
void
gid_setting_note_dropped(const char *name, int source)
{
	GidDroppable *droppable = gid_droppable_find(name);

	if (source < PGC_S_GLOBAL || source > PGC_S_DATABASE_USER)
		return;
	if (droppable != NULL)
		droppable->dropped = Max(droppable->dropped, source);
	/* the path of an id reads nothing but the number */
	if (strcmp(name, "gid.launch_id") == 0)
		gid_launch_id = GID_SETTING_UNSET;
}

/* Was a value of a setting dropped that would hide a value of this source? */
bool
gid_setting_is_dropped(const char *name, int source)
{
	GidDroppable *droppable = gid_droppable_find(name);

	return droppable != NULL && source < droppable->dropped;
}

/*
 * Raise 55000 if the value of a setting was dropped, and no source that is as
 * strong has given another one.  Takes no lock, and does not wait.
 */
void
gid_setting_need(const char *name)
{
	const GidDroppable *droppable = gid_droppable_find(name);

	/* before 16 the server searches all its settings for the record */
	if (droppable == NULL || droppable->dropped == PGC_S_DEFAULT ||
		!gid_setting_is_dropped(name, gid_setting_record(name)->source))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the value of \"%s\" was refused", name),
			 errdetail("The value is not valid, or could not be set in this way. A WARNING in the server's log says why."),
			 errhint("Set a valid value in postgresql.conf and call pg_reload_conf(), or with ALTER DATABASE or ALTER ROLE and connect again. If the options of the connection or a parallel query gave the value, connect again and call a function of gid first.")));
}

/*
 * Does a setting name servers?  Raises 55000 if its value was dropped.  Takes
 * no lock, and does not wait.
 */
bool
gid_setting_names_servers(const char *uris, const char *name)
{
	gid_setting_need(name);
	return uris[0] != '\0';
}

/*
 * Raise 55000: the setting of this name is needed and unset, or its value was
 * dropped.  Does not return.  Takes no lock, and does not wait.
 */
void
gid_setting_raise(const char *name)
{
	gid_setting_need(name);
	for (int i = 0; i < (int) lengthof(gid_unsets); i++)
	{
		if (strcmp(gid_unsets[i].name, name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("%s is not set", name),
					 errdetail("%s", gid_unsets[i].detail),
					 errhint("%s", gid_unsets[i].hint)));
	}
	elog(ERROR, "setting \"%s\" needs no value", name);
}
