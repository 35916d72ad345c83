#!/bin/bash
# tools/vectors.sh
#		What "make vectors" runs: writes the files of doc/vectors that gid makes
#		itself (tools/vectors.sql), in a throw-away cluster of a private PostgreSQL
#		(tools/setup.sh).

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../tools/setup.sh"

gid_setup vectors
gid_build
gid_cluster_start vectors
gid_run "$GID_LOGS/vectors" 60 psql -XAtq -F ' ' -v ON_ERROR_STOP=1 -d postgres \
	-c "CREATE EXTENSION gid" -f "$GID_TREE/tools/vectors.sql" \
	-c "SELECT file, line FROM made ORDER BY file, n" ||
	{ gid_tail "$GID_LOGS/vectors" 10 >&2; gid_die "could not make the vectors"; }
for name in $(cut -d ' ' -f 1 "$GID_LOGS/vectors" | sort -u); do
	file=$GID_ROOT/doc/vectors/$name.json
	sed -n "s/^$name //p" "$GID_LOGS/vectors" | sed '1s/^/[\n/; $!s/$/,/; $s/$/\n]/' >"$file" ||
		gid_die "could not write $file"
	chown --reference="$GID_ROOT" "$file" 2>/dev/null
	gid_say "Written: doc/vectors/$name.json"
done
gid_cluster_stop vectors
