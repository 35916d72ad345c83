/*-------------------------------------------------------------------------
 *
 * layout/trace_id.h
 *		The bits of a TraceId.
 *
 * References: TraceId of elfo.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_TRACE_ID_H
#define GID_LAYOUT_TRACE_ID_H

#include "base/bits.h"

/*
 * TraceId
 *
 *	 63 62                    38 37              22 21        10 9          0
 *	 |0| unix seconds mod 2^25 | node_no (16)      | thread 12  | counter 10 |
 *
 * The word is seconds << 22 | thread << 10 | counter; its seconds are not
 * reduced.  Other programs give the thread another number of the low 22 bits,
 * which is the argument thread_bits of the SQL functions.
 */
#define GID_TRACE_COUNTER_BITS	10
#define GID_TRACE_LOW_BITS		22
#define GID_TRACE_NODE_BITS		16
#define GID_TRACE_SECOND_BITS	25
#define GID_TRACE_RATE			(UINT64CONST(1) << GID_TRACE_LOW_BITS)	/* a second */
#define GID_TRACE_SECOND_SHIFT	(GID_TRACE_LOW_BITS + GID_TRACE_NODE_BITS)
#define GID_TRACE_MAX_NODE		((int) GID_MASK(GID_TRACE_NODE_BITS))
#define GID_TRACE_PERIOD_S		((int64) 1 << GID_TRACE_SECOND_BITS)

static inline int64
gid_trace_pack(uint64 seconds, uint32 node, uint32 low)
{
	return (int64) ((seconds & GID_MASK(GID_TRACE_SECOND_BITS)) << GID_TRACE_SECOND_SHIFT |
					(uint64) node << GID_TRACE_LOW_BITS | low);
}

static inline uint32
gid_trace_low(int64 id)
{
	return (uint32) ((uint64) id & GID_MASK(GID_TRACE_LOW_BITS));
}

static inline uint32
gid_trace_node(int64 id)
{
	return (uint32) ((uint64) id >> GID_TRACE_LOW_BITS & GID_MASK(GID_TRACE_NODE_BITS));
}

static inline int64
gid_trace_seconds(int64 id)
{
	return (int64) ((uint64) id >> GID_TRACE_SECOND_SHIFT);
}

/* Can it be a TraceId?  Thread and counter are never both 0. */
static inline bool
gid_is_trace(int64 id)
{
	return id >= 1 && gid_trace_low(id) != 0;
}

#endif							/* GID_LAYOUT_TRACE_ID_H */
