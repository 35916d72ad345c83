#!/usr/bin/perl
# test/symbols.pl [--planted]
#		Checks that what a comment in src/ or in a model names is there: each name
#		with parentheses, as gid_slot_mine(), each name in backticks, each name that
#		begins as gid's own do (gid_, Gid, GID_), and each file, as clock/word.h.
#
# A name is there if the code of src/, the SQL script, PostgreSQL's headers or libpq's
# have it, or the model itself.  --planted checks comments with names that are gone
# instead, and expects that these are found.
#
# Read from the environment: PG_CONFIG.

use strict;
use warnings FATAL => 'all';

use File::Basename;
use File::Find;

# What PostgreSQL has in no header, and what gid does not call of the C library.
my %there = map { $_ => 1 } qw(fill_seq_with_data string_to_uuid pg_input_is_valid isspace
  commands/sequence.c);

my $COMMENT = qr{/\*.*?\*/}s;
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';

chdir dirname($0) . '/..' or die $!;

sub text_of
{
	my ($path) = @_;

	open my $in, '<:raw', $path or die "$path: $!";
	local $/;
	return scalar <$in>;
}

# Adds the names in a text.
sub add
{
	my ($names, $text) = @_;

	$names->{$_} = 1 foreach $text =~ /\w+/g;
	return;
}

my @sources = sort glob('src/*.[ch] src/*/*.[ch]');
my @models = sort glob('test/model/*.pml');
my %text = map { $_ => text_of($_) } @sources, @models;

$there{ s{^src/}{}r } = 1 foreach @sources;
die "no file was read\n" if !@sources || !@models;
add(\%there, $text{$_} =~ s/$COMMENT/ /gr) foreach @sources;
add(\%there, text_of($_)) foreach glob('gid--?.?.sql');
foreach my $option ('--includedir-server', '--includedir')
{
	my $dir = `$pg_config $option` or die "$pg_config does not run\n";

	chomp $dir;
	find({ no_chdir => 1, wanted => sub { add(\%there, text_of($_)) if /\.h$/ && -f } },
		grep { -e } $option eq '--includedir' ? "$dir/libpq-fe.h" : $dir);
}

if (@ARGV && $ARGV[0] eq '--planted')
{
	%text = (
		$sources[0] => "/* See gid_gone(). */ gid_called();\n",
		$sources[1] => "/*\n * Takes a `no_such_name` and a GidGone, as clock/gone.c; gid_attach() as well.\n */",
		$models[0] => "/*\n *	slow	backend_gone(), server_gone(), clock/word.c */\ninline server_gone() {}\n");
}

my @wrong;

foreach my $path (sort keys %text)
{
	my %own;

	add(\%own, $text{$path} =~ s/$COMMENT/ /gr) if $path =~ /\.pml$/;
	foreach my $comment ($text{$path} =~ /$COMMENT/g)
	{
		# what ends with an underscore is the beginning of names
		my %named = map { $_ => 1 } $comment =~ /\b([A-Za-z]\w*)\(\)/g,
		  $comment =~ /`(\w+)/g,
		  $comment =~ /\b((?:gid_|Gid[A-Z]|GID_[A-Z])\w*[A-Za-z0-9])\b/g,
		  $comment =~ m{(?<![\w/])([a-z]+/\w+\.[ch])\b}g;

		push @wrong, map { "$path names $_, which is not there" }
		  grep { !$there{$_} && !$own{$_} } sort keys %named;
	}
}
print "$_\n" foreach @wrong;

if (@ARGV && $ARGV[0] eq '--planted')
{
	my $found = join ' ', sort map { / names (\S+),/ } @wrong;

	exit($found ne 'GidGone backend_gone clock/gone.c gid_gone no_such_name');
}
exit(@wrong > 0);
