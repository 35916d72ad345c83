# A draw obeys every setval() that came before its transaction, while other
# sessions draw, reserve batches and blocks for other servers, and call
# nextval().  No value comes twice meanwhile.
#
# SQL alone cannot test this: it needs backends that draw at the same time, and
# a server with wal_level = minimal.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Utils;
use Test::More;

use constant { ROUNDS => 150, STEP => 1000000 };

my $node = gid_node('main', <<'EOC');
wal_level = minimal
max_wal_senders = 0
wal_skip_threshold = 0
synchronous_commit = off
EOC
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

# ---- a setval() among others who draw ----

# The calls that write the page or the blocks.
my $DRAW = "INSERT INTO drawn SELECT CASE WHEN r < 0.4 THEN gid_next('s') WHEN r < 0.7 THEN nextval('s')"
  . " WHEN r < 0.9 THEN (SELECT max(n) FROM gid_next_many('s', 5) AS n)"
  . " ELSE (SELECT start FROM gid.authority_block('public', 's', 3)) END FROM random() AS r;\n";

# With blocks as the rate makes them, and with single values.
for my $max (65536, 1)
{
	my @late;

	gid_reload($node, 'gid.max_block_size', $max);
	$node->safe_psql('postgres', 'DROP SEQUENCE IF EXISTS s; DROP TABLE IF EXISTS drawn;'
		  . ' CREATE SEQUENCE s; CREATE TABLE drawn (id bigint PRIMARY KEY)');
	my $clients = start_clients($node, 'postgres', 4, $DRAW x 100);
	my @sessions = map { session($node, 'postgres') } 1 .. 2;

	$node->poll_query_until('postgres', 'SELECT EXISTS (SELECT FROM drawn)') or die 'nobody draws';
	for my $round (1 .. ROUNDS)
	{
		my $set = $round * STEP;

		# once in a while to where a reservation has put it already
		$sessions[0]->safe($round % 4 ? "SELECT setval('s', $set)" : "SELECT setval('s', greatest(last_value, $set)) FROM s");
		for my $session (@sessions)
		{
			my $id = $session->safe("SELECT gid_next('s')");

			push @late, "$id after $set" if $id <= $set;
		}
	}
	stop_clients($clients);
	end_session($_) for @sessions;
	none("blocks of up to $max: draws obey setval()", @late);
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM drawn WHERE id > ' . STEP),
		'>', 10, "blocks of up to $max: the others have drawn meanwhile");
	none("blocks of up to $max: no value came twice", grep { $_ ne '' } map { slurp_file($_) } @{ $clients->{errors} });
}

# ---- a sequence that writes no WAL ----

# Its setval() leaves no trace on the page, which therefore never stands beyond
# the value that was drawn last.
gid_reload($node, 'gid.max_block_size', 65536);
is($node->safe_psql('postgres', <<'EOS'), "100\n100\n101\n500\n501", 'setval() in the transaction that made the sequence');
BEGIN;
CREATE SEQUENCE fresh;
SELECT max(gid_next('fresh')) FROM generate_series(1, 100);
SELECT setval('fresh', last_value) FROM fresh;
SELECT gid_next('fresh');
SELECT setval('fresh', 500);
COMMIT;
SELECT gid_next('fresh');
EOS

# The new file of an older sequence writes no WAL, while the old file, which a
# rollback would bring back, is logged up to the end of the block.
is($node->safe_psql('postgres', <<'EOS'), "7\n8\n500\n501", 'setval() in the transaction that altered the sequence');
CREATE SEQUENCE altered;
BEGIN;
ALTER SEQUENCE altered RESTART 7;
SELECT gid_next('altered');
SELECT gid_next('altered');
SELECT setval('altered', 500);
COMMIT;
SELECT gid_next('altered');
EOS

# The transaction itself goes on with its values, also where it draws from two
# sequences in turn.
is($node->safe_psql('postgres', <<'EOS'), '1000|1000', 'a transaction that made two sequences loses no value of them');
BEGIN;
CREATE SEQUENCE one;
CREATE SEQUENCE two;
SELECT max(gid_next('one')), max(gid_next('two')) FROM generate_series(1, 1000);
COMMIT;
EOS

$node->stop;
done_testing();
