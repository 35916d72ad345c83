# The manual is right: the SQL blocks of README.md and of each chapter in doc/,
# pasted one after the other into psql, print what the document says, and the
# tables of doc/errors.md have every message of the sources.
#
# SQL alone cannot test this: it reads a document as a reader does, with a psql
# of its own, and runs it on a new server.  Where what is printed is not what
# stands there, it runs once more on another one, to tell what is generated from
# what is fixed.  One of the two preloads gid, by turns the first and the second.
# Each document has servers of its own, so a chapter can be followed without the
# others.  GID_DOCUMENTS="README.md doc/uuids.md" runs these alone.
#
# How a block is read:
#
# - Every ```sql block runs, from top to bottom, in one psql session of one new
#   cluster, as a superuser, in UTC.  An error, warning or notice that the
#   document does not show fails the test.
# - A line directly before the block may say otherwise, unseen by the reader:
#       <!-- test: database NAME -->      run in that database, made if missing
#       <!-- test: window 2 -->           run in a second session beside the first
#       <!-- test: as owner of NAME -->   run in that database, in a session of its
#                                         own, by the owner, who is no superuser
#       <!-- test: into postgresql.conf -->   a ``` block of settings, which are
#                                         in force before the next block
#       <!-- test: run by 012_fleet -->   that file of test/t or test/others, which reads it
#                                         from the document, runs it elsewhere
#       <!-- test: run by frameworks/with_duckdb.js -->   the same, of test/frameworks
#       <!-- test: from 18 -->            run only with this version or later
#       <!-- test: before 18 -->          run only with an earlier version
#       <!-- test: not run, REASON -->    nobody does
#   The test counts and prints those that it leaves out.
# - Of a ```sh block what stands between <<'SQL' and SQL is such a block.  Another
#   ```sh block runs only if its line says which file of test/t runs it.
# - A ``` block without a language directly after it is what the block prints,
#   without command tags and counts of rows; errors and notices come last.
# - A comment behind a statement's semicolon gives what that statement prints,
#       SELECT gid_lexical_add('099', 1);     -- 100
#   unless it begins with a word of letters and a blank: then it is a remark.
#   ": " ends the value, a remark may follow.  Several rows or columns stand
#   one after the other, with ", " or " and " between them; NULL is NULL.
# - What is equal in the two runs must stand in the document as it is.  A field that
#   differs is generated (an id, a time, a pid); there the document needs the
#   same shape: times and numbers are each as good as another, other words (the
#   parts of a UUID) have the same length.  A column is as wide as its widest
#   field.

use strict;
use utf8;
use warnings FATAL => 'all';

use Encode qw(decode encode);
use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use IPC::Run;
use List::Util;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

my $TREE = "$FindBin::RealBin/../..";

sub bytes
{
	return encode('UTF-8', shift);
}

# --- reading a document ----------------------------------------------------

# The text of README.md or of a chapter.
sub document
{
	my ($name) = @_;

	return decode('UTF-8', slurp_file("$TREE/$name"), Encode::FB_CROAK);
}

# The marker of a block that is no SQL.
my $CONF = 'into postgresql.conf';

# Its blocks: line, sql, the output (undef: none), the marker (undef: none).
sub blocks
{
	my ($name) = @_;
	my @lines = split /\n/, document($name);
	my @blocks;

	for (my $i = 0; $i < @lines; $i++)
	{
		my $shell = $lines[$i] eq '```sh';
		my $conf = $lines[$i] eq '```' && $i > 0 && $lines[ $i - 1 ] eq "<!-- test: $CONF -->";

		next unless $shell || $conf || $lines[$i] eq '```sql';
		my %block = (line => $i + 1);

		$block{marker} = $1
		  if $i > 0 && $lines[ $i - 1 ] =~ /^<!-- test: (.+) -->$/;
		push @{ $block{sql} }, $lines[$i] while $lines[ ++$i ] ne '```';
		if ($shell)
		{
			my ($sql) =
			  join("\n", @{ $block{sql} }) =~ /<<'SQL'\n(.*)\nSQL$/ms;

			next unless defined $sql || defined $block{marker};
			$block{sql} = [ split /\n/, $sql // '' ];
		}
		if (($lines[ $i + 1 ] // '') eq '```')
		{
			$block{output} = [];
			$i++;
			push @{ $block{output} }, $lines[$i] while $lines[ ++$i ] ne '```';
		}
		push @blocks, \%block;
	}
	return @blocks;
}

# What a comment behind a statement says that it prints; undef: nothing.
sub comment_value
{
	my ($line) = @_;
	my ($comment) = $line =~ /;\s+-- (.+)$/ or return undef;

	return undef if $comment =~ /^[[:alpha:]_()]+ /;
	$comment =~ s/: .*//;
	return $comment;
}

# --- what psql printed -----------------------------------------------------

# The output of psql as a list of lines and tables, a table as a list of rows,
# the header first.  A table with columns of another width than its fields ask
# for is one that psql did not print: so it gets another field.
sub parse_output
{
	my @lines = @_;
	my @items;

	while (@lines)
	{
		my $line = shift @lines;

		if (@lines && $lines[0] =~ /^-+(\+-+)*$/)
		{
			my @width = map { length } split /\+/, shift @lines;
			my @rows = ($line);

			push @rows, shift @lines while @lines && $lines[0] ne '';
			@rows = map { fields($_, @width) } @rows;
			for my $column (0 .. $#width)
			{
				my ($widest) = sort { $b <=> $a }
				  map { length $_->[$column] } @rows;

				push @rows, ["column $column has another width"]
				  if $width[$column] != $widest + 2;
			}
			push @items, @rows;
		}
		elsif ($line ne '')
		{
			push @items, [$line];
		}
	}
	return @items;
}

# A line of a table, cut into its fields.
sub fields
{
	my ($line, @width) = @_;
	my @fields;

	$line .= ' ' x (List::Util::sum(@width) + @width);
	for my $width (@width)
	{
		my $field = substr $line, 0, $width + 1, '';

		$field =~ s/^ *(.*?) *\|?$/$1/;
		push @fields, $field;
	}
	return \@fields;
}

# Are two texts of one shape?
sub same_shape
{
	my ($one, $other) = @_;
	my @tokens;

	foreach ($one, $other)
	{
		my $text = $_;

		$text =~ s/\b\d+-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?[+]00\b/<time>/g;
		$text =~ s/\b\d\d:\d\d:\d\d(\.\d+)?\b/<interval>/g;
		push @tokens, [ split /([[:alnum:].]+)/, $text ];
	}
	return 0 unless @{ $tokens[0] } == @{ $tokens[1] };
	foreach my $i (0 .. $#{ $tokens[0] })
	{
		my ($t, $u) = ($tokens[0][$i], $tokens[1][$i]);

		next if $t eq $u;
		return 0 if grep { !/^[[:alnum:].]+$/ } $t, $u;
		next if 2 == grep { /^[\d.]+$/ } $t, $u;
		return 0 unless length $t == length $u;
	}
	return 1;
}

# Does the document say what was printed?
sub as_said
{
	my ($said, $printed, $again) = @_;

	return $said eq $printed if $printed eq $again;
	return same_shape($said, $printed);
}

# The first line in which the document says something else; undef: none.
sub first_difference
{
	my ($said, $printed, $again) = @_;

	s/\s+$// for @$said, @$printed, @$again;
	if ("@$printed" eq "@$again")
	{
		# trailing empty lines apart, exactly what psql prints
		my ($s, $p) = map { join "\n", @$_ } $said, $printed;

		s/\n+$// for $s, $p;
		return $s eq $p ? undef : $p;
	}
	my ($s, $p, $a) = map { [ parse_output(@$_) ] } $said, $printed, $again;

	foreach my $i (0 .. List::Util::max(map { $#$_ } $s, $p, $a))
	{
		my @row = map { $_->[$i] // [] } $s, $p, $a;

		foreach my $j (0 .. List::Util::max(map { $#$_ } @row))
		{
			my @field = map { $_->[$j] // '(nothing)' } @row;

			return "$field[1] (the document: $field[0])" unless as_said(@field);
		}
	}
	return undef;
}

# --- running it ------------------------------------------------------------

# A psql as the reader has one; it repeats each line before what that prints.
sub reader
{
	my ($node, $db, @options) = @_;
	my %psql = (in => '', out => '', err => '', n => 0);

	$psql{run} = IPC::Run::start(
		[
			'psql', '-X', '-q', '-a', '-P', 'footer=off', @options, '-d',
			$node->connstr($db)
		],
		'<', \$psql{in}, '>', \$psql{out}, '2>', \$psql{err},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	return \%psql;
}

# Ends a reader's psql.
sub leave
{
	my ($psql) = @_;

	$psql->{in} .= "\\q\n";
	$psql->{run}->finish;
	return;
}

# Pastes a block.  For each of its lines what was printed after it, as a list
# of lines; errors and notices as one more.
sub paste
{
	my ($psql, @sql) = @_;
	my $mark = 'end of block ' . ++$psql->{n};

	@sql = grep { /\S/ } @sql;
	$psql->{in} .= bytes(join "\n", @sql)
	  . "\n\\echo '$mark'\n\\warn '$mark'\n";
	$psql->{run}->pump
	  until $psql->{out} =~ /^$mark\n/m && $psql->{err} =~ /^$mark\n/m;

	my ($out, $err) = map { decode('UTF-8', $_) } $psql->{out}, $psql->{err};
	my @lines = split /\n/, $out, -1;
	my @printed;

	$psql->{out} = $psql->{err} = '';
	foreach my $line (@sql, "\\echo '$mark'")
	{
		my @before;

		push @before, shift @lines while @lines && $lines[0] ne $line;
		die "psql did not take this line: $line\n$out\n$err" unless @lines;
		shift @lines;
		push @printed, \@before;
	}
	# What stands before a line was printed after the one before it.
	shift @printed;
	$err =~ s/^$mark\n//m;
	push @printed, [ split /\n/, $err ];
	return \@printed;
}

# A new server, of which each document gets copies.
my $new = PostgreSQL::Test::Cluster->new('new');

$new->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$new->append_conf('postgresql.conf', "fsync = off");
$new->backup_fs_cold('new');

# Runs all blocks on a new server, which has some lines more in its configuration;
# what each printed.
sub run_blocks
{
	my ($name, $conf, @blocks) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my (%psql, @printed);

	$node->init_from_backup($new, 'new');
	$node->append_conf('postgresql.conf', $conf);
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE no_superuser LOGIN');
	foreach my $block (@blocks)
	{
		my $db = $block->{db};

		if (($block->{marker} // '') eq $CONF)
		{
			gid_reload($node, split / *= */, s/\s*#.*//r) for @{ $block->{sql} };
			push @printed, [ map { [] } @{ $block->{sql} }, 'errors' ];
			next;
		}
		if ($block->{by_owner})
		{
			$node->safe_psql('postgres', "ALTER DATABASE $db OWNER TO no_superuser");
			my $psql = reader($node, $db, '-U', 'no_superuser');

			push @printed, paste($psql, @{ $block->{sql} });
			leave($psql);
			next;
		}
		my $window = $block->{window} // $db;

		if (!$psql{$window})
		{
			$node->safe_psql('postgres',
				qq{SELECT 'CREATE DATABASE $db' WHERE NOT EXISTS
				   (SELECT FROM pg_database WHERE datname = '$db') \\gexec});
			$psql{$window} = reader($node, $db);
		}
		push @printed, paste($psql{$window}, @{ $block->{sql} });
	}
	leave($_) for values %psql;
	$node->stop('immediate');
	return @printed;
}

my %count = map { $_ => 0 } qw(blocks owner outputs comments elsewhere other never);

# The blocks of a document that run here, each with its database.
sub blocks_to_run
{
	my ($name) = @_;
	my @run;

	foreach my $block (blocks($name))
	{
		my $marker = $block->{marker} // 'database postgres';

		$block->{place} = "$name, line $block->{line}";
		if ($marker =~ /^(database|as owner of) (\w+)$/)
		{
			$block->{db} = $2;
			$block->{by_owner} = $1 ne 'database';
			$count{owner}++ if $block->{by_owner};
			push @run, $block;
		}
		elsif ($marker =~ /^window \d+$/)
		{
			$block->{db} = 'postgres';
			$block->{window} = $marker;
			push @run, $block;
		}
		elsif ($marker eq $CONF)
		{
			push @run, $block;
		}
		elsif ($marker =~ /^(from|before) (\d+)$/)
		{
			my ($from, $version) = ($1 eq 'from', $2);

			if (`pg_config --version` =~ / (\d+)/ && ($1 >= $version) == $from)
			{
				$block->{db} = 'postgres';
				push @run, $block;
			}
			else
			{
				note("$block->{place}: $marker");
				$count{other}++;
			}
		}
		elsif ($marker =~ m{^run by (?:(\w+)|((?:clients|frameworks)/\w+\.\w+))$})
		{
			my ($test) = grep { -e } defined $1 ? map { "$TREE/test/$_/$1.pl" } qw(t others) : "$TREE/test/$2";

			note("$block->{place}: $marker");
			ok(defined $test && slurp_file($test) =~ /\Q$name\E/,
				"$block->{place}: $marker, which reads the document");
			$count{elsewhere}++;
		}
		else
		{
			note("$block->{place}: $marker");
			like($marker, qr/^not run, \w/, "$block->{place}: has a reason");
			$count{never}++;
		}
	}
	return @run;
}

# What a block printed that the document does not say, in two runs.
sub wrong_of
{
	my ($block, $first, $second) = @_;
	my @sql = grep { /\S/ } @{ $block->{sql} };
	my @wrong;

	if (defined $block->{output})
	{
		my $difference = first_difference(
			$block->{output},
			map { [ map { @$_ } @$_ ] } $first, $second);

		push @wrong, $difference if defined $difference;
	}
	else
	{
		push @wrong, @{ $first->[-1] }, @{ $second->[-1] };
	}
	foreach my $j (0 .. $#sql)
	{
		my $said = comment_value($sql[$j]) // next;
		my ($printed, $again) = map {
			join ', ', map { $_ eq '' ? 'NULL' : $_ }
			  map { @$_ } @$_[ 1 .. $#$_ ]
		} map { [ parse_output(@{ $_->[$j] }) ] } $first, $second;

		$said =~ s/ and /, /g if $printed !~ / and /;
		push @wrong, "$sql[$j]\nprints $printed"
		  unless as_said($said, $printed, $again);
	}
	return @wrong;
}

# Did a block print what the document says, in both runs?
sub check_block
{
	my ($block, @runs) = @_;
	my ($sql) = grep { /\S/ } @{ $block->{sql} };
	my @wrong = wrong_of($block, @runs);

	$count{blocks}++;
	$count{outputs}++ if defined $block->{output};
	$count{comments} += grep { defined comment_value($_) } grep { /\S/ } @{ $block->{sql} };
	ok(!@wrong, bytes("$block->{place}: $sql"))
	  or diag(bytes(join "\n", @wrong));
	return;
}

$ENV{PGTZ} = 'UTC';
$ENV{PGCLIENTENCODING} = 'UTF8';
my $documents = 0;

foreach my $name (
	$ENV{GID_DOCUMENTS}
	? split(/ /, $ENV{GID_DOCUMENTS})
	: ('README.md', map { s{^\Q$TREE\E/}{}r } sort glob "$TREE/doc/*.md"))
{
	my @run = blocks_to_run($name);

	next unless @run;
	my $word = $name =~ s/\W/_/gr;
	my @conf = ('', "shared_preload_libraries = 'gid'");

	# Every other document begins with preload.
	@conf = reverse @conf if $documents++ % 2;
	my @first = run_blocks("first_$word", $conf[0], @run);
	my @second = @first;

	if (grep { wrong_of($run[$_], $first[$_], $first[$_]) } 0 .. $#run)
	{
		# Ids of a second's resolution have another time in the other run.
		sleep(1.1);
		@second = run_blocks("second_$word", $conf[1], @run);
	}
	check_block($run[$_], $first[$_], $second[$_]) for 0 .. $#run;
}
note("$count{blocks} blocks run, $count{owner} by an owner, $count{outputs} with their output,"
	  . " $count{comments} values in comments;"
	  . " $count{elsewhere} run by other tests, $count{other} with other versions,"
	  . " $count{never} by none");
if (!$ENV{GID_DOCUMENTS})
{
	cmp_ok($count{blocks}, '>=', 70, 'blocks are run');
	cmp_ok($count{owner}, '>=', 5, 'some by an owner without superuser');
	cmp_ok($count{outputs}, '>=', 10, 'outputs are compared');
	cmp_ok($count{comments}, '>=', 70, 'values are compared');
}
cmp_ok($count{never}, '<=', 1, 'hardly any block is run by no test');

# --- the tables of errors --------------------------------------------------

# Messages that PostgreSQL's own functions raise for gid.
my @CORE = (
	'25006: cannot execute gid_… in a read-only transaction',
	'25000: cannot execute gid_… during a parallel operation',
	'23514: value for domain gid_… violates check constraint "gid_…_range"',
	'53200: not enough shared memory …',
	'0A000: extension "gid" is not available',
	'53100: could not resize shared memory segment "…" to … bytes: No space left on device',
	'58P01: could not access file "gid"',
	'58P01: could not access file "$libdir/gid"',
	'42883: function gid_uuid_v7() does not exist',
	'42501: permission denied for function authority_resume',
	'42704: unrecognized configuration parameter "gid.…"');

# SQLSTATEs by the names that C has for them.
sub sqlstates
{
	my $include = `pg_config --includedir-server`;

	chomp $include;
	my %state = slurp_file("$include/utils/errcodes.h") =~
	  /#define (ERRCODE_\w+) MAKE_SQLSTATE\(([^)]+)\)/g;
	s/\W//g for values %state;
	return %state;
}

# How a message begins in the sources: ereport() and the like; what the detail
# says of an authority that has not answered; and the failures of gid.clock.
my $MESSAGE = qr/errmsg\(|gid_peer_fail(?:_libpq)?\([\w\s,]*,\s*|gid_peer_fail\([^;"]*psprintf\(|problems\[[^;"]*\s=\s|
	gid_clock_file_fail\([\w\s]*,\s*/x;

# The messages of the sources, with … for what varies, each as a hash: text,
# states (none for a LOG line, a WARNING or a detail), file.
sub source_messages
{
	my %state = sqlstates();
	my @messages;

	foreach my $file (sort glob "$TREE/src/*.c $TREE/src/*/*.c")
	{
		my $text = slurp_file($file);

		$text =~ s{/\*.*?\*/}{}gs;
		$text =~ s/UINT64_FORMAT/"%d"/g;
		while ($text =~ /($MESSAGE)(?:\w+ \? )?((?:\s*:?\s*"(?:[^"\\]|\\.)*")+)/g)
		{
			my ($head, $strings, $before) = ($1, $2, substr $text, 0, $-[0]);
			my ($call) = $before =~
			  /.*((?:ereport|ereturn|errsave|GUC_check_)\b.*)/s;
			$call = $head unless $head eq 'errmsg(';
			my @states = map { $state{$_} // die "no SQLSTATE for $_" }
			  $call =~ /\b(ERRCODE_\w+)/g;

			@states = ('58030', '53100') if $call =~ /^gid_clock_file_fail/;
			@states = ('22023') if $call =~ /^GUC_check_/;
			@states = () if $call =~ /^ereport\((?:LOG|LOG_SERVER_ONLY)\b/;
			my @texts = ('');

			while ($strings =~ /(:)?\s*"((?:[^"\\]|\\.)*)"\s*/g)
			{
				push @texts, '' if defined $1;
				$texts[-1] .= $2;
			}
			foreach my $message (@texts)
			{
				$message =~ s/\\"/"/g;
				$message =~ s/%[-0.*]*l*[a-zA-Z]/…/g;
				push @messages,
				  {
					text => $message,
					states => \@states,
					warning => scalar($call =~ /^ereport\(WARNING\b/),
					file => $file =~ s{.*/}{}r
				  };
			}
		}
	}
	return @messages;
}

# The messages of the manual's tables: text, states, line of the table.
sub manual_messages
{
	my $table = join '', document('doc/errors.md') =~
	  /^\| message \| SQLSTATE \|.*\n\|[-|]+\n((?:\|.*\n)+)/mg;
	my @messages;

	foreach my $row (split /\n/, $table)
	{
		my (undef, $texts, $states) = split / *\| */, $row;

		push @messages, { text => $_, states => $states, row => $row }
		  for $texts =~ /`([^`]+)`/g;
	}
	return @messages;
}

# Is one of two texts the other with something in the place of each …?
sub same_message
{
	my ($one, $other) = map { s/\b\d+\b/…/gr } @_;
	my ($p, $q) = map { join '.+', map { quotemeta } split /…/, $_, -1 } $one,
	  $other;

	return $one =~ /^$q$/ || $other =~ /^$p$/;
}

my @sources = source_messages();
my @table = manual_messages();

cmp_ok(scalar @sources, '>=', 50, 'the sources have messages');
cmp_ok(scalar @table, '>=', 40, 'the manual has tables of them');
foreach my $message (@sources)
{
	my @states = @{ $message->{states} };

	ok( ( grep {
				my $row = $_;

				same_message($row->{text}, $message->{text})
				  && ($row->{states} =~ /detail/
					|| ($row->{states} eq '' ? !@states || $message->{warning}
						: grep { $row->{states} =~ /\b$_\b/ } @states))
			} @table),
		bytes("$message->{file}: @states $message->{text}"));
}
foreach my $row (@table)
{
	ok( ( grep { same_message($row->{text}, $_->{text}) } @sources)
		  || ( grep { "$row->{states}: $row->{text}" eq $_ } @CORE),
		bytes("the table: $row->{text}"));
}

done_testing();
