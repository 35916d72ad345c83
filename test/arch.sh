#!/bin/bash
# test/arch.sh
#		What "make test-arch" runs: build, unit, regression and isolation tests on
#		other processors, each in a chroot of Debian (test/lib/chroot.sh).
#
# i386 shows 32 bits, s390x shows big-endian numbers, arm64 shows weak memory order
# only on a machine of its own: QEMU runs on the order of this machine.
#
# A foreign processor runs under QEMU's user mode, some ten times as slow, without
# the search for leaks, which needs ptrace().  Where a processor cannot run, its line
# says why, and the processor counts as neither passed nor failed.
#
# Read from the environment: ARCH (Debian's names, default "i386 s390x arm64"),
# PG_MAJOR (default 17), TESTS (default "build unit regress isolation"), GID_PATIENCE
# (factor of all time limits, default 10 under QEMU), and what test/lib/chroot.sh
# reads.
#
# The last lines are one for each processor and the sum, "N passed, N failed".  A
# processor whose tests did not come to their end counts as one failed.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/chroot.sh
. "$GID_ROOT/test/lib/chroot.sh"

ARCH=${ARCH:-i386 s390x arm64}
PG_MAJOR=${PG_MAJOR:-17}
TESTS=${TESTS:-build unit regress isolation}

# test_arch ARCH RELEASE: status 0 if the tests came to their end.
test_arch() {
	chroot_make "$PG_MAJOR" "$2" "$1" && chroot_tree "$chroot" || return 1
	chroot_test "postgresql-$PG_MAJOR-$1" /gid test \
		chroot "$chroot" "${CHROOT_CLEAN[@]}" PG_MAJOR="$PG_MAJOR" \
		GID_PATIENCE="${GID_PATIENCE:-1}" ASAN_OPTIONS="$asan"
}

release=$(chroot_release "$PG_MAJOR") && [ -n "$release" ] ||
	gid_die "PG_MAJOR: Debian has no package of \"$PG_MAJOR\""
chroot_enter test-arch "ARCH PG_MAJOR GID_PATIENCE" "$@"
chroot_begin
patience=${GID_PATIENCE:-}
for arch in $ARCH; do
	rm -rf "$CHROOT_OUTPUT/postgresql-$PG_MAJOR-$arch"
	gid_say "== PostgreSQL $PG_MAJOR, Debian $release for $arch =="
	start=$(gid_seconds)
	GID_PATIENCE=${patience:-1} asan= how=
	reason=
	[ -n "$(chroot_mirror "${release%%+*}" "$arch")" ] ||
		reason="no mirror of this machine's apt has Debian ${release%%+*} for $arch"
	if [ -z "$reason" ] && chroot_needs_qemu "$arch"; then
		GID_PATIENCE=${patience:-10} asan=detect_leaks=0 how=", under QEMU"
		chroot_qemu "$arch" >"$work/qemu" || reason=$(tail -n 1 "$work/qemu")
	fi
	if [ -n "$reason" ]; then
		gid_say "$reason"
		chroot_lines+=("$arch: not run, $reason")
	else
		test_arch "$arch" "$release"
		rc=$?
		chroot_count "postgresql-$PG_MAJOR-$arch" \
			"$arch (PostgreSQL $(chroot_server "$PG_MAJOR"), Debian $release$how)" "$rc" "$start"
		chroot_end
	fi
	gid_say ""
done
chroot_summary
exit
