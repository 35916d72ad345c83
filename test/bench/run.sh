#!/bin/bash
# test/bench/run.sh
#		What "make bench" runs: the figures of the manual.
#
# Everything is measured in a throw-away cluster of a private PostgreSQL
# (tools/setup.sh) without JIT and parallel query, in rounds in which what is
# compared takes turns.  A figure is the median over the rounds, most often of
# a ratio to a reference in the same round.  Each measure_PART below is a part,
# and sql/ has its tables and procedures.
#
# From the environment: BENCH_PARTS selects parts.  BENCH_SCALE (0.001 to 2,
# default 1) multiplies the numbers of calls and rows, 0.02 is a quick look;
# more than 2 would measure how a TraceId's 4,190,208 ids a second make the
# caller wait.  With BENCH_PUBLISH=yes the results go into the manual, too:
# doc/bench, where the rows of other parts stay, the tables of the chapters
# (./report), and doc/pictures.
#
# The results are in test/bench/output/: results.csv, curves.csv, the samples,
# plots.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../../tools/setup.sh"

BENCH=$GID_ROOT/test/bench
OUTPUT=$BENCH/output
PARTS=${BENCH_PARTS:-calls instructions lines sessions families quiet inserts writers growth mixed switch reading gapless connections many}
# rounds: calls and sessions differ least, first ids of sessions most
ROUNDS=7
PAIR_ROUNDS=11
FAMILY_ROUNDS=21
LARGE_ROUNDS=3
CLIENTS=8
SETTINGS=(
	"gid.launch_id = 65"
	"gid.node_no = 1"
	"gid.authority = 1"
	"snowflake.node = 1"		# of pgEdge's extension
	"jit = off"
	"max_parallel_workers_per_gather = 0"
	"autovacuum = off"
	"max_wal_size = 4GB"
	"checkpoint_timeout = 1h"
	"max_locks_per_transaction = 256"
	"client_min_messages = warning"
	"shared_buffers = 256MB"
)

# scaled NUMBER STEP: a number times BENCH_SCALE, a multiple of STEP and not 0.
scaled() {
	awk -v n="$1" -v step="$2" -v scale="$SCALE" 'BEGIN {
		k = int(n * scale / step + 0.5)
		printf "%d", (k < 1 ? 1 : k) * step
	}'
}

fail() {
	gid_tail "$GID_LOGS/bench.log" 20 >&2
	gid_tail "$GID_WORK/bench.log" 10 >&2
	gid_die "could not measure $1"
}

# sql LOG ARG...: psql; LOG as gid_run's.
sql() {
	gid_run "$1" 900 psql -X -q -P pager=off -P footer=off -v ON_ERROR_STOP=1 -d postgres "${@:2}"
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

# tps CLIENTS TRANSACTIONS SCRIPT ARG...: sets TPS, of pgbench without the time
# to connect.  DURABLE=on: commits wait for the disk.  OPTIONS: other settings.
tps() {
	local log=$GID_LOGS/bench.log
	gid_as tee "$GID_WORK/pgbench.sql" <<<"$3;" >/dev/null &&
		gid_run "$log" 900 env PGOPTIONS="-c synchronous_commit=${DURABLE:-off} ${OPTIONS:-}" \
			pgbench -n -c "$1" -j "$1" -t "$2" "${@:4}" -f "$GID_WORK/pgbench.sql" postgres &&
		TPS=$(sed -n 's/^tps = \([0-9.]*\) (.*/\1/p' "$log" | grep .) || fail "$3"
}

# restart [SETTING...]: with these settings more.
restart() {
	gid_cluster_stop bench
	printf '%s\n' "${SETTINGS[@]}" "$@" "listen_addresses = ''" "port = $PGPORT" \
		"unix_socket_directories = '$PGHOST'" |
		gid_as tee "$GID_WORK/bench/postgresql.conf" >/dev/null
	gid_cluster_restart bench
}

# ---- what an id costs ----

# Each round in a new backend; extractors over a column of ids.
measure_calls() {
	local round part
	for ((round = 1; round <= PAIR_ROUNDS; round++)); do
		for part in calls extractors; do
			script calls_round -v round=$round -v part=$part -v calls="$CALLS"
		done
	done
}

# single SQL FILTER OPTION...: a single-user backend that runs these lines
# under valgrind with these options, and what the filter makes of it.
single() {
	gid_as tee "$GID_WORK/single.sql" >/dev/null <<<"$1"
	# shellcheck disable=SC2016
	gid_run "$GID_LOGS/bench.log" 900 bash -c 'set -o pipefail
		valgrind --log-fd=1 "${@:4}" "$1/postgres" --single -D "$2/bench" postgres <"$2/single.sql" 2>/dev/null |
		eval "$3"' bash "$GID_BIN" "$GID_WORK" "${@:2}" || fail "a backend under valgrind"
	cat "$GID_LOGS/bench.log"
}

# instructions CALL COUNT: those of the backend's whole life.
instructions() {
	single "SELECT count($1) FROM generate_series(1::bigint, $2) AS g;" "sed -n 's/.*Collected : //p'" \
		--tool=callgrind --callgrind-out-file=/dev/null
}

# Always the same number, so one round will do.
measure_instructions() {
	local subject call few many runs=''
	gid_cluster_stop bench
	while IFS=$'\t' read -r subject call; do
		few=$(instructions "$call" 2000) && many=$(instructions "$call" 12000) || exit 1
		runs+=", ('instructions', '${subject//\'/\'\'}', 1, 'instructions', 1, ($many - $few) / 10000.0)"
	done <<<"$COUNTED"
	gid_cluster_restart bench
	run "INSERT INTO sample VALUES ${runs#, }"
}

# Cache lines that a draw writes and other sessions as well.  The same number,
# too, on a quiet machine: if a statement takes a quarter of a second, its draw
# looks after the clock, and writes one line more.
measure_lines() {
	local subject call kind number statements runs='' own
	# the pointer to what the transactions note; what is behind that, a draw does
	# not write or no other session does
	own=$((0x$(nm "$GID_TREE/gid.so" | awk '$3 == "gid_word_xact_state" { print $1 }' | grep .))) ||
		fail "gid.so without symbols"
	# whose block lasts for all draws, slow as they are
	run "ALTER SEQUENCE bench_next CACHE 10000"
	gid_cluster_stop bench
	statements=$(
		echo "SELECT l FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), E'\\n') AS l;"
		echo "SELECT gid_uuid_v7();"
		echo "SELECT 'own ' || encode(pg_read_binary_file('/proc/self/mem', $own
			+ ('x' || lpad(split_part(l, '-', 1), 16, '0'))::bit(64)::bigint, 8), 'hex')
			FROM regexp_split_to_table(pg_read_file('/proc/self/maps'), E'\\n') AS l
			WHERE l LIKE '%/gid.so' LIMIT 1;" | tr -s '\n\t' ' '
		echo
		while IFS=$'\t' read -r subject call; do
			for _ in 1 2 3; do echo "SELECT 'draws', '$subject', count($call) FROM generate_series(1, 20);"; done
			for _ in 1 2 3 4 5; do echo "SELECT 'one', '$subject', $call;"; done
		done <<<"$LINES_COUNTED"
	)
	# of one length, because the server keeps the text, too
	statements=$(while read -r; do printf '%-250s\n' "$REPLY"; done <<<"$statements")
	single "$statements" "grep -v '^I' | perl $GID_TREE/test/bench/lines.pl" --tool=lackey --trace-mem=yes >"$GID_LOGS/lines"
	while IFS=$'\t' read -r subject kind number; do
		runs+=", ('lines', '$subject', 1, '$kind', 1, $number)"
	done <"$GID_LOGS/lines"
	gid_cluster_restart bench
	run "ALTER SEQUENCE bench_next CACHE 1" "INSERT INTO sample VALUES ${runs#, }"
}

# One session and two, one after the other.  A transaction draws many ids; all
# sessions together draw as many as one does alone.
measure_sessions() {
	local round subject call clients order ids=50000
	[ "$SESSIONS_CALLS" -ge 400000 ] || ids=1000
	for ((round = 1; round <= PAIR_ROUNDS; round++)); do
		order="1 2"
		[ $((round % 2)) -eq 1 ] || order="2 1"
		while IFS=$'\t' read -r subject call; do
			for clients in $order; do
				tps "$clients" $((SESSIONS_CALLS / ids / clients)) \
					"SELECT count($call) FROM generate_series(1, $ids)"
				run "SELECT note('sessions', \$\$$subject\$\$, $clients, 'million/s', $round, $ids * $TPS / 1e6)"
			done
		done <<<"$SESSIONS"
	done
}

# firsts PART ROUND SUBJECT X MEASURE: first ids of sessions, one after the
# other, for note_first().
firsts() {
	tps 1 "$FIRST_CALLS" "CALL measure_first('$1', $2, \$\$$3\$\$, $4, '$5')" -C
}

measure_families() {
	local round subject
	for ((round = 1; round <= FAMILY_ROUNDS; round++)); do
		while read -r subject; do
			run "CALL measure_path($round, \$\$$subject\$\$, $FAMILY_CALLS)" \
				"CALL \"transactions of $subject\"('families', 1, $round, $FAMILY_TRANSACTIONS)"
			firsts families $round "$subject" 1 'first of a session, µs'
		done <<<"$FAMILIES"
	done
	restart "shared_preload_libraries = 'gid'"
	for ((round = 1; round <= FAMILY_ROUNDS; round++)); do
		while read -r subject; do
			firsts families $round "$subject" 1 'first of a session, preloaded, µs'
		done <<<"$FAMILIES"
	done
	run "CALL note_first()"
	restart
}

# crowd CONNECTIONS [EXPRESSION]: opens so many, each with ids, by a pgbench
# that goes on until uncrowd.
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

# The first id of a connection beside many others.
measure_connections() {
	local connections round subject
	restart "shared_preload_libraries = 'gid'" "max_connections = 1020"
	for connections in 100 1000; do
		crowd $connections
		for ((round = 1; round <= ROUNDS; round++)); do
			while read -r subject; do
				firsts connections $round "$subject" $connections 'first id, µs'
			done <<<"$FIRSTS"
		done
		run "CALL note_first()"
		uncrowd
	done
	restart
}

# rows ROUND SUBJECT EXPRESSION ARG...: transactions of one row that wait for
# the disk. :n counts from 1 to 100, over and over.
rows() {
	local log=$GID_LOGS/bench.log n flushes
	flushes=$(value "TABLE flushes")
	DURABLE=on tps 1 "$4" "\\set n 1 + mod(:i, 100)
		\\set i :i + 1
		INSERT INTO quiet VALUES ($3)" -D i=0 "${@:5}"
	n=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$log" | grep .) || fail "$2"
	sleep 0.5					# a backend reports its flushes when it ends
	flushes=$(value "SELECT flushes - $flushes FROM flushes")
	run "SELECT note('quiet', '$2', 1, 'flushes', $1, $flushes::float8 / $n)"
}

# Flushes of a transaction of one row: from a hundred sequences in turn, two
# seconds apart, and from one sequence without a pause.
measure_quiet() {
	local round function
	for function in nextval gid_next; do		# the first values after the start
		rows 0 "$function(seq), first" "$function('${function}_:n')" 100
	done
	for ((round = 1; round <= ROUNDS; round++)); do
		rows $round 'no sequence, quiet' 1 "$QUIET_ROWS" -R 40
		rows $round 'no sequence, busy' 1 "$((QUIET_ROWS * 5))"
		for function in nextval gid_next; do
			rows $round "$function(seq), quiet" "$function('${function}_:n')" "$QUIET_ROWS" -R 40
			rows $round "$function(seq), busy" "$function('${function}_1')" "$((QUIET_ROWS * 5))"
		done
	done
}

# ---- what ids do to a primary key ----

# One writer, one statement: time, index, a range of ids.
measure_inserts() {
	local round
	for ((round = 1; round <= ROUNDS; round++)); do
		script inserts_round -v round=$round -v rows="$ROWS"
	done
}

# Ten rows a transaction, which do not wait for the disk.  Two writers and four
# are for the plot, and need fewer rounds.
measure_writers() {
	local round kind subject writers lsn
	for ((round = 1; round <= ROUNDS; round++)); do
		for writers in 1 2 4 $CLIENTS; do
			[ $round -le 3 ] || [ "$writers" = 1 ] || [ "$writers" = $CLIENTS ] || continue
			while IFS=$'\t' read -r kind subject; do
				run "CALL make_table('$kind')" "CHECKPOINT"
				lsn=$(value "SELECT pg_current_wal_insert_lsn()")
				tps "$writers" $((WRITERS_ROWS / writers / 10)) \
					"INSERT INTO insert_$kind (n) SELECT n FROM generate_series(1, 10) AS n"
				run "CALL note_index('writers', $round, '$kind', $writers, '$lsn')" \
					"SELECT note('writers', '$subject', $writers, 'rows/s', $round, 10 * $TPS)"
			done <<<"$KINDS"
		done
	done
}

# A table that grows to ten times shared_buffers, with checkpoints as often as
# a busy server has them.
measure_growth() {
	local round kind
	restart "shared_buffers = ${GROWTH_KB}kB" "max_wal_size = 64MB"
	for ((round = 1; round <= LARGE_ROUNDS; round++)); do
		for kind in v7 random; do
			run "CALL measure_growth($round, '$kind', $GROWTH_ROWS, 20)"
		done
	done
	restart
}

# Rows of version 7 into an index that has random UUIDs.
measure_mixed() {
	local round subject
	for ((round = 1; round <= LARGE_ROUNDS; round++)); do
		while read -r subject; do
			run "CALL measure_mixed($round, '$subject', $ROWS)"
		done <<<"$MIXTURES"
	done
}

# switch ROUND HEADING SUBJECT: the blocks of that section, with many rows in
# its tables. It notes the time from the last lock of its one transaction to
# the commit, and that of all.
switch() {
	awk -v round="$1" -v heading="## $2" -v subject="$3" -v rows="$SWITCH_ROWS" '
		function noted(measure, since, until, factor) {
			printf "SELECT note(\047switch\047, \047%s\047, 1, \047%s\047, %d, %d * extract(epoch FROM :\047%s\047::timestamptz - :\047%s\047));\n",
				subject, measure, round, factor, until, since
		}
		function clock(name) { printf "SELECT clock_timestamp() AS %s \\gset\n", name }
		/^##? / { wanted = $0 == heading }
		/^```/ { block = wanted && $0 == "```sql"; next }
		!block { next }
		/^COMMIT;$/ { print; clock("committed"); next }
		{ print }
		match($0, /^INSERT INTO [a-z]*_line \(/) {
			child = $3
			parent = substr(child, 1, length(child) - 5)
			printf "INSERT INTO %s (created_at, item) SELECT now() - n * interval \0471 s\047, n FROM generate_series(1, %d) AS n;\n", parent, rows
			printf "INSERT INTO %s (%s_id, part) SELECT id, item FROM %s, generate_series(1, 3);\n", child, parent, parent
			print "ANALYZE;\nCHECKPOINT;"
			clock("began")
		}
		/^LOCK TABLE / { clock("locked") }
		END {
			clock("ended")
			noted("locked, ms", "locked", "committed", 1000)	# an error if no step did
			noted("s in all", "began", "ended", 1)
			printf "DROP TABLE %s, %s;\n", parent, child
		}' "$GID_TREE/doc/tables-with-rows.md" | gid_as tee "$GID_WORK/switch.sql" >/dev/null
	sql "$GID_LOGS/bench.log" -f "$GID_WORK/switch.sql" || fail "the recipe \"$2\""
}

# New keys for a table with rows and its child table, as the manual has it.
measure_switch() {
	local round
	for ((round = 1; round <= LARGE_ROUNDS; round++)); do
		switch $round "New keys with one lock" "with one lock"
		switch $round "New keys without a long lock" "without a long lock"
	done
}

# ---- readers, numbers without gaps ----

# reading_lag ROUND POLL: readers beside writers, of whom some commit late, while
# a transaction is open that does not draw.  It ends before the readers do.
reading_lag() {
	local reader sessions isolation options pids=()
	run "CALL begin_outbox()"
	gid_as tee "$GID_WORK/lag.sql" >/dev/null <<<'BEGIN;
		INSERT INTO outbox (payload) VALUES (1);
		\if random(1, 4) = 1
		\sleep 20 ms
		\endif
		COMMIT;'
	gid_as psql -XAtq -d postgres -c 'BEGIN' -c 'SELECT pg_current_xact_id()' \
		-c "SELECT pg_sleep($LAG_SECONDS * 0.7)" -c 'COMMIT' >/dev/null &
	pids+=($!)
	while IFS=$'\t' read -r reader sessions isolation options; do
		# sessions that take turns begin one after the other
		gid_as tee "$GID_WORK/reader $reader.sql" >/dev/null <<-END
			\\set wait :first * :client_id * $2
			\\sleep :wait ms
			\\set first 0
			BEGIN ISOLATION LEVEL $isolation;
			SELECT read_outbox('$reader');
			COMMIT;
			\\sleep $(($2 * sessions)) ms
		END
		# shellcheck disable=SC2086
		gid_as pgbench -n $options -c "$sessions" -j 1 -T $((LAG_SECONDS + 3)) -D first=1 \
			-f "$GID_WORK/reader $reader.sql" postgres >"$GID_LOGS/reader $reader" 2>&1 &
		pids+=($!)
	done <<<"$READERS"
	gid_as pgbench -n -c 4 -j 1 -R 200 -T "$LAG_SECONDS" -f "$GID_WORK/lag.sql" postgres >/dev/null 2>&1 || fail "the writers"
	for reader in "${pids[@]}"; do
		wait "$reader" || fail "the readers"
	done
	run "CALL note_outbox($1, $2)"
}

# Horizons: a call beside open transactions; how long readers take to see a
# row.
measure_reading() {
	local round x
	restart "max_connections = 520" "track_commit_timestamp = on"
	for x in 10 500; do
		crowd $x "pg_current_xact_id()"
		for ((round = 1; round <= ROUNDS; round++)); do
			run "CALL \"transactions of gid_uuid_v7_horizon()\"('reading', $x, $round, $TRANSACTIONS / $x)" \
				"CALL \"transactions of gid_horizon(seq)\"('reading', $x, $round, $TRANSACTIONS / $x)"
		done
		uncrowd
	done
	for ((round = 1; round <= LARGE_ROUNDS; round++)); do
		for x in 10 1000; do
			reading_lag $round $x
		done
	done
	restart
}

# Numbers without gaps, from a counter that is held until the commit or taken
# at the commit, beside gid_next(): all clients with one tenant, and each with
# its own; without work after the row and with.
measure_gapless() {
	local round subject statement tenants work DURABLE=on
	for ((round = 1; round <= ROUNDS; round++)); do
		for tenants in 1 $CLIENTS; do
			for work in '' ', work of 5 ms'; do
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
			done
		done
	done
}

# Four sessions that draw at random from many sequences, by nextval() as
# PostgreSQL has it and as gid serves it.  Which part of the values is lost
# without a crash, because another sequence needs the memory?
measure_many() {
	local round many kind OPTIONS
	for many in $MANY; do
		restart "shared_preload_libraries = 'gid'" "max_wal_size = 8GB"
		run "CALL make_many($many)" "CHECKPOINT"
		# round 0 has the first draws from most sequences
		for ((round = 0; round <= LARGE_ROUNDS; round++)); do
			for kind in plain served; do
				OPTIONS="-c gid.serve_nextval=$([ $kind = served ] && echo on || echo off)"
				tps 4 "$MANY_DRAWS" "\set n random(1, $many)
					SELECT nextval('${kind}_:n')"
				[ $round -eq 0 ] || run "SELECT note('many', '$kind', $many, 'draws/s', $round, $TPS)"
			done
		done
		run "SELECT note('many', 'served', $many, 'lost, %', 1, 100.0 * lost / ($((4 * LARGE_ROUNDS + 4)) * $MANY_DRAWS))
			FROM gid.stat_blocks" "CHECKPOINT"
	done
	restart
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
SESSIONS_CALLS=$(SCALE=$(awk -v s="$SCALE" 'BEGIN { print s < 1 ? s : 1 }') && scaled 1600000 400000)
TRANSACTIONS=$(scaled 100000 1000)
FAMILY_CALLS=$(scaled 500000 400)
FAMILY_TRANSACTIONS=$(scaled 30000 1000)
ROWS=$(scaled 1000000 1000)
WRITERS_ROWS=$(scaled 160000 $((CLIENTS * 10)))
GROWTH_ROWS=$(scaled 1000000 20000)
GROWTH_KB=$((GROWTH_ROWS * 8 / 1024 / 8 * 8))
[ $GROWTH_KB -ge 1024 ] || GROWTH_KB=1024
FIRST_CALLS=$(scaled 25 10)
QUIET_ROWS=$(scaled 400 100)
SWITCH_ROWS=$(scaled 100000 1000)
LAG_SECONDS=$(scaled 20 4)
GAPLESS_ROWS=$(scaled 1600 $CLIENTS)
MANY="$(scaled 12000 100) $(scaled 50000 100)"
MANY_DRAWS=$(scaled 40000 100)

began=$(gid_seconds)
gid_setup bench
gid_build

gid_cluster_start bench "${SETTINGS[@]}"
for part in setup calls lines transactions families quiet inserts mixed reading gapless connections many; do
	script $part -v calls="$CALLS" -v many="$MANY"
done
# what is measured: a subject and an expression, on a line each
counted() {
	value "SELECT c.subject || E'\t' || expression FROM comparison AS c JOIN call AS f USING (subject)
		WHERE c.part = '$1' AND f.part = 'calls' ORDER BY c.position"
}
COUNTED=$(counted instructions)
SESSIONS=$(counted sessions)
LINES_COUNTED=$(value "SELECT subject || E'\t' || expression FROM line_call ORDER BY position")
KINDS=$(value "SELECT kind || E'\t' || subject FROM kind ORDER BY position")
READERS=$(value "SELECT concat_ws(E'\t', reader, sessions, isolation, options) FROM outbox_reader ORDER BY position")
GAPLESS=$(value "SELECT subject || E'\t' || statement FROM gapless ORDER BY position")
MIXTURES=$(value "SELECT subject FROM mixture ORDER BY position")
FAMILIES=$(value "SELECT subject FROM family ORDER BY subject LIKE '%next%', position")
FIRSTS=$(value "SELECT DISTINCT subject FROM comparison WHERE part = 'connections' ORDER BY subject")

gid_say "Measuring: $CALLS calls, $ROWS rows ..."
for part in $PARTS; do
	start=$(gid_seconds)
	"measure_$part"
	gid_say "  $part: $(gid_since "$start")"
done

rm -rf "$OUTPUT"
mkdir -p "$OUTPUT" || gid_die "could not write to $OUTPUT"
while read -r part; do
	sql - -v part="$part" -f "$GID_TREE/test/bench/sql/report.sql" || fail "the results"
done <<<"$(value "SELECT part FROM report GROUP BY part ORDER BY min(position)")"

# ---- CSV, plots ----

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
for name in results:report samples:sample curves:curve; do
	sql "$GID_LOGS/csv" --csv -c "TABLE ${name#*:}" && cp "$GID_LOGS/csv" "$OUTPUT/${name%:*}.csv" ||
		gid_die "could not write to $OUTPUT"
done
{
	value "SELECT version()"
	printf '%s, %s processors, %s calls, %s rows\n' "${cpu:-unknown processor}" "$(nproc)" "$CALLS" "$ROWS"
} >"$OUTPUT/machine.txt"

if [ "${BENCH_PUBLISH:-no}" = yes ]; then
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
