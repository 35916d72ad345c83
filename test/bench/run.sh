#!/bin/bash
# test/bench/run.sh
#		What "make bench" runs: what the functions cost, alone and in several
#		backends at once, and what the ids do to a primary key.
#
# Everything is measured in a throw-away cluster of a private PostgreSQL
# (tools/setup.sh) without JIT and parallel query, otherwise as a fresh
# installation has it; gid is not preloaded.
#
#	functions	SELECT count(f()) FROM generate_series(1, N).  All functions in
#				turn, ROUNDS times, each round in a new backend.  A figure is the
#				median over the rounds of its ratio to clock_timestamp() in the
#				same round, and of its time less the constant's.
#	backends	The same query by pgbench in one backend and in as many as there
#				are processors (2 to 8).
#	latency		Single calls by eight backends at once on one sequence, each a
#				statement and a transaction: the median and the 99.9th percentile
#				of the time in the server, in turn with nextval() and CACHE 1000.
#	inserts		Rows with the id as primary key DEFAULT, by one writer in one
#				statement, and by eight writers, ten rows a transaction, which
#				do not wait for the disk (synchronous_commit = off).
#
# From the environment: BENCH_SCALE (0.001 to 2, default 1) multiplies the numbers
# of calls and rows; 0.1 is a quick look.  More than 2 would measure how a
# TraceId's 4,190,208 ids a second make the caller wait.
#
# The results are also in test/bench/output/, as CSV.  Whether the goals are
# reached is reported, and is no reason to fail.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../../tools/setup.sh"

OUTPUT=$GID_ROOT/test/bench/output
ROUNDS=9
BACKENDS_ROUNDS=5
LATENCY_ROUNDS=7
LATENCY_CLIENTS=8
LATENCY_POSITIONS="4 10 11 12"
INSERTS_ROUNDS=3
WRITERS=8

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

# sql LOG ARG...: psql; LOG as gid_run's.
sql() {
	local log=$1
	shift
	gid_run "$log" 600 psql -X -q -P pager=off -P footer=off \
		-v ON_ERROR_STOP=1 -d postgres "$@"
}

# script NAME ARG...: one of this directory.
script() { sql "$GID_LOGS/bench.log" "${@:2}" -f "$GID_TREE/test/bench/$1.sql"; }

# value QUERY: its lines.
value() {
	sql "$GID_LOGS/value.log" -A -t -F ' ' -c "$1" || fail "$1"
	cat "$GID_LOGS/value.log"
}

# tps CLIENTS TRANSACTIONS QUERY: sets TPS, of pgbench without the time to
# connect.
tps() {
	local log=$GID_LOGS/bench.log
	gid_as tee "$GID_WORK/pgbench.sql" <<<"$3;" >/dev/null &&
		gid_run "$log" 600 env PGOPTIONS="-c synchronous_commit=off" \
			pgbench -n -c "$1" -j "$1" -t "$2" -f "$GID_WORK/pgbench.sql" postgres &&
		TPS=$(sed -n 's/^tps = \([0-9.]*\) (without.*/\1/p' "$log" | grep .)
}

# ---- what is measured ----

measure_functions() {
	local round
	for ((round = 1; round <= ROUNDS; round++)); do
		progress "functions: round $round of $ROUNDS"
		script functions -v round=$round -v calls="$CALLS" || fail "the functions"
	done
}

# A transaction draws 50,000 ids; all backends together draw as many as one does
# alone.
measure_backends() {
	local round position call clients transactions runs=''
	transactions=$((BACKENDS_CALLS / 50000))
	for ((round = 1; round <= BACKENDS_ROUNDS; round++)); do
		while read -r position call; do
			for clients in 1 "$CPUS"; do
				progress "backends: round $round of $BACKENDS_ROUNDS, $call in $clients"
				tps "$clients" $((transactions / clients)) \
					"SELECT count($call) FROM generate_series(1, 50000)" || fail "$call"
				runs+="${runs:+,}($round, $position, $clients, 50000 * $TPS)"
			done
		done <<<"$FUNCTIONS"
	done
	sql "$GID_LOGS/bench.log" -c "INSERT INTO backend_run VALUES $runs" || fail "backends"
}

measure_latency() {
	local round position
	for ((round = 1; round <= LATENCY_ROUNDS; round++)); do
		for position in $LATENCY_POSITIONS; do
			progress "latency: round $round of $LATENCY_ROUNDS"
			tps $LATENCY_CLIENTS 1 "CALL measure_latency($round, $position,
				$((LATENCY_CALLS / LATENCY_CLIENTS)))" || fail "latency"
		done
	done
}

measure_inserts() {
	local round kind name
	for ((round = 1; round <= INSERTS_ROUNDS; round++)); do
		progress "inserts: round $round of $INSERTS_ROUNDS, one writer"
		script inserts -v round=$round -v rows="$ROWS" || fail "inserts"
	done
	while read -r kind name; do
		progress "inserts: $WRITERS writers, $name"
		sql "$GID_LOGS/bench.log" -c "CALL make_table('$kind')" -c CHECKPOINT || fail "inserts"
		tps $WRITERS $((ROWS / WRITERS / 10)) \
			"INSERT INTO insert_$kind (n) SELECT n FROM generate_series(1, 10) AS n" ||
			fail "inserts"
		sql "$GID_LOGS/bench.log" \
			-c "CALL note_insert(1, '$kind', $WRITERS, $ROWS / (10 * $TPS))" || fail "inserts"
	done <<<"$(value "SELECT kind, name FROM insert_kind ORDER BY position")"
}

# ---- the run ----

SCALE=${BENCH_SCALE:-1}
awk -v s="$SCALE" 'BEGIN { exit !(s ~ /^[0-9]*\.?[0-9]+$/ && s >= 0.001 && s <= 2) }' ||
	gid_die "BENCH_SCALE must be a number from 0.001 to 2, not \"$SCALE\""
CALLS=$(scaled 1000000 1000)
LATENCY_CALLS=$(scaled 40000 $LATENCY_CLIENTS)
ROWS=$(scaled 240000 $((WRITERS * 10)))
PROCESSORS=$(nproc 2>/dev/null || echo 2)
CPUS=$((PROCESSORS < 2 ? 2 : PROCESSORS > 8 ? 8 : PROCESSORS))
# not more, so that TraceIds do not reach their limit
BACKENDS_CALLS=$(SCALE=$(awk -v s="$SCALE" 'BEGIN { print s < 1 ? s : 1 }') &&
	scaled 2000000 $((50000 * CPUS)))

began=$(gid_seconds)
gid_setup bench
gid_say "Building gid for PostgreSQL $GID_MAJOR in $GID_WORK ..."
if ! gid_install with_llvm=no; then
	gid_tail "$GID_LOGS/install.log" >&2
	gid_tail "$GID_LOGS/install2.log" >&2
	gid_die "the build failed"
fi

gid_cluster_start bench \
	"gid.launch_id = 65" \
	"jit = off" \
	"max_parallel_workers_per_gather = 0" \
	"autovacuum = off" \
	"shared_buffers = 256MB" \
	"max_wal_size = 4GB" \
	"checkpoint_timeout = 1h" \
	"client_min_messages = warning"
script setup || fail "anything"
FUNCTIONS=$(value "SELECT position, call FROM function ORDER BY position")
gid_say "Measuring: $CALLS calls, $ROWS rows ..."

measure_functions
measure_backends
measure_latency
measure_inserts
progress

sql - -v rounds=$ROUNDS -v calls="$CALLS" -v rows="$ROWS" -v cpus="$CPUS" \
	-v latency_clients=$LATENCY_CLIENTS -v writers=$WRITERS -v insert_rounds=$INSERTS_ROUNDS \
	-f "$GID_TREE/test/bench/report.sql" || fail "the results"

# ---- CSV ----

cpu=$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)
rm -rf "$OUTPUT"
mkdir -p "$OUTPUT" || gid_die "could not write to $OUTPUT"
for name in function_result function_run backend_result latency_result insert_result; do
	sql "$GID_LOGS/$name.csv" --csv -c "TABLE $name" || fail "the results"
	cp "$GID_LOGS/$name.csv" "$OUTPUT/" || gid_die "could not write to $OUTPUT"
done
value "SELECT version()" >"$OUTPUT/machine.txt"
printf '%s, %s processors, %s calls, %s rows\n' "${cpu:-unknown processor}" "$PROCESSORS" \
	"$CALLS" "$ROWS" >>"$OUTPUT/machine.txt"
chown -R --reference="$GID_ROOT" "$OUTPUT" 2>/dev/null

gid_cluster_stop bench
gid_say "Measured on: ${cpu:-an unknown processor}, $PROCESSORS processors, PostgreSQL $GID_MAJOR"
gid_say "CSV: ${OUTPUT#"$GID_ROOT"/}/.  All of it took $(gid_since "$began")."
