# Servers that draw GDIDs and generator numbers from authorities.  No call fails and no
# id comes twice while authorities are killed, hang and come back, and when none is left.
#
# SQL alone cannot test this: it needs several servers, some of which die or stop
# answering under load.  016_authority_connection.pl tests the connections themselves.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	ERA => 1 << 60,
	BLOCKS => 600,		# that clients reserve side by side
	DECIMALS => 2_000,	# on each client, before a crash and after it
	HANG => 300,		# seconds that only a hang takes
};

my (@authorities, @clients);

# --- 1. The fleet --------------------------------------------------------

my $passfile = PostgreSQL::Test::Utils::tempdir() . '/passfile';

append_to_file($passfile, "*:*:*:gid_client:kumquat-4711\n");
chmod 0600, $passfile or die "$passfile: $!";

foreach my $n (1 .. 3)
{
	# WAL is on disk when somebody has flushed it, not because time has passed.
	my $node = gid_node("authority_$n", "gid.authority = $n\nlisten_addresses = '127.0.0.1'\nwal_writer_delay = 10s");

	unlink $node->data_dir . '/pg_hba.conf';
	$node->append_conf('pg_hba.conf', "local all all trust\nhost ids gid_client 127.0.0.1/32 scram-sha-256");
	$node->start;
	$node->safe_psql('postgres', 'CREATE DATABASE ids');

	# The functions need not be in the same schema everywhere.
	$node->safe_psql('ids', $n == 2 ? 'CREATE SCHEMA "Id tools"; CREATE EXTENSION gid SCHEMA "Id tools"' : 'CREATE EXTENSION gid');
	$node->safe_psql('ids', <<'EOS');
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
CREATE SEQUENCE app.quiet;
CREATE SEQUENCE app.closed;
CREATE ROLE gid_client LOGIN PASSWORD 'kumquat-4711';
GRANT USAGE ON SCHEMA app TO gid_client;
GRANT USAGE ON SEQUENCE app.invoice, app.quiet TO gid_client;
EOS
	push @authorities, $node;
}

# How messages name an authority, and its URI.
sub name_of { return '127.0.0.1:' . $authorities[ $_[0] - 1 ]->port . '/ids' }

sub uri
{
	my ($n, $options) = @_;

	return 'postgresql://gid_client@' . name_of($n) . "?passfile=$passfile" . ($options // '');
}

foreach my $n (1, 2)
{
	# A client makes no GDID of its own, and needs no number. Small blocks on the first,
	# so that authorities are asked often.
	my $node = gid_node("client_$n", 'gid.authority = -1');
	# the one that stays has more time, so that a slow machine is no failure
	my $uris = join ' ', map { uri($_, $_ == 3 ? '&connect_timeout=30' : '') } $n == 1 ? (1, 2, 3) : (2, 3, 1);

	$node->start;
	$node->safe_psql('postgres', 'CREATE DATABASE shop; CREATE DATABASE till');
	$node->safe_psql('shop', <<"EOS");
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
CREATE SEQUENCE app.quiet;
CREATE SEQUENCE app.closed;
LOAD 'gid';
ALTER DATABASE shop SET gid.authorities = '$uris';
EOS
	$node->safe_psql('postgres', 'ALTER DATABASE shop SET gid.max_block_size = 300') if $n == 1;
	$node->safe_psql('till', "CREATE EXTENSION gid; ALTER DATABASE till SET gid.decimal_authority = '" . uri(1) . "'");
	push @clients, $node;
}

# Which authority a fetch comes from now: a batch is always fetched.
my $FETCH = "SELECT gid_extract_gdid_authority(gid_next_gdids('app.invoice', 1))";
my @session = map { session($_, 'shop') } @clients;

is($session[$_]->safe($FETCH), $_ + 1, "client @{[$_ + 1]} draws from the nearest authority") for 0, 1;

# --- 2. Load, and failures -----------------------------------------------

# What clients do: many draws of one id, or batches.
my $singles = "SELECT ARRAY[gid_next_gdid('app', 'invoice')] FROM generate_series(1, 10);\nSELECT pg_sleep(0.05) \\g /dev/null\n" x 20;
my $batches = join '', map { "SELECT ARRAY(SELECT gid_next_gdids('app.invoice', $_));\nSELECT pg_sleep(0.1) \\g /dev/null\n" } (1, 7, 30, 200) x 5;
my @load;

foreach my $i (0, 1)
{
	push @load, { who => 'client', clients => start_clients($clients[$i], 'shop', 2, $singles) },
	  { who => 'batch', clients => start_clients($clients[$i], 'shop', 1, $batches) };
}

# The authorities make ids of the sequence, too; they may fail.
push @load, { who => "authority $_", clients => start_clients($authorities[ $_ - 1 ], 'ids', 1, $singles =~ s/gid_next/"Id tools".gid_next/gr) } for 2;
push @load, { who => "authority $_", clients => start_clients($authorities[ $_ - 1 ], 'ids', 1, $singles) } for 1, 3;

# Waits until each client draws from an authority.
sub all_draw_from
{
	my ($name, @number) = @_;

	ok(defined wait_until(HANG, sub { $session[$_]->safe($FETCH) == $number[$_] }), "client @{[$_ + 1]}: $name") for 0, 1;
	return;
}

# How many bytes the load of the clients has written.
sub drawn
{
	return written(map { $_->{clients} } grep { $_->{who} !~ /authority/ } @load);
}

my $before = drawn();

ok(defined wait_until(HANG, sub { drawn() > $before + 5_000 }), 'clients draw');
kill9_server($authorities[0]);
freeze_server($authorities[1]);

# Blocks that were fetched before are ended.
$_->safe("SELECT gid_forget('app.invoice')") for @session;
all_draw_from('while one authority was killed and one hangs, the third gives', 3, 3);
$before = drawn();
ok(defined wait_until(HANG, sub { drawn() > $before + 5_000 }), 'and all clients go on with it');
thaw_servers();
$authorities[0]->start;
all_draw_from('the nearest is asked again', 1, 2);
append_to_file($_->{clients}{stop}, '') for @load;
stop_clients($_->{clients}) for @load;

# --- 3. What the load got ------------------------------------------------

my $judge = $clients[1];

$judge->safe_psql('postgres', 'CREATE DATABASE judge');
$judge->safe_psql('judge', "CREATE EXTENSION gid; CREATE UNLOGGED TABLE seen (who text, ids gdid[]);\n"
	  . join '', map {
		my $load = $_;
		("ALTER TABLE seen ALTER who SET DEFAULT '$load->{who}';\n",
			map { "\\copy seen (ids) FROM '$_' (DELIMITER '|')\n" } @{ $load->{clients}{files} });
	  } @load);
is(join('', map { slurp_file($_) } map { @{ $_->{clients}{errors} } } grep { $_->{who} !~ /authority/ } @load), '', 'no call of a client fails');

my ($n, $distinct) = split /\|/, $judge->safe_psql('judge', <<'EOS');
CREATE UNLOGGED TABLE ids AS SELECT who, id, gid_extract_gdid_authority(id) AS authority FROM seen, unnest(ids) AS id;
SELECT count(*), count(DISTINCT id) FROM ids
EOS

note("$n ids");
cmp_ok($n, '>', 500, 'clients and authorities drew many ids');
is($distinct, $n, 'no GDID comes twice over all servers');
foreach my $number (1 .. 3)
{
	my $last = $authorities[ $number - 1 ]->safe_psql('ids', 'SELECT last_value FROM app.invoice');

	is($judge->safe_psql('judge', <<"EOS"), 't|0|0', "ids of authority $number are values that it reserved, and what it made itself names it");
SELECT count(*) > 0, count(*) FILTER (WHERE authority = $number AND (gid_extract_gdid_era(id) <> 0 OR gid_extract_gdid_counter(id) NOT BETWEEN 1 AND $last)),
	count(*) FILTER (WHERE who = 'authority $number' AND authority <> $number)
FROM ids
EOS
}
is($judge->safe_psql('judge', <<'EOS'), '{1,7,30,200}|t', 'batches are consecutive, of one authority and whole');
SELECT array_agg(DISTINCT cardinality(ids)),
	bool_and(ids = ARRAY(SELECT gid_make_gdid(gid_extract_gdid_era(ids[1]), gid_extract_gdid_authority(ids[1]), gid_extract_gdid_counter(ids[1]) + i)
		FROM generate_series(0, cardinality(ids) - 1) AS i))
FROM seen WHERE who = 'batch'
EOS

# --- 4. Blocks of an authority -------------------------------------------

# Blocks of random sizes that clients reserve side by side tile a sequence, also over an
# era's end, which none spans.
my $near = ERA - 10_000_000;

$authorities[2]->safe_psql('ids', "CREATE SEQUENCE app.tile START $near; CREATE UNLOGGED TABLE tiles (size int, authority int, era bigint, start bigint, count int)");
ok( run_pgbench($authorities[2], 'ids', <<"EOS", '-c', 6, '-j', 2, '-t', BLOCKS / 100 / 6), 'clients reserve blocks side by side');
DO \$\$
BEGIN
	FOR i IN 1 .. 100 LOOP
		INSERT INTO tiles SELECT size, b.* FROM (SELECT 1 + (random() * 65535)::int AS size) AS s, LATERAL gid.authority_block('app', 'tile', size) AS b;
	END LOOP;
END \$\$;
EOS
is( $authorities[2]->safe_psql('ids', <<"EOS"), '0|0|0|t|{3}|{0,1}', 'blocks tile the sequence: no overlap, no gap, none over the end of an era');
SELECT count(*) FILTER (WHERE value < expected), count(*) FILTER (WHERE value > expected), count(*) FILTER (WHERE start + count > @{[ERA]} OR count NOT BETWEEN 1 AND size),
	sum(count) = (SELECT last_value FROM app.tile) - $near + 1, array_agg(DISTINCT authority), array_agg(DISTINCT era)
FROM (SELECT *, coalesce(lag(value + count) OVER (ORDER BY value), $near) AS expected FROM (SELECT *, era * @{[ERA]} + start AS value FROM tiles) AS v) AS t
EOS

# --- 5. One that refuses, and no authority -------------------------------

error_like(($session[0]->query("SELECT gid_next_gdid('app.closed')"))[1], '08001', 'an authority that gives no right refuses',
	text => qr/error 42501/);
$authorities[0]->safe_psql('ids', 'GRANT USAGE ON SEQUENCE app.closed TO gid_client');
is($session[0]->safe("SELECT gid_next_gdid('app.closed')"), '0:1:1', 'and is not passed over: when the right is there the next call draws');

# DecimalIds of the launch, for the clients over several connections at once.
my @decimal_files;

sub decimals
{
	my @takes;

	foreach my $node (@clients)
	{
		foreach (1 .. 4)
		{
			my $session = session($node, 'till');

			push @decimal_files, $node->basedir . '/decimal_' . @decimal_files;
			$session->send('SELECT gid_decimal_id() FROM generate_series(1, ' . DECIMALS / 4 . ") \\g '$decimal_files[-1]'");
			push @takes, $session;
		}
	}
	my $errors = join '', map { ($_->answer)[1] } @takes;

	end_session($_) for @takes;
	return $errors;
}

# Only a role that may use up numbers gets one.
sql_fails($clients[0], 'till', 'SELECT gid_decimal_id()', '08001', 'without EXECUTE on the authority no generator number',
	text => qr/error 42501/);
$authorities[0]->safe_psql('ids', 'GRANT EXECUTE ON FUNCTION gid.authority_generator(int) TO gid_client');
is(decimals(), '', 'two clients make DecimalIds');
push @decimal_files, $authorities[0]->basedir . '/decimal';
$authorities[0]->safe_psql('ids', "SELECT gid_decimal_id() FROM generate_series(1, 1000) \\g '$decimal_files[-1]'");

# What is left of a block is given out without any authority.
$session[0]->safe("SELECT count(gid_next_gdid('app.quiet')) FROM generate_series(1, 100)");
my $left = $session[0]->safe("SELECT last - next + 1 FROM gid.stat_sequences WHERE sequence = 'app.quiet'::regclass");

$_->stop('immediate') for @authorities;
cmp_ok($left, '>', 1, 'a block is cached');
is($session[0]->safe("SELECT count(gid_next_gdid('app.quiet')) FROM generate_series(1, $left)"), $left, 'and goes on being served without any authority');
my $lines = join "\n", map { "\Q@{[name_of($_)]}\E: (no connection|passed over)[^\n]*" } 1 .. 3;

error_like(($session[0]->query("SELECT count(gid_next_gdid('app.quiet')) FROM generate_series(1, 100000)"))[1], '08001',
	'then there are no more ids, and the detail has a line for each authority', text => qr/^DETAIL:  $lines\nHINT:  /m);
like(($session[0]->query("SELECT gid_next_gdid('app.quiet')"))[1], qr/^\Q@{[name_of(3)]}\E: passed over/m, 'a call soon after says so, too');

# A client crashes as well. Leases of the other one go on.
kill9_server($clients[0]);
$clients[0]->start;
push @decimal_files, $clients[1]->basedir . '/decimal';
$clients[1]->safe_psql('till', "SELECT gid_decimal_id() \\g '$decimal_files[-1]'");
sql_fails($clients[0], 'till', 'SELECT gid_decimal_id()', '08001', 'without a lease there is no DecimalId', text => qr/could not get a generator number of launch 65/);
$_->start for @authorities;
end_session($session[0]);
$session[0] = session($clients[0], 'shop');
ok(defined wait_until(HANG, sub { ($session[0]->query($FETCH))[1] eq '' }), 'when authorities are back GDIDs go on by themselves');
ok(defined wait_until(HANG, sub { $clients[0]->psql('till', 'SELECT gid_decimal_id()') == 0 }), 'and DecimalIds');
is(decimals(), '', 'more DecimalIds after the crash');
$judge->safe_psql('judge', join "\n", 'CREATE UNLOGGED TABLE made (id bigint);', map { "\\copy made FROM '$_'" } @decimal_files);
is($judge->safe_psql('judge', 'SELECT count(*), count(DISTINCT id), count(DISTINCT gid_extract_decimal_launch(id)) FROM made'),
	4 * DECIMALS + 1001 . '|' . (4 * DECIMALS + 1001) . '|1', 'all DecimalIds of the launch are distinct');

end_session($_) for @session;
$_->stop for @clients, @authorities;
done_testing();
