/*-------------------------------------------------------------------------
 *
 * gid_shmem.h
 *		Shared memory: the header, the backend slots, the parts.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SHMEM_H
#define GID_SHMEM_H

#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/lwlock.h"

#include "gid_block.h"
#include "gid_claim.h"
#include "gid_layout.h"
#include "gid_pace.h"

/* The families that count what they issue, in the order of the README. */
typedef enum GidFamily
{
	GID_FAMILY_V7,
	GID_FAMILY_SEQUENTIAL,
	GID_FAMILY_SHARD,
	GID_FAMILY_TRACE,
	GID_FAMILY_DECIMAL,
	GID_FAMILY_NEXT,
	GID_FAMILY_GDID,
	GID_FAMILY_CODE
} GidFamily;

#define GID_NFAMILIES		(GID_FAMILY_CODE + 1)

/*
 * A growing word, alone on its cache line.  gid_clock.c, gid_bound.c and
 * gid_leave.c own the rules.
 */
typedef struct GidWord
{
	pg_atomic_uint64 last;		/* last value issued; moved by CAS, only up */
	pg_atomic_uint64 gate;		/* values from here on take the slow path;
								 * never above limit; plain stores */
	pg_atomic_uint64 limit;		/* the durable bound, first value not to be
								 * issued; written by the holder of
								 * GidClock.mover */
	pg_atomic_uint64 lead_us;	/* of the server's time over the wall clock,
								 * when it was last looked at; plain stores */
	pg_atomic_uint64 waits;		/* times a caller slept; fetch_add */
} GidWord;

typedef union GidWordPadded
{
	GidWord		word;
	char		pad[PG_CACHE_LINE_SIZE];
} GidWordPadded;

/* What all words share; gid_clock.c, gid_bound.c, gid_leave.c own the rules. */
typedef struct GidClock
{
	pg_atomic_uint32 ready;		/* words started; set once, by the mover */
	GidClaim	mover;			/* to read and write gid.clock; see GidClaim */
	pg_atomic_uint32 attached;	/* backends attached, each from its attach to
								 * its exit; fetch_add */
	pg_atomic_uint32 leaver;	/* 1 while the last backend out works; CAS */
	pg_atomic_uint64 offset_us; /* int64: greatest wall minus slow time seen;
								 * CAS, only up */
	pg_atomic_uint64 bound_us;	/* int64: the durable bound since the Unix
								 * epoch; 0: gid.clock holds the words
								 * themselves; written by the mover */
	pg_atomic_uint64 wall_offset_us;	/* int64: wall minus monotonic clock
										 * when they were last looked at;
										 * exchange */
	pg_atomic_uint64 wall_offset_max_us;	/* the greatest of these; CAS,
											 * only up */
	pg_atomic_uint64 steps_back;	/* times that wall_offset_us went down;
									 * fetch_add */
	pg_atomic_uint64 next_log_us;	/* monotonic time of the next line about
									 * the lead; CAS */
	pg_atomic_uint64 next_try_us;	/* monotonic time before which a failed
									 * move ahead is not tried again; written
									 * by the mover */
	pg_atomic_uint64 next_leave_log_us; /* monotonic time of the next line
										 * about a failed write of the last
										 * backend out; CAS */
	bool		killed;			/* the lead at the start came of a stop that
								 * kills; written by the mover before ready */
	int64		start_lead_us;	/* lead at the start; written by the mover
								 * before ready */
	uint64		shard_start;	/* the shard word at the start, which no id
								 * has; written by the mover before ready */
	bool		file_read;		/* file_words are what gid.clock held when the
								 * server started; written by the mover */
	uint64		file_words[GID_NWORDS]; /* see file_read; written by the mover */
	uint64		system_identifier;	/* of this cluster; written by the mover
									 * before ready */
} GidClock;

/* The lease table; gid_lease.c owns the rules. */
typedef struct GidLeaseTable
{
	LWLock		lock;			/* protects stamp and GID_PART_LEASES */
	uint64		stamp;			/* number of leases returned; lock */
	int			size;			/* entries; constant */
} GidLeaseTable;

/*
 * The version of the library that owns the shared memory.  Its name in shared
 * memory and its size are the same in all versions from 1.1 on.
 */
#define GID_VERSION				"1.1"

typedef union GidVersion
{
	char		name[32];		/* GID_VERSION; AddinShmemInitLock */
	char		pad[256];
} GidVersion;

/* What is as large as the server needs it, in arrays behind the header. */
typedef enum GidPart
{
	GID_PART_SLOTS,				/* GidSlotPadded[] */
	GID_PART_LEASES,			/* GidLease[] */
	GID_PART_BLOCK_ROWS,		/* GidBlockRow[] */
	GID_PART_BLOCK_ENTRIES,		/* GidBlockEntryPadded[] */
	GID_PART_FAILURES			/* GidFailure[] */
} GidPart;

#define GID_NPARTS			(GID_PART_FAILURES + 1)

typedef struct GidHeader
{
	GidWordPadded words[GID_NWORDS];	/* see GidWord */
	GidClock	clock;			/* see GidClock */
	GidLeaseTable leases;		/* see GidLeaseTable */
	pg_atomic_uint64 fronts[GID_PACE_FRONTS];	/* of DecimalIds, see
												 * gid_pace.h; plain stores */
	GidBlockTable blocks;		/* see GidBlockTable */
	uint8		process[GID_PROCESS_BYTES]; /* process id of sequential ids;
											 * constant */
	uint8		generator[GID_GENERATOR_BYTES]; /* of shard-key UUIDs;
												 * constant */
	uint32		shard_counter;	/* where it starts, 24 bits; constant */
	LWLock		failure_lock;	/* protects GID_PART_FAILURES */
	bool		complete;		/* all is set up; AddinShmemInitLock */
	int			lease_tranche;	/* constant */
	int			block_tranche;	/* constant */
	int			failure_tranche;	/* constant */
	dsm_handle	segment;		/* that holds the parts; DSM_HANDLE_INVALID
								 * when they follow the header; constant */
	int			nslots;			/* MaxBackends; constant */
} GidHeader;

/*
 * A backend's slot.  Only its backend writes it; others may read any member at
 * any time, and see each as it was at some moment.
 */
typedef struct GidSlot
{
	pg_atomic_uint32 pid;		/* 0: nobody */
	pg_atomic_uint32 role;
	pg_atomic_uint32 generator; /* DecimalId generator number + 1, 0: none */
	pg_atomic_uint64 issued[GID_NFAMILIES]; /* ids since the connection began */
	pg_atomic_uint64 last[GID_NFAMILIES];	/* the word behind the last id;
											 * the counter for a DecimalId,
											 * the value of a sequence */
} GidSlot;

typedef union GidSlotPadded
{
	GidSlot		slot;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidSlot))];
} GidSlotPadded;

extern GidHeader *gid_header;
extern GidSlot *gid_slot;

extern void gid_shmem_init_preload(void);
extern void gid_shmem_attach(void);
extern void *gid_shmem_part(GidPart part);
extern GidSlot *gid_shmem_slot(int number);

/*
 * This backend's slot; the first call attaches to the shared memory.  May
 * raise 53200 when there is no room for it.
 */
static inline GidSlot *
gid_shmem_my_slot(void)
{
	if (unlikely(gid_slot == NULL))
		gid_shmem_attach();
	return gid_slot;
}

/* The header; the first call attaches as gid_shmem_my_slot() does. */
static inline GidHeader *
gid_shmem_header(void)
{
	(void) gid_shmem_my_slot();
	return gid_header;
}

/* Note in this backend's slot that it issued an id, with its word. */
static inline void
gid_slot_count(GidSlot *slot, GidFamily family, uint64 word)
{
	pg_atomic_write_u64(&slot->last[family], word);
	pg_write_barrier();			/* a view reads them the other way round */
	pg_atomic_write_u64(&slot->issued[family],
						pg_atomic_read_u64(&slot->issued[family]) + 1);
}

#endif							/* GID_SHMEM_H */
