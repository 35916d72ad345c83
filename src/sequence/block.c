/*-------------------------------------------------------------------------
 *
 * sequence/block.c
 *		Blocks of reserved values in shared memory.
 *
 * A sequence that values are drawn from has an entry here, with the block of
 * values that all backends take from and, when that runs low, the next one.
 * What reserves the blocks is sequence/draw.c.
 *
 * State: GidBlockTable in the header, its rows and entries behind the header.
 *
 * Invariants:
 * 1. A value is taken by a CAS of the entry's state, which names the
 *	  generation of the block; so no two backends take the same one, and none
 *	  takes a value of a block that is no longer in use.
 * 2. The block that is not in use is written, then the generation is raised;
 *	  both by the holder of the entry's claim.
 * 3. For a (database, sequence, file, source) there is one entry at most, so
 *	  that there is one block in use, and its values are taken in order.
 * 4. An entry gets another owner under the table's lock and its claim: first
 *	  the generation is raised to an empty block, then the owner is changed,
 *	  and only then a block of the new owner can be opened.  So who finds its
 *	  owner there after it has read the state has read a block of its own.
 * 5. Entries are never freed: a pointer to one always points to one.
 * 6. A block whose record the synchronous standbys have not confirmed is
 *	  marked as unconfirmed in the state.  The mark goes when they have, by a
 *	  CAS of the same generation.  Until then only sessions take values that
 *	  ask for no confirmation.  A block is lost, for all sessions, by a CAS
 *	  that sets the number of its values taken to the greatest number.
 * 7. A block whose record was overtaken by a setval() or nextval()
 *	  (GidPageMark) is lost, too.  Blocks are reserved one after the other; so
 *	  a transaction that has found the block in use to be valid finds no block
 *	  after it that was overtaken before.
 *
 * The table's lock is held for one pass over the rows, never across I/O, a
 * wait or an error.  A crash wipes the table: what was left of the blocks is
 * lost, since the sequences' pages are beyond them.  Restart and promotion
 * begin with an empty table.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "sequence/block.h"

static GidBlockTable *gid_blocks = NULL;

static Size
gid_block_size_of_table(void)
{
	return sizeof(GidBlockTable);
}

/*
 * Set up the table.  An entry and its row are set up when they get their first
 * owner, so that memory which is not needed is not touched.
 */
static void
gid_block_init(void *part, int tranche)
{
	GidBlockTable *table = part;

	LWLockInitialize(&table->lock, tranche);
	table->n = 0;
	table->owners = 0;
	pg_atomic_init_u64(&table->used, 0);
}

const GidPart gid_block_part = {
	.lock_name = "GidBlock",
	.size = gid_block_size_of_table,
	.init = gid_block_init,
	.where = (void **) &gid_blocks,
};

/* The table; the first call attaches. */
static GidBlockTable *
gid_block_table(void)
{
	(void) gid_slot_mine();
	return gid_blocks;
}

static GidBlockRow *
gid_block_rows(void)
{
	return gid_block_table()->rows;
}

static GidBlockEntryPadded *
gid_block_entries(void)
{
	return gid_block_table()->entries;
}

/* Note that an entry is used now. */
void
gid_block_touch(GidBlockEntry *entry)
{
	GidBlockTable *table = gid_block_table();
	int			number = (GidBlockEntryPadded *) entry - gid_block_entries();

	pg_atomic_write_u64(&gid_block_rows()[number].used,
						pg_atomic_add_fetch_u64(&table->used, 1));
}

/* Sleep until nobody has the entry's claim; interruptible. */
void
gid_block_wait(GidBlockEntry *entry)
{
	static uint32 wait_event = 0;

	pg_atomic_fetch_add_u64(&entry->waits, 1);
	gid_claim_wait(&entry->claim, gid_wait_event(&wait_event, "GidBlock"));
}

/* How many values a state says are taken. */
static uint64
gid_block_taken(uint64 state)
{
	return state & GID_MASK(GID_BLOCK_TAKEN_BITS - 1);
}

static int64
gid_block_size(GidBlock *block)
{
	return (int64) (pg_atomic_read_u64(&block->size) & GID_MASK(GID_BLOCK_TAKEN_BITS));
}

/* The block that the entry's generation does not name. */
static GidBlock *
gid_block_other(GidBlockEntry *entry, uint64 *next_state)
{
	uint64		generation = pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS;

	*next_state = (generation + 1) << GID_BLOCK_TAKEN_BITS;
	return &entry->blocks[(generation + 1) & 1];
}

/*
 * How many values are left in the block in use, and are they below its
 * low-water mark?
 */
bool
gid_block_is_low(GidBlockEntry *entry, int64 *left)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	GidBlock   *block = &entry->blocks[(state >> GID_BLOCK_TAKEN_BITS) & 1];
	uint64		size = pg_atomic_read_u64(&block->size);
	uint64		taken = gid_block_taken(state);
	uint64		mark = gid_block_mark(size);

	*left = Max((int64) ((size & GID_MASK(GID_BLOCK_TAKEN_BITS)) - taken), 0);
	return mark > 0 && taken >= mark;
}

/*
 * Write reserved values, and the end of their record, into the block that is
 * not in use.  The caller has the claim.
 */
void
gid_block_fill(GidBlockEntry *entry, const GidReserved *reserved,
			   int64 increment, uint32 issuer, XLogRecPtr lsn)
{
	uint64		state;
	GidBlock   *block = gid_block_other(entry, &state);
	uint64		size = (uint64) reserved->count;
	uint64		mark = 0;

	Assert(size >= 1 && size <= GID_BLOCK_MAX_SIZE);
	/* the first value that leaves less than a quarter */
	if (size > GID_BLOCK_SMALL)
		mark = size - (size - 1) / 4;
	pg_atomic_write_u64(&block->first, (uint64) reserved->first);
	pg_atomic_write_u64(&block->increment, (uint64) increment);
	pg_atomic_write_u64(&block->size, size | mark << GID_BLOCK_MARK_SHIFT |
						(uint64) issuer << GID_BLOCK_ISSUER_SHIFT);
	pg_atomic_write_u64(&block->lsn, lsn);
}

/* The end of the record of the block that was filled.  The caller has the claim. */
XLogRecPtr
gid_block_next_lsn(GidBlockEntry *entry)
{
	uint64		state;

	return pg_atomic_read_u64(&gid_block_other(entry, &state)->lsn);
}

/*
 * Put the block that was filled into use, and take its first value.  *state is
 * what gid_block_confirm() and gid_block_lose() want to see.  The caller has
 * the claim, and the reservation is on disk.
 */
GidValue
gid_block_open(GidBlockEntry *entry, bool confirmed, uint64 *state)
{
	GidBlock   *block = gid_block_other(entry, state);
	GidValue	first;

	first.value = (int64) pg_atomic_read_u64(&block->first);
	first.issuer = (uint32) (pg_atomic_read_u64(&block->size) >> GID_BLOCK_ISSUER_SHIFT);

	entry->ahead = false;
	if (!confirmed)
		*state |= GID_BLOCK_UNCONFIRMED;
	/* a barrier, too: the block is to be seen before its generation */
	(void) pg_atomic_exchange_u64(&entry->state, *state + 1);
	return first;
}

/*
 * The state of an entry, and the end of the record of the block in use; 0 when
 * the entry is not the owner's or no value is left.
 */
uint64
gid_block_state(GidBlockEntry *entry, uint64 owner, XLogRecPtr *lsn)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	GidBlock   *block = &entry->blocks[(state >> GID_BLOCK_TAKEN_BITS) & 1];
	uint64		size;

	pg_read_barrier();
	size = pg_atomic_read_u64(&block->size) & GID_MASK(GID_BLOCK_TAKEN_BITS);
	*lsn = pg_atomic_read_u64(&block->lsn);
	pg_read_barrier();
	if (pg_atomic_read_u64(&entry->owner) != owner ||
		(pg_atomic_read_u64(&entry->state) ^ state) >> GID_BLOCK_TAKEN_BITS != 0 ||
		gid_block_taken(state) >= size)
		return 0;
	return state;
}

/*
 * gid_block_take() for a session that asks for no confirmation: from a block
 * that is marked as unconfirmed.
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
 * Change the state of the block that was in use when "seen" was: take the mark
 * off, or set the number of its values taken to the greatest.  Does nothing
 * when another block is in use.  Returns the state before.  Lock-free.
 */
static uint64
gid_block_change(GidBlockEntry *entry, uint64 seen, bool lose)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	uint64		wanted;

	do
	{
		if ((state ^ seen) >> GID_BLOCK_TAKEN_BITS != 0)
			break;
		wanted = lose ? state | GID_MASK(GID_BLOCK_TAKEN_BITS) :
			state & ~GID_BLOCK_UNCONFIRMED;
	} while (!pg_atomic_compare_exchange_u64(&entry->state, &state, wanted));
	return state;
}

/* The standbys have confirmed the block: any session may take its values. */
void
gid_block_confirm(GidBlockEntry *entry, uint64 seen)
{
	(void) gid_block_change(entry, seen, false);
}

/* No session may take a value of the block any more. */
void
gid_block_lose(GidBlockEntry *entry, uint64 seen)
{
	(void) gid_block_change(entry, seen, true);
}

/*
 * Lose the blocks whose records end before "valid_from".  Their values that
 * were not drawn do not count for the size of the next block.  The caller has
 * the claim.
 */
void
gid_block_drop_before(GidBlockEntry *entry, XLogRecPtr valid_from)
{
	uint64		next;
	GidBlock   *other = gid_block_other(entry, &next);
	uint64		state = pg_atomic_read_u64(&entry->state);
	GidBlock   *block = &entry->blocks[(state >> GID_BLOCK_TAKEN_BITS) & 1];
	int			back = entry->ahead ? 1 : 0;

	if (entry->ahead && pg_atomic_read_u64(&other->lsn) < valid_from)
	{
		entry->ahead = false;
		gid_history_lose(&entry->history, 0, gid_block_size(other));
	}
	if (pg_atomic_read_u64(&block->lsn) < valid_from)
	{
		int64		size = gid_block_size(block);

		state = gid_block_change(entry, state, true);
		gid_history_lose(&entry->history, back,
						 Max(size - (int64) gid_block_taken(state), 0));
	}
}

/* Put an empty block into use.  The caller has the claim. */
void
gid_block_end(GidBlockEntry *entry)
{
	uint64		state;
	GidBlock   *block = gid_block_other(entry, &state);

	entry->ahead = false;
	pg_atomic_write_u64(&block->size, 0);
	(void) pg_atomic_exchange_u64(&entry->state, state);
}

/*
 * The row of a (database, sequence, file, source), or -1.  The caller has the
 * table's lock.
 */
static int
gid_block_search(const GidSequenceKey *key)
{
	GidBlockRow *rows = gid_block_rows();

	for (int i = 0; i < gid_block_table()->n; i++)
	{
		if (rows[i].key.sequence == key->sequence &&
			rows[i].key.relfilenumber == key->relfilenumber &&
			rows[i].key.source == key->source &&
			rows[i].key.database == key->database)
			return i;
	}
	return -1;
}

/*
 * Claim an entry for a new owner: one that had none, or the least recently
 * used of those that nobody has claimed; *busy, and any of them, when there is
 * none. The caller has the table's lock.
 */
static int
gid_block_claim_victim(bool *busy)
{
	GidBlockTable *table = gid_block_table();
	GidBlockRow *rows = gid_block_rows();
	GidBlockEntryPadded *entries = gid_block_entries();

	if (table->n < GID_BLOCK_ENTRIES)
	{
		GidBlockEntry *entry = &entries[table->n].entry;

		memset(entry, 0, sizeof(*entry));
		pg_atomic_init_u64(&rows[table->n].used, 0);
		pg_atomic_init_u64(&entry->state, 0);
		pg_atomic_init_u64(&entry->owner, 0);
		for (int i = 0; i < (int) lengthof(entry->blocks); i++)
		{
			pg_atomic_init_u64(&entry->blocks[i].first, 0);
			pg_atomic_init_u64(&entry->blocks[i].increment, 0);
			pg_atomic_init_u64(&entry->blocks[i].size, 0);
			pg_atomic_init_u64(&entry->blocks[i].lsn, InvalidXLogRecPtr);
		}
		pg_atomic_init_u64(&entry->reservations, 0);
		pg_atomic_init_u64(&entry->prefetched, 0);
		pg_atomic_init_u64(&entry->waits, 0);
		gid_page_init_mark(&entry->mark);
		gid_claim_init(&entry->claim);
		(void) gid_claim_try(&entry->claim);
		return table->n++;
	}
	for (;;)
	{
		int			best = -1;
		uint64		best_used = 0;

		for (int i = 0; i < GID_BLOCK_ENTRIES; i++)
		{
			uint64		used = pg_atomic_read_u64(&rows[i].used);

			if ((best < 0 || used < best_used) &&
				!gid_claim_is_taken(&entries[i].entry.claim))
			{
				best = i;
				best_used = used;
			}
		}
		*busy = best < 0;
		if (*busy)
			return 0;
		if (gid_claim_try(&entries[best].entry.claim))
			return best;
	}
}

/*
 * Give a claimed entry to a sequence and release it.  The caller has the
 * table's lock.
 */
static void
gid_block_assign(int number, const GidSequenceKey *key)
{
	GidBlockEntry *entry = &gid_block_entries()[number].entry;

	gid_block_end(entry);
	memset(&entry->history, 0, sizeof(entry->history));
	gid_page_init_mark(&entry->mark);
	pg_atomic_write_u64(&entry->reservations, 0);
	pg_atomic_write_u64(&entry->prefetched, 0);
	pg_atomic_write_u64(&entry->waits, 0);
	pg_write_barrier();
	pg_atomic_write_u64(&entry->owner, ++gid_block_table()->owners);
	gid_block_rows()[number].key = *key;
	gid_block_touch(entry);
	gid_claim_release(&entry->claim);
}

/*
 * The entry of a sequence; *owner is what gid_block_take() wants to see.  When
 * it has none one is given to it if "give", else NULL.  May wait,
 * interruptibly, for the claim of an entry: one that was the sequence's in
 * another life, or any when all are claimed.
 */
GidBlockEntry *
gid_block_find(const GidSequenceKey *key, bool give, uint64 *owner)
{
	GidBlockTable *table = gid_block_table();
	GidBlockEntryPadded *entries = gid_block_entries();
	LWLockMode	mode = LW_SHARED;

	for (;;)
	{
		GidBlockEntry *entry = NULL;
		bool		mine;
		bool		busy = false;
		int			number;

		LWLockAcquire(&table->lock, mode);
		number = gid_block_search(key);
		mine = number >= 0 &&
			memcmp(&gid_block_rows()[number].key, key, sizeof(*key)) == 0;
		if (!mine && mode == LW_EXCLUSIVE)
		{
			if (number < 0)
				number = gid_block_claim_victim(&busy);
			else
				busy = !gid_claim_try(&entries[number].entry.claim);
			if (!busy)
			{
				gid_block_assign(number, key);
				mine = true;
			}
		}
		if (number >= 0)
			entry = &entries[number].entry;
		if (mine)
		{
			gid_block_touch(entry);
			*owner = pg_atomic_read_u64(&entry->owner);
		}
		LWLockRelease(&table->lock);

		if (mine)
			return entry;
		if (!give)
			return NULL;
		if (busy)
			gid_block_wait(entry);
		mode = LW_EXCLUSIVE;
	}
}

/*
 * End the block of a (database, sequence, file, source), if there is one.  May
 * wait for the entry's claim, interruptibly.
 */
void
gid_block_end_file(const GidSequenceKey *key)
{
	GidBlockTable *table = gid_block_table();
	GidBlockEntry *entry;
	bool		claimed;

	do
	{
		int			number;

		LWLockAcquire(&table->lock, LW_SHARED);
		number = gid_block_search(key);
		entry = number < 0 ? NULL : &gid_block_entries()[number].entry;
		/* who gives it to another sequence claims it under the lock */
		claimed = entry != NULL && gid_claim_try(&entry->claim);
		LWLockRelease(&table->lock);
		if (entry != NULL && !claimed)
			gid_block_wait(entry);
	} while (entry != NULL && !claimed);
	if (entry == NULL)
		return;
	gid_block_end(entry);
	gid_claim_release(&entry->claim);
}

/* The size and the last value of a block. */
static int64
gid_block_extent(GidBlock *block, int64 *last)
{
	int64		size = gid_block_size(block);

	*last = (int64) (pg_atomic_read_u64(&block->first) +
					 ((uint64) size - 1) * pg_atomic_read_u64(&block->increment));
	return size;
}

/*
 * Read the blocks of an entry; false when another one has come into use in the
 * meantime.
 */
static bool
gid_block_look(GidBlockEntry *entry, GidBlockStat *stat)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	uint64		generation = state >> GID_BLOCK_TAKEN_BITS;
	int64		taken;
	GidBlock   *block = &entry->blocks[generation & 1];

	pg_read_barrier();
	stat->size = gid_block_extent(block, &stat->last);
	taken = Min((int64) gid_block_taken(state), stat->size);
	stat->issuer = (uint32) (pg_atomic_read_u64(&block->size) >> GID_BLOCK_ISSUER_SHIFT);
	stat->left = stat->size - taken;
	stat->next = (int64) (pg_atomic_read_u64(&block->first) +
						  (uint64) taken * pg_atomic_read_u64(&block->increment));
	stat->reserved_to = stat->last;
	stat->ahead = 0;
	if (entry->ahead)
	{
		pg_read_barrier();
		stat->ahead = gid_block_extent(&entry->blocks[(generation + 1) & 1],
									   &stat->reserved_to);
	}
	stat->history = entry->history;
	pg_read_barrier();
	return pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS == generation;
}

/*
 * What the entry of a number, from 0 on, looks like; false when there is no
 * such entry.  What it says of the blocks was so at one moment.
 */
bool
gid_block_stat(int number, GidBlockStat *stat)
{
	GidBlockTable *table = gid_block_table();
	GidBlockEntry *entry = &gid_block_entries()[number].entry;
	bool		found;

	LWLockAcquire(&table->lock, LW_SHARED);
	found = number < table->n;
	if (found)
	{
		stat->key = gid_block_rows()[number].key;
		while (!gid_block_look(entry, stat))
			;
		stat->reservations = (int64) pg_atomic_read_u64(&entry->reservations);
		stat->prefetched = (int64) pg_atomic_read_u64(&entry->prefetched);
		stat->waits = (int64) pg_atomic_read_u64(&entry->waits);
	}
	LWLockRelease(&table->lock);
	return found;
}
