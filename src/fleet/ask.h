/*-------------------------------------------------------------------------
 *
 * fleet/ask.h
 *		Asking the first of several servers that answers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_FLEET_ASK_H
#define GID_FLEET_ASK_H

#include "nodes/pg_list.h"

#include "attach/attach.h"
#include "fleet/connection.h"

/* A question: the call of a function of gid on another server. */
typedef struct GidQuestion GidQuestion;
struct GidQuestion
{
	const char *call;			/* without its schema; parameters as $1 with
								 * their types */
	int			nparams;
	const char *params[GID_CONNECTION_COLUMNS];
	int			ncolumns;		/* of the one row that it gives, numbers */
	int64		count;			/* for is_answer: how much is asked for */

	/* can this be the answer? */
	bool		(*is_answer) (const GidQuestion *question, const int64 *numbers);
};

/* Why no server has answered. */
typedef struct GidSilence
{
	char	   *detail;			/* a line for each server */
	const char *hint;			/* a sentence */
} GidSilence;

extern const GidPart gid_ask_part;

extern bool gid_ask(List *uris, const GidQuestion *question, int64 *numbers,
					GidSilence *silence);

#endif							/* GID_FLEET_ASK_H */
