# The durable bound's file, gid.clock: missing, damaged, unreadable, of another system,
# and each step of its writing failing.  Every id lies below the bound at each
# moment, and the postmaster leaves the words themselves.
#
# SQL alone cannot test this: it needs a data directory with faults, and a server that the
# test kills.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy qw(copy);
use GidTest;
use List::Util qw(max);
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = gid_node('main');
my $path = clock_path($node);
my $all = 'SELECT ' . join(', ', map { $CALL{$_} } @ORDERED);
my ($session, $id, $file, $offset, $err);

# A new id of each family, by a session or by a new one.
sub ids
{
	my ($on) = @_;
	my %id;

	@id{@ORDERED} = split /\|/, $on->can('safe') ? $on->safe($all) : $on->safe_psql('postgres', $all);
	return \%id;
}

# Which of the ids are not below the words of the file?
sub not_below
{
	my ($id, $file) = @_;

	return join ' ', grep { word_of($_, $id->{$_}) >= $file->{$_} } @ORDERED;
}

# 1. A first start: no file; then one of this system.  Whenever one looks, it is whole, its
# words lie ahead of the ids and at most five seconds ahead of the clock, and it moves on.
my ($torn, $reached, $far, %seen) = (0, 0, 0);

$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
ok(!-e $path, 'no file before the first id');
$session = session($node, 'postgres');
ok(defined wait_until(120, sub {
		$id = ids($session);
		$file = clock_file($node);
		$torn++, return 0 unless $file;
		my $after = time;

		$reached++ if not_below($id, $file) ne '';
		$far++ if grep { word_seconds($_, $file->{$_}) > $after + 5 } @ORDERED;
		$seen{ $file->{v7} } = 1;
		return keys %seen >= 3;
	}), 'the bound moves');
is("$torn $reached $far", '0 0 0', 'the file is always whole, ahead of every id, and never more than five seconds ahead');
end_session($session);
my $SYSTEM = $node->safe_psql('postgres', 'SELECT system_identifier FROM pg_control_system()');

is(clock_file($node)->{system}, $SYSTEM, 'it has the system identifier');
is((stat $path)[2] & 07777, 0600, 'it can be read by the owner only');

# 2. Damaged, or something else in its place, also what would make open() or read() wait:
# an error, and the file is left as it is.  A server whose words have not started reads
# the file at each call.
$node->restart;
my $good = slurp_file($path);
my %damage = (
	'empty' => '',
	'cut short' => substr($good, 0, length($good) - 1),
	'a word cut off' => substr($good, 0, length($good) - 8),
	'a word too long' => $good . "\0" x 8,
	'half zeros' => substr($good, 0, 20) . "\0" x (length($good) - 20));

# A bit of each part: magic, version, system identifier, words, checksum.
foreach my $byte (0, 4, 9, 30, length($good) - 2)
{
	$damage{"bit flipped in byte $byte"} = $good;
	substr($damage{"bit flipped in byte $byte"}, $byte, 1) ^= "\x10";
}
$session = session($node, 'postgres');
foreach my $name (sort keys %damage)
{
	clock_write($node, $damage{$name});
	error_like(($session->query('SELECT gid_uuid_v7()'))[1], 'XX001', "$name: v7 is refused");
	ok(slurp_file($path) eq $damage{$name}, "$name: the file is left as it is");
}
error_like(($session->query("SELECT $_"))[1], 'XX001', "$_ is refused")
  for @CALL{@ORDERED}, 'gid_uuid_sequential_mssql()';
is(($session->query('SELECT gid_decimal_id(), gid_uuid_v7_at(now()), gid_uuid_v7_min(now())'))[1],
	'', 'what needs no clock goes on');

unlink $path or die "$path: $!";
my %instead = (
	'a directory' => [ '58030', sub { mkdir $path }, sub { rmdir $path } ],
	'a FIFO' => [ 'XX001', sub { POSIX::mkfifo($path, 0600) } ],
	'a device' => [ 'XX001', sub { symlink '/dev/zero', $path } ],
	'a circle of links' => [ '58030', sub { symlink 'gid.clock', $path } ],
	'a huge file' => [ 'XX001', sub { clock_write($node, $good); truncate $path, 1 << 32 } ],
	'an unreadable file' => [ '58030', sub { clock_write($node, $good); chmod 0, $path } ]);

foreach my $name (sort keys %instead)
{
	my ($state, $make, $remove) = @{ $instead{$name} };

	$make->() or die "$path: $!";
  SKIP:
	{
		skip 'this user reads every file', 1 if $name =~ /unreadable/ && $> == 0;
		error_like(($session->query('SELECT gid_uuid_v7()'))[1], $state, "$name: v7 is refused");
	}
	$remove ? $remove->() : unlink $path or die "$path: $!";
}
ids($session);
ok(clock_file($node), 'without it ids go on without a restart, and there is a new file');
end_session($session);

# 3. Another system's file is replaced, with a warning, and its time does not count.  A
# link that has the temporary name is not followed.
my $other = gid_node('other', undef, force_initdb => 1);
my $linked = $node->basedir . '/linked';

$other->start;
$other->safe_psql('postgres', "CREATE EXTENSION gid; $all");
$other->stop;
$node->stop;
copy(clock_path($other), $path) or die "$path: $!";
append_to_file($linked, q{not gid's});
symlink $linked, "$path.tmp" or die "$path.tmp: $!";
$node->start;
like(($node->psql('postgres', $all))[2], qr/^(psql:\S+: )?WARNING: .*gid\.clock/, 'another system: a warning');
is(clock_file($node)->{system}, $SYSTEM, 'and the file is replaced');
is(($node->psql('postgres', $all))[2], '', 'the warning comes once');
is(slurp_file($linked), q{not gid's}, 'the link that had the temporary name is not followed');
ok(!-l $path, 'nor kept');
$node->stop('immediate');

# --- it cannot be written ------------------------------------------------

# 4. A line in the log at once, ids go on to the bound, then they stop with the operating
# system's error, and go on without a restart when the fault is gone.
my $library = build_fault("$FindBin::RealBin/fault.c", $node->basedir);
SKIP:
{
	skip 'no C compiler for the fault library', 1 unless $library;

	my $dir = $node->basedir . '/faults';
	my $node = gid_node('fault', "fsync = on\nshared_preload_libraries = 'gid'");
	my $faults = { LD_PRELOAD => $library, GID_FAULT_DIR => $dir };
	my $tmp = clock_path($node) . '.tmp';

	mkdir $dir or die "$dir: $!";
	with_env($faults, sub { $node->start });
	$node->safe_psql('postgres', 'CREATE EXTENSION gid');
	$session = session($node, 'postgres');
	my $last = ids($session);
	my $logged = 0;

	# A client that is slow may reach the bound before a move ahead of need has failed.
	ok(defined wait_until(600, sub {
			$offset = -s $node->logfile;
			append_to_file("$dir/disk", 'x');
			for (;;)
			{
				(my $text, $err) = $session->query($all);
				last if $err ne '';
				@$last{@ORDERED} = split /\|/, $text;
				return 1 if not_below($last, clock_file($node)) ne '';
				$logged ||= log_count($node, qr/LOG:  .*gid\.clock/, $offset);
				sleep(0.05);
			}
			unlink "$dir/disk" or die unless $logged;
			return $logged;
		}), 'disk full: the log tells it, ids go on for a while, and stop');
	error_like($err, '53100', 'with the error of the operating system');
	end_session($session);
	sql_fails($node, 'postgres', "SELECT $CALL{$_}", '53100', "$_ is refused at the bound") for @ORDERED;
	is($node->psql('postgres', 'SELECT gid_decimal_id()'), 0, 'DecimalIds go on');
	is(not_below($last, clock_file($node)), '', 'the last ids lie below the old bound');
	unlink "$dir/disk" or die;
	$id = ids($node);
	is(join(' ', grep { word_of($_, $id->{$_}) <= word_of($_, $last->{$_}) } @ORDERED), '', 'mended, ids go on, and increase');
	is(not_below($id, clock_file($node)), '', 'the new bound is on disk');

	# 5. No id either where the first bound of a server life cannot be written, whichever
	# step of the writing fails.  It also fails when the temporary name is taken.
	my %state = (disk => '53100', short => '53100', fsync => '58030', rename => '58030', dirsync => '58030');

	$node->stop('immediate');
	with_env($faults, sub { $node->start });
	foreach my $step (sort keys %state)
	{
		append_to_file("$dir/$step", 'x');
		sql_fails($node, 'postgres', "SELECT $CALL{v7}", $state{$step}, "$step fails: no id");
		unlink "$dir/$step" or die;
	}
	mkdir $tmp or die "$tmp: $!";
	sql_fails($node, 'postgres', "SELECT $CALL{v7}", '58030', 'a directory has the temporary name: no id');
	rmdir $tmp or die "$tmp: $!";

	# The lock that others wait for has its name in every backend that uses gid.
	my @waiter = map { session($node, 'postgres') } 1 .. 2;
	my $watcher = session($node, 'postgres');

	$watcher->safe('SELECT gid_decimal_id()');
	append_to_file("$dir/hang", 'x');
	$_->send($all) for @waiter;
	ok(defined wait_until(60, sub {
			$watcher->safe(q{SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'LWLock' AND wait_event = 'GidClock'});
		}), 'the lock of gid.clock has a name');

	# A stop of the machine leaves the old file or the new one, if the new one is on disk
	# before it takes the name, and the name then.
	append_to_file("$dir/calls", '');
	unlink "$dir/hang" or die;
	is(($_->answer)[1], '', 'when all works again ids go on') for @waiter;
	end_session($_) for @waiter, $watcher;
	ok(clock_file($node), 'and the file is whole');
	ok(!-e $tmp, 'no temporary file is left');
	my $calls = slurp_file("$dir/calls");

	# other processes sync the directory when they like
	like($calls, qr/^rename$/m, 'the file was written');
	unlike($calls =~ s/(?:write\n)?(?:fsync(?: directory)?\n)*fsync\n(?:fsync directory\n)*rename\n(?:fsync\n)*fsync directory\n//gr,
		qr/write|fsync$|rename/m, 'by write, fsync, rename, fsync of the directory');
	$node->stop;
}

# --- restarts ------------------------------------------------------------

# 6. Without preload nobody writes at an end, so a restart is as a crash: ids lead by at
# most five seconds, no more after many restarts, and follow the clock later. With preload
# they do not lead.

# How far the next id leads the wall clock, in seconds: a version 7 UUID, or another.
sub lead
{
	my ($on, $time) = @_;

	return $on->safe_psql('postgres', 'SELECT extract(epoch FROM ' . ($time // 'gid_extract_v7_time(gid_uuid_v7())') . ' - clock_timestamp())');
}

my $first = gid_node('first', "shared_preload_libraries = 'gid'\nmax_files_per_process = 64");
my $plain = gid_node('plain');
my $shard_lead = 0;

foreach my $on ($first, $plain)
{
	$on->start;
	$on->safe_psql('postgres', 'CREATE EXTENSION gid');
	cmp_ok(lead($on), '<', 0.1, 'a new server does not lead');
	foreach (1 .. 6)
	{
		$on->restart;
		lead($on);
		$shard_lead = max($shard_lead, lead($on, 'gid_extract_shard_time(gid_uuid_shard(1))'));
	}
}
cmp_ok(lead($plain), '<', 5.1, 'after six restarts without preload the ids lead by at most five seconds');
cmp_ok($shard_lead, '<', 6.1, 'shard-key UUIDs, which start in a second of their own, by one more');
cmp_ok(lead($first), '<', 0.1, 'with preload they do not');
ok(defined wait_until(120, sub { lead($plain) < 0.1 }), 'the lead goes');
$plain->stop;

# 7. With preload the postmaster writes the words themselves at its end, so that a restart
# leaves no lead, and the server's time, so that a clock that is set back meanwhile does not
# take that back.  A kill leaves the bound, also when the postmaster goes on.

# Does gid.clock hold a bound, one moment for all words?
sub holds_bound
{
	$file = clock_file($first);

	return abs(word_seconds('v7', $file->{v7}) - word_seconds('sequential', $file->{sequential})) < 1e-5;
}

foreach my $how ('fast', 'immediate')
{
	$id = ids($first);
	ok(holds_bound(), "gid.clock holds the bound before a stop ($how)");
	sleep(1);
	my $stops = time;
	$first->stop($how);
	my $stopped = time;

	ok(!holds_bound() && not_below($id, $file) eq '', "the postmaster writes the words ($how)");
	is(join(' ', grep { word_seconds($_, $file->{$_}) > $stopped + 0.1 } qw(v7 sequential trace snowflake)), '',
		"and they are not ahead ($how)");
	cmp_ok(word_seconds('v7', $file->{v7}), '>=', $stops, "one of them has the time of the stop ($how)");
	$first->start;
}
kill9_backend($first, 'SELECT gid_uuid_v7()');
ok(holds_bound(), 'a crash of a backend leaves the bound');
cmp_ok(lead($first), '<', 5.1, 'and a lead of five seconds at most');
# and so does one after which the postmaster ends by itself
gid_reload($first, 'restart_after_crash', 'off');
{
	my $session = session($first, 'postgres');

	my $pid = $session->safe('SELECT pg_backend_pid() FROM gid_uuid_v7()');
	my $bound = slurp_file(clock_path($first));

	kill 'KILL', $pid;
	ok(defined wait_until(120, sub { !-e $first->data_dir . '/postmaster.pid' }), 'the postmaster ends after a crash');
	is(slurp_file(clock_path($first)), $bound, 'and leaves gid.clock alone');
	end_session($session);
}
$first->_update_pid(0);
$first->start;
lead($first);
$first->restart;
my $untouched = slurp_file(clock_path($first));

$first->restart;
is(slurp_file(clock_path($first)), $untouched, 'a life without ids leaves gid.clock alone');
$first->stop;

# So does a stand-alone backend, in which a reservation waits for nobody.
IPC::Run::run([ 'postgres', '--single', '-c', 'synchronous_standby_names=*', '-D', $first->data_dir, 'postgres' ],
	'<', \'SELECT gid_uuid_v7(), gid_trace_id(), gid_decimal_id()', '>', \my $out, '2>', \$err);
like($out, qr/gid_trace_id = "[0-9]+".*gid_decimal_id = "[0-9]+"/s, 'a stand-alone backend makes ids') or diag($err);
ok(!holds_bound() && slurp_file(clock_path($first)) ne $untouched, 'and leaves the words');

# 8. A session that has too many files open writes gid.clock all the same.  An error there would
# be sent while it has the lock, to a client that perhaps does not read.
unlink clock_path($first) or die "$!";
$first->start;
SKIP:
{
	skip 'no file_fdw', 2
	  unless $first->safe_psql('postgres', q{SELECT 1 FROM pg_available_extensions WHERE name = 'file_fdw'});
	$first->safe_psql('postgres', <<"EOS");
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE line (line text) SERVER files OPTIONS (filename '@{[ $first->data_dir ]}/PG_VERSION');
EOS
	$first->safe_psql('postgres', <<'EOS');
DO $$
DECLARE cursor refcursor; row record;
BEGIN
	FOR i IN 1..1000 LOOP
		cursor := 'c' || i;
		BEGIN
			OPEN cursor FOR SELECT * FROM line;
			FETCH cursor INTO row;
		EXCEPTION WHEN insufficient_resources THEN
			PERFORM gid_uuid_v7();
			RETURN;
		END;
	END LOOP;
	RAISE 'no limit';
END $$
EOS
	ok(-e clock_path($first), 'a session with too many open files writes it');
}

# The postmaster cannot write: a LOG line, and the bound stays.
ids($first);
mkdir clock_path($first) . '.tmp' or die "$!";
$offset = -s $first->logfile;
$first->stop;
is(log_count($first, qr/LOG:  .*could not write file "gid\.clock"/, $offset), 1, 'a LOG line when the postmaster cannot write');
ok(holds_bound(), 'and the bound stays');

done_testing();
