/*-------------------------------------------------------------------------
 *
 * sequence/flush.h
 *		Flushing a reservation to disk, here and on standbys.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_FLUSH_H
#define GID_SEQUENCE_FLUSH_H

#include "access/xlogdefs.h"
#include "storage/ipc.h"

extern void gid_flush_disk(XLogRecPtr lsn);
extern bool gid_flush_is_confirmed(XLogRecPtr lsn);
extern bool gid_flush_is_asked(void);
extern bool gid_flush_is_enough(XLogRecPtr lsn);
extern bool gid_flush_wait_or_lose(XLogRecPtr lsn, bool sync,
								   pg_on_exit_callback lose, Datum arg);
extern bool gid_flush(XLogRecPtr lsn);
extern void gid_flush_everywhere(XLogRecPtr lsn);

#endif							/* GID_SEQUENCE_FLUSH_H */
