# A process that speaks PostgreSQL's wire protocol and answers gid's questions to an
# authority with what no server sends.
#
# It listens on a Unix socket.  A client names the answer that it gets by the
# application_name of its URI: KIND, or KIND-ANYTHING.

package HostileAuthority;

use strict;
use warnings FATAL => 'all';

use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Utils ();

use constant {
	SSL_REQUEST => 80877103,
	GSS_REQUEST => 80877104,
};

# --- messages ------------------------------------------------------------

sub message
{
	my ($type, $body) = @_;

	return $type . pack('N', 4 + length($body)) . $body;
}

# The description of a row of n columns of type int.
sub description
{
	my ($n) = @_;

	return message('T', pack('n', $n) . join '', map { pack('Z*NnNnNn', "c$_", 0, 0, 23, 4, 0xffffffff, 0) } 1 .. $n);
}

sub row { return message('D', pack('n', scalar(@_)) . join '', map { pack('N/a*', $_) } @_) }

sub error { return message('E', join("\0", 'SERROR', @_, "Ma \x07 and more\nlines") . "\0\0") }

my $BOUND = message('1', '') . message('2', '');
my $COMPLETE = message('C', "SELECT 1\0");
my $READY = message('Z', 'I');
my $OK = message('R', pack('N', 0));
my $WELCOME = $OK . message('S', "server_version\0" . "15.0\0") . message('K', pack('NN', 7, 7)) . $READY;

sub answer_of { return $BOUND . description(scalar(@_)) . row(@_) . $COMPLETE . $READY }

# --- kinds of answers ----------------------------------------------------

# A block of two GDIDs.
my @BLOCK = (3, 0, 100, 2);

# What is sent at once.  The first is a right answer.  "unfinished" has 300 kB a column,
# and no end.
my %ANSWER = (
	bytes => [ split //, answer_of(@BLOCK) ],
	silent => [],
	unfinished => [ $BOUND . description(4) . row(map { '7' x 300_000 } @BLOCK) . $COMPLETE ]);

# What is no answer.  The connection is closed after it.
my %BAD = (
	zero_byte => [ answer_of("3\0", 0, 100, 2) ],
	no_result => [ $BOUND . $READY ],
	error_without_code => [ error() . $READY ],
	error_long => [ error('CP0001', 'D' . 'x' x 1_000_000) . $READY ],
	error_after_row => [ $BOUND . description(4) . row(@BLOCK) . error('CP0001') . $READY ],
	copy_in => [ $BOUND . message('G', pack('Cnn', 0, 1, 0)) . $COMPLETE . $READY ],
	flood => [ $BOUND, (message('N', 'M' . 'p' x 16_000 . "\0\0")) x 1000 ],
	cut => [ substr(answer_of(@BLOCK), 0, -20) ],
	garbage => [ join '', map { chr($_ * 7 % 256) } 1 .. 5000 ],
	closed => []);

# What answers the start of a connection.
my %START = (
	start_refused => $OK . error('C42501'),
	start_password => message('R', pack('N', 3)),
	start_garbage => join('', map { chr($_ * 11 % 256) } 1 .. 40_000),
	start_closed => '',
	start_only => $WELCOME);

sub bad_kinds { return sort keys %BAD, keys %START }

# --- connections ---------------------------------------------------------

sub read_bytes
{
	my ($connection, $n) = @_;

	my $bytes;

	return (read($connection, $bytes, $n) // 0) == $n ? $bytes : undef;
}

# The kind of answer that a client wants.
sub read_start
{
	my ($connection) = @_;

	for (;;)
	{
		my ($length, $code) = unpack('NN', read_bytes($connection, 8) // return undef);

		if ($code == SSL_REQUEST || $code == GSS_REQUEST)
		{
			print {$connection} 'N';
			next;
		}
		my $body = read_bytes($connection, $length - 8) // return undef;

		return $body =~ /\0application_name\0(\w+)/ ? $1 : undef;
	}
}

# Reads a question to its end.
sub read_question
{
	my ($connection) = @_;

	for (;;)
	{
		my ($type, $length) = unpack('aN', read_bytes($connection, 5) // return 0);

		return 0 unless $length == 4 || defined read_bytes($connection, $length - 4);
		return 1 if $type eq 'S';
	}
}

# The first question is that for the time.
sub serve
{
	my ($connection) = @_;
	my $kind = read_start($connection) // return;

	print {$connection} $START{$kind} // $WELCOME;
	return if exists $START{$kind};
	read_question($connection) or return;
	print {$connection} answer_of(1);
	read_question($connection) or return;
	print {$connection} $_ foreach @{ $ANSWER{$kind} // $BAD{$kind} };
	read_question($connection) if exists $ANSWER{$kind};
	return;
}

# Starts the process.
sub start
{
	my ($class) = @_;
	my $self = bless { dir => PostgreSQL::Test::Utils::tempdir_short() }, $class;
	my $listener = IO::Socket::UNIX->new(Local => "$self->{dir}/.s.PGSQL.5432", Listen => 50)
	  or die "could not listen: $!";

	$self->{pid} = fork() // die "fork: $!";
	return $self if $self->{pid} > 0;

	# The child never runs what the test does at its end.
	$SIG{PIPE} = 'IGNORE';
	$SIG{TERM} = sub { POSIX::_exit(0) };
	eval {
		for (;;)
		{
			my $connection = $listener->accept or next;

			serve($connection);
			close $connection;
		}
	};
	print STDERR "hostile authority: $@";
	POSIX::_exit(1);
}

# A URI of the process, which gets that kind of answer.
sub uri
{
	my ($self, $kind) = @_;

	return "postgresql://user@/ids?host=$self->{dir}&port=5432&connect_timeout=60&application_name=$kind";
}

# Ends the process; whether it has run until now.
sub stop
{
	my ($self) = @_;

	kill 'TERM', $self->{pid};
	waitpid($self->{pid}, 0);
	return $? == 0;
}

1;
