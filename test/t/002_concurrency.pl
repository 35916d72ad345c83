# Ids made by many backends at once are distinct, and increase over all of
# them, up to the families' rate and beyond.
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
	BATCHES => 200,
};

my $node = gid_node('main', <<'EOC');
shared_buffers = 64MB
max_wal_size = 1GB
synchronous_commit = off
EOC

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

# Checks a table (client, connection, n, id) filled by several clients. A
# client's statements follow one another whatever its connection, so its ids
# increase in an ordered family; a DecimalId's only in one connection.
sub check_clients
{
	my ($table, $family, $expected, $name) = @_;
	my $one = $family eq 'decimal' ? 'client, connection' : 'client';

	my ($rc, $out, $err) = $node->psql('postgres',
		"CREATE UNIQUE INDEX ON $table (id)");
	is($rc, 0, "$family: a unique index can be built, $name") or diag($err);
	my ($n, $distinct, $back, $backends) = split /\|/,
	  $node->safe_psql('postgres', <<"EOS");
SELECT count(*), count(DISTINCT id), count(*) FILTER (WHERE id <= before),
	count(DISTINCT pid)
FROM (SELECT id, pid, lag(id) OVER (PARTITION BY $one ORDER BY n) AS before
	FROM $table) AS s
EOS
	note("$family, $name: $n ids, $distinct distinct, $back steps back,"
		  . " $backends processes");
	is($n, $expected, "$family: all ids are there, $name");
	is($distinct, $expected, "$family: all ids are distinct, $name");
	is($back, 0, "$family: ids increase within a backend, $name");
	return;
}

# 1. Clients that each make ids as fast as they can, a family at a time.
foreach my $family (@FAMILIES)
{
	$node->safe_psql('postgres',
		"CREATE UNLOGGED TABLE fast_$family (client int, connection int,"
		  . " pid int, n int, id $TYPE{$family})");
	ok( run_pgbench($node, 'postgres', <<"EOS",
INSERT INTO fast_$family
SELECT :client_id, 0, pg_backend_pid(), :n + g, $CALL{$family}
FROM generate_series(1, @{[BATCH]}) AS g;
\\set n :n + @{[BATCH]}
EOS
			'-D', 'n=0', '-c', CLIENTS, '-j', 2, '-t', BATCHES),
		"$family: " . CLIENTS . ' clients');
	check_clients("fast_$family", $family, CLIENTS * BATCH * BATCHES,
		'connections that stay');
	$node->safe_psql('postgres', "DROP TABLE fast_$family");
}

# 2. The same with a new connection for every 250 ids of each family.
$node->safe_psql('postgres',
	"CREATE UNLOGGED TABLE short_$_ (client int, connection int,"
	  . " pid int, n int, id $TYPE{$_})")
  for @FAMILIES;
ok( run_pgbench($node, 'postgres',
		join("\n", (map { <<"EOS" } @FAMILIES), '\set n :n + 250'),
INSERT INTO short_$_
SELECT :client_id, :n, pg_backend_pid(), :n + g, $CALL{$_}
FROM generate_series(1, 250) AS g;
EOS
		'-C', '-D', 'n=0', '-c', CLIENTS, '-j', 2, '-t', 100),
	CLIENTS . ' clients, 800 connections');
check_clients("short_$_", $_, CLIENTS * 250 * 100, 'short connections')
  for @FAMILIES;

# 3. A call that starts after another has returned, in whichever backend, gets
# a greater id. The lock makes "after" certain: the ordinals are drawn while
# it is held.
my $columns = join ', ', map { "$_ $TYPE{$_}" } @ORDERED;
my $calls = join ', ', map { $CALL{$_} } @ORDERED;

$node->safe_psql('postgres', <<"EOS");
CREATE SEQUENCE held_n CACHE 1;
CREATE UNLOGGED TABLE held (n bigint, pid int, $columns);
EOS
ok( run_pgbench($node, 'postgres', <<"EOS",
BEGIN;
SELECT pg_advisory_xact_lock(7);
INSERT INTO held
SELECT nextval('held_n'), pg_backend_pid(), $calls
FROM generate_series(1, 20);
COMMIT;
EOS
		'-c', CLIENTS, '-j', 2, '-t', 400),
	CLIENTS . ' clients, one at a time');
foreach my $family (@ORDERED)
{
	my ($n, $changes, $back) = split /\|/,
	  $node->safe_psql('postgres', <<"EOS");
SELECT count(*), count(*) FILTER (WHERE pid <> pid_before),
	count(*) FILTER (WHERE id <= before)
FROM (SELECT $family AS id, pid, lag($family) OVER w AS before,
		lag(pid) OVER w AS pid_before
	FROM held WINDOW w AS (ORDER BY n)) AS s
EOS
	note("$family: $n ids, $changes changes of backend, $back steps back");
	ok($n == CLIENTS * 400 * 20 && $changes >= 400 && $back == 0,
		"$family: ids increase over all backends, under a lock");
}

# 4. The same without a lock: where the clock says that one call had returned
# before another began, its id is the smaller one.
my @columns =
  map { ("t_$_ timestamptz", "$_ $TYPE{$_}") } @ORDERED;

$node->safe_psql('postgres',
	'CREATE UNLOGGED TABLE timed (pid int, '
	  . join(', ', @columns)
	  . ', t_end timestamptz)');
ok( run_pgbench($node, 'postgres',
		'INSERT INTO timed SELECT pg_backend_pid(), '
		  . join(', ', map { "clock_timestamp(), $CALL{$_}" } @ORDERED)
		  . ', clock_timestamp() FROM generate_series(1, 500);',
		'-c', CLIENTS, '-j', 2, '-t', 25),
	CLIENTS . ' clients, all at once');
for my $i (0 .. $#ORDERED)
{
	my $family = $ORDERED[$i];
	my $end = $i < $#ORDERED ? "t_$ORDERED[$i + 1]" : 't_end';
	my $text = $TYPE{$family} eq 'uuid'
	  ? "$family\::text COLLATE \"C\""
	  : "lpad($family\::text, 19, '0') COLLATE \"C\"";

	# Events in the order of time, calls before returns at the same moment;
	# for each call, the greatest id that had been returned by then.
	my ($n, $other, $back) = split /\|/,
	  $node->safe_psql('postgres', <<"EOS");
SELECT count(*), count(*) FILTER (WHERE pid <> pid_before),
	count(*) FILTER (WHERE id <= returned)
FROM (SELECT kind, id, pid, lag(pid) OVER (ORDER BY t, kind) AS pid_before,
		max(id) FILTER (WHERE kind = 1) OVER (ORDER BY t, kind
			ROWS UNBOUNDED PRECEDING) AS returned
	FROM (SELECT 0 AS kind, t_$family AS t, $text AS id, pid FROM timed
		UNION ALL SELECT 1, $end, $text, pid FROM timed) AS e) AS s
WHERE kind = 0
EOS
	note("$family: $n ids, $other calls next to another backend's,"
		  . " $back steps back");
	ok($n == CLIENTS * 500 * 25 && $other > 0 && $back == 0,
		"$family: ids increase over all backends, by the clock");
}

# 5. Two sessions by turns.
{
	my @session = map { session($node, 'postgres') } 1 .. 2;
	my $all = 'SELECT ' . join(', ', map { $CALL{$_} } @ORDERED);
	my %before;
	my $back = 0;

	for my $turn (1 .. 100)
	{
		my %id;

		@id{@ORDERED} = split /\|/, $session[ $turn % 2 ]->safe($all);
		foreach (@ORDERED)
		{
			my $word = word_of($_, $id{$_});

			$back++ if defined $before{$_} && $word <= $before{$_};
			$before{$_} = $word;
		}
	}
	is($back, 0, 'two sessions by turns: every word grows every time');
	end_session($_) for @session;
}

# 6. Parallel workers.
my $plan = <<'EOS';
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EOS
my $parallel_query = 'SELECT '
  . join(', ',
	'count(*)',
	map { "count(DISTINCT $_)" } @ORDERED)
  . ' FROM (SELECT '
  . join(', ', map { "$CALL{$_} AS $_" } @ORDERED)
  . ' FROM held OFFSET 0) AS s';

like(
	$node->safe_psql('postgres',
		"$plan EXPLAIN (VERBOSE, COSTS off) SELECT "
		  . join(', ', map { $CALL{$_} } @ORDERED)
		  . ' FROM held'),
	qr/Gather.*Parallel Seq Scan[^\n]*\n\s*Output: gid_uuid_v7\(\)/s,
	'parallel workers make the ids');
is( $node->safe_psql('postgres',
		"$plan CREATE TABLE from_workers AS SELECT "
		  . join(', ', map { "$CALL{$_} AS $_" } @ORDERED)
		  . ' FROM held; SELECT '
		  . join(', ',
			map { "count(DISTINCT $_)" } @ORDERED)
		  . ' FROM from_workers'),
	join('|', (CLIENTS * 400 * 20) x @ORDERED),
	'ids of parallel workers are distinct');

# 7. Beyond the rate: 4096 x 1023 trace ids a second, or 1000 x 4096 Snowflake
# ids.  Then the callers wait for the clock, the word never leads by more than a
# second, and a waiting caller can be cancelled.  A slow machine may not get there.
foreach my $beyond (
	[ 'trace', 4096 * 1023, "gid_extract_trace_time(gid_trace_id(), now() + interval '1 hour')" ],
	[ 'snowflake', 1000 * 4096, 'gid_extract_snowflake_time(gid_snowflake_id())' ])
{
	my ($family, $rate, $time) = @$beyond;
	my $many = 6 * $rate;
	my @burner = map { session($node, 'postgres') } 1 .. 2;
	my @leads;
	my $start = monotonic();

	$_->send("SELECT count($CALL{$family})"
		  . " FROM (SELECT generate_series(1, $many / 2)) AS g")
	  for @burner;
	while (monotonic() - $start < 3)
	{
		push @leads, $node->safe_psql('postgres', <<"EOS");
SELECT extract(epoch FROM $time) - extract(epoch FROM clock_timestamp())
EOS
	}
	$_->answer for @burner;
	my $took = monotonic() - $start;
	my ($lead) = sort { $b <=> $a } @leads;

	end_session($_) for @burner;
	note(sprintf '%d %s ids in %.2f s, greatest lead of %d samples %.3f s',
		$many, $family, $took, scalar(@leads), $lead);
	cmp_ok($lead, '<=', 1, "$family ids lead the clock by a second at most");
	cmp_ok($took, '>', $many / $rate - 2,
		"more $family ids than a second has take longer");

	my ($waits, $best, $event) = (0, 1e9, '');

	for my $round (1 .. 3)
	{
		@burner = map { session($node, 'postgres') } 1 .. 2;
		my $pids = join ',', map { $_->safe('SELECT pg_backend_pid()') }
		  @burner;
		my $until = monotonic() + 5;
		my ($waiter, $waits_for);

		$_->send(<<"EOS") for @burner;
SELECT max($CALL{$family}) FROM (SELECT generate_series(1, 2000000000)) AS g;
EOS
		# One session's polls, since a new connection takes its time.
		my $watcher = session($node, 'postgres');
		while (!$waiter && monotonic() < $until)
		{
			($waiter, $waits_for) = split /\|/, $watcher->safe(<<"EOS");
SELECT pid, wait_event FROM pg_stat_activity
WHERE pid IN ($pids) AND wait_event_type = 'Extension' LIMIT 1
EOS
		}
		if ($waiter)
		{
			my $begun = monotonic();

			$event = $waits_for;
			$watcher->safe("SELECT pg_cancel_backend($waiter)");
			while (
				$watcher->safe(
					"SELECT state FROM pg_stat_activity WHERE pid = $waiter") eq
				'active' && monotonic() - $begun < 10)
			{
				sleep(0.001);
			}
			$begun = monotonic() - $begun;
			$best = $begun if $begun < $best;
			$waits++;
		}
		$watcher->safe(
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid IN ($pids)"
		);
		end_session($_) for @burner, $watcher;
	}
	SKIP:
	{
		skip "this machine is too slow to use up a second of $family ids", 2
		  unless $waits;
		note("$waits waits seen, on $event, a cancelled one ended after $best s");
		cmp_ok($best, '<', 0.2, "a caller that waits for the clock is cancelled, $family");
		like(
			$event,
			$node->pg_version >= 17 ? qr/^Gid.*$family/i : qr/^Extension$/,
			"it waits under its own wait event, $family");
	}
}
$node->stop;

done_testing();
