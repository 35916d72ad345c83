#!/bin/bash
# test/mutants.sh
#		What "make test-mutants" runs: small random changes of src, one at a time,
#		each of which a test should notice.  It prints those that none notices.
#
# test/mutate.pl makes a change in a copy of the tree.  Here the copy is built, installed
# and tested, stage by stage, until a test fails: the unit tests, the regression and
# isolation tests, and the TAP tests of near().  A change that does not compile, or
# that gives the same object files, is not counted.
#
# A change that survives is either one that changes nothing that matters, or a test is
# missing.  A TAP test for another folder may still notice it.
#
# Read from the environment: N (how many changes, default 60), SEED (which ones; printed),
# MATCH (a pattern: only changes whose printed line has it, as in "src/clock/|word.h:7").
# A change that makes the tests hang is noticed, too: when a stage takes four times as long
# as without a change.  A change takes half a minute to four minutes.

set -u -o pipefail
# shellcheck source=test/run.sh
. "$(dirname "$0")/run.sh"

N=${N:-60}
SEED=${SEED:-$RANDOM}
LIMIT=600

# near FILE: sets FIRST_TESTS to the regression tests that are about the file, as a
# pattern, and TAP_TESTS to the TAP tests that are about the file or its folder.
near() {
	local name=${1##*/}
	case $1 in
		src/base/*) set -- 'settings|between' 009_random 018_first_call 023_settings ;;
		src/attach/*) set -- 'stat|contexts' 001_preload 018_first_call ;;
		src/clock/durable.*) set -- 'uuid|trace' 003_crash 004_clock 005_clock_file ;;
		src/clock/*) set -- 'uuid|trace|stat' 002_concurrency 003_crash 004_clock ;;
		src/horizon/* | src/sequence/position.*) set -- 'horizon' 041_horizon ;;
		src/sequence/generator.*) set -- 'decimal' 003_crash 006_decimal ;;
		src/sequence/gate.* | src/sequence/reserve.*)
			set -- 'sequence|batch|gdid|stat' 020_sync_standby 028_failover 029_timeline ;;
		src/sequence/*) set -- 'sequence|batch|gdid|stat' 010_sequence 011_sequence_crash 025_setval ;;
		src/node/* | src/id/authority_node.*) set -- 'node|stat' 016_authority_connection 030_node_lease ;;
		src/peer/* | src/sequence/authority.*) set -- authority 012_fleet 016_authority_connection 030_node_lease ;;
		src/id/*) set -- 'stat|gdid|code|encode|inspect|typeid|mask' 006_decimal 018_first_call ;;
		src/text/* | src/layout/*) set -- 'code|charset|encode|gdid|inspect|perm|typeid|uuid|trace' 015_readme ;;
		*) set -- settings 001_preload 023_settings ;;
	esac
	FIRST_TESTS="${name%.*}|$1"
	shift
	TAP_TESTS=$(printf 'tap:%s ' "$@")
}

# objects TREE: the sums of the object files.
objects() { (cd "$1" && sha256sum src/*.o src/*/*.o); }

# watch: ends the tests when one has failed, or at the time limit.  make, pg_regress,
# prove and their children run in the tree, servers elsewhere.
watch() {
	local pid began=$SECONDS
	until [ $((SECONDS - began)) -gt "$LIMIT" ] ||
			grep -qsE '\.\.\. FAILED|^not ok [0-9]+( - | +- )[^#]*$' \
				"$GID_LOGS"/{regress,isolation}.log "$GID_WORK"/tap/*/tap; do
		sleep 0.5
	done
	[ $((SECONDS - began)) -le "$LIMIT" ] || echo "no end in $LIMIT s" >>"$GID_WORK/why"
	for pid in $(gid_own_processes); do
		[ "$(readlink "/proc/$pid/cwd")" != "$GID_TREE" ] || kill "$pid" 2>/dev/null
	done
}

# try STAGE TESTS: true if they pass; else $GID_WORK/why says what failed.
try() {
	local rc
	LIMIT=${limit[$1]:-$LIMIT}
	rm -rf "${GID_WORK:?}"/{unit,regress,isolation,tap,why} {"$GID_WORK","$GID_LOGS"}/{regress,isolation}.log
	watch &
	watcher=$!
	(
		TESTS=$2
		run_stage "$1"
		printf '%s\n' ${failures[@]+"${failures[@]}"} >>"$GID_WORK/why"
		[ "$stage_failed" -eq 0 ]
	) >"$GID_LOGS/try.log" 2>&1 &
	tests=$!
	wait "$tests"
	rc=$?
	kill "$watcher" 2>/dev/null
	wait "$watcher"
	tests='' watcher=''
	gid_end_processes
	return $rc
}

# notice FILE: sets BY to the stage and the test that notice the change; empty if none
# does.  A stage that fails is run again, because a busy machine can fail a test once.
notice() {
	local stage tests
	BY=
	near "$1"
	for stage in unit regress isolation tap; do
		# other files are not in the unit tests
		[ $stage != unit ] || [[ $1 == *.h ]] || grep -q base/pure.h "$GID_TREE/$1" || continue
		tests=$stage
		[ $stage != tap ] || tests=$TAP_TESTS
		try $stage "$tests" && continue
		[ $stage != tap ] || tests=$(sed -n 's/^tap: /tap:/p' "$GID_WORK/why" | cut -d' ' -f1 | sort -u | tr '\n' ' ')
		if grep -q '^no end' "$GID_WORK/why" || ! try $stage "$tests"; then
			BY="$stage $(reason $stage)"
			return
		fi
	done
}

# reason STAGE: what has failed.
reason() {
	local first
	first=$(awk '/\.\.\. FAILED/ { print $2; exit } /^not ok/ { print $5; exit }' \
		"$GID_LOGS/$1.log" 2>/dev/null)
	echo "${first:-$(sed "s/^$1: //" "$GID_WORK/why" | tr '\n' ' ')}"
}

# end_tests: at the end of the script; keeps its status for gid_cleanup.
end_tests() {
	local rc=$?
	[ -z "$tests$watcher" ] || kill $tests $watcher 2>/dev/null
	return $rc
}

TESTS="unit regress isolation tap"
gid_setup test
cd / || exit 1			# gid_end_processes ends what runs in the work directory
tests='' watcher=''
trap 'end_tests; gid_cleanup' EXIT
OUTPUT=$GID_WORK/output
GID_SANITIZE=-w			# a warning is no failure; without sanitizers gcc is faster
export GID_TAP_LIMIT=$LIMIT
options=(with_llvm=no COPT=-g0)
gid_build "${options[@]}"
gid_as cp -a "$GID_TREE" "$GID_WORK/sound"
objects "$GID_TREE" >"$GID_WORK/objects"
perl "$GID_ROOT/test/mutate.pl" --list "$SEED" "$GID_WORK/sound" |
	grep -E -- "${MATCH:-}" >"$GID_WORK/list" || gid_die "there is no such change"
declare -A limit=([tap]=$LIMIT)
for name in unit regress isolation; do
	SECONDS=0
	try $name $name || { cat "$GID_LOGS/try.log"; gid_die "the tests fail without a change"; }
	limit[$name]=$((4 * SECONDS + 60))
done
gid_say "SEED=$SEED N=$N, of $(wc -l <"$GID_WORK/list") changes"

made=0 broken=0 same=0
declare -A killed=()
survivors=()
while [ "$made" -lt "$N" ] && IFS=$'\t' read -r number change <&3; do
	rm -rf "$GID_TREE"
	gid_as cp -a "$GID_WORK/sound" "$GID_TREE"
	gid_as perl "$GID_ROOT/test/mutate.pl" --apply "$number" "$GID_TREE" || exit 1
	if ! gid_install "${options[@]}"; then
		broken=$((broken + 1))
		continue
	elif objects "$GID_TREE" | cmp -s - "$GID_WORK/objects"; then
		same=$((same + 1))
		continue
	fi
	made=$((made + 1))
	notice "${change%%:*}"
	gid_say "$made. $change"
	gid_say "    ${BY:-SURVIVES}"
	if [ -n "$BY" ]; then
		stage=${BY%% *}
		killed[$stage]=$((${killed[$stage]:-0} + 1))
	else
		survivors+=("$change")
	fi
done 3<"$GID_WORK/list"

gid_say ""
gid_say "$broken did not compile, $same gave the same object files"
for name in "${!killed[@]}"; do
	gid_say "${killed[$name]} noticed by $name tests"
done
gid_say "${#survivors[@]} of $made survived (SEED=$SEED)"
printf '%s\n' ${survivors[@]+"${survivors[@]}"}
