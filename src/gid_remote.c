/*-------------------------------------------------------------------------
 *
 * gid_remote.c
 *		Asking the first of several servers that answers.
 *
 * A question is put to the foreign servers of a list one after the other
 * (gid_question.c), until one answers.
 *
 * State: in shared memory the servers that failed and until when they are
 * passed over.
 *
 * Invariants:
 * 1. One that fails is passed over for GID_REMOTE_PASS_OVER_US by all
 *	  backends of the database that ask as the same role; the one that tries
 *	  it again moves that time ahead first, so that it alone waits for it.
 *	  What fails with one role's user mapping says nothing about another's.
 * 2. No lock is held while a server is asked.
 *
 * A crash forgets who failed.  Nothing here depends on the clock but on the
 * monotonic one.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "foreign/foreign.h"
#include "miscadmin.h"

#include "gid_clock.h"
#include "gid_dblink.h"
#include "gid_remote.h"
#include "gid_shmem.h"

/* A server that failed is passed over for this time ... */
#define GID_REMOTE_PASS_OVER_US INT64CONST(30000000)

/* ... but when no other answers, it is tried again after this. */
#define GID_REMOTE_LAST_RESORT_US INT64CONST(2000000)

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

/* The row of a server and role, or NULL.  The caller has the lock. */
static GidRemoteRow *
gid_remote_row(Oid server, Oid owner)
{
	GidRemoteRow *rows = gid_remote_table()->rows;

	for (int i = 0; i < GID_REMOTE_ROWS; i++)
	{
		if (rows[i].database == MyDatabaseId && rows[i].server == server &&
			rows[i].owner == owner)
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
gid_remote_may_ask(Oid server, Oid owner, bool last_resort,
				   char said[GID_QUESTION_SAID_SIZE])
{
	int64		now_us = gid_clock_monotonic_us();
	GidRemoteRow *row;
	bool		may = true;

	LWLockAcquire(&gid_remote_table()->lock, LW_EXCLUSIVE);
	row = gid_remote_row(server, owner);
	if (row != NULL)
	{
		may = now_us >= (last_resort ? row->failed_us + GID_REMOTE_LAST_RESORT_US :
						 row->retry_us);
		if (may)
		{
			row->failed_us = now_us;
			row->retry_us = now_us + GID_REMOTE_PASS_OVER_US;
		}
		strlcpy(said, row->said, GID_QUESTION_SAID_SIZE);
	}
	LWLockRelease(&gid_remote_table()->lock);
	return may;
}

/* Note that a server has failed, in place of the one that did so first. */
static void
gid_remote_note_failed(Oid server, Oid owner, const char *said)
{
	int64		now_us = gid_clock_monotonic_us();
	GidRemoteRow *row;

	LWLockAcquire(&gid_remote_table()->lock, LW_EXCLUSIVE);
	row = gid_remote_row(server, owner);
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
	row->owner = owner;
	row->failed_us = now_us;
	row->retry_us = now_us + GID_REMOTE_PASS_OVER_US;
	strlcpy(row->said, said, sizeof(row->said));
	LWLockRelease(&gid_remote_table()->lock);
}

static void
gid_remote_note_alive(Oid server, Oid owner)
{
	GidRemoteRow *row;

	LWLockAcquire(&gid_remote_table()->lock, LW_EXCLUSIVE);
	row = gid_remote_row(server, owner);
	if (row != NULL)
		row->database = InvalidOid;
	LWLockRelease(&gid_remote_table()->lock);
}

/* Put the question to one server, and note how it is for the role. */
static bool
gid_remote_ask_server(const char *dblink, const char *name, Oid server,
					  const GidQuestion *question, int64 *answer, char **said)
{
	GidOutcome	outcome = gid_question_ask(dblink, server, question, answer, said);

	switch (outcome)
	{
		case GID_ANSWERED:
		case GID_REFUSED:
			gid_remote_note_alive(server, question->owner);
			break;
		case GID_FAILED:
			gid_remote_note_failed(server, question->owner, *said);
			ereport(LOG,
					(errmsg("gid: foreign server \"%s\" failed and is passed over for %d s",
							name, (int) (GID_REMOTE_PASS_OVER_US / GID_US_PER_S)),
					 errdetail_log("%s", *said)));
			break;
		case GID_NOT_ASKED:
			break;
	}
	return outcome == GID_ANSWERED;
}

/*
 * Put a question to the foreign servers of these names, the first first, until
 * one answers; those that failed a while ago last.  False when none does; "said"
 * then has a line for each.  "needed" is whether 55000 is raised when dblink is
 * not installed; else that is false, too.
 *
 * May wait for each server as long as gid_question_ask() says.
 */
bool
gid_remote_ask(List *servers, const GidQuestion *question, bool needed,
			   int64 *answer, StringInfo said)
{
	int			n = list_length(servers);
	char	  **lines = palloc0(n * sizeof(char *));
	bool	   *asked = palloc0(n * sizeof(bool));
	char	   *dblink = gid_dblink_schema();

	if (dblink == NULL)
	{
		if (needed)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("extension \"dblink\" is not installed in this database"),
					 errdetail("It is what gid asks other servers with."),
					 errhint("Use CREATE EXTENSION dblink.")));
		return false;
	}
	for (int i = 0; i < 2 * n; i++)
	{
		bool		last_resort = i >= n;
		char	   *name = list_nth(servers, i % n);
		Oid			server = get_foreign_server_oid(name, true);
		char		before[GID_QUESTION_SAID_SIZE] = "";

		if (asked[i % n])
			continue;
		if (!OidIsValid(server))
		{
			asked[i % n] = true;
			lines[i % n] = "there is no such foreign server";
		}
		else if (gid_remote_may_ask(server, question->owner, last_resort, before))
		{
			asked[i % n] = true;
			if (gid_remote_ask_server(dblink, name, server, question, answer,
									  &lines[i % n]))
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
