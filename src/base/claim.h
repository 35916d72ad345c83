/*-------------------------------------------------------------------------
 *
 * base/claim.h
 *		The right to do something slow, in shared memory.
 *
 * What must be done by one process at a time, and takes a write to disk or
 * longer, is not done under an LWLock: the lock would be held across it, and
 * those who wait could not be cancelled.  Instead one process claims it, and
 * who cannot do without sleeps until the claim is released, and then looks
 * again.
 *
 * Invariants:
 * 1. A claim has at most one holder.  It does not nest.
 * 2. The holder releases it whatever happens: it does nothing meanwhile that
 *	  can raise an error or take an interrupt, or it holds these off, or it
 *	  releases in PG_ENSURE_ERROR_CLEANUP.
 *	  A process that is killed takes the shared memory with it.
 * 3. Whoever was asleep when it was released is awake afterwards; a waiter
 *	  is not promised the claim.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_CLAIM_H
#define GID_BASE_CLAIM_H

#include "port/atomics.h"
#include "storage/condition_variable.h"

typedef struct GidClaim
{
	pg_atomic_uint32 taken;		/* 1 while a process holds it; CAS */
	ConditionVariable released; /* broadcast when it goes back to 0 */
} GidClaim;

static inline void
gid_claim_init(GidClaim *claim)
{
	pg_atomic_init_u32(&claim->taken, 0);
	ConditionVariableInit(&claim->released);
}

static inline bool
gid_claim_is_taken(GidClaim *claim)
{
	return pg_atomic_read_u32(&claim->taken) != 0;
}

/* Take the claim if nobody has it.  Does not wait. */
static inline bool
gid_claim_try(GidClaim *claim)
{
	uint32		expected = 0;

	return pg_atomic_compare_exchange_u32(&claim->taken, &expected, 1);
}

static inline void
gid_claim_release(GidClaim *claim)
{
	(void) pg_atomic_exchange_u32(&claim->taken, 0);
	ConditionVariableBroadcast(&claim->released);
}

/* Sleep until nobody has it; interruptible. */
static inline void
gid_claim_wait(GidClaim *claim, uint32 wait_event)
{
	ConditionVariablePrepareToSleep(&claim->released);
	while (gid_claim_is_taken(claim))
		ConditionVariableSleep(&claim->released, wait_event);
	ConditionVariableCancelSleep();
}

#endif							/* GID_BASE_CLAIM_H */
