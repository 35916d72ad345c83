# gid.serve_nextval in whole sessions: ways to load and to set, other hooks, and
# changes of the setting while sessions draw.
#
# SQL alone cannot test this: it needs new sessions, and other libraries.
# sql/serve_nextval has values, errors and privileges.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Utils;
use Test::More;

use constant ROUNDS => 3;

my $node = gid_node('main');

$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE ROLE plain LOGIN; CREATE DATABASE app OWNER owner');
$node->safe_psql('app', <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE s;
CREATE TABLE of_s (id bigint DEFAULT nextval('s'));
GRANT USAGE ON SEQUENCE s TO plain;
EOS

# Runs SQL in a new session of a role.
sub as
{
	my ($role, $sql) = @_;
	my (undef, $out) = $node->psql('app', $sql, extra_params => [ '-U', $role ]);

	return $out;
}

my $IS_SERVED = q{SELECT served, reason FROM gid.columns WHERE sequence = 's'::regclass};
my $HAS_BLOCK = q{SELECT EXISTS (SELECT FROM gid.stat_sequences WHERE sequence = 's'::regclass)};

# --- loading and setting -------------------------------------------------

is(as('plain', $IS_SERVED), 'f|neither shared_preload_libraries nor session_preload_libraries names gid', 'nothing is served by default');

# The setting is a superuser's: what the owner writes down is refused when the
# library is loaded.
as('owner', 'ALTER DATABASE app SET gid.serve_nextval = on');
$node->safe_psql('postgres', "ALTER DATABASE app SET session_preload_libraries = 'gid'");
is(as('plain', $IS_SERVED), 'f|gid.serve_nextval is off', 'the owner of a database does not switch it on');
$node->safe_psql('postgres', 'ALTER DATABASE app SET gid.serve_nextval = on');
is(as('plain', $IS_SERVED), 't|', 'a superuser does, for a database');
is(as('plain', "SELECT nextval('s') = currval('s')"), 't', 'the first statement of a session is served');
is(as('plain', "SELECT nextval('s') = lastval(); $HAS_BLOCK"), "t\nt", 'through gid');
is(as('plain', "SELECT nextval('s') > 0; DISCARD PLANS; SELECT currval('s') = lastval(); DISCARD ALL; SELECT lastval()"), "t\nt",
	'DISCARD ALL ends what currval() and lastval() return, DISCARD PLANS does not');
$node->safe_psql('postgres', 'ALTER ROLE plain IN DATABASE app SET gid.serve_nextval = off');
is(as('plain', $IS_SERVED), 'f|gid.serve_nextval is off', 'and switches it off for a role');

# --- other hooks, before and after ---------------------------------------

gid_set($node, $_, 'on') for 'auto_explain.log_verbose', 'auto_explain.log_nested_statements';
gid_set($node, 'auto_explain.log_min_duration', '0');
gid_set($node, 'pg_stat_statements.track', 'all');
for my $libraries ('pg_stat_statements, auto_explain, gid', 'gid, auto_explain, pg_stat_statements')
{
	gid_set($node, 'shared_preload_libraries', "'$libraries'");
	$node->restart;
	my $offset = -s $node->logfile;

	is($node->safe_psql('app', <<"EOS"), "1|1\nt", "$libraries: each statement is counted once");
CREATE EXTENSION IF NOT EXISTS pg_stat_statements;
DO \$\$BEGIN PERFORM pg_stat_statements_reset(); END\$\$;
DO \$\$BEGIN PERFORM nextval('s'); PERFORM 1 WHERE currval('s') = lastval(); END\$\$;
SELECT sum(calls) FILTER (WHERE query LIKE 'SELECT nextval(%'), sum(calls) FILTER (WHERE query LIKE '%currval(%lastval()') FROM pg_stat_statements;
$HAS_BLOCK;
EOS
	is(log_count($node, qr/Output: gid\.serve_nextval\('s'::regclass\)/, $offset), 1, "$libraries: auto_explain shows the plan that ran");
}
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;

# --- changes of the setting, and what is not served beside -----------------

$node->safe_psql('app', 'CREATE TABLE t (id serial PRIMARY KEY, n int); ALTER DATABASE app RESET gid.serve_nextval');
my $script = "$PostgreSQL::Test::Utils::tmp_check/insert.sql";
my $out = '';

append_to_file($script, "INSERT INTO t (n) VALUES (1);\nINSERT INTO t (n) SELECT 2 WHERE nextval('t_id_seq') > 0;\n");
my $bench = IPC::Run::start([ 'pgbench', '-n', '-M', 'prepared', '-f', $script, '-c', 4, '-T', 600,
		'-h', $node->host, '-p', $node->port, 'app' ], '<', \undef, '>', \$out, '2>', \$out);

for my $value (('off', 'on') x ROUNDS)
{
	my $before = $node->safe_psql('app', 'SELECT count(*) FROM t');

	gid_reload($node, 'gid.serve_nextval', $value);
	$node->safe_psql('app', q{COPY t (n) FROM PROGRAM 'seq 1 10'});
	$node->poll_query_until('app', "SELECT count(*) > $before + 200 FROM t") or die 'nobody inserts';
}
# COPY FROM and ADD COLUMN are not served.
$node->safe_psql('app', q{ALTER TABLE t ADD COLUMN more bigint DEFAULT nextval('t_id_seq')});
ok($bench->pumpable, 'prepared statements go on over changes of the setting: no error') or diag($out);
$bench->signal('TERM');
$bench->finish;
unlike($out, qr/ERROR|aborted/, 'no client has met an error');
is($node->safe_psql('app', 'SELECT count(v) - count(DISTINCT v) FROM t, LATERAL (VALUES (id), (more)) AS x (v)'), '0', 'and no value twice');
is($node->safe_psql('app', $HAS_BLOCK =~ s/'s'/'t_id_seq'/r), 't', 'which they draw through gid at the end');

$node->stop;
done_testing();
