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

/* So many foreign servers that failed are remembered. */
#define GID_REMOTE_ROWS			64

/* What a failed server said is remembered so far. */
#define GID_REMOTE_SAID_SIZE	160

/* A question has answers of so many columns at most. */
#define GID_REMOTE_COLUMNS		4

/* A foreign server that failed; all members: lock. */
typedef struct GidRemoteRow
{
	Oid			database;		/* 0: the row is free */
	Oid			server;
	int64		failed_us;		/* monotonic time */
	int64		retry_us;		/* monotonic time until which it is passed
								 * over */
	char		said[GID_REMOTE_SAID_SIZE];
} GidRemoteRow;

/* The table; gid_remote.c owns the rules. */
typedef struct GidRemoteTable
{
	LWLock		lock;			/* protects the rows */
	GidRemoteRow rows[GID_REMOTE_ROWS]; /* lock */
} GidRemoteTable;

/* What is asked. */
typedef struct GidQuestion
{
	Oid			owner;			/* the role whose user mapping and right on
								 * the foreign server count */
	const char *call;			/* of a function of gid there, without its
								 * schema, all arguments quoted */
	int			ncolumns;		/* of the one row that it gives, integers */
} GidQuestion;

extern void gid_remote_init(GidRemoteTable *table, int tranche);
extern bool gid_remote_ask(List *servers, const GidQuestion *question,
						   int64 *answer, StringInfo said);

#endif							/* GID_REMOTE_H */
