#!/bin/bash
# demo/demo.sh
#		What "make demo" runs: demo.sql in a throw-away cluster of a private
#		PostgreSQL (tools/setup.sh), over the world's countries and their
#		subdivisions as Debian's package iso-codes has them.

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

gid_say "Starting a server of its own ..."
gid_cluster_start demo \
	"gid.launch_id = 65" \
	"gid.node_no = 7" \
	"shared_buffers = 256MB" \
	"max_wal_size = 4GB" \
	"jit = off" \
	"timezone = 'UTC'"

gid_run - 600 psql -X -q -P pager=off -v ON_ERROR_STOP=1 -d postgres \
	-v json=/usr/share/iso-codes/json -f "$GID_TREE/demo/demo.sql" ||
	{ gid_tail "$GID_WORK/demo.log" 20 >&2; gid_die "the demo failed"; }

gid_cluster_stop demo
gid_say "The server and its files are removed.  All of it took $(gid_since "$began")."
