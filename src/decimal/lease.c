/*-------------------------------------------------------------------------
 *
 * decimal/lease.c
 *		Leases of DecimalId generators in shared memory.
 *
 * A generator number is reserved durably and cannot be given back.  Short
 * connections must not use up the numbers.  So a backend at its exit leaves
 * its number here, with the counter that it has reached.  The next backend of
 * the same database and launch continues under that number.
 *
 * State: GidLeaseTable with its entries.  Its lock protects all of it.  A
 * backend holds the lock for one pass over the entries, and never across I/O,
 * a wait or an error.
 *
 * Invariants:
 * 1. A held entry has one holder, and only the holder returns it.  While the
 *	  entry is held, its counter is in the holder's slot.
 * 2. A backend takes an idle lease only if its key is equal in every member.
 * 3. There are more entries than backends, so there is always an entry that is
 *	  not held.  If none is free, the lease that has been idle longest is
 *	  dropped, and its number is lost.
 * 4. A lease whose counter is used up is not taken again.
 *
 * Crash, restart: the table is lost with the numbers in it, and none of them
 * is used again.  A clock step has no effect.  Standby: its table stays empty.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

#include "attach/backend_slot.h"
#include "clock/server_time.h"
#include "decimal/lease.h"
#include "layout/decimal_id.h"

/* Leases: one for each backend to hold, and as many idle leases. */
#define GID_LEASES_PER_BACKEND	2

/* The table, with its entries. */
typedef struct GidLeaseTable
{
	LWLock		lock;			/* protects stamp and the entries */
	uint64		stamp;			/* number of leases returned; lock */
	int			size;			/* number of entries; constant */
	GidLease	entries[FLEXIBLE_ARRAY_MEMBER]; /* lock */
} GidLeaseTable;

static GidLeaseTable *gid_leases = NULL;

/* How many leases can this server have? */
int
gid_lease_limit(void)
{
	return GID_LEASES_PER_BACKEND * MaxBackends;
}

static Size
gid_lease_size(void)
{
	return add_size(offsetof(GidLeaseTable, entries),
					mul_size(gid_lease_limit(), sizeof(GidLease)));
}

static void
gid_lease_init(void *part, int tranche)
{
	GidLeaseTable *table = part;

	memset(table, 0, gid_lease_size());
	LWLockInitialize(&table->lock, tranche);
	table->size = gid_lease_limit();
}

const GidPart gid_lease_part = {
	.lock_name = "GidLease",
	.size_of = gid_lease_size,
	.init = gid_lease_init,
	.where = (void **) &gid_leases,
};

/* Are two keys equal?  Their members leave no gaps. */
bool
gid_lease_key_equal(const GidLeaseKey *a, const GidLeaseKey *b)
{
	return memcmp(a, b, sizeof(GidLeaseKey)) == 0;
}

/*
 * Take the idle lease of a key that was returned last.  Returns its entry, and
 * a copy in "lease"; or -1 when there is none.  Takes the lock GidLease.
 */
int
gid_lease_take(const GidLeaseKey *key, GidLease *lease)
{
	GidLeaseTable *table = gid_leases;
	GidLease   *entries = table->entries;
	int			best = -1;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	for (int i = 0; i < table->size; i++)
	{
		GidLease   *e = &entries[i];

		if (e->state == GID_LEASE_IDLE &&
			gid_lease_key_equal(&e->key, key) &&
			(best < 0 || e->stamp > entries[best].stamp))
			best = i;
	}
	if (best >= 0)
	{
		entries[best].state = GID_LEASE_HELD;
		*lease = entries[best];
	}
	LWLockRelease(&table->lock);
	return best;
}

/*
 * Enter a generator number (0 to 99999) that was just reserved, as held by
 * this backend, with counter 0.  "lsn" is the end of the reservation's record,
 * or invalid.  Returns the entry.  Takes the lock GidLease.
 */
int
gid_lease_add(const GidLeaseKey *key, int32 generator, XLogRecPtr lsn)
{
	GidLeaseTable *table = gid_leases;
	GidLease   *entries = table->entries;
	int64		now_us = gid_time_monotonic_us();
	int			best = -1;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	for (int i = 0; i < table->size; i++)
	{
		GidLease   *e = &entries[i];

		if (e->state == GID_LEASE_HELD)
			continue;
		if (e->state == GID_LEASE_FREE)
			e->stamp = 0;		/* before any idle lease */
		if (best < 0 || e->stamp < entries[best].stamp)
			best = i;
	}
	if (best >= 0)
	{
		entries[best].key = *key;
		entries[best].generator = generator;
		entries[best].counter = 0;
		entries[best].entered_us = now_us;
		entries[best].skipped = 0;
		entries[best].lsn = lsn;
		entries[best].state = GID_LEASE_HELD;
	}
	LWLockRelease(&table->lock);

	if (best < 0)
		elog(ERROR, "no entry for a DecimalId generator among %d",
			 table->size);
	return best;
}

/*
 * Return a held lease, with the counter of its last id (0 to 922337202) and
 * the number of counters that were passed over.  Takes the lock GidLease.
 */
void
gid_lease_return(int entry, int32 counter, int32 skipped)
{
	GidLeaseTable *table = gid_leases;
	GidLease   *e = &table->entries[entry];

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	e->counter = counter;
	e->skipped = skipped;
	e->stamp = ++table->stamp;
	/* no backend can use a lease whose counter is used up */
	e->state = counter < GID_DECIMAL_MAX_COUNTER ? GID_LEASE_IDLE : GID_LEASE_FREE;
	LWLockRelease(&table->lock);
}

/*
 * Return a copy of all entries at one moment, in the caller's memory, and
 * their number.  Takes the lock GidLease.  Raises 53200 without memory.  The
 * first call attaches.
 */
GidLease *
gid_lease_copy(int *size)
{
	GidLeaseTable *table;
	Size		bytes;
	GidLease   *copy;

	(void) gid_slot_mine();
	table = gid_leases;
	*size = table->size;
	bytes = mul_size(*size, sizeof(GidLease));
	copy = palloc(bytes);
	LWLockAcquire(&table->lock, LW_SHARED);
	memcpy(copy, table->entries, bytes);
	LWLockRelease(&table->lock);
	return copy;
}
