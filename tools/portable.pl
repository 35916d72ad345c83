#!/usr/bin/perl
# tools/portable.pl
#		Makes the edition of gid in SQL: install.sql, which a client runs, and
#		gid--2.1sql.sql, the same statements as an extension's script.
#
#	perl tools/portable.pl				# writes both into portable/ ("make portable")
#	perl tools/portable.pl DIRECTORY	# or elsewhere
#	perl tools/portable.pl --check		# is portable/install.sql up to date?
#
# The repository has install.sql alone, so that it has the statements once.
#
# Signatures, views, domains, COMMENTs, grants and the functions with an SQL body are those
# of the library's script.  portable/bodies.sql has the rest; its header says in which
# form.  If a function of the library's script has neither an SQL body nor a place there, the
# generator names it and writes nothing.  It leaves out the type gdid and what is made of it.

use strict;
use warnings FATAL => 'all';

use File::Basename qw(dirname);

my $TREE = dirname(__FILE__) . '/..';
my $VERSION = '2.1sql';
my $SCRIPT = 'gid--2.1.sql';
my $BODIES = 'portable/bodies.sql';

my @wrong;

sub slurp
{
	my ($name) = @_;

	open my $fh, '<:raw', "$TREE/$name" or die "$name: $!\n";
	local $/;
	return scalar <$fh>;
}

# ---- reading ----

# The statements of a file, each with the comment directly above.  A statement begins with a
# word in capitals in the first column, and ends with a semicolon at the end of a line, behind
# END if it has BEGIN ATOMIC, or behind the closing dollars.
sub statements
{
	my ($name) = @_;
	my ($above, $now, $end) = ('');
	my @found;

	foreach my $line (split /^/, slurp($name))
	{
		if (!defined $now)
		{
			if ($line =~ /^--/ || $line !~ /\S/)
			{
				$above = $line =~ /\S/ ? $above . $line : '';
				next;
			}
			next if $line =~ m{^(?:/\*|\\)};
			$line =~ /^[A-Z]/ or die "$name: no statement begins with \"$line\"\n";
			($now, $end) = ('', qr/;$/);
		}
		$now .= $line;
		$end = qr/^\Q$1\E;$/ if $line =~ /(\$\w*\$)$/ && $line !~ /^\$/;
		$end = qr/^END;$/ if $line eq "BEGIN ATOMIC\n";
		next if $line =~ s/--.*//r !~ $end;
		push @found, { above => $above, text => $now };
		($above, $now) = ('');
	}
	die "$name: the last statement does not end\n" if defined $now;
	return @found;
}

# The parts of a list, which are separated by commas outside parentheses.
sub parts
{
	my ($list) = @_;
	my ($depth, @part) = (0, '');

	foreach my $piece (split /([(),])/, $list)
	{
		$depth += $piece eq '(' ? 1 : $piece eq ')' ? -1 : 0;
		if ($piece eq ',' && $depth == 0) { push @part, '' }
		else { $part[-1] .= $piece }
	}
	return grep { /\S/ } map { s/^\s+|\s+$//gr } @part;
}

# The types of a function's arguments, as COMMENT ON has them.
sub types
{
	my ($arguments) = @_;
	my @type;

	foreach my $argument (grep { !/^OUT / } parts($arguments))
	{
		my $type = $argument =~ s/ DEFAULT .*//r =~ s/^(?:IN|VARIADIC) //r;

		$type =~ s/^"?\w+"? //;
		push @type, $type;
	}
	return join ', ', @type;
}

# What a statement is about: its kind, its words in capitals, and the object's name, with the
# types of a function's arguments.
sub subject
{
	my ($text) = @_;

	return ($1, "$2(" . types($3) . ')') if $text =~ /^(CREATE (?:FUNCTION|PROCEDURE|AGGREGATE)) ([\w.]+)\((.*?)\)(?:\n| \()/s;
	return ("COMMENT", $1) if $text =~ /^COMMENT ON (?:FUNCTION|PROCEDURE|AGGREGATE) ([\w.]+\(.*?\)) IS/s;
	return ("COMMENT", $1) if $text =~ /^COMMENT ON CONSTRAINT .* ON DOMAIN ([\w.]+) IS/;
	return ("COMMENT", $1) if $text =~ /^COMMENT ON COLUMN (\w+\.\w+)\.\w+ IS/;
	return ("COMMENT", $1) if $text =~ /^COMMENT ON \w+(?: CLASS| FAMILY)? (\S+(?: \(.*?\)| AS \w+\))?).* IS/;
	return ($1, $2) if $text =~ /^(CREATE (?:SCHEMA|VIEW|TABLE|SEQUENCE|TYPE|DOMAIN)|ALTER TABLE) ([\w.]+)/;
	return ($1, $2) if $text =~ /^(CREATE (?:OPERATOR(?: CLASS)?|CAST)) (\S+)/;
	return ('DUMP', $1) if $text =~ /^SELECT pg_catalog\.pg_extension_config_dump\('([\w.]+)'/;
	return ($1, '') if $text =~ /^(GRANT|REVOKE|DO)\b/;
	die "$SCRIPT: nothing is known of \"" . substr($text, 0, 60) . "\"\n";
}

# Does a statement name gdid, or its operator classes or functions?
sub of_gdid
{
	my ($text) = @_;

	return $text =~ s/'(?:[^']|'')*'//gr =~ /\bgdid|_gdid/;
}

# ---- writing ----

# The functions that a user calls get the schema that is chosen, wherever they are named:
# when the script runs, the search path has no other schema than pg_catalog.
sub qualified
{
	my ($text) = @_;
	my @piece = split /('(?:[^']|'')*')/, $text;

	foreach my $i (grep { $_ % 2 == 0 } 0 .. $#piece)
	{
		$piece[$i] =~ s/(?<![\w.])(gid_\w+)(?=\()/\@extschema@.$1/g;
		$piece[$i] =~ s/\bDOMAIN \K(?=gid_\w)/\@extschema@./g;
	}
	return join '', @piece;
}

# A function of the library's script with another body.  "labels" replace those of the
# library's, such as VOLATILE; none is LEAKPROOF, and none acts as its owner.
sub with_body
{
	my ($text, $labels, $language, $body) = @_;
	my ($head, $old) = $text =~ /\A(.*?)\n(?:AS 'MODULE_PATHNAME'.*?\n)?LANGUAGE \w+ ?([A-Z ]*?)(?:;|\n(?:RETURN|BEGIN)).*\z/s
	  or die "$SCRIPT: no form of a function: $text";

	$old =~ s/ ?(?:LEAKPROOF|SECURITY DEFINER)//g;
	foreach my $label (split /, /, $labels)
	{
		my ($kind) = grep { $label =~ $_ } qr/\b(?:IMMUTABLE|STABLE|VOLATILE)\b/, qr/\bPARALLEL \w+/, qr/\bSTRICT\b|CALLED ON NULL INPUT/
		  or die "$BODIES: \"$label\" is no label\n";

		$old =~ s/$kind/$label/ or die "$BODIES: there is no label in the place of \"$label\"\n";
	}
	$old =~ s/ ?CALLED ON NULL INPUT//;
	$head =~ s/,\s*OUT \w+ gdid\b//;
	$body = "SET search_path = pg_catalog, pg_temp\n$body" if $language eq 'plpgsql' && $head =~ /^CREATE FUNCTION/;
	return "$head\nLANGUAGE $language" . ($old eq '' ? '' : " $old") . "\n$body";
}

# GRANT or REVOKE, for what there is of its list.
sub granted
{
	my ($text, $there) = @_;
	my ($before, $list, $after) = $text =~ /^((?:GRANT|REVOKE) [\w, ]+ ON (?:FUNCTION |SEQUENCE |SCHEMA )?)(.*?)(\s(?:TO|FROM) \w+;\n)\z/s
	  or die "$SCRIPT: nothing is known of \"$text\"\n";
	my @left = grep { $there->{ s/\s+/ /gr } || $before =~ /SCHEMA/ } parts($list);

	return @left ? $before . join(",\n\t", @left) . $after : '';
}

sub portable
{
	my (%body, %label, %language, %loud, %absent, %comment, %used, %there, @helpers, @out);

	foreach my $statement (statements($BODIES))
	{
		my ($above, $text) = @$statement{qw(above text)};

		if ($text =~ /\ABODY OF ([\w.]+\(.*?\))(?:, (.*?))? IN (sql|plpgsql)\n(.*)\z/s)
		{
			@{ $body{$1} }{qw(above labels language text)} = ($above, $2 // '', $3, $4);
		}
		elsif ($text =~ /\A(LOUD|ABSENT) (.*);\n\z/s)
		{
			($1 eq 'LOUD' ? \%loud : \%absent)->{$_} = 1 foreach parts($2);
		}
		elsif ($text =~ /\ACOMMENT ON (?!\w+ gid\._).* IS\n/)
		{
			my ($of) = $text =~ /\A(COMMENT ON .*) IS\n/;

			$comment{$of} = $text;
		}
		elsif ($text =~ /\A(?:CREATE|COMMENT ON) \w+ gid\._/)
		{
			push @helpers, $above . $text;
		}
		else
		{
			die "$BODIES: \"" . substr($text, 0, 60) . "\" has none of the forms\n";
		}
	}

	foreach my $statement (statements($SCRIPT))
	{
		my ($above, $text) = @$statement{qw(above text)};
		my ($kind, $name) = subject($text);

		# the privileges of what is made are those of its owner
		next if $kind eq 'DO';
		if ($kind =~ /^(?:GRANT|REVOKE)$/)
		{
			my $list = granted($text, \%there);

			push @out, $list if $list ne '';
			next;
		}
		if ($absent{$name})
		{
			$used{"ABSENT $name"} = 1;
			next;
		}
		if ($kind eq 'COMMENT' || $kind eq 'DUMP' || $kind eq 'ALTER TABLE')
		{
			my ($of) = $text =~ /\A(COMMENT ON .*?) IS\n/;

			next unless $there{$name};
			if ($loud{$name})
			{
				$text = "$of IS\n'Raises 0A000, because this function needs gid''s library.';\n";
			}
			elsif (defined $of && exists $comment{$of})
			{
				$text = $comment{$of};
				$used{$of} = 1;
			}
			push @out, qualified($text);
			next;
		}
		if ($kind =~ /FUNCTION|PROCEDURE/)
		{
			my ($head) = $text =~ /\A(.*?)\n(?:AS|LANGUAGE)/s;

			if ($loud{$name})
			{
				my ($call) = $name =~ /^([\w.]+)/;

				$used{"LOUD $name"} = 1;
				# PL/pgSQL does not allow two parameters of one name
				$text =~ s/\bIN \w+ /IN /g if $head =~ /\bOUT\b/;
				$text = with_body($text, '', 'plpgsql', "AS \$\$BEGIN PERFORM gid._needs_library('$call()'); END\$\$;\n");
				$above = '';
			}
			elsif (my $body = $body{$name})
			{
				$used{"BODY OF $name"} = 1;
				$text = with_body($text, $body->{labels}, $body->{language}, $body->{text});
				$above = $body->{above};
			}
			elsif (of_gdid($head))
			{
				next;
			}
			elsif ($text =~ /^LANGUAGE C\b/m || of_gdid($text))
			{
				push @wrong, "$SCRIPT has $name, which needs the library. Add to $BODIES: \"BODY OF $name IN sql\", or the name under LOUD or ABSENT";
				next;
			}
			else
			{
				$text =~ s/^(LANGUAGE .*?) LEAKPROOF/$1/m;
			}
		}
		elsif (of_gdid($text))
		{
			next;
		}
		$there{$name} = 1;
		push @out, ($kind =~ /FUNCTION|VIEW/ ? $above : '') . qualified($text);
		push @out, map { qualified($_) } splice @helpers if $kind eq 'CREATE SCHEMA';
	}

	foreach my $given ((map { "BODY OF $_" } keys %body), (map { "LOUD $_" } keys %loud), (map { "ABSENT $_" } keys %absent), keys %comment)
	{
		push @wrong, "$SCRIPT has no such object any more. Remove from $BODIES: $given" if !$used{$given};
	}
	return join "\n", @out;
}

my $made = portable();

die join("\n", sort @wrong) . "\n" if @wrong;

my $path = "SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);\n";
my $from = "Made by tools/portable.pl of $SCRIPT and $BODIES; do not edit.";
my %file = (
	"gid--$VERSION.sql" => <<"END" . "$path\n$made",
/* gid--$VERSION.sql: gid in SQL and PL/pgSQL, without the library.  $from */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\\echo Use "CREATE EXTENSION gid" to load this file. \\quit

-- The bodies find what is PostgreSQL's, and nothing that stands in another schema.
END
	'install.sql' => slurp('portable/install.in') =~ s/^-- \@FROM@$/-- $from/mr
	  =~ s/^\@SCRIPT@\n/$path\n$made/mr =~ s/\@VERSION@/$VERSION/gr);

my $to = shift(@ARGV) // "$TREE/portable";

if ($to eq '--check')
{
	slurp('portable/install.sql') eq $file{'install.sql'} or die "portable/install.sql is not what \"make portable\" writes\n";
	exit 0;
}
foreach my $name (sort keys %file)
{
	open my $fh, '>:raw', "$to/$name" or die "$to/$name: $!\n";
	print $fh $file{$name};
	close $fh or die "$to/$name: $!\n";
}
