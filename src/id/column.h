/*-------------------------------------------------------------------------
 *
 * id/column.h
 *		Reading a column and the sequence that it draws from.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_COLUMN_H
#define GID_ID_COLUMN_H

#include "nodes/pg_list.h"

#include "sequence/position.h"

/* Why the values of a column are not known. */
typedef enum GidUnknown
{
	GID_UNKNOWN_NOT,			/* they are known */
	GID_UNKNOWN_KIND,
	GID_UNKNOWN_COLUMN,
	GID_UNKNOWN_TYPE,
	GID_UNKNOWN_DEFAULT,
	GID_UNKNOWN_INDEX,
	/* from here on: this session cannot read them now */
	GID_UNKNOWN_TABLE_LOCKED,
	GID_UNKNOWN_INDEX_LOCKED,
	GID_UNKNOWN_SEQUENCE_LOCKED,
	GID_UNKNOWN_TEMPORARY,
	GID_UNKNOWN_UNLOGGED,
	GID_UNKNOWN_PRIVILEGE,
	GID_UNKNOWN_SEQUENCE_PRIVILEGE,
	GID_UNKNOWN_ROW_SECURITY
} GidUnknown;

/* A column and its sequence, as a row of gid.columns names them. */
typedef struct GidColumn
{
	Oid			relation;
	const char *attribute;
	Oid			sequence;
	bool		is_identity;
	bool		is_shown;		/* by the view: it waits for no lock, and
								 * pg_monitor may see all but the values */
} GidColumn;

/* A table whose rows are not known, of a partitioned or inherited one. */
typedef struct GidUnread
{
	Oid			table;
	GidUnknown	why;
} GidUnread;

/* What was found of a column. */
typedef struct GidColumnState
{
	Oid			owner;			/* of the relation, unless it is locked */
	GidUnknown	unknown;		/* why nothing is known of its values */
	List	   *unread;			/* GidUnread: otherwise these are not */
	bool		may_show;		/* the role may see the values */
	bool		has_greatest;	/* false: no value was found */
	int64		greatest;		/* in the sequence's direction */
	bool		has_stand;
	GidStand	stand;			/* all 0 without has_stand */
	bool		is_behind;		/* by the values that are known */
} GidColumnState;

extern Oid	gid_column_type(Oid type);
extern void gid_column_read(const GidColumn *column, GidColumnState *state);

#endif							/* GID_ID_COLUMN_H */
