# What the TAP tests share: settings; sessions and clients that print ids and may die;
# servers that the test kills and waits for; a clock that the test steps; and a
# second implementation that decodes the durable bound's file.
package GidTest;

use strict;
use warnings FATAL => 'all';
no warnings 'portable';

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep);

our @EXPORT = qw(
  @ORDERED @FAMILIES @DRAWN %CALL %TYPE %TIME %FLOOR %VALUES $SUPERUSER
  gid_node gid_set gid_reload sql_fails error_like call_sql last_words
  run_pgbench session take end_session
  drawn_sequences start_clients written stop_clients
  kill9_server server_crash kill9_backend server_children freeze_server thaw_servers
  clock_path clock_file clock_write clock_write_words word_of word_at word_seconds
  faketime_library clock_set with_env build_direct build_fault monotonic wait_until log_count none run_noted pg_config_of
);

# The superuser of each server: the user who runs the tests.
our $SUPERUSER = getpwuid($<);

use constant {
	EPOCH_TICKS => 621355968000000000,
	SNOWFLAKE_EPOCH_MS => 1288834974657,
};

# The clock-driven families, whose ids increase over all backends, in the order
# of gid.clock. A family has the function that extracts the time and, from an id
# without hyphens, the word. A word is epoch + (units << shift), with that many
# units a second.
my @CLOCK = (
	{
		name => 'v7', call => 'gid_uuid_v7()', type => 'uuid',
		time => 'gid_extract_v7_time', units => 1000, shift => 16,
		word => sub {
			return hex(substr($_[0], 0, 12)) << 16 | hex(substr($_[0], 13, 3)) << 4
			  | hex(substr($_[0], 16, 2)) >> 2 & 15;
		}
	},
	{
		name => 'sequential', call => 'gid_uuid_sequential()', type => 'uuid',
		time => 'gid_extract_sequential_time',
		units => 1e7, shift => 0, epoch => EPOCH_TICKS,
		word => sub { return hex(substr($_[0], 0, 16)); }
	},
	{
		name => 'trace', call => 'gid_trace_id()', type => 'bigint',
		time => 'gid_extract_trace_time', units => 1, shift => 22,
		# A trace id holds its seconds mod 2^25 only. "near", in Unix seconds,
		# tells which.
		word => sub {
			my ($id, $near) = @_;
			my $seconds = $id >> 38;

			$near = time unless defined $near;
			$seconds += (($near + 86400 - $seconds) >> 25) << 25;
			return $seconds << 22 | $id & 0x3fffff;
		}
	},
	{
		name => 'shard', call => 'gid_uuid_shard(7)', type => 'uuid',
		time => 'gid_extract_shard_time', units => 1, shift => 24,
		word => sub { return hex(substr($_[0], 0, 8)) << 24 | hex(substr($_[0], 18, 6)); }
	},
	{
		name => 'snowflake', call => 'gid_snowflake_id()', type => 'bigint',
		time => 'gid_extract_snowflake_time', units => 1000, shift => 12,
		word => sub { return (($_[0] >> 22) + SNOWFLAKE_EPOCH_MS) << 12 | $_[0] & 0xfff; }
	});
my %CLOCK = map { $_->{name} => $_ } @CLOCK;

# The families without a word.
my @OTHER = ({ name => 'decimal', call => 'gid_decimal_id()', type => 'bigint' });

# What is drawn from a sequence: see drawn_sequences().
my @SEQUENCE = (
	{ name => 'next', call => "gid_next('drawn_next')", type => 'bigint' },
	{ name => 'gdid', call => "gid_next_gdid('drawn_gdid')", type => 'gdid' },
	{ name => 'code', call => "gid_next_code('drawn_code', '000000000000')", type => 'text COLLATE "C"' });

our @ORDERED = map { $_->{name} } @CLOCK;
our @FAMILIES = (@ORDERED, map { $_->{name} } @OTHER);
our @DRAWN = map { $_->{name} } @SEQUENCE;
our %CALL = map { $_->{name} => $_->{call} } @CLOCK, @OTHER, @SEQUENCE;
our %TYPE = map { $_->{name} => $_->{type} } @CLOCK, @OTHER, @SEQUENCE;

# The SQL of values for each way to draw them, from a sequence %s but for decimal:
# its values are the numbers of launch and generator.
our %VALUES = (
	next => "SELECT gid_next('%s')",
	many => "SELECT gid_next_many('%s', 10)",
	gdid => "SELECT gid_extract_gdid_counter(gid_next_gdid('%s'))",
	code => "SELECT gid_next_code('%s', '000000000000')::bigint",
	block => 'SELECT generate_series(start, start + count - 1)'
	  . " FROM gid.authority_block('public', '%s', 10)",
	decimal => 'SELECT gid_extract_decimal_launch(id) * 100000::bigint'
	  . ' + gid_extract_decimal_generator(id) FROM gid_decimal_id() AS id');

# Of the clock-driven families: the function that extracts the time, and how many
# seconds earlier than it was made an id may seem.
our %TIME = map { $_ => $CLOCK{$_}{time} } @ORDERED;
our %FLOOR = map { $_ => $CLOCK{$_}{units} == 1 ? 1 : 0 } @ORDERED;

my $file_no = 0;

sub monotonic
{
	return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC());
}

# Calls the code every 0.1 s until it returns true. Returns the seconds that took,
# or undef after the given number of seconds.
sub wait_until
{
	my ($seconds, $code) = @_;
	my $start = monotonic();

	for (;;)
	{
		my $good = $code->();
		my $took = monotonic() - $start;

		return $took if $good;
		return undef if $took > $seconds;
		sleep(0.1);
	}
}

# --- servers -------------------------------------------------------------

# A new server, not started, with gid's settings for tests. Its files are a copy of
# INITDB_TEMPLATE, as PostgreSQL 17 and later do it themselves; such servers have one
# system identifier. With force_initdb the server has another.
sub gid_node
{
	my ($name, $conf, %init) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	my $template = $ENV{INITDB_TEMPLATE};

	if ($template && !$init{force_initdb} && !$init{extra})
	{
		my $run = \&PostgreSQL::Test::Utils::system_or_bail;

		no warnings 'redefine';
		local *PostgreSQL::Test::Utils::system_or_bail = sub {
			return $run->($_[0] eq 'initdb' ? ('cp', '-RPp', $template, $node->data_dir) : @_);
		};
		$node->init(%init);
	}
	else
	{
		$node->init(%init);
	}
	$node->append_conf('postgresql.conf', <<"EOC");
autovacuum = off
jit = off
log_statement = none
restart_after_crash = on
max_connections = 100
statement_timeout = 120s
gid.launch_id = 65
gid.node_no = 1
gid.authority = 0
EOC
	$node->append_conf('postgresql.conf', $conf) if defined $conf;
	return $node;
}

# Sets one setting in postgresql.conf; the caller reloads or restarts.
sub gid_set
{
	my ($node, $name, $value) = @_;

	$node->append_conf('postgresql.conf', "$name = $value");
	return;
}

# Sets one setting and reloads; returns when new sessions have the value.
sub gid_reload
{
	my ($node, $name, $value) = @_;

	gid_set($node, $name, "'$value'");
	$node->reload;
	$node->poll_query_until('postgres',
		"SELECT current_setting('$name') = '$value'")
	  or die "$name does not become $value";
	return;
}

# Runs code with some environment variables set.
sub with_env
{
	my ($env, $code) = @_;

	local %ENV = (%ENV, %$env);
	return $code->();
}

# --- SQL -----------------------------------------------------------------

# Checks that a psql result is the expected error: SQLSTATE, detail and hint, and where
# a text is given that, too.
sub error_like
{
	my ($err, $state, $name, %want) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $good = $err =~ /ERROR:  $state:/;

	$good &&= $err =~ /^DETAIL:  /m unless $want{no_detail};
	$good &&= $err =~ /^HINT:  /m unless $want{no_hint};
	$good &&= $err =~ $want{text} if defined $want{text};
	ok($good, $name) or diag("got: $err");
	return $good;
}

sub sql_fails
{
	my ($node, $db, $sql, $state, $name, %want) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($rc, $out, $err) = $node->psql($db, $sql,
		extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	return error_like($err, $state, $name, %want);
}

# The SQL of a call of %VALUES on a sequence.
sub call_sql
{
	my ($call, $sequence) = @_;

	return $VALUES{$call} =~ s!%s!$sequence!r;
}

# Runs pgbench with one custom script; true if every client finished.
sub run_pgbench
{
	my ($node, $db, $script, @options) = @_;
	# Several processes of one test may be here.
	my $file = join('_', $node->basedir . '/script', $$, ++$file_no);
	my ($out, $err) = ('', '');

	PostgreSQL::Test::Utils::append_to_file($file, $script);
	local %ENV = (%ENV, PGHOST => $node->host, PGPORT => $node->port);
	my $good = IPC::Run::run(
		[ 'pgbench', '-n', '-f', $file, @options, $db ],
		'<', \undef, '>', \$out, '2>', \$err,
		IPC::Run::timeout(3 * $PostgreSQL::Test::Utils::timeout_default));

	diag("pgbench failed: $err") unless $good;
	$good &&= $out =~ /number of failed transactions: 0 /;
	return $good;
}

# --- ids in files --------------------------------------------------------

# A background session writes n ids of a family to a file of the client; the
# ids are "printed" then, whatever becomes of the transaction.
sub take
{
	my ($node, $session, $family, $n) = @_;
	my $file = $node->basedir . '/ids_' . ++$file_no;

	$session->safe(
		"SELECT $CALL{$family} FROM generate_series(1, $n) \\g '$file'");
	return $file;
}

# A psql session in the background: see GidTest::Session below.
sub session
{
	my ($node, $db, @options) = @_;

	return GidTest::Session->new($node, $db, @options);
}

# Ends a session, dead or alive.
sub end_session
{
	my ($session) = @_;

	$session->end;
	return;
}

# What a session that was perhaps ended has printed, and its errors.
sub last_words
{
	my ($session) = @_;
	my ($out, $err);

	eval { ($out, $err) = $session->answer; };
	return defined $err ? ($out, $err) : ($session->{out}, $session->{err});
}

# The sequences of the families that are drawn from one.
sub drawn_sequences
{
	my ($node, $db) = @_;

	$node->safe_psql($db, join '', map { "CREATE SEQUENCE drawn_$_;" } @DRAWN);
	return;
}

# Clients that run a script of SQL again and again, in a new session each time
# and whenever the session was ended, until stop_clients() (or the test's end).  What they print is
# appended to a file each, their errors to another.
sub start_clients
{
	my ($node, $db, $n, $sql) = @_;
	my $base = join '_', $node->basedir . '/clients', ++$file_no;
	my $clients = { stop => "$base.stop", files => [], errors => [] };

	PostgreSQL::Test::Utils::append_to_file("$base.sql", $sql);
	for my $i (1 .. $n)
	{
		push @{ $clients->{files} }, "${base}_$i.out";
		push @{ $clients->{errors} }, "${base}_$i.err";
		# The pause is for a server that starts anew.
		push @{ $clients->{runs} },
		  IPC::Run::start(
			[
				'sh', '-c',
				'until [ -e "$1" ]; do psql -XAtq -d "$2" -f "$3"'
				  . ' >>"$4" 2>>"$5" || sleep 0.02;'
				  . ' kill -0 "$6" || break; done',
				'sh', $clients->{stop}, $node->connstr($db), "$base.sql",
				$clients->{files}[-1], $clients->{errors}[-1], $$
			],
			'<', \undef, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	}
	return $clients;
}

# How many bytes such clients have printed.
sub written
{
	my $bytes = 0;

	$bytes += -s $_ // 0 foreach map { @{ $_->{files} } } @_;
	return $bytes;
}

# Lets clients finish; how many seconds the last one took.
sub stop_clients
{
	my ($clients) = @_;
	my $start = monotonic();

	PostgreSQL::Test::Utils::append_to_file($clients->{stop}, '');
	$_->finish for @{ $clients->{runs} };
	return monotonic() - $start;
}

# --- death ---------------------------------------------------------------

# The state of a process and its parent, by Linux's /proc; a zombie counts as gone.
sub _process
{
	my ($pid) = @_;

	open my $fh, '<', "/proc/$pid/stat" or return undef;
	return undef unless (<$fh> // '') =~ /^\d+ \(.*\) (\S) (\d+) /s && $1 ne 'Z';
	return { state => $1, parent => $2 };
}

# The postmaster's children.
sub server_children
{
	my ($pid) = @_;

	return grep { (_process($_) // { parent => 0 })->{parent} == $pid } map { /(\d+)$/ } glob('/proc/[0-9]*');
}

# kill -9 of the postmaster. Returns when it is dead and its orphans are gone
# (they hold the shared memory; one that never waits does not notice, and is
# killed too). Where nobody has reaped it yet, its lock files go: a start finds
# the number in them and takes it for a running postmaster.
sub kill9_server
{
	my ($node) = @_;
	my ($pid) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	my @children = server_children($pid);
	my $start = monotonic();

	$node->kill9;
	for (;;)
	{
		my @left = grep { _process($_) } @children;

		last unless @left || _process($pid);
		kill 'KILL', @left if @left && monotonic() - $start > 0.5;
		die "killed postmaster $pid does not end"
		  if monotonic() - $start > 60;
		sleep(0.01);
	}
	unlink $node->data_dir . '/postmaster.pid',
	  $node->host . '/.s.PGSQL.' . $node->port . '.lock';
	return;
}

# A process of the server dies by what is done: the postmaster starts the others
# and the shared memory anew. Returns when the server takes connections again.
sub server_crash
{
	my ($node, $act) = @_;
	my $offset = -s $node->logfile;

	$act->();
	defined wait_until(180, sub { log_count($node, qr/all server processes terminated; reinitializing/, $offset) })
	  or die 'the server did not crash';
	# poll_query_until() may write to a psql that has ended already.
	defined wait_until(180,
		sub { system('pg_isready', '-q', '-h', $node->host, '-p', $node->port) == 0 })
	  or die 'the server did not come back';
	return;
}

# kill -9 of one backend, which has run a query.
sub kill9_backend
{
	my ($node, $query) = @_;
	my $session = session($node, 'postgres');
	my $pid = $session->safe("SELECT pg_backend_pid() FROM ($query) AS s");

	server_crash($node, sub { kill 'KILL', $pid });
	end_session($session);
	return;
}

# --- servers that do not answer ------------------------------------------

# Processes that are stopped, by their postmaster's number.
my %frozen;

# Stops all processes of a server, as if its machine hung: connections stay and
# new ones are taken by the kernel, but nothing answers.
sub freeze_server
{
	my ($node) = @_;
	my ($pid) = slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;

	$frozen{$pid} = [$pid];
	kill 'STOP', $pid;

	# Once it is at rest it starts no more children.
	for (1 .. 1000)
	{
		last if _process($pid)->{state} eq 'T';
		sleep(0.01);
	}
	push @{ $frozen{$pid} }, server_children($pid);
	kill 'STOP', @{ $frozen{$pid} };
	return;
}

# Lets all servers that were frozen go on.
sub thaw_servers
{
	kill 'CONT', map { @$_ } values %frozen;
	%frozen = ();
	return;
}

# Before PostgreSQL::Test::Cluster stops what is left of the servers.
END
{
	thaw_servers();
}

# --- gid.clock -----------------------------------------------------------

sub clock_path
{
	my ($node) = @_;

	return $node->data_dir . '/gid.clock';
}

my @crc_table;

sub _crc32c
{
	my ($bytes) = @_;
	my $crc = 0xffffffff;

	if (!@crc_table)
	{
		for my $i (0 .. 255)
		{
			my $c = $i;

			$c = $c & 1 ? ($c >> 1) ^ 0x82f63b78 : $c >> 1 for 1 .. 8;
			push @crc_table, $c;
		}
	}
	$crc = $crc_table[ ($crc ^ $_) & 0xff ] ^ ($crc >> 8)
	  for unpack('C*', $bytes);
	return $crc ^ 0xffffffff;
}

# The file's words, as { family => word }; undef if there is no valid file.
sub clock_file
{
	my ($node) = @_;
	my $bytes = eval { slurp_file(clock_path($node)) } // return undef;

	return undef if length($bytes) != 20 + 8 * @ORDERED;

	my $crc = unpack('L', substr($bytes, -4, 4, ''));
	my ($magic, $version, $system, @words) = unpack('L2 Q Q*', $bytes);

	return undef if $crc != _crc32c($bytes);
	my %file = (system => $system);
	@file{@ORDERED} = @words;
	return \%file;
}

sub clock_write
{
	my ($node, $bytes) = @_;

	open my $fh, '>', clock_path($node) or die "gid.clock: $!";
	print $fh $bytes;
	close $fh;
	return;
}

# Writes a file of this node's system: the one that is there with other words.
sub clock_write_words
{
	my ($node, %word) = @_;
	my $file = clock_file($node) or die 'no gid.clock to change';
	my $bytes = substr(slurp_file(clock_path($node)), 0, 8) . pack('Q Q*', $file->{system}, @word{@ORDERED});

	clock_write($node, $bytes . pack('L', _crc32c($bytes)));
	return;
}

# An id's word as the file counts it; "near" is for trace ids.
sub word_of
{
	my ($family, $id, $near) = @_;

	$id =~ s/-//g;
	return $CLOCK{$family}{word}->($id, $near);
}

# The first word of a moment in Unix seconds.
sub word_at
{
	my ($family, $seconds) = @_;
	my $word = $CLOCK{$family};

	return ($word->{epoch} // 0) + (int($seconds * $word->{units}) << $word->{shift});
}

# A word's moment in Unix seconds.
sub word_seconds
{
	my ($family, $value) = @_;
	my $word = $CLOCK{$family};

	return (($value - ($word->{epoch} // 0)) >> $word->{shift}) / $word->{units};
}

# --- the clock, faults ---------------------------------------------------

sub faketime_library
{
	my ($library) = glob('/usr/lib/*/faketime/libfaketime.so.1');

	return $library;
}

# Sets the distance of a server's clock to the real one, at once for every
# process of it; at the first call, returns the environment to start it with.
sub clock_set
{
	my ($node, $offset) = @_;
	my $file = $node->basedir . '/clock';

	open my $fh, '>', "$file.new" or die "$file.new: $!";
	print $fh "$offset\n";
	close $fh;
	rename "$file.new", $file or die "$file: $!";
	return {
		LD_PRELOAD => faketime_library(),
		FAKETIME_TIMESTAMP_FILE => $file,
		FAKETIME_NO_CACHE => 1,
		FAKETIME_DONT_FAKE_MONOTONIC => 1,
		NO_FAKE_STAT => 1,
	};
}

# Builds fault.c; undef without a compiler.
sub build_fault
{
	my ($source, $dir) = @_;
	my $library = "$dir/fault.so";

	return run_noted('cc', '-shared', '-fPIC', '-O1', '-o', $library, $source, '-ldl') ? $library : undef;
}

# Builds direct.c; undef without a compiler.
sub build_direct
{
	my ($source, $dir) = @_;
	my $library = "$dir/direct.so";

	return run_noted('cc', '-shared', '-fPIC', '-O1', '-I' . pg_config_of('pg_config', 'includedir-server'), '-o', $library, $source) ? $library : undef;
}

# Runs a program; true if it succeeds. Else what it printed is noted.
sub run_noted
{
	my (@command) = @_;
	my $out = '';
	my $good = eval { IPC::Run::run(\@command, '>', \$out, '2>&1') };

	note("@command: $out") unless $good;
	return $good;
}

# What a pg_config says: pg_config_of('pg_config', 'bindir').
sub pg_config_of
{
	my ($pg_config, $what) = @_;
	my ($out, $err) = run_command([ $pg_config, "--$what" ]);

	return $out;
}

# How often a pattern stands in the server's log, from an offset on.
sub log_count
{
	my ($node, $pattern, $offset) = @_;
	my $text = slurp_file($node->logfile, $offset || 0);
	my $n = () = $text =~ /$pattern/g;

	return $n;
}

# Tests that a list of faults is empty; shows the first of them if it is not.
sub none
{
	my ($name, @faults) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(scalar(@faults), 0, $name)
	  or diag(join "\n", map { substr($_, 0, 500) } splice @faults, 0, 20);
	return;
}

# --- sessions ------------------------------------------------------------

# As PostgreSQL::Test::BackgroundPsql, but it does not note every query, goes
# on after errors and gives their text back, the same on every version.
package GidTest::Session;

use strict;
use warnings FATAL => 'all';

sub new
{
	my ($class, $node, $db, @options) = @_;
	my $self = bless {
		in => '',
		out => '',
		err => '',
		n => 0,
		timer =>
		  IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default),
	}, $class;

	$self->{run} = IPC::Run::start(
		[
			'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d',
			$node->connstr($db), @options, '-f', '-'
		],
		'<', \$self->{in}, '>', \$self->{out}, '2>', \$self->{err},
		$self->{timer});
	$self->safe('SELECT 1');
	return $self;
}

# Sends SQL and does not wait for the answer. The time allowed for it begins
# anew.
sub send
{
	my ($self, $sql) = @_;

	$self->{timer}->start;
	$self->{mark} = 'end of query ' . ++$self->{n};
	$self->{in} .=
	  "$sql\n;\n\\echo '$self->{mark}'\n\\warn '$self->{mark}'\n";
	$self->{run}->pump_nb;
	return;
}

# Waits for the answer: what psql printed, and its errors and warnings.
sub answer
{
	my ($self) = @_;
	my $mark = qr/(\A|\n)$self->{mark}\n/;

	$self->{run}->pump
	  until $self->{out} =~ $mark && $self->{err} =~ $mark;
	my ($out, $err) = ($self->{out}, $self->{err});

	$self->{out} = $self->{err} = '';
	$out =~ s/$mark//;
	$err =~ s/$mark//;
	return ($out, $err);
}

sub query
{
	my ($self, $sql) = @_;

	$self->send($sql);
	return $self->answer;
}

# Dies of an error or warning.
sub safe
{
	my ($self, $sql) = @_;
	my ($out, $err) = $self->query($sql);

	die "query failed: $err" if $err ne '';
	return $out;
}

sub end
{
	my ($self) = @_;

	eval {
		$self->{in} .= "\\q\n";
		$self->{run}->finish;
	};
	return;
}

# kill -9 of psql, as a client that vanishes.
sub kill
{
	my ($self) = @_;

	eval { $self->{run}->kill_kill(grace => 0) };
	return;
}

1;
