# The settings beyond a session: values that PostgreSQL drops leave no other value in force;
# a reload keeps what a wrong value would replace, and reaches every process of the server,
# also the logging collector, which has no shared memory; numbers of this server in a file
# that is copied, and misspelt names, are told.
#
# SQL alone cannot test this: it needs restarts, reloads, the server's processes, and
# servers with and without preload, and without a postmaster.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IPC::Run qw(run);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $URI = 'postgresql://u@localhost:1/d';
my $round = 0;

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "autovacuum = off\ntest.round = 0\n");
$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE s;
CREATE ROLE plain LOGIN;
EOS

# What a statement says of what went wrong, of a role and with options of the connection.
sub error_of
{
	my ($sql, $user, $options) = @_;

	local $ENV{PGOPTIONS} = $options // '';
	return ($node->psql('postgres', $sql,
		extra_params => [ '-U', $user // $SUPERUSER, '-v', 'VERBOSITY=verbose' ]))[2];
}

# Reloads, and returns when this session has seen it.
sub reload
{
	my ($session) = @_;

	gid_set($node, 'test.round', ++$round);
	$node->reload;
	return defined wait_until(60, sub { ($session->query('SHOW test.round'))[0] eq $round });
}

# With what all parts begin.
sub restart_with
{
	my ($preload, %settings) = @_;

	gid_set($node, 'shared_preload_libraries', "'$preload'");
	gid_set($node, $_, "'$settings{$_}'") for sort keys %settings;
	$node->restart;
	return;
}

foreach my $preload ('', 'gid')
{
	my $with = $preload eq '' ? 'without preload' : 'with preload';

	# --- 1. Values that are dropped --------------------------------------

	# Wrong in the file: PostgreSQL's default would be in force.
	restart_with($preload, 'gid.node_no' => 70000, 'gid.authority' => 16, 'gid.launch_id' => '66x');
	my $offset = -s $node->logfile;

	error_like(error_of($_->[0]), '55000', "$with: a bad $_->[1] is no other one")
	  for [ 'SELECT gid_trace_id()', 'gid.node_no' ], [ "SELECT gid_next_gdid('s')", 'gid.authority' ],
	  [ 'SELECT gid_decimal_id()', 'gid.launch_id' ];
	is($node->safe_psql('postgres', 'SELECT gid_uuid_v7() IS NOT NULL AND gid_uuid_shard(1) IS NOT NULL'),
		't', "$with: what needs no number is made");
	my $log = slurp_file($node->logfile);

	like($log, $_, "$with: the log names the range")
	  for qr/70000 is outside the valid range for parameter "gid.node_no" \(-1 \.\. 65535\)/,
	  qr/invalid value for parameter "gid.launch_id": "66x"/;

	# Given by a role that may not: the server's value would be hidden, or the role's in
	# force.  Under preload the server refuses the connection.
	restart_with($preload, 'gid.node_no' => 7, 'gid.authority' => 1, 'gid.launch_id' => 65,
		'gid.node_first' => 300);
	if ($preload eq 'gid')
	{
		my $err;

		local $ENV{PGOPTIONS} = '-c gid.node_no=8';
		run([ 'psql', '-XAtc', 'SELECT 1', $node->connstr('postgres') . ' user=plain' ], '2>', \$err);
		like($err, qr/FATAL:.*cannot be changed now/, "$with: nobody connects with a number of the server");
	}
	else
	{
		error_like(error_of("SELECT $_->[0]", 'plain', "-c $_->[1]"), '55000', "$with: $_->[1] of a role is not taken")
		  for [ 'gid_trace_id()', 'gid.node_no=8' ], [ 'gid_decimal_id()', 'gid.launch_id=66' ];
		restart_with($preload, 'gid.node_authority' => $URI);
		error_like(error_of('SELECT gid_trace_id()', 'plain', '-c gid.node_authority='), '55000',
			"$with: nor no authority beside a node_no");
		restart_with($preload, 'gid.node_authority' => '');
	}

	# A database's, stored while no library was there to check it, is not the server's.
	if ($preload eq 'gid')
	{
		restart_with('');
		$node->safe_psql('postgres', "ALTER DATABASE postgres SET gid.launch_id = '66x'");
		restart_with($preload);
		error_like(error_of('SET client_min_messages = error; SELECT gid_decimal_id()'), '55000',
			'a wrong launch of the database is not the server\'s');
		$node->safe_psql('postgres', 'SET client_min_messages = error; ALTER DATABASE postgres RESET gid.launch_id');
	}

	# --- 2. A reload of a wrong value ------------------------------------

	my $session = session($node, 'postgres');
	my $trace = 'SELECT gid_extract_trace_node(gid_trace_id())';

	is($session->safe($trace), 7, "$with: a session has the number");
	gid_set($node, 'gid.node_no', 70000);
	ok(reload($session), "$with: a reload");
	is($session->safe($trace), 7, "$with: a session keeps what it has");
	$preload eq '' ? error_like(error_of($trace), '55000', "$with: a new session has none") :
	  is($node->safe_psql('postgres', $trace), 7, "$with: so does a new one");
	is($node->safe_psql('postgres', "LOAD 'gid'; SELECT count(*) FROM pg_file_settings WHERE name = 'gid.node_no' AND error IS NOT NULL"),
		1, "$with: pg_file_settings shows it");
	gid_set($node, 'gid.node_no', 8);
	ok(reload($session) && $session->safe($trace) == 8, "$with: until it is right");

	# --- 3. Numbers of this server in a file that is copied ---------------

	$offset = -s $node->logfile;
	my $warning = qr/WARNING:  gid\.node_no is set in postgresql\.auto\.conf\n/;

	$session->safe('ALTER SYSTEM SET gid.node_no = 9');
	reload($session);
	is($session->safe($trace), 9, "$with: a number of ALTER SYSTEM counts");
	is(error_of($trace), '', "$with: no client is warned");
	ok(defined wait_until(60, sub { log_count($node, $warning, $offset) == 1 }), "$with: the log warns");
	end_session($session);
	$node->restart;
	is(error_of($trace), '', "$with: nor is one after a restart");
	is(log_count($node, $warning, $offset), 2, "$with: the log warns again");
	$node->safe_psql('postgres', "LOAD 'gid'; ALTER SYSTEM RESET gid.node_no");

	# --- 4. A misspelt name ----------------------------------------------

	my $name = qr/invalid configuration parameter name "gid\.nod_no"/;

	gid_set($node, 'gid.nod_no', 1);
	$offset = -s $node->logfile;
	$node->restart;
	like(error_of('SELECT gid_uuid_v7() IS NOT NULL'), $preload eq '' ? qr/WARNING:  \w+: $name/ : qr/\A\z/,
		"$with: without preload each session tells it");
	cmp_ok(log_count($node, $name, $offset), '>=', 1, "$with: the log tells it");
	$node->adjust_conf('postgresql.conf', 'gid.nod_no', undef);
}
$node->stop;

# --- 5. A reload reaches every process, and kills none -----------------------

# Every setting, with two values: every second reload sets the same ones.
my %VALUES = (
	'gid.node_no' => [ 1, 2 ], 'gid.launch_id' => [ 65, 66 ], 'gid.shard_key' => [ 7, 8 ], 'gid.authority' => [ 0, 1 ],
	'gid.authorities' => [ '', "$URI $URI" ], 'gid.decimal_authority' => [ '', $URI ], 'gid.node_authority' => [ '', $URI ],
	'gid.node_lease' => [ '1min', '2min' ], 'gid.node_max' => [ 1023, 1022 ], 'gid.node_first' => [ 256, 257 ],
	'gid.node_lease_max' => [ '5min', '6min' ], 'gid.max_block_size' => [ 1000, 2000 ],
	'gid.timeline_skip' => [ '0', 100 ]);

# One file of the log for each reload, which the logging collector opens when it has read
# the configuration. A standby archives, too, so that it has an archiver.
my $primary = gid_node('primary', <<'EOC', allows_streaming => 1);
shared_preload_libraries = 'gid'
logging_collector = on
log_filename = 'reload_0.log'
autovacuum = on
archive_mode = always
archive_command = 'true'
EOC

$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE SEQUENCE s');
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# The processes of a server but for its sessions, which come and go. The logging collector
# is a child that is not in pg_stat_activity.
sub processes_of
{
	my ($on) = @_;
	my ($pid) = slurp_file($on->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @loggers = grep { (eval { slurp_file("/proc/$_/cmdline") } // '') =~ /logger/ } server_children($pid);

	return "@loggers " . $on->safe_psql('postgres', <<'EOS');
SELECT string_agg(backend_type || ' ' || pid, ', ' ORDER BY backend_type, pid)
FROM pg_stat_activity WHERE backend_type IN ('archiver', 'autovacuum launcher', 'background writer',
	'checkpointer', 'startup', 'walreceiver', 'walsender', 'walwriter')
EOS
}

my @nodes = ($primary, $standby);
my %before = map { $_->name => processes_of($_) } @nodes;
my $clients = start_clients($primary, 'postgres', 2,
	"SELECT gid_next('s'), gid_uuid_v7(), gid_uuid_shard(), gid_snowflake_id(0) FROM generate_series(1, 20);" x 5);
my $read = 0;

like($before{primary}, qr/archiver.*autovacuum launcher.*checkpointer.*walsender/, 'the primary has its processes');
like($before{standby}, qr/archiver.*checkpointer.*startup.*walreceiver/, 'and so has the standby');
foreach my $n (1 .. 10)
{
	foreach my $on (@nodes)
	{
		gid_set($on, $_, "'$VALUES{$_}[$n % 2]'") for sort keys %VALUES;
		gid_set($on, 'log_filename', "'reload_$n.log'");
		$on->reload;
		$read++ if defined wait_until(60, sub { -e $on->data_dir . "/log/reload_$n.log" });
	}
}
stop_clients($clients);
is($read, 20, 'the logging collector has read each configuration');
foreach my $on (@nodes)
{
	is(processes_of($on), $before{ $on->name }, $on->name . ': the processes are the same');
	none($on->name . ': no process has died',
		grep { /was terminated by signal|exited with exit code|TRAP:|PANIC:/ }
		  split /\n/, join '', map { slurp_file($_) } $on->logfile, glob($on->data_dir . '/log/*'));
}
$_->stop for $standby, $primary;

# --- 6. Without a postmaster -------------------------------------------------

my $postgres = pg_config_of('pg_config', 'bindir') . '/postgres';
my ($out, $err) = ('', '');

command_like([ $postgres, '-C', 'shared_memory_size', '-D', $primary->data_dir ], qr/^\d+$/, 'postgres -C loads the library');
run([ $postgres, '--single', '-D', $primary->data_dir, 'postgres' ],
	'<', \"SELECT gid_next('s') > 0 AS drawn\n", '>', \$out, '2>', \$err);
like($out, qr/drawn = "t"/, 'a server for a single user draws') or diag("got: $out$err");

done_testing();
