/*-------------------------------------------------------------------------
 *
 * node/node_table.h
 *		The table of leases of node numbers, on their authority.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_NODE_NODE_TABLE_H
#define GID_NODE_NODE_TABLE_H

#include "access/tupdesc.h"
#include "datatype/timestamp.h"
#include "utils/tuplestore.h"
#include "utils/uuid.h"

#include "attach/attach.h"

/* What another server asks for. */
typedef struct GidNodeAsked
{
	pg_uuid_t	holder;			/* this life of the server */
	bool		has_held;		/* it has an earlier answer */
	int32		held_node;		/* number and end of that answer */
	TimestampTz held_until;
	TimestampTz since;			/* the interval that it asks for */
	TimestampTz until;
	int32		max_node;		/* greatest number that it can use */
} GidNodeAsked;

/* What it gets. */
typedef struct GidNodeGranted
{
	bool		is_granted;		/* else: not now, but from "since" on */
	int32		node;
	TimestampTz since;
	TimestampTz until;
} GidNodeGranted;

extern const GidPart gid_node_table_part;

extern void gid_node_table_lease(const GidNodeAsked *asked,
								 GidNodeGranted *granted);
extern bool gid_node_table_resume(void);
extern void gid_node_table_show(Tuplestorestate *store, TupleDesc desc);
extern void gid_node_table_begin(void);

#endif							/* GID_NODE_NODE_TABLE_H */
