/*-------------------------------------------------------------------------
 *
 * horizon/ended.c
 *		Which transactions have ended in a snapshot.
 *
 * A transaction that has ended in a snapshot is visible in it, or never will
 * be.  Transaction ids have 64 bits here, so that a comparison of two of them
 * is right however much later it is made.  Only the 32-bit ids of a live
 * snapshot are widened.  All but reading a snapshot is pure.
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
#endif

#include "horizon/ended.h"

static bool
gid_ended_is_running(const GidEnded *ended, uint64 xid)
{
	int			low = 0;
	int			high = ended->taken.nrunning;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (ended->running[middle] < xid)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ended->taken.nrunning && ended->running[low] == xid;
}

/* Has a top-level transaction ended in a snapshot? */
bool
gid_ended_has(const GidEnded *ended, uint64 xid)
{
	return xid < ended->xmin || (xid < ended->taken.xmax && !gid_ended_is_running(ended, xid));
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
	int			n = 0;

	ended->xmin = gid_ended_widen(snapshot->xmin, next);
	ended->taken.xmax = gid_ended_widen(snapshot->xmax, next);
	ended->running = palloc((snapshot->xcnt + 1) * sizeof(uint64));
	for (uint32 i = 0; i < snapshot->xcnt; i++)
		ended->running[n++] = gid_ended_widen(snapshot->xip[i], next);
	/* an id that was assigned after the snapshot is xmax or later */
	if (own >= ended->xmin && own < ended->taken.xmax)
		ended->running[n++] = own;
	gid_ended_sort(ended->running, n);
	/* one that is just being prepared is there twice */
	ended->taken.nrunning = 0;
	for (int i = 0; i < n; i++)
	{
		if (i == 0 || ended->running[i] != ended->running[i - 1])
			ended->running[ended->taken.nrunning++] = ended->running[i];
	}
}

#endif							/* !FRONTEND */
