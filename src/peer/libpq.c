/*-------------------------------------------------------------------------
 *
 * peer/libpq.c
 *		Connection URIs, and the connection to another server.
 *
 * A setting names other servers by libpq connection URIs, as primary_conninfo
 * names one: only a superuser sets it, and what a URI does not say libpq takes
 * from the environment of the server.  A backend connects with libpq itself
 * and sends questions, whose answers are a row of numbers.
 *
 * State: the one connection of this backend, in libpq's memory, and the URI
 * that the connection was made from.  No SQL of the session reaches them.
 *
 * Every wait has a deadline and can be cancelled, with four exceptions that
 * lie within libpq: it looks up a host's name; it asks the Kerberos server if
 * this process has a ticket; it reads a message that a server sends without a
 * pause to its end, up to 1 GB; and it hashes the password as often as a
 * server that asks for SCRAM says.
 *
 * Crash, end of the session: the operating system closes the socket.  Clock
 * step: deadlines are of the monotonic clock.
 *
 * References: libpqwalreceiver and libpq-be-fe-helpers.h (16) of PostgreSQL,
 * which connect in the same way; its documentation, "Connection URIs".
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "libpq-fe.h"

#include "access/xact.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/scansup.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/memutils.h"

#include "base/bits.h"
#include "base/compat.h"
#include "clock/server_time.h"
#include "peer/libpq.h"

/* connect_timeout, if the URI does not give it; and its greatest value. */
#define GID_URI_TIMEOUT_S		2
#define GID_URI_MAX_TIMEOUT_S	3600

/*
 * A backend waits for the socket at most this many times for a connection or
 * an answer; an answer of gid takes a few.  So a server that sends without end
 * does not fill the memory.
 */
#define GID_PEER_MAX_WAITS		500

/* What another server says is cut off here. */
#define GID_PEER_SAID_LENGTH	400

/* The functions of libpq that gid calls. */
#define GID_LIBPQ_FUNCTIONS(FUNCTION) \
	FUNCTION(PQclear) \
	FUNCTION(PQconnectPoll) \
	FUNCTION(PQconnectStartParams) \
	FUNCTION(PQconnectionNeedsPassword) \
	FUNCTION(PQconninfoFree) \
	FUNCTION(PQconninfoParse) \
	FUNCTION(PQconsumeInput) \
	FUNCTION(PQerrorMessage) \
	FUNCTION(PQfinish) \
	FUNCTION(PQflush) \
	FUNCTION(PQgetResult) \
	FUNCTION(PQgetisnull) \
	FUNCTION(PQgetlength) \
	FUNCTION(PQgetvalue) \
	FUNCTION(PQisBusy) \
	FUNCTION(PQnfields) \
	FUNCTION(PQresultErrorField) \
	FUNCTION(PQresultErrorMessage) \
	FUNCTION(PQresultStatus) \
	FUNCTION(PQsendQueryParams) \
	FUNCTION(PQsetNoticeReceiver) \
	FUNCTION(PQsetSingleRowMode) \
	FUNCTION(PQsetnonblocking) \
	FUNCTION(PQsocket) \
	FUNCTION(PQstatus)

/* Their addresses; NULL before gid_libpq_load(). */
static struct
{
#define GID_LIBPQ_MEMBER(name) __typeof__(&(name)) name;
	GID_LIBPQ_FUNCTIONS(GID_LIBPQ_MEMBER)
}			libpq;

static PGconn *gid_peer_connection = NULL;
static char *gid_peer_uri = NULL;

/* ---- loading libpq ---- */

/*
 * Load libpq, unless this process has it.  Few sessions ask another server,
 * and each session without preload would load a libpq that gid is linked with.
 * Every server has a module that is linked with libpq, libpqwalreceiver:
 * dlsym() also searches the libraries that a module is linked with.
 *
 * Raises what the server raises when it cannot load a library.
 */
void
gid_libpq_load(void)
{
	static bool loaded = false;
	char	   *file;
	void	   *module;

	if (loaded)
		return;
	/* not by dynamic_library_path, which a role may have the privilege to set */
	file = psprintf("%s/libpqwalreceiver", pkglib_path);
	(void) load_external_function(file, "_PG_init", true, &module);
	pfree(file);
#define GID_LIBPQ_FIND(name) \
	libpq.name = (void *) lookup_external_function(module, #name); \
	if (libpq.name == NULL) \
		elog(ERROR, "libpq has no function %s()", #name);
	GID_LIBPQ_FUNCTIONS(GID_LIBPQ_FIND);
	loaded = true;
}

/* ---- URIs ---- */

/* Return the value of an option, or NULL when it is not given or empty. */
static const char *
gid_uri_value(const PQconninfoOption *options, const char *keyword)
{
	for (; options->keyword != NULL; options++)
	{
		if (strcmp(options->keyword, keyword) == 0)
			return options->val != NULL && options->val[0] != '\0' ? options->val : NULL;
	}
	return NULL;
}

/*
 * Is an option a secret?  Every user can read pg_db_role_setting, so a URI
 * must not have one.  Not every version of libpq marks them all.
 */
static bool
gid_uri_is_secret(const PQconninfoOption *option)
{
	static const char *const secrets[] = {
		"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"
	};

	for (int i = 0; i < (int) lengthof(secrets); i++)
	{
		if (strcmp(option->keyword, secrets[i]) == 0)
			return true;
	}
	return strchr(option->dispchar, '*') != NULL;
}

/* Return what is wrong with a URI, a sentence, or NULL. */
static const char *
gid_uri_check(const char *uri)
{
	PQconninfoOption *options = NULL;
	const char *timeout;
	const char *problem = NULL;

	if (strncmp(uri, "postgresql://", 13) == 0 || strncmp(uri, "postgres://", 11) == 0)
		options = libpq.PQconninfoParse(uri, NULL);
	if (options == NULL)
		return "The value must be libpq connection URIs, postgresql://user@host:port/database, separated by blanks.";
	for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
	{
		if (o->val != NULL && o->val[0] != '\0' && gid_uri_is_secret(o))
			problem = "A connection URI must not contain a password or another secret. Put the password into a password file of the operating system's user that the server runs as.";
	}
	timeout = gid_uri_value(options, "connect_timeout");
	if (timeout != NULL &&
		(strspn(timeout, "0123456789") != strlen(timeout) || strlen(timeout) > 4 ||
		 atoi(timeout) < 1 || atoi(timeout) > GID_URI_MAX_TIMEOUT_S))
		problem = "The connect_timeout of a connection URI must be a number of seconds from 1 to 3600.";
	libpq.PQconninfoFree(options);
	return problem;
}

/*
 * Return the URIs (char *) of a list, which blanks separate, in the caller's
 * memory.
 */
List *
gid_uri_split(const char *list)
{
	List	   *uris = NIL;

	for (;;)
	{
		const char *start;

		while (scanner_isspace(*list))
			list++;
		if (*list == '\0')
			return uris;
		start = list;
		while (*list != '\0' && !scanner_isspace(*list))
			list++;
		uris = lappend(uris, pnstrdup(start, list - start));
	}
}

/*
 * Check a list of up to "max" (1 or GID_URI_MAX) URIs.  An empty list is good.
 * Returns what is wrong, a sentence that does not show the value, or NULL.
 * Runs wherever the server checks settings, also in the postmaster: it asks no
 * name service and does not wait.  Raises what gid_libpq_load() raises.
 */
const char *
gid_uri_check_list(const char *list, int max)
{
	List	   *uris = gid_uri_split(list);
	const char *problem = NULL;
	ListCell   *cell;

	StaticAssertStmt(GID_URI_MAX == 16, "the message says so");
	if (uris == NIL && list[0] != '\0')
		problem = "The value is blank. Use an empty string to name no server.";
	if (list_length(uris) > max)
		problem = max == 1 ? "The value must be one connection URI." :
			"The value has more than 16 connection URIs.";
	foreach(cell, uris)
	{
		gid_libpq_load();
		if (problem == NULL)
			problem = gid_uri_check(lfirst(cell));
	}
	list_free_deep(uris);
	return problem;
}

/* Parse a checked URI.  Raises 53200 when there is no memory. */
static PQconninfoOption *
gid_uri_parse(const char *uri)
{
	PQconninfoOption *options;

	gid_libpq_load();
	options = libpq.PQconninfoParse(uri, NULL);
	if (options == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("A connection URI could not be read.")));
	return options;
}

/* Count the elements of an option that has one for each host. */
static int
gid_uri_count(const PQconninfoOption *options, const char *keyword)
{
	const char *list = gid_uri_value(options, keyword);
	int			n = 1;

	for (; list != NULL && *list != '\0'; list++)
		n += *list == ',';
	return n;
}

/*
 * Return element "n" (from 0) of such an option, in the caller's memory, or ""
 * beyond its end.  A single port is the port of all hosts.
 */
static char *
gid_uri_element(const PQconninfoOption *options, const char *keyword, int n)
{
	const char *list = gid_uri_value(options, keyword);

	if (strcmp(keyword, "port") == 0 && gid_uri_count(options, keyword) == 1)
		n = 0;
	for (; list != NULL && n > 0; n--)
	{
		list = strchr(list, ',');
		if (list != NULL)
			list++;
	}
	return list == NULL ? pstrdup("") : pnstrdup(list, strcspn(list, ","));
}

/* How many hosts has a URI? */
static int
gid_uri_hosts(const PQconninfoOption *options)
{
	return Max(gid_uri_count(options, "host"), gid_uri_count(options, "hostaddr"));
}

/*
 * Return the name of the first server of a checked list that is not empty, for
 * messages and views, in the caller's memory: HOST:PORT/DATABASE, or
 * HOST:PORT,HOST:PORT/DATABASE.  What the URI does not say is missing in the
 * name, too.  Raises 53200.
 */
char *
gid_uri_name(const char *list)
{
	PQconninfoOption *options = gid_uri_parse(linitial(gid_uri_split(list)));
	const char *database = gid_uri_value(options, "dbname");
	StringInfoData name;

	initStringInfo(&name);
	for (int n = 0; n < gid_uri_hosts(options); n++)
	{
		char	   *host = gid_uri_element(options, "host", n);
		char	   *port = gid_uri_element(options, "port", n);

		if (host[0] == '\0')
			host = gid_uri_element(options, "hostaddr", n);
		appendStringInfo(&name, "%s%s:%s", n > 0 ? "," : "", host,
						 port[0] == '\0' ? DEF_PGPORT_STR : port);
	}
	appendStringInfo(&name, "/%s", database != NULL ? database : "");
	libpq.PQconninfoFree(options);
	return name.data;
}

/* ---- the connection ---- */

/* Note what went wrong.  Returns false, so that the caller can return it. */
static bool
gid_peer_fail(GidAnswer *answer, GidOutcome outcome, const char *problem)
{
	answer->outcome = outcome;
	answer->problem = problem;
	return false;
}

/* The same, and note what libpq or the server said. */
static bool
gid_peer_fail_said(GidAnswer *answer, GidOutcome outcome, const char *problem,
				   const char *said)
{
	char	   *line = pnstrdup(said, strnlen(said, GID_PEER_SAID_LENGTH));

	/* terminals obey control characters, and there are some beyond ASCII */
	for (char *p = line; *p != '\0'; p++)
	{
		if (*p == '\n')
			*p = p[1] == '\0' ? '\0' : ' ';
		else if (*p < ' ' || *p > '~')
			*p = '?';
	}
	answer->said = line;
	return gid_peer_fail(answer, outcome, problem);
}

/* The same, with what libpq says of the connection. */
static bool
gid_peer_fail_libpq(GidAnswer *answer, const char *problem)
{
	return gid_peer_fail_said(answer, GID_FAILED, problem,
							  libpq.PQerrorMessage(gid_peer_connection));
}

/* Close the connection, if there is one.  Raises nothing, does not wait. */
void
gid_peer_close(void)
{
	if (gid_peer_connection != NULL)
	{
		libpq.PQfinish(gid_peer_connection);
		gid_peer_connection = NULL;
		ReleaseExternalFD();
	}
	if (gid_peer_uri != NULL)
		pfree(gid_peer_uri);
	gid_peer_uri = NULL;
}

/* Transaction callback: close the connection at every end. */
static void
gid_peer_end_transaction(XactEvent event, void *arg)
{
	if (event != XACT_EVENT_PRE_COMMIT && event != XACT_EVENT_PRE_PREPARE &&
		event != XACT_EVENT_PARALLEL_PRE_COMMIT)
		gid_peer_close();
}

/* Notice receiver: drop the notices and warnings that the server sends. */
static void
gid_peer_drop_notice(void *arg, const PGresult *notice)
{
}

/*
 * Wait until the socket is ready, or a signal has come; *ready says whether
 * the socket is.  "waits" counts the calls.  Returns false when the deadline
 * (monotonic time) has passed, or after too many waits.  Interruptible.
 */
static bool
gid_peer_wait(int events, int64 deadline_us, int *waits, bool *ready)
{
	static uint32 wait_event = 0;
	int64		left_us = deadline_us - gid_time_monotonic_us();
	int			rc;

	CHECK_FOR_INTERRUPTS();
	if (left_us <= 0 || ++*waits > GID_PEER_MAX_WAITS)
		return false;
	/* libpq may have opened another socket */
	rc = WaitLatchOrSocket(MyLatch,
						   WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH | events,
						   libpq.PQsocket(gid_peer_connection), (long) (left_us / 1000 + 1),
						   gid_wait_event(&wait_event, "GidAuthority"));
	if (rc & WL_LATCH_SET)
	{
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	*ready = (rc & events) != 0;
	return true;
}

/* Call libpq until it has connected.  Returns false if it does not. */
static bool
gid_peer_poll(int timeout_s, GidAnswer *answer)
{
	int64		deadline_us = gid_time_monotonic_us() + timeout_s * GID_US_PER_S;
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	int			waits = 0;

	while (status != PGRES_POLLING_OK)
	{
		bool		ready;

		if (status == PGRES_POLLING_FAILED)
		{
			answer->needs_password = libpq.PQconnectionNeedsPassword(gid_peer_connection);
			return gid_peer_fail_libpq(answer, "no connection");
		}
		if (!gid_peer_wait(status == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_CONNECTED,
						   deadline_us, &waits, &ready))
			return gid_peer_fail(answer, GID_FAILED, "no connection in time");
		if (ready)
			status = libpq.PQconnectPoll(gid_peer_connection);
	}
	return true;
}

/* Connect to host "n" of a URI.  Returns false on a failure. */
static bool
gid_peer_connect_host(const PQconninfoOption *options, int n, GidAnswer *answer)
{
	const char *keywords[128];
	const char *values[128];
	const char *timeout = gid_uri_value(options, "connect_timeout");
	int			used = 0;

	for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
	{
		if (used >= (int) lengthof(keywords) - 3)
			elog(ERROR, "libpq has too many parameters");
		keywords[used] = o->keyword;
		values[used] = gid_uri_value(options, o->keyword);
		if (strcmp(o->keyword, "host") == 0 || strcmp(o->keyword, "hostaddr") == 0 ||
			strcmp(o->keyword, "port") == 0)
			values[used] = gid_uri_element(options, o->keyword, n);
		used++;
	}
	keywords[used] = "fallback_application_name";
	values[used++] = "gid";
	/* names of sequences are sent in the encoding of this database */
	keywords[used] = "client_encoding";
	values[used++] = GetDatabaseEncodingName();
	keywords[used] = NULL;

	if (!AcquireExternalFD())
		return gid_peer_fail(answer, GID_NOT_ASKED, "this server process has too many open files");
	gid_peer_connection = libpq.PQconnectStartParams(keywords, values, 0);
	if (gid_peer_connection == NULL)
	{
		ReleaseExternalFD();
		return gid_peer_fail(answer, GID_NOT_ASKED, "out of memory");
	}
	libpq.PQsetNoticeReceiver(gid_peer_connection, gid_peer_drop_notice, NULL);
	/* at once: a blocking libpq waits for a server that does not read */
	if (libpq.PQstatus(gid_peer_connection) != CONNECTION_BAD &&
		libpq.PQsetnonblocking(gid_peer_connection, 1) == 0)
		return gid_peer_poll(timeout != NULL ? atoi(timeout) : GID_URI_TIMEOUT_S, answer);
	return gid_peer_fail_libpq(answer, "no connection");
}

/*
 * Connect to the server of a checked URI, at the first of its hosts that
 * accepts.  *was_open: this transaction had the connection already.  Returns
 * false on a failure: "answer" says why.
 *
 * Waits, interruptibly, for each host up to the URI's connect_timeout.  Raises
 * 57014 after a cancel, and 53200; the caller then closes the connection.
 */
bool
gid_peer_connect(const char *uri, bool *was_open, GidAnswer *answer)
{
	static bool registered = false;
	PQconninfoOption *options;
	volatile bool connected = false;

	*was_open = gid_peer_uri != NULL && strcmp(gid_peer_uri, uri) == 0 &&
		libpq.PQstatus(gid_peer_connection) == CONNECTION_OK;
	if (*was_open)
		return true;
	if (!registered)
		RegisterXactCallback(gid_peer_end_transaction, NULL);
	registered = true;

	options = gid_uri_parse(uri);
	PG_TRY();
	{
		/* libpq itself would never leave a host that swallows packets */
		for (int n = 0; n < gid_uri_hosts(options) && !connected; n++)
		{
			gid_peer_close();
			/* what an earlier host said is not this host's */
			memset(answer, 0, sizeof(*answer));
			connected = gid_peer_connect_host(options, n, answer);
		}
	}
	PG_FINALLY();
	{
		libpq.PQconninfoFree(options);
	}
	PG_END_TRY();
	if (connected)
		gid_peer_uri = MemoryContextStrdup(TopMemoryContext, uri);
	return connected;
}

/* ---- a query ---- */

/*
 * Read what the server sends until libpq has a result.  Returns false when no
 * result comes in time, or the connection is lost.
 */
static bool
gid_peer_await(int64 deadline_us, int *waits, GidAnswer *answer)
{
	int			unsent = libpq.PQflush(gid_peer_connection);

	while (unsent > 0 || (unsent == 0 && libpq.PQisBusy(gid_peer_connection)))
	{
		bool		ready;

		if (!gid_peer_wait(unsent > 0 ? WL_SOCKET_READABLE | WL_SOCKET_WRITEABLE : WL_SOCKET_READABLE,
						   deadline_us, waits, &ready))
			return gid_peer_fail(answer, GID_FAILED, "no answer in time");
		if (!ready)
			continue;
		if (!libpq.PQconsumeInput(gid_peer_connection))
			break;
		unsent = libpq.PQflush(gid_peer_connection);
	}
	if (libpq.PQstatus(gid_peer_connection) == CONNECTION_OK && unsent == 0)
		return true;
	return gid_peer_fail_libpq(answer, "the connection was lost");
}

/* Note an error that the server sent.  Returns false. */
static bool
gid_peer_take_error(const PGresult *result, GidAnswer *answer)
{
	const char *sqlstate = libpq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *said = libpq.PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	bool		failed = true;

	/* the user sees it, and a server may send anything */
	if (sqlstate != NULL && strlen(sqlstate) == 5 &&
		strspn(sqlstate, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 5)
	{
		strlcpy(answer->sqlstate, sqlstate, sizeof(answer->sqlstate));
		/* a server that shuts down sends such an error before it closes */
		failed = strncmp(sqlstate, "57", 2) == 0 || strncmp(sqlstate, "08", 2) == 0;
	}
	return gid_peer_fail_said(answer, failed ? GID_FAILED : GID_REFUSED,
							  psprintf("error %s", answer->sqlstate),
							  said != NULL ? said : libpq.PQresultErrorMessage(result));
}

/* Read the numbers of a row.  Returns false if they cannot be the answer. */
static bool
gid_peer_take_row(const PGresult *result, int ncolumns, GidAnswer *answer)
{
	if (libpq.PQnfields(result) != ncolumns)
		return gid_peer_fail(answer, GID_NONSENSE, "the answer has another number of columns");
	for (int i = 0; i < ncolumns; i++)
	{
		const char *value = libpq.PQgetvalue(result, 0, i);
		char	   *end;

		if (libpq.PQgetisnull(result, 0, i))
			return gid_peer_fail(answer, GID_NONSENSE, "the answer is null");
		errno = 0;
		answer->numbers[i] = (int64) strtoll(value, &end, 10);
		/* what is binary, or has a zero byte in it, does not end here */
		if (errno != 0 || end == value || end != value + libpq.PQgetlength(result, 0, i))
			return gid_peer_fail(answer, GID_NONSENSE, "the answer is not a number");
	}
	return true;
}

/*
 * Send a query on the open connection, with parameters of type text, and wait
 * for its one row of "ncolumns" numbers, 1 to GID_PEER_COLUMNS.  The wait ends
 * at "deadline_us" (monotonic time).  "answer" says what came of the query.
 * Unless the outcome is GID_ANSWERED, the caller closes the connection, so
 * that no answer is taken for the answer to another question.
 *
 * Interruptible.  Raises 57014 after a cancel; the caller then closes the
 * connection.
 */
void
gid_peer_query(const char *query, int nparams, const char *const *params,
			   int ncolumns, int64 deadline_us, GidAnswer *answer)
{
	int			nrows = 0;
	int			waits = 0;
	bool		good = true;

	Assert(ncolumns <= GID_PEER_COLUMNS);
	memset(answer, 0, sizeof(*answer));
	/* row by row, so that no more than one is ever kept */
	if (!libpq.PQsendQueryParams(gid_peer_connection, query, nparams, NULL, params, NULL, NULL, 0) ||
		!libpq.PQsetSingleRowMode(gid_peer_connection))
	{
		gid_peer_fail_libpq(answer, "the connection was lost");
		return;
	}
	while (good)
	{
		PGresult   *result;

		if (!gid_peer_await(deadline_us, &waits, answer))
			return;
		result = libpq.PQgetResult(gid_peer_connection);
		if (result == NULL)
			break;
		switch (libpq.PQresultStatus(result))
		{
			case PGRES_SINGLE_TUPLE:
				good = ++nrows == 1 && gid_peer_take_row(result, ncolumns, answer);
				break;
			case PGRES_TUPLES_OK:	/* the end of the rows */
				good = nrows == 1;
				break;
			case PGRES_FATAL_ERROR:
				good = gid_peer_take_error(result, answer);
				break;
			default:
				good = false;
		}
		libpq.PQclear(result);
	}
	if (good && nrows == 1)
		answer->outcome = GID_ANSWERED;
	else if (answer->problem == NULL)
		gid_peer_fail(answer, GID_NONSENSE, "the answer is not one row");
}
