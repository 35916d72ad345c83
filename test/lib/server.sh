# test/lib/server.sh
#		The tests of "make test" against a server that is built from PostgreSQL's
#		sources, for test/assert.sh and test/source.sh.  To be sourced by bash after
#		tools/setup.sh.
#
#	server_test --enable-cassert	# GID_MAJOR, TESTS
#
# The sources are GID_SOURCE, or else the upstream tarball of Debian's source package
# without Debian's patches.  Those patches put the files in the places of Debian's
# packages.  test/run.sh runs the tests in a copy of the server, as for any other
# server (GID_SERVER of tools/setup.sh).
#
# Invariants:
# 1. The machine's apt configuration and its package lists stay as they are.
#    The lists of source packages are read into the work directory.
# 2. Nothing is written into the clone, except test/output/ by test/run.sh, and
#    nothing into GID_SOURCE.
# 3. A cached server is complete.  The build goes into the work directory, and
#    the last step gives the copy in the cache its name.
#
# Read from the environment: GID_SOURCE (a directory with PostgreSQL's sources),
# PG_MAJOR, PG_TEST_*, TMPDIR, GID_KEEP; from the caller server_cache (a directory
# that keeps the server for the next run, or empty) and server_script (what runs the
# tests in the place of test/run.sh, or empty).

SERVER_CONFIGURE=(--enable-tap-tests --with-openssl --without-readline --without-icu)
SERVER_LIMIT=3600		# seconds for each step of the build

server_cache=
server_script=
server_tests=			# the process of test/run.sh

# server_source_major DIR: the major version of the sources there.
server_source_major() {
	sed -n "s/^PACKAGE_VERSION='\([0-9]*\).*'\$/\1/p" "$1/configure" 2>/dev/null
}

# server_step NAME COMMAND...: a step of the build as the unprivileged user, in the
# directory of the sources.
server_step() {
	local log=$GID_LOGS/server-$1.log
	shift
	gid_run "$log" $SERVER_LIMIT env -C "$GID_WORK/postgresql" "$@" ||
		{ gid_tail "$log" >&2; gid_die "could not build PostgreSQL $GID_MAJOR"; }
}

# server_source_lists DIRECTORY: the machine's package sources, as lists of source
# packages.  apt knows two formats.
server_source_lists() {
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

# server_copy_sources: copies GID_SOURCE to $GID_WORK/postgresql, without what an
# earlier build has left there.
server_copy_sources() {
	gid_say "Copying the sources in $GID_SOURCE ..."
	tar -C "$GID_SOURCE" --exclude=.git -cf - . |
		gid_as tar -C "$GID_WORK/postgresql" --no-same-owner -xf - ||
		gid_die "could not copy $GID_SOURCE"
	[ ! -e "$GID_WORK/postgresql/GNUmakefile" ] || server_step clean make distclean
}

# server_debian_sources: unpacks the upstream tarball into $GID_WORK/postgresql.  Some
# mirrors list the sources of a security update but do not have them.  The loop then
# falls back to the version before that update.
server_debian_sources() {
	local dir=$GID_WORK/apt log=$GID_LOGS/source.log package=postgresql-$GID_MAJOR
	local version tarball
	local -a options=(-o Dir::Etc::sourcelist=/dev/null
		-o Dir::Etc::sourceparts="$dir/sources" -o Dir::State::lists="$dir/lists"
		-o Dir::Cache="$dir/cache")

	gid_say "Reading the lists of source packages ..."
	gid_as mkdir -p "$dir"/{sources,lists/partial,cache/archives/partial}
	server_source_lists "$dir/sources"
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

# server_sources: PostgreSQL's sources, in $GID_WORK/postgresql.
server_sources() {
	gid_as mkdir -p "$GID_WORK/postgresql"
	if [ -n "${GID_SOURCE:-}" ]; then
		server_copy_sources
	else
		server_debian_sources
	fi
}

# server_build PREFIX OPTION...: builds the server with these options of configure and
# installs it as PREFIX.  The server must not be moved later, because its programs look
# for libpq below PREFIX.
server_build() {
	local began prefix=$1
	shift
	began=$(gid_seconds)
	server_sources
	gid_say "Building PostgreSQL $GID_MAJOR, which takes some minutes: ./configure $* ..."
	server_step configure ./configure --prefix="$prefix" "${SERVER_CONFIGURE[@]}" "$@"
	server_step make make -j2 world-bin
	server_step install make install-world-bin DESTDIR="$GID_WORK/stage"
	rm -rf "$prefix.new"
	cp -R "$GID_WORK/stage$prefix" "$prefix.new" && mv -T "$prefix.new" "$prefix" ||
		gid_die "could not write $prefix"
	rm -rf "$GID_WORK/stage" "$GID_WORK/postgresql"
	gid_say "Built in $(gid_since "$began")."
}

# server_end_tests: at exit, ends test/run.sh if it still runs, and waits for its
# cleanup.
server_end_tests() {
	local rc=$?
	trap '' INT TERM HUP
	[ -z "$server_tests" ] || { kill -TERM "$server_tests" && wait "$server_tests"; } 2>/dev/null
	return "$rc"
}

# server_test OPTION...: the tests of TESTS against a server that was built with these
# options of configure; the status is theirs.
server_test() {
	local server major rc
	if [ -n "${GID_SOURCE:-}" ]; then
		GID_SOURCE=$(realpath -e -- "$GID_SOURCE") || gid_die "GID_SOURCE is no directory"
		major=$(server_source_major "$GID_SOURCE")
		[ -n "$major" ] && [ "${PG_MAJOR:-$major}" = "$major" ] ||
			gid_die "$GID_SOURCE does not have the sources of PostgreSQL ${PG_MAJOR:-}"
		PG_MAJOR=$major
	fi
	if [ -n "$server_cache" ]; then
		server_cache=$(realpath -m -- "$server_cache")
		case $server_cache/ in
			"$GID_ROOT"/*) gid_die "the cache must not be inside the clone" ;;
			*[!A-Za-z0-9._/-]*) gid_die "the cache's path has characters that make cannot take" ;;
		esac
	fi
	gid_begin source
	trap 'server_end_tests; gid_cleanup' EXIT

	# The path has to contain "postgres": PostgreSQL's own make files then put
	# nothing below lib/postgresql.
	server=${server_cache:-$GID_WORK}/postgresql-$GID_MAJOR
	GID_BIN=$server/bin
	if [ -n "$server_cache" ]; then
		# a second run waits until the first has built the server
		mkdir -p "$server_cache" || exit 1
		exec 8>"$server.lock" && flock 8 || exit 1
	fi
	if [ -x "$GID_BIN/postgres" ]; then
		gid_say "Using the server $server."
	else
		server_build "$server" "$@"
	fi
	[ -z "$server_cache" ] || exec 8>&-

	PG_MAJOR=$GID_MAJOR GID_SERVER=$server TESTS=${TESTS:-} \
		bash "${server_script:-$GID_ROOT/test/run.sh}" </dev/null &
	server_tests=$!
	wait "$server_tests"
	rc=$?
	server_tests=
	return $rc
}
