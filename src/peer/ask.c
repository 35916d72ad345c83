/*-------------------------------------------------------------------------
 *
 * peer/ask.c
 *		Asks the servers of a list until one answers.
 *
 * A question is the call of a function of gid on another server.  The answer
 * is a row of numbers.
 *
 * State: GidFailureTable in shared memory: the servers that failed, and when.
 *
 * Invariants:
 * 1. All backends pass over a server that does not answer, for a while.  The
 *	  backend that asks the server again notes the time first, so that only
 *	  this backend waits.  A server that refuses, or answers nonsense, is not
 *	  passed over: it runs, and may answer the next question.  A question of
 *	  the kind GID_ASK_AGAIN is an exception: many backends may wait to ask
 *	  it, so a server that takes long to refuse it is passed over.
 * 2. A row belongs to a whole URI and to a kind of questions.  So a failure
 *	  for one user, database or kind says nothing about another.  Of the URI
 *	  only a hash is kept.
 * 3. This backend holds no lock while it asks a server.
 * 4. An attempt ends GID_ASK_TIMEOUT_US after it has connected.  That server's
 *	  statement_timeout and lock_timeout, which the first query sets, end a
 *	  query earlier.
 * 5. gid_ask() returns true only if the numbers can be the answer.
 * 6. Nothing is looked up there.  A function is called as gid.NAME, and the
 *	  schema "gid" is the extension's own.
 *
 * Crash, restart: the table is lost, and every server may be asked again.
 * Clock step: only the monotonic clock is read.  Standby: it asks for leases
 * of node numbers alone.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "lib/stringinfo.h"
#include "storage/lwlock.h"

#include "attach/backend_slot.h"
#include "base/bits.h"
#include "clock/server_time.h"
#include "peer/ask.h"

/* A server has this long to answer, from the connection on. */
#define GID_ASK_TIMEOUT_US		INT64CONST(2000000)

/*
 * The same for the server itself, which then says what it waited for.  A
 * sequence that is locked there says nothing about the other sequences there.
 */
#define GID_ASK_STATEMENT_TIMEOUT_MS	1500
#define GID_ASK_LOCK_TIMEOUT_MS			1000

/* A cancel after this much waiting counts as a failure of the server. */
#define GID_ASK_PATIENCE_US		INT64CONST(500000)

/* How a kind of question treats a server that fails. */
typedef struct GidAskManner
{
	int64		pass_over_us;	/* it is passed over for this long */
	int64		last_resort_us; /* or this long, if no other server answers */
	bool		late_refusal_fails; /* a refusal counts as a failure if it
									 * took GID_ASK_PATIENCE_US */
	bool		logs;			/* failures are logged here */
	const char *hint;			/* for servers that are passed over */
} GidAskManner;

static const GidAskManner gid_ask_manners[] = {
	[GID_ASK_ONCE] = {
		.pass_over_us = 30 * GID_US_PER_S,
		.last_resort_us = 2 * GID_US_PER_S,
		.logs = true,
		.hint = "An authority that failed is asked again after 30 s.",
	},
	[GID_ASK_AGAIN] = {
		.pass_over_us = GID_ASK_AGAIN_US,
		.last_resort_us = GID_ASK_AGAIN_US,
		.late_refusal_fails = true,
		.hint = "An authority that failed is asked again after a second.",
	},
};

#define GID_ASK_FAILURE_ROWS			64

/* A server that failed. */
typedef struct GidFailure
{
	uint64		key;			/* of the URI and kind of question; 0: the row
								 * is free; lock */
	int64		failed_us;		/* monotonic time; lock */
	char		said[GID_ANSWER_TEXT_SIZE]; /* what went wrong; lock */
} GidFailure;

/* The servers that failed. */
typedef struct GidFailureTable
{
	LWLock		lock;			/* protects the rows */
	GidFailure	rows[GID_ASK_FAILURE_ROWS]; /* lock */
} GidFailureTable;

static GidFailureTable *gid_ask_failures = NULL;

static void
gid_ask_failure_init(void *part, int tranche)
{
	GidFailureTable *table = part;

	memset(table, 0, sizeof(*table));
	LWLockInitialize(&table->lock, tranche);
}

const GidPart gid_ask_part = {
	.lock_name = "GidAuthority",
	.size = sizeof(GidFailureTable),
	.init = gid_ask_failure_init,
	.where = (void **) &gid_ask_failures,
};

/* ---- who is passed over ---- */

/*
 * Return the row of a key or, if it has none, the row to use for it: a
 * free row or else the oldest.  A free row has failed_us 0, and so is older
 * than all others.  The caller has the lock.
 */
static GidFailure *
gid_ask_failure_row(uint64 key)
{
	GidFailure *rows = gid_ask_failures->rows;
	GidFailure *oldest = &rows[0];

	for (int i = 0; i < GID_ASK_FAILURE_ROWS; i++)
	{
		if (rows[i].key == key)
			return &rows[i];
		if (rows[i].failed_us < oldest->failed_us)
			oldest = &rows[i];
	}
	return oldest;
}

/*
 * May this backend ask a server now?  A server that failed is asked again
 * after "pause_us".  Only the calling backend then asks it.  "said" gets what
 * went wrong the last time.
 */
static bool
gid_ask_failure_may_ask(uint64 key, int64 pause_us, char said[GID_ANSWER_TEXT_SIZE])
{
	int64		now_us = gid_time_monotonic_us();
	GidFailure *row;
	bool		may = true;

	LWLockAcquire(&gid_ask_failures->lock, LW_EXCLUSIVE);
	row = gid_ask_failure_row(key);
	if (row->key == key)
	{
		may = now_us >= row->failed_us + pause_us;
		if (may)
			row->failed_us = now_us;
		strlcpy(said, row->said, GID_ANSWER_TEXT_SIZE);
	}
	LWLockRelease(&gid_ask_failures->lock);
	return may;
}

/* Note what went wrong when a server was asked, or NULL: it did not fail. */
static void
gid_ask_failure_note(uint64 key, const char *said)
{
	int64		now_us = gid_time_monotonic_us();
	GidFailure *row;

	LWLockAcquire(&gid_ask_failures->lock, LW_EXCLUSIVE);
	row = gid_ask_failure_row(key);
	if (said != NULL)
	{
		row->key = key;
		row->failed_us = now_us;
		strlcpy(row->said, said, sizeof(row->said));
	}
	else if (row->key == key)
		memset(row, 0, sizeof(*row));
	LWLockRelease(&gid_ask_failures->lock);
}

/* ---- asking ---- */

/* Read the numbers of an answer.  Returns false if a value is no number. */
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

/* Limit the time of the next queries, so that the server itself ends them. */
static void
gid_ask_limit_time(int64 deadline_us, GidAnswer *answer)
{
	char	   *query = psprintf("SELECT pg_catalog.concat("
								 "pg_catalog.set_config('statement_timeout', '%d', false), "
								 "pg_catalog.set_config('lock_timeout', '%d', false))",
								 GID_ASK_STATEMENT_TIMEOUT_MS, GID_ASK_LOCK_TIMEOUT_MS);

	gid_connection_query(query, 0, NULL, 1, deadline_us, answer);
	pfree(query);
}

/*
 * Confirm an answer.  A connection pooler between the servers may send this
 * query to another session, and even to another server.  Then the answer does
 * not count.
 */
static void
gid_ask_confirm(const GidQuestion *question, const int64 *numbers,
				int64 deadline_us, GidAnswer *answer)
{
	char	   *query = psprintf("SELECT pg_catalog.pg_backend_pid() FROM %s",
								 question->confirm);
	int64		pid;

	gid_connection_query(query, 0, NULL, 1, deadline_us, answer);
	pfree(query);
	if (answer->outcome == GID_ANSWERED &&
		(!gid_ask_read_numbers(answer, 1, &pid) || pid != numbers[question->ncolumns - 1]))
		gid_connection_note(answer, GID_NONSENSE, "the answer was confirmed by another session");
}

/* Put the question, on the open connection. */
static void
gid_ask_put(const GidQuestion *question, int64 *numbers, GidAnswer *answer)
{
	int64		deadline_us = gid_time_monotonic_us() + GID_ASK_TIMEOUT_US;
	char	   *query;

	gid_ask_limit_time(deadline_us, answer);
	if (answer->outcome != GID_ANSWERED)
		return;
	query = psprintf("SELECT %s FROM %s", question->columns != NULL ? question->columns : "*",
					 question->call);
	gid_connection_query(query, question->nparams, question->params,
						 question->ncolumns, deadline_us, answer);
	pfree(query);
	if (answer->outcome != GID_ANSWERED)
		return;
	if (!gid_ask_read_numbers(answer, question->ncolumns, numbers))
		gid_connection_note(answer, GID_NONSENSE, "the answer is not a number");
	else if (!question->is_answer(question, numbers))
		gid_connection_note(answer, GID_NONSENSE, "the answer is out of range");
	else if (question->confirm != NULL)
		gid_ask_confirm(question, numbers, deadline_us, answer);
}

/*
 * Connect to a server and ask it.  If an earlier connection turns out to be
 * lost, that says nothing about the server, so the backend connects once more.
 * It does not ask again a server that has hung for GID_ASK_TIMEOUT_US.
 */
static void
gid_ask_server(const char *uri, uint64 key, const GidUri *parsed,
			   const GidQuestion *question, int64 *numbers, GidAnswer *answer)
{
	int64		start_us = gid_time_monotonic_us();

	PG_TRY();
	{
		bool		was_open;

		do
		{
			memset(answer, 0, sizeof(*answer));
			if (gid_connection_open(uri, parsed, &was_open, answer))
				gid_ask_put(question, numbers, answer);
			if (answer->outcome != GID_ANSWERED)
				gid_connection_close();
		} while (answer->outcome == GID_FAILED && was_open &&
				 gid_time_monotonic_us() - start_us < GID_ASK_TIMEOUT_US);
	}
	PG_CATCH();
	{
		gid_connection_close();
		/* without this, a short statement_timeout never reaches the next */
		if (gid_time_monotonic_us() - start_us >= GID_ASK_PATIENCE_US)
			gid_ask_failure_note(key, "no answer before the statement was canceled");
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* Ask a server, and note in shared memory whether it failed. */
static bool
gid_ask_and_note(const char *uri, uint64 key, const GidUri *parsed,
				 const GidQuestion *question, int64 *numbers, GidAnswer *answer)
{
	const GidAskManner *manner = &gid_ask_manners[question->kind];
	int64		start_us = gid_time_monotonic_us();

	gid_ask_server(uri, key, parsed, question, numbers, answer);
	if (answer->outcome == GID_FAILED)
	{
		gid_ask_failure_note(key, answer->said);
		if (manner->logs)
			ereport(LOG,
					(errmsg("gid: authority \"%s\" failed and is passed over for %d s",
							parsed->name, (int) (manner->pass_over_us / GID_US_PER_S)),
					 errdetail_log("%s", answer->said)));
	}
	else if (answer->outcome != GID_NOT_ASKED)
	{
		bool		fails = manner->late_refusal_fails && answer->outcome != GID_ANSWERED &&
		gid_time_monotonic_us() - start_us >= GID_ASK_PATIENCE_US;

		gid_ask_failure_note(key, fails ? answer->said : NULL);
	}
	return answer->outcome == GID_ANSWERED;
}

/* Return the hint for a server that gave no answer; NULL: there is none. */
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
		return "On the authority, grant the role that connects USAGE on the schema and the sequence, or EXECUTE on the functions gid.authority_generator(), gid.authority_node() and gid.authority_confirm().";
	if (strcmp(answer->sqlstate, "42P01") == 0)
		return "On the authority, create the sequence under the same schema and name.";
	if (strcmp(answer->sqlstate, "42883") == 0 || strcmp(answer->sqlstate, "3F000") == 0)
		return "On the authority, let a superuser run CREATE EXTENSION gid.";
	if (strcmp(answer->sqlstate, "55P03") == 0)
		return "On the authority, look for the transaction that has locked the sequence or table.";
	/* waits for locks end earlier, and so do not come here */
	if (strcmp(answer->sqlstate, "57014") == 0)
		return "The authority perhaps waits for standbys. There, pg_stat_replication shows those of synchronous_standby_names.";
	if (strcmp(answer->sqlstate, "2200H") == 0)
		return "On the authority, the sequence or the launch is at its end, or all node numbers are leased.";
	if (answer->outcome == GID_REFUSED)
		return "On the authority, see the server's log.";
	if (answer->outcome == GID_FAILED)
		return "Check that an authority runs and accepts connections from this server. Ids continue by themselves when it answers.";
	return NULL;
}

/*
 * Put a question to the servers of a list of checked URIs (char *), in the
 * order of the list, until one answers.  Servers that failed a while ago are
 * asked last.  "numbers" gets the numbers of the answer.  Returns false if no
 * server answers; then "silence" says why, in the caller's memory.
 *
 * May wait, interruptibly: for each host of each server, connect_timeout (2 s
 * by default) and 2 s.  Raises 53200 when this server is out of memory.  Takes
 * the lock GidAuthority for moments.
 */
bool
gid_ask(List *uris, const GidQuestion *question, int64 *numbers,
		GidSilence *silence)
{
	const GidAskManner *manner = &gid_ask_manners[question->kind];
	int			n = list_length(uris);
	char	  **lines = palloc0(n * sizeof(char *));
	bool	   *asked = palloc0(n * sizeof(bool));
	StringInfoData detail;

	(void) gid_slot_mine();
	memset(silence, 0, sizeof(*silence));
	for (int i = 0; i < 2 * n; i++)
	{
		int64		pause_us = i < n ? manner->pass_over_us : manner->last_resort_us;
		char	   *uri = list_nth(uris, i % n);
		GidUri	   *parsed = gid_uri_parse(uri);

		/* never 0, which a free row has */
		uint64		key = hash_bytes_extended((const unsigned char *) uri, strlen(uri),
											  (uint64) question->kind) | 1;
		char		before[GID_ANSWER_TEXT_SIZE] = "";
		GidAnswer	answer;

		if (asked[i % n])
			continue;
		if (!gid_ask_failure_may_ask(key, pause_us, before))
		{
			lines[i % n] = psprintf("%s: passed over after: %s", parsed->name, before);
			continue;
		}
		asked[i % n] = true;
		if (gid_ask_and_note(uri, key, parsed, question, numbers, &answer))
			return true;
		lines[i % n] = psprintf("%s: %s", parsed->name, answer.said);
		if (silence->hint == NULL)
			silence->hint = gid_ask_hint(&answer);
		strlcpy(silence->sqlstate, answer.sqlstate, sizeof(silence->sqlstate));
	}

	initStringInfo(&detail);
	for (int i = 0; i < n; i++)
		appendStringInfo(&detail, "%s%s", i > 0 ? "\n" : "", lines[i]);
	silence->detail = detail.data;
	if (silence->hint == NULL)
		silence->hint = manner->hint;
	return false;
}
