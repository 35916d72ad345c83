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
# Nothing but WAL keeps values apart: a promotion skips none.
my $primary = gid_node('primary', "wal_writer_delay = 10s\ngid.timeline_skip = 0", allows_streaming => 1);

$primary->start;
$primary->safe_psql('postgres', 'CREATE EXTENSION gid');
drawn_sequences($primary, 'postgres');
# The backup has the primary's gid.clock in it.
$primary->safe_psql('postgres', "SELECT $CALL{v7}");
$primary->backup('backup');

my $standby = PostgreSQL::Test::Cluster->new('standby');

$standby->init_from_backup($primary, 'backup', has_streaming => 1);
gid_set($standby, 'gid.node_no', 2);
$standby->start;
ok(clock_file($standby), 'the standby has a copy of the file');

# Ids that sessions have printed, in that order: they are distinct and, where asked for,
# increase.
sub check_ids
{
	my ($family, $growing, $name, @ids) = @_;
	my $uuid = $TYPE{$family} eq 'uuid';
	my %times;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$times{$_}++ for @ids;
	none("$family: no id repeats, $name", grep { $times{$_} > 1 } keys %times);
	none("$family: ids increase, $name",
		map { ($uuid ? $ids[ $_ - 1 ] lt $ids[$_] : $ids[ $_ - 1 ] < $ids[$_]) ? () : "$ids[$_ - 1], then $ids[$_]" } 1 .. $#ids)
	  if $growing;
	return;
}

sub ids
{
	my ($session, $family, $n) = @_;

	return split /\n/, $session->safe("SELECT $CALL{$family} FROM generate_series(1, $n)");
}

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
			push @{ $of_primary{$family} }, ids($primary[$i], $family, 150);
			push @{ $of_standby{$family} }, ids($standby[$i], $family, 150);
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
	check_ids($_, 1, 'on the standby, over its kill', @{ $of_standby{$_} });
	check_ids($_, 0, 'primary and standby together', @{ $of_standby{$_} }, @{ $of_primary{$_} });
}

# What an extractor says of the first id of the primary, and of the standby.
sub first_parts
{
	my ($extract, $family) = @_;

	return $primary->safe_psql('postgres', "SELECT $extract('$of_primary{$family}[0]'), $extract('$of_standby{$family}[0]')");
}

is(first_parts('gid_extract_trace_node', 'trace'), '1|2', 'trace ids have their server\'s node_no');
isnt(@$_[0], @$_[1], 'process id and generator are each server\'s own')
  for map { [ split /\|/, first_parts(@$_) ] } [ 'gid_extract_sequential_process', 'sequential' ],
  [ 'gid_extract_shard_generator', 'shard' ];

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
$primary->safe_psql('postgres', 'CREATE DATABASE plain');
$primary->safe_psql('plain', slurp_file("$FindBin::RealBin/../../portable/install.sql") . <<'EOS');
;
CREATE TABLE known (id serial PRIMARY KEY);
CREATE UNLOGGED TABLE unknown (id serial PRIMARY KEY);
EOS
$primary->wait_for_catchup($standby);
is($standby->safe_psql('plain', <<'EOS'), "known||t\nunknown|it is unlogged, and has no rows on a standby|f", 'and in SQL');
SELECT relation, unknown, readable FROM gid.columns ORDER BY 1
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
# A copy of a database whose sequence has an open block is made before: it flushes WAL.
$primary->safe_psql('postgres', 'CREATE DATABASE original');
$primary->safe_psql('original', "CREATE EXTENSION gid; CREATE SEQUENCE s; SELECT gid_next('s') FROM generate_series(1, 5)");
$primary->safe_psql('postgres', 'CREATE DATABASE copied TEMPLATE original STRATEGY wal_log');
my @session = map { session($primary, 'postgres') } 1 .. 4;
my %printed;

$_->safe('BEGIN') for @session;
foreach my $session ((@session) x 2)
{
	push @{ $printed{$_} }, ids($session, $_, 250) for @ALL;
}
my $reserved = $primary->safe_psql('postgres', 'SELECT last_value FROM gid.decimal_generator');

my $drawn = $primary->safe_psql('copied', "SELECT max(gid_next('s')) FROM generate_series(1, 100)");

$primary->wait_for_catchup($standby);
kill9_server($primary);
end_session($_) for @session;
$standby->promote;
my @new = map { session($standby, 'postgres') } 1 .. 2;

foreach my $family (@ALL)
{
	my @again = map { ids($_, $family, 300) } @new;

	check_ids($family, 0, 'over the promotion', @{ $printed{$family} }, @again);
	next if $family ne 'decimal';

	my ($before, $after) = map { int($_ / 100000) % 100000 } $printed{decimal}[-1], $again[0];

	is($before, $reserved % 100000, 'the primary had a generator number');
	cmp_ok($after, '>', $before, 'generator numbers go on where the primary was');
}
end_session($_) for @new;
cmp_ok($standby->safe_psql('copied', "SELECT gid_next('s')"), '>', $drawn, 'so does a sequence of a copied database');

$standby->stop;
done_testing();
