/*-------------------------------------------------------------------------
 *
 * gid.c
 *		The settings, and what happens when the library is loaded.
 *
 * State: the values of the settings, owned by PostgreSQL's GUC machinery.
 *
 * The library may be loaded by a session (the first call of a gid function,
 * LOAD, session_preload_libraries) or by the postmaster
 * (shared_preload_libraries).  Only the latter can ask for shared memory in
 * advance and save the clock's words at a clean shutdown; everything else is
 * the same.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/parallel.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "utils/guc.h"

#include "fleet/uri.h"
#include "gid_compat.h"
#include "gid_gdid.h"
#include "gid_guc.h"
#include "gid_layout.h"
#include "gid_shmem.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

int			gid_node_no = 0;
int			gid_launch_id = GID_LAUNCH_UNSET;
int			gid_authority = 0;
int			gid_max_block_size = GID_MAX_BLOCK_SIZE;
char	   *gid_authorities = "";
char	   *gid_decimal_authority = "";
bool		gid_authorities_refused = false;
bool		gid_decimal_authority_refused = false;
int64		gid_shard_key = GID_SHARD_KEY_UNSET;

static char *gid_shard_key_string = NULL;

/* What stands for connection URIs that were refused; no URI looks like this. */
#define GID_REFUSED_URIS	"(refused)"

/* The settings are being defined: values that were set before are checked now. */
static bool gid_defining = false;

/*
 * gid.launch_id: -1 stands for "unset" inside, but nobody sets it; so that a
 * mistyped number cannot turn the check for an unset launch off.
 */
static bool
gid_check_launch_id(int *newval, void **extra, GucSource source)
{
	if (*newval == GID_LAUNCH_UNSET && source != PGC_S_DEFAULT)
	{
		GUC_check_errmsg("%d is outside the valid range for parameter \"%s\" (%d .. %d)",
						 *newval, "gid.launch_id", 0, GID_DECIMAL_MAX_LAUNCH);
		GUC_check_errhint("To leave the launch unset, reset the parameter.");
		return false;
	}
	return true;
}

static const char *
gid_show_launch_id(void)
{
	static char text[16];

	if (gid_launch_id == GID_LAUNCH_UNSET)
		return "";
	snprintf(text, sizeof(text), "%d", gid_launch_id);
	return text;
}

/* gid.shard_key: empty, or decimal digits with blanks around them. */
static bool
gid_check_shard_key(char **newval, void **extra, GucSource source)
{
	const char *p = *newval;
	int64		key = GID_SHARD_KEY_UNSET;
	int64	   *parsed;

	while (scanner_isspace(*p))
		p++;
	if (*p != '\0')
	{
		bool		ok = *p >= '0' && *p <= '9';

		for (key = 0; *p >= '0' && *p <= '9' && key <= GID_MAX_SHARD; p++)
			key = key * 10 + (*p - '0');
		while (scanner_isspace(*p))
			p++;
		if (!ok || *p != '\0' || key > GID_MAX_SHARD)
		{
			GUC_check_errdetail("A shard key is a whole number from 0 to %lld, in decimal digits.",
								(long long) GID_MAX_SHARD);
			GUC_check_errhint("An empty string leaves it unset.");
			return false;
		}
	}

	/* the server frees it with free() (15) or guc_free() (16 on) */
	parsed = gid_guc_malloc(sizeof(int64));
	if (parsed == NULL)
		return false;
	*parsed = key;
	*extra = parsed;
	return true;
}

static void
gid_assign_shard_key(const char *newval, void *extra)
{
	gid_shard_key = *(int64 *) extra;
}

/*
 * Check connection URIs.  Messages do not show the value: it may hold a
 * password, which is why it is refused.
 *
 * What was set before the library was loaded, and what a database or a role
 * has, is checked when nobody can correct it, and the server would go on with
 * another value: ids would be drawn from somewhere else.  Such a value is
 * taken, as GID_REFUSED_URIS, so that whoever needs it gets an error.  So it
 * is handed to a parallel worker.
 */
static bool
gid_check_uris(const char *name, char **newval, void **extra, int max, GucSource source)
{
	const char *problem = gid_uri_check_list(*newval, max);
	bool		late = gid_defining ||
	(source >= PGC_S_GLOBAL && source <= PGC_S_DATABASE_USER) ||
	(InitializingParallelWorker && strcmp(*newval, GID_REFUSED_URIS) == 0);
	char	   *refused;

	if (problem == NULL)
		return true;
	if (!late)
	{
		GUC_check_errmsg("invalid value for parameter \"%s\"", name);
		GUC_check_errdetail("%s", problem);
		if (gid_uri_hint(problem) != NULL)
			GUC_check_errhint("%s", gid_uri_hint(problem));
		return false;
	}
	if (strcmp(*newval, GID_REFUSED_URIS) != 0)
		ereport(WARNING,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("refused the value of parameter \"%s\"", name),
				 errdetail("%s", problem),
				 gid_uri_hint(problem) != NULL ? errhint("%s", gid_uri_hint(problem)) : 0));
	*extra = gid_guc_malloc(1);
	refused = gid_guc_strdup(GID_REFUSED_URIS);
	if (*extra == NULL || refused == NULL)
		return false;
	gid_guc_free(*newval);
	*newval = refused;
	return true;
}

static bool
gid_check_authorities(char **newval, void **extra, GucSource source)
{
	return gid_check_uris("gid.authorities", newval, extra, GID_URI_MAX, source);
}

static void
gid_assign_authorities(const char *newval, void *extra)
{
	gid_authorities_refused = extra != NULL;
}

static bool
gid_check_decimal_authority(char **newval, void **extra, GucSource source)
{
	return gid_check_uris("gid.decimal_authority", newval, extra, 1, source);
}

static void
gid_assign_decimal_authority(const char *newval, void *extra)
{
	gid_decimal_authority_refused = extra != NULL;
}

static void
gid_define_settings(void)
{
	/*
	 * TraceIds of two servers are told apart by nothing else; so it is the
	 * server's, not a session's, and a reload changes it without a restart.
	 */
	DefineCustomIntVariable("gid.node_no",
							"Number of this server in its TraceIds.",
							"Every server that makes TraceIds, standbys included, needs its own.",
							&gid_node_no, 0, 0, GID_TRACE_MAX_NODE,
							PGC_SIGHUP, 0, NULL, NULL, NULL);

	/*
	 * Without a default on purpose: two databases with the same launch make
	 * equal DecimalIds, so somebody has to say which launch this is.
	 */
	DefineCustomIntVariable("gid.launch_id",
							"Launch number in DecimalIds (0..99999, 0 for tests).",
							"Must not go down in a database that has made DecimalIds.",
							&gid_launch_id, GID_LAUNCH_UNSET, GID_LAUNCH_UNSET,
							GID_DECIMAL_MAX_LAUNCH,
							PGC_SIGHUP, 0,
							gid_check_launch_id, NULL, gid_show_launch_id);

	/*
	 * A string, because a shard key has 32 bits without a sign.  Any user may
	 * set it: it says where a row belongs, and nothing rests on it.
	 */
	DefineCustomStringVariable("gid.shard_key",
							   "Shard key of gid_uuid_shard() without argument (0..4294967295).",
							   "Usually set with ALTER DATABASE or ALTER ROLE.",
							   &gid_shard_key_string, "",
							   PGC_USERSET, 0,
							   gid_check_shard_key, gid_assign_shard_key, NULL);

	/*
	 * GDIDs of two servers are told apart by nothing else; as gid.node_no.
	 */
	DefineCustomIntVariable("gid.authority",
							"Number of this server in its GDIDs.",
							"Every server that makes GDIDs of the same scope and sequence needs its own.",
							&gid_authority, 0, 0, GID_GDID_MAX_AUTHORITY,
							PGC_SIGHUP, 0, NULL, NULL, NULL);

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

	MarkGUCPrefixReserved("gid");
}

void
_PG_init(void)
{
	gid_defining = true;
	gid_define_settings();
	gid_defining = false;
	if (process_shared_preload_libraries_in_progress)
		gid_shmem_init_preload();
}
