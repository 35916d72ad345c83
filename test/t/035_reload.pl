# Reloads while every kind of server process runs: the library is preloaded, so
# each of them reads gid's settings, also the logging collector, which has no
# shared memory. A reload kills none of them, and what it sets is in force for
# sessions that wait, although all other sessions are idle.
#
# SQL alone cannot test this: it needs the server's processes, reloads under
# load, and servers that run without a postmaster.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant RELOADS => 100;

# The settings of the configuration, with two values each: every second reload
# sets the same ones.
my %VALUES = (
	'gid.node_no' => [ 1, 2 ],
	'gid.launch_id' => [ 65, 66 ],
	'gid.shard_key' => [ 7, 8 ],
	'gid.authority' => [ 0, 1 ],
	'gid.authorities' => [ '', 'postgresql://u@localhost:1/d postgresql://u@localhost:2/d' ],
	'gid.decimal_authority' => [ '', 'postgresql://u@localhost:1/d' ],
	'gid.node_authority' => [ '', 'postgresql://u@localhost:1/d' ],
	'gid.node_lease' => [ '1min', '2min' ],
	'gid.node_max' => [ 1023, 1022 ],
	'gid.node_first' => [ 256, 257 ],
	'gid.node_lease_max' => [ '5min', '6min' ],
	'gid.max_block_size' => [ 1000, 2000 ],
	'gid.reservation_standbys' => [ 0, 1 ],
	'gid.reservation_wait' => [ '-1', '10s' ],
	'gid.timeline_skip' => [ '-1', 100 ]);

# What all servers of this test have: processes of every kind, and one file of
# the log for each reload, which the logging collector opens when it has read
# the configuration.
my $CONF = <<'EOC';
shared_preload_libraries = 'gid'
logging_collector = on
log_filename = 'reload_0.log'
autovacuum = on
autovacuum_naptime = 1s
EOC

# A standby archives, too, so that it has an archiver.
my $primary = gid_node('primary', $CONF, allows_streaming => 1);

$primary->append_conf('postgresql.conf', "archive_mode = always\narchive_command = 'true'\n");
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE SEQUENCE s');
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# Everything that a server has logged.
sub log_of
{
	my ($node) = @_;

	return join '', map { slurp_file($_) } $node->logfile, glob($node->data_dir . '/log/*');
}

# The file has the name of the reload, so it is there when the logging
# collector has read the configuration.
sub reload
{
	my ($node, $round) = @_;
	my $file = 'reload_' . $round . '.log';

	PostgreSQL::Test::Utils::append_to_file($node->data_dir . '/postgresql.conf',
		join "\n", "log_filename = '$file'",
		(map { "$_ = '$VALUES{$_}[$round % 2]'" } sort keys %VALUES), '');
	$node->reload;
	return defined wait_until(30, sub { -e $node->data_dir . "/log/$file" });
}

# The processes of a server but for its sessions, which come and go.
sub processes_of
{
	my ($node) = @_;

	return $node->safe_psql('postgres', <<'EOS');
SELECT string_agg(backend_type || ' ' || pid, ', ' ORDER BY backend_type, pid)
FROM pg_stat_activity WHERE backend_type IN ('archiver', 'autovacuum launcher', 'background writer',
	'checkpointer', 'startup', 'walreceiver', 'walsender', 'walwriter')
EOS
}

# The logging collector: a child that is not in pg_stat_activity. Other children
# come and go meanwhile.
sub collector_of
{
	my ($node) = @_;
	my ($pid) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @loggers = grep { (eval { slurp_file("/proc/$_/cmdline") } // '') =~ /logger/ } server_children($pid);

	return "@loggers";
}

# --- 1. Reloads under load -----------------------------------------------

{
	my @nodes = ($primary, $standby);
	my %before = map { $_->name => processes_of($_) . collector_of($_) } @nodes;
	my $clients = start_clients($primary, 'postgres', 3,
		"SELECT gid_next('s'), gid_uuid_v7(), gid_uuid_shard(), gid_snowflake_id(0)"
		  . ' FROM generate_series(1, 20);' x 5);
	my $read = 0;

	like($before{primary}, qr/archiver.*autovacuum launcher.*checkpointer.*walsender/, 'the primary has its processes');
	like($before{standby}, qr/archiver.*checkpointer.*startup.*walreceiver/, 'and so has the standby');
	foreach my $round (1 .. RELOADS)
	{
		foreach my $node (@nodes)
		{
			$read++ if reload($node, $round);
		}
	}
	stop_clients($clients);
	is($read, 2 * RELOADS, 'the logging collector has read each configuration');
	foreach my $node (@nodes)
	{
		none($node->name . ': no process has died',
			grep { /was terminated by signal|exited with exit code|TRAP:|PANIC:/ } split /\n/, log_of($node));
		is(processes_of($node) . collector_of($node), $before{ $node->name },
			$node->name . ': the processes are the same');
	}
}
$standby->stop;

# --- 2. Whom a reload reaches ---------------------------------------------

# A session waits, and the others are idle: the server's own processes make the
# numbers known.
foreach my $name ('gid.reservation_standbys', 'gid.reservation_wait')
{
	my ($control, $waiter) = map { session($primary, 'postgres') } 1 .. 2;

	gid_set($primary, 'gid.reservation_standbys', 1);
	gid_set($primary, 'gid.reservation_wait', -1);
	$primary->reload;
	ok(defined wait_until(30, sub { $control->safe('SELECT standbys_wanted FROM gid.stat_failover') eq '1' }),
		'a standby is wanted');
	$waiter->send('SELECT gid_forget(\'s\'), gid_next(\'s\') > 0');
	ok(defined wait_until(30, sub { $control->safe('SELECT sessions_waiting FROM gid.stat_failover') eq '1' }),
		'a session waits');
	gid_set($primary, $name, 0);
	$primary->reload;
	is(($waiter->answer)[0], '|t', "a reload of $name ends its wait, while the others are idle");
	end_session($_) for $control, $waiter;
}

# --- 3. Without a postmaster ----------------------------------------------

$primary->stop;
{
	my $postgres = pg_config_of('pg_config', 'bindir') . '/postgres';
	my @data = ('-D', $primary->data_dir);

	command_like([ $postgres, '-C', 'shared_memory_size', @data ], qr/^\d+$/,
		'postgres -C loads the library');
	command_ok([ $postgres, '--describe-config' ], 'postgres --describe-config');

	my ($out, $err) = ('', '');
	my $good = IPC::Run::run([ $postgres, '--single', @data, '-c', 'gid.reservation_standbys=0', 'postgres' ],
		'<', \"SELECT gid_next('s') > 0 AS drawn\n", '>', \$out, '2>', \$err);

	ok($good, 'a server for a single user');
	like($out, qr/drawn = "t"/, 'draws') or diag("got: $out$err");
}

done_testing();
