/*-------------------------------------------------------------------------
 *
 * sequence/block.h
 *		Blocks of reserved values in shared memory.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_BLOCK_H
#define GID_SEQUENCE_BLOCK_H

#include "access/xlogdefs.h"

#include "base/bits.h"
#include "base/claim.h"
#include "sequence/page.h"

/*
 * The state of an entry, one word:
 *
 *	63                       24   23  22                       0
 *	| generation (40)         | U (1) | values taken (23)      |
 *
 * The generation counts the blocks that the entry has had.  The block in use
 * is blocks[generation & 1].  U: the synchronous standbys have not confirmed
 * the block's record.  The path of an id does not look at U.  It reads bits 23
 * to 0 as the number of values taken, finds that number above the size of any
 * block, and so takes no value.
 */
#define GID_BLOCK_TAKEN_BITS	24
#define GID_BLOCK_UNCONFIRMED	(UINT64CONST(1) << (GID_BLOCK_TAKEN_BITS - 1))
#define GID_BLOCK_MAX_SIZE		((int64) GID_MASK(GID_BLOCK_TAKEN_BITS - 1))

/*
 * The size of a block, its low-water mark and its issuer, one word:
 *
 *	63          48 47                24 23                  0
 *	| issuer (16) | mark (24)          | size (24)           |
 *
 * The backend that brings the number of values taken to the mark writes the
 * next block ahead.  0: no backend does.
 */
#define GID_BLOCK_MARK_SHIFT	GID_BLOCK_TAKEN_BITS
#define GID_BLOCK_ISSUER_SHIFT	(2 * GID_BLOCK_TAKEN_BITS)
#define GID_BLOCK_MARK(size) \
	((size) >> GID_BLOCK_MARK_SHIFT & GID_MASK(GID_BLOCK_TAKEN_BITS))

/* Blocks up to this size have their mark at the last value, or none. */
#define GID_BLOCK_SMALL			7

/* A value that was taken, and its issuer: 0 for the sequence itself. */
typedef struct GidValue
{
	int64		value;
	uint32		issuer;
} GidValue;

/*
 * The values first, first + increment, ...  The block is written before the
 * generation that puts it into use.
 */
typedef struct GidBlock
{
	pg_atomic_uint64 first;		/* int64; claim */
	pg_atomic_uint64 increment; /* int64; claim */
	pg_atomic_uint64 size;		/* see above; claim */
} GidBlock;

/*
 * The blocks of a sequence, its entry in sequence/entry.c.  The members that
 * the path of an id touches come first and fit into 64 bytes, a cache line of
 * most processors.  An entry begins at a multiple of
 * PG_CACHE_LINE_SIZE, so no line has the states of two entries.  "claim": the
 * holder of the claim writes it.
 */
typedef struct GidBlockEntry
{
	pg_atomic_uint64 state;		/* see above; CAS by whoever takes a value, a
								 * new generation by the claim's holder */
	pg_atomic_uint64 owner;		/* number of the owner, see sequence/entry.c;
								 * claim and the table's lock */
	GidBlock	blocks[2];		/* in use, and the block before or after */
	pg_atomic_uint64 lsn[2];	/* XLogRecPtr: end of the record of each
								 * block; claim */
	GidClaim	claim;			/* see GidClaim */
	pg_atomic_uint32 stalled;	/* 1 while the claim's holder waits for
								 * standbys; claim */
	bool		ahead;			/* the other block is the next one; claim */
	GidHistory	history;		/* claim */
	GidPageMark mark;			/* of the sequence's page; see GidPageMark */
	pg_atomic_uint64 reservations;	/* claim */
	pg_atomic_uint64 prefetched;	/* of these, written ahead; claim */
	pg_atomic_uint64 waits;		/* times that a caller slept; fetch_add */
} GidBlockEntry;

StaticAssertDecl(offsetof(GidBlockEntry, lsn) <= 64,
				 "the path of an id touches one cache line");

/* What comes of an attempt to take a value. */
typedef enum GidBlockTake
{
	GID_BLOCK_NONE,				/* no value left, or another owner */
	GID_BLOCK_TAKEN,
	GID_BLOCK_TAKEN_LOW,		/* taken, and the next block is due */
	GID_BLOCK_RETRY				/* the state has changed meanwhile */
} GidBlockTake;

extern void gid_block_init(GidBlockEntry *entry);
extern void gid_block_wait(GidBlockEntry *entry);
extern bool gid_block_is_low(GidBlockEntry *entry, int64 *left);
extern void gid_block_fill(GidBlockEntry *entry, const GidReserved *reserved,
						   int64 increment, uint32 issuer, XLogRecPtr lsn, bool early);
extern XLogRecPtr gid_block_next_lsn(GidBlockEntry *entry);
extern GidValue gid_block_open(GidBlockEntry *entry, bool confirmed,
							   uint64 *state);
extern GidBlockTake gid_block_take_unconfirmed(GidBlockEntry *entry, uint64 owner,
											   GidValue *value);
extern uint64 gid_block_state(GidBlockEntry *entry, uint64 owner,
							  XLogRecPtr *lsn);
extern void gid_block_confirm(GidBlockEntry *entry, uint64 seen);
extern uint64 gid_block_lose(GidBlockEntry *entry, uint64 seen);
extern void gid_block_drop_before(GidBlockEntry *entry, XLogRecPtr valid_from);
extern void gid_block_drop_next(GidBlockEntry *entry);
extern void gid_block_end(GidBlockEntry *entry);

/* How many values a state says are taken. */
static inline uint64
gid_block_taken(uint64 state)
{
	return state & GID_MASK(GID_BLOCK_TAKEN_BITS - 1);
}

/* The number of values of a block, taken or not. */
static inline int64
gid_block_size(GidBlock *block)
{
	return (int64) (pg_atomic_read_u64(&block->size) & GID_MASK(GID_BLOCK_TAKEN_BITS));
}

/*
 * Try once to take the value after "taken" others of the block that *state
 * names.  RETRY: another session was faster, and *state is the new state.
 *
 * The members that are read before the CAS belong to the generation in *state,
 * because a block is written only while another generation is in use.  If the
 * generation has changed in the meantime, the CAS fails.
 */
static inline GidBlockTake
gid_block_take_at(GidBlockEntry *entry, uint64 owner, uint64 *state,
				  uint64 taken, GidValue *value)
{
	GidBlock   *block = &entry->blocks[(*state >> GID_BLOCK_TAKEN_BITS) & 1];
	uint64		size;

	pg_read_barrier();
	if (unlikely(pg_atomic_read_u64(&entry->owner) != owner))
		return GID_BLOCK_NONE;
	size = pg_atomic_read_u64(&block->size);
	if (unlikely(taken >= (size & GID_MASK(GID_BLOCK_TAKEN_BITS))))
		return GID_BLOCK_NONE;
	value->value = (int64) (pg_atomic_read_u64(&block->first) +
							taken * pg_atomic_read_u64(&block->increment));
	value->issuer = (uint32) (size >> GID_BLOCK_ISSUER_SHIFT);
	if (likely(pg_atomic_compare_exchange_u64(&entry->state, state, *state + 1)))
		return unlikely(taken + 1 == GID_BLOCK_MARK(size)) ?
			GID_BLOCK_TAKEN_LOW : GID_BLOCK_TAKEN;
	return GID_BLOCK_RETRY;
}

/*
 * Take the next value of an entry.  NONE when the entry is no longer the
 * owner's, or has no value left that any session may take.  Lock-free.
 */
static inline GidBlockTake
gid_block_take(GidBlockEntry *entry, uint64 owner, GidValue *value)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	GidBlockTake take;

	do
	{
		take = gid_block_take_at(entry, owner, &state,
								 state & GID_MASK(GID_BLOCK_TAKEN_BITS), value);
	} while (unlikely(take == GID_BLOCK_RETRY));
	return take;
}

#endif							/* GID_SEQUENCE_BLOCK_H */
