/*-------------------------------------------------------------------------
 *
 * peer/connection.c
 *		The connection to another server, by libpq.
 *
 * State: the one connection of this backend, in libpq's memory, and the URI
 * that it was made from.
 *
 * Invariants:
 * 1. The connection lives at most until the end of the top transaction: a
 *	  transaction callback closes it.  An error or a cancel in the middle of a
 *	  question closes it at once.  So no answer is taken for the answer to
 *	  another question.
 * 2. Every wait has a deadline and can be cancelled.  There are four
 *	  exceptions: libpq looks up a host's name, it asks the Kerberos server if
 *	  this process has a ticket, it reads a message that the server sends
 *	  without a pause to its end, up to 1 GB, and it hashes the password as
 *	  often as a server says that asks for SCRAM, up to 2^31 - 1 times, in
 *	  PQconnectPoll().  sslmode=verify-full in the URI keeps impostors out;
 *	  from libpq 16 on, no server can ask for a password under
 *	  require_auth=none.
 * 3. Whatever the server sends is checked here: one row, as many columns as
 *	  were asked for, no NULL, short values.  Notices are dropped.  What libpq
 *	  keeps of an answer is freed with the connection.
 * 4. The text of a failure is a line of printable ASCII characters, without
 *	  the user's name and the files that the URI names.
 * 5. No SQL of this session reaches the connection, and nothing here runs SQL
 *	  on this server.
 * 6. libpq takes nothing from the environment of the server process, which
 *	  belongs to the shell or service that started it.  An option that the URI
 *	  does not name has the value compiled into libpq, or that of peer/uri.c.
 *	  libpq cannot be told so: it looks for PGSERVICE before any option, and
 *	  PGTZ, PGDATESTYLE and PGGEQO are parameters of the session.  So the
 *	  process has another environment while libpq connects.
 *
 * Crash, end of the session: the operating system closes the socket.  Clock
 * step: deadlines are of the monotonic clock.  Standby: see peer/ask.c.
 *
 * References: libpqwalreceiver and libpq-be-fe-helpers.h (16) of PostgreSQL,
 * which connect in the same way.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"

#include "base/bits.h"
#include "base/compat.h"
#include "clock/server_time.h"
#include "peer/connection.h"
#include "peer/libpq.h"
#include "text/hide.h"

/* The environment of this process, as in ps_status.c of PostgreSQL. */
extern char **environ;

/*
 * A backend calls libpq to read at most this many times for an answer; an
 * answer of gid takes a few.
 */
#define GID_CONNECTION_MAX_READS	500

static PGconn *gid_connection = NULL;
static char *gid_connection_uri = NULL;

/*
 * Note what went wrong, in a line ("said").  Returns false, so that the caller
 * can return it.
 */
bool
gid_connection_note(GidAnswer *answer, GidOutcome outcome, const char *said)
{
	answer->outcome = outcome;
	strlcpy(answer->said, said, sizeof(answer->said));
	return false;
}

/* Note what the server or libpq says, by invariant 4.  Returns false. */
static bool
gid_connection_fail(GidAnswer *answer, GidOutcome outcome, const char *said)
{
	static const char *const hidden[] = {
		"passfile", "sslcert", "sslkey", "sslrootcert", "sslcrl", "sslcrldir", "user"
	};
	char	   *line = pnstrdup(said, strcspn(said, "\r\n"));
	PQconninfoOption *options = gid_libpq.PQconninfo(gid_connection);

	for (int i = 0; options != NULL && i < (int) lengthof(hidden); i++)
	{
		if (gid_uri_value(options, hidden[i]) != NULL)
			gid_hide_name(line, gid_uri_value(options, hidden[i]));
	}
	if (options != NULL)
		gid_libpq.PQconninfoFree(options);
	/* terminals obey control characters, and there are some beyond ASCII */
	for (char *p = line; *p != '\0'; p++)
	{
		if (*p < ' ' || *p > '~')
			*p = '?';
	}
	return gid_connection_note(answer, outcome, line);
}

/* Close the connection, if there is one.  Raises nothing, does not wait. */
void
gid_connection_close(void)
{
	if (gid_connection != NULL)
	{
		gid_libpq.PQfinish(gid_connection);
		gid_connection = NULL;
		ReleaseExternalFD();
	}
	if (gid_connection_uri != NULL)
		pfree(gid_connection_uri);
	gid_connection_uri = NULL;
}

/* Transaction callback: close the connection at every end. */
static void
gid_connection_end_transaction(XactEvent event, void *arg)
{
	if (event != XACT_EVENT_PRE_COMMIT && event != XACT_EVENT_PRE_PREPARE &&
		event != XACT_EVENT_PARALLEL_PRE_COMMIT)
		gid_connection_close();
}

/* Notice receiver: drop the notices and warnings that the server sends. */
static void
gid_connection_drop_notice(void *arg, const PGresult *notice)
{
}

/*
 * Wait until the socket is ready, or a signal has come.  *ready says whether
 * the socket is ready.  Returns false when the deadline (monotonic time) has
 * passed.  Interruptible.
 */
static bool
gid_connection_wait(int events, int64 deadline_us, bool *ready)
{
	static uint32 wait_event = 0;
	int64		left_us = deadline_us - gid_time_monotonic_us();
	int			rc;

	CHECK_FOR_INTERRUPTS();
	if (left_us <= 0)
		return false;
	rc = WaitLatchOrSocket(MyLatch,
						   WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH | events,
						   gid_libpq.PQsocket(gid_connection), (long) (left_us / 1000 + 1),
						   gid_wait_event(&wait_event, "GidAuthority"));
	if (rc & WL_LATCH_SET)
	{
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	*ready = (rc & events) != 0;
	return true;
}

/*
 * Return the environment of this process without the variables of libpq, whose
 * names all begin with PG, in the caller's memory.  PGLOCALEDIR stays: the
 * server sets it, and it says where the translations of messages are.
 */
static char **
gid_connection_environment(void)
{
	int			n = 0;
	int			kept = 0;
	char	  **clean;

	while (environ != NULL && environ[n] != NULL)
		n++;
	clean = palloc((n + 1) * sizeof(char *));
	for (int i = 0; i < n; i++)
	{
		if (strncmp(environ[i], "PG", 2) != 0 ||
			strncmp(environ[i], "PGLOCALEDIR=", 12) == 0)
			clean[kept++] = environ[i];
	}
	clean[kept] = NULL;
	return clean;
}

/*
 * Let libpq begin to connect to a host, or go on (NULL), in the environment
 * "clean".  Raises nothing.
 */
static PostgresPollingStatusType
gid_connection_step(const char *host, char **clean)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	char	  **own = environ;

	environ = clean;
	if (host != NULL)
		gid_connection = gid_libpq.PQconnectStart(host);
	else
		status = gid_libpq.PQconnectPoll(gid_connection);
	environ = own;
	return status;
}

/* Call libpq until it has connected.  Returns false if it does not. */
static bool
gid_connection_poll(int timeout_s, char **clean, GidAnswer *answer)
{
	int64		deadline_us = gid_time_monotonic_us() + timeout_s * GID_US_PER_S;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	int			reads = 0;

	while (status != PGRES_POLLING_OK)
	{
		bool		ready;

		if (status == PGRES_POLLING_FAILED)
		{
			answer->needs_password = gid_libpq.PQconnectionNeedsPassword(gid_connection);
			return gid_connection_fail(answer, GID_FAILED, gid_libpq.PQerrorMessage(gid_connection));
		}
		if (!gid_connection_wait(status == PGRES_POLLING_READING ?
								 WL_SOCKET_READABLE : WL_SOCKET_CONNECTED,
								 deadline_us, &ready))
			return gid_connection_note(answer, GID_FAILED, "no connection in time");
		if (++reads > GID_CONNECTION_MAX_READS)
			return gid_connection_note(answer, GID_FAILED, "the server sends without end");
		if (ready)
			status = gid_connection_step(NULL, clean);
	}
	return true;
}

/* Connect to a host.  Returns false on a failure: "answer" says why. */
static bool
gid_connection_connect(const char *host, int timeout_s, char **clean,
					   GidAnswer *answer)
{
	if (!AcquireExternalFD())
		return gid_connection_note(answer, GID_NOT_ASKED, "this server process has too many open files");
	(void) gid_connection_step(host, clean);
	if (gid_connection == NULL)
	{
		ReleaseExternalFD();
		return gid_connection_note(answer, GID_NOT_ASKED, "out of memory");
	}
	gid_libpq.PQsetNoticeReceiver(gid_connection, gid_connection_drop_notice, NULL);
	/* at once: a blocking libpq waits for a server that does not read */
	if (gid_libpq.PQstatus(gid_connection) != CONNECTION_BAD &&
		gid_libpq.PQsetnonblocking(gid_connection, 1) == 0)
		return gid_connection_poll(timeout_s, clean, answer);
	return gid_connection_fail(answer, GID_FAILED, gid_libpq.PQerrorMessage(gid_connection));
}

/*
 * Connect to a server, at the first of its hosts that accepts.  "parsed" is
 * the URI taken apart.  *was_open: the connection was there already.  Returns
 * false on a failure: "answer" says why.
 *
 * Waits, interruptibly, for each host up to its connect_timeout.  Raises 57014
 * after a cancel, and 53200 when there is no memory; the caller then closes
 * the connection.
 */
bool
gid_connection_open(const char *uri, const GidUri *parsed, bool *was_open,
					GidAnswer *answer)
{
	static bool registered = false;
	char	  **clean;
	ListCell   *cell;

	*was_open = gid_connection_uri != NULL && strcmp(gid_connection_uri, uri) == 0 &&
		gid_libpq.PQstatus(gid_connection) == CONNECTION_OK;
	if (*was_open)
		return true;
	if (!registered)
		RegisterXactCallback(gid_connection_end_transaction, NULL);
	registered = true;
	clean = gid_connection_environment();

	foreach(cell, parsed->hosts)
	{
		gid_connection_close();
		/* what an earlier host said must not pass for this host's answer */
		memset(answer, 0, sizeof(*answer));
		if (gid_connection_connect(lfirst(cell), parsed->timeout_s, clean, answer))
		{
			gid_connection_uri = MemoryContextStrdup(TopMemoryContext, uri);
			return true;
		}
	}
	return false;
}

/*
 * Read what the server sends until libpq has a result.  Returns false when no
 * result comes in time, the connection is lost, or the server sends more than
 * an answer of gid has.
 */
static bool
gid_connection_await(int64 deadline_us, int *reads, GidAnswer *answer)
{
	int			unsent = gid_libpq.PQflush(gid_connection);

	while (unsent > 0 || (unsent == 0 && gid_libpq.PQisBusy(gid_connection)))
	{
		PGnotify   *notify;
		bool		ready;

		if (!gid_connection_wait(unsent > 0 ? WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE :
								 WL_SOCKET_READABLE, deadline_us, &ready))
			return gid_connection_note(answer, GID_FAILED, "no answer in time");
		if (!ready)
			continue;
		if (!gid_libpq.PQconsumeInput(gid_connection))
			break;
		if (++*reads > GID_CONNECTION_MAX_READS)
			return gid_connection_note(answer, GID_NONSENSE, "the answer is too long");
		while ((notify = gid_libpq.PQnotifies(gid_connection)) != NULL)
			gid_libpq.PQfreemem(notify);
		unsent = gid_libpq.PQflush(gid_connection);
	}
	if (gid_libpq.PQstatus(gid_connection) == CONNECTION_OK && unsent == 0)
		return true;
	return gid_connection_fail(answer, GID_FAILED, gid_libpq.PQerrorMessage(gid_connection));
}

/*
 * Note an error that the server sent, or the loss of the connection.  Returns
 * false.
 */
static bool
gid_connection_take_error(const PGresult *result, GidAnswer *answer)
{
	const char *sqlstate = gid_libpq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *said = gid_libpq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	/* a server that shuts down sends such an error before it closes */
	bool		failed = sqlstate == NULL || strncmp(sqlstate, "57", 2) == 0 ||
	strncmp(sqlstate, "08", 2) == 0;

	strlcpy(answer->sqlstate, sqlstate != NULL ? sqlstate : "", sizeof(answer->sqlstate));
	return gid_connection_fail(answer, failed ? GID_FAILED : GID_REFUSED,
							   said != NULL ? said : gid_libpq.PQresultErrorMessage(result));
}

/* Copy the values of a row.  Returns false if they cannot be the answer. */
static bool
gid_connection_copy_row(const PGresult *result, int ncolumns, GidAnswer *answer)
{
	if (gid_libpq.PQnfields(result) != ncolumns)
		return gid_connection_note(answer, GID_NONSENSE, "the answer has another number of columns");
	for (int i = 0; i < ncolumns; i++)
	{
		int			length;

		if (gid_libpq.PQgetisnull(result, 0, i))
			return gid_connection_note(answer, GID_NONSENSE, "the answer is null");
		/* what is binary, cut off, or has a zero byte in it, is no number */
		length = gid_libpq.PQgetlength(result, 0, i);
		if (gid_libpq.PQfformat(result, i) != 0 || length >= GID_CONNECTION_VALUE_SIZE ||
			strlcpy(answer->values[i], gid_libpq.PQgetvalue(result, 0, i),
					GID_CONNECTION_VALUE_SIZE) != (size_t) length)
			return gid_connection_note(answer, GID_NONSENSE, "the answer is not a number");
	}
	return true;
}

/*
 * Take a result of a query.  *nrows counts the rows so far.  Returns false if
 * the result is no part of one row; "answer" may say why.
 */
static bool
gid_connection_take_result(const PGresult *result, int ncolumns, int *nrows,
						   GidAnswer *answer)
{
	switch (gid_libpq.PQresultStatus(result))
	{
		case PGRES_TUPLES_OK:	/* the end of the rows */
			return *nrows == 1;
		case PGRES_SINGLE_TUPLE:
			(*nrows)++;
			return *nrows == 1 && gid_connection_copy_row(result, ncolumns, answer);
		case PGRES_FATAL_ERROR:
			return gid_connection_take_error(result, answer);
		default:
			return false;
	}
}

/* Read the answer to a query, which is one row. */
static void
gid_connection_read(int ncolumns, int64 deadline_us, GidAnswer *answer)
{
	int			nrows = 0;
	int			reads = 0;

	/* the row, the end of the rows, the end of the results */
	for (int results = 0; results < 3; results++)
	{
		PGresult   *result;
		bool		good;

		if (!gid_connection_await(deadline_us, &reads, answer))
			return;
		result = gid_libpq.PQgetResult(gid_connection);
		if (result == NULL && nrows == 1)
		{
			answer->outcome = GID_ANSWERED;
			return;
		}
		good = result != NULL &&
			gid_connection_take_result(result, ncolumns, &nrows, answer);
		gid_libpq.PQclear(result);
		if (!good)
			break;
	}
	if (answer->said[0] == '\0')
		gid_connection_note(answer, GID_NONSENSE, "the answer is not one row");
}

/*
 * Send a query on the open connection, with parameters of type text, and wait
 * for its one row.  The row has "ncolumns" values, 1 to
 * GID_CONNECTION_COLUMNS.  The wait ends at "deadline_us" (monotonic time).
 * "answer" says what came of the query.  Unless the outcome is GID_ANSWERED,
 * the caller closes the connection.
 *
 * Interruptible.  Raises only 57014 after a cancel; the caller then closes the
 * connection.
 */
void
gid_connection_query(const char *query, int nparams, const char *const *params,
					 int ncolumns, int64 deadline_us, GidAnswer *answer)
{
	Assert(ncolumns <= GID_CONNECTION_COLUMNS);
	/* row by row, so that no more than one is ever kept */
	if (!gid_libpq.PQsendQueryParams(gid_connection, query, nparams, NULL, params, NULL, NULL, 0) ||
		!gid_libpq.PQsetSingleRowMode(gid_connection))
		gid_connection_fail(answer, GID_FAILED, gid_libpq.PQerrorMessage(gid_connection));
	else
		gid_connection_read(ncolumns, deadline_us, answer);
}
