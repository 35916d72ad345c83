#!/bin/bash
# test/applications/run.sh
#		What "make test-applications" runs: applications that know nothing of gid, with
#		gid.serve_nextval off, on, and off again, and at last on a server without gid.
#
# Each is here because it finds what the others do not:
#
#	mediawiki	takes the id of each row from lastval(): a value of another table would
#				lose a page without an error
#	tryton		creates, calls setval() and creates again in one transaction; reads
#				last_value; makes, alters and drops sequences; writes its defaults again
#				when its modules are updated.  Its own tests run here, too
#	redmine		Rails: prepared statements, savepoints, defaults in inserts of many rows
#
# The programs are Debian's.  The applications are unpacked into the work directory
# (tools/setup.sh) and not installed, because their packages start services and ask
# for databases.  What they need of Debian's libraries is installed.
#
# A file "NAME.sh" or "NAME.py" beside this one is an application.  It takes
#
#	install		into the empty database NAME, as its owner "app"
#	update		writes the application's schema again, as its next version would
#	own			its own tests, where the package has some; prints results and rows
#	round N		operations, each time with new names; prints what a user would see,
#				without N and without keys.  N is 0 to 4
#
# Read from the environment: GID_APPLICATIONS (names; default: all), and what
# tools/setup.sh reads.  The logs of a run that failed are in test/output/applications.
# The last line is "N passed, N failed".

set -u -o pipefail
# shellcheck source=tools/setup.sh
. "$(dirname "$0")/../../tools/setup.sh"
# shellcheck source=test/lib/checks.sh
. "$GID_ROOT/test/lib/checks.sh"

OUTPUT=$GID_ROOT/test/output/applications
APPLICATIONS=${GID_APPLICATIONS:-mediawiki tryton redmine}
HERE=test/applications		# in the tree

# ---- packages ----

# The packages of an application to unpack, and a pattern of those dependencies that
# are libraries.
declare -A UNPACKED=(
	[mediawiki]="mediawiki mediawiki-classes"
	[tryton]="tryton-server tryton-proteus $(printf 'tryton-modules-%s ' party country currency \
		company product account account-product account-invoice account-invoice-stock stock \
		purchase sale)"
	[redmine]="redmine"
)
declare -A LIBRARIES=(
	[mediawiki]='php-\(intl\|json\|mbstring\|xml\)'
	[tryton]='python3-[^ ]*'
	[redmine]='ruby-[^ ]*'
)
declare -A ALSO=(
	[mediawiki]="php-cli php-pgsql"
	[tryton]="python3-psycopg2"
	[redmine]="ruby ruby-pg"
)

# get APPLICATION: its packages; status 1 where this release does not have them.
get() {
	local log=$GID_WORK/apt.log package
	local -a missing=()
	for package in ${UNPACKED[$1]} ${ALSO[$1]}; do
		gid_known "$package" || return
	done
	# shellcheck disable=SC2086
	for package in ${ALSO[$1]} $(apt-cache depends ${UNPACKED[$1]} |
			sed -n "s/^ *Depends: \(${LIBRARIES[$1]}\)\$/\1/p" | sort -u); do
		dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep ' installed' >/dev/null ||
			missing+=("$package")
	done
	if [ ${#missing[@]} -gt 0 ]; then
		gid_become_root || gid_die "missing packages; as root: apt-get install ${missing[*]}"
		gid_say "Installing ${missing[*]} ..."
		gid_apt "$log" install --no-install-recommends --no-upgrade "${missing[@]}" ||
			{ gid_tail "$log" >&2; gid_die "could not install ${missing[*]}"; }
	fi
	# shellcheck disable=SC2086
	(cd "$GID_WORK/t" && apt-get -q -o Acquire::http::Timeout=10 download ${UNPACKED[$1]} &&
		for package in *.deb; do
			dpkg -x "$package" "$GID_WORK/unpacked" && rm "$package" || exit
		done) </dev/null >>"$log" 2>&1 ||
		{ gid_tail "$log" >&2; gid_die "could not get ${UNPACKED[$1]}"; }
}

# ---- checks ----

# check NAME COMMAND...: counts whether the command succeeds.
check() {
	local name=$1
	shift
	checked "$name" "$GID_LOGS/check.log" "$@"
}

# query DATABASE SQL: the rows, of a new session of the role "app".
query() {
	gid_as psql -X -At -v ON_ERROR_STOP=1 -U app -d "$1" -c "$2"
}

# admin DATABASE SQL...: as the superuser.
admin() {
	local database=$1 sql
	shift
	for sql in "$@"; do
		gid_as psql -X -q -v ON_ERROR_STOP=1 -d "$database" -c "$sql" || return
	done
}

# same FILE FILE: shows how two files differ, if they do, or if the first is empty.
same() {
	[ -s "$1" ] || return
	diff -U 0 "$1" "$2" >"$GID_WORK/diff" || { gid_tail "$GID_WORK/diff"; return 1; }
}

# The application's tables and sequences: no member of an extension.
OWN="FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE n.nspname !~ '^(pg_|information_schema)' AND c.relpersistence = 'p'
	AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')"

# schema DATABASE: what a dump has of the application.
schema() {
	gid_as pg_dump --schema-only --extension=plpgsql -d "$1" | grep -v '^\\\(un\)\?restrict '
}

# rows DATABASE: the number of rows of each table.
rows() {
	gid_as psql -X -At -F ' ' -d "$1" <<END
SELECT format('SELECT %L, count(*) FROM %s', c.oid::regclass, c.oid::regclass) $OWN AND c.relkind = 'r'
ORDER BY c.oid::regclass::text \gexec
END
}

# added FILE FILE: by how many rows each table has grown.
added() {
	awk 'NR == FNR { before[$1] = $2; next } $2 != before[$1] { print $1, $2 - before[$1] }' "$1" "$2"
}

# drawn DATABASE: where the application's sequences stand.
drawn() {
	gid_as psql -X -At -F ' ' -d "$1" <<END
SELECT format('SELECT %L, last_value, is_called FROM %s', c.oid::regclass, c.oid::regclass) $OWN AND c.relkind = 'S'
ORDER BY c.oid::regclass::text \gexec
END
}

# blocks DATABASE: the sequences that gid has drawn from, and how often it has reserved.
blocks() {
	query "$1" "SELECT sequence, reservations FROM gid.stat_sequences ORDER BY sequence::text"
}

# run APPLICATION LOG ARGUMENT...: the application's file, as the unprivileged user.
# Output goes to $GID_LOGS/LOG.out.
run() {
	local app=$1 log=$GID_LOGS/$2 file=$GID_TREE/$HERE/$1
	shift 2
	local -a program=(bash "$file.sh")
	[ ! -e "$file.py" ] || program=(/usr/bin/python3 "$file.py")
	# shellcheck disable=SC2016
	gid_run "$log.err" 1800 env GID_WORK="$GID_WORK" GID_UNPACKED="$GID_WORK/unpacked" PGUSER=app \
		PYTHONDONTWRITEBYTECODE=1 \
		sh -c 'out=$1; shift; exec "$@" >"$out"' - "$log.out" "${program[@]}" "$@" ||
		{ gid_tail "$log.err"; gid_tail "$log.out" 10; return 1; }
}

# is_served APPLICATION: gid.columns names each sequence of the application as served.
is_served() {
	[ "$(query "$1" "SELECT count(*) > 0 AND bool_and(served) FROM gid.columns AS s WHERE sequence IN (SELECT c.oid $OWN AND c.relkind = 'S')")" = t ]
}

# serves APPLICATION LOG: gid has drawn for each sequence that the round has moved.
serves() {
	awk 'NR == FNR { before[$1] = $2 " " $3; next } ($2 " " $3) != before[$1] { print $1 }' \
		"$GID_LOGS/$2.before" "$GID_LOGS/$2.after" | sort >"$GID_WORK/moved"
	blocks "$1" | cut -d '|' -f 1 | sort >"$GID_WORK/served"
	[ -s "$GID_WORK/moved" ] || return
	comm -23 "$GID_WORK/moved" "$GID_WORK/served" >"$GID_WORK/missed"
	[ ! -s "$GID_WORK/missed" ] || { gid_tail "$GID_WORK/missed"; return 1; }
}

# one_round APPLICATION NUMBER WHAT: a round, and the same things as in round 1.
one_round() {
	local app=$1 number=$2 what="$1, $3" log=$1-round$2
	rows "$app" >"$GID_LOGS/$log.rows1"
	drawn "$app" >"$GID_LOGS/$log.before"
	check "$what: a round of operations" run "$app" "$log" round "$number" || return
	rows "$app" >"$GID_LOGS/$log.rows2"
	drawn "$app" >"$GID_LOGS/$log.after"
	added "$GID_LOGS/$log.rows1" "$GID_LOGS/$log.rows2" >"$GID_LOGS/$log.rows"
	if [ "$number" -eq 1 ]; then
		check "$what: it adds rows and shows something" \
			test -s "$GID_LOGS/$log.rows" -a -s "$GID_LOGS/$log.out"
		return
	fi
	check "$what: the same results" same "$GID_LOGS/$app-round1.out" "$GID_LOGS/$log.out"
	check "$what: the same number of rows in each table" \
		same "$GID_LOGS/$app-round1.rows" "$GID_LOGS/$log.rows"
}

# same_schema APPLICATION WHAT
same_schema() {
	schema "$1" >"$GID_LOGS/$1.now"
	check "$1, $2: the same schema" same "$GID_LOGS/$1.schema" "$GID_LOGS/$1.now"
}

# own_tests APPLICATION NUMBER WHAT: the application's own tests, which Tryton alone has.
own_tests() {
	[ "$1" = tryton ] || return 0
	check "$1, $3: its own tests" run "$1" "$1-own$2" own || return
	[ "$2" -eq 1 ] || check "$1, $3: the same results and rows in its own tests" \
		same "$GID_LOGS/$1-own1.out" "$GID_LOGS/$1-own$2.out"
}

# with_gid APPLICATION: on the server that preloads gid; makes a dump with the setting on.
with_gid() {
	local app=$1
	gid_as createdb -O app "$app" || return
	check "$app, off: the installation" run "$app" "$app-install" install || return
	check "$app, off: an update" run "$app" "$app-update1" update || return
	# with what an application writes only once
	check "$app, off: the first round" run "$app" "$app-round0" round 0 || return
	schema "$app" >"$GID_LOGS/$app.schema"
	check "$app: the extension" admin "$app" "CREATE EXTENSION gid" || return

	one_round "$app" 1 off || return
	own_tests "$app" 1 off
	check "$app, off: gid has no blocks" test -z "$(blocks "$app")"

	admin "$app" "ALTER DATABASE $app SET gid.serve_nextval = on"
	check "$app, on: all sequences are served" is_served "$app"
	one_round "$app" 2 on || return
	check "$app, on: gid served each sequence that moved" serves "$app" "$app-round2"
	own_tests "$app" 2 on
	check "$app, on: an update" run "$app" "$app-update2" update
	same_schema "$app" on
	check "$app, on: a dump" gid_run "$GID_LOGS/$app-dump.err" 600 \
		pg_dump -U app -Fc --extension=plpgsql -f "$GID_WORK/$app.dump" "$app"

	admin "$app" "ALTER DATABASE $app RESET gid.serve_nextval"
	blocks "$app" >"$GID_LOGS/$app.blocks"
	one_round "$app" 3 "off again" || return
	blocks "$app" >"$GID_LOGS/$app.blocks2"
	check "$app, off again: gid reserved nothing" same "$GID_LOGS/$app.blocks" "$GID_LOGS/$app.blocks2"
}

# without_gid APPLICATION: on a server that does not have gid.
without_gid() {
	local app=$1
	[ -e "$GID_WORK/$app.dump" ] || return
	gid_as createdb -O app "$app"
	check "$app, without gid: the restore" gid_run "$GID_LOGS/$app-restore.err" 600 \
		pg_restore -U app --exit-on-error -d "$app" "$GID_WORK/$app.dump" ||
		{ gid_tail "$GID_LOGS/$app-restore.err"; return; }
	same_schema "$app" "without gid"
	one_round "$app" 4 "without gid"
}

# ---- the run ----

gid_setup applications
gid_known postgresql-common || gid_apt "$GID_WORK/apt.log" update || :
mkdir -p "$GID_WORK/unpacked"
applications=()
for app in $APPLICATIONS; do
	[ -n "${UNPACKED[$app]:-}" ] || gid_die "no such application: \"$app\""
	if get "$app"; then
		applications+=("$app")
	else
		gid_say "This release has no packages of $app, which is skipped."
	fi
done
[ ${#applications[@]} -gt 0 ] || gid_die "no application can be had"
[ "$(id -u)" -ne 0 ] || chown -R "$GID_USER" "$GID_WORK/unpacked"
gid_build

gid_cluster_start main "shared_preload_libraries = 'gid'" "fsync = off" "max_locks_per_transaction = 256"
gid_as createuser --createdb app
for app in "${applications[@]}"; do
	with_gid "$app"
done
gid_cluster_stop main

gid_run "$GID_LOGS/uninstall.log" 60 make -C "$GID_TREE" PG_CONFIG="$GID_PG_CONFIG" with_llvm=no uninstall ||
	gid_die "could not uninstall gid"
gid_cluster_start without "fsync = off" "max_locks_per_transaction = 256"
gid_as createuser --createdb app
check "the server has no gid" test -z "$(query postgres "SELECT name FROM pg_available_extensions WHERE name = 'gid'")"
for app in "${applications[@]}"; do
	without_gid "$app"
done

if [ "$failed" -gt 0 ]; then
	mkdir -p "$OUTPUT" && cp -R "$GID_LOGS"/. "$GID_WORK"/*.log "$OUTPUT/"
	chown -R --reference="$GID_ROOT" "$OUTPUT" 2>/dev/null
	gid_say "Logs: $OUTPUT"
fi
finish
