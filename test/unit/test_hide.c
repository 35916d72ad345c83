/*-------------------------------------------------------------------------
 *
 * test_hide.c
 *		Names that are hidden in lines.
 *
 * Copyright (c) 2026, the gid authors
 *
 *-------------------------------------------------------------------------
 */
#include "postgres_fe.h"

#include "text/hide.h"
#include "tap.h"

typedef struct HideCase
{
	const char *name;
	const char *line;
	const char *hidden;
}			HideCase;

static const HideCase cases[] = {
	/* what servers and libpq say */
	{"kumquat", "FATAL:  role \"kumquat\" does not exist", "FATAL:  role \"***\" does not exist"},
	{"postgres", "server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed: role \"postgres\"",
	"server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed: role \"***\""},
	{"run", "socket \"/var/run/postgresql/.s.PGSQL.5432\"", "socket \"/var/run/postgresql/.s.PGSQL.5432\""},
	{"ids", "no entry for host \"ids.example\", user \"ids\", database \"my_ids\"",
	"no entry for host \"ids.example\", user \"***\", database \"my_ids\""},
	{"kumquat", "Rolle \302\273kumquat\302\253 existiert nicht", "Rolle \302\273***\302\253 existiert nicht"},
	{"kumquat", "principal kumquat@REALM, 'kumquat' `kumquat` (kumquat) kumquat:kumquat",
	"principal ***@REALM, '***' `***` (***) ***:***"},
	{"system", "systemd cannot read the system's root certificate",
	"systemd cannot read the ***'s root certificate"},

	/* each neighbour that makes a longer word */
	{"ab", "zab 0ab Zab _ab -ab .ab /ab aba ab9 abA ab_ ab- ab. ab/",
	"zab 0ab Zab _ab -ab .ab /ab aba ab9 abA ab_ ab- ab. ab/"},
	{"ab", "aab Aab 9ab abz abZ ab0", "aab Aab 9ab abz abZ ab0"},
	/* and those beside them in ASCII, which make none */
	{"ab", "`ab{ @ab[ :ab, +ab\177 \200ab\377", "`**{ @**[ :**, +**\177 \200**\377"},

	/* a path, wherever it stands */
	{"/h/.pgpass", "x/h/.pgpass\"/h/.pgpass\"/h/.pgpass/h/.pgpass", "x***\"***\"******"},
	{"c/k", "c/k.pem ack c/kc/c/k", "***.pem ack ***c/***"},

	/* lengths, ends, names side by side */
	{"q", "q", "*"},
	{"ab", "ab", "**"},
	{"abc", "abc", "***"},
	{"abcd", "abcd", "***"},
	{"/", "/a/", "*a*"},
	{"ab", "ab ab", "** **"},
	{"ab", "abab", "abab"},
	{"aa", "aaa aa", "aaa **"},
	{"a\"b", "role \"a\"b\" is", "role \"***\" is"},
	{"a b", "a b a ba b", "*** a ba b"},
	{"*", "* ** a*", "* ** a*"},
	{"****", "****", "***"},
	{"\303\274", "\"\303\274\" \303\274ber", "\"**\" \303\274ber"},
	{"longer than the line", "line", "line"},
	{"", "line", "line"},
	{"name", "", ""},
};

int
main(void)
{
	tap_start();
	tap_begin("names are hidden in lines");
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		/* of its exact length, so that the sanitizer sees a step beyond it */
		char	   *line = strdup(cases[i].line);

		gid_hide_name(line, cases[i].name);
		tap_check(strcmp(line, cases[i].hidden) == 0, "%s: %s", cases[i].name, line);
		free(line);
	}
	tap_end();
	return tap_done();
}
