# A process between gid and an authority, which is as far away as the test says.
#
# It listens on a Unix socket and hands everything on to the socket of a server.  Each
# message from there comes a round trip later.  A stopped process is a server that hangs:
# the kernel takes connections, and nothing answers.
#
# test/bench runs it as a program: perl FarServer.pm DIRECTORY SOCKET MILLISECONDS.

package FarServer;

use strict;
use warnings FATAL => 'all';

use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use Time::HiRes ();

# Hands on until it is ended.
sub hand_on
{
	my ($listener, $target, $trip_s) = @_;
	my $select = IO::Select->new($listener);
	my (%other, %is_far, @late);

	for (;;)
	{
		my $now = Time::HiRes::time();

		foreach my $socket ($select->can_read(@late ? ($late[0][0] > $now ? $late[0][0] - $now : 0) : undef))
		{
			if ($socket == $listener)
			{
				my $near = $listener->accept or next;
				my $far = IO::Socket::UNIX->new(Peer => $target);

				# the server is not there
				next if !$far;
				@other{ $near, $far } = ($far, $near);
				$is_far{$far} = 1;
				$select->add($near, $far);
				next;
			}
			next if !$other{$socket};
			my $n = sysread($socket, my $bytes, 65536);

			push @late, [ Time::HiRes::time() + ($is_far{$socket} ? $trip_s : 0), $other{$socket}, $n ? $bytes : undef ];
			$select->remove($socket) if !$n;
		}
		@late = sort { $a->[0] <=> $b->[0] } @late;
		while (@late && $late[0][0] <= Time::HiRes::time())
		{
			my (undef, $to, $bytes) = @{ shift @late };

			# closed meanwhile
			my $from = $other{$to} or next;

			if (defined $bytes)
			{
				syswrite($to, $bytes);
				next;
			}
			delete @other{ $to, $from };
			delete $is_far{$_} for $from, $to;
			$select->remove($from, $to);
			close $_ for $from, $to;
		}
	}
	return;
}

sub listen_in
{
	my ($dir) = @_;

	return IO::Socket::UNIX->new(Local => "$dir/.s.PGSQL.5432", Listen => 200) || die "could not listen in $dir: $!\n";
}

# Starts the process, in front of a PostgreSQL::Test::Cluster.
sub start
{
	my ($class, $node, $trip_s) = @_;
	my $self = bless { dir => PostgreSQL::Test::Utils::tempdir_short() }, $class;
	my $listener = listen_in($self->{dir});

	$self->{pid} = fork() // die "fork: $!";
	return $self if $self->{pid} > 0;

	# The child never runs what the test does at its end.
	$SIG{PIPE} = 'IGNORE';
	$SIG{TERM} = sub { POSIX::_exit(0) };
	eval { hand_on($listener, $node->host . '/.s.PGSQL.' . $node->port, $trip_s) };
	print STDERR "far server: $@";
	POSIX::_exit(1);
}

# A URI of the server behind the process.
sub uri
{
	my ($self, $user, $db, $options) = @_;

	return "postgresql:///$db?host=$self->{dir}&port=5432&user=$user" . ($options // '');
}

sub freeze { kill 'STOP', $_[0]->{pid}; return }
sub thaw { kill 'CONT', $_[0]->{pid}; return }

sub stop
{
	my ($self) = @_;

	kill 'CONT', $self->{pid};
	kill 'TERM', $self->{pid};
	waitpid($self->{pid}, 0);
	return;
}

if (!caller)
{
	my ($dir, $target, $ms) = @ARGV;

	$SIG{PIPE} = 'IGNORE';
	hand_on(listen_in($dir), $target, $ms / 1000);
}

1;
