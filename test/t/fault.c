/*
 * Faults for 005_clock_file.pl and 009_random.pl, put under the server with
 * LD_PRELOAD.  While there is a file of that name in $GID_FAULT_DIR,
 *
 *	random	OpenSSL's random source fails
 *	disk	what is written to gid.clock.tmp meets a full disk
 *	fsync	gid.clock.tmp cannot be fsynced
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

static int
fault(const char *name)
{
	const char *dir = getenv("GID_FAULT_DIR");
	char		path[1024];

	if (dir == NULL)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return access(path, F_OK) == 0;
}

static int
is_clock_file(int fd)
{
	char		link[64];
	char		path[1024];
	ssize_t		n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		return 0;
	path[n] = '\0';
	return strstr(path, "gid.clock.tmp") != NULL;
}

static int
fails(int fd, const char *name, int error)
{
	int			saved = errno;

	if (fault(name) && is_clock_file(fd))
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
	if (fails(fd, "disk", ENOSPC))
		return -1;
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
