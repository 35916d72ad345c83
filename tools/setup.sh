# tools/setup.sh
#		Packages, a private PostgreSQL and throw-away clusters, for the scripts
#		behind "make test", "make demo", "make bench" and others.  To be sourced
#		by bash.
#
#	. "$(dirname "$0")/../tools/setup.sh"
#	gid_setup test			# what is missing is installed; work directory, copies
#	gid_install				# the extension is built and installed privately
#	gid_cluster_start main "gid.launch_id = 65"
#	gid_as psql -d postgres -c "CREATE EXTENSION gid"
#
# Invariants:
# 1. No server, cluster or installation of the machine is touched.  Debian's
#    PostgreSQL is relocatable: a copy below the work directory finds its own
#    paths, so "make install" goes there and needs no root.  Clusters listen on
#    a socket in the work directory and nowhere else.
# 2. When every package is there, apt is not run and root is not needed.
# 3. At exit, also by a signal, every process started below the work directory
#    is ended and the directory removed (GID_KEEP=1 keeps it).
#
# Read from the environment: PG_MAJOR (default: the version of PG_CONFIG if that is
# one of Debian's, else the highest installed postgresql-server-dev, else the
# distribution's own), TMPDIR, GID_KEEP, GID_PATIENCE
# (factor of all time limits, for a slow machine), TESTS; from the caller
# GID_POSTGRES (program to start as the server) and GID_SERVER (prefix of an
# installation of version PG_MAJOR to copy in place of Debian's).
# Set for the caller: GID_ROOT (the clone), GID_WORK, GID_TREE (the copy that is
# built), GID_LOGS, GID_MAJOR, GID_PG_CONFIG, GID_USER, PGHOST, PGPORT, PGUSER.

GID_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P) || exit 1
GID_NO_MAIN=/etc/postgresql-common/createcluster.d/zz-gid-no-main-cluster.conf
gid_child=				# process group that gid_run waits for
gid_no_main=			# what gid_no_main_cluster has to take back
gid_sudo=()				# before a command that needs root
gid_user_command=()		# before a command that root must not run

# The version of a Debian installation that PG_CONFIG names.
if [ -z "${PG_MAJOR:-}" ] && [ -n "${PG_CONFIG:-}" ]; then
	case $("$PG_CONFIG" --bindir 2>/dev/null) in
		/usr/lib/postgresql/*)
			PG_MAJOR=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/') ;;
	esac
fi

# Whatever the caller's session says about other servers or an outer make does
# not reach what is run here.
for gid_var in $(compgen -v PG); do
	case $gid_var in
		PG_MAJOR | PG_TEST_*) ;;
		*) unset "$gid_var" ;;
	esac
done
unset gid_var MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CDPATH
export LC_ALL=C.UTF-8

gid_say() { printf '%s\n' "$*"; }

gid_die() {
	printf 'gid: %s\n' "$*" >&2
	exit 1
}

# gid_seconds: a clock for time differences, with tenths.
gid_seconds() { printf '%s' "${EPOCHREALTIME/,/.}"; }

# gid_since START: the seconds since START, as "12.3 s".
gid_since() { awk -v a="$1" -v b="$(gid_seconds)" 'BEGIN { printf "%.1f s", b - a }'; }

# gid_as COMMAND...: runs it as the unprivileged user.
gid_as() {
	"${gid_user_command[@]}" env HOME="$GID_WORK" TMPDIR="$GID_WORK/t" \
		PATH="$GID_BIN:$PATH" "$@"
}

# gid_run LOG LIMIT COMMAND...: the command as the unprivileged user, its output
# in the file LOG ("-": shown), ended after LIMIT seconds, times GID_PATIENCE
# (status 124).  It gets a process group of its own, so that a signal to this script can end all of it.
gid_run() {
	local log=$1 rc
	local -a limited=(timeout -k 10 $(($2 * ${GID_PATIENCE:-1})) "${gid_user_command[@]}" env
		HOME="$GID_WORK" TMPDIR="$GID_WORK/t" PATH="$GID_BIN:$PATH")
	shift 2
	set -m
	if [ "$log" = - ]; then
		"${limited[@]}" "$@" </dev/null &
	else
		"${limited[@]}" "$@" </dev/null >"$log" 2>&1 &
	fi
	gid_child=$!
	set +m
	wait "$gid_child"
	rc=$?
	gid_child=
	if [ $rc -eq 124 ] && [ "$log" = - ]; then
		echo "gid: ended by its time limit" >&2
	elif [ $rc -eq 124 ]; then
		echo "gid: ended by its time limit" >>"$log"
	fi
	return $rc
}

# gid_tail LOG [LINES]: the end of a log, indented.
gid_tail() {
	[ -s "$1" ] || return 0
	tail -n "${2:-40}" "$1" | sed 's/^/    | /'
}

# The processes whose current directory lies below the work directory: the
# servers (theirs is the data directory) and what builds or tests there.
gid_own_processes() {
	local link dir pid
	for link in /proc/[0-9]*/cwd; do
		dir=$(readlink "$link" 2>/dev/null) || continue
		pid=${link#/proc/}
		pid=${pid%/cwd}
		case "$dir/" in
			"$GID_WORK"/*) [ "$pid" = $$ ] || echo "$pid" ;;
		esac
	done
}

# gid_end_processes: ends them.  The caller's current directory is another.
gid_end_processes() {
	local pid pids tries
	for pid in $(find "$GID_WORK" -maxdepth 6 -name postmaster.pid \
			-exec head -qn 1 {} + 2>/dev/null); do
		case "$(readlink "/proc/$pid/cwd" 2>/dev/null)/" in
			"$GID_WORK"/*)
				kill -QUIT "$pid" 2>/dev/null
				kill -CONT "$pid" 2>/dev/null ;;
		esac
	done
	for tries in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		pids=$(gid_own_processes)
		[ -n "$pids" ] || break
		sleep 0.2
	done
	for pid in $pids; do
		kill -KILL "$pid" 2>/dev/null
	done
}

gid_cleanup() {
	local rc=$?
	trap '' INT TERM HUP
	trap - EXIT
	cd / || :
	[ -z "$gid_child" ] || kill -TERM -- "-$gid_child" 2>/dev/null
	gid_main_cluster_again
	if [ -n "${GID_WORK:-}" ] && [ -d "$GID_WORK" ]; then
		gid_end_processes
		if [ -n "${GID_KEEP:-}" ]; then
			echo "kept: $GID_WORK" >&2
		else
			rm -rf "$GID_WORK" 2>/dev/null || { sleep 1; rm -rf "$GID_WORK"; }
		fi
	fi
	exit "$rc"
}

# ---- packages ----

# gid_major: which major version to work with.
gid_major() {
	local mk
	if [ -n "${PG_MAJOR:-}" ]; then
		echo "$PG_MAJOR"
		return
	fi
	mk=$(ls -v /usr/lib/postgresql/*/lib/pgxs/src/makefiles/pgxs.mk 2>/dev/null | tail -n 1)
	if [ -n "$mk" ]; then
		mk=${mk#/usr/lib/postgresql/}
		echo "${mk%%/*}"
		return
	fi
	gid_default_major
}

# gid_default_major: the version that the package "postgresql" stands for.
gid_default_major() {
	apt-cache depends postgresql 2>/dev/null |
		sed -n 's/^ *Depends: postgresql-\([0-9][0-9]*\)$/\1/p' | head -n 1
}

# gid_selected STAGE: TESTS selects this stage of "make test", or tests of it.
gid_selected() {
	[ -z "${TESTS:-}" ] || case " $TESTS " in
		*" $1 "* | *" $1:"*) ;;
		*) return 1 ;;
	esac
}

# gid_want PACKAGE COMMAND...: prints the package, unless the command finds what it brings.
gid_want() { "${@:2}" >/dev/null 2>&1 || echo "$1"; }

# gid_missing TASK: the packages that TASK needs and that are not there, told
# by what they bring, so that it asks no package manager.
gid_missing() {
	local task=$1 name lib=/usr/lib/postgresql/$GID_MAJOR
	local inc=/usr/include/postgresql/$GID_MAJOR/server

	if [ "$task" != source ] && [ -z "${GID_SERVER:-}" ]; then
		gid_want "postgresql-$GID_MAJOR" test -x "$lib/bin/initdb"
		gid_want "postgresql-server-dev-$GID_MAJOR" \
			test -f "$lib/lib/pgxs/src/makefiles/pgxs.mk" -a -f "$inc/postgres.h"
	fi
	command -v gcc >/dev/null && command -v make >/dev/null &&
		[ -f /usr/include/stdio.h ] || echo build-essential
	case $task in
		test)
			! gid_selected tap && ! gid_selected others || {
				gid_want libipc-run-perl perl -MIPC::Run -e 1
				gid_want faketime compgen -G '/usr/lib/*/faketime/libfaketime.so.1'
			}
			gid_want perl command -v prove
			! gid_selected randomness || {
				gid_want ent command -v ent
				gid_want dieharder command -v dieharder
			}
			! gid_selected model || gid_want spin command -v spin ;;
		source)
			gid_want libipc-run-perl perl -MIPC::Run -e 1
			gid_want perl command -v prove
			gid_want bison command -v bison
			gid_want flex command -v flex
			gid_want bzip2 command -v bzip2
			gid_want libssl-dev test -f /usr/include/openssl/ssl.h
			gid_want musl-tools command -v musl-gcc
			gid_want zlib1g-dev test -f /usr/include/zlib.h ;;
		valgrind)
			gid_want valgrind command -v valgrind ;;
		bench)
			gid_want python3 command -v python3
			gid_want valgrind command -v valgrind ;;
		deb)
			gid_want debhelper command -v dh
			# it has debhelper's way to build for several versions
			gid_want postgresql-server-dev-all \
				test -f /usr/share/perl5/Debian/Debhelper/Sequence/pgxs_loop.pm ;;
		image)
			gid_want umoci command -v umoci ;;
		patroni)
			for name in psycopg2 psutil yaml dateutil urllib3 dns etcd; do
				gid_want "python3-${name/#dns/dnspython}" test -d "/usr/lib/python3/dist-packages/$name"
			done ;;
		demo)
			gid_want iso-codes test -f /usr/share/iso-codes/json/iso_3166-2.json ;;
	esac
}

# gid_missing_optional: what "make test" can do without: not every release has
# pg-bsd-indent, and not every major version PL/Proxy, pg_partman and TimescaleDB.
# GID_UPGRADE_FROM names versions to upgrade from.
gid_missing_optional() {
	local name version extensions=/usr/share/postgresql/$GID_MAJOR/extension
	local python=/usr/lib/python3/dist-packages
	! gid_selected static || gid_want pg-bsd-indent command -v pg_bsd_indent
	if gid_selected others; then
		for name in plproxy pg_partman timescaledb; do
			[ -n "${GID_SERVER:-}" ] ||
				gid_want "postgresql-$GID_MAJOR-${name#pg_}" test -f "$extensions/$name.control"
		done
		for version in ${GID_UPGRADE_FROM:-}; do
			gid_want "postgresql-$version" test -x "/usr/lib/postgresql/$version/bin/postgres"
			gid_want "postgresql-server-dev-$version" \
				test -f "/usr/include/postgresql/$version/server/postgres.h"
		done
	fi
	if gid_selected clients || gid_selected frameworks; then
		gid_want python3-psycopg test -d $python/psycopg
		gid_want python3-psycopg2 test -d $python/psycopg2
	fi
	! gid_selected clients || gid_want nodejs command -v node
	! gid_selected npm || gid_want npm command -v npm
	if gid_selected frameworks; then
		for name in django sqlalchemy alembic; do
			gid_want "python3-$name" test -d "$python/$name"
		done
		gid_want default-jdk-headless command -v javac
		gid_want chromium command -v chromium
		gid_want chromium-driver command -v chromedriver
		gid_want libpostgresql-jdbc-java test -e /usr/share/java/postgresql.jar
	fi
}

gid_become_root() {
	gid_sudo=()
	[ "$(id -u)" -ne 0 ] || return 0
	command -v sudo >/dev/null && sudo -v 2>/dev/null || return 1
	gid_sudo=(sudo)
}

# gid_apt LOG ARG...: apt-get without questions.
gid_apt() {
	local log=$1
	shift
	"${gid_sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1
}

# gid_known PACKAGE: the package lists have it.  (No grep -q: it may end before
# apt-cache does, and pipefail would take that for a no.)
gid_known() {
	apt-cache policy "$1" 2>/dev/null | grep 'Candidate: [^(]' >/dev/null
}

# gid_optional_packages: installs those that are missing, as far as that goes.
gid_optional_packages() {
	local log=$GID_WORK/apt.log package wanted unpacked=
	wanted=$(gid_missing_optional)
	! gid_selected frameworks || unpacked=$(gid_want pgbouncer test -x /usr/sbin/pgbouncer)
	! gid_selected others ||
		unpacked+=" $(gid_want prometheus-postgres-exporter command -v prometheus-postgres-exporter)"
	[ -n "$wanted${unpacked// /}" ] && command -v apt-get >/dev/null || return
	if [ "$(id -u)" -ne 0 ]; then
		if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
			gid_sudo=(sudo)
		else
			wanted=
		fi
	fi
	gid_known "postgresql-$GID_MAJOR" || gid_apt "$log" update || :
	for package in $wanted; do
		gid_known "$package" || continue
		gid_say "Installing $package ..."
		gid_no_main_cluster "$package"
		gid_apt "$log" install --no-install-recommends --no-upgrade "$package" ||
			gid_say "Could not install $package."
		gid_main_cluster_again
	done
	for package in $unpacked; do
		! gid_known "$package" || gid_unpack "$package" || gid_say "Could not unpack $package."
	done
}

# gid_unpack PACKAGE: its files below $GID_WORK/unpacked.  This is for a package that
# starts a service when it is installed.  The libraries that it needs are installed;
# the rest needs no root.
gid_unpack() {
	local package=$1 log=$GID_WORK/apt.log library
	for library in $(apt-cache depends "$package" | sed -n 's/^ *Depends: \(lib[^ ]*\)$/\1/p'); do
		dpkg -s "$library" >/dev/null 2>&1 ||
			gid_apt "$log" install --no-install-recommends --no-upgrade "$library" || return
	done
	(cd "$GID_WORK/t" && apt-get -q -o Acquire::http::Timeout=10 download "$package" &&
		dpkg -x "$package"_*.deb "$GID_WORK/unpacked") </dev/null >>"$log" 2>&1
}

# gid_packages TASK: sets GID_MAJOR and installs what TASK misses.
gid_packages() {
	local task=$1 log=$GID_WORK/apt.log updated='' missing package

	GID_MAJOR=$(gid_major)
	if [ -z "$GID_MAJOR" ]; then
		command -v apt-get >/dev/null ||
			gid_die "this needs Debian or Ubuntu, or PostgreSQL's packages in /usr/lib/postgresql"
		gid_become_root ||
			gid_die "PostgreSQL is missing; run as root once, or: apt-get install postgresql postgresql-server-dev-all build-essential"
		gid_say "Reading the package lists ..."
		gid_apt "$log" update || :
		updated=1
		GID_MAJOR=$(gid_default_major)
		[ -n "$GID_MAJOR" ] ||
			{ gid_tail "$log" >&2; gid_die "no package \"postgresql\" was found"; }
	fi
	case $GID_MAJOR in
		*[!0-9]* | '') gid_die "PG_MAJOR must be a number: \"$GID_MAJOR\"" ;;
	esac
	[ "$GID_MAJOR" -ge 15 ] || gid_die "gid needs PostgreSQL 15 or later, not $GID_MAJOR"

	missing=$(gid_missing "$task")
	[ -n "$missing" ] || return 0
	# shellcheck disable=SC2086
	set -- $missing
	command -v apt-get >/dev/null && gid_become_root ||
		gid_die "missing packages; as root: apt-get install $*"

	for package in "$@"; do
		[ -z "$updated" ] || break
		! gid_known "$package" || continue
		gid_say "Reading the package lists ..."
		gid_apt "$log" update || :
		updated=1
	done

	gid_say "Installing $* ..."
	gid_no_main_cluster "$@"
	if ! gid_apt "$log" install --no-install-recommends --no-upgrade "$@"; then
		[ -n "$updated" ] || gid_apt "$log" update || :
		gid_apt "$log" install --no-install-recommends --no-upgrade "$@" ||
			{ gid_tail "$log" >&2; gid_die "could not install $*"; }
	fi
	gid_main_cluster_again
	missing=$(gid_missing "$task")
	[ -z "$missing" ] || gid_die "still missing after the installation: $missing"
}

# Debian's server package makes and starts a cluster "main" when it is
# installed; nobody asked for one here.
gid_no_main_cluster() {
	case " $* " in
		*" postgresql-"[0-9][0-9]" "*) ;;
		*) return 0 ;;
	esac
	gid_no_main="file"
	[ -d "${GID_NO_MAIN%/*}" ] || gid_no_main=directory
	"${gid_sudo[@]}" mkdir -p "${GID_NO_MAIN%/*}" &&
		echo "create_main_cluster = false" |
		"${gid_sudo[@]}" tee "$GID_NO_MAIN" >/dev/null
}

gid_main_cluster_again() {
	[ -z "$gid_no_main" ] || "${gid_sudo[@]}" rm -f "$GID_NO_MAIN"
	[ "$gid_no_main" != directory ] ||
		"${gid_sudo[@]}" rmdir "${GID_NO_MAIN%/*}" 2>/dev/null
	gid_no_main=
}

# ---- the private installation ----

# gid_work_directory: where everything is made.  The path is kept short: a
# socket's has at most 107 bytes, and tests make sockets two levels down.  make
# and PGXS take no blanks in it.
gid_work_directory() {
	local tmp=${TMPDIR:-/tmp}
	case $tmp in
		*[!A-Za-z0-9._/-]*) tmp=/tmp ;;
	esac
	[ ${#tmp} -le 40 ] && [ -d "$tmp" ] && [ -w "$tmp" ] || tmp=/tmp
	[ "$(id -u)" -ne 0 ] || setpriv --reuid=nobody --clear-groups test -x "$tmp" || tmp=/tmp
	GID_WORK=$(mktemp -d "$tmp/gid.XXXXXX") || gid_die "could not make a directory in $tmp"
	GID_WORK=$(cd "$GID_WORK" && pwd -P)
	GID_LOGS=$GID_WORK/logs
	GID_TREE=$GID_WORK/gid
	mkdir "$GID_LOGS" "$GID_TREE" "$GID_WORK/s" "$GID_WORK/t"
}

# gid_choose_user: PostgreSQL does not run as root.
gid_choose_user() {
	GID_USER=$(id -un)
	gid_user_command=()
	if [ "$(id -u)" -eq 0 ]; then
		GID_USER=nobody
		! id postgres >/dev/null 2>&1 || GID_USER=postgres
		gid_user_command=(setpriv --reuid="$GID_USER"
			--regid="$(id -g "$GID_USER")" --init-groups)
		chown -R "$GID_USER" "$GID_WORK"
	fi
}

# gid_list_tree: the clone's files, NUL between them; what git ignores is left
# out, what is not yet added is in.
gid_list_tree() {
	local name
	cd "$GID_ROOT" || return 1
	if [ "$(git -c safe.directory='*' rev-parse --show-toplevel 2>/dev/null)" = "$GID_ROOT" ]; then
		git -c safe.directory='*' ls-files -coz --exclude-standard |
			while IFS= read -r -d '' name; do
				[ ! -e "$name" ] || printf '%s\0' "$name"
			done
	else
		find . -name .git -prune -o -path "*/output" -prune -o -path ./build -prune -o \
			-type f ! -name '*.o' ! -name '*.bc' ! -name '*.so' -print0
	fi
}

# gid_tar_tree: an archive of them.
gid_tar_tree() { (gid_list_tree | tar -C "$GID_ROOT" --null -T - -cf -); }

gid_copy_tree() {
	gid_tar_tree | gid_as tar -C "$GID_TREE" --no-same-owner -xf - ||
		gid_die "could not copy the source tree"
}

gid_copy_server() {
	local server=$GID_WORK/usr/lib/postgresql/$GID_MAJOR
	local share=$GID_WORK/usr/share/postgresql/$GID_MAJOR
	gid_as mkdir -p "${server%/*}" "${share%/*}"
	if [ -n "${GID_SERVER:-}" ]; then
		share=$server/share
		gid_as cp -R "$GID_SERVER" "$server" ||
			gid_die "could not copy $GID_SERVER to $GID_WORK"
	else
		gid_as ln -s /usr/include "$GID_WORK/usr/include"
		gid_as cp -R "/usr/lib/postgresql/$GID_MAJOR" "$server" &&
			gid_as cp -R "/usr/share/postgresql/$GID_MAJOR" "$share" ||
			gid_die "could not copy PostgreSQL $GID_MAJOR to $GID_WORK"
	fi
	# an installation of gid that the machine may have
	rm -rf "$server"/lib/gid.so "$server"/lib/bitcode/gid* "$share"/extension/gid[.-]*
	[ "$(gid_as "$GID_PG_CONFIG" --pkglibdir)" = "$server/lib" ] ||
		gid_die "${GID_SERVER:-PostgreSQL $GID_MAJOR of this machine} cannot be relocated"
}

# gid_begin TASK: the work directory, the packages and the user.  TASK is test,
# source, demo, bench, valgrind, patroni, applications, deb or image.  Changes to the work
# directory.
gid_begin() {
	trap gid_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	gid_work_directory
	gid_packages "$1"
	[ "$1" != test ] || gid_optional_packages
	gid_choose_user
	cd "$GID_WORK" || exit 1
}

# gid_setup TASK: everything up to the copied sources.
gid_setup() {
	gid_begin "$1"
	GID_BIN=$GID_WORK/usr/lib/postgresql/$GID_MAJOR/bin
	GID_PG_CONFIG=$GID_BIN/pg_config
	export PGHOST=$GID_WORK/s PGPORT=5432 PGUSER=postgres
	gid_copy_server
	gid_copy_tree
}

# gid_install [VARIABLE=VALUE...]: builds the copy as it is delivered, without the
# bitcode for JIT (half of the time), and installs it into the private PostgreSQL.
gid_install() {
	gid_run "$GID_LOGS/install.log" 600 make -C "$GID_TREE" -j2 \
		PG_CONFIG="$GID_PG_CONFIG" with_llvm=no "$@" all &&
		gid_run "$GID_LOGS/install2.log" 600 make -C "$GID_TREE" \
			PG_CONFIG="$GID_PG_CONFIG" with_llvm=no "$@" install
}

# gid_build [VARIABLE=VALUE...]: the same, or its logs and the end.
gid_build() {
	gid_say "Building gid for PostgreSQL $GID_MAJOR in $GID_WORK ..."
	gid_install "$@" && return
	gid_tail "$GID_LOGS/install.log" >&2
	gid_tail "$GID_LOGS/install2.log" >&2
	gid_die "the build failed"
}

# ---- clusters ----

# gid_has_icu: from 16 on a server has ICU unless its builder did without.
gid_has_icu() {
	local configure
	configure=$(gid_as "$GID_PG_CONFIG" --configure)
	[[ $configure == *--with-icu* ]] ||
		{ [ "$GID_MAJOR" -ge 16 ] && [[ $configure != *--without-icu* ]]; }
}

# gid_cluster_start NAME [SETTING...]: makes and starts the cluster
# $GID_WORK/NAME, reached by PGHOST and PGPORT.  One at a time.  Its collation is C, or
# that of ICU for the language GID_LANGUAGE, if the server was built with ICU.
gid_cluster_start() {
	local data=$GID_WORK/$1 setting locale=--no-locale
	shift
	if [ -n "${GID_LANGUAGE:-}" ] && gid_has_icu; then
		locale+=" --locale-provider=icu --icu-locale=$GID_LANGUAGE"
	fi
	# shellcheck disable=SC2086
	gid_run "$GID_LOGS/initdb.log" 120 initdb -D "$data" -U postgres -A trust \
		-E UTF8 $locale --no-sync ||
		{ gid_tail "$GID_LOGS/initdb.log" >&2; gid_die "could not make a cluster"; }
	{
		echo "listen_addresses = ''"
		echo "unix_socket_directories = '$PGHOST'"
		echo "port = $PGPORT"
		for setting in "$@"; do
			echo "$setting"
		done
	} | gid_as tee -a "$data/postgresql.conf" >/dev/null
	gid_cluster_restart "${data##*/}"
}

# gid_cluster_restart NAME: start one that was stopped.
gid_cluster_restart() {
	local data=$GID_WORK/$1
	gid_run "$GID_LOGS/start.log" 120 pg_ctl -D "$data" -l "$data.log" -s -w \
		-p "${GID_POSTGRES:-$GID_BIN/postgres}" start ||
		{ gid_tail "$data.log" >&2; gid_die "could not start a cluster"; }
}

# gid_cluster_stop NAME
gid_cluster_stop() {
	gid_run "$GID_LOGS/stop.log" 120 pg_ctl -D "$GID_WORK/$1" -s -w -m fast stop
}
