#!/usr/bin/perl
# test/floors.pl
#		Checks the floors of src/: a file includes files of its own folder and of
#		folders below, no files include each other in a circle, and no two files
#		have the same name.
#
# The list of floors is that of src/README.md, the upper ones first.  gid.c stands
# beside the uppermost.

use strict;
use warnings FATAL => 'all';

use File::Basename;

my @FLOORS = qw(id fleet decimal sequence clock attach text layout base);
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
		my ($to, $name) = $line =~ m{^#include "(\w+)/(\w+)\.h"}
		  or next;
		next if !exists $floor{$to} || !-e "src/$to/$name.h";
		push @wrong, "$path includes $to/$name.h, which is above it"
		  if defined $folder && $floor{$to} < $floor{$folder};
		$below{$room}{"$to/$name"} = 1 if $room ne "$to/$name";
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

print "$_\n" foreach @wrong;
die "no file was read\n" if !%below;
exit(@wrong > 0);
