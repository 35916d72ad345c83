/*-------------------------------------------------------------------------
 *
 * gid_question.c
 *		A question to another server.
 *
 * The question is a call of a function of gid over there, on a connection of
 * gid_dblink.c; the answer a row of integers.
 *
 * State: none of its own.
 *
 * Invariants:
 * 1. Whatever a server does wrong is caught in a subtransaction; the caller's
 *	  transaction goes on.
 * 2. The connection of an attempt that was broken off is closed.
 * 3. After connecting, an attempt takes no longer than GID_DBLINK_TIMEOUT_MS.
 *	  A query that is then still running over there is ended by that server's
 *	  statement_timeout, which is set for the connection.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "gid_clock.h"
#include "gid_dblink.h"
#include "gid_question.h"

/* One attempt. */
typedef struct GidAttempt
{
	Oid			server;
	const GidQuestion *question;
	int64	   *answer;
	const char *dblink;			/* its schema, quoted */
	bool		was_open;		/* the connection was there before */
} GidAttempt;

/* Raise an error about what the server sent; errcode and errmsg. */
#define gid_question_raise(connection, ...) \
	do { \
		(connection)->reading = true; \
		ereport(ERROR, (__VA_ARGS__)); \
	} while (0)

/*
 * Find the schema of gid there, and have what is asked ended over there, too,
 * when nobody waits for it any more.  False when no answer came in time.  Raises
 * 55000 when gid is not installed.
 */
static bool
gid_question_find_schema(const GidAttempt *attempt, GidConnection *connection)
{
	char	   *query;

	if (connection->schema != NULL)
		return true;
	query = psprintf("SELECT pg_catalog.quote_ident(n.nspname),"
					 " pg_catalog.set_config('statement_timeout', '%d', false)"
					 " FROM pg_catalog.pg_extension AS e"
					 " JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace"
					 " WHERE e.extname OPERATOR(pg_catalog.=) 'gid'", GID_DBLINK_TIMEOUT_MS);
	if (!gid_dblink_query(attempt->dblink, connection, query,
						  "schema pg_catalog.text, timeout pg_catalog.text"))
		return false;
	if (SPI_processed == 0)
		gid_question_raise(connection, errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						   errmsg("extension \"gid\" is not installed there"));
	connection->schema = MemoryContextStrdup(TopMemoryContext, gid_dblink_value(1));
	return true;
}

/* Ask, on a connection.  False when no answer came in time. */
static bool
gid_question_put(const GidAttempt *attempt, GidConnection *connection)
{
	static const char *const columns[] = {
		"", "a pg_catalog.text", "a pg_catalog.text, b pg_catalog.text",
		"a pg_catalog.text, b pg_catalog.text, c pg_catalog.text",
		"a pg_catalog.text, b pg_catalog.text, c pg_catalog.text, d pg_catalog.text",
	};
	const GidQuestion *question = attempt->question;

	StaticAssertStmt(lengthof(columns) == GID_QUESTION_COLUMNS + 1,
					 "each number of columns has its names");
	if (!gid_question_find_schema(attempt, connection) ||
		!gid_dblink_query(attempt->dblink, connection,
						  psprintf("SELECT * FROM %s.%s", connection->schema, question->call),
						  columns[question->ncolumns]))
		return false;

	if (SPI_processed != 1)
		gid_question_raise(connection, errcode(ERRCODE_CARDINALITY_VIOLATION),
						   errmsg("the answer has " UINT64_FORMAT " rows", SPI_processed));
	for (int i = 0; i < question->ncolumns; i++)
	{
		char	   *value = gid_dblink_value(i + 1);

		if (value == NULL)
			gid_question_raise(connection, errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							   errmsg("the answer is null"));
		connection->reading = true;
		attempt->answer[i] = DatumGetInt64(DirectFunctionCall1(int8in,
															   CStringGetDatum(value)));
		connection->reading = false;
	}
	if (!question->is_answer(question, attempt->answer))
		gid_question_raise(connection, errcode(ERRCODE_DATA_EXCEPTION),
						   errmsg("the answer is out of range; is this version of gid there?"));
	return true;
}

/*
 * Ask, as the role of the question and with SPI.  A connection that is not to
 * be kept is closed.
 */
static bool
gid_question_attempt(GidAttempt *attempt)
{
	GidConnection *connection;
	GidIdentity before;
	bool		ok;

	gid_dblink_begin(attempt->question->owner, &before);
	connection = gid_dblink_open(attempt->dblink, attempt->server,
								 attempt->question->owner, &attempt->was_open);
	ok = gid_question_put(attempt, connection);
	if (!ok || !gid_dblink_may_keep(attempt->question->owner))
		gid_dblink_close(attempt->dblink, connection);
	gid_dblink_end(&before);
	return ok;
}

/*
 * Close the connection of an attempt that was broken off, if it is there.  A
 * second cancel does not leave it open.  *remote: was it the server's error?
 */
static void
gid_question_clean_up(const GidAttempt *attempt, bool *remote)
{
	GidConnection *connection = gid_dblink_find(attempt->server,
												attempt->question->owner);
	GidIdentity before;

	*remote = connection != NULL && connection->reading;
	if (connection == NULL)
		return;
	HOLD_INTERRUPTS();
	gid_dblink_begin(BOOTSTRAP_SUPERUSERID, &before);
	gid_dblink_close(attempt->dblink, connection);
	gid_dblink_end(&before);
	RESUME_INTERRUPTS();
}

/* What an error says, in a line of at most GID_QUESTION_SAID_SIZE bytes. */
static char *
gid_question_describe(const ErrorData *error)
{
	char	   *said = error->detail == NULL ? pstrdup(error->message) :
	psprintf("%s: %s", error->message, error->detail);
	int			length = (int) strcspn(said, "\r\n");

	said[pg_mbcliplen(said, length, GID_QUESTION_SAID_SIZE - 1)] = '\0';
	return said;
}

/* What an error means for the server. */
static GidOutcome
gid_question_judge(bool remote, const ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	/* also that a connection could not be made */
	if (category == ERRCODE_CONNECTION_EXCEPTION)
		return GID_FAILED;
	if (!remote)
		return GID_NOT_ASKED;
	/* a server that goes down says so in its last words */
	return category == ERRCODE_OPERATOR_INTERVENTION ? GID_FAILED : GID_REFUSED;
}

/* Is an error one that ends the caller's statement? */
static bool
gid_question_is_ours(bool remote, const ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	return !remote &&
		(category == ERRCODE_OPERATOR_INTERVENTION ||
		 category == ERRCODE_INSUFFICIENT_RESOURCES);
}

/*
 * Put the question to one server, in a subtransaction.  *said is what went
 * wrong.  A cancel, and what is wrong here, is raised again.
 */
static GidOutcome
gid_question_ask_once(GidAttempt *attempt, char **said)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile GidOutcome outcome = GID_ANSWERED;

	attempt->was_open = false;
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		if (!gid_question_attempt(attempt))
		{
			*said = psprintf("no answer within %d ms", GID_DBLINK_TIMEOUT_MS);
			outcome = GID_FAILED;
		}
		ReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;
	}
	PG_CATCH();
	{
		ErrorData  *error;
		bool		remote;
		bool		overdue;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		overdue = gid_dblink_was_overdue(error);
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		MemoryContextSwitchTo(context);
		CurrentResourceOwner = owner;

		gid_question_clean_up(attempt, &remote);
		if (overdue)
		{
			*said = pstrdup("no connection within connect_timeout");
			outcome = GID_FAILED;
		}
		else
		{
			if (gid_question_is_ours(remote, error))
				ReThrowError(error);
			*said = gid_question_describe(error);
			outcome = gid_question_judge(remote, error);
		}
	}
	PG_END_TRY();
	return outcome;
}

/*
 * Put a question to a foreign server; once more when a connection that was kept
 * is found broken.  "dblink" is what gid_dblink_schema() says.  *said is what
 * went wrong, in a line of less than GID_QUESTION_SAID_SIZE bytes.
 *
 * May wait as invariant 1 says.  A cancel, and that this server is out of
 * resources, is raised.
 */
GidOutcome
gid_question_ask(const char *dblink, Oid server, const GidQuestion *question,
				 int64 *answer, char **said)
{
	GidAttempt	attempt = {
		.server = server,
		.question = question,
		.answer = answer,
		.dblink = dblink,
	};
	int64		start_us = gid_clock_monotonic_us();
	GidOutcome	outcome = gid_question_ask_once(&attempt, said);

	if (outcome == GID_FAILED && attempt.was_open &&
		gid_clock_monotonic_us() - start_us < GID_DBLINK_TIMEOUT_MS * 1000)
		outcome = gid_question_ask_once(&attempt, said);
	return outcome;
}
