/*-------------------------------------------------------------------------
 *
 * id/serve.h
 *		nextval() and its siblings, served by gid.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_SERVE_H
#define GID_ID_SERVE_H

extern void gid_serve_install(void);	/* id/serve_plan.c */
extern void gid_serve_forget(void); /* id/serve_nextval.c */

#endif							/* GID_ID_SERVE_H */
