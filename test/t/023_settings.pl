# The settings beyond a session: values that PostgreSQL drops leave no other value in force;
# a reload keeps what a wrong value would replace, and reaches every process of the server,
# also the logging collector, which has no shared memory; numbers of this server in a file
# that is copied, and misspelt names, are told.
#
# SQL alone cannot test this: it needs restarts, reloads, the server's processes, and
# servers with and without preload.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $URI = 'postgresql://u@localhost:1/d';
my $TRACE = 'SELECT gid_extract_trace_node(gid_trace_id())';
my $DECIMAL = 'SELECT gid_extract_decimal_launch(gid_decimal_id())';
# The manual's query for numbers that PostgreSQL reads as octal or hexadecimal.
my ($OCTAL) = slurp_file("$FindBin::RealBin/../../doc/fleet.md") =~ /^```sql\n(SELECT [^`]*? FROM pg_file_settings\n[^`]*)^```$/ms;

my $node = PostgreSQL::Test::Cluster->new('main');

$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', "autovacuum = off\ntest.round = 0\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE ROLE plain LOGIN; CREATE SEQUENCE s');

# What a statement says of what went wrong, of a role and with options of the connection.
sub error_of
{
	my ($sql, $user, $options) = @_;

	local $ENV{PGOPTIONS} = $options // '';
	# not by its input, which breaks if the server refuses the connection first
	return ($node->psql('postgres', '',
		extra_params => [ '-U', $user // $SUPERUSER, '-v', 'VERBOSITY=verbose', '-c', $sql ]))[2];
}

# Reloads, and returns when this session has seen it.
my $round = 0;

sub reload
{
	my ($session) = @_;

	gid_set($node, 'test.round', ++$round);
	$node->reload;
	wait_until(60, sub { ($session->query('SHOW test.round'))[0] eq $round }) // die 'no reload';
	return;
}

sub restart_with
{
	my (%settings) = @_;

	gid_set($node, $_, "'$settings{$_}'") for sort keys %settings;
	$node->restart;
	return;
}

foreach my $preload ('', 'gid')
{
	my $with = $preload eq '' ? 'without preload' : 'with preload';

	# A value of the database, stored while no library was there to check it.
	restart_with(shared_preload_libraries => '', 'gid.launch_id' => 65, 'gid.node_no' => 7, 'gid.node_first' => 300);
	$node->safe_psql('postgres', "ALTER DATABASE postgres SET gid.launch_id = '66x'");
	restart_with(shared_preload_libraries => $preload);

	# --- 1. Values that are dropped --------------------------------------

	error_like(error_of("SET client_min_messages = error; $DECIMAL"), '55000', "$with: a wrong launch of the database is not the server's",
		text => qr/the value of "gid\.launch_id" was refused/);
	is($node->safe_psql('postgres', "SET client_min_messages = error; SET gid.launch_id = 66; $DECIMAL"), 66, "$with: a right one of the session counts");
	$node->safe_psql('postgres', 'SET client_min_messages = error; ALTER DATABASE postgres RESET gid.launch_id');

	# Wrong in the file: PostgreSQL's default would be in force.
	restart_with('gid.node_authority' => 'nonsense', 'gid.authority' => 16, 'gid.authorities' => 'nonsense',
		'gid.node_first' => 70000, 'gid.launch_id' => '66x');
	error_like(error_of($_), '55000', "$with: a wrong value in the file is no default: $_")
	  for $TRACE, "SELECT * FROM gid.authority_block('public', 's', 1)", "SELECT gid_next_gdid('public', 's')",
	  "SELECT * FROM gid.authority_node(gen_random_uuid(), NULL, NULL, now(), now() + interval '1 min', 1023)", $DECIMAL;
	like(slurp_file($node->logfile), qr/invalid value for parameter "gid.launch_id": "66x"/, "$with: the log tells it");

	# Given by a role that may not: the server's value would be hidden, or the role's in
	# force.  Under preload the server refuses the connection.
	restart_with('gid.node_authority' => '', 'gid.authority' => 1, 'gid.authorities' => '', 'gid.node_first' => 300,
		'gid.launch_id' => 65);
	my $no = $preload ? qr/FATAL:.*(cannot be changed now|permission denied)/ : qr/ERROR:  55000/;

	like(error_of($TRACE, 'plain', '-c gid.node_no=8'), $no, "$with: a node_no of a role is not taken");
	like(error_of($DECIMAL, 'plain', '-c gid.launch_id=66'), $no, "$with: nor a launch");
	restart_with('gid.node_authority' => $URI);
	like(error_of($TRACE, 'plain', '-c gid.node_authority='), $no, "$with: nor no authority beside a node_no");
	restart_with('gid.node_authority' => '');

	# --- 2. A reload of a wrong value ------------------------------------

	my $session = session($node, 'postgres');

	is($session->safe($TRACE), 7, "$with: a session has the number");
	gid_set($node, 'gid.node_no', 70000);
	reload($session);
	is($session->safe($TRACE), 7, "$with: a session keeps what it has");
	$preload eq '' ? error_like(error_of($TRACE), '55000', "$with: a new session has none") :
	  is($node->safe_psql('postgres', $TRACE), 7, "$with: so does a new one");
	gid_set($node, 'gid.node_no', 8);
	reload($session);
	is($session->safe($TRACE), 8, "$with: until it is right");
	is($node->safe_psql('postgres', $OCTAL), '', "$with: the manual's query finds no number that is read otherwise");
	gid_set($node, 'gid.node_no', '011');
	reload($session);
	is($session->safe($TRACE), 9, "$with: a number with a zero in front is octal");
	like($node->safe_psql('postgres', $OCTAL), qr/\/postgresql\.conf\|\d+\|gid\.node_no\|011\z/, "$with: the query finds it");
	$node->adjust_conf('postgresql.conf', 'gid.node_no', 8);
	reload($session);

	# --- 3. Numbers of this server in a file that is copied ---------------

	my $offset = -s $node->logfile;
	my $warning = qr/LOG:  gid\.node_no is set in postgresql\.auto\.conf\n/;

	$session->safe('ALTER SYSTEM SET gid.node_no = 9');
	reload($session);
	is($session->safe($TRACE), 9, "$with: a number of ALTER SYSTEM counts");
	end_session($session);
	is(error_of($TRACE), '', "$with: no client is warned") for 1, 2;
	ok(defined wait_until(60, sub { log_count($node, $warning, $offset) == 1 }), "$with: the log warns");
	$node->safe_psql('postgres', "LOAD 'gid'; ALTER SYSTEM RESET gid.node_no");

	# --- 4. A misspelt name ----------------------------------------------

	my $name = qr/invalid configuration parameter name "gid\.nod_no"/;

	$offset = -s $node->logfile;
	restart_with('gid.nod_no' => 1);
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

# A postgres without shared memory loads the library.
command_like([ 'postgres', '-C', 'shared_memory_size', '-D', $primary->data_dir ], qr/^\d+$/, 'postgres -C loads the library');

done_testing();
