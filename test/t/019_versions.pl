# One version after another: the library works with the objects of 1.1; an update
# changes neither sequences nor numbers, and an updated installation equals a
# fresh one; a library that is exchanged under a running server says so if it is of
# another version, and works beside the old one if it is of the same.
#
# SQL alone cannot test this: it needs two databases side by side, a library that
# is built with another version, and an installation of the test's own to put it
# into.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(dirname);
use GidCalls;
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = "$FindBin::RealBin/../..";
my $work = PostgreSQL::Test::Utils::tempdir();

# --- an installation of the test's own -----------------------------------

# Builds gid as another version, with a text of a file of src/ replaced by another one
# if one is given: the path of its library.
sub build_version
{
	my ($version, $file, $from, $to) = @_;
	my $dir = "$work/gid-$version" . (defined $file ? '-' . $file =~ tr{/}{-}r : '');

	mkdir $dir or die "$dir: $!";
	run_noted('cp', '-R', map({ "$tree/$_" } qw(Makefile gid.control src)), glob("$tree/gid--*.sql"), $dir)
	  or die 'could not copy the sources';
	run_noted('find', $dir, '(', '-name', '*.o', '-o', '-name', '*.bc', ')', '-delete');
	my $header = "$dir/src/attach/attach.h";
	my $text = slurp_file($header);

	$text =~ s/(#define GID_VERSION\s+)".*"/$1"$version"/ or die "no GID_VERSION in $header";
	unlink $header;
	append_to_file($header, $text);
	if (defined $file)
	{
		$text = slurp_file("$dir/src/$file");
		$text =~ s/\Q$from\E/$to/ or die "no $from in $file";
		unlink "$dir/src/$file";
		append_to_file("$dir/src/$file", $text);
	}
	return run_noted('make', '-s', '-j2', '-C', $dir, 'PG_CONFIG=' . pg_config_of('pg_config', 'bindir') . '/pg_config',
		'with_llvm=no', 'COPT=-O0', 'all') ? "$dir/gid.so" : undef;
}

my %server = copy_installation($tree, $work);

my $installed = "$server{pkglibdir}/gid.so";
my $original = "$work/gid-original.so";

run_noted('cp', $installed, $original) or die;

# Puts a library in place of the installed one, as a package does: a new file.
sub install
{
	my ($library) = @_;

	run_noted('cp', $library, "$installed.new") or die;
	rename "$installed.new", $installed or die "$installed: $!";
	return;
}

my $node = PostgreSQL::Test::Cluster->new('main', install_path => dirname($server{bindir}));

$node->init;
$node->append_conf('postgresql.conf', <<'EOC');
autovacuum = off
log_statement = none
statement_timeout = 60s
gid.launch_id = 65
gid.node_no = 1
gid.authority = 0
gid.shard_key = 7
EOC
$node->start;
is($node->safe_psql('postgres', "SELECT setting FROM pg_config WHERE name = 'PKGLIBDIR'"),
	$server{pkglibdir}, 'the server runs in an installation of its own');

# --- 1. 1.1 with the new library, and the update -------------------------

my ($current) = slurp_file("$tree/gid.control") =~ /^default_version = '(.*)'$/m;

$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(fresh updated);
$node->safe_psql('fresh', 'CREATE EXTENSION gid');
$node->safe_psql('updated', "CREATE EXTENSION gid VERSION '1.1'");
calls_objects($node, $_, $node->basedir . "/gdids_$_") for qw(fresh updated);

my ($fresh_results, @fresh_failed) = call_results($node, 'fresh', $node->basedir . '/gdids_fresh');
my ($old_results, @old_failed) = call_results($node, 'updated', $node->basedir . '/gdids_updated');

cmp_ok(scalar(keys %$old_results), '>', 50, 'the functions of 1.1 are called');
none('with the objects of 1.1 each function works', @old_failed);
none('and with those of the present version', @fresh_failed);
none('they give the same',
	grep { ($fresh_results->{$_} // 'nothing') ne $old_results->{$_} } sort keys %$old_results);

# What an update must not touch, seen by a session that stays and by new ones.
my $DRAW = "SELECT gid_next('calls.s'), gid_extract_gdid_counter(gid_next_gdid('calls.s'))";
my $NUMBERS = 'SELECT gid_extract_decimal_generator(id), gid_extract_decimal_counter(id)'
  . ' FROM (SELECT gid_decimal_id() AS id OFFSET 0) AS d';
my $SEQUENCES = <<'EOS';
SELECT c.oid, c.relname, pg_relation_filenode(c.oid), s.last_value
FROM pg_class AS c JOIN pg_sequences AS s ON s.sequencename = c.relname
WHERE c.relkind = 'S' ORDER BY 1
EOS
my $session = session($node, 'updated');
my ($generator, $counter) = split /\|/, $session->safe($NUMBERS);
my ($next) = split /\|/, $session->safe($DRAW);
my $sequences = $node->safe_psql('updated', $SEQUENCES);
my @old = extension_objects($node, 'updated');
my @fresh = extension_objects($node, 'fresh');

cmp_ok(scalar(without(\@fresh, \@old)), '>', 0, 'before the update the objects differ');
is(($node->psql('updated', 'ALTER EXTENSION gid UPDATE'))[2], '', 'an update says nothing of numbers that go on');
is($node->safe_psql('updated', "SELECT extversion FROM pg_extension WHERE extname = 'gid'"),
	$current, "ALTER EXTENSION UPDATE leads to $current");
is($node->safe_psql('updated', $SEQUENCES), $sequences, 'the sequences are the same');
is(join('|', (split /\|/, $session->safe($NUMBERS))), $generator . '|' . ($counter + 1),
	'a session goes on with its generator number');
is($session->safe("SELECT gid_next('calls.s')"), $next + 2, 'and with the block of a sequence');
end_session($session);
is($node->safe_psql('updated', "SELECT gid_next('calls.s')"), $next + 3, 'and so does a new session');

my @updated = extension_objects($node, 'updated');

note(scalar(@fresh) . ' lines of objects, ' . scalar(without(\@fresh, \@old)) . ' of them new');
cmp_ok(scalar(@fresh), '>', 300, 'the objects are found');
none('an updated installation has what a fresh one has', without(\@fresh, \@updated));
none('and nothing else', without(\@updated, \@fresh));
my ($updated_results, @updated_failed) = call_results($node, 'updated', $node->basedir . '/gdids_updated');

none('after the update each function works', @updated_failed);
is_deeply($updated_results, $fresh_results, 'and gives what it gives in a fresh installation');

# --- 2. A library that is exchanged under the server ---------------------

my $other = build_version('9.9');

SKIP:
{
	skip 'another version of the library could not be built', 1 unless defined $other;

	my $V7 = 'SELECT gid_uuid_v7() IS NOT NULL';
	my $first = session($node, 'fresh');

	$first->safe($V7);
	install($other);

	my $second = session($node, 'fresh');

	for my $time ('at first', 'and again')
	{
		my ($out, $err) = $second->query($V7);

		error_like($err, '55000', "an exchanged library says so, $time",
			text => qr/another version of gid is in use.*version $current\. .*version 9\.9\.\nHINT:  Restart the server/s);
	}
	is($second->safe("SELECT gid_extract_v7_time('018df4bc-5600-7000-8000-000000000000') IS NOT NULL"),
		't', 'what needs no shared memory works');
	is($second->safe('SELECT 1'), '1', 'the session goes on');

	# What may work makes no ids of a state that is shared.
	my @wrong;

	foreach my $call (grep { $_->{volatile} && defined $_->{sql} }
		calls_of($node, 'fresh', $node->basedir . '/gdids_fresh'))
	{
		my ($out, $err) = $second->query($call->{sql});

		push @wrong, "$call->{name}: $out$err"
		  if $err ne '' && $err !~ /ERROR:  55000: another version of gid/;
		push @wrong, "$call->{name}: $out"
		  if $err eq '' && $call->{name} =~ /next|forget|authority_|gid_decimal_id|trace_id\(\)|gid_snowflake_id\(|stat_get_(?!node_leases)|uuid_sequential\(\)/;
	}
	none('so says every function that makes ids or shows shared memory', @wrong);
	is($first->safe($V7), 't', 'a session of the first library goes on');
	my $last = $first->safe('SELECT gid_uuid_v7()');

	end_session($first);
	error_like(($second->query($V7))[1], '55000', 'the memory stays when that session has ended');
	end_session($second);
	$node->restart;
	is($node->safe_psql('fresh', "SELECT gid_uuid_v7() > '$last'"),
		't', 'after a restart the other library works, and its ids go on');

	# Under preload each session has the library of the postmaster.
	install($original);
	gid_set($node, 'shared_preload_libraries', "'gid'");
	$node->restart;
	$node->safe_psql('fresh', $V7);
	install($other);
	is($node->safe_psql('fresh', $V7), 't', 'with preload a new session has the old library');
	is($node->safe_psql('fresh', "LOAD 'gid'; $V7"), 't', 'even if it loads it');
	$node->restart;
	is($node->safe_psql('fresh', $V7), 't', 'and the new one after a restart');
	install($original);
	gid_set($node, 'shared_preload_libraries', "''");
}
is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');

# --- 3. The same version, built again ------------------------------------

# Which file of the library a session has: "old" if it was replaced, else "new".
sub library_of
{
	my ($session) = @_;
	my $pid = $session->safe('SELECT pg_backend_pid()');
	my ($line) = slurp_file("/proc/$pid/maps") =~ m{^.* (\S+/gid\.so.*)$}m;

	return $line =~ /\(deleted\)$/ ? 'old' : 'new';
}

my $rebuilt = build_version($current);

SKIP:
{
	skip 'the library could not be built', 1 unless defined $rebuilt;
	$node->restart;

	my $first = session($node, 'fresh');
	my $IDS = q{SELECT gid_next('calls.s'), gid_uuid_v7(), gid_trace_id(), gid_uuid_sequential()};
	my @ids = (split /\|/, $first->safe($IDS))[0 .. 3];
	my $generator = (split /\|/, $first->safe($NUMBERS))[0];
	my (@wrong, @sessions);

	install($rebuilt);
	push @sessions, session($node, 'fresh') for 1 .. 2;
	$_->safe('SELECT gid_uuid_v7()') for @sessions;
	is(join(' ', map { library_of($_) } $first, @sessions), 'old new new',
		'an old session has the replaced file, new sessions have the new one');

	# The sessions share the words and the block.
	for my $i (1 .. 30)
	{
		my @next = split /\|/, ($first, @sessions)[ $i % 3 ]->safe($IDS);

		push @wrong, "@next after @ids"
		  unless $next[0] == $ids[0] + 1
		  && $next[1] gt $ids[1]
		  && $next[2] > $ids[2]
		  && $next[3] gt $ids[3];
		@ids = @next;
	}
	none('the ids of old and new sessions grow together', @wrong);
	my %generators = map { (split /\|/, $_->safe($NUMBERS))[0] => 1 } @sessions;

	is(scalar(keys %generators), 2, 'each new session has a generator number');
	ok(!exists $generators{$generator}, 'and not that of the old session');
	is((split /\|/, $first->safe($NUMBERS))[0], $generator, 'which keeps its own');
	end_session($_) for $first, @sessions;
	my $next = $node->safe_psql('fresh', $IDS);

	is((split /\|/, $next)[0], $ids[0] + 1, 'a session after them goes on with the block');
	$node->restart;
	my @after = split /\|/, $node->safe_psql('fresh', $IDS);

	ok($after[0] > $ids[0] && $after[1] gt $ids[1] && $after[2] > $ids[2] && $after[3] gt $ids[3],
		'and so do the ids after a restart')
	  or diag("@after after @ids");
	install($original);
	is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');
}

# The same version, with another layout of the memory: of the header, of a part.
foreach my $change ([ 'attach/attach.h', "GID_MAX_PARTS\t\t\t16", "GID_MAX_PARTS\t\t\t21" ],
	[ 'sequence/timeline.c', '.size = sizeof(GidTimelineState)', '.size = sizeof(GidTimelineState) + 4096' ])
{
	my ($file, $from, $to) = @$change;
	my $library = build_version($current, $file, $from, $to);

  SKIP:
	{
		skip 'the library could not be built', 1 unless defined $library;
		$node->restart;
		$node->safe_psql('fresh', 'SELECT gid_uuid_v7()');
		install($library);
		sql_fails($node, 'fresh', 'SELECT gid_uuid_v7()', '55000', "$file: a library with another layout says so",
			text => qr/another version of gid is in use.*version $current, built otherwise\. /s);
		install($original);
	}
}

# --- 4. Shared memory that no version has made ---------------------------

SKIP:
{
	my $library = "$work/oldshmem.so";

	skip 'no C compiler', 1
	  unless run_noted('cc', '-shared', '-fPIC', '-O1', '-I' . pg_config_of('pg_config', 'includedir-server'), '-o',
		$library, "$FindBin::RealBin/oldshmem.c");
	gid_set($node, 'shared_preload_libraries', "'$library'");
	$node->restart;

	my $V7 = 'SELECT gid_uuid_v7()';
	my $one = session($node, 'fresh');
	my $two = session($node, 'fresh');

	# A lock that was kept would hold up the second session.
	for my $s ([ $one, 'a session' ], [ $one, 'the same again' ], [ $two, 'another one' ])
	{
		my ($out, $err) = $s->[0]->query($V7);

		error_like($err, '55000', "$s->[1] finds memory that is not its own",
			text => qr/another version of gid is in use.*version unknown\. .*version $current\.\nHINT:  Restart the server/s);
	}
	$one->safe("BEGIN; SAVEPOINT a");
	error_like(($one->query($V7))[1], '55000', 'in a transaction with a savepoint, too');
	is($one->safe('ROLLBACK TO a; SELECT 1; COMMIT'), '1', 'which goes on');
	my ($out, $err) = $one->query(<<'EOS');
DO $$
BEGIN
	FOR i IN 1 .. 1000 LOOP
		BEGIN
			PERFORM gid_uuid_v7();
			RAISE EXCEPTION 'an id';
		EXCEPTION WHEN object_not_in_prerequisite_state THEN
		END;
	END LOOP;
END $$
EOS
	is($err, '', 'a thousand times');
	is($two->safe('SELECT 1'), '1', 'the sessions go on');
	end_session($_) for $one, $two;
	is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'and nothing has crashed');
	gid_set($node, 'shared_preload_libraries', "''");
	$node->restart;
	is($node->safe_psql('fresh', 'SELECT gid_uuid_v7() IS NOT NULL'), 't', 'a restart helps');
}

$node->stop;
done_testing();
