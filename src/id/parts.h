/*-------------------------------------------------------------------------
 *
 * id/parts.h
 *		The parts of the shared memory that families own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_PARTS_H
#define GID_ID_PARTS_H

#include "attach/attach.h"

extern const GidPart gid_sequential_part;	/* id/uuid_sequential.c */
extern const GidPart gid_shard_part;	/* id/uuid_shard.c */

#endif							/* GID_ID_PARTS_H */
