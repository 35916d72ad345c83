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
#include "commands/sequence.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "port/atomics.h"
#include "storage/bufpage.h"

#include "sequence/open.h"

/*
 * The page mark: what gid knows of a sequence's page, in shared memory.  A
 * backend that has the page locked writes the members, but for those of the
 * claim.  valid_from and nextval only grow.
 */
typedef struct GidPageMark
{
	pg_atomic_uint64 lsn;		/* of the page, when gid last looked at it or
								 * wrote it; GID_PAGE_UNSEEN at first */
	pg_atomic_uint64 valid_from;	/* a setval() or nextval() has overtaken
									 * the values of gid's records that end
									 * before this LSN; CAS */
	pg_atomic_uint32 nextval;	/* 1: nextval() is called on the sequence, too */
	pg_atomic_uint32 pending;	/* 1: a block is being reserved or put into
								 * use; claim of the entry */
	pg_atomic_uint64 pending_first; /* the first value of that block; claim */
} GidPageMark;

/*
 * Show that a block is on its way: the page is beyond its values, or soon will
 * be, and nobody has drawn them.  The caller has the entry's claim.
 */
static inline void
gid_page_set_pending(GidPageMark *mark, int64 first)
{
	pg_atomic_write_u64(&mark->pending_first, (uint64) first);
	pg_write_barrier();
	pg_atomic_write_u32(&mark->pending, 1);
	pg_write_barrier();
}

/* The block is in use, is the next one, or is lost. */
static inline void
gid_page_clear_pending(GidPageMark *mark)
{
	pg_write_barrier();
	pg_atomic_write_u32(&mark->pending, 0);
}

/* Is a block on its way?  *first is its first value. */
static inline bool
gid_page_pending(GidPageMark *mark, int64 *first)
{
	bool		pending = pg_atomic_read_u32(&mark->pending) != 0;

	pg_read_barrier();
	*first = (int64) pg_atomic_read_u64(&mark->pending_first);
	pg_read_barrier();
	return pending;
}

/* No page has this LSN. */
#define GID_PAGE_UNSEEN			PG_UINT64_MAX

extern Form_pg_sequence_data gid_page_read(Relation sequence, Page page,
										   GidSequence *seq);
extern int64 gid_page_last_value(Relation sequence, bool *is_called,
								 XLogRecPtr *lsn);
extern List *gid_page_earlier_files(Relation sequence);
extern void gid_page_init_mark(GidPageMark *mark);
extern void gid_page_look(Relation sequence, GidPageMark *mark);
extern bool gid_page_reserve(GidOpenSequence *open, const GidRequest *request,
							 GidPageMark *mark, GidReserved *reserved,
							 XLogRecPtr *lsn);

/*
 * Raise what nextval() raises where nothing may be reserved: 25006 in a
 * read-only transaction and in recovery, 25000 in a parallel operation.  The
 * tests here are the first ones of the server's functions.  They are repeated
 * because a call costs as much as the rest of an id.
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
