# The synchronous standby does not answer.  A session that asks for its confirmation
# gets no value meanwhile.  When its wait is cut short the reserved values are lost, for
# all sessions.  After a promotion no value comes twice.  A session with
# synchronous_commit = local goes on beside those that wait.
#
# SQL alone cannot test this: it needs a standby that stops receiving, sessions
# that wait at the same time and are cancelled or ended, changes of the server's
# settings in between, and a promotion.

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
	# How many values each check afterwards takes at least.
	AFTERWARDS => 25,
	CLIENTS => 8,
	CHAOS => 6,
};

my @CALLS = sort keys %VALUES;

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

	# Sessions that wait cannot be asked.
	sleep(0.3);
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

# 1. A wait that is ended gives an error and no value, and what was reserved for
# it is lost for every session, also where the settings were loaded in between.
foreach my $round ('as it is', 'after a reload')
{
	(my $prefix = $round) =~ s/\W/_/g;
	my @waiters;

	next_launch();
	for my $call (@CALLS)
	{
		push @waiters, map {
			{
				call => $call,
				ending => $_,
				sequence => join('_', 'ended', $prefix, $call, $_)
			}
		} @ENDINGS;
	}
	make_sequences(map { $_->{sequence} } grep { $_->{call} ne 'decimal' } @waiters);
	$_->{session} = named_session("ended $_->{ending}",
		'statement_timeout = ' . ($_->{ending} eq 'timeout' ? "'3s'" : "'30s'"))
	  for @waiters;
	hold_standby();
	$_->{session}->send(call_sql($_->{call}, $_->{sequence}))
	  for sort { $a->{ending} cmp $b->{ending} } @waiters;
	wait_for_waiters(scalar(@CALLS), "ended $_") for qw(cancel terminate);
	$_->{top} = reserved($_->{call}, $_->{sequence}) for @waiters;
	change_nothing()
	  if $round eq 'after a reload';
	$control->safe(
		"SELECT count(pg_${_}_backend(pid)) FROM pg_stat_activity"
		  . " WHERE application_name = 'ended $_'")
	  for qw(cancel terminate);
	foreach my $waiter (@waiters)
	{
		my ($out, $err) = last_words($waiter->{session});

		$waiter->{out} = $out;
		ok( $out eq '' && $err =~ /(ERROR|FATAL):  $ENDINGS{$waiter->{ending}}:/,
			"$waiter->{call}, $waiter->{ending}, $round: an error and no value")
		  or diag("got: $out$err");
		end_session($waiter->{session});
	}

	# Those who do not wait, while the standby is away; then those who ask.
	my %after;

	foreach my $level (qw(local on))
	{
		my $session = named_session('after', "synchronous_commit = $level",
			"statement_timeout = '30s'");

		let_standbys_go() if $level eq 'on';
		push @{ $after{ $_->{sequence} } },
		  take_some($session, $_->{call}, $_->{sequence}, AFTERWARDS)
		  for @waiters;
		# It holds its generator number, so that the next one needs another.
		push @{ $after{sessions} }, $session;
	}
	foreach my $waiter (@waiters)
	{
		my @values = @{ $after{ $waiter->{sequence} } };

		ok( @values > 0 && up_to($waiter->{top}, @values) == 0,
			"$waiter->{call}, $waiter->{ending}, $round: "
			  . "nobody gets a value of what was lost")
		  or diag("up to $waiter->{top} was lost: @values[0 .. 1]");
		ok(distinct(@values),
			"$waiter->{call}, $waiter->{ending}, $round: later values are distinct")
		  if $waiter->{call} ne 'decimal';
	}
	end_session($_) for @{ $after{sessions} };
}

# 2. Where synchronous_standby_names is emptied the call goes on, with values
# that were reserved later.
{
	my @waiters = map { { call => $_, sequence => "emptied_$_" } } @CALLS;

	next_launch();
	make_sequences(map { $_->{sequence} } grep { $_->{call} ne 'decimal' } @waiters);
	$_->{session} = named_session('emptied') for @waiters;
	hold_standby();
	$_->{session}->send(call_sql($_->{call}, $_->{sequence})) for @waiters;
	wait_for_waiters(scalar(@waiters), 'emptied');
	$_->{top} = reserved($_->{call}, $_->{sequence}) for @waiters;
	name_standbys('');
	foreach my $waiter (@waiters)
	{
		my ($out, $err) = $waiter->{session}->answer;
		my @values = split /\n/, $out;

		ok( $err eq '' && @values > 0 && up_to($waiter->{top}, @values) == 0,
			"$waiter->{call}, names emptied: a later value")
		  or diag("up to $waiter->{top} was lost, got: $out$err");
		my @more = take_some($waiter->{session}, $waiter->{call},
			$waiter->{sequence}, AFTERWARDS);

		ok(up_to($waiter->{top}, @more) == 0,
			"$waiter->{call}, names emptied: nobody gets a value of what was lost");
		ok(distinct(@values, @more),
			"$waiter->{call}, names emptied: later values are distinct")
		  if $waiter->{call} ne 'decimal';
		end_session($waiter->{session});
	}
	let_standbys_go();
	name_standbys('standby');
}

# 3. Beside a session that waits, one that does not ask for standbys goes on, in
# order: within the block that is waited for, and beyond.  The waiting one gets
# its value when the standby is back; so does one that came to the block when it
# was open, and whose block is then used up.
foreach my $n (5, 3 * CACHE)
{
	my ($first, $second) =
	  map { named_session("beside $n", "statement_timeout = '30s'") } 1 .. 2;
	my $local = named_session('local', 'synchronous_commit = local',
		"statement_timeout = '30s'");
	my $sequence = "beside_$n";

	make_sequences($sequence);
	hold_standby();
	$first->send("SELECT gid_next('$sequence')");
	wait_for_waiters(1, "beside $n");
	$second->send("SELECT gid_next('$sequence')");

	# The second one does not wait for the first one's claim.
	wait_for_waiters(2, "beside $n");
	my ($out, $err) =
	  $local->query("SELECT gid_next('$sequence') FROM generate_series(1, $n)");
	my @local = split /\n/, $out;

	ok($err eq '' && @local == $n,
		"$n values for a session with synchronous_commit = local")
	  or diag("got: $err");
	ok(@local == $n && ascending(@local), "$n values are in order");
	is($control->safe(waiters("beside $n")), 2,
		'meanwhile two sessions wait for the standby');
	let_standbys_go();
	my @waited = map { ($_->answer)[0] } $first, $second;

	is(scalar(grep { /^\d+$/ } @waited), 2, "those who waited get values, $n");
	ok(distinct(@local, @waited), "all $n and these are distinct");
	my @later = map { $_->safe("SELECT gid_next('$sequence')") } $first, $local, $second;

	ok( ascending((sort { $a <=> $b } @local, @waited)[-1], @later),
		"later values follow, $n");
	end_session($_) for $first, $second, $local;
}

# 4. A block that was opened before standbys were named: a session that asks
# waits until they have its record.
{
	my ($opener, $other) =
	  map { named_session($_, "statement_timeout = '30s'") } 'opener', 'other';
	my $take = "SELECT gid_next('before')";
	my $lsn;

	make_sequences('before');
	name_standbys('');
	hold_standby();
	is($opener->safe($take), 1, 'no standby is named: a value comes');
	$lsn = $control->safe('SELECT pg_current_wal_flush_lsn()');
	gid_set($primary, 'synchronous_standby_names', "'standby'");
	$primary->reload;
	await_true("SELECT current_setting('synchronous_standby_names') <> ''", 'names');
	sleep(0.3);
	$_->send($take) for $opener, $other;
	ok(comes_true('SELECT (' . waiters($_) . ') = 1', 5),
		"who asks waits, in the block that is open, too: $_")
	  for qw(opener other);
	let_standbys_go();
	my @values = map { ($_->answer)[0] } $opener, $other;

	is($control->safe("SELECT flush_lsn >= '$lsn' FROM pg_stat_replication"), 't',
		'the values come when the standby has the record');
	is("@{[sort { $a <=> $b } @values]}", '2 3', 'and they are the next ones');
	end_session($_) for $opener, $other;
}

# 5. A generator number that a session with synchronous_commit = local has left
# behind, and whose record the standby does not have.
{
	my $local = session($primary, 'postgres');

	next_launch();
	hold_standby();
	my $number = $local->safe("SET synchronous_commit = local;\n$VALUES{decimal}");

	end_session($local);
	await_true("SELECT sum(leases_idle) = 1 FROM gid.stat_launches"
		  . " WHERE launch = $launch", 'the number is idle');
	my $session = named_session('idle', "statement_timeout = '1s'");
	my ($out, $err) = $session->query($VALUES{decimal});

	ok($err =~ /ERROR:  57014:/, 'a session that asks does not get it without a wait')
	  or note("got: $out$err");
	end_session($session);
	let_standbys_go();
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

	# Where the machine is busy, it takes longer until a cancel meets a wait.
	until (monotonic() - $start > ($done{cancel} > 0 ? CHAOS : 10 * CHAOS))
	{
		my $how = rand() < 0.8 ? 'cancel' : 'terminate';

		hold_standby();
		sleep(rand(0.1));
		$control->safe('SELECT pg_reload_conf()') if rand() < 0.3;
		$done{$how} += $control->safe(
			"SELECT count(pg_${how}_backend(pid)) FROM pg_stat_activity"
			  . " WHERE application_name = 'client' AND random() < 0.5"
			  . " AND (wait_event = 'SyncRep' OR random() < 0.1)");
		sleep(rand(0.05));
		let_standbys_go();
		sleep(rand(0.1));
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
	cmp_ok($done{cancel}, '>', 0, 'sessions were cancelled');
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

		# Its block is ended, and its generator number is held.
		push @{ $s->{handed} }, take_some($session, $s->{call}, $s->{sequence}, 5);
		$session->safe("SELECT gid_forget('$s->{sequence}')")
		  if $s->{call} ne 'decimal';
		push @waiters, $session;
	}
	catch_up();
	$standby->stop;
	my %ended;

	foreach my $how (qw(cancel terminate))
	{
		push @{ $ended{$how} },
		  named_session("promoted $how", "statement_timeout = '30s'")
		  for @CALLS;
	}
	foreach my $how (sort keys %ended)
	{
		$ended{$how}[$_]->send(call_sql($CALLS[$_], "promoted_$CALLS[$_]"))
		  for 0 .. $#CALLS;
		# All wait, also those whose block another one has opened.
		comes_true('SELECT (' . waiters("promoted $how") . ') = ' . @CALLS, 5);
		change_nothing();
		$control->safe("SELECT count(pg_${how}_backend(pid)) FROM pg_stat_activity"
			  . " WHERE application_name = 'promoted $how'");
		for my $i (0 .. $#CALLS)
		{
			my ($out, $err) = last_words($ended{$how}[$i]);

			push @{ $sequences[$i]{handed} }, split /\n/, $out;
			end_session($ended{$how}[$i]);
		}
		for my $i (0 .. $#CALLS)
		{
			my $session = named_session('trying',
				"statement_timeout = '300ms'");
			my ($out, $err) = $session->query($CALLS[$i] eq 'decimal' ? $VALUES{decimal} :
				"SELECT gid_next('$sequences[$i]{sequence}') FROM generate_series(1, 3)");

			push @{ $sequences[$i]{handed} }, split /\n/, $out;
			push @waiters, $session;
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
			my @sessions = map { session($standby, 'postgres') } 1 .. 5;

			push @again, $_->safe($VALUES{decimal}) for @sessions;
			end_session($_) for @sessions;
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
