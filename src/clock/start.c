/*-------------------------------------------------------------------------
 *
 * clock/start.c
 *		Starts the growing words from gid.clock.
 *
 * In a life of the shared memory, the first id that follows the clock starts
 * the words.  Its backend reads the file and writes a new bound.  Each word
 * begins at the server's time or at the value in the file, whichever is later.
 *
 * State: in shared memory GidClock's ready, file_read, file_words, killed,
 * start_lead_us, shard_start and system_identifier.
 *
 * Invariants:
 * 1. The words start once in a life of the shared memory, after the file was
 *	  read and a new bound is on disk.
 * 2. The file is read once in a life of the shared memory.  A start that fails
 *	  after that has written a bound that nobody used, and the next start must
 *	  not begin there.  A copied file raises the server's time at that reading.
 * 3. All of this is written by the mover (clock/bound.c), before "ready".
 *
 * Crash: the words start at max(now, bound) in a new shared memory.  Restart:
 * the file holds the words themselves (clock/leave.c), and they continue.
 * Clock step: after a step back the words start at the file, and the server's
 * time leads the wall clock.  Standby: it has a file and words of its own.
 *
 * Copies: pg_rewind and pg_basebackup replace the file by another server's, or
 * remove it, and an older backup has an older file.  Ids of an unchanged node
 * number may then have been issued beyond the file, but without a step of the
 * clock not beyond this server's last bound, GID_BOUND_AHEAD_S ahead.  So
 * unless the file is known to be this server's last one, the server's time
 * begins GID_START_CARE_S ahead of the wall clock.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/stat.h>

#include "access/xlog.h"

#include "clock/bound.h"
#include "clock/shared.h"

/*
 * The greatest lead at the start that many kills in a row can account for.
 */
#define GID_START_KILLED_US		(60 * GID_US_PER_S)

/*
 * How far ahead of the wall clock the server's time begins if gid.clock may
 * not be this server's last one: the bound after a stop that killed the
 * server, and two seconds by which a word of whole seconds may be beyond the
 * server's time.
 */
#define GID_START_CARE_S		(GID_BOUND_AHEAD_S + 2)

/* What came of an attempt to start the words. */
typedef struct GidStart
{
	GidClockFileState state;	/* of gid.clock */
	bool		copied;			/* the file came with a copy */
	bool		with_care;		/* ids begin GID_START_CARE_S ahead */
	uint64		theirs;			/* system identifier in the file, or "mine" */
	uint64		mine;			/* system identifier of this system */
	bool		written;		/* the new bound is on disk, or not needed */
	GidClockFileError error;	/* if the file could not be read or written */
} GidStart;

/*
 * Start one word.  It has issued nothing yet in this life of the server, and
 * its first value is not below "first".
 *
 * The counter of the shard word starts at its random place, and in a second of
 * its own.  The server before may have issued ids in the present second, under
 * another generator, which stands before the counter.
 */
static void
gid_start_word(GidWordId id, uint64 first, uint64 now)
{
	uint64		last;

	if (id == GID_WORD_SHARD)
		first = (first + GID_SHARD_RATE - 1) & ~(GID_SHARD_RATE - 1);
	last = Max(first, now);
	if (id == GID_WORD_SHARD)
	{
		last |= gid_clock->clock.shard_counter;
		gid_clock->clock.shard_start = last;
	}
	pg_atomic_write_u64(&gid_clock->words[id].word.last, last);
}

/*
 * May a stop that killed the server have left the words ahead of the wall
 * clock?  Three things must hold.  The words are a bound, one moment, and not
 * the words themselves.  They are not too far ahead.  The wall clock has not
 * been set back since the file was written.
 */
static bool
gid_start_was_killed(const uint64 words[GID_NWORDS], const GidNow *now)
{
	int64		wall_us = now->us - now->lead_us;
	int64		v7_us = gid_word_us(GID_WORD_V7, words[GID_WORD_V7]);
	int64		ticks_us = gid_word_us(GID_WORD_TICKS, words[GID_WORD_TICKS]);
	struct stat st;

	/* rounded down twice, a moment may come out a microsecond earlier */
	if (v7_us - ticks_us > 1 || ticks_us - v7_us > 1 ||
		v7_us - wall_us > GID_START_KILLED_US)
		return false;
	return stat(GID_CLOCK_FILE, &st) != 0 ||
		st.st_mtime <= wall_us / GID_US_PER_S + 1;
}

/*
 * Has gid.clock come with a copy of a data directory?  The last file that
 * pg_rewind writes is backup_label, which the server keeps under another name.
 * pg_basebackup last writes backup_manifest.  Programs that keep the files'
 * times give these files the time of the backup's end.  A file that this
 * server has written since is newer.
 */
static bool
gid_start_was_copied(void)
{
	static const char *const last_files[] = {BACKUP_LABEL_OLD, "backup_manifest"};
	struct stat file;
	struct stat last;

	if (stat(GID_CLOCK_FILE, &file) != 0)
		return false;
	for (size_t i = 0; i < lengthof(last_files); i++)
	{
		if (stat(last_files[i], &last) == 0 && file.st_mtime <= last.st_mtime)
			return true;
	}
	return false;
}

/*
 * May ids have been issued here that gid.clock says nothing of?  A missing
 * file on the first timeline is the first start of a new server.
 */
static bool
gid_start_needs_care(const GidStart *start)
{
	if (start->state == GID_CLOCK_FILE_MISSING)
		return RecoveryInProgress() || GetWALInsertionTimeLine() > 1;
	return start->copied || start->theirs != start->mine;
}

/*
 * Read gid.clock into file_words, unless that was done before.  The words are
 * all 0 when the file is missing or another system's.  The caller is the
 * mover.
 */
static void
gid_start_read_file(const GidNow *now, GidStart *start)
{
	GidClock   *clock = &gid_clock->clock;
	uint64		words[GID_NWORDS] = {0};

	start->mine = start->theirs = clock->system_identifier = GetSystemIdentifier();
	if (clock->file_read)
		return;

	start->state = gid_clock_file_read(&start->theirs, words, &start->error);
	if (start->state != GID_CLOCK_FILE_READ && start->state != GID_CLOCK_FILE_MISSING)
		return;
	if (start->theirs != start->mine)
		memset(words, 0, sizeof(words));
	for (int id = 0; id < GID_NWORDS; id++)
	{
		if (!gid_time_in_calendar(gid_word_us(id, words[id])))
		{
			start->state = GID_CLOCK_FILE_TORN;
			return;
		}
	}
	memcpy(clock->file_words, words, sizeof(words));
	clock->killed = gid_start_was_killed(words, now);
	start->copied = gid_start_was_copied();
	start->with_care = gid_start_needs_care(start);
	if (start->with_care)
		gid_time_raise_to(now, now->us + GID_START_CARE_S * GID_US_PER_S);
	clock->file_read = true;
}

/*
 * Start the words at max(now, bound) and put a new bound on disk.  The caller
 * is the mover.  Returns false when the bound could not be written.  If the
 * clock is out of the calendar this function does nothing, and the caller's
 * next look at the clock raises the error.
 */
static bool
gid_start_words(GidClockFileError *error)
{
	GidClock   *clock = &gid_clock->clock;
	GidNow		now = gid_time_observe();
	uint64		none[GID_NWORDS] = {0};

	/*
	 * The server's time is not less than the bound.  A word of whole seconds
	 * may be in the second after it, a word with short steps a second ahead,
	 * and each a quarter of a second more.  So they need not wait for long,
	 * and do not take the server's time ahead at each restart.
	 */
	for (int id = 0; id < GID_NWORDS; id++)
	{
		int64		ahead_s = gid_word_has_whole_seconds(id) ? 2 : gid_word_has_short_steps(id) ? 1 : 0;

		gid_time_raise_to(&now, gid_word_us(id, clock->file_words[id]) - ahead_s * GID_US_PER_S);
	}
	now = gid_time_observe();
	if (!gid_time_in_calendar(now.us))
		return true;
	clock->start_lead_us = now.lead_us;

	/* the limits may be as high as the file, which is on disk */
	for (int id = 0; id < GID_NWORDS; id++)
		pg_atomic_write_u64(&gid_clock->words[id].word.limit, clock->file_words[id]);
	if (!gid_bound_set(gid_bound_for(&now), none, error))
		return false;
	for (int id = 0; id < GID_NWORDS; id++)
		gid_start_word(id, clock->file_words[id], gid_word_at_us(id, now.us));
	pg_write_barrier();
	pg_atomic_write_u32(&clock->ready, 1);
	return true;
}

/* Raise XX001, 58030 or 53100: gid.clock cannot be used. */
static void
gid_start_raise_read_error(const GidStart *start)
{
	if (start->state == GID_CLOCK_FILE_TORN)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("file \"%s\" in the data directory is damaged", GID_CLOCK_FILE),
				 errdetail("The file holds the time up to which ids may have been issued. It is no regular file, or its length, checksum or content is wrong."),
				 errhint("If the clock is right and was not set back, remove the file. Ids then start from the clock, without a restart.")));
	gid_clock_file_report(ERROR, &start->error,
						  "The file holds the time up to which ids may have been issued.",
						  "Make the file readable. If the clock is right and was not set back, you may remove the file instead.");
}

/* Report what came of an attempt.  The caller is not the mover any more. */
static void
gid_start_report(const GidStart *start)
{
	if (start->state == GID_CLOCK_FILE_TORN || start->state == GID_CLOCK_FILE_FAILED)
		gid_start_raise_read_error(start);
	if (start->theirs != start->mine)
		ereport(WARNING,
				(errmsg("file \"%s\" is of another database system and is replaced", GID_CLOCK_FILE),
				 errdetail("Its system identifier is %llu, this system's is %llu.",
						   (unsigned long long) start->theirs,
						   (unsigned long long) start->mine)));
	if (start->with_care)
		ereport(LOG,
				(errmsg("gid: ids begin %d s ahead of the wall clock", (int) GID_START_CARE_S),
				 start->state == GID_CLOCK_FILE_MISSING ?
				 errdetail("File \"%s\" is missing on a standby, or on a server that was promoted or restored.", GID_CLOCK_FILE) :
				 start->copied ?
				 errdetail("File \"%s\" came with a base backup or pg_rewind.", GID_CLOCK_FILE) :
				 errdetail("File \"%s\" is of another database system.", GID_CLOCK_FILE),
				 errhint("Nothing needs to be done: the lead is gone in twice its length.")));
	if (!start->written)
		gid_bound_raise_write_error(&start->error);
}

/*
 * Read gid.clock and start the words, if no backend has done so since the
 * server started.  Waits, interruptibly, for another backend that works on the
 * file.  Raises XX001 when the file is damaged, and 58030 when it cannot be
 * read.  Raises 53100 or 58030 when the new bound cannot be written, and 22008
 * when the clock is out of the calendar.  After an error the next call tries
 * again.
 */
void
gid_start_clock(void)
{
	GidClock   *clock = &gid_clock->clock;

	while (pg_atomic_read_u32(&clock->ready) == 0)
	{
		GidStart	start = {.state = GID_CLOCK_FILE_READ,.written = true};
		GidNow		now = gid_time_observe();

		/* before such a time gets into the file */
		gid_time_check_calendar(&now);
		if (!gid_bound_try_mover())
		{
			gid_bound_wait_for_mover();
			continue;
		}
		if (pg_atomic_read_u32(&clock->ready) == 0)
		{
			gid_start_read_file(&now, &start);
			if (clock->file_read)
				start.written = gid_start_words(&start.error);
		}
		gid_bound_release_mover();
		gid_start_report(&start);
	}
}

/*
 * Was there a gid.clock of this system when this life of the server began?  If
 * not, no earlier life has started the words.  The words have been started.
 */
bool
gid_start_found_file(void)
{
	return gid_clock->clock.file_words[GID_WORD_V7] != 0;
}
