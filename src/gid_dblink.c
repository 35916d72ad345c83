/*-------------------------------------------------------------------------
 *
 * gid_dblink.c
 *		Connections to other servers, by dblink.
 *
 * A connection is that of a role's user mapping, usually not the caller's, so
 * it is made and used as that role.
 *
 * State: the connections that this backend keeps.
 *
 * Invariants:
 * 1. A server without connect_timeout is not connected to.  Nothing is read
 *	  that has not come, and nothing is waited for beyond a deadline.  A cancel
 *	  is noticed at once while waiting; while connecting, on PostgreSQL 15,
 *	  after connect_timeout.
 * 2. A connection is kept only in a session whose user has the rights of the
 *	  role that it was made for and is no superuser, in whose sessions code of
 *	  all users may run (ANALYZE, for one).  In any other one it is closed
 *	  before the caller gets control, because a session's dblink connections
 *	  can be used by all its code.
 * 3. A connection on which an answer may still be under way is closed, never
 *	  used again: the answer is to another question.
 * 4. No name in a query is looked up in a schema that the caller chooses.
 *
 * An error leaves a connection as it is, for gid_dblink_close().  A crash of
 * this server ends the connections.  Passwords stand in the user mapping; no
 * statement and no message here has one.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timeout.h"

#include "gid_clock.h"
#include "gid_compat.h"
#include "gid_dblink.h"

/* Between two looks whether an answer has come, at first and at most. */
#define GID_DBLINK_POLL_MS		1
#define GID_DBLINK_POLL_MAX_MS	16

/* Connecting may take so much longer than connect_timeout. */
#define GID_DBLINK_GRACE_MS		250

static List *gid_connections = NIL;

/* Ends connecting; registered when first needed. */
static TimeoutId gid_dblink_timeout = MAX_TIMEOUTS;
static volatile sig_atomic_t gid_dblink_overdue = false;

/* ---- SPI ---- */

/*
 * Run a query of up to two text arguments; how many rows came.
 */
static uint64
gid_dblink_spi(const char *query, const char *first, const char *second)
{
	Oid			types[] = {TEXTOID, TEXTOID};
	Datum		values[lengthof(types)];
	int			nargs = 0;

	if (first != NULL)
		values[nargs++] = CStringGetTextDatum(first);
	if (second != NULL)
		values[nargs++] = CStringGetTextDatum(second);
	if (SPI_execute_with_args(query, nargs, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not run \"%s\"", query);
	return SPI_processed;
}

/*
 * A column, from 1 on, of the first row that the last query gave; NULL when it
 * is null.
 */
char *
gid_dblink_value(int column)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

/*
 * Begin to use SPI as a role, with the catalogs as they are now.  What dblink
 * has to say about lost connections is not for the caller.
 */
void
gid_dblink_begin(Oid role, GidIdentity *before)
{
	GetUserIdAndSecContext(&before->user, &before->context);
	SetUserIdAndSecContext(role, before->context | SECURITY_LOCAL_USERID_CHANGE);
	before->guc_level = NewGUCNestLevel();
	(void) set_config_option("client_min_messages", "error", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	PushActiveSnapshot(GetLatestSnapshot());
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
}

/* End it.  After an error the end of the subtransaction does so. */
void
gid_dblink_end(const GidIdentity *before)
{
	(void) SPI_finish();
	PopActiveSnapshot();
	AtEOXact_GUC(true, before->guc_level);
	SetUserIdAndSecContext(before->user, before->context);
}

/*
 * The schema of dblink, quoted; NULL when it is not installed.  Waits for
 * nothing.
 */
char *
gid_dblink_schema(void)
{
	MemoryContext context = CurrentMemoryContext;
	GidIdentity before;
	char	   *schema = NULL;

	gid_dblink_begin(GetUserId(), &before);
	if (gid_dblink_spi("SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension AS e"
					   " JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace"
					   " WHERE e.extname OPERATOR(pg_catalog.=) 'dblink'", NULL, NULL) > 0)
		schema = MemoryContextStrdup(context, gid_dblink_value(1));
	gid_dblink_end(&before);
	return schema;
}

/* ---- connections ---- */

/* A foreign server or a user mapping was altered, or the right on one. */
static void
gid_dblink_invalidate(Datum arg, int cache, uint32 hash)
{
	ListCell   *cell;

	foreach(cell, gid_connections)
		((GidConnection *) lfirst(cell))->stale = true;
}

/* A new connection, which is not open yet. */
static GidConnection *
gid_dblink_new(Oid server, Oid owner)
{
	static uint32 connections = 0;
	MemoryContext context;
	GidConnection *connection;

	if (connections == 0)
	{
		CacheRegisterSyscacheCallback(FOREIGNSERVEROID, gid_dblink_invalidate, (Datum) 0);
		CacheRegisterSyscacheCallback(USERMAPPINGOID, gid_dblink_invalidate, (Datum) 0);
	}
	context = MemoryContextSwitchTo(TopMemoryContext);
	connection = palloc0(sizeof(GidConnection));
	connection->server = server;
	connection->owner = owner;
	/* a name that nobody else in the session will think of */
	snprintf(connection->name, sizeof(connection->name), "gid %d %u", MyProcPid,
			 ++connections);
	gid_connections = lappend(gid_connections, connection);
	MemoryContextSwitchTo(context);
	return connection;
}

/* Close a connection, if it is open, and forget it.  The role is set. */
void
gid_dblink_close(const char *dblink, GidConnection *connection)
{
	char	   *query = psprintf("SELECT %s.dblink_disconnect(n) FROM pg_catalog.unnest(%s.dblink_get_connections()) AS n"
								 " WHERE n OPERATOR(pg_catalog.=) $1", dblink, dblink);

	(void) gid_dblink_spi(query, connection->name, NULL);
	gid_connections = list_delete_ptr(gid_connections, connection);
	if (connection->schema != NULL)
		pfree(connection->schema);
	pfree(connection);
}

/* The connection to a server as a role that this backend has, or NULL. */
GidConnection *
gid_dblink_find(Oid server, Oid owner)
{
	ListCell   *cell;

	foreach(cell, gid_connections)
	{
		GidConnection *connection = lfirst(cell);

		if (connection->server == server && connection->owner == owner)
			return connection;
	}
	return NULL;
}

/* The connect_timeout of a server, in seconds.  Raises 55000 when it has none. */
static int
gid_dblink_connect_timeout(const ForeignServer *server)
{
	ListCell   *cell;

	foreach(cell, server->options)
	{
		DefElem    *option = lfirst(cell);

		if (strcmp(option->defname, "connect_timeout") == 0 &&
			atoi(defGetString(option)) > 0)
			return atoi(defGetString(option));
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("foreign server \"%s\" has no connect_timeout", server->servername)));
}

/* It is time to give up connecting: a cancel, which the attempt catches. */
static void
gid_dblink_give_up(void)
{
	/* somebody else's cancel is not to be taken for this one */
	if (QueryCancelPending)
		return;
	gid_dblink_overdue = true;
	InterruptPending = true;
	QueryCancelPending = true;
}

/*
 * Connect within connect_timeout.  libpq keeps to it where it connects by
 * itself, as in PostgreSQL 15; since then the server waits for the socket,
 * interruptibly and without end.
 */
static void
gid_dblink_connect(const char *dblink, const GidConnection *connection,
				   const char *server, int timeout_s)
{
	if (gid_dblink_timeout == MAX_TIMEOUTS)
		gid_dblink_timeout = RegisterTimeout(USER_TIMEOUT, gid_dblink_give_up);
	gid_dblink_overdue = false;
	if (GID_DBLINK_HAS_NO_TIMEOUT)
		enable_timeout_after(gid_dblink_timeout,
							 Min(timeout_s, 3600) * 1000 + GID_DBLINK_GRACE_MS);
	(void) gid_dblink_spi(psprintf("SELECT %s.dblink_connect($1, $2)", dblink),
						  connection->name, server);
	disable_timeout(gid_dblink_timeout, false);
	/* if it was over just then */
	CHECK_FOR_INTERRUPTS();
}

/*
 * Is an error that of connecting for too long?  After this none of that origin
 * comes any more.
 */
bool
gid_dblink_was_overdue(const ErrorData *error)
{
	bool		overdue;

	if (gid_dblink_timeout != MAX_TIMEOUTS)
		disable_timeout(gid_dblink_timeout, false);
	overdue = gid_dblink_overdue;
	gid_dblink_overdue = false;
	if (overdue && error->sqlerrcode != ERRCODE_QUERY_CANCELED)
		QueryCancelPending = false;
	return overdue && error->sqlerrcode == ERRCODE_QUERY_CANCELED;
}

/*
 * The connection to a server as a role, which is set; opened unless it is there,
 * *was_open.  Its answers have to come within GID_DBLINK_TIMEOUT_MS from now on.
 * May wait for as long as dblink and connect_timeout make it.  Raises 55000
 * without a connect_timeout, and dblink's errors.
 */
GidConnection *
gid_dblink_open(const char *dblink, Oid server, Oid owner, bool *was_open)
{
	ForeignServer *foreign = GetForeignServer(server);
	GidConnection *connection = gid_dblink_find(server, owner);

	if (connection != NULL && (connection->asking || connection->stale))
	{
		gid_dblink_close(dblink, connection);
		connection = NULL;
	}
	*was_open = connection != NULL;
	if (connection == NULL)
	{
		int			timeout_s = gid_dblink_connect_timeout(foreign);

		connection = gid_dblink_new(server, owner);
		gid_dblink_connect(dblink, connection, foreign->servername, timeout_s);
	}
	connection->deadline_us = gid_clock_monotonic_us() + GID_DBLINK_TIMEOUT_MS * 1000;
	return connection;
}

/*
 * Is a connection to be kept?  What is open in a session can be used by all code
 * that runs in it: see invariant 2.
 */
bool
gid_dblink_may_keep(Oid owner)
{
	Oid			user = GetSessionUserId();

	return has_privs_of_role(user, owner) && !superuser_arg(user);
}

/* ---- queries ---- */

/* Wait until something can be read.  False when the deadline passes before. */
static bool
gid_dblink_await(const char *dblink, const GidConnection *connection)
{
	static uint32 wait_event = 0;
	char	   *is_busy = psprintf("SELECT %s.dblink_is_busy($1)", dblink);

	for (long delay_ms = GID_DBLINK_POLL_MS;;
		 delay_ms = Min(2 * delay_ms, GID_DBLINK_POLL_MAX_MS))
	{
		(void) gid_dblink_spi(is_busy, connection->name, NULL);
		if (strcmp(gid_dblink_value(1), "0") == 0)
			return true;
		if (gid_clock_monotonic_us() >= connection->deadline_us)
			return false;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 delay_ms, gid_wait_event(&wait_event, "GidAuthority"));
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Read what has come: how many rows.  An error is then one that the server sent,
 * and no interrupt.
 */
static uint64
gid_dblink_read(const char *dblink, GidConnection *connection,
				const char *columns)
{
	char	   *query = psprintf("SELECT * FROM %s.dblink_get_result($1) AS t (%s)",
								 dblink, columns);
	uint64		nrows;

	HOLD_INTERRUPTS();
	connection->reading = true;
	nrows = gid_dblink_spi(query, connection->name, NULL);
	connection->reading = false;
	RESUME_INTERRUPTS();
	return nrows;
}

/*
 * Send a query and wait for its answer, interruptibly.  False when it does not
 * come in time, else SPI has its rows, of these columns, all text.  The role is
 * set.
 */
bool
gid_dblink_query(const char *dblink, GidConnection *connection,
				 const char *query, const char *columns)
{
	SPITupleTable *rows;
	uint64		nrows;

	connection->asking = true;
	(void) gid_dblink_spi(psprintf("SELECT %s.dblink_send_query($1, $2)", dblink),
						  connection->name, query);
	if (strcmp(gid_dblink_value(1), "1") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_CONNECTION_FAILURE),
				 errmsg("could not send a query")));

	if (!gid_dblink_await(dblink, connection))
		return false;
	nrows = gid_dblink_read(dblink, connection, columns);
	rows = SPI_tuptable;

	/* dblink wants to say that there is nothing more */
	if (!gid_dblink_await(dblink, connection))
		return false;
	if (gid_dblink_read(dblink, connection, columns) > 0)
	{
		connection->reading = true;
		ereport(ERROR,
				(errcode(ERRCODE_PROTOCOL_VIOLATION),
				 errmsg("there is more than one answer")));
	}
	connection->asking = false;
	SPI_tuptable = rows;
	SPI_processed = nrows;
	return true;
}
