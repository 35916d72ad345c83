# The wall clock is set back while the server runs.  The ids' time goes on, at half a
# clock's pace while it leads the wall clock; clocks that are far off.  (003_crash shows that
# no id comes twice.)
#
# SQL alone cannot test this: it needs a clock that the test steps.  libfaketime steps the
# wall clock under the real server, and the monotonic clock only where a test says so.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time);

plan skip_all => 'libfaketime is not installed' unless faketime_library();

my $lead_line = qr/LOG:  gid: the server's time for ids leads the wall clock by [0-9]+ s\n[^\n]*DETAIL:  /;

# A server with a clock that can be stepped.
sub clock_node
{
	my ($name, $offset, %env) = @_;
	my $node = gid_node($name, <<'EOC');
# A step forward would make the server believe that a timeout is over.
statement_timeout = 0
EOC

	$node->{environment} = { %{ clock_set($node, $offset) }, %env };
	start($node);
	$node->safe_psql('postgres', 'CREATE EXTENSION gid');
	return $node;
}

sub start
{
	my ($node) = @_;

	with_env($node->{environment}, sub { $node->start });
	return;
}

# A new id's time over the wall clock of the server, in seconds.
sub leads
{
	my ($node, $family) = @_;

	return $node->safe_psql('postgres', <<"EOS");
SELECT extract(epoch FROM $TIME{$family}(id) - clock_timestamp()) FROM (SELECT $CALL{$family} AS id OFFSET 0) AS s
EOS
}

# New ids lead by so many seconds, less what has drained since a moment of the monotonic
# clock if that is given.  A family of whole seconds begins with a second of its own.
sub check_lead
{
	my ($node, $lead, $since, $name, @families) = @_;
	my @wrong;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	foreach my $family (@families)
	{
		my $is = leads($node, $family);
		my $drained = defined $since ? (monotonic() - $since) / 2 + 0.2 : 0;

		push @wrong, "$family: $is" if $is + $FLOOR{$family} < $lead - 0.5 - $drained || $is > $lead + 0.5 + $FLOOR{$family};
	}
	none($name, @wrong);
	return;
}

# --- a server whose clock jumps ------------------------------------------

# 1. A family that was idle while the clock stepped goes on from the server's time, not the
# wall clock's: two families see an hour that passes, the others do not.
my $jump = clock_node('jump', '+0');

check_lead($jump, 0, undef, 'before the steps', 'v7', 'trace');
clock_set($jump, '+3600');
check_lead($jump, 0, undef, 'the families follow the clock forward', 'v7', 'trace');
my $set_back = monotonic();

clock_set($jump, '+0');
check_lead($jump, 3600, $set_back, 'and none follows it back', 'shard', 'trace', 'snowflake', 'sequential', 'v7');
is(log_count($jump, qr/${lead_line}The wall clock was set back by 3[56][0-9]{2} s while the server ran\. /),
	1, 'the log tells the lead and its cause');
is($jump->safe_psql('postgres', 'SELECT DISTINCT steps_back FROM gid.stat_clock'), 1, 'a step back is shown');
clock_set($jump, '+9000');
check_lead($jump, 0, undef, 'ids follow the clock when it is ahead again', @ORDERED);

# 2. Many backends at once while the clock is stepped to and fro.
my $columns = join ', ', map { "$_ $TYPE{$_} UNIQUE" } @ORDERED;
my $calls = join ', ', map { $CALL{$_} } @ORDERED;
my $stepper = IPC::Run::start(
	[ 'sh', '-c', <<'EOS', 'sh', $jump->basedir . '/clock' ]);
while :; do for offset in -1 +0 +60 -3600 +30 -0.01 +0.5 -86400; do
	echo $offset >"$1.new"; mv "$1.new" "$1"; sleep 0.05
done; done
EOS

$jump->safe_psql('postgres', "CREATE SEQUENCE held_n CACHE 1; CREATE UNLOGGED TABLE held (n bigint, $columns)");
ok( run_pgbench($jump, 'postgres', <<"EOS", '-c', 8, '-j', 2, '-t', 60), '8 clients while the clock is stepped, unique indexes');
BEGIN;
SELECT pg_advisory_xact_lock(7);
INSERT INTO held SELECT nextval('held_n'), $calls FROM generate_series(1, 5);
COMMIT;
EOS
$stepper->kill_kill;
foreach my $family (@ORDERED)
{
	is($jump->safe_psql('postgres', <<"EOS"), '2400|0', "$family: ids increase while the clock is stepped");
SELECT count(*), count(*) FILTER (WHERE id <= before)
FROM (SELECT $family AS id, lag($family) OVER (ORDER BY n) AS before FROM held) AS s
EOS
}
$jump->stop;

# --- a server with a lead, and both clocks stepped -----------------------

# 3. The pace, and the line in the log, without waiting for them: a step of both clocks is
# time that passes.  The server starts with words that lead by an hour.
my $lead = clock_node('lead', '+0', FAKETIME_DONT_FAKE_MONOTONIC => 0);

leads($lead, 'v7');
$lead->stop('immediate');
my $at = int(time) + 3600;

clock_write_words($lead, map { $_ => word_at($_, $at) + 4711 } @ORDERED);
my $from = -s $lead->logfile;

start($lead);
my %before = map { $_ => leads($lead, $_) } @ORDERED;

cmp_ok($before{v7}, '>', 3500, 'a server leads by an hour');
is(log_count($lead, $lead_line, $from), 1, 'a lead of more than ten seconds is logged at once, once');
is(log_count($lead, qr/${lead_line}File "gid\.clock" was [0-9]+ s ahead of the wall clock at the start, because the wall clock was set back before\. /, $from),
	1, 'with its cause');
clock_set($lead, '+2000');
foreach (@ORDERED)
{
	my $drained = $before{$_} - leads($lead, $_);

	# What really passes counts as well, and a family of whole seconds is rounded.
	ok($drained > 998 && $drained < 1100, "$_: a lead falls by half of what passes") or diag($drained);
}
is(log_count($lead, $lead_line, $from), 2, 'one more line when a minute is over');
clock_set($lead, '+7300');
cmp_ok(abs(leads($lead, 'v7')), '<', 1, 'the lead is gone in twice its length');
clock_set($lead, '+17300');
cmp_ok(abs(leads($lead, 'v7')), '<', 1, 'and ids follow the clock');
$lead->stop;

# --- clocks that are far off ---------------------------------------------

# 4. A clock before 1970 or beyond 9999: an error, or an id that goes on from the server's
# time, never one that tells another time.
my $far = clock_node('far', '-3000000000');
my $v7 = $far->safe_psql('postgres', 'SELECT gid_uuid_v7()');

cmp_ok(word_seconds('v7', word_of('v7', $v7)), '<', 86400, 'at the first start a clock before 1970 counts as 1970');
clock_set($far, '+0');
check_lead($far, 0, undef, 'and is forgotten when it is set right', 'v7');
foreach my $when ('without a file', 'while running')
{
	if ($when ne 'while running')
	{
		$far->stop('immediate');
		unlink clock_path($far);
		start($far);
	}
	clock_set($far, '+280000000000');
	sql_fails($far, 'postgres', "SELECT $CALL{$_}", '22008', "$_: a clock beyond the year 9999 is an error, $when")
	  for @ORDERED;
	clock_set($far, '+0');
	check_lead($far, 0, undef, "ids follow the clock again, $when", @ORDERED);
}
clock_set($far, '+8700000000');
check_lead($far, 0, undef, 'ids of the year 2302', 'v7', 'sequential');

# The 41 bits of a Snowflake id end 69 years after its epoch.
sql_fails($far, 'postgres', 'SELECT gid_snowflake_id()', '22008', 'snowflake: an error after the 41 bits',
	text => qr/2010-11-04 01:42:54\.657 to 2080-07-10 17:30:30\.208999 UTC/);
is( $far->safe_psql('postgres', <<'EOS'), 't', 'snowflake: a later epoch goes on');
SELECT gid_extract_snowflake_time(gid_snowflake_id(10098259200000), 10098259200000)
	BETWEEN now() - interval '1 s' AND clock_timestamp() + interval '2 s'
EOS
$far->stop;

done_testing();
