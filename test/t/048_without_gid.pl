# Without gid: the functions of doc/without-gid.md can be made in a database that does not
# have gid, and answer as gid does.  The reader of new rows misses none over a backend's
# crash, and none of a prepared transaction.
#
# SQL alone cannot test this: it reads the functions from the chapter, and needs two
# databases, one of them without gid, and a backend that is killed.  041_horizon.pl has the
# reader beside many writers.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $TREE = "$FindBin::RealBin/../..";

my $text = slurp_file("$TREE/doc/without-gid.md");
my ($reader) = $text =~ /^<!-- test: run by 041_horizon -->\n```sql\n(.*?)^```$/ms;
# The functions of the chapter, but for those of the reader.
my $chapter = $text =~ s/^## Following.*?(?=^## )//msr;
my $functions = join "\n", $chapter =~ /^(CREATE FUNCTION (?!gid_).*?;)$/msg;
my $node = gid_node('main');

$node->append_conf('postgresql.conf', "timezone = 'UTC'\nmax_prepared_transactions = 5");
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

# --- the reader, over a crash ----------------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE reading');
$node->safe_psql('reading', "CREATE TABLE orders (id bigserial PRIMARY KEY, item text); $reader");

# One poll, in a session of its own.
sub poll
{
	return $node->safe_psql('reading', "SELECT coalesce(string_agg(id::text, ' ' ORDER BY id), '') FROM new_orders()");
}

# A transaction draws first, and is open when a poll records the transactions.  Then all
# processes but the postmaster begin again.
foreach my $how ('prepared before the crash', 'prepared and sampled before the crash', 'ended by the crash')
{
	my $early = session($node, 'reading');
	my $last;

	poll() for 1 .. 3;
	$last = $node->safe_psql('reading', 'SELECT last FROM reader');
	$early->safe("BEGIN; INSERT INTO orders (item) VALUES ('early')");
	my $late = $node->safe_psql('reading', "INSERT INTO orders (item) VALUES ('late') RETURNING id");

	is(poll(), '', "$how: nothing is complete yet");
	$early->safe("PREPARE TRANSACTION 'early'") if $how =~ /prepared/;
	is(poll(), '', "$how: and not at the next poll") if $how =~ /sampled/;
	my $started = $node->safe_psql('reading', 'SELECT pg_postmaster_start_time()');

	kill9_backend($node, 'SELECT 1');
	end_session($early);
	is($node->safe_psql('reading', 'SELECT pg_postmaster_start_time()'), $started, "$how: the postmaster stays");
	if ($how =~ /prepared/)
	{
		is(join('', map { poll() } 1 .. 4), '', "$how: a prepared transaction holds the reader");
		$node->safe_psql('reading', "COMMIT PREPARED 'early'");
	}
	# of rows that were rolled back the ids are gone
	my @polls = grep { $_ ne '' } map { poll() } 1 .. 4;

	is("@polls", $how =~ /prepared/ ? ($last + 1) . " $late" : $late, "$how: then all rows come, and once");
}
$node->stop;
done_testing();
