/*-------------------------------------------------------------------------
 *
 * peer/libpq.c
 *		libpq, which is loaded when it is needed.
 *
 * Few sessions ask another server.  If gid were linked with libpq, each
 * session without preload would load libpq as well (doc/performance.md).
 * PostgreSQL has the same need for its walreceiver.  It has a module for this,
 * libpqwalreceiver, which is linked with libpq and part of every server.  gid
 * loads that module, and looks up the functions of libpq in it: dlsym() also
 * searches the libraries that a module is linked with.
 *
 * State: the addresses of the functions.
 *
 * Invariants:
 * 1. The functions are there before the first URI is read, and stay until the
 *	  process ends.
 * 2. Under shared_preload_libraries the postmaster loads them when it starts.
 *	  So no check of a setting raises an error in the postmaster later, and the
 *	  other processes inherit them.
 * 3. The module is the one in the server's own directory, whatever
 *	  dynamic_library_path says: a role may have the privilege to set that.
 *	  PostgreSQL compares files, so the module is loaded once, whoever needs it
 *	  first.
 *
 * References: libpqwalreceiver.c and dfmgr.c of PostgreSQL; POSIX, dlsym().
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "peer/libpq.h"

GidLibpq	gid_libpq;

/* Return the address of a function of libpq. */
static void *
gid_libpq_find(void *module, const char *name)
{
	void	   *function = lookup_external_function(module, name);

	if (function == NULL)
		elog(ERROR, "libpq has no function %s()", name);
	return function;
}

/*
 * Load libpq, unless this process has it.  Raises what the server raises when
 * it cannot load a library.
 */
void
gid_libpq_load(void)
{
	static bool loaded = false;
	char	   *file;
	void	   *module;

	if (loaded)
		return;
	file = psprintf("%s/libpqwalreceiver", pkglib_path);
	(void) load_external_function(file, "_PG_init", true, &module);
	pfree(file);
#define GID_LIBPQ_FIND(name) gid_libpq.name = gid_libpq_find(module, #name);
	GID_LIBPQ_FUNCTIONS(GID_LIBPQ_FIND);
	loaded = true;
}
