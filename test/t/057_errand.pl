# While values are left, nobody waits for another server: errands fetch blocks and extend
# leases.  Errands that fail, are terminated, never come or find no worker; what happens
# beside an errand; a standby and a stand-alone backend.
#
# SQL alone cannot test this: it needs an authority that hangs, processes that end, and the
# files of the shared memory.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use FarServer;
use GidTest;
use HostileAuthority;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	HANG => 120,	# seconds that only a hang takes
	TRIP => 0.02,	# the authority is so far away, in seconds
	SIZE => 40,		# of each block
	MARK => 20,		# values that are left at its mark
	PAUSE => 2.1,	# seconds after which another errand may start
	SESSIONS => 90,
};

my $authority = gid_node('authority', 'gid.authority = 1');

$authority->start;
$authority->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE ROLE gid_fleet LOGIN SUPERUSER');

my $near = FarServer->start($authority, TRIP);
my $hostile = HostileAuthority->start;

END
{
	local $?;
	$near->stop if $near;
	$hostile->stop if $hostile && kill 0, $hostile->{pid};
}

# A failure is that of a URI. So what fails on purpose has a URI of its own. A connection
# may last for longer than any check here.
my $uri_no = 0;

sub uri { return $near->uri('gid_fleet', 'postgres', '&connect_timeout=' . 2 * HANG . '&keepalives_idle=' . ++$uri_no) }

# The segments of shared memory are files that can be counted.
my $client = gid_node('client', "gid.authority = -1\ndynamic_shared_memory_type = mmap");

$client->start;
$client->safe_psql('postgres', 'CREATE EXTENSION gid');
my $control = session($client, 'postgres');
my $session = session($client, 'postgres');
my $sequence_no = 0;

# Makes a sequence on both servers, in databases of the client.
sub new_sequence
{
	my (@dbs) = @_;
	my $name = 's' . ++$sequence_no;

	$_->[0]->safe_psql($_->[1], "CREATE SEQUENCE $name CACHE " . SIZE)
	  for [ $authority, 'postgres' ], map { [ $client, $_ ] } @dbs ? @dbs : 'postgres';
	return $name;
}

# Draws in statements of their own. Returns the ids, and the errors.
sub draw
{
	my ($who, $sequence, $n) = @_;
	my ($out, $err) = $who->query("SELECT gid_next_gdid('$sequence');\n" x $n);

	return ([ split /\n/, $out ], $err);
}

# Draws as many ids, which come without an error and without a wait.
sub draw_all
{
	my ($who, $sequence, $n, $name) = @_;
	my $start = monotonic();
	my ($ids, $err) = draw($who, $sequence, $n);

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(scalar(@$ids) . $err, $n, $name);
	cmp_ok(monotonic() - $start, '<', HANG / 2, 'without a wait');
	return @$ids;
}

# A new sequence with a block of which all but "left" values are drawn.
sub begun
{
	my ($left, $uris) = @_;
	my $sequence = new_sequence();

	$session->safe("SET gid.authorities = '" . uri() . "'");
	$session->safe("SELECT count(gid_next_gdid('$sequence')) FROM generate_series(1, " . (SIZE - $left) . ')');
	$session->safe("SET gid.authorities = '$uris'") if defined $uris;
	return $sequence;
}

my $ERRANDS = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'gid errand'";
my $END = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'gid errand'";

sub errands { return $control->safe($ERRANDS) }
sub wait_for_errands { my ($n) = @_; return defined wait_until(HANG, sub { errands() == $n }) }
sub end_errands { return defined wait_until(HANG, sub { $control->safe($END) == 0 }) }
sub segments { return scalar(() = glob($client->data_dir . '/pg_dynshmem/*')) }
sub stat_of { my ($what, $sequence) = @_; return $control->safe("SELECT $what FROM gid.stat_sequences WHERE sequence = '$sequence'::regclass") }
sub sockets { return scalar grep { (readlink($_) // '') =~ /^socket:/ } glob("/proc/$_[0]/fd/*") }
sub ahead_of_need { my ($sequence) = @_; return log_count($client, qr/LOG:  gid: could not get a block of sequence "public.$sequence" ahead of need/) }

# Draws a value when the pause after a failed errand is over, and waits for what follows.
sub draw_after_pause
{
	my ($sequence) = @_;
	my $start = monotonic();

	wait_until(HANG, sub { monotonic() - $start > PAUSE });
	$session->safe("SELECT gid_next_gdid('$sequence')");
	return wait_for_errands(0);
}

# --- 1. Who asks -------------------------------------------------------------

my $pid = $session->safe('SELECT pg_backend_pid()');
my $sequence = begun(MARK + 1);
my $before = sockets($pid);
my $empty = segments();
my $lock = session($authority, 'postgres');

$lock->safe("BEGIN; ALTER SEQUENCE $sequence MINVALUE 1");
$session->safe("SELECT gid_next_gdid('$sequence')");
ok( $authority->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'gid' AND wait_event_type = 'Lock'"),
	'at half of a block, one connection asks the authority');
is(errands(), 1, 'it is that of an errand');
is(sockets($pid), $before, 'not that of the session');
draw_all($session, $sequence, 5, 'the session goes on');
is($authority->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gid'"), 1, 'with one connection to the authority');
$lock->safe('ROLLBACK');
# The errand gets the block, or has failed: then the next one does.
ok( defined wait_until(HANG, sub {
			draw_after_pause($sequence);
			return stat_of('prefetched', $sequence) == 1;
		}), 'an errand fetches the next block');
draw_all($session, $sequence, SIZE, 'which goes on from the one before');
is(stat_of('reservations - prefetched', $sequence), 1, 'somebody waited for the first block alone');

# As small as a block may be.
my $small = new_sequence();

$control->safe("ALTER SEQUENCE $small CACHE 2");
$session->safe("SELECT gid_next_gdid('$small')");
ok(defined wait_until(HANG, sub { stat_of('prefetched', $small) == 1 }), 'a block of two values has a next one, too');

# --- 2. Authorities that fail ------------------------------------------------

foreach my $case (
	[ 'that is not there', 'postgresql://u@/ids?host=/nonexistent' ],
	[ 'that refuses', $hostile->uri('start_refused') ],
	[ 'that answers garbage', $hostile->uri('garbage') ],
	[ 'whose name does not resolve', 'postgresql://u@gid.invalid/ids?connect_timeout=1' ],
	[ 'of two that both fail', 'postgresql://u@/two?host=/nonexistent ' . $hostile->uri('closed') ])
{
	my ($what, $uris) = @$case;
	my $failing = begun(MARK + 1, $uris);

	draw_all($session, $failing, 5, "an authority $what: values are left");
	ok(defined wait_until(HANG, sub { ahead_of_need($failing) }), 'the log says that an errand failed');
	draw_all($session, $failing, MARK - 4, 'to the last value');
	error_like((draw($session, $failing, 1))[1], '08001', 'then the caller itself gets the error', text => qr/from any authority/);
	is(ahead_of_need($failing), 1, 'the log has one line');
}

# Errands fail again and again, one every two seconds: the log has a line for the authority
# and a line for the sequence.
{
	my $gone = 'postgresql://u@/outage?host=/nonexistent';
	my $failing = begun(MARK + 1, $gone);

	$session->safe("SELECT gid_next_gdid('$failing')");
	ok(defined wait_until(HANG, sub { ahead_of_need($failing) == 1 }), 'an errand fails');
	is(log_count($client, qr{LOG:  gid: authority "/nonexistent:\d+/outage" failed and is asked last}), 1, 'one line for the server');
	draw_after_pause($failing) for 1 .. 2;
	is(ahead_of_need($failing), 1, 'later errands of the outage log nothing');
	is(log_count($client, qr{LOG:  gid: authority "/nonexistent:\d+/outage" failed and is asked last}), 1, 'nor for the server');
	$session->safe("SET gid.authorities = '" . uri() . "'");
	ok( defined wait_until(HANG, sub {
			draw_after_pause($failing);
			return stat_of('prefetched', $failing) == 1;
		}), 'when the authority is back an errand gets the block');
}

# Ninety sessions that have nothing left, for a sequence that is locked at the authority.
{
	my ($locked, $free) = (new_sequence(), begun(MARK + 1));

	$lock->safe("BEGIN; ALTER SEQUENCE $locked MINVALUE 1");
	my $script = PostgreSQL::Test::Utils::tempdir() . '/locked.sql';

	append_to_file($script, "SET gid.authorities = '@{[uri()]}';\nSELECT gid_next_gdid('$locked');\n");
	my ($out, $err) = ('', '');
	my $run = IPC::Run::start([ 'pgbench', '-n', '-c', SESSIONS, '-t', 1, '-f', $script, $client->connstr('postgres') ], '>', \$out, '2>', \$err);

	ok( defined wait_until(HANG, sub {
				$control->safe("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND wait_event = 'object'") > SESSIONS / 2;
			}), 'ninety sessions want a block of a sequence that is locked there');
	is($authority->safe_psql('postgres', "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gid'"), 1, 'one of them asks');
	foreach my $round (1 .. 3)
	{
		draw_all($session, $free, MARK, 'another sequence goes on');
		ok(defined wait_until(HANG, sub { stat_of('prefetched', $free) == $round }), 'an errand fetches its next block');
		draw_all($session, $free, SIZE - MARK, 'and it is drawn');
	}
	$run->finish;
	is(scalar(() = $err =~ /could not get a block/g), SESSIONS, 'all fail');
	cmp_ok(scalar(() = $err =~ /55P03/g), '<', SESSIONS / 3, 'few of them by a question of their own: one after the other would take long');
	like($err, qr/Others have asked in the meantime/, 'the others by those');
	$lock->safe('ROLLBACK');
}

# --- 3. Errands that are ended, or never come --------------------------------

# Frozen from the beginning, the authority does not accept the connection; else it does
# not answer the question.
foreach my $step ('connects', 'waits for the answer', 'begins')
{
	my $ended = begun(MARK + 1);

	$near->freeze if $step eq 'connects';
	$lock->safe("BEGIN; ALTER SEQUENCE $ended MINVALUE 1") if $step ne 'connects';
	$session->safe("SELECT gid_next_gdid('$ended')");
	if ($step eq 'waits for the answer')
	{
		$authority->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'gid' AND wait_event_type = 'Lock'");
	}
	elsif ($step eq 'connects')
	{
		wait_for_errands(1);
	}
	ok(end_errands(), "an errand that $step is terminated");
	ok(wait_for_errands(0), 'and ends');
	$near->thaw;
	$lock->safe('ROLLBACK') if $step ne 'connects';
	draw_all($session, $ended, MARK, 'its sequence has all its values');

	draw_all($session, $ended, SIZE, 'and gets a block');
}

# Errands die at any moment.
{
	my $stop = PostgreSQL::Test::Utils::tempdir() . '/stop';
	my $many = new_sequence();
	my $killer = session($client, 'postgres');
	my %seen;

	$killer->send("DO \$\$ BEGIN FOR i IN 1..1000000 LOOP PERFORM pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'gid errand'; PERFORM pg_stat_clear_snapshot(), pg_sleep(random() * 0.03); COMMIT; EXIT WHEN to_regclass('stop') IS NOT NULL; END LOOP; END \$\$");
	$session->safe("SET gid.authorities = '" . uri() . "'");
	foreach my $round (1 .. 60)
	{
		my ($ids, $err) = draw($session, $many, SIZE);

		die $err if $err ne '';
		$seen{$_}++ for @$ids;
	}
	$control->safe('CREATE TABLE stop ()');
	$killer->answer;
	end_session($killer);
	is(scalar(keys %seen), 60 * SIZE, 'while errands are terminated, no id comes twice');
	cmp_ok(log_count($client, qr/terminating background worker "gid errand"/), '>', 2, 'some were');
	draw_all($session, $many, SIZE, 'the sequence goes on');
}

# The postmaster does not start them. After a while they are forgotten.
{
	my @lost = map { begun(MARK + 1) } 1 .. 3;
	my ($postmaster) = slurp_file($client->data_dir . '/postmaster.pid') =~ /^(\d+)/;

	wait_for_errands(0);
	my $now = segments();

	kill 'STOP', $postmaster;
	$session->safe(join ';', map { "SELECT gid_next_gdid('$_')" } @lost);
	is(segments(), $now + 3, 'three errands have a question each, and do not start');
	my $start = monotonic();

	wait_until(HANG, sub { monotonic() - $start > 10.5 });
	$session->safe(join ';', map { "SELECT gid_next_gdid('$_')" } @lost);
	is(segments(), $now + 3, 'the next ones have new questions, and the old ones are gone');
	kill 'CONT', $postmaster;
	ok(defined wait_until(HANG, sub { !grep { stat_of('prefetched', $_) != 1 } @lost }), 'when errands start again, one for each fetches a block');
	wait_for_errands(0);
	is(log_count($client, qr/ERROR:.*segment/), 0, 'the forgotten ones end in silence');
}

# The server can make no segment for the question.
{
	my $alone = begun(MARK + 1);
	my $offset = -s $client->logfile;
	my $now = segments();
	my $start = monotonic();

	chmod 0500, $client->data_dir . '/pg_dynshmem' or die $!;
	draw_all($session, $alone, MARK + 1, 'without a segment a block is drawn to its end');
	draw_all($session, $alone, 1, 'and then the caller fetches the next one');
	chmod 0700, $client->data_dir . '/pg_dynshmem' or die $!;
	is(stat_of('reservations, prefetched', $alone), '2|0', 'the view shows that somebody waited');
	my $lines = log_count($client, qr/LOG:  gid: could not make a segment .*\n.*DETAIL:  .*: Permission denied/, $offset);
	cmp_ok($lines, '>=', 1, 'the log says so');
	cmp_ok($lines, '<=', 1 + (monotonic() - $start) / 2, 'once for each errand');
	is(log_count($client, qr/LOG:  gid|WARNING|ERROR/, $offset), $lines, 'and nothing else');
	is(segments(), $now, 'no segment is left');
}

# What is left over of terminated errands is unpinned by later ones, or with its entry.
{
	my $left = segments();

	cmp_ok($left - $empty, '<=', 2, 'no segments are left behind') or diag "$empty, then $left";
}

# --- 4. Beside an errand -----------------------------------------------------

$control->safe('CREATE DATABASE other');
$client->safe_psql('other', 'CREATE EXTENSION gid');
{
	my $dropped = begun(MARK + 1);
	my $both = new_sequence('other');
	my $other = session($client, 'other');

	$other->safe("SET gid.authorities = '" . uri() . "'; SELECT count(gid_next_gdid('$both')) FROM generate_series(1, 19)");
	$near->freeze;
	$session->safe("SELECT gid_next_gdid('$dropped')");
	$other->safe("SELECT gid_next_gdid('$both')");
	end_session($other);
	ok(wait_for_errands(2), 'two errands wait');
	my $start = monotonic();

	$control->safe("DROP SEQUENCE $dropped");
	$control->safe('DROP DATABASE other');
	$control->safe('BEGIN; DROP EXTENSION gid CASCADE; ROLLBACK');
	is(errands(), 2, 'DROP SEQUENCE, DATABASE and EXTENSION do not end them');
	cmp_ok(monotonic() - $start, '<', HANG / 2, 'and do not wait for them');
	$near->thaw;
	ok(wait_for_errands(0), 'they end when the authority answers');
}

# Each database has authorities of its own, and a question has those of its session.
$authority->safe_psql('postgres', 'CREATE DATABASE second');
{
	my $moved = new_sequence();

	$authority->safe_psql('second', "CREATE EXTENSION gid; CREATE SEQUENCE $moved START 1000 CACHE " . SIZE);
	$control->safe("LOAD 'gid'; ALTER DATABASE postgres SET gid.authorities = '" . $near->uri('gid_fleet', 'second') . "'");
	my $fresh = session($client, 'postgres');

	$fresh->safe("SELECT gid_next_gdid('$moved') FROM generate_series(1, 20)");
	ok(defined wait_until(HANG, sub { stat_of('prefetched', $moved) == 1 }), 'an errand asks the authority of ALTER DATABASE');
	is((draw_all($fresh, $moved, MARK + 1, 'its block is drawn'))[-1], '0:1:1040', 'it comes from there');
	# The server's own setting counts again, with the next question.
	$control->safe('ALTER DATABASE postgres RESET gid.authorities');
	end_session($fresh);
	gid_set($client, 'gid.authorities', "'" . $near->uri('gid_fleet', 'postgres') . "'");
	$client->reload;
	ok(defined wait_until(HANG, sub { $client->safe_psql('postgres', 'SHOW gid.authorities') =~ /postgres/ }), 'a reload');
	$fresh = session($client, 'postgres');
	$fresh->safe("SELECT gid_next_gdid('$moved') FROM generate_series(1, 19)");
	ok(defined wait_until(HANG, sub { stat_of('prefetched', $moved) == 2 }), 'changes whom an errand asks');
	is((draw_all($fresh, $moved, MARK + 1, 'its block is drawn'))[-1], '0:1:1', 'and it comes from the new one');
	end_session($fresh);
}

# kill -9 of an errand restarts the server, as that of any process does.
my $CRASH = qr/was terminated by signal|^TRAP:|all server processes terminated/m;
my $crashed;
{
	my $killed = begun(MARK + 1);

	is(log_count($client, $CRASH), 0, 'nothing has crashed');
	$near->freeze;
	$session->safe("SELECT gid_next_gdid('$killed')");
	wait_for_errands(1);
	my $errand = $control->safe("SELECT pid FROM pg_stat_activity WHERE backend_type = 'gid errand'");

	end_session($_) for $session, $control;
	server_crash($client, sub { kill 'KILL', $errand });
	$crashed = -s $client->logfile;
	$near->thaw;
	($session, $control) = map { session($client, 'postgres') } 1, 2;
	$session->safe("SET gid.authorities = '" . uri() . "'");
	my @again = grep { /:(\d+)$/ && $1 <= MARK } draw_all($session, $killed, SIZE, 'after kill -9 of an errand ids go on');

	is("@again", '', 'and none comes again');
}

# A fast shutdown.
{
	my $open = begun(MARK + 1);

	$near->freeze;
	$session->safe("SELECT gid_next_gdid('$open')");
	wait_for_errands(1);
	end_session($_) for $session, $control;
	my $start = monotonic();

	$client->stop;
	cmp_ok(monotonic() - $start, '<', HANG / 2, 'an errand does not hold up a shutdown');
	$near->thaw;
}

# --- 5. No worker is free ----------------------------------------------------

gid_set($client, 'max_worker_processes', 0);
$client->start;
$session = session($client, 'postgres');
$control = session($client, 'postgres');
{
	my $alone = begun(MARK + 1);
	my $offset = -s $client->logfile;
	my $now = segments();

	draw_all($session, $alone, MARK + 1, 'without workers a block is drawn to its end');
	draw_all($session, $alone, SIZE, 'and then the caller fetches the next one');
	is(stat_of('reservations, prefetched', $alone), '2|0', 'the view shows that somebody waited');
	is(log_count($client, qr/LOG:  gid|WARNING|ERROR/, $offset), 0, 'the log says nothing');
	is(segments(), $now, 'no segment is left');
}
end_session($_) for $session, $control;
$client->stop;

# A stand-alone backend asks by itself.
{
	my ($out, $err) = ('', '');
	my $name = 's' . $sequence_no;
	my $sql = join '', map { "SELECT gid_next_gdid('$name');\n" } 1 .. 3 * SIZE;

	IPC::Run::run([ 'postgres', '--single', '-c', 'shared_preload_libraries=gid', '-c', 'gid.authorities=' . uri(),
			'-c', 'exit_on_error=true', '-D', $client->data_dir, 'postgres' ], '<', \$sql, '>', \$out, '2>', \$err);
	my %ids = map { $_ => 1 } $out =~ /gid_next_gdid = "(0:1:\d+)"/g;

	is(scalar(keys %ids), 3 * SIZE, 'a stand-alone backend draws several blocks') or diag $err;
}

# --- 6. Leases ---------------------------------------------------------------

# Half of a lease is left when the authority hangs for a fifth of a lease. The server is a
# standby's primary: both lease.
my $lessee = gid_node('lessee', "gid.node_authority = '" . $near->uri('gid_fleet', 'postgres') . "'\ngid.node_lease = 30s", allows_streaming => 1);

$lessee->start;
$lessee->safe_psql('postgres', 'CREATE EXTENSION gid');
$lessee->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($lessee, 'base', has_streaming => 1);
$standby->start;
my $UNTIL = 'SELECT extract(epoch FROM max(node_until)) FROM gid.stat_clock';
my $NOW = 'SELECT extract(epoch FROM clock_timestamp())';

foreach my $server ($lessee, $standby)
{
	my $makes = session($server, 'postgres');
	my $name = $server->name;
	my ($slowest, $asked) = (0, 0);
	my ($until, $backend);

	ok(defined wait_until(HANG, sub { ($makes->query('SELECT gid_trace_id()'))[1] eq '' }), "$name: there is a lease");
	$until = $makes->safe($UNTIL);
	$backend = $makes->safe('SELECT pg_backend_pid()');
	my $sockets = sockets($backend);

	wait_until(HANG, sub { $makes->safe($NOW) > $until - 14.5 });
	$near->freeze;
	my $start = monotonic();

	while (monotonic() - $start < 6)
	{
		my $from = monotonic();

		$makes->safe('SELECT gid_trace_id()');
		$slowest = monotonic() - $from if monotonic() - $from > $slowest;
		die 'the session has a connection' if sockets($backend) > $sockets;
		$asked ||= $makes->safe($ERRANDS) > 0;
	}
	ok($asked, 'an errand asks');
	cmp_ok($slowest, '<', 5, 'no id waits for the authority');
	$near->thaw;
	ok( defined wait_until(HANG, sub { $makes->safe('SELECT gid_trace_id()'); return $makes->safe($UNTIL) > $until }),
		'the lease is extended when it answers');
	cmp_ok($makes->safe($NOW), '<', $until, 'in time');
	is(log_count($server, qr/gid: could not extend the lease of node number/), 1, 'the log has one line');
	end_session($makes);
}
is(log_count($_, $CRASH, $_ == $client ? $crashed : 0), 0, $_->name . ': nothing has crashed') for $client, $lessee, $standby, $authority;

end_session($lock);
$_->stop for $standby, $lessee, $authority;

done_testing();
