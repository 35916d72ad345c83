# The owner of a database, who is no superuser, gets nobody to run code of his. The
# extension is his, but what it has made is not: he sets no trap there, and none that he
# has put into the schema of the functions is sprung. Default privileges change nothing,
# and a script that would use an object of his is refused.
#
# SQL alone cannot test this: it needs a script that was changed, and the server's log,
# which shows what ran although it was rolled back.

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

my %server = copy_installation(PostgreSQL::Test::Utils::tempdir());
my $node = PostgreSQL::Test::Cluster->new('main', install_path => dirname($server{bindir}));

$node->init;
$node->append_conf('postgresql.conf', <<'EOC');
autovacuum = off
log_statement = none
gid.launch_id = 65
gid.node_no = 1
gid.authority = 0
gid.shard_key = 7
EOC
$node->start;
my $superuser = $node->safe_psql('postgres', <<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE gid_fleet LOGIN;
CREATE ROLE gid_watch LOGIN IN ROLE pg_monitor;
SELECT current_user;
EOS

# Runs SQL as a role; the output, and what went wrong.
sub as
{
	my ($role, $db, $sql, %options) = @_;
	my (undef, $out, $err) = $node->psql($db, $sql, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ], %options);

	return ($out, $err);
}

# --- the traps -----------------------------------------------------------

# Each logs who runs it, and takes what it can get. The functions are IMMUTABLE, so
# that they may stand in an index. RAISE LOG stays, whatever is rolled back.
my $EVIL = <<'EOS';
CREATE FUNCTION evil_act(what text) RETURNS boolean VOLATILE LANGUAGE plpgsql AS $$
BEGIN
	RAISE LOG 'trap % runs as %', what, current_user;
	IF current_setting('is_superuser') = 'on' THEN
		ALTER ROLE owner SUPERUSER;
	END IF;
	RETURN true;
END $$;
CREATE FUNCTION evil(what text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS
	$$BEGIN RETURN public.evil_act(what); END$$;
CREATE FUNCTION evil_int(what text, n int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS
	$$BEGIN PERFORM public.evil_act(what); RETURN n; END$$;
CREATE FUNCTION evil_trigger() RETURNS trigger LANGUAGE plpgsql AS
	$$BEGIN PERFORM public.evil_act(TG_ARGV[0]); RETURN NEW; END$$;
EOS
my @TRAPS = (
	[ 'predicate', <<'EOS' ],
CREATE UNIQUE INDEX trap ON gid.node_leases (node) WHERE evil('predicate');
CREATE UNIQUE INDEX trap2 ON gid.node_writer (timeline) WHERE evil('predicate');
EOS
	[ 'expression', <<'EOS' ],
CREATE UNIQUE INDEX trap ON gid.node_leases (evil_int('expression', node));
CREATE UNIQUE INDEX trap2 ON gid.node_writer (evil_int('expression', lease_max));
EOS
	[ 'rule', <<'EOS' ],
CREATE RULE trap AS ON INSERT TO gid.node_leases DO ALSO SELECT evil('rule');
CREATE RULE trap2 AS ON UPDATE TO gid.node_leases DO ALSO SELECT evil('rule');
CREATE RULE trap AS ON INSERT TO gid.node_writer DO ALSO SELECT evil('rule');
CREATE RULE trap2 AS ON UPDATE TO gid.node_writer DO ALSO SELECT evil('rule');
EOS
	[ 'trigger', <<'EOS' ],
CREATE TRIGGER trap BEFORE INSERT OR UPDATE OR DELETE ON gid.node_leases FOR EACH ROW EXECUTE FUNCTION evil_trigger('trigger');
CREATE TRIGGER trap2 AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON gid.node_leases EXECUTE FUNCTION evil_trigger('trigger');
CREATE TRIGGER trap BEFORE INSERT OR UPDATE OR DELETE ON gid.node_writer FOR EACH ROW EXECUTE FUNCTION evil_trigger('trigger');
EOS
	[ 'policy', <<'EOS' ],
CREATE POLICY trap ON gid.node_leases USING (evil('policy')) WITH CHECK (evil('policy'));
ALTER TABLE gid.node_leases ENABLE ROW LEVEL SECURITY;
ALTER TABLE gid.node_leases FORCE ROW LEVEL SECURITY;
EOS
	[ 'check', <<'EOS' ],
ALTER TABLE gid.node_leases ADD CONSTRAINT trap CHECK (evil_int('check', node) > 0);
ALTER TABLE gid.node_writer ADD CONSTRAINT trap CHECK (evil('check')) NOT VALID;
EOS
	[ 'default', <<'EOS' ],
ALTER TABLE gid.node_leases ALTER client_name SET DEFAULT evil('default')::text, ADD trap boolean DEFAULT evil_act('default');
EOS
	[ 'child', <<'EOS' ],
CREATE TABLE trap (CHECK (evil_int('child', node) > 0)) INHERITS (gid.node_leases);
EOS
	[ 'members', <<'EOS' ],
ALTER EXTENSION gid DROP TABLE gid.node_leases;
ALTER EXTENSION gid DROP SCHEMA gid;
ALTER SCHEMA gid RENAME TO away;
CREATE TABLE gid.node_leases_2 (n int DEFAULT evil_int('members', 1));
EOS
	[ 'functions', <<'EOS' ]);
CREATE OR REPLACE FUNCTION gid.authority_confirm() RETURNS void LANGUAGE sql AS $$SELECT evil('functions')$$;
CREATE FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, bigint) RETURNS int LANGUAGE sql AS $$SELECT 1 FROM evil('functions')$$;
CREATE FUNCTION gid.stat_get_clock(int DEFAULT evil_int('functions', 1)) RETURNS int RETURN 1;
CREATE OR REPLACE VIEW gid.stat_clock AS SELECT evil('functions');
ALTER VIEW gid.stat_clock SET (security_invoker = true);
ALTER VIEW gid.stat_backends ALTER pid SET DEFAULT evil_int('functions', 1);
CREATE RULE trap AS ON INSERT TO gid.stat_clock DO INSTEAD SELECT evil('functions');
ALTER FUNCTION gid.authority_confirm() SECURITY DEFINER;
ALTER FUNCTION gid.authority_confirm() OWNER TO CURRENT_USER;
EOS

# What stands in the schema of the functions before the extension does: operators for each
# two types, of which PostgreSQL has not all, and functions. The script is parsed with
# this schema in the search path.
my $BEFORE = <<'EOS';
CREATE SCHEMA ids;
DO $do$
DECLARE
	types CONSTANT text[] := '{text,name,"\"char\"",boolean,smallint,int,bigint,oid,regclass,uuid,bytea,timestamptz,interval,xid,text[],numeric}';
	l text;
	r text;
	o text;
BEGIN
	FOREACH l IN ARRAY types LOOP
		FOREACH r IN ARRAY types LOOP
			EXECUTE format('CREATE FUNCTION ids.fits(%s, %s) RETURNS boolean IMMUTABLE LANGUAGE sql AS ''SELECT public.evil(''''operator'''')''', l, r);
			FOREACH o IN ARRAY '{=,<>,<,<=,>,>=,||,+,-,*,/,&,|,<<,>>,~,!~,~~}'::text[] LOOP
				EXECUTE format('CREATE OPERATOR ids.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = ids.fits)', o, l, r);
			END LOOP;
		END LOOP;
	END LOOP;
END $do$;
CREATE FUNCTION ids.format(text, regclass, name) RETURNS text LANGUAGE sql AS 'SELECT public.evil(''format'')::text';
CREATE FUNCTION ids.array_remove(text[], text) RETURNS text[] LANGUAGE sql AS 'SELECT ARRAY[public.evil(''array_remove'')::text]';
CREATE FUNCTION ids.array_to_string(text[], text) RETURNS text LANGUAGE sql AS 'SELECT public.evil(''array_to_string'')::text';
CREATE FUNCTION ids.cardinality(text[]) RETURNS int LANGUAGE sql AS 'SELECT public.evil_int(''cardinality'', 1)';
CREATE FUNCTION ids.unnest(aclitem[]) RETURNS SETOF aclitem LANGUAGE sql AS 'SELECT NULL::aclitem WHERE public.evil(''unnest'')';
CREATE FUNCTION ids.string_agg(text, "char") RETURNS text LANGUAGE sql AS 'SELECT public.evil(''string_agg'')::text';
EOS

# The lines of the log in which a trap says that it ran, from an offset on: by others
# than its owner, or by all.
sub sprung
{
	my ($offset, $all) = @_;

	return grep { $all || !/ runs as owner$/ } slurp_file($node->logfile, $offset) =~ /LOG:  (?:00000: )?(trap .* runs as .*)$/mg;
}

my @VIEWS = qw(gid.stat_backends gid.stat_sequences gid.stat_clock gid.stat_horizon gid.columns gid.stat_node_leases);
my $LEASE = q{SELECT node FROM gid.authority_node(gen_random_uuid(), NULL, NULL, date_trunc('second', now()),
	date_trunc('second', now()) + '1 min', 1023)};
my $GRANT = <<'EOS';
GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int), gid.authority_confirm() TO gid_fleet;
EOS

# Objects of an extension that belong to a role.
my $OWNED = <<'EOS';
SELECT string_agg(pg_describe_object(s.classid, s.objid, 0), ', ' ORDER BY s.classid)
FROM pg_shdepend AS s JOIN pg_depend AS d ON (d.classid, d.objid) = (s.classid, s.objid)
WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND s.deptype = 'o'
	AND s.refobjid = 'owner'::regrole AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
EOS

{
	my $file = $node->basedir . '/gdids';
	my $offset = -s $node->logfile;

	$node->safe_psql('postgres', 'CREATE DATABASE trap1 OWNER owner');
	is((as('owner', 'trap1', "CREATE EXTENSION gid; $EVIL"))[1], '', 'the owner creates the extension');
	my @objects = extension_objects($node, 'trap1');

	foreach my $trap (@TRAPS)
	{
		my ($name, $sql) = @$trap;

		# each statement by itself
		my @allowed = grep { (as('owner', 'trap1', $_))[1] !~ /ERROR:  42501:/ } map { "$_;" } split /;\n/, $sql;

		is("@allowed", '', "$name: the owner may not");
	}
	is_deeply([ extension_objects($node, 'trap1') ], \@objects, 'no object of the extension has changed, and none has come');
	is($node->safe_psql('trap1', $OWNED), '', 'nothing that the extension has made belongs to the owner');

	# then everybody uses the extension
	$node->safe_psql('trap1', "$GRANT SELECT gid.authority_resume()");
	calls_objects($node, 'trap1', $file);
	my $session = session($node, 'trap1');

	$session->query($_->{sql}) foreach grep { defined $_->{sql} } calls_of($node, 'trap1', $file);
	$session->query("TABLE $_") for @VIEWS;
	like($session->safe($LEASE), qr/^\d+$/, 'a number is leased');
	as('gid_fleet', 'trap1', "$LEASE; SELECT gid.authority_confirm(); SELECT gid.authority_resume()");
	unlike((as('gid_watch', 'trap1', join ';', map { "TABLE $_" } @VIEWS))[1], qr/ERROR/, 'and seen by who may see it');
	end_session($session);
	none('nothing springs a trap', sprung($offset));
}
is($node->safe_psql('postgres', "SELECT rolsuper FROM pg_roles WHERE rolname = 'owner'"), 'f', 'the owner is no superuser');

# What the owner had put into the schema of the functions.
{
	my $offset = -s $node->logfile;

	$node->safe_psql('postgres', 'CREATE DATABASE before OWNER owner');
	is((as('owner', 'before', "$EVIL$BEFORE"))[1], '', 'before: the owner makes operators and functions');
	cmp_ok($node->safe_psql('before', q{SELECT count(*) FROM pg_operator WHERE oprnamespace = 'ids'::regnamespace}), '>', 4000, 'before: many');
	is((as('owner', 'before', 'CREATE EXTENSION gid SCHEMA ids'))[1], '', 'before: and then the extension');
	$node->safe_psql('before', 'CREATE SEQUENCE s; CREATE TABLE t (id serial); SELECT gid.authority_resume()');
	my $session = session($node, 'before');

	is($session->safe($LEASE), '256', 'before: a number is leased');
	is(($session->query("TABLE $_"))[1], '', "before: a superuser looks at $_") for @VIEWS;
	is(($session->query("SELECT * FROM ids.gid_inspect($_)"))[1], '', "before: and into $_")
	  for 'ids.gid_uuid_v7()', 'ids.gid_uuid_sequential()', 'ids.gid_uuid_sequential_mssql()', 'ids.gid_uuid_shard(7)', 'gen_random_uuid()',
	  'ids.gid_trace_id()', 'ids.gid_snowflake_id()', 'ids.gid_decimal_id()', q{ids.gid_next('s')}, q{ids.gid_trace_id(), 'trace'},
	  q{'0:1:75'::ids.gdid}, q{'06H073JVFDQJ37CTP7S1G67824'}, q{'user_01hqtbrng0e008000000000000'};
	is(($session->query("SELECT ids.gid_${_}_between(ids.gid_$_(), '2000-01-01', NULL)"))[1], '', "before: and compares with times: $_")
	  for qw(uuid_v7 uuid_sequential snowflake_id);
	is(($session->query("SELECT ids.gid_uuid_shard_is(ids.gid_uuid_shard(7), ids.gid_uuid_shard(7)), ids.gid_uuid_shard_between(ids.gid_uuid_shard(7), '2000-01-01', NULL)"))[1], '', 'before: and with a shard');
	end_session($session);
	none('before: nothing of his is called', sprung($offset));
}

# He renames schemas without end while a superuser leases numbers: what is looked up by a
# name while a function runs would be his.
{
	my $offset = -s $node->logfile;

	is((as('owner', 'before', <<'EOS'))[1], '', 'renamed: the owner has a schema of his own');
CREATE SCHEMA trap;
CREATE TABLE trap.node_leases (node int CHECK (public.evil_int('renamed', node) > 0), holder uuid, since timestamptz, until timestamptz, client_name text, client_address text);
CREATE TRIGGER trap BEFORE INSERT OR UPDATE ON trap.node_leases FOR EACH ROW EXECUTE FUNCTION public.evil_trigger('renamed');
CREATE FUNCTION trap.lease_grant() RETURNS boolean LANGUAGE sql AS $$SELECT public.evil('renamed')$$;
CREATE TABLE going ();
CREATE PROCEDURE swap() LANGUAGE plpgsql AS $$
BEGIN
	WHILE EXISTS (SELECT FROM pg_class WHERE relname = 'going') LOOP
		ALTER SCHEMA ids RENAME TO away;
		ALTER SCHEMA trap RENAME TO ids;
		COMMIT;
		ALTER SCHEMA ids RENAME TO trap;
		ALTER SCHEMA away RENAME TO ids;
		COMMIT;
	END LOOP;
END $$;
EOS
	my $renames = session($node, 'before', '-U', 'owner');
	my $session = session($node, 'before');

	$renames->send('CALL swap()');
	my @wrong = grep { ($session->query("$LEASE; SELECT gid.authority_confirm(); SELECT gid.authority_resume(); TABLE gid.stat_node_leases"))[1] ne '' } 1 .. 100;

	is("@wrong", '', 'renamed: a superuser leases a hundred numbers');
	$session->safe('DROP TABLE public.going');
	is(($renames->answer)[1], '', 'renamed: the owner has renamed all the while');
	end_session($_) for $session, $renames;
	none('renamed: nothing of his is called', sprung($offset));
}

# A trap that is sprung is found.
{
	my $offset = -s $node->logfile;

	$node->safe_psql('trap1', "BEGIN; SELECT evil('x'); ROLLBACK");
	is(scalar(sprung($offset)), 1, 'a trap that is sprung is found');
	is($node->safe_psql('postgres', "SELECT rolsuper FROM pg_roles WHERE rolname = 'owner'"), 'f', 'and has been rolled back here');
}

# --- default privileges --------------------------------------------------

# Whom default privileges name: for all schemas, and for one.
my $DEFAULTS = join ';', (map { "ALTER DEFAULT PRIVILEGES FOR ROLE $superuser GRANT ALL ON $_ TO somebody WITH GRANT OPTION" }
	  qw(TABLES SEQUENCES FUNCTIONS TYPES SCHEMAS)),
  map { "ALTER DEFAULT PRIVILEGES FOR ROLE $superuser IN SCHEMA public GRANT ALL ON $_ TO somebody2, PUBLIC" }
  qw(TABLES SEQUENCES FUNCTIONS TYPES);

# Who has which privilege on each object of the extension, and what a dump takes for the
# script's. An object without a list has the default one.
my $PRIVILEGES = <<'EOS';
SELECT i.type, i.identity, pg_temp.list(o.acl, o.kind, o.owner), o.columns, pg_temp.list(p.initprivs, o.kind, o.owner)
FROM pg_depend AS d
JOIN (
	SELECT 'pg_proc'::regclass, oid, 'f'::"char", proowner, proacl, 0 FROM pg_proc
	UNION ALL
	SELECT 'pg_type'::regclass, oid, 'T', typowner, typacl, 0 FROM pg_type
	UNION ALL
	SELECT 'pg_class'::regclass, oid, CASE WHEN relkind = 'S' THEN 's'::"char" ELSE 'r' END, relowner, relacl,
		(SELECT count(attacl) FROM pg_attribute WHERE attrelid = pg_class.oid) FROM pg_class
	UNION ALL
	SELECT 'pg_namespace'::regclass, oid, 'n', nspowner, nspacl, 0 FROM pg_namespace
) AS o (class, oid, kind, owner, acl, columns) ON o.class = d.classid AND o.oid = d.objid
LEFT JOIN pg_init_privs AS p ON p.classoid = d.classid AND p.objoid = d.objid AND p.objsubid = 0,
LATERAL pg_identify_object(d.classid, d.objid, 0) AS i
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
	AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gid')
ORDER BY 1, 2
EOS
my $LIST = <<'EOS';
CREATE FUNCTION pg_temp.list(acl aclitem[], kind "char", owner oid) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s %s %s', grantee, privilege_type, is_grantable), ', ' ORDER BY grantee, privilege_type)
	FROM aclexplode(coalesce(acl, acldefault(kind, owner)))
$$;
EOS

# Objects of the extension of which a role is named as a user.
my $NAMED = <<'EOS';
SELECT string_agg(pg_describe_object(s.classid, s.objid, s.objsubid) || ' ' || s.deptype::text, ', ')
FROM pg_shdepend AS s JOIN pg_depend AS d ON d.classid = s.classid AND d.objid = s.objid
WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND s.refobjid IN (SELECT oid FROM pg_roles WHERE rolname ~ '^somebody')
	AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
EOS
my $GENERATOR = 'SELECT gid.authority_generator(65)';

$node->safe_psql('postgres', 'CREATE ROLE somebody LOGIN; CREATE ROLE somebody2 LOGIN');
$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(plain defaults);
$node->safe_psql('plain', 'CREATE EXTENSION gid');
$node->safe_psql('defaults', "$DEFAULTS; CREATE TABLE other (n int); CREATE SCHEMA more");
is($node->safe_psql('defaults', q{SELECT has_table_privilege('somebody2', 'other', 'SELECT'), has_schema_privilege('somebody', 'more', 'CREATE')}), 't|t',
	'default privileges reach what is created');
$node->safe_psql('defaults', 'CREATE EXTENSION gid');
is($node->safe_psql('defaults', "$LIST$PRIVILEGES"), $node->safe_psql('plain', "$LIST$PRIVILEGES"), 'default privileges change nothing of the extension');
is($node->safe_psql('defaults', $NAMED), '', 'and leave no dependency');
foreach my $role ('somebody', 'somebody2')
{
	like((as($role, 'defaults', $_))[1], qr/ERROR:  42501:/, "$role: $_")
	  for 'TABLE gid.node_leases', 'TABLE gid.node_writer', 'TABLE gid.stat_node_leases', 'SELECT gid.authority_confirm()', $GENERATOR, 'CREATE TABLE gid.mine ()';
}
is($node->safe_psql('defaults', $LEASE), '256', 'numbers are leased');

# --- the scripts ---------------------------------------------------------

# The owner of a schema can rename it while a script runs. So the script calls nothing
# but functions of pg_catalog and of its own schema.
my $script = "$server{sharedir}/extension/gid--2.0.sql";
my $text = slurp_file($script);

none('the script calls functions of pg_catalog and gid alone',
	grep { !/^SELECT (pg_catalog|gid)\./ } map { split /\n/ } map { /^(SELECT .*)/ ? $1 : () } split /\n\n/, $text);
is($node->safe_psql('defaults', q{SELECT count(*) FROM pg_proc WHERE proname ~ 'gid_' AND pronamespace = 'pg_catalog'::regnamespace}),
	'0', 'nothing of the script stays in pg_catalog');

# A script that would use an object of the owner's is refused, and leaves nothing.
$node->safe_psql('postgres', 'CREATE DATABASE planted OWNER owner');
as('owner', 'planted', <<'EOS');
CREATE FUNCTION joined(text, bigint) RETURNS text IMMUTABLE RETURN $1;
CREATE OPERATOR || (LEFTARG = text, RIGHTARG = bigint, FUNCTION = joined);
CREATE FUNCTION gid_of_owner() RETURNS bigint RETURN 1;
CREATE DOMAIN of_owner AS text;
EOS
unlink $script or die "$script: $!";
foreach my $plant (
	[ 'an operator in a view', 'SELECT node, client_name,', q{SELECT node, client_name || 7::bigint AS client_name,}, 'operator ||(text,bigint)' ],
	[ 'a function in a view', 'SELECT pid, slot,', 'SELECT pid + gid_of_owner() * 0 AS pid, slot,', 'function gid_of_owner()' ],
	[ 'a type of a column', 'client_address text NOT NULL', 'client_address of_owner NOT NULL', 'type of_owner' ],
	[ 'a function in a body', "RETURN id >= gid_uuid_v7_low(since) AND", 'RETURN gid_of_owner() = 1 AND id >= gid_uuid_v7_low(since) AND', 'function gid_of_owner()' ])
{
	my ($name, $from, $to, $object) = @$plant;
	my $changed = $text =~ s/\Q$from\E/$to/r;

	isnt($changed, $text, "$name: is planted");
	unlink $script;
	append_to_file($script, $changed);
	like((as('owner', 'planted', 'CREATE EXTENSION gid'))[1], qr/ERROR:  55000: .* of the extension would use \Q$object\E/, "$name: the script is refused");
	is($node->safe_psql('planted', q{SELECT count(*) FROM pg_namespace WHERE nspname = 'gid'}), '0', "$name: nothing is left");
}
unlink $script;
append_to_file($script, $text);
is((as('owner', 'planted', 'CREATE EXTENSION gid'))[1], '', 'the script itself is not');

# --- what the owner may do since -----------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE now OWNER owner');
my $offset = -s $node->logfile;

is((as('owner', 'now', "CREATE EXTENSION gid; $EVIL"))[1], '', 'the owner creates the extension');
$node->safe_psql('now', $GRANT);
is((as('gid_fleet', 'now', $LEASE))[0], '256', 'a role with the privilege leases a number');
none('the owner has run nothing as anybody else', sprung($offset));
is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');

$node->stop;
done_testing();
