/*-------------------------------------------------------------------------
 *
 * sequence/standbys.h
 *		Which standbys have a reservation on disk.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_SEQUENCE_STANDBYS_H
#define GID_SEQUENCE_STANDBYS_H

#include "access/xlogdefs.h"
#include "datatype/timestamp.h"

#include "attach/attach.h"

/* What a view shows. */
typedef struct GidStandbyStat
{
	int			wanted;			/* gid.reservation_standbys in force; -1: its
								 * value, or that of gid.reservation_wait, was
								 * refused in this session */
	int			connected;		/* standbys that count */
	int			waiting;		/* sessions that wait for them */
	TimestampTz waiting_since;	/* when the first of these began; 0: none */
	TimestampTz without_since;	/* since when reservations are used without
								 * standbys; 0: they are not */
	int64		lost;			/* reservations lost by the end of a wait */
} GidStandbyStat;

/* A session that waits looks for its client once in this time. */
#define GID_STANDBYS_CLIENT_MS	1000

extern const GidPart gid_standbys_part;

extern void gid_standbys_publish(void);
extern int	gid_standbys_wanted(void);
extern bool gid_standbys_have(XLogRecPtr lsn, int wanted);
extern bool gid_standbys_allow(XLogRecPtr lsn, int wanted);
extern bool gid_standbys_allow_waiting(XLogRecPtr lsn, int wanted, int64 since_us);
extern void gid_standbys_begin_wait(TimestampTz since);
extern void gid_standbys_end_wait(bool lost);
extern void gid_standbys_check_client(void);
extern void gid_standbys_log_wait(XLogRecPtr lsn, int64 since_us);
extern void gid_standbys_stat(GidStandbyStat *stat);

#endif							/* GID_SEQUENCE_STANDBYS_H */
