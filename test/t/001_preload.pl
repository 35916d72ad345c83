# The library and its shared memory, without shared_preload_libraries and with it: many
# connections, random bits that no two backends share, memory that another version has
# made, and the library that gid loads itself.
#
# SQL alone cannot test this: it needs servers that are started with other settings, and
# what one session sees of the others.

use strict;
use warnings FATAL => 'all';

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

foreach my $way ([ 20, 16, '' ], [ 1000, 40, '' ], [ 1000, 40, 'gid' ], [ 20, 16, 'gid' ])
{
	my ($size, $clients, $preload) = @$way;

	gid_set($node, 'max_connections', $size);
	gid_set($node, 'shared_preload_libraries', "'$preload'");
	$node->restart;
	ok(run_pgbench($node, 'postgres', $all_families, '-c', $clients, '-j', 2, '-t', 2),
		"$clients connections at once, max_connections $size, shared_preload_libraries '$preload'");
}
is($node->safe_psql('postgres', 'SELECT DISTINCT count(*) FROM seen GROUP BY family'),
	2 * (16 + 40) * 2 * 5, 'every connection got its ids of every family');

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

# 3. A session loads libpq with the URI of another server, not with the library, and from
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

# 4. Memory that another version has made: no id, and a hint to restart the server.
# CREATE EXTENSION needs no memory.  The other version is a copy of the library that says
# 1.9, and the first to make an id.
my $copy = $node->basedir . '/gid.so';
my $library = slurp_file(pg_config_of('pg_config', 'pkglibdir') . '/gid.so');
my $version = $node->safe_psql('postgres', q{SELECT default_version FROM pg_available_extensions WHERE name = 'gid'});

$library =~ s/\x{0}\Q$version\E\x{0}/\x{0}1.9\x{0}/ or die 'the library does not have its version';
append_to_file($copy, $library);
gid_set($node, 'shared_preload_libraries', "''");
gid_set($node, 'dynamic_library_path', q{'$libdir'});
$node->restart;
$node->safe_psql('postgres', "UPDATE pg_proc SET probin = '$copy' WHERE probin LIKE '%/gid'");
$node->safe_psql('postgres', 'SELECT gid_uuid_v7()');
# An errand loads the library that is there now.  The server is its own authority.
$node->safe_psql('postgres', sprintf(<<'EOS', $node->host, $node->port, $SUPERUSER));
CREATE SEQUENCE served CACHE 4;
SET gid.authorities = 'postgresql:///postgres?host=%s&port=%d&user=%s';
SELECT count(gid_next_gdid('served')) FROM generate_series(1, 20);
EOS
ok(defined wait_until(120, sub { log_count($node, qr/another version of gid is in use/) }), 'an errand is refused, and the sequence goes on');
$node->safe_psql('postgres', 'CREATE DATABASE other');
is(($node->psql('other', 'CREATE EXTENSION gid'))[2], '', 'CREATE EXTENSION says nothing');
sql_fails($node, 'other', 'SELECT gid_uuid_v7()', '55000', 'no id is made', text => qr/another version of gid.*version 1\.9\..*HINT:.*[Rr]estart/s);
is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
$node->stop;

done_testing();
