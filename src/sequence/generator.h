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

#include "base/settings.h"
#include "sequence/page.h"

extern Oid	gid_generator_sequence(void);
extern void gid_generator_check(Relation rel);
extern void gid_generator_look(GidOpenSequence *open, GidEntry *entry, uint64 owner);
extern bool gid_generator_reserve(GidOpenSequence *open, GidEntry *entry, uint64 owner);
extern int32 gid_generator_reserve_for_other(int32 launch);

/*
 * Does another server give the numbers?  Raises 55000 when the setting was
 * refused.
 */
static inline bool
gid_generator_is_fetched(void)
{
	return gid_setting_names_servers(gid_decimal_authority, "gid.decimal_authority");
}

#endif							/* GID_SEQUENCE_GENERATOR_H */
