/*-------------------------------------------------------------------------
 *
 * sequence/page_form.h
 *		What a sequence's page holds.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_PAGE_FORM_H
#define GID_SEQUENCE_PAGE_FORM_H

#include "access/xlogdefs.h"
#include "commands/sequence.h"
#include "storage/bufpage.h"
#include "utils/relcache.h"

extern void gid_page_check(Relation sequence, Page page);
extern Form_pg_sequence_data gid_page_data(Page page);
extern int64 gid_page_block(Page page);
extern void gid_page_set_block(Page page, int64 size);
extern int64 gid_page_last_value(Relation sequence, bool *is_called,
								 XLogRecPtr *lsn);

#endif							/* GID_SEQUENCE_PAGE_FORM_H */
