# The first reservation from a sequence on a new timeline passes over values that may have
# been handed out before: after the promotion of a standby that lags, a restore to a point
# in time, and the promotion of a primary that was rewound.  It does so once a sequence,
# and never without a new timeline.
#
# SQL alone cannot test this: it needs servers that are promoted, restored, rewound and
# killed.  unit/test_reserve.c has the arithmetic.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Blocks of one value, so that a page stands at the last value that was drawn.
my $CONF = <<'EOC';
gid.max_block_size = 1
gid.timeline_skip = 1000
wal_log_hints = on
wal_keep_size = 1GB
wal_level = replica
bgwriter_delay = 10s
EOC

# How a sequence is made, how many values are drawn before the standby stops and while it
# is away, the first value after the promotion, and how many values are passed over.
my %SEQUENCES = (
	orders => { before => 1042, lag => 10, next => 2043, skip => 1000 },
	fresh => { before => 0, lag => 3, next => 1001, skip => 1000 },
	# by what is left
	near_end => { sql => 'MAXVALUE 116', before => 20, lag => 5, next => 27, skip => 6 },
	descending => { sql => 'INCREMENT -1', before => 30, lag => 10, next => -1031, skip => 1000 },
	# the setting, in the session that draws
	none => { before => 10, lag => 0, next => 11, skip => 0, set => 0 },
	# the first reservation is a batch, or a block for another server
	batch => { before => 10, lag => 20, next => 1011, skip => 1000, call => 'many' },
	block => { before => 10, lag => 20, next => 1011, skip => 1000, call => 'block' },
	# blocks of all sizes: values are told from each other
	busy => { before => 30000, lag => 20000, size => 16384, set => 40000 });
my @NAMES = sort keys %SEQUENCES;

my $LINE = qr/LOG:  gid: sequence "\w+" passes over \d+ values on timeline \d+/;

sub values_of
{
	my ($node, $call, $sequence, $n, @settings) = @_;
	my $rows = $call eq 'next' ? " FROM generate_series(1, $n)" : '';

	return split /\n/, $node->safe_psql('postgres', join ";\n", @settings, call_sql($call, $sequence) . $rows);
}

# Draws from sequences, and notes the values with them.
sub draw
{
	my ($node, $when) = @_;

	foreach my $name (grep { $SEQUENCES{$_}{$when} } @NAMES)
	{
		my $s = $SEQUENCES{$name};

		push @{ $s->{drawn} },
		  values_of($node, 'next', $name, $s->{$when}, 'SET gid.max_block_size = ' . ($s->{size} // 1));
	}
	return;
}

# Checks that values are new, and adds them to those that were drawn.
sub new_values
{
	my ($name, $drawn, @values) = @_;
	my %seen = map { $_ => 1 } @$drawn;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	none("$name: no value comes again", grep { $seen{$_}++ } @values);
	push @$drawn, @values;
	return;
}

# The server's generator number.
sub generator
{
	return $_[0]->safe_psql('postgres', $VALUES{decimal});
}

sub standby_of
{
	my ($name, $node) = @_;
	my $standby = PostgreSQL::Test::Cluster->new($name);

	$node->backup($name);
	$standby->init_from_backup($node, $name, has_streaming => 1);
	$standby->start;
	$node->wait_for_catchup($standby);
	return $standby;
}

# --- a standby that lags -------------------------------------------------

my $primary = gid_node('primary', $CONF, allows_streaming => 1);

$primary->start;
$primary->safe_psql('postgres', join '', 'CREATE EXTENSION gid;',
	map { "CREATE SEQUENCE $_ " . ($SEQUENCES{$_}{sql} // '') . ';' } @NAMES, qw(untouched late imported));
draw($primary, 'before');
my $number = generator($primary);

# These do not lag.
$primary->safe_psql('postgres', "SELECT max(gid_next('$_')) FROM generate_series(1, 42)")
  for qw(untouched late imported);
my $standby = standby_of('standby', $primary);

# What doc/failover.md says before a switchover.
my ($predict, $confirm) = slurp_file("$FindBin::RealBin/../../doc/failover.md") =~
  /^<!-- test: run by 029_timeline -->\n```sql\n(.*?)^```$/msg;
my %predicted = map { (split /\|/)[ 1, 3 ] } split /\n/,
  $primary->safe_psql('postgres', "SELECT gid_uuid_v7() AS id \\gset\n$predict");

is($predicted{$_}, $SEQUENCES{$_}{skip}, "$_: the manual's query says how many values a promotion passes over")
  for grep { defined $SEQUENCES{$_}{skip} && !defined $SEQUENCES{$_}{set} } @NAMES;
like($primary->safe_psql('postgres', $confirm), qr/^standby\|async\|\d+$/, 'a standby that confirms nothing');
$standby->stop;
draw($primary, 'lag');
is(log_count($primary, $LINE), 0, 'nothing is passed over on the first timeline');
# The old primary is needed again, as pg_rewind likes it.
$primary->stop;
$standby->start;
$standby->promote;
foreach my $name (@NAMES)
{
	my $s = $SEQUENCES{$name};
	my $offset = -s $standby->logfile;
	my @values = values_of($standby, $s->{call} // 'next', $name, 4,
		defined $s->{set} ? "SET gid.timeline_skip = $s->{set}" : ());
	my ($count, $first, $last) = slurp_file($standby->logfile, $offset) =~
	  /gid: sequence "$name" passes over (\d+) values on timeline 2\n.*DETAIL:  The sequence was last changed on timeline 1\. Values (-?\d+) to (-?\d+) may have been handed out since, by a server that was lost\.\n/;

	is($values[0], $s->{next}, "$name: the first value") if defined $s->{next};
	is($count // 0, $s->{skip}, "$name: the log says how many values are passed over") if defined $s->{skip};
	is(abs($last - $s->{next}), 1, "$name: the last of them") if $s->{skip};
	new_values($name, $s->{drawn}, @values);
}
is($standby->safe_psql('postgres', "SELECT gid_advance('imported', 500), nextval('imported')"), '1042|1043',
	'to advance a sequence by less passes over the values');
is(generator($standby), $number + 17, '16 generator numbers are passed over');
is(log_count($standby, qr/sequence "decimal_generator" passes over 16 values/), 1, 'and the log says so');

# --- once a sequence ------------------------------------------------------

{
	my $offset = -s $standby->logfile;
	my $drawn = $SEQUENCES{fresh}{drawn};

	foreach my $how ('again', 'crash', 'restart')
	{
		kill9_server($standby) if $how eq 'crash';
		$standby->stop if $how eq 'restart';
		$standby->start unless $how eq 'again';
		my $last = $drawn->[-1];
		my @values = values_of($standby, 'next', 'fresh', 3);

		cmp_ok($values[0], '<', $last + 20, "$how: the rest of a block at most is lost");
		new_values($how, $drawn, @values);
	}
	is($standby->safe_psql('postgres', "CREATE SEQUENCE later; SELECT gid_next('later')"),
		1, 'a new sequence passes over nothing');
	is(log_count($standby, $LINE, $offset), 0, 'nothing was passed over once more');
}

# --- a reservation that is the last record before the switch ---------------

# The page's LSN is the switch point.
{
	my $third = standby_of('third', $standby);

	# It writes WAL of its own.
	kill 'STOP',
	  $standby->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'");
	$standby->safe_psql('postgres', "SELECT gid_next('late')");
	my $end = $standby->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');

	$standby->wait_for_catchup($third, 'replay', $end);
	kill9_server($standby);
	$third->promote;
	like(slurp_file($third->data_dir . '/pg_wal/00000003.history'),
		qr/^2\t\Q$end\E\t/m, 'the timeline begins at the end of a reservation');
	my $last = $third->safe_psql('postgres', 'SELECT last_value FROM late');

	is($third->safe_psql('postgres', "SELECT gid_next('late')"),
		$last + 1001, 'the page was last changed where the timeline began: values are passed over');
	$third->stop;
	$standby->start;
}

# --- the old primary is rewound, and promoted -----------------------------

{
	my $drawn = $SEQUENCES{orders}{drawn};

	$standby->safe_psql('postgres', 'CHECKPOINT');
	command_ok(
		[
			'pg_rewind', '--no-sync', '--source-server', $standby->connstr('postgres'),
			'--target-pgdata', $primary->data_dir
		],
		'pg_rewind');

	# The configuration is that of the source.
	gid_set($primary, 'port', $primary->port);
	$primary->enable_streaming($standby);
	$primary->start;
	$standby->wait_for_catchup($primary);
	$primary->stop;
	new_values('the second primary', $drawn, values_of($standby, 'next', 'orders', 10));
	kill9_server($standby);
	my $offset = -s $primary->logfile;

	$primary->start;
	$primary->promote;
	new_values('the rewound primary', $drawn, values_of($primary, 'next', 'orders', 10));
	is(log_count($primary, qr/sequence "orders" passes over \d+ values on timeline 3/, $offset), 1,
		'it passes over values on the third timeline');
}

# --- the history file is missing ------------------------------------------

{
	my $offset = -s $primary->logfile;

	$primary->stop;
	unlink $primary->data_dir . '/pg_wal/00000003.history' or die "$!";
	$primary->start;
	is(join(' ', map { values_of($primary, 'next', 'untouched', 1) } 1 .. 3), '43 44 45',
		'without the history file nothing is passed over');
	cmp_ok(log_count($primary, qr/LOG:  gid: the history file of timeline 3 is missing/, $offset), '>', 0,
		'and the log says so');
	$primary->stop;
}

# --- a restore to a point in time, twice -----------------------------------

# Values that the first primary reserved after that point.
{
	my $source = gid_node('source', $CONF, allows_streaming => 1, has_archiving => 1);

	$source->start;
	$source->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE SEQUENCE orders');
	$source->backup('base');
	my @drawn = values_of($source, 'next', 'orders', 42);

	$source->safe_psql('postgres', "SELECT pg_create_restore_point('here')");
	push @drawn, values_of($source, 'next', 'orders', 500);
	my $segment = $source->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');

	$source->poll_query_until('postgres', "SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver")
	  or die 'the WAL is not archived';
	foreach my $n (1, 2)
	{
		my $node = PostgreSQL::Test::Cluster->new("restored_$n");
		my $timeline = $n + 1;

		$node->init_from_backup($source, 'base', has_restoring => 1, standby => 0);
		$node->append_conf('postgresql.conf', <<'EOC');
recovery_target_name = 'here'
recovery_target_action = promote
recovery_target_timeline = current
EOC
		$node->start;
		$node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die 'the restore does not end';
		my @again = values_of($node, 'next', 'orders', 10);

		is($again[0], 43 + 1000 * $n, "restore $n: values are passed over, for each timeline");
		is(log_count($node, qr/sequence "orders" passes over ${n}000 values on timeline $timeline/),
			1, "restore $n: and the log says so");
		new_values("restore $n", [@drawn], @again);
		my $history = sprintf '%s/%08X.history', $source->archive_dir, $timeline;

		defined wait_until(60, sub { -e $history }) or die "$history is not archived";
		$node->stop;
	}
	$source->stop;
}

done_testing();
