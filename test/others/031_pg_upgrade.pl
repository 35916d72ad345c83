# pg_upgrade from older versions of PostgreSQL: rows, indexes on gdid and the extension's
# objects are kept, and no value and no generator number comes twice.
#
# The older versions are those in /usr/lib/postgresql that have their development
# files, or those that GID_UPGRADE_FROM names.
#
# SQL alone cannot test this: it needs two servers of different versions.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Cwd qw(getcwd);
use File::Basename qw(dirname);
use File::Path qw(make_path);
use GidCalls;
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = "$FindBin::RealBin/../..";
my $work = PostgreSQL::Test::Utils::tempdir();
my $CONF = <<'EOC';
gid.launch_id = 64
gid.authority = 3
gid.shard_key = 7
EOC

# --- which versions ----------------------------------------------------------

my ($own) = pg_config_of('pg_config', 'version') =~ / (\d+)/;
my %old;

foreach my $version (split ' ', $ENV{GID_UPGRADE_FROM} || join ' ', map { m{/(\d+)$} } glob '/usr/lib/postgresql/*')
{
	my $pg_config = "/usr/lib/postgresql/$version/bin/pg_config";

	if (-x $pg_config && -e pg_config_of($pg_config, 'includedir-server') . '/postgres.h')
	{
		$old{$version} = $pg_config if $version >= 15 && $version < $own;
	}
	elsif ($ENV{GID_UPGRADE_FROM})
	{
		diag("$version has no server with its development files here, no upgrade from it is tested");
	}
}
plan skip_all => "no version before PostgreSQL $own is here with its server and its development files"
  unless %old;
plan skip_all => "PostgreSQL $own has no pg_upgrade here"
  unless -x pg_config_of('pg_config', 'bindir') . '/pg_upgrade';

# Copies an installation, and builds gid for it: the directory above its programs.
# A server finds its files by the place of its programs.
sub install_old
{
	my ($version, $pg_config) = @_;
	my ($sources, $root) = ("$work/gid-$version", "$work/server-$version");

	foreach my $path (map { pg_config_of($pg_config, $_) } qw(bindir pkglibdir sharedir))
	{
		next if -e "$root$path";
		make_path(dirname("$root$path"));
		run_noted('cp', '-R', $path, "$root$path") or die "could not copy $path";
		# gid as the machine has it
		unlink glob("$root$path/gid.so $root$path/extension/gid[.-]*");
	}
	mkdir $sources or die "$sources: $!";
	run_noted('cp', '-R', map({ "$tree/$_" } qw(Makefile gid.control src)), glob("$tree/gid--*.sql"), $sources)
	  or die 'could not copy the sources';
	run_noted('find', $sources, '(', '-name', '*.o', '-o', '-name', '*.bc', ')', '-delete');
	run_noted('make', '-s', '-j2', '-C', $sources, "PG_CONFIG=$pg_config", 'with_llvm=no', "DESTDIR=$root",
		'all', 'install')
	  or die "could not build gid for PostgreSQL $version";
	return $root . dirname(pg_config_of($pg_config, 'bindir'));
}

# --- the data ----------------------------------------------------------------

# What pg_upgrade copies and gid alone reads: the type gdid, in each kind of index and as
# a key of partitions, domains, arrays and composites of it; sequences; defaults.
my $SCHEMA = <<'EOS';
CREATE SEQUENCE s_next;
CREATE SEQUENCE s_gdid;
CREATE DOMAIN order_no AS gdid CHECK (gid_extract_gdid_authority(VALUE) = 3);
CREATE TYPE pair AS (id gdid, n int);
CREATE TABLE made (
	n int,
	v7 uuid PRIMARY KEY DEFAULT gid_uuid_v7(),
	"decimal" gid_id NOT NULL UNIQUE DEFAULT gid_decimal_id(),
	next gid_js_id NOT NULL UNIQUE DEFAULT gid_next('s_next'),
	gdid order_no NOT NULL UNIQUE DEFAULT gid_next_gdid('s_gdid'),
	ids gdid[] GENERATED ALWAYS AS (ARRAY[gdid::gdid]) STORED,
	one pair GENERATED ALWAYS AS (ROW(gdid::gdid, n)) STORED,
	CHECK (gid_uuid_v7_between(v7, '2024-01-01', '2200-01-01')));
CREATE VIEW recent AS SELECT n, gid_encode(v7, 'crockford') AS text, gid_inspect(gdid)::text AS parts FROM made;
CREATE TABLE in_btree (id gdid);
CREATE TABLE in_hash (id gdid);
CREATE INDEX ON in_btree (id) INCLUDE (id);
CREATE INDEX ON in_hash USING hash (id);
CREATE TABLE spread (id gdid PRIMARY KEY, n int) PARTITION BY HASH (id);
CREATE TABLE spread_0 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE spread_1 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 1);
EOS

my $FILL = <<'EOS';
INSERT INTO spread SELECT gdid, n FROM made;
INSERT INTO in_btree SELECT id FROM spread;
INSERT INTO in_hash SELECT id FROM spread;
EOS

# What pg_upgrade must not change.
my %KEPT = (
	'the rows' => q{SELECT count(*), md5(string_agg(made::text, ' ' ORDER BY v7)) FROM made},
	'the rows of a view' => q{SELECT md5(string_agg(recent::text, ' ' ORDER BY recent::text)) FROM recent},
	'the order of gdid' => q{SELECT md5(string_agg(gdid::text, ' ' ORDER BY gdid)) FROM made},
	'the launch that ALTER DATABASE has set' => q{SHOW gid.launch_id});

# Two sessions, so that blocks are shared; each rolls some rows back, whose values must
# not come again either.  All the values are remembered, and repeats reported.
my (%seen, @repeats);

sub make_rows
{
	my ($node) = @_;

	foreach my $session (map { session($node, 'shop') } 1, 2)
	{
		my $rows = join "\n", map {
			$session->safe("BEGIN; INSERT INTO made (n) SELECT generate_series(1, 50)"
				  . qq{ RETURNING v7, "decimal", next, gdid; $_})
		} 'ROLLBACK', 'COMMIT';

		foreach my $value (split /[|\n]/, $rows)
		{
			push @repeats, $value if $seen{$value}++;
		}
		end_session($session);
	}
	return;
}

# How many ids of spread are found by the index on a table, or the plan if it has no index.
sub found_by_index
{
	my ($node, $table) = @_;
	my $set = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;'
	  . ' SET enable_material = off; SET enable_memoize = off;';
	my $query = "SELECT count(*) FROM spread AS s, LATERAL (SELECT id FROM $table AS t"
	  . ' WHERE t.id = s.id OFFSET 0) AS t';
	my $plan = $node->safe_psql('shop', "$set EXPLAIN (COSTS off) $query");

	return $plan if $plan !~ /(Index Only Scan using|Index Scan using|Bitmap Index Scan on) ${table}_id/;
	return $node->safe_psql('shop', "$set $query");
}

# --- from one version to another ---------------------------------------------

sub upgrade
{
	my ($version, $pg_config) = @_;
	my $path = install_old($version, $pg_config);
	my $old = PostgreSQL::Test::Cluster->new("old_$version", install_path => $path);
	my $title = "from $version to $own";

	note(pg_config_of($pg_config, 'version') . ' to ' . pg_config_of('pg_config', 'version'));
	%seen = @repeats = ();
	$old->init(extra => ['-k']);
	$old->append_conf('postgresql.conf', $CONF);
	$old->start;
	$old->safe_psql('postgres', 'CREATE DATABASE shop');
	$old->safe_psql('shop', 'CREATE EXTENSION gid; CREATE EXTENSION amcheck; ALTER DATABASE shop SET gid.launch_id = 65');
	$old->safe_psql('shop', $SCHEMA);
	make_rows($old);
	$old->safe_psql('shop', $FILL);
	calls_objects($old, 'shop', $old->basedir . '/gdids');
	$old->restart;				# what is left of blocks is given up
	make_rows($old);
	my %kept = map { $_ => $old->safe_psql('shop', $KEPT{$_}) } keys %KEPT;
	my $last = $old->safe_psql('shop', 'SELECT max(next), max(gdid), max("decimal" % 10000000000) FROM made');

	$old->stop;

	# From 18 on checksums are on by default.
	my $new = gid_node("new_$version", $CONF, extra => ['-k']);
	my ($bin) = $new->config_data('--bindir');
	my $directory = getcwd;

	# It leaves a script where it runs.
	chdir $new->basedir or die $new->basedir . ": $!";
	my $good = run_log(
		[
			"$bin/pg_upgrade", '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir,
			'-b', "$path/bin", '-B', $bin, '-s', $new->host, '-p', $old->port, '-P', $new->port
		]);

	chdir $directory or die "$directory: $!";
	unless (ok($good, "$title: pg_upgrade"))
	{
		diag(`grep -h -B 3 -A 3 ERROR '$_'`) for glob($new->data_dir . '/pg_upgrade_output.d/*/log/*');
		return;
	}
	$new->start;
	is($new->safe_psql('shop', $KEPT{$_}), $kept{$_}, "$title: $_") for sort keys %KEPT;
	make_rows($new);
	none("$title: no value comes twice", @repeats);
	my ($next, $gdid, $generator) = split /\|/, $last;

	is($new->safe_psql('shop', <<"EOS"), '100|100|100', "$title: values and generator numbers go on");
SELECT count(*) FILTER (WHERE next > $next), count(*) FILTER (WHERE gdid > '$gdid'),
	count(*) FILTER (WHERE "decimal" % 10000000000 > $generator) FROM made
EOS

	# Indexes
	is(found_by_index($new, "in_$_"), 100, "$title: each gdid is found by its $_ index") for qw(btree hash);
	is($new->safe_psql('shop', <<'EOS'), '', "$title: each gdid is in the partition of its hash");
INSERT INTO spread SELECT id, n FROM spread ON CONFLICT DO NOTHING RETURNING id
EOS
	is($new->safe_psql('shop', <<'EOS'), 7, "$title: amcheck finds nothing in the btrees");
SELECT count(*) FROM (
	SELECT bt_index_check(c.oid, true) FROM pg_class AS c JOIN pg_am AS a ON a.oid = c.relam
	WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace OFFSET 0) AS checked
EOS

	# The extension, as in a fresh database
	$new->safe_psql('postgres', 'CREATE DATABASE fresh');
	$new->safe_psql('fresh', 'CREATE EXTENSION gid; ALTER DATABASE fresh SET gid.launch_id = 65');
	calls_objects($new, 'fresh', $new->basedir . '/gdids');
	my %objects = map { $_ => [ extension_objects($new, $_) ] } qw(shop fresh);

	none("$title: the objects of a fresh installation are there", without(@objects{qw(fresh shop)}));
	none("$title: and no others", without(@objects{qw(shop fresh)}));
	my ($results, @failed) = call_results($new, 'shop', $old->basedir . '/gdids');
	my ($fresh_results, @fresh_failed) = call_results($new, 'fresh', $new->basedir . '/gdids');

	none("$title: each function works", @failed, @fresh_failed);
	is_deeply($results, $fresh_results, "$title: and gives what it gives in a fresh installation");
	is(log_count($new, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, "$title: nothing has crashed");
	$new->stop;
	return;
}

upgrade($_, $old{$_}) for sort { $a <=> $b } keys %old;
done_testing();
