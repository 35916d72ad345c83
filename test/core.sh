#!/bin/bash
# test/core.sh
#		What "make test-core" runs: PostgreSQL's own regression tests against a server
#		with gid, once with gid.serve_nextval off and once on.
#
# An application shall not notice that gid serves nextval().  PostgreSQL's tests are
# the application here: what a test prints must be the same both times, but for
# test/core.diff, which says for each difference why it is there.
#
# Blocks of one value make what sequences show the same in each run.
#
# Takes ten minutes after the server with assertions is built.  Read from the
# environment: GID_ASSERT_CACHE as in test/assert.sh, GID_SERVER (a server that is to be
# taken as it is), TESTS (names of PostgreSQL's tests, after test_setup, for a quick look
# at some; default: all of parallel_schedule), and what test/lib/server.sh reads.
#
# The last line is "N passed, N failed"; it counts PostgreSQL's tests, and one failure
# for all differences that test/core.diff does not have.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/server.sh
. "$GID_ROOT/test/lib/server.sh"

OUTPUT=$GID_ROOT/test/output/core

if [ -z "${GID_SERVER:-}" ]; then
	server_cache=${GID_ASSERT_CACHE:-}
	server_script=$GID_ROOT/test/core.sh
	server_test --enable-cassert --enable-debug
	exit
fi

gid_setup source
server_sources
gid_build
core=$GID_WORK/postgresql/src/test/regress
gid_as make -s -C "$core" -f - regress.so <<END >"$GID_LOGS/regress.log" 2>&1 ||
MODULES = regress
PGXS := $(gid_as "$GID_PG_CONFIG" --pgxs)
PG_CONFIG = $GID_PG_CONFIG
with_llvm = no
include \$(PGXS)
END
	{ gid_tail "$GID_LOGS/regress.log" >&2; gid_die "could not compile PostgreSQL's regress.c"; }
gid_as cp "$(gid_as "$GID_PG_CONFIG" --pkglibdir)"/{autoinc,refint}.so "$core" ||
	gid_die "the contrib modules that PostgreSQL's tests load are missing"

# core_run SETTING: the tests with gid.serve_nextval set so.  Their status is not
# judged: another locale or build has other output.
core_run() {
	local setting=$1 out=$GID_WORK/core-$1
	local -a tests=(--schedule="$core/parallel_schedule")
	[ -z "${TESTS:-}" ] || read -ra tests <<<"test_setup $TESTS"
	gid_say "PostgreSQL's tests with gid.serve_nextval = $setting ..."
	gid_as mkdir -p "$out"
	gid_as tee "$out/conf" >/dev/null <<END
shared_preload_libraries = 'gid'
gid.serve_nextval = $setting
gid.max_block_size = 1
fsync = off
END
	gid_run "$GID_LOGS/core-$setting.log" 3600 \
		"$(dirname "$(gid_as "$GID_PG_CONFIG" --pgxs)")/../test/regress/pg_regress" \
		--inputdir="$core" --outputdir="$out" --dlpath="$core" --bindir="$GID_BIN" \
		--temp-instance="$out/instance" --temp-config="$out/conf" --no-locale \
		--max-concurrent-tests=20 --load-extension=gid "${tests[@]}"
	[ -e "$out/results/test_setup.out" ] ||
		{ gid_tail "$GID_LOGS/core-$setting.log" >&2; gid_die "PostgreSQL's tests did not run"; }
	! grep -E '^TRAP:|was terminated by signal' "$out/log/postmaster.log" ||
		gid_die "the server crashed"
}

# core_diff: what the tests printed, with the setting off and on; no line numbers, which
# differ between versions.
core_diff() {
	cd "$GID_WORK" && diff -r -U 0 core-off/results core-on/results |
		sed -E '/^(---|\+\+\+) core-/d; /^@@ /d; s/^diff .* (core-off)/diff -r \1/'
}

core_run off
core_run on
core_diff >"$GID_LOGS/core.diff"
grep -v '^#' "$GID_TREE/test/core.diff" >"$GID_LOGS/expected.diff"
passed=$(find "$GID_WORK/core-on/results" -name '*.out' | wc -l)
failed=0
if ! cmp -s "$GID_LOGS/core.diff" "$GID_LOGS/expected.diff"; then
	mkdir -p "$OUTPUT" && cp -R "$GID_LOGS/core.diff" "$GID_WORK"/core-on/results "$OUTPUT/"
	diff "$GID_LOGS/expected.diff" "$GID_LOGS/core.diff" | head -n 100 | sed 's/^/    | /'
	failed=1
fi
gid_say "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
