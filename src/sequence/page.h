/*-------------------------------------------------------------------------
 *
 * sequence/page.h
 *		Durable reservation on a sequence's page.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_PAGE_H
#define GID_SEQUENCE_PAGE_H

#include "access/xact.h"
#include "access/xlogdefs.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "port/atomics.h"
#include "utils/relcache.h"

#include "sequence/arithmetic.h"

/*
 * What tells a sequence from every other one, past ones included.  A sequence
 * has a new file after every ALTER SEQUENCE of its values and TRUNCATE ...
 * RESTART IDENTITY.  The rows tell it from a later one of the same numbers;
 * they also change with a GRANT on the database and the like.
 */
typedef struct GidSequenceKey
{
	Oid			database;
	Oid			sequence;
	Oid			relfilenumber;	/* number of its file */
	uint32		source;			/* 0: values come from the sequence's page;
								 * else who gives them, as the user of the key
								 * numbers them */
	TransactionId sequence_xmin;	/* of its row of pg_sequence */
	TransactionId database_xmin;	/* of the database's row of pg_database */
} GidSequenceKey;

/*
 * What gid knows of a sequence's page, in shared memory.  Every member is
 * written by a backend that has the page locked, and only grows, but that lsn
 * takes any value.
 */
typedef struct GidPageMark
{
	pg_atomic_uint64 lsn;		/* of the page, when gid last looked at it or
								 * wrote it; GID_PAGE_UNSEEN at first */
	pg_atomic_uint64 valid_from;	/* setval() or nextval() has overtaken the
									 * values of gid's records that end before
									 * this LSN; CAS */
	pg_atomic_uint32 nextval;	/* 1: nextval() is called on the sequence, too */
} GidPageMark;

/* No page has this LSN. */
#define GID_PAGE_UNSEEN			PG_UINT64_MAX

extern void gid_page_init_mark(GidPageMark *mark);
extern void gid_page_read_key(Relation sequence, uint32 source,
							  GidSequenceKey *key);
extern void gid_page_read_parameters(Relation sequence, GidSequence *seq);
extern int64 gid_page_last_value(Relation sequence, bool *is_called,
								 XLogRecPtr *lsn);
extern void gid_page_look(Relation sequence, GidPageMark *mark);
extern bool gid_page_reserve(Relation sequence, GidSequence *seq,
							 const GidRequest *request, GidPageMark *mark,
							 GidReserved *reserved, XLogRecPtr *lsn);
extern List *gid_page_earlier_files(Relation sequence);

/*
 * Raise what nextval() raises where nothing may be reserved: 25006 in a
 * read-only transaction and in recovery, 25000 in a parallel operation.  The
 * server's functions look at nothing else than is looked at here; on the path
 * of an id each call counts.
 */
static inline void
gid_page_prevent(const char *function)
{
	if (unlikely(XactReadOnly))
		PreventCommandIfReadOnly(function);
	if (unlikely(IsInParallelMode()))
		PreventCommandIfParallelMode(function);
}

#endif							/* GID_SEQUENCE_PAGE_H */
