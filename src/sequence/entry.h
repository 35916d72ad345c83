/*-------------------------------------------------------------------------
 *
 * sequence/entry.h
 *		Which sequence's blocks are where in shared memory.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_ENTRY_H
#define GID_SEQUENCE_ENTRY_H

#include "attach/attach.h"
#include "sequence/block.h"

/* How many sequences can have blocks at a time. */
#define GID_ENTRIES				10000

/* Where the values of a block come from. */
typedef enum GidSource
{
	GID_SOURCE_PAGE,			/* the sequence's page */
	GID_SOURCE_AUTHORITIES		/* the servers of gid.authorities */
} GidSource;

#define GID_NSOURCES			2

/* Whose an entry is.  The members leave no gap. */
typedef struct GidEntryKey
{
	GidSequenceKey sequence;
	uint32		source;			/* GidSource */
} GidEntryKey;

/* What a view shows of an entry. */
typedef struct GidEntryStat
{
	GidEntryKey key;
	int64		next;			/* the next value, if any is left */
	int64		first;			/* of the block in use */
	int64		last;			/* of the block in use */
	int64		size;			/* of the block in use; 0: it was ended */
	uint32		issuer;			/* of the block in use */
	int64		left;			/* values, in the block in use */
	int64		ahead;			/* values, in the next block; 0: none is
								 * written */
	int64		reserved_to;	/* last value of the next block, or else of
								 * the block in use, if it was not ended */
	GidHistory	history;		/* read while others may write: an estimate */
	int64		reservations;
	int64		prefetched;
	int64		waits;
} GidEntryStat;

extern const GidPart gid_entry_part;

extern GidBlockEntry *gid_entry_find(const GidOpenSequence *open, GidSource source,
									 bool give, uint64 *owner);
extern void gid_entry_touch(GidBlockEntry *entry);
extern void gid_entry_end_earlier(const GidOpenSequence *open, GidSource source);
extern bool gid_entry_next(const GidOpenSequence *open, int64 *next);
extern bool gid_entry_stat(int number, GidEntryStat *stat);

#endif							/* GID_SEQUENCE_ENTRY_H */
