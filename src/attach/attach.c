/*-------------------------------------------------------------------------
 *
 * attach/attach.c
 *		Finding or making the shared memory, and attaching to it.
 *
 * Three pieces.  The version of the library has a size that never changes, so
 * that every later version of the library can read it.  The header and the
 * small parts follow in main shared memory.  The other parts are as large as
 * the server needs them.  Under shared_preload_libraries they stand behind the
 * small ones, in memory that was requested in time.  Without, the server's
 * slack has no room for them, and they live in a DSM segment; so any
 * max_connections works.
 *
 * State: GidVersion and GidAttachHeader.  The parts belong to the files that
 * describe them.
 *
 * Invariants:
 * 1. The parts are set up once per life of the shared memory, under
 *	  AddinShmemInitLock.  "complete" is written last, so that after an error
 *	  half way the next backend sets them up again, and no segment is left
 *	  behind.
 * 2. Whatever can fail in the set-up (random bytes, memory) fails before an
 *	  id could have been made.
 * 3. The parts are reached through functions that attach, but for the paths of
 *	  ids, which begin with gid_slot_mine().  So any SQL function may be the
 *	  first one that a session calls.
 * 4. What a backend takes while it attaches ends with the backend: a mapping,
 *	  which the server's own exit undoes, and what the parts' callbacks take.
 *	  No counter grows with the number of connections.
 *
 * A crash of any backend makes the postmaster wipe shared memory.  The next
 * backend sets up everything again.
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

/* In main shared memory, before the small parts. */
typedef struct GidAttachHeader
{
	bool		complete;		/* all is set up; AddinShmemInitLock */
	dsm_handle	segment;		/* that holds the other parts;
								 * DSM_HANDLE_INVALID when they follow the
								 * small ones; constant */
	int			tranches[GID_MAX_PARTS];	/* of the parts' locks; constant */
} GidAttachHeader;

/* The parts, as gid.c names them. */
static const GidPart *const *gid_parts;
static int	gid_part_count;

/* The header; good only if "made", since a set-up may have failed half way. */
static GidAttachHeader *gid_attach_header = NULL;
static bool gid_attach_made = false;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/* Say which parts there are, in the order in which a backend attaches. */
void
gid_attach_set_parts(const GidPart *const *parts, int count)
{
	Assert(count <= GID_MAX_PARTS);
	gid_parts = parts;
	gid_part_count = count;
}

/*
 * Go through the small parts, or the others, each on a cache line from "place"
 * on.  Where "place" is not NULL each part's pointer is set.  Returns the size
 * of all, with what puts the first one on a cache line.
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
		end = TYPEALIGN(PG_CACHE_LINE_SIZE, add_size(end, part->size()));
	}
	return end;
}

/* Where the small parts stand. */
static char *
gid_attach_main_place(void)
{
	return (char *) (gid_attach_header + 1);
}

/*
 * Size of the header and what follows it.  "whole": with all parts, which is
 * so where the memory could be requested in time, and in a stand-alone
 * backend, which is not to make DSM segments.
 */
static Size
gid_attach_main_size(bool whole)
{
	Size		size = add_size(sizeof(GidAttachHeader), gid_attach_walk(true, NULL));

	return whole ? add_size(size, gid_attach_walk(false, NULL)) : size;
}

/* Set up the small parts, or the others, whose pointers are set. */
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
 * Make all parts, the large ones in a segment of their own unless "whole".  An
 * error lets go of the segment: it is pinned last.
 */
static void
gid_attach_make_parts(bool whole)
{
	Size		main_size = gid_attach_walk(true, gid_attach_main_place());
	dsm_segment *segment;

	gid_attach_header->segment = DSM_HANDLE_INVALID;
	gid_attach_init_parts(true);
	if (whole)
	{
		(void) gid_attach_walk(false, gid_attach_main_place() + main_size);
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
			 errdetail("The server runs with the library of version %s; this session has loaded that of version %s.",
					   version, GID_VERSION),
			 errhint("Restart the server.")));
}

/*
 * Note the version of the library, or check it against the one that made the
 * shared memory: 55000.  1.0 had a piece of this name and of another size,
 * which the server refuses.  The caller has AddinShmemInitLock.
 */
static void
gid_attach_check_version(void)
{
	MemoryContext context = CurrentMemoryContext;
	GidVersion *volatile version = NULL;
	bool		found;

	PG_TRY();
	{
		version = ShmemInitStruct("gid", sizeof(GidVersion), &found);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		if (geterrcode() != ERRCODE_INTERNAL_ERROR)
			PG_RE_THROW();
		FlushErrorState();
	}
	PG_END_TRY();

	if (version == NULL)
		gid_attach_raise_version("1.0");
	if (!found)
		strlcpy(version->name, GID_VERSION, sizeof(version->name));
	else if (strncmp(version->name, GID_VERSION, sizeof(version->name)) != 0)
		gid_attach_raise_version(pnstrdup(version->name, sizeof(version->name)));
}

/*
 * Find or make the pieces of main shared memory and set them up if nobody has.
 * "whole" as for gid_attach_main_size().  Raises 55000 when another version of
 * the library did.
 */
static void
gid_attach_init(bool whole)
{
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	gid_attach_check_version();
	/* ShmemInitStruct() gives whole cache lines */
	gid_attach_header = ShmemInitStruct("gid header", gid_attach_main_size(whole), &found);
	if (!found)
	{
		memset(gid_attach_header, 0, sizeof(GidAttachHeader));
		for (int i = 0; i < gid_part_count; i++)
		{
			if (gid_parts[i]->lock_name != NULL)
				gid_attach_header->tranches[i] = LWLockNewTrancheId();
		}
	}
	if (!gid_attach_header->complete)
	{
		gid_attach_make_parts(whole);
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
 * From _PG_init under shared_preload_libraries: ask for the memory, and have
 * it set up when the postmaster makes it.
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
	Size		main_size = gid_attach_walk(true, gid_attach_main_place());
	dsm_segment *segment;

	if (gid_attach_header->segment == DSM_HANDLE_INVALID)
	{
		(void) gid_attach_walk(false, gid_attach_main_place() + main_size);
		return;
	}
	segment = dsm_find_mapping(gid_attach_header->segment);
	if (segment == NULL)
		segment = dsm_attach(gid_attach_header->segment);
	if (segment == NULL)
		elog(ERROR, "DSM segment of gid is gone");
	dsm_pin_mapping(segment);
	(void) gid_attach_walk(false, dsm_segment_address(segment));
}

/*
 * Find or make the header and the parts.  What fails half way is done again by
 * the next call.
 */
static void
gid_attach_open(void)
{
	MemoryContext old_context = MemoryContextSwitchTo(TopMemoryContext);

	if (!gid_attach_made)
		gid_attach_init(!IsUnderPostmaster);
	for (int i = 0; i < gid_part_count; i++)
	{
		if (gid_parts[i]->lock_name != NULL)
			LWLockRegisterTranche(gid_attach_header->tranches[i], gid_parts[i]->lock_name);
	}
	gid_attach_map_parts();
	MemoryContextSwitchTo(old_context);
}

/* gid_attach_open(), but that a lack of memory comes with what helps. */
static void
gid_attach_open_with_hint(void)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		gid_attach_open();
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
}

/*
 * Attach this backend to the shared memory, which is made if need be.  Without
 * preload the memory may run out: 53200, 53100 or 58030 as PostgreSQL's own
 * shared memory says it.  Takes AddinShmemInitLock for a moment; waits for
 * nothing else.
 */
void
gid_attach(void)
{
	static bool opened = false;

	if (!opened)
		gid_attach_open_with_hint();
	opened = true;

	for (int i = 0; i < gid_part_count; i++)
	{
		if (gid_parts[i]->attach != NULL)
			gid_parts[i]->attach();
	}
}
