# TimescaleDB: hypertables whose chunks are ranges of gid's ids, of version 7 and of
# Snowflake ids: the blocks of doc/partitioning.md and of doc/tables-with-rows.md.  A range
# of time finds the rows that it finds in an ordinary table, whatever its ends are, and
# reads only the chunks that can have them.
#
# SQL alone cannot test this: it needs another extension, which has to be preloaded, and
# which not every machine has.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'TimescaleDB is not installed'
  unless -e pg_config_of('pg_config', 'pkglibdir') . '/timescaledb.so';

# telemetry would ask a server on the internet
my $node = gid_node('main', <<'EOC');
shared_preload_libraries = 'timescaledb'
timescaledb.telemetry_level = off
timezone = 'UTC'
EOC

$node->start;

sub sql
{
	return $node->safe_psql('postgres', shift);
}

my $version = sql("SELECT default_version FROM pg_available_extensions WHERE name = 'timescaledb'");
my ($major, $minor) = $version =~ /^(\d+)\.(\d+)/;
my $has_uuids = $major > 2 || $minor >= 24;
my $MINE = qr/^<!-- test: run by 040_timescaledb -->\n```sql\n(.*?)^```$/ms;
my ($extensions, $uuids, $numbers) = slurp_file("$FindBin::RealBin/../../doc/partitioning.md") =~ /$MINE/g;

note("TimescaleDB $version");
ok(defined $numbers, 'doc/partitioning.md has a block for UUIDs and one for Snowflake ids');
sql($extensions);

# How many chunks a query reads.
sub chunks_read
{
	my $plan = sql("EXPLAIN (COSTS OFF) $_[0]");
	my %chunk = map { $_ => 1 } $plan =~ /\bon (_hyper_\w+_chunk)\b/g;

	note($plan);
	return scalar keys %chunk;
}

# A family: its name, the manual's block, its table, and the id of a moment "at".  A day of
# Snowflake ids begins at the hour of the epoch, so "more" chunks have ids of a day.
sub hypertable
{
	my ($name, $block, $table, $of, $more) = @_;

	like(sql($block), qr/^1$/m, "$name: what the manual shows finds the new row");
	sql("TRUNCATE $table");

	# ten days, a row each hour, and rows at the ends of a day
	sql(<<"EOS");
INSERT INTO $table
SELECT $of, n::text FROM generate_series(0, 239) AS n, LATERAL (SELECT timestamptz '2024-01-01' + n * interval '1 hour' AS at) AS a
UNION ALL VALUES (gid_${name}_max('2024-01-03 23:59:59.999'), 'end'), (gid_${name}_min('2024-01-04'), 'begin')
ON CONFLICT DO NOTHING;
CREATE TABLE plain_$table AS TABLE $table;
CREATE FUNCTION found_$table(query text, since timestamptz, until timestamptz) RETURNS bigint LANGUAGE plpgsql AS \$\$
DECLARE
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM ' || query, since, until) INTO n;
	RETURN n;
END \$\$;
EOS
	is(sql(<<"EOS"), '144|0|t', "$name: whatever the ends are, the same rows as in an ordinary table");
WITH e AS (SELECT unnest(ARRAY[NULL, '-infinity', '1960-01-01', '2010-11-04 01:42:54.657', '2024-01-03',
	'2024-01-03 23:59:59.9995', '2024-01-04', '2024-01-04 00:00:00.001', '2024-01-09', '2100-01-01',
	'20000-01-01', 'infinity']::timestamptz[]) AS at),
found AS (
	SELECT found_$table('plain_$table WHERE gid_${name}_between(id, %L, %L)', s.at, u.at) AS plain,
		found_$table('$table WHERE gid_${name}_between(id, %L, %L)', s.at, u.at) AS constants,
		found_$table('$table WHERE gid_${name}_between(id, (SELECT %L::timestamptz), (SELECT %L::timestamptz))', s.at, u.at) AS later
	FROM e AS s, e AS u)
SELECT count(*), count(*) FILTER (WHERE constants <> plain OR later <> plain), sum(plain) > 1000 FROM found
EOS

	my $day = "SELECT * FROM $table WHERE gid_${name}_between(id,";
	my $chunks = sql("SELECT count(*) FROM show_chunks('$table')");

	cmp_ok($chunks, '>=', 10, "$name: each day has a chunk");
	is(chunks_read("$day '2024-01-03', '2024-01-04')"), 1 + $more, "$name: a day reads its chunk");
	is(chunks_read("$day '2024-01-09', NULL)"), 2 + $more, "$name: an open end reads those after it");
	is(chunks_read("$day NULL, NULL)"), $chunks, "$name: two open ends read all");
	is(chunks_read("$day 'infinity', NULL)"), 0, "$name: an end that no id satisfies reads none");

	my ($drop) = $block =~ /^(SELECT drop_chunks.*?;)/ms;

	sql("INSERT INTO $table (body) VALUES ('newest')");
	is(scalar(split /\n/, sql($drop)), $chunks, "$name: drop_chunks() drops what is old");
	is(sql("SELECT body FROM $table"), 'newest', "$name: and keeps the rest");
	return;
}

hypertable('snowflake_id', $numbers, 'message', 'gid_make_snowflake_id(at, 1, 9)', 1);
if ($has_uuids)
{
	hypertable('uuid_v7', $uuids, 'reading', 'gid_uuid_v7_at(at)', 0);

	# The copy of a table that has rows, as a hypertable.
	my ($rows) = slurp_file("$FindBin::RealBin/../../doc/tables-with-rows.md") =~
	  /^## Partitions for old rows, too\n(.*?)(?:^## |\z)/ms;
	my ($hypertable) = $rows =~ $MINE;
	my $recipe = join '', $rows =~ /^<!-- test: as owner of postgres -->\n```sql\n(.*?)^```$/msg;

	$recipe =~ s/^CREATE TABLE story_all.*\n/$hypertable/m or die 'the recipe has no copy';
	$recipe =~ s/^SELECT format\(.*?\\gexec\n//ms or die 'the recipe has no months';
	$recipe =~ s/^SELECT count.*//mg;
	sql($recipe);
	is(sql('SELECT count(*) FROM story'), '100', 'a table with rows: all rows are there');
	cmp_ok(sql("SELECT count(*) FROM show_chunks('story')"), '>=', 4, 'a table with rows: in chunks of a month');
	is( sql("INSERT INTO story_note (story_id) SELECT id FROM story; SELECT count(*) FROM story_note"),
		'200', 'a table with rows: they can have notes');
}

done_testing();
