/*-------------------------------------------------------------------------
 *
 * sequence/page.h
 *		Opening a sequence, its page, and reservations on the page.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_PAGE_H
#define GID_SEQUENCE_PAGE_H

#include "access/xact.h"
#include "commands/sequence.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "utils/relcache.h"

#include "sequence/block.h"

/* A sequence, open for the running transaction. */
typedef struct GidOpenSequence
{
	Relation	rel;			/* close it with relation_close(, NoLock) */
	GidBlockKey key;			/* of the blocks from its page */
	GidSequence sequence;		/* gid_page_describe() fills in the
								 * parameters, gid_page_look() and
								 * gid_page_reserve() what the page says */
	bool		is_served;		/* for nextval(): errors are worded as there */
} GidOpenSequence;

extern Relation gid_page_lock(Oid sequence);
extern void gid_page_raise_missing(Oid sequence);
extern void gid_page_raise_denied(Relation rel, const char *hint);
extern void gid_page_check_named(Relation rel, Oid sequence, const char *detail,
								 AclMode mode, const char *hint);
extern bool gid_page_is_drawable(Relation rel);
extern void gid_page_check(Relation rel);
extern void gid_page_open(Relation rel, GidOpenSequence *open);
extern void gid_page_describe(GidOpenSequence *open);
extern GidBlockSize gid_page_block_size(const GidOpenSequence *open, int64 lasts_us,
										bool is_needed);
extern XLogRecPtr gid_page_look(GidOpenSequence *open, GidEntry *entry, uint64 owner);
extern bool gid_page_reserve(GidOpenSequence *open, GidEntry *entry, uint64 owner,
							 GidRequest *request, const GidBlockSize *size,
							 GidReserved *reserved, XLogRecPtr *lsn);

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
