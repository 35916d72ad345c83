/*-------------------------------------------------------------------------
 *
 * node/node.h
 *		The node number of this server: set, or leased for a time.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_NODE_NODE_H
#define GID_NODE_NODE_H

#include "attach/attach.h"

/* gid_node_of() found no number: draw again. */
#define GID_NODE_DRAW_AGAIN		(-1)

/* A node number, for the ids of some seconds since the Unix epoch. */
typedef struct GidNodeLease
{
	int64		since_s;		/* first second */
	int64		until_s;		/* second after the last; not after since_s:
								 * there is no lease */
	int32		node;			/* 0..65535 */
} GidNodeLease;

/* What a view shows. */
typedef struct GidNodeStat
{
	int32		node;			/* number of the next id; below 0: none */
	bool		is_leased;		/* it comes from an authority */
	int64		until_s;		/* end of the last lease; if is_leased */
	char	   *authority;		/* its name, or NULL */
} GidNodeStat;

/*
 * What this backend knows: all ids of these seconds have this number.  Only
 * its own process reads and writes it.
 */
extern GidNodeLease gid_node_known;

extern const GidPart gid_node_part;

extern void gid_node_forget(void);
extern int32 gid_node_find(int64 second);
extern void gid_node_stat(GidNodeStat *stat);

/*
 * Return the node number, 0 to 65535, of an id whose time is in a second since
 * the Unix epoch.  The caller has drawn the id's time from a growing word.
 * With GID_NODE_DRAW_AGAIN it draws again.
 *
 * Without a wait and without a lock, unless this backend has not yet seen the
 * lease of that second.  Waits and errors are then those of gid_node_find().
 */
static inline int32
gid_node_of(int64 second)
{
	if (likely(second >= gid_node_known.since_s && second < gid_node_known.until_s))
		return gid_node_known.node;
	return gid_node_find(second);
}

#endif							/* GID_NODE_NODE_H */
