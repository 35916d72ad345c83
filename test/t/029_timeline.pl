# The first reservation from a sequence on a new timeline passes over values that
# may have been handed out before: after the promotion of a standby that lags, a
# restore to a point in time, and the promotion of a primary that was rewound.
# It does so once a sequence, and never without a new timeline.
#
# SQL alone cannot test this: it needs servers that are promoted, restored,
# rewound and killed.

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

# The tests' sequences: how each is made, how many values are drawn before the
# standby stops and while it is away, the first value after the promotion (not
# given: see the test), and how many values are passed over.
my %SEQUENCES = (
	# the setting
	orders => { before => 1042, lag => 10, next => 2043, skip => 1000 },
	young => { before => 3, lag => 3, next => 1004, skip => 1000 },
	fresh => { before => 0, lag => 3, next => 1001, skip => 1000 },
	# beyond a block
	fixed => { sql => 'CACHE 50', before => 1, lag => 60, next => 1051, skip => 1000 },
	# by what is left
	near_end => { sql => 'MAXVALUE 116', before => 20, lag => 5, next => 27, skip => 6 },
	four_digits => { sql => 'MAXVALUE 9999', before => 1, lag => 3, next => 626, skip => 624 },
	at_end => { sql => 'MAXVALUE 20', before => 5, lag => 5, next => 6, skip => 0 },
	descending => { sql => 'INCREMENT -1', before => 30, lag => 10, next => -1031, skip => 1000 },
	steps => { sql => 'INCREMENT 10 START 5', before => 3, lag => 10, next => 10035, skip => 1000 },
	cycle => { sql => 'MAXVALUE 1000 CYCLE', before => 40, lag => 20, next => 101, skip => 60 },
	small => { sql => 'AS smallint', before => 7, lag => 10, next => 1008, skip => 1000 },
	integers => { sql => 'AS int', before => 7, lag => 10, next => 1008, skip => 1000 },
	# the setting, in the session that draws
	none => { before => 10, lag => 0, next => 11, skip => 0, set => 0 },
	five => { before => 10, lag => 4, next => 16, skip => 5, set => 5 },
	# the first reservation is a batch, or a block for another server
	batch => { before => 10, lag => 20, next => 1011, skip => 1000, call => 'many' },
	block => { before => 10, lag => 20, next => 1011, skip => 1000, call => 'block' });

# With blocks of all sizes: values are told from each other, and the first one
# lies behind them.
$SEQUENCES{busy} = { before => 30000, lag => 20000, size => 16384, set => 40000 };
$SEQUENCES{quiet} = { before => 20, lag => 20, size => 16384 };

my @NAMES = sort keys %SEQUENCES;

my $LINE = qr/LOG:  gid: sequence "\w+" passes over \d+ values on timeline \d+/;

sub values_of
{
	my ($node, $call, $sequence, $n, @settings) = @_;
	my $sql = $VALUES{$call} =~ s/%s/$sequence/r;
	my $rows = $call eq 'next' ? " FROM generate_series(1, $n)" : '';

	return split /\n/,
	  $node->safe_psql('postgres', join ";\n", @settings, $sql . $rows);
}

# Draws from sequences, and notes the values with them.
sub draw
{
	my ($node, $when) = @_;

	foreach my $name (@NAMES)
	{
		my $s = $SEQUENCES{$name};

		next unless $s->{$when};
		push @{ $s->{drawn} }, values_of($node, 'next', $name, $s->{$when},
			"SET gid.max_block_size = " . ($s->{size} // 1));
	}
	return;
}

sub repeated
{
	my (@values) = @_;
	my %seen;

	return grep { $seen{$_}++ } @values;
}

# The server's generator number.
sub generator
{
	my ($node) = @_;

	return $node->safe_psql('postgres', $VALUES{decimal});
}

# The server's timeline.
sub timeline
{
	my ($node) = @_;

	return $node->safe_psql('postgres',
		"SELECT ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int");
}

sub lines
{
	my ($node, $offset) = @_;

	return log_count($node, $LINE, $offset);
}

# The switch point in the history file of a timeline.
sub switch_point
{
	my ($node, $timeline) = @_;
	my $text = slurp_file(sprintf '%s/pg_wal/%08X.history', $node->data_dir, $timeline);

	return ($text =~ m!^\d+\t([0-9A-F]+/[0-9A-F]+)\t!mg)[-1];
}

sub standby_of
{
	my ($name, $node, $backup) = @_;
	my $standby = PostgreSQL::Test::Cluster->new($name);

	$standby->init_from_backup($node, $backup, has_streaming => 1);
	return $standby;
}

# A background process that writes WAL of its own.
sub hold_bgwriter
{
	my ($node) = @_;

	return kill 'STOP', $node->safe_psql('postgres',
		"SELECT pid FROM pg_stat_activity WHERE backend_type = 'background writer'");
}

# --- a standby that lags -------------------------------------------------

my $primary = gid_node('primary', $CONF, allows_streaming => 1);

$primary->start;
$primary->safe_psql('postgres', join '', "CREATE EXTENSION gid;\n",
	map { "CREATE SEQUENCE $_ " . ($SEQUENCES{$_}{sql} // '') . ";\n" } @NAMES,
	qw(untouched late));
draw($primary, 'before');
my $number = generator($primary);

# At 1,042, as an order sequence may be; these do not lag.
$primary->safe_psql('postgres', "SELECT max(gid_next('$_')) FROM generate_series(1, 42)")
  for qw(untouched late);
$primary->backup('backup');
my $standby = standby_of('standby', $primary, 'backup');

$standby->start;
$primary->wait_for_catchup($standby);
$standby->stop;
draw($primary, 'lag');
is(lines($primary), 0, 'nothing is passed over on the first timeline');
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

	is($values[0], $s->{next}, "$name: the first value") if defined $s->{next};
	is(join(' ', repeated(@values, @{ $s->{drawn} })), '', "$name: no value comes again")
	  unless $name eq 'at_end';
	if (defined $s->{skip} && $s->{skip} == 0)
	{
		is(lines($standby, $offset), 0, "$name: nothing is passed over");
	}
	else
	{
		my ($count, $timeline, $since, $first, $last) = slurp_file($standby->logfile, $offset) =~
		  /gid: sequence "$name" passes over (\d+) values on timeline (\d+)\n.*DETAIL:  The sequence was last changed on timeline (\d+)\. Values (-?\d+) to (-?\d+) may have been handed out since, by a server that was lost\.\n/;

		ok(defined $count, "$name: the log says what was passed over");
		is("$timeline $since", '2 1', "$name: the timelines");
		is($count, $s->{skip}, "$name: how many values") if defined $s->{skip};
		my ($step) = ($s->{sql} // '') =~ /INCREMENT (-?\d+)/;

		is($last, $s->{next} - ($step // 1), "$name: the last of them") if defined $s->{next};
	}
	push @{ $s->{drawn} }, @values;
}
# Generator numbers: 16 of them.
is(generator($standby), $number + 17, 'generator numbers are passed over');
is(log_count($standby, qr/sequence "decimal_generator" passes over 16 values/), 1, 'and the log says so');

# --- once a sequence ------------------------------------------------------

{
	my $offset = -s $standby->logfile;
	my $took = sub {
		my ($how) = @_;
		my $s = $SEQUENCES{young};
		my @values = values_of($standby, 'next', 'young', 3);

		# the rest of a block at most
		ok($values[0] > $s->{drawn}[-1] && $values[0] < $s->{drawn}[-1] + 20, "$how: it goes on")
		  or diag("$s->{drawn}[-1], then @values");
		push @{ $s->{drawn} }, @values;
	};

	$took->('again');
	kill9_server($standby);
	$standby->start;
	$took->('after a crash');
	$standby->restart;
	$took->('after a restart');
	is($standby->safe_psql('postgres', <<'EOS'), 1, 'a new sequence passes over nothing');
CREATE SEQUENCE later;
SELECT gid_next('later')
EOS
	is(lines($standby, $offset), 0, 'nothing was passed over once more');
}

# --- a reservation that is the last record before the switch ---------------

# The page's LSN is the switch point.
{
	my $third;
	my $last;

	$standby->backup('third');
	$third = standby_of('third', $standby, 'third');
	$third->start;
	$standby->wait_for_catchup($third);
	hold_bgwriter($standby);
	$standby->safe_psql('postgres', "SELECT gid_next('late')");
	my $end = $standby->safe_psql('postgres', 'SELECT pg_current_wal_insert_lsn()');

	$standby->wait_for_catchup($third, 'replay', $end);
	kill9_server($standby);
	$third->promote;
	is(switch_point($third, 3), $end, 'the timeline begins at the end of a reservation');
	my $offset = -s $third->logfile;

	$last = $third->safe_psql('postgres', 'SELECT last_value FROM late');
	is( $third->safe_psql('postgres', "SELECT gid_next('late')"),
		$last + 1001,
		'the page was last changed where the timeline began: values are passed over');
	is(lines($third, $offset), 1, 'and the log says so');

	$third->stop;
	$standby->start;
}

# --- the old primary is rewound, and promoted -----------------------------

{
	my $s = $SEQUENCES{orders};

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
	my @lag = values_of($standby, 'next', 'orders', 10);

	is(join(' ', repeated(@lag, @{ $s->{drawn} })), '', 'the second primary goes on');
	push @{ $s->{drawn} }, @lag;
	kill9_server($standby);
	my $offset = -s $primary->logfile;

	$primary->start;
	$primary->promote;
	my @again = values_of($primary, 'next', 'orders', 10);

	is(join(' ', repeated(@again, @{ $s->{drawn} })), '', 'the rewound primary repeats no value');
	is(log_count($primary, qr/sequence "orders" passes over \d+ values on timeline 3/, $offset), 1,
		'and passes over values on the third timeline');
}

# --- the history file is missing ------------------------------------------

{
	my $offset = -s $primary->logfile;

	$primary->stop;
	unlink $primary->data_dir . '/pg_wal/00000003.history' or die "$!";
	$primary->start;
	is( join(' ', map { values_of($primary, 'next', 'untouched', 1) } 1 .. 3), '43 44 45',
		'without the history file nothing is passed over');
	cmp_ok(log_count($primary, qr/LOG:  gid: the history file of timeline 3 is missing/, $offset), '>', 0,
		'and the log says so');
	$primary->stop;
}

# --- a restore to a point in time, twice -----------------------------------

# Values that the first primary reserved after that point.
{
	my $source = gid_node('source', $CONF, allows_streaming => 1, has_archiving => 1);
	my @values;
	my @restored;

	$source->start;
	$source->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE SEQUENCE orders');
	$source->backup('base');
	@values = values_of($source, 'next', 'orders', 42);
	$source->safe_psql('postgres', "SELECT pg_create_restore_point('here')");
	push @values, values_of($source, 'next', 'orders', 500);
	my $segment = $source->safe_psql('postgres', 'SELECT pg_walfile_name(pg_switch_wal())');

	$source->poll_query_until('postgres',
		"SELECT last_archived_wal >= '$segment' FROM pg_stat_archiver")
	  or die 'the WAL is not archived';
	foreach my $n (1, 2)
	{
		my $node = PostgreSQL::Test::Cluster->new("restored_$n");

		$node->init_from_backup($source, 'base', has_restoring => 1, standby => 0);
		$node->append_conf('postgresql.conf', <<'EOC');
recovery_target_name = 'here'
recovery_target_action = promote
recovery_target_timeline = current
EOC
		$node->start;
		$node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()')
		  or die 'the restore does not end';
		my $offset = -s $node->logfile;
		my @again = values_of($node, 'next', 'orders', 10);
		my $timeline = timeline($node);

		is($again[0], 43 + 1000 * $n, "restore $n: values are passed over, for each timeline");
		is(join(' ', repeated(@again, @values)), '', "restore $n: no value comes again");
		is(log_count($node, qr/sequence "orders" passes over ${n}000 values on timeline $timeline/, $offset),
			1, "restore $n: and the log says so");
		push @restored, $timeline;
		my $history = sprintf '%s/%08X.history', $source->archive_dir, $timeline;

		defined wait_until(60, sub { -e $history }) or die "$history is not archived";
		$node->stop;
	}
	is("@restored", '2 3', 'these are two timelines');
	$source->stop;
}

done_testing();
