# Reading ids without gid: the functions of doc/without-gid.md can be made in a database
# that does not have gid, and answer as gid does.
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
my $functions = join "\n", $chapter =~ /^(CREATE FUNCTION (?!gid_).*?;)$/msg;
my $node = gid_node('main');

$node->append_conf('postgresql.conf', "timezone = 'UTC'");
$node->start;
$node->safe_psql('postgres', 'CREATE DATABASE plain');
$node->safe_psql('plain', $functions);
$node->safe_psql('postgres', "CREATE EXTENSION gid; CREATE SCHEMA plain;\n"
	  . slurp_file("$TREE/test/frameworks/without_gid.sql") . "; SET search_path = plain;\n$functions");

# --- the same answers ------------------------------------------------------

# Of each function how many calls there are, how many answers are others than gid's, and
# one of these.  A time is in microseconds.
sub compare
{
	return split /\n/, $node->safe_psql('postgres', <<'EOS');
SET search_path = public, plain;
SELECT format('SELECT %L, count(*), count(*) FILTER (WHERE wrong), min(arg) FILTER (WHERE wrong)'
		' FROM (SELECT arg, %s IS DISTINCT FROM want AS wrong FROM answer'
		' WHERE fn = %L AND (epoch_ms IS NULL) = %L) AS a',
	fn, CASE WHEN fn LIKE '%\_time' THEN format('us(%s)', call) ELSE format('(%s)::text', call) END, fn, no_epoch)
FROM (SELECT DISTINCT fn, epoch_ms IS NULL AS no_epoch,
	format('%s(arg::%s%s)', fn, type, CASE WHEN epoch_ms IS NOT NULL THEN ', epoch_ms' END) AS call FROM answer) AS c
ORDER BY fn \gexec
EOS
}

my @compared = compare();

cmp_ok(scalar @compared, '>=', 11, 'functions are compared');
foreach (@compared)
{
	my ($fn, $calls, $wrong, $one) = split /\|/;

	ok($calls >= 4 && $wrong == 0, "$fn: $calls answers are gid's") or diag("$wrong are not: $one");
}

# --- those that have no counterpart ----------------------------------------

is($node->safe_psql('plain', <<'EOS'), 'user|t|t|t|t', 'TypeIDs and ULIDs, there and back');
SELECT typeid_prefix(uuid_to_typeid('user', id)), typeid_prefix(uuid_to_typeid('', id)) = '',
	typeid_to_uuid(uuid_to_typeid('', id)) = id, uuid_to_typeid('User', id) IS NULL,
	ulid_time(uuid_to_ulid(id)) = v7_time(id)
FROM (SELECT v7_new() AS id) AS i
EOS
is($node->safe_psql('plain', <<'EOS'), 't|t|f|f', 'bounds of ULIDs');
SELECT ulid BETWEEN ulid_min(at) AND ulid_max(at), ulid_min(at) = ulid_min(at + interval '999 us'),
	ulid >= ulid_min(at + interval '1 ms'), ulid <= ulid_max(at - interval '1 ms')
FROM (SELECT v7_time(id) AS at, uuid_to_ulid(id) COLLATE "C" AS ulid FROM v7_new() AS id) AS i
EOS
my $made = $node->safe_psql('plain', 'SELECT v7_new()');

is($node->safe_psql('postgres', "SELECT abs(extract(epoch FROM gid_extract_v7_time('$made') - now())) < 3600"),
	't', 'gid reads what v7_new() makes');

# --- a wrong function is noticed -------------------------------------------

$node->safe_psql('postgres',
	q{CREATE OR REPLACE FUNCTION plain.v7_max(at timestamptz) RETURNS uuid IMMUTABLE RETURN plain.v7_min(at)});
ok((grep { /^v7_max\|\d+\|[1-9]/ } compare()), 'a wrong function is found');
$node->stop;
done_testing();
