/*-------------------------------------------------------------------------
 *
 * sequence/supplier.h
 *		Who reserves values for a sequence in place of its own page.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_SUPPLIER_H
#define GID_SEQUENCE_SUPPLIER_H

#include "utils/relcache.h"

#include "sequence/arithmetic.h"

/* Every function that takes a supplier takes NULL for the page. */
typedef struct GidSupplier
{
	/*
	 * Reserve up to "count" (1 or more) consecutive values for an open
	 * sequence.  *issuer says who issued them: 1 or more.  Where there are no
	 * values, raise an error if "needed", else return false.
	 */
	bool		(*reserve) (Relation sequence, int64 count, bool needed,
							GidReserved *reserved, uint32 *issuer);

	/* Reserve exactly "count" values of one issuer, or raise an error. */
	void		(*reserve_all) (Relation sequence, int64 count,
								GidReserved *reserved, uint32 *issuer);
} GidSupplier;

/* GidSequenceKey.source */
#define GID_SOURCE_PAGE			0
#define GID_SOURCE_SUPPLIER		1
#define GID_NSOURCES			2

#endif							/* GID_SEQUENCE_SUPPLIER_H */
