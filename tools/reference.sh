#!/bin/bash
# tools/reference.sh
#		What "make reference" runs: writes doc/reference.md from the comments of
#		the SQL scripts and the settings, in a throw-away cluster of a private
#		PostgreSQL (tools/setup.sh).

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

gid_setup reference
gid_build
gid_cluster_start reference
gid_run "$GID_LOGS/reference.md" 60 psql -XAtq -v ON_ERROR_STOP=1 -d postgres \
	-c "CREATE EXTENSION gid" -c "LOAD 'gid'" -f "$GID_TREE/tools/reference.sql" \
	-c "SELECT line FROM reference ORDER BY n" ||
	{ gid_tail "$GID_LOGS/reference.md" 10 >&2; gid_die "could not make the reference"; }
cat "$GID_LOGS/reference.md" >"$GID_ROOT/doc/reference.md" || gid_die "could not write doc/reference.md"
chown --reference="$GID_ROOT" "$GID_ROOT/doc/reference.md" 2>/dev/null
gid_cluster_stop reference
gid_say "Written: doc/reference.md"
