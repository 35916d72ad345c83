/*-------------------------------------------------------------------------
 *
 * attach/backend_slot.h
 *		The backends' slots: what each backend shows of the ids that it makes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ATTACH_BACKEND_SLOT_H
#define GID_ATTACH_BACKEND_SLOT_H

#include "attach/attach.h"
#include "layout/time_word.h"

/*
 * The families that count what they issue.  A family that follows the clock
 * has the number of its word (layout/time_word.h).  The others, with their
 * names in the views, are these.
 */
#define GID_FAMILIES(FAMILY) \
	FAMILY(DECIMAL, "decimal_id") \
	FAMILY(NEXT, "next") \
	FAMILY(GDID, "gdid") \
	FAMILY(CODE, "code")

typedef enum GidFamily
{
	GID_FAMILY_LAST_WORD = GID_NWORDS - 1,
#define GID_FAMILY_ENUM(id, name) GID_FAMILY_##id,
	GID_FAMILIES(GID_FAMILY_ENUM)
	GID_NFAMILIES
} GidFamily;

/*
 * A backend's slot.  Only its own backend writes the members, with plain
 * stores.  Other processes may read a member at any time.  They see each
 * member as it was at some moment.
 */
typedef struct GidSlot
{
	pg_atomic_uint32 pid;		/* 0: the slot is free; own backend */
	pg_atomic_uint32 role;		/* OID of the backend's role; own backend */
	pg_atomic_uint64 issued[GID_NFAMILIES]; /* number of ids since the
											 * connection began; own backend */
	pg_atomic_uint64 last[GID_NFAMILIES];	/* of the last id the word, or the
											 * value of a sequence; own
											 * backend */
} GidSlot;

typedef union GidSlotPadded
{
	GidSlot		slot;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidSlot))];
} GidSlotPadded;

extern const GidPart gid_slot_part;
extern GidSlot *gid_slot;

extern GidSlot *gid_slot_of(int number);

/*
 * Return this backend's slot.  The first call attaches to the shared memory:
 * see gid_attach() for the errors.
 */
static inline GidSlot *
gid_slot_mine(void)
{
	if (unlikely(gid_slot == NULL))
		gid_attach();
	return gid_slot;
}

/*
 * Note in this backend's slot that it issued an id, with its word.  "family"
 * is a GidWordId or a GidFamily.
 */
static inline void
gid_slot_count(GidSlot *slot, int family, uint64 word)
{
	pg_atomic_write_u64(&slot->last[family], word);
	pg_write_barrier();			/* a view reads them in the other order */
	pg_atomic_write_u64(&slot->issued[family],
						pg_atomic_read_u64(&slot->issued[family]) + 1);
}

#endif							/* GID_ATTACH_BACKEND_SLOT_H */
