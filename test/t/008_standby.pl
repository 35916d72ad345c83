# A hot standby makes the clock-driven ids, distinct from the primary's, and
# refuses DecimalIds as it refuses nextval(); promoted, it repeats nothing.
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

my $primary = gid_node('primary', "gid.node_no = 1\nwal_writer_delay = 10s",
	allows_streaming => 1);

$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid');
seen_tables($primary, 'postgres');
# The backup has the primary's gid.clock in it.
$primary->safe_psql('postgres', "SELECT $CALL{v7}");
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
gid_set($standby, 'gid.node_no', 2);
$standby->start;
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'),
	't', 'there is a hot standby');
ok(clock_file($standby), 'the standby has a copy of the file');

# 1. Both at once, a family at a time: what each printed is distinct, and the
# standby's ids increase, too.
my %file;

foreach my $family (@ORDERED)
{
	my @session = map { [ $_, session($_, 'postgres') ] }
	  ($primary, $standby) x 2;

	for (1 .. 2)
	{
		push @{ $file{$family}{ $_->[0]->name } },
		  take($_->[0], $_->[1], $family, 300)
		  for @session;
	}
	end_session($_->[1]) for @session;
	load_file($primary, 'postgres', $family, 2,
		@{ $file{$family}{standby} });
	check_growing($primary, 'postgres', $family, 1, 'on the standby');
	load_file($primary, 'postgres', $family, 1,
		@{ $file{$family}{primary} });
	check_growing($primary, 'postgres', $family, 0,
		'primary and standby together');
}
is( $primary->safe_psql('postgres', <<'EOS'), '1:1 2:2',
SELECT string_agg(DISTINCT round || ':' || gid_extract_trace_node(id), ' ')
FROM seen_trace
EOS
	'trace ids have their server\'s node_no');
is( $primary->safe_psql('postgres', <<'EOS'), '2|2',
SELECT count(DISTINCT gid_extract_sequential_process(s.id)),
	count(DISTINCT gid_extract_shard_generator(h.id))
FROM (SELECT DISTINCT ON (round) id FROM seen_sequential ORDER BY round) AS s,
	(SELECT DISTINCT ON (round) id FROM seen_shard ORDER BY round) AS h
EOS
	'process id and generator are each server\'s own');

# 2. Pure functions work there; DecimalIds and nextval() fail alike.
is( $standby->safe_psql('postgres',
		'SELECT gid_extract_decimal_launch(14150009200065)'),
	65, 'extractors work on a standby');
is($standby->safe_psql('postgres', <<'EOS'), '0|' . @ORDERED . '|v7', 'so do the views and gid_inspect()');
SELECT (SELECT count(*) FROM gid.stat_sequences), (SELECT count(*) FROM gid.stat_clock), value
FROM gid_inspect(gid_uuid_v7()) WHERE part = 'family'
EOS
$primary->safe_psql('postgres', <<'EOS');
CREATE SEQUENCE core;
CREATE TABLE known (id int PRIMARY KEY DEFAULT nextval('core'));
INSERT INTO known VALUES (5);
CREATE UNLOGGED TABLE unknown (id serial PRIMARY KEY);
EOS
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', 'SELECT relation, c."greatest", behind FROM gid.columns AS c WHERE "greatest" = 5 OR relation::text = $$unknown$$ ORDER BY 1'), "known|5|t\nunknown||",
	'gid.columns knows the tables that a standby has');
foreach my $call ("nextval('core')", 'gid_decimal_id()', "gid_advance('core', 5)", 'gid_catch_up()')
{
	sql_fails($standby, 'postgres', "SELECT $call", '25006',
		"$call on a standby", no_detail => 1, no_hint => 1,
		text => qr/cannot execute \w+\(\) in a read-only transaction/);
}

# 3. A kill of the standby.
my $session = session($standby, 'postgres');
my %before = map { $_ => take($standby, $session, $_, 200) } @ORDERED;

kill9_server($standby);
$standby->start;
end_session($session);
$session = session($standby, 'postgres');
foreach (@ORDERED)
{
	$primary->safe_psql('postgres', "TRUNCATE seen_$_");
	load_file($primary, 'postgres', $_, 2, $before{$_}, take($standby, $session, $_, 200));
	check_growing($primary, 'postgres', $_, 1, 'over a kill of the standby');
}
end_session($session);

# 4. Promotion: sessions of the primary have printed ids in transactions that
# stay open, the standby has got the WAL, the primary is killed.
$primary->safe_psql('postgres', join '', map { "TRUNCATE seen_$_;" } @FAMILIES);
my @session = map { session($primary, 'postgres') } 1 .. 4;
my %printed;

$_->safe('BEGIN') for @session;
for (1 .. 2)
{
	foreach my $session (@session)
	{
		push @{ $printed{$_} }, take($primary, $session, $_, 250)
		  for @FAMILIES;
	}
}
my $reserved = $primary->safe_psql('postgres',
	'SELECT last_value FROM gid.decimal_generator');

# A copy of a database whose sequence has an open block.
$primary->safe_psql('postgres', 'CREATE DATABASE original');
$primary->safe_psql('original', "CREATE EXTENSION gid; CREATE SEQUENCE s; SELECT gid_next('s') FROM generate_series(1, 5)");
$primary->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE original STRATEGY wal_log');
my $drawn = $primary->safe_psql('copied', "SELECT max(gid_next('s')) FROM generate_series(1, 100)");

$primary->wait_for_catchup($standby);
kill9_server($primary);
end_session($_) for @session;
$standby->promote;
load_file($standby, 'postgres', $_, 1, @{ $printed{$_} }) for @FAMILIES;
my @new = map { session($standby, 'postgres') } 1 .. 2;

foreach my $family (@FAMILIES)
{
	my @files = map { take($standby, $_, $family, 300) } @new;

	load_file($standby, 'postgres', $family, 2, @files);
	check_growing($standby, 'postgres', $family, 0, 'over the promotion');
}
end_session($_) for @new;
is( $standby->safe_psql('postgres', <<"EOS"), "1|$reserved|t",
SELECT count(DISTINCT gid_extract_decimal_generator(id))
		FILTER (WHERE round = 1),
	6500000 + max(gid_extract_decimal_generator(id)) FILTER (WHERE round = 1),
	min(gid_extract_decimal_generator(id)) FILTER (WHERE round = 2) >
		max(gid_extract_decimal_generator(id)) FILTER (WHERE round = 1)
FROM seen_decimal
EOS
	'generator numbers go on where the primary was');
cmp_ok($standby->safe_psql('copied', "SELECT gid_next('s')"), '>', $drawn, 'so does a sequence of a copied database');

$standby->stop;

done_testing();
