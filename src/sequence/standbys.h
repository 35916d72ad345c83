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

#include "attach/attach.h"

/* What a view shows. */
typedef struct GidStandbyStat
{
	int			wanted;			/* gid.reservation_standbys in force; -1: its
								 * value was refused in this session */
	int			connected;		/* standbys that count */
	int			waiting;		/* sessions that wait for them */
	int64		lost;			/* reservations lost by the end of a wait */
} GidStandbyStat;

extern const GidPart gid_standby_part;

extern void gid_standbys_publish(void);
extern void gid_standbys_check(void);
extern int	gid_standbys_wanted(void);
extern bool gid_standbys_have(XLogRecPtr lsn, int wanted);
extern void gid_standbys_begin_wait(void);
extern void gid_standbys_end_wait(bool lost);
extern void gid_standbys_log_wait(XLogRecPtr lsn, int64 since_us);
extern void gid_standbys_stat(GidStandbyStat *stat);

#endif							/* GID_SEQUENCE_STANDBYS_H */
