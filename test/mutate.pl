#!/usr/bin/perl
# test/mutate.pl --list SEED TREE
# test/mutate.pl --apply NUMBER TREE
#		The small changes of TREE/src that test/mutants.sh tries: a list of them in
#		the random order of SEED, or one of them made.
#
# A line of the list is NUMBER, a tab, and what the change is.  The changes: a comparison
# turned, a constant greater or less by one, a sign, a condition negated, && and ||
# exchanged, a statement dropped.
#
# Comments, strings, assertions and directives but #define are left alone.

use strict;
use warnings FATAL => 'all';
no warnings 'portable';

use List::Util qw(shuffle);

my %TURNED = (
	'<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>', '==' => '!=', '!=' => '==',
	'&&' => '||', '||' => '&&', '+' => '-', '-' => '+', '++' => '--', '--' => '++',
	'+=' => '-=', '-=' => '+=');

# Text of the same length in which nothing is found.
sub blank
{
	return $_[0] =~ s/[^\n]/ /gr;
}

# A source without what is left alone; each offset stays what it was.
sub code
{
	my ($text) = @_;
	my $parens = qr/(\((?:[^()]++|(?-1))*\))/;

	$text =~ s{(/\*.*?\*/|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')}
	  { my $found = $1; $found =~ m{^/} ? blank($found) : '0' x length $found }gse;
	$text =~ s{^\h*\#(?!\h*define)(?:[^\n]*\\\n)*[^\n]*}{blank($&)}gme;
	$text =~ s{\b(?:Static)?Assert\w*$parens}{blank($&)}ge;
	return $text;
}

# The changes of a source: [offset, length, the new text, where a ")" comes or undef].
sub changes
{
	my ($text, $code) = @_;
	my @found;

	while ($code =~ m{(->|<<=?|>>=?|[-+<>=!]=|&&|\|\||\+\+|--|[-+<>])}g)
	{
		push @found, [ $-[1], length $1, $TURNED{$1} ] if exists $TURNED{$1};
	}
	while ($code =~ m{(?<![\w.])(0x[0-9a-f]+|\d+)(?=[uUlL]*\b)(?!\.)}gi)
	{
		my ($at, $old) = ($-[1], $1);
		next if substr($text, $at, length $old) ne $old;    # it is a string
		my ($format, $number) = $old =~ /^0x/i ? ('0x%x', hex $old) : ('%u', $old);
		push @found, [ $at, length $old, sprintf $format, $number + 1 ]
		  if $number < ~0;
		push @found, [ $at, length $old, sprintf $format, $number - 1 ] if $number > 0;
	}
	while ($code =~ m{\b(?:if|while) (\((?:[^()]++|(?1))*\))}g)
	{
		push @found, [ $-[1], 1, '(!(', $+[1] ];
	}
	# a statement on a line, after the end of another; no declaration
	while ($code =~ m{(?:[;\{\}\):]|\belse)\s*\n\t+(?=([^\n]*;)\h*\n)}g)
	{
		my ($at, $statement) = ($-[1], $1);

		next if $statement =~ /^(?:return\b.+|PG_RETURN.*|(?:static |const |volatile )*\w+\s+\**\w+\s*(?:[=\[,].*)?|[\}\{].*);$/;
		next if $statement =~ tr/(// != $statement =~ tr/)//;
		push @found, [ $at, length $statement, ';' ];
	}
	return @found;
}

my ($verb, $argument, $tree) = @ARGV;
my @list;

chdir $tree or die "$tree: $!";
foreach my $file (sort glob('src/*.[ch] src/*/*.[ch]'))
{
	open my $in, '<', $file or die "$file: $!";
	my $text = do { local $/; <$in> };

	push @list, map { [ $file, $text, @$_ ] } changes($text, code($text));
}

if ($verb eq '--list')
{
	srand $argument;
	foreach my $number (shuffle(0 .. $#list))
	{
		my ($file, $text, $at, $length, $new, $end) = @{ $list[$number] };
		my $line = 1 + substr($text, 0, $at) =~ tr/\n//;
		my $old = substr($text, $at, $length);
		my ($source) = (split /\n/, $text)[ $line - 1 ] =~ /^\s*(.*)/;
		my $change =
			defined $end ? 'negated'
		  : $new eq ';' ? 'dropped'
		  : "\"$old\" becomes \"$new\" at column " . ($at - rindex(substr($text, 0, $at), "\n"));

		print "$number\t$file:$line: $change: $source\n";
	}
}
else
{
	my ($file, $text, $at, $length, $new, $end) = @{ $list[$argument] };

	substr($text, $end, 0) = ')' if defined $end;
	substr($text, $at, $length) = $new;
	open my $out, '>', $file or die "$file: $!";
	print $out $text;
	close $out or die "$file: $!";
}
