# Each alert of doc/operations.md gives rows when what it warns of has happened, and
# none before.  Its query runs alone in a new session, by the database's owner, who is
# no superuser, and by a role with pg_monitor.
#
# SQL alone cannot test this: it needs a clock that was set back, and a restart.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The statements of the manual's block, without its comments.
my ($block) = slurp_file("$FindBin::RealBin/../../doc/operations.md") =~
  /^<!-- test: run by 037_alerts -->\n```sql\n(.*?)^```$/ms;
my @alerts = ($block =~ s/^--.*\n//mgr) =~ /([^;]+);\n/g;

is(scalar @alerts, 4, 'doc/operations.md has the alerts that the test brings about');

my $node = gid_node('main');

# Checks what each alert gives to both roles.
sub alerts
{
	my ($expected, $name) = @_;

	foreach my $sql (@alerts)
	{
		like($node->safe_psql('shop', $sql, extra_params => [ '-U', $_ ]), $expected, "$name, $_: $sql")
		  for 'shop_owner', 'collector';
	}
	return;
}

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE shop_owner LOGIN;
CREATE ROLE collector LOGIN IN ROLE pg_monitor;
CREATE DATABASE shop OWNER shop_owner;
EOS
$node->safe_psql('shop', 'CREATE EXTENSION gid', extra_params => [ '-U', 'shop_owner' ]);
$node->safe_psql('shop', <<'EOS');
CREATE SEQUENCE short MAXVALUE 1000;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public, gid TO collector, shop_owner;
SELECT gid_uuid_v7(), gid_decimal_id(), gid_next('short');
EOS
alerts(qr/^$/, 'nothing has happened');

$node->stop;
gid_set($node, 'gid.max_sequences', 10);
clock_write_words($node, map { $_ => word_at($_, time + 3600) } @ORDERED);
$node->start;
$node->safe_psql('shop', <<'EOS');
SELECT gid_uuid_v7();
SELECT gid_next('short') FROM generate_series(1, 950);
SELECT setval('gid.decimal_generator', 6599990);
SELECT gid_decimal_id();

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
alerts(qr/./, 'it has happened');

$node->stop;
done_testing();
