# A reservation is used when the synchronous standbys have its record, whatever
# synchronous_commit says.  Meanwhile callers wait; a wait that is ended gives no value,
# and what it has reserved stays for the next caller.
#
# SQL alone cannot test this: it needs a standby that stops receiving, sessions that wait
# at the same time and are cancelled or ended, and changes of the server's settings in
# between.  056_safe_nextval has the promotion.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @CALLS = sort keys %VALUES;

# The values of these come from blocks.
my %SHARED = map { $_ => 1 } qw(next gdid code decimal);

my $primary = gid_node('primary', undef, allows_streaming => 1);
$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid');
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# The tests' own questions to the primary wait for nobody.
my $control = session($primary, 'postgres');
$control->safe('SET synchronous_commit = local');

# The standby receives nothing from here on, until it is let go.
my $held;

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

# A session under a name, by which others find it.
sub named_session
{
	my ($name, @settings) = @_;
	my $session = session($primary, 'postgres');

	$session->safe("SET $_") for "application_name = '$name'", @settings;
	return $session;
}

# Waits until that number of sessions with a name wait for the standby.
sub wait_for_waiters
{
	my ($n, $name) = @_;

	$primary->poll_query_until('postgres',
		"SELECT count(*) = $n FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND application_name = '$name'")
	  or die "$n sessions $name do not wait";
	return;
}

# Sequences with blocks of ten values, which the standby has, too.
sub make_sequences
{
	my (@names) = @_;

	$control->safe(join '', map { "CREATE SEQUENCE $_ CACHE 10;" } @names);
	$primary->wait_for_catchup($standby, 'flush', $primary->lsn('flush'));
	return;
}

sub name_standbys
{
	my ($names) = @_;

	gid_reload($primary, 'synchronous_standby_names', $names);

	# until the checkpointer has read the names, too
	$names eq '' || $primary->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication")
	  or die 'the standby is not synchronous';
	return;
}

# A sequence for each call; of generator numbers a launch of its own, whose numbers are
# all new.
my $launch = 100;

sub sequences
{
	my ($name) = @_;

	gid_reload($primary, 'gid.launch_id', ++$launch);
	make_sequences(map { "${name}_$_" } grep { $_ ne 'decimal' } @CALLS);
	return map { $_ => $_ eq 'decimal' ? 'gid.decimal_generator' : "${name}_$_" } @CALLS;
}

# The last value that was reserved on the page of a sequence.
sub reserved
{
	my ($sequence) = @_;

	return $control->safe("SELECT last_value FROM $sequence");
}

name_standbys('standby');

# 1. Waits that are ended, twelve times: an error each, and one reservation in all.  Then
# the standby is back, and the values are those that were waited for.
{
	my %sequence = sequences('ended');
	my @levels = qw(on local off remote_apply);
	my %top;

	make_sequences('turned');
	hold_standby();
	foreach my $call (@CALLS)
	{
		my $level = shift @levels;
		my $sql = call_sql($call, $sequence{$call});

		push @levels, $level;
		foreach my $end ([ cancel => '57014' ], [ terminate => '57P01' ])
		{
			my ($how, $state) = @$end;
			my $session = named_session("$call $how", "synchronous_commit = $level");

			$session->send($sql);
			wait_for_waiters(1, "$call $how");
			$control->safe("SELECT pg_${how}_backend(pid) FROM pg_stat_activity WHERE application_name = '$call $how'");
			my ($out, $err) = last_words($session);

			ok($out eq '' && $err =~ /(ERROR|FATAL):  $state:/, "$call, $how: an error and no value")
			  or diag("got: $out$err");
			end_session($session);
			$top{$call} //= reserved($sequence{$call});
		}
		my ($rc, $out, $err) = $primary->psql('postgres', "SET statement_timeout = '100ms';\n" . "$sql;\n" x 10,
			on_error_stop => 0);

		is("$out", '', "$call: no later call gets a value");
		is(scalar(() = $err =~ /canceling statement/g), 10, "$call: each is an error");
		is(reserved($sequence{$call}), $top{$call}, "$call: twelve calls have cost one reservation");
	}
	# A setval() before each call ends the block, and waits for nobody.
	my (undef, $set, $errors) = $primary->psql('postgres',
		"SET synchronous_commit = local;\n" . ("SET statement_timeout = 0;\nSELECT setval('turned', last_value) FROM turned;\n"
			  . "SET statement_timeout = '100ms';\nSELECT gid_next('turned');\n") x 7,
		on_error_stop => 0);

	is($set, join("\n", (1) x 7), 'with setval() by turns, no call gets a value');
	is(scalar(() = $errors =~ /canceling statement/g), 7, 'each is an error');
	is(reserved('turned'), 1, 'and nothing is reserved');
	let_standby_go();
	is($primary->safe_psql('postgres', "SELECT gid_next('turned')"), 2, 'the next value is that behind the last setval()');
	foreach my $call (@CALLS)
	{
		my ($value) = split /\n/, $primary->safe_psql('postgres', call_sql($call, $sequence{$call}));

		if ($SHARED{$call})
		{
			is($value, $call eq 'decimal' ? $top{$call} : 1, "$call: the next caller gets what was reserved");
		}
		else
		{
			cmp_ok($value, '>', $top{$call}, "$call: a batch was its caller's");
		}
	}
}

# 2. A wait ends when synchronous_standby_names is emptied.  With gid.wait_for_standbys =
# off nobody waits.
{
	my %sequence = sequences('emptied');
	my %session = map { $_ => named_session('emptied') } @CALLS;

	hold_standby();
	$session{$_}->send(call_sql($_, $sequence{$_})) for @CALLS;
	wait_for_waiters(scalar(@CALLS), 'emptied');
	name_standbys('');
	foreach my $call (@CALLS)
	{
		my ($out, $err) = $session{$call}->answer;

		ok($err eq '' && $out =~ /^\d/, "$call: a value when the names are emptied") or diag("got: $out$err");
		end_session($session{$call});
	}
	gid_reload($primary, 'synchronous_standby_names', 'standby');
	gid_reload($primary, 'gid.wait_for_standbys', 'off');
	gid_reload($primary, 'gid.launch_id', ++$launch);
	like($primary->safe_psql('postgres', "SET synchronous_commit = local; @{[call_sql($_, 'emptied_next')]}"),
		qr/^\d/, "$_: a value with gid.wait_for_standbys = off")
	  for @CALLS;
	gid_reload($primary, 'gid.wait_for_standbys', 'on');
	let_standby_go();
	name_standbys('standby');
}

# 3. A block that came into use before standbys were named: the first draw of each
# statement waits until they have its record.
{
	my @sessions = map { named_session('before', 'synchronous_commit = local') } 1 .. 2;

	make_sequences('before', 'shared');
	name_standbys('');
	hold_standby();
	is($sessions[0]->safe("SELECT gid_next('before')"), 1, 'no standby is named: a value comes');
	my $lsn = $control->safe('SELECT pg_current_wal_flush_lsn()');

	name_standbys('standby');
	$_->send("SELECT gid_next('before')") for @sessions;
	wait_for_waiters(2, 'before');
	let_standby_go();
	is(join(' ', sort map { ($_->answer)[0] } @sessions), '2 3', 'named again: they wait, and get the next values');
	is($control->safe("SELECT flush_lsn >= '$lsn' FROM pg_stat_replication"), 't',
		'the values come when the standby has the record');

	# Sessions that wait behind a setval() go on at once, and reserve one block for all.
	push @sessions, map { named_session('before') } 3 .. 6;
	foreach my $round (1 .. 12)
	{
		hold_standby();
		$control->safe("SELECT setval('shared', 1)");
		$_->send("SELECT gid_next('shared')") for @sessions;
		wait_for_waiters(6, 'before');
		let_standby_go();
		is(join(' ', sort(map { ($_->answer)[0] } @sessions), reserved('shared')), '2 3 4 5 6 7 11', 'one block serves all');
	}
	end_session($_) for @sessions;
}

# 4. An advance that was cancelled in its wait has moved the sequence, so the same call
# does not move it, but waits for the same record.
{
	my $session = named_session('advance');

	make_sequences('advanced');
	hold_standby();
	$session->send("SELECT gid_advance('advanced', 5000)");
	wait_for_waiters(1, 'advance');
	$control->safe("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'advance'");
	error_like(($session->answer)[1], '57014', 'an advance is cancelled in its wait', no_detail => 1, no_hint => 1);
	is(reserved('advanced'), 5000, 'it has moved the sequence');
	$session->send("SELECT gid_advance('advanced', 5000)");
	wait_for_waiters(1, 'advance');
	let_standby_go();
	is(($session->answer)[0], 5000, 'the same call waits for the standby, too');
	end_session($session);
}

end_session($control);
$standby->stop;
$primary->stop;
done_testing();
