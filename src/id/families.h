/*-------------------------------------------------------------------------
 *
 * id/families.h
 *		What families share, and what gid.c calls of them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_FAMILIES_H
#define GID_ID_FAMILIES_H

#include "funcapi.h"

#include "base/args.h"
#include "sequence/draw.h"
#include "text/fault.h"

/* ---- id/between.c: the two ends of a range of time, as ids ---- */

typedef struct GidIdTimes GidIdTimes;

/* A family whose order is the order of its times. */
struct GidIdTimes
{
	GidTimeRange range;			/* of whole units */
	int64		unit_us;		/* the time in an id has this resolution */

	/*
	 * Return the smallest id of a moment's unit or, with "last", the largest.
	 * 22008 when the moment is out of range.
	 */
	Datum		(*id_of) (const GidIdTimes *times, TimestampTz at, bool last);
};

extern Datum gid_between_min(FunctionCallInfo fcinfo, const GidIdTimes *times);
extern Datum gid_between_max(FunctionCallInfo fcinfo, const GidIdTimes *times);
extern Datum gid_between_low(FunctionCallInfo fcinfo, const GidIdTimes *times);
extern Datum gid_between_below(FunctionCallInfo fcinfo, const GidIdTimes *times);

/* ---- id/batch.c: consecutive values of a sequence, as rows ---- */

extern void gid_batch_begin(FunctionCallInfo fcinfo, const char *function,
							GidSource source, uint32 issuer);
extern GidBatch *gid_batch_next(FuncCallContext *call, GidFamily family, int64 *value);

/* ---- id/gdid_type.c: what is wrong with a GDID ---- */

extern const char *gid_gdid_detail(const GidFault *fault);

/* ---- id/serve_plan.c, id/serve_nextval.c ---- */

extern void gid_serve_install(void);
extern void gid_serve_forget(void);

#endif							/* GID_ID_FAMILIES_H */
