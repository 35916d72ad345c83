# The wall clock is set back while the server runs or is down.  No id comes twice, and the
# order of the ids stays.  The server's time goes on, at half a clock's pace while it leads
# the wall clock.
#
# SQL alone cannot test this: it needs a clock that the test steps.  libfaketime steps the
# wall clock under the real server, and the monotonic clock only where a test says so.

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

my $lead_line = qr/LOG:  gid: the server's time for ids leads the wall clock by [0-9]+ s\n[^\n]*DETAIL:  /;
my $round = 0;

# A server with a clock that can be stepped.
sub clock_node
{
	my ($name, %env) = @_;
	my $node = gid_node($name, <<'EOC');
synchronous_commit = off
# A step forward would make the server believe that a timeout is over.
statement_timeout = 0
EOC

	$node->{environment} = { %{ clock_set($node, '+0') }, %env };
	start($node);
	$node->safe_psql('postgres', 'CREATE EXTENSION gid');
	seen_tables($node, 'postgres', @ORDERED);
	return $node;
}

sub start
{
	my ($node) = @_;

	with_env($node->{environment}, sub { $node->start });
	return;
}

# Ids of each family, by a new session or this one, into the tables of what was seen.
sub make
{
	my ($node, $known) = @_;
	my $session = $known // session($node, 'postgres');
	my %file = map { $_ => take($node, $session, $_, 200) } @ORDERED;

	end_session($session) unless $known;
	$round++;
	load_file($node, 'postgres', $_, $round, $file{$_}) for @ORDERED;
	return;
}

# The ids' time, in Unix seconds, of a new id of each family; the real and the monotonic
# clock before and after it was made.
sub moments
{
	my ($node, @families) = @_;
	my %moment;

	foreach (@families)
	{
		my @before = (time, monotonic());
		my $id = $node->safe_psql('postgres', "SELECT $CALL{$_}");
		my @after = (time, monotonic());

		$moment{$_} = {
			id => word_seconds($_, word_of($_, $id, int($after[0]))), before => \@before, after => \@after };
	}
	return \%moment;
}

# The ids' time is "ahead" seconds ahead of the real clock, less what a lead has drained
# since a moment of the monotonic clock if that is given.  A family of whole seconds begins
# with a second of its own.
sub check_ahead
{
	my ($node, $ahead, $since, $name, @families) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	@families = @ORDERED unless @families;
	my $moment = moments($node, @families);
	my @wrong = grep {
		my $m = $moment->{$_};
		my $drained = defined $since ? ($m->{after}[1] - $since) / 2 + 0.2 : 0;

		$m->{id} + $FLOOR{$_} < $m->{before}[0] + $ahead - 0.5 - $drained
		  || $m->{id} > $m->{after}[0] + $ahead + 0.5 + $FLOOR{$_}
	} @families;

	note("$name: " . join(', ', map { sprintf '%s %.2f s', $_, $moment->{$_}{id} - $moment->{$_}{before}[0] } @families));
	is(join(' ', @wrong), '', $name);
	return;
}

# --- a server whose clock is set back ------------------------------------

# 1. While it runs: sessions that know the old clock and new ones.
my $late = clock_node('late');
my $old = session($late, 'postgres');

make($late, $old);
my $log_start = -s $late->logfile;
my $set_back = monotonic();

foreach my $step ([ '1 h', '-3600' ], [ '10 years', '-315576000' ])
{
	my ($name, $offset) = @$step;

	make($late, $old);
	clock_set($late, $offset);
	check_ahead($late, 0, $set_back, "ids do not follow the clock back by $name");
	make($late, $old);
	make($late);
}
end_session($old);
cmp_ok(log_count($late, qr/${lead_line}The wall clock was set back by 3[56][0-9]{2} s while the server ran\. /, $log_start),
	'>=', 1, 'the log tells the lead and its cause');
is($late->safe_psql('postgres', 'SELECT DISTINCT steps_back FROM gid.stat_clock'), 2, 'two steps back are shown');

# 2. While it is down.  Each start begins at the bound.
foreach my $how ('fast', 'kill')
{
	clock_set($late, '-3600');
	make($late);
	$how eq 'kill' ? kill9_server($late) : $late->stop($how);
	clock_set($late, '-7200');
	start($late);
	make($late);
}
check_growing($late, 'postgres', $_, 1, 'clock set back while running and while down') for @ORDERED;
$late->stop;

# --- a server whose clock jumps ------------------------------------------

# 3. A family that was idle while the clock stepped goes on from the server's time, not the
# wall clock's: two families see an hour that passes, the others do not.
my $jump = clock_node('jump');

check_ahead($jump, 0, undef, 'before the steps', 'v7', 'trace');
clock_set($jump, '+3600');
check_ahead($jump, 3600, undef, 'the families follow the clock forward', 'v7', 'trace');
$set_back = monotonic();
clock_set($jump, '+0');
check_ahead($jump, 3600, $set_back, 'and none follows it back', 'shard', 'trace', 'snowflake', 'sequential', 'v7');
clock_set($jump, '+9000');
check_ahead($jump, 9000, undef, 'ids follow the clock when it is ahead again');
clock_set($jump, '+0');

# 4. Many backends at once while the clock is stepped to and fro.
my $columns = join ', ', map { "$_ $TYPE{$_} UNIQUE" } @ORDERED;
my $calls = join ', ', map { $CALL{$_} } @ORDERED;

$jump->safe_psql('postgres',
	"CREATE SEQUENCE held_n CACHE 1; CREATE UNLOGGED TABLE held (n bigint, $columns)");
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
		clock_set($jump, $offsets[ $i % @offsets ]);
		sleep(0.05);
	}
	POSIX::_exit(0);
}
ok( run_pgbench($jump, 'postgres', <<"EOS",
BEGIN;
SELECT pg_advisory_xact_lock(7);
INSERT INTO held SELECT nextval('held_n'), $calls FROM generate_series(1, 5);
COMMIT;
EOS
		'-c', 8, '-j', 2, '-t', 60),
	'8 clients while the clock is stepped, unique indexes');
kill 'TERM', $stepper;
waitpid $stepper, 0;
foreach my $family (@ORDERED)
{
	is($jump->safe_psql('postgres', <<"EOS"), '2400|0', "$family: ids increase over all backends while the clock is stepped");
SELECT count(*), count(*) FILTER (WHERE id <= before)
FROM (SELECT $family AS id, lag($family) OVER (ORDER BY n) AS before FROM held) AS s
EOS
}
$jump->stop;

# --- a server with a lead, and both clocks stepped -----------------------

# 5. The pace, and the line in the log, without waiting for them: a step of both clocks is
# time that passes.
my $lead = clock_node('lead', FAKETIME_DONT_FAKE_MONOTONIC => 0);

# A new id's time over the wall clock of the server, in seconds.
sub leads
{
	return $lead->safe_psql('postgres', <<"EOS");
SELECT extract(epoch FROM $TIME{$_[0]}(id) - clock_timestamp()) FROM (SELECT $CALL{$_[0]} AS id OFFSET 0) AS s
EOS
}

# The server starts with words that lead by so many seconds.
sub start_ahead
{
	my ($seconds, $exact) = @_;
	my $at = int(time) + $seconds;

	$lead->stop('immediate');
	clock_set($lead, '+0');
	clock_write_words($lead, map { $_ => word_at($_, $at) + ($exact ? 4711 : 0) } @ORDERED);
	my $from = -s $lead->logfile;

	start($lead);
	return $from;
}

leads('v7');
my $from = start_ahead(3600, 1);
my %before = map { $_ => leads($_) } @ORDERED;

cmp_ok($before{v7}, '>', 3500, 'a server leads by an hour');
leads('v7') for 1 .. 5;
is(log_count($lead, $lead_line, $from), 1, 'a lead of more than ten seconds is logged at once, once');
is(log_count($lead, qr/${lead_line}File "gid\.clock" was [0-9]+ s ahead of the wall clock at the start, because the wall clock was set back before\. /, $from),
	1, 'with its cause');
clock_set($lead, '+2000');
foreach (@ORDERED)
{
	my $drained = $before{$_} - leads($_);

	# What really passes counts as well, and a family of whole seconds is rounded.
	ok($drained > 998 && $drained < 1100, "$_: a lead falls by half of what passes") or diag($drained);
}
is(log_count($lead, $lead_line, $from), 2, 'one more line when a minute is over');
clock_set($lead, '+7300');
cmp_ok(abs(leads('v7')), '<', 1, 'the lead is gone in twice its length');
clock_set($lead, '+17300');
cmp_ok(abs(leads('v7')), '<', 1, 'and ids follow the clock');
$lead->stop;

# --- clocks that are far off ---------------------------------------------

# 6. A clock before 1970 or beyond 9999: an error, or an id that goes on from the server's
# time, never one that tells another time.
my $far = clock_node('far');

sub wall_is
{
	my ($seconds) = @_;
	my $clock = $far->safe_psql('postgres', 'SELECT extract(epoch FROM clock_timestamp())');

	return abs($clock - time - $seconds) < 1e6;
}

$far->stop;
unlink clock_path($far);
clock_set($far, '-3000000000');
start($far);
SKIP:
{
	skip 'libfaketime does not reach 1930', 1 unless wall_is(-3e9);
	my ($rc, $v7, $err) = $far->psql('postgres', 'SELECT gid_uuid_v7()',
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	ok( $rc == 0 ? word_seconds('v7', word_of('v7', $v7)) < 86400 : $err =~ /ERROR:  22008:/,
		'at the first start a clock before 1970 counts as 1970 or is an error') or diag("$v7$err");
}
clock_set($far, '+0');
check_ahead($far, 0, undef, 'and is forgotten when it is set right', 'v7');
foreach my $when ('while running', 'without a file')
{
	if ($when ne 'while running')
	{
		$far->stop('immediate');
		unlink clock_path($far);
		clock_set($far, '+280000000000');
		start($far);
	}
	clock_set($far, '+280000000000');
  SKIP:
	{
		skip 'libfaketime does not reach the year 10000', scalar @ORDERED unless wall_is(2.8e11);
		sql_fails($far, 'postgres', "SELECT $CALL{$_}", '22008', "$_: a clock beyond the year 9999 is an error, $when")
		  for @ORDERED;
	}
	clock_set($far, '+0');
	check_ahead($far, 0, undef, "ids follow the clock again, $when");
}
clock_set($far, '+8700000000');
SKIP:
{
	skip 'libfaketime does not reach the year 2302', 3 unless wall_is(8.7e9);
	check_ahead($far, 8700000000, undef, 'ids of the year 2302', 'v7', 'sequential');

	# The 41 bits of a Snowflake id end 69 years after its epoch.
	sql_fails($far, 'postgres', 'SELECT gid_snowflake_id()', '22008', 'snowflake: an error after the 41 bits',
		text => qr/2010-11-04 01:42:54\.657 to 2080-07-10 17:30:30\.208999 UTC/);
	is( $far->safe_psql('postgres', <<'EOS'), 't', 'snowflake: a later epoch goes on');
SELECT gid_extract_snowflake_time(gid_snowflake_id(10098259200000), 10098259200000)
	BETWEEN now() - interval '1 s' AND clock_timestamp() + interval '2 s'
EOS
}
$far->stop;

done_testing();
