/*-------------------------------------------------------------------------
 *
 * fuzz_clock_file.c
 *		gid.clock: any bytes read as the file, and its writing where any step
 *		fails or the machine stops.
 *
 * clock/clock_file.c is compiled into this file, with a disk of memory instead
 * of the system calls.  That has the two names of the file and the directory;
 * for each it knows what would be left if the machine stopped now.  The second
 * implementation of what a good file is takes it apart byte by byte, with a
 * checksum bit by bit.
 *
 * State: the disk.
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

#include "fuzz.h"

/* What the file under test calls instead. */
static int	disk_open(const char *name, int flags);
static ssize_t disk_read(int fd, void *bytes, size_t size);
static ssize_t disk_write(int fd, const void *bytes, size_t size);
static int	disk_fsync(int fd);
static int	disk_close(int fd);
static int	disk_rename(const char *from, const char *to);
static int	disk_unlink(const char *name);

#define BasicOpenFile	disk_open
#define read			disk_read
#define write			disk_write
#define pg_fsync		disk_fsync
#define close			disk_close
#define rename			disk_rename
#define unlink			disk_unlink

#include "../../src/clock/clock_file.c"

#define FILE_BYTES	52
#define MAX_FILE	256

const char *const fuzz_outcomes[] = {
	[GID_CLOCK_FILE_READ] = "read",
	[GID_CLOCK_FILE_MISSING] = "missing",
	[GID_CLOCK_FILE_TORN] = "torn",
	[GID_CLOCK_FILE_FAILED] = "failed",
	"written",
	"not written",
	NULL
};

#define WRITTEN		(GID_CLOCK_FILE_FAILED + 1)
#define NOT_WRITTEN (GID_CLOCK_FILE_FAILED + 2)

/* ---- the disk ---- */

/* A file's bytes now, and those that outlive a stop of the machine. */
typedef struct DiskFile
{
	uint8		bytes[MAX_FILE];
	size_t		length;
	uint8		safe[MAX_FILE];
	size_t		safe_length;
} DiskFile;

enum
{
	FD_CLOCK = 100, FD_TMP, FD_DIRECTORY, NFILES = 2
};

static DiskFile disk_files[NFILES];
static int	disk_clock;			/* which of them the name has, -1: none */
static int	disk_tmp;
static int	disk_safe_clock;	/* and has after a stop of the machine */
static int	disk_open_fd;		/* at most one at a time, else 0 */
static int	disk_step;			/* of the calls, which one this is */
static int	disk_failing;		/* which one fails, -1: none */
static int	disk_errno;			/* how; 0: a write is short */
static size_t disk_short;

static void
disk_format(int failing, int error)
{
	memset(disk_files, 0, sizeof(disk_files));
	disk_clock = disk_tmp = disk_safe_clock = -1;
	disk_open_fd = 0;
	disk_step = 0;
	disk_failing = failing;
	disk_errno = error;
}

/* Does this call fail? */
static bool
disk_fails(void)
{
	if (disk_step++ != disk_failing)
		return false;
	errno = disk_errno;
	return true;
}

static int
disk_open(const char *name, int flags)
{
	bool		directory = strcmp(name, ".") == 0;
	bool		tmp = strcmp(name, "gid.clock.tmp") == 0;

	fuzz_check(disk_open_fd == 0, "\"%s\" is opened while another file is open", name);
	fuzz_check(directory || tmp || strcmp(name, "gid.clock") == 0, "\"%s\"", name);
	if (disk_fails())
		return -1;
	if (tmp)
	{
		fuzz_check((flags & O_CREAT) != 0 && (flags & O_TRUNC) != 0 &&
				   (flags & O_ACCMODE) == O_WRONLY, "flags %x", flags);
		if (disk_tmp < 0)
			disk_tmp = disk_clock == 0 ? 1 : 0;
		disk_files[disk_tmp].length = 0;
		/* what is not synced may be lost, or not: worst, all of it */
		disk_files[disk_tmp].safe_length = 0;
	}
	else if (!directory && disk_clock < 0)
	{
		errno = ENOENT;
		return -1;
	}
	else
		fuzz_check((flags & O_ACCMODE) == O_RDONLY, "flags %x", flags);
	disk_open_fd = directory ? FD_DIRECTORY : tmp ? FD_TMP : FD_CLOCK;
	return disk_open_fd;
}

static ssize_t
disk_read(int fd, void *bytes, size_t size)
{
	DiskFile   *file = &disk_files[disk_clock];

	fuzz_check(fd == disk_open_fd && fd == FD_CLOCK, "read of %d", fd);
	if (disk_fails())
		return -1;
	size = Min(size, file->length);
	memcpy(bytes, file->bytes, size);
	return (ssize_t) size;
}

static ssize_t
disk_write(int fd, const void *bytes, size_t size)
{
	DiskFile   *file = &disk_files[disk_tmp];

	fuzz_check(fd == disk_open_fd && fd == FD_TMP, "write of %d", fd);
	fuzz_check(size <= MAX_FILE, "%zu bytes", size);
	if (disk_fails())
	{
		if (disk_errno != 0)
			return -1;
		size = disk_short % size;
	}
	memcpy(file->bytes, bytes, size);
	file->length = size;
	return (ssize_t) size;
}

static int
disk_fsync(int fd)
{
	fuzz_check(fd == disk_open_fd && fd != FD_CLOCK, "fsync of %d", fd);
	if (disk_fails())
		return -1;
	if (fd == FD_DIRECTORY)
		disk_safe_clock = disk_clock;
	else
	{
		memcpy(disk_files[disk_tmp].safe, disk_files[disk_tmp].bytes, MAX_FILE);
		disk_files[disk_tmp].safe_length = disk_files[disk_tmp].length;
	}
	return 0;
}

static int
disk_close(int fd)
{
	fuzz_check(fd == disk_open_fd, "close of %d", fd);
	disk_open_fd = 0;
	return disk_fails() ? -1 : 0;
}

static int
disk_rename(const char *from, const char *to)
{
	fuzz_check(strcmp(from, "gid.clock.tmp") == 0 && strcmp(to, "gid.clock") == 0 &&
			   disk_tmp >= 0, "\"%s\" to \"%s\"", from, to);
	if (disk_fails())
		return -1;
	disk_clock = disk_tmp;
	disk_tmp = -1;
	return 0;
}

static int
disk_unlink(const char *name)
{
	fuzz_check(strcmp(name, "gid.clock.tmp") == 0, "\"%s\"", name);
	if (disk_fails())
		return -1;
	disk_tmp = -1;
	return 0;
}

/* ---- what a good file is ---- */

/* CRC-32C (RFC 3720, section 12.1), a bit at a time */
static uint32
plain_crc(const uint8 *bytes, int n)
{
	uint32		crc = PG_UINT32_MAX;

	for (int i = 0; i < n; i++)
	{
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc % 2 == 1 ? crc / 2 ^ 0x82f63b78 : crc / 2;
	}
	return ~crc;
}

/* A number in the machine's order of bytes. */
static uint64
plain_number(const uint8 *bytes, int n)
{
	uint64		number = 0;

	for (int i = 0; i < n; i++)
	{
#ifdef WORDS_BIGENDIAN
		number = number * 256 + bytes[i];
#else
		number = number * 256 + bytes[n - 1 - i];
#endif
	}
	return number;
}

static bool
plain_is_good(const uint8 *bytes, size_t length)
{
	return length == FILE_BYTES && plain_number(bytes, 4) == 0x6b636c63 &&
		plain_number(bytes + 4, 4) == 1 &&
		plain_number(bytes + 48, 4) == plain_crc(bytes, 48);
}

/* ---- reading ---- */

static void
check_read(FuzzInput *in, uint8 flags)
{
	GidClockFileError error = {NULL, NULL, 0, false};
	DiskFile   *file = &disk_files[0];
	uint64		system_identifier = 1;
	uint64		words[GID_NWORDS] = {2, 3, 4, 5};
	GidClockFileState state;
	GidClockFileState wanted;

	/* the third call closes; nobody minds a failure of that */
	disk_format(flags / 8 % 8 < 2 ? flags / 8 % 8 : -1, EIO);
	if (flags / 2 % 4 != 3)
		disk_clock = disk_safe_clock = 0;
	file->length = Min(in->left, MAX_FILE);
	memcpy(file->bytes, in->at, file->length);
	/* or hardly anything would be read */
	if (flags / 64 % 4 != 0 && file->length >= FILE_BYTES)
	{
		uint32		crc;

		if (flags / 64 % 4 > 1)
		{
			static const uint32 begin[] = {0x6b636c63, 1};

			memcpy(file->bytes, begin, sizeof(begin));
			file->length = FILE_BYTES;
		}
		crc = plain_crc(file->bytes, 48);
		memcpy(file->bytes + 48, &crc, 4);
	}

	wanted = disk_failing == 0 ? GID_CLOCK_FILE_FAILED :
		disk_clock < 0 ? GID_CLOCK_FILE_MISSING :
		disk_failing == 1 ? GID_CLOCK_FILE_FAILED :
		plain_is_good(file->bytes, file->length) ? GID_CLOCK_FILE_READ :
		GID_CLOCK_FILE_TORN;
	state = gid_clock_file_read(&system_identifier, words, &error);
	fuzz_note(state);
	fuzz_check(state == wanted, "state %d instead of %d", state, wanted);
	fuzz_check(disk_open_fd == 0, "the file was left open");
	if (state == GID_CLOCK_FILE_FAILED)
		fuzz_check(error.os_error == EIO && strcmp(error.name, "gid.clock") == 0,
				   "error %d", error.os_error);
	if (state != GID_CLOCK_FILE_READ)
	{
		fuzz_check(system_identifier == 1 && words[0] == 2 && words[3] == 5,
				   "something was read");
		return;
	}
	fuzz_check(system_identifier == plain_number(file->bytes + 8, 8), "identifier");
	for (int i = 0; i < 4; i++)
		fuzz_check(words[i] == plain_number(file->bytes + 16 + 8 * i, 8), "word %d", i);
}

/* ---- writing ---- */

/* Is this the file with that word in it four times? */
static bool
is_file_of(const uint8 *bytes, size_t length, uint64 word)
{
	if (!plain_is_good(bytes, length) || plain_number(bytes + 8, 8) != word)
		return false;
	for (int i = 0; i < 4; i++)
	{
		if (plain_number(bytes + 16 + 8 * i, 8) != word + i)
			return false;
	}
	return true;
}

static bool
write_words(uint64 word, GidClockFileError *error)
{
	uint64		words[GID_NWORDS];

	for (int i = 0; i < GID_NWORDS; i++)
		words[i] = word + i;
	return gid_clock_file_write(word, words, error);
}

static void
check_write(FuzzInput *in)
{
	static const int errors[] = {EIO, ENOSPC, EINVAL, EBADF, EDQUOT, 0};
	GidClockFileError error = {NULL, NULL, 0, false};
	int			failing = fuzz_byte(in) % 12;
	int			os_error = errors[fuzz_byte(in) % lengthof(errors)];
	uint64		old;
	uint64		new;
	bool		ok;
	const DiskFile *now;
	const DiskFile *safe;

	disk_short = fuzz_byte(in);
	old = fuzz_number(in);
	new = fuzz_number(in);

	disk_format(-1, 0);
	fuzz_check(write_words(old, &error), "a disk without a fault");
	fuzz_check(disk_safe_clock >= 0, "the directory was not synced");

	disk_step = 0;
	disk_failing = failing;
	/* open, write, fsync, close, rename, open, fsync, close */
	disk_errno = failing == 1 || os_error != 0 ? os_error : EIO;
	ok = write_words(new, &error);
	fuzz_note(ok ? WRITTEN : NOT_WRITTEN);
	fuzz_check(disk_open_fd == 0, "a file was left open");

	/* a directory may be one that cannot be synced */
	if (failing == 6 && (disk_errno == EINVAL || disk_errno == EBADF))
		fuzz_check(ok, "sync of the directory");
	else
		fuzz_check(ok == (failing >= 7), "step %d fails: %s", failing,
				   ok ? "written" : "not written");
	if (!ok)
	{
		int			wanted = failing == 1 && os_error == 0 ? ENOSPC : disk_errno;

		fuzz_check(error.os_error == wanted, "error %d instead of %d", error.os_error,
				   wanted);
		fuzz_check(gid_clock_file_errcode(&error) ==
				   (wanted == ENOSPC || wanted == EDQUOT ?
					MAKE_SQLSTATE('5', '3', '1', '0', '0') :
					MAKE_SQLSTATE('5', '8', '0', '3', '0')), "SQLSTATE of %d", wanted);
	}

	/* whoever opens the name, now or after a stop, finds a whole file */
	fuzz_check(disk_clock >= 0 && disk_safe_clock >= 0, "the file is gone");
	now = &disk_files[disk_clock];
	safe = &disk_files[disk_safe_clock];
	fuzz_check(is_file_of(now->bytes, now->length, new) ||
			   (!ok && is_file_of(now->bytes, now->length, old)), "the file");
	fuzz_check(is_file_of(safe->safe, safe->safe_length, new) ||
			   ((!ok || failing == 6) &&
				is_file_of(safe->safe, safe->safe_length, old)),
			   "the file after a stop");
	/* the name may have become that of the new file without being synced */
	fuzz_check(is_file_of(now->safe, now->safe_length, new) ||
			   is_file_of(now->safe, now->safe_length, old),
			   "the file after a stop behind the rename");
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	FuzzInput	in = {data, size};
	uint8		flags = fuzz_byte(&in);

	if (flags % 2 == 0)
		check_read(&in, flags);
	else
		check_write(&in);
	return 0;
}
