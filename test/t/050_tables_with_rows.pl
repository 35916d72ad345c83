# Tables with rows: the recipes of doc/tables-with-rows.md, read from the chapter, while
# other sessions write.  No row is lost, none is without a key, every child row has its
# parent, every foreign key is proved.
#
# Nothing holds a long lock.  That is not timed.  Each step of a recipe is of one of two
# kinds, and has to be what it is:
#
# - A short one runs under lock_timeout, and reads no row of a table, however many rows
#   there are.  The switch gives up while another transaction has the table.
# - Any other is stopped halfway, or not yet committed, while a writer with a
#   lock_timeout writes to all tables, also child rows of a parent in the batch.
#
# SQL alone cannot test this: it needs sessions that write, and sessions that wait.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	ROWS => 2500,				# of a parent table: three batches
	WRITERS => 3,
	TRIES => 200,				# of a short step
};

my $chapter = slurp_file("$FindBin::RealBin/../../doc/tables-with-rows.md");
# In a deadlock the recipe gives way, however slow the machine is.
my $node = gid_node('main', "timezone = 'UTC'\nfsync = off\ndeadlock_timeout = 20s");

# Sequential scans are the recipe's alone: see rows_read().
$ENV{PGOPTIONS} = '-c enable_seqscan=off';

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE ROLE owner LOGIN;
CREATE ROLE writer LOGIN;
ALTER DATABASE postgres OWNER TO owner;
EOS

sub sql
{
	return $node->safe_psql('postgres', shift);
}

# --- the chapter -----------------------------------------------------------

# The statements of a section's blocks for an owner, a transaction as one.
sub statements
{
	my ($heading) = @_;
	my ($section) = $chapter =~ /^#+ \Q$heading\E\n(.*?)(?=^## |\z)/ms;
	my (@statements, $statement);

	foreach my $line (map { split /\n/ } $section =~ /^<!-- test: as owner of postgres -->\n```sql\n(.*?)^```$/msg)
	{
		next if !defined $statement && $line =~ /^\s*(--.*)?$/;
		$statement = defined $statement ? "$statement\n$line" : $line;
		next if $line !~ /;\s*(-- .*)?$|\\g(set|exec)$/;
		next if 1 == (() = $statement =~ /\$\$/g);
		next if $statement =~ /\ABEGIN;/ && $line ne 'COMMIT;';
		push @statements, $statement =~ s/;\K\s+-- .*$//mgr;
		$statement = undef;
	}
	return @statements;
}

# --- steps -----------------------------------------------------------------

# What a step needs: the owner's session, a probe, and the tables by their first names.
my ($owner, $probe, $tables);

# Rows that sequential scans have read, of tables of the recipe.  Only the owner's session
# makes such scans.
sub rows_read
{
	$owner->safe('SELECT pg_stat_force_next_flush()');
	return sql("SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables WHERE relname ~ '^($tables)'");
}

# May a writer write now?  Its error, empty if it may.
sub probe
{
	my ($write, $timeout) = @_;
	my (undef, $err) = $probe->query("SET lock_timeout = '$timeout'; $write");

	$probe->query('ROLLBACK') if $err ne '';
	return $err;
}

# Runs a statement until it gets its lock.
sub run_short
{
	my ($sql) = @_;
	my $before = rows_read();
	my $err;

	for (1 .. TRIES)
	{
		(undef, $err) = $owner->query($sql);
		last if $err !~ /55P03/;
	}
	is($err, '', 'short: ' . $sql =~ s/\n.*//sr) or die 'the recipe cannot go on';
	cmp_ok(rows_read() - $before, '<=', 0, '... and it reads no row') or die 'the recipe cannot go on';
	return;
}

# Until the owner's session waits for another one.
sub owner_waits
{
	my ($for) = @_;

	return defined wait_until(300, sub {
		return 't' eq sql("SELECT count(*) > 0 FROM pg_stat_activity AS a LEFT JOIN pg_stat_progress_create_index AS i USING (pid)"
			  . " WHERE a.usename = 'owner' AND a.wait_event_type = 'Lock' AND $for") });
}

# Runs a recipe.  %how: write, what the probe writes; stop, for the beginning of a
# statement what holds it up, as the SQL of a transaction that stays open; before
# and after, code for the beginning of a statement.
sub run_recipe
{
	my ($heading, $edit, %how) = @_;
	my %count = (short => 0, beside => 0, stopped => 0);

	foreach my $sql (map { $edit->($_) } statements($heading))
	{
		my ($start) = grep { index($sql, $_) == 0 } keys %{ $how{before} };

		note($sql);
		$how{before}{$start}->() if defined $start;
		if ($sql =~ /\A(SET|RESET|CREATE (FUNCTION|PROCEDURE)|REVOKE)\b|\\gset\z/)
		{
			$owner->safe($sql);
		}
		elsif ($sql =~ /\A(CALL|CREATE (UNIQUE )?INDEX CONCURRENTLY)\b/)
		{
			# the transaction that holds it up came first
			my ($match) = grep { index($sql, $_) == 0 } keys %{ $how{stop} };
			my $blocker = session($node, 'postgres');
			my $call = $1 eq 'CALL';

			$match // die "nothing holds up $sql";
			$blocker->safe($how{stop}{$match});
			$owner->send($sql);
			ok(owner_waits($call ? "a.wait_event IN ('transactionid', 'tuple')" : "i.phase = 'waiting for old snapshots'"),
				'beside writers, stopped halfway: ' . $sql =~ s/\n.*//sr);
			is(probe($how{write}, '20s'), '', '... and a writer goes on');
			$how{then}{$match}->($blocker) if $how{then}{$match};
			$blocker->safe('COMMIT');
			end_session($blocker);
			is(($owner->answer)[1], '', '... and it ends well') or die 'the recipe cannot go on';
			$count{stopped}++;
		}
		elsif ($sql =~ /\A(ALTER TABLE \w+ VALIDATE|SELECT count|ANALYZE)\b/)
		{
			$owner->safe('BEGIN');
			my $result = $owner->safe($sql);

			is(probe($how{write}, '20s'), '', 'beside writers: ' . $sql =~ s/\n.*//sr);
			$owner->safe('COMMIT');
			is($result, '0', '... and the result is what the chapter says') if $sql =~ / AS d;\z/;
			$count{beside}++;
		}
		elsif ($sql =~ /\ABEGIN;/)
		{
			# it gives up while a reader has the table, and leaves everything as it is
			my $reader = session($node, 'postgres');
			my ($table) = $sql =~ /LOCK TABLE (\w+),/;

			$reader->safe("BEGIN; SELECT FROM $table LIMIT 0");
			like(($owner->query($sql))[1], qr/55P03/, 'the switch gives up behind a reader');
			$reader->safe('COMMIT');
			end_session($reader);

			my $before = rows_read();
			my $err;

			for (1 .. TRIES)
			{
				(undef, $err) = $owner->query($sql =~ s/COMMIT;\z//r);
				last if $err !~ /55P03/;
				$owner->query('ROLLBACK');
			}
			is($err, '', 'the switch');
			like(probe($how{write}, '100ms'), qr/55P03/, '... which alone locks writers out');
			$owner->safe('COMMIT');
			is(rows_read() - $before, 0, '... and reads no row');
			is(probe($how{write}, '20s'), '', '... and a writer goes on');
			$count{switch}++;
		}
		else
		{
			run_short($sql);
			$count{short}++;
		}
		($start) = grep { index($sql, $_) == 0 } keys %{ $how{after} };
		$how{after}{$start}->() if defined $start;
		last if $sql =~ /\ABEGIN;/ && $how{until_switch};
	}
	note(join ', ', map { "$count{$_} $_" } sort keys %count);
	is($count{switch}, 1, "$heading: one switch");
	return;
}

# Runs a recipe while sessions write.
sub with_writers
{
	my ($script, $code) = @_;
	my $writers = with_env({ PGUSER => 'writer' },
		sub { return start_clients($node, 'postgres', WRITERS, "${script}SELECT pg_sleep(0.03);\n") });

	$probe = session($node, 'postgres', '-U', 'writer');
	$owner = session($node, 'postgres', '-U', 'owner');
	$owner->safe('SET enable_seqscan = on');
	$code->();
	end_session($_) foreach $probe, $owner;
	stop_clients($writers);
	none('no writer had an error', grep { $_ ne '' } map { slurp_file($_) } grep { -e } @{ $writers->{errors} });
	return;
}

# Rows of a table: those of the beginning and those that writers have counted.
sub check_count
{
	my ($table, $column, $began) = @_;

	is( sql("SELECT count(*) FROM $table"), $began + sql("SELECT sum($column) FROM tally"),
		"$table: no row is lost, and none comes twice");
	cmp_ok(sql("SELECT count(*) FROM tally"), '>', 100, 'writers were there');
	return;
}

# All foreign keys between tables of the recipe, all indexes, and what is where.
sub check_schema
{
	my ($child, $parent) = @_;

	is(sql("SELECT count(*), bool_and(convalidated) FROM pg_constraint WHERE contype = 'f' AND conparentid = 0"
		  . " AND conrelid = '$child'::regclass AND confrelid = '$parent'::regclass"),
		'1|t', "$child refers to $parent, and all rows are proved");
	is(sql("SELECT count(*) FROM pg_constraint WHERE NOT convalidated AND conparentid = 0"), '0', 'no constraint is left to be proved');
	is(sql("SELECT count(*) FROM pg_index WHERE NOT indisvalid"), '0', 'each index is valid');
	is(sql("SELECT format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid) FROM pg_attribute AS a"
		  . " JOIN pg_index ON indrelid = attrelid AND indisprimary AND indkey[0] = attnum"
		  . " JOIN pg_attrdef AS d ON d.adrelid = attrelid AND d.adnum = attnum WHERE attrelid = '$parent'::regclass"),
		'uuid|t|gid_uuid_v7()', 'the primary key makes version 7');
	return;
}

# The writer may no more than write.
sub grant
{
	sql("GRANT SELECT, INSERT, UPDATE, DELETE ON " . join(', ', @_) . " TO writer");
	return;
}

my ($extension) = statements('Tables with rows');
sql("SET ROLE owner; $extension");
sql('CREATE TABLE tally (parents int, children int); CREATE SEQUENCE tally_no; GRANT INSERT ON tally TO writer;'
	  . ' GRANT USAGE ON tally_no TO writer');

# --- new keys --------------------------------------------------------------

my $NEW_KEYS = 'New keys without a long lock';

# The probe: a purchase with a line, a line of the first purchase, and a line that moves
# there and is deleted.
my $KEY_WRITE = <<'EOS';
BEGIN;
WITH p AS (INSERT INTO purchase (item) VALUES ('p' || nextval('tally_no')) RETURNING id, item),
	l AS (INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM p RETURNING 1)
INSERT INTO tally SELECT 1, count(*) FROM l;
WITH l AS (INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase WHERE item = 'first' RETURNING 1)
INSERT INTO tally SELECT 0, count(*) FROM l;
UPDATE purchase_line SET purchase_id = p.id, part = p.item FROM purchase AS p
WHERE p.item = 'first' AND purchase_line.id = (SELECT max(id) FROM purchase_line);
WITH l AS (DELETE FROM purchase_line WHERE id = (SELECT max(id) FROM purchase_line) RETURNING 1)
INSERT INTO tally SELECT 0, -count(*) FROM l;
COMMIT;
EOS

my $KEY_WRITER = <<'EOS';
SELECT 'c' || 1 + floor(random() * 2000)::int AS code, 'c' || 1 + floor(random() * 2000)::int AS other,
	1 + floor(random() * 4000)::int AS line, 1 + floor(random() * 4000)::int AS gone \gset
BEGIN;
INSERT INTO purchase (item) VALUES ('w' || nextval('tally_no')) RETURNING id, item \gset
INSERT INTO purchase_line (purchase_id, part) SELECT :'id', :'item' FROM generate_series(1, 3);
INSERT INTO tally VALUES (1, 3);
COMMIT;
WITH p AS (INSERT INTO purchase (item) VALUES ('w' || nextval('tally_no')) RETURNING id, item),
	l AS (INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM p RETURNING 1)
INSERT INTO tally SELECT 1, count(*) FROM l;
WITH l AS (INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase WHERE item = :'code' RETURNING 1)
INSERT INTO tally SELECT 0, count(*) FROM l;
UPDATE purchase SET created_at = created_at WHERE item = :'code';
UPDATE purchase_line SET purchase_id = p.id, part = p.item FROM purchase AS p WHERE p.item = :'other' AND purchase_line.id = :line;
WITH l AS (DELETE FROM purchase_line WHERE id = :gone RETURNING 1)
INSERT INTO tally SELECT 0, -count(*) FROM l;
INSERT INTO purchase (item) VALUES ('short-lived') RETURNING item \gset
DELETE FROM purchase WHERE item = 'short-lived';
EOS

foreach my $old ('bigint', 'uuid')
{
	my $edit = sub {
		my ($sql) = @_;

		return $sql if $old eq 'bigint';
		$sql =~ s/(CREATE TABLE purchase \(id )bigint GENERATED ALWAYS AS IDENTITY/$1uuid DEFAULT gen_random_uuid()/;
		$sql =~ s/purchase_id\K bigint/ uuid/;
		if ($sql =~ /fill_purchase\(/)
		{
			$sql =~ s/bigint/uuid/g;
			$sql =~ s/CALL fill_purchase\(\K0/'00000000-0000-0000-0000-000000000000'/;
		}
		return $sql;
	};
	my ($late, $repeatable);
	my @statements = statements($NEW_KEYS);
	my $rows = ROWS;

	# the example's tables, with more rows and what the test looks rows up by
	sql('SET ROLE owner; ' . join "\n", map { $edit->($_) } splice @statements, 0, 5);
	sql(<<"EOS");
INSERT INTO purchase (created_at, item) SELECT '2024-01-01'::timestamptz + n * interval '7 s', 'c' || n FROM generate_series(1, $rows) AS n;
INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase, generate_series(1, 2);
UPDATE purchase_line SET part = 'first' WHERE purchase_id = (SELECT id FROM purchase ORDER BY id LIMIT 1);
UPDATE purchase SET item = 'first' WHERE id = (SELECT id FROM purchase ORDER BY id LIMIT 1);
CREATE INDEX ON purchase (item);
CREATE TABLE was AS SELECT id::text AS old_id, created_at FROM purchase;
TRUNCATE tally;
EOS
	grant('purchase', 'purchase_line');
	$tables = 'purchase';
	my ($parents, $children) = map { sql("SELECT count(*) FROM $_") } 'purchase', 'purchase_line';
	my $files = "SELECT pg_relation_filenode('purchase'), pg_relation_filenode('purchase_line')";
	my $before = sql($files);

	# In the first batch, by the order of keys.
	my $in_batch = sql('SELECT item FROM purchase ORDER BY id OFFSET 900 LIMIT 1');

	with_writers($KEY_WRITER, sub {
		run_recipe($NEW_KEYS,
			sub {
				my ($sql) = @_;

				# the tables are there
				return $sql =~ /\A(CREATE TABLE|CREATE INDEX ON|INSERT INTO purchase(_line)? \()/ && $sql !~ /RETURNING/
				  ? () : $edit->($sql);
			},
			write => $KEY_WRITE,
			until_switch => 1,
			before => {
				# A line that is stored before its purchase has a new key, and committed long
				# after; and a snapshot of that time.
				'CREATE PROCEDURE fill_purchase(' => sub {
					$_ = session($node, 'postgres', '-U', 'writer') foreach $late, $repeatable;
					$repeatable->safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT');
					$late->safe("BEGIN; INSERT INTO tally VALUES (0, 1);"
						  . " INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase WHERE item = '$in_batch'");
				},
				'ALTER TABLE purchase ADD CONSTRAINT purchase_new_key' => sub {
					like(($owner->query("ALTER TABLE purchase_line ADD CONSTRAINT purchase_line_new_key"
							  . " CHECK (new_purchase_id IS NOT NULL) NOT VALID"))[1],
						qr/55P03/, 'the guard waits for a line without a new key that is not committed');
					$late->safe('COMMIT');
					end_session($late);
				},
				'CALL fill_purchase_line(' => sub {
					# writers change no line above 4000
					cmp_ok(sql('SELECT count(*) FROM purchase_line WHERE new_purchase_id IS NULL'), '>', 900,
						'old lines have no new key yet');
				},
				'BEGIN;' => sub {
					is(sql('SELECT count(*) FROM purchase_line AS l JOIN purchase AS p ON p.id = l.purchase_id'
							  . ' WHERE p.new_id IS DISTINCT FROM l.new_purchase_id'),
						'0', 'before the switch each line has both keys of its purchase');
				},
			},
			stop => {
				'CALL fill_purchase(' => "BEGIN; SELECT FROM purchase WHERE item = '$in_batch' FOR NO KEY UPDATE",
				'CREATE UNIQUE INDEX CONCURRENTLY purchase_new_pkey' => 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT',
				# a line that moves to another purchase
				'CALL fill_purchase_line(' => 'BEGIN; UPDATE purchase_line AS l SET purchase_id = p.id, part = p.item'
				  . " FROM purchase AS p WHERE p.item = '$in_batch' AND l.id = (SELECT min(id) FROM purchase_line)",
				(map { $_ => 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT' }
				  'CREATE INDEX CONCURRENTLY', 'CREATE UNIQUE INDEX CONCURRENTLY purchase_old_id_key'),
			},
			then => {
				'CREATE UNIQUE INDEX CONCURRENTLY purchase_new_pkey' => sub {
					# the index waits for the old snapshot as well
					$repeatable->safe("INSERT INTO tally VALUES (0, 1);"
						  . " INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase WHERE item = '$in_batch'");
					is(sql('SELECT count(*) FROM purchase WHERE new_id IS NULL'), '0', 'each purchase has a new key');
					$repeatable->safe('COMMIT');
					end_session($repeatable);
				},
			});
		sleep(1);				# of writing with the new keys
	});
	note("$old keys");
	is(sql($files), $before, 'no table was rewritten');
	check_count('purchase', 'parents', $parents);
	check_count('purchase_line', 'children', $children);
	check_schema('purchase_line', 'purchase');
	is(sql('SELECT count(*) FROM purchase_line AS l LEFT JOIN purchase AS p ON p.id = l.purchase_id WHERE l.part IS DISTINCT FROM p.item'),
		'0', 'each line has its purchase');
	is(sql('SELECT count(*) FROM purchase WHERE gid_extract_v7_time(id) IS NULL OR old_id IS NULL'), '0', 'each purchase has both keys');
	is(sql("SELECT count(*) FROM was LEFT JOIN purchase AS p ON p.old_id::text = was.old_id"
		  . " WHERE gid_extract_v7_time(p.id) IS DISTINCT FROM date_trunc('milliseconds', was.created_at)"),
		'0', 'each old purchase has the time of its creation');
	sql('DROP TABLE was, purchase, purchase_line CASCADE; DROP FUNCTION purchase_line_new_key;'
		  . ' DROP PROCEDURE fill_purchase, fill_purchase_line');
}

# --- partitions ------------------------------------------------------------

my %REFERS_TO = (entry => 'account', story => 'author');

# Tables t with notes: new rows, notes of old rows, changed and deleted ones.
sub partition_writes
{
	my ($t, $code, $other, $gone) = @_;
	my $owner_of = $REFERS_TO{$t};

	return <<"EOS";
BEGIN;
WITH p AS (INSERT INTO $t (${owner_of}_id, body) VALUES (1, 'w' || nextval('tally_no')) RETURNING id, body),
	l AS (INSERT INTO ${t}_note (${t}_id, body) SELECT id, body FROM p RETURNING 1)
INSERT INTO tally SELECT 1, count(*) FROM l;
WITH l AS (INSERT INTO ${t}_note (${t}_id, body) SELECT id, body FROM $t WHERE body = $code RETURNING 1)
INSERT INTO tally SELECT 0, count(*) FROM l;
COMMIT;
UPDATE $t SET changes = changes + 1 WHERE body = $other;
WITH l AS (DELETE FROM ${t}_note WHERE body = $gone RETURNING 1)
INSERT INTO tally SELECT 0, -count(*) FROM l;
WITH p AS (DELETE FROM $t WHERE body = 'free ' || $gone RETURNING 1)
INSERT INTO tally SELECT -count(*), 0 FROM p;
EOS
}

# The example's tables, with more rows: of each code one with two notes and one without.
sub partition_tables
{
	my ($heading, $t, $n) = @_;
	my @statements = statements($heading);
	my $rows = ROWS;

	sql('SET ROLE owner; ' . join "\n", splice @statements, 0, $n);
	sql(<<"EOS");
DELETE FROM ${t}_note; DELETE FROM $t;
ALTER TABLE $t ADD IF NOT EXISTS changes int NOT NULL DEFAULT 0;
INSERT INTO $t SELECT gid_uuid_v7_at(now() - n * interval '1 hour'), 1, 'c' || n FROM generate_series(1, $rows) AS n;
INSERT INTO $t SELECT gid_uuid_v7_at(now() - n * interval '1 hour'), 1, 'free c' || n FROM generate_series(1, $rows) AS n;
INSERT INTO ${t}_note (${t}_id, body) SELECT id, body FROM $t, generate_series(1, 2) WHERE body NOT LIKE 'free%';
CREATE INDEX ON $t (body);
CREATE INDEX ON ${t}_note (${t}_id);
CREATE INDEX ON ${t}_note (body);
TRUNCATE tally;
EOS
	grant($t, "${t}_note");
	$tables = $t;
	return (map { sql("SELECT count(*) FROM $_") } $t, "${t}_note"), $n;
}

sub partition_recipe
{
	my ($heading, $t, $n, %how) = @_;
	my ($parents, $children) = partition_tables($heading, $t, $n);
	my $seen = 0;
	my $random = "'c' || 1 + floor(random() * 2000)::int";
	my $script = "SELECT $random AS code, $random AS other, $random AS gone \\gset\n"
	  . partition_writes($t, ":'code'", ":'other'", ":'gone'");

	with_writers($script, sub {
		run_recipe($heading,
			sub { return $seen++ < $n ? () : shift },
			write => partition_writes($t, "'c2000'", "'c1'", "'c2'"),
			# what LIKE does not bring
			after => { "CREATE TABLE ${t}_all" => sub { grant("${t}_all") } },
			until_switch => 0,
			%how);
		sleep(1);
	});
	check_count($t, 'parents', $parents);
	check_count("${t}_note", 'children', $children);
	check_schema("${t}_note", $t);
	is(sql("SELECT count(*) FROM ${t}_note AS l LEFT JOIN $t AS p ON p.id = l.${t}_id WHERE l.body IS DISTINCT FROM p.body"),
		'0', 'each note has its parent');
	is(sql("SELECT relkind FROM pg_class WHERE oid = '$t'::regclass"), 'p', "$t is partitioned");
	sql("INSERT INTO $t SELECT gid_uuid_v7_at(date_trunc('month', now()) + interval '2 months' + interval '1 day'), 1, 'to come';"
		  . " INSERT INTO ${t}_note (${t}_id, body) SELECT id, body FROM $t WHERE body = 'to come'");
	is(sql("SELECT tableoid::regclass::text = format('${t}_%s', to_char(now() + interval '2 months', 'YYYY_MM')) FROM $t WHERE body = 'to come'"),
		't', 'a row of a month to come is in its partition, and can have a note');
	is(sql("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = '$t'::regclass AND confrelid = '$REFERS_TO{$t}'::regclass"),
		'1', "$t refers to its $REFERS_TO{$t} as before");
	return;
}

partition_recipe('Partitions for new rows', 'entry', 7,
	stop => {});
is( sql("SELECT count(*), bool_and(conparentid <> 0) FROM pg_constraint WHERE contype = 'f' AND conrelid = 'entry_past'::regclass"),
	'1|t', 'its foreign key was merged');
is( sql("SELECT count(DISTINCT tableoid), min(tableoid::regclass::text) FROM entry WHERE body <> 'to come'"),
	'1|entry_past', 'all rows are where they were');

# Rows that a batch must not copy as they were: one that is changed, one that is deleted.
partition_recipe('Partitions for old rows, too', 'story', 6,
	stop => {
		'CALL copy_story(' => "BEGIN; UPDATE story SET changes = 1000 WHERE body = 'c2499';"
		  . " WITH p AS (DELETE FROM story WHERE body IN ('free c2499', 'free c2498') RETURNING 1) INSERT INTO tally SELECT -count(*), 0 FROM p"
	},
	before => {
		'DROP TABLE story_old' => sub {
			is(sql("SELECT count(*), count(*) FILTER (WHERE changes >= 1000) FROM story WHERE body IN ('c2499', 'free c2499', 'free c2498')"),
				'1|1', 'a row that is changed while it is copied is as it was left, and a deleted one does not come back');
		}
	});
is( sql("SELECT count(*) FROM story WHERE tableoid::regclass::text <> to_char(gid_extract_v7_time(id), '\"story_\"YYYY_MM')"),
	'0', 'each row is in the partition of its month');
cmp_ok(sql('SELECT count(DISTINCT tableoid) FROM story'), '>=', 4, 'of which there are several');
is(sql("SELECT max(changes) > 0 FROM story WHERE changes < 1000"), 't', 'changes by writers have arrived');

done_testing();
