# DecimalIds: one generator number a start and launch, which all sessions share.  A number
# does not outlive the sequence, the extension or the database.  Also: launches, and what
# happens when counters or generator numbers are used up.
#
# SQL alone cannot test this: it needs many connections, several databases, crashes and
# restarts.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = gid_node('main', 'synchronous_commit = off');

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE TABLE made (n bigserial, id bigint UNIQUE);
EOS

# The last generator number reserved in a database, with its launch.
sub last_reserved
{
	my ($db) = @_;
	my $value = $node->safe_psql($db,
		'SELECT last_value FROM gid.decimal_generator');

	return (int($value / 100000), $value % 100000);
}

# An id as text, launch/generator/counter.
sub parts
{
	my ($id) = @_;

	return join('/', $id % 100000, int($id / 100000) % 100000, int($id / 10**10));
}

# An id of a new session.
sub decimal
{
	my ($db) = @_;

	return parts($node->safe_psql($db, 'SELECT gid_decimal_id()'));
}

# 1. 100 connections, and eight sessions in loops: one number, no counter twice or left
# out, and each session's ids increase.
ok( run_pgbench($node, 'postgres', 'INSERT INTO made (id) VALUES (gid_decimal_id())',
		'-C', '-c', 10, '-j', 2, '-t', 10),
	'100 connections');
ok( run_pgbench($node, 'postgres',
		'INSERT INTO made (id) SELECT gid_decimal_id() FROM generate_series(1, 10)',
		'-c', 8, '-j', 2, '-t', 500),
	'40,000 rows by eight sessions');
is($node->safe_psql('postgres', <<'EOS'), '40100|1|40100|0', 'one number, and its counters without a gap');
SELECT count(*), count(DISTINCT gid_extract_decimal_generator(id)), max(gid_extract_decimal_counter(id)),
	min(gid_extract_decimal_generator(id))
FROM made
EOS
$node->safe_psql('postgres', 'CREATE EXTENSION pgstattuple;'
	  . ' CREATE TABLE filled (id bigint PRIMARY KEY DEFAULT gid_decimal_id(), n int)');
ok( run_pgbench($node, 'postgres',
		'INSERT INTO filled (n) SELECT n FROM generate_series(1, 10) AS n',
		'-c', 8, '-j', 2, '-t', 1000),
	'80,000 rows by eight sessions');
my $density = $node->safe_psql('postgres',
	"SELECT avg_leaf_density FROM pgstatindex('filled_pkey')");

cmp_ok($density, '>=', 80, "leaf density $density %");

# 2. A call that begins after another has returned has the greater id, in whichever
# session, also over a crash and a restart.
{
	my @sessions = map { session($node, 'postgres') } 1 .. 3;
	my @ids = map { $_->safe('SELECT gid_decimal_id()') } (@sessions) x 20;
	my $pid = $sessions[0]->safe('SELECT pg_backend_pid()');

	is(scalar(grep { $ids[$_] <= $ids[ $_ - 1 ] } 1 .. $#ids), 0, 'ids increase over all sessions');
	kill9_backend($node, $pid);
	end_session($_) for @sessions;
	is(decimal('postgres'), '65/1/1', 'after a crash the next number is taken');
	$node->restart;
	is(decimal('postgres'), '65/2/1', 'and after a restart');
	is(decimal('postgres'), '65/2/2', 'one for all sessions');
}

# 3. Launches.  A session of the older launch goes on in its block while another begins
# the newer one, with one warning; a launch without a block is refused, and the refusal
# costs nothing.
{
	my $old = session($node, 'postgres');

	is(parts($old->safe('SET gid.launch_id = 65; SELECT gid_decimal_id()')), '65/2/3', 'a session of launch 65');
	gid_reload($node, 'gid.launch_id', 66);
	is(decimal('postgres'), '66/0/1', 'launch 66 begins with its generator 0');
	my ($out, $err) = $old->query('SELECT gid_decimal_id()');

	is(parts($out), '65/2/4', 'launch 65 goes on');
	like($err, qr/WARNING:  \w+: launch 65 is behind launch 66|WARNING:  launch 65 is behind launch 66/, 'with a warning');
	($out, $err) = $old->query('SELECT gid_decimal_id()');
	is($err, '', 'once in a session');
	sql_fails($node, 'postgres', 'SET gid.launch_id = 64; SELECT gid_decimal_id()', '55000',
		'launch 64 is behind', text => qr/launch 64 is behind launch 66/);
	is((last_reserved('postgres'))[0], 66, 'the refusal moved nothing');
	$node->restart;
	sql_fails($node, 'postgres', 'SET gid.launch_id = 65; SELECT gid_decimal_id()', '55000',
		'after a restart launch 65 has no block', text => qr/launch 65 is behind launch 66/);
	end_session($old);
}

# 4. Generator numbers used up, then the next launch.  A setval() by the owner stands for
# a hundred thousand restarts.
$node->safe_psql('postgres', "SELECT setval('gid.decimal_generator', 6699998)");
is(decimal('postgres'), '66/99999/1', 'the last generator of a launch');
is(decimal('postgres'), '66/99999/2', 'which goes on');
$node->restart;
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()', '2200H', 'generators of the launch used up');
gid_reload($node, 'gid.launch_id', 99999);
is(decimal('postgres'), '99999/0/1', 'the last launch begins');
$node->safe_psql('postgres', "SELECT gid_forget('gid.decimal_generator'), setval('gid.decimal_generator', 9999999998)");
is(decimal('postgres'), '99999/99999/1', 'the last generator of the last launch');
$node->restart;
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()', '2200H', 'generators of the last launch used up');
gid_reload($node, 'gid.launch_id', 65);

# 5. The same launch in two databases: a block is a database's own.  A copy takes the next
# number.
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'one', 'two';
$node->safe_psql($_, 'CREATE EXTENSION gid') for 'one', 'two';
is(decimal('one'), '65/0/1', 'database one');
is(decimal('two'), '65/0/1', 'database two has its own first generator');
is(decimal('one'), '65/0/2', 'database one again');
$node->safe_psql('postgres', 'CREATE DATABASE three TEMPLATE two');
is(decimal('three'), '65/1/1', 'the copy of a database takes the next number');
is(decimal('two'), '65/0/2', 'and leaves the block to it');

# 6. The extension dropped and created again, or its sequence restarted, beside a session
# that has drawn: nobody goes on in the old block.
foreach my $sql ('DROP EXTENSION gid; CREATE EXTENSION gid',
	'BEGIN; DROP EXTENSION gid; CREATE EXTENSION gid; COMMIT',
	'ALTER SEQUENCE gid.decimal_generator RESTART')
{
	my $warm = session($node, 'one');
	my @ids;

	$warm->safe('SELECT gid_decimal_id()') for 1 .. 5;
	$node->safe_psql('one', $sql);
	for (1 .. 3)
	{
		push @ids, map { parts($_) } $warm->safe('SELECT gid_decimal_id()'),
		  $node->safe_psql('one', 'SELECT gid_decimal_id()');
	}
	is("@ids", '65/0/1 65/0/2 65/0/3 65/0/4 65/0/5 65/0/6', "all begin anew: $sql");
	end_session($warm);
}

# A session that made an id holds off a DROP until its transaction ends.
{
	my $holder = session($node, 'one');

	$holder->safe('BEGIN; SELECT gid_decimal_id()');
	sql_fails($node, 'one', "SET lock_timeout = '200ms'; DROP EXTENSION gid",
		'55P03', 'DROP EXTENSION waits for a transaction that made an id',
		no_detail => 1, no_hint => 1);
	$holder->safe('COMMIT');
	is($node->psql('one', 'BEGIN; DROP EXTENSION gid; ROLLBACK'), 0, 'and not longer');
	end_session($holder);
}

# 7. A database dropped and created again with the same OID, from a template, so that its
# sequence has the same OID and file number: the block of the old one does not serve the
# new one.  With both strategies of CREATE DATABASE.
$node->safe_psql('postgres', 'CREATE DATABASE template_gid');
$node->safe_psql('template_gid', 'CREATE EXTENSION gid; CREATE SEQUENCE s');
my $identity = <<'EOS';
SELECT d.oid, string_agg(c.oid || ' ' || c.relfilenode, ' ' ORDER BY c.oid)
FROM pg_database AS d, pg_class AS c
WHERE d.datname = current_database() AND c.relname IN ('decimal_generator', 's') GROUP BY 1
EOS
my %identity;

foreach my $strategy (qw(wal_log file_copy wal_log file_copy file_copy))
{
	$node->safe_psql('postgres',
		"CREATE DATABASE again OID 99000 TEMPLATE template_gid STRATEGY $strategy");
	$identity{ $node->safe_psql('again', $identity) } = 1;
	my @two = map { session($node, 'again') } 1 .. 2;
	my @ids = map { parts($_->safe('SELECT gid_decimal_id()')) } @two, @two;
	my @values = map { $_->safe("SELECT gid_next('s')") } @two, @two, @two;

	end_session($_) for @two;
	is("@ids", '65/0/1 65/0/2 65/0/3 65/0/4', "$strategy: DecimalIds begin anew");
	is("@values", '1 2 3 4 5 6', "$strategy: so does a sequence");
	$node->safe_psql('postgres', 'DROP DATABASE again WITH (FORCE)');
}

# The same where the template has used the number meanwhile.
foreach my $strategy (qw(wal_log file_copy))
{
	my $create = "CREATE DATABASE again OID 99000 TEMPLATE template_gid STRATEGY $strategy";

	$node->safe_psql('postgres', $create);
	my ($generator) = parts($node->safe_psql('again', 'SELECT gid_decimal_id()')) =~ m{/(\d+)/};
	$node->safe_psql('postgres', 'DROP DATABASE again WITH (FORCE)');
	$node->safe_psql('template_gid', "SELECT setval('gid.decimal_generator', 6500000 + $generator)");
	$node->safe_psql('postgres', $create);
	is(parts($node->safe_psql('again', 'SELECT gid_decimal_id()')), '65/' . ($generator + 1) . '/1',
		"$strategy: the block of the old one does not serve a database whose template went further");
	$node->safe_psql('postgres', 'DROP DATABASE again WITH (FORCE)');
}
is(scalar(keys %identity), 1, 'the databases agreed in every number: ' . join(' ', keys %identity));

# 8. A counter used up (922,337,202 ids, a minute or two): ids go on under another
# generator.
SKIP:
{
	skip 'PG_TEST_EXTRA does not have gid_long', 2
	  unless ($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/;
	my $long = session($node, 'three');

	$long->{timer}->interval(3600);
	$long->safe('SET statement_timeout = 0');
	my ($launch, $generator, $counter) = split m{/}, parts($long->safe('SELECT gid_decimal_id()'));
	my $rest = 922337202 - $counter;
	my $most = $long->safe("SELECT max(gid_decimal_id()) FROM (SELECT generate_series(1, $rest)) AS g");

	is(parts($most), "65/$generator/922337202", 'the last counter of a generator');
	is(parts($long->safe('SELECT gid_decimal_id()')), '65/' . ($generator + 1) . '/1', 'then the next generator');
	end_session($long);
}
$node->stop;

done_testing();
