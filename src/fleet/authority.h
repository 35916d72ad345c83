/*-------------------------------------------------------------------------
 *
 * fleet/authority.h
 *		Blocks of GDIDs and generator numbers of other servers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_FLEET_AUTHORITY_H
#define GID_FLEET_AUTHORITY_H

#include "utils/relcache.h"

#include "base/settings.h"
#include "sequence/arithmetic.h"

extern bool gid_authority_fetch(Relation sequence, int64 count, bool needed,
								GidReserved *reserved, uint32 *authority);
extern void gid_authority_fetch_all(Relation sequence, int64 count,
									GidReserved *reserved, uint32 *authority);
extern uint32 gid_authority_decimal_source(void);
extern char *gid_authority_decimal_name(uint32 source);
extern int32 gid_authority_fetch_generator(int32 launch);

#endif							/* GID_FLEET_AUTHORITY_H */
