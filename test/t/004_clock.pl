# The wall clock is set back while the server runs or is down.  No id comes twice,
# and the order of the ids stays.  The server's time goes on, at half a clock's pace
# while it leads the wall clock.
#
# SQL alone cannot test this: it needs a clock that the test steps.  libfaketime
# steps the wall clock under the real server, and leaves the monotonic clock alone.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

plan skip_all => 'libfaketime is not installed' unless faketime_library();

my $lead_line = qr/LOG:  gid: .* leads the wall clock by/;
my $round = 0;

sub take_all
{
	my ($node, @families) = @_;
	my %file;
	my $session = session($node, 'postgres');

	$file{$_} = take($node, $session, $_, 500) for @families;
	end_session($session);
	return \%file;
}

sub load_all
{
	my ($node, $file) = @_;

	$round++;
	load_file($node, 'postgres', $_, $round, $file->{$_}) for keys %$file;
	return;
}

# A new id of each family: its moment in Unix seconds, and the real and the
# monotonic clock before and after it was made.
sub moments
{
	my ($node, @families) = @_;
	my %moment;

	foreach (@families ? @families : @ORDERED)
	{
		my @before = (time, monotonic());
		my $id = $node->safe_psql('postgres', "SELECT $CALL{$_}");
		my @after = (time, monotonic());

		$node->safe_psql('postgres',
			"INSERT INTO seen_$_ (round, id) VALUES (0, '$id')");
		$moment{$_} = {
			id => word_seconds($_, word_of($_, $id, int($after[0]))),
			before => \@before,
			after => \@after
		};
	}
	return \%moment;
}

# Over two seconds the ids' time advances at least "slowest" and at most "fastest"
# times two seconds, within a tenth: once where the ids follow the wall clock, half
# where they lead it.
sub check_pace
{
	my ($node, $name, $slowest, $fastest) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $first = moments($node);

	sleep(2);
	my $second = moments($node);

	foreach (@ORDERED)
	{
		my $least = $slowest * ($second->{$_}{before}[1] - $first->{$_}{after}[1]);
		my $most = $fastest * ($second->{$_}{after}[1] - $first->{$_}{before}[1]);
		my $counted = $second->{$_}{id} - $first->{$_}{id};

		note(sprintf '%s: %.3f s counted, %.3f to %.3f s expected, %s',
			$_, $counted, $least, $most, $name);
		ok( $counted > $least - $FLOOR{$_} - 0.1
			  && $counted < $most + $FLOOR{$_} + 0.1,
			"$_: a clock's pace or half of it, $name");
	}
	return;
}

# What a lead has drained since a moment of the monotonic clock, at most, for
# check_distance(): it goes on draining while a slow machine draws the ids.
sub drained_since
{
	my ($since, $times) = @_;

	return sub { ($times // 1) * ($_[0] - $since) / 2 + 0.2 };
}

# The ids' time is at least "least" and at most "most" seconds ahead of the real
# clock. "drained", if given, says how much less than "least" it may be.
sub check_distance
{
	my ($node, $least, $most, $name, @families) = @_;
	my $drained = ref $families[0] ? shift @families : sub { 0 };

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	@families = @ORDERED unless @families;
	my $moment = moments($node, @families);
	my @wrong = grep {
		my $at = $moment->{$_}{id};

		$at + $FLOOR{$_} < $moment->{$_}{before}[0] + $least - $drained->($moment->{$_}{after}[1])
		  || $at > $moment->{$_}{after}[0] + $most
	} @families;

	note("$name: "
		  . join(', ',
			map { sprintf '%s %.2f s', $_, $moment->{$_}{id} - $moment->{$_}{before}[0] }
			  @families));
	is(join(' ', @wrong), '', $name);
	return;
}

# How far the server's clock is ahead of the real one, at least and at most.
sub wall_distance
{
	my ($node) = @_;

	my $before = time;
	my $clock = $node->safe_psql('postgres', 'SELECT extract(epoch FROM clock_timestamp())');

	return ($clock - time, $clock - $before);
}

# Whether the clock is "offset" seconds ahead, within half a second.
sub check_clock
{
	my ($node, $offset, $name) = @_;
	my ($least, $most) = wall_distance($node);

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok($least < $offset + 0.5 && $most > $offset - 0.5, $name) or diag("$least to $most s");
	return;
}

# --- a server with one long lead -----------------------------------------

# 0. A lead of more than ten seconds makes a line in the log at once, and the
# next one not before a minute is over. This server runs on meanwhile.
my $minute = gid_node('minute');
my $minute_environment = clock_set($minute, '+0');

with_env($minute_environment, sub { $minute->start });
$minute->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($minute, 'postgres');
moments($minute);
clock_set($minute, '-3600');
my $minute_start = monotonic();

moments($minute) for 1 .. 5;
is(log_count($minute, $lead_line),
	1, 'a lead of more than ten seconds is logged at once, once');

# --- a server whose clock is set back ------------------------------------

my $late = gid_node('late');
my $environment = clock_set($late, '+0');

with_env($environment, sub { $late->start });
$late->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($late, 'postgres');

# 1. Steps back while the server runs. Sessions that know the old clock and
# new ones take ids by turns.
my $old = session($late, 'postgres');
my $log_start = -s $late->logfile;
my $log_clock = monotonic();
my $drained = drained_since($log_clock);

load_all($late, take_all($late, @ORDERED));
foreach my $step ([ '3 s', '-3' ], [ '1 h', '-3600' ], [ '10 years', '-315576000' ])
{
	my ($name, $offset) = @$step;

	my %before = map { $_ => take($late, $old, $_, 500) } @ORDERED;
	clock_set($late, $offset);
	check_clock($late, $offset, "the clock is $name behind");
	my $taken = time;
	my %after = map { $_ => take($late, $old, $_, 500) } @ORDERED;
	my ($id) = slurp_file($after{v7}) =~ /\A([^\n]+)\n/;

	cmp_ok(word_seconds('v7', word_of('v7', $id)) - $taken, '>', -$drained->(monotonic()),
		"the first id afterwards does not follow the clock back by $name");
	load_all($late, \%before);
	load_all($late, \%after);
	load_all($late, take_all($late, @ORDERED));
	check_growing($late, 'postgres', $_, 1, "clock set back $name while running")
	  for @ORDERED;
	# A lead has drained a little.
	check_distance($late, 0, 0.5, "ids do not follow the clock back by $name", $drained);
	check_pace($late, "clock set back $name", 0.5, $offset == -3 ? 1 : 0.5);
}
end_session($old);
SKIP:
{
	skip 'this machine took more than a minute', 1
	  if monotonic() - $log_clock > 55;
	is(log_count($late, $lead_line, $log_start),
		1, 'one line about a lead of 1 h, then 10 years, within a minute');
}

# 2. The wall clock an hour behind over a restart of each kind.
foreach my $how ('fast', 'immediate', 'kill')
{
	clock_set($late, '-3600');
	load_all($late, take_all($late, @ORDERED));
	$how eq 'kill' ? kill9_server($late) : $late->stop($how);
	clock_set($late, '-7200');
	with_env($environment, sub { $late->start });
	load_all($late, take_all($late, @ORDERED));
	check_growing($late, 'postgres', $_, 1, "clock set back over a stop ($how)")
	  for @ORDERED;
	check_clock($late, -7200, "the clock is 2 h behind after the stop ($how)");
}

# Two starts began at the bound, five seconds ahead at most; while the server is
# down its time stands.
check_distance($late, 0, 11, 'ids do not follow the clock back over stops', drained_since($log_clock, 2));
# Shard-key UUIDs have begun at the next full second.
sleep(2.5);
check_pace($late, 'after the restarts', 0.5, 0.5);

$late->stop;

# --- a server whose clock jumps ------------------------------------------

my $jump = gid_node('jump');
my $jump_environment = clock_set($jump, '+0');

with_env($jump_environment, sub { $jump->start });
$jump->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($jump, 'postgres');

# 3. A family that was idle while the clock stepped goes on from the server's
# time, not the wall clock's: two families see an hour that passes, the others do not.
check_distance($jump, -0.5, 0.5, 'before the steps', 'v7', 'trace');
clock_set($jump, '+3600');
check_distance($jump, 3599.5, 3600.5, 'the families follow the clock forward',
	'v7', 'trace');
# The lead drains from here on.
$drained = drained_since(monotonic());
clock_set($jump, '+0');
check_distance($jump, 3599.5, 3600.5, 'and do not follow it back', $drained, 'v7', 'trace');
check_distance($jump, 3599.5, 3600.5, 'nor do those that were idle', $drained,
	grep { !/^(v7|trace)$/ } @ORDERED);
check_pace($jump, 'clock set forward and back by 1 h', 0.5, 0.5);
load_all($jump, take_all($jump, @ORDERED));
check_growing($jump, 'postgres', $_, 1, 'clock set forward and back by 1 h')
  for @ORDERED;

# 4. Idle families whose last id is old: nobody sees the clock go back before
# the one that was idle is called.
clock_set($jump, '+7200');
check_distance($jump, 7199.5, 7200.5, 'one family follows the clock forward', 'v7');
$drained = drained_since(monotonic());
clock_set($jump, '+5400');
check_distance($jump, 7199.5, 7200.5, 'an idle family, first to be called', $drained, 'shard');
check_distance($jump, 7199.5, 7200.5, 'and the others', $drained, grep { $_ ne 'shard' } @ORDERED);

# 5. When the wall clock has caught up, the ids follow it again.
clock_set($jump, '+9000');
check_distance($jump, 8999.5, 9000.5, 'ids follow the clock when it is ahead again');
check_pace($jump, 'when the clock is ahead again', 1, 1);
load_all($jump, take_all($jump, @ORDERED));
check_growing($jump, 'postgres', $_, 1, 'after the clock caught up')
  for @ORDERED;
$jump->stop;

# 6. Many backends at once while the clock is stepped to and fro.
my $mad = gid_node('mad', <<'EOC');
synchronous_commit = off
# A step forward would make the server believe that a timeout is over.
statement_timeout = 0
EOC
my $mad_environment = clock_set($mad, '+0');

with_env($mad_environment, sub { $mad->start });
my $columns = join ', ', map { "$_ $TYPE{$_} UNIQUE" } @ORDERED;
my $calls = join ', ', map { $CALL{$_} } @ORDERED;

$mad->safe_psql('postgres', <<"EOS");
CREATE EXTENSION gid;
CREATE SEQUENCE held_n CACHE 1;
CREATE UNLOGGED TABLE held (n bigint, $columns);
EOS
my $test = $$;
my $stepper = fork();

die "fork: $!" unless defined $stepper;
if ($stepper == 0)
{
	my @offsets = ('-1', '+0', '+60', '-3600', '+30', '-0.01', '+0.5', '-86400');

	# Leave without the test modules' END blocks.
	$SIG{TERM} = sub { POSIX::_exit(0); };
	for (my $i = 0; getppid() == $test; $i++)
	{
		clock_set($mad, $offsets[ $i % @offsets ]);
		sleep(0.05);
	}
	POSIX::_exit(0);
}
ok( run_pgbench($mad, 'postgres', <<"EOS",
BEGIN;
SELECT pg_advisory_xact_lock(7);
INSERT INTO held
SELECT nextval('held_n'), $calls FROM generate_series(1, 5);
COMMIT;
EOS
		'-c', 8, '-j', 2, '-t', 150),
	'8 clients while the clock is stepped, unique indexes');
kill 'TERM', $stepper;
waitpid $stepper, 0;
foreach my $family (@ORDERED)
{
	my ($n, $back) = split /\|/, $mad->safe_psql('postgres', <<"EOS");
SELECT count(*), count(*) FILTER (WHERE id <= before)
FROM (SELECT $family AS id, lag($family) OVER (ORDER BY n) AS before
	FROM held) AS s
EOS
	note("$family: $n ids while the clock is stepped, $back steps back");
	ok($n == 6000 && $back == 0,
		"$family: ids increase over all backends while the clock is stepped");
}
$mad->stop;

# --- clocks that are far off ---------------------------------------------

# 7. A clock before 1970 or beyond 9999: an error, or an id that goes on from
# the server's time, never one that tells another time.
my $far = gid_node('far');
my $far_environment = clock_set($far, '+0');

with_env($far_environment, sub { $far->start });
$far->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($far, 'postgres');
clock_set($far, '-3000000000');
SKIP:
{
	skip 'libfaketime does not reach 1930', 1
	  unless (wall_distance($far))[0] < -2.9e9;
	$far->stop;
	unlink clock_path($far);
	with_env($far_environment, sub { $far->start });
	my ($rc, $v7, $err) = $far->psql('postgres', 'SELECT gid_uuid_v7()',
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	note("before 1970: $v7$err");
	ok( $rc == 0
		? word_seconds('v7', word_of('v7', $v7)) < 86400
		: $err =~ /ERROR:  22008:/,
		'at the first start a clock before 1970 counts as 1970 or is an error');
}
clock_set($far, '+0');
check_distance($far, -0.5, 7, 'and is forgotten when it is set right');
foreach my $when ('while running', 'before the first id', 'without a file')
{
	if ($when ne 'while running')
	{
		$far->stop('immediate');
		unlink clock_path($far) if $when eq 'without a file';
		clock_set($far, '+280000000000');
		with_env($far_environment, sub { $far->start });
	}
	clock_set($far, '+280000000000');
  SKIP:
	{
		skip 'libfaketime does not reach the year 10000', 4
		  unless (wall_distance($far))[0] > 2.7e11;
		sql_fails($far, 'postgres', "SELECT $CALL{$_}", '22008',
			"$_: a clock beyond the year 9999 is an error, $when")
		  for @ORDERED;
	}
	clock_set($far, '+0');
	my ($rc, $out, $err) = $far->psql('postgres',
		"SET statement_timeout = '5s'; SELECT $CALL{v7}");

	is($rc, 0, "and is forgotten when it is set right, $when")
	  or diag($err), next;
	check_distance($far, -0.5, 12, "ids follow the clock again, $when");
}
clock_set($far, '+8700000000');
SKIP:
{
	skip 'libfaketime does not reach the year 2302', 3
	  unless (wall_distance($far))[0] > 8.6e9;
	check_distance($far, 8699999999.5, 8700000000.5, 'ids of the year 2302',
		'v7', 'sequential');

	# The 41 bits of a Snowflake id end 69 years after its epoch.
	sql_fails($far, 'postgres', 'SELECT gid_snowflake_id()', '22008',
		'snowflake: an error after the 41 bits',
		text => qr/2010-11-04 01:42:54\.657 to 2080-07-10 17:30:30\.208999 UTC/);
	is( $far->safe_psql('postgres', <<'EOS'), 't', 'snowflake: a later epoch goes on');
SELECT gid_extract_snowflake_time(gid_snowflake_id(10098259200000), 10098259200000)
	BETWEEN now() - interval '1 s' AND clock_timestamp() + interval '2 s'
EOS
}
$far->stop;

# --- settings that were published before a step --------------------------

# 8. A reload is the later one although the wall clock was set back before. No
# session is there when it comes, and without preload none else uses gid.
my $reload = gid_node('reload', 'gid.reservation_wait = 10s');
my $reload_environment = clock_set($reload, '+0');

with_env($reload_environment, sub { $reload->start });
$reload->safe_psql('postgres', 'CREATE EXTENSION gid');
clock_set($reload, '+3600');
my $publisher = session($reload, 'postgres');

$publisher->safe('SELECT gid_uuid_v7()');
gid_set($reload, 'gid.reservation_wait', '11s');
$reload->reload;
ok( defined wait_until(60, sub { $publisher->safe('SHOW gid.reservation_wait') eq '11s' }),
	'a session publishes what a reload has set');
end_session($publisher);
clock_set($reload, '+0');
gid_reload($reload, 'gid.reservation_standbys', 1);
is($reload->safe_psql('postgres', 'SELECT standbys_wanted FROM gid.stat_failover'),
	1, 'a reload after the clock was set back is in force');
$reload->stop;

# --- the server with one long lead again ---------------------------------

# 0, continued.
my $left = $minute_start + 61 - monotonic();

moments($minute);
is(log_count($minute, $lead_line),
	1, 'still one line before the minute is over') if $left > 3;
sleep($left) if $left > 0;
moments($minute) for 1 .. 5;
is(log_count($minute, $lead_line),
	2, 'one more line when the minute is over');
check_growing($minute, 'postgres', $_, 1, 'over a minute an hour behind')
  for @ORDERED;
check_distance($minute, -1, 0.5, 'an hour behind, ids keep the time', drained_since($minute_start));
$minute->stop;

done_testing();
