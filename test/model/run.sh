#!/bin/bash
# test/model/run.sh [MODEL...]
#		Has spin search the models of gid's protocols, each *.pml here, with all
#		safeguards, where nothing may be found.  MODEL_WITHOUT=yes, which is
#		"make test-models", searches without each of them, too: there spin has to
#		find what it prevents.
#
# Every search with all safeguards is exhaustive: spin stores each state whole,
# and one that it does not come to the end of has failed.  Partial order
# reduction is off for models that use "unless", which it does not allow.
#
# It needs spin and gcc, and writes only into a directory of its own below
# TMPDIR.  PG_TEST_EXTRA=gid_long adds larger sizes, which take minutes and up
# to 4 GB.  MODEL_JOBS: searches at a time (default 2).
#
# Its output is TAP; the last line is "N passed, N failed".

set -u -o pipefail
export LC_ALL=C.UTF-8

DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P) || exit 1
JOBS=${MODEL_JOBS:-2}
WITHOUT=${MODEL_WITHOUT:+yes}
LONG=$(case " ${PG_TEST_EXTRA:-} " in *" gid_long "*) echo yes ;; esac)
LIMIT=180		# seconds for a search
MEMORY=1200		# MB

# sizes MODEL: a line "KIND NAME: OPTIONS" for each search with all safeguards.
# "paths": no run goes round for ever; else no assertion fails and nobody waits
# for ever.
sizes() {
	case $1 in
		clock)
			echo "states two backends, three lives: $FEW_MOMENTS -DLIVES=3"
			echo "states two backends, more moments: -DBACKENDS=2 -DTOP=4 -DLIVES=2"
			echo "states two backends, three lives, preload: $FEW_MOMENTS -DLIVES=3 -DPRELOAD"
			[ -z "$LONG" ] || echo "states two backends, more moments, preload: -DBACKENDS=2 -DTOP=4 -DLIVES=2 -DPRELOAD"
			[ -z "$LONG" ] || echo "states two backends, more moments, three lives:"
			;;
		sequence)
			echo "states two statements, a setval(), a batch, a cancel:"
			echo "states two statements each, a setval(), a cancel: -DDRAWS=2 -DCALLS=2 -DVALUES=1 -DSETS=1 -DBATCHES=0 -DOTHERS=0 -DCANCELS=1"
			echo "states another sequence takes the entry: $OTHER"
			;;
		node_lease)
			echo "states a crash, a restore: $NOT_LOWERED"
			echo "states a restore, a lower limit: $LOWERED"
			[ -z "$LONG" ] || echo "states a crash, a restore, a lower limit:"
			;;
		horizon)
			echo "states two transactions of a writer, one of another:"
			;;
		*)
			echo "states as it stands:"
			;;
	esac
}

OTHER="-DDRAWS=2 -DCALLS=1 -DVALUES=2 -DSETS=0 -DBATCHES=0 -DOTHERS=1 -DCANCELS=1"
FEW_MOMENTS="-DBACKENDS=2 -DTOP=3"
NOT_LOWERED="-DLIVES=3 -DNOW=3 -DCRASHES=1 -DRESTORES=1 -DLOWERS=0"
LOWERED="-DLIVES=3 -DNOW=3 -DCRASHES=0 -DRESTORES=1 -DLOWERS=1"

# sizes_without MODEL SAFEGUARD: options for a search without it, where the
# model's own sizes are not enough, or more than enough.
sizes_without() {
	case $1:$2 in
		sequence:OWNER | sequence:CLEAR) echo "$OTHER" ;;
		clock:GATE_CAP) ;;
		clock:REAPED | clock:STARTED | clock:CODE | clock:NO_LOCK)
			echo "$FEW_MOMENTS -DLIVES=3 -DPRELOAD" ;;
		clock:*) echo "$FEW_MOMENTS -DLIVES=2" ;;
		node_lease:ROW_*) echo "$LOWERED" ;;
		node_lease:*) echo "$NOT_LOWERED" ;;
	esac
}

# safeguards MODEL: a line "NAME KIND" for each, and each kind, from the model's
# "#define NAME number /* KIND, KIND: ... */".
safeguards() {
	sed -nE 's|^#define[[:space:]]+([A-Z_]+)[[:space:]]+[0-9]+[[:space:]]+/\* ([a-z, ]+): .*|\1 \2|p' \
		"$DIR/$1.pml" | awk '{ gsub(",", ""); for (i = 2; i <= NF; i++) print $1, $i }'
}

# search LOG KIND MODEL OPTIONS...: builds spin's verifier and runs it.
search() {
	local log=$1 kind=$2 model=$3 dir=$1.d
	local -a how=(-DSAFETY) run=()
	shift 3
	# -O0: most of the time goes into the compiler otherwise
	local level=-O0
	case $kind in
		states) level=-O1 ;;
		paths) level=-O1 how=(-DNP) run=(-l) ;;
		circles) how=(-DNP) run=(-l) ;;
		twice) set -- "$@" -DTWICE ;;
	esac
	[ "$model" != node_lease ] || level=-O1
	! grep -qw unless "$DIR/$model.pml" || how+=(-DNOREDUCE)
	mkdir "$dir" && cd "$dir" &&
		spin "$@" -a "$DIR/$model.pml" &&
		gcc -w $level "${how[@]}" "-DMEMLIM=$MEMORY" -o pan pan.c &&
		timeout --foreground "$LIMIT" ./pan ${run[@]+"${run[@]}"} -m1000000 -w21
} >"$1" 2>&1

# found KIND LOG: has the search ended as it should?
found() {
	case $1 in
		states | paths)
			grep -q '^Full statespace search for:' "$2" &&
				grep -q 'errors: 0$' "$2" &&
				grep -Eq '^pan: elapsed time|^[[:space:]]*[0-9]+ +states, stored' "$2" &&
				! grep -Eq 'max search depth too small|not completed|out of memory|hash-compact|Bit statespace|^error' "$2"
			;;
		waits) grep -q '^pan:1: invalid end state' "$2" ;;
		circles) grep -q '^pan:1: non-progress cycle' "$2" ;;
		*) grep -q "^pan:1: assertion violated *!($1)" "$2" ;;
	esac
}

# check NUMBER NAME KIND MODEL OPTIONS...: its lines of TAP go into a file.
check() {
	local number=$1 name=$2 kind=$3 log=$WORK/$1.log states
	shift 2
	search "$log" "$@"
	states=$(awk '/states, stored/ { print $1; exit }' "$log")
	if found "$kind" "$log"; then
		echo "ok $number - $name (${states:-0} states)"
	else
		echo "not ok $number - $name"
		grep -vE '^Depth=|^[[:space:]]*$' "$log" | tail -n 20 | sed 's/^/#   /'
	fi >"$WORK/$number.new"
	mv "$WORK/$number.new" "$WORK/$number.tap"
	rm -rf "$log.d"
}

# ---- the run ----

for tool in spin gcc; do
	command -v "$tool" >/dev/null || { echo "test/model/run.sh: $tool is needed" >&2; exit 1; }
done
WORK=$(mktemp -d "${TMPDIR:-/tmp}/gid-model.XXXXXX") || exit 1
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' INT TERM HUP

[ $# -gt 0 ] || set -- $(cd "$DIR" && printf '%s\n' *.pml | sed 's/\.pml$//')
number=0
for model in "$@"; do
	while read -r kind line; do
		number=$((number + 1))
		what="nothing is wrong"
		[ "$kind" = states ] || what="no run is endless"
		# shellcheck disable=SC2086
		echo "$number|$model: $what: ${line%%:*}|$kind|$model|${line#*:}"
	done < <(sizes "$model")
	[ -n "$WITHOUT" ] || continue
	while read -r name kind; do
		number=$((number + 1))
		echo "$number|$model: without $name spin finds \"$kind\"|$kind|$model|-DWITHOUT=$name $(sizes_without "$model" "$name")"
	done < <(safeguards "$model")
done >"$WORK/checks"
count=$(wc -l <"$WORK/checks")

while IFS='|' read -r number name kind model options; do
	while [ "$(jobs -pr | wc -l)" -ge "$JOBS" ]; do
		wait -n
	done
	# shellcheck disable=SC2086
	check "$number" "$name" "$kind" "$model" $options </dev/null &
done <"$WORK/checks"
wait

for ((number = 1; number <= count; number++)); do
	cat "$WORK/$number.tap" 2>/dev/null || echo "not ok $number - was not run"
done >"$WORK/tap"
echo "1..$count"
cat "$WORK/tap"
passed=$(grep -c '^ok ' "$WORK/tap")
echo "$passed passed, $((count - passed)) failed"
[ "$count" -gt 0 ] && [ "$passed" -eq "$count" ]
