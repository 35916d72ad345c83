# A call of each C function of the extension, and a list of its objects, for tests
# that are to leave none out.
package GidCalls;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use GidTest;

our @EXPORT = qw(calls_objects calls_of call_results extension_objects without);

# Arguments by type.  Values of type gdid come from a table, so that the function that is
# called is the first one of gid: the type's input function is one of gid, too.
my %ARGUMENT = (
	'timestamp with time zone' => "'2024-02-29 12:00+00'",
	uuid => "'018df4bc-5600-7000-8000-000000000000'",
	bytea => "'\\x000102030405060708090a0b0c0d0e0f'",
	bigint => 7,
	integer => 7,
	boolean => 'false',
	regclass => "'calls.s'",
	text => "'crockford'",
	gdid => 'id',
	cstring => "'0:1:7'");

# The epoch of a Snowflake id.
my $EPOCH = '1288834974657';

# Arguments of all functions with these types.
my %ARGUMENTS = (
	'timestamp with time zone, bytea, integer, bigint' => [ "'2024-02-29 12:00+00'", "'\\x0102030405'", 7, 7 ],
	'timestamp with time zone, integer, integer, integer, integer' => [ "'2024-02-29 12:00+00'", 1, 7, 7, 12 ],
	'timestamp with time zone, integer, integer, bigint' => [ "'2024-02-29 12:00+00'", 1, 7, $EPOCH ],
	'timestamp with time zone, bigint' => [ "'2024-02-29 12:00+00'", $EPOCH ],
	'bigint, bigint' => [ 7, $EPOCH ],
	'bigint, bytea' => [ '638444160000000000', "'\\x8dcddeedd91df58e'" ],
	'bigint, bytea, integer' => [ 7, $ARGUMENT{bytea}, 63 ],
	'bigint, integer, bigint' => [ 0, 1, 7 ],
	'integer, integer, integer' => [ 7, 7, 65 ],
	'regclass, text, text, boolean' => [ "'calls.s'", "'000000'", "'numeric'", 'false' ],
	'text' => ["'trace'"],
	'text, uuid' => [ "'user'", $ARGUMENT{uuid} ],
	'text, bigint, text, boolean' => [ "'000000'", 7, "'numeric'", 'false' ],
	'text, text, integer, bigint' => [ "'calls'", "'s'", 3, 'NULL' ]);

# Functions whose arguments their types do not tell.
my %OWN_ARGUMENTS = (
	# the launch of gid_node()
	'gid.authority_generator(integer)' => [65],
	'gid.stat_get_column(oid, name, oid, boolean)' => [ "'calls.gdids'::regclass", "'id'", "'calls.s'::regclass", 'false' ],
	'gid.stat_get_column_state(oid, name, oid, boolean)' =>
	  [ "'calls.gdids'::regclass", "'id'", "'calls.s'::regclass", 'false' ],
	'gid.catch_up_members(oid, name, oid, boolean, boolean)' =>
	  [ "'calls.gdids'::regclass", "'id'", "'calls.s'::regclass", 'false', 'false' ],
	'gid.catch_up_column(oid, name, oid, boolean, boolean)' =>
	  [ "'calls.gdids'::regclass", "'id'", "'calls.s'::regclass", 'false', 'false' ],
	'gid.authority_node(uuid, integer, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer)'
	  => [
		"'018df4bc-5600-7000-8000-000000000000'", 'NULL', 'NULL', "(date_trunc('second', now()))",
		"(date_trunc('second', now()) + '1 min')", 1023 ],
	'gid.inspect_text(text)' => ["'01HQTBRNG0E008000000000000'"],
	'gid_next_gdid(text, text)' => [ "'calls'", "'s'" ],
	'gid_decode_bigint(text, text)' => [ "'7'", "'crockford'" ],
	'gid_decode_uuid(text, text)' => [ "'01HQTBRNG0E008000000000000'", "'crockford'" ],
	'gid_decode_gdid(text, text)' => [ "'00000000000000000000000000007'", "'numeric'" ],
	'gid_typeid_uuid(text, text)' => [ "'user_01hqtbrng0e008000000000000'", "'user'" ],
	'gid_uuid_unmask(uuid, bytea)' =>
	  [ "'018df4bc-5600-4000-8000-000000000000'", "'\\x000102030405060708090a0b0c0d0e0f'" ],
	'gid_check_append(text, text)' => [ "'0007'", "'numeric'" ],
	'gid_check_valid(text, text)' => [ "'00075'", "'numeric'" ],
	'gdid_from_bytea(bytea)' => ["(SELECT bytes FROM calls.bytes)"],
	'gid_gdid_unpack(bytea)' => ["(SELECT packed FROM calls.bytes)"]);

# Functions that SQL does not call by their names, a procedure, those that need another
# call before them, and one that does nothing but raise an error; %s is a file.
my %STATEMENT = (
	'gid_horizon_wait(regclass, interval)' => "CALL gid_horizon_wait('calls.s', '10 s')",
	'gid.serve_currval(regclass)' => q{SELECT nextval('calls.s'); SELECT gid.serve_currval('calls.s')},
	'gid.serve_lastval()' => q{SELECT nextval('calls.s'); SELECT gid.serve_lastval()},
	'gid.serve_identity(regclass)' =>
	  q{DO $do$ BEGIN PERFORM gid.serve_identity('calls.s'); RAISE 'no error';
		EXCEPTION WHEN insufficient_privilege THEN NULL; END $do$},
	'gdid_recv(internal)' => "\\copy calls.received FROM '%s' BINARY",
	'gdid_sortsupport(internal)' =>
	  'SET enable_hashagg = off; SELECT count(*) FROM (SELECT id FROM calls.gdids ORDER BY id OFFSET 0) AS g');

# Makes what the calls need, in a schema "calls" that all may use; "file" is written
# to by the server.
sub calls_objects
{
	my ($node, $db, $file) = @_;

	$node->safe_psql($db, <<"EOS");
CREATE SCHEMA calls;
CREATE SEQUENCE calls.s;
CREATE TABLE calls.gdids (id gdid);
INSERT INTO calls.gdids VALUES ('0:1:7'), ('0:1:8');
CREATE TABLE calls.received (id gdid);
CREATE TABLE calls.bytes AS
SELECT id::bytea AS bytes, gid_gdid_pack(id) AS packed FROM calls.gdids LIMIT 1;
COPY calls.gdids TO '$file' BINARY;
GRANT USAGE ON SCHEMA calls TO PUBLIC;
GRANT ALL ON ALL TABLES IN SCHEMA calls TO PUBLIC;
GRANT ALL ON ALL SEQUENCES IN SCHEMA calls TO PUBLIC;
EOS
	return;
}

# The calls of all C functions of the extension in a database: an array of
# { name => its signature, sql => a statement, or undef when this file does not
# say how to call the function, volatile => 0 or 1 }. A horizon and the leases are STABLE,
# and move from statement to statement.
sub calls_of
{
	my ($node, $db, $file) = @_;
	my $rows = $node->safe_psql($db, <<'EOS');
SELECT CASE WHEN n.nspname = 'gid' THEN 'gid.' ELSE '' END || p.proname, oidvectortypes(p.proargtypes),
	CASE WHEN p.proname ~ '_horizon$|_leases$' THEN 'v' ELSE p.provolatile END
FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND e.oid = d.refobjid
JOIN pg_language AS l ON l.oid = p.prolang
WHERE e.extname = 'gid' AND l.lanname = 'c'
ORDER BY 1, 2
EOS
	my @calls;

	foreach my $row (split /\n/, $rows)
	{
		my ($function, $types, $volatile) = split /\|/, $row;
		my $name = "$function($types)";
		my @type = split /, /, $types;
		my $arguments = $OWN_ARGUMENTS{$name} // $ARGUMENTS{$types}
		  // (grep({ !defined $ARGUMENT{$_} } @type) ? undef : [ @ARGUMENT{@type} ]);
		my $sql = $STATEMENT{$name};

		$sql =~ s/%s/$file/ if defined $sql;
		if (!defined $sql && defined $arguments)
		{
			my @typed = map {
				$arguments->[$_] =~ /^(id$|\()/ ? $arguments->[$_] : "$arguments->[$_]::$type[$_]"
			} 0 .. $#$arguments;

			$sql = "SELECT * FROM $function(" . join(', ', @typed) . ')';
			$sql = "SELECT g.* FROM calls.gdids, LATERAL $function(" . join(', ', @typed) . ') AS g'
			  if $types =~ /gdid/;
		}
		push @calls, { name => $name, sql => $sql, volatile => $volatile eq 'v' ? 1 : 0 };
	}
	return @calls;
}

# What each function that gives the same again and again gives, and the functions
# that fail.
sub call_results
{
	my ($node, $db, $file) = @_;
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

# Everything that belongs to the extension: an object, a tab and its definition.
my $OBJECTS = <<'EOS';
WITH member AS (
	SELECT d.classid, d.objid, i.type || ' ' || i.identity AS name
	FROM pg_depend AS d
	JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid,
	LATERAL pg_identify_object(d.classid, d.objid, 0) AS i
	WHERE e.extname = 'gid' AND d.deptype = 'e')
SELECT name, jsonb_build_object(
	-- a loaded dump names columns of INSERT ... SELECT otherwise
	'definition', CASE p.prokind WHEN 'a' THEN pg_get_function_arguments(p.oid)
		ELSE regexp_replace(pg_get_functiondef(p.oid), '(\w+\.(\w+)) AS \2\M', '\1', 'g') END,
	'acl', coalesce(p.proacl, acldefault('f', p.proowner))::text, 'owner', p.proowner::regrole)
FROM member AS m JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid
UNION ALL
SELECT name, jsonb_build_object('sort', a.aggsortop::regoperator, 'transition', a.aggtransfn::regprocedure,
	'combine', a.aggcombinefn::text, 'final', a.aggfinalfn::text, 'type', a.aggtranstype::regtype)
FROM member AS m JOIN pg_aggregate AS a ON m.classid = 'pg_proc'::regclass AND m.objid = a.aggfnoid::oid
UNION ALL
SELECT name, jsonb_build_object('kind', c.relkind, 'options', c.reloptions, 'acl', c.relacl::text,
	'owner', c.relowner::regrole, 'persistence', c.relpersistence, 'row type', c.reltype <> 0,
	'view', CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END,
	'identity', c.relreplident, 'row security', c.relrowsecurity OR c.relforcerowsecurity,
	'triggers or rules', c.relhastriggers OR c.relhasrules AND c.relkind <> 'v',
	'constraints', (SELECT jsonb_agg(pg_get_constraintdef(o.oid) ORDER BY o.conname)
		FROM pg_constraint AS o WHERE o.conrelid = c.oid),
	'indexes', (SELECT jsonb_agg(jsonb_build_array(pg_get_indexdef(x.indexrelid), r.relowner::regrole) ORDER BY r.relname)
		FROM pg_index AS x JOIN pg_class AS r ON r.oid = x.indexrelid WHERE x.indrelid = c.oid),
	'columns', (SELECT jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, a.atttypmod),
			a.attnotnull, a.attacl::text, a.attcollation::regcollation) ORDER BY a.attnum)
		FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0),
	'sequence', (SELECT to_jsonb(s) - 'seqrelid' FROM pg_sequence AS s WHERE s.seqrelid = c.oid))
FROM member AS m JOIN pg_class AS c ON m.classid = 'pg_class'::regclass AND m.objid = c.oid
UNION ALL
SELECT name, to_jsonb(t) - '{oid,typnamespace,typowner,typrelid,typelem,typarray,typbasetype,typcollation,typdefaultbin}'::text[]
	|| jsonb_build_object('owner', t.typowner::regrole, 'base', format_type(t.typbasetype, t.typtypmod),
	'collation', t.typcollation::regcollation,
	'constraints', (SELECT jsonb_agg(jsonb_build_array(c.conname, pg_get_constraintdef(c.oid),
			obj_description(c.oid, 'pg_constraint')) ORDER BY c.conname)
		FROM pg_constraint AS c WHERE c.contypid = t.oid))
FROM member AS m JOIN pg_type AS t ON m.classid = 'pg_type'::regclass AND m.objid = t.oid
UNION ALL
SELECT name, jsonb_build_object('function', o.oprcode::text, 'commutator', o.oprcom::regoperator,
	'negator', o.oprnegate::regoperator, 'restrict', o.oprrest::text, 'join', o.oprjoin::text,
	'merges', o.oprcanmerge, 'hashes', o.oprcanhash, 'result', o.oprresult::regtype, 'owner', o.oprowner::regrole)
FROM member AS m JOIN pg_operator AS o ON m.classid = 'pg_operator'::regclass AND m.objid = o.oid
UNION ALL
SELECT name, jsonb_build_object('default', o.opcdefault, 'key', o.opckeytype::regtype,
	'input', o.opcintype::regtype, 'owner', o.opcowner::regrole)
FROM member AS m JOIN pg_opclass AS o ON m.classid = 'pg_opclass'::regclass AND m.objid = o.oid
UNION ALL
SELECT name, to_jsonb(f.opfowner::regrole)
FROM member AS m JOIN pg_opfamily AS f ON m.classid = 'pg_opfamily'::regclass AND m.objid = f.oid
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
SELECT name, jsonb_build_object('owner', n.nspowner::regrole, 'acl', n.nspacl::text)
FROM member AS m JOIN pg_namespace AS n ON m.classid = 'pg_namespace'::regclass AND m.objid = n.oid
UNION ALL
SELECT name, NULL FROM member
UNION ALL
SELECT 'comment on ' || name || ' ' || d.objsubid, to_jsonb(d.description)
FROM member AS m JOIN pg_description AS d ON d.classoid = m.classid AND d.objoid = m.objid
UNION ALL
SELECT 'privileges of ' || name || ' ' || i.objsubid, jsonb_build_array(i.privtype, i.initprivs::text)
FROM member AS m JOIN pg_init_privs AS i ON i.classoid = m.classid AND i.objoid = m.objid
-- a dump leaves out privileges that are the default
LEFT JOIN pg_proc AS p ON i.classoid = 'pg_proc'::regclass AND i.objoid = p.oid
WHERE i.initprivs IS DISTINCT FROM acldefault('f', p.proowner)
UNION ALL
SELECT 'extension', jsonb_build_object('schema', extnamespace::regnamespace, 'relocatable', extrelocatable,
	'config', (SELECT jsonb_agg(c::regclass::text) FROM unnest(extconfig) AS c),
	'condition', extcondition, 'version', extversion,
	'comment', obj_description(oid, 'pg_extension'))
FROM pg_extension WHERE extname = 'gid'
ORDER BY 1, 2
EOS

# The lines of what belongs to the extension in a database.
sub extension_objects
{
	my ($node, $db) = @_;

	return split /\n/, $node->safe_psql($db, $OBJECTS);
}

# The lines of one list that another has not.
sub without
{
	my ($list, $other) = @_;
	my %other = map { $_ => 1 } @$other;

	return grep { !$other{$_} } @$list;
}

1;
