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

use constant { HANG => 60 };	# seconds; only a hang takes longer than half of this

# --- servers -------------------------------------------------------------

my $SCHEMA = 'CREATE EXTENSION gid; CREATE SCHEMA app; CREATE SEQUENCE app.invoice';
my @authorities;

foreach my $n (1, 2)
{
	my $node = gid_node("authority_$n", "gid.authority = $n\nlisten_addresses = '127.0.0.1'");

	$node->append_conf('pg_hba.conf', 'host all all 127.0.0.1/32 trust');
	$node->start;
	$node->safe_psql('postgres', $SCHEMA);
	push @authorities, $node;
}

my $client = gid_node('client');

$client->start;
$client->safe_psql('postgres', $SCHEMA);
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

# A session that asks these URIs. What a draw opens for good is open.
sub asking
{
	my (@uris) = @_;
	my $session = session($client, 'postgres');

	$session->safe("SELECT gid_next('app.invoice'); SET gid.authorities = '@uris'");
	$session->{pid} = $session->safe('SELECT pg_backend_pid()');
	return $session;
}

# The sockets of a backend, and its memory in kB.
sub sockets { return scalar grep { (readlink($_) // '') =~ /^socket:/ } glob("/proc/$_[0]->{pid}/fd/*") }
sub resident { return slurp_file("/proc/$_[0]->{pid}/status") =~ /^VmRSS:\s+(\d+) kB/m ? $1 : die 'no VmRSS' }

# Waits until a session waits, for an authority (before PostgreSQL 17 an extension's
# events have no names) or for something else.
sub waits_for
{
	my ($session, @events) = @_;

	wait_until(HANG, sub {
		my $event = $control->safe("SELECT wait_event FROM pg_stat_activity WHERE pid = $session->{pid}");

		return grep { $event eq $_ } @events;
	}) // die "no wait for @events";
	return;
}

# Checks what a call takes, in seconds, and returns what it says.
sub soon
{
	my ($name, $code) = @_;
	my $start = monotonic();
	my @result = $code->();

	cmp_ok(monotonic() - $start, '<', HANG / 2, $name);
	return @result;
}

# --- 1. What ends a wait -------------------------------------------------

my $LONG = '&connect_timeout=' . HANG;

foreach my $case (
	[ 'a connection to a socket that never answers', uri([$mute], $LONG), 'pg_cancel_backend' ],
	[ 'a connection to the second host of a URI', uri([ 1, $mute ], $LONG), 'statement_timeout' ],
	[ 'a query that is never answered', $hostile->uri('silent-a'), 'pg_terminate_backend' ])
{
	my ($wait, $uri, $end) = @$case;
	my $session = asking($uri);
	my $before = sockets($session);

	$session->safe("SET statement_timeout = '300ms'") if $end eq 'statement_timeout';
	$session->send($FETCH);
	if ($end ne 'statement_timeout')
	{
		waits_for($session, 'Extension', 'GidAuthority');
		$control->safe("SELECT $end($session->{pid})");
	}
	my ($error) = soon("$wait is ended by $end", sub { return (last_words($session))[1] });

	like($error, $end eq 'pg_terminate_backend' ? qr/FATAL:  57P01:/ : qr/ERROR:  57014:/, 'with its error');
	is(sockets($session), $before, 'and no socket is left open') unless $end eq 'pg_terminate_backend';
	end_session($session);
}

# Other sessions wait for the block that one session fetches: its end is not theirs.
{
	my $uri = uri([ $authorities[0] ], $LONG);
	my ($first, @others) = map { asking($uri) } 0 .. 2;

	freeze_server($authorities[0]);
	$first->send("SELECT gid_next_gdid('app.invoice')");
	waits_for($first, 'Extension', 'GidAuthority');
	foreach my $other (@others)
	{
		$other->send("SELECT gid_next_gdid('app.invoice')");
		waits_for($other, 'object');
	}
	$control->safe("SELECT pg_terminate_backend($first->{pid})");
	thaw_servers();
	my @got = sort map { ($_->answer)[0] } @others;

	like("@got", qr/^0:1:\d+ 0:1:\d+$/, 'when the session that asks has ended the others draw');
	isnt($got[0], $got[1], 'each another id');
	end_session($_) for $first, @others;
}

# --- 2. Limits of time ---------------------------------------------------

# Nothing of these is set: the time to connect and that of a statement are gid's own.
foreach my $case (
	[ 'a server that says nothing', uri([$mute]), qr/no connection in time/ ],
	[ 'a server that does not answer', $hostile->uri('silent-b'), qr/no answer in time/ ])
{
	my ($what, $uri, $text) = @$case;
	my $session = asking($uri);
	my $start = monotonic();
	my ($error) = soon("$what: a limit of 2 s", sub { return ($session->query($FETCH))[1] });

	error_like($error, '08001', 'which is an error', text => $text);
	cmp_ok(monotonic() - $start, '>', 1.9, 'not less');
	end_session($session);
}

# The server itself says what it waits for.
{
	my $locker = session($authorities[0], 'postgres');
	my $session = asking(uri([ $authorities[0] ]));

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
	my $session = asking(uri([$mute], $LONG), uri([ $authorities[1] ]));

	$session->safe("SET statement_timeout = '1s'");
	like(($session->query($FETCH))[1], qr/ERROR:  57014: /, 'a statement_timeout of 1 s ends the first call');
	$session->safe('SET statement_timeout = 0');
	my ($from) = soon('the second call is not held up', sub { return $session->safe($FETCH) });

	is($from, 2, 'and goes to the next authority');
	end_session($session);
}

# After a pause one session asks it again; meanwhile others still pass it over.
{
	my $uri = uri([$mute], $LONG);
	my ($first, $other) = map { asking($uri) } 1, 2;

	$first->safe("SET statement_timeout = '1s'");
	like(($first->query($FETCH))[1], qr/ERROR:  57014: /, 'the only server does not answer');
	$first->safe('SET statement_timeout = 0; SELECT pg_sleep(2)');
	$first->send($FETCH);
	waits_for($first, 'Extension', 'GidAuthority');
	my ($error) = soon('while one session asks it again, another does not wait', sub { return ($other->query($FETCH))[1] });

	error_like($error, '08001', 'but has an error', text => qr/passed over, because it failed a short while ago/);
	$control->safe("SELECT pg_cancel_backend($first->{pid})");
	last_words($first);
	end_session($_) for $first, $other;
}

# --- 3. The end of a question, and hosts of a URI ------------------------

{
	my $session = asking(uri([ $authorities[0] ]));
	my $before = sockets($session);

	$session->safe("BEGIN; $FETCH");
	is(sockets($session), $before, 'no connection after an answer');
	ok($authorities[0]->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name = 'gid'"),
		'nor on the authority');
	end_session($session);
}

$authorities[0]->safe_psql('postgres', 'ALTER DATABASE postgres SET default_transaction_read_only = on');
foreach my $case ([ 'never answers', [ $mute, $authorities[1] ], '&connect_timeout=1' ],
	[ 'is read-only', \@authorities, '&target_session_attrs=read-write' ])
{
	my ($what, $hosts, $options) = @$case;
	my $session = asking(uri($hosts, $options));

	is($session->safe($FETCH), 2, "the first host $what: the second one gives");
	end_session($session);
}

# --- 4. Hostile answers --------------------------------------------------

{
	my $session = asking($hostile->uri('bytes-0'));
	my $before = sockets($session);
	my @wrong;

	foreach my $kind (HostileAuthority->bad_kinds)
	{
		$session->safe("SET gid.authorities = '" . $hostile->uri($kind) . "'");
		my ($out, $err) = $session->query("SELECT gid_next_gdids('app.invoice', 2)");

		push @wrong, "$kind: $out$err" unless $out eq '' && $err =~ /ERROR:  08001: .*^DETAIL:  [\x20-\x7e]+$/ms;
		push @wrong, "$kind: $err" if $err =~ /NOTICE/;
		push @wrong, "$kind: $err" if $kind eq 'start_password' && $err !~ /HINT:  Put the password into a password file/;
	}
	none('each answer that is none is an error 08001', @wrong);
	cmp_ok(-s $client->logfile, '<', 500_000, 'the log has the beginning of what is said');
	$session->safe("SET gid.authorities = '" . $hostile->uri('bytes-1') . "'");
	is($session->safe("SELECT gid_next_gdids('app.invoice', 2)"), "0:3:100\n0:3:101", 'one that comes byte by byte is taken');
	is(sockets($session), $before, 'no socket stays open');
	end_session($session);

	# A cancel between the row of an answer and its end leaves nothing of the answer.
	my (@resident, @other);

	$session = asking($hostile->uri('unfinished'));
	$session->safe("SET statement_timeout = '100ms'");
	foreach my $n (1 .. 25)
	{
		my $error = ($session->query($FETCH))[1];

		push @other, $error unless $error =~ /ERROR:  57014: /;
		push @resident, resident($session) if $n == 5 || $n == 25;
	}
	none('an answer without an end is cancelled', @other);
	cmp_ok($resident[1] - $resident[0], '<', 10_000, 'twenty of them, of 1.2 MB, do not make the process larger');
	end_session($session);
}

ok($hostile->stop, 'the hostile server has not failed');
is(log_count($client, qr/was terminated by signal|^TRAP:|all server processes terminated/m), 0, 'nothing has crashed');

end_session($control);
$_->stop for $client, @authorities;

done_testing();
