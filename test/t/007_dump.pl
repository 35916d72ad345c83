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
my $LEASE = q{SELECT node FROM gid.authority_node(gen_random_uuid(), NULL, NULL, date_trunc('second', now()),
	date_trunc('second', now()) + '1 min', 1023)};
my $AUTHORITY = 'SELECT * FROM gid.node_writer WHERE database <> 0 ORDER BY leases';

sub as_owner
{
	my ($db, $sql) = @_;

	return $node->safe_psql($db, $sql, extra_params => [ '-U', 'owner' ]);
}

# Runs a program as the owner of the database.
sub owner_runs
{
	my ($name, @command) = @_;

	local %ENV = (%ENV, PGUSER => 'owner', PGHOST => $node->host, PGPORT => $node->port);
	command_ok(\@command, $name);
	return;
}

# The commands of a chapter of the manual.
sub commands
{
	my ($chapter) = @_;
	my ($commands) = $chapter =~ /^<!-- test: run by 007_dump -->\n```sh\n(.*?)^```$/ms;

	return $commands;
}

$node->start;
$node->safe_psql('postgres', 'CREATE ROLE owner LOGIN CREATEDB');

# 1. The owner's extension or a superuser's, in a schema of the owner's choice; a dump as
# text or in the custom format.
foreach my $way ([ 'owned', 'plain', 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', 'owned_copy', '-f' ],
	[ 'given', 'custom', 'pg_restore', '-e', '-d', 'given_copy' ])
{
	my ($source, $format, @restore) = @$way;
	my $copy = "${source}_copy";

	$node->safe_psql('postgres', "CREATE DATABASE $source OWNER owner");
	$node->safe_psql('postgres', "CREATE DATABASE $copy OWNER owner");
	as_owner($source, 'CREATE SCHEMA ids');
	$source eq 'owned' ? as_owner($source, 'CREATE EXTENSION gid SCHEMA ids') :
	  $node->safe_psql($source, 'CREATE EXTENSION gid SCHEMA ids');
	as_owner($source, <<'EOS');
CREATE TABLE made (id bigint PRIMARY KEY DEFAULT ids.gid_decimal_id(),
	v7 uuid NOT NULL UNIQUE DEFAULT ids.gid_uuid_v7(), n int);
INSERT INTO made (n) SELECT generate_series(1, 100);
EOS
	$node->safe_psql($source, 'SELECT gid.authority_resume()');
	is($node->safe_psql($source, $LEASE), '256', "$source: a node number is leased");
	my $last = $node->safe_psql($source, 'SELECT last_value FROM gid.decimal_generator');
	my $authority = $node->safe_psql($source, $AUTHORITY);

	like($authority, qr/^-?\d+\|1\|/, "$source: and the row of an authority is there");
	owner_runs("$source: the owner dumps", 'pg_dump', '-F', $format, '-f', "$dir/$source", $source);
	owner_runs("$source: the owner restores", @restore, "$dir/$source");
	is($node->safe_psql($copy, 'SELECT last_value, is_called FROM gid.decimal_generator'),
		"$last|t", "$copy: the generator sequence has its value");
	is($node->safe_psql($copy, $AUTHORITY), $authority, "$copy: the row of the authority is there");
	is($node->safe_psql($copy, <<'EOS'), 'owner|t', "$copy: the extension is the owner's, and the sequence is not");
SELECT pg_get_userbyid(e.extowner), r.rolsuper
FROM pg_extension AS e, pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner
WHERE e.extname = 'gid' AND c.relname = 'decimal_generator'
EOS

	# The primary key and the unique constraint are the judge.
	as_owner($copy, 'INSERT INTO made (n) SELECT generate_series(101, 200)');
	is($node->safe_psql($copy, <<"EOS"), '200|t', "$copy: generator numbers continue");
SELECT count(*), min(ids.gid_extract_decimal_generator(id)) FILTER (WHERE n > 100) > $last % 100000 FROM made
EOS
	is($node->safe_psql($copy, $LEASE), '', "$copy: the leases that the dump has not may still run");
	is($node->safe_psql($copy, 'SELECT count(*) FROM gid.node_writer'), '1', "$copy: one row is left");
}

# 2. The commands of the manual, by the owner.
$node->safe_psql('postgres', 'ALTER DATABASE given RENAME TO shop');
owner_runs('the commands of the manual make a copy',
	'sh', '-ec', "cd '$dir'\n" . commands(slurp_file("$FindBin::RealBin/../../doc/operations.md")));
is(as_owner('shop_copy', 'SELECT count(*) FROM made'), 100, 'which has all rows');

# 3. A server without the library, as the manual says.
my $chapter = slurp_file("$FindBin::RealBin/../../doc/managed-servers.md");

mkdir "$dir/plain";
system_or_bail($^X, "$FindBin::RealBin/../../tools/portable.pl", "$dir/plain");
$node->safe_psql('postgres', 'CREATE DATABASE served OWNER owner');
as_owner('served', <<'EOS');
CREATE EXTENSION gid;
CREATE TABLE orders (id bigserial PRIMARY KEY, v7 uuid NOT NULL DEFAULT gid_uuid_v7(), item text);
ALTER TABLE orders ALTER id SET DEFAULT gid_next('orders_id_seq');
INSERT INTO orders (item) SELECT 'tea' FROM generate_series(1, 10);
EOS
# an authority has a row that the dump keeps
$node->safe_psql('served', 'SELECT gid.authority_resume()');
owner_runs('a database with gid is dumped', 'pg_dump', '-Fc', '-f', "$dir/plain/shop.dump", 'served');
owner_runs('and restored without', 'sh', '-ec', "cd '$dir/plain'\n" . commands($chapter));
my ($left_out) = run_command([ 'sh', '-c', "pg_restore -l '$dir/plain/shop.dump' | grep -vxFf '$dir/plain/shop.list'" ]);

is_deeply([ sort map { s/^\d+; \d+ \d+ | \w*$//gr } split /\n/, $left_out ],
	[ 'COMMENT - EXTENSION gid', 'EXTENSION - gid', 'SEQUENCE SET gid decimal_generator', 'TABLE DATA gid node_writer' ],
	'what is left out is of the extension');
is(as_owner('shop_plain', q{SELECT count(*) FROM pg_extension WHERE extname = 'gid'}), 0, 'gid is not there');
is( as_owner('shop_plain', <<'EOS'), '11|t|t', 'rows are, and new ones follow');
WITH new AS (INSERT INTO orders (item) VALUES ('milk') RETURNING id, v7)
SELECT count(*) + 1, min(new.id) > max(old.id), min(new.v7::text) > max(old.v7::text) FROM new, orders AS old
EOS

# 4. What pg_dump -n takes, as doc/applications.md says.
sub dumped
{
	my (@options) = @_;
	my ($text) = run_command([ 'pg_dump', '-h', $node->host, '-p', $node->port, '-U', 'owner', @options, 'served' ]);

	return join ' ', map { $text =~ /\Q$_\E/ ? 1 : 0 } 'CREATE EXTENSION', 'gid.node_writer', 'gid.decimal_generator', 'CREATE TABLE';
}

is(dumped(), '1 1 1 1', 'a dump has the extension, the row of an authority and the position of the sequence');
is(dumped('-n', 'public'), '0 0 0 1', "-n with the schema of gid's functions has nothing of gid");
is(dumped('-n', 'gid'), '0 0 0 0', 'nor has -n gid');
is(dumped('-n', 'public', '-e', 'gid'), '1 1 1 1', 'but with -e gid');
$node->stop;

done_testing();
