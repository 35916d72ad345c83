/*-------------------------------------------------------------------------
 *
 * clock/clock.h
 *		The clock's part of the shared memory.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_CLOCK_CLOCK_H
#define GID_CLOCK_CLOCK_H

#include "storage/lwlock.h"

#include "attach/attach.h"
#include "layout/time_word.h"

/* The file of the durable bound, in the data directory. */
#define GID_CLOCK_FILE		"gid.clock"

/* The bound is this far ahead of the wall clock, in whole seconds. */
#define GID_BOUND_AHEAD_S	5

/*
 * A growing word, alone on its cache line.  The rules are in clock/word.c and
 * clock/durable.c.
 */
typedef struct GidWord
{
	pg_atomic_uint64 last;		/* last value issued; moved by CAS, only up */
	pg_atomic_uint64 limit;		/* values from here on take the slow path;
								 * never above bound; plain stores */
	pg_atomic_uint64 bound;		/* the durable bound, first value not to be
								 * issued; written under GidClock.lock */
	pg_atomic_uint64 lead_us;	/* of the server's time over the wall clock,
								 * at the last reading; plain stores */
	pg_atomic_uint64 waits;		/* times a caller slept; fetch_add */
} GidWord;

typedef union GidWordPadded
{
	GidWord		word;
	char		pad[PG_CACHE_LINE_SIZE];
} GidWordPadded;

StaticAssertDecl(!GID_ATOMICS_ARE_PLAIN || sizeof(GidWord) <= 64,
				 "a draw touches one cache line of a word");

/*
 * What all words share.  The rules are in clock/server_time.c and
 * clock/durable.c.
 */
typedef struct GidClock
{
	LWLock		lock;			/* to read and write gid.clock */
	pg_atomic_uint32 ready;		/* 1: words started; set once, under lock */
	pg_atomic_uint64 offset_us; /* int64: greatest wall minus slow time seen;
								 * CAS, only up */
	pg_atomic_uint64 bound_us;	/* int64: the durable bound since the Unix
								 * epoch; written under lock */
	pg_atomic_uint64 wall_offset_us;	/* int64: wall minus monotonic clock
										 * at the last reading; exchange */
	pg_atomic_uint64 wall_offset_max_us;	/* the greatest of these; CAS,
											 * only up */
	pg_atomic_uint64 steps_back;	/* times that wall_offset_us went down;
									 * fetch_add */
	pg_atomic_uint64 next_log_us;	/* monotonic time of the next line about
									 * the lead; CAS */
	pg_atomic_uint64 next_try_us;	/* monotonic time before which a failed
									 * move ahead is not tried again; written
									 * under lock */
	int64		start_lead_us;	/* lead at the start; under lock, before ready */
	uint64		shard_start;	/* the shard word at the start, which no id
								 * has; under lock, before ready */
	uint32		shard_counter;	/* random start of the shard word's counter,
								 * 24 bits; constant */
	uint8		process[GID_PROCESS_BYTES]; /* process id of sequential UUIDs,
											 * random; constant */
	uint8		generator[GID_GENERATOR_BYTES]; /* generator bytes of
												 * shard-key UUIDs, random;
												 * constant */
} GidClock;

/* The words, and what they share; the part of the clock's files. */
typedef struct GidClockPart
{
	GidWordPadded words[GID_NWORDS];	/* protected as GidWord says */
	GidClock	clock;			/* protected as GidClock says */
} GidClockPart;

extern GidClockPart *gid_clock;

#endif							/* GID_CLOCK_CLOCK_H */
