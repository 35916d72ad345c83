/*-------------------------------------------------------------------------
 *
 * sequence/block.c
 *		The blocks of sequences: reserved values in shared memory.
 *
 * An entry has the blocks of a (database, sequence, file, source), at most two
 * of them: the block in use, from which all backends take values, and the next
 * one, whose record is written and whose values nobody has taken yet.
 *
 * Three steps bring a block into use: reserve it on the page
 * (sequence/page.c), pass the gate without any lock (sequence/gate.c), publish
 * it here.  Any backend may do any of these steps, and each may be the last
 * thing that a backend does.  A next block that nobody has published stays for
 * the next backend that needs a value.  So nothing is undone after an error, a
 * cancel or the end of a session.
 *
 * State: the spinlock of an entry protects its blocks, for a few loads and
 * stores.  It is not held across I/O, a wait or an error.  block_table.c says
 * which entry is whose.  What is counted over all entries has no lock.
 *
 * A crash or a restart loses what is left in the blocks, since the pages are
 * beyond them.  A standby has no blocks, and a promoted one begins without.
 * A clock step changes nothing: the monotonic clock decides about sizes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "clock/server_time.h"
#include "sequence/block.h"

/* No page has this LSN. */
#define GID_PAGE_UNSEEN			PG_UINT64_MAX

typedef struct GidBlockCounters
{
	pg_atomic_uint64 counters[GID_BLOCK_NCOUNTERS]; /* fetch_add */
} GidBlockCounters;

static GidBlockCounters *gid_block_counters = NULL;

/* ---- what is counted ---- */

static void
gid_block_init_counters(void *part, int tranche)
{
	GidBlockCounters *counters = part;

	for (int i = 0; i < GID_BLOCK_NCOUNTERS; i++)
		pg_atomic_init_u64(&counters->counters[i], 0);
}

const GidPart gid_block_part = {
	.size = sizeof(GidBlockCounters),
	.init = gid_block_init_counters,
	.where = (void **) &gid_block_counters,
};

/* Count something since the server started.  The backend has attached. */
void
gid_block_count(GidBlockCounter counter, int64 n)
{
	pg_atomic_fetch_add_u64(&gid_block_counters->counters[counter], n);
}

/* Read what was counted.  The backend has attached. */
int64
gid_block_counter(GidBlockCounter counter)
{
	return (int64) pg_atomic_read_u64(&gid_block_counters->counters[counter]);
}

/* ---- blocks; the caller has the entry's spinlock ---- */

/* See what an entry has.  Returns false when the tenancy has ended. */
static bool
gid_block_read(GidEntry *entry, uint64 tenancy, GidBlockView *view)
{
	uint64		state = pg_atomic_read_u64(&entry->state);
	int			number = (state >> GID_BLOCK_TAKEN_BITS) & 1;
	GidBlock   *block = &entry->blocks[number];
	GidBlock   *other = &entry->blocks[1 - number];
	uint64		size = pg_atomic_read_u64(&block->size);
	uint64		other_size = pg_atomic_read_u64(&other->size);

	view->generation = state >> GID_BLOCK_TAKEN_BITS;
	view->size = (int64) (size & GID_MASK(GID_BLOCK_TAKEN_BITS));
	view->taken = (int64) (state & GID_MASK(GID_BLOCK_TAKEN_BITS));
	view->left = view->size - view->taken;
	view->mark = (int64) GID_BLOCK_LEFT_AT_MARK(size);
	view->first_left = (int64) (pg_atomic_read_u64(&block->first) +
								(uint64) view->taken * pg_atomic_read_u64(&block->increment));
	view->issuer = (uint32) (size >> GID_BLOCK_ISSUER_SHIFT);
	view->lsn = entry->lsn[number];
	view->has_next = entry->has_next;
	view->next_first.value = (int64) pg_atomic_read_u64(&other->first);
	view->next_first.issuer = (uint32) (other_size >> GID_BLOCK_ISSUER_SHIFT);
	view->next_size = (int64) (other_size & GID_MASK(GID_BLOCK_TAKEN_BITS));
	view->next_first.take = view->next_size - 1 == (int64) GID_BLOCK_LEFT_AT_MARK(other_size) ?
		GID_BLOCK_TAKEN_LOW : GID_BLOCK_TAKEN;
	view->next_lsn = entry->lsn[1 - number];
	return pg_atomic_read_u64(&entry->tenancy) == tenancy;
}

/*
 * Put the other block into use, with "taken" values of it taken.  Adds the
 * values that were drawn from the block before to entry->drawn.  Returns how
 * many these are.
 */
static int64
gid_block_switch(GidEntry *entry, uint64 taken)
{
	uint64		generation = pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS;
	int64		before;

	entry->has_next = false;
	/* the exchange is a barrier: others see the block before its generation */
	before = (int64) (pg_atomic_exchange_u64(&entry->state,
											 (generation + 1) << GID_BLOCK_TAKEN_BITS | taken) &
					  GID_MASK(GID_BLOCK_TAKEN_BITS));
	entry->drawn += before;
	return before;
}

/*
 * Put an empty block into use, and no next one.  The values that are left are
 * lost, and do not count for the size of the next block.  Returns how many
 * values were drawn from the block before.
 */
static int64
gid_block_clear(GidEntry *entry)
{
	uint64		generation = pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS;
	int			number = generation & 1;
	uint64		size = pg_atomic_read_u64(&entry->blocks[number].size);
	int64		drawn;

	pg_atomic_write_u64(&entry->blocks[1 - number].size, 0);
	entry->lsn[1 - number] = InvalidXLogRecPtr;
	drawn = gid_block_switch(entry, 0);
	if (size != 0)
		entry->growth_base = drawn;
	return drawn;
}

/* ---- an entry that comes and goes ---- */

/* Set up the memory of an entry, which is vacant and has only zeros. */
void
gid_block_init(GidEntry *entry)
{
	pg_atomic_init_u64(&entry->state, 0);
	pg_atomic_init_u64(&entry->tenancy, GID_BLOCK_VACANT);
	for (int i = 0; i < (int) lengthof(entry->blocks); i++)
	{
		pg_atomic_init_u64(&entry->blocks[i].first, 0);
		pg_atomic_init_u64(&entry->blocks[i].increment, 0);
		pg_atomic_init_u64(&entry->blocks[i].size, 0);
	}
	pg_atomic_init_u64(&entry->used, 0);
	SpinLockInit(&entry->mutex);
}

/*
 * Give a vacant entry to a key.  A block of the key can come into use only
 * after that.  So a backend that finds its tenancy after it has read the state
 * has read a block of its own sequence.
 */
void
gid_block_give(GidEntry *entry, const GidBlockKey *key, uint64 tenancy)
{
	SpinLockAcquire(&entry->mutex);
	Assert(pg_atomic_read_u64(&entry->tenancy) == GID_BLOCK_VACANT);
	entry->key = *key;
	entry->page_lsn = GID_PAGE_UNSEEN;
	entry->growth_base = 0;
	entry->drawn = 0;
	memset(&entry->rate, 0, sizeof(entry->rate));
	entry->reservations = 0;
	entry->prefetched = 0;
	entry->waits = 0;
	pg_atomic_write_u64(&entry->tenancy, tenancy);
	SpinLockRelease(&entry->mutex);
}

/*
 * End the tenancy of an entry.  First the generation is raised to an empty
 * block, so that no value of the tenancy is taken any more.  Returns how many
 * values are lost, and in *question that of an errand, to be unpinned.
 */
int64
gid_block_take_away(GidEntry *entry, dsm_handle *question)
{
	GidBlockView view;

	SpinLockAcquire(&entry->mutex);
	(void) gid_block_read(entry, GID_BLOCK_VACANT, &view);
	/* until the exchange others take values */
	view.left = view.size - gid_block_clear(entry);
	pg_write_barrier();
	*question = entry->errand.question;
	memset(&entry->errand, 0, sizeof(entry->errand));
	pg_atomic_write_u64(&entry->tenancy, GID_BLOCK_VACANT);
	SpinLockRelease(&entry->mutex);
	return view.left + (view.has_next ? view.next_size : 0);
}

/*
 * Note that values are drawn from an entry now.  Each statement that draws
 * does so, so the entry is written once a second at the most.  Otherwise the
 * processors would pass its cache line to and fro.
 */
void
gid_block_touch(GidEntry *entry)
{
	uint64		now_s = (uint64) (gid_time_monotonic_us() / GID_US_PER_S);

	if (pg_atomic_read_u64(&entry->used) != now_s)
		pg_atomic_write_u64(&entry->used, now_s);
}

/* Has no statement begun to draw from an entry for a second? */
bool
gid_block_is_idle(GidEntry *entry)
{
	uint64		now_s = (uint64) (gid_time_monotonic_us() / GID_US_PER_S);

	return now_s > pg_atomic_read_u64(&entry->used) + 1;
}

/* ---- what happens to an entry in a tenancy ---- */

/* See what an entry has.  Returns false when the tenancy has ended. */
bool
gid_block_view(GidEntry *entry, uint64 tenancy, GidBlockView *view)
{
	bool		is_mine;

	SpinLockAcquire(&entry->mutex);
	is_mine = gid_block_read(entry, tenancy, view);
	SpinLockRelease(&entry->mutex);
	return is_mine;
}

/*
 * A backend has found the sequence's page with an LSN.  If that is not the LSN
 * of gid's last record, a setval() or nextval() has written one, and the
 * blocks end.  An invalid LSN stands for a page that writes no WAL, because
 * the running transaction has made its file.  Such a page shows no trace of a
 * setval(), and its blocks have one value each.  The caller has the page
 * locked, so what is noted is what stands there.
 */
void
gid_block_see_page(GidEntry *entry, uint64 tenancy, XLogRecPtr page_lsn)
{
	SpinLockAcquire(&entry->mutex);
	if (pg_atomic_read_u64(&entry->tenancy) == tenancy && entry->page_lsn != page_lsn)
	{
		(void) gid_block_clear(entry);
		entry->page_lsn = page_lsn;
	}
	SpinLockRelease(&entry->mutex);
}

/*
 * Note the LSN of gid's own record, which the caller has written to the locked
 * page.  It has called gid_block_see_page() before, under the same lock:
 * otherwise its own record would hide that of a setval().
 */
void
gid_block_wrote_page(GidEntry *entry, uint64 tenancy, XLogRecPtr page_lsn)
{
	SpinLockAcquire(&entry->mutex);
	if (pg_atomic_read_u64(&entry->tenancy) == tenancy)
		entry->page_lsn = page_lsn;
	SpinLockRelease(&entry->mutex);
}

/*
 * The same for an entry of a launch that has seen the page as it was "before".
 * Its block does not lie on the page, but follows from a value of the page, so
 * gid's own record for another launch does not end it.
 */
void
gid_block_wrote_page_of_launch(GidEntry *entry, XLogRecPtr before, XLogRecPtr page_lsn)
{
	SpinLockAcquire(&entry->mutex);
	if (entry->page_lsn == before)
		entry->page_lsn = page_lsn;
	SpinLockRelease(&entry->mutex);
}

/*
 * Is the next block of an entry to be reserved?  Returns its size, or 0 if
 * another backend has reserved it, or it is not due.  Where no value is left a
 * block ahead is due only if it is as small as a quiet sequence's, because
 * such a sequence may not need it for a long time.
 *
 * The caller has the page locked, or the right to ask another server.  So at
 * most one backend at a time reserves a block for an entry.
 */
int64
gid_block_due(GidEntry *entry, uint64 tenancy, const GidBlockSize *size)
{
	GidBlockView view;
	GidRate		rate;
	int64		drawn;
	int64		growth_base;
	int64		count = size->max;
	bool		is_mine;

	SpinLockAcquire(&entry->mutex);
	is_mine = gid_block_read(entry, tenancy, &view);
	rate = entry->rate;
	drawn = entry->drawn + view.taken;
	growth_base = entry->growth_base;
	SpinLockRelease(&entry->mutex);

	if (!is_mine || view.has_next || view.left > (size->is_needed ? 0 : view.mark))
		return 0;
	if (size->lasts_us > 0)
	{
		count = gid_reserve_size(&rate, size->now_us, drawn, size->lasts_us, growth_base, size->max);
		SpinLockAcquire(&entry->mutex);
		if (pg_atomic_read_u64(&entry->tenancy) == tenancy)
			entry->rate = rate;
		SpinLockRelease(&entry->mutex);
	}
	if (!size->is_needed && view.left == 0 && count > GID_RESERVE_SMALL)
		return 0;
	return count;
}

/*
 * Make a reserved block the next one.  gid_block_due() has asked for it, under
 * the lock that the caller still has.  When the tenancy has ended by now the
 * values are lost.
 */
void
gid_block_set_next(GidEntry *entry, uint64 tenancy, const GidNewBlock *block)
{
	uint64		size = (uint64) block->count;
	uint64		left = GID_BLOCK_NO_MARK;

	Assert(block->count >= 1 && block->count <= GID_BLOCK_MAX_SIZE);

	/*
	 * The mark is the first value that leaves less than a quarter.  A quiet
	 * sequence has small blocks, and the mark at the last value.  If the
	 * transaction that draws it writes a row, its commit flushes the next
	 * record, too.  Of a block from another server half is left, because that
	 * server may hang for seconds.
	 */
	if (block->issuer != 0 && size > 1)
		left = size / 2;
	else if (size > GID_RESERVE_SMALL)
		left = (size - 1) / 4;
	else if (size > 1)
		left = 0;

	SpinLockAcquire(&entry->mutex);
	if (pg_atomic_read_u64(&entry->tenancy) == tenancy)
	{
		uint64		generation = pg_atomic_read_u64(&entry->state) >> GID_BLOCK_TAKEN_BITS;
		int			number = (generation + 1) & 1;
		GidBlock   *next = &entry->blocks[number];

		pg_atomic_write_u64(&next->first, (uint64) block->first);
		pg_atomic_write_u64(&next->increment, (uint64) block->increment);
		pg_atomic_write_u64(&next->size, size | left << GID_BLOCK_LEFT_SHIFT |
							(uint64) block->issuer << GID_BLOCK_ISSUER_SHIFT);
		entry->lsn[number] = block->lsn;
		entry->has_next = true;
		entry->reservations++;
		if (block->is_ahead)
			entry->prefetched++;
		/* other servers answer, so errands may start again */
		entry->errand.pause_us = 0;
		entry->errand.has_failed = false;
	}
	SpinLockRelease(&entry->mutex);
	gid_block_count(GID_BLOCK_RESERVATIONS, 1);
	if (block->is_ahead)
		gid_block_count(GID_BLOCK_PREFETCHED, 1);
}

/*
 * Put the next block into use, and take its first value, if tenancy,
 * generation and record are those that were "seen".  The block in use had no
 * value left then.  The caller has passed the gate for seen->next_lsn.
 * Otherwise another backend was faster, or a setval() came between.
 */
GidValue
gid_block_publish(GidEntry *entry, uint64 tenancy, const GidBlockView *seen)
{
	GidValue	value = {0, 0, GID_BLOCK_NONE};
	GidBlockView now;

	SpinLockAcquire(&entry->mutex);
	if (gid_block_read(entry, tenancy, &now) && now.generation == seen->generation &&
		now.has_next && now.next_lsn == seen->next_lsn)
	{
		value = now.next_first;
		entry->growth_base = now.next_size;
		(void) gid_block_switch(entry, 1);
	}
	SpinLockRelease(&entry->mutex);
	return value;
}

/* End the blocks of an entry at once.  Their values are lost. */
void
gid_block_end(GidEntry *entry, uint64 tenancy)
{
	SpinLockAcquire(&entry->mutex);
	if (pg_atomic_read_u64(&entry->tenancy) == tenancy)
		(void) gid_block_clear(entry);
	SpinLockRelease(&entry->mutex);
}

/* Note that a caller has waited for a value of an entry. */
void
gid_block_waited(GidEntry *entry, uint64 tenancy)
{
	SpinLockAcquire(&entry->mutex);
	if (pg_atomic_read_u64(&entry->tenancy) == tenancy)
		entry->waits++;
	SpinLockRelease(&entry->mutex);
	gid_block_count(GID_BLOCK_WAITS, 1);
}

/* ---- the errand that fetches the next block: see peer/errand.c ---- */

/*
 * Is an errand to fetch the next block of an entry?  It is not while another
 * errand may be at work, or where no value is left, since then a caller asks.
 * If it is, the caller starts one: no other backend is told so for a while.
 */
bool
gid_block_errand_is_due(GidEntry *entry, uint64 tenancy)
{
	int64		now_us = gid_time_monotonic_us();
	GidBlockView view;
	bool		is_due;

	SpinLockAcquire(&entry->mutex);
	is_due = gid_block_read(entry, tenancy, &view) && !view.has_next && view.left > 0 &&
		view.left <= view.mark && now_us >= entry->errand.pause_us;
	if (is_due)
		entry->errand.pause_us = now_us + GID_ERRAND_LOST_US;
	SpinLockRelease(&entry->mutex);
	return is_due;
}

/*
 * Leave a question for an errand to take.  Returns a question that the caller
 * is to unpin: that of an errand that never came, or the new one itself, if
 * the tenancy has ended by now.
 */
dsm_handle
gid_block_errand_send(GidEntry *entry, uint64 tenancy, dsm_handle question)
{
	dsm_handle	lost = question;

	SpinLockAcquire(&entry->mutex);
	if (pg_atomic_read_u64(&entry->tenancy) == tenancy)
	{
		lost = entry->errand.question;
		entry->errand.question = question;
	}
	SpinLockRelease(&entry->mutex);
	return lost;
}

/*
 * Take a question.  Returns false if it is gone, and else the caller unpins
 * it.  While a question is pinned, no other one has its handle.
 */
bool
gid_block_errand_take(GidEntry *entry, dsm_handle question)
{
	bool		is_there;

	SpinLockAcquire(&entry->mutex);
	is_there = entry->errand.question == question;
	if (is_there)
		entry->errand.question = DSM_HANDLE_INVALID;
	SpinLockRelease(&entry->mutex);
	return is_there;
}

/*
 * Note that an errand got no block, or did not start and has not "asked".
 * Returns whether it is the first that asked in vain since the last block.
 */
bool
gid_block_errand_fail(GidEntry *entry, uint64 tenancy, bool asked)
{
	int64		now_us = gid_time_monotonic_us();
	bool		is_first = false;

	SpinLockAcquire(&entry->mutex);
	if (pg_atomic_read_u64(&entry->tenancy) == tenancy)
	{
		is_first = asked && !entry->errand.has_failed;
		entry->errand.has_failed |= asked;
		entry->errand.pause_us = now_us + GID_ERRAND_AGAIN_US;
	}
	SpinLockRelease(&entry->mutex);
	return is_first;
}

/* Read what a view shows of an entry.  Returns false if it is vacant. */
bool
gid_block_stat(GidEntry *entry, GidBlockStat *stat)
{
	bool		is_vacant;

	SpinLockAcquire(&entry->mutex);
	is_vacant = gid_block_read(entry, GID_BLOCK_VACANT, &stat->now);
	stat->key = entry->key;
	stat->last = (int64) ((uint64) stat->now.first_left + (uint64) (stat->now.left - 1) *
						  pg_atomic_read_u64(&entry->blocks[stat->now.generation & 1].increment));
	stat->reservations = entry->reservations;
	stat->prefetched = entry->prefetched;
	stat->waits = entry->waits;
	SpinLockRelease(&entry->mutex);
	return !is_vacant;
}
