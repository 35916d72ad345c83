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

/* The least number of values of a default pass, if as many are left. */
#define GID_SKIP_LEAST			1000

/* A pass takes at most this part of the values that are left. */
#define GID_SKIP_SHARE			16

/* All passes take at most this part of the generator numbers of a launch. */
#define GID_SKIP_SHARE_OF_NUMBERS	4

extern uint64 gid_skip_count(const GidSequence *seq, uint32 passes, int64 setting,
							 int64 largest_block);
extern uint64 gid_skip_numbers(const GidSequence *seq, uint32 passes, int64 floor,
							   int64 ceiling, int64 leases);
extern void gid_skip(GidSequence *seq, uint64 count);

#endif							/* GID_SEQUENCE_SKIP_H */
