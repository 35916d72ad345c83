#!/bin/bash
# test/update.sh
#		What "make test-update" runs: the update from gid 2.0 as people do it.
#
# Packages are exchanged before ALTER EXTENSION runs.  So 2.0's own regression tests run
# with 2.0's script and the library of this tree.  What they print is what 2.0 expects, but
# for test/update.diff, which says for each difference why it is there.  Then
# test/t/061_update.pl runs with the libraries of both versions.
#
# Read from the environment: GID_UPDATE_FROM (a directory with the sources of 2.0; default:
# the repository's), and what test/run.sh reads.
#
# The last line is "N passed, N failed"; it counts 2.0's tests, one failure for all
# differences that test/update.diff does not have, and the assertions of 061_update.

set -u -o pipefail
TESTS=tap:061_update
# shellcheck source=test/run.sh
. "$(dirname "$0")/run.sh"

# release: an archive of the sources of 2.0, from the tag or else from the last commit
# whose META.json has this version.
release() {
	local git=(git -c safe.directory='*' -C "$GID_ROOT") commit
	commit=$("${git[@]}" rev-parse -q --verify 'v2.0.0^{commit}') ||
		commit=$("${git[@]}" log -1 --format=%H -S'"version": "2.0.0"' -- META.json)^
	"${git[@]}" archive "$commit"
}

# differences: what 2.0's tests print otherwise, a line each, after the test's name.
# Whether a background worker is back with a block, and how far a block reaches, is chance.
differences() {
	local name
	for name in $(cd "$old/expected" && ls); do
		diff -U 0 "$old/expected/$name" "$old/results/$name" |
			sed -E "/^(---|\+\+\+) |^@@ /d; s/^/${name%.out}: /; /^(authority_draw: [-+]20\|[23]\|[01]|columns: [-+]101\|[tf])$/d"
	done
}

# 2.0's regression tests with its script and the new library.
stage_update() {
	local control
	control=$(gid_as "$GID_PG_CONFIG" --sharedir)/extension/gid.control
	gid_as cp "$control" "$GID_WORK/control"
	gid_as cp "$old/gid.control" "$control"
	gid_cluster_start update "fsync = off"
	# what the tests print is judged below
	gid_run "$GID_LOGS/update-tests.log" 1800 make -C "$old" PG_CONFIG="$GID_PG_CONFIG" ISOLATION= TAP_TESTS= installcheck
	gid_cluster_stop update || fail "the server did not stop"
	gid_as cp "$GID_WORK/control" "$control"
	differences >"$GID_LOGS/update.diff"
	(cd "$old/expected" && ls) >"$GID_LOGS/wanted"
	(cd "$old/results" && ls) >"$GID_LOGS/ran"
	grep -v '^#' "$GID_TREE/test/update.diff" >"$GID_LOGS/explained"
	pass "$(wc -l <"$GID_LOGS/ran")"
	check "the tests of 2.0 ran" update-ran.log diff "$GID_LOGS/wanted" "$GID_LOGS/ran"
	check "test/update.diff explains what they print" update-explained.log diff "$GID_LOGS/explained" "$GID_LOGS/update.diff"
	! grep -E "$CRASH" "$GID_WORK/update.log" || fail "the server crashed"
	[ "$stage_failed" -eq 0 ] || keep "$GID_LOGS/update.diff" "$GID_LOGS/update-tests.log" "$GID_WORK/update.log"
}

began=$(gid_seconds)
gid_setup test
rm -rf "$OUTPUT"
gid_build
old=$GID_WORK/old
gid_as mkdir "$old"
if [ -n "${GID_UPDATE_FROM:-}" ]; then
	tar -C "$GID_UPDATE_FROM" -cf - .
else
	release
fi | gid_as tar -C "$old" --no-same-owner -xf - || gid_die "the sources of 2.0 are not there: set GID_UPDATE_FROM"
gid_run "$GID_LOGS/old.log" 600 make -C "$old" -j2 PG_CONFIG="$GID_PG_CONFIG" with_llvm=no all ||
	{ gid_tail "$GID_LOGS/old.log" >&2; gid_die "2.0 does not compile"; }

run_stage update
export GID_UPDATE_FROM=$old
run_stage tap
summary
