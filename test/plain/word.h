/*-------------------------------------------------------------------------
 *
 * word.h
 *		A second implementation of the growing words, as the manual describes
 *		them.
 *
 * State: none.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef PLAIN_WORD_H
#define PLAIN_WORD_H

#include "layout/time_word.h"

#define THREADS			4096
#define COUNTERS		1023
#define SHARD_COUNTERS	16777216
#define SEQUENCES		4096

/* 0001-01-01 to 1970-01-01 */
#define PLAIN_EPOCH_S	INT64CONST(62135596800)

/*
 * A word has "ticks" a second, and "parts" of a tick.  With "counts" the parts
 * are not time.
 */
typedef struct PlainWord
{
	const char *name;
	int64		ticks;
	int64		parts;
	bool		counts;
	int64		epoch_s;		/* counted from so long before 1970 */
} PlainWord;

static const PlainWord plain_words[] = {
	[GID_WORD_V7] = {"v7", 1000, 65536, false, 0},
	[GID_WORD_TICKS] = {"ticks", 10000000, 1, false, PLAIN_EPOCH_S},
	[GID_WORD_TRACE] = {"trace", 1, THREADS * (COUNTERS + 1), true, 0},
	[GID_WORD_SHARD] = {"shard", 1, SHARD_COUNTERS, true, 0},
	[GID_WORD_SNOWFLAKE] = {"snowflake", 1000, SEQUENCES, true, 0},
};

_Static_assert(lengthof(plain_words) == GID_NWORDS, "a word has no description");

#endif							/* PLAIN_WORD_H */
