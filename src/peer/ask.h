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
#include "peer/connection.h"

/* What the caller does when no server answers. */
typedef enum GidAskKind
{
	GID_ASK_ONCE,				/* it gives up, or asks at some other time */
	GID_ASK_AGAIN				/* it asks again after GID_ASK_AGAIN_US until
								 * a server answers, and logs the failures */
} GidAskKind;

#define GID_ASK_AGAIN_US		INT64CONST(1000000)

/* A question: the call of a function of gid on another server. */
typedef struct GidQuestion GidQuestion;
struct GidQuestion
{
	GidAskKind	kind;
	const char *columns;		/* what is selected from the call; NULL: * */
	const char *call;			/* with its schema; parameters as $1 with
								 * their types */
	int			nparams;
	const char *params[GID_CONNECTION_PARAMS];
	int			ncolumns;		/* of the one row of numbers that it returns */
	const char *confirm;		/* a call to make after the answer, in the
								 * same session there, whose process id is the
								 * last column of the answer; NULL: none */
	int64		count;			/* for is_answer: how much is asked for */
	const void *asked;			/* for is_answer: what else is asked for */

	/* can these numbers be the answer? */
	bool		(*is_answer) (const GidQuestion *question, const int64 *numbers);
};

/* Why no server has answered, for an error. */
typedef struct GidSilence
{
	char	   *detail;			/* a line for each server */
	const char *hint;			/* a sentence */
	char		sqlstate[6];	/* of the last error that a server sent, or "" */
} GidSilence;

extern const GidPart gid_ask_part;

extern bool gid_ask(List *uris, const GidQuestion *question, int64 *numbers,
					GidSilence *silence);

#endif							/* GID_PEER_ASK_H */
