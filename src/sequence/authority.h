/*-------------------------------------------------------------------------
 *
 * sequence/authority.h
 *		Blocks from other servers: of GDIDs, and generator numbers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_AUTHORITY_H
#define GID_SEQUENCE_AUTHORITY_H

#include "sequence/page.h"

extern bool gid_authority_lock(Oid sequence, bool wait);
extern void gid_authority_unlock(Oid sequence);
extern bool gid_authority_reserve(GidOpenSequence *open, GidEntry *entry, uint64 owner,
								  bool needed);
extern void gid_authority_fetch_all(Relation sequence, int64 count,
									GidReserved *reserved, uint32 *issuer);
extern int32 gid_authority_fetch_generator(int32 launch);

#endif							/* GID_SEQUENCE_AUTHORITY_H */
