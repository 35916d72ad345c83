/*-------------------------------------------------------------------------
 *
 * clock/shared.h
 *		The part of the shared memory that the clock's files share.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_SHARED_H
#define GID_CLOCK_SHARED_H

#include "base/claim.h"
#include "layout/time_word.h"

/*
 * A growing word, alone on its cache line.  The rules are in clock/word.c,
 * clock/bound.c, clock/start.c and clock/leave.c.
 */
typedef struct GidWord
{
	pg_atomic_uint64 last;		/* last value issued; moved by CAS, only up */
	pg_atomic_uint64 gate;		/* values from here on take the slow path;
								 * never above limit; plain stores */
	pg_atomic_uint64 limit;		/* the durable bound, first value not to be
								 * issued; written by the holder of
								 * GidClock.mover */
	pg_atomic_uint64 lead_us;	/* of the server's time over the wall clock,
								 * at the last look; plain stores */
	pg_atomic_uint64 waits;		/* times a caller slept; fetch_add */
} GidWord;

typedef union GidWordPadded
{
	GidWord		word;
	char		pad[PG_CACHE_LINE_SIZE];
} GidWordPadded;

StaticAssertDecl(sizeof(GidWord) <= 64, "a draw touches one cache line of a word");

/*
 * What all words share.  The rules are in clock/server_time.c, clock/bound.c,
 * clock/start.c and clock/leave.c.
 */
typedef struct GidClock
{
	pg_atomic_uint32 ready;		/* 1: words started; set once, by the mover */
	GidClaim	mover;			/* the claim to read and write gid.clock */
	pg_atomic_uint32 attached;	/* without preload: backends attached, each
								 * from its attach to its exit; fetch_add */
	pg_atomic_uint32 leaver;	/* 1 while the last backend out works; CAS */
	pg_atomic_uint64 offset_us; /* int64: greatest wall minus slow time seen;
								 * CAS, only up */
	pg_atomic_uint64 bound_us;	/* int64: the durable bound since the Unix
								 * epoch; 0: gid.clock holds the words
								 * themselves; written by the mover */
	pg_atomic_uint64 wall_offset_us;	/* int64: wall minus monotonic clock
										 * at the last look; exchange */
	pg_atomic_uint64 wall_offset_max_us;	/* the greatest of these; CAS,
											 * only up */
	pg_atomic_uint64 steps_back;	/* times that wall_offset_us went down;
									 * fetch_add */
	pg_atomic_uint64 next_log_us;	/* monotonic time of the next line about
									 * the lead; CAS */
	pg_atomic_uint64 next_try_us;	/* monotonic time before which a failed
									 * move ahead is not tried again; written
									 * by the mover */
	pg_atomic_uint64 next_leave_log_us; /* monotonic time of the next line
										 * about a failed write of the last
										 * process out; CAS */
	bool		killed;			/* a stop that killed the server left the lead
								 * at the start; written by the mover before
								 * ready */
	int64		start_lead_us;	/* lead at the start; written by the mover
								 * before ready */
	uint64		shard_start;	/* the shard word at the start, which no id
								 * has; written by the mover before ready */
	bool		file_read;		/* file_words is set; written by the mover */
	uint64		file_words[GID_NWORDS]; /* what gid.clock held when the server
										 * started; written by the mover */
	uint64		system_identifier;	/* of this cluster; written by the mover
									 * before ready */
	uint32		shard_counter;	/* random start of the shard word's counter,
								 * 24 bits; constant */
} GidClock;

/* The words, and what they share; the part of the clock's files. */
typedef struct GidClockPart
{
	GidWordPadded words[GID_NWORDS];	/* protected as GidWord says */
	GidClock	clock;			/* protected as GidClock says */
} GidClockPart;

extern GidClockPart *gid_clock;

/* clock/start.c */
extern void gid_start_clock(void);
extern bool gid_start_found_file(void);

/* clock/leave.c */
extern void gid_leave_register(void);
extern void gid_leave_server_exit(void);

#endif							/* GID_CLOCK_SHARED_H */
