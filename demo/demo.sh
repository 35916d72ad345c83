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
gid_build

# The WAL writer waits long, so that before the crash at the end only a flush writes
# a record to disk.
gid_say "Starting a server of its own ..."
gid_cluster_start demo \
	"gid.launch_id = 65" \
	"gid.node_no = 7" \
	"gid.authority = 1" \
	"shared_buffers = 256MB" \
	"max_wal_size = 4GB" \
	"jit = off" \
	"wal_writer_delay = 10s" \
	"timezone = 'UTC'"

# show SCRIPT NAME=VALUE...: with psql's variables.
show() {
	gid_run - 600 env PGDATA="$GID_WORK/demo" psql -X -q -P pager=off -v ON_ERROR_STOP=1 \
		-d postgres "${@:2}" -f "$GID_TREE/demo/$1" ||
		{ gid_tail "$GID_WORK/demo.log" 20 >&2; gid_die "the demo failed"; }
}
show demo.sql -v json=/usr/share/iso-codes/json
show crash.sql -v first=1
gid_cluster_restart demo
show crash.sql -v first=0

gid_say 'This was gid.  README.md describes the rest.'
gid_say ''
gid_cluster_stop demo
gid_say "The server and its files are removed.  All of it took $(gid_since "$began")."
