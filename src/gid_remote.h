/*-------------------------------------------------------------------------
 *
 * gid_remote.h
 *		Asking other servers.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_REMOTE_H
#define GID_REMOTE_H

#include "lib/stringinfo.h"
#include "nodes/pg_list.h"
#include "storage/lwlock.h"

#include "gid_question.h"

/* So many foreign servers that failed are remembered. */
#define GID_REMOTE_ROWS			64

/* A foreign server that failed a role; all members: lock. */
typedef struct GidRemoteRow
{
	Oid			database;		/* 0: the row is free */
	Oid			server;
	Oid			owner;			/* whose user mapping was used */
	int64		failed_us;		/* monotonic time */
	int64		retry_us;		/* monotonic time until which it is passed
								 * over */
	char		said[GID_QUESTION_SAID_SIZE];
} GidRemoteRow;

/* The table; gid_remote.c owns the rules. */
typedef struct GidRemoteTable
{
	LWLock		lock;			/* protects the rows */
	GidRemoteRow rows[GID_REMOTE_ROWS]; /* lock */
} GidRemoteTable;

extern void gid_remote_init(GidRemoteTable *table, int tranche);
extern bool gid_remote_ask(List *servers, const GidQuestion *question,
						   bool needed, int64 *answer, StringInfo said);

#endif							/* GID_REMOTE_H */
