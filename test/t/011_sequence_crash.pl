# A value drawn from a sequence and seen by a client never comes again: not after kill -9
# of the postmaster or of a backend, not in a copy of the database, and not when a
# database is dropped and created again.  A crash loses what was left of the blocks.
#
# SQL alone cannot test this: it needs servers that die while sessions have read values in
# transactions that never end, and several databases.  008_standby has the promotion.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use List::Util qw(max);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

# WAL is on disk when somebody has flushed it, not because time has passed.
my $node = gid_node('main', 'wal_writer_delay = 10s');

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE SEQUENCE mixed; CREATE SEQUENCE core');
drawn_sequences($node, 'postgres');

# A row has a value of each family.
my $draw = 'SELECT ' . join(', ', map { $CALL{$_} } @DRAWN);

# --- 1. Crashes ------------------------------------------------------------

# What clients have seen of each family since the last check, and the greatest value of
# before.
my %seen;
my %top = map { $_ => 0 } @DRAWN;

# An id is the sequence's value, behind the other parts of a GDID or leading zeros.
sub see
{
	my ($family, @ids) = @_;

	push @{ $seen{$family} }, map { /(\d+)\z/ or die "not a $family: $_"; $1 + 0 } @ids;
	return;
}

sub see_rows
{
	my ($printed) = @_;

	foreach my $row (split /\n/, $printed)
	{
		my @ids = split /\|/, $row;

		see($DRAWN[$_], $ids[$_]) for 0 .. $#DRAWN;
	}
	return;
}

# Values that have come twice, or are not greater than all before the last check, which
# this is now.
sub repeats
{
	my @found;

	foreach my $family (@DRAWN)
	{
		my %times;

		$times{$_}++ for @{ $seen{$family} };
		push @found, map { "$family $_" } grep { $times{$_} > 1 || $_ <= $top{$family} } keys %times;
		$top{$family} = max($top{$family}, keys %times);
		$seen{$family} = [];
	}
	return @found;
}

# nextval(), each in a transaction of its own, gid_next() and gid_next_many() draw from one
# sequence by turns: nextval() writes values ahead to WAL, and not every time.
my (%mixed, @mixed_repeats);

sub draw_mixed
{
	my ($session, @calls) = @_;

	foreach my $call (@calls)
	{
		push @mixed_repeats, grep { $mixed{$_}++ } split /\n/, $session->safe("SELECT $call");
	}
	return;
}

# Sessions have values in open transactions, and streams of values are running, when the
# end comes.
foreach my $how ('postmaster', 'backend', 'postmaster')
{
	my @session = map { session($node, 'postgres') } 1 .. 4;
	my $pid = $session[0]->safe('SELECT pg_backend_pid()');

	$_->send("BEGIN; $draw FROM generate_series(1, 10)") for @session;
	see_rows(($_->answer)[0]) for @session;
	my %stream = map { $_ => start_stream($node, 'postgres', $_) } @DRAWN;

	sleep(0.05 * rand());
	$how eq 'backend' ? kill9_backend($node, $pid) : kill9_server($node);
	end_session($_) for @session;
	see($_, split /\n/, slurp_file(stop_stream($stream{$_}))) for @DRAWN;
	$node->start if $how eq 'postmaster';
	none("$how killed: no value comes twice", repeats());
	gid_set($node, 'shared_preload_libraries', "'gid'");
}

# Core's nextval() is the last thing in an open transaction.  When a crash has lost its
# record, it would have lost gid's, too, were they not flushed.
my ($core_repeats, $crashes) = (0, 0);

while (!$core_repeats && $crashes < 20)
{
	my ($one, $two) = map { session($node, 'postgres') } 1 .. 2;
	my $aligned = 'aligned_' . ++$crashes;

	# A batch changes just the second byte of the value, from 241 to 497.  A record of that
	# byte, put on a page where nextval()'s record has left 273, would make 273 of it.
	$one->safe("CREATE SEQUENCE $aligned START 241; SELECT nextval('$aligned'); SELECT gid_next_many('$aligned', 256)");
	draw_mixed($one, "nextval('mixed')", "gid_next('mixed')", "nextval('mixed')", "gid_next_many('mixed', 3)",
		"gid_next('mixed')", "gid_next_many('mixed', 256)");
	see_rows($two->safe("BEGIN; $draw"));
	my $core = $two->safe("SELECT nextval('core')");

	kill9_server($node);
	end_session($_) for $one, $two;
	$node->start;
	see_rows($node->safe_psql('postgres', $draw));
	draw_mixed(my $again = session($node, 'postgres'), "gid_next('mixed')");
	cmp_ok($again->safe("SELECT gid_next('$aligned')"), '>', 497, 'a batch that changes one byte is not lost');
	end_session($again);
	$core_repeats++ if $node->safe_psql('postgres', "SELECT nextval('core')") == $core;
}
note("nextval() repeated its value after $crashes crashes");
is($core_repeats, 1, 'a crash loses WAL that is not flushed: nextval() repeats');
none('gid_next(), GDIDs and codes do not', repeats());
none('neither where nextval() and batches draw, too', @mixed_repeats);

# --- 2. What is lost -------------------------------------------------------

# At a steady pace, at most 100 values a second, blocks have up to 50 values: what a crash
# and a clean restart lose.  With blocks of one value they lose nothing.
foreach my $how ('crash', 'restart')
{
	my %last;

	foreach my $size (16384, 1)
	{
		($last{$size}) = $node->safe_psql('postgres', <<"EOS") =~ /(\d+)\z/;
CREATE SEQUENCE ${how}_$size;
SET gid.max_block_size = $size;
DO \$\$
BEGIN
	FOR i IN 1..150 LOOP
		PERFORM gid_next('${how}_$size');
		COMMIT;
		PERFORM pg_sleep(0.01);
	END LOOP;
END \$\$;
SELECT gid_next('${how}_$size');
EOS
	}
	$how eq 'crash' ? kill9_server($node) : $node->stop;
	$node->start;
	my %lost = map { $_ => $node->safe_psql('postgres', "SELECT gid_next('${how}_$_')") - $last{$_} - 1 } keys %last;

	cmp_ok($lost{16384}, '<=', 64, "at a steady pace a $how loses at most five eighths of a second's values");
	is($lost{1}, 0, "blocks of one value: a $how loses nothing");
}

# --- 3. Copies of a database -----------------------------------------------

# A database is copied while the original's blocks are open.  The copies follow each other
# under one OID, so that their sequences have the same OIDs and files.
$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', 'CREATE EXTENSION gid');
drawn_sequences($node, 'source');
$node->safe_psql('source', "$draw FROM generate_series(1, 20)");
my $pages = 'SELECT ' . join(', ', map { "(SELECT last_value FROM drawn_$_)" } @DRAWN);
my $identity = join ' UNION ALL ', map { <<"EOS" } @DRAWN;
SELECT d.oid, c.oid, c.relfilenode FROM pg_database AS d, pg_class AS c
WHERE d.datname = current_database() AND c.relname = 'drawn_$_'
EOS
my %identity;

# The next values, and the same values n later.
sub values_in
{
	my ($db) = @_;

	return join ' ', map { /(\d+)\z/ ? $1 + 0 : die } split /\|/, $node->safe_psql($db, $draw);
}

sub later
{
	my ($values, $n) = @_;

	return join ' ', map { $_ + $n } split /[ |]/, $values;
}

my $was = values_in('source');

foreach my $strategy (qw(wal_log file_copy file_copy))
{
	my $page = $node->safe_psql('source', $pages);

	isnt($was, later($page, 0), "$strategy: the original has open blocks");
	$node->safe_psql('postgres', "CREATE DATABASE copy OID 99000 TEMPLATE source STRATEGY $strategy");
	is(values_in('copy'), later($page, 1), "$strategy: the copy begins with its page");
	is(values_in('source'), $was = later($was, 1), "$strategy: the original goes on with its block");
	is(values_in('copy'), later($page, 2), "$strategy: so does the copy");
	$identity{ $node->safe_psql('copy', $identity) } = 1;
	$node->safe_psql('postgres', 'DROP DATABASE copy WITH (FORCE)');
}
is(keys %identity, 1, 'the copies agreed in every number');

$node->stop;
done_testing();
