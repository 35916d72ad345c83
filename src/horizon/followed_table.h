/*-------------------------------------------------------------------------
 *
 * horizon/followed_table.h
 *		The table of the sequences that readers follow.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_FOLLOWED_TABLE_H
#define GID_HORIZON_FOLLOWED_TABLE_H

#include "attach/attach.h"
#include "horizon/followed.h"

/* How many sequences the server follows at a time. */
#define GID_FOLLOWED_ROWS		64

/* Which sequence is followed.  A change of its direction makes another file. */
typedef struct GidFollowedKey
{
	Oid			database;
	Oid			sequence;
	Oid			file;
	Oid			owner;			/* whose rows give way; no part of the
								 * identity */
	bool		ascending;
} GidFollowedKey;

/* What a call has found out of a sequence. */
typedef struct GidFound
{
	bool		is_merged;		/* its sample was */
	bool		is_known;		/* else: nothing can be said */
	int64		horizon;		/* a value of the sequence */
	uint64		life;			/* see GidFollowed */
} GidFound;

/* What a view shows of a followed sequence. */
typedef struct GidFollowedStat
{
	GidFollowedKey key;
	int64		asked_us;		/* monotonic time of the last call */
	bool		is_known;		/* else: nothing can be said */
	int64		horizon;		/* a value of the sequence, if is_known */
	int64		behind;			/* values between it and the last position */
	int64		since_us;		/* monotonic time of the first sample that is
								 * beyond it; 0: there is none */
	int			holders;		/* lockers of the last sample that hold it
								 * back */
} GidFollowedStat;

extern const GidPart gid_followed_table_part;

extern uint64 gid_followed_table_version(const GidFollowedKey *key);
extern void gid_followed_table_merge(const GidFollowedKey *key, uint64 version, GidSample *sample,
									 const GidEnded *ended, int64 now_us, GidFound *found);
extern void gid_followed_table_was_set(const GidFollowedKey *key, int64 value, bool is_called);
extern bool gid_followed_table_stat(int number, const GidEnded *ended, GidFollowedStat *stat);
extern int64 gid_followed_table_evictions(void);

#endif							/* GID_HORIZON_FOLLOWED_TABLE_H */
