/*-------------------------------------------------------------------------
 *
 * id/families.h
 *		What gid.c calls of the families.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_FAMILIES_H
#define GID_ID_FAMILIES_H

#include "attach/attach.h"

/* id/uuid_sequential.c, id/uuid_shard.c */
extern const GidPart gid_sequential_part;
extern const GidPart gid_shard_part;

/* id/serve_plan.c, id/serve_nextval.c */
extern void gid_serve_install(void);
extern void gid_serve_forget(void);

#endif							/* GID_ID_FAMILIES_H */
