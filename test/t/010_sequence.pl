# Many backends draw values from one sequence at the same time.
#
# - The values are distinct, and gid_next() increases over all backends.  No value
#   is lost unless nextval() is called beside.
# - A backend that reserves a block can fail or be ended without harm to the others.
# - The table of blocks is bounded.
# - A damaged page is refused.
#
# SQL alone cannot test this: it needs backends that run at the same time and
# are ended half way, sequences whose files are away or damaged, and
# the time and memory of a backend.

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
	# GID_BLOCK_ENTRIES
	ENTRIES => 10000,
	SEQUENCES => 10050,
	# How far apart these sequences start.
	APART => 1000000,
	# Seconds within which a wait ends, also on a busy machine.
	SOON => 30,
};

# Ways to have blocks: gid.max_block_size, and how many values the clients draw
# in all.
my @KINDS = ([ 'sizes by the rate', 16384, 96000 ], [ 'no caching', 1, 24000 ]);

my $node = gid_node('main', <<'EOC');
shared_buffers = 64MB
max_wal_size = 1GB
synchronous_commit = off
EOC

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

sub slurp_raw
{
	my ($path) = @_;

	open my $fh, '<:raw', $path or die "$path: $!";
	local $/;
	my $bytes = <$fh>;
	close $fh;
	return $bytes // '';
}

sub write_raw
{
	my ($path, $bytes) = @_;

	open my $fh, '>:raw', $path or die "$path: $!";
	print $fh $bytes;
	close $fh;
	return;
}

# A row of the query over values that were drawn ("draws": client, n, ids in
# the order in which it got them): how many, how many twice, how many runs of
# values between them that nobody got, and the greatest.
my $COUNTS = <<'EOS';
SET work_mem = '256MB';
SELECT count(*), count(*) FILTER (WHERE id = before),
	count(*) FILTER (WHERE id > before + 1), max(id)
FROM (SELECT id, lag(id, 1, 0::bigint) OVER (ORDER BY id) AS before
	FROM (SELECT unnest(ids) AS id FROM draws) AS d) AS s
EOS

# How often a client's next value of gid_next() is not greater.
my $STEPS_BACK = <<"EOS";
SELECT count(*) FROM (
	SELECT id, lag(id) OVER (PARTITION BY client ORDER BY n, i) AS before
	FROM draws, unnest(ids) WITH ORDINALITY AS u (id, i)
	WHERE client < @{[CLIENTS]}) AS s
WHERE id <= before
EOS

# 1. Clients that each draw as fast as they can, alone on the sequence; and
# beside one that calls nextval() and one that takes batches of 25.  The page
# says how many values have been reserved: what of these nobody got is the rest
# of the block in use and the next one.
foreach my $kind (@KINDS)
{
	my ($name, $max_size, $total) = @$kind;
	my $each = $total / CLIENTS;
	my $step = 250;

	gid_reload($node, 'gid.max_block_size', $max_size);
	foreach my $others (0, 2)
	{
		my $with = $others ? "$name, with nextval() and batches" : $name;

		$node->safe_psql('postgres', <<"EOS");
DROP SEQUENCE IF EXISTS one;
DROP TABLE IF EXISTS draws;
CREATE SEQUENCE one;
CREATE UNLOGGED TABLE draws (client int, n int, ids bigint[]);
EOS
		# As many transactions for each client.
		ok( run_pgbench($node, 'postgres', <<"EOS",
\\if :client_id < @{[CLIENTS]}
INSERT INTO draws SELECT :client_id, :n, array_agg(gid_next('one'))
FROM generate_series(1, $step);
\\elif :client_id = @{[CLIENTS]}
INSERT INTO draws SELECT :client_id, :n, array_agg(nextval('one'))
FROM generate_series(1, 100);
\\else
INSERT INTO draws
SELECT :client_id, :n, ARRAY(SELECT gid_next_many('one', 25 + 0 * g))
FROM generate_series(1, 4) AS g;
\\endif
\\set n :n + 1
EOS
				'-D', 'n=0', '-c', CLIENTS + $others, '-j', 2, '-t',
				$each / $step),
			CLIENTS + $others . " clients, $with");
		my ($n, $twice, $runs, $last) = split /\|/,
		  $node->safe_psql('postgres', $COUNTS);
		my ($reserved, $sizes) = split /\|/,
		  $node->safe_psql('postgres', <<'EOS');
SELECT o.last_value, s.reservations || ' blocks, ' || s.waits || ' waits'
FROM one AS o, gid.stat_sequences AS s WHERE s.sequence = 'one'::regclass
EOS
		note("$with: $n values up to $last, $twice twice,"
			  . " $runs runs that nobody got; $sizes");
		is($n, $total + $others * 100 * $each / $step,
			"all values are there, $with");
		is($twice, 0, "no value comes twice, $with");
		if ($others)
		{
			# nextval() ends a block now and then, whose rest is lost.
			cmp_ok($last, '<=', 4 * $n, "few values are lost, $with");
			is( $node->safe_psql('postgres', <<"EOS"),
SELECT count(*), bool_and(ids = ARRAY(
	SELECT generate_series(ids[1], ids[1] + 24)))
FROM draws WHERE client > @{[CLIENTS]}
EOS
				4 * $each / $step . '|t', "batches are consecutive, $with");
		}
		else
		{
			# The sequence's end is not in sight here.
			cmp_ok($runs + ($reserved > $last),
				'<=', 2, "no value is lost, $with");
			is($node->safe_psql('postgres', $STEPS_BACK),
				0, "values increase for each client, $with");
		}
	}
}

# 2. A call that starts after another has returned, in whichever backend, gets
# a greater value: under a lock, which makes "after" certain; and without one,
# where the clock says so.
foreach my $kind (@KINDS)
{
	my ($name, $max_size) = @$kind;

	gid_reload($node, 'gid.max_block_size', $max_size);
	$node->safe_psql('postgres', <<"EOS");
DROP SEQUENCE IF EXISTS one;
DROP SEQUENCE IF EXISTS held_n;
DROP TABLE IF EXISTS held;
DROP TABLE IF EXISTS timed;
CREATE SEQUENCE one;
CREATE SEQUENCE held_n CACHE 1;
CREATE UNLOGGED TABLE held (n bigint, pid int, id bigint);
CREATE UNLOGGED TABLE timed (pid int, t timestamptz, id bigint,
	t_end timestamptz);
EOS
	ok( run_pgbench($node, 'postgres', <<'EOS',
BEGIN;
SELECT pg_advisory_xact_lock(7);
INSERT INTO held SELECT nextval('held_n'), pg_backend_pid(), gid_next('one')
FROM generate_series(1, 20);
COMMIT;
INSERT INTO timed
SELECT pg_backend_pid(), clock_timestamp(), gid_next('one'), clock_timestamp()
FROM generate_series(1, 100);
EOS
			'-c', CLIENTS, '-j', 2, '-t', 25),
		CLIENTS . " clients, $name");
	my ($n, $changes, $back) = split /\|/,
	  $node->safe_psql('postgres', <<'EOS');
SELECT count(*), count(*) FILTER (WHERE pid <> pid_before),
	count(*) FILTER (WHERE id <= before)
FROM (SELECT id, pid, lag(id) OVER w AS before, lag(pid) OVER w AS pid_before
	FROM held WINDOW w AS (ORDER BY n)) AS s
EOS
	note("$name: $n values, $changes changes of backend, $back steps back");
	ok( $n == CLIENTS * 25 * 20 && $changes >= CLIENTS && $back == 0,
		"values increase over all backends, under a lock, $name");

	# Events in the order of time, calls before returns at the same moment;
	# for each call, the greatest value that had been returned by then.
	($n, $changes, $back) = split /\|/, $node->safe_psql('postgres', <<'EOS');
SELECT count(*), count(*) FILTER (WHERE pid <> pid_before),
	count(*) FILTER (WHERE id <= returned)
FROM (SELECT kind, id, pid, lag(pid) OVER (ORDER BY t, kind) AS pid_before,
		max(id) FILTER (WHERE kind = 1) OVER (ORDER BY t, kind
			ROWS UNBOUNDED PRECEDING) AS returned
	FROM (SELECT 0 AS kind, t, id, pid FROM timed
		UNION ALL SELECT 1, t_end, id, pid FROM timed) AS e) AS s
WHERE kind = 0
EOS
	note("$name: $n values, $changes calls next to another backend's,"
		  . " $back steps back");
	ok($n == CLIENTS * 25 * 100 && $changes > 0 && $back == 0,
		"values increase over all backends, by the clock, $name");
}

# 3. Three clients whose sessions are cancelled and ended at random moments, often
# in the midst of a reservation.  The others go on, and no value comes twice.
{
	gid_reload($node, 'gid.max_block_size', 1);
	$node->safe_psql('postgres', <<"EOS");
DROP SEQUENCE IF EXISTS one;
DROP TABLE IF EXISTS draws;
CREATE SEQUENCE one;
CREATE UNLOGGED TABLE draws (client int, n int, ids bigint[]);
EOS
	my $clients = start_clients($node, 'postgres', 3, <<'EOS' x 20);
SET application_name = drawing;
SET statement_timeout = '120s';
COPY (SELECT gid_next('one') FROM (SELECT generate_series(1, 2000)) AS g)
TO STDOUT;
EOS
	my $watcher = session($node, 'postgres');
	my ($cancelled, $ended, $late) = (0, 0, 0);
	my $met = sub {
		my $errors = join '', map { -e $_ ? slurp_file($_) : '' } @{ $clients->{errors} };

		$cancelled = () = $errors =~ /canceling statement due to user request/g;
		$ended = () = $errors =~ /terminating connection due to administrator command/g;
		$late = () = $errors =~ /statement timeout/g;
		return $cancelled >= 20 && $ended >= 10;
	};
	my $struck = wait_until(120, sub {
		# A warning where it has ended by itself.
		$watcher->query(sprintf <<'EOS', rand() < 0.7 ? 'pg_cancel_backend' : 'pg_terminate_backend') for 1 .. 10;
SELECT %s(pid) FROM (
	SELECT pid FROM pg_stat_activity
	WHERE application_name = 'drawing' AND state = 'active'
	ORDER BY random() LIMIT 1) AS s
EOS
		return $met->();
	});

	# Without this, too, they finish.
	my $took = stop_clients($clients);

	$met->();
	$watcher->safe(<<"EOS") for 0 .. $#{ $clients->{files} };
CREATE TEMP TABLE printed (n bigint GENERATED ALWAYS AS IDENTITY, id bigint);
\\copy printed (id) FROM '$clients->{files}[$_]'
INSERT INTO draws SELECT $_, 1, array_agg(id ORDER BY n) FROM printed;
DROP TABLE printed
EOS
	end_session($watcher);
	my ($n, $twice, $runs, $last) = split /\|/,
	  $node->safe_psql('postgres', $COUNTS);

	note("$n values up to $last, $twice twice; $cancelled cancelled, $ended ended; finished after $took s");
	ok($struck, 'sessions were cancelled and ended');
	is($late, 0, 'the others did not wait for them');
	is($node->safe_psql('postgres', 'SELECT count(*), min(cardinality(ids)) > 1000 FROM draws'), '3|t', 'all clients drew');
	is($twice, 0, 'no value comes twice when sessions are cancelled and ended');
	is($node->safe_psql('postgres', $STEPS_BACK), 0, 'and values increase for each client');
}

# 4. A reservation that fails, at the sequence's end or because its file is
# away, leaves nothing that the next one would wait for.
{
	gid_reload($node, 'gid.max_block_size', 65536);
	$node->safe_psql('postgres', <<'EOS');
CREATE SEQUENCE short MAXVALUE 10;
CREATE SEQUENCE away;
EOS
	$node->restart;
	my ($path) = map { $node->data_dir . "/$_" }
	  $node->safe_psql('postgres', "SELECT pg_relation_filepath('away')");
	my @session = map { session($node, 'postgres') } 1 .. 2;

	$_->safe("SET statement_timeout = '5s'") for @session;
	is( join(' ', split /\n/, $session[0]->safe(
				"SELECT gid_next('short') FROM generate_series(1, 10)")),
		'1 2 3 4 5 6 7 8 9 10',
		'a sequence is drawn to its end');
	for (1 .. 2)
	{
		like(($_->query("SELECT gid_next('short')"))[1],
			qr/ERROR:  2200H:/, 'then it is at its end, for everybody')
		  for @session;
	}
	$session[1]->safe("SELECT setval('short', 3)");
	is($session[0]->safe("SELECT gid_next('short')"),
		4, 'wound back, it goes on');

	rename $path, "$path.away" or die "$path: $!";
	for (1 .. 2)
	{
		like(($_->query("SELECT gid_next('away')"))[1],
			qr/ERROR:  58P01:/, 'without its file a sequence gives nothing')
		  for @session;
	}
	rename "$path.away", $path or die "$path: $!";
	is( join(' ', map { $_->safe("SELECT gid_next('away')") } @session),
		'1 2', 'the file is back, and it gives values');
	end_session($_) for @session;
}

# 5. More sequences than the table of blocks has entries.
$node->safe_psql('postgres', 'CREATE DATABASE many');
$node->safe_psql('many', <<"EOS");
CREATE EXTENSION gid;
CREATE UNLOGGED TABLE visits (who text, n bigint GENERATED ALWAYS AS IDENTITY,
	seq int, id bigint);

-- In pieces, for max_locks_per_transaction.
CREATE PROCEDURE make(n int) LANGUAGE plpgsql AS \$\$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('CREATE SEQUENCE q_%s START %s CACHE 4', i,
			i::bigint * @{[APART]});
		IF i % 500 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END \$\$;

-- Draws from one sequence after the other, each in a transaction of its own.
CREATE PROCEDURE visit(who text, since int, until int, step int, per int)
LANGUAGE plpgsql AS \$\$
DECLARE
	i int := since;
BEGIN
	WHILE (until - i) * step >= 0 LOOP
		INSERT INTO visits (who, seq, id)
		SELECT visit.who, i, gid_next(('q_' || i)::regclass)
		FROM generate_series(1, per);
		i := i + step;
		COMMIT;
	END LOOP;
END \$\$;

CALL make(@{[SEQUENCES]});
EOS
$node->restart;
{
	my $one = session($node, 'many');
	my $two = session($node, 'many');

	# Which sequences have an entry, as ranges.
	my $ranges = <<'EOS';
SELECT string_agg(least || '-' || most, ' ' ORDER BY least)
FROM (SELECT min(i) AS least, max(i) AS most
	FROM (SELECT i, i - row_number() OVER (ORDER BY i) AS run
		FROM (SELECT substr(sequence::text, 3)::int AS i
			FROM gid.stat_sequences) AS a) AS b
	GROUP BY run) AS c
EOS
	my $memory = "SELECT sum(used_bytes) FROM pg_backend_memory_contexts"
	  . " WHERE name = 'gid sequences'";

	# A value from the open block of a sequence, or from another one?
	my $next_of = sub {
		my ($i) = @_;

		return $two->safe("SELECT gid_next('q_$i')") - $i * APART;
	};

	$one->safe("CALL visit('one', 1, @{[ENTRIES]}, 1, 1)");
	my $full = $one->safe($memory);

	is($one->safe($ranges), '1-' . ENTRIES, 'the table fills');
	# The first hundred are used once more, so the second hundred are the
	# least recently used ones.  A use is noted to the second.
	sleep 2;
	$one->safe("CALL visit('one', 1, 100, 1, 1)");
	$one->safe(
		"CALL visit('one', @{[ENTRIES + 1]}, @{[SEQUENCES]}, 1, 1)");
	is( $one->safe($ranges),
		'1-100 151-' . SEQUENCES,
		'the least recently used ones have given way, nobody else');
	my $after = $one->safe($memory);

	note("memory of a session for "
		  . ENTRIES
		  . " sequences: $full bytes, after "
		  . SEQUENCES
		  . ": $after");
	ok($full > 100000 && $full < 4 * 1024**2 && $after <= $full,
		'what a session remembers is bounded, too');

	# Of its block of four a sequence had given one value, the first hundred
	# two.
	is($next_of->(151), 1, 'who stayed goes on with its block');
	is($next_of->(101), 4, 'who gave way lost the rest of its block');
	is( $one->safe(<<"EOS"), 't',
SELECT bool_and(ids = '{0,1}')
FROM (SELECT array_agg(id - seq::bigint * @{[APART]} ORDER BY n) AS ids
	FROM visits WHERE seq <= 100 GROUP BY seq) AS s
EOS
		'who was used again went on with its block');

	# A session that has drawn and is still in its transaction: meanwhile
	# its entry becomes another sequence's.
	$two->safe('BEGIN');
	my @ids = map { $next_of->(5) } 1 .. 3;

	# A second later every other sequence is used more recently.
	sleep(1.1);
	$one->safe("CALL visit('other', 6, @{[SEQUENCES]}, 1, 1)");
	is($one->safe("SELECT count(*) FROM gid.stat_sequences"
			  . " WHERE sequence = 'q_5'::regclass"),
		0, 'a sequence gives way in the midst of a transaction');
	push @ids, $one->safe("SELECT gid_next('q_5')") - 5 * APART;
	$one->safe("CREATE TEMP TABLE others AS SELECT sequence, next"
		  . " FROM gid.stat_sequences"
		  . " WHERE next IS NOT NULL AND sequence <> 'q_5'::regclass");
	push @ids, map { $next_of->(5) } 1 .. 3;
	$two->safe('COMMIT');
	is( $one->safe(
			'SELECT count(*) > 1000, count(*) FILTER (WHERE id <> next)'
			  . ' FROM (SELECT next, gid_next(sequence) AS id FROM others) AS o'),
		't|0',
		'the sequence that has its entry now keeps its block');
	is("@ids", '2 3 4 8 9 10 11',
		'it goes on with its own next block, as the other session does');

	# Both sessions take turns with all sequences, in both directions, so
	# that every visit finds its block gone or meets the other session.
	$one->{timer}->interval(300);
	$two->{timer}->interval(300);
	$one->send("CALL visit('one', 1, @{[SEQUENCES]}, 1, 2)");
	$two->send("CALL visit('two', @{[SEQUENCES]}, 1, -1, 2)");
	$_->answer for $one, $two;
	is($one->safe('SELECT count(*) FROM gid.stat_sequences'),
		ENTRIES, 'the table is full and no more');
	my ($n, $sequences, $distinct, $foreign, $back) = split /\|/,
	  $one->safe(<<"EOS");
SELECT count(*), count(DISTINCT seq), count(DISTINCT (seq, id)),
	count(*) FILTER (WHERE id / @{[APART]} <> seq),
	count(*) FILTER (WHERE id <= before)
FROM (SELECT seq, id, lag(id) OVER (PARTITION BY who, seq ORDER BY n) AS before
	FROM visits) AS s
EOS
	note("$n values of $sequences sequences, $distinct distinct,"
		  . " $foreign foreign, $back steps back");
	is($sequences, SEQUENCES, 'every sequence has been drawn from');
	is($distinct, $n, 'no value comes twice');
	is($foreign, 0, 'none is another sequence\'s');
	is($back, 0, 'each sequence increases, for each session');
	end_session($_) for $one, $two;
}

# 6. Sequences whose pages are damaged: every way to draw says so and writes
# nothing, other sequences are not harmed, and what is put back goes on.
{
	my $db = 'damaged';

	$node->safe_psql('postgres', "CREATE DATABASE $db");
	$node->safe_psql($db, <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE sound;
CREATE FUNCTION outcome(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE call;
	RETURN '00000';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
EOS
	my $size = $node->safe_psql($db, 'SHOW block_size');

	# What is done to the page, given as it was; and whether the server finds
	# that when it reads the page, which says less.
	my @damages = (
		[
			'another magic number',
			sub { substr($_[0], $size - 8, 4) = pack('L', 0x1718) }, 0
		],
		[
			'no line pointer', sub { substr($_[0], 12, 2) = pack('S', 24) }, 0
		],
		[
			'a line pointer to beyond the page',
			sub {
				substr($_[0], 24, 4) = pack('L', 0x7ff8 | 1 << 15 | 41 << 17);
			},
			0
		],
		[
			'a tuple whose header is longer than itself',
			sub {
				my $tuple = unpack('L', substr($_[0], 24, 4)) & 0x7fff;

				substr($_[0], $tuple + 22, 1) = chr(255);
			},
			0
		],
		[ 'zeroes', sub { $_[0] = "\0" x $size }, 0 ],
		[
			'garbage',
			sub { $_[0] = join '', map { chr(129 + $_ % 126) } 1 .. $size }, 1
		],
		[ 'nothing', sub { $_[0] = '' }, 1 ]);
	my @names = map { "damaged_$_" } 1 .. @damages;
	my %path;

	push @names, 'gid.decimal_generator';
	$node->safe_psql($db, 'CREATE SEQUENCE ' . $_) for @names[ 0 .. $#damages ];
	$node->safe_psql($db, "SELECT gid_next('$_')") for @names[ 0 .. $#damages ];
	$node->safe_psql($db, 'SELECT gid_decimal_id()');
	$path{$_} = $node->data_dir . '/'
	  . $node->safe_psql($db, "SELECT pg_relation_filepath('$_')")
	  for @names;
	my $checksums = $node->safe_psql($db, 'SHOW data_checksums');

	$node->stop;
	# They would find it first.
	PostgreSQL::Test::Utils::system_or_bail('pg_checksums', '--disable', '-D',
		$node->data_dir)
	  if $checksums eq 'on';
	my %before = map { $_ => slurp_raw($path{$_}) } @names;
	my %after = %before;

	$damages[$_][1]->($after{ $names[$_] }) for 0 .. $#damages;
	$damages[0][1]->($after{'gid.decimal_generator'});
	write_raw($path{$_}, $after{$_}) for @names;

	my $offset = -s $node->logfile;

	$node->start;
	my $one = session($node, $db);
	my $last = 0;
	my $sound = sub {
		my $value = $one->safe("SELECT gid_next('sound')");
		my $good = $value > $last;

		$last = $value;
		return $good;
	};

	for my $i (0 .. $#damages)
	{
		my ($what, undef, $early) = @{ $damages[$i] };
		my $name = $names[$i];
		my @calls = (
			"SELECT gid_next('$name')",
			"SELECT gid_next_many('$name', 3)",
			"SELECT gid_next_gdid('$name')",
			"SELECT gid_next_gdids('$name', 3)",
			"SELECT gid_next_code('$name', '0')",
			"SELECT gid.authority_block('public', '$name', 3)");
		my (undef, $err) = $one->query($calls[0]);

		error_like(
			$err, 'XX001', "$what: an error",
			$early
			? (no_detail => 1, no_hint => 1)
			: (text => qr/page of sequence "$name" is damaged/));
		# In one transaction, with another sequence in between.
		is( $one->safe(
				'SELECT ' . join ", ',', ",
				map { "outcome(\$c\$$_\$c\$), gid_next('sound') > 0" } @calls),
			join('|,|', ('XX001|t') x @calls),
			"$what: whatever draws");
		ok($sound->(), "$what: another sequence goes on");
		is( $one->safe("SELECT gid_forget('$name');"
				  . " SELECT count(*) FROM gid.stat_sequences"
				  . " WHERE sequence = '$name'::regclass AND next IS NOT NULL"),
			"\n0", "$what: there is no block");
	}
	error_like(($one->query($_))[1],
		'XX001', $_, text => qr/page of sequence "decimal_generator" is damaged/)
	  for 'SELECT gid_decimal_id()', 'SELECT gid.authority_generator(65)';
	is($one->safe('SELECT count(*) FROM pg_locks'
			  . " WHERE pid = pg_backend_pid() AND relation = 'damaged_1'::regclass"),
		0, 'no lock is left');
	end_session($one);
	$node->stop;
	is( log_count(
			$node,
			qr/PANIC|FATAL:  (?!terminating)|TRAP|leak|terminated by signal/,
			$offset),
		0,
		'nothing is left pinned, nobody ended');
	is( join(' ', grep { slurp_raw($path{$_}) ne $after{$_} } @names),
		'', 'nothing was written to the damaged pages');

	write_raw($path{$_}, $before{$_}) for @names;
	$node->start;
	is( join(' ',
			map { $node->safe_psql($db, "SELECT gid_next('$_') > 1") }
			  @names[ 0 .. $#damages ]),
		join(' ', ('t') x @damages),
		'put back, they go on');
	is($node->safe_psql($db, 'SELECT gid_extract_decimal_generator(gid_decimal_id())'),
		1, 'so do the generator numbers');
}

# 7. A transaction that takes turns with two sequences opens each of them once,
# not for each value: opening a sequence reads its page.
{
	$node->safe_psql('postgres', <<'EOS');
CREATE SEQUENCE turn_1 CACHE 100000;
CREATE SEQUENCE turn_2 CACHE 100000;
EOS
	my $one = session($node, 'postgres');

	for my $turns ([ 'gid_next', 'gid_next' ], [ 'gid_next', 'gid_next_gdid' ])
	{
		my ($first, $second) = @$turns;
		my ($pages) = $one->safe('EXPLAIN (ANALYZE, BUFFERS)'
			  . " SELECT count($first('turn_1')), count($second('turn_2'))"
			  . ' FROM (SELECT generate_series(1, 5000)) AS g') =~
		  /Buffers: shared hit=(\d+)/;

		cmp_ok($pages, '<', 1000,
			"5,000 turns of $first() and $second() open each sequence once");
	}
	end_session($one);
}

$node->stop;

done_testing();
