/*-------------------------------------------------------------------------
 *
 * horizon/answer.c
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
#include "horizon/answer.h"

/* How many words and sequences a session remembers. */
#define GID_ANSWER_KEYS			256

/* How many horizons of a word or sequence are kept in a transaction. */
#define GID_ANSWERS_KEPT		8

/* What a session remembers of a word or sequence. */
typedef struct GidAnswers
{
	GidAnswerKey key;			/* of the hash table */
	uint64		used;			/* number of the last use */
	LocalTransactionId lxid;	/* transaction that has the horizons below */
	int			n;
	bool		has_forgotten;	/* there were more */
	GidTaken	taken[GID_ANSWERS_KEPT];	/* snapshots, the last one first */
	GidHorizon	horizons[GID_ANSWERS_KEPT]; /* and their horizons */
	GidTaken	last_taken;		/* snapshot of the last known horizon */
	GidHorizon	last;			/* that horizon, if is_known */
	uint64		last_life;		/* life of the sequence that it is of */
} GidAnswers;

static HTAB *gid_answers = NULL;

/* Of the word or sequence whose horizon is being found. */
static GidAnswers *gid_answer_begun = NULL;

/* Make room for another word or sequence.  Returns false when there is none. */
static bool
gid_answer_make_room(void)
{
	GidAnswers *oldest = NULL;
	GidAnswers *answers;
	HASH_SEQ_STATUS status;

	hash_seq_init(&status, gid_answers);
	while ((answers = hash_seq_search(&status)) != NULL)
	{
		if (answers->lxid != gid_my_lxid() && (oldest == NULL || answers->used < oldest->used))
			oldest = answers;
	}
	if (oldest == NULL)
		return false;
	(void) hash_search(gid_answers, &oldest->key, HASH_REMOVE, NULL);
	return true;
}

/*
 * Return what this session remembers of a word or sequence, or NULL when it
 * cannot remember any more in this transaction.
 */
static GidAnswers *
gid_answer_lookup(GidAnswerKey key)
{
	static uint64 uses = 0;
	GidAnswers *answers;
	bool		found;

	if (gid_answers == NULL)
	{
		HASHCTL		control = {.keysize = sizeof(GidAnswerKey),.entrysize = sizeof(GidAnswers)};

		gid_answers = hash_create("gid horizons", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	answers = hash_search(gid_answers, &key, HASH_FIND, NULL);
	if (answers == NULL)
	{
		if (hash_get_num_entries(gid_answers) >= GID_ANSWER_KEYS && !gid_answer_make_room())
			return NULL;
		answers = hash_search(gid_answers, &key, HASH_ENTER, &found);
		memset((char *) answers + sizeof(key), 0, sizeof(*answers) - sizeof(key));
	}
	answers->used = ++uses;
	return answers;
}

/* Raise 55000 in recovery, or when "snapshot" (or NULL) was taken there. */
void
gid_answer_prevent(const SnapshotData *snapshot)
{
	if (RecoveryInProgress() || (snapshot != NULL && snapshot->takenDuringRecovery))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a horizon cannot be found during recovery"),
				 errdetail("Only the primary knows which transactions have drawn ids."),
				 errhint("Ask the primary, and wait until this server has replayed what the primary had then.")));
}

/*
 * Read the active snapshot into the caller's memory.  Returns whether the
 * caller is to find the horizon, and to call gid_answer_finish().  Otherwise
 * *horizon is what the snapshot has been given before or, if no further one
 * can be remembered, not known.
 *
 * Raises 55000 in recovery, and for a snapshot that was taken in recovery.
 */
bool
gid_answer_begin(GidAnswerKey key, GidEnded *ended, GidHorizon *horizon)
{
	Snapshot	snapshot = GetActiveSnapshot();
	GidAnswers *answers;

	gid_answer_prevent(snapshot);
	if (snapshot->snapshot_type != SNAPSHOT_MVCC)
		elog(ERROR, "a horizon needs an MVCC snapshot");

	gid_ended_read(snapshot, ended);
	answers = gid_answer_lookup(key);
	horizon->is_known = false;
	if (answers == NULL)
		return false;
	if (answers->lxid != gid_my_lxid())
	{
		answers->n = 0;
		answers->has_forgotten = false;
		answers->lxid = gid_my_lxid();
	}
	for (int i = 0; i < answers->n; i++)
	{
		if (gid_taken_covers(answers->taken[i], ended->taken) &&
			gid_taken_covers(ended->taken, answers->taken[i]))
		{
			*horizon = answers->horizons[i];
			return false;
		}
	}
	gid_answer_begun = answers;
	return true;
}

/*
 * Remember the horizon of a snapshot, for which gid_answer_begin() has begun.
 * If the horizon is not known, the last known one is given instead, provided
 * that the snapshot covers the one of that horizon, and that the sequence was
 * not set back since: then its life is another one.  A word has one life.
 */
void
gid_answer_finish(const GidEnded *ended, uint64 life, GidHorizon *horizon)
{
	GidAnswers *answers = gid_answer_begun;
	const int	last = GID_ANSWERS_KEPT - 1;

	/*
	 * A snapshot that is older than the last one, such as a cursor's, may
	 * have been given a horizon that was forgotten since.
	 */
	if (answers->has_forgotten && !gid_taken_covers(ended->taken, answers->taken[0]))
		horizon->is_known = false;
	if (answers->last_life != life)
		answers->last.is_known = false;
	if (!horizon->is_known && answers->last.is_known &&
		gid_taken_covers(ended->taken, answers->last_taken))
		*horizon = answers->last;

	if (horizon->is_known)
	{
		answers->last_taken = ended->taken;
		answers->last = *horizon;
		answers->last_life = life;
	}
	if (answers->n > last)
		answers->has_forgotten = true;
	answers->n = Min(answers->n + 1, GID_ANSWERS_KEPT);
	memmove(&answers->taken[1], &answers->taken[0], last * sizeof(GidTaken));
	memmove(&answers->horizons[1], &answers->horizons[0], last * sizeof(GidHorizon));
	answers->taken[0] = ended->taken;
	answers->horizons[0] = *horizon;
}
