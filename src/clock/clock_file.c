/*-------------------------------------------------------------------------
 *
 * clock/clock_file.c
 *		gid.clock: the durable bound on disk.
 *
 * The file stands in the data directory and holds, for each growing word, the
 * first value that may not have been issued when the server last stopped:
 *
 *	0       4         8                    16                48       52
 *	| magic | version | system identifier  | words (4 x 64)  | CRC-32C |
 *
 * in the machine's own byte order, as pg_control.
 *
 * State: the file, and its temporary name while it is being written.
 *
 * Invariants:
 * 1. Whoever opens the name gid.clock finds a whole file, the old or the new
 *	  one: it is written under the temporary name, fsynced, renamed, and the
 *	  directory is fsynced.  A crash leaves at most the temporary file, which
 *	  the next writer truncates.
 * 2. One process writes at a time: the caller sees to that (clock/bound.c).
 * 3. Nothing here raises an error, so that the caller can release what it
 *	  holds first; the reason is handed back.
 *
 * A base backup copies the file with the rest; a standby then writes its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "port/pg_crc32c.h"
#include "storage/fd.h"

#include "clock/clock_file.h"

#define GID_CLOCK_FILE_MAGIC	0x6b636c63	/* "clck" */
#define GID_CLOCK_FILE_VERSION	1

typedef struct GidClockFile
{
	uint32		magic;
	uint32		version;
	uint64		system_identifier;
	uint64		words[GID_NWORDS];
	pg_crc32c	crc;			/* of everything before */
} GidClockFile;

/* What is written: no padding at the end. */
#define GID_CLOCK_FILE_BYTES	(offsetof(GidClockFile, crc) + sizeof(pg_crc32c))

static pg_crc32c
gid_clock_file_crc(const GidClockFile *file)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, file, offsetof(GidClockFile, crc));
	FIN_CRC32C(crc);
	return crc;
}

/* Note a failure with the present errno; always false, for "return". */
static bool
gid_clock_file_fail(GidClockFileError *error, const char *action,
					const char *name)
{
	error->action = action;
	error->name = name;
	error->os_error = errno;
	error->replaced = false;
	return false;
}

/*
 * Read the file.  On GID_CLOCK_FILE_READ the system identifier and the words
 * are set; on GID_CLOCK_FILE_FAILED "error" is.  Raises nothing.
 */
GidClockFileState
gid_clock_file_read(uint64 *system_identifier, uint64 words[GID_NWORDS],
					GidClockFileError *error)
{
	GidClockFile file;
	char		bytes[GID_CLOCK_FILE_BYTES + 1];	/* one more shows a longer
													 * file */
	int			fd;
	ssize_t		n;

	fd = BasicOpenFile(GID_CLOCK_FILE, O_RDONLY | PG_BINARY);
	if (fd < 0)
	{
		if (errno == ENOENT)
			return GID_CLOCK_FILE_MISSING;
		gid_clock_file_fail(error, "open",
							GID_CLOCK_FILE);
		return GID_CLOCK_FILE_FAILED;
	}
	n = read(fd, bytes, sizeof(bytes));
	if (n < 0)
	{
		gid_clock_file_fail(error, "read",
							GID_CLOCK_FILE);
		close(fd);
		return GID_CLOCK_FILE_FAILED;
	}
	close(fd);

	if (n != GID_CLOCK_FILE_BYTES)
		return GID_CLOCK_FILE_TORN;
	memcpy(&file, bytes, GID_CLOCK_FILE_BYTES);
	if (file.magic != GID_CLOCK_FILE_MAGIC ||
		file.version != GID_CLOCK_FILE_VERSION ||
		!EQ_CRC32C(file.crc, gid_clock_file_crc(&file)))
		return GID_CLOCK_FILE_TORN;

	*system_identifier = file.system_identifier;
	memcpy(words, file.words, sizeof(file.words));
	return GID_CLOCK_FILE_READ;
}

/* Write the bytes under the temporary name and have them on disk. */
static bool
gid_clock_file_write_tmp(const GidClockFile *file, GidClockFileError *error)
{
	int			fd;

	fd = BasicOpenFile(GID_CLOCK_FILE_TMP,
					   O_WRONLY | O_CREAT | O_TRUNC | PG_BINARY);
	if (fd < 0)
		return gid_clock_file_fail(error, "create",
								   GID_CLOCK_FILE_TMP);
	errno = 0;
	if (write(fd, file, GID_CLOCK_FILE_BYTES) != GID_CLOCK_FILE_BYTES)
	{
		/* a short write without an errno means a full disk */
		if (errno == 0)
			errno = ENOSPC;
		gid_clock_file_fail(error, "write",
							GID_CLOCK_FILE_TMP);
		close(fd);
		return false;
	}
	if (pg_fsync(fd) != 0)
	{
		gid_clock_file_fail(error, "fsync",
							GID_CLOCK_FILE_TMP);
		close(fd);
		return false;
	}
	if (close(fd) != 0)
		return gid_clock_file_fail(error, "close",
								   GID_CLOCK_FILE_TMP);
	return true;
}

/* Have the new name on disk. */
static bool
gid_clock_file_sync_directory(GidClockFileError *error)
{
	int			fd;
	bool		ok;

	fd = BasicOpenFile(".", O_RDONLY | PG_BINARY);
	if (fd < 0)
		return gid_clock_file_fail(error, "open", ".");
	/* some systems cannot fsync a directory, and need not */
	ok = pg_fsync(fd) == 0 || errno == EBADF || errno == EINVAL;
	if (!ok)
		gid_clock_file_fail(error, "fsync", ".");
	close(fd);
	return ok;
}

/*
 * Replace the file.  When it returns true the new content is on disk; false:
 * "error" says why, and whether the old content is still there.  Raises
 * nothing.
 */
bool
gid_clock_file_write(uint64 system_identifier,
					 const uint64 words[GID_NWORDS], GidClockFileError *error)
{
	GidClockFile file;

	memset(&file, 0, sizeof(file));
	file.magic = GID_CLOCK_FILE_MAGIC;
	file.version = GID_CLOCK_FILE_VERSION;
	file.system_identifier = system_identifier;
	memcpy(file.words, words, sizeof(file.words));
	file.crc = gid_clock_file_crc(&file);

	if (!gid_clock_file_write_tmp(&file, error))
	{
		(void) unlink(GID_CLOCK_FILE_TMP);
		return false;
	}
	if (rename(GID_CLOCK_FILE_TMP, GID_CLOCK_FILE) != 0)
		return gid_clock_file_fail(error, "rename",
								   GID_CLOCK_FILE_TMP);
	if (gid_clock_file_sync_directory(error))
		return true;
	error->replaced = true;
	return false;
}

/*
 * The SQLSTATE of a failure: 53100 for a full disk or quota, 58030 otherwise,
 * since to the caller of an id it is all the same which call failed.
 */
int
gid_clock_file_errcode(const GidClockFileError *error)
{
	if (error->os_error == ENOSPC || error->os_error == EDQUOT)
		return ERRCODE_DISK_FULL;
	return ERRCODE_IO_ERROR;
}
