/*-------------------------------------------------------------------------
 *
 * sequence/block.c
 *		The blocks of reserved values of one sequence.
 *
 * All backends take values from the block in use.  The other block of the
 * entry is the next block, if it was reserved ahead.  sequence/draw.c reserves
 * the blocks.
 *
 * State: a GidBlockEntry in shared memory.
 *
 * Invariants:
 * 1. A backend takes a value by a CAS of the entry's state, which names the
 *	  generation of the block.  So no two backends take the same value, and
 *	  none takes a value of a block that is no longer in use.
 * 2. The block that is not in use is written first, then the generation is
 *	  raised.  The holder of the entry's claim does both.
 * 3. A block whose record the synchronous standbys have not confirmed is
 *	  marked as unconfirmed in the state.  A CAS of the same generation removes
 *	  the mark when they have confirmed the record.  Until then only sessions
 *	  that ask for no confirmation take values.
 * 4. A block is lost, for all sessions, by a CAS that sets the number of its
 *	  values taken to the greatest number.
 * 5. A block is also lost when the record of a setval() or nextval() has
 *	  overtaken its own (GidPageMark).  Blocks are reserved one after the
 *	  other, so once a transaction has found the block in use valid, no later
 *	  block was overtaken before.
 *
 * A crash wipes the shared memory.  The values that were left in the blocks
 * are lost, since the sequence's page is beyond them.  A clock step changes
 * nothing.  A standby has no blocks.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "base/compat.h"
#include "sequence/block.h"
#include "sequence/standbys.h"

/* Set up an entry that never had an owner. */
void
gid_block_init(GidBlockEntry *entry)
{
	memset(entry, 0, sizeof(*entry));
	pg_atomic_init_u64(&entry->state, 0);
	pg_atomic_init_u64(&entry->owner, 0);
	for (int i = 0; i < (int) lengthof(entry->blocks); i++)
	{
		pg_atomic_init_u64(&entry->blocks[i].first, 0);
		pg_atomic_init_u64(&entry->blocks[i].increment, 0);
		pg_atomic_init_u64(&entry->blocks[i].size, 0);
		pg_atomic_init_u64(&entry->lsn[i], InvalidXLogRecPtr);
	}
	pg_atomic_init_u64(&entry->reservations, 0);
	pg_atomic_init_u64(&entry->prefetched, 0);
	pg_atomic_init_u64(&entry->waits, 0);
	gid_page_init_mark(&entry->mark);
	pg_atomic_init_u32(&entry->stalled, 0);
	gid_claim_init(&entry->claim);
}

/*
 * Sleep until no backend has the entry's claim; interruptible.  If the holder
 * waits for standbys, this session counts as waiting for them.  Such a wait
 * may be long, so the session ends (08006) if its client is gone.
 */
void
gid_block_wait(GidBlockEntry *entry)
{
	static uint32 wait_event = 0;
	TimestampTz since = GetCurrentTimestamp();

	pg_atomic_fetch_add_u64(&entry->waits, 1);
	PG_TRY();
	{
		for (;;)
		{
			if (pg_atomic_read_u32(&entry->stalled) != 0)
				gid_standbys_begin_wait(since);
			if (gid_claim_wait_for(&entry->claim, GID_STANDBYS_CLIENT_MS,
								   gid_wait_event(&wait_event, "GidBlock")))
				break;
			gid_standbys_check_client();
		}
	}
	PG_FINALLY();
	{
		gid_standbys_end_wait(false);
	}
	PG_END_TRY();
}

/*
 * The number, in the entry, of the block that is not in use.  *next_state is
 * the entry's state when that block comes into use, with no value taken.
 */
static int
gid_block_other(GidBlockEntry *entry, uint64 *next_state)
{
	uint64		generation = pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS;

	*next_state = (generation + 1) << GID_BLOCK_TAKEN_BITS;
	return (generation + 1) & 1;
}

/*
 * Has the block in use come to its low-water mark?  *left is how many of its
 * values are left.
 */
bool
gid_block_is_low(GidBlockEntry *entry, int64 *left)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	GidBlock   *block = &entry->blocks[(state >> GID_BLOCK_TAKEN_BITS) & 1];
	uint64		taken = gid_block_taken(state);
	uint64		mark = GID_BLOCK_MARK(pg_atomic_read_u64(&block->size));

	*left = Max(gid_block_size(block) - (int64) taken, 0);
	return mark > 0 && taken >= mark;
}

/*
 * Write "reserved" values, and the end of their record, into the block that is
 * not in use.  The next block is due when less than a quarter of the values is
 * left; if "early", when less than three quarters are.  A small block has its
 * mark at the last value, unless another server reserves the next one.  The
 * caller has the claim.
 */
void
gid_block_fill(GidBlockEntry *entry, const GidReserved *reserved,
			   int64 increment, uint32 issuer, XLogRecPtr lsn, bool early)
{
	uint64		state;
	int			other = gid_block_other(entry, &state);
	GidBlock   *block = &entry->blocks[other];
	uint64		size = (uint64) reserved->count;
	uint64		mark = 0;

	Assert(size >= 1 && size <= GID_BLOCK_MAX_SIZE);
	/* the mark is the first value that leaves less than that part */
	if (size > GID_BLOCK_SMALL)
		mark = size - (early ? 3 : 1) * (size - 1) / 4;
	else if (size > 1 && !XLogRecPtrIsInvalid(lsn))
		mark = size;
	pg_atomic_write_u64(&block->first, (uint64) reserved->first);
	pg_atomic_write_u64(&block->increment, (uint64) increment);
	pg_atomic_write_u64(&block->size, size | mark << GID_BLOCK_MARK_SHIFT |
						(uint64) issuer << GID_BLOCK_ISSUER_SHIFT);
	pg_atomic_write_u64(&entry->lsn[other], lsn);
}

/* The end of the record of the filled block.  The caller has the claim. */
XLogRecPtr
gid_block_next_lsn(GidBlockEntry *entry)
{
	uint64		state;

	return pg_atomic_read_u64(&entry->lsn[gid_block_other(entry, &state)]);
}

/*
 * Put the filled block into use, and take its first value.  *state is the
 * argument for gid_block_confirm() and gid_block_lose().  The caller has the
 * claim, calls gid_page_end_block() before it releases the claim, and the
 * reservation is on disk.
 */
GidValue
gid_block_open(GidBlockEntry *entry, bool confirmed, uint64 *state)
{
	GidBlock   *block = &entry->blocks[gid_block_other(entry, state)];
	GidValue	first;

	first.value = (int64) pg_atomic_read_u64(&block->first);
	first.issuer = (uint32) (pg_atomic_read_u64(&block->size) >> GID_BLOCK_ISSUER_SHIFT);

	/* between the two others would find no value left */
	gid_page_begin_block(&entry->mark, first.value);
	entry->ahead = false;
	if (!confirmed)
		*state |= GID_BLOCK_UNCONFIRMED;
	/* the exchange is a barrier: others see the block before its generation */
	(void) pg_atomic_exchange_u64(&entry->state, *state + 1);
	return first;
}

/*
 * The state of an entry.  *lsn is the end of the record of the block in use.
 * Returns 0 when the entry is not the owner's or no value is left.
 */
uint64
gid_block_state(GidBlockEntry *entry, uint64 owner, XLogRecPtr *lsn)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	int			number = (state >> GID_BLOCK_TAKEN_BITS) & 1;
	int64		size;

	pg_read_barrier();
	size = gid_block_size(&entry->blocks[number]);
	*lsn = pg_atomic_read_u64(&entry->lsn[number]);
	pg_read_barrier();
	if (pg_atomic_read_u64(&entry->owner) != owner ||
		(pg_atomic_read_u64(&entry->state) ^ state) >> GID_BLOCK_TAKEN_BITS != 0 ||
		(int64) gid_block_taken(state) >= size)
		return 0;
	return state;
}

/*
 * gid_block_take() from a block that is marked as unconfirmed, for a session
 * that asks for no confirmation.
 */
GidBlockTake
gid_block_take_unconfirmed(GidBlockEntry *entry, uint64 owner, GidValue *value)
{
	uint64		state = pg_atomic_read_u64(&entry->state);

	while (state & GID_BLOCK_UNCONFIRMED)
	{
		GidBlockTake take = gid_block_take_at(entry, owner, &state,
											  gid_block_taken(state), value);

		if (take != GID_BLOCK_RETRY)
			return take;
	}
	return GID_BLOCK_NONE;
}

/*
 * The standbys have confirmed the block that was in use at state "seen".  Any
 * session may take its values from now on.  Does nothing when another block is
 * in use.  Lock-free.
 */
void
gid_block_confirm(GidBlockEntry *entry, uint64 seen)
{
	uint64		state = pg_atomic_read_u64(&entry->state);

	while ((state ^ seen) >> GID_BLOCK_TAKEN_BITS == 0 &&
		   !pg_atomic_compare_exchange_u64(&entry->state, &state,
										   state & ~GID_BLOCK_UNCONFIRMED))
		;
}

/*
 * Lose the block that was in use at state "seen".  No session takes a value of
 * it any more.  Does nothing when another block is in use.  Returns the state
 * before.  Lock-free.
 */
uint64
gid_block_lose(GidBlockEntry *entry, uint64 seen)
{
	uint64		state = pg_atomic_read_u64(&entry->state);

	while ((state ^ seen) >> GID_BLOCK_TAKEN_BITS == 0 &&
		   !pg_atomic_compare_exchange_u64(&entry->state, &state,
										   state | GID_MASK(GID_BLOCK_TAKEN_BITS)))
		;
	return state;
}

/*
 * Lose the filled block that is not in use yet.  Its values do not count for
 * the size of the next block.  The caller has the claim.
 */
void
gid_block_drop_next(GidBlockEntry *entry)
{
	uint64		state;
	GidBlock   *other = &entry->blocks[gid_block_other(entry, &state)];

	entry->ahead = false;
	gid_reserve_lose(&entry->history, 0, gid_block_size(other));
}

/*
 * Lose the blocks whose records end before "valid_from".  The values that are
 * left in them do not count for the size of the next block.  The caller has
 * the claim.
 */
void
gid_block_drop_before(GidBlockEntry *entry, XLogRecPtr valid_from)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	int			number = (state >> GID_BLOCK_TAKEN_BITS) & 1;
	int			back = entry->ahead ? 1 : 0;

	if (entry->ahead && pg_atomic_read_u64(&entry->lsn[1 - number]) < valid_from)
		gid_block_drop_next(entry);
	if (pg_atomic_read_u64(&entry->lsn[number]) < valid_from)
	{
		int64		size = gid_block_size(&entry->blocks[number]);

		state = gid_block_lose(entry, state);
		gid_reserve_lose(&entry->history, back,
						 Max(size - (int64) gid_block_taken(state), 0));
	}
}

/* Put an empty block into use, and no next one.  The caller has the claim. */
void
gid_block_end(GidBlockEntry *entry)
{
	uint64		state;
	GidBlock   *block = &entry->blocks[gid_block_other(entry, &state)];

	entry->ahead = false;
	pg_atomic_write_u64(&block->size, 0);
	(void) pg_atomic_exchange_u64(&entry->state, state);
}
