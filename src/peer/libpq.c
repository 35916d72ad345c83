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
 * State: the one connection of this backend, in libpq's memory, for as long as
 * a question takes.  No SQL of the session reaches it.
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

/* The log gets so much of what a server says: all of it could fill a disk. */
#define GID_PEER_SAID_BYTES		2000

/* connect_timeout, if the URI does not give it; and its greatest value. */
#define GID_URI_TIMEOUT_S		2
#define GID_URI_MAX_TIMEOUT_S	3600

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
	FUNCTION(PQgetResult) \
	FUNCTION(PQgetisnull) \
	FUNCTION(PQgetlength) \
	FUNCTION(PQgetvalue) \
	FUNCTION(PQisBusy) \
	FUNCTION(PQnfields) \
	FUNCTION(PQntuples) \
	FUNCTION(PQresultErrorField) \
	FUNCTION(PQresultErrorMessage) \
	FUNCTION(PQresultStatus) \
	FUNCTION(PQsendQueryParams) \
	FUNCTION(PQsetNoticeReceiver) \
	FUNCTION(PQsocket) \
	FUNCTION(PQstatus)

/* Their addresses; NULL before gid_libpq_load(). */
static struct
{
#define GID_LIBPQ_MEMBER(name) __typeof__(&(name)) name;
	GID_LIBPQ_FUNCTIONS(GID_LIBPQ_MEMBER)
}			libpq;

static PGconn *gid_peer_connection = NULL;

/* The last result of a query; gid_peer_close() frees it in any case. */
static PGresult *gid_peer_result = NULL;

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

/* Is an option good as connect_timeout? */
static bool
gid_uri_is_timeout(const char *value)
{
	return strspn(value, "0123456789") == strlen(value) && strlen(value) <= 4 &&
		atoi(value) >= 1 && atoi(value) <= GID_URI_MAX_TIMEOUT_S;
}

/* Return what is wrong with a URI, a sentence, or NULL. */
static const char *
gid_uri_check(const char *uri)
{
	PQconninfoOption *options = NULL;
	const char *problem = NULL;

	if (strncmp(uri, "postgresql://", 13) == 0 || strncmp(uri, "postgres://", 11) == 0)
		options = libpq.PQconninfoParse(uri, NULL);
	if (options == NULL)
		return "The value must be libpq connection URIs, postgresql://user@host:port/database, separated by blanks.";
	for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
	{
		if (o->val == NULL || o->val[0] == '\0')
			continue;
		if (gid_uri_is_secret(o))
			problem = "A connection URI must not contain a password or another secret. Put the password into a password file of the operating system's user that the server runs as.";
		else if (strcmp(o->keyword, "connect_timeout") == 0 && !gid_uri_is_timeout(o->val))
			problem = "The connect_timeout of a connection URI must be a number of seconds from 1 to 3600.";
	}
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

/* The options that a URI gives, as libpq takes them. */
typedef struct GidUri
{
	int			n;
	const char **keywords;
	const char **values;		/* none is empty */
} GidUri;

/* Parse a checked URI, into the caller's memory.  Raises 53200. */
static GidUri
gid_uri_parse(const char *uri)
{
	PQconninfoOption *options;
	GidUri		parsed = {0};
	int			most = 0;

	gid_libpq_load();
	options = libpq.PQconninfoParse(uri, NULL);
	if (options == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("A connection URI could not be read.")));
	while (options[most].keyword != NULL)
		most++;
	parsed.keywords = palloc(most * sizeof(char *));
	parsed.values = palloc(most * sizeof(char *));
	for (int i = 0; i < most; i++)
	{
		if (options[i].val == NULL || options[i].val[0] == '\0')
			continue;
		parsed.keywords[parsed.n] = pstrdup(options[i].keyword);
		parsed.values[parsed.n++] = pstrdup(options[i].val);
	}
	libpq.PQconninfoFree(options);
	return parsed;
}

/* Return the value of an option, or "" when the URI does not give it. */
static const char *
gid_uri_value(const GidUri *uri, const char *keyword)
{
	for (int i = 0; i < uri->n; i++)
	{
		if (strcmp(uri->keywords[i], keyword) == 0)
			return uri->values[i];
	}
	return "";
}

/* Return how many hosts a URI has: an option has an element for each. */
static int
gid_uri_hosts(const GidUri *uri)
{
	int			n = 1;
	const char *list = gid_uri_value(uri, "host");

	if (list[0] == '\0')
		list = gid_uri_value(uri, "hostaddr");
	for (; *list != '\0'; list++)
		n += *list == ',';
	return n;
}

/*
 * Return element "n" (from 0) of an option that has one for each host.  A
 * single element, such as a port, is that of all hosts.
 */
static char *
gid_uri_element(const char *list, int n)
{
	if (strchr(list, ',') == NULL)
		return pstrdup(list);
	while (n-- > 0)
		list = strchr(list, ',') != NULL ? strchr(list, ',') + 1 : "";
	return pnstrdup(list, strcspn(list, ","));
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
	GidUri		uri = gid_uri_parse(linitial(gid_uri_split(list)));
	StringInfoData name;

	initStringInfo(&name);
	for (int n = 0; n < gid_uri_hosts(&uri); n++)
	{
		char	   *host = gid_uri_element(gid_uri_value(&uri, "host"), n);
		char	   *port = gid_uri_element(gid_uri_value(&uri, "port"), n);

		if (host[0] == '\0')
			host = gid_uri_element(gid_uri_value(&uri, "hostaddr"), n);
		appendStringInfo(&name, "%s%s:%s", n > 0 ? "," : "", host,
						 port[0] == '\0' ? DEF_PGPORT_STR : port);
	}
	appendStringInfo(&name, "/%s", gid_uri_value(&uri, "dbname"));
	return name.data;
}

/* ---- the connection ---- */

/*
 * Note what went wrong, and what libpq or the server said of it.  Returns
 * false, so that the caller can return it.
 */
static bool
gid_peer_fail(GidPeerAnswer *answer, GidOutcome outcome, const char *problem, const char *said)
{
	answer->outcome = outcome;
	answer->problem = problem;
	answer->said = said == NULL ? NULL :
		pchomp(pnstrdup(said, pg_mbcliplen(said, strlen(said), GID_PEER_SAID_BYTES)));
	return false;
}

/* Close the connection, if there is one.  Raises nothing, does not wait. */
void
gid_peer_close(void)
{
	if (gid_peer_connection == NULL)
		return;
	libpq.PQclear(gid_peer_result);
	gid_peer_result = NULL;
	libpq.PQfinish(gid_peer_connection);
	gid_peer_connection = NULL;
	ReleaseExternalFD();
}

/* Notice receiver: drop the notices and warnings that the server sends. */
static void
gid_peer_drop_notice(void *arg, const PGresult *notice)
{
}

/*
 * Wait until the socket is ready, or a signal has come; *ready says whether
 * the socket is.  Returns false when the deadline (monotonic time) has passed.
 * Interruptible.
 */
static bool
gid_peer_wait(int events, int64 deadline_us, bool *ready)
{
	static uint32 wait_event = 0;
	int64		left_us = deadline_us - gid_time_monotonic_us();
	int			rc;

	CHECK_FOR_INTERRUPTS();
	if (left_us <= 0)
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
gid_peer_poll(int64 deadline_us, GidPeerAnswer *answer)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;

	if (libpq.PQstatus(gid_peer_connection) == CONNECTION_BAD)
		status = PGRES_POLLING_FAILED;
	while (status != PGRES_POLLING_OK)
	{
		bool		ready;

		if (status == PGRES_POLLING_FAILED)
		{
			answer->needs_password = libpq.PQconnectionNeedsPassword(gid_peer_connection);
			return gid_peer_fail(answer, GID_FAILED, "no connection",
								 libpq.PQerrorMessage(gid_peer_connection));
		}
		if (!gid_peer_wait(status == PGRES_POLLING_READING ? WL_SOCKET_READABLE : WL_SOCKET_CONNECTED,
						   deadline_us, &ready))
			return gid_peer_fail(answer, GID_FAILED, "no connection in time", NULL);
		if (ready)
			status = libpq.PQconnectPoll(gid_peer_connection);
	}
	return true;
}

/* Connect to host "n" of a URI.  Returns false on a failure. */
static bool
gid_peer_connect_host(const GidUri *uri, int n, GidPeerAnswer *answer)
{
	const char **keywords = palloc((uri->n + 3) * sizeof(char *));
	const char **values = palloc((uri->n + 3) * sizeof(char *));
	const char *timeout = gid_uri_value(uri, "connect_timeout");
	int			timeout_s = timeout[0] != '\0' ? atoi(timeout) : GID_URI_TIMEOUT_S;

	for (int i = 0; i < uri->n; i++)
	{
		keywords[i] = uri->keywords[i];
		values[i] = uri->values[i];
		if (strcmp(keywords[i], "host") == 0 || strcmp(keywords[i], "hostaddr") == 0 ||
			strcmp(keywords[i], "port") == 0)
			values[i] = gid_uri_element(values[i], n);
	}
	keywords[uri->n] = "fallback_application_name";
	values[uri->n] = "gid";
	/* names of sequences are sent in the encoding of this database */
	keywords[uri->n + 1] = "client_encoding";
	values[uri->n + 1] = GetDatabaseEncodingName();
	keywords[uri->n + 2] = NULL;

	if (!AcquireExternalFD())
		return gid_peer_fail(answer, GID_FAILED, "this server process has too many open files", NULL);
	gid_peer_connection = libpq.PQconnectStartParams(keywords, values, 0);
	if (gid_peer_connection == NULL)
	{
		ReleaseExternalFD();
		return gid_peer_fail(answer, GID_FAILED, "out of memory", NULL);
	}
	libpq.PQsetNoticeReceiver(gid_peer_connection, gid_peer_drop_notice, NULL);
	return gid_peer_poll(gid_time_monotonic_us() + timeout_s * GID_US_PER_S, answer);
}

/*
 * Connect to the server of a checked URI, at the first of its hosts that
 * accepts.  Returns false on a failure: "answer" says why.  The caller closes
 * the connection in any case, also after an error.
 *
 * Waits, interruptibly, for each host up to the URI's connect_timeout.  Raises
 * 57014 after a cancel, and 53200.
 */
bool
gid_peer_connect(const char *uri, GidPeerAnswer *answer)
{
	GidUri		parsed = gid_uri_parse(uri);

	/* libpq itself would never leave a host that swallows packets */
	for (int n = 0; n < gid_uri_hosts(&parsed); n++)
	{
		gid_peer_close();
		answer->needs_password = false;
		if (gid_peer_connect_host(&parsed, n, answer))
			return true;
	}
	return false;
}

/* ---- a query ---- */

/*
 * Wait for the last result of a query.  Returns false when the server does not
 * send it until the deadline.
 */
static bool
gid_peer_await(int64 deadline_us)
{
	libpq.PQclear(gid_peer_result);
	gid_peer_result = NULL;
	for (;;)
	{
		PGresult   *result;

		while (libpq.PQisBusy(gid_peer_connection))
		{
			bool		ready;

			if (!gid_peer_wait(WL_SOCKET_READABLE, deadline_us, &ready))
				return false;
			/* if the connection is lost, the next result says so */
			if (ready && !libpq.PQconsumeInput(gid_peer_connection))
				break;
		}
		result = libpq.PQgetResult(gid_peer_connection);
		if (result == NULL)
			return true;
		libpq.PQclear(gid_peer_result);
		gid_peer_result = result;
		if (libpq.PQstatus(gid_peer_connection) == CONNECTION_BAD ||
			libpq.PQresultStatus(result) != PGRES_TUPLES_OK)
			return true;
	}
}

/* Note an error that the server sent, or that libpq made. */
static void
gid_peer_take_error(const PGresult *result, GidPeerAnswer *answer)
{
	const char *sqlstate = libpq.PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *said = libpq.PQresultErrorMessage(result);
	int			category;
	bool		is_away;

	if (sqlstate == NULL || strlen(sqlstate) != 5)
	{
		(void) gid_peer_fail(answer, GID_FAILED, "the connection was lost", said);
		return;
	}
	answer->sqlstate = MAKE_SQLSTATE(sqlstate[0], sqlstate[1], sqlstate[2], sqlstate[3], sqlstate[4]);
	category = ERRCODE_TO_CATEGORY(answer->sqlstate);
	/* a server that shuts down sends such an error before it closes */
	is_away = category == ERRCODE_TO_CATEGORY(ERRCODE_ADMIN_SHUTDOWN) ||
		category == ERRCODE_CONNECTION_EXCEPTION;
	(void) gid_peer_fail(answer, is_away ? GID_FAILED : GID_REFUSED,
						 psprintf("error %s", unpack_sql_state(answer->sqlstate)), said);
}

/*
 * Read the numbers of a result.  Returns false if they cannot be the answer.
 */
static bool
gid_peer_take_row(const PGresult *result, int ncolumns, GidPeerAnswer *answer)
{
	if (libpq.PQresultStatus(result) != PGRES_TUPLES_OK || libpq.PQntuples(result) != 1)
		return gid_peer_fail(answer, GID_REFUSED, "the answer is not one row", NULL);
	if (libpq.PQnfields(result) != ncolumns)
		return gid_peer_fail(answer, GID_REFUSED, "the answer has another number of columns", NULL);
	for (int i = 0; i < ncolumns; i++)
	{
		const char *value = libpq.PQgetvalue(result, 0, i);
		char	   *end;

		if (libpq.PQgetisnull(result, 0, i))
			return gid_peer_fail(answer, GID_REFUSED, "the answer is null", NULL);
		errno = 0;
		answer->numbers[i] = (int64) strtoll(value, &end, 10);
		if (errno != 0 || end == value || end != value + libpq.PQgetlength(result, 0, i))
			return gid_peer_fail(answer, GID_REFUSED, "the answer is not a number", NULL);
	}
	answer->outcome = GID_ANSWERED;
	return true;
}

/*
 * Send a query on the open connection, with parameters of type text, and wait
 * for its one row of "ncolumns" numbers, 1 to GID_PEER_COLUMNS.  The wait ends
 * at "deadline_us" (monotonic time).  Returns false without such an answer:
 * "answer" says why, and the caller asks nothing more on the connection.
 *
 * Interruptible.  Raises 57014 after a cancel.
 */
bool
gid_peer_query(const char *query, int nparams, const char *const *params,
			   int ncolumns, int64 deadline_us, GidPeerAnswer *answer)
{
	Assert(ncolumns <= GID_PEER_COLUMNS);
	if (!libpq.PQsendQueryParams(gid_peer_connection, query, nparams, NULL, params, NULL, NULL, 0))
		return gid_peer_fail(answer, GID_FAILED, "the connection was lost",
							 libpq.PQerrorMessage(gid_peer_connection));
	if (!gid_peer_await(deadline_us))
		return gid_peer_fail(answer, GID_FAILED, "no answer in time", NULL);
	if (libpq.PQresultStatus(gid_peer_result) == PGRES_FATAL_ERROR)
		gid_peer_take_error(gid_peer_result, answer);
	else
		(void) gid_peer_take_row(gid_peer_result, ncolumns, answer);
	return answer->outcome == GID_ANSWERED;
}
