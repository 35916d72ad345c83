/*-------------------------------------------------------------------------
 *
 * peer/uri.c
 *		Connection URIs of other servers.
 *
 * A setting names other servers by libpq connection URIs, separated by blanks.
 * This file checks such a list, takes it apart, and makes the name of a server
 * for messages and views: hosts, ports and database.
 *
 * State: none.
 *
 * Invariants:
 * 1. Messages and names made here show only hosts, ports and database of a
 *	  URI.  libpq's own messages about a URI quote it, and are not passed on.
 * 2. A URI that passed the check holds no secret, because every user can read
 *	  pg_db_role_setting.  It names its hosts, a database and a user, so no
 *	  default of libpq leads to a server or a role that the setting does not
 *	  name.  It has only parameters of gid_uri_parameters: a parameter of a
 *	  newer libpq is refused until somebody has looked at it.
 * 3. The check runs wherever the server checks settings, also in the
 *	  postmaster.  It asks no name service, and raises an error only where
 *	  libpq cannot be loaded (peer/libpq.c).
 *
 * References: PostgreSQL's documentation, "Connection URIs".
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "parser/scansup.h"

#include "peer/libpq.h"
#include "peer/uri.h"

/*
 * The parameters that a URI may have.  Others are secrets (password), have a
 * value of gid's own (client_encoding), take parameters from elsewhere
 * (service), change what the connection is for (replication), give secrets
 * away (gssdelegation, sslkeylogfile), need a person at a browser (oauth_...),
 * or have no effect, because gid connects to each host alone
 * (load_balance_hosts).
 */
static const char *const gid_uri_parameters[] = {
	"application_name", "channel_binding", "connect_timeout", "dbname",
	"gssencmode", "host", "hostaddr", "keepalives", "keepalives_count",
	"keepalives_idle", "keepalives_interval", "krbsrvname",
	"max_protocol_version", "min_protocol_version", "options", "passfile",
	"port", "require_auth", "requirepeer", "ssl_max_protocol_version",
	"ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcrl",
	"sslcrldir", "sslkey", "sslmode", "sslnegotiation", "sslrootcert",
	"sslsni", "target_session_attrs", "tcp_user_timeout", "user"
};

/* connect_timeout, if the URI does not give it. */
#define GID_URI_TIMEOUT_S	2

/* Return the next URI of a list, and move *p behind it; NULL: no more. */
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

/*
 * Return the value of an option, or NULL when it is not given or empty.  The
 * value belongs to "options".  Raises nothing.
 */
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

/*
 * Return element "n" (from 0) of an option that has an element for each host,
 * and its length; NULL: there is none, or it is empty.  A single port is the
 * port of all hosts.
 */
static const char *
gid_uri_element(const PQconninfoOption *options, const char *keyword, int n,
				int *length)
{
	const char *list = gid_uri_value(options, keyword);

	if (list != NULL && strcmp(keyword, "port") == 0 && strchr(list, ',') == NULL)
		n = 0;
	while (list != NULL && n-- > 0)
	{
		list = strchr(list, ',');
		if (list != NULL)
			list++;
	}
	*length = list == NULL ? 0 : (int) strcspn(list, ",");
	return *length == 0 ? NULL : list;
}

/* Return how many elements such an option has. */
static int
gid_uri_count(const PQconninfoOption *options, const char *keyword)
{
	const char *list = gid_uri_value(options, keyword);
	int			n = list == NULL ? 0 : 1;

	for (; list != NULL && *list != '\0'; list++)
		n += *list == ',';
	return n;
}

/* Count the hosts of a URI; 0: one has no name, or the counts differ. */
static int
gid_uri_hosts(const PQconninfoOption *options)
{
	int			hosts = gid_uri_count(options, "host");
	int			addresses = gid_uri_count(options, "hostaddr");
	int			ports = gid_uri_count(options, "port");
	int			length;

	if ((hosts > 0 && addresses > 0 && hosts != addresses) ||
		(ports > 1 && ports != Max(hosts, addresses)))
		return 0;
	for (int n = 0; n < Max(hosts, addresses); n++)
	{
		if (gid_uri_element(options, "host", n, &length) == NULL &&
			gid_uri_element(options, "hostaddr", n, &length) == NULL)
			return 0;
	}
	return Max(hosts, addresses);
}

/* Note what is wrong.  Returns false, so that the caller can return it. */
static bool
gid_uri_wrong(GidUriProblem *problem, const char *detail)
{
	strlcpy(problem->detail, detail, sizeof(problem->detail));
	return false;
}

/*
 * Is an option a secret?  libpq marks secrets with an asterisk, but for the
 * keys of SCRAM (18), which are as good as the password.
 */
static bool
gid_uri_is_secret(const PQconninfoOption *option)
{
	return strchr(option->dispchar, '*') != NULL ||
		strcmp(option->keyword, "scram_client_key") == 0 ||
		strcmp(option->keyword, "scram_server_key") == 0;
}

/* May a URI have each of these options?  An empty one counts as not given. */
static bool
gid_uri_check_parameters(const PQconninfoOption *options, GidUriProblem *problem)
{
	for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
	{
		int			i;

		if (o->val == NULL || o->val[0] == '\0')
			continue;
		if (gid_uri_is_secret(o))
		{
			problem->hint = "Settings can be read by others. Put the password into a password file of the operating system's user that the server runs as.";
			return gid_uri_wrong(problem, "A connection URI must not contain a password or another secret.");
		}
		for (i = 0; i < (int) lengthof(gid_uri_parameters); i++)
		{
			if (strcmp(gid_uri_parameters[i], o->keyword) == 0)
				break;
		}
		if (i == (int) lengthof(gid_uri_parameters))
		{
			snprintf(problem->detail, sizeof(problem->detail),
					 "A connection URI must not have the parameter \"%s\".", o->keyword);
			return false;
		}
	}
	return true;
}

/* Are the options of a URI good? */
static bool
gid_uri_check_options(const PQconninfoOption *options, GidUriProblem *problem)
{
	const char *timeout = gid_uri_value(options, "connect_timeout");

	if (!gid_uri_check_parameters(options, problem))
		return false;
	if (gid_uri_hosts(options) == 0)
		return gid_uri_wrong(problem, "A connection URI must name each of its hosts, and a port for each or one for all.");
	if (gid_uri_value(options, "dbname") == NULL)
		return gid_uri_wrong(problem, "A connection URI must name a database.");
	if (gid_uri_value(options, "user") == NULL)
		return gid_uri_wrong(problem, "A connection URI must name a user.");
	if (timeout != NULL &&
		(strspn(timeout, "0123456789") != strlen(timeout) || strlen(timeout) > 4 ||
		 atoi(timeout) < 1 || atoi(timeout) > 3600))
		return gid_uri_wrong(problem, "The connect_timeout of a connection URI must be a number of seconds from 1 to 3600.");
	return true;
}

/* Is a URI good? */
static bool
gid_uri_check(const char *uri, GidUriProblem *problem)
{
	PQconninfoOption *options;
	char	   *libpq_says = NULL;
	bool		good;

	if ((strncmp(uri, "postgresql://", 13) != 0 && strncmp(uri, "postgres://", 11) != 0) ||
		strstr(strstr(uri, "://") + 1, "://") != NULL ||
		strchr(",;", uri[strlen(uri) - 1]) != NULL)
		return gid_uri_wrong(problem, "The value must be libpq connection URIs, postgresql://user@host:port/database, separated by blanks.");
	options = gid_libpq.PQconninfoParse(uri, &libpq_says);
	if (libpq_says != NULL)
		gid_libpq.PQfreemem(libpq_says);
	if (options == NULL)
		return gid_uri_wrong(problem, "The value is not a valid libpq connection URI.");
	good = gid_uri_check_options(options, problem);
	gid_libpq.PQconninfoFree(options);
	return good;
}

/*
 * Check a list of up to "max" (1 or GID_URI_MAX) URIs.  An empty list is good.
 * Returns whether the list is good; if not, "problem" says why.  Does not
 * wait.  Raises what gid_libpq_load() raises.
 */
bool
gid_uri_check_list(const char *list, int max, GidUriProblem *problem)
{
	const char *rest = list;
	const char *start;
	int			length;
	int			n = 0;

	problem->hint = NULL;
	while ((start = gid_uri_next(&rest, &length)) != NULL)
	{
		char	   *uri;
		bool		good;

		StaticAssertStmt(GID_URI_MAX == 16, "the message says so");
		if (++n > max)
			return gid_uri_wrong(problem, max == 1 ? "The value must be one connection URI." :
								 "The value has more than 16 connection URIs.");
		gid_libpq_load();
		uri = strndup(start, length);
		if (uri == NULL)
			return gid_uri_wrong(problem, "Out of memory.");
		good = gid_uri_check(uri, problem);
		free(uri);
		if (!good)
			return false;
	}
	if (n == 0 && list[0] != '\0')
		return gid_uri_wrong(problem, "The value is blank. Use an empty string to name no server.");
	return true;
}

/* Return the URIs (char *) of a checked list, in the caller's memory. */
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

/* Append an option to a connection string. */
static void
gid_uri_append(StringInfo string, const char *keyword, const char *value, int length)
{
	appendStringInfo(string, "%s='", keyword);
	for (int i = 0; i < length; i++)
	{
		if (value[i] == '\'' || value[i] == '\\')
			appendStringInfoChar(string, '\\');
		appendStringInfoChar(string, value[i]);
	}
	appendStringInfoString(string, "' ");
}

/*
 * Return the connection string of host "n".  The string begins with values of
 * gid's own, which come before those that are compiled into libpq.
 */
static char *
gid_uri_host_string(const PQconninfoOption *options, int n)
{
	StringInfoData string;

	initStringInfo(&string);
	appendStringInfo(&string, "fallback_application_name=gid client_encoding='%s' port='%s' ",
					 GetDatabaseEncodingName(), DEF_PGPORT_STR);
	for (const PQconninfoOption *o = options; o->keyword != NULL; o++)
	{
		const char *value = gid_uri_value(options, o->keyword);
		int			length = value == NULL ? 0 : (int) strlen(value);

		if (strcmp(o->keyword, "host") == 0 || strcmp(o->keyword, "hostaddr") == 0 ||
			strcmp(o->keyword, "port") == 0)
			value = gid_uri_element(options, o->keyword, n, &length);
		if (value != NULL)
			gid_uri_append(&string, o->keyword, value, length);
	}
	return string.data;
}

/*
 * Take a checked URI apart: a connection string for each of its hosts, its
 * name and its connect_timeout.  The result is in the caller's memory.  Raises
 * 53200 when there is no memory.  Does not wait.
 */
GidUri *
gid_uri_parse(const char *uri)
{
	PQconninfoOption *options = gid_libpq.PQconninfoParse(uri, NULL);
	GidUri	   *parsed = palloc0(sizeof(GidUri));
	StringInfoData name;

	if (options == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("A connection URI could not be read.")));
	parsed->timeout_s = GID_URI_TIMEOUT_S;
	if (gid_uri_value(options, "connect_timeout") != NULL)
		parsed->timeout_s = atoi(gid_uri_value(options, "connect_timeout"));

	initStringInfo(&name);
	for (int n = 0; n < gid_uri_hosts(options); n++)
	{
		int			host_length;
		int			port_length;
		const char *host = gid_uri_element(options, "host", n, &host_length);
		const char *port = gid_uri_element(options, "port", n, &port_length);

		if (host == NULL)
			host = gid_uri_element(options, "hostaddr", n, &host_length);
		parsed->hosts = lappend(parsed->hosts, gid_uri_host_string(options, n));
		appendStringInfo(&name, "%s%.*s:", n > 0 ? "," : "", host_length, host);
		if (port != NULL)
			appendBinaryStringInfo(&name, port, port_length);
		else
			appendStringInfoString(&name, DEF_PGPORT_STR);
	}
	appendStringInfo(&name, "/%s", gid_uri_value(options, "dbname"));
	parsed->name = name.data;
	gid_libpq.PQconninfoFree(options);
	return parsed;
}

/*
 * Return the name of the first server of a checked list that is not empty, in
 * the caller's memory.  Errors are those of gid_uri_parse().
 */
char *
gid_uri_name(const char *list)
{
	return gid_uri_parse(linitial(gid_uri_split(list)))->name;
}
