/*-------------------------------------------------------------------------
 *
 * peer/libpq.h
 *		libpq, which is loaded when it is needed.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#ifndef GID_PEER_LIBPQ_H
#define GID_PEER_LIBPQ_H

#include "libpq-fe.h"

/* The functions of libpq that gid calls. */
#define GID_LIBPQ_FUNCTIONS(FUNCTION) \
	FUNCTION(PQclear) \
	FUNCTION(PQconnectPoll) \
	FUNCTION(PQconnectStart) \
	FUNCTION(PQconnectionNeedsPassword) \
	FUNCTION(PQconninfo) \
	FUNCTION(PQconninfoFree) \
	FUNCTION(PQconninfoParse) \
	FUNCTION(PQconsumeInput) \
	FUNCTION(PQerrorMessage) \
	FUNCTION(PQfformat) \
	FUNCTION(PQfinish) \
	FUNCTION(PQflush) \
	FUNCTION(PQfreemem) \
	FUNCTION(PQgetResult) \
	FUNCTION(PQgetisnull) \
	FUNCTION(PQgetlength) \
	FUNCTION(PQgetvalue) \
	FUNCTION(PQisBusy) \
	FUNCTION(PQnfields) \
	FUNCTION(PQnotifies) \
	FUNCTION(PQresultErrorField) \
	FUNCTION(PQresultErrorMessage) \
	FUNCTION(PQresultStatus) \
	FUNCTION(PQsendQueryParams) \
	FUNCTION(PQsetNoticeReceiver) \
	FUNCTION(PQsetSingleRowMode) \
	FUNCTION(PQsetnonblocking) \
	FUNCTION(PQsocket) \
	FUNCTION(PQstatus)

/* Their addresses, NULL before gid_libpq_load(). */
typedef struct GidLibpq
{
#define GID_LIBPQ_MEMBER(name) __typeof__(&(name)) name;
	GID_LIBPQ_FUNCTIONS(GID_LIBPQ_MEMBER)
} GidLibpq;

extern GidLibpq gid_libpq;

extern void gid_libpq_load(void);

#endif							/* GID_PEER_LIBPQ_H */
