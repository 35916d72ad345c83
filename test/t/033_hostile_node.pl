# An authority that answers the question for a node number with nonsense: the client
# raises an error of class 08, or 55000 where the answer is about clocks.  It uses no
# number that the authority has not leased for the seconds asked for and confirmed.
#
# SQL alone cannot test this: no PostgreSQL server sends such answers.  A process of
# the test speaks the wire protocol instead (test/lib/HostileAuthority.pm).  What the
# other questions do with such answers is in 017_hostile_authority.
#
# GID_HOSTILE_SEED=N takes other answers, GID_HOSTILE_NODES=N more of them.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use HostileAuthority;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	QUESTIONS => $ENV{GID_HOSTILE_NODES} || 150,
	LEASE => 10,
	MAX_NODE => 1023,
};

my $node = gid_node('main', "gid.node_lease = @{[LEASE]}s\ngid.node_max = @{[MAX_NODE]}",
	extra => [ '--encoding=UTF8', '--no-locale' ]);
my $server = HostileAuthority->start_for($node);

END
{
	local $?;
	$server->stop if defined $server && kill 0, $server->{pid};
}

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');

# --- the questions -------------------------------------------------------

# question => what it came to: the number and the end of the lease, or the error.
my %said;
my $session = session($node, 'postgres');

# The session knows the setting's name.
$session->safe("LOAD 'gid'");
foreach my $n (1 .. QUESTIONS)
{
	my $uri = 'postgresql://' . HostileAuthority::USER
	  . "@/ids?host=$server->{dir}&port=5432&application_name=q$n&passfile=$server->{passfile}";

	$session->safe("ALTER SYSTEM SET gid.node_authority = '$uri'");
	$session->safe('SELECT pg_reload_conf()');
	defined wait_until(10, sub { $session->safe('SHOW gid.node_authority') eq $uri })
	  or die 'the setting has not changed';
	my ($out, $err) = $session->query('SELECT gid_extract_trace_node(gid_trace_id())');

	$said{$n} = { out => $out, error => $err };
	next if $err ne '';
	$said{$n}{out} .= ' ' . $session->safe('SELECT extract(epoch FROM max(node_until))::int8 FROM gid.stat_clock');
	# a lease is used to its end, also when the setting names another authority
	end_session($session);
	$node->restart;
	$session = session($node, 'postgres');
	$session->safe("LOAD 'gid'");
}
end_session($session);

# --- what was said -------------------------------------------------------

# question => the answers to it: phase, kind, shape, values.
my %answers;

foreach my $line (split /\n/, slurp_file($server->{log}))
{
	my ($n, $phase, $kind, $shape, @values) = split / /, $line;

	push @{ $answers{$n} }, [ $phase, $shape,
		map { $_ eq '-' ? 'null' : pack('H*', substr($_, 1)) } @values ];
}

# Is the text an integer from the first to the last, as C reads it?
sub within
{
	my ($text, $first, $last) = @_;

	return $text =~ /\A[ \t\n\x0b\f\r]*[+-]?0*[0-9]{1,15}\z/ && $text >= $first && $text <= $last;
}

# The lease that an answer gives: number and end.
sub lease
{
	my (undef, $shape, $number, $since, $until, $process, $first, $end) = @_;

	return $shape ne 'bad' && within($number, 0, MAX_NODE) && within($since, $first, $end - 1)
	  && within($until, $since + 1, $end) && within($process, 1, 2**31) ?
	  int($number) . ' ' . int($until) : undef;
}

my (@not_leased, @refused, @states, @secrets);
my ($leased, $errors) = (0, 0);

foreach my $n (1 .. QUESTIONS)
{
	my ($out, $error) = @{ $said{$n} }{qw(out error)};
	my @node = grep { $_->[0] eq 'node' } @{ $answers{$n} };
	my @confirm = grep { $_->[0] eq 'confirm' } @{ $answers{$n} };
	my @lease = map { lease(@$_) } grep { defined lease(@$_) } @node;
	my $told = "$n: $out $error " . join ' ', map { "(@$_)" } @node, @confirm;

	push @secrets, $told if $server->is_told("$out $error");
	if ($error eq '')
	{
		# the last answers, if a connection was lost and another one made
		$leased++;
		push @not_leased, $told
		  unless @lease && $lease[-1] eq $out && @confirm && $confirm[-1][1] ne 'bad'
		  && within($confirm[-1][2], $node[-1][5], $node[-1][5]);
	}
	else
	{
		$errors++;
		push @states, $told unless $error =~ /ERROR:  (08001|55000): /;
		# where the one number and its confirmation are right, it is used
		push @refused, $told
		  if @node == 1 && @confirm == 1 && @lease && $node[0][1] eq 'good' && $confirm[0][1] eq 'good'
		  && $confirm[0][2] eq $node[0][5];
	}
}

note("$leased leases, $errors errors");
cmp_ok($leased, '>', QUESTIONS / 40, 'answers that make sense are taken');
cmp_ok($errors, '>', QUESTIONS / 2, 'most answers are nonsense');
none('each number was leased for seconds that were asked for, and confirmed', @not_leased);
none('no confirmed lease is refused', @refused);
none('each error is 08001, or 55000 for the clocks', @states);
none('errors have neither the user nor the password file', @secrets);
is(log_count($node, qr/was terminated by signal|^TRAP:|all server processes terminated/m), 0,
	'nothing has crashed');
ok($server->stop, 'the hostile server has not failed');

$node->stop;
done_testing();
