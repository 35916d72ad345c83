/*
 * Faults for 005_clock_file.pl, 009_random.pl and 014_faults.pl, put under the
 * server with LD_PRELOAD.  While there is a file of that name in
 * $GID_FAULT_DIR,
 *
 *	random	OpenSSL's random source fails
 *	disk	what is written to gid.clock.tmp meets a full disk
 *	short	half of what is written to gid.clock.tmp is
 *	fsync	gid.clock.tmp cannot be fsynced
 *	rename	gid.clock.tmp cannot be renamed
 *	dirsync	the data directory cannot be fsynced
 *	calls	each of these calls for gid.clock.tmp is appended to that file
 *	wal		what is written to the WAL meets a full disk, once: the file is
 *			removed then, so that the server can recover
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The file of a fault, or an empty path. */
static const char *
fault_file(const char *name, char *path, size_t size)
{
	const char *dir = getenv("GID_FAULT_DIR");

	path[0] = '\0';
	if (dir != NULL)
		snprintf(path, size, "%s/%s", dir, name);
	return path;
}

static int
fault(const char *name)
{
	char		path[1024];

	return access(fault_file(name, path, sizeof(path)), F_OK) == 0;
}

static int
is_file(int fd, const char *name)
{
	char		link[64];
	char		path[1024];
	ssize_t		n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return 0;
	path[n] = '\0';
	return strstr(path, name) != NULL;
}

static int
fails(int fd, const char *name, int error)
{
	int			saved = errno;

	if (fault(name) && is_file(fd, "gid.clock.tmp"))
	{
		errno = error;
		return 1;
	}
	errno = saved;
	return 0;
}

/* Append a line to "calls", if the file is there. */
static void
note(const char *line)
{
	char		path[1024];
	int			saved = errno;
	FILE	   *file = fopen(fault_file("calls", path, sizeof(path)), "r+");

	if (file != NULL)
	{
		fseek(file, 0, SEEK_END);
		fputs(line, file);
		fclose(file);
	}
	errno = saved;
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

ssize_t
write(int fd, const void *buf, size_t n)
{
	if (fails(fd, "disk", ENOSPC))
		return -1;
	if (fails(fd, "short", 0))
		return syscall(SYS_write, fd, buf, n / 2);
	if (fails(fd, "calls", 0))
		note("write\n");
	return syscall(SYS_write, fd, buf, n);
}

ssize_t
pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	char		path[1024];

	if (fails(fd, "disk", ENOSPC))
		return -1;
	if (fault("wal") && is_file(fd, "/pg_wal/") &&
		unlink(fault_file("wal", path, sizeof(path))) == 0)
	{
		errno = ENOSPC;
		return -1;
	}
	return syscall(SYS_pwrite64, fd, buf, n, offset);
}

int
fsync(int fd)
{
	if (fails(fd, "fsync", EIO))
		return -1;
	if (fault("dirsync") && is_data_directory(fd))
	{
		errno = EIO;
		return -1;
	}
	if (fails(fd, "calls", 0))
		note("fsync\n");
	else if (is_data_directory(fd))
		note("fsync directory\n");
	return syscall(SYS_fsync, fd);
}

int
rename(const char *from, const char *to)
{
	int			(*real) (const char *, const char *) =
	(int (*) (const char *, const char *)) dlsym(RTLD_NEXT, "rename");

	if (real == NULL)
		return -1;
	if (strcmp(from, "gid.clock.tmp") == 0)
	{
		if (fault("rename"))
		{
			errno = EIO;
			return -1;
		}
		note("rename\n");
	}
	return real(from, to);
}

int
RAND_status(void)
{
	int			(*real) (void) = (int (*) (void)) dlsym(RTLD_NEXT, "RAND_status");

	if (fault("random") || real == NULL)
		return 0;
	return real();
}

/* Fails half way, as a source may: some of the bytes are there, some not. */
int
RAND_bytes(unsigned char *buf, int n)
{
	int			(*real) (unsigned char *, int) =
	(int (*) (unsigned char *, int)) dlsym(RTLD_NEXT, "RAND_bytes");

	if (real == NULL)
		return 0;
	if (fault("random"))
	{
		memset(buf, 0, n);
		return 0;
	}
	return real(buf, n);
}
