/*-------------------------------------------------------------------------
 *
 * decimal/lease.h
 *		Leases of DecimalId generators in shared memory.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_DECIMAL_LEASE_H
#define GID_DECIMAL_LEASE_H

#include "access/xlogdefs.h"

#include "attach/attach.h"
#include "sequence/open.h"

/* A connection may take a lease whose key equals its own in all members. */
typedef struct GidLeaseKey
{
	GidSequenceKey sequence;
	uint32		authority;		/* which reserved the number: a hash of its
								 * name; 0: this server */
	int32		launch;			/* 0..99999 */
} GidLeaseKey;

typedef enum GidLeaseState
{
	GID_LEASE_FREE,				/* the entry holds nothing */
	GID_LEASE_IDLE,				/* no backend uses the generator number */
	GID_LEASE_HELD				/* a backend does; its slot has the counter */
} GidLeaseState;

/* All members are protected by the lock of GidLeaseTable. */
typedef struct GidLease
{
	GidLeaseKey key;			/* lock */
	int32		generator;		/* number, 0..99999; lock */
	int32		counter;		/* last issued, 0..922337202; lock */
	int32		skipped;		/* number of counters passed over; lock */
	uint8		state;			/* GidLeaseState; lock */
	uint64		stamp;			/* order of the returns, greater is later;
								 * lock */
	int64		entered_us;		/* monotonic time when it was entered; lock */
	XLogRecPtr	lsn;			/* end of the record that reserved the number;
								 * invalid: an authority reserved it; lock */
} GidLease;

extern const GidPart gid_lease_part;

extern bool gid_lease_key_equal(const GidLeaseKey *a, const GidLeaseKey *b);
extern int	gid_lease_take(const GidLeaseKey *key, GidLease *lease);
extern int	gid_lease_add(const GidLeaseKey *key, int32 generator,
						  XLogRecPtr lsn);
extern void gid_lease_return(int entry, int32 counter, int32 skipped);
extern GidLease *gid_lease_copy(int *size);
extern int	gid_lease_limit(void);

#endif							/* GID_DECIMAL_LEASE_H */
