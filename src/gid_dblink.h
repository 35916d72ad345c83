/*-------------------------------------------------------------------------
 *
 * gid_dblink.h
 *		Connections to other servers, by dblink.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_DBLINK_H
#define GID_DBLINK_H

/* An answer has to come within this time. */
#define GID_DBLINK_TIMEOUT_MS	2000

/* A connection of this backend; gid_dblink.c owns all but the last member. */
typedef struct GidConnection
{
	Oid			server;
	Oid			owner;			/* role whose user mapping it is of */
	char		name[NAMEDATALEN];	/* for dblink */
	bool		stale;			/* a server or a mapping was altered since */
	bool		asking;			/* an answer may be under way */
	bool		reading;		/* what is raised now comes from the server */
	int64		deadline_us;	/* for answers; monotonic time */
	char	   *schema;			/* of gid there, quoted, a copy of the
								 * connection's own; NULL: not known */
} GidConnection;

/* What is put back when a role's work is done. */
typedef struct GidIdentity
{
	Oid			user;
	int			context;
	int			guc_level;
} GidIdentity;

extern char *gid_dblink_schema(void);
extern void gid_dblink_begin(Oid role, GidIdentity *before);
extern void gid_dblink_end(const GidIdentity *before);
extern GidConnection *gid_dblink_find(Oid server, Oid owner);
extern GidConnection *gid_dblink_open(const char *dblink, Oid server,
									  Oid owner, bool *was_open);
extern void gid_dblink_close(const char *dblink, GidConnection *connection);
extern bool gid_dblink_was_overdue(const ErrorData *error);
extern bool gid_dblink_may_keep(Oid owner);
extern bool gid_dblink_query(const char *dblink, GidConnection *connection,
							 const char *query, const char *columns);
extern char *gid_dblink_value(int column);

#endif							/* GID_DBLINK_H */
