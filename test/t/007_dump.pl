# A database owner who is no superuser dumps a database with gid and restores it,
# whoever has created the extension: the generator numbers of DecimalIds go on, nothing
# repeats, and an authority of node numbers waits until lost leases have ended.
#
# SQL alone cannot test this: it needs pg_dump and a second database.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = gid_node('main');
my $dir = $node->basedir;

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE owner LOGIN;
EOS

sub as_owner
{
	my ($db, $sql) = @_;

	return $node->safe_psql($db, $sql, extra_params => [ '-U', 'owner' ]);
}

# Fills the table by sessions side by side, so that several generators are used.
sub fill
{
	my ($db, $first, $last) = @_;
	my @session = map { session($node, $db, '-U', 'owner') } 1 .. 3;

	$_->safe("INSERT INTO made (n) SELECT generate_series($first, $last)") for @session;
	end_session($_) for @session;
	return;
}

my $TABLE = <<'EOS';
CREATE TABLE made (
	id bigint PRIMARY KEY DEFAULT ids.gid_decimal_id(),
	v7 uuid NOT NULL UNIQUE DEFAULT ids.gid_uuid_v7(),
	sequential uuid NOT NULL UNIQUE DEFAULT ids.gid_uuid_sequential(),
	shard uuid NOT NULL UNIQUE DEFAULT ids.gid_uuid_shard(7),
	trace bigint NOT NULL UNIQUE DEFAULT ids.gid_trace_id(),
	snowflake bigint NOT NULL UNIQUE DEFAULT ids.gid_snowflake_id(),
	n int);
EOS
my $LEASE = q{SELECT node FROM gid.authority_node(gen_random_uuid(), NULL, NULL, date_trunc('second', now()),
	date_trunc('second', now()) + '1 min', 1023)};
my $AUTHORITY = 'SELECT * FROM gid.node_writer WHERE database <> 0 ORDER BY leases';

# --- the owner of the database -------------------------------------------

is(as_owner('postgres', 'SHOW is_superuser'), 'off', 'the owner is no superuser');

foreach my $creator ('the owner', 'a superuser')
{
	my $source = $creator =~ /owner/ ? 'owned' : 'given';
	my $format = $creator =~ /owner/ ? 'plain' : 'custom';

	# In a schema of the owner's choice.
	$node->safe_psql('postgres', "CREATE DATABASE $source OWNER owner");
	as_owner($source, 'CREATE SCHEMA ids');
	$creator eq 'the owner' ? as_owner($source, 'CREATE EXTENSION gid SCHEMA ids') :
	  $node->safe_psql($source, 'CREATE EXTENSION gid SCHEMA ids');
	as_owner($source, $TABLE);
	fill($source, 1, 100) for 1 .. 3;
	$node->safe_psql($source, 'SELECT gid.authority_resume()');
	is($node->safe_psql($source, $LEASE), '256', "$creator: a node number is leased");

	my $last = $node->safe_psql($source, 'SELECT last_value FROM gid.decimal_generator');
	my $rows = $node->safe_psql($source, 'SELECT count(*) FROM made');
	my $authority = $node->safe_psql($source, $AUTHORITY);

	note("$rows rows, last generator value $last");
	is($rows, 900, "$creator: rows are there");
	like($authority, qr/^-?\d+\|1\|/, "$creator: and the row of an authority");

	# Dump and restore, as text or in the custom format.
	my $file = "$dir/dump.$source.$format";
	my $db = "${source}_$format";
	my $name = "$creator, $format";

	$node->command_ok([ 'pg_dump', '-U', 'owner', '-F', $format, '-f', $file, $source ], "$name: the owner dumps");
	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER owner");
	$node->command_ok(
		$format eq 'plain' ? [ 'psql', '-X', '-q', '-U', 'owner', '-v', 'ON_ERROR_STOP=1', '-f', $file, $db ] :
		  [ 'pg_restore', '-U', 'owner', '-e', '-d', $db, $file ],
		"$name: the owner restores");
	is($node->safe_psql($db, 'SELECT last_value, is_called FROM gid.decimal_generator'),
		"$last|t", "$name: the generator sequence has its value");
	is($node->safe_psql($db, $AUTHORITY), $authority, "$name: the row of the authority is there");
	is($node->safe_psql($db, <<'EOS'), 'owner|t', "$name: the extension is the owner's, and the sequence is not");
SELECT pg_get_userbyid(e.extowner), r.rolsuper
FROM pg_extension AS e, pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner
WHERE e.extname = 'gid' AND c.relname = 'decimal_generator'
EOS

	# New ids beside the restored ones, in several sessions: the primary key
	# and the unique constraints are the judge.
	fill($db, 101, 200);
	is($node->safe_psql($db, 'SELECT count(*), count(DISTINCT id) FROM made'), '1200|1200', "$name: nothing repeats");
	is($node->safe_psql($db, <<"EOS"), 't', "$name: generator numbers continue");
SELECT min(ids.gid_extract_decimal_generator(id)) > $last % 100000
FROM made WHERE n > 100
EOS
	is($node->safe_psql($db, <<'EOS'), 't', "$name: trace and Snowflake ids of the same server continue");
SELECT min(trace) FILTER (WHERE n > 100) > max(trace) FILTER (WHERE n <= 100)
	AND min(snowflake) FILTER (WHERE n > 100) > max(snowflake) FILTER (WHERE n <= 100)
FROM made
EOS
	is($node->safe_psql($db, $LEASE), '', "$name: the leases that the dump has not may still run");
	is($node->safe_psql($db, 'SELECT count(*) FROM gid.node_writer'), '1', "$name: one row is left");
}

# --- the commands of the manual, by the owner -----------------------------

my ($commands) =
  slurp_file("$FindBin::RealBin/../../doc/operations.md") =~
  /^<!-- test: run by 007_dump -->\n```sh\n(.*?)^```$/ms;

$node->safe_psql('postgres', 'ALTER ROLE owner CREATEDB; ALTER DATABASE given RENAME TO shop');
{
	local %ENV = (%ENV, PGUSER => 'owner', PGHOST => $node->host, PGPORT => $node->port);

	command_ok([ 'sh', '-ec', "cd '$dir'\n$commands" ], 'the commands of the manual make a copy');
}
is(as_owner('shop_copy', 'SELECT count(*) FROM made'), 900, 'which has all rows');

# --- a server without gid, as the manual says ------------------------------

my $chapter = slurp_file("$FindBin::RealBin/../../doc/without-gid.md");
my ($restore) = $chapter =~ /^<!-- test: run by 007_dump -->\n```sh\n(.*?)^```$/ms;

mkdir "$dir/plain";
append_to_file("$dir/plain/functions.sql", $_)
  for ($chapter =~ s/^## Following.*?(?=^## )//msr) =~ /^(CREATE FUNCTION .*?;\n)/msg;
$node->safe_psql('postgres', 'CREATE DATABASE served OWNER owner');
as_owner('served', <<'EOS');
CREATE EXTENSION gid;
CREATE TABLE orders (id bigserial PRIMARY KEY, v7 uuid NOT NULL DEFAULT gid_uuid_v7(), item text);
ALTER TABLE orders ALTER id SET DEFAULT gid_next('orders_id_seq');
INSERT INTO orders (item) SELECT 'tea' FROM generate_series(1, 10);
EOS
# an authority has a row that the dump keeps
$node->safe_psql('served', 'SELECT gid.authority_resume()');
{
	local %ENV = (%ENV, PGUSER => 'owner', PGHOST => $node->host, PGPORT => $node->port);

	command_ok([ 'pg_dump', '-Fc', '-f', "$dir/plain/shop.dump", 'served' ], 'a database with gid is dumped');
	command_ok([ 'sh', '-ec', "cd '$dir/plain'\n$restore" ], 'and restored without');
}
my @left_out = run_command([ 'sh', '-c', "pg_restore -l '$dir/plain/shop.dump' | grep -vxFf '$dir/plain/shop.list'" ]);

is_deeply([ sort map { s/^\d+; \d+ \d+ | \w*$//gr } split /\n/, $left_out[0] ],
	[ 'COMMENT - EXTENSION gid', 'EXTENSION - gid', 'SEQUENCE SET gid decimal_generator',
		'TABLE DATA gid node_writer' ],
	'what is left out is of the extension');
is(as_owner('shop_plain', q{SELECT count(*) FROM pg_extension WHERE extname = 'gid'}), 0, 'gid is not there');
is( as_owner('shop_plain', <<'EOS'), '11|t|t', 'rows are, and new ones follow');
WITH new AS (INSERT INTO orders (item) VALUES ('milk') RETURNING id, v7)
SELECT count(*) + 1, min(new.id) > max(old.id), min(new.v7::text) > max(old.v7::text) FROM new, orders AS old
EOS

# --- what pg_dump -n takes, as doc/applications.md says ----------------------

sub dumped
{
	my ($db, @options) = @_;
	my ($text) = run_command([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-U', 'owner', @options, $db ]);
	my @found = map { $text =~ /\Q$_\E/ ? 1 : 0 } 'CREATE EXTENSION', 'gid.node_writer', 'gid.decimal_generator', 'CREATE TABLE';

	return "@found";
}

as_owner('served', 'CREATE SCHEMA app; CREATE TABLE app.note (id int)');
is(dumped('served'), '1 1 1 1', 'a dump has the extension, the row of an authority and the position of the sequence');
is(dumped('served', '-n', 'public'), '0 0 0 1', "-n with the schema of gid's functions has nothing of gid");
is(dumped('served', '-n', 'gid'), '0 0 0 0', 'nor has -n gid');
is(dumped('served', '-n', 'public', '-e', 'gid'), '1 1 1 1', 'but with -e gid');
is(dumped('served', '-n', 'app'), '0 0 0 1', '-n with another schema has nothing of gid');

$node->stop;

done_testing();
