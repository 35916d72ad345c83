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

my $random = $node->basedir . '/random';
my $environment = { LD_PRELOAD => $library, GID_FAULT_DIR => $node->basedir };
my $no_random = qr/could not generate random values/;
my $session;

# A session while the source works, because a new connection needs random bits, too.
sub without_random
{
	with_env($environment, sub { $node->restart });
	$session = session($node, 'postgres');
	append_to_file($random, 'x');
	return;
}

sub with_random
{
	unlink $random or die "$random: $!";
	return;
}

sub refused
{
	my ($call, $name) = @_;

	error_like(($session->query("SELECT $call"))[1], 'XX000', "$call is refused, $name", text => $no_random);
	return;
}

with_env($environment, sub { $node->start });
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
without_random();
if (($session->query('SELECT gen_random_uuid()'))[1] eq '')
{
	with_random();
	plan skip_all => 'this server does not take its random bits from OpenSSL';
}

# 1. The first call needs the process id and the generator of this start of the server.
refused($_, 'the first call') for @CALL{@ORDERED}, 'gid_uuid_v7_at(now())';
with_random();
my ($sequential, $shard) = split /\|/, $session->safe("SELECT $CALL{sequential}, $CALL{shard}");

unlike($sequential, qr/-(00){2}-(00){6}$/, 'the process id is not zero');
unlike($shard, qr/^.{9}0000-0000-00/, 'the generator is not zero');

# 2. A backend whose buffer is filled uses it up, then fails, and goes on when the source
# does.  What it made is distinct.
my ($out, $err, @ids) = ('', '');

append_to_file($random, 'x');
for (1 .. 20000)
{
	($out, $err) = $session->query('SELECT gid_uuid_v7()');
	last if $err ne '';
	push @ids, $out;
}
note('ids after the source failed: ' . @ids);
error_like($err, 'XX000', 'the buffer used up, the source is asked', text => $no_random);
refused('gid_uuid_v7()', 'and again');
is(($session->query('SELECT gid_uuid_sequential()'))[1], '', 'what needs no random bits goes on');
with_random();
push @ids, split /\n/, $session->safe('SELECT gid_uuid_v7() FROM generate_series(1, 1000)');
end_session($session);
my %tail = map { substr($_, 21) => 1 } @ids;

is(scalar(keys %tail), scalar(@ids), 'all random parts are distinct');

# 3. Under preload the server's own bytes are there from the start; a backend's
# first id still asks the source.  A server that cannot have them does not start.
gid_set($node, 'shared_preload_libraries', "'gid'");
without_random();
refused('gid_uuid_v7()', 'under preload');
is(($session->query('SELECT gid_uuid_sequential(), gid_trace_id(), gid_snowflake_id()'))[1],
	'', 'under preload what needs no more random bits goes on');
end_session($session);
$node->stop;
ok(!with_env($environment, sub { $node->start(fail_ok => 1) }), 'no start without random bits');
with_random();

done_testing();
