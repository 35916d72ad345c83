/*-------------------------------------------------------------------------
 *
 * sequence/gate.h
 *		The gate: a reservation is used when no failover can undo it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_GATE_H
#define GID_SEQUENCE_GATE_H

#include "access/xlogdefs.h"

#include "sequence/reserve.h"

/* The values that a sequence passed over on a new timeline. */
typedef struct GidPassedOver
{
	uint64		count;			/* 0: none */
	int64		first;
	int64		last;
	TimeLineID	since;			/* the timeline of the page's LSN */
} GidPassedOver;

extern bool gid_gate(XLogRecPtr lsn);
extern void gid_gate_prepare(void);
extern void gid_gate_pass_over(XLogRecPtr page_lsn, GidSequence *seq,
							   const GidRequest *request, GidPassedOver *passed);
extern void gid_gate_log(const char *sequence, const GidPassedOver *passed);

#endif							/* GID_SEQUENCE_GATE_H */
