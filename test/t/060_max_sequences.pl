# More sequences than gid.max_sequences, with the library preloaded and without.
#
# - No value comes twice or goes back, beside evictions, and while sequences and databases
#   come and go. Each value that is lost is counted. Totals never go back.
# - A reload moves the limit in both directions.
# - A launch of DecimalIds keeps its block.
# - Where there is no memory, a draw from another sequence fails, and uses up nothing.
#
# SQL alone cannot test this: it needs sessions that run at the same time, reloads, other
# databases, a crash, and a server whose memory is full.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	CLIENTS => 6,
	SEQUENCES => 400,
	TRANSACTIONS => 300,
	# Twice MaxBackends, which version 18 made greater: connections, autovacuum, others.
	FLOOR => 2 * (20 + 16 + 3),
};

my $LEFT = 'SELECT coalesce(sum(last - next + 1), 0) FROM gid.stat_sequences WHERE source = \'local\'';
my $TOTALS = 'SELECT reservations, prefetched, waits, evictions, lost FROM gid.stat_blocks';

my $fault_dir = PostgreSQL::Test::Utils::tempdir;
my $fault = build_fault("$FindBin::RealBin/fault.c", $fault_dir);

# Runs code with a fault of fault.c.
sub with_fault
{
	my ($name, $code) = @_;

	append_to_file("$fault_dir/$name", '');
	$code->();
	unlink "$fault_dir/$name" or die "$fault_dir/$name: $!";
	return;
}

foreach my $preload ('$libdir/gid', '')
{
	my $with = $preload ? 'with preload' : 'without preload';
	my $node = gid_node($preload ? 'preloaded' : 'plain', <<"EOC");
shared_preload_libraries = '$preload'
synchronous_commit = off
max_connections = 20
max_worker_processes = 1
max_wal_senders = 0
autovacuum_max_workers = 3
gid.max_sequences = 10
EOC

	with_env({ $fault ? (LD_PRELOAD => $fault, GID_FAULT_DIR => $fault_dir) : () }, sub { $node->start });
	$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE UNLOGGED TABLE draws (client int, n bigint GENERATED ALWAYS AS IDENTITY (CACHE 100), seq int, id bigint);

-- In pieces, for max_locks_per_transaction.
CREATE PROCEDURE make(prefix text, n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('CREATE SEQUENCE %s_%s CACHE 4', prefix, i);
		IF i % 100 = 0 THEN
			COMMIT;
		END IF;
	END LOOP;
END $$;
CREATE PROCEDURE visit(prefix text, n int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		PERFORM gid_next(format('%s_%s', prefix, i)::regclass), set_config('test.visited', i::text, false);
		COMMIT;
	END LOOP;
END $$;
CREATE FUNCTION reached(prefix text, n int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	total numeric := 0;
	one bigint;
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM %s_%s', prefix, i) INTO one;
		total := total + one;
	END LOOP;
	RETURN total;
END $$;
EOS
	$node->safe_psql('postgres', "CALL make('q', @{[SEQUENCES]}); CALL make('r', @{[SEQUENCES]})");
	my $generator = $node->safe_psql('postgres', 'SELECT gid_extract_decimal_generator(gid_decimal_id())');

	# 1. Clients that draw at random, one to three values of a statement. A poller reads the totals.
	my $poller = start_clients($node, 'postgres', 1, "$TOTALS;\nSELECT pg_sleep(0.01) \\g /dev/null\n" x 20);

	ok( run_pgbench($node, 'postgres', <<"EOS",
\\set seq random(1, @{[SEQUENCES]})
\\set per random(1, 3)
INSERT INTO draws (client, seq, id) SELECT :client_id, :seq, gid_next('q_:seq') FROM generate_series(1, :per);
EOS
			'-c', CLIENTS, '-j', 2, '-t', TRANSACTIONS),
		"$with: clients draw from more sequences than the limit");
	stop_clients($poller);
	is( $node->safe_psql('postgres', <<'EOS'), '0|0', "$with: no value comes twice, none goes back in a session");
SELECT count(*) - count(DISTINCT (seq, id)), count(*) FILTER (WHERE id <= before)
FROM (SELECT seq, id, lag(id) OVER (PARTITION BY client, seq ORDER BY n) AS before FROM draws) AS s
EOS
	my @before;
	my @back;

	foreach my $line (split /\n/, slurp_file($poller->{files}[0]))
	{
		my @now = split /\|/, $line;

		push @back, "@before, then @now" if grep { $now[$_] < ($before[$_] // 0) } 0 .. $#now;
		@before = @now;
	}
	none("$with: totals never go back", @back);
	ok(@before == 5, "$with: the totals were read meanwhile");

	# 2. Sequences of one value each, so that what is left in memory is in the view.
	$node->safe_psql('postgres', "CALL visit('r', @{[SEQUENCES]})");
	my ($evictions, $lost) =
	  split /\|/, $node->safe_psql('postgres', 'SELECT evictions, lost FROM gid.stat_blocks');
	my $drawn = SEQUENCES + $node->safe_psql('postgres', 'SELECT count(*) FROM draws');
	my $reached = $node->safe_psql('postgres', "SELECT reached('q', @{[SEQUENCES]}) + reached('r', @{[SEQUENCES]})");

	note("$with: $evictions evictions, $lost values lost of $reached");
	cmp_ok($evictions, '>', SEQUENCES, "$with: evictions are counted");
	is($reached - $drawn, $lost + $node->safe_psql('postgres', $LEFT), "$with: each value that is lost is counted");
	cmp_ok($node->safe_psql('postgres', 'SELECT sequences FROM gid.stat_blocks'),
		'<=', FLOOR + CLIENTS, "$with: the limit holds");
	is($node->safe_psql('postgres', 'SELECT gid_extract_decimal_generator(gid_decimal_id())'),
		$generator, "$with: the launch has kept its block");

	# 3. A greater limit: nobody gives way. A smaller one: the table shrinks.
	gid_reload($node, 'gid.max_sequences', 2 * SEQUENCES + 10);
	$node->safe_psql('postgres', "CALL visit('q', @{[SEQUENCES]}); CALL visit('r', @{[SEQUENCES]}); CALL visit('q', @{[SEQUENCES]})");
	is( $node->safe_psql('postgres', 'SELECT sequences, evictions FROM gid.stat_blocks'),
		1 + 2 * SEQUENCES . "|$evictions",
		"$with: within a greater limit nobody gives way");
	gid_reload($node, 'gid.max_sequences', 10);
	$node->safe_psql('postgres', "CALL make('s', 2 * @{[SEQUENCES]})");
	$node->safe_psql('postgres', "CALL visit('s', 2 * @{[SEQUENCES]})");
	cmp_ok($node->safe_psql('postgres', 'SELECT sequences FROM gid.stat_blocks'),
		'<=', FLOOR + 1, "$with: with a smaller limit the table shrinks");
	is($node->safe_psql('postgres', 'SELECT gid_extract_decimal_generator(gid_decimal_id())'),
		$generator, "$with: the launch has kept its block again");

	# 4. Sequences and databases that come and go beside draws.
	$node->safe_psql('postgres', 'TRUNCATE draws; CREATE DATABASE brief_template');
	$node->safe_psql('brief_template', 'CREATE EXTENSION gid; CREATE SEQUENCE one; CREATE SEQUENCE two');
	my $droppers = start_clients($node, 'postgres', 1, <<'EOS' x 5);
CREATE SEQUENCE brief;
SELECT gid_next('brief'), gid_next('brief'), gid_next('brief');
DROP SEQUENCE brief;
EOS
	my $databases = start_clients($node, 'postgres', 1, <<'EOS');
CREATE DATABASE brief TEMPLATE brief_template;
\c brief
SELECT gid_next('one'), gid_next('two'), gid_next('one'), gid_next('one');
\c postgres
DROP DATABASE brief;
EOS

	ok( run_pgbench($node, 'postgres', <<"EOS",
\\set seq random(1, @{[SEQUENCES]})
INSERT INTO draws (client, seq, id) VALUES (:client_id, :seq, gid_next('q_:seq'));
EOS
			'-c', CLIENTS, '-j', 2, '-t', TRANSACTIONS),
		"$with: clients draw while sequences and databases come and go");
	defined wait_until(60, sub { written($databases) > 0 && written($droppers) > 0 }) or die 'nothing was dropped';
	stop_clients($_) for $droppers, $databases;
	is($node->safe_psql('postgres', 'SELECT count(*) - count(DISTINCT (seq, id)) FROM draws'),
		0, "$with: no value comes twice");
	# An eviction between two draws leaves a gap.
	none("$with: a sequence that comes again begins again",
		grep { !/^1\|(\d+)\|(\d+)$/ || $1 < 2 || $2 <= $1 } split /\n/, slurp_file($droppers->{files}[0]));
	none("$with: so does a database",
		grep { !/^1\|1\|(\d+)\|(\d+)$/ || $1 < 2 || $2 <= $1 } split /\n/, slurp_file($databases->{files}[0]));
	none("$with: without an error", map { grep { /ERROR|FATAL/ } split /\n/, slurp_file($_) }
		  map { @{ $_->{errors} } } $droppers, $databases);

	# 5. No memory: a sequence without a place in memory gives nothing, and loses nothing.
	# PostgreSQL's counters need memory, too, and its backends crash without (15 to 18).
  SKIP:
	{
		skip 'no compiler', 1 unless $fault;
		my %state = (shm => '53100', memory => '53200');
		my $session;

		with_env({ LD_PRELOAD => $fault, GID_FAULT_DIR => $fault_dir }, sub { $node->restart });
		gid_reload($node, 'track_counts', 'off');
		gid_reload($node, 'gid.max_sequences', 10000);
		$session = session($node, 'postgres');
		$node->safe_psql('postgres', "CALL make('m', 4000)");
		$session->safe("SELECT gid_next('m_1')");
		my $next;

		foreach my $what (sort keys %state)
		{
			with_fault(
				$what,
				sub {
					my (undef, $err) = $session->query("CALL visit('m', 4000)");

					# what the failed call has set is gone with its transaction
					$next = 1 + $session->safe('SHOW test.visited');
					error_like($err, $state{$what}, "$with, $what: an error", no_detail => 1, no_hint => 1);
					is($session->safe("SELECT is_called FROM m_$next"), 'f', "$with, $what: nothing is reserved");
					is($session->safe("SELECT gid_next('m_1')") > 1, 1, "$with, $what: a sequence with a block goes on");
				});
			is($session->safe("SELECT gid_next('m_$next')"), 1, "$with, $what: with memory it goes on");
		}
		end_session($session);
	}

	# 6. A crash: the table begins again, and nothing comes twice.
	my $last = $node->safe_psql('postgres', "SELECT gid_next('q_1')");

	kill9_backend($node, "SELECT gid_next('q_2')");
	is($node->safe_psql('postgres', 'SELECT sequences, evictions FROM gid.stat_blocks'), '0|0', "$with: a crash empties the table");
	cmp_ok($node->safe_psql('postgres', "SELECT gid_next('q_1')"), '>', $last, "$with: and no value comes again");
	$node->stop;
	is(log_count($node, qr/PANIC|TRAP|leaked/), 0, "$with: nothing is left pinned");

	# 7. A stand-alone backend has room for 500 sequences, and makes no more memory.
	if ($preload)
	{
		my ($out, $err) = ('', '');
		my $sql = join '', map { "SELECT gid_next('q_$_'), gid_next('s_$_');\n" } 1 .. SEQUENCES;

		IPC::Run::run([ 'postgres', '--single', '-D', $node->data_dir, 'postgres' ], '<', \$sql, '>', \$out, '2>', \$err);
		is(scalar(() = $out =~ /gid_next = "\d+"/g), 2 * SEQUENCES, 'a stand-alone backend draws from more sequences than it has room for')
		  or diag($err);
	}
}

done_testing();
