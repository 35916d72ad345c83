# Servers that lease their node numbers make no id twice, each makes its ids in
# order, and none makes an id outside a lease: with clocks minutes apart, set back,
# stopped for longer than a lease, killed, started from copied files, on a standby,
# and with an authority that is restarted, failed over and restored.
#
# SQL alone cannot test this: it needs many servers, clocks that the test steps, and
# ids that clients keep when the servers are gone.
#
# PG_TEST_EXTRA=gid_long makes more than 20 million ids.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'libfaketime is not installed' unless faketime_library();

# The clients run as long as the test.
$PostgreSQL::Test::Utils::timeout_default = 900;

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/;

# The functions that make ids with a leased number, the node of an id, and what ids of
# the same node and second have in common.
my @FUNCTIONS = qw(trace snowflake);
my %NODE = (
	trace => sub { return $_[0] >> 22 & 0xffff; },
	snowflake => sub { return $_[0] >> 12 & 0x3ff; });
my %GROUP = (
	trace => sub { return $_[0] >> 22; },
	snowflake => sub { return $_[0] >> 12; });

use constant {
	LEASE => 10,		# gid.node_lease
	RESTORED_MAX => 11,	# gid.node_lease_max of the authority that is restored
	HANG => 300,		# seconds that only a hang takes
};

# Ids that are made at a time. Between them the client waits: pg_sleep() does not end when
# the server's clock is set back.
my $CHUNK = $long ? 3000 : 220;
my $PAUSE = "\\! sleep 0.3\n";

# --- the servers ---------------------------------------------------------

# All servers are made from the files of this one, so they have one system
# identifier, and the same gid.clock.
my $first = gid_node('a', "gid.node_lease = @{[LEASE]}s\nwal_retrieve_retry_interval = 100ms\nmax_wal_senders = 5", allows_streaming => 1);

$first->start;
$first->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE ROLE gid_fleet LOGIN;
GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid.authority_confirm() TO gid_fleet;
EOS
$first->backup('files');

sub copy_of
{
	my ($node, $backup, $name, %params) = @_;
	my $copy = PostgreSQL::Test::Cluster->new($name);

	$copy->init_from_backup($node, $backup, %params);
	return $copy;
}

# The URI of the one of two servers that takes writes. There is time to connect, so that a
# slow machine is no failure; a server that is down says so at once.
sub uri
{
	my ($options, @nodes) = @_;

	return sprintf 'postgresql:///postgres?host=%s&port=%s&target_session_attrs=read-write&connect_timeout=30%s',
	  join(',', map { $_->host } @nodes), join(',', map { $_->port } @nodes), $options;
}

sub lease_from
{
	my ($node, @authorities) = @_;

	gid_set($node, 'gid.node_authority',
		"'" . uri('&user=gid_fleet&application_name=' . $node->name, @authorities) . "'");
	return;
}

# The authority, and its standby.
my $authority = copy_of($first, 'files', 'authority');

gid_set($authority, 'synchronous_standby_names', "'*'");
$authority->start;
$authority->backup('standby');
my $next_authority = copy_of($authority, 'standby', 'next_authority', has_streaming => 1);

$next_authority->start;

# Another authority, which is restored. Its numbers are others, so that the ids of all
# servers can be compared.
my $lost_authority = copy_of($first, 'files', 'lost_authority');
my $restored_authority = PostgreSQL::Test::Cluster->new('restored_authority');

gid_set($lost_authority, 'gid.node_first', 600);
gid_set($lost_authority, 'gid.node_lease_max', "'" . RESTORED_MAX . "s'");
$lost_authority->start;

my %environment;
my %server = (a => $first);

# Starts a server whose clock is "offset" seconds ahead of the real one.
sub start_at
{
	my ($node, $offset) = @_;

	$environment{ $node->name } = clock_set($node, sprintf('%+d', $offset));
	with_env($environment{ $node->name }, sub { $node->start });
	return;
}

lease_from($first, $authority, $next_authority);
$first->restart;
$first->backup('standby');

# b: its clock is set back later. c: stopped. d: killed. e: copied. f: of the authority
# that is restored.
my %offset = (b => 240, c => 60, d => 0, e => 0, f => 0);

foreach my $name (sort keys %offset)
{
	$server{$name} = copy_of($first, 'files', $name);
	lease_from($server{$name}, $name eq 'f' ? ($lost_authority, $restored_authority) : ($authority, $next_authority));
	start_at($server{$name}, $offset{$name});
}
$server{standby} = copy_of($first, 'standby', 'standby', has_streaming => 1);
lease_from($server{standby}, $authority, $next_authority);
$server{standby}->start;

# --- who makes ids, and who watches ----------------------------------------

# Clients of each server that make ids without end: { server => { function => clients } }.
my %clients;

sub start_making
{
	my ($name) = @_;

	foreach my $function (@FUNCTIONS)
	{
		my $chunk = "COPY (SELECT $CALL{$function} FROM generate_series(1, $CHUNK)) TO STDOUT;\n";

		$clients{$name}{$function} = start_clients($server{$name}, 'postgres', 1, "\\set VERBOSITY verbose\n" . "$chunk$PAUSE" x 20);
	}
	return;
}

# The errors that clients of some servers got, with what they say, without those of a
# server's end.
sub errors_of
{
	my @errors;

	foreach my $name (@_)
	{
		push @errors, map { "$name: $_" } slurp_file($_) =~ /ERROR:.*(?:\nDETAIL:.*)?/g
		  for grep { -e } map { @{ $_->{errors} } } values %{ $clients{$name} };
	}
	return @errors;
}

# Copies the table of leases again and again, wherever it can be written.
my $WATCH = 'SELECT node, client_name, holder, extract(epoch FROM since)::bigint,'
  . " extract(epoch FROM until)::bigint FROM gid.node_leases;\n$PAUSE";
{
	package Anywhere;
	sub connstr { return $_[0]{uri}; }
	sub basedir { return $_[0]{basedir}; }
}
my @watchers = map {
	start_clients(bless({ uri => uri('', @$_), basedir => $_->[0]->basedir }, 'Anywhere'), 'postgres', 1, $WATCH x 50);
} [ $authority, $next_authority ], [ $lost_authority, $restored_authority ];

# A second is waited for at a start, and then there are ids.
sub has_ids
{
	my ($name, $seconds) = @_;

	return wait_until($seconds // HANG, sub { return ($server{$name}->psql('postgres', 'SELECT gid_trace_id()'))[0] == 0; });
}

# The later a clock, the earlier: who starts takes the lowest number that is free in
# its own time. So it takes none away from a server that has just got it, which the
# watchers would not see.
foreach my $name (sort { ($offset{$b} // 0) <=> ($offset{$a} // 0) || $a cmp $b } keys %server)
{
	ok(defined has_ids($name), "server $name makes ids");
	start_making($name);
}

# --- faults of the servers ---------------------------------------------------

# The lost authority gives a lease that its backup does not have.
$lost_authority->backup('old');
kill9_server($server{f});
with_env($environment{f}, sub { $server{f}->start });
ok(defined has_ids('f'), 'a server gets a lease that a backup does not have');

# From now on the table can be read, and no lease is given: the watchers see all.
my $holder = session($lost_authority, 'postgres');
my $watched = $watchers[1]{files}[0];
my $size = -s $watched;

$holder->safe('BEGIN; LOCK TABLE gid.node_leases IN SHARE MODE');
wait_until(HANG, sub { -s $watched > $size + 1000 });
$lost_authority->stop('immediate');
end_session($holder);
$restored_authority->init_from_backup($lost_authority, 'old');
gid_set($restored_authority, 'restore_command', "'false'");
$restored_authority->set_recovery_mode;
$restored_authority->start;
my $restored_at = int(time);

# A server that starts now would get any number that looks free.
kill9_server($server{f});
my $killed_at = int(time);
with_env($environment{f}, sub { $server{f}->start });

clock_set($server{b}, -3360);
kill9_server($server{d});
with_env($environment{d}, sub { $server{d}->start });
ok(defined has_ids('d'), 'a server that was killed makes ids again');

# The files are copied, and the copy and the original are started.
$server{e}->stop;
$server{copy} = PostgreSQL::Test::Cluster->new('copy');
system_or_bail('cp', '-a', $server{e}->data_dir, $server{copy}->data_dir);
$server{copy}->append_conf('postgresql.conf',
	'port = ' . $server{copy}->port . "\nunix_socket_directories = '" . $server{copy}->host . "'");
lease_from($server{copy}, $authority, $next_authority);
start_at($server{$_}, 0) for qw(e copy);
start_making('copy');
ok(defined has_ids($_), "$_: a copy and its original make ids") for qw(e copy);

# A server is stopped for longer than its lease, and the authority is restarted meanwhile.
freeze_server($server{c});
my $frozen_at = monotonic();

$authority->restart;
wait_until(HANG, sub { monotonic() - $frozen_at > LEASE + 1 });
thaw_servers();
ok(defined has_ids('c'), 'a server that was stopped for longer than a lease makes ids again');

# --- a failover, as a failover manager does it -------------------------------

# The standby has every lease that was confirmed.
my @fleet = grep { $_ ne 'f' } keys %clients;
my $number = 'SELECT gid_extract_trace_node(gid_trace_id())';
my %number = map { has_ids($_); $_ => $server{$_}->safe_psql('postgres', $number) } @fleet;
my $errors = () = errors_of(@fleet);
my $failover = monotonic();

kill9_server($authority);
$next_authority->promote;
$next_authority->safe_psql('postgres', "ALTER SYSTEM SET synchronous_standby_names = ''");
$next_authority->reload;
is($next_authority->safe_psql('postgres', 'SELECT gid.authority_resume()'), 't', 'the promoted authority would have waited');
$failover = monotonic() - $failover;

# Each server has extended its lease there, or has another number.
ok( defined wait_until(HANG, sub {
		return $next_authority->safe_psql('postgres', 'SELECT count(*) FROM gid.node_leases WHERE until > now() + interval ' . "'" . LEASE / 2 . " s'") >= @fleet - 1
		  && !grep { !defined has_ids($_) } @fleet;
	}), 'after a failover the servers extend their leases');
SKIP:
{
	skip sprintf('the failover took %.1f s', $failover), 2 if $failover > LEASE / 2 - 2;
	is_deeply({ map { $_ => $server{$_}->safe_psql('postgres', $number) } @fleet }, \%number, 'each keeps its number');
	is(scalar(() = errors_of(@fleet)), $errors, 'and has always had a lease');
}

# The restored authority waits until the leases have ended that it may have lost.
ok(defined has_ids('f'), 'a restored authority leases numbers in the end');
is(log_count($restored_authority, qr/LOG:  gid: no node number is leased before/), 1, 'it says so in its log');

# --- what came of it ---------------------------------------------------------

append_to_file($_->{stop}, '') for map { values %$_ } values %clients;
stop_clients($_) for map { values %$_ } values %clients;

# The watchers see what is there once more.
$size = [ map { -s $_->{files}[0] } @watchers ];
ok(defined wait_until(HANG, sub { -s $watchers[$_]{files}[0] > $size->[$_] + 2000 }), 'the leases were watched to the end') for 0, 1;
append_to_file($_->{stop}, '') for @watchers;
stop_clients($_) for @watchers;
$_->stop for values %server;

is(join("\n", grep { !/ERROR:  08001: could not lease a node number/ } errors_of(keys %clients)), '', 'without a lease the error is 08001');

# Each lease: { node => { "server holder" => [since, until] } }.
my %lease;

foreach my $file (map { @{ $_->{files} } } @watchers)
{
	open my $fh, '<', $file or die "$file: $!";
	while (<$fh>)
	{
		my ($node, $name, $holder, $since, $until) = /^(\d+)\|(\w+)\|([0-9a-f-]+)\|(\d+)\|(\d+)$/ or next;
		my $lease = $lease{$node}{"$name $holder"} //= [ $since, $until ];

		$lease->[0] = $since if $since < $lease->[0];
		$lease->[1] = $until if $until > $lease->[1];
	}
	close $fh;
}

sub in_lease
{
	my ($node, $name, $second) = @_;

	return grep { /^$name / && $second >= $lease{$node}{$_}[0] && $second < $lease{$node}{$_}[1] }
	  keys %{ $lease{$node} };
}

my $total = 0;
my $resumed_at;

foreach my $function (@FUNCTIONS)
{
	my (%user, @files, @back, @outside, @shared);
	my $n = 0;

	foreach my $name (sort keys %clients)
	{
		my $file = $clients{$name}{$function}{files}[0];
		my ($last, $group) = (0, -1);

		push @files, $file;
		open my $fh, '<', $file or die "$file: $!";
		while (my $id = <$fh>)
		{
			chomp $id;
			$n++;
			push @back, "$name: $id after $last" if $id <= $last;
			$last = $id;
			next if $GROUP{$function}->($id) == $group;
			$group = $GROUP{$function}->($id);
			my $second = int(word_seconds($function, word_of($function, $id)));
			my $used = $NODE{$function}->($id) . " $second";

			$resumed_at //= $second if $name eq 'f' && $second > $killed_at;
			next if ($user{$used} // '') eq $name;
			push @shared, "$used: $user{$used} and $name" if exists $user{$used};
			$user{$used} = $name;
			push @outside, "$used: $name" unless in_lease($NODE{$function}->($id), $name, $second);
		}
		close $fh;
	}
	my ($out, $err) = run_command([ 'sh', '-c', 'LC_ALL=C sort -u "$@" | wc -l', 'sh', @files ]);

	is($out, $n, "$function: no id comes twice");
	none("$function: the ids of each server increase", @back);
	none("$function: no two servers use a number in the same second", @shared);
	none("$function: each id lies in a lease of its server", @outside);
	note(sprintf '%s: %d ids in %d seconds of leases', $function, $n, scalar keys %user);
	$total += $n;
}
cmp_ok($resumed_at, '>=', $restored_at + 2 * RESTORED_MAX, 'the restored authority has waited until the leases had ended that it may have lost');
cmp_ok($total, '>', $long ? 20_000_000 : 50_000, 'there were many ids');
note("total: $total ids, " . keys(%lease) . ' numbers');

done_testing();
