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
use Time::HiRes qw(sleep);

use constant {
	DECIMALS => 500,	# of each session, before a crash and after it
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
CREATE SEQUENCE app.closed;
CREATE ROLE gid_client LOGIN PASSWORD 'kumquat-4711';
GRANT USAGE ON SCHEMA app TO gid_client;
GRANT USAGE ON SEQUENCE app.invoice TO gid_client;
EOS
	push @authorities, $node;
}

# How messages name an authority, and its URI. The third authority stays, and has more
# time, so that a slow machine is no failure.
sub name_of { return '127.0.0.1:' . $authorities[ $_[0] - 1 ]->port . '/ids' }
sub uri { return 'postgresql://gid_client@' . name_of($_[0]) . "?passfile=$passfile" . ($_[0] == 3 ? '&connect_timeout=30' : '') }

# The clients make no GDIDs of their own, and need no number. The first has small blocks,
# so that it asks often.
foreach my $n (1, 2)
{
	my $node = gid_node("client_$n", "gid.authority = -1\ngid.max_block_size = " . ($n == 1 ? 300 : 16384));
	my $uris = join ' ', map { uri($_) } $n == 1 ? (1, 2, 3) : (2, 3, 1);

	$node->start;
	$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
CREATE SEQUENCE app.closed;
LOAD 'gid';
ALTER DATABASE postgres SET gid.authorities = '$uris';
ALTER DATABASE postgres SET gid.decimal_authority = '@{[uri(1)]}';
EOS
	push @clients, $node;
}

# Which authority a fetch comes from now: a batch is always fetched.
my $FETCH = "SELECT gid_extract_gdid_authority(gid_next_gdids('app.invoice', 1))";
my @session = map { session($_, 'postgres') } @clients;

# Waits until each client draws from an authority.  Each question is a connection, which
# costs more than all else here, so there are two a second.
sub all_draw_from
{
	my ($name, @number) = @_;

	ok(defined wait_until(HANG, sub { sleep(0.4); $session[$_]->safe($FETCH) == $number[$_] }), "client @{[$_ + 1]}: $name") for 0, 1;
	return;
}

all_draw_from('the nearest authority gives', 1, 2);

# --- 2. Load, and failures -----------------------------------------------

# Clients draw one id at a time, or batches. The authorities make ids of the sequence,
# too, and may fail.
my $singles = "SELECT ARRAY[gid_next_gdid('app', 'invoice')] FROM generate_series(1, 10);\nSELECT pg_sleep(0.15) \\g /dev/null\n" x 10;
my $batches = join '', map { "SELECT ARRAY(SELECT gid_next_gdids('app.invoice', $_));\nSELECT pg_sleep(0.3) \\g /dev/null\n" } (1, 7, 30, 200) x 2;
my @load = map { start_clients($_, 'postgres', 2, $singles), start_clients($_, 'postgres', 1, $batches) } @clients;
my @own = map { start_clients($authorities[$_], 'ids', 1, $_ == 1 ? $singles =~ s/gid_next/"Id tools".gid_next/gr : $singles) } 0 .. 2;

sub all_go_on
{
	my ($name) = @_;
	my $before = written(@load);

	ok(defined wait_until(HANG, sub { written(@load) > $before + 5_000 }), $name);
	return;
}

all_go_on('clients draw');
kill9_server($authorities[0]);
freeze_server($authorities[1]);

# Blocks that were fetched before are ended.
$_->safe("SELECT gid_forget('app.invoice')") for @session;
all_draw_from('while one authority was killed and one hangs, the third gives', 3, 3);
all_go_on('and all clients go on with it');
thaw_servers();
$authorities[0]->start;
all_draw_from('the nearest is asked again', 1, 2);
append_to_file($_->{stop}, '') for @load, @own;
stop_clients($_) for @load, @own;
is(join('', map { slurp_file($_) } map { @{ $_->{errors} } } @load), '', 'no call of a client fails');

# --- 3. What the load got ------------------------------------------------

my $judge = $clients[1];

$judge->safe_psql('postgres', 'CREATE DATABASE judge');
$judge->safe_psql('judge', join "\n", 'CREATE EXTENSION gid; CREATE UNLOGGED TABLE seen (ids gdid[]); CREATE UNLOGGED TABLE made (id bigint);',
	map { "\\copy seen FROM '$_' (DELIMITER '|')" } map { @{ $_->{files} } } @load, @own);
is($judge->safe_psql('judge', 'SELECT count(*) > 500, count(*) - count(DISTINCT id) FROM seen, unnest(ids) AS id'), 't|0',
	'no GDID comes twice over all servers');
foreach my $n (1 .. 3)
{
	my $last = $authorities[ $n - 1 ]->safe_psql('ids', 'SELECT last_value FROM app.invoice');

	is($judge->safe_psql('judge', <<"EOS"), 't|0', "ids of authority $n are values that it reserved");
SELECT count(*) > 0, count(*) FILTER (WHERE gid_extract_gdid_era(id) <> 0 OR gid_extract_gdid_counter(id) NOT BETWEEN 1 AND $last)
FROM seen, unnest(ids) AS id WHERE gid_extract_gdid_authority(id) = $n
EOS
}
is($judge->safe_psql('judge', <<'EOS'), '{1,7,30,200}|t', 'batches are consecutive, of one authority and whole');
SELECT array_agg(DISTINCT cardinality(ids)),
	bool_and(ids = ARRAY(SELECT gid_make_gdid(gid_extract_gdid_era(ids[1]), gid_extract_gdid_authority(ids[1]), gid_extract_gdid_counter(ids[1]) + i)
		FROM generate_series(0, cardinality(ids) - 1) AS i))
FROM seen
EOS

# --- 4. One that refuses, and no authority -------------------------------

my $CLOSED = "SELECT gid_next_gdid('app.closed')";

error_like(($session[0]->query($CLOSED))[1], '08001', 'an authority that gives no right refuses', text => qr/error 42501/);
$authorities[0]->safe_psql('ids', 'GRANT USAGE ON SEQUENCE app.closed TO gid_client');
is($session[0]->safe($CLOSED), '0:1:1', 'and is not passed over: when the right is there the next call draws');

# DecimalIds of the launch, for the clients over several connections at once.
my $made = 0;

sub decimals
{
	my @takes = map { session($_, 'postgres') } (@clients) x 4;

	$_->send('SELECT gid_decimal_id() FROM generate_series(1, ' . DECIMALS . ") \\g '" . $judge->basedir . '/decimal_' . ++$made . "'") for @takes;
	is(join('', map { ($_->answer)[1] } @takes), '', $_[0]);
	end_session($_) for @takes;
	return;
}

# Only a role that may use up numbers gets one.
sql_fails($clients[0], 'postgres', 'SELECT gid_decimal_id()', '08001', 'without EXECUTE on the authority no generator number',
	text => qr/error 42501/);
$authorities[0]->safe_psql('ids', 'GRANT EXECUTE ON FUNCTION gid.authority_generator(int) TO gid_client');
decimals('two clients make DecimalIds');
$authorities[0]->safe_psql('ids', "SELECT gid_decimal_id() FROM generate_series(1, @{[DECIMALS]}) \\g '" . $judge->basedir . '/decimal_' . ++$made . "'");

$_->stop('immediate') for @authorities;
my $lines = join "\n", map { "\Q@{[name_of($_)]}\E: (no connection|passed over)[^\n]*" } 1 .. 3;

error_like(($session[0]->query("SELECT count(gid_next_gdid('app.invoice')) FROM generate_series(1, 100000)"))[1], '08001',
	'without authorities there are soon no more ids, and the detail has a line for each', text => qr/^DETAIL:  $lines\nHINT:  /m);
like(($session[0]->query($FETCH))[1], qr/^\Q@{[name_of(3)]}\E: passed over/m, 'a call soon after says so, too');

# A client crashes as well.
kill9_server($clients[0]);
$clients[0]->start;
sql_fails($clients[0], 'postgres', 'SELECT gid_decimal_id()', '08001', 'without a generator number there is no DecimalId',
	text => qr/could not get a generator number of launch 65/);
$_->start for @authorities;
end_session($session[0]);
$session[0] = session($clients[0], 'postgres');
ok(defined wait_until(HANG, sub { ($session[0]->query($_))[1] eq '' }), "when authorities are back ids go on by themselves: $_")
  for $FETCH, 'SELECT gid_decimal_id()';
decimals('more DecimalIds after the crash');
$judge->safe_psql('judge', join "\n", map { "\\copy made FROM '" . $judge->basedir . "/decimal_$_'" } 1 .. $made);
is($judge->safe_psql('judge', 'SELECT count(*) - count(DISTINCT id), count(DISTINCT gid_extract_decimal_launch(id)) FROM made'), '0|1',
	'all DecimalIds of the launch are distinct');
is($judge->safe_psql('judge', 'SELECT count(*) FROM made'), $made * DECIMALS, 'and all are there');

end_session($_) for @session;
$_->stop for @clients, @authorities;
done_testing();
