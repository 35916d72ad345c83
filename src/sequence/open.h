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

#include "sequence/arithmetic.h"

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
	uint32		source;			/* 0: values come from the sequence's page;
								 * else who gives the values, as the user of
								 * the key numbers the givers */
	TransactionId sequence_xmin;	/* of its row of pg_sequence */
	TransactionId database_xmin;	/* of the database's row of pg_database */
} GidSequenceKey;

typedef struct GidOpenSequence
{
	Relation	rel;			/* close it with relation_close(, NoLock) */
	GidSequenceKey key;			/* of source 0 */
	GidSequence sequence;		/* the parameters; gid_page_reserve() fills in
								 * what the page says */
	bool		is_served;		/* for nextval(): errors are worded as there */
	uint64		changes;		/* gid_open_changes, before the privilege was
								 * checked */
} GidOpenSequence;

extern uint64 gid_open_changes;

extern bool gid_open_sequence(Oid sequence, GidOpenSequence *open);
extern void gid_open_for(Oid sequence, AclMode mode, const char *hint,
						 GidOpenSequence *open);
extern bool gid_open_served(Oid sequence, bool checked, GidOpenSequence *open);
extern void gid_open_parameters(Form_pg_sequence form, GidSequence *seq);
extern void gid_open_read(Relation rel, GidOpenSequence *open);
extern GidSequenceKey gid_open_key(const GidOpenSequence *open, uint32 source);

#endif							/* GID_SEQUENCE_OPEN_H */
