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

#include "sequence/block.h"
#include "sequence/supplier.h"

/* What a GidDraw is of.  The members leave no gap. */
typedef struct GidDrawKey
{
	Oid			sequence;
	uint32		source;			/* GID_SOURCE_PAGE or _SUPPLIER */
} GidDrawKey;

/* A sequence that this backend draws from, and for which calls it may. */
typedef struct GidDraw
{
	GidDrawKey	key;			/* of the hash table */
	const GidSupplier *supplier;	/* NULL: the page */
	LocalTransactionId lxid;	/* transaction that has it locked and has
								 * checked the role; invalid: none */
	Oid			role;			/* that may draw */
	Oid			relfilenumber;	/* of its file */
	GidBlockEntry *entry;		/* of its blocks */
	uint64		owner;			/* its owner's number in the entry */
} GidDraw;

extern GidDraw *gid_known_last;

extern void gid_known_find(const GidOpenSequence *open, const GidSupplier *supplier,
						   GidDraw *draw);
extern GidDraw *gid_known_again(Oid sequence, const GidSupplier *supplier);

#endif							/* GID_SEQUENCE_KNOWN_H */
