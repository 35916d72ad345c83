/*-------------------------------------------------------------------------
 *
 * sequence/open.h
 *		Opening a sequence, with all that the catalog says of it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_OPEN_H
#define GID_SEQUENCE_OPEN_H

#include "nodes/parsenodes.h"
#include "utils/relcache.h"

#include "catalog/pg_sequence.h"

#include "sequence/reserve.h"

/*
 * What tells a sequence from every other sequence, past ones included.  Every
 * ALTER SEQUENCE of the values and every TRUNCATE ... RESTART IDENTITY gives a
 * sequence a new file.  The rows' xmin tell the sequence from a later one with
 * the same numbers.  A GRANT on the database changes database_xmin, too.
 */
typedef struct GidSequenceKey
{
	Oid			database;
	Oid			sequence;
	Oid			relfilenumber;	/* number of its file */
	TransactionId sequence_xmin;	/* of its row of pg_sequence */
	TransactionId database_xmin;	/* of the database's row of pg_database */
} GidSequenceKey;

typedef struct GidOpenSequence
{
	Relation	rel;			/* close it with relation_close(, NoLock) */
	GidSequenceKey key;
	GidSequence sequence;		/* the parameters; gid_page_reserve() fills in
								 * what the page says */
	bool		is_served;		/* for nextval(): errors are worded as there */
	uint64		changes;		/* gid_open_changes, before the privilege was
								 * checked */
} GidOpenSequence;

extern uint64 gid_open_changes;

extern Relation gid_open_relation(Oid sequence);
extern bool gid_open_sequence(Oid sequence, GidOpenSequence *open);
extern void gid_open_for(Oid sequence, AclMode mode, const char *hint,
						 GidOpenSequence *open);
extern bool gid_open_served(Oid sequence, bool checked, GidOpenSequence *open);
extern void gid_open_parameters(Form_pg_sequence form, GidSequence *seq);
extern void gid_open_read(Relation rel, GidOpenSequence *open);

#endif							/* GID_SEQUENCE_OPEN_H */
