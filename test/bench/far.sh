#!/bin/bash
# test/bench/far.sh
#		How long calls take while authorities are far away, or hang.
#
# Two authorities are 20 ms away (test/lib/FarServer.pm).  A server draws GDIDs
# from them, 2,000 a second in 8 sessions.  The first 20 s do not count, because
# blocks are small at first.  Then all goes well, the first of two authorities
# hangs, or the only one hangs for 1.5 s of every 5 s.  Another server leases
# its node number, makes 200 TraceIds a second, and its authority hangs for a
# third of a lease, from the middle of the lease on.
#
# From the environment: FAR_RUNS (default 5), in which the cases take turns.
# Prints, and writes to test/bench/output/far.txt: the case, the run, 99.9 % of
# the calls take at most so long, the slowest, in ms, and the number of blocks
# that a session waited for; and the medians.  A busy machine makes calls slow
# that wait for nobody.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../../tools/setup.sh"

RUNS=${FAR_RUNS:-5}
CLIENTS=8
RATE=2000
TRACE_RATE=200
TRIP_MS=20
WARM_S=20
MEASURED_S=20
LEASE_S=30
FIRST_PORT=50001
OUTPUT=$GID_ROOT/test/bench/output
proxies=()

gid_setup bench
gid_build

fail() {
	gid_tail "$GID_LOGS/far.log" 20 >&2
	gid_die "could not measure $1"
}

# sql PORT COMMAND: a statement on the server at that port.
sql() {
	PGPORT=$1 gid_run "$GID_LOGS/far.log" 60 psql -X -q -A -t -v ON_ERROR_STOP=1 -d postgres -c "$2" || fail "$2"
}

# authority NUMBER: starts it, and a process that makes it far.
authority() {
	local port=$((FIRST_PORT + $1 - 1)) dir=$GID_WORK/far$1
	PGPORT=$port gid_cluster_start "authority$1" "gid.authority = $1" "shared_preload_libraries = 'gid'" \
		"gid.node_lease_max = '1h'"
	sql "$port" 'CREATE EXTENSION gid'
	gid_as mkdir "$dir"
	# shellcheck disable=SC2016
	gid_as bash -c 'echo $$ >"$1/pid"; exec perl "$2" "$1" "$3" "$4"' bash "$dir" \
		"$GID_TREE/test/lib/FarServer.pm" "$PGHOST/.s.PGSQL.$port" "$TRIP_MS" &
	until [ -S "$dir/.s.PGSQL.5432" ] && [ -s "$dir/pid" ]; do sleep 0.1; done
	proxies[$1]=$(cat "$dir/pid")
}

uri() { echo "postgresql:///postgres?host=$GID_WORK/far$1&port=5432&user=postgres"; }
freeze() { kill -STOP "${proxies[$1]}"; }
thaw() { kill -CONT "${proxies[$1]}"; }

# load CLIENTS RATE SECONDS SCRIPT: calls at a rate, each with its latency.
load() {
	gid_as tee "$GID_WORK/far.sql" <<<"$4;" >/dev/null
	gid_as rm -rf "$GID_WORK/calls" && gid_as mkdir "$GID_WORK/calls"
	gid_run "$GID_LOGS/load.log" $(($3 + 60)) pgbench -n -M prepared -c "$1" -j 2 -R "$2" -T "$3" \
		-l --log-prefix="$GID_WORK/calls/log" -f "$GID_WORK/far.sql" postgres || fail "$4"
}

# waited SEQUENCE: how many blocks a session waited for.
waited() {
	sql "$PGPORT" "SELECT reservations - prefetched FROM gid.stat_sequences WHERE sequence = '$1'::regclass"
	cat "$GID_LOGS/far.log"
}

# report CASE RUN FROM WAITED: of the calls that began FROM seconds after the first one
# or later.  pgbench's latency counts from the moment at which a call was due.
report() {
	cat "$GID_WORK"/calls/log* | awk -v from="$3" '
		{ begun = $5 + $6 / 1e6 - ($3 - $7) / 1e6; if (!first || begun < first) first = begun
		  at[NR] = begun; took[NR] = ($3 - $7) / 1000 }
		END { for (i = 1; i <= NR; i++) if (at[i] - first >= from) print took[i] }' |
		sort -n | awk -v name="$1" -v run="$2" -v waited="$4" '{ took[NR] = $1 }
		END { printf "%s\t%d\t%.1f\t%.1f\t%s\n", name, run, took[int(NR * 0.999)], took[NR], waited }' |
		tee -a "$GID_WORK/far.txt"
}

# gdids CASE RUN AUTHORITY...: draws from these.
gdids() {
	local name=$1 run=$2 sequence=far_$((++sequences)) uris='' n before load
	for n in "${@:3}"; do uris+="$(uri "$n") "; done
	for n in "$FIRST_PORT" "$((FIRST_PORT + 1))" "$PGPORT"; do sql "$n" "CREATE SEQUENCE $sequence"; done
	sql "$PGPORT" "ALTER DATABASE postgres SET gid.authorities = '${uris% }'"
	load "$CLIENTS" "$RATE" $((WARM_S + MEASURED_S)) "SELECT gid_next_gdid('$sequence')" &
	load=$!
	sleep "$WARM_S"
	before=$(waited "$sequence")
	case $name in
		first*)
			freeze 1
			sleep "$MEASURED_S"
			thaw 1
			;;
		only*)
			for ((n = 0; n < MEASURED_S; n += 5)); do
				freeze 1
				sleep 1.5
				thaw 1
				sleep 3.5
			done
			;;
	esac
	wait "$load" || fail "$name"
	report "$name" "$run" "$WARM_S" $(($(waited "$sequence") - before))
}

# traces CASE RUN: a whole lease and a half, with a lease of its own.
traces() {
	gid_cluster_stop client && gid_cluster_restart client
	sql "$PGPORT" 'SELECT pg_sleep(3); SELECT gid_trace_id()'
	load 1 "$TRACE_RATE" $((LEASE_S + LEASE_S / 2)) "SELECT gid_trace_id()" &
	sleep $((LEASE_S / 2 - 4))
	freeze 1
	sleep $((LEASE_S / 3))
	thaw 1
	wait $! || fail "$1"
	report "$1" "$2" 1 -
}

sequences=0
authority 1
authority 2
gid_cluster_start client "gid.authority = 0" "shared_preload_libraries = 'gid'" \
	"gid.node_authority = '$(uri 1)'" "gid.node_lease = '${LEASE_S}s'"
sql "$PGPORT" 'CREATE EXTENSION gid'
gid_as touch "$GID_WORK/far.txt"
for ((run = 1; run <= RUNS; run++)); do
	gdids 'all is well' "$run" 1 2
	gdids 'first of two hangs' "$run" 1 2
	gdids 'only one hangs at times' "$run" 1
	traces 'authority of a lease hangs' "$run"
done
mkdir -p "$OUTPUT"
{
	cat "$GID_WORK/far.txt"
	echo 'medians:'
	cut -f 1 "$GID_WORK/far.txt" | sort -u | while read -r name; do
		for field in 3 4 5; do
			grep "^$name" "$GID_WORK/far.txt" | cut -f "$field" | sort -n | sed -n "$(((RUNS + 1) / 2))p"
		done | paste -s | sed "s/^/$name	/"
	done
} | tee "$OUTPUT/far.txt" | sed -n '/medians/,$p'
kill "${proxies[@]}"
