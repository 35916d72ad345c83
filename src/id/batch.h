/*-------------------------------------------------------------------------
 *
 * id/batch.h
 *		Consecutive values of a sequence, as a set of ids.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_ID_BATCH_H
#define GID_ID_BATCH_H

#include "fmgr.h"

#include "attach/backend_slot.h"
#include "sequence/draw.h"

/* The kind of ids that a batch makes. */
typedef struct GidBatchKind
{
	const char *function;		/* the user's function, in messages */
	GidFamily	family;

	/*
	 * Where the values come from, and who issues those of the page.  A NULL
	 * function: the page, 0.
	 */
	GidSource	(*source) (uint32 *issuer);
	void		(*check) (int64 value); /* raises an error for a value that is
										 * no id; NULL if every value is one */
	Datum		(*id) (int64 value, uint32 issuer);
} GidBatchKind;

extern Datum gid_batch_row(FunctionCallInfo fcinfo, const GidBatchKind *kind);

#endif							/* GID_ID_BATCH_H */
