#!/bin/bash
# test/planted.sh [--check] [FAULT...]
#		Shows that the tests notice when a safeguard is missing.
#
# Each file of test/planted/ is a fault: a line "What:" that says what is missing,
# a line "Tests:" that names tests as TESTS does, and a patch.  The patch is
# applied to a copy of the tree, and the tests are run there; they have to
# fail.  A patch that no longer applies has failed, too.
#
# "make test-planted" runs it; the arguments choose faults, by their file names
# without .patch.  First each test is run without a fault, and has to pass.  A
# fault takes about a minute and a half.  What was printed is kept in
# test/output/planted/.
#
# --check only tries to apply the patches.
#
# The last line is "N passed, N failed"; a fault has passed when its tests failed
# as they should.

set -u -o pipefail
ROOT=$(cd "$(dirname "$0")/.." && pwd -P) || exit 1
FAULTS=$ROOT/test/planted
OUTPUT=$ROOT/test/output/planted

passed=0
failed=0

die() {
	echo "planted: $*" >&2
	exit 1
}

# field NAME FAULT: what a fault says of itself.
field() { sed -n "s/^$1: //p" "$FAULTS/$2.patch"; }

# verdict GOOD TEXT
verdict() {
	if [ "$1" = yes ]; then
		passed=$((passed + 1))
		echo "ok - $2"
	else
		failed=$((failed + 1))
		echo "not ok - $2"
	fi
}

# copy DIRECTORY: the tree without what was built.
copy() {
	mkdir -p "$1" && tar -C "$ROOT" --exclude=./.git --exclude='*.o' --exclude='*.bc' \
		--exclude='*.so' --exclude=./test/output --exclude=./build -cf - . | tar -C "$1" -xf -
}

# plant FAULT DIRECTORY
plant() { patch -d "$2" -p1 -F0 -s <"$FAULTS/$1.patch"; }

# run NAME TESTS DIRECTORY: sets FAILED to the number of tests that failed, empty
# when they were not run.
run() {
	TESTS=$2 bash "$3/test/run.sh" >"$OUTPUT/$1" 2>&1
	FAILED=
	grep -q '^failed: install' "$OUTPUT/$1" ||
		FAILED=$(sed -n 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$OUTPUT/$1" | tail -n 1)
}

known=$(cd "$FAULTS" && printf '%s\n' *.patch | sed 's/\.patch$//')
[ -e "$FAULTS/$(head -n 1 <<<"$known").patch" ] || die "test/planted has no faults"
check=
if [ "${1:-}" = --check ]; then
	check=yes
	shift
fi
for name; do
	grep -qx -- "$name" <<<"$known" || die "no such fault: \"$name\""
done
chosen=${*:-$known}

work=$(mktemp -d "${TMPDIR:-/tmp}/gid-planted.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
chmod 755 "$work"

if [ -n "$check" ]; then
	for name in $chosen; do
		rm -rf "$work/tree"
		mkdir "$work/tree" && cp -R "$ROOT/src" "$work/tree/" || exit 1
		if [ -n "$(field What "$name")" ] && [ -n "$(field Tests "$name")" ] &&
			plant "$name" "$work/tree"; then
			verdict yes "$name applies"
		else
			verdict no "$name does not apply"
		fi
	done
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
fi

rm -rf "$OUTPUT"
mkdir -p "$OUTPUT" || exit 1
if [ $# -eq 0 ]; then
	copy "$work/sound" || die "could not copy the tree"
	run sound "$(for name in $chosen; do field Tests "$name"; done | tr ' ' '\n' | sort -u | tr '\n' ' ')" "$work/sound"
	[ "$FAILED" = 0 ] && good=yes || good=no
	verdict $good "without a fault the tests pass"
	rm -rf "$work/sound"
fi
for name in $chosen; do
	copy "$work/$name" || die "could not copy the tree"
	if plant "$name" "$work/$name"; then
		run "$name" "$(field Tests "$name")" "$work/$name"
		[ "${FAILED:-0}" -gt 0 ] && good=yes || good=no
		verdict $good "$(field What "$name"): ${FAILED:-not run, 0} failed in $(field Tests "$name")"
	else
		verdict no "$name does not apply"
	fi
	rm -rf "$work/$name"
done
chown -R --reference="$ROOT" "$ROOT/test/output" 2>/dev/null
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
