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
my $LEASES = 'SELECT node, client_name FROM gid.stat_node_leases ORDER BY node';

# The URI of an authority, for the client of this name.
sub uri
{
	my ($node, $client) = @_;

	return sprintf 'postgresql:///postgres?host=%s&port=%d&user=gid_fleet&application_name=%s',
	  $node->host, $node->port, $client;
}

# Leases are long where a number must stay the same, so that a busy machine changes
# nothing: some seconds may pass between two statements.
my $authority = gid_node('authority', 'gid.node_lease_max = 200s');

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
		"gid.node_authority = '" . uri($authority, $name) . "'\ngid.node_lease = 150s\n" . ($conf // ''));

	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gid');
	return $node;
}

my $one = client('one');

sql_fails($one, 'postgres', $NODE, '08001', 'without the privilege there is no number',
	text => qr/permission denied for function authority_node/);
$authority->safe_psql('postgres', <<'EOS');
GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid.authority_confirm() TO gid_fleet;
EOS
sleep(1.1);
is($one->safe_psql('postgres', $NODE), '256', 'the first server gets the first number');
is($authority->safe_psql('postgres', $LEASES), '256|one', 'and the authority shows it');

is( $one->safe_psql('postgres', "SELECT node, node_until BETWEEN now() AND now() + interval '151 s',"
	  . " node_source = 'authority " . $authority->host . ':' . $authority->port . "/postgres'"
	  . " FROM gid.stat_clock WHERE node IS NOT NULL ORDER BY family"),
	"256|t|t\n256|t|t", 'the view shows number, end and source');

# 1. Who gets which number.
my $two = client('two');

is($two->safe_psql('postgres', $NODE), '257', 'the second server gets the next number');
is($one->safe_psql('postgres', $NODE), '256', 'the first keeps its number');
is($one->safe_psql('postgres', 'SELECT gid_extract_snowflake_node(gid_snowflake_id())'), '256',
	'Snowflake ids have the same number');
$two->restart;
is($two->safe_psql('postgres', $NODE), '258', 'a restarted server gets another number');
is(log_count($two, qr/LOG:  gid: this server has node number 25[78]/), 2, 'its log says so');

# 2. Where ids are made.
is($one->safe_psql('postgres', "BEGIN READ ONLY; $NODE; COMMIT"), '256', 'in a read-only transaction');
is($one->safe_psql('postgres', <<'EOS'), '256|256|t', 'in parallel workers');
CREATE TABLE many AS SELECT generate_series(1, 10000) AS n;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SELECT min(gid_extract_trace_node(id)), max(gid_extract_trace_node(id)), count(DISTINCT id) = count(*)
FROM (SELECT gid_trace_id() AS id FROM many) AS ids;
EOS

# 3. Without a confirmation there is no number.
my $confirm = 'EXECUTE ON FUNCTION gid.authority_confirm()';

$authority->safe_psql('postgres', "REVOKE $confirm FROM gid_fleet");
my $three = client('three');

sql_fails($three, 'postgres', $NODE, '08001', 'a lease that is not confirmed is not used',
	text => qr/permission denied for function authority_confirm/);
is($authority->safe_psql('postgres', "SELECT count(*) FROM gid.stat_node_leases WHERE client_name = 'three'"),
	'1', 'although the authority gave it');
$authority->safe_psql('postgres', "GRANT $confirm TO gid_fleet");
sleep(1.1);
is($three->safe_psql('postgres', $NODE), '259', 'the next question extends the same lease');

# 4. The settings.
$three->append_conf('postgresql.conf', "gid.node_authority = ''");
$three->reload;
ok($three->poll_query_until('postgres', "$NODE", '1'), 'without an authority the number is gid.node_no');
is( $three->safe_psql('postgres', "SELECT DISTINCT node, node_until IS NULL, node_source FROM gid.stat_clock WHERE node IS NOT NULL"),
	'1|t|gid.node_no', 'the view says so');
$three->append_conf('postgresql.conf', "gid.node_authority = '" . uri($authority, 'three') . "'");
$three->reload;
ok($three->poll_query_until('postgres', "$NODE", '259'), 'with it the number is that of the lease');
$three->append_conf('postgresql.conf', "gid.node_authority = 'nonsense'");
$three->restart;
sql_fails($three, 'postgres', $NODE, '55000', 'a refused value is no empty one',
	text => qr/the value of "gid.node_authority" was refused/);

# Restarts a server, so that it gets a lease that soon ends. Returns the number.
sub shorten
{
	my ($node) = @_;

	gid_set($node, 'gid.node_lease', "'15s'");
	$node->restart;
	return $node->safe_psql('postgres', $NODE);
}

# A server that moves to another authority uses its lease to the end.
my $other = gid_node('other', "gid.node_first = 2000");

$other->start;
$other->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE ROLE gid_fleet LOGIN;
GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int),
	gid.authority_confirm() TO gid_fleet;
EOS
shorten($one);
$one->append_conf('postgresql.conf', "gid.node_max = 65535\ngid.node_authority = '" . uri($other, 'one') . "'");
$one->reload;

ok($one->poll_query_until('postgres', $NODE, '2000'), 'the new authority leases the next number');
my $ids = $one->safe_psql('postgres', "SELECT string_agg(node || ',' || client_name, ' ') FROM gid.stat_node_leases");

is($ids, '', 'a server that is no authority shows no leases');
sql_fails($one, 'postgres', 'SELECT gid_snowflake_id()', '22003', 'a number above 1023 makes no Snowflake ids',
	text => qr/node number 2000 is too large for a Snowflake id/);

# 5. Nobody answers.
my $number = shorten($two);

$authority->stop;
my $until = $two->safe_psql('postgres', "SELECT extract(epoch FROM node_until) FROM gid.stat_clock WHERE family = 'trace_id'");
my ($out, $err);

wait_until(60, sub {
	(undef, $out, $err) = $two->psql('postgres', $NODE, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $err ne '';
});
cmp_ok(Time::HiRes::time(), '>=', $until, 'ids are made until the lease ends');
error_like($err, '08001', 'and then there is an error', text => qr/could not lease a node number from the authority/);
is(log_count($two, qr/LOG:  gid: could not extend the lease of node number $number/), 1, 'one line was logged meanwhile');
$authority->start;
ok(defined wait_until(60, sub { return $two->psql('postgres', $NODE) == 0; }), 'they go on when it answers');

# 6. Clocks.
SKIP:
{
	skip 'libfaketime is not installed', 2 unless faketime_library();
	my $ahead = gid_node('ahead', "gid.node_authority = '" . uri($authority, 'ahead') . "'");

	with_env(clock_set($ahead, '+600'), sub { $ahead->start; });
	$ahead->safe_psql('postgres', 'CREATE EXTENSION gid');
	sql_fails($ahead, 'postgres', $NODE, '55000', 'a server whose clock is ten minutes ahead gets no lease',
		text => qr/the clocks of this server and of the authority differ.*The authority said: .*a lease from .* is out of range, it is/s);
	clock_set($ahead, '+0');
	$ahead->stop('immediate');
	unlink clock_path($ahead) or die "gid.clock: $!";
	$ahead->start;
	like($ahead->safe_psql('postgres', $NODE), qr/^\d+$/, 'it gets one when its clock is right and gid.clock is gone');
}

# A leased number that Snowflake ids have no room for.
gid_reload($authority, 'gid.node_first', 1500);
gid_set($two, 'gid.node_max', 65535);
$two->restart;
is($two->safe_psql('postgres', $NODE), '1500', 'a TraceId has room for a great number');
sql_fails($two, 'postgres', 'SELECT gid_snowflake_id()', '22003', 'a Snowflake id has not',
	text => qr/node number 1500 .*HINT:  Set gid.node_max to 1023/s);
gid_reload($authority, 'gid.node_first', 0);
$two->restart;
is($two->safe_psql('postgres', $NODE), '0', 'the least number of all is leased, too');
gid_reload($authority, 'gid.node_first', 256);
gid_set($two, 'gid.node_max', 1023);

# A refusal that comes late keeps all sessions waiting that need a lease, but not one
# after the other.
my $lock = session($authority, 'postgres');
my @waiting;

$two->restart;
$lock->safe('BEGIN; LOCK TABLE gid.node_leases IN SHARE MODE');
push @waiting, session($two, 'postgres') for 1 .. 6;
my $asked = monotonic();

$_->send($NODE) for @waiting;
error_like(($_->answer)[1], '08001', 'with the table locked on the authority there is no number',
	text => qr/lock timeout/) for @waiting;
cmp_ok(monotonic() - $asked, '<', 4, 'and the sessions do not wait for each other');
end_session($_) for @waiting;

# An extension that fails just before the lease ends says nothing about the time after
# that end: then the authority is asked again, before there is an error.
$lock->safe('ROLLBACK');
shorten($two);
my $edge = session($two, 'postgres');
my $log_end = -s $two->logfile;

sub left
{
	return $edge->safe("SELECT extract(epoch FROM max(node_until) - clock_timestamp()) FROM gid.stat_clock");
}
ok(defined wait_until(30, sub { return left() < 1.3; }), 'a lease comes to its end');
$lock->safe('BEGIN; LOCK TABLE gid.node_leases IN SHARE MODE');
$edge->safe($NODE);
$lock->safe('ROLLBACK');
wait_until(5, sub { return left() < -0.05; });
my ($number_after, $error_after) = $edge->query($NODE);

is($error_after, '', 'an extension failed just before that: there is no error');
like($number_after, qr/^\d+$/, 'but a number');
is(log_count($two, qr/LOG:  gid: could not extend the lease/, $log_end), 1, 'the log has the failure');
end_session($edge);
gid_set($two, 'gid.node_lease', "'150s'");
$lock->safe('BEGIN; LOCK TABLE gid.node_leases IN SHARE MODE');

# A question that is broken off may cost a number, which nobody uses then. One comes a
# second, so that statements that are cancelled cannot use up all numbers.
$two->restart;
my $broken = session($two, 'postgres');
$broken->safe("SET statement_timeout = '50ms'");
error_like(($broken->query($NODE))[1], '57014', 'a question is broken off', no_detail => 1, no_hint => 1) for 1 .. 10;
my $before = $authority->safe_psql('postgres', 'SELECT count(*) FROM gid.node_leases');

$lock->safe('ROLLBACK');
end_session($_) for $broken, $lock;
ok( defined wait_until(30, sub {
		return $authority->safe_psql('postgres',
			"SELECT count(*) FROM pg_stat_activity WHERE usename = 'gid_fleet'") eq '0';
	}),
	'and the authority has come to its end');
cmp_ok($authority->safe_psql('postgres', 'SELECT count(*) FROM gid.node_leases'), '<=', $before + 2,
	'ten of them cost no ten numbers');
is( $authority->safe_psql('postgres',
		"SELECT count(*) > 5, bool_and(holder::text ~ '^.{14}4.{4}[89ab]') FROM gid.node_leases"),
	't|t', 'each holder has a UUID version 4');
is($two->safe_psql('postgres', "SELECT gid_extract_trace_node(gid_trace_id()) >= 256"), 't', 'then the server gets a number');

# 8. A promotion that has lost the very first lease makes a pause, too.
my $primary = gid_node('primary', 'gid.node_lease_max = 200s', allows_streaming => 1);
my $ASK = q{SELECT node, since >= now() + interval '390 s' FROM gid.authority_node(gen_random_uuid(), NULL, NULL,
	date_trunc('second', now()), date_trunc('second', now()) + '30 s', 1023)};

$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid');
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'base', has_streaming => 1);
is($primary->safe_psql('postgres', $ASK), '256|f', 'an authority leases its first number');
is($primary->safe_psql('postgres', 'SELECT lease_max FROM gid.node_writer'), '200', 'and notes the setting');
$primary->stop('immediate');
$standby->start;
$standby->promote;
is($standby->safe_psql('postgres', 'SELECT count(*) FROM gid.node_leases'), '0', 'the promoted standby has not got that lease');
is($standby->safe_psql('postgres', $ASK), '|t', 'and leases no number meanwhile');
is(log_count($standby, qr/LOG:  gid: no node number is leased before/), 1, 'its log says so');
is($standby->safe_psql('postgres', 'SELECT gid.authority_resume()'), 't', 'a superuser may end the pause');
is($standby->safe_psql('postgres', $ASK), '256|f', 'then it leases');

# An extension that is created on the new timeline has lost nothing.
$standby->safe_psql('postgres', 'CHECKPOINT; CREATE DATABASE later');
$standby->safe_psql('later', 'CREATE EXTENSION gid');
is( $standby->safe_psql('later', $ASK =~ s/since >=.*390 s'/since > (now() + interval '390 s')/r), '|f',
	'a new extension waits for the leases of this server only');

# 9. A lowered gid.node_lease_max shortens the pause when the leases before it have ended.
gid_reload($standby, 'gid.node_lease_max', '15s');
is($standby->safe_psql('postgres', 'SELECT count(*) FROM gid.node_leases WHERE until > now()'), '1', 'a long lease runs');
$standby->safe_psql('postgres', $ASK);
is($standby->safe_psql('postgres', 'SELECT lease_max FROM gid.node_writer'), '200', 'while it runs the old limit counts');
ok($standby->poll_query_until('postgres', 'SELECT bool_and(until < now()) FROM gid.node_leases'), 'it ends');
$standby->safe_psql('postgres', $ASK);
is($standby->safe_psql('postgres', 'SELECT lease_max FROM gid.node_writer'), '15', 'then the new limit counts');
$standby->safe_psql('postgres', 'UPDATE gid.node_writer SET timeline = timeline - 1');
is($standby->safe_psql('postgres', $ASK), '|f', 'and a pause is short');

done_testing();
