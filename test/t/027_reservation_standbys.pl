# With gid.reservation_standbys no value is handed out before as many standbys
# have its reservation on disk, whatever synchronous_commit says.  A wait that is
# cut short loses what was reserved, for all sessions.  Only standbys that can be
# promoted count, and each of them once.
#
# SQL alone cannot test this: it needs standbys that stop receiving, sessions
# that wait at the same time and are cancelled or ended, changes of the server's
# settings in between, and clients of replication that are no standbys.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidStandby;
use GidTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# How many values each check afterwards takes.
use constant AFTERWARDS => 25;

my @CALLS = sort keys %VALUES;

$primary = gid_node('primary', <<'EOC', allows_streaming => 'logical');
gid.reservation_standbys = 1
wal_keep_size = 1GB
test.changes = 0
wal_receiver_status_interval = 1s
EOC

$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid');
$primary->backup('backup');

$standby = new_standby('standby');

# This session asks, and draws nothing.
$control = session($primary, 'postgres');

# A standby of the primary from the backup.
sub new_standby
{
	my ($name, @conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init_from_backup($primary, 'backup', has_streaming => 1);
	$node->append_conf('postgresql.conf', $_) for @conf;
	$node->start;
	return $node;
}

# A column of gid.stat_failover.
sub stat_of
{
	my ($column) = @_;

	return $control->safe("SELECT $column FROM gid.stat_failover");
}

sub await_stat
{
	my ($column, $value) = @_;

	await_true("SELECT $column = $value FROM gid.stat_failover", "$column = $value");
	return;
}

sub want_standbys
{
	my ($n) = @_;

	set_and_reload('gid.reservation_standbys', $n);
	await_stat('standbys_wanted', $n);
	return;
}

# Sessions that wait, one for each call and each of these endings.
sub start_waiters
{
	my ($prefix, @endings) = @_;
	my @waiters;

	next_launch();
	for my $call (@CALLS)
	{
		push @waiters, map {
			{
				call => $call,
				ending => $_,
				sequence => join('_', $prefix, $call, $_)
			}
		} @endings;
	}
	make_sequences(map { $_->{sequence} } grep { $_->{call} ne 'decimal' } @waiters);
	$_->{session} = named_session("$prefix $_->{ending}",
		'synchronous_commit = local',
		'statement_timeout = ' . ($_->{ending} eq 'timeout' ? "'4s'" : "'50s'"))
	  for @waiters;
	hold_standby($standby);
	$_->{session}->send(call_sql($_->{call}, $_->{sequence})) for @waiters;
	await_stat('sessions_waiting', scalar(@waiters));
	$_->{top} = reserved($_->{call}, $_->{sequence}) for @waiters;
	return @waiters;
}

# Nobody gets a value of what those sessions had reserved.
sub check_lost
{
	my ($name, @waiters) = @_;
	my @sessions;

	foreach my $waiter (@waiters)
	{
		my $session = named_session('after', "statement_timeout = '30s'");
		my @values =
		  take_some($session, $waiter->{call}, $waiter->{sequence}, AFTERWARDS);

		ok( @values > 0 && up_to($waiter->{top}, @values) == 0,
			"$waiter->{call}, $waiter->{ending}, $name: nobody gets a value of what was lost")
		  or diag("up to $waiter->{top} was lost: @values");
		ok(distinct(@values, @{ $waiter->{values} }),
			"$waiter->{call}, $waiter->{ending}, $name: later values are distinct")
		  if $waiter->{call} ne 'decimal';

		# It holds its generator number, so that the next one needs another.
		push @sessions, $session;
	}
	end_session($_) for @sessions;
	return;
}

# 1. All ways to draw, with the standby there.
is(stat_of('timeline || \':\' || (timeline_begins_at IS NULL)'), '1:true', 'the first timeline');
await_stat('standbys_connected', 1);
is(stat_of('standbys_wanted'), 1, 'one standby is wanted');
{
	my $session = session($primary, 'postgres');

	make_sequences(map { "there_$_" } grep { $_ ne 'decimal' } @CALLS);
	foreach my $call (@CALLS)
	{
		my @values = split /\n/, $session->safe(call_sql($call, "there_$call"));

		ok(@values > 0, "$call: a value comes");
		is( $control->safe('SELECT flush_lsn >= lsn FROM pg_stat_replication'
				  . ', (SELECT GREATEST(pg_current_wal_flush_lsn()) AS lsn) AS l'),
			't', "$call: the standby has all WAL")
		  if $call eq 'many';
	}
	end_session($session);
}

# 2. A line in the log, one a minute, after a second; then the values come.
{
	my $offset = -s $primary->logfile;
	my ($first, $second) = map { named_session('log', 'client_min_messages = log') } 1 .. 2;

	make_sequences('log');
	hold_standby($standby);
	$_->send("SELECT gid_next('log')") for $first, $second;
	await_stat('sessions_waiting', 2);
	ok( defined wait_until(10,
			sub { log_count($primary, qr/a reservation waits for standbys: 0 of 1 have it/, $offset) }),
		'the log says that a reservation waits');
	is(log_count($primary, qr/DETAIL:  Connected standbys: 1\. The reservation is WAL up to/, $offset),
		1, 'and who is connected');
	sleep(1.5);
	is(log_count($primary, qr/a reservation waits for/, $offset), 1, 'once a minute');
	my $lsn = $control->safe('SELECT pg_current_wal_flush_lsn()');

	let_standbys_go();
	my @answers = map { [ $_->answer ] } $first, $second;
	my @values = sort { $a <=> $b } map { $_->[0] } @answers;

	is("@values", '1 2', 'the values come when the standby is back');
	is(join('', map { $_->[1] } @answers), '', 'the line goes to the log alone: it names standbys');
	is($control->safe("SELECT flush_lsn >= '$lsn' FROM pg_stat_replication"), 't',
		'and it has the record');
	end_session($_) for $first, $second;
}

# 2a. Every session that waits counts: one that reserves, those behind it, and one
# for which all WAL is to be there.
sub check_counts
{
	my ($name) = @_;
	my @queue = map { named_session('queue') } 1 .. 6;
	my $confirms = named_session('confirms');

	make_sequences("counted_$name");
	is(stat_of('waiting_since IS NULL'), 't', "$name: no session waits");
	hold_standby($standby);
	$_->send("SELECT gid_next('counted_$name')") for @queue;
	$confirms->send('SELECT gid.authority_confirm()');
	await_stat('sessions_waiting', 7);
	is(stat_of("waiting_since BETWEEN now() - interval '1 min' AND now()"), 't', "$name: and since when");

	# A client that is gone ends its session, wherever that waits.
	$_->kill for @queue[ 3 .. 5 ], $confirms;
	await_stat('sessions_waiting', 3);
	await_true("SELECT count(*) = 3 FROM pg_stat_activity WHERE application_name IN ('queue', 'confirms')",
		'the sessions have ended');
	let_standbys_go();
	my @values = map { ($_->answer)[0] } @queue[ 0 .. 2 ];

	ok(distinct(@values) && @values == 3, "$name: the others get their values") or diag("got: @values");
	await_stat('sessions_waiting', 0);
	is(stat_of('waiting_since IS NULL'), 't', "$name: again no session waits");
	end_session($_) for @queue[ 0 .. 2 ];
	return;
}

check_counts('as_it_is');

# 3. A wait that is ended gives an error and no value, and what was reserved for
# it is lost for every session, also where the settings were loaded in between.
# synchronous_commit = local makes no difference.
sub check_endings
{
	my ($name, $reload) = @_;
	(my $prefix = "ended $name") =~ s/\W+/_/g;
	my $lost = stat_of('reservations_lost');
	my @waiters = start_waiters($prefix, @ENDINGS);

	change_nothing() if $reload;
	$control->safe("SELECT count(pg_${_}_backend(pid)) FROM pg_stat_activity"
		  . " WHERE application_name = '$prefix $_'")
	  for qw(cancel terminate);
	foreach my $waiter (@waiters)
	{
		my ($out, $err) = last_words($waiter->{session});

		ok( $out eq '' && $err =~ /(ERROR|FATAL):  $ENDINGS{$waiter->{ending}}:/,
			"$waiter->{call}, $waiter->{ending}, $name: an error and no value")
		  or diag("got: $out$err");
		end_session($waiter->{session});
	}
	await_stat('sessions_waiting', 0);
	is(stat_of('reservations_lost') - $lost, scalar(@waiters), "$name: each wait has lost one reservation");

	# Others who try get nothing, either.
	foreach my $call (@CALLS)
	{
		my $session = named_session('trying', "statement_timeout = '200ms'");
		my ($out, $err) = $session->query(call_sql($call, "${prefix}_${call}_cancel"));

		ok($out eq '' && $err =~ /ERROR:  57014:/, "$call, $name: nobody gets a value meanwhile")
		  or diag("got: $out$err");
		end_session($session);
	}
	let_standbys_go();
	check_lost($name, @waiters);
	return;
}

# 4. Where the setting is lowered the call goes on, with values that were
# reserved later.
sub check_lowered
{
	my ($name, $look) = @_;
	(my $prefix = "lowered $name") =~ s/\W+/_/g;
	my $lost = stat_of('reservations_lost');
	my @waiters = start_waiters($prefix, 'lowered');

	gid_set($primary, 'gid.reservation_standbys', 0);
	$primary->reload;
	my $start = monotonic();

	await_stat('standbys_wanted', 0) if $look;
	foreach my $waiter (@waiters)
	{
		my ($out, $err) = $waiter->{session}->answer;

		$waiter->{values} = [ split /\n/, $out ];
		ok( $err eq '' && $out ne '' && up_to($waiter->{top}, @{ $waiter->{values} }) == 0,
			"$waiter->{call}, lowered, $name: a later value")
		  or diag("up to $waiter->{top} was lost, got: $out$err");
	}
	cmp_ok(monotonic() - $start, '<', 5, "$name: those who wait notice the setting");
	is(stat_of('reservations_lost') - $lost, scalar(@waiters), "$name: each wait has lost one reservation");
	check_lost($name, @waiters);
	let_standbys_go();
	end_session($_->{session}) for @waiters;
	want_standbys(1);
	return;
}

# 4a. Where the client is gone the session ends, and what it had reserved is lost.
sub check_gone
{
	my ($name) = @_;
	my $lost = stat_of('reservations_lost');
	my $offset = -s $primary->logfile;
	my @waiters = start_waiters("gone_$name", 'gone');

	$_->{session}->kill for @waiters;
	await_stat('sessions_waiting', 0);
	is(stat_of('reservations_lost') - $lost, scalar(@waiters), "$name: each client that is gone has lost one reservation");
	is(log_count($primary, qr/FATAL:  connection to client lost/, $offset), scalar(@waiters), "$name: the log says why");
	let_standbys_go();
	check_lost("$name, the client is gone", @waiters);
	return;
}

# 4b. gid.reservation_wait: who has waited so long goes on, and so do all, until the
# standby is back.
sub check_bound
{
	my ($name) = @_;
	my $offset = -s $primary->logfile;
	my $session = named_session('bound', "statement_timeout = '40s'");
	my $short = named_session('short', "statement_timeout = '500ms'");
	my @sequences = map { "bound_${name}_$_" } @CALLS, 'lost', 'last';

	next_launch();
	make_sequences(@sequences);
	set_and_reload('gid.reservation_wait', '3s');
	is(stat_of('without_standbys_since IS NULL'), 't', "$name: reservations have their standby");
	hold_standby($standby);

	# The waits of sessions that give up earlier count, and what they lose is lost.
	my $start = monotonic();
	my @lost;
	my ($out, $err);

	ok( defined wait_until(30,
			sub {
				($out, $err) = $short->query("SELECT gid_next('bound_${name}_lost')");
				push @lost, reserved('next', "bound_${name}_lost") if $err ne '';
				return $err eq '';
			}),
		"$name: waits that are given up have an end, too");
	cmp_ok(monotonic() - $start, '>=', 2.5, "$name: after gid.reservation_wait");
	ok(@lost > 0 && $out > $lost[-1], "$name: what was lost before remains lost") or diag("@lost, got: $out");
	is(stat_of("without_standbys_since BETWEEN now() - interval '1 min' AND now()"), 't', "$name: the view says it");
	is(log_count($primary, qr/LOG:  gid: reservations are used without standbys: 0 of 1 are there/, $offset),
		1, "$name: so does the log");
	$start = monotonic();
	foreach my $call (@CALLS)
	{
		my @values = split /\n/, $session->safe(call_sql($call, "bound_${name}_$call"));

		ok(@values > 0 && distinct(@values), "$name: $call without the standby");
	}
	$session->safe("SELECT gid_next('bound_${name}_next') FROM generate_series(1, 100)");
	cmp_ok(monotonic() - $start, '<', 3, "$name: nobody waits");
	($out, $err) = $short->query('SELECT gid.authority_confirm()');
	like($err, qr/ERROR:  57014:/, "$name: gid.authority_confirm() does");

	# For ever again, also for the block that is open.
	set_and_reload('gid.reservation_wait', '-1');
	($out, $err) = $short->query("SELECT gid_next('bound_${name}_next')");
	ok($out eq '' && $err =~ /ERROR:  57014:/, "$name: without a bound, sessions wait") or diag("got: $out$err");
	set_and_reload('gid.reservation_wait', '0');
	is($short->safe("SELECT count(gid_next('bound_${name}_last')) FROM generate_series(1, 100)"), 100,
		"$name: with 0 none does");

	# The standby is back.
	set_and_reload('gid.reservation_wait', '1h');
	is(stat_of('without_standbys_since IS NOT NULL'), 't', "$name: it is still missing");
	set_and_reload('gid.reservation_standbys', 0);
	is(stat_of('without_standbys_since IS NULL'), 't', "$name: nobody misses it where none is wanted");
	set_and_reload('gid.reservation_standbys', 1);
	let_standbys_go();
	ok(comes_true("SELECT (SELECT count(*) = 2 FROM gid_next_many('bound_${name}_last', 2))"
				. ' AND (SELECT without_standbys_since IS NULL FROM gid.stat_failover)', 30),
		"$name: the standby is back");
	is(log_count($primary, qr/LOG:  gid: reservations wait for standbys again\n.*DETAIL:  .* without 1 standbys since/, $offset),
		1, "$name: the log says that, too");
	hold_standby($standby);
	($out, $err) = $short->query("SELECT gid_next_many('bound_${name}_last', 3)");
	ok($out eq '' && $err =~ /ERROR:  57014:/, "$name: and it is waited for") or diag("got: $out$err");
	let_standbys_go();
	set_and_reload('gid.reservation_wait', '-1');
	end_session($_) for $session, $short;
	return;
}

# Without preload it is the next session that uses gid that makes the new number
# known, with preload the server's own processes.
check_endings('as it is', 0);
check_lowered('a session looks', 1);
check_gone('as_it_is');
check_bound('as_it_is');

# 5. Sessions that find values in the open block go on; the next block waits.
{
	my $session = named_session('open', "statement_timeout = '30s'");

	make_sequences('opened');
	is($session->safe("SELECT gid_next('opened')"), 1, 'the block is opened');
	catch_up();
	hold_standby($standby);
	is($session->safe("SELECT max(gid_next('opened')) FROM generate_series(2, 10)"),
		10, 'its values are drawn while the standby is held');
	$session->safe("SET statement_timeout = '1s'");
	my ($out, $err) = $session->query("SELECT gid_next('opened')");

	ok($out eq '' && $err =~ /ERROR:  57014:/, 'the next block waits')
	  or diag("got: $out$err");
	let_standbys_go();
	is($session->safe("SELECT gid_next('opened')"), 21, 'and it was lost');

	# A standby that is stopped has no connection at all.
	catch_up();
	$standby->stop;
	is(stat_of('standbys_connected'), 0, 'the standby is stopped');
	$session->safe("SET statement_timeout = '30s'");
	$session->safe("SELECT gid_next('opened') FROM generate_series(22, 30)");
	$session->send("SELECT gid_next('opened')");
	await_stat('sessions_waiting', 1);
	$standby->start;
	is(($session->answer)[0], 31, 'the next block waits until it is started');
	end_session($session);
}

# 5a. The next block is reserved ahead when a quarter of the values is drawn, and
# a session that draws fast flushes the record itself, so that the standby has
# the block before it is needed.
{
	my $session = session($primary, 'postgres');
	my $walwriter =
	  $control->safe("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");

	$control->safe('CREATE SEQUENCE early CACHE 1000; CREATE SEQUENCE early_0 CACHE 1000');
	catch_up();
	hold_process($walwriter);
	is($session->safe("SELECT max(gid_next('early')) FROM generate_series(1, 300)"),
		300, 'a quarter of a block is drawn');
	is(reserved('next', 'early'), 2000, 'the next block is reserved');
	my $lsn = $control->safe('SELECT pg_current_wal_insert_lsn()');

	ok(comes_true("SELECT flush_lsn >= '$lsn' FROM pg_stat_replication", 10),
		'the standby has it on disk without the WAL writer');
	let_standbys_go();
	want_standbys(0);
	$session->safe("SELECT gid_next('early_0') FROM generate_series(1, 700)");
	is(reserved('next', 'early_0'), 1000, 'without standbys the last quarter is soon enough');
	want_standbys(1);
	end_session($session);
}

# 6. The setting is raised when a block is open, and when a generator number is
# idle: the next transaction waits, and a cancel loses the block.
{
	my $session = named_session('raised', "statement_timeout = '1s'");
	my $other = session($primary, 'postgres');

	make_sequences('raised');
	want_standbys(0);
	next_launch();
	hold_standby($standby);
	is($session->safe("SELECT gid_next('raised')"), 1, 'no standby is wanted: a value comes');
	my $number = $other->safe($VALUES{decimal});

	end_session($other);
	await_true("SELECT sum(leases_idle) = 1 FROM gid.stat_launches WHERE launch = $launch",
		'the number is idle');
	want_standbys(1);
	my ($out, $err) = $session->query("SELECT gid_next('raised')");

	ok($out eq '' && $err =~ /ERROR:  57014:/, 'the open block waits, too')
	  or diag("got: $out$err");
	($out, $err) = $session->query($VALUES{decimal});
	ok($out eq '' && $err =~ /ERROR:  57014:/, 'and so does the generator number that is idle')
	  or diag("got: $out$err");
	let_standbys_go();
	is($session->safe("SELECT gid_next('raised')"), 11, 'the block was lost');
	isnt($session->safe($VALUES{decimal}), $number, 'and so was the number');
	end_session($session);
}

# 7. Synchronous standbys are a matter beside: a session that waits for them does
# not hold up one that need not.
{
	my $asks = named_session('asks', "statement_timeout = '30s'");
	my $local = named_session('local', 'synchronous_commit = local', "statement_timeout = '30s'");

	make_sequences(qw(beside beside_two));
	set_and_reload('synchronous_standby_names', 'nobody');
	sleep(0.3);
	$asks->send("SELECT gid_next('beside')");
	await_true("SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'asks'"
		  . " AND wait_event = 'SyncRep'",
		'a session waits for the synchronous standby');
	my @values = split /\n/,
	  $local->safe("SELECT gid_next('beside') FROM generate_series(1, 25)");

	ok(@values == 25 && distinct(@values), 'a session that does not ask draws');
	is(stat_of('sessions_waiting'), 1, 'meanwhile the other one waits');
	my $gone = named_session('gone');

	$gone->send("SELECT gid_next('beside')");
	await_stat('sessions_waiting', 2);
	$gone->kill;
	await_true("SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'gone'",
		'a client that is gone ends the wait for a synchronous standby');
	set_and_reload('synchronous_standby_names', 'standby');
	my ($out, $err) = $asks->answer;

	ok($err eq '' && distinct($out, @values), 'it gets another value, when it may')
	  or diag("got: $out$err");

	# The synchronous standby is there, and a second standby is not.
	want_standbys(2);
	foreach my $session ($asks, $local)
	{
		$session->safe("SET statement_timeout = '500ms'");
		($out, $err) = $session->query("SELECT gid_next('beside_two')");
		ok($out eq '' && $err =~ /ERROR:  57014:/, 'two standbys are wanted, beside the synchronous one')
		  or diag("got: $out$err");
	}
	want_standbys(1);
	set_and_reload('synchronous_standby_names', '');
	sleep(0.3);
	end_session($_) for $asks, $local;
}

# 8. Who counts.
my $connstr = $primary->connstr('postgres');
my $named = "$connstr application_name=beside";

# A client of replication that runs while a check is made.
sub beside
{
	my ($name, $command, $where) = @_;
	my $err = '';
	my $run = IPC::Run::start($command, '<', \undef, '>', \my $out, '2>', \$err);

	await_true("SELECT count(*) = 1 FROM pg_stat_replication WHERE $where", "$name is connected");

	# Let it report its position.
	sleep(1.5);
	is(stat_of('standbys_connected'), 1, "$name does not count");
	$run->kill_kill;
	# one of pg_basebackup's processes is still there
	$control->safe("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_replication WHERE $where");
	await_true("SELECT count(*) = 0 FROM pg_stat_replication WHERE $where", "$name is gone");
	return;
}

my $dir = PostgreSQL::Test::Utils::tempdir();

mkdir "$dir/$_" or die "$dir/$_: $!" for 'archive', 'synchronous';
$standby->stop;
$standby->start;
await_stat('standbys_connected', 1);
beside('pg_receivewal',
	[ 'pg_receivewal', '-d', $named, '-D', "$dir/archive", '-s', 1 ],
	"application_name = 'beside' AND state = 'streaming'");
beside('pg_receivewal --synchronous',
	[ 'pg_receivewal', '-d', $named, '-D', "$dir/synchronous", '-s', 1, '--synchronous' ],
	"application_name = 'beside' AND state = 'streaming'");
beside('pg_basebackup -X stream',
	[ 'pg_basebackup', '-d', $named, '-D', "$dir/backup", '-X', 'stream', '-c', 'fast', '-r', 64 ],
	"application_name = 'beside' AND state = 'streaming'");

$control->safe('CREATE TABLE published (id int); CREATE PUBLICATION everything FOR ALL TABLES');
$control->safe("SELECT pg_create_logical_replication_slot('subscriber', 'pgoutput')");
$primary->safe_psql('postgres', 'CREATE DATABASE subscriber');
$primary->safe_psql('subscriber', "CREATE EXTENSION gid; CREATE TABLE published (id int);"
	  . " CREATE SUBSCRIPTION subscriber CONNECTION '" . ($connstr =~ s/'/''/gr) . "' PUBLICATION everything"
	  . " WITH (create_slot = false, copy_data = false)");
await_true("SELECT count(*) = 1 FROM pg_stat_replication WHERE application_name = 'subscriber'"
	  . " AND state = 'streaming' AND replay_lsn IS NOT NULL",
	'the subscriber');
is(stat_of('standbys_connected'), 1, 'a logical subscriber does not count');
$primary->safe_psql('subscriber', 'DROP SUBSCRIPTION subscriber');

{
	my $cascade = PostgreSQL::Test::Cluster->new('cascade');

	$cascade->init_from_backup($primary, 'backup', has_streaming => 1);
	$cascade->enable_streaming($standby);
	$cascade->start;
	$standby->poll_query_until('postgres',
		"SELECT count(*) = 1 FROM pg_stat_replication WHERE replay_lsn IS NOT NULL")
	  or die 'the cascading standby does not stream';
	is(stat_of('standbys_connected'), 1, 'a cascading standby does not count');
	$cascade->stop;
}

# A standby with a slot is one; with the same slot name on two, one connects.
$control->safe("SELECT pg_create_physical_replication_slot('$_')") for qw(one two);
my $second = new_standby('second', "primary_slot_name = 'two'");

await_stat('standbys_connected', 2);
pass('one without a slot and one with a slot are two');
set_and_reload('gid.reservation_standbys', 2);
make_sequences(qw(two twice));
is($primary->safe_psql('postgres', "SELECT gid_next('two')"), 1, 'two standbys have the record');
hold_standby($second);
sql_fails($primary, 'postgres', "SET statement_timeout = '1s'; SELECT gid_next_many('two', 3)",
	'57014', 'one of two is not enough', no_detail => 1, no_hint => 1);
let_standbys_go();
$second->stop;

# The first standby's host hangs.  Its walreceiver starts again elsewhere, and
# the old connection is there for a while.
await_stat('standbys_connected', 1);
hold_standby($standby);
my $again = new_standby('again', "cluster_name = 'standby'",
	"primary_conninfo = '" . ($primary->connstr =~ s/'/''/gr) . " application_name=standby'");

await_true("SELECT count(*) = 2 FROM pg_stat_replication WHERE application_name = 'standby'"
	  . " AND state = 'streaming' AND replay_lsn IS NOT NULL",
	'both connections');
is(stat_of('standbys_connected'), 1, 'a standby with two connections is one');
sql_fails($primary, 'postgres', "SET statement_timeout = '1s'; SELECT gid_next('twice')", '57014',
	'and it is not enough for two', no_detail => 1, no_hint => 1);

# Each connection has a temporary slot of its own.
let_standbys_go();
foreach my $node ($standby, $again)
{
	gid_set($node, 'wal_receiver_create_temp_slot', 'on');
	$node->restart;
}
await_true("SELECT count(*) = 2 FROM pg_replication_slots AS s JOIN pg_stat_replication AS r"
	  . " ON r.pid = s.active_pid WHERE s.temporary AND r.state = 'streaming' AND r.replay_lsn IS NOT NULL",
	'both temporary slots are in use');
is(stat_of('standbys_connected'), 1, 'a standby with two connections and temporary slots is one');
foreach my $node ($standby, $again)
{
	gid_set($node, 'wal_receiver_create_temp_slot', 'off');
	$node->restart;
}

# With a slot on one connection it is still one, whatever other slots are in use.
sub take_slot
{
	my ($node, $slot) = @_;

	gid_set($node, 'primary_slot_name', "'$slot'");
	$node->reload;
	return;
}

take_slot($standby, 'one');
$second->start;
await_true("SELECT count(*) = 2 FROM pg_replication_slots WHERE active AND slot_type = 'physical'",
	'the slots of two standbys');
await_true("SELECT count(*) = 3 FROM pg_stat_replication WHERE state = 'streaming'"
	  . " AND replay_lsn IS NOT NULL", 'three connections');
is(stat_of('standbys_connected'), 2, 'a standby with a slot on one of two connections is one');
$second->stop;

# Each with a permanent slot of its own they are two.
take_slot($again, 'two');
await_true("SELECT count(*) = 2 FROM pg_replication_slots WHERE active AND slot_type = 'physical'",
	'both slots are in use');
await_stat('standbys_connected', 2);
pass('two with the same name and a slot each are two');
is($primary->safe_psql('postgres', "SELECT gid_next('twice') > 0"), 't', 'and enough for two');
$again->stop;
want_standbys(1);

# 9. The same with the library preloaded.
$control->end;
gid_set($primary, 'shared_preload_libraries', "'gid'");
$primary->restart;
$control = session($primary, 'postgres');
await_stat('standbys_connected', 1);

# The log names the standbys that have the reservation.
make_sequences('named');
want_standbys(2);
sql_fails($primary, 'postgres', "SET statement_timeout = '2s'; SELECT gid_next('named')", '57014',
	'one standby of two', no_detail => 1, no_hint => 1);
is(log_count($primary, qr/LOG:  gid: a reservation waits for standbys: 1 of 2 have it/), 1,
	'the log says how many have the reservation');
is(log_count($primary, qr/DETAIL:  Connected standbys: 1\. The reservation, WAL up to \S+, is on disk at "standby"\./),
	1, 'and who');

# A GRANT on the database during a wait makes another key of the sequence.  Its
# entry, the first one since the start, is claimed by the session that waits.
{
	my $holder = named_session('holder', "statement_timeout = '60s'");
	my $other = named_session('other', "statement_timeout = '2s'");
	my $pid = $other->safe('SELECT pg_backend_pid()');
	my $begun;

	$holder->send("SELECT gid_next('named')");
	await_stat('sessions_waiting', 1);
	$control->safe('GRANT CONNECT ON DATABASE postgres TO PUBLIC');
	$begun = monotonic();
	$other->send("SELECT gid_next('named')");
	ok(comes_true("SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $pid", 2),
		'a session that finds the entry claimed for an earlier key sleeps');
	like(($other->answer)[1], qr/57014/, 'and can be cancelled');
	cmp_ok(monotonic() - $begun, '<', 30, 'before the other session ends');
	$control->safe("SELECT pg_cancel_backend(pid) FROM pg_stat_activity"
		  . " WHERE application_name = 'holder'");
	$holder->answer;
	end_session($_) for $holder, $other;
}
want_standbys(1);
check_counts('preloaded');
check_gone('preloaded');
check_bound('preloaded');
check_lowered('preloaded, nobody looks', 0);
check_endings('preloaded, after a reload', 1);

end_session($control);
$standby->stop;
$primary->stop;
done_testing();
