/*-------------------------------------------------------------------------
 *
 * attach/attach.c
 *		Finds or makes the shared memory, and attaches a backend to it.
 *
 * A small header is in main shared memory.  Its size and its beginning, the
 * version of the library, are the same in all versions.  The parts are a
 * second piece.  Under shared_preload_libraries that piece is in main shared
 * memory, too, and was requested in time.  Otherwise the parts are in a DSM
 * segment, because main shared memory has no room for them.  A stand-alone
 * backend must not make DSM segments, so it needs shared_preload_libraries.
 *
 * State: GidAttachHeader.  The parts belong to the files that describe them.
 *
 * A function that needs a part attaches first, by gid_slot_mine(), so any SQL
 * function may be the first that a session calls.  What can fail in the set-up
 * (random bytes, memory) fails before an id is made.
 *
 * Crash, restart: the postmaster makes shared memory again.  Under
 * shared_preload_libraries it sets up everything, otherwise the next backend
 * does.  A clock step has no effect.  Standby: it has a shared memory of its
 * own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/dsm.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "attach/attach.h"
#include "base/compat.h"

#define GID_VERSION				"2.1"

/* The header.  All is constant once it is complete. */
typedef union GidAttachHeader
{
	struct
	{
		char		version[32];	/* of the library that made it;
									 * AddinShmemInitLock */
		Size		size;		/* of the parts; AddinShmemInitLock */
		bool		complete;	/* the parts are set up; AddinShmemInitLock */
		dsm_handle	segment;	/* holds the parts; DSM_HANDLE_INVALID: they
								 * are in main shared memory;
								 * AddinShmemInitLock */
		int			tranches[GID_MAX_PARTS];	/* of the parts' locks; 0:
												 * none yet;
												 * AddinShmemInitLock */
	};
	char		pad[256];
} GidAttachHeader;

StaticAssertDecl(sizeof(GidAttachHeader) == 256,
				 "every version of the library reads the version of another one");

/* The parts, as gid.c names them. */
static const GidPart *const *gid_parts;
static int	gid_part_count;

static GidAttachHeader *gid_attach_header = NULL;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/*
 * Name the parts, at most GID_MAX_PARTS of them, in the order in which a
 * backend attaches.  "parts" is constant memory of the library.
 */
void
gid_attach_set_parts(const GidPart *const *parts, int count)
{
	Assert(count <= GID_MAX_PARTS);
	gid_parts = parts;
	gid_part_count = count;
}

/*
 * Lay out the parts from "place" on, each on a cache line, and set their
 * pointers, unless "place" is NULL.  Returns the size of all.
 */
static Size
gid_attach_lay_out(char *place)
{
	Size		end = 0;

	Assert(place == (char *) CACHELINEALIGN(place));
	for (int i = 0; i < gid_part_count; i++)
	{
		const GidPart *part = gid_parts[i];

		if (place != NULL)
			*part->where = place + end;
		end = CACHELINEALIGN(add_size(end, part->size_of != NULL ? part->size_of() : part->size));
	}
	return end;
}

/* Find or make the parts in main shared memory. */
static void *
gid_attach_main_parts(void)
{
	bool		found;

	return ShmemInitStruct("gid parts", gid_attach_header->size, &found);
}

/*
 * on_shmem_exit callback of the process that made the parts in main shared
 * memory: the postmaster, whose children do not inherit the callback, or a
 * stand-alone backend.  With a code that is not 0 a crash may have damaged the
 * memory.  The server detaches the memory in a callback that was registered
 * before, so after this one.
 */
static void
gid_attach_server_exit(int code, Datum arg)
{
	if (code != 0)
		return;
	for (int i = 0; i < gid_part_count; i++)
	{
		if (gid_parts[i]->server_exit != NULL)
			gid_parts[i]->server_exit();
	}
}

/*
 * Make the parts: in main shared memory, or in a DSM segment if this process
 * is a child of the postmaster.  After an error half way the next backend sets
 * up the parts again.
 */
static void
gid_attach_make_parts(void)
{
	GidAttachHeader *header = gid_attach_header;
	dsm_segment *segment = NULL;
	char	   *parts;

	/*
	 * A server of version 19 has a limited number of names of locks, raises
	 * an error when all are taken, and takes none back.  So a set-up that
	 * begins again keeps the ids it has.
	 */
	for (int i = 0; i < gid_part_count; i++)
	{
		if (gid_parts[i]->lock_name != NULL && header->tranches[i] == 0)
			header->tranches[i] = gid_lwlock_new_tranche(gid_parts[i]->lock_name);
	}

	if (IsUnderPostmaster)
		segment = dsm_create(header->size, 0);
	parts = segment != NULL ? dsm_segment_address(segment) : gid_attach_main_parts();
	(void) gid_attach_lay_out(parts);

	/*
	 * A segment may be memory that others have used before, if the server
	 * sets some aside for segments (min_dynamic_shared_memory).
	 */
	memset(parts, 0, header->size);
	for (int i = 0; i < gid_part_count; i++)
		gid_parts[i]->init(*gid_parts[i]->where, header->tranches[i]);

	/* an error before this has released the segment */
	if (segment != NULL)
	{
		dsm_pin_segment(segment);
		header->segment = dsm_segment_handle(segment);
	}
	else
		on_shmem_exit(gid_attach_server_exit, (Datum) 0);
	header->complete = true;
}

/*
 * Find or make the header and the parts, and set the pointers of parts in main
 * shared memory.  Raises 55000 when another version of the library made them,
 * or this version with other sizes.
 */
static void
gid_attach_init(void)
{
	Size		size = gid_attach_lay_out(NULL);
	GidAttachHeader *header;
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	header = ShmemInitStruct("gid", sizeof(GidAttachHeader), &found);
	if (!found)
	{
		memset(header, 0, sizeof(GidAttachHeader));
		strlcpy(header->version, GID_VERSION, sizeof(header->version));
		header->size = size;
		header->segment = DSM_HANDLE_INVALID;
	}
	else if (strncmp(header->version, GID_VERSION, sizeof(header->version)) != 0 ||
			 header->size != size)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("another version of gid is in use on this server"),
				 errdetail("The server runs with the library of version %s. This session has loaded version %s.",
						   pnstrdup(header->version, sizeof(header->version)), GID_VERSION),
				 errhint("Restart the server.")));
	gid_attach_header = header;
	if (!header->complete)
		gid_attach_make_parts();
	else if (header->segment == DSM_HANDLE_INVALID)
		(void) gid_attach_lay_out(gid_attach_main_parts());
	LWLockRelease(AddinShmemInitLock);
}

static void
gid_attach_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(add_size(gid_attach_lay_out(NULL), sizeof(GidAttachHeader)));
}

static void
gid_attach_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	gid_attach_init();
}

/*
 * Request the memory, and set it up when the postmaster makes it.  Called from
 * _PG_init() under shared_preload_libraries.
 */
void
gid_attach_preload(void)
{
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = gid_attach_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = gid_attach_startup;
}

/* Map the segment with the parts, for as long as this process lives. */
static void
gid_attach_map_segment(void)
{
	dsm_segment *segment = dsm_find_mapping(gid_attach_header->segment);

	if (segment == NULL)
		segment = dsm_attach(gid_attach_header->segment);
	if (segment == NULL)
		elog(ERROR, "DSM segment of gid is gone");
	dsm_pin_mapping(segment);
	(void) gid_attach_lay_out(dsm_segment_address(segment));
}

/*
 * Attach this backend to the shared memory, and make the memory if there is
 * none.  If a call fails half way, the next call does all of it again.
 *
 * Raises 55000 when another version of the library made the memory.  Without
 * preload the memory may run out: 53200, 53100 or 58030, raised by the server.
 * Raises XX000 when the source of random bytes fails.  Takes
 * AddinShmemInitLock for a moment; does not wait for anything else.
 */
void
gid_attach(void)
{
	static bool opened = false;

	if (!opened)
	{
		/* the postmaster's children inherit what it has made */
		if (gid_attach_header == NULL || !gid_attach_header->complete)
			gid_attach_init();
		for (int i = 0; i < gid_part_count; i++)
		{
			if (gid_parts[i]->lock_name != NULL)
				gid_lwlock_name_tranche(gid_attach_header->tranches[i], gid_parts[i]->lock_name);
		}
		if (gid_attach_header->segment != DSM_HANDLE_INVALID)
			gid_attach_map_segment();
		opened = true;
	}
	for (int i = 0; i < gid_part_count; i++)
	{
		if (gid_parts[i]->attach != NULL)
			gid_parts[i]->attach();
	}
}
