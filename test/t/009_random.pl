# A random source that fails is an error, never an id without random bits.
#
# SQL alone cannot test this: a library between the server and OpenSSL makes the
# random source fail.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = gid_node('main');
my $library = build_fault("$FindBin::RealBin/fault.c", $node->basedir);

plan skip_all => 'no C compiler for the fault library' unless $library;

my $dir = $node->basedir . '/faults';
my $environment = { LD_PRELOAD => $library, GID_FAULT_DIR => $dir };
my $random = "$dir/random";

mkdir $dir or die "$dir: $!";
with_env($environment, sub { $node->start });
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

# CREATE EXTENSION has made the shared memory, to see what is in it.
with_env($environment, sub { $node->restart });

# A new connection needs random bits, too: the sessions are there before.
my $session = session($node, 'postgres');

# 1. The fault works: core's own random UUID fails as well.
append_to_file($random, 'x');
my ($out, $err) = $session->query('SELECT gen_random_uuid()');

if ($err eq '')
{
	unlink $random;
	end_session($session);
	$node->stop;
	plan skip_all => 'this server does not take its random bits from OpenSSL';
}
isnt($err, '', 'the random source fails');

# 2. Nobody has made an id yet: the first call needs the process id and the
# generator of this server start, and cannot have them.
foreach my $call (@CALL{@ORDERED}, 'gid_uuid_v7_at(now())')
{
	($out, $err) = $session->query("SELECT $call");
	error_like($err, 'XX000', "first call: $call is refused",
		text => qr/could not generate random values/);
}
end_session($session);

# 3. When the source works again, so do they, with random bits.
unlink $random or die "$random: $!";
my ($v7, $sequential, $shard) = split /\|/, $node->safe_psql('postgres',
	'SELECT ' . join(', ', map { $CALL{$_} } qw(v7 sequential shard)));

unlike($v7, qr/^.{20}[0-9a-f]00-0{12}$/, 'the v7 id has random bits');
unlike($sequential, qr/-(00){2}-(00){6}$/, 'the process id is not zero');
unlike($shard, qr/^.{9}0000-0000-00/, 'the generator is not zero');

# doc/uniqueness.md counts on these random bits: the last 58 of a new id, and
# the 16 of the fraction, too, in an id of a given moment.  (get_bit() counts from
# a byte's lowest bit: bits 66 to 71 are fraction and variant.)
is($node->safe_psql('postgres', q{
WITH ids AS MATERIALIZED (SELECT uuid_send(gid_uuid_v7()) AS new,
		uuid_send(gid_uuid_v7_at('2026-01-01 00:00:00+00')) AS at
	FROM generate_series(1, 1000))
SELECT count(*) FILTER (WHERE new AND n >= 64 AND n NOT BETWEEN 66 AND 71),
	count(*) FILTER (WHERE at)
FROM (SELECT n, count(DISTINCT get_bit(new, n)) = 2 AS new,
		count(DISTINCT get_bit(at, n)) = 2 AS at
	FROM ids, generate_series(0, 127) AS n GROUP BY n) AS bits}),
	'58|74', 'each random bit takes both values');

# 4. A backend whose buffer is filled goes on until it is used up, then fails,
# and goes on when the source does; what it made is distinct and random.
my (@ids, $failed_after, $error);

$session = session($node, 'postgres');
push @ids, $session->safe('SELECT gid_uuid_v7()');
append_to_file($random, 'x');
for (1 .. 200)
{
	my ($out, $err) = $session->query(
		'SELECT gid_uuid_v7() FROM generate_series(1, 100)');

	if ($err ne '')
	{
		$error = $err;
		$failed_after = @ids;
		last;
	}
	push @ids, split /\n/, $out;
}
note('ids after the source failed: ' . ($failed_after // 'all'));
error_like($error // '', 'XX000', 'the buffer used up, the source is asked',
	text => qr/could not generate random values/);
($out, $err) = $session->query('SELECT gid_uuid_v7()');
isnt($err, '', 'and again');
($out, $err) = $session->query('SELECT gid_uuid_sequential()');
is($err, '', 'what needs no random bits goes on');
unlink $random or die "$random: $!";
push @ids, split /\n/, $session->safe(
	'SELECT gid_uuid_v7() FROM generate_series(1, 1000)');
end_session($session);

my %word = map { substr($_, 0, 20) => 1 } @ids;
my %tail = map { substr($_, 21) => 1 } @ids;

note(scalar(@ids) . ' ids, ' . scalar(keys %tail) . ' different random parts');
is(scalar(keys %word), scalar(@ids), 'all words are distinct');
is(scalar(keys %tail), scalar(@ids), 'all random parts are distinct');
is(scalar(grep { /0{8}$/ } @ids), 0, 'none ends in zeros');

# 5. Under preload the server's own bytes are there from the start; a backend's
# first id still asks the source.
gid_set($node, 'shared_preload_libraries', "'gid'");
with_env($environment, sub { $node->restart });
$session = session($node, 'postgres');
append_to_file($random, 'x');
($out, $err) = $session->query('SELECT gid_uuid_v7()');
error_like($err, 'XX000', 'under preload: v7 is refused');
($out, $err) = $session->query('SELECT gid_uuid_sequential(), gid_trace_id(), gid_snowflake_id()');
is($err, '', 'under preload: what needs no more random bits goes on');
unlink $random or die "$random: $!";
($out, $err) = $session->query('SELECT gid_uuid_v7()');
is($err, '', 'and v7 after that');
end_session($session);
$node->stop;

# 6. A server that cannot have its own bytes does not start under preload.
append_to_file($random, 'x');
ok(!with_env($environment, sub { $node->start(fail_ok => 1) }),
	'under preload: no start without random bits');
unlink $random or die "$random: $!";

done_testing();
