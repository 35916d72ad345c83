/*-------------------------------------------------------------------------
 *
 * sequence/entry.c
 *		Which sequence's blocks are where in shared memory.
 *
 * A sequence that values are drawn from has an entry here, with its blocks
 * (sequence/block.c).
 *
 * State: GidEntryTable in shared memory.
 *
 * Invariants:
 * 1. A (database, sequence, file, source) has one entry at most.  So it has
 *	  one block in use, and its values are taken in order.
 * 2. An entry gets another owner under the table's lock and the entry's claim.
 *	  First the generation is raised to an empty block, then the owner's number
 *	  is changed, and only then a block of the new owner can be opened.  So a
 *	  backend that finds its owner's number after it has read the state has
 *	  read a block of its own sequence.
 * 3. Entries are never freed: a pointer to an entry always points to one.
 *
 * The table's lock is held for one pass over the rows, never across I/O, a
 * wait or an error.  A crash wipes the table.  After a restart and a promotion
 * the table is empty.  The entry of a dropped sequence stays until another
 * sequence needs it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "storage/lwlock.h"

#include "attach/backend_slot.h"
#include "base/bits.h"
#include "base/compat.h"
#include "clock/server_time.h"
#include "sequence/entry.h"

typedef union GidEntryPadded
{
	GidBlockEntry entry;
	char		pad[TYPEALIGN(PG_CACHE_LINE_SIZE, sizeof(GidBlockEntry))];
} GidEntryPadded;

/* Whose an entry is.  The rows are searched, so they lie close together. */
typedef struct GidEntryRow
{
	GidEntryKey key;			/* lock */
	pg_atomic_uint64 used;		/* monotonic time of the entry's last use, in
								 * seconds; plain stores */
} GidEntryRow;

typedef struct GidEntryTable
{
	GidEntryPadded entries[GID_ENTRIES];	/* see GidBlockEntry; first, so
											 * that each begins a cache line */
	LWLock		lock;			/* protects which entry is whose */
	int			n;				/* entries that ever had an owner; lock */
	int			victim;			/* the last entry taken away; lock */
	uint64		owners;			/* number of the last owner; lock */
	GidEntryRow rows[GID_ENTRIES];	/* see GidEntryRow */
} GidEntryTable;

StaticAssertDecl(offsetof(GidEntryTable, entries) % PG_CACHE_LINE_SIZE == 0,
				 "no two entries share a cache line");

static GidEntryTable *gid_entries = NULL;

/*
 * Set up the table.  An entry and its row are set up when they get their first
 * owner, so that memory which is not needed is not touched.
 */
static void
gid_entry_init(void *part, int tranche)
{
	GidEntryTable *table = part;

	LWLockInitialize(&table->lock, tranche);
	table->n = 0;
	table->victim = 0;
	table->owners = 0;
}

const GidPart gid_entry_part = {
	.lock_name = "GidBlock",
	.size = sizeof(GidEntryTable),
	.init = gid_entry_init,
	.where = (void **) &gid_entries,
};

/*
 * Note that an entry is used now.  Each statement that draws does so, so the
 * row is written once a second at the most.  Otherwise the processors would
 * pass its cache line to and fro.
 */
void
gid_entry_touch(GidBlockEntry *entry)
{
	int			number = (GidEntryPadded *) entry - gid_entries->entries;
	pg_atomic_uint64 *used = &gid_entries->rows[number].used;
	uint64		now_s = (uint64) (gid_time_monotonic_us() / GID_US_PER_S);

	if (pg_atomic_read_u64(used) != now_s)
		pg_atomic_write_u64(used, now_s);
}

/*
 * The number of the entry of a (database, sequence, file, source), or -1.  The
 * caller has the table's lock.
 */
static int
gid_entry_search(const GidEntryKey *key)
{
	GidEntryRow *rows = gid_entries->rows;

	for (int i = 0; i < gid_entries->n; i++)
	{
		if (rows[i].key.sequence.sequence == key->sequence.sequence &&
			rows[i].key.sequence.relfilenumber == key->sequence.relfilenumber &&
			rows[i].key.source == key->source &&
			rows[i].key.sequence.database == key->sequence.database)
			return i;
	}
	return -1;
}

/*
 * Claim an entry for a new owner: one that never had an owner, or else the
 * least recently used one that no backend has claimed, to the second.  Of the
 * entries of one second the search takes the first behind the last victim.  If
 * the search took the lowest, new owners would take one entry from each other.
 * Returns its number; -1 when all entries are claimed.  The caller has the
 * table's lock.
 */
static int
gid_entry_claim_victim(void)
{
	GidEntryTable *table = gid_entries;
	int			best;

	if (table->n < GID_ENTRIES)
	{
		best = table->n++;
		pg_atomic_init_u64(&table->rows[best].used, 0);
		gid_block_init(&table->entries[best].entry);
		(void) gid_claim_try(&table->entries[best].entry.claim);
		return best;
	}
	do
	{
		uint64		best_used = 0;

		best = -1;
		for (int k = 1; k <= GID_ENTRIES; k++)
		{
			int			i = (table->victim + k) % GID_ENTRIES;
			uint64		used = pg_atomic_read_u64(&table->rows[i].used);

			if ((best < 0 || used < best_used) &&
				!gid_claim_is_taken(&table->entries[i].entry.claim))
			{
				best = i;
				best_used = used;
			}
		}
	} while (best >= 0 && !gid_claim_try(&table->entries[best].entry.claim));
	if (best >= 0)
		table->victim = best;
	return best;
}

/*
 * The number of the entry of a key, or -1.  When the key has none it gets one
 * if "give"; -1 then says that the claim of entry *busy is in the way.  The
 * caller has the table's lock, exclusively if "give".
 */
static int
gid_entry_give(const GidEntryKey *key, bool give, int *busy)
{
	int			number = gid_entry_search(key);
	GidBlockEntry *entry;

	if (number >= 0 && memcmp(&gid_entries->rows[number].key, key, sizeof(*key)) == 0)
		return number;
	if (!give)
		return -1;
	if (number < 0)
	{
		number = gid_entry_claim_victim();
		if (number < 0)
		{
			*busy = 0;			/* any claim will do: all are taken */
			return -1;
		}
	}
	else if (!gid_claim_try(&gid_entries->entries[number].entry.claim))
	{
		/* a dropped or altered sequence had the same numbers */
		*busy = number;
		return -1;
	}
	/* the entry is claimed: first end its blocks, then change its owner */
	entry = &gid_entries->entries[number].entry;
	gid_block_end(entry);
	memset(&entry->history, 0, sizeof(entry->history));
	gid_page_init_mark(&entry->mark);
	pg_atomic_write_u64(&entry->reservations, 0);
	pg_atomic_write_u64(&entry->prefetched, 0);
	pg_atomic_write_u64(&entry->waits, 0);
	pg_write_barrier();
	pg_atomic_write_u64(&entry->owner, ++gid_entries->owners);
	gid_entries->rows[number].key = *key;
	gid_claim_release(&entry->claim);
	return number;
}

/*
 * The entry of an open sequence and a source.  *owner is the argument for
 * gid_block_take().  When the sequence has no entry, it gets one if "give",
 * else the result is NULL.  The backend has attached.  May wait,
 * interruptibly, for the claim of an entry if "give".
 */
GidBlockEntry *
gid_entry_find(const GidOpenSequence *open, GidSource source, bool give, uint64 *owner)
{
	GidEntryTable *table = gid_entries;
	GidEntryKey key = {open->key, source};
	bool		gives = false;

	for (;;)
	{
		GidBlockEntry *entry = NULL;
		int			busy = -1;
		int			number;

		LWLockAcquire(&table->lock, gives ? LW_EXCLUSIVE : LW_SHARED);
		number = gid_entry_give(&key, gives, &busy);
		if (number >= 0)
		{
			entry = &table->entries[number].entry;
			gid_entry_touch(entry);
			*owner = pg_atomic_read_u64(&entry->owner);
		}
		LWLockRelease(&table->lock);

		if (entry != NULL || !give)
			return entry;
		if (busy >= 0)
			gid_block_wait(&table->entries[busy].entry);
		gives = true;
	}
}

/*
 * End the blocks of the files that a rollback of the running transaction would
 * bring back.  Call it after a reservation on the present file: otherwise a
 * session would draw the smaller values of those blocks after the reserved
 * ones.
 * May wait for the claims of their entries, interruptibly.
 */
void
gid_entry_end_earlier(const GidOpenSequence *open, GidSource source)
{
	GidEntryKey key = {open->key, source};
	ListCell   *cell;

	foreach(cell, gid_page_earlier_files(open->rel))
	{
		GidBlockEntry *entry;
		bool		claimed;

		key.sequence.relfilenumber = ((Form_pg_class) lfirst(cell))->relfilenode;
		do
		{
			int			number;

			LWLockAcquire(&gid_entries->lock, LW_SHARED);
			number = gid_entry_search(&key);
			entry = number < 0 ? NULL : &gid_entries->entries[number].entry;
			/* a backend that gives the entry away claims it under the lock */
			claimed = entry != NULL && gid_claim_try(&entry->claim);
			LWLockRelease(&gid_entries->lock);
			if (entry != NULL && !claimed)
				gid_block_wait(entry);
		} while (entry != NULL && !claimed);
		if (!claimed)
			continue;
		gid_block_end(entry);
		gid_claim_release(&entry->claim);
	}
}

/* Value "n" of a block, from 0 on. */
static int64
gid_entry_value(GidBlock *block, int64 n)
{
	return (int64) (pg_atomic_read_u64(&block->first) +
					(uint64) n * pg_atomic_read_u64(&block->increment));
}

/*
 * Read the blocks of an entry.  Returns false when another block has come into
 * use in the meantime.
 */
static bool
gid_entry_look(GidBlockEntry *entry, GidEntryStat *stat)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	uint64		generation = state >> GID_BLOCK_TAKEN_BITS;
	int64		taken;
	GidBlock   *block = &entry->blocks[generation & 1];

	pg_read_barrier();
	stat->size = gid_block_size(block);
	stat->first = (int64) pg_atomic_read_u64(&block->first);
	stat->last = gid_entry_value(block, stat->size - 1);
	taken = Min((int64) gid_block_taken(state), stat->size);
	stat->issuer = (uint32) (pg_atomic_read_u64(&block->size) >> GID_BLOCK_ISSUER_SHIFT);
	stat->left = stat->size - taken;
	stat->next = gid_entry_value(block, taken);
	stat->reserved_to = stat->last;
	stat->ahead = 0;
	if (entry->ahead)
	{
		pg_read_barrier();
		block = &entry->blocks[(generation + 1) & 1];
		stat->ahead = gid_block_size(block);
		stat->reserved_to = gid_entry_value(block, stat->ahead - 1);
	}
	stat->history = entry->history;
	pg_read_barrier();
	return pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS == generation;
}

/*
 * Read the entry of a number, from 0 on.  Returns false when there is no such
 * entry.  The members that tell of the blocks are of one moment.  The first
 * call attaches.
 */
bool
gid_entry_stat(int number, GidEntryStat *stat)
{
	GidEntryTable *table;
	GidBlockEntry *entry;
	bool		found;

	(void) gid_slot_mine();
	table = gid_entries;
	entry = &table->entries[number].entry;
	LWLockAcquire(&table->lock, LW_SHARED);
	found = number < table->n;
	if (found)
	{
		stat->key = table->rows[number].key;
		while (!gid_entry_look(entry, stat))
			;
		stat->reservations = (int64) pg_atomic_read_u64(&entry->reservations);
		stat->prefetched = (int64) pg_atomic_read_u64(&entry->prefetched);
		stat->waits = (int64) pg_atomic_read_u64(&entry->waits);
	}
	LWLockRelease(&table->lock);
	return found;
}

/*
 * Return in *next the first value that is left in the blocks of an open
 * sequence, in the order of their use.  Returns false when none is left.  A
 * block that is on its way counts: the caller has read the page, which may be
 * beyond that block.  Blocks that a setval() or nextval() has overtaken do not
 * count: no value of them is drawn any more.  Waits for the buffer's lock of
 * the page alone.
 */
bool
gid_entry_next(const GidOpenSequence *open, int64 *next)
{
	uint64		owner;
	GidBlockEntry *entry = gid_entry_find(open, GID_SOURCE_PAGE, false, &owner);
	GidEntryStat stat;
	XLogRecPtr	lsns[2];		/* of the block in use, and of the next */
	uint64		state;
	bool		pending;
	int64		first;
	int64		ignored;

	if (entry == NULL)
		return false;
	gid_page_look(open->rel, &entry->mark);
	do
	{
		pending = gid_page_pending(&entry->mark, &first);
		state = pg_atomic_read_u64(&entry->state);
		pg_read_barrier();
		for (int i = 0; i < 2; i++)
			lsns[i] = pg_atomic_read_u64(&entry->lsn[((state >> GID_BLOCK_TAKEN_BITS) + i) & 1]);
		pg_read_barrier();
	} while (!gid_entry_look(entry, &stat) ||
			 gid_page_pending(&entry->mark, &ignored) != pending ||
			 pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS != state >> GID_BLOCK_TAKEN_BITS);
	if (pg_atomic_read_u64(&entry->owner) != owner)
		return false;
	*next = stat.next;
	if (stat.left > 0 && lsns[0] >= pg_atomic_read_u64(&entry->mark.valid_from))
		return true;
	*next = first;
	if (pending && first != stat.first)
		return true;
	*next = (int64) ((uint64) stat.reserved_to - ((uint64) stat.ahead - 1) * (uint64) open->sequence.increment);
	return stat.ahead > 0 && lsns[1] >= pg_atomic_read_u64(&entry->mark.valid_from);
}
