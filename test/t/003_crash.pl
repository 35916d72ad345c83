# No id comes twice after a restart, an immediate stop, kill -9 of the
# postmaster or of a backend, and the ordered families go on increasing; a
# DecimalId's generator number is on disk before the id is seen.
#
# SQL alone cannot test this: it needs a server that dies while sessions have
# read ids in transactions that never end.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant PER_TURN => 50;

my $node = gid_node('main', 'wal_writer_delay = 10s');
my $round = 0;
my %deaths;

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($node, 'postgres');

# One round: sessions print ids by turns in transactions that stay open, some
# are printing when the end comes. Then everything printed is loaded, in its
# order.
sub live_and_die
{
	my ($how) = @_;
	my @session = map { session($node, 'postgres') } 1 .. 2;
	my (%files, %stream);
	my $streamed = $ORDERED[ $round % @ORDERED ];

	$round++;
	$deaths{$how}++;
	my @pid = map { $_->safe('BEGIN; SELECT pg_backend_pid()') } @session;
	for my $turn (1 .. 2)
	{
		foreach my $session (@session)
		{
			push @{ $files{$_} }, take($node, $session, $_, PER_TURN)
			  for @FAMILIES;
		}
	}
	$stream{$_} = start_stream($node, 'postgres', $_)
	  for $streamed, 'decimal';

	if ($how eq 'restart') { $node->restart; }
	elsif ($how eq 'immediate')
	{
		$node->stop('immediate');
		$node->start;
	}
	elsif ($how eq 'postmaster killed')
	{
		kill9_server($node);
		$node->start;
	}
	elsif ($how eq 'backend killed') { kill9_backend($node, $pid[0]); }
	else { die $how; }

	end_session($_) for @session;
	push @{ $files{$_} }, stop_stream($stream{$_}) for keys %stream;
	load_file($node, 'postgres', $_, $round, @{ $files{$_} }) for @FAMILIES;
	return;
}

# 1. Rounds of every kind of end, without preload, then with it.
my @ends = ('restart', 'immediate', 'postmaster killed', 'backend killed');

live_and_die($_) for (@ends) x 2;
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;
live_and_die($_) for @ends, reverse @ends;

note("$round rounds: " . join(', ', map { "$deaths{$_} x $_" } @ends));
check_growing($node, 'postgres', $_, 1, "over $round rounds") for @ORDERED;
check_growing($node, 'postgres', 'decimal', 0, "over $round rounds");
is( $node->safe_psql('postgres', 'SELECT count(DISTINCT round) FROM seen_v7'),
	$round, 'every round printed ids');

# 2. Leases die with the shared memory, so each round's generator numbers are
# new: greater than all before.
my ($pairs, $numbers) = split /\|/, $node->safe_psql('postgres', <<'EOS');
SELECT count(*), count(DISTINCT generator)
FROM (SELECT DISTINCT round, gid_extract_decimal_generator(id) AS generator
	FROM seen_decimal) AS s
EOS
note("$numbers generator numbers in $round rounds");
ok($pairs >= 3 * $round && $pairs == $numbers,
	'no generator number is reserved twice');
is( $node->safe_psql('postgres', <<'EOS'), 't',
SELECT bool_and(least > before)
FROM (SELECT min(gid_extract_decimal_generator(id)) AS least,
		lag(max(gid_extract_decimal_generator(id))) OVER (ORDER BY round)
			AS before
	FROM seen_decimal GROUP BY round) AS s
WHERE before IS NOT NULL
EOS
	'generator numbers increase over the rounds');

# 3. P2, beside core's nextval() in the same transaction: the crash loses what
# nextval() has not flushed (so it would lose gid's reservation too, were it
# not flushed), and keeps the generator number.
my ($core_repeats, $gid_repeats) = (0, 0);

for my $i (1 .. 4)
{
	$node->safe_psql('postgres', "CREATE SEQUENCE core_$i; CHECKPOINT;");
	my $session = session($node, 'postgres');
	my ($id, $core) = split /\|/,
	  $session->safe(
		"BEGIN; SELECT gid_decimal_id(), nextval('core_$i')");

	kill9_server($node);
	end_session($session);
	$node->start;
	$core_repeats++
	  if $node->safe_psql('postgres', "SELECT nextval('core_$i')") == $core;
	my $again = $node->safe_psql('postgres', 'SELECT gid_decimal_id()');

	$gid_repeats++
	  if int($again / 100000) % 100000 <= int($id / 100000) % 100000;
	# The next round shall reserve a number, not take this lease.
	$node->restart;
}
note("of 4 crashes, nextval() repeated its value after $core_repeats,"
	  . " a generator number came again after $gid_repeats");
cmp_ok($core_repeats, '>', 0,
	'the crash loses WAL that is not flushed: nextval() repeats');
is($gid_repeats, 0, 'a generator number does not');
$node->stop;

done_testing();
