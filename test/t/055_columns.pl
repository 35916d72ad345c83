# Sequences that know their columns: gid_catch_up() beside sessions that
# insert, where setval(max(id)) fails; and gid.columns beside DDL and hostile
# owners: it never waits, fails or runs their code.
#
# Each race lasts GID_RACE_SECONDS at least (0).  The counts that are printed
# are in doc/sequences-behind.md, of 60 seconds.
#
# SQL alone cannot test this: it needs sessions that run at the same time.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $seconds = $ENV{GID_RACE_SECONDS} || 0;
my $node = gid_node('main', "shared_preload_libraries = 'gid'\nlog_min_messages = log\n");

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE ROLE owner LOGIN;
EOS

# --- the race --------------------------------------------------------------

# Inserts without an id until all is over; each id is greater than the one
# before.  After a duplicate key it goes on.
my $INSERTS = <<'EOS';
DO $$
DECLARE
	this bigint;
	last bigint := 0;
	n int := 0;
	failed int := 0;
BEGIN
	LOOP
		BEGIN
			INSERT INTO race DEFAULT VALUES RETURNING id INTO this;
			n := n + 1;
			IF this <= last AND NOT (SELECT rewinds FROM kind) THEN
				RAISE 'a step back from % to %', last, this;
			END IF;
			last := this;
		EXCEPTION WHEN unique_violation THEN
			failed := failed + 1;
			UPDATE kind SET has_failed = true WHERE NOT has_failed;
		END;
		COMMIT;
		EXIT WHEN n > 100 AND (SELECT is_over FROM state);
	END LOOP;
	UPDATE state SET inserted = inserted + n, duplicates = duplicates + failed;
END $$
EOS

# Explicit ids by turns under a lock, and far ahead; each third is rolled back.
my $IMPORTS = <<"EOS";
DO \$\$
DECLARE
	top bigint;
	start timestamptz := clock_timestamp();
	i int := 0;
BEGIN
	LOOP
		i := i + 1;
		IF i % 2 = 0 THEN
			LOCK TABLE race IN SHARE ROW EXCLUSIVE MODE;
			SELECT max(id) INTO top FROM race;
		ELSE
			SELECT last_value + 100000 INTO top FROM race_id_seq;
		END IF;
		INSERT INTO race SELECT top + n FROM generate_series(1, 5) AS n;
		IF EXISTS (SELECT FROM gid_catch_up('race') WHERE NOT done) THEN
			RAISE 'gid_catch_up() has not caught up';
		END IF;
		IF i % 3 = 0 THEN
			ROLLBACK;
		ELSE
			COMMIT;
		END IF;
		EXIT WHEN i >= 60 AND clock_timestamp() - start >= interval '$seconds s';
	END LOOP;
	UPDATE state SET is_over = true, calls = i;
END \$\$
EOS

# What every recipe says, beside the same inserts, until a key is a duplicate.
my $SETVALS = <<"EOS";
DO \$\$
DECLARE
	start timestamptz := clock_timestamp();
	i int := 0;
BEGIN
	LOOP
		i := i + 1;
		PERFORM setval('race_id_seq', (SELECT max(id) FROM race));
		COMMIT;
		EXIT WHEN (SELECT has_failed FROM kind) AND clock_timestamp() - start >= interval '$seconds s';
	END LOOP;
	UPDATE state SET is_over = true, calls = i;
END \$\$
EOS

# The three inserting sessions beside another one; returns the messages of all,
# and the number of duplicate keys.
sub race
{
	my ($what, $served, $rewinds, $other) = @_;
	my @sessions = map { session($node, 'postgres') } 1 .. 4;

	$node->safe_psql('postgres', <<"EOS");
DROP TABLE IF EXISTS race, kind, state;
CREATE TABLE state AS SELECT false AS is_over, 0 AS inserted, 0 AS duplicates, 0 AS calls;
CREATE TABLE race (id bigserial PRIMARY KEY);
CREATE TABLE kind AS SELECT $rewinds AS rewinds, false AS has_failed;
EOS
	$_->safe("SET gid.serve_nextval = $served; SET statement_timeout = 0") for @sessions;
	$_->send($INSERTS) for @sessions[ 1 .. 3 ];
	$node->poll_query_until('postgres', 'SELECT count(*) > 30 FROM race') or die 'nothing is inserted';
	$sessions[0]->send($other);
	my $messages = join '', map { $_->answer } @sessions;

	end_session($_) for @sessions;
	note("$what, served $served: " . $node->safe_psql('postgres',
		"SELECT format('%s rows inserted, %s calls, %s duplicate keys', inserted, calls, duplicates) FROM state"));
	return $messages, $node->safe_psql('postgres', 'SELECT duplicates FROM state');
}

foreach my $served (qw(off on))
{
	my ($messages, $duplicates) = race('gid_catch_up()', $served, 'false', $IMPORTS);

	is($messages, '', "catch-up beside inserts, served $served: no step back");
	is($duplicates, 0, "catch-up beside inserts, served $served: no duplicate key");
	is($node->safe_psql('postgres', "SELECT behind FROM gid.columns WHERE relation = 'race'::regclass"), 'f',
		"catch-up beside inserts, served $served: the sequence is not behind");

	($messages, $duplicates) = race('setval(max(id))', $served, 'true', $SETVALS);
	is($messages, '', "setval() beside inserts, served $served: the sessions end");
	cmp_ok($duplicates, '>', 0, "setval() beside inserts, served $served: duplicate keys");
}

# --- locks -----------------------------------------------------------------

{
	my $holder = session($node, 'postgres');
	my $seen = q{SET lock_timeout = '1s'; SELECT last IS NOT NULL, "greatest" IS NOT NULL, behind FROM gid.columns WHERE relation = 'race'::regclass};

	my $greatest = q{SELECT "greatest" FROM gid.columns WHERE relation = 'race'::regclass};

	$holder->safe('BEGIN; INSERT INTO race (id) VALUES (2000000000)');
	is($node->safe_psql('postgres', $greatest), '2000000000', 'a row of an open transaction counts');
	$holder->safe('ROLLBACK');
	isnt($node->safe_psql('postgres', $greatest), '2000000000', 'and no longer when it is rolled back');
	$holder->safe('SET client_min_messages = warning; BEGIN; LOCK TABLE race IN ACCESS EXCLUSIVE MODE');
	is($node->safe_psql('postgres', $seen), 't|f|', 'the view does not wait for a table');
	sql_fails($node, 'postgres', q{SET lock_timeout = '1s'; SELECT gid_catch_up('race')}, '55P03', 'gid_catch_up() waits',
		no_detail => 1, no_hint => 1);
	$holder->safe('ROLLBACK; BEGIN; DROP SEQUENCE race_id_seq CASCADE');
	is($node->safe_psql('postgres', $seen), 'f|f|', 'nor for a table and a sequence');
	$holder->safe('ROLLBACK; BEGIN; REINDEX INDEX race_pkey');
	is($node->safe_psql('postgres', $seen), 't|f|', 'nor for an index');
	$holder->safe('ROLLBACK; CREATE TEMP TABLE of_session (id serial PRIMARY KEY); INSERT INTO of_session VALUES (5)');
	is($node->safe_psql('postgres', q{SELECT last, "greatest", behind, used FROM gid.columns WHERE relation::text ~ 'of_session'}),
		'|||', "another session's temporary table has a row, and no values");
	sql_fails($node, 'postgres', q{SELECT gid_advance(sequence, 5) FROM gid.columns WHERE relation::text ~ 'of_session'}, '0A000',
		"another session's temporary sequence is not advanced", no_detail => 1, no_hint => 1);
	end_session($holder);
}

# --- a hostile owner, and DDL -------------------------------------------------

# What the owner puts on his objects tells who runs it.
$node->safe_psql('postgres', <<'EOS');
CREATE SCHEMA hostile AUTHORIZATION owner;
SET ROLE owner;
SET search_path = hostile;
CREATE FUNCTION trap(n int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'owner' THEN
		RAISE LOG 'the trap runs as %', current_user;
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION trap_int(n int) RETURNS int IMMUTABLE RETURN CASE WHEN trap(n) THEN n END;
CREATE FUNCTION trap_compare(a int, b int) RETURNS int IMMUTABLE RETURN CASE WHEN trap(a) THEN btint4cmp(a, b) END;
RESET ROLE;
CREATE OPERATOR CLASS trap_ops FOR TYPE int USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 trap_compare(int, int);
ALTER OPERATOR CLASS trap_ops USING btree OWNER TO owner;
SET ROLE owner;
CREATE TABLE t (id serial, n int, CHECK (trap(id)));
INSERT INTO t SELECT -i FROM generate_series(1, 100) AS i;
CREATE INDEX by_class ON t (id trap_ops);
CREATE INDEX by_predicate ON t (id) WHERE trap(id);
CREATE INDEX by_expression ON t (trap_int(id), id);
CREATE INDEX good ON t (id);
ALTER TABLE t ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY trap ON t USING (trap(id));
CREATE TABLE p (id int GENERATED BY DEFAULT AS IDENTITY, k int, PRIMARY KEY (id, k)) PARTITION BY RANGE (k);
CREATE VIEW v AS SELECT id FROM t WHERE trap(id);
ALTER VIEW v ALTER id SET DEFAULT nextval('t_id_seq');
EOS
my $ddl = with_env({ PGUSER => 'owner' }, sub { start_clients($node, 'postgres', 1, <<'EOS') });
SET search_path = hostile;
ALTER TABLE t ADD more int DEFAULT 1, ALTER n TYPE bigint;
ALTER TABLE t DROP more, ALTER n TYPE int;
DROP INDEX CONCURRENTLY good;
CREATE INDEX CONCURRENTLY good ON t (id DESC);
CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (10);
CREATE TABLE gone (id serial PRIMARY KEY);
INSERT INTO p VALUES (5, 5);
INSERT INTO t VALUES (7);
DROP TABLE gone, p1;
DELETE FROM t WHERE id > 0;
ALTER SEQUENCE t_id_seq INCREMENT -1 MINVALUE -5;
ALTER SEQUENCE t_id_seq INCREMENT 1 MINVALUE 1 RESTART 1;
SELECT 'done';
EOS
my $superuser = session($node, 'postgres');
my @failed;

wait_until(300, sub {
	for (1 .. 5)
	{
		my ($out, $err) = $superuser->query(q{SELECT count(*) > 0 FROM gid.columns WHERE relation::text ~ '^hostile'; SELECT count(*) >= 0 FROM gid_catch_up()});

		push @failed, "$out $err" if "$out$err" ne "t\nt";
	}
	return @failed || written($ddl) >= 50;
});
stop_clients($ddl);
none('the view and gid_catch_up() answer beside DDL', @failed);
is(slurp_file($ddl->{errors}[0]), '', 'the owner changes his objects beside the view');
is($superuser->safe(q{SELECT string_agg(relation || ' ' || "greatest", ', ' ORDER BY relation::text) FROM gid.columns
	WHERE relation::text ~ '^hostile' AND "greatest" IS NOT NULL}), 'hostile.t -1', 'the view sees the rows');
end_session($superuser);
# entries that the view has marked as dead were dead
$node->safe_psql('postgres', 'CREATE EXTENSION amcheck');
is($node->safe_psql('postgres', <<'EOS'), 't', 'no index has lost an entry that somebody sees');
SELECT count(bt_index_check(i.indexrelid, true)) > 0 FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
	JOIN pg_am AS a ON a.oid = c.relam
WHERE a.amname = 'btree' AND c.relkind = 'i' AND i.indexrelid >= 16384 AND i.indisvalid AND c.relpersistence = 'p'
EOS
is(log_count($node, qr/the trap runs as/), 0, 'no code of the owner has run as the superuser');

$node->stop;
done_testing();
