/*-------------------------------------------------------------------------
 *
 * sequence/timeline.c
 *		Passing over values on a new timeline.
 *
 * A promotion, and the end of a restore to a point in time, begin a new
 * timeline.  Values that were reserved before, by records that this server
 * does not have, may have been handed out.  So the first reservation from a
 * sequence on the new timeline passes over some values; sequence/reserve.c
 * says how many, in passes.
 *
 * One pass is not enough for a chain of promotions.  A server that was
 * promoted and lost has passed over values itself, and handed out the values
 * behind them; the next server must pass over both.  Each promoted server
 * takes a timeline number of its own, the first that it does not find in
 * pg_wal or the archive.  So the sequence's last timeline and the server's own
 * tell how many such servers there can have been, even if their WAL never came
 * here.
 *
 * State: in this process the timelines of the server's history, which does not
 * change while a server runs; in shared memory what the view shows, and the
 * moment that stands for the beginning of a timeline whose history is missing.
 *
 * Invariants:
 * 1. A sequence passes over values when the LSN of its page is not beyond the
 *	  point where the timeline began.  The reservation itself moves the LSN, in
 *	  the same record.  So a sequence passes over values once on a timeline,
 *	  also over crashes and restarts.
 * 2. The number of passes is the difference of two timelines' numbers: the
 *	  server's, and that of the timeline in its history to which the LSN
 *	  belongs.
 * 3. On the first timeline no sequence passes over values.
 * 4. A file that writes no WAL was made by the running transaction, on this
 *	  timeline, and passes over nothing.  The callers see to that.
 * 5. Without the history file of its timeline the server cannot tell which
 *	  pages were changed since the timeline began.  Then only those count that
 *	  were changed since the server's start, and all others pass over values as
 *	  if they were of timeline 1.  That leaves gaps at each start, and repeats
 *	  nothing.
 *
 * What the owner does to a sequence before gid's first reservation on the new
 * timeline, by nextval(), setval() or ALTER SEQUENCE, moves the LSN as well.
 * Then gid passes over nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/timeline.h"
#include "access/xlog.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "base/settings.h"
#include "sequence/reserve.h"
#include "sequence/timeline.h"

/* What the view shows, and the moment in place of a missing history. */
typedef struct GidTimelineState
{
	pg_atomic_uint64 sequences; /* that passed over values; fetch_add */
	pg_atomic_uint64 values;	/* that were passed over; fetch_add */
	pg_atomic_uint64 begin;		/* XLogRecPtr: pages that are later were
								 * changed since the server's start; 0 until
								 * it is needed; CAS */
} GidTimelineState;

static GidTimelineState *gid_timeline_state = NULL;

/* The server's history, the present timeline first. */
static const GidTimeline *gid_timelines = NULL;
static int	gid_ntimelines = 0;
static bool gid_timeline_is_known = false;	/* has it a history file? */

static void
gid_timeline_init(void *part, int tranche)
{
	GidTimelineState *state = part;

	pg_atomic_init_u64(&state->sequences, 0);
	pg_atomic_init_u64(&state->values, 0);
	pg_atomic_init_u64(&state->begin, InvalidXLogRecPtr);
}

const GidPart gid_timeline_part = {
	.size = sizeof(GidTimelineState),
	.init = gid_timeline_init,
	.where = (void **) &gid_timeline_state,
};

/*
 * Where pages begin that were surely changed on this timeline, if its history
 * is missing: at the end of the WAL when this is first called after a start of
 * the server.  That call logs it.
 */
static XLogRecPtr
gid_timeline_begin_unknown(TimeLineID id)
{
	uint64		begin = InvalidXLogRecPtr;
	XLogRecPtr	now = GetXLogInsertRecPtr();

	if (!pg_atomic_compare_exchange_u64(&gid_timeline_state->begin, &begin, now))
		return begin;
	ereport(LOG,
			(errcode(ERRCODE_UNDEFINED_FILE),
			 errmsg("gid: the history file of timeline %u is missing", id),
			 errdetail("gid cannot tell where the timeline began, so each sequence passes over values once after each start of the server."),
			 errhint("Restore file \"%08X.history\" in pg_wal, and restart the server.", id)));
	return now;
}

/*
 * Read the history of the server's timeline, at the first call.  Raises the
 * server's errors when its file cannot be read.  The server is not in
 * recovery, and the backend has attached.
 */
static void
gid_timeline_load(void)
{
	List	   *history;
	ListCell   *cell;
	GidTimeline *timelines;
	int			n = 0;

	if (likely(gid_timelines != NULL))
		return;
	history = readTimeLineHistory(GetWALInsertionTimeLine());
	timelines = MemoryContextAllocZero(TopMemoryContext,
									   (list_length(history) + 1) * sizeof(GidTimeline));
	foreach(cell, history)
	{
		const TimeLineHistoryEntry *entry = lfirst(cell);

		timelines[n].id = entry->tli;
		timelines[n++].begin = entry->begin;
	}
	list_free_deep(history);
	/* without its file a timeline is alone in its history */
	gid_timeline_is_known = n > 1 || timelines[0].id == 1;
	if (!gid_timeline_is_known)
	{
		timelines[0].begin = gid_timeline_begin_unknown(timelines[0].id);
		timelines[n++].id = 1;
	}
	gid_ntimelines = n;
	gid_timelines = timelines;
}

/*
 * The server's timeline.  Errors and what is needed are those of
 * gid_timeline_load().
 */
GidTimeline
gid_timeline_current(void)
{
	GidTimeline current;

	gid_timeline_load();
	current = gid_timelines[0];
	if (!gid_timeline_is_known)
		current.begin = InvalidXLogRecPtr;
	return current;
}

/*
 * Get ready for gid_timeline_skip(), which is called with a page locked.
 * Errors, and what is needed, are those of gid_timeline_load().
 */
void
gid_timeline_prepare(void)
{
	gid_timeline_load();
}

/*
 * Pass over values of a sequence, if "page_lsn", the LSN of its page, is not
 * beyond the point where the timeline began.  GID_TIMELINE_NO_LSN stands for a
 * page that writes no WAL.  *seq has the state of the page, and is moved on.
 * *passed says which values were passed over.
 */
void
gid_timeline_skip(XLogRecPtr page_lsn, GidSequence *seq, const GidRequest *request,
				  GidPassedOver *passed)
{
	int			i = 0;
	uint32		passes;

	/* a record that ends where a timeline begins is of an earlier timeline */
	while (i < gid_ntimelines - 1 && page_lsn <= gid_timelines[i].begin)
		i++;
	passed->count = 0;
	passed->since = gid_timelines[i].id;
	passes = gid_timelines[0].id - passed->since;
	if (likely(passes == 0) || gid_timeline_skip_setting == 0)
		return;

	if (request->kind == GID_REQUEST_WITHIN)
	{
		passed->count = gid_reserve_skip_numbers(seq, passes, request->floor, request->ceiling,
												 request->most_skipped);
		/* a launch that begins here begins with the numbers passed over */
		if (passed->count > 0 && seq->last_value < request->floor)
		{
			seq->last_value = request->floor;
			seq->is_called = false;
		}
	}
	/* the largest block of any session, whatever gid.max_block_size is here */
	else if (request->kind != GID_REQUEST_WHOLE)
		passed->count = gid_reserve_skip_count(seq, passes, gid_timeline_skip_setting,
											   seq->cache > 1 ? seq->cache : GID_MAX_BLOCK_SIZE);
	if (passed->count == 0)
		return;
	passed->first = seq->is_called ? seq->last_value + seq->increment : seq->last_value;
	gid_reserve_skip(seq, passed->count);
	passed->last = seq->last_value;
}

/*
 * Log which values a sequence has passed over, and count them for the view.
 * The caller holds no lock.
 */
void
gid_timeline_log(const GidOpenSequence *open, const GidPassedOver *passed)
{
	if (likely(passed->count == 0))
		return;
	pg_atomic_fetch_add_u64(&gid_timeline_state->sequences, 1);
	pg_atomic_fetch_add_u64(&gid_timeline_state->values, (int64) passed->count);
	ereport(LOG,
			(errmsg("gid: sequence \"%s\" passes over %llu values on timeline %u",
					RelationGetRelationName(open->rel), (unsigned long long) passed->count,
					gid_timelines[0].id),
			 errdetail("The sequence was last changed on timeline %u. Values %lld to %lld may have been handed out since, by a server that was lost.",
					   passed->since, (long long) passed->first, (long long) passed->last)));
}

/*
 * How many times a sequence has passed over values, and how many values in
 * all.  The first call attaches.
 */
void
gid_timeline_stat(int64 *sequences, int64 *values)
{
	(void) gid_slot_mine();
	*sequences = (int64) pg_atomic_read_u64(&gid_timeline_state->sequences);
	*values = (int64) pg_atomic_read_u64(&gid_timeline_state->values);
}
