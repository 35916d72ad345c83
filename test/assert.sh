#!/bin/bash
# test/assert.sh
#		What "make test-assert" runs: the tests of "make test" against a server
#		that was built with assertions.
#
# Debian's server is built without assertions, so it does not notice most
# violations of its internal rules: a lock that is not held, a buffer that stays
# pinned, a wrong critical section, a use of freed memory.  This script builds
# PostgreSQL from the sources of Debian's package with --enable-cassert, and gid
# against that server.  test/run.sh then runs the tests in a copy of it, as for
# any other server (GID_SERVER of tools/setup.sh).
#
# The build uses the upstream tarball of the source package without Debian's
# patches.  Those patches put the files in the places of Debian's packages.
#
# Invariants:
# 1. The machine's apt configuration and its package lists stay as they are.
#    The lists of source packages are read into the work directory.
# 2. Nothing is written into the clone, except test/output/ by test/run.sh.
# 3. A cached server is complete.  The build goes into the work directory, and
#    the last step gives the copy in the cache its name.
#
# Read from the environment: GID_ASSERT_CACHE (a directory that keeps the server
# for the next run; remove its postgresql-N to build the server again), TESTS
# (default "regress isolation tap"), PG_MAJOR, PG_TEST_*, TMPDIR, GID_KEEP.
#
# The last line is that of test/run.sh, "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

CONFIGURE=(--enable-cassert --enable-debug --enable-tap-tests --with-openssl
	--without-readline --without-icu)
BUILD_LIMIT=3600		# seconds for each step of the build

tests=					# the process of test/run.sh
cache=${GID_ASSERT_CACHE:-}

# step NAME COMMAND...: a step of the build as the unprivileged user, in the
# directory of the sources.
step() {
	local log=$GID_LOGS/server-$1.log
	shift
	gid_run "$log" $BUILD_LIMIT env -C "$GID_WORK/postgresql" "$@" ||
		{ gid_tail "$log" >&2; gid_die "could not build PostgreSQL $GID_MAJOR"; }
}

# source_lists DIRECTORY: the machine's package sources, as lists of source
# packages.  apt knows two formats.
source_lists() {
	local file
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
		[ ! -e "$file" ] ||
			sed -E 's/^deb(-src)?([[:blank:]])/deb-src\2/' "$file" >"$1/${file##*/}.list"
	done
	for file in /etc/apt/sources.list.d/*.sources; do
		[ ! -e "$file" ] ||
			sed -E 's/^Types:.*/Types: deb-src/I' "$file" >"$1/${file##*/}"
	done
}

# get_sources: unpacks the upstream tarball into $GID_WORK/postgresql.  Some mirrors
# list the sources of a security update but do not have them.  The loop then falls
# back to the version before that update.
get_sources() {
	local dir=$GID_WORK/apt log=$GID_LOGS/source.log package=postgresql-$GID_MAJOR
	local version tarball
	local -a options=(-o Dir::Etc::sourcelist=/dev/null
		-o Dir::Etc::sourceparts="$dir/sources" -o Dir::State::lists="$dir/lists"
		-o Dir::Cache="$dir/cache")

	gid_say "Reading the lists of source packages ..."
	gid_as mkdir -p "$dir"/{sources,lists/partial,cache/archives/partial} "$GID_WORK/postgresql"
	source_lists "$dir/sources"
	# apt-get fails when one of several sources has no source packages
	gid_run "$log" 600 apt-get -q "${options[@]}" update || :
	for version in $(gid_as apt-cache "${options[@]}" --only-source showsrc "$package" \
			2>>"$log" | sed -n 's/^Version: //p' | sort -uVr); do
		gid_say "Downloading the sources of $package $version ..."
		gid_run "$log" 600 env -C "$dir" apt-get -q "${options[@]}" \
			source --download-only "$package=$version" ||
			{ gid_say "They could not be downloaded."; continue; }
		tarball=$(find "$dir" -maxdepth 1 -name "${package}_${version%-*}.orig.tar.*" ! -name '*.asc')
		gid_run "$log" 600 tar -C "$GID_WORK/postgresql" --strip-components=1 -xf "$tarball" && return
	done
	gid_tail "$log" >&2
	gid_die "could not get the sources of $package"
}

# build_server PREFIX: builds the server and installs it as PREFIX.  The server must
# not be moved later, because its programs look for libpq below PREFIX.
build_server() {
	local began
	began=$(gid_seconds)
	get_sources
	gid_say "Building PostgreSQL $GID_MAJOR with assertions, which takes some minutes ..."
	step configure ./configure --prefix="$1" "${CONFIGURE[@]}"
	step make make -j2 world-bin
	step install make install-world-bin DESTDIR="$GID_WORK/stage"
	rm -rf "$1.new"
	cp -R "$GID_WORK/stage$1" "$1.new" && mv -T "$1.new" "$1" ||
		gid_die "could not write $1"
	rm -rf "$GID_WORK/stage" "$GID_WORK/postgresql"
	gid_say "Built in $(gid_since "$began")."
}

# end_tests: at exit, ends test/run.sh if it still runs, and waits for its cleanup.
end_tests() {
	local rc=$?
	trap '' INT TERM HUP
	[ -z "$tests" ] || { kill -TERM "$tests" && wait "$tests"; } 2>/dev/null
	return "$rc"
}

if [ -n "$cache" ]; then
	cache=$(realpath -m -- "$cache")
	case $cache/ in
		"$GID_ROOT"/*) gid_die "GID_ASSERT_CACHE must not be inside the clone" ;;
		*[!A-Za-z0-9._/-]*) gid_die "GID_ASSERT_CACHE has characters that make cannot take" ;;
	esac
fi
gid_begin assert
trap 'end_tests; gid_cleanup' EXIT

# The path has to contain "postgres": PostgreSQL's own make files then put
# nothing below lib/postgresql.
server=${cache:-$GID_WORK}/postgresql-$GID_MAJOR
GID_BIN=$server/bin
if [ -n "$cache" ]; then
	# a second run waits until the first has built the server
	mkdir -p "$cache" || exit 1
	exec 8>"$server.lock" && flock 8 || exit 1
fi
if [ -x "$GID_BIN/postgres" ]; then
	gid_say "Using the server $server."
else
	build_server "$server"
fi
[ -z "$cache" ] || exec 8>&-

PG_MAJOR=$GID_MAJOR GID_SERVER=$server TESTS="assertions ${TESTS:-regress isolation tap}" \
	bash "$GID_ROOT/test/run.sh" </dev/null &
tests=$!
wait "$tests"
rc=$?
tests=
exit $rc
