# pg_partman makes and drops the partitions of tables with gid's ids: by the time
# in UUIDs of version 7, with gid's function as its encoder, and by the counter of
# DecimalIds.  What is run is what doc/partitioning.md shows.
#
# SQL alone cannot test this: it needs another extension, which not every machine
# has, in major versions that differ.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = gid_node('main', "timezone = 'UTC'");

$node->start;

my $version = $node->safe_psql('postgres',
	"SELECT default_version FROM pg_available_extensions WHERE name = 'pg_partman'");

plan skip_all => 'this PostgreSQL has no pg_partman' if $version eq '';
note("pg_partman $version");

my ($major, $minor) = $version =~ /^(\d+)\.(\d+)/;
my $chapter = slurp_file("$FindBin::RealBin/../../doc/partitioning.md");

# The blocks of doc/partitioning.md that are marked for this test.
my @block = $chapter =~ /^<!-- test: run by 024_partman -->\n```sql\n(.*?)^```$/msg;

is(scalar @block, 2, 'doc/partitioning.md has a block for UUIDs and one for numbers');
my ($uuids, $numbers) = @block;
my $made;

sub sql
{
	return $node->safe_psql('postgres', shift);
}

# How many partitions a table has, without the default one.
sub partitions
{
	my ($table) = @_;

	return sql(<<"EOS");
SELECT count(*) FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid
WHERE inhparent = '$table'::regclass AND pg_get_expr(relpartbound, c.oid) <> 'DEFAULT'
EOS
}

# How many of them are not exactly a month in UTC.
sub not_a_month
{
	my ($table) = @_;

	return sql(<<"EOS");
SELECT count(*)
FROM (SELECT regexp_match(pg_get_expr(relpartbound, c.oid), \$\$FROM \\('(.+)'\\) TO \\('(.+)'\\)\$\$)::uuid[] AS id
	FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = '$table'::regclass) AS p,
	LATERAL (SELECT date_trunc('month', gid_extract_v7_time(id[1])) AS month) AS m
WHERE id IS NOT NULL
	AND (id[1], id[2]) IS DISTINCT FROM (gid_uuid_v7_min(month), gid_uuid_v7_min(month + interval '1 month'))
EOS
}

# Which partitions a query for the ids of last month reads.
sub read_for_last_month
{
	my ($table) = @_;
	my $plan = sql(<<"EOS");
SET plan_cache_mode = force_custom_plan;
PREPARE month(timestamptz, timestamptz) AS
SELECT * FROM $table WHERE id >= gid_uuid_v7_min(\$1) AND id < gid_uuid_v7_min(\$2);
SELECT format('EXPLAIN EXECUTE month(%L, %L)', month - interval '1 month', month)
FROM date_trunc('month', now()) AS month \\gexec
EOS
	my %read = map { $_ => 1 } $plan =~ /\b(${table}_p\w+?)(?:_pkey)?\b/g;

	return scalar keys %read;
}

# --- UUIDs -----------------------------------------------------------------

if ($major < 5 || ($major == 5 && $minor < 2))
{
	# without the arguments that it does not know
	my ($rc, $out, $err) = $node->psql('postgres',
		$uuids =~ s/,\n +p_time_encoder [^)]*/, p_type => 'native'/r);
	my ($said) = $err =~ /ERROR:  (.*?)\.? Supplied column/;

	isnt($rc, 0, "pg_partman $version refuses a column of type uuid");
	$chapter =~ s/\s+/ /g;
	ok(defined $said && index($chapter, $said) >= 0,
		'with the message that doc/partitioning.md shows')
	  or diag($err);
}
else
{
	sql($uuids);
	cmp_ok(partitions('visit'), '>=', 5, 'UUIDs: there are partitions');
	is(not_a_month('visit'), 0, 'UUIDs: each is a month in UTC');

	sql("INSERT INTO visit (page) SELECT '/' FROM generate_series(1, 1000)");
	is( sql(<<'EOS'), 't', 'UUIDs: new rows are in the partition of this month');
SELECT min(tableoid) = max(tableoid) AND min(tableoid)::regclass::text = format('visit_p%s01', to_char(now(), 'YYYYMM'))
FROM visit
EOS
	is(read_for_last_month('visit'), 1, 'UUIDs: a query of one month reads one partition');

	# Its own encoder's bounds lie below the smallest id of the month.
	sql(<<"EOS" . $uuids =~ s/.*(?=CREATE TABLE)//sr =~ s/\bvisit\b/own/gr
DROP FUNCTION gid_v7_time(text);
EOS
		  =~ s/public\.gid_uuid_v7_min/partman.uuid7_time_encoder/r
		  =~ s/public\.gid_v7_time/partman.uuid7_time_decoder/r);
	cmp_ok(not_a_month('own'), '>=', 5, "UUIDs: pg_partman's own bounds are others");
	is(read_for_last_month('own'), 2, 'UUIDs: with them the same query reads two');
	sql('DROP TABLE own CASCADE; DELETE FROM partman.part_config'
		  . " WHERE parent_table = 'public.own'");

	# Sequential UUIDs, as the chapter says.
	sql($uuids =~ s/.*(?=CREATE TABLE)//sr =~ s/\bvisit\b/tick/gr
		  =~ s/gid_uuid_v7/gid_uuid_sequential/gr =~ s/gid_v7_time/gid_sequential_time/gr
		  =~ s/gid_extract_v7_time/gid_extract_sequential_time/r);
	sql("INSERT INTO tick (page) VALUES ('/')");
	is( sql("SELECT tableoid::regclass::text = format('tick_p%s01', to_char(now(), 'YYYYMM')) FROM tick"),
		't', 'UUIDs: sequential ones go the same way');

	# The oldest months go, with their rows; the next ones come.
	my $before = partitions('visit');

	sql("INSERT INTO visit SELECT gid_uuid_v7_at(date_trunc('month', now()) - interval '3 months'), 'old'");
	sql("SELECT partman.run_maintenance()");
	is(sql("SELECT count(*) FROM visit WHERE page = 'old'"), '1', 'UUIDs: within the retention a row stays');
	sql("UPDATE partman.part_config SET retention = '1 month', premake = premake + 2");
	sql("SELECT partman.run_maintenance()");
	is(sql("SELECT count(*) FILTER (WHERE page = 'old'), count(*) FROM visit"),
		'0|1000', 'UUIDs: then its partition is dropped, and no other row');
	is( sql(<<'EOS'), 't', 'UUIDs: and two months more are there');
SELECT to_regclass(format('visit_p%s01',
	to_char(date_trunc('month', now()) + (premake * interval '1 month'), 'YYYYMM'))) IS NOT NULL
FROM partman.part_config WHERE parent_table = 'public.visit'
EOS
	is(not_a_month('visit'), 0, 'UUIDs: each is a month in UTC');

	# Why the chapter says UTC: the last of February is followed by the 28th
	# of March.
	sql("UPDATE partman.part_config SET premake = premake + 12");
	sql("SET timezone = 'America/New_York'; SELECT partman.run_maintenance()");
	cmp_ok(not_a_month('visit'), '>=', 1,
		'UUIDs: maintenance in another time zone makes other bounds');
}

# A table that has rows: the copy of doc/tables-with-rows.md, with pg_partman's months.
if ($major > 5 || ($major == 5 && $minor >= 2))
{
	my ($rows) = slurp_file("$FindBin::RealBin/../../doc/tables-with-rows.md") =~
	  /^## Partitions for old rows, too\n(.*?)^## /ms;
	my ($months, $rename) = $rows =~ /^<!-- test: run by 024_partman -->\n```sql\n(.*?)^```$/msg;
	my $recipe = join '', $rows =~ /^<!-- test: as owner of postgres -->\n```sql\n(.*?)^```$/msg;

	$recipe =~ s/^SELECT format\(.*?\\gexec\n/$months/ms or die 'the recipe has no months';
	$recipe =~ s/^SELECT count.*//mg;
	sql('DROP FUNCTION gid_v7_time CASCADE');
	sql($recipe . $rename);
	is(sql('SELECT count(*) FROM story'), '100', 'a table with rows: all rows are there');
	is(not_a_month('story'), 0, 'a table with rows: each partition is a month in UTC');
	cmp_ok(partitions('story'), '>=', 8, 'a table with rows: of the past and of the future');
	$made = partitions('story');
	sql("UPDATE partman.part_config SET premake = premake + 2 WHERE parent_table = 'public.story'");
	sql("SELECT partman.run_maintenance('public.story')");
	is(partitions('story'), $made + 2, 'a table with rows: maintenance goes on with it');
	is(not_a_month('story'), 0, 'a table with rows: each partition is a month in UTC');
	is(sql("INSERT INTO story (author_id) VALUES (1) RETURNING tableoid::regclass::text LIKE '%' || to_char(now(), 'YYYYMM') || '01'"),
		't', 'a table with rows: a new row is in its month');
}

# --- numbers ---------------------------------------------------------------

$numbers =~ s/'range'/'native'/ if $major < 5;
sql($numbers);
cmp_ok(partitions('complaint'), '>=', 2, 'numbers: there are partitions');
sql(<<'EOS');
INSERT INTO complaint SELECT gid_make_decimal_id(c, 92, 65), c::text FROM unnest(ARRAY[1, 999999, 1000000, 1999999]) AS c
EOS
is( sql("SELECT string_agg(format('%s %s', tableoid::regclass, subject), ', ' ORDER BY id) FROM complaint"),
	'complaint_p0 1, complaint_p0 999999,'
	  . ' complaint_p10000000000000000 1000000, complaint_p10000000000000000 1999999',
	'numbers: a million counters are a partition');
$made = partitions('complaint');
sql("SELECT partman.run_maintenance('public.complaint')");
cmp_ok(partitions('complaint'), '>', $made, 'numbers: maintenance makes the next one');

# --- TraceIds --------------------------------------------------------------

# Why the chapter says that pg_partman cannot go on with them: it has no partition
# for the end of their range, nor for the ids that begin again behind it.
sql($numbers =~ s/\bcomplaint\b/request/gr
	  =~ s/p_interval => .*\)/p_interval => (1::bigint << 59)::text, p_start_partition => (12::bigint << 59)::text, p_premake => 1)/r);
foreach my $n (13 .. 16)
{
	sql(<<"EOS");
INSERT INTO request SELECT gid_make_trace_id(timestamptz 'epoch' + interval '1 second' * $n * 2^21, 1, 0, 1), $n
EOS
	$node->psql('postgres', "SELECT partman.run_maintenance('public.request')");
}
is( sql(<<"EOS"), '13 t, 14 t, 15 f, 16 f', 'TraceIds: pg_partman does not come round with them');
SELECT string_agg(format('%s %s', subject, tableoid::regclass::text <> 'request_default'), ', ' ORDER BY subject)
FROM request
EOS

done_testing();
