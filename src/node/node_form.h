/*-------------------------------------------------------------------------
 *
 * node/node_form.h
 *		The two tables of an authority of node numbers: which they are, and
 *		whether they are as the extension's script has made them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_NODE_NODE_FORM_H
#define GID_NODE_NODE_FORM_H

#include "access/htup.h"
#include "nodes/parsenodes.h"
#include "storage/lockdefs.h"
#include "utils/rel.h"

/* Columns of gid.node_leases, from 0. */
enum
{
	GID_NODE_LEASE_NODE,
	GID_NODE_LEASE_HOLDER,
	GID_NODE_LEASE_SINCE,
	GID_NODE_LEASE_UNTIL,
	GID_NODE_LEASE_CLIENT_NAME,
	GID_NODE_LEASE_CLIENT_ADDRESS,
	GID_NODE_LEASE_COLUMNS
};

/* Columns of gid.node_writer, from 0. */
enum
{
	GID_NODE_WRITER_SYSTEM,
	GID_NODE_WRITER_TIMELINE,
	GID_NODE_WRITER_DATABASE,
	GID_NODE_WRITER_LEASES,
	GID_NODE_WRITER_LEASE_MAX,
	GID_NODE_WRITER_BEGINS,
	GID_NODE_WRITER_COLUMNS
};

#define GID_NODE_MAX_COLUMNS	6

/* A table of the extension. */
typedef struct GidNodeTable
{
	const char *name;
	bool		has_key;		/* the first column is the primary key */
	int			ncolumns;
	Oid			types[GID_NODE_MAX_COLUMNS];
	AclMode		granted;		/* to pg_database_owner */
} GidNodeTable;

extern const GidNodeTable gid_node_form_leases;
extern const GidNodeTable gid_node_form_writer;

extern Relation gid_node_form_open(const GidNodeTable *table, LOCKMODE lock);
extern void gid_node_form_read(Relation rel, HeapTuple tuple, Datum *values);

#endif							/* GID_NODE_NODE_FORM_H */
