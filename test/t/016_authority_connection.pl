# The connections to authorities: what ends a wait, that a connection ends with its
# question, which host of a URI it goes to, that a server that does not answer is passed
# over, and that no answer does harm, whatever an authority sends.
#
# SQL alone cannot test this: it needs servers and sockets that stop answering, a look
# at the backend's open files, and a process that breaks the protocol
# (test/lib/HostileAuthority.pm).

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use HostileAuthority;
use IO::Socket::INET;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant {
	HANG => 60,		# seconds; only a hang takes longer than half of this
	ROUNDS => 6,	# of hostile answers; what stays is counted after the third
	GROWTH => 1024 * 1024,
};

# --- servers -------------------------------------------------------------

my @authorities;

# A session on each authority that looks at the connections of gid there.
my @watch;

foreach my $n (1, 2)
{
	my $node = gid_node("authority_$n", "gid.authority = $n\nlisten_addresses = '127.0.0.1'");

	$node->append_conf('pg_hba.conf', 'host all all 127.0.0.1/32 trust');
	$node->start;
	$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
EOS
	push @authorities, $node;
	push @watch, session($node, 'postgres');
}

my $client = gid_node('client', "gid.node_lease = 10s\ngid.node_max = 1023");

$client->start;
$client->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
EOS
my $control = session($client, 'postgres');

# A host that takes connections and never says a word.
my $mute = IO::Socket::INET->new(Listen => 50, LocalAddr => '127.0.0.1') or die "no socket: $!";

my $hostile = HostileAuthority->start;

END
{
	local $?;
	$hostile->stop if defined $hostile && kill 0, $hostile->{pid};
}

# --- helpers -------------------------------------------------------------

# A batch is always fetched; the authority that it came from.
my $FETCH = "SELECT gid_extract_gdid_authority(gid_next_gdids('app.invoice', 1))";

# The URI of a list of hosts, which are authorities or sockets or ports. A failure is that
# of a URI, so each has one of its own.
my $uri_no = 0;

sub uri
{
	my ($hosts, $options) = @_;
	my $list = join ',', map { '127.0.0.1:' . (ref $_ eq 'IO::Socket::INET' ? $_->sockport : ref $_ ? $_->port : $_) } @$hosts;

	return "postgresql://$SUPERUSER\@$list/postgres?keepalives_idle=" . ++$uri_no . ($options // '');
}

# A session that asks these URIs.
sub asking
{
	my (@uris) = @_;
	my $session = session($client, 'postgres');

	$session->safe("LOAD 'gid'; SET gid.authorities = '@uris'");
	$session->{pid} = $session->safe('SELECT pg_backend_pid()');
	return $session;
}

# The process of gid's connection to an authority; nothing if there is none.
sub connection_pid
{
	return $watch[ $_[0] - 1 ]->safe("SELECT pid FROM pg_stat_activity WHERE application_name = 'gid'");
}

# A connection that was closed is gone when its backend has noticed.
sub none_left
{
	my ($n, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return ok(defined wait_until(HANG, sub { connection_pid($n) eq '' }), $name);
}

# The sockets of a backend.
sub sockets { return scalar grep { (readlink($_) // '') =~ /^socket:/ } glob("/proc/$_[0]/fd/*") }

# Waits until a session waits, for an authority (before PostgreSQL 17 an extension's
# events have no names) or for something else.
sub waits_for
{
	my ($pid, @events) = @_;

	return defined wait_until(HANG, sub {
		my $event = $control->safe("SELECT wait_event FROM pg_stat_activity WHERE pid = $pid");

		return grep { $event eq $_ } @events;
	});
}

# --- 1. What ends a wait -------------------------------------------------

my %WAIT = (
	'a connection to a socket that never answers' => sub { uri([$mute], '&connect_timeout=' . HANG) },
	'a connection to the second host of a URI' => sub { uri([ 1, $mute ], '&connect_timeout=' . HANG) },
	'a query that is never answered' => sub { $hostile->uri('silent-' . ++$uri_no) });
my %END = (
	pg_cancel_backend => 'canceling statement due to user request',
	statement_timeout => 'canceling statement due to statement timeout');

foreach my $wait (sort keys %WAIT)
{
	foreach my $end (qw(pg_cancel_backend statement_timeout pg_terminate_backend))
	{
		my $session = asking($WAIT{$wait}->());
		my $start;

		# what a draw opens for good is open
		$session->query("SELECT gid_next('app.invoice')");
		my $before = sockets($session->{pid});

		$session->safe("SET statement_timeout = '300ms'") if $end eq 'statement_timeout';
		$session->send($FETCH);
		if ($end ne 'statement_timeout')
		{
			waits_for($session->{pid}, 'Extension', 'GidAuthority') or die 'no wait';
			$control->safe("SELECT $end($session->{pid})");
		}
		$start = monotonic();
		if ($end eq 'pg_terminate_backend')
		{
			ok(defined wait_until(HANG, sub { !-e "/proc/$session->{pid}" }), "$wait is ended by $end");
		}
		else
		{
			like(($session->answer)[1], qr/ERROR:  57014: $END{$end}/, "$wait is ended by $end");
		}
		cmp_ok(monotonic() - $start, '<', HANG / 2, 'before it ends by itself');
		is(sockets($session->{pid}), $before, 'and no socket is left open') unless $end eq 'pg_terminate_backend';
		end_session($session);
	}
}

# Other sessions wait for the block that one session fetches: its end is not theirs.
foreach my $end (qw(pg_cancel_backend pg_terminate_backend))
{
	my $uri = uri([ $authorities[0] ], '&connect_timeout=' . HANG);
	my @session = map { asking($uri) } 0 .. 2;
	my %got;

	$session[1]->safe("SELECT gid_forget('app.invoice')");
	freeze_server($authorities[0]);
	$session[0]->send("SELECT gid_next_gdid('app.invoice')");
	waits_for($session[0]{pid}, 'Extension', 'GidAuthority');
	foreach my $i (1, 2)
	{
		$session[$i]->send("SELECT gid_next_gdid('app.invoice')");
		waits_for($session[$i]{pid}, 'Lock', 'object');
	}
	$control->safe("SELECT $end($session[0]{pid})");
	thaw_servers();
	foreach my $i (1, 2)
	{
		my ($out, $err) = $session[$i]->answer;

		like($out, qr/^0:1:\d+$/, "after $end the others draw") or diag($err);
		$got{$out}++;
	}
	is(keys %got, 2, 'each another id');
	end_session($_) for @session;
}

# --- 2. Limits of time ---------------------------------------------------

# Nothing of these is set: the time to connect and that of a statement are gid's own.
{
	my $session = asking(uri([$mute]));
	my $start = monotonic();

	error_like(($session->query($FETCH))[1], '08001', 'a server that says nothing: 2 s to connect', text => qr/no connection in time/);
	cmp_ok(monotonic() - $start, '>', 1.9, 'not less');
	cmp_ok(monotonic() - $start, '<', HANG / 2, 'nor much more');
	end_session($session);

	$session = asking($hostile->uri('silent-b'));
	$start = monotonic();
	error_like(($session->query($FETCH))[1], '08001', 'a server that does not answer: 2 s for a statement', text => qr/no answer in time/);
	cmp_ok(monotonic() - $start, '<', HANG / 2, 'not much more');
	end_session($session);

	# The server itself says what it waits for.
	sub name_standbys
	{
		my ($node, $names) = @_;

		gid_set($node, 'synchronous_standby_names', "'$names'");
		$node->reload;
		$node->poll_query_until('postgres', "SELECT current_setting('synchronous_standby_names') = '$names'")
		  or die 'not reloaded';
		return if $names eq '';
		# until the checkpointer has read the names, too
		wait_until(60, sub {
			my ($rc) = $node->psql('postgres',
				"SET synchronous_commit = local; CREATE SEQUENCE IF NOT EXISTS probe;"
				  . " SET statement_timeout = '500ms'; SELECT gid_next_many('probe', 1)");
			return $rc != 0;
		}) // die 'nobody waits';
		return;
	}
	my $locker = session($authorities[0], 'postgres');

	$session = asking(uri([ $authorities[0] ]));
	$locker->safe('BEGIN; ALTER SEQUENCE app.invoice MINVALUE 1');
	error_like(($session->query($FETCH))[1], '08001', 'a sequence that is locked there',
		text => qr/: error 55P03\nHINT:  On the authority, look for the transaction/);
	$locker->safe('ROLLBACK');
	is($session->safe($FETCH), 1, 'is no failure of the server');
	end_session($_) for $session, $locker;
}

# A server that has not answered is passed over, also by a session whose own limit ends
# the statement before gid's.
{
	my $session = asking(uri([$mute], '&connect_timeout=' . HANG), uri([ $authorities[1] ]));

	$session->safe("SET statement_timeout = '1s'");
	like(($session->query($FETCH))[1], qr/ERROR:  57014: /, 'a statement_timeout of 1 s ends the first call');
	$session->safe('SET statement_timeout = 0');
	my $start = monotonic();

	is($session->safe($FETCH), 2, 'the second one goes to the next authority');
	cmp_ok(monotonic() - $start, '<', HANG / 2, 'at once');
	end_session($session);
}

# --- 3. The end of a question --------------------------------------------

{
	my $session = asking(uri([ $authorities[0] ]));
	my $before = sockets($session->{pid});

	$session->safe("BEGIN; $FETCH");
	is(sockets($session->{pid}), $before, 'no connection after an answer');
	none_left(1, 'nor on the authority');
	$session->query("SELECT gid_next_gdids('app.closed', 1)");
	is(sockets($session->{pid}), $before, 'none after a refusal');
	end_session($session);
}

# --- 4. Several hosts in a URI -------------------------------------------

foreach my $case (
	[ 'is down', [ 1, $authorities[1] ], '' ],
	[ 'never answers', [ $mute, $authorities[1] ], '&connect_timeout=1' ],
	[ 'is read-only', \@authorities, '&target_session_attrs=read-write' ])
{
	my ($what, $hosts, $options) = @$case;
	my $session = asking(uri($hosts, $options));

	$authorities[0]->safe_psql('postgres', 'ALTER DATABASE postgres SET default_transaction_read_only = on') if $what eq 'is read-only';
	is($session->safe($FETCH), 2, "the first host $what: the second one gives");
	end_session($session);
}

# --- 5. DROP DATABASE ----------------------------------------------------

# A session waits for an authority, and has fetched a block ahead before.
$client->safe_psql('postgres', 'CREATE DATABASE gone');
$client->safe_psql('gone', 'CREATE EXTENSION gid; CREATE SCHEMA app; CREATE SEQUENCE app.invoice CACHE 20');
{
	my $session = session($client, 'gone');

	$session->safe("LOAD 'gid'; SET gid.authorities = '" . uri([ $authorities[1] ], '&connect_timeout=' . HANG) . "'");
	$session->safe("SELECT gid_next_gdid('app.invoice') FROM generate_series(1, 18)");
	is($session->safe('SELECT max(prefetched) FROM gid.stat_sequences'), 1, 'a block was fetched ahead');
	my $pid = $session->safe('SELECT pg_backend_pid()');

	freeze_server($authorities[1]);
	$session->send($FETCH);
	ok(waits_for($pid, 'Extension', 'GidAuthority'), 'a session waits for an authority');
	my $start = monotonic();

	is(($control->query('DROP DATABASE gone WITH (FORCE)'))[1], '', 'DROP DATABASE works');
	cmp_ok(monotonic() - $start, '<', HANG / 2, 'and is not held up');
	thaw_servers();
	end_session($session);
}

# --- 6. Hostile answers --------------------------------------------------

# Asks one question of each name, in one session.
my $asker = session($client, 'postgres');
my $pid = $asker->safe('SELECT pg_backend_pid()');

$asker->safe(<<'EOS');
SET client_min_messages = error;
CREATE TABLE said (phase text, name text, value text, state text, text text);
CREATE FUNCTION ask(phase text, setting text, name text, uri text, call text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	value text;
	state text;
	message text;
	detail text;
BEGIN
	PERFORM set_config(setting, uri, false);
	EXECUTE call INTO value;
	INSERT INTO said VALUES (phase, name, value);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	INSERT INTO said VALUES (phase, name, NULL, state, message || detail);
END $$;
LOAD 'gid';
EOS

sub ask
{
	my ($phase, $round, @kinds) = @_;
	my ($setting, $call) = $phase eq 'generator' ? ('gid.decimal_authority', 'SELECT gid_decimal_id()') :
	  ('gid.authorities', q{SELECT string_agg(g::text, ' ') FROM gid_next_gdids('app.invoice', 2) AS g});

	# a failure of a generator number is one of host, port and database
	$asker->safe(join '', map {
		"SELECT ask('$phase', '$setting', '$_', '" . $hostile->uri("$_-$round", "ids_$_$round") . "', \$q\$$call\$q\$);\n"
	} @kinds);
	return;
}

my %before;

sub contexts { return $asker->safe('SELECT sum(total_bytes) FROM pg_backend_memory_contexts') }

foreach my $round (1 .. ROUNDS)
{
	ask('block', $round, HostileAuthority->kinds('start'), HostileAuthority->kinds('block'), HostileAuthority->good_kinds);
	%before = (sockets => sockets($pid), contexts => contexts()) if $round == ROUNDS / 2;
}
is(sockets($pid), $before{sockets}, 'no socket stays open');
cmp_ok(contexts() - $before{contexts}, '<', GROWTH, 'the memory contexts do not grow');

# A cancel between the row of an answer and its end leaves nothing of the answer.
sub resident { return slurp_file("/proc/$_[0]/status") =~ /^VmRSS:\s+(\d+) kB/m ? $1 : die 'no VmRSS' }

my $impatient = asking($hostile->uri('unfinished-1'));
my (@resident, @other);

$impatient->safe("SET statement_timeout = '100ms'");
foreach my $n (1 .. 25)
{
	my $error = ($impatient->query($FETCH))[1];

	push @other, $error unless $error =~ /ERROR:  57014: /;
	push @resident, resident($impatient->{pid}) if $n == 5 || $n == 25;
}
none('an answer without an end is cancelled', @other);
cmp_ok($resident[1] - $resident[0], '<', 10_000, 'twenty of them, of 1.2 MB, do not make the process larger');
end_session($impatient);

# Generator numbers; the last, which is right, begins the launch.
ask('generator', 1, HostileAuthority->kinds('start'), HostileAuthority->kinds('block'), 'plain');

my @good = HostileAuthority->good_kinds;
my $bad = join ', ', map { "'$_'" } HostileAuthority->kinds('start'), HostileAuthority->kinds('block');

is($asker->safe("SELECT DISTINCT state FROM said WHERE name IN ($bad)"), '08001', 'each answer that is none is an error 08001');
is($asker->safe("SELECT count(*) FROM said WHERE name IN ($bad)"), (ROUNDS + 1) * (split /, /, $bad), 'each of them');
is($asker->safe(q{SELECT count(*) FROM said WHERE text ~ '[^\x20-\x7e\n]'}), 0, 'and has printable characters alone');
is($asker->safe("SELECT phase, value, count(*) FROM said WHERE name NOT IN ($bad) GROUP BY 1, 2 ORDER BY 1"),
	join("\n", 'block|0:3:100 0:3:101|' . ROUNDS * @good, 'generator|10007700065|1'), 'each that is one is taken');
is($asker->safe('SELECT pg_backend_pid()'), $pid, 'the session goes on');

# Node numbers. A lease is for seconds that were asked for, and is confirmed.
sub lease
{
	my ($kind) = @_;
	my $uri = $hostile->uri($kind);

	$asker->safe("ALTER SYSTEM SET gid.node_authority = '$uri'");
	$asker->safe('SELECT pg_reload_conf()');
	wait_until(HANG, sub { $asker->safe('SHOW gid.node_authority') eq $uri }) // die 'the setting has not changed';
	my @answer;

	# a question follows one that failed a second later
	wait_until(HANG, sub {
		@answer = $asker->query('SELECT gid_extract_trace_node(gid_trace_id())');
		return $answer[1] !~ /asked a moment ago/;
	});
	return @answer;
}

my @taken;
my @kinds = (HostileAuthority->kinds('node'), HostileAuthority->kinds('confirm'));

foreach my $kind (@kinds)
{
	my ($out, $err) = lease($kind);

	push @taken, "$kind: $out$err" unless $out eq '' && $err =~ /ERROR:  08001: /;
}
none('no node number that is out of range or not confirmed is used, and each error is 08001', @taken);
is((lease('plain'))[0], 5, 'a lease that was asked for, and confirmed, is used');
end_session($asker);

ok($hostile->stop, 'the hostile server has not failed');
is(log_count($client, qr/was terminated by signal|^TRAP:|all server processes terminated/m), 0, 'nothing has crashed');

end_session($_) for $control, @watch;
$_->stop for $client, @authorities;

done_testing();
