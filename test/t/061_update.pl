# The update from 2.0 as people do it: server by server under load and back again, in a
# fleet of both versions, by pg_upgrade and by a dump.  What pg_dump sees of an updated
# extension is what it sees of a fresh one.
#
# SQL alone cannot test this: it needs pg_dump, several servers, and two versions of the
# library.  GID_UPDATE_FROM names a directory where gid 2.0 was built for this server
# ("make test-update").  Without it, only the first part runs.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use File::Basename qw(basename dirname);
use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant { HANG => 180 };    # seconds that only a hang takes

my $old = $ENV{GID_UPDATE_FROM};
my $UPDATE = 'ALTER EXTENSION gid UPDATE';
my $VERSION = q{SELECT extversion FROM pg_extension WHERE extname = 'gid'};

# --- 1. What pg_dump sees ----------------------------------------------------

# The members of the extension with their initial privileges, as pg_upgrade takes them, in
# an order of their own and without numbers that differ from one installation to the next.
sub members
{
	my ($node, $db) = @_;
	my ($dump) = run_command([ 'pg_dump', '--binary-upgrade', '-s', '-d', $node->connstr($db) ]);

	$dump =~ s/(binary_upgrade_set_next_\w+\()[^)]*/$1/g;
	$dump =~ s/(binary_upgrade_create_empty_extension.*)'\{[\d,]+\}'/$1/;
	$dump =~ s/^SET relfrozenxid = .*\n(WHERE oid = .*)?//mg;
	$dump =~ s/^\\(un)?restrict .*//mg;
	return sort split /\n{2,}/, $dump;
}

my $node = gid_node('main');

$node->start;
$node->safe_psql('postgres', "CREATE DATABASE $_") for qw(fresh updated);
$node->safe_psql('fresh', 'CREATE EXTENSION gid');
$node->safe_psql('updated', "CREATE EXTENSION gid VERSION '2.0'; $UPDATE");
my @fresh = members($node, 'fresh');

cmp_ok(scalar(@fresh), '>', 1000, 'a dump for pg_upgrade has the members of the extension');
is_deeply([ members($node, 'updated') ], \@fresh, 'and the same ones in an updated database');
$node->stop;

if (!$old)
{
	done_testing();
	exit;
}

# --- servers of both versions --------------------------------------------------

my $work = PostgreSQL::Test::Utils::tempdir();
my $bindir = pg_config_of('pg_config', 'bindir');
my ($root) = $bindir =~ m{^(.*?)/lib/postgresql/};
my %package = (
	'2.0' => [ "$old/gid.so", "$old/gid.control", "$old/gid--2.0.sql" ],
	'2.1' => [ pg_config_of('pg_config', 'pkglibdir') . '/gid.so',
		glob(pg_config_of('pg_config', 'sharedir') . '/extension/{gid.control,gid--*.sql}') ]);

# Gives a server an installation of PostgreSQL of its own.
sub own_installation
{
	my ($node) = @_;
	my $copy = "$work/" . $node->name;

	system_or_bail('cp', '-R', $root, $copy);
	$node->{_install_path} = $copy . substr(dirname($bindir), length $root);
	return;
}

# Exchanges gid's files there, each at once, as package managers do.
sub install
{
	my ($node, $version) = @_;
	my $pg_config = $node->install_path . '/bin/pg_config';
	my ($library, $share) = (pg_config_of($pg_config, 'pkglibdir'), pg_config_of($pg_config, 'sharedir') . '/extension');

	foreach my $file (@{ $package{$version} })
	{
		my $name = ($file =~ /\.so$/ ? $library : $share) . '/' . basename($file);

		system_or_bail('cp', $file, "$name.new");
		rename "$name.new", $name or die "$name: $!";
	}
	return;
}

sub server
{
	my ($name, $version, $conf, %init) = @_;
	my $node = gid_node($name, $conf, %init);

	own_installation($node);
	install($node, $version);
	return $node;
}

# --- 2. A primary with a synchronous standby, under load -----------------------

# Clients find the primary themselves: start_clients() takes this for a server.
package Both
{
	sub new { my ($class, @nodes) = @_; return bless { nodes => \@nodes }, $class }
	sub basedir { return $_[0]{nodes}[0]->basedir }

	sub connstr
	{
		my ($self, $db) = @_;

		return sprintf 'host=%s port=%s dbname=%s target_session_attrs=read-write', join(',', map { $_->host } @{ $self->{nodes} }),
		  join(',', map { $_->port } @{ $self->{nodes} }), $db;
	}
}

# A value is printed after its kind.
my $DRAWS = <<'EOS';
LOAD 'gid';
SET gid.serve_nextval = on;
SET synchronous_commit = local;
EOS
$DRAWS .= <<'EOS' x 10;
SELECT current_database() || '.next|' || gid_next('drawn') FROM generate_series(1, 20);
SELECT current_database() || '.served|' || nextval('served') FROM generate_series(1, 20);
SELECT current_database() || '.code|' || gid_next_code('coded', '000000000000') FROM generate_series(1, 20);
SELECT 'decimal|' || gid_decimal_id() FROM generate_series(1, 20);
SELECT 'trace|' || gid_trace_id() FROM generate_series(1, 20);
SELECT 'v7|' || gid_uuid_v7() FROM generate_series(1, 20);
WITH made AS (INSERT INTO item DEFAULT VALUES RETURNING id) SELECT pg_sleep(0.03 * random()) FROM made \g /dev/null
EOS

# A reader that asks for the rows between its last one and the horizon.
my $READ = <<'EOS';
WITH page AS MATERIALIZED (SELECT id FROM item WHERE id > (SELECT last FROM reader) AND id < gid_horizon('item_id_seq')),
	moved AS (UPDATE reader SET last = (SELECT max(id) FROM page) WHERE EXISTS (SELECT FROM page))
INSERT INTO seen SELECT id FROM page;
SELECT pg_sleep(0.01) \g /dev/null
EOS

# What a server tells clients when it stops or starts.  From the exchange of the library to the
# restart, a server without preload has the library of neither version for new sessions.
my $RESTART = qr/terminating connection due to administrator command|the database system is |and terminating connection/;
my $EXCHANGED = qr/another version of gid is in use/;

sub rolling
{
	my ($preload) = @_;
	my $conf = "gid.timeline_skip = 0\nsynchronous_standby_names = '*'\n"
	  . ($preload ? "shared_preload_libraries = 'gid'\n" : '');
	my $how = $preload ? 'preload' : 'no preload';
	my $one = server("one_$preload", '2.0', $conf, allows_streaming => 1);

	gid_set($one, 'synchronous_standby_names', "''");
	$one->start;
	foreach my $db ('a', 'b')
	{
		$one->safe_psql('postgres', "CREATE DATABASE $db; ALTER DATABASE $db SET gid.launch_id = " . ($db eq 'a' ? 64 : 65));
		$one->safe_psql($db, <<'EOS');
CREATE EXTENSION gid;
CREATE SEQUENCE drawn;
CREATE SEQUENCE served;
CREATE SEQUENCE coded;
CREATE SEQUENCE item_id_seq;
CREATE TABLE item (id bigint PRIMARY KEY DEFAULT gid_next('item_id_seq'));
CREATE TABLE reader (last bigint);
INSERT INTO reader VALUES (0);
CREATE TABLE seen (id bigint PRIMARY KEY);
EOS
	}

	# Users have views on all of gid's.
	$one->safe_psql('a', <<'EOS');
DO $$
DECLARE
	it regclass;
BEGIN
	FOR it IN SELECT oid FROM pg_class WHERE relnamespace = 'gid'::regnamespace AND relkind = 'v' LOOP
		EXECUTE format('CREATE VIEW %I AS TABLE %s', 'on_' || replace(it::text, 'gid.', ''), it);
	END LOOP;
END $$;
EOS
	$one->backup('backup');
	my $two = PostgreSQL::Test::Cluster->new("two_$preload");

	own_installation($two);
	install($two, '2.0');
	$two->init_from_backup($one, 'backup', has_streaming => 1);
	gid_set($two, 'gid.node_no', 2);
	gid_set($_, 'synchronous_standby_names', "'*'") for $one, $two;
	$two->start;
	$one->reload;
	my $both = Both->new($one, $two);
	my @storm = map { start_clients($both, $_, 2, $DRAWS), start_clients($both, $_, 1, $READ x 20) } qw(a b);
	my @drawers = @storm[ 0, 2 ];

	my $goes_on = sub {
		my ($name) = @_;
		my @before = map { written($_) } @drawers;

		ok( defined wait_until(HANG, sub {
				return !grep { written($drawers[$_]) < $before[$_] + 50_000 } 0, 1;
			}), "$how: clients draw $name") or diag(map { (slurp_file($_))[-1] } map { @{ $_->{errors} } } @drawers);
	};
	my $exchange = sub {
		my ($node, $version) = @_;

		install($node, $version);
		$node->restart;
	};

	$goes_on->('with 2.0 on both servers');
	$exchange->($two, '2.1');
	$goes_on->('with 2.1 on the standby');

	# the switchover
	$one->stop;
	$two->promote;
	install($one, '2.1');
	$one->enable_streaming($two);
	$one->set_standby_mode;
	$one->start;
	$goes_on->('after the switchover, with 2.0\'s script');

	# and back, as the manual allows before ALTER EXTENSION
	$exchange->($two, '2.0');
	$goes_on->('with 2.0 again');
	$exchange->($two, '2.1');
	$goes_on->('with 2.1 again');
	foreach my $db (qw(a b))
	{
		is($two->safe_psql($db, "SET lock_timeout = '20s'; $UPDATE; $VERSION"), '2.1', "$how: $db is updated under load");
		$goes_on->("after the update of $db");
	}
	append_to_file($_->{stop}, '') for @storm;
	stop_clients($_) for @storm;

	my (%times, %kinds);

	foreach my $value (map { split /\n/, slurp_file($_) } map { @{ $_->{files} } } @drawers)
	{
		$times{$value}++;
		$kinds{ $value =~ s/\|.*//r }++;
	}
	is(join(' ', sort keys %kinds), 'a.code a.next a.served b.code b.next b.served decimal trace v7', "$how: all kinds were drawn");
	none("$how: no value comes twice", grep { $times{$_} > 1 } keys %times);
	note("$how: " . keys(%times) . ' values');
	none("$how: no session ends but by a restart",
		grep { /(?:WARNING|ERROR|FATAL|PANIC):  / && !/$RESTART/ && ($preload || !/$EXCHANGED/) }
		  map { split /\n/, slurp_file($_) } map { @{ $_->{errors} } } @storm);
	is(log_count($_, qr/terminated by signal|PANIC:/), 0, "$how: " . $_->name . ' has not crashed') for $one, $two;
	foreach my $db (qw(a b))
	{
		# the readers end with what nobody holds back
		ok( defined wait_until(HANG, sub {
				$two->safe_psql($db, "CALL gid_horizon_wait('item_id_seq'); $READ");
				return $two->safe_psql($db, 'SELECT (SELECT max(id) FROM item) = last FROM reader') eq 't';
			}), "$how: the reader of $db comes to the end");
		is($two->safe_psql($db, 'SELECT count(*) > 100, count(*) FILTER (WHERE s.id IS NULL) FROM item LEFT JOIN seen AS s USING (id)'),
			't|0', "$how: and has missed no row");
	}
	is( $two->safe_psql('a', q{SELECT count(query_to_xml('TABLE ' || oid::regclass, true, false, '')) FROM pg_class
		WHERE relnamespace = 'public'::regnamespace AND relkind = 'v'}), 6, "$how: the views of users work");

	# Too late: 2.0's library with 2.1's script.
	$exchange->($two, '2.0');
	like(($two->psql('a', 'TABLE gid.stat_blocks'))[2], qr/could not find function "gid_stat_get_blocks" in file/,
		"$how: after the update, 2.0's library refuses what it has not");
	$_->stop for $one, $two;
	return;
}

rolling($_) for 0, 1;

# --- 3. A fleet of both versions -----------------------------------------------

sub uri
{
	my ($node) = @_;

	return sprintf 'postgresql:///postgres?host=%s&port=%d&user=gid_fleet', $node->host, $node->port;
}

my @fleet = map {
	server("fleet_$_", "2.$_", 'gid.authority = ' . ($_ + 1) . "\ngid.node_first = @{[300 + 100 * $_]}\ngid.node_lease = 15s")
} 0, 1;

foreach my $node (@fleet)
{
	gid_set($node, 'gid.node_authority', "'" . uri($_) . "'") for grep { $_ != $node } @fleet;
	$node->start;
	$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid VERSION '2.0';
CREATE SEQUENCE invoice;
CREATE ROLE gid_fleet LOGIN;
GRANT USAGE ON SEQUENCE invoice TO gid_fleet;
GRANT EXECUTE ON FUNCTION gid.authority_node(uuid, int, timestamptz, timestamptz, timestamptz, int), gid.authority_confirm(),
	gid.authority_generator(int) TO gid_fleet;
EOS
}

# One server draws from the other.
my %gdids;

sub fetch
{
	my ($n, $when) = @_;
	my ($client, $from) = @fleet[ $n, 1 - $n ];
	my $name = "$when, 2.$n asks 2." . (1 - $n);
	my $settings = "LOAD 'gid'; SET gid.authorities = '@{[uri($from)]}'; SET gid.decimal_authority = '@{[uri($from)]}';"
	  . " SET gid.launch_id = 7$n";
	my @ids = split /\n/, $client->safe_psql('postgres', "$settings; SELECT gid_next_gdid('invoice') FROM generate_series(1, 2000)");

	$gdids{$_}++ for @ids;
	is(scalar(grep { /^0:@{[2 - $n]}:/ } @ids), 2000, "$name: it gets blocks");
	like($client->safe_psql('postgres', "$settings; SELECT gid_decimal_id()"), qr/^\d+$/, "$name: and a generator number");
	my ($lease, $number) = "SELECT until FROM gid.stat_node_leases WHERE is_held";

	ok( defined wait_until(HANG, sub {
			(my $rc, $number) = $client->psql('postgres', 'SELECT gid_extract_trace_node(gid_trace_id())');
			return $rc == 0;
		}), "$name: and a node number");
	is($number, $n ? 300 : 400, "$name: the other server's first one");
	my $until = $from->safe_psql('postgres', $lease);

	ok( defined wait_until(HANG, sub {
			return $client->safe_psql('postgres', 'SELECT gid_extract_trace_node(gid_trace_id())') eq $number
			  && $from->safe_psql('postgres', $lease) gt $until;
		}), "$name: whose lease it extends");
	return;
}

fetch($_, "2.0's script") for 0, 1;
$fleet[1]->safe_psql('postgres', $UPDATE);
fetch($_, 'updated') for 0, 1;
none('no GDID comes twice', grep { $gdids{$_} > 1 } keys %gdids);
$_->stop for @fleet;

# --- 4. pg_upgrade, and a dump ---------------------------------------------------

my ($from, $to) = (server('from', '2.0'), server('to', '2.1', undef, force_initdb => 1));
my $INSERT = "INSERT INTO made SELECT FROM generate_series(1, 100)";
my $LEASE = q{SELECT count(node) FROM gid.authority_node(gen_random_uuid(), NULL, NULL, date_trunc('second', now()),
	date_trunc('second', now()) + '1 min', 1023)};

$from->start;
$from->safe_psql('postgres', 'CREATE DATABASE shop');
$from->safe_psql('shop', <<"EOS");
CREATE EXTENSION gid;
CREATE SEQUENCE made_no;
CREATE TABLE made (next bigint PRIMARY KEY DEFAULT gid_next('made_no'), id bigint UNIQUE DEFAULT gid_decimal_id(),
	gdid gdid UNIQUE DEFAULT gid_next_gdid('made_no'), v7 uuid UNIQUE DEFAULT gid_uuid_v7());
CREATE VIEW mine AS SELECT * FROM gid.columns;
$INSERT;
SELECT gid.authority_resume();
EOS
is($from->safe_psql('shop', $LEASE), '1', '2.0 leases a node number');
my ($rows, $dump) = ('SELECT md5(string_agg(made::text, chr(10) ORDER BY next)) FROM made WHERE next <= 100', "$work/shop.dump");
my $before = $from->safe_psql('shop', $rows);

run_command([ $from->install_path . '/bin/pg_dump', '-Fc', '-f', $dump, '-d', $from->connstr('shop') ]);
$from->stop;

# The unique columns are the judge.
sub goes_on
{
	my ($db, $version, $name) = @_;

	is($to->safe_psql($db, $VERSION), $version, "$name: version $version");
	is($to->safe_psql($db, $rows), $before, "$name: the rows are there");
	foreach my $script ($version eq '2.0' ? ('', $UPDATE) : '')
	{
		my $with = $script ? "$name, updated" : $name;

		$to->safe_psql($db, "$script; $INSERT; TABLE mine");
		is($to->safe_psql($db, 'SELECT min(next) > 100 FROM (SELECT next FROM made ORDER BY v7 DESC LIMIT 100) AS s'), 't',
			"$with: values go on");
		is($to->safe_psql($db, $LEASE), '0', "$with: the authority of node numbers waits");
	}
	return;
}

{
	local %ENV = %ENV;
	delete @ENV{qw(PGHOST PGPORT PGUSER)};
	chdir $work or die "$work: $!";
	command_ok([
			$to->install_path . '/bin/pg_upgrade', '-b', $from->install_path . '/bin', '-B', $to->install_path . '/bin',
			'-d', $from->data_dir, '-D', $to->data_dir, '-p', $from->port, '-P', $to->port, '-s', $work, '-U', $SUPERUSER
		], 'pg_upgrade');
}
$to->start;
goes_on('shop', '2.0', 'pg_upgrade');
foreach my $version ('2.0', '2.1')
{
	my $db = 'restored_' . ($version =~ s/\.//r);

	$to->safe_psql('postgres', "CREATE DATABASE $db");
	$to->safe_psql($db, "CREATE EXTENSION gid VERSION '2.0'") if $version eq '2.0';
	command_ok([ $to->install_path . '/bin/pg_restore', '-e', '-d', $to->connstr($db), $dump ], "a dump is restored, $version");
	goes_on($db, $version, "restored, $version");
}
$to->stop;
done_testing();
