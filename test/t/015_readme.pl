# The manual is right: the SQL blocks of README.md and of each chapter in doc/,
# pasted one after the other into psql, print what the document says, and the
# tables of doc/errors.md have every message of the sources.
#
# SQL alone cannot test this: it reads a document as a reader does, with a psql
# of its own, and runs it on a new server.  If that prints anything else than the
# document says, it runs once more on another one, to tell what is generated from
# what is fixed.  Every other document begins with a server that preloads gid; the
# other server does not.  Neither has the collation C: in the first one upper('i')
# is not I, as in Turkish, and in the second one it is; in both a is before B.
# Three processes run the documents, because one would be the last of all tests.
# GID_DOCUMENTS="README.md doc/uuids.md" runs these alone.
#
# How a block is read:
#
# - Every ```sql block runs in one psql session, as a superuser, in UTC.  An error,
#   warning or notice that the document does not show fails the test.
# - A line directly before the block may say otherwise, unseen by the reader:
#       <!-- test: database NAME -->      run in that database, made if missing
#       <!-- test: window 2 -->           run in a second session beside the first
#       <!-- test: as owner of NAME -->   run in that database, in a session of its
#                                         own, by the owner, who is no superuser
#       <!-- test: into postgresql.conf -->   a ``` block of settings
#       <!-- test: run by 012_fleet -->   that file of test/t or test/others runs it,
#                                         or one as frameworks/with_duckdb.js
#       <!-- test: from 18 -->            run only with this version or later
#       <!-- test: before 18 -->          run only with an earlier version
#       <!-- test: not run, REASON -->    nobody does
# - Of a ```sh block what stands between <<'SQL' and SQL is such a block.  Another
#   ```sh block runs only if its line says which file runs it.
# - A ``` block without a language directly after it is what the block prints,
#   without command tags and counts of rows; errors and notices come last.
# - A comment behind a statement's semicolon gives what that statement prints,
#       SELECT gid_lexical_add('099', 1);     -- 100
#   unless it begins with a word of letters and a blank: then it is a remark.
#   ": " ends the value, a remark may follow.  Several rows or columns stand
#   one after the other, with ", " or " and " between them; NULL is NULL.
# - What is equal in the two runs must stand in the document as it is.  A word that
#   differs is generated (an id, a time, a pid) and has the same shape there: numbers
#   are each as good as another, other parts of a word have the same length.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Storable qw(retrieve store);
use Test::More;
use Time::HiRes qw(sleep);

my $TREE = "$FindBin::RealBin/../..";
my ($VERSION) = pg_config_of('pg_config', 'version') =~ / (\d+)/;

# --- reading a document ----------------------------------------------------

# The marker of a block that is no SQL.
my $CONF = 'into postgresql.conf';

# The blocks of a document: place, sql, the output (undef: none), the marker.
sub blocks
{
	my ($name) = @_;
	my $text = slurp_file("$TREE/$name");
	my @blocks;

	while ($text =~ /^(?:<!-- test: ([^\n]+) -->\n)?```(\w*)\n(.*?)^```$(?:\n```\n(.*?)^```$)?/msg)
	{
		my ($marker, $language, $sql, $output) = ($1, $2, $3, $4);
		my $line = substr($text, 0, $-[3]) =~ tr/\n//;

		if ($language eq 'sh')
		{
			my ($here) = $sql =~ /<<'SQL'\n(.*)^SQL$/ms;

			next unless defined $here || defined $marker;
			$sql = $here // '';
		}
		next unless $language =~ /^(sql|sh)$/ || ($marker // '') eq $CONF;
		push @blocks,
		  {
			place => "$name, line $line",
			sql => [ grep { /\S/ } split /\n/, $sql ],
			output => $output,
			marker => $marker // 'database postgres'
		  };
	}
	return @blocks;
}

# What a comment behind a statement says that it prints; undef: nothing.
sub comment_value
{
	my ($line) = @_;
	my ($comment) = $line =~ /;\s+-- (.+)$/ or return undef;

	return undef if $comment =~ /^[[:alpha:]_()]+ /;
	return $comment =~ s/: .*//r;
}

# --- what psql printed -----------------------------------------------------

# A word, or a time with its day.
my $WORD = qr/\d+-\d\d-\d\d \d\d:\d\d:\S+|[^\s|(),"{}\[\]]+/;

# Are two words of one shape?
sub same_shape
{
	my ($one, $other) = map { [ split /([A-Za-z0-9.]+)/ ] } @_;

	return 0 unless @$one == @$other;
	foreach my $i (0 .. $#$one)
	{
		my @pair = ($one->[$i], $other->[$i]);

		next if $pair[0] eq $pair[1] || 2 == grep { /^[\d.]+$/ } @pair;
		return 0 if length $pair[0] != length $pair[1] || grep { !/^[A-Za-z0-9.]+$/ } @pair;
	}
	return 1;
}

# Is a word of letters in one run as the document has it, and not in the other one?
# Then it is not generated: it depends on the collation.
sub by_collation
{
	my ($said, @printed) = @_;

	return $said =~ /^[A-Za-z]{2,}$/ && 1 == grep { $_ eq $said } @printed;
}

# Does the document say what was printed, in two runs?  Where these differ, a column's
# width is that of generated words.
sub as_said
{
	my ($said, $printed, $again) = map { s/ +$//mgr =~ s/\n+\z//r } @_;

	return $said eq $printed if $printed eq $again;
	my ($s, $p, $a) =
	  map { [ split /($WORD)/, s/^-+(\+-+)*$/-/mgr =~ s/^ +//mgr =~ s/ +/ /gr ] } $said, $printed, $again;

	return 0 unless @$s == @$p && @$p == @$a;
	return !grep {
		$p->[$_] eq $a->[$_] ? $s->[$_] ne $p->[$_] :
		  !same_shape($s->[$_], $p->[$_]) || by_collation($s->[$_], $p->[$_], $a->[$_])
	} 0 .. $#$p;
}

# The fields of the rows that a statement printed, with ", " between them.
sub values_of
{
	my @rows;

	foreach my $line (@_)
	{
		@rows = () if $line =~ /^-+(\+-+)*$/;
		push @rows, $line if $line !~ /^(-+(\+-+)*)?$/;
	}
	return join ', ', map { $_ eq '' ? 'NULL' : $_ } map { s/^ +| +$//gr } map { split /\|/, $_, -1 } @rows;
}

# --- running it ------------------------------------------------------------

# A psql as the reader has one; it repeats each line before what that prints.
sub reader
{
	my ($node, $db, @options) = @_;

	return session($node, $db, qw(-a -P format=aligned -P tuples_only=off -P footer=off -v VERBOSITY=default), @options);
}

# Pastes a block.  For each of its lines what was printed after it, as a list
# of lines; errors and notices as one more.
sub paste
{
	my ($psql, @sql) = @_;
	my ($out, $err) = $psql->query(join "\n", @sql);
	my @lines = split /\n/, $out, -1;
	my @printed;

	# The session's own semicolon comes after the block.
	foreach my $line (@sql, ';')
	{
		my @before;

		push @before, shift @lines while @lines && $lines[0] ne $line;
		die "psql did not take this line: $line\n$out\n$err" unless @lines;
		shift @lines;
		push @printed, \@before;
	}
	# What stands before a line was printed after the one before it.
	shift @printed;
	return [ @printed, [ split /\n/, $err =~ s/^psql:<stdin>:\d+: //mgr ] ];
}

my $ICU = pg_config_of('pg_config', 'configure') =~ /--with-icu/ || $VERSION >= 16
  && pg_config_of('pg_config', 'configure') !~ /--without-icu/;
my %new;

# A new server, of which each document gets a copy.  Without ICU its collation is C.
sub new_server
{
	my ($language) = @_;

	return $new{$language} if $new{$language};
	my $node = $new{$language} = PostgreSQL::Test::Cluster->new("new_$language");

	$node->init(extra => [ '--encoding=UTF8', '--locale=C', $ICU ? ('--locale-provider=icu', "--icu-locale=$language") : () ]);
	$node->append_conf('postgresql.conf', "fsync = off");
	if ($ICU)
	{
		$node->start;
		is($node->safe_psql('postgres', "SELECT upper('i') <> 'I', 'a' < 'B'"), $language eq 'tr' ? 't|t' : 'f|t', "collation $language");
		$node->stop;
	}
	$node->backup_fs_cold('new');
	return $node;
}

# Runs all blocks on a copy of a new server, which has some lines more in its
# configuration; what each printed.
sub run_blocks
{
	my ($name, $new, $conf, @blocks) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my (%psql, @printed);

	{
		# half of the work of copying file by file in Perl
		no warnings 'redefine';
		local *PostgreSQL::Test::RecursiveCopy::copypath = sub { system_or_bail('cp', '-RP', @_) };
		$node->init_from_backup($new, 'new');
	}
	$node->append_conf('postgresql.conf', $conf);
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE no_superuser LOGIN');
	foreach my $block (@blocks)
	{
		my ($how, $db) = $block->{marker} =~ /^(as owner of|database) (\w+)$/;
		my @sql = @{ $block->{sql} };

		$db //= 'postgres';
		$how = $block->{marker} if $block->{marker} =~ /^window/;
		if ($block->{marker} eq $CONF)
		{
			gid_reload($node, split / *= */, s/\s*#.*//r) for @sql;
			push @printed, [ map { [] } @sql, 'errors' ];
		}
		elsif (($how // '') eq 'as owner of')
		{
			$node->safe_psql('postgres', "ALTER DATABASE $db OWNER TO no_superuser");
			my $psql = reader($node, $db, '-U', 'no_superuser');

			push @printed, paste($psql, @sql);
			end_session($psql);
		}
		else
		{
			my $window = ($how // 'database') eq 'database' ? $db : $how;

			$node->safe_psql('postgres', "CREATE DATABASE $db")
			  unless $psql{$window} || $node->safe_psql('postgres', "SELECT 1 FROM pg_database WHERE datname = '$db'");
			$psql{$window} //= reader($node, $db);
			push @printed, paste($psql{$window}, @sql);
		}
	}
	end_session($_) for values %psql;
	$node->stop('immediate');
	return @printed;
}

my %count = map { $_ => 0 } qw(blocks owner outputs comments elsewhere other never);

# Does a block run here?
sub runs_here
{
	my ($name, $block) = @_;
	my $marker = $block->{marker};

	return 1 if $marker =~ /^(database \w+|as owner of \w+|window \d+|\Q$CONF\E)$/;
	return 1 if $marker =~ /^from (\d+)$/ && $VERSION >= $1 || $marker =~ /^before (\d+)$/ && $VERSION < $1;
	note("$block->{place}: $marker");
	if ($marker =~ /^(from|before) \d+$/)
	{
		$count{other}++;
	}
	elsif ($marker =~ m{^run by ((?:clients|frameworks)/\w+\.\w+|\w+)$})
	{
		my ($test) = grep { -f } map { "$TREE/test/$_" } $1, "t/$1.pl", "others/$1.pl";

		ok(defined $test && slurp_file($test) =~ /\Q$name\E/, "$block->{place}: $marker, which reads the document");
		$count{elsewhere}++;
	}
	else
	{
		like($marker, qr/^not run, \w/, "$block->{place}: has a reason");
		$count{never}++;
	}
	return 0;
}

# What a block printed that the document does not say, in two runs.
sub wrong_of
{
	my ($block, @runs) = @_;
	my @sql = @{ $block->{sql} };
	my @wrong;

	if (defined $block->{output})
	{
		my @printed = map { join "\n", map { @$_ } @$_ } @runs;

		push @wrong, $printed[0] unless as_said($block->{output}, @printed);
	}
	else
	{
		push @wrong, map { @{ $_->[-1] } } @runs;
	}
	foreach my $j (0 .. $#sql)
	{
		my $said = comment_value($sql[$j]) // next;
		my @printed = map { values_of(@{ $_->[$j] }) } @runs;

		$said =~ s/ and /, /g if $printed[0] !~ / and /;
		push @wrong, "$sql[$j]\nprints $printed[0]" unless as_said($said, @printed);
	}
	return @wrong;
}

$ENV{PGTZ} = 'UTC';
$ENV{PGCLIENTENCODING} = 'UTF8';
my @documents;

foreach my $name (
	$ENV{GID_DOCUMENTS}
	? split(/ /, $ENV{GID_DOCUMENTS})
	: ('README.md', map { s{^\Q$TREE\E/}{}r } sort glob "$TREE/doc/*.md"))
{
	my @run = grep { runs_here($name, $_) } blocks($name);

	push @documents, { name => $name, blocks => \@run } if @run;
}

# What the blocks of a document print, in one run or, if that is not what it says, in two.
sub printed_by
{
	my ($n) = @_;
	my @run = @{ $documents[$n]{blocks} };
	my $word = $documents[$n]{name} =~ s/\W/_/gr;
	my @conf = ('', "shared_preload_libraries = 'gid'");

	# Every other document begins with preload.
	@conf = reverse @conf if $n % 2;
	my @first = run_blocks("first_$word", new_server('tr'), $conf[0], @run);

	return [ \@first ] unless grep { wrong_of($run[$_], $first[$_], $first[$_]) } 0 .. $#run;
	# Ids of a second's resolution have another time in the other run.
	sleep(1.1);
	return [ \@first, [ run_blocks("second_$word", new_server('en'), $conf[1], @run) ] ];
}

new_server($_) foreach qw(tr en);
my $printed = PostgreSQL::Test::Utils::tempdir();
my $PROCESSES = 3;
my @children = map {
	my $child = $_;
	my $pid = fork() // die "fork: $!";

	if ($pid == 0)
	{
		foreach my $n (grep { $_ % $PROCESSES == $child } 0 .. $#documents)
		{
			store(printed_by($n), "$printed/$n");
		}
		# without the end of a test, which would remove the servers that all copy
		POSIX::_exit(0);
	}
	$pid;
} 0 .. $PROCESSES - 1;

waitpid($_, 0) foreach @children;

foreach my $n (0 .. $#documents)
{
	# A process that dies says why.
	ok(-e "$printed/$n", "$documents[$n]{name} has run to the end") or next;

	my @run = @{ $documents[$n]{blocks} };
	my @runs = @{ retrieve("$printed/$n") };

	$count{'documents that ran twice'}++ if @runs > 1;
	foreach my $i (0 .. $#run)
	{
		my $block = $run[$i];
		my @sql = @{ $block->{sql} };

		none("$block->{place}: $sql[0]", wrong_of($block, $runs[0][$i], $runs[-1][$i]));
		$count{blocks}++;
		$count{owner}++ if $block->{marker} =~ /^as owner/;
		$count{outputs}++ if defined $block->{output};
		$count{comments} += grep { defined comment_value($_) } @sql;
	}
}
note(join ', ', map { "$count{$_} $_" } sort keys %count);
my %least = $ENV{GID_DOCUMENTS} ? () : (blocks => 70, owner => 5, outputs => 10, comments => 70);

cmp_ok($count{$_}, '>=', $least{$_}, "$_ are run or compared") for sort keys %least;
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
	'53200: could not resize shared memory segment "…" to … bytes: Cannot allocate memory',
	'58P01: could not access file "gid"',
	'58P01: could not access file "$libdir/gid"',
	'42883: function gid_uuid_v7() does not exist',
	'42883, 42P01: function gid_code_normalize(…) does not exist',
	'42883, 42P01: relation "gid.metrics" does not exist',
	'42883: could not find function "gid_…" in file …',
	'42501: permission denied for function authority_resume',
	'XX000: attempt to redefine parameter "gid.…"',
	'42704: unrecognized configuration parameter "gid.…"');

# SQLSTATEs by the names that C has for them.
my %STATE = slurp_file(pg_config_of('pg_config', 'includedir-server') . '/utils/errcodes.h') =~
  /#define (ERRCODE_\w+) MAKE_SQLSTATE\(([^)]+)\)/g;

s/\W//g for values %STATE;

# How a message begins in the sources: ereport() and the like; what the detail
# says of an authority that has not answered; and the failures of gid.clock.
my $MESSAGE = qr/errmsg\(|gid_peer_fail(?:_libpq)?\([\w\s,]*,\s*|gid_peer_fail\([^;"]*psprintf\(|problems\[[^;"]*\s=\s|
	gid_clock_file_fail\([\w\s]*,\s*/x;

# The messages of the sources, with … for what varies, each as a hash: text,
# states (none for a LOG line, a WARNING or a detail), file.
sub source_messages
{
	my @messages;

	foreach my $file (sort glob "$TREE/src/*.c $TREE/src/*/*.c")
	{
		my $text = slurp_file($file) =~ s{/\*.*?\*/}{}gsr =~ s/UINT64_FORMAT/"%d"/gr;

		while ($text =~ /($MESSAGE)(?:\w+ \? )?((?:\s*:?\s*"(?:[^"\\]|\\.)*")+)/g)
		{
			my ($head, $strings, $before) = ($1, $2, substr $text, 0, $-[0]);
			my ($call) = $head eq 'errmsg(' ? $before =~ /.*((?:\b(?:ereport|ereturn|errsave|GUC_check_)|^\w+\().*)/sm : $head;
			my @states = map { $STATE{$_} // die "no SQLSTATE for $_" } $call =~ /\b(ERRCODE_\w+)/g;

			@states = ('58030', '53100') if $call =~ /^gid_clock_file_fail/;
			@states = ('22023') if $call =~ /^GUC_check_/;
			@states = () if $call =~ /^ereport\((?:LOG|LOG_SERVER_ONLY)\b/;

			# "one text" or condition ? "one" : "another"; a text goes on in the next string
			foreach my $message (split /"\s*:\s*"/, $strings =~ s/^\s*"|"\s*$//gr =~ s/"\s*"//gr)
			{
				push @messages,
				  {
					text => $message =~ s/\\"/"/gr =~ s/%[-0.*]*l*[a-zA-Z]/…/gr,
					states => \@states,
					warning => scalar($call =~ /^ereport\(WARNING\b/),
					file => $file =~ s{.*/}{}r
				  };
			}
		}
	}
	return @messages;
}

# The messages of the manual's tables: text, states.
sub manual_messages
{
	my $table = join '', slurp_file("$TREE/doc/errors.md") =~ /^\| message \| SQLSTATE \|.*\n\|[-|]+\n((?:\|.*\n)+)/mg;

	return map {
		my (undef, $texts, $states) = split / *\| */;

		map { { text => $_, states => $states } } $texts =~ /`([^`]+)`/g;
	} split /\n/, $table;
}

# Is one of two texts the other with something in the place of each …?
sub same_message
{
	my ($one, $other) = map { s/\b\d+\b/…/gr } @_;
	my ($p, $q) = map { join '.+', map { quotemeta } split /…/, $_, -1 } $one, $other;

	return $one =~ /^$q$/ || $other =~ /^$p$/;
}

# Does a row of the table have a message's SQLSTATE?
sub same_state
{
	my ($row, $message) = @_;
	my @states = @{ $message->{states} };

	return 1 if $row->{states} =~ /detail/;
	return !@states || $message->{warning} if $row->{states} eq '';
	return grep { $row->{states} =~ /\b$_\b/ } @states;
}

my @sources = source_messages();
my @table = manual_messages();

cmp_ok(scalar @sources, '>=', 50, 'the sources have messages');
cmp_ok(scalar @table, '>=', 40, 'the manual has tables of them');
foreach my $message (@sources)
{
	ok((grep { same_message($_->{text}, $message->{text}) && same_state($_, $message) } @table),
		"$message->{file}: @{ $message->{states} } $message->{text}");
}
foreach my $row (@table)
{
	ok((grep { same_message($row->{text}, $_->{text}) } @sources)
		|| (grep { "$row->{states}: $row->{text}" eq $_ } @CORE),
		"the table: $row->{text}");
}
foreach my $message (@CORE)
{
	ok((grep { "$_->{states}: $_->{text}" eq $message } @table), "the manual has $message");
}

done_testing();
