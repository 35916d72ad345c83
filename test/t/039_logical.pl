# Logical replication: what the manual's chapter on it says comes twice and what does
# not, and its steps of a switch-over, which are read from the chapter.
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
use List::Util;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Blocks of a sequence with this CACHE have as many values, whatever the rate.
use constant CACHE => 100;

# How many values the server that pg_createsubscriber makes skips.
use constant TIMELINE_SKIP => 1000;

my $chapter = slurp_file("$FindBin::RealBin/../../doc/logical-replication.md");
my $VERSION = pg_config_of('pg_config', 'version') =~ /^PostgreSQL (\d+)/ ? $1 : 0;

# --- the chapter -----------------------------------------------------------

# The SQL block of the chapter that has this text.
sub step
{
	my ($text) = @_;
	my @found = grep { /\Q$text\E/ }
	  $chapter =~ /^<!-- test: run by 039_logical -->\n```sql\n(.*?)^```$/msg;

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
my @FIXED = qw(s_next s_down s_gdid s_code);
my @COUNTED = (@FIXED, 's_mixed', 'decimal');
my $DRAW = <<'EOS';
SELECT 's_next', gid_next('s_next');
SELECT 's_down', gid_next('s_down');
SELECT 's_gdid', gid_next_gdid('s_gdid');
SELECT 's_code', gid_next_code('s_code', '000000');
SELECT 's_mixed', gid_next('s_mixed');
SELECT 's_mixed', nextval('s_mixed');
SELECT 'decimal', gid_extract_decimal_generator(gid_decimal_id());
EOS
my $SEQUENCES = <<"EOS";
CREATE SEQUENCE s_next CACHE @{[CACHE]};
CREATE SEQUENCE s_down INCREMENT BY -3 CACHE @{[CACHE]};
CREATE SEQUENCE s_gdid CACHE @{[CACHE]};
CREATE SEQUENCE s_code CACHE @{[CACHE]};
CREATE SEQUENCE s_mixed;
CREATE SEQUENCE "an 'odd' %s";
EOS

# The ids of a row, one of each family.
my $MADE = <<'EOS';
CREATE TABLE made (
	gdid gdid PRIMARY KEY DEFAULT gid_next_gdid('s_gdid'),
	v7 uuid NOT NULL DEFAULT gid_uuid_v7(),
	sequential uuid NOT NULL DEFAULT gid_uuid_sequential(),
	shard uuid NOT NULL DEFAULT gid_uuid_shard(7),
	trace bigint NOT NULL DEFAULT gid_trace_id(),
	snowflake bigint NOT NULL DEFAULT gid_snowflake_id(),
	"decimal" bigint NOT NULL DEFAULT gid_decimal_id(),
	next bigint NOT NULL DEFAULT gid_next('s_next'),
	code text NOT NULL DEFAULT gid_next_code('s_code', '000000'),
	n int);
EOS
my $ROWS = q{SELECT count(*), md5(string_agg(made::text, ' ' ORDER BY gdid)) FROM made};

# Draws from each sequence in a session; adds the values to those that %$values has.
sub draw
{
	my ($session, $values, $n) = @_;

	foreach my $line (split /\n/, $session->safe($DRAW x $n))
	{
		my ($name, $value) = split /\|/, $line;

		push @{ $values->{$name} }, $value;
	}
	return;
}

# The values of one sequence that are in both lists.
sub repeats
{
	my ($one, $other, $name) = @_;
	my %seen = map { $_ => 1 } @{ $one->{$name} };

	return grep { $seen{$_} } @{ $other->{$name} };
}

# The sequences of which values are in both lists.
sub repeating
{
	my ($one, $other) = @_;

	return join ' ', grep { repeats($one, $other, $_) } @COUNTED;
}

# --- replication -----------------------------------------------------------

my $PUBLICATION = $VERSION >= 19
  ? step('ALL SEQUENCES') : step('FOR TABLE orders') =~ s/orders, customers/made/r;
my $READY = step('srsubstate');
my $LAST_VALUES = step('FROM pg_sequences');

sub subscribe
{
	my ($from, $to, $db, $name, $options) = @_;

	$to->safe_psql($db, "CREATE SUBSCRIPTION $name CONNECTION '@{[$from->connstr]} dbname=$db' PUBLICATION moving"
		  . ($options ? " WITH ($options)" : ''));
	return;
}

sub wait_for
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
		$to->poll_query_until('shop', $READY) or die 'the sequences are not copied';
	}
	else
	{
		$to->safe_psql('shop', $from->safe_psql('shop', step('pg_catalog.setval')));
	}
	return;
}

$_->start for $old, $new;
$_->safe_psql('postgres', 'CREATE DATABASE shop') for $old, $new;
$_->safe_psql('shop', "CREATE EXTENSION gid; $SEQUENCES $MADE") for $old, $new;

# --- 1. Rows ---------------------------------------------------------------

# Both servers have open blocks.
my $at_old = session($old, 'shop');
my $at_new = session($new, 'shop');
my (%given_old, %unused);

draw($at_old, \%given_old, 3);
draw($at_new, \%unused, 1);
$old->safe_psql('shop', q{ALTER SEQUENCE "an 'odd' %s" RESTART 1000});

$old->safe_psql('shop', 'INSERT INTO made (n) SELECT generate_series(1, 20)');
$old->safe_psql('shop', 'CREATE PUBLICATION careless FOR ALL TABLES');
is($old->safe_psql('shop', q{SELECT format('%I.%I', schemaname, tablename) FROM pg_publication_tables ORDER BY 1}),
	"gid.node_leases\ngid.node_writer\npublic.made",
	'FOR ALL TABLES takes the tables of node leases');
$old->safe_psql('shop', 'DROP PUBLICATION careless');
$old->safe_psql('shop', step('IN SCHEMA'));
is($old->safe_psql('shop', q{SELECT format('%I.%I', schemaname, tablename) FROM pg_publication_tables}),
	'public.made', 'TABLES IN SCHEMA does not');
$old->safe_psql('shop', 'DROP PUBLICATION moving');
$old->safe_psql('shop', $PUBLICATION);
is($old->safe_psql('shop', 'SELECT tablename FROM pg_publication_tables'),
	'made', "the chapter's publication does not");
subscribe($old, $new, 'shop', 'moving', 'binary = true');
wait_for($new, 'shop', 'SELECT count(*) = 20 FROM made', 'existing rows are copied');
$old->safe_psql('shop', <<'EOS');
INSERT INTO made (n) SELECT generate_series(21, 40);
UPDATE made SET n = -n WHERE gdid IN (SELECT gdid FROM made WHERE n % 3 = 0);
DELETE FROM made WHERE n % 5 = 0;
EOS
$old->wait_for_catchup('moving');
is($new->safe_psql('shop', $ROWS), $old->safe_psql('shop', $ROWS),
	'ids of every family arrive as they were made');

# --- 1b. Defaults of the subscriber ------------------------------------------

# The apply worker fills in a column that the publisher does not have.  Its default is not
# planned, so PostgreSQL draws, beside a session that gid serves.
$_->safe_psql('postgres', 'CREATE DATABASE log') for $old, $new;
$old->safe_psql('log', 'CREATE TABLE entry (item text PRIMARY KEY); CREATE PUBLICATION moving FOR TABLE entry');
$new->safe_psql('log', "CREATE EXTENSION gid; CREATE TABLE entry (item text PRIMARY KEY, no bigserial UNIQUE);"
	  . " ALTER DATABASE log SET session_preload_libraries = 'gid'; ALTER DATABASE log SET gid.serve_nextval = on");
subscribe($old, $new, 'log', 'entries', '');
{
	my $session = session($new, 'log');

	foreach my $n (1 .. 20)
	{
		$old->safe_psql('log', "INSERT INTO entry VALUES ('applied $n'), ('and $n')");
		$session->safe("INSERT INTO entry (item) SELECT 'served $n.' || i FROM generate_series(1, 5) AS i");
	}
	$old->wait_for_catchup('entries');
	wait_for($new, 'log', 'SELECT count(*) = 140 AND count(DISTINCT no) = 140 FROM entry', 'applied and served rows have numbers of their own');
	is($session->safe(q{SELECT served FROM gid.columns WHERE sequence = 'entry_no_seq'::regclass}), 't', 'the session is served');
	end_session($session);
}
$new->safe_psql('log', 'DROP SUBSCRIPTION entries');

# --- 2. What a copy of the sequences does ------------------------------------

# The pages of the sequences.
sub pages
{
	my ($node) = @_;

	return $node->safe_psql('shop', join ' UNION ALL ',
		map { "SELECT last_value, is_called FROM $_" } @FIXED,
		's_mixed', 'gid.decimal_generator', q{"an 'odd' %s"});
}

SKIP:
{
	skip 'sequences are published from PostgreSQL 19 on', 1 if $VERSION < 19;

	is( $old->safe_psql('shop', "SELECT count(*) FROM pg_publication_sequences WHERE sequencename = 'decimal_generator'"),
		1, 'ALL SEQUENCES takes that of the generator numbers');
	wait_for($new, 'shop', $READY, 'CREATE SUBSCRIPTION copies the sequences');
	is($new->safe_psql('shop', 'SELECT last_value FROM s_next'),
		$old->safe_psql('shop', 'SELECT last_value FROM s_next'), 'and they are where the publisher is');

	# another definition
	$new->safe_psql('shop', 'ALTER SEQUENCE s_code INCREMENT 5');
	$new->safe_psql('shop', step('REFRESH SEQUENCES'));
	ok(wait_until($PostgreSQL::Test::Utils::timeout_default, sub { slurp_file($new->logfile) =~ /sequence on subscriber \("public\.s_code"\)/ }),
		'the log names a sequence that differs');
	is($new->safe_psql('shop', $READY), 'f', 'and the copy is not ready');
	$new->safe_psql('shop', 'ALTER SEQUENCE s_code INCREMENT 1');
}

copy_sequences($old, $new);
is(pages($new), pages($old), 'what was reserved is copied, beyond what was given');

my $end = $old->safe_psql('shop', 'SELECT last_value FROM s_next');
my %first;

cmp_ok($end, '>', List::Util::max(@{ $given_old{s_next} }), 'the old server has an open block');
draw($at_new, \%first, 1);
is($first{s_next}[0], $end + 1, 'the open block of the new server ends, it continues behind that of the old one');
is(repeating(\%given_old, \%first), '', 'and so does that of a generator number');

# The rest of a block, and more.
my %rest;

$rest{$_} = [ split /\n/, $at_old->safe("SELECT gid_next('$_') FROM generate_series(1, 10)") ] for qw(s_next s_down);
is(repeating(\%rest, \%first), '', 'the old server may give the rest of its blocks');
my (%more_old, %more_new);

draw($at_old, \%more_old, CACHE);
draw($at_new, \%more_new, 2 * CACHE);
$more_new{$_} = [ @{ $first{$_} }, @{ $more_new{$_} } ] for @COUNTED;
is_deeply([ grep { repeats(\%more_old, \%more_new, $_) } @FIXED ],
	\@FIXED, 'what it reserves after the copy comes twice');

my %back;

copy_sequences($old, $new);
draw($at_new, \%back, 1);
is_deeply([ grep { repeats(\%more_new, \%back, $_) } @FIXED ],
	\@FIXED, 'a copy sets back a server that is ahead');
end_session($at_new);

# --- 3. Leases of node numbers -----------------------------------------------

my $LEASE = "SELECT node FROM gid.authority_node(gen_random_uuid(), NULL, NULL,"
  . " date_trunc('second', now()), date_trunc('second', now()) + interval '1 minute', 1023)";

foreach my $node ($old, $new)
{
	$node->safe_psql('postgres', 'CREATE DATABASE fleet');
	$node->safe_psql('fleet', 'CREATE EXTENSION gid');
}
my $leased = $old->safe_psql('fleet', $LEASE);

is($new->safe_psql('fleet', $LEASE), $leased, 'a new authority does not know the leases of the old one');
gid_reload($new, 'gid.node_first', $leased + 1);
isnt($new->safe_psql('fleet', $LEASE), $leased, 'it gives other numbers with gid.node_first');

$old->safe_psql('fleet', 'CREATE PUBLICATION moving FOR ALL TABLES');
subscribe($old, $new, 'fleet', 'fleet', '');
ok( wait_until(
		$PostgreSQL::Test::Utils::timeout_default,
		sub { slurp_file($new->logfile) =~ /duplicate key value violates unique constraint "node_leases_pkey"/ }),
	'with the tables of leases a subscription stops');
$new->safe_psql('fleet', 'DROP SUBSCRIPTION fleet');

# --- 4. Two servers that write -----------------------------------------------

SKIP:
{
	skip 'two servers that write need PostgreSQL 16', 1 if $VERSION < 16;

	foreach my $i (0, 1)
	{
		my $node = ($old, $new)[$i];

		$node->safe_psql('postgres', 'CREATE DATABASE pair');
		$node->safe_psql('pair', "CREATE EXTENSION gid; $SEQUENCES $MADE");
		$node->safe_psql('pair',
			"LOAD 'gid'; ALTER DATABASE pair SET gid.launch_id = @{[70 + $i]}");
		$node->safe_psql('pair', ((split /\n/, step('INCREMENT 2'))[$i]));
		$node->safe_psql('pair', "ALTER TABLE made ADD apart bigint DEFAULT gid_next('order_no')");
		$node->safe_psql('pair', 'CREATE PUBLICATION moving FOR TABLE made');
	}
	gid_reload($new, 'gid.authority', 1);
	subscribe($old, $new, 'pair', 'to_new', 'origin = none, copy_data = false');
	subscribe($new, $old, 'pair', 'to_old', 'origin = none, copy_data = false');
	$_->safe_psql('pair', 'INSERT INTO made (n) SELECT generate_series(1, 50)') for $old, $new;
	foreach my $node ($old, $new)
	{
		wait_for($node, 'pair', 'SELECT count(*) = 100 FROM made', $node->name . ' has the rows of both');
	}
	foreach my $id (qw(gdid v7 sequential shard trace snowflake decimal apart))
	{
		is($old->safe_psql('pair', "SELECT count(DISTINCT $id) FROM made"), 100, "$id: nothing comes twice");
	}
	foreach my $id (qw(next code))
	{
		is($old->safe_psql('pair', "SELECT count(DISTINCT $id) FROM made"), 50, "$id: every value comes twice");
	}
	$new->safe_psql('pair', 'DROP SUBSCRIPTION to_new');
	$old->safe_psql('pair', 'DROP SUBSCRIPTION to_old');
	gid_reload($new, 'gid.authority', 0);
}

# --- 5. The switch-over --------------------------------------------------------

$at_new = session($new, 'shop');
draw($at_new, \%unused, 1);
draw($at_old, \%given_old, 50);
push @{ $given_old{$_} }, @{ $more_old{$_} } for @COUNTED;
push @{ $given_old{$_} }, @{ $rest{$_} } for keys %rest;

end_session($at_new);
$old->safe_psql('shop', step('default_transaction_read_only'));
$old->poll_query_until('shop', "SELECT current_setting('default_transaction_read_only') = 'on'") or die;
$old->safe_psql('shop', step('pg_terminate_backend'));
wait_for($old, 'shop', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'",
	'all other sessions on the old server have ended');
end_session($at_old);
sql_fails($old, 'shop', "SELECT gid_next('s_next')", '25006', 'and new ones cannot draw', no_detail => 1, no_hint => 1);

my ($stop, $applied) = step('confirmed_flush_lsn') =~ /^(.*)\\gset\n(.*)$/s;
my $stopped = $old->safe_psql('shop', "$stop;");

$applied =~ s/:'stopped'/'$stopped'/;
wait_for($old, 'shop', $applied, 'the new server has all rows');
copy_sequences($old, $new);
is($new->safe_psql('shop', $LAST_VALUES), $old->safe_psql('shop', $LAST_VALUES), 'all sequences are equal');
$new->safe_psql('shop', 'DROP SUBSCRIPTION moving');

# The new server has made DecimalIds before.
$new->restart;

my %after;

$at_new = session($new, 'shop');
draw($at_new, \%after, 2 * CACHE);
is(repeating(\%given_old, \%after), '', 'nothing comes twice after the switch-over');
$new->safe_psql('shop', 'INSERT INTO made (n) SELECT generate_series(1, 100)');
is($new->safe_psql('shop', "SELECT count(*) - count(DISTINCT $_) FROM made"), 0, "$_: nothing comes twice in rows")
  for qw(gdid v7 sequential shard trace snowflake decimal next code);

# --- 6. pg_createsubscriber ----------------------------------------------------

SKIP:
{
	skip 'pg_createsubscriber needs PostgreSQL 17', 1 if $VERSION < 17;

	my $copy = PostgreSQL::Test::Cluster->new('copy');

	$new->backup('backup');
	$copy->init_from_backup($new, 'backup', has_streaming => 1);
	gid_set($copy, 'gid.node_no', 3);
	gid_set($copy, 'gid.timeline_skip', TIMELINE_SKIP);
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
	is($new->safe_psql('shop', "SELECT DISTINCT tablename FROM pg_publication_tables WHERE pubname = 'moving'"),
		'made', 'and not those of leases');

	my $at_copy = session($copy, 'shop');
	my $reserved = $new->safe_psql('shop', 'SELECT last_value FROM s_next');
	my (%first_copy, %later);

	draw($at_copy, \%first_copy, 1);
	cmp_ok($first_copy{s_next}[0], '>', $reserved + 1, 'it passes over values');
	is(repeating(\%after, \%first_copy), '', 'nothing comes twice at first');
	# more than the copy skipped
	draw($at_new, \%later, CACHE) for 1 .. TIMELINE_SKIP / CACHE + 3;
	is_deeply([ grep { repeats(\%later, \%first_copy, $_) } @FIXED ], \@FIXED, 'later values come twice');
	is($copy->safe_psql('fleet', $LEASE), '', 'it leases no node number for a while');
	end_session($at_copy);
	copy_sequences($new, $copy);
	is($copy->safe_psql('shop', $LAST_VALUES), $new->safe_psql('shop', $LAST_VALUES),
		'its sequences are copied in the same way');
	$copy->stop;
}

end_session($at_new);
done_testing();
