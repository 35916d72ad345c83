/*-------------------------------------------------------------------------
 *
 * sequence/block_table.h
 *		The table of blocks: which entry is whose.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_BLOCK_TABLE_H
#define GID_SEQUENCE_BLOCK_TABLE_H

#include "sequence/block.h"

extern const GidPart gid_block_table_part;

extern GidEntry *gid_block_table_find(const GidBlockKey *key, uint64 *tenancy);
extern GidEntry *gid_block_table_entry(GidEntry *entry, const GidBlockKey *key, uint64 *tenancy);
extern void gid_block_table_map_launches(const GidBlockKey *key);
extern void gid_block_table_wrote_page_of_launches(const GidBlockKey *key, XLogRecPtr before,
												   XLogRecPtr page_lsn);
extern void gid_block_table_end_blocks(const GidBlockKey *key);
extern GidEntry *gid_block_table_walk(const GidEntry *before);
extern int	gid_block_table_used(void);

#endif							/* GID_SEQUENCE_BLOCK_TABLE_H */
