# Servers that draw GDIDs and generator numbers from authorities.  No call fails and no
# id comes twice while authorities are killed, hang and come back.  Also: which roles
# may draw.  016_authority_connection.pl tests the connections themselves.
#
# SQL alone cannot test this: it needs several servers, some of which die or
# stop answering under load, and the logs of all of them.

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
	BLOCKS => 60_000,
	DECIMALS => 200_000,
	ERA => 1 << 60,
};

# Rounds of failures under load: which authority is killed and which one hangs.
my @ROUNDS = ([ 1, 2 ]);

push @ROUNDS, [ 2, 1 ], [ 1, 3 ], [ 3, 2 ]
  if ($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/;

# Distinctive, since the logs are searched for them.
my %PASSWORD = (
	gid_client => 'kumquat-4711-lantern',
	in_uri => 'persimmon-2207-anvil',
	wrong => 'rhubarb-9083-trellis');

my (@authorities, @clients);

# Where DecimalIds were written to.
my @decimal_files;

# --- helpers -------------------------------------------------------------

# Runs SQL as a role; what psql printed and its errors.
my @said;

sub as_role
{
	my ($node, $db, $role, $sql) = @_;
	my ($rc, $out, $err) = $node->psql($db, $sql,
		extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);

	push @said, $err;
	return ($out, $err);
}

# SQL with a password in it is kept out of the log, so that the search for
# passwords says something about gid.
my $UNLOGGED = 'SET log_statement = none; SET log_min_error_statement = panic;';

sub now_of
{
	my ($node) = @_;

	return $node->safe_psql('postgres', 'SELECT clock_timestamp()');
}

# A passfile of a client with one of the passwords above; its name.
sub passfile
{
	my ($node, $which) = @_;
	my $file = $node->basedir . "/pass_$which";

	if (!-e $file)
	{
		append_to_file($file, "127.0.0.1:*:*:gid_client:$PASSWORD{$which}\n");
		chmod 0600, $file or die "$file: $!";
	}
	return $file;
}

# How messages name an authority.
sub name_of
{
	my ($n, $db) = @_;

	return '127.0.0.1:' . $authorities[ $n - 1 ]->port . '/' . ($db // 'ids');
}

# The URI of an authority for a client, whose passfile has one of the passwords.
sub uri
{
	my ($node, $n, $db, $which) = @_;

	return 'postgresql://gid_client@' . name_of($n, $db)
	  . '?passfile=' . passfile($node, $which // 'gid_client');
}

# A database of a client that draws from the authorities in this order.
sub client_database
{
	my ($node, $db, @order) = @_;
	my $uris = join ' ', map { uri($node, $_) } @order;

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, <<'EOS');
CREATE EXTENSION gid;
CREATE SCHEMA app AUTHORIZATION app_owner;
SET ROLE app_owner;
GRANT USAGE ON SCHEMA app TO app_user, app_nobody;
CREATE SEQUENCE app.invoice;
CREATE SEQUENCE app.quiet;
CREATE SEQUENCE app.closed;
GRANT USAGE ON SEQUENCE app.invoice, app.quiet TO app_user;
EOS
	$node->safe_psql($db, "LOAD 'gid'; ALTER DATABASE $db SET gid.authorities = '$uris'");
	return;
}

# Which authority a fetch comes from now: a batch is always fetched.
my $FETCH = "SELECT gid_extract_gdid_authority(gid_next_gdids('app.invoice', 1))";

# --- 1. The fleet --------------------------------------------------------

foreach my $n (1 .. 3)
{
	# WAL is on disk when somebody has flushed it, not because time has passed.
	my $node = gid_node("authority_$n",
		"listen_addresses = '127.0.0.1'\nwal_writer_delay = 10s");

	unlink $node->data_dir . '/pg_hba.conf';
	$node->append_conf('pg_hba.conf', <<'EOC');
local all all trust
host ids,bare gid_client 127.0.0.1/32 scram-sha-256
EOC
	$node->start;
	$node->safe_psql('postgres', 'CREATE DATABASE ids');

	# The functions need not be in the same schema everywhere.
	$node->safe_psql('ids', $n == 2 ? <<'EOS' : 'CREATE EXTENSION gid');
CREATE SCHEMA "Id tools";
CREATE EXTENSION gid SCHEMA "Id tools";
ALTER ROLE postgres IN DATABASE ids SET search_path = "Id tools";
EOS
	$node->safe_psql('ids', "LOAD 'gid'; ALTER SYSTEM SET gid.authority = $n");
	$node->reload;
	$node->safe_psql('ids', <<"EOS");
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
CREATE SEQUENCE app.quiet;
$UNLOGGED
CREATE ROLE gid_client LOGIN PASSWORD '$PASSWORD{gid_client}';
GRANT USAGE ON SCHEMA app TO gid_client;
GRANT USAGE ON SEQUENCE app.invoice, app.quiet TO gid_client;
EOS
	push @authorities, $node;
}

foreach my $n (1, 2)
{
	# a client makes no GDID of its own, and needs no number
	my $node = gid_node("client_$n", "gid.authority = -1");

	$node->start;
	$node->safe_psql('postgres', <<'EOS');
CREATE ROLE app_owner LOGIN;
CREATE ROLE app_user LOGIN;
CREATE ROLE app_nobody LOGIN;
EOS
	push @clients, $node;
	client_database($node, 'shop', $n == 1 ? (1, 2, 3) : (2, 3, 1));
}

# Small blocks here, so that authorities are asked often; what PostgreSQL and
# gid choose on the other one.
$clients[0]->safe_psql('postgres',
	'ALTER DATABASE shop SET gid.max_block_size = 300');
client_database($clients[0], 'desk', 1, 2, 3);

foreach my $node (@clients)
{
	$node->safe_psql('postgres', 'CREATE DATABASE till');
	$node->safe_psql('till', 'CREATE EXTENSION gid');
	$node->safe_psql('till',
		"LOAD 'gid'; ALTER DATABASE till SET gid.decimal_authority = '" . uri($node, 1) . "'");
}

# From here on everything is logged.
foreach my $node (@authorities, @clients)
{
	$node->safe_psql('postgres', "ALTER SYSTEM SET $_")
	  for (
		"log_statement = 'all'",
		"log_min_messages = 'debug1'",
		"log_min_error_statement = 'debug1'",
		'log_parameter_max_length_on_error = -1',
		'log_connections = on');
	$node->reload;
}

foreach my $i (0, 1)
{
	foreach my $role (qw(app_owner app_user))
	{
		my ($out, $err) = as_role($clients[$i], 'shop', $role,
			"SELECT gid_next_gdid('app', 'invoice')");

		like($out, qr/^0:@{[$i + 1]}:\d+$/,
			"client @{[$i + 1]}: $role draws from the nearest authority");
	}
}

# --- 2. Load -------------------------------------------------------------

# What clients do: many draws of one id, and the time of each; or batches.
my $singles = <<'EOS' x 40;
SELECT clock_timestamp(), ARRAY[gid_next_gdid('app', 'invoice')], clock_timestamp()
FROM generate_series(1, 10);
SELECT pg_sleep(0.02) \g /dev/null
EOS
my $batches = '';

$batches .= <<"EOS" foreach (1, 7, 30, 200) x 10;
SELECT statement_timestamp(), ARRAY(SELECT gid_next_gdids('app.invoice', $_)), clock_timestamp();
SELECT pg_sleep(0.05) \\g /dev/null
EOS

my @load;

sub start_load
{
	my ($who, $node, $db, $role, $n, $sql) = @_;

	push @load,
	  {
		who => $who,
		clients => with_env({ PGUSER => $role },
			sub { start_clients($node, $db, $n, $sql) })
	  };
	return;
}

# When an authority was the only one.
my @only;

foreach my $round (@ROUNDS)
{
	my ($killed, $hung) = @$round;
	my ($left) = grep { $_ != $killed && $_ != $hung } 1 .. 3;
	my $begun = @load;

	foreach my $i (0, 1)
	{
		my @where = ($clients[$i], 'shop');

		start_load("client single $i", @where, 'app_user', 3, $singles);
		start_load("client single $i", @where, 'app_owner', CLIENTS - 5, $singles);
		start_load("client batch $i", @where, 'app_user', 1, $batches);
		start_load("client batch $i", @where, 'app_owner', 1, $batches);
	}

	# The authorities make ids of the sequence, too; they may fail.
	start_load("authority @{[$_ + 1]}", $authorities[$_], 'ids', 'postgres', 1,
		$singles)
	  for 0 .. $#authorities;
	sleep(3);
	kill9_server($authorities[ $killed - 1 ]);
	sleep(2);
	freeze_server($authorities[ $hung - 1 ]);

	# Blocks that were fetched before are ended.
	as_role($_, 'shop', 'app_owner', "SELECT gid_forget('app.invoice')")
	  for @clients;
	my $from = now_of($clients[0]);

	sleep(6);
	push @only, [ $left, $from, now_of($clients[0]) ];
	thaw_servers();
	$authorities[ $killed - 1 ]->start;
	my $start = monotonic();

	# While they are still passed over.
	if ($round == $ROUNDS[0])
	{
		blocks_tile();
		privileges();
		decimals();
	}

	foreach my $i (0, 1)
	{
		my $session = session($clients[$i], 'shop', '-U', 'app_owner');

		wait_until(45, sub { $session->safe($FETCH) == $i + 1 });
		my $took = monotonic() - $start;

		cmp_ok($took, '<', 40,
			"client @{[$i + 1]}: the nearest is used again within 40 s");
		note("after $took s");
		end_session($session);
	}
	sleep(1);
	append_to_file($_->{clients}{stop}, '') for @load[ $begun .. $#load ];
	stop_clients($_->{clients}) for @load[ $begun .. $#load ];
}
judge_load();

# What the load got.
sub judge_load
{
	my $node = $clients[1];
	my $sql = '';

	$node->safe_psql('postgres', 'CREATE DATABASE judge');
	$node->safe_psql('judge', <<'EOS');
CREATE EXTENSION gid;
CREATE UNLOGGED TABLE seen (
	who text, since timestamptz, ids gdid[], until timestamptz);
EOS
	foreach my $load (@load)
	{
		$sql .= "ALTER TABLE seen ALTER who SET DEFAULT '$load->{who}';\n";
		$sql .= "\\copy seen (since, ids, until) FROM '$_' (DELIMITER '|')\n"
		  for @{ $load->{clients}{files} };
	}
	$node->safe_psql('judge', $sql);
	$node->safe_psql('judge', <<'EOS');
CREATE UNLOGGED TABLE ids AS
SELECT who, since, until, id, gid_extract_gdid_authority(id) AS authority
FROM seen, unnest(ids) AS id;
EOS

	my $errors = '';

	foreach my $load (grep { $_->{who} =~ /^client/ } @load)
	{
		$errors .= slurp_file($_) for @{ $load->{clients}{errors} };
	}
	push @said, $errors;
	is($errors, '', 'no call of a client fails');

	my ($n, $distinct) = split /\|/, $node->safe_psql('judge',
		'SELECT count(*), count(DISTINCT id) FROM ids');

	cmp_ok($n, '>', 10_000, 'clients and authorities drew many ids');
	is($distinct, $n, 'no GDID comes twice over all servers');

	note($node->safe_psql('judge', <<'EOS'));
SELECT who, count(*), max(until - since) FROM ids GROUP BY 1 ORDER BY 1
EOS
	my $longest = $node->safe_psql('judge', <<'EOS');
SELECT extract(epoch FROM max(until - since)) FROM seen WHERE who LIKE 'client%'
EOS

	note("longest call: $longest s");
	cmp_ok($longest, '<', 4, 'no call of a client takes 4 s');

	# That authorities were gone is seen by the calls that waited for one.
	cmp_ok($longest, '>', 0.5, 'a hanging authority is noticed');

	foreach my $i (0 .. $#authorities)
	{
		my $number = $i + 1;
		my $last = $authorities[$i]->safe_psql('ids',
			'SELECT last_value FROM app.invoice');

		is( $node->safe_psql('judge', <<"EOS"),
SELECT count(*) > 0, count(*) FILTER (WHERE gid_extract_gdid_era(id) <> 0
	OR gid_extract_gdid_counter(id) NOT BETWEEN 1 AND $last)
FROM ids WHERE authority = $number
EOS
			't|0', "ids of authority $number are values that it reserved");
		is( $node->safe_psql('judge', <<"EOS"),
SELECT count(*) > 0, count(*) FILTER (WHERE authority <> $number)
FROM ids WHERE who = 'authority $number'
EOS
			't|0', "what authority $number made by itself names it");
	}
	is( $node->safe_psql('judge',
			'SELECT count(*) FROM ids WHERE authority NOT BETWEEN 1 AND 3'),
		0,
		'no id names another authority');

	foreach my $only (@only)
	{
		my ($left, $from, $to) = @$only;

		is( $node->safe_psql('judge', <<"EOS"),
SELECT count(DISTINCT who), count(*) FILTER (WHERE authority <> $left)
FROM ids WHERE who LIKE 'client%' AND since BETWEEN '$from' AND '$to'
EOS
			'4|0', "while authority $left alone lives all new blocks are its");

		# Nobody waits for the one that hangs any more.
		is( $node->safe_psql('judge', <<"EOS"),
SELECT count(*) > 1000, count(*) FILTER (WHERE until - since > '1 s')
FROM seen WHERE who LIKE 'client%'
	AND since BETWEEN timestamptz '$from' + '3 s' AND '$to'
EOS
			't|0', 'and the others are passed over');
	}

	my $consecutive = <<'EOS';
ids = ARRAY(SELECT gid_make_gdid(gid_extract_gdid_era(ids[1]),
		gid_extract_gdid_authority(ids[1]),
		gid_extract_gdid_counter(ids[1]) + i)
	FROM generate_series(0, cardinality(ids) - 1) AS i)
EOS

	is( $node->safe_psql('judge', <<"EOS"),
SELECT count(*) > 100, array_agg(DISTINCT cardinality(ids)), bool_and($consecutive)
FROM seen WHERE who LIKE 'client batch%'
EOS
		't|{1,7,30,200}|t',
		'batches are consecutive, of one authority and whole');
	return;
}

# --- 3. Blocks of an authority -------------------------------------------

# Blocks of random sizes tile a sequence, also over an era's end, which none
# spans.
sub blocks_tile
{
	my $node = $authorities[2];
	my $near = ERA - 500_000_000;
	my $each = 500;
	my $clients = 6;

	$node->safe_psql('ids', <<"EOS");
CREATE SEQUENCE app.tile;
CREATE SEQUENCE app.tile_era START $near;
CREATE UNLOGGED TABLE tiles (
	sequence text, size int, authority int, era bigint, start bigint, count int);
EOS
	# A commit for many of them: it takes longer than they do.
	ok( run_pgbench($node, 'ids', <<"EOS",
DO \$\$
BEGIN
	FOR i IN 1 .. $each LOOP
		INSERT INTO tiles
		SELECT sequence, size, b.*
		FROM (SELECT CASE i % 2 WHEN 0 THEN 'tile' ELSE 'tile_era' END AS sequence,
				1 + (random() * 65535)::int AS size) AS s,
			LATERAL gid.authority_block('app', sequence, size) AS b;
	END LOOP;
END \$\$;
EOS
			'-c', $clients, '-j', 2, '-t', BLOCKS / $each / $clients),
		"$clients clients reserve blocks");
	is( $node->safe_psql('ids', <<'EOS'),
SELECT count(*), array_agg(DISTINCT authority) FROM tiles
EOS
		BLOCKS . '|{3}', 'all of this authority');

	foreach my $tiled ([ 'tile', 1 ], [ 'tile_era', $near ])
	{
		my ($sequence, $first) = @$tiled;

		# Overlaps, gaps, blocks beyond an era, blocks that are not as large as
		# was asked for, and what there is in all.
		is( $node->safe_psql('ids', <<"EOS"),
SELECT count(*) FILTER (WHERE value < expected),
	count(*) FILTER (WHERE value > expected),
	count(*) FILTER (WHERE start + count - 1 > @{[ERA - 1]} OR count < 1),
	count(*) FILTER (WHERE count <> size AND start + count < @{[ERA]}
		OR count > size),
	sum(count) = (SELECT last_value FROM app.$sequence) - $first + 1
FROM (SELECT *,
		coalesce(lag(value + count) OVER (ORDER BY value), $first) AS expected
	FROM (SELECT *, era * @{[ERA]} + start AS value
		FROM tiles WHERE sequence = '$sequence') AS v) AS t
EOS
			'0|0|0|0|t', "blocks tile app.$sequence: no overlap, no gap");
	}
	is( $node->safe_psql('ids',
			"SELECT array_agg(DISTINCT era) FROM tiles WHERE sequence = 'tile_era'"),
		'{0,1}',
		'and an era ended among them');
	return;
}

# --- 4. Who may do what --------------------------------------------------

sub privileges
{
	my $node = $clients[0];
	my @answers;

	# The caller: as nextval().
	foreach my $call ("nextval('app.invoice')", "gid_next_gdid('app.invoice')",
		"gid_next_gdids('app.invoice', 3)")
	{
		my ($out, $err) = as_role($node, 'desk', 'app_nobody', "SELECT $call");

		push @answers, $err =~ /^psql:<stdin>:\d+: (ERROR:  42501: .*)$/m;
	}
	is_deeply(
		\@answers,
		[ ('ERROR:  42501: permission denied for sequence invoice') x 3 ],
		'a role without right on the sequence is told as by nextval()');

	foreach my $name ('gid.authorities', 'gid.decimal_authority')
	{
		foreach my $sql ("SHOW $name",
			"SET $name = 'postgresql://127.0.0.1/ids'",
			"ALTER ROLE app_owner SET $name = 'postgresql://127.0.0.1/ids'")
		{
			my ($out, $err) =
			  as_role($node, 'desk', 'app_owner', "LOAD 'gid'; $sql");

			like($err, qr/ERROR:  42501: /,
				"the owner of the sequences may not: $sql");
		}
	}

	# A password in a URI.
	my ($out, $err) = as_role($node, 'desk', 'postgres',
		"$UNLOGGED LOAD 'gid'; SET gid.authorities = 'postgresql://gid_client:$PASSWORD{in_uri}\@"
		  . name_of(1) . "'");

	error_like($err, '22023', 'a URI with a password is refused');

	# The authorities: all that can be wrong, one after the other.
	$authorities[2]->safe_psql('postgres', 'CREATE DATABASE bare');
	$authorities[0]->safe_psql('ids', 'CREATE SEQUENCE app.closed');
	passfile($node, 'wrong');
	my @asked = (
		[ 1, 'ids', 'gid_client', qr/permission denied for sequence closed/ ],
		[ 2, 'ids', 'gid_client',
			qr/sequence "closed" does not exist in scope "app"/ ],
		[ 1, 'ids', 'wrong', qr/password authentication failed for user "\*+"/ ],
		[ 3, 'bare', 'gid_client', qr/schema "gid" does not exist/ ],
		[ 3, 'absent', 'gid_client',
			qr/no pg_hba\.conf entry .*user "\*+", database "absent"/ ]);
	my $uris = join ' ', map { uri($node, @$_[ 0 .. 2 ]) } @asked;

	# No passfile.
	push @asked, [ 2, 'ids', undef, qr/no password supplied/ ];
	$uris .= ' postgresql://gid_client@' . name_of(2) . '?passfile=/nowhere';
	($out, $err) = as_role($node, 'desk', 'postgres',
		"LOAD 'gid'; SET gid.authorities = '$uris'; SELECT gid_next_gdid('app.closed')");

	error_like($err, '08001', 'when every authority refuses: 08001',
		text => qr/could not get a block of sequence "app.closed" from any authority/);
	my ($detail) = $err =~ /^DETAIL:  (.*?)^HINT:/ms;
	my @lines = split /\n/, $detail // '';

	is(scalar(@lines), scalar(@asked), 'the detail has a line for each');
	foreach my $i (0 .. $#asked)
	{
		my ($n, $db, undef, $said) = @{ $asked[$i] };

		like($lines[$i], qr/^\Q@{[name_of($n, $db)]}\E: .*$said/, "line $i");
	}
	unlike($err, qr/gid_client|pass_|nowhere/,
		'and names no role of the authority and no passfile');

	# One that refuses is not passed over.
	$authorities[0]->safe_psql('ids',
		'GRANT USAGE ON SEQUENCE app.closed TO gid_client');
	($out, $err) = as_role($node, 'desk', 'app_owner',
		"SELECT gid_next_gdid('app.closed')");
	is($out, '0:1:1', 'when the right is there the next call draws');

	# Where one refuses the next one gives.
	$authorities[0]
	  ->safe_psql('ids', 'REVOKE USAGE ON SEQUENCE app.quiet FROM gid_client');
	($out, $err) = as_role($node, 'desk', 'app_user',
		"SELECT gid_extract_gdid_authority(gid_next_gdid('app.quiet'))");
	is($out, 2, 'where one refuses the next one gives');
	$authorities[0]
	  ->safe_psql('ids', 'GRANT USAGE ON SEQUENCE app.quiet TO gid_client');
	return;
}

# --- 5. DecimalIds -------------------------------------------------------

# So many DecimalIds on each client, over several connections at once.
sub take_decimals
{
	my ($each, $connections) = @_;
	my @sessions;

	foreach my $node (@clients)
	{
		foreach (1 .. $connections)
		{
			my $session = session($node, 'till', '-U', 'app_user');
			my $file = $node->basedir . '/decimal_' . @decimal_files;

			$session->send('SELECT gid_decimal_id() FROM generate_series(1, '
				  . $each / $connections
				  . ") \\g '$file'");
			push @decimal_files, $file;
			push @sessions, $session;
		}
	}
	my $errors = join '', map { ($_->answer)[1] } @sessions;

	end_session($_) for @sessions;
	return $errors;
}

sub decimals
{
	my $authority = $authorities[0];
	my ($out, $err) =
	  as_role($clients[0], 'till', 'app_user', 'SELECT gid_decimal_id()');

	error_like($err, '08001', 'without EXECUTE on the authority no generator number',
		text => qr/^DETAIL:  \Q@{[name_of(1)]}\E: permission denied for function authority_generator/m);
	$authority->safe_psql('ids',
		'GRANT EXECUTE ON FUNCTION gid.authority_generator(int) TO gid_client');
	is(take_decimals(DECIMALS / 2, 4), '', 'two clients make DecimalIds');

	# Those of the authority are of the same launch.
	push @decimal_files, $authority->basedir . '/decimal';
	$authority->safe_psql('ids',
		"SELECT gid_decimal_id() FROM generate_series(1, 1000) \\g '$decimal_files[-1]'");
	return;
}

# A crash of a client and of the authority in between.
sub decimals_after_crash
{
	my $authority = $authorities[0];
	my ($out, $err);

	kill9_server($clients[0]);
	$authority->stop('immediate');
	$clients[0]->start;

	($out, $err) =
	  as_role($clients[1], 'till', 'app_user', 'SELECT gid_decimal_id()');
	like($out, qr/^\d+$/, 'idle leases go on when the authority is down');
	append_to_file(
		$clients[1]->basedir . '/decimal', "$out\n");
	push @decimal_files, $clients[1]->basedir . '/decimal';
	($out, $err) =
	  as_role($clients[0], 'till', 'app_user', 'SELECT gid_decimal_id()');
	error_like($err, '08001', 'without one there is no DecimalId',
		text => qr/could not get a generator number of launch 65/);

	$authority->start;
	ok( defined wait_until(
			20,
			sub {
				($out, $err) = as_role($clients[0], 'till', 'app_user',
					'SELECT gid_decimal_id()');
				return $err eq '';
			}),
		'and they go on by themselves when it is back');
	append_to_file(
		$clients[0]->basedir . '/decimal', "$out\n");
	push @decimal_files, $clients[0]->basedir . '/decimal';
	is(take_decimals(DECIMALS / 2, 4), '', 'more DecimalIds after the crash');

	my $node = $clients[1];

	$node->safe_psql('judge',
		join "\n",
		'CREATE UNLOGGED TABLE made (id bigint);',
		map { "\\copy made FROM '$_'" } @decimal_files);
	is( $node->safe_psql('judge', <<'EOS'),
SELECT count(*), count(*) - count(DISTINCT id),
	count(DISTINCT gid_extract_decimal_launch(id)),
	count(DISTINCT gid_extract_decimal_generator(id)) < 40
FROM made
EOS
		2 * DECIMALS + 1002 . '|0|1|t', 'all DecimalIds of the launch are distinct');
	return;
}

# --- 6. No authority -----------------------------------------------------

{
	my $node = $clients[0];
	my $session = session($node, 'shop', '-U', 'app_user');
	my $draws = sub {
		return "SELECT count(gid_next_gdid('app.quiet')) FROM generate_series(1, $_[0])";
	};

	# Enough for a block of some size, and what is left of it.
	$session->safe($draws->(100));
	my $left = $node->safe_psql('shop', <<'EOS');
SELECT last - next + 1 FROM gid.stat_sequences WHERE sequence = 'app.quiet'::regclass
EOS

	$_->stop('immediate') for @authorities;
	cmp_ok($left, '>', 1, 'a block is cached');
	is($session->safe($draws->($left)),
		$left, 'and goes on being served without any authority');

	my $start = monotonic();
	my ($out, $err) = $session->query($draws->(100_000));
	my $took = monotonic() - $start;

	push @said, $err;
	error_like($err, '08001', 'then there are no more ids',
		text => qr/could not get a block of sequence "app.quiet" from any authority/);
	my $lines = join "\n", map { "\Q@{[name_of($_)]}\E: .*refused.*" } 1 .. 3;

	like($err, qr/^DETAIL:  $lines\nHINT:  /m,
		'and the detail has what each authority said');
	cmp_ok($took, '<', 5, 'at once');
	($out, $err) = $session->query($draws->(1));
	push @said, $err;
	like($err, qr/^\Q@{[name_of(3)]}\E: passed over after: .*refused/m,
		'a call soon after says so, too');

	$authorities[2]->start;
	my $back = wait_until(
		20,
		sub {
			($out, $err) = $session->query(
				"SELECT gid_extract_gdid_authority(gid_next_gdid('app.quiet'))");
			push @said, $err;
			return $err eq '';
		});

	cmp_ok($back // 99, '<', 10, 'when one is back ids go on by themselves');
	is($out, 3, 'from that one');
	end_session($session);
	$authorities[$_]->start for 0, 1;
}

decimals_after_crash();
# --- 7. What the logs say ------------------------------------------------

# Where a text stands in the logs of the servers, or in what was said.
sub found
{
	my ($text) = @_;
	my @where = map { $_->name }
	  grep { slurp_file($_->logfile) =~ /\Q$text\E/ } @clients, @authorities;

	push @where, 'said' if grep { /\Q$text\E/ } @said;
	return join ' ', @where;
}

is(found($PASSWORD{$_}), '', "the password of $_ is in no log and no message")
  for sort keys %PASSWORD;

# The search finds what is there.
$_->safe_psql('postgres', "SELECT '$PASSWORD{gid_client}'")
  for @clients, @authorities;
push @said, $PASSWORD{gid_client};
is( found($PASSWORD{gid_client}),
	'client_1 client_2 authority_1 authority_2 authority_3 said',
	'where it is put there it is found');

$_->stop for @clients, @authorities;

done_testing();