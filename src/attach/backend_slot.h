/*-------------------------------------------------------------------------
 *
 * attach/backend_slot.h
 *		What each backend tells the others of the ids that it makes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ATTACH_BACKEND_SLOT_H
#define GID_ATTACH_BACKEND_SLOT_H

#include "port/atomics.h"

#include "attach/attach.h"

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

extern const GidPart gid_slot_part;
extern GidSlot *gid_slot;

extern int	gid_slot_number(void);
extern GidSlot *gid_slot_of(int number);

/*
 * This backend's slot.  The first call attaches to the shared memory: see
 * gid_attach().
 */
static inline GidSlot *
gid_slot_mine(void)
{
	if (unlikely(gid_slot == NULL))
		gid_attach();
	return gid_slot;
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

#endif							/* GID_ATTACH_BACKEND_SLOT_H */
