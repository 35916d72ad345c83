#!/usr/bin/perl
# test/bench/lines.pl
#		Counts the cache lines that a draw writes, and that other sessions write, too.
#
# Reads what a single-user backend prints under valgrind's lackey, which traces each
# access to memory.  One statement prints the maps of the process, another one the pointer
# to the backends' own lines, at the end of gid's memory.  The others print a kind and a
# subject: "draws" has 20 draws, "one" has one.  What the first statement of a subject
# and kind alone writes does not count, nor what a statement without a draw writes.
#
# Prints for each subject and kind the number of lines of 64 bytes that each draw writes.

use strict;
use warnings FATAL => 'all';
no warnings 'portable';

my ($from, $own, $text) = (0, 0, '');
my (%now, %seen, %written, @order);

while (defined(my $line = <STDIN>))
{
	my $kind = substr($line, 0, 1);

	next if $kind eq 'I';
	if ($kind eq ' ')
	{
		next if !$own;
		my ($address) = $line =~ /^ [SM] ([0-9a-f]+),/ or next;
		my $at = hex($address);

		$now{ $at >> 6 }++ if $at >= $from && $at < $own;
		next;
	}
	$text .= "$1\n" while $line =~ /= "([^"]*)"/g;
	next if $line !~ /^backend> /;

	if ($text =~ m{^([0-9a-f]+)-([0-9a-f]+) rw-s .*/dev/zero}m)
	{
		$from = hex($1);
	}
	elsif ($text =~ /^own ([0-9a-f]{16})/)
	{
		$own = unpack('Q<', pack('H*', $1));
	}
	elsif ($text =~ /^(draws|one)\n(.*)\n/)
	{
		my ($name, $least) = ("$2\t$1", $1 eq 'one' ? 1 : 20);
		my @lines = grep { $now{$_} >= $least } keys %now;

		push @order, $name if !$seen{$name};
		# what each statement but the first one writes
		@lines = grep { $written{$name}{$_} } @lines if $seen{$name}++ > 1;
		$written{$name} = { map { $_ => 1 } @lines };
	}
	%now = ();
	$text = '';
}
die "no trace\n" if !$own || !@order;
foreach my $name (@order)
{
	my ($subject, $kind) = split /\t/, $name;
	my $without = $written{"a constant\t$kind"};

	printf "%s\t%s\t%d\n", $subject, $kind, scalar(grep { !$without->{$_} } keys %{ $written{$name} });
}
