# A call of each C function of the extension, for tests that are to leave none
# out.
package GidCalls;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';

our @EXPORT = qw(calls_objects calls_of);

# Arguments by the types of a function's parameters.  Values of type gdid come
# from a table, so that the function that is called is the first one of gid: the
# type's input function is one of gid, too.
my %ARGUMENTS = (
	'' => [],
	'timestamp with time zone' => ["'2024-02-29 12:00+00'"],
	'timestamp with time zone, bytea, integer, bigint' =>
	  [ "'2024-02-29 12:00+00'", "'\\x0102030405'", 7, 7 ],
	'timestamp with time zone, integer, integer, integer, integer' =>
	  [ "'2024-02-29 12:00+00'", 1, 7, 7, 12 ],
	'timestamp with time zone, integer, integer, bigint' =>
	  [ "'2024-02-29 12:00+00'", 1, 7, '1288834974657' ],
	'timestamp with time zone, bigint' => [ "'2024-02-29 12:00+00'", '1288834974657' ],
	'uuid' => ["'018df4bc-5600-7000-8000-000000000000'"],
	'uuid, text' => [ "'018df4bc-5600-7000-8000-000000000000'", "'crockford'" ],
	'bigint' => [7],
	'bigint, integer' => [ 7, 12 ],
	'bigint, bigint' => [ 7, '1288834974657' ],
	'bigint, text' => [ 7, "'crockford'" ],
	'bigint, bytea' => [ '638444160000000000', "'\\x8dcddeedd91df58e'" ],
	'bigint, bytea, integer' => [ 7, "'\\x000102030405060708090a0b0c0d0e0f'", 63 ],
	'bigint, integer, bigint' => [ 0, 1, 7 ],
	'bigint, timestamp with time zone' => [ '7', "'2024-02-29 12:00+00'" ],
	'integer' => [7],
	'integer, integer' => [ 1, 2 ],
	'integer, integer, integer' => [ 7, 7, 65 ],
	'regclass' => ["'calls.s'"],
	'regclass, integer' => [ "'calls.s'", 3 ],
	'regclass, text, text, boolean' => [ "'calls.s'", "'000000'", "'numeric'", 'false' ],
	'text' => ["'trace'"],
	'text, bigint, text, boolean' => [ "'000000'", 7, "'numeric'", 'false' ],
	'text, text, integer, bigint' => [ "'calls'", "'s'", 3, 'NULL' ],
	'gdid' => ['id'],
	'gdid, gdid' => [ 'id', 'id' ],
	'gdid, bigint' => [ 'id', 7 ],
	'gdid, text' => [ 'id', "'crockford'" ],
	'cstring' => ["'0:1:7'"]);

# Functions whose arguments their types do not tell.
my %OWN_ARGUMENTS = (
	# the launch of gid_node()
	'gid_authority_generator(integer)' => [65],
	'gid_authority_node(uuid, integer, timestamp with time zone, timestamp with time zone, timestamp with time zone, integer)'
	  => [
		"'018df4bc-5600-7000-8000-000000000000'", 'NULL', 'NULL',
		"(date_trunc('second', now()))", "(date_trunc('second', now()) + '1 min')", 1023 ],
	'gid_inspect_text(text)' => ["'01HQTBRNG0E008000000000000'"],
	'gid_next_gdid(text, text)' => [ "'calls'", "'s'" ],
	'gid_decode_bigint(text, text)' => [ "'7'", "'crockford'" ],
	'gid_decode_uuid(text, text)' => [ "'01HQTBRNG0E008000000000000'", "'crockford'" ],
	'gid_decode_gdid(text, text)' => [ "'00000000000000000000000000007'", "'numeric'" ],
	'gid_check_append(text, text)' => [ "'0007'", "'numeric'" ],
	'gid_check_valid(text, text)' => [ "'00075'", "'numeric'" ],
	'gdid_from_bytea(bytea)' => ["(SELECT bytes FROM calls.bytes)"],
	'gid_gdid_unpack(bytea)' => ["(SELECT packed FROM calls.bytes)"]);

# Functions that SQL does not call by their names, and one that does nothing but
# raise an error; %s is a file.
my %STATEMENT = (
	'gid_encode(text, text)' =>
	  q{DO $do$ BEGIN PERFORM gid_encode('7'::text, 'crockford'); RAISE 'no error';
		EXCEPTION WHEN indeterminate_datatype THEN NULL; END $do$},
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
# say how to call the function, volatile => 0 or 1 }.
sub calls_of
{
	my ($node, $db, $file) = @_;
	my $rows = $node->safe_psql($db, <<'EOS');
SELECT p.proname, oidvectortypes(p.proargtypes), p.provolatile
FROM pg_proc AS p
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
		my $arguments = $OWN_ARGUMENTS{$name} // $ARGUMENTS{$types};
		my $sql = $STATEMENT{$name};

		$sql =~ s/%s/$file/ if defined $sql;
		if (!defined $sql && defined $arguments)
		{
			my @type = split /, /, $types;
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

1;
