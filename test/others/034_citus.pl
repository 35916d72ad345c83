# Citus: tables that are distributed by gid's ids, over a coordinator and two workers.
# The extension reaches the workers, ids are made where the manual says, no id comes
# twice, and a look-up by id asks one shard.  What is run first is what doc/sharding.md
# shows.
#
# It is skipped where Citus is not installed, as in Debian, which has no package of it.
# What it expects is what Citus's public source of May 2026 did on PostgreSQL 17.
#
# SQL alone cannot test this: it needs three servers, and another extension.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant { SHARDS => 4, ROWS => 2000,  };

plan skip_all => 'Citus is not installed'
  unless -e pg_config_of('pg_config', 'pkglibdir') . '/citus.so';

# --- a coordinator and two workers -------------------------------------------

# Each node has its own numbers.  Citus connects by TCP, also to the node itself.
my @node = map {
	gid_node(('coordinator', 'worker_1', 'worker_2')[ $_ - 1 ], <<"EOC")
shared_preload_libraries = 'citus'
listen_addresses = '127.0.0.1'
max_prepared_transactions = 50
citus.node_conninfo = 'sslmode=disable'
citus.local_hostname = '127.0.0.1'
citus.shard_count = @{[SHARDS]}
timezone = 'UTC'
gid.node_no = $_
gid.authority = $_
gid.launch_id = 6$_
EOC
} 1 .. 3;
my ($coordinator, @worker) = @node;

# What a node answers; without a node, the coordinator.
sub sql
{
	my ($sql, $node) = @_;

	return ($node || $coordinator)->safe_psql('postgres', $sql);
}

foreach my $node (@node)
{
	$node->start;
	sql('CREATE EXTENSION citus', $node);
}
note(sql('SELECT citus_version()'));
sql(sprintf "SELECT citus_set_coordinator_host('127.0.0.1', %d)", $coordinator->port);
sql(sprintf "SELECT citus_add_node('127.0.0.1', %d)", $_->port) for @worker;

# --- the manual's block ------------------------------------------------------

my ($section) = slurp_file("$FindBin::RealBin/../../doc/sharding.md") =~ /^## Citus$(.*?)^## /msg;
my ($block) = $section =~ /^<!-- test: run by 034_citus -->\n```sql\n(.*?)^```$/msg;
my ($set_up, $look_up) = $block =~ /\A(.*;[^\n]*\n)(SELECT [^;]*\$1[^;]*);[^\n]*\n\z/s;

ok(defined $look_up, 'doc/sharding.md has a block, whose last statement looks a row up');
my $id = sql($set_up) =~ /^([0-9a-f-]{36})$/m ? $1 : '';

like($id, qr/-[0-9a-f]{4}d0000000$/, 'the guide: an id of shard key 208');
is(sql("SELECT extversion = (SELECT default_version FROM pg_available_extensions WHERE name = 'gid')"
		. " FROM pg_extension WHERE extname = 'gid'", $_),
	't', 'CREATE EXTENSION gid has reached ' . $_->name)
  for @node;

my $prepare = "PREPARE look_up (uuid) AS $look_up";
my $execute = "EXECUTE look_up ('$id')";

is(sql("$prepare; $execute"), "208|$id|a", 'the row is found by its id');
is(sql("$prepare; $execute", $_), "208|$id|a", 'also by ' . $_->name) for @worker;

# From the sixth execution on, the plan may be one for all ids.
like(
	sql(join '; ', $prepare, ($execute) x 7, "EXPLAIN (COSTS OFF) $execute"),
	qr/Task Count: 1\n/,
	'one node is asked, also when the statement is prepared');
like(
	sql("EXPLAIN (COSTS OFF) SELECT * FROM orders WHERE id = '$id'"),
	qr/Task Count: @{[SHARDS]}\n/,
	'the id alone asks all shards');
like(
	($coordinator->psql('postgres', "INSERT INTO orders VALUES (209, '$id', 'b')"))[2],
	qr/violates check constraint/,
	'a row with another shard key than its id has is refused');

# --- every family as the distribution column ---------------------------------

# DecimalIds come from a sequence of the node.  gid_next() and gid_next_gdid() draw
# from a sequence that Citus makes on each worker.
my %call = (
	(map { $_ => $CALL{$_} } @FAMILIES),
	next => "gid_next('no_next')",
	gdid => "gid_next_gdid('no_gdid')");

sql('CREATE TABLE source (n int); SELECT create_distributed_table(\'source\', \'n\');'
	  . " INSERT INTO source SELECT generate_series(1, @{[ROWS]})");

foreach my $family (sort keys %call)
{
	sql("CREATE SEQUENCE no_$family") if $call{$family} =~ /'no_/;
	sql(<<"EOS");
CREATE TABLE by_$family (id $TYPE{$family} PRIMARY KEY DEFAULT $call{$family}, n int);
SELECT create_distributed_table('by_$family', 'id');
EOS

	# One row, many rows of VALUES, COPY, on each node; then rows that the workers make.
	foreach my $node (@node)
	{
		sql("INSERT INTO by_$family (n) VALUES (1)", $node);
		sql("INSERT INTO by_$family (n) VALUES " . join(', ', map { "($_)" } 2 .. 50), $node);
		sql("COPY by_$family (n) FROM STDIN;\n" . join("\n", 51 .. 100, '\.') . "\n", $node);
	}
	sql("INSERT INTO by_$family (n) SELECT n FROM source");
	is(sql("SELECT count(*), count(DISTINCT id) FROM by_$family"),
		join('|', (300 + ROWS) x 2),
		"$family: rows are made on each node, and no id is equal to another");

	my $one = sql("SELECT id FROM by_$family ORDER BY n DESC LIMIT 1");

	like(
		sql("EXPLAIN (COSTS OFF) SELECT * FROM by_$family WHERE id = '$one'"),
		qr/Task Count: 1\n/,
		"$family: a look-up by id asks one shard");
	is(sql("SELECT n FROM by_$family WHERE id = '$one'", $worker[0]),
		ROWS, "$family: a worker finds the row as well");
}

# --- where ids are made ------------------------------------------------------

sql('TRUNCATE by_trace');
foreach my $n (0 .. $#node)
{
	sql('INSERT INTO by_trace (n) VALUES (1), (2)', $node[$n]);
	is(sql('SELECT DISTINCT gid_extract_trace_node(id) FROM by_trace'),
		$n + 1, 'VALUES: the node that got the statement makes the ids, ' . $node[$n]->name);
	sql('TRUNCATE by_trace');
}
sql('INSERT INTO by_trace (id, n) SELECT gid_trace_id(), n FROM source');
is(sql('SELECT DISTINCT gid_extract_trace_node(id) FROM by_trace ORDER BY 1'),
	"2\n3", 'INSERT ... SELECT: the workers make the ids');

$_->stop for @node;
done_testing();
