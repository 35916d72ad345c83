/*-------------------------------------------------------------------------
 *
 * sequence/block_table.c
 *		The table of blocks: which entry is whose.
 *
 * One table serves sequences, GDIDs, codes and DecimalIds.  Its entries come
 * on demand, from a dynamic shared memory area (DSA) that begins within the
 * table.  A hash table of PostgreSQL, the index, finds the entry of a key.  It
 * is not the entries' place, because it gives memory back.  The memory of an
 * entry is never given back, so a backend keeps a pointer to it, and the
 * number of the tenancy tells whether the entry is still the same key's.
 *
 * At most gid.max_sequences entries are in use.  Then one that was not used
 * lately gives way, which a clock hand finds.  An entry of a launch is the
 * last to give way, since it may have 900 million values left.
 *
 * State: GidBlockTable in shared memory.  A lock of the index protects whose
 * the entry of a key is.  The LWLock of the table protects the lists of
 * entries and the hand.  The order is: a lock of the index, that of the table,
 * an entry's spinlock.  A backend maps the memory that others have made, and
 * PostgreSQL allocates memory for the index, under the locks.  If that fails
 * with an error, nothing has changed.  Neither lock is held across a wait.
 *
 * A crash resets the shared memory, and with it the table.  A stand-alone
 * backend can make no more memory, so it has the entries within the table.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/dshash.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "utils/memutils.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "base/settings.h"
#include "sequence/block_table.h"

/*
 * The part of the area that lies within the table.  It has room for the
 * entries of a stand-alone backend.
 */
#define GID_BLOCK_TABLE_AREA_SIZE		((Size) 640 * 1024)
#define GID_BLOCK_TABLE_STANDALONE	500

/* The hand passes so many entries that were used, or more launches. */
#define GID_BLOCK_TABLE_SAMPLE		256

/* How many lists of launches there are: files are spread over them. */
#define GID_BLOCK_TABLE_LAUNCH_LISTS	64

/* Entries begin at a cache line of most processors. */
#define GID_BLOCK_TABLE_ENTRY_SIZE	TYPEALIGN(64, sizeof(GidEntry))

typedef struct GidBlockTable
{
	LWLock		lock;
	uint64		tenancies;		/* number of the last one; lock */
	int			used;			/* entries that are not vacant; lock */
	int			launches;		/* of these, entries of launches; lock */
	dsa_pointer first;			/* entry; GidEntry.next leads to others; lock */
	dsa_pointer last;			/* the entry that was made last; lock */
	dsa_pointer hand;			/* entry that is looked at next; lock */
	dsa_pointer free;			/* vacant entries, by GidEntry.link; lock */
	dsa_pointer lists[GID_BLOCK_TABLE_LAUNCH_LISTS];	/* those of launches, by
														 * GidEntry.link; lock */
	dshash_table_handle index;	/* constant */
} GidBlockTable;

/* What the index has for a key. */
typedef struct GidBlockTableItem
{
	GidBlockKey key;			/* constant */
	dsa_pointer entry;			/* invalid: an error came between; lock of the
								 * index */
} GidBlockTableItem;

static GidBlockTable *gid_block_table = NULL;

/* The area and the index, as this process has attached to them. */
static dsa_area *gid_block_table_area = NULL;
static dshash_table *gid_block_table_index = NULL;

static const dshash_parameters gid_block_table_index_parameters = {
	.key_size = sizeof(GidBlockKey),
	.entry_size = sizeof(GidBlockTableItem),
	.compare_function = dshash_memcmp,
	.hash_function = dshash_memhash,
	GID_DSHASH_COPY
};

/* ---- the shared memory ---- */

/* The area's part within the table. */
static void *
gid_block_table_place(GidBlockTable *table)
{
	return (char *) table + CACHELINEALIGN(sizeof(GidBlockTable));
}

/*
 * Set up the table.  The children of the postmaster inherit what it has
 * attached to: to attach costs 40 kB of memory that is cleared.
 */
static void
gid_block_table_init(void *part, int tranche)
{
	GidBlockTable *table = part;
	MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
	dshash_parameters parameters = gid_block_table_index_parameters;
	dsa_area   *area;
	dshash_table *index;

	LWLockInitialize(&table->lock, tranche);

	area = dsa_create_in_place(gid_block_table_place(table), GID_BLOCK_TABLE_AREA_SIZE,
							   tranche, NULL);
	dsa_pin(area);
	/* the postmaster and a stand-alone backend make no segment */
	dsa_set_size_limit(area, GID_BLOCK_TABLE_AREA_SIZE);
	parameters.tranche_id = tranche;
	index = dshash_create(area, &parameters, NULL);
	table->index = dshash_get_hash_table_handle(index);
	if (IsPostmasterEnvironment)
		dsa_set_size_limit(area, (size_t) -1);

	if (IsUnderPostmaster)
	{
		/* the memory may go, if a later part fails */
		dshash_detach(index);
		dsa_detach(area);
	}
	else
	{
		/* after a crash the postmaster has those of the memory before */
		if (gid_block_table_index != NULL)
			dshash_detach(gid_block_table_index);
		if (gid_block_table_area != NULL)
			dsa_detach(gid_block_table_area);
		dsa_pin_mapping(area);
		gid_block_table_area = area;
		gid_block_table_index = index;
	}
	MemoryContextSwitchTo(before);
}

const GidPart gid_block_table_part = {
	.lock_name = "GidBlock",
	.size = CACHELINEALIGN(sizeof(GidBlockTable)) + GID_BLOCK_TABLE_AREA_SIZE,
	.init = gid_block_table_init,
	.where = (void **) &gid_block_table,
};

/*
 * Attach to the area and to the index, for as long as this process lives.  The
 * shared memory is attached to.  An error half way leaves the rest to the next
 * call.
 */
static void
gid_block_table_attach(void)
{
	MemoryContext before = MemoryContextSwitchTo(TopMemoryContext);
	void	   *place = gid_block_table_place(gid_block_table);

	if (gid_block_table_area == NULL)
	{
		gid_block_table_area = dsa_attach_in_place(place, NULL);
		dsa_pin_mapping(gid_block_table_area);
		before_shmem_exit(dsa_on_shmem_exit_release_in_place, PointerGetDatum(place));
	}
	gid_block_table_index = dshash_attach(gid_block_table_area, &gid_block_table_index_parameters,
										  gid_block_table->index, NULL);
	MemoryContextSwitchTo(before);
}

static inline void
gid_block_table_open(void)
{
	if (unlikely(gid_block_table_index == NULL))
		gid_block_table_attach();
}

/* The entry at a place; NULL for the invalid one.  May map memory. */
static GidEntry *
gid_block_table_at(dsa_pointer place)
{
	return DsaPointerIsValid(place) ? dsa_get_address(gid_block_table_area, place) : NULL;
}

/* ---- launches of a file; the caller has the table's lock ---- */

/* Is an entry of the same file of a sequence, whatever its source? */
static bool
gid_block_table_is_of_file(const GidBlockKey *found, const GidBlockKey *key)
{
	return found->sequence == key->sequence && found->relfilenumber == key->relfilenumber &&
		found->database == key->database;
}

/* The list that the launches of a key's file are in. */
static dsa_pointer *
gid_block_table_launches(const GidBlockKey *key)
{
	GidBlockKey file = *key;

	file.source = 0;
	return &gid_block_table->lists[hash_bytes((const unsigned char *) &file, sizeof(file)) %
								   GID_BLOCK_TABLE_LAUNCH_LISTS];
}

/* The first launch of a key's file from a place in its list on, or NULL. */
static GidEntry *
gid_block_table_launch(const GidBlockKey *key, dsa_pointer from)
{
	GidEntry   *entry = gid_block_table_at(from);

	while (entry != NULL && !gid_block_table_is_of_file(&entry->key, key))
		entry = gid_block_table_at(entry->link);
	return entry;
}

/* Take an entry of a launch out of its list. */
static void
gid_block_table_unlink_launch(dsa_pointer place, GidEntry *entry)
{
	dsa_pointer *link = gid_block_table_launches(&entry->key);

	while (*link != place)
		link = &gid_block_table_at(*link)->link;
	*link = entry->link;
	gid_block_table->launches--;
}

/* ---- room for a new tenancy ---- */

/* How many entries may be in use. */
static int
gid_block_table_limit(void)
{
	if (!IsPostmasterEnvironment)
		return Min(gid_max_sequences, GID_BLOCK_TABLE_STANDALONE);

	/*
	 * Each session needs the entry of one sequence while it draws.  If there
	 * were fewer entries than sessions, they would take them from each other
	 * before a value was drawn.
	 */
	return Max(gid_max_sequences, 2 * MaxBackends);
}

/* Make a vacant entry.  53200 and 53100 where memory is short. */
static void
gid_block_table_make(void)
{
	GidBlockTable *table = gid_block_table;
	dsa_pointer place = dsa_allocate0(gid_block_table_area, GID_BLOCK_TABLE_ENTRY_SIZE);
	GidEntry   *entry = gid_block_table_at(place);

	gid_block_init(entry);
	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	if (DsaPointerIsValid(table->last))
		gid_block_table_at(table->last)->next = place;
	else
		table->first = place;
	table->last = place;
	entry->link = table->free;
	table->free = place;
	LWLockRelease(&table->lock);
}

/* The place that the hand comes to after an entry's. */
static dsa_pointer
gid_block_table_after(const GidEntry *entry)
{
	return DsaPointerIsValid(entry->next) ? entry->next : gid_block_table->first;
}

/* May an entry give way: one of a launch only if there are no others. */
static bool
gid_block_table_may_give_way(GidEntry *entry)
{
	return pg_atomic_read_u64(&entry->tenancy) != GID_BLOCK_VACANT &&
		(!gid_source_is_launch(entry->key.source) ||
		 gid_block_table->launches == gid_block_table->used);
}

/*
 * Choose the entry that gives way, and move the hand behind it.  It is the
 * first one from the hand on that was not used since the hand came by, to the
 * second.  If there is none among the next ones, it is the one of these that
 * was not used for the longest time.  *key is whose it is.  The result is
 * invalid if other backends are taking away all that could give way.  The
 * caller has the table's lock.
 */
static dsa_pointer
gid_block_table_choose(GidBlockKey *key)
{
	GidBlockTable *table = gid_block_table;
	dsa_pointer place = DsaPointerIsValid(table->hand) ? table->hand : table->first;
	dsa_pointer start = place;
	dsa_pointer best = InvalidDsaPointer;
	uint64		best_used = PG_UINT64_MAX;
	int			n = 0;

	do
	{
		GidEntry   *entry = gid_block_table_at(place);
		uint64		used = pg_atomic_read_u64(&entry->used);
		bool		was_used = used != entry->seen;

		if (gid_block_table_may_give_way(entry) && (!was_used || used < best_used))
		{
			best = place;
			best_used = used;
			*key = entry->key;
			if (!was_used)
				break;
		}
		entry->seen = used;
		place = gid_block_table_after(entry);
	} while (place != start && (++n < GID_BLOCK_TABLE_SAMPLE || !DsaPointerIsValid(best)));
	if (DsaPointerIsValid(best))
		table->hand = gid_block_table_after(gid_block_table_at(best));
	return best;
}

/*
 * Take an entry from its key.  Its blocks end before the index forgets the
 * key.  Otherwise a new entry of the key would have a block in use beside
 * them, and values would go back.
 */
static void
gid_block_table_evict(void)
{
	GidBlockTable *table = gid_block_table;
	GidBlockKey key;
	GidBlockTableItem *item;
	GidEntry   *entry;
	dsa_pointer place;
	dsm_handle	question;
	int64		lost;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	place = gid_block_table_choose(&key);
	entry = gid_block_table_at(place);
	LWLockRelease(&table->lock);
	if (entry == NULL)
		return;
	item = dshash_find(gid_block_table_index, &key, true);
	if (item == NULL)
		return;
	if (item->entry != place)
	{
		/* another backend has been faster */
		dshash_release_lock(gid_block_table_index, item);
		return;
	}
	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	/* first the list: its other entries may have to be mapped */
	if (gid_source_is_launch(key.source))
		gid_block_table_unlink_launch(place, entry);
	lost = gid_block_take_away(entry, &question);
	entry->link = table->free;
	table->free = place;
	table->used--;
	LWLockRelease(&table->lock);
	/* a backend that takes the entry now has another lock of the index */
	dshash_delete_entry(gid_block_table_index, item);
	gid_errand_unpin(question);
	gid_block_count(GID_BLOCK_EVICTIONS, 1);
	gid_block_count(GID_BLOCK_LOST, lost);
}

/*
 * See to it that an entry is vacant, unless another backend takes it.  Where
 * the setting was lowered, two give way for each new tenancy.
 */
static void
gid_block_table_make_room(void)
{
	GidBlockTable *table = gid_block_table;
	int			limit = gid_block_table_limit();
	int			used;
	bool		is_free;

	LWLockAcquire(&table->lock, LW_SHARED);
	used = table->used;
	is_free = DsaPointerIsValid(table->free);
	LWLockRelease(&table->lock);
	if (used >= limit)
		gid_block_table_evict();
	if (used > limit)
		gid_block_table_evict();
	if (used < limit && !is_free)
		gid_block_table_make();
}

/* ---- which entry is whose ---- */

/*
 * Give a vacant entry to a key.  Returns its place, or the invalid one if
 * there is none.  The caller has the lock of the index.
 */
static dsa_pointer
gid_block_table_give(const GidBlockKey *key)
{
	GidBlockTable *table = gid_block_table;
	dsa_pointer place;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	place = table->free;
	if (DsaPointerIsValid(place))
	{
		/* first the address: it may raise an error */
		GidEntry   *entry = gid_block_table_at(place);

		table->free = entry->link;
		table->used++;
		gid_block_give(entry, key, ++table->tenancies);
		gid_block_touch(entry);
		entry->seen = pg_atomic_read_u64(&entry->used);
		if (gid_source_is_launch(key->source))
		{
			dsa_pointer *list = gid_block_table_launches(key);

			entry->link = *list;
			*list = place;
			table->launches++;
		}
	}
	LWLockRelease(&table->lock);
	return place;
}

/* Find the entry of a key that has none, or had none.  Locks it as above. */
static GidBlockTableItem *
gid_block_table_insert(const GidBlockKey *key)
{
	for (;;)
	{
		GidBlockTableItem *item;
		bool		found;

		CHECK_FOR_INTERRUPTS();
		gid_block_table_make_room();
		item = dshash_find_or_insert(gid_block_table_index, key, &found);
		if (!found)
			item->entry = InvalidDsaPointer;
		if (!DsaPointerIsValid(item->entry))
			item->entry = gid_block_table_give(key);
		if (DsaPointerIsValid(item->entry))
			return item;
		/* other backends were faster */
		dshash_delete_entry(gid_block_table_index, item);
	}
}

/*
 * The entry of a key, and in *tenancy the number of its tenancy, for the other
 * functions; NULL if it has none.  A key has one entry at most, so it has one
 * block in use.  Entries are never freed, so the pointer stays good.
 *
 * The backend has attached.  It holds no lock, since this maps what it needs
 * of the memory.  Raises 53200 or, where the memory is a file system that is
 * full, 53100.
 */
GidEntry *
gid_block_table_find(const GidBlockKey *key, uint64 *tenancy)
{
	GidEntry   *entry;
	GidBlockTableItem *item;

	gid_block_table_open();
	item = dshash_find(gid_block_table_index, key, false);
	if (item == NULL)
		return NULL;
	entry = gid_block_table_at(item->entry);
	if (entry != NULL)
		*tenancy = pg_atomic_read_u64(&entry->tenancy);
	dshash_release_lock(gid_block_table_index, item);
	return entry;
}

/* The same for a caller that draws: a key without an entry gets one. */
static GidEntry *
gid_block_table_find_or_give(const GidBlockKey *key, uint64 *tenancy)
{
	GidEntry   *entry = gid_block_table_find(key, tenancy);
	GidBlockTableItem *item;

	if (entry != NULL)
		return entry;
	item = gid_block_table_insert(key);
	entry = gid_block_table_at(item->entry);
	*tenancy = pg_atomic_read_u64(&entry->tenancy);
	dshash_release_lock(gid_block_table_index, item);
	return entry;
}

#ifdef USE_ASSERT_CHECKING
/* Is the entry of a tenancy where this process found it before? */
static bool
gid_block_table_stays(const GidEntry *entry, const GidBlockKey *key, uint64 tenancy)
{
	uint64		now;
	GidEntry   *found = gid_block_table_find(key, &now);

	/* the entry may give way at any moment, and no tenancy comes again */
	return found == NULL || now != tenancy || found == entry;
}
#endif

/*
 * The entry of a key that the caller draws from.  A key without an entry gets
 * one.  Where the entry that the caller has found before, or NULL, is still in
 * the same tenancy, nothing is searched.
 */
GidEntry *
gid_block_table_entry(GidEntry *entry, const GidBlockKey *key, uint64 *tenancy)
{
	if (entry == NULL || pg_atomic_read_u64(&entry->tenancy) != *tenancy)
		entry = gid_block_table_find_or_give(key, tenancy);
	Assert(gid_block_table_stays(entry, key, *tenancy));
	gid_block_touch(entry);
	return entry;
}

/*
 * Map the entries of the launches of a key's file, for the next function, so
 * that it hardly ever has to.  If one comes between and there is no memory to
 * map it, the record is written, and its values are lost.
 */
void
gid_block_table_map_launches(const GidBlockKey *key)
{
	GidEntry   *entry;

	gid_block_table_open();
	LWLockAcquire(&gid_block_table->lock, LW_SHARED);
	entry = gid_block_table_launch(key, *gid_block_table_launches(key));
	while (entry != NULL)
		entry = gid_block_table_launch(key, entry->link);
	LWLockRelease(&gid_block_table->lock);
}

/*
 * Note gid's own record on the page of launches, for those that have seen the
 * page as it was "before".  The caller has the page locked.
 */
void
gid_block_table_wrote_page_of_launches(const GidBlockKey *key, XLogRecPtr before,
									   XLogRecPtr page_lsn)
{
	GidEntry   *entry;

	LWLockAcquire(&gid_block_table->lock, LW_SHARED);
	entry = gid_block_table_launch(key, *gid_block_table_launches(key));
	while (entry != NULL)
	{
		gid_block_wrote_page_of_launch(entry, before, page_lsn);
		entry = gid_block_table_launch(key, entry->link);
	}
	LWLockRelease(&gid_block_table->lock);
}

/* End the blocks of a sequence's file, whatever their source. */
void
gid_block_table_end_blocks(const GidBlockKey *key)
{
	GidBlockKey other = *key;
	GidEntry   *entry;
	uint64		tenancy;

	for (other.source = GID_SOURCE_PAGE; other.source < GID_SOURCE_LAUNCH; other.source++)
	{
		entry = gid_block_table_find(&other, &tenancy);
		if (entry != NULL)
			gid_block_end(entry, tenancy);
	}
	LWLockAcquire(&gid_block_table->lock, LW_SHARED);
	entry = gid_block_table_launch(key, *gid_block_table_launches(key));
	while (entry != NULL)
	{
		gid_block_end(entry, pg_atomic_read_u64(&entry->tenancy));
		entry = gid_block_table_launch(key, entry->link);
	}
	LWLockRelease(&gid_block_table->lock);
}

/* ---- what views show ---- */

/*
 * The entry that was made after another one, the first one for NULL, or NULL.
 * It may be vacant.  The first call attaches.
 */
GidEntry *
gid_block_table_walk(const GidEntry *before)
{
	GidEntry   *entry;

	(void) gid_slot_mine();
	gid_block_table_open();
	LWLockAcquire(&gid_block_table->lock, LW_SHARED);
	entry = gid_block_table_at(before != NULL ? before->next : gid_block_table->first);
	LWLockRelease(&gid_block_table->lock);
	return entry;
}

/* How many entries are in use?  The backend has attached. */
int
gid_block_table_used(void)
{
	int			used;

	LWLockAcquire(&gid_block_table->lock, LW_SHARED);
	used = gid_block_table->used;
	LWLockRelease(&gid_block_table->lock);
	return used;
}
