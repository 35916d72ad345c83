/*-------------------------------------------------------------------------
 *
 * base/fault.h
 *		Planted faults: each switches off one safeguard, so that it can be shown
 *		that the tests notice (test/planted.sh).
 *
 * All are the constant false; who defines one as 1 when compiling (make
 * PG_CPPFLAGS=-DGID_FAULT_NO_FLUSH=1) gets a library that breaks the promises.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_BASE_FAULT_H
#define GID_BASE_FAULT_H

/* the words start at the clock, whatever gid.clock says */
#ifndef GID_FAULT_NO_BOUND
#define GID_FAULT_NO_BOUND		0
#endif

/* the words do not stop at the durable bound */
#ifndef GID_FAULT_NO_LIMIT
#define GID_FAULT_NO_LIMIT		0
#endif

/* a damaged gid.clock counts as a missing one */
#ifndef GID_FAULT_TORN_IS_MISSING
#define GID_FAULT_TORN_IS_MISSING	0
#endif

/* a growing word is read and written, without a CAS */
#ifndef GID_FAULT_NO_WORD_CAS
#define GID_FAULT_NO_WORD_CAS	0
#endif

/* values are handed out before their reservation is on disk */
#ifndef GID_FAULT_NO_FLUSH
#define GID_FAULT_NO_FLUSH		0
#endif

/* a block's value is taken by a plain increment after it was read */
#ifndef GID_FAULT_NO_BLOCK_CAS
#define GID_FAULT_NO_BLOCK_CAS	0
#endif

/* blocks and leases are told by the numbers of database and sequence alone */
#ifndef GID_FAULT_SHORT_KEY
#define GID_FAULT_SHORT_KEY		0
#endif

/* a lease goes back without its counter */
#ifndef GID_FAULT_NO_RETURN
#define GID_FAULT_NO_RETURN		0
#endif

/* a lease may have several holders */
#ifndef GID_FAULT_SHARED_LEASE
#define GID_FAULT_SHARED_LEASE	0
#endif

#endif							/* GID_BASE_FAULT_H */
