/*-------------------------------------------------------------------------
 *
 * gid.c
 *		Loads the library and names the parts of the shared memory.
 *
 * A session may load the library (the first call of a gid function, LOAD,
 * session_preload_libraries), or the postmaster may do so
 * (shared_preload_libraries).  Only the postmaster can request shared memory
 * in advance, and it loads libpq (peer/libpq.c).  Everything else is the same.
 *
 * State: none.  attach/attach.c owns the shared memory, define_settings.c the
 * settings.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "attach/backend_slot.h"
#include "clock/word.h"
#include "horizon/drawn.h"
#include "peer/ask.h"
#include "peer/libpq.h"
#include "node/node.h"
#include "id/families.h"
#include "sequence/block.h"
#include "define_settings.h"

PG_MODULE_MAGIC;

extern PGDLLEXPORT void _PG_init(void);

/* The parts of the shared memory, in the order in which a backend attaches. */
static const GidPart *const gid_parts[] = {
	&gid_clock_part,
	&gid_sequential_part,
	&gid_shard_part,
	&gid_block_part,
	&gid_ask_part,
	&gid_node_part,
	&gid_drawn_part,
	&gid_settings_part,
	&gid_slot_part,
};

/* PostgreSQL calls this once in each process that loads the library. */
void
_PG_init(void)
{
	gid_settings_define();
	gid_serve_install();
	gid_attach_set_parts(gid_parts, lengthof(gid_parts));
	if (process_shared_preload_libraries_in_progress)
	{
		gid_libpq_load();
		gid_attach_preload();
	}
}
