#!/bin/bash
# test/source.sh [--assert | --musl]
#		The tests of "make test" against a server that is built from PostgreSQL's
#		sources: GID_SOURCE, a directory, or else Debian's upstream tarball without
#		Debian's patches.
#
# "make test-source" takes what Debian does not have.  "make test-assert" takes
# a server with assertions: Debian's does not notice a lock that is not held, a
# buffer that stays pinned, a use of freed memory.  "make test-musl" takes a server
# and gid that are compiled with another C library, musl; without the TAP tests
# that set the clock by libfaketime, which is built for glibc.  The machine's apt
# configuration and package lists stay as they are.
#
# Read from the environment: GID_SOURCE, GID_ASSERT_CACHE and GID_MUSL_CACHE
# (directories that keep such a server for the next run), TESTS, and what
# tools/setup.sh reads.  test/core.sh takes the functions only.
#
# The last line is that of test/run.sh, "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "${BASH_SOURCE[0]}")/../tools/setup.sh"

source_tests=			# the process that runs the tests

# source_step NAME COMMAND...: a step of the build as the unprivileged user, in
# the directory of the sources.
source_step() {
	local log=$GID_LOGS/source-$1.log
	gid_run "$log" 3600 env -C "$GID_WORK/postgresql" "${@:2}" ||
		{ gid_tail "$log" >&2; gid_die "could not build PostgreSQL $GID_MAJOR"; }
}

# source_of_debian: unpacks the upstream tarball.  Some mirrors list the
# sources of a security update but do not have them; then the version before is
# taken.
source_of_debian() {
	local dir=$GID_WORK/apt log=$GID_LOGS/source.log package=postgresql-$GID_MAJOR file version tarball
	local -a options=(-o Dir::Etc::sourcelist=/dev/null
		-o Dir::Etc::sourceparts="$dir/sources" -o Dir::State::lists="$dir/lists"
		-o Dir::Cache="$dir/cache")

	gid_say "Reading the lists of source packages ..."
	gid_as mkdir -p "$dir"/{sources,lists/partial,cache/archives/partial}
	# the machine's package sources, as lists of source packages; apt knows two
	# formats
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
		[ ! -e "$file" ] || sed -E 's/^deb(-src)?([[:blank:]])/deb-src\2/; s/^Types:.*/Types: deb-src/I' \
			"$file" >"$dir/sources/$(basename "$file")"
	done
	# apt-get fails when one of several sources has no source packages
	gid_run "$log" 600 apt-get -q "${options[@]}" update || :
	for version in $(gid_as apt-cache "${options[@]}" --only-source showsrc "$package" \
			2>>"$log" | sed -n 's/^Version: //p' | sort -uVr); do
		gid_say "Downloading the sources of $package $version ..."
		gid_run "$log" 600 env -C "$dir" apt-get -q "${options[@]}" \
			source --download-only "$package=$version" || continue
		tarball=$(find "$dir" -maxdepth 1 -name "${package}_${version%-*}.orig.tar.*" ! -name '*.asc')
		gid_run "$log" 600 tar -C "$GID_WORK/postgresql" --strip-components=1 -xf "$tarball" && return
	done
	gid_tail "$log" >&2
	gid_die "could not get the sources of $package"
}

# source_unpack: PostgreSQL's sources, in $GID_WORK/postgresql.
source_unpack() {
	gid_as mkdir -p "$GID_WORK/postgresql"
	[ -n "${GID_SOURCE:-}" ] || { source_of_debian; return; }
	gid_say "Copying the sources in $GID_SOURCE ..."
	tar -C "$GID_SOURCE" --exclude=.git -cf - . |
		gid_as tar -C "$GID_WORK/postgresql" --no-same-owner -xf - ||
		gid_die "could not copy $GID_SOURCE"
	[ ! -e "$GID_WORK/postgresql/GNUmakefile" ] || source_step clean make distclean
}

# source_build PREFIX OPTION...: builds the server and installs it as PREFIX.
# It must not be moved later, because its programs look for libpq below PREFIX.
# $GID_WORK/kernel has the kernel's headers, for a compiler that has only its own.
source_build() {
	local prefix=$1
	shift
	source_unpack
	gid_as mkdir "$GID_WORK/kernel"
	gid_as ln -s /usr/include/{linux,asm-generic} "/usr/include/$(gcc -print-multiarch)/asm" "$GID_WORK/kernel"
	gid_say "Building PostgreSQL $GID_MAJOR, which takes some minutes: ./configure $* ..."
	source_step configure ./configure --prefix="$prefix" --enable-tap-tests \
		--without-readline --without-icu "${@//@WORK@/$GID_WORK}"
	source_step make make -j2 world-bin
	source_step install make install-world-bin DESTDIR="$GID_WORK/stage"
	# a server in the cache is complete: the last step gives it its name
	rm -rf "$prefix.new"
	cp -R "$GID_WORK/stage$prefix" "$prefix.new" && mv -T "$prefix.new" "$prefix" ||
		gid_die "could not write $prefix"
	rm -rf "$GID_WORK/stage" "$GID_WORK/postgresql"
}

# source_end: at exit, ends the tests if they still run, and waits for their
# cleanup.
source_end() {
	local rc=$?
	trap '' INT TERM HUP
	[ -z "$source_tests" ] || { kill -TERM "$source_tests" && wait "$source_tests"; } 2>/dev/null
	return "$rc"
}

# source_test SCRIPT CACHE OPTION...: runs the script of test/ against the
# server, which CACHE keeps, if that is not empty.
source_test() {
	local cache=$2 major server rc
	if [ -n "${GID_SOURCE:-}" ]; then
		GID_SOURCE=$(realpath -e -- "$GID_SOURCE") || gid_die "GID_SOURCE is no directory"
		major=$(sed -n "s/^PACKAGE_VERSION='\([0-9]*\).*'\$/\1/p" "$GID_SOURCE/configure")
		[ -n "$major" ] && [ "${PG_MAJOR:-$major}" = "$major" ] ||
			gid_die "$GID_SOURCE does not have the sources of PostgreSQL ${PG_MAJOR:-}"
		PG_MAJOR=$major
	fi
	gid_begin source
	trap 'source_end; gid_cleanup' EXIT

	[ -z "$cache" ] || cache=$(realpath -m -- "$cache")
	# The path has to contain "postgres": PostgreSQL's own make files then put
	# nothing below lib/postgresql.
	server=${cache:-$GID_WORK}/postgresql-$GID_MAJOR
	GID_BIN=$server/bin
	# a second run waits until the first has built the server
	mkdir -p "${server%/*}" && exec 8>"$server.lock" && flock 8 || exit 1
	[ -x "$GID_BIN/postgres" ] || source_build "$server" "${@:3}"
	exec 8>&-

	gid_say "Using the server $server."
	PG_MAJOR=$GID_MAJOR GID_SERVER=$server TESTS=${TESTS:-} bash "$GID_ROOT/test/$1" </dev/null &
	source_tests=$!
	wait "$source_tests"
	rc=$?
	source_tests=
	return $rc
}

# source_assert SCRIPT: the same, with assertions.  All that share the cache
# have these options.
source_assert() { source_test "$1" "${GID_ASSERT_CACHE:-}" --with-openssl --enable-cassert --enable-debug; }

# source_musl: the same, with musl, for which Debian has no other library.
source_musl() {
	[ -n "${TESTS:-}" ] ||
		TESTS="regress isolation $(cd "$GID_ROOT/test/t" && grep -L faketime -- *.pl | sed 's/^/tap:/; s/\.pl$//' | tr '\n' ' ')"
	source_test run.sh "${GID_MUSL_CACHE:-}" CC=musl-gcc --without-zlib "CPPFLAGS=-idirafter @WORK@/kernel"
}

[ "${BASH_SOURCE[0]}" = "$0" ] || return 0

if [ $# -eq 0 ]; then
	[ -n "${GID_SOURCE:-}" ] || gid_die "GID_SOURCE=DIRECTORY names PostgreSQL's sources"
	source_test run.sh "" --with-openssl
	exit
elif [ "$1" = --musl ]; then
	source_musl
	exit
fi
TESTS="assertions ${TESTS:-regress isolation tap}"
# For a version whose sources cannot be had: Debian's server, and gid with its
# own assertions and those of the server's headers.
if [ -n "${GID_ASSERT_OWN:-}" ]; then
	export TESTS GID_COPT=-DUSE_ASSERT_CHECKING=1
	exec bash "$GID_ROOT/test/run.sh"
fi
source_assert run.sh
exit
