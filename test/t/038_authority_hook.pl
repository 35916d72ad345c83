# The hook of doc/hooks ends the pause of a promoted authority: it waits for the end of
# recovery, and does nothing where a lease may be missing, for another role or event.
#
# SQL alone cannot test this: it needs standbys that are promoted while the hook runs.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $HOOK = "$FindBin::RealBin/../../doc/hooks/gid-authority-resume";

# Starts the hook for a server, with more of the environment and the arguments of a
# manager. What it says goes into a file.
sub start_hook
{
	my ($node, $env, @arguments) = @_;
	my $said = PostgreSQL::Test::Utils::tempdir() . '/said';
	my $run = with_env(
		{ PGHOST => $node->host, PGPORT => $node->port, %$env },
		sub { return IPC::Run::start([ 'sh', $HOOK, @arguments ], '<', \'', '&>', $said); });

	return { run => $run, said => $said };
}

# Checks what the hook says, and its exit status, at its end.
sub hook_says
{
	my ($hook, $status, $said, $name) = @_;

	$hook->{run}->finish;
	is($hook->{run}->result(0), $status, "$name: exit status");
	is(slurp_file($hook->{said}), $said eq '' ? '' : "gid-authority-resume: $said\n", $name);
	return;
}

my $primary = gid_node('primary', 'log_statement = all', allows_streaming => 1);

$primary->start;
$primary->backup('files');

my ($one, $two) = map { PostgreSQL::Test::Cluster->new($_) } qw(one two);

foreach my $standby ($one, $two)
{
	$standby->init_from_backup($primary, 'files', has_streaming => 1);
	$standby->start;
}
$primary->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
SELECT gid.authority_node(gen_random_uuid(), NULL, NULL, s, s + interval '1 minute', 1023)
FROM date_trunc('second', now()) AS s;
EOS
$primary->wait_for_catchup($_) foreach $one, $two;

# --- before the promotion ----------------------------------------------------

hook_says(start_hook($one, {}, @$_), 0, '', "nothing is done for \"@$_\"")
  foreach [qw(on_role_change replica shop)], [qw(standby_promote 0)], [];
hook_says(start_hook($one, { GID_RESUME_SECONDS => 4 }, qw(on_role_change master shop)),
	1, 'gave up: in recovery', 'a server that stays in recovery');

# A backend that is frozen in the statement: psql waits, whatever the time limits are.
my $frozen = PostgreSQL::Test::Utils::tempdir();

append_to_file("$frozen/psql", "#!/bin/sh\nexec sleep 600\n");
chmod 0755, "$frozen/psql";
hook_says(start_hook($one, { PATH => "$frozen:$ENV{PATH}", GID_RESUME_SECONDS => 1 }, qw(on_role_change master shop)),
	1, 'gave up: no answer in time', 'a server whose backend is frozen');

# --- a promotion while the hook runs -------------------------------------------

my ($asked_one, $asked_two) = map { -s $_->logfile } $one, $two;
my $hook = start_hook($one, {}, qw(on_role_change master shop));
my $watch = start_hook($two, {}, 'watch');

ok(defined wait_until(120, sub { log_count($one, qr/pg_is_in_recovery\(\)/, $asked_one) > 0 && log_count($two, qr/pg_is_in_recovery\(\)/, $asked_two) > 0 }),
	'both standbys are asked');
$_->promote foreach $one, $two;
hook_says($hook, 0, 'the pause has ended', 'Patroni before 4');
hook_says(start_hook($one, {}, @$_), 0, 'there was no pause', "again: @$_")
  foreach [qw(on_role_change primary shop)], [qw(standby_promote 1)], [qw(repmgrd_failover_promote 1)];
ok(defined wait_until(120, sub { slurp_file($watch->{said}) =~ /\S/ }), 'the watch has noticed the promotion');
$watch->{run}->kill_kill;
is(slurp_file($watch->{said}), "gid-authority-resume: the pause has ended\n", 'and has ended the pause, once');

# --- where a lease may be missing ----------------------------------------------

gid_reload($one, 'gid.wait_for_standbys', 'off');
hook_says(start_hook($one, {}, qw(on_role_change primary shop)),
	0, 'not called, because gid.wait_for_standbys is off', 'nobody confirms');
gid_set($one, 'gid.wait_for_standbys', 'on');
gid_set($one, 'recovery_target_name', "'before'");
$one->restart;
hook_says(start_hook($one, {}, qw(on_role_change primary shop)),
	0, 'not called, because a recovery target is set', 'a restored server');

done_testing();
