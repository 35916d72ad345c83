# pg_partman makes and drops the partitions of tables with gid's ids: the blocks of
# doc/partitioning.md, and the copy of a table that has rows in doc/tables-with-rows.md.
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

my ($major, $minor) = split /\./, $version;
my $chapter = slurp_file("$FindBin::RealBin/../../doc/partitioning.md");
my $MINE = qr/^<!-- test: run by 024_partman -->\n```sql\n(.*?)^```$/ms;
my ($uuids, $numbers) = $chapter =~ /$MINE/g;

ok(defined $numbers, 'doc/partitioning.md has a block for UUIDs and one for numbers');

sub sql
{
	return $node->safe_psql('postgres', shift);
}

# How many partitions a table has, without the default one, and how many of them are
# exactly a month in UTC.
sub partitions
{
	return sql(<<"EOS");
SELECT count(*) FROM pg_inherits WHERE inhparent = '$_[0]'::regclass AND inhrelid::regclass::text !~ 'default'
EOS
}

sub months
{
	return sql(<<"EOS");
SELECT count(*)
FROM (SELECT regexp_match(pg_get_expr(relpartbound, c.oid), \$\$FROM \\('(.+)'\\) TO \\('(.+)'\\)\$\$)::uuid[] AS id
	FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid WHERE inhparent = '$_[0]'::regclass) AS p,
	LATERAL (SELECT date_trunc('month', gid_extract_v7_time(id[1])) AS month) AS m
WHERE id[1] = gid_uuid_v7_min(month) AND id[2] = gid_uuid_v7_min(month + interval '1 month')
EOS
}

# The suffix of this month's partition.
my $THIS_MONTH = sql("SELECT to_char(now(), '_\"p\"YYYYMM01')");

# --- UUIDs -------------------------------------------------------------------

if ($major < 5 || ($major == 5 && $minor < 2))
{
	# without the arguments that it does not know
	my ($rc, $out, $err) = $node->psql('postgres',
		$uuids =~ s/,\n +p_time_encoder [^)]*/, p_type => 'native'/r);
	my ($said) = $err =~ /ERROR:  (.*?)\.? Supplied column/;

	ok(defined $said && index($chapter =~ s/\s+/ /gr, $said) >= 0,
		'UUIDs are refused with the message that doc/partitioning.md shows')
	  or diag($err);
}
else
{
	sql($uuids);
	cmp_ok(partitions('visit'), '>=', 5, 'UUIDs: there are partitions');
	is(months('visit'), partitions('visit'), 'UUIDs: each is a month in UTC');
	is(sql("INSERT INTO visit (page) VALUES ('/') RETURNING tableoid::regclass"), "visit$THIS_MONTH",
		'UUIDs: a new row is in the partition of this month');
	sql("INSERT INTO visit SELECT gid_uuid_v7_at(date_trunc('month', now()) - interval '3 months'), 'old'");
	my $before = partitions('visit');

	sql("SELECT partman.run_maintenance()");
	is(sql('SELECT count(*) FROM visit'), 2, 'UUIDs: within the retention a row stays');
	sql("UPDATE partman.part_config SET retention = '1 month', premake = premake + 9");
	sql("SELECT partman.run_maintenance()");
	is(sql('SELECT page FROM visit'), '/', 'UUIDs: then its partition is dropped, and no other row');
	cmp_ok(partitions('visit'), '>', $before, 'UUIDs: and the next months come');
	is(months('visit'), partitions('visit'), 'UUIDs: each is a month in UTC');

	# The copy of a table that has rows, with pg_partman's months.
	my ($rows) = slurp_file("$FindBin::RealBin/../../doc/tables-with-rows.md") =~
	  /^## Partitions for old rows, too\n(.*?)(?:^## |\z)/ms;
	my ($months, $rename) = $rows =~ /$MINE/g;
	my $recipe = join '', $rows =~ /^<!-- test: as owner of postgres -->\n```sql\n(.*?)^```$/msg;

	$recipe =~ s/^SELECT format\(.*?\\gexec\n/$months/ms or die 'the recipe has no months';
	$recipe =~ s/^SELECT count.*//mg;
	sql('DROP FUNCTION gid_v7_time CASCADE');
	sql($recipe . $rename);
	is(sql('SELECT count(*) FROM story'), '100', 'a table with rows: all rows are there');
	my $made = partitions('story');

	sql("UPDATE partman.part_config SET premake = premake + 2 WHERE parent_table = 'public.story'");
	sql("SELECT partman.run_maintenance('public.story')");
	is(partitions('story'), $made + 2, 'a table with rows: maintenance goes on with it');
	is(months('story'), $made + 2, 'a table with rows: each partition is a month in UTC');
	like(sql('INSERT INTO story (author_id) VALUES (1) RETURNING tableoid::regclass'), qr/$THIS_MONTH$/,
		'a table with rows: a new row is in its month');
}

# --- numbers -----------------------------------------------------------------

$numbers =~ s/'range'/'native'/ if $major < 5;
sql($numbers);
is(sql(<<'EOS'), "complaint_p0 2\ncomplaint_p10000000000000000 2", 'numbers: a million counters are a partition');
INSERT INTO complaint SELECT gid_make_decimal_id(c, 92, 65), c::text FROM unnest(ARRAY[1, 999999, 1000000, 1999999]) AS c;
SELECT format('%s %s', tableoid::regclass, count(*)) FROM complaint GROUP BY tableoid ORDER BY 1
EOS
my $made = partitions('complaint');

sql("SELECT partman.run_maintenance('public.complaint')");
cmp_ok(partitions('complaint'), '>', $made, 'numbers: maintenance makes the next one');

done_testing();
