# One version after another: the library works with the objects of 1.0; an update
# changes neither sequences nor numbers, and an updated installation equals a
# fresh one; and a library that is exchanged under a running server says so.
#
# SQL alone cannot test this: it needs two databases side by side, a library that
# is built with another version, and an installation of the test's own to put it
# into.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(dirname);
use File::Path qw(make_path);
use GidCalls;
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $tree = "$FindBin::RealBin/../..";
my $work = PostgreSQL::Test::Utils::tempdir();

# --- an installation of the test's own -----------------------------------

sub run
{
	my (@command) = @_;
	my $out = '';
	my $good = eval { IPC::Run::run(\@command, '>', \$out, '2>&1') };

	note("@command: $out") unless $good;
	return $good;
}

sub pg_config
{
	my ($what) = @_;
	my ($out, $err) = run_command([ 'pg_config', "--$what" ]);

	return $out;
}

# Copies the installation, in hard links where that can be; PostgreSQL finds its
# files by the place of its programs.
sub copy_installation
{
	my %path = map { $_ => pg_config($_) } qw(bindir pkglibdir sharedir);
	my $common = dirname($path{bindir});

	while (grep { index($_, "$common/") != 0 } values %path)
	{
		$common = dirname($common);
	}
	foreach my $path (values %path)
	{
		my $to = "$work/server" . substr($path, length($common));

		make_path(dirname($to));
		run('cp', '-al', $path, $to) || do {
			run('rm', '-rf', $to);
			run('cp', '-a', $path, $to);
		} || die "could not copy $path";
	}
	return map { $_ => "$work/server" . substr($path{$_}, length($common)) } keys %path;
}

# Builds gid as another version: the path of its library.
sub build_version
{
	my ($version) = @_;
	my $dir = "$work/gid-$version";

	mkdir $dir or die "$dir: $!";
	run('cp', '-R', map({ "$tree/$_" } qw(Makefile gid.control src)), glob("$tree/gid--*.sql"), $dir)
	  or die 'could not copy the sources';
	run('find', $dir, '(', '-name', '*.o', '-o', '-name', '*.bc', ')', '-delete');
	my $header = "$dir/src/attach/attach.h";
	my $text = slurp_file($header);

	$text =~ s/(#define GID_VERSION\s+)".*"/$1"$version"/ or die "no GID_VERSION in $header";
	unlink $header;
	append_to_file($header, $text);
	return run('make', '-s', '-j2', '-C', $dir, 'PG_CONFIG=' . pg_config('bindir') . '/pg_config',
		'with_llvm=no', 'all') ? "$dir/gid.so" : undef;
}

my %server = copy_installation();
my $installed = "$server{pkglibdir}/gid.so";
my $original = "$work/gid-original.so";

run('cp', $installed, $original) or die;

# Puts a library in place of the installed one, as a package does: a new file.
sub install
{
	my ($library) = @_;

	run('cp', $library, "$installed.new") or die;
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

# --- 1. 1.0 with the new library, and the update -------------------------

# Everything that belongs to the extension: an object, a tab and its definition.
my $OBJECTS = <<'EOS';
WITH member AS (
	SELECT d.classid, d.objid, i.type || ' ' || i.identity AS name
	FROM pg_depend AS d
	JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid,
	LATERAL pg_identify_object(d.classid, d.objid, 0) AS i
	WHERE e.extname = 'gid' AND d.deptype = 'e')
SELECT name, jsonb_build_object('kind', p.prokind, 'arguments', pg_get_function_arguments(p.oid),
	'result', pg_get_function_result(p.oid), 'language', l.lanname, 'source', p.prosrc,
	'library', p.probin, 'body', pg_get_function_sqlbody(p.oid), 'volatile', p.provolatile,
	'strict', p.proisstrict, 'parallel', p.proparallel, 'leakproof', p.proleakproof,
	'definer', p.prosecdef, 'cost', p.procost, 'rows', p.prorows, 'support', p.prosupport::text,
	'names', p.proargnames, 'modes', p.proargmodes, 'config', p.proconfig, 'acl', p.proacl::text,
	'owner', p.proowner::regrole)
FROM member AS m JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
JOIN pg_language AS l ON l.oid = p.prolang
UNION ALL
SELECT name, jsonb_build_object('sort', a.aggsortop::regoperator, 'transition', a.aggtransfn::regprocedure,
	'combine', a.aggcombinefn::text, 'final', a.aggfinalfn::text, 'type', a.aggtranstype::regtype)
FROM member AS m JOIN pg_aggregate AS a ON m.classid = 'pg_proc'::regclass AND m.objid = a.aggfnoid::oid
UNION ALL
SELECT name, jsonb_build_object('kind', c.relkind, 'options', c.reloptions, 'acl', c.relacl::text,
	'owner', c.relowner::regrole, 'persistence', c.relpersistence, 'row type', c.reltype <> 0,
	'view', CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END,
	'columns', (SELECT jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, a.atttypmod),
			a.attnotnull, a.attacl::text, a.attcollation::regcollation) ORDER BY a.attnum)
		FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0),
	'sequence', (SELECT to_jsonb(s) - 'seqrelid' FROM pg_sequence AS s WHERE s.seqrelid = c.oid))
FROM member AS m JOIN pg_class AS c ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
UNION ALL
SELECT name, jsonb_build_object('kind', t.typtype, 'length', t.typlen, 'by value', t.typbyval,
	'category', t.typcategory, 'preferred', t.typispreferred, 'align', t.typalign,
	'storage', t.typstorage, 'default', t.typdefault, 'not null', t.typnotnull, 'acl', t.typacl::text,
	'base', format_type(t.typbasetype, t.typtypmod), 'input', t.typinput::text, 'output', t.typoutput::text,
	'receive', t.typreceive::text, 'send', t.typsend::text, 'collation', t.typcollation::regcollation,
	'constraints', (SELECT jsonb_agg(jsonb_build_array(c.conname, pg_get_constraintdef(c.oid),
			obj_description(c.oid, 'pg_constraint')) ORDER BY c.conname)
		FROM pg_constraint AS c WHERE c.contypid = t.oid))
FROM member AS m JOIN pg_type AS t ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
UNION ALL
SELECT name, jsonb_build_object('function', o.oprcode::text, 'commutator', o.oprcom::regoperator,
	'negator', o.oprnegate::regoperator, 'restrict', o.oprrest::text, 'join', o.oprjoin::text,
	'merges', o.oprcanmerge, 'hashes', o.oprcanhash, 'result', o.oprresult::regtype)
FROM member AS m JOIN pg_operator AS o ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid
UNION ALL
SELECT name, jsonb_build_object('default', o.opcdefault, 'key', o.opckeytype::regtype,
	'input', o.opcintype::regtype)
FROM member AS m JOIN pg_opclass AS o ON m.classid = 'pg_opclass'::regclass AND m.objid = o.oid
UNION ALL
SELECT name, (SELECT jsonb_agg(jsonb_build_array(a.amopstrategy, a.amopopr::regoperator, a.amoppurpose)
		ORDER BY a.amopstrategy, a.amopopr::regoperator::text)
	FROM pg_amop AS a WHERE a.amopfamily = m.objid)
FROM member AS m WHERE m.classid = 'pg_opfamily'::regclass
UNION ALL
SELECT name, (SELECT jsonb_agg(jsonb_build_array(a.amprocnum, a.amproc::regprocedure)
		ORDER BY a.amprocnum, a.amproc::regprocedure::text)
	FROM pg_amproc AS a WHERE a.amprocfamily = m.objid)
FROM member AS m WHERE m.classid = 'pg_opfamily'::regclass
UNION ALL
SELECT name, jsonb_build_object('function', c.castfunc::regprocedure, 'context', c.castcontext,
	'method', c.castmethod)
FROM member AS m JOIN pg_cast AS c ON m.classid = 'pg_cast'::regclass AND m.objid = c.oid
UNION ALL
SELECT name, NULL FROM member
UNION ALL
SELECT 'comment on ' || name || ' ' || d.objsubid, to_jsonb(d.description)
FROM member AS m JOIN pg_description AS d ON d.classoid = m.classid AND d.objoid = m.objid
UNION ALL
SELECT 'privileges of ' || name || ' ' || i.objsubid, jsonb_build_array(i.privtype, i.initprivs::text)
FROM member AS m JOIN pg_init_privs AS i ON i.classoid = m.classid AND i.objoid = m.objid
UNION ALL
SELECT 'extension', jsonb_build_object('schema', extnamespace::regnamespace, 'relocatable', extrelocatable,
	'config', (SELECT jsonb_agg(c::regclass::text) FROM unnest(extconfig) AS c),
	'condition', extcondition, 'version', extversion,
	'comment', obj_description(oid, 'pg_extension'))
FROM pg_extension WHERE extname = 'gid'
ORDER BY 1, 2
EOS

sub objects
{
	my ($db) = @_;

	return split /\n/, $node->safe_psql($db, $OBJECTS);
}

# The lines of one list that another has not.
sub without
{
	my ($list, $other) = @_;
	my %other = map { $_ => 1 } @$other;

	return grep { !$other{$_} } @$list;
}

# What each function that gives the same again and again gives, and the functions
# that fail.
sub results
{
	my ($db, $file) = @_;
	my $session = session($node, $db);
	my (%result, @failed);

	foreach my $call (calls_of($node, $db, $file))
	{
		if (!defined $call->{sql})
		{
			push @failed, "$call->{name}: not in test/lib/GidCalls.pm";
			next;
		}
		my ($out, $err) = $session->query($call->{sql});

		push @failed, "$call->{name}: $err" if $err ne '';
		$result{ $call->{name} } = $out unless $call->{volatile};
	}
	end_session($session);
	return (\%result, @failed);
}

sub none
{
	my ($name, @list) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(scalar(@list), 0, $name) or diag(join "\n", map { substr($_, 0, 400) } @list);
	return;
}

my ($current) = slurp_file("$tree/gid.control") =~ /^default_version = '(.*)'$/m;

$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(fresh updated);
$node->safe_psql('fresh', 'CREATE EXTENSION gid');
$node->safe_psql('updated', "CREATE EXTENSION gid VERSION '1.0'");
calls_objects($node, $_, $node->basedir . "/gdids_$_") for qw(fresh updated);

my ($fresh_results, @fresh_failed) = results('fresh', $node->basedir . '/gdids_fresh');
my ($old_results, @old_failed) = results('updated', $node->basedir . '/gdids_updated');

cmp_ok(scalar(keys %$old_results), '>', 50, 'the functions of 1.0 are called');
none('with the objects of 1.0 each function works', @old_failed);
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
my @old = objects('updated');
my @fresh = objects('fresh');

cmp_ok(scalar(without(\@fresh, \@old)), '>', 0, 'before the update the objects differ');
$node->safe_psql('updated', 'ALTER EXTENSION gid UPDATE');
is($node->safe_psql('updated', "SELECT extversion FROM pg_extension WHERE extname = 'gid'"),
	$current, "ALTER EXTENSION UPDATE leads to $current");
is($node->safe_psql('updated', $SEQUENCES), $sequences, 'the sequences are the same');
is(join('|', (split /\|/, $session->safe($NUMBERS))), $generator . '|' . ($counter + 1),
	'a session goes on with its generator number');
is($session->safe("SELECT gid_next('calls.s')"), $next + 2, 'and with the block of a sequence');
end_session($session);
is($node->safe_psql('updated', "SELECT gid_next('calls.s')"), $next + 3, 'and so does a new session');

my @updated = objects('updated');

note(scalar(@fresh) . ' lines of objects, ' . scalar(without(\@fresh, \@old)) . ' of them new');
cmp_ok(scalar(@fresh), '>', 300, 'the objects are found');
none('an updated installation has what a fresh one has', without(\@fresh, \@updated));
none('and nothing else', without(\@updated, \@fresh));
my ($updated_results, @updated_failed) = results('updated', $node->basedir . '/gdids_updated');

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
		  if $err eq '' && $call->{name} =~ /next|forget|authority_|gid_decimal_id|trace_id\(\)|gid_snowflake_id\(|stat_get|uuid_sequential\(\)/;
	}
	none('so says every function that makes ids or shows shared memory', @wrong);
	is($first->safe($V7), 't', 'a session of the first library goes on');
	end_session($_) for $first, $second;
	$node->restart;
	is($node->safe_psql('fresh', $V7), 't', 'after a restart the other library works');

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

# --- 3. The shared memory of 1.0 -----------------------------------------

SKIP:
{
	my $library = "$work/oldshmem.so";

	skip 'no C compiler', 1
	  unless run('cc', '-shared', '-fPIC', '-O1', '-I' . pg_config('includedir-server'), '-o',
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

		error_like($err, '55000', "$s->[1] finds the shared memory of 1.0",
			text => qr/another version of gid is in use.*version 1\.0\. .*version $current\.\nHINT:  Restart the server/s);
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
