# A primary whose standbys are held: what the tests of waits share.  The test sets
# $primary, $standby and $control, a session that asks and draws nothing.

package GidStandby;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use GidTest;
use Time::HiRes qw(sleep);

our @EXPORT = qw($primary $standby $control $launch
  ascending await_true catch_up change_nothing comes_true distinct hold_process hold_standby let_standbys_go
  make_sequences named_session next_launch reserved set_and_reload take_some up_to
  %ENDINGS @ENDINGS CACHE);

# Values of a block.
use constant CACHE => 10;

our ($primary, $standby, $control);
our $launch = 100;

# How a wait is ended, and the SQLSTATE that the session then gets.
our %ENDINGS = (cancel => '57014', terminate => '57P01', timeout => '57014');
our @ENDINGS = sort keys %ENDINGS;

my $changes = 0;
my @held;

# Whether a condition comes true in that many seconds.
sub comes_true
{
	my ($sql, $seconds) = @_;

	return defined wait_until($seconds, sub { $control->safe("SELECT ($sql)") eq 't' });
}

sub await_true
{
	my ($sql, $what) = @_;

	comes_true($sql, 30) or die "timed out: $what";
	return;
}

# A setting, when $control has loaded it.
sub set_and_reload
{
	my ($name, $value) = @_;

	gid_set($primary, $name, "'$value'");
	$primary->reload;
	await_true("SELECT current_setting('$name', true) = '$value'", "$name = $value");
	return;
}

# The settings are reloaded, and none that matters here has changed.  Sessions that
# wait cannot be asked, so they get some time for it.
sub change_nothing
{
	set_and_reload('test.changes', ++$changes);
	sleep(0.3);
	return;
}

# A launch of its own for each part: its generator numbers are all new.
sub next_launch
{
	set_and_reload('gid.launch_id', ++$launch);
	return;
}

# A standby receives nothing from here on, until all are let go.
sub hold_standby
{
	my ($node) = @_;
	my $receiver = ($node // $standby)->safe_psql('postgres',
		"SELECT pid FROM pg_stat_activity WHERE backend_type = 'walreceiver'");

	hold_process($receiver);
	return;
}

sub hold_process
{
	kill 'STOP', @_;
	push @held, @_;
	return;
}

sub let_standbys_go
{
	kill 'CONT', @held;
	@held = ();
	return;
}

# As long as the server is there, whatever happens to the test.
END
{
	kill 'CONT', @held;
}

# The standby has what was written until now on disk.
sub catch_up
{
	$primary->wait_for_catchup($standby, 'flush',
		$control->safe('SELECT pg_current_wal_flush_lsn()'));
	return;
}

# A session under a name, by which $control finds it.
sub named_session
{
	my ($name, @settings) = @_;
	my $session = session($primary, 'postgres');

	$session->safe("SET $_") for "application_name = '$name'", @settings;
	return $session;
}

# Sequences that the standby has, too.
sub make_sequences
{
	my (@names) = @_;

	$control->safe(join '', map { "CREATE SEQUENCE $_ CACHE @{[CACHE]};" } @names);
	catch_up();
	return;
}

# The last value that was reserved on the page of the sequence behind a call.
sub reserved
{
	my ($call, $sequence) = @_;

	$sequence = 'gid.decimal_generator' if $call eq 'decimal';
	return $control->safe("SELECT last_value FROM $sequence");
}

# What a session gets from the sequence behind a call: values one by one, or the
# one generator number that it holds.
sub take_some
{
	my ($session, $call, $sequence, $n) = @_;

	return split /\n/, $session->safe($VALUES{decimal}) if $call eq 'decimal';
	return split /\n/,
	  $session->safe("SELECT gid_next('$sequence') FROM generate_series(1, $n)");
}

sub distinct
{
	my (@values) = @_;
	my %seen;

	return !grep { $seen{$_}++ } @values;
}

sub ascending
{
	my (@values) = @_;

	return !grep { $values[$_] <= $values[ $_ - 1 ] } 1 .. $#values;
}

# How many values are not greater than a bound.
sub up_to
{
	my ($bound, @values) = @_;

	return scalar grep { $_ <= $bound } @values;
}

1;
