/*-------------------------------------------------------------------------
 *
 * sequence/known.h
 *		What a backend knows of the sequences that it draws from.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_KNOWN_H
#define GID_SEQUENCE_KNOWN_H

#include "sequence/entry.h"

/* What a GidDraw is of.  The members leave no gap. */
typedef struct GidDrawKey
{
	Oid			sequence;
	GidSource	source;
} GidDrawKey;

/* A sequence that this backend draws from, and for which calls it may. */
typedef struct GidDraw
{
	GidDrawKey	key;			/* of the hash table */
	LocalTransactionId lxid;	/* transaction that has it locked and has
								 * checked the role; invalid: none */
	Oid			role;			/* that may draw */
	Oid			relfilenumber;	/* of its file */
	GidBlockEntry *entry;		/* of its blocks */
	uint64		owner;			/* its owner's number in the entry */
} GidDraw;

extern GidDraw *gid_known_last;

extern void gid_known_find(const GidOpenSequence *open, GidSource source, GidDraw *draw);
extern GidDraw *gid_known_again(Oid sequence, GidSource source);

#endif							/* GID_SEQUENCE_KNOWN_H */
