# Many backends draw values from one sequence at the same time.
#
# - The values are distinct and increase over all backends.  No value is lost unless
#   nextval() is called beside.
# - The table of blocks is bounded, and a block that was not used lately gives way.
# - A damaged page is refused, and nothing is written to it.
#
# SQL alone cannot test this: it needs backends that run at the same time, sequences
# whose files are away or damaged, and the time and memory of a backend.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

use constant {
	CLIENTS => 8,
	TRANSACTIONS => 48,
	ENTRIES => 2000,
	SEQUENCES => 2050,
	# GID_DRAWS_MAX is 10000.
	KNOWN => 10050,
	# How far apart these sequences start.
	APART => 1000000,
};

my $node = gid_node('main', <<'EOC');
shared_buffers = 64MB
max_wal_size = 1GB
synchronous_commit = off
EOC

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

# 1. Clients that draw as fast as they can: alone on the sequence, and beside one that
# calls nextval() and one that takes batches.  With blocks as the rate makes them, and
# with single values.
foreach my $max_size (16384, 1)
{
	my $step = $max_size > 1 ? 250 : 60;

	gid_reload($node, 'gid.max_block_size', $max_size);
	foreach my $others (0, 2)
	{
		my $name = "blocks of up to $max_size" . ($others ? ', with nextval() and batches' : '');

		$node->safe_psql('postgres', <<'EOS');
DROP SEQUENCE IF EXISTS one;
DROP TABLE IF EXISTS draws, timed;
CREATE SEQUENCE one;
CREATE UNLOGGED TABLE draws (client int, ids bigint[]);
CREATE UNLOGGED TABLE timed (pid int, t timestamptz, id bigint, t_end timestamptz);
EOS
		ok( run_pgbench($node, 'postgres', <<"EOS",
\\if :client_id < @{[CLIENTS]}
INSERT INTO draws SELECT :client_id, array_agg(gid_next('one')) FROM generate_series(1, $step);
INSERT INTO timed
SELECT pg_backend_pid(), clock_timestamp(), gid_next('one'), clock_timestamp() FROM generate_series(1, 20);
\\elif :client_id = @{[CLIENTS]}
INSERT INTO draws SELECT :client_id, array_agg(nextval('one')) FROM generate_series(1, 100);
\\else
INSERT INTO draws SELECT :client_id, ARRAY(SELECT gid_next_many('one', 25 + 0 * g))
FROM generate_series(1, 4) AS g;
\\endif
EOS
				'-c', CLIENTS + $others, '-j', 2, '-t', TRANSACTIONS),
			CLIENTS + $others . " clients, $name");

		# Of the values in order: how many, how many twice, how many runs between them
		# that nobody got, and the greatest.
		my ($n, $twice, $runs, $last) = split /\|/, $node->safe_psql('postgres', <<'EOS');
SELECT count(*), count(*) FILTER (WHERE id = before), count(*) FILTER (WHERE id > before + 1), max(id)
FROM (SELECT id, lag(id, 1, 0::bigint) OVER (ORDER BY id) AS before
	FROM (SELECT unnest(ids) FROM draws UNION ALL SELECT id FROM timed) AS d (id)) AS s
EOS
		note("$name: $n values up to $last, $twice twice, $runs runs that nobody got");
		is($n, TRANSACTIONS * (CLIENTS * ($step + 20) + $others * 100), "all values are there, $name");
		is($twice, 0, "no value comes twice, $name");

		if ($others)
		{
			# nextval() ends a block now and then, whose rest is lost.
			cmp_ok($last, '<=', 4 * $n, "few values are lost, $name");
			is($node->safe_psql('postgres', <<"EOS"), 4 * TRANSACTIONS . '|t', "batches are consecutive, $name");
SELECT count(*), bool_and(ids = ARRAY(SELECT generate_series(ids[1], ids[1] + 24)))
FROM draws WHERE client > @{[CLIENTS]}
EOS
			next;
		}

		is($runs, 0, "no value is lost, $name");

		# Events in the order of time, calls before returns at the same moment; for each
		# call, the greatest value that had been returned by then, to whichever backend.
		my ($calls, $changes, $back) = split /\|/, $node->safe_psql('postgres', <<'EOS');
SELECT count(*), count(*) FILTER (WHERE pid <> pid_before), count(*) FILTER (WHERE id <= returned)
FROM (SELECT kind, id, pid, lag(pid) OVER (ORDER BY t, kind) AS pid_before,
		max(id) FILTER (WHERE kind = 1) OVER (ORDER BY t, kind ROWS UNBOUNDED PRECEDING) AS returned
	FROM (SELECT 0 AS kind, t, id, pid FROM timed UNION ALL SELECT 1, t_end, id, pid FROM timed) AS e) AS s
WHERE kind = 0
EOS
		note("$name: $changes of $calls calls next to another backend's, $back steps back");
		ok($changes > 0 && $back == 0, "a call that begins after another returned gets more, $name");
	}
}

# 2. More sequences than the table of blocks has entries.
gid_set($node, 'gid.max_sequences', ENTRIES);
gid_reload($node, 'gid.max_block_size', 65536);
$node->safe_psql('postgres', 'CREATE DATABASE many; ALTER DATABASE many SET statement_timeout = 0');
$node->safe_psql('many', <<"EOS");
CREATE EXTENSION gid;

-- In pieces, for max_locks_per_transaction.
CREATE PROCEDURE make(n int) LANGUAGE plpgsql AS \$\$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('CREATE SEQUENCE q_%s START %s CACHE 4', i, i::bigint * @{[APART]});
		IF i % 500 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END \$\$;

-- Draws from one sequence after the other, each in a transaction of its own.
CREATE PROCEDURE visit(since int, until int) LANGUAGE plpgsql AS \$\$
BEGIN
	FOR i IN since .. until LOOP
		PERFORM gid_next(('q_' || i)::regclass);
		COMMIT;
	END LOOP;
END \$\$;

CALL make(@{[KNOWN]});
EOS
$node->restart;
{
	my ($one, $two) = map { session($node, 'many') } 1 .. 2;

	# Which sequences have an entry, as ranges.
	my $ranges = <<'EOS';
SELECT string_agg(least || '-' || most, ' ' ORDER BY least)
FROM (SELECT min(i) AS least, max(i) AS most
	FROM (SELECT i, i - row_number() OVER (ORDER BY i) AS run
		FROM (SELECT substr(sequence::text, 3)::int AS i FROM gid.stat_sequences) AS a) AS b
	GROUP BY run) AS c
EOS
	my $memory = "SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name = 'gid sequences'";

	# Which value of its sequence the next one is.
	my $next_of = sub {
		my ($session, $i) = @_;

		return $session->safe("SELECT gid_next('q_$i')") - $i * APART;
	};

	$one->safe("CALL visit(1, @{[ENTRIES]})");
	is($one->safe($ranges), '1-' . ENTRIES, 'the table fills');
	# The clock hand comes to the first hundred, which were used once more, and passes
	# them.  A use is noted to the second.
	sleep 2;
	$one->safe("CALL visit(1, 100)");
	$one->safe("CALL visit(@{[ENTRIES + 1]}, @{[SEQUENCES]})");
	is($one->safe($ranges), '1-100 151-' . SEQUENCES, 'those that were not used since have given way, nobody else');
	# Each has a block of four.
	is($next_of->($two, 151), 1, 'who stayed goes on with its block');
	is($next_of->($two, 101), 4, 'who gave way lost the rest of its block');

	# While a session is in a transaction, its entry becomes another sequence's.
	$two->safe('BEGIN');
	my @ids = map { $next_of->($two, 5) } 1 .. 3;

	# The clock hand comes by a second time.
	$one->safe("CALL visit(6, @{[SEQUENCES]})") for 1 .. 3;
	is($one->safe("SELECT count(*) FROM gid.stat_sequences WHERE sequence = 'q_5'::regclass"),
		0, 'a sequence gives way in the midst of a transaction');
	push @ids, map { $next_of->(@$_) } [ $one, 5 ], ([ $two, 5 ]) x 3;
	$two->safe('COMMIT');
	is("@ids", '2 3 4 8 9 10 11', 'it goes on with its next block, as the other session does');

	# A session draws from more sequences than it remembers.
	$two->safe("CALL visit(1, 10000)");
	my $full = $two->safe($memory);

	$two->safe("CALL visit(10001, @{[KNOWN]})");
	my $after = $two->safe($memory);

	note("memory of a session for 10,000 sequences: $full bytes, then $after");
	ok($full > 100000 && $full < 4 * 1024**2 && $after <= $full, 'what a session remembers is bounded, too');
	end_session($_) for $one, $two;
}

# 3. Sequences whose pages are damaged: every way to draw says so and writes nothing,
# other sequences are not harmed, and what is put back goes on.
{
	my $db = 'damaged';

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, 'CREATE EXTENSION gid; CREATE SEQUENCE sound');
	my $size = $node->safe_psql($db, 'SHOW block_size');

	# What is done to the page, and how the sequence is then drawn from.
	my @damages = (
		[
			'another magic number',
			sub { substr($_[0], $size - 8, 4) = pack('L', 0x1718) },
			"gid_next('damaged_1')"
		],
		[
			'no line pointer',
			sub { substr($_[0], 12, 2) = pack('S', 24) },
			"gid_next_many('damaged_2', 3)"
		],
		[
			'a line pointer to beyond the page',
			sub { substr($_[0], 24, 4) = pack('L', 0x7ff8 | 1 << 15 | 41 << 17) },
			"gid_next_gdid('damaged_3')"
		],
		[
			'a tuple whose header is longer than itself',
			sub { substr($_[0], (unpack('L', substr($_[0], 24, 4)) & 0x7fff) + 22, 1) = chr(255) },
			"gid_next_code('damaged_4', '0')"
		],
		[ 'zeroes', sub { $_[0] = "\0" x $size }, "gid.authority_block('public', 'damaged_5', 3)" ],
		[
			'another magic number of the generator numbers',
			sub { substr($_[0], $size - 8, 4) = pack('L', 0x1718) },
			'gid_decimal_id()'
		]);
	my @names = ((map { "damaged_$_" } 1 .. $#damages), 'gid.decimal_generator');

	$node->safe_psql($db, "CREATE SEQUENCE $_; SELECT gid_next('$_')") for @names[ 0 .. $#names - 1 ];
	$node->safe_psql($db, 'SELECT gid_decimal_id()');
	my @paths = map { $node->data_dir . '/' . $node->safe_psql($db, "SELECT pg_relation_filepath('$_')") } @names;
	my $checksums = $node->safe_psql($db, 'SHOW data_checksums');

	$node->stop;
	# They would find it first.
	system_or_bail('pg_checksums', '--disable', '-D', $node->data_dir) if $checksums eq 'on';
	my @before = map { slurp_file($_) } @paths;
	my @after = @before;

	foreach my $i (0 .. $#damages)
	{
		$damages[$i][1]->($after[$i]);
		unlink $paths[$i];
		append_to_file($paths[$i], $after[$i]);
	}
	my $offset = -s $node->logfile;

	$node->start;
	my $one = session($node, $db);

	foreach my $i (0 .. $#damages)
	{
		my ($what, undef, $call) = @{ $damages[$i] };
		my $name = $names[$i] =~ s/^gid\.//r;

		error_like(($one->query("SELECT $call"))[1],
			'XX001', "$what: an error", text => qr/page of sequence "$name" is damaged/);
		# In one transaction, with another sequence after it.
		is($one->safe(<<"EOS"), $i + 1, "$what: another sequence goes on");
DO \$\$ BEGIN PERFORM $call; EXCEPTION WHEN data_corrupted THEN END \$\$;
SELECT gid_next('sound');
EOS
	}
	error_like(($one->query('SELECT gid.authority_generator(65)'))[1],
		'XX001', 'so does an authority', text => qr/page of sequence "decimal_generator" is damaged/);
	is($one->safe(q{SELECT count(*) FROM gid.stat_sequences WHERE next IS NOT NULL AND sequence <> 'sound'::regclass}),
	0, 'no damaged sequence has a block');
	is($one->safe("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'damaged_1'::regclass"),
		0, 'no lock is left');
	end_session($one);
	$node->stop;
	is(log_count($node, qr/PANIC|FATAL:  (?!terminating)|TRAP|leak|terminated by signal/, $offset),
		0, 'nothing is left pinned, nobody ended');
	none('nothing was written to the damaged pages',
		map { slurp_file($paths[$_]) ne $after[$_] ? $names[$_] : () } 0 .. $#names);

	foreach my $i (0 .. $#damages)
	{
		unlink $paths[$i];
		append_to_file($paths[$i], $before[$i]);
	}
	$node->start;
	rename $paths[0], "$paths[0].away" or die "$paths[0]: $!";
	sql_fails($node, $db, "SELECT gid_next('damaged_1')",
		'58P01', 'without its file a sequence gives nothing', no_detail => 1, no_hint => 1);
	rename "$paths[0].away", $paths[0] or die "$paths[0]: $!";
	is(join(' ', map { $node->safe_psql($db, "SELECT gid_next('$_') > 1") } @names[ 0 .. $#names - 1 ]),
		't t t t t', 'put back, they go on');
	is($node->safe_psql($db, 'SELECT gid_extract_decimal_generator(gid_decimal_id())'),
		1, 'so do the generator numbers');
}

# 4. A transaction that takes turns with two sequences opens each of them once, not for
# each value: opening a sequence reads its page.
{
	$node->safe_psql('postgres', 'CREATE SEQUENCE turn_1 CACHE 100000; CREATE SEQUENCE turn_2 CACHE 100000');
	my ($pages) = $node->safe_psql('postgres', <<'EOS') =~ /Buffers: shared hit=(\d+)/;
EXPLAIN (ANALYZE, BUFFERS)
SELECT count(gid_next('turn_1')), count(gid_next_gdid('turn_2')) FROM (SELECT generate_series(1, 5000)) AS g
EOS

	cmp_ok($pages, '<', 1000, '5,000 turns of two sequences open each of them once');
}

$node->stop;
done_testing();
