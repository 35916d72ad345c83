#!/bin/bash
# test/planted.sh [FAULT...]
#		Shows that test/t/014_faults.pl notices when a safeguard is missing: it
#		is run, in its short form, against a build of each fault of
#		src/base/fault.h, and has to fail.
#
# "make test-planted" runs it; the arguments choose faults, by their names
# without GID_FAULT_.  First it is run without a fault, and has to pass.  It
# takes about a minute and a half for each.  What failed under each fault
# is shown, and kept in test/output/planted/.
#
# The last line is "N passed, N failed"; a fault has passed when the test
# failed as it should.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

TEST=014_faults
OUTPUT=$GID_ROOT/test/output/planted

passed=0
failed=0

# build NAME [FAULT]: the copy, with the fault, installed.
build() {
	gid_as make -s -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" clean \
		>"$GID_LOGS/clean.log" 2>&1 &&
		gid_install with_llvm=no ${2:+"PG_CPPFLAGS=-DGID_FAULT_$2=1"}
}

# run NAME: the test; its status is 0 when no assertion failed.
run() {
	local dir=$GID_WORK/planted
	gid_as rm -rf "$dir" && gid_as mkdir "$dir"
	# the long form is not for here
	gid_run - 900 env -u GID_SOAK_ROUNDS -u PG_TEST_EXTRA bash \
		"$GID_TREE/test/tap.sh" "$GID_TREE" "$pgxs" "$dir" "$TEST" >/dev/null
	mkdir -p "$OUTPUT"
	cp "$dir/$TEST/tap" "$OUTPUT/$1"
	chown -R --reference="$GID_ROOT" "$GID_ROOT/test/output" 2>/dev/null
	read -r status seconds <"$dir/$TEST/end"
	return "$status"
}

# verdict GOOD NAME TEXT
verdict() {
	if [ "$1" = yes ]; then
		passed=$((passed + 1))
		gid_say "ok - $2: $3, $seconds s"
	else
		failed=$((failed + 1))
		gid_say "not ok - $2: $3, $seconds s"
	fi
}

# fault NAME: a test that broke off without a failed assertion says nothing.
fault() {
	local bad
	seconds=0
	if ! build "$1" "$1"; then
		gid_tail "$GID_LOGS/install.log"
		verdict no "$1" "it does not compile"
		return
	fi
	run "$1"
	bad=$(grep -c '^not ok ' "$OUTPUT/$1")
	if [ "$bad" -gt 0 ]; then
		verdict yes "$1" "$bad assertions failed"
		grep '^not ok ' "$OUTPUT/$1" | sed 's/^/    /'
	else
		verdict no "$1" "no assertion failed (status $status)"
		gid_tail "$OUTPUT/$1" 10
	fi
}

gid_setup test
rm -rf "$OUTPUT"
pgxs=$(dirname "$(gid_as "$GID_PG_CONFIG" --pgxs)")/../..
known=$(sed -n 's/^#ifndef GID_FAULT_\([A-Z_]*\)$/\1/p' "$GID_TREE/src/base/fault.h" |
	grep -vx H)
[ -n "$known" ] || gid_die "src/base/fault.h names no faults"
for name in "$@"; do
	grep -qx -- "$name" <<<"$known" || gid_die "no such fault: \"$name\""
done
gid_say "planted faults with PostgreSQL $GID_MAJOR, as user $GID_USER, in $GID_WORK"

if [ $# -eq 0 ]; then
	build none || { gid_tail "$GID_LOGS/install.log"; gid_die "the build failed"; }
	if run none; then
		verdict yes "no fault" "the test passes"
	else
		verdict no "no fault" "the test fails without a fault"
		grep '^not ok ' "$OUTPUT/none" | sed 's/^/    /'
		gid_tail "$OUTPUT/none" 10
	fi
	# shellcheck disable=SC2086
	set -- $known
fi
for name in "$@"; do
	fault "$name"
done
gid_say "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
