# The owner of a database, who is no superuser, gets nobody to run code of his: with
# traps on the tables of version 1.1, which belonged to him, before the update, by it
# and after it; and with what he may do since. Dropped and new extensions give no
# number twice.
#
# SQL alone cannot test this: it needs the objects of version 1.1, and the server's log,
# which shows what ran although it was rolled back.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(basename dirname);
use GidCalls;
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my %server = copy_installation("$FindBin::RealBin/../..", PostgreSQL::Test::Utils::tempdir());
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
my $version = $node->safe_psql('postgres', 'SHOW server_version_num') / 10000;

# Runs SQL as a role; the output, and what went wrong.
sub as
{
	my ($role, $db, $sql) = @_;
	my (undef, $out, $err) = $node->psql($db, $sql, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);

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
CREATE UNIQUE INDEX trap2 ON gid.node_writer (id) WHERE evil('predicate');
EOS
	[ 'expression', <<'EOS' ],
CREATE UNIQUE INDEX trap ON gid.node_leases (evil_int('expression', node));
CREATE UNIQUE INDEX trap2 ON gid.node_writer (evil_int('expression', id));
EOS
	[ 'constant expression', <<'EOS' ],
CREATE INDEX trap ON gid.node_leases (evil_int('constant expression', 1));
CREATE INDEX trap2 ON gid.node_writer (evil_int('constant expression', 1));
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
	[ 'domain', <<'EOS' ],
CREATE DOMAIN trap AS int CHECK (evil_int('domain', VALUE) > 0);
ALTER TABLE gid.node_writer ALTER lease_max TYPE trap;
CREATE DOMAIN trap2 AS text CHECK (evil('domain'));
ALTER TABLE gid.node_leases ADD trap trap2 DEFAULT 'x';
EOS
	[ 'generated', <<'EOS' ],
ALTER TABLE gid.node_leases ADD trap boolean GENERATED ALWAYS AS (evil_int('generated', node) > 0) STORED;
ALTER TABLE gid.node_writer ADD trap boolean GENERATED ALWAYS AS (evil('generated')) STORED;
EOS
	[ 'default', <<'EOS' ],
ALTER TABLE gid.node_leases ALTER client_name SET DEFAULT evil('default')::text, ADD trap boolean DEFAULT evil_act('default');
EOS
	[ 'partition', <<'EOS' ],
CREATE TABLE trap (LIKE gid.node_leases) PARTITION BY LIST (evil_int('partition', node));
CREATE TABLE trap_one PARTITION OF trap FOR VALUES IN (-1);
ALTER TABLE trap ATTACH PARTITION gid.node_leases DEFAULT;
EOS
	[ 'child', <<'EOS' ],
CREATE TABLE trap (CHECK (evil_int('child', node) > 0)) INHERITS (gid.node_leases);
CREATE INDEX ON trap (evil_int('child', node)) WHERE evil('child');
INSERT INTO trap SELECT 1000, gen_random_uuid(), now(), now(), 'x', 'x';
EOS
	[ 'statistics', <<'EOS' ],
CREATE STATISTICS trap ON evil_int('statistics', node), holder FROM gid.node_leases;
INSERT INTO gid.node_leases SELECT 2000 + i, gen_random_uuid(), now(), now(), 'x', 'x' FROM generate_series(1, 10) AS i;
ANALYZE gid.node_leases;
EOS
	[ 'dependents', <<'EOS' ],
CREATE VIEW trap AS SELECT l.*, evil('dependents') FROM gid.node_leases AS l;
CREATE TABLE trap2 (l gid.node_leases, a int REFERENCES gid.node_leases, b boolean DEFAULT evil('dependents'));
CREATE FUNCTION trap(gid.node_writer) RETURNS boolean LANGUAGE sql AS $$SELECT evil('dependents')$$;
CREATE MATERIALIZED VIEW trap3 AS SELECT *, evil('dependents') FROM gid.node_writer;
CREATE INDEX ON trap3 (evil_int('dependents', id)) WHERE evil('dependents');
EOS
	[ 'sequence', <<'EOS' ],
CREATE TABLE trap (n int DEFAULT evil_int('sequence', 1));
ALTER SEQUENCE gid.decimal_generator OWNED BY trap.n;
CREATE VIEW trap2 AS SELECT *, evil('sequence') FROM gid.decimal_generator;
EOS
	[ 'sequence of the leases', <<'EOS' ],
ALTER SEQUENCE gid.decimal_generator OWNED BY gid.node_leases.node;
EOS
	[ 'members', <<'EOS' ]);
CREATE SCHEMA elsewhere;
CREATE TABLE gid.node_leases (n int DEFAULT evil_int('members', 1), CHECK (evil('members')));
ALTER EXTENSION gid ADD TABLE gid.node_leases;
ALTER EXTENSION gid ADD FUNCTION evil(text);
EOS

# Version 15 makes a view of an empty table.
push @TRAPS, [ 'view', <<'EOS' ] if $version < 16;
ALTER TABLE gid.node_leases DROP CONSTRAINT gid_node_leases_pkey;
ALTER TABLE gid.node_writer DROP CONSTRAINT gid_node_authority_pkey;
VACUUM gid.node_leases, gid.node_writer;
CREATE RULE "_RETURN" AS ON SELECT TO gid.node_leases DO INSTEAD
SELECT 256 AS node, gen_random_uuid() AS holder, now() AS since, now() AS until, 'x'::text AS client_name,
	'x'::text AS client_address WHERE evil('view');
CREATE RULE "_RETURN" AS ON SELECT TO gid.node_writer DO INSTEAD
SELECT 1 AS id, 1::bigint AS system_identifier, 1::bigint AS timeline, 1::oid AS database, 1::oid AS leases, 1 AS lease_max,
	now() AS begins WHERE evil('view');
EOS

# What the owner himself does that springs the trap: it is one.
my $SPRING = <<'EOS';
SELECT FROM gid.node_leases WHERE node > 0;
INSERT INTO gid.node_leases SELECT 3000, gen_random_uuid(), now(), now(), 'x', 'x';
INSERT INTO gid.node_writer SELECT 1, 1, 1, 1, 1, 1, now();
EOS

# The lines of the log in which a trap says that it ran, from an offset on: by others
# than its owner, or by all.
sub sprung
{
	my ($offset, $all) = @_;

	return grep { $all || !/ runs as owner$/ } slurp_file($node->logfile, $offset) =~ /LOG:  (?:00000: )?(trap .* runs as .*)$/mg;
}

my @VIEWS = qw(gid.stat_backends gid.stat_sequences gid.stat_clock gid.stat_launches gid.stat_failover gid.stat_node_leases);
my $LEASE = q{SELECT node FROM gid.authority_node(gen_random_uuid(), NULL, NULL, date_trunc('second', now()),
	date_trunc('second', now()) + '1 min', 1023)};
my $GRANT = <<'EOS';
GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int), gid.authority_confirm() TO gid_fleet;
EOS

# Objects of an extension that belong to a role.
my $OWNED = <<'EOS';
SELECT string_agg(pg_describe_object(s.classid, s.objid, 0), ', ')
FROM pg_shdepend AS s JOIN pg_depend AS d ON (d.classid, d.objid) = (s.classid, s.objid)
WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND s.deptype = 'o'
	AND s.refobjid = 'owner'::regrole AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
EOS

my $n = 0;

foreach my $trap (@TRAPS)
{
	my ($name, $sql) = @$trap;
	my $db = 'trap' . ++$n;
	my $file = $node->basedir . "/gdids_$db";

	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER owner");
	my $offset = -s $node->logfile;
	my ($out, $err) = as('owner', $db, "SET client_min_messages = error; CREATE EXTENSION gid VERSION '1.1'; $EVIL");

	is($err, '', "$name: the owner creates version 1.1");
	(undef, $err) = as('owner', $db, $sql);
	unlike($err, qr/ERROR/, "$name: and sets a trap");
	as('owner', $db, $SPRING);
	cmp_ok(scalar(sprung($offset, 1)), '>', 0, "$name: the trap works") unless $name =~ /sequence|members/;

	# The library is new, the objects are those of 1.1: the view is the planner's.
	$node->psql($db, $GRANT);
	$node->psql($db, 'SELECT gid.authority_resume()');
	$node->psql($db, $LEASE);
	as('gid_fleet', $db, "$LEASE; SELECT gid.authority_confirm()");
	none("$name: before the update the functions do not spring it", sprung($offset));

	# The owner of the extension updates it, as a superuser does.
	my $updater = $n % 2 == 0 ? 'owner' : $superuser;

	(undef, $err) = as($updater, $db, 'ALTER EXTENSION gid UPDATE');
	unlike($err, qr/ERROR/, "$name: $updater updates the extension");
	none("$name: the update does not spring it", sprung($offset));
	is($node->safe_psql($db, $OWNED), $name eq 'members' ? 'function evil(text)' : '',
		"$name: nothing of the extension belongs to its owner");
	calls_objects($node, $db, $file);
	my $session = session($node, $db);

	$session->query($_->{sql}) foreach grep { defined $_->{sql} } calls_of($node, $db, $file);
	$session->query("TABLE $_") for @VIEWS;
	is($session->safe($LEASE), '256', "$name: a number is leased");
	as('gid_fleet', $db, "$LEASE; SELECT gid.authority_confirm(); SELECT gid.authority_resume()");
	($out, $err) = as('gid_watch', $db, join ';', 'SELECT node FROM gid.stat_node_leases', map { "TABLE $_" } @VIEWS);
	like($out, qr/^256\n257\n/, "$name: and seen");
	unlike($err, qr/ERROR/, "$name: by who may see it");
	as('owner', $db, $sql);
	as('owner', $db, $SPRING);
	as('gid_fleet', $db, "$LEASE; SELECT gid.authority_confirm()");
	$session->query('SELECT gid.authority_resume()');
	$session->query("TABLE $_") for @VIEWS;
	end_session($session);
	none("$name: nothing springs it", sprung($offset));
}
is($node->safe_psql('postgres', "SELECT rolsuper FROM pg_roles WHERE rolname = 'owner'"), 'f', 'the owner is no superuser');

# --- the sequence of version 1.1 -----------------------------------------

# The owner alters the sequence; the update makes it as a new one, at the position where
# it was.
my $SEQUENCE = <<'EOS';
SELECT to_jsonb(s) - 'seqrelid', c.relpersistence, c.relowner::regrole, c.relacl
FROM pg_sequence AS s JOIN pg_class AS c ON c.oid = s.seqrelid WHERE c.relname = 'decimal_generator'
EOS
my $GENERATOR = 'SELECT gid.authority_generator(65)';

$node->safe_psql('postgres', 'CREATE DATABASE sequence_new');
my $new = $node->safe_psql('sequence_new', "CREATE EXTENSION gid; $SEQUENCE");

foreach my $altered ('CYCLE', 'SET UNLOGGED', 'INCREMENT -1', 'INCREMENT 7', 'AS integer MAXVALUE 2147483647',
	'MINVALUE -5', 'MAXVALUE 99999999999', 'CACHE 50', 'START 7')
{
	my $db = 'sequence' . ++$n;

	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER owner");
	as('owner', $db, "SET client_min_messages = error; CREATE EXTENSION gid VERSION '1.1'");
	my $before = $node->safe_psql($db, "$GENERATOR; $GENERATOR; SELECT last_value FROM gid.decimal_generator");

	as('owner', $db, "ALTER SEQUENCE gid.decimal_generator $altered; GRANT ALL ON SEQUENCE gid.decimal_generator TO gid_watch;"
		  . ' GRANT SELECT (last_value) ON gid.decimal_generator TO gid_watch');
	isnt($node->safe_psql($db, $SEQUENCE), $new, "$altered: the owner alters the sequence");
	is($node->safe_psql($db, "ALTER EXTENSION gid UPDATE; $SEQUENCE"), $new, "$altered: the update makes it as a new one");
	is($node->safe_psql($db, "SELECT count(*) FROM pg_attribute WHERE attrelid = 'gid.decimal_generator'::regclass AND attacl IS NOT NULL"),
		'0', "$altered: columns included");
	is($before, "0\n1\n6500001", "$altered: two numbers were reserved");
	is($node->safe_psql($db, $GENERATOR), '2', "$altered: the next number follows");
}

# A sequence that is not the extension's, or whose numbers may have been used.
foreach my $wrong (
	[ 'another sequence', 'ALTER SEQUENCE gid.decimal_generator RENAME TO mine; CREATE SEQUENCE gid.decimal_generator',
		'DROP SEQUENCE gid.decimal_generator; ALTER SEQUENCE mine RENAME TO decimal_generator' ],
	[ 'a table', 'ALTER SEQUENCE gid.decimal_generator RENAME TO mine; CREATE TABLE gid.decimal_generator (last_value int);'
		  . ' ALTER EXTENSION gid ADD TABLE gid.decimal_generator',
		'ALTER EXTENSION gid DROP TABLE gid.decimal_generator; DROP TABLE gid.decimal_generator; ALTER SEQUENCE mine RENAME TO decimal_generator' ],
	[ 'no sequence', 'CREATE SCHEMA elsewhere; ALTER SEQUENCE gid.decimal_generator SET SCHEMA elsewhere',
		'ALTER SEQUENCE gid.decimal_generator SET SCHEMA public' ],
	[ 'a sequence of no extension', 'ALTER EXTENSION gid DROP SEQUENCE gid.decimal_generator',
		'ALTER EXTENSION gid ADD SEQUENCE gid.decimal_generator' ],
	[ 'a negative position', q{ALTER SEQUENCE gid.decimal_generator MINVALUE -5; SELECT setval('gid.decimal_generator', -1)},
		q{SELECT setval('gid.decimal_generator', 6500001)} ],
	[ 'a position beyond the last launch', q{ALTER SEQUENCE gid.decimal_generator MAXVALUE 10000000000; SELECT setval('gid.decimal_generator', 10000000000)},
		q{SELECT setval('gid.decimal_generator', 6500001)} ])
{
	my ($name, $change, $undo) = @$wrong;
	my $db = 'sequence' . ++$n;

	$node->safe_psql('postgres', "CREATE DATABASE $db OWNER owner");
	as('owner', $db, "SET client_min_messages = error; CREATE EXTENSION gid VERSION '1.1'");
	$node->safe_psql($db, "$GENERATOR; $GENERATOR");
	my (undef, $err) = as('owner', $db, $change);

	unlike($err, qr/ERROR/, "$name: the owner makes it");
	sql_fails($node, $db, 'ALTER EXTENSION gid UPDATE', '55000', "$name: no update",
		text => qr/sequence "gid.decimal_generator" of extension "gid" is missing or was changed/);
	(undef, $err) = as('owner', $db, "$undo; ALTER EXTENSION gid UPDATE");
	unlike($err, qr/ERROR/, "$name: until the owner undoes it");
	is($node->safe_psql($db, $SEQUENCE), $new, "$name: then the sequence is as a new one");
	is($node->safe_psql($db, $GENERATOR), '2', "$name: and the next number follows");
}

# --- default privileges --------------------------------------------------

# Whom default privileges name: for all schemas, and for one.
my $DEFAULTS = join ';', map {
	my $what = $_;

	("ALTER DEFAULT PRIVILEGES FOR ROLE $superuser GRANT ALL ON $what TO somebody WITH GRANT OPTION",
		"ALTER DEFAULT PRIVILEGES FOR ROLE $superuser IN SCHEMA public GRANT ALL ON $what TO somebody2, PUBLIC")
} qw(TABLES SEQUENCES FUNCTIONS);

# Who has which privilege on what is not for all, and what a dump takes for the
# script's.
my $PRIVILEGES = <<'EOS';
SELECT c.oid::regclass::text, c.relacl, array_agg(a.attacl::text) FILTER (WHERE a.attacl IS NOT NULL), min(i.initprivs::text)
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid LEFT JOIN pg_init_privs AS i ON i.objoid = c.oid
WHERE c.relname IN ('node_leases', 'gid.node_writer', 'gid.decimal_generator') GROUP BY c.oid
UNION ALL
SELECT p.oid::regproc::text, p.proacl, NULL, i.initprivs::text FROM pg_proc AS p LEFT JOIN pg_init_privs AS i ON i.objoid = p.oid
WHERE proname IN ('authority_generator', 'gid.authority_node', 'gid.authority_confirm', 'gid.authority_resume', 'gid.stat_get_node_leases')
ORDER BY 1
EOS

# Roles that are named as users of a dependency, by what is not for all.
my $NAMED = <<'EOS';
SELECT string_agg(pg_describe_object(s.classid, s.objid, s.objsubid) || ' ' || s.deptype::text, ', ') FROM pg_shdepend AS s WHERE s.dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
	AND s.refobjid IN (SELECT oid FROM pg_roles WHERE rolname ~ '^somebody') AND pg_describe_object(s.classid, s.objid, 0)
		~ 'gid_(node|decimal_generator|authority_(generator|node|confirm|resume)|stat_get_node_leases)'
EOS

$node->safe_psql('postgres', 'CREATE ROLE somebody LOGIN; CREATE ROLE somebody2 LOGIN');
$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(plain defaults defaults_updated);
$node->safe_psql('plain', 'CREATE EXTENSION gid');
$node->safe_psql($_, $DEFAULTS) for qw(defaults defaults_updated);
$node->safe_psql('defaults', 'CREATE EXTENSION gid');
$node->safe_psql('defaults_updated', "CREATE EXTENSION gid VERSION '1.1'");
is((as('somebody', 'defaults_updated', 'SELECT has_table_privilege(\'gid.node_leases\', \'SELECT\')'))[0], 't', 'default privileges reach the tables of 1.1');
$node->safe_psql('defaults_updated', "$GRANT ALTER EXTENSION gid UPDATE");
is((as('gid_fleet', 'defaults_updated', 'SELECT gid.authority_confirm()'))[1], '', 'the update keeps what was granted');
is($node->safe_psql('defaults_updated', q{SELECT count(*) FROM pg_init_privs WHERE initprivs::text ~ 'gid_fleet'}), '0', 'so does a dump');
$node->safe_psql('defaults_updated', $GRANT =~ s/GRANT/REVOKE/r =~ s/ TO / FROM /r);
foreach my $db ('defaults', 'defaults_updated')
{
	is($node->safe_psql($db, $PRIVILEGES), $node->safe_psql('plain', $PRIVILEGES), "$db: default privileges change nothing");
	is($node->safe_psql($db, $NAMED), '', "$db: and leave no dependency");
	foreach my $role ('somebody', 'somebody2')
	{
		like((as($role, $db, $_))[1], qr/ERROR:  42501:/, "$db: $role: $_")
		  for 'TABLE gid.node_leases', 'TABLE gid.node_writer', 'TABLE gid.stat_node_leases', 'SELECT gid.authority_confirm()', $GENERATOR;
	}
	is($node->safe_psql($db, "SELECT gid.authority_resume(); $LEASE"), "t\n256", "$db: numbers are leased");
}
my @of_new = extension_objects($node, 'defaults');
my @of_updated = extension_objects($node, 'defaults_updated');

none('an updated extension is as a new one', without(\@of_new, \@of_updated), without(\@of_updated, \@of_new));

# Privileges that were granted later.
my $denied = 0;

foreach my $grant ('SELECT ON gid.node_leases TO somebody', 'SELECT ON gid.node_leases TO PUBLIC',
	'SELECT ON gid.node_leases TO pg_database_owner', 'SELECT (holder) ON gid.node_leases TO somebody',
	'SELECT (holder) ON gid.node_leases TO pg_database_owner',
	'SELECT (xmin) ON gid.node_leases TO somebody', 'TRIGGER ON gid.node_leases TO somebody',
	'SELECT ON gid.node_writer TO somebody', 'UPDATE ON gid.node_writer TO pg_database_owner',
	'SELECT ON gid.node_writer TO pg_database_owner WITH GRANT OPTION', 'UPDATE (lease_max) ON gid.node_writer TO pg_database_owner')
{
	my $revoke = $grant =~ s/ TO / FROM /r =~ s/ WITH GRANT OPTION//r;

	$node->safe_psql('defaults', "GRANT $grant");
	sql_fails($node, 'defaults', $_, '55000', "GRANT $grant: error " . ++$denied, text => qr/has a privilege on it that the extension does not grant/)
	  for $LEASE, 'SELECT gid.authority_resume()', $grant =~ /leases/ ? 'TABLE gid.stat_node_leases' : ();
	$node->safe_psql('defaults', "REVOKE $revoke");
	$node->safe_psql('defaults', 'GRANT SELECT ON gid.node_writer TO pg_database_owner');
	like($node->safe_psql('defaults', $LEASE), qr/^\d+$/, "GRANT $grant: and without it a number is leased");
}

# --- the scripts ---------------------------------------------------------

# The owner of a schema can rename it while a script runs. So the scripts call nothing
# but functions of pg_catalog, and what they create there is gone at the end.
foreach my $script (glob "$FindBin::RealBin/../../gid--*.sql")
{
	none(basename($script) . ' calls functions of pg_catalog alone',
		grep { !/^SELECT pg_catalog\./ } map { split /\n/ } map { /^(SELECT .*)/ ? $1 : () } split /\n\n/, slurp_file($script));
}
is($node->safe_psql('defaults', q{SELECT count(*) FROM pg_proc WHERE proname ~ 'gid_' AND pronamespace = 'pg_catalog'::regnamespace}),
	'0', 'nothing of the scripts stays in pg_catalog');

# A setting of the session does not give the tables another form.
$node->safe_psql('postgres', 'CREATE DATABASE methods OWNER owner');
$node->safe_psql('methods', 'CREATE ACCESS METHOD heap2 TYPE TABLE HANDLER heap_tableam_handler');
is((as('owner', 'methods', 'SET client_min_messages = error; SET default_table_access_method = heap2; CREATE EXTENSION gid'))[1], '', 'an access method of the session does not count');

# --- nulls ---------------------------------------------------------------

# From version 18 on a column can be NOT NULL and hold nulls.
SKIP:
{
	skip 'no NOT NULL constraint that is not valid', 4 if $version < 18;
	$node->safe_psql('postgres', 'CREATE DATABASE nulls');
	$node->safe_psql('nulls', 'CREATE EXTENSION gid; SELECT gid.authority_resume()');
	foreach my $column ('holder', 'until')
	{
		$node->safe_psql('nulls', <<"EOS");
ALTER TABLE gid.node_leases ALTER $column DROP NOT NULL;
INSERT INTO gid.node_leases VALUES (256, gen_random_uuid(), now(), '2026-01-01 00:00:00+00', '', '');
UPDATE gid.node_leases SET $column = NULL;
ALTER TABLE gid.node_leases ADD CONSTRAINT later_$column NOT NULL $column NOT VALID;
EOS
		sql_fails($node, 'nulls', $LEASE =~ s/NULL, NULL/256, '2026-01-01 00:00:00+00'/r, '55000', "a null as $column is an error", text => qr/has a null/);
		sql_fails($node, 'nulls', 'TABLE gid.stat_node_leases', '55000', 'for who looks, too', text => qr/has a null/);
		$node->safe_psql('nulls', 'DELETE FROM gid.node_leases');
	}
}

# --- what the owner may do since -----------------------------------------

$node->safe_psql('postgres', 'CREATE DATABASE now OWNER owner');
my $offset = -s $node->logfile;

as('owner', 'now', "CREATE EXTENSION gid; $EVIL");
$node->safe_psql('now', $GRANT);
is((as('gid_fleet', 'now', $LEASE))[0], '', 'a new extension waits until the leases of others on this server have ended');
is($node->safe_psql('now', 'SELECT gid.authority_resume()'), 't', 'unless a superuser knows better');
my ($until) = as('gid_fleet', 'now', $LEASE =~ s/node/until/r);

like($until, qr/^20/, 'then numbers are leased');

# Rows that the owner inserts shorten no pause. A timeline that will be, and this server:
# after a promotion that row would be alone if gid believed it.
as('owner', 'now', <<'EOS');
INSERT INTO gid.node_writer SELECT 1, system_identifier, timeline + i, database, leases, 1, '-infinity'
FROM gid.node_writer, generate_series(0, 3) AS i
EOS
is((as('gid_fleet', 'now', $LEASE))[0], '', 'rows of the owner make a pause');
is((as('owner', 'now', 'SELECT count(*) FROM gid.node_writer'))[0], '1', 'and go');
is((as('gid_fleet', 'now', $LEASE))[0], '', 'the pause stays');
as('owner', 'now', "INSERT INTO gid.node_writer SELECT 1, 1, 1, 1, 1, 2147483647, 'infinity'");
is((as('gid_fleet', 'now', $LEASE =~ s/node/since < now() + '2 days 1 minute'/r))[0], 't', 'and is as long as the longest gid.node_lease_max allows');

# The owner of a database may do these to all tables.
my $tables = $node->safe_psql('now', q{SELECT string_agg(oid::text || relacl::text, ' ' ORDER BY oid) FROM pg_class WHERE relname ~ '^gid_node'});

is((as('owner', 'now', $_))[1], '', "the owner may $_")
  for 'VACUUM (FULL) gid.node_leases, gid.node_writer', 'VACUUM (FREEZE, ANALYZE) gid.node_leases, gid.node_writer', 'REINDEX DATABASE now';
is($node->safe_psql('now', q{SELECT string_agg(oid::text || relacl::text, ' ' ORDER BY oid) FROM pg_class WHERE relname ~ '^gid_node'}),
	$tables, 'which changes nothing');
is($node->safe_psql('now', 'SELECT gid.authority_resume()'), 't', 'the tables are as before');

# An extension that is dropped and created again knows no leases. No number is leased
# before the known ones have ended.
as('owner', 'now', 'DROP EXTENSION gid CASCADE; CREATE EXTENSION gid');
$node->safe_psql('now', $GRANT);
my ($again) = as('gid_fleet', 'now', <<"EOS");
SELECT node IS NULL, since >= '$until' FROM gid.authority_node(gen_random_uuid(), NULL, NULL, date_trunc('second', now()),
	date_trunc('second', now()) + '1 min', 1023)
EOS
is($again, 't|t', 'a new extension leases no number that may be in use');

# Nor after a restart, which forgets what was leased. The pause is that of the setting
# when the extension was created, also when the setting is lowered then.
as('owner', 'now', 'DROP EXTENSION gid CASCADE');
gid_set($node, 'gid.node_lease_max', "'1h'");
$node->restart;
as('owner', 'now', 'CREATE EXTENSION gid');
gid_set($node, 'gid.node_lease_max', "'5min'");
$node->restart;
$node->safe_psql('now', $GRANT);
is((as('gid_fleet', 'now', $LEASE =~ s/node/node IS NULL, since > now() + '1 hour 30 minutes'/r))[0],
	't|t', 'nor when the server was restarted meanwhile');
is($node->safe_psql('now', 'SELECT gid.authority_resume()'), 't', 'a superuser ends that pause, too');
is((as('gid_fleet', 'now', $LEASE))[0], '256', 'then numbers are leased');
none('the owner has run nothing as anybody else', sprung($offset));
is(log_count($node, qr/was terminated by signal|^TRAP:|PANIC:/m), 0, 'nothing has crashed');

$node->stop;
done_testing();
