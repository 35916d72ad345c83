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

# What comes before and after a call, by the name of the way.
my %WAY = (
	'a statement of its own' => [ '', '' ],
	'after ALTER SEQUENCE' => [ 'BEGIN; ALTER SEQUENCE calls.s RESTART;', 'ROLLBACK;' ]);

my $node = gid_node('main', "gid.shard_key = 7\n");
my $file = $node->basedir . '/gdids';
my $runs = 0;

# Calls each function in a session of its own; what psql printed for each call:
# name => { alive, sqlstate, text }.
sub first_calls
{
	my ($user, $way, @calls) = @_;
	my ($before, $after) = @{ $WAY{$way} };
	my $script = $node->basedir . '/script_' . ++$runs;
	my ($out, $err) = ('', '');
	my %said;

	# \connect and a variable of psql tell a session that is gone from one that goes on.
	open my $fh, '>', $script or die "$script: $!";
	foreach my $i (0 .. $#calls)
	{
		print $fh <<"EOS";
\\connect -reuse-previous=on postgres
SELECT pg_backend_pid() AS pid \\gset
$before
\\echo begin $i
\\warn begin $i
$calls[$i]{sql}
;
\\echo end $i
\\warn end $i
$after
SELECT 'alive $i' WHERE pg_backend_pid() = :pid;
EOS
	}
	close $fh;
	IPC::Run::run(
		[ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres') . " user=$user",
			'-f', $script ], '>', \$out, '2>', \$err,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	foreach my $i (0 .. $#calls)
	{
		my ($text) = $err =~ /^begin $i\n(.*?)^end $i$/ms;
		my ($rows) = $out =~ /^begin $i\n(.*?)^end $i$/ms;

		$said{ $calls[$i]{name} } = {
			alive => $out =~ /^alive $i$/m ? 1 : 0,
			rows => $rows // '',
			text => $text // 'nothing',
			state => ($text // '') =~ /(?:ERROR|FATAL|PANIC):  (\w{5}):/ ? $1 : '',
		};
	}
	return \%said;
}

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
$node->safe_psql('postgres', 'CREATE ROLE plain LOGIN');
calls_objects($node, 'postgres', $file);

my @calls = calls_of($node, 'postgres', $file);

note(scalar(@calls) . ' functions');
cmp_ok(scalar(@calls), '>', 80, 'the functions are found');
none('the tests know how to call each of them (test/lib/GidCalls.pm)',
	map { $_->{name} } grep { !defined $_->{sql} } @calls);
@calls = grep { defined $_->{sql} } @calls;
$node->stop;

foreach my $preload ('', 'gid')
{
	my $with = $preload eq '' ? 'without preload' : 'with preload';

	gid_set($node, 'shared_preload_libraries', "'$preload'");
	$node->start;
	my $offset = -s $node->logfile;
	my $began = monotonic();

	foreach my $way (sort keys %WAY)
	{
		# Only the sequence's owner has the other way, which preload does not change.
		my $alters = $way ne 'a statement of its own';

		next if $alters && $preload ne '';
		my $user = $preload eq '' ? $SUPERUSER : 'plain';
		my $said = first_calls($user, $way, grep { !$alters || $_->{sql} =~ /calls\.s\b/ } @calls);
		my $name = "$with, $user, $way";

		none("$name: each session goes on",
			map { "$_: $said->{$_}{text}" } grep { !$said->{$_}{alive} } sort keys %$said);
		none("$name: no internal error",
			map { "$_: $said->{$_}{text}" } grep { $said->{$_}{state} =~ /^XX/ } sort keys %$said);

		# What a user without rights on a function may not do is an error.
		none("$name: each call succeeds",
			map { "$_: $said->{$_}{text}" }
			grep {
				$said->{$_}{state} ne '' && !($user eq 'plain' && $said->{$_}{state} eq '42501')
				  # it is for no transaction block
				  && !(/^gid_horizon_wait/ && $alters && $said->{$_}{state} eq '25001')
			}
			sort keys %$said);
		is( join(' ', sort map { s/\(.*//r } grep { $said->{$_}{state} eq '42501' } keys %$said),
			$user eq 'plain' ?
			  'gid.authority_confirm gid.authority_generator gid.lease_arguments gid.lease_pause gid.lease_tables gid.lease_used_up' : '',
			"$name: what is not for all");
	}

	note(sprintf('%s: %.1f s', $with, monotonic() - $began));
	is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m, $offset),
		0, "$with: nothing has crashed");
	$node->stop;
}

done_testing();
