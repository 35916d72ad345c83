# The recipe of doc/serving-nextval.md, "A nextval() that is safe end to end":
# its checks return a row for whatever is not safe, and none when all is.  With
# it a value that nextval() gave does not come again after a failover, although
# commits do not wait; a sequence that gid does not serve shows that the
# failover of this test repeats values.
#
# SQL alone cannot test this: it needs a standby that is away, and a promotion.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# The blocks of the recipe, in their order.
my ($on, $check, $waits, $off) = slurp_file("$FindBin::RealBin/../../doc/serving-nextval.md") =~
  /^<!-- test: run by 056_safe_nextval -->\n```sql\n(.*?)^```$/msg;

# Draws as an application does, in sessions that commit without waiting.
my $DRAW = q{INSERT INTO orders DEFAULT VALUES RETURNING id};
my $UNSERVED = q{SET gid.serve_nextval = off; SELECT nextval('other') FROM generate_series(1, 100)};

# The skip of the new timeline shall not help.
my $primary = gid_node('primary', <<'EOC', allows_streaming => 1);
shared_preload_libraries = 'gid'
synchronous_commit = local
gid.timeline_skip = 0
EOC
$primary->start;
$primary->safe_psql('postgres', 'CREATE DATABASE app');
$primary->safe_psql('app', 'CREATE TABLE orders (id bigserial PRIMARY KEY); CREATE SEQUENCE other');
$primary->backup('backup');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'backup', has_streaming => 1);
$standby->start;

sub distinct
{
	my (@values) = @_;
	my %seen;

	return !grep { $seen{$_}++ } @values;
}

sub checks
{
	my ($set) = @_;

	return $primary->safe_psql('app', ($set // '') . $check);
}

$primary->safe_psql('app', 'CREATE EXTENSION gid');
is(checks(), "orders_id_seq|id|gid.serve_nextval is off\nno standby confirms", 'before, the checks say what is missing');
$primary->safe_psql('app', $on);
gid_reload($primary, 'synchronous_standby_names', 'ANY 1 (*)');
$primary->poll_query_until('postgres', "SELECT sync_state = 'quorum' FROM pg_stat_replication") or die 'the standby does not confirm';
is(checks(), '', 'then they say nothing');
gid_reload($primary, 'gid.wait_for_standbys', 'off');
is(checks(), 'nothing waits for standbys', 'a gate that is off is shown');
gid_reload($primary, 'gid.wait_for_standbys', 'on');

# Values are drawn until the standby, which is away, has to confirm one.
my $application = session($primary, 'app');
my $waiter = session($primary, 'app');
my @given;

push @given, $application->safe($DRAW) for 1 .. 5;
$primary->wait_for_catchup($standby, 'flush', $primary->lsn('flush'));
$standby->stop;
$waiter->send("SET application_name = 'waiter'; $DRAW; $DRAW; $DRAW; $DRAW; $DRAW");
$primary->poll_query_until('postgres',
	"SELECT count(*) = 1 FROM pg_stat_activity WHERE application_name = 'waiter' AND wait_event = 'SyncRep'")
  or die 'no draw waits';
ok(wait_until(60, sub { $primary->safe_psql('postgres', $waits) ne '' }), 'the monitor shows the session that waits');
my @unserved = split /\n/, $primary->safe_psql('app', $UNSERVED);

kill9_server($primary);
push @given, ((last_words($waiter))[0] =~ /(\d+)/g);
end_session($_) for $application, $waiter;

$standby->start;
my $reader = session($standby, 'app');

error_like(($reader->query($DRAW))[1], '25006', 'a standby does not draw', no_detail => 1, no_hint => 1);
$standby->promote;
my @again = split /\n/, $reader->safe("$DRAW; " x 50);

end_session($reader);
ok(@again == 50 && distinct(@again, @given), 'after the failover no value of the application comes again')
  or diag("had @given; promoted: @again");
ok(!distinct(@unserved, split /\n/, $standby->safe_psql('app', $UNSERVED)), 'those of a nextval() that is not served do');
$standby->safe_psql('app', $off);
is($standby->safe_psql('app', 'SELECT served FROM gid.columns'), 'f', 'and the way back is one statement');
$standby->stop;
done_testing();
