#!/bin/bash
# test/core.sh
#		What "make test-core" runs: PostgreSQL's own regression tests against a server
#		with gid, once with gid.serve_nextval off and once on.
#
# An application shall not notice that gid serves nextval().  PostgreSQL's
# tests are the application here: what a test prints must be the same both
# times, but for test/core.diff, which says for each difference why it is
# there.  Blocks of one value make what sequences show the same in each run.
#
# Takes ten minutes after the server with assertions is built
# (test/source.sh).  Read from the environment: TESTS (names of PostgreSQL's
# tests, after test_setup, for a quick look at some; default: all of
# parallel_schedule), and what test/source.sh reads.
#
# The last line is "N passed, N failed"; it counts PostgreSQL's tests, and one
# failure for all differences that test/core.diff does not have.

# shellcheck source=test/source.sh
. "$(dirname "$0")/source.sh"

OUTPUT=$GID_ROOT/test/output/core

if [ -z "${GID_SERVER:-}" ]; then
	source_assert core.sh
	exit
fi

gid_setup source
rm -rf "$OUTPUT"
source_unpack
gid_build
pgxs=$(gid_as "$GID_PG_CONFIG" --pgxs)
core=$GID_WORK/postgresql/src/test/regress
gid_as make -s -C "$core" -f - regress.so <<END >"$GID_LOGS/regress.log" 2>&1 ||
MODULES = regress
PGXS := $pgxs
PG_CONFIG = $GID_PG_CONFIG
with_llvm = no
include \$(PGXS)
END
	{ gid_tail "$GID_LOGS/regress.log" >&2; gid_die "could not compile PostgreSQL's regress.c"; }
gid_as cp "$(gid_as "$GID_PG_CONFIG" --pkglibdir)"/{autoinc,refint}.so "$core" ||
	gid_die "the contrib modules that PostgreSQL's tests load are missing"
tests=(--schedule="$core/parallel_schedule")
[ -z "${TESTS:-}" ] || read -ra tests <<<"test_setup $TESTS"

# The status of the tests is not judged: another locale or build has other
# output.
for setting in off on; do
	out=$GID_WORK/core-$setting
	gid_say "PostgreSQL's tests with gid.serve_nextval = $setting ..."
	gid_as mkdir -p "$out"
	printf '%s\n' "shared_preload_libraries = 'gid'" "gid.serve_nextval = $setting" "gid.max_block_size = 1" \
		"fsync = off" | gid_as tee "$out/conf" >/dev/null
	gid_run "$GID_LOGS/core-$setting.log" 3600 "$(dirname "$pgxs")/../test/regress/pg_regress" \
		--inputdir="$core" --outputdir="$out" --dlpath="$core" --bindir="$GID_BIN" \
		--temp-instance="$out/instance" --temp-config="$out/conf" --no-locale \
		--max-concurrent-tests=20 --load-extension=gid "${tests[@]}"
	[ -e "$out/results/test_setup.out" ] ||
		{ gid_tail "$GID_LOGS/core-$setting.log" >&2; gid_die "PostgreSQL's tests did not run"; }
	! grep -E '^TRAP:|was terminated by signal' "$out/log/postmaster.log" ||
		gid_die "the server crashed"
done

# without line numbers, which differ between versions
(cd "$GID_WORK" && diff -r -U 0 core-off/results core-on/results |
	sed -E '/^(---|\+\+\+) core-/d; /^@@ /d; s/^diff .* (core-off)/diff -r \1/') >"$GID_LOGS/core.diff"
grep -v '^#' "$GID_TREE/test/core.diff" >"$GID_LOGS/expected.diff"
passed=$(find "$out/results" -name '*.out' | wc -l)
failed=0
if ! cmp -s "$GID_LOGS/core.diff" "$GID_LOGS/expected.diff"; then
	mkdir -p "$OUTPUT" && cp -R "$GID_LOGS/core.diff" "$out/results" "$OUTPUT/"
	chown -R --reference="$GID_ROOT" "$GID_ROOT/test/output" 2>/dev/null
	diff "$GID_LOGS/expected.diff" "$GID_LOGS/core.diff" | head -n 100 | sed 's/^/    | /'
	failed=1
fi
gid_say "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
