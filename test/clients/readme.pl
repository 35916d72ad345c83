#!/usr/bin/perl
# test/clients/readme.pl
#		Is the code of README's section "From an application" that of the tests?
#		Each block of Python or JavaScript must stand in the file of test/clients
#		that is named last before it.  Run in the tree's top directory.

use strict;
use warnings FATAL => 'all';

sub slurp
{
	my ($name) = @_;

	open my $fh, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$fh>;
}

my ($section) = slurp('README.md') =~ /^## From an application\n(.*?)^## /ms
  or die "README.md has no section \"From an application\"\n";
my ($file, $blocks, $bad) = (undef, 0, 0);

while ($section =~ m{\]\((test/clients/\w+\.\w+)\)|^```(?:python|js)\n(.*?)^```$}gms)
{
	if (defined $1)
	{
		$file = $1;
		next;
	}
	my $code = $2;

	$blocks++;
	next if defined $file && index(slurp($file), $code) >= 0;
	$bad++;
	print 'not in ', $file // 'any file', ":\n$code";
}
print "$blocks blocks of code\n";
exit($bad || $blocks < 3);
