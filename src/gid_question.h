/*-------------------------------------------------------------------------
 *
 * gid_question.h
 *		A question to another server.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_QUESTION_H
#define GID_QUESTION_H

/* A question has answers of so many columns at most. */
#define GID_QUESTION_COLUMNS		4

/* What a server says of a failure is cut off so far. */
#define GID_QUESTION_SAID_SIZE	160

/* What is asked. */
typedef struct GidQuestion GidQuestion;
struct GidQuestion
{
	Oid			owner;			/* the role whose user mapping and right on
								 * the foreign server count */
	const char *call;			/* of a function of gid there, without its
								 * schema; all arguments, quoted and with
								 * their types */
	int			ncolumns;		/* of the one row that it gives, integers */
	int64		count;			/* for is_answer: how much is asked for */

	/* can this be the answer? */
	bool		(*is_answer) (const GidQuestion *question, const int64 *answer);
};

/* What came of it. */
typedef enum GidOutcome
{
	GID_ANSWERED,
	GID_REFUSED,				/* it lives, and sent an error or nonsense */
	GID_FAILED,					/* it did not answer */
	GID_NOT_ASKED				/* for a reason on this server */
} GidOutcome;

extern GidOutcome gid_question_ask(const char *dblink, Oid server,
								   const GidQuestion *question,
								   int64 *answer, char **said);

#endif							/* GID_QUESTION_H */
