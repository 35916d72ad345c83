# Logical replication: ids arrive as they were made, and nothing comes twice after a
# switch-over with the steps of the manual's chapter, which are read from there.
#
# SQL alone cannot test this: it needs two servers, and three for pg_createsubscriber.
#
# Before PostgreSQL 19 sequences are copied by setval().  Two servers that write need 16,
# pg_createsubscriber 17.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Blocks of a sequence with this CACHE have as many values, whatever the rate.
use constant CACHE => 100;

my $chapter = slurp_file("$FindBin::RealBin/../../doc/logical-replication.md");
my $VERSION = pg_config_of('pg_config', 'version') =~ /^PostgreSQL (\d+)/ ? $1 : 0;

# The SQL block of the chapter that has this text.
sub step
{
	my ($text) = @_;
	my @found = grep { /\Q$text\E/ } $chapter =~ /^<!-- test: run by 039_logical -->\n```sql\n(.*?)^```$/msg;

	die "the chapter does not have one block with: $text" unless @found == 1;
	return $found[0];
}

# --- servers and sequences ------------------------------------------------

my $CONF = <<'EOC';
wal_level = logical
max_wal_senders = 10
max_replication_slots = 10
wal_retrieve_retry_interval = 200ms
EOC

my $old = gid_node('old', $CONF, allows_streaming => 1);
my $new = gid_node('new', "${CONF}gid.node_no = 2\n", allows_streaming => 1);

# A value of each sequence, and of the generator numbers.
my $DRAW = <<'EOS';
SELECT 's_next', gid_next('s_next');
SELECT 's_down', gid_next('s_down');
SELECT 's_gdid', gid_next_gdid('s_gdid');
SELECT 's_code', gid_next_code('s_code', '000000');
SELECT 's_mixed', gid_next('s_mixed');
SELECT 's_mixed', nextval('s_mixed');
SELECT 'decimal', gid_extract_decimal_generator(gid_decimal_id());
EOS
# Rows with an id of each family.
my $OBJECTS = <<"EOS";
CREATE EXTENSION gid;
CREATE SEQUENCE s_next CACHE @{[CACHE]};
CREATE SEQUENCE s_down INCREMENT BY -3 CACHE @{[CACHE]};
CREATE SEQUENCE s_gdid CACHE @{[CACHE]};
CREATE SEQUENCE s_code CACHE @{[CACHE]};
CREATE SEQUENCE s_mixed;
CREATE SEQUENCE "an 'odd' %s";
CREATE TABLE made (
	gdid gdid PRIMARY KEY DEFAULT gid_next_gdid('s_gdid'),
	@{[map { "$_ $TYPE{$_} NOT NULL DEFAULT $CALL{$_}," } @FAMILIES]}
	next bigint NOT NULL DEFAULT gid_next('s_next'),
	code text NOT NULL DEFAULT gid_next_code('s_code', '000000'),
	n int);
EOS
my $ROWS = q{SELECT count(*), md5(string_agg(made::text, ' ' ORDER BY gdid)) FROM made};
my $TABLES = q{SELECT DISTINCT format('%I.%I', schemaname, tablename) FROM pg_publication_tables WHERE pubname = 'moving' ORDER BY 1};

# Draws from each sequence, and adds the values to those of a server.
sub draw
{
	my ($session, $values, $n) = @_;

	$values->{$_} = 1 for split /\n/, $session->safe($DRAW x $n);
	return;
}

sub repeating
{
	my ($one, $other) = @_;

	return grep { $one->{$_} } keys %$other;
}

my $PUBLICATION = $VERSION >= 19 ? step('ALL SEQUENCES') : step('FOR TABLE orders') =~ s/orders, customers/made/r;
my $LAST_VALUES = step('FROM pg_sequences');

sub subscribe
{
	my ($from, $to, $db, $name, $options) = @_;

	$to->safe_psql($db, "CREATE SUBSCRIPTION $name CONNECTION '@{[$from->connstr]} dbname=$db' PUBLICATION moving"
		  . " WITH ($options)");
	return;
}

sub comes_true
{
	my ($node, $db, $sql, $name) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	ok($node->poll_query_until($db, $sql), $name);
	return;
}

# Copies the sequences from one server to another, as the chapter says.
sub copy_sequences
{
	my ($from, $to) = @_;

	if ($VERSION >= 19)
	{
		$to->safe_psql('shop', step('REFRESH SEQUENCES'));
		$to->poll_query_until('shop', step('srsubstate')) or die 'the sequences are not copied';
	}
	else
	{
		$to->safe_psql('shop', $from->safe_psql('shop', step('pg_catalog.setval')));
	}
	return;
}

foreach my $node ($old, $new)
{
	$node->start;
	$node->safe_psql('postgres', 'CREATE DATABASE shop');
	$node->safe_psql('shop', $OBJECTS);
}

# --- 1. Rows ---------------------------------------------------------------

# Both servers have open blocks.
my $at_old = session($old, 'shop');
my $at_new = session($new, 'shop');
my (%given_old, %unused);

draw($at_old, \%given_old, 3);
draw($at_new, \%unused, 1);
$old->safe_psql('shop', q{ALTER SEQUENCE "an 'odd' %s" RESTART 1000; SELECT nextval('"an ''odd'' %s"')});
$old->safe_psql('shop', 'INSERT INTO made (n) SELECT generate_series(1, 20)');
$old->safe_psql('shop', 'CREATE PUBLICATION moving FOR ALL TABLES');
is($old->safe_psql('shop', "$TABLES; DROP PUBLICATION moving"),
	"gid.node_leases\ngid.node_writer\npublic.made", 'FOR ALL TABLES takes the tables of node leases');
$old->safe_psql('shop', step('IN SCHEMA'));
is($old->safe_psql('shop', "$TABLES; DROP PUBLICATION moving"), 'public.made', 'TABLES IN SCHEMA does not');
$old->safe_psql('shop', $PUBLICATION);
is($old->safe_psql('shop', $TABLES), 'public.made', "the chapter's publication does not");
subscribe($old, $new, 'shop', 'moving', 'binary = true');
comes_true($new, 'shop', 'SELECT count(*) = 20 FROM made', 'existing rows are copied');
$old->safe_psql('shop', <<'EOS');
INSERT INTO made (n) SELECT generate_series(21, 40);
UPDATE made SET n = -n WHERE gdid IN (SELECT gdid FROM made WHERE n % 3 = 0);
DELETE FROM made WHERE n % 5 = 0;
EOS
$old->wait_for_catchup('moving');
is($new->safe_psql('shop', $ROWS), $old->safe_psql('shop', $ROWS), 'ids of every family arrive as they were made');

# --- 2. What a copy of the sequences does ------------------------------------

my $end = $old->safe_psql('shop', 'SELECT last_value FROM s_next');
my %first;

copy_sequences($old, $new);
is($new->safe_psql('shop', $LAST_VALUES), $old->safe_psql('shop', $LAST_VALUES),
	'what was reserved is copied, beyond what was given');
draw($at_new, \%first, 1);
ok($first{ 's_next|' . ($end + 1) }, 'the open block of the new server ends, it continues behind that of the old one');
none('so do the others', repeating(\%given_old, \%first));
end_session($at_new);

# --- 3. Leases of node numbers -----------------------------------------------

my $LEASE = "SELECT node FROM gid.authority_node(gen_random_uuid(), NULL, NULL,"
  . " date_trunc('second', now()), date_trunc('second', now()) + interval '1 minute', 1023)";

$_->safe_psql('postgres', 'CREATE DATABASE fleet') for $old, $new;
$_->safe_psql('fleet', 'CREATE EXTENSION gid') for $old, $new;
my $leased = $old->safe_psql('fleet', $LEASE);

is($new->safe_psql('fleet', $LEASE), $leased, 'a new authority does not know the leases of the old one');
gid_reload($new, 'gid.node_first', $leased + 1);
isnt($new->safe_psql('fleet', $LEASE), $leased, 'it gives other numbers with gid.node_first');

# --- 4. Two servers that write -----------------------------------------------

SKIP:
{
	skip 'two servers that write need PostgreSQL 16', 1 if $VERSION < 16;

	my @odd_and_even = split /\n/, step('INCREMENT 2');

	foreach my $node ($old, $new)
	{
		my $launch = $node == $old ? 70 : 71;

		$node->safe_psql('postgres', 'CREATE DATABASE pair');
		$node->safe_psql('pair', $OBJECTS . shift(@odd_and_even) . <<"EOS");
ALTER TABLE made ADD apart bigint DEFAULT gid_next('order_no');
ALTER DATABASE pair SET gid.launch_id = $launch;
CREATE PUBLICATION moving FOR TABLE made;
EOS
	}
	gid_reload($new, 'gid.authority', 1);
	subscribe($old, $new, 'pair', 'to_new', 'origin = none, copy_data = false');
	subscribe($new, $old, 'pair', 'to_old', 'origin = none, copy_data = false');
	$_->safe_psql('pair', 'INSERT INTO made (n) SELECT generate_series(1, 50)') for $old, $new;
	comes_true($_, 'pair', 'SELECT count(*) = 100 FROM made', $_->name . ' has the rows of both') for $old, $new;
	is($old->safe_psql('pair', "SELECT count(DISTINCT $_) FROM made"), 100, "$_: nothing comes twice")
	  for 'gdid', @FAMILIES, 'apart';
	is($old->safe_psql('pair', 'SELECT count(DISTINCT next), count(DISTINCT code) FROM made'),
		'50|50', 'every value of gid_next() and every code comes twice');
	$new->safe_psql('pair', 'DROP SUBSCRIPTION to_new');
	$old->safe_psql('pair', 'DROP SUBSCRIPTION to_old');
	gid_reload($new, 'gid.authority', 0);
}

# --- 5. The switch-over --------------------------------------------------------

draw($at_old, \%given_old, 50);
$old->safe_psql('shop', step('default_transaction_read_only'));
$old->poll_query_until('shop', "SELECT current_setting('default_transaction_read_only') = 'on'") or die;
$old->safe_psql('shop', step('pg_terminate_backend'));
comes_true($old, 'shop', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'",
	'all other sessions on the old server have ended');
end_session($at_old);
sql_fails($old, 'shop', "SELECT gid_next('s_next')", '25006', 'and new ones cannot draw', no_detail => 1, no_hint => 1);

my ($stop, $applied) = step('confirmed_flush_lsn') =~ /^(.*)\\gset\n(.*)$/s;
my $stopped = $old->safe_psql('shop', "$stop;");

comes_true($old, 'shop', $applied =~ s/:'stopped'/'$stopped'/r, 'the new server has all rows');
copy_sequences($old, $new);
is($new->safe_psql('shop', $LAST_VALUES), $old->safe_psql('shop', $LAST_VALUES), 'all sequences are equal');
$new->safe_psql('shop', 'DROP SUBSCRIPTION moving');

# The new server has made DecimalIds before.
$new->restart;

my %after;

$at_new = session($new, 'shop');
draw($at_new, \%after, 2 * CACHE);
none('nothing comes twice after the switch-over', repeating(\%given_old, \%after));
$new->safe_psql('shop', 'INSERT INTO made (n) SELECT generate_series(1, 100)');
is($new->safe_psql('shop', "SELECT count(*) - count(DISTINCT $_) FROM made"), 0, "$_: nothing comes twice in rows")
  for @FAMILIES, @DRAWN;

# --- 6. pg_createsubscriber ----------------------------------------------------

SKIP:
{
	skip 'pg_createsubscriber needs PostgreSQL 17', 1 if $VERSION < 17;

	my $copy = PostgreSQL::Test::Cluster->new('copy');

	$new->backup('backup');
	$copy->init_from_backup($new, 'backup', has_streaming => 1);
	gid_set($copy, 'gid.node_no', 3);
	$copy->start;
	draw($at_new, \%after, 3);
	$new->safe_psql('shop', $PUBLICATION);
	$new->wait_for_catchup($copy);
	$copy->stop;
	command_ok(
		[
			'pg_createsubscriber',
			'--pgdata', $copy->data_dir,
			'--publisher-server', $new->connstr('shop'),
			'--socketdir', $copy->host,
			'--subscriber-port', $copy->port,
			'--database', 'shop',
			'--subscription', 'moving',
			'--publication', $VERSION >= 19 ? 'moving' : 'all_tables',
		],
		'pg_createsubscriber');
	$copy->start;
	$copy->safe_psql('shop', step('SET PUBLICATION')) if $VERSION < 19;
	$new->safe_psql('shop', 'INSERT INTO made (n) VALUES (1000)');
	$new->wait_for_catchup('moving');
	is($copy->safe_psql('shop', $ROWS), $new->safe_psql('shop', $ROWS), 'it gets the rows');

	my $at_copy = session($copy, 'shop');
	my %first_copy;

	draw($at_copy, \%first_copy, 1);
	none('it passes over values, so that nothing comes twice at first', repeating(\%after, \%first_copy));
	end_session($at_copy);
	is($copy->safe_psql('fleet', $LEASE), '', 'it leases no node number for a while');
	copy_sequences($new, $copy);
	is($copy->safe_psql('shop', $LAST_VALUES), $new->safe_psql('shop', $LAST_VALUES),
		'its sequences are copied in the same way');
	$copy->stop;
}

end_session($at_new);
done_testing();
