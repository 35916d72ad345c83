/*-------------------------------------------------------------------------
 *
 * layout/snowflake_id.h
 *		The bits of a Snowflake id.
 *
 * References: Twitter's Snowflake (2010); Discord's developer documentation,
 * section Snowflakes.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_LAYOUT_SNOWFLAKE_ID_H
#define GID_LAYOUT_SNOWFLAKE_ID_H

#include "base/bits.h"

/*
 * Snowflake id
 *
 *	 63 62                              22 21        12 11            0
 *	 |0| milliseconds since the epoch (41) | node (10)  | sequence (12) |
 *
 * The word is unix ms << 12 | sequence, whatever the epoch of the ids is.
 * Discord calls the upper five bits of the node the worker, and the lower five
 * the process.
 */
#define GID_SNOWFLAKE_SEQUENCE_BITS 12
#define GID_SNOWFLAKE_NODE_BITS		10
#define GID_SNOWFLAKE_MS_BITS		41
#define GID_SNOWFLAKE_STEP		(UINT64CONST(1) << GID_SNOWFLAKE_SEQUENCE_BITS) /* a millisecond */
#define GID_SNOWFLAKE_RATE		(UINT64CONST(1000) * GID_SNOWFLAKE_STEP)	/* a second */
#define GID_SNOWFLAKE_MS_SHIFT	(GID_SNOWFLAKE_NODE_BITS + GID_SNOWFLAKE_SEQUENCE_BITS)
#define GID_SNOWFLAKE_MAX_NODE	((int) GID_MASK(GID_SNOWFLAKE_NODE_BITS))
#define GID_SNOWFLAKE_MAX_SEQUENCE	((int) GID_MASK(GID_SNOWFLAKE_SEQUENCE_BITS))
#define GID_SNOWFLAKE_PERIOD_MS ((int64) 1 << GID_SNOWFLAKE_MS_BITS)

/*
 * Do "ms" milliseconds since the epoch fit into the 41 bits of an id?  The
 * difference of two moments may be negative.
 */
static inline bool
gid_snowflake_holds(int64 ms)
{
	return ms >= 0 && ms < GID_SNOWFLAKE_PERIOD_MS;
}

/* "ms" is counted from the epoch, and gid_snowflake_holds() it. */
static inline int64
gid_snowflake_pack(int64 ms, uint32 node, uint32 sequence)
{
	return ms << GID_SNOWFLAKE_MS_SHIFT |
		(int64) node << GID_SNOWFLAKE_SEQUENCE_BITS | sequence;
}

/* Return the milliseconds since the epoch of the id. */
static inline int64
gid_snowflake_ms(int64 id)
{
	return (int64) ((uint64) id >> GID_SNOWFLAKE_MS_SHIFT);
}

static inline uint32
gid_snowflake_node(int64 id)
{
	return (uint32) ((uint64) id >> GID_SNOWFLAKE_SEQUENCE_BITS &
					 GID_MASK(GID_SNOWFLAKE_NODE_BITS));
}

static inline uint32
gid_snowflake_sequence(int64 id)
{
	return (uint32) ((uint64) id & GID_MASK(GID_SNOWFLAKE_SEQUENCE_BITS));
}

/* Can it be a Snowflake id? */
static inline bool
gid_is_snowflake(int64 id)
{
	return id >= 1;
}

#endif							/* GID_LAYOUT_SNOWFLAKE_ID_H */
