/*-------------------------------------------------------------------------
 *
 * base/horizon.c
 *		The horizons that this session has been given, by snapshot.
 *
 * The planner may evaluate a stable function twice in a statement: as an index
 * condition, and in the output.  Meanwhile a transaction of the snapshot's
 * past may leave its slot, and the second horizon would be greater.  The
 * reader would go on from there, and lose what lies between.  So a session
 * gives one horizon for one snapshot.  A cursor may ask again later, so this
 * holds until the transaction ends.
 *
 * State: in this process, the last horizons of each word and sequence, with
 * the contents of their snapshots.
 *
 * Invariants:
 * 1. In a transaction, the horizon is the same for snapshots with the same
 *	  contents, whether it is known or not.
 * 2. A horizon stays true for every snapshot in which all has ended that had
 *	  ended in its own.  So where nothing can be said about a snapshot, an
 *	  earlier horizon of the session serves.
 * 3. Only the last horizons of a transaction are kept.  For a snapshot that is
 *	  older than the last one, such as an open cursor's, a horizon may have
 *	  been forgotten.  Then nothing is said.
 *
 * All of it is gone with the session.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xlog.h"
#include "utils/hsearch.h"
#include "utils/snapmgr.h"

#include "base/compat.h"
#include "base/horizon.h"

/* How many horizons of a word or sequence are kept. */
#define GID_HORIZONS_KEPT		8

/* How many words and sequences a session keeps them of. */
#define GID_HORIZON_KEYS		10000

/* The horizons of a word or sequence, the last one first. */
typedef struct GidHorizons
{
	GidHorizonKey key;			/* of the hash table */
	LocalTransactionId lxid;	/* transaction that has the horizons below */
	int			n;
	bool		has_forgotten;	/* there were more */
	GidEnded	ended[GID_HORIZONS_KEPT];	/* snapshots */
	GidHorizon	horizons[GID_HORIZONS_KEPT];	/* and their horizons */
	GidEnded	last_ended;		/* snapshot of the last known horizon */
	GidHorizon	last;			/* that horizon, if is_known */
} GidHorizons;

static HTAB *gid_horizons = NULL;

/* The horizons of a word or sequence. */
static GidHorizons *
gid_horizon_entry(GidHorizonKey key)
{
	GidHorizons *entry;
	bool		found;

	if (gid_horizons == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(GidHorizonKey),.entrysize = sizeof(GidHorizons)};

		gid_horizons = hash_create("gid horizons", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	entry = hash_search(gid_horizons, &key, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;
	if (hash_get_num_entries(gid_horizons) >= GID_HORIZON_KEYS)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("this session asks for the horizons of too many sequences"),
				 errdetail("A session remembers the horizons of %d sequences.", GID_HORIZON_KEYS),
				 errhint("Use more than one session.")));
	entry = hash_search(gid_horizons, &key, HASH_ENTER, &found);
	memset((char *) entry + sizeof(key), 0, sizeof(*entry) - sizeof(key));
	return entry;
}

/* Begin with no horizon in a new transaction. */
static void
gid_horizon_clear(GidHorizons *entry)
{
	while (entry->n > 0)
		gid_ended_free(&entry->ended[--entry->n]);
	entry->has_forgotten = false;
	entry->lxid = gid_my_lxid();
}

/* The values of a sequence were set back: its horizons are not true any more. */
void
gid_horizon_forget(GidHorizonKey key)
{
	GidHorizons *entry = gid_horizon_entry(key);

	gid_horizon_clear(entry);
	if (entry->last.is_known)
		gid_ended_free(&entry->last_ended);
	entry->last.is_known = false;
}

/* Raise 55000 in recovery, or when "snapshot", which may be NULL, was taken there. */
void
gid_horizon_prevent(const SnapshotData *snapshot)
{
	if (RecoveryInProgress() || (snapshot != NULL && snapshot->takenDuringRecovery))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a horizon cannot be found during recovery"),
				 errdetail("Only the primary knows which transactions have drawn ids."),
				 errhint("Ask the primary, and wait until this server has replayed what the primary had then.")));
}

/*
 * Read the active snapshot into the caller's memory, and look for the horizon
 * that it was given.  Returns false when there is none: then the caller finds
 * the horizon and calls gid_horizon_finish().
 *
 * Raises 55000 in recovery, and for a snapshot that was taken in recovery or
 * is none of a transaction.
 */
bool
gid_horizon_begin(GidHorizonKey key, GidEnded *ended, GidHorizon *horizon)
{
	Snapshot	snapshot = GetActiveSnapshot();
	GidHorizons *entry;

	gid_horizon_prevent(snapshot);
	if (snapshot->snapshot_type != SNAPSHOT_MVCC)
		elog(ERROR, "a horizon needs an MVCC snapshot");

	gid_ended_read(snapshot, ended);
	entry = gid_horizon_entry(key);
	if (entry->lxid != gid_my_lxid())
		gid_horizon_clear(entry);
	for (int i = 0; i < entry->n; i++)
	{
		if (gid_ended_equals(&entry->ended[i], ended))
		{
			*horizon = entry->horizons[i];
			return true;
		}
	}
	return false;
}

/*
 * Keep the horizon of a snapshot, for which gid_horizon_begin() has returned
 * false.  If the horizon is not known, an earlier one takes its place where
 * that is true.
 */
void
gid_horizon_finish(GidHorizonKey key, const GidEnded *ended, GidHorizon *horizon)
{
	GidHorizons *entry = gid_horizon_entry(key);
	int			last = GID_HORIZONS_KEPT - 1;
	GidEnded	copy;

	if (entry->has_forgotten && !gid_ended_covers(ended, &entry->ended[0]))
		horizon->is_known = false;
	if (!horizon->is_known && entry->last.is_known &&
		gid_ended_covers(ended, &entry->last_ended))
		*horizon = entry->last;

	/* after the memory has been obtained nothing can fail */
	copy = gid_ended_copy(ended);
	if (horizon->is_known)
	{
		GidEnded	last_ended = gid_ended_copy(ended);

		if (entry->last.is_known)
			gid_ended_free(&entry->last_ended);
		entry->last_ended = last_ended;
		entry->last = *horizon;
	}
	if (entry->n > last)
	{
		gid_ended_free(&entry->ended[last]);
		entry->has_forgotten = true;
	}
	entry->n = Min(entry->n + 1, GID_HORIZONS_KEPT);
	memmove(&entry->ended[1], &entry->ended[0], last * sizeof(GidEnded));
	memmove(&entry->horizons[1], &entry->horizons[0], last * sizeof(GidHorizon));
	entry->ended[0] = copy;
	entry->horizons[0] = *horizon;
}
