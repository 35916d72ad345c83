# Servers that lease their node numbers make no id twice, each makes its ids in
# order, and none makes an id outside a lease: with clocks minutes apart, set back,
# stopped for longer than a lease, killed, started from copied files, on a standby,
# and with an authority that is restarted, cut off, failed over and restored.
#
# SQL alone cannot test this: it needs many servers, clocks that the test steps, and
# ids that clients keep when the servers are gone.
#
# PG_TEST_EXTRA=gid_long makes more than 20 million ids, and the whole simulation of
# 200,000 servers.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'libfaketime is not installed' unless faketime_library();

# The clients run as long as the test.
$PostgreSQL::Test::Utils::timeout_default = 900;

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/;

# The functions that make ids with a leased number.
my @FUNCTIONS = qw(trace snowflake);

# The node of an id.
my %NODE = (
	trace => sub { return $_[0] >> 22 & 0xffff; },
	snowflake => sub { return $_[0] >> 12 & 0x3ff; });

# Ids with the same group have the same node and second. The group of an id is found
# much faster than its second.
my %GROUP = (
	trace => sub { return $_[0] >> 22; },
	snowflake => sub { return $_[0] >> 12; });

use constant {
	LEASE => 10,		# gid.node_lease
	RESTORED_MAX => 15, # gid.node_lease_max of the authority that is restored
	CALL => 25,			# seconds in which calls are timed
};
# Ids that are made at a time.
my $CHUNK = $long ? 3000 : 220;

# By the client: pg_sleep() does not end when the server's clock is set back.
my $PAUSE = "\\! sleep 0.1\n";

# --- the servers ---------------------------------------------------------

# All servers are made from the files of this one, so they have one system
# identifier, and the same gid.clock.
my $first = gid_node('a', <<"EOC", allows_streaming => 1);
gid.node_lease = @{[LEASE]}s
wal_retrieve_retry_interval = 100ms
max_wal_senders = 5
EOC

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

# The URI of the one of two servers that takes writes.
sub uri
{
	my ($options, @nodes) = @_;

	return sprintf 'postgresql:///postgres?host=%s&port=%s&target_session_attrs=read-write&connect_timeout=2%s',
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

gid_set($authority, 'gid.reservation_standbys', 1);
$authority->start;
$authority->backup('standby');
my $next_authority = copy_of($authority, 'standby', 'next_authority', has_streaming => 1);

$next_authority->start;

# Another authority, which is restored. Its numbers are others, so that the ids of all
# servers can be compared.
my $lost_authority = copy_of($first, 'files', 'lost_authority');
my $restored_authority = PostgreSQL::Test::Cluster->new('restored_authority');

gid_set($lost_authority, 'gid.node_first', 600);
gid_set($lost_authority, 'gid.node_lease_max', '\'' . RESTORED_MAX . 's\'');
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

my %offset = (b => 240, c => 60, d => 0, e => 0, f => 0, g => 0);

foreach my $name (sort keys %offset)
{
	my @authorities =
	  $name =~ /[fg]/ ? ($lost_authority, $restored_authority) : ($authority, $next_authority);

	$server{$name} = copy_of($first, 'files', $name);
	lease_from($server{$name}, @authorities);
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

		$clients{$name}{$function} = start_clients($server{$name}, 'postgres', 1,
			"\\set VERBOSITY verbose\n" . "$chunk$PAUSE" x 20);
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
	start_clients(bless({ uri => uri('', @$_), basedir => $_->[0]->basedir }, 'Anywhere'),
		'postgres', 1, $WATCH x 50);
} [ $authority, $next_authority ], [ $lost_authority, $restored_authority ];

# A second is waited for at a start, and then there are ids.
sub has_ids
{
	my ($name, $seconds) = @_;

	return wait_until($seconds // 30, sub { return ($server{$name}->psql('postgres', 'SELECT gid_trace_id()'))[0] == 0; });
}

# The later a clock, the earlier: who starts takes the lowest number that is free in
# its own time. So it takes none away from a server that has just got it, which the
# watchers would not see.
foreach my $name (sort { ($offset{$b} // 0) <=> ($offset{$a} // 0) || $a cmp $b } keys %server)
{
	ok(defined has_ids($name), "server $name makes ids");
	start_making($name);
}

# --- the simulation --------------------------------------------------------

# Servers that start one after the other, each with one lease of ten seconds, 2,000
# at a time. The time is that in the ids, so it need not pass.
my $servers = $long ? 200000 : 20000;

$first->safe_psql('postgres', 'CREATE DATABASE many');
$first->safe_psql('many', 'CREATE EXTENSION gid');
my $simulation = session($first, 'many');

$simulation->safe(<<'EOS');
CREATE TABLE simulated (servers int, greatest int, seconds float8, slowest float8);
CREATE PROCEDURE simulate(servers int) LANGUAGE plpgsql AS $$
DECLARE
	first timestamptz := date_trunc('second', now()) - interval '2000 s';
	start timestamptz := clock_timestamp();
	before timestamptz := start;
	greatest int := 0;
	slowest interval := '0';
	node int;
BEGIN
	FOR i IN 0 .. servers - 1 LOOP
		SELECT a.node INTO node FROM gid.authority_node(gen_random_uuid(), NULL, NULL,
			first + make_interval(secs => i / 200), first + make_interval(secs => i / 200 + 10), 65535) AS a;
		COMMIT;
		greatest := greatest(greatest, node);
		slowest := greatest(slowest, clock_timestamp() - before);
		before := clock_timestamp();
	END LOOP;
	INSERT INTO simulated VALUES (servers, greatest, extract(epoch FROM before - start), extract(epoch FROM slowest));
END $$;
EOS
$simulation->safe('SET statement_timeout = 0');
$simulation->send("CALL simulate($servers)");

# --- faults of the servers ---------------------------------------------------

# How long a call takes, while leases are extended.
my $timed = session($first, 'postgres');

$timed->safe('CREATE TABLE timed (n bigint, longest float8[])');
$timed->send(<<"EOS");
DO \$\$
DECLARE
	stop timestamptz := clock_timestamp() + interval '@{[CALL]} s';
	before timestamptz;
	n bigint := 0;
	longest float8[] := '{0,0,0,0,0,0}';
	took float8;
BEGIN
	LOOP
		before := clock_timestamp();
		PERFORM gid_trace_id();
		took := extract(epoch FROM clock_timestamp() - before);
		n := n + 1;
		IF took > longest[6] THEN
			SELECT array_agg(t ORDER BY t DESC) INTO longest FROM unnest(longest[1:5] || took) AS t;
		END IF;
		EXIT WHEN before > stop;
	END LOOP;
	INSERT INTO timed VALUES (n, longest);
END \$\$
EOS

# The lost authority gives a lease that its backup does not have.
$lost_authority->backup('old');
$server{g}->restart;
ok(defined has_ids('g'), 'a server gets a lease that a backup does not have');

# From now on the table can be read, and no lease is given: the watchers have seen all.
my $holder = session($lost_authority, 'postgres');

$holder->safe('BEGIN; LOCK TABLE gid.node_leases IN SHARE MODE');
sleep(1);
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
for (1 .. 3)
{
	kill9_server($server{d});
	with_env($environment{d}, sub { $server{d}->start });
	ok(defined has_ids('d'), 'a server that was killed makes ids again');
}

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

# The fleet without the two servers of the lost authority.
my @fleet = grep { !/^[fg]$/ } keys %clients;

is(join("\n", errors_of(@fleet)), '', 'until now a running server has always had a lease');

# Leases last longer than a restart of the authority, unless the machine is slow. The
# errors before it are those of "before".
sub had_leases
{
	my ($seconds, $before, $name) = @_;

  SKIP:
	{
		my @errors = errors_of(@fleet);

		skip(sprintf('%s: that took %.1f s', $name, $seconds), 1) if $seconds > LEASE / 2 - 2;
		is(scalar @errors, $before, $name) or diag("they say:", map { "\n$_" } @errors);
	}
	return;
}

freeze_server($server{c});
my $frozen_at = monotonic();

$authority->restart;
my $restart = monotonic() - $frozen_at;

sleep($frozen_at + LEASE + 2 - monotonic());
thaw_servers();
ok(defined has_ids('c'), 'a server that was stopped for longer than a lease makes ids again');

had_leases($restart, 0, 'while the authority was restarted each server had a lease');

# --- faults of the authority -------------------------------------------------

# How long leases last without the authority. The second of a lease's end is read
# before each call.
$timed->answer;
my $alone = session($first, 'postgres');

sub last_id
{
	my $start = monotonic();
	my $longest = 0;

	for (;;)
	{
		my ($until) = $alone->safe(
			'SELECT max(extract(epoch FROM node_until)) FROM gid.stat_clock') =~ /^(\d+)/;
		my $before = monotonic();
		my ($out, $err) = $alone->query('SELECT gid_trace_id() IS NULL');
		my $took = monotonic() - $before;
		my $now = $alone->safe('SELECT extract(epoch FROM clock_timestamp())');

		return ($err, $now - $until, monotonic() - $start, $longest) if $err ne '';
		$longest = $took if $took > $longest;
		return ('no error', 0, 0, 0) if monotonic() - $start > 60;
		sleep(0.05);
	}
}

freeze_server($authority);
my ($error, $after, $lasted, $slowest_call) = last_id();

error_like($error, '08001', 'without the authority ids end');
cmp_ok($after, '>=', 0, 'and not before the end of the lease');
note(sprintf 'without the authority there were ids for %.1f s, the slowest took %.1f s; the first error came %.2f s'
	  . ' after the end of the lease', $lasted, $slowest_call, $after);
sleep(2);
thaw_servers();
my $back = has_ids('a');

ok(defined $back, 'with the authority they go on');
note(sprintf 'after %.1f s', $back // 0);
has_ids($_) for @fleet;

# A failover, as a failover manager does it: the standby has every lease that was
# confirmed.
my $number = 'SELECT gid_extract_trace_node(gid_trace_id())';
my %number = map { $_ => $server{$_}->safe_psql('postgres', $number) } @fleet;
my $errors = () = errors_of(@fleet);
my $failover = monotonic();

kill9_server($authority);
$next_authority->promote;
$next_authority->safe_psql('postgres', 'ALTER SYSTEM SET gid.reservation_standbys = 0');
$next_authority->reload;
is($next_authority->safe_psql('postgres', 'SELECT gid.authority_resume()'), 't', 'the promoted authority would have waited');
$failover = monotonic() - $failover;
sleep(LEASE + 2);
is_deeply({ map { $_ => $server{$_}->safe_psql('postgres', $number) } @fleet }, \%number,
	'after a failover each server keeps its number');
had_leases($failover, $errors, 'and has always had a lease');

# The restored authority waits until the leases have ended that it may have lost.
ok(defined has_ids($_, 120), "$_: a restored authority leases numbers in the end") for qw(f g);
is(log_count($restored_authority, qr/LOG:  gid: no node number is leased before/), 1, 'it says so in its log');

# The simulation is over by now, or soon.
ok( defined wait_until(600, sub { $first->safe_psql('many', 'SELECT count(*) FROM simulated') }),
	'all simulated servers got a number');
my ($greatest, $seconds, $slowest, $rows, $size) = split /\|/, $first->safe_psql('many', <<'EOS');
SELECT greatest, seconds, slowest, (SELECT count(*) FROM gid.node_leases), pg_relation_size('gid.node_leases')
FROM simulated
EOS

is($greatest, 256 + 2000 - 1, 'simulation: numbers are used again, the greatest is that of the busiest second');
is($rows, 2000, 'simulation: the table has a row for each of them');
cmp_ok($size, '<', 1_000_000, 'simulation: and does not grow');
note(sprintf 'simulation: %d servers in %.1f s, %.2f ms each, the slowest %.1f ms; %d rows, %d bytes',
	$servers, $seconds, 1000 * $seconds / $servers, 1000 * $slowest, $rows, $size);

my ($calls, $longest) = split /\|/, $first->safe_psql('postgres', 'SELECT n, longest FROM timed');

note("$calls calls in @{[CALL]} s, with leases of @{[LEASE]} s; the longest took, in seconds: $longest");

# --- what came of it ---------------------------------------------------------

sleep(2);
append_to_file($_->{stop}, '') for @watchers, map { values %$_ } values %clients;
stop_clients($_) for map { values %$_ } values %clients;
stop_clients($_) for @watchers;
$_->stop for values %server;

is(join("\n", grep { !/ERROR:  08001: could not lease a node number/ } errors_of(keys %clients)), '',
	'without a lease the error is 08001');

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
	my (%user, %seen, @files, @back, @outside, @shared);
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
			push @outside, "$used: $name"
			  unless in_lease($NODE{$function}->($id), $name, $second);
		}
		close $fh;
	}
	my ($out, $err) = run_command([ 'sh', '-c', 'LC_ALL=C sort -u "$@" | wc -l', 'sh', @files ]);

	is($out, $n, "$function: no id comes twice");
	is("@back[0 .. ($#back > 4 ? 4 : $#back)]", '', "$function: the ids of each server increase");
	is("@shared[0 .. ($#shared > 4 ? 4 : $#shared)]", '', "$function: no two servers use a number in the same second");
	is("@outside[0 .. ($#outside > 4 ? 4 : $#outside)]", '', "$function: each id lies in a lease of its server");
	note(sprintf '%s: %d ids in %d seconds of leases', $function, $n, scalar keys %user);
	$total += $n;
}
cmp_ok($resumed_at, '>=', $restored_at + 2 * RESTORED_MAX,
	'the restored authority has waited until the leases had ended that it may have lost');
note(sprintf 'for %d s; its gid.node_lease_max is %d s', $resumed_at - $restored_at, RESTORED_MAX);
cmp_ok($total, '>', $long ? 20_000_000 : 500_000, 'there were many ids');
note("total: $total ids, " . keys(%lease) . ' numbers');

done_testing();
