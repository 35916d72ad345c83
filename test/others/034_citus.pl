# Citus: tables that are distributed by gid's ids, over a coordinator and two workers.
# The extension reaches the workers, ids are made where doc/sharding.md says, no id comes
# twice, and a look-up by id asks one shard.
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

use constant { SHARDS => 4, ROWS => 2000 };

plan skip_all => 'Citus is not installed'
  unless -e pg_config_of('pg_config', 'pkglibdir') . '/citus.so';

# Each node has its own numbers.  Citus connects by TCP, also to the node itself.
my @node = map {
	gid_node("node_$_", <<"EOC")
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

my ($block) = slurp_file("$FindBin::RealBin/../../doc/sharding.md") =~
  /^<!-- test: run by 034_citus -->\n```sql\n(.*?)^```$/ms;
my ($set_up, $look_up) = $block =~ /\A(.*;[^\n]*\n)(SELECT [^;]*\$1[^;]*);[^\n]*\n\z/s;
my ($id) = sql($set_up) =~ /^([0-9a-f-]{28}d0000000)$/m;

ok(defined $id, 'the guide: an id of shard key 208');
my $prepare = "PREPARE look_up (uuid) AS $look_up";
my $execute = "EXECUTE look_up ('$id')";

is(sql("$prepare; $execute", $_), "208|$id|a", 'the row is found by its id, on ' . $_->name) for @node;

# From the sixth execution on, the plan may be one for all ids.
like(
	sql(join '; ', $prepare, ($execute) x 7, "EXPLAIN (COSTS OFF) $execute"),
	qr/Task Count: 1\n/,
	'one node is asked, also when the statement is prepared');

# --- every family as the distribution column ---------------------------------

# DecimalIds come from a sequence of the node.  gid_next() and gid_next_gdid() draw
# from a sequence that Citus makes on each worker.
my %call = ((map { $_ => $CALL{$_} } @FAMILIES), next => "gid_next('no_next')", gdid => "gid_next_gdid('no_gdid')");

sql("CREATE TABLE source (n int); SELECT create_distributed_table('source', 'n');"
	  . " INSERT INTO source SELECT generate_series(1, @{[ROWS]}); CREATE SEQUENCE no_next; CREATE SEQUENCE no_gdid");
foreach my $family (sort keys %call)
{
	sql(<<"EOS");
CREATE TABLE by_$family (id $TYPE{$family} PRIMARY KEY DEFAULT $call{$family}, n int);
SELECT create_distributed_table('by_$family', 'id');
EOS

	# Rows of VALUES on each node; then rows that the workers make.
	sql("INSERT INTO by_$family (n) VALUES (0), (0)", $_) for @node;
	sql("INSERT INTO by_$family (n) SELECT n FROM source");
	is(sql("SELECT count(*), count(DISTINCT id) FROM by_$family"),
		join('|', (6 + ROWS) x 2),
		"$family: rows are made on each node, and no id is equal to another");
	my $one = sql("SELECT id FROM by_$family ORDER BY n DESC LIMIT 1");

	like(
		sql("EXPLAIN (COSTS OFF) SELECT * FROM by_$family WHERE id = '$one'"),
		qr/Task Count: 1\n/,
		"$family: a look-up by id asks one shard");
}

# --- where ids are made ------------------------------------------------------

is(sql('SELECT DISTINCT gid_extract_trace_node(id) FROM by_trace WHERE n = 0 ORDER BY 1'),
	"1\n2\n3", 'VALUES: the node that got the statement makes the ids');
is(sql('SELECT DISTINCT gid_extract_trace_node(id) FROM by_trace WHERE n > 0 ORDER BY 1'),
	"2\n3", 'INSERT ... SELECT: the workers make the ids');

$_->stop for @node;
done_testing();
