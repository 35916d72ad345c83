/*-------------------------------------------------------------------------
 *
 * gid_authority.h
 *		Blocks of GDIDs and generator numbers of other servers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_AUTHORITY_H
#define GID_AUTHORITY_H

#include "utils/relcache.h"

#include "gid_reserve.h"

/* A block that another server reserves has so many values at most. */
#define GID_AUTHORITY_MAX_BLOCK	65536

extern bool gid_authority_are_set(void);
extern bool gid_authority_fetch(Relation sequence, int64 count, bool needed,
								GidReserved *reserved, uint32 *authority);
extern void gid_authority_fetch_all(Relation sequence, int64 count,
									GidReserved *reserved, uint32 *authority);
extern Oid	gid_authority_decimal_server(void);
extern int32 gid_authority_fetch_generator(Oid owner, int32 launch);

#endif							/* GID_AUTHORITY_H */
