# The names of gid's LWLocks, as pg_stat_activity shows them: each backend knows
# them, a backend that attaches later makes no second one, and on PostgreSQL 19,
# which has 256 names for all extensions, gid raises an error as long as it gets
# none for each lock.
#
# SQL alone cannot test this: no SQL function shows a name without a wait, and the
# names run out only when a library takes them.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my @NAMES = qw(GidAuthority GidBlock GidDrawn GidLease GidNode);

my $node = gid_node('main', '');
my $library = $node->basedir . '/locknames.so';
my ($include) = run_command([ 'pg_config', '--includedir-server' ]);
my $built = eval {
	IPC::Run::run([ 'cc', '-shared', '-fPIC', '-O1', "-I$include", '-o', $library,
		"$FindBin::RealBin/locknames.c" ]);
};

plan skip_all => 'no C compiler' unless $built;
my $of_server = $node->pg_version->major >= 19;

# A cluster with the functions of the library, and gid not yet used.
$node->start;
$node->safe_psql('postgres', <<"EOS");
CREATE EXTENSION gid;
CREATE FUNCTION lock_names() RETURNS text LANGUAGE C AS '$library';
CREATE FUNCTION take_lock_names(wanted integer) RETURNS void LANGUAGE C AS '$library';
EOS

# The names of gid's locks that a session sees after some SQL.
sub names_after
{
	my ($sql) = @_;
	my $names = $node->safe_psql('postgres', "$sql SELECT lock_names()");

	return join ' ', sort grep { /^Gid/ } split /\s+/, $names;
}

$node->restart;
is(names_after(''), '', 'no name before the first call');
is(names_after('DO $$ BEGIN PERFORM gid_uuid_v7(); END $$;'), "@NAMES",
	'each lock has its name after it');
is(names_after('DO $$ BEGIN PERFORM gid_uuid_v7(); END $$;'), "@NAMES",
	'and one alone when another backend has attached')
  for 1 .. 3;
is(names_after(''), $of_server ? "@NAMES" : '',
	'a backend that has not attached knows them if the server keeps them');

gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;
is(names_after('DO $$ BEGIN PERFORM gid_uuid_v7(); END $$;'), "@NAMES", 'with preload');
is(names_after('DO $$ BEGIN PERFORM gid_uuid_v7(); END $$;'), "@NAMES",
	'with preload, another backend');

SKIP:
{
	skip 'the server does not keep the names', 5 unless $of_server;

	# Not preloaded, gid finds one name only.
	gid_set($node, 'shared_preload_libraries', "''");
	$node->restart;
	$node->safe_psql('postgres', 'SELECT take_lock_names(1)');
	foreach my $call ('the first call', 'the same again', 'a third time')
	{
		sql_fails($node, 'postgres', 'SELECT gid_uuid_v7()', 'XX000',
			"too few names: $call", no_hint => 1, text => qr/maximum number of tranches/);
	}
	is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server goes on');
	$node->restart;
	is(names_after('DO $$ BEGIN PERFORM gid_uuid_v7(); END $$;'), "@NAMES",
		'after a restart all is well');
}

$node->stop;
done_testing();
