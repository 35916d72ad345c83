/*-------------------------------------------------------------------------
 *
 * decimal/generator.h
 *		The generator under which a backend makes DecimalIds.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_DECIMAL_GENERATOR_H
#define GID_DECIMAL_GENERATOR_H

#include "attach/backend_slot.h"
#include "decimal/lease.h"
#include "decimal/pace.h"
#include "layout/decimal_id.h"

/* The sequence of the generator numbers, in the schema "gid". */
#define GID_GENERATOR_SEQUENCE	"decimal_generator"

/* The last value of the sequence: launch 99999, generator 99999. */
#define GID_GENERATOR_MAX_NUMBER \
	(GID_DECIMAL_MAX_LAUNCH * GID_DECIMAL_LAUNCH_STEP + GID_DECIMAL_MAX_GENERATOR)

#define GID_GENERATOR_NO_LEASE	(-1)

/* The lease that this backend holds. */
typedef struct GidGenerator
{
	int			entry;			/* in the lease table, or NO_LEASE */
	GidLeaseKey key;
	int32		generator;		/* number, 0..99999 */
	XLogRecPtr	lsn;			/* of the generator number, as in GidLease */
	GidPace		pace;			/* of the generator */
	Oid			sequence;		/* the sequence that this backend has locked */
	LocalTransactionId lxid;	/* transaction that has the sequence locked;
								 * invalid: check the lease again */
} GidGenerator;

extern GidGenerator gid_generator;

extern void gid_generator_forget_authority(void);
extern uint32 gid_generator_authority(void);
extern void gid_generator_prepare(int32 launch);
extern void gid_generator_keep_pace(GidSlot *slot);
extern int32 gid_generator_reserve_for_other(int32 launch);

/* Return the counter of the lease that the slot's backend holds. */
static inline uint64
gid_generator_counter(GidSlot *slot)
{
	return pg_atomic_read_u64(&slot->last[GID_FAMILY_DECIMAL]);
}

#endif							/* GID_DECIMAL_GENERATOR_H */
