/*-------------------------------------------------------------------------
 *
 * fleet/node_form.h
 *		The two tables of an authority of node numbers: which they are, and
 *		whether they are as the extension's script has made them.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_FLEET_NODE_FORM_H
#define GID_FLEET_NODE_FORM_H

#include "access/htup.h"
#include "nodes/parsenodes.h"
#include "storage/lockdefs.h"
#include "utils/rel.h"

/* Columns of gid_node_leases, from 0. */
enum
{
	GID_LEASE_NODE,
	GID_LEASE_HOLDER,
	GID_LEASE_SINCE,
	GID_LEASE_UNTIL,
	GID_LEASE_CLIENT_NAME,
	GID_LEASE_CLIENT_ADDRESS,
	GID_LEASE_COLUMNS
};

/* Columns of gid_node_authority, from 0. */
enum
{
	GID_WRITER_ID,
	GID_WRITER_SYSTEM,
	GID_WRITER_TIMELINE,
	GID_WRITER_DATABASE,
	GID_WRITER_LEASES,
	GID_WRITER_LEASE_MAX,
	GID_WRITER_BEGINS,
	GID_WRITER_COLUMNS
};

#define GID_NODE_MAX_COLUMNS	7

/* A table of the extension. */
typedef struct GidNodeTable
{
	const char *name;
	bool		has_key;		/* the first column is the primary key */
	int			ncolumns;
	Oid			types[GID_NODE_MAX_COLUMNS];
	AclMode		granted;		/* to pg_database_owner */
} GidNodeTable;

extern const GidNodeTable gid_lease_table;
extern const GidNodeTable gid_writer_table;

extern Relation gid_node_open_member(Oid function, Oid oid,
									 const GidNodeTable *table, LOCKMODE lock);
extern Relation gid_node_open_table(Oid function, const GidNodeTable *table,
									LOCKMODE lock);
extern void gid_node_deform(Relation rel, HeapTuple tuple, Datum *values);

#endif							/* GID_FLEET_NODE_FORM_H */
