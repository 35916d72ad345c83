/*-------------------------------------------------------------------------
 *
 * horizon/answer.h
 *		The horizons that this session has been given, by snapshot.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_ANSWER_H
#define GID_HORIZON_ANSWER_H

#include "horizon/ended.h"

/* How many horizons of a word or sequence are kept in a transaction. */
#define GID_ANSWERS_KEPT		8

/* A horizon. */
typedef struct GidHorizon
{
	bool		is_known;		/* else: nothing can be said */
	int64		value;
} GidHorizon;

/* What a horizon is of: a word or a sequence.  The members leave no gap. */
typedef struct GidAnswerKey
{
	Oid			sequence;		/* InvalidOid: a word */
	uint32		word;			/* its number */
} GidAnswerKey;

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

extern void gid_answer_prevent(const SnapshotData *snapshot);
extern GidAnswers *gid_answer_begin(GidAnswerKey key, GidEnded *ended, GidHorizon *horizon);
extern void gid_answer_finish(GidAnswers *answers, const GidEnded *ended, uint64 life,
							  GidHorizon *horizon);

#endif							/* GID_HORIZON_ANSWER_H */
