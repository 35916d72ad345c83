/*-------------------------------------------------------------------------
 *
 * fleet/failure.c
 *		Which other servers did not answer.
 *
 * State: GID_PART_FAILURES in shared memory, protected by the header's
 * failure_lock: the servers that failed and until when they are passed over.
 *
 * Invariants:
 * 1. A server that fails is passed over by all backends.  The backend that tries
 *	  the server again moves that time ahead first, so that it alone waits.
 * 2. A row is of a whole URI, so what fails for one user or database says
 *	  nothing about another one.  Of the URI only a hash is kept.
 * 3. The lock is held for one pass over the rows.
 *
 * A crash forgets who failed.  Only the monotonic clock is read.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"

#include "fleet/failure.h"
#include "gid_clock.h"
#include "gid_shmem.h"

/* When no other server answers, one that failed is asked again after this. */
#define GID_FAILURE_LAST_RESORT_US	INT64CONST(2000000)

#define GID_FAILURE_ROWS			64

/* A server that failed. */
typedef struct GidFailure
{
	uint64		uri;			/* hash of the URI; 0: the row is free; lock */
	int64		failed_us;		/* monotonic time; lock */
	int64		retry_us;		/* monotonic time until which the server is
								 * passed over; lock */
	char		text[GID_FAILURE_TEXT_SIZE];	/* what went wrong; lock */
} GidFailure;

Size
gid_failure_size(void)
{
	return mul_size(GID_FAILURE_ROWS, sizeof(GidFailure));
}

static uint64
gid_failure_hash(const char *uri)
{
	uint64		hash = hash_bytes_extended((const unsigned char *) uri, strlen(uri), 0);

	return hash != 0 ? hash : 1;
}

/* The row of a URI, or NULL.  The caller has the lock. */
static GidFailure *
gid_failure_find(const char *uri)
{
	GidFailure *rows = gid_shmem_part(GID_PART_FAILURES);
	uint64		hash = gid_failure_hash(uri);

	for (int i = 0; i < GID_FAILURE_ROWS; i++)
	{
		if (rows[i].uri == hash)
			return &rows[i];
	}
	return NULL;
}

/*
 * May this backend ask a server now?  One that has failed is asked again after
 * GID_FAILURE_PASS_OVER_US, or somewhat earlier as a last resort, and then by
 * the calling backend alone.  "text" is what went wrong the last time.
 */
bool
gid_failure_may_ask(const char *uri, bool last_resort,
					char text[GID_FAILURE_TEXT_SIZE])
{
	LWLock	   *lock = &gid_shmem_header()->failure_lock;
	int64		now_us = gid_clock_monotonic_us();
	GidFailure *row;
	bool		may = true;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	row = gid_failure_find(uri);
	if (row != NULL)
	{
		may = now_us >= (last_resort ? row->failed_us + GID_FAILURE_LAST_RESORT_US :
						 row->retry_us);
		if (may)
		{
			row->failed_us = now_us;
			row->retry_us = now_us + GID_FAILURE_PASS_OVER_US;
		}
		strlcpy(text, row->text, GID_FAILURE_TEXT_SIZE);
	}
	LWLockRelease(lock);
	return may;
}

/* Note that a server has failed, in place of the one that failed first. */
void
gid_failure_note(const char *uri, const char *text)
{
	LWLock	   *lock = &gid_shmem_header()->failure_lock;
	GidFailure *rows = gid_shmem_part(GID_PART_FAILURES);
	int64		now_us = gid_clock_monotonic_us();
	GidFailure *row;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	row = gid_failure_find(uri);
	if (row == NULL)
	{
		/* a free row failed at 0, before all others */
		row = &rows[0];
		for (int i = 1; i < GID_FAILURE_ROWS; i++)
		{
			if (rows[i].failed_us < row->failed_us)
				row = &rows[i];
		}
	}
	row->uri = gid_failure_hash(uri);
	row->failed_us = now_us;
	row->retry_us = now_us + GID_FAILURE_PASS_OVER_US;
	strlcpy(row->text, text, sizeof(row->text));
	LWLockRelease(lock);
}

/* Note that a server has answered. */
void
gid_failure_forget(const char *uri)
{
	LWLock	   *lock = &gid_shmem_header()->failure_lock;
	GidFailure *row;

	LWLockAcquire(lock, LW_EXCLUSIVE);
	row = gid_failure_find(uri);
	if (row != NULL)
		memset(row, 0, sizeof(*row));
	LWLockRelease(lock);
}
