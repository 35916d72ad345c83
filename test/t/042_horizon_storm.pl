# Horizons in a storm: many writers draw and commit in every way, and readers of every
# kind follow the ids up to the horizon.  Each reader writes down which rows it has seen,
# and in the same transaction where it stands.  At the end each has seen each row once.
#
# SQL alone cannot test this: it needs sessions that overlap in an order that nobody has
# chosen.  041_horizon has each case by itself.
#
# With gid_long in PG_TEST_EXTRA the storm lasts a minute in place of four seconds, and
# the server is killed twice meanwhile.

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

my $long = ($ENV{PG_TEST_EXTRA} // '') =~ /\bgid_long\b/;

my $node = horizon_node();

sub other
{
	my ($sql) = @_;

	return $node->safe_psql('postgres', $sql);
}

my $LAST = "BEGIN ISOLATION LEVEL LEVEL;\nSELECT last AS l FROM stand_KIND WHERE reader = 'READER' FOR UPDATE \\gset\n";
my $READ_COMMITTED = $LAST =~ s/LEVEL;/READ COMMITTED;/r;
my $SEEN = "INSERT INTO seen_KIND SELECT 'READER', KIND FROM e WHERE KIND >= :l AND KIND < :h;\n";
my $STAND = "UPDATE stand_KIND SET last = greatest(last, :h) WHERE reader = 'READER';\nCOMMIT;\n";

my $PAGE = <<"EOS";
${READ_COMMITTED}WITH r AS MATERIALIZED (SELECT KIND AS id FROM settled_KIND WHERE KIND > :l ORDER BY KIND LIMIT :page), i AS (
	INSERT INTO seen_KIND SELECT 'READER', id FROM r)
SELECT coalesce((SELECT id FROM r ORDER BY id DESC LIMIT 1), :l) AS h \\gset
$STAND
EOS

# The scripts of the readers.
my %READER = (
	# several sessions take turns
	pool => "${READ_COMMITTED}SELECT coalesce(HORIZON, :l) AS h \\gset\n$SEEN$STAND",
	'index condition' => <<"EOS",
${READ_COMMITTED}WITH r AS MATERIALIZED (SELECT KIND AS id, HORIZON AS h FROM e WHERE KIND >= :l AND KIND < HORIZON), i AS (
	INSERT INTO seen_KIND SELECT 'READER', id FROM r)
SELECT coalesce(max(h::text)::TYPE, :l) AS h FROM r \\gset
$STAND
EOS
	'old snapshot' => <<"EOS",
\\set us random(0, 10000)
@{[$LAST =~ s/LEVEL;/REPEATABLE READ;/r]}\\sleep :us us
SELECT coalesce(HORIZON, :l) AS h \\gset
$SEEN$STAND
EOS
	# what the manual shows: pages of a view, from the last row's id on
	'page, READ COMMITTED' => $PAGE,
	'page, REPEATABLE READ' => $PAGE =~ s/READ COMMITTED/REPEATABLE READ/r,
	'page, SERIALIZABLE' => $PAGE =~ s/READ COMMITTED/SERIALIZABLE/r,
	'page, new session' => $PAGE,
	'page, pool' => $PAGE,
	cursor => "${READ_COMMITTED}SELECT cursor_KIND(:l) AS h \\gset\n$STAND",
	procedure => "CALL read_KIND();\n",
	# the greatest id in place of the horizon
	naive => <<"EOS");
${READ_COMMITTED}SELECT coalesce((SELECT max(KIND::text)::TYPE FROM e WHERE KIND > :l), :l) AS h \\gset
INSERT INTO seen_KIND SELECT 'READER', KIND FROM e WHERE KIND > :l AND KIND <= :h;
$STAND
EOS

# A text with the names of a kind of id.
sub fill
{
	my ($text, $kind, $reader) = @_;

	$text =~ s/HORIZON/$HORIZON{$kind}/g;
	$text =~ s/KIND/$kind/g;
	$text =~ s/TYPE/$TYPE{$kind}/g;
	$text =~ s/READER/$reader/g if defined $reader;
	return $text;
}

# Which kinds a reader reads.
sub kinds_of
{
	my ($reader) = @_;

	return $reader eq 'naive' ? 'v7' : @KINDS;
}

other(<<'EOS' . join '', map { fill(<<'EOK', $_) } @KINDS);
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
CREATE INDEX ON e (KIND);
CREATE VIEW settled_KIND AS SELECT KIND FROM e WHERE KIND < (SELECT HORIZON);
CREATE TABLE seen_KIND (reader text, id TYPE);
CREATE TABLE stand_KIND (reader text PRIMARY KEY, last TYPE NOT NULL);
CREATE FUNCTION cursor_KIND(l TYPE) RETURNS TYPE LANGUAGE plpgsql AS $$
DECLARE
	c CURSOR FOR SELECT KIND AS id, HORIZON AS h FROM e WHERE KIND >= l AND KIND < HORIZON;
	h TYPE := l;
	r record;
BEGIN
	OPEN c;
	-- here the session learns more than the cursor may use
	PERFORM HORIZON;
	LOOP
		FETCH c INTO r;
		EXIT WHEN NOT FOUND;
		INSERT INTO seen_KIND VALUES ('cursor', r.id);
		h := r.h;
	END LOOP;
	RETURN h;
END $$;
CREATE PROCEDURE read_KIND() LANGUAGE plpgsql AS $$
DECLARE
	stands TYPE;
	h TYPE;
BEGIN
	FOR i IN 1 .. 2 LOOP
		h := HORIZON;
		SELECT last INTO stands FROM stand_KIND WHERE reader = 'procedure';
		INSERT INTO seen_KIND SELECT 'procedure', KIND FROM e WHERE KIND >= stands AND KIND < h;
		UPDATE stand_KIND SET last = greatest(last, h) WHERE reader = 'procedure';
		COMMIT;
	END LOOP;
END $$;
EOK

foreach my $reader (keys %READER)
{
	other(join '', map {
		my $zero = $TYPE{$_} eq 'uuid' ? '00000000-0000-0000-0000-000000000000' : 0;

		"INSERT INTO stand_$_ VALUES ('$reader', '$zero');"
	} kinds_of($reader));
}

# pgbench 16.2 evaluates an \if inside a branch that it skips: with 99 that \if is false.
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

# Ends what writers have prepared.  One that is just being prepared is an error.
my $FINISHER = <<'EOS' x 100;
SELECT CASE WHEN random() < 0.3 THEN 'ROLLBACK' ELSE 'COMMIT' END || format(' PREPARED %L', gid)
FROM pg_prepared_xacts WHERE gid LIKE 'other%' ORDER BY random() LIMIT 1 \gexec
SELECT pg_sleep(0.001) \g /dev/null
EOS

sub start_pgbench
{
	my ($name, $script, @options) = @_;
	my $file = $node->basedir . "/$name.sql";
	my $err = '';

	append_to_file($file, $script) unless -e $file;
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port, PGOPTIONS => '-c statement_timeout=0');
	my $run = IPC::Run::start([ 'pgbench', '-n', '-f', $file, @options, 'postgres' ],
		'<', \undef, '>', '/dev/null', '2>', \$err, IPC::Run::timeout(900));
	return { name => $name, run => $run, err => \$err };
}

# Waits for programs; returns the errors of those that failed.
sub finish
{
	return map { $_->{run}->finish ? () : "$_->{name}: ${ $_->{err} }" } @_;
}

sub start_readers
{
	my (@options) = @_;

	return map {
		my $reader = $_;

		start_pgbench($reader, join('', map { fill($READER{$reader}, $_, $reader) } kinds_of($reader)),
			'-M', 'prepared', '-c', $reader =~ /pool/ ? 3 : 1, $reader =~ /new session/ ? '-C' : (), @options)
	} sort keys %READER;
}

# How many rows a reader has not seen, and how many it has seen twice.
sub judge
{
	my ($reader, $kind) = @_;

	return other(<<"EOS");
SELECT (SELECT count(*) FROM e WHERE NOT EXISTS (SELECT FROM seen_$kind AS s WHERE s.reader = '$reader' AND s.id = e.$kind)),
	(SELECT count(*) - count(DISTINCT id) FROM seen_$kind WHERE reader = '$reader')
EOS
}

# The server is killed while all write and read.
sub kill_all
{
	my (@programs) = @_;

	# all at once: the server's own assertions do not allow for a postmaster that is
	# gone while a backend ends parallel workers
	freeze_server($node);
	kill9_server($node);
	thaw_servers();
	finish(@programs);
	$node->start;
	# while transactions are prepared from before, and afterwards
	finish(start_readers('-t', 3, '-D', 'page=1000000'));
	return;
}

# Ends what is prepared; each reader reads up to the end.
sub come_to_an_end
{
	other("COMMIT PREPARED '$_'") for split /\n/, other('SELECT gid FROM pg_prepared_xacts');
	sleep(0.002);
	none('the readers read to the end', finish(start_readers('-t', 3, '-D', 'page=1000000')));
	return;
}

my $kills = $long ? 2 : 0;
my $lost = 0;
my $rows = 0;
my $polls = 0;
my $nulls = 0;

for my $run (0 .. $kills)
{
	do
	{
		my $end = monotonic() + ($long ? 20 : 4);
		my @time = ('-T', $long ? 20 : 4);

		# the server's first call says nothing until the transactions that it finds have ended
		other("SELECT gid_horizon('e_serial_seq')");

		my @programs =
		  (start_pgbench('writers', $WRITERS, '-c', 10, '-j', 2, @time), start_readers('-R', 50, '-D', 'page=50', @time));
		my $finisher = start_clients($node, 'postgres', 1, $FINISHER);

		do
		{
			# a session that is ended in the middle of a transaction
			my $gone = session($node, 'postgres');

			$gone->send("BEGIN; $INSERT; SELECT pg_terminate_backend(pg_backend_pid())");
			last_words($gone);
			end_session($gone);
			for (1 .. 5)
			{
				$polls++;
				$nulls++ if other("SELECT gid_horizon('e_serial_seq')") eq '';
			}
		} while (monotonic() < $end - 1);
		$run < $kills ? kill_all(@programs) : none('all write and read', finish(@programs));
		stop_clients($finisher);
		come_to_an_end();
		$rows = other('SELECT count(*) FROM e');
		($lost) = split /\|/, judge('naive', 'v7');
	} until ($lost > 0 && $rows >= 500);
}
foreach my $reader (grep { $_ ne 'naive' } sort keys %READER)
{
	is(judge($reader, $_), '0|0', "$_, $reader: no row is missed, and none comes twice") for kinds_of($reader);
}
ok($polls > 0 && $nulls <= 0.02 * $polls, "a fresh session is told a horizon, in all but $nulls of $polls polls");
note("$rows rows, of which the naive reader has missed $lost; $kills kills");
is(log_count($node, qr/was terminated by signal (?!9)|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
$node->stop;
done_testing();
