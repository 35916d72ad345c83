/*-------------------------------------------------------------------------
 *
 * sequence/altered.h
 *		What the running transaction itself has changed of a sequence.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_ALTERED_H
#define GID_SEQUENCE_ALTERED_H

#include "access/xlogdefs.h"
#include "nodes/pg_list.h"

#include "sequence/open.h"

extern List *gid_altered_files(Relation sequence);
extern void gid_altered_follow(const GidOpenSequence *open,
							   const GidReserved *reserved, XLogRecPtr *lsn);

#endif							/* GID_SEQUENCE_ALTERED_H */
