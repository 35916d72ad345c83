/*-------------------------------------------------------------------------
 *
 * sequence/authority.h
 *		Fetches values of a sequence from other servers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_AUTHORITY_H
#define GID_SEQUENCE_AUTHORITY_H

#include "utils/relcache.h"

#include "sequence/reserve.h"

extern bool gid_authority_fetch(Relation sequence, int64 count, bool needed,
								GidReserved *reserved, uint32 *issuer);
extern void gid_authority_fetch_all(Relation sequence, int64 count,
									GidReserved *reserved, uint32 *issuer);

#endif							/* GID_SEQUENCE_AUTHORITY_H */
