# Rows on several servers, by PL/Proxy and by partitions of postgres_fdw: the blocks of
# doc/sharding.md, and what it says of them.  The shard in the id decides on which server
# a row lies, an id alone finds its row, and a server that is down is missed by its own
# rows only.
#
# SQL alone cannot test this: it needs four servers, and stops some of them.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant ROWS => 600;

my ($new_shard, $proxy_shard, $proxy_front, $proxy_use, $fdw_front, $fdw_use) =
  slurp_file("$FindBin::RealBin/../../doc/sharding.md") =~
  /^<!-- test: run by 013_shards -->\n```sql\n(.*?)^```$/msg;

ok(defined $fdw_use, 'doc/sharding.md has its blocks');

# Three shards, and the front that the application connects to.  postgres_fdw lets a
# role that is no superuser connect only where the password is asked for.
my @shard = map { gid_node("shard_$_") } 0 .. 2;
my $front = gid_node('front');

foreach my $node (@shard, $front)
{
	my $hba = slurp_file($node->data_dir . '/pg_hba.conf');

	unlink $node->data_dir . '/pg_hba.conf';
	$node->append_conf('pg_hba.conf', "local all shop scram-sha-256\n$hba");
	$node->start;
}

# Runs a block of the manual, with this machine's servers in the place of its own.
sub run_block
{
	my ($node, $sql, $db, $user) = @_;

	foreach my $n (0 .. $#shard)
	{
		my ($host, $port) = ($shard[$n]->host, $shard[$n]->port);

		$sql =~ s/host=10\.0\.0\.1$n/host=$host port=$port/g;
		$sql =~ s/host '10\.0\.0\.1$n'/host '$host', port '$port'/g;
	}
	return $node->safe_psql($db || 'postgres', $sql, extra_params => [ '-U', $user || 'postgres' ]);
}

# What the application gets.
sub app
{
	return $front->safe_psql('shop', shift, extra_params => [ '-U', 'app' ]);
}

sub app_error
{
	my ($rc, $out, $err) = $front->psql('shop', shift,
		extra_params => [ '-U', 'app', '-v', 'VERBOSITY=verbose' ]);

	return $err;
}

# What each shard answers.
sub on_shards
{
	my ($sql) = @_;

	return join ' ', map { $_->safe_psql('shop', $sql) } @shard;
}

sub rows
{
	return on_shards('SELECT count(*) FROM orders');
}

# Runs code while this shard alone is up.
sub with_only
{
	my ($up, $code) = @_;
	my @down = grep { $_ != $shard[$up] } @shard;

	$_->stop for @down;
	$code->();
	$_->start for @down;
	return;
}

# The first block on each shard, from nothing.
sub new_shards
{
	foreach my $n (0 .. $#shard)
	{
		$shard[$n]->safe_psql('postgres', 'DROP DATABASE IF EXISTS shop; DROP ROLE IF EXISTS shop');
		run_block($shard[$n], $new_shard =~ s/^\\set shard 0$/\\set shard $n/mr);
	}
	return;
}

# --- PL/Proxy ----------------------------------------------------------------

new_shards();
is(on_shards('SELECT gid_extract_shard(gid_uuid_shard())'), '0 1 2', 'each shard has its number');
sql_fails($shard[1], 'shop', "INSERT INTO orders VALUES (gid_uuid_shard(2), 'a')", '23514',
	'a row of another shard is refused', no_hint => 1);

SKIP:
{
	skip 'this PostgreSQL has no PL/Proxy', 1
	  unless $front->safe_psql('postgres', "SELECT 1 FROM pg_available_extensions WHERE name = 'plproxy'");
	{
		local $ENV{PGPASSWORD} = 'a long one';
		run_block($_, $proxy_shard, 'shop', 'shop') for @shard;
	}
	run_block($front, $proxy_front);
	like(run_block($front, $proxy_use, 'shop', 'app'), qr/\A[0-9a-f-]{28}02000000\n1\n1\n3\z/,
		'PL/Proxy: one row made by shard 2, two by the front, three in all');
	is(rows(), '1 0 2', 'PL/Proxy: each lies on its shard');
	app(<<"EOS");
SELECT orders_put(array_agg(gid_uuid_shard(n % 3)), array_agg('c' || n)) FROM generate_series(1, @{[ROWS]}) AS n
EOS
	is(rows(), join(' ', ROWS / 3 + 1, ROWS / 3, ROWS / 3 + 2), 'PL/Proxy: so do many');
	my ($id) = split / /, on_shards('SELECT max(id::text) FROM orders');

	with_only(
		0,
		sub {
			is(app("SELECT id FROM order_get('$id')"), $id, 'PL/Proxy: a shard alone answers for its ids');
			like(app_error("SELECT order_add(1, 'a')"), qr/ERROR:  (XX000|57P01):/, 'PL/Proxy: and for no others');
		});
	$front->safe_psql('postgres', 'DROP DATABASE shop; DROP ROLE app');
}

# --- partitions and postgres_fdw ---------------------------------------------

new_shards();
run_block($front, $fdw_front);
app(<<"EOS") for 0, 1;
CREATE TABLE IF NOT EXISTS order_line (order_id uuid NOT NULL, line int NOT NULL, article text)
	PARTITION BY LIST (gid_extract_shard(order_id));
CREATE FOREIGN TABLE order_line_$_ PARTITION OF order_line FOR VALUES IN ($_)
	SERVER shard_$_ OPTIONS (table_name 'order_line');
EOS
my $X = "'61ff0f80-a2a1-a4a3-a50a-0b0c01000000'";

app("INSERT INTO orders (id, customer) VALUES ($X, 'x')");
is(run_block($front, $fdw_use, 'shop', 'app'), "61ff0f80-a2a1-a4a3-a50a-0b0c01000000|x|0\n1|2|9",
	'the guide: a row is found, changed, counted');
app(<<"EOS");
INSERT INTO orders SELECT gid_uuid_shard(n % 2), 'n' || n FROM generate_series(1, @{[ROWS]}) AS n;
INSERT INTO order_line SELECT id, n, 'article ' || n FROM orders, generate_series(1, 2) AS n
EOS
is(rows(), join(' ', ROWS / 2, ROWS / 2 + 2, 0), 'INSERT: the id brings each row to its shard');
is(on_shards('SELECT count(*) FROM order_line'), join(' ', ROWS, ROWS + 4, 0), 'and each line to its order');

# Which foreign tables a statement asks, and the plan.  The line of an UPDATE above its plan
# names all that it could have to do with.
sub asked
{
	my ($sql, $before) = @_;
	my $plan = app(($before // '') . "; EXPLAIN (VERBOSE, COSTS OFF) $sql");

	return (join(' ', $plan =~ /^(?:\s*->  )?(?:Async )?Foreign (?:Scan|Update|Delete) on public\.(\w+)/mg), $plan);
}

my ($one, $plan) = asked("SELECT * FROM orders WHERE gid_uuid_shard_is(id, $X)");

is($one, 'orders_1', 'gid_uuid_shard_is(): one shard is asked');
like($plan, qr/Remote SQL: .* WHERE \(\(id = $X\)\)/, 'by its primary key');
unlike($plan, qr/Filter/, 'and nothing is left to check here');
is((asked("SELECT * FROM orders WHERE id = $X"))[0], 'orders_0 orders_1', 'the id without the shard: all are asked');
foreach my $do ('SELECT * FROM orders', 'UPDATE orders SET total = 1', 'DELETE FROM orders')
{
	($one, $plan) = asked("EXECUTE get($X)", 'SET plan_cache_mode = force_generic_plan;'
		  . " PREPARE get (uuid) AS $do WHERE gid_uuid_shard_is(id, \$1)");
	is($one, 'orders_1', "prepared, one shard: $do");
}
like(
	(asked("SELECT * FROM orders WHERE gid_extract_shard(id) = 1"
			. " AND gid_uuid_shard_between(id, '2024-01-01Z', '2024-02-01Z')"))[1],
	qr/Foreign Scan on public.orders_1.*Remote SQL: .*id >= '65920080-.*id <= '65badeff-ffff-ffff-ffff-ffffffffffff'/s,
	'a range of time is sent as a range of ids');
my $join = 'SELECT o.id FROM orders AS o JOIN order_line AS l ON gid_uuid_shard_is(l.order_id, o.id)';

(undef, $plan) = asked("$join WHERE o.customer = 'n7'",
	'SET enable_partitionwise_join = on; ANALYZE orders; ANALYZE order_line');
is(scalar(() = $plan =~ /Remote SQL: SELECT .* INNER JOIN public.order_line/g), 2, 'the shards join');

with_only(
	1,
	sub {
		is(app("SELECT customer FROM orders WHERE gid_uuid_shard_is(id, $X)"), 'x',
			'alone, a shard answers for its ids');
		is(app("SELECT count(*) FROM ($join WHERE gid_uuid_shard_is(o.id, $X)) AS j"), 2, 'in a join');
		is(app("INSERT INTO orders (id, customer) VALUES (gid_uuid_shard(1), 'b') RETURNING customer"), 'b',
			'and takes new rows');
		like(app_error("SELECT * FROM orders WHERE id = $X"), qr/ERROR:  08001:/, 'what asks all shards fails');
	});

$_->stop for @shard, $front;
done_testing();
