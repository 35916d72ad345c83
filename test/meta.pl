#!/usr/bin/perl
# test/meta.pl [--planted]
#		Do META.json and the places that say the version or a file of the release
#		agree?  Run in the tree's top directory.
#
# Prints what does not agree, a line each; status 1 if there is anything.  With
# --planted each place is changed in memory, and the faults that were not found are
# printed.  PGXN checks the rest of META.json at the upload.

use strict;
use warnings FATAL => 'all';

use JSON::PP;

my @FILES = qw(META.json gid.control CHANGELOG.md debian/changelog src/attach/attach.h);

# faults(TREE): what is wrong with these texts.
sub faults
{
	my ($tree) = @_;
	my $meta = eval { decode_json($tree->{'META.json'}) } or return 'META.json is no JSON';
	my @missing = grep { !$meta->{$_} }
	  qw(name abstract version maintainer license provides prereqs release_status meta-spec);
	my $version = $meta->{version} // '';
	my ($release, $dev) = split /-/, $version, 2;
	my $gid = $meta->{provides}{gid} // {};
	my ($default) = $tree->{'gid.control'} =~ /^default_version = '([^']*)'$/m;
	my ($library) = $tree->{'src/attach/attach.h'} =~ /^#define GID_VERSION\s+"([^"]*)"/m;
	my ($debian) = $tree->{'debian/changelog'} =~ /\A\S+ \(([^)]*)-[^-)]*\) /;
	my @heading = $tree->{'CHANGELOG.md'} =~ /^## \[([^]]*)\]/mg;
	my @wrong = map { "META.json has no $_" } @missing;
	my $check = sub { my ($what, $good) = @_; push @wrong, $what unless $good };

	$check->("version $version", $version =~ /\A[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?\z/);
	$check->('version of what is provided', ($gid->{version} // '') eq $version);
	$check->("default_version $default of gid.control", $release =~ /\A\Q$default\E\.[0-9]+\z/);
	$check->('GID_VERSION of src/attach/attach.h', ($library // '') eq $default);
	$check->("version of debian/changelog", ($debian // '') eq $version =~ tr/-/~/r);
	$check->('release_status', $meta->{release_status} =~ (defined $dev ? qr/unstable|testing/ : qr/\Astable/));
	$check->('first heading of CHANGELOG.md',
		defined $dev ? $heading[0] eq 'Unreleased' : grep { $_ eq $version } @heading[0, 1]);
	$check->('prereqs', ($meta->{prereqs}{runtime}{requires}{PostgreSQL} // '') eq '15.0.0');
	# released scripts are frozen: the script of a version is the update to it
	$check->('script of the version', ($gid->{file} // '') =~ /\Agid--([0-9.]+--)?\Q$default\E\.sql\z/);
	$check->('a file that is named', defined && -f) for @$gid{qw(file docfile)};
	return @wrong;
}

my (%tree, @result);
for my $name (@FILES)
{
	open my $fh, '<', $name or die "$name: $!\n";
	$tree{$name} = join '', <$fh>;
}
@result = faults(\%tree);
if (@ARGV)
{
	for my $fault (map({ [ $_, qr/"$_"/, '"x"', 'META.json' ] } qw(maintainer license docfile requires)),
		[ 'status', qr/"(?:un)?stable"/, '"none"', 'META.json' ], [ 'brace', qr/\{/, '[', 'META.json' ],
		[ 'script', qr/"file": "gid/, '"file": "no', 'META.json' ],
		map({ [ 'version', qr/(?<=[("'\[])(1\.[0-9][^"')]*|Unreleased)/, '0.9', $_ ] } @FILES))
	{
		my ($what, $from, $to, $file) = @$fault;
		my $text = $tree{$file} =~ s/$from/$to/r;
		push @result, "a wrong $what in $file was not found"
		  if $text eq $tree{$file} || !faults({ %tree, $file => $text });
	}
}
print "$_\n" for @result;
exit(@result ? 1 : 0);
