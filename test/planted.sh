#!/bin/bash
# test/planted.sh [--check] [FAULT...]
#		Shows that the tests notice when a safeguard is missing.
#
# Each file of test/planted/ is a fault: a line "What:" that says what is
# missing, a line "Tests:" that names tests as TESTS does, and a patch.  The
# patch is applied to a copy of the tree, and the tests are run there; they
# have to fail.  "make test-planted" runs it; the arguments choose faults, by
# their file names without .patch.  Without arguments the tests are run without
# a fault first, and have to pass.  What was printed is kept in
# test/output/planted/.  --check only tries to apply the patches.
#
# The last line is "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/checks.sh
. "$GID_ROOT/test/lib/checks.sh"
FAULTS=$GID_ROOT/test/planted
OUTPUT=$GID_ROOT/test/output/planted

# field NAME FAULT...: what faults say of themselves.
field() { (cd "$FAULTS" && sed -n "s/^$1: //p" "${@:2}"); }

# plant [FAULT]: in a new copy of the tree.
plant() {
	rm -rf "$work/tree"
	mkdir "$work/tree" && gid_tar_tree | tar -C "$work/tree" -xf - &&
		{ [ $# -eq 0 ] || patch -d "$work/tree" -p1 -F0 -s <"$FAULTS/$1"; }
}

# run NAME TESTS: sets FAILED to the number of tests that failed, empty when
# they were not run.
run() {
	TESTS=$2 bash "$work/tree/test/run.sh" >"$OUTPUT/$1" 2>&1
	FAILED=
	grep -q '^failed: install' "$OUTPUT/$1" ||
		FAILED=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$OUTPUT/$1" | tail -n 1)
}

check=
[ "${1:-}" != --check ] || { check=yes; shift; }
chosen=("${@/%/.patch}")
[ $# -gt 0 ] || chosen=($(cd "$FAULTS" && ls))
field What "${chosen[@]}" >/dev/null || gid_die "there is no such fault"
work=$(mktemp -d "${TMPDIR:-/tmp}/gid-planted.XXXXXX") && chmod 755 "$work" || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

if [ -n "$check" ]; then
	for name in "${chosen[@]}"; do
		checked "$name applies" "$work/log" patch -d "$GID_ROOT" --dry-run -p1 -F0 -s -i "$FAULTS/$name"
	done
	finish
fi

rm -rf "$OUTPUT"
mkdir -p "$OUTPUT" || exit 1
if [ $# -eq 0 ]; then
	plant || gid_die "could not copy the tree"
	run sound "$(field Tests "${chosen[@]}" | tr ' ' '\n' | sort -u | tr '\n' ' ')"
	checked "without a fault the tests pass" "$work/log" test "$FAILED" = 0
fi
for name in "${chosen[@]}"; do
	if checked "$name applies" "$work/log" plant "$name"; then
		run "$name" "$(field Tests "$name")"
		checked "$(field What "$name"): ${FAILED:-not run, 0} failed in $(field Tests "$name")" "$work/log" \
			test "${FAILED:-0}" -gt 0
	fi
done
chown -R --reference="$GID_ROOT" "$GID_ROOT/test/output" 2>/dev/null
finish
