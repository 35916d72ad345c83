/*
 * Faults for 003_crash.pl, 005_clock_file.pl, 009_random.pl and
 * 060_max_sequences.pl, put under the server with LD_PRELOAD.  While there is
 * a file of that name in $GID_FAULT_DIR,
 *
 *	random	OpenSSL's random source fails
 *	disk	what is written to gid.clock.tmp meets a full disk
 *	short	half of what is written to gid.clock.tmp is
 *	fsync	gid.clock.tmp cannot be fsynced
 *	hang	an fsync of gid.clock.tmp does not end
 *	rename	gid.clock.tmp cannot be renamed
 *	dirsync	the data directory cannot be fsynced
 *	calls	each of these calls for gid.clock.tmp is appended to that file
 *	shm		the memory of /dev/shm is full
 *	memory	there is no memory for a file in /dev/shm
 *	wal		what is written to the WAL meets a full disk, once: the file is
 *			removed then, so that the server can recover
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The file of a fault. */
static const char *
fault_path(const char *name)
{
	static char path[1024];
	const char *dir = getenv("GID_FAULT_DIR");

	snprintf(path, sizeof(path), "%s/%s", dir != NULL ? dir : "/dev/null", name);
	return path;
}

static int
fault(const char *name)
{
	int			saved = errno;
	int			found = access(fault_path(name), F_OK) == 0;

	errno = saved;
	return found;
}

static int
fail(int error)
{
	errno = error;
	return -1;
}

static int
is_file(int fd, const char *name)
{
	char		link[64];
	char		path[1024];
	int			saved = errno;
	ssize_t		n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	errno = saved;
	path[n < 0 ? 0 : n] = '\0';
	return strstr(path, name) != NULL;
}

/* Is it the data directory, which is the server's current one? */
static int
is_data_directory(int fd)
{
	struct stat of;
	struct stat current;

	return fstat(fd, &of) == 0 && stat(".", &current) == 0 &&
		of.st_dev == current.st_dev && of.st_ino == current.st_ino;
}

/* Append a line to "calls", if the file is there. */
static void
note(const char *line)
{
	int			saved = errno;
	FILE	   *file = fopen(fault_path("calls"), "r+");

	if (file != NULL)
	{
		fseek(file, 0, SEEK_END);
		fputs(line, file);
		fclose(file);
	}
	errno = saved;
}

ssize_t
write(int fd, const void *buf, size_t n)
{
	if (is_file(fd, "gid.clock.tmp"))
	{
		if (fault("disk"))
			return fail(ENOSPC);
		if (fault("short"))
			n /= 2;
		note("write\n");
	}
	return syscall(SYS_write, fd, buf, n);
}

ssize_t
pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	if (fault("wal") && is_file(fd, "/pg_wal/") && unlink(fault_path("wal")) == 0)
		return fail(ENOSPC);
	return syscall(SYS_pwrite64, fd, buf, n, offset);
}

int
fsync(int fd)
{
	if (is_file(fd, "gid.clock.tmp"))
	{
		while (fault("hang"))
			usleep(10000);
		if (fault("fsync"))
			return fail(EIO);
		note("fsync\n");
	}
	else if (is_data_directory(fd))
	{
		if (fault("dirsync"))
			return fail(EIO);
		note("fsync directory\n");
	}
	return syscall(SYS_fsync, fd);
}

int
rename(const char *from, const char *to)
{
	if (strcmp(from, "gid.clock.tmp") == 0)
	{
		if (fault("rename"))
			return fail(EIO);
		note("rename\n");
	}
	return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int
RAND_status(void)
{
	int			(*real) (void) = (int (*) (void)) dlsym(RTLD_NEXT, "RAND_status");

	return !fault("random") && real != NULL && real();
}

/* Fails half way, as a source may: some of the bytes are there, some not. */
int
RAND_bytes(unsigned char *buf, int n)
{
	int			(*real) (unsigned char *, int) =
	(int (*) (unsigned char *, int)) dlsym(RTLD_NEXT, "RAND_bytes");

	if (fault("random") || real == NULL)
	{
		memset(buf, 0, n);
		return 0;
	}
	return real(buf, n);
}

/* Unlike the others this returns the error. */
int
posix_fallocate(int fd, off_t offset, off_t length)
{
	if (is_file(fd, "/dev/shm/") && fault("shm"))
		return ENOSPC;
	if (is_file(fd, "/dev/shm/") && fault("memory"))
		return ENOMEM;
	return syscall(SYS_fallocate, fd, 0, offset, length) == 0 ? 0 : errno;
}
