# Any C function of the extension may be the first one that a session calls.  The
# session goes on, whether the function gives a result or an error.  This holds for a
# superuser without preload, also in a transaction that has replaced the sequence's file,
# for another user with preload, and for another extension that calls the function from C.
#
# SQL alone cannot test this: the library is loaded and attached once in a session,
# so each call needs a connection of its own, and a server without preload.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidCalls;
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = gid_node('main', "gid.shard_key = 7\nmin_dynamic_shared_memory = 16MB\n");
my $file = $node->basedir . '/gdids';
my $runs = 0;

# What a user without rights may not call.
my $INTERNAL = 'gid.authority_confirm gid.authority_generator gid.authority_node gid.authority_resume gid.stat_get_node_leases';

# Calls each function in a session of its own, after some SQL.  Checks that each session
# goes on and each call succeeds, but for those that have error 42501; returns these.
sub first_calls
{
	my ($name, $user, $before, @calls) = @_;
	my $script = $node->basedir . '/script_' . ++$runs;
	my ($out, $err) = ('', '');
	my (@dead, @failed, @denied);

	# A variable of psql tells a session that is gone from one that goes on.
	append_to_file($script, join '', map { <<"EOS" } 0 .. $#calls);
\\connect -reuse-previous=on postgres
SELECT pg_backend_pid() AS pid \\gset
$before
\\warn begin $_
$calls[$_]{sql}
;
\\warn end $_
ROLLBACK;
SELECT 'alive $_' WHERE pg_backend_pid() = :pid;
EOS
	IPC::Run::run(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres') . " user=$user", '-f', $script ],
		'>', \$out, '2>', \$err, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	foreach my $i (0 .. $#calls)
	{
		my $call = $calls[$i]{name};
		my ($text) = $err =~ /^begin $i\n(.*?)^end $i$/ms;

		push @dead, $call unless $out =~ /^alive $i$/m;
		if (($text // 'ERROR:  no answer') =~ /(?:ERROR|FATAL|PANIC):  (.*)/)
		{
			my $error = $1;

			push @{ $error =~ /^42501:/ ? \@denied : \@failed }, $error =~ /^42501:/ ? $call =~ s/\(.*//r : "$call: $error";
		}
	}
	none("$name: each session goes on", @dead);
	none("$name: each call succeeds", @failed);
	return join ' ', sort @denied;
}

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid; CREATE ROLE plain LOGIN');
calls_objects($node, 'postgres', $file);
my @calls = calls_of($node, 'postgres', $file);

cmp_ok(scalar(@calls), '>', 80, 'the functions are found');
none('the tests know how to call each of them (test/lib/GidCalls.pm)',
	map { $_->{name} } grep { !defined $_->{sql} } @calls);
@calls = grep { defined $_->{sql} } @calls;

$node->restart;
# Memory that the server sets aside for segments may have been used before.
$node->safe_psql('postgres', <<'EOS');
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET work_mem = '64MB';
CREATE TABLE soil AS SELECT -i::bigint AS i, -1::bigint AS j, -1::bigint AS k FROM generate_series(1, 200000) AS i;
ANALYZE soil;
SELECT count(*) FROM soil AS a JOIN soil AS b USING (i, j, k);
EOS
is($node->safe_psql('postgres', 'SELECT gid.stat_get_reader_evictions(), b.* FROM gid.stat_blocks AS b; SELECT count(*) FROM gid.stat_clock WHERE last_time > now()'),
	"0|0|0|0|0|0|0\n0", 'tables in used memory begin empty');
is(first_calls('without preload', $SUPERUSER, '', @calls), '', 'a superuser may call all');
# gid_horizon_wait() is for no transaction block
is(first_calls('after ALTER SEQUENCE', $SUPERUSER, 'BEGIN; ALTER SEQUENCE calls.s RESTART;',
		grep { $_->{sql} =~ /calls\.s\b/ && $_->{name} !~ /^gid_horizon_wait/ } @calls),
	'', 'so may its owner in a transaction that has changed the sequence');
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;
is(first_calls('with preload', 'plain', '', @calls), $INTERNAL, 'another user may not call what is internal');

# Functions of other extensions call those of gid without an FmgrInfo. PostgreSQL's own
# functions that give rows need one, too.
SKIP:
{
	my $library = build_direct("$FindBin::RealBin/direct.c", $node->basedir);

	skip 'no compiler', 4 unless defined $library;
	$node->safe_psql('postgres', <<"EOS");
CREATE SCHEMA direct;
DO \$\$
DECLARE it regprocedure;
BEGIN
	FOR it IN
		SELECT p.oid FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
		JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
		WHERE e.extname = 'gid' AND p.prosrc = p.proname AND NOT p.proretset AND p.prokind = 'f'
			AND p.prorettype NOT IN ('record'::regtype, 'cstring'::regtype, 'void'::regtype) AND 'internal'::regtype <> ALL (p.proargtypes)
	LOOP
		EXECUTE regexp_replace(pg_get_functiondef(it), 'FUNCTION \\w+\\.(.*)AS [^\n]*\n', \$q\$FUNCTION direct.\\1AS '$library', 'direct_call'\n\$q\$);
	END LOOP;
END \$\$;
GRANT USAGE ON SCHEMA direct TO PUBLIC;
EOS
	my %direct = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', q{SELECT format('%s(%s)', proname, oidvectortypes(proargtypes)) FROM pg_proc WHERE pronamespace = 'direct'::regnamespace});
	my @direct = grep { $direct{ $_->{name} } && $_->{sql} =~ s/(gid\w*)(?=\()/direct.$1/ } map { {%$_} } @calls;

	cmp_ok(scalar(@direct), '>', 60, 'functions that C can call are found');
	is(first_calls('from C', $SUPERUSER, '', @direct), '', 'C may call them');
}
is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
$node->stop;

done_testing();
