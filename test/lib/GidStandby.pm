# A primary whose standby is held: what the tests of waits share.  The test sets
# $primary, $standby and $control, a session that asks and draws nothing.

package GidStandby;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use GidTest;

our @EXPORT = qw($primary $standby $control
  await_true catch_up distinct hold_standby let_standby_go make_sequences named_session set_and_reload wait_for_waiters);

our ($primary, $standby, $control);

my $held;

sub await_true
{
	my ($sql, $what) = @_;

	defined wait_until(180, sub { $control->safe("SELECT ($sql)") eq 't' }) or die "timed out: $what";
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

# The standby receives nothing from here on, until it is let go.
sub hold_standby
{
	$held = $standby->safe_psql('postgres', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walreceiver'");
	kill 'STOP', $held;
	return;
}

sub let_standby_go
{
	kill 'CONT', $held if $held;
	undef $held;
	return;
}

# As long as the server is there, whatever happens to the test.
END
{
	let_standby_go();
}

# The standby has what was written until now on disk.
sub catch_up
{
	$primary->wait_for_catchup($standby, 'flush', $control->safe('SELECT pg_current_wal_flush_lsn()'));
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

# Returns when so many sessions of that name wait for the standby.
sub wait_for_waiters
{
	my ($n, $name) = @_;

	await_true("SELECT count(*) = $n FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = '$name'",
		"$n sessions $name wait");
	return;
}

# Sequences with blocks of ten values, which the standby has, too.
sub make_sequences
{
	my (@names) = @_;

	$control->safe(join '', map { "CREATE SEQUENCE $_ CACHE 10;" } @names);
	catch_up();
	return;
}

sub distinct
{
	my (@values) = @_;
	my %seen;

	return !grep { $seen{$_}++ } @values;
}

1;
