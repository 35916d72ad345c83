# Horizons: a reader that follows ids up to the horizon misses no row.
#
# SQL alone cannot test this: it needs transactions that overlap, sessions that
# are ended, prepared transactions over a restart, a promotion, and a storm of
# writers with readers of every kind.
#
# 1. The fault and the pattern of doc/reading-new-rows.md, in two sessions.
# 2. What holds a horizon back, and what ends that, one case after the other.
# 3. A restart with a prepared transaction, a kill, a promotion.
# 4. The storm: writers draw and commit in every way; each reader writes down
#    which rows it has seen.  At the end each has seen each row once.  The
#    naive reader, which remembers the greatest id, has not.
#
# GID_HORIZON_SECONDS is the length of the storm, 4 by default; with gid_long
# in PG_TEST_EXTRA it is 60.  It goes on until there are 500 rows, or as many
# as GID_HORIZON_ROWS says.  Meanwhile the server is killed as many times as
# GID_HORIZON_KILLS says: 2 by default where GID_HORIZON_ROWS is set.  Where
# pgbouncer is installed, one of the readers reads through it.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/;
my $wanted = $ENV{GID_HORIZON_ROWS} // 0;
my $kills = $ENV{GID_HORIZON_KILLS} // ($wanted ? 2 : 0);
my $seconds = $ENV{GID_HORIZON_SECONDS} // ($long || $wanted ? 60 : 4);
my ($bouncer) = grep { -x } map { "$_/pgbouncer" } split(/:/, $ENV{PATH}), '/usr/sbin';

my $node = gid_node('primary', <<'EOC', allows_streaming => 1);
max_prepared_transactions = 40
max_worker_processes = 16
wal_writer_delay = 10s
min_parallel_table_scan_size = 0
parallel_setup_cost = 0
parallel_tuple_cost = 0
EOC

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE DATABASE other;
CREATE SEQUENCE ids;
CREATE SEQUENCE plain;
CREATE TABLE e (
	v7 uuid DEFAULT gid_uuid_v7(), sequential uuid DEFAULT gid_uuid_sequential(),
	snowflake bigint DEFAULT gid_snowflake_id(), next bigint DEFAULT gid_next('ids'),
	serial bigserial, what text);
EOS
$node->safe_psql('other', 'CREATE EXTENSION gid');

# Each kind of id: its column, and the horizon.
my %HORIZON = (
	v7 => 'gid_uuid_v7_horizon()',
	sequential => 'gid_uuid_sequential_horizon()',
	snowflake => 'gid_snowflake_id_horizon()',
	next => "gid_horizon('ids')",
	serial => "gid_horizon('e_serial_seq')");
my @KINDS = sort keys %HORIZON;
my %TYPE = map { $_ => /^(?:v7|sequential)$/ ? 'uuid' : 'bigint' } @KINDS;
my %ZERO = map { $_ => $TYPE{$_} eq 'uuid' ? '00000000-0000-0000-0000-000000000000' : '0' } @KINDS;

# --- 1. The fault ----------------------------------------------------------

my ($block) = slurp_file("$FindBin::RealBin/../../doc/reading-new-rows.md")
  =~ /^<!-- test: run by 041_horizon -->\n```sql\n(.*?)^```$/ms;
my @window = (undef, map { session($node, 'postgres') } 1 .. 2);
my $now = 1;
my @said;

foreach my $line (grep { /\S/ } split /\n/, $block)
{
	$now = $1 if $line =~ /-- window (\d)/;
	push @said, $window[$now]->safe($line);
}
is($said[-3], '2', 'the reader of the manual remembers the greatest id');
is($said[-1], '', 'and does not see the row that was committed late');
is($window[2]->safe('SELECT what FROM event ORDER BY id LIMIT 1'), 'early', 'which is there');
end_session($_) for @window[ 1, 2 ];

# --- 2. What holds a horizon back ------------------------------------------

my $writer = session($node, 'postgres');
my $reader = session($node, 'postgres');

# For each kind: are all rows below the horizon?  "t" or "f", or "" for NULL.
sub passed
{
	my ($session) = @_;

	# for a sequence the second call has what the first has found
	$session->safe("SELECT $HORIZON{$_}") for @KINDS;
	# a Snowflake id's millisecond has to pass
	sleep(0.002);
	return join ' ', map {
		$session->safe("SELECT bool_and($_ < h) FROM e, (SELECT $HORIZON{$_} AS h OFFSET 0) AS h GROUP BY h")
	} @KINDS;
}

# Checks a case: what holds every horizon back, and what ends that.
sub holds
{
	my ($name, $begin, $end) = @_;

	$begin->();
	is(passed($reader), 'f f f f f', "$name: every horizon stays behind");
	$end->();
	is(passed($reader), 't t t t t', "$name: and goes on");
	return;
}

$writer->safe("INSERT INTO e (what) VALUES ('first')");
is(passed($reader), 't t t t t', 'a committed row is below every horizon');

my $DRAW = "SELECT gid_uuid_v7(), gid_uuid_sequential(), gid_snowflake_id(), gid_next('ids'), nextval('e_serial_seq')";
my $INSERT = "INSERT INTO e (what) VALUES ('x')";

# Another session's row lies beyond what is held.
sub open_and_later
{
	my ($sql) = @_;

	return sub {
		$writer->safe("BEGIN; $sql");
		$node->safe_psql('postgres', $INSERT);
	};
}
holds('an open transaction', open_and_later($INSERT), sub { $writer->safe('COMMIT') });
holds('a rollback', open_and_later($INSERT), sub { $writer->safe('ROLLBACK') });
holds('draws without a row', open_and_later($DRAW), sub { $writer->safe('COMMIT') });
holds('a savepoint that is rolled back',
	open_and_later("SAVEPOINT a; $INSERT; ROLLBACK TO a"), sub { $writer->safe('COMMIT') });
holds('a prepared transaction',
	open_and_later("$INSERT; PREPARE TRANSACTION 'p'"),
	sub { $node->safe_psql('postgres', "COMMIT PREPARED 'p'") });
holds('a prepared transaction whose session is gone',
	sub {
		my $gone = session($node, 'postgres');
		$gone->safe("BEGIN; $INSERT; PREPARE TRANSACTION 'p'");
		end_session($gone);
		$node->safe_psql('postgres', $INSERT);
	},
	sub { $node->safe_psql('postgres', "ROLLBACK PREPARED 'p'") });
{
	my $gone = session($node, 'postgres');

	holds('a session that is ended',
		sub { $gone->safe("BEGIN; $INSERT"); $node->safe_psql('postgres', $INSERT) },
		sub {
			$node->safe_psql('postgres', 'SELECT pg_terminate_backend(' . $gone->safe('SELECT pg_backend_pid()') . ', 10000)');
			$gone->end;
		});
}
# A worker makes no id that has a horizon: its rows would be its leader's.
{
	my $leader = session($node, 'postgres');
	my ($force) = $node->safe_psql('postgres', "SELECT name FROM pg_settings WHERE name IN ('force_parallel_mode', 'debug_parallel_query')");

	$node->safe_psql('postgres', <<'EOS');
CREATE TABLE many AS SELECT generate_series(1, 20000) AS n;
ANALYZE many;
CREATE FUNCTION mislabelled() RETURNS uuid LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN gid_uuid_v7(); END $$;
EOS
	$leader->safe("SET parallel_leader_participation = off; SET $force = on");
	is($leader->safe('SELECT count(DISTINCT id) FROM (SELECT gid_uuid_v7() AS id FROM many OFFSET 0) AS m'), '20000', 'ids of a parallel plan are its leader\'s');
	error_like(($leader->query('SELECT count(id) FROM (SELECT mislabelled() AS id FROM many OFFSET 0) AS m'))[1], '25000', 'a function that is labelled wrongly fails in a worker');
	end_session($leader);
}
{
	my $other = session($node, 'other');

	$other->safe('BEGIN; CREATE TABLE t (); SELECT gid_uuid_v7(), gid_uuid_sequential(), gid_snowflake_id()');
	$node->safe_psql('postgres', $INSERT);
	is(passed($reader), 't t t t t', 'a transaction of another database holds nothing back');
	is($node->safe_psql('postgres', 'SELECT count(*) FROM gid.stat_horizon'), '0', 'and is not shown');
	end_session($other);
}
$reader->safe("BEGIN; $INSERT");
is(passed($reader), 'f f f f f', 'the own transaction does');
# now there are later transactions that have ended
$node->safe_psql('postgres', $INSERT) for 1 .. 2;
passed($reader);
is(join(' ', map { $reader->safe(<<"EOS") } @KINDS), 'f f f f f', 'also when its id is before those of others that have ended');
SELECT bool_or($_ < h) FROM e, (SELECT $HORIZON{$_} AS h OFFSET 0) AS h WHERE xmin = pg_current_xact_id()::xid
EOS
$reader->safe('ROLLBACK');

# The view.
$writer->safe("BEGIN; $INSERT");
is($node->safe_psql('postgres', <<'EOS'), join("\n", map { "$_|t|idle in transaction|t|t" }
SELECT coalesce(sequence::text, kind) COLLATE "C", pid > 0, state, since < now(), (bound IS NULL) = (kind = 'sequence')
FROM gid.stat_horizon ORDER BY 1
EOS
	qw(e_serial_seq ids snowflake_id uuid_sequential uuid_v7)), 'the view names the session, for each kind');
$node->safe_psql('postgres', 'CREATE ROLE plain_user');
is($node->safe_psql('postgres', 'SET ROLE plain_user; SELECT DISTINCT state IS NULL AND since IS NULL FROM gid.stat_horizon'),
	't', 'a role without rights does not see what it does');
$writer->safe('COMMIT');

# An old snapshot: what was committed since is not below the horizon.
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$node->safe_psql('postgres', $INSERT) for 1 .. 2;
my $first = $reader->safe('SELECT gid_uuid_v7_horizon()');
my $last = $node->safe_psql('postgres', 'SELECT max(v7::text) FROM e');
ok($first eq '' || $first le $last, 'a snapshot from before a commit has a horizon before its row');
$node->safe_psql('postgres', $INSERT);
is($reader->safe('SELECT gid_uuid_v7_horizon()'), $first, 'and the same at each call');
$reader->safe('COMMIT');

# A transaction without an id may end meanwhile, and the snapshot keeps its
# horizon.
$writer->safe('BEGIN; SELECT gid_uuid_v7()');
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$first = $reader->safe('SELECT gid_uuid_v7_horizon()');
$writer->safe('COMMIT');
is($reader->safe('SELECT gid_uuid_v7_horizon()'), $first, 'a snapshot has one horizon');
$reader->safe('COMMIT');

# A session learns more of a sequence than a cursor, which is older, may use.
$node->safe_psql('postgres', "CREATE SEQUENCE cursed; SELECT nextval('cursed')");
$writer->safe("BEGIN; SELECT nextval('cursed'), pg_current_xact_id()");
$reader->safe("BEGIN; DECLARE c CURSOR FOR SELECT gid_horizon('cursed')");
$writer->safe('COMMIT');
is($reader->safe("SELECT gid_horizon('cursed')"), '3', 'a later statement has a horizon');
cmp_ok($reader->safe('FETCH c') || 0, '<=', 2, 'and the cursor has none that is beyond its snapshot');
$reader->safe('COMMIT');

# gid_horizon_wait()
$writer->safe("BEGIN; $INSERT");
sql_fails($node, 'postgres', "CALL gid_horizon_wait('ids', '100 ms')", '57014', 'a wait ends with its time');
{
	my $waits = session($node, 'postgres');

	$node->safe_psql('postgres', 'CREATE SEQUENCE IF NOT EXISTS quiet');
	# with warm caches nothing else ends a snapshot
	$waits->safe("CALL gid_horizon_wait('quiet', '60 s')") for 1 .. 3;
	$waits->send("CALL gid_horizon_wait('ids', '60 s'); SELECT gid_horizon('ids') > max(next) FROM e;");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'virtualxid' AND NOT granted")
	  or die 'nobody waits';
	is($node->safe_psql('postgres', "SELECT backend_xmin IS NULL FROM pg_stat_activity WHERE query LIKE 'CALL gid_horizon_wait%' AND pid <> pg_backend_pid()"),
		't', 'who waits holds no snapshot');
	$writer->safe('COMMIT');
	is(($waits->answer)[0], 't', 'the wait ends with the transaction, and the horizon is beyond its row');
	end_session($waits);
}
sql_fails($node, 'postgres', "BEGIN; CALL gid_horizon_wait('ids', '1 s')", '25001', 'no wait in a transaction block');

# Whoever waits for a migration holds no lock that the migration needs.
{
	my ($migrates, $asks) = map { session($node, 'postgres') } 1 .. 2;

	$node->safe_psql('postgres', 'CREATE SEQUENCE migrated');
	foreach my $question ("SELECT gid_horizon('migrated')", "CALL gid_horizon_wait('migrated', '60 s')")
	{
		$migrates->safe('BEGIN; ALTER SEQUENCE migrated INCREMENT 1');
		$asks->send($question);
		$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE relation = 'migrated'::regclass AND NOT granted")
		  or die 'nobody waits';
		$migrates->safe('DROP SEQUENCE migrated; ROLLBACK');
		is(($asks->answer)[1], '', 'no deadlock with ALTER and DROP SEQUENCE');
	}
	end_session($_) foreach $migrates, $asks;
}

# A descending sequence: everything is mirrored.
{
	my ($drawer, $asks) = map { session($node, 'postgres') } 1 .. 2;

	$node->safe_psql('postgres', "CREATE SEQUENCE down INCREMENT -1; SELECT nextval('down')");
	is($asks->safe("SELECT gid_horizon('down')"), '-2', 'a descending sequence has its horizon below what was drawn');
	$drawer->safe("BEGIN; SELECT nextval('down')");
	$node->safe_psql('postgres', "SELECT nextval('down')");
	$asks->safe("SELECT gid_horizon('down')");
	cmp_ok($asks->safe("SELECT gid_horizon('down')"), '>=', -2, 'an open transaction holds it back');
	$drawer->safe('COMMIT');
	$asks->safe("SELECT gid_horizon('down')");
	is($asks->safe("SELECT gid_horizon('down')"), '-4', 'until its end');
	end_session($_) for $drawer, $asks;
}

# Many sequences in one session, which remembers 256 of them and keeps no lock.
{
	my ($drawer, $asks) = map { session($node, 'postgres') } 1 .. 2;
	my $poll = "SELECT count(h), count(DISTINCT h), min(h), max(h) FROM"
	  . " (SELECT gid_horizon(('many_' || i)::regclass) AS h FROM generate_series(FROM) AS i OFFSET 0) AS m";
	my ($first, $all) = map { $poll =~ s/FROM\)/$_)/r } '1, 256', '1, 2000';

	$node->safe_psql('postgres', <<'EOS');
DO $$ BEGIN FOR i IN 1 .. 2000 LOOP EXECUTE format('CREATE SEQUENCE many_%s', i); END LOOP; END $$;
SELECT nextval('many_' || i) FROM generate_series(1, 2000) AS i;
EOS
	is($asks->safe($first), '256|1|2|2', '256 sequences have their horizons in a transaction');
	$drawer->safe("BEGIN; SELECT nextval('many_77')");
	$node->safe_psql('postgres', "SELECT nextval('many_' || i) FROM generate_series(1, 2000) AS i");
	$asks->safe("BEGIN; $first");
	is($asks->safe("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text LIKE 'many_%'"),
		'0', 'no lock on them is kept');
	is($asks->safe("COMMIT; $first"), '256|2|2|3', 'one of them is held back');
	$drawer->safe('COMMIT');
	$asks->safe($first);
	is($asks->safe($first), '256|2|3|4', 'until its end');
	is($asks->safe($all), '256|2|3|4', 'nothing is said of more of them');
	is($asks->safe("SELECT gid_horizon('many_2000'); SELECT gid_horizon('many_1999')"), "3\n3", 'but in the next transactions');
	is($asks->safe("SELECT sum(total_bytes) < 4000000 FROM pg_backend_memory_contexts WHERE name IN ('TopMemoryContext', 'gid horizons')"),
		't', 'a session needs little memory for them');
	end_session($_) for $drawer, $asks;
}

# One answer for a snapshot, also over a change of the sequence.
{
	my ($asks, $other) = map { session($node, 'postgres') } 1 .. 2;

	$other->safe("CREATE SEQUENCE changing; SELECT nextval('changing') FROM generate_series(1, 1000)");
	$asks->safe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
	is($asks->safe("SELECT gid_horizon('changing')"), '1001', 'a horizon before ALTER SEQUENCE of another session');
	$other->safe('ALTER SEQUENCE changing RESTART 5');
	is($asks->safe("SELECT gid_horizon('changing')"), '1001', 'the same afterwards in the same snapshot');
	$asks->safe('COMMIT');
	$asks->safe("SELECT gid_horizon('changing')");
	is($asks->safe("SELECT gid_horizon('changing')"), '5', 'and a new one in a later snapshot');
	end_session($_) for $asks, $other;
}

# The server's table of locks is full.
{
	my ($drawer, $asks, $hog) = map { session($node, 'postgres') } 1 .. 3;

	$asks->safe('SET max_parallel_workers_per_gather = 0');
	$drawer->safe("BEGIN; $INSERT");
	$node->safe_psql('postgres', $INSERT);
	is(passed($asks), ' f  f f', 'a new session knows nothing yet of the sequences');
	$hog->safe(<<'EOS');
DO $$
BEGIN
	FOR i IN 1 .. 10000000 LOOP
		BEGIN
			PERFORM pg_advisory_lock(i);
		EXCEPTION WHEN out_of_memory THEN
			EXIT;
		END;
	END LOOP;
END $$
EOS
	is(passed($asks), ' f  f f', 'out of shared memory: no horizon goes on');
	error_like(($asks->query("CALL gid_horizon_wait('ids', '60 s')"))[1], '53200', 'out of shared memory: the wait fails', no_detail => 1);
	$drawer->safe('COMMIT');
	is(passed($asks), 't t t t t', 'out of shared memory: the horizons go on at the end of the transaction');
	$hog->safe('SELECT pg_advisory_unlock_all()');
	end_session($hog);
	is($asks->safe("CALL gid_horizon_wait('ids', '60 s'); SELECT 1"), '1', 'and the wait works again');
	end_session($_) for $drawer, $asks;
}

# --- 3. Restart, promotion -------------------------------------------------

# A crash does not set a sequence back below a horizon that was told, also
# where the only transaction that drew was rolled back, so that its WAL was not
# flushed.
$writer->safe("CREATE SEQUENCE crashed; SELECT nextval('crashed') FROM generate_series(1, 20)");
$writer->safe("CHECKPOINT; BEGIN; SELECT nextval('crashed') FROM generate_series(1, 200); ROLLBACK");
my $told = $reader->safe("SELECT gid_horizon('crashed')");
kill9_server($node);
$_->kill for $writer, $reader;
$node->start;
is($told, 221, 'a horizon is told');
cmp_ok($node->safe_psql('postgres', "SELECT nextval('crashed')"), '>=', $told, 'and no smaller value comes after a crash');
$writer = session($node, 'postgres');

$writer->safe("BEGIN; $INSERT; PREPARE TRANSACTION 'over'");
end_session($writer);
foreach my $how ('restart', 'kill')
{
	if ($how eq 'restart')
	{
		$node->restart;
	}
	else
	{
		kill9_server($node);
		$node->start;
	}
	$reader = session($node, 'postgres');
	is($reader->safe('SELECT gid_uuid_v7_horizon() IS NULL, gid_uuid_sequential_horizon() IS NULL, gid_snowflake_id_horizon() IS NULL'),
		't|t|t', "after a $how nothing is said while a transaction is prepared that was before");
	is($reader->safe("SELECT count(*) FROM gid.stat_horizon WHERE prepared = 'over'"), '5', 'the view names it');
	end_session($reader);
}
# Its place serves another one before a reader asks, whose snapshot is older.
$reader = session($node, 'postgres');
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$node->safe_psql('postgres', "COMMIT PREPARED 'over'; BEGIN; $INSERT; PREPARE TRANSACTION 'again'");
is($reader->safe('SELECT gid_uuid_v7_horizon() IS NULL, gid_uuid_sequential_horizon() IS NULL, gid_snowflake_id_horizon() IS NULL'),
	't|t|t', 'nothing is said in a snapshot in which it has not ended');
$reader->safe('COMMIT');
$node->safe_psql('postgres', $INSERT);
# of a sequence a new session knows nothing yet
is(passed($reader), ' f  f f', 'a transaction that was prepared since holds back no more than its ids');
like($reader->safe('SELECT gid_uuid_v7_horizon()'), qr/^[0-9a-f-]{36}$/, 'and something is said');
$node->safe_psql('postgres', "ROLLBACK PREPARED 'again'");
is(passed($reader), 't t t t t', 'and all is said when it has ended');
end_session($reader);

my $standby = PostgreSQL::Test::Cluster->new('standby');

$node->backup('base');
$standby->init_from_backup($node, 'base', has_streaming => 1);
gid_set($standby, 'gid.node_no', 2);
$standby->start;
$node->safe_psql('postgres', "$INSERT; BEGIN; $INSERT; PREPARE TRANSACTION 'promoted'");
$node->wait_for_catchup($standby);

# A block that is being reserved, while its record waits for a standby: the
# session that reserves it ends before another one draws from it.
{
	my ($first, $second) = map { session($node, 'postgres') } 1 .. 2;

	$first->safe("CREATE SEQUENCE block; LOAD 'gid'");
	gid_set($node, 'synchronous_standby_names', "'*'");
	$node->reload;
	$node->poll_query_until('postgres', "SELECT sync_state = 'sync' FROM pg_stat_replication") or die 'no standby';
	$reader = session($node, 'postgres');
	$reader->safe("SELECT gid_horizon('block')");
	freeze_server($standby);
	$first->send("SELECT gid_next('block')");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
	  or die 'nobody waits';
	# it waits, too
	$reader->send("SELECT gid_horizon('block')");
	thaw_servers();
	is(($first->answer)[0], '1', 'a session reserves a block');
	$reader->answer;
	is($second->safe("BEGIN; SELECT gid_next('block')"), '2', 'and another one draws its last value');
	is($node->safe_psql('postgres', "SELECT next IS NULL FROM gid.stat_sequences WHERE sequence = 'block'::regclass"), 't',
		'there is no more');
	cmp_ok($reader->safe("SELECT gid_horizon('block')"), '<=', 2, 'which holds the horizon back');
	end_session($_) for $first, $second, $reader;
}
gid_set($node, 'synchronous_standby_names', "''");
$node->reload;
sql_fails($standby, 'postgres', "SELECT $HORIZON{$_}", '55000', "$_: none on a standby") for @KINDS;
sql_fails($standby, 'postgres', "CALL gid_horizon_wait('ids', '1 s')", '55000', 'nothing to wait for on a standby');
{
	my $old = session($standby, 'postgres');

	$old->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
	$standby->promote;
	error_like(($old->query("SELECT $HORIZON{v7}"))[1], '55000', 'none for a snapshot of recovery');
	end_session($old);
}
is($standby->safe_psql('postgres', 'SELECT gid_uuid_v7_horizon() IS NULL'), 't', 'after a promotion a prepared transaction counts');
$standby->safe_psql('postgres', "COMMIT PREPARED 'promoted'");
$reader = session($standby, 'postgres');
# The primary's ids may have been ahead of the clock, after its restarts, and this
# server's horizons follow its own ids.
ok(defined wait_until(60, sub { $reader->safe($INSERT); passed($reader) eq 't t t t t' }),
	'and all is said when it has ended');
end_session($reader);
$standby->stop;
$node->safe_psql('postgres', "ROLLBACK PREPARED 'promoted'");

# --- 4. The storm ----------------------------------------------------------

$node->safe_psql('postgres', <<'EOS' . join '', map { <<"EOK" } @KINDS);
TRUNCATE e RESTART IDENTITY;
CREATE TABLE naive (id uuid);

-- An id that is kept in a variable, and rows that a trigger makes at the commit.
CREATE PROCEDURE late() LANGUAGE plpgsql AS $$
DECLARE
	a uuid := gid_uuid_v7();
	b uuid := gid_uuid_sequential();
	c bigint := gid_snowflake_id();
	d bigint := gid_next('ids');
	f bigint := nextval('e_serial_seq');
BEGIN
	PERFORM pg_sleep(0.002 * random());
	INSERT INTO e VALUES (a, b, c, d, f, 'late');
END $$;
CREATE TABLE t (n int);
CREATE FUNCTION deferred() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO e (what) VALUES ('deferred');
	RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER at_commit AFTER INSERT ON t DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION deferred();

-- More subtransactions than a snapshot can hold.
CREATE PROCEDURE deep() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 80 LOOP
		BEGIN
			INSERT INTO e (what) VALUES ('deep');
			IF i % 7 = 0 THEN RAISE division_by_zero; END IF;
		EXCEPTION WHEN division_by_zero THEN
		END;
	END LOOP;
END $$;
EOS
CREATE INDEX ON e ($_);
CREATE TABLE seen_$_ (reader text, id $TYPE{$_});
CREATE TABLE stand_$_ (reader text PRIMARY KEY, last $TYPE{$_} NOT NULL);
INSERT INTO stand_$_ VALUES ('a procedure', '$ZERO{$_}'), ('pgbench -M prepared', '$ZERO{$_}');
EOK

# pgbench 16.2 evaluates an \if inside a branch that it skips. With 99 that \if is false.
my $WRITERS = <<'EOS';
\set prepared 99
\set kind random(1, 16)
\set name random(1, 1000000000)
\if :kind = 1
BEGIN;
INSERT INTO e (what) VALUES ('kept');
SAVEPOINT a;
INSERT INTO e (what) VALUES ('rolled back');
ROLLBACK TO a;
INSERT INTO e (what) VALUES ('after');
COMMIT;
\elif :kind = 2
BEGIN;
INSERT INTO e (what) VALUES ('aborted');
ROLLBACK;
\elif :kind = 3
BEGIN;
INSERT INTO e (what) VALUES ('prepared');
PREPARE TRANSACTION 'p:client_id:name';
\sleep 1 ms
COMMIT PREPARED 'p:client_id:name';
\elif :kind = 4
SELECT count(*) AS prepared FROM pg_prepared_xacts \gset
\if :prepared < 20
BEGIN;
INSERT INTO e (what) VALUES ('for another');
PREPARE TRANSACTION 'other:client_id:name';
\endif
\elif :kind <= 6
CALL late();
\elif :kind = 7
INSERT INTO e (what) SELECT 'many' FROM generate_series(1, 20);
\elif :kind = 8
BEGIN;
SELECT gid_uuid_v7(), gid_snowflake_id();
COMMIT;
\elif :kind <= 10
BEGIN;
INSERT INTO e (what) VALUES ('slow');
\set us random(1, 5000)
\sleep :us us
COMMIT;
\elif :kind = 11
INSERT INTO t VALUES (1);
\elif :kind = 12
CALL deep();
\else
INSERT INTO e (what) VALUES ('one');
\endif
EOS

# Another session ends what the writers have prepared for it.
my $FINISHER = <<'EOS';
SELECT count(*) AS n, coalesce(min(gid), '') AS name
FROM (SELECT gid FROM pg_prepared_xacts WHERE gid LIKE 'other%' ORDER BY random() LIMIT 1) AS p \gset
\set number random(1, 4)
\if :n = 0
\sleep 1 ms
\elif :number = 1
ROLLBACK PREPARED ':name';
\else
COMMIT PREPARED ':name';
\endif
EOS

# The readers: what one does to take the rows from LAST up to the horizon.  The
# last line that it prints is where it stands then.
my $INTO = "INSERT INTO seen_KIND SELECT 'READER', KIND FROM e WHERE KIND >= 'LAST' AND KIND";
my $TWO = "SELECT coalesce(HORIZON, 'LAST') AS h \\gset\n$INTO < :'h';\nSELECT :'h';";
my %READER = (
	'a statement before' => $TWO,
	'the same statement' => <<"EOS",
WITH h AS MATERIALIZED (SELECT coalesce(HORIZON, 'LAST') AS h), i AS (
	INSERT INTO seen_KIND SELECT 'READER', KIND FROM e, h WHERE KIND >= 'LAST' AND KIND < h)
SELECT h FROM h;
EOS
	'an index condition and the output' => <<"EOS",
WITH r AS MATERIALIZED (SELECT KIND AS id, HORIZON AS h FROM e WHERE KIND >= 'LAST' AND KIND < HORIZON), i AS (
	INSERT INTO seen_KIND SELECT 'READER', id FROM r)
SELECT coalesce(max(h::text), 'LAST') FROM r;
EOS
	'REPEATABLE READ' => "BEGIN ISOLATION LEVEL REPEATABLE READ;\n$TWO\nCOMMIT;",
	'an old snapshot' => "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT pg_sleep(0.01) \\g /dev/null\n$TWO\nCOMMIT;",
	'SERIALIZABLE' => "BEGIN ISOLATION LEVEL SERIALIZABLE;\nSELECT pg_sleep(0.005) \\g /dev/null\n$TWO\nCOMMIT;",
	'an imported snapshot' => <<"EOS",
BEGIN ISOLATION LEVEL REPEATABLE READ;
SET TRANSACTION SNAPSHOT 'EXPORTED';
$TWO
COMMIT;
EOS
	'a cursor' => <<"EOS",
BEGIN;
SET LOCAL client_min_messages = warning;
DECLARE c CURSOR FOR SELECT KIND, HORIZON AS h FROM e WHERE KIND >= 'LAST' AND KIND < HORIZON;
SELECT count(HORIZON) \\g /dev/null
CREATE TEMP TABLE IF NOT EXISTS KIND_read (id TYPE, h TYPE);
TRUNCATE KIND_read;
DO \$\$
DECLARE
	c refcursor := 'c';
	r record;
BEGIN
	LOOP
		FETCH c INTO r;
		EXIT WHEN NOT FOUND;
		INSERT INTO KIND_read VALUES (r.KIND, r.h);
	END LOOP;
END \$\$;
INSERT INTO seen_KIND SELECT 'READER', id FROM KIND_read;
SELECT coalesce(max(h::text), 'LAST') FROM KIND_read;
COMMIT;
EOS
	'a function' => <<"EOS",
SELECT coalesce(horizon_of_KIND(), 'LAST') AS h \\gset
$INTO < :'h';
SELECT :'h';
EOS
	# its sessions take turns
	'a pool' => $TWO,
	$bouncer ? (pgbouncer => $TWO) : ());

# Two more readers are programs, which store where they stand.  A third one reads
# serial by plain SQL, as doc/without-gid.md does.
my @PROGRAMS = ('a procedure', 'pgbench -M prepared');
my ($plain) = slurp_file("$FindBin::RealBin/../../doc/without-gid.md")
  =~ /^<!-- test: run by 041_horizon -->\n```sql\n(.*?)^```$/ms;

$node->safe_psql('postgres', 'CREATE VIEW orders AS SELECT serial AS id, what FROM e;' . $plain =~ s/orders_id_seq/e_serial_seq/gr . <<'EOS');
CREATE PROCEDURE read_plain() LANGUAGE plpgsql AS $$
BEGIN
	LOOP
		INSERT INTO seen_serial SELECT 'plain SQL', id FROM new_orders();
		COMMIT;
		EXIT WHEN (SELECT last FROM reader) >= (SELECT serial FROM e WHERE what = 'last');
		PERFORM pg_sleep(0.002 * random());
	END LOOP;
END $$;
EOS
my $PREPARED = <<'EOS';
BEGIN;
SELECT last AS l, coalesce(HORIZON, last) AS h FROM stand_KIND WHERE reader = 'pgbench -M prepared' \gset
INSERT INTO seen_KIND SELECT 'pgbench -M prepared', KIND FROM e WHERE KIND >= :l AND KIND < :h;
UPDATE stand_KIND SET last = greatest(last, :h) WHERE reader = 'pgbench -M prepared';
COMMIT;
EOS
$node->safe_psql('postgres', join '', map { fill(<<'EOS', $_) } @KINDS);
CREATE FUNCTION horizon_of_KIND() RETURNS TYPE LANGUAGE plpgsql STABLE AS $$ BEGIN RETURN HORIZON; END $$;
CREATE PROCEDURE read_KIND() LANGUAGE plpgsql AS $$
DECLARE
	stands TYPE;
	h TYPE;
BEGIN
	LOOP
		h := HORIZON;
		SELECT last INTO stands FROM stand_KIND WHERE reader = 'a procedure';
		INSERT INTO seen_KIND SELECT 'a procedure', KIND FROM e WHERE KIND >= stands AND KIND < h;
		UPDATE stand_KIND SET last = greatest(last, h) WHERE reader = 'a procedure';
		COMMIT;
		EXIT WHEN greatest(stands, h) > (SELECT KIND FROM e WHERE what = 'last');
		PERFORM pg_sleep(0.002 * random());
	END LOOP;
END $$;
EOS
# A text with the names of a kind of id.
sub fill
{
	my ($text, $kind, %with) = @_;

	%with = (LAST => $ZERO{$kind}, %with);
	$text =~ s/HORIZON/$HORIZON{$kind}/g;
	$text =~ s/KIND/$kind/g;
	$text =~ s/TYPE/$TYPE{$kind}/g;
	$text =~ s/$_/$with{$_}/g for keys %with;
	return $text;
}

# A program that runs beside the readers.
sub start_program
{
	my (@command) = @_;

	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'postgres',
		PGOPTIONS => '-c statement_timeout=0');
	return IPC::Run::start([@command], '<', \undef, '>', '/dev/null', '2>&1',
		IPC::Run::timeout(10 * $seconds + 600));
}

# A pgbench with a file of its own.
sub start_pgbench
{
	my ($name, $script, @options) = @_;
	my $file = $node->basedir . "/$name.sql";

	append_to_file($file, $script) unless -e $file;
	return start_program('pgbench', '-n', '-f', $file, @options);
}

# PgBouncer in transaction mode: the object has the method of a node that
# session() needs.
sub start_bouncer
{
	my $directory = PostgreSQL::Test::Utils::tempdir_short();
	my $user = $node->safe_psql('postgres', 'SELECT current_user');

	append_to_file("$directory/users", qq("$user" ""\n));
	append_to_file("$directory/ini", <<"EOC");
[databases]
* = host=${\$node->host} port=${\$node->port}
[pgbouncer]
pool_mode = transaction
default_pool_size = 4
listen_addr =
listen_port = 6432
unix_socket_dir = $directory
auth_type = trust
ignore_startup_parameters = options
auth_file = $directory/users
EOC
	my $program = start_program($bouncer, '-q', "$directory/ini");

	wait_until(60, sub { -e "$directory/.s.PGSQL.6432" }) // die 'no PgBouncer';
	return bless { directory => $directory, program => $program }, 'GidTest::Bouncer';
}

sub GidTest::Bouncer::connstr
{
	my ($self, $db) = @_;

	return "host=$self->{directory} port=6432 dbname=$db";
}

my @readers;
my ($pool, $exporter, $copier, $late, $naive);
my ($writers, @programs);

# The sessions of the readers, since that takes a while, and the programs.
sub start_readers
{
	append_to_file($node->basedir . '/copied', "copied\ncopied too\n") unless $copier;
	$pool //= start_bouncer() if $bouncer;
	foreach my $reader (@readers)
	{
		my $from = $reader->{name} eq 'pgbouncer' ? $pool : $node;

		$reader->{sessions} = [ map { session($from, 'postgres') } 1 .. ($reader->{name} eq 'a pool' ? 3 : 1) ];
	}
	($exporter, $copier, $late, $naive) = map { session($node, 'postgres') } 1 .. 4;
	@programs = map { start_program('psql', '-XAtq', '-c', "CALL read_$_()") } @KINDS, 'plain';
	return;
}

# The writers for some time, which this returns; the finisher, and the prepared
# readers.
sub start_writers
{
	my $time = $seconds < 20 ? $seconds : 20;

	$writers = start_pgbench('writers', $WRITERS, '-c', 10, '-j', 2, '-T', $time);
	push @programs, start_pgbench('finisher', $FINISHER, '-T', $time);
	push @programs, map { start_pgbench("prepared_$_", fill($PREPARED, $_), '-M', 'prepared', '-R', 200, '-T', $time) } @KINDS;
	return $time;
}

# Is the second of two ids of a reader's kind the greater one?
sub goes_further
{
	my ($reader, $before, $after) = @_;

	return $TYPE{ $reader->{kind} } eq 'uuid' ? $after gt $before : $after > $before;
}

# Each reader begins to read.
sub begin_reading
{
	my $snapshot = $exporter->safe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_export_snapshot()");

	foreach my $reader (@readers)
	{
		my $session = shift @{ $reader->{sessions} };

		push @{ $reader->{sessions} }, $session;
		$reader->{session} = $session;
		$session->send(fill($READER{ $reader->{name} }, $reader->{kind}, LAST => $reader->{last},
				READER => $reader->{name}, EXPORTED => $snapshot));
	}
	return;
}

# Each reader once.
sub read_once
{
	begin_reading();
	foreach my $reader (@readers)
	{
		my ($out, $err) = $reader->{session}->answer;
		my ($last) = $out =~ /(\S+)\s*\z/;

		if ($err ne '')
		{
			die $err if $err !~ /ERROR:  40001/;
			$reader->{session}->query('ROLLBACK');
		}
		elsif (defined $last && goes_further($reader, $reader->{last}, $last))
		{
			$reader->{last} = $last;
		}
	}
	$exporter->safe('COMMIT');
	# one transaction that commits late, for the naive reader
	$late->safe("BEGIN; INSERT INTO e (what) VALUES ('copied late')");
	$copier->safe("COPY e (what) FROM '${\$node->basedir}/copied'");
	$naive->safe("INSERT INTO naive SELECT v7 FROM e WHERE v7 > coalesce((SELECT max(id::text)::uuid FROM naive), '$ZERO{v7}')");
	$late->safe('COMMIT');
	return;
}

# A session that is ended in the middle of a transaction.
sub end_one
{
	my $gone = session($node, 'postgres');
	my $pid = $gone->safe("BEGIN; $INSERT; SELECT pg_backend_pid()");

	$copier->safe("DO 'BEGIN PERFORM pg_terminate_backend($pid); END'");
	$gone->end;
	return;
}

# The server is killed while all write and read.  A reader that was given no
# answer has not moved, so what it did is undone, as in the transaction that
# stores where it stands.
sub kill_all
{
	begin_reading();
	sleep(0.02 * rand);
	# all at once: the server's own assertions do not allow for a postmaster
	# that is gone while a backend ends parallel workers
	freeze_server($node);
	kill9_server($node);
	thaw_servers();
	$_->kill_kill(grace => 0) for $writers, @programs;
	$_->kill for $exporter, $copier, $late, $naive, map { @{ $_->{sessions} } } @readers;
	$node->start;
	foreach my $reader (@readers)
	{
		$node->safe_psql('postgres', <<"EOS");
DELETE FROM seen_$reader->{kind} WHERE reader = '$reader->{name}' AND id >= '$reader->{last}'
EOS
	}
	start_readers();
	# while transactions are prepared from before, and afterwards
	read_once() for 1 .. 3;
	end_prepared();
	return;
}

sub end_prepared
{
	$node->safe_psql('postgres', "COMMIT PREPARED '$_'")
	  for split /\n/, $node->safe_psql('postgres', 'SELECT gid FROM pg_prepared_xacts');
	return;
}

# Each reader reads every kind in the long form, and two of them in the short one.
foreach my $name (sort keys %READER)
{
	my @kinds = $long || $wanted ? @KINDS : map { $KINDS[ (@readers / 2 + $_) % @KINDS ] } 0, 2;

	push @readers, map { { kind => $_, name => $name, last => $ZERO{$_} } } @kinds;
}
start_readers();
my $end = monotonic() + $seconds;
my $killed = 0;
my $rounds = 0;
my $rows = 0;

while (monotonic() < $end || $rows < ($wanted || 500))
{
	my $chunk_end = monotonic() + start_writers();

	do
	{
		read_once();
		end_one() if $rounds++ % 10 == 0;
	} while (monotonic() < $chunk_end);
	$rows = $node->safe_psql('postgres', 'SELECT count(*) FROM e');
	ok($writers->finish, "the writers have come to their end, with $rows rows");
	(pop @programs)->finish for 0 .. @KINDS;
	next if $killed == $kills || $rows < $wanted * ($killed + 1) / ($kills + 1);
	start_writers();
	read_once();
	kill_all();
	$killed++;
}
end_prepared();
is($killed, $kills, 'the server was killed as often as it was to be');
$node->safe_psql('postgres', "INSERT INTO e (what) VALUES ('last')");
my %last_row;
@last_row{@KINDS} = split /\|/, $node->safe_psql('postgres', "SELECT " . join(', ', @KINDS) . " FROM e WHERE what = 'last'");
for (1 .. 200)
{
	last unless grep { !goes_further($_, $last_row{ $_->{kind} }, $_->{last}) } @readers;
	read_once();
}
ok((grep { $_->finish } @programs) == @KINDS + 1, 'the procedures have come to their end');
start_pgbench("prepared_$_", '', '-M', 'prepared', '-t', 3)->finish for @KINDS;
if ($pool)
{
	$pool->{program}->signal('TERM');
	$pool->{program}->finish;
}
# What was inserted later has perhaps not been read.
$node->safe_psql('postgres', "DELETE FROM e WHERE v7 > (SELECT v7 FROM e WHERE what = 'last')");

$rows = $node->safe_psql('postgres', 'SELECT count(*) FROM e');
foreach my $reader (@readers, { kind => 'serial', name => 'plain SQL' },
	map { my $kind = $_; map { { kind => $kind, name => $_ } } @PROGRAMS } @KINDS)
{
	my ($kind, $name) = @$reader{qw(kind name)};

	is($node->safe_psql('postgres', <<"EOS"), '0|0', "$kind, $name: no row is missed, and none comes twice");
SELECT (SELECT count(*) FROM e WHERE NOT EXISTS (SELECT FROM seen_$kind AS s WHERE s.reader = '$name' AND s.id = e.$kind)),
	(SELECT count(*) - count(DISTINCT id) FROM seen_$kind WHERE reader = '$name')
EOS
}
my $lost = $node->safe_psql('postgres', 'SELECT count(*) FROM e WHERE NOT EXISTS (SELECT FROM naive WHERE id = v7)');

note(($wanted ? 'total: ' : '') . "$rows rows, of which the naive reader has missed $lost; $rounds rounds, $kills kills");
cmp_ok($lost, '>', 0, 'the naive reader misses rows');
is(log_count($node, qr/was terminated by signal (?!9)|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
$node->stop;
done_testing();
