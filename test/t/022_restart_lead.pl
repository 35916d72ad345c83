# Ids tell the right time: how far they lead the wall clock after restarts and
# crashes, how fast a lead goes, and which cause the log names.
#
# SQL alone cannot test this: it needs servers that are stopped and killed, a
# file gid.clock written by hand, and connections that come and go by hundreds.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

# A lead that nobody notices, and what a killed server may leave, in seconds.
use constant {
	NONE => 0.1,
	KILLED => 5,
};

# After a restart within one second shard-key UUIDs go on at the next one.
my %least = ((map { $_ => NONE } @ORDERED), shard => 1 + NONE);

my $round = 0;

# Ids of each family by a session of its own, or all by this one, into the tables of
# seen_tables(); how far the first one of each leads the wall clock, in seconds.
sub leads
{
	my ($node, $session) = @_;
	my %lead;

	foreach my $family (@ORDERED)
	{
		my $sql = <<"EOS";
WITH made AS MATERIALIZED (
	SELECT $CALL{$family} AS id FROM generate_series(1, 20)
), kept AS (
	INSERT INTO seen_$family (round, id) SELECT $round, id FROM made
	RETURNING id
)
SELECT extract(epoch FROM min($TIME{$family}(id)) - clock_timestamp())
FROM kept AS s
EOS
		$lead{$family} = $session ? $session->safe($sql) : $node->safe_psql('postgres', $sql);
	}
	return \%lead;
}

# The same by the view.
sub shown_leads
{
	my ($node) = @_;
	my %shown = map { split /\|/ } split /\n/,
	  $node->safe_psql('postgres',
		'SELECT family, extract(epoch FROM lead) FROM gid.stat_clock');

	return { map { $_ => $shown{ $VIEW_NAME{$_} } // 'none' } @ORDERED };
}

sub check_leads
{
	my ($lead, $most, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	note("$name: " . join(', ', map { sprintf '%s %.3f s', $_, $lead->{$_} } @ORDERED));
	is(join(' ', grep { $lead->{$_} eq 'none' || $lead->{$_} >= $most->{$_} } @ORDERED),
		'', $name);
	return;
}

# How far ahead of the wall clock gid.clock is, in seconds: the greatest word.
sub file_lead
{
	my ($node) = @_;
	my $file = clock_file($node) or return 'none';
	my ($most) = sort { $b <=> $a } map { word_seconds($_, $file->{$_}) } qw(v7 sequential trace snowflake);

	return $most - time;
}

# Does gid.clock hold a bound, one moment for all words?
sub holds_bound
{
	my ($node) = @_;
	my $file = clock_file($node) or return 0;

	return abs(word_seconds('v7', $file->{v7}) - word_seconds('sequential', $file->{sequential})) < 1e-5;
}

# Is the process stopped?
sub stopped
{
	my ($pid) = @_;

	return slurp_file("/proc/$pid/stat") =~ /^\d+ \(.*\) T /s;
}

# --- restarts ------------------------------------------------------------

my $node = gid_node('main');

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($node, 'postgres', @ORDERED);

# 1. Three clean restarts in a row, with preload and without it, and each with a
# session that is still connected.
leads($node);
foreach my $preload (1, 0)
{
	gid_set($node, 'shared_preload_libraries', $preload ? "'gid'" : "''");
	foreach my $connected (0, 1)
	{
		my $name = join ', ', $preload ? 'preload' : 'no preload',
		  $connected ? 'a session is connected' : 'no session is connected';
		my (%worst, %shown);

		for my $restart (1 .. 3)
		{
			$round++;
			$node->stop($connected || $restart % 2 ? 'fast' : 'smart');
			cmp_ok(file_lead($node), '<', NONE, "gid.clock holds the words, $name");
			$node->start;
			my $session = $connected ? session($node, 'postgres') : undef;

			$session->safe('SELECT ' . join(', ', map { $CALL{$_} } @ORDERED))
			  if $session;
			my $lead = leads($node);
			my $shown = shown_leads($node);

			foreach (@ORDERED)
			{
				$worst{$_} = $lead->{$_} if $lead->{$_} > ($worst{$_} // -1e9);
				$shown{$_} = $shown->{$_} if $shown->{$_} > ($shown{$_} // -1e9);
			}
			# The next stop ends it.
			push @{ $node->{sessions} }, $session if $session;
		}
		check_leads(\%worst, \%least, "no lead after three clean restarts, $name");
		check_leads(\%shown, \%least, "and none is shown, $name");
		end_session($_) for @{ delete $node->{sessions} // [] };
	}
}

# Lives of less than a second do not add up, where no shard-key UUID is made:
# these need a new second each time.
my $briefest = 1e9;

for my $restart (1 .. 6)
{
	my $before = monotonic();

	$node->restart;
	$node->safe_psql('postgres', 'SELECT gid_uuid_v7()');
	my $taken = monotonic() - $before;

	$briefest = $taken if $taken < $briefest;
}
$round++;
note(sprintf 'the shortest life had %.2f s', $briefest);
check_leads(leads($node), \%least, 'no lead after six restarts within seconds');

# 2. Without preload, and nobody stops the server: the last session to end writes,
# however many ended just before it.
$round++;
leads($node) for 1 .. 5;
ok(defined wait_until(3, sub { file_lead($node) < NONE }),
	'gid.clock holds the words soon after the last session has ended');
my $session = session($node, 'postgres');

$session->safe('SELECT gid_uuid_v7()');
cmp_ok(file_lead($node), '>', 1, 'and a bound that is ahead while one makes ids');
leads($node);
cmp_ok(file_lead($node), '>', 1, 'also when another one has ended');
end_session($session);
ok(defined wait_until(3, sub { file_lead($node) < NONE }),
	'and the words again after the last one');

# A session that ends does not hold its place for long: a role that may have one
# connection goes on at once.  Now and then a client is faster than any backend's
# exit.
gid_set($node, 'fsync', 'on');
$node->reload;
$node->safe_psql('postgres', 'CREATE ROLE single LOGIN CONNECTION LIMIT 1');
my $refused = grep {
	($node->psql('postgres', 'SELECT gid_uuid_v7()',
			extra_params => [ '-U', 'single' ]))[0] != 0
} 1 .. 40;
note("$refused of 40 connections refused");
cmp_ok($refused, '<', 10, 'a session that ends holds no connection');

# 3. A parallel worker can be the last one out; its leader has made no id.
$node->safe_psql('postgres',
	'CREATE TABLE many AS SELECT generate_series(1, 2000) AS n; ANALYZE many;');
$session = session($node, 'postgres');
$session->safe(<<'EOS');
SET parallel_leader_participation = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2
EOS
my $plan = $session->safe('EXPLAIN (COSTS OFF) SELECT count(DISTINCT gid_uuid_v7()) FROM many');

note($plan);
for (1 .. 5)
{
	my $apart = $session->safe(<<'EOS');
SELECT count(DISTINCT id) FROM (SELECT gid_uuid_v7() AS id FROM many OFFSET 0) AS s
EOS

	is($apart, 2000, 'parallel workers make ids');
}
is($session->safe('SELECT count(*) FROM gid.stat_backends WHERE pid = pg_backend_pid() AND issued > 0'),
	0, 'their leader makes none');
ok(defined wait_until(3, sub { file_lead($node) < NONE }), 'gid.clock holds the words after them');
end_session($session);
gid_set($node, 'fsync', 'off');
$node->reload;

# 4. A write that fails at the end of a session: a LOG line, and ids go on below
# the bound that is still on disk, without an error.
my $tmp = clock_path($node) . '.tmp';

ok(defined wait_until(3, sub { file_lead($node) < NONE }), 'gid.clock holds the words');
sleep(1.2);
$session = session($node, 'postgres');
$session->safe('SELECT gid_uuid_v7()');
my $offset = -s $node->logfile;

mkdir $tmp or die "$tmp: $!";
end_session($session);
ok( defined wait_until(3, sub { log_count($node, qr/LOG:  .*gid\.clock\.tmp/, $offset) }),
	'a LOG line when the last session to end cannot write');
is($node->psql('postgres', 'SELECT gid_uuid_v7()'), 0, 'ids go on');
rmdir $tmp or die "$tmp: $!";
leads($node);
ok(defined wait_until(3, sub { file_lead($node) < NONE }),
	'and gid.clock holds the words when it can be written again');

# 5. The last backend out finds another one at work on gid.clock, which then ends
# first: the last one looks again, and writes.
my $library = build_fault("$FindBin::RealBin/fault.c", $node->basedir);
SKIP:
{
	skip 'no C compiler for the fault library', 1 unless $library;

	my $dir = $node->basedir . '/faults';
	my $held = gid_node('held');

	mkdir $dir or die "$dir: $!";
	with_env({ LD_PRELOAD => $library, GID_FAULT_DIR => $dir }, sub { $held->start });
	$held->safe_psql('postgres', 'CREATE EXTENSION gid');

	my @session = map { session($held, 'postgres') } 1, 2;
	my ($last, $mover) = map { $_->safe('SELECT pg_backend_pid()') } @session;

	# Stopped where it has seen that no backend is attached.
	$session[0]->safe('SELECT gid_uuid_v7()');
	append_to_file("$dir/stops", $last);
	end_session($session[0]);
	for my $call (1, 2)
	{
		kill 'CONT', $last if $call > 1;
		ok(defined wait_until(30, sub { stopped($last) }), "the last one out stops, call $call");
	}

	# Stopped with the claim, when half of the time to the bound is over.
	append_to_file("$dir/hold", '');
	$session[1]->send(<<'EOS');
SELECT count(gid_uuid_v7()) FROM (SELECT pg_sleep(0.1) FROM generate_series(1, 60) OFFSET 0) AS s
EOS
	ok(defined wait_until(30, sub { stopped($mover) }), 'another one works on gid.clock');
	kill 'CONT', $last;
	ok(defined wait_until(30, sub { stopped($last) }), 'and the last one finds it');
	kill 'CONT', $mover;
	is(($session[1]->answer)[0], 60, 'which goes on');
	end_session($session[1]);
	ok(defined wait_until(30, sub { !kill 0, $mover }), 'and ends');
	cmp_ok(file_lead($held), '>', 1, 'it leaves gid.clock to the last one');
	unlink "$dir/stops" or die "$dir/stops: $!";
	kill 'CONT', $last;
	ok(defined wait_until(30, sub { !kill 0, $last }), 'the last one ends');
	cmp_ok(file_lead($held), '<', NONE, 'and leaves the words in gid.clock');
	$held->stop;
}

# --- crashes -------------------------------------------------------------

# Kills a backend while ids are made, right after the bound was moved; the lead
# of the first id afterwards, in seconds.
sub crash
{
	my $victim = session($node, 'postgres');
	my $pid = $victim->safe('SELECT pg_backend_pid() FROM (SELECT gid_uuid_v7()) AS s');

	kill9_backend($node, $pid);
	end_session($victim);
	$round++;
	return leads($node);
}

my %crashed = map { $_ => KILLED } @ORDERED;

# 6. A crash leaves five seconds at most, and they are gone in ten.
my ($lead, $at);

for my $try (1 .. 5)
{
	sleep(1.2);
	$lead = crash();
	$at = monotonic();
	last if $lead->{v7} > 2;
}
check_leads($lead, \%crashed, 'a crash leaves a lead of five seconds at most');
cmp_ok($lead->{v7}, '>', 1, 'and some');
foreach my $part (1, 2)
{
	my $before = [ $at, shown_leads($node)->{v7} ];

	$before->[0] = monotonic();
	sleep($lead->{v7} / 4);
	my $taken = monotonic() - $before->[0];

	leads($node);
	my $shown = shown_leads($node)->{v7};
	my $passed = monotonic() - $before->[0];

	note(sprintf 'from %.3f to %.3f s in %.3f to %.3f s', $before->[1], $shown, $taken, $passed);
	cmp_ok($before->[1] - $shown, '>', 0.4 * $taken, 'a lead falls by half of what passes');
	cmp_ok($before->[1] - $shown, '<', 0.6 * $passed + 0.1, 'and no faster')
	  if $part == 1;
}
my $gone = wait_until(12, sub { leads($node)->{v7} < NONE });

ok(defined $gone, 'the lead is gone');
cmp_ok(monotonic() - $at, '<', 2 * $lead->{v7} + 2, 'in twice its length');
note(sprintf 'a lead of %.2f s was gone after %.2f s', $lead->{v7}, monotonic() - $at);

# 7. Six crashes in a row do not add up, though each life is short.
$lead = crash() for 1 .. 6;
check_leads(
	$lead,
	{ map { $_ => KILLED + 0.7 + $FLOOR{$_} } @ORDERED },
	'six crashes in a row leave hardly more than one');
$node->stop;
$node->start;
$round++;
check_leads(leads($node), { map { $_ => KILLED + 1.7 } @ORDERED }, 'nor does a restart after them');

check_growing($node, 'postgres', $_, 1, "over $round lives") for @ORDERED;

# --- connections that come and go ----------------------------------------

# 8. While many short connections make ids the last one out is often another
# one's neighbour in time. No id comes twice, and those of a life are greater
# than those of the life before.
$node->safe_psql('postgres', 'CREATE UNLOGGED TABLE raced (life int, '
	  . join(', ', map { "$_ $TYPE{$_} UNIQUE" } @ORDERED) . ')');
foreach my $life (1 .. 4)
{
	my ($clients, $rounds) = ([ 1, 150 ], [ 2, 100 ], [ 3, 80 ], [ 8, 30 ])[ $life - 1 ]->@*;

	ok( run_pgbench($node, 'postgres',
			"INSERT INTO raced VALUES ($life, " . join(', ', @CALL{@ORDERED}) . ');',
			'-C', '-c', $clients, '-j', 2, '-t', $rounds),
		"$clients clients of $rounds connections each, unique indexes");
	$node->restart;
}
is($node->safe_psql('postgres', 'SELECT count(*) FROM raced'), 830, 'every connection made its ids');
foreach my $family (@ORDERED)
{
	is($node->safe_psql('postgres', <<"EOS"), 't', "$family: each life goes on above the one before");
SELECT bool_and(least > before)
FROM (SELECT life, min($family) AS least,
		lag(max($family)) OVER (ORDER BY life) AS before
	FROM (SELECT life, ${family}::text COLLATE "C" AS $family FROM raced) AS s
	GROUP BY life) AS s
WHERE before IS NOT NULL
EOS
}
$node->stop;

# --- the postmaster writes -----------------------------------------------

# 9. With preload no session writes at its end; the postmaster does, at its own.
my $plain = $node;

$node = gid_node('preload', "shared_preload_libraries = 'gid'");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($node, 'postgres', @ORDERED);
foreach my $how ('smart', 'fast', 'immediate')
{
	sleep(1.2);
	$round++;
	leads($node);
	ok(holds_bound($node), "no session writes at its end, before a stop ($how)");
	$node->stop($how);
	ok(!holds_bound($node), "the postmaster writes the words ($how)");
	cmp_ok(file_lead($node), '<', NONE, "and they are not ahead ($how)");
	$node->start;
	$round++;
	check_leads(leads($node), \%least, "no lead after it ($how)");
}

# A crash of a backend: the postmaster makes the memory again, and the bound stays.
for my $try (1 .. 5)
{
	sleep(1.2);
	$lead = crash();
	last if $lead->{v7} > 2;
}
check_leads($lead, \%crashed, 'a crash leaves a lead of five seconds at most');
cmp_ok($lead->{v7}, '>', 1, 'and some');
ok(defined wait_until(12, sub { leads($node)->{v7} < NONE }), 'which is gone in ten');

# A server whose words have not started leaves the file alone.
$node->restart;
my $untouched = slurp_file(clock_path($node));

$node->restart;
is(slurp_file(clock_path($node)), $untouched, 'a life without ids leaves gid.clock alone');

# A stand-alone backend leaves the words, too.
$node->stop;
my ($out, $err) = ('', '');

IPC::Run::run(
	[ 'postgres', '--single', '-D', $node->data_dir, 'postgres' ],
	'<', \'SELECT gid_uuid_v7(), gid_trace_id()', '>', \$out, '2>', \$err);
like($out, qr/gid_trace_id = "[0-9]+"/, 'a stand-alone backend makes ids')
  or diag($err);
cmp_ok(file_lead($node), '<', NONE, 'and leaves the words in gid.clock');
$node->start;
$round++;
check_leads(leads($node), \%least, 'no lead after a stand-alone backend');

# An immediate stop kills a backend that works on gid.clock, with the claim and
# after it has taken ids.
SKIP:
{
	skip 'no C compiler for the fault library', 1 unless $library;

	my $dir = $node->basedir . '/faults';

	mkdir $dir or die "$dir: $!";
	$node->stop;
	with_env({ LD_PRELOAD => $library, GID_FAULT_DIR => $dir }, sub { $node->start });
	$round++;
	leads($node);
	my ($victim, $other) = map { session($node, 'postgres') } 1, 2;
	my $pid = $victim->safe('SELECT pg_backend_pid()');

	append_to_file("$dir/hold", '');
	$victim->send(<<"EOS");
SELECT gid_uuid_v7() FROM (SELECT pg_sleep(0.1) FROM generate_series(1, 60) OFFSET 0) AS s
EOS
	ok(defined wait_until(30, sub { stopped($pid) }), 'a backend works on gid.clock');
	$round++;

	# By a session that is there, before the time to the bound is over.
	leads($node, $other);
	end_session($other);
	$node->stop('immediate');
	end_session($victim);
	ok(!holds_bound($node), 'the postmaster writes the words, whoever had the claim');
	$node->start;
	$round++;
	check_leads(leads($node), \%least, 'no lead after it');
	check_growing($node, 'postgres', $_, 1, 'over a stop that killed the mover') for @ORDERED;
}

# The postmaster cannot write: a LOG line, and the bound stays.
sleep(1.2);
$round++;
leads($node);
$tmp = clock_path($node) . '.tmp';
$offset = -s $node->logfile;
mkdir $tmp or die "$tmp: $!";
$node->stop;
is(log_count($node, qr/LOG:  .*gid\.clock\.tmp/, $offset), 1, 'a LOG line when the postmaster cannot write');
ok(holds_bound($node), 'and the bound stays');
rmdir $tmp or die "$tmp: $!";
$node = $plain;

# --- what the log says of a lead -----------------------------------------

my $lead_line = qr/LOG:  gid: the server's time for ids leads the wall clock by [0-9]+ s\n/;
my $detail = qr/[^\n]*DETAIL:  /;
my %cause = (
	running => qr/$lead_line${detail}The wall clock was set back by 3[56][0-9]{2} s while the server ran\. /,
	killed => qr/$lead_line${detail}File "gid\.clock" was (?:2[4-9]|3[0-2]) s ahead of the wall clock at the start\. The server was killed or stopped at once before, several times in a row or after the wall clock was set back\.$/m,
	before => qr/$lead_line${detail}File "gid\.clock" was [0-9]+ s ahead of the wall clock at the start, because the wall clock was set back before\. /);

# The log names this cause, and no other.
sub check_cause
{
	my ($on, $from, $expected, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join(' ', grep { log_count($on, $cause{$_}, $from) } sort keys %cause), $expected, $name);
	return;
}

# Starts from a file that is so far ahead of the clock.
sub start_ahead
{
	my ($seconds, $exact, $written) = @_;
	my $at = int(time) + $seconds;

	clock_write_words($node, map { $_ => word_at($_, $at) + ($exact ? 4711 : 0) } @ORDERED);
	utime $written, $written, clock_path($node) or die "$!" if $written;
	my $from = -s $node->logfile;

	$node->start;
	$node->safe_psql('postgres', 'SELECT gid_uuid_v7()');
	$node->stop('immediate');
	return $from;
}

# 10. The lead at a start: what the killed server left, as six kills in a row
# do; more than it can have left; or the words of a server that was not
# killed.
check_cause($node, start_ahead(27, 0), 'killed', 'a bound that is ahead');
check_cause($node, start_ahead(3600, 0), 'before', 'a bound that is far ahead');
check_cause($node, start_ahead(27, 1), 'before', 'words that are ahead');
check_cause($node, start_ahead(27, 0, time + 22),
	'before', 'a bound that was written when the wall clock was ahead');

# 11. A clock that is set back while the server runs.
SKIP:
{
	skip 'libfaketime is not installed', 1 unless faketime_library();

	my $late = gid_node('late');
	my $environment = clock_set($late, '+3600');

	with_env($environment, sub { $late->start });
	$late->safe_psql('postgres', 'CREATE EXTENSION gid');
	$late->safe_psql('postgres', 'SELECT gid_uuid_v7()');
	clock_set($late, '+0');
	my $from = -s $late->logfile;

	$late->safe_psql('postgres', 'SELECT gid_uuid_v7()');
	check_cause($late, $from, 'running', 'a clock that is set back');
	is($late->safe_psql('postgres', 'SELECT gid_uuid_v7(); SELECT DISTINCT steps_back FROM gid.stat_clock') =~ /^1$/m,
		1, 'one step back is shown');

	# The lead is older than this start.
	$late->stop;
	$from = -s $late->logfile;
	with_env($environment, sub { $late->start });
	$late->safe_psql('postgres', 'SELECT gid_uuid_v7()');
	check_cause($late, $from, 'before', 'the same after a restart');
	$late->stop;

	# A file of a server that was killed does not tell whether its clock had been
	# set back: both are named.
	unlink clock_path($late) or die "$!";
	clock_set($late, '+400');
	with_env($environment, sub { $late->start });
	$late->safe_psql('postgres', 'SELECT gid_uuid_v7()');
	clock_set($late, '+370');
	$session = session($late, 'postgres');
	$session->safe('SELECT gid_uuid_v7()') for 1 .. 2;
	$late->stop('immediate');
	end_session($session);
	$from = -s $late->logfile;
	with_env($environment, sub { $late->start });
	$late->safe_psql('postgres', 'SELECT gid_uuid_v7()');
	check_cause($late, $from, 'killed', 'a clock that is set back before the server is killed');
	$late->stop;
}

done_testing();
