/*-------------------------------------------------------------------------
 *
 * clock/leave.h
 *		The last process out writes the words to gid.clock.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_LEAVE_H
#define GID_CLOCK_LEAVE_H

extern void gid_leave_register(void);
extern void gid_leave_server_exit(void);

#endif							/* GID_CLOCK_LEAVE_H */
