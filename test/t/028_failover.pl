# The primary dies at a random moment while clients draw values of all kinds, some of them
# are cancelled as they wait, and a synchronous standby is promoted: no value comes twice,
# although commits are local (synchronous_commit = local) and are lost.
#
# SQL alone cannot test this: it needs servers that are killed and promoted, and a list of
# what clients were given by a server that is gone.
#
# Each round begins with copies of the same data directories.  There are GID_SOAK_ROUNDS of
# them, 4 by default; the seed is printed, GID_SOAK_SEED takes it again.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use List::Util qw(uniq);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant {
	CLIENTS => 4,
	# Seconds until the primary dies, at most.
	RUN => 1.2,
	# Seconds that only a hang takes.
	HANG => 180,
	# Values of each kind, and sessions, after the promotion.
	AFTERWARDS => 300,
	SESSIONS => 6,
};

my $rounds = $ENV{GID_SOAK_ROUNDS} || 4;
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

my @standbys = map { PostgreSQL::Test::Cluster->new($_) } qw(standby_1 standby_2);
my @nodes = ($primary, @standbys);

foreach my $standby (@standbys)
{
	$standby->init_from_backup($primary, 'backup', has_streaming => 1);
	$standby->start;
	$primary->wait_for_catchup($standby);
}
$_->stop for @nodes;
system_or_bail('cp', '-a', $_->data_dir, $_->data_dir . '.first') for @nodes;

sub start_servers
{
	my ($wanted, $block_size) = @_;

	foreach my $node (@nodes)
	{
		system_or_bail('rm', '-rf', $node->data_dir);
		system_or_bail('cp', '-a', $node->data_dir . '.first', $node->data_dir);
		gid_set($node, 'gid.max_block_size', $block_size);
	}
	gid_set($primary, 'synchronous_standby_names', "'ANY $wanted (*)'");
	$_->start for @nodes;
	return;
}

# --- clients -------------------------------------------------------------

# A client prints the sequence and the value, or the row that it has committed.
my $DRAWS = join '', map {
	my $sequence = $_;

	map { "SELECT '$sequence|' || v FROM (@{[call_sql($_, $sequence)]}) AS s(v);\n" } qw(next gdid next code many block);
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

# What the promoted server gives.
sub draw_again
{
	my ($node, $values) = @_;
	my @sessions = map { session($node, 'postgres') } 1 .. SESSIONS;

	printed($_->safe($NUMBER), $values) for @sessions;
	printed($sessions[0]->safe("SELECT '$_|' || gid_next('$_') FROM generate_series(1, @{[AFTERWARDS]})"), $values)
	  for qw(pace fixed);
	end_session($_) for @sessions;
	return;
}

# --- rounds --------------------------------------------------------------

my ($cancelled, $lost, $given) = (0, 0, 0);

# Stops walsenders now and then, so that the standbys lag, and cancels sessions that wait,
# until the clients were given values, and in the last round until one was cancelled.  At
# the end some of the walsenders are stopped for a while, each with this probability, while
# rows are committed, and the primary dies.
sub kill_primary
{
	my ($probability, $is_last, $drawing, $inserting, @walsenders) = @_;
	my $control = session($primary, 'postgres');
	my $end = monotonic() + RUN * (0.3 + rand(0.7));
	my @last = grep { rand() < $probability } @walsenders;

	while (monotonic() < $end || written($drawing) < 2000
		|| ($is_last && !$cancelled && monotonic() < $end + HANG))
	{
		my @held = grep { rand() < 0.4 } @walsenders;

		kill 'STOP', @held;
		sleep(rand(0.1));
		$cancelled += $control->safe('SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity'
			  . " WHERE wait_event = 'SyncRep' AND random() < 0.3");
		kill 'CONT', @held;
		sleep(rand(0.1));
	}
	kill 'STOP', @last;
	if (@last)
	{
		my $before = written($inserting);

		sleep(rand(0.3));
		wait_until(HANG, sub { written($inserting) > $before }) // die 'nothing is committed';
	}
	kill9_server($primary);
	end_session($control);
	return;
}

# The standby that is promoted: any if both had to confirm, else the one that has the
# most WAL.
sub candidate
{
	my ($wanted) = @_;
	my ($one, $two) = map { $_->safe_psql('postgres', "SELECT pg_last_wal_receive_lsn() - '0/0'") } @standbys;

	return $standbys[ $wanted == 2 ? rand(2) : $two > $one ];
}

for my $round (1 .. $rounds)
{
	my $wanted = 1 + $round % 2;
	my $block_size = (1, 10, 100, 16384)[ rand(4) ];
	my (%before, %after);

	start_servers($wanted, $block_size);
	my $walsenders = 'SELECT pid FROM pg_stat_replication WHERE replay_lsn IS NOT NULL';

	$primary->poll_query_until('postgres', "SELECT count(*) = 2 FROM ($walsenders) AS w")
	  or die 'the standbys are not connected';
	my @walsenders = split /\n/, $primary->safe_psql('postgres', $walsenders);
	my @clients = (
		start_clients($primary, 'postgres', CLIENTS, "$DRAWS$NUMBER" x 20),
		start_clients($primary, 'postgres', 1, $ROWS));

	kill_primary($round == 1 ? 1 : 0.6, $round == $rounds, @clients, @walsenders);
	stop_clients($_) for @clients;
	-e $_ && printed(slurp_file($_), \%before) for map { @{ $_->{files} } } @clients;
	my $promoted = candidate($wanted);

	$promoted->promote;
	draw_again($promoted, \%after);
	my $name = "round $round, $wanted wanted, blocks of $block_size";

	# The sessions of a server share a generator number.
	$_->{number} = [ uniq(@{ $_->{number} // [] }) ] for \%before, \%after;
	foreach my $kind (qw(pace fixed decimal number))
	{
		my %times;

		$times{$_}++ for @{ $before{$kind} // [] }, @{ $after{$kind} };
		none("$name: $kind: no value comes again", grep { $times{$_} > 1 } keys %times);
		$given += @{ $before{$kind} // [] };
	}
	my %row = map { $_ => 1 } split /\n/, $promoted->safe_psql('postgres', 'SELECT id FROM committed');

	$lost += grep { !$row{$_} } @{ $before{row} };
	$_->stop('immediate') for @standbys;
}
cmp_ok($given, '>', 100 * $rounds, 'clients were given values');
cmp_ok($cancelled, '>', 0, 'sessions were cancelled as they waited');
cmp_ok($lost, '>', 0, 'commits were asynchronous: rows were lost');
note("$given values, $cancelled cancelled, $lost rows lost");
done_testing();
