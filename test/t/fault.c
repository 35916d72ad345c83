/*
 * Faults for 005_clock_file.pl, 009_random.pl and 014_faults.pl, put under the
 * server with LD_PRELOAD.  While there is a file of that name in
 * $GID_FAULT_DIR,
 *
 *	random	OpenSSL's random source fails
 *	disk	what is written to gid.clock.tmp meets a full disk
 *	fsync	gid.clock.tmp cannot be fsynced
 *	wal		what is written to the WAL meets a full disk, once: the file is
 *			removed then, so that the server can recover
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

ssize_t
write(int fd, const void *buf, size_t n)
{
	if (fails(fd, "disk", ENOSPC))
		return -1;
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
	return syscall(SYS_fsync, fd);
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
