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

my $node = gid_node('main', <<'EOC');
synchronous_commit = off
statement_timeout = 0
EOC

$node->start;
$node->safe_psql('postgres', "CREATE EXTENSION gid; CREATE SEQUENCE n CACHE 1");

# Eight clients fill a table with ids of some families.  Checks that the ids are distinct and
# increase in the order of "n" within a part of the table.
sub check
{
	my ($name, $families, $part, $rows, $script, @options) = @_;
	my $columns = join ', ', map { "$_ $TYPE{$_}" } @$families;

	$node->safe_psql('postgres',
		"DROP TABLE IF EXISTS made; CREATE UNLOGGED TABLE made (client int, n bigint, pid int, $columns)");
	ok(run_pgbench($node, 'postgres', $script, '-c', 8, '-j', 2, @options), "8 clients, $name");
	foreach my $family (@$families)
	{
		is($node->safe_psql('postgres', <<"EOS"), "$rows|$rows|0", "$family: ids are distinct and increase, $name");
SELECT count(*), count(DISTINCT $family), count(*) FILTER (WHERE $family <= before)
FROM (SELECT $family, lag($family) OVER ($part ORDER BY n) AS before FROM made) AS s
EOS
	}
	return;
}

sub insert
{
	my ($n, $rows, @families) = @_;

	return "INSERT INTO made SELECT :client_id, $n, pg_backend_pid(), " . join(', ', @CALL{@families})
	  . " FROM generate_series(1, $rows) AS g;\n";
}

# 1. Clients that each make ids of one family as fast as they can, and with a connection for
# every 50 rows of all families.  A client's statements follow one another, whatever its
# connection.
foreach my $family (@FAMILIES)
{
	check('connections that stay', [$family], 'PARTITION BY client', 8 * 500 * 10,
		insert(':n + g', 500, $family) . "\\set n :n + 500\n", '-D', 'n=0', '-t', 10);
}
check('short connections', \@FAMILIES, 'PARTITION BY client', 8 * 50 * 8,
	insert(':n + g', 50, @FAMILIES) . "\\set n :n + 50\n", '-D', 'n=0', '-t', 8, '-C');

# 2. A call that starts after another has returned, in whichever backend, gets a greater
# id. The lock makes "after" certain: the ordinals are drawn while it is held.
check('one at a time', \@FAMILIES, '', 8 * 100 * 5,
	"BEGIN;\nSELECT pg_advisory_xact_lock(7);\n" . insert("nextval('n')", 5, @FAMILIES) . "COMMIT;\n", '-t', 100);
cmp_ok($node->safe_psql('postgres', <<'EOS'), '>=', 8, 'the backends took turns');
SELECT count(*) FILTER (WHERE pid <> before) FROM (SELECT pid, lag(pid) OVER (ORDER BY n) AS before FROM made) AS s
EOS

# 3. Beyond the rate, 4096 x 1023 trace ids a second or 1000 x 4096 Snowflake ids, callers
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
