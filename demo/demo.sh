#!/bin/bash
# demo/demo.sh
#		What "make demo" runs: demo.sql in a throw-away cluster of a private
#		PostgreSQL (tools/setup.sh), over the world's countries and their
#		subdivisions as Debian's package iso-codes has them; then crash.sql
#		before and after a crash.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

began=$(gid_seconds)
gid_setup demo
gid_say "Building gid for PostgreSQL $GID_MAJOR in $GID_WORK ..."
if ! gid_install with_llvm=no; then
	gid_tail "$GID_LOGS/install.log" >&2
	gid_tail "$GID_LOGS/install2.log" >&2
	gid_die "the build failed"
fi

# The WAL writer is slow, so that nothing but a flush puts a record on disk: the
# crash at the end is to come before it.
gid_say "Starting a server of its own ..."
gid_cluster_start demo \
	"gid.launch_id = 65" \
	"gid.node_no = 7" \
	"shared_buffers = 256MB" \
	"max_wal_size = 4GB" \
	"jit = off" \
	"wal_writer_delay = 10s" \
	"timezone = 'UTC'"

gid_run - 600 psql -X -q -P pager=off -v ON_ERROR_STOP=1 -d postgres \
	-v json=/usr/share/iso-codes/json -f "$GID_TREE/demo/demo.sql" ||
	{ gid_tail "$GID_WORK/demo.log" 20 >&2; gid_die "the demo failed"; }

# crash [NAME=VALUE...]: crash.sql with psql's variables.
crash() {
	gid_run - 60 env PGDATA="$GID_WORK/demo" psql -X -q -P pager=off -v ON_ERROR_STOP=1 \
		-d postgres "${@/#/--variable=}" -f "$GID_TREE/demo/crash.sql" ||
		{ gid_tail "$GID_WORK/demo.log" 20 >&2; gid_die "the demo failed"; }
}
crash first=1
gid_cluster_restart demo
crash first=0

gid_say 'That was gid; README.md describes the rest.'
gid_say ''
gid_cluster_stop demo
gid_say "The server and its files are removed.  All of it took $(gid_since "$began")."
