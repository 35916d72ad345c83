/*-------------------------------------------------------------------------
 *
 * base/random.c
 *		Random bytes from the server's CSPRNG, fetched in bulk.
 *
 * A call of pg_strong_random() takes a microsecond before the first byte, and
 * three for 16 kB.  So a backend fetches 16 kB at a time.
 *
 * State: a buffer in this process's memory.
 *
 * Invariants:
 * 1. A byte is used once, and the buffer's copy is wiped at that moment.  So
 *	  neither a core file nor a later bug gives away an id's bits.
 * 2. The process that uses the buffer fills it.  The buffer starts empty, only
 *	  gid_random_u64() fills it, and the postmaster never calls that function.
 *	  So no two backends inherit the same random bytes.
 * 3. A failure of the source of random bytes is an error.  The buffer stays
 *	  empty then, and the next call asks the source again.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/random.h"

GidRandomBuffer gid_random_buffer = {.used = GID_RANDOM_BUFFER_BYTES};

/*
 * Fill "bytes" with "count" random bytes, directly from the source.  Raises
 * XX000 when the source fails.
 */
void
gid_random_fill(void *bytes, size_t count)
{
	if (!pg_strong_random(bytes, count))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values"),
				 errdetail("The server's source of strong random numbers failed."),
				 errhint("Try again. If the error persists, check the operating system's source of random numbers.")));
}

/*
 * Fill the buffer again.  Raises XX000 when the source fails; the buffer then
 * counts as empty.
 */
void
gid_random_refill(void)
{
	Assert(IsUnderPostmaster || !IsPostmasterEnvironment);

	gid_random_buffer.used = GID_RANDOM_BUFFER_BYTES;
	gid_random_fill(gid_random_buffer.bytes, GID_RANDOM_BUFFER_BYTES);
	gid_random_buffer.used = 0;
}
