# Any C function of the extension may be the first one that a session calls.  The
# session goes on, whether the function gives a result or an error.  This holds for a
# superuser without preload, also in a transaction that has replaced the sequence's file,
# and for another user with preload.
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

my $node = gid_node('main', "gid.shard_key = 7\n");
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
is(first_calls('without preload', $SUPERUSER, '', @calls), '', 'a superuser may call all');
# gid_horizon_wait() is for no transaction block
is(first_calls('after ALTER SEQUENCE', $SUPERUSER, 'BEGIN; ALTER SEQUENCE calls.s RESTART;',
		grep { $_->{sql} =~ /calls\.s\b/ && $_->{name} !~ /^gid_horizon_wait/ } @calls),
	'', 'so may its owner in a transaction that has changed the sequence');
gid_set($node, 'shared_preload_libraries', "'gid'");
$node->restart;
is(first_calls('with preload', 'plain', '', @calls), $INTERNAL, 'another user may not call what is internal');
is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
$node->stop;

done_testing();
