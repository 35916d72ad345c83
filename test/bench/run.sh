#!/bin/bash
# test/bench/run.sh
#		What "make bench" runs: what an id costs, alone and in several sessions,
#		and what the ids do to a primary key.
#
# Everything is measured in a throw-away cluster of a private PostgreSQL
# (tools/setup.sh) without JIT and parallel query.  Each part is measured
# in rounds, in which what is compared takes turns; a figure is the median over
# the rounds, most often of a ratio to a reference in the same round.  Calls, and
# one session and two, are measured right beside what they are compared with,
# and in more rounds, since their goals are the narrowest.  "families" has 21 rounds
# with less in each: first ids and connections differ most from round to round, and
# the median over 21 rounds varies by about a quarter of what a round does.  sql/ has
# a file for each part:
#
#	calls		SELECT count(f()) FROM generate_series(1, N), each round in a new
#				backend; extractors over a column of N ids.
#	instructions	Instructions of a call, by callgrind in a single-user backend.
#	lines		Cache lines that a draw writes and other sessions as well, by valgrind's lackey in
#				a single-user backend (lines.pl), here and in an earlier version.
#	sessions	The same by pgbench in 1 to 8 sessions.
#	families	For each family: the call beyond the query, a transaction with one id,
#				the first id of a session, with preload and without, and a connection
#				for each id.
#	sequences	Values of 1 to 10,000 sequences in turn.
#	latency		Single calls by eight clients on one sequence.
#	quiet		Transactions of one row: from a hundred sequences in turn, two seconds
#				apart, and from one sequence without a pause; flushes of the WAL.
#	standbys	Values with a standby on this machine that must have each reservation
#				(synchronous_standby_names, commits local) and without: many calls, and single
#				calls by eight clients.
#	inserts		Rows with the id as primary key DEFAULT, by one writer in one
#				statement: time, index, WAL, a range of ids.
#	writers		By one to eight writers, ten rows a transaction, which do not wait
#				for the disk: rows, index, WAL.
#	growth		Into a table that grows to ten times shared_buffers.
#	mixed		Rows of version 7 into an index that has random UUIDs, and what REINDEX
#				gives then.
#	switch		New keys for a table with rows and its child table, as
#				doc/tables-with-rows.md has it: how long the tables are locked.
#	reading		Horizons: a call beside 10 and 500 open transactions; how long readers take
#				to see a row, with a transaction open that does not draw.
#	serving		Point selects beside gid.serve_nextval, which looks at each plan.
#	gapless		Numbers without gaps, from a counter that is held until the commit or
#				taken at the commit, beside gid_next(): rows by eight clients that wait
#				for the disk.
#	connections	The first id of a connection, with up to 1000 others open, and
#				their shared memory.
#	pool		Transactions with one id, each in a connection of its own, with preload
#				and without, by one client and by eight.
#
# From the environment: BENCH_SCALE (0.001 to 2, default 1) multiplies the numbers
# of calls and rows, 0.02 is a quick look; more than 2 would measure how a
# TraceId's 4,190,208 ids a second make the caller wait.  BENCH_PARTS selects
# parts.  GID_BENCH_OLD is a directory with the sources of an earlier version, 1.1 or
# later.  "families" and "writers" then measure it, too, in a server of its own that
# takes turns with this one.  With BENCH_PUBLISH=yes the results go into the manual, too:
# doc/bench, where the rows of other parts stay, the tables of the chapters (./report),
# and doc/pictures (tools/pictures.py).
#
# The results are also in test/bench/output/: results.csv, curves.csv, the
# samples, plots as SVG.  Whether the goals are reached is reported, and is no
# reason to fail.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../../tools/setup.sh"

BENCH=$GID_ROOT/test/bench
OUTPUT=$BENCH/output
PUBLISH=${BENCH_PUBLISH:-no}
PARTS=${BENCH_PARTS:-calls instructions lines sessions families sequences latency quiet standbys inserts writers growth mixed switch reading serving gapless connections pool}
ROUNDS=7
PAIR_ROUNDS=11
FAMILY_ROUNDS=21
GROWTH_ROUNDS=3
MIXED_ROUNDS=3
SWITCH_ROUNDS=3
LAG_ROUNDS=3
CLIENTS=8
SETTINGS=(
	"gid.launch_id = 65"
	"gid.node_no = 1"
	"gid.authority = 1"
	"jit = off"
	"max_parallel_workers_per_gather = 0"
	"autovacuum = off"
	"max_wal_size = 4GB"
	"checkpoint_timeout = 1h"
	"max_locks_per_transaction = 256"
	"client_min_messages = warning"
)

# scaled NUMBER STEP: a number times BENCH_SCALE, a multiple of STEP and not 0.
scaled() {
	awk -v n="$1" -v step="$2" -v scale="$SCALE" 'BEGIN {
		k = int(n * scale / step + 0.5)
		printf "%d", (k < 1 ? 1 : k) * step
	}'
}

# progress [TEXT]: what is going on, in one line that overwrites itself; left
# out where the output is no terminal.
progress() { [ ! -t 1 ] || printf '\r\033[K%s' "${1:-}"; }

fail() {
	progress
	gid_tail "$GID_LOGS/bench.log" 20 >&2
	gid_tail "$GID_WORK/bench.log" 10 >&2
	gid_die "could not measure $1"
}

# sql LOG ARG...: psql; LOG as gid_run's.  Before this and the functions below,
# PGPORT=N chooses the server.
sql() {
	local log=$1
	shift
	gid_run "$log" 900 psql -X -q -P pager=off -P footer=off \
		-v ON_ERROR_STOP=1 -d postgres "$@"
}

# script NAME ARG...: one of sql/; run COMMAND...: SQL.
script() {
	sql "$GID_LOGS/bench.log" "${@:2}" -f "$GID_TREE/test/bench/sql/$1.sql" || fail "$1"
}
run() {
	local -a commands=()
	local command
	for command; do commands+=(-c "$command"); done
	sql "$GID_LOGS/bench.log" "${commands[@]}" || fail "$1"
}

# value QUERY: its lines.
value() {
	sql "$GID_LOGS/value.log" -A -t -F ' ' -c "$1" || fail "$1"
	cat "$GID_LOGS/value.log"
}

# tps CLIENTS TRANSACTIONS QUERY ARG...: sets TPS, of pgbench without the time
# to connect.  DURABLE=on: commits wait for the disk.
tps() {
	local log=$GID_LOGS/bench.log
	gid_as tee "$GID_WORK/pgbench.sql" <<<"$3;" >/dev/null &&
		gid_run "$log" 900 env PGOPTIONS="-c synchronous_commit=${DURABLE:-off}" \
			pgbench -n -c "$1" -j "$1" -t "$2" "${@:4}" -f "$GID_WORK/pgbench.sql" postgres &&
		TPS=$(sed -n 's/^tps = \([0-9.]*\) (.*/\1/p' "$log" | grep .) || fail "$3"
}

# The servers that run: this version's on PGPORT, and the earlier version's on the next
# port, while a part compares with it.
SERVERS=(bench)

# start_server NAME PORT SETTING...: with these settings more.
start_server() {
	printf '%s\n' "${SETTINGS[@]}" "${@:3}" "listen_addresses = ''" \
		"unix_socket_directories = '$PGHOST'" "port = $2" |
		gid_as tee "$GID_WORK/$1/postgresql.conf" >/dev/null
	[ "$1" != old ] || local GID_POSTGRES=${GID_BIN/#"$GID_WORK/usr"/"$GID_WORK/old.usr"}/postgres
	gid_cluster_restart "$1"
}

# restart SETTING...: all servers.
restart() {
	local i
	for i in "${!SERVERS[@]}"; do
		gid_cluster_stop "${SERVERS[i]}"
		start_server "${SERVERS[i]}" $((PGPORT + i)) "$@"
	done
}

# start_old: the earlier version, if there is one.  The first time it is installed, as an
# extension, into a copy of the private PostgreSQL.
start_old() {
	local part new=
	[ -n "${GID_BENCH_OLD:-}" ] || return 0
	if [ ! -d "$GID_WORK/old" ]; then
		new=yes
		gid_as cp -R "$GID_WORK/usr" "$GID_WORK/old.usr" && gid_as mkdir "$GID_WORK/old.d" &&
			tar -C "$GID_BENCH_OLD" --exclude=./.git -cf - . | gid_as tar -C "$GID_WORK/old.d" --no-same-owner -xf - &&
			gid_run "$GID_LOGS/bench.log" 600 make -C "$GID_WORK/old.d" with_llvm=no \
				PG_CONFIG="${GID_PG_CONFIG/#"$GID_WORK/usr"/"$GID_WORK/old.usr"}" all install ||
			fail "the earlier version in GID_BENCH_OLD"
		gid_run "$GID_LOGS/bench.log" 120 initdb -D "$GID_WORK/old" -U postgres -A trust -E UTF8 --no-locale --no-sync ||
			fail "a cluster for the earlier version"
	fi
	SERVERS=(bench old)
	start_server old $((PGPORT + 1)) "shared_buffers = 256MB"
	[ -n "$new" ] || return 0
	for part in setup calls transactions families inserts connections; do
		PGPORT=$((PGPORT + 1)) script $part -v calls="$CALLS" -v old=
	done
}

# stop_old: its samples become "... of 1.1" here.
stop_old() {
	[ -n "${GID_BENCH_OLD:-}" ] || return 0
	PGPORT=$((PGPORT + 1)) sql "$GID_LOGS/old.csv" --csv -t -c "
		WITH gone AS (DELETE FROM sample RETURNING *)
		SELECT part, subject || ' of 1.1', x, measure, round, value, reference, reference_value, base_value FROM gone" &&
		sql "$GID_LOGS/bench.log" -c "\\copy sample FROM '$GID_LOGS/old.csv' CSV" || fail "the earlier version's samples"
	gid_cluster_stop old
	SERVERS=(bench)
}

# ports ROUND SUBJECT: of the servers that measure it, in turn this and that one first.
ports() {
	if [ ${#SERVERS[@]} -eq 1 ] || [[ $2 != gid* ]]; then
		echo "$PGPORT"
	else
		echo $((PGPORT + $1 % 2)) $((PGPORT + 1 - $1 % 2))
	fi
}

# ---- what is measured ----

measure_calls() {
	local round part
	for ((round = 1; round <= PAIR_ROUNDS; round++)); do
		for part in calls extractors; do
			progress "$part: round $round of $PAIR_ROUNDS"
			script calls_round -v round=$round -v part=$part -v calls="$CALLS"
		done
	done
}

# instructions CALL COUNT: sets INSTRUCTIONS, of the backend's whole life.
instructions() {
	local log=$GID_LOGS/callgrind.log
	gid_as tee "$GID_WORK/single.sql" >/dev/null \
		<<<"SELECT count($1) FROM generate_series(1::bigint, $2) AS g;"
	# shellcheck disable=SC2016
	gid_run "$log" 300 bash -c 'exec valgrind --tool=callgrind --callgrind-out-file=/dev/null \
		"$1/postgres" --single -D "$2/bench" postgres <"$2/single.sql"' bash "$GID_BIN" "$GID_WORK" &&
		INSTRUCTIONS=$(sed -n 's/.*Collected : \([0-9]*\).*/\1/p' "$log" | grep .) || fail "the instructions of $1"
}

# It is always the same number, so one round will do.
measure_instructions() {
	local subject call few runs=''
	gid_cluster_stop bench
	while IFS=$'\t' read -r subject call; do
		progress "instructions: $subject"
		instructions "$call" 2000
		few=$INSTRUCTIONS
		instructions "$call" 12000
		runs+="${runs:+,}('instructions', '${subject//\'/\'\'}', 1, 'instructions', 1, ($INSTRUCTIONS - $few) / 10000.0)"
	done <<<"$COUNTED"
	gid_cluster_restart bench
	run "INSERT INTO sample VALUES $runs"
}

# lines SERVER SUFFIX: notes what lines.pl counts for the calls on standard input.
lines() {
	local log=$GID_LOGS/lines.log bin=$GID_BIN subject call kind shared runs=''
	[ "$1" != old ] || bin=${GID_BIN/#"$GID_WORK/usr"/"$GID_WORK/old.usr"}
	{
		echo "SELECT l FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), E'\\n') AS l;"
		echo "SELECT gid_uuid_v7();"
		# at the end: 128 bytes for each backend and prepared transaction, 128 of the settings,
		# 256 for each backend
		echo "SELECT 'own ' || (SELECT off + size FROM pg_shmem_allocations WHERE name = 'gid parts') - 128
			- (SELECT 1 + sum(setting::int) FROM pg_settings WHERE name IN ('max_connections',
			'autovacuum_max_workers', 'max_worker_processes', 'max_wal_senders')) * (256 + 128)
			- current_setting('max_prepared_transactions')::int * 128;" | tr -d '\n\t'
		echo
		while IFS=$'\t' read -r subject call; do
			subject=${subject//\'/\'\'}
			for _ in 1 2 3; do echo "SELECT 'draws', '$subject', count($call) FROM generate_series(1, 20);"; done
			for _ in 1 2 3 4 5; do echo "SELECT 'one', '$subject', $call;"; done
		done
	} | while read -r; do printf '%-250s\n' "$REPLY"; done |	# the server keeps the text, too
		gid_as tee "$GID_WORK/single.sql" >/dev/null
	# shellcheck disable=SC2016
	gid_run "$log" 900 bash -c 'set -o pipefail
		valgrind --tool=lackey --trace-mem=yes --log-fd=1 "$1/postgres" --single -D "$2" postgres <"$3" 2>/dev/null |
		perl "$4"' bash "$bin" "$GID_WORK/$1" "$GID_WORK/single.sql" "$GID_TREE/test/bench/lines.pl" ||
		fail "the cache lines"
	while IFS=$'\t' read -r subject kind shared; do
		subject=${subject//\'/\'\'}$2
		runs+=", ('lines', '$subject', 1, '$kind', 1, $shared)"
	done <"$log"
	LINES_RUNS+=$runs
}

# They are always the same, so one round will do.
measure_lines() {
	LINES_RUNS=''
	gid_cluster_stop bench
	lines bench '' <<<"$LINES_COUNTED"
	if [ -n "${GID_BENCH_OLD:-}" ]; then
		start_old
		gid_cluster_stop old
		SERVERS=(bench)
		lines old ' of 1.1' <<<"$LINES_OLD"
	fi
	gid_cluster_restart bench
	run "INSERT INTO sample VALUES ${LINES_RUNS#, }"
}

# sessions ROUND CALLS CLIENTS...: these calls in so many sessions each.  A
# transaction draws many ids; all sessions together draw as many as one does
# alone.
sessions() {
	local round=$1 calls=$2 clients subject call ids=50000 runs=''
	[ "$SESSIONS_CALLS" -ge 400000 ] || ids=1000
	shift 2
	while IFS=$'\t' read -r subject call _; do
		for clients; do
			progress "sessions: round $round of $PAIR_ROUNDS, $subject in $clients"
			tps "$clients" $((SESSIONS_CALLS / ids / clients)) \
				"SELECT count($call) FROM generate_series(1, $ids)"
			runs+="${runs:+,}('sessions', '${subject//\'/\'\'}', $clients, 'million/s', $round, $ids * $TPS / 1e6)"
		done
	done <<<"$calls"
	run "INSERT INTO sample VALUES $runs"
}

# One session and two in turn, one after the other; the calls take turns, too.
measure_sessions() {
	local round
	for ((round = 1; round <= PAIR_ROUNDS; round++)); do
		if [ $((round % 2)) -eq 1 ]; then sessions $round "$SESSIONS" 1 2; else sessions $round "$SESSIONS" 2 1; fi
		[ $round -gt $ROUNDS ] || sessions $round "$PLOTTED" 4 8
	done
}

measure_families() {
	local round subject call port
	start_old
	for ((round = 1; round <= FAMILY_ROUNDS; round++)); do
		progress "families: round $round of $FAMILY_ROUNDS"
		while IFS=$'\t' read -r subject call; do
			for port in $(ports $round "$subject"); do
				PGPORT=$port run "CALL measure_path($round, \$\$$subject\$\$, $FAMILY_CALLS)" \
					"CALL \"transactions of $subject\"('families', 1, $round, $FAMILY_TRANSACTIONS)"
				PGPORT=$port firsts families $round "$subject" 1 'first of a session, µs'
			done
		done <<<"$FAMILIES"
	done
	restart "shared_preload_libraries = 'gid'" "shared_buffers = 256MB"
	for ((round = 1; round <= FAMILY_ROUNDS; round++)); do
		progress "families: round $round of $FAMILY_ROUNDS, preloaded"
		while IFS=$'\t' read -r subject call; do
			for port in $(ports $round "$subject"); do
				[ "$subject" = "no id" ] ||
					PGPORT=$port firsts families $round "$subject" 1 'first of a session, preloaded, µs'
				PGPORT=$port tps 1 "$FAMILY_CONNECTIONS" "SELECT $call" -C
				PGPORT=$port run "SELECT note('families', \$\$$subject\$\$, 1, 'a connection, µs', $round, 1e6 / $TPS)"
			done
		done <<<"$FAMILIES"$'\n'"no id"$'\t'"$POOL_OTHER"
	done
	for port in $(ports 0 gid); do
		PGPORT=$port run "CALL note_first()"
	done
	stop_old
	restart "shared_buffers = 256MB"
}

measure_sequences() {
	progress "sequences: making them"
	run "CALL make_sequences($SEQUENCES)" CHECKPOINT
	progress "sequences: $ROUNDS rounds"
	run "CALL measure_sequences($ROUNDS, $SEQUENCES, $SEQUENCES_CALLS)"
}

measure_latency() {
	local round subject
	for ((round = 1; round <= ROUNDS; round++)); do
		for subject in 'nextval(seq), CACHE 1000' 'gid_next(seq)' 'nextval(seq)' 'gid_next_gdid(seq)'; do
			progress "latency: round $round of $ROUNDS, $subject"
			tps $CLIENTS 1 "CALL measure_latency('latency', $round, '$subject', $((LATENCY_CALLS / CLIENTS)), '$subject')"
		done
	done
	run "CALL note_latency('latency')"
}

# rows ROUND PART SUBJECT EXPRESSION ARG...: transactions of one row that wait for the
# disk.  :n counts from 1 to 100, over and over.
rows() {
	local log=$GID_LOGS/bench.log ms n flushes
	flushes=$(value "TABLE flushes")
	gid_as tee "$GID_WORK/rows.sql" >/dev/null <<<"\\set n 1 + mod(:i, 100)
		\\set i :i + 1
		INSERT INTO quiet VALUES ($4);" &&
		gid_run "$log" 900 pgbench -n -c 1 -D i=0 "${@:5}" -f "$GID_WORK/rows.sql" postgres &&
		ms=$(sed -n 's/^latency average = \([0-9.]*\) ms$/\1/p' "$log" | grep .) &&
		n=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$log" | grep .) || fail "$3"
	sleep 0.5					# a backend reports its flushes when it ends
	flushes=$(value "SELECT flushes - $flushes FROM flushes")
	run "SELECT note('$2', '$3', 1, 'ms', $1, $ms), note('$2', '$3', 1, 'flushes', $1, $flushes::float8 / $n)"
}

measure_quiet() {
	local round function
	for function in nextval gid_next; do		# the first values after the start
		rows 0 quiet "$function(seq), first" "$function('${function}_:n')" -t 100
	done
	for ((round = 1; round <= ROUNDS; round++)); do
		progress "quiet: round $round of $ROUNDS"
		rows $round quiet 'no sequence, quiet' 1 -R 40 -t "$QUIET_ROWS"
		rows $round quiet 'no sequence, busy' 1 -t "$((QUIET_ROWS * 5))"
		for function in nextval gid_next; do
			rows $round quiet "$function(seq), quiet" "$function('${function}_:n')" -R 40 -t "$QUIET_ROWS"
			rows $round quiet "$function(seq), busy" "$function('${function}_1')" -t "$((QUIET_ROWS * 5))"
		done
	done
}

# Each mode in its own sessions, which take turns.
measure_serving() {
	local round mode library
	gid_as tee "$GID_WORK/point.sql" >/dev/null <<<"\\set id random(1, 100000)
		SELECT n FROM point WHERE id = :id;"
	for ((round = 1; round <= PAIR_ROUNDS; round++)); do
		for mode in prepared simple; do
			for library in 'no library' 'gid.serve_nextval = off' 'gid.serve_nextval = on'; do
				progress "serving: round $round of $PAIR_ROUNDS, $mode, $library"
				gid_run "$GID_LOGS/bench.log" 900 env PGOPTIONS="$([ "$library" = 'no library' ] ||
					echo "-c session_preload_libraries=gid -c ${library// /}")" \
					pgbench -n -c 1 -M $mode -t "$POINTS" -f "$GID_WORK/point.sql" postgres &&
					run "SELECT note('serving', '$mode, $library', 1, 'µs', $round,
						1e6 / $(sed -n 's/^tps = \([0-9.]*\) (.*/\1/p' "$GID_LOGS/bench.log"))" || fail "$library"
			done
		done
	done
}

# What a connection of its own costs a transaction with one id, with preload and without.
measure_pool() {
	local round preload clients call
	for preload in "" "shared_preload_libraries = 'gid'"; do
		restart "shared_buffers = 256MB" "$preload"
		for ((round = 1; round <= ROUNDS; round++)); do
			for clients in 1 8; do
				for call in "$POOL_OTHER" 'gid_uuid_v7()'; do
					progress "pool: round $round of $ROUNDS, $call, $clients clients${preload:+, preloaded}"
					tps $clients $((POOL_CALLS / clients)) "SELECT $call" -C
					run "SELECT note('pool', '${call%%(*}()${preload:+, preloaded}', $clients, 'tps', $round, $TPS)"
				done
			done
		done
	done
	restart "shared_buffers = 256MB"
}

# want_standbys N: the one standby is synchronous (1) or not (0), and connected.
want_standbys() {
	run "ALTER SYSTEM SET synchronous_standby_names = '$([ "$1" = 0 ] || echo '*')'" "SELECT pg_reload_conf()"
	until [ "$(value "SELECT count(*) = 1 AND bool_and((sync_state <> 'async') = ($1 > 0)) FROM pg_stat_replication")" = t ]; do
		sleep 0.1
	done
}

# With and without, in turn this and that one first.  The standby receives and
# replays the WAL also while nobody waits for it.
measure_standbys() {
	local round n shown
	gid_run "$GID_LOGS/bench.log" 300 pg_basebackup -D "$GID_WORK/standby" -d "host=$PGHOST port=$PGPORT" -R -c fast --no-sync ||
		fail "a standby"
	printf '%s\n' "${SETTINGS[@]}" "listen_addresses = ''" "unix_socket_directories = '$PGHOST'" \
		"port = $((PGPORT + 1))" | gid_as tee "$GID_WORK/standby/postgresql.conf" >/dev/null
	gid_cluster_restart standby
	for ((round = 1; round <= PAIR_ROUNDS; round++)); do
		for n in $((round % 2)) $((1 - round % 2)); do
			progress "standbys: round $round of $PAIR_ROUNDS, $n"
			shown="gid_next(seq), $n standbys"
			want_standbys "$n"
			run "CALL measure_standbys($round, '$shown', $CALLS)"
			tps $CLIENTS 1 "CALL measure_latency('standbys', $round, 'gid_next(seq)', $((LATENCY_CALLS / CLIENTS)), '$shown')"
		done
	done
	run "CALL note_latency('standbys')"
	want_standbys 0
	gid_cluster_stop standby
}

measure_inserts() {
	local round
	for ((round = 1; round <= ROUNDS; round++)); do
		progress "inserts: round $round of $ROUNDS"
		script inserts_round -v round=$round -v rows="$ROWS"
	done
}

# One writer and eight are compared; two and four are for the plot, and need fewer rounds.
measure_writers() {
	local round kind subject writers port ports lsn
	start_old
	for ((round = 1; round <= ROUNDS; round++)); do
		for writers in 1 2 4 $CLIENTS; do
			while IFS=$'\t' read -r kind subject; do
				progress "writers: round $round of $ROUNDS, $subject by $writers"
				case $writers in
					1 | "$CLIENTS") ports=$(ports $round "$subject") ;;
					*) ports=$([ $round -gt 3 ] || echo "$PGPORT") ;;
				esac
				for port in $ports; do
					PGPORT=$port run "CALL make_table('$kind')" "CHECKPOINT"
					lsn=$(PGPORT=$port value "SELECT pg_current_wal_insert_lsn()")
					PGPORT=$port tps "$writers" $((WRITERS_ROWS / writers / 10)) \
						"INSERT INTO insert_$kind (n) SELECT n FROM generate_series(1, 10) AS n"
					PGPORT=$port run "CALL note_index('writers', $round, '$kind', $writers, '$lsn')" \
						"SELECT note('writers', '$subject', $writers, 'rows/s', $round, 10 * $TPS)"
				done
			done <<<"$KINDS"
		done
	done
	stop_old
}

# Few shared buffers, and checkpoints as often as a busy server has them.
measure_growth() {
	local round kind
	restart "shared_buffers = ${GROWTH_KB}kB" "max_wal_size = 64MB"
	for ((round = 1; round <= GROWTH_ROUNDS; round++)); do
		for kind in v7 random; do
			progress "growth: round $round of $GROWTH_ROUNDS, $kind"
			run "CALL measure_growth($round, '$kind', $GROWTH_ROWS, 20)"
		done
	done
	restart "shared_buffers = 256MB"
}

measure_mixed() {
	local round subject
	for ((round = 1; round <= MIXED_ROUNDS; round++)); do
		while read -r subject; do
			progress "mixed: round $round of $MIXED_ROUNDS, $subject"
			run "CALL measure_mixed($round, '$subject', $ROWS)" "REINDEX INDEX CONCURRENTLY insert_mixed_pkey" \
				"CALL measure_reindexed($round, '$subject', $ROWS)"
		done <<<"$MIXTURES"
	done
}

# switch ROUND HEADING SUBJECT: the blocks of that section, with many rows in its tables.
# It notes the time from the last lock of its one transaction to the end.
switch() {
	awk -v round="$1" -v heading="## $2" -v subject="$3" -v rows="$SWITCH_ROWS" '
		function noted(measure, since, factor) {
			printf "SELECT note(\047switch\047, \047%s\047, 1, \047%s\047, %d, %d * extract(epoch FROM clock_timestamp() - :\047%s\047));\n", subject, measure, round, factor, since
		}
		/^#/ { wanted = $0 == heading }
		/^```/ { block = wanted && $0 == "```sql"; next }
		!block { next }
		{ print }
		match($0, /^INSERT INTO [a-z]*_line \(/) {
			child = $3
			parent = substr(child, 1, length(child) - 5)
			printf "INSERT INTO %s (created_at, item) SELECT now() - n * interval \0471 s\047, n FROM generate_series(1, %d) AS n;\n", parent, rows
			printf "INSERT INTO %s (%s_id, part) SELECT id, item FROM %s, generate_series(1, 3);\n", child, parent, parent
			print "ANALYZE;\nCHECKPOINT;\nSELECT clock_timestamp() AS began \\gset"
		}
		/^LOCK TABLE / { print "SELECT clock_timestamp() AS locked \\gset" }
		/^COMMIT;$/ { noted("locked, ms", "locked", 1000) }
		END {
			noted("s in all", "began", 1)
			printf "DROP TABLE %s, %s;\n", parent, child
		}' "$GID_TREE/doc/tables-with-rows.md" | gid_as tee "$GID_WORK/switch.sql" >/dev/null
	sql "$GID_LOGS/bench.log" -f "$GID_WORK/switch.sql" || fail "the recipe \"$2\""
}

measure_switch() {
	local round
	for ((round = 1; round <= SWITCH_ROUNDS; round++)); do
		progress "switch: round $round of $SWITCH_ROUNDS"
		switch $round "New keys with one lock" "with one lock"
		switch $round "New keys without a long lock" "without a long lock"
	done
}

# firsts PART ROUND SUBJECT X MEASURE: first ids of sessions, one after the other, for
# note_first().
firsts() {
	tps 1 "$FIRST_CALLS" "CALL measure_first('$1', $2, \$\$$3\$\$, $4, '$5')" -C
}

# firsts_beside CONNECTIONS: that many are open.
firsts_beside() {
	local round subject
	for ((round = 1; round <= ROUNDS; round++)); do
		while IFS=$'\t' read -r subject; do
			progress "connections: round $round of $ROUNDS, $subject, $1 connections"
			firsts connections $round "$subject" "$1" 'first id, µs'
		done <<<"$FIRSTS"
	done
	run "CALL note_first()"
}

# crowd CONNECTIONS [EXPRESSION]: opens so many, each with ids, by a pgbench that goes on
# until uncrowd.
crowd() {
	gid_as tee "$GID_WORK/crowd.sql" >/dev/null \
		<<<"SELECT gid_uuid_v7(), gid_decimal_id(), gid_next('bench_next'), ${2:-1}, pg_sleep(600);"
	gid_as pgbench -n -c "$1" -j 1 -t 1 -f "$GID_WORK/crowd.sql" postgres >/dev/null 2>&1 &
	crowd=$!
	until [ "$(value "SELECT count(*) >= $1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'")" = t ]; do
		sleep 0.2
		kill -0 "$crowd" 2>/dev/null || fail "$1 connections"
	done
}
uncrowd() {
	kill "$crowd"
	wait "$crowd" 2>/dev/null
	value "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'PgSleep'" >/dev/null
	until [ "$(value "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'")" = t ]; do
		sleep 0.2
	done
}

# reading_lag ROUND POLL: four readers beside writers, of whom some commit late, while a
# transaction is open that does not draw.  It ends before the readers do.
reading_lag() {
	local reader pids=()
	run "TRUNCATE outbox, outbox_seen RESTART IDENTITY"
	gid_as tee "$GID_WORK/lag.sql" >/dev/null <<<'BEGIN;
		INSERT INTO outbox (payload) VALUES (1);
		\if random(1, 4) = 1
		\sleep 20 ms
		\endif
		COMMIT;'
	gid_as psql -XAtq -d postgres -c 'BEGIN' -c 'SELECT pg_current_xact_id()' \
		-c "SELECT pg_sleep($LAG_SECONDS * 0.7)" -c 'COMMIT' >/dev/null &
	pids+=($!)
	for reader in 'the greatest id' 'the oldest transaction' 'gid_uuid_v7_horizon()' 'gid_horizon(seq)'; do
		gid_as psql -XAtq -d postgres -c "CALL read_outbox('$reader', $2, $LAG_SECONDS + 3)" >/dev/null &
		pids+=($!)
	done
	gid_as pgbench -n -c 4 -j 1 -R 200 -T "$LAG_SECONDS" -f "$GID_WORK/lag.sql" postgres >/dev/null 2>&1 || fail "the writers"
	wait "${pids[@]}" || fail "the readers"
	run "CALL note_outbox($1, $2)"
}

measure_reading() {
	local round x
	restart "max_connections = 520" "track_commit_timestamp = on" "shared_buffers = 256MB"
	for x in 10 500; do
		progress "reading: $x open transactions"
		crowd $x "pg_current_xact_id()"
		for ((round = 1; round <= ROUNDS; round++)); do
			run "CALL \"transactions of gid_uuid_v7_horizon()\"('reading', $x, $round, $TRANSACTIONS / $x)" \
				"CALL \"transactions of gid_horizon(seq)\"('reading', $x, $round, $TRANSACTIONS / $x)"
		done
		uncrowd
	done
	for ((round = 1; round <= LAG_ROUNDS; round++)); do
		for x in 10 1000; do
			progress "reading: round $round of $LAG_ROUNDS, polls of $x ms"
			reading_lag $round $x
		done
	done
	restart "shared_buffers = 256MB"
}

# All clients with one tenant, and each with its own; without work after the row and with.
# The tables begin empty, and what has numbers is checked.
measure_gapless() {
	local round subject statement tenants work DURABLE=on
	for ((round = 1; round <= ROUNDS; round++)); do
		for tenants in 1 $CLIENTS; do
			for work in '' ', work of 5 ms'; do
				progress "gapless: round $round of $ROUNDS, $tenants tenants$work"
				run "TRUNCATE gapless_counter, gapless_drawn, gapless_first, gapless_commit" "CHECKPOINT"
				while IFS=$'\t' read -r subject statement; do
					# each subject has its own tenants, and so its own counters
					tps $CLIENTS $((GAPLESS_ROWS / CLIENTS)) "\\set tenant :client_id % $tenants + 100 * ${#subject}
						BEGIN;
						$statement;
						${work:+\\sleep 5 ms}
						COMMIT"
					run "SELECT note('gapless', '$subject', $tenants, 'rows/s$work', $round, $TPS)"
				done <<<"$GAPLESS"
				run "CALL check_gapless()"
			done
		done
	done
}

measure_connections() {
	local connections round large
	restart "shared_preload_libraries = 'gid'" "max_connections = 1020"
	large=$(value "SELECT allocated_size FROM pg_shmem_allocations WHERE name = 'gid parts'")
	firsts_beside 1
	for connections in 100 1000; do
		progress "connections: opening $connections"
		crowd $connections
		firsts_beside $connections
		uncrowd
	done
	restart "shared_preload_libraries = 'gid'" "max_connections = 20"
	run "SELECT note('connections', 'shared memory', 1, 'bytes a connection', 1,
		($large - (SELECT allocated_size FROM pg_shmem_allocations WHERE name = 'gid parts')) / 1000.0)"
}

# ---- the run ----

SCALE=${BENCH_SCALE:-1}
awk -v s="$SCALE" 'BEGIN { exit !(s ~ /^[0-9]*\.?[0-9]+$/ && s >= 0.001 && s <= 2) }' ||
	gid_die "BENCH_SCALE must be a number from 0.001 to 2, not \"$SCALE\""
for part in $PARTS; do
	declare -F "measure_$part" >/dev/null || gid_die "BENCH_PARTS has no \"$part\""
done
CALLS=$(scaled 1000000 1000)
# twice as many are less TraceIds than a second has
SESSIONS_CALLS=$(SCALE=$(awk -v s="$SCALE" 'BEGIN { print s < 1 ? s : 1 }') &&
	scaled 1600000 400000)
SEQUENCES=$(awk -v s="$SCALE" 'BEGIN { print s < 0.5 ? 1000 : 10000 }')
SEQUENCES_CALLS=$(scaled 200000 10000)
TRANSACTIONS=$(scaled 100000 1000)
FAMILY_CALLS=$(scaled 500000 400)
FAMILY_TRANSACTIONS=$(scaled 30000 1000)
FAMILY_CONNECTIONS=$(scaled 60 10)
LATENCY_CALLS=$(scaled 40000 $CLIENTS)
ROWS=$(scaled 1000000 1000)
WRITERS_ROWS=$(scaled 160000 $((CLIENTS * 10)))
GROWTH_ROWS=$(scaled 1000000 20000)
GROWTH_KB=$((GROWTH_ROWS * 8 / 1024 / 8 * 8))
[ $GROWTH_KB -ge 1024 ] || GROWTH_KB=1024
FIRST_CALLS=$(scaled 25 10)
QUIET_ROWS=$(scaled 400 100)
POINTS=$(scaled 20000 1000)
SWITCH_ROWS=$(scaled 100000 1000)
POOL_CALLS=$(scaled 400 40)
POOL_OTHER="gid_extract_v7_time('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')"	# does not draw
LAG_SECONDS=$(scaled 20 4)
GAPLESS_ROWS=$(scaled 1600 $CLIENTS)

began=$(gid_seconds)
gid_setup bench
gid_build with_llvm=no

gid_cluster_start bench "${SETTINGS[@]}" "shared_buffers = 256MB"
for part in setup calls lines sessions transactions families sequences latency quiet standbys inserts mixed switch reading serving gapless connections pool; do
	script $part -v calls="$CALLS" -v old="${GID_BENCH_OLD:-}"
done
COUNTED=$(value "SELECT subject || E'\t' || expression FROM comparison AS c JOIN call AS f USING (subject)
	WHERE c.part = 'instructions' AND f.part = 'calls' ORDER BY c.position")
SESSIONS=$(value "SELECT concat_ws(E'\t', subject, expression, c.goal IS NOT NULL OR subject LIKE 'nextval%')
	FROM comparison AS c JOIN call AS f USING (subject)
	WHERE c.part = 'sessions' AND f.part = 'calls' ORDER BY c.position")
PLOTTED=$(grep $'\tt$' <<<"$SESSIONS")
KINDS=$(value "SELECT kind || E'\t' || subject FROM kind ORDER BY position")
GAPLESS=$(value "SELECT subject || E'\t' || statement FROM gapless ORDER BY position")
MIXTURES=$(value "SELECT subject FROM mixture ORDER BY position")
LINES_COUNTED=$(value "SELECT subject || E'\t' || expression FROM line_call ORDER BY position")
LINES_OLD=$(value "SELECT subject || E'\t' || expression FROM line_call WHERE old ORDER BY position")
FAMILIES=$(value "SELECT subject || E'\t' || expression FROM family ORDER BY subject LIKE '%next%', position")
FIRSTS=$(value "SELECT DISTINCT subject FROM comparison WHERE part = 'connections' AND x > 1 ORDER BY subject")

gid_say "Measuring: $CALLS calls, $ROWS rows ..."
for part in $PARTS; do
	start=$(gid_seconds)
	"measure_$part"
	progress
	gid_say "  $part: $(gid_since "$start")"
done

rm -rf "$OUTPUT"
mkdir -p "$OUTPUT" || gid_die "could not write to $OUTPUT"
script shown
while read -r part; do
	sql - -v part="$part" -f "$GID_TREE/test/bench/sql/report.sql" || fail "the results"
done <<<"$(value "SELECT part FROM report GROUP BY part ORDER BY min(position)")"
gid_say "$(value "SELECT count(*) FILTER (WHERE met = 'yes'), 'of', count(met), 'goals are met.' FROM report")"

# ---- CSV, plots ----

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
for name in results:report samples:sample curves:curve; do
	sql "$GID_LOGS/csv" --csv -c "TABLE ${name#*:}" && cp "$GID_LOGS/csv" "$OUTPUT/${name%:*}.csv" ||
		gid_die "could not write to $OUTPUT"
done
{
	value "SELECT version()"
	printf '%s, %s processors, %s calls, %s rows\n' "${cpu:-unknown processor}" \
		"$(nproc 2>/dev/null || echo '?')" "$CALLS" "$ROWS"
} >"$OUTPUT/machine.txt"

if [ "$PUBLISH" = yes ]; then
	data=$GID_ROOT/doc/bench
	# another version of PostgreSQL has a directory of its own there
	[ ! -e "$data/machine.txt" ] || grep -q "^PostgreSQL $GID_MAJOR\b" "$data/machine.txt" || data+=/$GID_MAJOR
	"$BENCH/report" --data "$data" --merge "$OUTPUT" &&
		python3 "$GID_ROOT/tools/pictures.py" && "$BENCH/report" --fill "$GID_ROOT/README.md" "$GID_ROOT"/doc/*.md ||
		gid_die "could not put the figures into the manual"
	chown -R --reference="$GID_ROOT" "$GID_ROOT/doc" 2>/dev/null
fi
python3 "$GID_ROOT/tools/pictures.py" --plots --data "$OUTPUT" --out "$OUTPUT" ||
	gid_die "could not draw the plots"
chown -R --reference="$GID_ROOT" "$OUTPUT" 2>/dev/null

gid_cluster_stop bench
gid_say "Measured on: ${cpu:-an unknown processor}, PostgreSQL $GID_MAJOR"
gid_say "CSV and plots: ${OUTPUT#"$GID_ROOT"/}/.  All of it took $(gid_since "$began")."
