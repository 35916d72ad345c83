#!/usr/bin/perl
# test/clients/manual.pl [--planted]
#		Is the code of the manual that of the tests?  Each block of a program's code in
#		README.md and doc/*.md must stand in the file of test/clients or test/frameworks
#		that is named last before it.  Run in the tree's top directory.
#
# A line directly before a block may say otherwise, unseen by the reader:
#       <!-- test: not run, REASON -->
# Blocks of SQL, of the shell and those without a language are not looked at: they
# are for test/t/015_readme.pl.  With --planted a letter of a block is changed in
# memory, and must be found.

use strict;
use warnings FATAL => 'all';

sub slurp
{
	my ($name) = @_;

	open my $fh, '<', $name or die "$name: $!\n";
	local $/;
	return scalar <$fh>;
}

# The blocks of a document, each with the file named before it, or with the reason
# why nothing runs it.
sub blocks
{
	my ($text) = @_;
	my ($file, @blocks);

	while ($text =~ m{\]\((?:\.\./)*(test/(?:clients|frameworks)/[\w./]+\.\w+)\)
			|^(?:<!--[ ]test:[ ]not[ ]run,[ ](\w[^\n]*)[ ]-->\n)?```(\w+)\n(.*?)^```$}gmsx)
	{
		if (defined $1)
		{
			$file = $1;
		}
		elsif ($3 ne 'sql' && $3 ne 'sh')
		{
			push @blocks, { file => $file, reason => $2, code => $4 };
		}
	}
	return @blocks;
}

sub in_file
{
	my ($block) = @_;

	return defined $block->{file} && -e $block->{file}
	  && index(slurp($block->{file}), $block->{code}) >= 0;
}

my ($run, $not_run, $bad) = (0, 0, 0);

foreach my $name ('README.md', sort glob 'doc/*.md')
{
	foreach my $block (blocks(slurp($name)))
	{
		if (defined $block->{reason})
		{
			$not_run++;
			next;
		}
		$run++;
		$block->{code} =~ s/([A-Za-z])(?=[^A-Za-z]*\z)/$1 eq 'x' ? 'y' : 'x'/e if @ARGV;
		next if in_file($block);
		$bad++;
		print "$name: not in ", $block->{file} // 'any file', ":\n$block->{code}" unless @ARGV;
	}
}
print "$run blocks of code that runs, $bad of them not in a test; $not_run that nothing runs\n";
exit($run < 15 || (@ARGV ? $bad < $run : $bad));
