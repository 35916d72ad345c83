#!/bin/bash
# test/bench/portable.sh
#		What "make bench-portable" runs: the table "What it costs" of
#		doc/managed-servers.md, calls of both editions of gid side by side.
#
# Both are databases of one throw-away cluster of a private PostgreSQL
# (tools/setup.sh), without JIT.  A figure is the least of ROUNDS rounds, in
# microseconds, less the time of the same query without the call.  The table
# goes to standard output; with BENCH_PUBLISH=yes into the chapter, too.

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../../tools/setup.sh"

ROUNDS=${BENCH_ROUNDS:-30}
PAGE=$GID_ROOT/doc/managed-servers.md

# What is shown, how often it is called in a round, and the call itself; n
# counts the calls.
CALLS='gid_uuid_v7()|500|gid_uuid_v7()
gid_next(seq)|500|gid_next($$s$$)
gid_next_code(seq, …)|100|gid_next_code($$s$$, $$10000$$, $$crockford$$)
gid_uuid_v7_min(time)|500|gid_uuid_v7_min(now() + n * interval $$1 s$$)
gid_extract_v7_time(uuid)|500|gid_extract_v7_time(md5(n::text)::uuid)
gid_encode(uuid, …)|100|gid_encode(md5(n::text)::uuid, $$crockford$$)
gid_typeid(prefix, uuid)|100|gid_typeid($$user$$, md5(n::text)::uuid)
gid_permute(id, key)|10|gid_permute(n, $$\x000102030405060708090a0b0c0d0e0f$$)
gid_inspect(text)|10|(SELECT count(*) FROM gid_inspect(md5(n::text)))
gid_horizon(seq)|50|gid_horizon($$h$$)'

# What each call is compared with.
base() {
	case $1 in
		*md5*) echo 'md5(n::text)::uuid' ;;
		*interval*) echo 'now() + n * interval $$1 s$$' ;;
		*) echo n ;;
	esac
}

# timed DATABASE EXPRESSION COUNT NAME: the least microseconds of an evaluation.
# gid_horizon() is asked once a transaction, because a snapshot has one answer.
timed() {
	local each=''
	[[ $4 != gid_horizon* ]] || each='COMMIT;'
	gid_run "$GID_LOGS/timed" 300 psql -XAtq -v ON_ERROR_STOP=1 -d "$1" -c "DO \$do\$
		DECLARE
			began timestamptz;
			best float8 := 'infinity';
			x text;
		BEGIN
			FOR round IN 0 .. $ROUNDS LOOP
				began := clock_timestamp();
				FOR n IN 1 .. $3 LOOP
					x := ($2)::text; $each
				END LOOP;
				best := least(best, extract(epoch FROM clock_timestamp() - began) * 1e6 / $3);
				COMMIT;
			END LOOP;
			RAISE INFO 'time %', best;
		END \$do\$" || { gid_tail "$GID_LOGS/timed" 5 >&2; gid_die "could not measure $2"; }
	sed -n 's/^INFO:  time //p' "$GID_LOGS/timed"
}

gid_setup bench-portable
gid_build
gid_as perl "$GID_TREE/tools/portable.pl" "$GID_WORK" || gid_die "could not make the edition in SQL"
gid_cluster_start bench "jit = off" "shared_preload_libraries = 'gid'"
for database in c sql; do
	script=(-f "$GID_WORK/install.sql")
	[ $database = sql ] || script=(-c "CREATE EXTENSION gid")
	gid_run "$GID_LOGS/make" 60 psql -XAtq -v ON_ERROR_STOP=1 -d postgres -c "CREATE DATABASE $database" &&
		gid_run "$GID_LOGS/make" 60 psql -XAtq -v ON_ERROR_STOP=1 -d $database "${script[@]}" \
			-c "CREATE SEQUENCE s; CREATE SEQUENCE h" || gid_die "could not install the edition $database"
done

table=$(
	printf '| call, µs | with the library | in SQL |\n|---|---|---|\n'
	while IFS='|' read -r name count call; do
		line="| \`$name\` |"
		for database in c sql; do
			whole=$(timed $database "$call" "$count" "$name") && less=$(timed $database "$(base "$call")" "$count" "$name") || exit 1
			line+=$(awk -v a="$whole" -v b="$less" 'BEGIN { t = a < b ? 0 : a - b; printf t < 9.95 ? " %.1f |" : " %.0f |", t }')
		done
		echo "$line"
	done <<<"$CALLS"
) || gid_die "could not measure"
gid_cluster_stop bench
printf '%s\n' "$table"
if [ "${BENCH_PUBLISH:-no}" = yes ]; then
	TABLE=$table perl -0pi -e 's/(<!-- test\/bench\/portable\.sh -->\n).*?(?=<!-- end -->)/$1$ENV{TABLE}\n/s' "$PAGE" ||
		gid_die "could not put the figures into the manual"
fi
