/*-------------------------------------------------------------------------
 *
 * clock/durable.c
 *		gid.clock: the durable bound, a moment on disk that no word reaches.
 *
 * The first id that follows the clock starts the words, at the server's time
 * or at the bound that the file holds, whichever is later.  A backend that
 * sees the bound near moves it some seconds ahead, while the other backends
 * continue.  A word that reaches the bound waits until the bound has moved.
 * So every issued value is below what the next start reads.
 *
 * State: gid.clock in the data directory; in shared memory what GidClock says
 * is protected by its lock, and the bounds of the words.  The lock is held
 * while the file is read and written, and a wait for it cannot be cancelled.
 * No failure is reported under the lock: a client that does not read would
 * block every session.
 *
 * Crash: the bound stays, and the next words begin there, at most five seconds
 * ahead of the wall clock, the shard word in the second after that.  Restart:
 * under shared_preload_libraries the postmaster has written where the words
 * really are, and ids continue without a lead.  Without preload nobody does
 * that, and a restart is like a crash.
 * Clock step: a step back does not lower the bound.  Standby: it has words and
 * a file of its own.
 *
 * References: test/model/clock.pml.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <fcntl.h>
#include <unistd.h>

#include "access/xlog.h"
#include "port/pg_crc32c.h"
#include "storage/fd.h"
#include "storage/lwlock.h"

#include "clock/clock.h"
#include "clock/durable.h"

/*
 * The bound is ahead of the server's time by at least this share of the lead.
 * The share counts as no less than GID_BOUND_LEAST_US, and as no more than
 * GID_BOUND_AHEAD_S.  So a server that is killed again and again hardly adds
 * to its lead.
 */
#define GID_BOUND_LEAD_SHARE	16
#define GID_BOUND_LEAST_US		(GID_US_PER_S / 4)

/* After a failed move ahead, the next move is tried this much later. */
#define GID_BOUND_RETRY_US		GID_US_PER_S

/* ---- the file ---- */

/*
 *	0       4         8                    16                16 + 8n   20 + 8n
 *	| magic | version | system identifier  | words (n x 64)  | CRC-32C |
 *
 * in the machine's own byte order, as pg_control.  A word is the first value
 * that may not have been issued.  The words are in the order of GidWordId.
 */
#define GID_CLOCK_FILE_MAGIC	0x6b636c63	/* "clck" */
#define GID_CLOCK_FILE_VERSION	1

#define GID_CLOCK_FILE_TMP		GID_CLOCK_FILE ".tmp"

typedef struct GidClockFile
{
	uint32		magic;
	uint32		version;
	uint64		system_identifier;
	uint64		words[GID_NWORDS];
	pg_crc32c	crc;
} GidClockFile;

StaticAssertDecl(GID_CLOCK_FILE_VERSION == 1 && GID_NWORDS == 5,
				 "with a word more the file has another version");

#define GID_CLOCK_FILE_BODY		offsetof(GidClockFile, crc)
#define GID_CLOCK_FILE_LENGTH	(GID_CLOCK_FILE_BODY + sizeof(pg_crc32c))

/* The outcome of reading the file. */
typedef enum GidClockFileState
{
	GID_CLOCK_FILE_READ,
	GID_CLOCK_FILE_MISSING,
	GID_CLOCK_FILE_FOREIGN,		/* of another database system */
	GID_CLOCK_FILE_DAMAGED,
	GID_CLOCK_FILE_FAILED		/* errno says why */
} GidClockFileState;

static pg_crc32c
gid_clock_file_crc(const GidClockFile *file)
{
	pg_crc32c	crc;

	INIT_CRC32C(crc);
	COMP_CRC32C(crc, file, GID_CLOCK_FILE_BODY);
	FIN_CRC32C(crc);
	return crc;
}

/*
 * Read the file.  The words are all 0 if it is missing or another system's;
 * *theirs gets the system identifier of the file.  Raises nothing.
 */
static GidClockFileState
gid_clock_file_read(uint64 *theirs, uint64 words[GID_NWORDS])
{
	ssize_t		n;
	int			failure;
	int			fd;

	/* one more byte shows a file that is too long */
	union
	{
		GidClockFile file;
		char		bytes[sizeof(GidClockFile) + 1];
	}			content;

	memset(words, 0, GID_NWORDS * sizeof(uint64));
	/* a FIFO must not make every session wait */
	fd = BasicOpenFile(GID_CLOCK_FILE, O_RDONLY | O_NONBLOCK | PG_BINARY);
	if (fd < 0)
		return errno == ENOENT ? GID_CLOCK_FILE_MISSING : GID_CLOCK_FILE_FAILED;
	n = read(fd, content.bytes, sizeof(content.bytes));
	failure = errno;
	(void) close(fd);
	errno = failure;
	if (n < 0)
		return GID_CLOCK_FILE_FAILED;
	if (n != GID_CLOCK_FILE_LENGTH ||
		content.file.magic != GID_CLOCK_FILE_MAGIC ||
		content.file.version != GID_CLOCK_FILE_VERSION ||
		!EQ_CRC32C(content.file.crc, gid_clock_file_crc(&content.file)))
		return GID_CLOCK_FILE_DAMAGED;
	*theirs = content.file.system_identifier;
	if (*theirs != GetSystemIdentifier())
		return GID_CLOCK_FILE_FOREIGN;
	memcpy(words, content.file.words, sizeof(content.file.words));
	return GID_CLOCK_FILE_READ;
}

/* fsync the data directory.  Returns 0 or an errno. */
static int
gid_clock_file_sync_directory(void)
{
	int			fd = BasicOpenFile(".", O_RDONLY | PG_BINARY);
	int			failure = 0;

	if (fd < 0)
		return errno;
	/* as in core: some file systems cannot fsync a directory */
	if (pg_fsync(fd) != 0 && errno != EBADF && errno != EINVAL)
		failure = errno;
	(void) close(fd);
	return failure;
}

/*
 * Replace the file.  Returns 0 when the new content is on disk, or the errno
 * of what has failed.  Then either content may come back after a power
 * failure, and the caller goes by the lower one.
 *
 * Raises nothing, because the caller may have the lock.  So this does the
 * steps of durable_rename(), which raises an error if the session has too many
 * files open.
 */
static int
gid_clock_file_write(const uint64 words[GID_NWORDS])
{
	GidClockFile file = {
		.magic = GID_CLOCK_FILE_MAGIC,
		.version = GID_CLOCK_FILE_VERSION,
		.system_identifier = GetSystemIdentifier()
	};
	int			fd;

	memcpy(file.words, words, sizeof(file.words));
	file.crc = gid_clock_file_crc(&file);
	/* what a crash has left, or an administrator; if this fails, open() does */
	(void) unlink(GID_CLOCK_FILE_TMP);
	fd = BasicOpenFile(GID_CLOCK_FILE_TMP, O_WRONLY | O_CREAT | O_EXCL | PG_BINARY);
	if (fd < 0)
		return errno;
	errno = 0;
	if (write(fd, &file, GID_CLOCK_FILE_LENGTH) != GID_CLOCK_FILE_LENGTH ||
		pg_fsync(fd) != 0)
	{
		/* a short write without an errno means a full disk */
		int			failure = errno != 0 ? errno : ENOSPC;

		(void) close(fd);
		(void) unlink(GID_CLOCK_FILE_TMP);
		return failure;
	}
	if (close(fd) != 0 || rename(GID_CLOCK_FILE_TMP, GID_CLOCK_FILE) != 0)
		return errno;
	return gid_clock_file_sync_directory();
}

/*
 * Report a failure of the operating system, as an error or in the log.  The
 * SQLSTATE is 53100 for a full disk or quota, and 58030 otherwise.  "hint" may
 * be NULL.  The caller has released the lock.
 */
static void
gid_durable_report(int elevel, bool is_read, int failure, const char *detail,
				   const char *hint)
{
	errno = failure;
	ereport(elevel,
			(errcode(failure == ENOSPC || failure == EDQUOT ? ERRCODE_DISK_FULL : ERRCODE_IO_ERROR),
			 is_read ? errmsg("could not read file \"%s\": %m", GID_CLOCK_FILE) :
			 errmsg("could not write file \"%s\": %m", GID_CLOCK_FILE),
			 errdetail("%s", detail),
			 hint != NULL ? errhint("%s", hint) : 0));
}

/* Raise 53100 or 58030: a caller needs the bound, and it cannot be moved. */
static void
gid_durable_raise(int failure)
{
	gid_durable_report(ERROR, false, failure,
					   "Ids that follow the clock are issued only below the durable bound, and the bound is reached.",
					   "Make the data directory writable, and make room on its disk. Ids then continue without a restart.");
}

/* ---- the bound ---- */

/* Return the bound that belongs to a moment: microseconds since 1970. */
static int64
gid_durable_bound(const GidNow *now)
{
	int64		wall_us = now->us - now->lead_us;
	int64		most_us = GID_BOUND_AHEAD_S * GID_US_PER_S;
	int64		ahead_us = Max(now->lead_us / GID_BOUND_LEAD_SHARE, GID_BOUND_LEAST_US);

	return Max((wall_us / GID_US_PER_S + GID_BOUND_AHEAD_S) * GID_US_PER_S,
			   now->us + Min(ahead_us, most_us));
}

/*
 * Return the bound as a value of a word: beyond "next" in any case.
 *
 * In a word of whole seconds the bound may lie within the counter of a second,
 * so that a crash does not lose the rest of the second.  A word that is ahead
 * of the bound gets a quarter of a second beyond "next" and, in a word of
 * whole seconds, not more than that second.
 */
static uint64
gid_durable_word_bound(GidWordId id, int64 bound_us, uint64 next)
{
	uint64		bound = gid_word_at_us(id, bound_us);

	if (gid_word_has_whole_seconds(id))
		bound += (uint64) (bound_us % GID_US_PER_S) * gid_word_rate(id) / GID_US_PER_S;
	if (bound > next)
		return bound;
	bound = next + gid_word_rate(id) / 4;
	if (gid_word_has_whole_seconds(id))
		bound = Min(bound, gid_word_at_us(id, gid_word_us(id, next)) + gid_word_rate(id));
	return bound;
}

/*
 * Move the bound to "bound_us", and beyond the values of "next".  Returns 0 or
 * an errno.  The caller has the lock.
 */
static int
gid_durable_set(int64 bound_us, const uint64 next[GID_NWORDS])
{
	GidClockPart *h = gid_clock;
	uint64		words[GID_NWORDS];
	int			failure;

	/* never below a word's bound, and therefore above every issued value */
	for (int id = 0; id < GID_NWORDS; id++)
		words[id] = Max(gid_durable_word_bound(id, bound_us, next[id]),
						pg_atomic_read_u64(&h->words[id].word.bound));

	/*
	 * no word's bound is above the file as it is on disk: the file comes
	 * first
	 */
	failure = gid_clock_file_write(words);
	if (failure != 0)
		return failure;
	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&h->words[id].word.bound, words[id]);
	pg_atomic_write_u64(&h->clock.bound_us, (uint64) bound_us);
	return 0;
}

/* Is it time to move the bound: is less than half of the way to it left? */
bool
gid_durable_is_near(const GidNow *now)
{
	int64		bound_us = (int64) pg_atomic_read_u64(&gid_clock->clock.bound_us);

	return bound_us - now->us < (gid_durable_bound(now) - now->us) / 2;
}

/*
 * Move the bound ahead of the server's time.
 *
 * "needed" says that the caller cannot continue before that, because word "id"
 * has reached its bound with the value "next".  The caller then waits for the
 * lock, and reads the bound again afterwards; a failure of the operating
 * system is raised as 53100 or 58030.  Otherwise another backend that has the
 * lock does the work, and a failure is a LOG line.
 */
void
gid_durable_move(const GidNow *now, GidWordId id, uint64 next, bool needed)
{
	GidClock   *clock = &gid_clock->clock;
	uint64		beyond[GID_NWORDS] = {0};
	int64		bound_us = gid_durable_bound(now);
	int64		old_us;
	int			failure = 0;

	if (needed)
		LWLockAcquire(&clock->lock, LW_EXCLUSIVE);
	else if ((uint64) now->monotonic_us < pg_atomic_read_u64(&clock->next_try_us) ||
			 !LWLockConditionalAcquire(&clock->lock, LW_EXCLUSIVE))
		return;
	old_us = (int64) pg_atomic_read_u64(&clock->bound_us);
	if (needed && next >= pg_atomic_read_u64(&gid_clock->words[id].word.bound))
		beyond[id] = next;
	if (bound_us > old_us || beyond[id] != 0)
		failure = gid_durable_set(Max(bound_us, old_us), beyond);
	pg_atomic_write_u64(&clock->next_try_us,
						failure == 0 ? 0 : (uint64) (now->monotonic_us + GID_BOUND_RETRY_US));
	LWLockRelease(&clock->lock);

	if (failure != 0 && needed)
		gid_durable_raise(failure);
	if (failure != 0)
		gid_durable_report(LOG, false, failure,
						   "Ids that follow the clock stop in a few seconds if this lasts.", NULL);
}

/* ---- the start and the end ---- */

/*
 * Start one word at "first" or "now", whichever is later.
 *
 * The counter of the shard word starts at a random value, and in a second of
 * its own.  Before the restart ids may have been issued in the present second,
 * with another generator, which stands before the counter in an id.
 */
static void
gid_durable_start_word(GidWordId id, uint64 first, uint64 now)
{
	GidClock   *clock = &gid_clock->clock;
	uint64		last;

	if (id == GID_WORD_SHARD)
		first = (first + GID_SHARD_RATE - 1) & ~(GID_SHARD_RATE - 1);
	last = Max(first, now);
	if (id == GID_WORD_SHARD)
	{
		last |= clock->shard_counter;
		clock->shard_start = last;
	}
	pg_atomic_write_u64(&gid_clock->words[id].word.last, last);
}

/*
 * Start the words at the server's time or at the values of the file, whichever
 * is later, and put a new bound on disk.  Returns 0 or an errno.  The caller
 * has the lock.
 */
static int
gid_durable_start_words(const uint64 words[GID_NWORDS])
{
	GidClock   *clock = &gid_clock->clock;
	GidNow		now = gid_time_read();
	uint64		none[GID_NWORDS] = {0};
	int			failure;

	/*
	 * The server's time is not less than the bound.  A word of whole seconds
	 * may be in the second after it, a word with short steps a second ahead,
	 * and each a quarter of a second more.  So they need not wait for long,
	 * and do not take the server's time ahead at each restart.
	 */
	for (int id = 0; id < GID_NWORDS; id++)
	{
		int64		ahead_s = gid_word_has_whole_seconds(id) ? 2 : gid_word_has_short_steps(id) ? 1 : 0;

		gid_time_raise_to(&now, gid_word_us(id, words[id]) - ahead_s * GID_US_PER_S);
	}
	now = gid_time_read();
	clock->start_lead_us = now.lead_us;

	/* the bounds may be as high as the file, which is on disk */
	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&gid_clock->words[id].word.bound, words[id]);
	failure = gid_durable_set(gid_durable_bound(&now), none);
	if (failure != 0)
		return failure;
	for (int id = 0; id < GID_NWORDS; id++)
		gid_durable_start_word(id, words[id], gid_word_at_us(id, now.us));
	pg_write_barrier();
	pg_atomic_write_u32(&clock->ready, 1);
	return 0;
}

/* Report the outcome of an attempt to start.  The caller has no lock. */
static void
gid_durable_report_start(GidClockFileState state, uint64 theirs, int failure)
{
	if (state == GID_CLOCK_FILE_DAMAGED)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("file \"%s\" in the data directory is damaged", GID_CLOCK_FILE),
				 errdetail("The file holds the time up to which ids may have been issued. Its length, checksum or content is wrong."),
				 errhint("If the clock is right and was not set back, remove the file. Ids then start from the clock, without a restart.")));
	if (state == GID_CLOCK_FILE_FAILED)
		gid_durable_report(ERROR, true, failure,
						   "The file holds the time up to which ids may have been issued.",
						   "Make the file readable. If the clock is right and was not set back, you may remove the file instead.");
	if (state == GID_CLOCK_FILE_FOREIGN)
		ereport(WARNING,
				(errmsg("file \"%s\" is of another database system and is replaced", GID_CLOCK_FILE),
				 errdetail("Its system identifier is %llu, this system's is %llu.",
						   (unsigned long long) theirs,
						   (unsigned long long) GetSystemIdentifier())));
	if (failure != 0)
		gid_durable_raise(failure);
}

/*
 * Read gid.clock and start the words, if no backend has done so since the
 * server started.  May wait for another backend that works on the file.
 * Raises XX001 when the file is damaged, and 58030 when it cannot be read.
 * Raises 53100 or 58030 when the new bound cannot be written, and 22008 when
 * the clock is out of the calendar.  After an error the next call tries again.
 */
void
gid_durable_start(void)
{
	GidClock   *clock = &gid_clock->clock;

	while (pg_atomic_read_u32(&clock->ready) == 0)
	{
		GidClockFileState state = GID_CLOCK_FILE_READ;
		uint64		words[GID_NWORDS];
		uint64		theirs = 0;
		int			failure = 0;

		/* a time that no id can carry must not get into the file */
		(void) gid_time_observe();
		LWLockAcquire(&clock->lock, LW_EXCLUSIVE);
		if (pg_atomic_read_u32(&clock->ready) == 0)
		{
			state = gid_clock_file_read(&theirs, words);
			if (state == GID_CLOCK_FILE_FAILED)
				failure = errno;
			else if (state != GID_CLOCK_FILE_DAMAGED)
				failure = gid_durable_start_words(words);
		}
		LWLockRelease(&clock->lock);
		gid_durable_report_start(state, theirs, failure);
	}
}

/*
 * Return the first value of a word that may not have been issued.  If no
 * shard-key UUID was made, that is the beginning of the word's second.
 * Otherwise each start would move the word to another second, and many short
 * lives of the server would add up to a lead.
 */
static uint64
gid_durable_first_free(GidWordId id)
{
	uint64		last = pg_atomic_read_u64(&gid_clock->words[id].word.last);

	if (id == GID_WORD_SHARD && last == gid_clock->clock.shard_start)
		return last & ~(GID_SHARD_RATE - 1);
	return last + 1;
}

/*
 * The postmaster, or a stand-alone backend, exits with code 0: write to the
 * file where the words really are, if they have started.  Raises nothing: a
 * failed write is a LOG line.  A word beyond its bound shows that the memory
 * is damaged, and then the bound stays.
 *
 * The postmaster exits with code 0 only after it has reaped all children that
 * have shared memory, also after an immediate stop.  So nobody issues a value
 * or works on the file any more, and a lock that a killed child has left does
 * not matter.  After a crash of a child, which may have damaged the shared
 * memory, the code is not 0, and the bound stays.
 */
void
gid_durable_server_exit(void)
{
	GidNow		now;
	uint64		words[GID_NWORDS];
	int			failure;

	if (pg_atomic_read_u32(&gid_clock->clock.ready) == 0)
		return;
	now = gid_time_read();
	for (int id = 0; id < GID_NWORDS; id++)
	{
		words[id] = gid_durable_first_free(id);
		if (words[id] > pg_atomic_read_u64(&gid_clock->words[id].word.bound))
			return;
	}
	/* the v7 word carries the server's time, even if no such UUID was made */
	if (gid_time_in_calendar(now.us))
		words[GID_WORD_V7] = Max(words[GID_WORD_V7], gid_word_at_us(GID_WORD_V7, now.us));
	failure = gid_clock_file_write(words);
	if (failure != 0)
		gid_durable_report(LOG, false, failure,
						   "The time of the last ids could not be written. After a restart ids lead the wall clock by up to five seconds.",
						   NULL);
}
