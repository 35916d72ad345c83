#!/usr/bin/perl
# test/clients/manual.pl
#		Is the code of the manual that of the tests?  Each block of Python,
#		JavaScript, Go, Java or C# in README.md and doc/*.md must stand in the file of
#		test/clients that is named last before it.  The section SQLAlchemy has no client: what
#		its code shows is SQLAlchemy's.  Run in the tree's top directory.

use strict;
use warnings FATAL => 'all';

sub slurp
{
	my ($name) = @_;

	open my $fh, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$fh>;
}

my ($blocks, $bad) = (0, 0);

foreach my $name ('README.md', sort glob 'doc/*.md')
{
	my $text = slurp($name) =~ s/^## SQLAlchemy\n.*?(?=^## |\z)//msr;
	my $file;

	while ($text =~ m{\]\((?:\.\./)?(test/clients/\w+\.\w+)\)|^```(?:python|js|go|java|csharp)\n(.*?)^```$}gms)
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
		print "$name: not in ", $file // 'any file', ":\n$code";
	}
}
print "$blocks blocks of code\n";
exit($bad || $blocks < 5);
