# Each alert of doc/operations.md gives rows when what it warns of has happened, and
# none before.  Its query runs alone in a new session, by a role that has pg_monitor and
# no other right.  The dashboard of doc/monitoring has the metrics of gid.metrics.
#
# SQL alone cannot test this: it needs a clock that was set back, a restart, and sessions
# that hold locks.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $doc = "$FindBin::RealBin/../../doc";
my $chapter = slurp_file("$doc/operations.md");

# The statements of the manual's block, without its comments, and its loop.
my ($block) = $chapter =~ /^<!-- test: run by 037_alerts -->\n```sql\n(.*?)^```$/ms;
my ($loop) = $chapter =~ /^<!-- test: run by 037_alerts -->\n```sh\n(.*?)^```$/ms;
my @alerts = ($block =~ s/^--.*\n//mgr) =~ /([^;]+);\n/g;

is(scalar @alerts, 8, 'doc/operations.md has the alerts that the test brings about');

my $node = gid_node('main');

# Checks what each alert gives.  Nothing is held for five minutes here.
sub alerts
{
	my ($expected, $name) = @_;

	foreach my $sql (map { s/> 300\b/> 0/r } @alerts)
	{
		like($node->safe_psql('shop', $sql, extra_params => [ '-U', 'collector' ]), $expected, "$name: $sql");
	}
	return;
}

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE shop_owner LOGIN;
CREATE ROLE collector LOGIN IN ROLE pg_monitor;
CREATE DATABASE shop OWNER shop_owner;
CREATE DATABASE "without_gid host=elsewhere";
EOS
$node->safe_psql('shop', 'CREATE EXTENSION gid', extra_params => [ '-U', 'shop_owner' ]);
$node->safe_psql('shop', <<'EOS', extra_params => [ '-U', 'shop_owner' ]);
CREATE SCHEMA hidden;
CREATE SEQUENCE hidden.long;
CREATE TABLE hidden.t (id int PRIMARY KEY DEFAULT nextval('hidden.long'));
SELECT gid_uuid_v7(), gid_decimal_id(), gid_next('hidden.long');
EOS
alerts(qr/^$/, 'nothing has happened');

$node->stop;
gid_set($node, 'gid.max_sequences', 10);
clock_write_words($node, map { $_ => word_at($_, time + 3600) } @ORDERED);
$node->start;
$node->safe_psql('shop', <<'EOS');
CREATE SEQUENCE hidden.short MAXVALUE 1000;
CREATE TABLE hidden.behind (id serial PRIMARY KEY);
INSERT INTO hidden.behind VALUES (1);
CREATE TABLE hidden.unknown (id int PRIMARY KEY DEFAULT nextval('hidden.long'::text));
CREATE TABLE hidden.locked (id serial PRIMARY KEY);
SELECT gid_uuid_v7();
SELECT setval('hidden.long', 2100000000), setval('hidden.short', 950);
SELECT setval('gid.decimal_generator', 6599990);
SELECT gid_decimal_id();
SELECT format('CREATE SEQUENCE hidden.followed_%s; SELECT gid_horizon(''hidden.followed_%s'')', n, n) FROM generate_series(1, 65) AS n \gexec

-- More than twice the number of connections and workers.
DO $$
BEGIN
	FOR i IN 1 .. 600 LOOP
		EXECUTE format('CREATE SEQUENCE many_%s', i);
		PERFORM gid_next(format('many_%s', i)::regclass);
		COMMIT;
	END LOOP;
END $$;
EOS
my $holder = session($node, 'shop');

$holder->safe("BEGIN; LOCK TABLE hidden.locked; SELECT gid_uuid_v7()");
alerts(qr/./, 'it has happened');
is($node->safe_psql('shop', "SELECT string_agg(metric, ' ' ORDER BY metric) FROM gid.metrics WHERE value > 0.9 AND metric ~ 'used'",
	extra_params => [ '-U', 'collector' ]), 'gid_columns_used_max gid_decimal_launch_used gid_sequences_used_max',
	'an int column of a bigint sequence, a sequence without a column and a launch run out');

# --- the loop over databases -----------------------------------------------

my ($rows, $errors) = with_env({ PGHOST => $node->host, PGPORT => $node->port, PGUSER => 'collector' },
	sub { return run_command([ 'sh', '-c', $loop ]) });

like($rows, qr/^shop\|gid_columns_behind\|\|1$/m, 'the loop shows the database that has gid');
unlike($rows, qr/without_gid/, '... and passes over the others');
is($errors, '', '... whatever their names are');

# --- the dashboard ---------------------------------------------------------

# A server without a lease has no row for it, so the view's text is read.
my %metrics = map { $_ => 1 } $node->safe_psql('shop', "SELECT pg_get_viewdef('gid.metrics')") =~ /'(gid_\w+)'/g;
my %shown = map { $_ => 1 } slurp_file("$doc/monitoring/grafana.json") =~ /\b(gid_\w+)/g;

is_deeply([ sort keys %shown ], [ sort keys %metrics ], 'the dashboard shows the metrics of gid.metrics, and no others');
none('gid.metrics has the rows that its text names',
	grep { $_ ne 'gid_node_lease_remaining_seconds' && $node->safe_psql('shop', "SELECT count(*) FROM gid.metrics WHERE metric = '$_'") == 0 }
	sort keys %metrics);

end_session($holder);
$node->stop;
done_testing();
