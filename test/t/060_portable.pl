# The edition in SQL on a server that has no file of the library: who may install it and in
# which ways, what it names and finds, horizons and advances beside others, dumps from and to
# the library's edition.
#
# SQL alone cannot test this: it needs another installation of PostgreSQL, roles that log in,
# sessions that overlap, a crash, and pg_dump.  "make test" runs the regression tests that both
# editions pass (the stage "portable").

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(dirname);
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $TREE = "$FindBin::RealBin/../..";
my $VERSION = '2.1sql';
my $scripts = 0;
my $MADE = PostgreSQL::Test::Utils::tempdir();
my $INSTALL = "$MADE/install.sql";

system_or_bail($^X, "$TREE/tools/portable.pl", $MADE);

# A copy of the installation without gid's files; undef if it does not find its own ones.
sub installation_without_gid
{
	my $copy = PostgreSQL::Test::Utils::tempdir() . '/plain';
	my ($prefix, $share) = (dirname(pg_config_of('pg_config', 'bindir')), pg_config_of('pg_config', 'sharedir'));

	foreach my $part ($prefix, index("$share/", "$prefix/") == 0 ? () : $share)
	{
		system_or_bail('mkdir', '-p', dirname("$copy$part"));
		system_or_bail('cp', '-RL', $part, "$copy$part");
	}
	return undef if pg_config_of("$copy$prefix/bin/pg_config", 'sharedir') ne "$copy$share";
	system_or_bail('sh', '-c', 'rm -f "$1"/gid.so "$2"/gid.control "$2"/gid--*', 'sh',
		pg_config_of("$copy$prefix/bin/pg_config", 'pkglibdir'), "$copy$share/extension");
	return ("$copy$prefix", "$copy$share");
}

my ($prefix, $share) = installation_without_gid();

plan skip_all => 'this installation of PostgreSQL cannot be copied' unless defined $prefix;

my $node = PostgreSQL::Test::Cluster->new('plain', install_path => $prefix);

$node->init;
$node->append_conf('postgresql.conf', <<'EOC');
autovacuum = off
log_statement = none
max_prepared_transactions = 20
restart_after_crash = on
wal_writer_delay = 10s
EOC
$node->start;

# A statement as a role, which logs in.
sub as
{
	my ($role, $db, $sql) = @_;

	return $node->safe_psql($db, $sql, extra_params => [ '-U', $role ]);
}

sub other
{
	my ($sql) = @_;

	return $node->safe_psql('app', $sql);
}

# Runs install.sql as a role, perhaps on another server; what it printed.
sub install
{
	my ($role, $db, @options) = @_;
	my $server = ref $options[0] ? shift @options : $node;
	my ($out, $err) = run_command(
		[ "$prefix/bin/psql", '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $server->connstr($db), '-U', $role, @options, '-f', $INSTALL ]);

	return $err;
}

# How many objects of gid are in a database.
sub objects
{
	my ($db) = @_;

	return $node->safe_psql($db, q{SELECT (SELECT count(*) FROM pg_proc WHERE proname ~ '^gid_')
		+ (SELECT count(*) FROM pg_namespace WHERE nspname = 'gid')});
}

# --- 1. Ways to install, and who may ---------------------------------------

# Without the extension's files: one statement.
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE nobody LOGIN');
$node->safe_psql('postgres', "CREATE DATABASE $_ OWNER owner") foreach qw(app pasted wrong tle);
$node->safe_psql('wrong', 'REVOKE ALL ON DATABASE wrong FROM PUBLIC; GRANT CONNECT ON DATABASE wrong TO nobody');
like(install('nobody', 'wrong'), qr/ERROR:  42501:/, 'install.sql: a role without CREATE on the database');
$node->safe_psql('wrong', 'GRANT CREATE ON DATABASE wrong TO nobody');
like(install('nobody', 'wrong'), qr/ERROR:  42501:/, 'and without CREATE on the schema');
like(install('owner', 'wrong', '-c', 'SET search_path = nowhere'), qr/ERROR:  3F000:.*DETAIL.*HINT/s, 'and without a schema');
$node->safe_psql('wrong', 'CREATE FUNCTION gid_check_valid(text, text) RETURNS int RETURN 1');
like(install('owner', 'wrong'), qr/ERROR:  42723:/, 'and beside a function of one of the names');
is(objects('wrong'), 1, 'nothing is left');
is(install('owner', 'pasted', '-c', 'CREATE SCHEMA ids', '-c', 'SET search_path = ids; CREATE TEMP TABLE text (a int); CREATE TEMP TABLE name (a int)'), '', 'install.sql: the owner of the database, who is no superuser');
is(as('owner', 'pasted', 'SELECT ids.gid_edition(), ids.gid_extract_snowflake_node(ids.gid_make_snowflake_id(now(), 7, 1))'),
	'sql|7', 'the functions are in the chosen schema');
like(install('owner', 'pasted'), qr/ERROR:  42P06: .*DETAIL.*HINT/s, 'a second time');

# With them.  pg_tle takes a name only if no file has it.
if (-e "$share/extension/pg_tle.control")
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'pg_tle'");
	$node->restart;
	$node->safe_psql('tle', 'CREATE EXTENSION pg_tle; GRANT pgtle_admin TO owner');
	is(install('owner', 'tle'), '', 'install.sql registers gid with pg_tle');
	is(as('owner', 'tle', 'CREATE SCHEMA ids; CREATE EXTENSION gid SCHEMA ids; SELECT ids.gid_edition()'),
		'sql', 'and CREATE EXTENSION makes it');
}
system_or_bail('cp', "$TREE/portable/gid.control", "$MADE/gid--$VERSION.sql", "$share/extension/");
sql_fails($node, 'pasted', 'CREATE EXTENSION gid', '42P06', 'no extension over the pasted functions', no_detail => 1, no_hint => 1);
as('owner', 'app', 'CREATE SCHEMA ids; CREATE EXTENSION gid SCHEMA ids');
is(objects('app'), as('owner', 'app', 'SELECT count(*) FILTER (WHERE p.proname ~ $$^gid_$$) + 1 FROM pg_proc AS p'), 'as an extension');
like(install('owner', 'app'), qr/ERROR:  42710: .*DETAIL.*HINT/s, 'install.sql beside an extension');
is(objects('pasted'), objects('app'), 'both ways make as much');

# --- 2. What it consists of -------------------------------------------------

my $MEMBER = q{SELECT p.* FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'gid'
	JOIN pg_proc AS p ON p.oid = d.objid WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass};

is(other("SELECT count(*) > 150, bool_and(proowner = 'owner'::regrole), bool_or(prosecdef OR proleakproof) FROM ($MEMBER) AS p"),
	't|t|f', 'the functions are of the owner, and ask for no right of a superuser');
is(other("SELECT string_agg(DISTINCT lanname, ' ' ORDER BY lanname) FROM ($MEMBER) AS p JOIN pg_language AS l ON l.oid = p.prolang"),
	'plpgsql sql', 'in SQL and PL/pgSQL');
is(other("SELECT proname FROM ($MEMBER) AS p JOIN pg_language AS l ON l.oid = p.prolang
	WHERE lanname = 'sql' AND prosqlbody IS NULL OR lanname = 'plpgsql' AND proconfig IS NULL
		AND prosrc !~ 'gid\\._needs_library' AND proname NOT IN ('_raise', '_needs_library', 'gid_horizon_wait')"),
	'', 'an SQL body is bound to what it names; one in PL/pgSQL has a search path of its own');
is(other(q{SELECT string_agg(DISTINCT i.schema, ' ' ORDER BY i.schema) FROM pg_depend AS d
	JOIN pg_depend AS m ON m.classid = d.classid AND m.objid = d.objid AND m.deptype = 'e'
		AND m.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid')
	CROSS JOIN LATERAL pg_identify_object(d.refclassid, d.refobjid, d.refobjsubid) AS i
	WHERE d.deptype = 'n' AND i.type <> 'schema' AND i.schema <> 'pg_catalog'}), 'gid ids', 'nothing depends on an object of somebody else');
is(other(q{SELECT proname FROM pg_proc WHERE pronamespace IN ('gid'::regnamespace, 'ids'::regnamespace)
	AND proname !~ '^_' AND obj_description(oid, 'pg_proc') IS NULL}), '', 'each function has its comment');

# What needs the library is there for defaults and views, and raises an error when it is called.
my @loud = split /\n/, other(q{SELECT format('SELECT %s(%s)', oid::regproc, array_to_string(
		ARRAY(SELECT format('NULL::%s', format_type(t, NULL)) FROM unnest(proargtypes::oid[]) AS t), ', '))
	FROM pg_proc WHERE prosrc ~ 'gid\._needs_library' AND NOT proisstrict
	UNION ALL SELECT format('SELECT %s(%s)', oid::regproc, CASE WHEN pronargs > 0 THEN '7' END)
	FROM pg_proc WHERE prosrc ~ 'gid\._needs_library' AND proisstrict});

is(scalar @loud, 15, 'functions that need the library');
sql_fails($node, 'app', $_, '0A000', "0A000: $_", text => qr/needs gid's library/) foreach @loud;
other(<<'EOS');
CREATE TABLE loud (id bigint DEFAULT ids.gid_trace_id(), shard uuid DEFAULT ids.gid_uuid_shard(), n int);
CREATE VIEW below AS SELECT * FROM loud WHERE shard < (SELECT ids.gid_uuid_v7_horizon());
INSERT INTO loud VALUES (1, '00000000-0000-0000-0000-000000000000', 1);
PREPARE add AS INSERT INTO loud (n) VALUES (2);
EOS
sql_fails($node, 'app', 'INSERT INTO loud (n) VALUES (2)', '0A000', 'a default raises it when it is used, and not before');

# --- 3. Where others put things, and other languages ------------------------

# The same calls, as views, with the search path empty, with others' objects before
# PostgreSQL's, and in a database of another language: the same results.
my @CALLS = split /\n/, <<'EOS';
gid_encode(gid_make_snowflake_id('2026-01-01 00:00+00', 7, 1), 'crockford') AS a, gid_decode_bigint('iLoOz', 'crockford') AS b
gid_lexical_add('1000iw', 1, 'alphanumeric', true) AS a, gid_lexical_add('Izi', 1, 'alpha_lower', true) AS b
gid_check_append('K7i1', 'crockford') AS a, gid_check_valid('oiiiw', 'crockford') AS b, gid_check_append('IiI', 'alphanumeric') AS c
gid_typeid('line_item', '0188bac7-4afa-78aa-bc3b-bd1eef28d881') AS a, gid_typeid_uuid('i_01h2xcejqtf2nbrexx3vqjhp41', 'i') AS b
gid_permute(7, '\x000102030405060708090a0b0c0d0e0f') AS a, gid_uuid_mask('018df4bc-5600-7000-8000-000000000000', '\x000102030405060708090a0b0c0d0e0f') AS b
value FROM gid_inspect('URN:UUID:018DF4BC-5600-7000-8000-00000000000F') WHERE part = 'id'
value FROM gid_inspect('order_01h2xcejqtf2nbrexx3vqjhp4i') WHERE part IN ('id', 'form', 'prefix') ORDER BY part
gid_uuid_v7_between('018df4bc-5600-7000-8000-000000000000', '2024-02-29 00:00+00', NULL) AS a, gid_extract_sequential_time(gid_uuid_from_mssql('018df4bc-5600-7000-08dc-391df494e000')) AS b
gid_region_shard(276, 5) AS a, gid_make_uuid_shard('2024-02-29 12:00+00', '\x0102030405', 7, 4294967295) AS b
gid_next('s') > 0 AS a, gid_next_code('s', '00A000', 'alphanumeric') <> '' AS b, gid_advance('s', 5) > 0 AS c
gid_horizon('s') > 5 AS a, (SELECT count(*) FROM gid_next_many('s', 3)) AS b
relation, last > 0 AS a, "greatest", behind FROM gid.columns WHERE relation = 'drawn'::regclass
count(*) FROM gid.stat_horizon
done FROM gid_catch_up('drawn')
gid_uuid_v7() < gid_uuid_v7() AS a, gid_extract_v7_time(gid_uuid_v7()) BETWEEN now() - '1 hour'::interval AND now() + '1 hour'::interval AS b
EOS

# Makes the views, by a superuser.
sub make_views
{
	my ($db, $schema) = @_;
	my $n = 0;

	$node->safe_psql($db, join ";\n", "SET search_path = public, $schema", 'CREATE SEQUENCE s',
		'CREATE TABLE drawn (id bigint PRIMARY KEY DEFAULT gid_next(\'s\'))', map { $n++; "CREATE VIEW q$n AS SELECT $_" } @CALLS);
	return;
}

# What the views give, after other statements.
sub results
{
	my ($db, $before) = @_;

	return $node->safe_psql($db, join ";\n", "SET TimeZone = 'UTC'", 'TRUNCATE drawn', 'INSERT INTO drawn VALUES (1000)',
		'ALTER SEQUENCE s RESTART', $before, map { "TABLE public.q$_" } 1 .. @CALLS);
}

make_views('app', 'ids');
my $right = results('app', 'SET search_path = public');

is(scalar(() = $right =~ /^./mg), @CALLS + 2, 'the calls have results') or diag($right);
is(results('app', q{SET search_path = ''}) =~ s/public\.//r, $right, 'the same with an empty search path');

# Look-alikes of functions and operators, which fit as well as PostgreSQL's.
other(<<'EOS');
CREATE SCHEMA evil;
DO $do$
DECLARE
	f record;
BEGIN
	FOR f IN SELECT p.proname, p.proargtypes::regtype[] AS types, p.prorettype::regtype AS result, p.proretset
		FROM pg_proc AS p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f' AND p.provariadic = 0
			AND p.proname IN ('length', 'left', 'right', 'substr', 'strpos', 'lpad', 'to_hex', 'encode', 'decode', 'format', 'ltrim',
				'btrim', 'upper', 'lower', 'translate', 'regexp_replace', 'get_byte', 'set_byte', 'div', 'mod', 'floor', 'trunc',
				'nextval', 'now', 'current_setting', 'set_config', 'uuid_send', 'timestamptz_send', 'octet_length', 'starts_with')
	LOOP
		EXECUTE format('CREATE FUNCTION evil.%I(%s) RETURNS %s%s LANGUAGE plpgsql AS $$BEGIN RAISE ''%s of evil''; END$$',
			f.proname, array_to_string(f.types, ', '), CASE WHEN f.proretset THEN 'SETOF ' END, f.result, f.proname);
	END LOOP;
	FOR f IN SELECT o.oprname, o.oprleft::regtype AS l, o.oprright::regtype AS r, o.oprresult::regtype AS result
		FROM pg_operator AS o WHERE o.oprnamespace = 'pg_catalog'::regnamespace AND o.oprkind = 'b'
			AND o.oprleft IN ('bigint'::regtype, 'int'::regtype, 'text'::regtype, 'numeric'::regtype, 'uuid'::regtype, '"char"'::regtype)
			AND o.oprname IN ('+', '-', '*', '/', '%', '=', '<>', '<', '>', '<=', '>=', '||', '&', '|', '#', '<<', '>>', '~', '!~', '^')
			AND o.oprright <> 'anynonarray'::regtype AND o.oprright <> 'anycompatiblearray'::regtype
	LOOP
		EXECUTE format('CREATE FUNCTION evil.%I(%s, %s) RETURNS %s LANGUAGE plpgsql AS $$BEGIN RAISE ''an operator of evil''; END$$',
			f.oprname, f.l, f.r, f.result);
		EXECUTE format('CREATE OPERATOR evil.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = evil.%I)', f.oprname, f.l, f.r, f.oprname);
	END LOOP;
END $do$;
EOS
sql_fails($node, 'app', "SET search_path = evil, pg_catalog; SELECT $_", 'P0001', "a look-alike is found: $_", no_detail => 1, no_hint => 1)
  foreach q{length('a')}, q{1 + 1};
is(results('app', 'SET search_path = evil, pg_catalog, public'), $right, 'the same with look-alikes before PostgreSQL\'s');
# The extension does not use them where they stand in its own schema.
$node->safe_psql('postgres', 'CREATE DATABASE evil TEMPLATE app');
$node->safe_psql('evil', 'SET client_min_messages = warning; DROP EXTENSION gid CASCADE; DROP SEQUENCE s CASCADE; DROP TABLE drawn;'
	  . 'CREATE EXTENSION gid SCHEMA evil');
make_views('evil', 'evil');
is(results('evil', 'SET search_path = evil, pg_catalog, public'), $right, 'the same with the extension in the schema of the look-alikes');

# While a name is looked up, another session puts a view there: the view's function must not run.  A
# temporary table named "record" is no type of the procedure's.  A locked table is a row of the view,
# and so is another session's temporary table.
other(<<'EOS');
CREATE SCHEMA swapped AUTHORIZATION owner;
SET ROLE owner;
CREATE SEQUENCE swapped.s;
CREATE FUNCTION swapped.ran() RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE 'swapped.ran'; END$$;
EOS
my ($mine, $its) = map { GidTest::Session->new($node, 'app') } 1 .. 2;

$its->safe(<<'EOS');
SET ROLE owner;
BEGIN;
ALTER SEQUENCE swapped.s RENAME TO s_was;
CREATE VIEW swapped.s AS SELECT swapped.ran() AS last_value, true AS is_called;
EOS
$mine->send("SELECT ids.gid_horizon('swapped.s')");
$node->poll_query_until('app', "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'") or die 'nobody waits';
$its->safe('COMMIT');
like(($mine->answer)[1], qr/ERROR:  42P01: .*"swapped\.s" was replaced.*DETAIL.*HINT/s, 'a view in the place of a sequence');
sql_fails($node, 'app', 'SELECT gid._held(1, true)', '42P01', 'and nothing');
is($mine->safe("CREATE TEMP TABLE record (a int); CREATE SEQUENCE waited; CALL ids.gid_horizon_wait('waited', '1 min'); DROP SEQUENCE waited"),
	'', 'gid_horizon_wait() beside a table named "record"');
$its->safe('RESET ROLE; CREATE TEMP TABLE elsewhere (id serial PRIMARY KEY); BEGIN; LOCK TABLE drawn');
is($mine->safe("SELECT unknown, readable FROM gid.columns WHERE relation::text ~ 'elsewhere'"),
	'it is temporary in another session|f', q{gid.columns beside another session's temporary table});
is($mine->safe("SELECT unknown FROM gid.columns WHERE relation = 'drawn'::regclass"), 'the table is locked', 'gid.columns beside a locked table');
end_session($_) foreach $mine, $its;

# The owner of a schema could rename it between look-up and query, so a reader of gid.columns does not
# name what is there.  Neither a default that resembles a draw nor a schema without USAGE ends the view.
other(<<'EOS');
CREATE SCHEMA theirs AUTHORIZATION nobody;
CREATE TABLE theirs.mine (id bigserial PRIMARY KEY);
SET ROLE nobody;
CREATE SEQUENCE theirs.s START 5;
GRANT SELECT ON SEQUENCE theirs.s TO PUBLIC;
CREATE FUNCTION theirs.f(text, regclass) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RETURN 1; END$$;
CREATE TABLE theirs.resembles (id bigint PRIMARY KEY DEFAULT theirs.f('x.gid_next(''a.b.c.d.e'::text, 'theirs.s'::regclass));
CREATE TABLE theirs.draws (id bigint PRIMARY KEY DEFAULT nextval('theirs.s'));
EOS
is(other("SELECT next FROM gid._stand('theirs.s', false)"), '', q{a superuser does not name a sequence in another role's schema});
is(as('nobody', 'app', "SELECT next FROM gid._stand('theirs.s', false)"), 5, 'its owner does');
is(other("SELECT unknown FROM gid.columns WHERE relation = 'theirs.mine'::regclass"),
	'the role does not own the schema of the table', 'nor a table there');
is(as('owner', 'app', "SELECT count(*) FROM gid.columns WHERE relation::text ~ '^theirs'"), 3,
	'gid.columns has its rows beside a default that resembles a draw, and without USAGE on a schema');
other('DROP SCHEMA theirs CASCADE');

# Turkish, in which the upper case of i is no I, and a collation that ignores case.
if (other("SELECT count(*) > 0 FROM pg_collation WHERE collprovider = 'i'") eq 't')
{
	$node->safe_psql('postgres', "CREATE DATABASE tr TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C' LOCALE_PROVIDER icu ICU_LOCALE 'tr'");
	is($node->safe_psql('tr', "SELECT upper('i') = 'I'"), 'f', 'a database in Turkish');
	$node->safe_psql('tr', 'CREATE SCHEMA ids; CREATE EXTENSION gid SCHEMA ids');
	make_views('tr', 'ids');
	is(results('tr', q{SET search_path = public}), $right, 'the same in Turkish');
	is($node->safe_psql('tr', <<'EOS'), 'f|1|1ARZ3|t|f', 'the same with a collation that ignores case');
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SET search_path = ids, public;
CREATE TABLE texts (t text COLLATE any_case);
INSERT INTO texts VALUES ('1arz3');
SELECT gid_check_valid(t, 'hex'), gid_decode_bigint('b' COLLATE any_case, 'chars:ab'), gid_encode(gid_decode_bigint(t, 'crockford'), 'crockford'),
	gid_lexical_add(t, 1, 'alphanumeric_lower') = '1arz4' COLLATE "C", gid_lexical_add(t, 1, 'alphanumeric', true) = '1ARZ4' COLLATE "C"
FROM texts;
EOS
}

# --- 4. Horizons ------------------------------------------------------------

my $reader = GidTest::Session->new($node, 'app');
my $writer = GidTest::Session->new($node, 'app');

other(<<'EOS');
ALTER DATABASE app SET search_path = public, ids;
CREATE TABLE e (id bigserial PRIMARY KEY, what text);
EOS
$_->safe('SET search_path = public, ids') foreach $reader, $writer;

# Two calls: under load, the second one has what the first one has found.
sub horizon
{
	my ($session) = @_;

	$session->safe("SELECT gid_horizon('e_id_seq')");
	return $session->safe("SELECT gid_horizon('e_id_seq')");
}

$writer->safe("INSERT INTO e (what) VALUES ('first')");
is($reader->safe("SELECT gid_horizon('e_id_seq')"), 2, 'the first call of a session on a quiet server');
$writer->safe("BEGIN; INSERT INTO e (what) VALUES ('open')");
other("INSERT INTO e (what) VALUES ('later')");
is(horizon($reader), 2, 'an open transaction holds the horizon back');
is(horizon(my $new = GidTest::Session->new($node, 'app')), '', 'and another session knows nothing yet');
is($new->safe("SELECT kind, sequence FROM gid.stat_horizon"), 'sequence|e_id_seq', 'the view shows it');
sql_fails($node, 'app', "CALL gid_horizon_wait('e_id_seq', '20 ms')", '57014', 'the wait for it has a limit');
$new->send("CALL gid_horizon_wait('e_id_seq', '1 min')");
$node->poll_query_until('app', "SELECT count(*) > 0 FROM pg_stat_activity WHERE query ~ '^CALL gid_horizon_wait' AND pid <> pg_backend_pid()")
  or die 'nobody waits';
$writer->safe('COMMIT');
$new->answer;
is($new->safe("SELECT gid_horizon('e_id_seq')"), 4, 'after the wait, the session knows');
end_session($new);
is(horizon($reader), 4, 'and the horizon goes on');

# One answer for a snapshot, at each isolation level.
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
is($reader->safe("SELECT gid_horizon('e_id_seq')"), 4, 'in REPEATABLE READ');
other("INSERT INTO e (what) VALUES ('meanwhile')");
is($reader->safe("SELECT gid_horizon('e_id_seq')"), 4, 'the same in the same snapshot');
$reader->safe('COMMIT');
$reader->safe("BEGIN; DECLARE c CURSOR FOR SELECT id, gid_horizon('e_id_seq') AS h FROM e WHERE id < gid_horizon('e_id_seq') ORDER BY id");
is($reader->safe('FETCH c'), '1|5', 'a cursor');
other("INSERT INTO e (what) VALUES ('meanwhile')");
is(horizon($reader), 6, 'while a later statement knows more');
is($reader->safe('FETCH c'), '2|5', 'the cursor has its own');
$reader->safe('COMMIT');

# A setting can be carried to another session, over a crash.  The lock of a prepared transaction then
# has another virtual id.
$writer->safe("BEGIN; INSERT INTO e (what) VALUES ('to be prepared')");
other("INSERT INTO e (what) VALUES ('later')");
is(horizon($reader), 6, 'a transaction that is to be prepared holds the horizon back');
my $setting = $reader->safe("SELECT current_setting('gid_sql.horizon_' || 'e_id_seq'::regclass::oid)");
$writer->safe("PREPARE TRANSACTION 'p'");
is(horizon($reader), 6, 'and when it is prepared');
server_crash($node, sub { kill 'KILL', $writer->safe('SELECT pg_backend_pid()') });
end_session($_) foreach $reader, $writer;
$reader = GidTest::Session->new($node, 'app');
$reader->safe("SELECT set_config('gid_sql.horizon_' || 'e_id_seq'::regclass::oid, '$setting', false)");
is(horizon($reader), 6, 'and after a crash');
is(horizon($new = GidTest::Session->new($node, 'app')), '', 'also for a session that knows nothing');
end_session($new);
other("COMMIT PREPARED 'p'");
# a crash passes over values
is(horizon($reader), other('SELECT last_value + 1 FROM e_id_seq'), 'until its end');
other("SELECT setval('e_id_seq', 2)");
is(horizon($reader), 3, 'a sequence that is set back');
other("SELECT setval('e_id_seq', 7); ALTER SEQUENCE e_id_seq RESTART 1000; SELECT nextval('e_id_seq')");
is(horizon($reader), 1001, 'and one with another file');
end_session($reader);

# The storm: writers that end in every order, one reader a pattern.  The server has a crash in
# the middle, with prepared transactions open.
my %READER = (
	# as the manual has it: a view, pages, and the last row
	'view' => <<'EOS',
WITH r AS (SELECT id FROM settled WHERE id > (SELECT last FROM stand WHERE reader = 'view') ORDER BY id LIMIT :page), s AS (
	INSERT INTO seen SELECT 'view', id FROM r)
UPDATE stand SET last = greatest(last, (SELECT max(id) FROM r)) WHERE reader = 'view';
EOS
	'REPEATABLE READ' => <<'EOS',
SELECT gid_horizon('e_id_seq');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT last AS l FROM stand WHERE reader = 'REPEATABLE READ' \gset
\sleep 1 ms
INSERT INTO seen SELECT 'REPEATABLE READ', id FROM settled WHERE id > :l;
UPDATE stand SET last = greatest(last, (SELECT max(id) FROM seen WHERE reader = 'REPEATABLE READ')) WHERE reader = 'REPEATABLE READ';
COMMIT;
EOS
	# a poller that writes the horizon down, and a reader in new sessions
	'table' => <<'EOS',
UPDATE settled_below SET below = greatest(below, gid_horizon('e_id_seq'));
\sleep 1 ms
WITH r AS (SELECT e.id FROM e, settled_below AS s, stand AS t WHERE t.reader = 'table' AND e.id > t.last AND e.id < s.below), s AS (
	INSERT INTO seen SELECT 'table', id FROM r)
UPDATE stand SET last = greatest(last, (SELECT max(id) FROM r)) WHERE reader = 'table';
EOS
	'naive' => <<'EOS');
WITH r AS (SELECT id FROM e WHERE id > (SELECT last FROM stand WHERE reader = 'naive')), s AS (
	INSERT INTO seen SELECT 'naive', id FROM r)
UPDATE stand SET last = greatest(last, (SELECT max(id) FROM r)) WHERE reader = 'naive';
EOS
my $WRITERS = <<'EOS';
\set kind random(1, 8)
\set name random(1, 1000000000)
\set us random(1, 20000)
\if :kind = 1
BEGIN;
INSERT INTO e (what) VALUES ('kept');
SAVEPOINT a;
INSERT INTO e (what) VALUES ('rolled back');
ROLLBACK TO a;
INSERT INTO e (what) VALUES ('after');
\sleep :us us
COMMIT;
\elif :kind = 2
BEGIN;
SELECT nextval('e_id_seq');
ROLLBACK;
\elif :kind = 3
BEGIN;
INSERT INTO e (what) VALUES ('prepared');
PREPARE TRANSACTION 'p:client_id:name';
\sleep :us us
COMMIT PREPARED 'p:client_id:name';
\elif :kind <= 5
BEGIN;
SELECT nextval('e_id_seq') AS id \gset
\sleep :us us
INSERT INTO e VALUES (:id, 'drawn early');
COMMIT;
\elif :kind = 6
INSERT INTO e (what) SELECT 'many' FROM generate_series(1, 20);
\else
INSERT INTO e (what) VALUES ('one');
\endif
EOS

other(<<'EOS' . join '', map { "INSERT INTO stand VALUES ('$_', 0);" } keys %READER);
TRUNCATE e RESTART IDENTITY;
CREATE VIEW settled AS SELECT * FROM e WHERE id < (SELECT gid_horizon('e_id_seq'));
CREATE TABLE stand (reader text PRIMARY KEY, last bigint);
CREATE TABLE seen (reader text, id bigint);
CREATE TABLE settled_below (below bigint);
INSERT INTO settled_below VALUES (0);
EOS

# Runs pgbench in the background.
sub start
{
	my ($script, @options) = @_;
	my $file = $node->basedir . '/script' . ++$scripts;

	append_to_file($file, $script);
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port);
	return IPC::Run::start([ "$prefix/bin/pgbench", '-n', '-D', 'page=7', '-f', $file, @options, 'app' ],
		'<', \undef, '>', '/dev/null', '2>', \my $err, IPC::Run::timeout(300));
}

sub missed
{
	my ($of) = @_;

	return other("SELECT (SELECT count(*) FROM e WHERE NOT EXISTS (SELECT FROM seen AS s WHERE s.reader = '$of' AND s.id = e.id)),
		(SELECT count(*) - count(DISTINCT id) FROM seen WHERE reader = '$of')");
}

foreach my $crash (1, 0)
{
	my $enough = $crash ? 300 : 1000;
	my @runs = (start($WRITERS, '-c', 8, '-T', 60), map { start($READER{$_}, '-R', 50, '-T', 60) } sort keys %READER);

	# until it has happened that the naive reader has missed rows
	ok(defined wait_until(60, sub {
		my ($missed) = split /\|/, missed('naive');

		return $missed > 0 && other("SELECT count(*) > $enough AND (SELECT count(*) > $enough FROM seen WHERE reader = 'view') FROM e") eq 't';
	}), 'rows are written and read');
	if ($crash)
	{
		other("BEGIN; INSERT INTO e (what) VALUES ('over the crash'); PREPARE TRANSACTION 'over'");
		my $victim = GidTest::Session->new($node, 'app');

		server_crash($node, sub { kill 'KILL', $victim->safe('SELECT pg_backend_pid()') });
		end_session($victim);
	}
	$_->signal('INT') foreach @runs;
	eval { $_->finish } foreach @runs;
	# some reading while a recovered transaction is prepared
	start($READER{$_}, '-t', 5)->finish foreach $crash ? sort keys %READER : ();
	other("COMMIT PREPARED '$_'") foreach split /\n/, other('SELECT gid FROM pg_prepared_xacts');
}
other('INSERT INTO e (what) VALUES ($$last$$)');
start($READER{$_}, '-t', 5, '-D', 'page=1000000')->finish foreach grep { $_ ne 'naive' } sort keys %READER;
is(missed($_), '0|0', "$_: no row is missed, and none comes twice") foreach grep { $_ ne 'naive' } sort keys %READER;
note(join ' ', other('SELECT count(*) FROM e'), 'rows, of which the naive reader has missed', missed('naive'));

# --- 5. Sequences beside others ----------------------------------------------

# Draws, advances near and far, and catch-ups: no value comes twice, and none goes back.
other(<<'EOS');
CREATE TABLE t (id bigserial PRIMARY KEY);
CREATE TABLE advanced (wanted bigint, got bigint);
CREATE FUNCTION fill() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	-- an import with ids of its own, a little ahead
	INSERT INTO t SELECT (SELECT last_value FROM t_id_seq) + 100 + n FROM generate_series(1, 3) AS n ON CONFLICT DO NOTHING;
	PERFORM gid_catch_up('t');
END $$;
EOS
{
	my @runs = (
		start("INSERT INTO t DEFAULT VALUES;\n" . "INSERT INTO t SELECT nextval('t_id_seq') FROM generate_series(1, 20);\n", '-c', 3, '-T', 2),
		start("SELECT last_value + 30 AS v FROM t_id_seq \\gset\nINSERT INTO advanced SELECT :v, gid_advance('t_id_seq', :v);\n", '-c', 2, '-R', 200, '-T', 2),
		start("SELECT last_value + 20000 AS v FROM t_id_seq \\gset\nINSERT INTO advanced SELECT :v, gid_advance('t_id_seq', :v);\n", '-R', 20, '-T', 2));
	my $good = 1;

	$good &= $_->finish foreach @runs;
	ok($good, 'no value that is drawn beside advances is in the table already');
	is(other('SELECT count(*) > 20, bool_and(got >= wanted), max(got) > 100000 FROM advanced'), 't|t|t', 'advances go forward');
	other('SELECT fill() FROM generate_series(1, 5)');
	is(other('INSERT INTO t DEFAULT VALUES RETURNING id > (SELECT max(id) FROM t)'), 't', 'and a catch-up leads beyond an import');
}
# Catch-ups in the transaction of a far import and after it, beside sessions that draw: no session draws
# what was imported, and none goes back.  (A near one draws the values, so others can draw some of them.)
other('CREATE TABLE u (id bigserial PRIMARY KEY, what text)');
{
	my $import = "INSERT INTO u SELECT (SELECT last_value FROM u_id_seq) + :ahead + n, 'imported' FROM generate_series(1, 20) AS n;\n";
	my $catch_up = "SELECT 1 / count(*) FROM gid_catch_up('u') WHERE done;\n";
	my @runs = (
		start("BEGIN;\nINSERT INTO u (what) VALUES ('drawn') RETURNING id \\gset\n\\if :id <= :last\nSELECT 'went back'::int;\n\\endif\n"
			  . "\\set last :id\n\\sleep 2 ms\nCOMMIT;\n", '-D', 'last=0', '-c', 4, '-R', 400, '-T', 3),
		start("\\set ahead random(20000, 30000)\nBEGIN;\n$import${catch_up}COMMIT;\n\\set ahead random(20000, 30000)\n$import$catch_up", '-T', 3),
		start("SELECT count(*) FROM gid_catch_up('u');\n", '-R', 50, '-T', 3));
	my $good = 1;

	$good &= $_->finish foreach @runs;
	ok($good, 'no value that is drawn beside catch-ups was imported already');
	is(other(q{SELECT count(*) FILTER (WHERE what = 'imported') > 100, count(*) FILTER (WHERE what = 'drawn') > 100 FROM u}), 't|t', 'rows are imported and drawn');
	other(q{SELECT gid_catch_up('u')});
	is(other(q{INSERT INTO u DEFAULT VALUES RETURNING id > (SELECT max(id) FROM u)}), 't', 'and the next value is beyond all imports');
}
# A parent counts its children, and a child without an index keeps it from being done.
other('CREATE TABLE elder (id bigserial PRIMARY KEY); CREATE TABLE child (PRIMARY KEY (id)) INHERITS (elder); INSERT INTO child VALUES (200)');
is(other("SELECT was, now, done FROM gid_catch_up('child')"), '|200|t', 'a child is ahead of the sequence');
is(other("SELECT done FROM gid_catch_up('elder')"), 't', 'a named table that is in order');
other('CREATE TABLE bare () INHERITS (elder)');
is(other("SELECT done, reason FROM gid_catch_up('elder')"), 'f|public.bare: no index begins with the column', 'and a child without an index');
is(other("SELECT done FROM gid_catch_up('advanced')"), '', 'a table that draws from nothing');
is(other("SELECT count(*) > 10, min(value) >= 0 FROM gid.metrics"), 't|t', 'the metrics');
# Far needs the owner of the sequence; what others drew and have not committed is waited for.
other('CREATE SEQUENCE far; GRANT ALL ON SEQUENCE far TO owner; GRANT USAGE ON SCHEMA ids TO PUBLIC');
is(as('owner', 'app', "SELECT gid_advance('far', 9999)"), 9999, 'near: a role with the privileges');
sql_fails($node, 'app', "SET ROLE owner; SELECT gid_advance('far', 19999)", '42501', 'far: not without ownership');
is(other("SELECT gid_advance('far', 1000000), nextval('far')"), '1000000|1000001', 'far: the owner');
($writer = GidTest::Session->new($node, 'app'))->safe("BEGIN; SELECT gid_advance('far', 1)");
is(other("SET lock_timeout = '10 s'; SELECT gid_advance('far', 2000000)"), 2000000, 'far: beside a transaction that has only looked');
end_session($writer);

# --- 6. What is weaker, and how much ------------------------------------------

# Ids of one session increase, also when the clock is set back meanwhile; those of another
# session follow the clock.
my $AHEAD = q{SELECT set_config('gid_sql.uuid_v7', ((extract(epoch FROM now() + interval '1 hour') * 1000)::bigint << 16)::text, false) <> '' AS ahead};

is(other("$AHEAD, (SELECT bool_and(id > before) FROM (SELECT id, lag(id) OVER (ORDER BY n) AS before FROM (SELECT n, gid_uuid_v7() AS id FROM generate_series(1, 2000) AS n) AS i) AS j)"),
	't|t', 'ids of a session increase');
is(other("$AHEAD; DISCARD ALL; SET search_path = ids, pg_catalog; SELECT gid_extract_v7_time(gid_uuid_v7()) < now() + interval '1 minute'"), "t\nt", 'DISCARD ALL begins another one');

# A value that was seen and not committed comes again after a crash.
other('CREATE SEQUENCE seen_early; CREATE SEQUENCE wasted; CREATE SEQUENCE few MAXVALUE 5');
$writer = GidTest::Session->new($node, 'app');
my $early = $writer->safe("BEGIN; SELECT gid_next('seen_early')");
server_crash($node, sub { kill 'KILL', $writer->safe('SELECT pg_backend_pid()') });
end_session($writer);
is(other("SELECT gid_next('seen_early')"), $early, 'gid_next(): a value comes again');
sql_fails($node, 'app', "SELECT gid_next_code('wasted', 'A', 'none')", '22023', 'gid_next_code(): an invalid charset');
is(other("SELECT gid_next('wasted')"), 2, 'uses up a value');
sql_fails($node, 'app', "SELECT count(*) FROM gid_next_many('few', 6)", '2200H', 'gid_next_many(): more values than there are', no_detail => 1, no_hint => 1);
sql_fails($node, 'app', "SELECT gid_next('few')", '2200H', 'uses up those that are left', no_detail => 1, no_hint => 1);
sql_fails($node, 'app', "BEGIN; CALL gid_horizon_wait('seen_early')", '2D000', 'gid_horizon_wait() in a transaction block', no_detail => 1, no_hint => 1);

# Rows that are not committed do not count.
$writer = GidTest::Session->new($node, 'app');
$writer->safe("BEGIN; INSERT INTO t VALUES ((SELECT last_value + 500 FROM t_id_seq))");
is(other("SELECT behind FROM gid.columns WHERE relation = 't'::regclass"), 'f', 'gid.columns: a row that is not committed');
$writer->safe('COMMIT');
end_session($writer);
is(other("SELECT behind FROM gid.columns WHERE relation = 't'::regclass"), 't', 'and once it is');
is(other(join ' + ', 'SELECT 0', map { "(SELECT count(*) FROM gid.stat_$_)" } qw(backends sequences clock readers node_leases)), 0, 'the views of shared memory are empty');

# --- 7. There and back by dumps -----------------------------------------------

# An application's schema: defaults, generated columns, indexes, checks, views, partitions.
my $SCHEMA = <<'EOS';
CREATE TABLE customer (
	id uuid PRIMARY KEY DEFAULT gid_uuid_v7(),
	name text NOT NULL,
	number bigint GENERATED BY DEFAULT AS IDENTITY,
	public text GENERATED ALWAYS AS (gid_typeid('customer', id)) STORED UNIQUE,
	since timestamptz GENERATED ALWAYS AS (gid_extract_v7_time(id)) STORED
);
CREATE INDEX ON customer (gid_encode(id, 'crockford'));
CREATE SEQUENCE code_seq;
CREATE TABLE orders (
	id bigserial PRIMARY KEY,
	code text UNIQUE DEFAULT gid_check_append(gid_next_code('code_seq', '10000', 'crockford'), 'crockford')
		CHECK (gid_check_valid(code, 'crockford')),
	customer uuid REFERENCES customer,
	hidden bigint GENERATED ALWAYS AS (gid_permute(id, '\x000102030405060708090a0b0c0d0e0f', 53)) STORED
);
ALTER TABLE orders ALTER id SET DEFAULT gid_next('orders_id_seq');
CREATE TABLE event (
	id uuid NOT NULL DEFAULT gid_uuid_v7(),
	number gid_js_id DEFAULT 7,
	trace bigint DEFAULT gid_trace_id(),
	PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE TABLE event_old PARTITION OF event FOR VALUES FROM (MINVALUE) TO ('01941f29-7c00-7000-8000-000000000000');
CREATE TABLE event_new PARTITION OF event FOR VALUES FROM ('01941f29-7c00-7000-8000-000000000000') TO (MAXVALUE);
CREATE VIEW orders_settled AS SELECT * FROM orders WHERE id < (SELECT gid_horizon('orders_id_seq'));
CREATE MATERIALIZED VIEW parts AS SELECT c.name, i.part, i.value FROM customer AS c, gid_inspect(c.public) AS i WHERE i.part IN ('id', 'prefix', 'version');
CREATE FUNCTION newest(text) RETURNS bigint BEGIN ATOMIC
	SELECT max(o.id) FROM orders AS o JOIN customer AS c ON c.id = o.customer
	WHERE c.id = gid_typeid_uuid($1, 'customer') AND gid_uuid_v7_between(c.id, NULL, now() + interval '1 hour'); END;
EOS

# What each edition adds.
my $CHANGE = <<'EOS';
WITH c AS (INSERT INTO customer (name) SELECT 'customer ' || n FROM generate_series(1, 10) AS n RETURNING id)
INSERT INTO orders (customer) SELECT id FROM c;
INSERT INTO event (id, trace) SELECT gid_uuid_v7_at(t), 1 FROM generate_series(timestamptz '2024-01-01', '2026-06-01', '30 days') AS t;
REFRESH MATERIALIZED VIEW parts;
ALTER TABLE customer ADD note text;
ALTER TABLE customer DROP note;
EOS

my @QUERIES = split /\n/, <<'EOS';
SELECT * FROM customer ORDER BY id
SELECT * FROM orders ORDER BY id
SELECT tableoid::regclass, * FROM event ORDER BY id
SELECT * FROM parts ORDER BY 1, 2, 3
SELECT * FROM customer WHERE gid_encode(id, 'crockford') = (SELECT max(gid_encode(id, 'crockford')) FROM customer)
SELECT public, newest(public) FROM customer ORDER BY id
SELECT count(*) FROM event WHERE gid_uuid_v7_between(id, '2025-01-01 00:00+00', '2025-07-01 00:00+00')
SELECT id FROM orders_settled WHERE id > 3 ORDER BY id LIMIT 5
SELECT relation, attribute, source, "greatest", behind FROM gid.columns ORDER BY 1, 2
EOS

my $library = gid_node('library', "shared_preload_libraries = 'gid'\n");

$library->start;
foreach my $server ($node, $library)
{
	$server->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE nobody LOGIN') if $server == $library;
	$server->safe_psql('postgres', 'ALTER ROLE owner SET search_path = public, ids');
}

# What a role's statements print; the owner's unless another one is given.
sub by_owner
{
	my ($server, $db, $sql) = @_;

	return $server->safe_psql($db, $sql, extra_params => [ '-U', 'owner' ]);
}

# The answers to all queries, each in a session of its own.
sub answers
{
	my ($server, $db) = @_;

	return join "\n", map { by_owner($server, $db, $_) } @QUERIES;
}

# A dump as a file; then a new database of another server with its objects.
sub move
{
	my ($from, $db, $to, $new) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/$new.dump";

	$from->command_ok([ 'pg_dump', '-Fc', '-U', 'owner', '-f', $file, $db ], "$db is dumped");
	$to->safe_psql('postgres', "CREATE DATABASE $new OWNER owner");
	$to->command_ok([ 'pg_restore', '--exit-on-error', '-U', 'owner', '-d', $new, $file ], "and restored as $new");
	return;
}

sub edition_is
{
	my ($server, $db, $edition, $answers) = @_;

	is(by_owner($server, $db, 'SELECT gid_edition()'), $edition, "$db: the edition");
	is(answers($server, $db), $answers, "$db: equal results of every query");
	# both continue where the other one has ended
	by_owner($server, $db, $CHANGE);
	is(by_owner($server, $db, 'SELECT count(*), bool_and(customer > before) FROM (SELECT customer, lag(customer) OVER (ORDER BY id) AS before FROM orders) AS o'),
		10 * (1 + ($db =~ tr/_//)) . '|t', "$db: changed");
	return answers($server, $db);
}

# An extension on both sides.
$node->safe_psql('postgres', 'CREATE DATABASE shop OWNER owner');
by_owner($node, 'shop', "CREATE SCHEMA ids; CREATE EXTENSION gid SCHEMA ids; $SCHEMA $CHANGE");
my $answers = answers($node, 'shop');

cmp_ok(() = $answers =~ /^./mg, '>', 80, 'an application\'s schema') or diag($answers);
move($node, 'shop', $library, 'shop_c');
$answers = edition_is($library, 'shop_c', 'c', $answers);
# the tables of an authority have rows
$library->safe_psql('shop_c', 'SELECT gid.authority_resume(); SELECT ids.gid_decimal_id()');
move($library, 'shop_c', $node, 'shop_c_sql');
$answers = edition_is($node, 'shop_c_sql', 'sql', $answers);

# Pasted functions, as the manual says: their schemas stay behind.
my $pasted = sub { my ($db, $server) = @_; is(install('owner', $db, $server // $node, '-c', 'CREATE SCHEMA ids', '-c', 'SET search_path = ids'), '', "$db: install.sql") };
my @COMMANDS = slurp_file("$TREE/doc/managed-servers.md") =~ /^<!-- test: run by 060_portable -->\n```sh\n(.*?)^```$/msg;

sub by_manual
{
	my ($server, $n) = @_;
	my $commands = $COMMANDS[$n] =~ s/-d shop\b(?!_)/-d pasting/gr =~ s/shop_new/pasting_c/gr;

	local %ENV = (%ENV, PGHOST => $server->host, PGPORT => $server->port, PGUSER => 'owner');
	is(system('sh', '-ec', "cd '$MADE'\n$commands"), 0, "the manual's commands: " . ($commands =~ /(.*)/)[0]);
	return;
}

$node->safe_psql('postgres', 'CREATE DATABASE pasting OWNER owner');
by_manual($node, 0);
by_owner($node, 'pasting', $SCHEMA . $CHANGE);
$answers = answers($node, 'pasting');
$node->command_ok([ 'pg_dump', '-Fc', '-N', 'gid', '-N', 'ids', '-U', 'owner', '-f', "$MADE/shop.dump", 'pasting' ], 'pasting is dumped');
$library->safe_psql('postgres', 'ALTER ROLE owner CREATEDB');
by_manual($library, 1);
edition_is($library, 'pasting_c', 'c', $answers);

# What is exact, for hundreds of arguments each: both editions give the same.  u and v are UUIDs, the
# latter of version 7, b is any bigint, p a positive one, t a moment.  gid_inspect() and
# gid_permute() take milliseconds in SQL, and get fewer.
my @EXACT = split /\n/, <<'EOS';
gid_encode(u, 'crockford'), gid_encode(u, 'base58'), gid_encode(u, 'chars:-_'), gid_encode(p, 'base62'), gid_decode_uuid(gid_encode(u, 'hex'), 'hex') = u
gid_typeid('customer', u), gid_typeid_uuid(gid_typeid('a', u), 'a') = u, gid_uuid_to_mssql(u), gid_uuid_from_mssql(u)
gid_check_append(gid_encode(p, 'crockford'), 'crockford'), gid_check_append(gid_encode(p, 'base58'), 'base58'), gid_check_valid(n::text, 'numeric')
gid_lexical_add('a' || n, n, 'alphanumeric', true), gid_lexical_add('Zz9', n * n, 'alphanumeric'), gid_lexical_add(lpad(n::text, 9), -(n % 7), 'numeric')
gid_permute(p, k, 63), gid_unpermute(gid_permute(p % 65535 + 1, k, 16), k, 16) = p % 65535 + 1, gid_uuid_mask(v, k), gid_uuid_unmask(u, k), gid_uuid_mask(u, k)
gid_extract_v7_time(v), gid_extract_v7_time(u), gid_extract_sequential_time(u), gid_extract_sequential_ticks(u), gid_extract_sequential_process(v), gid_extract_shard(u), gid_extract_shard_time(u), gid_extract_shard_generator(u), gid_extract_shard_counter(u), gid_extract_region(u), gid_extract_region_shard(u)
gid_extract_trace_time(b, t), gid_extract_trace_node(b), gid_extract_trace_thread(b, n % 23), gid_extract_trace_counter(b, n % 23), gid_extract_snowflake_time(b), gid_extract_snowflake_time(p, 1420070400000), gid_extract_snowflake_node(b), gid_extract_snowflake_sequence(p), gid_extract_decimal_counter(p), gid_extract_decimal_generator(b), gid_extract_decimal_launch(p)
gid_uuid_v7_min(t), gid_uuid_v7_max(t), gid_uuid_v7_low(t), gid_uuid_v7_below(t)
gid_uuid_sequential_min(t), gid_uuid_sequential_max(t), gid_uuid_sequential_low(t), gid_uuid_sequential_below(t)
gid_uuid_shard_min(t), gid_uuid_shard_max(t), gid_uuid_shard_low(t), gid_uuid_shard_below(t), gid_trace_id_min(t), gid_trace_id_max(t)
gid_snowflake_id_min(t), gid_snowflake_id_max(t), gid_snowflake_id_low(t), gid_snowflake_id_below(t), gid_make_uuid_sequential(p % 3155378976000000000, '\x0102030405060708')
gid_uuid_v7_between(v, t - interval '30 years', t), gid_uuid_sequential_between(u, t, NULL), gid_snowflake_id_between(p, NULL, t), gid_make_snowflake_id(t, n % 1024, n % 4096), gid_make_trace_id(t, n, 1, n, 10), gid_make_uuid_shard(t, '\x0102030405', n, n), gid_make_decimal_id(n, n, n)
(SELECT string_agg(i::text, ' ') FROM gid_inspect(u) AS i), (SELECT string_agg(i::text, ' ') FROM gid_inspect(v) AS i), (SELECT string_agg(i::text, ' ') FROM gid_inspect(p) AS i WHERE part !~ 'time')
(SELECT string_agg(i::text, ' ') FROM gid_inspect(E' \x0B' || upper(u::text)) AS i), (SELECT string_agg(i::text, ' ') FROM gid_inspect(gid_typeid('line_item', v)) AS i), (SELECT string_agg(i::text, ' ') FROM gid_inspect(gid_encode(u, 'crockford')) AS i), (SELECT count(*) FROM gid_inspect(b::text))
(SELECT string_agg(i::text, ' ') FROM gid_inspect('<' || u || '>.') AS i), (SELECT string_agg(i::text, ' ') FROM gid_inspect(E'("' || left(u::text, 18) || E'-\n ' || substr(u::text, 20) || '")') AS i), (SELECT string_agg(i::text, ' ') FROM gid_inspect('order_' || n) AS i), (SELECT value FROM gid_inspect('order_' || p) AS i WHERE part = 'id'), (SELECT value FROM gid_inspect(' n_' || gid_encode(p, 'crockford')) AS i WHERE part = 'id')
gid_code_normalize(gid_encode(p, 'base62') || ' ', 'base62'), gid_code_normalize(lower(gid_encode(p, 'crockford')), 'crockford'), gid_code_normalize(h, 'hex'), gid_code_normalize(upper(u::text), 'hex'), gid_code_normalize('-' || n, 'chars:-0123456789')
EOS
my $ARGUMENTS = q{SELECT n, h, h::uuid AS u, overlay(overlay(h PLACING '7' FROM 13) PLACING '8' FROM 17)::uuid AS v, b, b & 9223372036854775807 | 1 AS p,
	timestamptz '2026-01-01 00:00+00' + (b % 1000000000) * interval '0.3 s' AS t, '\x000102030405060708090a0b0c0d0e0f'::bytea AS k
	FROM generate_series(1, ROWS) AS n, md5(n::text) AS h, CAST(('x' || left(h, 16))::bit(64)::bigint AS bigint) AS b};

foreach my $calls (@EXACT)
{
	my $rows = $calls =~ /gid_(inspect|permute)/ ? 40 : 400;
	my $from = $ARGUMENTS =~ s|ROWS|$rows|r;
	my ($here, $there) = map { by_owner(@$_, "SET TimeZone = 'UTC'; SELECT $calls FROM ($from OFFSET 0) AS a") } [ $node, 'shop' ], [ $library, 'shop_c' ];
	my @different = grep { (split /\n/, $here)[$_] ne (split /\n/, $there)[$_] } 0 .. $rows - 1;

	ok($here eq $there && length $here, substr($calls, 0, 60)) or diag(scalar(@different), ' differ, the first: ', map { (split /\n/)[ $different[0] // 0 ] . "\n" } $here, $there);
}

# A database has one edition.
$library->safe_psql('postgres', 'CREATE DATABASE mixed OWNER owner');
$pasted->('mixed', $library);
sql_fails($library, 'mixed', 'CREATE EXTENSION gid', '42P06', 'no library over the pasted functions', no_detail => 1, no_hint => 1);
is(by_owner($library, 'mixed', 'SELECT gid_edition(), (SELECT count(*) FROM pg_extension WHERE extname = $$gid$$)'), 'sql|0', 'nothing is changed');
like(install('owner', 'shop_c', $library), qr/ERROR:  42710: .*DETAIL.*HINT/s, 'no pasted functions beside the library');
sql_fails($node, 'shop', q{ALTER EXTENSION gid UPDATE TO '2.1'}, '22023', 'no update from one edition to the other', no_detail => 1, no_hint => 1);
$library->stop;
done_testing();
