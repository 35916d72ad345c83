# Rows on several servers, by PL/Proxy and by partitions of postgres_fdw.  The shard
# in the id decides on which server a row lies.  An id alone finds its row.  When a
# server is down only its own rows are away.  The test runs the blocks of SQL that the
# manual shows.
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

use constant { SHARDS => 3, ROWS => 600 };

# Three shards, and the front that the application connects to.
my @shard = map { gid_node("shard_$_") } 0 .. SHARDS - 1;
my $front = gid_node('front');

foreach my $node (@shard, $front)
{
	my $hba = slurp_file($node->data_dir . '/pg_hba.conf');

	# postgres_fdw lets a role that is no superuser connect only where the
	# password is asked for.
	unlink $node->data_dir . '/pg_hba.conf';
	$node->append_conf('pg_hba.conf', "local all shop scram-sha-256\n$hba");
	$node->start;
}

# --- the manual's blocks ---------------------------------------------------

my @shown;

# Runs a block of doc/sharding.md, with this machine's servers in the place of its
# own, and remembers it.
sub run_block
{
	my ($node, $sql, %how) = @_;

	push @shown, $sql unless grep { $_ eq $sql } @shown;
	$sql =~ s/^\\set shard 0$/\\set shard $how{shard}/m if $how{shard};
	$sql =~ s/host=10\.0\.0\.1(\d)/place($1, ' ', '=', '')/ge;
	$sql =~ s/host '10\.0\.0\.1(\d)'/place($1, ', ', ' ', "'")/ge;
	return $node->safe_psql($how{db} || 'postgres', $sql,
		extra_params => [ '-U', $how{user} || 'postgres' ]);
}

# Host and port of a shard as options.
sub place
{
	my ($n, $comma, $is, $quote) = @_;

	return
	    "host$is$quote"
	  . $shard[$n]->host
	  . "$quote${comma}port$is$quote"
	  . $shard[$n]->port . $quote;
}

# --- helpers ---------------------------------------------------------------

# A statement of the application's.
sub app
{
	my ($sql) = @_;

	return $front->safe_psql('shop', $sql, extra_params => [ '-U', 'app' ]);
}

# The error of one, with its SQLSTATE.
sub app_error
{
	my ($sql) = @_;
	my ($rc, $out, $err) = $front->psql('shop', $sql,
		extra_params => [ '-U', 'app', '-v', 'VERBOSITY=verbose' ]);

	return $err;
}

# What a shard itself says.
sub on_shard
{
	my ($n, $sql) = @_;

	return $shard[$n]->safe_psql('shop', $sql);
}

# How many rows lie on each shard; a row that lies on a shard that is not in
# its id is a "stray".
sub rows
{
	return join ' ',
	  map { on_shard($_, 'SELECT count(*) FROM orders') } 0 .. $#shard;
}

sub strays
{
	return join ' ', map {
		on_shard($_, <<"EOS")
SELECT count(*) FILTER (WHERE gid_extract_shard(id) <> $_) FROM orders
EOS
	} 0 .. $#shard;
}

# Runs code while only these shards are up.
sub with_only
{
	my ($up, $code) = @_;
	my @down = grep {
		my $n = $_;
		!grep { $_ == $n } @$up
	} 0 .. $#shard;

	$shard[$_]->stop for @down;
	$code->();
	$shard[$_]->start for @down;
	return;
}

# The first block on each shard, from nothing.
sub new_shards
{
	for my $n (0 .. $#shard)
	{
		$shard[$n]->safe_psql('postgres',
			'DROP DATABASE IF EXISTS shop; DROP ROLE IF EXISTS shop');
		run_block($shard[$n], <<'EOS', shard => $n);
\set shard 0
CREATE ROLE shop LOGIN PASSWORD 'a long one';
CREATE DATABASE shop OWNER shop;
\connect shop
CREATE EXTENSION gid;
LOAD 'gid';
ALTER DATABASE shop SET gid.shard_key = :shard;
SET ROLE shop;
CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gid_uuid_shard() CHECK (gid_extract_shard(id) = :shard),
  customer text NOT NULL, total numeric NOT NULL DEFAULT 0);
CREATE TABLE order_line (order_id uuid REFERENCES orders, line int, article text, PRIMARY KEY (order_id, line));
EOS
	}
	return;
}

new_shards();
is(rows(), '0 0 0', 'the shards are there');
is( join(
		' ',
		map {
			on_shard($_,
				'SELECT gid_extract_shard(gid_uuid_shard())')
		} 0 .. $#shard),
	'0 1 2',
	'and each has its number');
like(
	($shard[1]->psql('shop', "INSERT INTO orders VALUES (gid_uuid_shard(2), 'a')"))[2],
	qr/violates check constraint/,
	'a row of another shard is refused, whoever brings it');

# --- PL/Proxy --------------------------------------------------------------

my $PROXY_SHARD = <<'EOS';
CREATE FUNCTION order_add(customer text) RETURNS uuid BEGIN ATOMIC INSERT INTO orders (customer) VALUES ($1) RETURNING id; END;
CREATE FUNCTION orders_put(ids uuid[], customers text[]) RETURNS bigint BEGIN ATOMIC
  INSERT INTO orders (id, customer) SELECT * FROM unnest(ids, customers) ON CONFLICT DO NOTHING;
  SELECT cardinality(ids)::bigint;
END;
CREATE FUNCTION order_get(wanted uuid) RETURNS SETOF orders STABLE BEGIN ATOMIC SELECT * FROM orders WHERE id = wanted; END;
CREATE FUNCTION order_count() RETURNS bigint STABLE RETURN (SELECT count(*) FROM orders);
EOS
my $PROXY_FRONT = <<'EOS';
CREATE ROLE app LOGIN;
CREATE DATABASE shop;
\connect shop
CREATE EXTENSION gid;
CREATE EXTENSION plproxy;
CREATE SERVER shards FOREIGN DATA WRAPPER plproxy OPTIONS (modular_mapping '1',
  p0 'host=10.0.0.10 dbname=shop', p1 'host=10.0.0.11 dbname=shop', p2 'host=10.0.0.12 dbname=shop');
GRANT USAGE ON FOREIGN SERVER shards TO app;
CREATE USER MAPPING FOR app SERVER shards OPTIONS (user 'shop', password 'a long one');
CREATE FUNCTION order_add(shard bigint, customer text) RETURNS uuid LANGUAGE plproxy AS $$ CLUSTER 'shards'; RUN ON shard; SELECT order_add(customer); $$;
CREATE FUNCTION orders_put(ids uuid[], customers text[]) RETURNS SETOF bigint
LANGUAGE plproxy AS $$ CLUSTER 'shards'; SPLIT ALL; RUN ON gid_extract_shard(ids); $$;
CREATE FUNCTION order_get(wanted uuid) RETURNS TABLE (id uuid, customer text, total numeric)
LANGUAGE plproxy AS $$ CLUSTER 'shards'; RUN ON gid_extract_shard(wanted); $$;
CREATE FUNCTION order_count() RETURNS SETOF bigint LANGUAGE plproxy AS $$ CLUSTER 'shards'; RUN ON ALL; $$;
EOS
my $PROXY_USE = <<'EOS';
SELECT order_add(2, 'a');                                          -- shard 2 makes the id
SELECT orders_put(ARRAY[gid_uuid_shard(0), gid_uuid_shard(2)], ARRAY['b', 'c']);  -- the front does; one call to a shard
SELECT * FROM order_get('61ff0f80-a2a1-a4a3-a50a-0b0c02000000');   -- asks shard 2 and no other
SELECT sum(n) FROM order_count() AS n;                             -- asks all, at the same time
EOS

SKIP:
{
	if (!$front->safe_psql('postgres',
			"SELECT 1 FROM pg_available_extensions WHERE name = 'plproxy'"))
	{
		push @shown, $PROXY_SHARD, $PROXY_FRONT, $PROXY_USE;
		skip 'this PostgreSQL has no PL/Proxy', 1;
	}

	for my $n (0 .. $#shard)
	{
		# The shard asks shop for it.
		local $ENV{PGPASSWORD} = 'a long one';
		run_block($shard[$n], $PROXY_SHARD, db => 'shop', user => 'shop');
	}
	run_block($front, $PROXY_FRONT);
	note('plproxy '
		  . $front->safe_psql('shop',
			"SELECT extversion FROM pg_extension WHERE extname = 'plproxy'"));
	my $answers = run_block($front, $PROXY_USE, db => 'shop', user => 'app');
	like($answers, qr/\A[0-9a-f-]{28}02000000\n1\n1\n3\z/,
		'the guide: one made by shard 2, two by the front, three in all');
	is(rows(), '1 0 2', 'each lies on its shard');
	proxy();
}

sub proxy
{
	# Many rows, made both ways.
	app(<<"EOS");
SELECT count(*)
FROM (SELECT array_agg(gid_uuid_shard(n % 3)) AS ids, array_agg('c' || n) AS customers
	FROM generate_series(1, @{[ROWS]}) AS n) AS s, orders_put(ids, customers);
SELECT count(order_add(n % 3, 'd' || n)) FROM generate_series(1, 300) AS n;
EOS
	my $each = (ROWS + 300) / 3;

	is(rows(), join(' ', $each + 1, $each, $each + 2),
		'many rows, made on the front and by the shards');
	is(strays(), '0 0 0', 'each lies on the shard in its id, on no other');
	is( app('SELECT count(*), sum(n) FROM order_count() AS n'),
		'3|' . (ROWS + 303),
		'RUN ON ALL asks each shard once');

	# An id alone finds its row.
	my @id = map { on_shard($_, 'SELECT id FROM orders ORDER BY id DESC LIMIT 1') } 0 .. $#shard;

	is(app("SELECT id FROM order_get('$id[$_]')"),
		$id[$_], "an id alone finds its row on shard $_")
	  for 0 .. $#shard;
	is(app("SELECT count(*) FROM order_get('61ff0f80-a2a1-a4a3-a50a-0b0c01000000')"),
		0, 'and none that is not there');

	# Only the id's shard is asked: the others are down.
	for my $n (0 .. $#shard)
	{
		with_only(
			[$n],
			sub {
				is(app("SELECT id FROM order_get('$id[$n]')"),
					$id[$n], "shard $n alone answers for its ids");
			});
	}
	$front->safe_psql('postgres', 'DROP DATABASE shop; DROP ROLE app');
	return;
}

# --- partitions and postgres_fdw -------------------------------------------

new_shards();
run_block($front, <<'EOS');
CREATE ROLE app LOGIN;
CREATE DATABASE shop OWNER app;
\connect shop
CREATE EXTENSION gid;
CREATE EXTENSION postgres_fdw;
CREATE SERVER shard_0 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '10.0.0.10', dbname 'shop', extensions 'gid', async_capable 'true', batch_size '100');
CREATE SERVER shard_1 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '10.0.0.11', dbname 'shop', extensions 'gid', async_capable 'true', batch_size '100');
GRANT USAGE ON FOREIGN SERVER shard_0, shard_1 TO app;
CREATE USER MAPPING FOR app SERVER shard_0 OPTIONS (user 'shop', password 'a long one');
CREATE USER MAPPING FOR app SERVER shard_1 OPTIONS (user 'shop', password 'a long one');
SET ROLE app;
CREATE TABLE orders (id uuid NOT NULL, customer text NOT NULL, total numeric NOT NULL DEFAULT 0) PARTITION BY LIST (gid_extract_shard(id));
CREATE FOREIGN TABLE orders_0 PARTITION OF orders FOR VALUES IN (0) SERVER shard_0 OPTIONS (table_name 'orders');
CREATE FOREIGN TABLE orders_1 PARTITION OF orders FOR VALUES IN (1) SERVER shard_1 OPTIONS (table_name 'orders');
EOS
app(<<'EOS');
CREATE TABLE order_line (order_id uuid NOT NULL, line int NOT NULL, article text)
	PARTITION BY LIST (gid_extract_shard(order_id));
CREATE FOREIGN TABLE order_line_0 PARTITION OF order_line FOR VALUES IN (0)
	SERVER shard_0 OPTIONS (table_name 'order_line');
CREATE FOREIGN TABLE order_line_1 PARTITION OF order_line FOR VALUES IN (1)
	SERVER shard_1 OPTIONS (table_name 'order_line');
EOS
my $X = "'61ff0f80-a2a1-a4a3-a50a-0b0c01000000'";
my $Y = "'61ff0f80-a2a1-a4a3-a50a-0b0d01000000'";

# A statement's plan, after others that prepare for it.
sub plan_of
{
	my ($sql, $before) = @_;

	return app(($before || '') . "; EXPLAIN (VERBOSE, COSTS OFF) $sql");
}

# The foreign tables that a plan's nodes ask, in order.  (The line of an UPDATE
# above its plan names all that it could have to do with.)
sub asked
{
	my ($plan) = @_;
	my @names = $plan =~
	  /^(?:\s*->  )?(?:Async )?Foreign (?:Scan|Update|Delete) on public\.(\w+)/mg;

	return join ' ', @names;
}

# 1. Which shards a statement asks, as its plan has it.
{
	my $one = plan_of("SELECT * FROM orders WHERE gid_uuid_shard_is(id, $X)");

	is(asked($one), 'orders_1', 'gid_uuid_shard_is(): one shard is asked');
	like($one, qr/Remote SQL: .* WHERE \(\(id = $X\)\)/,
		'by its primary key');
	unlike($one, qr/Filter/, 'and nothing is left to check here');
	is(asked(plan_of("SELECT * FROM orders WHERE id = $X")),
		'orders_0 orders_1', 'the id without the shard: all are asked');
	is( asked(plan_of(<<"EOS")),
SELECT * FROM orders WHERE id = $X AND gid_extract_shard(id) = gid_extract_shard($X)
EOS
		'orders_1',
		'with the shard: one');
	is( asked(plan_of(<<'EOS')),
SELECT * FROM orders WHERE gid_uuid_shard_is(id, '61ff0f80-a2a1-a4a3-a50a-0b0c07000000')
EOS
		'',
		'an id of a shard that is none: nobody');

	my $both = plan_of('SELECT * FROM orders');
	my $n = () = $both =~ /Async Foreign Scan/g;

	is($n, 2, 'async_capable: all shards work at the same time');

	# In a prepared statement the executor finds the shard.
	my $generic = 'SET plan_cache_mode = force_generic_plan; PREPARE get (uuid) AS';

	$one = plan_of("EXECUTE get($X)",
		"$generic SELECT * FROM orders WHERE gid_uuid_shard_is(id, \$1)");
	is(asked($one), 'orders_1', 'a prepared SELECT: one shard');
	like($one, qr/Subplans Removed: 1/, 'chosen when it is executed');
	$one = plan_of("EXECUTE get($X)",
		"$generic UPDATE orders SET total = 1 WHERE gid_uuid_shard_is(id, \$1)");
	like($one, qr/Subplans Removed: 1\n\s+->  Foreign Update on public.orders_1/,
		'a prepared UPDATE: one shard');

	# UPDATE and DELETE are sent as they are.
	foreach my $do ('UPDATE orders SET total = 9', 'DELETE FROM orders')
	{
		my ($verb) = $do =~ /^(\w+)/;

		$one = plan_of("$do WHERE gid_uuid_shard_is(id, $X)");
		like($one, qr/->  Foreign \u\L$verb\E on public.orders_1/,
			"$verb: one shard does it all");
		unlike($one, qr/orders_0/, "$verb: no other is asked");
	}
	like(
		plan_of(<<'EOS'),
SELECT * FROM orders
WHERE gid_extract_shard(id) = 1 AND gid_uuid_shard_between(id, '2024-01-01Z', '2024-02-01Z')
EOS
		qr/Foreign Scan on public.orders_1.*Remote SQL: .*id >= '65920080-.*id <= '65badeff-ffff-ffff-ffff-ffffffffffff'/s,
		'a range of time is sent as a range of ids');
}

# 2. Rows, by the guide's own statements first.
app("INSERT INTO orders (id, customer) VALUES ($X, 'x')");
{
	my $answers = run_block($front, <<'EOS', db => 'shop', user => 'app');
INSERT INTO orders (id, customer) VALUES (gid_uuid_shard(1), 'a');
SELECT * FROM orders WHERE gid_uuid_shard_is(id, '61ff0f80-a2a1-a4a3-a50a-0b0c01000000');     -- asks shard 1 and no other
UPDATE orders SET total = 9 WHERE gid_uuid_shard_is(id, '61ff0f80-a2a1-a4a3-a50a-0b0c01000000');
SET enable_partitionwise_aggregate = on;
SELECT gid_extract_shard(id), count(*), sum(total) FROM orders GROUP BY 1;          -- each shard counts its own
EOS
	is($answers, "61ff0f80-a2a1-a4a3-a50a-0b0c01000000|x|0\n1|2|9",
		'the guide: a row is found, changed, counted');
}
is(rows(), '0 2 0', 'both lie on their shard');

app(<<"EOS");
INSERT INTO orders SELECT gid_uuid_shard(n % 2), 'n' || n FROM generate_series(1, @{[ROWS]}) AS n
EOS
is(rows(), join(' ', ROWS / 2, ROWS / 2 + 2, 0),
	'INSERT: the id brings each row to its shard');

app("INSERT INTO order_line SELECT id, n, 'article ' || n FROM orders, generate_series(1, 2) AS n");
is( join(' ', map { on_shard($_, 'SELECT count(*) FROM order_line') } 0, 1),
	join(' ', ROWS, ROWS + 4),
	'the lines lie beside their orders');
is( app(<<'EOS'),
SELECT count(*), count(DISTINCT o.id)
FROM orders AS o JOIN order_line AS l ON gid_uuid_shard_is(l.order_id, o.id)
EOS
	join('|', 2 * ROWS + 4, ROWS + 2),
	'and are found with them');

{
	my $join = plan_of(<<'EOS',
SELECT * FROM orders AS o JOIN order_line AS l ON gid_uuid_shard_is(l.order_id, o.id)
WHERE o.customer = 'n7'
EOS
		'SET enable_partitionwise_join = on; ANALYZE orders; ANALYZE order_line');
	my $n = () = $join =~ /Remote SQL: SELECT .* INNER JOIN public.order_line/g;

	is($n, 2, 'enable_partitionwise_join: the shards join');
	is( asked(plan_of(<<"EOS")),
SELECT * FROM orders AS o JOIN order_line AS l ON gid_uuid_shard_is(l.order_id, o.id)
WHERE gid_uuid_shard_is(o.id, $X)
EOS
		'orders_1 order_line_1',
		'a join for one id asks one shard');
}

# 3. What cannot be.
like(app_error("INSERT INTO orders (id, customer) VALUES ($X, 'again')"),
	qr/ERROR:  23505:/, 'an id is unique');
app("INSERT INTO orders (id, customer) VALUES ($X, 'again') ON CONFLICT DO NOTHING");
like(
	app_error("INSERT INTO orders (id, customer) VALUES ($X, 'again') ON CONFLICT (id) DO NOTHING"),
	qr/ERROR:  42P10:/,
	'ON CONFLICT without a target works, with one it does not');
like(
	app_error("INSERT INTO orders (id, customer) VALUES (gid_uuid_shard(2), 'a')"),
	qr/ERROR:  23514: .*no partition/,
	'a shard that has no partition is refused');
like(
	app_error("UPDATE orders SET id = gid_uuid_shard(0) WHERE gid_uuid_shard_is(id, $X)"),
	qr/ERROR:  23514: .*violates check constraint/,
	'an UPDATE cannot move a row to another shard');
is( app("BEGIN; INSERT INTO orders (id, customer) VALUES (gid_uuid_shard(1), 'moved');"
		  . " UPDATE orders SET id = $Y WHERE customer = 'moved' RETURNING id; ROLLBACK"),
	$Y =~ tr/'//dr, 'but within it');
like(app_error('ALTER TABLE orders ADD PRIMARY KEY (id)'),
	qr/ERROR:  0A000: .*PRIMARY KEY/, 'no primary key by an expression');
is( app("SELECT count(*) FROM orders WHERE customer = 'again'"),
	0, 'nothing of that was done');
is(strays(), '0 0 0', 'all rows on their shards');

# 4. A server is down; those that are not asked are not missed.
app("INSERT INTO orders (id, customer) VALUES ($Y, 'y')");
app("INSERT INTO order_line VALUES ($Y, 1, 'z')");
with_only(
	[1],
	sub {
		is(app("SELECT customer FROM orders WHERE gid_uuid_shard_is(id, $X)"),
			'x', 'alone, a shard answers for its ids');
		is( app(<<"EOS"),
SET plan_cache_mode = force_generic_plan;
PREPARE get (uuid) AS SELECT customer FROM orders WHERE gid_uuid_shard_is(id, \$1);
EXECUTE get($X);
EOS
			'x',
			'in a prepared statement');
		is( app(<<"EOS"),
SELECT customer, article FROM orders AS o JOIN order_line AS l ON gid_uuid_shard_is(l.order_id, o.id)
WHERE gid_uuid_shard_is(o.id, $Y)
EOS
			'y|z',
			'in a join');
		is( app("UPDATE orders SET total = 7 WHERE gid_uuid_shard_is(id, $Y) RETURNING total"),
			7,
			'in an UPDATE');
		app("DELETE FROM order_line WHERE gid_uuid_shard_is(order_id, $Y)");
		is( app("DELETE FROM orders WHERE gid_uuid_shard_is(id, $Y) RETURNING customer"),
			'y',
			'in a DELETE');
		is( app(<<'EOS'),
INSERT INTO orders (id, customer) VALUES (gid_uuid_shard(1), 'b') RETURNING gid_extract_shard(id)
EOS
			1,
			'and takes new rows');
		like(app_error("SELECT * FROM orders WHERE id = $X"),
			qr/ERROR:  08001:/, 'what asks all shards fails');
		like(
			app_error("INSERT INTO orders (id, customer) VALUES (gid_uuid_shard(0), 'b')"),
			qr/ERROR:  08001:/,
			'so do rows of the others');
	});

# --- the guide -------------------------------------------------------------

# What was run is what it shows: no block is missing, none is another.
{
	my ($section) = slurp_file("$FindBin::RealBin/../../doc/sharding.md") =~
	  /\A(.*?)^## Citus$/ms;
	my @blocks = ($section // '') =~ /^```sql\n(.*?)^```$/msg;

	is_deeply([ sort @shown ], [ sort @blocks ],
		'the guide in doc/sharding.md is what was run');
}

$_->stop for @shard, $front;
done_testing();
