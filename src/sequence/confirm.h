/*-------------------------------------------------------------------------
 *
 * sequence/confirm.h
 *		Blocks that the synchronous standbys may not have yet.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_CONFIRM_H
#define GID_SEQUENCE_CONFIRM_H

#include "sequence/block.h"

extern bool gid_confirm_wait(GidBlockEntry *entry, uint64 state,
							 XLogRecPtr lsn);
extern GidBlockTake gid_confirm_take(GidBlockEntry *entry, uint64 owner,
									 XLogRecPtr valid_from, GidValue *value);

#endif							/* GID_SEQUENCE_CONFIRM_H */
