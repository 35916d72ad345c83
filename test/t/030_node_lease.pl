# Node numbers that an authority leases: no two servers use a number in the same
# second of id time.  Extension, expiry, reload, failures, the pause after a failover
# or a restore.
#
# SQL alone cannot test this: it needs several servers, some of which die or stop
# answering, and their logs.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $NODE = 'SELECT gid_extract_trace_node(gid_trace_id())';
my $LEASES = 'SELECT node, client_name FROM gid_stat_node_leases ORDER BY node';

# The URI of an authority, for the client of this name.
sub uri
{
	my ($node, $client) = @_;

	return sprintf 'postgresql:///postgres?host=%s&port=%d&user=gid_fleet&application_name=%s',
	  $node->host, $node->port, $client;
}

my $authority = gid_node('authority', 'gid.node_lease_max = 60s');

$authority->start;
$authority->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE ROLE gid_fleet LOGIN;
EOS

# A client of the authority, which has a node number of its own for the time before.
sub client
{
	my ($name, $conf) = @_;
	my $node = gid_node($name,
		"gid.node_authority = '" . uri($authority, $name) . "'\ngid.node_lease = 10s\n" . ($conf // ''));

	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gid');
	return $node;
}

my $one = client('one');

sql_fails($one, 'postgres', $NODE, '08001', 'without the privilege there is no number',
	text => qr/permission denied for function gid_authority_node/);
$authority->safe_psql('postgres', <<'EOS');
GRANT EXECUTE ON FUNCTION gid_authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid_authority_confirm() TO gid_fleet;
EOS
sleep(1.1);
is($one->safe_psql('postgres', $NODE), '256', 'the first server gets the first number');
is($authority->safe_psql('postgres', $LEASES), '256|one', 'and the authority shows it');

my $two = client('two');

is($two->safe_psql('postgres', $NODE), '257', 'the second server gets the next number');
is($one->safe_psql('postgres', $NODE), '256', 'the first keeps its number');
$two->restart;
is($two->safe_psql('postgres', $NODE), '258', 'a restarted server gets another number');

# A leased number that Snowflake ids have no room for.
gid_reload($authority, 'gid.node_first', 1500);
gid_set($two, 'gid.node_max', 65535);
$two->restart;
is($two->safe_psql('postgres', $NODE), '1500', 'a TraceId has room for a great number');
sql_fails($two, 'postgres', 'SELECT gid_snowflake_id()', '22003', 'a Snowflake id has not',
	text => qr/node number 1500 .*HINT:  Set gid.node_max to 1023/s);
gid_reload($authority, 'gid.node_first', 256);
gid_set($two, 'gid.node_max', 1023);

# A refusal that comes late keeps all sessions waiting that need a lease, but not one
# after the other.
my $lock = session($authority, 'postgres');
my @waiting;

$two->restart;
$lock->safe('BEGIN; LOCK TABLE gid_node_leases IN SHARE MODE');
push @waiting, session($two, 'postgres') for 1 .. 6;
my $asked = monotonic();

$_->send($NODE) for @waiting;
error_like(($_->answer)[1], '08001', 'with the table locked on the authority there is no number',
	text => qr/lock timeout/) for @waiting;
cmp_ok(monotonic() - $asked, '<', 4, 'and the sessions do not wait for each other');
end_session($_) for @waiting;

# A question that is broken off may cost a number, which nobody uses then. One comes a
# second, so that statements that are cancelled cannot use up all numbers.
$two->restart;
my $broken = session($two, 'postgres');
$broken->safe("SET statement_timeout = '50ms'");
error_like(($broken->query($NODE))[1], '57014', 'a question is broken off', no_detail => 1, no_hint => 1) for 1 .. 10;
my $before = $authority->safe_psql('postgres', 'SELECT count(*) FROM gid_node_leases');

$lock->safe('ROLLBACK');
end_session($_) for $broken, $lock;
ok( defined wait_until(30, sub {
		return $authority->safe_psql('postgres',
			"SELECT count(*) FROM pg_stat_activity WHERE usename = 'gid_fleet'") eq '0';
	}),
	'and the authority has come to its end');
cmp_ok($authority->safe_psql('postgres', 'SELECT count(*) FROM gid_node_leases'), '<=', $before + 2,
	'ten of them cost no ten numbers');
is($two->safe_psql('postgres', "SELECT gid_extract_trace_node(gid_trace_id()) >= 256"), 't', 'then the server gets a number');

done_testing();
