/*-------------------------------------------------------------------------
 *
 * gid_shmem.c
 *		Shared memory: the header, the backend slots, the DSA area.
 *
 * A header stands in the main shared memory.  The backend slots and whatever is
 * larger stand in a DSA area.  Under shared_preload_libraries the area follows
 * the header, in a piece of memory that was asked for in time.  Without, the
 * server's slack has room for the header alone, and the area lives in a DSM
 * segment; so any max_connections works.
 *
 * State: GidHeader (its members say who writes them), one GidSlot per
 * backend that the server can have, the entries of the lease table and of the
 * block table.
 *
 * Invariants:
 * 1. The header is set up once per life of the shared memory, under
 *	  AddinShmemInitLock; "complete" is written last, so that an error half
 *	  way leaves the next backend to do it again, and no segment behind.
 * 2. Whatever can fail in the set-up (random bytes, memory) fails before an
 *	  id could have been made.
 * 3. A slot is written by the backend whose proc number it has, from attach
 *	  to exit.  The number passes to another process only after the exit
 *	  callbacks, so two never write one slot.
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

#include "gid_bound.h"
#include "gid_clock.h"
#include "gid_compat.h"
#include "gid_lease.h"
#include "gid_random.h"
#include "gid_remote.h"
#include "gid_shmem.h"

/*
 * Tells this layout of the shared memory from those of other versions of the
 * library: to be changed with it.
 */
#define GID_HEADER_COMPLETE		0x67696406

/* Leases: one for each backend to hold, as many to lie idle. */
#define GID_LEASES_PER_BACKEND	2

StaticAssertDecl(sizeof(GidSlotPadded) <= 256,
				 "a connection is to cost little memory");

/* What a DSA area needs beside what is allocated from it; see below. */
#define GID_DSA_PAGE			4096
#define GID_DSA_PAGE_OVERHEAD	16
#define GID_DSA_SPARE_PAGES		40

GidHeader  *gid_header = NULL;
GidSlot    *gid_slot = NULL;

static dsa_area *gid_area = NULL;
static GidSlotPadded *gid_slots = NULL;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

/* Where the DSA area begins, on a cache line since its pages hold slots. */
static Size
gid_shmem_area_offset(void)
{
	return TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidHeader));
}

static Size
gid_shmem_slots_size(void)
{
	return mul_size(MaxBackends, sizeof(GidSlotPadded));
}

static int
gid_shmem_lease_count(void)
{
	return GID_LEASES_PER_BACKEND * MaxBackends;
}

/*
 * Size of the DSA area, with room for everything that is allocated at the
 * start.  An allocation takes its pages, or a superblock of 16 pages when it is
 * of at most 8 kB, as slots and leases of few backends may be; each page takes
 * some bytes of the page map; the descriptors of what is allocated take a page.
 */
static Size
gid_shmem_area_size(void)
{
	Size		pages;

	pages = add_size(gid_shmem_slots_size() / GID_DSA_PAGE,
					 gid_lease_table_size(gid_shmem_lease_count()) / GID_DSA_PAGE);
	pages = add_size(pages, gid_block_rows_size() / GID_DSA_PAGE);
	pages = add_size(pages, gid_block_entries_size() / GID_DSA_PAGE);
	pages = add_size(pages, sizeof(GidRemoteTable) / GID_DSA_PAGE);
	pages = add_size(pages, GID_DSA_SPARE_PAGES);
	return add_size(dsa_minimum_size(),
					mul_size(pages, GID_DSA_PAGE + GID_DSA_PAGE_OVERHEAD));
}

/*
 * Size of the piece of main shared memory.  "whole": with the area in it, which
 * is so where the piece could be asked for in time, and in a stand-alone
 * backend, which is not to make DSM segments.
 */
static Size
gid_shmem_size(bool whole)
{
	return whole ? add_size(gid_shmem_area_offset(), gid_shmem_area_size()) :
		sizeof(GidHeader);
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

/* Allocate and set up what stands in the area. */
static void
gid_shmem_init_tables(GidHeader *header, dsa_area *area)
{
	GidSlotPadded *slots;
	Size		lease_size;

	header->nslots = MaxBackends;
	header->slots = dsa_allocate_extended(area, gid_shmem_slots_size(),
										  DSA_ALLOC_HUGE | DSA_ALLOC_ZERO);
	slots = dsa_get_address(area, header->slots);
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
	lease_size = gid_lease_table_size(header->leases.size);
	header->leases.entries = dsa_allocate_extended(area, lease_size,
												   DSA_ALLOC_HUGE | DSA_ALLOC_ZERO);

	for (int i = 0; i < GID_PACE_FRONTS; i++)
		pg_atomic_init_u64(&header->fronts[i], 0);

	gid_block_init(&header->blocks, header->block_tranche);
	header->blocks.rows = dsa_allocate_extended(area, gid_block_rows_size(),
												DSA_ALLOC_HUGE);
	header->blocks.entries = dsa_allocate_extended(area, gid_block_entries_size(),
												   DSA_ALLOC_HUGE);

	header->remotes = dsa_allocate_extended(area, sizeof(GidRemoteTable),
											DSA_ALLOC_HUGE);
	gid_remote_init(dsa_get_address(area, header->remotes), header->remote_tranche);
}

/* Make the DSA area at a place of gid_shmem_area_size(), and what it holds. */
static void
gid_shmem_init_area(GidHeader *header, void *place)
{
	Size		size = gid_shmem_area_size();
	dsa_area   *area = dsa_create_in_place(place, size, header->dsa_tranche, NULL);

	/* it is large enough; the postmaster must not make a segment */
	dsa_set_size_limit(area, size);
	gid_shmem_init_tables(header, area);
	dsa_set_size_limit(area, -1);
	dsa_pin(area);
	dsa_detach(area);
}

/*
 * Make the area, in a segment of its own unless "whole".  An error lets go of
 * the segment: it is pinned last.
 */
static void
gid_shmem_place_area(GidHeader *header, bool whole)
{
	dsm_segment *segment;

	header->segment = DSM_HANDLE_INVALID;
	if (whole)
	{
		gid_shmem_init_area(header, (char *) header + gid_shmem_area_offset());
		return;
	}
	segment = dsm_create(gid_shmem_area_size(), 0);
	gid_shmem_init_area(header, dsm_segment_address(segment));
	dsm_pin_segment(segment);
	header->segment = dsm_segment_handle(segment);
}

/*
 * Find or make the piece of main shared memory and set it up if nobody has.
 * "whole" as for gid_shmem_size().  Raises 55000 when another version of the
 * library did.
 */
static void
gid_shmem_init(bool whole)
{
	bool		found;
	GidHeader  *header;
	uint32		state;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	/* ShmemInitStruct() gives whole cache lines */
	header = ShmemInitStruct("gid", gid_shmem_size(whole), &found);

	if (!found)
	{
		memset(header, 0, sizeof(GidHeader));
		pg_atomic_init_u32(&header->state.value, 0);
		header->lease_tranche = LWLockNewTrancheId();
		header->block_tranche = LWLockNewTrancheId();
		header->remote_tranche = LWLockNewTrancheId();
		header->dsa_tranche = LWLockNewTrancheId();
	}
	state = pg_atomic_read_u32(&header->state.value);
	if (state != 0 && state != GID_HEADER_COMPLETE)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("another version of gid is in use on this server"),
				 errdetail("Its shared memory has another layout."),
				 errhint("Restart the server.")));
	if (state == 0)
	{
		gid_shmem_init_random(header);
		gid_clock_init(header);
		gid_shmem_place_area(header, whole);
		pg_write_barrier();
		pg_atomic_write_u32(&header->state.value, GID_HEADER_COMPLETE);
	}
	LWLockRelease(AddinShmemInitLock);
	gid_header = header;
}

static void
gid_shmem_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(gid_shmem_size(true));
}

static void
gid_shmem_startup(void)
{
	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	gid_shmem_init(true);
	/* also runs when shared memory is made anew after a crash */
	if (!IsUnderPostmaster)
		on_shmem_exit(gid_bound_shutdown, (Datum) 0);
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

/* Where the area stands in this process's memory. */
static void *
gid_shmem_map_area(void)
{
	dsm_segment *segment;

	if (gid_header->segment == DSM_HANDLE_INVALID)
		return (char *) gid_header + gid_shmem_area_offset();

	segment = dsm_find_mapping(gid_header->segment);
	if (segment == NULL)
		segment = dsm_attach(gid_header->segment);
	if (segment == NULL)
		elog(ERROR, "DSM segment of gid is gone");
	dsm_pin_mapping(segment);
	return dsm_segment_address(segment);
}

/*
 * Attach to the area and map the slots.  What fails half way is done again by
 * the next call.
 */
static void
gid_shmem_open(void)
{
	MemoryContext old_context = MemoryContextSwitchTo(TopMemoryContext);

	if (gid_header == NULL)
		gid_shmem_init(!IsUnderPostmaster);
	if (gid_area == NULL)
	{
		void	   *place = gid_shmem_map_area();

		LWLockRegisterTranche(gid_header->lease_tranche, "GidLease");
		LWLockRegisterTranche(gid_header->block_tranche, "GidBlock");
		LWLockRegisterTranche(gid_header->remote_tranche, "GidAuthority");
		LWLockRegisterTranche(gid_header->dsa_tranche, "GidDSA");
		gid_area = dsa_attach_in_place(place, NULL);
		dsa_pin_mapping(gid_area);
	}
	gid_slots = dsa_get_address(gid_area, gid_header->slots);
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
	int			number = gid_my_proc_number();
	GidSlot    *slot;

	if (gid_slots == NULL)
		gid_shmem_open_with_hint();

	if (number < 0 || number >= gid_header->nslots)
		elog(ERROR, "process number %d has no slot", number);

	slot = &gid_slots[number].slot;
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

/* Address of something in the DSA area; this backend must be attached. */
void *
gid_shmem_address(dsa_pointer pointer)
{
	return dsa_get_address(gid_area, pointer);
}

/* The slot of a number, 0 to nslots - 1; this backend must be attached. */
GidSlot *
gid_shmem_slot(int number)
{
	return &gid_slots[number].slot;
}
