/*-------------------------------------------------------------------------
 *
 * fleet/ask.c
 *		Asking the first of several servers that answers.
 *
 * A question is put to the servers of a list one after the other, until one
 * answers.  It is the call of a function of gid there, and the answer is a row of
 * numbers.
 *
 * State: none of its own; fleet/connection.c has the connection, fleet/failure.c
 * the servers that are passed over.
 *
 * Invariants:
 * 1. A server that does not answer is passed over for a while by all backends.
 *	  One that refuses, or answers nonsense, is not: it lives, and the next
 *	  question may be another.
 * 2. No lock is held while a server is asked.
 * 3. An attempt ends GID_ASK_TIMEOUT_US after it has connected.  A query that is
 *	  then still running there is ended by that server's statement_timeout,
 *	  which the first query sets.
 * 4. Numbers are given to the caller only when they can be the answer.
 *
 * Crash, standby: see the files named above.  Only the monotonic clock is read.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "fleet/ask.h"
#include "fleet/uri.h"
#include "gid_clock.h"

/* How long a server may take to answer, once it is connected to. */
#define GID_ASK_TIMEOUT_US		INT64CONST(2000000)

/* Read the numbers of an answer.  False when one is none. */
static bool
gid_ask_read_numbers(const GidAnswer *answer, int n, int64 *numbers)
{
	for (int i = 0; i < n; i++)
	{
		char	   *end;
		long long	number;

		errno = 0;
		number = strtoll(answer->values[i], &end, 10);
		if (errno != 0 || end == answer->values[i] || *end != '\0')
			return false;
		numbers[i] = (int64) number;
	}
	return true;
}

/* Find the schema of gid there, quoted, and limit the time of the next query. */
static void
gid_ask_find_schema(int64 deadline_us, GidAnswer *answer)
{
	char	   *query = psprintf("SELECT pg_catalog.quote_ident(n.nspname),"
								 " pg_catalog.set_config('statement_timeout', '%d', false)"
								 " FROM (VALUES (1)) AS one LEFT JOIN (pg_catalog.pg_extension AS e"
								 " JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace)"
								 " ON e.extname OPERATOR(pg_catalog.=) 'gid'",
								 (int) (GID_ASK_TIMEOUT_US / 1000));

	gid_connection_query(query, 0, NULL, 2, deadline_us, answer);
	pfree(query);
	/* without the extension the schema is null */
	if (answer->outcome == GID_NONSENSE)
		gid_answer_fail(answer, GID_NONSENSE, "extension \"gid\" is not installed there");
}

/* Put the question, on the open connection. */
static void
gid_ask_put(const GidQuestion *question, int64 *numbers, GidAnswer *answer)
{
	int64		deadline_us = gid_clock_monotonic_us() + GID_ASK_TIMEOUT_US;
	char	   *query;

	gid_ask_find_schema(deadline_us, answer);
	if (answer->outcome != GID_ANSWERED)
		return;
	query = psprintf("SELECT * FROM %s.%s", answer->values[0], question->call);
	gid_connection_query(query, question->nparams, question->params,
						 question->ncolumns, deadline_us, answer);
	pfree(query);
	if (answer->outcome != GID_ANSWERED)
		return;
	if (!gid_ask_read_numbers(answer, question->ncolumns, numbers))
		gid_answer_fail(answer, GID_NONSENSE, "the answer is not a number");
	else if (!question->is_answer(question, numbers))
		gid_answer_fail(answer, GID_NONSENSE, "the answer is out of range");
}

/*
 * Connect to a server and ask it.  A connection that was there and is found lost
 * says nothing about the server: it is made once more.
 */
static void
gid_ask_server(const char *uri, const GidQuestion *question, int64 *numbers,
			   GidAnswer *answer)
{
	PG_TRY();
	{
		bool		was_open = true;

		for (int tries = 0; tries < 2 && was_open; tries++)
		{
			memset(answer, 0, sizeof(*answer));
			if (gid_connection_open(uri, &was_open, answer))
				gid_ask_put(question, numbers, answer);
			if (answer->outcome != GID_ANSWERED)
				gid_connection_close();
			if (answer->outcome != GID_FAILED)
				break;
		}
	}
	PG_CATCH();
	{
		gid_connection_close();
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* Ask a server, and note in shared memory how it went. */
static bool
gid_ask_and_note(const char *uri, const char *name, const GidQuestion *question,
				 int64 *numbers, GidAnswer *answer)
{
	gid_ask_server(uri, question, numbers, answer);
	if (answer->outcome == GID_FAILED)
	{
		gid_failure_note(uri, answer->text);
		ereport(LOG,
				(errmsg("gid: authority \"%s\" failed and is passed over for %d s", name,
						(int) (GID_FAILURE_PASS_OVER_US / GID_US_PER_S)),
				 errdetail_log("%s", answer->text)));
	}
	else if (answer->outcome != GID_NOT_ASKED)
		gid_failure_forget(uri);
	return answer->outcome == GID_ANSWERED;
}

/* What helps against what a server did; NULL when it was passed over. */
static const char *
gid_ask_hint(const GidAnswer *answer)
{
	if (answer->needs_password)
		return "Put the password into a password file of the operating system's user that this server runs as.";
	if (answer->outcome == GID_NONSENSE)
		return "Check that the connection URI names a database of an authority, with the extension gid.";
	if (answer->outcome == GID_NOT_ASKED)
		return "Raise max_files_per_process of this server, or the operating system's limit.";
	if (strcmp(answer->sqlstate, "42501") == 0)
		return "On the authority, grant the role that connects USAGE on the schema and the sequence, or EXECUTE on gid_authority_generator().";
	if (strcmp(answer->sqlstate, "42P01") == 0)
		return "On the authority, create the sequence under the same schema and name.";
	if (strcmp(answer->sqlstate, "2200H") == 0)
		return "On the authority, the sequence or the launch is used up.";
	if (answer->outcome == GID_REFUSED)
		return "On the authority, see the server's log.";
	if (answer->outcome == GID_FAILED)
		return "Check that an authority runs and accepts connections from this server; ids go on by themselves when it answers.";
	return NULL;
}

/*
 * Put a question to the servers of these URIs, the first first, until one
 * answers; those that failed a while ago last.  False when none does: *silence
 * says why.
 *
 * May wait for each host of each server connect_timeout (2 s by default) and 2 s,
 * interruptibly.  Raises an error when this server is out of memory.
 */
bool
gid_ask(List *uris, const GidQuestion *question, int64 *numbers,
		GidSilence *silence)
{
	int			n = list_length(uris);
	char	  **lines = palloc0(n * sizeof(char *));
	bool	   *asked = palloc0(n * sizeof(bool));
	StringInfoData detail;

	silence->hint = NULL;
	for (int i = 0; i < 2 * n; i++)
	{
		bool		last_resort = i >= n;
		char	   *uri = list_nth(uris, i % n);
		char	   *name = gid_uri_name(uri);
		char		before[GID_FAILURE_TEXT_SIZE] = "";
		GidAnswer	answer;

		if (asked[i % n])
			continue;
		if (!gid_failure_may_ask(uri, last_resort, before))
		{
			lines[i % n] = psprintf("%s: passed over after: %s", name, before);
			continue;
		}
		asked[i % n] = true;
		if (gid_ask_and_note(uri, name, question, numbers, &answer))
			return true;
		lines[i % n] = psprintf("%s: %s", name, answer.text);
		if (silence->hint == NULL)
			silence->hint = gid_ask_hint(&answer);
	}

	initStringInfo(&detail);
	for (int i = 0; i < n; i++)
		appendStringInfo(&detail, "%s%s", i > 0 ? "\n" : "", lines[i]);
	silence->detail = detail.data;
	if (silence->hint == NULL)
		silence->hint = "An authority that failed is asked again after 30 s.";
	return false;
}
