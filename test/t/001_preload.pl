# gid works without shared_preload_libraries and with it, at any
# max_connections, and a clean shutdown loses no time.
#
# SQL alone cannot test this: it needs servers started with other settings,
# and the state across their restarts.

use strict;
use warnings FATAL => 'all';

use FindBin;
use lib "$FindBin::RealBin/../lib";

use GidTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $node = gid_node('main');
my $connections = 0;
my %refused;

# Ids of all ordered families, taken by one new session.
sub one_of_each
{
	my %id;

	@id{@ORDERED} = split /\|/, $node->safe_psql('postgres',
		'SELECT ' . join(', ', map { $CALL{$_} } @ORDERED));
	return \%id;
}

$node->start;
$node->safe_psql('postgres', <<'EOS');
CREATE EXTENSION gid;
CREATE TABLE seen (family text, id text, UNIQUE (family, id));
EOS
$node->stop;

# 1. Many connections at once, at every size, without preload and with it.
# The UNIQUE constraint makes pgbench fail on a repeat.
my $all_families = join("\n",
	map { "INSERT INTO seen SELECT '$_', $CALL{$_} FROM generate_series(1, 20);" }
	  @FAMILIES);

foreach my $preload (0, 1)
{
	foreach my $size (20, 1000, 3000)
	{
		my $name = ($preload ? 'with' : 'without')
		  . " preload, max_connections $size";
		my $clients = $size == 20 ? 16 : 120;

	  SKIP:
		{
			skip "this kernel does not allow $size connections", 2
			  if $refused{$size};

			gid_set($node, 'max_connections', $size);
			gid_set($node, 'shared_preload_libraries',
				$preload ? "'gid'" : "''");
			if (!$node->start(fail_ok => 1))
			{
				# Without preload the library has no part in the start.
				if ($preload)
				{
					fail("the server starts $name");
					next;
				}
				$refused{$size} = 1;
				skip "this kernel does not allow $size connections", 2;
			}

			ok( run_pgbench($node, 'postgres', $all_families,
					'-c', $clients, '-j', 2, '-t', 2),
				"$clients connections at once, $name");
			is( $node->safe_psql('postgres', 'SHOW shared_preload_libraries'),
				$preload ? 'gid' : '',
				"the server runs $name");
			$connections += $clients;
			$node->stop;
		}
	}
}

$node->start;
is( $node->safe_psql('postgres',
		q{SELECT string_agg(n::text, ' ') FROM (SELECT count(*) AS n
		FROM seen GROUP BY family) AS s}),
	join(' ', ($connections * 2 * 20) x @FAMILIES),
	'every connection got its ids of every family');
note("$connections connections, "
	  . ($connections * 2 * 20 * @FAMILIES)
	  . ' ids, all distinct');

# 2. Under preload the library's memory is copied by fork: no two backends may
# share random bits, and all share the process id and the generator.
$node->safe_psql('postgres',
	'CREATE TABLE forked (v7 uuid, sequential uuid, shard uuid)');
ok( run_pgbench($node, 'postgres',
		'INSERT INTO forked VALUES (gid_uuid_v7(), gid_uuid_sequential(),'
		  . ' gid_uuid_shard(7))',
		'-C', '-c', 4, '-j', 2, '-t', 75),
	'300 connections of one id each');
is( $node->safe_psql('postgres', <<'EOS'), '300|300|1|1',
SELECT count(*), count(DISTINCT right(replace(v7::text, '-', ''), 14)),
	count(DISTINCT gid_extract_sequential_process(sequential)),
	count(DISTINCT gid_extract_shard_generator(shard))
FROM forked
EOS
	'forked backends have random bits of their own, one process id and one generator'
);

# 3. A clean shutdown leaves an exact bound: the words of the last ids, not a
# moment up to five seconds ahead.  The v7 word has the time of the shutdown.
my $last;

# How far a word leads the clock, in seconds.
sub lead
{
	my ($family, $id) = @_;

	return word_seconds($family, word_of($family, $id)) - time;
}

for my $round (1 .. 3)
{
	sleep(0.4 * $round);
	$last = one_of_each();
	my %lead = map { $_ => lead($_, $last->{$_}) } @ORDERED;

	$node->stop;
	my $stopped = time;
	my $file = clock_file($node);
	my %ahead = map {
		my $word = word_of($_, $last->{$_});

		$_ => $file && $file->{$_} >= $word
		  ? word_seconds($_, $file->{$_}) - word_seconds($_, $word)
		  : 'none'
	} @ORDERED;

	note("round $round, seconds from the last id to the bound: "
		  . join(', ', map { "$_ $ahead{$_}" } @ORDERED));
	ok( !(grep { $ahead{$_} eq 'none' || $ahead{$_} > 0.1 } qw(sequential snowflake)),
		"round $round: the bound of sequential and snowflake is exact");
	ok($ahead{v7} ne 'none' && word_seconds('v7', $file->{v7}) <= $stopped,
		"round $round: the bound of v7 is not ahead");
	ok(!(grep { $ahead{$_} eq 'none' || $ahead{$_} > 1 } qw(trace shard)),
		"round $round: the bound of trace and shard is exact");
	$node->start;
	my $first = one_of_each();

	foreach (@ORDERED)
	{
		my $word = word_of($_, $first->{$_});

		ok($word > word_of($_, $last->{$_}), "round $round: $_ grows");
		# Whole seconds, and those that the shard word may have to skip.
		cmp_ok(lead($_, $first->{$_}) - $lead{$_},
			'<', 1.5, "round $round: $_ jumps ahead by no seconds");
	}
}

# 4. Restarts within one second: the server's generator bytes are new, and may
# be smaller, but the ids grow.
seen_tables($node, 'postgres', @ORDERED);
my $restarts = 8;
my $same_second = 0;

for my $round (1 .. $restarts)
{
	my $now = time;

	# Begin with a second.
	sleep(int($now) + 1.02 - $now);
	for my $half (1, 2)
	{
		my $id = one_of_each();

		$node->safe_psql('postgres',
			join('', map { "INSERT INTO seen_$_ (round, id) VALUES ($round, '$id->{$_}');\n" }
				  @ORDERED));
		$node->restart if $half == 1;
	}
	$same_second++ if int($now) + 1 == int(time);
}
note("$same_second of $restarts restarts within one second");
check_growing($node, 'postgres', $_, 1, 'over quick restarts') for @ORDERED;
is( $node->safe_psql('postgres', <<'EOS'), ($restarts + 1) . '|' . ($restarts + 1),
SELECT count(DISTINCT gid_extract_sequential_process(s.id)),
	count(DISTINCT gid_extract_shard_generator(h.id))
FROM seen_sequential AS s, seen_shard AS h
EOS
	'every server start has a new process id and a new generator');

# 5. The same without preload: what comes is later than what went, and hardly
# ahead.
gid_set($node, 'shared_preload_libraries', "''");
$node->restart;
$last = one_of_each();
my %lead_before = map { $_ => lead($_, $last->{$_}) } @ORDERED;

$node->restart;
my $first = one_of_each();

foreach (@ORDERED)
{
	my $word = word_of($_, $first->{$_});

	ok($word > word_of($_, $last->{$_}),
		"without preload: $_ grows over a restart");
	cmp_ok(lead($_, $first->{$_}) - $lead_before{$_},
		'<', 1.5, "without preload: $_ jumps ahead by no seconds");
}

# 6. A session loads libpq with the URI of another server, not with the library.
my $LIBPQ = q{SELECT pg_read_file('/proc/self/maps') ~ '/libpq\.so'};
my $URI = q{SET gid.authorities = 'postgresql://u@h/d'};

is($node->safe_psql('postgres', "SELECT gid_uuid_v7() IS NOT NULL; $LIBPQ; $URI; $LIBPQ"),
	"t\nf\nt", 'without preload: libpq is loaded with a URI');
is($node->safe_psql('postgres', "$URI; $LIBPQ; SELECT gid_uuid_v7() IS NOT NULL; $LIBPQ"),
	"f\nt\nt", 'with a URI that was set before the library as well');
is($node->safe_psql('postgres', "SET dynamic_library_path = '/none'; $URI; SELECT gid_uuid_v7() IS NOT NULL; $LIBPQ"),
	"t\nt", 'from the directory of the server alone');
gid_set($node, 'shared_preload_libraries', q{'$libdir/gid'});
gid_set($node, 'dynamic_library_path', "'/none'");
$node->restart;
is($node->safe_psql('postgres', $LIBPQ), 't', 'with preload: the postmaster has loaded it');
$node->stop;

done_testing();
