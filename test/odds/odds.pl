# test/odds/odds.pl
#		Calculates the tables of doc/uniqueness.md with the formulas that stand
#		there, and with the sizes of the headers in src.
#
# A block of the document begins with "<!-- odds: name -->" and ends with
# "<!-- end -->".  The cells of a table that are given come first in a row.
# Without --write the script shows each line that differs, and its status is 1.

use strict;
use warnings;
use POSIX qw(floor);

my ($DAY, $WEEK, $YEAR) = (86400, 7 * 86400, 365.25 * 86400);

# ---- constants ----

# The value of a macro whose definition is arithmetic.
sub macro
{
	my ($header, $name) = @_;
	open my $file, '<', "src/layout/$header.h" or die "$header.h: $!\n";
	my ($value) = map { /^#define $name\s+(.*)/ ? $1 : () } <$file>;
	die "$header.h does not define $name\n" unless defined $value;
	$value =~ s{/\*.*}{};
	$value =~ s/UINT64CONST|\(int64\)//g;
	$value =~ s/\bGID_\w+/macro($header, $&)/ge;
	return eval $value // die "$name: $@";
}

my $VARIANTS = 256 - 64;      # of a byte 8 that is not the RFC variant's
my %constant = (
	V7_RATE          => macro('uuid_v7', 'GID_V7_RATE'),
	V7_RANDOM        => 2**macro('uuid_v7', 'GID_V7_RANDOM_BITS'),
	TICKS_RATE       => macro('uuid_sequential', 'GID_TICKS_RATE'),
	PROCESSES        => $VARIANTS * 256**(macro('uuid_sequential', 'GID_PROCESS_BYTES') - 1),
	GENERATORS       => $VARIANTS * 256**(macro('uuid_shard', 'GID_GENERATOR_BYTES') - 1),
	COUNTERS         => 2**macro('uuid_shard', 'GID_SHARD_COUNTER_BITS'),
	NODES            => 2**macro('trace_id', 'GID_TRACE_NODE_BITS'),
	TRACE_PERIOD     => macro('trace_id', 'GID_TRACE_PERIOD_S'),
	NUMBERS          => macro('decimal_id', 'GID_DECIMAL_MAX_GENERATOR') + 1,
	DECIMAL_COUNTERS => macro('decimal_id', 'GID_DECIMAL_MAX_COUNTER'),
	V4_RANDOM        => 2**122);
$constant{V7_BELOW_MS} =
  $constant{V7_RANDOM} * 2**macro('uuid_v7', 'GID_V7_FRACTION_BITS');

# ---- numbers as text ----

# A whole number, with commas.
sub whole
{
	my $digits = sprintf '%.0f', shift;
	1 while $digits =~ s/^(\d+)(\d{3})/$1,$2/;
	return $digits;
}

# Two digits and a power of ten, or a plain number where that is short.
sub rough
{
	my $x = shift;
	return '0' if $x == 0;
	my $power = floor(log($x) / log(10) + 1e-12);
	$power++ if $x / 10**$power >= 9.95;
	return whole(floor($x / 10**($power - 1) + 0.5) * 10**($power - 1)) if $power >= 2 && $power <= 6;
	return sprintf '%.*f', $power < 1 ? 1 - $power : 0, $x if $power >= -2 && $power < 2;
	return sprintf '%.1fe%d', $x / 10**$power, $power;
}

sub percent
{
	my $x = shift;
	return $x > 0.999 && $x < 1 ? 'over 99.9 %' : sprintf '%.3g %%', 100 * $x;
}

sub bits { return sprintf '2^%.4g', log(shift) / log(2) }

sub some_bits
{
	my $x = shift;
	return "$VARIANTS * " . bits($x / $VARIANTS) . ' = ' . bits($x);
}

# ---- formulas ----

# The probability that, of n draws among k, two are equal.
sub any_equal
{
	my ($n, $k) = @_;
	my $none = 1;
	$none *= 1 - $_ / $k for 1 .. $n - 1;
	return 1 - $none;
}

my %formula = (v4_equal => 'N * R * T * (N * R * T - 1) / 2 / V4_RANDOM');

# value(NAME, N => 2, ...): a formula of the document with these variables.
sub value
{
	my ($name, %variable) = @_;
	my $text = $formula{$name} // die "there is no formula $name above its table\n";
	$text =~ s{\b(pairs_of_lives)\(.*?\)}{value($1, %variable)}ge;
	$text =~ s{\b([A-Z][A-Z0-9_]*)\b}{$variable{$1} // $constant{$1} // die "$name: what is $1?\n"}ge;
	return eval $text // die "$name: $@";
}

# ---- tables ----

my %restarts = (week => $WEEK, day => $DAY);

# Of each table, the number of given cells, and those that follow them.
my %table = (
	constants => [1, sub {
		my ($name) = @_;
		my $x = $constant{$name};
		return $name =~ /^V7_(RANDOM|BELOW_MS)$/ ? bits($x)
		  : $name =~ /^(PROCESSES|GENERATORS)$/ ? some_bits($x)
		  : $name eq 'TRACE_PERIOD' ? sprintf('%s s = %.2f days', whole($x), $x / $DAY)
		  : whole($x);
	}],
	v7 => [2, sub {
		my @given = (N => $_[0], R => $_[1], T => 10 * $YEAR);
		return map { rough(value($_, @given)) } qw(v7_equal v7_at_most v4_equal);
	}],
	'v7-backfill' => [1, sub { return rough(value('v7_backfill', M => $_[0])) }],
	servers => [2, sub {
		my ($n, $every) = @_;
		my @given = (N => $n, S => floor($n * 10 * $YEAR / $restarts{$every}));
		return (rough($given[3]), map { rough(value($_, @given)) } qw(equal_processes equal_generators));
	}],
	lives => [1, sub {
		my @given = (R => $_[0], T => 1);
		return map { rough(value($_, @given)) } qw(equal_ticks equal_counters);
	}],
	drawn => [1, sub { return percent(any_equal($_[0], $constant{NODES})) }],
	decimal => [2, sub {
		my ($restarts, $r) = @_;
		my $used = value('numbers_used', S => $restarts, R => $r, T => $YEAR) - 1;
		return (rough($used), rough(($constant{NUMBERS} - 1) / $used));
	}]);

# ---- the document ----

my ($name, $wrong, %rows, @lines) = ('', 0);
open my $document, '<', 'doc/uniqueness.md' or die "doc/uniqueness.md: $!\n";
while (my $line = <$document>)
{
	chomp(my $was = $line);
	$name = $1 if $line =~ /^<!-- odds: (\S+) -->/;
	$name = '' if $line =~ /^<!-- end -->/;
	$formula{$1} = $2 if $name =~ /formulas$/ && $line =~ /^(\w+) = (.*)/;
	if ($table{$name} && $line =~ /^\| / && $lines[-1] =~ /^\|/)
	{
		my ($given, $rest) = @{ $table{$name} };
		my (undef, @cells) = split /\s*\|\s*/, $line;
		my @numbers = map { s/,(?=\d{3})//gr } @cells[ 0 .. $given - 1 ];
		my @computed = $rest->(@numbers);
		splice @cells, $given, scalar @computed, @computed;
		$line = '| ' . join(' | ', @cells) . " |\n";
		$rows{$name}++;
	}
	print "-$was\n+$line" if "$was\n" ne $line && ++$wrong;
	push @lines, $line;
}
close $document;
$rows{$_} or die "there is no table $_\n" for sort keys %table;
if (@ARGV && $ARGV[0] eq '--write')
{
	open $document, '>', 'doc/uniqueness.md' or die "doc/uniqueness.md: $!\n";
	print {$document} @lines;
	close $document or die "doc/uniqueness.md: $!\n";
}
elsif ($wrong)
{
	exit 1;
}
