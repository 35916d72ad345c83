/*-------------------------------------------------------------------------
 *
 * sequence/timeline.h
 *		Passing over values on a new timeline.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_TIMELINE_H
#define GID_SEQUENCE_TIMELINE_H

#include "access/xlogdefs.h"

#include "attach/attach.h"
#include "sequence/open.h"

/* The LSN of a page that writes no WAL, for gid_timeline_skip(). */
#define GID_TIMELINE_NO_LSN		PG_UINT64_MAX

/* A timeline of the server's history. */
typedef struct GidTimeline
{
	TimeLineID	id;
	XLogRecPtr	begin;			/* where it branched off; invalid: it is the
								 * first one, or its history is missing */
} GidTimeline;

/* The values that a sequence passed over. */
typedef struct GidPassedOver
{
	uint64		count;			/* 0: none */
	int64		first;
	int64		last;
	TimeLineID	since;			/* the timeline of the page's LSN */
} GidPassedOver;

extern const GidPart gid_timeline_part;

extern GidTimeline gid_timeline_current(void);
extern void gid_timeline_prepare(void);
extern void gid_timeline_skip(XLogRecPtr page_lsn, GidSequence *seq,
							  const GidRequest *request, GidPassedOver *passed);
extern void gid_timeline_log(const GidOpenSequence *open, const GidPassedOver *passed);
extern void gid_timeline_stat(int64 *sequences, int64 *values);

#endif							/* GID_SEQUENCE_TIMELINE_H */
