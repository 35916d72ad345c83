/*-------------------------------------------------------------------------
 *
 * attach/attach.c
 *		Finds or makes the shared memory, and attaches a backend to it.
 *
 * There are three pieces.  The first is the version of the library.  Its size
 * never changes, so that every later version can read it.  The second, in main
 * shared memory, is the header with the small parts.  The third has the other
 * parts, whose size depends on the server's settings.  Under
 * shared_preload_libraries they follow the small parts, in memory that was
 * requested in time; otherwise they are in a DSM segment, because main shared
 * memory has no room for them.
 *
 * State: GidVersion and GidAttachHeader.  The parts belong to the files that
 * describe them.
 *
 * Invariants:
 * 1. The parts are set up once in a life of the shared memory, under
 *	  AddinShmemInitLock.  "complete" is written last.  After an error half
 *	  way, the next backend sets up the parts again, and no segment is left
 *	  behind.
 * 2. Whatever can fail in the set-up (random bytes, memory) fails before an
 *	  id is made.
 * 3. The functions that reach a part attach first.  The paths of ids are an
 *	  exception: they begin with gid_slot_mine().  So any SQL function may be
 *	  the first that a session calls.
 * 4. What a backend takes while it attaches ends with the backend: a mapping,
 *	  which the server's own exit undoes, and what the parts' callbacks take.
 *	  No counter grows with the number of connections.
 * 5. The postmaster under shared_preload_libraries, or a stand-alone backend,
 *	  makes the parts, and calls their server_exit when it exits with code 0.
 *	  No other process does: the postmaster's children do not inherit the
 *	  callback.
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
#include "utils/memutils.h"

#include "attach/attach.h"
#include "base/compat.h"

StaticAssertDecl(sizeof(GidVersion) == 256,
				 "every version of the library reads the version of another one");

/* The header, in main shared memory before the small parts. */
typedef struct GidAttachHeader
{
	bool		complete;		/* all is set up; AddinShmemInitLock */
	dsm_handle	segment;		/* holds the other parts; DSM_HANDLE_INVALID:
								 * they follow the small parts, and the
								 * process that made them calls server_exit;
								 * constant */
	int			tranches[GID_MAX_PARTS];	/* of the parts' locks; 0: none
											 * yet; AddinShmemInitLock until
											 * complete */
} GidAttachHeader;

/* The parts, as gid.c names them. */
static const GidPart *const *gid_parts;
static int	gid_part_count;

/* Where the small parts begin. */
#define GID_ATTACH_MAIN_PLACE	((char *) (gid_attach_header + 1))

/* The header.  It is good only if "made": a set-up may fail half way. */
static GidAttachHeader *gid_attach_header = NULL;
static bool gid_attach_made = false;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/*
 * Name the parts, in the order in which a backend attaches.  "parts" is
 * constant memory of the library, with at most GID_MAX_PARTS elements.
 */
void
gid_attach_set_parts(const GidPart *const *parts, int count)
{
	Assert(count <= GID_MAX_PARTS);
	gid_parts = parts;
	gid_part_count = count;
}

/*
 * Lay out the small parts, or the others, from "place" on, each on a cache
 * line.  Sets the pointer of each part, unless "place" is NULL.  Returns the
 * size of all, with room to put the first part on a cache line.
 */
static Size
gid_attach_walk(bool in_main, char *place)
{
	Size		end = PG_CACHE_LINE_SIZE;

	for (int i = 0; i < gid_part_count; i++)
	{
		const GidPart *part = gid_parts[i];

		if (part->in_main != in_main)
			continue;
		if (place != NULL)
			*part->where = (char *) TYPEALIGN(PG_CACHE_LINE_SIZE, place) +
				(end - PG_CACHE_LINE_SIZE);
		end = TYPEALIGN(PG_CACHE_LINE_SIZE,
						add_size(end, part->size_of != NULL ? part->size_of() : part->size));
	}
	return end;
}

/*
 * Return the size of the header and what follows it: the small parts or, if
 * "whole", all parts.  Whole is the case where the memory could be requested
 * in time, and in a stand-alone backend, which must not make DSM segments.
 */
static Size
gid_attach_main_size(bool whole)
{
	Size		size = add_size(sizeof(GidAttachHeader), gid_attach_walk(true, NULL));

	return whole ? add_size(size, gid_attach_walk(false, NULL)) : size;
}

/* Set up the small parts, or the others.  Their pointers are set. */
static void
gid_attach_init_parts(bool in_main)
{
	for (int i = 0; i < gid_part_count; i++)
	{
		const GidPart *part = gid_parts[i];

		if (part->in_main == in_main)
			part->init(*part->where, gid_attach_header->tranches[i]);
	}
}

/*
 * Make all parts, the others in a segment of their own unless "whole".  The
 * segment is pinned last, so that an error releases it.
 */
static void
gid_attach_make_parts(bool whole)
{
	Size		main_size = gid_attach_walk(true, GID_ATTACH_MAIN_PLACE);
	dsm_segment *segment;

	gid_attach_header->segment = DSM_HANDLE_INVALID;
	gid_attach_init_parts(true);
	if (whole)
	{
		(void) gid_attach_walk(false, GID_ATTACH_MAIN_PLACE + main_size);
		gid_attach_init_parts(false);
		return;
	}
	segment = dsm_create(gid_attach_walk(false, NULL), 0);
	(void) gid_attach_walk(false, dsm_segment_address(segment));
	gid_attach_init_parts(false);
	dsm_pin_segment(segment);
	gid_attach_header->segment = dsm_segment_handle(segment);
}

/* Raise 55000: a library of another version made the shared memory. */
static void
gid_attach_raise_version(const char *version)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("another version of gid is in use on this server"),
			 errdetail("The server runs with the library of version %s. This session has loaded version %s.",
					   version, GID_VERSION),
			 errhint("Restart the server.")));
}

/*
 * Find or make a piece of main shared memory.  Returns NULL when there is a
 * piece of this name and of another size, which this library has not made.
 * The caller has AddinShmemInitLock.
 */
static void *
gid_attach_find(const char *name, Size size, bool *found)
{
	MemoryContext context = CurrentMemoryContext;
	void	   *volatile piece = NULL;

	PG_TRY();
	{
		piece = ShmemInitStruct(name, size, found);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		if (geterrcode() != ERRCODE_INTERNAL_ERROR)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();
	return piece;
}

/*
 * on_shmem_exit callback of the postmaster or a stand-alone backend.  With a
 * code that is not 0 a crash may have damaged the shared memory.  The server
 * detaches the memory in a callback that was registered before, so after this
 * one.
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
 * Find or make the pieces of main shared memory, and set up the parts if that
 * is not done.  "whole" as for gid_attach_main_size().  Raises 55000 when
 * another version of the library made the memory.
 */
static void
gid_attach_init(bool whole)
{
	bool		found;
	GidVersion *version;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	version = gid_attach_find("gid", sizeof(GidVersion), &found);
	if (version == NULL)
		gid_attach_raise_version("unknown");
	if (!found)
		strlcpy(version->name, GID_VERSION, sizeof(version->name));
	else if (strncmp(version->name, GID_VERSION, sizeof(version->name)) != 0)
		gid_attach_raise_version(pnstrdup(version->name, sizeof(version->name)));

	/* ShmemInitStruct() gives whole cache lines */
	gid_attach_header = gid_attach_find("gid header", gid_attach_main_size(whole), &found);
	if (gid_attach_header == NULL)
		gid_attach_raise_version(GID_VERSION ", built otherwise");
	if (!found)
		memset(gid_attach_header, 0, sizeof(GidAttachHeader));
	if (!gid_attach_header->complete)
	{
		/*
		 * A server of version 19 has a limited number of names, raises an
		 * error when all are taken, and takes none back.  So a set-up that
		 * begins again keeps the ids it has.
		 */
		for (int i = 0; i < gid_part_count; i++)
		{
			if (gid_parts[i]->lock_name != NULL && gid_attach_header->tranches[i] == 0)
				gid_attach_header->tranches[i] = gid_lwlock_new_tranche(gid_parts[i]->lock_name);
		}
		gid_attach_make_parts(whole);
		if (whole)
			on_shmem_exit(gid_attach_server_exit, (Datum) 0);
		gid_attach_header->complete = true;
	}
	LWLockRelease(AddinShmemInitLock);
	gid_attach_made = true;
}

static void
gid_attach_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(add_size(gid_attach_main_size(true), sizeof(GidVersion)));
}

static void
gid_attach_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	gid_attach_init(true);
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

/* Set the pointers of all parts in this process. */
static void
gid_attach_map_parts(void)
{
	Size		main_size = gid_attach_walk(true, GID_ATTACH_MAIN_PLACE);
	dsm_segment *segment;

	if (gid_attach_header->segment == DSM_HANDLE_INVALID)
	{
		(void) gid_attach_walk(false, GID_ATTACH_MAIN_PLACE + main_size);
		return;
	}
	segment = dsm_find_mapping(gid_attach_header->segment);
	if (segment == NULL)
		segment = dsm_attach(gid_attach_header->segment);
	if (segment == NULL)
		elog(ERROR, "DSM segment of gid is gone");
	if (dsm_segment_map_length(segment) != gid_attach_walk(false, NULL))
	{
		dsm_detach(segment);
		gid_attach_raise_version(GID_VERSION ", built otherwise");
	}
	dsm_pin_mapping(segment);
	(void) gid_attach_walk(false, dsm_segment_address(segment));
}

/*
 * Find or make the header and the parts, with a hint in the errors about a
 * lack of memory.  If a call fails half way, the next call does all of it
 * again.
 */
static void
gid_attach_open(void)
{
	MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);

	PG_TRY();
	{
		if (!gid_attach_made)
			gid_attach_init(!IsUnderPostmaster);
		for (int i = 0; i < gid_part_count; i++)
		{
			if (gid_parts[i]->lock_name != NULL)
				gid_lwlock_name_tranche(gid_attach_header->tranches[i], gid_parts[i]->lock_name);
		}
		gid_attach_map_parts();
	}
	PG_CATCH();
	{
		ErrorData  *error;
		int			category;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
		FlushErrorState();
		if (error->hint == NULL &&
			(category == ERRCODE_INSUFFICIENT_RESOURCES ||
			 category == ERRCODE_SYSTEM_ERROR))
			error->hint = pstrdup("Add gid to shared_preload_libraries, so that its shared memory is reserved when the server starts.");
		ReThrowError(error);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
}

/*
 * Attach this backend to the shared memory, and make the memory if there is
 * none.  Raises 55000 when another version of the library made it.  Without
 * preload the memory may run out: 53200, 53100 or 58030, raised by the server.
 * Raises XX000 when the source of random bytes fails.  Takes
 * AddinShmemInitLock for a moment; does not wait for anything else.
 */
void
gid_attach(void)
{
	static bool opened = false;

	if (!opened)
		gid_attach_open();
	opened = true;

	for (int i = 0; i < gid_part_count; i++)
	{
		if (gid_parts[i]->attach != NULL)
			gid_parts[i]->attach();
	}
}
