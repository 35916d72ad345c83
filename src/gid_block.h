/*-------------------------------------------------------------------------
 *
 * gid_block.h
 *		Durable reservation on a sequence's page.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BLOCK_H
#define GID_BLOCK_H

#include "access/xlogdefs.h"
#include "utils/relcache.h"

#include "gid_reserve.h"

extern Relation gid_block_open_sequence(Oid sequence);
extern void gid_block_read_parameters(Relation sequence, GidSequence *seq);
extern int64 gid_block_last_value(Relation sequence);
extern bool gid_block_reserve(Relation sequence, GidSequence *seq,
							  int64 count, int64 floor, int64 ceiling,
							  GidReserved *reserved);

#endif							/* GID_BLOCK_H */
