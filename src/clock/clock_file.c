/*-------------------------------------------------------------------------
 *
 * clock/clock_file.c
 *		gid.clock: the durable bound on disk.
 *
 * The file is in the data directory.  For each growing word it holds the first
 * value that may not have been issued when the server last stopped:
 *
 *	0       4         8                    16                16 + 8n   20 + 8n
 *	| magic | version | system identifier  | words (n x 64)  | CRC-32C |
 *
 * in the machine's own byte order, as pg_control.  The words are in the order
 * of GidWordId.  Their number n follows from the length of the file, so a
 * library can read the file of a library with fewer or more words:
 *
 * - A word that the file does not have begins at the first value that it could
 *	 not have had at the moment of the v7 word, which is the bound or, after a
 *	 clean stop, the server's time: one second more, or the second after the
 *	 next.  So no value repeats if a library without the word has run in
 *	 between.
 * - A word that the library does not have is ignored, and not in the next
 *	  file.
 *
 * State: the file, and its temporary name while it is being written.
 *
 * Invariants:
 * 1. The name gid.clock always leads to a whole file, the old one or the new
 *	  one.  The file is written under the temporary name, fsynced and
 *	  renamed, and then the directory is fsynced.
 * 2. One process writes at a time.  The caller sees to that, with the claim
 *	  mover (clock/bound.c).
 * 3. Reading and writing raise no error.  The caller gets the reason, releases
 *	  what it holds, and then reports the reason.
 * 4. Neither waits for another process, since the caller has blocked signals:
 *	  what is read must be a regular file, and what is written is a new one.
 *	  Opening a FIFO under either name could wait for ever.
 *
 * Crash: at most the temporary file is left, which the next writer removes.
 * Standby: a base backup copies the file with the rest, and the standby then
 * writes its own.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <sys/stat.h>
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

/* Length of a file of n words: no padding at the end. */
#define GID_CLOCK_FILE_LENGTH(n) \
	(offsetof(GidClockFile, words) + (n) * sizeof(uint64) + sizeof(pg_crc32c))
#define GID_CLOCK_FILE_BYTES	GID_CLOCK_FILE_LENGTH(GID_NWORDS)

/* No library writes more words than this. */
#define GID_CLOCK_FILE_MAX_WORDS	64

StaticAssertDecl(GID_NWORDS <= GID_CLOCK_FILE_MAX_WORDS,
				 "gid.clock has room for all words");

static pg_crc32c
gid_clock_file_crc(const void *bytes, size_t n)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, bytes, n);
	FIN_CRC32C(crc);
	return crc;
}

/*
 * Take the file from its n bytes.  Returns false, with "file" undefined, if
 * they are no whole file.
 */
static bool
gid_clock_file_parse(GidClockFile *file, const char *bytes, size_t n)
{
	size_t		body = n - sizeof(pg_crc32c);
	pg_crc32c	crc;
	int64		v7_us;

	if (n < GID_CLOCK_FILE_LENGTH(1) ||
		n > GID_CLOCK_FILE_LENGTH(GID_CLOCK_FILE_MAX_WORDS) ||
		(n - GID_CLOCK_FILE_LENGTH(0)) % sizeof(uint64) != 0)
		return false;
	memcpy(&crc, bytes + body, sizeof(crc));
	memcpy(file, bytes, Min(body, offsetof(GidClockFile, crc)));
	if (file->magic != GID_CLOCK_FILE_MAGIC ||
		file->version != GID_CLOCK_FILE_VERSION ||
		!EQ_CRC32C(crc, gid_clock_file_crc(bytes, body)))
		return false;

	/* rounded down; the server's time may have been a microsecond later */
	v7_us = gid_word_us(GID_WORD_V7, file->words[GID_WORD_V7]);
	for (int id = (body - offsetof(GidClockFile, words)) / sizeof(uint64);
		 id < GID_NWORDS; id++)
		file->words[id] = gid_word_lead_limit(id, v7_us + 1);
	return true;
}

/*
 * Note a failure with the present errno.  "message" has a place for the name.
 * Returns false, so that the caller can return it.
 */
static bool
gid_clock_file_fail(GidClockFileError *error, const char *message,
					const char *name)
{
	error->message = message;
	error->name = name;
	error->os_error = errno;
	error->replaced = false;
	return false;
}

/*
 * Read the file.  Sets the system identifier and the words if the result is
 * GID_CLOCK_FILE_READ, and "error" if it is GID_CLOCK_FILE_FAILED.  Raises
 * nothing.  Waits only for the disk.
 */
GidClockFileState
gid_clock_file_read(uint64 *system_identifier, uint64 words[GID_NWORDS],
					GidClockFileError *error)
{
	GidClockFileState state = GID_CLOCK_FILE_READ;
	GidClockFile file;

	/* one more byte shows a file that is too long */
	char		bytes[GID_CLOCK_FILE_LENGTH(GID_CLOCK_FILE_MAX_WORDS) + 1];
	struct stat st;
	int			fd;
	ssize_t		n;

	fd = BasicOpenFile(GID_CLOCK_FILE, O_RDONLY | O_NONBLOCK | PG_BINARY);
	if (fd < 0)
	{
		if (errno == ENOENT)
			return GID_CLOCK_FILE_MISSING;
		gid_clock_file_fail(error, "could not open file \"%s\": %m", GID_CLOCK_FILE);
		return GID_CLOCK_FILE_FAILED;
	}
	if (fstat(fd, &st) != 0)
	{
		gid_clock_file_fail(error, "could not stat file \"%s\": %m", GID_CLOCK_FILE);
		state = GID_CLOCK_FILE_FAILED;
	}
	else if (!S_ISREG(st.st_mode))
		state = GID_CLOCK_FILE_TORN;
	else if ((n = read(fd, bytes, sizeof(bytes))) < 0)
	{
		gid_clock_file_fail(error, "could not read file \"%s\": %m", GID_CLOCK_FILE);
		state = GID_CLOCK_FILE_FAILED;
	}
	else if (!gid_clock_file_parse(&file, bytes, n))
		state = GID_CLOCK_FILE_TORN;
	close(fd);
	if (state != GID_CLOCK_FILE_READ)
		return state;
	*system_identifier = file.system_identifier;
	memcpy(words, file.words, sizeof(file.words));
	return GID_CLOCK_FILE_READ;
}

/* Write the bytes under the temporary name and flush them to disk. */
static bool
gid_clock_file_write_tmp(const GidClockFile *file, GidClockFileError *error)
{
	bool		ok = true;
	int			fd;

	/* what a crash has left, or an administrator; if this fails, open() does */
	(void) unlink(GID_CLOCK_FILE_TMP);
	fd = BasicOpenFile(GID_CLOCK_FILE_TMP,
					   O_WRONLY | O_CREAT | O_EXCL | PG_BINARY);
	if (fd < 0)
		return gid_clock_file_fail(error, "could not create file \"%s\": %m", GID_CLOCK_FILE_TMP);
	errno = 0;
	if (write(fd, file, GID_CLOCK_FILE_BYTES) != GID_CLOCK_FILE_BYTES)
	{
		/* a short write without an errno means a full disk */
		if (errno == 0)
			errno = ENOSPC;
		ok = gid_clock_file_fail(error, "could not write file \"%s\": %m", GID_CLOCK_FILE_TMP);
	}
	else if (pg_fsync(fd) != 0)
		ok = gid_clock_file_fail(error, "could not fsync file \"%s\": %m", GID_CLOCK_FILE_TMP);
	if (close(fd) != 0 && ok)
		return gid_clock_file_fail(error, "could not close file \"%s\": %m", GID_CLOCK_FILE_TMP);
	return ok;
}

/* Flush the new name to disk. */
static bool
gid_clock_file_sync_directory(GidClockFileError *error)
{
	int			fd;
	bool		ok;

	fd = BasicOpenFile(".", O_RDONLY | PG_BINARY);
	if (fd < 0)
		return gid_clock_file_fail(error, "could not open directory \"%s\": %m", ".");
	/* some systems cannot fsync a directory, and need not */
	ok = pg_fsync(fd) == 0 || errno == EBADF || errno == EINVAL;
	if (!ok)
		gid_clock_file_fail(error, "could not fsync directory \"%s\": %m", ".");
	close(fd);
	return ok;
}

/*
 * Replace the file.  Returns true when the new content is on disk.  Otherwise
 * "error" has the reason, and says whether the old content is still there.
 * Raises nothing.  Waits only for the disk.  The caller is the mover.
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
	file.crc = gid_clock_file_crc(&file, offsetof(GidClockFile, crc));

	if (!gid_clock_file_write_tmp(&file, error))
	{
		(void) unlink(GID_CLOCK_FILE_TMP);
		return false;
	}
	if (rename(GID_CLOCK_FILE_TMP, GID_CLOCK_FILE) != 0)
		return gid_clock_file_fail(error, "could not rename file \"%s\": %m", GID_CLOCK_FILE_TMP);
	if (gid_clock_file_sync_directory(error))
		return true;
	error->replaced = true;
	return false;
}

/*
 * Report a failure as an error (ERROR) or in the log (LOG).  "detail" and
 * "hint" are sentences; "hint" may be NULL.  The SQLSTATE is 53100 for a full
 * disk or quota, and 58030 otherwise: the caller of an id need not know which
 * step failed.
 */
void
gid_clock_file_report(int elevel, const GidClockFileError *error,
					  const char *detail, const char *hint)
{
	bool		is_full = error->os_error == ENOSPC || error->os_error == EDQUOT;

	errno = error->os_error;
	ereport(elevel,
			(errcode(is_full ? ERRCODE_DISK_FULL : ERRCODE_IO_ERROR),
			 errmsg(error->message, error->name),
			 errdetail("%s", detail),
			 hint != NULL ? errhint("%s", hint) : 0));
}
