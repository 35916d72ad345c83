# A horizon that is stored as a row serves readers on other servers: on a standby, on a
# logical replica whose tables are being copied, and a view of the primary serves those
# behind postgres_fdw.
#
# SQL alone cannot test this: it needs three servers and a storm of writers.  The statements
# are read from doc/reading-new-rows.md and doc/sharding.md.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The rows of the table before the storm, which the subscription copies, and of a page.
use constant ROWS => 50000;
use constant PAGE => 2000;

# The blocks that a chapter leaves to this test.
sub chapter
{
	my ($name) = @_;

	return slurp_file("$FindBin::RealBin/../../doc/$name.md") =~
	  /^<!-- test: run by 058_horizon_across -->\n```sql\n(.*?)^```$/msg;
}

my ($TABLE, $MOVE, $VIEW) = chapter('reading-new-rows');
my ($FOREIGN) = chapter('sharding');
my $SETTLED = join "\n", slurp_file("$FindBin::RealBin/../../doc/reading-new-rows.md") =~
  /^(CREATE (?:TABLE outbox|VIEW outbox_settled) .*;)$/mg;
# a replica gets the rows from the primary
my ($EMPTY) = $TABLE =~ /^(CREATE TABLE .*;)/m;

# What is asynchronous stays in memory: a reader must not wait for it.
my $primary = gid_node('primary', <<'EOC', allows_streaming => 'logical');
wal_writer_delay = 10s
wal_retrieve_retry_interval = 200ms
EOC
my $standby = PostgreSQL::Test::Cluster->new('standby');
# It has no gid.
my $replica = PostgreSQL::Test::Cluster->new('replica');

$primary->start;
$primary->safe_psql('postgres', "CREATE EXTENSION gid; CREATE DATABASE held; $SETTLED");
$primary->safe_psql('postgres', "$TABLE; $VIEW");
$primary->safe_psql('postgres',
	"INSERT INTO outbox (payload) SELECT 'old' FROM generate_series(1, " . ROWS . ')');
$primary->backup('base');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$replica->init(allows_streaming => 'logical');
$replica->append_conf('postgresql.conf', "autovacuum = off\nwal_retrieve_retry_interval = 200ms\n");
$replica->start;
$replica->safe_psql('postgres', "CREATE TABLE outbox (id bigint PRIMARY KEY, payload text); $EMPTY $VIEW");
$replica->safe_psql('postgres', 'CREATE DATABASE held');

my $fdw = $replica->safe_psql('postgres',
	"SELECT count(*) FROM pg_available_extensions WHERE name = 'postgres_fdw'");

$replica->safe_psql('postgres', join ';', 'CREATE EXTENSION postgres_fdw',
	sprintf("CREATE SERVER shard_0 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '%s', port '%s', dbname 'postgres')",
		$primary->host, $primary->port),
	"CREATE USER MAPPING FOR CURRENT_USER SERVER shard_0", $FOREIGN)
  if $fdw;

# Subscribes a database of the replica to both tables.
sub subscribe
{
	my ($db) = @_;

	$replica->safe_psql($db,
		sprintf "CREATE SUBSCRIPTION sub_$db CONNECTION '%s dbname=$db' PUBLICATION pub_$db", $primary->connstr);
	return;
}

# --- the storm -------------------------------------------------------------

# A reader: what it reads, where, the last id, and all ids.
sub reader
{
	my ($node, $from, %more) = @_;

	return { session => session($node, 'postgres'), from => $from, first => 0, last => $more{first} // 0,
		seen => [], before => '', after => '', %more };
}

# One page of each reader; the number of rows.
sub read_pages
{
	my $rows = 0;

	foreach my $reader (@_)
	{
		my @ids = split /\n/, $reader->{session}->safe(
			"$reader->{before} SELECT id FROM $reader->{from} WHERE id > $reader->{last} ORDER BY id LIMIT "
			  . PAGE
			  . "; $reader->{after}");

		push @{ $reader->{seen} }, @ids;
		$reader->{last} = $ids[-1] if @ids;
		$rows += @ids;
	}
	return $rows;
}

# How many rows of the table a reader has passed and not seen.
sub missed
{
	my ($reader) = @_;
	my %seen = map { $_ => 1 } @{ $reader->{seen} };

	return scalar grep { !$seen{$_} } split /\n/, $primary->safe_psql('postgres',
		"SELECT id FROM outbox WHERE id > $reader->{first} AND id <= $reader->{last}");
}

my $scheduler = session($primary, 'postgres');
my %reader = (
	'a standby' => reader($standby, 'outbox_replicated'),
	'a logical replica' => reader($replica, 'outbox_replicated'),
	$fdw ? ('postgres_fdw' => reader($replica, 'outbox_0'),
		# the remote snapshot is older than the statement
		'postgres_fdw in one transaction' => reader($replica, 'outbox_0',
			before => 'BEGIN; SELECT FROM outbox_0 LIMIT 1;', after => 'COMMIT')) : ());
my $naive = reader($standby, 'outbox', first => ROWS);
my $WRITERS = <<'EOS';
\set kind random(1, 5)
\set us random(1, 200000)
\if :kind = 1
BEGIN;
INSERT INTO outbox (payload) VALUES ('slow');
\sleep :us us
COMMIT;
\elif :kind = 2
BEGIN;
INSERT INTO outbox (payload) VALUES ('first');
\sleep :us us
INSERT INTO outbox (payload) VALUES ('second');
COMMIT;
\elif :kind = 3
BEGIN;
INSERT INTO outbox (payload) VALUES ('none');
ROLLBACK;
\else
INSERT INTO outbox (payload) VALUES ('one');
\endif
EOS

$primary->safe_psql('postgres', 'CREATE PUBLICATION pub_postgres FOR TABLE outbox, horizon');
append_to_file($primary->basedir . '/writers.sql', $WRITERS);
my $subscribed = 0;

do
{
	my $err = '';
	local %ENV = (%ENV, PGHOST => $primary->host, PGPORT => $primary->port);
	my $writers = IPC::Run::start([ 'pgbench', '-n', '-f', $primary->basedir . '/writers.sql', qw(-c 8 -R 400 -T 6 postgres) ],
		'<', \undef, '>', '/dev/null', '2>', \$err, IPC::Run::timeout(300));
	my $rounds = 0;

	while ($writers->pumpable)
	{
		$scheduler->safe($MOVE);
		read_pages(values %reader, $naive);
		if ($rounds++ == 20 && !$subscribed++)
		{
			subscribe('postgres');
		}
		$writers->pump_nb;
	}
	ok($writers->finish, 'all write') or diag($err);
} until (missed($naive) > 0 && $subscribed);

my $rows = $primary->safe_psql('postgres', 'SELECT count(*) FROM outbox');

ok(defined wait_until(180, sub {
		$scheduler->safe($MOVE);
		read_pages(values %reader);
		return !grep { @{ $_->{seen} } < $rows } values %reader;
	}), 'all rows arrive');
foreach my $name (sort keys %reader)
{
	my @seen = @{ $reader{$name}{seen} };

	is(missed($reader{$name}) . '|' . grep({ $seen[$_] <= $seen[ $_ - 1 ] } 1 .. $#seen),
		'0|0', "$name: no row is missed, and none comes twice");
}
note("total: $rows rows, of which the naive reader has missed ", missed($naive));

# --- a quiet primary -------------------------------------------------------

# Nothing else flushes WAL before the server's own next snapshot, after 15 seconds.
foreach my $round (1 .. 3)
{
	$scheduler->safe("INSERT INTO outbox (payload) VALUES ('quiet')");
	$scheduler->safe($MOVE);
	cmp_ok(wait_until(60, sub { read_pages($reader{'a standby'}) }) // 60, '<', 10, "a quiet primary, row $round: no stall");
}

# The row is written only if the horizon has moved.
is($scheduler->safe('SELECT xmin FROM horizon'), $scheduler->safe("$MOVE; SELECT xmin FROM horizon"),
	'a horizon that has not moved writes nothing');

# --- a copy that is still running ------------------------------------------

# The row that a transaction commits after the copy's snapshot, with an id before one that
# was copied, arrives later than a horizon beyond both.  Triggers hold the copy and what
# follows it.
$primary->safe_psql('held', "CREATE EXTENSION gid; $SETTLED");
$primary->safe_psql('held', $TABLE);
$primary->safe_psql('held', 'CREATE PUBLICATION pub_held FOR TABLE outbox, horizon');
$replica->safe_psql('held', <<"EOS");
CREATE TABLE outbox (id bigint PRIMARY KEY, payload text);
$EMPTY
$VIEW
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS \$\$
BEGIN
	IF NEW.payload LIKE 'hold%' THEN
		PERFORM pg_advisory_xact_lock(right(NEW.payload, 1)::int);
	END IF;
	RETURN NEW;
END \$\$;
CREATE TRIGGER hold BEFORE INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION hold();
ALTER TABLE outbox ENABLE ALWAYS TRIGGER hold;
EOS
my $holder = session($replica, 'held');
my $writer = session($primary, 'held');
my $mover = session($primary, 'held');

sub waits_for
{
	my ($lock) = @_;

	$replica->poll_query_until('held',
		"SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = $lock AND NOT granted")
	  or die 'nobody waits';
	return;
}

# The ids that a reader gets.
sub ids
{
	my ($from) = @_;

	return $replica->safe_psql('held', "SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM $from");
}

$holder->safe('SELECT pg_advisory_lock(1), pg_advisory_lock(2)');
$primary->safe_psql('held', "INSERT INTO outbox (payload) VALUES ('hold 1'), ('b')");
# without a transaction id, for which the copy would wait
$writer->safe("BEGIN; SELECT nextval('outbox_id_seq')");
$primary->safe_psql('held', "INSERT INTO outbox (payload) VALUES ('copied')");
subscribe('held');
waits_for(1);
$writer->safe("INSERT INTO outbox VALUES (3, 'hold 2'); COMMIT");
$primary->poll_query_until('held', 'SELECT gid_horizon(\'outbox_id_seq\') = 5') or die 'no horizon';
$mover->safe($MOVE) for 1 .. 2;
is($mover->safe('SELECT below FROM horizon'), 5, 'the horizon is beyond both rows');
$replica->poll_query_until('held', 'SELECT below = 5 FROM horizon') or die 'no row';
is(ids('outbox_replicated'), '', 'while the table is copied, the view is empty');
$holder->safe('SELECT pg_advisory_unlock(1)');
waits_for(2);
is(ids('outbox WHERE id < (SELECT below FROM horizon)'), '1 2 4', 'the copy is there, and lacks a row');
is(ids('outbox_replicated'), '', 'the view is still empty');
$holder->safe('SELECT pg_advisory_unlock(2)');
ok($replica->poll_query_until('held', 'SELECT count(*) > 0 FROM outbox_replicated'), 'then it has rows');
is(ids('outbox_replicated'), '1 2 3 4', 'all at once');

end_session($_) for $holder, $writer, $mover, $scheduler, $naive->{session}, map { $_->{session} } values %reader;
$replica->safe_psql($_, "DROP SUBSCRIPTION sub_$_") for 'held', 'postgres';
$_->stop for $replica, $standby, $primary;
done_testing();
