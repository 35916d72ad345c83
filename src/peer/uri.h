/*-------------------------------------------------------------------------
 *
 * peer/uri.h
 *		Connection URIs of other servers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_PEER_URI_H
#define GID_PEER_URI_H

#include "nodes/pg_list.h"

/* A setting holds at most this many URIs. */
#define GID_URI_MAX				16

/* A URI, taken apart. */
typedef struct GidUri
{
	List	   *hosts;			/* char *: a connection string for each host */
	char	   *name;			/* for messages: host:port/database, or
								 * host:port,host:port/database */
	int			timeout_s;		/* connect_timeout, 1..3600 */
} GidUri;

/* What is wrong with a list of URIs. */
typedef struct GidUriProblem
{
	char		detail[128];	/* a sentence */
	const char *hint;			/* a sentence, or NULL */
} GidUriProblem;

struct _PQconninfoOption;		/* libpq-fe.h */

extern bool gid_uri_check_list(const char *list, int max, GidUriProblem *problem);
extern List *gid_uri_split(const char *list);
extern GidUri *gid_uri_parse(const char *uri);
extern char *gid_uri_name(const char *list);
extern const char *gid_uri_value(const struct _PQconninfoOption *options,
								 const char *keyword);

#endif							/* GID_PEER_URI_H */
