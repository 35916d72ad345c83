/*-------------------------------------------------------------------------
 *
 * sequence/timeline.c
 *		Passing over values on a new timeline.
 *
 * A promotion, and the end of a restore to a point in time, begin a new
 * timeline.  Values that were reserved before, by records that this server
 * does not have, were perhaps handed out.  So the first reservation from a
 * sequence on the new timeline passes over some values; sequence/skip.c says
 * how many.
 *
 * State: in this process the timeline, which does not change while a server
 * runs; in shared memory what the view shows.
 *
 * Invariants:
 * 1. A sequence passes over values when the LSN of its page is not beyond the
 *	  point where the timeline began.  The reservation itself moves the LSN, in
 *	  the same record.  So a sequence passes over values once on a timeline,
 *	  also over crashes and restarts.
 * 2. On the first timeline no sequence passes over values.
 * 3. A file that writes no WAL was made by the running transaction, on this
 *	  timeline, and passes over nothing.  The callers see to that.
 *
 * What the owner does to a sequence before gid's first reservation on the new
 * timeline, by nextval(), setval() or ALTER SEQUENCE, moves the LSN, too.
 * Then gid passes over nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/timeline.h"
#include "access/xlog.h"
#include "utils/rel.h"

#include "attach/backend_slot.h"
#include "base/compat.h"
#include "base/settings.h"
#include "sequence/skip.h"
#include "sequence/timeline.h"

/* What the view shows, and which missing history was logged. */
typedef struct GidTimelineState
{
	pg_atomic_uint64 sequences; /* that passed over values; fetch_add */
	pg_atomic_uint64 values;	/* that were passed over; fetch_add */
	pg_atomic_uint32 logged;	/* timeline whose history is missing; CAS */
} GidTimelineState;

static GidTimelineState *gid_timeline_state = NULL;

static Size
gid_timeline_size(void)
{
	return sizeof(GidTimelineState);
}

static void
gid_timeline_init(void *part, int tranche)
{
	GidTimelineState *state = part;

	pg_atomic_init_u64(&state->sequences, 0);
	pg_atomic_init_u64(&state->values, 0);
	pg_atomic_init_u32(&state->logged, 0);
}

const GidPart gid_timeline_part = {
	.size = gid_timeline_size,
	.init = gid_timeline_init,
	.where = (void **) &gid_timeline_state,
};

/* Log, once, that the history of a timeline is missing. */
static void
gid_timeline_log_missing(TimeLineID id)
{
	uint32		logged = pg_atomic_read_u32(&gid_timeline_state->logged);

	if (logged == id ||
		!pg_atomic_compare_exchange_u32(&gid_timeline_state->logged, &logged, id))
		return;
	ereport(LOG,
			(errcode(ERRCODE_UNDEFINED_FILE),
			 errmsg("gid: the history file of timeline %u is missing", id),
			 errdetail("gid cannot tell where the timeline began, so no sequence passes over values."),
			 errhint("Restore file \"%08X.history\" in pg_wal, or advance the sequences with setval().", id)));
}

/*
 * The server's timeline.  Reads its history file at the first call.  Raises
 * the server's errors when that file cannot be read.  The server is not in
 * recovery, and the backend has attached.
 */
GidTimeline
gid_timeline_current(void)
{
	static GidTimeline current = {0};
	TimeLineID	id = GetWALInsertionTimeLine();
	List	   *history;

	if (likely(current.id == id))
		return current;
	current.begin = InvalidXLogRecPtr;
	if (id > 1)
	{
		history = readTimeLineHistory(id);
		current.begin = ((TimeLineHistoryEntry *) linitial(history))->begin;
		list_free_deep(history);
		if (XLogRecPtrIsInvalid(current.begin))
			gid_timeline_log_missing(id);
	}
	current.id = id;
	return current;
}

/*
 * Raise 55000 if a sequence may have to pass over values, and the value of
 * gid.timeline_skip was refused.
 */
void
gid_timeline_check(const GidTimeline *timeline)
{
	if (unlikely(gid_timeline_skip_setting == GID_SETTING_REFUSED) &&
		!XLogRecPtrIsInvalid(timeline->begin))
		gid_setting_raise(GID_SETTING_TIMELINE_SKIP);
}

/* The size of the largest block that a sequence could have had. */
static int64
gid_timeline_largest_block(const GidSequence *seq)
{
	return seq->cache > 1 ? seq->cache : gid_max_block_size;
}

/*
 * Pass over values of a sequence, if "page_lsn", the LSN of its page, is not
 * beyond the point where the timeline began.  GID_TIMELINE_NO_LSN stands for a
 * page that writes no WAL.  *seq has the state of the page, and is moved on.
 * *passed says which values were passed over.
 */
void
gid_timeline_skip(const GidTimeline *timeline, XLogRecPtr page_lsn,
				  GidSequence *seq, const GidRequest *request,
				  GidPassedOver *passed)
{
	passed->count = 0;
	if (likely(XLogRecPtrIsInvalid(timeline->begin) || page_lsn > timeline->begin) ||
		gid_timeline_skip_setting == 0)
		return;

	if (request->kind == GID_REQUEST_WITHIN)
	{
		passed->count = gid_skip_numbers(seq, request->floor, request->ceiling,
										 request->most_skipped);
		/* a launch that begins here begins with the numbers passed over */
		if (passed->count > 0 && seq->last_value < request->floor)
		{
			seq->last_value = request->floor;
			seq->is_called = false;
		}
	}
	else if (request->kind != GID_REQUEST_WHOLE)
		passed->count = gid_skip_count(seq, gid_timeline_skip_setting,
									   gid_timeline_largest_block(seq));
	if (passed->count == 0)
		return;
	passed->first = seq->is_called ? seq->last_value + seq->increment : seq->last_value;
	gid_skip(seq, passed->count);
	passed->last = seq->last_value;
}

/*
 * Log which values a sequence has passed over, and count them for the view.
 * The caller holds no lock.
 */
void
gid_timeline_log(const GidTimeline *timeline, const GidOpenSequence *open,
				 const GidPassedOver *passed)
{
	if (likely(passed->count == 0))
		return;
	pg_atomic_fetch_add_u64(&gid_timeline_state->sequences, 1);
	pg_atomic_fetch_add_u64(&gid_timeline_state->values, (int64) passed->count);
	ereport(LOG,
			(errmsg("gid: sequence \"%s\" passes over %llu values on timeline %u",
					RelationGetRelationName(open->rel), (unsigned long long) passed->count,
					timeline->id),
			 errdetail("Values %lld to %lld may have been handed out before the timeline began at " GID_LSN_FORMAT ".",
					   (long long) passed->first, (long long) passed->last,
					   LSN_FORMAT_ARGS(timeline->begin))));
}

/* Fill in what the view shows.  The first call attaches. */
void
gid_timeline_stat(GidTimelineStat *stat)
{
	(void) gid_slot_mine();
	stat->sequences = (int64) pg_atomic_read_u64(&gid_timeline_state->sequences);
	stat->values = (int64) pg_atomic_read_u64(&gid_timeline_state->values);
}
