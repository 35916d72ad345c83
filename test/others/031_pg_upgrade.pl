# pg_upgrade from older versions of PostgreSQL: the data of every family, indexes,
# defaults, domains, partitions and sequences are kept, and no value and no generator
# number comes twice.
#
# The older versions are those in /usr/lib/postgresql that have their development
# files. GID_UPGRADE_FROM names others: their major versions, or directories that have
# bin/pg_config. The other tests keep to one version.
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
autovacuum = off
log_statement = none
statement_timeout = 60s
gid.launch_id = 64
gid.node_no = 1
gid.authority = 3
gid.shard_key = 7
EOC

# --- which versions ------------------------------------------------------

sub major
{
	my ($pg_config) = @_;

	return pg_config_of($pg_config, 'version') =~ /^PostgreSQL (\d+)/ ? $1 : 0;
}

my $own = major('pg_config');
my %old;

foreach my $from (split ' ',
	$ENV{GID_UPGRADE_FROM} || join ' ', map { m{/(\d+)$} } glob '/usr/lib/postgresql/*')
{
	my $pg_config = ($from =~ m{/} ? $from : "/usr/lib/postgresql/$from") . '/bin/pg_config';
	my $pgxs = -x $pg_config ? pg_config_of($pg_config, 'pgxs') : '';
	my $version = -x $pg_config ? major($pg_config) : 0;

	if (   -e $pgxs
		&& -x pg_config_of($pg_config, 'bindir') . '/postgres'
		&& -e pg_config_of($pg_config, 'includedir-server') . '/postgres.h')
	{
		$old{$version} = $pg_config if $version >= 15 && $version < $own;
	}
	elsif ($ENV{GID_UPGRADE_FROM})
	{
		diag("$from: there is no server with its development files, no upgrade from it is tested");
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

# --- the data ------------------------------------------------------------

my $SCHEMA = <<'EOS';
CREATE SEQUENCE s_next;
CREATE SEQUENCE s_down INCREMENT BY -3 MAXVALUE 900000 START 900000 CACHE 10;
CREATE SEQUENCE s_gdid;
CREATE SEQUENCE s_order;
CREATE SEQUENCE s_code;
CREATE SEQUENCE s_spread;
CREATE DOMAIN order_no AS gdid CHECK (gid_extract_gdid_authority(VALUE) = 3);
CREATE DOMAIN code AS text COLLATE "C" CHECK (length(VALUE) = 12);
CREATE TYPE pair AS (id gdid, n int);

-- An id of every family. The primary key and the unique constraints are btrees.
CREATE TABLE made (
	n int NOT NULL,
	v7 uuid PRIMARY KEY DEFAULT gid_uuid_v7(),
	sequential uuid NOT NULL UNIQUE DEFAULT gid_uuid_sequential(),
	shard uuid NOT NULL UNIQUE DEFAULT gid_uuid_shard(),
	trace gid_id NOT NULL UNIQUE DEFAULT gid_trace_id(),
	"decimal" gid_id NOT NULL UNIQUE DEFAULT gid_decimal_id(),
	next gid_js_id NOT NULL UNIQUE DEFAULT gid_next('s_next'),
	down bigint NOT NULL UNIQUE DEFAULT gid_next('s_down'),
	gdid gdid NOT NULL UNIQUE DEFAULT gid_next_gdid('s_gdid'),
	order_no order_no NOT NULL UNIQUE DEFAULT gid_next_gdid('s_order'),
	code code NOT NULL UNIQUE DEFAULT gid_next_code('s_code', '000000000000'),
	made_at timestamptz GENERATED ALWAYS AS (gid_extract_v7_time(v7)) STORED,
	CHECK (gid_uuid_v7_between(v7, '2024-01-01', '2200-01-01')));
CREATE INDEX made_counter ON made (gid_extract_gdid_counter(gdid));
CREATE INDEX made_late ON made (gdid) WHERE gdid > '0:3:100';
CREATE VIEW recent AS
SELECT n, v7, gid_encode(v7, 'crockford') AS text, gid_inspect(gdid)::text AS parts FROM made
WHERE gid_uuid_v7_between(v7, '2024-01-01', '2200-01-01');

-- Each kind of index on gdid has a table of its own, so that nothing else finds a row.
CREATE TABLE in_btree (id gdid);
CREATE TABLE in_hash (id gdid);
CREATE TABLE in_brin (id gdid);
CREATE INDEX ON in_btree (id) INCLUDE (id);
CREATE INDEX ON in_hash USING hash (id);
CREATE INDEX ON in_brin USING brin (id) WITH (pages_per_range = 1);
CREATE TABLE spread (id gdid PRIMARY KEY DEFAULT gid_next_gdid('s_spread'), n int) PARTITION BY HASH (id);
CREATE TABLE spread_0 PARTITION OF spread FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE spread_1 PARTITION OF spread FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE spread_2 PARTITION OF spread FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE TABLE nested (ids gdid[], one pair, bytes bytea, packed bytea, domains order_no[]);
EOS

my $FILL = <<'EOS';
INSERT INTO spread (n) SELECT generate_series(1, 500);
INSERT INTO in_btree SELECT id FROM spread;
INSERT INTO in_hash SELECT id FROM spread;
INSERT INTO in_brin SELECT id FROM spread ORDER BY id;
INSERT INTO nested
SELECT ARRAY[gdid, order_no::gdid], (gdid, n)::pair, gdid::bytea, gid_gdid_pack(gdid), ARRAY[order_no]
FROM made;
EOS

# What pg_upgrade must not change.
my %KEPT = (
	'the rows of every family' =>
	  q{SELECT count(*), md5(string_agg(made::text, ' ' ORDER BY v7)) FROM made},
	'arrays, composites, bytea and arrays of a domain' =>
	  q{SELECT count(*), md5(string_agg(nested::text, ' ' ORDER BY ids)) FROM nested},
	'the rows of a view' => q{SELECT count(*), md5(string_agg(recent::text, ' ' ORDER BY recent::text)) FROM recent},
	'the order of gdid' => q{SELECT md5(string_agg(gdid::text, ' ' ORDER BY gdid)) FROM made},
	'the hash of gdid' => q{SELECT sum(gdid_hash_extended(gdid, 7)), sum(gdid_hash(gdid)) FROM made},
	'the DEFAULTs' => q{
		SELECT string_agg(adrelid::regclass || ' ' || adnum || ' ' || pg_get_expr(adbin, adrelid), ', '
			ORDER BY adrelid::regclass::text, adnum) FROM pg_attrdef},
	'the indexes' => q{
		SELECT string_agg(indexdef, ', ' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'public'},
	'the sequences' => q{
		SELECT string_agg(s::text, ', ' ORDER BY sequencename) FROM (
			SELECT sequencename, data_type, start_value, min_value, max_value, increment_by, cycle,
				cache_size, last_value FROM pg_sequences) AS s},
	'the launch that ALTER DATABASE has set' => q{SHOW gid.launch_id},
	'the version of the extension' => q{SELECT extversion FROM pg_extension WHERE extname = 'gid'});

my @FAMILY = qw(v7 sequential shard trace decimal next down gdid order_no code);
my $ROW = join(', ', map { "\"$_\"" } @FAMILY) . ', gid_extract_decimal_generator("decimal")';
my (%seen, %generators, @repeats);

# Notes the values that a session has printed; "side" is old or new.
sub see
{
	my ($db, $side, $rows) = @_;

	foreach my $row (split /\n/, $rows)
	{
		my @value = split /\|/, $row;

		$generators{$db}{$side}{ pop @value } = 1;
		for my $i (0 .. $#FAMILY)
		{
			push @repeats, "$FAMILY[$i]: $value[$i]" if $seen{$db}{ $FAMILY[$i] }{ $value[$i] }++;
		}
	}
	return;
}

# Several sessions side by side, so that several generator numbers are used; each
# rolls some rows back, whose values must not come again either.
sub make_rows
{
	my ($node, $db, $side) = @_;

	for my $round (1 .. 3)
	{
		my @session = map { session($node, $db) } 1 .. 3;

		foreach my $session (@session)
		{
			see($db, $side, $session->safe("BEGIN; INSERT INTO made (n) SELECT generate_series(1, 10)"
				  . " RETURNING $ROW; ROLLBACK"));
			see($db, $side,
				$session->safe("INSERT INTO made (n) SELECT generate_series(1, 50) RETURNING $ROW"));
			foreach my $value (split /\n/, $session->safe(
				"SELECT gid_next_many('s_next', 7); SELECT gid_next('s_next')"))
			{
				push @repeats, "next: $value" if $seen{$db}{next}{$value}++;
			}
		}
		end_session($_) for @session;
	}
	return;
}

# Each id is found by the index, and by nothing else: returns how many are, or a
# text if the plan does not use it.
sub found_by_index
{
	my ($node, $db, $table) = @_;
	my $set = 'SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;'
	  . ' SET enable_material = off; SET enable_memoize = off;';
	my $query = "SELECT count(*) FROM spread AS s, LATERAL (SELECT id FROM $table AS t"
	  . ' WHERE t.id = s.id OFFSET 0) AS t';
	my $plan = $node->safe_psql($db, "$set EXPLAIN (COSTS off) $query");

	return $plan if $plan !~ /(Index Only Scan using|Index Scan using|Bitmap Index Scan on) ${table}_id/;
	return $node->safe_psql($db, "$set $query");
}

# --- from one version to another -----------------------------------------

sub upgrade
{
	my ($version, $pg_config) = @_;
	my $path = install_old($version, $pg_config);
	my $old = PostgreSQL::Test::Cluster->new("old_$version", install_path => $path);
	my $title = "from $version to $own";
	my $db = 'shop';
	my %kept;

	note(pg_config_of($pg_config, 'version') . ' to ' . pg_config_of('pg_config', 'version'));
	%seen = %generators = @repeats = ();
	# From 18 on checksums are on by default.
	$old->init(extra => ['-k']);
	$old->append_conf('postgresql.conf', $CONF);
	$old->start;
	$old->safe_psql('postgres', "CREATE DATABASE $db");
	$old->safe_psql($db, 'CREATE EXTENSION gid; CREATE EXTENSION amcheck');
	$old->safe_psql($db, "LOAD 'gid'; ALTER DATABASE $db SET gid.launch_id = 65");
	$old->safe_psql($db, $SCHEMA);
	make_rows($old, $db, 'old');
	$old->safe_psql($db, $FILL);
	calls_objects($old, $db, $old->basedir . "/gdids_$db");
	make_rows($old, $db, 'old');
	$old->safe_psql($db, 'CREATE TABLE mark AS SELECT v7 FROM made ORDER BY v7 DESC LIMIT 1');
	$old->restart;				# what is left of blocks and leases is given up
	%kept = map { $_ => $old->safe_psql($db, $KEPT{$_}) } keys %KEPT;
	$old->stop;

	my $new = PostgreSQL::Test::Cluster->new("new_$version");
	my ($bin) = $new->config_data('--bindir');
	my $directory = getcwd;

	$new->init(extra => ['-k']);
	$new->append_conf('postgresql.conf', $CONF);
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
	is($new->safe_psql($db, "SELECT current_setting('server_version_num')::int / 10000"), $own,
		"$title: the new server runs");
	$new->safe_psql('postgres', 'CREATE DATABASE fresh');
	$new->safe_psql('fresh', 'CREATE EXTENSION gid; ALTER DATABASE fresh SET gid.launch_id = 65');
	calls_objects($new, 'fresh', $new->basedir . '/gdids_fresh');

	my @fresh = extension_objects($new, 'fresh');
	my ($fresh_results, @fresh_failed) = call_results($new, 'fresh', $new->basedir . '/gdids_fresh');

	is_deeply(\@fresh_failed, [], "$title: in a fresh database each function works");
	is($new->safe_psql($db, $KEPT{$_}), $kept{$_}, "$title: $_") for sort keys %KEPT;
	make_rows($new, $db, 'new');
	is_deeply(\@repeats, [], "$title: no value comes twice");
	@repeats = ();

	my @common = grep { $generators{$db}{old}{$_} } keys %{ $generators{$db}{new} };

	is_deeply(\@common, [], "$title: no generator number comes twice");
	is(scalar(keys %{ $generators{$db}{$_} }), 1, "$title: one $_ generator number for all") for 'old', 'new';
	is( $new->safe_psql($db, <<'EOS'), 't|t|t|t|t|t|t|t', "$title: the ids go on in order");
WITH old AS (SELECT * FROM made WHERE v7 <= (SELECT v7 FROM mark)),
	new AS (SELECT * FROM made WHERE v7 > (SELECT v7 FROM mark))
SELECT (SELECT max(gdid) FROM old) < (SELECT min(gdid) FROM new),
	(SELECT max(order_no) FROM old) < (SELECT min(order_no) FROM new),
	(SELECT max(next) FROM old) < (SELECT min(next) FROM new),
	(SELECT min(down) FROM old) > (SELECT max(down) FROM new),
	(SELECT max(code) FROM old) < (SELECT min(code) FROM new),
	(SELECT max(sequential::text) FROM old) < (SELECT min(sequential::text) FROM new),
	(SELECT max(trace) FROM old) < (SELECT min(trace) FROM new),
	(SELECT count(*) > 0 FROM new)
EOS
	is( $new->safe_psql($db,
			'SELECT DISTINCT gid_extract_decimal_launch("decimal"), gid_extract_gdid_authority(order_no) FROM made'),
		'65|3', "$title: with the launch and the authority");

	# Indexes
	is(found_by_index($new, $db, "in_$_"), 500, "$title: each gdid is found by its $_ index")
	  for qw(btree hash brin);
	is( $new->safe_psql($db, <<'EOS'), '0', "$title: each gdid is in the partition of its hash");
WITH again AS (INSERT INTO spread SELECT id, n FROM spread ON CONFLICT DO NOTHING RETURNING 1)
SELECT count(*) FROM again
EOS
	my ($rc, $out, $err) = $new->psql($db, <<'EOS');
SELECT count(*) FROM (
	SELECT bt_index_check(c.oid, true)
	FROM pg_class AS c JOIN pg_am AS a ON a.oid = c.relam
	WHERE a.amname = 'btree' AND c.relkind = 'i' AND c.relnamespace = 'public'::regnamespace
	OFFSET 0) AS checked
EOS
	is($err, '', "$title: amcheck finds nothing");
	cmp_ok($out, '>=', 15, "$title: in many indexes");
	sql_fails($new, $db, "INSERT INTO made (n, order_no) VALUES (1, '0:4:1')", '23514',
		"$title: a domain over gdid checks", no_detail => 1, no_hint => 1);
	sql_fails($new, $db, 'INSERT INTO made (n, next) VALUES (1, 9007199254740993)', '23514',
		"$title: and a domain of the extension", no_detail => 1, no_hint => 1);

	# The extension
	is($new->safe_psql($db, "SELECT extversion FROM pg_extension WHERE extname = 'gid'"),
		$new->safe_psql('fresh', "SELECT extversion FROM pg_extension WHERE extname = 'gid'"),
		"$title: the extension has the present version");
	my @objects = extension_objects($new, $db);

	is_deeply([ without(\@fresh, \@objects) ], [], "$title: the objects of a fresh installation are there");
	is_deeply([ without(\@objects, \@fresh) ], [], "$title: and no others");
	my ($results, @failed) = call_results($new, $db, $old->basedir . "/gdids_$db");

	is_deeply(\@failed, [], "$title: each function works");
	is_deeply($results, $fresh_results, "$title: and gives what it gives in a fresh installation");
	is(log_count($new, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, "$title: nothing has crashed");
	$new->stop;
	return;
}

upgrade($_, $old{$_}) for sort { $a <=> $b } keys %old;
done_testing();
