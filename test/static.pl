#!/usr/bin/perl
# test/static.pl
#		What the files of the tree tell by themselves: floors, names in comments,
#		links of the manual, places that must agree.  Run in the tree's top
#		directory.
#
# A check gets the texts of the tree by their paths, and returns what is wrong.
# At the end faults of each kind are put into the texts, one at a time, and
# must be found.  PG_CONFIG names the server whose headers comments may speak
# of.

use strict;
use warnings FATAL => 'all';

use File::Basename qw(basename dirname);
use File::Find;
use File::Spec::Functions qw(canonpath catfile);
use JSON::PP;
use Test::More;

use constant README_MAX => 12_000;

# From the uppermost to the lowest.  The files of src/ itself are above them
# all.
my @FLOORS = qw(id node sequence peer clock horizon attach text layout base);
my $COMMENT = qr{/\*.*?\*/}s;

sub slurp
{
	my ($name) = @_;

	open my $fh, '<:raw', $name or die "$name: $!\n";
	local $/;
	return scalar <$fh>;
}

# The paths of the tree that match.
sub paths
{
	my ($tree, $pattern) = @_;

	my @found = sort grep { /^$pattern$/ } keys %$tree;
	return @found;
}

# ---- tests ----

sub pairs
{
	my ($tree) = @_;
	my @pair = (
		[ 'sql/%s.sql', 'expected/%s.out' ],
		[ 'test/isolation/specs/%s.spec', 'test/isolation/expected/%s.out' ]);
	my @wrong;

	foreach my $pair (map { ($_, [ reverse @$_ ]) } @pair)
	{
		my ($one, $other) = @$pair;

		foreach my $path (paths($tree, $one =~ s/%s/(?:\\w+)/r))
		{
			my $wanted = sprintf $other, $path =~ m{(\w+)\.\w+$};

			push @wrong, "$path without $wanted" if !exists $tree->{$wanted};
		}
	}
	return @wrong;
}

# The manual names tests.
sub named
{
	my ($tree) = @_;
	my @wrong;

	foreach my $path (paths($tree, qr{README\.md|doc/.*\.md}))
	{
		push @wrong, map { "$path names the test $_, which is not there" }
		  grep { !paths($tree, qr{test/\w+/$_\.pl}) } $tree->{$path} =~ /\b(0\d\d_[a-z_]+)/g;
	}
	return @wrong;
}

# ---- families ----

# The functions of a range of time, without the family's name and type, and
# without what only an argument beside the moments brings.
sub twin
{
	my ($script, $family) = @_;
	my @functions = $script =~ /^(CREATE FUNCTION gid_${family}_(?:min|max|low|below|between)\(.*?;)$/msg;

	return join "\n", map { s/gid_$family/gid_\@/gr =~ s/, epoch_ms(?: bigint DEFAULT \d+)?//gr =~ s/ LEAKPROOF//r =~ s/\b(?:uuid|bigint)\b/type/gr } @functions;
}

# The script of the version, and those that lead to it.
sub scripts
{
	my ($tree) = @_;
	my ($version) = $tree->{'gid.control'} =~ /^default_version = '([^']*)'$/m;

	return ("gid--$version.sql", paths($tree, qr/gid--[\d.]+--\Q$version\E\.sql/));
}

# What a cell of each row of a document's tables says, the first one being 0;
# or what the lists of links say.  Where links lead is left out.
sub cells
{
	my ($text, $cell) = @_;

	return join "\n", $text =~ s/\]\([^)\n]*\)/]/gr =~ /^\|(?:[^|\n]*\|){$cell}([^|\n]*)\|/mg;
}

sub items
{
	my ($text) = @_;

	return join "\n", $text =~ s/\]\([^)\n]*\)/]/gr =~ /^- (\[.*(?:\n  .*)*)/mg;
}

# A document's part below a heading.
sub below
{
	my ($text, $heading) = @_;

	return $text =~ /^## $heading\n(.*?)(?=^## |\z)/ms ? $1 : '';
}

# Each family is in the places where no other test would miss it, and its ranges
# of time are declared as those of each other family.
sub families
{
	my ($tree) = @_;
	my ($name) = scripts($tree);
	my $script = $tree->{$name};
	my @ranges = $script =~ /^CREATE FUNCTION gid_(\w+)_between\(/mg;
	my @times = $script =~ /^CREATE FUNCTION gid_(\w+)_max\(/mg;
	my @drawn = $script =~ /^CREATE FUNCTION gid_(next(?:_gdid|_code)?)\(/mg;
	my @all = (@times, 'decimal_id', @drawn);
	my ($loud) = $tree->{'portable/bodies.sql'} =~ /^LOUD (.*?;)$/ms;
	my @section = $tree->{'tools/reference.sql'} =~ /^\(\d+, '(.*?)s', '(.*)'\)/mg;
	my (@wrong, %called);

	# Prose calls a family by its chapter of the reference, or by its function.
	while (my ($title, $pattern) = splice @section, 0, 2)
	{
		$called{$_} //= $title =~ s/ (?:UUID|id)$//r foreach grep { "gid_$_" =~ /$pattern/ } @all;
	}
	push @wrong, map { "tools/reference.sql has no chapter of $_" } grep { !$called{$_} } @all;
	return @wrong if @wrong;
	my $function = sub { qr/(?:\b|gid_)$_[0](?:\b|_)/ };
	my $call = sub { qr/\bgid_$_[0]\(/ };
	my $prose = sub { my $words = $called{ $_[0] }; qr/\b(?:$words|gid_$_[0]\b)/i };
	my $decoder = sub { my $words = join '_?', split /_/, $_[0] =~ s/^next_//r; qr/$words/i };
	my $whole = sub { $_[0] };
	my $rows = sub { cells($_[0], 0) };
	# families, how the place calls them, what is read of the files, files
	my @place = (
		[ \@all, $function, $whole, 'README.md', 'doc/choosing.md', 'sql/extension_schema.sql', 'test/bench/sql/calls.sql', 'tools/pictures.py' ],
		[ [ @times, 'decimal_id' ], $function, $whole, 'sql/contexts.sql', 'sql/stat_backends.sql', 'test/lib/GidTest.pm' ],
		[ \@ranges, $function, $whole, 'sql/between.sql', 'sql/lookalikes.sql', 'sql/plans.sql' ],
		[ [ grep { $_ ne 'next_code' } @all ], $call, $whole, 'test/bench/sql/inserts.sql' ],
		[ [ grep { $loud =~ $call->($_) } @all ], $call, $rows, 'doc/managed-servers.md' ],
		[ \@all, $prose, $rows, 'doc/what-an-id-shows.md', 'doc/uniqueness.md', 'doc/limits.md',
			'doc/logical-replication.md' ],
		[ [ grep { $_ ne 'next_code' } @all ], $prose, $rows, 'doc/partitioning.md' ],
		[ \@all, $prose, sub { items($_[0] =~ /^\*\*Ids\*\*\n(.*?)^\*\*/ms) }, 'doc/index.md' ],
		[ [ grep { $_ ne 'next' } @all ], $prose, sub { cells($_[0], 1) }, 'doc/vectors/README.md' ],
		(map { my $part = $_; [ [ grep { $_ ne 'next' } @all ], $prose, sub { cells(below($_[0], $part), 0) }, 'doc/reading-ids.md' ] }
			'Which decoder', 'Layouts'),
		[ [ grep { $_ ne 'next' } @all ], $decoder, $whole, 'doc/decoders/reading_ids.py', 'doc/decoders/reading_ids.mjs',
			'doc/decoders/reading_ids.go', 'doc/decoders/ReadingIds.java', 'doc/decoders/ReadingIds.cs', 'tools/read-an-id/ids.mjs' ],
		# by the decoder's name in Python
		[ [ grep { !/^next(?:_code)?$/ } @all ], sub { my $word = $_[0] =~ s/^next_//r; qr/(?<!def )\b$word\b(?!\()/ }, $whole,
			'doc/vectors/refusals.json', 'test/clients/with_reading_ids.py', 'test/clients/with_changed_ids.py',
			map { "test/clients/call_decoders.$_" } qw(py mjs go java cs) ]);

	foreach my $place (@place)
	{
		my ($families, $as, $part, @files) = @$place;

		foreach my $file (@files)
		{
			my $text = $part->($tree->{$file});

			push @wrong, map { "$file does not have $_" } grep { $text !~ $as->($_) } @$families;
		}
	}
	my ($inspect) = $script =~ /^(CREATE FUNCTION gid_inspect\(.*^END;)$/ms;
	my $source = join '', map { $tree->{$_} } paths($tree, 'src/.*');

	foreach my $family (@all)
	{
		push @wrong, "no unit test includes layout/$family.h"
		  if $tree->{"src/layout/$family.h"} && !grep { $tree->{$_} =~ m{"layout/$family\.h"} } paths($tree, 'test/unit/.*');
		# gid_inspect() and files have shorter names
		my $short = $family =~ s/^(?:uuid|next)_|_id$//gr;
		my $test = 'sql/' . ($family eq 'next' ? 'sequence_call' : $family =~ s/^next_(.*)/$1_next/r) . '.sql';

		push @wrong, "$test does not call gid_$family()" if ($tree->{$test} // '') !~ $call->($family);
		next if $family eq 'next_code';
		push @wrong, "gid_inspect() has no branch for $family" if $inspect !~ /'$short'/;
		push @wrong, "expected/inspect.out has no $family" if $tree->{'expected/inspect.out'} !~ /\bfamily (?:[^,\n]* )?$short\b/;
	}
	push @wrong, map { "doc/operations.md does not have the wait event $_" } grep { $tree->{'doc/operations.md'} !~ /`$_`/ }
	  $source =~ /(?:\bWORD\(\w+, "\w+"|\bgid_wait_event\(&\w+), "(\w+)"/g;
	return (@wrong, map { "ranges of $_ are declared in another way" } grep { twin($script, $_) ne twin($script, 'uuid_v7') } @ranges);
}

# The lists of files and of functions that a new one has to enter.
sub listed
{
	my ($tree) = @_;
	my ($name, @updates) = scripts($tree);
	my ($news) = $tree->{'CHANGELOG.md'} =~ /^(## \[.*?)(?=^## \[\d[^]]*\].*?^## |\z)/ms;
	my @wrong;

	push @wrong, map { "doc/vectors/README.md has no row of $_" } grep { $tree->{'doc/vectors/README.md'} !~ /^\| \Q$_\E \|/m }
	  map { basename($_) } paths($tree, qr{doc/vectors/.*\.json});
	push @wrong, map { "doc/vectors has no $_" } grep { !$tree->{"doc/vectors/$_"} } $tree->{'doc/vectors/README.md'} =~ /^\| (\w+\.json) \|/mg;
	push @wrong, map { "test/README.md does not name $_" } grep { $tree->{'test/README.md'} !~ /\b$_\b/ }
	  map { s/\.sql$//r } paths($tree, qr{sql/\w+\.sql});
	push @wrong, map { "test/t/060_portable.pl does not compare $_()" } grep { $tree->{'test/t/060_portable.pl'} !~ /\b$_\(/ }
	  grep { $tree->{$name} =~ /^CREATE FUNCTION $_\([^;]*^LANGUAGE C IMMUTABLE/m } $tree->{'portable/bodies.sql'} =~ /^BODY OF (gid_\w+)\(/mg;
	foreach my $update (@updates)
	{
		my ($revoked) = $tree->{$update} =~ /^-- Privileges$(.*)/ms;
		my @made = map { s/\s+/ /gr } $tree->{$update} =~ /^CREATE (?:FUNCTION|PROCEDURE) (\S+?\(.*?\))$/msg;

		foreach my $made (@made, $tree->{$update} =~ /^CREATE VIEW (\S+)/mg)
		{
			my ($object, $arguments) = split /\(/, $made =~ s/\)$//r, 2;
			my $types = join ', ', map { /^(?:IN )?"?\w+"? (.*?)(?: DEFAULT .*)?$/ } grep { !/^OUT / } split /, /, $arguments // '';
			my $listed = defined $arguments ? "$object($types)" : $object;

			push @wrong, "$update, \"Privileges\": what default privileges give on $listed is not taken back"
			  if $revoked !~ /[{\s",]\Q$listed\E[",}]/;
		}
		# the functions of a family follow from the one that makes ids
		push @wrong, map { "CHANGELOG.md does not name $_()" } grep { $news !~ /`$_\(/ } grep { !/^gid_(?:make|extract)_|_(?:min|max|low|below|between|horizon)$/ }
		  map { /^(gid_\w+)/ } @made;
	}
	return @wrong;
}

# ---- src/ ----

# A file includes files of its own folder and of folders below, and no files
# include each other in a circle.
sub floors
{
	my ($tree) = @_;
	my %floor = map { $FLOORS[$_] => $_ } 0 .. $#FLOORS;
	my (@wrong, %below, %seen, $walk);

	foreach my $path (paths($tree, qr{src/.*\.[ch]}))
	{
		my ($room, $folder) = $path =~ m{^src/((?:(\w+)/)?\w+)\.[ch]$};

		push @wrong, "$path has a folder that is no floor" if defined $folder && !exists $floor{$folder};
		while ($tree->{$path} =~ m{^#include "((?:(\w+)/)?\w+)\.h"}mg)
		{
			my ($name, $to) = ($1, $2);

			next if !exists $tree->{"src/$name.h"} || $room eq $name;
			push @wrong, "$path includes $name.h, which is above it"
			  if defined $folder && (!defined $to || $floor{$to} < $floor{$folder});
			$below{$room}{$name} = 1;
		}
	}
	$walk = sub {
		my ($room, @path) = @_;

		return push @wrong, 'a circle: ' . join(' > ', @path, $room) if grep { $_ eq $room } @path;
		return if $seen{$room}++;
		$walk->($_, @path, $room) foreach sort keys %{ $below{$room} };
	};
	$walk->($_) foreach sort keys %below;
	return @wrong;
}

# The map's table names every file and no other: a folder, what it holds, its
# files.  The first row has no folder; a row with an empty one goes on with the
# folder before.
sub mapped
{
	my ($tree) = @_;
	my ($folder, %mapped) = ('');

	foreach my $line (split /\n/, $tree->{'src/README.md'} =~ s/^## Walks.*//msr)
	{
		my ($in, $files) = $line =~ /^\| (\S*)\s*\| .* \| ([^|]*) \|$/ or next;

		$folder = $in if $in =~ m{/$};
		$mapped{"src/$folder$_"} = 1 foreach map { /^(\w+\.)\{c,h\}/ ? ("$1c", "$1h") : /^(\w+\.[ch])$/ } split ' ', $files;
	}
	return ((map { "src/README.md does not name $_" } grep { !$mapped{$_} } paths($tree, qr{src/.*\.[ch]})),
		map { "src/README.md names $_, which is not there" } grep { !exists $tree->{$_} } sort keys %mapped);
}

# pg_bsd_indent takes a type for a variable that typedefs.list does not have.
sub typed
{
	my ($tree) = @_;
	my %listed = map { $_ => 1 } split ' ', $tree->{'typedefs.list'};

	return map { "typedefs.list does not have $_" } grep { !$listed{$_} }
	  map { $tree->{$_} =~ /^(?:typedef (?:struct|union|enum) |\}\s*)(Gid\w+)(?:$|;)/mg } paths($tree, qr{src/.*\.[ch]});
}

# What PostgreSQL has in no header, what gid does not call of the C library,
# and the names in the headers.
my %known = map { $_ => 1 } qw(fill_seq_with_data string_to_uuid pg_input_is_valid isspace commands/sequence.c);

sub read_headers
{
	my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
	my ($server, $client) = map { `$pg_config $_` =~ s/\n//r } qw(--includedir-server --includedir);
	my @found = grep { -f } "$client/libpq-fe.h";

	find({ no_chdir => 1, wanted => sub { push @found, $_ if /\.h$/ && -f } }, $server);
	foreach my $text (map { slurp($_) } @found)
	{
		$known{$_} = 1 foreach $text =~ /\w+/g;
	}
	return;
}

# What a comment names is in the code of src/, in the SQL script, in
# PostgreSQL's headers or in the model itself: each name with parentheses, each
# name in backticks, each name that begins as gid's own do, and each file.
sub symbols
{
	my ($tree) = @_;
	my @sources = paths($tree, qr{src/.*\.[ch]});
	my %there = map { s{^src/}{}r => 1 } @sources;
	my @wrong;

	foreach my $text ((map { $tree->{$_} =~ s/$COMMENT/ /gr } @sources), map { $tree->{$_} } paths($tree, qr/gid--[\d.]+\.sql/))
	{
		$there{$_} = 1 foreach $text =~ /\w+/g;
	}
	foreach my $path (@sources, paths($tree, qr{test/model/.*\.pml}))
	{
		my %own = $path =~ /\.pml$/ ? map { $_ => 1 } $tree->{$path} =~ s/$COMMENT/ /gr =~ /\w+/g : ();

		foreach my $comment ($tree->{$path} =~ /$COMMENT/g)
		{
			# what ends with an underscore is the beginning of names
			push @wrong, map { "$path names $_, which is not there" } grep { !$there{$_} && !$known{$_} && !$own{$_} }
			  $comment =~ /\b([A-Za-z]\w*)\(\)/g, $comment =~ /`(\w+)/g,
			  $comment =~ /\b((?:gid_|Gid[A-Z]|GID_[A-Z])\w*[A-Za-z0-9])\b/g, $comment =~ m{(?<![\w/])([a-z]+/\w+\.[ch])\b}g;
		}
	}
	return @wrong;
}

# ---- the manual ----

# The anchors that GitHub makes of a document's headings.
sub anchors
{
	my ($text) = @_;
	my (%anchor, %seen);

	$text =~ s/^```.*?^```$//msg;
	while ($text =~ /^#+ (.+)$/mg)
	{
		my $anchor = lc($1) =~ s/\[([^]]*)\]\([^)]*\)/$1/gr =~ s/[^\w\- ]//gr =~ tr/ /-/r;
		my $again = $seen{$anchor}++;

		$anchor{ $again ? "$anchor-$again" : $anchor } = 1;
	}
	return \%anchor;
}

# A link inside the tree names a file, and an anchor of that file.  Each
# picture is used.
sub links
{
	my ($tree) = @_;
	my @documents = paths($tree, qr{(?:README|CONTRIBUTING|SECURITY|CHANGELOG|src/README|doc/[^/]+)\.md});
	my %anchors = map { $_ => anchors($tree->{$_}) } @documents;
	my (@wrong, %used);

	foreach my $name (@documents)
	{
		# without code, where brackets mean other things
		my $text = $tree->{$name} =~ s/^```.*?^```$//msgr =~ s/`[^`\n]*`/x/gr;

		foreach my $link (grep { !/^(?:https?|mailto):/ } $text =~ /\]\(\s*([^)\s]+)\s*\)/g)
		{
			my ($file, $anchor) = split /#/, $link, 2;
			my $path = $file eq '' ? $name : canonpath(catfile(dirname($name), $file));

			1 while $path =~ s{(?:^|/)\K(?!\.\./)[^/]+/\.\./}{};
			$used{$path} = 1;
			push @wrong, "$name: $link: there is no $path" if !exists $tree->{$path} && !-e $path;
			push @wrong, "$name: $link: $path has no such heading" if defined $anchor && !($anchors{$path} || {})->{$anchor};
		}
	}
	return (@wrong, map { "$_ is in no document" } grep { !$used{$_} } paths($tree, qr{doc/pictures/.*\.svg}));
}

# A chapter is in the index, begins with what it is about, and ends with where
# to go next.
sub chapters
{
	my ($tree) = @_;
	my @wrong = length $tree->{'README.md'} > README_MAX ? 'README.md is larger than ' . README_MAX . ' bytes' : ();

	foreach my $name (paths($tree, qr{doc/[^/]+\.md}))
	{
		my $file = basename($name);

		push @wrong, "doc/index.md does not name $name"
		  unless $file eq 'index.md' || $tree->{'doc/index.md'} =~ /\(\Q$file\E[#)]/;
		push @wrong, "$name does not begin with what it is about"
		  unless $tree->{$name} =~ /\A(?:<!--.*-->\n)?# .+\n\n(?:<!--.*-->\n)?(?=.*\w)[^#|<!-]/;
		push @wrong, "$name does not end with where to go next"
		  unless $tree->{$name} =~ /^(?:## Where to go next\n(?:(?!^#).*\n)*|Where to go next: (?:.+\n)+)\z/m;
	}
	return @wrong;
}

# ---- the release ----

# The places that say the version or a file of the release agree.
sub release
{
	my ($tree) = @_;
	my $meta = eval { decode_json($tree->{'META.json'}) } or return 'META.json is no JSON';
	my $version = $meta->{version};
	my $gid = $meta->{provides}{gid};
	my ($number, $dev) = split /-/, $version, 2;
	my ($default) = $tree->{'gid.control'} =~ /^default_version = '([^']*)'$/m;
	my ($news) = $tree->{'debian/NEWS'} =~ /\A\S+ \(([^)-]*)/;
	my @heading = $tree->{'CHANGELOG.md'} =~ /^## \[([^]]*)\]/mg;
	my @wrong;
	my $check = sub { my ($what, $good) = @_; push @wrong, $what if !$good };

	$check->('META.json: version of what is provided', $gid->{version} eq $version);
	$check->('META.json: script of the version', $gid->{file} eq "gid--$default.sql");
	$check->("META.json: there is no $_", exists $tree->{$_}) foreach @$gid{qw(file docfile)};
	$check->('META.json: prereqs', $meta->{prereqs}{runtime}{requires}{PostgreSQL} eq '15.0.0');
	$check->('META.json: release_status', $meta->{release_status} =~ (defined $dev ? qr/\A(?:unstable|testing)\z/ : qr/\Astable\z/));
	$check->('default_version of gid.control', $number =~ /\A\Q$default\E\.[0-9]+\z/);
	$check->('GID_VERSION of src/attach/attach.c', $tree->{'src/attach/attach.c'} =~ /^#define GID_VERSION\s+"\Q$default\E"/m);
	$check->('version of debian/changelog', $tree->{'debian/changelog'} =~ /\A\S+ \(\Q@{[ $version =~ tr|-|~|r ]}\E-/);
	# the news of a version that is not the last one stay as they are
	$check->('version of debian/NEWS', index($tree->{'debian/changelog'}, "($news-") >= 0);
	$check->('first heading of CHANGELOG.md', defined $dev ? $heading[0] eq 'Unreleased' : grep { defined && $_ eq $version } @heading[ 0, 1 ]);
	$check->('state of README.md', $tree->{'README.md'} =~ /^- State: \Q$version\E, /m);
	return @wrong;
}

# ---- the run ----

my %tree;

find({ no_chdir => 1, wanted => sub { $tree{s{^\./}{}r} = slurp($_) if -f && /\.(?:[chpmd]\w*|py|go|java|cs|sql|out|spec|json|svg|pml|control)$|debian|typedefs/ } },
	'.');
read_headers();

my @CHECKS = (
	[ \&pairs, 'each test of SQL has its expected output, and the reverse' ],
	[ \&named, 'each test that the manual names is there' ],
	[ \&families, 'each family is in the places where it belongs' ],
	[ \&listed, 'lists have each file and each function' ],
	[ \&floors, 'each file of src includes its own floor and those below, in no circle' ],
	[ \&mapped, 'the map names every file of src' ],
	[ \&typed, 'typedefs.list has every type of src' ],
	[ \&symbols, 'what the comments of src and of the models name is there' ],
	[ \&links, 'each link of the documents leads somewhere' ],
	[ \&chapters, 'each chapter has its beginning, its end and its place in the index' ],
	[ \&release, 'META.json and what must agree with it' ]);

foreach my $check (@CHECKS)
{
	my ($function, $name) = @$check;

	is(join("\n", $function->(\%tree)), '', $name);
}

# A check, a file, and what is put into it for what; undef: the file goes.
my @FAULTS = (
	[ \&pairs, 'expected/gdid.out' ],
	[ \&pairs, 'sql/gdid.sql' ],
	[ \&named, 'doc/sequences.md', qr/\z/, '099_no_test' ],
	(map { [ \&families, $_, qr/uuid_shard/, 'gone' ] } qw(README.md doc/choosing.md sql/extension_schema.sql tools/pictures.py sql/contexts.sql
		sql/stat_backends.sql test/lib/GidTest.pm sql/between.sql sql/lookalikes.sql sql/plans.sql doc/managed-servers.md
		test/bench/sql/calls.sql test/bench/sql/inserts.sql)),
	(map { [ \&families, $_, qr/^(?:\||- \[).*?\K[Ss]nowflake/m, 'gone' ] } qw(doc/what-an-id-shows.md doc/index.md doc/uniqueness.md doc/limits.md
		doc/partitioning.md doc/logical-replication.md)),
	[ \&families, 'doc/vectors/README.md', qr/^\|[^|]*\| \KSnowflake/m, 'gone' ],
	(map { [ \&families, 'doc/reading-ids.md', $_, 'gone' ] } qr/^\| \[\KSnowflake id/m, qr/^\| \KSnowflake id(?= \| milli)/m),
	(map { [ \&families, $_, qr/[Ss]nowflake/, 'gone' ] } qw(tools/reference.sql doc/decoders/reading_ids.mjs tools/read-an-id/ids.mjs
		doc/vectors/refusals.json test/clients/with_changed_ids.py test/clients/call_decoders.mjs)),
	[ \&families, 'expected/inspect.out', qr/\bfamily [^,\n]*\Kshard\b/, 'gone' ],
	[ \&families, 'test/unit/test_uuid.c', qr/"layout\/uuid_shard\.h"/, '"gone"' ],
	[ \&typed, 'typedefs.list', qr/^GidWord\n/m, '' ],
	(map { [ \&families, $_ ] } qw(sql/uuid_shard.sql sql/gdid_next.sql)),
	[ \&families, 'gid--2.1.sql', qr/'shard'/, "'gone'" ],
	(map { [ \&families, 'doc/operations.md', $_, 'gone' ] } qr/`GidShardLead`/, qr/`GidNodeLease`/),
	[ \&families, 'gid--2.1.sql', qr/'gid_uuid_shard_low'\nLANGUAGE C \KIMMUTABLE/, 'VOLATILE' ],
	[ \&listed, 'doc/vectors/snowflake.json' ],
	[ \&listed, 'doc/vectors/README.md', qr/^\| snowflake\.json/m, '| gone' ],
	[ \&listed, 'test/README.md', qr/\buuid_shard\b/, 'gone' ],
	[ \&listed, 'test/t/060_portable.pl', qr/gid_make_uuid_shard/, 'gone' ],
	[ \&listed, 'CHANGELOG.md', qr/gid_code_normalize/, 'gone' ],
	(map { [ \&listed, 'gid--2.0--2.1.sql', $_, '' ] } qr/"gid_code_normalize\(text, text\)", /, qr/gid\.metrics(?=\}'::regclass)/),
	[ \&floors, 'src/base/args.c', qr/\A/, qq(#include "id/families.h"\n) ],
	[ \&floors, 'src/sequence/block.c', qr/\A/, qq(#include "sequence/draw.h"\n) ],
	[ \&mapped, 'src/README.md', qr/draw\.\{c,h\}/, 'draw.c' ],
	(map { [ \&symbols, 'src/base/args.c', qr/\z/, "/* $_ */" ] } 'See gid_gone().', 'a `no_such_name`', 'a GidGone', 'as clock/gone.c'),
	[ \&symbols, 'test/model/clock.pml', qr/\z/, '/* backend_gone() */' ],
	[ \&links, 'README.md', qr{\(doc/index\.md\)}, '(doc/no.md)' ],
	[ \&links, 'doc/index.md', qr/uuids\.md#ranges-of-time/, 'uuids.md#version-8' ],
	[ \&links, 'doc/operations.md', qr/^## A standby$/m, '## A replica' ],
	[ \&links, 'doc/frameworks.md', qr{\(\.\./}, '(' ],
	[ \&chapters, 'doc/uuids.md', qr/^gid generates(?:.+\n)+/m, '' ],
	[ \&chapters, 'doc/frameworks.md', qr/Where to go next:/, 'More:' ],
	[ \&chapters, 'doc/index.md', qr/frameworks\.md/, 'uuids.md' ],
	[ \&chapters, 'README.md', qr/\z/, 'x' x README_MAX ],
	(map { [ \&release, $_, qr/(?<=[("'\[])([12]\.[0-9][^"')]*|Unreleased)/, '0.9' ] }
		qw(META.json gid.control CHANGELOG.md debian/changelog debian/NEWS src/attach/attach.c)),
	[ \&release, 'README.md', qr/^- State: \K[0-9]+/m, '0' ],
	[ \&release, 'META.json', qr/"(?:un)?stable"/, '"none"' ],
	[ \&release, 'META.json', qr/"file": "gid/, '"file": "no' ]);

foreach my $fault (@FAULTS)
{
	my ($function, $path, $from, $to) = @$fault;
	my %planted = %tree;

	delete $planted{$path} if !defined $from;
	$planted{$path} =~ s/$from/$to/g or BAIL_OUT("$path has no $from") if defined $from;
	isnt(join("\n", $function->(\%planted)), '', "a fault in $path is found");
}
done_testing();
