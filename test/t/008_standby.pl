# A hot standby makes the clock-driven ids, distinct from the primary's, and refuses what
# reserves, as it refuses nextval(); promoted, it repeats nothing.
#
# SQL alone cannot test this: it needs two servers.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @ALL = (@FAMILIES, @DRAWN);
my $primary = gid_node('primary', 'wal_writer_delay = 10s', allows_streaming => 1);

$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid');
drawn_sequences($primary, 'postgres');
seen_tables($primary, 'postgres', @ALL);
# The backup has the primary's gid.clock in it.
$primary->safe_psql('postgres', "SELECT $CALL{v7}");
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
gid_set($standby, 'gid.node_no', 2);
$standby->start;
ok(clock_file($standby), 'the standby has a copy of the file');

# 1. Both at once: what each printed is distinct, and the standby's ids increase, also
# over its kill.
my (%of_primary, %of_standby);

foreach my $life (1, 2)
{
	my @primary = map { session($primary, 'postgres') } 1 .. 2;
	my @standby = map { session($standby, 'postgres') } 1 .. 2;

	foreach my $family ((@ORDERED) x 2)
	{
		foreach my $i (0, 1)
		{
			push @{ $of_primary{$family} }, take($primary, $primary[$i], $family, 150);
			push @{ $of_standby{$family} }, take($standby, $standby[$i], $family, 150);
		}
	}
	if ($life == 1)
	{
		kill9_server($standby);
		$standby->start;
	}
	end_session($_) for @primary, @standby;
}
foreach (@ORDERED)
{
	load_file($primary, 'postgres', $_, 2, @{ $of_standby{$_} });
	check_growing($primary, 'postgres', $_, 1, 'on the standby, over its kill');
	load_file($primary, 'postgres', $_, 1, @{ $of_primary{$_} });
	check_growing($primary, 'postgres', $_, 0, 'primary and standby together');
}
is($primary->safe_psql('postgres', <<'EOS'), '1:1 2:2', 'trace ids have their server\'s node_no');
SELECT string_agg(DISTINCT round || ':' || gid_extract_trace_node(id), ' ') FROM seen_trace
EOS
is($primary->safe_psql('postgres', <<'EOS'), '2|2', 'process id and generator are each server\'s own');
SELECT count(DISTINCT gid_extract_sequential_process(s.id)), count(DISTINCT gid_extract_shard_generator(h.id))
FROM (SELECT DISTINCT ON (round) id FROM seen_sequential ORDER BY round) AS s,
	(SELECT DISTINCT ON (round) id FROM seen_shard ORDER BY round) AS h
EOS

# 2. Pure functions and views work on a standby; what reserves fails as nextval() does.
is($standby->safe_psql('postgres', <<'EOS'), '65|0|' . @ORDERED . '|v7', 'extractors, views and gid_inspect()');
SELECT gid_extract_decimal_launch(14150009200065),
	(SELECT count(*) FROM gid.stat_sequences), (SELECT count(*) FROM gid.stat_clock), value
FROM gid_inspect(gid_uuid_v7()) WHERE part = 'family'
EOS
$primary->safe_psql('postgres', <<'EOS');
CREATE SEQUENCE core;
CREATE TABLE known (id int PRIMARY KEY DEFAULT nextval('core'));
INSERT INTO known VALUES (5);
CREATE UNLOGGED TABLE unknown (id serial PRIMARY KEY);
EOS
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', <<'EOS'), "known|5|t\nunknown||", 'gid.columns knows the tables that a standby has');
SELECT relation, c."greatest", behind FROM gid.columns AS c
WHERE relation::text IN ('known', 'unknown') ORDER BY 1
EOS
foreach my $call (
	"nextval('core')", 'gid_decimal_id()', "gid_advance('core', 5)",
	'gid_catch_up()', "gid_next('core')", "gid_next_many('core', 2)",
	"gid_next_gdid('core')", "gid_next_gdid('public', 'core')", "gid_next_gdids('core', 2)",
	"gid_next_code('core', '0')", "gid_forget('core')")
{
	sql_fails($standby, 'postgres', "SELECT $call", '25006',
		"$call on a standby", no_detail => 1, no_hint => 1,
		text => qr/cannot execute \w+\(\) in a read-only transaction/);
}

# 3. Promotion: sessions of the primary have printed ids in transactions that stay open,
# the standby has got the WAL, the primary is killed.
$primary->safe_psql('postgres', join '', map { "TRUNCATE seen_$_;" } @ALL);
my @session = map { session($primary, 'postgres') } 1 .. 4;
my %printed;

$_->safe('BEGIN') for @session;
foreach my $session ((@session) x 2)
{
	push @{ $printed{$_} }, take($primary, $session, $_, 250) for @ALL;
}
my $reserved = $primary->safe_psql('postgres', 'SELECT last_value FROM gid.decimal_generator');

# A copy of a database whose sequence has an open block.
$primary->safe_psql('postgres', 'CREATE DATABASE original');
$primary->safe_psql('original', "CREATE EXTENSION gid; CREATE SEQUENCE s; SELECT gid_next('s') FROM generate_series(1, 5)");
$primary->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE original STRATEGY wal_log');
my $drawn = $primary->safe_psql('copied', "SELECT max(gid_next('s')) FROM generate_series(1, 100)");

$primary->wait_for_catchup($standby);
kill9_server($primary);
end_session($_) for @session;
$standby->promote;
my @new = map { session($standby, 'postgres') } 1 .. 2;

foreach my $family (@ALL)
{
	load_file($standby, 'postgres', $family, 1, @{ $printed{$family} });
	load_file($standby, 'postgres', $family, 2, map { take($standby, $_, $family, 300) } @new);
	check_growing($standby, 'postgres', $family, 0, 'over the promotion');
}
end_session($_) for @new;
is($standby->safe_psql('postgres', <<"EOS"), "1|$reserved|t", 'generator numbers go on where the primary was');
SELECT count(DISTINCT gid_extract_decimal_generator(id)) FILTER (WHERE round = 1),
	6500000 + max(gid_extract_decimal_generator(id)) FILTER (WHERE round = 1),
	min(gid_extract_decimal_generator(id)) FILTER (WHERE round = 2) >
		max(gid_extract_decimal_generator(id)) FILTER (WHERE round = 1)
FROM seen_decimal
EOS
cmp_ok($standby->safe_psql('copied', "SELECT gid_next('s')"), '>', $drawn, 'so does a sequence of a copied database');

$standby->stop;
done_testing();
