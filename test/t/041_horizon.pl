# Horizons: a reader that follows ids up to the horizon misses no row.
#
# SQL alone cannot test this: it needs transactions that overlap, sessions that are
# ended, prepared transactions over a restart, and a promotion.  sql/horizon.sql has what
# one session shows, and 042_horizon_storm many writers and readers.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidHorizon;
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $node = horizon_node(allows_streaming => 1);

$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION gid');

my $DRAW = 'SELECT gid_uuid_v7(), gid_uuid_sequential(), gid_snowflake_id(),'
  . " gid_next('ids'), nextval('e_serial_seq')";

# The block of a chapter that this test runs.
sub chapter
{
	my ($name) = @_;

	return (slurp_file("$FindBin::RealBin/../../doc/$name.md")
		  =~ /^<!-- test: run by 041_horizon -->\n```sql\n(.*?)^```$/ms)[0];
}

# --- 1. The fault, as doc/reading-new-rows.md shows it -----------------------

my @window = (undef, map { session($node, 'postgres') } 1 .. 2);
my $now = 1;
my @said;

foreach my $line (grep { /\S/ } split /\n/, chapter('reading-new-rows'))
{
	$now = $1 if $line =~ /-- window (\d)/;
	push @said, $window[$now]->safe($line);
}
is("$said[-3]|$said[-1]", '2|', 'a reader that remembers the greatest id loses a row');
end_session($_) for @window[ 1, 2 ];

# --- 2. What holds a horizon back ------------------------------------------

my $writer = session($node, 'postgres');
my $reader = session($node, 'postgres');

# A statement of another session, in a transaction of its own.
sub other
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', $sql);
}

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

# A case: what holds every horizon back, before another row, and what ends that.
sub holds
{
	my ($name, $begin, $end) = @_;

	$writer->safe("BEGIN; $begin");
	other($INSERT);
	is(passed($reader), 'f f f f f', "$name: every horizon stays behind");
	ref $end ? $end->() : $writer->safe($end);
	is(passed($reader), 't t t t t', "$name: and goes on");
	return;
}

# Returns when a session waits for a lock.
sub somebody_waits
{
	my ($condition) = @_;

	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND $condition")
	  or die 'nobody waits';
	return;
}

$writer->safe($INSERT);
is(passed($reader), 't t t t t', 'a committed row is below every horizon');
holds('an open transaction', $INSERT, 'COMMIT');
holds('a rollback', $INSERT, 'ROLLBACK');
holds('draws without a row', $DRAW, 'COMMIT');
holds('a savepoint that is rolled back', "SAVEPOINT a; $INSERT; ROLLBACK TO a", 'COMMIT');
holds('a COPY', "\n\\copy e (what) FROM PROGRAM 'echo x'", 'COMMIT');
holds('a prepared transaction', "$INSERT; PREPARE TRANSACTION 'p'", "COMMIT PREPARED 'p'");
holds('a session that is ended', $INSERT, sub {
	other('SELECT pg_terminate_backend(' . $writer->safe('SELECT pg_backend_pid()') . ', 60000)');
	end_session($writer);
	$writer = session($node, 'postgres');
});
holds('a prepared transaction whose session is gone', "$INSERT; PREPARE TRANSACTION 'p'", sub {
	end_session($writer);
	$writer = session($node, 'postgres');
	other("ROLLBACK PREPARED 'p'");
});

# A worker makes no id that has a horizon: its rows would be its leader's.
{
	my $leader = session($node, 'postgres');

	other(<<'EOS');
CREATE TABLE many AS SELECT generate_series(1, 20000) AS n;
ANALYZE many;
CREATE FUNCTION mislabelled() RETURNS uuid LANGUAGE plpgsql PARALLEL SAFE AS $$ BEGIN RETURN gid_uuid_v7(); END $$;
EOS
	$leader->safe('SET parallel_leader_participation = off');
	error_like(($leader->query('SELECT count(id) FROM (SELECT mislabelled() AS id FROM many OFFSET 0) AS m'))[1],
		'25000', 'a function that is labelled wrongly fails in a worker');
	end_session($leader);
}
{
	my $other = session($node, 'other');

	$other->safe('BEGIN; CREATE TABLE t (); SELECT gid_uuid_v7(), gid_uuid_sequential(), gid_snowflake_id()');
	other($INSERT);
	is(passed($reader), 't t t t t', 'a transaction of another database holds nothing back');
	is(other('SELECT count(*) FROM gid.stat_horizon'), '0', 'and is not shown');
	end_session($other);
}
$reader->safe("BEGIN; $INSERT");
is(passed($reader), 'f f f f f', 'the own transaction does');
# now there are later transactions that have ended
other($INSERT) for 1 .. 2;
passed($reader);
is(join(' ', map { $reader->safe(<<"EOS") } @KINDS), 'f f f f f', 'also when its id is before those of others');
SELECT bool_or($_ < h) FROM e, (SELECT $HORIZON{$_} AS h OFFSET 0) AS h WHERE xmin = pg_current_xact_id()::xid
EOS
$reader->safe('ROLLBACK');

$writer->safe("BEGIN; $INSERT");
is(other(<<'EOS'), join("\n", map { "$_|t|idle in transaction|t" }
SELECT coalesce(sequence::text, kind) COLLATE "C", pid > 0, state, since < now() FROM gid.stat_horizon ORDER BY 1
EOS
	qw(e_serial_seq ids snowflake_id uuid_sequential uuid_v7)), 'the view names the session, for each kind');
other('CREATE ROLE plain_user');
is(other('SET ROLE plain_user; SELECT DISTINCT kind, sequence::text, pid > 0, state, since, bound FROM gid.stat_horizon ORDER BY 2 DESC NULLS LAST'),
	"sequence|ids|t|||\nsequence|e_serial_seq|t|||\n||t|||", 'a role without rights sees processes, and the locks that pg_locks shows');
$writer->safe('COMMIT');

# An imported snapshot is older than what the session knows.
{
	my $snapshot = $writer->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT pg_export_snapshot()');

	other($INSERT) for 1 .. 2;
	passed($reader);
	$reader->safe("BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '$snapshot'");
	my %first = map { $_ => $reader->safe("SELECT $HORIZON{$_}") } @KINDS;

	foreach my $kind (@KINDS)
	{
		my $last = other("SELECT $kind FROM e ORDER BY $kind DESC LIMIT 1");

		ok($first{$kind} eq '' || ($TYPE{$kind} eq 'uuid' ? $first{$kind} le $last : $first{$kind} <= $last),
			"$kind: a snapshot from before a commit has a horizon before its row");
	}
	other($INSERT);
	is($reader->safe("SELECT $HORIZON{v7}"), $first{v7}, 'and the same at each call');
	$_->safe('COMMIT') for $reader, $writer;
}

# A snapshot names a running transaction that has more subtransactions than it holds.
$writer->safe("BEGIN; $INSERT; DO \$\$BEGIN FOR i IN 1..100 LOOP BEGIN $INSERT; EXCEPTION WHEN division_by_zero THEN END; END LOOP; END\$\$");
other($INSERT);
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
$writer->safe('COMMIT');
is(passed($reader), 'f f f f f', 'a transaction with many subtransactions ends after a snapshot');
$reader->safe('COMMIT');

# A transaction without an id may end meanwhile, and the snapshot keeps its horizon.
$writer->safe('BEGIN; SELECT gid_uuid_v7()');
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
my $first = $reader->safe("SELECT $HORIZON{v7}");
$writer->safe('COMMIT');
is($reader->safe("SELECT $HORIZON{v7}"), $first, 'a snapshot has one horizon');
$reader->safe('COMMIT');

# So has a cursor, or none when the session was given many others since.
$writer->safe('BEGIN; SELECT gid_uuid_v7()');
$reader->safe("BEGIN; DECLARE c CURSOR FOR SELECT $HORIZON{v7} FROM generate_series(1, 3)");
$first = $reader->safe('FETCH c');
$writer->safe('COMMIT');
other($INSERT);
$reader->safe("SELECT $HORIZON{v7}");
is($reader->safe('FETCH c'), $first, 'a cursor has one horizon');
for (1 .. 8) { other('SELECT pg_current_xact_id()'); $reader->safe("SELECT $HORIZON{v7}"); }
is($reader->safe('FETCH c'), '', 'and none when the session has forgotten it');
$reader->safe('COMMIT');

# A session learns more of a sequence than a cursor, which is older, may use.
other("CREATE SEQUENCE cursed; SELECT nextval('cursed')");
$writer->safe("BEGIN; SELECT nextval('cursed'), pg_current_xact_id()");
$reader->safe("BEGIN; DECLARE c CURSOR FOR SELECT gid_horizon('cursed')");
$writer->safe('COMMIT');
is($reader->safe("SELECT gid_horizon('cursed')"), '3', 'a later statement has a horizon');
cmp_ok($reader->safe('FETCH c') || 0, '<=', 2, 'and the cursor has none that is beyond its snapshot');
$reader->safe('COMMIT');

# gid_horizon_wait()
$writer->safe("BEGIN; $INSERT");
sql_fails($node, 'postgres', "CALL gid_horizon_wait('ids', '1 ms')", '57014', 'a wait ends with its time');
sql_fails($node, 'postgres', "SET statement_timeout = '100ms'; CALL gid_horizon_wait('ids', '20 s')", '57014', 'and by another error',
	no_detail => 1, no_hint => 1, text => qr/statement timeout/);
$reader->send("CALL gid_horizon_wait('ids', '60 s'); SELECT gid_horizon('ids') > max(next) FROM e;");
somebody_waits("locktype = 'virtualxid'");
is(other("SELECT backend_xmin IS NULL FROM pg_stat_activity WHERE query LIKE 'CALL gid_horizon_wait%' AND pid <> pg_backend_pid()"),
	't', 'who waits holds no snapshot');
$writer->safe('COMMIT');
is(($reader->answer)[0], 't', 'the wait ends with the transaction, and the horizon is beyond its row');

# Whoever waits for a migration holds no lock that the migration needs.
other('CREATE SEQUENCE migrated');
foreach my $question ("SELECT gid_horizon('migrated')", "CALL gid_horizon_wait('migrated', '60 s')")
{
	$writer->safe('BEGIN; ALTER SEQUENCE migrated INCREMENT 1');
	$reader->send($question);
	somebody_waits("relation = 'migrated'::regclass");
	sql_fails($node, 'postgres', "CALL gid_horizon_wait('migrated', '1 ms')", '57014', 'nor is a wait for it longer than its time');
	$writer->safe('DROP SEQUENCE migrated; ROLLBACK');
	is(($reader->answer)[1], '', 'no deadlock with ALTER and DROP SEQUENCE');
}

# A descending sequence: everything is mirrored.
other("CREATE SEQUENCE down INCREMENT -1; SELECT nextval('down')");
$reader->safe("SELECT gid_horizon('down')");
$writer->safe("BEGIN; SELECT nextval('down')");
other("SELECT nextval('down')");
$reader->safe("SELECT gid_horizon('down')");
cmp_ok($reader->safe("SELECT gid_horizon('down')"), '>=', -2, 'an open transaction holds a descending sequence back');
$writer->safe('COMMIT');
$reader->safe("SELECT gid_horizon('down')");
is($reader->safe("SELECT gid_horizon('down')"), '-4', 'until its end');

# Many sequences in one session, which remembers 256 of them and keeps no lock.
{
	my $all = "SELECT count(h), count(DISTINCT h), min(h), max(h) FROM"
	  . " (SELECT gid_horizon(('many_' || i)::regclass) AS h FROM generate_series(1, 300) AS i OFFSET 0) AS m";

	other("CREATE SEQUENCE plain; ALTER SEQUENCE plain OWNER TO plain_user; SELECT gid_horizon('plain')");
	other(<<'EOS');
DO $$ BEGIN FOR i IN 1 .. 300 LOOP EXECUTE format('CREATE SEQUENCE many_%s', i); END LOOP; END $$;
SELECT nextval('many_' || i) FROM generate_series(1, 300) AS i;
EOS
	is($reader->safe($all), '256|1|2|2', '256 sequences have their horizons in a transaction');
	$writer->safe("BEGIN; SELECT nextval('many_77')");
	other("SELECT nextval('many_' || i) FROM generate_series(1, 300) AS i");
	is($reader->safe("BEGIN; $all"), '255|1|3|3', 'one that has given way to others has no horizon while it is held back');
	is($reader->safe("SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation::regclass::text LIKE 'many_%'"),
		'0', 'no lock on them is kept');
	$reader->safe('COMMIT');
	$writer->safe('COMMIT');
	$reader->safe($all);
	is($reader->safe($all), '256|2|3|4', 'until its end');
	is($reader->safe("SELECT gid_horizon('many_300'); SELECT gid_horizon('many_299')"), "3\n3",
		'the others have theirs in the next transactions');
	is($reader->safe('SELECT count(*), min(evictions) >= 300 - 64 FROM gid.stat_readers'), '64|t',
		'the server follows 64, and counts those that gave way');
	is($reader->safe("SELECT count(*) FROM gid.stat_readers WHERE sequence = 'plain'::regclass"), '1',
		"sequences of the owner who has the most gave way, not another's");
	other('DROP SEQUENCE plain');
}

# What one session has found, others use at once.
other("CREATE SEQUENCE shared; SELECT nextval('shared')");
$reader->safe("SELECT gid_horizon('shared')");
$writer->safe("BEGIN; SELECT nextval('shared')");
other("SELECT nextval('shared')");
is(other("SELECT gid_horizon('shared')"), '2', 'a new session has a horizon beside an open transaction');
is(other(<<'EOS'), '2|2|1|t', 'the view says that one transaction holds two values back');
SELECT horizon, behind, holders, lag BETWEEN '0' AND clock_timestamp() - asked + '1 min' FROM gid.stat_readers
WHERE sequence = 'shared'::regclass
EOS
is(other('SET ROLE plain_user; SELECT count(*) FROM gid.stat_readers'), '0', 'which a role without rights does not see');
$writer->safe('COMMIT');
is(other("SELECT gid_horizon('shared')"), '4', 'the next session goes on');

# Set back: no session goes on from what was known before.
for my $back ("SELECT setval('shared', 1, false)", "LOAD 'gid'; SET gid.serve_nextval = on; SELECT setval('shared', 1, false)",
	'ALTER SEQUENCE shared RESTART')
{
	other("SELECT setval('shared', 100)");
	is($reader->safe("SELECT gid_horizon('shared')"), '101', "$back: before");
	other($back);
	$writer->safe("BEGIN; SELECT nextval('shared')");
	is(other("SELECT gid_horizon('shared')"), '', 'a session that asks first is told nothing');
	is($reader->safe("SELECT gid_horizon('shared')"), '', 'nor is one that was told a horizon before');
	$writer->safe('COMMIT');
	is($reader->safe("SELECT gid_horizon('shared')"), '2', 'until the transaction ends');
}
# One answer for a snapshot, also over a change of the sequence.
other("CREATE SEQUENCE changing; SELECT nextval('changing') FROM generate_series(1, 1000)");
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
is($reader->safe("SELECT gid_horizon('changing')"), '1001', 'a horizon before ALTER SEQUENCE of another session');
other('ALTER SEQUENCE changing RESTART 5');
is($reader->safe("SELECT gid_horizon('changing')"), '1001', 'the same afterwards in the same snapshot');
$reader->safe("COMMIT; SELECT gid_horizon('changing')");
is($reader->safe("SELECT gid_horizon('changing')"), '5', 'and a new one in a later snapshot');

# --- 3. Restart, promotion -------------------------------------------------

# A crash does not set a sequence back below a horizon that was told, also where the only
# transaction that drew was rolled back, so that its WAL was not flushed.
$writer->safe("CREATE SEQUENCE crashed; SELECT nextval('crashed') FROM generate_series(1, 20)");
$writer->safe("CHECKPOINT; BEGIN; SELECT nextval('crashed') FROM generate_series(1, 200); ROLLBACK");
my $told = $reader->safe("SELECT gid_horizon('crashed')");
kill9_server($node);
$_->kill for $writer, $reader;
$node->start;
is($told, 221, 'a horizon is told');
cmp_ok(other("SELECT nextval('crashed')"), '>=', $told, 'and no smaller value comes after a crash');

# Which horizons of words are NULL?
my $NULLS = 'SELECT ' . join ', ', map { "$HORIZON{$_} IS NULL" } qw(v7 sequential snowflake);

other("BEGIN; $INSERT; PREPARE TRANSACTION 'over'");
foreach my $how ('restart', 'kill')
{
	$how eq 'restart' ? $node->stop : kill9_server($node);
	$node->start;
	is(other($NULLS), 't|t|t', "after a $how nothing is said while a transaction is prepared that was before");
	is(other("SELECT count(*), count(bound) FROM gid.stat_horizon WHERE prepared = 'over'"), '5|0',
		'the view names it, without a bound');
}
# Its place serves another one before a reader asks, whose snapshot is older.
$reader = session($node, 'postgres');
$reader->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
other("COMMIT PREPARED 'over'; BEGIN; $INSERT; PREPARE TRANSACTION 'again'");
is($reader->safe($NULLS), 't|t|t', 'nothing is said in a snapshot in which it has not ended');
$reader->safe('COMMIT');
other($INSERT);
# of a sequence a new session knows nothing yet
is(passed($reader), ' f  f f', 'a transaction that was prepared since holds back no more than its ids');
other("ROLLBACK PREPARED 'again'");
is(passed($reader), 't t t t t', 'and all is said when it has ended');
end_session($reader);

my $standby = PostgreSQL::Test::Cluster->new('standby');

$node->backup('base');
$standby->init_from_backup($node, 'base', has_streaming => 1);
gid_set($standby, 'gid.node_no', 2);
$standby->start;
other("$INSERT; BEGIN; $INSERT; PREPARE TRANSACTION 'promoted'");
$node->wait_for_catchup($standby);

# A block that is being reserved, while its record waits for a standby: the session that
# reserves it ends before another one draws from it.
{
	my ($first, $second) = map { session($node, 'postgres') } 1 .. 2;

	$first->safe("CREATE SEQUENCE block; LOAD 'gid'");
	gid_reload($node, 'synchronous_standby_names', '*');
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
	is(other("SELECT next IS NULL FROM gid.stat_sequences WHERE sequence = 'block'::regclass"), 't', 'there is no more');
	cmp_ok($reader->safe("SELECT gid_horizon('block')"), '<=', 2, 'which holds the horizon back');
	end_session($_) for $first, $second, $reader;
}
gid_reload($node, 'synchronous_standby_names', '');
sql_fails($standby, 'postgres', $_, '55000', "on a standby: $_")
  for "SELECT $HORIZON{v7}", "SELECT $HORIZON{next}", "CALL gid_horizon_wait('ids', '1 s')";
{
	my $old = session($standby, 'postgres');

	$old->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
	$standby->promote;
	error_like(($old->query("SELECT $HORIZON{v7}"))[1], '55000', 'none for a snapshot of recovery');
	end_session($old);
}
is($standby->safe_psql('postgres', $NULLS), 't|t|t', 'after a promotion a prepared transaction counts');
$standby->safe_psql('postgres', "COMMIT PREPARED 'promoted'");
$reader = session($standby, 'postgres');
# The primary's ids may have been ahead of the clock, after its restarts, and this
# server's horizons follow its own ids.
ok(defined wait_until(60, sub { $reader->safe($INSERT); passed($reader) eq 't t t t t' }),
	'and all is said when it has ended');
end_session($reader);
$standby->stop;
other("ROLLBACK PREPARED 'promoted'");
is(log_count($node, qr/was terminated by signal (?!9)|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
$node->stop;
done_testing();
