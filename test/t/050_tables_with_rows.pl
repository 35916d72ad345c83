# Tables with rows: the recipes of doc/tables-with-rows.md, read from the
# chapter, while other sessions write.  No row is lost, none is without a key,
# every child row has its parent, every foreign key is proved.
#
# Nothing holds a long lock.  That is not timed.  A step is short, and then
# reads no row of a table; or of a kind that PostgreSQL runs beside writers; or
# a batch, which is stopped halfway while a writer writes to all tables, also
# child rows of a parent in the batch.
#
# SQL alone cannot test this: it needs sessions that write and that wait.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Utils;
use Test::More;

use constant {
	ROWS => 2500,				# of a parent table: three batches
	WRITERS => 3,
	TRIES => 200,				# of a step that waits for a lock
};

my $chapter = slurp_file("$FindBin::RealBin/../../doc/tables-with-rows.md");
# In a deadlock the recipe gives way, however slow the machine is.
my $node = gid_node('main', "timezone = 'UTC'\nfsync = off\ndeadlock_timeout = 20s");

# Sequential scans are the recipe's alone: see rows_read().
$ENV{PGOPTIONS} = '-c enable_seqscan=off';

$node->start;

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

# What a step needs: two sessions, and how the tables' names begin.
my ($owner, $probe, $tables);

# Rows that sequential scans have read, of tables of the recipe.  Only the
# owner's session makes such scans.
sub rows_read
{
	$owner->safe('SELECT pg_stat_force_next_flush()');
	return sql("SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables WHERE relname ~ '^($tables)'");
}

# Runs a short step, again and again until it gets its locks.
sub run_short
{
	my ($sql) = @_;
	my $before = rows_read();
	my $err;

	for (1 .. TRIES)
	{
		(undef, $err) = $owner->query($sql);
		last if $err !~ /55P03/;
		$owner->query('ROLLBACK') if $sql =~ /\ABEGIN;/;
	}
	is($err, '', 'short: ' . $sql =~ s/\n.*//sr) or die 'the recipe cannot go on';
	cmp_ok(rows_read() - $before, '<=', 0, '... and it reads no row');
	return;
}

# Stops a batch halfway, by an open transaction, while a writer writes.
sub run_batches
{
	my ($sql, $stop, $write) = @_;
	my $blocker = session($node, 'postgres');

	$blocker->safe("BEGIN; $stop");
	$owner->send($sql);
	$node->poll_query_until('postgres',
		"SELECT state = 'idle' OR wait_event IN ('transactionid', 'tuple') FROM pg_stat_activity WHERE usename = 'owner'");
	is(sql("SELECT state FROM pg_stat_activity WHERE usename = 'owner'"), 'active', "stopped halfway: $sql");
	is(($probe->query("SET lock_timeout = '20s'; $write"))[1], '', '... and a writer goes on');
	$blocker->safe('COMMIT');
	end_session($blocker);
	is(($owner->answer)[1], '', '... and it ends well') or die 'the recipe cannot go on';
	return;
}

# Runs statements of a recipe while sessions write, the last of which is the
# switch.  %how: script and write, what the writers and the probe write; stop,
# by the name of a procedure what stops it; before and after, code for the
# beginning of a statement.
sub run_recipe
{
	my ($statements, %how) = @_;
	my $writers = with_env({ PGUSER => 'writer' },
		sub { return start_clients($node, 'postgres', WRITERS, "$how{script}SELECT pg_sleep(0.03);\n" x 5) });
	my $switched;

	$probe = session($node, 'postgres', '-U', 'writer');
	$owner = session($node, 'postgres', '-U', 'owner');
	$owner->safe('SET enable_seqscan = on; SET client_min_messages = warning');
	foreach my $sql (@$statements)
	{
		foreach my $when ('before', 'after')
		{
			my ($start) = grep { index($sql, $_) == 0 } keys %{ $how{$when} };

			$how{$when}{$start}->() if defined $start;
			next if $when eq 'after';
			note($sql);
			if ($sql =~ /\ACALL (\w+)/)
			{
				run_batches($sql, $how{stop}{$1} // die("nothing stops $1"), $how{write});
			}
			elsif ($sql =~ /\A(SET|RESET|CREATE OR REPLACE (FUNCTION|PROCEDURE)|CREATE (FUNCTION|PROCEDURE)|REVOKE|DROP INDEX CONCURRENTLY|CREATE (UNIQUE )?INDEX CONCURRENTLY|ALTER TABLE \w+ VALIDATE|SELECT count|ANALYZE)\b|\\gset\z/)
			{
				my $result = $owner->safe($sql);

				is($result, '0', 'the result is what the chapter says') if $sql =~ / AS d;\z/;
			}
			else
			{
				run_short($sql);
			}
		}
		$switched += $sql =~ /\ABEGIN;/;
	}
	is($switched, 1, 'one switch');
	my $tally = sql('SELECT count(*) FROM tally');

	$node->poll_query_until('postgres', "SELECT count(*) > $tally + 50 FROM tally") or die 'nobody writes any more';
	is(($probe->query($how{write}))[1], '', 'writers go on with the new keys');
	end_session($_) foreach $probe, $owner;
	stop_clients($writers);
	none('no writer had an error', grep { $_ ne '' } map { slurp_file($_) } @{ $writers->{errors} });
	return;
}

# After a recipe: rows, foreign key and indexes of a parent table and its
# child, which had so many rows.
sub check
{
	my ($parent, $child, $parents, $children, $copied) = @_;

	is(sql("SELECT count(*) FROM $parent"), $parents + sql('SELECT sum(parents) FROM tally'), "$parent: no row is lost, and none comes twice");
	is(sql("SELECT count(*) FROM $child"), $children + sql('SELECT sum(children) FROM tally'), "nor in $child");
	is(sql("SELECT count(*) FROM $child AS l LEFT JOIN $parent AS p ON p.id = l.${parent}_id WHERE l.$copied IS DISTINCT FROM p."
			. ($copied eq 'part' ? 'item' : $copied)), '0', "each row of $child has its parent");
	is(sql("SELECT count(*), bool_and(convalidated) FROM pg_constraint WHERE contype = 'f' AND conparentid = 0"
		  . " AND conrelid = '$child'::regclass AND confrelid = '$parent'::regclass"),
		'1|t', 'to which it refers, which is proved');
	is(sql('SELECT (SELECT count(*) FROM pg_constraint WHERE NOT convalidated AND conparentid = 0), (SELECT count(*) FROM pg_index WHERE NOT indisvalid)'),
		'0|0', 'each constraint is proved, each index valid');
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
sql('CREATE ROLE owner LOGIN; CREATE ROLE writer LOGIN; ALTER DATABASE postgres OWNER TO owner;');
sql("SET ROLE owner; $extension CREATE TABLE tally (parents int, children int); CREATE SEQUENCE tally_no;"
	  . ' GRANT SELECT, INSERT ON tally TO writer; GRANT USAGE ON tally_no TO writer');

# --- new keys --------------------------------------------------------------

# A purchase with a line, a line of purchase "code", a line that moves to
# purchase "other", and one that is deleted.
sub key_writes
{
	my ($code, $other, $moved, $gone) = @_;

	return <<"EOS";
BEGIN;
WITH p AS (INSERT INTO purchase (item) VALUES ('w' || nextval('tally_no')) RETURNING id, item),
	l AS (INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM p RETURNING 1)
INSERT INTO tally SELECT 1, count(*) FROM l;
WITH l AS (INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase WHERE item = $code RETURNING 1)
INSERT INTO tally SELECT 0, count(*) FROM l;
COMMIT;
UPDATE purchase_line SET purchase_id = p.id, part = p.item FROM purchase AS p WHERE p.item = $other AND purchase_line.id = $moved;
WITH l AS (DELETE FROM purchase_line WHERE id = $gone RETURNING 1)
INSERT INTO tally SELECT 0, -count(*) FROM l;
EOS
}

# The statements for keys of version 4: see "Version 4 keys" of the chapter.
sub edited
{
	my ($sql) = @_;

	$sql =~ s/(CREATE TABLE purchase \(id )bigint GENERATED ALWAYS AS IDENTITY/$1uuid DEFAULT gen_random_uuid()/;
	$sql =~ s/purchase_id\K bigint/ uuid/;
	$sql =~ s/bigint/uuid/g if $sql =~ /PROCEDURE fill_purchase\(/;
	return $sql =~ s/CALL fill_purchase\(\K0/'00000000-0000-0000-0000-000000000000'/r;
}

foreach my $old ('bigint', 'uuid')
{
	my @statements = map { $old eq 'uuid' ? edited($_) : $_ } statements('New keys without a long lock');
	my ($switch) = grep { $statements[$_] =~ /\ABEGIN;/ } 0 .. $#statements;
	my $rows = ROWS;

	splice @statements, $switch + 1;
	note("$old keys");
	# the example's tables, with more rows and what the test looks rows up by
	sql('SET ROLE owner; ' . join "\n", splice @statements, 0, 3);
	splice @statements, 0, 2;
	sql(<<"EOS");
INSERT INTO purchase (created_at, item) SELECT '2024-01-01'::timestamptz + n * interval '7 s', 'c' || n FROM generate_series(1, $rows) AS n;
INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase, generate_series(1, 2);
CREATE INDEX ON purchase (item);
CREATE TABLE was AS SELECT id::text AS old_id, created_at FROM purchase;
TRUNCATE tally;
EOS
	grant('purchase', 'purchase_line');
	$tables = 'purchase';
	my ($parents, $children) = map { sql("SELECT count(*) FROM $_") } 'purchase', 'purchase_line';
	my $files = "SELECT pg_relation_filenode('purchase'), pg_relation_filenode('purchase_line')";
	my $before = sql($files);
	my $late;

	# Both are in the first batch, by the order of keys.
	my ($first, $in_batch) = map { sql("SELECT item FROM purchase ORDER BY id OFFSET $_ LIMIT 1") } 0, 900;

	run_recipe(\@statements,
		script => "SELECT 'c' || 1 + floor(random() * 2000)::int AS code, 'c' || 1 + floor(random() * 2000)::int AS other,"
		  . " 1 + floor(random() * 4000)::int AS line, 1 + floor(random() * 4000)::int AS gone \\gset\n"
		  . key_writes(":'code'", ":'other'", ':line', ':gone') . "UPDATE purchase SET created_at = created_at WHERE item = :'code';\n",
		write => key_writes("'$first'", "'$first'", '4001', '4002'),
		stop => {
			fill_purchase => "SELECT FROM purchase WHERE item = '$in_batch' FOR NO KEY UPDATE",
			# a line without a new key that moves to another purchase
			fill_purchase_line => 'UPDATE purchase_line AS l SET purchase_id = p.id, part = p.item'
			  . " FROM purchase AS p WHERE p.item = '$in_batch' AND l.id = (SELECT min(id) FROM purchase_line WHERE new_purchase_id IS NULL)",
		},
		before => {
			# A line of before the purchase's new key, committed long after.
			'CREATE PROCEDURE fill_purchase(' => sub {
				$late = session($node, 'postgres', '-U', 'writer');
				$late->safe("BEGIN; INSERT INTO tally VALUES (0, 1);"
					  . " INSERT INTO purchase_line (purchase_id, part) SELECT id, item FROM purchase WHERE item = '$in_batch'");
			},
			'ALTER TABLE purchase ADD CONSTRAINT purchase_new_key' => sub {
				is(sql('SELECT count(*) FROM purchase WHERE new_id IS NULL'), '0', 'each purchase has a new key');
				like(($owner->query("ALTER TABLE purchase_line ADD CONSTRAINT purchase_line_new_key"
						  . " CHECK (new_purchase_id IS NOT NULL) NOT VALID"))[1],
					qr/55P03/, 'the guard waits for a line without a new key that is not committed');
				$late->safe('COMMIT');
				end_session($late);
			},
			'CALL fill_purchase_line(' => sub {
				# writers change no line above 4002
				cmp_ok(sql('SELECT count(*) FROM purchase_line WHERE new_purchase_id IS NULL'), '>', 900, 'old lines have no new key yet');
			},
		});
	is(sql($files), $before, 'no table was rewritten');
	check('purchase', 'purchase_line', $parents, $children, 'part');
	is(sql('SELECT count(*) FROM purchase WHERE gid_extract_v7_time(id) IS NULL OR old_id IS NULL'), '0', 'each purchase has both keys');
	is(sql("SELECT count(*) FROM was LEFT JOIN purchase AS p ON p.old_id::text = was.old_id"
		  . " WHERE gid_extract_v7_time(p.id) IS DISTINCT FROM date_trunc('milliseconds', was.created_at)"),
		'0', 'each old purchase has the time of its creation');
	sql('DROP TABLE was, purchase, purchase_line CASCADE; DROP FUNCTION purchase_line_new_key;'
		  . ' DROP PROCEDURE fill_purchase, fill_purchase_line');
}

# --- partitions ------------------------------------------------------------

# Tables t with notes: new rows, notes of old rows, changed and deleted ones.
sub partition_writes
{
	my ($t, $refers, $code, $other, $gone) = @_;

	return <<"EOS";
BEGIN;
WITH p AS (INSERT INTO $t (${refers}_id, body) VALUES (1, 'w' || nextval('tally_no')) RETURNING id, body),
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

# Runs a recipe with its first n statements' tables, which have more rows: of
# each code one with two notes and one without.
sub partition_recipe
{
	my ($heading, $t, $refers, $n, %how) = @_;
	my @statements = statements($heading);
	my $rows = ROWS;
	my $random = "'c' || 1 + floor(random() * 2000)::int";

	sql('SET ROLE owner; ' . join "\n", splice @statements, 0, $n);
	sql(<<"EOS");
DELETE FROM ${t}_note; DELETE FROM $t;
ALTER TABLE $t ADD changes int NOT NULL DEFAULT 0;
INSERT INTO $t SELECT gid_uuid_v7_at(now() - n * interval '1 hour'), 1, kind || 'c' || n FROM generate_series(1, $rows) AS n, unnest('{"","free "}'::text[]) AS kind;
INSERT INTO ${t}_note (${t}_id, body) SELECT id, body FROM $t, generate_series(1, 2) WHERE body NOT LIKE 'free%';
CREATE INDEX ON $t (body);
CREATE INDEX ON ${t}_note (${t}_id);
CREATE INDEX ON ${t}_note (body);
TRUNCATE tally;
EOS
	grant($t, "${t}_note");
	$tables = $t;
	my ($parents, $children) = map { sql("SELECT count(*) FROM $_") } $t, "${t}_note";

	run_recipe(\@statements,
		script => "SELECT $random AS code, $random AS other, $random AS gone \\gset\n" . partition_writes($t, $refers, ":'code'", ":'other'", ":'gone'"),
		write => partition_writes($t, $refers, "'c2000'", "'c1'", "'c2'"),
		# what LIKE does not bring
		after => { "CREATE TABLE ${t}_all" => sub { grant("${t}_all") } },
		%how);
	check($t, "${t}_note", $parents, $children, 'body');
	sql("INSERT INTO $t SELECT gid_uuid_v7_at(date_trunc('month', now()) + interval '2 months' + interval '1 day'), 1, 'to come';"
		  . " INSERT INTO ${t}_note (${t}_id, body) SELECT id, body FROM $t WHERE body = 'to come'");
	is(sql("SELECT tableoid::regclass::text = format('${t}_%s', to_char(now() + interval '2 months', 'YYYY_MM')) FROM $t WHERE body = 'to come'"),
		't', 'a row of a month to come is in its partition, and can have a note');
	is(sql("SELECT count(*) FROM pg_constraint WHERE contype = 'f' AND conrelid = '$t'::regclass AND confrelid = '$refers'::regclass"),
		'1', "$t refers to its $refers as before");
	return;
}

partition_recipe('Partitions for new rows', 'entry', 'account', 7);
is(sql("SELECT count(*), bool_and(conparentid <> 0) FROM pg_constraint WHERE contype = 'f' AND conrelid = 'entry_past'::regclass"),
	'1|t', 'its foreign key was merged');
is(sql("SELECT count(DISTINCT tableoid), min(tableoid::regclass::text) FROM entry WHERE body <> 'to come'"),
	'1|entry_past', 'all rows are where they were');

# Rows that a batch must not copy as they were: one is changed, one deleted.
partition_recipe('Partitions for old rows, too', 'story', 'author', 6,
	stop => {
		copy_story => "UPDATE story SET changes = 1000 WHERE body = 'c2499';"
		  . " WITH p AS (DELETE FROM story WHERE body IN ('free c2499', 'free c2498') RETURNING 1) INSERT INTO tally SELECT -count(*), 0 FROM p"
	},
	before => {
		'DROP TABLE story_old' => sub {
			is(sql("SELECT count(*), count(*) FILTER (WHERE changes >= 1000) FROM story WHERE body IN ('c2499', 'free c2499', 'free c2498')"),
				'1|1', 'a row that is changed while it is copied is as it was left, and a deleted one does not come back');
		}
	});
is(sql("SELECT count(*) FROM story WHERE tableoid::regclass::text <> to_char(gid_extract_v7_time(id), '\"story_\"YYYY_MM')"),
	'0', 'each row is in the partition of its month');
is(sql("SELECT max(changes) > 0 FROM story WHERE changes < 1000"), 't', 'changes by writers have arrived');

# --- each block again, in the chapter's loop -------------------------------

{
	my ($section) = $chapter =~ /^## New keys without a long lock\n(.*?)(?=^## )/ms;
	my ($tables, @steps) = $section =~ /^<!-- test: as owner of postgres -->\n```sql\n(.*?)^```$/msg;
	my ($switch) = grep { $steps[$_] =~ /\ABEGIN;/ } 0 .. $#steps;
	my ($loop) = $section =~ /^<!-- test: run by 050_tables_with_rows -->\n```sh\n(.*?)^```$/ms;
	my $dir = PostgreSQL::Test::Utils::tempdir();
	my $tries = 0;
	my $run = sub
	{
		my ($sql) = @_;

		PostgreSQL::Test::Utils::append_to_file("$dir/" . ++$tries . '.sql', $sql);
		return with_env({ PGHOST => $node->host, PGPORT => $node->port, PGDATABASE => 'again', PGOPTIONS => '' },
			sub { return [ run_command([ 'sh', '-c', $loop, 'sh', "$dir/$tries.sql" ]) ] });
	};

	is($switch, 5, 'five steps before the switch');
	sql('CREATE DATABASE again');
	$node->safe_psql('again', "CREATE EXTENSION gid; $tables");
	foreach my $step (0 .. $switch - 1)
	{
		like($run->($steps[$switch])->[0], qr/ERROR/, "the switch fails before step " . ($step + 1));
		is($run->($steps[$step])->[1], '', 'step ' . ($step + 1));
		is($run->($steps[$step])->[0], '', '... again');
	}
	is($run->("ALTER TABLE purchase_line DROP CONSTRAINT purchase_line_new_purchase_id_fkey;\n")->[0], '', 'without the foreign key');
	like($run->($steps[$switch])->[0], qr/ERROR:  the new foreign key of purchase_line is missing/, '... the switch fails');
	is($run->($steps[$switch - 1])->[0], '', '... until step 5 has run again');

	my $holder = session($node, 'again');

	$holder->safe('BEGIN; LOCK TABLE purchase IN ACCESS SHARE MODE');
	like($run->("SET lock_timeout = '1ms';\nBEGIN;\nLOCK TABLE purchase;\n")->[0], qr/lock timeout/, 'the loop ends without its locks');
	end_session($holder);
	is($run->($steps[$switch])->[0], '', 'the switch');
	is($node->safe_psql('again', "SELECT string_agg(item, '' ORDER BY item) FROM purchase JOIN purchase_line ON purchase_id = purchase.id"),
		'ab', 'the rows have their new keys');
}

$node->stop;
done_testing();
