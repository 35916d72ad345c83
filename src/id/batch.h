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
#include "sequence/draw_many.h"

/* The kind of ids that a batch makes. */
typedef struct GidBatchKind
{
	const char *function;		/* the user's function, in messages */
	GidFamily	family;

	/*
	 * Who reserves the values; NULL for the sequence's page.  *issuer then
	 * says who issues the values of the page.  A NULL function: the page, 0.
	 */
	const GidSupplier *(*supplier) (uint32 *issuer);
	void		(*check) (int64 value); /* raises an error for a value that is
										 * no id; NULL if every value is one */
	Datum		(*id) (int64 value, uint32 issuer);
} GidBatchKind;

extern Datum gid_batch_row(FunctionCallInfo fcinfo, const GidBatchKind *kind);

#endif							/* GID_ID_BATCH_H */
