/*-------------------------------------------------------------------------
 *
 * horizon/followed.c
 *		What is known of a sequence that readers follow.  Pure.
 *
 * A sample is a position of the sequence, then the transactions that hold the
 * lock which every draw takes until its transaction's end, then the moment of
 * a snapshot, read in this order.  Samples are merged in an order: a sample
 * is merged only if nothing has changed since before its position was read.
 *
 * Why a horizon is right: take the newest sample whose moment a snapshot
 * covers.  A transaction that has drawn a value before its position, and has
 * not ended in the snapshot, held the lock when the position was read.  So it
 * was a locker of this sample.  Otherwise it had left the process array before
 * that moment, and has ended in the snapshot.  No value of a locker
 * is before its bound.
 *
 * State: a GidFollowed, which the caller locks.  horizon/followed_table.c has
 * its place in shared memory, and says what happens at a crash.  Nothing here
 * allocates memory or raises an error.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#include "horizon/followed.h"

/* ---- samples ---- */

/* Forget all samples: what they say of the sequence no longer holds. */
void
gid_followed_clear(GidFollowed *followed, uint64 version)
{
	followed->version = version;
	followed->life = version;
	followed->nsamples = 0;
	followed->first_gone = 0;
	followed->ngone = 0;
	followed->nlive = 0;
}

/*
 * The sequence was moved to "position" by something other than a draw.  A
 * sample that was begun before is not merged, because it may have the position
 * from before.
 */
void
gid_followed_move(GidFollowed *followed, int64 position, uint64 version)
{
	if (followed->nsamples > 0 && position < followed->samples[0].position)
		gid_followed_clear(followed, version);
	followed->version = version;
}

/*
 * Which sample gives way to a new one?  Samples are kept at growing distances:
 * fresh ones for readers whose snapshot is fresh, older ones for cursors and
 * REPEATABLE READ.  The eight last samples of a reader that polls all the time
 * would be milliseconds apart.
 */
static int
gid_followed_victim(const GidFollowed *followed, int64 now_us)
{
	const GidFollowedSample *samples = followed->samples;
	int			oldest = followed->nsamples - 1;
	int			victim = oldest;
	double		least = 1;

	if (now_us - samples[oldest - 1].time_us > GID_FOLLOWED_AGE_US)
		return oldest;
	for (int i = 1; i < oldest; i++)
	{
		double		share = (double) (samples[i - 1].time_us - samples[i + 1].time_us) /
		(double) (now_us - samples[i + 1].time_us + 1);

		if (share < least)
		{
			least = share;
			victim = i;
		}
	}
	return victim;
}

static void
gid_followed_drop(GidFollowed *followed, int victim)
{
	GidFollowedSample *sample = &followed->samples[victim];

	/* a bound that was lost for this sample counts for each older one */
	if (victim + 1 < followed->nsamples)
		sample[1].lost = Min(sample[1].lost, sample[0].lost);
	followed->nsamples--;
	memmove(sample, sample + 1, (followed->nsamples - victim) * sizeof(*sample));
}

/* Make a sample the last one. */
static void
gid_followed_push(GidFollowed *followed, const GidSample *sample, int64 now_us)
{
	GidFollowedSample *new = &followed->samples[0];

	if (followed->nsamples == GID_FOLLOWED_SAMPLES)
		gid_followed_drop(followed, gid_followed_victim(followed, now_us));
	memmove(new + 1, new, followed->nsamples * sizeof(*new));
	followed->nsamples++;
	new->version = followed->version;
	new->position = sample->position;
	new->lost = GID_FOLLOWED_NONE;
	new->time_us = now_us;
	new->taken = sample->taken;
}

/* ---- lockers ---- */

/* The oldest gone locker is not kept any more. */
static void
gid_followed_drop_gone(GidFollowed *followed)
{
	followed->first_gone = (followed->first_gone + 1) % GID_FOLLOWED_GONE;
	followed->ngone--;
}

/*
 * A locker has no room: its bound stays with the newest sample that is older
 * than its end, where it counts for that sample and for older ones.
 */
static void
gid_followed_lose(GidFollowed *followed, const GidGoneLocker *gone)
{
	for (int i = 0; i < followed->nsamples; i++)
	{
		GidFollowedSample *sample = &followed->samples[i];

		if (sample->version < gone->version)
		{
			sample->lost = Min(sample->lost, gone->bound);
			break;
		}
	}
}

/* The last sample has missed a locker. */
static void
gid_followed_leave(GidFollowed *followed, const GidLocker *locker)
{
	GidGoneLocker *gone = &followed->gone[followed->first_gone];

	if (followed->ngone == GID_FOLLOWED_GONE)
	{
		gid_followed_lose(followed, gone);
		gid_followed_drop_gone(followed);
	}
	gone = &followed->gone[(followed->first_gone + followed->ngone++) % GID_FOLLOWED_GONE];
	gone->xid = locker->xid;
	gone->bound = locker->bound;
	gone->version = followed->version;
}

/*
 * Put the lockers of a new sample into the place of those before.  A locker
 * that stays keeps its bound.  Any other has locked the sequence after the
 * position of the sample before was read, which is "bound".  That holds for
 * one that comes back with the same virtual id, too: a transaction that only
 * asked for a horizon may draw later.
 */
static void
gid_followed_replace(GidFollowed *followed, GidSample *sample, int64 bound)
{
	int			old = 0;

	for (int i = 0; i < sample->nlockers; i++)
	{
		GidLocker  *locker = &sample->lockers[i];

		locker->bound = bound;
		while (old < followed->nlive && followed->live[old].vxid < locker->vxid)
			gid_followed_leave(followed, &followed->live[old++]);
		if (old < followed->nlive && followed->live[old].vxid == locker->vxid)
		{
			locker->bound = followed->live[old].bound;
			if (locker->xid == 0)
				locker->xid = followed->live[old].xid;
			old++;
		}
	}
	while (old < followed->nlive)
		gid_followed_leave(followed, &followed->live[old++]);
	followed->nlive = sample->nlockers;
	memcpy(followed->live, sample->lockers, sample->nlockers * sizeof(GidLocker));
}

/*
 * Merge a sample.  The caller has seen that followed->version is what it was
 * before the position of the sample was read.  "version" is greater.  "live"
 * has room for the sample's lockers.
 */
void
gid_followed_merge(GidFollowed *followed, GidSample *sample, uint64 version, int64 now_us)
{
	int64		bound = GID_FOLLOWED_UNKNOWN;

	gid_followed_move(followed, sample->position, version);
	if (followed->nsamples > 0)
		bound = followed->samples[0].position;
	gid_followed_push(followed, sample, now_us);

	/* those that are missing from every sample that is kept */
	while (followed->ngone > 0 && followed->gone[followed->first_gone].version <=
		   followed->samples[followed->nsamples - 1].version)
		gid_followed_drop_gone(followed);
	gid_followed_replace(followed, sample, bound);
}

/* ---- the horizon ---- */

/*
 * Lower a horizon to the bound of a transaction that has not ended in a
 * snapshot.  One whose id was never seen may have got an id since.
 */
static int64
gid_followed_lower(int64 horizon, const GidEnded *ended, uint64 xid, int64 bound)
{
	return xid != 0 && gid_ended_has(ended, xid) ? horizon : Min(horizon, bound);
}

/*
 * Find the horizon of a snapshot.  Returns false when nothing can be said: no
 * sample is old enough, or a transaction that has not ended in the snapshot
 * has held the lock since before the first sample.
 */
bool
gid_followed_find(const GidFollowed *followed, const GidEnded *ended, int64 *horizon)
{
	int64		found = GID_FOLLOWED_NONE;

	for (int i = 0; i < followed->nsamples; i++)
	{
		const GidFollowedSample *sample = &followed->samples[i];

		found = Min(found, sample->lost);
		if (!gid_moment_covers(ended->taken, sample->taken))
			continue;
		found = Min(found, sample->position);
		for (int k = 0; k < followed->nlive; k++)
			found = gid_followed_lower(found, ended, followed->live[k].xid, followed->live[k].bound);
		for (int k = 0; k < followed->ngone; k++)
		{
			const GidGoneLocker *gone =
			&followed->gone[(followed->first_gone + k) % GID_FOLLOWED_GONE];

			/* the sample's moment was after an earlier one's end */
			if (gone->version > sample->version)
				found = gid_followed_lower(found, ended, gone->xid, gone->bound);
		}
		*horizon = found;
		return found != GID_FOLLOWED_UNKNOWN;
	}
	return false;
}
