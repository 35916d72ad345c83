/*-------------------------------------------------------------------------
 *
 * base/random.c
 *		Random bytes from the server's CSPRNG, bought in bulk.
 *
 * One call of pg_strong_random() costs a microsecond before it gives the first
 * byte, and one for 16 kB three; so a backend buys that many at a time.
 *
 * State: a buffer in this process's memory.
 *
 * Invariants:
 * 1. A byte is handed out once, and wiped from the buffer as it leaves, so
 *	  that neither a core file nor a later bug gives away an id's bits.
 * 2. The buffer is filled in the process that uses it.  It starts empty and
 *	  only gid_random_u64() fills it, which the postmaster never calls; a
 *	  backend therefore cannot inherit random bytes that another has too.
 * 3. A failure of the source is an error.  The buffer stays empty then, and
 *	  the next call asks again.
 *
 * A crash, a restart or a standby has nothing to keep here.
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
 * Random bytes straight from the source.  Raises XX000 when it fails.
 */
void
gid_random_fill(void *bytes, size_t count)
{
	if (!pg_strong_random(bytes, count))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not generate random values"),
				 errdetail("The server's source of strong random numbers failed."),
				 errhint("Try again; if it keeps failing, check the operating system's random source.")));
}

/*
 * Fill the buffer anew.  Raises XX000 when the source fails; the buffer counts
 * as empty then.
 */
void
gid_random_refill(void)
{
	Assert(IsUnderPostmaster || !IsPostmasterEnvironment);

	gid_random_buffer.used = GID_RANDOM_BUFFER_BYTES;
	gid_random_fill(gid_random_buffer.bytes, GID_RANDOM_BUFFER_BYTES);
	gid_random_buffer.used = 0;
}
