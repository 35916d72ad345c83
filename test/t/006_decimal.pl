# Leases of DecimalId generators.  A lease outlives its connection.  It does not
# outlive the sequence, the extension or the database.  Also: launches, and what
# happens when counters or generator numbers are used up.
#
# SQL alone cannot test this: it needs many connections, several databases and
# sessions that end in several ways.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = gid_node('main', 'synchronous_commit = off');

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE TABLE made (id bigint UNIQUE, pid int);
EOS

# The last generator number reserved in a database, with its launch.
sub last_reserved
{
	my ($db) = @_;
	my $value = $node->safe_psql($db,
		'SELECT last_value FROM gid.decimal_generator');

	return (int($value / 100000), $value % 100000);
}

sub parts
{
	my ($id) = @_;

	return ($id % 100000, int($id / 100000) % 100000, int($id / 10**10));
}

# Waits until a backend has given back its lease and ended: its client may be gone
# before it is.
sub wait_gone
{
	my ($pid) = @_;

	$node->poll_query_until('postgres',
		"SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid")
	  or die 'the backend did not end';
	return;
}

# An id of a session that has ended, as text, launch/generator/counter.
sub decimal
{
	my ($db) = @_;
	my ($id, $pid) = split /\|/,
	  $node->safe_psql($db, 'SELECT gid_decimal_id(), pg_backend_pid()');

	wait_gone($pid);
	return join('/', parts($id));
}

# Waits until the server has no other client.
sub wait_alone
{
	$node->poll_query_until('postgres', <<'EOS') or die;
SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'
EOS
	return;
}

# The same, but for one session.
sub wait_alone_but
{
	my ($pid) = @_;

	$node->poll_query_until('postgres', <<"EOS") or die;
SELECT count(*) = 1 FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> $pid
EOS
	return;
}

# 1. 5,000 connections that each make one id, 50 times as many as there may be at a
# time.
ok( run_pgbench($node, 'postgres',
		'INSERT INTO made VALUES (gid_decimal_id(), pg_backend_pid())',
		'-C', '-c', 10, '-j', 2, '-t', 500),
	'5,000 connections');
my ($made, $distinct, $generators) = split /\|/,
  $node->safe_psql('postgres', <<'EOS');
SELECT count(*), count(DISTINCT id),
	count(DISTINCT gid_extract_decimal_generator(id))
FROM made
EOS
my ($launch, $last) = last_reserved('postgres');

note("$made ids, $distinct distinct, of $generators generators;"
	  . " the last reserved is $last of launch $launch");
is("$made $distinct", '5000 5000', 'all ids are there and distinct');
cmp_ok($generators, '<=', 100, 'no more generators than max_connections');
is($launch, 65, 'the sequence has the launch');
cmp_ok($last, '<', 100, 'no more numbers reserved than max_connections');
wait_alone();

# 2. A lease goes back at the end of a session, whichever way it ends, and the
# next one goes on with its counter.
my ($now, $generator, $counter) = parts(
	$node->safe_psql('postgres', 'SELECT gid_decimal_id()'));

foreach my $end ('quit', 'terminated', 'error', 'in a transaction',
	'client killed')
{
	wait_alone();
	my $session = session($node, 'postgres');
	my ($pid, $id) = split /\|/, $session->safe(
		($end eq 'in a transaction' ? 'BEGIN; ' : '')
		. 'SELECT pg_backend_pid(), gid_decimal_id()');

	is(join('/', parts($id)), join('/', 65, $generator, ++$counter),
		"the lease goes on, $end");
	$node->safe_psql('postgres', "SELECT pg_terminate_backend($pid)")
	  if $end eq 'terminated' || $end eq 'in a transaction';
	if ($end eq 'error')
	{
		# An error after the id: the id is lost, the lease is not.
		$session->query('SELECT gid_decimal_id() / 0');
		$counter++;
	}
	if ($end eq 'client killed')
	{
		$session->kill;
	}
	end_session($session);
}
wait_alone();
is(decimal('postgres'), join('/', 65, $generator, ++$counter),
	'the lease goes on after the last');
is((last_reserved('postgres'))[1], $last, 'no number was reserved meanwhile');

# 3. A crash loses leases, nothing else.
my $session = session($node, 'postgres');
my $pid = $session->safe('SELECT pg_backend_pid()');

$session->safe('SELECT gid_decimal_id()');
kill9_backend($node, $pid);
end_session($session);
my $after_crash = (split m{/}, decimal('postgres'))[1];

is($after_crash, $last + 1, 'after a crash the next new number is taken');

# 4. Launches. A reload changes it, in a session that has a lease, too; a lower
# one is refused, with and without idle leases of the lower one.
my $old = session($node, 'postgres');

is(join('/', (parts($old->safe('SELECT gid_decimal_id()')))[ 0, 1 ]),
	"65/$after_crash", 'a session has a lease of launch 65');
is(join('/', (split m{/}, decimal('postgres'))[ 0, 1 ]),
	'65/' . ($after_crash + 1), 'another had one, now idle');
gid_reload($node, 'gid.launch_id', 66);
$old->safe('SELECT 1');
is(join('/', parts($old->safe('SELECT gid_decimal_id()'))),
	'66/0/1', 'launch 66 begins with its generator 0, in the old session');
is(decimal('postgres'), '66/1/1', 'and in a new one');
gid_reload($node, 'gid.launch_id', 65);
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()', '55000',
	'launch 65 is behind', text => qr/launch 65 is behind launch 66/);
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()', '55000',
	'and stays behind', text => qr/launch 65 is behind launch 66/);
end_session($old);
wait_alone();
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()', '55000',
	'with every lease idle, too', text => qr/launch 65 is behind launch 66/);
gid_reload($node, 'gid.launch_id', 66);
like(decimal('postgres'), qr{^66/[01]/2$}, 'launch 66 goes on with its leases');
gid_reload($node, 'gid.launch_id', 64);
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()', '55000',
	'launch 64 is behind', text => qr/launch 64 is behind launch 66/);
is((last_reserved('postgres'))[0], 66, 'no refusal moved the sequence');
gid_reload($node, 'gid.launch_id', 66);

# 5. Generators used up, then the next launch. A setval() by the owner stands
# for a hundred thousand crashes.
$node->restart;
$node->safe_psql('postgres',
	"SELECT setval('gid.decimal_generator', 6699998)");
my @last = map { session($node, 'postgres') } 1 .. 2;

is(join('/', parts($last[0]->safe('SELECT gid_decimal_id()'))),
	'66/99999/1', 'the last generator of a launch');
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()',
	'2200H', 'generators of the launch used up');
is(join('/', parts($last[0]->safe('SELECT gid_decimal_id()'))),
	'66/99999/2', 'the session that has the last one goes on');
my $gone = $last[0]->safe('SELECT pg_backend_pid()');
end_session($last[0]);
wait_gone($gone);
is(join('/', parts($last[1]->safe('SELECT gid_decimal_id()'))),
	'66/99999/3', 'and the next that takes it over');
end_session($last[1]);
gid_reload($node, 'gid.launch_id', 67);
is(decimal('postgres'), '67/0/1', 'the next launch begins');
gid_reload($node, 'gid.launch_id', 99999);
is(decimal('postgres'), '99999/0/1', 'the last launch begins');
$node->restart;
$node->safe_psql('postgres',
	"SELECT setval('gid.decimal_generator', 9999999998)");
is(decimal('postgres'), '99999/99999/1',
	'the last generator of the last launch');
$node->restart;
sql_fails($node, 'postgres', 'SELECT gid_decimal_id()',
	'2200H', 'generators of the last launch used up');
gid_reload($node, 'gid.launch_id', 65);

# 6. The same launch in two databases: leases are a database's own.
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'one', 'two';
$node->safe_psql($_, 'CREATE EXTENSION gid') for 'one', 'two';
is(decimal('one'), '65/0/1', 'database one');
is(decimal('one'), '65/0/2', 'database one again');
is(decimal('two'), '65/0/1', 'database two has its own first generator');
is(decimal('one'), '65/0/3', 'database one once more');

# 7. The extension dropped and created again, while another session has a warm
# lease: nobody may go on with it, since the new sequence begins at 0 again.
sub recreate
{
	my ($name, $sql) = @_;
	my $warm = session($node, 'one');
	my @ids;

	$warm->safe('PREPARE p AS SELECT gid_decimal_id()');
	$warm->safe('EXECUTE p') for 1 .. 5;
	$node->safe_psql('one', $sql);
	$node->safe_psql('one',
		'CREATE TABLE again (n serial, id bigint, who text)');
	for (1 .. 3)
	{
		# An error is fine where the prepared statement's function is gone.
		foreach ('SELECT gid_decimal_id()', 'EXECUTE p')
		{
			my ($id, $err) = $warm->query($_);

			push @ids, $id if $err eq '';
		}
		push @ids, $node->safe_psql('one', 'SELECT gid_decimal_id()');
		push @ids, split /\n/, $node->safe_psql('one',
			'SELECT gid_decimal_id() FROM generate_series(1, 10)');
	}
	end_session($warm);
	wait_alone();
	push @ids, $node->safe_psql('one', 'SELECT gid_decimal_id()');
	my %distinct = map { $_ => 1 } @ids;
	my ($least) = sort { $a <=> $b } map { (parts($_))[1] } @ids;

	note("$name: " . scalar(@ids) . ' ids, ' . scalar(keys %distinct)
		  . ' distinct');
	ok(@ids >= 37 && keys %distinct == @ids, "$name: no id repeats");
	is($least, 0, "$name: the new sequence begins at generator 0");
	cmp_ok(scalar(grep { (parts($_))[2] == 1 } @ids),
		'==', scalar(keys %{ { map { (parts($_))[1] => 1 } @ids } }),
		"$name: every generator's counter begins at 1");
	$node->safe_psql('one', 'DROP TABLE again');
	return;
}

recreate('extension created again', 'DROP EXTENSION gid; CREATE EXTENSION gid');
recreate('created again in one transaction',
	'BEGIN; DROP EXTENSION gid; CREATE EXTENSION gid; COMMIT');
recreate('sequence restarted',
	'ALTER SEQUENCE gid.decimal_generator RESTART');

# 8. A session that made an id holds off a DROP until its transaction ends.
my $holder = session($node, 'one');

$holder->safe('BEGIN; SELECT gid_decimal_id()');
sql_fails($node, 'one', "SET lock_timeout = '200ms'; DROP EXTENSION gid",
	'55P03', 'DROP EXTENSION waits for a transaction that made an id',
	no_detail => 1, no_hint => 1);
$holder->safe('COMMIT');
is( $node->psql('one',
		"BEGIN; SET lock_timeout = '5s'; DROP EXTENSION gid; ROLLBACK"),
	0, 'and not longer');

# 9. Winding back in a subtransaction that is undone leaves no lease of what
# was undone: its numbers have been used.  (What is drawn before it is undone
# repeats: that is what RESTART is for.)
$node->safe_psql('one', 'DROP EXTENSION gid; CREATE EXTENSION gid');
my @before = split /\n/, $node->safe_psql('one',
	'SELECT gid_decimal_id() FROM generate_series(1, 10)');
my %known = map { $_ => 1 } @before;

$holder->safe('BEGIN; SAVEPOINT a; ALTER SEQUENCE gid.decimal_generator RESTART');
is($holder->safe('SELECT gid_decimal_id()'),
	$before[0], 'a RESTART begins anew');
my $undone = $holder->safe('ROLLBACK TO a;'
	  . ' SELECT gid_decimal_id() FROM generate_series(1, 10); COMMIT');

is(scalar(grep { /^\d+$/ } split /\n/, $undone),
	10, 'rolled back, ids go on');
is( scalar(grep { $known{$_} } split /\n/, $undone),
	0, 'a RESTART that is rolled back: no id repeats');

# The same where the session has a lease already.
$holder->safe('BEGIN; SELECT gid_decimal_id(); SAVEPOINT a;'
	  . ' ALTER SEQUENCE gid.decimal_generator RESTART');
is($holder->safe('SELECT gid_decimal_id()'),
	$before[0], 'also where the session has a lease');
my @inside = split /\n/, $holder->safe('ROLLBACK TO a;'
	  . ' SELECT gid_decimal_id() FROM generate_series(1, 10); COMMIT');
is( scalar(grep { $known{$_}++ } split(/\n/, $undone), @inside),
	0, 'nor where the session had a lease before');
end_session($holder);
wait_alone();

# 10. A database dropped and created again with the same OID, from a template,
# so that its sequence has the same OID and file number: the leases of the old
# one may not serve the new one.
$node->safe_psql('postgres', 'CREATE DATABASE template_gid');
$node->safe_psql('template_gid', 'CREATE EXTENSION gid');
my $identity = <<'EOS';
SELECT d.oid, c.oid, c.relfilenode
FROM pg_database AS d, pg_class AS c
WHERE d.datname = current_database() AND c.relname = 'decimal_generator'
EOS
my %identity;
my @first;

for my $life (1 .. 3)
{
	$node->safe_psql('postgres',
		'CREATE DATABASE again OID 99000 TEMPLATE template_gid');
	$identity{ $node->safe_psql('again', $identity) } = 1;
	my @ids = map { split /\n/, $node->safe_psql('again', $_) }
	  ('SELECT gid_decimal_id() FROM generate_series(1, 10)') x 2;
	my @two = map { session($node, 'again') } 1 .. 2;

	for (1 .. 3)
	{
		push @ids, split /\n/, $_->safe(
			'SELECT gid_decimal_id() FROM generate_series(1, 10)')
		  for @two;
	}
	end_session($_) for @two;
	my %distinct = map { $_ => 1 } @ids;

	push @first, join('/', parts($ids[0]));
	is(scalar(keys %distinct), scalar(@ids), "life $life: no id repeats");
	wait_alone();
	$node->safe_psql('postgres', 'DROP DATABASE again');
}
is(scalar(keys %identity),
	1, 'the databases agreed in every number: ' . join(' ', keys %identity));
is("@first", '65/0/1 65/0/1 65/0/1', 'each life began anew');

# 11. A database made from one that has live leases: their numbers are behind
# its sequence.
is(decimal('two'), '65/0/2', 'database two has a lease');
wait_alone();
$node->safe_psql('postgres', 'CREATE DATABASE three TEMPLATE two');
is(decimal('three'), '65/1/1', 'its copy takes the next number');
is(decimal('two'), '65/0/3', 'and leaves the lease to it');

# 12. Many sessions come and go in several databases while one is dropped and
# created again. Counts in each database are the judge.
$node->safe_psql($_, 'CREATE TABLE made (id bigint UNIQUE)')
  for 'one', 'two', 'three';
my @children;

foreach my $db ('one', 'two', 'three')
{
	my $child = fork();

	die "fork: $!" unless defined $child;
	if ($child == 0)
	{
		my $good = run_pgbench($node, $db, <<'EOS',
INSERT INTO made SELECT gid_decimal_id() FROM generate_series(1, 20)
EOS
			'-C', '-c', 4, '-j', 1, '-t', 100);

		# Leave without the test modules' END blocks.
		POSIX::_exit($good ? 0 : 1);
	}
	push @children, $child;
}
for my $life (1 .. 5)
{
	$node->safe_psql('postgres',
		'CREATE DATABASE again OID 99000 TEMPLATE template_gid');
	my @ids = map { decimal('again') } 1 .. 5;

	is($ids[0], '65/0/1', "life $life among others: begins anew");
	# A session's exit can lag behind the next one's start.
	$node->safe_psql('postgres', 'DROP DATABASE again WITH (FORCE)');
}
my $failed = 0;

foreach (@children)
{
	waitpid $_, 0;
	$failed++ if $?;
}
is($failed, 0, 'three databases at once: unique indexes hold');
foreach my $db ('one', 'two', 'three')
{
	is($node->safe_psql($db, 'SELECT count(DISTINCT id) FROM made'),
		8000, "database $db: 8,000 distinct ids");
	my ($launch, $number) = last_reserved($db);

	cmp_ok($number, '<', 100, "database $db: $number numbers used");
}

# 13. One session counts without gaps; one that falls behind passes over
# counters to be level with the foremost, at the next transaction or multiple of
# 32; a lease that goes back goes on from there.
sub counters
{
	my ($session, $ids) = @_;

	return map { (parts($_))[2] } split /\n/,
	  $session->safe("SELECT gid_decimal_id() FROM generate_series(1, $ids)");
}

wait_alone();
my ($fast, $slow) = map { session($node, 'two') } 1 .. 2;
my @alone = counters($fast, 1000);

is($alone[-1] - $alone[0], 999, 'one session counts without gaps');
my ($level, @next) = (counters($slow, 1), counters($slow, 5));

# what the foremost was at its last look, less what is as good as level
ok($level > $alone[-1] - 56 && $level < $alone[-1],
	'one that begins is level with the foremost');
is(join(',', @next), join(',', $level + 1 .. $level + 5), 'and then counts on');
is(join(',', counters($fast, 3)), join(',', $alone[-1] + 1 .. $alone[-1] + 3),
	'the foremost passes over none');
$slow->safe('BEGIN; SELECT gid_decimal_id()');
@alone = counters($fast, 1000);
@next = counters($slow, 64);
cmp_ok($next[-1], '>', $alone[-1] - 56, 'within a transaction, too');
is(scalar(grep { $next[$_] <= $next[$_ - 1] } 1 .. $#next),
	0, 'and strictly increasing');
$slow->safe('COMMIT');
end_session($fast);
wait_alone_but($slow->safe('SELECT pg_backend_pid()'));
end_session($slow);
wait_alone();
is((parts($node->safe_psql('two', 'SELECT gid_decimal_id()')))[2],
	$next[-1] + 1, 'the lease goes on from there');

# Eight sessions fill an index at its end; apart they leave it at 55 to 72 %.
$node->safe_psql('two', 'CREATE EXTENSION pgstattuple;'
	  . ' CREATE TABLE filled (id bigint PRIMARY KEY DEFAULT gid_decimal_id(), n int)');
ok( run_pgbench($node, 'two',
		'INSERT INTO filled (n) SELECT n FROM generate_series(1, 10) AS n',
		'-c', 8, '-j', 2, '-t', 1500),
	'120,000 rows by eight sessions');
my $density = $node->safe_psql('two',
	"SELECT avg_leaf_density FROM pgstatindex('filled_pkey')");

cmp_ok($density, '>=', 80, "leaf density $density %");

# 14. A counter used up (922,337,202 ids, a minute or two): ids go on under
# another generator.
SKIP:
{
	skip 'PG_TEST_EXTRA does not have gid_long', 3
	  unless ($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/;
	wait_alone();
	my $long = session($node, 'three');

	$long->{timer}->interval(3600);
	$long->safe('SET statement_timeout = 0');
	my ($launch, $generator, $counter) =
	  parts($long->safe('SELECT gid_decimal_id()'));
	my $rest = 922337202 - $counter;
	my $reserved = (last_reserved('three'))[1];
	my $most = $long->safe("SELECT max(gid_decimal_id())"
		  . " FROM (SELECT generate_series(1, $rest)) AS g");

	is(join('/', parts($most)), "65/$generator/922337202",
		'the last counter of a generator');

	# An idle lease of an earlier session, or else a new number.
	my $next = $long->safe('SELECT gid_decimal_id()');
	my ($next_launch, $next_generator, $next_counter) = parts($next);

	note("then $next_launch/$next_generator/$next_counter");
	ok( $next_launch == 65
		  && $next_generator != $generator
		  && $next_generator <= $reserved + 1
		  && $next_counter >= 1
		  && $next_counter <= 922337202,
		'then another generator, in range');
	is($node->safe_psql('three', "SELECT count(*) FROM made WHERE id = $next"),
		0, 'with an id that was not made before');
	end_session($long);
}
$node->stop;

done_testing();
