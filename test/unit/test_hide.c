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
	const char *as_word;
	const char *as_text;
}			HideCase;

static const HideCase cases[] = {
	/* what servers and libpq say */
	{"kumquat", "FATAL:  role \"kumquat\" does not exist",
	"FATAL:  role \"***\" does not exist", "FATAL:  role \"***\" does not exist"},
	{"postgres", "server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed: role \"postgres\"",
		"server on socket \"/var/run/postgresql/.s.PGSQL.5432\" failed: role \"***\"",
	"server on socket \"/var/run/***ql/.s.PGSQL.5432\" failed: role \"***\""},
	{"run", "socket \"/var/run/postgresql/.s.PGSQL.5432\"",
	"socket \"/var/run/postgresql/.s.PGSQL.5432\"", "socket \"/var/***/postgresql/.s.PGSQL.5432\""},
	{"ids", "no entry for host \"ids.example\", user \"ids\", database \"my_ids\"",
		"no entry for host \"ids.example\", user \"***\", database \"my_ids\"",
	"no entry for host \"***.example\", user \"***\", database \"my_***\""},
	{"kumquat", "Rolle \302\273kumquat\302\253 existiert nicht",
	"Rolle \302\273***\302\253 existiert nicht", "Rolle \302\273***\302\253 existiert nicht"},
	{"kumquat", "principal kumquat@REALM, 'kumquat' `kumquat` (kumquat) kumquat:kumquat",
		"principal ***@REALM, '***' `***` (***) ***:***",
	"principal ***@REALM, '***' `***` (***) ***:***"},

	/* each neighbour that makes a longer word */
	{"ab", "zab 0ab Zab _ab -ab .ab /ab aba ab9 abA ab_ ab- ab. ab/",
		"zab 0ab Zab _ab -ab .ab /ab aba ab9 abA ab_ ab- ab. ab/",
	"z** 0** Z** _** -** .** /** **a **9 **A **_ **- **. **/"},
	/* and those beside them in ASCII, which make none */
	{"ab", "`ab{ @ab[ :ab, 0/ab\177 \200ab\377", "`**{ @**[ :**, 0/ab\177 \200**\377",
	"`**{ @**[ :**, 0/**\177 \200**\377"},

	/* lengths, ends, names side by side */
	{"q", "q", "*", "*"},
	{"ab", "ab", "**", "**"},
	{"abc", "abc", "***", "***"},
	{"abcd", "abcd", "***", "***"},
	{"ab", "ab ab", "** **", "** **"},
	{"ab", "abab", "abab", "****"},
	{"aa", "aaa aa", "aaa **", "**a **"},
	{"a\"b", "role \"a\"b\" is", "role \"***\" is", "role \"***\" is"},
	{"a b", "a b a ba b", "*** a ba b", "*** ******"},
	{"*", "* ** a*", "* ** a*", "* ** a*"},
	{"****", "****", "***", "***"},
	{"\303\274", "\"\303\274\" \303\274ber", "\"**\" \303\274ber", "\"**\" **ber"},
	{"longer than the line", "line", "line", "line"},
	{"", "line", "line", "line"},
	{"name", "", "", ""},
};

int
main(void)
{
	tap_start();
	tap_begin("names are hidden as words, and everywhere");
	for (int i = 0; i < (int) lengthof(cases); i++)
	{
		const		HideCase *c = &cases[i];

		/* of its exact length, so that the sanitizer sees a step beyond it */
		char	   *word = strdup(c->line);
		char	   *text = strdup(c->line);

		gid_hide_word(word, c->name);
		tap_check(strcmp(word, c->as_word) == 0, "word %s: %s", c->name, word);
		gid_hide_text(text, c->name);
		tap_check(strcmp(text, c->as_text) == 0, "text %s: %s", c->name, text);
		free(word);
		free(text);
	}
	tap_end();
	return tap_done();
}
