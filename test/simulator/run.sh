#!/bin/bash
# test/simulator/run.sh
#		What "make test-simulator" runs: sim_followed.c, with several rooms, as TAP.
#
# Read from the environment:
#	SIMULATOR_RUNS	of each room, 20000 without it
#	SIMULATOR_SEED	of the random interleavings, 1 without it
#	PG_CONFIG		whose headers and libraries are used

set -u
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# samples and gone lockers that are kept of a sequence
ROOMS=("2 1" "3 1" "8 4")

simulate() {
	for room in "${ROOMS[@]}"; do
		read -r samples gone <<<"$room"
		make -s -f test/plain/programs.mk PG_CONFIG="${PG_CONFIG:-pg_config}" OUT="$work/$samples" \
			PROGRAMS=test/simulator/sim_followed PURE="src/horizon/ended.c src/horizon/followed.c" \
			FLAGS="-g -O2 -DGID_FOLLOWED_SAMPLES=$samples -DGID_FOLLOWED_GONE=$gone" ||
			echo "not ok - sim_followed compiles"
		"$work/$samples/sim_followed" "${SIMULATOR_RUNS:-20000}" "${SIMULATOR_SEED:-1}"
	done
}

# one plan for all rooms
simulate 2>&1 | awk '/^1\.\./ { next } /^(not )?ok/ { sub(/ok( [0-9]+)?/, "ok " ++n) } { print; fflush() }
	/^not ok/ { failed = 1 } END { print "1.." n; exit failed }'
