#!/bin/bash
# test/matrix.sh
#		What "make test-matrix" runs: "make test" with every supported major
#		version of PostgreSQL, one after the other.
#
# A version is tested in the Debian release that brings it: on this machine, if
# that is its release, else in a chroot (test/lib/chroot.sh).  A version that
# Debian does not have is built from GID_SOURCE_N, a directory with PostgreSQL's
# sources, on this machine (test/source.sh).  GID_SOURCE_N goes before Debian's
# package.
#
# Read from the environment: GID_MATRIX (the versions, default "15 16 17 18 19"),
# GID_MATRIX_TARGET (what make is to do, default "test"; "test-package", "test-assert",
# "test-planted", "test-valgrind", "test-image-here", "bench"), GID_SOURCE_15 and so on,
# GID_ASSERT_CACHE (for this machine; a chroot that GID_MATRIX_CACHE keeps has its own),
# and what test/lib/chroot.sh reads.
#
# The last lines are one for each version and the sum, "N passed, N failed".  A
# version whose tests did not come to their end counts as one failed.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/chroot.sh
. "$GID_ROOT/test/lib/chroot.sh"

GID_MATRIX=${GID_MATRIX:-$(chroot_versions)}
target=${GID_MATRIX_TARGET:-test}

# own_release: this machine's, if it is Debian's.
own_release() {
	[ ! -r /etc/os-release ] || (
		. /etc/os-release
		[ "${ID:-}" != debian ] || echo "${VERSION_CODENAME:-}"
	)
}

# test_version VERSION RELEASE SOURCE: status 0 if the tests came to their end.
test_version() {
	local label=postgresql-$1
	local -a here=(env TMPDIR="${TMPDIR:-/tmp}" PG_MAJOR="$1" ${GID_ASSERT_CACHE:+"GID_ASSERT_CACHE=$GID_ASSERT_CACHE"})
	if [ -n "$3" ]; then
		gid_say "== PostgreSQL $1, from $3, this machine =="
		chroot_tree "$work" || return 1
		chroot_test "$label" "$work/gid" test-source "${here[@]}" GID_SOURCE="$3"
	elif [ "$2" = "$(own_release)" ]; then
		gid_say "== PostgreSQL $1, Debian $2, this machine =="
		chroot_tree "$work" || return 1
		chroot_test "$label" "$work/gid" "$target" "${here[@]}"
	else
		gid_say "== PostgreSQL $1, Debian $2, in a chroot =="
		chroot_make "$1" "$2" "$(chroot_native)" && chroot_tree "$chroot" || return 1
		chroot_test "$label" /gid "$target" \
			chroot "$chroot" "${CHROOT_CLEAN[@]}" PG_MAJOR="$1" \
			${GID_MATRIX_CACHE:+GID_ASSERT_CACHE=/var/cache/gid-assert}
	fi
}

for version in $GID_MATRIX; do
	chroot_release "$version" >/dev/null ||
		gid_die "GID_MATRIX: \"$version\" is not one of: $(chroot_versions)"
done
chroot_enter test-matrix "GID_MATRIX GID_MATRIX_TARGET GID_ASSERT_CACHE $(compgen -v GID_SOURCE_)" "$@"
chroot_begin
rm -rf "$CHROOT_OUTPUT"/postgresql-*
for version in $GID_MATRIX; do
	release=$(chroot_release "$version")
	source=GID_SOURCE_$version
	source=${!source:-}
	if [ -n "$source" ] && [ "$target" != test ]; then
		chroot_lines+=("PostgreSQL $version: not run, $target needs Debian's package, not $source")
	elif [ -z "$release$source" ]; then
		chroot_lines+=("PostgreSQL $version: not run, Debian has no package of it, and GID_SOURCE_$version names no sources")
	else
		start=$(gid_seconds)
		test_version "$version" "$release" "$source"
		rc=$?
		# "make bench" counts no tests
		[ "$target" != bench ] || [ $rc -ne 0 ] || echo "1 passed, 0 failed" >>"$work/postgresql-$version.log"
		full=$(chroot_server "$version")
		[ -z "$source" ] || { full=$version release= ; }
		chroot_count "postgresql-$version" \
			"PostgreSQL $full (${release:+Debian $release}${source:+built from $source})" \
			"$rc" "$start"
		chroot_end
		gid_say ""
	fi
done
chroot_summary
exit
