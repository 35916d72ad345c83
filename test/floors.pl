#!/usr/bin/perl
# test/floors.pl
#		Checks the floors of src/: a file includes files of its own folder and of
#		folders below, no files include each other in a circle, no two files have
#		the same name, and the map, src/README.md, names every file and no other.
#
# The floors are listed from the uppermost to the lowest.  The files of src/ itself
# are above them all.

use strict;
use warnings FATAL => 'all';

use File::Basename;

my @FLOORS = qw(id node sequence peer clock horizon attach text layout base);
my %floor = map { $FLOORS[$_] => $_ } 0 .. $#FLOORS;
my @wrong;
my %below;    # file without its suffix => what it includes, likewise
my %named;

chdir dirname($0) . '/..' or die $!;

foreach my $path (sort glob('src/*.[ch] src/*/*.[ch]'))
{
	my ($folder) = $path =~ m{^src/(?:(\w+)/)?\w+\.[ch]$} or die $path;
	my $room = $path =~ s{^src/(.*)\.[ch]$}{$1}r;
	my $base = basename($path);

	push @wrong, "$path has a folder that is no floor"
	  if defined $folder && !exists $floor{$folder};
	push @wrong, "$path has the name of $named{$base}" if exists $named{$base};
	$named{$base} = $path;

	open my $in, '<', $path or die "$path: $!";
	while (my $line = <$in>)
	{
		my ($name, $to) = $line =~ m{^#include "((?:(\w+)/)?\w+)\.h"}
		  or next;
		next if !-e "src/$name.h";
		push @wrong, "$path includes $name.h, which is above it"
		  if defined $folder && (!defined $to || $floor{$to} < $floor{$folder});
		$below{$room}{$name} = 1 if $room ne $name;
	}
	close $in;
}

# Goes down from a file; the path tells of a circle.
my %seen;

sub walk
{
	my ($room, @path) = @_;

	foreach my $i (0 .. $#path)
	{
		next if $path[$i] ne $room;
		push @wrong, 'a circle: ' . join(' > ', @path[ $i .. $#path ], $room);
		return;
	}
	return if $seen{$room}++;
	walk($_, @path, $room) foreach sort keys %{ $below{$room} };
	return;
}

walk($_) foreach sort keys %below;

# The table of floors in the map: a folder, what it holds, its files.  The first
# row has no folder; a row with an empty one goes on with the folder before.
my $folder = '';
my %mapped;

open my $map, '<', 'src/README.md' or die "src/README.md: $!";
while (my $line = <$map>)
{
	last if $line =~ /^## Walks/;
	my ($in, $files) = $line =~ /^\| (\S*)\s*\| .* \| ([^|]*) \|$/ or next;

	$folder = $in if $in =~ m{/$};
	foreach my $word (grep { /\.(?:[ch]|\{c,h\})$/ } split ' ', $files)
	{
		my ($name, $both) = $word =~ /^(\w+\.)(?:\{(c,h)\})?/ or next;
		my @names = $both ? map({ "$name$_" } qw(c h)) : $word;

		$mapped{"src/$folder$_"} = 1 foreach @names;
	}
}
close $map;
my %path = map { $_ => 1 } values %named;

push @wrong, map { "src/README.md does not name $_" } grep { !$mapped{$_} } sort keys %path;
push @wrong, map { "src/README.md names $_, which is not there" } grep { !$path{$_} } sort keys %mapped;

print "$_\n" foreach @wrong;
die "no file was read\n" if !%below;
exit(@wrong > 0);
