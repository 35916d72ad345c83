/*-------------------------------------------------------------------------
 *
 * attach/attach.c
 *		Shared memory: the header, the backend slots, the parts.
 *
 * Three pieces.  The version of the library has a size that never changes, so
 * that every later version of the library can read it.  The header has what is
 * the same on every server.  The parts are arrays whose sizes depend on the
 * server or are large.  Under shared_preload_libraries the parts follow the
 * header, in memory that was requested in time.  Without, the server's slack
 * has room for the header alone, and the parts live in a DSM segment; so any
 * max_connections works.
 *
 * State: GidVersion, GidHeader (its members say who writes them), one GidSlot
 * for each backend that the server can have, the arrays of GidPart.
 *
 * Invariants:
 * 1. The header is set up once per life of the shared memory, under
 *	  AddinShmemInitLock; "complete" is written last, so that after an error
 *	  half way the next backend sets it up again, and no segment is left
 *	  behind.
 * 2. Whatever can fail in the set-up (random bytes, memory) fails before an
 *	  id could have been made.
 * 3. A slot is written by the backend whose proc number it has, from attach
 *	  to exit.  The number passes to another process only after the exit
 *	  callbacks, so two never write one slot.
 * 4. The header and the parts are reached through functions that attach, but
 *	  for the paths of ids, which begin with gid_shmem_my_slot().  So any SQL
 *	  function may be the first one that a session calls.
 * 5. What a backend takes while it attaches ends with the backend: a mapping,
 *	  which the server's own exit undoes, its slot, and its place among the
 *	  attached (clock/leave.c).  No counter grows with the number of connections.
 *
 * A crash of any backend makes the postmaster wipe shared memory: all of this
 * starts anew, with new random bytes, and the words from gid.clock.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "attach/attach.h"
#include "base/compat.h"
#include "base/random.h"
#include "clock/clock.h"
#include "clock/leave.h"
#include "decimal/lease.h"
#include "fleet/ask.h"

/* Leases: one for each backend to hold, as many to lie idle. */
#define GID_LEASES_PER_BACKEND	2

StaticAssertDecl(sizeof(GidVersion) == 256,
				 "every version of the library reads the version of another one");
StaticAssertDecl(sizeof(GidSlotPadded) <= 256,
				 "a connection is to cost little memory");

GidHeader  *gid_header = NULL;
GidSlot    *gid_slot = NULL;

/* Where the parts begin in this process; NULL: not attached. */
static char *gid_parts[GID_NPARTS];

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

static int
gid_shmem_lease_count(void)
{
	return GID_LEASES_PER_BACKEND * MaxBackends;
}

/*
 * Say where the parts stand from the first one on, each on a cache line, and
 * return the size of all.
 */
static Size
gid_shmem_layout(Size offsets[GID_NPARTS])
{
	Size		sizes[GID_NPARTS] = {
		[GID_PART_SLOTS] = mul_size(MaxBackends, sizeof(GidSlotPadded)),
		[GID_PART_LEASES] = gid_lease_table_size(gid_shmem_lease_count()),
		[GID_PART_BLOCK_ROWS] = gid_block_rows_size(),
		[GID_PART_BLOCK_ENTRIES] = gid_block_entries_size(),
		[GID_PART_FAILURES] = gid_failure_size(),
	};
	Size		end = 0;

	for (int i = 0; i < GID_NPARTS; i++)
	{
		offsets[i] = end;
		end = TYPEALIGN(PG_CACHE_LINE_SIZE, add_size(end, sizes[i]));
	}
	return end;
}

/* Size of the parts, with what puts the first one on a cache line. */
static Size
gid_shmem_parts_size(void)
{
	Size		offsets[GID_NPARTS];

	return add_size(gid_shmem_layout(offsets), PG_CACHE_LINE_SIZE);
}

/* Have gid_parts point into a piece of gid_shmem_parts_size(). */
static void
gid_shmem_set_parts(void *place)
{
	Size		offsets[GID_NPARTS];

	(void) gid_shmem_layout(offsets);
	for (int i = 0; i < GID_NPARTS; i++)
		gid_parts[i] = (char *) TYPEALIGN(PG_CACHE_LINE_SIZE, place) + offsets[i];
}

/*
 * Size of the header in main shared memory.  "whole": with the parts behind
 * it, which is so where the memory could be requested in time, and in a
 * stand-alone backend, which is not to make DSM segments.
 */
static Size
gid_shmem_size(bool whole)
{
	return add_size(sizeof(GidHeader), whole ? gid_shmem_parts_size() : 0);
}

/* Random bytes of this server start.  Raises XX000 when the source fails. */
static void
gid_shmem_init_random(GidHeader *header)
{
	uint16		variant[2];

	gid_random_fill(header->process, sizeof(header->process));
	gid_random_fill(header->generator, sizeof(header->generator));
	gid_random_fill(&header->shard_counter, sizeof(header->shard_counter));
	gid_random_fill(variant, sizeof(variant));
	header->process[GID_PROCESS_VARIANT_BYTE] = gid_byte8_from_random(variant[0]);
	header->generator[GID_GENERATOR_VARIANT_BYTE] = gid_byte8_from_random(variant[1]);
	header->shard_counter &= GID_MASK(GID_SHARD_COUNTER_BITS);
}

/* Set up the parts, which gid_parts points to, and what the header says of them. */
static void
gid_shmem_init_parts(GidHeader *header)
{
	GidSlotPadded *slots = (GidSlotPadded *) gid_parts[GID_PART_SLOTS];

	header->nslots = MaxBackends;
	for (int i = 0; i < header->nslots; i++)
	{
		GidSlot    *slot = &slots[i].slot;

		pg_atomic_init_u32(&slot->pid, 0);
		pg_atomic_init_u32(&slot->role, InvalidOid);
		pg_atomic_init_u32(&slot->generator, 0);
		for (int f = 0; f < GID_NFAMILIES; f++)
		{
			pg_atomic_init_u64(&slot->issued[f], 0);
			pg_atomic_init_u64(&slot->last[f], 0);
		}
	}

	LWLockInitialize(&header->leases.lock, header->lease_tranche);
	header->leases.stamp = 0;
	header->leases.size = gid_shmem_lease_count();
	memset(gid_parts[GID_PART_LEASES], 0, gid_lease_table_size(header->leases.size));

	for (int i = 0; i < GID_PACE_FRONTS; i++)
		pg_atomic_init_u64(&header->fronts[i], 0);

	gid_block_init(&header->blocks, header->block_tranche);

	LWLockInitialize(&header->failure_lock, header->failure_tranche);
	memset(gid_parts[GID_PART_FAILURES], 0, gid_failure_size());
}

/*
 * Make the parts, in a segment of their own unless "whole".  An error lets go
 * of the segment: it is pinned last.
 */
static void
gid_shmem_make_parts(GidHeader *header, bool whole)
{
	dsm_segment *segment;

	header->segment = DSM_HANDLE_INVALID;
	if (whole)
	{
		gid_shmem_set_parts(header + 1);
		gid_shmem_init_parts(header);
		return;
	}
	segment = dsm_create(gid_shmem_parts_size(), 0);
	gid_shmem_set_parts(dsm_segment_address(segment));
	gid_shmem_init_parts(header);
	dsm_pin_segment(segment);
	header->segment = dsm_segment_handle(segment);
}

/* Raise 55000: a library of another version made the shared memory. */
static void
gid_shmem_raise_version(const char *version)
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
gid_shmem_check_version(void)
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
		gid_shmem_raise_version("1.0");
	if (!found)
		strlcpy(version->name, GID_VERSION, sizeof(version->name));
	else if (strncmp(version->name, GID_VERSION, sizeof(version->name)) != 0)
		gid_shmem_raise_version(pnstrdup(version->name, sizeof(version->name)));
}

/*
 * Find or make the pieces of main shared memory and set them up if nobody has.
 * "whole" as for gid_shmem_size().  Raises 55000 when another version of the
 * library did.
 */
static void
gid_shmem_init(bool whole)
{
	bool		found;
	GidHeader  *header;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	gid_shmem_check_version();
	/* ShmemInitStruct() gives whole cache lines */
	header = ShmemInitStruct("gid header", gid_shmem_size(whole), &found);

	if (!found)
	{
		memset(header, 0, sizeof(GidHeader));
		header->lease_tranche = LWLockNewTrancheId();
		header->block_tranche = LWLockNewTrancheId();
		header->failure_tranche = LWLockNewTrancheId();
	}
	if (!header->complete)
	{
		gid_shmem_init_random(header);
		gid_clock_init(header);
		gid_shmem_make_parts(header, whole);
		header->complete = true;
	}
	LWLockRelease(AddinShmemInitLock);
	gid_header = header;
}

static void
gid_shmem_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(add_size(gid_shmem_size(true), sizeof(GidVersion)));
}

static void
gid_shmem_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	gid_shmem_init(true);
}

/*
 * From _PG_init under shared_preload_libraries: ask for the memory, and have
 * it set up when the postmaster makes it.
 */
void
gid_shmem_init_preload(void)
{
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = gid_shmem_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = gid_shmem_startup;
}

/* Leave the slot, at the exit of this backend. */
static void
gid_shmem_detach(int code, Datum arg)
{
	if (gid_slot != NULL)
		pg_atomic_write_u32(&gid_slot->pid, 0);
	gid_slot = NULL;
}

/* Where the parts stand in this process's memory. */
static void *
gid_shmem_map_parts(void)
{
	dsm_segment *segment;

	if (gid_header->segment == DSM_HANDLE_INVALID)
		return gid_header + 1;

	segment = dsm_find_mapping(gid_header->segment);
	if (segment == NULL)
		segment = dsm_attach(gid_header->segment);
	if (segment == NULL)
		elog(ERROR, "DSM segment of gid is gone");
	dsm_pin_mapping(segment);
	return dsm_segment_address(segment);
}

/*
 * Attach to the header and the parts.  What fails half way is done again by
 * the next call.
 */
static void
gid_shmem_open(void)
{
	MemoryContext old_context = MemoryContextSwitchTo(TopMemoryContext);

	if (gid_header == NULL)
		gid_shmem_init(!IsUnderPostmaster);
	LWLockRegisterTranche(gid_header->lease_tranche, "GidLease");
	LWLockRegisterTranche(gid_header->block_tranche, "GidBlock");
	LWLockRegisterTranche(gid_header->failure_tranche, "GidAuthority");
	gid_shmem_set_parts(gid_shmem_map_parts());
	MemoryContextSwitchTo(old_context);
}

/* gid_shmem_open(), but that a lack of memory comes with what helps. */
static void
gid_shmem_open_with_hint(void)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		gid_shmem_open();
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
 * Attach this backend to the shared memory, which is made if need be, and
 * give it its slot.  Without preload the memory may run out: 53200, 53100 or
 * 58030 as PostgreSQL's own shared memory says it.  Takes AddinShmemInitLock
 * for a moment; waits for nothing else.
 */
void
gid_shmem_attach(void)
{
	static bool attached = false;
	int			number = gid_my_proc_number();
	GidSlot    *slot;

	if (!attached)
		gid_shmem_open_with_hint();
	attached = true;

	if (number < 0 || number >= gid_header->nslots)
		elog(ERROR, "process number %d has no slot", number);

	gid_leave_register();
	slot = gid_shmem_slot(number);
	for (int f = 0; f < GID_NFAMILIES; f++)
	{
		pg_atomic_write_u64(&slot->issued[f], 0);
		pg_atomic_write_u64(&slot->last[f], 0);
	}
	pg_atomic_write_u32(&slot->generator, 0);
	pg_atomic_write_u32(&slot->role, MyProc->roleId);
	before_shmem_exit(gid_shmem_detach, (Datum) 0);
	pg_write_barrier();
	pg_atomic_write_u32(&slot->pid, MyProcPid);
	gid_slot = slot;
}

/* A part; the first call attaches as gid_shmem_my_slot() does. */
void *
gid_shmem_part(GidPart part)
{
	(void) gid_shmem_my_slot();
	return gid_parts[part];
}

/* The slot of a number, 0 to nslots - 1; this backend must be attached. */
GidSlot *
gid_shmem_slot(int number)
{
	return &((GidSlotPadded *) gid_parts[GID_PART_SLOTS])[number].slot;
}
