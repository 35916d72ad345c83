# Two promotions in a row: the primary is lost, then the standby that was promoted,
# and the last server has nothing of what the second one did.  No value comes
# twice, where the histories of the timelines are in an archive, or where standbys
# have confirmed the reservations.  With neither the last two servers give the
# same values, as the manual says.
#
# SQL alone cannot test this: it needs servers that are killed and promoted, and
# a list of what clients were given by servers that are gone.
#
# The archive takes histories only, so a standby has the WAL that it was sent.
# Standbys lag because they are stopped while the primary goes on; so it does not
# depend on the machine how much they lack.  Each round begins with the server
# that the round before has ended with, and so with its timeline.  There are
# GID_CHAIN_ROUNDS rounds (2; 20 under PG_TEST_EXTRA = gid_long); the seed is
# printed, GID_SOAK_SEED takes it again.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use List::Util qw(max min);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Sessions that make DecimalIds.
use constant SESSIONS => 3;

my $rounds = $ENV{GID_CHAIN_ROUNDS}
  || (($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/ ? 20 : 2);
my $seed = $ENV{GID_SOAK_SEED} || time;

srand($seed);
note("$rounds rounds, GID_SOAK_SEED=$seed");

# The sequences: how each is made, the kinds of its values, and the number of
# values that are drawn at first ("some" of them whenever a server is to be
# lost), and where it is to be fixed.
my %SEQUENCES = (
	mixed => { kinds => [qw(next gdid code many block)] },
	down => { sql => 'INCREMENT -1', kinds => ['next'] },
	small => { sql => 'AS int', kinds => [qw(next many)] },
	fixed => { sql => 'CACHE 20', kinds => ['next'], first => 45, some => 4 },
	grown => { kinds => ['next'], first => 100, some => 100 },
	quiet => { kinds => ['next'], first => 1, some => 1 });

# --- the servers ---------------------------------------------------------

my $histories = PostgreSQL::Test::Utils::tempdir();
my $ARCHIVE = <<"EOC";
archive_mode = on
archive_command = 'case %f in *.history) cp "%p" "$histories/%f";; esac'
restore_command = 'cp "$histories/%f" "%p"'
EOC
my $first = gid_node('first', <<'EOC', allows_streaming => 1, extra => ['--wal-segsize=1']);
min_wal_size = 2MB
wal_keep_size = 100MB
EOC
my @nodes = ($first, map { PostgreSQL::Test::Cluster->new($_) } qw(second third));

$first->start;
$first->safe_psql('postgres', join '', "CREATE EXTENSION gid;\n",
	map { "CREATE SEQUENCE $_ " . ($SEQUENCES{$_}{sql} // '') . ";\n" } sort keys %SEQUENCES);
$first->backup('backup');
$_->init_from_backup($first, 'backup') for @nodes[ 1, 2 ];
$first->stop;
system_or_bail('cp', '-a', $first->data_dir, $first->data_dir . '.first');

# Makes a stopped server a copy of another stopped one, and its standby if that is
# the primary.
sub copy_of
{
	my ($node, $files, $primary) = @_;

	system_or_bail('rm', '-rf', $node->data_dir);
	system_or_bail('cp', '-a', $files, $node->data_dir);
	gid_set($node, 'port', $node->port);
	$node->enable_streaming($primary) if defined $primary;
	return;
}

sub promote
{
	my ($node) = @_;

	$node->start;
	$node->promote;
	return timeline($node);
}

sub timeline
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		"SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int");
}

sub wait_for_history
{
	my ($timeline) = @_;
	my $history = sprintf '%s/%08X.history', $histories, $timeline;

	defined wait_until(60, sub { -s $history }) or die "$history is not archived";
	return;
}

# --- values --------------------------------------------------------------

# What was handed out: the values of each sequence, the DecimalIds, and the
# generator numbers, of which each server may use its own again.
my (%given, %numbers);

sub forget_all
{
	%given = map { $_ => [] } keys %SEQUENCES, 'decimal';
	%numbers = ();
	return;
}

# Draws values of all kinds.  Returns the first value of each sequence.
sub draw
{
	my ($node, $life, $n, $how) = @_;
	my @sessions = map { session($node, 'postgres') } 1 .. SESSIONS;
	my %first;

	foreach my $name (sort keys %SEQUENCES)
	{
		my $s = $SEQUENCES{$name};
		my @kinds = @{ $s->{kinds} };
		my $sql = join ";\n", map {
			my $each = $VALUES{$_} =~ s/%s/$name/r;
			my $rows = max(1, int(($s->{$how} // $n) / @kinds));

			/many|block/ ? $each : "$each FROM generate_series(1, $rows)";
		} @kinds;
		my @values = split /\n/, $sessions[0]->safe($sql);

		$first{$name} = $values[0];
		push @{ $given{$name} }, @values;
	}
	foreach my $session (@sessions)
	{
		my ($id, $number) = split /\|/, $session->safe('SELECT id,'
			  . ' gid_extract_decimal_generator(id) FROM gid_decimal_id() AS id');

		push @{ $given{decimal} }, $id;
		$numbers{$number}{$life} = 1;
	}
	end_session($_) for @sessions;
	return %first;
}

# All that came twice: "name value".
sub repeated
{
	my @repeated;

	foreach my $name (sort keys %given)
	{
		my %seen;

		push @repeated, map { "$name $_" } grep { $seen{$_}++ } @{ $given{$name} };
	}
	push @repeated, map { "number $_" } grep { keys %{ $numbers{$_} } > 1 } sort keys %numbers;
	return @repeated;
}

sub none_repeated
{
	my ($name) = @_;
	my @repeated = repeated();

	is(join(', ', @repeated[ 0 .. min(4, $#repeated) ]), '', "$name: no value comes again");
	return;
}

# A promoted server begins behind all that was handed out before, so it comes to
# none of those values later either.
sub is_behind
{
	my ($node, $life, $name) = @_;
	my %before = map { $_ => [ @{ $given{$_} } ] } keys %SEQUENCES;
	my %first = draw($node, $life, 50, 'some');
	my @wrong = grep {
		$_ eq 'down' ? $first{$_} >= min(@{ $before{$_} }) : $first{$_} <= max(@{ $before{$_} })
	} sort keys %SEQUENCES;

	is("@wrong", '', "$name: each sequence begins behind what was handed out");
	return;
}

# --- two servers are lost ------------------------------------------------

# The primary is lost when the second server lacks a part of its values, and the
# third one lacks more of them.  Then the second server is lost, too, and the
# third one has none of its values, or, if it "follows", not the last ones.
# Draws on the third server, and returns the timelines of both.
sub lose_two
{
	my ($name, $follows, $primary, $second, $third) = @_;
	my $n = 20 + int(rand(2000));
	my $some = sub { return int($n / 16 * rand()) };
	my @timelines;

	draw($primary, "$name: primary", $n, 'first');
	$primary->wait_for_catchup($_) for $second, $third;
	$third->stop;
	draw($primary, "$name: primary", $some->(), 'some');
	$primary->wait_for_catchup($second);
	$second->stop;
	draw($primary, "$name: primary", $some->(), 'some');
	kill9_server($primary);

	push @timelines, promote($second);
	wait_for_history($timelines[0]) if $second->safe_psql('postgres', 'SHOW archive_mode') eq 'on';
	is_behind($second, "$name: second", "$name, the second server");
	if ($follows)
	{
		$third->enable_streaming($second);
		$third->start;
		$second->wait_for_catchup($third);
		$third->stop;
	}
	draw($second, "$name: second", $some->(), 'some');
	kill9_server($second);

	push @timelines, promote($third);
	return @timelines;
}

sub start_three
{
	my ($files, $primary, @standbys) = @_;

	copy_of($_, $files, $primary) for @standbys;
	$_->start for $primary, @standbys;
	return;
}

# --- without an archive --------------------------------------------------

{
	my $name = 'no archive';

	forget_all();
	start_three($first->data_dir . '.first', @nodes);
	my @timelines = lose_two($name, 0, @nodes);

	is("@timelines", '2 2', "$name: both promoted servers take timeline 2");
	draw($nodes[2], "$name: third", 50, 'first');
	my @repeated = repeated();

	cmp_ok(scalar(grep { /^quiet|^number/ } @repeated), '>', 0,
		"$name: values come again, as the manual says");
	$nodes[2]->stop;
}

# The same, with reservations that a standby has confirmed, and with no skip.
{
	my $name = 'no archive, confirmed';
	my ($primary, $second, $third) = @nodes;

	forget_all();
	copy_of($primary, $first->data_dir . '.first');
	gid_set($primary, 'gid.timeline_skip', 0);
	gid_set($primary, 'synchronous_standby_names', "'*'");
	gid_set($primary, 'synchronous_commit', 'local');
	start_three($primary->data_dir, @nodes);
	draw($primary, "$name: primary", 500, 'first');
	$primary->wait_for_catchup($third);
	$third->stop;
	draw($primary, "$name: primary", 500, 'some');
	kill9_server($primary);

	$second->promote;
	$third->enable_streaming($second);
	$third->start;
	draw($second, "$name: second", 500, 'some');
	kill9_server($second);

	my $offset = -s $third->logfile;

	$third->promote;
	gid_set($third, 'synchronous_standby_names', "''");
	$third->reload;
	is_behind($third, "$name: third", $name);
	none_repeated($name);
	is(log_count($third, qr/passes over \d+ values/, $offset), 0, "$name: and nothing is passed over");
	$third->stop;
}

# --- rounds, with histories in an archive --------------------------------

copy_of($first, $first->data_dir . '.first');
$first->append_conf('postgresql.conf', $ARCHIVE);
system_or_bail('rm', '-rf', $first->data_dir . '.first');
forget_all();

my $timeline = 1;

for my $round (1 .. $rounds)
{
	my $follows = $round % 2 == 0 ? 1 : 0;
	my $name = "round $round" . ($follows ? ', the third follows the second' : '');
	my $start = monotonic();

	start_three($nodes[0]->data_dir, @nodes);
	my $offset = -s $nodes[2]->logfile;
	my @timelines = lose_two($name, $follows, @nodes);

	is("@timelines", join(' ', $timeline + 1, $timeline + 2), "$name: each takes a timeline of its own");
	is_behind($nodes[2], "$name: third", "$name, the third server");
	none_repeated($name);
	my ($since) = slurp_file($nodes[2]->logfile, $offset) =~
	  /sequence "quiet" passes over \d+ values on timeline $timelines[1]\n.*DETAIL:  The sequence was last changed on timeline (\d+)\./;

	is($since, $timelines[$follows ? 0 : 1] - ($follows ? 0 : 2), "$name: the log tells since when");

	# The third server becomes the standby of the first one: a clean switchover passes
	# over values, too.
	my ($old, $new) = @nodes[ 2, 0 ];
	my $last = $given{quiet}[-1];

	$old->stop;
	start_three($old->data_dir, $old, $new);
	$old->wait_for_catchup($new);
	my $stands = $old->safe_psql('postgres', 'SELECT last_value FROM quiet');

	$old->stop;
	$offset = -s $new->logfile;
	$new->promote;
	draw($new, "$name: switched", 20, 'some');
	is($given{quiet}[-1], $stands + 40001, "$name: a clean switchover passes over 40,000 values");
	is(log_count($new, qr/sequence "quiet" passes over 40000 values/, $offset), 1, "$name: and the log says so");
	none_repeated("$name, after the switchover");
	$timeline = timeline($new);
	wait_for_history($timeline);
	$new->stop;
	note(sprintf '%s: %.1f s, timeline %d', $name, monotonic() - $start, $timeline);
}
note('values: ' . join ', ', map { "$_ " . scalar @{ $given{$_} } } sort keys %given);

done_testing();
