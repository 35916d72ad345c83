/*-------------------------------------------------------------------------
 *
 * peer/connection.h
 *		The connection to another server, by libpq.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_PEER_CONNECTION_H
#define GID_PEER_CONNECTION_H

#include "peer/uri.h"

/* The text of a failure is a line of less than this many bytes. */
#define GID_ANSWER_TEXT_SIZE	160

/* An answer to gid's questions has this many columns at most. */
#define GID_CONNECTION_COLUMNS	4

/* A question of gid has this many parameters at most. */
#define GID_CONNECTION_PARAMS	6

/* A value of an answer, a number, has less than this many bytes. */
#define GID_CONNECTION_VALUE_SIZE	32

/* What came of a question. */
typedef enum GidOutcome
{
	GID_NOT_ASKED,				/* for a reason on this server */
	GID_ANSWERED,				/* the values are good */
	GID_REFUSED,				/* the server runs and sent an error */
	GID_NONSENSE,				/* the server runs and sent no answer */
	GID_FAILED					/* the server did not answer */
} GidOutcome;

/* What came of a question, and the values.  The caller clears all to 0. */
typedef struct GidAnswer
{
	GidOutcome	outcome;
	char		said[GID_ANSWER_TEXT_SIZE]; /* what went wrong, a line */
	char		sqlstate[6];	/* of the error that the server sent, or "" */
	bool		needs_password; /* the server asked for a password, and this
								 * server has none */
	char		values[GID_CONNECTION_COLUMNS][GID_CONNECTION_VALUE_SIZE];
} GidAnswer;

extern bool gid_connection_open(const char *uri, const GidUri *parsed,
								bool *was_open, GidAnswer *answer);
extern void gid_connection_query(const char *query, int nparams,
								 const char *const *params, int ncolumns,
								 int64 deadline_us, GidAnswer *answer);
extern void gid_connection_close(void);
extern bool gid_connection_note(GidAnswer *answer, GidOutcome outcome,
								const char *said);

#endif							/* GID_PEER_CONNECTION_H */
