# The settings beyond a session: a server without numbers makes no id that needs
# one, a primary and its standby with numbers of their own make none twice; what is
# refused when the server or a session starts, what a reload keeps, what a misspelt
# name shows; and that CREATE EXTENSION says nothing.
#
# SQL alone cannot test this: it needs a standby, restarts, reloads and servers
# with and without preload.

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# A server on which nothing of gid is set.
sub bare_node
{
	my ($name, %init) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(%init);
	$node->append_conf('postgresql.conf', "autovacuum = off\n");
	return $node;
}

# What a statement answers, and what it says beside, in a session of its own.
sub said
{
	my ($node, $sql, %options) = @_;
	my ($rc, $out, $err) = $node->psql($options{db} // 'postgres', $sql,
		extra_params => [ '-v', 'VERBOSITY=verbose' ],
		connstr => $node->connstr($options{db} // 'postgres')
		  . " user=" . ($options{user} // 'postgres'));

	return ($out, $err);
}

sub fails_with
{
	my ($node, $sql, $text, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($out, $err) = said($node, $sql);

	return error_like($err, '55000', $name, text => $text);
}

# --- 1. A primary and its standby ----------------------------------------

my $primary = bare_node('primary', allows_streaming => 1);

$primary->start;
$primary->safe_psql('postgres', "CREATE EXTENSION gid; CREATE SEQUENCE s");
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;
my $UNSET = qr/gid\.node_no is not set\nDETAIL:.*\nHINT:(?!.*ALTER SYSTEM).*postgresql\.conf.*pg_reload_conf/;

fails_with($primary, 'SELECT gid_trace_id()', $UNSET, 'a primary without a number makes no TraceId');
fails_with($standby, 'SELECT gid_trace_id()', $UNSET, 'nor does its standby');
fails_with($primary, "SELECT $_", qr/gid\.authority is not set/, "no $_ without a number")
  for "gid_next_gdid('s')", "gid_next_gdids('s', 2)", "gid.authority_block('public', 's', 2)";
is($primary->safe_psql('postgres', 'SELECT is_called FROM s'), 'f', 'nothing was reserved');
is($standby->safe_psql('postgres', 'SELECT gid_uuid_v7() IS NOT NULL AND gid_uuid_shard(1) IS NOT NULL'),
	't', 'what needs no number is made');

# With numbers of their own: the same seconds, and no equal id.
gid_set($primary, 'gid.node_no', 1);
gid_set($standby, 'gid.node_no', 2);
$_->reload for $primary, $standby;
my @session = map { [ $_, session($_, 'postgres') ] } $primary, $standby;

ok(defined wait_until(10, sub { $_->[1]->safe('SHOW gid.node_no') ne '' }), 'a reload sets a number')
  for @session;
seen_tables($primary, 'postgres', 'trace');
my $round = 0;

# The ids of one may lead those of the other for some seconds after the restarts.
ok(defined wait_until(60, sub {
		load_file($primary, 'postgres', 'trace', ++$round, map { take(@$_, 'trace', 20000) } @session);
		return $primary->safe_psql('postgres', <<'EOS') >= 3;
SELECT count(*) FROM (SELECT FROM seen_trace GROUP BY id >> 38
	HAVING count(DISTINCT gid_extract_trace_node(id)) = 2) AS s
EOS
	}), 'both have made TraceIds of the same seconds');
end_session($_->[1]) for @session;
check_growing($primary, 'postgres', 'trace', 0, 'primary and standby together');
$standby->stop;
$primary->stop;

# --- 2. What is refused, and what a reload keeps -------------------------

my $node = bare_node('main', allows_streaming => 1);
my $NUMBER = 'is outside the valid range for parameter';
my $URI = q{'postgresql://u@localhost:1/d'};
my $ASK = "gid.authority_node(gen_random_uuid(), NULL, NULL, now, now + '1 min', 1023)"
  . " FROM date_trunc('second', now()) AS now";

# Each setting: a wrong value, what the log says of it, a value, and what needs it.
my %SETTINGS = (
	'gid.node_no' => [ 70000, qr/70000 $NUMBER "gid.node_no" \(-1 \.\. 65535\)/, 7, 'gid_trace_id()' ],
	'gid.authority' => [ 16, qr/16 $NUMBER "gid.authority" \(-1 \.\. 15\)/, 7, "gid.authority_block('public', 's', 1)" ],
	'gid.node_first' => [ 65536, qr/65536 $NUMBER "gid.node_first" \(0 \.\. 65535\)/, 7, $ASK ],
	'gid.node_max' => [ -1, qr/-1 $NUMBER "gid.node_max" \(0 \.\. 65535\)/, 7, 'gid_trace_id()' ],
	'gid.node_lease' => [ 9, qr/9 s $NUMBER "gid.node_lease" \(10 s? ?\.\. 3600/, "'15s'", 'gid_snowflake_id()' ],
	'gid.node_lease_max' => [ "'2d'", qr/172800 s $NUMBER "gid.node_lease_max" \(10 s? ?\.\. 86400/, "'15s'", $ASK ],
	'gid.reservation_standbys' => [ 101, qr/101 $NUMBER "gid.reservation_standbys" \(0 \.\. 100\)/, 0, "gid_next('s')" ],
	'gid.reservation_wait' => [ 3601, qr/3601 s $NUMBER "gid.reservation_wait" \(-1 s? ?\.\. 3600/, "'7s'", "gid_next_many('s', 2)" ],
	'gid.launch_id' => [ "'66x'", qr/parameter "gid.launch_id": "66x".*\n.*whole number from 0 to 99999/, 7, 'gid_decimal_id()' ],
	'gid.shard_key' => [ "'-1'", qr/parameter "gid.shard_key": "-1".*\n.*whole number from 0 to 4294967295/, 7, 'gid_uuid_shard()' ],
	'gid.max_block_size' => [ 0, qr/parameter "gid.max_block_size": "0".*\n.*whole number from 1 to 65536/, 7, "gid_next('s')" ],
	'gid.timeline_skip' => [ "'-2'", qr/parameter "gid.timeline_skip": "-2".*\n.*whole number from -1 to 2147483647/, 7, "gid_next_many('s', 2)" ],
	'gid.authorities' => [ "'no'", qr/parameter "gid.authorities"\n.*libpq connection URIs/, "''", "gid_next_gdid('s')" ],
	'gid.decimal_authority' => [ "'no'", qr/parameter "gid.decimal_authority"\n.*libpq connection URIs/, "''", 'gid_decimal_id()' ],
	'gid.node_authority' => [ "'no'", qr/parameter "gid.node_authority"\n.*libpq connection URIs/, "''", 'gid_trace_id()' ]);

# Settings whose wrong values do not hide each other, after what these need.
my @ROUNDS = (
	[ {}, qw(gid.node_no gid.authority gid.node_first gid.reservation_standbys gid.launch_id gid.shard_key gid.authorities) ],
	[ { 'gid.launch_id' => 65 }, qw(gid.node_authority gid.node_lease_max gid.reservation_wait gid.decimal_authority) ],
	[ { 'gid.node_authority' => $URI }, qw(gid.node_max gid.max_block_size) ],
	[ {}, qw(gid.node_lease gid.timeline_skip) ]);

sub shown
{
	my ($name) = @_;

	return $node->safe_psql('postgres', "LOAD 'gid'; SHOW $name");
}

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE s;
CREATE ROLE plain LOGIN;
GRANT ALL ON SEQUENCE s TO plain;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public, gid TO plain;
EOS

# On the first timeline nothing asks for gid.timeline_skip.
$node->stop;
$node->set_standby_mode;
$node->start;
$node->promote;

foreach my $preload ('', 'gid')
{
	my $with = $preload eq '' ? 'without preload' : 'with preload';

	gid_set($node, 'shared_preload_libraries', "'$preload'");
	foreach my $round (@ROUNDS)
	{
		my ($first, @names) = @$round;
		my $offset = -s $node->logfile;

		gid_set($node, $_, $first->{$_}) for sort keys %$first;
		gid_set($node, $_, $SETTINGS{$_}[0]) for @names;
		$node->restart;
		foreach my $name (@names)
		{
			error_like((said($node, "SELECT $SETTINGS{$name}[3]", user => 'plain'))[1], '55000',
				"$with: a bad $name is not another one", text => qr/the value of "\Q$name\E" was refused/);
			is(shown($name), $name =~ /lease|wait/ ? -2 : '(refused)', "$with: how $name is shown");
			cmp_ok(log_count($node, qr/WARNING:.*$SETTINGS{$name}[1]/, $offset), '>=', 1, "$with: the log names the range of $name");
		}
		gid_set($node, $_, $SETTINGS{$_}[2]) for @names;
		$node->reload;
		foreach my $name (@names)
		{
			my $good = $SETTINGS{$name}[2] =~ s/'//gr;

			ok(defined wait_until(10, sub { shown($name) eq $good }), "$with: a reload corrects $name");
		}
	}
	gid_set($node, 'gid.node_authority', "''");
	gid_set($node, $_, "''") for 'gid.launch_id', 'gid.shard_key';
	gid_set($node, $_, -1) for 'gid.node_no', 'gid.authority', 'gid.timeline_skip', 'gid.reservation_wait';

	# A reload of a wrong value: sessions that know gid keep what they have.
	gid_set($node, 'gid.node_no', 7);
	gid_set($node, 'work_mem', '4MB');
	$node->restart;
	is(shown('gid.shard_key'), '', "$with: an empty string unsets a setting");
	is(shown('gid.authority'), '', "$with: and -1 a number of the server");
	fails_with($node, "SELECT gid_next_gdid('s')", qr/gid\.authority is not set/, "$with: which is then needed");
	my $session = session($node, 'postgres');
	my $offset = -s $node->logfile;

	is($session->safe('SELECT gid_extract_trace_node(gid_trace_id())'), 7, "$with: a session has the number");
	gid_set($node, 'gid.node_no', 70000);
	gid_set($node, 'work_mem', '5MB');
	$node->reload;
	ok(defined wait_until(10, sub { $session->safe('SHOW work_mem') eq '5MB' }), "$with: the session has seen the reload");
	is($session->safe('SELECT gid_extract_trace_node(gid_trace_id())'), 7, "$with: and keeps the number");
	if ($preload eq '')
	{
		fails_with($node, 'SELECT gid_trace_id()', qr/was refused/, "$with: a new session has none");
	}
	else
	{
		is($node->safe_psql('postgres', 'SELECT gid_extract_trace_node(gid_trace_id())'), 7, "$with: so does a new one");
		is(log_count($node, qr/LOG:  $SETTINGS{'gid.node_no'}[1]/, $offset), 1, "$with: the log says it");
	}
	is($node->safe_psql('postgres', "LOAD 'gid'; SELECT count(*) FROM pg_file_settings WHERE name = 'gid.node_no' AND error IS NOT NULL"),
		1, "$with: pg_file_settings shows it");
	gid_set($node, 'gid.node_no', 8);
	$node->reload;
	ok(defined wait_until(10, sub { $session->safe('SELECT gid_extract_trace_node(gid_trace_id())') eq '8' }),
		"$with: until it is right");
	end_session($session);
}

# A database's, stored while no library was there to check it, over a valid one.
# settings_stored.sql has the same without preload.
gid_set($node, 'gid.launch_id', 65);
gid_set($node, 'shared_preload_libraries', "''");
$node->restart;
$node->safe_psql('postgres', "ALTER DATABASE postgres SET gid.launch_id = '66x'");
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;
like((said($node, 'SELECT gid_decimal_id()', user => 'plain'))[1],
	qr/WARNING:  invalid value for parameter "gid\.launch_id": "66x"\nDETAIL:.*0 to 99999(?s:.*)55000: the value of "gid\.launch_id" was refused/,
	"a wrong launch of the database is not the server's");
{
	# or the warning at the start would be taken for a failure
	local $ENV{PGOPTIONS} = '-c client_min_messages=error';
	my $session = session($node, 'postgres');

	gid_set($node, 'work_mem', '6MB');
	$node->reload;
	ok(defined wait_until(10, sub { ($session->query('SHOW work_mem'))[0] eq '6MB' }), 'a reload');
	like(($session->query('SELECT gid_decimal_id()'))[1], qr/was refused/, "does not bring the server's");
	end_session($session);
}
$node->safe_psql('postgres', 'ALTER DATABASE postgres SET gid.launch_id = 66');
is((said($node, 'SELECT gid_extract_decimal_launch(gid_decimal_id())', user => 'plain'))[0], 66,
	"a right launch of the database goes before the server's");
$node->safe_psql('postgres', "ALTER DATABASE postgres RESET gid.launch_id; ALTER SEQUENCE gid.decimal_generator RESTART");

# --- 2a. Values that a role gives when it connects -----------------------

# The server drops them when it loads the library, and the values of the server with
# them.  Neither a default nor the role's value is in force, for this session and for
# others, and not in a parallel worker.
{
	my $worker = $node->safe_psql('postgres',
		"SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");
	my %server = ('gid.node_no' => 7, 'gid.authority' => 1, 'gid.node_first' => 300, 'gid.node_max' => 500,
		'gid.node_lease' => 70, 'gid.node_lease_max' => 200, 'gid.reservation_standbys' => 1,
		'gid.launch_id' => 65, 'gid.max_block_size' => 100, 'gid.timeline_skip' => 100);
	my $refused = sub {
		my (@given) = @_;

		foreach my $given (@given)
		{
			my ($name) = $given =~ /^(.*?)=/;

			local $ENV{PGOPTIONS} = "-c $given -c statement_timeout=5s";
			error_like((said($node, "SELECT $SETTINGS{$name}[3]", user => 'plain'))[1], '55000',
				"$given of a plain role", text => qr/the value of "\Q$name\E" was refused/);
		}
		return;
	};

	foreach my $preload ('gid', '')
	{
		gid_set($node, 'shared_preload_libraries', "'$preload'");
		gid_set($node, $_, $server{$_}) for sort keys %server;
		gid_set($node, 'gid.reservation_wait', -1);
		$node->restart;
		next if $preload eq '';
		foreach my $name (sort keys %SETTINGS)
		{
			next if $name eq 'gid.shard_key';
			local $ENV{PGOPTIONS} = "-c $name=" . $SETTINGS{$name}[2] =~ s/'//gr;
			my $err;

			run([ 'psql', '-XAtc', 'SELECT 1', $node->connstr('postgres') . ' user=plain' ], '2>', \$err);
			like($err, qr/FATAL:.*(?:cannot be changed now|permission denied to set parameter) ?"?/,
				"with preload nobody connects with $name");
		}
	}
	$refused->(qw(gid.node_no=8 gid.authority=2 gid.node_first=0 gid.node_lease_max=10 gid.launch_id=66
		  gid.reservation_standbys=0 gid.reservation_standbys= gid.reservation_wait=0
		  gid.max_block_size=1 gid.max_block_size= gid.timeline_skip=0));
	{
		local $ENV{PGOPTIONS} = '-c gid.reservation_standbys=0';
		is((said($node, 'SELECT standbys_wanted FROM gid.stat_failover'))[0], '', 'the view does not show the default');
	}
	is($node->safe_psql('postgres', 'SELECT standbys_wanted FROM gid.stat_failover'), 1, 'other sessions want a standby');
	{
		local $ENV{PGOPTIONS} = '-c statement_timeout=2s';
		error_like((said($node, "SELECT gid_next('s')"))[1], '57014', 'and wait for it', no_detail => 1, no_hint => 1);
	}
	gid_set($node, 'gid.node_authority', $URI);
	$node->restart;
	$refused->(qw(gid.node_max=1023 gid.node_lease=3600 gid.node_authority=),
		map { "$_ -c $worker=on -c parallel_leader_participation=off" } qw(gid.node_max=1023 gid.node_authority=));

	# A reload brings what counts for the server.
	{
		local $ENV{PGOPTIONS} = '-c gid.node_max=1023 -c client_min_messages=error';
		my $session = session($node, 'postgres');

		is(($session->query("LOAD 'gid'; SHOW gid.node_max"))[0], '(refused)', 'gid.node_max is refused');
		$node->reload;
		ok(defined wait_until(10, sub { ($session->query('SHOW gid.node_max'))[0] eq '500' }),
			"until a reload brings the server's");
		end_session($session);
	}
	gid_set($node, $_, "''") for 'gid.launch_id', 'gid.node_authority';
	gid_set($node, $_, -1) for 'gid.node_no', 'gid.authority', 'gid.timeline_skip';
	gid_set($node, 'gid.reservation_standbys', 0);
	$node->restart;
}

# --- 2b. Numbers of this server in a file that is copied ----------------

foreach my $preload ('', 'gid')
{
	my $with = $preload eq '' ? 'without preload' : 'with preload';
	my $offset = -s $node->logfile;

	# How often the log has warned of the two numbers.
	my $warnings = sub {
		return join ' ', map {
			log_count($node, qr/WARNING:  \Q$_\E is set in postgresql\.auto\.conf\n.*DETAIL:.*\n.*HINT:.*ALTER SYSTEM RESET \Q$_\E/, $offset)
		} 'gid.node_no', 'gid.authority';
	};
	# A reload that this session sees, as soon as it is there.
	my $reload = sub {
		my ($session, $sql) = @_;

		$session->safe($sql);
		gid_set($node, 'test.round', ++$round);
		$node->reload;
		return defined wait_until(30, sub { $session->safe('SHOW test.round') eq $round });
	};
	my $warns = sub {
		my ($times, $name) = @_;

		wait_until(10, sub { $warnings->() eq $times });
		is($warnings->(), $times, "$with: $name");
	};

	gid_set($node, 'shared_preload_libraries', "'$preload'");
	gid_set($node, 'gid.node_no', 7);
	gid_set($node, 'test.round', 0);
	$node->restart;
	my $session = session($node, 'postgres');

	$session->safe('SELECT gid_trace_id()');
	$reload->($session, 'SELECT 1');
	$warns->('0 0', 'a number in postgresql.conf is fine');
	is($session->safe('SHOW gid.node_no'), 7, "$with: and in force");
	$reload->($session, "ALTER SYSTEM SET gid.node_no = 8; ALTER SYSTEM SET gid.authority = -1");
	is($session->safe('SHOW gid.node_no'), 8, "$with: that of ALTER SYSTEM goes before it");
	$warns->('1 0', 'the log warns of it');
	$reload->($session, 'ALTER SYSTEM SET gid.authority = 1');
	$warns->('1 1', 'of each number once');
	is((said($node, 'SELECT gid_extract_trace_node(gid_trace_id())'))[1], '', "$with: no client is warned");
	$reload->($session, 'SELECT 1');
	end_session($session);
	$warns->('1 1', 'not again at a reload');
	$node->restart;
	is((said($node, 'SELECT gid_extract_trace_node(gid_trace_id())'))[1], '', "$with: nor is one after a restart");
	$warns->('2 2', 'the log warns again');

	# No session sees this reload, and the next one is new.
	$node->safe_psql('postgres', "LOAD 'gid'; ALTER SYSTEM RESET gid.node_no; ALTER SYSTEM RESET gid.authority");
	$node->reload;
	ok(defined wait_until(30, sub {
			$node->safe_psql('postgres', 'SELECT gid_extract_trace_node(gid_trace_id())') eq '7' }), "$with: it is reset");
	$node->safe_psql('postgres', "LOAD 'gid'; ALTER SYSTEM SET gid.node_no = 9");
	$node->reload;
	ok(defined wait_until(30, sub {
			$node->safe_psql('postgres', 'SELECT gid_extract_trace_node(gid_trace_id())') eq '9' }), "$with: and set again");
	$warns->('3 2', 'which the log notices');
	$node->safe_psql('postgres', "LOAD 'gid'; ALTER SYSTEM RESET gid.node_no");
	gid_set($node, 'gid.node_no', -1);
	$node->restart;
}

# --- 3. A misspelt name --------------------------------------------------

my $NAME = qr/invalid configuration parameter name "gid\.nod_no"/;

foreach my $preload ('', 'gid')
{
	my $with = $preload eq '' ? 'without preload' : 'with preload';

	gid_set($node, 'shared_preload_libraries', "'$preload'");
	gid_set($node, 'gid.nod_no', 1);
	my $offset = -s $node->logfile;

	$node->restart;
	my $err = (said($node, 'SELECT gid_uuid_v7() IS NOT NULL'))[1];

	like($err, $preload eq '' ? qr/WARNING:  \w+: $NAME/ : qr/\A\z/, "$with: without preload each session tells it");
	cmp_ok(log_count($node, $NAME, $offset), '>=', 1, "$with: the log tells it");
	$offset = -s $node->logfile;
	$node->reload;
	ok(defined wait_until(10, sub { log_count($node, $preload eq '' ? qr/received SIGHUP/ : qr/LOG:  $NAME/, $offset) }),
		"$with: a reload" . ($preload eq '' ? '' : ' tells it again'));
	is($node->safe_psql('postgres', "LOAD 'gid'; SELECT count(*) FROM pg_file_settings WHERE name = 'gid.nod_no' AND error IS NOT NULL"),
		1, "$with: pg_file_settings shows it");
	$node->adjust_conf('postgresql.conf', 'gid.nod_no', undef);
	$node->restart;
}

# --- 4. CREATE EXTENSION -------------------------------------------------

# A dump and its restore say nothing: the numbers come with it.
gid_set($node, 'gid.launch_id', 65);
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;
$node->safe_psql('postgres', 'DROP EXTENSION IF EXISTS gid; CREATE EXTENSION gid; SELECT gid_decimal_id(); CREATE DATABASE restored');
my $dump = $node->basedir . '/dump.sql';

command_ok([ 'pg_dump', '-f', $dump, $node->connstr('postgres') ], 'a dump');
my ($out, $err) = ('', '');

run([ 'psql', '-XAtq', '-f', $dump, $node->connstr('restored') ], '>', \$out, '2>', \$err);
is($err, '', 'is restored without a word');
is($node->safe_psql('restored', 'SELECT last_value FROM gid.decimal_generator'), 65 * 100000, 'with its numbers');

$node->safe_psql('postgres', 'DROP EXTENSION gid');

# Shared memory that cannot be had is no reason to fail.
SKIP:
{
	my $library = abs_path($node->basedir) . '/oldshmem.so';

	skip 'no C compiler', 1
	  unless run([ 'cc', '-shared', '-fPIC', '-O1', '-I' . `pg_config --includedir-server` =~ s/\n//r, '-o',
			$library, "$FindBin::RealBin/oldshmem.c" ]);
	gid_set($node, 'shared_preload_libraries', "'$library'");
	$node->restart;
	my ($out, $err) = said($node, 'CREATE EXTENSION gid');

	is($err, '', 'without shared memory CREATE EXTENSION says nothing');
	is($node->safe_psql('postgres', "SELECT count(*) FROM pg_extension WHERE extname = 'gid'"), 1, 'the extension is there');
	($out, $err) = said($node, 'SELECT gid_uuid_v7()');
	error_like($err, '55000', 'although no id is made', text => qr/another version of gid/);
}

foreach my $any ($primary, $standby, $node)
{
	is(log_count($any, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, $any->name . ': nothing has crashed');
}
$node->stop;
done_testing();
