/*-------------------------------------------------------------------------
 *
 * sequence/draw_many.h
 *		Reserving many values of a sequence at once, beside the blocks.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_DRAW_MANY_H
#define GID_SEQUENCE_DRAW_MANY_H

#include "sequence/supplier.h"

/* Consecutive values: first, first + increment, ... */
typedef struct GidBatch
{
	GidReserved values;
	int64		increment;
	uint32		issuer;			/* as in GidValue */
} GidBatch;

extern void gid_draw_many(Oid sequence, const GidSupplier *supplier, int64 count,
						  GidBatch *batch);
extern void gid_draw_of_era(Oid sequence, int64 count, GidReserved *reserved);

#endif							/* GID_SEQUENCE_DRAW_MANY_H */
