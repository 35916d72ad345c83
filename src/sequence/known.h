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

#include "tcop/pquery.h"
#include "utils/portal.h"

#include "sequence/entry.h"

/* What a GidDraw is of.  The members leave no gap. */
typedef struct GidDrawKey
{
	Oid			sequence;
	GidSource	source;
} GidDrawKey;

/*
 * A sequence that this backend draws from, and the transaction, role and
 * statement that its checks were made for.
 */
typedef struct GidDraw
{
	GidDrawKey	key;			/* of the hash table */
	LocalTransactionId lxid;	/* transaction that has it locked and has
								 * checked the role; invalid: none */
	Oid			role;			/* that may draw; invalid: no privilege is
								 * asked for */
	TimestampTz statement;		/* gid_known_statement() when the page was
								 * looked at */
	Oid			relfilenumber;	/* of its file */
	GidBlockEntry *entry;		/* of its blocks */
	uint64		owner;			/* its owner's number in the entry */
} GidDraw;

extern GidDraw *gid_known_last;

extern void gid_known_find(const GidOpenSequence *open, GidSource source, Oid role,
						   GidDraw *draw);
extern GidDraw *gid_known_again(Oid sequence, GidSource source, Oid role);
extern GidDraw *gid_known_look(GidDraw *known);

/* When the statement of the client began that runs now; 0 outside a portal. */
static inline TimestampTz
gid_known_statement(void)
{
	return likely(ActivePortal != NULL) ? ActivePortal->creation_time : 0;
}

#endif							/* GID_SEQUENCE_KNOWN_H */
