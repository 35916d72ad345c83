/*-------------------------------------------------------------------------
 *
 * id/serve_plan.h
 *		Plans that draw through gid.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_SERVE_PLAN_H
#define GID_ID_SERVE_PLAN_H

extern void gid_serve_install(void);

#endif							/* GID_ID_SERVE_PLAN_H */
