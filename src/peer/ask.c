/*-------------------------------------------------------------------------
 *
 * peer/ask.c
 *		Asks the servers of a list until one answers.
 *
 * A question is the call of a function of gid on another server.  Nothing is
 * looked up there: a function is called as gid.NAME, and the schema "gid" is
 * the extension's own.  The answer is a row of numbers, which the caller
 * checks by its range.
 *
 * State: GidFailureTable in shared memory: the servers that failed, and when.
 * A server is a whole URI, of which only a hash is kept.  So a failure for one
 * user or database says nothing about another.  The lock is never held while a
 * server is asked.
 *
 * What another server or libpq says goes to the log of this server alone.
 * Users get hosts, ports, databases and SQLSTATEs.
 *
 * Crash, restart: the table is lost, and every server may be asked again.
 * Clock step: only the monotonic clock is read.
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
#include "base/args.h"
#include "base/bits.h"
#include "clock/server_time.h"
#include "peer/ask.h"
#include "peer/libpq.h"

/* A server has this long to answer, from the connection on. */
#define GID_ASK_TIMEOUT_US		(2 * GID_US_PER_S)

/*
 * The same for the server itself, which then says what it waited for.  A
 * sequence that is locked there says nothing about the other sequences there.
 */
#define GID_ASK_STATEMENT_TIMEOUT_MS	1500
#define GID_ASK_LOCK_TIMEOUT_MS			1000

/* A cancel after this much waiting counts as a failure of the server. */
#define GID_ASK_PATIENCE_US		(GID_US_PER_S / 2)

/*
 * A server that failed is passed over for this long, or for the shorter time
 * if no other server of the list answers.
 */
#define GID_ASK_PASS_OVER_US	(30 * GID_US_PER_S)
#define GID_ASK_LAST_RESORT_US	(2 * GID_US_PER_S)

#define GID_ASK_FAILURE_ROWS	64

typedef struct GidFailure
{
	uint64		key;			/* of the URI; 0: the row is free; lock */
	int64		failed_us;		/* monotonic time; lock */
	bool		is_logged;		/* the log says that it failed; lock */
} GidFailure;

typedef struct GidFailureTable
{
	LWLock		lock;			/* protects the rows */
	GidFailure	rows[GID_ASK_FAILURE_ROWS]; /* lock */
} GidFailureTable;

static GidFailureTable *gid_ask_failures = NULL;

static void
gid_ask_init(void *part, int tranche)
{
	GidFailureTable *table = part;

	LWLockInitialize(&table->lock, tranche);
}

const GidPart gid_ask_part = {
	.lock_name = "GidFailure",
	.size = sizeof(GidFailureTable),
	.init = gid_ask_init,
	.where = (void **) &gid_ask_failures,
};

/* ---- who is passed over ---- */

/* The key of a URI: never 0, which a free row has. */
static uint64
gid_ask_key(const char *uri)
{
	return hash_bytes_extended((const unsigned char *) uri, strlen(uri), 0) | 1;
}

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

/* May this backend ask a server that perhaps failed, "pause_us" later? */
static bool
gid_ask_may(const char *uri, int64 pause_us)
{
	uint64		key = gid_ask_key(uri);
	int64		now_us = gid_time_monotonic_us();
	GidFailure *row;
	bool		may = true;

	LWLockAcquire(&gid_ask_failures->lock, LW_EXCLUSIVE);
	row = gid_ask_failure_row(key);
	if (row->key == key)
	{
		may = now_us >= row->failed_us + pause_us;
		/* only this backend waits to see whether the server is back */
		if (may)
			row->failed_us = now_us;
	}
	LWLockRelease(&gid_ask_failures->lock);
	return may;
}

/*
 * Note that a server failed, or that it did not.  Returns whether the caller
 * is to log it, if it "logs": each outage has one line.
 */
static bool
gid_ask_note(const char *uri, bool failed, bool logs)
{
	uint64		key = gid_ask_key(uri);
	int64		now_us = gid_time_monotonic_us();
	GidFailure *row;
	bool		is_new = false;

	LWLockAcquire(&gid_ask_failures->lock, LW_EXCLUSIVE);
	row = gid_ask_failure_row(key);
	if (failed)
	{
		bool		was_logged = row->key == key && row->is_logged;

		is_new = logs && !was_logged;
		row->key = key;
		row->failed_us = now_us;
		row->is_logged = logs || was_logged;
	}
	else if (row->key == key)
		memset(row, 0, sizeof(*row));
	LWLockRelease(&gid_ask_failures->lock);
	return is_new;
}

/* ---- asking ---- */

/*
 * Put the question, on the open connection: limit the time of the statements
 * there, call the function, check the answer, and have it confirmed.
 * "numbers" gets what was checked, and *clock_s the clock of the server.
 */
static void
gid_ask_put(const GidQuestion *question, int64 *numbers, int64 *clock_s,
			GidPeerAnswer *answer)
{
	int64		deadline_us = gid_time_monotonic_us() + GID_ASK_TIMEOUT_US;

	if (!gid_peer_query(psprintf("SELECT pg_catalog.date_part('epoch', pg_catalog.clock_timestamp())::pg_catalog.int8"
								 " FROM pg_catalog.set_config('statement_timeout', '%d', false) AS a,"
								 " pg_catalog.set_config('lock_timeout', '%d', false) AS b",
								 GID_ASK_STATEMENT_TIMEOUT_MS, GID_ASK_LOCK_TIMEOUT_MS),
						0, NULL, 1, deadline_us, answer))
		return;
	*clock_s = Min(Max(answer->numbers[0], 0), GID_LAST_SECOND);

	if (!gid_peer_query(psprintf("SELECT %s FROM %s",
								 question->columns != NULL ? question->columns : "*", question->call),
						question->nparams, question->params, question->ncolumns, deadline_us, answer))
		return;
	if (!question->is_answer(question, answer->numbers))
	{
		answer->outcome = GID_REFUSED;
		answer->problem = "the answer is out of range";
		return;
	}
	memcpy(numbers, answer->numbers, question->ncolumns * sizeof(int64));
	if (question->confirm != NULL)
		(void) gid_peer_query(psprintf("SELECT 1 FROM %s", question->confirm), 0, NULL, 1, deadline_us, answer);
}

/* What the log is told of a server that gave no answer. */
static char *
gid_ask_log(const GidPeerAnswer *answer)
{
	return answer->said == NULL ? pstrdup(answer->problem) :
		psprintf("%s: %s", answer->problem, answer->said);
}

/* Connect to a server, ask it, and note in shared memory whether it failed. */
static void
gid_ask_server(const char *uri, const GidQuestion *question, int64 *numbers,
			   int64 *clock_s, GidPeerAnswer *answer)
{
	int64		start_us = gid_time_monotonic_us();

	memset(answer, 0, sizeof(*answer));
	PG_TRY();
	{
		if (gid_peer_connect(uri, answer))
			gid_ask_put(question, numbers, clock_s, answer);
	}
	PG_CATCH();
	{
		gid_peer_close();
		/* without this, a short statement_timeout never reaches the next */
		if (!question->is_retried &&
			gid_time_monotonic_us() - start_us >= GID_ASK_PATIENCE_US)
			(void) gid_ask_note(uri, true, false);
		PG_RE_THROW();
	}
	PG_END_TRY();
	gid_peer_close();
	if (question->is_retried)
		return;
	/* a server that refuses runs, and may answer the next question */
	if (gid_ask_note(uri, answer->outcome == GID_FAILED, true))
		ereport(LOG,
				(errmsg("gid: authority \"%s\" failed and is asked last for %d s",
						gid_uri_name(uri), (int) (GID_ASK_PASS_OVER_US / GID_US_PER_S)),
				 errdetail_log("%s", gid_ask_log(answer))));
}

/* Return the hint for a server that gave no answer. */
static const char *
gid_ask_hint(const GidPeerAnswer *answer)
{
	static const struct
	{
		int			sqlstate;
		const char *hint;
	}			hints[] = {
		{ERRCODE_INSUFFICIENT_PRIVILEGE, "On the authority, grant the role that connects USAGE on the schema and the sequence, or EXECUTE on the functions gid.authority_generator(), gid.authority_node() and gid.authority_confirm()."},
		{ERRCODE_UNDEFINED_TABLE, "On the authority, create the sequence under the same schema and name."},
		{ERRCODE_UNDEFINED_FUNCTION, "On the authority, run CREATE EXTENSION gid."},
		{ERRCODE_UNDEFINED_SCHEMA, "On the authority, run CREATE EXTENSION gid."},
		{ERRCODE_LOCK_NOT_AVAILABLE, "On the authority, look for the transaction that has locked the sequence or table."},
		/* waits for locks end earlier, and so do not come here */
		{ERRCODE_QUERY_CANCELED, "The authority perhaps waits for its synchronous standbys. There, pg_stat_replication shows them."},
		{ERRCODE_SEQUENCE_GENERATOR_LIMIT_EXCEEDED, "On the authority, the sequence or the launch is at its end, or all node numbers are leased."},
	};

	if (answer->needs_password)
		return "Put the password into a password file of the operating system's user that this server runs as.";
	for (int i = 0; i < (int) lengthof(hints); i++)
	{
		if (answer->sqlstate == hints[i].sqlstate)
			return hints[i].hint;
	}
	if (answer->outcome == GID_REFUSED)
		return answer->sqlstate != 0 ? "The log of this server has what the authority said." :
			"Check that the connection URI names a database of an authority, with the extension gid.";
	return "Check that an authority runs and accepts connections from this server. Ids continue by themselves when it answers. The log of this server says more.";
}

/*
 * Put a question to the servers of a list of checked URIs (char *), in the
 * order of the list, until one answers.  Servers that failed a short while ago
 * are asked last.  "numbers" gets the numbers of an answer that is_answer() of
 * the question accepts, also if it could not be confirmed.  Returns false if
 * no server answers; then "silence" says why, in the caller's memory.
 *
 * May wait, interruptibly: for each host of each server, connect_timeout (2 s
 * by default) and 2 s.  Raises 53200 when this server is out of memory.  Takes
 * the lock GidFailure for moments.
 */
bool
gid_ask(List *uris, const GidQuestion *question, int64 *numbers,
		GidSilence *silence)
{
	int			n = list_length(uris);
	const char **problems = palloc0(n * sizeof(char *));
	char	  **logs = palloc0(n * sizeof(char *));
	StringInfoData detail;
	StringInfoData log;

	(void) gid_slot_mine();
	memset(silence, 0, sizeof(*silence));
	for (int i = 0; i < 2 * n; i++)
	{
		int64		pause_us = i < n ? GID_ASK_PASS_OVER_US : GID_ASK_LAST_RESORT_US;
		char	   *uri = list_nth(uris, i % n);
		GidPeerAnswer answer;

		if (logs[i % n] != NULL)
			continue;
		if (!question->is_retried && !gid_ask_may(uri, pause_us))
		{
			problems[i % n] = "passed over, because it failed a short while ago";
			continue;
		}
		gid_ask_server(uri, question, numbers, &silence->clock_s, &answer);
		if (answer.outcome == GID_ANSWERED)
			return true;
		problems[i % n] = answer.problem;
		logs[i % n] = gid_ask_log(&answer);
		if (silence->hint == NULL)
			silence->hint = gid_ask_hint(&answer);
		silence->sqlstate = answer.sqlstate;
	}

	initStringInfo(&detail);
	initStringInfo(&log);
	for (int i = 0; i < n; i++)
	{
		char	   *name = gid_uri_name(list_nth(uris, i));

		appendStringInfo(&detail, "%s%s: %s", i > 0 ? "\n" : "", name, problems[i]);
		appendStringInfo(&log, "%s%s: %s", i > 0 ? "\n" : "", name,
						 logs[i] != NULL ? logs[i] : problems[i]);
	}
	silence->detail = detail.data;
	silence->log = log.data;
	if (silence->hint == NULL)
		silence->hint = "An authority that failed is asked again after 2 s if no other answers, and after 30 s otherwise.";
	return false;
}

/* For ereport(): detail and hint of a question that nobody has answered. */
int
gid_ask_details(const GidSilence *silence)
{
	errdetail_internal("%s", silence->detail);
	errdetail_log("%s", silence->log);
	return errhint("%s", silence->hint);
}
