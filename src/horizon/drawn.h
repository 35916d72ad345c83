/*-------------------------------------------------------------------------
 *
 * horizon/drawn.h
 *		The transactions that have drawn values of the growing words.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_HORIZON_DRAWN_H
#define GID_HORIZON_DRAWN_H

#include "attach/attach.h"
#include "horizon/ended.h"
#include "layout/time_word.h"

/*
 * The words for which the transactions that draw are noted: those of the
 * families with a horizon.  gid_drawn_word() maps the words to these.
 */
typedef enum GidDrawnWord
{
	GID_DRAWN_V7,
	GID_DRAWN_TICKS,
	GID_DRAWN_SNOWFLAKE,
	GID_DRAWN_WORDS
} GidDrawnWord;

/* The transaction has not drawn from the word. */
#define GID_DRAWN_NOTHING		PG_UINT64_MAX

/* A transaction that holds horizons back. */
typedef struct GidDrawnHolder
{
	int			pid;			/* of its backend; 0: it is prepared */
	TransactionId xid;			/* of a prepared transaction */
	Oid			role;			/* whose transaction it is */
	uint64		bounds[GID_DRAWN_WORDS];	/* no value that it drew is
											 * smaller; GID_DRAWN_NOTHING: it
											 * drew none; 0: not known */
} GidDrawnHolder;

/*
 * The words whose bound this backend has shown in the running transaction, a
 * bit for each.  Only its own process reads and writes it.
 */
extern uint32 gid_drawn_shown;

extern const GidPart gid_drawn_part;

extern void gid_drawn_show(int word, uint64 bound);
extern bool gid_drawn_lower(const GidEnded *ended, int word, uint64 *horizon);
extern int	gid_drawn_number(void);
extern bool gid_drawn_holder(int number, GidDrawnHolder *holder);

/* The number of a word among those that are noted, or -1. */
static inline int
gid_drawn_word(GidWordId id)
{
	switch (id)
	{
		case GID_WORD_V7:
			return GID_DRAWN_V7;
		case GID_WORD_TICKS:
			return GID_DRAWN_TICKS;
		case GID_WORD_SNOWFLAKE:
			return GID_DRAWN_SNOWFLAKE;
		default:
			return -1;
	}
}

/* Must this backend show a bound before it draws from a word? */
static inline bool
gid_drawn_is_due(GidWordId id)
{
	return gid_drawn_word(id) >= 0 && (gid_drawn_shown & (1U << gid_drawn_word(id))) == 0;
}

#endif							/* GID_HORIZON_DRAWN_H */
