/*-------------------------------------------------------------------------
 *
 * id/serve_nextval.h
 *		nextval(), currval(), lastval() and setval() that gid serves.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_SERVE_NEXTVAL_H
#define GID_ID_SERVE_NEXTVAL_H

extern void gid_serve_forget(void);

#endif							/* GID_ID_SERVE_NEXTVAL_H */
