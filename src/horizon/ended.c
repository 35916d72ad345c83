/*-------------------------------------------------------------------------
 *
 * horizon/ended.c
 *		Which transactions have ended in a snapshot.
 *
 * A transaction that has ended in a snapshot is visible in it, or never will
 * be.  Transaction ids have 64 bits here, so that a comparison of two of them
 * is right however much later it is made.  Only the 32-bit ids of a live
 * snapshot are widened.  All but reading and copying a snapshot is pure.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "base/pure.h"

#ifndef FRONTEND
#include "access/transam.h"
#include "access/xact.h"
#include "utils/memutils.h"
#endif

#include "horizon/ended.h"

static bool
gid_ended_is_running(const GidEnded *ended, uint64 xid)
{
	int			low = 0;
	int			high = ended->nrunning;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (ended->running[middle] < xid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ended->nrunning && ended->running[low] == xid;
}

/* Has a top-level transaction ended in a snapshot? */
bool
gid_ended_has(const GidEnded *ended, uint64 xid)
{
	return xid < ended->xmin || (xid < ended->xmax && !gid_ended_is_running(ended, xid));
}

/* Has every transaction that has ended in "earlier" ended in "later"? */
bool
gid_ended_covers(const GidEnded *later, const GidEnded *earlier)
{
	if (later->xmax < earlier->xmax)
		return false;
	for (int i = 0; i < later->nrunning; i++)
	{
		if (gid_ended_has(earlier, later->running[i]))
			return false;
	}
	return true;
}

/* Have two snapshots the same contents? */
bool
gid_ended_equals(const GidEnded *a, const GidEnded *b)
{
	if (a->xmin != b->xmin || a->xmax != b->xmax || a->nrunning != b->nrunning)
		return false;
	for (int i = 0; i < a->nrunning; i++)
	{
		if (a->running[i] != b->running[i])
			return false;
	}
	return true;
}

#ifndef FRONTEND

/* qsort() with a comparison that is inlined */
#define ST_SORT gid_ended_sort
#define ST_ELEMENT_TYPE uint64
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * Read the contents of a live MVCC snapshot, into the caller's memory.  The
 * snapshot names all running top-level transactions but this backend's, even
 * if it is suboverflowed.
 */
void
gid_ended_read(Snapshot snapshot, GidEnded *ended)
{
	uint64		next = U64FromFullTransactionId(ReadNextFullTransactionId());
	uint64		own = U64FromFullTransactionId(GetTopFullTransactionIdIfAny());

	ended->xmin = gid_ended_widen(snapshot->xmin, next);
	ended->xmax = gid_ended_widen(snapshot->xmax, next);
	ended->nrunning = (int) snapshot->xcnt;
	ended->running = palloc((ended->nrunning + 1) * sizeof(uint64));
	for (int i = 0; i < ended->nrunning; i++)
		ended->running[i] = gid_ended_widen(snapshot->xip[i], next);
	/* an id that was assigned after the snapshot is xmax or later */
	if (own >= ended->xmin && own < ended->xmax)
		ended->running[ended->nrunning++] = own;
	gid_ended_sort(ended->running, ended->nrunning);
}

/* Return a copy that lasts until gid_ended_free(). */
GidEnded
gid_ended_copy(const GidEnded *ended)
{
	GidEnded	copy = *ended;

	copy.running = MemoryContextAlloc(TopMemoryContext,
									  Max(ended->nrunning, 1) * sizeof(uint64));
	memcpy(copy.running, ended->running, ended->nrunning * sizeof(uint64));
	return copy;
}

/* Free a copy of gid_ended_copy(). */
void
gid_ended_free(GidEnded *ended)
{
	pfree(ended->running);
	ended->running = NULL;
}

#endif							/* !FRONTEND */
