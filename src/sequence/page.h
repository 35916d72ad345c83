/*-------------------------------------------------------------------------
 *
 * sequence/page.h
 *		A sequence that is open: its page, and reservations on the page.
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
#include "nodes/parsenodes.h"
#include "utils/relcache.h"

#include "horizon/followed_table.h"
#include "sequence/block.h"

/* A sequence, open for the running transaction. */
typedef struct GidOpenSequence
{
	Relation	rel;			/* close it with relation_close(, NoLock) */
	GidBlockKey key;			/* of the blocks from its page */
	GidSequence sequence;		/* gid_page_describe() fills in the
								 * parameters, gid_page_revalidate() and
								 * gid_page_reserve() what the page says */
	GidEntry   *entry;			/* of its blocks; NULL: none was looked up */
	uint64		tenancy;		/* the key's, in the entry */
	bool		is_served;		/* for nextval(): errors are worded as there */
} GidOpenSequence;

/* What comes of an attempt to reserve values. */
typedef enum GidPageOutcome
{
	GID_PAGE_RESERVED,
	GID_PAGE_NOT_DUE,			/* the entry needs no block now */
	GID_PAGE_EXHAUSTED			/* the sequence has no values for the request */
} GidPageOutcome;

extern Relation gid_page_lock(Oid sequence);
extern void gid_page_check(Relation rel, Oid sequence, Oid role, AclMode mode,
						   const char *use);
extern void gid_page_open(Relation rel, GidOpenSequence *open);
extern void gid_page_describe(GidOpenSequence *open);
extern GidFollowedKey gid_page_followed(const GidOpenSequence *open);
extern GidBlockSize gid_page_block_size(const GidOpenSequence *open, int64 lasts_us,
										bool is_needed);
extern XLogRecPtr gid_page_revalidate(GidOpenSequence *open);
extern GidPageOutcome gid_page_reserve(GidOpenSequence *open, GidRequest *request,
									   const GidBlockSize *size, GidReserved *reserved,
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
