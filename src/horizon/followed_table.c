/*-------------------------------------------------------------------------
 *
 * horizon/followed_table.c
 *		The table of the sequences that readers follow.
 *
 * What readers have found out of a sequence is kept for all of them, so that
 * the first call of a session knows what the calls of others have found.
 *
 * State: in shared memory a row for each followed sequence, under the LWLock
 * GidFollowed, which is held while a sample is merged and a horizon is found.
 * Nothing is allocated or raised meanwhile.  When there are too many sequences
 * a row gives way: see gid_followed_table_choose().  A row has room for the
 * lockers of all backends and prepared transactions: if it had less, the
 * lockers without room would hold the horizon back under load.
 *
 * Crash, restart, promotion: all rows are empty.  A clock step has no effect.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lwlock.h"

#include "base/compat.h"
#include "horizon/followed_table.h"
#include "horizon/lockers.h"

/* Which sequence a row follows. */
typedef struct GidFollowedRow
{
	GidFollowedKey key;			/* lock */
	uint64		used;			/* number of the last use; 0: the row is free;
								 * lock */
	int64		asked_us;		/* monotonic time of the last call; lock */
} GidFollowedRow;

typedef struct GidFollowedTable
{
	LWLock		lock;
	uint64		versions;		/* the last one of any row; lock */
	uint64		uses;			/* number of the last use; lock */
	uint64		sets;			/* times that a sequence was set, or lost its
								 * row; lock */
	int64		evictions;		/* rows that another sequence took; lock */
	GidFollowedRow rows[GID_FOLLOWED_ROWS];
	/* the GidFollowed of each row: see gid_followed_table_row() */
} GidFollowedTable;

/* No version of a row has this bit. */
#define GID_FOLLOWED_NO_ROW		(UINT64CONST(1) << 63)

static GidFollowedTable *gid_followed_table = NULL;

/* ---- the table ---- */

static Size
gid_followed_table_row_size(void)
{
	return MAXALIGN(add_size(offsetof(GidFollowed, live),
							 mul_size(gid_lockers_max(), sizeof(GidLocker))));
}

static Size
gid_followed_table_size(void)
{
	return add_size(MAXALIGN(sizeof(GidFollowedTable)),
					mul_size(GID_FOLLOWED_ROWS, gid_followed_table_row_size()));
}

/* What is known of the sequence of a row. */
static GidFollowed *
gid_followed_table_row(int row)
{
	return (GidFollowed *) ((char *) gid_followed_table + MAXALIGN(sizeof(GidFollowedTable)) +
							row * gid_followed_table_row_size());
}

static void
gid_followed_table_init(void *part, int tranche)
{
	GidFollowedTable *table = part;

	LWLockInitialize(&table->lock, tranche);
}

const GidPart gid_followed_table_part = {
	.lock_name = "GidFollowed",
	.size_of = gid_followed_table_size,
	.init = gid_followed_table_init,
	.where = (void **) &gid_followed_table,
};

/* The row of a sequence, or -1.  The caller has the lock. */
static int
gid_followed_table_search(const GidFollowedKey *key)
{
	for (int i = 0; i < GID_FOLLOWED_ROWS; i++)
	{
		const GidFollowedRow *row = &gid_followed_table->rows[i];

		if (row->used != 0 && row->key.sequence == key->sequence && row->key.file == key->file &&
			row->key.database == key->database)
			return i;
	}
	return -1;
}

/* How many rows do sequences of an owner have? */
static int
gid_followed_table_share(Oid owner)
{
	int			share = 0;

	for (int i = 0; i < GID_FOLLOWED_ROWS; i++)
		share += gid_followed_table->rows[i].key.owner == owner ? 1 : 0;
	return share;
}

/*
 * Which row gives way to a sequence?  A free one, or the least recently used
 * one of the owner who has the most, the new sequence counted.  Otherwise a
 * role that may create sequences could stop the readers of all others.
 */
static int
gid_followed_table_choose(Oid owner)
{
	const GidFollowedRow *rows = gid_followed_table->rows;
	int			most = 0;
	int			row = 0;

	for (int i = 0; i < GID_FOLLOWED_ROWS; i++)
	{
		int			share = gid_followed_table_share(rows[i].key.owner) + (rows[i].key.owner == owner ? 1 : 0);

		if (rows[i].used == 0)
			return i;
		if (share > most || (share == most && rows[i].used < rows[row].used))
		{
			most = share;
			row = i;
		}
	}
	return row;
}

/* Give a row to a sequence.  The caller has the lock. */
static int
gid_followed_table_give(const GidFollowedKey *key)
{
	GidFollowedTable *table = gid_followed_table;
	int			row = gid_followed_table_choose(key->owner);

	if (table->rows[row].used != 0)
	{
		table->evictions++;
		/* what was merged or set in the row is unknown from now on */
		table->sets++;
	}
	table->rows[row].key = *key;
	/* no version comes again, so no sample from before is merged */
	gid_followed_clear(gid_followed_table_row(row), ++table->versions);
	return row;
}

/*
 * The version of what is known of a sequence.  Without a row it is one of the
 * table's, which changes when any sequence is set or loses its row.  So a
 * sample that was begun without a row is not merged if the sequence has had a
 * row since, and was set.  The caller has the lock.
 */
static uint64
gid_followed_table_version_of(int row)
{
	return row < 0 ? GID_FOLLOWED_NO_ROW | gid_followed_table->sets : gid_followed_table_row(row)->version;
}

/*
 * Return the version of what is known of a sequence.  The caller then reads a
 * sample, its position first.  The backend has attached.
 */
uint64
gid_followed_table_version(const GidFollowedKey *key)
{
	uint64		version;

	LWLockAcquire(&gid_followed_table->lock, LW_SHARED);
	version = gid_followed_table_version_of(gid_followed_table_search(key));
	LWLockRelease(&gid_followed_table->lock);
	return version;
}

/*
 * A setval() has moved a sequence, on its page: the next value is "value", or
 * follows it if "is_called".  Samples that others are reading may have the
 * position from before, and are not merged.  The backend has attached.
 */
void
gid_followed_table_was_set(const GidFollowedKey *key, int64 value, bool is_called)
{
	GidFollowedTable *table = gid_followed_table;
	int64		position = gid_followed_rank(key->ascending, value);
	int			row;

	if (is_called && position < PG_INT64_MAX)
		position++;
	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	row = gid_followed_table_search(key);
	table->sets++;
	if (row >= 0)
		gid_followed_move(gid_followed_table_row(row), position, ++table->versions);
	LWLockRelease(&table->lock);
}

/*
 * Merge a sample that was begun at "version", unless something has changed
 * since, and find the horizon of a snapshot.  If "ended" is NULL the caller
 * wants no horizon.  The sequence gets a row if it has none.
 */
void
gid_followed_table_merge(const GidFollowedKey *key, uint64 version, GidSample *sample,
						 const GidEnded *ended, int64 now_us, GidFound *found)
{
	GidFollowedTable *table = gid_followed_table;
	GidFollowed *followed;
	int			row;

	LWLockAcquire(&table->lock, LW_EXCLUSIVE);
	row = gid_followed_table_search(key);
	found->is_merged = gid_followed_table_version_of(row) == version;
	if (row < 0)
		row = gid_followed_table_give(key);
	table->rows[row].used = ++table->uses;
	table->rows[row].asked_us = now_us;
	followed = gid_followed_table_row(row);
	if (found->is_merged)
		gid_followed_merge(followed, sample, ++table->versions, now_us);
	found->life = followed->life;
	found->horizon = GID_FOLLOWED_UNKNOWN;
	found->is_known = ended != NULL && gid_followed_find(followed, ended, &found->horizon);
	LWLockRelease(&table->lock);
	found->horizon = gid_followed_rank(key->ascending, found->horizon);
}

/* ---- the view ---- */

/*
 * Return what is known of the sequence of a row, 0 to GID_FOLLOWED_ROWS - 1,
 * in a snapshot.  Returns false when the row is free, or another database's.
 * The backend has attached.
 */
bool
gid_followed_table_stat(int number, const GidEnded *ended, GidFollowedStat *stat)
{
	const GidFollowedRow *row = &gid_followed_table->rows[number];
	const GidFollowed *followed = gid_followed_table_row(number);
	int64		found = GID_FOLLOWED_UNKNOWN;

	memset(stat, 0, sizeof(*stat));
	LWLockAcquire(&gid_followed_table->lock, LW_SHARED);
	if (row->used == 0 || row->key.database != MyDatabaseId)
	{
		LWLockRelease(&gid_followed_table->lock);
		return false;
	}
	stat->key = row->key;
	stat->asked_us = row->asked_us;
	stat->is_known = gid_followed_find(followed, ended, &found);
	for (int i = 0; i < followed->nsamples && followed->samples[i].position > found; i++)
		stat->since_us = followed->samples[i].time_us;
	for (int i = 0; stat->since_us != 0 && i < followed->nlive; i++)
		stat->holders += followed->live[i].bound <= found ? 1 : 0;
	if (stat->is_known)
		stat->behind = (int64) ((uint64) followed->samples[0].position - (uint64) found);
	LWLockRelease(&gid_followed_table->lock);
	stat->horizon = gid_followed_rank(stat->key.ascending, found);
	return true;
}

/* How many sequences gave way to others?  The backend has attached. */
int64
gid_followed_table_evictions(void)
{
	int64		evictions;

	LWLockAcquire(&gid_followed_table->lock, LW_SHARED);
	evictions = gid_followed_table->evictions;
	LWLockRelease(&gid_followed_table->lock);
	return evictions;
}
