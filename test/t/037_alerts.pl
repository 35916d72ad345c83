# Each alert of doc/operations.md gives rows when what it warns of has happened, and
# none before.  Its query runs alone in a new session, by the database's owner, who is
# no superuser, and by a role with pg_monitor, with gid preloaded and without.
#
# SQL alone cannot test this: it needs a damaged configuration, a clock that was set
# back, restarts, and other sessions.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant ERA => 1 << 60;

# The statements of the manual's block, each without its comments.
my ($block) = slurp_file("$FindBin::RealBin/../../doc/operations.md") =~
  /^<!-- test: run by 037_alerts -->\n```sql\n(.*?)^```$/ms;
my @alerts = ($block =~ s/^--.*\n//mgr) =~ /([^;]+);\n/g;

# What each of them warns of, by a word of it: what the configuration says from a
# restart on, and what a superuser does then.
my %cause = (
	'sequencename, last_value' => {
		sql => 'CREATE SEQUENCE short MAXVALUE 1000;'
		  . " SELECT gid_next('short') FROM generate_series(1, 950)"
	},
	'AS launch' =>
	  { sql => "SELECT setval('gid.decimal_generator', 6599990); SELECT gid_decimal_id()" },
	'gid.stat_clock' => { clock => 3600, sql => 'SELECT gid_uuid_v7()' });

# What an alert gives: rows, and errors and warnings.
sub alert
{
	my ($node, $role, $sql) = @_;
	my ($rc, $out, $err) =
	  $node->psql('shop', $sql, extra_params => [ '-U', $role ]);

	return ($out, $err);
}

foreach my $preload (0, 1)
{
	my $node = gid_node($preload ? 'preloaded' : 'plain',
		$preload ? "shared_preload_libraries = 'gid'" : undef);
	my $with = $preload ? 'preloaded' : 'not preloaded';

	$node->start;
	$node->safe_psql('postgres', <<'EOS');
CREATE ROLE shop_owner LOGIN;
CREATE ROLE collector LOGIN IN ROLE pg_monitor;
CREATE DATABASE shop OWNER shop_owner;
EOS
	$node->safe_psql('shop', 'CREATE EXTENSION gid',
		extra_params => [ '-U', 'shop_owner' ]);
	$node->safe_psql('shop',
		'ALTER DEFAULT PRIVILEGES GRANT SELECT ON SEQUENCES TO shop_owner, collector;'
		  . ' GRANT SELECT ON ALL SEQUENCES IN SCHEMA public, gid TO collector');
	$node->safe_psql('shop', 'SELECT gid_uuid_v7(), gid_decimal_id()');

	foreach my $role ('shop_owner', 'collector')
	{
		is(join('', alert($node, $role, $_)), '', "$with, $role, nothing has happened: $_")
		  for @alerts;
	}

	my @left = @alerts;

	$node->stop;
	foreach my $cause (values %cause)
	{
		$node->append_conf('postgresql.conf', $cause->{conf}) if $cause->{conf};
		clock_write_words($node,
			map { $_ => word_at($_, time + $cause->{clock}) } @ORDERED)
		  if $cause->{clock};
	}
	$node->start;
	$node->safe_psql('shop', $_->{sql}) for grep { $_->{sql} } values %cause;
	foreach my $words (sort keys %cause)
	{
		my ($sql, @more) = grep { /$words/s } @alerts;

		ok(defined $sql && !@more, "an alert is known by: $words") or next;
		@left = grep { $_ ne $sql } @left;
		foreach my $role ('shop_owner', 'collector')
		{
			my ($out, $err) = alert($node, $role, $sql);

			isnt($out, '', "$with, $role: $sql") or diag($err);
			unlike($err, qr/ERROR/, 'without an error');
		}
	}
	is("@left", '', 'no alert is left');
	$node->stop;
}

done_testing();
