# Faults that break other generators, one in each round, while clients print ids of every
# family in transactions that never commit.  No id comes twice, and the ids of all families
# but DecimalIds increase.
#
# SQL alone cannot test this: it needs servers that die, and clocks that the test steps.
#
# The short form has each fault once, and each end of the server under preload, too.  With
# gid_soak in PG_TEST_EXTRA or GID_SOAK_ROUNDS=N there are N rounds (300) in random order;
# the seed is printed, GID_SOAK_SEED takes it again.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant CLIENTS => 3;

my $soak = $ENV{GID_SOAK_ROUNDS}
  || (($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_soak\b/ ? 300 : 0);
my $seed = $ENV{GID_SOAK_SEED} || time;
my @all = (@FAMILIES, @DRAWN);
my $row = 'SELECT ' . join(', ', @CALL{@all});
my $node = gid_node('main', <<'EOC');
wal_writer_delay = 10s
# A step of the clock would make the server believe that it is over.
statement_timeout = 0
EOC
my $fault_dir = $node->basedir . '/faults';
my $library = build_fault("$FindBin::RealBin/fault.c", $node->basedir);
my $offset = 0;
my $preload = 0;
my $lives = 0;
my $round = 0;
my ($clients, @printed, @errors);

srand($seed);
mkdir $fault_dir or die "$fault_dir: $!";

# --- the server ----------------------------------------------------------

sub start
{
	my %environment = (GID_FAULT_DIR => $fault_dir, LD_PRELOAD => $library // '');

	if (faketime_library())
	{
		my $faketime = clock_set($node, sprintf('%+d', $offset));

		%environment = (%environment, %$faketime, LD_PRELOAD => "$faketime->{LD_PRELOAD}:$environment{LD_PRELOAD}");
	}
	with_env(\%environment, sub { $node->start });
	$lives++;
	return;
}

sub preload
{
	($preload) = @_;
	gid_set($node, 'shared_preload_libraries', $preload ? "'gid'" : "''");
	return;
}

# The server ends, and starts when the clock has been stepped.
sub down
{
	my ($how, $step) = @_;

	$how eq 'kill' ? kill9_server($node) : $node->stop($how);
	$offset += $step // 0;
	start();
	return;
}

# Waits until each client has printed more ids.
sub more
{
	my @files = @{ $clients->{files} };
	my %before = map { $_ => (-s $_) // 0 } @files;

	defined wait_until(180, sub { !grep { ((-s $_) // 0) <= $before{$_} } @files })
	  or die 'the clients print nothing';
	return;
}

# --- the faults ----------------------------------------------------------

# How many of its statements a client has seen cancelled, or its sessions terminated.
sub ended
{
	my ($file) = @_;

	return 0 if !-e $file;
	return scalar(() = slurp_file($file) =~ /57014|57P01/g);
}

# Statements of clients, or their backends, end at random moments, until each client has
# met that several times.
sub struck
{
	my ($function) = @_;

	defined wait_until(180, sub {
		$node->safe_psql('postgres', <<"EOS");
DO \$\$
BEGIN
	FOR i IN 1..100 LOOP
		PERFORM pg_stat_clear_snapshot();
		PERFORM $function(pid) FROM pg_stat_activity
		WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid();
		PERFORM pg_sleep(0.003);
	END LOOP;
END \$\$
EOS
		return !grep { ended($_) < 5 } @{ $clients->{errors} };
	}) or die "$function() ends nothing";
	return;
}

# The server panics where the record of a reservation cannot be written.
sub wal_full
{
	server_crash($node, sub {
		append_to_file("$fault_dir/wal", 'x');
		$node->psql('postgres', "SELECT gid_next_many('drawn_next', 2)");
	});
	$lives++;
	ok(!-e "$fault_dir/wal", 'the WAL could not be written');
	return;
}

sub backend_killed
{
	kill9_backend($node, $row);
	$lives++;
	return;
}

sub stepped
{
	my ($step) = @_;

	$offset += $step;
	clock_set($node, sprintf('%+d', $offset));
	return;
}

my @ends = (
	[ 'a restart' => sub { preload(!$preload) if $soak; down('fast') } ],
	[ 'an immediate stop' => sub { down('immediate') } ],
	[ 'the postmaster killed' => sub { down('kill') } ],
	[ 'a backend killed' => \&backend_killed ]);
my @faults = (
	@ends,
	[ 'statements cancelled' => sub { struck('pg_cancel_backend') } ],
	[ 'backends terminated' => sub { struck('pg_terminate_backend') } ]);

push @faults, [ 'a full disk at the WAL' => \&wal_full ] if $library;
foreach my $step (faketime_library() ? (-1, 3600, -3600, -31557600) : ())
{
	push @faults, [ "the clock stepped by $step s" => sub { stepped($step) } ],
	  [ "the clock stepped by $step s while down" => sub { down('kill', $step) } ];
}

# --- rounds --------------------------------------------------------------

sub round
{
	my ($name, $fault) = @{ $_[0] };
	my $begun = monotonic();

	# Not before the epoch of Snowflake ids, however many rounds there are.
	$offset = 0 if $offset < -300_000_000;
	$round++;
	# pg_sleep() would wait for a year when the clock is set back.
	$clients = start_clients($node, 'postgres', CLIENTS,
		"\\set VERBOSITY verbose\nBEGIN;\n" . "$row FROM generate_series(1, 20);\n\\! sleep 0.02\n" x 10);
	more();
	$fault->();
	more();
	stop_clients($clients);
	push @printed, [@{ $clients->{files} }];
	foreach (grep { -s } @{ $clients->{errors} })
	{
		push @errors, slurp_file($_) =~ /(?:ERROR|FATAL):  (\w{5}:.*)/g;
	}
	note(sprintf 'round %d: %s, %.1f s', $round, $name, monotonic() - $begun);
	return;
}

start();
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
drawn_sequences($node, 'postgres');
if ($soak)
{
	note("$soak rounds, GID_SOAK_SEED=$seed");
	round($faults[ rand(@faults) ]) for 1 .. $soak;
}
else
{
	round($_) for @faults;
	preload(1);
	down('fast');
	round($_) for @ends;
}

# --- what was printed ----------------------------------------------------

# Nothing was committed while there were rounds: a commit flushes the WAL of others.
my $columns = join ', ', map { "$_ $TYPE{$_}" } @all;
my $load = '';

foreach my $n (1 .. @printed)
{
	$load .= "ALTER TABLE seen ALTER round SET DEFAULT $n, ALTER who SET DEFAULT $_;\n"
	  . "\\copy seen(" . join(', ', @all) . ") FROM '$printed[$n - 1][$_]' WITH (DELIMITER '|')\n"
	  for 0 .. CLIENTS - 1;
}
$node->safe_psql('postgres', <<"EOS");
CREATE TABLE seen (ord bigint GENERATED ALWAYS AS IDENTITY, round int NOT NULL, who int NOT NULL, $columns);
$load
EOS
foreach my $family (@all)
{
	my ($n, $distinct, $back, $rounds) = split /\|/, $node->safe_psql('postgres', <<"EOS");
SELECT count(*), count(DISTINCT $family), count(*) FILTER (WHERE $family <= before),
	count(*) FILTER (WHERE round < lower_round)
FROM (SELECT $family, round, lag(round) OVER (ORDER BY $family, round) AS lower_round,
		lag($family) OVER (PARTITION BY round, who ORDER BY ord) AS before
	FROM seen) AS s
EOS

	note("$family: $n ids, $distinct distinct, $back steps back, $rounds over rounds");
	ok($n > 0 && $n == $distinct, "$family: no id repeats");
	ok($back == 0 && $rounds == 0, "$family: ids increase") if $family ne 'decimal';
}
is($node->safe_psql('postgres', <<'EOS'), "$lives|$lives", 'each life has a process id and a generator of its own');
SELECT count(DISTINCT gid_extract_sequential_process(sequential)), count(DISTINCT gid_extract_shard_generator(shard))
FROM seen
EOS

# The server's end, a cancel, and what follows it in the transaction.
none('clients got no error but those of the faults', grep { !/^(57P0[123]|57014|25P02)/ } @errors);
note("total: $round rounds, $lives lives, GID_SOAK_SEED=$seed");
$node->stop;

done_testing();
