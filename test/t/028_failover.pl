# The primary dies at a random moment while clients draw values of all kinds, and
# a synchronous standby is promoted: no value comes twice, although commits are local
# (synchronous_commit = local) and are lost.
#
# SQL alone cannot test this: it needs servers that are killed and promoted, and
# a list of what clients were given by a server that is gone.
#
# Each round begins with copies of the same three data directories.  There are
# GID_SOAK_ROUNDS of them (4; 30 under PG_TEST_EXTRA = gid_soak); the seed is
# printed, GID_SOAK_SEED takes it again.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use List::Util;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant {
	CLIENTS => 4,
	# Seconds until the primary dies, at most, and without walsenders before.
	RUN => 1.2,
	HOLD => 0.3,
	HANG => 180,				# seconds that only a hang takes
	# Values of each kind, and sessions, after the promotion.
	AFTERWARDS => 300,
	SESSIONS => 6,
};

my $rounds = $ENV{GID_SOAK_ROUNDS}
  || (($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_soak\b/ ? 30 : 4);
my $seed = $ENV{GID_SOAK_SEED} || time;

srand($seed);
note("$rounds rounds, GID_SOAK_SEED=$seed");

# --- the servers ---------------------------------------------------------

my $primary = gid_node('primary', <<'EOC', allows_streaming => 1, extra => ['--wal-segsize=1']);
gid.timeline_skip = 0
synchronous_commit = local
min_wal_size = 2MB
wal_writer_delay = 10ms
EOC

$primary->start;
$primary->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE pace;
CREATE SEQUENCE fixed CACHE 20;
CREATE TABLE committed (id bigint GENERATED ALWAYS AS IDENTITY);
EOS
$primary->backup('backup');

my @standbys = map {
	my $standby = PostgreSQL::Test::Cluster->new($_);

	$standby->init_from_backup($primary, 'backup', has_streaming => 1);
	$standby->start;
	$standby;
} qw(standby_1 standby_2);
my @nodes = ($primary, @standbys);

# Their data directories, equal to each other, are what each round begins with.
$primary->wait_for_catchup($_) for @standbys;
$_->stop for @nodes;
system_or_bail('cp', '-a', $_->data_dir, $_->data_dir . '.first') for @nodes;

sub start_servers
{
	my ($standbys, $block_size) = @_;

	foreach my $node (@nodes)
	{
		system_or_bail('rm', '-rf', $node->data_dir);
		system_or_bail('cp', '-a', $node->data_dir . '.first', $node->data_dir);
		gid_set($node, 'gid.max_block_size', $block_size);
	}
	gid_set($primary, 'synchronous_standby_names', "'ANY $standbys (*)'");
	$_->start for @nodes;
	return;
}

# --- clients -------------------------------------------------------------

# What a client prints: the sequence and the value, or the row that it has
# committed.
my $DRAWS = join '', map {
	my $sequence = $_;

	map { "SELECT '$sequence|' || ($VALUES{$_} LIMIT 1);\n" =~ s/%s/$sequence/r }
	  qw(next gdid next code next);
} qw(pace fixed);
my $BATCHES = join '', map {
	my $sequence = $_;

	map { "SELECT '$sequence|' || v FROM ($VALUES{$_}) AS s(v);\n" =~ s/%s/$sequence/r }
	  qw(many block);
} qw(pace fixed);
my $NUMBER = "SELECT 'decimal|' || id || E'\\nnumber|' || gid_extract_decimal_generator(id)"
  . " FROM gid_decimal_id() AS id;\n";
my $ROWS = "INSERT INTO committed DEFAULT VALUES RETURNING 'row|' || id;\n" x 200;

sub printed
{
	my ($text, $values) = @_;

	push @{ $values->{$1} }, $2 while $text =~ /^(\w+)\|(\d+)$/gm;
	return;
}

sub start_drawing
{
	return (start_clients($primary, 'postgres', CLIENTS, ($DRAWS x 3 . $BATCHES . $NUMBER) x 20),
		start_clients($primary, 'postgres', 1, $ROWS));
}

sub stop_drawing
{
	my ($values, @clients) = @_;

	foreach my $clients (@clients)
	{
		stop_clients($clients);
		-e $_ && printed(slurp_file($_), $values) for @{ $clients->{files} };
	}
	return;
}

# What the promoted server gives.
sub draw_again
{
	my ($node, $values) = @_;
	my @sessions = map { session($node, 'postgres') } 1 .. SESSIONS;

	printed($_->safe($NUMBER), $values) for @sessions;
	printed($sessions[0]->safe("SELECT '$_|' || gid_next('$_') FROM generate_series(1, @{[AFTERWARDS]})"),
		$values)
	  for qw(pace fixed);
	end_session($_) for @sessions;
	return;
}

# --- rounds --------------------------------------------------------------

# Stops walsenders now and then, so that the standbys lag, until the clients
# were given values.  At the end some of the walsenders are stopped for a
# while, each with this probability, while rows are committed, and the primary
# dies.
sub kill_primary
{
	my ($probability, $drawing, $inserting, @walsenders) = @_;
	my $end = monotonic() + RUN * (0.3 + rand(0.7));
	my @last = grep { rand() < $probability } @walsenders;

	while (monotonic() < $end || written($drawing) < 2000)
	{
		my @held = grep { rand() < 0.4 } @walsenders;

		kill 'STOP', @held;
		sleep(rand(0.1));
		kill 'CONT', @held;
		sleep(rand(0.1));
	}
	kill 'STOP', @last;
	if (@last)
	{
		my $before = written($inserting);

		sleep(HOLD * (0.3 + rand(0.7)));
		wait_until(HANG, sub { written($inserting) > $before }) // die 'nothing is committed';
	}
	kill9_server($primary);
	return;
}

# The standby that is promoted: any, or the one that has the most WAL.
sub candidate
{
	my ($wanted) = @_;
	my @by_wal = map { $_->[0] }
	  sort { $b->[1] <=> $a->[1] }
	  map {
		[
			$_,
			$_->safe_psql('postgres', "SELECT pg_last_wal_receive_lsn() - '0/0'")
		]
	  } List::Util::shuffle(@standbys);

	return $wanted == 2 ? $standbys[ rand(2) ] : $by_wal[0];
}

sub repeated
{
	my ($values, $kind) = @_;
	my %seen;

	return grep { $seen{$_}++ } @{ $values->{$kind} };
}

my ($lost, $given) = (0, 0);

for my $round (1 .. $rounds)
{
	my $wanted = 1 + $round % 2;
	my $block_size = (1, 10, 100, 16384)[ rand(4) ];
	my $start = monotonic();
	my (%before, %after);

	start_servers($wanted, $block_size);
	my $walsenders = 'SELECT pid FROM pg_stat_replication WHERE replay_lsn IS NOT NULL';

	$primary->poll_query_until('postgres', "SELECT count(*) = 2 FROM ($walsenders) AS w")
	  or die 'the standbys are not connected';
	my @walsenders = split /\n/, $primary->safe_psql('postgres', $walsenders);
	my @clients = start_drawing();

	kill_primary($round == 1 ? 1 : 0.6, @clients, @walsenders);
	stop_drawing(\%before, @clients);
	my $promoted = candidate($wanted);

	$promoted->promote;
	draw_again($promoted, \%after);

	my %all = map { $_ => [ @{ $before{$_} // [] }, @{ $after{$_} } ] } keys %after;
	my $name = "$wanted wanted, blocks of $block_size, " . $promoted->name;

	# The sessions of a server share a generator number.
	$all{number} = [ List::Util::uniq(@{ $before{number} // [] }), List::Util::uniq(@{ $after{number} }) ];
	foreach my $kind (qw(pace fixed decimal number))
	{
		my @repeated = repeated(\%all, $kind);

		is("@repeated[0 .. List::Util::min(4, $#repeated)]", '',
			"round $round: $kind: no value comes again, $name");
		$given += @{ $before{$kind} // [] };
	}
	my %row = map { $_ => 1 }
	  split /\n/, $promoted->safe_psql('postgres', 'SELECT id FROM committed');
	my $lost_now = grep { !$row{$_} } @{ $before{row} };

	$lost += $lost_now;
	note(sprintf 'round %d, %s: %.1f s, values: %s; %d rows of %d lost', $round, $name,
		monotonic() - $start,
		join(', ', map { "$_ " . scalar @{ $before{$_} // [] } } qw(pace fixed decimal)),
		$lost_now, scalar @{ $before{row} // [] });
	$_->stop('immediate') for @standbys;
}
cmp_ok($given, '>', 100 * $rounds, 'clients were given values');
cmp_ok($lost, '>', 0, 'commits were asynchronous: rows were lost');
note("total: $rounds rounds, $given values, $lost rows lost, GID_SOAK_SEED=$seed");

done_testing();
