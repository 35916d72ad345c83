#!/bin/bash
# test/valgrind.sh
#		What "make test-valgrind" runs: the regression tests on a server that
#		runs under valgrind, in a private copy of PostgreSQL (tools/setup.sh).
#
# Debian's server does not tell valgrind what palloc() has handed out.  So
# valgrind sees uninitialised values, and reads and writes outside what
# malloc() gave, of libraries, stack and shared memory.  Errors that have no
# line of gid in their stack are the server's own.  The tests' output is not
# judged, because it is that of a server thirty times as slow.
#
# TESTS selects, as in TESTS="uuid_v7 trace_id".  The last line is "N passed,
# N failed"; it counts regression tests.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/checks.sh
. "$GID_ROOT/test/lib/checks.sh"

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

# errors LOG...: those of valgrind's errors that have a line of gid.
errors() {
	sed -E 's/^==[0-9]+== ?//' "$@" | awk -v RS= '/\/gid\.so|\(gid_[a-z0-9_]*\.[ch]:/ { print $0 "\n" }'
}

# regress NAME: true if the test ran, gid makes no error and the server lives.
regress() {
	gid_as find "$logs" -type f -exec truncate -s 0 {} +
	gid_run "$GID_LOGS/regress.log" 1200 make -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" \
		"REGRESS=$1" ISOLATION= TAP_TESTS= installcheck
	errors "$logs"/* | tee "$GID_LOGS/errors"
	[ -s "$GID_TREE/results/$1.out" ] && [ ! -s "$GID_LOGS/errors" ] && gid_as psql -qAtX -d postgres -c 'SELECT 1' &&
		! grep -E '^TRAP:|was terminated by signal' "$GID_WORK/main.log"
}

for test in ${TESTS:-$(cd "$GID_TREE/sql" && ls -- *.sql)}; do
	checked "$test" "$GID_LOGS/$test.log" regress "${test%.sql}"
done
gid_cluster_stop main
finish
