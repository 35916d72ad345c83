/*-------------------------------------------------------------------------
 *
 * fleet/authority.h
 *		Fetches blocks of GDIDs and generator numbers from other servers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_FLEET_AUTHORITY_H
#define GID_FLEET_AUTHORITY_H

#include "base/settings.h"
#include "sequence/supplier.h"

extern const GidSupplier gid_authority_supplier;

extern uint32 gid_authority_decimal_source(void);
extern char *gid_authority_decimal_name(uint32 source);
extern int32 gid_authority_fetch_generator(int32 launch);

#endif							/* GID_FLEET_AUTHORITY_H */
