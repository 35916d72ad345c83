/*-------------------------------------------------------------------------
 *
 * sequence/open.h
 *		Opening a sequence to draw from it.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_OPEN_H
#define GID_SEQUENCE_OPEN_H

#include "nodes/parsenodes.h"
#include "utils/relcache.h"

extern Relation gid_open_sequence(Oid sequence);
extern Relation gid_open_for(Oid sequence, AclMode mode, const char *hint);

#endif							/* GID_SEQUENCE_OPEN_H */
