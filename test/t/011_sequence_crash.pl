# A value drawn from a sequence and seen by a client never comes again: not
# after kill -9 of the postmaster or of a backend, not over a promotion, a dump or
# a copy of the database, not when a database or the extension is dropped and
# created again.  A crash loses what was left of the blocks.
#
# SQL alone cannot test this: it needs servers that die while sessions have
# read values in transactions that never end, and several databases and servers.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use List::Util qw(max sum0);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant {
	ROUNDS => 6,
	CLIENTS => 4,
	MAX_BLOCK_SIZE => 16384,
};

# WAL is on disk when somebody has flushed it, not because time has passed.
my $node = gid_node('main', 'wal_writer_delay = 10s', allows_streaming => 1);

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
drawn_sequences($node, 'postgres');

# Each row has a value of each family.
my $draw = 'SELECT ' . join(', ', map { $CALL{$_} } @DRAWN);

sub rows
{
	my ($n) = @_;

	return "$draw FROM generate_series(1, $n)";
}

# The value of the sequence that an id came from.
sub value_of
{
	my ($family, $id) = @_;

	return $1 if $family eq 'gdid' && $id =~ /^0:0:(\d+)$/;
	return $id + 0 if $family ne 'gdid' && $id =~ /^\d+$/;
	die "not a $family: $id";
}

# What clients have seen: of each family the values since the last check, and
# the greatest of before.
my %seen;
my %top = map { $_ => 0 } @DRAWN;

sub see
{
	my ($family, @ids) = @_;

	push @{ $seen{$family} }, map { value_of($family, $_) } @ids;
	return;
}

# What a session printed for rows().
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

# How many values of a family have come twice, or are not greater than all that
# was seen before the last check, which this is now.
sub repeats
{
	my ($family) = @_;
	my @values = @{ $seen{$family} // [] };
	my %distinct = map { $_ => 1 } @values;
	my $n = @values - keys %distinct;

	$n += grep { $_ <= $top{$family} } @values;
	$top{$family} = max($top{$family}, @values);
	$seen{$family} = [];
	return $n;
}

# What the view and the page say of the families' sequences.
sub blocks
{
	my ($session) = @_;
	my %blocks;

	foreach my $family (@DRAWN)
	{
		my %block;

		@block{ 'next', 'last', 'page' } =
		  split /\|/, $session->safe(<<"EOS");
SELECT coalesce(s.next, 0), coalesce(s.last, 0), d.last_value
FROM drawn_$family AS d, gid.stat_sequences AS s
WHERE s.sequence = 'drawn_$family'::regclass
EOS
		$blocks{$family} = \%block;
	}
	return \%blocks;
}

# 1. Clients draw in transactions that stay open, the postmaster is killed, and
# they draw again.  In a quiet round all have got their values before the end,
# so that it is known what is left of the blocks: just that is lost.  In each
# fourth, streams of values are running when the end comes.
#
# Beside them a sequence from which nextval() (each in a transaction of its own,
# whose commit makes it durable), gid_next() and gid_next_many() draw by turns:
# nextval() writes values ahead to WAL, and not every time.  And one whose value
# goes from 241 to 497 by a batch, so that just its second byte changes: a
# record of the bytes that changed, put on a page where nextval()'s record has
# left 273, would make 273 of it.
#
# To show that such a crash does lose what nobody has flushed, core's nextval()
# is the last thing in an open transaction.
my %repeats = map { $_ => 0 } @DRAWN, 'mixed', 'aligned', 'core';
my %lost = map { $_ => 0 } 'quiet', 'busy';
my %drawn = (%lost);
my %most = (%lost);
my ($quiet_rounds, $single_rounds, $aligned_rounds) = (0, 0, 0);
my ($wrong_single, $beyond) = (0, 0);
my @wrong_lost;
my (%mixed, %core);
my $begun = monotonic();

$node->safe_psql('postgres', 'CREATE SEQUENCE mixed; CREATE SEQUENCE core; CREATE TABLE flushed (round int)');

sub draw_mixed
{
	my ($session) = @_;
	my @calls = ("nextval('mixed')", "gid_next('mixed')",
		"gid_next_many('mixed', 3)", "gid_next_many('mixed', 256)");

	for (1 .. 6)
	{
		my $call = $calls[ int(rand(@calls)) ];

		$repeats{mixed} += grep { $mixed{$_}++ } split /\n/,
		  $session->safe("SELECT $call");
	}
	return;
}

for my $round (1 .. ROUNDS)
{
	my @session = map { session($node, 'postgres') } 1 .. CLIENTS + 1;
	my $other = pop @session;
	my $kind = $round % 4 == 0 ? 'busy' : 'quiet';
	my $single = $round % 10 == 1;
	my $aligned = $round % 10 == 5 ? "aligned_$round" : undef;
	my $each = 1 + $round * 7 % 15;
	my (%stream, $blocks);

	draw_mixed($other) if $round % 2;
	if ($aligned)
	{
		is($other->safe("CREATE SEQUENCE $aligned START 241;"
				  . " SELECT nextval('$aligned')"),
			241, "round $round has one more sequence");
		$other->safe("SELECT gid_next_many('$aligned', 256)");
	}

	@session = $session[0] if $single;
	$each = 1 if $single;
	$_->send("BEGIN;" . rows($each)) for @session;
	see_rows(($_->answer)[0]) for @session;
	if ($kind eq 'busy')
	{
		$stream{$_} = start_stream($node, 'postgres', $_) for @DRAWN;
		sleep(0.05 * rand());
	}
	else
	{
		$blocks = blocks($other);
		# a commit puts the records of blocks that were reserved ahead on disk
		$other->safe("INSERT INTO flushed VALUES ($round)");
		draw_mixed($other) unless $round % 2;
		$repeats{core}++
		  if $core{ $session[0]->safe("SELECT nextval('core')") }++;
	}
	kill9_server($node);
	end_session($_) for @session, $other;
	foreach my $family (keys %stream)
	{
		see($family, split /\n/, slurp_file(stop_stream($stream{$family})));
	}

	gid_set($node, 'shared_preload_libraries', "'gid'")
	  if $round == ROUNDS / 2;
	$node->start;
	$drawn{$kind} += @{ $seen{$_} } for @DRAWN;
	$repeats{$_} += repeats($_) for @DRAWN;

	# What comes first now, and how much lies between.
	my ($first, $mixed_again, $aligned_again) =
	  split /\n/, $node->safe_psql('postgres',
		"$draw; SELECT gid_next('mixed');"
		  . ($aligned ? "SELECT gid_next('$aligned')" : ''));
	my @first = split /\|/, $first;

	for my $i (0 .. $#DRAWN)
	{
		my $family = $DRAWN[$i];
		my $lost = value_of($family, $first[$i]) - $top{$family} - 1;

		$lost{$kind} += $lost;
		$most{$kind} = max($most{$kind}, $lost);
		if ($kind eq 'quiet')
		{
			my $block = $blocks->{$family};
			my ($open, $ahead) =
			  $block->{last}
			  ? ($block->{last} - $block->{next} + 1,
				$block->{page} - $block->{last})
			  : (0, $block->{page} - $top{$family});

			push @wrong_lost, "round $round, $family: $lost, not $open + $ahead"
			  if $lost != $open + $ahead;
			$wrong_single++ if $single && $lost > 2;
		}
		elsif ($lost > 2 * MAX_BLOCK_SIZE)
		{
			$beyond++;
		}
		see($family, $first[$i]);
	}
	$repeats{mixed}++
	  if $mixed{$mixed_again}++ || $mixed_again != max(keys %mixed);
	$repeats{aligned}++ if $aligned && $aligned_again <= 497;
	$quiet_rounds++ if $kind eq 'quiet';
	$single_rounds++ if $single;
	$aligned_rounds++ if $aligned;
}
note(sprintf '%d rounds in %.1f s', ROUNDS, monotonic() - $begun);
note("$_ rounds: $drawn{$_} values seen, $lost{$_} lost,"
	  . " at most $most{$_} at once")
  for 'quiet', 'busy';
note(scalar(keys %mixed) . ' values drawn by turns');
note("nextval() in an open transaction repeated its value in $repeats{core}"
	  . " of $quiet_rounds rounds");
is($repeats{$_}, 0, "$_: no value comes twice over " . ROUNDS . ' crashes')
  for @DRAWN;
is($repeats{mixed}, 0, 'none where nextval() and batches draw, too');
is($repeats{aligned}, 0,
	"nor after a batch that changes one byte, in $aligned_rounds rounds");
cmp_ok($repeats{core}, '>', 0, 'nextval() in an open transaction repeats');
is_deeply(\@wrong_lost, [], "what is left of the blocks is lost, $quiet_rounds rounds");
is($wrong_single, 0,
	"and of a quiet sequence a value or two, $single_rounds rounds");
is($beyond, 0, 'of a busy one at most two blocks');

# At a steady pace, at most 100 values a second, blocks have up to 50 values:
# what a crash and a clean restart lose.  With blocks of one value they lose
# nothing.
foreach my $how ('a crash', 'a restart')
{
	my %last;

	foreach my $size (MAX_BLOCK_SIZE, 1)
	{
		my $sequence = "paced_$size" . ($how =~ /restart/ ? '_again' : '');

		($last{$sequence}) = $node->safe_psql('postgres', <<"EOS") =~ /(\d+)\z/;
CREATE SEQUENCE $sequence;
SET gid.max_block_size = $size;
DO \$\$
BEGIN
	FOR i IN 1..150 LOOP
		PERFORM gid_next('$sequence');
		COMMIT;
		PERFORM pg_sleep(0.01);
	END LOOP;
END \$\$;
SELECT gid_next('$sequence');
EOS
	}
	$how eq 'a crash' ? kill9_server($node) : $node->stop;
	$node->start;
	foreach my $sequence (sort keys %last)
	{
		my $lost = $node->safe_psql('postgres', "SELECT gid_next('$sequence')") - $last{$sequence} - 1;

		if ($sequence =~ /^paced_1(?:_|\z)/)
		{
			is($lost, 0, "blocks of one value: $how loses nothing");
		}
		else
		{
			note("at a steady pace $how loses $lost values");
			cmp_ok($lost, '<=', 64, "at a steady pace $how loses at most five eighths of a second's values");
		}
	}
}

# 2. kill -9 of a backend that draws, among others: the server starts anew.
{
	$node->safe_psql('postgres', 'CREATE SEQUENCE hit CACHE 3');
	my $offset = -s $node->logfile;
	my $clients = start_clients($node, 'postgres', 2, <<'EOS' x 20);
COPY (SELECT gid_next('hit') FROM (SELECT generate_series(1, 100)) AS g)
TO STDOUT;
SELECT pg_sleep(0.01) \g /dev/null
EOS

	wait_until(120, sub { written($clients) > 2000 }) or die 'no values';
	for (1 .. 2)
	{
		my $victim = session($node, 'postgres');
		my $pid = $victim->safe('SELECT pg_backend_pid()');

		$victim->send(<<'EOS');
SET jit = off;
SELECT count(gid_next('hit')) FROM (SELECT generate_series(1, 2000000000)) AS g
EOS
		sleep(0.3 + 0.1 * rand());
		kill9_backend($node, $pid);
		end_session($victim);
	}
	stop_clients($clients);

	$node->safe_psql('postgres', join '', <<'EOS', map { <<"EOF" } 0 .. 1);
CREATE TABLE printed (client int, n bigint GENERATED ALWAYS AS IDENTITY,
	id bigint);
EOS
ALTER TABLE printed ALTER client SET DEFAULT $_;
\\copy printed (id) FROM '$clients->{files}[$_]'
EOF
	my ($n, $distinct, $back, $least) = split /\|/,
	  $node->safe_psql('postgres', <<'EOS');
SET work_mem = '64MB';
SELECT sum(n), (SELECT count(DISTINCT id) FROM printed), sum(back), min(n)
FROM (SELECT count(*) AS n, count(*) FILTER (WHERE id <= before) AS back
	FROM (SELECT client, id,
			lag(id) OVER (PARTITION BY client ORDER BY n) AS before
		FROM printed) AS s
	GROUP BY client) AS t
EOS
	note("$n values, $distinct distinct, $back steps back, at least $least"
		  . " for a client");
	is(log_count($node, qr/reinitializing/, $offset),
		2, 'the server started anew each time');
	cmp_ok($least, '>', 0, 'all clients drew');
	is($distinct, $n, 'no value comes twice after kill -9 of a backend');
	is($back, 0, 'values increase for each client');
}

# 3. A standby that has received the WAL takes over.  The backends that draw
# are stopped for a moment, so that there is an end of the WAL to wait for, and
# killed with the server in the midst of it.
$node->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($node, 'backup', has_streaming => 1);
$standby->start;
{
	my @session = map { session($node, 'postgres') } 1 .. 2;
	my $watcher = session($node, 'postgres');
	my $drawing = <<'EOS';
SELECT pid FROM pg_stat_activity
WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
EOS
	my $flushed = 'SELECT pg_current_wal_flush_lsn()';
	my %stream = map { $_ => start_stream($node, 'postgres', $_) } @DRAWN;

	see_rows($_->safe('BEGIN;' . rows(100))) for @session;
	$watcher->safe($_) for $drawing, $flushed;
	sleep(0.2 * rand());
	my @pids = split /\n/, $watcher->safe($drawing);

	kill 'STOP', @pids;
	my $lsn = $watcher->safe($flushed);

	foreach my $call ((map { $CALL{$_} } @DRAWN),
		"gid_next_many('drawn_next', 2)", "gid_next_gdids('drawn_gdid', 2)",
		"gid_next_gdid('public', 'drawn_gdid')", "gid_forget('drawn_next')")
	{
		sql_fails($standby, 'postgres', "SELECT $call", '25006',
			"$call on a standby", no_detail => 1, no_hint => 1,
			text => qr/cannot execute \w+\(\) in a read-only transaction/);
	}
	$standby->poll_query_until('postgres',
		"SELECT pg_last_wal_receive_lsn() >= '$lsn'::pg_lsn")
	  or die;
	kill9_server($node);
	end_session($_) for @session, $watcher;
	see($_, split /\n/, slurp_file(stop_stream($stream{$_}))) for @DRAWN;
	is(scalar(@pids), @session + @DRAWN, 'the primary died as clients drew');
	$standby->promote;

	my %before = map { $_ => scalar(@{ $seen{$_} }) } @DRAWN;

	is(repeats($_), 0, "$_: no value comes twice on the primary") for @DRAWN;
	@session = map { session($standby, 'postgres') } 1 .. 2;
	$_->send(rows(1000)) for @session;
	see_rows(($_->answer)[0]) for @session;
	foreach (@DRAWN)
	{
		is(@{ $seen{$_} }, 2000, "$_: the promoted standby gives values");
		is(repeats($_), 0,
			"$_: none of $before{$_} comes again over a promotion");
	}
	end_session($_) for @session;
}
$standby->stop('immediate');
$node->start;

# 4. Copies of a database, by pg_dump and as a template, while blocks of the
# original are open: they go on above all its values, from their own pages, and
# the original with its blocks.
$node->safe_psql('postgres', 'CREATE DATABASE source');
$node->safe_psql('source', 'CREATE EXTENSION gid');
drawn_sequences($node, 'source');
%top = map { $_ => 0 } @DRAWN;
see_rows($node->safe_psql('source', rows(20)));
is(sum0(map { repeats($_) } @DRAWN), 0, 'the original gives values');

# The values as "a b c".
sub values_in
{
	my ($db) = @_;
	my @ids = split /\|/, $node->safe_psql($db, $draw);

	return join ' ', map { value_of($DRAWN[$_], $ids[$_]) } 0 .. $#DRAWN;
}

# The pages' values.
sub pages_in
{
	my ($db) = @_;

	return join ' ', split /\|/, $node->safe_psql($db,
		'SELECT '
		  . join(', ',
			map { "(SELECT last_value FROM drawn_$_)" } @DRAWN));
}

sub next_to
{
	my ($values) = @_;

	return join ' ', map { $_ + 1 } split / /, $values;
}

my $was = join ' ', map { $top{$_} } @DRAWN;

foreach my $how ('dump', 'wal_log', 'file_copy')
{
	my $pages = pages_in('source');

	if ($how eq 'dump')
	{
		my $file = $node->basedir . '/dump';

		$node->safe_psql('postgres', 'CREATE DATABASE dump');
		$node->command_ok([ 'pg_dump', '-f', $file, 'source' ], 'pg_dump');
		$node->command_ok(
			[
				'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f', $file,
				'dump'
			],
			'psql restores');
	}
	else
	{
		$node->safe_psql('postgres',
			"CREATE DATABASE $how TEMPLATE source STRATEGY $how");
	}
	is(values_in($how), next_to($pages), "$how: the copy begins with its page");
	is(values_in('source'),
		next_to($was), "$how: the original goes on with its block");
	isnt($was, $pages, "$how: which is open");
	$was = next_to($was);
	is(values_in($how), next_to(next_to($pages)), "$how: so does the copy");
}

# 5. A database dropped and created again with the same OID, from a template,
# so that its sequences have the same OIDs and files: a block of the old one
# does not serve the new one.
{
	my $identity = join ' UNION ALL ', map { <<"EOS" } @DRAWN;
SELECT d.oid, c.oid, c.relfilenode, s.xmin
FROM pg_database AS d, pg_class AS c, pg_sequence AS s
WHERE d.datname = current_database() AND c.relname = 'drawn_$_'
	AND s.seqrelid = c.oid
EOS
	my $pages = pages_in('source');
	my %identity;

	for my $life (1 .. 3)
	{
		my @values;

		$node->safe_psql('postgres',
			'CREATE DATABASE again OID 99000 TEMPLATE source STRATEGY file_copy'
		);
		$identity{ $node->safe_psql('again', $identity) } = 1;
		is(values_in('again'), next_to($pages),
			"life $life begins with its page");
		is(values_in('again'),
			next_to(next_to($pages)),
			"life $life goes on");
		$node->safe_psql('postgres', 'DROP DATABASE again WITH (FORCE)');
	}
	is(keys %identity, 1, 'the databases agreed in every number');
	is(values_in('source'), $was = next_to($was),
		'the original still goes on with its block');
}

# 6. The extension dropped and created again, while a session is in the midst
# of a block.
{
	my $warm = session($node, 'source');

	$warm->safe("PREPARE p AS $draw");
	see_rows($warm->safe('EXECUTE p'));
	foreach my $sql (
		'DROP EXTENSION gid; CREATE EXTENSION gid',
		'BEGIN; DROP EXTENSION gid; CREATE EXTENSION gid; COMMIT',
		'BEGIN; DROP EXTENSION gid; CREATE EXTENSION gid; ROLLBACK')
	{
		$node->safe_psql('source', $sql);
		for (1 .. 3)
		{
			# An error is fine where the prepared statement's functions
			# are gone.
			my ($printed, $err) = $warm->query('EXECUTE p');

			see_rows($printed) if $err eq '';
			see_rows($warm->safe($draw));
			see_rows($node->safe_psql('source', $draw));
		}
	}
	end_session($warm);
	foreach (@DRAWN)
	{
		cmp_ok(scalar(@{ $seen{$_} }), '>=', 19, "$_: values come");
		is(repeats($_), 0, "$_: none comes twice over a new extension");
	}
}

$node->stop;

done_testing();
