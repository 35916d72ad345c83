/*-------------------------------------------------------------------------
 *
 * base/client.h
 *		Ends the session when its client is gone.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_CLIENT_H
#define GID_BASE_CLIENT_H

/* A wait that may be long looks for its client once in this time. */
#define GID_CLIENT_CHECK_MS		1000

extern void gid_client_check(void);

#endif							/* GID_BASE_CLIENT_H */
