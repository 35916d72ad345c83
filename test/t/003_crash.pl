# No id comes twice after a restart, an immediate stop, kill -9 of the postmaster or of a
# backend, and the ordered families go on increasing; a DecimalId's generator number is on
# disk before the id is seen.
#
# SQL alone cannot test this: it needs a server that dies while sessions have read ids in
# transactions that never end.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = gid_node('main', 'wal_writer_delay = 10s');
my $round = 0;

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($node, 'postgres');

# One round: sessions print ids by turns in transactions that stay open, some are
# printing when the end comes. Then everything printed is loaded, in its order.
sub live_and_die
{
	my ($how) = @_;
	my @session = map { session($node, 'postgres') } 1 .. 2;
	my $streamed = $ORDERED[ $round++ % @ORDERED ];
	my %files;

	my @pid = map { $_->safe('BEGIN; SELECT pg_backend_pid()') } @session;
	foreach my $session (@session, @session)
	{
		push @{ $files{$_} }, take($node, $session, $_, 50) for @FAMILIES;
	}
	my %stream = map { $_ => start_stream($node, 'postgres', $_) } $streamed, 'decimal';

	if ($how eq 'restart') { $node->restart; }
	elsif ($how eq 'backend killed') { kill9_backend($node, $pid[0]); }
	else
	{
		$how eq 'immediate' ? $node->stop($how) : kill9_server($node);
		$node->start;
	}
	end_session($_) for @session;
	push @{ $files{$_} }, stop_stream($stream{$_}) for keys %stream;
	load_file($node, 'postgres', $_, $round, @{ $files{$_} }) for @FAMILIES;
	return;
}

# 1. Rounds of every kind of end, without preload, then with it.
my @ends = ('restart', 'immediate', 'postmaster killed', 'backend killed');

live_and_die($_) for @ends;
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;
live_and_die($_) for @ends;

check_growing($node, 'postgres', $_, 1, "over $round rounds") for @ORDERED;
check_growing($node, 'postgres', 'decimal', 0, "over $round rounds");
is( $node->safe_psql('postgres', <<'EOS'), "$round|$round|$round",
SELECT (SELECT count(DISTINCT round) FROM seen_v7),
	(SELECT count(DISTINCT gid_extract_sequential_process(id)) FROM seen_sequential),
	(SELECT count(DISTINCT gid_extract_shard_generator(id)) FROM seen_shard)
EOS
	'every life printed ids, with a process id and a generator of its own');

# Leases die with the shared memory, so each round's generator numbers are greater than
# all before.
is( $node->safe_psql('postgres', <<'EOS'), 't',
SELECT bool_and(least > before)
FROM (SELECT min(gid_extract_decimal_generator(id)) AS least,
		lag(max(gid_extract_decimal_generator(id))) OVER (ORDER BY round) AS before
	FROM seen_decimal GROUP BY round) AS s
WHERE before IS NOT NULL
EOS
	'generator numbers increase over the rounds');

# 2. P2, beside core's nextval() in the same transaction: as soon as a crash has lost what
# nextval() had not flushed, it would have lost gid's reservation, too, were it not flushed.
my ($core_repeats, $gid_repeats, $crashes) = (0, 0, 0);

while (!$core_repeats && $crashes < 20)
{
	my $name = 'core_' . ++$crashes;

	$node->safe_psql('postgres', "CREATE SEQUENCE $name; CHECKPOINT;");
	my $session = session($node, 'postgres');
	my ($id, $core) = split /\|/, $session->safe("BEGIN; SELECT gid_decimal_id(), nextval('$name')");

	kill9_server($node);
	end_session($session);
	$node->start;
	my ($again, $core_again) = split /\|/,
	  $node->safe_psql('postgres', "SELECT gid_decimal_id(), nextval('$name')");

	$core_repeats++ if $core_again == $core;
	$gid_repeats++ if int($again / 100000) % 100000 <= int($id / 100000) % 100000;
	# The next round shall reserve a number, not take this lease.
	$node->restart unless $core_repeats;
}
note("of $crashes crashes, nextval() repeated its value after $core_repeats");
is($core_repeats, 1, 'a crash loses WAL that is not flushed: nextval() repeats');
is($gid_repeats, 0, 'a generator number does not');
$node->stop;

done_testing();
