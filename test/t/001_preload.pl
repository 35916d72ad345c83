# The library and its shared memory, without shared_preload_libraries and with it: many
# connections, random bits that no two backends share, the names of locks, memory that
# another version has made, and the library that gid loads itself.
#
# SQL alone cannot test this: it needs servers that are started with other settings, and
# what one session sees of the others.

use strict;
use warnings FATAL => 'all';

use Cwd qw(abs_path);
use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = gid_node('main');

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE TABLE seen (family text, id text, UNIQUE (family, id));
CREATE UNLOGGED TABLE forked (v7 uuid, sequential uuid, shard uuid);
EOS
$node->stop;

# 1. Many connections at once.  The UNIQUE constraint makes pgbench fail on a repeat.
my $all_families = join("\n",
	map { "INSERT INTO seen SELECT '$_', $CALL{$_} FROM generate_series(1, 5);" } @FAMILIES);
my $connections = 0;

foreach my $preload (0, 1)
{
	foreach my $size (20, 1000)
	{
		my $name = ($preload ? 'with' : 'without') . " preload, max_connections $size";
		my $clients = $size == 20 ? 16 : 40;

		gid_set($node, 'max_connections', $size);
		gid_set($node, 'shared_preload_libraries', $preload ? "'gid'" : "''");
		$node->start;
		ok(run_pgbench($node, 'postgres', $all_families, '-c', $clients, '-j', 2, '-t', 2),
			"$clients connections at once, $name");
		$connections += $clients;
		$node->stop;
	}
}
$node->start;
is( $node->safe_psql('postgres',
		q{SELECT string_agg(n::text, ' ') FROM (SELECT count(*) AS n FROM seen GROUP BY family) AS s}),
	join(' ', ($connections * 2 * 5) x @FAMILIES),
	'every connection got its ids of every family');

# 2. Under preload the library's memory is copied by fork: no two backends share random
# bits, and all share the process id and the generator.
ok( run_pgbench($node, 'postgres',
		'INSERT INTO forked VALUES (gid_uuid_v7(), gid_uuid_sequential(), gid_uuid_shard(7))',
		'-C', '-c', 4, '-j', 2, '-t', 15),
	'60 connections of one id each');
is( $node->safe_psql('postgres', <<'EOS'), '60|60|1|1',
SELECT count(*), count(DISTINCT right(replace(v7::text, '-', ''), 14)),
	count(DISTINCT gid_extract_sequential_process(sequential)),
	count(DISTINCT gid_extract_shard_generator(shard))
FROM forked
EOS
	'forked backends have random bits of their own, one process id and one generator');

# 3. The names of gid's locks, as pg_stat_activity shows them: no SQL function shows a
# name without a wait.  A backend that attaches later makes no second one.
my $library = abs_path($node->basedir) . '/locknames.so';
my $include = pg_config_of('pg_config', 'includedir-server');
my $ids = 'DO $$ BEGIN PERFORM gid_uuid_v7(); END $$;';
my $names = 'GidAuthority GidBlock GidClock GidNode';

sub names_after
{
	my ($sql) = @_;

	return join ' ', sort grep { /^Gid/ } split /\s+/, $node->safe_psql('postgres', "$sql SELECT lock_names()");
}

SKIP:
{
	skip 'no C compiler', 1
	  unless run_noted('cc', '-shared', '-fPIC', '-O1', "-I$include", '-o', $library, "$FindBin::RealBin/locknames.c");
	$node->safe_psql('postgres', "CREATE FUNCTION lock_names() RETURNS text LANGUAGE C AS '$library'");
	is(names_after($ids), $names, 'with preload each lock has its name') for 1, 2;
	gid_set($node, 'shared_preload_libraries', "''");
	$node->restart;
	is(names_after(''), '', 'without preload, no name before the first call');
	is(names_after($ids), $names, 'then each lock has one, in each backend') for 1, 2;
	is(names_after(''), $node->pg_version->major >= 19 ? $names : '',
		'a backend that has not attached knows them if the server keeps them');
}

# 4. A session loads libpq with the URI of another server, not with the library, and from
# the server's own directory.
my $LIBPQ = q{SELECT pg_read_file('/proc/self/maps') ~ '/libpq\.so'};
my $URI = q{SET gid.authorities = 'postgresql://u@h/d'};

gid_set($node, 'shared_preload_libraries', "''");
$node->restart;
is($node->safe_psql('postgres', "SELECT gid_uuid_v7() IS NOT NULL; SET dynamic_library_path = '/none'; $LIBPQ; $URI; $LIBPQ"),
	"t\nf\nt", 'without preload: libpq is loaded with a URI');
is($node->safe_psql('postgres', "$URI; $LIBPQ; SELECT gid_uuid_v7() IS NOT NULL; $LIBPQ"),
	"f\nt\nt", 'with a URI that was set before the library as well');
gid_set($node, 'shared_preload_libraries', q{'$libdir/gid'});
gid_set($node, 'dynamic_library_path', "'/none'");
$node->restart;
is($node->safe_psql('postgres', $LIBPQ), 't', 'with preload: the postmaster has loaded it');

# 5. Memory that another version has made: no id, and a hint to restart the server.
# CREATE EXTENSION needs no memory.
SKIP:
{
	my $old = abs_path($node->basedir) . '/oldshmem.so';

	skip 'no C compiler', 1
	  unless run_noted('cc', '-shared', '-fPIC', '-O1', "-I$include", '-o', $old, "$FindBin::RealBin/oldshmem.c");
	gid_set($node, 'shared_preload_libraries', "'$old'");
	gid_set($node, 'dynamic_library_path', q{'$libdir'});
	$node->restart;
	$node->safe_psql('postgres', 'CREATE DATABASE other');
	is(($node->psql('other', 'CREATE EXTENSION gid'))[2], '', 'CREATE EXTENSION says nothing');
	sql_fails($node, 'other', 'SELECT gid_uuid_v7()', '55000', 'no id is made', text => qr/another version of gid.*version 1\.9\..*HINT:.*[Rr]estart/s);
}
is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
$node->stop;

done_testing();
