/*-------------------------------------------------------------------------
 *
 * peer/libpq.h
 *		Connection URIs, and the connection to another server.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_PEER_LIBPQ_H
#define GID_PEER_LIBPQ_H

#include "nodes/pg_list.h"

/* A setting holds at most this many URIs. */
#define GID_URI_MAX				16

/* An answer to gid's questions has this many columns at most. */
#define GID_PEER_COLUMNS		4

/* What came of a question. */
typedef enum GidOutcome
{
	GID_FAILED,					/* the server did not answer */
	GID_REFUSED,				/* it runs, and sent an error or no answer */
	GID_ANSWERED				/* the numbers are good */
} GidOutcome;

typedef struct GidPeerAnswer
{
	GidOutcome	outcome;
	int64		numbers[GID_PEER_COLUMNS];	/* if GID_ANSWERED */
	const char *problem;		/* else: in gid's own words, for the user */
	const char *said;			/* what libpq or the server said, for the log
								 * alone, or NULL */
	int			sqlstate;		/* of the error that the server sent, or 0 */
	bool		needs_password; /* the server asked for a password, and this
								 * server has none */
} GidPeerAnswer;

extern void gid_libpq_load(void);

extern const char *gid_uri_check_list(const char *list, int max);
extern List *gid_uri_split(const char *list);
extern char *gid_uri_name(const char *list);

extern bool gid_peer_connect(const char *uri, GidPeerAnswer *answer);
extern bool gid_peer_query(const char *query, int nparams, const char *const *params,
						   int ncolumns, int64 deadline_us, GidPeerAnswer *answer);
extern void gid_peer_close(void);

#endif							/* GID_PEER_LIBPQ_H */
