# Node numbers that an authority leases, on the server that leases them: who gets one,
# extension, expiry, clocks, a statement that is broken off.  Also sessions that lease at
# once while the schema's owner exchanges it, and the pause after a promotion that has lost
# the first lease.
#
# SQL alone cannot test this: it needs several servers, some of which stop, their logs, and
# several sessions.  test/model/node_lease.pml has the protocol.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes ();

use constant { HANG => 120 };	# seconds that only a hang takes

my $NODE = 'SELECT gid_extract_trace_node(gid_trace_id())';
my $ASK = q{SELECT node, since >= now() + interval '390 s' FROM gid.authority_node(gen_random_uuid(), NULL, NULL,
	date_trunc('second', now()), date_trunc('second', now()) + '30 s', 1023)};
my $COUNT = 'SELECT count(*) FROM gid.node_leases';
my $GRANT = 'GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int) TO gid_fleet';
my $CONFIRM = 'GRANT EXECUTE ON FUNCTION gid.authority_confirm() TO gid_fleet';

# Leases are long where a number must stay the same, so that a busy machine changes
# nothing.
my $authority = gid_node('authority', 'gid.node_lease_max = 200s', allows_streaming => 1);

$authority->start;
$authority->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE ROLE gid_fleet LOGIN');
$authority->backup('base');

# A server that leases from a database of an authority, not started.
sub client
{
	my ($name, $from, $db, $conf) = @_;

	return gid_node($name, sprintf("gid.node_authority = 'postgresql:///%s?host=%s&port=%d&user=gid_fleet&application_name=%s'\n%s",
			$db, $from->host, $from->port, $name, $conf), allows_streaming => 1);
}

# Starts such a server for the first time.
sub begin
{
	my ($node) = @_;

	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION gid');
	return;
}

# Waits for a number, and returns it. Between two questions is a second.
sub number_of
{
	my ($node) = @_;
	my $number;

	wait_until(HANG, sub { (my $rc, $number) = $node->psql('postgres', $NODE); $rc == 0 });
	return $number;
}

# --- 1. Who gets which number ------------------------------------------------

my ($one, $two) = map { client($_, $authority, 'postgres', 'gid.node_lease = 150s') } qw(one two);

begin($_) for $one, $two;

# The members of a parallel query do not exclude one another by a lock.
my $force = $one->safe_psql('postgres', "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");

$one->safe_psql('postgres', "CREATE FUNCTION mislabelled() RETURNS bigint LANGUAGE plpgsql PARALLEL SAFE AS 'BEGIN RETURN gid_trace_id(); END'");
sql_fails($one, 'postgres', "SELECT gid_region_shard(1, 1); SET $force = on; SELECT mislabelled()", '25000',
	'a parallel worker leases no number', text => qr/leased in a parallel worker/);
sql_fails($one, 'postgres', $NODE, '08001', 'without the privilege there is no number', text => qr/error 42501/);
$authority->safe_psql('postgres', $GRANT);
ok( defined wait_until(HANG, sub {
		return ($one->psql('postgres', $NODE))[2] =~ /error 42501/ && $authority->safe_psql('postgres', $COUNT) eq '1';
	}), 'a lease that is not confirmed is not used');
is($authority->safe_psql('postgres', 'SELECT node, client_name FROM gid.stat_node_leases'), '256|one', 'although the authority gave it');
$authority->safe_psql('postgres', $CONFIRM);
is(number_of($one), '256', 'the next question extends the same lease');
is($one->safe_psql('postgres', 'SELECT gid_extract_snowflake_node(gid_snowflake_id())'), '256', 'Snowflake ids have the same number');
is($one->safe_psql('postgres', "BEGIN READ ONLY; $NODE; COMMIT"), '256', 'so has a read-only transaction');
is( $one->safe_psql('postgres', "SELECT DISTINCT node, node_until BETWEEN now() AND now() + interval '151 s', node_source = 'authority "
	  . $authority->host . ':' . $authority->port . "/postgres' FROM gid.stat_clock WHERE node IS NOT NULL"), '256|t|t', 'the view shows number, end and source');
is(number_of($two), '257', 'the second server gets the next number');
my $UNTIL = 'SELECT extract(epoch FROM max(node_until)) FROM gid.stat_clock';
my @ends = split /\n/, $two->safe_psql('postgres', "$UNTIL; SELECT pg_sleep(2); $NODE; $UNTIL");

is($ends[-1], $ends[0], 'which is not extended in its first half');
$two->restart;
is(number_of($two), '258', 'a restarted server gets another number');
is(log_count($two, qr/LOG:  gid: this server has node number 25[78]/), 2, 'its log says so');

# A number that Snowflake ids have no room for.
gid_reload($authority, 'gid.node_first', 1500);
gid_set($two, 'gid.node_max', 65535);
$two->restart;
is(number_of($two), '1500', 'a TraceId has room for a great number');
sql_fails($two, 'postgres', 'SELECT gid_snowflake_id()', '22003', 'a Snowflake id has not', text => qr/node number 1500 .*HINT:  Set gid.node_max to 1023/s);
gid_reload($authority, 'gid.node_first', 256);
gid_set($two, 'gid.node_authority', "''");
$two->reload;
ok($two->poll_query_until('postgres', $NODE, '1'), 'without an authority the number is gid.node_no');
$two->stop;

# --- 2. Nobody answers -------------------------------------------------------

gid_set($one, 'gid.node_lease', '10s');
$one->restart;
my $number = number_of($one);
my $end = $one->safe_psql('postgres', $UNTIL);

ok( defined wait_until(HANG, sub {
		my ($node, $until, $now) = split /\n/, ($one->psql('postgres', "$NODE; $UNTIL; SELECT extract(epoch FROM now())"))[1];
		my $good = defined $now && $node == $number && $until > $end && $now < $end;

		$end = $until // $end;
		return $good;
	}), 'a lease is extended before it ends');
$authority->stop;
my $until = $one->safe_psql('postgres', $UNTIL);
my $err;

wait_until(HANG, sub {
	$err = ($one->psql('postgres', $NODE, extra_params => [ '-v', 'VERBOSITY=verbose' ]))[2];
	return $err ne '';
});
cmp_ok(Time::HiRes::time(), '>=', $until, 'ids are made until the lease ends');
error_like($err, '08001', 'and then there is an error', text => qr/could not lease a node number from the authority/);
is(log_count($one, qr/LOG:  gid: could not extend the lease of node number $number/), 1, 'one line was logged meanwhile');
$authority->start;
isnt(number_of($one), '', 'they go on when it answers');

# --- 3. Clocks ---------------------------------------------------------------

SKIP:
{
	skip 'libfaketime is not installed', 2 unless faketime_library();
	my $ahead = client('ahead', $authority, 'postgres', '');

	with_env(clock_set($ahead, '+600'), sub { begin($ahead) });
	sql_fails($ahead, 'postgres', $NODE, '55000', 'a server whose clock is ten minutes ahead gets no lease',
		text => qr/the clocks of this server and of the authority differ.*The authority's clock is at /s);
	clock_set($ahead, '+0');
	$ahead->stop('immediate');
	unlink clock_path($ahead) or die "gid.clock: $!";
	$ahead->start;
	like(number_of($ahead), qr/^\d+$/, 'it gets one when its clock is right and gid.clock is gone');
	$ahead->stop;
}

# --- 4. Questions that are broken off ----------------------------------------

# One may cost a number, which nobody uses then. Another one comes after a second, so that
# statements that are cancelled cannot use up all numbers.
my $lock = session($authority, 'postgres');

$lock->safe('BEGIN; LOCK TABLE gid.node_leases IN SHARE MODE');
$one->restart;
my $broken = session($one, 'postgres');
my $begun = monotonic();

error_like(($broken->query($NODE))[1], '08001', 'with the table locked on the authority there is no number', text => qr/error 55P03|in time/);
$broken->safe("SET statement_timeout = '50ms'");
like(($broken->query($NODE))[1], qr/ERROR:  (57014|08001): /, 'a question is broken off, or too early') for 1 .. 10;
my $before = $authority->safe_psql('postgres', $COUNT);
my $seconds = int(monotonic() - $begun) + 1;

$lock->safe('ROLLBACK');
end_session($_) for $broken, $lock;
ok($authority->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'gid_fleet'"),
	'the authority has come to the end of all questions');
cmp_ok($authority->safe_psql('postgres', $COUNT), '<=', $before + $seconds, 'at most one number a second was lost');
like(number_of($one), qr/^\d+$/, 'then the server gets a number');

# A standby that the authority must wait for is absent: however often the server asks,
# the outage costs no number.
gid_reload($authority, 'synchronous_standby_names', 'absent');
my $earlier = $authority->safe_psql('postgres', 'SELECT string_agg(quote_literal(holder), $$, $$) FROM gid.node_leases');
my $NEW = "$COUNT WHERE holder NOT IN ($earlier)";
my $refused = 0;

$one->restart;
ok( defined wait_until(HANG, sub {
		my $error = ($one->psql('postgres', $NODE))[2];

		$refused++ if $error =~ /could not lease a node number/ && $error !~ /was asked a moment ago/;
		return $refused == 3;
	}), 'three questions get no number while a standby is absent');
gid_reload($authority, 'synchronous_standby_names', '');
like(number_of($one), qr/^\d+$/, 'the server gets a number when no standby is needed');
is($authority->safe_psql('postgres', $NEW), '1', 'and the outage cost no other one');
$one->stop;

# --- 5. The schema is renamed while numbers are leased ------------------------

# A superuser has given the schema away.  Its owner puts a schema with tables of the same
# names in its place, and takes it back, again and again.  The function that is called
# names gid.authority_node() by its OID.
$authority->safe_psql('postgres', 'CREATE ROLE thief LOGIN; CREATE DATABASE swap OWNER thief');
$authority->safe_psql('swap', <<'EOS');
CREATE EXTENSION gid;
CREATE TABLE got (node int);
CREATE TABLE caught (role name);
CREATE TABLE stop (round int);
GRANT ALL ON caught, stop TO PUBLIC;
CREATE FUNCTION ask() RETURNS int BEGIN ATOMIC
	SELECT a.node FROM date_trunc('second', now()) AS t(s), gid.authority_node(gen_random_uuid(), NULL, NULL, s - interval '1 hour', s + interval '1 min', 65535) AS a;
END;
SET SESSION AUTHORIZATION thief;
CREATE SCHEMA other;
CREATE FUNCTION other.catch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO public.caught VALUES (current_user); RETURN NEW; END';
RESET SESSION AUTHORIZATION;
CREATE TABLE other.node_leases (LIKE gid.node_leases INCLUDING ALL);
CREATE TABLE other.node_writer (LIKE gid.node_writer);
CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON other.node_leases FOR EACH STATEMENT EXECUTE FUNCTION other.catch();
CREATE TRIGGER t AFTER INSERT OR UPDATE OR DELETE ON other.node_writer FOR EACH STATEMENT EXECUTE FUNCTION other.catch();
ALTER SCHEMA gid OWNER TO thief;
EOS
my $thief = session($authority, 'swap');

$thief->safe('SET SESSION AUTHORIZATION thief');
$thief->send(<<'EOS');
DO $$
BEGIN
	FOR round IN 1..1000000000 LOOP
		EXECUTE 'ALTER SCHEMA gid RENAME TO own';
		COMMIT;
		EXECUTE 'ALTER SCHEMA other RENAME TO gid';
		COMMIT;
		IF EXISTS (SELECT FROM public.stop) THEN
			INSERT INTO public.stop VALUES (round);
			EXIT;
		END IF;
		EXECUTE 'ALTER SCHEMA gid RENAME TO other';
		COMMIT;
		EXECUTE 'ALTER SCHEMA own RENAME TO gid';
		COMMIT;
	END LOOP;
END $$;
EOS
ok($authority->poll_query_until('swap', q{SELECT to_regnamespace('own') IS NOT NULL}), 'the schema is renamed');
ok(run_pgbench($authority, 'swap', "INSERT INTO got SELECT ask();\n", '-n', '-M', 'prepared', '-c', 2, '-t', 150), 'two sessions lease numbers meanwhile');
$authority->safe_psql('swap', 'INSERT INTO stop VALUES (0)');
$thief->answer;
end_session($thief);
cmp_ok($authority->safe_psql('swap', 'SELECT max(round) FROM stop'), '>', 1, 'the schema is renamed several times');
is($authority->safe_psql('swap', 'SELECT count(DISTINCT node), min(node), max(node) FROM got'), '300|256|555', 'each call gets a number of its own');
is($authority->safe_psql('swap', 'SELECT count(*), count(DISTINCT holder) FROM own.node_leases'), '300|300', 'the leases are in the real table');
is($authority->safe_psql('swap', 'SELECT (SELECT count(*) FROM caught), (SELECT count(*) FROM gid.node_leases)'), '0|0', 'and nothing happened to the other one');

# --- 6. A promotion that has lost the very first lease -----------------------

# The standby is a copy from before the first lease, and gets no WAL of it.
my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($authority, 'base', has_streaming => 1);
$authority->stop('immediate');
$standby->start;
sql_fails($standby, 'postgres', $_, '25006', 'a standby leases nothing', no_detail => 1, no_hint => 1)
  for $ASK, 'SELECT gid.authority_confirm()', 'SELECT gid.authority_resume()';
is($standby->safe_psql('postgres', 'SELECT count(*) FROM gid.stat_node_leases'), '0', 'and shows the leases that it has');
$standby->promote;
is($standby->safe_psql('postgres', $COUNT), '0', 'the promoted standby has no lease');
is($standby->safe_psql('postgres', $ASK), '|t', 'and leases no number for twice gid.node_lease_max');
is(log_count($standby, qr/LOG:  gid: no node number is leased before/), 1, 'its log says so');
is($standby->safe_psql('postgres', "SELECT gid.authority_resume(); $ASK"), "t\n256|f", 'a superuser may end the pause: then it leases');

# A database without a row may have lost the row: a new extension waits as well.
$standby->safe_psql('postgres', 'CHECKPOINT; CREATE DATABASE later');
$standby->safe_psql('later', 'CREATE EXTENSION gid');
is($standby->safe_psql('later', $ASK), '|t', 'and so does a new extension on a later timeline');

# --- 7. One number, and a server that is stopped for longer than its lease ----

# The authority leases number 256 alone. While one server is stopped, its copy gets the
# number. No second has ids of both.
my $first = client('first', $standby, 'later', "gid.node_lease = 10s\ngid.node_max = 256");
my $copy = PostgreSQL::Test::Cluster->new('copy');
my %second_of;

# Makes ids, and notes whose each second is; returns how many came.
sub make_ids
{
	my ($node) = @_;
	my @ids = split /\n/, ($node->psql('postgres', 'SELECT gid_trace_id() FROM generate_series(1, 50)'))[1] // '';

	$second_of{ $_ >> 38 }{ $node->name } = 1 for @ids;
	return scalar @ids;
}

$standby->safe_psql('later', "$GRANT; $CONFIRM; SELECT gid.authority_resume()");
begin($first);
$first->backup('files');
$copy->init_from_backup($first, 'files');
$copy->start;
ok(defined wait_until(HANG, sub { make_ids($first) }), 'a server makes ids');
is(make_ids($copy), 0, 'its copy does not: there is one number');
freeze_server($first);
ok(defined wait_until(HANG, sub { make_ids($copy) }), 'the copy does when the first server was stopped for longer than the lease');
thaw_servers();
make_ids($_) for $first, $copy;
$copy->stop;
ok(defined wait_until(HANG, sub { make_ids($first) }), 'the first server again when the copy is gone');
is_deeply([ grep { keys %{ $second_of{$_} } > 1 } keys %second_of ], [], 'no second has ids of both');
cmp_ok(scalar(keys %second_of), '>', 2, 'several seconds have ids');
$first->stop;
$standby->stop;

done_testing();
