#!/bin/bash
# test/assert.sh
#		What "make test-assert" runs: the tests of "make test" against a server
#		that was built with assertions (test/lib/server.sh).
#
# Debian's server is built without assertions, so it does not notice most
# violations of its internal rules: a lock that is not held, a buffer that stays
# pinned, a wrong critical section, a use of freed memory.  This script builds
# PostgreSQL with --enable-cassert, and gid against that server.
#
# GID_ASSERT_OWN=1 is for a version whose sources cannot be had: Debian's server, and
# gid with its own assertions and those of the server's headers.
#
# Read from the environment: GID_ASSERT_OWN, GID_ASSERT_CACHE (a directory that keeps the server
# for the next run; remove its postgresql-N to build the server again), TESTS
# (default "regress isolation tap"), and what test/lib/server.sh reads.
#
# The last line is that of test/run.sh, "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/server.sh
. "$GID_ROOT/test/lib/server.sh"

server_cache=${GID_ASSERT_CACHE:-}
TESTS="assertions ${TESTS:-regress isolation tap}"
if [ -n "${GID_ASSERT_OWN:-}" ]; then
	export TESTS GID_COPT=-DUSE_ASSERT_CHECKING=1
	exec bash "$GID_ROOT/test/run.sh"
fi
server_test --enable-cassert --enable-debug
exit
