# A reservation is used when the synchronous standbys have its record, whatever
# synchronous_commit says.  Meanwhile callers wait; a wait that is ended gives no value,
# and what it has reserved stays for the next caller.  After a promotion no value comes
# twice.
#
# SQL alone cannot test this: it needs a standby that stops receiving, sessions that wait
# at the same time and are cancelled or ended, changes of the server's settings in
# between, clients that die, and a promotion.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidStandby;
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant {
	CLIENTS => 4,
	# What clients who ask for the standby get, and cancels that meet a wait.
	VALUES_IN_CHAOS => 300,
	CANCELS_IN_CHAOS => 10,
	# Seconds that only a server that hangs takes.
	HANGS => 180,
};

my @CALLS = sort keys %VALUES;

# The values of these come from blocks.
my %SHARED = map { $_ => 1 } qw(next gdid code decimal);

$primary = gid_node('primary', 'test.changes = 0', allows_streaming => 1);

$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid');
$primary->backup('backup');

$standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

# The tests' own questions to the primary wait for nobody.
$control = session($primary, 'postgres');

$control->safe('SET synchronous_commit = local');

sub name_standbys
{
	my ($names) = @_;

	set_and_reload('synchronous_standby_names', $names);

	# until the checkpointer has read the names, too
	await_true("SELECT sync_state = 'sync' FROM pg_stat_replication",
		'the standby is synchronous')
	  if $names ne '';
	return;
}

sub waiters
{
	my ($name) = @_;

	return "SELECT count(*) FROM pg_stat_activity"
	  . " WHERE wait_event = 'SyncRep' AND application_name = '$name'";
}

sub wait_for_waiters
{
	my ($n, $name) = @_;

	await_true("SELECT (@{[waiters($name)]}) = $n", "$n sessions $name wait");
	return;
}

name_standbys('standby');

# 1. Waits that are ended, fourteen times: an error each, and one reservation in all.
# Then the standby is back, and the values are those that were waited for.
{
	my @waiters = map { { call => $_, sequence => "ended_$_" } } @CALLS;
	my @levels = qw(on local off remote_apply);
	my %end = (
		cancel => '57014',
		terminate => '57P01',
		timeout => '57014');

	next_launch();
	make_sequences('turned', map { $_->{sequence} } grep { $_->{call} ne 'decimal' } @waiters);
	hold_standby();
	foreach my $i (0 .. $#waiters)
	{
		my $w = $waiters[$i];

		foreach my $end (qw(cancel terminate timeout))
		{
			my $session = named_session("ended $end", "synchronous_commit = $levels[$i % @levels]");

			$session->send(($end eq 'timeout' ? "SET statement_timeout = '1s';\n" : '')
				. call_sql($w->{call}, $w->{sequence}));
			if ($end ne 'timeout')
			{
				wait_for_waiters(1, "ended $end");
				$control->safe("SELECT pg_${end}_backend(pid) FROM pg_stat_activity"
					  . " WHERE application_name = 'ended $end'");
			}
			my ($out, $err) = last_words($session);

			ok($out eq '' && $err =~ /(ERROR|FATAL):  $end{$end}:/, "$w->{call}, $end: an error and no value")
			  or diag("got: $out$err");
			end_session($session);
			$w->{top} //= reserved($w->{call}, $w->{sequence});
		}
		my ($rc, $out, $err) = $primary->psql('postgres',
			join('', "SET statement_timeout = '100ms';\n", (call_sql($w->{call}, $w->{sequence}) . ";\n") x 11),
			on_error_stop => 0);

		is("$out", '', "$w->{call}: no later call gets a value");
		is(scalar(() = $err =~ /canceling statement/g), 11, "$w->{call}: each is an error");
		is(reserved($w->{call}, $w->{sequence}), $w->{top}, "$w->{call}: fourteen calls have cost one reservation");
	}
	# A setval() before each call ends the block, and waits for nobody.
	my (undef, $set, $errors) = $primary->psql('postgres',
		"SET synchronous_commit = local; SET statement_timeout = '500ms';\n"
		  . "SELECT setval('turned', last_value) FROM turned;\nSELECT gid_next('turned');\n" x 7,
		on_error_stop => 0);

	is($set, join("\n", (1) x 7), 'with setval() by turns, no call gets a value');
	is(scalar(() = $errors =~ /canceling statement/g), 7, 'each is an error');
	is(reserved('next', 'turned'), 1, 'and nothing is reserved');
	let_standbys_go();
	is($primary->safe_psql('postgres', "SELECT gid_next('turned')"), 2, 'the next value is that behind the last setval()');
	foreach my $w (@waiters)
	{
		my ($value) = split /\n/, $primary->safe_psql('postgres', call_sql($w->{call}, $w->{sequence}));

		is($value, $w->{call} eq 'decimal' ? $w->{top} : 1,
			"$w->{call}: the next caller gets what was reserved")
		  if $SHARED{ $w->{call} };
		cmp_ok($value, '>', $w->{top}, "$w->{call}: a batch was its caller's") unless $SHARED{ $w->{call} };
	}
}

# 2. A wait ends when synchronous_standby_names is emptied.  With gid.wait_for_standbys =
# off nobody waits.
{
	my @waiters = map { { call => $_, sequence => "emptied_$_" } } @CALLS;

	next_launch();
	make_sequences(map { $_->{sequence} } grep { $_->{call} ne 'decimal' } @waiters);
	$_->{session} = named_session('emptied') for @waiters;
	hold_standby();
	$_->{session}->send(call_sql($_->{call}, $_->{sequence})) for @waiters;
	wait_for_waiters(scalar(@waiters), 'emptied');
	name_standbys('');
	foreach my $w (@waiters)
	{
		my ($out, $err) = $w->{session}->answer;

		ok($err eq '' && $out =~ /^\d/, "$w->{call}: a value when the names are emptied") or diag("got: $out$err");
		end_session($w->{session});
	}
	set_and_reload('synchronous_standby_names', 'standby');
	set_and_reload('gid.wait_for_standbys', 'off');
	next_launch();
	like($primary->safe_psql('postgres', "SET synchronous_commit = local; @{[call_sql($_, 'emptied_next')]}"),
		qr/^\d/, "$_: a value with gid.wait_for_standbys = off")
	  for @CALLS;
	set_and_reload('gid.wait_for_standbys', 'on');
	let_standbys_go();
	name_standbys('standby');
}

# 3. A block that came into use before standbys were named: the first draw of each
# statement waits until they have its record.
{
	my @sessions = map { named_session('before', 'synchronous_commit = local') } 1 .. 2;
	my $lsn;

	make_sequences('before');
	name_standbys('');
	hold_standby();
	is($sessions[0]->safe("SELECT gid_next('before')"), 1, 'no standby is named: a value comes');
	$lsn = $control->safe('SELECT pg_current_wal_flush_lsn()');
	set_and_reload('synchronous_standby_names', 'standby');
	# the flag that counts is the checkpointer's
	await_true("SELECT sync_state = 'sync' FROM pg_stat_replication", 'named again');
	$_->send("SELECT gid_next('before')") for @sessions;
	wait_for_waiters(2, 'before');
	let_standbys_go();
	my @values = sort { $a <=> $b } map { ($_->answer)[0] } @sessions;

	is($control->safe("SELECT flush_lsn >= '$lsn' FROM pg_stat_replication"), 't',
		'the values come when the standby has the record');
	is("@values", '2 3', 'and they are the next ones');

	# Sessions that wait behind a setval() reserve one block for all.
	make_sequences('shared');
	hold_standby();
	$control->safe("SELECT setval('shared', 1)");
	$_->send("SELECT gid_next('shared')") for @sessions;
	wait_for_waiters(2, 'before');
	let_standbys_go();
	@values = sort { $a <=> $b } map { ($_->answer)[0] } @sessions;
	is("@values", '2 3', 'sessions that wait at once reserve one block');
	end_session($_) for @sessions;
}

# 4. A client that dies while its session waits: the session ends, because the server
# looks for the client.
{
	my @sessions = map { named_session('gone') } 1 .. 4;

	make_sequences('gone');
	hold_standby();
	$_->safe("SET client_connection_check_interval = '1s'") for @sessions;
	$_->send("SELECT gid_next('gone')") for @sessions;
	wait_for_waiters(4, 'gone');
	$_->kill for @sessions;
	ok(comes_true("SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'gone'", HANGS),
		'no session outlives its client');
	end_session($_) for @sessions;
	let_standbys_go();
	is($control->safe("SELECT gid_next('gone')"), 1, 'and the value is there for the next');
}

# 5. An advance that was cancelled in its wait has moved the sequence, so the same call
# does not move it, but waits for the same record.
{
	my $session = named_session('advance');

	make_sequences('advanced');
	hold_standby();
	$session->send("SELECT gid_advance('advanced', 5000)");
	wait_for_waiters(1, 'advance');
	$control->safe("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'advance'");
	error_like(($session->answer)[1], '57014', 'an advance is cancelled in its wait', no_detail => 1, no_hint => 1);
	is($control->safe('SELECT last_value FROM advanced'), 5000, 'it has moved the sequence');
	$session->send("SELECT gid_advance('advanced', 5000)");
	wait_for_waiters(1, 'advance');
	let_standbys_go();
	is(($session->answer)[0], 5000, 'the same call waits for the standby, too');
	end_session($session);
}

# 6. A standby that comes and goes, and sessions that are cancelled and ended at
# any moment, half of which ask for the standby.
{
	make_sequences(qw(chaos chaos_many));
	my $script = join '', "SET application_name = 'client';\n",
	  map { "SELECT $_;\n" } (
		"'next', gid_next('chaos') FROM generate_series(1, 7)",
		"'next', gid_next('chaos')",
		"'many', gid_next_many('chaos_many', 3)") x 10;
	my @clients = map {
		start_clients($primary, 'postgres', CLIENTS / 2,
			"SET synchronous_commit = $_;\n$script")
	} qw(on local);
	my $start = monotonic();
	my %done = (cancel => 0, terminate => 0);
	my $rounds = 0;

	# Sessions that ask get values all the while: a count of lines says when it is enough.
	until (monotonic() - $start > HANGS
		|| ($done{cancel} >= CANCELS_IN_CHAOS && $done{terminate} > 0
			&& grep({ -e $_ && -s $_ > 8 * VALUES_IN_CHAOS } @{ $clients[0]{files} }) == @{ $clients[0]{files} }))
	{
		my $how = rand() < 0.8 ? 'cancel' : 'terminate';

		hold_standby();
		sleep(rand(0.1));
		$control->safe('SELECT pg_reload_conf()') if rand() < 0.3;
		$done{$how} += $control->safe(
			"SELECT count(pg_${how}_backend(pid)) FROM pg_stat_activity"
			  . " WHERE application_name = 'client' AND random() < 0.3 AND wait_event = 'SyncRep'");
		let_standbys_go();
		sleep(rand(0.2));
		$rounds++;
	}
	stop_clients($_) for @clients;
	my %values = (next => [], many => []);
	my ($by_asking, $disordered) = (0, 0);

	for my $i (0 .. 1)
	{
		foreach my $file (@{ $clients[$i]{files} })
		{
			next unless -e $file;
			my %last = (next => 0, many => 0);

			foreach (split /\n/, slurp_file($file))
			{
				my ($kind, $value) = /^(next|many)\|(\d+)$/ or next;

				$disordered++ if $value <= $last{$kind};
				$last{$kind} = $value;
				push @{ $values{$kind} }, $value;
				$by_asking++ if $i == 0;
			}
		}
	}
	note("$rounds rounds, $done{cancel} cancels, $done{terminate} ended,"
		  . " $by_asking values for those who ask, "
		  . join ', ', map { scalar(@{ $values{$_} }) . " by $_" } sort keys %values);
	cmp_ok($done{cancel}, '>', 0, 'sessions were cancelled as they waited');
	cmp_ok($by_asking, '>', 0, 'values came for those who ask');
	foreach my $kind (sort keys %values)
	{
		ok(@{ $values{$kind} } > 100 && distinct(@{ $values{$kind} }),
			"$kind: all values are distinct");
	}
	is($disordered, 0, 'in each session they increase');
}

# 7. The standby is stopped, sessions wait and are ended after a reload, others
# try; the primary dies, the standby is promoted: it gives no value that a
# session had which asks for standbys.
{
	my @sequences = map { { call => $_, sequence => "promoted_$_" } } @CALLS;
	my @waiters;

	next_launch();
	make_sequences(map { $_->{sequence} } grep { $_->{call} ne 'decimal' } @sequences);
	foreach my $s (@sequences)
	{
		my $session = named_session('before',
			"statement_timeout = '30s'");

		# The next call needs a reservation.
		push @{ $s->{handed} }, take_some($session, $s->{call}, $s->{sequence}, 5);
		$session->safe("SELECT gid_forget('@{[$s->{call} eq 'decimal' ? 'gid.decimal_generator' : $s->{sequence}]}')");
		push @waiters, $session;
	}
	catch_up();
	$standby->stop;

	foreach my $how (qw(cancel terminate))
	{
		my @sessions = map { named_session("promoted $how") } @CALLS;

		$sessions[$_]->send(call_sql($CALLS[$_], "promoted_$CALLS[$_]")) for 0 .. $#CALLS;
		wait_for_waiters(scalar(@CALLS), "promoted $how");
		change_nothing();
		$control->safe("SELECT count(pg_${how}_backend(pid)) FROM pg_stat_activity"
			  . " WHERE application_name = 'promoted $how'");
		for my $i (0 .. $#CALLS)
		{
			my ($out, $err) = last_words($sessions[$i]);

			push @{ $sequences[$i]{handed} }, split /\n/, $out;
			end_session($sessions[$i]);
		}
	}
	kill9_server($primary);
	end_session($_) for $control, @waiters;
	gid_set($standby, 'gid.launch_id', $launch);
	$standby->start;
	$standby->promote;
	foreach my $s (@sequences)
	{
		my @again;

		if ($s->{call} eq 'decimal')
		{
			push @again, $standby->safe_psql('postgres', $VALUES{decimal});
		}
		else
		{
			@again = split /\n/, $standby->safe_psql('postgres',
				"SELECT gid_next('$s->{sequence}') FROM generate_series(1, 50)");
		}
		ok( @again > 0 && distinct(@again, @{ $s->{handed} }),
			"$s->{call}: after the promotion no value comes again")
		  or diag("had @{$s->{handed}}; promoted: @again");
	}
}

$standby->stop;
done_testing();
