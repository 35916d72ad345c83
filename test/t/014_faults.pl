# Faults that break other generators, one in each round, while clients record every
# id of every family.  No id comes twice, and the ids of the ordered families increase.
#
# SQL alone cannot test this: it needs servers that die, clocks that the test steps,
# damaged files, a backup and a standby.
#
# The short form has once, in order, each fault that no other file of test/t has for all
# families together.  With gid_soak in PG_TEST_EXTRA or GID_SOAK_ROUNDS=N there are N rounds
# (300) of all faults in random order; the seed is printed, GID_SOAK_SEED takes it again.
#
# A round:
#
# 1. Sessions print ids by turns, in transactions that stay open.  Two streams of one
#    family print as fast as they can.  Other clients connect, print a row of all
#    families, disconnect, and repeat.
# 2. The fault comes.
# 3. Sessions print ids by turns once more.
# 4. All printed ids go to another server, the judge.
#
# An incarnation of the sequences or of the server ends when they are replaced.  At its
# end the judge checks that all ids of a family are distinct, that no id of a round is
# below an id of an earlier round, and that within a round ids that were printed one
# after another increase.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy qw(copy);
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

plan skip_all => 'libfaketime is not installed' unless faketime_library();

use constant {
	PER_TURN => 10,
	CLIENTS => 2,
	CONNECTIONS => 24,
	HOUR => 3600,
	TEN_YEARS => 315576000,
};

my @ALL = (@FAMILIES, @DRAWN);

# gid_next() increases, too, as long as nothing else draws from its sequence.
my %grows = map { $_ => 1 } @ORDERED, 'next';

my $soak = $ENV{GID_SOAK_ROUNDS}
  || (($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_soak\b/ ? 300 : 0);
my $seed = $ENV{GID_SOAK_SEED} || time;

srand($seed);

# --- the servers ---------------------------------------------------------

my $judge = gid_node('judge');
my $node = gid_node('main', <<"EOC", allows_streaming => 1);
wal_writer_delay = 10s
max_connections = @{[CONNECTIONS]}
# A step of the clock would make the server believe that it is over.
statement_timeout = 0
gid.node_no = 1
EOC
my $other = gid_node('other', undef, force_initdb => 1);
my $fault_dir = $node->basedir . '/faults';
my $library = build_fault("$FindBin::RealBin/fault.c", $node->basedir);
my $offset = 0;
my $top = 0;
my $launch = 65;
my $preload = 0;

mkdir $fault_dir or die "$fault_dir: $!";
$judge->start;
$judge->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($judge, 'postgres', @ALL);
$judge->safe_psql('postgres',
	join '', map { "ALTER TABLE seen_$_ ADD who int NOT NULL;" } @ALL);

# The clock's distance to the real one, of the server that is tested.
sub clock
{
	($offset) = @_;
	$top = $offset if $offset > $top;
	return clock_set($node, sprintf('%+d', $offset));
}

# A clock that is right: not behind what it was at any time, nor behind the
# bound of any crash.
sub clock_right
{
	clock($top + 120);
	return;
}

sub start
{
	my $environment = clock($offset);

	$environment->{LD_PRELOAD} .= ":$library" if $library;
	with_env({ %$environment, GID_FAULT_DIR => $fault_dir },
		sub { $node->start });
	return;
}

sub preload
{
	my ($on) = @_;

	$preload = $on;
	gid_set($node, 'shared_preload_libraries', $on ? "'gid'" : "''");
	return;
}

# With a new sequence of generator numbers a new launch is due.
sub new_launch
{
	gid_reload($node, 'gid.launch_id', ++$launch);
	return;
}

sub create_app
{
	$node->safe_psql('postgres',
		'CREATE DATABASE app OID 99000 TEMPLATE source STRATEGY file_copy');
	return;
}

start();
$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', 'CREATE EXTENSION gid');
drawn_sequences($node, 'source');
create_app();

# A clock file that is another system's.
$other->start;
$other->safe_psql('postgres', "CREATE EXTENSION gid; SELECT $CALL{v7}");
$other->stop;

# --- what is printed -----------------------------------------------------

my $round = 0;
my (%count, %ids, %files, @errors);

# Notes files of ids, in the order in which they were printed, of one or
# several (numbered) who print one after another.
sub seen
{
	my ($who, $family, @more) = @_;

	push @{ $files{$who}{$family} }, @more;
	return;
}

# Sessions print ids of every family by turns.
sub turns
{
	my (@session) = @_;

	foreach my $session (@session)
	{
		seen(0, $_, take($node, $session, $_, PER_TURN)) for @ALL;
	}
	return;
}

# Notes what a client printed, a row of all families at a time.
sub seen_rows
{
	my ($who, $file) = @_;
	my %out;

	return unless -s $file;
	open my $in, '<', $file or die "$file: $!";
	open $out{$_}, '>', "$file.$_" or die "$file.$_: $!" for @ALL;
	while (my $row = <$in>)
	{
		chomp $row;
		my @ids = split /\|/, $row;

		die "not a row of ids: $row" unless @ids == @ALL;
		print { $out{ $ALL[$_] } } "$ids[$_]\n" for 0 .. $#ALL;
	}
	close $out{$_} for @ALL;
	seen($who, $_, "$file.$_") for @ALL;
	return;
}

# Gives all that was noted to the judge.
sub load
{
	my $sql = '';

	foreach my $who (sort keys %files)
	{
		foreach my $family (sort keys %{ $files{$who} })
		{
			$sql .= "ALTER TABLE seen_$family ALTER round SET DEFAULT $round,"
			  . " ALTER who SET DEFAULT $who;\n";
			$sql .= "\\copy seen_$family(id) FROM '$_'\n"
			  for @{ $files{$who}{$family} };
		}
	}
	$judge->safe_psql('postgres', $sql);
	unlink map { @$_ } map { values %$_ } values %files;
	%files = ();
	return;
}

# Judges families over what was printed since the last time that theirs were
# forgotten.
sub judge
{
	my ($name, $growing, @families) = @_;

	foreach my $family (@families)
	{
		my ($n, $distinct, $rounds, $back, $low) = split /\|/,
		  $judge->safe_psql('postgres', <<"EOS");
SELECT count(*), count(DISTINCT id),
	count(*) FILTER (WHERE round < lower_round),
	count(*) FILTER (WHERE id <= before),
	@{[ $TYPE{$family} eq 'bigint' ? 'count(*) FILTER (WHERE id < 1)' : 0 ]}
FROM (SELECT id, lag(round) OVER (ORDER BY id, round) AS lower_round,
		round, lag(id) OVER (PARTITION BY round, who ORDER BY ord) AS before
	FROM seen_$family) AS s
EOS

		note("$family: $n ids, $distinct distinct, $back steps back, $rounds"
			  . " over rounds, $low below 1 ($name)");
		ok($n > 0 && $n == $distinct && $low == 0,
			"$family: no id repeats, $name");
		ok($n > 0 && $back == 0 && $rounds == 0,
			"$family: ids increase, $name")
		  if $growing && $grows{$family};
	}
	return;
}

sub forget
{
	my (@families) = @_;

	foreach (@families)
	{
		$ids{$_} += $judge->safe_psql('postgres', "SELECT count(*) FROM seen_$_");
		$judge->safe_psql('postgres', "TRUNCATE seen_$_");
	}
	return;
}

# The end of an incarnation of the sequences: what comes next begins at 1, so
# no block of the old one is left.
sub reborn
{
	my ($name, $act) = @_;

	load();
	judge("round $round", 1, @DRAWN);
	forget(@DRAWN);
	$act->();
	my $file = $node->basedir . "/first_$round";

	append_to_file($file,
		$node->safe_psql('app', 'SELECT ' . join(', ', @CALL{@ALL})) . "\n");
	like(slurp_file($file), qr/\|1\|0:0:1\|000000000001\n\z/,
		"$name: it begins anew");
	seen_rows(0, $file);
	return;
}

# --- the faults ----------------------------------------------------------

# SQLSTATEs that clients may get: the server's end, no connection, what was
# dropped, what was cancelled, and what the clock's file is good for.
my $fair = qr/^(57P0[123]|53300|3D000|42P01|42883|57014|55000|XX001|58030|53100)$/;

# A server that is stopped, or killed, and started with something else.
sub stopped
{
	my ($how, $meanwhile) = @_;

	$how eq 'kill' ? kill9_server($node) : $node->stop($how);
	$meanwhile->() if $meanwhile;
	start();
	return;
}

sub stepped
{
	my (@steps) = @_;
	my $session = session($node, 'app');

	turns($session);
	foreach (@steps)
	{
		clock($offset + $_);
		turns($session);
	}
	end_session($session);
	return;
}

# A damaged file is an error until it is removed, by who knows that the clock
# is right.
sub damaged
{
	my ($name, $state, $break, $mend) = @_;

	stopped('kill',
		sub { clock_right(); $break->(slurp_file(clock_path($node))); });
	sql_fails($node, 'app', "SELECT $CALL{$_}", $state, "$name: $_ is refused")
	  for 'v7', 'trace';
	is($node->psql('app', "SELECT $CALL{decimal}, $CALL{next}"),
		0, "$name: what needs no clock goes on");
	$mend->();
	return;
}

# Backends of clients end at random moments, or their statements.
sub struck
{
	my ($function) = @_;

	for (1 .. 20)
	{
		$node->safe_psql('postgres', <<"EOS");
SELECT count($function(pid))
FROM (SELECT pid FROM pg_stat_activity WHERE datname = 'app' ORDER BY random() LIMIT 2) AS s
EOS
		sleep(rand(0.05));
	}
	return;
}

# Each: what it is called, what it does, and who is there when it comes: "held":
# open transactions, streams and clients; "clients": idle sessions, which go on
# afterwards, and clients; "warm": those sessions alone; "none".
my @faults = (
	[ 'backend killed', sub { kill9_backend($node, $_[0]) }, 'held' ],
	[ 'postmaster killed', sub { stopped('kill') }, 'held' ],
	[ 'immediate stop', sub { stopped('immediate') }, 'held' ],
	[
		'fast restart',
		sub { stopped('fast', sub { preload(!$preload) }) },
		'held'
	],
	[ 'clock 1 s back', sub { stepped(-1) }, 'held' ],
	[ 'clock 1 h back', sub { stepped(-HOUR) }, 'held' ],
	[ 'clock 10 years back', sub { stepped(-TEN_YEARS) }, 'held' ],
	[ 'clock 1 h forward and back', sub { stepped(HOUR, -HOUR) }, 'held' ],
	[
		'clock 1 s back while down',
		sub { stopped('kill', sub { clock($offset - 1) }) },
		'held'
	],
	[
		'clock 1 h back while down',
		sub { stopped('fast', sub { clock($offset - HOUR) }) },
		'held'
	],
	[
		'clock 10 years back while down',
		sub { stopped('immediate', sub { clock($offset - TEN_YEARS) }) },
		'held'
	],
	[
		'clock 1 h forward and back while down',
		sub {
			stopped('fast', sub { clock($top + HOUR) });
			my $session = session($node, 'app');

			turns($session);
			end_session($session);
			stopped('kill', sub { clock($offset - HOUR) });
		},
		'held'
	],
	[ 'statements cancelled', sub { struck('pg_cancel_backend') }, 'held' ],
	[ 'backends terminated', sub { struck('pg_terminate_backend') }, 'held' ],
	[
		'clock file torn',
		sub {
			damaged('torn', 'XX001',
				sub { clock_write($node, substr($_[0], 0, 20) . "\0" x (length($_[0]) - 20)) },
				sub { unlink clock_path($node) or die });
		},
		'held'
	],
	[
		'clock file cut short',
		sub {
			damaged('cut short', 'XX001',
				sub { clock_write($node, substr($_[0], 0, 30)) },
				sub { unlink clock_path($node) or die });
		},
		'held'
	],
	[
		'clock file unreadable',
		sub {
			damaged('unreadable', '58030',
				sub { chmod 0, clock_path($node) or die },
				sub { chmod 0600, clock_path($node) or die });
		},
		'held'
	],
	[
		'clock file of another server',
		sub {
			stopped('kill',
				sub {
					clock_right();
					copy(clock_path($other), clock_path($node)) or die;
				});
			# The warning is for the first.
			$node->psql('app', "SELECT $CALL{v7}");
		},
		'held'
	],
	[ 'disk full at the clock file', sub { disk_full() }, 'held' ],
	[ 'disk full at the WAL', sub { wal_full() }, 'held' ],
	[
		'sequences dropped and created',
		sub {
			reborn('sequences', sub {
				$node->safe_psql('app',
					join '', map { "DROP SEQUENCE drawn_$_;" } @DRAWN);
				drawn_sequences($node, 'app');
			});
		},
		'warm'
	],
	[
		'database dropped and created',
		sub {
			reborn('database', sub {
				$node->safe_psql('postgres', 'DROP DATABASE app WITH (FORCE)');
				new_launch();
				create_app();
			});
		},
		'none'
	],
	[
		'extension dropped and created',
		sub {
			# The launch between them: no id of the new one before the DROP, none
			# of the old one after the CREATE.
			$node->safe_psql('app', 'DROP EXTENSION gid');
			new_launch();
			$node->safe_psql('app', 'CREATE EXTENSION gid');
		},
		'clients'
	],
	[ 'connections used up', sub { used_up() }, 'none' ]);

@faults = grep { $_->[0] !~ /disk full/ } @faults unless $library;

# Those of the short form.
my $short = qr/^postmaster killed|^clock 10 years back while|^statements|WAL|^database dropped/;

# Ids go on to the bound and no further; and none of them comes again when the
# server is killed then and its clock set back.
sub disk_full
{
	my $session = session($node, 'app');
	my $begun = monotonic();
	my $file = $node->basedir . "/disk_$round";
	my $error = '';

	clock_right();
	turns($session);
	append_to_file("$fault_dir/disk", 'x');
	while ($error eq '' && monotonic() - $begun < 20)
	{
		(my $out, $error) = $session->query("SELECT $CALL{v7}");
		append_to_file($file, "$out\n") if $error eq '';
		sleep(0.02);
	}
	seen(0, 'v7', $file);
	error_like($error, '53100', 'disk full: an error once the bound is reached');
	end_session($session);
	stopped('kill',
		sub { unlink "$fault_dir/disk" or die; clock($offset - HOUR); });
	return;
}

# The server panics where a block's record cannot be written.  What was printed
# before was on disk.
sub wal_full
{
	my $session = session($node, 'app');
	my $from = -s $node->logfile;

	turns($session);
	server_crash($node, sub {
		append_to_file("$fault_dir/wal", 'x');
		eval { $session->query("SELECT gid_next_many('drawn_next', 2)") };
	});
	end_session($session);
	like(slurp_file($node->logfile, $from),
		qr/PANIC: .*could not write to (log )?file "?(pg_wal\/)?.*No space left on device/,
		'disk full at the WAL: the server panics');
	ok(!-e "$fault_dir/wal", 'it was that write that failed');
	return;
}

# Every connection is used, each with ids of its own; one more is refused.
sub used_up
{
	my @session;

	while (@session < 2 * CONNECTIONS)
	{
		my $session = eval { session($node, 'app') } or last;

		push @session, $session;
	}
	cmp_ok(scalar(@session), '<', CONNECTIONS + 1, 'no more connections than there are');
	turns(@session[ -3 .. -1 ]);
	seen(0, 'decimal', take($node, $_, 'decimal', 5)) for @session, reverse @session;
	end_session($_) for @session;
	return;
}

# --- rounds --------------------------------------------------------------

# Clients, until the round ends.  (pg_sleep() would wait for ten years when the
# clock is set back.)
sub clients
{
	my $row = 'SELECT ' . join(', ', @CALL{@ALL});

	return start_clients($node, 'app', CLIENTS, <<"EOS");
\\set VERBOSITY verbose
$row FROM generate_series(1, 20);
\\! sleep 0.2
$row;
EOS
}

sub end_clients
{
	my ($clients) = @_;
	my $who = 10;

	stop_clients($clients);
	seen_rows($who++, $_) for @{ $clients->{files} };
	foreach (grep { -s } @{ $clients->{errors} })
	{
		my $text = slurp_file($_);

		push @errors, $text =~ /ERROR:  (\w{5}:.*)/g;
	}
	return;
}

sub round
{
	my ($name, $act, $with) = @{ $_[0] };
	my $begun = monotonic();
	my $held = $with eq 'held';
	my $streamed = $ALL[ $round % @ALL ];
	my ($clients, @stream);

	# Not before 1970, however many rounds there are.
	clock(0) if $offset < -2 * TEN_YEARS;
	$round++;
	$count{$name}++;
	my @session = map { session($node, 'app') } 1 .. 2;

	if ($held) { $_->safe('BEGIN') for @session; }
	turns(@session) for 1 .. 2;
	my $pid = $session[0]->safe('SELECT pg_backend_pid()');

	$clients = clients();
	@stream = map { start_stream($node, 'app', $streamed) } 1 .. 2;
	sleep(0.1 + rand(0.2));
	if (!$held)
	{
		seen($_, $streamed, stop_stream(shift @stream)) for 1 .. 2;
		if ($with ne 'clients')
		{
			end_clients($clients);
			undef $clients;
		}
	}
	$act->($pid);
	turns(@session) if $with eq 'warm' || $with eq 'clients';
	end_session($_) for @session;
	@session = map { session($node, 'app') } 1 .. 2;
	turns(@session);
	seen($_, $streamed, stop_stream(shift @stream)) for 1 .. @stream;
	end_clients($clients) if $clients;
	end_session($_) for @session;
	load();
	note(sprintf 'round %d: %s, %.1f s', $round, $name, monotonic() - $begun);
	return;
}

if ($soak)
{
	note("$soak rounds, GID_SOAK_SEED=$seed");
	round($faults[ rand(@faults) ]) for 1 .. $soak;
}
else
{
	round($_) for grep { $_->[0] =~ $short } @faults;
}

# A base backup, with the WAL that was written since, as after the loss of a
# data directory.  Its gid.clock is older than the last ids, but the clock is
# right, and the restored server begins ahead of it.
round([ 'base backup restored', sub {
	my $lost = $node;
	my $session = session($node, 'app');

	clock_right();
	turns($session);
	$node->backup('base');
	turns($session);
	kill9_server($node);
	end_session($session);
	$node = PostgreSQL::Test::Cluster->new('restored');
	$node->init_from_backup($lost, 'base');
	foreach (glob($lost->data_dir . '/pg_wal/0*'))
	{
		copy($_, $node->data_dir . '/pg_wal/') or die "$_: $!";
	}

	# The test has copied the backup in any order.
	utime time, time + 60, $node->data_dir . '/backup_label' or die "$!";
	start();
}, 'held' ]);

judge("over $round rounds", 1, @ALL);
is($judge->safe_psql('postgres', 'SELECT count(DISTINCT round) FROM seen_v7'),
	$round, 'every round printed ids');

# A standby that has received the WAL takes over, under another node_no; before,
# both make what a standby makes.
round([ 'standby promoted', sub {
	my $primary = $node;
	my $standby = PostgreSQL::Test::Cluster->new('standby');
	my $session;

	$primary->backup('standby');
	$standby->init_from_backup($primary, 'standby', has_streaming => 1);
	gid_set($standby, 'gid.node_no', 2);
	$node = $standby;
	start();
	$session = session($standby, 'app');
	seen(5, $_, take($standby, $session, $_, PER_TURN)) for @ORDERED;
	end_session($session);
	$session = session($primary, 'app');
	seen(6, $_, take($primary, $session, $_, PER_TURN)) for @ALL;
	$primary->wait_for_catchup($standby);
	kill9_server($primary);
	end_session($session);
	$standby->promote;
}, 'none' ]);
judge('over the promotion', 0, @ALL);

my @unfair = grep { !/$fair/ } map { substr($_, 0, 5) } @errors;
my %states;

$states{ substr($_, 0, 5) }++ for @errors;
is(join(' ', @unfair), '', 'clients got no error but those of the faults')
  or diag(join "\n", @errors);

forget(@ALL);
note("total: $round rounds, GID_SOAK_SEED=$seed");
note("total: $count{$_} x $_") for sort keys %count;
note('total: ids: ' . join(', ', map { "$_ $ids{$_}" } @ALL));
note('total: errors of clients: '
	  . join(', ', map { "$states{$_} x $_" } sort keys %states));
$node->stop;
$judge->stop;

done_testing();
