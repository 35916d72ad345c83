#!/bin/bash
# test/matrix.sh
#		What "make test-matrix" runs: "make test" with every supported major
#		version of PostgreSQL, one after the other.
#
# A version is tested in the Debian release that brings it: on this machine, if
# that is its release, else in a chroot (test/lib/chroot.sh).  GID_SOURCE_N, a
# directory with the sources of version N, goes before Debian's package
# (test/source.sh).
#
# Read from the environment: GID_MATRIX (the versions, default all),
# GID_MATRIX_TARGET (what make is to do, default "test"), GID_SOURCE_15 and so
# on, GID_ASSERT_CACHE (for this machine; a chroot of GID_MATRIX_CACHE has its
# own), and what test/lib/chroot.sh reads.
#
# The last lines are one for each version and the sum, "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/chroot.sh
. "$GID_ROOT/test/lib/chroot.sh"

GID_MATRIX=${GID_MATRIX:-$(chroot_versions)}
target=${GID_MATRIX_TARGET:-test}
own=$(. /etc/os-release 2>/dev/null && [ "${ID:-}" = debian ] && echo "${VERSION_CODENAME:-}")

for version in $GID_MATRIX; do
	chroot_release "$version" >/dev/null ||
		gid_die "GID_MATRIX: \"$version\" is not one of: $(chroot_versions)"
done
chroot_begin
for version in $GID_MATRIX; do
	release=$(chroot_release "$version")
	label=postgresql-$version
	title="PostgreSQL $version"
	sources=GID_SOURCE_$version
	sources=${!sources:-}
	export PG_MAJOR=$version
	CHROOT_SETTINGS=()
	if [ -n "$sources" ] && [ "$target" = test ]; then
		CHROOT_SETTINGS=(env GID_SOURCE="$sources")
		chroot_tests "$label" "$title, built from $sources" test-source
	elif [ -n "$sources" ] || [ -z "$release" ]; then
		chroot_lines+=("$title: not run, $target needs a package of Debian, and \"test\" alone takes GID_SOURCE_$version")
	elif [ "$release" = "$own" ]; then
		chroot_tests "$label" "$title, Debian $release" "$target"
	else
		[ -z "${GID_MATRIX_CACHE:-}" ] || CHROOT_SETTINGS=(env GID_ASSERT_CACHE=/var/cache/gid-assert)
		chroot_tests "$label" "$title, Debian $release, in a chroot" "$target" \
			"$version" "$release" "$(dpkg --print-architecture)"
	fi
done
chroot_summary
exit
