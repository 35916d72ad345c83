/*-------------------------------------------------------------------------
 *
 * base/claim.h
 *		A claim: the right to do something slow, in shared memory.
 *
 * Some work must be done by one process at a time and takes as long as a write
 * to disk, or longer.  An LWLock is not for such work: processes that wait for
 * it cannot be cancelled.  Instead one process takes a claim.  A process that
 * needs the result sleeps until the claim is released, and then looks again.
 *
 * State: GidClaim, in the part of the file that uses it.
 *
 * Invariants:
 * 1. A claim has at most one holder.  Claims do not nest.
 * 2. The holder releases the claim whatever happens.  Either it does nothing
 *	  meanwhile that can raise an error or serve an interrupt, or it releases
 *	  the claim in PG_ENSURE_ERROR_CLEANUP.
 * 3. A release wakes all processes that sleep.  It does not promise the claim
 *	  to any of them.
 *
 * Crash: a killed holder makes the postmaster reset the shared memory, the
 * claim included.
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
	pg_atomic_uint32 taken;		/* 1 while a process holds the claim; CAS */
	ConditionVariable released; /* broadcast at release; protects itself */
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

/* Take the claim if no process has it.  Returns whether.  Does not wait. */
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

/*
 * Sleep until no process has the claim, for at most "ms" milliseconds; for
 * ever with -1.  Returns whether the claim was released.  Interruptible, so it
 * may raise 57014.  "wait_event" is what pg_stat_activity shows.
 */
static inline bool
gid_claim_wait_for(GidClaim *claim, long ms, uint32 wait_event)
{
	bool		released = false;

	ConditionVariablePrepareToSleep(&claim->released);
	while (!(released = !gid_claim_is_taken(claim)) &&
		   !ConditionVariableTimedSleep(&claim->released, ms, wait_event))
		;
	ConditionVariableCancelSleep();
	return released;
}

#endif							/* GID_BASE_CLAIM_H */
