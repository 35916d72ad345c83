# Attacks on a server that asks authorities: an authority that sends and never
# reads, an authority that never answers a session with a short timeout, a sequence
# that is locked on the authority, an authority that waits for a standby, settings
# that a reload refuses, and a database whose owner would have his own functions called.
#
# SQL alone cannot test this: it needs a process that breaks the protocol, a
# second server, a reload and the time that calls take.

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

my @children;

# A process that accepts connections on a free port and calls $talk with each.
sub listener
{
	my ($talk) = @_;
	my $socket = IO::Socket::INET->new(Listen => 50, LocalAddr => '127.0.0.1')
	  or die "no socket: $!";
	my $pid = fork // die "no process: $!";

	if ($pid == 0)
	{
		local $SIG{PIPE} = 'IGNORE';
		my @kept;

		# it ends by itself, too
		alarm 300;
		while (my $client = $socket->accept)
		{
			push @kept, $client;
			$talk->($client);
		}
		POSIX::_exit(0);
	}
	push @children, $pid;
	return $socket->sockport;
}

END
{
	kill 'KILL', @children;
}

# Requests for a password without end, which nobody reads the answers to.
my $deaf = listener(
	sub {
		my ($client) = @_;
		my $requests = pack('aNN', 'R', 8, 3) x 2000;
		my $start = monotonic();

		sysread $client, my $startup, 8192;
		$client->blocking(0);
		while (monotonic() - $start < 3)
		{
			syswrite($client, $requests) // sleep(0.01);
		}
	});

# Not a word.
my $mute = listener(sub { });

my $node = gid_node('main', "gid.authority = 1\nlisten_addresses = '127.0.0.1'");
my $passfile = $node->basedir . '/passfile';

append_to_file($passfile, "*:*:*:*:secret\n");
chmod 0600, $passfile or die "$passfile: $!";
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE ids');
$node->safe_psql('ids', <<'EOS');
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.one;
CREATE SEQUENCE app.two;
EOS
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.one;
CREATE SEQUENCE app.two;
EOS

my $good = "postgresql://postgres\@/ids?host=" . $node->host . '&port=' . $node->port;
$good =~ s{host=([^&]*)}{'host=' . $1 =~ s,/,%2F,gr}e;

# Draws with a list of authorities; what psql printed, its errors, and the time.
sub draw
{
	my ($uris, $sequence, $settings) = @_;
	my $start = monotonic();
	my ($rc, $out, $err) = $node->psql('postgres', <<"EOS");
LOAD 'gid';
SET gid.authorities = '$uris';
@{[ $settings // '' ]};
SELECT gid_next_gdids('app.$sequence', 1)
EOS

	return ($out, $err, monotonic() - $start);
}

my ($out, $err, $took);

# --- 1. An authority that sends and does not read ------------------------

my $deaf_uri = "postgresql://user\@127.0.0.1:$deaf/ids?passfile=$passfile&sslmode=disable";

($out, $err, $took) = draw($deaf_uri, 'one');
like($err, qr/^psql:.*ERROR:  could not get a block/m,
	'an authority that does not read gives an error');
cmp_ok($took, '<', 4, 'in time');
($out, $err, $took) = draw($deaf_uri . '&application_name=again', 'one',
	"SET statement_timeout = '1s'");
like($err, qr/ERROR:/, 'statement_timeout ends that, too');
cmp_ok($took, '<', 4, 'in time');

# --- 2. One that never answers a session in a hurry ----------------------

my $both = "postgresql://user\@127.0.0.1:$mute/ids $good";

($out, $err) = draw($both, 'one', "SET statement_timeout = '1s'");
like($err, qr/canceling statement due to statement timeout/,
	'the first draw is canceled');
($out, $err, $took) = draw($both, 'one', "SET statement_timeout = '1s'");
is($out, '0:1:1', 'the next one gets to the second authority');

# --- 3. A sequence that is locked there ----------------------------------

my $holder = session($node, 'ids');

$holder->safe('BEGIN; ALTER SEQUENCE app.one MAXVALUE 100000');
($out, $err, $took) = draw($good, 'one');
like($err, qr/canceling statement due to lock timeout/, 'a draw from the locked sequence fails');
like($err, qr/HINT:  On the authority, look for the transaction/, 'with a hint');
($out, $err) = draw($good, 'two');
is($out, '0:1:1', 'another sequence of the same authority can be drawn from');
$holder->safe('ROLLBACK');
($out, $err) = draw($good, 'one');
like($out, qr/^0:1:\d+$/, 'and that one afterwards');
end_session($holder);

# --- 4. One that waits for a standby -------------------------------------

gid_set($node, 'gid.reservation_standbys', 1);
$node->reload;
($out, $err) = draw($good . '&application_name=waits', 'two');
like($err, qr/canceling statement due to statement timeout/,
	'an authority without its standby gives no block');
like($err, qr/HINT:  The authority perhaps waits for standbys\./, 'with a hint');
gid_set($node, 'gid.reservation_standbys', 0);
$node->reload;
($out, $err) = draw($good . '&application_name=goes_on', 'two');
like($out, qr/^0:1:\d+$/, 'when it does not wait there is one') or diag($err);

# --- 5. One whose owner would have his own functions called ----------------

# He owns the database, the extension and everything but what the extension has made.
my $theirs = $good =~ s{/ids}{/theirs}r;
my $before = -s $node->logfile;

$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN; CREATE DATABASE theirs OWNER owner');
$node->safe_psql('theirs', <<'EOS', extra_params => [ '-U', 'owner' ]);
CREATE EXTENSION gid;
CREATE SCHEMA app;
CREATE SEQUENCE app.two;
CREATE SCHEMA traps;
CREATE FUNCTION traps.trap() RETURNS int LANGUAGE plpgsql AS $$BEGIN RAISE LOG 'trap runs as %', current_user; RETURN 1; END$$;
CREATE FUNCTION traps.authority_block(text, text, int, bigint) RETURNS int RETURN traps.trap();
CREATE FUNCTION traps.set_config(text, text, boolean) RETURNS text RETURN traps.trap()::text;
CREATE FUNCTION traps.concat(text, text) RETURNS text RETURN traps.trap()::text;
ALTER DATABASE theirs SET search_path = traps, pg_catalog, public;
EOS
foreach my $attempt (
	'CREATE OR REPLACE FUNCTION gid.authority_block(scope text, sequence text, size int, vicinity bigint, OUT authority int, OUT era bigint, OUT start bigint, OUT count int) RETURNS record LANGUAGE sql AS $$SELECT 1, 0, 1, 1$$',
	'CREATE FUNCTION gid.authority_block(text, text, int, int) RETURNS int RETURN 1',
	'ALTER FUNCTION gid.authority_block(text, text, int, bigint) RENAME TO away',
	'ALTER EXTENSION gid DROP FUNCTION gid.authority_block(text, text, int, bigint)',
	'ALTER SCHEMA gid RENAME TO away', 'ALTER EXTENSION gid DROP SCHEMA gid', 'DROP SCHEMA gid CASCADE')
{
	my ($rc, $printed, $error) = $node->psql('theirs', $attempt, extra_params => [ '-U', 'owner', '-v', 'VERBOSITY=verbose' ]);

	like($error, qr/ERROR:  42501:/, "the owner of a database may not: $attempt");
}
($out, $err) = draw($theirs, 'two');
like($out, qr/^0:1:\d+$/, 'his database is asked') or diag($err);
is(log_count($node, qr/trap runs as/, $before), 0, 'and runs nothing of his');

# --- 6. Refused settings stay refused ------------------------------------

$node->safe_psql('postgres', <<'EOS');
CREATE DATABASE refused;
CREATE ROLE plain LOGIN;
ALTER DATABASE refused SET gid.authorities = 'postgresql://user:secret-4711@host/db';
ALTER DATABASE refused SET gid.decimal_authority = 'authority_1';
EOS
$node->safe_psql('refused', 'CREATE EXTENSION gid; CREATE SEQUENCE s;'
	  . ' GRANT USAGE ON SEQUENCE s TO plain');
foreach my $preload ('', 'gid')
{
	gid_set($node, 'shared_preload_libraries', "'$preload'");
	gid_set($node, 'gid.launch_id', 5);
	$node->restart;

	# A psql of its own: the session begins with WARNINGs.
	my ($rc, $printed, $errors) = $node->psql('refused', <<'EOS', on_error_stop => 0);
SELECT gid_next_gdid('s');
SELECT pg_reload_conf(), pg_sleep(0.5);
SELECT gid_next_gdid('s');
RESET ALL;
SELECT gid_next_gdid('s');
DISCARD ALL;
SELECT gid_next_gdid('s');
SELECT gid_decimal_id();
SHOW gid.authorities;
EOS
	my $refused = () = $errors =~ /ERROR:  the value of "gid.authorities" was refused/g;
	my $with = $preload ? 'with preload' : 'without preload';

	is($refused, 4, "no local GDID for a refused list, nor after a reload or RESET, $with");
	like($errors, qr/ERROR:  the value of "gid.decimal_authority" was refused/,
		"no local generator number for a refused authority, $with");
	like($errors, qr/WARNING:  invalid value for parameter "gid.authorities"/,
		"a WARNING says so, $with");
	like($printed, qr/^\(refused\)$/m, "SHOW says so, $with");
}
unlike(slurp_file($node->logfile) =~ s/^.*(?:statement|STATEMENT):.*$//mgr,
	qr/secret-4711/, 'the refused password is in no message of the log');

# What is blank is no list, and no authority either.
foreach my $setting (qw(gid.authorities gid.decimal_authority))
{
	foreach my $value (' ', "\t", 'postgresql://,/ids', 'postgresql://127.0.0.1:1,/ids',
		'postgresql://a:1,b:/ids?port=1,2,3', 'postgresql://a/ids,postgresql://b/ids',
		'postgresql://a/ids; postgresql://b/ids', 'postgresql:///ids', 'postgresql://a/ids?service=x')
	{
		my ($rc, $printed, $error) = $node->psql('postgres', "LOAD 'gid'; SET $setting = '$value'");

		like($error, qr/ERROR:  invalid value for parameter "$setting"/,
			"$setting cannot be \"$value\"");
	}
}
is($node->safe_psql('postgres', 'SELECT 1'), 1, 'the server is alive');
$node->stop;

done_testing();
