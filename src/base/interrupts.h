/*-------------------------------------------------------------------------
 *
 * base/interrupts.h
 *		Cancels during a loop over a long text.
 *
 * A text has up to a gigabyte, and a loop over its bytes takes seconds.  So
 * each loop over a caller's text calls gid_check_interrupts_at().  A file that
 * includes this header still compiles without a server.  Such a program has no
 * cancels, and the function does nothing.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_INTERRUPTS_H
#define GID_BASE_INTERRUPTS_H

#ifndef FRONTEND
#include "miscadmin.h"
#endif

/* How many rounds of a loop pass between two looks: some milliseconds. */
#define GID_INTERRUPTS_ROUNDS	(1 << 20)

/*
 * Process interrupts in round "n" of a loop that counts up or down by 1.  Most
 * rounds only look at "n", and short texts never look for interrupts.  A
 * cancel raises its error here, so the caller holds nothing that an error does
 * not release.
 */
static inline void
gid_check_interrupts_at(int n)
{
#ifdef FRONTEND
	(void) n;
#else
	if (unlikely(n % GID_INTERRUPTS_ROUNDS == GID_INTERRUPTS_ROUNDS - 1))
		CHECK_FOR_INTERRUPTS();
#endif
}

#endif							/* GID_BASE_INTERRUPTS_H */
