# A value drawn from a sequence and seen by a client never comes again: not after kill -9,
# not in a copy of the database, and not when a database is dropped and created again.  A
# crash loses what was left of the blocks.
#
# SQL alone cannot test this: it needs servers that die while sessions have read values in
# transactions that never end, and several databases.  003_crash has every end of a server,
# 008_standby the promotion.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# WAL is on disk when somebody has flushed it, not because time has passed.
my $node = gid_node('main', 'wal_writer_delay = 10s');

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE SEQUENCE mixed; CREATE SEQUENCE core; CREATE SEQUENCE served');
drawn_sequences($node, 'postgres');

# --- 1. A crash ------------------------------------------------------------

# The next values: the sequence's, behind the other parts of a GDID or leading zeros.
my $draw = 'SELECT ' . join(', ', map { $CALL{$_} } @DRAWN);

sub values_of
{
	my ($printed) = @_;

	return join ' ', map { /(\d+)\z/ ? $1 + 0 : die "no value: $_" } split /\|/, $printed;
}

# The same values n later.
sub later
{
	my ($values, $n) = @_;

	return join ' ', map { $_ + $n } split /[ |]/, $values;
}

# nextval(), each in a transaction of its own, gid_next() and gid_next_many() draw from one
# sequence by turns: nextval() writes values ahead to WAL, and not every time.
my (%mixed, @repeats);

sub draw_mixed
{
	my ($session, @calls) = @_;

	push @repeats, grep { $mixed{$_}++ } map { split /\n/, $session->safe("SELECT $_") } @calls;
	return;
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
	my @last = split / /, values_of($two->safe("BEGIN; $draw"));
	my $served = $two->safe("SET gid.serve_nextval = on; SELECT nextval('served')");
	my $core = $two->safe("SET gid.serve_nextval = off; SELECT nextval('core')");

	kill9_server($node);
	end_session($_) for $one, $two;
	$node->start;
	my $again = session($node, 'postgres');
	my @next = split / /, values_of($again->safe($draw));

	cmp_ok($next[$_], '>', $last[$_], "$DRAWN[$_]: no value comes again after a crash") for 0 .. $#DRAWN;
	draw_mixed($again, "gid_next('mixed')");
	cmp_ok($again->safe("SELECT gid_next('$aligned')"), '>', 497, 'a batch that changes one byte is not lost');
	cmp_ok($again->safe("SET gid.serve_nextval = on; SELECT nextval('served')"), '>', $served, 'served: no value repeats');
	$again->safe('SET gid.serve_nextval = off');
	$core_repeats++ if $again->safe("SELECT nextval('core')") == $core;
	end_session($again);
}
note("nextval() repeated its value after $crashes crashes");
is($core_repeats, 1, 'a crash loses WAL that is not flushed: nextval() repeats');
none('no value comes again where nextval() and batches draw, too', @repeats);

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

sub values_in
{
	my ($db) = @_;

	return values_of($node->safe_psql($db, $draw));
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
	like($node->safe_psql('copy', 'SELECT gid_decimal_id()'), qr/^1\d{5}00065$/, "$strategy: DecimalIds begin anew");
	$identity{ $node->safe_psql('copy', $identity) } = 1;
	$node->safe_psql('postgres', 'DROP DATABASE copy WITH (FORCE)');
}
is(keys %identity, 1, 'the copies agreed in every number');

$node->stop;
done_testing();
