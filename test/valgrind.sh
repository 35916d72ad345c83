#!/bin/bash
# test/valgrind.sh
#		What "make test-valgrind" runs: the regression tests on a server that runs
#		under valgrind, in a private copy of PostgreSQL (tools/setup.sh).
#
# Debian's server is not built for valgrind, so it does not know what palloc()
# has handed out; it sees uninitialised values, and reads and writes outside
# what malloc() gave, of libraries, stack and shared memory.  Errors that have
# no line of gid in their stack are the server's own, and only counted.
#
# Takes half an hour.  The tests' output is not judged, because it is that of a
# server thirty times as slow; that the server came to their end is.  TESTS
# selects, as in TESTS="uuid_v7 trace_id".  The last line is "N passed, N
# failed"; it counts regression tests.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

OUTPUT=$GID_ROOT/test/output/valgrind

gid_setup valgrind
gid_build COPT="-g -O1 -fno-omit-frame-pointer"

logs=$GID_LOGS/valgrind
gid_as mkdir "$logs"
cat >"$GID_WORK/postgres" <<END
#!/bin/sh
exec valgrind --quiet --trace-children=yes --track-origins=yes --read-var-info=no \\
	--error-limit=no --num-callers=30 --suppressions=$GID_TREE/test/valgrind.supp \\
	--log-file=$logs/%p "$GID_BIN/postgres" "\$@"
END
chmod 755 "$GID_WORK/postgres"
GID_POSTGRES=$GID_WORK/postgres
gid_cluster_start main "fsync = off" "jit = off" "autovacuum = off" \
	"max_connections = 20" "max_worker_processes = 4"

# judge LOG...: of the errors in valgrind's logs those with a line of gid, shown;
# how many others there are is printed last.
judge() {
	awk '
		function flush() {
			if (text != "" && text ~ /\/gid\.so|\(gid_[a-z0-9_]*\.[ch]:/) { print text; mine++ }
			else if (text != "") other++
			text = ""
		}
		{ sub(/^==[0-9]+== ?/, "") }
		/^$/ { flush(); next }
		{ text = text $0 "\n" }
		END { flush(); print mine + 0, other + 0 }' "$@"
}

passed=0 failed=0 others=0
for test in ${TESTS:-$(cd "$GID_TREE/sql" && ls -- *.sql)}; do
	test=${test%.sql}
	start=$(gid_seconds)
	gid_run "$GID_LOGS/$test.log" 1200 make -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" \
		"REGRESS=$test" ISOLATION= TAP_TESTS= installcheck
	errors=$(find "$logs" -type f -exec cat {} + | judge)
	read -r mine other <<<"${errors##*$'\n'}"
	others=$((others + other))
	if [ "$mine" -gt 0 ] || ! gid_as psql -qAtX -d postgres -c 'SELECT 1' >/dev/null ||
		grep -qE '^TRAP:|was terminated by signal' "$GID_WORK/main.log"; then
		failed=$((failed + 1))
		gid_say "  $test: $mine errors ($(gid_since "$start"))"
		printf '%s\n' "$errors" | head -n 60 | sed 's/^/    | /'
		mkdir -p "$OUTPUT" && printf '%s\n' "$errors" >"$OUTPUT/$test"
	else
		passed=$((passed + 1))
		gid_say "  $test: no error ($(gid_since "$start"))"
	fi
	gid_as find "$logs" -type f -exec truncate -s 0 {} +
done
gid_cluster_stop main
gid_say "$others errors of the server's own"
gid_say "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
