# A process that speaks PostgreSQL's wire protocol and answers gid's questions to an
# authority with nonsense.
#
# It listens on a Unix socket.  A client names the answer that it gets by the
# application_name of its URI: KIND, or KIND-ANYTHING.  The names of kinds are
# HostileAuthority->kinds(PHASE).  Where the phase is "start" the connection itself is
# answered with nonsense; "block", "generator", "node" and "confirm" are questions of gid.
# A kind of "confirm" is named "confirm_KIND".  Other questions get what makes sense.

package HostileAuthority;

use strict;
use warnings FATAL => 'all';

use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Utils ();
use Time::HiRes qw(sleep);

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

# A row's description.
sub description
{
	my ($n) = @_;

	return message('T', pack('n', $n)
		  . join('', map { pack('Z*NnNnNn', "c$_", 0, 0, 23, 4, 0xffffffff, 0) } 1 .. $n));
}

sub row
{
	return message('D', pack('n', scalar(@_))
		  . join('', map { defined $_ ? pack('N', length($_)) . $_ : pack('N', 0xffffffff) } @_));
}

sub error
{
	my ($type, %field) = @_;

	%field = (S => 'ERROR', C => 'P0001', M => "a \x07 and more\nlines", %field);
	return message($type, join('', map { $_ . $field{$_} . "\0" } sort keys %field) . "\0");
}

my $BOUND = message('1', '') . message('2', '');
my $COMPLETE = message('C', "SELECT 1\0");
my $READY = message('Z', 'I');
my $OK = message('R', pack('N', 0));
my $WELCOME = $OK . message('S', "server_version\0" . "15.0\0") . message('K', pack('NN', 7, 7)) . $READY;

# The messages of an answer of one row, and all of them.
sub parts { return ($BOUND, description(scalar(@_)), row(@_), $COMPLETE, $READY) }
sub answer_of { return join '', parts(@_) }

# --- answers to a question -----------------------------------------------

# The kind "silent" sends none.  Each gets the values of an answer that makes sense, and gives what is sent.  Those that
# are good are an answer nevertheless.
my %GOOD = (
	plain => sub { return answer_of(@_) },
	notices => sub { return error('N') x 20 . answer_of(@_) },
	notifications => sub { return message('A', pack('NZ*Z*', 7, 'channel', 'payload')) x 500 . answer_of(@_) },
	parameters => sub { return message('S', "client_encoding\0SJIS\0") . message('S', "x\0" . 'y' x 9000 . "\0") . answer_of(@_) },
	bytes => sub { return split //, answer_of(@_) });

# One message of an answer, changed.
sub changed
{
	my ($which, $at, $bytes, @values) = @_;
	my @part = parts(@values);

	substr($part[$which], $at, length($bytes)) = $bytes;
	return join '', @part;
}

my %BAD = (
	null => sub { $_[-1] = undef; return answer_of(@_) },
	word => sub { $_[0] = 'seven'; return answer_of(@_) },
	zero_byte => sub { $_[0] .= "\0"; return answer_of(@_) },
	huge_value => sub { return answer_of(map { 'b' x 200_000 } @_) },
	more_columns => sub { return answer_of(@_, 1) },
	many_columns => sub { return answer_of((1) x 1600) },
	columns_differ => sub { return $BOUND . description(1 + @_) . row(@_) . $COMPLETE . $READY },
	no_row => sub { return $BOUND . description(scalar(@_)) . $COMPLETE . $READY },
	rows => sub { return $BOUND . description(scalar(@_)) . row(@_) x 5000 . $COMPLETE . $READY },
	no_result => sub { return $BOUND . $READY },
	empty_query => sub { return $BOUND . message('I', '') . $READY },
	error => sub { return error('E', C => '42501') . $READY },
	error_class_57 => sub { return error('E', C => '57P01', S => 'FATAL') },
	error_without_code => sub { return message('E', "M\0\0") . $READY },
	error_after_row => sub { return $BOUND . description(scalar(@_)) . row(@_) . error('E') . $READY },
	error_after_answer => sub { return $BOUND . description(scalar(@_)) . row(@_) . $COMPLETE . error('E') . $READY },
	errors => sub { return error('E') x 20 . $READY },
	long_error => sub { return error('E', M => 'long ' x 100_000) . $READY },
	copy_in => sub { return $BOUND . message('G', pack('Cnn', 0, 1, 0)) . $COMPLETE . $READY },
	copy_out => sub { return $BOUND . message('H', pack('Cnn', 0, 1, 0)) . message('d', 'x' x 100) . message('c', '') . $COMPLETE . $READY },
	flood => sub { return ($BOUND, (message('N', "M" . 'p' x 16_000 . "\0\0")) x 2000) },
	length_short => sub { return changed(2, 1, pack('N', 5), @_) },
	length_negative => sub { return changed(2, 1, pack('N', 0xffffffff), @_) },
	value_length => sub { return changed(2, 7, pack('N', 0x7fffffff), @_) },
	column_count => sub { return changed(2, 5, pack('n', 65535), @_) },
	cut => sub { return substr(answer_of(@_), 0, -20) },
	shuffled => sub { my @part = parts(@_); return join '', @part[ 0, 2, 1, 3, 4 ] },
	garbage => sub { return join '', map { chr($_ * 7 % 256) } 1 .. 5000 },
	closed => sub { return '' },
	authentication => sub { return message('R', pack('N', 5)) . $READY });

# Numbers out of the range of an answer: an end of each range, and one past it is in
# sql/authority_answer.sql for the others.  
my %NODE = (
	node_negative => sub { $_[0] = -2; return answer_of(@_[ 0 .. 2 ]) },
	node_great => sub { $_[0] = 1024; return answer_of(@_[ 0 .. 2 ]) },
	since_early => sub { $_[1]--; return answer_of(@_[ 0 .. 2 ]) },
	until_late => sub { $_[2]++; return answer_of(@_[ 0 .. 2 ]) },
	empty => sub { $_[1] = $_[2]; return answer_of(@_[ 0 .. 2 ]) },
	reversed => sub { @_[ 1, 2 ] = @_[ 2, 1 ]; return answer_of(@_[ 0 .. 2 ]) },
	not_now => sub { return answer_of(-1, $_[2] + 600, 0) },
	not_now_ever => sub { return answer_of(-1, -1, 0) });

# --- answers to the start of a connection --------------------------------

my %START = (
	start_error => error('E', S => 'FATAL'),
	start_old_error => "EFATAL:  no\n\0",
	(map { ("start_auth_$_" => message('R', pack('N', $_) . 'abcd')) } 1, 2, 3, 5, 6, 7, 8, 9, 11, 12, 99),
	start_sasl => message('R', pack('N', 10) . "X\0Y\0\0"),
	start_scram => message('R', pack('N', 10) . "SCRAM-SHA-256\0\0") . message('R', pack('N', 11) . 'r=x,s=QQ==,i=1'),
	start_auth_empty => message('R', ''),
	start_key => $OK . message('K', 'x'),
	start_parameter => $OK . message('S', 'no zero byte'),
	start_refused => $OK . error('E'),
	start_version => message('v', 'x' x 8),
	start_row => $OK . row(1, 2, 3) . $READY,
	start_cut => substr($WELCOME, 0, 20),
	start_http => "HTTP/1.1 400 Bad Request\r\n\r\n" . 'x' x 500,
	start_garbage => join('', map { chr($_ * 11 % 256) } 1 .. 40_000),
	start_closed => '');

# The names of the kinds that are no answer.  Where the numbers differ alone, a few of the
# others are enough: the messages are read by the same code.
sub kinds
{
	my ($class, $phase) = @_;

	return sort keys %START if $phase eq 'start';
	return sort keys %BAD if $phase eq 'block';
	return map { "confirm_$_" } qw(null no_row error cut) if $phase eq 'confirm';
	return (qw(null no_row error cut), sort keys %NODE);
}

sub good_kinds { return sort keys %GOOD }

# --- connections ---------------------------------------------------------

sub read_bytes
{
	my ($connection, $n) = @_;
	my $bytes = '';

	while (length($bytes) < $n)
	{
		sysread($connection, $bytes, $n - length($bytes), length($bytes)) or return undef;
	}
	return $bytes;
}

sub send_bytes
{
	my ($connection, $bytes) = @_;

	while (length($bytes))
	{
		my $n = syswrite($connection, $bytes) // return 0;

		$bytes = substr($bytes, $n);
	}
	return 1;
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
			send_bytes($connection, 'N') or return undef;
			next;
		}
		my $body = read_bytes($connection, $length - 8) // return undef;

		return $body =~ /\0application_name\0(\w+)/ ? $1 : undef;
	}
}

# What is asked: the text of the query and its parameters.
sub read_question
{
	my ($connection) = @_;
	my ($query, @parameters);

	for (;;)
	{
		my ($type, $length) = unpack('aN', read_bytes($connection, 5) // return);
		my $body = $length > 4 ? read_bytes($connection, $length - 4) : '';

		return if !defined $body || $type eq 'X';
		return ($query // '', @parameters) if $type eq 'S';
		(undef, $query) = split /\0/, $body if $type eq 'P';
		next unless $type eq 'B';
		my (undef, undef, @rest) = unpack('Z*Z*n/nn/(N/a*)', $body =~ s/\xff{4}/\0\0\0\0/gr);

		@parameters = @rest;
	}
}

sub serve
{
	my ($connection) = @_;
	my $kind = read_start($connection) // return;

	return send_bytes($connection, $START{$kind}) if exists $START{$kind};
	send_bytes($connection, $WELCOME) or return;
	while (my ($query, @parameters) = read_question($connection))
	{
		my ($phase) = $query =~ /gid\.authority_(block|generator|node|confirm)/;
		my @values = ('1');
		my $answer = $GOOD{plain};

		$phase //= 'limits';
		@values = (3, 0, 100, $parameters[2]) if $phase eq 'block';
		@values = (77) if $phase eq 'generator';
		@values = (5, @parameters[ 3, 4 ]) if $phase eq 'node';
		$answer = $GOOD{$kind} // $BAD{$kind} // $NODE{$kind} // $answer if $phase =~ /block|generator|node/;
		$answer = sub { return } if $kind eq 'silent' && $phase ne 'limits';
		# a row of 300 kB a column, and no end
		$answer = sub { return ($BOUND, description(scalar(@_)), row(map { '7' x 300_000 } @_), $COMPLETE) }
		  if $kind eq 'unfinished' && $phase ne 'limits';
		$answer = $BAD{$1} if $phase eq 'confirm' && $kind =~ /^confirm_(.*)/;
		foreach my $bytes ($answer->(@values))
		{
			send_bytes($connection, $bytes) or return;
		}
		return if exists $BAD{ $kind =~ s/^confirm_//r } && $phase ne 'limits' && ($phase eq 'confirm') == ($kind =~ /^confirm_/);
	}
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

# A URI of the process; the kind of answer is that of the name.
sub uri
{
	my ($self, $name, $db) = @_;

	return sprintf 'postgresql://user@/%s?host=%s&port=5432&connect_timeout=60&application_name=%s', $db // 'ids', $self->{dir}, $name;
}

sub stop
{
	my ($self) = @_;

	kill 'TERM', $self->{pid};
	waitpid($self->{pid}, 0);
	return $? == 0;
}

1;
