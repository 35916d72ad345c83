/*-------------------------------------------------------------------------
 *
 * horizon/session_horizon.c
 *		The horizons that this session has been given, by snapshot.
 *
 * A statement may evaluate a stable function twice: as an index condition, and
 * in the output.  Between the two a transaction may end, or another
 * session may alter the sequence, and the second horizon would differ.  The
 * reader would go on from there, and lose the rows between the two.  So a
 * session gives one horizon for one snapshot.  A cursor may ask again later,
 * so this holds until the transaction ends.
 *
 * State: in this process, a bounded number of words and sequences, each with
 * its last horizons and the moments of their snapshots.  The least recently
 * used ones make room, but not those of the running transaction.  If there is
 * no room, the horizon is not known.
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
#include "horizon/session_horizon.h"

/* How many words and sequences a session remembers. */
#define GID_SESSION_HORIZON_KEYS			256

/* How many horizons of a word or sequence are kept in a transaction. */
#define GID_SESSION_HORIZONS_KEPT		8

/* What a session remembers of a word or sequence. */
struct GidSessionHorizons
{
	GidHorizonKey key;			/* of the hash table */
	uint64		used;			/* number of the last use */
	LocalTransactionId lxid;	/* transaction that has the horizons below */
	int			n;
	bool		has_forgotten;	/* there were more */
	GidMoment	taken[GID_SESSION_HORIZONS_KEPT];	/* snapshots, the last one
													 * first */
	GidHorizon	horizons[GID_SESSION_HORIZONS_KEPT];	/* and their horizons */
	GidMoment	last_taken;		/* snapshot of the last known horizon */
	GidHorizon	last;			/* that horizon, if is_known */
	uint64		last_life;		/* life of the sequence that it is of */
};

static HTAB *gid_session_horizons = NULL;

/* Make room for another word or sequence.  Returns false when there is none. */
static bool
gid_session_horizon_make_room(void)
{
	GidSessionHorizons *oldest = NULL;
	GidSessionHorizons *known;
	HASH_SEQ_STATUS status;

	hash_seq_init(&status, gid_session_horizons);
	while ((known = hash_seq_search(&status)) != NULL)
	{
		if (known->lxid != gid_my_lxid() && (oldest == NULL || known->used < oldest->used))
			oldest = known;
	}
	if (oldest == NULL)
		return false;
	(void) hash_search(gid_session_horizons, &oldest->key, HASH_REMOVE, NULL);
	return true;
}

/*
 * Return what this session remembers of a word or sequence, or NULL when it
 * cannot remember any more in this transaction.
 */
static GidSessionHorizons *
gid_session_horizon_lookup(GidHorizonKey key)
{
	static uint64 uses = 0;
	GidSessionHorizons *known;

	if (gid_session_horizons == NULL)
	{
		HASHCTL		control = {
			.keysize = sizeof(GidHorizonKey),
			.entrysize = sizeof(GidSessionHorizons),
		};

		gid_session_horizons = hash_create("gid horizons", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	known = hash_search(gid_session_horizons, &key, HASH_FIND, NULL);
	if (known == NULL)
	{
		if (hash_get_num_entries(gid_session_horizons) >= GID_SESSION_HORIZON_KEYS &&
			!gid_session_horizon_make_room())
			return NULL;
		known = hash_search(gid_session_horizons, &key, HASH_ENTER, NULL);
		memset((char *) known + sizeof(key), 0, sizeof(*known) - sizeof(key));
	}
	known->used = ++uses;
	return known;
}

/* Raise 55000 in recovery, or when "snapshot" (or NULL) was taken there. */
void
gid_session_horizon_check_recovery(const SnapshotData *snapshot)
{
	if (RecoveryInProgress() || (snapshot != NULL && snapshot->takenDuringRecovery))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a horizon cannot be found during recovery"),
				 errdetail("Only the primary knows which transactions have drawn ids."),
				 errhint("Ask the primary, and wait until this server has replayed what the primary had then.")));
}

/*
 * Read the active snapshot into the caller's memory.  If the caller is to find
 * the horizon, returns what it passes to gid_session_horizon_finish().
 * Otherwise returns NULL, and *horizon is what the snapshot has been given
 * before or, if no further one can be remembered, not known.
 *
 * Raises 55000 in recovery, and for a snapshot that was taken in recovery.
 */
GidSessionHorizons *
gid_session_horizon_begin(GidHorizonKey key, GidEnded *ended, GidHorizon *horizon)
{
	Snapshot	snapshot = GetActiveSnapshot();
	GidSessionHorizons *known;

	gid_session_horizon_check_recovery(snapshot);
	if (snapshot->snapshot_type != SNAPSHOT_MVCC)
		elog(ERROR, "a horizon needs an MVCC snapshot");

	gid_ended_read(snapshot, ended);
	known = gid_session_horizon_lookup(key);
	horizon->is_known = false;
	if (known == NULL)
		return NULL;
	if (known->lxid != gid_my_lxid())
	{
		known->n = 0;
		known->has_forgotten = false;
		known->lxid = gid_my_lxid();
	}
	for (int i = 0; i < known->n; i++)
	{
		if (gid_moment_covers(known->taken[i], ended->taken) &&
			gid_moment_covers(ended->taken, known->taken[i]))
		{
			*horizon = known->horizons[i];
			return NULL;
		}
	}
	return known;
}

/*
 * Remember the horizon of a snapshot, for which gid_session_horizon_begin()
 * has begun.  If the horizon is not known, the last known one is given
 * instead, provided that the snapshot covers the one of that horizon, and that
 * the sequence was not set back since: then its life is another one.  A word
 * has one life.
 */
void
gid_session_horizon_finish(GidSessionHorizons *known, const GidEnded *ended,
						   uint64 life, GidHorizon *horizon)
{
	const int	last = GID_SESSION_HORIZONS_KEPT - 1;

	/*
	 * A snapshot that is older than the last one, such as a cursor's, may
	 * have been given a horizon that was forgotten since.
	 */
	if (known->has_forgotten && !gid_moment_covers(ended->taken, known->taken[0]))
		horizon->is_known = false;
	if (known->last_life != life)
		known->last.is_known = false;
	if (!horizon->is_known && known->last.is_known &&
		gid_moment_covers(ended->taken, known->last_taken))
		*horizon = known->last;

	if (horizon->is_known)
	{
		known->last_taken = ended->taken;
		known->last = *horizon;
		known->last_life = life;
	}
	if (known->n > last)
		known->has_forgotten = true;
	known->n = Min(known->n + 1, GID_SESSION_HORIZONS_KEPT);
	memmove(&known->taken[1], &known->taken[0], last * sizeof(GidMoment));
	memmove(&known->horizons[1], &known->horizons[0], last * sizeof(GidHorizon));
	known->taken[0] = ended->taken;
	known->horizons[0] = *horizon;
}
