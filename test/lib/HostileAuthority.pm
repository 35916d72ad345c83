# A process that speaks PostgreSQL's wire protocol and answers gid's questions
# to an authority with nonsense.
#
# The process listens on a Unix socket and on two TCP ports of 127.0.0.1.  The
# second TCP port never gets beyond the question for encryption.  A client names
# its question by application_name=qN.  N and how many answers N has had seed the
# random generator, so a seed gives the same answers again.
#
# Each answer is written to a file before it is sent: N, phase, kind, shape and
# the values in hexadecimal, "-" for NULL; for a node number followed by the first
# second that was asked for and the second after the last.  The shape says what the
# messages look like, not whether the values make sense:
#
#	good	one row, as many columns as were asked for, in text format
#	bad		anything that is no such row
#	maybe	a good one may be left of it

package HostileAuthority;

use strict;
use warnings FATAL => 'all';

use IO::Handle;
use IO::Select;
use IO::Socket::INET;
use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Utils ();
use Test::More ();
use Time::HiRes qw(sleep);

use constant {
	ERA => 1 << 60,
	PROCESS => 4711,	# the process id that a good answer names
	SSL_REQUEST => 80877103,
	GSS_REQUEST => 80877104,
	PROTOCOL_3 => 196608,
};

# What a column holds in place of its number.
my @VALUES = (
	'', ' ', 'x', '1.5', '1e3', '0x10', ' 7', '+7', '7 ', "7\n", '007', '-0',
	'-1', '0', '1', '8', '15', '16', '65536', '65537', '99999', '100000',
	'2147483648', '4294967296', '18446744073709551616', '9223372036854775807',
	'9223372036854775808', '-9223372036854775808', '-9223372036854775809',
	ERA, ERA - 1, 'NaN', 'infinity', 'null', '7; DROP TABLE x', "7\0", "\0",
	"\xd9\xa3", "\xff\xfe", '1' x 40, '0' x 200 . '7', ' ' x 129 . '7',
	'a' x 20_000);

# What stands in messages for people.
my @TEXTS = (
	'', "\n", "a line\nand another one", "\x1b[31mred\x07\x08\x7f", "\r\0", "tab\there",
	"\xc2\x9b31mred\xc2\x85next", "\xe2\x80\xa8line \xe2\x80\xaeelpoep", "\xff\xfe\xc0\x80",
	"\xe2\x82", "J\xfcrgen", "gr\xc3\xbc\xc3\x9f dich" x 20, 'a' x 158 . "\xe2\x82\xac" x 5,
	'long ' x 4000, "\xf0\x9f\x98\x80" x 5000, '%s%n%d %m', "'; SELECT 1; --");

my @STATES = qw(42501 42P01 2200H 22003 57P01 57014 08006 55000 XX000 00000 P0001 28P01 25006 40001);

sub pick { return $_[ int(rand(@_)) ] }

sub garbage
{
	my ($n) = @_;

	return join '', map { chr(int(rand(256))) } 1 .. $n;
}

# --- messages ------------------------------------------------------------

sub message
{
	my ($type, $body) = @_;

	return $type . pack('N', 4 + length($body)) . $body;
}

# A row's description, in text format unless $format says otherwise.
sub description
{
	my ($n, $format) = @_;

	return message('T', pack('n', $n)
		  . join('', map { pack('Z*NnNnNn', "c$_", 0, 0, 23, 4, 0xffffffff, $format // 0) } 1 .. $n));
}

sub row
{
	return message('D', pack('n', scalar(@_))
		  . join('', map { defined $_ ? pack('N', length($_)) . $_ : pack('N', 0xffffffff) } @_));
}

# The fields of an error or a notice.
sub fields
{
	my (%field) = @_;

	return join('', map { $_ . $field{$_} . "\0" } sort keys %field) . "\0";
}

my $BOUND = message('1', '') . message('2', '');
my $COMPLETE = message('C', "SELECT 1\0");
my $READY = message('Z', 'I');

# The bytes of an answer of one row.
sub answer_of
{
	my (@values) = @_;

	return $BOUND . description(scalar(@values)) . row(@values) . $COMPLETE . $READY;
}

sub text_with_secrets
{
	my ($self, $question) = @_;

	return pick(@TEXTS, "role \"$question->{user}\" $self->{passfile}",
		"password authentication failed for user \"$question->{user}\"",
		'x' x int(rand(170)) . $self->{passfile},
		"\xff$question->{user}:$self->{passfile}");
}

sub error
{
	my ($self, $question, $type) = @_;
	my %field = (S => 'ERROR', V => 'ERROR', C => pick(@STATES), M => text_with_secrets($self, $question));

	$field{S} = $field{V} = pick('FATAL', 'PANIC') if rand() < 0.2;
	$field{ pick(qw(D H W q P p s t c F L R)) } = text_with_secrets($self, $question)
	  for 1 .. int(rand(4));
	delete $field{C} if rand() < 0.25;
	delete $field{M} if rand() < 0.1;
	$field{C} = pick('', '1', '????????', "\x1b[2J", "\xff\xff\xff\xff\xff") if rand() < 0.1;
	# a zero byte in a value ends it
	return message($type, pick(fields(%field), fields(%field), fields(%field), fields(%field),
			"M", '', garbage(50)));
}

# --- answers to a query --------------------------------------------------

# A block or another answer that makes sense, often at an end of a range.
sub sense
{
	my ($question) = @_;

	return '2s500ms' if $question->{phase} eq 'limits';
	return PROCESS if $question->{phase} eq 'confirm';
	if ($question->{phase} eq 'node')
	{
		my ($since, $until) = @{ $question->{interval} };

		return (-1, $until, 0, PROCESS) if rand() < 0.1;	# not now
		return (pick(0, 1023, int(rand(1024))), pick($since, $since, $since + 1), pick($until, $until - 1), PROCESS);
	}
	return pick(0, 99999, int(rand(100_000))) if $question->{columns} == 1;
	my $count = pick($question->{count}, $question->{count}, 1, 1 + int(rand($question->{count})));
	my $era = int(rand(8));

	return (int(rand(16)), $era,
		pick($era > 0 ? 0 : 1, ERA - $count, 1 + int(rand(1e9))), $count);
}

# What is sent where a row with sense, but for its values, was asked for.
my %ANSWER = (
	sense => sub { my ($values) = @_; return ('good', answer_of(@$values)) },
	value => sub {
		my ($values) = @_;
		$values->[ rand(@$values) ] = pick(@VALUES) for 1 .. pick(1, 1, 2);
		return ('good', answer_of(@$values));
	},
	near => sub {	# a number that is a bit out of range, or just in it
		my ($values, $question) = @_;
		if ($question->{phase} eq 'node')
		{
			my ($since, $until) = @{ $question->{interval} };
			my $which = int(rand(5));
			$values->[0] = pick(-2, -1, 0, 1023, 1024, 65535, 65536) if $which == 0;
			$values->[1] = pick($since - 1, $since, $until - 1, $until, $until + 1) if $which == 1;
			$values->[2] = pick($since - 1, $since, $since + 1, $until, $until + 1, $until + 9) if $which == 2;
			@$values[ 0, 1 ] = (-1, pick(-1, 0, $until + 1000, ERA)) if $which == 3;
			$values->[3] += pick(-1, 1) if $which == 4;
		}
		elsif (@$values == 4)
		{
			my $which = int(rand(5));
			$values->[0] = pick(-1, 0, 15, 16) if $which == 0;
			$values->[1] = pick(-1, 0, 7, 8) if $which == 1;
			$values->[2] = pick(-1, 0, 1, ERA - 1, ERA) if $which == 2;
			$values->[3] += pick(-1, 0, 1) if $which == 3;
			$values->[2] = ERA - $values->[3] + pick(-1, 0, 1, 2) if $which == 4;
		}
		$values->[0] = pick(-1, 0, 99999, 100000, PROCESS + 1) if @$values == 1;
		return ('good', answer_of(@$values));
	},
	null => sub {
		my ($values) = @_;
		$values->[ rand(@$values) ] = undef;
		return ('good', answer_of(@$values));
	},
	columns => sub {
		my ($values) = @_;
		my @row = rand() < 0.5 ? (@$values, (1) x (1 + rand(3))) : @$values[ 1 .. $#$values ];
		return ('bad', answer_of(@row));
	},
	many_columns => sub { return ('bad', answer_of((1) x 1600)) },
	columns_differ => sub {
		my ($values) = @_;
		return ('bad', $BOUND . description(scalar(@$values) + pick(-1, 1)) . row(@$values)
			  . $COMPLETE . $READY);
	},
	no_row => sub {
		my ($values) = @_;
		return ('bad', $BOUND . description(scalar(@$values)) . $COMPLETE . $READY);
	},
	rows => sub {
		my ($values) = @_;
		return ('bad', $BOUND . description(scalar(@$values))
			  . row(@$values) x pick(2, 3, 5000) . $COMPLETE . $READY);
	},
	binary => sub {
		my ($values) = @_;
		return ('bad', $BOUND . description(scalar(@$values), pick(1, 2, 65535)) . row(@$values)
			  . $COMPLETE . $READY);
	},
	error => sub {
		my ($values, $question, $self) = @_;
		return ('bad', pick('', $BOUND) . error($self, $question, 'E') . $READY);
	},
	error_after_row => sub {
		my ($values, $question, $self) = @_;
		return ('bad', $BOUND . description(scalar(@$values)) . row(@$values)
			  . error($self, $question, 'E') . $READY);
	},
	error_after_answer => sub {
		my ($values, $question, $self) = @_;
		return ('bad', $BOUND . description(scalar(@$values)) . row(@$values) . $COMPLETE
			  . error($self, $question, 'E') . $READY);
	},
	errors => sub {
		my ($values, $question, $self) = @_;
		return ('bad', join('', map { error($self, $question, 'E') } 1 .. 20) . $READY);
	},
	copy => sub {
		return ('bad', $BOUND . message(pick(qw(G H W)), pack('Cnn', 0, 1, 0))
			  . message('d', garbage(100)) x int(rand(3)) . pick('', message('c', '')) . $COMPLETE
			  . $READY);
	},
	no_result => sub {
		return ('bad', $BOUND . pick(message('I', ''), message('n', '') . $COMPLETE,
				message('n', ''), message('s', ''), '', $COMPLETE) . $READY);
	},
	results => sub {
		my ($values) = @_;
		my $result = description(scalar(@$values)) . row(@$values) . $COMPLETE;
		return ('bad', $BOUND . $result x pick(2, 3, 10) . $READY);
	},
	notices => sub {
		my ($values, $question, $self) = @_;
		my $notices = join '', map { error($self, $question, 'N') } 1 .. 20;
		return ('maybe', $notices . $BOUND . $notices . description(scalar(@$values))
			  . row(@$values) . $notices . $COMPLETE . $READY);
	},
	notifications => sub {
		my ($values) = @_;
		my $some = message('A', pack('NZ*Z*', 7, 'channel', 'payload')) x 500;
		return ('good', $some . $BOUND . description(scalar(@$values)) . $some
			  . row(@$values) . $COMPLETE . $some . $READY);
	},
	parameters => sub {
		my ($values) = @_;
		my $some = join '', map { message('S', $_) } "client_encoding\0SJIS\0",
		  "client_encoding\0nonsense\0", "server_version\0$$.-1\0", "x\0" . 'y' x 9000 . "\0",
		  "standard_conforming_strings\0perhaps\0";
		return ('good', $some . answer_of(@$values));
	},
	flood => sub {
		my ($values) = @_;
		return ('bad', $BOUND, message(pick(qw(A N)), pack('N', 7) . "c\0" . 'p' x 16_000 . "\0\0") => 2000);
	},
	long_row => sub {
		my ($values) = @_;
		return ('bad', answer_of(map { 'b' x 200_000 } @$values));
	},
	length => sub {
		my ($values) = @_;
		my @part = ($BOUND, description(scalar(@$values)), row(@$values), $COMPLETE, $READY);
		my $which = pick(1 .. 4);
		my $right = length($part[$which]) - 1;
		substr($part[$which], 1, 4) = pack('N', pick(grep { $_ != $right }
				0, 1, 3, 4, 5, 0xffffffff, 0x7fffffff, 0x40000000, 30001, $right - 1, $right + 1));
		return ('bad', join('', @part), close => 1);
	},
	counts => sub {	# of columns, and lengths of values
		my ($values) = @_;
		my @part = ($BOUND, description(scalar(@$values)), row(@$values), $COMPLETE, $READY);
		substr($part[ pick(1, 2) ], 5, 2) = pack('n', pick(0, 255, 32767, 65535));
		substr($part[2], 7, 4) = pack('N', pick(0xfffffffe, 0x7fffffff, 1000)) if rand() < 0.5;
		return ('bad', join('', @part), close => 1);
	},
	cut => sub {
		my ($values) = @_;
		my $bytes = answer_of(@$values);
		return ('bad', substr($bytes, 0, rand(length($bytes))), close => 1);
	},
	flip => sub {
		my ($values) = @_;
		my $bytes = answer_of(@$values);
		substr($bytes, rand(length($bytes)), 1) = garbage(1) for 1 .. pick(1, 1, 2, 8);
		return ('maybe', $bytes, close => 1);
	},
	shuffled => sub {
		my ($values) = @_;
		my @part = ($BOUND, description(scalar(@$values)), row(@$values), $COMPLETE, $READY);
		return ('bad', join('', map { pick(@part[ 0 .. 3 ]) } 1 .. 8) . $READY, close => 1)
		  if rand() < 0.5;
		return ('bad', join('', @part[ 0, 2, 1, 3, 4 ]), close => 1);
	},
	garbage => sub { return ('bad', garbage(pick(1, 5, 100, 5000)), close => 1) },
	garbage_after => sub {
		my ($values) = @_;
		return ('maybe', answer_of(@$values) . garbage(50), close => 1);
	},
	closed => sub { return ('bad', pick('', $BOUND), close => 1) },
	ready_twice => sub {
		my ($values) = @_;
		return ('maybe', answer_of(@$values) . $READY x pick(1, 5), sticky => 1);
	},
	answer_twice => sub {
		my ($values) = @_;
		return ('maybe', answer_of(@$values) x 2, sticky => 1);
	},
	ready_early => sub {
		my ($values) = @_;
		return ('maybe', $READY . answer_of(@$values), sticky => 1);
	},
	slow => sub {
		my ($values) = @_;
		return ('good', answer_of(@$values), pause => 0.03);
	},
	bytes => sub {
		my ($values) = @_;
		return ('good', answer_of(@$values), bytewise => 1);
	},
	authentication => sub {
		return ('bad', message('R', pack('N', pick(0, 3, 5, 10, 12))) . $READY, close => 1);
	});

# How often each kind comes, where that is not 20 in all.
my %WEIGHT = (value => 150, near => 150, sense => 100, error => 100, flip => 60, cut => 60,
	length => 50, flood => 1, long_row => 4, many_columns => 5, slow => 5);
# How often an answer to a question of this phase makes sense in any case.
my %SENSE = (limits => 0.88, node => 0.3, confirm => 0.6);
my @KINDS = map { ($_) x ($WEIGHT{$_} // 20) } sort keys %ANSWER;

# --- answers to the start of a connection --------------------------------

my $WELCOME = message('R', pack('N', 0)) . message('S', "server_version\0" . "15.0\0")
  . message('S', "client_encoding\0UTF8\0") . message('K', pack('NN', 7, 7)) . $READY;

sub start_nonsense
{
	my ($self, $question) = @_;

	return pick(
		error($self, $question, 'E'),
		error($self, $question, 'E') x 3,
		'E' . text_with_secrets($self, $question) . "\0",
		'EFATAL:  ' . text_with_secrets($self, $question) . "\n\0",
		message('R', pack('N', pick(1, 2, 3, 6, 7, 8, 9, 11, 12, 99, 0xffffffff))),
		message('R', pack('N', 5) . garbage(pick(0, 3, 4, 100))),
		message('R', pack('N', 10) . pick("SCRAM-SHA-256\0\0", "\0", "X\0Y\0\0", garbage(100))),
		message('R', pack('N', 10) . "SCRAM-SHA-256\0\0")
		  . message('R', pack('N', 11) . "r=$$,s=QQ==,i=1"),
		message('R', garbage(pick(0, 1, 3))),
		message('R', pack('N', 0)) . garbage(100),
		message('R', pack('N', 0)) . message('K', 'x'),
		message('R', pack('N', 0)) . message('S', 'no zero byte'),
		message('R', pack('N', 0)) . error($self, $question, 'E'),
		message('R', pack('N', 0)) . message('v', pack('NN', 196608, 1) . "_pq_.x\0"),
		message('v', garbage(8)),
		message('N', garbage(80)) . message('Z', 'I'),
		message('D', garbage(80)),
		message('R', pack('N', 0)) . row(1, 2, 3) . $READY,
		substr($WELCOME, 0, rand(length($WELCOME))),
		'HTTP/1.1 400 Bad Request' . "\r\n\r\n" . 'x' x 500,
		garbage(pick(1, 8, 9, 100, 40_000)),
		'');
}

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
	my $sent = 0;

	while ($sent < length($bytes))
	{
		my $n = syswrite($connection, $bytes, length($bytes) - $sent, $sent);

		return 0 unless defined $n;
		$sent += $n;
	}
	return 1;
}

# The startup packet's parameters, or nothing.  $cheat: the request for encryption
# gets nonsense.
sub read_start
{
	my ($self, $connection, $cheat) = @_;

	for (;;)
	{
		my $head = read_bytes($connection, 8) // return;
		my ($length, $code) = unpack('NN', $head);

		if ($code == SSL_REQUEST || $code == GSS_REQUEST)
		{
			if ($cheat)
			{
				send_bytes($connection, pick('S' . garbage(500), 'S', 'X', 'G',
						error($self, { user => 'nobody' }, 'E'), garbage(9), ''));
				return;
			}
			send_bytes($connection, 'N') or return;
			next;
		}
		return if $code != PROTOCOL_3 || $length < 8 || $length > 10_000;
		my $body = read_bytes($connection, $length - 8) // return;
		my @word = split /\0/, $body, -1;
		my %parameter;

		while (@word >= 2 && $word[0] ne '')
		{
			my ($name, $value) = splice @word, 0, 2;

			$parameter{$name} = $value;
		}
		return \%parameter;
	}
}

# What is asked: the text of the query and its parameters.
sub read_question
{
	my ($connection) = @_;
	my ($query, @parameters);

	for (;;)
	{
		my $head = read_bytes($connection, 5) // return;
		my ($type, $length) = unpack('aN', $head);
		my $body = $length > 4 ? read_bytes($connection, $length - 4) : '';

		return if !defined $body || $type eq 'X';
		last if $type eq 'S';
		(undef, $query) = split /\0/, $body if $type eq 'P';
		next unless $type eq 'B';
		(undef, undef, my $formats) = unpack('Z*Z*n', $body);
		my $at = 2 + 2 + 2 * $formats;
		my $n = unpack('n', substr($body, $at, 2));

		$at += 2;
		for (1 .. $n)
		{
			my $bytes = unpack('N', substr($body, $at, 4));

			$at += 4;
			push @parameters, $bytes == 0xffffffff ? undef : substr($body, $at, $bytes);
			$at += $bytes unless $bytes == 0xffffffff;
		}
	}
	return ($query // '', @parameters);
}

sub note_answer
{
	my ($self, $n, $phase, $kind, $shape, @values) = @_;

	$self->{log}->print(join(' ', $n, $phase, $kind, $shape,
			map { defined $_ ? 'x' . unpack('H*', $_) : '-' } @values), "\n");
	return;
}

# Answers a query; false when the connection is to be closed.
sub answer
{
	my ($self, $connection, $n, $question, $phase, $sticky) = @_;
	my $kind = rand() < ($SENSE{$phase} // 0) ? 'sense' : pick(@KINDS);
	my @values = sense($question);
	my ($shape, $bytes, %how) = $ANSWER{$kind}->(\@values, $question, $self);

	$$sticky ||= $how{sticky};
	$shape = 'maybe' if $$sticky;
	note_answer($self, $n, $phase, $kind, $shape, @values, @{ $question->{interval} // [] })
	  if $phase ne 'limits' || $kind ne 'sense';
	sleep($how{pause}) if $how{pause};
	if ($how{bytewise})
	{
		send_bytes($connection, $_) || return 0 for split //, $bytes;
		return 1;
	}
	send_bytes($connection, $bytes) or return 0;
	foreach my $flood (grep { length($_) > 100 } keys %how)
	{
		send_bytes($connection, $flood) || return 0 for 1 .. $how{$flood};
	}
	return !$how{close};
}

sub serve
{
	my ($self, $connection, $cheat) = @_;
	my $start = read_start($self, $connection, $cheat) // return;
	my ($n) = ($start->{application_name} // '') =~ /^q(\d+)$/ or return;
	my $user = $start->{user} // '';
	my $sticky = 0;

	srand($self->{seed} * 1_000_003 + $n * 31 + $self->{answers}{$n}++);
	# some do not answer at all, until the client has had enough
	if ($n % 2500 == 1249)
	{
		note_answer($self, $n, 'start', 'mute', 'bad');
		read_bytes($connection, 1);
		return;
	}
	if (rand() < 0.12)
	{
		note_answer($self, $n, 'start', 'nonsense', 'bad');
		send_bytes($connection, start_nonsense($self, { user => $user }));
		return;
	}
	send_bytes($connection, $WELCOME) or return;
	while (my ($query, @parameters) = read_question($connection))
	{
		my ($phase, $columns) = $query =~ /gid\.authority_block/ ? ('block', 4) :
		  $query =~ /gid\.authority_generator/ ? ('generator', 1) :
		  $query =~ /gid\.authority_node/ ? ('node', 4) :
		  $query =~ /gid\.authority_confirm/ ? ('confirm', 1) : ('limits', 1);
		my %question = (phase => $phase, columns => $columns, user => $user,
			count => $phase eq 'block' ? $parameters[2] : 1);

		# a server without a lease sends NULL for the second and the third parameter
		$question{interval} = [ @parameters[ 3, 4 ] ] if $phase eq 'node';

		srand($self->{seed} * 1_000_003 + $n * 31 + $self->{answers}{$n}++);
		if ($n % 2500 == 2499 && $phase ne 'limits')
		{
			note_answer($self, $n, $phase, 'mute', 'bad');
			read_bytes($connection, 1);
			return;
		}
		answer($self, $connection, $n, \%question, $phase, \$sticky) or return;
	}
	return;
}

# What no message may tell, beside the password file's path.
use constant {
	USER => 'kumquat_role',
	PASSWORD => 'persimmon-2207-anvil',
};

# Starts one for the test of a server, with a password file and the file of answers
# in the server's directory.  GID_HOSTILE_SEED=N takes other answers.
sub start_for
{
	my ($class, $node) = @_;
	my $seed = $ENV{GID_HOSTILE_SEED} || 1;
	my $passfile = $node->basedir . '/rhubarb.pass';

	Test::More::note("GID_HOSTILE_SEED=$seed");
	PostgreSQL::Test::Utils::append_to_file($passfile, '*:*:*:*:' . PASSWORD . "\n");
	chmod 0600, $passfile or die "$passfile: $!";
	return $class->start(
		dir => PostgreSQL::Test::Utils::tempdir_short(),
		log => $node->basedir . '/answers', passfile => $passfile, seed => $seed);
}

# Does a text tell a secret?
sub is_told
{
	my ($self, $text) = @_;

	return scalar grep { index($text, $_) >= 0 } USER, PASSWORD, $self->{passfile};
}

# Starts the process.  "dir" is for the Unix socket, "log" the file of answers,
# "passfile" a path that its errors tell.
sub start
{
	my ($class, %option) = @_;
	my $self = bless {%option}, $class;
	my @listeners = (
		IO::Socket::UNIX->new(Local => "$option{dir}/.s.PGSQL.5432", Listen => 50),
		map { IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 50) } 1, 2);

	die "could not listen: $!" if grep { !defined $_ } @listeners;
	(undef, @{$self}{qw(port cheat_port)}) = map { $_->can('sockport') ? $_->sockport : 0 } @listeners;
	$self->{pid} = fork() // die "fork: $!";
	if ($self->{pid} > 0)
	{
		close $_ for @listeners;
		return $self;
	}

	# The child never runs what the test does at its end.
	$SIG{PIPE} = 'IGNORE';
	$SIG{TERM} = sub { POSIX::_exit(0) };
	eval {
		my $select = IO::Select->new(@listeners);

		open my $log, '>', $option{log} or die "$option{log}: $!";
		$self->{log} = $log;
		$self->{log}->autoflush(1);
		for (;;)
		{
			foreach my $listener ($select->can_read)
			{
				my $connection = $listener->accept or next;

				$self->serve($connection, $listener == $listeners[2]);
				close $connection;
			}
		}
	};
	print STDERR "hostile authority: $@";
	POSIX::_exit(1);
}

sub stop
{
	my ($self) = @_;

	kill 'TERM', $self->{pid};
	waitpid($self->{pid}, 0);
	return $? == 0;
}

1;
