#!/bin/bash
# test/arch.sh
#		What "make test-arch" runs: build, unit, regression and isolation tests on
#		other processors, each in a chroot of Debian (test/lib/chroot.sh).
#
# i386 shows 32 bits, s390x shows big-endian numbers, arm64 shows weak memory
# order only on a machine of its own: QEMU runs on the order of this machine.
#
# A foreign processor runs under QEMU's user mode, some ten times as slow, and
# its unit tests without sanitizers.  The entry in binfmt_misc that QEMU's
# package has for it is registered and stays.  Where a processor cannot run,
# its line says why, and the processor counts as neither passed nor failed.
#
# Read from the environment: ARCH (Debian's names, default "i386 s390x arm64"),
# PG_MAJOR (default 17), TESTS, GID_PATIENCE (factor of all time limits,
# default 20 under QEMU, else 3), and what test/lib/chroot.sh reads.
#
# The last lines are one for each processor and the sum, "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/chroot.sh
. "$GID_ROOT/test/lib/chroot.sh"

BINFMT=/proc/sys/fs/binfmt_misc

# qemu ARCH: the kernel starts programs of that processor, or the reason why
# not.
qemu() {
	local name=$1
	case $1 in
		amd64) name=x86_64 ;;
		arm64) name=aarch64 ;;
		armel | armhf) name=arm ;;
		ppc64el) name=ppc64le ;;
	esac
	[ -e $BINFMT/register ] || mount -t binfmt_misc binfmt_misc $BINFMT 2>/dev/null ||
		{ echo "binfmt_misc cannot be mounted"; return 1; }
	! arch-test "$1" >/dev/null || return 0
	(chroot_need "qemu-$name-static" qemu-user-static) >&2 || { echo "QEMU is not there"; return 1; }
	# systemd may have registered the entry when the package was installed
	arch-test "$1" >/dev/null || cat "/usr/lib/binfmt.d/qemu-$name.conf" >$BINFMT/register
	arch-test "$1" >/dev/null || { echo "binfmt_misc takes no entry"; return 1; }
}

export PG_MAJOR=${PG_MAJOR:-17} TESTS=${TESTS:-build unit regress isolation}
release=$(chroot_release "$PG_MAJOR") && [ -n "$release" ] ||
	gid_die "PG_MAJOR: Debian has no package of \"$PG_MAJOR\""
chroot_begin
chroot_need arch-test arch-test
patience=${GID_PATIENCE:-}
for arch in ${ARCH:-i386 s390x arm64}; do
	export GID_PATIENCE=${patience:-3}
	title="$arch (PostgreSQL $PG_MAJOR, Debian $release)"
	unset GID_SANITIZE
	if ! arch-test -n "$arch" >/dev/null; then
		export GID_PATIENCE=${patience:-20} GID_SANITIZE=
		reason=$(qemu "$arch") || { chroot_lines+=("$title: not run, $reason"); continue; }
	fi
	chroot_tests "postgresql-$PG_MAJOR-$arch" "$title" test "$PG_MAJOR" "$release" "$arch"
done
chroot_summary
exit
