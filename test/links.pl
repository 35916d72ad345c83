#!/usr/bin/perl
# test/links.pl [--planted]
#		Does every link of the documents lead somewhere?  A link inside the tree
#		names a file, and an anchor of that file.  Run in the tree's top directory.
#
# Also: each chapter of doc/ is named in doc/index.md, begins with what it is about, and
# ends with where to go next; the README keeps to its size; each picture is used.  Prints
# what is wrong, a line each; status 1 if there is anything.  With --planted a fault of
# each kind is put into the texts in memory, and must be found.

use strict;
use warnings FATAL => 'all';

use File::Basename qw(dirname);
use File::Spec::Functions qw(canonpath catfile);

use constant README_MAX => 12_000;

sub slurp
{
	my ($name) = @_;

	open my $fh, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$fh>;
}

# The document without its code, where brackets mean other things.
sub prose
{
	my ($text) = @_;

	$text =~ s/^```.*?^```$//msg;
	$text =~ s/`[^`\n]*`/x/g;
	return $text;
}

# The anchors that GitHub makes of a document's headings.
sub anchors
{
	my ($text) = @_;
	my (%anchor, %seen);

	$text =~ s/^```.*?^```$//msg;
	while ($text =~ /^#+ (.+)$/mg)
	{
		my $anchor = lc $1;

		$anchor =~ s/\[([^]]*)\]\([^)]*\)/$1/g;
		$anchor =~ s/[^\w\- ]//g;
		$anchor =~ tr/ /-/;
		my $again = $seen{$anchor}++;
		$anchor{ $again ? "$anchor-$again" : $anchor } = 1;
	}
	return \%anchor;
}

sub faults
{
	my ($tree) = @_;
	my (@wrong, %used);
	my %anchors = map { $_ => anchors($tree->{$_}) } keys %$tree;

	foreach my $name (sort keys %$tree)
	{
		my $text = prose($tree->{$name});

		while ($text =~ /\]\(\s*([^)\s]+)\s*\)/g)
		{
			my $link = $1;

			next if $link =~ /^(?:https?|mailto):/;
			my ($file, $anchor) = split /#/, $link, 2;
			my $path = $file eq '' ? $name : canonpath(catfile(dirname($name), $file));

			1 while $path =~ s{(?:^|/)\K(?!\.\./)[^/]+/\.\./}{};
			$used{$path} = 1;
			push @wrong, "$name: $link: there is no $path"
			  unless exists $tree->{$path} || -e $path;
			push @wrong, "$name: $link: $path has no such heading"
			  if defined $anchor && !($anchors{$path} || {})->{$anchor};
		}
	}
	foreach my $name (grep { m{^doc/} } sort keys %$tree)
	{
		my $file = $name =~ s{^doc/}{}r;

		push @wrong, "doc/index.md does not name $name"
		  unless $file eq 'index.md' || $tree->{'doc/index.md'} =~ /\(\Q$file\E[#)]/;
		push @wrong, "$name does not begin with what it is about"
		  unless $tree->{$name} =~ /\A(?:<!--.*-->\n)?# .+\n\n(?:<!--.*-->\n)?(?!For whoever )(?=.*\w)[^#|<!-]/;
		push @wrong, "$name does not end with where to go next"
		  unless $tree->{$name} =~ /^(?:## Where to go next\n(?:(?!^#).*\n)*|Where to go next: (?:.+\n)+)\z/m;
	}
	push @wrong, "$_ is in no document"
	  foreach grep { !$used{$_} } sort glob 'doc/pictures/*.svg';
	push @wrong, 'README.md is larger than ' . README_MAX . ' bytes'
	  if length $tree->{'README.md'} > README_MAX;
	return @wrong;
}

my %tree = map { $_ => slurp($_) }
  qw(README.md CONTRIBUTING.md SECURITY.md CHANGELOG.md src/README.md),
  glob 'doc/*.md';
my @result = faults(\%tree);

if (@ARGV)
{
	foreach my $fault (
		[ 'file', 'README.md', qr{\(doc/index\.md\)}, '(doc/no.md)' ],
		[ 'anchor', 'doc/index.md', qr/uuids\.md#version-7/, 'uuids.md#version-8' ],
		[ 'heading', 'doc/operations.md', qr/^## A standby$/m, '## A replica' ],
		[ 'beginning', 'doc/frameworks.md', qr/^This chapter shows how Django/m, 'For whoever uses Django' ],
		[ 'beginning', 'doc/uuids.md', qr/^gid generates(?:.+\n)+/m, '' ],
		[ 'end', 'doc/frameworks.md', qr/Where to go next:/, 'More:' ],
		[ 'index', 'doc/index.md', qr/frameworks\.md/, 'uuids.md' ],
		[ 'file', 'doc/frameworks.md', qr{\(\.\./}, '(' ],
		[ 'size', 'README.md', qr/\z/, 'x' x README_MAX ])
	{
		my ($what, $name, $from, $to) = @$fault;
		my $text = $tree{$name} =~ s/$from/$to/gr;

		push @result, "a wrong $what in $name was not found"
		  if $text eq $tree{$name} || !faults({ %tree, $name => $text });
	}
}
print "$_\n" for @result;
exit(@result ? 1 : 0);
