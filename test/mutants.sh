#!/bin/bash
# test/mutants.sh
#		What "make test-mutants" runs: small random changes of src, one at a time,
#		each of which a test should notice.  It prints those that none notices.
#
# test/mutate.pl makes a change in a copy of the tree.  Here the copy is built,
# installed and tested, stage by stage, until a test fails or has no end: the
# unit tests, fuzzing, the regression and isolation tests, 018_first_call, and
# the TAP tests of near().
# A change that does not compile, or that gives the same object files, is not
# counted.
#
# A change that survives is either one that changes nothing that matters, or a
# test is missing.  A TAP test for another folder may still notice it.
#
# Read from the environment: N (how many changes, default 60), SEED (which
# ones; printed), MATCH (a pattern: only changes whose printed line has it, as
# in "src/clock/|word.h:7").

set -u -o pipefail
# shellcheck source=test/run.sh
. "$(dirname "$0")/run.sh"

N=${N:-60}
SEED=${SEED:-$RANDOM}

# near FILE: the TAP tests that are about the file or its folder.
near() {
	case $1 in
		src/attach/*) echo 001_preload ;;
		src/clock/durable.*) echo 003_crash 004_clock 005_clock_file ;;
		src/clock/*) echo 002_concurrency 003_crash 004_clock ;;
		src/horizon/* | src/sequence/position.*) echo 041_horizon 042_horizon_storm ;;
		src/sequence/generator.*) echo 003_crash 006_decimal ;;
		src/sequence/gate.* | src/sequence/reserve.*) echo 020_sync_standby 029_timeline 056_safe_nextval ;;
		src/sequence/fetch.* | src/peer/*) echo 012_fleet 016_authority_connection 030_node_lease ;;
		src/sequence/*) echo 010_sequence 011_sequence_crash 025_setval ;;
		src/node/* | src/id/authority_node.*) echo 016_authority_connection 030_node_lease ;;
		src/id/column*) echo 055_columns ;;
		src/id/serve_*) echo 049_serve_nextval 054_served_plans 056_safe_nextval ;;
		src/id/stat.*) echo 041_horizon 042_horizon_storm ;;
		src/id/*) echo 006_decimal ;;
		src/text/* | src/layout/*) echo 015_readme ;;
		*) echo 009_random 023_settings ;;
	esac
}

# objects: the sums of the object files.
objects() { (cd "$GID_TREE" && sha256sum src/*.o src/*/*.o); }

# try TESTS: true if they pass.
try() {
	local rc
	rm -rf "${GID_WORK:?}"/{unit,regress,isolation,tap} {"$GID_WORK","$GID_LOGS"}/{regress,isolation}.log
	(
		TESTS=$1
		run_stage "${1%%:*}"
		[ "$stage_failed" -eq 0 ]
	) >"$GID_LOGS/try.log" 2>&1
	rc=$?
	gid_end_processes
	return $rc
}

# notice FILE: sets BY to what notices the change; empty if nothing does.  What
# fails is run again, because a busy machine can fail a test once.
notice() {
	local tests
	for tests in unit fuzz regress isolation tap:018_first_call $(near "$1" | sed -E 's/[^ ]+/tap:&/g'); do
		# other files are not in these programs
		[[ $tests != unit && $tests != fuzz ]] || [[ $1 == *.h ]] || grep -q base/pure.h "$GID_TREE/$1" || continue
		if ! try "$tests" && ! try "$tests"; then
			BY="$tests $(grep -hE '\.\.\. FAILED|^not ok' "$GID_LOGS/${tests/:/-}.log" 2>/dev/null | head -n 1)"
			return
		fi
	done
	BY=
}

TESTS="unit regress isolation tap"
gid_setup test
cd / || exit 1			# gid_end_processes ends what runs in the work directory
OUTPUT=$GID_WORK/output
GID_SANITIZE=-w			# a warning is no failure; without sanitizers gcc is faster
export GID_STAGE_LIMIT=300 GID_TAP_LIMIT=300
options=(COPT=-g0)
gid_build "${options[@]}"
gid_as cp -a "$GID_TREE" "$GID_WORK/sound"
objects >"$GID_WORK/objects"
perl "$GID_ROOT/test/mutate.pl" --list "$SEED" "$GID_WORK/sound" |
	grep -E -- "${MATCH:-}" >"$GID_WORK/list" || gid_die "there is no such change"
for name in unit fuzz regress isolation; do
	try $name || { cat "$GID_LOGS/try.log"; gid_die "the tests fail without a change"; }
done
gid_say "SEED=$SEED N=$N, of $(wc -l <"$GID_WORK/list") changes"

made=0 broken=0 same=0
survivors=()
while [ "$made" -lt "$N" ] && IFS=$'\t' read -r number change <&3; do
	rm -rf "$GID_TREE"
	gid_as cp -a "$GID_WORK/sound" "$GID_TREE"
	gid_as perl "$GID_ROOT/test/mutate.pl" --apply "$number" "$GID_TREE" || exit 1
	if ! gid_install "${options[@]}"; then
		broken=$((broken + 1))
	elif objects | cmp -s - "$GID_WORK/objects"; then
		same=$((same + 1))
	else
		made=$((made + 1))
		notice "${change%%:*}"
		gid_say "$made. $change"
		gid_say "    ${BY:-SURVIVES}"
		[ -n "$BY" ] || survivors+=("$change")
	fi
done 3<"$GID_WORK/list"

gid_say ""
gid_say "$broken did not compile, $same gave the same object files"
gid_say "${#survivors[@]} of $made survived (SEED=$SEED)"
printf '%s\n' ${survivors[@]+"${survivors[@]}"}
