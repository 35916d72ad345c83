# The connections to authorities: how soon a cancel, a timeout and a termination
# end them, when they are closed, which host of a URI they go to, that they hold up
# nothing, and that the environment of the server process does not count.
#
# SQL alone cannot test this: it needs servers and sockets that stop answering,
# times, a look at the backend's open files, and servers that are started in a
# certain environment.
#
# With gid_long in PG_TEST_EXTRA, the server is also started with each variable alone.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IO::Socket::INET;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# The backend ends a wait at once.  The rest is room for a machine under load.
use constant SOON => 0.5;

# --- servers -------------------------------------------------------------

my @authorities;

# A session on each authority that looks at the connections of gid there.
my @watch;

foreach my $n (1, 2)
{
	my $node = gid_node("authority_$n", "listen_addresses = '127.0.0.1'");

	unlink $node->data_dir . '/pg_hba.conf';
	$node->append_conf('pg_hba.conf', <<'EOC');
local all all trust
host ids with_password 127.0.0.1/32 scram-sha-256
host ids all 127.0.0.1/32 trust
EOC
	$node->start;
	$node->safe_psql('postgres', 'CREATE DATABASE ids');
	$node->safe_psql('ids', <<"EOS");
CREATE EXTENSION gid;
ALTER SYSTEM SET gid.authority = $n;
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
CREATE ROLE gid_client LOGIN;
CREATE ROLE with_password LOGIN PASSWORD 'quince-3319-ladder';
GRANT USAGE ON SCHEMA app TO gid_client, with_password;
GRANT USAGE ON SEQUENCE app.invoice TO gid_client, with_password;
EOS
	$node->reload;
	push @authorities, $node;
	push @watch, session($node, 'ids');
}

my $client = gid_node('client',
	"max_prepared_transactions = 2\nlog_connections = on");

$client->start;
$client->safe_psql('postgres', 'CREATE DATABASE shop');
$client->safe_psql('shop', <<'EOS');
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.invoice;
CREATE TABLE app.made (id gdid);
CREATE PROCEDURE app.commit_between() LANGUAGE plpgsql AS $$
BEGIN
	PERFORM gid_next_gdids('app.invoice', 1);
	COMMIT;
	PERFORM pg_sleep(3);
END $$;
EOS

my $control = session($client, 'shop');

# A host that takes connections and never says a word.
my $mute = IO::Socket::INET->new(
	Listen => 5, LocalAddr => '127.0.0.1', LocalPort => 0)
  or die "no listening socket: $!";

# --- helpers -------------------------------------------------------------

# A batch is always fetched; the authority that it came from.
my $FETCH = "SELECT gid_extract_gdid_authority(gid_next_gdids('app.invoice', 1))";

# The URI of a list of hosts, which are authorities or else ports, with options
# that start with &.
my $uri_no = 0;

sub uri
{
	my ($hosts, $options) = @_;
	my $list = join ',', map { "127.0.0.1:" . (ref $_ ? $_->port : $_) } @$hosts;

	# A wait that was canceled late counts as a failure of its URI, so each session
	# has one of its own.
	$options = '?keepalives_idle=' . ++$uri_no . ($options // '');
	return "postgresql://gid_client\@$list/ids$options";
}

# A session that asks these URIs.
sub asking
{
	my (@uris) = @_;
	my $session = session($client, 'shop');

	$session->safe("LOAD 'gid'; SET gid.authorities = '@uris'");
	$session->{pid} = $session->safe('SELECT pg_backend_pid()');
	return $session;
}

# The time that a query takes, its output and errors.
sub timed
{
	my ($session, $sql) = @_;
	my $start = monotonic();
	my ($out, $err) = $session->query($sql);

	return (monotonic() - $start, $out, $err);
}

# How many connections of gid an authority has, or which one.
sub connections
{
	my ($n) = @_;

	return $watch[ $n - 1 ]->safe(
		"SELECT count(*) FROM pg_stat_activity WHERE application_name = 'gid'");
}

sub connection_pid
{
	return $watch[ $_[0] - 1 ]->safe(
		"SELECT pid FROM pg_stat_activity WHERE application_name = 'gid'");
}

# A connection that was closed is gone when its backend has noticed.
sub none_left
{
	my ($n, $seconds, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return ok(defined wait_until($seconds, sub { connections($n) == 0 }), $name);
}

# The sockets of a backend.
sub sockets
{
	my ($pid) = @_;

	return scalar grep { (readlink($_) // '') =~ /^socket:/ } glob("/proc/$pid/fd/*");
}

# Before PostgreSQL 17 an extension's events have no names.
sub waits_for
{
	my ($session, $event) = @_;

	return defined wait_until(
		10,
		sub {
			$control->safe(<<"EOS") eq 't';
SELECT wait_event_type = 'Extension' AND wait_event IN ('Extension', '$event')
FROM pg_stat_activity WHERE pid = $session->{pid}
EOS
		});
}

# --- 1. Cancel, timeout and termination ----------------------------------

# What a session waits for, each with what makes it wait and what ends that.
# "in_transaction": the connection is there before.
my $stopped;
my $locker = session($authorities[0], 'ids');
my @WAITS = (
	{
		name => 'connecting to a server that is frozen',
		hosts => [ $authorities[0] ],
		begin => sub { freeze_server($authorities[0]) },
		end => \&thaw_servers,
	},
	{
		name => 'connecting to a socket that never answers',
		hosts => [ $mute->sockport ],
		begin => sub { },
		end => sub { },
	},
	{
		name => 'connecting to the second host of a URI',
		hosts => [ 1, $mute->sockport ],
		begin => sub { },
		end => sub { },
	},
	{
		name => 'a query whose backend is frozen',
		hosts => [ $authorities[0] ],
		in_transaction => 1,
		begin => sub { $stopped = connection_pid(1); kill 'STOP', $stopped; },
		end => sub { kill 'CONT', $stopped },
	},
	{
		name => 'a query that waits for a lock',
		hosts => [ $authorities[0] ],
		begin => sub { $locker->safe('BEGIN; ALTER SEQUENCE app.invoice MINVALUE 1') },
		end => sub { $locker->safe('ROLLBACK') },
	});

# Each way to end a wait returns how long the session took after it.
my %END = (
	pg_cancel_backend => sub {
		my ($session) = @_;

		$session->send($FETCH);
		ok(waits_for($session, 'GidAuthority'), 'a session waits');
		my $start = monotonic();
		$control->safe("SELECT pg_cancel_backend($session->{pid})");
		my ($out, $err) = $session->answer;
		my $took = monotonic() - $start;

		like($err, qr/ERROR:  57014: canceling statement due to user request/,
			'it is cancelled');
		return $took;
	},
	statement_timeout => sub {
		my ($session) = @_;

		$session->safe("SET statement_timeout = '450ms'");
		my ($took, $out, $err) = timed($session, $FETCH);

		like($err, qr/ERROR:  57014: canceling statement due to statement timeout/,
			'it is ended by its timeout');
		cmp_ok($took, '>', 0.4, 'after it has waited');
		return $took - 0.45;
	},
	pg_terminate_backend => sub {
		my ($session) = @_;

		$session->send($FETCH);
		ok(waits_for($session, 'GidAuthority'), 'a session waits');
		my $start = monotonic();
		$control->safe("SELECT pg_terminate_backend($session->{pid})");
		sleep(0.005) while -e "/proc/$session->{pid}" && monotonic() - $start < 10;
		return monotonic() - $start;
	});

foreach my $wait (@WAITS)
{
	foreach my $end (sort keys %END)
	{
		subtest "$wait->{name}: $end" => sub {
			my $session = asking(uri($wait->{hosts}));

			# What a draw opens for good is open.
			$session->query("SELECT gid_next('app.invoice')");
			my $before = sockets($session->{pid});

			$session->safe("BEGIN; $FETCH") if $wait->{in_transaction};
			$wait->{begin}->();
			my $took = $END{$end}->($session);

			note(sprintf '%s, %s: %.3f s', $wait->{name}, $end, $took);
			cmp_ok($took, '<', SOON, 'at once');
			if ($end ne 'pg_terminate_backend')
			{
				is(sockets($session->{pid}), $before, 'no socket is left open');
				$session->safe('ROLLBACK') if $wait->{in_transaction};
				is(sockets($session->{pid}), $before, 'nor after the transaction');
			}

			# The query ends there by itself, though the lock is still held.
			none_left(1, 5, 'no connection is left on the authority')
			  if $wait->{name} =~ /lock/;
			$wait->{end}->();
			none_left(1, 5, 'no connection is left on the authority');


			# At once, or some seconds later when it was canceled late.
			if ($end ne 'pg_terminate_backend' && $wait->{hosts}[0] == $authorities[0])
			{
				$session->safe('RESET statement_timeout');
				ok( defined wait_until(
						10, sub { ($session->query($FETCH))[0] eq '1' }),
					'the same session draws again');
			}
			end_session($session);
		};
	}
}
end_session($locker);

# What an authority says is passed on with the user's name hidden, wherever the name
# stands in it as a word, and with everything else.  A name of three letters or more
# is three asterisks, however long it is.
foreach my $name (
	[ 'q', 'role "*" does not exist' ],
	[ 'ab', 'role "**" does not exist' ],
	[ 'kumquat', 'role "***" does not exist' ],
	[ 'ole', 'role "***" does not exist' ],
	[ 'role', '*** "***" does not exist' ],
	[ 'exist', 'role "***" does not ***' ])
{
	my $uri = uri([ $authorities[0] ]) =~ s/gid_client/$name->[0]/r;
	my ($out, $err) = asking($uri)->query($FETCH);
	my ($said) = $err =~ /DETAIL:.*FATAL:\s+(.*)$/m;

	is($said, $name->[1], "the user $name->[0] is hidden in what the authority says")
	  or diag($err);
}

# Timeouts that are shorter than gid's own do not keep a session from the next
# authority.
{
	my $session = asking(map { uri([$_]) } @authorities);

	freeze_server($authorities[0]);
	$session->safe("SET statement_timeout = '1s'");
	my ($took, $out, $err) = timed($session, $FETCH);

	like($err, qr/ERROR:  57014: /, 'a statement_timeout of 1 s ends the first call');
	is($session->safe($FETCH), 2, 'and the second one goes to the next authority');
	thaw_servers();
	end_session($session);
}

# Others wait for the block that one session fetches: its end is not theirs.
foreach my $end (qw(pg_cancel_backend pg_terminate_backend))
{
	my @session = map { asking(uri([ $authorities[0] ])) } 0 .. 2;
	my $draw = "SELECT gid_next_gdid('app.invoice')";
	my %got;

	$session[1]->safe("SELECT gid_forget('app.invoice')");
	freeze_server($authorities[0]);
	$session[0]->send($draw);
	ok(waits_for($session[0], 'GidAuthority'), 'a session waits for an authority');
	$session[$_]->send($draw) for 1, 2;
	ok(waits_for($session[$_], 'GidBlock'), 'and another one for its block')
	  for 1, 2;
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

# --- 2. The end of a transaction -----------------------------------------

{
	my $session = asking(uri([ $authorities[0] ]));
	my $before = sockets($session->{pid});

	foreach my $end (
		[ 'COMMIT', 'COMMIT' ],
		[ 'ROLLBACK', 'ROLLBACK' ],
		[ 'an error', 'SELECT 1/0', 'ROLLBACK' ],
		[ 'PREPARE', "PREPARE TRANSACTION 'gid'", "ROLLBACK PREPARED 'gid'" ])
	{
		my ($name, $sql, $then) = @$end;

		$session->safe(
			"BEGIN; INSERT INTO app.made SELECT gid_next_gdids('app.invoice', 1); SAVEPOINT a; $FETCH");
		is(connections(1), 1, "one connection before $name");
		$session->safe("ROLLBACK TO SAVEPOINT a; $FETCH; RELEASE SAVEPOINT a");
		is(connections(1), 1, 'the same after a rollback to a savepoint');
		$session->query($sql);
		is(sockets($session->{pid}), $before, "no socket after $name");
		none_left(1, 1, "no connection after $name");
		$session->query($then) if defined $then;
	}

	# An error behind a savepoint ends the transaction only with the ROLLBACK.
	$session->query("BEGIN; SAVEPOINT a; $FETCH; SELECT 1/0");
	$session->safe('ROLLBACK');
	none_left(1, 1, 'no connection after an error behind a savepoint');
	is($session->safe($FETCH), 1, 'a statement by itself');
	none_left(1, 1, 'leaves no connection');
	$session->send('CALL app.commit_between()');
	ok( defined wait_until(
			10,
			sub {
				$control->safe(<<"EOS") eq 'PgSleep';
SELECT wait_event FROM pg_stat_activity WHERE pid = $session->{pid}
EOS
			}),
		'a procedure has committed and goes on');
	none_left(1, 1, 'without a connection');
	$session->answer;

	# Another authority in the same transaction.
	$session->safe("BEGIN; $FETCH");
	$session->safe("SET gid.authorities = '" . uri([ $authorities[1] ]) . "'");
	is($session->safe($FETCH), 2, 'another authority in the same transaction');
	none_left(1, 1, 'the connection to the one before is closed');
	is(connections(2), 1, 'that to the other one is there');
	$session->safe('COMMIT');
	none_left(2, 1, 'and closed in the end');

	# A session that ends in the middle, and one whose client vanishes.
	$session->safe("BEGIN; $FETCH");
	end_session($session);
	none_left(2, 5, 'no connection after the end of a session');
}

# A connection that is lost says nothing about its server: it is made once more.
{
	my $session = asking(map { uri([$_]) } @authorities);

	$session->safe("BEGIN; $FETCH");
	my $pid = connection_pid(1);

	$watch[0]->safe("SELECT pg_terminate_backend($pid, 5000)");
	is($session->safe($FETCH), 1, 'a lost connection is made again');
	isnt(connection_pid(1), $pid, 'by another one');

	# One that is there and does not answer, since its server hangs.
	freeze_server($authorities[0]);
	my ($took, $out, $err) = timed($session, $FETCH);

	is($out, 2, 'where the server hangs the next one gives') or diag($err);
	note(sprintf 'a server that hangs, with a connection: %.3f s', $took);
	cmp_ok($took, '<', 3, 'after the 2 s that an answer may take');
	thaw_servers();
	$session->safe('COMMIT');
	end_session($session);
}

# --- 3. Several hosts in a URI -------------------------------------------

{
	my @case = (
		[ 'is down', [ 1, $authorities[1] ], 1 ],
		[ 'never answers', [ $mute->sockport, $authorities[1] ], 3 ],
		[ 'is frozen', \@authorities, 3 ]);

	foreach my $case (@case)
	{
		my ($what, $hosts, $limit) = @$case;
		my $session =
		  asking(uri($hosts, '&target_session_attrs=read-write'));

		freeze_server($authorities[0]) if $what eq 'is frozen';
		my ($took, $out, $err) = timed($session, $FETCH);

		is($out, 2, "the first host $what: the second one gives") or diag($err);
		note(sprintf 'the first host %s: %.3f s', $what, $took);
		cmp_ok($took, '<', $limit, 'in time');
		thaw_servers();
		end_session($session);
	}
	my $session = asking(
		uri([ $mute->sockport, $authorities[1] ], '&connect_timeout=1'));
	my ($took, $out, $err) = timed($session, $FETCH);

	is($out, 2, 'with a connect_timeout of 1 s') or diag($err);
	cmp_ok($took, '<', 2, 'it takes 1 s');
	end_session($session);

	# A standby, say: the transactions there are read-only.
	$authorities[0]->safe_psql('ids',
		'ALTER DATABASE ids SET default_transaction_read_only = on');
	$session =
	  asking(uri(\@authorities, '&target_session_attrs=read-write'));
	($took, $out, $err) = timed($session, $FETCH);
	is($out, 2, 'the first host is read-only: the second one gives')
	  or diag($err);
	cmp_ok($took, '<', 1, 'at once');
	$authorities[0]->safe_psql('postgres',
		'ALTER DATABASE ids RESET default_transaction_read_only');
	is($session->safe($FETCH), 1, 'and then the first one again');
	end_session($session);
}

# --- 4. DROP DATABASE ----------------------------------------------------

{
	my $prefetched = 0;

	foreach my $with ('', ' WITH (FORCE)')
	{
		$client->safe_psql('postgres', 'CREATE DATABASE gone');
		$client->safe_psql('gone',
			'CREATE EXTENSION gid; CREATE SCHEMA app; CREATE SEQUENCE app.invoice');
		my $uri = uri([ $authorities[1] ]);
		my $session = session($client, 'gone');

		$session->safe("LOAD 'gid'; SET gid.authorities = '$uri'");

		# Draw until a block has just been fetched ahead.
		$session->safe(<<'EOS');
DO $$
BEGIN
	FOR i IN 1 .. 10000 LOOP
		PERFORM gid_next_gdid('app.invoice');
		EXIT WHEN (SELECT max(prefetched) > 0 FROM gid.stat_sequences);
	END LOOP;
END $$
EOS
		is($session->safe('SELECT max(prefetched) FROM gid.stat_sequences'),
			1, 'a block was fetched ahead');
		if ($with ne '')
		{
			# And another one is being fetched.
			my $pid = $session->safe('SELECT pg_backend_pid()');

			freeze_server($authorities[1]);
			$session->send($FETCH);
			ok(waits_for({ pid => $pid }, 'GidAuthority'),
				'a session waits for an authority');
		}
		else
		{
			end_session($session);
		}
		my ($took, $out, $err) = timed($control, "DROP DATABASE gone$with");

		is($err, '', "DROP DATABASE$with works");
		note(sprintf 'DROP DATABASE%s: %.3f s', $with, $took);
		cmp_ok($took, '<', 2, 'and is not held up');
		thaw_servers();
		none_left(2, 5, 'no connection is left on the authority');
	}
}

end_session($control);

# --- 5. The environment of the server process ----------------------------

# What libpq would heed: each makes a connection fail, or goes to somebody else.  An
# older libpq does not know all of them.
my $elsewhere = PostgreSQL::Test::Utils::tempdir();
my %HOSTILE = (
	PGSERVICE => { PGSERVICE => 'elsewhere', PGSERVICEFILE => "$elsewhere/pg_service.conf" },
	'PGSERVICE of PGSYSCONFDIR' => { PGSERVICE => 'elsewhere', PGSYSCONFDIR => $elsewhere },
	'PGSERVICE that is nowhere' => { PGSERVICE => 'nowhere' });

$HOSTILE{ $_->[0] } = { $_->[0] => $_->[1] }
  foreach ([ PGHOSTADDR => '127.0.0.3' ], [ PGUSER => 'nobody' ], [ PGDATABASE => 'nowhere' ],
	[ PGPASSWORD => 'wrong' ], [ PGPASSFILE => "$elsewhere/pass" ],
	[ PGOPTIONS => '-c search_path' ],
	[ PGCLIENTENCODING => 'LATIN1' ], [ PGCONNECT_TIMEOUT => 'soon' ],
	[ PGCHANNELBINDING => 'require' ], [ PGREQUIREPEER => 'nobody' ],
	[ PGREQUIREAUTH => 'password' ], [ PGSSLMODE => 'require' ], [ PGREQUIRESSL => 1 ],
	[ PGSSLROOTCERT => 'system' ], [ PGSSLCERTMODE => 'require' ],
	[ PGSSLNEGOTIATION => 'direct' ], [ PGSSLMINPROTOCOLVERSION => 'none' ],
	[ PGSSLMAXPROTOCOLVERSION => 'none' ], [ PGMINPROTOCOLVERSION => 'none' ],
	[ PGMAXPROTOCOLVERSION => 'none' ], [ PGGSSENCMODE => 'require' ],
	[ PGKRBSRVNAME => 'another' ], [ PGTARGETSESSIONATTRS => 'standby' ],
	[ PGLOADBALANCEHOSTS => 'sometimes' ], [ PGTZ => 'nowhere' ], [ PGGEQO => 'perhaps' ],
	[ PGDATESTYLE => 'German' ]);
append_to_file("$elsewhere/pg_service.conf",
	"[elsewhere]\nhost=127.0.0.1\nport=@{[ $authorities[1]->port ]}\ndbname=ids\nreplication=database\n");
append_to_file("$elsewhere/pass", "*:*:*:*:wrong\n");
append_to_file("$elsewhere/.pgpass", "*:*:*:with_password:quince-3319-ladder\n");
chmod 0600, "$elsewhere/pass", "$elsewhere/.pgpass" or die "$elsewhere: $!";

sub connects_with
{
	my ($name, %env) = @_;

	$client->stop;
	with_env({ HOME => $elsewhere, %env }, sub { $client->start });
	my $session = session($client, 'shop');
	my $authority = $authorities[0];

	# by TCP and by the Unix socket
	foreach my $uri (
		'postgresql://with_password@127.0.0.1:' . $authority->port . '/ids',
		'postgresql://gid_client@/ids?host=' . $authority->host . '&port=' . $authority->port)
	{
		my ($user) = $uri =~ m{//(\w+)@};
		my ($out, $err) = $session->query(
			"LOAD 'gid'; SET gid.authorities = '$uri'; BEGIN; $FETCH");

		is($out, 1, "$name: a block comes from where the URI says") or diag($err);
		is( $watch[0]->safe(<<'EOS'), "$user gid", 'as the user that the URI names');
SELECT usename || ' ' || application_name FROM pg_stat_activity
WHERE usename IN ('with_password', 'gid_client', 'nobody') AND backend_type = 'client backend'
EOS
		$session->query('ROLLBACK');
		none_left(1, 5, 'no connection is left');
	}

	# The process has its environment back.
	$session->safe('CREATE TEMP TABLE found (line text)');
	$session->safe("COPY found FROM PROGRAM 'env'");
	my %found = map { split /=/, $_, 2 } grep { /^PG/ }
	  split /\n/, $session->safe('SELECT line FROM found');

	is_deeply({ map { ($_, $found{$_}) } keys %env }, \%env,
		'what else runs in the session has the environment');
	end_session($session);
	return;
}

connects_with('all variables', map { %$_ } @HOSTILE{ sort keys %HOSTILE });
if (($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/)
{
	connects_with($_, %{ $HOSTILE{$_} }) foreach sort keys %HOSTILE;
}

end_session($_) for @watch;
$_->stop for $client, @authorities;

done_testing();
