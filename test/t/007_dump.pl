# A database owner who is no superuser dumps a database with gid and restores
# it: the generator numbers of DecimalIds go on, nothing repeats.
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
CREATE DATABASE source OWNER owner;
EOS

sub as_owner
{
	my ($db, $sql) = @_;

	return $node->safe_psql($db, $sql,
		extra_params => [ '-U', 'owner' ]);
}

sub generators
{
	my ($db) = @_;

	return $node->safe_psql($db,
		'SELECT DISTINCT gid_extract_decimal_generator(id) FROM made ORDER BY 1');
}

# 1. The owner creates the extension, in a schema of that user's choice, and
# fills tables; the settings of the database are the owner's, too.
as_owner('source', <<'EOS');
CREATE SCHEMA ids;
CREATE EXTENSION gid SCHEMA ids;
CREATE TABLE made (
	id bigint PRIMARY KEY DEFAULT ids.gid_decimal_id(),
	v7 uuid NOT NULL UNIQUE DEFAULT ids.gid_uuid_v7(),
	sequential uuid NOT NULL UNIQUE DEFAULT ids.gid_uuid_sequential(),
	shard uuid NOT NULL UNIQUE DEFAULT ids.gid_uuid_shard(7),
	trace bigint NOT NULL UNIQUE DEFAULT ids.gid_trace_id(),
	snowflake bigint NOT NULL UNIQUE DEFAULT ids.gid_snowflake_id(),
	n int);
EOS
is( $node->safe_psql('source', 'SHOW is_superuser',
		extra_params => [ '-U', 'owner' ]),
	'off', 'the owner is no superuser');
for (1 .. 3)
{
	# Sessions side by side, so that several generators are used.
	my @session = map {
		session($node, 'source', '-U', 'owner')
	} 1 .. 3;

	$_->safe('INSERT INTO made (n) SELECT generate_series(1, 100)')
	  for @session;
	end_session($_) for @session;
}
my $last = $node->safe_psql('source',
	'SELECT last_value FROM ids.gid_decimal_generator');
my $rows = $node->safe_psql('source', 'SELECT count(*) FROM made');

note("$rows rows, last generator value $last");
is($rows, 900, 'rows are there');

# 2. Dump and restore, as text and in the custom format, by the owner.
foreach my $format ('plain', 'custom')
{
	my $file = "$dir/dump.$format";

	$node->command_ok(
		[
			'pg_dump', '-U', 'owner', '-F', $format, '-f', $file, 'source'
		],
		"$format: the owner dumps");
	$node->safe_psql('postgres', "CREATE DATABASE $format OWNER owner");
	if ($format eq 'plain')
	{
		$node->command_ok(
			[
				'psql', '-X', '-q', '-U', 'owner', '-v', 'ON_ERROR_STOP=1',
				'-f', $file, $format
			],
			"$format: the owner restores");
	}
	else
	{
		$node->command_ok(
			[ 'pg_restore', '-U', 'owner', '-e', '-d', $format, $file ],
			"$format: the owner restores");
	}
	is( $node->safe_psql($format,
			'SELECT last_value, is_called FROM ids.gid_decimal_generator'),
		"$last|t",
		"$format: the generator sequence has its value");
	is( $node->safe_psql($format, <<'EOS'), 'owner|owner',
SELECT pg_get_userbyid(e.extowner), pg_get_userbyid(c.relowner)
FROM pg_extension AS e, pg_class AS c
WHERE e.extname = 'gid' AND c.relname = 'gid_decimal_generator'
EOS
		"$format: extension and sequence are the owner's");

	# New ids beside the restored ones, in several sessions: the primary key
	# and the unique constraints are the judge.
	my @session = map {
		session($node, $format, '-U', 'owner')
	} 1 .. 3;

	$_->safe('INSERT INTO made (n) SELECT generate_series(101, 200)')
	  for @session;
	end_session($_) for @session;
	is( $node->safe_psql($format,
			'SELECT count(*), count(DISTINCT id) FROM made'),
		'1200|1200',
		"$format: nothing repeats");
	is( $node->safe_psql($format, <<"EOS"), 't',
SELECT min(ids.gid_extract_decimal_generator(id)) > $last % 100000
FROM made WHERE n > 100
EOS
		"$format: generator numbers continue");
	is( $node->safe_psql($format, <<'EOS'), 't',
SELECT min(trace) FILTER (WHERE n > 100) > max(trace) FILTER (WHERE n <= 100)
	AND min(snowflake) FILTER (WHERE n > 100) > max(snowflake) FILTER (WHERE n <= 100)
FROM made
EOS
		"$format: trace and Snowflake ids of the same server continue");
}

# 3. The commands of the manual, by the owner.
my ($commands) =
  slurp_file("$FindBin::RealBin/../../doc/operations.md") =~
  /^<!-- test: run by 007_dump -->\n```sh\n(.*?)^```$/ms;

$node->safe_psql('postgres',
	'ALTER ROLE owner CREATEDB; ALTER DATABASE source RENAME TO shop');
{
	local %ENV = (%ENV, PGUSER => 'owner', PGHOST => $node->host, PGPORT => $node->port);

	command_ok([ 'sh', '-ec', "cd '$dir'\n$commands" ],
		'the commands of the manual make a copy');
}
is(as_owner('shop_copy', 'SELECT count(*) FROM made'), $rows, 'which has all rows');

$node->stop;

done_testing();
