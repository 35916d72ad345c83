/*-------------------------------------------------------------------------
 *
 * sequence/generator.h
 *		Generator numbers of DecimalIds.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_GENERATOR_H
#define GID_SEQUENCE_GENERATOR_H

#include "sequence/draw.h"

extern const GidSupply gid_generator_supply;
extern Oid	gid_generator_sequence(void);
extern int32 gid_generator_reserve_for_other(int32 launch);

#endif							/* GID_SEQUENCE_GENERATOR_H */
