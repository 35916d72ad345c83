# DecimalIds: one generator number a start and launch, which all sessions share.  A number
# does not outlive the sequence or the extension.  Also: launches, and what
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
$node->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE TABLE made (id bigint UNIQUE)');

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

# 1. Eight sessions, many connections: one number, no counter twice or left out.
foreach my $way ([ 10, '-t', 500 ], [ 1, '-C', '-t', 10 ])
{
	my ($rows, @options) = @$way;

	ok( run_pgbench($node, 'postgres',
			"INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, $rows)", '-c', 8, '-j', 2, @options),
		"eight sessions, @options");
}
is($node->safe_psql('postgres', <<'EOS'), '40080|1|40080|0', 'one number, and its counters without a gap');
SELECT count(*), count(DISTINCT gid_extract_decimal_generator(id)), max(gid_extract_decimal_counter(id)),
	min(gid_extract_decimal_generator(id))
FROM made
EOS

# 2. The next number after a crash and after a restart.
kill9_backend($node, 'SELECT 1');
is(decimal('postgres'), '65/1/1', 'after a crash the next number is taken');
$node->restart;
is(decimal('postgres'), '65/2/1', 'and after a restart');
is(decimal('postgres'), '65/2/2', 'one for all sessions');

# 3. Launches.  A session of the older launch goes on in its block while another begins
# the newer one, with one warning; a launch without a block is refused, and the refusal
# costs nothing.
my $old = session($node, 'postgres');

is(parts($old->safe('SET gid.launch_id = 65; SELECT gid_decimal_id()')), '65/2/3', 'a session of launch 65');
gid_reload($node, 'gid.launch_id', 66);
is(decimal('postgres'), '66/0/1', 'launch 66 begins with its generator 0');
my ($out, $err) = $old->query('SELECT gid_decimal_id()');

is(parts($out), '65/2/4', 'launch 65 goes on');
like($err, qr/WARNING:  (\w+: )?launch 65 is behind launch 66/, 'with a warning');
is(($old->query('SELECT gid_decimal_id()'))[1], '', 'once in a session');
end_session($old);
sql_fails($node, 'postgres', 'SET gid.launch_id = 64; SELECT gid_decimal_id()', '55000',
	'launch 64 is behind', text => qr/launch 64 is behind launch 66/);
is($node->safe_psql('postgres', 'SELECT last_value / 100000 FROM gid.decimal_generator'), 66, 'the refusal moved nothing');
$node->restart;
sql_fails($node, 'postgres', 'SET gid.launch_id = 65; SELECT gid_decimal_id()', '55000',
	'after a restart launch 65 has no block', text => qr/launch 65 is behind launch 66/);

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
$node->safe_psql('postgres', 'CREATE DATABASE three TEMPLATE two');
is(decimal('three'), '65/1/1', 'the copy of a database takes the next number');
is(decimal('two'), '65/0/2', 'and leaves the block to it');

# 6. The extension dropped and created again, or its sequence restarted, beside a session
# that has drawn: nobody goes on in the old block.
foreach my $sql ('BEGIN; DROP EXTENSION gid; CREATE EXTENSION gid; COMMIT',
	'ALTER SEQUENCE gid.decimal_generator RESTART')
{
	my $warm = session($node, 'one');

	$warm->safe('SELECT gid_decimal_id()') for 1 .. 5;
	$node->safe_psql('one', $sql);
	is(parts($warm->safe('SELECT gid_decimal_id()')) . ' ' . decimal('one'), '65/0/1 65/0/2', "all begin anew: $sql");
	end_session($warm);
}

# A session that made an id holds off a DROP until its transaction ends.
my $holder = session($node, 'one');

$holder->safe('BEGIN; SELECT gid_decimal_id()');
sql_fails($node, 'one', "SET lock_timeout = '200ms'; DROP EXTENSION gid",
	'55P03', 'DROP EXTENSION waits for a transaction that made an id', no_detail => 1, no_hint => 1);
$holder->safe('COMMIT');
is($node->psql('one', 'BEGIN; DROP EXTENSION gid; ROLLBACK'), 0, 'and not longer');
end_session($holder);

# 7. A counter used up (922,337,202 ids, a minute or two): ids go on under another
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
