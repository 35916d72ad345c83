/*-------------------------------------------------------------------------
 *
 * sequence/skip.h
 *		How many values a sequence passes over on a new timeline.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_SKIP_H
#define GID_SEQUENCE_SKIP_H

#include "sequence/arithmetic.h"

/* gid.timeline_skip: the number is computed from the sequence. */
#define GID_SKIP_DEFAULT		(-1)

/* The least number of values of a default skip, if as many are left. */
#define GID_SKIP_LEAST			1000

/* A default skip takes at most this part of the values that are left. */
#define GID_SKIP_SHARE			16

extern uint64 gid_skip_count(const GidSequence *seq, int64 setting, int64 largest_block);
extern uint64 gid_skip_numbers(const GidSequence *seq, int64 floor, int64 ceiling,
							   int64 leases);
extern void gid_skip(GidSequence *seq, uint64 count);

#endif							/* GID_SEQUENCE_SKIP_H */
