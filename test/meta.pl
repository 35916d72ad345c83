#!/usr/bin/perl
# test/meta.pl [--planted]
#		Do META.json and the places that say the version or a file of the release
#		agree, and does META.json follow PGXN's specification 1.0.0?  Run in the
#		tree's top directory.
#
# Prints what is wrong, a line each; status 1 if there is anything.  With --planted
# each place is changed in memory, and the faults that were not found are printed.
#
# The rules are those of PGXN's own validator, for the keys that META.json has; no
# package of Debian has that program.  PGXN's "file" is the script that installs the
# version, and "docfile" is the page that the extension's name leads to.

use strict;
use warnings FATAL => 'all';

use JSON::PP;

my @FILES = qw(META.json gid.control CHANGELOG.md debian/changelog debian/NEWS src/attach/attach.c);
my $README = 'README.md';
my $VERSION = qr/\A(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}(?:-[A-Za-z][0-9A-Za-z-]*)?\z/;
my $TERM = qr{\A[^\s[:cntrl:]/\\]{2,}\z};
my $TAG = qr{\A[^[:cntrl:]/\\]{2,255}\z};

# invalid(META): where the structure does not follow the specification.
sub invalid
{
	my ($meta) = @_;
	my $text = sub { defined $_[0] && !ref $_[0] && length $_[0] };
	my $map = sub { ref $_[0] eq 'HASH' && %{ $_[0] } };
	my @wrong;
	my $check = sub { my ($what, $good) = @_; push @wrong, "$what is not valid" unless $good };
	my $keys = sub {
		my ($what, $of, @known) = @_;
		my %known = map { $_ => 1 } @known;
		$check->("key $_ of $what", $known{$_} || /\Ax_./i) for keys %$of;
	};

	$keys->('META.json', $meta, qw(name version abstract description maintainer license provides
		prereqs release_status resources tags no_index generated_by meta-spec));
	$check->($_, $text->($meta->{$_})) for qw(abstract description maintainer);
	$check->('name', ($meta->{name} // '') =~ $TERM);
	$check->('version', ($meta->{version} // '') =~ $VERSION);
	$check->('license', ($meta->{license} // '') eq 'postgresql');
	$check->('release_status', ($meta->{release_status} // 'stable') =~ /\A(?:(?:un)?stable|testing)\z/);
	$check->('meta-spec', $map->($meta->{'meta-spec'}) && ($meta->{'meta-spec'}{version} // '') eq '1.0.0'
		&& ($meta->{'meta-spec'}{url} // 'https://x/') =~ m{\A[a-z]+://[^/]+/});
	$check->('tags', ref $meta->{tags} eq 'ARRAY' && @{ $meta->{tags} } && !grep { $_ !~ $TAG } @{ $meta->{tags} });

	return @wrong, 'provides is not valid' if !$map->($meta->{provides});
	for my $name (keys %{ $meta->{provides} })
	{
		my $extension = $meta->{provides}{$name};
		$check->("name of extension $name", $name =~ $TERM);
		$keys->($name, $extension, qw(file version abstract docfile));
		$check->("$_ of $name", $text->($extension->{$_})) for qw(file abstract docfile);
		$check->("version of $name", ($extension->{version} // '') =~ $VERSION);
	}
	for my $phase (keys %{ $meta->{prereqs} // {} })
	{
		$check->("phase $phase", $phase =~ /\A(?:configure|build|test|runtime|develop)\z/);
		for my $relation (keys %{ $meta->{prereqs}{$phase} })
		{
			my $of = $meta->{prereqs}{$phase}{$relation};
			$check->("relation $relation", $relation =~ /\A(?:requires|recommends|suggests|conflicts)\z/);
			$check->("needed $_ $of->{$_}", $_ =~ $TERM && $of->{$_} =~ $VERSION) for keys %$of;
		}
	}
	return @wrong;
}

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
	my ($library) = $tree->{'src/attach/attach.c'} =~ /^#define GID_VERSION\s+"([^"]*)"/m;
	my ($debian, $news) = map { $tree->{$_} =~ /\A\S+ \(([^)]*)-[^-)]*\) / ? $1 : '' }
	  qw(debian/changelog debian/NEWS);
	my @heading = $tree->{'CHANGELOG.md'} =~ /^## \[([^]]*)\]/mg;
	my @wrong = ((map { "META.json has no $_" } @missing), invalid($meta));
	my $check = sub { my ($what, $good) = @_; push @wrong, $what unless $good };

	$check->('version of what is provided', ($gid->{version} // '') eq $version);
	$check->("default_version $default of gid.control", $release =~ /\A\Q$default\E\.[0-9]+\z/);
	$check->('GID_VERSION of src/attach/attach.c', ($library // '') eq $default);
	$check->('version of debian/changelog', $debian eq $version =~ tr/-/~/r);
	# the news of a version that is not the last one stay as they are
	$check->('version of debian/NEWS', index($tree->{'debian/changelog'}, "($news-") >= 0);
	$check->('release_status', $meta->{release_status} =~ (defined $dev ? qr/unstable|testing/ : qr/\Astable/));
	$check->('first heading of CHANGELOG.md',
		defined $dev ? $heading[0] eq 'Unreleased' : grep { defined && $_ eq $version } @heading[0, 1]);
	$check->("version of $README", $tree->{$README} =~ /^- State: \Q$version\E, /m);
	$check->('prereqs', ($meta->{prereqs}{runtime}{requires}{PostgreSQL} // '') eq '15.0.0');
	$check->('script of the version', ($gid->{file} // '') eq "gid--$default.sql");
	$check->('a file that is named', defined && -f) for @$gid{qw(file docfile)};
	return @wrong;
}

my (%tree, @result);
for my $name (@FILES, $README)
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
		[ 'license', qr/"postgresql"/, '"postgres"', 'META.json' ], [ 'tag', qr{"uuid"}, '"a/b"', 'META.json' ],
		[ 'key', qr/"tags"/, '"keywords"', 'META.json' ], [ 'phase', qr/"runtime"/, '"run"', 'META.json' ],
		[ 'specification', qr/"1\.0\.0"/, '"2.0.0"', 'META.json' ],
		[ 'version', qr/^- State: \K[0-9]+/m, '0', $README ],
		[ 'number', qr/"15\.0\.0"/, '"15.0"', 'META.json' ],
		map({ [ 'version', qr/(?<=[("'\[])([12]\.[0-9][^"')]*|Unreleased)/, '0.9', $_ ] } @FILES))
	{
		my ($what, $from, $to, $file) = @$fault;
		my $text = $tree{$file} =~ s/$from/$to/r;
		push @result, "a wrong $what in $file was not found"
		  if $text eq $tree{$file} || !faults({ %tree, $file => $text });
	}
}
print "$_\n" for @result;
exit(@result ? 1 : 0);
