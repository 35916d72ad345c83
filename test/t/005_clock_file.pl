# The durable bound's file, gid.clock: missing, damaged, unreadable, of another
# system, and each step of its writing failing.  Every id lies below the bound at
# each moment.
#
# SQL alone cannot test this: it needs a data directory with faults, and a
# server that the test kills.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Copy qw(copy);
use GidTest;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = gid_node('main');
my $path = clock_path($node);
my $tmp = "$path.tmp";
my $all = 'SELECT ' . join(', ', map { $CALL{$_} } @ORDERED);

sub ids_of
{
	my ($text) = @_;
	my %id;

	@id{@ORDERED} = split /\|/, $text;
	return \%id;
}

# Which of the ids are not below the words of the file?
sub not_below
{
	my ($id, $file) = @_;

	return grep { word_of($_, $id->{$_}) >= $file->{$_} } @ORDERED;
}

# 1. A first start: no file; then one, of this system, whose words lie ahead
# of the ids, at most five seconds ahead of the time of the call.
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION gid');
$node->safe_psql('postgres', "SELECT 'gid_extract_v7_time'::regproc,"
	  . " gid_extract_v7_time('00000000-0000-7000-8000-000000000000')");
ok(!-e $path, 'no file before the first id');
my $session = session($node, 'postgres');
my $before = time;
my $id = ids_of($session->safe($all));
my $after = time;
my $file = clock_file($node);

ok($file, 'a valid file after it') or BAIL_OUT('gid.clock is not understood');
is( $file->{system},
	$node->safe_psql('postgres',
		'SELECT system_identifier FROM pg_control_system()'),
	'it has the system identifier');
is((stat $path)[2] & 07777, 0600, 'it can be read by the owner only');
is(join(' ', not_below($id, $file)), '', 'the first ids lie below it');
foreach (@ORDERED)
{
	my $at = word_seconds($_, $file->{$_});

	ok($at > $before && $at <= $after + 5,
		"$_: the bound is at most five seconds ahead");
}

# 2. While ids are made, the file is always whole, always ahead of the latest
# id, never more than five seconds ahead of the clock, and moves on.
my ($polls, $torn, $reached, $far, %seen) = (0, 0, 0, 0);
my $end = monotonic() + 8;

while (monotonic() < $end)
{
	$id = ids_of($session->safe($all));
	$file = clock_file($node);
	$after = time;
	$polls++;
	if (!$file)
	{
		$torn++;
		next;
	}
	$reached++ if not_below($id, $file);
	$far++
	  if grep { word_seconds($_, $file->{$_}) > $after + 5 } @ORDERED;
	$seen{ $file->{v7} } = 1;
	sleep(0.02);
}
end_session($session);
note("$polls looks at the file, " . scalar(keys %seen) . ' different bounds');
is($torn, 0, 'the file is whole at each look');
is($reached, 0, 'every id lies below the bound at each look');
is($far, 0, 'the bound is never more than five seconds ahead');
ok(keys %seen >= 2 && keys %seen <= 15, 'the bound moves every few seconds');
ok(!-e $tmp, 'no temporary file is left');

# 3. The same at the moment of a crash, for a family whose ids were being made
# as fast as they come.
seen_tables($node, 'postgres', @ORDERED);
my $kills = 0;

foreach my $family (@ORDERED)
{
	my $stream = start_stream($node, 'postgres', $family);

	# Let the bound move in between.
	sleep(0.7 + 0.6 * $kills);
	kill9_server($node);
	my $ids = stop_stream($stream);
	my ($greatest) = slurp_file($ids) =~ /([^\n]+)\n\z/;

	$file = clock_file($node);
	ok( $file && word_of($family, $greatest) < $file->{$family},
		"$family: the last id before the kill lies below the bound")
	  or diag("$greatest");
	$node->start;
	load_file($node, 'postgres', $family, 1, $ids);
	$id = ids_of($node->safe_psql('postgres', $all));
	$node->safe_psql('postgres', join('',
			map { "INSERT INTO seen_$_ (round, id) VALUES (2, '$id->{$_}');\n" }
			  @ORDERED));
	$kills++;
}
check_growing($node, 'postgres', $_, 1, "over $kills kills") for @ORDERED;

# 4. A rest of the temporary name, as a crash at the wrong moment leaves it.
$node->stop;
append_to_file($tmp, 'x' x 1000);
$node->start;
is($node->psql('postgres', $all), 0, 'a rest of the temporary file is no harm');
ok(defined wait_until(30, sub { !-e $tmp && clock_file($node) }), 'and is replaced');

# 5. Damaged: the clock-driven families raise XX001; what does not need the
# clock goes on; all recover without a restart when the file is removed.
$node->stop;
my $good = slurp_file($path);
my %damage = (
	'empty' => '',
	'cut short' => substr($good, 0, length($good) - 1),
	'a word cut off' => substr($good, 0, length($good) - 8),
	'no words' => substr($good, 0, 20),
	'too long' => $good . "\0",
	'a word too long' => $good . "\0" x 8,
	'much too long' => $good . "\0" x 8000,
	'half zeros' => substr($good, 0, 20) . "\0" x (length($good) - 20));

# As many words as a file can have, and a byte: without the byte it would be whole.
clock_write_list($node, unpack('Q*', substr($good, 16, -4)), (0) x (64 - @ORDERED));
$damage{'the most words and a byte'} = slurp_file($path) . "\0";

# A bit of each part: magic, version, system identifier, words, checksum.
foreach my $byte (0, 4, 9, 30, length($good) - 5, length($good) - 2)
{
	my $flipped = $good;

	substr($flipped, $byte, 1) ^= "\x10";
	$damage{"bit flipped in byte $byte"} = $flipped;
}
foreach my $name (sort keys %damage)
{
	clock_write($node, $damage{$name});
	$node->start;
	# All kinds once, every family with one of them.
	foreach my $family ($name eq 'empty' ? @ORDERED : 'v7')
	{
		sql_fails($node, 'postgres', "SELECT $CALL{$family}",
			'XX001', "$name: $family is refused");
	}
	if ($name eq 'empty')
	{
		sql_fails($node, 'postgres', 'SELECT gid_uuid_sequential_mssql()',
			'XX001', "$name: sequential_mssql is refused");
		is($node->psql('postgres', 'SELECT gid_decimal_id()'),
			0, "$name: DecimalIds go on");
		is( $node->psql('postgres', <<'EOS'), 0, "$name: pure functions go on");
SELECT gid_uuid_v7_at(now()), gid_uuid_v7_min(now()),
	gid_make_trace_id(now(), 1, 2, 3), gid_extract_trace_node(4194305),
	gid_make_uuid_shard(now(), '\x0102030405', 1, 7),
	gid_make_decimal_id(1, 2, 3), gid_extract_decimal_launch(10000000000)
EOS
	}
	ok(slurp_file($path) eq $damage{$name},
		"$name: the file is left as it is");

	my $waiting = session($node, 'postgres');

	unlink $path or die "$path: $!";
	is( scalar(split /\|/, $waiting->safe($all)),
		scalar(@ORDERED), "$name: removed, all families go on");
	end_session($waiting);
	ok(clock_file($node), "$name: there is a new file");
	$node->stop;
}

# 6. Unreadable.
SKIP:
{
	chmod 0, $path or die "$path: $!";
	if (open my $fh, '<', $path)
	{
		chmod 0600, $path;
		skip 'this user reads every file', 4;
	}
	$node->start;
	sql_fails($node, 'postgres', "SELECT $CALL{$_}",
		'58030', "unreadable: $_ is refused")
	  for @ORDERED;
	chmod 0600, $path or die "$path: $!";
	is($node->psql('postgres', $all),
		0, 'made readable, all families go on');
	$node->stop;
}
# Something else in its place.  What would make open() or read() wait, or never come
# to an end, is an error as well, also for a process that has blocked signals.
my %instead = (
	'a directory' => [ 'XX001', sub { mkdir $path }, sub { rmdir $path } ],
	'a FIFO' => [ 'XX001', sub { POSIX::mkfifo($path, 0600) } ],
	'a device' => [ 'XX001', sub { symlink '/dev/zero', $path } ],
	'a circle of links' => [ '58030', sub { symlink 'gid.clock', $path } ],
	'a huge file' => [
		'XX001',
		sub { clock_write($node, slurp_file("$path.good")); truncate $path, 1 << 32 }
	]);

rename $path, "$path.good" or die "$path: $!";
$node->start;
foreach my $name (sort keys %instead)
{
	my ($state, $make, $remove) = @{ $instead{$name} };

	$make->() or die "$path: $!";

	# A session, because its time is limited.
	my $waiting = session($node, 'postgres');

	error_like(($waiting->query('SELECT gid_uuid_v7()'))[1], $state, "$name in its place: v7 is refused");
	$remove ? $remove->() : unlink $path or die "$path: $!";
	like($waiting->safe('SELECT gid_uuid_v7()'), qr/^[0-9a-f-]{36}$/, "and goes on without $name");
	end_session($waiting);
	$node->stop;
	unlink $path or die "$path: $!";
	$node->start;
}
$node->stop;
rename "$path.good", $path or die "$path: $!";

# The same under the temporary name: it is removed, and no link is followed.
my $linked = $node->basedir . '/linked';

append_to_file($linked, 'not gid\'s');
foreach my $make (sub { POSIX::mkfifo($tmp, 0600) }, sub { symlink $linked, $tmp })
{
	$make->() or die "$tmp: $!";
	$node->start;
	my $writing = session($node, 'postgres');

	is(scalar(split /\|/, $writing->safe($all)), scalar(@ORDERED), 'what has the temporary name is no harm');
	end_session($writing);
	ok(defined wait_until(30, sub { -f $path && !-l $path && !-e $tmp && clock_file($node) }), 'and is replaced');
	$node->stop;
}
is(slurp_file($linked), "not gid's", 'a file that is linked stays as it is');

# 7. Another system's: replaced, with a warning; its time does not count.
my $other = gid_node('other');

$other->start;
$other->safe_psql('postgres', 'CREATE EXTENSION gid');
$other->safe_psql('postgres', $all);
$other->stop;
my $foreign = slurp_file(clock_path($other));

copy(clock_path($other), $path) or die "$path: $!";
$node->start;
my ($rc, $out, $err) = $node->psql('postgres', $all);

is($rc, 0, 'the file of another system is no error');
like($err, qr/^(psql:\S+: )?WARNING: .*gid\.clock/, 'but a warning');
$file = clock_file($node);
is( $file->{system},
	$node->safe_psql('postgres',
		'SELECT system_identifier FROM pg_control_system()'),
	'and it is replaced');
($rc, $out, $err) = $node->psql('postgres', $all);
is($err, '', 'the warning comes once');

# 8. A library with fewer or more words wrote the file. A word that the file does
# not have begins at the bound, and at most two seconds beyond it.
{
	my $ahead = int(time) + 100;

	$node->stop;
	clock_write_list($node, map { word_at($_, $ahead) } @ORDERED[ 0 .. $#ORDERED - 1 ]);
	$node->start;
	$id = ids_of($node->safe_psql('postgres', $all));
	my $at = word_seconds($ORDERED[-1], word_of($ORDERED[-1], $id->{ $ORDERED[-1] }));

	note(sprintf 'a word without a value begins %.3f s beyond the bound', $at - $ahead);
	ok($at >= $ahead && $at < $ahead + 4, 'a word too few: the word begins at the bound');
	is( join(' ', grep { word_of($_, $id->{$_}) < word_at($_, $ahead) } @ORDERED),
		'', 'the other words as well');
	$node->stop;
	ok(clock_file($node), 'the next file has all words');

	$ahead += 100;
	clock_write_list($node, (map { word_at($_, $ahead) } @ORDERED), 4711, 4712);
	$node->start;
	$id = ids_of($node->safe_psql('postgres', $all));
	is( join(' ', grep {
			my $beyond = word_seconds($_, word_of($_, $id->{$_})) - $ahead;
			$beyond < 0 || $beyond > 4
		} @ORDERED),
		'', 'two words too many: all words begin at the bound');
	$node->stop;
	$file = clock_file($node);
	ok($file, 'the next file has these words only');
	is(join(' ', not_below($id, $file)), '', 'and is ahead of the ids');
	unlink $path or die "$path: $!";
	$node->start;
	$node->safe_psql('postgres', $all);
}

# 9. It cannot be written: a line in the log at once, ids go on to the bound,
# then they stop with the operating system's error, and go on without a restart
# when the fault is gone.
sub until_bound
{
	my ($name, $state, $break, $mend, $on) = @_;
	my $offset = -s $on->logfile;
	my $log = qr/LOG:  .*gid\.clock/;
	my ($taken, $logged) = (0);
	my $writer = session($on, 'postgres');
	my (%last, $error);

	my $lasting = ids_of($writer->safe($all));

	$break->();
	my $begun = monotonic();
	while (monotonic() - $begun < 20)
	{
		my ($text, $failure) = $writer->query($all);

		if ($failure ne '')
		{
			$error = $failure;
			last;
		}
		$taken++;
		$lasting = ids_of($text);
		$logged = monotonic() - $begun
		  if !defined $logged && log_count($on, $log, $offset);
		sleep(0.05);
	}
	my $stopped = monotonic() - $begun;

	note(sprintf '%s: %d times on, log line after %s s, error after %.2f s',
		$name, $taken, $logged // 'none', $stopped);
	end_session($writer);
	ok($taken > 5, "$name: ids go on to the bound");
	ok(defined $logged && $logged < $stopped,
		"$name: a line in the log before the error");
	error_like($error // '', $state,
		"$name: then the operating system's error");
	cmp_ok($stopped, '<', 6.5, "$name: after five seconds at most");
	sql_fails($on, 'postgres', "SELECT $CALL{$_}",
		$state, "$name: $_ is refused at the bound")
	  for @ORDERED;
	is($on->psql('postgres', 'SELECT gid_decimal_id()'),
		0, "$name: DecimalIds go on");
	my $lines = log_count($on, $log, $offset);

	cmp_ok($lines, '<=', 10, "$name: the log is not flooded");
	$file = clock_file($on);
	is(join(' ', not_below($lasting, $file)),
		'', "$name: the last ids lie below the old bound");
	$mend->();
	($rc, $out) = $on->psql('postgres', $all);
	is($rc, 0, "$name: mended, ids go on");
	my $new = ids_of($out);

	is( join(' ',
			grep { word_of($_, $new->{$_}) <= word_of($_, $lasting->{$_}) }
			  @ORDERED),
		'',
		"$name: and increase");
	# the backend that has just gone may still be writing it
	ok( defined wait_until(10, sub { !-e clock_path($on) . '.tmp' }),
		"$name: no temporary file is left");
	is(join(' ', not_below($new, clock_file($on))),
		'', "$name: the new bound is on disk");
	return;
}

# An idle server whose bound has passed cannot go on at all.
until_bound('temporary name taken', '58030',
	sub { mkdir $tmp or die "$tmp: $!"; },
	sub { rmdir $tmp or die "$tmp: $!"; }, $node);
$node->stop;

my $library = build_fault("$FindBin::RealBin/fault.c", $node->basedir);
SKIP:
{
	skip 'no C compiler for the fault library', 1 unless $library;

	my $dir = $node->basedir . '/faults';
	my $fault = gid_node('fault', 'fsync = on');

	my $faults = { LD_PRELOAD => $library, GID_FAULT_DIR => $dir };

	mkdir $dir or die "$dir: $!";
	with_env($faults, sub { $fault->start });
	$fault->safe_psql('postgres', 'CREATE EXTENSION gid');
	until_bound('disk full', '53100',
		sub { append_to_file("$dir/disk", 'x'); },
		sub { unlink "$dir/disk" or die; }, $fault);
	until_bound('fsync fails', '58030',
		sub { append_to_file("$dir/fsync", 'x'); },
		sub { unlink "$dir/fsync" or die; }, $fault);

	# No id either where the first bound of a server life cannot be written,
	# whichever step of the writing fails.
	my %state = (disk => '53100', short => '53100', fsync => '58030',
		rename => '58030', dirsync => '58030');

	foreach my $step (sort keys %state)
	{
		$fault->stop('immediate');
		append_to_file("$dir/$step", 'x');
		with_env($faults, sub { $fault->start });
		sql_fails($fault, 'postgres', "SELECT $CALL{$_}", $state{$step},
			"$step fails at the start: $_ is refused")
		  for $step eq 'disk' ? @ORDERED : 'v7';
		unlink "$dir/$step" or die;
		is($fault->psql('postgres', $all), 0, "$step works again: ids go on");
		ok(clock_file($fault), "$step: the file is whole");
	}

	# A stop of the machine leaves the old file or the new one, if the new one is
	# on disk before it takes the name, and the name then.
	$fault->stop('immediate');
	append_to_file("$dir/calls", '');
	with_env($faults, sub { $fault->start });
	is($fault->psql('postgres', $all), 0, 'the calls of a write are noted');
	# the last backend out writes the file, too
	$fault->stop;
	my $calls = slurp_file("$dir/calls");

	# other processes sync the directory when they like
	like($calls, qr/^rename$/m, 'the file was written');
	unlike($calls =~ s/write\n(?:fsync directory\n)*fsync\n(?:fsync directory\n)*rename\nfsync directory\n//gr,
		qr/write|fsync$|rename/m, 'by write, fsync, rename, fsync of the directory');
}

# --- a file that came with a copy -----------------------------------------

# 10. pg_rewind and pg_basebackup replace the file by another server's, or remove it.
# The ids then begin seven seconds ahead of the clock: beyond the bound that this
# server can have had, if nobody set its clock back.
my $ahead = qr/LOG:  gid: ids begin 7 s ahead of the wall clock\n.*DETAIL:  ([^\n]*)/;

# How far the next id leads the wall clock of its server, in seconds.
sub lead
{
	my ($on) = @_;

	return $on->safe_psql('postgres',
		'SELECT extract(epoch FROM gid_extract_v7_time(gid_uuid_v7()) - clock_timestamp())');
}

# Checks the reasons in the log, from an offset on.
sub reasons_are
{
	my ($on, $offset, $reason, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join(' ', slurp_file($on->logfile, $offset) =~ /$ahead/g), $reason, $name);
	return;
}

use constant {
	COPIED => 'File "gid.clock" came with a base backup or pg_rewind.',
	MISSING => 'File "gid.clock" is missing on a standby, or on a server that was promoted or restored.',
	FOREIGN => 'File "gid.clock" is of another database system.',
};

reasons_are($node, 0, FOREIGN, 'only the file of another system so far');

# Is there a gid.clock that is older than the last file of the backup?
sub is_older
{
	my ($dir, $last) = @_;

	return (stat "$dir/gid.clock")[9] <= (stat "$dir/$last")[9];
}

SKIP:
{
	skip 'libfaketime is not installed', 1 unless faketime_library();

	# The clock of the second server is an hour behind.
	my $first = gid_node('first',
		"shared_preload_libraries = 'gid'\nwal_log_hints = on\nwal_keep_size = 1GB",
		allows_streaming => 1);
	my $first_environment = clock_set($first, '+0');

	with_env($first_environment, sub { $first->start });
	$first->safe_psql('postgres', 'CREATE EXTENSION gid');
	seen_tables($first, 'postgres', @ORDERED);
	cmp_ok(lead($first), '<', 1, 'a new server does not lead');
	$first->backup('backup');
	ok(is_older($first->backup_dir . '/backup', 'backup_manifest'), 'pg_basebackup copies the file');

	my $second = PostgreSQL::Test::Cluster->new('second');

	$second->init_from_backup($first, 'backup', has_streaming => 1);
	gid_set($second, 'gid.node_no', 2);

	# The test has copied the backup in any order, and in a moment.
	my @last_files = map { $second->data_dir . "/$_" } qw(backup_label backup_manifest);

	utime time, time + 60, @last_files or die "$!";
	with_env(clock_set($second, '-3600'), sub { $second->start });
	$first->wait_for_catchup($second);
	lead($second);
	reasons_are($second, 0, COPIED, 'the file of the base backup is not the standby\'s own');
	utime time, time - 60, $last_files[0] . '.old', $last_files[1] or die "$!";
	my $offset = -s $second->logfile;

	with_env(clock_set($second, '-3600'), sub { $second->restart });
	lead($second);
	reasons_are($second, $offset, '', 'the next one is');

	# Without a file it follows its own clock, and its next file is an hour behind.
	$second->stop;
	unlink clock_path($second) or die "$!";
	with_env(clock_set($second, '-3600'), sub { $second->start });
	cmp_ok(lead($second), '<', 7.1, 'a missing file leaves no more lead than it has to');
	cmp_ok(clock_file($first)->{v7}, '>', clock_file($second)->{v7}, 'the second clock is behind');

	# The first server is killed and starts from its bound, at the same time by its
	# clock.  Then its ids lead.  (Without preload its last session writes the file.)
	my $writer = session($first, 'postgres');
	my $at = $writer->safe('SELECT extract(epoch FROM clock_timestamp()) FROM (SELECT gid_uuid_v7()) AS s');

	kill9_server($first);
	end_session($writer);
	with_env($first_environment, sub { $first->start });
	clock_set($first, sprintf('%+.3f', $at - time));
	cmp_ok(lead($first), '>', 1, 'the killed server leads');
	$writer = session($first, 'postgres');
	my %before = map { $_ => take($first, $writer, $_, 200) } @ORDERED;

	end_session($writer);
	$first->wait_for_catchup($second);
	$second->promote;
	$second->safe_psql('postgres', 'CHECKPOINT');
	$first->safe_psql('postgres', 'CREATE TABLE lost ()');
	$first->stop;
	$offset = -s $second->logfile;
	lead($second);
	reasons_are($second, $offset, '', 'a promotion alone is no reason');
	command_ok(
		[
			'pg_rewind', '--no-sync', '--source-server', $second->connstr('postgres'),
			'--target-pgdata', $first->data_dir
		],
		'pg_rewind');
	is((stat clock_path($first))[7], (stat clock_path($second))[7], 'copies the file');
	ok(is_older($first->data_dir, 'backup_label'), 'before its last one');

	# The configuration is that of the source.
	gid_set($first, 'port', $first->port);
	gid_set($first, 'gid.node_no', 1);
	$first->enable_streaming($second);
	$offset = -s $first->logfile;
	with_env($first_environment, sub { $first->start });
	clock_set($first, sprintf('%+.3f', $at - time));
	$writer = session($first, 'postgres');
	my %after = map { $_ => take($first, $writer, $_, 200) } @ORDERED;

	end_session($writer);
	reasons_are($first, $offset, COPIED, 'the file of pg_rewind is not the server\'s own');
	foreach (@ORDERED)
	{
		load_file($second, 'postgres', $_, 1, $before{$_}, $after{$_});
		check_growing($second, 'postgres', $_, 1, 'over pg_rewind');
	}

	# The file is missing: on a standby, and on the second timeline.
	foreach my $on ($first, $second)
	{
		my $name = $on->name . ' server';

		$on->stop;
		unlink clock_path($on) or die "$!";
		$offset = -s $on->logfile;
		with_env(clock_set($on, '+0'), sub { $on->start });
		cmp_ok(lead($on), '>', 5, "without a file the $name leads");
		cmp_ok(lead($on), '<', 7.1, 'by no more than it has to');
		reasons_are($on, $offset, MISSING, 'and says why, once');
	}
	$first->stop;
	$second->stop;
}

done_testing();
