#!/bin/bash
# test/source.sh
#		What "make test-source" runs: the tests of "make test" against a server that
#		is built from the sources in GID_SOURCE (test/lib/server.sh), for versions
#		and variants of PostgreSQL that Debian does not have.
#
# Read from the environment: TESTS (default: all), and what test/lib/server.sh reads.
#
# The last line is that of test/run.sh, "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"
# shellcheck source=test/lib/server.sh
. "$GID_ROOT/test/lib/server.sh"

[ -n "${GID_SOURCE:-}" ] || gid_die "GID_SOURCE=DIRECTORY names PostgreSQL's sources"
server_test
exit
