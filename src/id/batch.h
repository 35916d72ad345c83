/*-------------------------------------------------------------------------
 *
 * id/batch.h
 *		Consecutive values of a sequence, as the rows of a function.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_BATCH_H
#define GID_ID_BATCH_H

#include "funcapi.h"

#include "sequence/draw.h"

extern void gid_batch_begin(FunctionCallInfo fcinfo, const char *function,
							GidSource source, uint32 issuer);
extern GidBatch *gid_batch_next(FuncCallContext *call, GidFamily family, int64 *value);

#endif							/* GID_ID_BATCH_H */
