# gid.serve_nextval beside everything else: however the library is loaded, with other
# hooks, over changes of the setting, of the extension and of roles; and what counts most
# about a value: after a crash and a promotion none comes twice or goes back.
#
# SQL alone cannot test this: it needs servers that die, and several sessions.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	CLIENTS => 4,
	ROUNDS => 3,
};

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', <<'EOC');
autovacuum = off
log_statement = none
max_connections = 50
max_prepared_transactions = 0
wal_writer_delay = 10s
EOC
$node->start;

# Does gid have a block of the sequence?
sub is_served
{
	my ($sequence) = @_;

	return "SELECT EXISTS (SELECT FROM gid.stat_sequences WHERE sequence = '$sequence'::regclass)";
}

# What a new session of a role has.
sub served_for
{
	my ($role, $db) = @_;
	my (undef, $out) = $node->psql($db, q{SELECT served, reason FROM gid.columns WHERE sequence = 's'::regclass},
		extra_params => [ '-U', $role ]);

	return $out;
}

sub as
{
	my ($role, $db, $sql) = @_;
	my (undef, $out, $err) = $node->psql($db, $sql, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);

	return ($out, $err);
}

my $superuser = $node->safe_psql('postgres', <<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE app LOGIN;
CREATE ROLE plain LOGIN;
CREATE DATABASE app OWNER owner;
SELECT current_user;
EOS
$node->safe_psql('app', 'CREATE EXTENSION gid; CREATE SEQUENCE s; CREATE TABLE of_s (id bigint DEFAULT nextval(\'s\')); GRANT USAGE ON SEQUENCE s TO app, plain');

# --- loading and setting -------------------------------------------------

is(served_for('app', 'app'), 'f|neither shared_preload_libraries nor session_preload_libraries names gid', 'nothing is served by default');

# The setting is a superuser's: what the owner writes down is refused when the library
# is loaded.
(undef, my $err) = as('owner', 'app', 'ALTER DATABASE app SET gid.serve_nextval = on');
$node->safe_psql('postgres', "ALTER DATABASE app SET session_preload_libraries = 'gid'");
is(served_for('app', 'app'), 'f|gid.serve_nextval is off', 'the owner of a database does not switch it on');
sql_fails($node, 'app', 'SET ROLE owner; SET gid.serve_nextval = on', '42501', 'nor in his session', no_detail => 1, no_hint => 1);

$node->safe_psql('postgres', 'ALTER DATABASE app SET gid.serve_nextval = on');
is(served_for('app', 'app'), 't|', 'a superuser does, for a database');
$node->safe_psql('postgres', 'ALTER ROLE plain IN DATABASE app SET gid.serve_nextval = off');
is(served_for('plain', 'app'), 'f|gid.serve_nextval is off', 'and switches it off for a role');
is($node->safe_psql('app', "SELECT nextval('s'); " . is_served('s')), "1\nt", 'with session_preload_libraries nextval() is served');
is((as('plain', 'app', "SELECT nextval('s') > 1"))[0], 't', 'beside it PostgreSQL draws');
$node->safe_psql('postgres', 'ALTER ROLE plain IN DATABASE app RESET gid.serve_nextval');

# The first plan of a session is served, too, whatever it is.
is((as('app', 'app', "SELECT nextval('s') = currval('s')"))[0], 't', 'the first statement of a session is served');

# --- other hooks, before and after ---------------------------------------

for my $libraries ('pg_stat_statements, auto_explain, gid', 'gid, auto_explain, pg_stat_statements')
{
	gid_set($node, 'shared_preload_libraries', "'$libraries'");
	gid_set($node, 'auto_explain.log_min_duration', "'0'");
	gid_set($node, 'auto_explain.log_verbose', 'on');
	gid_set($node, 'auto_explain.log_nested_statements', 'on');
	gid_set($node, 'pg_stat_statements.track', 'all');
	gid_set($node, 'pg_stat_statements.save', 'off');
	$node->restart;
	my $offset = -s $node->logfile;

	is($node->safe_psql('app', <<'EOS'), "1|1\nt", "$libraries: each statement is counted once");
CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
DO $$BEGIN PERFORM pg_stat_statements_reset(); END$$;
DO $$BEGIN PERFORM nextval('s'); PERFORM 1 WHERE currval('s') = lastval(); END$$;
SELECT sum(calls) FILTER (WHERE query LIKE 'SELECT nextval(%'), sum(calls) FILTER (WHERE query LIKE '%currval(%lastval()') FROM pg_stat_statements;
SELECT EXISTS (SELECT FROM gid.stat_sequences WHERE sequence = 's'::regclass);
EOS
	is(log_count($node, qr/Output: gid\.serve_nextval\('s'::regclass\)/, $offset), 1, "$libraries: auto_explain shows the plan that ran");
}
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;

# --- prepared statements over changes of the setting -----------------------

$node->safe_psql('app', 'CREATE TABLE t (id serial PRIMARY KEY, n int)');
{
	my $script = "$PostgreSQL::Test::Utils::tmp_check/insert.sql";
	my ($out, $done) = ('', 0);

	append_to_file($script, "INSERT INTO t (n) VALUES (1);\nINSERT INTO t (n) SELECT 2 WHERE nextval('t_id_seq') > 0;\n");
	my $bench = IPC::Run::start([ 'pgbench', '-n', '-M', 'prepared', '-f', $script, '-c', CLIENTS, '-T', 600,
			'-h', $node->host, '-p', $node->port, 'app' ], '<', \undef, '>', \$out, '2>', \$out);

	for my $value (('off', 'on') x ROUNDS)
	{
		my $before = $node->safe_psql('app', 'SELECT count(*) FROM t');

		$node->safe_psql('app', "ALTER DATABASE app RESET gid.serve_nextval; ALTER SYSTEM SET gid.serve_nextval = $value; SELECT pg_reload_conf()");
		$node->poll_query_until('app', "SELECT count(*) > $before + 200 FROM t") or die 'nobody inserts';
	}
	ok($bench->pumpable, 'prepared statements go on over changes of the setting: no error, no value twice') or diag($out);
	$bench->signal('TERM');
	$bench->finish;
	is($node->safe_psql('app', 'SELECT setting FROM pg_settings WHERE name = \'gid.serve_nextval\'; ' . is_served('t_id_seq')), "on\nt", 'and draw through gid at the end');
}

# --- beside what is not served -------------------------------------------

is($node->safe_psql('app', <<'EOS'), "t|t\nt|t", 'COPY FROM and ADD COLUMN beside it: nothing twice');
CREATE TABLE beside (id bigserial PRIMARY KEY, n int UNIQUE DEFAULT nextval('s'));
INSERT INTO beside SELECT FROM generate_series(1, 5);
COPY beside (n) FROM PROGRAM 'seq -100 -91';
INSERT INTO beside SELECT FROM generate_series(1, 50);
COPY beside (n) FROM PROGRAM 'seq -90 -81';
INSERT INTO beside (n) VALUES (-1) RETURNING id = currval('beside_id_seq'), id = lastval();
ALTER TABLE beside ADD COLUMN more bigint DEFAULT nextval('beside_id_seq');
INSERT INTO beside SELECT FROM generate_series(1, 50);
SELECT count(DISTINCT v) = 2 * 126 + 0, count(*) = 2 * 126 FROM beside, LATERAL (VALUES (id), (more)) AS x (v);
EOS

# --- roles, search_path, parallel query ----------------------------------

# One plan, and a role after another.
my $session = session($node, 'app');

$session->safe(<<'EOS');
CREATE TABLE i (id bigint GENERATED ALWAYS AS IDENTITY, n bigint);
GRANT INSERT, SELECT ON i TO plain, app;
CREATE SEQUENCE mine;
GRANT USAGE ON SEQUENCE mine TO app;
PREPARE draw AS SELECT nextval('mine');
PREPARE insert AS INSERT INTO i (n) VALUES (1) RETURNING id;
CREATE FUNCTION draw_as_definer() RETURNS bigint LANGUAGE sql SECURITY DEFINER RETURN nextval('mine');
EOS
is($session->safe('EXECUTE draw; SET ROLE app; EXECUTE draw; EXECUTE insert'), "1\n2\n1", 'a plan draws for each role that may');
error_like(($session->query('SET ROLE plain; EXECUTE draw'))[1], '42501', 'and for no other', text => qr/permission denied for sequence mine/, no_detail => 1, no_hint => 1);
error_like(($session->query(q{SELECT currval('mine')}))[1], '42501', 'who does not see the value either', text => qr/permission denied for sequence mine/, no_detail => 1, no_hint => 1);
is($session->safe('EXECUTE insert; SELECT draw_as_definer(); RESET ROLE; EXECUTE draw'), "2\n3\n4", 'an identity column and a definer do draw for him');
error_like(($session->query(q{SET ROLE plain; SELECT gid.serve_identity('mine')}))[1], '42501', 'the function of the identity column cannot be called', text => qr/cannot be called/);
$session->safe('RESET ROLE');

# Another nextval() is another function.
$session->safe(<<'EOS');
CREATE SCHEMA shadow;
CREATE FUNCTION shadow.nextval(regclass) RETURNS bigint LANGUAGE sql RETURN -1;
CREATE FUNCTION shadow.serve_nextval(regclass) RETURNS bigint LANGUAGE sql RETURN -2;
SET search_path = shadow, pg_catalog, public;
EOS
is($session->safe(q{SELECT nextval('mine'), pg_catalog.nextval('mine')}), '-1|5', 'who shadows nextval() has his own');
is($session->safe(q{SET search_path = shadow, public; EXECUTE draw}), '6', 'and nobody shadows that of gid');
$session->safe('RESET search_path');

my $parallel = $node->safe_psql('app', q{SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')});
my %texts;

for my $value ('off', 'on')
{
	my ($rc, $out, $error) = $node->psql('app', <<"EOS", extra_params => [ '-v', 'VERBOSITY=verbose' ], on_error_stop => 0);
SET gid.serve_nextval = $value;
CREATE FUNCTION pg_temp.liar() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN nextval(''mine''); END';
SET $parallel = on;
SELECT nextval('mine') > 0, lastval() > 0;
SELECT pg_temp.liar();
EOS

	$texts{$value} = $out . join '', $error =~ /ERROR:.*\n/g;
}
is($texts{on}, $texts{off}, 'a parallel plan does the same');
like($texts{on}, qr/t\|t.*25000: cannot execute nextval\(\) during a parallel operation/s, 'and an error is that of nextval()');
end_session($session);

# Where the functions of an application's schema are for few, all are served still. Who
# takes those of gid from all gets errors.
$node->safe_psql('app', 'GRANT USAGE ON SEQUENCE mine TO PUBLIC');
$session = session($node, 'app', '-U', 'app');
is($session->safe(q{PREPARE draw AS SELECT nextval('mine') > 0; EXECUTE draw; EXPLAIN (VERBOSE, COSTS OFF) EXECUTE draw}) =~ /gid\.serve_nextval/ ? 1 : 0, 1, 'everybody is served');
$node->safe_psql('app', 'REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC');
is($session->safe(q{EXECUTE draw; SELECT nextval('mine') = currval('mine') AND lastval() > 0}), "t\nt", 'also where functions are for few');
is($session->safe('EXPLAIN (VERBOSE, COSTS OFF) EXECUTE draw') =~ /gid\.serve_nextval/ ? 1 : 0, 1, 'through gid');
$node->safe_psql('app', 'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO PUBLIC; REVOKE EXECUTE ON FUNCTION gid.serve_nextval(regclass) FROM PUBLIC');
error_like(($session->query('EXECUTE draw'))[1], '42501', 'nobody draws who may not execute the function of gid', text => qr/permission denied for function serve_nextval/, no_detail => 1, no_hint => 1);
$node->safe_psql('app', 'GRANT EXECUTE ON FUNCTION gid.serve_nextval(regclass) TO PUBLIC');
is($session->safe('EXECUTE draw'), 't', 'until he may');
end_session($session);

# --- the extension comes and goes ----------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE old');
$session = session($node, 'old');
$session->safe(<<'EOS');
CREATE TABLE t (id serial PRIMARY KEY);
PREPARE draw AS INSERT INTO t DEFAULT VALUES RETURNING id = currval('t_id_seq') AND id = lastval();
CREATE FUNCTION draw() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE i int; BEGIN INSERT INTO t DEFAULT VALUES RETURNING id INTO i; RETURN currval('t_id_seq') - i; END$$;
EOS
my $DRAW = 'EXECUTE draw; SELECT draw(); EXECUTE draw; SELECT draw()';
my $EXPLAIN = q{SELECT count(*) FROM pg_prepared_statements; EXPLAIN (VERBOSE, COSTS OFF) EXECUTE draw};
my @steps = (
	[ 'without the extension', 'SELECT 1', 0 ],
	[ 'with a schema gid of somebody', 'CREATE SCHEMA gid; CREATE FUNCTION gid.serve_nextval(regclass) RETURNS bigint LANGUAGE sql RETURN -1', 0 ],
	[ 'with the extension', 'DROP FUNCTION gid.serve_nextval(regclass); DROP SCHEMA gid; CREATE EXTENSION gid', 1 ],
	[ 'after DROP EXTENSION', 'DROP EXTENSION gid', 0 ],
	[ 'after CREATE EXTENSION', 'CREATE SCHEMA elsewhere; CREATE EXTENSION gid SCHEMA elsewhere', 1 ],
	[ 'after DROP and CREATE in one transaction', 'BEGIN; DROP EXTENSION gid; CREATE EXTENSION gid; COMMIT', 1 ],
	[ 'after a ROLLBACK of DROP', 'BEGIN; DROP EXTENSION gid; EXECUTE draw; ROLLBACK', 1 ],
	[ 'in a savepoint', 'BEGIN; SAVEPOINT a; DROP EXTENSION gid; ROLLBACK TO a; EXECUTE draw; COMMIT', 1 ]);

for my $step (@steps)
{
	my ($name, $sql, $served) = @$step;

	$session->safe($sql);
	# the first statement that is planned looks whether the functions are there
	$session->safe(q{SELECT nextval('t_id_seq')});
	is($session->safe($DRAW), "t\n0\nt\n0", "$name: currval() and lastval() are the value's");
	is($session->safe('EXPLAIN (VERBOSE, COSTS OFF) EXECUTE draw') =~ /gid\.serve_nextval/ ? 1 : 0, $served, "$name: " . ($served ? 'served' : 'not served'));
}
end_session($session);

# --- a hostile owner -----------------------------------------------------

# He owns the database, the schema of the functions and, because he created it, the
# extension. The schema gid is not his.
my $offset = -s $node->logfile;

$node->safe_psql('postgres', 'CREATE DATABASE hostile OWNER owner');
is((as('owner', 'hostile', <<'EOS'))[1], '', 'the owner makes his traps');
CREATE SCHEMA mine;
CREATE EXTENSION gid SCHEMA mine;
CREATE TABLE mine.t (id serial, i bigint GENERATED ALWAYS AS IDENTITY);
CREATE SCHEMA traps;
DO $do$
DECLARE f text;
BEGIN
	FOREACH f IN ARRAY ARRAY['serve_nextval(seq regclass)', 'serve_identity(seq regclass)', 'serve_currval(seq regclass)', 'serve_lastval()', 'serve_setval(seq regclass, value bigint)', 'serve_setval(seq regclass, value bigint, is_called boolean)'] LOOP
		EXECUTE format('CREATE FUNCTION traps.%s RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE LOG ''trap runs as %%'', current_user; RETURN 1; END$$', f);
		EXECUTE format('ALTER EXTENSION gid ADD FUNCTION traps.%s', f);
	END LOOP;
END $do$;
ALTER EXTENSION gid ADD SCHEMA traps;
EOS
like((as('owner', 'hostile', $_))[1], qr/ERROR:  42501:/, "he may not: $_")
  for 'ALTER FUNCTION gid.serve_nextval(regclass) RENAME TO serve_other',
  'ALTER EXTENSION gid DROP FUNCTION gid.serve_nextval(regclass)',
  q{CREATE OR REPLACE FUNCTION gid.serve_nextval(seq regclass) RETURNS bigint LANGUAGE sql RETURN 1},
  q{CREATE FUNCTION gid.serve_nextval(seq oid) RETURNS bigint LANGUAGE sql RETURN 1},
  'ALTER FUNCTION traps.serve_nextval(regclass) SET SCHEMA gid', 'ALTER SCHEMA gid RENAME TO other', 'ALTER EXTENSION gid DROP SCHEMA gid', 'DROP SCHEMA gid CASCADE';
is((as('owner', 'hostile', 'ALTER SCHEMA mine RENAME TO other; ALTER SCHEMA traps RENAME TO mine'))[1], '', 'he renames schemas of his');

my $CALLS = <<'EOS';
SET search_path = mine, other;
SELECT nextval('t_id_seq') = currval('t_id_seq') AND lastval() > 0 AND setval('t_id_seq', 100) = 100 AND setval('t_id_seq', 100, true) = 100;
INSERT INTO t DEFAULT VALUES RETURNING id = 101;
EOS
is($node->safe_psql('hostile', $CALLS), "t\nt", 'a superuser draws');
is($node->safe_psql('hostile', "SET search_path = other; " . is_served('t_id_seq')), 't', 'through gid');
is((as('owner', 'hostile', 'DROP EXTENSION gid'))[1], '', 'he drops the extension');
is((as('owner', 'hostile', <<'EOS'))[1], '', 'and makes a schema gid');
CREATE SCHEMA gid;
CREATE FUNCTION gid.serve_nextval(seq regclass) RETURNS bigint LANGUAGE plpgsql AS $$BEGIN RAISE LOG 'trap runs as %', current_user; RETURN 1; END$$;
EOS
is($node->safe_psql('hostile', $CALLS), "t\nt", 'then PostgreSQL draws');
like((as('owner', 'hostile', 'CREATE EXTENSION gid'))[1], qr/ERROR:  42P06:/, 'the extension does not take his schema');
is(log_count($node, qr/trap runs as/, $offset), 0, 'no trap has sprung');

# --- kill -9 -------------------------------------------------------------

my @files;
my %seen;
my ($greatest, @faults) = (0);

$node->safe_psql('app', 'CREATE SEQUENCE crash');
for my $round (1 .. ROUNDS)
{
	my $clients = start_clients($node, 'app', CLIENTS, q{SELECT nextval('crash') FROM generate_series(1, 50); SELECT nextval('crash');} x 20);

	defined wait_until(60, sub { -s $clients->{files}[0] && -s $clients->{files}[-1] }) or die 'nobody draws';
	kill9_server($node);
	stop_clients($clients);
	my $below = $greatest;

	for my $file (@{ $clients->{files} })
	{
		# The last line may be cut off.
		my $text = slurp_file($file);
		my @values = split /\n/, substr($text, 0, rindex($text, "\n") + 1);

		push @faults, grep { $seen{$_}++ } @values;
		push @faults, map { "$values[$_] after $values[$_ - 1]" } grep { $values[$_] <= $values[ $_ - 1 ] } 1 .. $#values;
		push @faults, grep { $_ <= $below } @values;
		$greatest = $greatest > $_ ? $greatest : $_ for @values;
	}
	$node->start;
}
cmp_ok(scalar(keys %seen), '>', 100 * ROUNDS, 'values were drawn before each crash');
none('kill -9: no value comes twice or goes back', @faults);
cmp_ok($node->safe_psql('app', q{SELECT nextval('crash')}), '>', $greatest, 'the next value is later than all of them');

# --- promotion -----------------------------------------------------------

$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
my $reader = session($standby, 'app');

$reader->safe(q{PREPARE draw AS SELECT nextval('crash')});
error_like(($reader->query('EXECUTE draw'))[1], '25006', 'a standby does not draw', text => qr/cannot execute nextval\(\) in a read-only transaction/, no_detail => 1, no_hint => 1);
my ($last) = reverse split /\n/, $node->safe_psql('app', q{SELECT nextval('crash') FROM generate_series(1, 1000)});

$node->wait_for_catchup($standby, 'replay', $node->lsn('flush'));
kill9_server($node);
$standby->promote;
my $next = $reader->safe('EXECUTE draw');

cmp_ok($next, '>', $last, 'the session that was refused draws after the promotion, later values');
is($reader->safe(q{SELECT currval('crash'), lastval()}), "$next|$next", 'and knows its value');
is($standby->safe_psql('app', is_served('crash')), 't', 'through gid');
end_session($reader);
is(log_count($_, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, $_->name . ': nothing has crashed') for $node, $standby;
$standby->stop;
done_testing();
