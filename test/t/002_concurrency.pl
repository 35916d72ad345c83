# Ids made by many backends at once are distinct, and increase over all of them, up to
# the families' rate and beyond.
#
# SQL alone cannot test this: it needs backends that run at the same time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant {
	CLIENTS => 8,
	BATCH => 500,
	BATCHES => 10,
};

my $node = gid_node('main', <<'EOC');
shared_buffers = 64MB
max_wal_size = 1GB
synchronous_commit = off
statement_timeout = 0
EOC

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

# Checks a table (client, connection, n, id) filled by several clients. A client's
# statements follow one another whatever its connection, so its ids increase in an
# ordered family; a DecimalId's only in one connection.
sub check_clients
{
	my ($table, $family, $expected, $name) = @_;
	my $one = $family eq 'decimal' ? 'client, connection' : 'client';

	is($node->safe_psql('postgres', <<"EOS"), "$expected|$expected|0", "$family: ids are distinct and increase in each client, $name");
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= before)
FROM (SELECT id, lag(id) OVER (PARTITION BY $one ORDER BY n) AS before
	FROM $table) AS s
EOS
	return;
}

# 1. Clients that each make ids as fast as they can, a family at a time.
foreach my $family (@FAMILIES)
{
	$node->safe_psql('postgres',
		"CREATE UNLOGGED TABLE fast_$family (client int, connection int, n int, id $TYPE{$family})");
	ok( run_pgbench($node, 'postgres', <<"EOS",
INSERT INTO fast_$family SELECT :client_id, 0, :n + g, $CALL{$family}
FROM generate_series(1, @{[BATCH]}) AS g;
\\set n :n + @{[BATCH]}
EOS
			'-D', 'n=0', '-c', CLIENTS, '-j', 2, '-t', BATCHES),
		"$family: " . CLIENTS . ' clients');
	check_clients("fast_$family", $family, CLIENTS * BATCH * BATCHES, 'connections that stay');
}

# 2. The same with a new connection for every 50 ids of each family.
$node->safe_psql('postgres',
	"CREATE UNLOGGED TABLE short_$_ (client int, connection int, n int, id $TYPE{$_})")
  for @FAMILIES;
ok( run_pgbench($node, 'postgres',
		join("\n", (map { <<"EOS" } @FAMILIES), '\set n :n + 50'),
INSERT INTO short_$_ SELECT :client_id, :n, :n + g, $CALL{$_}
FROM generate_series(1, 50) AS g;
EOS
		'-C', '-D', 'n=0', '-c', CLIENTS, '-j', 2, '-t', 8),
	CLIENTS . ' clients, 64 connections');
check_clients("short_$_", $_, CLIENTS * 50 * 8, 'short connections') for @FAMILIES;

# 3. A call that starts after another has returned, in whichever backend, gets a greater
# id. The lock makes "after" certain: the ordinals are drawn while it is held.
my $columns = join ', ', map { "$_ $TYPE{$_}" } @ORDERED;
my $calls = join ', ', map { $CALL{$_} } @ORDERED;

$node->safe_psql('postgres', <<"EOS");
CREATE SEQUENCE held_n CACHE 1;
CREATE UNLOGGED TABLE held (n bigint, pid int, $columns);
EOS
ok( run_pgbench($node, 'postgres', <<"EOS",
BEGIN;
SELECT pg_advisory_xact_lock(7);
INSERT INTO held SELECT nextval('held_n'), pg_backend_pid(), $calls FROM generate_series(1, 5);
COMMIT;
EOS
		'-c', CLIENTS, '-j', 2, '-t', 100),
	CLIENTS . ' clients, one at a time');
foreach my $family (@ORDERED)
{
	my ($n, $changes, $back) = split /\|/, $node->safe_psql('postgres', <<"EOS");
SELECT count(*), count(*) FILTER (WHERE pid <> pid_before), count(*) FILTER (WHERE id <= before)
FROM (SELECT $family AS id, pid, lag($family) OVER w AS before, lag(pid) OVER w AS pid_before
	FROM held WINDOW w AS (ORDER BY n)) AS s
EOS
	note("$family: $n ids, $changes changes of backend, $back steps back");
	ok($n == CLIENTS * 100 * 5 && $changes >= CLIENTS && $back == 0,
		"$family: ids increase over all backends, under a lock");
}

# 4. Beyond the rate, 4096 x 1023 trace ids a second or 1000 x 4096 Snowflake ids, callers
# wait for the clock. The word leads by a second then, and never by more, and a caller
# that waits can be cancelled.
foreach my $beyond (
	[ 'trace', "gid_extract_trace_time(gid_trace_id(), now() + interval '1 hour')" ],
	[ 'snowflake', 'gid_extract_snowflake_time(gid_snowflake_id())' ])
{
	my ($family, $time) = @$beyond;
	my @burner = map { session($node, 'postgres') } 1 .. 2;
	my $pids = join ',', map { $_->safe('SELECT pg_backend_pid()') } @burner;
	my $watcher = session($node, 'postgres');
	my $lead = 0;
	my ($waiter, $event);

	$_->send("SELECT max($CALL{$family}) FROM (SELECT generate_series(1, 2000000000)) AS g")
	  for @burner;
	wait_until(8, sub {
		($waiter, $event) = split /\|/, $watcher->safe(<<"EOS");
SELECT pid, wait_event FROM pg_stat_activity
WHERE pid IN ($pids) AND wait_event_type = 'Extension' LIMIT 1
EOS
		return 1 if $waiter;
		my $led = $watcher->safe("SELECT extract(epoch FROM $time - clock_timestamp())");

		$lead = $led if $led > $lead;
		return $lead > 1;
	});
	cmp_ok($lead, '<=', 1, "$family ids lead the clock by a second at most");
	SKIP:
	{
		skip "this machine does not use up a second of $family ids", 2 unless $waiter;
		$watcher->safe("SELECT pg_cancel_backend($waiter)");
		ok( defined wait_until(60, sub {
				$watcher->safe("SELECT count(*) FROM pg_stat_activity WHERE pid = $waiter AND state = 'active'") eq '0' }),
			"a caller that waits for the clock is cancelled, $family");
		like($event, $node->pg_version >= 17 ? qr/^Gid.*$family/i : qr/^Extension$/,
			"it waits under its own wait event, $family");
	}
	$watcher->safe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid IN ($pids)");
	end_session($_) for @burner, $watcher;
}
$node->stop;

done_testing();
