/*-------------------------------------------------------------------------
 *
 * peer/ask.h
 *		Asks the servers of a list until one answers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_PEER_ASK_H
#define GID_PEER_ASK_H

#include "nodes/pg_list.h"

#include "attach/attach.h"

/* A question of gid has this many parameters at most. */
#define GID_ASK_PARAMS			6

/* A question: the call of a function of gid on another server. */
typedef struct GidQuestion GidQuestion;
struct GidQuestion
{
	const char *columns;		/* what is selected from the call; NULL: * */
	const char *call;			/* with its schema; parameters as $1 with
								 * their types */
	int			nparams;
	const char *params[GID_ASK_PARAMS];
	int			ncolumns;		/* of the one row of numbers that it returns */
	const char *confirm;		/* a call to make after the answer, on the
								 * same connection; NULL: none */
	bool		is_retried;		/* the caller itself asks again after a while:
								 * no server is passed over, and no failure
								 * logged */
	int64		count;			/* for is_answer: how much is asked for */
	const void *asked;			/* for is_answer: what else is asked for */

	/* can these numbers be the answer? */
	bool		(*is_answer) (const GidQuestion *question, const int64 *numbers);
};

/* Why no server has answered. */
typedef struct GidSilence
{
	char	   *detail;			/* for the user: a line for each server */
	char	   *log;			/* for the log: the same, with what each said */
	const char *hint;			/* a sentence */
	int			sqlstate;		/* of the last error that a server sent, or 0 */
	int64		clock_s;		/* the clock of that server, in seconds since
								 * the Unix epoch; 0: unknown */
} GidSilence;

extern const GidPart gid_ask_part;

extern bool gid_ask(List *uris, const GidQuestion *question, int64 *numbers,
					GidSilence *silence);
extern int	gid_ask_details(const GidSilence *silence);

#endif							/* GID_PEER_ASK_H */
