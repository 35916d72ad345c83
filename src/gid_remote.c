/*-------------------------------------------------------------------------
 *
 * gid_remote.c
 *		Asking other servers.
 *
 * A question is put to the foreign servers of a list one after the other, by
 * dblink, until one answers.  The connection is that of a role's user mapping,
 * usually not the caller's, so it is made as that role.
 *
 * State: the connections that this backend keeps; in shared memory the servers
 * that failed and until when they are passed over.
 *
 * Invariants:
 * 1. A question takes no longer than the server's connect_timeout and
 *	  GID_REMOTE_TIMEOUT_MS: a server without connect_timeout is not asked, and
 *	  the answer is waited for with a deadline.  A cancel is noticed at once
 *	  while waiting; while connecting, on PostgreSQL 15, after connect_timeout.
 * 2. Whatever a server does wrong is caught in a subtransaction; the caller's
 *	  transaction goes on.
 * 3. A connection is kept only in a session whose user has the rights of the
 *	  role that it was made for.  In any other one it is closed before the
 *	  caller gets control, because a session's dblink connections can be used
 *	  by all its code.
 * 4. A connection on which an answer may still be under way is closed.
 * 5. One that fails is passed over for GID_REMOTE_PASS_OVER_US by all
 *	  backends of the database; the one that tries it again moves that time
 *	  ahead first, so that it alone waits for it.
 * 6. No lock is held while a server is asked.
 *
 * A crash forgets who failed.  Nothing here depends on the clock but on the
 * monotonic one.  Passwords stand in the user mapping; no statement and no
 * message here has one.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "executor/spi.h"
#include "foreign/foreign.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "gid_clock.h"
#include "gid_compat.h"
#include "gid_remote.h"

/* An answer has to come within this time. */
#define GID_REMOTE_TIMEOUT_MS	2000

/* Between two looks whether it has come, at first and at most. */
#define GID_REMOTE_POLL_MS		1
#define GID_REMOTE_POLL_MAX_MS	16

/* A server that failed is passed over for this time ... */
#define GID_REMOTE_PASS_OVER_US INT64CONST(30000000)

/* ... but when no other answers, it is tried again after this. */
#define GID_REMOTE_LAST_RESORT_US INT64CONST(2000000)

/* A connection of this backend. */
typedef struct GidConnection
{
	Oid			server;
	Oid			owner;
	TransactionId server_xmin;	/* of the rows that it was made from; what is */
	TransactionId mapping_xmin; /* altered since is connected to anew */
	char		name[NAMEDATALEN];	/* for dblink */
	char	   *schema;			/* of gid there, quoted; NULL: not known */
} GidConnection;

/* What came of it. */
typedef enum GidOutcome
{
	GID_ANSWERED,
	GID_REFUSED,				/* it lives, and raised an error */
	GID_FAILED					/* it does not */
} GidOutcome;

/* One attempt. */
typedef struct GidAttempt
{
	Oid			server;
	const GidQuestion *question;
	int64	   *answer;
	const char *dblink;			/* its schema, quoted */
	bool		was_open;		/* the connection was there before */
	bool		remote;			/* what is raised now comes from the server */
} GidAttempt;

static List *gid_connections = NIL;

/* ---- who failed ---- */

void
gid_remote_init(GidRemoteTable *table, int tranche)
{
	memset(table, 0, sizeof(*table));
	LWLockInitialize(&table->lock, tranche);
}

static GidRemoteTable *
gid_remote_table(void)
{
	return gid_shmem_address(gid_header->remotes);
}

/* The row of a server, or NULL.  The caller has the lock. */
static GidRemoteRow *
gid_remote_row(Oid server)
{
	GidRemoteRow *rows = gid_remote_table()->rows;

	for (int i = 0; i < GID_REMOTE_ROWS; i++)
	{
		if (rows[i].database == MyDatabaseId && rows[i].server == server)
			return &rows[i];
	}
	return NULL;
}

/*
 * Is a server to be asked?  One that has failed is not for a while; then, or
 * as a last resort somewhat earlier, just by the caller.  *said is what it said
 * when it failed.
 */
static bool
gid_remote_may_ask(Oid server, bool last_resort, char said[GID_REMOTE_SAID_SIZE])
{
	int64		now_us = gid_clock_monotonic_us();
	GidRemoteRow *row;
	bool		may = true;

	LWLockAcquire(&gid_remote_table()->lock, LW_EXCLUSIVE);
	row = gid_remote_row(server);
	if (row != NULL)
	{
		may = now_us >= (last_resort ? row->failed_us + GID_REMOTE_LAST_RESORT_US :
						 row->retry_us);
		if (may)
		{
			row->failed_us = now_us;
			row->retry_us = now_us + GID_REMOTE_PASS_OVER_US;
		}
		strlcpy(said, row->said, GID_REMOTE_SAID_SIZE);
	}
	LWLockRelease(&gid_remote_table()->lock);
	return may;
}

/* Note that a server has failed, in place of the one that did so first. */
static void
gid_remote_note_failed(Oid server, const char *said)
{
	int64		now_us = gid_clock_monotonic_us();
	GidRemoteRow *row;

	LWLockAcquire(&gid_remote_table()->lock, LW_EXCLUSIVE);
	row = gid_remote_row(server);
	for (int i = 0; row == NULL && i < GID_REMOTE_ROWS; i++)
	{
		if (gid_remote_table()->rows[i].database == InvalidOid)
			row = &gid_remote_table()->rows[i];
	}
	if (row == NULL)
	{
		row = &gid_remote_table()->rows[0];
		for (int i = 1; i < GID_REMOTE_ROWS; i++)
		{
			if (gid_remote_table()->rows[i].failed_us < row->failed_us)
				row = &gid_remote_table()->rows[i];
		}
	}
	row->database = MyDatabaseId;
	row->server = server;
	row->failed_us = now_us;
	row->retry_us = now_us + GID_REMOTE_PASS_OVER_US;
	strlcpy(row->said, said, sizeof(row->said));
	LWLockRelease(&gid_remote_table()->lock);
}

static void
gid_remote_note_alive(Oid server)
{
	GidRemoteRow *row;

	LWLockAcquire(&gid_remote_table()->lock, LW_EXCLUSIVE);
	row = gid_remote_row(server);
	if (row != NULL)
		row->database = InvalidOid;
	LWLockRelease(&gid_remote_table()->lock);
}

/* ---- dblink ---- */

/*
 * Run a query of up to two text arguments; how many rows came.
 */
static uint64
gid_remote_spi(const char *query, const char *first, const char *second)
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

/* A column of the first row that the last query gave; NULL when it is null. */
static char *
gid_remote_value(int column)
{
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);
}

/* Begin to use SPI, and end it. */
static void
gid_remote_begin(void)
{
	PushActiveSnapshot(GetTransactionSnapshot());
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "could not connect to SPI");
}

static void
gid_remote_end(void)
{
	(void) SPI_finish();
	PopActiveSnapshot();
}

/* The schema of dblink, quoted.  Raises 55000 when it is not installed. */
static char *
gid_remote_find_dblink(void)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *schema;

	gid_remote_begin();
	if (gid_remote_spi("SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension AS e"
					   " JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace"
					   " WHERE e.extname OPERATOR(pg_catalog.=) 'dblink'", NULL, NULL) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension \"dblink\" is not installed in this database"),
				 errdetail("It is what gid asks other servers with."),
				 errhint("Use CREATE EXTENSION dblink.")));
	schema = MemoryContextStrdup(context, gid_remote_value(1));
	gid_remote_end();
	return schema;
}

/* Close a connection, if it is open, and forget it. */
static void
gid_remote_close(const char *dblink, GidConnection *connection)
{
	char	   *query = psprintf("SELECT %s.dblink_disconnect(n) FROM pg_catalog.unnest(%s.dblink_get_connections()) AS n"
								 " WHERE n OPERATOR(pg_catalog.=) $1", dblink, dblink);

	(void) gid_remote_spi(query, connection->name, NULL);
	gid_connections = list_delete_ptr(gid_connections, connection);
	if (connection->schema != NULL)
		pfree(connection->schema);
	pfree(connection);
}

/* The connection of an attempt that this backend has, or NULL. */
static GidConnection *
gid_remote_find(const GidAttempt *attempt)
{
	ListCell   *cell;

	foreach(cell, gid_connections)
	{
		GidConnection *connection = lfirst(cell);

		if (connection->server == attempt->server &&
			connection->owner == attempt->question->owner)
			return connection;
	}
	return NULL;
}

/*
 * Send a query and wait for its answer.  False when it does not come in time,
 * else SPI has its rows, of text columns.
 */
static bool
gid_remote_query(GidAttempt *attempt, const GidConnection *connection,
				 const char *query, const char *columns)
{
	static uint32 wait_event = 0;
	const char *dblink = attempt->dblink;
	int64		deadline_us = gid_clock_monotonic_us() + GID_REMOTE_TIMEOUT_MS * 1000;
	char	   *is_busy = psprintf("SELECT %s.dblink_is_busy($1)", dblink);
	char	   *get_result = psprintf("SELECT * FROM %s.dblink_get_result($1) AS t (%s)",
									  dblink, columns);
	SPITupleTable *rows;
	uint64		nrows;

	(void) gid_remote_spi(psprintf("SELECT %s.dblink_send_query($1, $2)", dblink),
						  connection->name, query);
	for (long delay_ms = GID_REMOTE_POLL_MS;;
		 delay_ms = Min(2 * delay_ms, GID_REMOTE_POLL_MAX_MS))
	{
		(void) gid_remote_spi(is_busy, connection->name, NULL);
		if (strcmp(gid_remote_value(1), "0") == 0)
			break;
		if (gid_clock_monotonic_us() >= deadline_us)
			return false;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 delay_ms, gid_wait_event(&wait_event, "GidAuthority"));
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}

	/* it is here: no interrupt is taken for an error of the server */
	HOLD_INTERRUPTS();
	attempt->remote = true;
	nrows = gid_remote_spi(get_result, connection->name, NULL);
	rows = SPI_tuptable;
	/* dblink wants to say that there is nothing more */
	(void) gid_remote_spi(get_result, connection->name, NULL);
	attempt->remote = false;
	RESUME_INTERRUPTS();
	SPI_tuptable = rows;
	SPI_processed = nrows;
	return true;
}

/* xmin of a row of a catalog by its OID. */
static TransactionId
gid_remote_row_xmin(int cache, Oid oid)
{
	HeapTuple	tuple = SearchSysCache1(cache, ObjectIdGetDatum(oid));
	TransactionId xmin;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for %u", oid);
	xmin = HeapTupleHeaderGetRawXmin(tuple->t_data);
	ReleaseSysCache(tuple);
	return xmin;
}

/* Raise 55000 unless a server has connect_timeout. */
static void
gid_remote_check_timeout(const ForeignServer *server)
{
	ListCell   *cell;

	foreach(cell, server->options)
	{
		DefElem    *option = lfirst(cell);

		if (strcmp(option->defname, "connect_timeout") == 0 &&
			atoi(defGetString(option)) > 0)
			return;
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("foreign server \"%s\" has no connect_timeout", server->servername)));
}

/* The connection of an attempt, opened if need be.  The role is set. */
static GidConnection *
gid_remote_open(GidAttempt *attempt)
{
	static uint32 connections = 0;
	ForeignServer *server = GetForeignServer(attempt->server);
	UserMapping *mapping = GetUserMapping(attempt->question->owner, attempt->server);
	TransactionId server_xmin = gid_remote_row_xmin(FOREIGNSERVEROID, server->serverid);
	TransactionId mapping_xmin = gid_remote_row_xmin(USERMAPPINGOID, mapping->umid);
	GidConnection *connection = gid_remote_find(attempt);

	if (connection != NULL && (connection->server_xmin != server_xmin ||
							   connection->mapping_xmin != mapping_xmin))
	{
		gid_remote_close(attempt->dblink, connection);
		connection = NULL;
	}
	attempt->was_open = connection != NULL;
	if (connection == NULL)
	{
		MemoryContext context;

		gid_remote_check_timeout(server);
		context = MemoryContextSwitchTo(TopMemoryContext);
		connection = palloc0(sizeof(GidConnection));
		connection->server = attempt->server;
		connection->owner = attempt->question->owner;
		connection->server_xmin = server_xmin;
		connection->mapping_xmin = mapping_xmin;
		snprintf(connection->name, sizeof(connection->name), "gid %u", ++connections);
		gid_connections = lappend(gid_connections, connection);
		MemoryContextSwitchTo(context);
		(void) gid_remote_spi(psprintf("SELECT %s.dblink_connect($1, $2)", attempt->dblink),
							  connection->name, server->servername);
	}
	return connection;
}

/*
 * Find the schema of gid there.  False when no answer came in time.  Raises
 * 55000 when it is not installed.
 */
static bool
gid_remote_find_schema(GidAttempt *attempt, GidConnection *connection)
{
	if (connection->schema != NULL)
		return true;
	if (!gid_remote_query(attempt, connection,
						  "SELECT pg_catalog.quote_ident(n.nspname) FROM pg_catalog.pg_extension AS e"
						  " JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace"
						  " WHERE e.extname OPERATOR(pg_catalog.=) 'gid'", "schema text"))
		return false;
	attempt->remote = true;
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension \"gid\" is not installed there")));
	attempt->remote = false;
	connection->schema = MemoryContextStrdup(TopMemoryContext, gid_remote_value(1));
	return true;
}

/* Ask, on a connection.  False when no answer came in time. */
static bool
gid_remote_put_question(GidAttempt *attempt, GidConnection *connection)
{
	static const char *const columns[] = {
		"", "a text", "a text, b text", "a text, b text, c text",
		"a text, b text, c text, d text",
	};
	int			n = attempt->question->ncolumns;

	StaticAssertStmt(lengthof(columns) == GID_REMOTE_COLUMNS + 1,
					 "each number of columns has its names");
	if (!gid_remote_find_schema(attempt, connection) ||
		!gid_remote_query(attempt, connection,
						  psprintf("SELECT * FROM %s.%s", connection->schema,
								   attempt->question->call), columns[n]))
		return false;

	attempt->remote = true;
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_CARDINALITY_VIOLATION),
				 errmsg("the answer has " UINT64_FORMAT " rows", SPI_processed)));
	for (int i = 0; i < n; i++)
	{
		char	   *value = gid_remote_value(i + 1);

		if (value == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("the answer is null")));
		attempt->answer[i] = DatumGetInt64(DirectFunctionCall1(int8in,
															   CStringGetDatum(value)));
	}
	attempt->remote = false;
	return true;
}

/* ---- a question to one server ---- */

/* Does the session's user have the rights of the role? */
static bool
gid_remote_may_keep(Oid owner)
{
	return has_privs_of_role(GetSessionUserId(), owner);
}

/*
 * Ask, as the role of the question and with SPI.  A connection that is not to
 * be kept is closed.
 */
static bool
gid_remote_attempt(GidAttempt *attempt)
{
	GidConnection *connection;
	Oid			user;
	int			context;
	bool		ok;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(attempt->question->owner,
						   context | SECURITY_LOCAL_USERID_CHANGE);
	gid_remote_begin();
	connection = gid_remote_open(attempt);
	ok = gid_remote_put_question(attempt, connection);
	if (!ok || !gid_remote_may_keep(attempt->question->owner))
		gid_remote_close(attempt->dblink, connection);
	gid_remote_end();
	SetUserIdAndSecContext(user, context);
	return ok;
}

/* Close the connection of an attempt that was broken off, if it is there. */
static void
gid_remote_clean_up(GidAttempt *attempt)
{
	GidConnection *connection = gid_remote_find(attempt);

	if (connection == NULL)
		return;
	gid_remote_begin();
	gid_remote_close(attempt->dblink, connection);
	gid_remote_end();
}

/* What an error says, in a line. */
static char *
gid_remote_describe(const ErrorData *error)
{
	char	   *said = error->detail == NULL ? pstrdup(error->message) :
	psprintf("%s: %s", error->message, error->detail);

	said[strcspn(said, "\r\n")] = '\0';
	return said;
}

/*
 * Put the question to one server, in a subtransaction.  *said is what went
 * wrong.  A cancel, and what is wrong here, is raised again.
 */
static GidOutcome
gid_remote_ask_once(GidAttempt *attempt, char **said)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile GidOutcome outcome = GID_ANSWERED;

	attempt->was_open = false;
	attempt->remote = false;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		if (!gid_remote_attempt(attempt))
		{
			*said = psprintf("no answer within %d ms", GID_REMOTE_TIMEOUT_MS);
			outcome = GID_FAILED;
		}
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
	}
	PG_CATCH();
	{
		ErrorData  *error;
		int			category;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;

		gid_remote_clean_up(attempt);
		category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
		if (!attempt->remote &&
			(category == ERRCODE_OPERATOR_INTERVENTION ||
			 category == ERRCODE_INSUFFICIENT_RESOURCES))
			ReThrowError(error);
		*said = gid_remote_describe(error);
		/* a server that goes down says so in its last words */
		outcome = category == ERRCODE_CONNECTION_EXCEPTION ||
			category == ERRCODE_OPERATOR_INTERVENTION ? GID_FAILED : GID_REFUSED;
	}
	PG_END_TRY();
	return outcome;
}

/*
 * Put the question to one server; once more when a connection that was kept is
 * found broken.  Notes how it is.
 */
static bool
gid_remote_ask_server(const char *name, GidAttempt *attempt, char **said)
{
	Oid			server = attempt->server;
	int64		start_us = gid_clock_monotonic_us();
	GidOutcome	outcome = gid_remote_ask_once(attempt, said);

	if (outcome == GID_FAILED && attempt->was_open &&
		gid_clock_monotonic_us() - start_us < GID_REMOTE_TIMEOUT_MS * 1000)
		outcome = gid_remote_ask_once(attempt, said);

	if (outcome != GID_FAILED)
		gid_remote_note_alive(server);
	else
	{
		gid_remote_note_failed(server, *said);
		ereport(LOG,
				(errmsg("gid: foreign server \"%s\" failed and is passed over for %d s",
						name, (int) (GID_REMOTE_PASS_OVER_US / GID_US_PER_S)),
				 errdetail_log("%s", *said)));
	}
	return outcome == GID_ANSWERED;
}

/*
 * Put a question to the foreign servers of these names, the first first, until
 * one answers; those that failed a while ago last.  False when none does: then
 * "said" has a line for each.
 *
 * May wait for as long as each server's connect_timeout and two seconds,
 * interruptibly but for PostgreSQL 15's connecting.  Raises 55000 when dblink is
 * not installed.
 */
bool
gid_remote_ask(List *servers, const GidQuestion *question, int64 *answer,
			   StringInfo said)
{
	int			n = list_length(servers);
	char	  **lines = palloc0(n * sizeof(char *));
	bool	   *asked = palloc0(n * sizeof(bool));
	GidAttempt	attempt = {
		.question = question,
		.answer = answer,
		.dblink = gid_remote_find_dblink(),
	};

	for (int i = 0; i < 2 * n; i++)
	{
		bool		last_resort = i >= n;
		char	   *name = list_nth(servers, i % n);
		Oid			server = get_foreign_server_oid(name, true);
		char		before[GID_REMOTE_SAID_SIZE] = "";

		if (asked[i % n])
			continue;
		if (!OidIsValid(server))
		{
			asked[i % n] = true;
			lines[i % n] = "there is no such foreign server";
		}
		else if (gid_remote_may_ask(server, last_resort, before))
		{
			asked[i % n] = true;
			attempt.server = server;
			if (gid_remote_ask_server(name, &attempt, &lines[i % n]))
				return true;
		}
		else
			lines[i % n] = psprintf("passed over after: %s", before);
	}
	for (int i = 0; i < n; i++)
		appendStringInfo(said, "%s%s: %s", i > 0 ? "\n" : "",
						 (char *) list_nth(servers, i), lines[i]);
	return false;
}
