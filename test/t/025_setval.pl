# A draw obeys every setval() that came before its transaction, while other sessions
# draw, reserve batches and blocks for other servers, and call nextval().  No value
# comes twice meanwhile.
#
# SQL alone cannot test this: it needs backends that draw at the same time, and a
# server with wal_level = minimal.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	CLIENTS => 4,
	ROUNDS => 150,
	STEP => 1000000,
};

my $node = gid_node('main', <<'EOC');
wal_level = minimal
max_wal_senders = 0
wal_skip_threshold = 0
synchronous_commit = off
gid.authority = 1
EOC
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

# ---- a setval() among others who draw ----

# The calls that write the page or the blocks.
my $DRAW = "SELECT CASE WHEN :r < 40 THEN gid_next('s') WHEN :r < 70 THEN nextval('s')"
  . " WHEN :r < 90 THEN (SELECT max(n) FROM gid_next_many('s', 5) AS n)"
  . " ELSE (SELECT start FROM gid.authority_block('public', 's', 3)) END;";

# Whoever draws for the first time after a setval() gets more; $late are those
# who did not.
sub rounds
{
	my ($name, $late) = @_;
	my @sessions = map { session($node) } 1 .. 2;
	my ($in, $out) = ('', '');
	my $file = "$PostgreSQL::Test::Utils::tmp_check/$name.sql";

	append_to_file($file,
		"\\set r random(0, 99)\nINSERT INTO drawn $DRAW\n");
	my $bench = IPC::Run::start(
		[ 'pgbench', '-n', '-f', $file, '-c', CLIENTS, '-T', 600,
			'-h', $node->host, '-p', $node->port, 'postgres' ],
		'<', \$in, '>', \$out, '2>', \$out);

	$node->poll_query_until('postgres', 'SELECT EXISTS (SELECT FROM drawn)')
	  or die 'nobody draws';
	for my $round (1 .. ROUNDS)
	{
		my $set = $round * STEP;

		# once in a while to where a reservation has put it already
		$sessions[0]->safe("SELECT setval('s', $set)") if $round % 4;
		$sessions[0]->safe("SELECT setval('s', greatest(last_value, $set)) FROM s")
		  unless $round % 4;
		for my $session (@sessions)
		{
			my $id = $session->safe("SELECT gid_next('s')");

			push @$late, "$id after $set" if $id <= $set;
		}
		last unless $bench->pumpable;
	}
	$bench->signal('TERM');
	$bench->finish;
	end_session($_) for @sessions;
	return;
}

# With blocks as the pace makes them, and with single values.
for my $max (65536, 1)
{
	my @late;

	gid_set($node, 'gid.max_block_size', $max);
	$node->reload;
	$node->safe_psql('postgres', <<"EOS");
		DROP SEQUENCE IF EXISTS s;
		DROP TABLE IF EXISTS drawn;
		CREATE SEQUENCE s;
		CREATE TABLE drawn (id bigint PRIMARY KEY);
EOS
	rounds("blocks_$max", \@late);
	is(join(', ', @late[ 0 .. ($#late < 4 ? $#late : 4) ]),
		'', "blocks of up to $max: draws obey setval()");
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM drawn WHERE id > ' . STEP),
		'>', 10, "blocks of up to $max: the others have drawn meanwhile");
}
unlike(slurp_file($node->logfile), qr/duplicate key/, 'no value came twice');

# ---- a sequence that writes no WAL ----

# with blocks again
gid_set($node, 'gid.max_block_size', 65536);
$node->reload;

# setval() leaves no trace on its page; so its blocks have one value.
is( $node->safe_psql('postgres', <<'EOS'),
	BEGIN;
	CREATE SEQUENCE fresh;
	SELECT gid_next('fresh');
	SELECT gid_next('fresh');
	SELECT setval('fresh', 500);
	COMMIT;
	SELECT gid_next('fresh');
EOS
	"1\n2\n500\n501", 'setval() in the transaction that made the sequence');

# The new file of an older sequence writes no WAL, while the old file, which a
# rollback would bring back, is logged up to the end of the block.
is( $node->safe_psql('postgres', <<'EOS'),
	CREATE SEQUENCE altered;
	BEGIN;
	ALTER SEQUENCE altered RESTART 7;
	SELECT gid_next('altered');
	SELECT gid_next('altered');
	SELECT gid_next('altered');
	SELECT setval('altered', 500);
	COMMIT;
	SELECT gid_next('altered');
EOS
	"7\n8\n9\n500\n501", 'setval() in the transaction that altered the sequence');

# A fixture: explicit rows, and a setval() to the greatest.
is( $node->safe_psql('postgres', <<'EOS'),
	CREATE TABLE f (id bigint PRIMARY KEY, w text);
	CREATE SEQUENCE fq OWNED BY f.id;
	ALTER TABLE f ALTER id SET DEFAULT gid_next('fq');
	INSERT INTO f (w) VALUES ('before');
	BEGIN;
	TRUNCATE f RESTART IDENTITY;
	INSERT INTO f (w) VALUES ('one');
	INSERT INTO f VALUES (2, 'explicit'), (3, 'explicit');
	SELECT setval('fq', 3);
	INSERT INTO f (w) VALUES ('two');
	COMMIT;
	SELECT array_agg(id ORDER BY id) FROM f;
EOS
	"3\n{1,2,3,4}", 'setval() between the rows of the transaction that truncated the table');

# The transaction itself goes on with its values, also where it draws from two
# sequences in turn.
is( $node->safe_psql('postgres', <<'EOS'),
	BEGIN;
	CREATE SEQUENCE one;
	CREATE SEQUENCE two;
	SELECT max(gid_next('one')), max(gid_next('two')) FROM generate_series(1, 1000);
	COMMIT;
EOS
	'1000|1000', 'a transaction that made two sequences loses no value of them');

done_testing();
