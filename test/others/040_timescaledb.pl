# TimescaleDB: hypertables whose chunks are ranges of gid's ids, of version 7 and of
# Snowflake ids.  Rows come by DEFAULT.  A range of time finds the rows that it finds in
# an ordinary table, whatever its ends are, and reads only the chunks that can have them.
# What is run first is what doc/partitioning.md shows.
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

# How many chunks a query reads, by its plan or, with the option ANALYZE, by what ran.
sub chunks_read
{
	my ($query, $analyze) = @_;
	my $options = $analyze ? 'COSTS OFF, ANALYZE, TIMING OFF, SUMMARY OFF' : 'COSTS OFF';
	my $plan = sql("EXPLAIN ($options) $query");
	my %chunk = map { $_ => 1 } $plan =~ /\bon (_hyper_\w+_chunk)\b/g;

	note($plan);
	return scalar keys %chunk;
}

my $version = sql("SELECT default_version FROM pg_available_extensions WHERE name = 'timescaledb'");
my ($major, $minor) = $version =~ /^(\d+)\.(\d+)/;
my $has_uuids = $major > 2 || $minor >= 24;

note("TimescaleDB $version");

# The blocks of doc/partitioning.md that are marked for this test.
my ($extensions, $uuids, $numbers) =
  slurp_file("$FindBin::RealBin/../../doc/partitioning.md") =~
  /^<!-- test: run by 040_timescaledb -->\n```sql\n(.*?)^```$/msg;

ok(defined $numbers, 'doc/partitioning.md has a block for UUIDs and one for Snowflake ids');
sql($extensions);

# For each family: the block, the table, the id of a moment.
my %family = (
	uuid_v7 => {
		block => $uuids, table => 'reading',
		of => "gid_uuid_v7_at(%s)", min => 'gid_uuid_v7_min(%s)', max => 'gid_uuid_v7_max(%s)' },
	snowflake_id => {
		block => $numbers, table => 'message',
		of => 'gid_make_snowflake_id(%s, 1, 9)', min => 'gid_snowflake_id_min(%s)', max => 'gid_snowflake_id_max(%s)' });

if ($major == 2 && $minor < 22)
{
	isnt(($node->psql('postgres', $uuids))[0], 0, "TimescaleDB $version refuses a column of type uuid");
}
delete $family{uuid_v7} if !$has_uuids;

foreach my $name (sort keys %family)
{
	my ($table, $of, $min, $max) = @{ $family{$name} }{qw(table of min max)};

	# --- the manual's block ---------------------------------------------------

	like(sql($family{$name}{block}), qr/^1$/m, "$name: what the manual shows finds the new row");
	sql("INSERT INTO $table (body) SELECT 'new' FROM generate_series(1, 1000)");
	is(sql("SELECT count(*), count(DISTINCT id) FROM $table WHERE body = 'new'"),
		'1001|1001', "$name: rows come by DEFAULT");
	sql("TRUNCATE $table");

	# --- ten days, a row each hour, and rows at the ends of a day ---------------

	my $at = "'2024-01-01'::timestamptz + n * interval '1 hour'";

	sql("INSERT INTO $table SELECT " . sprintf($of, $at) . ", 'old' FROM generate_series(0, 239) AS n;"
		  . " INSERT INTO $table SELECT x, 'end' FROM unnest(ARRAY["
		  . join(', ', sprintf($max, "'2024-01-03 23:59:59.999'"), sprintf($min, "'2024-01-04'")) . ']) AS x'
		  . " ON CONFLICT DO NOTHING; CREATE TABLE plain_$table AS TABLE $table");
	my $chunks = sql("SELECT count(*) FROM show_chunks('$table')");

	cmp_ok($chunks, '>=', 10, "$name: each day has a chunk");

	# The same rows as in an ordinary table, with constants and with parameters.
	is( sql(<<"EOS"), '576|0|t', "$name: whatever the ends are, no error and the same rows as in an ordinary table");
CREATE FUNCTION asked_$table(since timestamptz, until timestamptz) RETURNS bigint LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan
AS 'BEGIN RETURN (SELECT count(*) FROM $table WHERE gid_${name}_between(id, since, until)); END';
CREATE FUNCTION tried_$table(OUT tried int, OUT wrong int, OUT seen bigint) LANGUAGE plpgsql AS \$\$
DECLARE
	ends timestamptz[] := ARRAY[NULL, '-infinity', '1960-01-01', '2010-11-04 01:42:54.657', '2024-01-03',
		'2024-01-03 23:59:59.9995', '2024-01-04', '2024-01-04 00:00:00.001', '2024-01-09', '2100-01-01', '20000-01-01', 'infinity'];
	since timestamptz;
	until timestamptz;
	call text;
	wanted bigint;
	n bigint;
BEGIN
	tried := 0; wrong := 0; seen := 0;
	FOREACH since IN ARRAY ends LOOP
		FOREACH until IN ARRAY ends LOOP
			call := format('gid_${name}_between(id, %L, %L)', since, until);
			EXECUTE 'SELECT count(*) FROM plain_$table WHERE ' || call INTO wanted;
			FOR way IN 1..4 LOOP
				CASE way
					WHEN 1 THEN EXECUTE 'SELECT count(*) FROM $table WHERE ' || call INTO n;
					WHEN 2 THEN EXECUTE 'SELECT count(*) FROM $table WHERE gid_${name}_between(id, \$1, \$2)' INTO n USING since, until;
					WHEN 3 THEN n := asked_$table(since, until);
					WHEN 4 THEN EXECUTE format('SELECT count(*) FROM $table WHERE gid_${name}_between(id, (SELECT %L::timestamptz), (SELECT %L::timestamptz))', since, until) INTO n;
				END CASE;
				tried := tried + 1; seen := seen + n;
				IF n <> wanted THEN
					wrong := wrong + 1;
					RAISE WARNING '%: % rows instead of %, in way %', call, n, wanted, way;
				END IF;
			END LOOP;
		END LOOP;
	END LOOP;
END \$\$;
SELECT tried, wrong, seen > 1000 FROM tried_$table();
EOS

	# --- the chunks that are read ------------------------------------------------

	# A day of Snowflake ids begins at the hour of the epoch: a chunk more.
	my $more = $name eq 'snowflake_id' ? 1 : 0;
	my $day = "SELECT * FROM $table WHERE gid_${name}_between(id,";

	is(chunks_read("$day '2024-01-03', '2024-01-04')"), 1 + $more, "$name: a day reads its chunk");
	is(chunks_read("$day '2024-01-09', NULL)"), 2 + $more, "$name: so does an open end");
	is(chunks_read("$day '2024-01-09', 'infinity')"), 2 + $more, "$name: infinity as well");
	is(chunks_read("$day NULL, '2024-01-03')"), 2 + $more, "$name: an open beginning");
	is(chunks_read("$day '1960-01-01', '2024-01-03')"), 2 + $more, "$name: a beginning before the range");
	is(chunks_read("$day NULL, NULL)"), $chunks, "$name: two open ends read all");
	is(chunks_read("$day 'infinity', NULL)"), 0, "$name: an end that no id satisfies reads none");
	is(chunks_read("$day NULL, '1960-01-01')"), 0, "$name: so does one before the range");

	sql("INSERT INTO $table (body) VALUES ('newest')");
	is(chunks_read("$day now() - interval '1 hour', NULL)", 1), 1, "$name: the last hour reads the newest chunk");
	is(sql("SELECT body FROM $table WHERE gid_${name}_between(id, now() - interval '1 hour', NULL)"),
		'newest', "$name: and finds its row");

	# --- old chunks go -----------------------------------------------------------

	my ($drop) = $family{$name}{block} =~ /^(SELECT drop_chunks.*?;)/ms;

	is(scalar(split /\n/, sql($drop)), $chunks, "$name: drop_chunks() drops what is old");
	is(sql("SELECT body FROM $table"), 'newest', "$name: and keeps the rest");
}

# A table that has rows: the copy of doc/tables-with-rows.md as a hypertable.
if ($has_uuids)
{
	my ($rows) = slurp_file("$FindBin::RealBin/../../doc/tables-with-rows.md") =~
	  /^## Partitions for old rows, too\n(.*?)^## /ms;
	my ($hypertable) = $rows =~ /^<!-- test: run by 040_timescaledb -->\n```sql\n(.*?)^```$/ms;
	my $recipe = join '', $rows =~ /^<!-- test: as owner of postgres -->\n```sql\n(.*?)^```$/msg;

	$recipe =~ s/^CREATE TABLE story_all.*\n/$hypertable/m or die 'the recipe has no copy';
	$recipe =~ s/^SELECT format\(.*?\\gexec\n//ms or die 'the recipe has no months';
	$recipe =~ s/^SELECT count.*//mg;
	sql($recipe);
	is(sql('SELECT count(*) FROM story'), '100', 'a table with rows: all rows are there');
	cmp_ok(sql("SELECT count(*) FROM show_chunks('story')"), '>=', 4, 'a table with rows: in chunks of a month');
	is(sql("INSERT INTO story (author_id) VALUES (1) RETURNING 1"), '1', 'a table with rows: new rows come by DEFAULT');
	is( sql("INSERT INTO story_note (story_id) SELECT id FROM story; SELECT count(*) FROM story_note"),
		'201', 'a table with rows: and can have notes');
}

# Why each bound is a UUID version 7.
like(
	($node->psql('postgres', "SELECT * FROM reading WHERE id >= '00000000-0000-0000-0000-000000000000'"))[2],
	qr/is not a version 7 UUID/,
	'a hypertable by UUIDs refuses any other constant') if $has_uuids;

done_testing();
