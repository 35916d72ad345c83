/*-------------------------------------------------------------------------
 *
 * fleet/failure.h
 *		Which other servers did not answer.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_FLEET_FAILURE_H
#define GID_FLEET_FAILURE_H

/* A server that fails is passed over for this long. */
#define GID_FAILURE_PASS_OVER_US	INT64CONST(30000000)

/* What is told of a failure: a line of less than this many bytes. */
#define GID_FAILURE_TEXT_SIZE	160

extern Size gid_failure_size(void);
extern bool gid_failure_may_ask(const char *uri, bool last_resort,
								char text[GID_FAILURE_TEXT_SIZE]);
extern void gid_failure_note(const char *uri, const char *text);
extern void gid_failure_forget(const char *uri);

#endif							/* GID_FLEET_FAILURE_H */
