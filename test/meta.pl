#!/usr/bin/perl
# test/meta.pl [DIRECTORY]
#		META.json against the rules of the PGXN Meta Spec 1.0.0, and the places
#		that say a version or a file of the release against each other.
#
# Prints what is wrong, a line each; status 1 if there is anything.  With
# --planted, each rule is shown a copy with a fault that it must find; what is
# printed then are the faults that were not found.
#
# References: https://pgxn.org/spec/, whose sections the comments name, and
# Semantic Versioning 2.0.0.

use strict;
use warnings FATAL => 'all';

use JSON::PP;

my @wrong;

my %LICENSES = map { $_ => 1 } qw(agpl_3 apache_1_1 apache_2_0 artistic_1
  artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3 gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0
  mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun zlib
  open_source restricted unrestricted unknown);
my $NUMBER = qr/(?:0|[1-9][0-9]*)/;
my $SEMVER = qr/$NUMBER\.$NUMBER\.$NUMBER(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/;

sub wrong { push @wrong, join ' ', @_; return }

# --- the types of the spec: each tells whether a value is of the type --------

sub is_string { my ($v) = @_; return defined $v && !ref $v && length $v }

sub is_term
{
	my ($v) = @_;

	return is_string($v) && length $v >= 2 && $v !~ m{[\s[:cntrl:]/\\]};
}

sub is_tag
{
	my ($v) = @_;

	return is_string($v) && length $v < 256 && $v !~ m{[[:cntrl:]/\\]};
}
sub is_version { my ($v) = @_; return is_string($v) && $v =~ /\A$SEMVER\z/ }

sub is_range
{
	my ($v) = @_;

	return 0 unless is_string($v);
	for my $part (split /,\s*/, $v, -1)
	{
		return 0 unless $part =~ /\A(?:(?:[<>]=?|==|!=)\s*)?(?:0|$SEMVER)\z/;
	}
	return 1;
}
sub is_url { my ($v) = @_; return is_string($v) && $v =~ m{\A[a-z][a-z0-9+.-]*://[^/?#]}i }

sub is_path
{
	my ($v) = @_;

	return is_string($v) && $v !~ m{\A/|\\|(?:\A|/)\.\.(?:/|\z)};
}
sub is_status { my ($v) = @_; return is_string($v) && $v =~ /\A(?:stable|testing|unstable)\z/ }
sub is_license { my ($v) = @_; return is_string($v) && $LICENSES{$v} }
sub is_email { my ($v) = @_; return is_string($v) && $v =~ /\@/ }

sub is_lower { my ($v) = @_; return is_string($v) && $v !~ /\p{Upper}/ }

# --- the structure of the spec -----------------------------------------------

# A map: its keys and what is said of each; '*' for any other key.  A key with
# x_ before it is free.
sub check_map
{
	my ($path, $v, $keys) = @_;

	return wrong("$path is not a map") unless ref $v eq 'HASH';
	for my $key (sort keys %$keys)
	{
		wrong("$path/$key is missing")
		  if $keys->{$key}{required} && !defined $v->{$key};
	}
	for my $key (sort keys %$v)
	{
		next if $key =~ /\Ax_/i && !$keys->{$key};
		my $rule = $keys->{$key} || $keys->{'*'};

		if (!$rule || $rule->{key} && !$rule->{key}->($key))
		{
			wrong("$path/$key is no key of the spec");
			next;
		}
		check_value("$path/$key", $v->{$key}, $rule);
	}
	return;
}

sub check_value
{
	my ($path, $v, $rule) = @_;

	if ($rule->{map} && !($rule->{list} && ref $v ne 'HASH'))
	{
		check_map($path, $v, $rule->{map});
	}
	elsif ($rule->{list})
	{
		# "Consumers expecting a List must consider a String as equivalent"
		my @list = ref $v eq 'ARRAY' ? @$v : ($v);

		wrong("$path is empty") unless @list;
		for my $i (0 .. $#list)
		{
			wrong("$path\[$i] is not valid: " . encode($list[$i]))
			  unless $rule->{list}->($list[$i]);
		}
	}
	else
	{
		wrong("$path is not valid: " . encode($v)) unless $rule->{is}->($v);
	}
	return;
}

sub encode { return JSON::PP->new->canonical->allow_nonref->encode($_[0]) }

my %PREREQ = (
	key => sub { $_[0] =~ /\A(?:requires|recommends|suggests|conflicts)\z/ },
	map => { '*' => { key => \&is_term, is => \&is_range } });
my %STRUCTURE = (
	name => { required => 1, is => \&is_term },
	version => { required => 1, is => \&is_version },
	abstract => { required => 1, is => \&is_string },
	maintainer => { required => 1, list => \&is_string },
	license => {
		required => 1,
		list => \&is_license,
		map => { '*' => { is => \&is_url } }
	},
	provides => {
		required => 1,
		map => {
			'*' => {
				key => \&is_term,
				map => {
					file => { required => 1, is => \&is_path },
					version => { required => 1, is => \&is_version },
					abstract => { is => \&is_string },
					docfile => { is => \&is_path }
				}
			}
		}
	},
	'meta-spec' => {
		required => 1,
		map => {
			version => { required => 1, is => sub { is_string($_[0]) && $_[0] eq '1.0.0' } },
			url => { is => \&is_url }
		}
	},
	description => { is => \&is_string },
	generated_by => { is => \&is_string },
	release_status => { is => \&is_status },
	tags => { list => \&is_tag },
	no_index => {
		map => {
			file => { list => \&is_path },
			directory => { list => \&is_path }
		}
	},
	prereqs => {
		map => {
			'*' => {
				key => sub { $_[0] =~ /\A(?:configure|build|test|runtime|develop)\z/ },
				map => { '*' => \%PREREQ }
			}
		}
	},
	resources => {
		map => {
			homepage => { is => \&is_url },
			bugtracker => {
				map => {
					web => { is => \&is_url },
					mailto => { is => \&is_email }
				}
			},
			repository => {
				map => {
					web => { is => \&is_url },
					url => { is => \&is_url },
					type => { is => \&is_lower }
				}
			}
		}
	});

# --- the places that must agree ----------------------------------------------

# The tree's files that are read, by their names.
my @FILES = qw(META.json gid.control CHANGELOG.md Makefile debian/changelog
  debian/control debian/control.in debian/copyright LICENSE);

sub read_tree
{
	my ($dir) = @_;
	my %tree = (dir => $dir);

	for my $name (@FILES)
	{
		open my $fh, '<', "$dir/$name" or die "$dir/$name: $!\n";
		local $/;
		$tree{$name} = <$fh>;
		close $fh;
	}
	return \%tree;
}

sub check_places
{
	my ($tree, $meta) = @_;
	my $gid = $meta->{provides}{gid} // {};
	my $version = $meta->{version} // '';
	my ($default) = $tree->{'gid.control'} =~ /^default_version = '([^']*)'$/m;
	my ($first, $next) = $tree->{'CHANGELOG.md'} =~ /^## \[([^]]*)\].*?(?:^## \[([^]]*)\]|\z)/ms;
	my ($debian) = $tree->{'debian/changelog'} =~ /\A\S+ \(([^)]*)-[^-)]*\) /;

	$default //= '';

	# One extension, one distribution, one version.
	wrong('name is not "gid", what is provided neither')
	  unless ($meta->{name} // '') eq 'gid' && join(' ', keys %{ $meta->{provides} }) eq 'gid';
	wrong('provides/gid/version is not version') unless ($gid->{version} // '') eq $version;
	wrong(qq(default_version "$default" of gid.control is not the first two numbers of version "$version"))
	  unless $version =~ /\A\Q$default\E\.[0-9]+(?:-|\z)/;
	# Released scripts are frozen: the script of a version is then the update to it.
	wrong('provides/gid/file is not the script of default_version')
	  unless ($gid->{file} // '') =~ /\Agid--(?:[0-9.]+--)?\Q$default\E\.sql\z/;

	# A version before the release is unstable, and its changes are unreleased.
	if ($version =~ /-/)
	{
		wrong("release_status of version $version is stable")
		  if ($meta->{release_status} // 'stable') eq 'stable';
		wrong('the first heading of CHANGELOG.md is not [Unreleased]')
		  unless ($first // '') eq 'Unreleased';
	}
	else
	{
		my $heading = ($first // '') eq 'Unreleased' ? $next : $first;

		wrong("CHANGELOG.md has no heading [$version] first")
		  unless ($heading // '') eq $version;
	}
	(my $tilde = $version) =~ s/-/~/;
	wrong(qq(debian/changelog begins with version "@{[$debian // '']}", not "$tilde"))
	  unless ($debian // '') eq $tilde;

	# What is named is there.
	for my $file (grep { is_path($_) } map { @$_{qw(file docfile)} } values %{ $meta->{provides} })
	{
		wrong("there is no file $file") unless -f "$tree->{dir}/$file";
	}

	# debian/control is debian/control.in for some versions.
	my ($source, @packages) = split /\n{2,}/, $tree->{'debian/control'};
	my (undef, $package) = split /\n{2,}/, $tree->{'debian/control.in'};
	for my $p (@packages)
	{
		my ($major) = $p =~ /\APackage: postgresql-([0-9]+)-gid$/m;

		s/\s+\z// for $p, $package;
		wrong('debian/control is not made from debian/control.in')
		  unless defined $major && ($package =~ s/PGVERSION/$major/gr) eq $p;
	}
	wrong('debian/control is not made from debian/control.in')
	  unless @packages && index($tree->{'debian/control.in'}, $source) == 0;

	# The license is given in two places.
	(my $text = $tree->{LICENSE}) =~ s/\A.*?(?=^Permission)//ms;
	$text =~ s/^$/./mg;
	$text =~ s/^/ /mg;
	wrong('debian/copyright has not the text of LICENSE')
	  unless index($tree->{'debian/copyright'}, $text) >= 0;
	return;
}

# Everything: the faults of a tree.
sub faults
{
	my ($tree) = @_;
	my $meta = eval { JSON::PP->new->utf8->decode($tree->{'META.json'}) };

	@wrong = ();
	if (ref $meta ne 'HASH')
	{
		wrong('META.json is not a JSON object');
	}
	else
	{
		check_map('META.json', $meta, \%STRUCTURE);
		check_places($tree, $meta)
		  if ref $meta->{provides} eq 'HASH' && !grep { ref ne 'HASH' } values %{ $meta->{provides} };
	}
	return @wrong;
}

# --- planted faults ----------------------------------------------------------

# Each: a file, what becomes what in it, and what the complaint must say.
my @PLANTED = (
	[ 'META.json', qr/\{/, '[', qr/not a JSON object/ ],
	[ 'META.json', qr/"abstract": "[^"]*",\n   "description"/, '"description"', qr{/abstract is missing} ],
	[ 'META.json', qr/"maintainer": "[^"]*",/, '', qr{/maintainer is missing} ],
	[ 'META.json', qr/"maintainer": "[^"]*"/, '"maintainer": ""', qr{/maintainer\[0\]} ],
	[ 'META.json', qr/"maintainer": "[^"]*"/, '"maintainer": []', qr{/maintainer is empty} ],
	[ 'META.json', qr/"license": "[^"]*",/, '', qr{/license is missing} ],
	[ 'META.json', qr/"license": "[^"]*"/, '"license": "PostgreSQL"', qr{/license\[0\]} ],
	[ 'META.json', qr/"license": "[^"]*"/, '"license": {"PostgreSQL": "LICENSE"}', qr{/license/PostgreSQL} ],
	[ 'META.json', qr/"name": "gid"/, '"name": "g"', qr{/name is not valid} ],
	[ 'META.json', qr/"name": "gid"/, '"name": "g id"', qr{/name is not valid} ],
	[ 'META.json', qr/"name": "gid"/, '"name": "gids"', qr{name is not "gid"} ],
	[ 'META.json', qr/"version": "[^"]*",\n   "maint/, '"version": "1.0", "maint', qr{META.json/version is not valid} ],
	[ 'META.json', qr/"version": "[^"]*",\n   "maint/, '"version": "1.00.0", "maint', qr{META.json/version is not valid} ],
	[ 'META.json', qr/"version": "[^"]*",\n   "maint/, '"maint', qr{META.json/version is missing} ],
	[ 'META.json', qr/"version": "[^"]*",\n   "maint/, '"version": "2.0.0", "maint', qr/first two numbers/ ],
	[ 'META.json', qr/"version": "[^"]*"\n      \}/, '"version": "1.0.7" }', qr{provides/gid/version is not} ],
	[ 'META.json', qr/"file": "[^"]*",/, '', qr{/file is missing} ],
	[ 'META.json', qr/"file": "[^"]*"/, '"file": "/gid--1.0.sql"', qr{/file is not valid} ],
	[ 'META.json', qr/"file": "[^"]*"/, '"file": "gid--0.9.sql"', qr/there is no file/ ],
	[ 'META.json', qr/"file": "[^"]*"/, '"file": "gid.control"', qr/not the script/ ],
	[ 'META.json', qr/"file": "[^"]*"/, '"file": "gid--1.0.sql"', qr/not the script/ ],
	[ 'META.json', qr/"file": "[^"]*"/, '"file": "gid--1.1--1.0.sql"', qr/not the script/ ],
	[ 'META.json', qr/"docfile": "[^"]*"/, '"docfile": "doc/gid.md"', qr/there is no file/ ],
	[ 'META.json', qr/"docfile"/, '"docs"', qr{/docs is no key} ],
	[ 'META.json', qr/"provides": \{.*?\n   \},/s, '', qr{/provides is missing} ],
	[ 'META.json', qr/"runtime"/, '"run"', qr{/run is no key} ],
	[ 'META.json', qr/"requires"/, '"needs"', qr{/needs is no key} ],
	[ 'META.json', qr/"PostgreSQL": "[^"]*"/, '"PostgreSQL": "15+"', qr{/PostgreSQL is not valid} ],
	[ 'META.json', qr/"release_status": "[^"]*"/, '"release_status": "beta"', qr{/release_status is not valid} ],
	[ 'META.json', qr/"meta-spec": \{.*?\},/s, '', qr{/meta-spec is missing} ],
	[ 'META.json', qr{"version": "[^"]*",\s*"url"}, '"version": "2.0.0", "url"', qr{/meta-spec/version} ],
	[ 'META.json', qr{"url": "[^"]*"}, '"url": "pgxn.org"', qr{/url is not valid} ],
	[ 'META.json', qr/"uuid",/, '"uu/id",', qr{/tags\[0\]} ],
	[ 'META.json', qr/"uuid",/, '"' . 'u' x 256 . '",', qr{/tags\[0\]} ],
	[ 'META.json', qr/"tags"/, '"keywords"', qr{/keywords is no key} ],
	[ 'gid.control', qr/default_version = '[^']*'/, "default_version = '0.9'", qr/first two numbers/ ],
	[ 'debian/changelog', qr/\(/, '(9', qr/debian.changelog begins/ ],
	[ 'debian/control', qr/Section: /, 'Section: x', qr/not made from/ ],
	[ 'debian/control', qr/gives?|values/, 'x', qr/not made from/ ],
	[ 'debian/copyright', qr/without fee/, 'for a fee', qr/LICENSE/ ]);

# What is planted in a version before its release, and in a released one.
my @PLANTED_DEV = (
	[ 'META.json', qr/"release_status": "[^"]*"/, '"release_status": "stable"', qr/is stable/ ],
	[ 'CHANGELOG.md', qr/\[Unreleased\]/, '[1.0.0]', qr/not \[Unreleased\]/ ]);
my @PLANTED_RELEASE =
  ([ 'CHANGELOG.md', qr/^## \[[0-9.]+\]/m, '## [0.9.0]', qr/has no heading/ ]);

# A tree as it is before the release ("-dev") or at it ("").
sub at_version
{
	my ($tree, $suffix) = @_;
	my %new = %$tree;
	my $status = $suffix ? 'unstable' : 'stable';
	my ($version) = $new{'META.json'} =~ /^   "version": "([0-9.]+)/m;
	my $quoted = quotemeta $version;

	$new{'META.json'} =~ s/"$quoted(?:-dev)?"(?!,\s*"url")/"$version$suffix"/g;
	$new{'META.json'} =~ s/("release_status": )"[^"]*"/$1"$status"/;
	$new{'debian/changelog'} =~ s/\($quoted(?:~dev)?-/"($version" . ($suffix =~ tr,-,~,r) . '-'/e;
	$new{'CHANGELOG.md'} =~ s/^## \[.*?\]/## [Unreleased]\n\n## [$version]/m;
	return \%new;
}

sub planted
{
	my ($tree) = @_;
	my $dev = at_version($tree, '-dev');
	my $released = at_version($tree, '');
	my @missed;

	for my $set ([ $tree, \@PLANTED ], [ $dev, \@PLANTED_DEV ], [ $released, \@PLANTED_RELEASE ])
	{
		my ($base, $planted) = @$set;

		push @missed, map { "found without a planted fault: $_" } faults($base);
		for (@$planted)
		{
			my ($file, $from, $to, $complaint) = @$_;
			my %bad = %$base;

			if (!($bad{$file} =~ s/$from/$to/))
			{
				push @missed, "$file has nothing for a planted fault: $from";
			}
			elsif (!grep { $_ =~ $complaint } faults(\%bad))
			{
				push @missed, "not found in $file: $to";
			}
		}
	}
	return @missed;
}

my $plant = @ARGV && $ARGV[0] eq '--planted' ? shift @ARGV : 0;
my $tree = read_tree($ARGV[0] // '.');
my @result = $plant ? planted($tree) : faults($tree);

print "$_\n" for @result;
exit(@result ? 1 : 0);
