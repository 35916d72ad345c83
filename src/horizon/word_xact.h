/*-------------------------------------------------------------------------
 *
 * horizon/word_xact.h
 *		The transactions that have drawn values of the growing words.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_WORD_XACT_H
#define GID_HORIZON_WORD_XACT_H

#include "attach/attach.h"
#include "horizon/ended.h"
#include "layout/time_word.h"

/*
 * The words for which the transactions that draw are noted: those of the
 * families with a horizon.  gid_word_xact_index() maps the words to these.
 */
typedef enum GidWordXactWord
{
	GID_WORD_XACT_V7,
	GID_WORD_XACT_TICKS,
	GID_WORD_XACT_SNOWFLAKE,
	GID_WORD_XACT_WORDS
} GidWordXactWord;

/* The transaction has not drawn from the word. */
#define GID_WORD_XACT_NOTHING		PG_UINT64_MAX

/* A transaction that holds horizons back. */
typedef struct GidWordXact
{
	int			pid;			/* of its backend; 0: it is prepared */
	TransactionId xid;			/* of a prepared transaction */
	Oid			role;			/* whose transaction it is */
	uint64		bounds[GID_WORD_XACT_WORDS];	/* no value that it drew is
												 * smaller;
												 * GID_WORD_XACT_NOTHING: it
												 * drew none; 0: not known */
} GidWordXact;

/*
 * The words whose bound this backend has shown in the running transaction, a
 * bit for each.  Only its own process reads and writes it.
 */
extern uint32 gid_word_xact_shown;

extern const GidPart gid_word_xact_part;

extern void gid_word_xact_show(int word, uint64 bound);
extern bool gid_word_xact_lower(const GidEnded *ended, int word, uint64 *horizon);
extern int	gid_word_xact_count(void);
extern bool gid_word_xact_read(int number, GidWordXact *xact);

/* The number of a word among those that are noted, or -1. */
static inline int
gid_word_xact_index(GidWordId id)
{
	switch (id)
	{
		case GID_WORD_V7:
			return GID_WORD_XACT_V7;
		case GID_WORD_TICKS:
			return GID_WORD_XACT_TICKS;
		case GID_WORD_SNOWFLAKE:
			return GID_WORD_XACT_SNOWFLAKE;
		default:
			return -1;
	}
}

/* Must this backend show a bound before it draws from a word? */
static inline bool
gid_word_xact_is_due(GidWordId id)
{
	return gid_word_xact_index(id) >= 0 && (gid_word_xact_shown & (1U << gid_word_xact_index(id))) == 0;
}

#endif							/* GID_HORIZON_WORD_XACT_H */
