/*-------------------------------------------------------------------------
 *
 * fleet/uri.c
 *		Connection URIs of other servers.
 *
 * A setting names other servers by libpq connection URIs, separated by blanks.
 * This file checks such a list, takes it apart, and makes the name of a server
 * for messages and views: hosts, ports and database.
 *
 * State: none.
 *
 * Invariants:
 * 1. No message and no name made here has any other part of a URI than hosts,
 *	  ports and database.  libpq's own messages about a URI quote it, and are
 *	  not passed on.
 * 2. A URI that passed the check holds no secret: libpq says which options are
 *	  secrets, and all of them are refused.  Settings of a database or a role
 *	  can be read by every user, in pg_db_role_setting.
 * 3. A URI that passed the check names a host and a database, so that no
 *	  default of libpq leads to a server that nobody named.
 *
 * The check runs wherever the server checks settings, in the postmaster, too:
 * it raises no error and asks no name service.
 *
 * References: PostgreSQL's documentation, "Connection URIs".
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "libpq-fe.h"
#include "mb/pg_wchar.h"
#include "parser/scansup.h"

#include "fleet/uri.h"

#define GID_URI_SECRET	"A connection URI must not contain a password or another secret."

/* How long connecting to a host may take, unless the URI says it. */
#define GID_URI_TIMEOUT_S	2

/* The next URI of a list from *p on, which is moved behind it; NULL: no more. */
static const char *
gid_uri_next(const char **p, int *length)
{
	const char *start;

	while (scanner_isspace(**p))
		(*p)++;
	start = *p;
	while (**p != '\0' && !scanner_isspace(**p))
		(*p)++;
	*length = (int) (*p - start);
	return *length > 0 ? start : NULL;
}

/* The value of an option, or NULL when it is not given or empty. */
const char *
gid_uri_value(const PQconninfoOption *options, const char *keyword)
{
	for (; options->keyword != NULL; options++)
	{
		if (strcmp(options->keyword, keyword) == 0)
			return options->val != NULL && options->val[0] != '\0' ? options->val : NULL;
	}
	return NULL;
}

/* What is wrong with the options of a URI; NULL: nothing. */
static const char *
gid_uri_check_options(const PQconninfoOption *options)
{
	const char *timeout = gid_uri_value(options, "connect_timeout");

	for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
	{
		/* libpq marks with an asterisk what is not to be shown */
		if (o->val != NULL && o->val[0] != '\0' && strchr(o->dispchar, '*') != NULL)
			return GID_URI_SECRET;
	}
	if (gid_uri_value(options, "host") == NULL &&
		gid_uri_value(options, "hostaddr") == NULL)
		return "A connection URI must name a host.";
	if (gid_uri_value(options, "dbname") == NULL)
		return "A connection URI must name a database.";
	if (timeout != NULL &&
		(strspn(timeout, "0123456789") != strlen(timeout) || strlen(timeout) > 4 ||
		 atoi(timeout) < 1 || atoi(timeout) > 3600))
		return "The connect_timeout of a connection URI must be a number of seconds from 1 to 3600.";
	return NULL;
}

/* What is wrong with a URI; NULL: nothing. */
static const char *
gid_uri_check(const char *uri)
{
	PQconninfoOption *options;
	char	   *libpq_says = NULL;
	const char *problem;

	if (strncmp(uri, "postgresql://", 13) != 0 && strncmp(uri, "postgres://", 11) != 0)
		return "The value must be libpq connection URIs, postgresql://user@host:port/database, separated by blanks.";
	options = PQconninfoParse(uri, &libpq_says);
	if (libpq_says != NULL)
		PQfreemem(libpq_says);
	if (options == NULL)
		return "The value is not a valid libpq connection URI.";
	problem = gid_uri_check_options(options);
	PQconninfoFree(options);
	return problem;
}

/*
 * Check a list of up to "max" URIs; an empty list is good.  Return what is wrong,
 * as a sentence for an error's detail, or NULL.
 */
const char *
gid_uri_check_list(const char *list, int max)
{
	const char *problem = NULL;
	const char *start;
	int			length;
	int			n = 0;

	while (problem == NULL && (start = gid_uri_next(&list, &length)) != NULL)
	{
		char	   *uri = strndup(start, length);

		problem = uri == NULL ? "Out of memory." : gid_uri_check(uri);
		free(uri);
		if (++n > max)
			problem = max == 1 ? "The value must be one connection URI." :
				"The value has more than 16 connection URIs.";
	}
	StaticAssertStmt(GID_URI_MAX == 16, "the message says so");
	return problem;
}

/* What helps against a problem; NULL: nothing but to correct the value. */
const char *
gid_uri_hint(const char *problem)
{
	if (strcmp(problem, GID_URI_SECRET) == 0)
		return "Settings can be read by others. Put the password into a password file of the operating system's user that the server runs as.";
	return NULL;
}

/* The URIs of a list that was checked, in the caller's memory. */
List *
gid_uri_split(const char *list)
{
	List	   *uris = NIL;
	const char *start;
	int			length;

	while ((start = gid_uri_next(&list, &length)) != NULL)
		uris = lappend(uris, pnstrdup(start, length));
	return uris;
}

/*
 * Element "n", from 0 on, of an option that has one for each host, in the
 * caller's memory.  A single port is that of all hosts.  NULL: none, or empty.
 */
static char *
gid_uri_element(const PQconninfoOption *options, const char *keyword, int n)
{
	const char *list = gid_uri_value(options, keyword);
	size_t		length;

	if (list != NULL && strcmp(keyword, "port") == 0 && strchr(list, ',') == NULL)
		n = 0;
	while (list != NULL && n-- > 0)
	{
		list = strchr(list, ',');
		if (list != NULL)
			list++;
	}
	length = list == NULL ? 0 : strcspn(list, ",");
	return length == 0 ? NULL : pnstrdup(list, length);
}

/* Append an option to a connection string. */
static void
gid_uri_append(StringInfo string, const char *keyword, const char *value)
{
	appendStringInfo(string, "%s='", keyword);
	for (; *value != '\0'; value++)
	{
		if (*value == '\'' || *value == '\\')
			appendStringInfoChar(string, '\\');
		appendStringInfoChar(string, *value);
	}
	appendStringInfoString(string, "' ");
}

/* The connection string of host "n". */
static char *
gid_uri_host_string(const PQconninfoOption *options, int n)
{
	StringInfoData string;

	initStringInfo(&string);
	/* the first ones, so that the URI may say otherwise */
	gid_uri_append(&string, "fallback_application_name", "gid");
	gid_uri_append(&string, "client_encoding", GetDatabaseEncodingName());
	for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
	{
		bool		of_host = strcmp(o->keyword, "host") == 0 ||
		strcmp(o->keyword, "hostaddr") == 0 || strcmp(o->keyword, "port") == 0;
		const char *value = of_host ? gid_uri_element(options, o->keyword, n) : o->val;

		if (value != NULL)
			gid_uri_append(&string, o->keyword, value);
	}
	return string.data;
}

/*
 * Take a URI apart that was checked: a connection string for each of its hosts,
 * its name and its connect_timeout, in the caller's memory.  53200 when there is
 * no memory.
 */
GidUri *
gid_uri_parse(const char *uri)
{
	PQconninfoOption *options = PQconninfoParse(uri, NULL);
	GidUri	   *parsed = palloc0(sizeof(GidUri));
	StringInfoData name;
	const char *hosts;

	if (options == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("A connection URI could not be read.")));
	hosts = gid_uri_value(options, "host");
	if (hosts == NULL)
		hosts = gid_uri_value(options, "hostaddr");
	parsed->timeout_s = GID_URI_TIMEOUT_S;
	if (gid_uri_value(options, "connect_timeout") != NULL)
		parsed->timeout_s = atoi(gid_uri_value(options, "connect_timeout"));

	initStringInfo(&name);
	for (int n = 0; hosts != NULL; n++)
	{
		char	   *port = gid_uri_element(options, "port", n);

		parsed->hosts = lappend(parsed->hosts, gid_uri_host_string(options, n));
		appendStringInfo(&name, "%s%.*s:%s", n > 0 ? "," : "",
						 (int) strcspn(hosts, ","), hosts,
						 port != NULL ? port : DEF_PGPORT_STR);
		hosts = strchr(hosts, ',');
		if (hosts != NULL)
			hosts++;
	}
	appendStringInfo(&name, "/%s", gid_uri_value(options, "dbname"));
	parsed->name = name.data;
	PQconninfoFree(options);
	return parsed;
}
