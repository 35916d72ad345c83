/*-------------------------------------------------------------------------
 *
 * peer/errand.h
 *		Errands: background workers that put one question to other servers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_PEER_ERRAND_H
#define GID_PEER_ERRAND_H

#include "storage/dsm.h"

#include "base/bits.h"

/* An errand that has not ended after this long is forgotten. */
#define GID_ERRAND_LOST_US		(10 * GID_US_PER_S)

/* After an errand that failed the next one starts this much later. */
#define GID_ERRAND_AGAIN_US		(2 * GID_US_PER_S)

/*
 * What sessions know of the errands for one purpose.  The lock of the struct
 * that has it protects it.
 */
typedef struct GidErrand
{
	int64		pause_us;		/* monotonic time: none starts before */
	dsm_handle	question;		/* pinned, for the errand to take;
								 * DSM_HANDLE_INVALID: none */
	bool		has_failed;		/* the last one, and the log says so */
} GidErrand;

extern dsm_handle gid_errand_pack(const void *question, Size size);
extern void gid_errand_unpin(dsm_handle question);
extern bool gid_errand_start(const char *function, dsm_handle question);
extern void gid_errand_begin(void);
extern void *gid_errand_unpack(dsm_handle question);
extern void gid_errand_end(void);

#endif							/* GID_PEER_ERRAND_H */
