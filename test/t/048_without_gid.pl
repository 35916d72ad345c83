# Reading ids without gid: the functions of doc/without-gid.md, in a database that does
# not have gid, answer as gid does, which has made the ids in another database.
#
# SQL alone cannot test this: it reads the functions from the chapter, and needs two
# databases, one of them without gid.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $TREE = "$FindBin::RealBin/../..";

# The functions of the chapter, but for those of a reader, which 041_horizon.pl
# runs.
my $chapter = slurp_file("$TREE/doc/without-gid.md") =~ s/^## Following.*?(?=^## )//msr;
my @functions = $chapter =~ /^(CREATE FUNCTION .*?;)$/msg;

cmp_ok(scalar @functions, '>=', 16, 'the chapter has functions');

my $node = gid_node('main');

$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE plain');
$node->safe_psql('postgres', "SET timezone = 'UTC'; CREATE EXTENSION gid;\n"
	  . slurp_file("$TREE/test/frameworks/without_gid.sql"));
$node->safe_psql('plain', join "\n", @functions);

# --- the same answers ------------------------------------------------------

# Calls whose answer in the other database is another one than gid's.
my $WRONG = <<'EOS';
SET timezone = 'UTC';
DO $$
DECLARE
	row record;
	got text;
BEGIN
	FOR row IN SELECT *, format('%s(%L::%s%s)', fn, arg, type, ', ' || epoch_ms) AS call FROM answer LOOP
		EXECUTE 'SELECT ' || CASE WHEN row.fn LIKE '%\_time'
			THEN 'trim_scale(extract(epoch FROM ' || row.call || ') * 1000000)::text'
			ELSE '(' || row.call || ')::text' END INTO got;
		IF got IS DISTINCT FROM row.want THEN
			INSERT INTO wrong VALUES (row.fn, row.call || ' gives ' || coalesce(got, 'NULL')
				|| ', not ' || coalesce(row.want, 'NULL'));
		END IF;
	END LOOP;
END $$;
EOS

sub wrong
{
	my ($where) = @_;

	$node->safe_psql('plain', "TRUNCATE wrong; $WRONG" =~ s/FROM answer LOOP/FROM answer WHERE $where LOOP/r);
	return $node->safe_psql('plain', 'SELECT what FROM wrong ORDER BY fn, what LIMIT 5');
}

my $answers = $node->safe_psql('postgres', 'COPY answer TO STDOUT');

append_to_file($node->basedir . '/answers', "$answers\n");
$node->safe_psql('plain', <<"EOS");
CREATE TABLE answer (fn text, type text, arg text, epoch_ms bigint, want text);
CREATE TABLE wrong (fn text, what text);
COPY answer FROM '@{[$node->basedir]}/answers';
EOS
is($node->safe_psql('plain', "SELECT count(*) FROM pg_extension WHERE extname = 'gid'"), 0,
	'the other database does not have gid');
foreach my $fn (split /\n/, $node->safe_psql('plain', 'SELECT DISTINCT fn FROM answer ORDER BY 1'))
{
	my $count = $node->safe_psql('plain', "SELECT count(*) FROM answer WHERE fn = '$fn'");

	cmp_ok($count, '>=', 100, "$fn: there are calls");
	is(wrong("fn = '$fn'"), '', "$fn: $count answers are gid's");
}

# --- those that have no counterpart ----------------------------------------

is($node->safe_psql('plain', <<'EOS'), 'user|a|t|t|t|t', 'TypeIDs and ULIDs, there and back');
SELECT typeid_prefix(uuid_to_typeid('user', id)), typeid_prefix(uuid_to_typeid('a', id)),
	typeid_to_uuid(uuid_to_typeid('', id)) = id, uuid_to_typeid('User', id) IS NULL,
	typeid_prefix(uuid_to_typeid('', id)) = '', ulid_time(uuid_to_ulid(id)) = v7_time(id)
FROM (SELECT v7_new() AS id) AS i
EOS
is($node->safe_psql('plain', <<'EOS'), '100|t|t', 'bounds of ULIDs');
SELECT count(*), bool_and(ulid COLLATE "C" BETWEEN ulid_min(v7_time(id)) AND ulid_max(v7_time(id))),
	bool_and(ulid COLLATE "C" < ulid_min(v7_time(id) + interval '1 ms')
		AND ulid COLLATE "C" > ulid_max(v7_time(id) - interval '1 ms'))
FROM (SELECT v7_new() AS id FROM generate_series(1, 100)) AS i, uuid_to_ulid(id) AS ulid
EOS

my @made = split /\n/, $node->safe_psql('plain', 'SELECT v7_new() FROM generate_series(1, 100)');

is( $node->safe_psql('postgres', <<"EOS"), '100|t', 'gid reads what v7_new() makes');
SELECT count(DISTINCT id), bool_and(abs(extract(epoch FROM gid_extract_v7_time(id) - now())) < 3600)
FROM unnest('{@{[join ',', @made]}}'::uuid[]) AS id
EOS

# --- a wrong function is noticed -------------------------------------------

$node->safe_psql('plain',
	q{CREATE OR REPLACE FUNCTION v7_max(at timestamptz) RETURNS uuid IMMUTABLE RETURN v7_min(at)});
like(wrong("fn = 'v7_max'"), qr/gives/, 'a wrong function is found');
$node->stop;
done_testing();
