# An authority that answers nonsense: 10,000 questions give an error of class 08
# or 22 each, never an id that the answer does not hold; no answer crashes the
# session, leaves memory or files behind, or puts control characters, the user's
# name or the password file's path into an error or the log.
#
# SQL alone cannot test this: no PostgreSQL server sends such answers.  A process
# of the test speaks the wire protocol instead (test/lib/HostileAuthority.pm), and
# the files and memory of the session are counted from outside.
#
# GID_HOSTILE_SEED=N takes other answers, GID_HOSTILE_QUESTIONS=N more of them.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use Encode ();
use GidTest;
use HostileAuthority;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	ERA => 1 << 60,
	QUESTIONS => $ENV{GID_HOSTILE_QUESTIONS} || 10_000,
	WARM => 2000,
	DECIMALS => 500,
	FIRST_DECIMAL => 10_000_001,
	BATCH => 500,
	# What a session may have more of at the end than after WARM questions.
	GROWTH => 3 * 1024 * 1024,
	# The longest value that gid reads.
	VALUE_SIZE => 130,
};

my $node = gid_node('main', undef, extra => [ '--encoding=UTF8', '--no-locale' ]);

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE seq;
CREATE TABLE question (n int PRIMARY KEY, count int, uri text);
CREATE TABLE said (n int, value text, state text, message text, detail text, hint text);
EOS

my $server = HostileAuthority->start_for($node);

END
{
	local $?;
	$server->stop if defined $server && kill 0, $server->{pid};
}

# --- the questions -------------------------------------------------------

# The questions of a group have one URI, and so one connection and one row among
# the servers that failed: group => questions.
my (%group, %question);

sub uri_of
{
	my ($group) = @_;
	my $tail = "application_name=q$group&passfile=$server->{passfile}";
	my $at = HostileAuthority::USER . '@127.0.0.1:';

	# sslmode=require: never beyond the request for encryption
	return "postgresql://$at$server->{cheat_port}/ids?$tail&sslmode=require" if $group % 40 == 7;
	return "postgresql://$at$server->{port}/ids?$tail" if $group % 10 == 3;
	# the first host refuses the connection: what it said is no answer
	return "postgresql://${at}1,127.0.0.1:$server->{port}/ids?$tail" if $group % 10 == 5;
	return 'postgresql://' . HostileAuthority::USER . "@/ids?host=$server->{dir}&port=5432&$tail";
}

sub write_questions
{
	my $file = $node->basedir . '/questions';
	my $group = 0;

	open my $fh, '>', $file or die "$file: $!";
	for my $n (1 .. QUESTIONS)
	{
		$group = $n unless $n % 10 == 8 || $n % 10 == 9;
		push @{ $group{$group} }, $n;
		$question{$n} = (1, 1, 1, 5, 65536)[ $n % 7 % 5 ];
		print $fh join("\t", $n, $question{$n}, uri_of($group)), "\n";
	}
	for my $n (FIRST_DECIMAL .. FIRST_DECIMAL + DECIMALS - 1)
	{
		push @{ $group{$n} }, $n;
		$question{$n} = 1;
		# a generator number is asked for once for each host, port and database
		print $fh join("\t", $n, 1, uri_of($n) =~ s{/ids\?}{/ids_$n?}r), "\n";
	}
	close $fh;
	$node->safe_psql('postgres', "\\copy question FROM '$file'");
	return;
}

# Asks questions in one session, each group in a transaction.
sub ask
{
	my ($session, $setting, $value, $first, $last) = @_;

	return $session->safe(<<"EOS");
DO \$\$
DECLARE
	q question;
	s said;
BEGIN
	FOR i IN $first .. $last LOOP
		SELECT * INTO q FROM question WHERE n = i;
		s := ROW(i);
		PERFORM set_config('$setting', q.uri, false);
		BEGIN
			$value;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS s.state = RETURNED_SQLSTATE,
				s.message = MESSAGE_TEXT, s.detail = PG_EXCEPTION_DETAIL,
				s.hint = PG_EXCEPTION_HINT;
		END;
		INSERT INTO said SELECT s.*;
		IF i % 10 NOT IN (7, 8) OR i >= @{[FIRST_DECIMAL]} THEN
			COMMIT;
		END IF;
	END LOOP;
END \$\$
EOS
}

# --- the session from outside --------------------------------------------

sub sockets
{
	my ($pid) = @_;

	return scalar grep { (readlink($_) // '') =~ /^socket:/ } glob("/proc/$pid/fd/*");
}

sub files { my ($pid) = @_; return scalar(() = glob("/proc/$pid/fd/*")) }

# Memory of its own: VmRSS less the shared buffers that the session has used.
sub resident
{
	my ($pid) = @_;

	return 1024 * (slurp_file("/proc/$pid/status") =~ /^RssAnon:\s+(\d+) kB/m)[0];
}

sub contexts
{
	my ($session) = @_;

	return $session->safe('SELECT sum(total_bytes) FROM pg_backend_memory_contexts');
}

# --- the run -------------------------------------------------------------

write_questions();

my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $session = session($node, 'postgres');
my $pid = $session->safe('SELECT pg_backend_pid()');
my $draw = "SELECT min(g)::text || ' ' || count(*) INTO s.value"
  . " FROM gid_next_gdids('seq', q.count) AS g";
my $began = monotonic();
my (%before, %after);

for (my $n = 1; $n <= QUESTIONS; $n += BATCH)
{
	ask($session, 'gid.authorities', $draw, $n, $n + BATCH - 1);
	next unless $n + BATCH - 1 == WARM;
	contexts($session);
	%before = (sockets => sockets($pid), files => files($pid), resident => resident($pid),
		contexts => contexts($session));
}
%after = (sockets => sockets($pid), files => files($pid), resident => resident($pid),
	contexts => contexts($session));
note(sprintf('%d questions in %.1f s', QUESTIONS, monotonic() - $began));
ask($session, 'gid.decimal_authority', 's.value := gid_extract_decimal_generator(gid_decimal_id())',
	FIRST_DECIMAL, FIRST_DECIMAL + DECIMALS - 1);

note(join ', ', map { "$_: $before{$_} -> $after{$_}" } sort keys %before);
is($after{sockets}, $before{sockets}, 'no socket stays open');
is($after{files}, $before{files}, 'no file stays open');
cmp_ok($after{resident} - $before{resident}, '<', GROWTH, 'the memory of the process does not grow');
cmp_ok($after{contexts} - $before{contexts}, '<', GROWTH, 'nor do its memory contexts');
is($session->safe('SELECT pg_backend_pid()'), $pid, 'the session goes on');
is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'),
	$started, 'and so does the server');
is(log_count($node, qr/was terminated by signal|^TRAP:|all server processes terminated/m), 0, 'nothing has crashed');
ok($server->stop, 'the hostile server has not failed');

# --- what was said -------------------------------------------------------

my $file = $node->basedir . '/said';

$session->safe("COPY said TO '$file'");
end_session($session);

# The integer of a text, as strtoll() and PostgreSQL read it; undef: none.
sub number
{
	my ($text) = @_;
	my ($sign, $digits) = $text =~ /\A[ \t\n\x0b\f\r]*([+-]?)0*([0-9]+)\z/ or return undef;

	return undef if length($text) > VALUE_SIZE || length($digits) > 19;
	return undef if length($digits) == 19
	  && $digits gt ($sign eq '-' ? '9223372036854775808' : '9223372036854775807');
	return $digits eq '9223372036854775808' ? -9223372036854775807 - 1 : int("$sign$digits");
}

# What an answer to a question for $count GDIDs, or a generator, is worth: what
# the test reads when it is taken, "short" for a block that has fewer, undef when
# it must not be taken.
sub worth
{
	my ($answer, $count) = @_;
	my ($n, $phase, $kind, $shape, @hex) = split / /, $answer;
	my @number = map { $_ eq '-' ? undef : number(pack('H*', substr($_, 1))) } @hex;

	return undef if $shape eq 'bad' || $phase eq 'start' || grep { !defined $_ } @number;
	if ($phase eq 'generator')
	{
		return undef if @number != 1 || $number[0] < 0 || $number[0] > 99_999;
		return $number[0];
	}
	return undef if $phase ne 'block' || @number != 4;
	my ($authority, $era, $start, $got) = @number;

	return undef if $authority < 0 || $authority > 15 || $era < 0 || $era > 7
	  || $got < 1 || $got > $count || $start < 0 || $start + $got > ERA
	  || $era == 0 && $start == 0;
	return $got < $count ? 'short' : "$era:$authority:$start $got";
}

my %answers;

foreach my $line (split /\n/, slurp_file($server->{log}))
{
	my ($n) = $line =~ /^(\d+) /;

	push @{ $answers{$n} }, $line;
}

my (%said, %states, %kinds, @bad_states, @bad_values, @refused, @unprintable, @secrets);
my $rows = 0;
my $raw = slurp_file($file);

# A text that people read is UTF-8 without control characters, of ASCII or not,
# and without other ends of lines.
sub unprintable
{
	my ($bytes) = @_;
	my $text = eval { Encode::decode('UTF-8', $bytes, Encode::FB_CROAK | Encode::LEAVE_SRC) };

	return !defined $text || $text =~ /[\p{Cc}\p{Cs}\x{2028}\x{2029}]/;
}

foreach my $line (split /\n/, $raw)
{
	my ($n, $value, $state, @texts) = map { $_ eq '\N' ? undef : $_ } split /\t/, $line, -1;

	$rows++;
	$said{$n} = { value => $value, state => $state };
	$states{ $state // 'a value' }++;
	if (defined $state)
	{
		push @bad_states, $line unless $state =~ /^(08|22)/;
		# COPY writes a line's end as \n, the only one that a detail may have
		push @unprintable, $line
		  if grep { /\\[^n\\]/ || unprintable(s/\\n//gr) } map { s/\\\\//gr } grep { defined $_ } @texts;
		push @secrets, $line if $server->is_told($line);
	}
}
is($rows, QUESTIONS + DECIMALS, 'every question has come back');
note('SQLSTATEs: ' . join(', ', map { "$_ $states{$_}" } sort keys %states));

foreach my $group (sort { $a <=> $b } keys %group)
{
	my @answers = @{ $answers{$group} // [] };
	my @values = grep { defined $said{$_}{value} } @{ $group{$group} };

	$kinds{ join ' ', (split / /)[ 1, 2 ] }++ foreach @answers;
	foreach my $n (@values)
	{
		my @worth = map { worth($_, $question{$n}) } @answers;
		# a changed byte may have made a value that the process did not mean
		my $changed = grep { / (flip|garbage_after) maybe / } @answers;

		push @bad_values, "$n ($question{$n}): $said{$n}{value}: @answers"
		  unless $changed || grep { defined $_ && $_ eq $said{$n}{value} } @worth;
	}
	next if @{ $group{$group} } > 1 || @values > 0 || @answers == 0;

	# An answer that makes sense, and has no other one before it, is taken.
	my $n = $group{$group}[0];
	my @worth = map { worth($_, $question{$n}) } @answers;

	push @refused, "$n ($question{$n}): $said{$n}{state}: @answers"
	  if defined $worth[-1] && $worth[-1] ne 'short' && $answers[-1] !~ / maybe /
	  && !grep { / limits / } @answers;
}

note(scalar(keys %kinds) . ' kinds of answers: '
	  . join(', ', map { "$_ $kinds{$_}" } sort keys %kinds));
cmp_ok($states{'a value'} // 0, '>', QUESTIONS / 20, 'answers that make sense are taken');
cmp_ok($states{'a value'} // 0, '<', QUESTIONS / 2, 'most answers are nonsense');
cmp_ok(scalar(grep { /^generator / } keys %kinds), '>', 20, 'so are those for DecimalIds');
none('each error is of class 08 or 22', @bad_states);
none('no value comes from an answer that is none', @bad_values);
none('no answer that makes sense is refused', @refused);
none('errors have printable characters alone', @unprintable);
none('errors have neither the user nor the password file', @secrets);

# --- the log -------------------------------------------------------------

my $log = slurp_file($node->logfile);
my @lines = grep { /authority|DETAIL/ } split /\n/, $log;

cmp_ok(scalar(@lines), '>', 1000, 'the log tells of authorities that failed');
none('the log has printable characters alone',
	grep { unprintable(s/\t//gr) } split /\n/, $log);
none('and neither the user nor the password file',
	grep { $server->is_told($_) } @lines);

$node->stop;
done_testing();
