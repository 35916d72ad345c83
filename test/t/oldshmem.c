/*
 * Shared memory of another version of gid, for 001_preload.pl: a piece "gid"
 * of 256 bytes, which begin with the version.  shared_preload_libraries loads
 * this library.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/lwlock.h"
#include "storage/shmem.h"

PG_MODULE_MAGIC;

#define OLD_SIZE	256

extern PGDLLEXPORT void _PG_init(void);

static void
old_shmem_request(void)
{
	RequestAddinShmemSpace(OLD_SIZE);
}

static void
old_shmem_startup(void)
{
	char	   *piece;
	bool		found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	piece = ShmemInitStruct("gid", OLD_SIZE, &found);
	memset(piece, 0x5a, OLD_SIZE);
	strcpy(piece, "1.9");
	LWLockRelease(AddinShmemInitLock);
}

void
_PG_init(void)
{
	if (!process_shared_preload_libraries_in_progress)
		return;
	shmem_request_hook = old_shmem_request;
	shmem_startup_hook = old_shmem_startup;
}
